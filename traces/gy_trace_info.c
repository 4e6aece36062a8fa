/* gy_trace_info.c - see gy_trace_info.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_trace_info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_S = 86400 };

static int compare_times(const void *pa, const void *pb)
{
    int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
    return (a > b) - (a < b);
}

/* The ceil(q n)-th smallest of n > 0 sorted values, q in thousandths. */
static int64_t rank_of(const int64_t *v, uint64_t n, uint64_t q)
{
    return v[(q * n + 999) / 1000 - 1];
}

/* Sorts v. */
static gy_spread spread_of(int64_t *v, uint64_t n)
{
    gy_spread s = {.n = n};
    if (n == 0)
        return s;
    qsort(v, n, sizeof *v, compare_times);
    for (uint64_t i = 0; i < n; i++)
        s.sum_us += v[i];
    s.min_us = v[0];
    s.p25_us = rank_of(v, n, 250);
    s.p50_us = rank_of(v, n, 500);
    s.p75_us = rank_of(v, n, 750);
    s.p90_us = rank_of(v, n, 900);
    s.p95_us = rank_of(v, n, 950);
    s.p99_us = rank_of(v, n, 990);
    s.max_us = v[n - 1];
    return s;
}

static bool has_gpus(const gy_shape *s)
{
    return s->gpus_milli > 0 && s->mig == GY_NAME_NONE;
}

static void find_spreads(gy_trace_info *x, const gy_jobs *t)
{
    int64_t *v = gy_resize(NULL, t->n, sizeof *v);
    uint64_t n = 0;
    for (uint32_t j = 0; j < t->n; j++)
        v[n++] = t->duration_us[j];
    x->duration = spread_of(v, n);
    n = 0;
    for (uint32_t j = 0; j < t->n; j++)
        if (has_gpus(gy_job_shape(t, j)))
            v[n++] = t->duration_us[j];
    x->gpu_duration = spread_of(v, n);
    n = 0;
    for (uint32_t j = 0; j < t->n; j++) {
        int64_t start = gy_job_log_start(t, j), from = t->submit_us[j];
        if (t->eligible_us && t->eligible_us[j] > from)
            from = t->eligible_us[j];
        if (start != GY_NEVER)
            v[n++] = start > from ? start - from : 0;
    }
    x->wait = spread_of(v, n);
    free(v);
}

static void add_share(gy_share *s, gy_i128 gpu_time)
{
    s->jobs++;
    s->gpu_time += gpu_time;
}

static int compare_sizes(const void *pa, const void *pb)
{
    const gy_size_row *a = pa, *b = pb;
    return (a->gpus_milli > b->gpus_milli) - (a->gpus_milli < b->gpus_milli);
}

/* From the shapes, of which there are few, to sizes. */
static void find_sizes(gy_trace_info *x, const gy_jobs *t)
{
    gy_share *of_shape = gy_alloc(t->nshapes, sizeof *of_shape);
    for (uint32_t j = 0; j < t->n; j++)
        add_share(&of_shape[t->shape[j]], (gy_i128)t->duration_us[j] * gy_job_shape(t, j)->gpus_milli);
    x->sizes = gy_alloc(t->nshapes, sizeof *x->sizes);
    size_t n = 0;
    for (uint32_t i = 0; i < t->nshapes; i++)
        if (of_shape[i].jobs && t->shapes[i].mig == GY_NAME_NONE)
            x->sizes[n++] = (gy_size_row){t->shapes[i].gpus_milli, of_shape[i]};
    free(of_shape);
    if (n > 1)
        qsort(x->sizes, n, sizeof *x->sizes, compare_sizes);
    for (size_t i = 0; i < n; i++) {
        gy_size_row *last = x->nsizes ? &x->sizes[x->nsizes - 1] : NULL;
        if (last && last->gpus_milli == x->sizes[i].gpus_milli) {
            last->share.jobs += x->sizes[i].share.jobs;
            last->share.gpu_time += x->sizes[i].share.gpu_time;
        } else {
            x->sizes[x->nsizes++] = x->sizes[i];
        }
    }
}

struct end {
    int64_t at_us;
    uint32_t gpus_milli;
};

static int compare_ends(const void *pa, const void *pb)
{
    const struct end *a = pa, *b = pb;
    return (a->at_us > b->at_us) - (a->at_us < b->at_us);
}

/* Every job runs from its submission on; ends come before submissions. */
static void find_peak(gy_trace_info *x, const gy_jobs *t)
{
    struct end *ends = gy_resize(NULL, t->n, sizeof *ends);
    uint32_t n = 0, ended = 0;
    for (uint32_t j = 0; j < t->n; j++)
        if (has_gpus(gy_job_shape(t, j)) && t->duration_us[j] > 0)
            ends[n++] = (struct end){t->submit_us[j] + t->duration_us[j], gy_job_shape(t, j)->gpus_milli};
    if (n > 1)
        qsort(ends, n, sizeof *ends, compare_ends);
    uint64_t busy = 0;
    for (uint32_t j = 0; j < t->n; j++) {
        if (!has_gpus(gy_job_shape(t, j)) || t->duration_us[j] == 0)
            continue;
        for (; ended < n && ends[ended].at_us <= t->submit_us[j]; ended++)
            busy -= ends[ended].gpus_milli;
        busy += gy_job_shape(t, j)->gpus_milli;
        if (busy > x->peak_gpus_milli) {
            x->peak_gpus_milli = busy;
            x->peak_at_us = t->submit_us[j];
        }
    }
    free(ends);
}

