/* gy_sim_check.c - the end of the books, both conservation laws, and the self-check of GY_CHECK=1.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gy_sim_internal.h"

/* ---- closing ---- */

/* What still runs is useful so far; what stands still is booked up to now. */
static void book_running(gy_sim *s)
{
    for (uint32_t k = 0; k < s->nruns; k++) {
        gy_run *r = &s->runs[k];
        if (r->job == GY_NONE)
            continue;
        s->run_us[r->job] += s->now_us - r->start_us;
        if (r->stalled) {
            gy_sim_settle_stall(s, r);
            continue;
        }
        gy_progress p = gy_run_at(s, r, s->now_us);
        gy_sim_book_segment(s, r, &p);
    }
}

static void find_window_end(gy_sim *s)
{
    if (s->window_end_us != GY_NEVER)
        return;
    if (s->running) {
        s->window_end_us = s->now_us > s->window_start_us ? s->now_us : s->window_start_us;
        return;
    }
    s->window_end_us = s->last_left_us == GY_NEVER ? s->now_us : s->last_left_us;
    if (s->window_end_us < s->window_start_us)
        s->window_end_us = s->window_start_us;
    if (s->now_us > s->window_end_us) { /* what came after the last end is not in the window */
        s->ledger.down = s->down_at_last_left;
        s->down_since_us = s->now_us;
    }
}

void gy_sim_close_books(gy_sim *s)
{
    if (s->opt.horizon_us != GY_NEVER && s->now_us < s->opt.horizon_us) {
        gy_sim_note_busy(s, s->opt.horizon_us);
        s->now_us = s->opt.horizon_us;
    }
    book_running(s);
    find_window_end(s);
    int64_t until = s->window_end_us > s->now_us ? s->window_end_us : s->now_us;
    if (s->down_since_us < until)
        gy_sim_advance_down(s, until);
    gy_ledger *l = &s->ledger;
    l->installed = (gy_i128)s->cluster->gpus * 1000 * (s->window_end_us - s->window_start_us);
    l->idle = l->installed - l->useful - l->overhead - l->lost_preemption - l->lost_failure - l->down;
    GY_ASSERT(l->idle >= 0 && l->useful >= 0 && l->overhead >= 0 && l->lost_preemption >= 0 &&
              l->lost_failure >= 0);
    GY_ASSERT(s->held == l->useful + l->overhead + l->lost_preemption + l->lost_failure);
    s->notes.stuck = s->opt.horizon_us == GY_NEVER ? s->queued : 0;
    s->outcome = (gy_outcome){
        .jobs = s->jobs,
        .cluster = s->cluster,
        .state = s->state,
        .start_us = s->start_us,
        .end_us = s->end_us,
        .eligible_us = s->eligible_us,
        .run_us = s->run_us,
        .preemptions = s->preemptions,
        .restarts = s->restarts,
        .lost_us = s->lost_us,
        .window_start_us = s->window_start_us,
        .window_end_us = s->window_end_us,
        .count_until_us = s->opt.window_end_us != GY_NEVER ? s->opt.window_end_us : s->opt.horizon_us,
        .first_start_us = s->first_start_us,
        .last_end_us = s->last_end_us,
        .ledger = s->ledger,
        .held = s->held,
        .busy_max_milli = s->busy_max_milli,
        .user_held = s->user_held,
        .queue_held = s->queue_held,
        .events = s->nevents,
        .passes = s->passes,
        .starts = s->starts,
        .stops = s->stops,
        .digest = s->digest,
        .placed = &s->placed,
    };
}

/* ---- self-check ---- */

static gy_rc broken(const gy_sim *s, gy_err *e, const char *what)
{
    char t[32];
    gy_put_us(t, s->now_us);
    return gy_fail(e, GY_EINVAL, "self-check at %s s: %s", t, what);
}

