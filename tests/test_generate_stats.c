/* test_generate_stats.c - generated traces against the published statistics of their sources.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tolerances come from the trace itself: a share or a mean is a ratio of two sums, its standard error follows
 * from the residuals of 100 blocks of consecutive jobs (batches are far shorter than a block), and 4.5
 * standard errors are allowed besides what the published figure is rounded or fitted to.
 */
#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdlib.h>

#include "gy_generate.h"

static gy_generate *opened(const char *model, const char *key, const char *value)
{
    gy_generate_options o;
    gy_generate *g = NULL;
    gy_err e;
    gy_generate_options_init(&o);
    o.model = model;
    cr_assert_eq(gy_generate_set(&o, key, value, &e), GY_OK, "%s", e.text);
    cr_assert_eq(gy_generate_open(&g, &o, &e), GY_OK, "%s", e.text);
    return g;
}

enum { BLOCKS = 100 };

enum figure {
    RUN,    /* mean of the durations */
    SIZE,   /* mean of the GPUs */
    WORK,   /* mean of GPUs x duration */
    UP_TO,  /* share of the jobs that run at most `from` seconds */
    JOBS,   /* share of the jobs with `from` to `to` GPUs */
    TIME,   /* share of the GPU time in jobs with `from` to `to` GPUs */
    ENDS,   /* share of the jobs that ended in state `from` */
    ENDTIME /* share of the GPU time in them */
};

struct published {
    enum figure figure;
    int64_t from, to;
    double value;
    double slack; /* relative: rounding of the source and of the fit */
};

typedef struct ratio {
    double y[BLOCKS], x[BLOCKS];
} ratio;

static double value_of(const ratio *r, double *error)
{
    double y = 0, x = 0, square = 0;
    for (int b = 0; b < BLOCKS; b++) {
        y += r->y[b];
        x += r->x[b];
    }
    for (int b = 0; b < BLOCKS; b++)
        square += (r->y[b] - y / x * r->x[b]) * (r->y[b] - y / x * r->x[b]);
    *error = sqrt(square * BLOCKS / (BLOCKS - 1)) / x;
    return y / x;
}

/* A failure in the published tables is any end but these two. */
static bool ends_as(const gy_job_row *r, int64_t state)
{
    bool failed = r->log_state != GY_LOG_COMPLETED && r->log_state != GY_LOG_KILLED;
    return state == GY_LOG_FAILED ? failed : r->log_state == state;
}

static void add(ratio *r, int block, const struct published *p, const gy_job_row *row)
{
    double run = (double)row->duration_us / 1e6, gpus = (double)row->gpus_milli / 1e3, work = run * gpus;
    bool in = gpus >= (double)p->from && gpus <= (double)p->to;
    const struct {
        double y, x;
    } terms[] = {[RUN] = {run, 1},
                 [SIZE] = {gpus, 1},
                 [WORK] = {work, 1},
                 [UP_TO] = {run <= (double)p->from, 1},
                 [JOBS] = {in, 1},
                 [TIME] = {in ? work : 0, work},
                 [ENDS] = {ends_as(row, p->from), 1},
                 [ENDTIME] = {ends_as(row, p->from) ? work : 0, work}};
    r->y[block] += terms[p->figure].y;
    r->x[block] += terms[p->figure].x;
}

static void compare(const char *model, const char *jobs, const struct published *rows, size_t n)
{
    static const char *const names[] = {[RUN] = "mean run s",
                                        [SIZE] = "mean GPUs",
                                        [WORK] = "GPU s per job",
                                        [UP_TO] = "jobs running up to s",
                                        [JOBS] = "jobs of GPUs",
                                        [TIME] = "GPU time of GPUs",
                                        [ENDS] = "jobs ending in state",
                                        [ENDTIME] = "GPU time ending in state"};
    gy_generate *g = opened(model, "jobs", jobs);
    uint64_t total = gy_generate_info_of(g)->jobs;
    ratio *sums = gy_alloc(n, sizeof *sums);
    gy_job_row row;
    for (uint64_t k = 0; gy_generate_next(g, &row); k++)
        for (size_t i = 0; i < n; i++)
            add(&sums[i], (int)(k * BLOCKS / total), &rows[i], &row);
    for (size_t i = 0; i < n; i++) {
        const struct published *p = &rows[i];
        double error, value = value_of(&sums[i], &error);
        double allowed = 4.5 * error + p->slack * p->value;
        cr_log_info("%s | %s %lld-%lld | %.6g | %.6g | %.2g\n", model, names[p->figure], (long long)p->from,
                    (long long)p->to, p->value, value, error);
        cr_expect_float_eq(value, p->value, allowed, "%s: %s %lld: published %g, generated %g, allowed %g",
                           model, names[p->figure], (long long)p->from, p->value, value, allowed);
        /* A tolerance that lets everything pass would be no test. */
        cr_expect_lt(allowed, 0.4 * p->value, "%s: %s %lld: allowed %g", model, names[p->figure],
                     (long long)p->from, allowed);
    }
    free(sums);
    gy_generate_close(g);
}
#define COMPARE(model, jobs, rows) compare(model, jobs, rows, sizeof(rows) / sizeof *(rows))

