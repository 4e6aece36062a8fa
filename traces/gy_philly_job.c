/* gy_philly_job.c - what a Philly record means: run time, GPUs, placement, or why it is no job.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A job may have been tried several times.  It ran for the union of its attempts: the gaps between them are
 * no run time, and attempts that overlap (some share a copied end_time) are not counted twice.  A time that
 * is missing is not guessed: an attempt without a start, or one without an end that was followed by another,
 * makes the record's run time unknown, and it is rejected.  Only the last end may be missing: the job still
 * ran.
 */
#include "gy_philly_job_internal.h"

#include <stdlib.h>
#include <string.h>

void gy_philly_job_fini(struct gy_philly_job *job)
{
    gy_philly_record_fini(&job->record);
    free(job->spans);
    free(job->gpus);
    gy_str_fini(&job->placed);
    gy_str_fini(&job->id);
    gy_str_fini(&job->after);
}

/* ---- hosts and GPUs ---- */

static size_t gpus_of(const struct gy_philly_record *r, const struct gy_philly_attempt *a)
{
    size_t n = 0;
    for (size_t h = a->host0; h < a->host0 + a->nhosts; h++)
        n += r->hosts[h].ngpus;
    return n;
}

static int compare_numbers(const void *pa, const void *pb)
{
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    return (a > b) - (a < b);
}

/* "gpu7" */
static bool gpu_number(gy_slice gpu, uint32_t *number)
{
    int64_t v;
    if (gpu.n < 4 || gpu.n > 8 || memcmp(gpu.s, "gpu", 3) != 0 || gpu.s[3] < '0' || gpu.s[3] > '9' ||
        gy_parse_int(gpu.s + 3, gpu.n - 3, &v) != GY_NUMBER_OK)
        return false;
    *number = (uint32_t)v;
    return true;
}

/* A name that can stand in the column `placed`. */
static bool is_host_name(gy_slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.s[i] <= ' ' || strchr(":;,\"", s.s[i]))
            return false;
    return s.n > 0;
}

/* "m47:0-3,5" */
static bool put_host(struct gy_philly_job *job, const struct gy_philly_host *h)
{
    const struct gy_philly_record *r = &job->record;
    job->gpus = gy_reserve(job->gpus, &job->gpus_cap, h->ngpus, sizeof *job->gpus);
    for (size_t i = 0; i < h->ngpus; i++)
        if (!gpu_number(r->gpus[h->gpu0 + i], &job->gpus[i]))
            return false;
    if (!is_host_name(h->ip))
        return false;
    if (h->ngpus > 1)
        qsort(job->gpus, h->ngpus, sizeof *job->gpus, compare_numbers);
    gy_str_printf(&job->placed, "%s%.*s", job->placed.n ? ";" : "", (int)h->ip.n, h->ip.s);
    for (size_t i = 0, last; i < h->ngpus; i = last + 1) {
        for (last = i; last + 1 < h->ngpus && job->gpus[last + 1] <= job->gpus[last] + 1;)
            last++;
        gy_str_printf(&job->placed, "%c%u", i ? ',' : ':', job->gpus[i]);
        if (job->gpus[last] > job->gpus[i])
            gy_str_printf(&job->placed, "-%u", job->gpus[last]);
    }
    return true;
}

static gy_slice placed_of(struct gy_import *im, struct gy_philly_job *job, const struct gy_philly_attempt *a,
                          uint64_t line)
{
    job->placed.n = 0;
    for (size_t h = a->host0; h < a->host0 + a->nhosts; h++) {
        if (put_host(job, &job->record.hosts[h]))
            continue;
        gy_import_remark(im, GY_REMARK_NOTE, line,
                         "placements with host or GPU names of another kind are left out", "%.*s",
                         (int)job->record.hosts[h].ip.n, job->record.hosts[h].ip.s);
        return (gy_slice){"", 0};
    }
    return (gy_slice){job->placed.s, job->placed.n};
}

/* The attempt whose GPUs hold: the first one that names a host. */
static const struct gy_philly_attempt *first_placed(const struct gy_philly_record *r)
{
    for (size_t i = 0; i < r->nattempts; i++)
        if (r->attempts[i].nhosts)
            return &r->attempts[i];
    return NULL;
}

/* ---- times ---- */

/* What is wrong with attempt i, or NULL; fills in its times. */
static const char *take_span(struct gy_import *im, struct gy_philly_job *job, size_t i, int64_t submit_us,
                             uint64_t line)
{
    const struct gy_philly_attempt *a = &job->record.attempts[i];
    struct gy_philly_span *span = &job->spans[i];
    int64_t before = i == 0 ? submit_us : job->spans[i - 1].end_us;
    *span = (struct gy_philly_span){INT64_MIN, INT64_MIN, NULL, a->start};
    gy_got got = gy_import_stamp(im, a->start, before, line, &span->start_us);
    if (got != GY_GOT)
        return got == GY_GOT_BAD ? "start_time is no date and time" : "an attempt has no start_time";
    if (span->start_us < submit_us)
        return "an attempt starts before submitted_time";
    span->value = a->end;
    got = gy_import_stamp(im, a->end, span->start_us, line, &span->end_us);
    if (got == GY_GOT_BAD)
        return "end_time is no date and time";
    if (got == GY_GOT_NOTHING && i + 1 < job->record.nattempts)
        return "an attempt that was followed by another has no end_time";
    if (got == GY_GOT_NOTHING)
        span->end_us = GY_NEVER;
    return span->end_us < span->start_us ? "end_time lies before start_time" : NULL;
}

