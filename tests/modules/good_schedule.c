/* good_schedule.c - modules that schedule by themselves: dry runs, moves, timers, a host that may be older.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME is the module's name, WAY says what it does.
 */
#include <string.h>

#include "module.h"

enum way {
    TRIES =
        1,  /* first come first served; for a job of higher priority the last ones are stopped in a dry run */
    MOVES,  /* as it comes; at a time that is set, every job moves to the last node */
    DELAYS, /* each job starts a set time after its submission, by timers of the jobs */
    BEATS,  /* as it comes; two alarms at once, and one again and again */
    CAREFUL, /* rejects jobs of no priority, if the host knows how */
    WORDS,   /* starts nothing for a while, and says why */
    FORGETS, /* as it comes; the timers of its jobs are gone when they start */
    SIZES,   /* as it comes; asks for facts as a module built for another version would */
};
#define IS(way) (WAY == (way))

struct instance {
    const gy_host *host;
    int64_t at_us;
    uint32_t beats;
};

static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    s->host = host;
    s->at_us = values[0].number;
    *self = s;
    return 0;
}

/* ---- TRIES ---- */

static int64_t priority_of(const gy_host *h, gy_view *v, uint32_t job)
{
    gy_job_info j;
    h->job(v, job, &j, sizeof j);
    return j.priority;
}

static int may_stop(const gy_host *h, gy_view *v, uint32_t job, int64_t priority)
{
    gy_job_info j;
    h->job(v, job, &j, sizeof j);
    return j.flags & GY_JOB_IS_PREEMPTIBLE && j.priority < priority;
}

/* Stops all jobs of lower priority; keeps that only if the job starts then. */
static void try_hard(const gy_host *h, gy_view *v, uint32_t job)
{
    int64_t priority = priority_of(h, v, job);
    uint32_t next;
    h->try_begin(v);
    for (uint32_t k = h->next_running(v, GY_NIL); k != GY_NIL; k = next) {
        next = h->next_running(v, k);
        if (may_stop(h, v, k, priority))
            h->stop(v, k, GY_STOP_CHECKPOINT);
    }
    h->try_end(v, h->start(v, job, NULL, 0));
}

/* ---- all ---- */

static void start_all(const struct instance *s, gy_view *v)
{
    const gy_host *h = s->host;
    for (uint32_t job = h->next_waiting(v, GY_NIL); job != GY_NIL; job = h->next_waiting(v, job))
        if (!h->start(v, job, NULL, 0) && IS(TRIES))
            try_hard(h, v, job);
}

static void start_due(const struct instance *s, gy_view *v)
{
    const gy_host *h = s->host;
    gy_job_info j;
    for (uint32_t job = h->next_waiting(v, GY_NIL); job != GY_NIL; job = h->next_waiting(v, job)) {
        h->job(v, job, &j, sizeof j);
        if (h->now_us(v) == j.submit_us + s->at_us)
            h->start(v, job, NULL, 0);
    }
}

static void move_all(const struct instance *s, gy_view *v)
{
    const gy_host *h = s->host;
    gy_totals all;
    gy_job_info j;
    h->totals(v, &all, sizeof all);
    for (uint32_t job = h->next_running(v, GY_NIL); job != GY_NIL; job = h->next_running(v, job)) {
        h->job(v, job, &j, sizeof j);
        const gy_piece there = {all.nodes - 1, j.gpus_milli / 1000};
        h->migrate(v, job, &there, 1);
    }
}

static void start_the_rest(struct instance *s, gy_view *v)
{
    const gy_host *h = s->host;
    for (uint32_t job = h->next_waiting(v, GY_NIL); job != GY_NIL; job = h->next_waiting(v, job))
        if (GY_HAS(h, reject) && priority_of(h, v, job) == 0)
            h->reject(v, job, "it has no priority");
        else
            h->start(v, job, NULL, 0);
}

/* Timers of waiting jobs keep the run alive. */
static void put_off(const struct instance *s, gy_view *v)
{
    const gy_host *h = s->host;
    for (uint32_t job = h->next_waiting(v, GY_NIL); job != GY_NIL; job = h->next_waiting(v, job)) {
        h->explain(v, job, GY_WAITS_POLICY, "it is not time yet");
        h->wake_job(v, job, s->at_us);
    }
    h->note(v, "nothing starts");
}

/* Facts as an older and as a newer module ask for them: nothing is written beyond the size, nothing is left
 * undefined inside it. */
static void try_sizes(const gy_host *h, gy_view *v, uint32_t job)
{
    struct {
        gy_job_info job;
        unsigned char rest[64];
    } small, large;
    memset(&small, 0xee, sizeof small);
    memset(&large, 0xee, sizeof large);
    h->job(v, job, &small.job, offsetof(gy_job_info, stops));
    h->job(v, job, &large.job, sizeof large);
    int kept = small.job.stops == 0xeeeeeeee && small.job.gpus_milli == large.job.gpus_milli;
    for (size_t i = 0; i < sizeof small.rest; i++)
        kept = kept && small.rest[i] == 0xee && large.rest[i] == 0;
    h->note(v, kept ? "sizes are kept" : "sizes are not kept");
}

static void schedule(void *self, gy_view *v)
{
    struct instance *s = self;
    const gy_host *h = s->host;
    int64_t now = h->now_us(v);
    switch ((enum way)WAY) {
    case CAREFUL: start_the_rest(s, v); return;
    case DELAYS: start_due(s, v); return;
    case WORDS:
        if (now < s->at_us) {
            put_off(s, v);
            return;
        }
        break;
    case SIZES:
        if (h->next_waiting(v, GY_NIL) != GY_NIL)
            try_sizes(h, v, h->next_waiting(v, GY_NIL));
        break;
    case MOVES:
        if (now == s->at_us)
            move_all(s, v);
        else
            h->wake(v, s->at_us);
        break;
    case BEATS:
        if (now == 0) {
            h->wake(v, 3 * s->at_us);
            h->wake(v, s->at_us);
            h->wake(v, 2 * s->at_us);
        }
        break;
    default: break;
    }
    start_all(s, v);
}

static void on_submit(void *self, gy_view *v, uint32_t job)
{
    struct instance *s = self;
    if (IS(DELAYS) || IS(FORGETS))
        s->host->wake_job(v, job, s->host->now_us(v) + s->at_us);
}

static void on_timer(void *self, gy_view *v, uint32_t job)
{
    struct instance *s = self;
    char text[64];
    if (IS(FORGETS))
        s->host->note(v, "a timer of a job");
    if (!IS(BEATS) || job != GY_NIL)
        return;
    snprintf(text, sizeof text, "beat %u", ++s->beats);
    s->host->note(v, text);
    if (s->beats >= 3)
        s->host->wake(v, s->host->now_us(v) + s->at_us);
}

static const gy_notify notify = {.size = sizeof notify, .submit = on_submit, .timer = on_timer};

static const gy_setting settings[] = {
    {"at_s", GY_SETTING_TIME, "10", "s", "a time", 0, GY_FOREVER / 4},
};

static const gy_schedule_ops ops = {.size = sizeof ops, .schedule = schedule};

MODULE(NAME, GY_STAGE_SCHEDULE, GY_K0_REQUEST, 0, open_instance, free, .nsettings = 1, .settings = settings,
       .notify = &notify, .ops = &ops)
