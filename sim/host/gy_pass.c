/* gy_pass.c - the standard scheduling pass over the stages of a policy.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The waiting job that is first in order is looked at; each job is looked at once in a pass, and the order is
 * taken anew after each.  Only domains in which something happened have a pass at all.  A class whose shape
 * did not fit is left out until something is freed, unless jobs may be stopped for others, which can make
 * room at any time.
 */
#include <string.h>

#include "gy_session_internal.h"

void gy_pass_start(gy_session *ss, uint32_t job, const gy_hold *h, uint32_t n)
{
    if (ss->log)
        gy_decide(ss, "start", job, 0, "");
    gy_sim_start(ss->sim, job, h, n);
}

bool gy_pass_turn(gy_session *ss, uint32_t class)
{
    uint32_t job = ss->classes[class].head.id, pass = (uint32_t)ss->pass;
    if (!ss->looked)
        return true;
    if (ss->looked[job] == pass) {
        gy_queue_advance(ss, class);
        return false;
    }
    ss->looked[job] = pass;
    return true;
}

/* ---- admission ---- */

/* Under strict order a refused job holds up those of its queue that come after it. */
static bool queue_is_blocked(gy_session *ss, uint32_t class)
{
    uint32_t first = ss->queue_block[ss->classes[class].queue];
    return first != GY_NONE && first != class && gy_queue_head_before(ss, first, class);
}

bool gy_pass_admits(gy_session *ss, uint32_t class, uint32_t job)
{
    gy_class *c = &ss->classes[class];
    gy_instance *in = &ss->inst[GY_STAGE_ADMIT];
    if (!ss->admit)
        return true;
    if (queue_is_blocked(ss, class)) {
        gy_queue_set_place(ss, class, GY_CLASS_REFUSED);
        ss->any_refused = true;
        return false;
    }
    if (ss->admit->admit(in->self, &in->view, job))
        return true;
    gy_decide(ss, "wait", job, GY_WAITS_ADMISSION, in->module->name);
    if (ss->backfill_flags & GY_KEEPS_QUEUE_ORDER) {
        ss->queue_block[c->queue] = class;
    } else if (!(ss->admit_flags & GY_ADMIT_BY_QUEUE)) {
        gy_queue_advance(ss, class); /* another job of the class may be admitted */
        return false;
    }
    gy_queue_set_place(ss, class, GY_CLASS_REFUSED);
    ss->any_refused = true;
    return false;
}

/* ---- before and after ---- */

static void readmit(gy_session *ss, gy_domain *d, bool all)
{
    for (uint32_t i = 0; i < d->members.n; i++) {
        uint32_t k = d->members.v[i], q = ss->classes[k].queue;
        if (ss->classes[k].place == GY_CLASS_REFUSED && (all || ss->queue_changed[q])) {
            if (ss->queue_block[q] == k)
                ss->queue_block[q] = GY_NONE;
            gy_queue_set_place(ss, k, GY_CLASS_READY);
        }
    }
}

static void unblock(gy_session *ss, gy_domain *d, uint32_t domain)
{
    for (uint32_t i = 0; i < d->members.n && d->nblocked; i++) {
        uint32_t k = d->members.v[i];
        if (ss->classes[k].place == GY_CLASS_BLOCKED &&
            (ss->evict || gy_room_may_fit(ss->sim->room, ss->classes[k].demand, domain)))
            gy_queue_set_place(ss, k, GY_CLASS_READY);
    }
}

static void prepare(gy_session *ss, uint32_t domain)
{
    gy_domain *d = &ss->domains[domain];
    bool by_queue = ss->admit_flags & GY_ADMIT_BY_QUEUE && ss->order->change < GY_KEY_USER;
    d->stopped = d->settled = false;
    d->nth = 0;
    if (ss->any_refused && (ss->changed_queues.n || !by_queue))
        readmit(ss, d, !by_queue);
    if (d->freed || ss->evict) {
        d->stalled = GY_NONE;
        if (d->nblocked)
            unblock(ss, d, domain);
    }
}

