/* test_traces_philly.c - Philly's job log: attempts, missing times, and the two ways to read a record.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All records are invented.
 */
#include "test_traces_help.h"

#include "gy_philly_internal.h"

static const gy_trace_options utc = {.tz = "UTC"};

#define T(hms)         "\"2017-10-03 " hms "\""
#define HOST(ip, gpus) "{\"ip\": \"" ip "\", \"gpus\": [" gpus "]}"
#define ATTEMPT(start, end, detail)                                                                          \
    "{\"start_time\": " start ", \"end_time\": " end ", \"detail\": [" detail "]}"
#define RECORD(id, status, submitted, attempts)                                                              \
    "{\"status\": \"" status "\", \"vc\": \"vc1\", \"jobid\": \"" id "\", \"attempts\": [" attempts          \
    "], \"submitted_time\": " submitted ", \"user\": \"u1\"}"
#define G8 "\"gpu0\", \"gpu1\", \"gpu2\", \"gpu3\", \"gpu4\", \"gpu5\", \"gpu6\", \"gpu7\""
#define GOOD                                                                                                 \
    RECORD("good", "Pass", T("00:00:00"), ATTEMPT(T("00:00:01"), T("00:00:02"), HOST("m1", "\"gpu0\"")))

Test(philly, the_gap_between_attempts_is_no_run_time)
{
    struct loaded l = must_load(
        "[" RECORD(
            "q", "Pass", T("00:00:00"),
            ATTEMPT(T("00:00:00"), T("00:01:40"), HOST("m1", G8)) "," ATTEMPT(
                T("00:06:40"), T("00:08:20"),
                HOST("m2", G8))) "," RECORD("r", "Killed", T("00:11:40"),
                                            ATTEMPT(T("00:11:50"), T("00:12:00"),
                                                    HOST("m1", "\"gpu7\", \"gpu0\", \"gpu1\"") "," HOST(
                                                        "m3", "\"gpu4\""))) "]",
        utc);
    uint32_t q = job_of(&l, "q"), r = job_of(&l, "r");
    cr_expect_eq(l.jobs->submit_us[q], 0);
    cr_expect_eq(gy_job_log_start(l.jobs, q), 0);
    cr_expect_eq(gy_job_log_end(l.jobs, q), S(500));
    cr_expect_eq(l.jobs->duration_us[q], S(200));
    cr_expect_eq(gy_job_shape(l.jobs, q)->gpus_milli, 8000);
    cr_expect_str_eq(placed_of(&l, q), "m2:0-7");
    cr_expect_str_eq(gy_names_text(&l.jobs->queues, l.jobs->queue[q]), "vc1");
    cr_expect_eq(l.jobs->submit_us[r], S(700));
    cr_expect_eq(l.jobs->duration_us[r], S(10));
    cr_expect_eq(gy_job_shape(l.jobs, r)->gpus_milli, 4000);
    cr_expect_eq(l.jobs->log_state[r], GY_LOG_KILLED);
    cr_expect_str_eq(placed_of(&l, r), "m1:0-1,7;m3:4");
    expect_fates(l.report, 2, 0, 0, 0);
    unload(&l);
}

Test(philly, overlapping_attempts_are_not_counted_twice)
{
    static const char both[] =
        "[" RECORD("a", "Pass", T("00:00:00"),
                   ATTEMPT(T("00:00:10"), T("01:00:00"), HOST("m1", "\"gpu0\"")) "," ATTEMPT(
                       T("00:30:00"), T("01:00:00"), HOST("m2", "\"gpu1\", \"gpu2\""))) "]";
    struct loaded l = must_load(both, utc);
    cr_expect_eq(l.jobs->duration_us[0], S(3590));
    cr_expect_eq(gy_job_shape(l.jobs, 0)->gpus_milli, 1000);
    cr_expect_eq(count_of(l.report, GY_REMARK_DISAGREEMENT, "overlap"), 1);
    cr_expect_eq(count_of(l.report, GY_REMARK_DISAGREEMENT, "numbers of GPUs"), 1);
    unload(&l);

    l = must_load(both, (gy_trace_options){.tz = "UTC", .attempts = GY_ATTEMPTS_SPLIT});
    uint32_t one = job_of(&l, "a.1"), two = job_of(&l, "a.2");
    cr_expect_eq(l.jobs->duration_us[one] + l.jobs->duration_us[two], S(3590));
    cr_expect_eq(l.jobs->duration_us[one], S(1790));
    cr_expect_eq(l.jobs->submit_us[two], S(1800));
    cr_expect_eq(l.jobs->log_state[one], GY_LOG_FAILED);
    cr_expect_eq(l.jobs->log_state[two], GY_LOG_COMPLETED);
    cr_expect_eq(gy_job_shape(l.jobs, two)->gpus_milli, 2000);
    cr_expect_eq(l.jobs->after_list[l.jobs->after[two] + 1], one);
    expect_fates(l.report, 2, 0, 0, 0);
    unload(&l);
}

