/* gy_profile.h - what is free on every node of a domain as a function of time: the plan of conservative
 * backfill. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row for every time at which something changes, a column for every node (and one for every GPU when GPUs
 * are shared).  The least that each node has free over a stretch of time is the minimum of a few rows, column
 * by column.  A place of no length is in the way of those who run across it, and of nobody else: it has a row
 * of its own, which stands before the one that holds from that time on.
 */
#ifndef GY_PROFILE_H
#define GY_PROFILE_H

#include "gy_sim_internal.h"

typedef struct gy_profile_row {
    int64_t t_us;  /* it holds from here to the next row's time */
    bool instant;  /* ... or at that time alone */
    int64_t total; /* whole GPUs */
    int16_t *free; /* by column: whole GPUs of the nodes, then thousandths of the GPUs */
    int64_t *wide; /* CPUs and memory by node, memory by shared GPU; NULL without any */
} gy_profile_row;

typedef struct gy_profile {
    const gy_sim *sim;
    uint32_t domain, nnodes, ncols, nwide;
    uint32_t *nodes; /* of the domain, ascending by pool */
    uint32_t *place; /* by node of the cluster: its place there, and its column */
    uint32_t *card0; /* by node of the cluster: the column of its GPU 0, when GPUs are shared */
    uint32_t cpus0, mem0, gpu_mem0; /* where these begin in `wide`; GY_NONE: absent */
    gy_profile_row *rows;
    size_t n, cap;
    gy_arena memory;
    gy_profile_row *spare; /* rows to be used again */
    size_t nspare, spare_cap;
    int16_t *least; /* scratch rows */
    int64_t *least_wide;
} gy_profile;

gy_profile *gy_profile_create(const gy_sim *sim, uint32_t domain);
void gy_profile_free(gy_profile *p); /* NULL is allowed */

/* One row: what the room has free, from now_us on. */
void gy_profile_reset(gy_profile *p, const gy_room *room, int64_t now_us);

/* The holds are given back (sign 1) or taken (-1) over [from, to); to may be GY_NEVER; with to == from at
 * that instant.  Closed nodes stay empty. */
void gy_profile_change(gy_profile *p, const gy_demand *d, const gy_hold *h, uint32_t n, int64_t from_us,
                       int64_t to_us, int sign);
/* The same for an end that is later than all rows so far: the cheap way to build up. */
void gy_profile_append(gy_profile *p, const gy_demand *d, const gy_hold *h, uint32_t n, int64_t at_us);

/* Loads into the room the least that is free over the rows from `first` on that begin before until_us, and
 * returns the number of whole GPUs; with room NULL only that. */
int64_t gy_profile_least(gy_profile *p, size_t first, int64_t until_us, gy_room *room);

#endif