static void take_spans(struct gy_import *im, struct gy_philly_job *job, int64_t submit_us, uint64_t line)
{
    size_t n = job->record.nattempts;
    job->spans = gy_reserve(job->spans, &job->spans_cap, n, sizeof *job->spans);
    for (size_t i = 0; i < n; i++)
        job->spans[i].bad = take_span(im, job, i, submit_us, line);
}

static void report_overlap(struct gy_import *im, const struct gy_philly_record *r, uint64_t line)
{
    gy_import_remark(im, GY_REMARK_DISAGREEMENT, line,
                     "attempts overlap; the time that they share is counted once", "%.*s", (int)r->id.n,
                     r->id.s);
}

static int compare_spans(const void *pa, const void *pb)
{
    const struct gy_philly_span *a = pa, *b = pb;
    if (a->start_us != b->start_us)
        return a->start_us < b->start_us ? -1 : 1;
    return (a->end_us > b->end_us) - (a->end_us < b->end_us);
}

/* Length of the union; *overlap when it is shorter than the sum.  Sorts the spans. */
static int64_t union_of(struct gy_philly_span *spans, size_t n, bool *overlap)
{
    if (n > 1)
        qsort(spans, n, sizeof *spans, compare_spans);
    int64_t total = 0, until = INT64_MIN;
    *overlap = false;
    for (size_t i = 0; i < n; i++) {
        *overlap = *overlap || spans[i].start_us < until;
        int64_t from = spans[i].start_us > until ? spans[i].start_us : until;
        if (spans[i].end_us > from)
            total += spans[i].end_us - from;
        until = spans[i].end_us > until ? spans[i].end_us : until;
    }
    return total;
}

/* ---- records ---- */

/* What the members of the record itself say.  NULL, or why it is broken. */
static const char *take_owner(struct gy_import *im, const struct gy_philly_record *r, gy_job_row *row,
                              uint64_t line, gy_slice *value)
{
    *value = r->id;
    if (gy_is_missing(r->id))
        return "no jobid";
    row->id = r->id;
    row->user = r->user;
    row->queue = r->vc;
    *value = r->submitted;
    if (gy_import_stamp(im, r->submitted, INT64_MIN, line, &row->submit_us) != GY_GOT)
        return "submitted_time is no date and time";
    return NULL;
}

/* One job for all attempts. */
static gy_rc merge(struct gy_import *im, struct gy_philly_job *job, gy_job_row *row, uint64_t line, gy_err *e)
{
    const struct gy_philly_record *r = &job->record;
    for (size_t i = 0; i < r->nattempts; i++)
        if (job->spans[i].bad)
            return gy_import_reject(im, line, e, job->spans[i].bad, job->spans[i].value);
    if (job->spans[r->nattempts - 1].end_us == GY_NEVER)
        return gy_import_fate(im, GY_FATE_CENSORED, line, e, "the last attempt has no end_time", "%.*s",
                              (int)r->id.n, r->id.s);
    const struct gy_philly_attempt *placed = first_placed(r);
    if (!placed)
        return gy_import_reject(im, line, e, "no attempt names a host, so the number of GPUs is not known",
                                r->id);
    size_t gpus = gpus_of(r, placed);
    for (size_t i = 0; i < r->nattempts; i++)
        if (r->attempts[i].nhosts && gpus_of(r, &r->attempts[i]) != gpus)
            gy_import_remark(im, GY_REMARK_DISAGREEMENT, line,
                             "attempts have different numbers of GPUs; that of the first holds", "%.*s",
                             (int)r->id.n, r->id.s);
    bool overlap;
    row->duration_us = union_of(job->spans, r->nattempts, &overlap);
    if (overlap)
        report_overlap(im, r, line);
    row->start_us = job->spans[0].start_us;
    row->end_us = row->start_us;
    for (size_t i = 0; i < r->nattempts; i++)
        row->end_us = job->spans[i].end_us > row->end_us ? job->spans[i].end_us : row->end_us;
    row->gpus_milli = (int64_t)gpus * 1000;
    row->placed = placed_of(im, job, &r->attempts[r->nattempts - 1], line);
    return gy_import_job(im, row, line, e);
}

/* The end of attempt i for a job of its own: where the next one starts, if the log says that it ran on. */
static int64_t own_end(struct gy_import *im, const struct gy_philly_job *job, size_t i, uint64_t line)
{
    const struct gy_philly_span *span = &job->spans[i], *next = span + 1;
    if (i + 1 == job->record.nattempts || next->bad || next->start_us < span->start_us ||
        next->start_us >= span->end_us)
        return span->end_us;
    report_overlap(im, &job->record, line);
    return next->start_us;
}

