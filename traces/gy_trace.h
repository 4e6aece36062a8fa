/* gy_trace.h - loading a job trace of any known family into a job table, with an account of every row.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     gy_trace_options o = {.tz = "UTC"};
 *     gy_jobs *jobs;
 *     gy_trace_report *report;
 *     gy_err e;
 *     if (gy_trace_load("cluster_log.csv", &o, &jobs, &report, &e) != GY_OK)
 *         ... e.text names file, line, value and remedy
 *
 * A canonical trace (csv) is taken as it is: any bad row is an error, and times are not moved.  The foreign
 * families are logs, and logs are dirty: each row has one fate, is counted under it with the line of the
 * first such row, and nothing is filtered or guessed.  Their zero is the first submission.
 */
#ifndef GY_TRACE_H
#define GY_TRACE_H

#include "gy_jobs.h"
#include "gy_json.h"

/* What became of a row of the file (of a record, in JSON; of an attempt, with GY_ATTEMPTS_SPLIT). */
typedef enum gy_fate {
    GY_FATE_JOB,           /* it is a job of the table */
    GY_FATE_MERGED,        /* it belongs to a job that another row counts for */
    GY_FATE_NEVER_STARTED, /* the log says it never ran */
    GY_FATE_CENSORED,      /* it had not ended when the log was taken: its length is not known */
    GY_FATE_REJECTED,      /* broken: a value is missing, no number, out of order, ... */
    GY_FATE_FILTERED,      /* left out on request */
    GY_FATES
} gy_fate;
extern const char *const gy_fate_names[GY_FATES]; /* "jobs", "merged", ...: the keys of the report */

typedef enum gy_attempts {
    GY_ATTEMPTS_MERGE, /* one job for all attempts; it ran for the union of their times */
    GY_ATTEMPTS_SPLIT, /* one job for each, called ID.1, ID.2, ...; it follows the one before */
} gy_attempts;

/* All zero is the default. */
typedef struct gy_trace_options {
    const char *format;   /* a family; NULL: told by the file's content, never by its name */
    const char *tz;       /* zone of stamps without an offset; NULL: the family's default */
    gy_attempts attempts; /* for families that record attempts */
    bool strict;          /* a rejected row is an error that names its line */
    bool keep_notes;      /* unknown columns are kept in gy_jobs.note */
    uint64_t tie_seed;    /* passed to gy_jobs_finish() */
    /* Called about once per megabyte, with bytes of the file; size is 0 when it is not known.  May be NULL.
     */
    void (*progress)(void *ctx, uint64_t bytes, uint64_t size);
    void *progress_ctx;
} gy_trace_options;

typedef enum gy_remark_kind {
    GY_REMARK_FATE,         /* why rows are no jobs */
    GY_REMARK_DISAGREEMENT, /* two columns say different things; which one holds is in the text */
    GY_REMARK_CLOCK,        /* local times that come twice or not at all */
    GY_REMARK_COLUMN,       /* columns that are not known */
    GY_REMARK_NOTE,         /* assumptions, and options that had no use */
} gy_remark_kind;

/* Something that was found, how often, and where for the first time. */
typedef struct gy_remark {
    gy_remark_kind kind;
    gy_fate fate; /* for GY_REMARK_FATE */
    uint64_t count;
    uint64_t line;       /* of the first; 0: concerns the file as a whole */
    const char *what;    /* "end_time lies before start_time" */
    const char *example; /* of the first: "2017-10-03 01:00:00"; "" when there is nothing to show */
} gy_remark;

typedef struct gy_trace_report {
    const char *file;   /* path as given */
    const char *format; /* the family's name */
    bool detected;      /* and not given */
    char sha256[65];    /* of the file as it lies on disk */
    uint64_t bytes;     /* likewise */
    uint64_t rows_read; /* the sum of rows[] */
    uint64_t rows[GY_FATES];
    const char *tz;        /* time zone used; NULL when the file needs none */
    const char *tz_source; /* "--tz", "default of philly" */
    int64_t offset_us; /* the first submission on the file's own axis, taken from all times; 0: canonical */
    int64_t zero_epoch_us; /* Unix time of the trace's zero; GY_NEVER when the file does not say */
    gy_remark *remarks;    /* in order of first occurrence */
    size_t nremarks;

    size_t remarks_cap; /* private */
    gy_arena arena;
} gy_trace_report;

/* Loads the file at `path` ("-": standard input; gzip is told by content).  Both results are owned by the
 * caller. On an error *jobs is NULL; *report is NULL or tells what had been found by then, and must be freed
 * too.  o and report may be NULL.  GY_EINVAL: an option; GY_EIO: the file; GY_EPARSE: its content.  A file of
 * a foreign family that holds no job at all is GY_EPARSE; a canonical trace with a header and no rows is an
 * empty trace. */
gy_rc gy_trace_load(const char *path, const gy_trace_options *o, gy_jobs **jobs, gy_trace_report **report,
                    gy_err *e);

/* The same from bytes in memory; `name` stands for the path in messages. */
gy_rc gy_trace_load_memory(const char *name, const void *data, size_t n, const gy_trace_options *o,
                           gy_jobs **jobs, gy_trace_report **report, gy_err *e);

void gy_trace_report_free(gy_trace_report *r); /* NULL is allowed */

/* One line per finding, each with a newline, for stderr; the first says what was read. */
void gy_trace_report_text(const gy_trace_report *r, gy_str *out);

/* Members of the JSON object that the caller has open: format, detected, sha256, bytes, rows_read, jobs,
 * merged, never_started, censored, rejected, filtered, tz, tz_source, offset_s, zero_epoch_s, zero_utc,
 * remarks.  Always the same keys. */
void gy_trace_report_json(const gy_trace_report *r, gy_json_out *w);

/* The known families: name and one sentence about number i, false after the last. */
bool gy_trace_format(size_t i, const char **name, const char **about);

#endif
