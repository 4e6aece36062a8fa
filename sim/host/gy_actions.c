/* gy_actions.c - actions of the schedule and resize stages: checked, tried, carried out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_actions_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gy_session_internal.h"

struct gy_tried {
    uint32_t job;
    uint32_t mode; /* of a stop */
    bool start;
    gy_hold *holds; /* of a start: claimed; freed at the end */
    uint32_t nholds;
};

static bool may_act(gy_view *v, uint32_t job, bool waits, const char *what)
{
    gy_sim *sim = v->ss->sim;
    if (!v->acting) {
        gy_fault(v->ss, v->stage, GY_NONE, "it tries to %s a job outside its schedule or resize function",
                 what);
        return false;
    }
    if (job >= sim->jobs->n || (waits ? !gy_sim_waits(sim, job) : sim->slot[job] == GY_NONE)) {
        gy_fault(v->ss, v->stage, job < sim->jobs->n ? job : GY_NONE, "it tries to %s a job that %s", what,
                 waits ? "does not wait" : "is not running");
        return false;
    }
    return !gy_faulted(v->ss);
}

static struct gy_tried *tried_for(gy_session *ss, uint32_t job)
{
    for (size_t i = ss->ntried; ss->trying && i-- > 0;)
        if (ss->tried[i].job == job)
            return &ss->tried[i];
    return NULL;
}

/* ---- claims ---- */

/* Claims the pieces from the live room; the number of holds, or 0 with everything as before. */
static uint32_t claim_pieces(gy_view *v, uint32_t job, const gy_piece *pieces, uint32_t n)
{
    gy_session *ss = v->ss;
    gy_sim *sim = ss->sim;
    const gy_demand *d = gy_sim_demand(sim, job);
    uint32_t nholds = 0, units = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool there = pieces[i].node < sim->cluster->nnodes && pieces[i].units > 0 &&
                     sim->layout->domain[pieces[i].node] == gy_sim_domain(sim, job);
        if (!there || units + pieces[i].units > d->units) {
            gy_fault(ss, v->stage, job,
                     "it places the job on a node that is not there for it, or on too many GPUs");
            break;
        }
        if (gy_room_can_hold(sim->room, d, pieces[i].node) < pieces[i].units)
            break;
        nholds += gy_room_claim(sim->room, d, pieces[i].node, pieces[i].units, ss->holds + nholds);
        units += pieces[i].units;
    }
    if (units == d->units)
        return nholds;
    gy_room_give(sim->room, d, ss->holds, nholds);
    return 0;
}

static bool finish_start(gy_view *v, uint32_t job, uint32_t n)
{
    gy_session *ss = v->ss;
    if (!ss->trying) {
        gy_decide(ss, "start", job, 0, "");
        gy_sim_start(ss->sim, job, ss->holds, n);
        return true;
    }
    ss->tried = gy_reserve(ss->tried, &ss->tried_cap, ss->ntried + 1, sizeof *ss->tried);
    struct gy_tried *t = &ss->tried[ss->ntried++];
    *t = (struct gy_tried){.job = job, .start = true, .holds = gy_alloc(n, sizeof *t->holds), .nholds = n};
    memcpy(t->holds, ss->holds, n * sizeof *t->holds);
    return true;
}

static bool startable(gy_view *v, uint32_t job)
{
    if (!may_act(v, job, true, "start"))
        return false;
    if (!tried_for(v->ss, job))
        return true;
    gy_fault(v->ss, v->stage, job, "it starts a job twice in one dry run");
    return false;
}

int gy_action_start(gy_view *v, uint32_t job, const gy_piece *pieces, uint32_t n)
{
    gy_session *ss = v->ss;
    bool fits;
    if (!startable(v, job))
        return 0;
    uint32_t k =
        n ? claim_pieces(v, job, pieces, n) : gy_space_place(ss, job, ss->sim->room, ss->holds, &fits);
    if (gy_faulted(ss) || (n ? k == 0 : !fits))
        return 0;
    ss->elsewhere += ss->sim->jobs->log_placed && ss->sim->jobs->log_placed[job] != GY_NAME_NONE;
    return finish_start(v, job, k);
}

