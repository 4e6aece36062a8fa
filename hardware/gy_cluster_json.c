/* gy_cluster_json.c - a cluster in JSON: nodes, fabric, queues; see hardware/README.md for its keys.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "gy_build_internal.h"
#include "gy_catalogue_internal.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static const char *const cluster_keys[] = {"name", "nodes", "fabric", "queues"};
static const char *const queue_keys[] = {"name", "quota", "weight"};
static const char *const fabric_keys[] = {"name",  "type",      "nodes_per_leaf",   "leaves_per_pod",
                                          "rails", "link_gb_s", "oversubscription", "pod_oversubscription"};
static const char *const node_keys[] = {"count",      "type",  "prefix", "gpus", "gpu_type",
                                        "gpu_mem_gb", "cpus",  "mem_gb", "leaf", "pod",
                                        "nvlink",     "queue", "sockets"};

/* An object with these keys alone, each of them once. */
static gy_rc check_keys(const gy_json *j, const cJSON *object, const char *where, const char *const *keys,
                        size_t n, gy_err *e)
{
    gy_rc rc = gy_json_keys(j, object, where, keys, n, e);
    if (rc != GY_OK)
        return rc;
    for (const cJSON *m = object->child; m; m = m->next)
        for (const cJSON *k = object->child; k != m; k = k->next)
            if (strcmp(k->string, m->string) == 0)
                return gy_fail(e, GY_EPARSE, "%s: \"%s\" stands twice in %s; leave one out", j->name,
                               m->string, where);
    return GY_OK;
}

/* The file with the part that is being read as its name, so that messages of gy_json say both. */
struct part {
    gy_json j;
    char name[320];
};

static const gy_json *part_of(gy_build *b, const gy_json *j, struct part *p)
{
    snprintf(p->name, sizeof p->name, "%.250s%s%s", j->name, *b->part ? ": " : "", b->part);
    p->j = *j;
    p->j.name = p->name;
    return &p->j;
}

/* A decimal that is not negative. */
static gy_rc take_fixed(gy_build *b, const gy_json *j, const cJSON *object, const char *key, int digits,
                        int64_t *out, gy_err *e)
{
    gy_rc rc = gy_json_fixed(j, object, key, digits, out, e);
    if (rc == GY_OK && gy_json_member(object, key) && *out < 0) {
        char text[32];
        gy_put_fixed(text, *out, digits);
        return gy_build_fail(b, e, "\"%s\" must not be negative, but is %s", key, text);
    }
    return rc;
}

static gy_rc take_u32(const gy_json *j, const cJSON *object, const char *key, int64_t least, int64_t most,
                      uint32_t *out, gy_err *e)
{
    int64_t v = *out;
    gy_rc rc = gy_json_int(j, object, key, least, most, &v, e);
    *out = (uint32_t)v;
    return rc;
}

static gy_rc read_queue(gy_build *b, const gy_json *j, const cJSON *object, gy_err *e)
{
    const char *name = NULL;
    int64_t quota_milli = -1, weight_micro = 1000000;
    gy_rc rc = gy_json_text(j, object, "name", &name, e);
    if (rc == GY_OK && !name)
        rc = gy_build_fail(b, e, "a queue needs a \"name\"");
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "quota", 3, &quota_milli, e);
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "weight", 6, &weight_micro, e);
    if (rc == GY_OK && weight_micro == 0)
        rc = gy_build_fail(b, e, "\"weight\" must be above 0");
    return rc == GY_OK ? gy_build_queue(b, name, quota_milli, weight_micro, e) : rc;
}

/* The GPUs of a group: their number, type and memory. */
static gy_rc read_gpus(gy_build *b, const gy_json *j, const cJSON *object, gy_group *g, gy_err *e)
{
    const char *gpu_type = NULL;
    int64_t mem_micro = -1;
    gy_rc rc = take_u32(j, object, "gpus", 0, GY_NODE_GPUS_MAX, &g->type.gpus, e);
    if (rc == GY_OK)
        rc = gy_json_text(j, object, "gpu_type", &gpu_type, e);
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "gpu_mem_gb", 6, &mem_micro, e);
    if (rc == GY_OK && !gy_json_member(object, "gpus") && !gy_json_member(object, "type"))
        rc =
            gy_build_fail(b, e, "say how many \"gpus\" a node has, or which \"type\" of the catalogue it is");
    if (rc == GY_OK && mem_micro >= 0 && !gpu_type)
        rc = gy_build_fail(b, e, "\"gpu_mem_gb\" needs a \"gpu_type\" whose memory it is");
    return rc == GY_OK && gpu_type ? gy_build_gpu_type(b, gpu_type, mem_micro, &g->type.gpu_type, e) : rc;
}

