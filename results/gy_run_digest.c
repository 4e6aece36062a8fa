/* gy_run_digest.c - see gy_run_digest.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_run_digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gy_human.h"

static const char *keep(gy_run_digest *d, const char *s)
{
    return gy_arena_text(&d->arena, s, strlen(s));
}

/* Arrays move into the arena, so that a digest made here and one that was loaded are freed alike. */
static void *adopt(gy_run_digest *d, void *p, size_t n, size_t size)
{
    if (!p)
        return NULL;
    void *copy = gy_arena_alloc(&d->arena, n * size + 1);
    memcpy(copy, p, n * size);
    return copy;
}

static bool in_table(const gy_group_row *r)
{
    return r->submitted > 0 || r->held > 0;
}

/* The rows that held most; equal ones in the order of their numbers. */
static gy_top_groups top_of(gy_run_digest *d, const gy_groups *g, const gy_names *names)
{
    gy_top_groups top = {.rows = gy_arena_alloc(&d->arena, (GY_TOP_GROUPS + 1) * sizeof *top.rows)};
    for (uint32_t k = 0; k < g->n; k++) {
        const gy_group_row *r = &g->rows[k];
        if (!in_table(r))
            continue;
        top.all++;
        uint64_t at = top.nrows;
        while (at > 0 && top.rows[at - 1].row.held < r->held)
            at--;
        if (at == GY_TOP_GROUPS)
            continue;
        top.nrows += top.nrows < GY_TOP_GROUPS;
        memmove(top.rows + at + 1, top.rows + at, (size_t)(top.nrows - at - 1) * sizeof *top.rows);
        top.rows[at] = (gy_named_row){gy_names_text(names, k), *r};
    }
    for (uint64_t i = 0; i < top.nrows; i++)
        top.rows[i].name = keep(d, top.rows[i].name);
    return top;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void describe(gy_run_digest *d, const gy_outcome *o)
{
    gy_str s = {0};
    gy_str_printf(&s, "%s, %" PRIu32 " job%s", base_name(o->jobs->file), o->jobs->n, gy_human_s(o->jobs->n));
    d->trace = keep(d, s.s);
    s.n = 0;
    if (o->cluster->name && o->cluster->name[0])
        gy_str_printf(&s, "%s: ", o->cluster->name);
    gy_cluster_describe(o->cluster, &s);
    d->cluster = keep(d, s.s ? s.s : "");
    gy_str_fini(&s);
}

static void adopt_curves(gy_run_digest *d, gy_cdf wait, gy_cdf jct, const gy_series *series)
{
    d->wait = wait;
    d->wait.points = adopt(d, wait.points, wait.npoints, sizeof *wait.points);
    free(wait.points);
    d->jct = jct;
    d->jct.points = adopt(d, jct.points, jct.npoints, sizeof *jct.points);
    free(jct.points);
    if (series) {
        d->series = *series;
        d->series.steps = adopt(d, series->steps, series->nsteps, sizeof *series->steps);
        d->series.buckets = adopt(d, series->buckets, series->nbuckets, sizeof *series->buckets);
    }
}

void gy_run_digest_with(gy_run_digest *d, const gy_run_input *in, const gy_groups *users,
                        const gy_groups *queues)
{
    const gy_outcome *o = in->outcome;
    gy_cdf wait, jct;
    memset(d, 0, sizeof *d);
    gy_summary_of(&d->summary, o, &in->figures, &wait, &jct);
    adopt_curves(d, wait, jct, in->series);
    describe(d, o);
    d->manifest = gy_manifest_copy(in->manifest, &d->arena);
    d->policy = d->manifest.policy ? d->manifest.policy : "";
    d->oracle = d->manifest.oracle;
    d->users = top_of(d, users, &o->jobs->users);
    d->queues = top_of(d, queues, &o->jobs->queues);
    gy_groups sizes = gy_groups_by(o, GY_GROUP_SIZE);
    memcpy(d->sizes, sizes.rows, sizeof d->sizes);
    free(sizes.rows);
    d->warnings = gy_arena_alloc(&d->arena, (in->nwarnings + 1) * sizeof *d->warnings);
    for (; d->nwarnings < in->nwarnings; d->nwarnings++)
        d->warnings[d->nwarnings] = keep(d, in->warnings[d->nwarnings]);
}

void gy_run_digest_of(gy_run_digest *d, const gy_run_input *in)
{
    gy_groups users = gy_groups_by(in->outcome, GY_GROUP_USER);
    gy_groups queues = gy_groups_by(in->outcome, GY_GROUP_QUEUE);
    gy_run_digest_with(d, in, &users, &queues);
    free(users.rows);
    free(queues.rows);
}

void gy_run_digest_na(gy_run_digest *d, const char *policy, const char *reason)
{
    memset(d, 0, sizeof *d);
    d->policy = keep(d, policy);
    d->reason = keep(d, reason);
    d->trace = d->cluster = keep(d, "");
    d->manifest.policy = d->policy;
}

void gy_run_digest_fini(gy_run_digest *d)
{
    gy_arena_fini(&d->arena);
    memset(d, 0, sizeof *d);
}
