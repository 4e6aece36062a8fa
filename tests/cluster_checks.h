/* cluster_checks.h - loading clusters in tests, and what must hold for each of them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CLUSTER_CHECKS_H
#define CLUSTER_CHECKS_H

#include <criterion/criterion.h>
#include <string.h>

#include "gy_cluster.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static inline gy_cluster *load(const char *spec)
{
    gy_cluster *c = NULL;
    gy_err e = {0};
    gy_rc rc = gy_cluster_load(&c, spec, &e);
    cr_assert_eq(rc, GY_OK, "%s: %s", spec, e.text);
    return c;
}

static inline const gy_node_type *type_of(const gy_cluster *c, uint32_t node)
{
    return &c->node_types[c->nodes[node].type];
}

/* What must hold for every cluster. */
static inline void check_cluster(const gy_cluster *c)
{
    uint64_t gpus = 0;
    cr_assert(c->nnodes > 0 && c->gpus > 0 && *c->name);
    for (uint32_t i = 0; i < c->nnodes; i++) {
        const gy_node *n = &c->nodes[i];
        char name[80];
        char *end = gy_cluster_node_name(c, i, name);
        cr_assert_eq((size_t)(end - name), strlen(name));
        cr_assert_eq(gy_cluster_find_node(c, name, strlen(name)), i, "%s", name);
        cr_assert_lt(n->type, c->nnode_types);
        cr_assert_lt(n->nvlink, c->nnvlinks);
        cr_assert(n->leaf == GY_NONE || n->leaf < c->nleaves);
        cr_assert(n->pod == GY_NONE || n->pod < c->npods);
        cr_assert(n->queue == GY_NONE || c->queues[n->queue].owns_nodes);
        const gy_node_type *t = &c->node_types[n->type];
        cr_assert(t->sockets >= 1 && t->gpus % t->sockets == 0 && t->gpus <= GY_NODE_GPUS_MAX);
        cr_assert(t->gpu_type == GY_NONE || t->gpu_type < c->ngpu_types);
        gpus += t->gpus;
    }
    cr_expect_eq(gpus, c->gpus);
    for (uint32_t i = 0; i < c->ngpu_types; i++)
        cr_expect_eq(gy_cluster_find_gpu_type(c, c->gpu_types[i].name, strlen(c->gpu_types[i].name)), i);
    for (uint32_t i = 0; i < c->nqueues; i++)
        cr_expect_eq(gy_cluster_find_queue(c, c->queues[i].name, strlen(c->queues[i].name)), i);
}

#endif
