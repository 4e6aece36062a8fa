/* gy_jobs_csv.c - see gy_jobs_csv.h.  Ten million rows are ordinary, so a row is formatted in place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_jobs_csv.h"

#include <stdlib.h>
#include <string.h>

#include "gy_cells.h"
#include "gy_groups.h"

static const char header[] =
    "job_id,user,group,queue,gpus,submit_s,eligible_s,start_s,end_s,state,first_wait_s,"
    "total_wait_s,run_s,jct_s,preemptions,restarts,lost_gpu_s,placed\n";

enum {
    SHORT_TEXT = 256, /* texts up to this length are copied into the room of the row */
    ROW_ROOM = 3072,
    SPAN_ROOM = 128 /* of a stretch of GPUs with its node's name */
};

_Static_assert(4 * SHORT_TEXT + 14 * GY_CELL_I128 + SPAN_ROOM < ROW_ROOM, "a row without its placement fits");

struct writer {
    gy_out *out;
    const gy_outcome *o;
    gy_placed_fn *placed;
    gy_csv_names users, groups, queues;
    char *p;        /* inside the room */
    uint32_t spans; /* stretches written of this row */
};

static struct gy_csv_name cell_of(gy_arena *arena, const char *s, size_t n)
{
    size_t quotes = 0;
    bool special = false;
    for (size_t i = 0; i < n; i++) {
        quotes += s[i] == '"';
        special |= s[i] == ',' || s[i] == '"' || s[i] == '\n' || s[i] == '\r';
    }
    if (!special)
        return (struct gy_csv_name){s, n};
    char *cell = gy_arena_alloc(arena, n + quotes + 2), *p = cell;
    *p++ = '"';
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '"')
            *p++ = '"';
        *p++ = s[i];
    }
    *p++ = '"';
    return (struct gy_csv_name){cell, (size_t)(p - cell)};
}

void gy_csv_names_init(gy_csv_names *c, const gy_names *names)
{
    *c = (gy_csv_names){.list = gy_alloc(names->n + 1, sizeof *c->list)};
    for (uint32_t i = 0; i < names->n; i++)
        c->list[i] = cell_of(&c->arena, gy_names_text(names, i), gy_names_len(names, i));
}

void gy_csv_names_fini(gy_csv_names *c)
{
    gy_arena_fini(&c->arena);
    free(c->list);
}

static void put_text(struct writer *w, const char *s, size_t n)
{
    if (n <= SHORT_TEXT) {
        memcpy(w->p, s, n);
        w->p += n;
        return;
    }
    gy_out_end(w->out, w->p);
    gy_out_bytes(w->out, s, n);
    w->p = gy_out_room(w->out, ROW_ROOM);
}

static void put_id(struct writer *w, uint32_t job)
{
    char buf[24];
    const char *id = gy_job_id_text(w->o->jobs, job, buf);
    size_t n = strlen(id);
    if (n == strcspn(id, ",\"\r\n")) {
        put_text(w, id, n);
        return;
    }
    gy_out_end(w->out, w->p);
    gy_out_cell(w->out, id, n);
    w->p = gy_out_room(w->out, ROW_ROOM);
}

/* "n0:0-3;n1:0-3"; a node with gaps comes more than once. */
static void put_span(void *ctx, gy_span s)
{
    struct writer *w = ctx;
    char *start = w->p;
    if (w->spans++)
        *w->p++ = ';';
    w->p = gy_cluster_node_name(w->o->cluster, s.node, w->p);
    *w->p++ = ':';
    w->p = gy_cell_uint(w->p, s.first);
    if (s.count > 1) {
        *w->p++ = '-';
        w->p = gy_cell_uint(w->p, (uint64_t)s.first + s.count - 1);
    }
    GY_ASSERT(w->p - start < SPAN_ROOM);
    gy_out_end(w->out, w->p);
    w->p = gy_out_room(w->out, ROW_ROOM);
}

static char *cell_gpu_time(char *p, gy_i128 v)
{
    if (v == 0) {
        *p = '0';
        return p + 1;
    }
    return gy_put_i128(p, v, 9);
}

