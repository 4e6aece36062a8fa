/* gy_easy.c - EASY backfill: a place is kept for the job at the head, the others may pass if they leave it
 * alone. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of cases/README.md, made without making it anew at each pass.  Running jobs only ever give room
 * back, so what is free all over [now, now + e) is what is free now if the job ends by the shadow time x, and
 * else the lesser of what is free now and what is free at x without the kept place.  So three rooms suffice:
 *     the live one                 what is free now
 *     future                       what will be free at x, less the kept place
 *     both                         on each node the lesser of the two
 * Each follows the starts and ends node by node.  The shadow time is found by descending a tree of planned
 * ends with sums of GPUs (for plain gangs), or by trying the ends one after the other. After D. Lifka, "The
 * ANL/IBM SP scheduling system" (JSSPP 1995).
 */
#include <stdlib.h>

#include "gy_session_internal.h"

static bool planning(const gy_session *ss)
{
    return (ss->backfill_flags & GY_PLANS) != 0;
}

/* ---- following the running jobs ---- */

static void mark_node(gy_session *ss, uint32_t node)
{
    if (ss->node_changed[node])
        return;
    ss->node_changed[node] = 1;
    gy_list_push(&ss->changed_nodes, node);
}

static void mark_holds(gy_session *ss, const gy_hold *h, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        mark_node(ss, h[i].node);
}

static void change_future(gy_session *ss, const gy_run *r, bool give)
{
    gy_sim_toggle(ss->sim, ss->future, r, give);
    mark_holds(ss, r->holds, r->nholds);
}

static void drop_kept(gy_session *ss, gy_shadow *sh)
{
    if (sh->head != GY_NONE && sh->nkept) {
        gy_room_give(ss->future, gy_sim_demand(ss->sim, sh->head), sh->kept, sh->nkept);
        mark_holds(ss, sh->kept, sh->nkept);
    }
    sh->nkept = 0;
    sh->head = GY_NONE;
}

void gy_easy_started(gy_session *ss, uint32_t slot)
{
    gy_run *r = &ss->sim->runs[slot];
    if (!planning(ss))
        return;
    gy_domain *d = &ss->domains[gy_sim_domain(ss->sim, r->job)];
    int64_t e = gy_estimate_of(ss, GY_STAGE_BACKFILL, r->job);
    r->plan_us = e == GY_NEVER ? GY_NEVER : r->plan_from_us + (e > r->kept_us ? e - r->kept_us : 0);
    if (r->plan_us != GY_NEVER)
        gy_oset_add(&d->ends, &ss->ends_pool, &r->plan_us, slot, r->milli / 1000);
    if (!ss->beside) /* by an action, say: the head may have to wait longer */
        d->settled = false;
    if (!d->shadow.built)
        return;
    if (r->plan_us > d->shadow.time_us) {
        if (!ss->beside) /* it did not ask whether the kept place is left alone */
            drop_kept(ss, &d->shadow);
        change_future(ss, r, false);
        d->shadow.stale = true;
    }
    mark_holds(ss, r->holds, r->nholds);
}

void gy_easy_leaving(gy_session *ss, uint32_t slot)
{
    gy_run *r = &ss->sim->runs[slot];
    if (!planning(ss))
        return;
    gy_domain *d = &ss->domains[gy_sim_domain(ss->sim, r->job)];
    if (r->plan_us != GY_NEVER)
        gy_oset_remove(&d->ends, &ss->ends_pool, &r->plan_us, slot);
    if (!d->shadow.built)
        return;
    d->shadow.early = d->shadow.early || r->plan_us > ss->sim->now_us;
    if (r->plan_us > d->shadow.time_us) {
        change_future(ss, r, true);
        d->shadow.stale = true;
    }
    mark_holds(ss, r->holds, r->nholds);
}

void gy_easy_forget(gy_session *ss, uint32_t domain)
{
    gy_domain *d = &ss->domains[domain];
    d->shadow.built = false;
    d->shadow.head = GY_NONE;
    d->shadow.nkept = 0;
}

