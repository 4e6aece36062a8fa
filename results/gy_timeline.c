/* gy_timeline.c - see gy_timeline.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How long a run will be is not known while it goes on, so the width of the buckets begins at a microsecond
 * and doubles, pairs being joined, whenever they would become too many: in the end between half and all of
 * GY_TIMELINE_BUCKETS are in use, and their sums are exact.
 */
#include "gy_timeline.h"

#include <stdlib.h>
#include <string.h>

#include "gy_cells.h"

static const char header[] = "time_s,busy_gpus,down_gpus,queued_jobs,queued_gpus\n";

struct gy_timeline {
    gy_out *out;
    gy_step now;             /* latest state */
    uint64_t row[GY_SERIES]; /* what the last row says */
    bool any;                /* `now` holds something */
    bool any_row;
    int64_t start_us;
    int width_log2;
    uint64_t nbuckets;
    gy_bucket *buckets;
    uint64_t nsteps; /* beyond GY_TIMELINE_STEPS: they are no longer kept */
    gy_step *steps;
};

gy_timeline *gy_timeline_open(gy_out *out)
{
    gy_timeline *t = gy_alloc(1, sizeof *t);
    t->out = out;
    t->buckets = gy_alloc(GY_TIMELINE_BUCKETS, sizeof *t->buckets);
    t->steps = gy_alloc(GY_TIMELINE_STEPS, sizeof *t->steps);
    if (out)
        gy_out_text(out, header);
    return t;
}

static void join(gy_bucket *into, const gy_bucket *b)
{
    for (int k = 0; k < GY_SERIES; k++) {
        into->integral[k] += b->integral[k];
        into->max[k] = b->max[k] > into->max[k] ? b->max[k] : into->max[k];
    }
}

static void double_width(gy_timeline *t)
{
    uint64_t n = (t->nbuckets + 1) / 2;
    for (uint64_t i = 0; i < n; i++) {
        gy_bucket pair = t->buckets[2 * i];
        if (2 * i + 1 < t->nbuckets)
            join(&pair, &t->buckets[2 * i + 1]);
        t->buckets[i] = pair;
    }
    memset(t->buckets + n, 0, (size_t)(t->nbuckets - n) * sizeof *t->buckets);
    t->nbuckets = n;
    t->width_log2++;
}

static void hold(gy_bucket *b, const uint64_t v[GY_SERIES], int64_t us)
{
    for (int k = 0; k < GY_SERIES; k++) {
        b->integral[k] += (gy_i128)v[k] * us;
        b->max[k] = v[k] > b->max[k] ? v[k] : b->max[k];
    }
}

/* The present state has held until `until`. */
static void fill_buckets(gy_timeline *t, int64_t until)
{
    int64_t from = t->now.t_us - t->start_us, to = until - t->start_us;
    while ((to - 1) >> t->width_log2 >= GY_TIMELINE_BUCKETS)
        double_width(t);
    while (from < to) {
        int64_t i = from >> t->width_log2, end = (i + 1) << t->width_log2;
        end = end < to ? end : to;
        hold(&t->buckets[i], t->now.v, end - from);
        t->nbuckets = (uint64_t)i + 1;
        from = end;
    }
}

static void write_row(gy_timeline *t)
{
    char *p = gy_out_room(t->out, GY_SERIES * (GY_CELL_US + 1) + GY_CELL_US + 1);
    p = gy_cell_us(p, t->now.t_us);
    *p++ = ',';
    p = gy_cell_milli(p, t->now.v[GY_SERIES_BUSY]);
    *p++ = ',';
    p = gy_cell_milli(p, t->now.v[GY_SERIES_DOWN]);
    *p++ = ',';
    p = gy_cell_uint(p, t->now.v[GY_SERIES_JOBS]);
    *p++ = ',';
    p = gy_cell_milli(p, t->now.v[GY_SERIES_QUEUED]);
    *p++ = '\n';
    gy_out_end(t->out, p);
}

/* The state at now.t_us is final: it becomes a row and a step if it differs from the one before. */
static void settle(gy_timeline *t)
{
    if (t->any_row && memcmp(t->row, t->now.v, sizeof t->row) == 0)
        return;
    memcpy(t->row, t->now.v, sizeof t->row);
    t->any_row = true;
    if (t->out)
        write_row(t);
    if (t->nsteps < GY_TIMELINE_STEPS)
        t->steps[t->nsteps] = t->now;
    t->nsteps++;
}

void gy_timeline_add(gy_timeline *t, int64_t t_us, uint64_t busy_milli, uint64_t down_milli,
                     uint64_t queued_jobs, uint64_t queued_milli)
{
    if (!t->any) {
        t->start_us = t_us;
    } else if (t_us != t->now.t_us) {
        GY_ASSERT(t_us > t->now.t_us);
        settle(t);
        fill_buckets(t, t_us);
    }
    t->any = true;
    t->now = (gy_step){t_us, {busy_milli, down_milli, queued_jobs, queued_milli}};
}

void gy_timeline_close(gy_timeline *t, int64_t end_us, gy_series *s)
{
    if (t->any) {
        settle(t);
        if (end_us > t->now.t_us)
            fill_buckets(t, end_us);
        else
            end_us = t->now.t_us;
    }
    bool few = t->nsteps <= GY_TIMELINE_STEPS;
    if (s)
        *s = (gy_series){.start_us = t->start_us,
                         .end_us = t->any ? end_us : t->start_us,
                         .width_us = few ? 0 : (int64_t)1 << t->width_log2,
                         .nsteps = few ? t->nsteps : 0,
                         .nbuckets = few ? 0 : t->nbuckets,
                         .steps = few ? t->steps : NULL,
                         .buckets = few ? NULL : t->buckets};
    if (!s || !few)
        free(t->steps);
    if (!s || few)
        free(t->buckets);
    free(t);
}

void gy_series_fini(gy_series *s)
{
    free(s->steps);
    free(s->buckets);
    *s = (gy_series){0};
}

static void sum_steps(const gy_series *s, int64_t from, int64_t to, gy_bucket *b)
{
    for (uint64_t i = 0; i < s->nsteps; i++) {
        int64_t start = s->steps[i].t_us, end = i + 1 < s->nsteps ? s->steps[i + 1].t_us : s->end_us;
        start = start > from ? start : from;
        end = end < to ? end : to;
        if (start < end)
            hold(b, s->steps[i].v, end - start);
    }
}

void gy_series_sum(const gy_series *s, int64_t from_us, int64_t to_us, gy_bucket *b)
{
    memset(b, 0, sizeof *b);
    if (s->nsteps) {
        sum_steps(s, from_us, to_us, b);
        return;
    }
    for (uint64_t i = 0; i < s->nbuckets; i++) {
        int64_t start = s->start_us + (int64_t)i * s->width_us;
        if (start >= from_us && start < to_us)
            join(b, &s->buckets[i]);
    }
}
