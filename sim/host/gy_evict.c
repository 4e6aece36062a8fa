/* gy_evict.c - running jobs in the order in which they would be stopped, and the dry run of the evict stage.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A linear key grows at a known pace while its job runs, so jobs of one pace keep their order for ever: they
 * stand in a set by their key at time 0, and the sets are merged when somebody is to be stopped.  Keys that
 * change in other ways are computed at that moment, and so are those of jobs that were resized: their pace is
 * no whole number.  A run that stands still until its GPUs are mended is no candidate.
 */
#include <stdlib.h>
#include <string.h>

#include "gy_session_internal.h"

enum { KEY_OF_PRIORITY = 0 };

static bool linear(const gy_session *ss)
{
    return ss->evict_change == GY_KEY_LINEAR;
}
static bool sorted_when_asked(const gy_session *ss)
{
    return ss->evict_change >= GY_KEY_USER;
}

void gy_evict_init(gy_session *ss)
{
    if (!ss->evict)
        return;
    if (ss->evict->key) {
        ss->evict_key_stage = GY_STAGE_EVICT;
        ss->evict_lanes = ss->evict->lanes;
        ss->evict_change = ss->evict->change;
        ss->evict_slope = ss->evict->slope_kind;
    } else if (ss->order->lanes) {
        ss->evict_key_stage = GY_STAGE_ORDER;
        ss->evict_lanes = ss->order->lanes;
        ss->evict_change = ss->order->change;
        ss->evict_slope = ss->order->slope_kind;
    } else {
        ss->evict_key_stage = KEY_OF_PRIORITY;
        ss->evict_lanes = 1;
        ss->evict_change = GY_KEY_NEVER;
    }
    ss->pace_pool.lanes = linear(ss) ? 2 : ss->evict_lanes;
    ss->evict_grows = ss->evict_change >= GY_KEY_USER;
    ss->one_by_one = ss->evict_key_stage != GY_STAGE_ORDER || ss->order->change == GY_KEY_USER;
    if (!ss->looked)
        ss->looked = gy_alloc(ss->sim->jobs->n, sizeof *ss->looked);
}

void gy_evict_fini(gy_session *ss)
{
    gy_oset_pool_fini(&ss->pace_pool);
    gy_heap_fini(&ss->pace_changes);
    free(ss->paces);
    free(ss->standing);
}

void gy_evict_key_of(gy_session *ss, uint32_t job, gy_key *k)
{
    *k = (gy_key){{0, 0, 0}, 0};
    if (ss->evict_key_stage == KEY_OF_PRIORITY) {
        k->lane[0] = -gy_job_priority(ss->sim->jobs, job);
        return;
    }
    gy_instance *in = &ss->inst[ss->evict_key_stage];
    if (ss->evict_key_stage == GY_STAGE_EVICT)
        ss->evict->key(in->self, &in->view, job, k);
    else
        ss->order->key(in->self, &in->view, job, k);
}

static gy_i128 linear_value(const gy_session *ss, const gy_key *k)
{
    return ss->evict_lanes == 1 ? k->lane[0]
                                : (gy_i128)k->lane[0] * ((gy_i128)1 << 64) + (uint64_t)k->lane[1];
}

/* One 128-bit number as two lanes that compare like it. */
static void to_lanes(gy_i128 v, int64_t out[3])
{
    out[0] = (int64_t)(v >> 64);
    out[1] = (int64_t)((uint64_t)v ^ (uint64_t)1 << 63);
    out[2] = 0;
}

static gy_i128 from_lanes(const int64_t key[3])
{
    return (gy_i128)key[0] * ((gy_i128)1 << 64) + ((uint64_t)key[1] ^ (uint64_t)1 << 63);
}

/* ---- standing ---- */

