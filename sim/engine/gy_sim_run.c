/* gy_sim_run.c - the course of a run in closed form, and the books of the GPUs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run has no events of its own but its end.  Where it stands at any time follows from its segment: first
 * the pause (start and restore), then work, with a pause for each checkpoint.  All of it is counted in parts
 * (see gy_run), in which a microsecond on the clock is worth `num`.
 */
#include "gy_sim_internal.h"

static gy_i128 checkpoint_parts(const gy_sim *s, const gy_run *r)
{
    int64_t interval = gy_job_checkpoint(s->jobs, r->job);
    return interval == GY_NEVER ? 0 : (gy_i128)interval * r->den;
}

static int64_t ceil_div(gy_i128 a, uint32_t b)
{
    return (int64_t)((a + b - 1) / b);
}

int64_t gy_run_end(const gy_sim *s, const gy_run *r)
{
    gy_i128 total = (gy_i128)gy_job_work(s->jobs, r->job) * r->den, interval = checkpoint_parts(s, r);
    gy_i128 pauses = 0;
    /* Checkpoints fall due at save0 + k * interval; none when the work is done. */
    if (interval > 0 && total > r->save0)
        pauses = (total - r->save0 - 1) / interval;
    gy_i128 work_us = ceil_div(total > r->work0 ? total - r->work0 : 0, r->num);
    gy_i128 end = (gy_i128)r->seg_us + r->pause_us + work_us + pauses * s->opt.checkpoint_cost_us;
    return end >= GY_NEVER ? GY_NEVER - 1 : (int64_t)end;
}

/* The part of a segment behind its first pause: `e` microseconds of it, counted in parts. */
static void course(const gy_sim *s, const gy_run *r, gy_i128 e, gy_progress *p)
{
    gy_i128 interval = checkpoint_parts(s, r);
    gy_i128 cost = (gy_i128)s->opt.checkpoint_cost_us * r->num;
    gy_i128 first = interval ? r->save0 + interval - r->work0 : 0; /* until the first checkpoint */
    if (!interval || e < first) {
        p->work = r->work0 + e;
        p->saved = r->save0;
        p->unsaved_us = r->unsaved_us + (int64_t)(e / r->num);
        return;
    }
    e -= first;
    gy_i128 period = interval + cost, k = e / period, in = e % period;
    p->work = r->save0 + (k + 1) * interval;
    p->overhead_us += (int64_t)((k * cost + (in < cost ? in : cost)) / r->num);
    if (in < cost) { /* the checkpoint being written does not count yet */
        p->saved = p->work - interval;
        p->unsaved_us = k ? (int64_t)(interval / r->num) : r->unsaved_us + (int64_t)(first / r->num);
        p->in_pause_us = (int64_t)(in / r->num);
        p->pause_left_us = s->opt.checkpoint_cost_us - p->in_pause_us;
    } else {
        p->saved = p->work;
        p->work += in - cost;
        p->unsaved_us = (int64_t)((in - cost) / r->num);
    }
}

gy_progress gy_run_at(const gy_sim *s, const gy_run *r, int64_t t_us)
{
    gy_progress p = {.work = r->work0, .saved = r->save0, .unsaved_us = r->unsaved_us};
    int64_t elapsed = t_us - r->seg_us;
    GY_ASSERT(elapsed >= 0);
    if (r->stalled)
        return p;
    if (elapsed < r->pause_us) {
        p.overhead_us = p.in_pause_us = elapsed;
        p.pause_left_us = r->pause_us - elapsed;
        return p;
    }
    p.overhead_us = r->pause_us;
    course(s, r, (gy_i128)(elapsed - r->pause_us) * r->num, &p);
    gy_i128 total = (gy_i128)gy_job_work(s->jobs, r->job) * r->den;
    if (p.work > total) /* the last part of a microsecond of a resized run */
        p.work = total;
    return p;
}

/* ---- the books ---- */

static int64_t clip(const gy_sim *s, int64_t t_us)
{
    if (t_us < s->window_start_us)
        return s->window_start_us;
    return t_us > s->window_end_us ? s->window_end_us : t_us;
}

void gy_sim_book(gy_sim *s, const gy_run *r, gy_i128 *account, int64_t a, int64_t b)
{
    gy_i128 time = (gy_i128)(clip(s, b) - clip(s, a)) * r->milli;
    *account += time;
    s->held += time;
    s->user_held[s->jobs->user[r->job]] += time;
    s->queue_held[s->jobs->queue[r->job]] += time;
}

/* How much of the segment up to `t` was overhead. */
static int64_t overhead_until(const gy_sim *s, const gy_run *r, int64_t t_us)
{
    return t_us <= r->seg_us ? 0 : gy_run_at(s, r, t_us).overhead_us;
}

void gy_sim_book_segment(gy_sim *s, const gy_run *r, const gy_progress *p)
{
    int64_t a = clip(s, r->seg_us), b = clip(s, s->now_us);
    if (a >= b)
        return;
    int64_t over = b == s->now_us ? p->overhead_us : overhead_until(s, r, b);
    if (a > r->seg_us)
        over -= overhead_until(s, r, a);
    gy_i128 time = (gy_i128)(b - a) * r->milli;
    s->ledger.overhead += (gy_i128)over * r->milli;
    s->ledger.useful += time - (gy_i128)over * r->milli;
    s->held += time;
    s->user_held[s->jobs->user[r->job]] += time;
    s->queue_held[s->jobs->queue[r->job]] += time;
}

int64_t gy_sim_book_loss(gy_sim *s, const gy_run *r, const gy_progress *p, gy_i128 *account)
{
    /* What is lost was done in one stretch that ends now, or where the present pause began. */
    int64_t b = s->now_us - p->in_pause_us, a = b - p->unsaved_us;
    gy_i128 time = (gy_i128)(clip(s, b) - clip(s, a)) * r->milli;
    s->ledger.useful -= time;
    *account += time;
    return (int64_t)((p->work - p->saved) / r->den);
}

void gy_sim_advance_down(gy_sim *s, int64_t t_us)
{
    s->ledger.down += (gy_i128)(clip(s, t_us) - clip(s, s->down_since_us)) * (int64_t)s->down_milli;
    s->down_since_us = t_us;
}
