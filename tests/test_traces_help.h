/* test_traces_help.h - loading traces from texts in tests.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TEST_TRACES_HELP_H
#define TEST_TRACES_HELP_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_trace.h"

/* A loaded text, or why not. */
struct loaded {
    gy_rc rc;
    gy_err e;
    gy_jobs *jobs;
    gy_trace_report *report;
};

static inline struct loaded load_text(const char *text, gy_trace_options o)
{
    struct loaded l = {.e.text = ""};
    l.rc = gy_trace_load_memory("t", text, strlen(text), &o, &l.jobs, &l.report, &l.e);
    return l;
}

static inline struct loaded must_load(const char *text, gy_trace_options o)
{
    struct loaded l = load_text(text, o);
    cr_assert_eq(l.rc, GY_OK, "%s", l.e.text);
    return l;
}

static inline void unload(struct loaded *l)
{
    gy_jobs_free(l->jobs);
    gy_trace_report_free(l->report);
}

/* The job of that id; it must be there. */
static inline uint32_t job_of(const struct loaded *l, const char *id)
{
    uint32_t j = gy_jobs_find(l->jobs, id, strlen(id));
    cr_assert_neq(j, GY_NAME_NONE, "no job %s", id);
    return j;
}

static inline bool has_job(const struct loaded *l, const char *id)
{
    return gy_jobs_find(l->jobs, id, strlen(id)) != GY_NAME_NONE;
}

#define S(seconds) ((int64_t)((seconds)*1000000LL))

/* The remark whose text contains `word`, or NULL. */
static inline const gy_remark *remark_of(const gy_trace_report *r, gy_remark_kind kind, const char *word)
{
    for (size_t i = 0; i < r->nremarks; i++)
        if (r->remarks[i].kind == kind && strstr(r->remarks[i].what, word))
            return &r->remarks[i];
    return NULL;
}

static inline uint64_t count_of(const gy_trace_report *r, gy_remark_kind kind, const char *word)
{
    const gy_remark *m = remark_of(r, kind, word);
    return m ? m->count : 0;
}

/* Every row has one fate. */
static inline void expect_fates(const gy_trace_report *r, uint64_t jobs, uint64_t never_started,
                                uint64_t censored, uint64_t rejected)
{
    cr_expect_eq(r->rows[GY_FATE_JOB], jobs, "jobs: %lu", (unsigned long)r->rows[GY_FATE_JOB]);
    cr_expect_eq(r->rows[GY_FATE_NEVER_STARTED], never_started, "never_started: %lu",
                 (unsigned long)r->rows[GY_FATE_NEVER_STARTED]);
    cr_expect_eq(r->rows[GY_FATE_CENSORED], censored, "censored: %lu",
                 (unsigned long)r->rows[GY_FATE_CENSORED]);
    cr_expect_eq(r->rows[GY_FATE_REJECTED], rejected, "rejected: %lu",
                 (unsigned long)r->rows[GY_FATE_REJECTED]);
    cr_expect_eq(r->rows_read, jobs + never_started + censored + rejected);
}

static inline const char *placed_of(const struct loaded *l, uint32_t j)
{
    return l->jobs->log_placed && l->jobs->log_placed[j] != GY_NAME_NONE
               ? gy_names_text(&l->jobs->texts, l->jobs->log_placed[j])
               : "";
}

#endif
