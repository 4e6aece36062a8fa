/* gy_heap.c - see gy_heap.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_heap.h"

#include <stdlib.h>

static inline bool before(const gy_heap_event *a, const gy_heap_event *b)
{
    if (a->t_us != b->t_us)
        return a->t_us < b->t_us;
    uint32_t ka = a->what >> 28, kb = b->what >> 28;
    /* the difference of insertion counters stays right when they wrap */
    return ka != kb ? ka < kb : (int32_t)(a->order - b->order) < 0;
}

static void sift_up(gy_heap *h, size_t i, gy_heap_event v)
{
    while (i > 0) {
        size_t up = (i - 1) / 4;
        if (!before(&v, &h->e[up]))
            break;
        h->e[i] = h->e[up];
        i = up;
    }
    h->e[i] = v;
}

static void sift_down(gy_heap *h, size_t i, gy_heap_event v)
{
    for (;;) {
        size_t first = 4 * i + 1, last = first + 4 < h->n ? first + 4 : h->n;
        if (first >= h->n)
            break;
        size_t least = first;
        for (size_t k = first + 1; k < last; k++)
            if (before(&h->e[k], &h->e[least]))
                least = k;
        if (!before(&h->e[least], &v))
            break;
        h->e[i] = h->e[least];
        i = least;
    }
    h->e[i] = v;
}

void gy_heap_push(gy_heap *h, int64_t t_us, enum gy_heap_kind kind, uint32_t payload)
{
    GY_ASSERT(payload <= GY_HEAP_PAYLOAD);
    h->e = gy_reserve(h->e, &h->cap, h->n + 1, sizeof *h->e);
    gy_heap_event v = {t_us, h->next_order++, (uint32_t)kind << 28 | payload};
    sift_up(h, h->n++, v);
}

gy_heap_event gy_heap_pop(gy_heap *h)
{
    GY_ASSERT(h->n > 0);
    gy_heap_event top = h->e[0];
    gy_heap_event last = h->e[--h->n];
    if (h->n)
        sift_down(h, 0, last);
    return top;
}

void gy_heap_sweep(gy_heap *h, bool (*keep)(const void *ctx, gy_heap_event e), const void *ctx)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        if (keep(ctx, h->e[i]))
            h->e[n++] = h->e[i];
    h->n = n;
    for (size_t i = n / 4 + 1; i-- > 0;)
        if (i < n)
            sift_down(h, i, h->e[i]);
}

void gy_heap_fini(gy_heap *h)
{
    free(h->e);
    *h = (gy_heap){0};
}
