/* gy_run_digest_file.c - digests to files and back; see gy_run_digest.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One walk over the members serves both directions, so that they cannot differ.
 */
#include <stdlib.h>
#include <string.h>

#include "gy_input.h"
#include "gy_run_digest.h"

static const char magic[16] = "gpuyard digest1";

struct walk {
    gy_out *out; /* NULL: reading */
    const char *p, *end;
    gy_arena *arena;
    bool broken;
};

static void words(struct walk *w, void *p, size_t n)
{
    if (w->out) {
        gy_out_bytes(w->out, p, n);
    } else if ((size_t)(w->end - w->p) < n) {
        w->broken = true;
        memset(p, 0, n);
    } else {
        memcpy(p, w->p, n);
        w->p += n;
    }
}

/* Array of *n elements.  The length of a damaged file must not become an allocation. */
static void array(struct walk *w, void **p, uint64_t *n, size_t size)
{
    words(w, n, sizeof *n);
    if (!w->out) {
        if (*n > (size_t)(w->end - w->p) / size) {
            w->broken = true;
            *n = 0;
        }
        *p = gy_arena_alloc(w->arena, (size_t)*n * size + 1);
    }
    if (*n)
        words(w, *p, (size_t)*n * size);
}

/* Length + 1, or 0 for NULL, and the bytes. */
static void text(struct walk *w, const char **s)
{
    uint64_t n = w->out && *s ? strlen(*s) + 1 : 0;
    words(w, &n, sizeof n);
    if (!w->out) {
        *s = NULL;
        if (n > (size_t)(w->end - w->p))
            w->broken = true;
        else if (n)
            *s = gy_arena_text(w->arena, w->p, (size_t)n - 1);
        w->p += w->broken ? 0 : n;
    } else if (n) {
        gy_out_bytes(w->out, *s, (size_t)n);
    }
}

static void small(struct walk *w, void *p, size_t n)
{
    uint64_t v = 0;
    if (w->out)
        memcpy(&v, p, n);
    words(w, &v, sizeof v);
    memcpy(p, &v, n);
}

static void flag(struct walk *w, bool *b)
{
    uint64_t v = *b;
    words(w, &v, sizeof v);
    *b = v != 0;
}

/* Arrays of a manifest are read-only for everybody else. */
static void *writable(const void *p)
{
    void *q;
    memcpy(&q, &p, sizeof q);
    return q;
}

/* How many elements of at least `least` bytes each follow; room for them when reading. */
static void *count(struct walk *w, const void *have, size_t *n, size_t size, size_t least)
{
    uint64_t k = *n;
    words(w, &k, sizeof k);
    if (!w->out && k > (size_t)(w->end - w->p) / least) {
        w->broken = true;
        k = 0;
    }
    *n = (size_t)k;
    if (w->out)
        return writable(have);
    void *p = gy_arena_alloc(w->arena, (*n + 1) * size);
    memset(p, 0, (*n + 1) * size);
    return p;
}

static void manifest_groups(struct walk *w, const gy_manifest_group **list, size_t *n)
{
    gy_manifest_group *g = count(w, *list, n, sizeof *g, 24);
    *list = g;
    for (size_t i = 0; i < *n && !w->broken; i++) {
        text(w, &g[i].name);
        text(w, &g[i].module);
        gy_manifest_item *items = count(w, g[i].items, &g[i].n, sizeof *items, 40);
        g[i].items = items;
        for (size_t k = 0; k < g[i].n && !w->broken; k++) {
            text(w, &items[k].name);
            text(w, &items[k].value);
            text(w, &items[k].unit);
            small(w, &items[k].kind, sizeof items[k].kind);
            small(w, &items[k].origin, sizeof items[k].origin);
        }
    }
}

static void manifest(struct walk *w, gy_manifest *m)
{
    text(w, &m->version);
    text(w, &m->command);
    text(w, &m->arguments);
    text(w, &m->policy);
    text(w, &m->knowledge);
    small(w, &m->abi, sizeof m->abi);
    flag(w, &m->oracle);
    words(w, &m->digest, sizeof m->digest);
    manifest_groups(w, &m->stages, &m->nstages);
    manifest_groups(w, &m->groups, &m->ngroups);
}

static void top_groups(struct walk *w, gy_top_groups *t)
{
    size_t n = (size_t)t->nrows;
    t->rows = count(w, t->rows, &n, sizeof *t->rows, sizeof t->rows->row);
    t->nrows = n;
    words(w, &t->all, sizeof t->all);
    for (size_t i = 0; i < n && !w->broken; i++) {
        text(w, &t->rows[i].name);
        words(w, &t->rows[i].row, sizeof t->rows[i].row);
    }
}

static void cdf(struct walk *w, gy_cdf *c)
{
    array(w, (void **)&c->points, &c->npoints, sizeof *c->points);
    words(w, &c->n, sizeof c->n);
    words(w, &c->of, sizeof c->of);
}

static void series(struct walk *w, gy_series *s)
{
    words(w, &s->start_us, sizeof s->start_us);
    words(w, &s->end_us, sizeof s->end_us);
    words(w, &s->width_us, sizeof s->width_us);
    array(w, (void **)&s->steps, &s->nsteps, sizeof *s->steps);
    array(w, (void **)&s->buckets, &s->nbuckets, sizeof *s->buckets);
}

static void whole(struct walk *w, gy_run_digest *d)
{
    text(w, &d->policy);
    text(w, &d->reason);
    text(w, &d->trace);
    text(w, &d->cluster);
    flag(w, &d->oracle);
    words(w, &d->summary, sizeof d->summary);
    cdf(w, &d->wait);
    cdf(w, &d->jct);
    series(w, &d->series);
    words(w, d->sizes, sizeof d->sizes);
    top_groups(w, &d->users);
    top_groups(w, &d->queues);
    size_t n = (size_t)d->nwarnings;
    d->warnings = count(w, d->warnings, &n, sizeof *d->warnings, 8);
    d->nwarnings = n;
    for (size_t i = 0; i < n && !w->broken; i++)
        text(w, &d->warnings[i]);
    manifest(w, &d->manifest);
}

gy_rc gy_run_digest_save(const gy_run_digest *d, const char *path, gy_err *e)
{
    gy_run_digest copy = *d; /* the walk writes counts back */
    struct walk w = {0};
    gy_rc rc = gy_out_open(&w.out, path, false, e);
    if (rc != GY_OK)
        return rc;
    uint64_t size = sizeof d->summary;
    gy_out_bytes(w.out, magic, sizeof magic);
    words(&w, &size, sizeof size);
    whole(&w, &copy);
    return gy_out_close(w.out, true, e);
}

gy_rc gy_run_digest_load(gy_run_digest *d, const char *path, gy_err *e)
{
    char *bytes;
    size_t n;
    memset(d, 0, sizeof *d);
    gy_rc rc = gy_read_file(path, &bytes, &n, e);
    if (rc != GY_OK)
        return rc;
    struct walk w = {.p = bytes, .end = bytes + n, .arena = &d->arena};
    char found[sizeof magic];
    uint64_t size;
    words(&w, found, sizeof found);
    words(&w, &size, sizeof size);
    w.broken = w.broken || memcmp(found, magic, sizeof magic) != 0 || size != sizeof d->summary;
    if (!w.broken)
        whole(&w, d);
    if (w.broken || w.p != w.end) {
        gy_run_digest_fini(d);
        rc = gy_fail(e, GY_EPARSE, "%s: not the digest of a run by this version of gpuyard; run it again",
                     path);
    }
    free(bytes);
    return rc;
}
