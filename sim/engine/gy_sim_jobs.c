/* gy_sim_jobs.c - the life of a job: submitted, eligible, started, stopped, ended.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "gy_sim_internal.h"

/* What a decision does to the digest: one step, whatever its kind. */
static void note_decision(gy_sim *s, uint32_t code, uint32_t job, const gy_hold *h, uint32_t n)
{
    gy_sim_fold(s, (uint64_t)s->now_us);
    gy_sim_fold(s, (uint64_t)code << 32 | job);
    for (uint32_t i = 0; i < n; i++) {
        gy_sim_fold(s, (uint64_t)h[i].node << 32 | (uint64_t)h[i].word << 16 | h[i].gpus);
        gy_sim_fold(s, h[i].mask);
    }
    s->happened = true;
}

/* ---- the queue ---- */

static void enqueue(gy_sim *s, uint32_t job, enum gy_waits_why why)
{
    s->state[job] = GY_STATE_QUEUED;
    s->queued++;
    s->queued_milli += gy_sim_demand(s, job)->gpus_milli;
    s->queue_waiting[s->jobs->queue[job]]++;
    s->user_waiting[s->jobs->user[job]]++;
    s->happened = true;
    s->hooks.waits(s->hooks.ctx, job, why);
}

static void dequeue(gy_sim *s, uint32_t job)
{
    s->queued--;
    s->queued_milli -= gy_sim_demand(s, job)->gpus_milli;
    s->queue_waiting[s->jobs->queue[job]]--;
    s->user_waiting[s->jobs->user[job]]--;
    if (s->timer_us && s->timer_us[job] != GY_NEVER) {
        s->timer_us[job] = GY_NEVER;
        s->wait_timers--;
    }
}

void gy_sim_become_eligible(gy_sim *s, uint32_t job)
{
    if (s->eligible_us != s->jobs->submit_us)
        s->eligible_us[job] = s->now_us;
    enqueue(s, job, GY_WAITS_SUBMITTED);
    s->again = true;
}

/* A submitted job enters the queue, or waits for its begin time, once all predecessors have ended. */
static void release(gy_sim *s, uint32_t job)
{
    int64_t begin = s->jobs->eligible_us ? s->jobs->eligible_us[job] : INT64_MIN;
    if (begin > s->now_us) {
        gy_heap_push(&s->heap, begin, GY_HEAP_ELIGIBLE, job);
        s->ineligible++;
    } else {
        gy_sim_become_eligible(s, job);
    }
}

/* The job is over: whoever waited for it goes on. */
static void free_followers(gy_sim *s, uint32_t job)
{
    if (!s->blockers)
        return;
    for (uint32_t k = s->first_follower[job]; k < s->first_follower[job + 1]; k++) {
        uint32_t next = s->followers[k];
        if (--s->blockers[next] == 0 && s->state[next] == GY_STATE_QUEUED)
            release(s, next);
    }
}

/* Until something happens again, the run ends here: the last time that GPUs were given back, or, while
 * nothing was started, that a job was submitted. */
static void note_left(gy_sim *s)
{
    gy_sim_advance_down(s, s->now_us);
    s->down_at_last_left = s->ledger.down;
    s->last_left_us = s->now_us;
}

void gy_sim_submit(gy_sim *s, uint32_t job)
{
    s->nevents++;
    s->happened = true;
    s->notes.with_model += s->jobs->shapes[s->jobs->shape[job]].model != GY_NAME_NONE;
    if (s->starts == 0)
        note_left(s);
    if (!s->hooks.feasible(s->hooks.ctx, job)) {
        s->state[job] = GY_STATE_INFEASIBLE;
        free_followers(s, job);
        return;
    }
    s->state[job] = GY_STATE_QUEUED;
    if (s->eligible_us != s->jobs->submit_us)
        s->eligible_us[job] = GY_NEVER;
    if (!s->blockers || s->blockers[job] == 0)
        release(s, job);
}

