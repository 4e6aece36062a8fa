/* gy_jobs.c - the job table: rows in, checked one by one; see gy_jobs.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_jobs_internal.h"

const char *const gy_log_state_names[GY_LOG_STATES] = {"completed", "failed",    "killed",
                                                       "timeout",   "node_fail", "preempted"};
const char *const gy_level_names[GY_LEVELS] = {"", "socket", "node", "nvlink", "leaf", "pod", "any"};

enum { ID_IS_TEXT_SHIFT = 63 };
static const gy_job_id ID_IS_TEXT = (gy_job_id)1 << ID_IS_TEXT_SHIFT;

gy_jobs *gy_jobs_create(const char *file)
{
    gy_jobs *t = gy_alloc(1, sizeof *t);
    t->file = gy_strndup(file, strlen(file));
    t->zero_epoch_us = GY_NEVER;
    t->build = gy_alloc(1, sizeof *t->build);
    t->build->last_shape = GY_NAME_NONE;
    return t;
}

void gy_jobs_free(gy_jobs *t)
{
    if (!t)
        return;
    struct gy_column columns[GY_COLUMNS_MAX];
    size_t n = gy_jobs_columns(t, columns);
    for (size_t i = 0; i < n; i++)
        free(*columns[i].data);
    free(t->shapes);
    free(t->after_list);
    gy_names_fini(&t->users);
    gy_names_fini(&t->groups);
    gy_names_fini(&t->queues);
    gy_names_fini(&t->texts);
    gy_names_fini(&t->type_lists);
    gy_names_fini(&t->notes);
    gy_arena_fini(&t->ids);
    free(t->note_header);
    free(t->file);
    if (t->build) {
        free(t->build->slots);
        free(t->build->pending);
        gy_arena_fini(&t->build->texts);
        free(t->build);
    }
    free(t);
}

size_t gy_jobs_columns(gy_jobs *t, struct gy_column *c)
{
#define COLUMN(name)                                                                                         \
    {                                                                                                        \
        (void **)&t->name, sizeof *t->name                                                                   \
    }
    const struct gy_column all[] = {
        COLUMN(id),          COLUMN(submit_us), COLUMN(duration_us),   COLUMN(shape),
        COLUMN(user),        COLUMN(group),     COLUMN(queue),         COLUMN(row),
        COLUMN(log_state),   COLUMN(flags),     COLUMN(limit_us),      COLUMN(eligible_us),
        COLUMN(deadline_us), COLUMN(priority),  COLUMN(checkpoint_us), COLUMN(log_end_us),
        COLUMN(log_placed),  COLUMN(after),     COLUMN(log_start_us),  COLUMN(note),
        COLUMN(line),
    };
#undef COLUMN
    _Static_assert(sizeof all / sizeof *all <= GY_COLUMNS_MAX, "room for every column");
    memcpy(c, all, sizeof all);
    return sizeof all / sizeof *all;
}

void gy_job_row_init(gy_job_row *r)
{
    static const gy_job_row empty = {.limit_us = GY_NEVER,
                                     .eligible_us = GY_NEVER,
                                     .deadline_us = GY_NEVER,
                                     .checkpoint_us = GY_NEVER,
                                     .start_us = GY_NEVER,
                                     .end_us = GY_NEVER,
                                     .min_gpus = -1,
                                     .max_gpus = -1};
    *r = empty;
}

/* An id is kept as a number only if that number would be written the same way. */
static gy_job_id id_of(gy_jobs *t, gy_slice s)
{
    int64_t v;
    bool plain = s.n > 0 && s.n <= 18 && s.s[0] >= '0' && s.s[0] <= '9' && (s.s[0] != '0' || s.n == 1);
    if (plain && gy_parse_int(s.s, s.n, &v) == GY_NUMBER_OK)
        return (gy_job_id)v;
    return ID_IS_TEXT | (uint64_t)(uintptr_t)gy_arena_text(&t->ids, s.s, s.n);
}

static const char *id_text(gy_job_id id)
{
    return (const char *)(uintptr_t)(id & ~ID_IS_TEXT);
}

