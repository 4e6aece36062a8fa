/* test_traces_real.c - public traces, where they are at hand: the environment variable GPUYARD_SHARED names a
 * folder with traces/FAMILY/.  Without it these tests are skipped. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "test_traces_help.h"

#include "gy_quota_csv.h"
#include "gy_trace_info.h"

static struct loaded load_shared(const char *name, gy_trace_options o)
{
    struct loaded l = {.e.text = ""};
    const char *shared = getenv("GPUYARD_SHARED");
    if (!shared || !*shared)
        cr_skip_test("GPUYARD_SHARED is not set");
    gy_str path = {0};
    gy_str_printf(&path, "%s/traces/%s", shared, name);
    l.rc = gy_trace_load(path.s, &o, &l.jobs, &l.report, &l.e);
    cr_assert_eq(l.rc, GY_OK, "%s", l.e.text);
    gy_str_fini(&path);
    return l;
}

Test(real, itp_clusters_have_their_published_sizes)
{
    static const struct {
        const char *name;
        uint32_t jobs;
        uint64_t peak_gpus; /* if all ran at once, as its makers say */
    } rows[] = {{"msft_itp2021/cluster01.csv.gz", 1595, 330},
                {"msft_itp2021/cluster02.csv.gz", 5778, 346},
                {"msft_itp2021/cluster03.csv.gz", 3011, 1379},
                {"msft_itp2021/cluster04.csv.gz", 15802, 2025},
                {"msft_itp2021/cluster10.csv.gz", 260, 52}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct loaded l = load_shared(rows[i].name, (gy_trace_options){.strict = true});
        gy_trace_info x;
        cr_expect_str_eq(l.report->format, "itp");
        expect_fates(l.report, rows[i].jobs, 0, 0, 0);
        gy_trace_info_init(&x, l.jobs, NULL, 0);
        cr_expect_eq(x.peak_gpus_milli, rows[i].peak_gpus * 1000, "%s", rows[i].name);
        cr_expect_geq(x.duration.min_us, S(600));
        gy_trace_info_fini(&x);
        unload(&l);
    }
}

Test(real, philly_as_csv)
{
    struct loaded l = load_shared("philly/philly_pollux_82k.csv.gz", (gy_trace_options){.strict = true});
    gy_trace_info x;
    cr_expect_str_eq(l.report->format, "philly-csv");
    expect_fates(l.report, 82247, 0, 0, 0);
    gy_trace_info_init(&x, l.jobs, NULL, 0);
    cr_expect_eq((int64_t)(x.gpu_time / 1000 / S(3600)), 978078);
    cr_expect_eq(x.duration.p50_us, S(1144));
    gy_trace_info_fini(&x);
    unload(&l);
}

Test(real, philly_records)
{
    struct loaded l = load_shared("philly/cluster_job_log.real4.json", (gy_trace_options){0});
    cr_expect_str_eq(l.report->format, "philly");
    expect_fates(l.report, 2, 1, 0, 1);
    cr_expect_eq(count_of(l.report, GY_REMARK_DISAGREEMENT, "overlap"), 1);
    unload(&l);
    l = load_shared("philly/cluster_job_log.reconstructed_dirty.json", (gy_trace_options){0});
    expect_fates(l.report, 4, 1, 1, 3);
    unload(&l);
    l = load_shared("philly/cluster_job_log.reconstructed_dirty.json",
                    (gy_trace_options){.attempts = GY_ATTEMPTS_SPLIT});
    expect_fates(l.report, 9, 1, 1, 4);
    unload(&l);
}

Test(real, helios_rows)
{
    struct loaded l = load_shared("helios/cluster_log.reconstructed.csv", (gy_trace_options){0});
    cr_expect_str_eq(l.report->format, "helios");
    expect_fates(l.report, 7, 0, 2, 0);
    cr_expect_eq(count_of(l.report, GY_REMARK_DISAGREEMENT, ""), 0);
    unload(&l);
}

Test(real, helios_quotas_of_181_days)
{
    static const char *const names[] = {"Venus_cluster_gpu_number.csv", "Earth_gpu_number.csv"};
    const char *shared = getenv("GPUYARD_SHARED");
    if (!shared || !*shared)
        cr_skip_test("GPUYARD_SHARED is not set");
    for (size_t i = 0; i < 2; i++) {
        gy_events v = {0};
        gy_str path = {0}, notes = {0};
        gy_err e;
        gy_str_printf(&path, "%s/traces/helios/%s", shared, names[i]);
        gy_str_puts(&notes, "");
        cr_assert_eq(gy_quota_csv_load(&v, path.s, NULL, S(1585670400), &notes, &e), GY_OK, "%s", e.text);
        cr_expect_str_eq(notes.s, "");
        cr_expect_eq(v.queues.n, 25);
        cr_expect_gt(v.n, 25);
        for (size_t k = 0; k < v.n; k++) {
            cr_expect_eq(v.list[k].t_us % S(86400), 0);
            cr_expect_leq(v.list[k].t_us, S(181 * 86400));
        }
        gy_str_fini(&path);
        gy_str_fini(&notes);
        gy_events_fini(&v);
    }
}

Test(detect, a_file_that_is_missing_says_so)
{
    gy_jobs *jobs;
    gy_err e;
    cr_expect_eq(gy_trace_load("/nowhere/at/all.csv", NULL, &jobs, NULL, &e), GY_EIO);
    cr_expect_null(jobs);
    cr_expect(strstr(e.text, "/nowhere/at/all.csv"), "%s", e.text);
}
