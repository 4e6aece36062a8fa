/* test_results_files.c - the files of a run: their text to the byte, and digests to disk and back.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <math.h>
#include <sys/stat.h>

#include "gy_groups_csv.h"
#include "test_results_fixture.h"

/* ---- jobs.csv ---- */

/* Job number -> stretches, as the engine would tell them. */
static uint32_t placed_by_hand(const gy_outcome *o, uint32_t job, void (*put)(void *ctx, gy_span s),
                               void *ctx)
{
    static const gy_span whole[] = {{0, 0, 8}}, gaps[] = {{0, 1, 1}, {0, 3, 2}, {3, 0, 8}},
                         one[] = {{2, 5, 1}};
    char buf[24];
    const char *id = gy_job_id_text(o->jobs, job, buf);
    const gy_span *s = strcmp(id, "7") == 0 ? gaps : strcmp(id, "half") == 0 ? one : whole;
    uint32_t n = s == gaps ? 3 : 1;
    for (uint32_t i = 0; i < n; i++)
        put(ctx, s[i]);
    return n;
}

static void write_jobs(gy_out *out, const void *from)
{
    gy_jobs_csv_write(out, from, placed_by_hand);
}

static void owner_with_quotes(gy_job_row *row)
{
    row->group = slice("say \"hi\"");
    row->queue = slice("a,b");
}

static void later(gy_job_row *row)
{
    row->eligible_us = S(20.000001);
}

Test(jobs_csv, is_exact_to_the_byte)
{
    struct run r;
    run_open(&r, "4x8");
    run_add(&r, "z,\"1\"", "u", 12.5, 8, 100, owner_with_quotes);
    run_add(&r, "7", "u", 0, 11, 100, later);
    run_add(&r, "half", "v", 1, 0.5, 3, NULL);
    run_add(&r, "big", "u", 2, 512, 3, NULL);
    run_add(&r, "waits", "u", 3, 1, 3, NULL);
    run_add(&r, "behind", "u", 1000, 1, 3, NULL);
    run_ready(&r);
    uint32_t j = gy_jobs_find(r.jobs, "7", 1);
    run_job(&r, j, 20.000001, 170.25, GY_STATE_FINISHED);
    r.eligible[j] = S(20.000001);
    r.run_us[j] = S(120);
    r.preemptions[j] = 12;
    r.restarts[j] = 345;
    r.lost[j] = S(1.000001);
    run_job(&r, gy_jobs_find(r.jobs, "half", 4), 1, 4, GY_STATE_FAILED);
    run_job(&r, gy_jobs_find(r.jobs, "z,\"1\"", 5), 12.5, 50, GY_STATE_RUNNING);
    j = gy_jobs_find(r.jobs, "big", 3);
    r.state[j] = GY_STATE_INFEASIBLE;
    r.end[j] = S(2); /* over at once, but it never ran: no end */
    j = gy_jobs_find(r.jobs, "waits", 5);
    r.eligible[j] = GY_NEVER; /* for a predecessor */
    j = gy_jobs_find(r.jobs, "behind", 6);
    r.state[j] = GY_STATE_NONE;
    char *text = text_of(write_jobs, &r.o);
    cr_expect_str_eq(
        text, "job_id,user,group,queue,gpus,submit_s,eligible_s,start_s,end_s,state,first_wait_s,total_wait_"
              "s,run_s,"
              "jct_s,preemptions,restarts,lost_gpu_s,placed\n"
              "\"z,\"\"1\"\"\",u,\"say \"\"hi\"\"\",\"a,b\",8,12.5,12.5,12.5,,running,0,,37.5,,0,0,0,n0:0-7\n"
              "7,u,,,11,0,20.000001,20.000001,170.25,finished,0,30.249999,120,170.25,12,345,11.000011,"
              "n0:1;n0:3-4;n3:0-7\n"
              "half,v,,,0.5,1,1,1,4,failed,0,0,3,3,0,0,0,n2:5\n"
              "big,u,,,512,2,2,,,infeasible,,,0,,0,0,0,\n"
              "waits,u,,,1,3,,,,queued,,,0,,0,0,0,\n"
              "behind,u,,,1,1000,,,,,,,,,,,,\n");
    free(text);
    run_close(&r);
}

