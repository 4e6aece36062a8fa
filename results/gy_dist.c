/* gy_dist.c - see gy_dist.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_dist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS, FEW = 64 };

static void sort_few(uint64_t *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t x = v[i];
        size_t k = i;
        for (; k > 0 && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
}

static size_t digit_of(uint64_t x, int digit)
{
    return (size_t)(x >> (digit * DIGIT_BITS)) & (BUCKETS - 1);
}

/* One pass: v, ordered by the lower digits, goes to `to` ordered by this one too. */
static void scatter(const uint64_t *v, uint64_t *to, size_t n, int digit, size_t *starts)
{
    size_t sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        size_t count = starts[b];
        starts[b] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[digit_of(v[i], digit)]++] = v[i];
}

void gy_sort_u64(uint64_t *v, uint64_t *spare, size_t n)
{
    if (n <= FEW) {
        sort_few(v, n);
        return;
    }
    size_t *counts = gy_alloc(DIGITS * BUCKETS, sizeof *counts);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            counts[d * BUCKETS + (int)digit_of(v[i], d)]++;
    uint64_t *from = v, *to = spare;
    for (int d = 0; d < DIGITS; d++) {
        size_t *starts = counts + (size_t)d * BUCKETS;
        if (starts[digit_of(v[0], d)] == n) /* all alike: most values use the low digits only */
            continue;
        scatter(from, to, n, d, starts);
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
    free(counts);
}

size_t gy_nearest_rank(size_t n, unsigned percent)
{
    size_t rank = (size_t)(((gy_u128)n * percent + 99) / 100);
    return rank > 0 ? rank - 1 : 0;
}

gy_time_dist gy_time_dist_of(int64_t *values, uint64_t *spare, size_t n)
{
    gy_time_dist d = {.n = n,
                      .p50_us = GY_NEVER,
                      .p90_us = GY_NEVER,
                      .p95_us = GY_NEVER,
                      .p99_us = GY_NEVER,
                      .max_us = GY_NEVER};
    if (n == 0)
        return d;
    for (size_t i = 0; i < n; i++) {
        GY_ASSERT(values[i] >= 0);
        d.sum_us += values[i];
    }
    gy_sort_u64((uint64_t *)values, spare, n);
    d.p50_us = values[gy_nearest_rank(n, 50)];
    d.p90_us = values[gy_nearest_rank(n, 90)];
    d.p95_us = values[gy_nearest_rank(n, 95)];
    d.p99_us = values[gy_nearest_rank(n, 99)];
    d.max_us = values[n - 1];
    return d;
}

/* Neumaier's sum: the order of the jobs is fixed, but ten million ratios should not cost digits either. */
static double sum_of(const double *v, size_t n)
{
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double next = sum + v[i];
        rest += fabs(sum) >= fabs(v[i]) ? (sum - next) + v[i] : (v[i] - next) + sum;
        sum = next;
    }
    return sum + rest;
}

gy_real_dist gy_real_dist_of(double *values, uint64_t *spare, size_t n)
{
    gy_real_dist d = {.n = n, .mean = NAN, .p50 = NAN, .p90 = NAN, .p95 = NAN, .p99 = NAN, .max = NAN};
    if (n == 0)
        return d;
    for (size_t i = 0; i < n; i++)
        GY_ASSERT(values[i] >= 0);
    d.mean = sum_of(values, n) / (double)n;
    gy_sort_u64((uint64_t *)values, spare, n); /* doubles that are not negative are ordered like their bits */
    d.p50 = values[gy_nearest_rank(n, 50)];
    d.p90 = values[gy_nearest_rank(n, 90)];
    d.p95 = values[gy_nearest_rank(n, 95)];
    d.p99 = values[gy_nearest_rank(n, 99)];
    d.max = values[n - 1];
    return d;
}

double gy_mean_of(gy_i128 sum, uint64_t n, double unit)
{
    return n ? (double)sum / ((double)n * unit) : NAN;
}

double gy_time_mean_s(const gy_time_dist *d)
{
    return gy_mean_of(d->sum_us, d->n, GY_US_PER_S);
}

/* A point is left out when the next one is still within 1 / GY_CDF_STEPS of the last one kept. */
gy_cdf gy_cdf_of(const int64_t *sorted, size_t n, uint64_t of)
{
    gy_cdf c = {.n = n, .of = of};
    GY_ASSERT(of >= n);
    size_t most = n < 2 * GY_CDF_STEPS + 2 ? n : 2 * GY_CDF_STEPS + 2;
    c.points = most ? gy_alloc(most, sizeof *c.points) : NULL;
    uint64_t kept = 0; /* height of the last point kept */
    for (size_t i = 0; i < n;) {
        size_t end = i;
        while (end < n && sorted[end] == sorted[i])
            end++;
        size_t next = end;
        while (next < n && sorted[next] == sorted[end])
            next++;
        bool first_or_last = i == 0 || end == n;
        if (first_or_last || (gy_u128)(next - kept) * GY_CDF_STEPS > of) {
            GY_ASSERT(c.npoints < most);
            c.points[c.npoints++] = (gy_cdf_point){sorted[i], end};
            kept = end;
        }
        i = end;
    }
    return c;
}
