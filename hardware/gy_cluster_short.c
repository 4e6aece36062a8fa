/* gy_cluster_short.c - clusters on one line: `4x8:h100+2x4:t4` and `pod:2 leaf:8 node:16 gpu:8@h100`; see
 * gy_cluster.h.  SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "gy_build_internal.h"

enum { TYPE_BYTES = 200 };

/* Marks of these forms: no type on one line has them, though one in a file may. */
#define TYPE_STOPS ":@"

bool gy_is_shorthand(const char *spec)
{
    size_t at = 0;
    return gy_take_count(spec, strlen(spec), &at) >= 0 && spec[at] == 'x';
}

static gy_rc short_fail(const gy_build *b, gy_err *e, const char *group, const char *why)
{
    bool whole = strcmp(group, b->what) == 0;
    return gy_build_fail(b, e,
                         "%s%s%s%s; write NODESxGPUS or NODESxGPUS:TYPE, joined by +, as in 4x8:h100+2x4:t4",
                         whole ? "" : "in \"", whole ? "" : group, whole ? "" : "\" ", why);
}

/* A number of at least one, for a message when it is not. */
static gy_rc take_number(const gy_build *b, const char *group, const char *s, size_t *at, int64_t most,
                         const char *what, int64_t *out, gy_err *e)
{
    char why[80];
    *out = gy_take_count(s, strlen(s), at);
    if (*out >= 1 && *out <= most)
        return GY_OK;
    if (*out < 0)
        snprintf(why, sizeof why, "the number of %s is missing", what);
    else
        snprintf(why, sizeof why, "the number of %s must lie between 1 and %lld", what, (long long)most);
    return short_fail(b, e, group, why);
}

static gy_rc read_short_group(gy_build *b, const char *s, gy_err *e)
{
    gy_group g = gy_build_empty_group();
    size_t at = 0;
    int64_t nodes, gpus = -1;
    gy_rc rc = take_number(b, s, s, &at, GY_NODES_MAX, "nodes", &nodes, e);
    if (rc != GY_OK)
        return rc;
    if (s[at] != 'x')
        return short_fail(b, e, s, "an x must follow the number of nodes");
    at++;
    const char *type = s + at; /* 4xdgx-h100 */
    if (s[at] == '\0' || s[at] == ':' || (s[at] >= '0' && s[at] <= '9')) {
        rc = take_number(b, s, s, &at, GY_NODE_GPUS_MAX, "GPUs of a node", &gpus, e);
        if (rc != GY_OK)
            return rc;
        if (s[at] != ':' && s[at] != '\0')
            return short_fail(b, e, s, "a colon must stand before the type");
        if (s[at] == ':' && s[at + 1] == '\0')
            return short_fail(b, e, s, "the type is missing after the colon");
        if (s[at] == ':' && strpbrk(s + at + 1, TYPE_STOPS))
            return short_fail(b, e, s, "the type goes on with a colon or an @");
        type = s + at + (s[at] == ':');
        g.type.gpus = (uint32_t)gpus;
    }
    g.count = (uint32_t)nodes;
    if (*type)
        rc = gy_build_named_type(b, type, gpus, &g, e);
    return rc == GY_OK ? gy_build_group(b, &g, e) : rc;
}

gy_rc gy_build_shorthand(gy_build *b, const char *spec, gy_err *e)
{
    gy_rc rc = GY_OK;
    for (const char *s = spec; rc == GY_OK; s++) {
        char group[TYPE_BYTES];
        size_t n = strcspn(s, "+");
        if (n >= sizeof group)
            return short_fail(b, e, spec, "a part is too long");
        if (n == 0)
            return short_fail(b, e, spec, "a part is missing beside a +");
        memcpy(group, s, n);
        group[n] = '\0';
        rc = read_short_group(b, group, e);
        s += n;
        if (*s == '\0')
            break;
    }
    return rc == GY_OK ? gy_build_finish(b, e) : rc;
}

/* Levels from the outside in. */
enum level { POD, LEAF, NVLINK, NODE, SOCKET, GPU, LEVELS };
static const char *const level_names[LEVELS] = {"pod", "leaf", "nvlink", "node", "socket", "gpu"};

struct levels {
    int64_t count[LEVELS]; /* 0: not given */
    char type[TYPE_BYTES];
};

bool gy_is_levels(const char *spec)
{
    size_t blanks = strspn(spec, " \t"), n = blanks;
    while (spec[n] >= 'a' && spec[n] <= 'z')
        n++;
    return n > blanks && spec[n] == ':' && spec[n + 1] >= '0' && spec[n + 1] <= '9';
}

static gy_rc levels_fail(const gy_build *b, gy_err *e, const char *token, const char *why, const char *near)
{
    if (near)
        return gy_build_fail(b, e, "\"%.80s\" %s; did you mean \"%s\"?", token, why, near);
    return gy_build_fail(
        b, e,
        "\"%.80s\" %s; levels are pod, leaf, nvlink, node, socket and gpu, from the outside in, "
        "as in pod:2 leaf:8 node:16 gpu:8@h100",
        token, why);
}