static gy_rc read_shape(gy_build *b, const gy_json *j, const cJSON *object, gy_group *g, gy_err *e)
{
    const char *type = NULL;
    gy_rc rc = gy_json_text(j, object, "type", &type, e);
    if (rc == GY_OK && type)
        rc = gy_build_node_of(b, type, g, e);
    if (rc == GY_OK)
        rc = read_gpus(b, j, object, g, e);
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "cpus", 6, &g->type.cpus_micro, e);
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "mem_gb", 6, &g->type.mem_micro, e);
    if (rc == GY_OK)
        rc = take_u32(j, object, "sockets", 1, GY_NODE_GPUS_MAX, &g->type.sockets, e);
    return rc;
}

/* "nvlink": the name of a domain, or how many nodes in a row are one. */
static gy_rc read_nvlink(gy_build *b, const gy_json *j, const cJSON *object, gy_group *g, gy_err *e)
{
    const cJSON *m = gy_json_member(object, "nvlink");
    if (!m || cJSON_IsNumber(m))
        return take_u32(j, object, "nvlink", 1, GY_NODES_MAX, &g->nvlink_nodes, e);
    if (!cJSON_IsString(m))
        return gy_build_fail(b, e, "\"nvlink\" must be the name of a domain, or the number of nodes in one");
    g->nvlink = m->valuestring;
    return gy_build_check_name(b, "\"nvlink\"", g->nvlink, strlen(g->nvlink), e);
}

static gy_rc read_place(gy_build *b, const gy_json *j, const cJSON *object, gy_group *g, gy_err *e)
{
    const char *leaf = NULL, *pod = NULL, *queue = NULL, *prefix = NULL;
    gy_rc rc = gy_json_text(j, object, "leaf", &leaf, e);
    if (rc == GY_OK)
        rc = gy_json_text(j, object, "pod", &pod, e);
    if (rc == GY_OK)
        rc = gy_json_text(j, object, "queue", &queue, e);
    if (rc == GY_OK)
        rc = gy_json_text(j, object, "prefix", &prefix, e);
    if (rc == GY_OK && prefix && *prefix) /* an empty one is allowed: nodes 0, 1, ... */
        rc = gy_build_check_name(b, "\"prefix\"", prefix, strlen(prefix), e);
    if (rc == GY_OK)
        rc = gy_build_place(b, leaf, pod, g, e);
    if (rc == GY_OK && queue)
        rc = gy_build_owner(b, queue, g, e);
    if (prefix)
        g->prefix = prefix;
    return rc;
}

static gy_rc read_group(gy_build *b, const gy_json *j, const cJSON *object, gy_err *e)
{
    gy_group g = gy_build_empty_group();
    gy_rc rc = take_u32(j, object, "count", 1, GY_NODES_MAX, &g.count, e);
    if (rc == GY_OK)
        rc = read_shape(b, j, object, &g, e);
    if (rc == GY_OK)
        rc = read_nvlink(b, j, object, &g, e);
    if (rc == GY_OK)
        rc = read_place(b, j, object, &g, e);
    return rc == GY_OK ? gy_build_group(b, &g, e) : rc;
}

/* Each object of the array under `key`, after its keys have been checked. */
static gy_rc read_array(gy_build *b, const gy_json *j, const char *key, const char *const *keys, size_t nkeys,
                        gy_rc (*read)(gy_build *b, const gy_json *j, const cJSON *object, gy_err *e),
                        gy_err *e)
{
    const cJSON *array = gy_json_member(j->root, key), *object;
    unsigned i = 0;
    if (!cJSON_IsArray(array))
        return gy_build_fail(b, e, "\"%s\" must be a list in brackets", key);
    cJSON_ArrayForEach(object, array)
    {
        struct part p = {0};
        snprintf(b->part, sizeof b->part, "%s[%u]", key, i++);
        gy_rc rc = check_keys(j, object, b->part, keys, nkeys, e);
        if (rc == GY_OK)
            rc = read(b, part_of(b, j, &p), object, e);
        if (rc != GY_OK)
            return rc;
    }
    b->part[0] = '\0';
    return GY_OK;
}

