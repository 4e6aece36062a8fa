/* gy_room.h - what is free on every node, indexed: the live state, and the states that a plan looks ahead to.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nodes of a pool stand in buckets by their number of free GPUs, each bucket a tree of bits, so that the
 * tightest or the roomiest node is found in a few steps whatever the number of nodes.  Closed nodes (down or
 * drained) are in no bucket.  A room with masks knows which GPUs are free; one with shares knows the free
 * part of each GPU.  Without masks whole GPUs are a matter of counting: plans name nodes, and cards only for
 * shares, so that a card in a plan may be one that somebody else gets, and its free part below 0.
 */
#ifndef GY_ROOM_H
#define GY_ROOM_H

#include "gy_bits.h"
#include "gy_layout.h"
#include "gy_oset.h"

/* What a job holds, or would hold, on up to 64 GPUs of one node. */
typedef struct gy_hold {
    uint32_t node;
    uint16_t word;  /* the mask is of GPUs 64 * word and up */
    uint16_t gpus;  /* whole GPUs, or 1 for a share */
    uint32_t units; /* of the demand; the first hold of a node has them all */
    uint64_t mask;  /* 0 in rooms without masks */
} gy_hold;

typedef struct gy_room_pool {
    gy_bits *bucket;  /* by number of free GPUs: places in the pool */
    gy_bits nonempty; /* buckets that have a node */
    uint64_t free;    /* GPUs of open nodes */
    gy_oset partial;  /* GPUs that are shared and have something left: (thousandths, number of the GPU) */
    uint64_t *words;  /* memory of the bit trees */
} gy_room_pool;

typedef struct gy_room {
    const gy_layout *layout;
    gy_room_pool *pools;
    uint16_t *free;  /* by node: whole GPUs that nobody holds and that work */
    uint8_t *closed; /* by node */
    int64_t *cpus,
        *mem;           /* by node; NULL when the cluster does not declare them; -1 at the start: unlimited */
    uint64_t *mask;     /* by word: the whole GPUs that `free` counts; NULL without masks */
    int16_t *gpu_milli; /* by GPU: free thousandths; NULL without shares */
    int64_t *gpu_mem;   /* by GPU: free memory, INT64_MAX if not known; NULL without shares */
    gy_oset_pool partials;
} gy_room;

/* Everything free and open. */
gy_room *gy_room_create(const gy_layout *l, bool masks, bool shares);
void gy_room_free(gy_room *r); /* NULL is allowed */
/* Makes the nodes of a domain in `to` equal to those in `from`; masks only where both have them. */
void gy_room_copy(gy_room *to, const gy_room *from, uint32_t domain);

/* How many units of the demand the node can hold now, at most d->units; 0 when it is closed or of a wrong
 * type. */
uint32_t gy_room_can_hold(const gy_room *r, const gy_demand *d, uint32_t node);

/* Could the share be on that GPU of the node?  An empty card counts as one as long as the node has any. */
static inline bool gy_room_card_fits(const gy_room *r, const gy_demand *d, uint32_t node, uint32_t gpu)
{
    return r->gpu_milli[gpu] >= (int)d->share_milli && r->gpu_mem[gpu] >= d->gpu_mem_micro &&
           (r->gpu_milli[gpu] < 1000 || r->free[node] > 0);
}

/* Nodes of a domain that can hold `units` >= 1; ties: the lower node; GY_NONE: none. */
uint32_t gy_room_tightest(const gy_room *r, const gy_demand *d, uint32_t domain, uint32_t units);
uint32_t gy_room_first(const gy_room *r, const gy_demand *d, uint32_t domain, uint32_t units, uint32_t from);
uint32_t gy_room_roomiest(const gy_room *r, const gy_demand *d, uint32_t domain);

/* Could the domain hold all units by count: a necessary condition, and a sufficient one for whole GPUs that
 * may be split anywhere and ask for nothing else. */
bool gy_room_may_fit(const gy_room *r, const gy_demand *d, uint32_t domain);
/* Free whole GPUs that the demand could use. */
uint64_t gy_room_usable(const gy_room *r, const gy_demand *d, uint32_t domain);

/* Takes the lowest free GPUs of a node for `units` (which it must be able to hold), the tightest card for a
 * share. Writes the holds to out and returns their number, at most gy_room_holds_max(). */
uint32_t gy_room_claim(gy_room *r, const gy_demand *d, uint32_t node, uint32_t units, gy_hold *out);
uint32_t gy_room_holds_max(const gy_room *r, uint32_t node);

/* Takes or gives back exactly these.  In a room with masks the holds need them. */
void gy_room_take(gy_room *r, const gy_demand *d, const gy_hold *h, uint32_t n);
void gy_room_give(gy_room *r, const gy_demand *d, const gy_hold *h, uint32_t n);

void gy_room_close(gy_room *r, uint32_t node); /* no effect when it is closed already */
void gy_room_open(gy_room *r, uint32_t node);
/* What is free of a GPU stops working (returns how many thousandths that were), or `milli` of it work again:
 * 1000 unless part of it is held. */
uint32_t gy_room_lose_gpu(gy_room *r, uint32_t node, uint32_t gpu);
void gy_room_regain_gpu(gy_room *r, uint32_t node, uint32_t gpu, uint32_t milli);
/* Free thousandths of a node's GPUs, closed or not. */
uint64_t gy_room_node_milli(const gy_room *r, uint32_t node);

/* Sets a node of a room without masks; and with shares its GPUs. */
void gy_room_set(gy_room *r, uint32_t node, uint32_t free, int64_t cpus, int64_t mem);
void gy_room_set_shares(gy_room *r, uint32_t node, const int16_t *milli, const int64_t *gpu_mem);

/* A node of `to` becomes what it is in `from`, or what is free of it in both a and b. */
void gy_room_copy_node(gy_room *to, const gy_room *from, uint32_t node);
void gy_room_copy_least(gy_room *to, const gy_room *a, const gy_room *b, uint32_t node);
bool gy_room_same_node(const gy_room *a, const gy_room *b, uint32_t node); /* for self-checks */

#endif
