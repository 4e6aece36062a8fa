/* test_results_fixture.h - outcomes of runs made by hand, and a small simulator to make larger ones.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * results/ is tested without the engine: a case fills in what a run would have left behind.
 */
#ifndef TEST_RESULTS_FIXTURE_H
#define TEST_RESULTS_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gy_input.h"

#include "gy_random.h"
#include "gy_results.h"

enum { JOBS_MAX = 20000 };

/* A trace and what became of it. */
struct run {
    gy_jobs *jobs;
    gy_cluster *cluster;
    gy_outcome o;
    gy_series series;
    uint8_t *state;
    int64_t *start, *end, *eligible, *run_us, *lost;
    uint32_t *preemptions, *restarts;
    gy_i128 *user_held, *queue_held;
};

#define S(seconds) ((int64_t)((seconds)*1000000.0 + 0.5))

static inline void run_open(struct run *r, const char *cluster)
{
    gy_err e = {0};
    memset(r, 0, sizeof *r);
    r->jobs = gy_jobs_create("trace.csv");
    gy_rc rc = gy_cluster_load(&r->cluster, cluster, &e);
    if (rc != GY_OK)
        abort();
}

static inline gy_slice slice(const char *s)
{
    return (gy_slice){s, strlen(s)};
}

/* Adds a job; more members may be set through `more`. */
static inline void run_add(struct run *r, const char *id, const char *user, double submit, double gpus,
                           double duration, void (*more)(gy_job_row *row))
{
    gy_err e = {0};
    gy_job_row row;
    gy_job_row_init(&row);
    row.id = slice(id);
    row.user = slice(user);
    row.submit_us = S(submit);
    row.duration_us = S(duration);
    row.gpus_milli = (int64_t)(gpus * 1000 + 0.5);
    if (more)
        more(&row);
    if (gy_jobs_add(r->jobs, &row, r->jobs->n + 2, &e) != GY_OK)
        abort();
}

static inline void *column(size_t n, size_t size)
{
    return gy_alloc(n + 1, size);
}

/* All jobs are there: nothing has started yet. */
static inline void run_ready(struct run *r)
{
    gy_err e = {0};
    if (gy_jobs_finish(r->jobs, 0, &e) != GY_OK)
        abort();
    size_t n = r->jobs->n;
    r->state = column(n, 1);
    r->start = column(n, 8);
    r->end = column(n, 8);
    r->eligible = column(n, 8);
    r->run_us = column(n, 8);
    r->lost = column(n, 8);
    r->preemptions = column(n, 4);
    r->restarts = column(n, 4);
    r->user_held = column(r->jobs->users.n, sizeof(gy_i128));
    r->queue_held = column(r->jobs->queues.n, sizeof(gy_i128));
    for (size_t j = 0; j < n; j++) {
        r->state[j] = GY_STATE_QUEUED;
        r->start[j] = r->end[j] = GY_NEVER;
        r->eligible[j] = r->jobs->submit_us[j];
    }
    r->o = (gy_outcome){.jobs = r->jobs,
                        .cluster = r->cluster,
                        .state = r->state,
                        .start_us = r->start,
                        .end_us = r->end,
                        .eligible_us = r->eligible,
                        .run_us = r->run_us,
                        .lost_us = r->lost,
                        .preemptions = r->preemptions,
                        .restarts = r->restarts,
                        .user_held = r->user_held,
                        .queue_held = r->queue_held,
                        .first_start_us = GY_NEVER,
                        .last_end_us = GY_NEVER,
                        .digest = 0x0123456789abcdef};
}

/* Job j ran from start to end in one go, in seconds. */
static inline void run_job(struct run *r, uint32_t j, double start, double end, uint8_t state)
{
    r->start[j] = S(start);
    r->state[j] = state;
    r->run_us[j] = S(end) - S(start);
    if (gy_state_ended(state))
        r->end[j] = S(end);
}

/* Window and books, from the runs of the jobs: each ran in one go from start for run_us. */
static inline void run_books(struct run *r, double from, double to)
{
    gy_outcome *o = &r->o;
    o->window_start_us = S(from);
    o->window_end_us = S(to);
    o->count_until_us = S(to);
    o->ledger = (gy_ledger){.installed = (gy_i128)r->cluster->gpus * 1000 * (S(to) - S(from))};
    for (uint32_t j = 0; j < r->jobs->n; j++) {
        if (r->start[j] == GY_NEVER)
            continue;
        int64_t a = r->start[j] > S(from) ? r->start[j] : S(from), b = r->start[j] + r->run_us[j];
        b = b < S(to) ? b : S(to);
        gy_i128 held = b > a ? (gy_i128)(b - a) * gy_job_shape(r->jobs, j)->gpus_milli : 0;
        o->ledger.useful += held;
        r->user_held[r->jobs->user[j]] += held;
        r->queue_held[r->jobs->queue[j]] += held;
    }
    o->held = o->ledger.useful;
    o->ledger.idle = o->ledger.installed - o->ledger.useful;
}

static inline void run_close(struct run *r)
{
    gy_jobs_free(r->jobs);
    gy_cluster_free(r->cluster);
    gy_series_fini(&r->series);
    free(r->state);
    free(r->start);
    free(r->end);
    free(r->eligible);
    free(r->run_us);
    free(r->lost);
    free(r->preemptions);
    free(r->restarts);
    free(r->user_held);
    free(r->queue_held);
}

/* No placement: what the engine would answer for jobs without GPUs. */
static inline uint32_t placed_nowhere(const gy_outcome *o, uint32_t job, void (*put)(void *ctx, gy_span s),
                                      void *ctx)
{
    (void)o, (void)job, (void)put, (void)ctx;
    return 0;
}

