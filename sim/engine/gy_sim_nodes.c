/* gy_sim_nodes.c - nodes and GPUs that go down, are drained and come back; quotas.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A node is closed while it is down or drained.  What is free on a closed node, and what is free of a GPU
 * that is down or drained by itself, counts as down; what is held there counts as held until it is given
 * back.
 */
#include <stdlib.h>

#include "gy_sim_internal.h"

static void change_down(gy_sim *s, int64_t milli)
{
    gy_sim_advance_down(s, s->now_us);
    s->down_milli = (uint64_t)((int64_t)s->down_milli + milli);
}

/* Thousandths that a run holds of each of its GPUs. */
static uint32_t part_of(const gy_sim *s, const gy_run *r)
{
    uint32_t share = gy_sim_demand(s, r->job)->share_milli;
    return share ? share : 1000;
}

/* Of a hold: the GPUs that are out of order by themselves. */
static uint64_t bad_gpus(const gy_sim *s, const gy_hold *h, bool drained_too)
{
    if (!s->gpu_down)
        return 0;
    uint32_t w = s->layout->word0[h->node] + h->word;
    return h->mask & (s->gpu_down[w] | (drained_too ? s->gpu_drained[w] : 0));
}

/* ---- giving back ---- */

void gy_sim_note_held(gy_sim *s, const gy_run *r, int sign)
{
    uint32_t part = part_of(s, r);
    for (uint32_t i = 0; i < r->nholds; i++)
        for (uint64_t m = r->holds[i].mask; m; m &= m - 1) {
            uint32_t g =
                s->layout->gpu0[r->holds[i].node] + 64u * r->holds[i].word + (uint32_t)__builtin_ctzll(m);
            s->gpu_held[g] = (uint16_t)(s->gpu_held[g] + sign * (int)part);
        }
}

gy_hold gy_sim_good_part(const gy_sim *s, gy_hold h)
{
    uint64_t bad = bad_gpus(s, &h, true);
    h.mask &= ~bad;
    h.gpus = (uint16_t)(h.gpus - __builtin_popcountll(bad));
    return h;
}

void gy_sim_toggle(const gy_sim *s, gy_room *room, const gy_run *r, bool give)
{
    const gy_demand *d = gy_sim_demand(s, r->job);
    for (uint32_t i = 0; i < r->nholds; i++) {
        gy_hold h = gy_sim_good_part(s, r->holds[i]);
        if (give)
            gy_room_give(room, d, &h, 1);
        else
            gy_room_take(room, d, &h, 1);
    }
}

void gy_sim_give_back(gy_sim *s, const gy_run *r)
{
    const gy_demand *d = gy_sim_demand(s, r->job);
    int64_t part = part_of(s, r), down = 0;
    for (uint32_t i = 0; i < r->nholds; i++) {
        gy_hold h = gy_sim_good_part(s, r->holds[i]);
        down += (r->holds[i].gpus - h.gpus) * part;
        if (s->room->closed[h.node])
            down += h.gpus * part;
        gy_room_give(s->room, d, &h, 1);
    }
    if (down)
        change_down(s, down);
}

static void close_node(gy_sim *s, uint32_t node)
{
    if (s->room->closed[node])
        return;
    gy_room_close(s->room, node);
    change_down(s, (int64_t)gy_room_node_milli(s->room, node));
}

static void open_node(gy_sim *s, uint32_t node)
{
    if (!s->room->closed[node] || s->node_down[node] || s->node_drained[node])
        return;
    change_down(s, -(int64_t)gy_room_node_milli(s->room, node));
    gy_room_open(s->room, node);
}

/* ---- runs that stand still (--on-failure wait) ---- */

/* GPUs of the run that do not work; a hold without GPUs counts as one. */
static uint32_t count_lost(const gy_sim *s, const gy_run *r)
{
    uint32_t lost = 0;
    for (uint32_t i = 0; i < r->nholds; i++) {
        const gy_hold *h = &r->holds[i];
        if (s->node_down[h->node])
            lost += h->gpus ? h->gpus : 1;
        else
            lost += (uint32_t)__builtin_popcountll(bad_gpus(s, h, false));
    }
    return lost;
}

static uint32_t lost_milli(const gy_sim *s, const gy_run *r)
{
    return r->milli ? r->lost_gpus * part_of(s, r) : 0;
}

