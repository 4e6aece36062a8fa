/* gy_build_nodes.c - nodes of a cluster in the making, their places in the fabric and their names; see
 * gy_build_internal.h.  SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_build_internal.h"

static gy_rc too_much(const gy_build *b, gy_err *e, const char *key, int64_t micro, int most, const char *of)
{
    char text[32];
    gy_put_fixed(text, micro, 6);
    return gy_build_fail(b, e, "\"%s\" is %s; a node has at most %d %s", key, text, most, of);
}

static gy_rc check_shape(const gy_build *b, const gy_node_type *t, gy_err *e)
{
    if (t->gpus > GY_NODE_GPUS_MAX)
        return gy_build_fail(b, e, "%u GPUs in a node; at most %d are possible", t->gpus, GY_NODE_GPUS_MAX);
    if (t->gpus % t->sockets)
        return gy_build_fail(b, e,
                             "%u GPUs cannot be divided evenly among %u sockets; give \"sockets\" that can",
                             t->gpus, t->sockets);
    if (t->cpus_micro > (int64_t)GY_NODE_CPUS_MAX * 1000000)
        return too_much(b, e, "cpus", t->cpus_micro, GY_NODE_CPUS_MAX, "CPUs");
    if (t->mem_micro > (int64_t)GY_NODE_MEM_GB_MAX * 1000000)
        return too_much(b, e, "mem_gb", t->mem_micro, GY_NODE_MEM_GB_MAX, "GB of memory");
    return GY_OK;
}

static bool same_type(const gy_node_type *a, const gy_node_type *b)
{
    return strcmp(a->name, b->name) == 0 && a->gpus == b->gpus && a->gpu_type == b->gpu_type &&
           a->sockets == b->sockets && a->cpus_micro == b->cpus_micro && a->mem_micro == b->mem_micro;
}

/* Newest first: lists of machines repeat their last type. */
static uint32_t type_of(gy_build *b, const gy_node_type *t)
{
    gy_cluster *c = b->c;
    for (uint32_t i = c->nnode_types; i-- > 0;)
        if (same_type(&c->node_types[i], t))
            return i;
    c->node_types = gy_reserve(c->node_types, &b->node_types_cap, c->nnode_types + 1, sizeof *c->node_types);
    c->node_types[c->nnode_types] = *t;
    return c->nnode_types++;
}

static gy_rc add_nodes(gy_build *b, uint32_t count, gy_err *e)
{
    gy_cluster *c = b->c;
    if (count > GY_NODES_MAX - c->nnodes)
        return gy_build_fail(b, e, "%llu nodes; a cluster has at most %d",
                             (unsigned long long)c->nnodes + count, GY_NODES_MAX);
    c->nodes = gy_reserve(c->nodes, &b->nodes_cap, c->nnodes + count, sizeof *c->nodes);
    return GY_OK;
}

/* The first free number of the prefix. */
static uint32_t *number_of(gy_build *b, uint32_t prefix)
{
    b->next_number = gy_reserve(b->next_number, &b->number_cap, (size_t)prefix + 1, sizeof *b->next_number);
    while (b->nnumbers <= prefix)
        b->next_number[b->nnumbers++] = 0;
    return &b->next_number[prefix];
}

/* The NVLink domain with that name. */
static uint32_t named_domain(gy_build *b, const char *name)
{
    size_t before = b->nvlinks.n;
    uint32_t id = gy_names_add(&b->nvlinks, name, strlen(name));
    if (b->nvlinks.n > before) {
        b->nvlink_of = gy_reserve(b->nvlink_of, &b->nvlink_cap, b->nvlinks.n, sizeof *b->nvlink_of);
        b->nvlink_of[id] = b->c->nnvlinks++;
    }
    return b->nvlink_of[id];
}

gy_rc gy_build_group(gy_build *b, const gy_group *g, gy_err *e)
{
    gy_cluster *c = b->c;
    gy_rc rc = check_shape(b, &g->type, e);
    if (rc == GY_OK)
        rc = add_nodes(b, g->count, e);
    if (rc != GY_OK)
        return rc;
    uint32_t type = type_of(b, &g->type);
    uint32_t prefix = gy_names_add(&c->prefixes, g->prefix, strlen(g->prefix));
    uint32_t *number = number_of(b, prefix);
    uint32_t domain = g->nvlink ? named_domain(b, g->nvlink) : 0;
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->nvlink && i % g->nvlink_nodes == 0)
            domain = c->nnvlinks++;
        c->nodes[c->nnodes++] = (gy_node){.type = type,
                                          .queue = g->queue,
                                          .nvlink = domain,
                                          .leaf = g->leaf,
                                          .pod = g->pod,
                                          .prefix = prefix,
                                          .number = (*number)++};
    }
    return GY_OK;
}

/* Splits a name into a prefix and a number without leading zeros, so that printing gives the name back. */
static void split_name(const char *name, size_t n, size_t *prefix, uint32_t *number)
{
    size_t at = n;
    while (at > 0 && n - at < 9 && name[at - 1] >= '0' && name[at - 1] <= '9')
        at--;
    while (at + 1 < n && name[at] == '0')
        at++;
    *prefix = at;
    *number = at == n ? GY_NONE : (uint32_t)gy_take_count(name, n, &at);
}

