/* gy_session.c - making a run, wiring the engine's hooks to the stages, notifications.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_session_internal.h"

/* ---- faults and words ---- */

void gy_fault(gy_session *ss, uint32_t stage, uint32_t job, const char *fmt, ...)
{
    char text[300], t[32], id[24];
    va_list ap;
    if (gy_faulted(ss))
        return; /* the first one counts */
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    gy_put_us(t, ss->sim->now_us);
    gy_fail(&ss->fault, GY_EMODULE, "policy module %s (%s stage) broke a rule at %s s%s%s%s: %s",
            ss->inst[stage].module->name, gy_stage_names[stage], t, job == GY_NONE ? "" : ", job \"",
            job == GY_NONE ? "" : gy_job_id_text(ss->sim->jobs, job, id), job == GY_NONE ? "" : "\"", text);
}

void gy_decide(gy_session *ss, const char *what, uint32_t job, uint32_t reason, const char *text)
{
    if (!ss->log)
        return;
    if (reason) { /* a job that waits for the same reason as before is not news */
        if (ss->last_reason[job] == reason)
            return;
        ss->last_reason[job] = (uint8_t)reason;
    } else if (job != GY_NONE) {
        ss->last_reason[job] = 0;
    }
    ss->log(ss->log_ctx, ss->sim->now_us, what, job, reason, text);
}

#define NOTIFY(member, ...)                                                                                  \
    for (uint32_t k_ = 1; k_ < GY_STAGE_END; k_++) {                                                         \
        gy_instance *in_ = &ss->inst[k_];                                                                    \
        const gy_notify *n_ = in_->module ? in_->module->notify : NULL;                                      \
        if (n_ && GY_HAS(n_, member) && n_->member)                                                          \
            n_->member(in_->self, &in_->view, __VA_ARGS__);                                                  \
    }

/* ---- hooks ---- */

static bool on_feasible(void *ctx, uint32_t job)
{
    gy_session *ss = ctx;
    gy_instance *in = &ss->inst[GY_STAGE_ADMIT];
    if (!gy_space_feasible(ss, job))
        return false;
    ss->sim->state[job] = GY_STATE_QUEUED; /* modules may ask about it from here on */
    return !ss->admit || !ss->admit->feasible || ss->admit->feasible(in->self, &in->view, job);
}

static void on_waits(void *ctx, uint32_t job, enum gy_waits_why why)
{
    gy_session *ss = ctx;
    if (why == GY_WAITS_SUBMITTED) {
        gy_estimate_submitted(ss, job);
        NOTIFY(submit, job)
    } else {
        uint32_t cause = why == GY_WAITS_FAILED ? GY_STOPPED_BY_FAILURE : GY_STOPPED_BY_POLICY;
        NOTIFY(stop, job, cause)
        if (why == GY_WAITS_FAILED)
            gy_decide(ss, "fail", job, 0, "");
    }
    if (ss->schedule)
        return;
    if (why == GY_WAITS_SUBMITTED && ss->in_pass)
        gy_list_push(&ss->deferred, job); /* one more pass follows */
    else
        gy_queue_add(ss, job);
}

static uint32_t on_place(void *ctx, uint32_t job, gy_hold *out)
{
    gy_session *ss = ctx;
    bool fits;
    uint32_t n = gy_space_place(ss, job, ss->sim->room, ss->holds, &fits);
    memcpy(out, ss->holds, n * sizeof *out);
    return n;
}

static void soil_queue(gy_session *ss, uint32_t queue)
{
    if (ss->queue_changed[queue])
        return;
    ss->queue_changed[queue] = 1;
    gy_list_push(&ss->changed_queues, queue);
}

/* What the resize stage starts may have become eligible inside the pass, and be on its way to the queue. */
static void unqueue(gy_session *ss, uint32_t job)
{
    bool acting = ss->inst[GY_STAGE_RESIZE].view.acting;
    for (uint32_t i = 0; acting && i < ss->deferred.n; i++)
        if (ss->deferred.v[i] == job) {
            memmove(ss->deferred.v + i, ss->deferred.v + i + 1, (ss->deferred.n - i - 1) * sizeof job);
            ss->deferred.n--;
            return;
        }
    gy_queue_remove(ss, job);
}

