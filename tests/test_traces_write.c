/* test_traces_write.c - the canonical writer, and the facts of a trace.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "test_traces_help.h"

#include "gy_input.h"
#include "gy_random.h"
#include "gy_trace_info.h"
#include "gy_trace_write.h"

/* The table as a text; the file is of this test's own process. */
static char *written(const gy_jobs *t, unsigned flags, size_t *n)
{
    char path[64], *text;
    gy_out *out;
    gy_err e;
    static const char name[] = "test_traces_written";
    snprintf(path, sizeof path, "%s_%p.csv", name, (void *)&e);
    cr_assert_eq(gy_out_open(&out, path, false, &e), GY_OK, "%s", e.text);
    gy_trace_write(t, out, flags);
    cr_assert_eq(gy_out_close(out, true, &e), GY_OK, "%s", e.text);
    cr_assert_eq(gy_read_file(path, &text, n, &e), GY_OK, "%s", e.text);
    remove(path);
    return text;
}

static void expect_name(const gy_names *a, uint32_t i, const gy_names *b, uint32_t k)
{
    cr_assert_eq(i == GY_NAME_NONE, k == GY_NAME_NONE);
    if (i != GY_NAME_NONE)
        cr_assert_str_eq(gy_names_text(a, i), gy_names_text(b, k));
}

static void expect_same_shape(const gy_jobs *a, const gy_jobs *b, uint32_t j)
{
    gy_shape s = *gy_job_shape(a, j), t = *gy_job_shape(b, j);
    expect_name(&a->type_lists, s.types, &b->type_lists, t.types);
    expect_name(&a->texts, s.mig, &b->texts, t.mig);
    expect_name(&a->texts, s.model, &b->texts, t.model);
    s.types = s.mig = s.model = t.types = t.mig = t.model = 0;
    cr_assert_eq(memcmp(&s, &t, sizeof s), 0);
}

static void expect_same_job(const gy_jobs *a, const gy_jobs *b, uint32_t j)
{
    char x[24], y[24];
    cr_assert_str_eq(gy_job_id_text(a, j, x), gy_job_id_text(b, j, y));
    cr_assert_eq(a->submit_us[j], b->submit_us[j]);
    cr_assert_eq(a->duration_us[j], b->duration_us[j]);
    cr_assert_eq(a->row[j], b->row[j]);
    cr_assert_eq(a->log_state[j], b->log_state[j]);
    cr_assert_eq(a->flags[j], b->flags[j]);
    cr_assert_eq(gy_job_limit(a, j), gy_job_limit(b, j));
    cr_assert_eq(gy_job_priority(a, j), gy_job_priority(b, j));
    cr_assert_eq(gy_job_checkpoint(a, j), gy_job_checkpoint(b, j));
    cr_assert_eq(gy_job_deadline(a, j), gy_job_deadline(b, j));
    cr_assert_eq(gy_job_log_start(a, j), gy_job_log_start(b, j));
    cr_assert_eq(gy_job_log_end(a, j), gy_job_log_end(b, j));
    cr_assert_eq(a->eligible_us ? a->eligible_us[j] : INT64_MIN,
                 b->eligible_us ? b->eligible_us[j] : INT64_MIN);
    expect_name(&a->users, a->user[j], &b->users, b->user[j]);
    expect_name(&a->groups, a->group[j], &b->groups, b->group[j]);
    expect_name(&a->queues, a->queue[j], &b->queues, b->queue[j]);
    expect_name(&a->texts, a->log_placed ? a->log_placed[j] : GY_NAME_NONE, &b->texts,
                b->log_placed ? b->log_placed[j] : GY_NAME_NONE);
    expect_name(&a->notes, a->note ? a->note[j] : GY_NAME_NONE, &b->notes,
                b->note ? b->note[j] : GY_NAME_NONE);
    const uint32_t *la = a->after ? &a->after_list[a->after[j]] : NULL;
    const uint32_t *lb = b->after ? &b->after_list[b->after[j]] : NULL;
    cr_assert_eq(la ? la[0] : 0, lb ? lb[0] : 0);
    for (uint32_t k = 1; la && k <= la[0]; k++)
        cr_assert_eq(la[k], lb[k]);
    expect_same_shape(a, b, j);
}

static void expect_same(const gy_jobs *a, const gy_jobs *b)
{
    cr_assert_eq(a->n, b->n);
    cr_assert_eq(a->note_header != NULL, b->note_header != NULL);
    if (a->note_header)
        cr_assert_str_eq(a->note_header, b->note_header);
    for (uint32_t j = 0; j < a->n; j++)
        expect_same_job(a, b, j);
}

