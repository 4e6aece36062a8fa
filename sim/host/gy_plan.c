/* gy_plan.c - conservative backfill: every waiting job that cannot start gets a place in a plan, in order.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of cases/README.md is made anew in each pass, but only as far as it can matter.  Whoever starts
 * must leave the head's place alone, so EASY's test (gy_easy.c) tells without a plan whether anybody could
 * start at all; then jobs get their places in order up to the next one that could still start in the plan so
 * far. After A. Mu'alem and D. Feitelson, IEEE TPDS 12(6), 2001.
 */
#include <stdlib.h>
#include <string.h>

#include "gy_profile.h"
#include "gy_session_internal.h"

struct plan {
    gy_session *ss;
    uint32_t domain;
    gy_profile *rows;
};

static int64_t until(int64_t x_us, int64_t e_us)
{
    return e_us > GY_NEVER - 1 - x_us ? GY_NEVER : x_us + e_us;
}

/* Jobs that run past their planned end are taken to end a microsecond from now. */
static int64_t end_of(const gy_session *ss, const gy_run *r)
{
    return r->plan_us > ss->sim->now_us ? r->plan_us : ss->sim->now_us + 1;
}

static void plan_running(struct plan *p)
{
    gy_session *ss = p->ss;
    gy_oset_item it;
    gy_profile_reset(p->rows, ss->sim->room, ss->sim->now_us);
    for (bool more = gy_oset_first(&ss->domains[p->domain].ends, &ss->ends_pool, &it); more;
         more = gy_oset_after(&ss->domains[p->domain].ends, &ss->ends_pool, it.key, it.id, &it)) {
        const gy_run *r = &ss->sim->runs[it.id];
        gy_profile_append(p->rows, gy_sim_demand(ss->sim, r->job), r->holds, r->nholds, end_of(ss, r));
    }
}

/* Whole GPUs that must be free, by count. */
static int64_t need_of(const gy_demand *d)
{
    return (int64_t)d->units * d->unit_gpus;
}

/* From row `i` on: the first row from which all of [t, t + e) has enough by count; n when there is none. */
static size_t first_with(const gy_profile *f, size_t i, int64_t e_us, int64_t need)
{
    while (i < f->n) {
        if (f->rows[i].instant) { /* a place begins where it holds on */
            i++;
            continue;
        }
        int64_t last = until(f->rows[i].t_us, e_us);
        size_t bad = SIZE_MAX;
        if (f->rows[i].total < need)
            bad = i;
        for (size_t k = i + 1; k < f->n && f->rows[k].t_us < last; k++)
            if (f->rows[k].total < need)
                bad = k;
        if (bad == SIZE_MAX)
            return i;
        i = bad + 1;
    }
    return f->n;
}

/* Does the rule place the job on the least that is free over [row i, + e)?  Its holds are in ss->holds then.
 */
static bool fits_at(struct plan *p, uint32_t job, size_t i, int64_t e_us, int64_t need, uint32_t *n)
{
    gy_session *ss = p->ss;
    const gy_demand *d = gy_sim_demand(ss->sim, job);
    int64_t last = until(p->rows->rows[i].t_us, e_us);
    bool fits;
    if (need && gy_profile_least(p->rows, i, last, NULL) < need)
        return false;
    gy_profile_least(p->rows, i, last, ss->plan);
    *n = gy_space_place(ss, job, ss->plan, ss->holds, &fits);
    gy_room_give(ss->plan, d, ss->holds, *n);
    return fits;
}

/* The first time at which the job fits; GY_NEVER: none. */
static int64_t find_place(struct plan *p, uint32_t job, int64_t e_us, uint32_t *n)
{
    const gy_demand *d = gy_sim_demand(p->ss->sim, job);
    int64_t need = need_of(d);
    *n = 0;
    if (d->free)
        return p->ss->sim->now_us;
    for (size_t i = first_with(p->rows, 0, e_us, need); i < p->rows->n && !gy_faulted(p->ss);
         i = first_with(p->rows, i + 1, e_us, need))
        if (fits_at(p, job, i, e_us, need, n))
            return p->rows->rows[i].t_us;
    return GY_NEVER;
}

