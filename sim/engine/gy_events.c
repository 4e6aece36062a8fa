/* gy_events.c - see gy_events.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_events.h"

#include <stdlib.h>

const char *const gy_event_names[GY_EVENT_KINDS] = {"up", "undrain", "quota", "down", "drain"};

void gy_events_add(gy_events *v, gy_cluster_event e)
{
    v->list = gy_reserve(v->list, &v->cap, v->n + 1, sizeof *v->list);
    v->list[v->n++] = e;
}

static int compare(const void *pa, const void *pb)
{
    const gy_cluster_event *a = pa, *b = pb;
    if (a->t_us != b->t_us)
        return a->t_us < b->t_us ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

void gy_events_sort(gy_events *v)
{
    if (v->n)
        qsort(v->list, v->n, sizeof *v->list, compare);
}

void gy_events_fini(gy_events *v)
{
    free(v->list);
    gy_names_fini(&v->queues);
    *v = (gy_events){0};
}