const char *gy_job_id_is_text(gy_job_id id)
{
    return id & ID_IS_TEXT ? id_text(id) : NULL;
}

const char *gy_job_id_text(const gy_jobs *t, uint32_t job, char *buf)
{
    gy_job_id id = t->id[job];
    if (id & ID_IS_TEXT)
        return id_text(id);
    gy_put_uint(buf, id);
    return buf;
}

/* The digits of an id that is a number in value ("007", or one too long for 18 digits), without leading
 * zeros. */
static bool digits_of(gy_job_id id, char buf[24], const char **s, size_t *n)
{
    if (!(id & ID_IS_TEXT)) {
        *n = (size_t)(gy_put_uint(buf, id) - buf);
        *s = buf;
        return true;
    }
    const char *p = id_text(id);
    size_t k = strspn(p, "0123456789");
    if (k == 0 || p[k] != '\0')
        return false;
    while (k > 1 && *p == '0') {
        p++;
        k--;
    }
    *s = p;
    *n = k;
    return true;
}

int gy_job_id_compare(const gy_jobs *t, gy_job_id a, gy_job_id b)
{
    (void)t;
    if (!((a | b) & ID_IS_TEXT))
        return (a > b) - (a < b);
    char abuf[24], bbuf[24];
    const char *as, *bs;
    size_t an, bn;
    bool anum = digits_of(a, abuf, &as, &an), bnum = digits_of(b, bbuf, &bs, &bn);
    if (anum != bnum)
        return anum ? -1 : 1;
    if (anum) {
        int c = an != bn ? (an > bn) - (an < bn) : memcmp(as, bs, an);
        if (c)
            return c;
    }
    /* equal in value or no numbers: by bytes of the full text */
    if (!(a & ID_IS_TEXT))
        as = abuf;
    else
        as = id_text(a);
    bs = b & ID_IS_TEXT ? id_text(b) : bbuf;
    return strcmp(as, bs);
}

uint32_t gy_jobs_find(const gy_jobs *t, const char *id, size_t n)
{
    char buf[24];
    for (uint32_t j = 0; j < t->n; j++) {
        const char *s = gy_job_id_text(t, j, buf);
        if (strlen(s) == n && memcmp(s, id, n) == 0)
            return j;
    }
    return GY_NAME_NONE;
}

/* ---- shapes: hash table with the last hit tried first ---- */

/* Word by word: it is asked for with nearly every row. */
static size_t shape_hash(const gy_shape *s)
{
    uint64_t h = 0, w;
    _Static_assert(sizeof *s % sizeof w == 0, "whole words");
    for (size_t i = 0; i < sizeof *s; i += sizeof w) {
        memcpy(&w, (const char *)s + i, sizeof w);
        h = (h ^ w) * 0xd6e8feb86659fd93u;
        h ^= h >> 32;
    }
    return (size_t)h;
}

static void grow_shape_slots(gy_jobs *t)
{
    struct gy_jobs_build *b = t->build;
    b->nslots = b->nslots ? b->nslots * 2 : 64;
    free(b->slots);
    b->slots = gy_alloc(b->nslots, sizeof *b->slots);
    for (uint32_t k = 0; k < t->nshapes; k++) {
        size_t i = shape_hash(&t->shapes[k]) & (b->nslots - 1);
        while (b->slots[i])
            i = (i + 1) & (b->nslots - 1);
        b->slots[i] = k + 1;
    }
}

static uint32_t intern_shape(gy_jobs *t, const gy_shape *s)
{
    struct gy_jobs_build *b = t->build;
    if (b->last_shape != GY_NAME_NONE && memcmp(&t->shapes[b->last_shape], s, sizeof *s) == 0)
        return b->last_shape;
    if (2 * (size_t)t->nshapes >= b->nslots)
        grow_shape_slots(t);
    size_t i = shape_hash(s) & (b->nslots - 1);
    while (b->slots[i] && memcmp(&t->shapes[b->slots[i] - 1], s, sizeof *s) != 0)
        i = (i + 1) & (b->nslots - 1);
    if (!b->slots[i]) {
        t->shapes = gy_reserve(t->shapes, &t->shapes_cap, (size_t)t->nshapes + 1, sizeof *t->shapes);
        t->shapes[t->nshapes] = *s;
        b->slots[i] = ++t->nshapes;
    }
    return b->last_shape = b->slots[i] - 1;
}