int gy_action_start_recorded(gy_view *v, uint32_t job)
{
    gy_session *ss = v->ss;
    gy_sim *sim = ss->sim;
    uint32_t n;
    if (!startable(v, job))
        return 0;
    if (ss->inst[v->stage].module->knowledge < GY_K5_ORACLE) {
        gy_fault(ss, v->stage, job, "it replays the log and declares class K%u",
                 ss->inst[v->stage].module->knowledge);
        return 0;
    }
    if (!gy_sim_claim_logged(sim, job, &n))
        return 0;
    memcpy(ss->holds, sim->scratch, n * sizeof *ss->holds);
    return finish_start(v, job, n);
}

/* ---- stops ---- */

/* Gives or takes, in the live room, what would come back of a running job. */
static void toggle(gy_session *ss, uint32_t job, bool give)
{
    gy_sim_toggle(ss->sim, ss->sim->room, &ss->sim->runs[ss->sim->slot[job]], give);
}

static void stop_now(gy_session *ss, uint32_t job, uint32_t mode)
{
    bool keep = mode == GY_STOP_DEFAULT ? ss->sim->opt.preempt_mode == GY_PREEMPT_CHECKPOINT
                                        : mode == GY_STOP_CHECKPOINT;
    gy_decide(ss, "stop", job, 0, "");
    gy_sim_stop(ss->sim, ss->sim->slot[job], keep, false);
}

void gy_action_stop(gy_view *v, uint32_t job, uint32_t mode)
{
    gy_session *ss = v->ss;
    if (!may_act(v, job, false, "stop"))
        return;
    if (ss->sim->jobs->flags[job] & GY_JOB_NOT_PREEMPTIBLE || mode > GY_STOP_KILL || tried_for(ss, job)) {
        gy_fault(ss, v->stage, job,
                 "it stops a job that may not be stopped, or twice, or in a mode that does not exist");
        return;
    }
    if (!ss->trying) {
        stop_now(ss, job, mode);
        return;
    }
    ss->tried = gy_reserve(ss->tried, &ss->tried_cap, ss->ntried + 1, sizeof *ss->tried);
    ss->tried[ss->ntried++] = (struct gy_tried){.job = job, .mode = mode};
    toggle(ss, job, true);
}

int gy_action_migrate(gy_view *v, uint32_t job, const gy_piece *pieces, uint32_t n)
{
    gy_session *ss = v->ss;
    if (!may_act(v, job, false, "migrate"))
        return 0;
    if (ss->trying) {
        gy_fault(ss, v->stage, job, "it migrates a job inside a dry run; stop and start it there");
        return 0;
    }
    if (ss->sim->jobs->flags[job] & GY_JOB_NOT_PREEMPTIBLE)
        return 0;
    toggle(ss, job, true); /* is there room, with its own GPUs free? */
    uint32_t k = claim_pieces(v, job, pieces, n);
    gy_room_give(ss->sim->room, gy_sim_demand(ss->sim, job), ss->holds, k);
    toggle(ss, job, false);
    if (k == 0)
        return 0;
    stop_now(ss, job, GY_STOP_CHECKPOINT);
    return gy_action_start(v, job, pieces, n);
}

void gy_action_reject(gy_view *v, uint32_t job, const char *text)
{
    if (!may_act(v, job, true, "reject"))
        return;
    if (v->ss->trying) {
        gy_fault(v->ss, v->stage, job, "it rejects a job inside a dry run");
        return;
    }
    gy_decide(v->ss, "reject", job, 0, text ? text : "");
    gy_sim_reject(v->ss->sim, job);
}

/* ---- resize ---- */

/* The first `gpus` of what the run holds. */
static uint32_t shrunk(const gy_run *r, uint32_t gpus, gy_hold *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->nholds && gpus; i++) {
        gy_hold stay = r->holds[i];
        while (stay.gpus > gpus) {
            stay.mask &= ~((uint64_t)1 << (63 - __builtin_clzll(stay.mask)));
            stay.gpus--;
        }
        gpus -= stay.gpus;
        stay.units = stay.gpus;
        out[n++] = stay;
    }
    return n;
}

/* What it holds and more, found by the place stage; 0 when there is no room. */
static uint32_t grown(gy_session *ss, const gy_run *r, uint32_t more, gy_hold *out)
{
    uint32_t n = gy_space_place_more(ss, r->job, more, ss->holds), k = 0;
    if (n == 0)
        return 0;
    for (uint32_t i = 0; i < r->nholds; i++)
        out[k++] = r->holds[i];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = 0;
        while (j < k && (out[j].node != ss->holds[i].node || out[j].word != ss->holds[i].word))
            j++;
        if (j == k)
            out[k++] = (gy_hold){.node = ss->holds[i].node, .word = ss->holds[i].word};
        out[j].mask |= ss->holds[i].mask;
        out[j].gpus = (uint16_t)(out[j].gpus + ss->holds[i].gpus);
    }
    for (uint32_t i = 0; i < k; i++)
        out[i].units = out[i].gpus;
    return k;
}

