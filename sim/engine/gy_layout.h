/* gy_layout.h - a cluster arranged for searching (domains, pools) and what jobs ask of it (demands).
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A domain is a set of nodes that share a line of waiting jobs: those owned by one queue, or all that no
 * queue owns. A pool is the nodes of a domain with one GPU type and one number of GPUs; inside it nodes keep
 * their order.
 */
#ifndef GY_LAYOUT_H
#define GY_LAYOUT_H

#include "gy_cluster.h"
#include "gy_jobs.h"

typedef struct gy_pool {
    uint32_t domain;
    uint32_t gpu_type; /* GY_NONE: untyped */
    uint32_t gpus;     /* of each node */
    uint32_t n;
    uint32_t *nodes; /* ascending */
} gy_pool;

typedef struct gy_layout {
    const gy_cluster *cluster;
    uint32_t ndomains, npools;
    gy_pool *pools;        /* those of a domain stand together */
    uint32_t *first_pool;  /* by domain, ndomains + 1 entries */
    uint32_t *domain;      /* by node */
    uint32_t *pool, *pos;  /* by node: its pool and its place there */
    uint32_t *gpu0;        /* by node: number of its GPU 0 among all GPUs; nnodes + 1 entries */
    uint32_t *word0;       /* by node: first word of its GPU mask; nnodes + 1 entries */
    uint64_t *domain_gpus; /* by domain */
} gy_layout;

gy_layout *gy_layout_create(const gy_cluster *c);
void gy_layout_free(gy_layout *l); /* NULL is allowed */

/* The domain of the jobs of a queue, by the queue's name. */
uint32_t gy_layout_domain_of(const gy_layout *l, const char *queue, size_t n);

/* Whose nodes belong together at a level: the number of groups, and for each node its group (GY_NONE: in
 * none). group[] has nnodes entries. */
uint32_t gy_layout_groups(const gy_layout *l, enum gy_level level, uint32_t *group);

/* A shape, seen from this cluster. */
typedef struct gy_demand {
    uint32_t units;                /* equal parts, each inside one node */
    uint32_t unit_gpus;            /* whole GPUs of a part; 0: a share or no GPUs */
    uint32_t share_milli;          /* of one GPU; 0: no share */
    uint32_t gpus_milli;           /* of the whole job */
    int64_t cpus_micro, mem_micro; /* of the whole job; 0 where the cluster declares none */
    int64_t gpu_mem_micro;         /* on a shared GPU */
    uint64_t types;                /* GPU types it may use, as a mask */
    bool untyped;                  /* it may use GPUs of no type */
    bool free;                     /* it asks for nothing that could run out */
    uint8_t require, prefer;       /* GY_LEVEL_NONE where they say nothing */
} gy_demand;

/* GY_EINVAL when the shape asks for something that is not simulated; the text is a sentence without a job's
 * name. */
gy_rc gy_demand_of(const gy_layout *l, const gy_jobs *t, uint32_t shape, gy_demand *d, gy_err *e);

/* What `units` of the demand's units take, rounded down to millionths, so that what fits exactly always fits.
 */
static inline int64_t gy_demand_part(int64_t whole, uint32_t units, uint32_t of)
{
    return units == of ? whole : (int64_t)((gy_i128)whole * units / of);
}

static inline bool gy_demand_takes(const gy_demand *d, const gy_pool *p)
{
    return p->gpu_type == GY_NONE ? d->untyped : (d->types >> p->gpu_type & 1) != 0;
}

#endif
