/* gy_sim.c - a run from its making to its end: the clock and the order of an instant.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "gy_sim_internal.h"

const char *const gy_state_names[GY_STATES] = {"",        "finished",   "failed",  "killed",
                                               "timeout", "infeasible", "running", "queued"};

#define CLOCK_MAX_US ((int64_t)1 << 62)
#define COST_MAX_US  (INT64_C(1000000000) * 1000000)

enum { STALL_CHECK = 1 << 16 }; /* passes between two looks at progress */

void gy_options_init(gy_options *o)
{
    *o = (gy_options){.horizon_us = GY_NEVER,
                      .window_start_us = GY_WINDOW_DEFAULT,
                      .window_end_us = GY_NEVER,
                      .seed = 1,
                      .stall_passes = 1000000};
}

/* ---- making ---- */

static gy_rc check_options(const gy_options *o, gy_err *e)
{
    int64_t start = o->window_start_us;
    if (o->window_end_us != GY_NEVER && start != GY_WINDOW_DEFAULT && o->window_end_us <= start)
        return gy_fail(e, GY_EINVAL, "--window-end must lie after --window-start");
    if (o->horizon_us != GY_NEVER && start != GY_WINDOW_DEFAULT && o->horizon_us <= start)
        return gy_fail(e, GY_EINVAL, "--horizon must lie after --window-start");
    if (o->horizon_us != GY_NEVER && o->window_end_us != GY_NEVER && o->window_end_us > o->horizon_us)
        return gy_fail(e, GY_EINVAL,
                       "--window-end must not lie beyond --horizon, after which nothing is simulated");
    const int64_t costs[] = {o->start_cost_us, o->restore_cost_us, o->checkpoint_cost_us};
    for (int i = 0; i < 3; i++)
        if (costs[i] < 0 || costs[i] > COST_MAX_US)
            return gy_fail(e, GY_EINVAL, "costs must lie between 0 and a billion seconds");
    const int64_t times[] = {o->horizon_us, o->window_start_us, o->window_end_us};
    for (int i = 0; i < 3; i++)
        if (times[i] != GY_NEVER && times[i] != GY_WINDOW_DEFAULT &&
            (times[i] < -GY_TIME_MAX_US || times[i] > GY_TIME_MAX_US))
            return gy_fail(e, GY_EINVAL,
                           "--horizon, --window-start and --window-end must lie within 1152921504606 s of 0");
    return GY_OK;
}

static gy_rc make_demands(gy_sim *s, gy_err *e)
{
    s->demands = gy_alloc(s->jobs->nshapes, sizeof *s->demands);
    for (uint32_t k = 0; k < s->jobs->nshapes; k++) {
        gy_err why;
        if (gy_demand_of(s->layout, s->jobs, k, &s->demands[k], &why) != GY_OK) {
            uint32_t j = 0;
            char buf[24];
            while (s->jobs->shape[j] != k)
                j++;
            return gy_fail(e, GY_EINVAL, "%s: job \"%s\" %s", s->jobs->file, gy_job_id_text(s->jobs, j, buf),
                           why.text);
        }
        s->shares = s->shares || s->demands[k].share_milli;
    }
    return GY_OK;
}

static void make_queues(gy_sim *s)
{
    const gy_jobs *t = s->jobs;
    size_t n = t->queues.n;
    s->domain = gy_alloc(n, sizeof *s->domain);
    s->quota_milli = gy_alloc(n, sizeof *s->quota_milli);
    s->quota_max_milli = gy_alloc(n, sizeof *s->quota_max_milli);
    s->queue_milli = gy_alloc(n, sizeof *s->queue_milli);
    s->queue_waiting = gy_alloc(n, sizeof *s->queue_waiting);
    s->queue_running = gy_alloc(n, sizeof *s->queue_running);
    s->queue_held = gy_alloc(n, sizeof *s->queue_held);
    for (uint32_t q = 0; q < n; q++) {
        const char *name = gy_names_text(&t->queues, q);
        size_t len = gy_names_len(&t->queues, q);
        uint32_t cq = len ? gy_cluster_find_queue(s->cluster, name, len) : GY_NONE;
        s->domain[q] = gy_layout_domain_of(s->layout, name, len);
        s->quota_milli[q] = cq == GY_NONE ? -1 : s->cluster->queues[cq].quota_milli;
        s->quota_max_milli[q] = s->quota_milli[q];
    }
    size_t nq = s->events ? s->events->queues.n : 0;
    s->queue_of_event = gy_alloc(nq, sizeof *s->queue_of_event);
    for (uint32_t q = 0; q < nq; q++)
        s->queue_of_event[q] = gy_names_find(&t->queues, gy_names_text(&s->events->queues, q),
                                             gy_names_len(&s->events->queues, q));
    for (uint32_t q = 0; q < n; q++)
        gy_sim_find_quota_max(s, q, 0);
}