void gy_easy_fini(gy_session *ss)
{
    gy_room_free(ss->future);
    gy_room_free(ss->both);
    free(ss->node_changed);
    free(ss->changed_nodes.v);
}

/* ---- the future room ---- */

static void need_rooms(gy_session *ss)
{
    if (ss->future)
        return;
    ss->future = gy_room_create(ss->sim->layout, false, ss->sim->shares);
    ss->both = gy_room_create(ss->sim->layout, false, ss->sim->shares);
    ss->node_changed = gy_alloc(ss->sim->cluster->nnodes, 1);
}

static void mark_domain(gy_session *ss, uint32_t domain)
{
    const gy_layout *l = ss->sim->layout;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++)
        for (uint32_t k = 0; k < l->pools[p].n; k++)
            mark_node(ss, l->pools[p].nodes[k]);
}

/* The future room as it is now, before any end. */
static void build(gy_session *ss, uint32_t domain)
{
    gy_shadow *sh = &ss->domains[domain].shadow;
    gy_room_copy(ss->future, ss->sim->room, domain);
    mark_domain(ss, domain);
    sh->built = true;
    sh->time_us = INT64_MIN;
    sh->nkept = 0;
    sh->head = GY_NONE;
    sh->stale = sh->early = true;
}

/* The future room moves to another time: the ends between the two are given or taken back. */
static void move_to(gy_session *ss, uint32_t domain, int64_t time_us)
{
    gy_domain *d = &ss->domains[domain];
    gy_shadow *sh = &d->shadow;
    int64_t old = sh->time_us, low = old < time_us ? old : time_us, high = old < time_us ? time_us : old;
    gy_oset_item it = {.key = {low}, .id = UINT32_MAX};
    while (gy_oset_after(&d->ends, &ss->ends_pool, it.key, it.id, &it) && it.key[0] <= high) {
        change_future(ss, &ss->sim->runs[it.id], old < time_us);
        sh->stale = true;
    }
    sh->time_us = time_us;
}

/* ---- the shadow time ---- */

static bool any_type(const gy_session *ss, const gy_demand *d, uint32_t domain)
{
    const gy_layout *l = ss->sim->layout;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++)
        if (!gy_demand_takes(d, &l->pools[p]))
            return false;
    return true;
}

/* Whether the job fits is a matter of counting free GPUs. */
static bool by_count(const gy_session *ss, const gy_demand *d, uint32_t domain)
{
    return d->unit_gpus == 1 && !d->cpus_micro && !d->mem_micro && d->require == GY_LEVEL_NONE &&
           ss->place_flags & GY_PLACE_COMPLETE && !ss->sim->shares && !ss->domain_closed[domain] &&
           !ss->sim->gpu_down && any_type(ss, d, domain);
}

static bool keep_place(gy_session *ss, uint32_t domain, uint32_t job)
{
    gy_shadow *sh = &ss->domains[domain].shadow;
    bool fits;
    uint32_t n = gy_space_place(ss, job, ss->future, ss->holds, &fits);
    if (!fits)
        return false;
    sh->kept = gy_reserve(sh->kept, &sh->kept_cap, n, sizeof *sh->kept);
    for (uint32_t i = 0; i < n; i++)
        sh->kept[i] = ss->holds[i];
    sh->nkept = n;
    sh->head = job;
    sh->stale = sh->early = false;
    mark_holds(ss, sh->kept, n);
    return true;
}

/* Ends are tried one after the other; those that are overdue count as one, a microsecond from now. */
static bool sweep(gy_session *ss, uint32_t domain, uint32_t job)
{
    gy_domain *d = &ss->domains[domain];
    const gy_demand *demand = gy_sim_demand(ss->sim, job);
    if (d->ends.n == 0)
        return false;
    build(ss, domain);
    gy_oset_item it;
    bool more = gy_oset_first(&d->ends, &ss->ends_pool, &it);
    while (more && !gy_faulted(ss)) {
        int64_t x = it.key[0] > ss->sim->now_us + 1 ? it.key[0] : ss->sim->now_us + 1;
        for (; more && it.key[0] <= x; more = gy_oset_after(&d->ends, &ss->ends_pool, it.key, it.id, &it))
            change_future(ss, &ss->sim->runs[it.id], true);
        d->shadow.time_us = x;
        if (gy_room_may_fit(ss->future, demand, domain) && keep_place(ss, domain, job))
            return true;
    }
    return false;
}