static void finish(gy_session *ss, uint32_t domain)
{
    gy_domain *d = &ss->domains[domain];
    for (uint32_t i = 0; d->touched && i < d->members.n; i++) {
        uint32_t k = d->members.v[i];
        gy_queue_rewind(ss, k);
        if (ss->classes[k].place == GY_CLASS_PASSED)
            gy_queue_set_place(ss, k, GY_CLASS_READY);
    }
    d->dirty = d->freed = d->evicted; /* who came first may fit now */
    d->arrived = GY_NONE;
    d->touched = d->evicted = false;
}

/* Jobs were stopped for `job`: what did not fit before may fit now, if it comes after it in order. */
void gy_pass_reopen(gy_session *ss, uint32_t domain, const int64_t *key, uint32_t job)
{
    gy_domain *d = &ss->domains[domain];
    bool admits = ss->any_refused && !(ss->backfill_flags & GY_KEEPS_QUEUE_ORDER);
    for (uint32_t i = 0; i < d->members.n; i++) {
        uint32_t k = d->members.v[i], place = ss->classes[k].place;
        bool quota = admits && place == GY_CLASS_REFUSED && ss->queue_changed[ss->classes[k].queue];
        if (place == GY_CLASS_BLOCKED || quota)
            gy_queue_skip_to(ss, k, key, job);
    }
}

/* ---- one job ---- */

static void look(gy_session *ss, uint32_t class)
{
    gy_class *c = &ss->classes[class];
    uint32_t domain = c->domain, job = c->head.id;
    gy_domain *d = &ss->domains[domain];
    if (!gy_pass_turn(ss, class) || !gy_pass_admits(ss, class, job) || gy_faulted(ss))
        return;
    if (job != d->stalled) {
        bool fits;
        uint32_t n = gy_space_place(ss, job, ss->sim->room, ss->holds, &fits);
        if (!fits && !gy_faulted(ss) && ss->evict && gy_evict_for(ss, class, job, NULL)) {
            n = gy_space_place(ss, job, ss->sim->room, ss->holds, &fits);
            if (!fits && !gy_faulted(ss))
                gy_fault(ss, GY_STAGE_EVICT, job, "it stopped jobs that do not make room for the job");
        }
        if (gy_faulted(ss))
            return;
        if (fits) {
            gy_pass_start(ss, job, ss->holds, n);
            return;
        }
    }
    gy_instance *in = &ss->inst[GY_STAGE_BACKFILL];
    uint32_t answer = ss->backfill->blocked(in->self, &in->view, job, d->nth++);
    gy_decide(ss, "wait", job, GY_WAITS_RESOURCES, "");
    switch (answer & ~(uint32_t)GY_BLOCKED_REST) {
    case GY_BLOCKED_STOP:
        d->stopped = true;
        d->stalled = job;
        break;
    case GY_BLOCKED_SKIP:
        if (ss->one_by_one)
            gy_queue_advance(ss, class);
        else
            gy_queue_set_place(ss, class, GY_CLASS_BLOCKED);
        break;
    case GY_BLOCKED_RESERVE:
        if (!(ss->backfill_flags & GY_PLANS)) {
            gy_fault(ss, GY_STAGE_BACKFILL, job, "it asks to keep a place and does not declare GY_PLANS");
            break;
        }
        d->stopped = true;
        d->stalled = job;
        gy_queue_advance(ss, class);
        if (answer & GY_BLOCKED_REST)
            gy_plan_rest(ss, domain, &job, 1);
        else
            gy_easy_rest(ss, domain, job);
        break;
    default: gy_fault(ss, GY_STAGE_BACKFILL, job, "blocked() answered %u, which means nothing", answer);
    }
}

/* The class whose head comes next, of all domains at work in this pass. */
static uint32_t next_class(gy_session *ss)
{
    uint32_t best = GY_NONE;
    for (uint32_t i = 0; i < ss->dirty.n; i++) {
        const gy_domain *d = &ss->domains[ss->dirty.v[i]];
        if (d->stopped || d->heap.n == 0)
            continue;
        if (best == GY_NONE || gy_queue_head_before(ss, d->heap.v[0], best))
            best = d->heap.v[0];
    }
    return best;
}

