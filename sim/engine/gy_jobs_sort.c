/* gy_jobs_sort.c - the job table in the order of (first submission, tie, id).
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Logs are sorted, or nearly: a job stands a few rows from its place.  So this is a merge sort that leaves
 * alone what is in order and moves only what overlaps; such a log costs little more than reading it once.
 */
#include <stdlib.h>
#include <string.h>

#include "gy_jobs_internal.h"
#include "gy_random.h"

enum { INSERTION_MAX = 24 };

struct rank {
    int64_t submit_us;
    gy_job_id id;
    uint32_t job;
};

struct sorter {
    const gy_jobs *t;
    const uint64_t *tie; /* of each job: random when ties are to be permuted; NULL */
    struct rank *r, *spare;
};

static int compare(const struct sorter *x, const struct rank *a, const struct rank *b)
{
    if (a->submit_us != b->submit_us)
        return a->submit_us < b->submit_us ? -1 : 1;
    if (x->tie && x->tie[a->job] != x->tie[b->job])
        return x->tie[a->job] < x->tie[b->job] ? -1 : 1;
    int c = gy_job_id_compare(x->t, a->id, b->id);
    return c ? c : (a->job > b->job) - (a->job < b->job);
}

static void insertion_sort(const struct sorter *x, size_t lo, size_t hi)
{
    struct rank *r = x->r;
    for (size_t i = lo + 1; i < hi; i++) {
        struct rank v = r[i];
        size_t k = i;
        for (; k > lo && compare(x, &r[k - 1], &v) > 0; k--)
            r[k] = r[k - 1];
        r[k] = v;
    }
}

/* How many of r[lo .. hi), which are in order, come before v. */
static size_t before(const struct sorter *x, size_t lo, size_t hi, const struct rank *v)
{
    size_t first = lo;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (compare(x, &x->r[mid], v) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - first;
}

/* r[lo .. mid) and r[mid .. hi) are in order, but the first of the right comes before the last of the left.
 */
static void merge(const struct sorter *x, size_t lo, size_t mid, size_t hi)
{
    struct rank *r = x->r, *left = x->spare;
    lo += before(x, lo, mid, &r[mid]);
    hi = mid + before(x, mid, hi, &r[mid - 1]);
    size_t n = mid - lo;
    memcpy(left, r + lo, n * sizeof *r);
    for (size_t i = 0, out = lo; i < n; out++)
        r[out] = mid < hi && compare(x, &r[mid], &left[i]) < 0 ? r[mid++] : left[i++];
}

static void merge_sort(const struct sorter *x, size_t lo, size_t hi)
{
    if (hi - lo <= INSERTION_MAX) {
        insertion_sort(x, lo, hi);
        return;
    }
    size_t mid = lo + (hi - lo) / 2;
    merge_sort(x, lo, mid); /* as deep as the logarithm of the number of jobs */
    merge_sort(x, mid, hi);
    if (compare(x, &x->r[mid - 1], &x->r[mid]) > 0)
        merge(x, lo, mid, hi);
}

static bool is_sorted(const gy_jobs *t)
{
    for (uint32_t j = 1; j < t->n; j++) {
        if (t->submit_us[j - 1] > t->submit_us[j])
            return false;
        if (t->submit_us[j - 1] == t->submit_us[j] && gy_job_id_compare(t, t->id[j - 1], t->id[j]) > 0)
            return false;
    }
    return true;
}

static void *make_array(size_t n, size_t size)
{
    size_t had = 0;
    return gy_reserve(NULL, &had, n, size);
}

/* column[k] becomes what was column[from[k]]. */
static void permute(void **column, size_t size, const struct rank *from, uint32_t n, size_t cap)
{
    char *old = *column, *new = make_array(cap, size);
    if (size == 8)
        for (uint32_t k = 0; k < n; k++)
            memcpy(new + 8 * (size_t)k, old + 8 * (size_t)from[k].job, 8);
    else if (size == 4)
        for (uint32_t k = 0; k < n; k++)
            memcpy(new + 4 * (size_t)k, old + 4 * (size_t)from[k].job, 4);
    else
        for (uint32_t k = 0; k < n; k++)
            memcpy(new + (size_t)k *size, old + (size_t)from[k].job * size, size);
    free(old);
    *column = new;
}

void gy_jobs_sort(gy_jobs *t, uint64_t tie_seed)
{
    if (t->n < 2 || (!tie_seed && is_sorted(t)))
        return;
    uint64_t *tie = tie_seed ? make_array(t->n, sizeof *tie) : NULL;
    struct sorter x = {t, tie, make_array(t->n, sizeof *x.r), make_array(t->n / 2 + 1, sizeof *x.spare)};
    for (uint32_t j = 0; j < t->n; j++) {
        x.r[j] = (struct rank){t->submit_us[j], t->id[j], j};
        if (tie) {
            gy_stream s = gy_stream_of(tie_seed, GY_RANDOM_TIE, j);
            tie[j] = gy_stream_u64(&s);
        }
    }
    merge_sort(&x, 0, t->n);
    struct gy_column c[GY_COLUMNS_MAX];
    size_t n = gy_jobs_columns(t, c);
    for (size_t i = 0; i < n; i++)
        if (*c[i].data)
            permute(c[i].data, c[i].size, x.r, t->n, t->n);
    t->cap = t->n;
    free(x.r);
    free(x.spare);
    free(tie);
}