/* AcmeTrace's cumulative curves and summary of 112,956 GPU jobs; ends: ATC 2019, table 6. */
Test(statistics, philly_is_as_published)
{
    static const struct published rows[] = {
        {SIZE, 0, 0, 1.928, 0.005},
        {RUN, 0, 0, 18006, 0.01},
        {WORK, 0, 0, 61039, 0.01},
        {JOBS, 1, 1, 0.8242, 0.001},
        {JOBS, 2, 3, 0.0206, 0.005},
        {JOBS, 4, 7, 0.0756, 0.005},
        {JOBS, 8, 15, 0.0686, 0.005},
        {JOBS, 16, 31, 0.0091, 0.03},
        {JOBS, 32, 128, 0.0017, 0.03},
        {TIME, 1, 1, 0.164, 0.01},
        {TIME, 2, 3, 0.0297, 0.01},
        {TIME, 4, 7, 0.188, 0.01},
        {TIME, 8, 15, 0.499, 0.01},
        {TIME, 16, 31, 0.0944, 0.02},
        {UP_TO, 16, 0, 0.0362, 0.02},
        {UP_TO, 64, 0, 0.1888, 0.01},
        {UP_TO, 256, 0, 0.315, 0.01},
        {UP_TO, 874, 0, 0.5, 0.02},
        {UP_TO, 4096, 0, 0.7928, 0.005},
        {UP_TO, 16384, 0, 0.9029, 0.005},
        {UP_TO, 131072, 0, 0.9695, 0.005},
        {UP_TO, 1048576, 0, 0.998, 0.001},
        {ENDS, GY_LOG_COMPLETED, 0, 0.693, 0.005},
        {ENDS, GY_LOG_FAILED, 0, 0.172, 0.01},
        {ENDS, GY_LOG_KILLED, 0, 0.135, 0.01},
        {ENDTIME, GY_LOG_COMPLETED, 0, 0.4453, 0.02},
        {ENDTIME, GY_LOG_FAILED, 0, 0.1776, 0.04},
        {ENDTIME, GY_LOG_KILLED, 0, 0.3769, 0.02},
    };
    COMPARE("philly", "1000000", rows);
}