static void make_users(gy_sim *s)
{
    size_t n = s->jobs->users.n;
    s->user_milli = gy_alloc(n, sizeof *s->user_milli);
    s->user_cpus = gy_alloc(n, sizeof *s->user_cpus);
    s->user_mem = gy_alloc(n, sizeof *s->user_mem);
    s->user_waiting = gy_alloc(n, sizeof *s->user_waiting);
    s->user_running = gy_alloc(n, sizeof *s->user_running);
    s->user_held = gy_alloc(n, sizeof *s->user_held);
}

static int64_t *times(uint32_t n, int64_t v)
{
    int64_t *p = gy_resize(NULL, n, sizeof *p);
    for (uint32_t j = 0; j < n; j++)
        p[j] = v;
    return p;
}

static void make_jobs(gy_sim *s)
{
    const gy_jobs *t = s->jobs;
    s->state = gy_alloc(t->n, sizeof *s->state);
    s->start_us = times(t->n, GY_NEVER);
    s->end_us = times(t->n, GY_NEVER);
    s->run_us = gy_alloc(t->n, sizeof *s->run_us);
    s->slot = gy_resize(NULL, t->n, sizeof *s->slot);
    memset(s->slot, 0xff, t->n * sizeof *s->slot);
    s->eligible_us = t->submit_us;
    if (t->after || t->eligible_us) {
        s->eligible_us = gy_resize(NULL, t->n, sizeof *s->eligible_us);
        memcpy(s->eligible_us, t->submit_us, t->n * sizeof *s->eligible_us);
    }
    gy_placed_init(&s->placed, t->n);
}

/* The list of `after`, turned round. */
static void make_followers(gy_sim *s)
{
    const gy_jobs *t = s->jobs;
    if (!t->after)
        return;
    s->blockers = gy_alloc(t->n, sizeof *s->blockers);
    s->first_follower = gy_alloc((size_t)t->n + 2, sizeof *s->first_follower);
    s->followers = gy_alloc(t->nafter, sizeof *s->followers);
    for (uint32_t j = 0; j < t->n; j++) {
        const uint32_t *list = &t->after_list[t->after[j]];
        s->blockers[j] = list[0];
        for (uint32_t k = 1; k <= list[0]; k++)
            s->first_follower[list[k] + 2]++;
    }
    for (uint32_t j = 0; j < t->n; j++)
        s->first_follower[j + 2] += s->first_follower[j + 1];
    for (uint32_t j = 0; j < t->n; j++) {
        const uint32_t *list = &t->after_list[t->after[j]];
        for (uint32_t k = 1; k <= list[0]; k++)
            s->followers[s->first_follower[list[k] + 1]++] = j;
    }
}

static void make_window(gy_sim *s)
{
    const gy_options *o = &s->opt;
    s->window_start_us = o->window_start_us;
    if (s->window_start_us == GY_WINDOW_DEFAULT)
        s->window_start_us = s->jobs->n ? s->jobs->submit_us[0] : 0;
    s->window_end_us = o->window_end_us != GY_NEVER ? o->window_end_us : o->horizon_us;
    if (s->window_end_us < s->window_start_us)
        s->window_end_us = s->window_start_us; /* the horizon lies before the first submission */
    s->now_us = s->down_since_us = s->jobs->n ? s->jobs->submit_us[0] : 0;
    if (s->events && s->events->n && s->events->list[0].t_us < s->now_us)
        s->now_us = s->down_since_us = s->events->list[0].t_us;
}

