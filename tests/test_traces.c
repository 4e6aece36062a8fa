/* test_traces.c - the foreign trace families: what their rows mean, and what is wrong with them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All rows are invented.
 */
#include "test_traces_help.h"

static const gy_trace_options utc = {.tz = "UTC"};

/* ---- telling families apart ---- */

Test(detect, by_content_and_never_by_name)
{
    static const struct {
        const char *format, *text;
    } rows[] = {
        {"csv", "gpus,duration_s,job_id,submit_s\n1,1,A,0\n"},
        {"csv",
         "\xef\xbb\xbf\"job_id\",\"submit_s\",\"gpus\",\"duration_s\",duration,num_gpu\r\nA,0,1,1,2,3\r\n"},
        {"itp", "job_id,submission_time,duration,num_gpu\nx,0,1,1\n"},
        {"itp", "job_id,num_gpu,submission_time,num_iteration,model_name,duration,deadline\nx,1,0,5,m,1,9\n"},
        {"philly-csv", "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-01 00:00:00,1,1,1,vc\n"},
        {"helios",
         "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"
         "1,u,v,1,1,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,2020-04-01 00:00:01,1,0\n"},
        {"philly",
         " \n[ {\"submitted_time\": \"2017-10-01 00:00:00\", \"status\": \"Pass\", \"jobid\": \"a\", "
         "\"attempts\": [{\"start_time\": \"2017-10-01 00:00:00\", \"end_time\": \"2017-10-01 00:00:01\", "
         "\"detail\": [{\"ip\": \"m1\", \"gpus\": []}]}]}]"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct loaded l = must_load(rows[i].text, (gy_trace_options){0});
        cr_expect_str_eq(l.report->format, rows[i].format, "row %zu: %s", i, l.report->format);
        cr_expect(l.report->detected);
        cr_expect_eq(l.jobs->n, 1);
        unload(&l);
    }
}

Test(detect, what_is_no_trace_is_an_error_that_lists_the_formats)
{
    static const char *const texts[] = {"",
                                        "hello\n",
                                        "[]",
                                        "{\"a\": 1}",
                                        "[1, 2]",
                                        ("\x7f"
                                         "ELF"),
                                        "\n\n\n",
                                        ",,,\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct loaded l = load_text(texts[i], (gy_trace_options){0});
        cr_expect_eq(l.rc, GY_EPARSE, "text %zu", i);
        cr_expect(strstr(l.e.text, "philly") || strstr(l.e.text, "empty"), "%s", l.e.text);
        unload(&l);
    }
}

Test(detect, an_unknown_format_or_zone_is_a_bad_option)
{
    static const char text[] = "job_id,submission_time,duration,num_gpu\nx,0,1,1\n";
    struct loaded l = load_text(text, (gy_trace_options){.format = "philli"});
    cr_expect_eq(l.rc, GY_EINVAL);
    cr_expect(strstr(l.e.text, "\"philly\""), "%s", l.e.text);
    unload(&l);
    l = load_text("timestamp,duration,num_gpus,gpu_time,cluster\n", (gy_trace_options){.tz = "Atlantis"});
    cr_expect_eq(l.rc, GY_EINVAL);
    cr_expect(strstr(l.e.text, "Atlantis"), "%s", l.e.text);
    unload(&l);
}

/* ---- Helios ---- */

#define HELIOS                                                                                               \
    "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n"

Test(helios, a_row_is_a_job)
{
    struct loaded l = must_load(HELIOS "7,u1,v1,8,32,1,CANCELLED,2020-04-01 00:00:10,2020-04-01 00:01:00,"
                                       "2020-04-01 01:00:00,3540,50\n"
                                       "6,u2,v2,0,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:00:00,"
                                       "2020-04-01 00:00:00,0,0\n",
                                (gy_trace_options){.keep_notes = true});
    uint32_t a = job_of(&l, "7"), b = job_of(&l, "6");
    cr_expect_eq(l.jobs->submit_us[a], S(10));
    cr_expect_eq(gy_job_log_start(l.jobs, a), S(60));
    cr_expect_eq(gy_job_log_end(l.jobs, a), S(3600));
    cr_expect_eq(l.jobs->duration_us[a], S(3540));
    cr_expect_eq(gy_job_shape(l.jobs, a)->gpus_milli, 8000);
    cr_expect_eq(gy_job_shape(l.jobs, a)->cpus_micro, 32000000);
    cr_expect_eq(l.jobs->log_state[a], GY_LOG_KILLED);
    cr_expect_str_eq(gy_names_text(&l.jobs->queues, l.jobs->queue[a]), "v1");
    cr_expect_eq(gy_job_shape(l.jobs, b)->gpus_milli, 0);
    cr_expect_str_eq(l.jobs->note_header, "node_num");
    cr_expect_str_eq(l.report->tz, "Asia/Shanghai");
    cr_expect_str_eq(l.report->tz_source, "default of helios");
    cr_expect_eq(l.report->zero_epoch_us, S(1585670400)); /* midnight in China */
    cr_expect_eq(l.report->offset_us, S(1585670400));
    cr_expect_eq(l.jobs->zero_epoch_us, S(1585670400));
    expect_fates(l.report, 2, 0, 0, 0);
    unload(&l);
}

Test(helios, columns_are_found_by_name)
{
    struct loaded l =
        must_load("end_time,start_time,submit_time,state,jobname,gpu_num,vc,job_id\n"
                  "2020-04-01 00:00:09,2020-04-01 00:00:04,2020-04-01 00:00:00,FAILED,train,2,v,5\n",
                  utc);
    uint32_t j = job_of(&l, "5");
    cr_expect_eq(l.jobs->duration_us[j], S(5));
    cr_expect_eq(l.jobs->log_state[j], GY_LOG_FAILED);
    unload(&l);
}

Test(helios, every_row_has_one_fate)
{
#define ROW(id, state, submit, start, end) id ",u,v,1,4,1," state "," submit "," start "," end ",,\n"
#define T(hms)                             "2020-04-01 " hms
    static const struct {
        const char *why, *row;
        gy_fate fate;
    } rows[] = {
        {"completed", ROW("1", "COMPLETED", T("00:00:00"), T("00:00:05"), T("00:00:06")), GY_FATE_JOB},
        {"timeout", ROW("1", "TIMEOUT", T("00:00:00"), T("00:00:05"), T("00:00:06")), GY_FATE_JOB},
        {"node failed", ROW("1", "NODE_FAIL", T("00:00:00"), T("00:00:05"), T("00:00:06")), GY_FATE_JOB},
        {"a comma too many",
         "1,u,v,1,4,1,COMPLETED," T("00:00:00") "," T("00:00:05") "," T("00:00:06") ",,,\n", GY_FATE_JOB},
        {"zero length", ROW("1", "COMPLETED", T("00:00:00"), T("00:00:05"), T("00:00:05")), GY_FATE_JOB},
        {"blanks", ROW("1", " COMPLETED", " 2020-04-01 00:00:00", T("00:00:05"), T("00:00:06")), GY_FATE_JOB},
        {"no start", ROW("1", "CANCELLED", T("00:00:00"), "", T("00:00:06")), GY_FATE_NEVER_STARTED},
        {"pending", ROW("1", "PENDING", T("00:00:00"), "None", ""), GY_FATE_NEVER_STARTED},
        {"failed before it ran", ROW("1", "FAILED", T("00:00:00"), "", ""), GY_FATE_NEVER_STARTED},
        {"running", ROW("1", "RUNNING", T("00:00:00"), T("00:00:05"), ""), GY_FATE_CENSORED},
        {"suspended with an end", ROW("1", "SUSPENDED", T("00:00:00"), T("00:00:05"), T("00:00:06")),
         GY_FATE_CENSORED},
        {"no end", ROW("1", "COMPLETED", T("00:00:00"), T("00:00:05"), ""), GY_FATE_CENSORED},
        {"end before start", ROW("1", "COMPLETED", T("00:00:00"), T("00:00:05"), T("00:00:04")),
         GY_FATE_REJECTED},
        {"start before submission", ROW("1", "COMPLETED", T("00:00:06"), T("00:00:05"), T("00:00:07")),
         GY_FATE_REJECTED},
        {"ran without a start", ROW("1", "COMPLETED", T("00:00:00"), "", T("00:00:06")), GY_FATE_REJECTED},
        {"no submission", ROW("1", "COMPLETED", "", T("00:00:05"), T("00:00:06")), GY_FATE_REJECTED},
        {"no date", ROW("1", "COMPLETED", "yesterday", T("00:00:05"), T("00:00:06")), GY_FATE_REJECTED},
        {"31 April", ROW("1", "COMPLETED", T("00:00:00"), "2020-04-31 00:00:00", T("00:00:06")),
         GY_FATE_REJECTED},
        {"no id", ROW("", "COMPLETED", T("00:00:00"), T("00:00:05"), T("00:00:06")), GY_FATE_REJECTED},
        {"no state", ROW("1", "", T("00:00:00"), T("00:00:05"), T("00:00:06")), GY_FATE_REJECTED},
        {"no GPU count", "1,u,v,,4,1,COMPLETED," T("00:00:00") "," T("00:00:05") "," T("00:00:06") ",,\n",
         GY_FATE_REJECTED},
        {"GPUs are no number",
         "1,u,v,x,4,1,COMPLETED," T("00:00:00") "," T("00:00:05") "," T("00:00:06") ",,\n", GY_FATE_REJECTED},
        {"GPUs below 0", "1,u,v,-1,4,1,COMPLETED," T("00:00:00") "," T("00:00:05") "," T("00:00:06") ",,\n",
         GY_FATE_REJECTED},
        {"too few cells", "1,u,v,1\n", GY_FATE_REJECTED},
        {"the header again", HELIOS, GY_FATE_REJECTED},
        {"an id that was there", ROW("9", "COMPLETED", T("00:00:00"), T("00:00:05"), T("00:00:06")),
         GY_FATE_REJECTED},
        {"no text", "\xff,u,v,1,4,1,COMPLETED," T("00:00:00") "," T("00:00:05") "," T("00:00:06") ",,\n",
         GY_FATE_REJECTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_str text = {0};
        gy_str_puts(&text, HELIOS ROW("9", "COMPLETED", T("00:00:00"), T("00:00:01"), T("00:00:02")));
        gy_str_puts(&text, rows[i].row);
        struct loaded l = must_load(text.s, utc);
        cr_expect_eq(l.report->rows_read, 2, "%s", rows[i].why);
        cr_expect_eq(l.report->rows[rows[i].fate], rows[i].fate == GY_FATE_JOB ? 2 : 1, "%s", rows[i].why);
        cr_expect_eq(l.jobs->n, rows[i].fate == GY_FATE_JOB ? 2 : 1, "%s", rows[i].why);
        for (size_t k = 0; k < l.report->nremarks; k++)
            cr_expect(l.report->remarks[k].kind != GY_REMARK_FATE || l.report->remarks[k].line == 3, "%s",
                      rows[i].why);
        unload(&l);

        gy_trace_options strict = {.tz = "UTC", .strict = true};
        l = load_text(text.s, strict);
        bool refused = rows[i].fate == GY_FATE_REJECTED;
        cr_expect_eq(l.rc, refused ? GY_EPARSE : GY_OK, "strict, %s: %s", rows[i].why, l.e.text);
        cr_expect(!refused || strstr(l.e.text, "t:3:"), "strict, %s: %s", rows[i].why, l.e.text);
        unload(&l);
        gy_str_fini(&text);
    }
}

Test(helios, an_unknown_state_is_an_error)
{
    struct loaded l =
        load_text(HELIOS ROW("1", "EXPLODED", T("00:00:00"), T("00:00:05"), T("00:00:06")), utc);
    cr_expect_eq(l.rc, GY_EPARSE);
    cr_expect(strstr(l.e.text, "t:2:") && strstr(l.e.text, "\"EXPLODED\""), "%s", l.e.text);
    unload(&l);
}

Test(helios, a_file_without_a_job_is_an_error_that_says_why)
{
    struct loaded l = load_text(HELIOS ROW("1", "RUNNING", T("00:00:00"), T("00:00:05"), ""), utc);
    cr_expect_eq(l.rc, GY_EPARSE);
    cr_expect(strstr(l.e.text, "RUNNING"), "%s", l.e.text);
    cr_expect_eq(l.report->rows[GY_FATE_CENSORED], 1);
    unload(&l);
    l = load_text(HELIOS, utc);
    cr_expect_eq(l.rc, GY_EPARSE);
    unload(&l);
}

Test(helios, columns_that_disagree_with_the_stamps_are_counted)
{
#define SAYS(id, duration, queue)                                                                            \
    id ",u,v,1,4,1,COMPLETED," T("00:00:00") "," T("00:00:05") "," T("00:00:07") "," duration "," queue "\n"
    struct loaded l = must_load(
        HELIOS SAYS("1", "2", "5") SAYS("2", "7", "5.0") SAYS("3", "2.0", "4") SAYS("4", "x", ""), utc);
    const gy_remark *duration = remark_of(l.report, GY_REMARK_DISAGREEMENT, "duration");
    const gy_remark *queue = remark_of(l.report, GY_REMARK_DISAGREEMENT, "queue");
    cr_assert(duration && queue);
    cr_expect_eq(duration->count, 2);
    cr_expect_eq(duration->line, 3);
    cr_expect_str_eq(duration->example, "7, the stamps say 2");
    cr_expect_eq(queue->count, 1);
    cr_expect_eq(queue->line, 4);
    cr_expect_eq(l.jobs->duration_us[job_of(&l, "2")], S(2));
    unload(&l);
}

Test(helios, an_end_in_the_hour_that_comes_twice_is_read_in_order)
{
    struct loaded l = must_load(HELIOS "1,u,v,1,4,1,COMPLETED,2017-11-05 01:20:00,2017-11-05 01:30:00,"
                                       "2017-11-05 01:10:00,,\n",
                                (gy_trace_options){.tz = "America/Los_Angeles"});
    cr_expect_eq(l.jobs->duration_us[0], S(2400));
    cr_expect_eq(gy_job_log_start(l.jobs, 0), S(600));
    cr_expect_eq(count_of(l.report, GY_REMARK_CLOCK, "twice"), 3);
    cr_expect_str_eq(l.report->tz_source, "--tz");
    unload(&l);
}

/* ---- ITP and Philly as CSV ---- */

Test(itp, starts_at_its_first_submission)
{
    struct loaded l = must_load("job_id,submission_time,duration,num_gpu\nb-2,500.5,700,8\na-1,100,650,1\n"
                                "c,x,1,1\nd,1,,1\ne,1,1,\n,1,1,1\nf,1,-5,1\ng,1,1,1.5\nb-2,1,1,1",
                                (gy_trace_options){.tz = "UTC"});
    cr_expect_eq(l.report->offset_us, S(100));
    cr_expect_eq(l.report->zero_epoch_us, GY_NEVER);
    cr_expect_eq(l.jobs->submit_us[job_of(&l, "b-2")], 400500000);
    cr_expect_eq(l.jobs->submit_us[job_of(&l, "a-1")], 0);
    expect_fates(l.report, 2, 0, 0, 7);
    cr_expect_eq(count_of(l.report, GY_REMARK_NOTE, "--tz"), 1);
    cr_expect_null(l.report->tz);
    unload(&l);
}

Test(philly_csv, jobs_are_called_by_their_rows)
{
    struct loaded l = must_load("timestamp,duration,num_gpus,gpu_time,cluster\n"
                                "2017-10-09 07:00:10,66.0,2,132.0,ab12\n"
                                "soon,1,1,1,ab12\n"
                                "2017-10-09 07:00:00,2.5,1,3,cd34\n"
                                "2017-10-09 07:00:00,2.5,1,2.5,cd34\n",
                                (gy_trace_options){0});
    expect_fates(l.report, 3, 0, 0, 1);
    cr_expect_eq(l.jobs->duration_us[job_of(&l, "2")], 2500000);
    cr_expect_eq(l.jobs->submit_us[job_of(&l, "0")], S(10));
    cr_expect(has_job(&l, "3") && !has_job(&l, "1"));
    cr_expect_eq(count_of(l.report, GY_REMARK_DISAGREEMENT, "gpu_time"), 1);
    cr_expect_str_eq(l.report->tz, "America/Los_Angeles");
    cr_expect_eq(l.report->zero_epoch_us, S(1507557600));
    unload(&l);
}

Test(philly_csv, stamps_that_come_twice_or_never_are_reported)
{
    struct loaded l = must_load("timestamp,duration,num_gpus,gpu_time,cluster\n"
                                "2017-03-12 02:30:00,1,1,1,v\n"
                                "2017-03-12 03:30:00,1,1,1,v\n"
                                "2017-11-05 01:30:00,1,1,1,v\n",
                                (gy_trace_options){.tz = "America/Los_Angeles"});
    const gy_remark *skipped = remark_of(l.report, GY_REMARK_CLOCK, "skip");
    const gy_remark *twice = remark_of(l.report, GY_REMARK_CLOCK, "twice");
    cr_assert(skipped && twice);
    cr_expect_eq(skipped->line, 2);
    cr_expect_eq(twice->line, 4);
    cr_expect_eq(l.jobs->submit_us[job_of(&l, "0")], l.jobs->submit_us[job_of(&l, "1")]);
    cr_expect_eq(l.report->zero_epoch_us + l.jobs->submit_us[job_of(&l, "2")], S(1509870600));
    unload(&l);
}

/* ---- the report ---- */

Test(report, says_what_became_of_the_rows)
{
    struct loaded l = must_load(HELIOS ROW("1", "COMPLETED", T("00:00:00"), T("00:01:40"), T("00:01:30"))
                                    ROW("2", "COMPLETED", T("00:00:00"), T("00:01:40"), T("00:01:40")),
                                utc);
    gy_str text = {0};
    gy_trace_report_text(l.report, &text);
    cr_expect(strstr(text.s, "t: helios, 2 rows read: 1 job, 1 rejected\n"), "%s", text.s);
    cr_expect(strstr(text.s, "1 rejected: end_time lies before start_time; first on line 2"), "%s", text.s);
    cr_expect(strstr(text.s, "2020-04-01 00:00:00 UTC"), "%s", text.s);
    cr_expect_eq(strlen(l.report->sha256), 64);
    cr_expect_eq(l.report->bytes, strlen(HELIOS) + 2 * strlen(ROW("1", "COMPLETED", T("00:00:00"),
                                                                  T("00:00:00"), T("00:00:00"))));
    gy_str_fini(&text);
    unload(&l);
}

Test(report, json_has_always_the_same_keys)
{
    static const char *const keys[] = {"format",        "detected", "sha256",    "bytes",    "rows_read",
                                       "jobs",          "merged",   "censored",  "rejected", "filtered",
                                       "never_started", "tz",       "tz_source", "offset_s", "zero_epoch_s",
                                       "zero_utc",      "remarks"};
    static const char *const texts[] = {
        "job_id,submit_s,gpus,duration_s,odd\n",
        HELIOS ROW("1", "COMPLETED", T("00:00:00"), T("00:00:01"), T("00:00:02"))};
    for (size_t i = 0; i < 2; i++) {
        struct loaded l = must_load(texts[i], (gy_trace_options){0});
        gy_out *out;
        gy_err e;
        gy_json j;
        cr_assert_eq(gy_out_open(&out, "test_traces_report.json", false, &e), GY_OK, "%s", e.text);
        gy_json_out w = {.out = out};
        gy_json_open(&w, NULL, '{');
        gy_trace_report_json(l.report, &w);
        gy_json_close(&w, '}');
        cr_assert_eq(gy_out_close(out, true, &e), GY_OK, "%s", e.text);
        cr_assert_eq(gy_json_load(&j, "test_traces_report.json", &e), GY_OK, "%s", e.text);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            cr_expect_not_null(gy_json_member(j.root, keys[k]), "%s", keys[k]);
        gy_json_free(&j);
        remove("test_traces_report.json");
        unload(&l);
    }
}

Test(formats, can_be_listed)
{
    const char *name, *about;
    size_t n = 0;
    while (gy_trace_format(n, &name, &about)) {
        cr_expect_gt(strlen(about), 10);
        n++;
    }
    cr_expect_geq(n, 5);
}