static gy_rc read_level(gy_build *b, const char *token, struct levels *l, int *last, gy_err *e)
{
    char name[16], why[60];
    size_t n = strcspn(token, ":"), len = strlen(token), at = n + 1;
    snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : 0, token);
    if (strcmp(name, "rack") == 0)
        strcpy(name, level_names[LEAF]);
    int level = 0;
    while (level < LEVELS && strcmp(level_names[level], name) != 0)
        level++;
    if (level == LEVELS)
        return levels_fail(b, e, token, "names no level", gy_nearest_of(name, level_names, LEVELS));
    if (level <= *last)
        return levels_fail(b, e, token, "stands in the wrong order", NULL);
    *last = level;
    int64_t most = level >= SOCKET ? GY_NODE_GPUS_MAX : GY_NODES_MAX;
    l->count[level] = n < len ? gy_take_count(token, len, &at) : -1;
    if (l->count[level] < 1 || l->count[level] > most) {
        snprintf(why, sizeof why, "needs a number from 1 to %lld after its colon", (long long)most);
        return levels_fail(b, e, token, why, NULL);
    }
    if (at == len)
        return GY_OK;
    if (token[at] != '@' || (level != GPU && level != NODE) || *l->type || at + 1 == len ||
        strpbrk(token + at + 1, TYPE_STOPS))
        return levels_fail(b, e, token, "goes on in a way that is not understood", NULL);
    memcpy(l->type, token + at + 1, len - at);
    return GY_OK;
}

static gy_rc read_levels(gy_build *b, const char *spec, struct levels *l, gy_err *e)
{
    int last = -1;
    gy_rc rc = GY_OK;
    for (const char *s = spec + strspn(spec, " \t"); *s && rc == GY_OK;) {
        char token[TYPE_BYTES];
        size_t n = strcspn(s, " \t");
        if (n >= sizeof token)
            return levels_fail(b, e, s, "is too long", NULL);
        memcpy(token, s, n);
        token[n] = '\0';
        rc = read_level(b, token, l, &last, e);
        s += n + strspn(s + n, " \t");
    }
    if (rc == GY_OK && !l->count[NODE])
        rc = levels_fail(b, e, spec, "does not say how many nodes there are", NULL);
    if (rc == GY_OK && !l->count[GPU] && !*l->type)
        rc = levels_fail(b, e, spec, "does not say how many GPUs a node has", NULL);
    return rc;
}

/* Adds the nodes of one leaf (or pod, or all of them when there are neither). */
static gy_rc add_leaf(gy_build *b, const struct levels *l, gy_group *g, gy_err *e)
{
    int64_t domains = l->count[NVLINK] ? l->count[NVLINK] : 1;
    g->count = (uint32_t)(domains * l->count[NODE]);
    if (l->count[NVLINK])
        g->nvlink_nodes = (uint32_t)l->count[NODE];
    return gy_build_group(b, g, e);
}

static gy_rc add_levels(gy_build *b, const struct levels *l, gy_group *g, gy_err *e)
{
    int64_t pods = l->count[POD] ? l->count[POD] : 1, leaves = l->count[LEAF] ? l->count[LEAF] : 1;
    gy_rc rc = GY_OK;
    for (int64_t leaf = 0; leaf < pods * leaves && rc == GY_OK; leaf++) {
        char leaf_name[24], pod_name[24];
        snprintf(leaf_name, sizeof leaf_name, "l%lld", (long long)leaf);
        snprintf(pod_name, sizeof pod_name, "p%lld", (long long)(leaf / leaves));
        rc = gy_build_place(b, l->count[LEAF] ? leaf_name : NULL, l->count[POD] ? pod_name : NULL, g, e);
        if (rc == GY_OK)
            rc = add_leaf(b, l, g, e);
    }
    return rc;
}

static gy_rc check_product(gy_build *b, const struct levels *l, gy_err *e)
{
    int64_t nodes = 1;
    for (int level = POD; level <= NODE; level++) {
        nodes *= l->count[level] ? l->count[level] : 1;
        if (nodes > GY_NODES_MAX)
            return gy_build_fail(b, e, "that is more than %d nodes, the most a cluster has", GY_NODES_MAX);
    }
    return GY_OK;
}

gy_rc gy_build_levels(gy_build *b, const char *spec, gy_err *e)
{
    struct levels l = {0};
    gy_group g = gy_build_empty_group();
    gy_rc rc = read_levels(b, spec, &l, e);
    if (rc == GY_OK)
        rc = check_product(b, &l, e);
    if (rc != GY_OK)
        return rc;
    int64_t sockets = l.count[SOCKET] ? l.count[SOCKET] : 1;
    int64_t gpus = l.count[GPU] ? sockets * l.count[GPU] : -1;
    if (gpus > GY_NODE_GPUS_MAX)
        return gy_build_fail(b, e, "that is more than %d GPUs in a node, the most one has", GY_NODE_GPUS_MAX);
    if (gpus > 0)
        g.type.gpus = (uint32_t)gpus;
    if (*l.type)
        rc = gy_build_named_type(b, l.type, gpus, &g, e);
    if (rc == GY_OK && l.count[SOCKET])
        g.type.sockets = (uint32_t)sockets;
    if (rc == GY_OK)
        rc = add_levels(b, &l, &g, e);
    return rc == GY_OK ? gy_build_finish(b, e) : rc;
}
