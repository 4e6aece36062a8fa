/* gy_services.c - the facts that the host lends to modules (see gpuyard/policy.h), each within the module's
 * knowledge. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "gy_actions_internal.h"
#include "gy_session_internal.h"

static gy_sim *sim_of(const gy_view *v)
{
    return v->ss->sim;
}

static bool known_job(gy_view *v, uint32_t job)
{
    gy_sim *sim = sim_of(v);
    if (job < sim->jobs->n && sim->state[job] != GY_STATE_NONE)
        return true;
    gy_fault(v->ss, v->stage, GY_NONE,
             "it asks for job number %u, which does not exist or was not submitted yet", job);
    return false;
}

/* May this module read facts of that class? */
static bool may_know(gy_view *v, uint32_t class, uint32_t job, const char *what)
{
    const gy_module *m = v->ss->inst[v->stage].module;
    if (!known_job(v, job))
        return false;
    if (m->knowledge >= class)
        return true;
    gy_fault(v->ss, v->stage, job, "it reads the %s of a job (class K%u) and declares class K%u", what, class,
             m->knowledge);
    return false;
}

/* Copies as much of a filled table as the caller knows. */
static void give(void *out, size_t size, const void *filled, size_t all)
{
    memset(out, 0, size);
    memcpy(out, filled, size < all ? size : all);
}

static int64_t now_us(const gy_view *v)
{
    return sim_of(v)->now_us;
}

static void job_info(gy_view *v, uint32_t job, gy_job_info *out, size_t size)
{
    gy_sim *sim = sim_of(v);
    const gy_jobs *t = sim->jobs;
    gy_job_info f = {0};
    if (known_job(v, job)) {
        const gy_shape *s = gy_job_shape(t, job);
        f = (gy_job_info){.submit_us = t->submit_us[job],
                          .eligible_us = sim->eligible_us[job],
                          .gpus_milli = s->gpus_milli,
                          .tasks = s->tasks,
                          .min_gpus = s->min_gpus,
                          .max_gpus = s->max_gpus,
                          .user = t->user[job],
                          .group = t->group[job],
                          .queue = t->queue[job],
                          .shape = t->shape[job],
                          .stops = (sim->preemptions ? sim->preemptions[job] : 0),
                          .priority = gy_job_priority(t, job),
                          .cpus_micro = s->cpus_micro,
                          .mem_micro = s->mem_micro,
                          .gpu_mem_micro = s->gpu_mem_micro};
        f.flags = (t->flags[job] & GY_JOB_NOT_PREEMPTIBLE ? 0 : GY_JOB_IS_PREEMPTIBLE) |
                  (t->flags[job] & GY_JOB_SPOT ? GY_JOB_IS_SPOT : 0) |
                  (sim->slot[job] != GY_NONE ? GY_JOB_IS_RUNNING : 0);
    }
    give(out, size, &f, sizeof f);
}

static void totals(gy_view *v, gy_totals *out, size_t size)
{
    gy_sim *sim = sim_of(v);
    int64_t gpus = (int64_t)sim->cluster->gpus * 1000;
    gy_totals f = {.nodes = sim->cluster->nnodes,
                   .waiting = sim->queued,
                   .running = sim->running,
                   .users = (uint32_t)sim->jobs->users.n,
                   .groups = (uint32_t)sim->jobs->groups.n,
                   .queues = (uint32_t)sim->jobs->queues.n,
                   .gpus_milli = gpus,
                   .cpus_micro = v->ss->cpus_micro,
                   .mem_micro = v->ss->mem_micro,
                   .gpus_up_milli = gpus - v->ss->closed_milli,
                   .gpus_free_milli = gpus - (int64_t)sim->busy_milli - (int64_t)sim->down_milli};
    give(out, size, &f, sizeof f);
}

static void node_info(gy_view *v, uint32_t node, gy_node_info *out, size_t size)
{
    gy_sim *sim = sim_of(v);
    gy_node_info f = {0};
    if (node < sim->cluster->nnodes) {
        const gy_node *n = &sim->cluster->nodes[node];
        const gy_node_type *t = &sim->cluster->node_types[n->type];
        bool up = !sim->room->closed[node];
        f = (gy_node_info){.gpus = t->gpus,
                           .free = up ? sim->room->free[node] : 0,
                           .gpu_type = t->gpu_type,
                           .queue = n->queue,
                           .nvlink = n->nvlink,
                           .leaf = n->leaf,
                           .pod = n->pod,
                           .up = up,
                           .cpus_micro = t->cpus_micro,
                           .cpus_free_micro = sim->room->cpus ? sim->room->cpus[node] : -1,
                           .mem_micro = t->mem_micro,
                           .mem_free_micro = sim->room->mem ? sim->room->mem[node] : -1};
    } else {
        gy_fault(v->ss, v->stage, GY_NONE, "it asks for node number %u, which does not exist", node);
    }
    give(out, size, &f, sizeof f);
}

