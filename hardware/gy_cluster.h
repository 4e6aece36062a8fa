/* gy_cluster.h - what a cluster is made of: nodes, GPU types, queues and where each node stands in the
 * fabric. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A cluster never changes once loaded: what is free, down or drained belongs to a run (sim/engine).
 */
#ifndef GY_CLUSTER_H
#define GY_CLUSTER_H

#include "gy_number.h"
#include "gy_text.h"

#define GY_NONE UINT32_MAX

enum {
    GY_NODE_GPUS_MAX = 4096,
    GY_NODES_MAX = 1 << 22,
    GY_GPU_TYPES_MAX = 64, /* a job's any-of list is one 64-bit mask */
};

typedef struct gy_gpu_type {
    const char *name;  /* as written in the cluster or the catalogue: "h100" */
    int64_t mem_micro; /* millionths of a GB; 0: not known, then memory constrains nobody */
} gy_gpu_type;

typedef struct gy_node_type {
    const char *name; /* catalogue name, "" for a shape given in place */
    uint32_t gpus;
    uint32_t gpu_type;  /* index; GY_NONE when no type was given */
    uint32_t sockets;   /* GPUs 0 .. gpus/sockets - 1 belong to socket 0, and so on; at least 1 */
    int64_t cpus_micro; /* millionths of a CPU (hardware threads as the scheduler counts them); -1: not
                           declared */
    int64_t mem_micro;  /* millionths of a GB of host memory; -1: not declared */
} gy_node_type;

typedef struct gy_node {
    uint32_t type;
    uint32_t queue;     /* the queue that owns it; GY_NONE: all queues that own no node */
    uint32_t nvlink;    /* NVLink domain: a node of its own, or a rack of an NVL72 */
    uint32_t leaf, pod; /* GY_NONE without a fabric */
    uint32_t prefix;    /* name: prefix text and number */
    uint32_t number;
} gy_node;

typedef struct gy_queue {
    const char *name;
    int64_t quota_milli;  /* thousandths of a GPU; -1: none declared */
    int64_t weight_micro; /* 1000000 by default */
    bool owns_nodes;
} gy_queue;

typedef struct gy_cluster {
    const char *name;
    uint32_t nnodes, nnode_types, ngpu_types, nqueues, nleaves, npods, nnvlinks;
    gy_node *nodes;
    gy_node_type *node_types;
    gy_gpu_type *gpu_types;
    gy_queue *queues;
    const char **leaf_names; /* "l0", ...: as given in the file, or made here */
    const char **pod_names;
    const char *fabric;     /* its name, or "" */
    uint64_t gpus;          /* all of them */
    bool has_cpus, has_mem; /* some node declares them */
    bool has_quota;         /* some queue declares a quota */
    gy_names prefixes;
    gy_names texts;  /* owner of all names above */
    char sha256[65]; /* of the file; "" when it came from a shorthand or the catalogue */
} gy_cluster;

/* Reads `spec`: a shorthand (`4x8`, `4x8:h100+2x4:t4`), a synthetic form (`pod:2 leaf:8 node:16 gpu:8@h100`),
 * a name of the catalogue (`philly`) or a JSON file.  *c is owned by the caller. */
gy_rc gy_cluster_load(gy_cluster **c, const char *spec, gy_err *e);
void gy_cluster_free(gy_cluster *c); /* NULL is allowed */

/* The node's name into buf (at least 80 bytes), NUL-terminated; returns its end. */
char *gy_cluster_node_name(const gy_cluster *c, uint32_t node, char *buf);
/* GY_NONE when there is no such node. */
uint32_t gy_cluster_find_node(const gy_cluster *c, const char *name, size_t n);
uint32_t gy_cluster_find_queue(const gy_cluster *c, const char *name, size_t n);
/* Case is ignored. */
uint32_t gy_cluster_find_gpu_type(const gy_cluster *c, const char *name, size_t n);

/* One line: "16 nodes, 128 GPUs (128 h100)".  Appended to *out. */
void gy_cluster_describe(const gy_cluster *c, gy_str *out);

#endif