Test(jobs_csv, does_without_the_optional_columns_and_takes_long_names)
{
    struct run r;
    char id[600], want[2048];
    memset(id, 'x', sizeof id - 1);
    id[sizeof id - 1] = '\0';
    run_open(&r, "1x8");
    run_add(&r, id, id, 0, 8, 1, NULL);
    run_ready(&r);
    run_job(&r, 0, 0, 1, GY_STATE_FINISHED);
    r.o.preemptions = r.o.restarts = NULL;
    r.o.lost_us = NULL;
    char *text = text_of(write_jobs, &r.o);
    snprintf(want, sizeof want, "\n%s,%s,,,8,0,0,0,1,finished,0,0,1,1,0,0,0,n0:0-7\n", id, id);
    cr_expect(strstr(text, want), "%s", text);
    free(text);
    run_close(&r);
}

/* The quick formatting of cells says what the slow one says. */
static const int64_t times[] = {
    0,       1,       9,       10,        99,          100,         9999,           10000,         999999,
    1000000, 1000001, 1500000, 123456789, 99990000000, 86400000000, 15552000000001, INT64_MAX - 1, -1,
    -1500000};

static void write_times(gy_out *out, const void *from)
{
    (void)from;
    char buf[48];
    struct run r;
    run_open(&r, "1x8");
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        char id[16];
        snprintf(id, sizeof id, "%zu", i);
        run_add(&r, id, "u", 0, 1, 1, NULL);
    }
    run_ready(&r);
    for (uint32_t j = 0; j < r.jobs->n; j++)
        r.eligible[j] = times[j];
    gy_jobs_csv_write(out, &r.o, placed_by_hand);
    run_close(&r);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        gy_put_us(buf, times[i]);
        gy_out_printf(out, "%zu,u,,,1,0,%s,,,queued,,,0,,0,0,0,\n", i, buf);
    }
}

Test(jobs_csv, writes_times_like_the_number_library)
{
    char *text = text_of(write_times, NULL);
    char *quick = strchr(text, '\n') + 1;
    size_t n = strlen(quick) / 2;
    cr_expect_arr_eq(quick, quick + n, n, "%s", text);
    free(text);
}

/* ---- users.csv, queues.csv ---- */

struct named_groups {
    gy_groups g;
    const gy_names *names;
};

static void write_users(gy_out *out, const void *from)
{
    const struct named_groups *n = from;
    gy_groups_write(out, "user", &n->g, n->names);
}

Test(groups_csv, has_a_row_for_each_user_that_counts)
{
    struct run r;
    run_open(&r, "1x8");
    run_add(&r, "A", "ann", 0, 8, 100, NULL);
    run_add(&r, "B", "b,ob", 0, 4, 100, NULL);
    run_add(&r, "C", "b,ob", 0, 4, 100, NULL);
    run_add(&r, "D", "later", 500, 4, 100, NULL);
    run_ready(&r);
    run_job(&r, 0, 0, 100, GY_STATE_FINISHED);
    run_job(&r, 1, 100, 150.5, GY_STATE_FINISHED);
    r.state[3] = GY_STATE_NONE;
    run_books(&r, 0, 200);
    struct named_groups n = {gy_groups_by(&r.o, GY_GROUP_USER), &r.jobs->users};
    char *text = text_of(write_users, &n);
    cr_expect_str_eq(
        text, "user,submitted,finished,failed,killed,timeout,infeasible,running,queued,wait_n,wait_mean_s,"
              "wait_p50_s,wait_p95_s,wait_max_s,jct_n,jct_mean_s,jct_p50_s,jct_p95_s,jct_max_s,gpu_s,"
              "gpu_share\n"
              "ann,1,1,0,0,0,0,0,0,1,0,0,0,0,1,100,100,100,100,800,0.7984031936127745\n"
              "\"b,ob\",2,1,0,0,0,0,0,1,1,100,100,100,100,1,150.5,150.5,150.5,150.5,202,"
              "0.20159680638722555\n");
    free(text);
    free(n.g.rows);
    run_close(&r);
}

/* ---- timeline ---- */

struct instant {
    double t;
    uint64_t busy, down, jobs, queued;
};

static const struct instant course[] = {
    {0, 0, 0, 0, 0},    {0.5, 8000, 0, 1, 8000},      {2, 8000, 0, 1, 8000},
    {3, 8500, 0, 0, 0}, {3.000001, 8500, 1000, 0, 0}, {10, 0, 1000, 0, 0},
};

