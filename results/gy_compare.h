/* gy_compare.h - several policies side by side: which figures, which are best, as text, CSV and JSON.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_COMPARE_H
#define GY_COMPARE_H

#include "gy_run_digest.h"

typedef enum gy_column_kind {
    GY_COLUMN_TIME,    /* seconds */
    GY_COLUMN_PERCENT, /* a ratio, shown as per cent */
    GY_COLUMN_RATIO,
    GY_COLUMN_COUNT
} gy_column_kind;

typedef enum gy_better { GY_BETTER_NONE, GY_BETTER_LOW, GY_BETTER_HIGH } gy_better;

enum { GY_SHOW_TERMINAL = 1, /* in the table of 120 columns */ GY_SHOW_PAGE = 2 /* in the report's */ };

/* One figure of the comparison.  Values are doubles, NaN where nothing is defined. */
typedef struct gy_compare_column {
    const char *key;   /* in compare.csv and compare.json: "wait_mean_s" */
    const char *group; /* "wait" */
    const char *name;  /* "mean" */
    gy_column_kind kind;
    gy_better better;
    unsigned shown; /* GY_SHOW_...: files carry all */
    double (*value)(const gy_summary *s);
    /* How many jobs it is taken over: rows are comparable when these agree.  NULL: always. */
    uint64_t (*over)(const gy_summary *s);
} gy_compare_column;

/* Ends with key NULL. */
extern const gy_compare_column gy_compare_columns[];

/* Marks the best of a column: best[i] for each row that has the best value among the comparable rows that are
 * no oracles.  No mark when there are fewer than two such rows or all are equal. */
void gy_compare_best(const gy_compare_column *c, const gy_run_digest *const *runs, size_t n, bool *best);

/* The table for a terminal, at most 120 columns wide, plain ASCII.  Appended to *out. */
void gy_compare_show(gy_str *out, const gy_run_digest *const *runs, size_t n);

void gy_compare_csv(gy_out *out, const gy_run_digest *const *runs, size_t n);

/* The same and more for machines: every figure of each run's summary.  Order of rows as given. */
void gy_compare_json(gy_out *out, const gy_run_digest *const *runs, size_t n);

/* The summary of one run for a terminal.  Appended to *out. */
void gy_run_show(gy_str *out, const gy_run_digest *run);

/* A value of the kind as a person reads it. */
char *gy_column_text(char out[48], gy_column_kind kind, double v);

#endif