/* Books the stretch in which the run stood still: those of its GPUs that work are overhead. */
static void book_stall(gy_sim *s, gy_run *r)
{
    uint32_t whole = r->milli;
    r->milli -= lost_milli(s, r);
    gy_sim_book(s, r, &s->ledger.overhead, r->seg_us, s->now_us);
    r->milli = whole;
    r->seg_us = s->now_us;
}

static void set_lost(gy_sim *s, gy_run *r, uint32_t lost)
{
    int64_t before = lost_milli(s, r);
    r->lost_gpus = lost;
    int64_t change = (int64_t)lost_milli(s, r) - before;
    s->busy_milli = (uint64_t)((int64_t)s->busy_milli - change);
    change_down(s, change);
}

void gy_sim_settle_stall(gy_sim *s, gy_run *r)
{
    if (!r->stalled)
        return;
    book_stall(s, r);
    set_lost(s, r, 0);
    r->stalled = false;
}

static void review_stall(gy_sim *s, uint32_t slot)
{
    gy_run *r = &s->runs[slot];
    uint32_t lost = count_lost(s, r);
    if (lost == r->lost_gpus)
        return;
    book_stall(s, r);
    set_lost(s, r, lost);
    if (lost)
        return;
    r->stalled = false;
    if (!s->restarts)
        s->restarts = gy_alloc(s->jobs->n, sizeof *s->restarts);
    s->restarts[r->job]++;
    r->plan_from_us = s->now_us;
    r->kept_us = (int64_t)(r->save0 / r->den);
    int64_t restore = r->save0 > 0 ? s->opt.restore_cost_us : 0;
    gy_sim_begin_segment(s, slot, s->opt.start_cost_us + restore, r->save0, r->save0);
    gy_heap_push(&s->heap, r->end_us, GY_HEAP_END, slot);
    s->hooks.reloaded(s->hooks.ctx, slot);
}

/* ---- failures ---- */

/* Books the run up to now and its loss; what is saved is what it goes on with. */
static void lose_work(gy_sim *s, gy_run *r)
{
    gy_progress p = gy_run_at(s, r, s->now_us);
    gy_sim_book_segment(s, r, &p);
    int64_t lost = gy_sim_book_loss(s, r, &p, &s->ledger.lost_failure);
    if (lost && !s->lost_us)
        s->lost_us = gy_alloc(s->jobs->n, sizeof *s->lost_us);
    if (lost)
        s->lost_us[r->job] += lost;
    r->work0 = r->save0 = p.saved;
    r->unsaved_us = 0;
    r->seg_us = s->now_us;
    r->end_us = GY_NEVER;
    r->stalled = true;
    r->lost_gpus = 0;
}

static void fail_run(gy_sim *s, uint32_t slot)
{
    gy_run *r = &s->runs[slot];
    s->nevents++;
    if (s->opt.on_failure == GY_FAILURE_REQUEUE) {
        gy_sim_stop(s, slot, false, true);
        return;
    }
    if (!r->stalled)
        lose_work(s, r);
    if (s->opt.on_failure == GY_FAILURE_FAIL)
        gy_sim_end(s, slot, GY_STATE_FAILED);
    else {
        s->hooks.reloaded(s->hooks.ctx, slot);
        review_stall(s, slot);
    }
}

static bool touches(const gy_sim *s, const gy_run *r, uint32_t node, uint32_t gpu)
{
    (void)s;
    for (uint32_t i = 0; i < r->nholds; i++) {
        const gy_hold *h = &r->holds[i];
        if (h->node != node)
            continue;
        if (gpu == GY_NONE || (h->word == gpu / 64 && (h->mask >> (gpu & 63) & 1)))
            return true;
    }
    return false;
}

static void fail_runs_on(gy_sim *s, uint32_t node, uint32_t gpu)
{
    for (uint32_t slot = 0; slot < s->nruns; slot++)
        if (s->runs[slot].job != GY_NONE && touches(s, &s->runs[slot], node, gpu))
            fail_run(s, slot);
}

static void review_stalls(gy_sim *s)
{
    for (uint32_t slot = 0; slot < s->nruns; slot++)
        if (s->runs[slot].job != GY_NONE && s->runs[slot].stalled)
            review_stall(s, slot);
}

/* ---- single GPUs ---- */