static void write_course(gy_out *out, const void *from)
{
    gy_series *series = (gy_series *)(uintptr_t)from;
    gy_timeline *t = gy_timeline_open(out);
    for (size_t i = 0; i < sizeof course / sizeof *course; i++)
        gy_timeline_add(t, S(course[i].t), course[i].busy, course[i].down, course[i].jobs, course[i].queued);
    gy_timeline_close(t, S(20), series);
}

Test(timeline, writes_a_row_when_something_changes)
{
    gy_series s = {0};
    char *text = text_of(write_course, &s);
    cr_expect_str_eq(text, "time_s,busy_gpus,down_gpus,queued_jobs,queued_gpus\n"
                           "0,0,0,0,0\n"
                           "0.5,8,0,1,8\n"
                           "3,8.5,0,0,0\n"
                           "3.000001,8.5,1,0,0\n"
                           "10,0,1,0,0\n");
    cr_assert_eq(s.nsteps, 5, "few steps are kept as they are");
    gy_bucket b;
    gy_series_sum(&s, 0, S(20), &b);
    cr_expect(b.integral[GY_SERIES_BUSY] == (gy_i128)8000 * S(2.5) + (gy_i128)8500 * S(7));
    cr_expect(b.integral[GY_SERIES_DOWN] == (gy_i128)1000 * (S(20) - S(3.000001)));
    cr_expect_eq(b.max[GY_SERIES_BUSY], 8500);
    gy_series_sum(&s, S(1), S(2), &b);
    cr_expect(b.integral[GY_SERIES_JOBS] == S(1));
    cr_expect_eq(b.max[GY_SERIES_BUSY], 8000);
    gy_series_fini(&s);
    free(text);
}

Test(timeline, may_see_an_instant_twice_and_nothing_at_all)
{
    gy_series s;
    gy_timeline *t = gy_timeline_open(NULL);
    gy_timeline_close(t, S(5), &s);
    cr_expect_eq(s.nsteps + s.nbuckets, 0);
    gy_series_fini(&s);
    t = gy_timeline_open(NULL);
    gy_timeline_add(t, 0, 1000, 0, 0, 0);
    gy_timeline_add(t, 0, 2000, 0, 0, 0);
    gy_timeline_close(t, S(1), &s);
    cr_expect_eq(s.nsteps, 1);
    cr_expect_eq(s.steps[0].v[GY_SERIES_BUSY], 2000);
    gy_series_fini(&s);
}

/* Integrals of the buckets are exact and their number is bounded, however long and uneven the run. */
Test(timeline, keeps_exact_sums_in_few_buckets)
{
    gy_series s;
    gy_stream random = gy_stream_of(5, GY_RANDOM_GENERATE, 3);
    gy_timeline *t = gy_timeline_open(NULL);
    gy_i128 want[GY_SERIES] = {0};
    uint64_t v[GY_SERIES] = {0}, most[GY_SERIES] = {0};
    int64_t now = S(1000);
    for (int i = 0; i < 60000; i++) {
        for (int k = 0; k < GY_SERIES; k++) {
            v[k] = gy_stream_below(&random, 100000000);
            most[k] = v[k] > most[k] ? v[k] : most[k];
        }
        gy_timeline_add(t, now, v[0], v[1], v[2], v[3]);
        int64_t gap = 1 + (int64_t)gy_stream_below(&random, i % 100 ? 1000 : 2000000000);
        for (int k = 0; k < GY_SERIES; k++)
            want[k] += (gy_i128)v[k] * gap;
        now += gap;
    }
    gy_timeline_close(t, now, &s);
    cr_assert_eq(s.nsteps, 0);
    cr_expect_leq(s.nbuckets, GY_TIMELINE_BUCKETS);
    cr_expect_geq(s.nbuckets, GY_TIMELINE_BUCKETS / 2);
    cr_expect_eq(s.start_us, S(1000));
    cr_expect_eq(s.end_us, now);
    gy_bucket all;
    gy_series_sum(&s, s.start_us, s.end_us, &all);
    for (int k = 0; k < GY_SERIES; k++) {
        cr_expect(all.integral[k] == want[k], "series %d", k);
        cr_expect_eq(all.max[k], most[k], "series %d", k);
    }
    gy_series_fini(&s);
}

