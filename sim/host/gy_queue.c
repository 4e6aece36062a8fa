/* gy_queue.c - the waiting jobs: shape classes with ordered queues, and for each domain a heap of the
 * classes' heads. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cost of a pass follows the number of classes that could start something, not the number of jobs.
 */
#include <stdlib.h>
#include <string.h>

#include "gy_profile.h"
#include "gy_session_internal.h"

static const int64_t no_key[3];

void gy_queue_init(gy_session *ss)
{
    const gy_jobs *t = ss->sim->jobs;
    ss->lanes = ss->order->change == GY_KEY_USER ? 0 : ss->order->lanes;
    ss->waiting_pool.lanes = ss->lanes;
    ss->ends_pool.lanes = 1;
    if (ss->lanes)
        ss->keys = gy_alloc((size_t)t->n * ss->lanes, sizeof *ss->keys);
    if (ss->order->change == GY_KEY_USER && ss->order->lanes) {
        ss->class_of_user = gy_alloc(t->users.n, sizeof *ss->class_of_user);
        memset(ss->class_of_user, 0xff, t->users.n * sizeof *ss->class_of_user);
    }
    ss->domains = gy_alloc(ss->sim->layout->ndomains, sizeof *ss->domains);
    for (uint32_t d = 0; d < ss->sim->layout->ndomains; d++)
        ss->domains[d].stalled = ss->domains[d].shadow.head = ss->domains[d].arrived = GY_NONE;
    ss->domain_closed = gy_alloc(ss->sim->layout->ndomains, sizeof *ss->domain_closed);
    ss->queue_block = gy_alloc(t->queues.n, sizeof *ss->queue_block);
    memset(ss->queue_block, 0xff, t->queues.n * sizeof *ss->queue_block);
    ss->queue_changed = gy_alloc(t->queues.n, 1);
    if (ss->admit && !(ss->admit_flags & GY_ADMIT_BY_QUEUE))
        ss->looked = gy_alloc(t->n, sizeof *ss->looked);
}

void gy_queue_fini(gy_session *ss)
{
    for (uint32_t d = 0; ss->domains && d < ss->sim->layout->ndomains; d++) {
        free(ss->domains[d].heap.v);
        free(ss->domains[d].members.v);
        free(ss->domains[d].paces.v);
        free(ss->domains[d].shadow.kept);
        gy_profile_free(ss->domains[d].profile);
    }
    gy_oset_pool_fini(&ss->waiting_pool);
    gy_oset_pool_fini(&ss->ends_pool);
    free(ss->keys);
    free(ss->classes);
    free(ss->class_slots);
    free(ss->class_of_user);
    free(ss->domains);
    free(ss->domain_closed);
    free(ss->dirty.v);
    free(ss->deferred.v);
    free(ss->queue_block);
    free(ss->queue_changed);
    free(ss->changed_queues.v);
    free(ss->looked);
}

void gy_queue_soil(gy_session *ss, uint32_t domain, bool freed)
{
    gy_domain *d = &ss->domains[domain];
    d->freed = d->freed || freed;
    d->arrived = GY_NONE;
    if (d->dirty)
        return;
    d->dirty = true;
    gy_list_push(&ss->dirty, domain);
}

static void soil_by_arrival(gy_session *ss, uint32_t domain, uint32_t job)
{
    bool first = !ss->domains[domain].dirty;
    gy_queue_soil(ss, domain, false);
    if (first)
        ss->domains[domain].arrived = job;
}

/* ---- keys ---- */

/* A linear key of two lanes is one number: its low half is moved so that it compares as a signed one. */
static void order_key(gy_session *ss, uint32_t job, int64_t out[3])
{
    gy_key k = {{0, 0, 0}, 0};
    gy_instance *in = &ss->inst[GY_STAGE_ORDER];
    ss->order->key(in->self, &in->view, job, &k);
    memcpy(out, k.lane, sizeof k.lane);
    if (ss->order->change == GY_KEY_LINEAR && ss->order->lanes == 2)
        out[1] = (int64_t)((uint64_t)out[1] ^ (uint64_t)1 << 63);
}

static void take_key(gy_session *ss, uint32_t job)
{
    int64_t key[3];
    if (!ss->lanes)
        return;
    order_key(ss, job, key);
    memcpy(ss->keys + (size_t)job * ss->lanes, key, ss->lanes * sizeof *key);
}

const int64_t *gy_queue_key(const gy_session *ss, const gy_class *c, uint32_t job)
{
    (void)c;
    return ss->lanes ? ss->keys + (size_t)job * ss->lanes : no_key;
}

