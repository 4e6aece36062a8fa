/* gy_profile.c - see gy_profile.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_profile.h"

#include <stdlib.h>
#include <string.h>

static void list_nodes(gy_profile *p)
{
    const gy_layout *l = p->sim->layout;
    for (uint32_t k = l->first_pool[p->domain]; k < l->first_pool[p->domain + 1]; k++)
        for (uint32_t i = 0; i < l->pools[k].n; i++) {
            uint32_t node = l->pools[k].nodes[i];
            p->place[node] = p->nnodes;
            p->nodes[p->nnodes++] = node;
        }
    p->ncols = p->nnodes;
    for (uint32_t i = 0; p->sim->shares && i < p->nnodes; i++) {
        p->card0[p->nodes[i]] = p->ncols;
        p->ncols += l->gpu0[p->nodes[i] + 1] - l->gpu0[p->nodes[i]];
    }
}

gy_profile *gy_profile_create(const gy_sim *sim, uint32_t domain)
{
    const gy_cluster *c = sim->cluster;
    gy_profile *p = gy_alloc(1, sizeof *p);
    p->sim = sim;
    p->domain = domain;
    p->nodes = gy_alloc(c->nnodes, sizeof *p->nodes);
    p->card0 = gy_alloc(c->nnodes, sizeof *p->card0);
    p->place = gy_alloc(c->nnodes, sizeof *p->place);
    list_nodes(p);
    p->cpus0 = p->mem0 = p->gpu_mem0 = GY_NONE;
    if (c->has_cpus) {
        p->cpus0 = p->nwide;
        p->nwide += p->nnodes;
    }
    if (c->has_mem) {
        p->mem0 = p->nwide;
        p->nwide += p->nnodes;
    }
    if (sim->shares) {
        p->gpu_mem0 = p->nwide;
        p->nwide += p->ncols - p->nnodes;
    }
    p->least = gy_alloc(p->ncols, sizeof *p->least);
    p->least_wide = gy_alloc(p->nwide, sizeof *p->least_wide);
    return p;
}

void gy_profile_free(gy_profile *p)
{
    if (!p)
        return;
    gy_arena_fini(&p->memory);
    free(p->rows);
    free(p->spare);
    free(p->nodes);
    free(p->card0);
    free(p->place);
    free(p->least);
    free(p->least_wide);
    free(p);
}

/* ---- rows ---- */

static gy_profile_row new_row(gy_profile *p)
{
    if (p->nspare)
        return p->spare[--p->nspare];
    gy_profile_row r = {.free = gy_arena_alloc(&p->memory, p->ncols * sizeof *r.free)};
    r.wide = p->nwide ? gy_arena_alloc(&p->memory, p->nwide * sizeof *r.wide) : NULL;
    return r;
}

static void copy_row(const gy_profile *p, gy_profile_row *to, const gy_profile_row *from)
{
    to->total = from->total;
    to->instant = false;
    memcpy(to->free, from->free, p->ncols * sizeof *to->free);
    if (p->nwide)
        memcpy(to->wide, from->wide, p->nwide * sizeof *to->wide);
}

static gy_profile_row *push_row(gy_profile *p, size_t at)
{
    p->rows = gy_reserve(p->rows, &p->cap, p->n + 1, sizeof *p->rows);
    memmove(p->rows + at + 1, p->rows + at, (p->n - at) * sizeof *p->rows);
    p->rows[at] = new_row(p);
    p->rows[at].instant = false;
    p->n++;
    return &p->rows[at];
}

/* The place of a GPU's memory in `wide`, by its column. */
static uint32_t memory_of(const gy_profile *p, uint32_t column)
{
    return p->gpu_mem0 + column - p->nnodes;
}

static void fill(gy_profile *p, gy_profile_row *r, const gy_room *room)
{
    const gy_layout *l = p->sim->layout;
    r->total = 0;
    for (uint32_t i = 0; i < p->nnodes; i++) {
        uint32_t node = p->nodes[i], cards = p->sim->shares ? l->gpu0[node + 1] - l->gpu0[node] : 0;
        bool closed = room->closed[node];
        r->free[i] = closed ? 0 : (int16_t)room->free[node];
        r->total += r->free[i];
        for (uint32_t k = 0; k < cards; k++) {
            r->free[p->card0[node] + k] = closed ? 0 : room->gpu_milli[l->gpu0[node] + k];
            r->wide[memory_of(p, p->card0[node] + k)] = room->gpu_mem[l->gpu0[node] + k];
        }
        if (p->cpus0 != GY_NONE)
            r->wide[p->cpus0 + i] = room->cpus[node];
        if (p->mem0 != GY_NONE)
            r->wide[p->mem0 + i] = room->mem[node];
    }
}

