/* gy_room.c - keeping account of what is free; see gy_room.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_room.h"

#include <stdlib.h>
#include <string.h>

static void init_pool(gy_room_pool *rp, const gy_pool *p)
{
    size_t words = gy_bits_words(p->n), buckets = (size_t)p->gpus + 1;
    rp->words = gy_alloc(words * buckets + gy_bits_words((uint32_t)buckets), sizeof *rp->words);
    rp->bucket = gy_alloc(buckets, sizeof *rp->bucket);
    for (size_t f = 0; f < buckets; f++)
        gy_bits_init(&rp->bucket[f], p->n, rp->words + f * words);
    gy_bits_init(&rp->nonempty, (uint32_t)buckets, rp->words + buckets * words);
}

static void enter_bucket(gy_room *r, uint32_t node)
{
    gy_room_pool *p = &r->pools[r->layout->pool[node]];
    uint32_t f = r->free[node];
    if (p->bucket[f].count == 0)
        gy_bits_add(&p->nonempty, f);
    gy_bits_add(&p->bucket[f], r->layout->pos[node]);
    p->free += f;
}

static void leave_bucket(gy_room *r, uint32_t node)
{
    gy_room_pool *p = &r->pools[r->layout->pool[node]];
    uint32_t f = r->free[node];
    gy_bits_remove(&p->bucket[f], r->layout->pos[node]);
    if (p->bucket[f].count == 0)
        gy_bits_remove(&p->nonempty, f);
    p->free -= f;
}

static void set_free(gy_room *r, uint32_t node, uint32_t free)
{
    if (r->free[node] == free)
        return;
    if (!r->closed[node])
        leave_bucket(r, node);
    r->free[node] = (uint16_t)free;
    if (!r->closed[node])
        enter_bucket(r, node);
}

static uint64_t word_mask(uint32_t gpus, uint32_t word)
{
    uint32_t left = gpus - 64 * word;
    return left >= 64 ? UINT64_MAX : ((uint64_t)1 << left) - 1;
}

static void init_nodes(gy_room *r, bool masks, bool shares)
{
    const gy_layout *l = r->layout;
    const gy_cluster *c = l->cluster;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        const gy_node_type *t = &c->node_types[c->nodes[i].type];
        r->free[i] = (uint16_t)t->gpus;
        enter_bucket(r, i);
        if (r->cpus)
            r->cpus[i] = t->cpus_micro;
        if (r->mem)
            r->mem[i] = t->mem_micro;
        for (uint32_t w = l->word0[i]; masks && w < l->word0[i + 1]; w++)
            r->mask[w] = word_mask(t->gpus, w - l->word0[i]);
        int64_t gpu_mem = t->gpu_type == GY_NONE ? 0 : c->gpu_types[t->gpu_type].mem_micro;
        for (uint32_t g = l->gpu0[i]; shares && g < l->gpu0[i + 1]; g++) {
            r->gpu_milli[g] = 1000;
            r->gpu_mem[g] = gpu_mem > 0 ? gpu_mem : INT64_MAX;
        }
    }
}

gy_room *gy_room_create(const gy_layout *l, bool masks, bool shares)
{
    const gy_cluster *c = l->cluster;
    gy_room *r = gy_alloc(1, sizeof *r);
    r->layout = l;
    r->partials.lanes = 1;
    r->pools = gy_alloc(l->npools, sizeof *r->pools);
    for (uint32_t p = 0; p < l->npools; p++)
        init_pool(&r->pools[p], &l->pools[p]);
    r->free = gy_alloc(c->nnodes, sizeof *r->free);
    r->closed = gy_alloc(c->nnodes, sizeof *r->closed);
    r->cpus = c->has_cpus ? gy_alloc(c->nnodes, sizeof *r->cpus) : NULL;
    r->mem = c->has_mem ? gy_alloc(c->nnodes, sizeof *r->mem) : NULL;
    r->mask = masks ? gy_alloc(l->word0[c->nnodes], sizeof *r->mask) : NULL;
    r->gpu_milli = shares ? gy_alloc(l->gpu0[c->nnodes], sizeof *r->gpu_milli) : NULL;
    r->gpu_mem = shares ? gy_alloc(l->gpu0[c->nnodes], sizeof *r->gpu_mem) : NULL;
    init_nodes(r, masks, shares);
    return r;
}

void gy_room_free(gy_room *r)
{
    if (!r)
        return;
    for (uint32_t p = 0; p < r->layout->npools; p++) {
        free(r->pools[p].bucket);
        free(r->pools[p].words);
    }
    gy_oset_pool_fini(&r->partials);
    free(r->pools);
    free(r->free);
    free(r->closed);
    free(r->cpus);
    free(r->mem);
    free(r->mask);
    free(r->gpu_milli);
    free(r->gpu_mem);
    free(r);
}

/* ---- shares ---- */

