/* gy_generate_plan.c - before the first row: which jobs the trace has, and over how long they are spread.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "gy_generate_internal.h"

/* ---- parts ---- */

/* Drops what is larger than allowed and weights the sizes of batches, not of jobs: larger batches need fewer.
 */
static gy_rc prepare_sizes(gy_part *p, uint64_t most, gy_err *e)
{
    gy_model *m = p->model;
    uint32_t n = 0;
    while (n < m->sizes.n && (uint64_t)m->sizes.value[n] <= most)
        n++;
    m->sizes.n = n;
    double sum = 0, *weight = gy_alloc((size_t)n + 1, sizeof *weight);
    p->batch_class = gy_alloc((size_t)n + 1, sizeof *p->batch_class);
    p->duration_class = gy_alloc((size_t)n + 1, sizeof *p->duration_class);
    gy_rc rc = GY_OK;
    for (uint32_t i = 0; i < n && rc == GY_OK; i++) {
        int64_t gpus = m->sizes.value[i];
        uint32_t b = 0, d = 0;
        while (b < m->nbatch_classes && (gpus < m->batch_classes[b].least || gpus > m->batch_classes[b].most))
            b++;
        while (d < m->nduration_classes &&
               (gpus < m->duration_classes[d].least || gpus > m->duration_classes[d].most))
            d++;
        if (d == m->nduration_classes)
            rc = gy_fail(e, GY_EPARSE, "%s: \"durations\" has no class for jobs of %lld GPUs; add one",
                         m->name, (long long)gpus);
        p->batch_class[i] = b < m->nbatch_classes ? b : GY_NAME_NONE;
        p->duration_class[i] = d;
        weight[i] = m->sizes.weight[i] / (b < m->nbatch_classes ? m->batch_classes[b].mean : 1);
        sum += weight[i];
    }
    if (rc == GY_OK && !(sum > 0))
        rc = gy_fail(e, GY_EINVAL, "%s: all jobs of the model need more than %llu GPUs; allow larger ones",
                     m->name, (unsigned long long)most);
    if (rc == GY_OK)
        gy_alias_init(&p->sizes, weight, n);
    free(weight);
    return rc;
}

static gy_rc prepare_durations(gy_part *p, int64_t most_s, gy_err *e)
{
    gy_model *m = p->model;
    p->most_s = most_s ? most_s : INT64_C(1) << 40;
    for (uint32_t i = 0; i < m->nduration_classes; i++) {
        gy_duration_class *c = &m->duration_classes[i];
        if (most_s && !gy_law_cut(&c->law, gy_log((double)most_s)))
            return gy_fail(
                e, GY_EINVAL,
                "%s: nearly all jobs of %lld or more GPUs run longer than %lld s; allow longer ones", m->name,
                (long long)c->least, (long long)most_s);
        gy_law_ready(&c->law);
    }
    return GY_OK;
}

/* The largest job allowed. */
static uint64_t most_gpus(const gy_generate_options *o)
{
    uint64_t most = o->gpus ? o->gpus : UINT64_MAX;
    return o->max_gpus && o->max_gpus < most ? o->max_gpus : most;
}

static gy_rc prepare_part(gy_generate *g, gy_part *p, const char *name, gy_err *e)
{
    gy_rc rc = gy_model_load(&p->model, name, e);
    if (rc == GY_OK && p->model->nparts)
        rc = gy_fail(e, GY_EINVAL,
                     "%s: has parts itself, so it cannot be a part of another model; name its parts instead",
                     name);
    if (rc == GY_OK)
        rc = prepare_sizes(p, most_gpus(&g->options), e);
    if (rc == GY_OK)
        rc = prepare_durations(p, g->options.max_duration_s, e);
    if (rc != GY_OK)
        return rc;
    gy_part_users(p, g->options.seed);
    g->has_users |= p->model->users.n > 0;
    g->has_queues |= p->model->queues.n > 0;
    g->has_limits |= p->model->limits.n > 0 && !g->options.no_limits;
    g->has_cpus |= p->model->cpus_per_gpu.n > 0;
    g->has_mem |= p->model->mem_gb_per_gpu.n > 0;
    g->has_priority |= p->model->priority.n > 0;
    g->has_checkpoint |= p->model->checkpoint_s.n > 0;
    return GY_OK;
}

