/* cli_check_claims.c - what a module declares, held against what it answers: keys, places, refusals.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check_probe_internal.h"

struct check_key_seen {
    bool known, running;
    gy_key key;
    int64_t at_us, work_us;
    gy_user_info held; /* of a user */
};

void check_claims_open(check_probe *x)
{
    x->job_keys = gy_alloc(x->w->jobs->n, sizeof *x->job_keys);
    x->user_keys = gy_alloc(x->w->jobs->users.n, sizeof *x->user_keys);
    x->refused = gy_alloc(x->w->jobs->queues.n, sizeof *x->refused);
    for (uint32_t q = 0; q < x->w->jobs->queues.n; q++)
        check_admit_lift(x, q);
}

void check_claims_close(check_probe *x)
{
    free(x->job_keys);
    free(x->user_keys);
    free(x->refused);
}

static const char *id_of(const check_probe *x, uint32_t job, char *buf)
{
    return gy_job_id_text(x->w->jobs, job, buf);
}

/* ---- keys ---- */

static bool same_lanes(const check_probe *x, const gy_key *a, const gy_key *b)
{
    return memcmp(a->lane, b->lane, x->lanes * sizeof a->lane[0]) == 0;
}

void check_key_ask(check_probe *x, gy_view *v, uint32_t job, gy_key *out)
{
    gy_key again = {{0, 0, 0}, 0};
    char id[24];
    x->key(x->self, v, job, out);
    x->key(x->self, v, job, &again);
    if (!same_lanes(x, out, &again) || (x->change == GY_KEY_LINEAR && out->slope != again.slope))
        check_fail(x->c, CHECK_KEYS, "%s: job %s gets two keys when asked twice at one moment", x->c->doing,
                   id_of(x, job, id));
}

static gy_i128 number_of(const check_probe *x, const gy_key *k)
{
    return x->lanes == 1 ? k->lane[0] : (gy_i128)k->lane[0] * ((gy_i128)1 << 64) + (uint64_t)k->lane[1];
}

/* What the key must be now, by what it was and what has passed, while nothing happened to the job. */
static bool as_declared(const check_probe *x, const struct check_key_seen *was,
                        const struct check_key_seen *is)
{
    if (x->change != GY_KEY_LINEAR || !was->running)
        return same_lanes(x, &was->key, &is->key);
    int64_t passed = x->slope_kind == GY_SLOPE_WORK ? is->work_us - was->work_us : is->at_us - was->at_us;
    return number_of(x, &is->key) == number_of(x, &was->key) + (gy_i128)was->key.slope * passed;
}

static void look_at_job(check_probe *x, gy_view *v, uint32_t job, bool running)
{
    static const char *const says[] = {"never changes",
                                       "changes only when the job starts, stops or has a timer",
                                       "grows by its slope alone while the job runs"};
    struct check_key_seen *was = &x->job_keys[job];
    struct check_key_seen is = {.known = true, .running = running, .at_us = x->host->now_us(v)};
    gy_attained had = {0};
    char id[24], t[32], value[2][48];
    check_key_ask(x, v, job, &is.key);
    if (x->change == GY_KEY_LINEAR && x->slope_kind == GY_SLOPE_WORK)
        x->host->attained(v, job, &had, sizeof had);
    is.work_us = had.work_us;
    if (was->known && was->running == running && x->change <= GY_KEY_LINEAR && !as_declared(x, was, &is)) {
        gy_put_us(t, is.at_us);
        gy_put_i128(value[0], number_of(x, &was->key), 0);
        gy_put_i128(value[1], number_of(x, &is.key), 0);
        check_fail(x->c, CHECK_KEYS,
                   "%s: at %s s the key of job %s is %s and was %s: it is declared as one that %s",
                   x->c->doing, t, id_of(x, job, id), value[1], value[0], says[x->change]);
    }
    if (x->change == GY_KEY_NEVER && was->known)
        return; /* the first one counts for good */
    *was = is;
}