static void queue_info(gy_view *v, uint32_t queue, gy_queue_info *out, size_t size)
{
    gy_sim *sim = sim_of(v);
    gy_queue_info f = {0};
    if (queue < sim->jobs->queues.n) {
        const char *name = gy_names_text(&sim->jobs->queues, queue);
        uint32_t cq = gy_cluster_find_queue(sim->cluster, name, strlen(name));
        f = (gy_queue_info){.quota_milli = sim->quota_milli[queue],
                            .quota_max_milli = sim->quota_max_milli[queue],
                            .held_milli = sim->queue_milli[queue],
                            .weight_micro = cq == GY_NONE ? 1000000 : sim->cluster->queues[cq].weight_micro,
                            .waiting = sim->queue_waiting[queue],
                            .running = sim->queue_running[queue]};
    } else {
        gy_fault(v->ss, v->stage, GY_NONE, "it asks for queue number %u, which does not exist", queue);
    }
    give(out, size, &f, sizeof f);
}

static void user_info(gy_view *v, uint32_t user, gy_user_info *out, size_t size)
{
    gy_sim *sim = sim_of(v);
    gy_user_info f = {0};
    if (user < sim->jobs->users.n)
        f = (gy_user_info){sim->user_milli[user], sim->user_cpus[user], sim->user_mem[user],
                           sim->user_waiting[user], sim->user_running[user]};
    else
        gy_fault(v->ss, v->stage, GY_NONE, "it asks for user number %u, who does not exist", user);
    give(out, size, &f, sizeof f);
}

static const char *name(gy_view *v, uint32_t kind, uint32_t number)
{
    const gy_jobs *t = sim_of(v)->jobs;
    const gy_cluster *c = sim_of(v)->cluster;
    const gy_names *names[] = {&t->users, &t->groups, &t->queues};
    if (kind <= GY_NAME_OF_QUEUE && number < names[kind]->n)
        return gy_names_text(names[kind], number);
    if (kind == GY_NAME_OF_NODE && number < c->nnodes) {
        gy_cluster_node_name(c, number, v->ss->name);
        return v->ss->name;
    }
    if (kind == GY_NAME_OF_GPU_TYPE && number < c->ngpu_types)
        return c->gpu_types[number].name;
    return "";
}

static uint32_t next_waiting(gy_view *v, uint32_t job)
{
    gy_sim *sim = sim_of(v);
    for (uint32_t j = job == GY_NIL ? 0 : job + 1; j < sim->next_job; j++)
        if (gy_sim_waits(sim, j))
            return j;
    return GY_NIL;
}

static uint32_t next_running(gy_view *v, uint32_t job)
{
    gy_sim *sim = sim_of(v);
    for (uint32_t j = job == GY_NIL ? 0 : job + 1; j < sim->next_job; j++)
        if (sim->slot[j] != GY_NONE)
            return j;
    return GY_NIL;
}

/* ---- higher classes ---- */

static int64_t limit_us(gy_view *v, uint32_t job)
{
    return may_know(v, GY_K1_LIMIT, job, "time limit") ? gy_job_limit(sim_of(v)->jobs, job) : GY_FOREVER;
}

static int64_t deadline_us(gy_view *v, uint32_t job)
{
    return may_know(v, GY_K1_LIMIT, job, "deadline") ? gy_job_deadline(sim_of(v)->jobs, job) : GY_FOREVER;
}

static void attained(gy_view *v, uint32_t job, gy_attained *out, size_t size)
{
    gy_sim *sim = sim_of(v);
    gy_attained f = {0};
    if (may_know(v, GY_K2_ATTAINED, job, "attained service")) {
        const gy_run *r = sim->slot[job] == GY_NONE ? NULL : &sim->runs[sim->slot[job]];
        f.held_us = sim->run_us[job] + (r ? sim->now_us - r->start_us : 0);
        f.work_us = r ? (int64_t)(gy_run_at(sim, r, sim->now_us).work / r->den) : gy_sim_kept(sim, job);
        gy_i128 time = (gy_i128)f.held_us * gy_sim_demand(sim, job)->gpus_milli;
        if (sim->gpu_time)
            time = sim->gpu_time[job] + (r ? (gy_i128)(sim->now_us - r->seg_us) * r->milli : 0);
        f.gpu_time_high = (int64_t)(time >> 64);
        f.gpu_time_low = (uint64_t)time;
    }
    give(out, size, &f, sizeof f);
}

static int64_t estimate_us(gy_view *v, uint32_t job)
{
    const gy_module *m = v->ss->inst[v->stage].module;
    if (!known_job(v, job))
        return GY_FOREVER;
    if (!(m->flags & GY_USES_ESTIMATES)) {
        gy_fault(v->ss, v->stage, job, "it asks for an estimate and does not declare GY_USES_ESTIMATES");
        return GY_FOREVER;
    }
    return gy_estimate_of(v->ss, v->stage, job);
}

static int64_t length_us(gy_view *v, uint32_t job)
{
    return may_know(v, GY_K5_ORACLE, job, "true length") ? gy_job_work(sim_of(v)->jobs, job) : GY_FOREVER;
}

