/* gy_trace.c - loading a trace: which family, which time zone, the rows, and what holds for all of them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_trace.h"

#include <string.h>

#include "gy_import_internal.h"

static gy_rc choose_family(struct gy_import *im, gy_err *e)
{
    const char *name = im->o->format;
    im->family = name ? gy_family_named(name, e) : gy_family_detect(im->in, e);
    if (!im->family)
        return e->rc;
    im->report->format = im->family->name;
    im->report->detected = !name;
    return GY_OK;
}

static gy_rc choose_zone(struct gy_import *im, gy_err *e)
{
    const char *tz = im->o->tz ? im->o->tz : im->family->tz;
    if (!im->family->tz) {
        if (im->o->tz)
            gy_import_remark(im, GY_REMARK_NOTE, 0,
                             "--tz has no use: the times of this format are plain seconds", "%s", "");
        return GY_OK;
    }
    gy_rc rc = gy_tz_open(&im->tz, tz, e);
    if (rc != GY_OK)
        return rc;
    im->clock = (gy_clock){.tz = im->tz};
    im->report->tz = gy_arena_text(&im->report->arena, tz, strlen(tz));
    gy_str source = {0};
    if (im->o->tz)
        gy_str_puts(&source, "--tz");
    else
        gy_str_printf(&source, "default of %s", im->family->name);
    im->report->tz_source = gy_arena_text(&im->report->arena, source.s, source.n);
    gy_str_fini(&source);
    if (gy_tz_is_builtin(im->tz))
        gy_import_remark(im, GY_REMARK_NOTE, 0,
                         "no time-zone files were found; the rule built in holds from 2007 on", "%s", tz);
    return GY_OK;
}

struct repeats {
    struct gy_import *im;
    gy_err *e;
    gy_rc rc;
};

static void told_repeat(void *ctx, uint32_t line, uint32_t first, const char *id)
{
    struct repeats *r = ctx;
    if (r->rc == GY_OK)
        r->rc = gy_import_fate(r->im, GY_FATE_REJECTED, line, r->e, "has the id of an earlier row",
                               "%s, as on line %u", id, first);
}

static gy_rc nothing_kept(const struct gy_import *im, gy_err *e)
{
    const gy_trace_report *r = im->report;
    const char *name = gy_input_path(im->in);
    if (r->rows_read == 0)
        return gy_fail(e, GY_EPARSE, "%s: holds no rows; a %s trace without jobs is of no use", name,
                       r->format);
    const gy_remark *m = r->remarks;
    while (m < r->remarks + r->nremarks && m->kind != GY_REMARK_FATE)
        m++;
    GY_ASSERT(m < r->remarks + r->nremarks);
    return gy_fail(e, GY_EPARSE, "%s: none of its %" PRIu64 " rows is a job; line %" PRIu64 ": %s%s%s%s",
                   name, r->rows_read, m->line, m->what, *m->example ? " (" : "", m->example,
                   *m->example ? ")" : "");
}

/* What holds for all rows: each id once, the zero, the order. */
static gy_rc finish(struct gy_import *im, gy_err *e)
{
    gy_trace_report *r = im->report;
    gy_rc rc = gy_input_sha256(im->in, r->sha256, e);
    r->bytes = gy_input_bytes(im->in);
    if (rc != GY_OK)
        return rc;
    if (!im->family->canonical) {
        struct repeats repeats = {im, e, GY_OK};
        gy_jobs_drop_repeats(im->jobs, told_repeat, &repeats);
        if (repeats.rc != GY_OK)
            return repeats.rc;
    }
    r->rows[GY_FATE_JOB] = im->jobs->n;
    for (size_t i = 0; i < GY_FATES; i++)
        r->rows_read += r->rows[i];
    if (im->jobs->n == 0 && !im->family->canonical)
        return nothing_kept(im, e);
    if (!im->family->canonical)
        r->offset_us = gy_jobs_shift_to_zero(im->jobs);
    r->zero_epoch_us = im->jobs->zero_epoch_us;
    return gy_jobs_finish(im->jobs, im->o->tie_seed, e);
}

static gy_rc load(gy_input *in, const gy_trace_options *o, gy_jobs **jobs, gy_trace_report **report,
                  gy_err *e)
{
    static const gy_trace_options defaults = {0};
    gy_err unseen = {.text = ""};
    e = e ? e : &unseen;
    struct gy_import im = {.o = o ? o : &defaults, .in = in};
    const char *path = gy_input_path(in);
    im.report = gy_alloc(1, sizeof *im.report);
    im.report->file = gy_arena_text(&im.report->arena, path, strlen(path));
    im.report->format = "";
    im.report->zero_epoch_us = GY_NEVER;
    im.jobs = gy_jobs_create(path);
    gy_rc rc = choose_family(&im, e);
    if (rc == GY_OK)
        rc = choose_zone(&im, e);
    if (rc == GY_OK)
        rc = im.family->read ? im.family->read(&im, e) : gy_import_csv(&im, e);
    if (rc == GY_OK)
        rc = finish(&im, e);
    gy_tz_close(im.tz);
    gy_str_fini(&im.note);
    if (rc != GY_OK) {
        gy_jobs_free(im.jobs);
        im.jobs = NULL;
    }
    *jobs = im.jobs;
    if (report)
        *report = im.report;
    else
        gy_trace_report_free(im.report);
    return rc;
}

gy_rc gy_trace_load(const char *path, const gy_trace_options *o, gy_jobs **jobs, gy_trace_report **report,
                    gy_err *e)
{
    gy_input *in;
    *jobs = NULL;
    if (report)
        *report = NULL;
    gy_rc rc = gy_input_open(&in, path, e);
    if (rc != GY_OK)
        return rc;
    rc = load(in, o, jobs, report, e);
    gy_input_close(in);
    return rc;
}

gy_rc gy_trace_load_memory(const char *name, const void *data, size_t n, const gy_trace_options *o,
                           gy_jobs **jobs, gy_trace_report **report, gy_err *e)
{
    gy_input *in;
    gy_input_open_memory(&in, name, data, n);
    gy_rc rc = load(in, o, jobs, report, e);
    gy_input_close(in);
    return rc;
}
