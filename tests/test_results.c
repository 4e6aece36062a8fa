/* test_results.c - the figures of a run, against numbers worked out by hand.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "test_results_cases.h"
#include "test_results_fixture.h"

/* ---- distributions ---- */

Test(dist, sorts_like_qsort)
{
    static uint64_t v[5000], w[5000], spare[5000];
    gy_stream s = gy_stream_of(1, GY_RANDOM_GENERATE, 2);
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 1000, 5000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        for (size_t i = 0; i < sizes[k]; i++)
            v[i] = w[i] = gy_stream_u64(&s) >> (gy_stream_below(&s, 4) * 16);
        gy_sort_u64(v, spare, sizes[k]);
        for (size_t i = 1; i < sizes[k]; i++) { /* a plain insertion sort is the judge */
            uint64_t x = w[i];
            size_t j = i;
            for (; j > 0 && w[j - 1] > x; j--)
                w[j] = w[j - 1];
            w[j] = x;
        }
        cr_expect_arr_eq(v, w, sizes[k] * sizeof *v, "%zu values", sizes[k]);
    }
}

Test(dist, takes_the_nearest_rank)
{
    static const struct {
        size_t n;
        unsigned percent;
        size_t index;
    } rows[] = {
        {1, 50, 0},    {1, 99, 0},   {2, 50, 0},      {2, 51, 1},    {3, 50, 1},     {4, 50, 1},
        {4, 95, 3},    {20, 95, 18}, {20, 90, 17},    {100, 50, 49}, {100, 95, 94},  {100, 99, 98},
        {101, 99, 99}, {10, 99, 9},  {1000, 99, 989}, {0, 50, 0},    {100, 100, 99},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(gy_nearest_rank(rows[i].n, rows[i].percent), rows[i].index, "n %zu, p%u", rows[i].n,
                     rows[i].percent);
}

/* Means and extremes are those of a library that others wrote. */
Test(dist, agrees_with_gsl)
{
    enum { N = 9973 };
    double *v = gy_alloc(N, sizeof *v), *copy = gy_alloc(N, sizeof *copy);
    uint64_t *spare = gy_alloc(N, sizeof *spare);
    gy_stream s = gy_stream_of(9, GY_RANDOM_GENERATE, 2);
    for (size_t i = 0; i < N; i++)
        v[i] = copy[i] = gy_exp(3 * gy_stream_normal(&s));
    gy_real_dist d = gy_real_dist_of(v, spare, N);
    cr_expect_float_eq(d.mean, gsl_stats_mean(copy, 1, N), 1e-12 * d.mean);
    cr_expect_eq(d.max, gsl_stats_max(copy, 1, N));
    cr_expect_eq(d.p50, gsl_stats_median_from_sorted_data(v, 1, N), "of an odd number the median is a value");
    free(v);
    free(copy);
    free(spare);
}

Test(dist, is_undefined_without_values)
{
    gy_time_dist t = gy_time_dist_of(NULL, NULL, 0);
    gy_real_dist r = gy_real_dist_of(NULL, NULL, 0);
    cr_expect_eq(t.n, 0);
    cr_expect_eq(t.p50_us, GY_NEVER);
    cr_expect_eq(t.max_us, GY_NEVER);
    cr_expect(isnan(gy_time_mean_s(&t)));
    cr_expect(isnan(r.mean) && isnan(r.max));
}

Test(dist, thins_a_curve_within_its_bound)
{
    enum { N = 100000 };
    int64_t *v = gy_alloc(N, sizeof *v);
    gy_stream s = gy_stream_of(3, GY_RANDOM_GENERATE, 2);
    for (size_t i = 0; i < N; i++)
        v[i] = gy_stream_below(&s, 3) ? (int64_t)gy_stream_below(&s, 1000000) : 0;
    uint64_t *spare = gy_alloc(N, sizeof *spare);
    gy_sort_u64((uint64_t *)v, spare, N);
    free(spare);
    gy_cdf c = gy_cdf_of(v, N, N + 5000);
    cr_expect_leq(c.npoints, 2 * GY_CDF_STEPS + 2);
    cr_expect_eq(c.points[0].x_us, 0);
    cr_expect_eq(c.points[c.npoints - 1].count, N);
    uint64_t worst = 0, k = 0;
    for (uint64_t i = 0; i < N; i++) { /* at v[i] the exact curve has reached the end of its run of equals */
        if (i + 1 < N && v[i + 1] == v[i])
            continue;
        while (k + 1 < c.npoints && c.points[k + 1].x_us <= v[i])
            k++;
        cr_assert_leq(c.points[k].count, i + 1);
        worst = i + 1 - c.points[k].count > worst ? i + 1 - c.points[k].count : worst;
    }
    cr_expect_leq(worst * GY_CDF_STEPS, c.of, "off by %lu of %lu", (unsigned long)worst, (unsigned long)c.of);
    cr_expect_gt(worst, 0, "nothing was thinned");
    free(c.points);
    free(v);
}

/* ---- summary.json ---- */

static void case_row(gy_job_row *row, const struct one_job *j)
{
    gy_job_row_init(row);
    row->id = slice(j->id);
    row->user = slice(j->user);
    row->submit_us = S(j->submit);
    row->duration_us = S(j->duration);
    row->gpus_milli = (int64_t)(j->gpus * 1000);
    row->limit_us = j->limit > 0 ? S(j->limit) : GY_NEVER;
    row->deadline_us = j->deadline > 0 ? S(j->deadline) : GY_NEVER;
}

static void run_case(struct run *r, const struct figure_case *c)
{
    gy_err e = {0};
    run_open(r, c->cluster);
    for (size_t i = 0; i < CASE_JOBS && c->jobs[i].id; i++) {
        gy_job_row row;
        case_row(&row, &c->jobs[i]);
        cr_assert_eq(gy_jobs_add(r->jobs, &row, i + 2, &e), GY_OK, "%s", e.text);
    }
    run_ready(r);
    for (uint32_t j = 0; j < r->jobs->n; j++) {
        const struct one_job *job = &c->jobs[r->jobs->row[j]];
        r->state[j] = job->state;
        if (job->start >= 0)
            run_job(r, j, job->start, job->end, job->state);
    }
    run_books(r, c->from, c->to);
}

static void write_summary(gy_out *out, const void *from)
{
    gy_summary_write(from, out);
}

static cJSON *summary_json(const gy_outcome *o, int64_t tau_us)
{
    gy_summary s;
    gy_summary_of(&s, o, &(gy_figure_options){tau_us}, NULL, NULL);
    char *text = text_of(write_summary, &s);
    cJSON *tree = cJSON_Parse(text);
    cr_assert(tree, "no JSON: %s", text);
    free(text);
    return tree;
}

static const cJSON *lookup(const cJSON *tree, const char *dotted)
{
    char part[64];
    while (tree && *dotted) {
        size_t n = strcspn(dotted, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, dotted);
        tree = cJSON_GetObjectItemCaseSensitive(tree, part);
        dotted += n + (dotted[n] == '.');
    }
    return tree;
}

static void expect_key(const char *name, const cJSON *tree, const char *key, double want)
{
    const cJSON *v = lookup(tree, key);
    cr_assert(v, "%s: no key %s", name, key);
    if (isnan(want))
        cr_expect(cJSON_IsNull(v), "%s: %s is not null", name, key);
    else
        cr_expect(cJSON_IsNumber(v) && fabs(v->valuedouble - want) <= 1e-12 * fabs(want),
                  "%s: %s is %.17g, not %.17g", name, key, v->valuedouble, want);
}

static double number(const cJSON *tree, const char *key)
{
    const cJSON *v = lookup(tree, key);
    cr_assert(v && cJSON_IsNumber(v), "no number %s", key);
    return v->valuedouble;
}

/* What must hold in every run. */
static void expect_invariants(const char *name, const cJSON *tree)
{
    static const char *const parts[] = {"useful",       "overhead", "lost_preemption",
                                        "lost_failure", "idle",     "down"};
    double jobs = 0, gpu = 0;
    char key[64];
    for (int k = GY_STATE_FINISHED; k < GY_STATES; k++) {
        snprintf(key, sizeof key, "jobs.%s", gy_state_names[k]);
        jobs += number(tree, key);
    }
    cr_expect_eq(jobs, number(tree, "jobs.submitted"), "%s: jobs do not add up", name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(key, sizeof key, "gpu_s.%s", parts[i]);
        gpu += number(tree, key);
    }
    cr_expect_eq(gpu, number(tree, "gpu_s.installed"), "%s: GPU time does not add up", name);
}

Test(summary, follows_the_cases)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r;
        run_case(&r, &cases[i]);
        cJSON *tree = summary_json(&r.o, GY_TAU_DEFAULT_US);
        for (size_t k = 0; k < CASE_KEYS && cases[i].keys[k].key; k++)
            expect_key(cases[i].name, tree, cases[i].keys[k].key, cases[i].keys[k].value);
        expect_invariants(cases[i].name, tree);
        cJSON_Delete(tree);
        run_close(&r);
    }
}

