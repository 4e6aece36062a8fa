/* gy_trace_csv.c - the canonical trace: one table says what each column is and where it goes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whoever writes this format can write it right, so a value that is none is an error, and so is a row that
 * contradicts itself.  Empty means the default.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gy_families_internal.h"

enum kind {
    KIND_TEXT,
    KIND_TIME,     /* seconds */
    KIND_GPUS,     /* thousandths */
    KIND_MICRO,    /* millionths */
    KIND_INTEGER,  /* with a sign */
    KIND_COUNT,    /* 0 or more */
    KIND_POSITIVE, /* 1 or more */
    KIND_STATE,
    KIND_LEVEL,
    KIND_YES_NO,
    KIND_NO_YES, /* kept the other way round */
    KIND_TYPES,
    KIND_MIG,
    KIND_PLACED,
};

#define AT(member) offsetof(gy_job_row, member)

static const struct gy_family_column columns[] = {
    {"job_id", GY_NEED_MUST, KIND_TEXT, AT(id)},
    {"submit_s", GY_NEED_MUST, KIND_TIME, AT(submit_us)},
    {"gpus", GY_NEED_MUST, KIND_GPUS, AT(gpus_milli)},
    {"duration_s", GY_NEED_MUST, KIND_TIME, AT(duration_us)},
    {"user", GY_NEED_MAY, KIND_TEXT, AT(user)},
    {"group", GY_NEED_MAY, KIND_TEXT, AT(group)},
    {"queue", GY_NEED_MAY, KIND_TEXT, AT(queue)},
    {"limit_s", GY_NEED_MAY, KIND_TIME, AT(limit_us)},
    {"priority", GY_NEED_MAY, KIND_INTEGER, AT(priority)},
    {"state", GY_NEED_MAY, KIND_STATE, AT(log_state)},
    {"gpu_type", GY_NEED_MAY, KIND_TYPES, AT(types)},
    {"gpu_mem_gb", GY_NEED_MAY, KIND_MICRO, AT(gpu_mem_micro)},
    {"cpus", GY_NEED_MAY, KIND_MICRO, AT(cpus_micro)},
    {"mem_gb", GY_NEED_MAY, KIND_MICRO, AT(mem_micro)},
    {"tasks", GY_NEED_MAY, KIND_POSITIVE, AT(tasks)},
    {"mig", GY_NEED_MAY, KIND_MIG, AT(mig)},
    {"min_gpus", GY_NEED_MAY, KIND_COUNT, AT(min_gpus)},
    {"max_gpus", GY_NEED_MAY, KIND_COUNT, AT(max_gpus)},
    {"require", GY_NEED_MAY, KIND_LEVEL, AT(require)},
    {"prefer", GY_NEED_MAY, KIND_LEVEL, AT(prefer)},
    {"model", GY_NEED_MAY, KIND_TEXT, AT(model)},
    {"checkpoint_s", GY_NEED_MAY, KIND_TIME, AT(checkpoint_us)},
    {"after", GY_NEED_MAY, KIND_TEXT, AT(after)},
    {"deadline_s", GY_NEED_MAY, KIND_TIME, AT(deadline_us)},
    {"eligible_s", GY_NEED_MAY, KIND_TIME, AT(eligible_us)},
    {"start_s", GY_NEED_MAY, KIND_TIME, AT(start_us)},
    {"end_s", GY_NEED_MAY, KIND_TIME, AT(end_us)},
    {"placed", GY_NEED_MAY, KIND_PLACED, AT(placed)},
    {"preemptible", GY_NEED_MAY, KIND_NO_YES, AT(not_preemptible)},
    {"spot", GY_NEED_MAY, KIND_YES_NO, AT(spot)},
};

enum { NCOLUMNS = sizeof columns / sizeof *columns };

#define GPUS_MAX_MILLI ((int64_t)UINT32_MAX)

/* ---- values ---- */

struct place { /* of a cell, for messages */
    const struct gy_import *im;
    const struct gy_family_column *column;
    gy_slice text;
    uint64_t line;
    gy_err *e;
};

static gy_rc bad_cell(const struct place *p, const char *why)
{
    char shown[GY_SHOWN_MAX];
    return gy_fail(p->e, GY_EPARSE, "%s:%" PRIu64 ": %s: \"%s\" %s", gy_input_path(p->im->in), p->line,
                   p->column->name, gy_slice_show(p->text, shown), why);
}