static gy_rc prepare_parts(gy_generate *g, gy_err *e)
{
    gy_model *top;
    gy_rc rc = gy_model_load(&top, g->options.model, e);
    if (rc != GY_OK)
        return rc;
    g->nparts = top->nparts ? top->nparts : 1;
    g->parts = gy_alloc(g->nparts, sizeof *g->parts);
    for (uint32_t i = 0; i < g->nparts && rc == GY_OK; i++) {
        g->parts[i].number = i;
        rc = prepare_part(g, &g->parts[i], top->nparts ? top->parts[i] : g->options.model, e);
    }
    gy_model_free(top);
    return rc;
}

/* ---- counting ---- */

typedef struct count {
    gy_batch *at;  /* the present batch of each part */
    gy_part *last; /* whose job was counted last */
    uint64_t jobs;
    gy_u128 gpu_s;
} count;

/* The part that is furthest behind its share. */
static gy_part *next_part(const gy_generate *g, uint64_t jobs)
{
    gy_part *best = &g->parts[0];
    double most = -1;
    for (uint32_t i = 0; i < g->nparts && g->nparts > 1; i++) {
        gy_part *p = &g->parts[i];
        double behind = p->share * (double)(jobs + 1) - (double)p->njobs;
        if (behind > most) {
            most = behind;
            best = p;
        }
    }
    return best;
}

/* Adds one job; returns its work. */
static uint64_t count_job(gy_generate *g, count *c)
{
    gy_part *p = next_part(g, c->jobs);
    gy_batch *b = &c->at[p->number];
    gy_made_job j;
    if (b->left == 0)
        gy_batch_open(b, p, g->options.seed, p->nbatches++, UINT64_MAX);
    gy_batch_work(b, &j);
    c->last = p;
    p->njobs++;
    c->jobs++;
    uint64_t work = (uint64_t)j.gpus * (uint64_t)j.duration_s;
    c->gpu_s += work;
    return work;
}

/* Takes back the last job. */
static void uncount_job(count *c, uint64_t work)
{
    const gy_batch *b = &c->at[c->last->number];
    c->jobs--;
    c->gpu_s -= work;
    c->last->njobs--;
    if (b->left + 1 == b->size)
        c->last->nbatches--;
}

/* Jobs until there are `jobs`, or, when that is 0, until their work is nearest to `target`. */
static gy_rc count_jobs(gy_generate *g, uint64_t jobs, gy_u128 target, gy_err *e)
{
    count c = {.at = gy_alloc(g->nparts, sizeof *c.at)};
    uint64_t work = 0;
    while (jobs ? c.jobs < jobs : !c.jobs || (c.gpu_s < target && c.jobs <= UINT32_MAX))
        work = count_job(g, &c);
    if (!jobs && c.jobs > 1 && c.gpu_s > target && 2 * (c.gpu_s - target) > work)
        uncount_job(&c, work);
    free(c.at);
    g->info.jobs = c.jobs;
    for (uint32_t i = 0; i < g->nparts; i++)
        g->info.batches += g->parts[i].nbatches;
    if (c.jobs > UINT32_MAX || c.gpu_s > UINT64_MAX)
        return gy_fail(e, GY_EINVAL, "that load and span need more than %u jobs; shorten the span",
                       UINT32_MAX);
    g->info.gpu_s = (uint64_t)c.gpu_s;
    return GY_OK;
}

/* ---- options ---- */