static gy_rc read_fabric_numbers(gy_build *b, const gy_json *j, const cJSON *object, gy_err *e)
{
    gy_fabric *f = &b->c->net;
    gy_rc rc = take_u32(j, object, "nodes_per_leaf", 1, GY_NODES_MAX, &f->nodes_per_leaf, e);
    if (rc == GY_OK)
        rc = take_u32(j, object, "leaves_per_pod", 1, GY_NODES_MAX, &f->leaves_per_pod, e);
    if (rc == GY_OK)
        rc = take_u32(j, object, "rails", 1, GY_NODE_GPUS_MAX, &f->rails, e);
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "link_gb_s", 6, &f->link_micro, e);
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "oversubscription", 6, &f->oversub_micro, e);
    if (rc == GY_OK)
        rc = take_fixed(b, j, object, "pod_oversubscription", 6, &f->pod_oversub_micro, e);
    return rc;
}

static gy_rc read_named_fabric(gy_build *b, const char *name, gy_err *e)
{
    const gy_catalogue *cat = gy_build_catalogue(b);
    uint32_t i = gy_catalogue_find(cat, GY_CATALOGUE_FABRICS, name, strlen(name));
    if (i == UINT32_MAX) {
        const char *near = gy_catalogue_nearest(cat, GY_CATALOGUE_FABRICS, name);
        return gy_build_fail(b, e, "there is no fabric \"%.80s\" in the catalogue; %s%s%s", name,
                             near ? "did you mean \"" : "`gpuyard cluster list` shows them", near ? near : "",
                             near ? "\"?" : "");
    }
    const cJSON *plain = gy_catalogue_plain(cat, GY_CATALOGUE_FABRICS, i);
    gy_json j = {.name = (char *)"fabrics.json"};
    b->c->fabric = gy_build_text(b, plain->string, strlen(plain->string));
    return read_fabric_numbers(b, &j, plain, e);
}

gy_rc gy_build_fabric(gy_build *b, const gy_json *j, const cJSON *fabric, gy_err *e)
{
    struct part p = {0};
    const char *name = NULL, *type = NULL;
    snprintf(b->part, sizeof b->part, "fabric");
    const gy_json *at = part_of(b, j, &p);
    if (cJSON_IsString(fabric))
        return read_named_fabric(b, fabric->valuestring, e);
    if (!cJSON_IsObject(fabric))
        return gy_build_fail(
            b, e,
            "must be the name of a fabric, or an object in braces; `gpuyard cluster list` shows the names");
    gy_rc rc = check_keys(j, fabric, "fabric", fabric_keys, COUNT_OF(fabric_keys), e);
    if (rc == GY_OK)
        rc = gy_json_text(at, fabric, "type", &type, e);
    if (rc == GY_OK)
        rc = gy_json_text(at, fabric, "name", &name, e);
    if (rc == GY_OK && type)
        rc = read_named_fabric(b, type, e);
    if (rc == GY_OK && (name || !type)) {
        name = name ? name : "fabric";
        b->c->fabric = gy_build_text(b, name, strlen(name));
    }
    return rc == GY_OK ? read_fabric_numbers(b, at, fabric, e) : rc;
}

gy_rc gy_build_json(gy_build *b, const gy_json *j, gy_err *e)
{
    const char *name = NULL;
    const cJSON *fabric = gy_json_member(j->root, "fabric");
    gy_rc rc = check_keys(j, j->root, "the cluster", cluster_keys, COUNT_OF(cluster_keys), e);
    if (rc == GY_OK)
        rc = gy_json_text(j, j->root, "name", &name, e);
    if (rc == GY_OK && name)
        b->c->name = gy_build_text(b, name, strlen(name));
    if (rc == GY_OK && !gy_json_member(j->root, "nodes"))
        rc = gy_build_fail(b, e,
                           "a cluster needs \"nodes\", as in {\"nodes\": [{\"count\": 4, \"gpus\": 8}]}");
    if (rc == GY_OK && gy_json_member(j->root, "queues")) {
        b->queues_listed = true;
        rc = read_array(b, j, "queues", queue_keys, COUNT_OF(queue_keys), read_queue, e);
    }
    if (rc == GY_OK)
        rc = read_array(b, j, "nodes", node_keys, COUNT_OF(node_keys), read_group, e);
    if (rc == GY_OK && fabric)
        rc = gy_build_fabric(b, j, fabric, e);
    return rc == GY_OK ? gy_build_finish(b, e) : rc;
}
