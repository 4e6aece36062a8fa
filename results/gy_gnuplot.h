/* gy_gnuplot.h - gnuplot as a program, and PDF files with the same bytes every time.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_GNUPLOT_H
#define GY_GNUPLOT_H

#include "gy_text.h"

/* Runs `program` ("gnuplot", searched in PATH) on folder/script, with folder as working directory, without
 * start-up files and in the C locale.  False when it cannot be started or fails; *why then says so in one
 * line, and *missing whether there is no such program. */
bool gy_gnuplot_run(const char *program, const char *folder, const char *script, gy_str *why, bool *missing);

/* Sets the creation date of a PDF file to a fixed one of the same length.  False when the file cannot be read
 * or written, or has no such date in plain sight. */
bool gy_pdf_fix_date(const char *path);

#endif
