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
    /* Of one node; so the sum over all nodes in millionths fits 63 bits. */
    GY_NODE_CPUS_MAX = 1000000,
    GY_NODE_MEM_GB_MAX = 1000000,
    GY_QUEUES_MAX = 1 << 20,
    GY_NAME_BYTES_MAX = 64, /* of a node's prefix, a leaf, a pod, a GPU type */
};

typedef struct gy_gpu_type {
    const char *name;  /* as written in the cluster or the catalogue: "h100" */
    int64_t mem_micro; /* millionths of a GB; 0: not known, then memory constrains nobody */
} gy_gpu_type;

typedef struct gy_node_type {
    const char *name;  /* catalogue name, "" for a shape given in place */
    uint32_t gpus;     /* 0: a node for CPU jobs alone */
    uint32_t gpu_type; /* index; GY_NONE when no type was given */
    uint32_t sockets; /* GPUs 0 .. gpus/sockets - 1 belong to socket 0, and so on; at least 1, divides gpus */
    int64_t cpus_micro; /* millionths of a CPU (hardware threads as the scheduler counts them); -1: not
                           declared */
    int64_t mem_micro;  /* millionths of a GB of host memory; -1: not declared */
} gy_node_type;

typedef struct gy_node {
    uint32_t type;
    uint32_t queue;     /* the queue that owns it; GY_NONE: all queues that own no node */
    uint32_t nvlink;    /* NVLink domain: a node of its own, or a rack of an NVL72 */
    uint32_t leaf, pod; /* GY_NONE without a fabric; a node may have the one without the other */
    uint32_t prefix;    /* name: prefix text and number */
    uint32_t number;    /* GY_NONE: the prefix is the whole name */
} gy_node;

typedef struct gy_queue {
    const char *name;
    int64_t quota_milli;  /* thousandths of a GPU; -1: none declared */
    int64_t weight_micro; /* 1000000 by default */
    bool owns_nodes;
} gy_queue;

/* Numbers of the network between nodes; 0 where none was given. */
typedef struct gy_fabric {
    uint32_t nodes_per_leaf, leaves_per_pod, rails;
    int64_t link_micro;        /* millionths of a GB/s: one link, one direction */
    int64_t oversub_micro;     /* millionths: bandwidth into a leaf over that from it to the spine */
    int64_t pod_oversub_micro; /* the same between a pod and the core */
} gy_fabric;

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
    gy_fabric net;
    gy_names queue_names; /* numbered as the queues */
    uint32_t *name_slots; /* nodes by the hash of their names, number + 1; see gy_cluster_find_node() */
    size_t nname_slots;
} gy_cluster;

/* Reads `spec`: a shorthand (`4x8`, `4x8:h100+2x4:t4`), a synthetic form (`pod:2 leaf:8 node:16 gpu:8@h100`),
 * a name of the catalogue (`philly`), a JSON file or Philly's machine list; hardware/README.md describes
 * them. A text with a slash in it, or that ends in .json, is always a file.  *c is owned by the caller and
 * NULL after an error, which is GY_EINVAL (the spec), GY_EIO (a file that cannot be read) or GY_EPARSE (its
 * content). */
gy_rc gy_cluster_load(gy_cluster **c, const char *spec, gy_err *e);
void gy_cluster_free(gy_cluster *c); /* NULL is allowed */

/* Appends a line for each GPU type that the catalogue does not know and whose memory was not given: a typing
 * error, as likely as not. */
void gy_cluster_doubts(const gy_cluster *c, gy_str *out);

/* The node's name into buf (at least 80 bytes), NUL-terminated; returns its end. */
char *gy_cluster_node_name(const gy_cluster *c, uint32_t node, char *buf);
/* GY_NONE when there is no such node.  Constant time. */
uint32_t gy_cluster_find_node(const gy_cluster *c, const char *name, size_t n);
uint32_t gy_cluster_find_queue(const gy_cluster *c, const char *name, size_t n);
/* Case is ignored. */
uint32_t gy_cluster_find_gpu_type(const gy_cluster *c, const char *name, size_t n);

/* One line: "16 nodes, 128 GPUs (128 h100)", and the fabric's leaves and pods where there are any.  Appended
 * to *out. */
void gy_cluster_describe(const gy_cluster *c, gy_str *out);

#endif
