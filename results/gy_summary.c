/* gy_summary.c - the figures of a run; see gy_summary.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(gy_summary) == 9 * sizeof(gy_i128) + 3 * sizeof(gy_time_dist) +
                                         GY_STATES * sizeof(gy_group_row) + 2 * sizeof(gy_real_dist) + 22 * 8,
               "words without gaps");

/* Room for one figure of every job and for sorting it; the figures take turns. */
struct room {
    union {
        int64_t *times;
        double *ratios;
    };
    uint64_t *spare;
};

/* Users that have jobs which count, and how evenly they were served. */
static void share_figures(gy_summary *s, const gy_outcome *o)
{
    size_t nusers = o->jobs->users.n;
    bool *counts = gy_alloc(nusers + 1, sizeof *counts);
    for (uint32_t j = 0; j < o->jobs->n; j++)
        counts[o->jobs->user[j]] |= gy_outcome_counts(o, j);
    double sum = 0, squares = 0;
    gy_i128 least = -1, most = 0;
    for (size_t u = 0; u < nusers; u++) {
        if (!counts[u])
            continue;
        gy_i128 held = o->user_held[u];
        double share = (double)held;
        s->users++;
        sum += share;
        squares += share * share;
        most = held > most ? held : most;
        least = least < 0 || held < least ? held : least;
    }
    s->jain = squares > 0 ? sum * sum / ((double)s->users * squares) : NAN;
    s->max_min_ratio = least > 0 ? (double)most / (double)least : NAN;
    free(counts);
}

/* The time a job would take on an equal share of the cluster: linear scaling, but a gang cannot use more GPUs
 * than it asks for. */
static double fair_time_us(const gy_summary *s, const gy_outcome *o, uint32_t j)
{
    double alone = (double)gy_job_work(o->jobs, j);
    double gpus = gy_job_shape(o->jobs, j)->gpus_milli / 1000.0;
    double shared = alone * gpus * (double)s->users / (double)s->gpus;
    return shared > alone ? shared : alone;
}

static void deadline_figures(gy_summary *s, const gy_outcome *o, uint32_t j)
{
    int64_t deadline = gy_job_deadline(o->jobs, j);
    if (deadline == GY_NEVER)
        return;
    bool met = o->state[j] == GY_STATE_FINISHED && o->end_us[j] <= deadline;
    s->deadlines_met += met;
    s->deadlines_missed += !met;
}

/* First and last instant of the jobs that count, for the makespan. */
struct stretch {
    int64_t first_us, last_us;
};

/* All that needs no sorting. */
static void count_job(gy_summary *s, const gy_outcome *o, uint32_t j, struct stretch *stretch)
{
    uint8_t state = o->state[j];
    int64_t submit = o->jobs->submit_us[j];
    gy_group_row *row = &s->by_state[state];
    s->submitted++;
    row->submitted++;
    row->jobs[state]++;
    row->job_gpu += gy_job_gpu_time(o, j);
    deadline_figures(s, o, j);
    if (state == GY_STATE_INFEASIBLE)
        return;
    s->of++;
    s->preemptions += o->preemptions ? o->preemptions[j] : 0;
    s->restarts += o->restarts ? o->restarts[j] : 0;
    stretch->first_us = submit < stretch->first_us ? submit : stretch->first_us;
    int64_t end = gy_state_ended(state) ? o->end_us[j] : s->window_end_us;
    s->lower_bound_us += end - submit;
    if (gy_state_ended(state) && end > stretch->last_us)
        stretch->last_us = end;
}

static gy_time_dist wait_figure(const gy_outcome *o, const struct room *room, gy_cdf *cdf, uint64_t of)
{
    size_t n = 0;
    for (uint32_t j = 0; j < o->jobs->n; j++)
        if (o->start_us[j] != GY_NEVER && gy_outcome_counts(o, j))
            room->times[n++] = o->start_us[j] - o->eligible_us[j];
    gy_time_dist d = gy_time_dist_of(room->times, room->spare, n);
    if (cdf)
        *cdf = gy_cdf_of(room->times, n, of);
    return d;
}

static gy_time_dist total_wait_figure(const gy_outcome *o, const struct room *room)
{
    size_t n = 0;
    for (uint32_t j = 0; j < o->jobs->n; j++)
        if (gy_state_ended(o->state[j]) && gy_outcome_counts(o, j))
            room->times[n++] = o->end_us[j] - o->eligible_us[j] - o->run_us[j];
    return gy_time_dist_of(room->times, room->spare, n);
}

