/* gy_cluster.c - loading a cluster and looking things up in it; see gy_cluster.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_cluster.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gy_build_internal.h"
#include "gy_catalogue_internal.h"

void gy_cluster_free(gy_cluster *c)
{
    if (!c)
        return;
    free(c->nodes);
    free(c->node_types);
    free(c->gpu_types);
    free(c->queues);
    free(c->leaf_names);
    free(c->pod_names);
    free(c->name_slots);
    gy_names_fini(&c->queue_names);
    gy_names_fini(&c->prefixes);
    gy_names_fini(&c->texts);
    free(c);
}

/* Ends the making of a cluster, well or not. */
static gy_rc hand_over(gy_build *b, gy_rc rc, gy_cluster **c)
{
    if (rc != GY_OK) {
        gy_cluster_free(b->c);
        b->c = NULL;
    }
    *c = b->c;
    gy_build_drop(b);
    return rc;
}

static gy_rc from_catalogue(gy_build *b, uint32_t i, gy_err *e)
{
    const gy_catalogue *cat = gy_build_catalogue(b);
    const char *name = gy_catalogue_name(cat, GY_CATALOGUE_CLUSTERS, i);
    b->c->name = gy_build_text(b, name, strlen(name));
    gy_json j = {.name = (char *)name, .root = (cJSON *)gy_catalogue_plain(cat, GY_CATALOGUE_CLUSTERS, i)};
    return gy_build_json(b, &j, e);
}

gy_rc gy_cluster_from_catalogue(gy_cluster **c, const gy_catalogue *cat, uint32_t i, gy_err *e)
{
    gy_build b;
    gy_build_init(&b, GY_EPARSE, gy_catalogue_name(cat, GY_CATALOGUE_CLUSTERS, i));
    b.cat = (gy_catalogue *)cat;
    b.cat_is_borrowed = true;
    return hand_over(&b, from_catalogue(&b, i, e), c);
}

static bool is_path(const char *spec)
{
    size_t n = strlen(spec);
    return strchr(spec, '/') || strcmp(spec, "-") == 0 || (n > 5 && strcmp(spec + n - 5, ".json") == 0);
}

/* Neither a name nor a file: says what was probably meant. */
static gy_rc no_such_cluster(gy_build *b, const char *spec, gy_err *e)
{
    const gy_catalogue *cat = gy_build_catalogue(b);
    if (is_path(spec))
        return gy_fail(
            e, GY_EINVAL,
            "%.300s: there is no such cluster file; `gpuyard cluster list` shows the clusters that need "
            "none, and 4x8:h100 stands for 4 nodes of 8 H100",
            spec);
    if (gy_catalogue_find(cat, GY_CATALOGUE_NODES, spec, strlen(spec)) != UINT32_MAX)
        return gy_fail(e, GY_EINVAL, "%s is a node, not a cluster; write 16x%s for sixteen of them", spec,
                       spec);
    if (gy_catalogue_find(cat, GY_CATALOGUE_GPUS, spec, strlen(spec)) != UINT32_MAX)
        return gy_fail(e, GY_EINVAL,
                       "%s is a GPU type, not a cluster; write 16x8:%s for sixteen nodes of eight", spec,
                       spec);
    const char *near = gy_catalogue_nearest(cat, GY_CATALOGUE_CLUSTERS, spec);
    return gy_fail(e, GY_EINVAL, "\"%.100s\" is neither a cluster of the catalogue nor a file; %s%s%s", spec,
                   near ? "did you mean \""
                        : "`gpuyard cluster list` shows the names, and 4x8:h100 stands for ",
                   near ? near : "4 nodes of 8 H100", near ? "\"?" : "");
}

static gy_rc build_any(gy_build *b, const char *spec, gy_err *e)
{
    if (!*spec)
        return gy_fail(e, GY_EINVAL,
                       "no cluster is given; `gpuyard cluster list` shows some, and 4x8:h100 "
                       "stands for 4 nodes of 8 H100");
    if (!is_path(spec)) {
        const gy_catalogue *cat;
        uint32_t i;
        b->c->name = gy_build_text(b, spec, strlen(spec));
        if (gy_is_levels(spec))
            return gy_build_levels(b, spec, e);
        if (gy_is_shorthand(spec))
            return gy_build_shorthand(b, spec, e);
        cat = gy_build_catalogue(b);
        i = gy_catalogue_find(cat, GY_CATALOGUE_CLUSTERS, spec, strlen(spec));
        if (i != UINT32_MAX)
            return from_catalogue(b, i, e);
    }
    if (strcmp(spec, "-") != 0 && access(spec, F_OK) != 0)
        return no_such_cluster(b, spec, e);
    b->rc = GY_EPARSE;
    return gy_build_file(b, spec, e);
}

gy_rc gy_cluster_load(gy_cluster **c, const char *spec, gy_err *e)
{
    gy_build b;
    gy_build_init(&b, GY_EINVAL, spec);
    return hand_over(&b, build_any(&b, spec, e), c);
}

