/* gy_summary.h - the figures of one run; docs/metrics.md gives each with its formula.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_SUMMARY_H
#define GY_SUMMARY_H

#include "gy_groups.h"
#include "gy_json.h"

typedef struct gy_figure_options {
    int64_t tau_us; /* of the bounded slowdown; > 0 */
} gy_figure_options;

#define GY_TAU_DEFAULT_US ((int64_t)10 * GY_US_PER_S)

/* Figures over the jobs submitted inside the window, GPU time inside the window.  Doubles that are not
 * defined are NaN, times GY_NEVER.  Plain words without padding, see gy_dist.h. */
typedef struct gy_summary {
    gy_ledger gpu;
    gy_i128 held;
    gy_i128 lower_bound_us; /* sum of jct, unfinished jobs up to the window's end */
    gy_time_dist wait, total_wait, jct;
    gy_group_row by_state[GY_STATES];
    gy_real_dist slowdown, ftf;
    uint64_t submitted, of; /* of: all but infeasible */
    uint64_t preemptions, restarts;
    uint64_t deadlines_met, deadlines_missed;
    uint64_t users; /* that have jobs which count */
    uint64_t gpus;  /* installed */
    uint64_t events, passes, starts, stops, digest;
    int64_t tau_us, window_start_us, window_end_us, makespan_us;
    double utilization_installed, utilization_available, utilization_max;
    double jain, max_min_ratio;
} gy_summary;

/* Computes all of it; linear in the number of jobs.  wait and jct, if not NULL, become the distribution
 * functions for the plots (owned by the caller). */
void gy_summary_of(gy_summary *s, const gy_outcome *o, const gy_figure_options *opt, gy_cdf *wait,
                   gy_cdf *jct);

/* summary.json: always the same keys, null where nothing is defined. */
void gy_summary_write(const gy_summary *s, gy_out *out);

void gy_summary_put(gy_json_out *w, const char *key, const gy_summary *s); /* as a member */

/* Running and queued. */
static inline uint64_t gy_summary_unfinished(const gy_summary *s)
{
    return s->by_state[GY_STATE_RUNNING].submitted + s->by_state[GY_STATE_QUEUED].submitted;
}

#endif