static size_t collect_jct(const gy_outcome *o, uint8_t state, int64_t *times)
{
    size_t n = 0;
    for (uint32_t j = 0; j < o->jobs->n; j++)
        if (o->state[j] == state && gy_outcome_counts(o, j))
            times[n++] = o->end_us[j] - o->jobs->submit_us[j];
    return n;
}

/* Of every state; the finished jobs' are the run's. */
static void jct_figures(gy_summary *s, const gy_outcome *o, const struct room *room, gy_cdf *cdf)
{
    for (unsigned state = 0; state < GY_STATES; state++) {
        bool some = gy_state_ended((uint8_t)state) && s->by_state[state].submitted > 0;
        size_t n = some ? collect_jct(o, (uint8_t)state, room->times) : 0;
        s->by_state[state].wait = gy_time_dist_of(NULL, NULL, 0); /* not a figure by state */
        s->by_state[state].jct = gy_time_dist_of(room->times, room->spare, n);
        if (cdf && state == GY_STATE_FINISHED)
            *cdf = gy_cdf_of(room->times, n, n + gy_summary_unfinished(s));
    }
    s->jct = s->by_state[GY_STATE_FINISHED].jct;
}

static gy_real_dist slowdown_figure(const gy_summary *s, const gy_outcome *o, const struct room *room)
{
    size_t n = 0;
    for (uint32_t j = 0; j < o->jobs->n; j++) {
        if (o->state[j] != GY_STATE_FINISHED || !gy_outcome_counts(o, j))
            continue;
        int64_t jct = o->end_us[j] - o->jobs->submit_us[j];
        int64_t run = o->run_us[j] > s->tau_us ? o->run_us[j] : s->tau_us;
        room->ratios[n++] = jct > run ? (double)jct / (double)run : 1;
    }
    return gy_real_dist_of(room->ratios, room->spare, n);
}

static gy_real_dist ftf_figure(const gy_summary *s, const gy_outcome *o, const struct room *room)
{
    size_t n = 0;
    for (uint32_t j = 0; j < o->jobs->n; j++) {
        if (o->state[j] != GY_STATE_FINISHED || !gy_outcome_counts(o, j) ||
            gy_job_shape(o->jobs, j)->gpus_milli == 0)
            continue;
        double fair = fair_time_us(s, o, j);
        if (fair > 0)
            room->ratios[n++] = (double)(o->end_us[j] - o->jobs->submit_us[j]) / fair;
    }
    return gy_real_dist_of(room->ratios, room->spare, n);
}

static double ratio(gy_i128 part, gy_i128 whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void machine_figures(gy_summary *s, const gy_outcome *o)
{
    s->gpu = o->ledger;
    s->held = o->held;
    s->gpus = o->cluster->gpus;
    s->utilization_installed = ratio(o->held, o->ledger.installed);
    s->utilization_available = ratio(o->held, o->ledger.installed - o->ledger.down);
    s->utilization_max = ratio((gy_i128)o->busy_max_milli, (gy_i128)s->gpus * 1000);
    s->events = o->events;
    s->passes = o->passes;
    s->starts = o->starts;
    s->stops = o->stops;
    s->digest = o->digest;
}

void gy_summary_of(gy_summary *s, const gy_outcome *o, const gy_figure_options *opt, gy_cdf *wait,
                   gy_cdf *jct)
{
    GY_ASSERT(opt->tau_us > 0);
    memset(s, 0, sizeof *s);
    s->tau_us = opt->tau_us;
    s->window_start_us = o->window_start_us;
    s->window_end_us = o->window_end_us;
    machine_figures(s, o);
    share_figures(s, o);
    struct stretch stretch = {INT64_MAX, INT64_MIN};
    for (uint32_t j = 0; j < o->jobs->n; j++)
        if (gy_outcome_counts(o, j))
            count_job(s, o, j, &stretch);
    s->makespan_us = stretch.last_us == INT64_MIN ? GY_NEVER : stretch.last_us - stretch.first_us;
    struct room room = {.times = gy_alloc((size_t)o->jobs->n + 1, sizeof *room.times),
                        .spare = gy_alloc((size_t)o->jobs->n + 1, sizeof *room.spare)};
    s->wait = wait_figure(o, &room, wait, s->of);
    s->total_wait = total_wait_figure(o, &room);
    jct_figures(s, o, &room, jct);
    s->slowdown = slowdown_figure(s, o, &room);
    s->ftf = ftf_figure(s, o, &room);
    free(room.times);
    free(room.spare);
}