/* ---- manifest.json, perf.json ---- */

static const gy_manifest_item trace_items[] = {
    {"file", "jobs \"new\".csv", NULL, GY_VALUE_TEXT, GY_ORIGIN_FACT},
    {"rows", "12", NULL, GY_VALUE_NUMBER, GY_ORIGIN_FACT},
};
static const gy_manifest_item option_items[] = {
    {"horizon", NULL, "s", GY_VALUE_NUMBER, GY_ORIGIN_DEFAULT},
    {"tau", "10.5", "s", GY_VALUE_NUMBER, GY_ORIGIN_GIVEN},
    {"seed", "18446744073709551615", "", GY_VALUE_NUMBER, GY_ORIGIN_DEFAULT},
    {"odd", "1e5", "", GY_VALUE_NUMBER, GY_ORIGIN_DEFAULT},
    {"cold", "true", "", GY_VALUE_BOOL, GY_ORIGIN_GIVEN},
};
static const gy_manifest_item order_items[] = {{"estimate", "perfect", "", GY_VALUE_TEXT, GY_ORIGIN_GIVEN}};
static const gy_manifest_group groups[] = {{"trace", NULL, trace_items, 2},
                                           {"options", NULL, option_items, 5}};
static const gy_manifest_group stages[] = {{"order", "sjf", order_items, 1}, {"evict", "none", NULL, 0}};

static gy_manifest manifest_of(const char *policy, bool oracle)
{
    return (gy_manifest){.version = "1.2.3",
                         .abi = 1,
                         .command = "gpuyard run --policy sjf",
                         .policy = policy,
                         .knowledge = oracle ? "K5 true remaining time" : "K0 request",
                         .oracle = oracle,
                         .digest = 0xabc,
                         .stages = stages,
                         .nstages = 2,
                         .groups = groups,
                         .ngroups = 2};
}

static void write_manifest(gy_out *out, const void *from)
{
    gy_manifest_write(from, out);
}

Test(manifest, says_where_each_value_came_from)
{
    gy_manifest m = manifest_of("sjf", true);
    char *text = text_of(write_manifest, &m);
    cr_expect_str_eq(
        text, "{\n"
              "  \"gpuyard\": \"1.2.3\",\n"
              "  \"policy_abi\": 1,\n"
              "  \"command\": \"gpuyard run --policy sjf\",\n"
              "  \"policy\": {\n"
              "    \"spec\": \"sjf\",\n"
              "    \"knowledge\": \"K5 true remaining time\",\n"
              "    \"labels\": [\"oracle\"],\n"
              "    \"stages\": [\n"
              "      {\n"
              "        \"stage\": \"order\",\n"
              "        \"module\": \"sjf\",\n"
              "        \"parameters\": {\n"
              "          \"estimate\": {\"value\": \"perfect\", \"unit\": \"\", \"from\": \"given\"}\n"
              "        }\n"
              "      },\n"
              "      {\n"
              "        \"stage\": \"evict\",\n"
              "        \"module\": \"none\",\n"
              "        \"parameters\": {}\n"
              "      }\n"
              "    ]\n"
              "  },\n"
              "  \"trace\": {\n"
              "    \"file\": \"jobs \\\"new\\\".csv\",\n"
              "    \"rows\": 12\n"
              "  },\n"
              "  \"options\": {\n"
              "    \"horizon\": {\"value\": null, \"unit\": \"s\", \"from\": \"default\"},\n"
              "    \"tau\": {\"value\": 10.5, \"unit\": \"s\", \"from\": \"given\"},\n"
              "    \"seed\": {\"value\": 18446744073709551615, \"unit\": \"\", \"from\": \"default\"},\n"
              "    \"odd\": {\"value\": \"1e5\", \"unit\": \"\", \"from\": \"default\"},\n"
              "    \"cold\": {\"value\": true, \"unit\": \"\", \"from\": \"given\"}\n"
              "  },\n"
              "  \"digest\": \"0000000000000abc\"\n"
              "}\n");
    free(text);
}

Test(manifest, has_the_word_oracle_only_for_oracles)
{
    gy_manifest m = manifest_of("fifo", false);
    char *text = text_of(write_manifest, &m);
    cr_expect_null(strstr(text, "oracle"));
    free(text);
}

