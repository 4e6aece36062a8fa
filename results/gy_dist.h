/* gy_dist.h - distributions: exact sums, nearest-rank quantiles and thinned distribution functions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Structs of this folder that end up in a gy_run_digest consist of 8- and 16-byte members without padding, so
 * that they can be written and read back as words.
 */
#ifndef GY_DIST_H
#define GY_DIST_H

#include "gy_number.h"

/* Durations.  With n = 0 nothing is defined and the times are GY_NEVER. */
typedef struct gy_time_dist {
    gy_i128 sum_us;
    uint64_t n;
    int64_t p50_us, p90_us, p95_us, p99_us, max_us;
} gy_time_dist;

/* Ratios.  With n = 0 all are NaN. */
typedef struct gy_real_dist {
    uint64_t n;
    double mean, p50, p90, p95, p99, max;
} gy_real_dist;

/* Sorts ascending, by radix: linear.  `spare` is room for n more values. */
void gy_sort_u64(uint64_t *v, uint64_t *spare, size_t n);

/* Index, from 0, of the q-quantile of n sorted values by nearest rank: ceil(q n) - 1, q = percent / 100. */
size_t gy_nearest_rank(size_t n, unsigned percent);

/* Both sort the values in place; none may be negative.  `spare` as for gy_sort_u64(). */
gy_time_dist gy_time_dist_of(int64_t *values, uint64_t *spare, size_t n);
gy_real_dist gy_real_dist_of(double *values, uint64_t *spare, size_t n);

double gy_time_mean_s(const gy_time_dist *d); /* NaN when n is 0 */

/* sum / (n * unit); NaN when n is 0. */
double gy_mean_of(gy_i128 sum, uint64_t n, double unit);

/* A point of a distribution function: `count` values are at most x. */
typedef struct gy_cdf_point {
    int64_t x_us;
    uint64_t count;
} gy_cdf_point;

/* A step function through its points; between two of them it stays at the height of the left one.  It ends at
 * `n` of `of`, below 1 when some jobs have no value yet. */
typedef struct gy_cdf {
    gy_cdf_point *points; /* owned by whoever made it */
    uint64_t npoints;
    uint64_t n, of;
} gy_cdf;

enum { GY_CDF_STEPS = 1000 }; /* the thinned curve is never more than 1/1000 below the exact one */

/* From sorted values; `of` >= n.  At most 2 * GY_CDF_STEPS + 2 points (free them with free()). */
gy_cdf gy_cdf_of(const int64_t *sorted, size_t n, uint64_t of);

#endif