void gy_profile_reset(gy_profile *p, const gy_room *room, int64_t now_us)
{
    p->spare = gy_reserve(p->spare, &p->spare_cap, p->nspare + p->n, sizeof *p->spare);
    while (p->n > 0)
        p->spare[p->nspare++] = p->rows[--p->n];
    gy_profile_row *r = push_row(p, 0);
    r->t_us = now_us;
    fill(p, r, room);
}

/* The row that holds from t_us on. */
static size_t row_at(const gy_profile *p, int64_t t_us)
{
    size_t low = 0, high = p->n;
    while (high - low > 1) {
        size_t mid = (low + high) / 2;
        if (p->rows[mid].t_us <= t_us)
            low = mid;
        else
            high = mid;
    }
    return low;
}

/* The row that begins at t_us, made if there is none; t_us is not before the first. */
static size_t row_from(gy_profile *p, int64_t t_us)
{
    size_t i = row_at(p, t_us);
    if (p->rows[i].t_us == t_us)
        return i;
    gy_profile_row *r = push_row(p, i + 1);
    r->t_us = t_us;
    copy_row(p, r, &p->rows[i]);
    return i + 1;
}

static void change_wide(const gy_profile *p, gy_profile_row *r, const gy_demand *d, const gy_hold *h,
                        int sign)
{
    const gy_cluster *c = p->sim->cluster;
    const gy_node_type *t = &c->node_types[c->nodes[h->node].type];
    uint32_t i = p->place[h->node];
    if (h->units && p->cpus0 != GY_NONE && d->cpus_micro && t->cpus_micro >= 0)
        r->wide[p->cpus0 + i] += sign * gy_demand_part(d->cpus_micro, h->units, d->units);
    if (h->units && p->mem0 != GY_NONE && d->mem_micro && t->mem_micro >= 0)
        r->wide[p->mem0 + i] += sign * gy_demand_part(d->mem_micro, h->units, d->units);
}

static inline int positive(int v)
{
    return v > 0 ? v : 0;
}

/* At an instant a node can be short of GPUs: of one place that begins then and one that is of no length. */
static void change_count(const gy_profile *p, gy_profile_row *r, uint32_t node, int by)
{
    uint32_t k = p->place[node];
    int old = r->free[k], new = old + by;
    r->free[k] = (int16_t) new;
    r->total += positive(new) - positive(old);
}

/* Cards by name: the count follows those that become empty or no longer are (see gy_room.h). */
static void change_cards(const gy_profile *p, gy_profile_row *r, const gy_demand *d, const gy_hold *h,
                         int sign)
{
    int part = d->share_milli ? (int)d->share_milli : 1000;
    for (uint64_t m = h->mask; m; m &= m - 1) {
        uint32_t k = p->card0[h->node] + 64u * h->word + (uint32_t)__builtin_ctzll(m), at = memory_of(p, k);
        int old = r->free[k], new = old + sign *part;
        r->free[k] = (int16_t) new;
        if ((old == 1000) != (new == 1000))
            change_count(p, r, h->node, new == 1000 ? 1 : -1);
        if (r->wide[at] != INT64_MAX)
            r->wide[at] += sign * d->gpu_mem_micro;
    }
}

static void change_row(const gy_profile *p, gy_profile_row *r, const gy_demand *d, const gy_hold *h,
                       uint32_t n, int sign)
{
    for (uint32_t i = 0; i < n; i++) {
        if (p->sim->room->closed[h[i].node])
            continue;
        gy_hold x = sign > 0 ? gy_sim_good_part(p->sim, h[i]) : h[i];
        if (p->nwide)
            change_wide(p, r, d, &x, sign);
        if (p->sim->shares && x.mask)
            change_cards(p, r, d, &x, sign);
        else
            change_count(p, r, x.node, sign * x.gpus);
    }
}

/* The first row that something from t_us on changes: the one of that instant, if there is one. */
static size_t instant_before(const gy_profile *p, size_t row)
{
    return row > 0 && p->rows[row - 1].instant && p->rows[row - 1].t_us == p->rows[row].t_us ? row - 1 : row;
}

