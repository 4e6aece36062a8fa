/* gy_report.h - report.html: one page that needs nothing else.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_REPORT_H
#define GY_REPORT_H

#include "gy_plot.h"

/* Writes the page: for one run its figures, for several the comparison first.  The same input gives the same
 * bytes.  `command`: what makes the page anew; NULL: what its one run was made with.  `warnings`: sentences,
 * one to a line. */
void gy_report_write(gy_out *out, const gy_run_digest *const *runs, size_t n, const gy_figures *figures,
                     const char *command, const char *warnings);

#endif
