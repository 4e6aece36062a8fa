/* embed.c - a program that carries libgpuyard: one trace, one cluster, one policy, two runs in two threads.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     embed TRACE CLUSTER POLICY     prints the digest of each run; 0 when they are equal
 */
#include <gpuyard/gpuyard.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

struct run {
    const gy_jobs *jobs;
    const gy_cluster *cluster;
    const gy_policy *policy;
    gy_rc rc;
    gy_err error;
    uint64_t digest, starts;
};

static void *simulate(void *p)
{
    struct run *r = p;
    gy_options options;
    gy_session *s = NULL;
    gy_options_init(&options);
    r->rc = gy_session_create(&s, r->policy, r->jobs, r->cluster, NULL, &options, &r->error);
    if (r->rc == GY_OK)
        r->rc = gy_session_run(s, &r->error);
    if (r->rc == GY_OK) {
        r->digest = gy_session_outcome(s)->digest;
        r->starts = gy_session_outcome(s)->starts;
    }
    gy_session_free(s);
    return NULL;
}

static int two_runs(const gy_jobs *jobs, const gy_cluster *cluster, const gy_policy *policy)
{
    struct run run[2];
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        run[i] = (struct run){.jobs = jobs, .cluster = cluster, .policy = policy};
        if (pthread_create(&thread[i], NULL, simulate, &run[i]) != 0)
            return 1;
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
        if (run[i].rc != GY_OK) {
            fprintf(stderr, "embed: %s\n", run[i].error.text);
            return 1;
        }
        printf("digest %016" PRIx64 ", %" PRIu64 " starts\n", run[i].digest, run[i].starts);
    }
    return run[0].digest != run[1].digest;
}

int main(int argc, char **argv)
{
    gy_jobs *jobs = NULL;
    gy_trace_report *report = NULL;
    gy_cluster *cluster = NULL;
    gy_policy *policy = NULL;
    gy_err e;
    if (argc != 4) {
        fputs("usage: embed TRACE CLUSTER POLICY\n", stderr);
        return 2;
    }
    gy_rc rc = gy_trace_load(argv[1], NULL, &jobs, &report, &e);
    if (rc == GY_OK)
        rc = gy_cluster_load(&cluster, argv[2], &e);
    if (rc == GY_OK)
        rc = gy_policy_open(&policy, argv[3], &e);
    int code = 2;
    if (rc == GY_OK)
        code = two_runs(jobs, cluster, policy);
    else
        fprintf(stderr, "embed: %s\n", e.text);
    gy_policy_close(policy);
    gy_cluster_free(cluster);
    gy_trace_report_free(report);
    gy_jobs_free(jobs);
    return code;
}