/* import(export(x)) is x, and a second export gives the same bytes. */
static void expect_round_trip(const gy_jobs *t, unsigned flags)
{
    size_t n, m;
    char *text = written(t, flags, &n);
    struct loaded l = must_load(text, (gy_trace_options){.format = "csv", .keep_notes = true});
    expect_same(t, l.jobs);
    char *again = written(l.jobs, flags, &m);
    cr_expect_str_eq(text, again);
    free(text);
    free(again);
    unload(&l);
}

Test(write, only_columns_that_hold_something)
{
    struct loaded l = must_load("submit_s,job_id,duration_s,gpus,user,limit_s\n2,B,1.50,0.25,,\n1,A,1,8,,\n",
                                (gy_trace_options){0});
    size_t n;
    char *text = written(l.jobs, 0, &n);
    cr_expect_str_eq(text,
                     "job_id,submit_s,gpus,duration_s,state\nB,2,0.25,1.5,completed\nA,1,8,1,completed\n");
    free(text);
    text = written(l.jobs, GY_WRITE_COMMON, &n);
    cr_expect_str_eq(text,
                     "job_id,submit_s,gpus,duration_s,user,group,queue,limit_s,state,gpu_type,start_s,end_s\n"
                     "B,2,0.25,1.5,,,,,completed,,,\nA,1,8,1,,,,,completed,,,\n");
    free(text);
    expect_round_trip(l.jobs, 0);
    expect_round_trip(l.jobs, GY_WRITE_COMMON);
    unload(&l);
}

Test(write, an_empty_trace_comes_back)
{
    struct loaded l = must_load("job_id,submit_s,gpus,duration_s\n", (gy_trace_options){0});
    expect_round_trip(l.jobs, 0);
    unload(&l);
}

/* ---- random tables ---- */

struct dice {
    gy_stream s;
};

static uint32_t roll(struct dice *d, uint32_t n)
{
    return gy_stream_below(&d->s, n);
}

static void put_text(struct dice *d, gy_str *out)
{
    static const char *const pieces[] = {"a",  "B",  "7",        " ", ",", "\"",
                                         "\n", "\r", "\xc3\xa4", ";", "'", "-"};
    gy_str raw = {0};
    gy_str_puts(&raw, "x");
    for (uint32_t k = roll(d, 5); k > 0; k--)
        gy_str_puts(&raw, pieces[roll(d, sizeof pieces / sizeof *pieces)]);
    gy_str_puts(out, "\"");
    for (size_t i = 0; i < raw.n; i++)
        gy_str_printf(out, raw.s[i] == '"' ? "\"\"" : "%c", raw.s[i]);
    gy_str_puts(out, "\"");
    gy_str_fini(&raw);
}

static void put_decimal(struct dice *d, gy_str *out)
{
    static const char *const fractions[] = {"", ".5", ".000001", ".25", ".100000"};
    gy_str_printf(out, "%u%s", roll(d, 100000), fractions[roll(d, 5)]);
}

/* One row with every column filled or empty at random. */
static void put_row(struct dice *d, gy_str *out, uint32_t row)
{
    static const char *const states[] = {"",        "completed", "failed",   "killed",
                                         "timeout", "node_fail", "preempted"};
    static const char *const levels[] = {"", "socket", "node", "nvlink", "leaf", "pod", "any"};
    static const char *const sizes[] = {"0", "0.25", "0.001", "1", "8", "16", "1000"};
    uint32_t size = roll(d, 7), submit = roll(d, 50);
    gy_str_printf(out, roll(d, 4) ? "%u," : "j%u,", row);
    gy_str_printf(out, "%u,%s,", submit, sizes[size]);
    put_decimal(d, out);
    for (int k = 0; k < 3; k++) { /* user, group, queue */
        gy_str_puts(out, ",");
        if (roll(d, 2))
            put_text(d, out);
    }
    for (int k = 0; k < 3; k++) { /* limit_s, deadline_s, eligible_s */
        gy_str_puts(out, ",");
        if (roll(d, 2))
            put_decimal(d, out);
    }
    gy_str_printf(out, ",%s", roll(d, 2) ? "" : "-3");
    gy_str_printf(out, ",%s,%s", states[roll(d, 7)], roll(d, 2) ? "" : "a100|h100");
    for (int k = 0; k < 3; k++) { /* gpu_mem_gb, cpus, mem_gb */
        gy_str_puts(out, ",");
        if (roll(d, 2))
            put_decimal(d, out);
    }
    gy_str_printf(out, ",%s", size >= 4 && roll(d, 2) ? "8" : "");        /* tasks */
    gy_str_printf(out, ",%s", size >= 3 && !roll(d, 4) ? "3g.40gb" : ""); /* mig */
    gy_str_printf(out, ",%s,%s", size >= 4 && roll(d, 2) ? "1" : "", size >= 3 && roll(d, 2) ? "2000" : "");
    gy_str_printf(out, ",%s,%s,%s", levels[roll(d, 7)], levels[roll(d, 7)], roll(d, 2) ? "" : "gpt");
    gy_str_printf(out, ",%s", roll(d, 2) ? "" : "300.5");
    gy_str_printf(out, ",%s", row > 3 && !roll(d, 3) ? "0" : ""); /* after */
    if (roll(d, 2))
        gy_str_printf(out, ",%u,%u.5,n0:0-3;n1", submit + 5, submit + 7);
    else
        gy_str_puts(out, ",,,");
    gy_str_printf(out, ",%s,%s,", roll(d, 2) ? "" : "0", roll(d, 2) ? "" : "1");
    if (roll(d, 2))
        put_text(d, out);
    gy_str_puts(out, ",");
    if (roll(d, 2))
        put_text(d, out);
    gy_str_puts(out, "\n");
}

