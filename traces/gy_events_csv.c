/* gy_events_csv.c - see gy_events_csv.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_events_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gy_csv.h"

enum { TIME, EVENT, TARGET, VALUE, NCOLUMNS };
static const char *const column_names[NCOLUMNS] = {"time_s", "event", "target", "value"};

/* Names of the format that no run carries out: refused rather than dropped. */
static const char *const later_events[] = {"price", "carbon", "spot_reclaim", "spot_return"};
enum { NLATER = sizeof later_events / sizeof *later_events };

enum { EVENTS_MAX = 1 << 26 };

struct reader {
    gy_events *v;
    const char *path;
    const gy_cluster *c;
    const gy_jobs *jobs;
    gy_csv csv;
    size_t at[NCOLUMNS];
    gy_cluster_event event; /* of the present row */
    gy_slice target;
};

static gy_rc bad(const struct reader *r, gy_err *e, int column, gy_slice value, const char *why)
{
    char shown[GY_SHOWN_MAX];
    return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": %s: \"%s\" %s", r->path, r->csv.line, column_names[column],
                   gy_slice_show(value, shown), why);
}

/* "... ; did you mean "n3"?" where there is something near. */
static gy_rc unknown(const struct reader *r, gy_err *e, int column, gy_slice value, const char *why,
                     const char *near)
{
    char text[300];
    snprintf(text, sizeof text, "%s%s%.100s%s", why, near ? "; did you mean \"" : "", near ? near : "",
             near ? "\"?" : "");
    return bad(r, e, column, value, text);
}

static gy_rc add(struct reader *r, gy_err *e)
{
    if (r->v->n >= EVENTS_MAX)
        return bad(r, e, TARGET, r->target,
                   "makes more events than one run can hold, which is 67108864; name nodes rather than GPUs");
    r->event.order = (uint32_t)r->v->n;
    gy_events_add(r->v, r->event);
    return GY_OK;
}

/* ---- nodes, GPUs, leaves, pods ---- */

struct nearest {
    char word[80], best[80];
    unsigned least;
};

static void consider(struct nearest *x, const char *name)
{
    unsigned d = gy_distance(x->word, name);
    if (d >= x->least)
        return;
    x->least = d;
    snprintf(x->best, sizeof x->best, "%s", name);
}

static gy_rc no_such_target(const struct reader *r, gy_err *e)
{
    char node[80];
    struct nearest x = {.best = ""};
    snprintf(x.word, sizeof x.word, "%.*s", (int)(r->target.n < 79 ? r->target.n : 79), r->target.s);
    x.word[strcspn(x.word, ":")] = '\0';
    x.least = (unsigned)strlen(x.word) / 3 + 2;
    for (uint32_t i = 0; i < r->c->nnodes; i++) {
        gy_cluster_node_name(r->c, i, node);
        consider(&x, node);
    }
    for (uint32_t i = 0; i < r->c->nleaves; i++)
        consider(&x, r->c->leaf_names[i]);
    for (uint32_t i = 0; i < r->c->npods; i++)
        consider(&x, r->c->pod_names[i]);
    return unknown(r, e, TARGET, r->target, "is no node, leaf or pod of the cluster",
                   *x.best ? x.best : NULL);
}

static uint32_t find_name(const char *const *names, uint32_t n, gy_slice s)
{
    for (uint32_t i = 0; i < n; i++)
        if (gy_slice_is(s, names[i]))
            return i;
    return GY_NONE;
}

/* All nodes of a leaf or a pod. */
static gy_rc add_part(struct reader *r, gy_err *e)
{
    uint32_t leaf = find_name(r->c->leaf_names, r->c->nleaves, r->target);
    uint32_t pod = leaf == GY_NONE ? find_name(r->c->pod_names, r->c->npods, r->target) : GY_NONE;
    if (leaf == GY_NONE && pod == GY_NONE)
        return no_such_target(r, e);
    gy_rc rc = GY_OK;
    for (uint32_t i = 0; i < r->c->nnodes && rc == GY_OK; i++) {
        const gy_node *node = &r->c->nodes[i];
        if (leaf != GY_NONE ? node->leaf != leaf : node->pod != pod)
            continue;
        r->event.node = i;
        rc = add(r, e);
    }
    return rc;
}

