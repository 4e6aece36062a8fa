/* gy_plan.c - conservative backfill: every waiting job that cannot start gets a place in a plan, in order.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of cases/README.md: for each node, what is free as a function of time, when running jobs end as
 * estimated and places are kept.  It is a list of steps, at which something is given back or taken.  The plan
 * is made anew in each pass, but only as far as it can matter: once no class of waiting jobs could start now,
 * the rest of the plan would change nothing. After A. Mu'alem and D. Feitelson, IEEE TPDS 12(6), 2001.
 */
#include <stdlib.h>
#include <string.h>

#include "gy_session_internal.h"

struct step {
    int64_t t_us;
    const gy_hold *holds;
    uint32_t nholds;
    uint32_t job; /* whose demand it is */
    bool give;
};

struct plan {
    gy_session *ss;
    uint32_t domain;
    struct step *steps; /* by time; at one time what is given back comes first */
    size_t n, cap;
    gy_arena holds; /* of kept places */
    int64_t *total; /* usable GPUs after each step, for the job being placed */
    size_t total_cap;
};

static void insert_step(struct plan *p, struct step s)
{
    p->steps = gy_reserve(p->steps, &p->cap, p->n + 1, sizeof *p->steps);
    size_t low = 0, high = p->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        const struct step *m = &p->steps[mid];
        if (m->t_us < s.t_us || (m->t_us == s.t_us && m->give >= s.give))
            low = mid + 1;
        else
            high = mid;
    }
    memmove(p->steps + low + 1, p->steps + low, (p->n - low) * sizeof *p->steps);
    p->steps[low] = s;
    p->n++;
}

static int64_t end_of(const struct plan *p, const gy_run *r)
{
    int64_t soon = p->ss->sim->now_us + 1; /* who is overdue holds its GPUs until then */
    return r->plan_us > soon ? r->plan_us : soon;
}

/* The ends of running jobs come in their order from the tree. */
static void add_running(struct plan *p)
{
    gy_session *ss = p->ss;
    const gy_domain *d = &ss->domains[p->domain];
    gy_oset_item it;
    for (bool more = gy_oset_first(&d->ends, &ss->ends_pool, &it); more;
         more = gy_oset_after(&d->ends, &ss->ends_pool, it.key, it.id, &it)) {
        const gy_run *r = &ss->sim->runs[it.id];
        p->steps = gy_reserve(p->steps, &p->cap, p->n + 1, sizeof *p->steps);
        p->steps[p->n++] = (struct step){end_of(p, r), r->holds, r->nholds, r->job, true};
    }
}

static void apply(const struct plan *p, gy_room *room, const struct step *s)
{
    const gy_sim *sim = p->ss->sim;
    const gy_demand *d = gy_sim_demand(sim, s->job);
    for (uint32_t i = 0; i < s->nholds; i++) {
        gy_hold h = s->give ? gy_sim_good_part(sim, s->holds[i]) : s->holds[i];
        if (s->give)
            gy_room_give(room, d, &h, 1);
        else
            gy_room_take(room, d, &h, 1);
    }
}

static int64_t gpus_of(const struct plan *p, const struct step *s)
{
    int64_t n = 0;
    const gy_demand *d = gy_sim_demand(p->ss->sim, s->job);
    for (uint32_t i = 0; i < s->nholds && d->unit_gpus; i++)
        n += s->holds[i].gpus;
    return s->give ? n : -n;
}

static int64_t until(int64_t x_us, int64_t e_us)
{
    return e_us > GY_NEVER - 1 - x_us ? GY_NEVER : x_us + e_us;
}

/* How many steps from `at` on are needed at least before the job could fit, by counting GPUs alone: the whole
 * stretch [x, x + e) must have enough.  Returns the index of the first step not applied at such an x, or
 * SIZE_MAX. */
static size_t skip_hopeless(const struct plan *p, size_t at, int64_t x_us, int64_t e_us, int64_t need)
{
    int64_t free = at ? p->total[at - 1] : p->total[p->n];
    for (;;) {
        size_t k = at, bad = SIZE_MAX;
        int64_t last = until(x_us, e_us);
        if (free >= need) {
            for (; k < p->n && p->steps[k].t_us < last; k++)
                if (p->total[k] < need && (k + 1 == p->n || p->steps[k + 1].t_us != p->steps[k].t_us))
                    bad = k;
            if (bad == SIZE_MAX)
                return at;
        }
        /* go on behind the last step with too little */
        at = bad == SIZE_MAX ? at : bad;
        if (at >= p->n)
            return SIZE_MAX;
        x_us = p->steps[at].t_us;
        while (at < p->n && p->steps[at].t_us == x_us)
            at++;
        free = p->total[at - 1];
    }
}