Test(philly, attempts_out_of_order_and_inside_each_other_make_one_union)
{
    struct loaded l =
        must_load("[" RECORD("a", "Failed", T("00:00:00"),
                             ATTEMPT(T("00:10:00"), T("00:20:00"), HOST("m1", "\"gpu0\"")) "," ATTEMPT(
                                 T("00:00:00"), T("00:05:00"),
                                 HOST("m1", "\"gpu0\"")) "," ATTEMPT(T("00:12:00"), T("00:13:00"),
                                                                     HOST("m1", "\"gpu0\""))) "]",
                  utc);
    cr_expect_eq(l.jobs->duration_us[0], S(900));
    cr_expect_eq(gy_job_log_start(l.jobs, 0), 0);
    cr_expect_eq(gy_job_log_end(l.jobs, 0), S(1200));
    unload(&l);
}

Test(philly, every_record_has_one_fate)
{
#define ONE(start, end) ATTEMPT(start, end, HOST("m1", "\"gpu0\""))
    static const struct {
        const char *why, *record;
        gy_fate fate;
    } rows[] = {
        {"no attempts", RECORD("a", "Killed", T("00:00:00"), ""), GY_FATE_NEVER_STARTED},
        {"attempts are null",
         "{\"status\": \"Pass\", \"jobid\": \"a\", \"attempts\": null, \"submitted_time\": " T(
             "00:00:00") "}",
         GY_FATE_NEVER_STARTED},
        {"attempts are missing",
         "{\"status\": \"Pass\", \"jobid\": \"a\", \"submitted_time\": " T("00:00:00") "}",
         GY_FATE_NEVER_STARTED},
        {"end null", RECORD("a", "Pass", T("00:00:00"), ONE(T("00:00:01"), "null")), GY_FATE_CENSORED},
        {"end None", RECORD("a", "Pass", T("00:00:00"), ONE(T("00:00:01"), "\"None\"")), GY_FATE_CENSORED},
        {"end empty", RECORD("a", "Pass", T("00:00:00"), ONE(T("00:00:01"), "\"\"")), GY_FATE_CENSORED},
        {"last end missing",
         RECORD("a", "Pass", T("00:00:00"), ONE(T("00:00:01"), T("00:00:02")) "," ONE(T("00:00:03"), "null")),
         GY_FATE_CENSORED},
        {"start None", RECORD("a", "Pass", T("00:00:00"), ONE("\"None\"", T("00:00:02"))), GY_FATE_REJECTED},
        {"neither", RECORD("a", "Pass", T("00:00:00"), ONE("\"\"", "null")), GY_FATE_REJECTED},
        {"an end inside is missing",
         RECORD("a", "Pass", T("00:00:00"),
                ONE(T("00:00:01"), "\"None\"") "," ONE(T("00:00:03"), T("00:00:04"))),
         GY_FATE_REJECTED},
        {"negative", RECORD("a", "Pass", T("00:00:00"), ONE(T("00:00:05"), T("00:00:04"))), GY_FATE_REJECTED},
        {"before its submission", RECORD("a", "Pass", T("00:00:09"), ONE(T("00:00:05"), T("00:00:10"))),
         GY_FATE_REJECTED},
        {"no submission", RECORD("a", "Pass", "\"None\"", ONE(T("00:00:05"), T("00:00:06"))),
         GY_FATE_REJECTED},
        {"no host", RECORD("a", "Pass", T("00:00:00"), ATTEMPT(T("00:00:01"), T("00:00:02"), "")),
         GY_FATE_REJECTED},
        {"no id", RECORD("", "Pass", T("00:00:00"), ONE(T("00:00:01"), T("00:00:02"))), GY_FATE_REJECTED},
        {"no status", "{\"status\": null, \"jobid\": \"a\", \"submitted_time\": " T("00:00:00") "}",
         GY_FATE_REJECTED},
        {"an id that was there", RECORD("good", "Pass", T("00:00:00"), ONE(T("00:00:01"), T("00:00:02"))),
         GY_FATE_REJECTED},
        {"a number for a text",
         "{\"status\": \"Pass\", \"jobid\": 17, \"submitted_time\": " T("00:00:00") "}", GY_FATE_REJECTED},
        {"attempts are no list",
         "{\"status\": \"Pass\", \"jobid\": \"a\", \"attempts\": 3, \"submitted_time\": " T("00:00:00") "}",
         GY_FATE_REJECTED},
        {"an empty record", "{}", GY_FATE_REJECTED},
        {"CPU job", RECORD("a", "Pass", T("00:00:00"), ATTEMPT(T("00:00:01"), T("00:00:02"), HOST("m1", ""))),
         GY_FATE_JOB},
        {"zero length", RECORD("a", "Pass", T("00:00:00"), ONE(T("00:00:01"), T("00:00:01"))), GY_FATE_JOB},
        {"no user",
         "{\"status\": \"Pass\", \"vc\": null, \"jobid\": \"a\", \"attempts\": [" ONE(
             T("00:00:01"), T("00:00:02")) "], \"submitted_time\": " T("00:00:00") ", \"user\": \"\"}",
         GY_FATE_JOB},
        {"escapes", RECORD("\\u0061\\n", "Pass", T("00:00:00"), ONE(T("00:00:01"), T("00:00:02"))),
         GY_FATE_JOB},
        {"members that are not known",
         "{\"extra\": [1, {\"a\": \"}\"}], \"status\": \"Pass\", \"jobid\": \"a\", \"attempts\": [" ONE(
             T("00:00:01"), T("00:00:02")) "], \"submitted_time\": " T("00:00:00") "}",
         GY_FATE_JOB},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_str text = {0};
        gy_str_printf(&text, "[\n" GOOD ",\n%s\n]\n", rows[i].record);
        struct loaded l = must_load(text.s, utc);
        cr_expect_eq(l.report->rows_read, 2, "%s", rows[i].why);
        cr_expect_eq(l.report->rows[rows[i].fate], rows[i].fate == GY_FATE_JOB ? 2 : 1, "%s", rows[i].why);
        for (size_t k = 0; k < l.report->nremarks; k++)
            cr_expect_eq(l.report->remarks[k].line, 3, "%s", rows[i].why);
        unload(&l);
        l = load_text(text.s, (gy_trace_options){.tz = "UTC", .strict = true});
        cr_expect_eq(l.rc, rows[i].fate == GY_FATE_REJECTED ? GY_EPARSE : GY_OK, "strict, %s", rows[i].why);
        cr_expect(l.rc == GY_OK || strstr(l.e.text, "t:3:"), "%s", l.e.text);
        unload(&l);
        gy_str_fini(&text);
    }
}