static uint32_t pace_for(gy_session *ss, uint32_t domain, int64_t slope)
{
    gy_list *l = &ss->domains[domain].paces;
    for (uint32_t i = 0; i < l->n; i++)
        if (ss->paces[l->v[i]].slope == slope)
            return l->v[i];
    ss->paces = gy_reserve(ss->paces, &ss->paces_cap, (size_t)ss->npaces + 1, sizeof *ss->paces);
    ss->paces[ss->npaces] = (gy_pace){.domain = domain, .slope = slope};
    gy_list_push(l, ss->npaces);
    return ss->npaces++;
}

/* When the pace of a key that follows the work changes next: a pause begins or ends. */
static int64_t next_change(const gy_session *ss, const gy_run *r, bool *paused)
{
    const gy_sim *sim = ss->sim;
    int64_t interval = gy_job_checkpoint(sim->jobs, r->job);
    gy_progress p = gy_run_at(sim, r, sim->now_us);
    *paused = p.pause_left_us > 0;
    if (*paused)
        return sim->now_us + p.pause_left_us;
    if (interval == GY_NEVER || sim->opt.checkpoint_cost_us == 0)
        return GY_NEVER;
    gy_i128 due = p.saved + (gy_i128)interval * r->den;
    return sim->now_us + (int64_t)((due - p.work + r->num - 1) / r->num);
}

static void stand(gy_session *ss, uint32_t slot)
{
    const gy_run *r = &ss->sim->runs[slot];
    gy_standing *st = &ss->standing[slot];
    uint32_t domain = gy_sim_domain(ss->sim, r->job);
    gy_key k;
    gy_evict_key_of(ss, r->job, &k);
    st->change_us = GY_NEVER;
    if (linear(ss) && r->num != r->den) {
        st->odd = true;
        ss->nodd++;
        return;
    }
    if (linear(ss)) {
        bool paused = false;
        if (ss->evict_slope == GY_SLOPE_WORK)
            st->change_us = next_change(ss, r, &paused);
        int64_t slope = paused ? 0 : k.slope;
        ss->evict_grows = ss->evict_grows || slope > 0;
        to_lanes(linear_value(ss, &k) - (gy_i128)slope * ss->sim->now_us, st->key);
        st->pace = pace_for(ss, domain, slope);
    } else {
        memcpy(st->key, k.lane, sizeof st->key);
        st->pace = pace_for(ss, domain, 0);
    }
    if (st->change_us != GY_NEVER)
        gy_heap_push(&ss->pace_changes, st->change_us, GY_HEAP_TIMER, slot);
    /* A share counts as what it may be in the way of: a whole GPU. */
    gy_oset_add(&ss->paces[st->pace].jobs, &ss->pace_pool, st->key, r->job,
                r->milli < 1000 ? 1000 : r->milli);
}

static bool candidate(const gy_session *ss, const gy_run *r)
{
    return !(ss->sim->jobs->flags[r->job] & GY_JOB_NOT_PREEMPTIBLE) && !r->stalled;
}

void gy_evict_started(gy_session *ss, uint32_t slot)
{
    const gy_run *r = &ss->sim->runs[slot];
    if (!ss->evict)
        return;
    ss->standing = gy_reserve(ss->standing, &ss->standing_cap, (size_t)slot + 1, sizeof *ss->standing);
    ss->standing[slot] = (gy_standing){.pace = GY_NONE, .change_us = GY_NEVER};
    if (candidate(ss, r) && !sorted_when_asked(ss))
        stand(ss, slot);
}

void gy_evict_leaving(gy_session *ss, uint32_t slot)
{
    gy_standing *st = ss->evict ? &ss->standing[slot] : NULL;
    if (st && st->odd) {
        st->odd = false;
        ss->nodd--;
    }
    if (!st || st->pace == GY_NONE)
        return;
    gy_oset_remove(&ss->paces[st->pace].jobs, &ss->pace_pool, st->key, ss->sim->runs[slot].job);
    st->pace = GY_NONE;
    st->change_us = GY_NEVER;
}