/* ---- checks ---- */

static gy_rc bad(const gy_jobs *t, uint64_t line, gy_err *e, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static gy_rc bad(const gy_jobs *t, uint64_t line, gy_err *e, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": %s", t->file, line, text);
}

static bool is_time(int64_t us)
{
    return us >= -GY_TIME_MAX_US && us <= GY_TIME_MAX_US;
}

static gy_rc check_time(const gy_jobs *t, const char *name, int64_t us, bool length, uint64_t line, gy_err *e)
{
    char buf[40];
    if (is_time(us) && !(length && us < 0))
        return GY_OK;
    gy_put_us(buf, us);
    if (length && us < 0)
        return bad(t, line, e, "%s is %s; it must not be negative", name, buf);
    return bad(t, line, e, "%s is %s, which is too far from 0 to be a time", name, buf);
}

/* Columns that may be empty. */
static gy_rc check_optional(const gy_jobs *t, const char *name, int64_t us, bool length, uint64_t line,
                            gy_err *e)
{
    return us == GY_NEVER ? GY_OK : check_time(t, name, us, length, line, e);
}

static gy_rc check_times(const gy_jobs *t, const gy_job_row *r, uint64_t line, gy_err *e)
{
    gy_rc rc = check_time(t, "submit_s", r->submit_us, false, line, e);
    if (rc == GY_OK)
        rc = check_time(t, "duration_s", r->duration_us, true, line, e);
    if (rc == GY_OK)
        rc = check_optional(t, "limit_s", r->limit_us, true, line, e);
    if (rc == GY_OK)
        rc = check_optional(t, "checkpoint_s", r->checkpoint_us, true, line, e);
    if (rc == GY_OK)
        rc = check_optional(t, "eligible_s", r->eligible_us, false, line, e);
    if (rc == GY_OK)
        rc = check_optional(t, "deadline_s", r->deadline_us, false, line, e);
    if (rc == GY_OK)
        rc = check_optional(t, "start_s", r->start_us, false, line, e);
    if (rc == GY_OK)
        rc = check_optional(t, "end_s", r->end_us, false, line, e);
    if (rc != GY_OK)
        return rc;
    if (r->checkpoint_us == 0)
        return bad(t, line, e, "checkpoint_s is 0; leave it empty for no periodic checkpoints");
    if (r->start_us != GY_NEVER && r->end_us != GY_NEVER && r->end_us < r->start_us)
        return bad(t, line, e, "end_s lies before start_s");
    return GY_OK;
}

static gy_rc bad_gpus(const gy_jobs *t, const gy_job_row *r, uint64_t line, gy_err *e, const char *why)
{
    char buf[40];
    gy_put_fixed(buf, r->gpus_milli, 3);
    return bad(t, line, e, "gpus is %s%s", buf, why);
}

static gy_rc check_range(const gy_jobs *t, const gy_job_row *r, uint64_t line, gy_err *e)
{
    int64_t gpus = r->gpus_milli / 1000;
    int64_t least = r->min_gpus < 0 ? gpus : r->min_gpus, most = r->max_gpus < 0 ? gpus : r->max_gpus;
    if (r->gpus_milli % 1000 || least > gpus || most < gpus || least < 0)
        return bad_gpus(t, r, line, e, "; the range min_gpus to max_gpus must hold it and be of whole GPUs");
    if (most > UINT32_MAX)
        return bad(t, line, e, "max_gpus is %" PRId64 ": too many", most);
    return GY_OK;
}