static void change_instant(gy_profile *p, const gy_demand *d, const gy_hold *h, uint32_t n, int64_t t_us,
                           int sign)
{
    size_t row = row_from(p, t_us), at = instant_before(p, row);
    if (at == row) {
        gy_profile_row *r = push_row(p, row);
        copy_row(p, r, &p->rows[row + 1]);
        r->t_us = t_us;
        r->instant = true;
    }
    change_row(p, &p->rows[at], d, h, n, sign);
}

void gy_profile_change(gy_profile *p, const gy_demand *d, const gy_hold *h, uint32_t n, int64_t from_us,
                       int64_t to_us, int sign)
{
    if (from_us == to_us) {
        change_instant(p, d, h, n, from_us, sign);
        return;
    }
    size_t first = instant_before(p, row_from(p, from_us)), last = p->n;
    if (to_us != GY_NEVER)
        last = instant_before(p, row_from(p, to_us));
    for (size_t i = first; i < last; i++)
        change_row(p, &p->rows[i], d, h, n, sign);
}

void gy_profile_append(gy_profile *p, const gy_demand *d, const gy_hold *h, uint32_t n, int64_t at_us)
{
    gy_profile_row *last = &p->rows[p->n - 1];
    GY_ASSERT(last->t_us <= at_us);
    if (last->t_us < at_us) {
        gy_profile_row *r = push_row(p, p->n);
        r->t_us = at_us;
        copy_row(p, r, &p->rows[p->n - 2]);
        last = r;
    }
    change_row(p, last, d, h, n, 1);
}

/* ---- minima ---- */

#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("O3"))) /* this loop is the cost of planning: eight columns at a time */
#endif
static void
lower(int16_t *restrict to, const int16_t *restrict from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = from[i] < to[i] ? from[i] : to[i];
}

static void load(const gy_profile *p, gy_room *room)
{
    for (uint32_t i = 0; i < p->nnodes; i++) {
        uint32_t node = p->nodes[i];
        int64_t cpus = p->cpus0 == GY_NONE ? 0 : p->least_wide[p->cpus0 + i];
        int64_t mem = p->mem0 == GY_NONE ? 0 : p->least_wide[p->mem0 + i];
        gy_room_set(room, node, p->least[i] > 0 ? (uint32_t)p->least[i] : 0, cpus, mem);
        if (p->sim->shares)
            gy_room_set_shares(room, node, p->least + p->card0[node],
                               p->least_wide + memory_of(p, p->card0[node]));
        if (p->sim->room->closed[node])
            gy_room_close(room, node);
        else
            gy_room_open(room, node);
    }
}

/* The empty cards of a node whose whole GPUs are all spoken for cannot take a share. */
static void spend_cards(const gy_profile *p, const gy_profile_row *row)
{
    const gy_layout *l = p->sim->layout;
    for (uint32_t i = 0; i < p->nnodes; i++) {
        if (row->free[i] > 0)
            continue;
        uint32_t first = p->card0[p->nodes[i]],
                 last = first + l->gpu0[p->nodes[i] + 1] - l->gpu0[p->nodes[i]];
        for (uint32_t k = first; k < last; k++)
            if (row->free[k] == 1000)
                p->least[k] = p->least[k] < 0 ? p->least[k] : 0;
    }
}

int64_t gy_profile_least(gy_profile *p, size_t first, int64_t until_us, gy_room *room)
{
    memcpy(p->least, p->rows[first].free, p->ncols * sizeof *p->least);
    if (p->nwide)
        memcpy(p->least_wide, p->rows[first].wide, p->nwide * sizeof *p->least_wide);
    if (p->sim->shares)
        spend_cards(p, &p->rows[first]);
    for (size_t k = first + 1; k < p->n && p->rows[k].t_us < until_us; k++) {
        lower(p->least, p->rows[k].free, p->ncols);
        if (p->sim->shares)
            spend_cards(p, &p->rows[k]);
        for (uint32_t i = 0; i < p->nwide; i++)
            if (p->rows[k].wide[i] < p->least_wide[i])
                p->least_wide[i] = p->rows[k].wide[i];
    }
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->nnodes; i++)
        sum += positive(p->least[i]);
    if (room)
        load(p, room);
    return sum;
}
