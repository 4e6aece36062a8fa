/* gy_build.c - types, queues, places and nodes of a cluster in the making; see gy_build_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_build_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_catalogue_internal.h"

void gy_build_init(gy_build *b, gy_rc rc, const char *what)
{
    *b = (gy_build){.rc = rc, .what = what};
    b->c = gy_alloc(1, sizeof *b->c);
    b->c->name = b->c->fabric = "";
}

void gy_build_drop(gy_build *b)
{
    if (!b->cat_is_borrowed)
        gy_catalogue_free(b->cat);
    gy_names_fini(&b->leaves);
    gy_names_fini(&b->pods);
    gy_names_fini(&b->nvlinks);
    free(b->nvlink_of);
    free(b->leaf_pod);
    free(b->next_number);
    *b = (gy_build){.c = b->c};
}

gy_rc gy_build_fail(const gy_build *b, gy_err *e, const char *fmt, ...)
{
    char text[500];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return gy_fail(e, b->rc, "%.200s: %s%s%s", b->what, b->part, *b->part ? ": " : "", text);
}

const gy_catalogue *gy_build_catalogue(gy_build *b)
{
    if (!b->cat)
        b->cat = gy_catalogue_open();
    return b->cat;
}

const char *gy_build_text(gy_build *b, const char *s, size_t n)
{
    return gy_names_text(&b->c->texts, gy_names_add(&b->c->texts, s, n));
}

gy_group gy_build_empty_group(void)
{
    return (gy_group){
        .count = 1,
        .type = {.name = "", .gpu_type = GY_NONE, .sockets = 1, .cpus_micro = -1, .mem_micro = -1},
        .prefix = "n",
        .queue = GY_NONE,
        .leaf = GY_NONE,
        .pod = GY_NONE,
        .nvlink_nodes = 1,
    };
}

int64_t gy_take_count(const char *s, size_t n, size_t *at)
{
    int64_t v = 0;
    size_t from = *at;
    for (; *at < n && s[*at] >= '0' && s[*at] <= '9'; ++*at)
        v = *at - from < 9 ? v * 10 + (s[*at] - '0') : INT64_MAX;
    return *at == from ? -1 : v;
}

gy_rc gy_build_check_name(const gy_build *b, const char *what, const char *s, size_t n, gy_err *e)
{
    bool plain = n > 0 && n <= GY_NAME_BYTES_MAX;
    for (size_t i = 0; i < n; i++) {
        char ch = s[i];
        bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
        plain &= letter || ch == '.' || ch == '_' || ch == '-';
    }
    if (plain)
        return GY_OK;
    return gy_build_fail(b, e, "%s \"%.*s\" must be 1 to %d letters, digits, dots, dashes or underscores",
                         what, n < 80 ? (int)n : 80, s, GY_NAME_BYTES_MAX);
}

/* Memory of a GPU type by the catalogue, 0 when it is not known. */
static int64_t catalogue_mem(gy_build *b, const char *name)
{
    const gy_catalogue *cat = gy_build_catalogue(b);
    uint32_t i = gy_catalogue_find(cat, GY_CATALOGUE_GPUS, name, strlen(name));
    int64_t mem_micro = 0;
    if (i != UINT32_MAX) {
        gy_json j = {.name = (char *)"gpus.json"};
        gy_err e = {0};
        if (gy_json_fixed(&j, gy_catalogue_plain(cat, GY_CATALOGUE_GPUS, i), "gpu_mem_gb", 6, &mem_micro,
                          &e) != GY_OK)
            gy_panic(__FILE__, __LINE__, "%s", e.text);
    }
    return mem_micro;
}

static gy_rc check_gpu_type(const gy_build *b, const char *name, gy_err *e)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < ' ' || strchr("|,;\"", name[i]))
            n = 0;
    if (n > 0 && n <= GY_NAME_BYTES_MAX)
        return GY_OK;
    return gy_build_fail(b, e, "GPU type \"%.80s\" must be 1 to %d characters, none of them | , ; or a quote",
                         name, GY_NAME_BYTES_MAX);
}