static void follow_both(gy_session *ss)
{
    for (uint32_t i = 0; i < ss->changed_nodes.n; i++) {
        uint32_t node = ss->changed_nodes.v[i];
        if (ss->domains[ss->sim->layout->domain[node]].shadow.built)
            gy_room_copy_least(ss->both, ss->sim->room, ss->future, node);
        else
            gy_room_copy_node(ss->both, ss->sim->room, node);
        ss->node_changed[node] = 0;
    }
    ss->changed_nodes.n = 0;
}

/* By trial: the place is made at once. */
static bool find_by_sweep(gy_session *ss, uint32_t domain, uint32_t job)
{
    gy_shadow *sh = &ss->domains[domain].shadow;
    bool same = sh->built && sh->head == job && !sh->stale && !sh->early && sh->time_us > ss->sim->now_us;
    if (!same)
        drop_kept(ss, sh);
    bool found = same || sweep(ss, domain, job);
    sh->head_us = sh->time_us;
    sh->spare = INT64_MAX;
    return found;
}

/* Finds the first time at which the job fits; false: at none.  Its place is made when it matters. */
static bool find_shadow(gy_session *ss, uint32_t domain, uint32_t job)
{
    gy_domain *d = &ss->domains[domain];
    gy_shadow *sh = &d->shadow;
    const gy_demand *demand = gy_sim_demand(ss->sim, job);
    need_rooms(ss);
    if (!by_count(ss, demand, domain))
        return find_by_sweep(ss, domain, job);
    gy_oset_item it;
    uint64_t free = gy_room_usable(ss->sim->room, demand, domain);
    if (free >= demand->units) {
        gy_fault(ss, GY_STAGE_PLACE, job,
                 "it finds no place where there is room, and declares GY_PLACE_COMPLETE");
        return false;
    }
    if (!gy_oset_reach(&d->ends, &ss->ends_pool, (int64_t)(demand->units - free), &it)) {
        drop_kept(ss, sh);
        return false;
    }
    int64_t x = it.key[0] > ss->sim->now_us + 1 ? it.key[0] : ss->sim->now_us + 1;
    if (!sh->built || x != sh->time_us || sh->head != job || sh->stale)
        drop_kept(ss, sh);
    sh->head_us = x;
    sh->spare = (int64_t)free + gy_oset_sum(&d->ends) -
                gy_oset_sum_after(&d->ends, &ss->ends_pool, &x, UINT32_MAX) - (int64_t)demand->units;
    return true;
}

/* The place of the head at the shadow time, in the future room, and `both` as it follows. */
static void make_place(gy_session *ss, uint32_t domain, uint32_t head)
{
    gy_shadow *sh = &ss->domains[domain].shadow;
    if (sh->head == GY_NONE) {
        if (!sh->built)
            build(ss, domain);
        move_to(ss, domain, sh->head_us);
        if (!keep_place(ss, domain, head) && !gy_faulted(ss))
            gy_fault(ss, GY_STAGE_PLACE, head,
                     "it finds no place where there is room, and declares GY_PLACE_COMPLETE");
    }
    follow_both(ss);
}

/* ---- candidates ---- */

/* Places a job in the room `both` and claims the same nodes in the live room. */
static uint32_t place_beside(gy_session *ss, uint32_t job, bool *fits)
{
    follow_both(ss);
    uint32_t n = gy_space_place(ss, job, ss->both, ss->holds, fits);
    if (!*fits)
        return 0;
    gy_room_give(ss->both, gy_sim_demand(ss->sim, job), ss->holds, n);
    return gy_space_claim_same(ss, job, n);
}

