/* gy_import_internal.h - what a trace family is made of, and the helpers its importer uses.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A family is one file that defines one `struct gy_family`, and one row in the table of gy_families.c.  A CSV
 * family lists its columns and turns one row's cells into a job; any other one reads the input by itself.
 */
#ifndef GY_IMPORT_INTERNAL_H
#define GY_IMPORT_INTERNAL_H

#include <inttypes.h>

#include "gy_csv.h"
#include "gy_stamp.h"
#include "gy_trace.h"

enum { GY_FAMILY_COLUMNS_MAX = 48 };

typedef enum gy_need {
    GY_NEED_MUST,  /* a file without it is not of this family */
    GY_NEED_MAY,   /* read when it is there */
    GY_NEED_NOTED, /* known, but of no use to a simulation: kept as a note */
} gy_need;

struct gy_family_column {
    const char *name;
    gy_need need;
    int kind;      /* for the family's own use */
    size_t offset; /* likewise */
};

/* The beginning of a file, to tell families apart. */
struct gy_sample {
    const char *text; /* behind a byte-order mark and blanks */
    size_t n;
};

struct gy_import;

struct gy_family {
    const char *name, *about;
    const char *tz; /* default zone of its stamps; NULL: its times are plain seconds */
    bool canonical; /* no row is rejected, times are not shifted */

    const struct gy_family_column *columns; /* CSV families */
    size_t ncolumns;
    char delimiter; /* 0: a comma */
    /* cell[k] is the cell of columns[k], empty when the column is missing. */
    gy_rc (*row)(struct gy_import *im, const gy_slice *cell, uint64_t line, gy_err *e);

    bool (*is)(const struct gy_sample *s); /* others */
    gy_rc (*read)(struct gy_import *im, gy_err *e);
};

/* One file being read. */
struct gy_import {
    const struct gy_family *family;
    const gy_trace_options *o;
    gy_input *in;
    gy_jobs *jobs;
    gy_trace_report *report;
    gy_tz *tz;
    gy_clock clock;
    uint8_t present[GY_FAMILY_COLUMNS_MAX]; /* which of a CSV family's columns the file has */
    size_t npresent;
    gy_str note;            /* unknown cells of the present row, one CSV line */
    uint64_t next_progress; /* bytes */
    bool expected;          /* the table has been told how many rows will come */
    uint64_t nrow;          /* rows seen, from 0: ids of families without any */
    size_t last_remark;
};

/* gy_families.c */
extern const struct gy_family *const gy_families[];                   /* NULL after the last */
const struct gy_family *gy_family_named(const char *name, gy_err *e); /* NULL: unknown, *e says so */
/* The family of which the file is, or NULL with *e. */
const struct gy_family *gy_family_detect(gy_input *in, gy_err *e);

/* gy_import_csv.c: reads the input of a CSV family row by row. */
gy_rc gy_import_csv(struct gy_import *im, gy_err *e);

/* gy_import.c */

/* The fate of a row that is no job; `what` is a constant text, fmt shows the value.  GY_EPARSE when the row
 * is rejected and nothing may be. */
gy_rc gy_import_fate(struct gy_import *im, gy_fate fate, uint64_t line, gy_err *e, const char *what,
                     const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The same for a rejected row, showing the value that is at fault. */
gy_rc gy_import_reject(struct gy_import *im, uint64_t line, gy_err *e, const char *what, gy_slice value);

/* Something to report about a row that stays. */
void gy_import_remark(struct gy_import *im, gy_remark_kind kind, uint64_t line, const char *what,
                      const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* A column or member of that name is not known to the family. */
void gy_import_unknown_column(struct gy_import *im, uint64_t line, const char *name);

/* Adds the row to the jobs; a row that the table refuses is rejected. */
gy_rc gy_import_job(struct gy_import *im, const gy_job_row *row, uint64_t line, gy_err *e);

/* Reports how far the file has been read. */
void gy_import_progress(struct gy_import *im);

typedef enum gy_got {
    GY_GOT,
    GY_GOT_NOTHING, /* empty, null, None */
    GY_GOT_BAD,
} gy_got;

/* An instant in microseconds of Unix time.  Oddities of local time are reported. */
gy_got gy_import_stamp(struct gy_import *im, gy_slice text, int64_t not_before_us, uint64_t line,
                       int64_t *us);

/* A decimal times 10^digits; blanks around it are no matter. */
gy_got gy_import_fixed(gy_slice text, int digits, int64_t *v);

bool gy_is_missing(gy_slice text);

#endif
