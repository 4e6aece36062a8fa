/* gy_run_digest.h - what tables, plots and reports need of one run, in some hundred kB instead of its
 * outcome. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * compare keeps one for each policy; a run in a child process saves it to a file and the parent loads it.
 */
#ifndef GY_RUN_DIGEST_H
#define GY_RUN_DIGEST_H

#include "gy_jobs_csv.h"
#include "gy_manifest.h"
#include "gy_summary.h"
#include "gy_timeline.h"

enum { GY_TOP_GROUPS = 10 }; /* users and queues kept: those that held most GPU time */

/* A run that is over.  Everything is borrowed. */
typedef struct gy_run_input {
    const gy_outcome *outcome;
    const gy_manifest *manifest;
    gy_figure_options figures;
    const gy_series *series; /* from gy_timeline_close(); NULL: no curves over time */
    gy_placed_fn *placed;    /* NULL: gy_outcome_placed() */
    const char *const *warnings;
    size_t nwarnings;
} gy_run_input;

typedef struct gy_named_row {
    const char *name;
    gy_group_row row;
} gy_named_row;

typedef struct gy_top_groups {
    gy_named_row *rows; /* most GPU time first */
    uint64_t nrows;
    uint64_t all; /* how many there are in users.csv or queues.csv */
} gy_top_groups;

/* Texts and arrays live in `arena`. */
typedef struct gy_run_digest {
    const char *policy; /* as given on the command line */
    const char *reason; /* why there is no run: the row reads n/a; NULL: there is one */
    bool oracle;
    const char *trace, *cluster; /* one line each */
    gy_summary summary;
    gy_cdf wait, jct;
    gy_series series;
    gy_group_row sizes[GY_SIZE_CLASSES];
    gy_top_groups users, queues;
    const char **warnings;
    uint64_t nwarnings;
    gy_manifest manifest;
    gy_arena arena;
} gy_run_digest;

void gy_run_digest_of(gy_run_digest *d, const gy_run_input *in);

/* The same with the tables of users and queues, when the caller has made them already. */
void gy_run_digest_with(gy_run_digest *d, const gy_run_input *in, const gy_groups *users,
                        const gy_groups *queues);

/* A policy that could not run. */
void gy_run_digest_na(gy_run_digest *d, const char *policy, const char *reason);
void gy_run_digest_fini(gy_run_digest *d);

/* The file is for the same build of the program on the same machine: GY_EPARSE when it is not. */
gy_rc gy_run_digest_save(const gy_run_digest *d, const char *path, gy_err *e);
gy_rc gy_run_digest_load(gy_run_digest *d, const char *path, gy_err *e);

#endif
