/* test_traces_tz.c - time zones, dates and the clock of a log.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <string.h>

#include "gy_stamp.h"
#include "gy_tz.h"

static gy_tz *rule(const char *text)
{
    gy_tz *z;
    gy_err e;
    cr_assert_eq(gy_tz_from_rule(&z, "test", text, &e), GY_OK, "%s", e.text);
    return z;
}

static int64_t local(const char *text)
{
    gy_clock c = {.tz = NULL};
    gy_stamp s;
    cr_assert(gy_stamp_parse(&c, text, strlen(text), &s), "%s", text);
    return s.local_us / GY_US_PER_S;
}

Test(calendar, dates_and_days_are_inverse)
{
    cr_expect_eq(gy_days_of(1970, 1, 1), 0);
    cr_expect_eq(gy_days_of(2000, 3, 1), 11017);
    cr_expect_eq(gy_days_of(1600, 1, 1), -135140);
    for (int64_t d = -200000; d < 200000; d += 13) {
        int64_t year;
        unsigned month, day;
        gy_date_of(d, &year, &month, &day);
        cr_assert_eq(gy_days_of(year, month, day), d);
        cr_assert(day >= 1 && day <= gy_days_in_month(year, month));
    }
}

Test(stamp, reads_dates_with_and_without_offsets)
{
    static const struct {
        const char *text;
        bool good;
        int64_t local_us;
        bool has_offset;
        int32_t offset_s;
    } rows[] = {
        {"1970-01-02 00:00:01", true, 86401000000, false, 0},
        {"1970-01-02T00:00:01", true, 86401000000, false, 0},
        {"1970-01-01 00:00:00.5", true, 500000, false, 0},
        {"1970-01-01 00:00:00.000001", true, 1, false, 0},
        {"1970-01-01 00:00:00.1234560", true, 123456, false, 0},
        {"1970-01-01 00:00:00.1234567", false, 0, false, 0},
        {"1970-01-01 00:00:00.", false, 0, false, 0},
        {"1970-01-01 00:00:00Z", true, 0, true, 0},
        {"1970-01-01 08:00:00+08:00", true, 28800000000, true, 28800},
        {"1970-01-01 08:00:00.25+0800", true, 28800250000, true, 28800},
        {"1970-01-01 00:00:00-03", true, 0, true, -10800},
        {"1970-01-01 00:00:00+8", false, 0, false, 0},
        {"1970-01-01 00:00:00+08:0", false, 0, false, 0},
        {"1970-01-01 00:00:00 PDT", false, 0, false, 0},
        {"1970-01-01 23:59:60", true, 86400000000, false, 0},
        {"1970-01-01 24:00:00", false, 0, false, 0},
        {"1970-01-01 00:60:00", false, 0, false, 0},
        {"1970-02-29 00:00:00", false, 0, false, 0},
        {"2000-02-29 00:00:00", true, 951782400000000, false, 0},
        {"1900-02-29 00:00:00", false, 0, false, 0},
        {"1970-13-01 00:00:00", false, 0, false, 0},
        {"1970-00-01 00:00:00", false, 0, false, 0},
        {"1970-01-00 00:00:00", false, 0, false, 0},
        {"1970-1-1 00:00:00", false, 0, false, 0},
        {"1970/01/01 00:00:00", false, 0, false, 0},
        {"1970-01-01", false, 0, false, 0},
        {"1970-01-01 00:00", false, 0, false, 0},
        {"", false, 0, false, 0},
        {"None", false, 0, false, 0},
        {" 1970-01-01 00:00:00", false, 0, false, 0},
    };
    gy_clock c = {.tz = NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_stamp s = {0};
        bool good = gy_stamp_parse(&c, rows[i].text, strlen(rows[i].text), &s);
        cr_expect_eq(good, rows[i].good, "\"%s\"", rows[i].text);
        if (!good)
            continue;
        cr_expect_eq(s.local_us, rows[i].local_us, "\"%s\": %ld", rows[i].text, (long)s.local_us);
        cr_expect_eq(s.has_offset, rows[i].has_offset, "\"%s\"", rows[i].text);
        cr_expect_eq(s.offset_s, rows[i].offset_s, "\"%s\"", rows[i].text);
    }
}

Test(stamp, a_date_of_nul_bytes_is_none)
{
    static const char text[19] = {[10] = ' ', '0', '0', ':', '0', '0', ':', '0', '0'};
    gy_clock c = {.tz = NULL};
    gy_stamp s;
    cr_expect_not(gy_stamp_parse(&c, text, sizeof text, &s));
}

Test(stamp, is_written_as_it_is_read)
{
    char buf[64];
    gy_put_stamp(buf, -500000);
    cr_expect_str_eq(buf, "1969-12-31 23:59:59.5");
}

/* UTC of local times in zones given by their rules: the second instant when a time comes twice. */
Test(tz, turns_local_times_into_instants)
{
    static const char west[] = "PST8PDT,M3.2.0,M11.1.0", ireland[] = "IST-1GMT0,M10.5.0,M3.5.0/1",
                      howe[] = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", china[] = "CST-8",
                      always[] = "XXX3EDT4,0/0,J365/23";
    static const struct {
        const char *rule, *local, *first, *second; /* in UTC */
        gy_local kind;
    } rows[] = {
        {west, "2017-11-05 00:30:00", "2017-11-05 07:30:00", "", GY_LOCAL_ONCE},
        {west, "2017-11-05 00:59:59", "2017-11-05 07:59:59", "", GY_LOCAL_ONCE},
        {west, "2017-11-05 01:00:00", "2017-11-05 08:00:00", "2017-11-05 09:00:00", GY_LOCAL_TWICE},
        {west, "2017-11-05 01:59:59", "2017-11-05 08:59:59", "2017-11-05 09:59:59", GY_LOCAL_TWICE},
        {west, "2017-11-05 02:00:00", "2017-11-05 10:00:00", "", GY_LOCAL_ONCE},
        {west, "2017-11-05 03:30:00", "2017-11-05 11:30:00", "", GY_LOCAL_ONCE},
        {west, "2017-03-12 01:59:59", "2017-03-12 09:59:59", "", GY_LOCAL_ONCE},
        {west, "2017-03-12 02:00:00", "2017-03-12 10:00:00", "", GY_LOCAL_SKIPPED},
        {west, "2017-03-12 02:30:00", "2017-03-12 10:30:00", "", GY_LOCAL_SKIPPED},
        {west, "2017-03-12 03:00:00", "2017-03-12 10:00:00", "", GY_LOCAL_ONCE},
        {west, "2060-07-01 00:00:00", "2060-07-01 07:00:00", "", GY_LOCAL_ONCE},
        {west, "2016-12-31 23:59:59", "2017-01-01 07:59:59", "", GY_LOCAL_ONCE},
        {ireland, "2020-07-01 12:00:00", "2020-07-01 11:00:00", "", GY_LOCAL_ONCE},
        {ireland, "2020-01-01 12:00:00", "2020-01-01 12:00:00", "", GY_LOCAL_ONCE},
        {ireland, "2020-10-25 01:30:00", "2020-10-25 00:30:00", "2020-10-25 01:30:00", GY_LOCAL_TWICE},
        {howe, "2020-01-01 00:00:00", "2019-12-31 13:00:00", "", GY_LOCAL_ONCE},
        {howe, "2020-04-05 01:45:00", "2020-04-04 14:45:00", "2020-04-04 15:15:00", GY_LOCAL_TWICE},
        {howe, "2020-10-04 02:15:00", "2020-10-03 15:45:00", "", GY_LOCAL_SKIPPED},
        {china, "2020-04-01 00:00:00", "2020-03-31 16:00:00", "", GY_LOCAL_ONCE},
        {always, "2020-06-01 00:00:00", "2020-06-01 04:00:00", "", GY_LOCAL_ONCE},
        {always, "2020-12-31 23:59:59", "2021-01-01 03:59:59", "", GY_LOCAL_ONCE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_tz *z = rule(rows[i].rule);
        int64_t first, second;
        gy_local kind = gy_tz_utc(z, local(rows[i].local), &first, &second);
        cr_expect_eq(kind, rows[i].kind, "%s %s: %d", rows[i].rule, rows[i].local, kind);
        cr_expect_eq(first, local(rows[i].first), "%s %s: %ld", rows[i].rule, rows[i].local, (long)first);
        cr_expect_eq(second, local(*rows[i].second ? rows[i].second : rows[i].first), "%s", rows[i].local);
        gy_tz_close(z);
    }
}

Test(tz, an_instant_comes_back_from_its_local_time)
{
    static const char *const rules[] = {"PST8PDT,M3.2.0,M11.1.0", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
                                        "NZST-12NZDT,M9.5.0,M4.1.0/3", "EET-2EEST,J60/4,300/4", "UTC0"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        gy_tz *z = rule(rules[i]);
        for (int64_t utc = 1483228800; utc < 1483228800 + 2 * 366 * 86400; utc += 1799) {
            int64_t first, second;
            gy_local kind = gy_tz_utc(z, utc + gy_tz_offset(z, utc), &first, &second);
            cr_assert(first == utc || second == utc, "%s: %ld", rules[i], (long)utc);
            cr_assert_neq(kind, GY_LOCAL_SKIPPED);
        }
        gy_tz_close(z);
    }
}

Test(tz, bad_rules_are_refused)
{
    static const char *const rules[] = {"",
                                        "PST",
                                        "8",
                                        "PST8PDT",
                                        "PST8PDT,M3.2.0",
                                        "PST99",
                                        "PST8PDT,M13.2.0,M11.1.0",
                                        "PST8PDT,M3.6.0,M11.1.0",
                                        "PST8PDT,M3.2.7,M11.1.0",
                                        "PST8PDT,J0,J1",
                                        "PST8PDT,400,1",
                                        "<PST8",
                                        "PST8PDT,M3.2.0,M11.1.0x",
                                        "P8",
                                        "PST8:60"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        gy_tz *z = NULL;
        cr_expect_eq(gy_tz_from_rule(&z, "x", rules[i], NULL), GY_EPARSE, "%s", rules[i]);
    }
}

Test(tz, offsets_and_utc_need_no_files)
{
    static const struct {
        const char *name;
        int32_t offset_s;
    } rows[] = {{"UTC", 0}, {"Etc/UTC", 0}, {"Z", 0}, {"+08:00", 28800}, {"-03:30", -12600}, {"+00:00", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_tz *z;
        gy_err e;
        cr_assert_eq(gy_tz_open(&z, rows[i].name, &e), GY_OK, "%s", e.text);
        cr_expect_eq(gy_tz_offset(z, 1500000000), rows[i].offset_s, "%s", rows[i].name);
        cr_expect_str_eq(gy_tz_name(z), rows[i].name);
        gy_tz_close(z);
    }
}

Test(tz, an_unknown_name_is_an_error_and_no_way_out_of_the_folder)
{
    static const char *const names[] = {"Nowhere/Atall",  "",   "../../../etc/passwd",
                                        "/etc/localtime", "+8", "+99:00"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gy_tz *z = NULL;
        gy_err e;
        cr_expect_eq(gy_tz_open(&z, names[i], &e), GY_EINVAL, "%s", names[i]);
        cr_expect(strstr(e.text, names[i]), "%s", e.text);
    }
}

/* Version 1 block empty, version 2 block with one change at 1000 s, then a rule. */
static const unsigned char tzif[] = {
    'T', 'Z', 'i',  'f',  '2',  0,    0,   0,   0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0,   0,   0,    0,    0,    0,    0,   0,   0,    0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, /* counts: one type
                                                                                           */
    0,   0,   0,    0,    0,    0,                                                        /* the type */
    'T', 'Z', 'i',  'f',  '2',  0,    0,   0,   0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0,   0,   0,    0,    0,    0,    0,   0,   0,    0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0,
    0,   0,   0,    0,    0x03, 0xe8, /* 1000 */
    1,                                /* from then on type 1 */
    0,   0,   0x0e, 0x10, 0,    0,    /* +3600 */
    0,   0,   0x1c, 0x20, 0,    0,    /* +7200 */
    'A', 0,   '\n', 'A',  'A',  'A',  '-', '2', '\n',
};

Test(tz, reads_a_file_of_version_2)
{
    gy_tz *z;
    gy_err e;
    int64_t from, to;
    cr_assert_eq(gy_tz_from_file(&z, "x", tzif, sizeof tzif, &e), GY_OK, "%s", e.text);
    cr_expect_eq(gy_tz_span(z, 999, &from, &to), 3600);
    cr_expect_eq(from, INT64_MIN);
    cr_expect_eq(to, 1000);
    cr_expect_eq(gy_tz_span(z, 1000, &from, &to), 7200);
    cr_expect_eq(from, 1000);
    cr_expect_eq(to, INT64_MAX);
    gy_tz_close(z);
}

Test(tz, a_file_cut_anywhere_is_an_error)
{
    unsigned char damaged[sizeof tzif];
    for (size_t n = 0; n < sizeof tzif; n++) {
        gy_tz *z = NULL;
        memcpy(damaged, tzif, n);
        cr_expect_eq(gy_tz_from_file(&z, "x", damaged, n, NULL), GY_EPARSE, "%zu bytes", n);
    }
}

Test(tz, a_file_with_any_byte_changed_is_read_or_refused)
{
    unsigned char damaged[sizeof tzif];
    for (size_t i = 0; i < sizeof tzif; i++) {
        gy_tz *z = NULL;
        memcpy(damaged, tzif, sizeof tzif);
        damaged[i] ^= 0xff;
        if (gy_tz_from_file(&z, "x", damaged, sizeof damaged, NULL) == GY_OK)
            gy_tz_offset(z, 5000);
        gy_tz_close(z);
    }
}

Test(clock, the_second_of_two_instants_only_when_order_demands_it)
{
    gy_tz *z = rule("PST8PDT,M3.2.0,M11.1.0");
    gy_clock c = {.tz = z};
    gy_stamp s;
    int64_t start, end, unknown;
    cr_assert(gy_stamp_parse(&c, "2017-11-05 01:30:00", 19, &s));
    cr_expect_eq(gy_clock_utc(&c, &s, INT64_MIN, &start), GY_LOCAL_TWICE);
    cr_assert(gy_stamp_parse(&c, "2017-11-05 01:10:00", 19, &s));
    cr_expect_eq(gy_clock_utc(&c, &s, start, &end), GY_LOCAL_TWICE);
    cr_expect_eq(end - start, 2400 * (int64_t)GY_US_PER_S);
    /* neither instant lies behind the other time: the first, and the caller finds the order broken */
    cr_expect_eq(gy_clock_utc(&c, &s, start + 7200 * (int64_t)GY_US_PER_S, &unknown), GY_LOCAL_TWICE);
    cr_expect_lt(unknown, start);
    gy_tz_close(z);
}

Test(clock, remembers_a_span_without_changing_an_answer)
{
    gy_tz *z = rule("PST8PDT,M3.2.0,M11.1.0");
    gy_clock c = {.tz = z};
    for (int64_t s = 1483228800; s < 1483228800 + 400 * 86400; s += 5003) {
        gy_clock fresh = {.tz = z};
        gy_stamp stamp = {.local_us = s * GY_US_PER_S + 250000};
        int64_t a, b;
        cr_assert_eq(gy_clock_utc(&c, &stamp, INT64_MIN, &a), gy_clock_utc(&fresh, &stamp, INT64_MIN, &b));
        cr_assert_eq(a, b);
    }
    gy_tz_close(z);
}