gy_rc gy_sim_create(gy_sim **out, const gy_jobs *jobs, const gy_cluster *cluster, const gy_events *events,
                    const gy_options *opt, gy_err *e)
{
    GY_ASSERT(jobs->finished);
    gy_rc rc = check_options(opt, e);
    if (rc != GY_OK)
        return rc;
    gy_sim *s = gy_alloc(1, sizeof *s);
    *s = (gy_sim){.jobs = jobs,
                  .cluster = cluster,
                  .events = events,
                  .opt = *opt,
                  .free_run = GY_NONE,
                  .wake_us = GY_NEVER,
                  .look_us = GY_NEVER,
                  .first_start_us = GY_NEVER,
                  .last_end_us = GY_NEVER,
                  .last_left_us = GY_NEVER};
    s->layout = gy_layout_create(cluster);
    rc = make_demands(s, e);
    if (rc != GY_OK) {
        gy_sim_free(s);
        return rc;
    }
    s->room = gy_room_create(s->layout, true, s->shares);
    s->gpu_held = s->shares ? gy_alloc(s->layout->gpu0[cluster->nnodes], sizeof *s->gpu_held) : NULL;
    s->node_down = gy_alloc(cluster->nnodes, 1);
    s->node_drained = gy_alloc(cluster->nnodes, 1);
    s->scratch =
        gy_alloc((size_t)s->layout->word0[cluster->nnodes] + cluster->nnodes + 64, sizeof *s->scratch);
    make_queues(s);
    make_users(s);
    make_jobs(s);
    make_followers(s);
    make_window(s);
    *out = s;
    return GY_OK;
}

void gy_sim_free(gy_sim *s)
{
    if (!s)
        return;
    if (s->eligible_us != s->jobs->submit_us)
        free(s->eligible_us);
    void *const memory[] = {
        s->demands,       s->domain,         s->runs,        s->state,           s->start_us,
        s->end_us,        s->run_us,         s->slot,        s->work_us,         s->lost_us,
        s->preemptions,   s->restarts,       s->gpu_time,    s->timer_us,        s->blockers,
        s->followers,     s->first_follower, s->quota_milli, s->quota_max_milli, s->queue_milli,
        s->queue_waiting, s->queue_running,  s->user_milli,  s->user_cpus,       s->user_mem,
        s->user_waiting,  s->user_running,   s->user_held,   s->queue_held,      s->queue_of_event,
        s->node_down,     s->node_drained,   s->gpu_down,    s->gpu_drained,     s->gpu_held,
        s->scratch,
    };
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
    gy_placed_fini(&s->placed);
    gy_heap_fini(&s->heap);
    gy_arena_fini(&s->hold_memory);
    gy_room_free(s->room);
    gy_layout_free(s->layout);
    free(s);
}

/* ---- timers ---- */

void gy_sim_look(gy_sim *s, int64_t at_us)
{
    if (at_us <= s->now_us || at_us >= s->look_us)
        return; /* an earlier one is set: the order is asked again then */
    gy_heap_push(&s->heap, at_us, GY_HEAP_TIMER, GY_HEAP_LOOK);
    s->look_us = at_us;
}

void gy_sim_wake(gy_sim *s, int64_t at_us)
{
    if (at_us <= s->now_us || at_us == GY_NEVER || at_us == s->wake_us)
        return; /* the last one set is for the same time */
    gy_heap_push(&s->heap, at_us, GY_HEAP_TIMER, GY_HEAP_NO_JOB);
    s->wake_us = at_us;
    s->wakes++;
}

void gy_sim_wake_job(gy_sim *s, uint32_t job, int64_t at_us)
{
    if (!s->timer_us)
        s->timer_us = times(s->jobs->n, GY_NEVER);
    bool waits = s->slot[job] == GY_NONE;
    if (waits && s->timer_us[job] == GY_NEVER)
        s->wait_timers++;
    s->timer_us[job] = at_us > s->now_us ? at_us : s->now_us + 1;
    gy_heap_push(&s->heap, s->timer_us[job], GY_HEAP_TIMER, job);
}

/* ---- the clock ---- */