Test(philly, split_gives_each_attempt_its_own_fate)
{
    struct loaded l = must_load(
        "[" GOOD "," RECORD("a", "Killed", T("00:00:00"),
                            ONE(T("00:01:00"), T("00:02:00")) "," ONE("null", T("00:03:00")) "," ONE(
                                T("00:04:00"), T("00:05:00")) "," ONE(T("00:06:00"), "\"None\"")) "]",
        (gy_trace_options){.tz = "UTC", .attempts = GY_ATTEMPTS_SPLIT});
    expect_fates(l.report, 3, 0, 1, 1);
    uint32_t one = job_of(&l, "a.1"), three = job_of(&l, "a.3");
    cr_expect(has_job(&l, "good"));
    cr_expect_eq(l.jobs->submit_us[one], 0);
    cr_expect_eq(l.jobs->submit_us[three], S(120));
    cr_expect_eq(l.jobs->after_list[l.jobs->after[three] + 1], one);
    unload(&l);
}

Test(philly, an_unknown_status_is_an_error)
{
    struct loaded l = load_text("[\n\n" RECORD("a", "Passed", T("00:00:00"), "") "]", utc);
    cr_expect_eq(l.rc, GY_EPARSE);
    cr_expect(strstr(l.e.text, "t:3:") && strstr(l.e.text, "\"Passed\""), "%s", l.e.text);
    unload(&l);
}

