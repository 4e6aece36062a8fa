/* gy_events.h - what happens to a cluster during a run: nodes and GPUs go down and come back, quotas change.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_EVENTS_H
#define GY_EVENTS_H

#include "gy_cluster.h"

enum gy_event_kind { /* in the order in which those of one instant are carried out */
                     GY_EVENT_UP,
                     GY_EVENT_UNDRAIN,
                     GY_EVENT_QUOTA,
                     GY_EVENT_DOWN,
                     GY_EVENT_DRAIN,
                     GY_EVENT_KINDS
};
extern const char *const gy_event_names[GY_EVENT_KINDS]; /* "up", ... */

typedef struct gy_cluster_event {
    int64_t t_us;
    uint32_t order;      /* position in the file: the last tie */
    uint8_t kind;        /* enum gy_event_kind */
    uint32_t node;       /* GY_NONE for quota */
    uint32_t gpu;        /* one GPU of the node; GY_NONE: all of it */
    uint32_t queue;      /* number in gy_events.queues; GY_NONE unless quota */
    int64_t quota_milli; /* -1: no quota from now on */
} gy_cluster_event;

typedef struct gy_events {
    gy_cluster_event *list; /* sorted by gy_events_sort() */
    size_t n, cap;
    gy_names queues;
} gy_events;

void gy_events_add(gy_events *v, gy_cluster_event e);
void gy_events_sort(gy_events *v); /* by (time, kind, order) */
void gy_events_fini(gy_events *v);

#endif
