/* gy_jobs_finish.c - the job table made ready: sorted, ids unique, predecessors found.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gy_jobs_internal.h"

/* ---- ids ---- */

struct id_table {
    uint32_t *slots; /* job + 1 */
    size_t n;
};

static uint64_t number_hash(uint64_t id)
{
    uint64_t h = id * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

static uint64_t id_hash(const gy_jobs *t, uint32_t job)
{
    const char *s = gy_job_id_is_text(t->id[job]);
    return s ? gy_hash(s, strlen(s)) : number_hash(t->id[job]);
}

static bool ids_ascend(const gy_jobs *t)
{
    for (uint32_t j = 1; j < t->n; j++)
        if (gy_job_id_compare(t, t->id[j - 1], t->id[j]) >= 0)
            return false;
    return true;
}

static gy_rc twice(const gy_jobs *t, uint32_t a, uint32_t b, gy_err *e)
{
    char buf[24];
    uint32_t first = t->line[a] < t->line[b] ? a : b, second = first == a ? b : a;
    return gy_fail(e, GY_EPARSE,
                   "%s:%u: job_id \"%s\" stands on line %u already; give each job an id of its own", t->file,
                   t->line[second], gy_job_id_text(t, second, buf), t->line[first]);
}

static void make_ids(const gy_jobs *t, struct id_table *ids)
{
    ids->n = 64;
    while (ids->n < 2 * (size_t)t->n)
        ids->n *= 2;
    ids->slots = gy_alloc(ids->n, sizeof *ids->slots);
}

enum { AHEAD = 16 };

/* Enters the job, or returns the one that has its id already; for all jobs in turn.  Slots lie anywhere, so
 * they are called for some jobs ahead: hash[] is a ring of what is under way. */
static uint32_t enter_id(const gy_jobs *t, struct id_table *ids, uint64_t hash[AHEAD], uint32_t job)
{
    for (uint32_t j = job == 0 ? 0 : job + AHEAD - 1; j < job + AHEAD && j < t->n; j++) {
        hash[j % AHEAD] = id_hash(t, j);
        __builtin_prefetch(&ids->slots[hash[j % AHEAD] & (ids->n - 1)], 1);
    }
    size_t i = hash[job % AHEAD] & (ids->n - 1);
    for (; ids->slots[i]; i = (i + 1) & (ids->n - 1))
        if (gy_job_id_compare(t, t->id[ids->slots[i] - 1], t->id[job]) == 0)
            return ids->slots[i] - 1;
    ids->slots[i] = job + 1;
    return job;
}

static gy_rc fill_ids(const gy_jobs *t, struct id_table *ids, gy_err *e)
{
    uint64_t hash[AHEAD];
    make_ids(t, ids);
    for (uint32_t j = 0; j < t->n; j++) {
        uint32_t other = enter_id(t, ids, hash, j);
        if (other != j)
            return twice(t, other, j, e);
    }
    return GY_OK;
}

/* Keeps the rows for which drop[] is 0, and what points to them. */
static void drop_rows(gy_jobs *t, const uint8_t *drop)
{
    struct gy_jobs_build *b = t->build;
    struct gy_column c[GY_COLUMNS_MAX];
    size_t n = gy_jobs_columns(t, c), kept_pending = 0, p = 0;
    uint32_t kept = 0;
    for (uint32_t j = 0; j < t->n; j++) {
        for (; p < b->npending && b->pending[p].job == j; p++)
            if (!drop[j])
                b->pending[kept_pending++] = (struct gy_pending_after){kept, b->pending[p].text};
        if (drop[j])
            continue;
        for (size_t i = 0; i < n && kept != j; i++)
            if (*c[i].data)
                memcpy((char *)*c[i].data + kept * c[i].size, (char *)*c[i].data + j * c[i].size, c[i].size);
        t->row[kept] = kept;
        kept++;
    }
    t->n = kept;
    b->npending = kept_pending;
}

void gy_jobs_drop_repeats(gy_jobs *t, void (*told)(void *ctx, uint32_t line, uint32_t first, const char *id),
                          void *ctx)
{
    GY_ASSERT(!t->finished);
    t->build->ids_unique = true;
    if (ids_ascend(t))
        return;
    struct id_table ids;
    uint8_t *drop = NULL;
    uint64_t hash[AHEAD];
    char buf[24];
    make_ids(t, &ids);
    for (uint32_t j = 0; j < t->n; j++) {
        uint32_t other = enter_id(t, &ids, hash, j);
        if (other == j)
            continue;
        drop = drop ? drop : gy_alloc(t->n, 1);
        drop[j] = 1;
        told(ctx, t->line[j], t->line[other], gy_job_id_text(t, j, buf));
    }
    if (drop)
        drop_rows(t, drop);
    free(drop);
    free(ids.slots);
}

/* Looks an id up by its text: by number first, as most are. */
static uint32_t look_up(const gy_jobs *t, const struct id_table *ids, const char *s, size_t n)
{
    char buf[24];
    int64_t v;
    bool plain = n > 0 && n <= 18 && s[0] >= '0' && s[0] <= '9' && (s[0] != '0' || n == 1) &&
                 gy_parse_int(s, n, &v) == GY_NUMBER_OK;
    uint64_t h = plain ? number_hash((uint64_t)v) : gy_hash(s, n);
    for (size_t i = h & (ids->n - 1); ids->slots[i]; i = (i + 1) & (ids->n - 1)) {
        const char *text = gy_job_id_text(t, ids->slots[i] - 1, buf);
        if (strlen(text) == n && memcmp(text, s, n) == 0)
            return ids->slots[i] - 1;
    }
    return GY_NAME_NONE;
}

/* ---- predecessors ---- */

static void push_after(gy_jobs *t, uint32_t v)
{
    t->after_list = gy_reserve(t->after_list, &t->after_cap, t->nafter + 1, sizeof *t->after_list);
    t->after_list[t->nafter++] = v;
}

static gy_rc resolve_one(gy_jobs *t, const struct id_table *ids, uint32_t job, const char *text, gy_err *e)
{
    size_t head = t->nafter;
    t->after[job] = (uint32_t)head;
    push_after(t, 0);
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, ";");
        uint32_t other = look_up(t, ids, s, n);
        if (other == GY_NAME_NONE)
            return gy_fail(e, GY_EPARSE, "%s:%u: `after` names job \"%.*s\", which is not in the trace",
                           t->file, t->line[job], (int)n, s);
        push_after(t, other);
        t->after_list[head]++;
        s += n + (s[n] == ';');
    }
    return GY_OK;
}

