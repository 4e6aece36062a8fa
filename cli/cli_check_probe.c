/* cli_check_probe.c - a module in a wrapping: the session sees another table, which passes every call on and
 * watches the answers. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * open() learns which probe it belongs to from a setting that is put before the module's own.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_check_probe_internal.h"

/* ---- notifications ---- */

static void see_time(check_probe *x, const gy_view *v)
{
    int64_t now = x->host->now_us(v);
    x->last_us = now > x->last_us ? now : x->last_us;
}

#define PASS_ON(member, ...)                                                                                 \
    do {                                                                                                     \
        const gy_notify *n_ = x->module->notify;                                                             \
        if (n_ && GY_HAS(n_, member) && n_->member)                                                          \
            n_->member(x->self, v, __VA_ARGS__);                                                             \
        see_time(x, v);                                                                                      \
    } while (0)

static void on_submit(void *self, gy_view *v, uint32_t job)
{
    check_probe *x = self;
    PASS_ON(submit, job);
    check_keys_forget(x, job);
}

static void on_start(void *self, gy_view *v, uint32_t job)
{
    check_probe *x = self;
    PASS_ON(start, job);
    check_keys_forget(x, job);
}

static void on_stop(void *self, gy_view *v, uint32_t job, uint32_t cause)
{
    check_probe *x = self;
    PASS_ON(stop, job, cause);
    check_keys_forget(x, job);
    check_admit_lift(x, x->w->jobs->queue[job]);
}

static void on_end(void *self, gy_view *v, uint32_t job, uint32_t state)
{
    check_probe *x = self;
    PASS_ON(end, job, state);
    check_keys_forget(x, job);
    check_admit_lift(x, x->w->jobs->queue[job]);
}

static void on_node(void *self, gy_view *v, uint32_t node, uint32_t up)
{
    check_probe *x = self;
    PASS_ON(node, node, up);
}

static void on_quota(void *self, gy_view *v, uint32_t queue)
{
    check_probe *x = self;
    PASS_ON(quota, queue);
    check_admit_lift(x, queue);
}

static void on_timer(void *self, gy_view *v, uint32_t job)
{
    check_probe *x = self;
    PASS_ON(timer, job);
    check_keys_forget(x, job);
}

/* ---- stages ---- */

static void wrap_key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    check_probe *x = self;
    see_time(x, v);
    check_key_ask(x, v, job, out);
}

static int64_t wrap_next_look(void *self, gy_view *v)
{
    check_probe *x = self;
    const gy_order_ops *o = x->module->ops;
    see_time(x, v);
    check_keys_look(x, v);
    return GY_HAS(o, next_look) && o->next_look ? o->next_look(x->self, v) : GY_FOREVER;
}

static int wrap_admit(void *self, gy_view *v, uint32_t job)
{
    check_probe *x = self;
    see_time(x, v);
    return check_admit_ask(x, v, job);
}

static int wrap_feasible(void *self, gy_view *v, uint32_t job)
{
    check_probe *x = self;
    const gy_admit_ops *o = x->module->ops;
    see_time(x, v);
    return o->feasible(x->self, v, job);
}

static int wrap_place(void *self, gy_space *s, const gy_request *r)
{
    return check_place_ask(self, s, r);
}

static int wrap_select(void *self, gy_view *v, gy_trial *t, uint32_t job)
{
    check_probe *x = self;
    const gy_evict_ops *o = x->module->ops;
    see_time(x, v);
    check_keys_look(x, v);
    return o->select(x->self, v, t, job);
}

static uint32_t wrap_blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{
    check_probe *x = self;
    const gy_backfill_ops *o = x->module->ops;
    see_time(x, v);
    return o->blocked(x->self, v, job, nth);
}

static void wrap_resize(void *self, gy_view *v)
{
    check_probe *x = self;
    const gy_resize_ops *o = x->module->ops;
    see_time(x, v);
    o->resize(x->self, v);
}

static void wrap_schedule(void *self, gy_view *v)
{
    check_probe *x = self;
    const gy_schedule_ops *o = x->module->ops;
    see_time(x, v);
    o->schedule(x->self, v);
}