static int compare_lanes(const int64_t *a, const int64_t *b, unsigned lanes)
{
    for (unsigned l = 0; l < lanes; l++)
        if (a[l] != b[l])
            return a[l] < b[l] ? -1 : 1;
    return 0;
}

bool gy_queue_head_before(const gy_session *ss, uint32_t a, uint32_t b)
{
    const gy_class *x = &ss->classes[a], *y = &ss->classes[b];
    int c = ss->class_of_user ? compare_lanes(x->user_key, y->user_key, ss->order->lanes)
                              : compare_lanes(x->head.key, y->head.key, ss->lanes);
    return c ? c < 0 : x->head.id < y->head.id;
}

bool gy_queue_job_before(const gy_session *ss, uint32_t a, uint32_t b)
{
    int c = compare_lanes(gy_queue_key(ss, NULL, a), gy_queue_key(ss, NULL, b), ss->lanes);
    return c ? c < 0 : a < b;
}

bool gy_queue_item_before(const gy_session *ss, const gy_class *ca, const gy_oset_item *a, const gy_class *cb,
                          const gy_oset_item *b)
{
    int c = ss->class_of_user ? compare_lanes(ca->user_key, cb->user_key, ss->order->lanes)
                              : compare_lanes(a->key, b->key, ss->lanes);
    return c ? c < 0 : a->id < b->id;
}

/* ---- the heap of a domain ---- */

static void put_at(gy_session *ss, gy_list *h, uint32_t pos, uint32_t class)
{
    h->v[pos] = class;
    ss->classes[class].heap_pos = pos;
}