/* One attempt as a job of its own: it is submitted when the one before has ended. */
static gy_rc split_one(struct gy_import *im, struct gy_philly_job *job, size_t i, gy_job_row row,
                       int64_t *ended_us, uint64_t line, gy_err *e)
{
    const struct gy_philly_record *r = &job->record;
    const struct gy_philly_span *span = &job->spans[i];
    if (span->bad)
        return gy_import_reject(im, line, e, span->bad, span->value);
    if (span->end_us == GY_NEVER)
        return gy_import_fate(im, GY_FATE_CENSORED, line, e, "the last attempt has no end_time", "%.*s",
                              (int)r->id.n, r->id.s);
    if (!r->attempts[i].nhosts)
        return gy_import_reject(im, line, e, "the attempt names no host, so the number of GPUs is not known",
                                r->id);
    if (i > 0) /* without a known end before it, it was there at the latest when it started */
        row.submit_us =
            *ended_us >= row.submit_us && *ended_us <= span->start_us ? *ended_us : span->start_us;
    row.start_us = span->start_us;
    row.end_us = own_end(im, job, i, line);
    row.duration_us = row.end_us - row.start_us;
    row.gpus_milli = (int64_t)gpus_of(r, &r->attempts[i]) * 1000;
    row.placed = placed_of(im, job, &r->attempts[i], line);
    if (i + 1 < r->nattempts) /* it was tried again, so it had failed */
        row.log_state = GY_LOG_FAILED;
    job->id.n = 0;
    gy_str_printf(&job->id, "%.*s.%zu", (int)r->id.n, r->id.s, i + 1);
    if (r->nattempts > 1)
        row.id = (gy_slice){job->id.s, job->id.n};
    row.after = (gy_slice){job->after.s, job->after.n};
    uint32_t before = im->jobs->n;
    gy_rc rc = gy_import_job(im, &row, line, e);
    if (im->jobs->n > before) {
        *ended_us = row.end_us;
        job->after.n = 0;
        gy_str_add(&job->after, row.id.s, row.id.n);
    }
    return rc;
}

static gy_rc split(struct gy_import *im, struct gy_philly_job *job, const gy_job_row *row, uint64_t line,
                   gy_err *e)
{
    gy_rc rc = GY_OK;
    int64_t ended_us = INT64_MIN;
    job->after.n = 0;
    for (size_t i = 0; i < job->record.nattempts && rc == GY_OK; i++)
        rc = split_one(im, job, i, *row, &ended_us, line, e);
    return rc;
}

/* A record that is broken as a whole: its attempts are when each is a row. */
static gy_rc reject_all(struct gy_import *im, const struct gy_philly_record *r, uint64_t line, gy_err *e,
                        const char *what, gy_slice value)
{
    size_t n = im->o->attempts == GY_ATTEMPTS_SPLIT && r->nattempts ? r->nattempts : 1;
    gy_rc rc = GY_OK;
    for (size_t i = 0; i < n && rc == GY_OK; i++)
        rc = gy_import_reject(im, line, e, what, value);
    return rc;
}

static gy_rc take_state(struct gy_import *im, const struct gy_philly_record *r, gy_job_row *row,
                        uint64_t line, gy_err *e)
{
    static const struct {
        const char *name;
        uint8_t log_state;
    } states[] = {{"Pass", GY_LOG_COMPLETED}, {"Killed", GY_LOG_KILLED}, {"Failed", GY_LOG_FAILED}};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        if (!gy_slice_is(r->status, states[i].name))
            continue;
        row->log_state = states[i].log_state;
        return GY_OK;
    }
    char shown[GY_SHOWN_MAX];
    return gy_fail(e, GY_EPARSE,
                   "%s:%" PRIu64 ": status \"%s\" is none of Pass, Killed, Failed, which Philly has; is it "
                   "another format?",
                   gy_input_path(im->in), line, gy_slice_show(r->status, shown));
}

gy_rc gy_philly_take(struct gy_import *im, struct gy_philly_job *job, uint64_t line, gy_err *e)
{
    const struct gy_philly_record *r = &job->record;
    gy_job_row row;
    gy_slice value;
    gy_job_row_init(&row);
    if (r->unknown)
        gy_import_unknown_column(im, line, r->unknown);
    if (gy_is_missing(r->status))
        return reject_all(im, r, line, e, "no status", r->id);
    gy_rc rc = take_state(im, r, &row, line, e);
    if (rc != GY_OK)
        return rc;
    const char *bad = take_owner(im, r, &row, line, &value);
    if (bad)
        return reject_all(im, r, line, e, bad, value);
    if (r->nattempts == 0)
        return gy_import_fate(im, GY_FATE_NEVER_STARTED, line, e, "no attempts", "%.*s", (int)r->id.n,
                              r->id.s);
    take_spans(im, job, row.submit_us, line);
    if (im->o->attempts == GY_ATTEMPTS_SPLIT)
        return split(im, job, &row, line, e);
    return merge(im, job, &row, line, e);
}
