/* gy_oset.h - ordered sets of numbered things with sums and minima: a B+tree.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A member is (key, id) with a key of up to three int64 lanes, ordered by the lanes and then the id, and
 * carries one figure `aux`.  Every subtree knows the sum and the least of its figures.  Everything costs
 * O(log n); members that come in order fill their leaves.  Empty leaves go, sparse ones stay (free-at-empty:
 * Johnson and Shasha, 1993).
 */
#ifndef GY_OSET_H
#define GY_OSET_H

#include "gy_arena.h"

enum { GY_OSET_LANES = 3 };

/* Memory for any number of sets whose keys have the same number of lanes.  Zero-initialise and set `lanes`.
 */
typedef struct gy_oset_pool {
    unsigned lanes;
    gy_arena arena;
    struct gy_oset_node *free_leaf, *free_inner;
} gy_oset_pool;

/* Zero-initialise; the pool is named at each call that may need memory. */
typedef struct gy_oset {
    struct gy_oset_node *root;
    uint32_t n;
} gy_oset;

typedef struct gy_oset_item {
    int64_t key[GY_OSET_LANES];
    int64_t aux;
    uint32_t id;
} gy_oset_item;

void gy_oset_add(gy_oset *s, gy_oset_pool *p, const int64_t *key, uint32_t id, int64_t aux);
void gy_oset_remove(gy_oset *s, gy_oset_pool *p, const int64_t *key, uint32_t id); /* must be a member */
void gy_oset_clear(gy_oset *s, gy_oset_pool *p);
void gy_oset_pool_fini(gy_oset_pool *p);

/* false when there is no such member. */
bool gy_oset_first(const gy_oset *s, const gy_oset_pool *p, gy_oset_item *out);
bool gy_oset_last(const gy_oset *s, const gy_oset_pool *p, gy_oset_item *out);
bool gy_oset_after(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id,
                   gy_oset_item *out);
bool gy_oset_before(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id,
                    gy_oset_item *out);

/* The first member with aux <= most; with key not NULL, of those after (key, id). */
bool gy_oset_least(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id, int64_t most,
                   gy_oset_item *out);
/* The first member at which the sum of the figures so far reaches `sum`. */
bool gy_oset_reach(const gy_oset *s, const gy_oset_pool *p, int64_t sum, gy_oset_item *out);
int64_t gy_oset_sum(const gy_oset *s);
int64_t gy_oset_sum_after(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id);

#endif
