/* gy_room_search.c - finding nodes; see gy_room.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_room.h"

static uint64_t units_by(int64_t free, int64_t whole, uint32_t units)
{
    if (free < 0 || whole == 0)
        return free < 0 ? 0 : UINT32_MAX;
    gy_i128 k = (gy_i128)free * units / whole;
    return k > UINT32_MAX ? UINT32_MAX : (uint64_t)k;
}

static bool has_card(const gy_room *r, const gy_demand *d, uint32_t node)
{
    for (uint32_t g = r->layout->gpu0[node]; g < r->layout->gpu0[node + 1]; g++)
        if (gy_room_card_fits(r, d, node, g))
            return true;
    return false;
}

/* Units as the node's CPUs and memory allow; nodes that declare none allow all. */
static uint64_t units_by_host(const gy_room *r, const gy_demand *d, uint32_t node)
{
    const gy_cluster *c = r->layout->cluster;
    const gy_node_type *t = &c->node_types[c->nodes[node].type];
    uint64_t k = d->units;
    if (d->cpus_micro && t->cpus_micro >= 0) {
        uint64_t by = units_by(r->cpus[node], d->cpus_micro, d->units);
        k = by < k ? by : k;
    }
    if (d->mem_micro && t->mem_micro >= 0) {
        uint64_t by = units_by(r->mem[node], d->mem_micro, d->units);
        k = by < k ? by : k;
    }
    return k;
}

static inline bool asks_host(const gy_demand *d)
{
    return d->cpus_micro || d->mem_micro;
}

/* The node is open and of a right type. */
static uint32_t can_hold_open(const gy_room *r, const gy_demand *d, uint32_t node)
{
    uint64_t k = d->units;
    if (d->unit_gpus) {
        uint64_t by = d->unit_gpus == 1 ? r->free[node] : r->free[node] / d->unit_gpus;
        k = by < k ? by : k;
    } else if (d->share_milli && !has_card(r, d, node)) {
        k = 0;
    }
    if (k && asks_host(d)) {
        uint64_t by = units_by_host(r, d, node);
        k = by < k ? by : k;
    }
    return (uint32_t)k;
}

uint32_t gy_room_can_hold(const gy_room *r, const gy_demand *d, uint32_t node)
{
    if (r->closed[node] || !gy_demand_takes(d, &r->layout->pools[r->layout->pool[node]]))
        return 0;
    return can_hold_open(r, d, node);
}

/* Lowest node of a bucket, from `from` on, that can hold the units. */
static uint32_t first_in_bucket(const gy_room *r, const gy_demand *d, const gy_pool *p, const gy_bits *bucket,
                                uint32_t units, uint32_t pos)
{
    bool check = asks_host(d) || d->share_milli;
    for (pos = gy_bits_next(bucket, pos); pos != GY_BITS_NONE; pos = gy_bits_next(bucket, pos + 1))
        if (!check || can_hold_open(r, d, p->nodes[pos]) >= units)
            return p->nodes[pos];
    return GY_NONE;
}

/* In one pool: the lowest node of the lowest bucket >= need; *bucket says which one. */
static uint32_t tightest_in(const gy_room *r, const gy_demand *d, uint32_t pool, uint32_t units,
                            uint32_t *bucket)
{
    const gy_pool *p = &r->layout->pools[pool];
    const gy_room_pool *rp = &r->pools[pool];
    uint64_t need = (uint64_t)units * d->unit_gpus;
    if (need > p->gpus)
        return GY_NONE;
    for (uint32_t f = gy_bits_next(&rp->nonempty, (uint32_t)need); f != GY_BITS_NONE;
         f = gy_bits_next(&rp->nonempty, f + 1)) {
        uint32_t node = first_in_bucket(r, d, p, &rp->bucket[f], units, 0);
        if (node != GY_NONE) {
            *bucket = f;
            return node;
        }
    }
    return GY_NONE;
}

/* The card with the least free share that suffices, then the lowest; a whole free GPU comes last. */
static uint32_t tightest_share(const gy_room *r, const gy_demand *d, uint32_t domain)
{
    const gy_layout *l = r->layout;
    uint32_t best = GY_NONE, best_gpu = GY_NONE;
    int64_t best_milli = 1000;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++) {
        if (!gy_demand_takes(d, &l->pools[p]))
            continue;
        gy_oset_item it = {.key = {(int64_t)d->share_milli - 1}, .id = UINT32_MAX};
        while (gy_oset_after(&r->pools[p].partial, &r->partials, it.key, it.id, &it)) {
            if (it.key[0] > best_milli || (it.key[0] == best_milli && it.id > best_gpu))
                break;
            uint32_t low = 0, high = l->pools[p].n; /* the node of this GPU */
            while (high - low > 1) {
                uint32_t mid = (low + high) / 2;
                if (l->gpu0[l->pools[p].nodes[mid]] <= it.id)
                    low = mid;
                else
                    high = mid;
            }
            uint32_t node = l->pools[p].nodes[low];
            if (r->closed[node] || r->gpu_mem[it.id] < d->gpu_mem_micro || can_hold_open(r, d, node) == 0)
                continue;
            best = node;
            best_milli = it.key[0];
            best_gpu = it.id;
            break;
        }
    }
    if (best != GY_NONE)
        return best;
    for (uint32_t node = gy_room_first(r, d, domain, 1, 0); node != GY_NONE;
         node = gy_room_first(r, d, domain, 1, node + 1))
        if (r->free[node] > 0)
            return node;
    return GY_NONE;
}

