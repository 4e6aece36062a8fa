/* gy_groups.c - see gy_groups.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_groups.h"

#include <stdlib.h>

_Static_assert(sizeof(gy_group_row) == 2 * sizeof(gy_time_dist) + 2 * sizeof(gy_i128) + (GY_STATES + 2) * 8,
               "words without gaps");

/* Largest number of GPUs in each class, in thousandths. */
static const uint32_t size_limits[GY_SIZE_CLASSES] = {0,     999,   1000,   4000,      8000,
                                                      16000, 64000, 256000, UINT32_MAX};
const char *const gy_size_names[GY_SIZE_CLASSES] = {"CPU only", "share", "1",      "2-4", "5-8",
                                                    "9-16",     "17-64", "65-256", "257+"};

uint32_t gy_size_class(uint32_t gpus_milli)
{
    uint32_t k = 0;
    while (gpus_milli > size_limits[k])
        k++;
    return k;
}

static uint32_t user_of(const gy_outcome *o, uint32_t job)
{
    return o->jobs->user[job];
}

static uint32_t queue_of(const gy_outcome *o, uint32_t job)
{
    return o->jobs->queue[job];
}

static uint32_t state_of(const gy_outcome *o, uint32_t job)
{
    return o->state[job];
}

static uint32_t size_of(const gy_outcome *o, uint32_t job)
{
    return gy_size_class(gy_job_shape(o->jobs, job)->gpus_milli);
}

static const struct {
    uint32_t (*of)(const gy_outcome *o, uint32_t job);
    bool all_ends; /* jct counts every kind of end */
} kinds[GY_GROUP_KINDS] = {
    [GY_GROUP_USER] = {user_of, false},
    [GY_GROUP_QUEUE] = {queue_of, false},
    [GY_GROUP_STATE] = {state_of, true},
    [GY_GROUP_SIZE] = {size_of, false},
};

static uint32_t group_count(const gy_outcome *o, gy_group_kind kind)
{
    switch (kind) {
    case GY_GROUP_USER: return (uint32_t)o->jobs->users.n;
    case GY_GROUP_QUEUE: return (uint32_t)o->jobs->queues.n;
    case GY_GROUP_STATE: return GY_STATES;
    case GY_GROUP_SIZE: return GY_SIZE_CLASSES;
    case GY_GROUP_KINDS: break;
    }
    return 0;
}

/* One figure of every group: values[start[g] .. end[g]) belong to group g. */
struct sheaf {
    int64_t *values;
    uint64_t *spare;
    size_t *end; /* one more element than groups; end[g] grows while values come in */
};

static struct sheaf sheaf_make(const gy_groups *g, bool jct)
{
    struct sheaf s = {.end = gy_alloc((size_t)g->n + 1, sizeof *s.end)};
    size_t sum = 0;
    for (uint32_t k = 0; k < g->n; k++) {
        s.end[k] = sum;
        sum += (size_t)(jct ? g->rows[k].jct.n : g->rows[k].wait.n);
    }
    s.values = gy_alloc(sum + 1, sizeof *s.values);
    s.spare = gy_alloc(sum + 1, sizeof *s.spare);
    return s;
}

static void sheaf_close(struct sheaf *s, gy_groups *g, bool jct)
{
    size_t start = 0;
    for (uint32_t k = 0; k < g->n; k++) {
        gy_time_dist *d = jct ? &g->rows[k].jct : &g->rows[k].wait;
        GY_ASSERT(s->end[k] - start == d->n);
        *d = gy_time_dist_of(s->values + start, s->spare, (size_t)d->n);
        start = s->end[k];
    }
    free(s->values);
    free(s->spare);
    free(s->end);
}

static bool has_jct(uint8_t state, bool all_ends)
{
    return all_ends ? gy_state_ended(state) : state == GY_STATE_FINISHED;
}

static void count(const gy_outcome *o, gy_group_kind kind, gy_groups *g)
{
    for (uint32_t j = 0; j < o->jobs->n; j++) {
        if (!gy_outcome_counts(o, j))
            continue;
        gy_group_row *r = &g->rows[kinds[kind].of(o, j)];
        r->submitted++;
        r->jobs[o->state[j]]++;
        r->job_gpu += gy_job_gpu_time(o, j);
        r->wait.n += o->start_us[j] != GY_NEVER;
        r->jct.n += has_jct(o->state[j], kinds[kind].all_ends);
    }
}

gy_groups gy_groups_by(const gy_outcome *o, gy_group_kind kind)
{
    gy_groups g = {.n = group_count(o, kind)};
    g.rows = gy_alloc((size_t)g.n + 1, sizeof *g.rows);
    count(o, kind, &g);
    struct sheaf wait = sheaf_make(&g, false), jct = sheaf_make(&g, true);
    for (uint32_t j = 0; j < o->jobs->n; j++) {
        if (!gy_outcome_counts(o, j))
            continue;
        uint32_t k = kinds[kind].of(o, j);
        if (o->start_us[j] != GY_NEVER)
            wait.values[wait.end[k]++] = o->start_us[j] - o->eligible_us[j];
        if (has_jct(o->state[j], kinds[kind].all_ends))
            jct.values[jct.end[k]++] = o->end_us[j] - o->jobs->submit_us[j];
    }
    sheaf_close(&wait, &g, false);
    sheaf_close(&jct, &g, true);
    const gy_i128 *held = kind == GY_GROUP_USER    ? o->user_held
                          : kind == GY_GROUP_QUEUE ? o->queue_held
                                                   : NULL;
    for (uint32_t k = 0; held && k < g.n; k++)
        g.rows[k].held = held[k];
    return g;
}