/* total[k]: usable GPUs after step k; total[n]: now. */
static void count_totals(struct plan *p)
{
    p->total = gy_reserve(p->total, &p->total_cap, p->n + 1, sizeof *p->total);
    int64_t free = 0;
    const gy_layout *l = p->ss->sim->layout;
    for (uint32_t k = l->first_pool[p->domain]; k < l->first_pool[p->domain + 1]; k++)
        free += (int64_t)p->ss->sim->room->pools[k].free;
    p->total[p->n] = free;
    for (size_t i = 0; i < p->n; i++)
        p->total[i] = free += gpus_of(p, &p->steps[i]);
}

/* Places the job on the least that each node has free in [x, x + e); `at`: steps applied to plan[0] so far.
 */
static uint32_t place_over(struct plan *p, uint32_t job, size_t at, int64_t x_us, int64_t e_us, bool *fits)
{
    gy_session *ss = p->ss;
    gy_room *state = ss->plan[0], *later = ss->plan[1], *least = ss->plan[2];
    int64_t last = until(x_us, e_us);
    bool taken = false;
    for (size_t k = at; k < p->n && p->steps[k].t_us < last && !taken; k++)
        taken = !p->steps[k].give;
    if (!taken) { /* room only grows: what is free at x stays free */
        uint32_t n = gy_space_place(ss, job, state, ss->holds, fits);
        gy_room_give(state, gy_sim_demand(ss->sim, job), ss->holds, n);
        return n;
    }
    gy_room_copy(later, state, p->domain);
    gy_room_copy(least, state, p->domain);
    for (size_t k = at; k < p->n && p->steps[k].t_us < last; k++) {
        int64_t t = p->steps[k].t_us;
        size_t first = k;
        for (; k < p->n && p->steps[k].t_us == t; k++)
            apply(p, later, &p->steps[k]);
        for (size_t i = first; i < k; i++)
            for (uint32_t h = 0; h < p->steps[i].nholds; h++)
                gy_room_lower(least, later, p->steps[i].holds[h].node);
        k--;
    }
    uint32_t n = gy_space_place(ss, job, least, ss->holds, fits);
    gy_room_give(least, gy_sim_demand(ss->sim, job), ss->holds, n);
    return n;
}

/* The first time at which the job fits; GY_NEVER: none.  Its place there is in ss->holds. */
static int64_t find_place(struct plan *p, uint32_t job, int64_t e_us, uint32_t *nholds)
{
    gy_session *ss = p->ss;
    gy_room *state = ss->plan[0];
    /* Shares that end can make whole GPUs that no step counts: then there is nothing to count by. */
    int64_t x = ss->sim->now_us,
            need = ss->sim->shares ? INT64_MIN : gy_sim_demand(ss->sim, job)->gpus_milli / 1000;
    size_t at = 0, done = 0;
    bool fits;
    gy_room_copy(state, ss->sim->room, p->domain);
    count_totals(p);
    for (;;) {
        at = skip_hopeless(p, at, x, e_us, need);
        if (at == SIZE_MAX)
            return GY_NEVER;
        for (; done < at; done++)
            apply(p, state, &p->steps[done]);
        x = at ? p->steps[at - 1].t_us : ss->sim->now_us;
        *nholds = place_over(p, job, at, x, e_us, &fits);
        if (fits)
            return x;
        if (gy_faulted(ss) || at == p->n)
            return GY_NEVER;
        x = p->steps[at].t_us;
        while (at < p->n && p->steps[at].t_us == x)
            at++;
    }
}

static void keep(struct plan *p, uint32_t job, int64_t x_us, int64_t e_us, uint32_t n)
{
    gy_hold *h = gy_arena_alloc(&p->holds, (n ? n : 1) * sizeof *h);
    memcpy(h, p->ss->holds, n * sizeof *h);
    if (e_us == 0)
        return; /* it holds nothing for any time */
    insert_step(p, (struct step){x_us, h, n, job, false});
    if (until(x_us, e_us) != GY_NEVER)
        insert_step(p, (struct step){x_us + e_us, h, n, job, true});
}