/* Jobs whose pause began or ended since the last look change their pace. */
static void follow_pauses(gy_session *ss)
{
    while (ss->pace_changes.n && ss->pace_changes.e[0].t_us <= ss->sim->now_us) {
        gy_heap_event ev = gy_heap_pop(&ss->pace_changes);
        uint32_t slot = gy_heap_payload_of(ev);
        if (ss->standing[slot].change_us != ev.t_us || ss->standing[slot].pace == GY_NONE)
            continue;
        gy_evict_leaving(ss, slot);
        stand(ss, slot);
    }
}

/* ---- the dry run ---- */

struct cursor { /* the last candidate of a pace that was not handed out yet */
    gy_oset_item it;
    uint32_t pace;
    bool any;
};

struct ranked { /* for keys that are computed when asked */
    gy_key key;
    uint32_t job;
    const gy_session *ss;
};

struct gy_trial {
    gy_session *ss;
    const gy_trial_room *room; /* NULL: the live one */
    uint32_t job, domain;
    gy_key key;    /* of the job */
    gy_i128 value; /* the same, if linear */
    struct cursor *cursors;
    uint32_t ncursors;
    struct ranked *ranked; /* those whose keys are computed when asked */
    uint32_t nranked;      /* handed out from the end */
    gy_list stopped;       /* jobs */
};

static int compare_keys(const int64_t *a, const int64_t *b, unsigned lanes)
{
    for (unsigned l = 0; l < lanes; l++)
        if (a[l] != b[l])
            return a[l] < b[l] ? -1 : 1;
    return 0;
}

/* A key as one number, or as it is, compared with another of its kind. */
static int compare_any(const gy_session *ss, const gy_key *a, const gy_key *b)
{
    if (!linear(ss))
        return compare_keys(a->lane, b->lane, ss->evict_lanes);
    gy_i128 x = linear_value(ss, a), y = linear_value(ss, b);
    return (x > y) - (x < y);
}

/* Is the candidate's key larger than that of the job? */
static bool larger(const gy_trial *t, const struct cursor *c)
{
    const gy_session *ss = t->ss;
    if (!linear(ss))
        return compare_keys(c->it.key, t->key.lane, ss->evict_lanes) > 0;
    return from_lanes(c->it.key) + (gy_i128)ss->paces[c->pace].slope * ss->sim->now_us > t->value;
}

static bool cursor_before(const gy_trial *t, const struct cursor *a, const struct cursor *b)
{
    const gy_session *ss = t->ss;
    if (linear(ss)) {
        gy_i128 x = from_lanes(a->it.key) + (gy_i128)ss->paces[a->pace].slope * ss->sim->now_us;
        gy_i128 y = from_lanes(b->it.key) + (gy_i128)ss->paces[b->pace].slope * ss->sim->now_us;
        return x != y ? x < y : a->it.id < b->it.id;
    }
    int c = compare_keys(a->it.key, b->it.key, ss->evict_lanes);
    return c ? c < 0 : a->it.id < b->it.id;
}

static int compare_ranked(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    int c = compare_any(a->ss, &a->key, &b->key);
    return c ? c : (a->job > b->job) - (a->job < b->job);
}

static void rank(gy_trial *t)
{
    gy_session *ss = t->ss;
    gy_sim *sim = ss->sim;
    bool all = sorted_when_asked(ss);
    t->ranked = gy_alloc(sim->running, sizeof *t->ranked);
    for (uint32_t k = 0; k < sim->nruns; k++) {
        uint32_t job = sim->runs[k].job;
        if (job == GY_NONE || !(all || ss->standing[k].odd) || !candidate(ss, &sim->runs[k]) ||
            gy_sim_domain(sim, job) != t->domain)
            continue;
        struct ranked *r = &t->ranked[t->nranked];
        *r = (struct ranked){.job = job, .ss = ss};
        gy_evict_key_of(ss, job, &r->key);
        t->nranked += compare_any(ss, &r->key, &t->key) > 0;
    }
    if (t->nranked)
        qsort(t->ranked, t->nranked, sizeof *t->ranked, compare_ranked);
}