/* submit_s .. lost_gpu_s of a job that came to be. */
static char *put_life(char *p, const gy_outcome *o, uint32_t j)
{
    uint8_t state = o->state[j];
    bool started = state != GY_STATE_INFEASIBLE && o->start_us[j] != GY_NEVER;
    bool ended = started && gy_state_ended(state);
    int64_t start = started ? o->start_us[j] : GY_NEVER, end = ended ? o->end_us[j] : GY_NEVER;
    int64_t submit = o->jobs->submit_us[j], eligible = o->eligible_us[j];
    p = gy_cell_us(p, submit);
    *p++ = ',';
    p = gy_cell_us(p, eligible);
    *p++ = ',';
    p = gy_cell_us(p, start);
    *p++ = ',';
    p = gy_cell_us(p, end);
    *p++ = ',';
    p = stpcpy(p, gy_state_names[state]);
    *p++ = ',';
    p = gy_cell_us(p, started ? start - eligible : GY_NEVER);
    *p++ = ',';
    p = gy_cell_us(p, ended ? end - eligible - o->run_us[j] : GY_NEVER);
    *p++ = ',';
    p = gy_cell_us(p, o->run_us[j]);
    *p++ = ',';
    p = gy_cell_us(p, ended ? end - submit : GY_NEVER);
    *p++ = ',';
    p = gy_cell_uint(p, o->preemptions ? o->preemptions[j] : 0);
    *p++ = ',';
    p = gy_cell_uint(p, o->restarts ? o->restarts[j] : 0);
    *p++ = ',';
    p = cell_gpu_time(p, o->lost_us ? (gy_i128)o->lost_us[j] * gy_job_shape(o->jobs, j)->gpus_milli : 0);
    *p++ = ',';
    return p;
}

static void put_name(struct writer *w, const gy_csv_names *names, uint32_t id)
{
    put_text(w, names->list[id].s, names->list[id].n);
    *w->p++ = ',';
}

static void put_row(struct writer *w, uint32_t j)
{
    const gy_jobs *t = w->o->jobs;
    w->p = gy_out_room(w->out, ROW_ROOM);
    put_id(w, j);
    *w->p++ = ',';
    put_name(w, &w->users, t->user[j]);
    put_name(w, &w->groups, t->group[j]);
    put_name(w, &w->queues, t->queue[j]);
    w->p = gy_cell_milli(w->p, gy_job_shape(t, j)->gpus_milli);
    *w->p++ = ',';
    if (w->o->state[j] == GY_STATE_NONE) { /* never submitted, or long over: nothing but its submission */
        w->p = gy_cell_us(w->p, t->submit_us[j]);
        memcpy(w->p, ",,,,,,,,,,,,", 12);
        w->p += 12;
    } else {
        w->p = put_life(w->p, w->o, j);
        w->spans = 0;
        if (w->o->start_us[j] != GY_NEVER)
            w->placed(w->o, j, put_span, w);
    }
    *w->p++ = '\n';
    gy_out_end(w->out, w->p);
}

/* Job number of each row of the trace. */
static uint32_t *jobs_by_row(const gy_jobs *t)
{
    uint32_t *order = gy_resize(NULL, (size_t)t->n + 1, sizeof *order);
    for (uint32_t j = 0; j < t->n; j++) {
        GY_ASSERT(t->row[j] < t->n);
        order[t->row[j]] = j;
    }
    return order;
}

void gy_jobs_csv_write(gy_out *out, const gy_outcome *o, gy_placed_fn *placed)
{
    struct writer w = {.out = out, .o = o, .placed = placed};
    gy_csv_names_init(&w.users, &o->jobs->users);
    gy_csv_names_init(&w.groups, &o->jobs->groups);
    gy_csv_names_init(&w.queues, &o->jobs->queues);
    uint32_t *order = jobs_by_row(o->jobs);
    gy_out_text(out, header);
    for (uint32_t row = 0; row < o->jobs->n; row++)
        put_row(&w, order[row]);
    free(order);
    gy_csv_names_fini(&w.users);
    gy_csv_names_fini(&w.groups);
    gy_csv_names_fini(&w.queues);
}