static void on_started(void *ctx, uint32_t slot)
{
    gy_session *ss = ctx;
    uint32_t job = ss->sim->runs[slot].job;
    if (ss->pass == 0)
        gy_decide(ss, "load", job, 0, "");
    if (!ss->schedule)
        unqueue(ss, job);
    NOTIFY(start, job) /* keys are those after it */
    gy_evict_started(ss, slot);
    gy_easy_started(ss, slot);
    gy_queue_user_changed(ss, ss->sim->jobs->user[job]);
}

static void on_reloaded(void *ctx, uint32_t slot)
{
    gy_session *ss = ctx;
    gy_easy_forget(ss, gy_sim_domain(ss->sim, ss->sim->runs[slot].job));
    gy_evict_leaving(ss, slot);
    gy_easy_leaving(ss, slot);
    gy_evict_started(ss, slot);
    gy_easy_started(ss, slot);
}

static void leaves(gy_session *ss, uint32_t slot)
{
    uint32_t job = ss->sim->runs[slot].job;
    gy_evict_leaving(ss, slot);
    gy_easy_leaving(ss, slot);
    soil_queue(ss, ss->sim->jobs->queue[job]);
    gy_queue_soil(ss, gy_sim_domain(ss->sim, job), true);
}

static void on_stopping(void *ctx, uint32_t slot, bool failure)
{
    (void)failure;
    leaves(ctx, slot);
}

static void on_ending(void *ctx, uint32_t slot, enum gy_state state)
{
    static const uint32_t ends[GY_STATES] = {[GY_STATE_FINISHED] = GY_END_FINISHED,
                                             [GY_STATE_FAILED] = GY_END_FAILED,
                                             [GY_STATE_KILLED] = GY_END_KILLED,
                                             [GY_STATE_TIMEOUT] = GY_END_TIMEOUT};
    gy_session *ss = ctx;
    uint32_t job = ss->sim->runs[slot].job;
    leaves(ss, slot);
    gy_estimate_ended(ss, job);
    NOTIFY(end, job, ends[state])
    gy_decide(ss, "end", job, 0, gy_state_names[state]);
}

/* After the engine has given the GPUs back, the user's shares have changed. */
static void on_left(void *ctx, uint32_t job)
{
    gy_session *ss = ctx;
    gy_queue_user_changed(ss, ss->sim->jobs->user[job]);
}

static void on_node(void *ctx, uint32_t node)
{
    gy_session *ss = ctx;
    uint32_t domain = ss->sim->layout->domain[node], up = !ss->sim->room->closed[node];
    if (ss->node_closed[node] != !up) {
        ss->node_closed[node] = !up;
        ss->domain_closed[domain] += up ? UINT32_MAX : 1;
        int64_t milli = 1000 * (int64_t)(ss->sim->layout->gpu0[node + 1] - ss->sim->layout->gpu0[node]);
        ss->closed_milli += up ? -milli : milli;
    }
    gy_easy_forget(ss, domain);
    gy_queue_soil(ss, domain, true);
    NOTIFY(node, node, up)
}

static void on_quota(void *ctx, uint32_t queue)
{
    gy_session *ss = ctx;
    soil_queue(ss, queue);
    gy_queue_soil(ss, ss->sim->domain[queue], false);
    NOTIFY(quota, queue)
}

static void on_look(void *ctx)
{
    gy_session *ss = ctx;
    for (uint32_t d = 0; d < ss->sim->layout->ndomains; d++)
        gy_queue_soil(ss, d, false);
}

static void on_timer(void *ctx, uint32_t job)
{
    gy_session *ss = ctx;
    NOTIFY(timer, job)
    if (job == GY_NONE) {
        on_look(ss);
        return;
    }
    bool moves = ss->order->change == GY_KEY_OWN || ss->order->change == GY_KEY_LINEAR;
    if (!ss->schedule && moves && gy_sim_waits(ss->sim, job))
        gy_queue_rekey(ss, job);
    if (ss->sim->slot[job] != GY_NONE) {
        gy_evict_leaving(ss, ss->sim->slot[job]);
        gy_evict_started(ss, ss->sim->slot[job]);
    }
    gy_queue_soil(ss, gy_sim_domain(ss->sim, job), false);
}