Test(summary, takes_percentiles_of_1_to_100)
{
    struct run r;
    run_open(&r, "1x100");
    for (int i = 1; i <= 100; i++) {
        char id[16];
        snprintf(id, sizeof id, "%d", i);
        run_add(&r, id, "u", 0, 1, i, NULL);
    }
    run_ready(&r);
    for (uint32_t j = 0; j < 100; j++)
        run_job(&r, j, 0, (double)r.jobs->duration_us[j] / 1e6, DONE);
    run_books(&r, 0, 100);
    cJSON *tree = summary_json(&r.o, GY_TAU_DEFAULT_US);
    static const struct expected keys[] = {{"jct_s.p50", 50}, {"jct_s.p90", 90},  {"jct_s.p95", 95},
                                           {"jct_s.p99", 99}, {"jct_s.max", 100}, {"jct_s.mean", 50.5},
                                           {"jct_s.n", 100}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        expect_key("1 to 100", tree, keys[k].key, keys[k].value);
    cJSON_Delete(tree);
    run_close(&r);
}

Test(summary, counts_waits_after_preemptions)
{
    struct run r;
    run_open(&r, "1x8");
    run_add(&r, "A", "u", 0, 8, 100, NULL);
    run_add(&r, "B", "u", 50, 8, 20, NULL);
    run_ready(&r);
    run_job(&r, 0, 0, 120, DONE);
    r.run_us[0] = S(100);
    r.preemptions[0] = 1;
    r.restarts[0] = 1;
    run_job(&r, 1, 50, 70, DONE);
    run_books(&r, 0, 120);
    r.o.ledger.idle = 0; /* A stood still from 50 to 70, when B ran */
    r.o.ledger.useful = r.o.held = r.o.ledger.installed;
    cJSON *tree = summary_json(&r.o, S(200));
    static const struct expected keys[] = {{"wait_s.max", 0},
                                           {"total_wait_s.max", 20},
                                           {"total_wait_s.mean", 10},
                                           {"preemptions", 1},
                                           {"restarts", 1},
                                           {"gpu_s.useful", 960},
                                           {"gpu_s.lost_preemption", 0},
                                           /* both jobs are shorter than tau */
                                           {"bounded_slowdown.mean", 1},
                                           {"bounded_slowdown.tau_s", 200}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        expect_key("preempted", tree, keys[k].key, keys[k].value);
    expect_invariants("preempted", tree);
    cJSON_Delete(tree);
    run_close(&r);
}

Test(summary, tells_installed_from_available)
{
    struct run r;
    run_open(&r, "2x8");
    run_add(&r, "A", "u", 0, 8, 200, NULL);
    run_ready(&r);
    run_job(&r, 0, 0, 200, DONE);
    run_books(&r, 0, 200);
    r.o.ledger.down = (gy_i128)8000 * S(100);
    r.o.ledger.idle -= r.o.ledger.down;
    r.o.busy_max_milli = 8000;
    cJSON *tree = summary_json(&r.o, GY_TAU_DEFAULT_US);
    expect_key("node down", tree, "utilization.installed", 0.5);
    expect_key("node down", tree, "utilization.available", 2.0 / 3);
    expect_key("node down", tree, "utilization.max", 0.5);
    expect_key("node down", tree, "gpu_s.down", 800);
    cJSON_Delete(tree);
    run_close(&r);
}

/* 16,384 GPUs for 180 days are 2.5e20 milli-GPU us, beyond 64 bits and beyond the digits of a double. */
Test(summary, keeps_sums_beyond_64_bits_exact)
{
    struct run r;
    run_open(&r, "2048x8");
    run_add(&r, "A", "u", 0, 16384, 15552000.000001, NULL);
    run_ready(&r);
    r.start[0] = 0;
    r.state[0] = DONE;
    r.run_us[0] = r.end[0] = r.jobs->duration_us[0];
    run_books(&r, 0, 15552000.000001);
    cr_expect_gt(r.o.ledger.useful, (gy_i128)INT64_MAX);
    gy_summary s;
    gy_summary_of(&s, &r.o, &(gy_figure_options){GY_TAU_DEFAULT_US}, NULL, NULL);
    char *text = text_of(write_summary, &s);
    cr_expect(strstr(text, "\"useful\": 254803968000.016384,"), "%s", text);
    cr_expect(strstr(text, "\"installed\": 254803968000.016384,"), "%s", text);
    cr_expect(strstr(text, "\"p50\": 15552000.000001,"), "%s", text);
    cr_expect_float_eq(s.utilization_installed, 1, 0);
    free(text);
    run_close(&r);
}

Test(summary, sums_ten_thousand_long_times_without_rounding)
{
    enum { N = 10000 };
    int64_t *v = gy_alloc(N, sizeof *v);
    for (size_t i = 0; i < N; i++)
        v[i] = ((int64_t)1 << 52) + 1;
    uint64_t *spare = gy_alloc(N, sizeof *spare);
    gy_time_dist d = gy_time_dist_of(v, spare, N);
    cr_expect(d.sum_us == (gy_i128)N * (((int64_t)1 << 52) + 1));
    free(spare);
    free(v);
}

/* Every object has its members, whatever happened: the keys of two very different runs are the same. */
static void collect_keys(const cJSON *tree, const char *prefix, gy_str *out)
{
    for (const cJSON *v = tree->child; v; v = v->next) {
        char path[160];
        snprintf(path, sizeof path, "%s.%s", prefix, v->string);
        gy_str_printf(out, "%s\n", path);
        if (cJSON_IsObject(v))
            collect_keys(v, path, out);
    }
}

Test(summary, has_always_the_same_keys)
{
    gy_str first = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run r;
        gy_str keys = {0};
        run_case(&r, &cases[i]);
        cJSON *tree = summary_json(&r.o, GY_TAU_DEFAULT_US);
        collect_keys(tree, "", &keys);
        if (i == 0)
            gy_str_add(&first, keys.s, keys.n);
        cr_expect_str_eq(keys.s, first.s, "%s", cases[i].name);
        cJSON_Delete(tree);
        gy_str_fini(&keys);
        run_close(&r);
    }
    gy_str_fini(&first);
}

/* docs/metrics.md names every key. */
Test(summary, is_described_in_the_documentation)
{
    char *doc, *line;
    size_t n;
    gy_err e = {0};
    struct run r;
    gy_str keys = {0};
    cr_assert_eq(gy_read_file(GY_SOURCE_DIR "/docs/metrics.md", &doc, &n, &e), GY_OK, "%s", e.text);
    run_case(&r, &cases[0]);
    cJSON *tree = summary_json(&r.o, GY_TAU_DEFAULT_US);
    collect_keys(tree, "", &keys);
    for (char *rest = keys.s; (line = strtok_r(rest, "\n", &rest));) {
        char key[96];
        const char *last = strrchr(line, '.') + 1;
        snprintf(key, sizeof key, "`%s`", last);
        cr_expect(strstr(doc, key), "docs/metrics.md does not name %s (%s)", key, line + 1);
    }
    cJSON_Delete(tree);
    gy_str_fini(&keys);
    free(doc);
    run_close(&r);
}

/* ---- groups ---- */

Test(groups, knows_its_size_classes)
{
    static const struct {
        uint32_t milli;
        const char *name;
    } rows[] = {{0, "CPU only"},   {1, "share"},     {999, "share"},   {1000, "1"},    {2000, "2-4"},
                {4000, "2-4"},     {5000, "5-8"},    {8000, "5-8"},    {9000, "9-16"}, {17000, "17-64"},
                {65000, "65-256"}, {257000, "257+"}, {4096000, "257+"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_str_eq(gy_size_names[gy_size_class(rows[i].milli)], rows[i].name);
}

/* Each group's figures are those of its jobs alone. */
Test(groups, agree_with_the_whole)
{
    struct run r;
    run_open(&r, "4x8");
    toy_trace(&r, 400, 700);
    run_ready(&r);
    toy_run(&r, &(struct toy){true, false, 150000}, NULL);
    gy_summary s;
    gy_summary_of(&s, &r.o, &(gy_figure_options){GY_TAU_DEFAULT_US}, NULL, NULL);
    for (int kind = 0; kind < GY_GROUP_KINDS; kind++) {
        gy_groups g = gy_groups_by(&r.o, (gy_group_kind)kind);
        uint64_t submitted = 0, waits = 0, longest = 0;
        gy_i128 wait_sum = 0, held = 0;
        for (uint32_t k = 0; k < g.n; k++) {
            submitted += g.rows[k].submitted;
            waits += g.rows[k].wait.n;
            wait_sum += g.rows[k].wait.sum_us;
            held += g.rows[k].held;
            if (g.rows[k].wait.n && (uint64_t)g.rows[k].wait.max_us > longest)
                longest = (uint64_t)g.rows[k].wait.max_us;
        }
        cr_expect_eq(submitted, s.submitted, "kind %d", kind);
        cr_expect_eq(waits, s.wait.n, "kind %d", kind);
        cr_expect(wait_sum == s.wait.sum_us, "kind %d", kind);
        cr_expect_eq(longest, (uint64_t)s.wait.max_us, "kind %d", kind);
        cr_expect(kind > GY_GROUP_QUEUE || held == r.o.held, "kind %d", kind);
        free(g.rows);
    }
    cr_expect_lt(s.wait.n, s.submitted, "some jobs should still wait");
    run_close(&r);
}