/* A run on a GPU that is out of order, or drained by itself, stays as it is. */
static bool all_good(const gy_session *ss, const gy_run *r)
{
    for (uint32_t i = 0; i < r->nholds; i++)
        if (gy_sim_good_part(ss->sim, r->holds[i]).gpus != r->holds[i].gpus)
            return false;
    return !r->stalled;
}

int gy_action_resize(gy_view *v, uint32_t job, uint32_t gpus)
{
    gy_session *ss = v->ss;
    if (!may_act(v, job, false, "resize"))
        return 0;
    const gy_shape *s = gy_job_shape(ss->sim->jobs, job);
    uint32_t slot = ss->sim->slot[job];
    gy_run *r = &ss->sim->runs[slot];
    if (ss->trying || gpus < s->min_gpus || gpus > s->max_gpus || gpus == 0 || s->tasks > 1) {
        gy_fault(ss, v->stage, job, "it resizes a job in a dry run, or beyond its range of %u to %u GPUs",
                 s->min_gpus, s->max_gpus);
        return 0;
    }
    uint32_t has = r->milli / 1000;
    if (gpus == has || !all_good(ss, r))
        return gpus == has;
    gy_hold *out = ss->sim->scratch;
    uint32_t n = gpus < has ? shrunk(r, gpus, out) : grown(ss, r, gpus - has, out);
    if (n == 0)
        return 0;
    gy_evict_leaving(ss, slot);
    gy_easy_leaving(ss, slot);
    gy_room_give(ss->sim->room, gy_sim_demand(ss->sim, job), r->holds, r->nholds);
    gy_room_take(ss->sim->room, gy_sim_demand(ss->sim, job), out, n);
    gy_sim_resize(ss->sim, slot, out, n);
    gy_evict_started(ss, slot);
    gy_easy_started(ss, slot);
    gy_queue_soil(ss, gy_sim_domain(ss->sim, job), true);
    if (gpus < has &&
        ss->resized_us != ss->sim->now_us) { /* for those who wait: one more pass, and no more */
        ss->resized_us = ss->sim->now_us;
        ss->sim->again = true;
    }
    gy_decide(ss, "resize", job, 0, "");
    return 1;
}

/* ---- dry runs ---- */

void gy_action_try_begin(gy_view *v)
{
    if (!v->acting || v->ss->trying)
        gy_fault(v->ss, v->stage, GY_NONE,
                 "it begins a dry run inside another, or outside its schedule function");
    else
        v->ss->trying = true;
}

/* Takes everything back, the last first. */
void gy_services_try_undo(gy_session *ss)
{
    for (size_t i = ss->ntried; i-- > 0;) {
        struct gy_tried *t = &ss->tried[i];
        if (t->start)
            gy_room_give(ss->sim->room, gy_sim_demand(ss->sim, t->job), t->holds, t->nholds);
        else
            toggle(ss, t->job, false);
    }
    ss->trying = false;
}

void gy_action_try_end(gy_view *v, int keep)
{
    gy_session *ss = v->ss;
    if (!ss->trying) {
        gy_fault(ss, v->stage, GY_NONE, "it ends a dry run that it had not begun");
        return;
    }
    gy_services_try_undo(ss);
    for (size_t i = 0; i < ss->ntried; i++) {
        struct gy_tried *t = &ss->tried[i];
        if (keep && !gy_faulted(ss)) {
            if (t->start) {
                gy_room_take(ss->sim->room, gy_sim_demand(ss->sim, t->job), t->holds, t->nholds);
                gy_decide(ss, "start", t->job, 0, "");
                gy_sim_start(ss->sim, t->job, t->holds, t->nholds);
            } else {
                stop_now(ss, t->job, t->mode);
            }
        }
        free(t->holds);
    }
    ss->ntried = 0;
}

void gy_actions_fini(gy_session *ss)
{
    for (size_t i = 0; i < ss->ntried; i++)
        free(ss->tried[i].holds);
    free(ss->tried);
}