static gy_rc on_check(void *ctx, gy_err *e)
{
    gy_session *ss = ctx;
    gy_rc rc = gy_queue_check(ss, e);
    if (rc == GY_OK)
        rc = gy_evict_check(ss, e);
    return rc == GY_OK ? gy_easy_check(ss, e) : rc;
}

/* ---- making ---- */

static gy_rc open_instances(gy_session *ss, gy_err *e)
{
    for (uint32_t k = 1; k < GY_STAGE_END; k++) {
        const gy_policy_stage *st = &ss->policy->stage[k];
        const gy_module *m = st->file.table;
        if (k == GY_STAGE_ADMIT && ss->policy->admit_where_quota && !ss->sim->cluster->has_quota &&
            !(ss->sim->events && ss->sim->events->queues.n))
            m = NULL;
        if (!m)
            continue;
        gy_instance *in = &ss->inst[k];
        char error[300] = "";
        in->view = (gy_view){ss, k, 0};
        in->stream = gy_stream_of(ss->sim->opt.seed, GY_RANDOM_POLICY, k);
        in->module = m;
        if (m->open(&in->self, &gy_host_services, st->values, error, sizeof error)) {
            in->module = NULL;
            return gy_fail(e, GY_EINVAL, "policy module %s (%s stage) cannot start: %s", m->name,
                           gy_stage_names[k], error);
        }
    }
    return GY_OK;
}

static void take_stages(gy_session *ss)
{
    gy_instance *in = ss->inst;
    for (uint32_t k = 1; k < GY_STAGE_END; k++)
        if (in[k].module)
            gy_stage_ops_copy(&in[k].ops, in[k].module);
#define OPS(stage, member) (in[stage].module ? &in[stage].ops.member : NULL)
    ss->order = OPS(GY_STAGE_ORDER, order);
    ss->admit = OPS(GY_STAGE_ADMIT, admit);
    ss->place = OPS(GY_STAGE_PLACE, place);
    ss->evict = OPS(GY_STAGE_EVICT, evict);
    ss->backfill = OPS(GY_STAGE_BACKFILL, backfill);
    ss->resize = OPS(GY_STAGE_RESIZE, resize);
    ss->schedule = OPS(GY_STAGE_SCHEDULE, schedule);
#undef OPS
    GY_ASSERT(in[GY_STAGE_PLACE].module && in[GY_STAGE_BACKFILL].module); /* every policy has them */
    ss->place_flags = in[GY_STAGE_PLACE].module->flags;
    ss->admit_flags = ss->admit ? in[GY_STAGE_ADMIT].module->flags : 0;
    ss->backfill_flags = in[GY_STAGE_BACKFILL].module->flags;
}

static void sum_hosts(gy_session *ss)
{
    const gy_cluster *c = ss->sim->cluster;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        const gy_node_type *t = &c->node_types[c->nodes[i].type];
        ss->cpus_micro += t->cpus_micro > 0 ? t->cpus_micro : 0;
        ss->mem_micro += t->mem_micro > 0 ? t->mem_micro : 0;
    }
}

static bool replays(const gy_module *schedule)
{
    return schedule && strcmp(schedule->name, "recorded") == 0;
}