/* Kahn's algorithm: what cannot be taken off waits in a circle. */
static gy_rc refuse_circles(const gy_jobs *t, gy_err *e)
{
    uint32_t *open = gy_alloc(t->n, sizeof *open), *ready = gy_alloc(t->n, sizeof *ready);
    uint32_t *head = gy_alloc((size_t)t->n + 1, sizeof *head),
             *followers = gy_alloc(t->nafter, sizeof *followers);
    uint32_t nready = 0, done = 0, stuck = GY_NAME_NONE;
    for (uint32_t j = 0; j < t->n; j++) {
        const uint32_t *list = &t->after_list[t->after[j]];
        open[j] = list[0];
        for (uint32_t k = 1; k <= list[0]; k++)
            head[list[k] + 1]++;
        if (!open[j])
            ready[nready++] = j;
    }
    for (uint32_t j = 0; j < t->n; j++)
        head[j + 1] += head[j];
    uint32_t *fill = gy_alloc(t->n, sizeof *fill);
    for (uint32_t j = 0; j < t->n; j++) {
        const uint32_t *list = &t->after_list[t->after[j]];
        for (uint32_t k = 1; k <= list[0]; k++)
            followers[head[list[k]] + fill[list[k]]++] = j;
    }
    for (; done < nready; done++)
        for (uint32_t k = head[ready[done]]; k < head[ready[done] + 1]; k++)
            if (--open[followers[k]] == 0)
                ready[nready++] = followers[k];
    for (uint32_t j = 0; j < t->n && done < t->n && stuck == GY_NAME_NONE; j++)
        stuck = open[j] ? j : stuck;
    free(open);
    free(ready);
    free(head);
    free(followers);
    free(fill);
    if (stuck == GY_NAME_NONE)
        return GY_OK;
    char buf[24];
    return gy_fail(e, GY_EPARSE,
                   "%s:%u: job \"%s\" waits for itself through `after`: a circle of dependencies", t->file,
                   t->line[stuck], gy_job_id_text(t, stuck, buf));
}

static gy_rc resolve_after(gy_jobs *t, const struct id_table *ids, gy_err *e)
{
    struct gy_jobs_build *b = t->build;
    gy_rc rc = GY_OK;
    /* Rows may have moved: find each pending row's job by its row number. */
    uint32_t *job_of_row = gy_alloc(t->n, sizeof *job_of_row);
    for (uint32_t j = 0; j < t->n; j++)
        job_of_row[t->row[j]] = j;
    t->after = gy_alloc(t->cap, sizeof *t->after);
    push_after(t, 0); /* the empty list, at offset 0 */
    for (size_t i = 0; i < b->npending && rc == GY_OK; i++)
        rc = resolve_one(t, ids, job_of_row[b->pending[i].job], b->pending[i].text, e);
    free(job_of_row);
    return rc == GY_OK ? refuse_circles(t, e) : rc;
}

gy_rc gy_jobs_finish(gy_jobs *t, uint64_t tie_seed, gy_err *e)
{
    GY_ASSERT(!t->finished);
    struct id_table ids = {0};
    gy_rc rc = GY_OK;
    gy_jobs_sort(t, tie_seed);
    if (t->build->npending || !(t->build->ids_unique || ids_ascend(t)))
        rc = fill_ids(t, &ids, e);
    if (rc == GY_OK && t->build->npending)
        rc = resolve_after(t, &ids, e);
    free(ids.slots);
    free(t->build->slots);
    free(t->build->pending);
    gy_arena_fini(&t->build->texts);
    free(t->build);
    t->build = NULL;
    free(t->line);
    t->line = NULL;
    t->finished = true;
    return rc;
}
