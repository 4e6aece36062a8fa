/* gy_philly_job_internal.h - from a Philly record to jobs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_PHILLY_JOB_INTERNAL_H
#define GY_PHILLY_JOB_INTERNAL_H

#include "gy_import_internal.h"
#include "gy_philly_internal.h"

struct gy_philly_span {       /* of an attempt, in Unix time */
    int64_t start_us, end_us; /* INT64_MIN: not known; end_us GY_NEVER: it still ran */
    const char *bad;          /* why it is broken, or NULL */
    gy_slice value;           /* that shows it */
};

/* A record and the room to work on it.  Zero-initialised is ready; used again and again. */
struct gy_philly_job {
    struct gy_philly_record record;
    struct gy_philly_span *spans;
    size_t spans_cap;
    uint32_t *gpus; /* numbers on one host */
    size_t gpus_cap;
    gy_str placed, id, after;
};

/* Takes the record that stands in job->record. */
gy_rc gy_philly_take(struct gy_import *im, struct gy_philly_job *job, uint64_t line, gy_err *e);
void gy_philly_job_fini(struct gy_philly_job *job);

#endif
