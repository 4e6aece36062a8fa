/* gy_placed_internal.h - where each job ran last, in eight bytes for most.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_PLACED_INTERNAL_H
#define GY_PLACED_INTERNAL_H

#include "gy_outcome.h"
#include "gy_room.h"

/* One stretch is kept in the job's word itself: 1 in the top bit, then node, first GPU, number.  More stand
 * together in `spans`, the word having 01 in its top bits, then their number and where they begin. */
struct gy_placed {
    uint64_t *word; /* by job; 0: never placed, or without GPUs */
    gy_span *spans;
    size_t n, cap;
};

void gy_placed_init(struct gy_placed *p, uint32_t njobs);
void gy_placed_set(struct gy_placed *p, uint32_t job, const gy_hold *h, uint32_t n);
void gy_placed_fini(struct gy_placed *p);

#endif