/* Does the event still mean something? */
static bool holds(const void *ctx, gy_heap_event e)
{
    const gy_sim *s = ctx;
    uint32_t x = gy_heap_payload_of(e);
    switch (gy_heap_kind_of(e)) {
    case GY_HEAP_END: return s->runs[x].job != GY_NONE && s->runs[x].end_us == e.t_us;
    case GY_HEAP_TIMER:
        if (x == GY_HEAP_LOOK)
            return s->look_us == e.t_us;
        return x == GY_HEAP_NO_JOB || s->timer_us[x] == e.t_us;
    default: return true;
    }
}

static void drop_stale(gy_sim *s)
{
    while (s->heap.n && !holds(s, s->heap.e[0]))
        gy_heap_pop(&s->heap);
    if (s->heap.n > 64 &&
        s->heap.n > 4 * (size_t)(s->running + s->ineligible + s->wait_timers + s->wakes + 16))
        gy_heap_sweep(&s->heap, holds, s);
}

/* Is there anything to come but timers of no job?  Cluster events matter while somebody waits or stands
 * still. */
static bool alive(const gy_sim *s)
{
    if (s->next_job < s->jobs->n || s->ineligible || s->wait_timers)
        return true;
    bool events = s->events && s->next_event < s->events->n;
    int64_t end = s->opt.window_end_us != GY_NEVER ? s->opt.window_end_us : s->opt.horizon_us;
    if (end == GY_NEVER && s->opt.window_start_us != GY_WINDOW_DEFAULT)
        end = s->window_start_us + 1; /* what the window begins with */
    if (events && end != GY_NEVER && s->events->list[s->next_event].t_us < end)
        return true; /* what is down counts up to there */
    if (s->running == 0)
        return events && s->queued > 0;
    for (size_t i = 0; i < s->heap.n; i++)
        if (gy_heap_kind_of(s->heap.e[i]) == GY_HEAP_END && holds(s, s->heap.e[i]))
            return true;
    return events;
}

static int64_t next_instant(gy_sim *s)
{
    int64_t t = GY_NEVER;
    drop_stale(s);
    if (s->next_job < s->jobs->n)
        t = s->jobs->submit_us[s->next_job];
    if (s->heap.n && s->heap.e[0].t_us < t)
        t = s->heap.e[0].t_us;
    if (s->events && s->next_event < s->events->n && s->events->list[s->next_event].t_us < t)
        t = s->events->list[s->next_event].t_us;
    return t;
}

static bool next_is(gy_sim *s, enum gy_heap_kind kind)
{
    drop_stale(s);
    return s->heap.n && s->heap.e[0].t_us == s->now_us && gy_heap_kind_of(s->heap.e[0]) == kind;
}

static void fire_timer(gy_sim *s, uint32_t job)
{
    s->nevents++;
    if (job == GY_HEAP_LOOK) {
        s->look_us = GY_NEVER;
        s->hooks.look(s->hooks.ctx);
        return;
    }
    if (job == GY_HEAP_NO_JOB) {
        s->wake_us = s->wake_us == s->now_us ? GY_NEVER : s->wake_us;
        s->wakes--;
        s->hooks.timer(s->hooks.ctx, GY_NONE);
        return;
    }
    s->timer_us[job] = GY_NEVER;
    s->wait_timers -= s->slot[job] == GY_NONE;
    s->hooks.timer(s->hooks.ctx, job);
}

/* Everything that happens at now_us, in the order of design.md section 2. */
static void drain_instant(gy_sim *s)
{
    while (next_is(s, GY_HEAP_END))
        gy_sim_end(s, gy_heap_payload_of(gy_heap_pop(&s->heap)), GY_STATE_NONE);
    while (s->events && s->next_event < s->events->n && s->events->list[s->next_event].t_us == s->now_us)
        gy_sim_apply(s, &s->events->list[s->next_event++]);
    while (s->next_job < s->jobs->n && s->jobs->submit_us[s->next_job] == s->now_us)
        gy_sim_submit(s, s->next_job++);
    while (next_is(s, GY_HEAP_ELIGIBLE)) {
        s->ineligible--;
        gy_sim_become_eligible(s, gy_heap_payload_of(gy_heap_pop(&s->heap)));
    }
    while (next_is(s, GY_HEAP_TIMER))
        fire_timer(s, gy_heap_payload_of(gy_heap_pop(&s->heap)));
}