gy_rc gy_session_create(gy_session **out, const gy_policy *policy, const gy_jobs *jobs,
                        const gy_cluster *cluster, const gy_events *events, const gy_options *options,
                        gy_err *e)
{
    gy_session *ss = gy_alloc(1, sizeof *ss);
    ss->policy = policy;
    ss->resized_us = INT64_MIN;
    gy_rc rc = GY_OK;
    const gy_module *schedule = policy->stage[GY_STAGE_SCHEDULE].file.table;
    if (replays(schedule) && !jobs->log_start_us)
        rc = gy_fail(e, GY_EINVAL,
                     "%s: the trace has no start_s, so there is nothing that policy \"%s\" could replay",
                     jobs->file, policy->spec);
    if (rc == GY_OK)
        rc = gy_sim_create(&ss->sim, jobs, cluster, events, options, e);
    if (rc != GY_OK) {
        free(ss);
        return rc;
    }
    ss->sim->hooks = (gy_sim_hooks){ss,          on_feasible, on_waits,  on_place, on_started,
                                    on_reloaded, on_stopping, on_ending, on_left,  on_node,
                                    on_quota,    on_timer,    on_look,   gy_pass,  on_check};
    ss->holds =
        gy_alloc((size_t)ss->sim->layout->word0[cluster->nnodes] + cluster->nnodes + 64, sizeof *ss->holds);
    ss->node_closed = gy_alloc(cluster->nnodes, 1);
    rc = open_instances(ss, e);
    if (rc == GY_OK) {
        take_stages(ss);
        sum_hosts(ss);
        gy_estimate_init(ss);
        gy_queue_init(ss);
        gy_evict_init(ss);
        *out = ss;
    } else {
        gy_session_free(ss);
    }
    return rc;
}

void gy_session_free(gy_session *ss)
{
    if (!ss)
        return;
    for (uint32_t k = 1; k < GY_STAGE_END; k++)
        if (ss->inst[k].module)
            ss->inst[k].module->close(ss->inst[k].self);
    gy_queue_fini(ss);
    gy_evict_fini(ss);
    gy_easy_fini(ss);
    gy_space_fini(ss);
    gy_estimate_fini(ss);
    gy_room_free(ss->plan);
    gy_actions_fini(ss);
    free(ss->node_closed);
    free(ss->last_reason);
    gy_sim_free(ss->sim);
    free(ss);
}

/* ---- running ---- */

void gy_session_observe(gy_session *ss, gy_instant_fn *fn, void *ctx)
{
    ss->sim->instant = fn;
    ss->sim->instant_ctx = ctx;
}

void gy_session_log(gy_session *ss, gy_decision_fn *fn, void *ctx)
{
    ss->log = fn;
    ss->log_ctx = ctx;
    if (!ss->last_reason)
        ss->last_reason = gy_alloc(ss->sim->jobs->n, 1);
}

gy_rc gy_session_run(gy_session *ss, gy_err *e)
{
    gy_rc rc = gy_sim_run(ss->sim, e);
    if (rc == GY_OK && gy_faulted(ss)) { /* in the last notifications */
        *e = ss->fault;
        rc = ss->fault.rc;
    }
    return rc;
}

const gy_outcome *gy_session_outcome(const gy_session *ss)
{
    return &ss->sim->outcome;
}
const gy_sim_notes *gy_session_notes(const gy_session *ss)
{
    return &ss->sim->notes;
}

bool gy_session_plans_blindly(const gy_session *ss)
{
    return ss->backfill_flags & GY_PLANS && !ss->schedule && !ss->estimates_seen && ss->sim->starts > 0;
}

uint32_t gy_session_late_replays(const gy_session *ss)
{
    const gy_sim *s = ss->sim;
    uint32_t late = 0;
    if (!replays(ss->inst[GY_STAGE_SCHEDULE].module))
        return 0;
    for (uint32_t j = 0; j < s->jobs->n; j++)
        late += s->start_us[j] != GY_NEVER && s->start_us[j] != gy_job_log_start(s->jobs, j);
    return late;
}

uint32_t gy_session_placed_elsewhere(const gy_session *ss)
{
    return replays(ss->inst[GY_STAGE_SCHEDULE].module) ? ss->elsewhere : 0;
}

bool gy_session_lacks_users(const gy_session *ss)
{
    const gy_names *users = &ss->sim->jobs->users;
    return !ss->schedule && ss->order->change == GY_KEY_USER && users->n == 1 && gy_names_len(users, 0) == 0;
}

const char *gy_session_admission(const gy_session *ss)
{
    return ss->admit ? ss->inst[GY_STAGE_ADMIT].module->name : "none";
}
