/* gy_timeline.h - what the cluster did over time: timeline.csv, and a bounded copy for plots.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_TIMELINE_H
#define GY_TIMELINE_H

#include "gy_output.h"

enum gy_series_id { GY_SERIES_BUSY, GY_SERIES_DOWN, GY_SERIES_JOBS, GY_SERIES_QUEUED, GY_SERIES };

enum {
    GY_TIMELINE_STEPS = 1024,  /* so many steps are kept as they are */
    GY_TIMELINE_BUCKETS = 4096 /* afterwards only sums over buckets are */
};

/* A value that holds from t on: GPUs in thousandths, jobs as they are. */
typedef struct gy_step {
    int64_t t_us;
    uint64_t v[GY_SERIES];
} gy_step;

/* Exact integral (value x us) and largest value over a stretch of time. */
typedef struct gy_bucket {
    gy_i128 integral[GY_SERIES];
    uint64_t max[GY_SERIES];
} gy_bucket;

/* The course of a run from start to end: its steps if these are few, else buckets of equal width (the last
 * one ends with the run).  Exactly one of nsteps and nbuckets is not 0, unless nothing happened. */
typedef struct gy_series {
    int64_t start_us, end_us, width_us;
    uint64_t nsteps, nbuckets;
    gy_step *steps;
    gy_bucket *buckets;
} gy_series;

void gy_series_fini(gy_series *s);

/* Sums over the part of [from, to) that lies inside the run; *b is exact for steps and, for buckets, when
 * from and to are edges of buckets. */
void gy_series_sum(const gy_series *s, int64_t from_us, int64_t to_us, gy_bucket *b);

typedef struct gy_timeline gy_timeline;

/* Rows go to `out` (borrowed until gy_timeline_close(); NULL: no rows). */
gy_timeline *gy_timeline_open(gy_out *out);

/* The state after an instant; t never goes back.  A row is written when something has changed.  Constant
 * time on average, no allocation. */
void gy_timeline_add(gy_timeline *t, int64_t t_us, uint64_t busy_milli, uint64_t down_milli,
                     uint64_t queued_jobs, uint64_t queued_milli);

/* The last state holds until end_us.  Frees t; *s (may be NULL) becomes the bounded copy, owned by the
 * caller: gy_series_fini().  `out` stays open. */
void gy_timeline_close(gy_timeline *t, int64_t end_us, gy_series *s);

#endif