static gy_rc check_gpus(const gy_jobs *t, const gy_job_row *r, uint64_t line, gy_err *e)
{
    int64_t part = r->gpus_milli % 1000;
    if (r->gpus_milli < 0)
        return bad_gpus(t, r, line, e, "; it must not be negative");
    if (r->gpus_milli > 1000 && part)
        return bad_gpus(t, r, line, e, ": a share is of one GPU, so it must be below 1 or a whole number");
    if (r->gpus_milli > UINT32_MAX)
        return bad_gpus(t, r, line, e, ": too many");
    if (r->cpus_micro < 0 || r->mem_micro < 0 || r->gpu_mem_micro < 0)
        return bad(t, line, e, "cpus, mem_gb and gpu_mem_gb must not be negative");
    if (r->tasks < 0 || r->tasks > UINT32_MAX)
        return bad(t, line, e, "tasks is %" PRId64 "; it must be a positive number", r->tasks);
    if (r->tasks > 1 && (part || r->gpus_milli / 1000 % r->tasks))
        return bad(t, line, e, "gpus cannot be cut into %" PRId64 " equal tasks", r->tasks);
    if (r->mig.n > 0 && part)
        return bad_gpus(t, r, line, e, ": the number of MIG instances must be whole");
    return r->min_gpus >= 0 || r->max_gpus >= 0 ? check_range(t, r, line, e) : GY_OK;
}

static gy_shape shape_of(gy_jobs *t, const gy_job_row *r)
{
    uint32_t gpus = (uint32_t)(r->gpus_milli / 1000);
    gy_shape s;
    memset(&s, 0, sizeof s); /* padding too: shapes are compared as bytes */
    s.gpus_milli = (uint32_t)r->gpus_milli;
    s.tasks = (uint32_t)r->tasks;
    s.types = r->types.n ? gy_names_add(&t->type_lists, r->types.s, r->types.n) : GY_NAME_NONE;
    s.mig = r->mig.n ? gy_names_add(&t->texts, r->mig.s, r->mig.n) : GY_NAME_NONE;
    s.model = r->model.n ? gy_names_add(&t->texts, r->model.s, r->model.n) : GY_NAME_NONE;
    s.min_gpus = r->min_gpus < 0 ? gpus : (uint32_t)r->min_gpus;
    s.max_gpus = r->max_gpus < 0 ? gpus : (uint32_t)r->max_gpus;
    s.require = r->require;
    s.prefer = r->prefer;
    s.gpu_mem_micro = r->gpu_mem_micro;
    s.cpus_micro = r->cpus_micro;
    s.mem_micro = r->mem_micro;
    return s;
}

/* ---- columns ---- */

static void grow_columns(gy_jobs *t, size_t least)
{
    size_t cap = t->cap + t->cap / 2 + 1024;
    struct gy_column c[GY_COLUMNS_MAX];
    size_t n = gy_jobs_columns(t, c);
    cap = cap < least ? least : cap;
    for (size_t i = 0; i < n; i++) {
        size_t had = *c[i].data ? t->cap : 0;
        if (*c[i].data || i < GY_COLUMNS_ALWAYS || c[i].data == (void **)&t->line)
            *c[i].data = gy_reserve(*c[i].data, &had, cap, c[i].size);
    }
    t->cap = cap;
}

void gy_jobs_expect(gy_jobs *t, uint64_t n)
{
    if (n > t->cap && n <= GY_JOBS_MAX)
        grow_columns(t, n);
}

/* A column with room for all rows. */
static void *make_column(const gy_jobs *t, size_t size)
{
    size_t had = 0;
    return gy_reserve(NULL, &had, t->cap, size);
}

/* A column that only some traces have is made when the first value comes, with `empty` for the jobs before.
 */
static inline void set_time(gy_jobs *t, int64_t **column, int64_t v, int64_t empty)
{
    if (!*column) {
        if (v == empty)
            return;
        *column = make_column(t, sizeof **column);
        for (uint32_t j = 0; j < t->n; j++)
            (*column)[j] = empty;
    }
    (*column)[t->n] = v;
}

static void set_name(gy_jobs *t, uint32_t **column, gy_names *names, gy_slice s)
{
    if (!*column) {
        if (!s.n)
            return;
        *column = make_column(t, sizeof **column);
        for (uint32_t j = 0; j < t->n; j++)
            (*column)[j] = GY_NAME_NONE;
    }
    (*column)[t->n] = s.n ? gy_names_add(names, s.s, s.n) : GY_NAME_NONE;
}