static gy_rc bad_number(const struct place *p, gy_number_rc rc)
{
    char why[120];
    enum kind kind = (enum kind)p->column->kind;
    int digits = kind == KIND_TIME || kind == KIND_MICRO ? 6 : kind == KIND_GPUS ? 3 : 0;
    if (rc == GY_NUMBER_RANGE && kind == KIND_TIME)
        return bad_cell(p, "is too far from 0 to be a time; give at most 1152921504606 seconds");
    if (rc == GY_NUMBER_RANGE && kind == KIND_GPUS)
        return bad_cell(p, "is too large; a job has at most 4294967 GPUs");
    if (rc == GY_NUMBER_RANGE && (kind == KIND_COUNT || kind == KIND_POSITIVE))
        return bad_cell(p, "is too large; give at most 4294967295");
    if (rc != GY_NUMBER_NONE)
        return bad_cell(p, gy_number_why_fixed(rc, digits));
    snprintf(why, sizeof why, "%s; %s", gy_number_why_fixed(rc, digits),
             kind == KIND_TIME ? "give seconds as a decimal number"
             : digits          ? "give a plain number"
                               : "give one without a point");
    return bad_cell(p, why);
}

static gy_number_rc within(int64_t v, int64_t most)
{
    return v < -most || v > most ? GY_NUMBER_RANGE : GY_NUMBER_OK;
}

/* What does not fit is told here, with its limit; the table's own checks guard the other importers. */
static gy_number_rc parse_time(gy_slice s, int64_t *v)
{
    gy_number_rc rc = gy_parse_fixed(s.s, s.n, 6, v);
    return rc == GY_NUMBER_OK ? within(*v, GY_TIME_MAX_US) : rc;
}

static gy_number_rc parse_gpus(gy_slice s, int64_t *v)
{
    gy_number_rc rc = gy_parse_fixed(s.s, s.n, 3, v);
    return rc == GY_NUMBER_OK ? within(*v, GPUS_MAX_MILLI) : rc;
}

static gy_rc number(const struct place *p, gy_number_rc rc)
{
    return rc == GY_NUMBER_OK ? GY_OK : bad_number(p, rc);
}

static gy_rc integer(const struct place *p, int64_t least, int64_t most, const char *why, int64_t *v)
{
    gy_number_rc rc = gy_parse_int(p->text.s, p->text.n, v);
    if (rc == GY_NUMBER_OK && *v > most)
        rc = GY_NUMBER_RANGE;
    if (rc != GY_NUMBER_OK)
        return bad_number(p, rc);
    return *v >= least ? GY_OK : bad_cell(p, why);
}

static gy_rc one_of(const struct place *p, const char *const *names, size_t n, uint8_t *v)
{
    char word[64];
    for (size_t i = 0; i < n; i++) {
        if (!gy_slice_is(p->text, names[i]))
            continue;
        *v = (uint8_t)i;
        return GY_OK;
    }
    snprintf(word, sizeof word, "%.*s", (int)(p->text.n < 60 ? p->text.n : 60), p->text.s);
    const char *near = gy_nearest_of(word, names, n);
    gy_str why = {0};
    if (near)
        gy_str_printf(&why, "is not known; did you mean \"%s\"?", near);
    else
        gy_str_puts(&why, "is not known; there are");
    for (size_t i = 0; i < n && !near; i++)
        gy_str_printf(&why, "%s%s", i ? ", " : " ", *names[i] ? names[i] : "an empty cell");
    gy_rc rc = bad_cell(p, why.s);
    gy_str_fini(&why);
    return rc;
}

static gy_rc yes_no(const struct place *p, bool yes, bool *v)
{
    if (p->text.n != 1 || (*p->text.s != '0' && *p->text.s != '1'))
        return bad_cell(p, "is neither 0 nor 1; write 0 for no, 1 for yes");
    *v = (*p->text.s == '1') == yes;
    return GY_OK;
}

/* "a100|h100" */
static gy_rc check_types(const struct place *p)
{
    size_t n = 0;
    for (size_t i = 0; i <= p->text.n; i++) {
        bool stop = i == p->text.n || p->text.s[i] == '|';
        if (stop && n == 0)
            return bad_cell(p, "has an empty type; write types as a100|h100");
        n = stop ? 0 : n + 1;
    }
    return GY_OK;
}

/* "3g.40gb", "1g.5gb+me": which ones there are is a matter of the GPU. */
static gy_rc check_mig(const struct place *p)
{
    bool good = p->text.s[0] >= '1' && p->text.s[0] <= '9' && memchr(p->text.s, 'g', p->text.n);
    for (size_t i = 0; i < p->text.n; i++) {
        char c = p->text.s[i];
        good = good && ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.' || c == '+');
    }
    return good ? GY_OK : bad_cell(p, "is no MIG profile; write it as 3g.40gb");
}

static const char *skip_digits(const char *s, const char *end)
{
    while (s < end && *s >= '0' && *s <= '9')
        s++;
    return s;
}

/* "0-3,5" up to `end`. */
static bool is_gpu_list(const char *s, const char *end)
{
    for (;; s++) {
        const char *first = s;
        s = skip_digits(s, end);
        if (s == first)
            return false;
        if (s < end && *s == '-') {
            first = ++s;
            s = skip_digits(s, end);
            if (s == first)
                return false;
        }
        if (s == end)
            return true;
        if (*s != ',')
            return false;
    }
}