void gy_sim_reject(gy_sim *s, uint32_t job)
{
    dequeue(s, job);
    s->state[job] = GY_STATE_INFEASIBLE;
    note_decision(s, 4, job, NULL, 0);
    free_followers(s, job);
}

/* ---- slots and what they hold ---- */

static uint32_t take_slot(gy_sim *s)
{
    uint32_t slot = s->free_run;
    if (slot != GY_NONE) {
        s->free_run = s->runs[slot].nholds;
    } else {
        slot = s->nruns++;
        GY_ASSERT(slot <= GY_HEAP_PAYLOAD);
        s->runs = gy_reserve(s->runs, &s->runs_cap, s->nruns, sizeof *s->runs);
        memset(&s->runs[slot], 0, sizeof s->runs[slot]);
    }
    return slot;
}

static void drop_holds(gy_sim *s, gy_run *r)
{
    if (r->holds) { /* the list of free ones runs through their first bytes */
        struct gy_free_holds *f = (struct gy_free_holds *)(void *)r->holds;
        f->next = s->free_holds[r->holds_class];
        s->free_holds[r->holds_class] = f;
    }
    r->holds = NULL;
    r->nholds = 0;
}

static void sort_holds(gy_hold *h, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) { /* nearly sorted: the rule takes nodes of one kind in their order */
        gy_hold x = h[i];
        uint32_t k = i;
        for (; k > 0 && h[k - 1].node > x.node; k--)
            h[k] = h[k - 1];
        h[k] = x;
    }
}

void gy_sim_set_holds(gy_sim *s, gy_run *r, const gy_hold *h, uint32_t n)
{
    drop_holds(s, r);
    if (n == 0)
        return;
    uint32_t class = 0;
    while (((uint32_t)1 << class) < n)
        class ++;
    gy_hold *mem = (gy_hold *)(void *)s->free_holds[class];
    if (mem)
        s->free_holds[class] = s->free_holds[class]->next;
    else
        mem = gy_arena_alloc(&s->hold_memory, ((size_t)1 << class) * sizeof *mem);
    memcpy(mem, h, n * sizeof *mem);
    sort_holds(mem, n);
    r->holds = mem;
    r->nholds = n;
    r->holds_class = class;
}

static void count_held(gy_sim *s, const gy_run *r, int sign)
{
    const gy_demand *d = gy_sim_demand(s, r->job);
    uint32_t q = s->jobs->queue[r->job], u = s->jobs->user[r->job];
    s->queue_milli[q] += sign * (int64_t)r->milli;
    s->user_milli[u] += sign * (int64_t)r->milli;
    s->user_cpus[u] += sign * d->cpus_micro;
    s->user_mem[u] += sign * d->mem_micro;
    s->busy_milli = (uint64_t)((int64_t)s->busy_milli + sign * (int64_t)r->milli);
    if (s->gpu_held)
        gy_sim_note_held(s, r, sign);
}

/* ---- start ---- */

void gy_sim_begin_segment(gy_sim *s, uint32_t slot, int64_t pause_us, gy_i128 work, gy_i128 saved)
{
    gy_run *r = &s->runs[slot];
    r->seg_us = s->now_us;
    r->pause_us = pause_us;
    r->work0 = work;
    r->save0 = saved;
    r->end_us = gy_run_end(s, r);
}

static void note_first_start(gy_sim *s, uint32_t job)
{
    if (s->start_us[job] == GY_NEVER) {
        s->start_us[job] = s->now_us;
        if (s->first_start_us == GY_NEVER)
            s->first_start_us = s->now_us;
        return;
    }
    if (!s->restarts)
        s->restarts = gy_alloc(s->jobs->n, sizeof *s->restarts);
    s->restarts[job]++;
}