/* Predecessors are kept as text until all ids are known. */
static void set_after(gy_jobs *t, gy_slice s)
{
    struct gy_jobs_build *b = t->build;
    if (!s.n)
        return;
    b->pending = gy_reserve(b->pending, &b->pending_cap, b->npending + 1, sizeof *b->pending);
    b->pending[b->npending++] = (struct gy_pending_after){t->n, gy_arena_text(&b->texts, s.s, s.n)};
}

/* Users, groups and queues repeat from row to row more often than not. */
static uint32_t intern_near(gy_names *names, gy_slice s, const uint32_t *column, uint32_t n)
{
    if (n > 0) {
        uint32_t last = column[n - 1];
        if (gy_names_len(names, last) == s.n && memcmp(gy_names_text(names, last), s.s ? s.s : "", s.n) == 0)
            return last;
    }
    return gy_names_add(names, s.s ? s.s : "", s.n);
}

gy_rc gy_jobs_add(gy_jobs *t, const gy_job_row *r, uint64_t line, gy_err *e)
{
    GY_ASSERT(!t->finished);
    gy_rc rc = check_times(t, r, line, e);
    if (rc == GY_OK)
        rc = check_gpus(t, r, line, e);
    if (rc == GY_OK && r->id.n == 0)
        rc = bad(t, line, e, "job_id is empty; every job needs one");
    if (rc == GY_OK && t->n >= GY_JOBS_MAX)
        rc = bad(t, line, e, "more jobs than the %u that one run can hold", GY_JOBS_MAX);
    if (rc != GY_OK)
        return rc;
    if (t->n == t->cap)
        grow_columns(t, 0);
    uint32_t j = t->n;
    gy_shape shape = shape_of(t, r);
    t->id[j] = id_of(t, r->id);
    t->submit_us[j] = r->submit_us;
    t->duration_us[j] = r->duration_us;
    t->shape[j] = intern_shape(t, &shape);
    t->user[j] = intern_near(&t->users, r->user, t->user, j);
    t->group[j] = intern_near(&t->groups, r->group, t->group, j);
    t->queue[j] = intern_near(&t->queues, r->queue, t->queue, j);
    t->row[j] = j;
    t->log_state[j] = r->log_state;
    t->flags[j] = (uint8_t)((r->not_preemptible ? GY_JOB_NOT_PREEMPTIBLE : 0) | (r->spot ? GY_JOB_SPOT : 0));
    t->line[j] = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
    set_time(t, &t->limit_us, r->limit_us, GY_NEVER);
    set_time(t, &t->eligible_us, r->eligible_us == GY_NEVER ? INT64_MIN : r->eligible_us, INT64_MIN);
    set_time(t, &t->deadline_us, r->deadline_us, GY_NEVER);
    set_time(t, &t->priority, r->priority, 0);
    set_time(t, &t->checkpoint_us, r->checkpoint_us, GY_NEVER);
    set_time(t, &t->log_start_us, r->start_us, GY_NEVER);
    set_time(t, &t->log_end_us, r->end_us, GY_NEVER);
    set_name(t, &t->log_placed, &t->texts, r->placed);
    set_name(t, &t->note, &t->notes, r->note);
    set_after(t, r->after);
    t->n++;
    return GY_OK;
}

int64_t gy_jobs_shift_to_zero(gy_jobs *t)
{
    int64_t zero = t->n ? t->submit_us[0] : 0;
    for (uint32_t j = 1; j < t->n; j++)
        zero = t->submit_us[j] < zero ? t->submit_us[j] : zero;
    int64_t *const columns[] = {t->submit_us, t->eligible_us, t->deadline_us, t->log_start_us, t->log_end_us};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (uint32_t j = 0; columns[i] && j < t->n; j++)
            if (columns[i][j] != GY_NEVER && columns[i][j] != INT64_MIN)
                columns[i][j] -= zero;
    if (t->zero_epoch_us != GY_NEVER)
        t->zero_epoch_us += zero;
    return zero;
}
