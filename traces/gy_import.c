/* gy_import.c - helpers of the importers: fates, remarks, stamps and numbers of dirty logs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gy_import_internal.h"

enum { EXAMPLE_MAX = 200, PROGRESS_BYTES = 1 << 20, EXPECT_BYTES = 4 << 20 };

const char *const gy_fate_names[GY_FATES] = {"jobs",     "merged",   "never_started",
                                             "censored", "rejected", "filtered"};

static bool is_remark(const gy_remark *m, gy_remark_kind kind, gy_fate fate, const char *what)
{
    return m->kind == kind && m->fate == fate && (m->what == what || strcmp(m->what, what) == 0);
}

/* Finds or makes the remark; mostly it is the one of the call before. */
static gy_remark *remark_of(struct gy_import *im, gy_remark_kind kind, gy_fate fate, const char *what)
{
    gy_trace_report *r = im->report;
    if (im->last_remark < r->nremarks && is_remark(&r->remarks[im->last_remark], kind, fate, what))
        return &r->remarks[im->last_remark];
    size_t i = 0;
    while (i < r->nremarks && !is_remark(&r->remarks[i], kind, fate, what))
        i++;
    if (i == r->nremarks) {
        r->remarks = gy_reserve(r->remarks, &r->remarks_cap, r->nremarks + 1, sizeof *r->remarks);
        r->remarks[r->nremarks++] = (gy_remark){
            .kind = kind, .fate = fate, .what = gy_arena_text(&r->arena, what, strlen(what)), .example = ""};
    }
    im->last_remark = i;
    return &r->remarks[i];
}

static void show(char buf[EXAMPLE_MAX], const char *fmt, va_list ap)
{
    vsnprintf(buf, EXAMPLE_MAX, fmt, ap);
    gy_make_printable(buf);
}

gy_rc gy_import_fate(struct gy_import *im, gy_fate fate, uint64_t line, gy_err *e, const char *what,
                     const char *fmt, ...)
{
    char example[EXAMPLE_MAX];
    gy_remark *m = remark_of(im, GY_REMARK_FATE, fate, what);
    im->report->rows[fate]++;
    bool refuse = fate == GY_FATE_REJECTED && im->o->strict;
    if (m->count++ > 0 && !refuse)
        return GY_OK;
    va_list ap;
    va_start(ap, fmt);
    show(example, fmt, ap);
    va_end(ap);
    if (m->count == 1) {
        m->line = line;
        m->example = gy_arena_text(&im->report->arena, example, strlen(example));
    }
    if (!refuse)
        return GY_OK;
    return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": %s%s%s%s; without --strict the row is rejected and counted",
                   gy_input_path(im->in), line, what, *example ? " (" : "", example, *example ? ")" : "");
}

gy_rc gy_import_reject(struct gy_import *im, uint64_t line, gy_err *e, const char *what, gy_slice value)
{
    return gy_import_fate(im, GY_FATE_REJECTED, line, e, what, "%.*s",
                          (int)(value.n < EXAMPLE_MAX ? value.n : EXAMPLE_MAX), value.s ? value.s : "");
}

void gy_import_remark(struct gy_import *im, gy_remark_kind kind, uint64_t line, const char *what,
                      const char *fmt, ...)
{
    char example[EXAMPLE_MAX];
    gy_remark *m = remark_of(im, kind, GY_FATE_JOB, what);
    if (m->count++ > 0)
        return;
    va_list ap;
    va_start(ap, fmt);
    show(example, fmt, ap);
    va_end(ap);
    m->line = line;
    m->example = gy_arena_text(&im->report->arena, example, strlen(example));
}

void gy_import_unknown_column(struct gy_import *im, uint64_t line, const char *name)
{
    char text[EXAMPLE_MAX];
    snprintf(text, sizeof text, "%s", name);
    gy_make_printable(text);
    gy_import_remark(im, GY_REMARK_COLUMN, line, text, "%s", "");
}

gy_rc gy_import_job(struct gy_import *im, const gy_job_row *row, uint64_t line, gy_err *e)
{
    gy_err why;
    gy_rc rc = gy_jobs_add(im->jobs, row, line, &why);
    if (rc == GY_OK)
        return GY_OK;
    if (im->family->canonical)
        return gy_fail(e, rc, "%s", why.text);
    /* The text begins with file and line, which the report has already. */
    const char *text = strstr(why.text, ": ");
    return gy_import_fate(im, GY_FATE_REJECTED, line, e, "is no possible job", "%s",
                          text ? text + 2 : why.text);
}

/* By the share of the file that has been read; what was read ahead makes it a little too low. */
static void expect_jobs(struct gy_import *im, uint64_t bytes)
{
    uint64_t size = gy_input_size(im->in);
    im->expected = true;
    if (size > bytes)
        gy_jobs_expect(im->jobs, im->jobs->n * (size / (bytes / 64)) / 64 * 17 / 16);
}

void gy_import_progress(struct gy_import *im)
{
    uint64_t bytes = gy_input_bytes(im->in);
    if (!im->expected && bytes >= EXPECT_BYTES)
        expect_jobs(im, bytes);
    if (!im->o->progress || bytes < im->next_progress)
        return;
    im->next_progress = bytes + PROGRESS_BYTES;
    im->o->progress(im->o->progress_ctx, bytes, gy_input_size(im->in));
}

bool gy_is_missing(gy_slice t)
{
    return t.n == 0 || gy_slice_is(t, "None") || gy_slice_is(t, "null");
}

gy_got gy_import_stamp(struct gy_import *im, gy_slice text, int64_t not_before_us, uint64_t line, int64_t *us)
{
    gy_stamp s;
    if (gy_is_missing(text))
        return GY_GOT_NOTHING;
    if (!gy_stamp_parse(&im->clock, text.s, text.n, &s)) {
        text = gy_slice_trim(text);
        if (gy_is_missing(text))
            return GY_GOT_NOTHING;
        if (!gy_stamp_parse(&im->clock, text.s, text.n, &s))
            return GY_GOT_BAD;
    }
    gy_local kind = gy_clock_utc(&im->clock, &s, not_before_us, us);
    if (kind == GY_LOCAL_TWICE)
        gy_import_remark(
            im, GY_REMARK_CLOCK, line,
            "local times that come twice are taken as the first, unless the order of the row's times "
            "says otherwise",
            "%.*s", (int)text.n, text.s);
    else if (kind == GY_LOCAL_SKIPPED)
        gy_import_remark(im, GY_REMARK_CLOCK, line,
                         "local times that the clocks skip are moved forward by the length of the jump",
                         "%.*s", (int)text.n, text.s);
    return GY_GOT;
}

gy_got gy_import_fixed(gy_slice text, int digits, int64_t *v)
{
    text = gy_slice_trim(text);
    if (gy_is_missing(text))
        return GY_GOT_NOTHING;
    return gy_parse_fixed(text.s, text.n, digits, v) == GY_NUMBER_OK ? GY_GOT : GY_GOT_BAD;
}