/* The rest of a pass behind a head. */
struct rest {
    uint32_t domain, head;
    bool kept;       /* a place is kept for the head; else it fits at no time, and is in nobody's way */
    int64_t most_us; /* estimates up to this one end before the head starts */
};

static struct rest rest_behind(gy_session *ss, uint32_t domain, uint32_t head)
{
    bool kept = find_shadow(ss, domain, head);
    int64_t until_us = ss->domains[domain].shadow.head_us;
    ss->domains[domain].shadow.known = kept;
    return (struct rest){domain, head, kept, kept ? until_us - ss->sim->now_us : GY_NEVER};
}

/* Could the job start beside the kept place, by count? */
static bool may_be_beside(const gy_session *ss, const struct rest *x, const gy_demand *d)
{
    return x->kept && (int64_t)d->units * d->unit_gpus <= ss->domains[x->domain].shadow.spare;
}

/* Starts the job if it leaves the kept place alone. */
static bool try_start(gy_session *ss, const struct rest *x, uint32_t job, int64_t estimate_us)
{
    const gy_demand *d = gy_sim_demand(ss->sim, job);
    gy_shadow *sh = &ss->domains[x->domain].shadow;
    bool fits = false, beside = estimate_us > x->most_us;
    uint32_t n = 0;
    if (!beside)
        n = gy_space_place(ss, job, ss->sim->room, ss->holds, &fits);
    else if (may_be_beside(ss, x, d)) {
        make_place(ss, x->domain, x->head);
        n = place_beside(ss, job, &fits);
    }
    if (!fits)
        return false;
    gy_pass_start(ss, job, ss->holds, n);
    if (beside && sh->spare != INT64_MAX && ss->sim->slot[job] != GY_NONE) /* it did not end at once */
        sh->spare -= (int64_t)d->units * d->unit_gpus;
    return true;
}

/* Would any job of the class fit now, and without ending by the shadow time?  Places nothing. */
static bool class_fits(gy_session *ss, const gy_class *c, uint32_t job, gy_room *room)
{
    bool fits;
    if (!gy_room_may_fit(room, c->demand, c->domain))
        return false;
    if (c->demand->free || by_count(ss, c->demand, c->domain))
        return true;
    uint32_t n = gy_space_place(ss, job, room, ss->holds, &fits);
    gy_room_give(room, c->demand, ss->holds, n);
    return fits;
}

/* The first job of the class, from its head on, that may start. */
static bool first_candidate(gy_session *ss, const struct rest *x, const gy_class *c, gy_oset_item *out)
{
    if (!class_fits(ss, c, c->head.id, ss->sim->room))
        return false;
    bool first = c->head.aux <= x->most_us;
    if (!first && may_be_beside(ss, x, c->demand)) {
        make_place(ss, x->domain, x->head);
        first = !gy_faulted(ss) && class_fits(ss, c, c->head.id, ss->both);
    }
    if (first)
        *out = c->head;
    return first || gy_oset_least(&c->waiting, &ss->waiting_pool, c->head.key, c->head.id, x->most_us, out);
}

/* The first job in order that may start, of all classes. */
static uint32_t first_of_all(gy_session *ss, const struct rest *x, gy_oset_item *first)
{
    const gy_domain *d = &ss->domains[x->domain];
    uint32_t best = GY_NONE;
    gy_oset_item it;
    for (uint32_t i = 0; i < d->members.n; i++) {
        uint32_t k = d->members.v[i];
        const gy_class *c = &ss->classes[k];
        if (c->place != GY_CLASS_READY && c->place != GY_CLASS_BLOCKED)
            continue;
        if (first_candidate(ss, x, c, &it) &&
            (best == GY_NONE || gy_queue_item_before(ss, c, &it, &ss->classes[best], first))) {
            best = k;
            *first = it;
        }
    }
    return best;
}

