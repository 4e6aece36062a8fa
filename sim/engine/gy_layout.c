/* gy_layout.c - see gy_layout.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_layout.h"

#include <stdlib.h>
#include <string.h>

/* Domains are numbered in the order of their first node; queues without nodes of their own share one. */
static void number_domains(gy_layout *l)
{
    const gy_cluster *c = l->cluster;
    uint32_t *of_queue =
        gy_alloc((size_t)c->nqueues + 1, sizeof *of_queue); /* number + 1; the last is "nobody" */
    for (uint32_t i = 0; i < c->nnodes; i++) {
        uint32_t q = c->nodes[i].queue == GY_NONE ? c->nqueues : c->nodes[i].queue;
        if (!of_queue[q])
            of_queue[q] = ++l->ndomains;
        l->domain[i] = of_queue[q] - 1;
    }
    if (!of_queue[c->nqueues])
        l->ndomains++; /* the shared domain has no node, yet jobs may be sent there: they are infeasible */
    free(of_queue);
}

static bool same_pool(const gy_layout *l, const gy_pool *p, uint32_t node)
{
    const gy_node_type *t = &l->cluster->node_types[l->cluster->nodes[node].type];
    return p->domain == l->domain[node] && p->gpu_type == t->gpu_type && p->gpus == t->gpus;
}

static int compare_pools(const void *pa, const void *pb)
{
    const gy_pool *a = pa, *b = pb;
    if (a->domain != b->domain)
        return a->domain < b->domain ? -1 : 1;
    return (a->nodes[0] > b->nodes[0]) - (a->nodes[0] < b->nodes[0]);
}

static void make_pools(gy_layout *l)
{
    const gy_cluster *c = l->cluster;
    size_t cap = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        uint32_t p = last;
        if (l->npools == 0 || !same_pool(l, &l->pools[p], i))
            for (p = 0; p < l->npools && !same_pool(l, &l->pools[p], i);)
                p++;
        if (p == l->npools) {
            const gy_node_type *t = &c->node_types[c->nodes[i].type];
            l->pools = gy_reserve(l->pools, &cap, (size_t)p + 1, sizeof *l->pools);
            l->pools[l->npools++] = (gy_pool){l->domain[i], t->gpu_type, t->gpus, 0, NULL};
        }
        l->pool[i] = last = p;
        l->pools[p].n++;
    }
    for (uint32_t p = 0; p < l->npools; p++) {
        l->pools[p].nodes = gy_alloc(l->pools[p].n, sizeof *l->pools[p].nodes);
        l->pools[p].n = 0;
    }
    for (uint32_t i = 0; i < c->nnodes; i++) {
        gy_pool *p = &l->pools[l->pool[i]];
        p->nodes[p->n++] = i;
    }
    if (l->npools)
        qsort(l->pools, l->npools, sizeof *l->pools, compare_pools);
    for (uint32_t p = 0; p < l->npools; p++)
        for (uint32_t k = 0; k < l->pools[p].n; k++) {
            l->pool[l->pools[p].nodes[k]] = p;
            l->pos[l->pools[p].nodes[k]] = k;
        }
}

gy_layout *gy_layout_create(const gy_cluster *c)
{
    gy_layout *l = gy_alloc(1, sizeof *l);
    l->cluster = c;
    l->domain = gy_alloc(c->nnodes, sizeof *l->domain);
    l->pool = gy_alloc(c->nnodes, sizeof *l->pool);
    l->pos = gy_alloc(c->nnodes, sizeof *l->pos);
    l->gpu0 = gy_alloc((size_t)c->nnodes + 1, sizeof *l->gpu0);
    l->word0 = gy_alloc((size_t)c->nnodes + 1, sizeof *l->word0);
    number_domains(l);
    make_pools(l);
    l->domain_gpus = gy_alloc(l->ndomains, sizeof *l->domain_gpus);
    for (uint32_t i = 0; i < c->nnodes; i++) {
        uint32_t gpus = c->node_types[c->nodes[i].type].gpus;
        l->gpu0[i + 1] = l->gpu0[i] + gpus;
        l->word0[i + 1] = l->word0[i] + (gpus + 63) / 64;
        l->domain_gpus[l->domain[i]] += gpus;
    }
    l->first_pool = gy_alloc((size_t)l->ndomains + 1, sizeof *l->first_pool);
    for (uint32_t p = 0; p < l->npools; p++)
        l->first_pool[l->pools[p].domain + 1] = p + 1;
    for (uint32_t d = 0; d < l->ndomains; d++)
        if (l->first_pool[d + 1] < l->first_pool[d])
            l->first_pool[d + 1] = l->first_pool[d];
    return l;
}

void gy_layout_free(gy_layout *l)
{
    if (!l)
        return;
    for (uint32_t p = 0; p < l->npools; p++)
        free(l->pools[p].nodes);
    free(l->pools);
    free(l->first_pool);
    free(l->domain);
    free(l->pool);
    free(l->pos);
    free(l->gpu0);
    free(l->word0);
    free(l->domain_gpus);
    free(l);
}