gy_rc gy_build_gpu_type(gy_build *b, const char *name, int64_t mem_micro, uint32_t *out, gy_err *e)
{
    gy_cluster *c = b->c;
    gy_rc rc = check_gpu_type(b, name, e);
    if (rc != GY_OK)
        return rc;
    uint32_t t = gy_cluster_find_gpu_type(c, name, strlen(name));
    if (t == GY_NONE) {
        if (c->ngpu_types == GY_GPU_TYPES_MAX)
            return gy_build_fail(b, e, "GPU type \"%s\" is one too many: a cluster has at most %d", name,
                                 GY_GPU_TYPES_MAX);
        c->gpu_types = gy_reserve(c->gpu_types, &b->gpu_types_cap, c->ngpu_types + 1, sizeof *c->gpu_types);
        t = c->ngpu_types++;
        c->gpu_types[t] = (gy_gpu_type){gy_build_text(b, name, strlen(name)),
                                        mem_micro >= 0 ? mem_micro : catalogue_mem(b, name)};
    } else if (mem_micro >= 0 && c->gpu_types[t].mem_micro != mem_micro) {
        char was[24], is[24];
        gy_put_fixed(was, c->gpu_types[t].mem_micro, 6);
        gy_put_fixed(is, mem_micro, 6);
        return gy_build_fail(b, e,
                             "GPU type \"%s\" has %s GB here but %s GB before; give the two types two names",
                             name, is, was);
    }
    *out = t;
    return GY_OK;
}

static int64_t plain_number(const cJSON *plain, const char *key, int digits, int64_t missing)
{
    gy_json j = {.name = (char *)"nodes.json"};
    gy_err e = {0};
    int64_t v = missing;
    if (gy_json_fixed(&j, plain, key, digits, &v, &e) != GY_OK)
        gy_panic(__FILE__, __LINE__, "%s", e.text);
    return v;
}

static gy_rc no_such_node(gy_build *b, const char *name, gy_err *e)
{
    const gy_catalogue *cat = gy_build_catalogue(b);
    if (gy_catalogue_find(cat, GY_CATALOGUE_GPUS, name, strlen(name)) != UINT32_MAX)
        return gy_build_fail(b, e,
                             "\"%s\" is a GPU type, not a node of the catalogue; write \"gpu_type\": \"%s\"",
                             name, name);
    const char *near = gy_catalogue_nearest(cat, GY_CATALOGUE_NODES, name);
    return gy_build_fail(b, e, "there is no node \"%.80s\" in the catalogue; %s%s%s", name,
                         near ? "did you mean \"" : "`gpuyard cluster list` shows them", near ? near : "",
                         near ? "\"?" : "");
}

gy_rc gy_build_node_of(gy_build *b, const char *name, gy_group *g, gy_err *e)
{
    const gy_catalogue *cat = gy_build_catalogue(b);
    uint32_t i = gy_catalogue_find(cat, GY_CATALOGUE_NODES, name, strlen(name));
    if (i == UINT32_MAX)
        return no_such_node(b, name, e);
    const cJSON *plain = gy_catalogue_plain(cat, GY_CATALOGUE_NODES, i);
    const cJSON *gpu = gy_json_member(plain, "gpu_type");
    g->type.name = gy_build_text(b, plain->string, strlen(plain->string));
    g->type.gpus = (uint32_t)plain_number(plain, "gpus", 0, 0);
    g->type.sockets = (uint32_t)plain_number(plain, "sockets", 0, 1);
    g->type.cpus_micro = plain_number(plain, "cpus", 6, -1);
    g->type.mem_micro = plain_number(plain, "mem_gb", 6, -1);
    g->nvlink_nodes = (uint32_t)plain_number(plain, "nvlink_nodes", 0, 1);
    return gpu ? gy_build_gpu_type(b, gpu->valuestring, -1, &g->type.gpu_type, e) : GY_OK;
}

/* Does the name begin like a family of nodes of the catalogue ("dgx-", "hgx-")?  Then it is no GPU type. */
static bool is_node_family(const gy_catalogue *cat, const char *name)
{
    const char *dash = strchr(name, '-');
    if (!dash || dash - name >= GY_NAME_BYTES_MAX)
        return false;
    size_t n = (size_t)(dash - name) + 1;
    for (uint32_t i = 0; i < gy_catalogue_count(cat, GY_CATALOGUE_NODES); i++) {
        char family[GY_NAME_BYTES_MAX + 1];
        snprintf(family, sizeof family, "%.*s", (int)n, gy_catalogue_name(cat, GY_CATALOGUE_NODES, i));
        if (gy_same_name(name, n, family))
            return true;
    }
    return false;
}