bool gy_easy_anybody(gy_session *ss, uint32_t domain, uint32_t job)
{
    gy_oset_item first;
    struct rest x = rest_behind(ss, domain, job);
    return first_of_all(ss, &x, &first) != GY_NONE;
}

/* Every job behind the head that may start does, in order; nobody else gets a place. */
static void pass_the_head(gy_session *ss, const struct rest *x)
{
    while (!gy_faulted(ss)) {
        gy_oset_item first;
        uint32_t best = first_of_all(ss, x, &first);
        if (best == GY_NONE)
            return;
        if (ss->admit) { /* who is refused is passed over */
            gy_class *c = &ss->classes[best];
            while (c->place == GY_CLASS_READY && c->head.id != first.id)
                gy_queue_advance(ss, best);
            if (!gy_pass_admits(ss, best, first.id))
                continue;
        }
        if (!try_start(ss, x, first.id, first.aux) && !gy_faulted(ss))
            gy_queue_set_place(ss, best, GY_CLASS_PASSED);
    }
}

/* ---- stopping others ---- */

struct beside {
    uint32_t domain;
    bool now; /* it ends before the head starts, or nobody is in its way */
};

/* With the victim stopped, what it holds would be free now, and at the shadow time if it were to run then. */
static void easy_toggle(gy_session *ss, void *ctx, uint32_t job, bool give)
{
    const struct beside *b = ctx;
    const gy_run *r = &ss->sim->runs[ss->sim->slot[job]];
    gy_sim_toggle(ss->sim, ss->sim->room, r, give);
    mark_holds(ss, r->holds, r->nholds);
    const gy_shadow *sh = &ss->domains[b->domain].shadow;
    if (sh->built && r->plan_us > sh->time_us)
        change_future(ss, r, give);
}

static bool easy_fits(gy_session *ss, void *ctx, uint32_t job)
{
    const struct beside *b = ctx;
    gy_room *room = b->now ? ss->sim->room : ss->both;
    bool fits;
    if (!b->now)
        follow_both(ss);
    uint32_t n = gy_space_place(ss, job, room, ss->holds, &fits);
    gy_room_give(room, gy_sim_demand(ss->sim, job), ss->holds, n);
    return fits;
}

/* Starts the job, if others are stopped for it. */
static bool start_instead(gy_session *ss, const struct rest *x, uint32_t class, uint32_t job,
                          int64_t estimate_us)
{
    struct beside b = {x->domain, estimate_us <= x->most_us};
    const gy_trial_room room = {easy_toggle, easy_fits, false, &b};
    if (!ss->evict)
        return false;
    if (!b.now)
        make_place(ss, x->domain, x->head);
    if (gy_faulted(ss) || !gy_evict_for(ss, class, job, &room))
        return false;
    ss->domains[x->domain].shadow.spare = INT64_MAX; /* not counted any more */
    bool fits = try_start(ss, x, job, estimate_us);
    if (!fits && !gy_faulted(ss))
        gy_fault(ss, GY_STAGE_EVICT, job, "it stopped jobs that do not make room for the job");
    return fits;
}

/* The jobs behind the head are looked at one by one until the module says what holds for all of the rest. */
static void rest_of_pass(gy_session *ss, uint32_t domain, uint32_t job)
{
    gy_domain *d = &ss->domains[domain];
    gy_instance *in = &ss->inst[GY_STAGE_BACKFILL];
    struct rest x = rest_behind(ss, domain, job);
    while (d->heap.n && !gy_faulted(ss)) {
        uint32_t k = d->heap.v[0], next = ss->classes[k].head.id;
        int64_t e = ss->classes[k].head.aux;
        if (!gy_pass_turn(ss, k) || !gy_pass_admits(ss, k, next) || gy_faulted(ss))
            continue;
        if (try_start(ss, &x, next, e) || gy_faulted(ss) || start_instead(ss, &x, k, next, e) ||
            gy_faulted(ss))
            continue;
        uint32_t answer = ss->backfill->blocked(in->self, &in->view, next, d->nth++);
        gy_decide(ss, "wait", next, GY_WAITS_RESERVATION, "");
        gy_queue_advance(ss, k);
        switch (answer) {
        case GY_BLOCKED_SKIP: break;
        case GY_BLOCKED_SKIP | GY_BLOCKED_REST:
            if (ss->evict) /* any of them may have others stopped */
                break;
            pass_the_head(ss, &x);
            d->settled = !gy_faulted(ss);
            return;
        case GY_BLOCKED_STOP:
        case GY_BLOCKED_STOP | GY_BLOCKED_REST: return;
        case GY_BLOCKED_RESERVE:
        case GY_BLOCKED_RESERVE | GY_BLOCKED_REST:
            ss->beside = false;
            gy_plan_rest(ss, domain, (uint32_t[]){job, next}, 2);
            return;
        default: gy_fault(ss, GY_STAGE_BACKFILL, next, "blocked() answered %u, which means nothing", answer);
        }
    }
}

