/* gy_results.h - everything a run or a comparison leaves on disk.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A run:    open the folder; gy_outdir_file("timeline.csv") and gy_timeline_open(); simulate;
 *           gy_timeline_close(); close that file; gy_results_run_write(); gy_results_perf_write(); commit.
 * compare:  gy_run_digest_of() for each policy (in a child: gy_run_digest_save(), the parent loads it);
 *           gy_compare_show() or gy_compare_json(); gy_results_compare_write(); commit.
 *
 * The commit also removes what an earlier run or comparison left in the folder, by the names that gpuyard
 * gives.
 */
#ifndef GY_RESULTS_H
#define GY_RESULTS_H

#include "gy_compare.h"
#include "gy_plot.h"
#include "gy_report.h"

typedef struct gy_results_options {
    bool plots;          /* plots/ */
    bool report;         /* report.html; implies plots */
    const char *gnuplot; /* NULL: "gnuplot" */
} gy_results_options;

/* jobs.csv, users.csv, queues.csv, summary.json, manifest.json, and what the options ask for.  *digest (may
 * be NULL) becomes the run's digest, owned by the caller.  Sentences for the user are appended to *warnings,
 * one to a line. */
gy_rc gy_results_run_write(gy_outdir *d, const gy_run_input *in, const gy_results_options *opt,
                           gy_run_digest *digest, gy_str *warnings, gy_err *e);

/* compare.csv, compare.json, plots/ and report.html. */
gy_rc gy_results_compare_write(gy_outdir *d, const gy_run_digest *const *runs, size_t n,
                               const gy_results_options *opt, gy_str *warnings, gy_err *e);

gy_rc gy_results_perf_write(gy_outdir *d, const gy_perf *perf, gy_err *e);

#endif
