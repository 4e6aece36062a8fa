/* gy_report_internal.h - the sections of the report and what they share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_REPORT_INTERNAL_H
#define GY_REPORT_INTERNAL_H

#include "gy_compare.h"
#include "gy_embedded.h"
#include "gy_report.h"

extern const struct gy_embedded gy_report_parts[]; /* report.css, report.js */

/* A page being written. */
struct page {
    gy_out *out;
    const gy_run_digest *const *runs;
    size_t n;
    const gy_figures *figures;
    const char *command; /* NULL: the run's own */
};

void gy_html_text(gy_out *out, const char *s); /* with &, <, > and quotes replaced */

/* A figure of gnuplot's inside the page: no ids that could meet those of another figure, and the colour of
 * the text around it instead of black, so that it can be read on a dark page too. */
void gy_html_svg(gy_out *out, const char *svg, const char *label);

/* A swatch, the policy's name and a dagger if it is an oracle. */
void gy_html_policy(const struct page *p, size_t run);

/* Tables: <table> with a row of headings; the first column is text, the others are numbers. */
void gy_html_table(gy_out *out, const char *caption, const char *const *heads, size_t n);
void gy_html_table_end(gy_out *out);
void gy_html_cell_text(gy_out *out, const char *s);
void gy_html_cell(gy_out *out, gy_column_kind kind, double v); /* the value for sorting goes with it */
void gy_html_cell_gpu(gy_out *out, gy_i128 gpu_time);
void gy_html_cell_times(gy_out *out, const gy_time_dist *d); /* mean, p50, p95, max */

/* The sections. */
void gy_report_headline(const struct page *p);
void gy_report_gpu_time(const struct page *p);
void gy_report_sizes(const struct page *p);
void gy_report_run(const struct page *p, size_t run);
void gy_report_definitions(const struct page *p);
void gy_report_manifest(const struct page *p);

#endif