static void take_key(check_probe *x, check_key_fn *key, uint32_t lanes, uint32_t change, uint32_t slope_kind)
{
    x->key = key;
    x->lanes = lanes;
    x->change = change;
    x->slope_kind = slope_kind;
    /* The probe itself reads how much work was done. */
    if (key && change == GY_KEY_LINEAR && x->table.knowledge < GY_K2_ATTAINED)
        x->table.knowledge = GY_K2_ATTAINED;
}

static void wrap_ops(check_probe *x)
{
    const gy_admit_ops *admit = x->module->ops;
    switch (x->stage) {
    case GY_STAGE_ORDER:
        gy_stage_ops_copy(&x->ops, x->module);
        x->ops.size = sizeof x->ops.order;
        take_key(x, x->ops.order.key, x->ops.order.lanes, x->ops.order.change, x->ops.order.slope_kind);
        x->ops.order.key = x->key ? wrap_key : NULL;
        x->ops.order.next_look = wrap_next_look;
        break;
    case GY_STAGE_ADMIT:
        x->ops.admit = (gy_admit_ops){sizeof x->ops.admit, 0, wrap_admit, NULL};
        if (GY_HAS(admit, feasible) && admit->feasible)
            x->ops.admit.feasible = wrap_feasible;
        break;
    case GY_STAGE_PLACE: x->ops.place = (gy_place_ops){sizeof x->ops.place, 0, wrap_place}; break;
    case GY_STAGE_EVICT:
        gy_stage_ops_copy(&x->ops, x->module);
        x->ops.size = sizeof x->ops.evict;
        take_key(x, x->ops.evict.key, x->ops.evict.lanes, x->ops.evict.change, x->ops.evict.slope_kind);
        x->ops.evict.key = x->key ? wrap_key : NULL;
        x->ops.evict.select = wrap_select;
        break;
    case GY_STAGE_BACKFILL:
        x->ops.backfill = (gy_backfill_ops){sizeof x->ops.backfill, 0, wrap_blocked};
        break;
    case GY_STAGE_RESIZE: x->ops.resize = (gy_resize_ops){sizeof x->ops.resize, 0, wrap_resize}; break;
    default: x->ops.schedule = (gy_schedule_ops){sizeof x->ops.schedule, 0, wrap_schedule}; break;
    }
    x->table.ops = &x->ops;
}

/* ---- opening and closing ---- */

static int open_probe(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    check_probe *x = (check_probe *)(uintptr_t)values[0].text;
    x->host = host;
    if (x->kind == CHECK_PROBE_GROWTH) {
        x->grown.host = *host;
        x->grown.host.size = sizeof x->grown;
        host = &x->grown.host;
    }
    int rc = x->module->open(&x->self, host, x->given, error, size);
    *self = x->kind == CHECK_PROBE_CLAIMS ? x : x->self;
    return rc;
}

static void close_probe(void *self)
{
    check_probe *x = self;
    x->module->close(x->self);
}

check_probe *check_wrap(check *c, gy_policy *p, uint32_t stage, const check_world *w,
                        enum check_probe_kind kind)
{
    check_probe *x = gy_alloc(1, sizeof *x);
    gy_policy_stage *st = &p->stage[stage];
    *x = (check_probe){.c = c,
                       .w = w,
                       .kind = kind,
                       .stage = stage,
                       .module = st->file.table,
                       .given = st->values,
                       .table = *st->file.table,
                       .last_us = INT64_MIN};
    x->values = gy_alloc((size_t)x->module->nsettings + 1, sizeof *x->values);
    x->values[0].text = (const char *)x;
    x->table.open = open_probe;
    if (kind == CHECK_PROBE_KNOWLEDGE)
        x->table.knowledge--;
    if (kind == CHECK_PROBE_CLAIMS) {
        x->notify = (gy_notify){sizeof x->notify, 0,       on_submit, on_start, on_stop,
                                on_end,           on_node, on_quota,  on_timer};
        x->table.notify = &x->notify;
        x->table.close = close_probe;
        check_claims_open(x);
        wrap_ops(x);
    }
    st->file.table = &x->table;
    st->values = x->values;
    return x;
}

void check_unwrap(check_probe *x, gy_policy *p)
{
    gy_policy_stage *st = &p->stage[x->stage];
    st->file.table = x->module;
    st->values = (gy_value *)x->given;
    if (x->kind == CHECK_PROBE_CLAIMS)
        check_claims_close(x);
    free(x->values);
    free(x);
}

int64_t check_probe_last_us(const check_probe *x)
{
    return x->last_us;
}
