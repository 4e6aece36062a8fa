/* gy_jobs_csv.h - jobs.csv: one row for each job of the trace, in the order of the trace.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_JOBS_CSV_H
#define GY_JOBS_CSV_H

#include "gy_outcome.h"
#include "gy_output.h"

/* gy_outcome_placed() or something that answers like it. */
typedef uint32_t gy_placed_fn(const gy_outcome *o, uint32_t job, void (*put)(void *ctx, gy_span s),
                              void *ctx);

/* Writes header and rows.  Empty cells: what a job does not have (yet). */
void gy_jobs_csv_write(gy_out *out, const gy_outcome *o, gy_placed_fn *placed);

/* The texts of a name table as CSV cells, quoted where they must be. */
typedef struct gy_csv_names {
    gy_arena arena;
    struct gy_csv_name {
        const char *s;
        size_t n;
    } * list;
} gy_csv_names;

void gy_csv_names_init(gy_csv_names *c, const gy_names *names);
void gy_csv_names_fini(gy_csv_names *c);

#endif