static const char *take_number(const char *s, const char *end, uint32_t *v)
{
    const char *first = s;
    for (*v = 0; s < end && *s >= '0' && *s <= '9' && *v <= GY_NODE_GPUS_MAX; s++)
        *v = *v * 10 + (uint32_t)(*s - '0');
    return s > first ? s : NULL;
}

/* "0-3,6" */
static gy_rc add_gpus(struct reader *r, const char *s, gy_err *e)
{
    const char *end = r->target.s + r->target.n;
    uint32_t gpus = r->c->node_types[r->c->nodes[r->event.node].type].gpus, first, last;
    char why[80];
    for (;; s++) {
        s = take_number(s, end, &first);
        last = first;
        if (s && s < end && *s == '-')
            s = take_number(s + 1, end, &last);
        if (!s || first > last || (s < end && *s != ','))
            return bad(r, e, TARGET, r->target, "is no list of GPUs; write n0:3 or n0:0-3,6");
        if (last >= gpus) {
            snprintf(why, sizeof why, "names a GPU that the node does not have; it has %u, from 0", gpus);
            return bad(r, e, TARGET, r->target, why);
        }
        for (r->event.gpu = first; r->event.gpu <= last; r->event.gpu++) {
            gy_rc rc = add(r, e);
            if (rc != GY_OK)
                return rc;
        }
        if (s == end)
            return GY_OK;
    }
}

static gy_rc add_to_nodes(struct reader *r, gy_slice value, gy_err *e)
{
    if (value.n)
        return bad(r, e, VALUE, value, "must be empty for this event; only quota has a value");
    r->event.node = gy_cluster_find_node(r->c, r->target.s, r->target.n);
    if (r->event.node != GY_NONE)
        return add(r, e);
    const char *colon = memchr(r->target.s, ':', r->target.n);
    if (colon)
        r->event.node = gy_cluster_find_node(r->c, r->target.s, (size_t)(colon - r->target.s));
    if (r->event.node == GY_NONE)
        return add_part(r, e);
    return add_gpus(r, colon + 1, e);
}

/* ---- quotas ---- */

struct queue_names {
    const gy_cluster *c;
    const gy_jobs *jobs;
};

static const char *queue_at(const void *ctx, size_t i)
{
    const struct queue_names *q = ctx;
    if (i < q->c->nqueues)
        return q->c->queues[i].name;
    i -= q->c->nqueues;
    return q->jobs && i < q->jobs->queues.n ? gy_names_text(&q->jobs->queues, (uint32_t)i) : NULL;
}

static gy_rc no_such_queue(const struct reader *r, gy_err *e)
{
    char word[80];
    snprintf(word, sizeof word, "%.*s", (int)(r->target.n < 79 ? r->target.n : 79), r->target.s);
    const char *near = gy_nearest(word, queue_at, &(struct queue_names){r->c, r->jobs});
    return unknown(r, e, TARGET, r->target, "is no queue of the cluster or the trace", near);
}

static gy_rc add_quota(struct reader *r, gy_slice value, gy_err *e)
{
    bool known = gy_cluster_find_queue(r->c, r->target.s, r->target.n) != GY_NONE ||
                 (r->jobs && gy_names_find(&r->jobs->queues, r->target.s, r->target.n) != GY_NAME_NONE);
    if (!known)
        return no_such_queue(r, e);
    r->event.quota_milli = -1;
    if (!gy_slice_is(value, "none")) {
        gy_number_rc rc = gy_parse_fixed(value.s, value.n, 3, &r->event.quota_milli);
        if (rc != GY_NUMBER_OK || r->event.quota_milli < 0)
            return bad(r, e, VALUE, value,
                       "is no quota; give a number of GPUs with at most three digits behind the point, or "
                       "none for no quota");
    }
    r->event.queue = gy_names_add(&r->v->queues, r->target.s, r->target.n);
    return add(r, e);
}

/* ---- rows ---- */

static gy_rc bad_event(const struct reader *r, gy_slice event, gy_err *e)
{
    const char *all[GY_EVENT_KINDS + NLATER];
    char word[80];
    for (size_t i = 0; i < NLATER; i++)
        if (gy_slice_is(event, later_events[i]))
            return bad(r, e, EVENT, event,
                       "belongs to the format, but no run of this version carries it out; take the row out");
    memcpy(all, gy_event_names, sizeof gy_event_names);
    memcpy(all + GY_EVENT_KINDS, later_events, sizeof later_events);
    snprintf(word, sizeof word, "%.*s", (int)(event.n < 79 ? event.n : 79), event.n ? event.s : "");
    const char *near = gy_nearest_of(word, all, GY_EVENT_KINDS + NLATER);
    return unknown(r, e, EVENT, event, "is no event; there are down, up, drain, undrain and quota", near);
}