static void write_perf(gy_out *out, const void *from)
{
    gy_perf_write(from, out);
}

Test(perf, is_null_where_nothing_was_measured)
{
    static const char *const phases[] = {"import", "simulate"};
    static const double seconds[] = {0.25, 0.5};
    gy_perf p = {.phases = phases, .phase_s = seconds, .nphases = 2, .wall_s = 1, .events = 1000};
    char *text = text_of(write_perf, &p);
    cr_expect(strstr(text, "\"peak_rss_bytes\": null,"));
    cr_expect(strstr(text, "\"events_per_s\": null"));
    cr_expect(strstr(text, "\"import\": 0.25,"));
    free(text);
    p.simulate_s = 0.5;
    p.peak_rss_bytes = 4096;
    text = text_of(write_perf, &p);
    cr_expect(strstr(text, "\"peak_rss_bytes\": 4096,"));
    cr_expect(strstr(text, "\"events_per_s\": 2000"));
    free(text);
}

/* ---- digests ---- */

static void digest_of_toy(gy_run_digest *d, struct run *r, const struct toy *toy, uint32_t jobs)
{
    static const char *const warnings[] = {"first", "second"};
    gy_manifest m = manifest_of("sjf:estimate=perfect", true);
    run_open(r, "4x8");
    toy_trace(r, jobs, 700);
    run_ready(r);
    toy_run(r, toy, NULL);
    gy_run_input in = {.outcome = &r->o,
                       .manifest = &m,
                       .figures = {GY_TAU_DEFAULT_US},
                       .series = &r->series,
                       .warnings = warnings,
                       .nwarnings = 2};
    gy_run_digest_of(d, &in);
}

static char *page_of(const gy_run_digest *d)
{
    /* The report shows nearly all of a digest, the figures' CSV files the rest. */
    gy_err e = {0};
    gy_str w = {0};
    gy_outdir *dir;
    char *text, *all;
    size_t n, m;
    cr_assert_eq(gy_outdir_open(&dir, "digest-page", &e), GY_OK);
    gy_results_options opt = {.report = true, .gnuplot = "/nowhere/gnuplot"};
    cr_assert_eq(gy_results_compare_write(dir, &d, 1, &opt, &w, &e), GY_OK, "%s", e.text);
    cr_assert_eq(gy_outdir_commit(dir, &e), GY_OK);
    static const char *const files[] = {"report.html", "compare.json", "plots/cdf-jct.csv",
                                        "plots/gpus-busy.csv"};
    all = gy_strndup("", 0);
    m = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[64];
        snprintf(path, sizeof path, "digest-page/%s", files[i]);
        cr_assert_eq(gy_read_file(path, &text, &n, &e), GY_OK, "%s", e.text);
        all = gy_resize(all, m + n + 1, 1);
        memcpy(all + m, text, n + 1);
        m += n;
        free(text);
    }
    gy_str_fini(&w);
    return all;
}

