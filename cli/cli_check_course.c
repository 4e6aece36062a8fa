/* cli_check_course.c - a run as its log and its outcome tell it: no job lost, gangs whole, no GPU held twice.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nothing here relies on how the engine counts: starts, stops and ends are added up anew.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check_internal.h"

enum stand { WAITS, RUNS, OVER };

struct job_course {
    uint8_t stand; /* enum stand */
    int64_t start_us;
};

struct check_course {
    check *c;
    const check_world *w;
    struct job_course *jobs;
    int64_t held_milli;
};

check_course *check_course_open(check *c, const check_world *w)
{
    check_course *k = gy_alloc(1, sizeof *k);
    *k = (check_course){.c = c, .w = w, .jobs = gy_alloc(w->jobs->n, sizeof *k->jobs)};
    return k;
}

void check_course_close(check_course *k)
{
    free(k->jobs);
    free(k);
}

/* "scenario gangs with backfill=strict: job j7 ..." */
static void wrong(check_course *k, check_id id, uint32_t job, const char *what)
{
    char buf[24];
    check_fail(k->c, id, "%s: job %s %s", k->c->doing, gy_job_id_text(k->w->jobs, job, buf), what);
}

/* ---- the log ---- */

static void move(check_course *k, uint32_t job, enum stand from, enum stand to, const char *what)
{
    struct job_course *j = &k->jobs[job];
    int64_t milli = gy_job_shape(k->w->jobs, job)->gpus_milli;
    if (j->stand != from)
        wrong(k, CHECK_JOBS, job, what);
    k->held_milli += milli * (to == RUNS) - milli * (from == RUNS);
    j->stand = (uint8_t)to;
    if (!k->w->elastic && k->held_milli > 1000 * (int64_t)k->w->cluster->gpus)
        wrong(k, CHECK_GPUS, job, "starts on more GPUs than there are");
}

void check_course_note(void *ctx, int64_t t_us, const char *what, uint32_t job, uint32_t reason,
                       const char *text)
{
    check_course *k = ctx;
    (void)reason;
    (void)text;
    if (strcmp(what, "start") == 0) {
        move(k, job, WAITS, RUNS, "starts while it does not wait");
        k->jobs[job].start_us = t_us;
    } else if (strcmp(what, "stop") == 0 || strcmp(what, "fail") == 0) {
        move(k, job, RUNS, WAITS, "stops while it does not run");
    } else if (strcmp(what, "end") == 0) {
        move(k, job, RUNS, OVER, "ends while it does not run");
    } else if (strcmp(what, "reject") == 0) {
        move(k, job, WAITS, OVER, "is rejected while it does not wait");
    }
}

/* ---- jobs ---- */

static void judge_times(check_course *k, const gy_outcome *o, uint32_t j)
{
    int64_t run = o->run_us[j], work = gy_job_work(k->w->jobs, j);
    bool whole = !k->w->costs && !k->w->elastic;
    if (o->end_us[j] == GY_NEVER || o->start_us[j] == GY_NEVER || o->end_us[j] < o->start_us[j])
        wrong(k, CHECK_JOBS, j, "has ended without a start and an end");
    else if (o->start_us[j] < o->eligible_us[j] || o->eligible_us[j] < k->w->jobs->submit_us[j])
        wrong(k, CHECK_JOBS, j, "starts before it may");
    else if (whole && run != work)
        wrong(k, CHECK_JOBS, j, "ran for another time than its length");
    else if (!k->w->elastic && run < work)
        wrong(k, CHECK_JOBS, j, "ended before its work was done");
    else if (o->end_us[j] - o->eligible_us[j] < run)
        wrong(k, CHECK_JOBS, j, "ran for longer than it was there");
}

static void judge_jobs(check_course *k, const gy_outcome *o)
{
    uint32_t left = 0, first = 0;
    for (uint32_t j = k->w->jobs->n; j-- > 0;) {
        switch ((enum gy_state)o->state[j]) {
        case GY_STATE_FINISHED:
        case GY_STATE_FAILED:
        case GY_STATE_KILLED:
        case GY_STATE_TIMEOUT: judge_times(k, o, j); break;
        case GY_STATE_INFEASIBLE: break;
        case GY_STATE_RUNNING:
        case GY_STATE_QUEUED:
            left++;
            first = j;
            break;
        default: wrong(k, CHECK_JOBS, j, "was never submitted"); break;
        }
    }
    if (left == 0)
        return;
    char id[24];
    /* A limit may keep out a job for ever; another stage has no such reason. */
    check_find(k->c, CHECK_JOBS, k->c->stage == GY_STAGE_ADMIT ? CHECK_WARNING : CHECK_FAILED,
               "%s: %u jobs, the first of them %s, wait for ever though all nodes are free", k->c->doing,
               left, gy_job_id_text(k->w->jobs, first, id));
}

/* ---- GPUs ---- */

struct claim { /* part of a GPU is held from, or given back at, a time */
    uint32_t gpu;
    int64_t t_us, milli;
    uint32_t job;
};

