/* gy_placed.c - see gy_placed_internal.h and gy_outcome_placed().
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>

#include "gy_placed_internal.h"

enum { COUNT_BITS = 13, FIRST_BITS = 13, NODE_BITS = 22, START_BITS = 40, MANY_BITS = 22 };
_Static_assert((1 << COUNT_BITS) > GY_NODE_GPUS_MAX && (1 << NODE_BITS) >= GY_NODES_MAX,
               "a span fits its word");
static const uint64_t ONE = (uint64_t)1 << 63, MANY = (uint64_t)1 << 62;

void gy_placed_init(struct gy_placed *p, uint32_t njobs)
{
    p->word = gy_alloc(njobs, sizeof *p->word);
}

void gy_placed_fini(struct gy_placed *p)
{
    free(p->word);
    free(p->spans);
    *p = (struct gy_placed){0};
}

static uint64_t pack(gy_span s)
{
    return ONE | (uint64_t)s.node << (FIRST_BITS + COUNT_BITS) | (uint64_t)s.first << COUNT_BITS | s.count;
}

static gy_span unpack(uint64_t w)
{
    return (gy_span){(uint32_t)(w >> (FIRST_BITS + COUNT_BITS) & ((1u << NODE_BITS) - 1)),
                     (uint16_t)(w >> COUNT_BITS & ((1u << FIRST_BITS) - 1)),
                     (uint16_t)(w & ((1u << COUNT_BITS) - 1))};
}

/* The stretches of set bits of a hold, one at a time: *m is what is left of its mask. */
static gy_span next_span(const gy_hold *h, uint64_t *m)
{
    uint32_t first = (uint32_t)__builtin_ctzll(*m);
    uint64_t rest = ~(*m >> first);
    uint32_t count = rest ? (uint32_t)__builtin_ctzll(rest) : 64 - first;
    count = count > 64 - first ? 64 - first : count;
    *m = first + count == 64 ? 0 : *m >> (first + count) << (first + count);
    return (gy_span){h->node, (uint16_t)(64u * h->word + first), (uint16_t)count};
}

/* Where the job's stretches may stand: its old place when they fit there. */
static gy_span *place_for(struct gy_placed *p, uint64_t old, size_t n, size_t *start)
{
    size_t had = old & MANY && !(old & ONE) ? old >> START_BITS & ((1u << MANY_BITS) - 1) : 0;
    if (n <= had) {
        *start = old & (((uint64_t)1 << START_BITS) - 1);
    } else {
        p->spans = gy_reserve(p->spans, &p->cap, p->n + n, sizeof *p->spans);
        *start = p->n;
        p->n += n;
    }
    return p->spans + *start;
}

static size_t count_spans(const gy_hold *h, uint32_t n)
{
    size_t spans = 0;
    for (uint32_t i = 0; i < n; i++)
        spans += (size_t)__builtin_popcountll(h[i].mask & ~(h[i].mask << 1));
    return spans;
}

void gy_placed_set(struct gy_placed *p, uint32_t job, const gy_hold *h, uint32_t n)
{
    size_t spans = count_spans(h, n), start, k = 0;
    if (spans == 0)
        return;
    if (spans == 1 && n == 1) {
        uint64_t m = h[0].mask;
        p->word[job] = pack(next_span(&h[0], &m));
        return;
    }
    gy_span *to = place_for(p, p->word[job], spans, &start);
    for (uint32_t i = 0; i < n; i++)
        for (uint64_t m = h[i].mask; m;) {
            gy_span s = next_span(&h[i], &m);
            gy_span *last = k ? &to[k - 1] : NULL; /* a stretch may go on in the next word */
            if (last && last->node == s.node && last->first + last->count == s.first)
                last->count = (uint16_t)(last->count + s.count);
            else
                to[k++] = s;
        }
    GY_ASSERT(k < (size_t)1 << MANY_BITS);
    p->word[job] = MANY | (uint64_t)k << START_BITS | start;
}

uint32_t gy_outcome_placed(const gy_outcome *o, uint32_t job, void (*put)(void *ctx, gy_span s), void *ctx)
{
    const struct gy_placed *p = o->placed;
    uint64_t w = p->word[job];
    if (w & ONE) {
        put(ctx, unpack(w));
        return 1;
    }
    uint32_t n = w & MANY ? (uint32_t)(w >> START_BITS & ((1u << MANY_BITS) - 1)) : 0;
    for (uint32_t i = 0; i < n; i++)
        put(ctx, p->spans[(w & (((uint64_t)1 << START_BITS) - 1)) + i]);
    return n;
}