/* May a pass look at the newcomer alone?  Not where a module could tell the difference: by its random
 * numbers, by keys that move, by the log. */
static bool one_will_do(gy_session *ss, const gy_domain *d)
{
    const gy_stream *place = &ss->inst[GY_STAGE_PLACE].stream;
    const gy_shadow *sh = &d->shadow;
    if (!d->settled || d->arrived == GY_NONE || d->stalled == GY_NONE)
        return false;
    if (ss->evict || ss->admit || ss->log || ss->sim->opt.check || ss->order->change >= GY_KEY_USER)
        return false;
    if (place->used != 4 || place->ctr[0] || (sh->head != GY_NONE && (sh->stale || sh->early)))
        return false;
    return gy_queue_job_before(ss, d->stalled, d->arrived);
}

bool gy_easy_arrival(gy_session *ss, uint32_t domain)
{
    gy_domain *d = &ss->domains[domain];
    if (!planning(ss) || !one_will_do(ss, d))
        return false;
    struct rest x = {domain, d->stalled, d->shadow.known,
                     d->shadow.known ? d->shadow.head_us - ss->sim->now_us : GY_NEVER};
    int64_t e = gy_queue_estimate(ss, d->arrived);
    ss->beside = true;
    if (gy_room_may_fit(ss->sim->room, gy_sim_demand(ss->sim, d->arrived), domain))
        try_start(ss, &x, d->arrived, e);
    ss->beside = false;
    return true;
}

void gy_easy_rest(gy_session *ss, uint32_t domain, uint32_t job)
{
    ss->beside = true;
    rest_of_pass(ss, domain, job);
    ss->beside = false;
}

/* ---- self-check ---- */

/* Rebuilds the future of every domain from the running jobs. */
gy_rc gy_easy_check(gy_session *ss, gy_err *e)
{
    gy_sim *sim = ss->sim;
    if (!planning(ss) || !ss->future)
        return GY_OK;
    gy_room *fresh = gy_room_create(sim->layout, false, sim->shares);
    gy_rc rc = GY_OK;
    for (uint32_t d = 0; d < sim->layout->ndomains && rc == GY_OK; d++) {
        const gy_shadow *sh = &ss->domains[d].shadow;
        if (!sh->built)
            continue;
        gy_room_copy(fresh, sim->room, d);
        for (uint32_t k = 0; k < sim->nruns; k++) {
            const gy_run *r = &sim->runs[k];
            if (r->job != GY_NONE && gy_sim_domain(sim, r->job) == d && r->plan_us <= sh->time_us)
                gy_sim_toggle(sim, fresh, r, true);
        }
        if (sh->head != GY_NONE)
            gy_room_take(fresh, gy_sim_demand(sim, sh->head), sh->kept, sh->nkept);
        for (uint32_t i = 0; i < sim->cluster->nnodes && rc == GY_OK; i++)
            if (sim->layout->domain[i] == d && !gy_room_same_node(fresh, ss->future, i))
                rc = gy_fail(e, GY_EINVAL,
                             "self-check: the future of node %u does not follow the running jobs", i);
    }
    gy_room_free(fresh);
    return rc;
}