struct claims {
    struct claim *list;
    size_t n, cap;
    uint32_t *gpu0; /* by node: number of its first GPU */
    uint32_t job, gpus;
    uint32_t node, node_gpus; /* of the stretches so far */
    uint32_t task_gpus;       /* a multiple of these lies inside each node */
    bool broken;
    int64_t start_us, end_us, milli;
};

static int compare_claims(const void *pa, const void *pb)
{
    const struct claim *a = pa, *b = pb;
    if (a->gpu != b->gpu)
        return a->gpu < b->gpu ? -1 : 1;
    if (a->t_us != b->t_us)
        return a->t_us < b->t_us ? -1 : 1;
    return (a->milli > b->milli) - (a->milli < b->milli); /* what is given back comes first */
}

static void finish_node(struct claims *x)
{
    x->broken = x->broken || (x->task_gpus && x->node_gpus % x->task_gpus);
    x->node_gpus = 0;
}

static void take_span(void *ctx, gy_span s)
{
    struct claims *x = ctx;
    if (s.node != x->node)
        finish_node(x);
    x->node = s.node;
    x->node_gpus += s.count;
    x->gpus += s.count;
    for (uint32_t g = s.first; x->start_us < x->end_us && g < (uint32_t)s.first + s.count; g++) {
        x->list = gy_reserve(x->list, &x->cap, x->n + 2, sizeof *x->list);
        x->list[x->n++] = (struct claim){x->gpu0[s.node] + g, x->start_us, x->milli, x->job};
        x->list[x->n++] = (struct claim){x->gpu0[s.node] + g, x->end_us, -x->milli, x->job};
    }
}

/* The last placement of a job is a whole gang, with whole tasks in each node. */
static void judge_gang(check_course *k, const gy_outcome *o, struct claims *x, uint32_t j)
{
    const gy_shape *s = gy_job_shape(k->w->jobs, j);
    uint32_t asked = s->gpus_milli < 1000 ? s->gpus_milli > 0 : s->gpus_milli / 1000;
    uint32_t least = k->w->elastic && s->min_gpus < asked ? s->min_gpus : asked;
    uint32_t most = k->w->elastic && s->max_gpus > asked ? s->max_gpus : asked;
    x->job = j;
    x->gpus = x->node_gpus = 0;
    x->node = GY_NONE;
    x->task_gpus = s->tasks ? asked / s->tasks : 0;
    x->broken = false;
    x->start_us = k->jobs[j].start_us;
    x->end_us = k->w->elastic ? x->start_us : o->end_us[j]; /* a size that changed is in no log */
    x->milli = s->gpus_milli < 1000 ? s->gpus_milli : 1000;
    gy_outcome_placed(o, j, take_span, x);
    finish_node(x);
    if (x->gpus < least || x->gpus > most)
        wrong(k, CHECK_GPUS, j, "ran on another number of GPUs than its gang has");
    else if (x->broken)
        wrong(k, CHECK_GPUS, j, "has a task that is cut in two");
}

static void judge_gpus(check_course *k, const gy_outcome *o)
{
    const gy_cluster *cluster = k->w->cluster;
    struct claims x = {.gpu0 = gy_alloc(cluster->nnodes, sizeof *x.gpu0)};
    for (uint32_t i = 1; i < cluster->nnodes; i++)
        x.gpu0[i] = x.gpu0[i - 1] + cluster->node_types[cluster->nodes[i - 1].type].gpus;
    for (uint32_t j = 0; j < k->w->jobs->n; j++)
        if (o->end_us[j] != GY_NEVER && k->jobs[j].stand == OVER && o->start_us[j] != GY_NEVER)
            judge_gang(k, o, &x, j);
    if (x.n)
        qsort(x.list, x.n, sizeof *x.list, compare_claims);
    int64_t held = 0;
    for (size_t i = 0; i < x.n; i++) {
        held = (i && x.list[i].gpu == x.list[i - 1].gpu ? held : 0) + x.list[i].milli;
        if (held > 1000)
            wrong(k, CHECK_GPUS, x.list[i].job, "starts on a GPU that another one holds");
    }
    free(x.list);
    free(x.gpu0);
}

static void judge_books(check_course *k, const gy_outcome *o)
{
    const gy_ledger *l = &o->ledger;
    if (l->installed != l->useful + l->overhead + l->lost_preemption + l->lost_failure + l->idle + l->down)
        check_fail(k->c, CHECK_GPUS, "%s: the parts of the GPU time do not add up to what is installed",
                   k->c->doing);
}

void check_course_judge(check_course *k, const gy_outcome *o)
{
    judge_jobs(k, o);
    judge_gpus(k, o);
    judge_books(k, o);
    if (o->passes > 1000 + 100 * o->events)
        check_warn(k->c, CHECK_TIMERS, "%s: it asks for %" PRIu64 " passes where %" PRIu64 " things happen",
                   k->c->doing, o->passes, o->events);
}