/* GY_KEY_USER: one key for all jobs of a user, and the same one while the user holds the same. */
static void look_at_user(check_probe *x, gy_view *v, uint32_t job)
{
    uint32_t user = x->w->jobs->user[job];
    struct check_key_seen *was = &x->user_keys[user], is = {.known = true, .at_us = x->host->now_us(v)};
    char id[24];
    check_key_ask(x, v, job, &is.key);
    x->host->user(v, user, &is.held, sizeof is.held);
    bool same_time = was->known && was->at_us == is.at_us;
    bool same_hold = was->known && was->held.held_milli == is.held.held_milli &&
                     was->held.held_cpus_micro == is.held.held_cpus_micro &&
                     was->held.held_mem_micro == is.held.held_mem_micro &&
                     was->held.running == is.held.running;
    if (same_hold && !same_lanes(x, &was->key, &is.key))
        check_fail(x->c, CHECK_KEYS, "%s: job %s of user %s has %s, declared as a key of the user alone",
                   x->c->doing, id_of(x, job, id), gy_names_text(&x->w->jobs->users, user),
                   same_time ? "a key of its own" : "another key while the user holds the same");
    *was = is;
}

void check_keys_look(check_probe *x, gy_view *v)
{
    if (!x->key || x->lanes == 0)
        return;
    for (int running = 0; running < 2; running++) {
        uint32_t (*next)(gy_view *, uint32_t) = running ? x->host->next_running : x->host->next_waiting;
        for (uint32_t job = next(v, GY_NIL); job != GY_NIL; job = next(v, job))
            if (x->change == GY_KEY_USER)
                look_at_user(x, v, job);
            else
                look_at_job(x, v, job, running);
    }
}

void check_keys_forget(check_probe *x, uint32_t job)
{
    if (job != GY_NIL && x->change != GY_KEY_NEVER)
        x->job_keys[job].known = false;
}

/* ---- places ---- */

int check_place_ask(check_probe *x, gy_space *s, const gy_request *r)
{
    const gy_place_ops *o = x->module->ops;
    uint64_t units = 0;
    char id[24];
    for (uint32_t n = x->host->first(s, 1, 0); n != GY_NIL; n = x->host->first(s, 1, n + 1))
        units += x->host->hold(s, n);
    int placed = o->place(x->self, s, r);
    if (!placed && units >= r->units && x->module->flags & GY_PLACE_COMPLETE)
        check_fail(x->c, CHECK_PLACES,
                   "%s: it finds no room for job %s, though all nodes together hold %" PRIu64
                   " of its units and it needs %u: it declares GY_PLACE_COMPLETE",
                   x->c->doing, id_of(x, r->job, id), units, r->units);
    return placed;
}

/* ---- refusals ---- */

void check_admit_lift(check_probe *x, uint32_t queue)
{
    x->refused[queue] = UINT64_MAX;
}

/* GY_ADMIT_BY_QUEUE: then nobody of the queue who asks for as much or more is let in. */
static void look_at_queue(check_probe *x, gy_view *v, uint32_t refused)
{
    const gy_jobs *t = x->w->jobs;
    const gy_admit_ops *o = x->module->ops;
    uint32_t gpus = gy_job_shape(t, refused)->gpus_milli;
    char id[2][24];
    for (uint32_t job = x->host->next_waiting(v, GY_NIL); job != GY_NIL; job = x->host->next_waiting(v, job))
        if (t->queue[job] == t->queue[refused] && gy_job_shape(t, job)->gpus_milli >= gpus &&
            o->admit(x->self, v, job))
            check_fail(
                x->c, CHECK_ADMISSION,
                "%s: it refuses job %s and admits job %s of the same queue, which needs as many GPUs or "
                "more: it declares GY_ADMIT_BY_QUEUE",
                x->c->doing, id_of(x, refused, id[0]), id_of(x, job, id[1]));
}

int check_admit_ask(check_probe *x, gy_view *v, uint32_t job)
{
    const gy_admit_ops *o = x->module->ops;
    uint32_t queue = x->w->jobs->queue[job], gpus = gy_job_shape(x->w->jobs, job)->gpus_milli;
    char id[24];
    int yes = o->admit(x->self, v, job);
    if (!yes != !o->admit(x->self, v, job))
        check_warn(x->c, CHECK_ADMISSION, "%s: about job %s it changes its mind when asked twice",
                   x->c->doing, id_of(x, job, id));
    if (!(x->module->flags & GY_ADMIT_BY_QUEUE))
        return yes;
    if (yes && gpus >= x->refused[queue])
        check_fail(
            x->c, CHECK_ADMISSION,
            "%s: it admits job %s after it refused one of the same queue with no more GPUs, and nothing "
            "was given back: it declares GY_ADMIT_BY_QUEUE",
            x->c->doing, id_of(x, job, id));
    if (!yes) {
        x->refused[queue] = gpus < x->refused[queue] ? gpus : x->refused[queue];
        look_at_queue(x, v, job);
    }
    return yes;
}