Test(philly, a_damaged_file_is_an_error_with_its_line)
{
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"[\n" GOOD, "t:2:"},
        {"[\n" GOOD ",\n", "t:3:"},
        {"[\n" GOOD ",\n]", "t:3:"},
        {"[\n" GOOD "\n" GOOD "]", "t:3:"},
        {"[\n" GOOD "] x", "t:2:"},
        {"[\n" GOOD ",\n{\"status\": \"Pass\"", "cut off"},
        {"[\n" GOOD ",\n{\"status\": \"Pa", "cut off"},
        {"[\n" GOOD ",\n{\"status\" \"Pass\"}]", "not valid JSON"},
        {"[\n" GOOD ",\n{\"status\": \"Pass\",}]", "not valid JSON"},
        {"[\n" GOOD ",\n{\"attempts\": [1,]}]", "not valid JSON"},
        {"[\n" GOOD ",\n17]", "record in braces"},
        {"[]", "no rows"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct loaded l = load_text(rows[i].text, (gy_trace_options){.format = "philly", .tz = "UTC"});
        cr_expect_eq(l.rc, GY_EPARSE, "row %zu", i);
        cr_expect(strstr(l.e.text, rows[i].words), "row %zu: %s", i, l.e.text);
        unload(&l);
    }
}

Test(philly, the_night_the_clocks_go_back_has_an_hour_more)
{
    static const char text[] = "[" RECORD("a", "Pass", "\"2017-11-05 00:30:00\"",
                                          ONE("\"2017-11-05 00:30:00\"", "\"2017-11-05 03:30:00\"")) "]";
    struct loaded l = must_load(text, (gy_trace_options){.tz = "America/Los_Angeles"});
    cr_expect_eq(l.jobs->duration_us[0], S(14400));
    unload(&l);
    l = must_load(text, utc);
    cr_expect_eq(l.jobs->duration_us[0], S(10800));
    unload(&l);
    l = must_load(text, (gy_trace_options){0});
    cr_expect_eq(l.jobs->duration_us[0], S(14400), "the default is Los Angeles");
    unload(&l);
}

/* ---- the scanner and the tree ---- */

static void describe(const struct gy_philly_record *r, gy_str *out)
{
    const gy_slice texts[] = {r->status, r->vc, r->id, r->submitted, r->user};
    gy_str_puts(out, "");
    for (size_t i = 0; i < 5; i++)
        gy_str_printf(out, "%.*s|", (int)texts[i].n, texts[i].s);
    for (size_t i = 0; i < r->nattempts; i++) {
        const struct gy_philly_attempt *a = &r->attempts[i];
        gy_str_printf(out, "{%.*s,%.*s", (int)a->start.n, a->start.s, (int)a->end.n, a->end.s);
        for (size_t h = a->host0; h < a->host0 + a->nhosts; h++) {
            gy_str_printf(out, "[%.*s", (int)r->hosts[h].ip.n, r->hosts[h].ip.s);
            for (size_t g = r->hosts[h].gpu0; g < r->hosts[h].gpu0 + r->hosts[h].ngpus; g++)
                gy_str_printf(out, " %.*s", (int)r->gpus[g].n, r->gpus[g].s);
            gy_str_puts(out, "]");
        }
        gy_str_puts(out, "}");
    }
}