/* The table is sorted by submission. */
static void find_batches(gy_trace_info *x, const gy_jobs *t)
{
    for (uint32_t j = 0, next; j < t->n; j = next) {
        next = j + 1;
        while (next < t->n && t->submit_us[next] == t->submit_us[j])
            next++;
        uint64_t n = next - j;
        x->same_instant += n > 1 ? n : 0;
        x->largest_batch = n > x->largest_batch ? n : x->largest_batch;
    }
}

static void find_calendar(gy_trace_info *x, const gy_jobs *t, const gy_tz *tz)
{
    x->has_calendar = tz && t->zero_epoch_us != GY_NEVER;
    x->tz = x->has_calendar ? gy_tz_name(tz) : NULL;
    int64_t from = 0, to = 0;
    int32_t offset = 0;
    for (uint32_t j = 0; x->has_calendar && j < t->n; j++) {
        int64_t us = t->submit_us[j] + t->zero_epoch_us;
        int64_t s = us / GY_US_PER_S - (us % GY_US_PER_S < 0);
        if (s < from || s >= to)
            offset = gy_tz_span(tz, s, &from, &to);
        s += offset;
        int64_t day = s / DAY_S - (s % DAY_S < 0);
        x->hours[(s - day * DAY_S) / 3600]++;
        x->weekdays[((day + 3) % 7 + 7) % 7]++; /* 1970-01-01 was a Thursday */
    }
}

/* Names in use: rows that were dropped may have left some behind. */
static uint32_t count_names(const gy_names *names, const uint32_t *column, uint32_t n)
{
    uint8_t *seen = gy_alloc(names->n, 1);
    uint32_t found = 0;
    for (uint32_t j = 0; j < n; j++) {
        found += !seen[column[j]] && gy_names_len(names, column[j]) > 0;
        seen[column[j]] = 1;
    }
    free(seen);
    return found;
}

static void count_job(gy_trace_info *x, const gy_jobs *t, uint32_t j)
{
    const gy_shape *s = gy_job_shape(t, j);
    gy_i128 gpu_time = s->mig == GY_NAME_NONE ? (gy_i128)t->duration_us[j] * s->gpus_milli : 0;
    x->gpu_time += gpu_time;
    add_share(&x->states[t->log_state[j]], gpu_time);
    x->mig_jobs += s->mig != GY_NAME_NONE;
    x->gpu_jobs += has_gpus(s);
    x->cpu_jobs += s->gpus_milli == 0;
    x->share_jobs += has_gpus(s) && s->gpus_milli < 1000;
    x->with_limit += gy_job_limit(t, j) != GY_NEVER;
    x->over_limit += gy_job_limit(t, j) < t->duration_us[j];
    x->with_type += s->types != GY_NAME_NONE;
    x->with_model += s->model != GY_NAME_NONE;
    x->with_after += t->after && t->after_list[t->after[j]] > 0;
    x->with_deadline += gy_job_deadline(t, j) != GY_NEVER;
    x->with_priority += gy_job_priority(t, j) != 0;
    x->with_placed += t->log_placed && t->log_placed[j] != GY_NAME_NONE;
    x->not_preemptible += (t->flags[j] & GY_JOB_NOT_PREEMPTIBLE) != 0;
}

void gy_trace_info_init(gy_trace_info *x, const gy_jobs *t, const gy_tz *tz, uint64_t cluster_gpus)
{
    GY_ASSERT(t->finished);
    *x = (gy_trace_info){.jobs = t->n, .zero_epoch_us = t->zero_epoch_us, .cluster_gpus = cluster_gpus};
    if (t->n) {
        x->first_submit_us = t->submit_us[0];
        x->last_submit_us = t->submit_us[t->n - 1];
    }
    for (uint32_t j = 0; j < t->n; j++)
        count_job(x, t, j);
    x->users = count_names(&t->users, t->user, t->n);
    x->groups = count_names(&t->groups, t->group, t->n);
    x->queues = count_names(&t->queues, t->queue, t->n);
    find_spreads(x, t);
    find_sizes(x, t);
    find_peak(x, t);
    find_batches(x, t);
    find_calendar(x, t, tz);
}

void gy_trace_info_fini(gy_trace_info *x)
{
    free(x->sizes);
    *x = (gy_trace_info){0};
}

double gy_trace_info_load(const gy_trace_info *x)
{
    double span_us = (double)(x->last_submit_us - x->first_submit_us);
    if (x->cluster_gpus == 0 || span_us <= 0)
        return NAN;
    return (double)x->gpu_time / 1000.0 / ((double)x->cluster_gpus * span_us);
}
