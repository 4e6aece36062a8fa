/* gy_generate_batch.c - what the jobs of a batch are: GPUs, durations, ends, people and limits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "gy_generate_internal.h"

gy_stream gy_generate_stream(uint64_t seed, enum gy_generate_draw what, uint32_t part, uint64_t index)
{
    return gy_stream_of(seed, GY_RANDOM_GENERATE, (uint64_t)what << 60 | (uint64_t)part << 44 | index);
}

static double uniform(gy_stream *s)
{
    return (double)gy_stream_u32(s) * 0x1p-32;
}

static const gy_law *law_of(const gy_batch *b)
{
    const gy_part *p = b->part;
    return &p->model->duration_classes[p->duration_class[b->size_index]].law;
}

void gy_batch_open(gy_batch *b, const gy_part *p, uint64_t seed, uint64_t index, uint64_t most)
{
    b->part = p;
    b->work = gy_generate_stream(seed, GY_DRAW_WORK, p->number, index);
    b->rest = gy_generate_stream(seed, GY_DRAW_REST, p->number, index);
    b->size_index = gy_alias_draw(&p->sizes, &b->work);
    uint32_t class = p->batch_class[b->size_index];
    int64_t size = 1;
    if (class != GY_NAME_NONE)
        size = gy_pmf_draw(&p->model->batch_classes[class].sizes, &b->work);
    b->size = b->left = (uint32_t)((uint64_t)size < most ? (uint64_t)size : most);
    b->pattern = gy_law_draw(law_of(b), &b->work);
}

/* ---- work ---- */

/* Jobs sent together are often variants of one another: the first runs as long as the batch's pattern, each
 * other one within 5% of it with probability `similar`, else as long as any job of its size. */
static double ln_duration(gy_batch *b)
{
    if (b->left == b->size)
        return b->pattern;
    const gy_law *law = law_of(b);
    if (uniform(&b->work) >= b->part->model->similar)
        return gy_law_draw(law, &b->work);
    double x = b->pattern + 0.1 * (uniform(&b->work) - 0.5);
    if (x < law->edge[0] || b->pattern == law->edge[0]) /* a mass point stays one: whole seconds round up */
        return law->edge[0];
    return x > law->edge[law->n] ? law->edge[law->n] : x;
}

static uint8_t end_of(const gy_ends *ends, double x, gy_stream *s)
{
    if (ends->n == 0)
        return GY_LOG_COMPLETED;
    double u = uniform(s), part = 0;
    uint32_t i = 0;
    while (i < ends->n && ends->at[i] < x)
        i++;
    const double *low = ends->sum, *high = ends->sum;
    if (i > 0)
        low += (i - 1) * GY_LOG_STATES;
    high += (i < ends->n ? i : ends->n - 1) * GY_LOG_STATES;
    if (low != high)
        part = (x - ends->at[i - 1]) / (ends->at[i] - ends->at[i - 1]);
    uint8_t state = 0;
    while (state + 1 < GY_LOG_STATES && u >= low[state] + part * (high[state] - low[state]))
        state++;
    return state;
}

/* The limit nearest to a duration on the logarithmic axis, at most `most`; 0 below the smallest. */
static int64_t nearest_limit(const gy_model *m, double x, int64_t most)
{
    uint32_t i = 0;
    if (m->limits.n == 0 || x < m->limit_ln[0])
        return 0;
    while (i + 1 < m->limits.n && m->limit_ln[i + 1] <= x)
        i++;
    if (i + 1 < m->limits.n && m->limit_ln[i + 1] - x < x - m->limit_ln[i] && m->limits.value[i + 1] <= most)
        i++;
    return m->limits.value[i];
}

void gy_batch_work(gy_batch *b, gy_made_job *j)
{
    const gy_part *p = b->part;
    double x = ln_duration(b);
    b->left--;
    int64_t whole = (int64_t)ceil(gy_exp(x) - 1e-6); /* what lies on a point of the grid stays there */
    j->part = p;
    j->gpus = p->model->sizes.value[b->size_index];
    j->duration_s = whole < 1 ? 1 : whole > p->most_s ? p->most_s : whole;
    j->state = end_of(&p->model->ends, x, &b->work);
    j->limit_s = 0;
    if (j->state != GY_LOG_TIMEOUT || p->model->limits.n == 0)
        return;
    /* A job that was cut off ran for a limit that people ask for, and 11 to 26 s more, as Slurm's rows do. */
    j->limit_s = nearest_limit(p->model, x, p->most_s);
    if (j->limit_s)
        j->duration_s = j->limit_s + 11 + gy_stream_below(&b->work, 16);
    else
        j->state = GY_LOG_FAILED;
}

/* ---- the rest ---- */