/* What of the GPU is held by runs that go on. */
static uint32_t held_of(const gy_sim *s, uint32_t node, uint32_t gpu)
{
    if (s->gpu_held)
        return s->gpu_held[s->layout->gpu0[node] + gpu];
    for (uint32_t slot = 0; slot < s->nruns; slot++)
        if (s->runs[slot].job != GY_NONE && touches(s, &s->runs[slot], node, gpu))
            return 1000;
    return 0;
}

static void lose_gpu(gy_sim *s, uint32_t node, uint32_t gpu)
{
    uint32_t lost = gy_room_lose_gpu(s->room, node, gpu);
    if (!s->room->closed[node])
        change_down(s, lost);
}

static void regain_gpu(gy_sim *s, uint32_t node, uint32_t gpu)
{
    uint32_t free = 1000 - held_of(s, node, gpu);
    if (free == 0)
        return;
    gy_room_regain_gpu(s->room, node, gpu, free);
    if (!s->room->closed[node])
        change_down(s, -(int64_t)free);
}

static void apply_to_gpu(gy_sim *s, const gy_cluster_event *ev)
{
    uint32_t words = s->layout->word0[s->cluster->nnodes];
    if (!s->gpu_down) {
        s->gpu_down = gy_alloc(words, sizeof *s->gpu_down);
        s->gpu_drained = gy_alloc(words, sizeof *s->gpu_drained);
    }
    uint32_t w = s->layout->word0[ev->node] + ev->gpu / 64;
    uint64_t bit = (uint64_t)1 << (ev->gpu & 63);
    bool drain = ev->kind == GY_EVENT_DRAIN || ev->kind == GY_EVENT_UNDRAIN;
    bool out = ev->kind == GY_EVENT_DOWN || ev->kind == GY_EVENT_DRAIN;
    uint64_t *mine = drain ? &s->gpu_drained[w] : &s->gpu_down[w];
    uint64_t other = drain ? s->gpu_down[w] : s->gpu_drained[w];
    if (out == ((*mine & bit) != 0))
        return;
    *mine ^= bit;
    if (out) {
        if (!drain)
            fail_runs_on(s, ev->node, ev->gpu);
        if (!(other & bit))
            lose_gpu(s, ev->node, ev->gpu);
    } else {
        if (!(other & bit))
            regain_gpu(s, ev->node, ev->gpu);
        review_stalls(s);
    }
}

/* ---- events ---- */

static void apply_to_node(gy_sim *s, const gy_cluster_event *ev)
{
    uint32_t node = ev->node;
    switch (ev->kind) {
    case GY_EVENT_DOWN:
        if (s->node_down[node])
            return;
        s->node_down[node] = 1;
        fail_runs_on(s, node, GY_NONE);
        close_node(s, node);
        break;
    case GY_EVENT_UP:
        s->node_down[node] = 0;
        open_node(s, node);
        review_stalls(s);
        break;
    case GY_EVENT_DRAIN:
        s->node_drained[node] = 1;
        close_node(s, node);
        break;
    default: /* undrain */
        s->node_drained[node] = 0;
        open_node(s, node);
        break;
    }
}

void gy_sim_find_quota_max(gy_sim *s, uint32_t queue, size_t first)
{
    int64_t most = s->quota_milli[queue];
    for (size_t i = first; s->events && i < s->events->n && most >= 0; i++) {
        const gy_cluster_event *ev = &s->events->list[i];
        if (ev->kind != GY_EVENT_QUOTA || s->queue_of_event[ev->queue] != queue)
            continue;
        if (ev->quota_milli < 0 || ev->quota_milli > most) /* a quota that is lifted is endless */
            most = ev->quota_milli;
    }
    s->quota_max_milli[queue] = most;
}

void gy_sim_apply(gy_sim *s, const gy_cluster_event *ev)
{
    s->nevents++;
    s->happened = true;
    if (ev->kind == GY_EVENT_QUOTA) {
        uint32_t q = s->queue_of_event[ev->queue];
        if (q == GY_NONE)
            return;
        s->quota_milli[q] = ev->quota_milli;
        gy_sim_find_quota_max(s, q, (size_t)(ev - s->events->list) + 1);
        s->hooks.quota(s->hooks.ctx, q);
        return;
    }
    if (ev->gpu == GY_NONE)
        apply_to_node(s, ev);
    else
        apply_to_gpu(s, ev);
    s->hooks.node(s->hooks.ctx, ev->node);
}
