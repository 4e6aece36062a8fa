/* gy_generate_csv.c - generated jobs as a canonical trace.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "gy_generate_internal.h"

enum { ROW_BYTES = 10 * 24 + 2 * GY_GENERATE_NAME };

static void put_header(const gy_generate *g, gy_out *out)
{
    gy_out_text(out, "job_id,submit_s,gpus,duration_s");
    const struct {
        bool has;
        const char *name;
    } columns[] = {{g->has_users, ",user"},
                   {g->has_queues, ",queue"},
                   {g->has_limits, ",limit_s"},
                   {g->has_priority, ",priority"},
                   {true, ",state"},
                   {g->has_cpus, ",cpus"},
                   {g->has_mem, ",mem_gb"},
                   {g->has_checkpoint, ",checkpoint_s"}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].has)
            gy_out_text(out, columns[i].name);
    gy_out_text(out, "\n");
}

/* A cell that is empty when it holds nothing. */
static char *put_some(char *p, int64_t v)
{
    *p++ = ',';
    return v ? gy_put_int(p, v) : p;
}

static char *put_name(char *p, const gy_crowd *c, uint32_t i)
{
    *p++ = ',';
    return c->n ? stpcpy(p, c->name[i]) : p;
}

static char *put_row(const gy_generate *g, char *p, const gy_made_job *j)
{
    const gy_model *m = j->part->model;
    p = gy_put_uint(p, g->made);
    *p++ = ',';
    p = gy_put_int(p, j->submit_s);
    *p++ = ',';
    p = gy_put_int(p, j->gpus);
    *p++ = ',';
    p = gy_put_int(p, j->duration_s);
    if (g->has_users)
        p = put_name(p, &m->users, j->user);
    if (g->has_queues)
        p = put_name(p, &m->queues, j->queue);
    if (g->has_limits)
        p = put_some(p, j->limit_s);
    if (g->has_priority)
        p = put_some(p, j->priority);
    *p++ = ',';
    p = stpcpy(p, gy_log_state_names[j->state]);
    if (g->has_cpus)
        p = put_some(p, j->cpus);
    if (g->has_mem)
        p = put_some(p, j->mem_gb);
    if (g->has_checkpoint)
        p = put_some(p, j->checkpoint_s);
    *p++ = '\n';
    return p;
}

void gy_generate_write_csv(gy_generate *g, gy_out *out)
{
    gy_made_job j;
    put_header(g, out);
    while (gy_generate_job(g, &j))
        gy_out_end(out, put_row(g, gy_out_room(out, ROW_BYTES), &j));
}
