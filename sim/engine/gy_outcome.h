/* gy_outcome.h - what a run leaves behind: a record for each job and the books of the GPUs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_OUTCOME_H
#define GY_OUTCOME_H

#include "gy_cluster.h"
#include "gy_jobs.h"

enum gy_state {                /* what became of a job */
                GY_STATE_NONE, /* never submitted: it lies behind the horizon, or before the window */
                GY_STATE_FINISHED,
                GY_STATE_FAILED,
                GY_STATE_KILLED,
                GY_STATE_TIMEOUT,
                GY_STATE_INFEASIBLE,
                GY_STATE_RUNNING,
                GY_STATE_QUEUED, /* also when it waits for other jobs */
                GY_STATES
};
extern const char *const gy_state_names[GY_STATES]; /* "" for GY_STATE_NONE */

/* A stretch of GPUs of one node: first .. first + count - 1. */
typedef struct gy_span {
    uint32_t node;
    uint16_t first, count;
} gy_span;

/* GPU time, in thousandths of a GPU times microseconds, inside the window.  The parts add up to `installed`.
 */
typedef struct gy_ledger {
    gy_i128 installed;
    gy_i128 useful;          /* work that was kept, whatever the job's end */
    gy_i128 overhead;        /* start, restore and checkpoint pauses; GPUs that wait for a lost one */
    gy_i128 lost_preemption; /* work done again after a preemption */
    gy_i128 lost_failure;    /* work done again, or never, after a failure */
    gy_i128 idle;
    gy_i128 down; /* down, or drained and empty */
} gy_ledger;

/* Everything is owned by the run and valid until it is destroyed.  Arrays have jobs->n elements. */
typedef struct gy_outcome {
    const gy_jobs *jobs;
    const gy_cluster *cluster;

    const uint8_t *state;    /* enum gy_state */
    const int64_t *start_us; /* first start; GY_NEVER */
    const int64_t *end_us;   /* GY_NEVER */
    const int64_t
        *eligible_us; /* submission, eligible_s and predecessors' ends; GY_NEVER while it waits for them */
    const int64_t *run_us;       /* GPUs were held, over all runs */
    const uint32_t *preemptions; /* NULL: all 0 */
    const uint32_t *restarts;    /* starts after the first; NULL: all 0 */
    const int64_t *lost_us;      /* work lost; NULL: all 0 */

    int64_t window_start_us, window_end_us; /* GPU time inside counts */
    int64_t count_until_us; /* jobs submitted in [window start, this) count; GY_NEVER when no end was given */
    int64_t first_start_us, last_end_us; /* GY_NEVER when nothing started or ended */
    gy_ledger ledger;
    gy_i128 held;              /* GPU time held inside the window, whatever for */
    uint64_t busy_max_milli;   /* most GPUs held at an instant of the window */
    const gy_i128 *user_held;  /* by user: GPU time held inside the window */
    const gy_i128 *queue_held; /* by queue of the trace */
    uint64_t events, passes, starts, stops;
    uint64_t digest;                /* over every start, stop and end */
    const struct gy_placed *placed; /* see gy_outcome_placed() */
} gy_outcome;

/* The last placement of a job: calls put(ctx, span) for each stretch in the order of nodes, and returns how
 * many there were.  A share of a GPU is a stretch of one. */
uint32_t gy_outcome_placed(const gy_outcome *o, uint32_t job, void (*put)(void *ctx, gy_span s), void *ctx);

/* Does the job count in the figures (submitted inside the window)? */
static inline bool gy_outcome_counts(const gy_outcome *o, uint32_t job)
{
    int64_t t = o->jobs->submit_us[job];
    return o->state[job] != GY_STATE_NONE && t >= o->window_start_us && t < o->count_until_us;
}

#endif
