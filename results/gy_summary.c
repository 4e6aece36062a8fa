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

/* Columns of figures while they are collected, one element for each job at most. */
struct columns {
    int64_t *wait, *total_wait, *jct;
    double *slowdown, *ftf;
    size_t nwait, ntotal_wait, njct, nftf;
};

static struct columns columns_make(size_t n)
{
    return (struct columns){.wait = gy_resize(NULL, n + 1, sizeof(int64_t)),
                            .total_wait = gy_resize(NULL, n + 1, sizeof(int64_t)),
                            .jct = gy_resize(NULL, n + 1, sizeof(int64_t)),
                            .slowdown = gy_resize(NULL, n + 1, sizeof(double)),
                            .ftf = gy_resize(NULL, n + 1, sizeof(double))};
}

static void columns_free(struct columns *c)
{
    free(c->wait);
    free(c->total_wait);
    free(c->jct);
    free(c->slowdown);
    free(c->ftf);
}

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

static void finished_figures(const gy_summary *s, const gy_outcome *o, uint32_t j, struct columns *c)
{
    int64_t jct = o->end_us[j] - o->jobs->submit_us[j];
    int64_t run = o->run_us[j] > s->tau_us ? o->run_us[j] : s->tau_us;
    c->slowdown[c->njct] = jct > run ? (double)jct / (double)run : 1;
    c->jct[c->njct++] = jct;
    double fair = fair_time_us(s, o, j);
    if (gy_job_shape(o->jobs, j)->gpus_milli > 0 && fair > 0)
        c->ftf[c->nftf++] = (double)jct / fair;
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

static void job_figures(gy_summary *s, const gy_outcome *o, uint32_t j, struct columns *c,
                        struct stretch *stretch)
{
    uint8_t state = o->state[j];
    int64_t submit = o->jobs->submit_us[j];
    s->submitted++;
    deadline_figures(s, o, j);
    if (state == GY_STATE_INFEASIBLE)
        return;
    s->of++;
    s->preemptions += o->preemptions ? o->preemptions[j] : 0;
    s->restarts += o->restarts ? o->restarts[j] : 0;
    stretch->first_us = submit < stretch->first_us ? submit : stretch->first_us;
    if (o->start_us[j] != GY_NEVER)
        c->wait[c->nwait++] = o->start_us[j] - o->eligible_us[j];
    if (!gy_state_ended(state)) {
        s->lower_bound_us += s->window_end_us - submit;
        return;
    }
    s->lower_bound_us += o->end_us[j] - submit;
    stretch->last_us = o->end_us[j] > stretch->last_us ? o->end_us[j] : stretch->last_us;
    c->total_wait[c->ntotal_wait++] = o->end_us[j] - o->eligible_us[j] - o->run_us[j];
    if (state == GY_STATE_FINISHED)
        finished_figures(s, o, j, c);
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

static void state_figures(gy_summary *s, const gy_outcome *o)
{
    gy_groups g = gy_groups_by(o, GY_GROUP_STATE);
    memcpy(s->by_state, g.rows, sizeof s->by_state);
    free(g.rows);
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
    state_figures(s, o);
    struct columns c = columns_make(o->jobs->n);
    struct stretch stretch = {INT64_MAX, INT64_MIN};
    for (uint32_t j = 0; j < o->jobs->n; j++)
        if (gy_outcome_counts(o, j))
            job_figures(s, o, j, &c, &stretch);
    s->makespan_us = stretch.last_us == INT64_MIN ? GY_NEVER : stretch.last_us - stretch.first_us;
    s->slowdown = gy_real_dist_of(c.slowdown, c.njct);
    s->ftf = gy_real_dist_of(c.ftf, c.nftf);
    s->wait = gy_time_dist_of(c.wait, c.nwait);
    s->total_wait = gy_time_dist_of(c.total_wait, c.ntotal_wait);
    s->jct = gy_time_dist_of(c.jct, c.njct);
    if (wait)
        *wait = gy_cdf_of(c.wait, c.nwait, s->of);
    if (jct)
        *jct = gy_cdf_of(c.jct, c.njct, c.njct + gy_summary_unfinished(s));
    columns_free(&c);
}