static bool has_type(const cJSON *nodes, const char *name)
{
    const cJSON *node;
    cJSON_ArrayForEach(node, nodes)
    {
        const cJSON *type = gy_json_member(node, "gpu_type");
        if (cJSON_IsString(type) && gy_same_name(name, strlen(name), type->valuestring))
            return true;
    }
    return false;
}

/* As an entry of its own or as the GPUs of a node. */
static bool is_known_type(const gy_catalogue *cat, const char *name)
{
    if (gy_catalogue_find(cat, GY_CATALOGUE_GPUS, name, strlen(name)) != UINT32_MAX)
        return true;
    for (uint32_t i = 0; i < gy_catalogue_count(cat, GY_CATALOGUE_CLUSTERS); i++)
        if (has_type(gy_json_member(gy_catalogue_plain(cat, GY_CATALOGUE_CLUSTERS, i), "nodes"), name))
            return true;
    return has_type(cat->plain[GY_CATALOGUE_NODES], name);
}

void gy_cluster_doubts(const gy_cluster *c, gy_str *out)
{
    gy_catalogue *cat = NULL;
    for (uint32_t i = 0; i < c->ngpu_types; i++) {
        const char *name = c->gpu_types[i].name;
        if (c->gpu_types[i].mem_micro > 0)
            continue;
        cat = cat ? cat : gy_catalogue_open();
        if (is_known_type(cat, name))
            continue;
        const char *near = gy_catalogue_nearest(cat, GY_CATALOGUE_GPUS, name);
        gy_str_printf(
            out,
            "cluster %.200s: the GPU type \"%s\" is not in the catalogue, so its memory is not known%s%s%s\n",
            c->name, name, near ? "; did you mean \"" : "; `gpuyard cluster list` shows those that are",
            near ? near : "", near ? "\"?" : "");
    }
    gy_catalogue_free(cat);
}

char *gy_cluster_node_name(const gy_cluster *c, uint32_t node, char *buf)
{
    const gy_node *n = &c->nodes[node];
    size_t len = gy_names_len(&c->prefixes, n->prefix);
    memcpy(buf, gy_names_text(&c->prefixes, n->prefix), len + 1);
    return n->number == GY_NONE ? buf + len : gy_put_uint(buf + len, n->number);
}

uint32_t gy_cluster_find_node(const gy_cluster *c, const char *name, size_t n)
{
    size_t mask = c->nname_slots - 1;
    if (n >= 80)
        return GY_NONE;
    for (size_t at = gy_hash(name, n) & mask; c->name_slots[at]; at = (at + 1) & mask) {
        char found[80];
        uint32_t node = c->name_slots[at] - 1;
        size_t len = (size_t)(gy_cluster_node_name(c, node, found) - found);
        if (len == n && memcmp(found, name, n) == 0)
            return node;
    }
    return GY_NONE;
}

uint32_t gy_cluster_find_queue(const gy_cluster *c, const char *name, size_t n)
{
    return gy_names_find(&c->queue_names, name, n);
}

uint32_t gy_cluster_find_gpu_type(const gy_cluster *c, const char *name, size_t n)
{
    for (uint32_t i = 0; i < c->ngpu_types; i++)
        if (gy_same_name(name, n, c->gpu_types[i].name))
            return i;
    return GY_NONE;
}

static void add_count(gy_str *out, uint64_t n, const char *one, const char *many)
{
    gy_str_printf(out, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* " (642 12gb, 1848 24gb)". */
static void describe_types(const gy_cluster *c, gy_str *out)
{
    uint64_t *of = gy_alloc(c->ngpu_types + 1, sizeof *of); /* the last one: no type */
    const char *divider = " (";
    for (uint32_t i = 0; i < c->nnodes; i++) {
        const gy_node_type *t = &c->node_types[c->nodes[i].type];
        of[t->gpu_type == GY_NONE ? c->ngpu_types : t->gpu_type] += t->gpus;
    }
    for (uint32_t i = 0; i <= c->ngpu_types && of[c->ngpu_types] < c->gpus; i++) {
        if (of[i] == 0)
            continue;
        gy_str_printf(out, "%s%llu %s", divider, (unsigned long long)of[i],
                      i < c->ngpu_types ? c->gpu_types[i].name : "of no type");
        divider = ", ";
    }
    if (*divider == ',')
        gy_str_puts(out, ")");
    free(of);
}

void gy_cluster_describe(const gy_cluster *c, gy_str *out)
{
    add_count(out, c->nnodes, "node", "nodes");
    gy_str_puts(out, ", ");
    add_count(out, c->gpus, "GPU", "GPUs");
    describe_types(c, out);
    if (c->nleaves) {
        gy_str_puts(out, ", ");
        add_count(out, c->nleaves, "leaf", "leaves");
    }
    if (c->npods) {
        gy_str_puts(out, c->nleaves ? " in " : ", ");
        add_count(out, c->npods, "pod", "pods");
    }
}