/* What the scanner takes, the tree reads the same; what it leaves is left for the tree. */
static gy_philly_scan compare_ways(const char *s, size_t n)
{
    struct gy_philly_record fast = {0}, tree = {0};
    size_t used = 0;
    gy_philly_scan scan = gy_philly_scan_record(s, n, &fast, &used);
    if (scan == GY_PHILLY_DONE) {
        const char *end = NULL;
        cJSON *root = cJSON_ParseWithLengthOpts(s, n, &end, 0);
        gy_str a = {0}, b = {0};
        cr_assert_not_null(root, "%s", s);
        cr_assert_eq((size_t)(end - s), used);
        cr_assert_eq(gy_philly_object_length(s, n), used);
        cr_assert_null(gy_philly_tree(root, &tree), "%s", s);
        describe(&fast, &a);
        describe(&tree, &b);
        cr_assert_str_eq(a.s, b.s);
        gy_str_fini(&a);
        gy_str_fini(&b);
        cJSON_Delete(root);
    }
    gy_philly_record_fini(&fast);
    gy_philly_record_fini(&tree);
    return scan;
}

static const char usual[] =
    RECORD("a", "Pass", T("00:00:00"),
           ATTEMPT(T("00:10:00"), "null",
                   HOST("m1", "\"gpu0\"") ",\n  " HOST("m2", "")) "," ATTEMPT(T("00:00:00"), "\"None\"", ""));

Test(philly_scan, agrees_with_the_tree)
{
    static const char *const records[] = {
        "{}",
        "{ }",
        "{\"user\": null}",
        "{\n\t\"attempts\" :[ ] , \"user\":\"x\"\r\n}",
        "{\"attempts\": [{}], \"vc\": \"\"}",
        "{\"attempts\": [{\"detail\": [{}, {\"gpus\": [], \"ip\": null}], \"end_time\": null}]}",
        RECORD("a", "Pass", T("00:00:00"), ""),
        usual,
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        cr_expect_eq(compare_ways(records[i], strlen(records[i])), GY_PHILLY_DONE, "%s", records[i]);
}

Test(philly_scan, leaves_what_is_unusual_to_the_tree)
{
    static const char *const records[] = {
        "{\"user\": \"\\u0041\"}",  "{\"user\": 1}",
        "{\"other\": \"x\"}",       "{\"user\": \"a\", \"user\": \"b\"}",
        "{\"user\": \"\xc3\xa4\"}", "{\"user\": true}",
        "{\"attempts\": null}",     "{\"user\": \"a\",}",
        "{\"user\" \"a\"}",         "{\"user\": \"a\tb\"}",
        "{\"attempts\": [1]}",      "{,}",
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        cr_expect_eq(compare_ways(records[i], strlen(records[i])), GY_PHILLY_UNUSUAL, "%s", records[i]);
}

Test(philly_scan, asks_for_more_wherever_a_record_is_cut)
{
    for (size_t n = 1; n < sizeof usual - 1; n++)
        cr_assert_eq(compare_ways(usual, n), GY_PHILLY_MORE, "%zu", n);
}

Test(philly_scan, agrees_with_the_tree_on_any_single_change)
{
    static const char put[] = "\"{}[],:\\ x1\n";
    char text[sizeof usual];
    for (size_t i = 1; i < sizeof usual - 1; i++)
        for (size_t k = 0; k < sizeof put - 1; k++) {
            memcpy(text, usual, sizeof usual);
            text[i] = put[k];
            compare_ways(text, sizeof usual - 1);
        }
}

/* Records across the pieces in which a file comes, indented and not, with and without unusual ones. */
Test(philly, a_long_file_is_read_as_a_short_one)
{
    gy_str text = {0};
    gy_str_puts(&text, "[");
    enum { N = 4000 };
    for (unsigned i = 0; i < N; i++)
        gy_str_printf(
            &text,
            "%s\n%*s{\"status\": \"Pass\", \"vc\": \"v\", \"jobid\": \"j%s%u\",\n\"attempts\": [" ONE(
                T("00:00:01"), T("00:00:02")) "], \"submitted_time\": " T("00:00:00") ", \"user\": \"u\"}",
            i ? "," : "", (int)(i % 61), "", i % 5 == 0 ? "\\u0061" : "", i);
    gy_str_puts(&text, "\n]\n");
    struct loaded l = must_load(text.s, utc);
    expect_fates(l.report, N, 0, 0, 0);
    cr_expect(has_job(&l, "ja0") && has_job(&l, "ja3995") && has_job(&l, "j3999"));
    unload(&l);
    gy_str_fini(&text);
}