/* What `write` puts into a file, as a text to be freed. */
static inline char *text_of(void (*write)(gy_out *out, const void *from), const void *from)
{
    char path[64];
    gy_err e = {0};
    gy_out *out;
    char *text;
    size_t n;
    snprintf(path, sizeof path, "results-text-%ld", (long)getpid());
    if (gy_out_open(&out, path, false, &e) != GY_OK)
        abort();
    write(out, from);
    if (gy_out_close(out, true, &e) != GY_OK || gy_read_file(path, &text, &n, &e) != GY_OK)
        abort();
    unlink(path);
    return text;
}

/* ---- a small simulator: one pool of GPUs, strict or skipping order, by submission or by length ---- */

struct toy {
    bool skip, shortest;
    double horizon; /* 0: to the end */
};

/* A day's rhythm, many short and few long jobs, sizes 1 to 64: the shape of public traces, all invented. */
static inline void toy_trace(struct run *r, uint32_t njobs, double mean_gap_s)
{
    static const double sizes[] = {1, 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 16, 32, 64};
    gy_stream s = gy_stream_of(7, GY_RANDOM_GENERATE, 1);
    double t = 0;
    for (uint32_t i = 0; i < njobs; i++) {
        char id[16], user[16];
        snprintf(id, sizeof id, "%u", i + 1);
        snprintf(user, sizeof user, "user%u", gy_stream_below(&s, 6) * gy_stream_below(&s, 6));
        double hour = t / 3600 - 24 * (double)(int64_t)(t / 86400);
        t += mean_gap_s * gy_stream_exponential(&s) * (hour > 8 && hour < 20 ? 0.6 : 1.8);
        double length = 900 * gy_exp(1.7 * gy_stream_normal(&s));
        double gpus = sizes[gy_stream_below(&s, sizeof sizes / sizeof *sizes)];
        run_add(r, id, user, (double)(int64_t)t, gpus, (double)(int64_t)(length + 1), NULL);
    }
}

static inline uint32_t toy_next(const struct run *r, const struct toy *toy, const uint32_t *queue, uint32_t n,
                                int64_t free_milli)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        if (toy->skip && gy_job_shape(r->jobs, queue[i])->gpus_milli > free_milli)
            continue;
        if (best == UINT32_MAX ||
            (toy->shortest && r->jobs->duration_us[queue[i]] < r->jobs->duration_us[queue[best]]))
            best = i;
        if (!toy->shortest)
            break;
    }
    if (best != UINT32_MAX && gy_job_shape(r->jobs, queue[best])->gpus_milli > free_milli)
        best = UINT32_MAX;
    return best;
}

/* Runs the trace and fills in the outcome and the series. */
static inline void toy_run(struct run *r, const struct toy *toy, gy_out *timeline)
{
    uint32_t n = r->jobs->n, next = 0, waiting = 0, running = 0;
    uint32_t *queue = column(n, 4), *busy = column(n, 4);
    int64_t all = (int64_t)r->cluster->gpus * 1000, free_milli = all, now = 0, last = 0;
    int64_t horizon = toy->horizon > 0 ? S(toy->horizon) : INT64_MAX;
    gy_timeline *t = gy_timeline_open(timeline);
    while (next < n || running > 0) {
        now = next < n ? r->jobs->submit_us[next] : INT64_MAX;
        for (uint32_t i = 0; i < running; i++)
            now = r->end[busy[i]] < now ? r->end[busy[i]] : now;
        if (now >= horizon)
            break;
        last = now;
        for (uint32_t i = 0; i < running;) {
            uint32_t j = busy[i];
            if (r->end[j] != now) {
                i++;
                continue;
            }
            r->state[j] = GY_STATE_FINISHED;
            free_milli += gy_job_shape(r->jobs, j)->gpus_milli;
            busy[i] = busy[--running];
        }
        while (next < n && r->jobs->submit_us[next] == now)
            queue[waiting++] = next++;
        uint32_t k;
        while ((k = toy_next(r, toy, queue, waiting, free_milli)) != UINT32_MAX) {
            uint32_t j = queue[k];
            memmove(queue + k, queue + k + 1, (waiting - k - 1) * sizeof *queue);
            waiting--;
            free_milli -= gy_job_shape(r->jobs, j)->gpus_milli;
            r->start[j] = now;
            r->run_us[j] = r->jobs->duration_us[j];
            r->end[j] = now + r->run_us[j];
            busy[running++] = j;
        }
        int64_t queued = 0;
        for (uint32_t i = 0; i < waiting; i++)
            queued += gy_job_shape(r->jobs, queue[i])->gpus_milli;
        gy_timeline_add(t, now, (uint64_t)(all - free_milli), 0, waiting, (uint64_t)queued);
        uint64_t held = (uint64_t)(all - free_milli);
        r->o.busy_max_milli = held > r->o.busy_max_milli ? held : r->o.busy_max_milli;
        r->o.events++;
    }
    last = horizon < INT64_MAX ? horizon : last;
    for (uint32_t i = 0; i < running; i++) {
        r->state[busy[i]] = GY_STATE_RUNNING;
        r->end[busy[i]] = GY_NEVER;
        r->run_us[busy[i]] = last - r->start[busy[i]];
    }
    for (; next < n; next++)
        r->state[next] = GY_STATE_NONE;
    gy_timeline_close(t, last, &r->series);
    run_books(r, 0, (double)last / 1e6);
    free(queue);
    free(busy);
}

#endif