static void keep(struct plan *p, uint32_t job, int64_t x_us, int64_t e_us, uint32_t n)
{
    gy_profile_change(p->rows, gy_sim_demand(p->ss->sim, job), p->ss->holds, n, x_us, until(x_us, e_us), -1);
}

/* Starts the job on the very nodes that the plan found.  What ends in the pass is not in the plan. */
static void start(struct plan *p, uint32_t job, uint32_t n)
{
    gy_session *ss = p->ss;
    gy_pass_start(ss, job, ss->holds, gy_space_claim_same(ss, job, n));
    uint32_t slot = ss->sim->slot[job];
    if (slot == GY_NONE)
        return;
    const gy_run *r = &ss->sim->runs[slot];
    gy_profile_change(p->rows, gy_sim_demand(ss->sim, job), r->holds, r->nholds, ss->sim->now_us,
                      end_of(ss, r), -1);
}

/* Could the job start now, by count, in the plan so far? */
static bool may_start(const struct plan *p, const gy_demand *d, int64_t e_us)
{
    const gy_profile *f = p->rows;
    int64_t need = need_of(d), last = until(f->rows[0].t_us, e_us);
    for (size_t k = 0; k < f->n && (k == 0 || f->rows[k].t_us < last); k++)
        if (f->rows[k].total < need)
            return false;
    return true;
}

/* The longest estimate with which a job that needs so much could start now, by count; -1: none. */
static int64_t longest(const struct plan *p, int64_t need)
{
    const gy_profile *f = p->rows;
    if (f->rows[0].total < need)
        return -1;
    for (size_t k = 1; k < f->n; k++)
        if (f->rows[k].total < need)
            return f->rows[k].t_us - f->rows[0].t_us;
    return GY_NEVER;
}

/* The first job in order, of those that have no place yet, that could start now by count. */
static bool next_target(const struct plan *p, gy_oset_item *target, uint32_t *class)
{
    gy_session *ss = p->ss;
    const gy_domain *d = &ss->domains[p->domain];
    bool any = false;
    for (uint32_t i = 0; i < d->heap.n; i++) {
        const gy_class *c = &ss->classes[d->heap.v[i]];
        int64_t most = c->demand->free ? GY_NEVER : longest(p, need_of(c->demand));
        gy_oset_item it = c->head;
        if (most < 0 ||
            (it.aux > most && !gy_oset_least(&c->waiting, &ss->waiting_pool, it.key, it.id, most, &it)))
            continue;
        if (!any || gy_queue_item_before(ss, c, &it, &ss->classes[*class], target)) {
            *target = it;
            *class = d->heap.v[i];
            any = true;
        }
    }
    return any;
}

/* ---- stopping others ---- */

/* With the victim stopped, what it holds would be free from now to its planned end. */
static void plan_toggle(gy_session *ss, void *ctx, uint32_t job, bool give)
{
    const struct plan *p = ctx;
    const gy_run *r = &ss->sim->runs[ss->sim->slot[job]];
    gy_profile_change(p->rows, gy_sim_demand(ss->sim, job), r->holds, r->nholds, ss->sim->now_us,
                      end_of(ss, r), give ? 1 : -1);
}

static bool plan_fits(gy_session *ss, void *ctx, uint32_t job)
{
    struct plan *p = ctx;
    uint32_t n;
    return fits_at(p, job, 0, gy_queue_estimate(ss, job), need_of(gy_sim_demand(ss->sim, job)), &n);
}

