/* policy_help.h - a policy on a few jobs, in the process of the test: to the microsecond.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TEST_POLICY_HELP_H
#define TEST_POLICY_HELP_H

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_session.h"

#define MODULES GY_BINARY_DIR "/tests/modules/"
#define SHIPPED GY_BINARY_DIR "/lib/gpuyard/policies/"

/* Seconds to microseconds. */
#define S(seconds) ((int64_t)((seconds)*1e6 + 0.5))

struct bench {
    gy_jobs *jobs;
    gy_cluster *cluster;
    gy_options options;
    gy_policy *policy;
    gy_session *session;
    gy_str log; /* a line for each decision: "10 start A" */
    gy_err e;
};

static inline gy_slice slice_of(const char *s)
{
    return (gy_slice){s, strlen(s)};
}

static inline void bench_open(struct bench *b, const char *cluster)
{
    *b = (struct bench){.jobs = gy_jobs_create("test")};
    gy_options_init(&b->options);
    b->options.check = true;
    cr_assert_eq(gy_cluster_load(&b->cluster, cluster, &b->e), GY_OK, "%s", b->e.text);
}

/* A job of whole GPUs; what else it has is set through `more`. */
static inline void bench_job(struct bench *b, const char *id, int64_t submit_us, int64_t gpus,
                             int64_t duration_us, void (*more)(gy_job_row *row))
{
    gy_job_row row;
    gy_job_row_init(&row);
    row.id = slice_of(id);
    row.submit_us = submit_us;
    row.gpus_milli = 1000 * gpus;
    row.duration_us = duration_us;
    if (more)
        more(&row);
    cr_assert_eq(gy_jobs_add(b->jobs, &row, b->jobs->n + 1, &b->e), GY_OK, "%s", b->e.text);
}

static inline void bench_note(void *ctx, int64_t t_us, const char *what, uint32_t job, uint32_t reason,
                              const char *text)
{
    struct bench *b = ctx;
    char t[32], id[24];
    gy_put_us(t, t_us);
    gy_str_printf(&b->log, "%s %s %s", t, what, job == GY_NONE ? "-" : gy_job_id_text(b->jobs, job, id));
    if (reason)
        gy_str_printf(&b->log, " reason %u", reason);
    gy_str_printf(&b->log, "%s%s\n", *text ? " " : "", text);
}

static inline void bench_forget(struct bench *b)
{
    gy_session_free(b->session);
    gy_policy_close(b->policy);
    b->session = NULL;
    b->policy = NULL;
    b->log.n = 0;
}

/* The policy on the jobs so far; again with another one if wanted. */
static inline gy_rc bench_run(struct bench *b, const char *spec)
{
    bench_forget(b);
    if (!b->jobs->finished)
        cr_assert_eq(gy_jobs_finish(b->jobs, 0, &b->e), GY_OK, "%s", b->e.text);
    gy_rc rc = gy_policy_open(&b->policy, spec, &b->e);
    if (rc == GY_OK)
        rc = gy_session_create(&b->session, b->policy, b->jobs, b->cluster, NULL, &b->options, &b->e);
    if (rc != GY_OK)
        return rc;
    gy_session_log(b->session, bench_note, b);
    return gy_session_run(b->session, &b->e);
}

static inline void bench_close(struct bench *b)
{
    bench_forget(b);
    gy_jobs_free(b->jobs);
    gy_cluster_free(b->cluster);
    gy_str_fini(&b->log);
}

static inline uint32_t job_named(const struct bench *b, const char *id)
{
    uint32_t j = gy_jobs_find(b->jobs, id, strlen(id));
    cr_assert_neq(j, GY_NAME_NONE);
    return j;
}

/* When it started first, and when it ended. */
static inline void expect_times(const struct bench *b, const char *id, int64_t start_us, int64_t end_us)
{
    const gy_outcome *o = gy_session_outcome(b->session);
    uint32_t j = job_named(b, id);
    cr_expect_eq(o->start_us[j], start_us, "%s starts at %" PRId64 " us, not at %" PRId64, id, o->start_us[j],
                 start_us);
    cr_expect_eq(o->end_us[j], end_us, "%s ends at %" PRId64 " us, not at %" PRId64, id, o->end_us[j],
                 end_us);
}

static inline uint32_t preemptions_of(const struct bench *b, const char *id)
{
    const gy_outcome *o = gy_session_outcome(b->session);
    return o->preemptions ? o->preemptions[job_named(b, id)] : 0;
}

/* The policy ran to its end. */
static inline void expect_run(struct bench *b, const char *spec)
{
    gy_rc rc = bench_run(b, spec);
    cr_assert_eq(rc, GY_OK, "%s: %s", spec, b->e.text);
}

static inline void expect_words(const char *text, const char *words)
{
    cr_expect(strstr(text, words) != NULL, "\"%s\" does not say \"%s\"", text, words);
}

#endif