Test(write, import_of_export_is_the_same_table)
{
    static const char header[] = "job_id,submit_s,gpus,duration_s,user,group,queue,limit_s,deadline_s,"
                                 "eligible_s,priority,state,gpu_type,"
                                 "gpu_mem_gb,cpus,mem_gb,tasks,mig,min_gpus,max_gpus,require,prefer,model,"
                                 "checkpoint_s,after,start_s,end_s,"
                                 "placed,preemptible,spot,\"odd, name\",other\n";
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct dice d = {gy_stream_of(seed, GY_RANDOM_JOB, 0)};
        gy_str text = {0};
        gy_str_puts(&text, header);
        gy_str_puts(&text, "0,0,1,1,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n");
        for (uint32_t row = 1, n = roll(&d, 60); row <= n; row++)
            put_row(&d, &text, row);
        struct loaded l = load_text(text.s, (gy_trace_options){.keep_notes = true});
        cr_assert_eq(l.rc, GY_OK, "seed %lu: %s", (unsigned long)seed, l.e.text);
        expect_round_trip(l.jobs, seed % 2 ? GY_WRITE_COMMON : 0);
        unload(&l);
        gy_str_fini(&text);
    }
}

Test(write, a_foreign_trace_becomes_canonical)
{
    struct loaded l =
        must_load("job_id,user,vc,gpu_num,node_num,state,submit_time,start_time,end_time,priority\n"
                  "1,u,v,8,2,CANCELLED,2020-04-01 00:00:00,2020-04-01 00:00:05,2020-04-01 00:00:07,hot\n",
                  (gy_trace_options){.tz = "UTC", .keep_notes = true});
    size_t n;
    char *text = written(l.jobs, 0, &n);
    cr_expect_str_eq(
        text, "job_id,submit_s,gpus,duration_s,user,queue,state,start_s,end_s,node_num,helios_priority\n"
              "1,0,8,2,u,v,killed,5,7,2,hot\n");
    free(text);
    expect_round_trip(l.jobs, 0);
    unload(&l);
}

/* ---- facts ---- */

Test(info, counts_and_measures)
{
    struct loaded l = must_load("job_id,submit_s,gpus,duration_s,user,queue,limit_s,state,start_s,mig,after\n"
                                "1,0,8,100,a,q,50,failed,10,,\n"
                                "2,0,1,10,a,r,,completed,0,,\n"
                                "3,50,0.5,20,b,r,100,completed,,,\n"
                                "4,100,8,0,,r,,killed,130,,\n"
                                "5,100,0,5,b,r,,completed,,,\n"
                                "6,120,4,10,c,r,,completed,120,,1\n"
                                "7,200,2,10,c,r,,completed,,1g.5gb,\n",
                                (gy_trace_options){0});
    gy_trace_info x;
    gy_trace_info_init(&x, l.jobs, NULL, 10);
    cr_expect_eq(x.jobs, 7);
    cr_expect_eq(x.gpu_jobs, 5);
    cr_expect_eq(x.cpu_jobs, 1);
    cr_expect_eq(x.share_jobs, 1);
    cr_expect_eq(x.mig_jobs, 1);
    cr_expect_eq(x.users, 3);
    cr_expect_eq(x.groups, 0);
    cr_expect_eq(x.queues, 2);
    cr_expect_eq(x.last_submit_us - x.first_submit_us, S(200));
    cr_expect(x.gpu_time == (gy_i128)S(800 + 10 + 10 + 40) * 1000);
    cr_expect_eq(x.states[GY_LOG_FAILED].jobs, 1);
    cr_expect(x.states[GY_LOG_FAILED].gpu_time == (gy_i128)S(800) * 1000);
    cr_expect_eq(x.nsizes, 5);
    cr_expect_eq(x.sizes[0].gpus_milli, 0);
    cr_expect_eq(x.sizes[1].gpus_milli, 500);
    cr_expect_eq(x.sizes[4].gpus_milli, 8000);
    cr_expect_eq(x.sizes[4].share.jobs, 2);
    cr_expect_eq(x.peak_gpus_milli, 9000);
    cr_expect_eq(x.peak_at_us, 0);
    cr_expect_eq(x.same_instant, 4);
    cr_expect_eq(x.largest_batch, 2);
    cr_expect_eq(x.with_limit, 2);
    cr_expect_eq(x.over_limit, 1);
    cr_expect_eq(x.with_after, 1);
    cr_expect_eq(x.wait.n, 4);
    cr_expect_eq(x.wait.p50_us, 0);
    cr_expect_eq(x.wait.p75_us, S(10));
    cr_expect_eq(x.wait.max_us, S(30));
    cr_expect_eq(x.duration.n, 7);
    cr_expect_eq(x.duration.p50_us, S(10));
    cr_expect_not(x.has_calendar);
    cr_expect_float_eq(gy_trace_info_load(&x), 860.0 / 2000.0, 1e-12);
    gy_trace_info_fini(&x);
    unload(&l);
}

