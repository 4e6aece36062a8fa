/* gy_heap.h - the events that are still to come: a 4-ary heap of 16-byte records.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * At one instant events come in the order of their kind, then of their insertion.  Nothing is ever taken out
 * of the middle: an end that no longer holds is skipped when it comes up, and gy_heap_sweep() drops such ones
 * when they are many.
 */
#ifndef GY_HEAP_H
#define GY_HEAP_H

#include "gy_error.h"

enum gy_heap_kind {
    GY_HEAP_END,      /* a run's work is done; payload: slot */
    GY_HEAP_ELIGIBLE, /* a begin time has come; payload: job */
    GY_HEAP_TIMER,    /* asked for by the policy; payload: job, GY_HEAP_NO_JOB or GY_HEAP_LOOK */
    GY_HEAP_KINDS
};

#define GY_HEAP_PAYLOAD 0x0fffffffu
#define GY_HEAP_NO_JOB  GY_HEAP_PAYLOAD        /* a timer of no job */
#define GY_HEAP_LOOK    (GY_HEAP_PAYLOAD - 1u) /* the order wants another look */

typedef struct gy_heap_event {
    int64_t t_us;
    uint32_t order;
    uint32_t what; /* kind in the top four bits, payload below */
} gy_heap_event;
_Static_assert(sizeof(gy_heap_event) == 16, "four events to a cache line");

typedef struct gy_heap {
    gy_heap_event *e;
    size_t n, cap;
    uint32_t next_order;
} gy_heap;

void gy_heap_push(gy_heap *h, int64_t t_us, enum gy_heap_kind kind, uint32_t payload);
gy_heap_event gy_heap_pop(gy_heap *h); /* n > 0 */
/* Keeps the events for which keep(ctx, event) is true. */
void gy_heap_sweep(gy_heap *h, bool (*keep)(const void *ctx, gy_heap_event e), const void *ctx);
void gy_heap_fini(gy_heap *h);

static inline enum gy_heap_kind gy_heap_kind_of(gy_heap_event e)
{
    return (enum gy_heap_kind)(e.what >> 28);
}
static inline uint32_t gy_heap_payload_of(gy_heap_event e)
{
    return e.what & GY_HEAP_PAYLOAD;
}

#endif
