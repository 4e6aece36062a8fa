/* gy_quota_csv.c - see gy_quota_csv.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_quota_csv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gy_csv.h"
#include "gy_stamp.h"

enum { DAY_S = 86400 };
#define QUOTA_MAX_MILLI ((int64_t)1 << 40)

struct reader {
    gy_events *v;
    const char *path;
    gy_csv csv;
    gy_tz *tz;
    int64_t zero_epoch_us;
    size_t date, total; /* columns; total may be GY_CSV_NONE */
    uint32_t *queue;    /* number of each column's queue; GY_NONE for date and total */
    int64_t *now_milli, *next_milli;
    bool begun; /* the quotas at zero are known: events from here on */
    int64_t days, last_day, missing;
    bool late; /* zero lies before the first day */
};

static gy_rc bad(const struct reader *r, gy_err *e, size_t column, const char *why)
{
    char name[GY_SHOWN_MAX], shown[GY_SHOWN_MAX];
    return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": %s: \"%s\" %s", r->path, r->csv.line,
                   gy_slice_show(r->csv.names[column], name), gy_slice_show(r->csv.cells[column], shown),
                   why);
}

static gy_rc find_columns(struct reader *r, gy_err *e)
{
    r->date = gy_csv_column(&r->csv, "date");
    r->total = gy_csv_column(&r->csv, "total");
    if (r->date == GY_CSV_NONE)
        return gy_fail(e, GY_EPARSE,
                       "%s:%" PRIu64
                       ": the column date is missing; a quota file has date, one column for each "
                       "virtual cluster, and total",
                       r->path, r->csv.line);
    r->queue = gy_alloc(r->csv.nnames, sizeof *r->queue);
    r->now_milli = gy_alloc(r->csv.nnames, sizeof *r->now_milli);
    r->next_milli = gy_alloc(r->csv.nnames, sizeof *r->next_milli);
    for (size_t i = 0; i < r->csv.nnames; i++) {
        gy_slice name = r->csv.names[i];
        r->queue[i] = GY_NONE;
        if (i == r->date || i == r->total)
            continue;
        if (name.n == 0 || gy_csv_column(&r->csv, name.s) != i)
            return gy_fail(e, GY_EPARSE,
                           "%s:%" PRIu64
                           ": the column \"%s\" has no name of its own; name each virtual cluster once",
                           r->path, r->csv.line, name.s);
        r->queue[i] = gy_names_add(&r->v->queues, name.s, name.n);
    }
    return GY_OK;
}

/* One day's quotas into next_milli; the total is compared. */
static gy_rc take_quotas(struct reader *r, gy_err *e)
{
    int64_t sum = 0, total;
    for (size_t i = 0; i < r->csv.nnames; i++) {
        gy_slice cell = gy_slice_trim(r->csv.cells[i]);
        if (r->queue[i] == GY_NONE)
            continue;
        if (gy_parse_fixed(cell.s, cell.n, 3, &r->next_milli[i]) != GY_NUMBER_OK || r->next_milli[i] < 0 ||
            r->next_milli[i] > QUOTA_MAX_MILLI)
            return bad(r, e, i,
                       "is no number of GPUs; give one from 0 to 1099511627, with at most three digits "
                       "behind the point");
        sum += r->next_milli[i];
    }
    if (r->total == GY_CSV_NONE)
        return GY_OK;
    gy_slice cell = gy_slice_trim(r->csv.cells[r->total]);
    char buf[40], shown[GY_SHOWN_MAX];
    gy_put_fixed(buf, sum, 3);
    if (gy_parse_fixed(cell.s, cell.n, 3, &total) != GY_NUMBER_OK || total != sum)
        return gy_fail(e, GY_EPARSE,
                       "%s:%" PRIu64 ": total: \"%s\", but the columns add up to %s; mend the one or the "
                       "other, or leave the column total out",
                       r->path, r->csv.line, gy_slice_show(cell, shown), buf);
    return GY_OK;
}

static void put_event(struct reader *r, size_t column, int64_t t_us)
{
    gy_events_add(r->v, (gy_cluster_event){.t_us = t_us,
                                           .order = (uint32_t)r->v->n,
                                           .kind = GY_EVENT_QUOTA,
                                           .node = GY_NONE,
                                           .gpu = GY_NONE,
                                           .queue = r->queue[column],
                                           .quota_milli = r->now_milli[column]});
}

/* All that is in force at the trace's zero. */
static void begin(struct reader *r)
{
    for (size_t i = 0; i < r->csv.nnames; i++)
        if (r->queue[i] != GY_NONE)
            put_event(r, i, 0);
    r->begun = true;
}