/* GPU g gets `milli` free thousandths; the index follows. */
static void set_card(gy_room *r, uint32_t node, uint32_t g, int milli)
{
    gy_room_pool *p = &r->pools[r->layout->pool[node]];
    int old = r->gpu_milli[g];
    if (old > 0 && old < 1000)
        gy_oset_remove(&p->partial, &r->partials, &(int64_t){old}, g);
    if (milli > 0 && milli < 1000)
        gy_oset_add(&p->partial, &r->partials, &(int64_t){milli}, g, 0);
    r->gpu_milli[g] = (int16_t)milli;
}

/* The same, and its node's count of whole GPUs and their mask follow. */
static void set_milli(gy_room *r, uint32_t node, uint32_t g, int milli)
{
    const gy_layout *l = r->layout;
    uint32_t at = g - l->gpu0[node];
    uint64_t bit = (uint64_t)1 << (at & 63), *word = r->mask ? &r->mask[l->word0[node] + at / 64] : NULL;
    int old = r->gpu_milli[g];
    set_card(r, node, g, milli);
    if (old == 1000 && milli < 1000) {
        if (word)
            *word &= ~bit;
        set_free(r, node, r->free[node] - 1u);
    } else if (old < 1000 && milli == 1000) {
        if (word)
            *word |= bit;
        set_free(r, node, r->free[node] + 1u);
    }
}

static void change_shared(gy_room *r, const gy_demand *d, const gy_hold *h, int sign)
{
    for (uint64_t m = h->mask; m; m &= m - 1) {
        uint32_t g = r->layout->gpu0[h->node] + 64u * h->word + (uint32_t)__builtin_ctzll(m);
        int part = d->share_milli ? (int)d->share_milli : 1000;
        set_milli(r, h->node, g, r->gpu_milli[g] + sign * part);
        if (r->gpu_mem[g] != INT64_MAX)
            r->gpu_mem[g] += sign * d->gpu_mem_micro;
    }
}

static void change_cpus(gy_room *r, const gy_demand *d, const gy_hold *h, int sign)
{
    const gy_cluster *c = r->layout->cluster;
    const gy_node_type *t = &c->node_types[c->nodes[h->node].type];
    if (r->cpus && d->cpus_micro && t->cpus_micro >= 0)
        r->cpus[h->node] += sign * gy_demand_part(d->cpus_micro, h->units, d->units);
    if (r->mem && d->mem_micro && t->mem_micro >= 0)
        r->mem[h->node] += sign * gy_demand_part(d->mem_micro, h->units, d->units);
}

/* ---- taking and giving ---- */

void gy_room_take(gy_room *r, const gy_demand *d, const gy_hold *h, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (h[i].units && (d->cpus_micro || d->mem_micro))
            change_cpus(r, d, &h[i], -1);
        if (r->gpu_milli && h[i].mask) {
            change_shared(r, d, &h[i], -1);
        } else if (h[i].gpus) {
            if (r->mask)
                r->mask[r->layout->word0[h[i].node] + h[i].word] &= ~h[i].mask;
            set_free(r, h[i].node, (uint32_t)r->free[h[i].node] - h[i].gpus);
        }
    }
}