/* SC 2021 and AcmeTrace's curves of 1,580,464 GPU jobs. */
Test(statistics, helios_is_as_published)
{
    static const struct published rows[] = {
        {SIZE, 0, 0, 3.716, 0.005},
        {RUN, 0, 0, 6652, 0.01},
        {WORK, 0, 0, 49351, 0.01},
        {JOBS, 1, 1, 0.7219, 0.01},
        {JOBS, 2, 3, 0.0265, 0.01},
        {JOBS, 4, 7, 0.0584, 0.015},
        {JOBS, 8, 15, 0.1403, 0.025},
        {JOBS, 16, 23, 0.0302, 0.035},
        {JOBS, 24, 39, 0.0163, 0.04},
        {JOBS, 40, 63, 0.0026, 0.05},
        {JOBS, 64, 2048, 0.0039, 0.06},
        {TIME, 1, 1, 0.0544, 0.02},
        {TIME, 2, 3, 0.0184, 0.02},
        {TIME, 4, 7, 0.0525, 0.02},
        {TIME, 8, 15, 0.2894, 0.01},
        {TIME, 16, 23, 0.2007, 0.01},
        {TIME, 24, 39, 0.2509, 0.02},
        {TIME, 40, 63, 0.0382, 0.03},
        {TIME, 64, 2048, 0.0955, 0.02},
        {UP_TO, 1, 0, 0.04, 0.01},
        {UP_TO, 16, 0, 0.1072, 0.01},
        {UP_TO, 64, 0, 0.2488, 0.01},
        {UP_TO, 206, 0, 0.5, 0.02},
        {UP_TO, 1024, 0, 0.7525, 0.005},
        {UP_TO, 8192, 0, 0.9075, 0.005},
        {UP_TO, 65536, 0, 0.9777, 0.005},
        {UP_TO, 524288, 0, 0.9986, 0.001},
        {ENDS, GY_LOG_COMPLETED, 0, 0.624, 0.005},
        {ENDS, GY_LOG_FAILED, 0, 0.155, 0.015},
        {ENDS, GY_LOG_KILLED, 0, 0.221, 0.01},
        {ENDTIME, GY_LOG_COMPLETED, 0, 0.513, 0.015},
        {ENDTIME, GY_LOG_FAILED, 0, 0.093, 0.04},
        {ENDTIME, GY_LOG_KILLED, 0, 0.394, 0.015},
    };
    COMPARE("helios", "1580464", rows);
}

/* SC 2021, table of the clusters: mean and median run, mean GPUs, ends. */
Test(statistics, each_cluster_of_helios_is_as_published)
{
#define CLUSTER(run, median, size, work, completed, failed, killed)                                          \
    {                                                                                                        \
        {RUN, 0, 0, run, 0.01}, {UP_TO, median, 0, 0.5, 0.02}, {SIZE, 0, 0, size, 0.01},                     \
            {WORK, 0, 0, work, 0.01}, {ENDS, GY_LOG_COMPLETED, 0, completed, 0.01},                          \
            {ENDS, GY_LOG_FAILED, 0, failed, 0.02},                                                          \
        {                                                                                                    \
            ENDS, GY_LOG_KILLED, 0, killed, 0.01                                                             \
        }                                                                                                    \
    }
    static const struct published venus[] = CLUSTER(13041, 204, 6.736, 98526, 0.526, 0.202, 0.272);
    static const struct published earth[] = CLUSTER(5131, 234, 2.101, 26780, 0.735, 0.129, 0.136);
    static const struct published saturn[] = CLUSTER(5253, 124, 4.010, 39566, 0.582, 0.145, 0.272);
    static const struct published uranus[] = CLUSTER(9164, 280, 4.038, 80702, 0.607, 0.192, 0.201);
    COMPARE("helios-venus", "400000", venus);
    COMPARE("helios-earth", "400000", earth);
    COMPARE("helios-saturn", "400000", saturn);
    COMPARE("helios-uranus", "400000", uranus);
}

/* All 69,351 jobs of the ten clusters. */
Test(statistics, itp_is_as_published)
{
    static const struct published rows[] = {
        {WORK, 0, 0, 84754, 0.02},      {JOBS, 1, 1, 0.8317, 0.001},     {JOBS, 2, 3, 0.0214, 0.005},
        {JOBS, 4, 7, 0.0342, 0.005},    {JOBS, 8, 15, 0.1011, 0.005},    {JOBS, 16, 31, 0.0055, 0.01},
        {JOBS, 32, 63, 0.0051, 0.01},   {TIME, 1, 1, 0.127, 0.02},       {TIME, 2, 3, 0.008, 0.07},
        {TIME, 4, 7, 0.073, 0.02},      {TIME, 8, 15, 0.492, 0.02},      {TIME, 16, 31, 0.069, 0.04},
        {TIME, 32, 63, 0.173, 0.03},    {UP_TO, 983, 0, 0.05, 0.25},     {UP_TO, 3815, 0, 0.25, 0.04},
        {UP_TO, 10537, 0, 0.5, 0.09},   {UP_TO, 16319, 0, 0.75, 0.02},   {UP_TO, 28787, 0, 0.9, 0.02},
        {UP_TO, 57514, 0, 0.95, 0.005}, {UP_TO, 210110, 0, 0.99, 0.002},
    };
    COMPARE("itp-2021", "1000000", rows);
}