Test(digest, comes_back_from_a_file_as_it_was)
{
    static const struct {
        struct toy toy;
        uint32_t jobs;
    } rows[] = {{{true, false, 0}, 100}, {{false, true, 1200000}, 2000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run r;
        gy_run_digest d, back;
        gy_err e = {0};
        digest_of_toy(&d, &r, &rows[i].toy, rows[i].jobs);
        cr_assert_eq(gy_run_digest_save(&d, "run.digest", &e), GY_OK, "%s", e.text);
        cr_assert_eq(gy_run_digest_load(&back, "run.digest", &e), GY_OK, "%s", e.text);
        cr_expect_eq(memcmp(&back.summary, &d.summary, sizeof d.summary), 0);
        cr_expect_eq(memcmp(back.sizes, d.sizes, sizeof d.sizes), 0);
        cr_expect_eq(back.nwarnings, 2);
        cr_expect_str_eq(back.warnings[1], "second");
        cr_expect_str_eq(back.manifest.groups[1].items[2].value, "18446744073709551615");
        cr_expect(back.oracle && back.manifest.oracle);
        cr_expect_null(back.reason);
        cr_expect_null(back.manifest.groups[1].items[0].value);
        cr_expect_eq(d.series.nsteps > 0, i == 0, "one run of steps, one of buckets");
        char *a = page_of(&d), *b = page_of(&back);
        cr_expect_str_eq(a, b);
        free(a);
        free(b);
        gy_run_digest_fini(&back);
        gy_run_digest_fini(&d);
        run_close(&r);
    }
}

Test(digest, keeps_a_policy_that_could_not_run)
{
    gy_run_digest d, back;
    gy_err e = {0};
    gy_run_digest_na(&d, "recorded", "the trace has no start_s");
    cr_assert_eq(gy_run_digest_save(&d, "na.digest", &e), GY_OK, "%s", e.text);
    cr_assert_eq(gy_run_digest_load(&back, "na.digest", &e), GY_OK, "%s", e.text);
    cr_expect_str_eq(back.policy, "recorded");
    cr_expect_str_eq(back.reason, "the trace has no start_s");
    gy_run_digest_fini(&back);
    gy_run_digest_fini(&d);
}

/* A file cut short or scribbled over is refused or read, but never believed blindly. */
Test(digest, refuses_a_damaged_file)
{
    struct run r;
    gy_run_digest d, back;
    gy_err e = {0};
    char *bytes;
    size_t n;
    digest_of_toy(&d, &r, &(struct toy){true, false, 0}, 50);
    cr_assert_eq(gy_run_digest_save(&d, "whole.digest", &e), GY_OK);
    cr_assert_eq(gy_read_file("whole.digest", &bytes, &n, &e), GY_OK);
    gy_stream s = gy_stream_of(11, GY_RANDOM_GENERATE, 4);
    for (int i = 0; i < 300; i++) {
        size_t cut = gy_stream_below(&s, (uint32_t)n);
        FILE *f = fopen("damaged.digest", "wb");
        fwrite(bytes, 1, cut, f);
        fclose(f);
        cr_expect_eq(gy_run_digest_load(&back, "damaged.digest", &e), GY_EPARSE, "cut at %zu of %zu", cut, n);
    }
    for (int i = 0; i < 300; i++) {
        size_t at = gy_stream_below(&s, (uint32_t)n);
        char was = bytes[at];
        bytes[at] = (char)(was ^ (1 << gy_stream_below(&s, 8)));
        FILE *f = fopen("damaged.digest", "wb");
        fwrite(bytes, 1, n, f);
        fclose(f);
        bytes[at] = was;
        if (gy_run_digest_load(&back, "damaged.digest", &e) == GY_OK)
            gy_run_digest_fini(&back);
    }
    cr_expect_eq(gy_run_digest_load(&back, "none.digest", &e), GY_EIO);
    free(bytes);
    gy_run_digest_fini(&d);
    run_close(&r);
}

/* ---- the folder of a run ---- */

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

Test(results, leave_a_folder_of_files)
{
    struct run r;
    gy_err e = {0};
    gy_outdir *d;
    gy_str warnings = {0};
    gy_manifest m = manifest_of("fifo-skip", false);
    static const char *const files[] = {"jobs.csv",     "users.csv",     "queues.csv",
                                        "summary.json", "manifest.json", "perf.json"};
    cr_assert_eq(system("rm -rf run-folder"), 0);
    run_open(&r, "4x8");
    toy_trace(&r, 50, 700);
    run_ready(&r);
    toy_run(&r, &(struct toy){true, false, 0}, NULL);
    gy_run_input in = {.outcome = &r.o,
                       .manifest = &m,
                       .figures = {GY_TAU_DEFAULT_US},
                       .series = &r.series,
                       .placed = placed_nowhere};
    cr_assert_eq(gy_outdir_open(&d, "run-folder", &e), GY_OK);
    cr_assert_eq(gy_results_run_write(d, &in, &(gy_results_options){0}, NULL, &warnings, &e), GY_OK, "%s",
                 e.text);
    cr_assert_eq(gy_results_perf_write(d, &(gy_perf){.wall_s = 1}, &e), GY_OK);
    cr_expect_not(exists("run-folder/summary.json"), "before the commit");
    cr_assert_eq(gy_outdir_commit(d, &e), GY_OK, "%s", e.text);
    char path[64];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "run-folder/%s", files[i]);
        cr_expect(exists(path), "%s", path);
    }
    cr_expect_not(exists("run-folder/plots"));
    cr_expect_eq(warnings.n, 0);
    run_close(&r);
}