/* Work that is kept, and work of runs that may yet be kept. */
static gy_i128 progress(const gy_sim *s)
{
    gy_i128 work = s->kept_work;
    for (uint32_t k = 0; k < s->nruns; k++) {
        const gy_run *r = &s->runs[k];
        if (r->job != GY_NONE && !r->stalled)
            work += (gy_run_at(s, r, s->now_us).work - r->save0) / r->den * (r->milli + 1);
    }
    return work;
}

static gy_rc check_progress(gy_sim *s, gy_err *e)
{
    if (s->passes % STALL_CHECK)
        return GY_OK;
    gy_i128 work = progress(s);
    if (work > s->best_work) {
        s->best_work = work;
        s->best_pass = s->passes;
    }
    if (s->passes - s->best_pass < s->opt.stall_passes)
        return GY_OK;
    char t[32];
    gy_put_us(t, s->now_us);
    return gy_fail(
        e, GY_ESTALL,
        "no progress: no work has been kept in %llu scheduling passes, up to %s s, with %u jobs running and "
        "%u queued; the policy stops jobs before they can save anything",
        (unsigned long long)(s->passes - s->best_pass), t, s->running, s->queued);
}

static gy_rc one_instant(gy_sim *s, gy_err *e)
{
    drain_instant(s);
    gy_rc rc = GY_OK;
    do {
        s->again = false;
        s->passes++;
        rc = s->hooks.pass(s->hooks.ctx, e);
        if (rc == GY_OK)
            rc = check_progress(s, e);
    } while (rc == GY_OK && s->again);
    if (rc != GY_OK)
        return rc;
    if (s->happened && s->instant)
        s->instant(s->instant_ctx, s->now_us, s->busy_milli, s->down_milli, s->queued, s->queued_milli);
    s->happened = false;
    if (s->opt.check)
        rc = gy_sim_verify(s, e);
    return rc;
}

/* GPUs are busy from one instant to the next: what is held for no time at all does not count. */
void gy_sim_note_busy(gy_sim *s, int64_t until_us)
{
    int64_t from = s->now_us > s->window_start_us ? s->now_us : s->window_start_us;
    int64_t to = until_us < s->window_end_us ? until_us : s->window_end_us;
    if (from < to && s->busy_milli > s->busy_max_milli)
        s->busy_max_milli = s->busy_milli;
}

/* Who observes sees the whole window, also when nothing happens at its start. */
static void show_opening(gy_sim *s)
{
    if (s->instant && next_instant(s) > s->window_start_us)
        s->instant(s->instant_ctx, s->window_start_us, s->busy_milli, s->down_milli, s->queued,
                   s->queued_milli);
}

gy_rc gy_sim_run(gy_sim *s, gy_err *e)
{
    gy_rc rc = GY_OK;
    s->digest = UINT64_C(0x6770757961726431);
    gy_sim_open_window(s);
    if (s->notes.warm_running || s->notes.warm_queued) /* the window opens with a pass of its own */
        rc = one_instant(s, e);
    if (rc == GY_OK)
        show_opening(s);
    while (rc == GY_OK && alive(s)) {
        int64_t t = next_instant(s);
        if (t == GY_NEVER || t >= s->opt.horizon_us)
            break;
        if (t >= CLOCK_MAX_US)
            return gy_fail(
                e, GY_EINVAL,
                "%s: the jobs run for longer than time is counted, some 146,000 years; shorten them",
                s->jobs->file);
        GY_ASSERT(t >= s->now_us);
        gy_sim_note_busy(s, t);
        s->now_us = t;
        rc = one_instant(s, e);
    }
    int64_t end = s->opt.window_end_us != GY_NEVER ? s->opt.window_end_us : s->opt.horizon_us;
    if (rc == GY_OK && end != GY_NEVER && end > s->now_us) {
        gy_sim_note_busy(s, end);
        if (s->running)
            s->now_us = end; /* who runs runs on, who waits for a repair waits on */
    }
    if (rc == GY_OK)
        gy_sim_close_books(s);
    return rc;
}