static uint32_t recorded(gy_view *v, uint32_t job, int64_t *start_us, int64_t *end_us, gy_piece *pieces,
                         uint32_t n)
{
    gy_sim *sim = sim_of(v);
    uint32_t nholds = 0, k = 0;
    *start_us = *end_us = GY_FOREVER;
    if (!may_know(v, GY_K5_ORACLE, job, "recorded start"))
        return 0;
    *start_us = gy_job_log_start(sim->jobs, job);
    *end_us = gy_job_log_end(sim->jobs, job);
    uint32_t text = sim->jobs->log_placed ? sim->jobs->log_placed[job] : GY_NAME_NONE;
    if (text == GY_NAME_NONE || !gy_sim_parse_placed(sim, gy_names_text(&sim->jobs->texts, text),
                                                     gy_sim_demand(sim, job), sim->scratch, &nholds))
        return 0;
    for (uint32_t i = 0; i < nholds; i++) {
        if (!sim->scratch[i].units)
            continue;
        if (k < n)
            pieces[k] = (gy_piece){sim->scratch[i].node, sim->scratch[i].units};
        k++;
    }
    return k;
}

/* ---- random numbers, timers, words ---- */

static uint64_t draw(gy_view *v)
{
    return gy_stream_u64(&v->ss->inst[v->stage].stream);
}

static uint64_t draw_job(gy_view *v, uint32_t job, uint32_t nth)
{
    if (!known_job(v, job))
        return 0;
    uint64_t entity = (uint64_t)sim_of(v)->jobs->row[job] << 3 | v->stage;
    gy_stream s = gy_stream_of(sim_of(v)->opt.seed, GY_RANDOM_JOB, entity);
    s.ctr[0] = nth / 2;
    if (nth % 2)
        gy_stream_u64(&s);
    return gy_stream_u64(&s);
}

static void wake(gy_view *v, int64_t at_us)
{
    gy_sim_wake(sim_of(v), at_us);
}

static void wake_job(gy_view *v, uint32_t job, int64_t at_us)
{
    gy_sim *sim = sim_of(v);
    if (known_job(v, job) && (sim->slot[job] != GY_NONE || gy_sim_waits(sim, job)) && at_us != GY_FOREVER)
        gy_sim_wake_job(sim, job, at_us);
}

static void explain(gy_view *v, uint32_t job, uint32_t reason, const char *text)
{
    if (known_job(v, job))
        gy_decide(v->ss, "wait", job, reason, text ? text : "");
}

static void note(gy_view *v, const char *text)
{
    if (v->ss->log)
        gy_decide(v->ss, "note", GY_NONE, 0, text ? text : "");
}

/* The place and evict services are those of their files under the names of the interface. */
static uint32_t space_hold(gy_space *s, uint32_t node)
{
    return gy_space_services.hold(s, node);
}
static uint32_t space_free(gy_space *s, uint32_t node)
{
    return gy_space_services.free(s, node);
}
static uint32_t space_first(gy_space *s, uint32_t u, uint32_t from)
{
    return gy_space_services.first(s, u, from);
}
static uint32_t space_tightest(gy_space *s, uint32_t u)
{
    return gy_space_services.tightest(s, u);
}
static uint32_t space_roomiest(gy_space *s)
{
    return gy_space_services.roomiest(s);
}
static uint32_t space_count(gy_space *s, uint32_t u)
{
    return gy_space_services.count(s, u);
}
static uint32_t space_nth(gy_space *s, uint32_t u, uint32_t k)
{
    return gy_space_services.nth(s, u, k);
}
static void space_take(gy_space *s, uint32_t node, uint32_t u)
{
    gy_space_services.take(s, node, u);
}
static uint64_t space_draw(gy_space *s)
{
    return gy_space_services.draw(s);
}

const gy_host gy_host_services = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_host),
    .now_us = now_us,
    .job = job_info,
    .totals = totals,
    .node = node_info,
    .queue = queue_info,
    .user = user_info,
    .name = name,
    .next_waiting = next_waiting,
    .next_running = next_running,
    .limit_us = limit_us,
    .deadline_us = deadline_us,
    .attained = attained,
    .estimate_us = estimate_us,
    .length_us = length_us,
    .recorded = recorded,
    .draw = draw,
    .draw_job = draw_job,
    .wake = wake,
    .wake_job = wake_job,
    .explain = explain,
    .note = note,
    .hold = space_hold,
    .free = space_free,
    .first = space_first,
    .tightest = space_tightest,
    .roomiest = space_roomiest,
    .count = space_count,
    .nth = space_nth,
    .take = space_take,
    .space_draw = space_draw,
    .next_victim = gy_trial_next,
    .stop_victim = gy_trial_stop,
    .spare_victim = gy_trial_spare,
    .fits = gy_trial_fits,
    .start = gy_action_start,
    .stop = gy_action_stop,
    .resize = gy_action_resize,
    .migrate = gy_action_migrate,
    .reject = gy_action_reject,
    .start_recorded = gy_action_start_recorded,
    .try_begin = gy_action_try_begin,
    .try_end = gy_action_try_end,
};