static void heap_fix(gy_session *ss, gy_list *h, uint32_t pos)
{
    uint32_t x = h->v[pos];
    while (pos > 0 && gy_queue_head_before(ss, x, h->v[(pos - 1) / 2])) {
        put_at(ss, h, pos, h->v[(pos - 1) / 2]);
        pos = (pos - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * pos + 1;
        if (child >= h->n)
            break;
        if (child + 1 < h->n && gy_queue_head_before(ss, h->v[child + 1], h->v[child]))
            child++;
        if (!gy_queue_head_before(ss, h->v[child], x))
            break;
        put_at(ss, h, pos, h->v[child]);
        pos = child;
    }
    put_at(ss, h, pos, x);
}

void gy_queue_set_place(gy_session *ss, uint32_t class, enum gy_class_place place)
{
    gy_class *c = &ss->classes[class];
    gy_domain *d = &ss->domains[c->domain];
    gy_list *h = &d->heap;
    if (c->place == place)
        return;
    if (c->place == GY_CLASS_READY) {
        uint32_t pos = c->heap_pos, last = h->v[--h->n];
        if (last != class) {
            put_at(ss, h, pos, last);
            heap_fix(ss, h, pos);
        }
    }
    d->nblocked -= c->place == GY_CLASS_BLOCKED;
    c->place = place;
    d->nblocked += place == GY_CLASS_BLOCKED;
    if (place == GY_CLASS_READY) {
        gy_list_push(h, class);
        c->heap_pos = h->n - 1;
        heap_fix(ss, h, c->heap_pos);
    }
}

static void set_head(gy_session *ss, uint32_t class, const gy_oset_item *item)
{
    gy_class *c = &ss->classes[class];
    c->head = *item;
    if (c->place == GY_CLASS_READY)
        heap_fix(ss, &ss->domains[c->domain].heap, c->heap_pos);
}

/* ---- classes ---- */

static uint64_t class_hash(uint32_t shape, uint32_t queue, uint32_t user)
{
    uint64_t h = ((uint64_t)shape << 32 | queue) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ user) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

static void grow_class_slots(gy_session *ss)
{
    ss->nclass_slots = ss->nclass_slots ? ss->nclass_slots * 2 : 64;
    free(ss->class_slots);
    ss->class_slots = gy_alloc(ss->nclass_slots, sizeof *ss->class_slots);
    for (uint32_t k = 0; k < ss->nclasses; k++) {
        const gy_class *c = &ss->classes[k];
        size_t i = class_hash(c->shape, c->queue, c->user) & (ss->nclass_slots - 1);
        while (ss->class_slots[i])
            i = (i + 1) & (ss->nclass_slots - 1);
        ss->class_slots[i] = k + 1;
    }
}

uint32_t gy_queue_class_of(gy_session *ss, uint32_t job)
{
    const gy_jobs *t = ss->sim->jobs;
    /* Queues matter to the admission stage alone; without one a class is a shape in a domain. */
    uint32_t shape = t->shape[job], user = ss->class_of_user ? t->user[job] : GY_NONE;
    uint32_t queue = ss->admit ? t->queue[job] : gy_sim_domain(ss->sim, job);
    if (2 * (size_t)ss->nclasses >= ss->nclass_slots)
        grow_class_slots(ss);
    size_t i = class_hash(shape, queue, user) & (ss->nclass_slots - 1);
    for (; ss->class_slots[i]; i = (i + 1) & (ss->nclass_slots - 1)) {
        const gy_class *c = &ss->classes[ss->class_slots[i] - 1];
        if (c->shape == shape && c->queue == queue && c->user == user)
            return ss->class_slots[i] - 1;
    }
    uint32_t k = ss->nclasses++;
    ss->classes = gy_reserve(ss->classes, &ss->classes_cap, ss->nclasses, sizeof *ss->classes);
    ss->classes[k] = (gy_class){.shape = shape,
                                .queue = queue,
                                .user = user,
                                .domain = gy_sim_domain(ss->sim, job),
                                .demand = gy_sim_demand(ss->sim, job),
                                .next_of_user = GY_NONE};
    ss->class_slots[i] = k + 1;
    if (ss->class_of_user) {
        ss->classes[k].next_of_user = ss->class_of_user[user];
        ss->class_of_user[user] = k;
    }
    return k;
}

void gy_queue_user_changed(gy_session *ss, uint32_t user)
{
    int64_t key[3];
    bool known = false;
    if (!ss->class_of_user)
        return;
    for (uint32_t k = ss->class_of_user[user]; k != GY_NONE; k = ss->classes[k].next_of_user) {
        gy_class *c = &ss->classes[k];
        if (c->place == GY_CLASS_EMPTY)
            continue;
        if (!known)
            order_key(ss, c->head.id, key);
        known = true;
        memcpy(c->user_key, key, sizeof key);
        if (c->place == GY_CLASS_READY)
            heap_fix(ss, &ss->domains[c->domain].heap, c->heap_pos);
    }
}

/* ---- members ---- */

static void enter(gy_session *ss, uint32_t class)
{
    gy_class *c = &ss->classes[class];
    gy_list *m = &ss->domains[c->domain].members;
    c->member_pos = m->n;
    gy_list_push(m, class);
}

static void leave(gy_session *ss, uint32_t class)
{
    gy_class *c = &ss->classes[class];
    gy_list *m = &ss->domains[c->domain].members;
    uint32_t last = m->v[--m->n];
    m->v[c->member_pos] = last;
    ss->classes[last].member_pos = c->member_pos;
}

int64_t gy_queue_estimate(gy_session *ss, uint32_t job)
{
    if (!(ss->backfill_flags & GY_PLANS))
        return 0;
    int64_t e = gy_estimate_of(ss, GY_STAGE_BACKFILL, job);
    if (e == GY_NEVER)
        return GY_NEVER;
    ss->estimates_seen = true;
    int64_t kept = gy_sim_kept(ss->sim, job);
    return e > kept ? e - kept : 0;
}

void gy_queue_add(gy_session *ss, uint32_t job)
{
    uint32_t k = gy_queue_class_of(ss, job);
    take_key(ss, job);
    gy_class *c = &ss->classes[k];
    gy_oset_item it = {.id = job, .aux = gy_queue_estimate(ss, job)};
    memcpy(it.key, gy_queue_key(ss, c, job), ss->lanes * sizeof *it.key);
    gy_oset_add(&c->waiting, &ss->waiting_pool, gy_queue_key(ss, c, job), job, it.aux);
    if (c->place == GY_CLASS_EMPTY) {
        enter(ss, k);
        c->head = it;
        c->moved = false;
        if (ss->class_of_user)
            order_key(ss, job, c->user_key);
        gy_queue_set_place(ss, k, GY_CLASS_READY);
    } else if (c->place == GY_CLASS_PASSED) {
        c->head = it;
        gy_queue_set_place(ss, k, GY_CLASS_READY);
    } else {
        int less = compare_lanes(it.key, c->head.key, ss->lanes);
        if (less < 0 || (less == 0 && job < c->head.id)) {
            set_head(ss, k, &it);
            if (c->place == GY_CLASS_REFUSED) /* it may come before the job that holds up its queue */
                gy_queue_set_place(ss, k, GY_CLASS_READY);
        }
    }
    soil_by_arrival(ss, c->domain, job);
}

void gy_queue_advance(gy_session *ss, uint32_t class)
{
    gy_class *c = &ss->classes[class];
    gy_oset_item next;
    c->moved = ss->domains[c->domain].touched = true;
    if (gy_oset_after(&c->waiting, &ss->waiting_pool, c->head.key, c->head.id, &next))
        set_head(ss, class, &next);
    else
        gy_queue_set_place(ss, class, GY_CLASS_PASSED);
}

void gy_queue_skip_to(gy_session *ss, uint32_t class, const int64_t *key, uint32_t job)
{
    gy_class *c = &ss->classes[class];
    gy_oset_item next;
    c->moved = ss->domains[c->domain].touched = true;
    if (gy_oset_after(&c->waiting, &ss->waiting_pool, key, job, &next)) {
        set_head(ss, class, &next);
        gy_queue_set_place(ss, class, GY_CLASS_READY);
    } else {
        gy_queue_set_place(ss, class, GY_CLASS_PASSED);
    }
}

void gy_queue_rewind(gy_session *ss, uint32_t class)
{
    gy_class *c = &ss->classes[class];
    gy_oset_item first;
    if (!c->moved)
        return;
    c->moved = false;
    bool any = gy_oset_first(&c->waiting, &ss->waiting_pool, &first);
    GY_ASSERT(any);
    set_head(ss, class, &first);
}

void gy_queue_remove(gy_session *ss, uint32_t job)
{
    uint32_t k = gy_queue_class_of(ss, job);
    gy_class *c = &ss->classes[k];
    gy_oset_item next;
    bool was_head = c->head.id == job && c->place != GY_CLASS_PASSED;
    gy_oset_remove(&c->waiting, &ss->waiting_pool, gy_queue_key(ss, c, job), job);
    if (c->waiting.n == 0) {
        if (ss->admit && ss->queue_block[c->queue] == k)
            ss->queue_block[c->queue] = GY_NONE;
        gy_queue_set_place(ss, k, GY_CLASS_EMPTY);
        leave(ss, k);
        c->moved = false;
    } else if (was_head) {
        if (gy_oset_after(&c->waiting, &ss->waiting_pool, c->head.key, job, &next))
            set_head(ss, k, &next);
        else
            gy_queue_set_place(ss, k, GY_CLASS_PASSED);
    }
}

void gy_queue_rekey(gy_session *ss, uint32_t job)
{
    if (!ss->lanes)
        return;
    gy_queue_remove(ss, job);
    gy_queue_add(ss, job);
}

/* Every key anew: the sets are rebuilt. */
void gy_queue_rekey_all(gy_session *ss)
{
    for (uint32_t k = 0; k < ss->nclasses; k++) {
        gy_class *c = &ss->classes[k];
        uint32_t n = c->waiting.n;
        if (n == 0)
            continue;
        gy_oset_item *all = gy_alloc(n, sizeof *all), it;
        uint32_t i = 0;
        for (bool more = gy_oset_first(&c->waiting, &ss->waiting_pool, &it); more;
             more = gy_oset_after(&c->waiting, &ss->waiting_pool, it.key, it.id, &it))
            all[i++] = it;
        gy_oset_clear(&c->waiting, &ss->waiting_pool);
        for (i = 0; i < n; i++) {
            take_key(ss, all[i].id);
            gy_oset_add(&c->waiting, &ss->waiting_pool, gy_queue_key(ss, c, all[i].id), all[i].id,
                        all[i].aux);
        }
        free(all);
        c->moved = true;
        gy_queue_rewind(ss, k);
        gy_queue_soil(ss, c->domain, false);
        ss->domains[c->domain].stalled = GY_NONE;
    }
}

/* ---- self-check ---- */

gy_rc gy_queue_check(gy_session *ss, gy_err *e)
{
    uint32_t waiting = 0;
    for (uint32_t k = 0; k < ss->nclasses; k++) {
        const gy_class *c = &ss->classes[k];
        gy_oset_item it;
        waiting += c->waiting.n;
        if ((c->waiting.n == 0) != (c->place == GY_CLASS_EMPTY))
            return gy_fail(e, GY_EINVAL,
                           "self-check: a class is listed as empty and is not, or the other way round");
        if (c->place == GY_CLASS_EMPTY)
            continue;
        if (!gy_oset_first(&c->waiting, &ss->waiting_pool, &it) || it.id != c->head.id || c->moved)
            return gy_fail(e, GY_EINVAL,
                           "self-check: the head of a class is not its first job between passes");
        const gy_list *h = &ss->domains[c->domain].heap;
        if (c->place == GY_CLASS_READY && (c->heap_pos >= h->n || h->v[c->heap_pos] != k))
            return gy_fail(e, GY_EINVAL, "self-check: a class is lost from its heap");
        if (c->place == GY_CLASS_READY && c->heap_pos &&
            gy_queue_head_before(ss, k, h->v[(c->heap_pos - 1) / 2]))
            return gy_fail(e, GY_EINVAL, "self-check: a heap of classes is out of order");
    }
    if (!ss->schedule && waiting != ss->sim->queued)
        return gy_fail(e, GY_EINVAL, "self-check: %u jobs wait and %u stand in queues", ss->sim->queued,
                       waiting);
    return GY_OK;
}