/* Jobs of one queue and GPU count with at most 10 s between them are a batch, as in the counts of the logs.
 */
struct burst {
    int64_t last_s, size;
};

static void count_batches(const char *model, const char *jobs, double mean, double single)
{
    enum { KEYS = 64 * 2049 };
    struct burst *last = gy_alloc(KEYS, sizeof *last);
    double batches = 0, singles = 0, total = 0;
    gy_names queues = {0};
    gy_generate *g = opened(model, "jobs", jobs);
    for (gy_job_row r; gy_generate_next(g, &r); total++) {
        uint32_t queue = gy_names_add(&queues, r.queue.s, r.queue.n);
        struct burst *b = &last[queue * 2049 + r.gpus_milli / 1000];
        int64_t now = r.submit_us / GY_US_PER_S;
        if (b->size && now - b->last_s <= 10) {
            singles -= b->size == 1;
            b->size++;
        } else {
            b->size = 1;
            singles++;
            batches++;
        }
        b->last_s = now;
    }
    cr_log_info("%s | batch size, share of single ones | %g %g | %.4g %.4g\n", model, mean, single,
                total / batches, singles / batches);
    cr_expect_float_eq(total / batches, mean, 0.07 * mean, "%s: %g", model, total / batches);
    cr_expect_float_eq(singles / batches, single, 0.03, "%s: %g", model, singles / batches);
    gy_names_fini(&queues);
    gy_generate_close(g);
    free(last);
}

Test(statistics, batches_are_as_large_as_in_the_logs)
{
    count_batches("philly", "500000", 2.08, 0.730);
    count_batches("itp-2021", "500000", 1.69, 0.806);
}

Test(statistics, hourly_counts_vary_as_in_the_logs)
{
    /* One log is one draw of a process with long bursts: its index of dispersion is known to about a fifth.
     */
    static const struct {
        const char *model;
        double index;
    } rows[] = {{"philly", 166}, {"helios-venus", 39}, {"itp-2021", 61}};
    for (size_t k = 0; k < 3; k++) {
        double *count = gy_alloc(1400 * 24, sizeof *count), sum = 0, square = 0;
        gy_generate *g = opened(rows[k].model, "span", "1400d");
        for (gy_job_row r; gy_generate_next(g, &r);)
            count[r.submit_us / GY_US_PER_S / 3600]++;
        gy_generate_close(g);
        for (int h = 0; h < 1400 * 24; h++) {
            sum += count[h];
            square += count[h] * count[h];
        }
        double mean = sum / (1400 * 24), index = (square / (1400 * 24) - mean * mean) / mean;
        cr_log_info("%s | hourly index of dispersion | %g | %.4g\n", rows[k].model, rows[k].index, index);
        cr_expect_float_eq(index, rows[k].index, 0.2 * rows[k].index, "%s: %g", rows[k].model, index);
        free(count);
    }
}

Test(statistics, queues_and_users_have_their_shares)
{
    double queue[12] = {0}, user[301] = {0}, total = 0, top = 0;
    gy_generate *g = opened("philly", "jobs", "500000");
    for (gy_job_row r; gy_generate_next(g, &r); total++) {
        queue[strtol(r.queue.s + 2, NULL, 10)]++;
        user[strtol(r.user.s + 1, NULL, 10)]++;
    }
    gy_generate_close(g);
    /* The largest virtual clusters of the log; Zipf's law with slope 1 over 300 users: H(15) / H(300).
     * Batches of sizes K make 500,000 jobs worth 500,000 E[K] / E[K^2] = 24,000 independent ones. */
    static const double shares[] = {0.501, 0.196, 0.121, 0.090};
    for (int q = 0; q < 4; q++)
        cr_expect_float_eq(queue[q + 1] / total, shares[q], 4.5 * sqrt(shares[q] * (1 - shares[q]) / 24000),
                           "queue %d: %g", q + 1, queue[q + 1] / total);
    for (int u = 1; u <= 15; u++)
        top += user[u] / total;
    cr_log_info("philly | jobs of the largest queue | 0.501 | %.4g\n", queue[1] / total);
    cr_log_info("philly | jobs of the top 5%% of the users | 0.528 | %.4g\n", top);
    cr_expect_float_eq(top, 0.528, 4.5 * 0.5 / sqrt(24000), "%g", top);
}