/* "n0:0-3;n1:0-3"; a node without GPUs (a CPU job) has no list. */
static gy_rc check_placed(const struct place *p)
{
    const char *s = p->text.s, *end = s + p->text.n;
    for (;;) {
        const char *stop = memchr(s, ';', (size_t)(end - s));
        stop = stop ? stop : end;
        const char *colon = memchr(s, ':', (size_t)(stop - s));
        if (s == stop || colon == s || (colon && !is_gpu_list(colon + 1, stop)))
            return bad_cell(p, "is no placement; write it as n0:0-3;n1:0,2");
        if (stop == end)
            return GY_OK;
        s = stop + 1;
    }
}

static gy_rc text_of(const struct place *p, gy_slice *v)
{
    *v = p->text;
    switch (p->column->kind) {
    case KIND_TYPES: return check_types(p);
    case KIND_MIG: return check_mig(p);
    case KIND_PLACED: return check_placed(p);
    default: return GY_OK;
    }
}

static gy_rc take_cell(const struct place *p, gy_job_row *r)
{
    void *v = (char *)r + p->column->offset;
    switch (p->column->kind) {
    case KIND_TEXT:
    case KIND_TYPES:
    case KIND_MIG:
    case KIND_PLACED: return text_of(p, v);
    case KIND_TIME: return number(p, parse_time(p->text, v));
    case KIND_MICRO: return number(p, gy_parse_fixed(p->text.s, p->text.n, 6, v));
    case KIND_GPUS: return number(p, parse_gpus(p->text, v));
    case KIND_INTEGER: return integer(p, INT64_MIN, INT64_MAX, "", v);
    case KIND_COUNT: return integer(p, 0, UINT32_MAX, "is negative; leave it empty when the job is rigid", v);
    case KIND_POSITIVE:
        return integer(p, 1, UINT32_MAX, "must be at least 1; leave it empty when the gang may split", v);
    case KIND_STATE: return one_of(p, gy_log_state_names, GY_LOG_STATES, v);
    case KIND_LEVEL: return one_of(p, gy_level_names, GY_LEVELS, v);
    case KIND_YES_NO: return yes_no(p, true, v);
    default: return yes_no(p, false, v);
    }
}

/* ---- rows ---- */

/* The usual: nothing, any text, a number that is one.  False leaves the cell to take_cell(). */
static bool take_plain(const struct gy_family_column *c, gy_slice cell, gy_job_row *r)
{
    void *v = (char *)r + c->offset;
    if (cell.n == 0)
        return c->need != GY_NEED_MUST;
    switch (c->kind) {
    case KIND_TEXT: *(gy_slice *)v = cell; return true;
    case KIND_TIME: return parse_time(cell, v) == GY_NUMBER_OK;
    case KIND_GPUS: return parse_gpus(cell, v) == GY_NUMBER_OK;
    default: return false;
    }
}

/* What the log says must be possible. */
static gy_rc check_log(struct gy_import *im, const gy_job_row *r, uint64_t line, gy_err *e)
{
    if (r->start_us < r->submit_us)
        return gy_fail(
            e, GY_EPARSE,
            "%s:%" PRIu64
            ": start_s lies before submit_s; a job starts when it is submitted or later, or mend the two",
            gy_input_path(im->in), line);
    if (r->end_us != GY_NEVER && r->end_us - r->start_us < r->duration_us)
        gy_import_remark(im, GY_REMARK_DISAGREEMENT, line,
                         "duration_s is longer than the time from start_s to end_s; duration_s holds", "%s",
                         "");
    return GY_OK;
}

static gy_rc take_row(struct gy_import *im, const gy_slice *cell, uint64_t line, gy_err *e)
{
    gy_job_row r;
    gy_job_row_init(&r);
    r.note = (gy_slice){im->note.s, im->note.n};
    for (size_t i = 0; i < im->npresent; i++) {
        size_t k = im->present[i];
        if (take_plain(&columns[k], cell[k], &r))
            continue;
        struct place p = {im, &columns[k], cell[k], line, e};
        gy_rc rc = cell[k].n ? take_cell(&p, &r) : bad_cell(&p, "is empty; every job needs a value here");
        if (rc != GY_OK)
            return rc;
    }
    gy_rc rc = gy_import_job(im, &r, line, e);
    return rc == GY_OK && r.start_us != GY_NEVER ? check_log(im, &r, line, e) : rc;
}

const struct gy_family gy_family_csv = {
    .name = "csv",
    .about = "the canonical trace: job_id, submit_s, gpus, duration_s and optional columns; times in seconds",
    .canonical = true,
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .row = take_row,
};
