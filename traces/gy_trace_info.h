/* gy_trace_info.h - facts of a trace: who submits what, when, and how much of a cluster it asks for.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_TRACE_INFO_H
#define GY_TRACE_INFO_H

#include "gy_jobs.h"
#include "gy_json.h"
#include "gy_tz.h"

/* Over n values; nearest rank, the ceil(q n)-th smallest.  All 0 when n is 0. */
typedef struct gy_spread {
    uint64_t n;
    gy_i128 sum_us;
    int64_t min_us, p25_us, p50_us, p75_us, p90_us, p95_us, p99_us, max_us;
} gy_spread;

/* GPU time is in thousandths of a GPU times microseconds. */
typedef struct gy_share {
    uint64_t jobs;
    gy_i128 gpu_time;
} gy_share;

typedef struct gy_size_row {
    uint32_t gpus_milli;
    gy_share share;
} gy_size_row;

typedef struct gy_trace_info {
    uint64_t jobs, gpu_jobs, cpu_jobs, share_jobs,
        mig_jobs;                            /* shares: of a single GPU; MIG: not in gpu_jobs */
    int64_t first_submit_us, last_submit_us; /* on the axis of the trace; 0 when there are no jobs */
    int64_t zero_epoch_us;                   /* GY_NEVER: not known */
    uint32_t users, groups, queues;          /* different ones that have a name */
    gy_i128 gpu_time;                        /* of all jobs, run to their ends */
    gy_spread duration, gpu_duration, wait; /* all jobs; those with GPUs; those that the log shows starting */
    gy_share states[GY_LOG_STATES];
    gy_size_row *sizes; /* by number of GPUs, ascending */
    size_t nsizes;
    uint64_t peak_gpus_milli; /* at one time, if every job ran when it is submitted */
    int64_t peak_at_us;
    uint64_t same_instant;           /* jobs that are submitted together with another one */
    uint64_t largest_batch;          /* most jobs at one instant */
    uint64_t with_limit, over_limit; /* and of those, how many run longer */
    uint64_t with_type, with_after, with_deadline, with_priority, with_model, with_placed, not_preemptible;
    bool has_calendar;               /* hours and weekdays are those of tz */
    const char *tz;                  /* borrowed from the zone */
    uint64_t hours[24], weekdays[7]; /* submissions; Monday first */
    uint64_t cluster_gpus;           /* 0: none given */
} gy_trace_info;

/* tz: for hours and weekdays, when the trace has a date; NULL: none.  It is borrowed.  cluster_gpus: for the
 * offered load; 0: none.  O(n log n). */
void gy_trace_info_init(gy_trace_info *x, const gy_jobs *t, const gy_tz *tz, uint64_t cluster_gpus);
void gy_trace_info_fini(gy_trace_info *x);

/* GPU time over what the cluster could give between the first and the last submission; NaN without either. */
double gy_trace_info_load(const gy_trace_info *x);

void gy_trace_info_text(const gy_trace_info *x, gy_str *out);
/* Members of the JSON object that the caller has open; always the same keys. */
void gy_trace_info_json(const gy_trace_info *x, gy_json_out *w);

#endif
