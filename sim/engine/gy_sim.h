/* gy_sim.h - one run of a trace on a cluster: the clock, the jobs, the nodes and the books.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The engine knows no policy: at each instant it asks its hooks for one scheduling pass.  It has no globals,
 * so any number of runs may go on in different threads.
 */
#ifndef GY_SIM_H
#define GY_SIM_H

#include "gy_events.h"
#include "gy_outcome.h"

enum gy_preempt_mode { GY_PREEMPT_CHECKPOINT, GY_PREEMPT_KILL };
enum gy_on_failure { GY_FAILURE_REQUEUE, GY_FAILURE_FAIL, GY_FAILURE_WAIT };

#define GY_WINDOW_DEFAULT INT64_MIN /* window_start_us: the first submission */

typedef struct gy_options {
    int64_t horizon_us;      /* [.., horizon) is simulated; GY_NEVER: to the end */
    int64_t window_start_us; /* GY_WINDOW_DEFAULT */
    int64_t window_end_us;   /* GY_NEVER: the last end, or the horizon */
    bool cold;               /* leave out what the log shows as running or queued at the window's start */
    int64_t start_cost_us, restore_cost_us, checkpoint_cost_us;
    enum gy_preempt_mode preempt_mode;
    enum gy_on_failure on_failure;
    uint64_t seed;         /* of the policy's random streams and of noisy estimates */
    uint64_t stall_passes; /* GY_ESTALL when kept work has not grown for that many passes */
    bool check;            /* verify everything after each instant: slow */
} gy_options;

void gy_options_init(gy_options *o); /* the defaults */

/* What the run turned up besides its figures, for warnings. */
typedef struct gy_sim_notes {
    uint32_t warm_running, warm_queued; /* loaded at the window's start */
    uint32_t warm_misplaced;            /* of those: could not run where the log says */
    uint32_t cold_left_out;
    uint32_t stuck;      /* jobs that wait though no event is left */
    uint32_t with_model; /* jobs whose communication profile has no effect */
} gy_sim_notes;

/* Called after each instant in which anything happened, and at the window's start if nothing happens up to
 * there: the state from t_us on. */
typedef void gy_instant_fn(void *ctx, int64_t t_us, uint64_t busy_milli, uint64_t down_milli, uint32_t queued,
                           uint64_t queued_milli);

#endif
