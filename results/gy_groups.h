/* gy_groups.h - figures of the jobs of each user, queue, state or size.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Only jobs that count (submitted inside the window) are looked at; the one exception is `held`.
 */
#ifndef GY_GROUPS_H
#define GY_GROUPS_H

#include "gy_dist.h"
#include "gy_outcome.h"

typedef struct gy_group_row {
    gy_time_dist wait; /* first start - eligible, over started jobs */
    gy_time_dist jct;  /* end - submission, over finished jobs (by state: over jobs that ended so) */
    gy_i128 job_gpu;   /* GPU time the jobs held over their whole lives, milli-GPU x us */
    gy_i128 held;      /* GPU time held inside the window; users and queues only, else 0 */
    uint64_t submitted;
    uint64_t jobs[GY_STATES];
    uint64_t padding;
} gy_group_row;

typedef struct gy_groups {
    gy_group_row *rows; /* owned by the caller, free() */
    uint32_t n;
} gy_groups;

/* What jobs are grouped by. */
typedef enum gy_group_kind {
    GY_GROUP_USER,
    GY_GROUP_QUEUE,
    GY_GROUP_STATE,
    GY_GROUP_SIZE,
    GY_GROUP_KINDS
} gy_group_kind;

/* Classes of GPU_SIZE: jobs without GPUs, shares of one, 1, 2-4, ... */
enum { GY_SIZE_CLASSES = 9 };
extern const char *const gy_size_names[GY_SIZE_CLASSES];
uint32_t gy_size_class(uint32_t gpus_milli);

/* One row for each user, queue of the trace, state or size class, in the order of their numbers.  Linear in
 * the number of jobs. */
gy_groups gy_groups_by(const gy_outcome *o, gy_group_kind kind);

/* GPU time a job held: run time x GPUs. */
static inline gy_i128 gy_job_gpu_time(const gy_outcome *o, uint32_t job)
{
    return (gy_i128)o->run_us[job] * gy_job_shape(o->jobs, job)->gpus_milli;
}

/* Did it run to some end? */
static inline bool gy_state_ended(uint8_t state)
{
    return state >= GY_STATE_FINISHED && state <= GY_STATE_TIMEOUT;
}

#endif