/* Could somebody start in a domain in which nothing happened, just because time has passed?  Keys of running
 * jobs may have grown; what should have ended may be taken to end later. */
static void soil_by_time(gy_session *ss)
{
    gy_oset_item it;
    bool all = (ss->admit && ss->any_refused && !(ss->admit_flags & GY_ADMIT_BY_QUEUE)) ||
               (ss->evict && ss->evict_grows);
    if (!all && !(ss->backfill_flags & GY_PLANS))
        return;
    for (uint32_t k = 0; k < ss->sim->layout->ndomains; k++) {
        const gy_domain *d = &ss->domains[k];
        if (d->members.n &&
            (all || (gy_oset_first(&d->ends, &ss->ends_pool, &it) && it.key[0] <= ss->sim->now_us)))
            gy_queue_soil(ss, k, false);
    }
}

static void forget_changes(gy_session *ss)
{
    for (uint32_t i = 0; i < ss->changed_queues.n; i++)
        ss->queue_changed[ss->changed_queues.v[i]] = 0;
    ss->changed_queues.n = 0;
}

static void finish_all(gy_session *ss)
{
    uint32_t n = ss->dirty.n;
    ss->dirty.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t domain = ss->dirty.v[i];
        finish(ss, domain);
        if (ss->domains[domain].dirty)
            ss->dirty.v[ss->dirty.n++] = domain;
    }
}

static void standard_pass(gy_session *ss)
{
    if (ss->order->change == GY_KEY_TIME)
        gy_queue_rekey_all(ss);
    soil_by_time(ss);
    if (ss->dirty.n == 1 && gy_easy_arrival(ss, ss->dirty.v[0])) {
        finish_all(ss);
        return;
    }
    for (uint32_t i = 0; i < ss->dirty.n; i++)
        prepare(ss, ss->dirty.v[i]);
    forget_changes(ss); /* what changes from here on counts in the next pass, too */
    for (uint32_t class; !gy_faulted(ss) && (class = next_class(ss)) != GY_NONE;)
        look(ss, class);
    finish_all(ss);
}

/* ---- the pass ---- */

static void run_stage(gy_session *ss, uint32_t stage)
{
    gy_instance *in = &ss->inst[stage];
    in->view.acting = 1;
    if (stage == GY_STAGE_SCHEDULE)
        ss->schedule->schedule(in->self, &in->view);
    else
        ss->resize->resize(in->self, &in->view);
    in->view.acting = 0;
    if (ss->trying) {
        gy_services_try_undo(ss);
        gy_fault(ss, stage, GY_NONE, "it ended inside a dry run that it had begun");
    }
}

static void admit_deferred(gy_session *ss)
{
    for (uint32_t i = 0; i < ss->deferred.n; i++) {
        uint32_t job = ss->deferred.v[i];
        if (!ss->schedule)
            gy_queue_add(ss, job);
    }
    ss->deferred.n = 0;
}

gy_rc gy_pass(void *ctx, gy_err *e)
{
    gy_session *ss = ctx;
    ss->in_pass = true;
    ss->pass++;
    if (!gy_faulted(ss)) {
        if (ss->schedule)
            run_stage(ss, GY_STAGE_SCHEDULE);
        else
            standard_pass(ss);
    }
    if (!gy_faulted(ss) && ss->resize)
        run_stage(ss, GY_STAGE_RESIZE);
    ss->in_pass = false;
    admit_deferred(ss);
    if (!gy_faulted(ss) && ss->order->next_look && ss->sim->queued > 0) {
        gy_instance *in = &ss->inst[GY_STAGE_ORDER];
        int64_t at = ss->order->next_look(in->self, &in->view);
        if (at != GY_FOREVER)
            gy_sim_look(ss->sim, at);
    }
    if (!gy_faulted(ss))
        return GY_OK;
    *e = ss->fault;
    return ss->fault.rc;
}