/* A day's quotas come in force. */
static void take_day(struct reader *r, int64_t t_us)
{
    bool first = r->days == 0;
    if (t_us > 0 && !first && !r->begun)
        begin(r);
    for (size_t i = 0; i < r->csv.nnames; i++) {
        if (r->queue[i] == GY_NONE || r->now_milli[i] == r->next_milli[i])
            continue;
        r->now_milli[i] = r->next_milli[i];
        if (r->begun)
            put_event(r, i, t_us);
    }
    r->late = r->late || (first && t_us > 0);
    if (t_us > 0 && first)
        begin(r);
}

static gy_rc take_row(struct reader *r, gy_err *e)
{
    int64_t day, utc_s, second_s;
    if (r->csv.fault || !gy_csv_fits(&r->csv))
        return gy_csv_refuse(&r->csv, e);
    gy_slice date = gy_slice_trim(r->csv.cells[r->date]);
    if (!gy_date_parse(date.s, date.n, &day))
        return bad(r, e, r->date, "is no date; write it as 2020-04-01");
    if (r->days > 0 && day <= r->last_day)
        return bad(
            r, e, r->date,
            "does not lie behind the date of the row before; sort the rows by date, with one row for a day");
    r->missing += r->days > 0 ? day - r->last_day - 1 : 0;
    gy_rc rc = take_quotas(r, e);
    if (rc != GY_OK)
        return rc;
    gy_tz_utc(r->tz, day * DAY_S, &utc_s, &second_s);
    take_day(r, utc_s * GY_US_PER_S - r->zero_epoch_us);
    r->days++;
    r->last_day = day;
    return GY_OK;
}

static void put_notes(const struct reader *r, int64_t last_us, gy_str *notes)
{
    if (r->late)
        gy_str_printf(notes,
                      "%s: the trace begins before the first day; that day's quotas hold from the start\n",
                      r->path);
    if (last_us < 0)
        gy_str_printf(notes, "%s: the trace begins after the last day; that day's quotas hold\n", r->path);
    if (r->missing)
        gy_str_printf(notes, "%s: %" PRId64 " days are missing; the quotas of the day before hold\n", r->path,
                      r->missing);
}

static gy_rc read_rows(struct reader *r, gy_str *notes, gy_err *e)
{
    bool row = true;
    gy_rc rc = find_columns(r, e);
    while (rc == GY_OK) {
        rc = gy_csv_next(&r->csv, &row, e);
        if (rc != GY_OK || !row)
            break;
        rc = take_row(r, e);
    }
    if (rc != GY_OK)
        return rc;
    if (r->days == 0)
        return gy_fail(e, GY_EPARSE, "%s: holds no days; a row for each date must follow the header",
                       r->path);
    if (!r->begun)
        begin(r);
    int64_t utc_s, second_s; /* the end of the last day */
    gy_tz_utc(r->tz, (r->last_day + 1) * DAY_S, &utc_s, &second_s);
    if (notes)
        put_notes(r, utc_s * GY_US_PER_S - r->zero_epoch_us, notes);
    return GY_OK;
}

gy_rc gy_quota_csv_read(gy_events *v, gy_input *in, const char *tz, int64_t zero_epoch_us, gy_str *notes,
                        gy_err *e)
{
    struct reader r = {.v = v, .path = gy_input_path(in), .zero_epoch_us = zero_epoch_us};
    if (zero_epoch_us == GY_NEVER)
        return gy_fail(
            e, GY_EINVAL,
            "%s: has quotas by date, but the trace does not say on which date it begins; use the log that "
            "it was made from, or write the quotas as cluster events",
            r.path);
    gy_rc rc = gy_tz_open(&r.tz, tz ? tz : "Asia/Shanghai", e);
    if (rc != GY_OK)
        return rc;
    rc = gy_csv_open(&r.csv, in, ',', e);
    if (rc == GY_OK)
        rc = read_rows(&r, notes, e);
    gy_csv_fini(&r.csv);
    gy_tz_close(r.tz);
    free(r.queue);
    free(r.now_milli);
    free(r.next_milli);
    gy_events_sort(v);
    return rc;
}

gy_rc gy_quota_csv_load(gy_events *v, const char *path, const char *tz, int64_t zero_epoch_us, gy_str *notes,
                        gy_err *e)
{
    gy_input *in;
    gy_rc rc = gy_input_open(&in, path, e);
    if (rc != GY_OK)
        return rc;
    rc = gy_quota_csv_read(v, in, tz, zero_epoch_us, notes, e);
    gy_input_close(in);
    return rc;
}