static void set_cursors(gy_trial *t)
{
    gy_session *ss = t->ss;
    const gy_list *l = &ss->domains[t->domain].paces;
    t->cursors = gy_alloc(l->n, sizeof *t->cursors);
    for (uint32_t i = 0; i < l->n; i++) {
        struct cursor *c = &t->cursors[t->ncursors];
        c->pace = l->v[i];
        c->any = gy_oset_last(&ss->paces[c->pace].jobs, &ss->pace_pool, &c->it) && larger(t, c);
        t->ncursors += c->any;
    }
}

/* Does the last of those ranked come after the cursor's? */
static bool ranked_is_last(const gy_trial *t, const struct cursor *c)
{
    if (t->nranked == 0 || !c)
        return t->nranked > 0;
    const struct ranked *r = &t->ranked[t->nranked - 1];
    gy_i128 x = from_lanes(c->it.key) + (gy_i128)t->ss->paces[c->pace].slope * t->ss->sim->now_us;
    gy_i128 y = linear_value(t->ss, &r->key);
    return x != y ? x < y : c->it.id < r->job;
}

uint32_t gy_trial_next(gy_trial *t)
{
    gy_session *ss = t->ss;
    struct cursor *last = NULL;
    for (uint32_t i = 0; i < t->ncursors; i++)
        if (t->cursors[i].any && (!last || cursor_before(t, last, &t->cursors[i])))
            last = &t->cursors[i];
    if (ranked_is_last(t, last))
        return t->ranked[--t->nranked].job;
    if (!last)
        return GY_NIL;
    uint32_t job = last->it.id;
    last->any = gy_oset_before(&ss->paces[last->pace].jobs, &ss->pace_pool, last->it.key, job, &last->it) &&
                larger(t, last);
    return job;
}

/* Gives or takes, where the trial takes place, what would come back of a running job. */
static void toggle(const gy_trial *t, uint32_t job, bool give)
{
    gy_session *ss = t->ss;
    gy_sim *sim = ss->sim;
    if (t->room) {
        t->room->toggle(ss, t->room->ctx, job, give);
        return;
    }
    gy_sim_toggle(sim, sim->room, &sim->runs[sim->slot[job]], give);
}

static uint32_t stopped_at(const gy_trial *t, uint32_t job)
{
    uint32_t i = 0;
    while (i < t->stopped.n && t->stopped.v[i] != job)
        i++;
    return i;
}

void gy_trial_stop(gy_trial *t, uint32_t job)
{
    gy_sim *sim = t->ss->sim;
    gy_key key;
    if (job >= sim->jobs->n || sim->slot[job] == GY_NONE || !candidate(t->ss, &sim->runs[sim->slot[job]]) ||
        gy_sim_domain(sim, job) != t->domain || stopped_at(t, job) < t->stopped.n) {
        gy_fault(t->ss, GY_STAGE_EVICT, t->job,
                 "it stops a job that is not running, may not be stopped, or is stopped");
        return;
    }
    gy_evict_key_of(t->ss, job, &key);
    if (compare_any(t->ss, &key, &t->key) <= 0) {
        gy_fault(t->ss, GY_STAGE_EVICT, t->job, "it stops a job that does not come after the job by its key");
        return;
    }
    toggle(t, job, true);
    gy_list_push(&t->stopped, job);
}

void gy_trial_spare(gy_trial *t, uint32_t job)
{
    uint32_t i = stopped_at(t, job);
    if (i == t->stopped.n) {
        gy_fault(t->ss, GY_STAGE_EVICT, t->job, "it spares a job that it had not stopped");
        return;
    }
    toggle(t, job, false);
    memmove(t->stopped.v + i, t->stopped.v + i + 1, (t->stopped.n - i - 1) * sizeof *t->stopped.v);
    t->stopped.n--;
}

int gy_trial_fits(gy_trial *t)
{
    gy_session *ss = t->ss;
    bool fits;
    if (t->room)
        return t->room->fits(ss, t->room->ctx, t->job) && !gy_faulted(ss);
    uint32_t n = gy_space_place(ss, t->job, ss->sim->room, ss->holds, &fits);
    gy_room_give(ss->sim->room, gy_sim_demand(ss->sim, t->job), ss->holds, n);
    return fits && !gy_faulted(ss);
}

