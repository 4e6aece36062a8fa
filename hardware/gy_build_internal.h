/* gy_build_internal.h - putting a cluster together, whatever form it was written in.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_BUILD_INTERNAL_H
#define GY_BUILD_INTERNAL_H

#include "gy_catalogue.h"
#include "gy_cluster.h"
#include "gy_json.h"

typedef struct gy_build {
    gy_cluster *c;
    gy_catalogue *cat; /* opened at the first question */
    bool cat_is_borrowed;
    gy_rc rc;         /* of errors: GY_EINVAL for a spec, GY_EPARSE for a file */
    const char *what; /* the spec or the file, for messages */
    char part[40];    /* "nodes[2]", or "" */
    size_t nodes_cap, node_types_cap, gpu_types_cap, queues_cap;
    gy_names leaves, pods; /* their numbers */
    gy_names nvlinks;      /* domains with a name: number in nvlink_of */
    uint32_t *nvlink_of;
    size_t nvlink_cap;
    uint32_t *leaf_pod; /* GY_NONE: none yet */
    size_t leaf_cap;
    uint32_t *next_number; /* by prefix */
    size_t number_cap, nnumbers;
    bool queues_listed; /* a node may belong to a listed queue only */
} gy_build;

/* Equal nodes in a row. */
typedef struct gy_group {
    uint32_t count;
    gy_node_type type;
    const char *prefix;
    uint32_t queue, leaf, pod; /* GY_NONE */
    const char *nvlink;        /* name of the NVLink domain all of them belong to, or NULL: */
    uint32_t nvlink_nodes;     /* so many nodes in a row are a domain */
} gy_group;

void gy_build_init(gy_build *b, gy_rc rc, const char *what);
void gy_build_drop(gy_build *b); /* frees all but b->c, which is the caller's from now on */

/* Fills *e with "what: part: text" and returns b->rc. */
gy_rc gy_build_fail(const gy_build *b, gy_err *e, const char *fmt, ...)
    __attribute__((format(printf, 3, 4), cold));
const gy_catalogue *gy_build_catalogue(gy_build *b);
const char *gy_build_text(gy_build *b, const char *s, size_t n); /* owned by the cluster */

/* GY_OK when s[0..n) may name a node, a leaf or a pod: it then stands in placements and events as it is. */
gy_rc gy_build_check_name(const gy_build *b, const char *what, const char *s, size_t n, gy_err *e);

gy_group gy_build_empty_group(void);

/* *out: the GPU type `name`.  mem_micro -1: as in the catalogue. */
gy_rc gy_build_gpu_type(gy_build *b, const char *name, int64_t mem_micro, uint32_t *out, gy_err *e);

/* Shape and NVLink domain of a node of the catalogue. */
gy_rc gy_build_node_of(gy_build *b, const char *name, gy_group *g, gy_err *e);

/* Reads `name` as a node of the catalogue or a GPU type.  gpus -1: none was given; otherwise it must agree.
 */
gy_rc gy_build_named_type(gy_build *b, const char *name, int64_t gpus, gy_group *g, gy_err *e);

/* Finds or adds a leaf and a pod by name; either may be NULL. */
gy_rc gy_build_place(gy_build *b, const char *leaf, const char *pod, gy_group *g, gy_err *e);

gy_rc gy_build_queue(gy_build *b, const char *name, int64_t quota_milli, int64_t weight_micro, gy_err *e);
gy_rc gy_build_owner(gy_build *b, const char *queue, gy_group *g, gy_err *e); /* g->queue by name */

gy_rc gy_build_group(gy_build *b, const gy_group *g, gy_err *e);

/* One node of g's type and place under a name of its own. */
gy_rc gy_build_single(gy_build *b, const gy_group *g, const char *name, size_t n, gy_err *e);

/* Leaves and pods from c->net, totals and indexes. */
gy_rc gy_build_finish(gy_build *b, gy_err *e);

/* The forms. */
bool gy_is_shorthand(const char *spec);
bool gy_is_levels(const char *spec);
gy_rc gy_build_shorthand(gy_build *b, const char *spec, gy_err *e);
gy_rc gy_build_levels(gy_build *b, const char *spec, gy_err *e);
gy_rc gy_build_json(gy_build *b, const gy_json *j, gy_err *e);
gy_rc gy_build_fabric(gy_build *b, const gy_json *j, const cJSON *fabric, gy_err *e);
gy_rc gy_build_machines(gy_build *b, const char *text, size_t n, gy_err *e);
bool gy_is_machine_list(const char *text, size_t n);
gy_rc gy_build_file(gy_build *b, const char *path, gy_err *e);

gy_rc gy_cluster_from_catalogue(gy_cluster **c, const gy_catalogue *cat, uint32_t i, gy_err *e);

/* Digits of s[0..n) from *at on, as a number of at most 9 digits; *at moves past all of them.  -1: there are
 * none; INT64_MAX: more than nine. */
int64_t gy_take_count(const char *s, size_t n, size_t *at);

#endif