uint32_t gy_layout_domain_of(const gy_layout *l, const char *queue, size_t n)
{
    const gy_cluster *c = l->cluster;
    uint32_t q = n ? gy_cluster_find_queue(c, queue, n) : GY_NONE;
    uint32_t owner = q != GY_NONE && c->queues[q].owns_nodes ? q : GY_NONE;
    for (uint32_t p = 0; p < l->npools; p++)
        if (c->nodes[l->pools[p].nodes[0]].queue == owner)
            return l->pools[p].domain;
    return l->ndomains - 1; /* the shared domain without nodes */
}

uint32_t gy_layout_groups(const gy_layout *l, enum gy_level level, uint32_t *group)
{
    const gy_cluster *c = l->cluster;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->nnodes; i++) {
        const gy_node *x = &c->nodes[i];
        switch (level) {
        case GY_LEVEL_NVLINK: group[i] = x->nvlink; break;
        case GY_LEVEL_LEAF: group[i] = x->leaf; break;
        case GY_LEVEL_POD: group[i] = x->pod; break;
        default: group[i] = i; break;
        }
        if (group[i] != GY_NONE && group[i] >= n)
            n = group[i] + 1;
    }
    return n;
}

/* ---- demands ---- */

static void allow_types(const gy_layout *l, const char *list, gy_demand *d)
{
    d->types = 0;
    d->untyped = false;
    for (const char *s = list; *s;) {
        size_t n = strcspn(s, "|");
        uint32_t t = gy_cluster_find_gpu_type(l->cluster, s, n);
        if (t != GY_NONE)
            d->types |= (uint64_t)1 << t;
        s += n + (s[n] == '|');
    }
}

/* A GPU with too little memory is of a type that the job cannot use. */
static void forbid_small_gpus(const gy_layout *l, int64_t gpu_mem, gy_demand *d)
{
    for (uint32_t t = 0; t < l->cluster->ngpu_types; t++) {
        int64_t mem = l->cluster->gpu_types[t].mem_micro;
        if (mem > 0 && mem < gpu_mem)
            d->types &= ~((uint64_t)1 << t);
    }
}

static bool has_sockets(const gy_cluster *c)
{
    for (uint32_t t = 0; t < c->nnode_types; t++)
        if (c->node_types[t].sockets > 1)
            return true;
    return false;
}

/* Of the first job of that shape, counted from 1; the table does not keep lines of the file. */
static uint32_t first_row(const gy_jobs *t, uint32_t shape)
{
    uint32_t j = 0;
    while (t->shape[j] != shape)
        j++;
    return t->row[j] + 1;
}

gy_rc gy_demand_of(const gy_layout *l, const gy_jobs *t, uint32_t shape, gy_demand *d, gy_err *e)
{
    const gy_cluster *c = l->cluster;
    const gy_shape *s = &t->shapes[shape];
    uint32_t gpus = s->gpus_milli / 1000;
    if (s->mig != GY_NAME_NONE)
        return gy_fail(
            e, GY_EINVAL,
            "(row %u below the header) asks for MIG instances (mig is %s), which this version does "
            "not simulate; take such jobs out of the trace, or give a share of a GPU instead",
            first_row(t, shape), gy_names_text(&t->texts, s->mig));
    if ((s->require == GY_LEVEL_SOCKET || s->prefer == GY_LEVEL_SOCKET) && has_sockets(c))
        return gy_fail(e, GY_EINVAL,
                       "(row %u below the header) asks for GPUs of one socket, which this version does not "
                       "simulate; use node instead",
                       first_row(t, shape));
    *d = (gy_demand){.types = UINT64_MAX, .untyped = true, .gpus_milli = s->gpus_milli};
    d->units = s->tasks ? s->tasks : gpus ? gpus : 1;
    d->unit_gpus = gpus / d->units;
    d->share_milli = s->gpus_milli < 1000 ? s->gpus_milli : 0;
    if (s->gpus_milli) {
        if (s->types != GY_NAME_NONE)
            allow_types(l, gy_names_text(&t->type_lists, s->types), d);
        forbid_small_gpus(l, s->gpu_mem_micro, d);
        d->gpu_mem_micro = d->share_milli ? s->gpu_mem_micro : 0;
    }
    d->cpus_micro = c->has_cpus ? s->cpus_micro : 0;
    d->mem_micro = c->has_mem ? s->mem_micro : 0;
    d->free = s->gpus_milli == 0 && d->cpus_micro == 0 && d->mem_micro == 0;
    d->require = s->require == GY_LEVEL_SOCKET ? GY_LEVEL_NODE : s->require;
    d->prefer = s->prefer == GY_LEVEL_SOCKET ? GY_LEVEL_NODE : s->prefer;
    if (d->require == GY_LEVEL_ANY || d->free)
        d->require = GY_LEVEL_NONE;
    if (d->prefer == GY_LEVEL_ANY || d->free)
        d->prefer = GY_LEVEL_NONE;
    return GY_OK;
}