void gy_batch_people(gy_batch *b)
{
    const gy_part *p = b->part;
    const gy_model *m = p->model;
    gy_stream *s = &b->rest;
    if (m->queues.n)
        b->queue = gy_alias_draw(&m->queues.alias, s);
    if (m->users.n) {
        bool home = uniform(s) < m->home && m->queues.n && p->queue_users[b->queue].n;
        b->user = home ? p->queue_member[b->queue][gy_alias_draw(&p->queue_users[b->queue], s)]
                       : gy_alias_draw(&m->users.alias, s);
    }
    int64_t gpus = m->sizes.value[b->size_index];
    b->cpus = m->cpus_per_gpu.n ? gpus * gy_pmf_draw(&m->cpus_per_gpu, s) : 0;
    b->mem_gb = m->mem_gb_per_gpu.n ? gpus * gy_pmf_draw(&m->mem_gb_per_gpu, s) : 0;
    b->priority = m->priority.n ? gy_pmf_draw(&m->priority, s) : 0;
    b->checkpoint_s = m->checkpoint_s.n ? gy_pmf_draw(&m->checkpoint_s, s) : 0;
}

/* The smallest limit that is enough: of the user's own ones, else of all, else whole days. */
static int64_t enough(const gy_model *m, const gy_user *u, int64_t duration_s)
{
    for (uint32_t i = 0; u && i < u->nlimits; i++)
        if (m->limits.value[u->limits[i]] >= duration_s)
            return m->limits.value[u->limits[i]];
    for (uint32_t i = 0; i < m->limits.n; i++)
        if (m->limits.value[i] >= duration_s)
            return m->limits.value[i];
    return (duration_s + 86399) / 86400 * 86400;
}

void gy_batch_rest(gy_batch *b, gy_made_job *j, bool limits)
{
    const gy_model *m = b->part->model;
    j->user = b->user;
    j->queue = b->queue;
    j->cpus = b->cpus;
    j->mem_gb = b->mem_gb;
    j->priority = b->priority;
    j->checkpoint_s = b->checkpoint_s;
    if (m->limits.n == 0)
        return;
    bool careful = uniform(&b->rest) < m->fit; /* drawn in any case, so that the option shifts nothing */
    const gy_user *u = b->part->users ? &b->part->users[b->user] : NULL;
    int64_t habit = u ? m->limits.value[u->limits[u->habit]] : 0;
    if (!limits)
        j->limit_s = 0;
    else if (!j->limit_s)
        j->limit_s = !careful && habit >= j->duration_s ? habit : enough(m, u, j->duration_s);
}

/* ---- users ---- */

/* Some distinct limits, in ascending order; the first one drawn is the habit. */
static void draw_limits(gy_user *u, const gy_model *m, gy_stream *s)
{
    int64_t want = gy_pmf_draw(&m->limits_per_user, s);
    uint8_t habit = (uint8_t)gy_alias_draw(&m->limits.alias, s);
    u->limits[u->nlimits++] = habit;
    for (int tries = 0; tries < 64 && u->nlimits < want; tries++) {
        uint8_t v = (uint8_t)gy_alias_draw(&m->limits.alias, s);
        uint8_t at = u->nlimits;
        while (at > 0 && u->limits[at - 1] > v)
            at--;
        if (at > 0 && u->limits[at - 1] == v)
            continue;
        for (uint8_t k = u->nlimits++; k > at; k--)
            u->limits[k] = u->limits[k - 1];
        u->limits[at] = v;
    }
    while (u->limits[u->habit] != habit)
        u->habit++;
}

/* Users are taken by falling share into the queue that lacks most of its own share, so that both the users'
 * and the queues' shares come out as given. */
static void settle(gy_part *p)
{
    const gy_model *m = p->model;
    uint32_t nq = m->queues.n, nu = m->users.n;
    double *lack = gy_alloc(nq, sizeof *lack), *share = gy_alloc(nu, sizeof *share);
    p->queue_users = gy_alloc(nq, sizeof *p->queue_users);
    p->queue_member = gy_alloc(nq, sizeof *p->queue_member);
    for (uint32_t q = 0; q < nq; q++)
        lack[q] = m->queues.share[q];
    for (uint32_t u = 0; u < nu; u++) {
        uint32_t best = 0;
        for (uint32_t q = 1; q < nq; q++)
            if (lack[q] > lack[best])
                best = q;
        p->users[u].home = best;
        lack[best] -= m->users.share[u];
    }
    for (uint32_t q = 0; q < nq; q++) {
        uint32_t n = 0;
        p->queue_member[q] = gy_alloc((size_t)nu + 1, sizeof **p->queue_member);
        for (uint32_t u = 0; u < nu; u++) {
            if (p->users[u].home != q)
                continue;
            share[n] = m->users.share[u];
            p->queue_member[q][n++] = u;
        }
        if (n > 0)
            gy_alias_init(&p->queue_users[q], share, n);
    }
    free(share);
    free(lack);
}

void gy_part_users(gy_part *p, uint64_t seed)
{
    const gy_model *m = p->model;
    if (m->users.n == 0)
        return;
    p->users = gy_alloc(m->users.n, sizeof *p->users);
    for (uint32_t u = 0; u < m->users.n && m->limits.n; u++) {
        gy_stream s = gy_generate_stream(seed, GY_DRAW_USER, p->number, u);
        draw_limits(&p->users[u], m, &s);
    }
    if (m->queues.n)
        settle(p);
}