/* Starts the job on the very nodes that the plan found. */
static void start(struct plan *p, uint32_t job, uint32_t n)
{
    gy_session *ss = p->ss;
    const gy_demand *d = gy_sim_demand(ss->sim, job);
    uint32_t k = 0;
    if (ss->sim->shares) {
        gy_room_take(ss->sim->room, d, ss->holds, n);
        k = n;
    } else {
        gy_hold *to = ss->sim->scratch;
        for (uint32_t i = 0; i < n; i++)
            k += gy_room_claim(ss->sim->room, d, ss->holds[i].node, ss->holds[i].units, to + k);
        memcpy(ss->holds, to, k * sizeof *to);
    }
    gy_pass_start(ss, job, ss->holds, k);
    uint32_t slot = ss->sim->slot[job];
    if (slot == GY_NONE)
        return; /* it is over already */
    const gy_run *r = &ss->sim->runs[slot];
    if (r->plan_us != GY_NEVER)
        insert_step(p, (struct step){end_of(p, r), r->holds, r->nholds, job, true});
}

/* Could any job that was not looked at yet start now?  If not, nobody needs a place any more. */
static bool somebody_may_start(gy_session *ss, uint32_t domain)
{
    const gy_domain *d = &ss->domains[domain];
    for (uint32_t i = 0; i < d->heap.n; i++)
        if (gy_room_may_fit(ss->sim->room, ss->classes[d->heap.v[i]].demand, domain))
            return true;
    return false;
}

static int64_t estimate_in(gy_session *ss, uint32_t job)
{
    int64_t e = gy_estimate_of(ss, GY_STAGE_BACKFILL, job), kept = gy_sim_kept(ss->sim, job);
    return e == GY_NEVER ? GY_NEVER : e > kept ? e - kept : 0;
}

/* False: the module says that nobody behind it starts in this pass. */
static bool plan_one(struct plan *p, uint32_t class)
{
    gy_session *ss = p->ss;
    uint32_t job = ss->classes[class].head.id, n = 0;
    int64_t e = ss->classes[class].head.aux;
    gy_domain *d = &ss->domains[p->domain];
    if (!gy_pass_admits(ss, class, job) || gy_faulted(ss))
        return true;
    int64_t x = find_place(p, job, e, &n);
    if (gy_faulted(ss))
        return false;
    if (x == ss->sim->now_us) {
        start(p, job, n);
        return true;
    }
    gy_instance *in = &ss->inst[GY_STAGE_BACKFILL];
    uint32_t answer = ss->backfill->blocked(in->self, &in->view, job, d->nth++);
    gy_decide(ss, "wait", job, x == GY_NEVER ? GY_WAITS_RESOURCES : GY_WAITS_RESERVATION, "");
    gy_queue_advance(ss, class);
    answer &= ~(uint32_t)GY_BLOCKED_REST;
    if (answer == GY_BLOCKED_RESERVE && x != GY_NEVER)
        keep(p, job, x, e, n);
    return answer != GY_BLOCKED_STOP;
}

void gy_plan_rest(gy_session *ss, uint32_t domain, const uint32_t *kept, uint32_t nkept)
{
    struct plan p = {.ss = ss, .domain = domain};
    gy_domain *d = &ss->domains[domain];
    for (unsigned i = 0; i < 3; i++)
        if (!ss->plan[i])
            ss->plan[i] = gy_room_create(ss->sim->layout, false, ss->sim->shares);
    if (!somebody_may_start(ss, domain))
        return;
    add_running(&p);
    for (uint32_t i = 0; i < nkept && !gy_faulted(ss); i++) {
        uint32_t n = 0;
        int64_t e = estimate_in(ss, kept[i]), x = find_place(&p, kept[i], e, &n);
        if (x != GY_NEVER)
            keep(&p, kept[i], x, e, n);
    }
    while (!gy_faulted(ss) && d->heap.n && somebody_may_start(ss, domain))
        if (!plan_one(&p, d->heap.v[0]))
            break;
    free(p.steps);
    free(p.total);
    gy_arena_fini(&p.holds);
}