uint32_t gy_sim_start(gy_sim *s, uint32_t job, const gy_hold *h, uint32_t n)
{
    GY_ASSERT(gy_sim_waits(s, job));
    uint32_t slot = take_slot(s);
    gy_run *r = &s->runs[slot];
    int64_t kept = gy_sim_kept(s, job);
    dequeue(s, job);
    r->job = job;
    r->milli = gy_sim_demand(s, job)->gpus_milli;
    r->lost_gpus = 0;
    r->stalled = false;
    r->start_us = r->plan_from_us = s->now_us;
    r->kept_us = kept;
    r->unsaved_us = 0;
    r->num = r->den = 1;
    gy_sim_set_holds(s, r, h, n);
    gy_placed_set(&s->placed, job, r->holds, r->nholds);
    note_first_start(s, job);
    note_decision(s, 1, job, r->holds, r->nholds);
    gy_sim_begin_segment(s, slot, s->opt.start_cost_us + (kept > 0 ? s->opt.restore_cost_us : 0), kept, kept);
    s->state[job] = GY_STATE_RUNNING;
    s->slot[job] = slot;
    s->starts++;
    s->running++;
    s->queue_running[s->jobs->queue[job]]++;
    s->user_running[s->jobs->user[job]]++;
    count_held(s, r, 1);
    s->hooks.started(s->hooks.ctx, slot);
    if (r->end_us == s->now_us) {
        gy_sim_end(s, slot, GY_STATE_NONE);
        return GY_NONE;
    }
    gy_heap_push(&s->heap, r->end_us, GY_HEAP_END, slot);
    return slot;
}

/* ---- end and stop ---- */

static enum gy_state end_state(const gy_sim *s, uint32_t job)
{
    if (gy_job_limit(s->jobs, job) < s->jobs->duration_us[job])
        return GY_STATE_TIMEOUT;
    switch (s->jobs->log_state[job]) {
    case GY_LOG_FAILED:
    case GY_LOG_NODE_FAIL: return GY_STATE_FAILED;
    case GY_LOG_KILLED:
    case GY_LOG_PREEMPTED: return GY_STATE_KILLED;
    case GY_LOG_TIMEOUT: return GY_STATE_TIMEOUT;
    default: return GY_STATE_FINISHED;
    }
}

/* What stop and end share: the GPUs are given back and the slot is free. */
static void leave(gy_sim *s, uint32_t slot)
{
    gy_run *r = &s->runs[slot];
    uint32_t job = r->job;
    note_left(s);
    gy_sim_settle_stall(s, r);
    count_held(s, r, -1);
    gy_sim_give_back(s, r);
    s->run_us[job] += s->now_us - r->start_us;
    s->queue_running[s->jobs->queue[job]]--;
    s->user_running[s->jobs->user[job]]--;
    s->running--;
    s->slot[job] = GY_NONE;
    if (s->timer_us)
        s->timer_us[job] = GY_NEVER;
    drop_holds(s, r);
    r->job = GY_NONE;
    r->nholds = s->free_run;
    s->free_run = slot;
    s->hooks.left(s->hooks.ctx, job);
}

static void add_lost(gy_sim *s, uint32_t job, int64_t lost_us)
{
    if (lost_us == 0)
        return;
    if (!s->lost_us)
        s->lost_us = gy_alloc(s->jobs->n, sizeof *s->lost_us);
    s->lost_us[job] += lost_us;
}

/* GPU time had by jobs whose GPUs change is kept apart; see gy_sim.gpu_time. */
static void add_gpu_time(gy_sim *s, const gy_run *r)
{
    if (s->gpu_time)
        s->gpu_time[r->job] += (gy_i128)(s->now_us - r->seg_us) * r->milli;
}