void gy_room_give(gy_room *r, const gy_demand *d, const gy_hold *h, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (h[i].units && (d->cpus_micro || d->mem_micro))
            change_cpus(r, d, &h[i], 1);
        if (r->gpu_milli && h[i].mask) {
            change_shared(r, d, &h[i], 1);
        } else if (h[i].gpus) {
            if (r->mask)
                r->mask[r->layout->word0[h[i].node] + h[i].word] |= h[i].mask;
            set_free(r, h[i].node, (uint32_t)r->free[h[i].node] + h[i].gpus);
        }
    }
}

/* The lowest `n` set bits of m. */
static uint64_t lowest_bits(uint64_t m, uint32_t n)
{
    uint64_t out = 0;
    for (; n > 0 && m; n--) {
        out |= m & (0 - m);
        m &= m - 1;
    }
    return out;
}

uint32_t gy_room_holds_max(const gy_room *r, uint32_t node)
{
    return r->layout->word0[node + 1] - r->layout->word0[node] + 1;
}

static uint32_t tightest_card(const gy_room *r, const gy_demand *d, uint32_t node)
{
    uint32_t best = GY_NONE;
    for (uint32_t g = r->layout->gpu0[node]; g < r->layout->gpu0[node + 1]; g++)
        if (gy_room_card_fits(r, d, node, g) && (best == GY_NONE || r->gpu_milli[g] < r->gpu_milli[best]))
            best = g;
    return best;
}

uint32_t gy_room_claim(gy_room *r, const gy_demand *d, uint32_t node, uint32_t units, gy_hold *out)
{
    uint32_t n = 0, left = units * d->unit_gpus, word0 = r->layout->word0[node];
    if (d->share_milli) {
        uint32_t g = tightest_card(r, d, node) - r->layout->gpu0[node];
        out[n++] = (gy_hold){node, (uint16_t)(g / 64), 1, units, (uint64_t)1 << (g & 63)};
    } else if (left == 0 || !r->mask) {
        out[n++] = (gy_hold){node, 0, (uint16_t)left, units, 0};
    } else {
        for (uint32_t w = word0; left > 0; w++) {
            GY_ASSERT(w < r->layout->word0[node + 1]);
            uint64_t m = lowest_bits(r->mask[w], left);
            uint32_t k = (uint32_t)__builtin_popcountll(m);
            if (k == 0)
                continue;
            out[n] = (gy_hold){node, (uint16_t)(w - word0), (uint16_t)k, n ? 0 : units, m};
            n++;
            left -= k;
        }
    }
    gy_room_take(r, d, out, n);
    return n;
}

void gy_room_close(gy_room *r, uint32_t node)
{
    if (r->closed[node])
        return;
    leave_bucket(r, node);
    r->closed[node] = 1;
}

void gy_room_open(gy_room *r, uint32_t node)
{
    if (!r->closed[node])
        return;
    r->closed[node] = 0;
    enter_bucket(r, node);
}

uint32_t gy_room_lose_gpu(gy_room *r, uint32_t node, uint32_t gpu)
{
    if (r->gpu_milli) {
        uint32_t g = r->layout->gpu0[node] + gpu;
        int milli = r->gpu_milli[g];
        set_milli(r, node, g, 0);
        return (uint32_t)milli;
    }
    uint64_t *word = &r->mask[r->layout->word0[node] + gpu / 64], bit = (uint64_t)1 << (gpu & 63);
    if (!(*word & bit))
        return 0;
    *word &= ~bit;
    set_free(r, node, r->free[node] - 1u);
    return 1000;
}

void gy_room_regain_gpu(gy_room *r, uint32_t node, uint32_t gpu, uint32_t milli)
{
    if (r->gpu_milli) {
        set_milli(r, node, r->layout->gpu0[node] + gpu, (int)milli);
        return;
    }
    GY_ASSERT(milli == 1000);
    r->mask[r->layout->word0[node] + gpu / 64] |= (uint64_t)1 << (gpu & 63);
    set_free(r, node, r->free[node] + 1u);
}

