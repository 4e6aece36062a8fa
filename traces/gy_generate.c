/* gy_generate.c - merges the batches of all parts into jobs in the order of their submission.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_generate.h"

#include <stdlib.h>
#include <string.h>

#include "gy_generate_internal.h"

gy_rc gy_generate_open(gy_generate **out, const gy_generate_options *o, gy_err *e)
{
    gy_generate *g = gy_alloc(1, sizeof *g);
    g->options = *o;
    gy_rc rc = gy_generate_plan(g, e);
    g->options.model = NULL; /* was borrowed */
    if (rc != GY_OK)
        gy_generate_close(g);
    else
        *out = g;
    return rc;
}

static void part_free(gy_part *p)
{
    uint32_t queues = p->model ? p->model->queues.n : 0;
    for (uint32_t q = 0; q < queues && p->queue_member; q++) {
        free(p->queue_member[q]);
        gy_alias_fini(&p->queue_users[q]);
    }
    free(p->queue_member);
    free(p->queue_users);
    free(p->users);
    free(p->batch_class);
    free(p->duration_class);
    gy_alias_fini(&p->sizes);
    gy_model_free(p->model);
}

void gy_generate_close(gy_generate *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; i < g->nparts; i++)
        part_free(&g->parts[i]);
    free(g->parts);
    free(g->heap);
    free(g->slots);
    free(g->free_slots);
    free(g);
}

const gy_generate_info *gy_generate_info_of(const gy_generate *g)
{
    return &g->info;
}

/* ---- open batches: a binary heap by (time of the next job, order of opening) ---- */

static bool earlier(const struct gy_open_slot *a, const struct gy_open_slot *b)
{
    return a->at_s != b->at_s ? a->at_s < b->at_s : a->order < b->order;
}

static void sift_down(gy_generate *g, struct gy_open_slot v)
{
    size_t i = 0;
    for (size_t k = 1; k < g->nheap; k = 2 * i + 1) {
        if (k + 1 < g->nheap && earlier(&g->heap[k + 1], &g->heap[k]))
            k++;
        if (!earlier(&g->heap[k], &v))
            break;
        g->heap[i] = g->heap[k];
        i = k;
    }
    g->heap[i] = v;
}

static void push(gy_generate *g, struct gy_open_slot v)
{
    g->heap = gy_reserve(g->heap, &g->heap_cap, g->nheap + 1, sizeof *g->heap);
    size_t i = g->nheap++;
    for (; i > 0 && earlier(&v, &g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = v;
}

static uint32_t take_slot(gy_generate *g)
{
    if (g->nfree)
        return g->free_slots[--g->nfree];
    g->slots = gy_reserve(g->slots, &g->slots_cap, g->nslots + 1, sizeof *g->slots);
    return (uint32_t)g->nslots++;
}

static void give_slot(gy_generate *g, uint32_t slot)
{
    g->free_slots = gy_reserve(g->free_slots, &g->free_cap, g->nfree + 1, sizeof *g->free_slots);
    g->free_slots[g->nfree++] = slot;
}

/* Opens the next batch of p, whose time has come. */
static void open_batch(gy_generate *g, gy_part *p)
{
    uint32_t slot = take_slot(g);
    gy_batch *b = &g->slots[slot];
    gy_batch_open(b, p, g->options.seed, p->batch++, p->left);
    gy_batch_people(b);
    push(g, (struct gy_open_slot){p->next_s, g->opened++, slot});
    p->left -= b->size;
    p->next_s = p->left ? gy_arrivals_next(&p->arrivals) : INT64_MAX;
}

static gy_part *first_part(gy_generate *g)
{
    gy_part *first = &g->parts[0];
    for (uint32_t i = 1; i < g->nparts; i++)
        if (g->parts[i].next_s < first->next_s)
            first = &g->parts[i];
    return first;
}

/* Seconds to the next job of a batch.  Without a law of its own: 0 to 10, the definition of a batch. */
static int64_t gap_of(gy_batch *b)
{
    const gy_pmf *gaps = &b->part->model->gaps;
    return gaps->n ? gy_pmf_draw(gaps, &b->rest) : gy_stream_below(&b->rest, 11);
}

bool gy_generate_job(gy_generate *g, gy_made_job *j)
{
    for (;;) {
        gy_part *p = first_part(g);
        if (p->next_s == INT64_MAX || (g->nheap && g->heap[0].at_s < p->next_s))
            break;
        open_batch(g, p);
    }
    if (g->nheap == 0)
        return false;
    struct gy_open_slot top = g->heap[0];
    gy_batch *b = &g->slots[top.slot];
    j->submit_s = top.at_s;
    gy_batch_work(b, j);
    gy_batch_rest(b, j, g->has_limits);
    if (b->left == 0) {
        give_slot(g, top.slot);
        if (--g->nheap)
            sift_down(g, g->heap[g->nheap]);
    } else {
        int64_t last = g->info.span_s - 1; /* the last batches do not reach beyond the span */
        top.at_s += gap_of(b);
        top.at_s = top.at_s < last ? top.at_s : last;
        sift_down(g, top);
    }
    g->made++;
    return true;
}

static gy_slice slice_of(const gy_crowd *c, uint32_t i)
{
    return c->n ? (gy_slice){c->name[i], strlen(c->name[i])} : (gy_slice){NULL, 0};
}

bool gy_generate_next(gy_generate *g, gy_job_row *row)
{
    gy_made_job j;
    if (!gy_generate_job(g, &j))
        return false;
    gy_job_row_init(row);
    row->id = (gy_slice){g->id, (size_t)(gy_put_uint(g->id, g->made) - g->id)};
    row->submit_us = j.submit_s * GY_US_PER_S;
    row->duration_us = j.duration_s * GY_US_PER_S;
    row->gpus_milli = j.gpus * 1000;
    row->user = slice_of(&j.part->model->users, j.user);
    row->queue = slice_of(&j.part->model->queues, j.queue);
    if (j.limit_s)
        row->limit_us = j.limit_s * GY_US_PER_S;
    if (j.checkpoint_s)
        row->checkpoint_us = j.checkpoint_s * GY_US_PER_S;
    row->cpus_micro = j.cpus * 1000000;
    row->mem_micro = j.mem_gb * 1000000;
    row->priority = j.priority;
    row->log_state = j.state;
    return true;
}