/* Rebuilds what is held on every node from the runs and compares it with the room. */
static gy_rc check_room(const gy_sim *s, gy_err *e)
{
    const gy_layout *l = s->layout;
    uint32_t nnodes = s->cluster->nnodes;
    gy_room *fresh = gy_room_create(l, true, s->shares);
    gy_rc rc = GY_OK;
    for (uint32_t k = 0; k < s->nruns && rc == GY_OK; k++) {
        const gy_run *r = &s->runs[k];
        for (uint32_t i = 0; r->job != GY_NONE && i < r->nholds; i++)
            if (!s->shares && (fresh->mask[l->word0[r->holds[i].node] + r->holds[i].word] &
                               r->holds[i].mask) != r->holds[i].mask)
                rc = broken(s, e, "two jobs hold one GPU");
        if (r->job != GY_NONE && rc == GY_OK)
            gy_room_take(fresh, gy_sim_demand(s, r->job), r->holds, r->nholds);
    }
    for (uint32_t i = 0; i < nnodes && s->gpu_down; i++)
        for (uint32_t g = 0; g < l->gpu0[i + 1] - l->gpu0[i]; g++)
            if ((s->gpu_down[l->word0[i] + g / 64] | s->gpu_drained[l->word0[i] + g / 64]) >> (g & 63) & 1)
                gy_room_lose_gpu(fresh, i, g);
    for (uint32_t i = 0; i < nnodes && rc == GY_OK; i++) {
        if (s->room->closed[i] != (s->node_down[i] | s->node_drained[i]))
            rc = broken(s, e, "a node is open though it is down, or the other way round");
        else if (s->room->free[i] != fresh->free[i])
            rc = broken(s, e, "a node's count of free GPUs is wrong");
        else if ((s->room->cpus && s->room->cpus[i] != fresh->cpus[i]) ||
                 (s->room->mem && s->room->mem[i] != fresh->mem[i]))
            rc = broken(s, e, "a node's free CPUs or memory are wrong");
    }
    if (rc == GY_OK && memcmp(s->room->mask, fresh->mask, l->word0[nnodes] * sizeof *fresh->mask) != 0)
        rc = broken(s, e, "the mask of free GPUs is wrong");
    if (rc == GY_OK && s->shares &&
        memcmp(s->room->gpu_milli, fresh->gpu_milli, l->gpu0[nnodes] * sizeof *fresh->gpu_milli) != 0)
        rc = broken(s, e, "the free part of a shared GPU is wrong");
    gy_room_free(fresh);
    return rc;
}

static gy_rc check_counts(const gy_sim *s, gy_err *e)
{
    uint64_t busy = 0, free = 0, queued_milli = 0;
    uint32_t running = 0, queued = 0;
    for (uint32_t k = 0; k < s->nruns; k++) {
        const gy_run *r = &s->runs[k];
        if (r->job == GY_NONE)
            continue;
        running++;
        if (s->slot[r->job] != k || s->state[r->job] != GY_STATE_RUNNING)
            return broken(s, e, "a slot and its job disagree");
        if (!r->stalled && r->end_us < s->now_us)
            return broken(s, e, "a run is past its end");
        uint32_t part = gy_sim_demand(s, r->job)->share_milli;
        busy += r->milli - (r->milli ? r->lost_gpus * (part ? part : 1000) : 0);
    }
    for (uint32_t i = 0; i < s->cluster->nnodes; i++)
        free += s->room->closed[i] ? 0 : gy_room_node_milli(s->room, i);
    for (uint32_t j = 0; j < s->jobs->n; j++)
        if (gy_sim_waits(s, j) && j < s->next_job) {
            queued++;
            queued_milli += gy_sim_demand(s, j)->gpus_milli;
        }
    if (running != s->running || queued != s->queued || queued_milli != s->queued_milli)
        return broken(s, e, "the numbers of running and queued jobs are wrong");
    if (busy != s->busy_milli || busy + free + s->down_milli != s->cluster->gpus * 1000)
        return broken(s, e, "busy, free and down GPUs do not add up");
    return GY_OK;
}

gy_rc gy_sim_verify(const gy_sim *s, gy_err *e)
{
    gy_rc rc = check_room(s, e);
    if (rc == GY_OK)
        rc = check_counts(s, e);
    return rc == GY_OK ? s->hooks.check(s->hooks.ctx, e) : rc;
}
