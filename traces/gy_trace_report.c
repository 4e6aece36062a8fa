/* gy_trace_report.c - the account of a loaded trace, as text and as JSON.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gy_stamp.h"
#include "gy_trace.h"

static const char *const kind_names[] = {"fate", "disagreement", "clock", "column", "note"};

void gy_trace_report_free(gy_trace_report *r)
{
    if (!r)
        return;
    free(r->remarks);
    gy_arena_fini(&r->arena);
    free(r);
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void text_of_zero(const gy_trace_report *r, gy_str *out)
{
    char offset[40], stamp[64];
    if (r->offset_us == 0 && r->zero_epoch_us == GY_NEVER)
        return;
    gy_put_us(offset, r->offset_us);
    if (r->zero_epoch_us == GY_NEVER) {
        gy_str_printf(out, "  zero is the first submission, %s s on the axis of the file\n", offset);
        return;
    }
    gy_put_stamp(stamp, r->zero_epoch_us);
    gy_str_printf(out, "  zero is the first submission, %s UTC", stamp);
    if (r->tz)
        gy_str_printf(out, "; local times are those of %s (%s)", r->tz, r->tz_source);
    gy_str_puts(out, "\n");
}

static void text_of_remark(const gy_remark *m, gy_str *out)
{
    switch (m->kind) {
    case GY_REMARK_FATE:
        gy_str_printf(out, "  %" PRIu64 " %s: %s", m->count, gy_fate_names[m->fate], m->what);
        break;
    case GY_REMARK_DISAGREEMENT: gy_str_printf(out, "  %" PRIu64 " disagree: %s", m->count, m->what); break;
    case GY_REMARK_CLOCK: gy_str_printf(out, "  %" PRIu64 " clock: %s", m->count, m->what); break;
    case GY_REMARK_COLUMN:
        gy_str_printf(out, "  column \"%s\" is not known; it has no effect\n", m->what);
        return;
    case GY_REMARK_NOTE: gy_str_printf(out, "  note: %s", m->what); break;
    }
    if (m->line)
        gy_str_printf(out, "; first on line %" PRIu64, m->line);
    gy_str_printf(out, "%s%s\n", *m->example ? ": " : "", m->example);
}

void gy_trace_report_text(const gy_trace_report *r, gy_str *out)
{
    gy_str_printf(out, "%s: %s, %" PRIu64 " row%s read: %" PRIu64 " job%s", r->file, r->format, r->rows_read,
                  plural(r->rows_read), r->rows[GY_FATE_JOB], plural(r->rows[GY_FATE_JOB]));
    for (size_t i = GY_FATE_JOB + 1; i < GY_FATES; i++)
        if (r->rows[i])
            gy_str_printf(out, ", %" PRIu64 " %s", r->rows[i], gy_fate_names[i]);
    gy_str_puts(out, "\n");
    text_of_zero(r, out);
    for (size_t i = 0; i < r->nremarks; i++)
        text_of_remark(&r->remarks[i], out);
}

static void text_or_null(gy_json_out *w, const char *key, const char *s)
{
    if (s)
        gy_json_put_text(w, key, s);
    else
        gy_json_put_null(w, key);
}

static void json_of_remark(const gy_remark *m, gy_json_out *w)
{
    gy_json_open_flat(w, NULL, '{');
    gy_json_put_text(w, "kind", kind_names[m->kind]);
    text_or_null(w, "fate", m->kind == GY_REMARK_FATE ? gy_fate_names[m->fate] : NULL);
    gy_json_put_text(w, "what", m->what);
    gy_json_put_int(w, "count", (int64_t)m->count);
    if (m->line)
        gy_json_put_int(w, "first_line", (int64_t)m->line);
    else
        gy_json_put_null(w, "first_line");
    gy_json_put_text(w, "example", m->example);
    gy_json_close(w, '}');
}

void gy_trace_report_json(const gy_trace_report *r, gy_json_out *w)
{
    char stamp[64];
    gy_json_put_text(w, "format", r->format);
    gy_json_put_bool(w, "detected", r->detected);
    gy_json_put_text(w, "sha256", r->sha256);
    gy_json_put_int(w, "bytes", (int64_t)r->bytes);
    gy_json_put_int(w, "rows_read", (int64_t)r->rows_read);
    for (size_t i = 0; i < GY_FATES; i++)
        gy_json_put_int(w, gy_fate_names[i], (int64_t)r->rows[i]);
    text_or_null(w, "tz", r->tz);
    text_or_null(w, "tz_source", r->tz_source);
    gy_json_put_us(w, "offset_s", r->offset_us);
    gy_json_put_us(w, "zero_epoch_s", r->zero_epoch_us);
    if (r->zero_epoch_us != GY_NEVER)
        gy_put_stamp(stamp, r->zero_epoch_us);
    text_or_null(w, "zero_utc", r->zero_epoch_us != GY_NEVER ? stamp : NULL);
    gy_json_open(w, "remarks", '[');
    for (size_t i = 0; i < r->nremarks; i++)
        json_of_remark(&r->remarks[i], w);
    gy_json_close(w, ']');
}