void gy_sim_end(gy_sim *s, uint32_t slot, enum gy_state state)
{
    gy_run *r = &s->runs[slot];
    uint32_t job = r->job;
    if (state == GY_STATE_NONE)
        state = end_state(s, job);
    if (!r->stalled) {
        gy_progress p = gy_run_at(s, r, s->now_us);
        gy_sim_book_segment(s, r, &p);
        s->kept_work += (p.work - r->save0) / r->den * r->milli;
        add_gpu_time(s, r);
    }
    s->state[job] = (uint8_t)state;
    s->end_us[job] = s->now_us;
    s->last_end_us = s->now_us;
    s->nevents++;
    note_decision(s, 2, job, NULL, 0);
    s->hooks.ending(s->hooks.ctx, slot, state);
    leave(s, slot);
    free_followers(s, job);
}

void gy_sim_stop(gy_sim *s, uint32_t slot, bool keep, bool failure)
{
    gy_run *r = &s->runs[slot];
    uint32_t job = r->job;
    gy_i128 *account = failure ? &s->ledger.lost_failure : &s->ledger.lost_preemption;
    if (!s->work_us)
        s->work_us = gy_alloc(s->jobs->n, sizeof *s->work_us);
    if (!r->stalled) { /* a stalled run was booked when it came to a stand */
        gy_progress p = gy_run_at(s, r, s->now_us);
        gy_sim_book_segment(s, r, &p);
        if (!keep)
            add_lost(s, job, gy_sim_book_loss(s, r, &p, account));
        s->work_us[job] = (int64_t)((keep ? p.work : p.saved) / r->den);
        s->kept_work += ((keep ? p.work : p.saved) - r->save0) / r->den * r->milli;
        add_gpu_time(s, r);
    } else {
        s->work_us[job] = (int64_t)(r->save0 / r->den);
    }
    if (!failure) {
        if (!s->preemptions)
            s->preemptions = gy_alloc(s->jobs->n, sizeof *s->preemptions);
        s->preemptions[job]++;
    }
    s->stops++;
    s->nevents++;
    note_decision(s, failure ? 5 : 3, job, NULL, 0);
    s->hooks.stopping(s->hooks.ctx, slot, failure);
    leave(s, slot);
    enqueue(s, job, failure ? GY_WAITS_FAILED : GY_WAITS_STOPPED);
}

void gy_sim_resize(gy_sim *s, uint32_t slot, const gy_hold *h, uint32_t n)
{
    gy_run *r = &s->runs[slot];
    uint32_t job = r->job, gpus = 0, asked = gy_sim_demand(s, job)->gpus_milli / 1000;
    gy_progress p = gy_run_at(s, r, s->now_us);
    gy_sim_book_segment(s, r, &p);
    if (!s->gpu_time) {
        s->gpu_time = gy_alloc(s->jobs->n, sizeof *s->gpu_time);
        for (uint32_t j = 0; j < s->jobs->n;
             j++) { /* runs so far, and those that go on up to their segment */
            int64_t had = s->run_us[j];
            if (s->slot[j] != GY_NONE)
                had += s->runs[s->slot[j]].seg_us - s->runs[s->slot[j]].start_us;
            s->gpu_time[j] = (gy_i128)had * s->demands[s->jobs->shape[j]].gpus_milli;
        }
    }
    add_gpu_time(s, r);
    count_held(s, r, -1);
    for (uint32_t i = 0; i < n; i++)
        gpus += h[i].gpus;
    gy_sim_set_holds(s, r, h, n);
    gy_placed_set(&s->placed, job, r->holds, r->nholds);
    r->milli = 1000 * gpus;
    count_held(s, r, 1);
    /* Linear scaling: with k of the g GPUs that its length was stated for, k/g of the work is done in the
     * same time. */
    gy_i128 scale = (gy_i128)asked;
    gy_i128 work = p.work * scale / r->den, saved = p.saved * scale / r->den;
    r->den = asked;
    r->num = gpus;
    r->unsaved_us = p.unsaved_us;
    note_decision(s, 6, job, r->holds, r->nholds);
    gy_sim_begin_segment(s, slot, p.pause_left_us, work, saved);
    gy_heap_push(&s->heap, r->end_us, GY_HEAP_END, slot);
}