/* Stops others so that the job fits in the plan now; its holds are in ss->holds then. */
static bool make_room(struct plan *p, uint32_t class, uint32_t job, int64_t e_us, uint32_t *n)
{
    gy_session *ss = p->ss;
    const gy_trial_room room = {plan_toggle, plan_fits, true, p};
    if (!gy_evict_for(ss, class, job, &room))
        return false;
    bool fits = fits_at(p, job, 0, e_us, need_of(gy_sim_demand(ss->sim, job)), n);
    if (!fits && !gy_faulted(ss))
        gy_fault(ss, GY_STAGE_EVICT, job, "it stopped jobs that do not make room for the job");
    return fits;
}

/* ---- one by one ---- */

/* The next job in order starts or gets a place.  False: nobody behind it starts in this pass. */
static bool plan_next(struct plan *p)
{
    gy_session *ss = p->ss;
    gy_domain *d = &ss->domains[p->domain];
    uint32_t class = d->heap.v[0], job = ss->classes[class].head.id, n;
    int64_t e = ss->classes[class].head.aux;
    if (!gy_pass_turn(ss, class) || !gy_pass_admits(ss, class, job) || gy_faulted(ss))
        return true;
    int64_t x = find_place(p, job, e, &n);
    if (x != ss->sim->now_us && ss->evict && !gy_faulted(ss))
        x = make_room(p, class, job, e, &n) ? ss->sim->now_us : find_place(p, job, e, &n);
    if (gy_faulted(ss))
        return false;
    if (x == ss->sim->now_us) {
        start(p, job, n);
        return true;
    }
    gy_instance *in = &ss->inst[GY_STAGE_BACKFILL];
    uint32_t answer = ss->backfill->blocked(in->self, &in->view, job, d->nth++) & ~(uint32_t)GY_BLOCKED_REST;
    gy_decide(ss, "wait", job, x == GY_NEVER ? GY_WAITS_RESOURCES : GY_WAITS_RESERVATION, "");
    gy_queue_advance(ss, class);
    if (answer == GY_BLOCKED_RESERVE && x != GY_NEVER)
        keep(p, job, x, e, n);
    return answer != GY_BLOCKED_STOP;
}

static void plan_rest(struct plan *p)
{
    gy_session *ss = p->ss;
    const gy_domain *d = &ss->domains[p->domain];
    gy_oset_item target;
    uint32_t class = GY_NONE;
    while (!gy_faulted(ss) && next_target(p, &target, &class)) {
        bool reached = false;
        while (!reached && d->heap.n && !gy_faulted(ss) &&
               may_start(p, ss->classes[class].demand, target.aux)) {
            reached = ss->classes[d->heap.v[0]].head.id == target.id;
            if (!plan_next(p))
                return;
        }
    }
}

/* The room and the rows that plans need. */
static gy_profile *profile_of(gy_session *ss, uint32_t domain)
{
    gy_domain *d = &ss->domains[domain];
    if (!ss->plan)
        ss->plan = gy_room_create(ss->sim->layout, false, ss->sim->shares);
    if (!d->profile)
        d->profile = gy_profile_create(ss->sim, domain);
    return d->profile;
}

void gy_plan_rest(gy_session *ss, uint32_t domain, const uint32_t *kept, uint32_t nkept)
{
    if (!ss->evict && !gy_easy_anybody(ss, domain, kept[0]))
        return;
    if (gy_faulted(ss))
        return;
    struct plan p = {ss, domain, profile_of(ss, domain)};
    plan_running(&p);
    for (uint32_t i = 0; i < nkept && !gy_faulted(ss); i++) {
        uint32_t n;
        int64_t e = gy_queue_estimate(ss, kept[i]), x = find_place(&p, kept[i], e, &n);
        if (x != GY_NEVER)
            keep(&p, kept[i], x, e, n);
    }
    if (!ss->evict) {
        plan_rest(&p);
        return;
    }
    const gy_domain *d = &ss->domains[domain]; /* any of them may have others stopped */
    while (d->heap.n && !gy_faulted(ss) && plan_next(&p)) {
    }
}