Test(info, quantiles_are_nearest_rank)
{
    gy_str text = {0};
    gy_str_puts(&text, "job_id,submit_s,gpus,duration_s\n");
    for (unsigned i = 1; i <= 200; i++)
        gy_str_printf(&text, "%u,0,1,%u\n", i, i);
    struct loaded l = must_load(text.s, (gy_trace_options){0});
    gy_trace_info x;
    gy_trace_info_init(&x, l.jobs, NULL, 0);
    cr_expect_eq(x.duration.min_us, S(1));
    cr_expect_eq(x.duration.p25_us, S(50));
    cr_expect_eq(x.duration.p50_us, S(100));
    cr_expect_eq(x.duration.p75_us, S(150));
    cr_expect_eq(x.duration.p90_us, S(180));
    cr_expect_eq(x.duration.p95_us, S(190));
    cr_expect_eq(x.duration.p99_us, S(198));
    cr_expect_eq(x.duration.max_us, S(200));
    gy_trace_info_fini(&x);
    unload(&l);
    gy_str_fini(&text);
}

Test(info, hours_and_weekdays_are_local)
{
    struct loaded l = must_load("timestamp,duration,num_gpus,gpu_time,cluster\n"
                                "2017-11-04 23:30:00,1,1,1,v\n" /* a Saturday */
                                "2017-11-05 00:30:00,1,1,1,v\n"
                                "2017-11-05 01:30:00,1,1,1,v\n"
                                "2017-11-05 05:30:00,1,1,1,v\n"
                                "2017-11-06 05:30:00,1,1,1,v\n",
                                (gy_trace_options){0});
    gy_trace_info x;
    gy_tz *tz;
    gy_err e;
    cr_assert_eq(gy_tz_open(&tz, l.report->tz, &e), GY_OK, "%s", e.text);
    gy_trace_info_init(&x, l.jobs, tz, 0);
    cr_expect(x.has_calendar);
    cr_expect_eq(x.hours[23], 1);
    cr_expect_eq(x.hours[0], 1);
    cr_expect_eq(x.hours[1], 1);
    cr_expect_eq(x.hours[5], 2);
    cr_expect_eq(x.weekdays[5], 1);
    cr_expect_eq(x.weekdays[6], 3);
    cr_expect_eq(x.weekdays[0], 1);
    gy_trace_info_fini(&x);
    gy_tz_close(tz);
    unload(&l);
}

Test(info, an_empty_trace_has_facts_too)
{
    struct loaded l = must_load("job_id,submit_s,gpus,duration_s\n", (gy_trace_options){0});
    gy_trace_info x;
    gy_str text = {0};
    gy_out *out;
    gy_err e;
    gy_json j;
    gy_trace_info_init(&x, l.jobs, NULL, 8);
    gy_trace_info_text(&x, &text);
    cr_expect(strstr(text.s, "jobs          0"), "%s", text.s);
    cr_assert_eq(gy_out_open(&out, "test_traces_info.json", false, &e), GY_OK, "%s", e.text);
    gy_json_out w = {.out = out};
    gy_json_open(&w, NULL, '{');
    gy_trace_info_json(&x, &w);
    gy_json_close(&w, '}');
    cr_assert_eq(gy_out_close(out, true, &e), GY_OK, "%s", e.text);
    cr_assert_eq(gy_json_load(&j, "test_traces_info.json", &e), GY_OK, "%s", e.text);
    cr_expect(cJSON_IsNull(gy_json_member(j.root, "offered_load")));
    cr_expect(cJSON_IsNull(gy_json_member(gy_json_member(j.root, "wait_s"), "p50")));
    gy_json_free(&j);
    remove("test_traces_info.json");
    gy_str_fini(&text);
    gy_trace_info_fini(&x);
    unload(&l);
}