uint32_t gy_room_tightest(const gy_room *r, const gy_demand *d, uint32_t domain, uint32_t units)
{
    const gy_layout *l = r->layout;
    uint32_t best = GY_NONE, best_bucket = UINT32_MAX;
    if (d->share_milli)
        return units == 1 ? tightest_share(r, d, domain) : GY_NONE;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++) {
        uint32_t bucket = 0, node;
        if (!gy_demand_takes(d, &l->pools[p]) || (node = tightest_in(r, d, p, units, &bucket)) == GY_NONE)
            continue;
        if (bucket < best_bucket || (bucket == best_bucket && node < best)) {
            best = node;
            best_bucket = bucket;
        }
    }
    return best;
}

/* The place in the pool of its first node >= from. */
static uint32_t pos_from(const gy_pool *p, uint32_t from)
{
    uint32_t low = 0, high = p->n;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (p->nodes[mid] < from)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static uint32_t first_in(const gy_room *r, const gy_demand *d, uint32_t pool, uint32_t units, uint32_t from)
{
    const gy_pool *p = &r->layout->pools[pool];
    const gy_room_pool *rp = &r->pools[pool];
    uint64_t need = (uint64_t)units * d->unit_gpus;
    uint32_t best = GY_NONE, pos = from ? pos_from(p, from) : 0;
    if (need > p->gpus || pos >= p->n)
        return GY_NONE;
    for (uint32_t f = gy_bits_next(&rp->nonempty, (uint32_t)need); f != GY_BITS_NONE;
         f = gy_bits_next(&rp->nonempty, f + 1)) {
        uint32_t node = first_in_bucket(r, d, p, &rp->bucket[f], units, pos);
        best = node < best ? node : best;
    }
    return best;
}

uint32_t gy_room_first(const gy_room *r, const gy_demand *d, uint32_t domain, uint32_t units, uint32_t from)
{
    const gy_layout *l = r->layout;
    uint32_t best = GY_NONE;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++) {
        uint32_t node = gy_demand_takes(d, &l->pools[p]) ? first_in(r, d, p, units, from) : GY_NONE;
        best = node < best ? node : best;
    }
    return best;
}

/* In one pool: most units on a node, and the lowest node that can hold as many. */
static uint32_t roomiest_in(const gy_room *r, const gy_demand *d, uint32_t pool, uint32_t *most)
{
    const gy_pool *p = &r->layout->pools[pool];
    const gy_room_pool *rp = &r->pools[pool];
    uint32_t best = GY_NONE, units = 0;
    for (uint32_t f = gy_bits_prev(&rp->nonempty, p->gpus); f != GY_BITS_NONE && (d->unit_gpus == 0 || f > 0);
         f = f ? gy_bits_prev(&rp->nonempty, f - 1) : GY_BITS_NONE) {
        uint32_t by_gpus = d->unit_gpus ? f / d->unit_gpus : d->units; /* no node of this bucket holds more */
        by_gpus = by_gpus < d->units ? by_gpus : d->units;
        if (by_gpus < units || by_gpus == 0)
            break;
        if (!asks_host(d) && !d->share_milli) {
            uint32_t node = p->nodes[gy_bits_next(&rp->bucket[f], 0)];
            if (by_gpus > units || node < best)
                best = node;
            units = by_gpus;
            continue;
        }
        for (uint32_t pos = gy_bits_next(&rp->bucket[f], 0); pos != GY_BITS_NONE;
             pos = gy_bits_next(&rp->bucket[f], pos + 1)) {
            uint32_t node = p->nodes[pos], k = can_hold_open(r, d, node);
            if (k > units || (k == units && k > 0 && node < best)) {
                best = node;
                units = k;
            }
        }
    }
    *most = units;
    return best;
}

uint32_t gy_room_roomiest(const gy_room *r, const gy_demand *d, uint32_t domain)
{
    const gy_layout *l = r->layout;
    uint32_t best = GY_NONE, best_units = 0;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++) {
        uint32_t units = 0, node;
        if (!gy_demand_takes(d, &l->pools[p]) || (node = roomiest_in(r, d, p, &units)) == GY_NONE)
            continue;
        if (units > best_units || (units == best_units && node < best)) {
            best = node;
            best_units = units;
        }
    }
    return best;
}

uint64_t gy_room_usable(const gy_room *r, const gy_demand *d, uint32_t domain)
{
    const gy_layout *l = r->layout;
    uint64_t free = 0;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++)
        if (gy_demand_takes(d, &l->pools[p]))
            free += r->pools[p].free;
    return free;
}

bool gy_room_may_fit(const gy_room *r, const gy_demand *d, uint32_t domain)
{
    return d->free || (uint64_t)d->units * d->unit_gpus <= gy_room_usable(r, d, domain);
}