gy_rc gy_build_single(gy_build *b, const gy_group *g, const char *name, size_t n, gy_err *e)
{
    gy_cluster *c = b->c;
    gy_rc rc = check_shape(b, &g->type, e);
    if (rc == GY_OK)
        rc = add_nodes(b, 1, e);
    if (rc != GY_OK)
        return rc;
    gy_node node = {.type = type_of(b, &g->type),
                    .queue = g->queue,
                    .nvlink = c->nnvlinks++,
                    .leaf = g->leaf,
                    .pod = g->pod};
    size_t prefix;
    split_name(name, n, &prefix, &node.number);
    node.prefix = gy_names_add(&c->prefixes, name, prefix);
    c->nodes[c->nnodes++] = node;
    return GY_OK;
}

/* A name "l0", "l1", ... that nobody has given. */
static uint32_t made_name(gy_names *names, char letter, uint32_t *next)
{
    char text[16];
    size_t before = names->n;
    uint32_t id;
    do {
        int n = snprintf(text, sizeof text, "%c%u", letter, (*next)++);
        id = gy_names_add(names, text, (size_t)n);
    } while (names->n == before);
    return id;
}

/* Puts the nodes without a leaf into new ones, in order; nodes that name a pod into leaves of that pod. */
static void make_leaves(gy_build *b)
{
    gy_cluster *c = b->c;
    struct open_leaf {
        uint32_t leaf, nodes;
    } *open = gy_alloc(b->pods.n + 1, sizeof *open); /* by pod + 1; 0: no pod */
    uint32_t next = 0;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        gy_node *node = &c->nodes[i];
        if (node->leaf != GY_NONE)
            continue;
        struct open_leaf *o = &open[node->pod == GY_NONE ? 0 : node->pod + 1];
        if (o->nodes == 0) {
            o->leaf = made_name(&b->leaves, 'l', &next);
            b->leaf_pod = gy_reserve(b->leaf_pod, &b->leaf_cap, b->leaves.n, sizeof *b->leaf_pod);
            b->leaf_pod[o->leaf] = node->pod;
        }
        node->leaf = o->leaf;
        o->nodes = (o->nodes + 1) % c->net.nodes_per_leaf;
    }
    free(open);
}

static void make_pods(gy_build *b)
{
    uint32_t next = 0, pod = 0, leaves = 0;
    for (uint32_t leaf = 0; leaf < b->leaves.n; leaf++) {
        if (b->leaf_pod[leaf] != GY_NONE)
            continue;
        if (leaves == 0)
            pod = made_name(&b->pods, 'p', &next);
        b->leaf_pod[leaf] = pod;
        leaves = (leaves + 1) % b->c->net.leaves_per_pod;
    }
}

static const char **texts_of(gy_build *b, const gy_names *names)
{
    const char **list = gy_alloc(names->n, sizeof *list);
    for (uint32_t i = 0; i < names->n; i++)
        list[i] = gy_build_text(b, gy_names_text(names, i), gy_names_len(names, i));
    return list;
}

static void place_nodes(gy_build *b)
{
    gy_cluster *c = b->c;
    if (c->net.nodes_per_leaf)
        make_leaves(b);
    if (c->net.leaves_per_pod)
        make_pods(b);
    for (uint32_t i = 0; i < c->nnodes; i++)
        if (c->nodes[i].leaf != GY_NONE)
            c->nodes[i].pod = b->leaf_pod[c->nodes[i].leaf];
    c->nleaves = (uint32_t)b->leaves.n;
    c->npods = (uint32_t)b->pods.n;
    c->leaf_names = texts_of(b, &b->leaves);
    c->pod_names = texts_of(b, &b->pods);
}

static gy_rc index_names(gy_build *b, gy_err *e)
{
    gy_cluster *c = b->c;
    size_t n = 16;
    while (n < 2 * (size_t)c->nnodes)
        n *= 2;
    c->name_slots = gy_alloc(n, sizeof *c->name_slots);
    c->nname_slots = n;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        char name[80];
        size_t len = (size_t)(gy_cluster_node_name(c, i, name) - name);
        if (gy_cluster_find_node(c, name, len) != GY_NONE)
            return gy_build_fail(b, e, "two nodes are named %s; give them other names or prefixes", name);
        size_t at = gy_hash(name, len) & (n - 1);
        while (c->name_slots[at])
            at = (at + 1) & (n - 1);
        c->name_slots[at] = i + 1;
    }
    return GY_OK;
}

gy_rc gy_build_finish(gy_build *b, gy_err *e)
{
    gy_cluster *c = b->c;
    b->part[0] = '\0';
    for (uint32_t i = 0; i < c->nnodes; i++) {
        const gy_node_type *t = &c->node_types[c->nodes[i].type];
        c->gpus += t->gpus;
        c->has_cpus |= t->cpus_micro >= 0;
        c->has_mem |= t->mem_micro >= 0;
    }
    if (c->gpus == 0)
        return gy_build_fail(b, e, "there is no GPU in this cluster; give \"nodes\" that have some");
    place_nodes(b);
    return index_names(b, e);
}