uint64_t gy_room_node_milli(const gy_room *r, uint32_t node)
{
    uint64_t milli = 0;
    if (!r->gpu_milli)
        return (uint64_t)r->free[node] * 1000;
    for (uint32_t g = r->layout->gpu0[node]; g < r->layout->gpu0[node + 1]; g++)
        milli += (uint64_t)r->gpu_milli[g];
    return milli;
}

void gy_room_set(gy_room *r, uint32_t node, uint32_t free, int64_t cpus, int64_t mem)
{
    set_free(r, node, free);
    if (r->cpus)
        r->cpus[node] = cpus;
    if (r->mem)
        r->mem[node] = mem;
}

void gy_room_set_shares(gy_room *r, uint32_t node, const int16_t *milli, const int64_t *gpu_mem)
{
    uint32_t g0 = r->layout->gpu0[node];
    for (uint32_t g = g0; g < r->layout->gpu0[node + 1]; g++) {
        set_card(r, node, g, milli[g - g0]);
        r->gpu_mem[g] = gpu_mem[g - g0];
    }
}

static uint64_t *mask_of(const gy_room *r, uint32_t node)
{
    return r->mask + r->layout->word0[node];
}

void gy_room_copy_node(gy_room *to, const gy_room *from, uint32_t node)
{
    const gy_layout *l = to->layout;
    uint32_t words = l->word0[node + 1] - l->word0[node];
    for (uint32_t g = l->gpu0[node]; to->gpu_milli && g < l->gpu0[node + 1]; g++) {
        set_card(to, node, g, from->gpu_milli[g]);
        to->gpu_mem[g] = from->gpu_mem[g];
    }
    set_free(to, node, from->free[node]);
    if (to->cpus)
        to->cpus[node] = from->cpus[node];
    if (to->mem)
        to->mem[node] = from->mem[node];
    if (to->mask && from->mask)
        memcpy(mask_of(to, node), mask_of(from, node), words * sizeof *to->mask);
    if (from->closed[node])
        gy_room_close(to, node);
    else
        gy_room_open(to, node);
}

void gy_room_copy(gy_room *to, const gy_room *from, uint32_t domain)
{
    const gy_layout *l = to->layout;
    for (uint32_t p = l->first_pool[domain]; p < l->first_pool[domain + 1]; p++)
        for (uint32_t k = 0; k < l->pools[p].n; k++)
            gy_room_copy_node(to, from, l->pools[p].nodes[k]);
}

/* An empty card counts only while its node has a whole GPU free. */
static int card_of(const gy_room *r, uint32_t node, uint32_t g)
{
    return r->gpu_milli[g] == 1000 && r->free[node] == 0 ? 0 : r->gpu_milli[g];
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void gy_room_copy_least(gy_room *to, const gy_room *a, const gy_room *b, uint32_t node)
{
    const gy_layout *l = to->layout;
    for (uint32_t g = l->gpu0[node]; to->gpu_milli && g < l->gpu0[node + 1]; g++) {
        set_card(to, node, g, (int)lesser(card_of(a, node, g), card_of(b, node, g)));
        to->gpu_mem[g] = lesser(a->gpu_mem[g], b->gpu_mem[g]);
    }
    set_free(to, node, a->free[node] < b->free[node] ? a->free[node] : b->free[node]);
    if (to->cpus)
        to->cpus[node] = lesser(a->cpus[node], b->cpus[node]);
    if (to->mem)
        to->mem[node] = lesser(a->mem[node], b->mem[node]);
    if (a->closed[node] || b->closed[node])
        gy_room_close(to, node);
    else
        gy_room_open(to, node);
}

bool gy_room_same_node(const gy_room *a, const gy_room *b, uint32_t node)
{
    const gy_layout *l = a->layout;
    for (uint32_t g = l->gpu0[node]; a->gpu_milli && g < l->gpu0[node + 1]; g++)
        if (a->gpu_milli[g] != b->gpu_milli[g] || a->gpu_mem[g] != b->gpu_mem[g])
            return false;
    return a->free[node] == b->free[node] && a->closed[node] == b->closed[node] &&
           (!a->cpus || a->cpus[node] == b->cpus[node]) && (!a->mem || a->mem[node] == b->mem[node]);
}
