/* gy_jobs_internal.h - what the two halves of the job table share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_JOBS_INTERNAL_H
#define GY_JOBS_INTERNAL_H

#include <stdarg.h>

#include "gy_jobs.h"

enum {
    GY_COLUMNS_MAX = 24,
    GY_COLUMNS_ALWAYS = 10, /* the first ones, which every table has */
    GY_JOBS_MAX = 1 << 28,
};

struct gy_column {
    void **data;
    size_t size; /* of an element */
};

size_t gy_jobs_columns(gy_jobs *t, struct gy_column *c);

/* By (first submission, tie, id); see gy_jobs_finish(). */
void gy_jobs_sort(gy_jobs *t, uint64_t tie_seed);

/* The text of an id that is one, or NULL. */
const char *gy_job_id_is_text(gy_job_id id);

struct gy_pending_after {
    uint32_t job;
    const char *text;
};

struct gy_jobs_build {
    uint32_t *slots; /* of shapes: number + 1 */
    size_t nslots;
    uint32_t last_shape;
    struct gy_pending_after *pending;
    size_t npending, pending_cap;
    gy_arena texts;
    bool ids_unique; /* known to be so */
};

#endif