/* Thousandths of GPUs that candidates hold: if even all of them are too few, nobody has to be asked. */
static bool hopeless(const gy_trial *t)
{
    gy_session *ss = t->ss;
    const gy_demand *d = gy_sim_demand(ss->sim, t->job);
    if (sorted_when_asked(ss) || !d->unit_gpus || ss->nodd)
        return false;
    int64_t need = (int64_t)d->gpus_milli - 1000 * (int64_t)gy_room_usable(ss->sim->room, d, t->domain);
    const gy_list *l = &ss->domains[t->domain].paces;
    for (uint32_t i = 0; i < l->n && need > 0; i++) {
        const gy_pace *p = &ss->paces[l->v[i]];
        int64_t at[3];
        if (linear(ss))
            to_lanes(t->value - (gy_i128)p->slope * ss->sim->now_us, at);
        else
            memcpy(at, t->key.lane, sizeof at);
        need -= gy_oset_sum_after(&p->jobs, &ss->pace_pool, at, UINT32_MAX);
    }
    return need > 0;
}

/* Carries out what was tried. */
static void stop_all(gy_trial *t)
{
    gy_session *ss = t->ss;
    for (uint32_t i = 0; i < t->stopped.n; i++) {
        uint32_t job = t->stopped.v[i];
        if (ss->log)
            gy_decide(ss, "stop", job, 0, "for another job");
        if (t->room && t->room->follow)
            t->room->toggle(ss, t->room->ctx, job, true);
        gy_sim_stop(ss->sim, ss->sim->slot[job], ss->sim->opt.preempt_mode == GY_PREEMPT_CHECKPOINT, false);
    }
    ss->domains[t->domain].evicted = true;
}

bool gy_evict_for(gy_session *ss, uint32_t class, uint32_t job, const gy_trial_room *room)
{
    gy_instance *in = &ss->inst[GY_STAGE_EVICT];
    gy_trial t = {.ss = ss, .room = room, .job = job, .domain = ss->classes[class].domain};
    follow_pauses(ss);
    gy_evict_key_of(ss, job, &t.key);
    t.value = linear(ss) ? linear_value(ss, &t.key) : 0;
    if (gy_faulted(ss) || hopeless(&t))
        return false;
    if (sorted_when_asked(ss) || ss->nodd)
        rank(&t);
    if (!sorted_when_asked(ss))
        set_cursors(&t);
    int chosen = ss->evict->select(in->self, &in->view, &t, job);
    for (uint32_t i = t.stopped.n; i-- > 0;)
        toggle(&t, t.stopped.v[i], false);
    bool stops = chosen && t.stopped.n && !gy_faulted(ss);
    if (stops)
        stop_all(&t);
    free(t.cursors);
    free(t.ranked);
    free(t.stopped.v);
    if (stops)
        gy_pass_reopen(ss, t.domain, gy_queue_key(ss, &ss->classes[class], job), job);
    return stops;
}

/* ---- self-check ---- */

gy_rc gy_evict_check(gy_session *ss, gy_err *e)
{
    if (!ss->evict || sorted_when_asked(ss))
        return GY_OK;
    follow_pauses(ss);
    for (uint32_t k = 0; k < ss->sim->nruns; k++) {
        uint32_t job = ss->sim->runs[k].job;
        const gy_standing *st = job == GY_NONE ? NULL : &ss->standing[k];
        if (!st || st->pace == GY_NONE)
            continue;
        gy_key key;
        gy_evict_key_of(ss, job, &key);
        bool same = linear(ss) ? from_lanes(st->key) + (gy_i128)ss->paces[st->pace].slope * ss->sim->now_us ==
                                     linear_value(ss, &key)
                               : compare_keys(st->key, key.lane, ss->evict_lanes) == 0;
        if (!same)
            return gy_fail(e, GY_EINVAL, "self-check: the key of running job %u is not what its module says",
                           job);
    }
    return GY_OK;
}