gy_rc gy_build_named_type(gy_build *b, const char *name, int64_t gpus, gy_group *g, gy_err *e)
{
    const gy_catalogue *cat = gy_build_catalogue(b);
    bool known_gpu = gy_catalogue_find(cat, GY_CATALOGUE_GPUS, name, strlen(name)) != UINT32_MAX;
    bool node = gy_catalogue_find(cat, GY_CATALOGUE_NODES, name, strlen(name)) != UINT32_MAX;
    if (!node && (known_gpu || (gpus >= 0 && !is_node_family(cat, name)))) {
        if (gpus < 0)
            return gy_build_fail(b, e, "say how many GPUs of type %s a node has, as in 4x8:%s", name, name);
        g->type.gpus = (uint32_t)gpus;
        return gy_build_gpu_type(b, name, -1, &g->type.gpu_type, e);
    }
    gy_rc rc = gy_build_node_of(b, name, g, e);
    if (rc == GY_OK && gpus >= 0 && g->type.gpus != (uint32_t)gpus)
        rc = gy_build_fail(b, e, "a %s has %u GPUs, not %lld; for another number write a cluster file",
                           g->type.name, g->type.gpus, (long long)gpus);
    return rc;
}

gy_rc gy_build_place(gy_build *b, const char *leaf, const char *pod, gy_group *g, gy_err *e)
{
    gy_rc rc = pod ? gy_build_check_name(b, "\"pod\"", pod, strlen(pod), e) : GY_OK;
    if (rc == GY_OK && leaf)
        rc = gy_build_check_name(b, "\"leaf\"", leaf, strlen(leaf), e);
    if (rc != GY_OK)
        return rc;
    g->pod = pod ? gy_names_add(&b->pods, pod, strlen(pod)) : GY_NONE;
    if (!leaf)
        return GY_OK;
    size_t before = b->leaves.n;
    g->leaf = gy_names_add(&b->leaves, leaf, strlen(leaf));
    if (b->leaves.n > before) {
        b->leaf_pod = gy_reserve(b->leaf_pod, &b->leaf_cap, b->leaves.n, sizeof *b->leaf_pod);
        b->leaf_pod[g->leaf] = GY_NONE;
    }
    uint32_t *home = &b->leaf_pod[g->leaf];
    if (*home == GY_NONE)
        *home = g->pod;
    else if (pod && *home != g->pod)
        return gy_build_fail(
            b, e, "leaf \"%s\" is in pod \"%s\" here but in pod \"%s\" before; a leaf is in one pod", leaf,
            pod, gy_names_text(&b->pods, *home));
    return GY_OK;
}

gy_rc gy_build_queue(gy_build *b, const char *name, int64_t quota_milli, int64_t weight_micro, gy_err *e)
{
    gy_cluster *c = b->c;
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < ' ')
            n = 0;
    if (n == 0)
        return gy_build_fail(b, e, "a queue's name must not be empty nor contain control characters");
    if (gy_cluster_find_queue(c, name, n) != GY_NONE)
        return gy_build_fail(b, e, "there is a queue \"%.80s\" already; leave one out", name);
    if (c->nqueues == GY_QUEUES_MAX)
        return gy_build_fail(b, e, "queue \"%.80s\" is one too many: a cluster has at most %d", name,
                             GY_QUEUES_MAX);
    c->queues = gy_reserve(c->queues, &b->queues_cap, c->nqueues + 1, sizeof *c->queues);
    gy_names_add(&c->queue_names, name, n);
    c->queues[c->nqueues++] = (gy_queue){gy_build_text(b, name, n), quota_milli, weight_micro, false};
    c->has_quota |= quota_milli >= 0;
    return GY_OK;
}

static const char *queue_at(const void *ctx, size_t i)
{
    const gy_cluster *c = ctx;
    return i < c->nqueues ? c->queues[i].name : NULL;
}

gy_rc gy_build_owner(gy_build *b, const char *queue, gy_group *g, gy_err *e)
{
    uint32_t q = gy_cluster_find_queue(b->c, queue, strlen(queue));
    if (q == GY_NONE && b->queues_listed) {
        const char *near = gy_nearest(queue, queue_at, b->c);
        return gy_build_fail(b, e, "queue \"%.80s\" is not listed under \"queues\"%s%s%s", queue,
                             near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    if (q == GY_NONE) {
        gy_rc rc = gy_build_queue(b, queue, -1, 1000000, e);
        if (rc != GY_OK)
            return rc;
        q = b->c->nqueues - 1;
    }
    b->c->queues[q].owns_nodes = true;
    g->queue = q;
    return GY_OK;
}