static gy_rc plan_sizes(gy_generate *g, gy_err *e)
{
    const gy_generate_options *o = &g->options;
    gy_generate_info *info = &g->info;
    double rate = 0;
    uint64_t jobs = 0, gpus = 0;
    for (uint32_t i = 0; i < g->nparts; i++) {
        const gy_model *m = g->parts[i].model;
        g->parts[i].share = (double)m->jobs / (double)m->span_s;
        rate += g->parts[i].share;
        jobs += m->jobs;
        gpus += m->gpus;
    }
    for (uint32_t i = 0; i < g->nparts; i++)
        g->parts[i].share /= rate;
    info->gpus = o->gpus ? o->gpus : gpus;
    info->weekday = o->weekday >= 0 ? o->weekday : g->parts[0].model->weekday;
    info->span_s = o->span_s;
    if (o->load_micro) {
        if (o->jobs && o->span_s)
            return gy_fail(e, GY_EINVAL, "jobs, span and load contradict each other; leave one of them out");
        if (!o->span_s && !o->jobs)
            info->span_s = g->parts[0].model->span_s;
        gy_u128 target = (gy_u128)info->gpus * (uint64_t)o->load_micro * (uint64_t)info->span_s / 1000000;
        gy_rc rc = count_jobs(g, o->jobs, target, e);
        gy_u128 rated = (gy_u128)info->gpus * (uint64_t)o->load_micro;
        if (rc == GY_OK && o->jobs)
            info->span_s = (int64_t)(((gy_u128)info->gpu_s * 1000000 + rated - 1) / rated);
        return rc;
    }
    if (!o->jobs && o->span_s)
        jobs = (uint64_t)(rate * (double)o->span_s + 0.5);
    else if (o->jobs)
        jobs = o->jobs;
    if (jobs > UINT32_MAX)
        return gy_fail(e, GY_EINVAL, "that span needs more than %u jobs; shorten it", UINT32_MAX);
    if (!o->span_s)
        info->span_s = (int64_t)((double)jobs / rate + 0.5) + (jobs == 0);
    return count_jobs(g, jobs ? jobs : 1, 0, e);
}

static gy_rc check_options(const gy_generate_options *o, gy_err *e)
{
    if (!o->model)
        return gy_fail(e, GY_EINVAL, "no trace model is given; choose one, for example philly");
    if (o->jobs > UINT32_MAX)
        return gy_fail(e, GY_EINVAL, "jobs is %llu; a trace has at most %u", (unsigned long long)o->jobs,
                       UINT32_MAX);
    if (o->span_s < 0 || o->span_s > INT64_C(3155760000))
        return gy_fail(e, GY_EINVAL, "the span must be above 0 and at most 100 years");
    if (o->load_micro < 0 || o->load_micro > 1000000000)
        return gy_fail(e, GY_EINVAL, "the load must be above 0 and at most 1000");
    if (o->gpus > UINT32_MAX || o->max_duration_s < 0 || o->weekday > 6)
        return gy_fail(e, GY_EINVAL,
                       "gpus must be at most %u, max-duration not negative and weekday from 0 to 6",
                       UINT32_MAX);
    return GY_OK;
}

gy_rc gy_generate_plan(gy_generate *g, gy_err *e)
{
    gy_rc rc = check_options(&g->options, e);
    if (rc == GY_OK)
        rc = prepare_parts(g, e);
    if (rc == GY_OK)
        rc = plan_sizes(g, e);
    for (uint32_t i = 0; i < g->nparts && rc == GY_OK; i++) {
        gy_part *p = &g->parts[i];
        rc = gy_arrivals_begin(&p->arrivals, p->model, g->options.seed, i, g->info.weekday, g->info.span_s,
                               p->nbatches, e);
        p->left = p->njobs;
        p->next_s = INT64_MAX;
        if (rc == GY_OK && p->left)
            p->next_s = gy_arrivals_next(&p->arrivals);
    }
    if (rc == GY_OK)
        g->info.load = (double)g->info.gpu_s / ((double)g->info.gpus * (double)g->info.span_s);
    return rc;
}