static const char *why_no_time(gy_number_rc rc)
{
    switch (rc) {
    case GY_NUMBER_NONE: return "is not a number; give seconds as a decimal number";
    case GY_NUMBER_RANGE: return "is too far from 0 to be a time; give at most 1152921504606 seconds";
    default: return gy_number_why_fixed(rc, 6);
    }
}

static gy_rc take_row(struct reader *r, gy_err *e)
{
    gy_slice cell[NCOLUMNS];
    if (r->csv.fault || !gy_csv_fits(&r->csv))
        return gy_csv_refuse(&r->csv, e);
    for (int k = 0; k < NCOLUMNS; k++)
        cell[k] = r->at[k] == GY_CSV_NONE ? (gy_slice){"", 0} : r->csv.cells[r->at[k]];
    r->event = (gy_cluster_event){.node = GY_NONE, .gpu = GY_NONE, .queue = GY_NONE, .quota_milli = -1};
    r->target = cell[TARGET];
    gy_number_rc rc = gy_parse_us(cell[TIME].s, cell[TIME].n, &r->event.t_us);
    if (rc != GY_NUMBER_OK)
        return bad(r, e, TIME, cell[TIME], why_no_time(rc));
    if (r->event.t_us < -GY_TIME_MAX_US || r->event.t_us > GY_TIME_MAX_US)
        return bad(r, e, TIME, cell[TIME], why_no_time(GY_NUMBER_RANGE));
    uint8_t kind = 0;
    while (kind < GY_EVENT_KINDS && !gy_slice_is(cell[EVENT], gy_event_names[kind]))
        kind++;
    if (kind == GY_EVENT_KINDS)
        return bad_event(r, cell[EVENT], e);
    r->event.kind = kind;
    if (r->target.n == 0)
        return bad(r, e, TARGET, r->target, "is empty; name what the event is about");
    return kind == GY_EVENT_QUOTA ? add_quota(r, cell[VALUE], e) : add_to_nodes(r, cell[VALUE], e);
}

static gy_rc find_columns(struct reader *r, gy_err *e)
{
    for (int k = 0; k < NCOLUMNS; k++) {
        r->at[k] = gy_csv_column(&r->csv, column_names[k]);
        if (r->at[k] == GY_CSV_NONE && k != VALUE)
            return gy_fail(e, GY_EPARSE,
                           "%s:%" PRIu64
                           ": the column %s is missing; cluster events have time_s,event,target,value",
                           r->path, r->csv.line, column_names[k]);
    }
    for (size_t i = 0; i < r->csv.nnames; i++) {
        bool known = false;
        for (int k = 0; k < NCOLUMNS; k++)
            known = known || r->at[k] == i;
        if (!known)
            return gy_fail(e, GY_EPARSE,
                           "%s:%" PRIu64
                           ": the column \"%s\" is not known, or stands there twice; cluster events "
                           "have time_s,event,target,value",
                           r->path, r->csv.line, r->csv.names[i].s);
    }
    return GY_OK;
}

gy_rc gy_events_csv_read(gy_events *v, gy_input *in, const gy_cluster *c, const gy_jobs *jobs, gy_err *e)
{
    struct reader r = {.v = v, .path = gy_input_path(in), .c = c, .jobs = jobs};
    bool row = true;
    gy_rc rc = gy_csv_open(&r.csv, in, ',', e);
    if (rc == GY_OK)
        rc = find_columns(&r, e);
    while (rc == GY_OK) {
        rc = gy_csv_next(&r.csv, &row, e);
        if (rc != GY_OK || !row)
            break;
        rc = take_row(&r, e);
    }
    gy_csv_fini(&r.csv);
    gy_events_sort(v);
    return rc;
}

gy_rc gy_events_csv_load(gy_events *v, const char *path, const gy_cluster *c, const gy_jobs *jobs, gy_err *e)
{
    gy_input *in;
    gy_rc rc = gy_input_open(&in, path, e);
    if (rc != GY_OK)
        return rc;
    rc = gy_events_csv_read(v, in, c, jobs, e);
    gy_input_close(in);
    return rc;
}
