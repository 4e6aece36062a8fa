/* test_base.c - numbers, names, random streams, files in and out.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gy_input.h"
#include "gy_json.h"
#include "gy_leftovers.h"
#include "gy_output.h"
#include "gy_random.h"
#include "gy_text.h"

Test(number, reads_decimals_exactly_or_says_why_not)
{
    static const struct {
        const char *text;
        gy_number_rc rc;
        int64_t us;
    } rows[] = {
        {"0", GY_NUMBER_OK, 0},
        {"1.5", GY_NUMBER_OK, 1500000},
        {"-3", GY_NUMBER_OK, -3000000},
        {"1.000001", GY_NUMBER_OK, 1000001},
        {"1.0000010", GY_NUMBER_OK, 1000001},
        {"1.0000001", GY_NUMBER_FINE, 0},
        {"1700000000.000000001", GY_NUMBER_FINE, 0},
        {"1e3", GY_NUMBER_OK, 1000000000},
        {"25e-1", GY_NUMBER_OK, 2500000},
        {"1e-7", GY_NUMBER_FINE, 0},
        {"9223372036854.775807", GY_NUMBER_OK, INT64_MAX},
        {"9223372036854.775808", GY_NUMBER_RANGE, 0},
        {"1e30", GY_NUMBER_RANGE, 0},
        {"", GY_NUMBER_NONE, 0},
        {".", GY_NUMBER_NONE, 0},
        {"-", GY_NUMBER_NONE, 0},
        {"5s", GY_NUMBER_NONE, 0},
        {"1,5", GY_NUMBER_NONE, 0},
        {" 1", GY_NUMBER_NONE, 0},
        {"0x10", GY_NUMBER_NONE, 0},
        {"nan", GY_NUMBER_NONE, 0},
        {"1e", GY_NUMBER_NONE, 0},
        {".5", GY_NUMBER_OK, 500000},
        {"5.", GY_NUMBER_OK, 5000000},
        {"000000000000000000000000000001", GY_NUMBER_OK, 1000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t us = 0;
        gy_number_rc rc = gy_parse_us(rows[i].text, strlen(rows[i].text), &us);
        cr_expect_eq(rc, rows[i].rc, "\"%s\": %d", rows[i].text, rc);
        if (rc == GY_NUMBER_OK)
            cr_expect_eq(us, rows[i].us, "\"%s\": %ld", rows[i].text, (long)us);
    }
}

Test(number, writes_what_it_reads)
{
    static const int64_t values[] = {0,  1,        10,        999999,        1000000, 1500000,
                                     -1, -1500000, INT64_MAX, INT64_MIN + 1, 100};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char buf[64];
        int64_t back;
        char *end = gy_put_us(buf, values[i]);
        cr_expect_eq((size_t)(end - buf), strlen(buf));
        cr_expect_eq(gy_parse_us(buf, strlen(buf), &back), GY_NUMBER_OK);
        cr_expect_eq(back, values[i], "%s", buf);
        cr_expect(!strchr(buf, '.') || buf[strlen(buf) - 1] != '0', "trailing zero in %s", buf);
    }
    char buf[64];
    gy_put_i128(buf, (gy_i128)INT64_MAX * 1000 + 7, 3);
    cr_expect_str_eq(buf, "9223372036854775807.007");
}

Test(number, durations_take_units)
{
    static const struct {
        const char *text;
        int64_t us;
    } rows[] = {{"30d", 30 * 86400 * INT64_C(1000000)},
                {"1.5h", 5400000000},
                {"90", 90000000},
                {"250ms", 250000},
                {"5m", 300000000},
                {"7us", 7},
                {"2s", 2000000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t us = -1;
        cr_expect_eq(gy_parse_duration(rows[i].text, strlen(rows[i].text), &us), GY_NUMBER_OK, "%s",
                     rows[i].text);
        cr_expect_eq(us, rows[i].us, "%s: %ld", rows[i].text, (long)us);
    }
    int64_t us;
    cr_expect_eq(gy_parse_duration("5x", 2, &us), GY_NUMBER_NONE);
    cr_expect_eq(gy_parse_duration("0.5us", 5, &us), GY_NUMBER_FINE);
}

Test(number, doubles_are_short_and_read_back)
{
    static const double values[] = {0.1 + 0.2, 1.0 / 3, 1e300, 5e-324, 0.6666666666666667, 254803968000.0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char buf[40];
        gy_put_double(buf, values[i]);
        cr_expect_eq(strtod(buf, NULL), values[i], "%s", buf);
    }
    char buf[40];
    gy_put_double(buf, NAN);
    cr_expect_str_eq(buf, "null");
}

Test(names, are_numbered_in_order_of_first_use)
{
    gy_names t = {0};
    char text[16];
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < 1000; i++) {
            int n = snprintf(text, sizeof text, "u%u", i * 7919 % 1000);
            cr_assert_eq(gy_names_add(&t, text, (size_t)n), i);
        }
    cr_expect_eq(t.n, 1000);
    cr_expect_eq(gy_names_find(&t, "nobody", 6), GY_NAME_NONE);
    cr_expect_str_eq(gy_names_text(&t, 1), "u919");
    gy_names_fini(&t);
}

Test(names, suggestions_are_near_or_absent)
{
    const char *const words[] = {"fifo", "fifo-skip", "sjf", "tiresias", "gpus"};
    cr_expect_str_eq(gy_nearest_of("fifoo", words, 5), "fifo");
    cr_expect_str_eq(gy_nearest_of("gpu", words, 5), "gpus");
    cr_expect_null(gy_nearest_of("shockwave", words, 5));
}

Test(random, philox_gives_the_known_answers)
{
    /* Random123's kat_vectors for philox4x32-10. */
    static const struct {
        uint32_t key[2], ctr[4], out[4];
    } rows[] = {
        {{0, 0}, {0, 0, 0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0xa4093822, 0x299f31d0},
         {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t out[4];
        gy_philox(rows[i].key, rows[i].ctr, out);
        cr_expect_arr_eq(out, rows[i].out, sizeof out, "row %zu", i);
    }
}

Test(random, log_and_exp_are_those_of_libm_to_the_last_digits)
{
    for (int i = -300; i <= 300; i++) {
        double x = i / 7.0;
        cr_expect_float_eq(gy_exp(x) / exp(x), 1, 1e-13, "exp(%g)", x);
        double y = exp(x);
        cr_expect_float_eq(gy_log(y), log(y), 1e-13 * (1 + fabs(log(y))), "log(%g)", y);
    }
}

Test(random, streams_have_the_moments_they_should)
{
    gy_stream s = gy_stream_of(42, GY_RANDOM_GENERATE, 7);
    double sum = 0, squares = 0, exponential = 0;
    enum { N = 200000 };
    for (int i = 0; i < N; i++) {
        double z = gy_stream_normal(&s);
        sum += z;
        squares += z * z;
        exponential += gy_stream_exponential(&s);
    }
    cr_expect_float_eq(sum / N, 0, 4 / sqrt(N));
    cr_expect_float_eq(squares / N, 1, 6 / sqrt(N));
    cr_expect_float_eq(exponential / N, 1, 4 / sqrt(N));
    unsigned seen[10] = {0};
    for (int i = 0; i < N; i++)
        seen[gy_stream_below(&s, 10)]++;
    for (int k = 0; k < 10; k++)
        cr_expect_float_eq(seen[k], N / 10.0, 5 * sqrt(N / 10.0));
}

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/gy-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void drop_folder(void)
{
    char cmd[100];
    snprintf(cmd, sizeof cmd, "rm -rf %s", folder);
    cr_assert_eq(system(cmd), 0);
}

TestSuite(files, .init = make_folder, .fini = drop_folder);

static void write_lines(const char *path, bool gzip, unsigned n)
{
    gy_out *o;
    gy_err e;
    cr_assert_eq(gy_out_open(&o, path, gzip, &e), GY_OK);
    for (unsigned i = 0; i < n; i++)
        gy_out_printf(o, "line %u\n", i);
    cr_assert_eq(gy_out_close(o, true, &e), GY_OK);
}

Test(files, gzip_and_plain_read_the_same)
{
    for (int gzip = 0; gzip < 2; gzip++) {
        char path[100], want[32], *line;
        gy_input *in;
        gy_err e;
        size_t n;
        snprintf(path, sizeof path, "%s/a%d", folder, gzip);
        write_lines(path, gzip, 100000);
        cr_assert_eq(gy_input_open(&in, path, &e), GY_OK);
        for (unsigned i = 0; i < 100000; i++) {
            cr_assert_eq(gy_input_line(in, &line, &n, &e), GY_OK);
            int k = snprintf(want, sizeof want, "line %u", i);
            cr_assert(n == (size_t)k && strcmp(line, want) == 0, "%s", line);
        }
        cr_assert_eq(gy_input_line(in, &line, &n, &e), GY_OK);
        cr_expect_null(line);
        gy_input_close(in);
    }
}

Test(files, a_cut_or_damaged_gzip_is_an_error)
{
    char path[100], whole[20000];
    snprintf(path, sizeof path, "%s/a.gz", folder);
    write_lines(path, true, 5000);
    FILE *f = fopen(path, "rb");
    size_t size = fread(whole, 1, sizeof whole, f);
    fclose(f);
    for (int damage = 0; damage < 2; damage++) {
        f = fopen(path, "wb");
        if (damage)
            whole[size - 6] ^= 1; /* in the checksum */
        fwrite(whole, 1, damage ? size : size - 30, f);
        fclose(f);
        gy_input *in;
        gy_err e;
        char *line = path;
        size_t n;
        gy_rc rc = gy_input_open(&in, path, &e);
        while (rc == GY_OK && line)
            rc = gy_input_line(in, &line, &n, &e);
        cr_expect_eq(rc, GY_EIO, "damage %d", damage);
        cr_expect(strstr(e.text, "a.gz"), "%s", e.text);
        gy_input_close(in);
    }
}

Test(files, the_hash_is_that_of_the_bytes_on_disk)
{
    char path[100], hex[65];
    snprintf(path, sizeof path, "%s/abc", folder);
    FILE *f = fopen(path, "w");
    fputs("abc", f);
    fclose(f);
    gy_input *in;
    gy_err e;
    cr_assert_eq(gy_input_open(&in, path, &e), GY_OK);
    cr_assert_eq(gy_input_sha256(in, hex, &e), GY_OK);
    cr_expect_str_eq(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    gy_input_close(in);
}

Test(files, a_folder_appears_whole_or_not_at_all)
{
    char path[100], file[120];
    gy_err e;
    gy_outdir *d;
    gy_out *o;
    snprintf(path, sizeof path, "%s/x/y", folder);
    snprintf(file, sizeof file, "%s/plots/a.csv", path);
    for (int keep = 0; keep < 2; keep++) {
        cr_assert_eq(gy_outdir_open(&d, path, &e), GY_OK);
        cr_assert_eq(gy_outdir_file(d, "plots/a.csv", false, &o, &e), GY_OK);
        gy_out_text(o, "x\n");
        cr_assert_eq(gy_out_close(o, true, &e), GY_OK);
        cr_expect_neq(access(file, F_OK), 0, "visible before the commit");
        if (keep)
            cr_assert_eq(gy_outdir_commit(d, &e), GY_OK);
        else
            gy_outdir_abort(d);
        cr_expect_eq(access(file, F_OK) == 0, keep == 1);
        cr_expect_eq(access(path, F_OK) == 0, keep == 1, "the folder itself");
    }
    char left[200];
    snprintf(left, sizeof left, "test -z \"$(find %s -name '.partial*')\"", folder);
    cr_expect_eq(system(left), 0, "partial files are left");
}

Test(files, a_full_disk_is_an_error_and_leaves_nothing)
{
    gy_out *o;
    gy_err e;
    if (access("/dev/full", W_OK) != 0)
        cr_skip_test("no /dev/full here");
    char path[100];
    snprintf(path, sizeof path, "%s/full", folder);
    cr_assert_eq(symlink("/dev/full", path), 0);
    gy_str temp = {0};
    snprintf(path, sizeof path, "%s/out", folder);
    gy_leftovers_name(&temp, path);
    cr_assert_eq(symlink("/dev/full", temp.s), 0);
    gy_str_fini(&temp);
    cr_assert_eq(gy_out_open(&o, path, false, &e), GY_OK);
    gy_out_text(o, "x");
    cr_expect_eq(gy_out_close(o, true, &e), GY_EIO);
    cr_expect(strstr(e.text, "No space"), "%s", e.text);
    cr_expect_neq(access(path, F_OK), 0);
}

Test(json, comments_pass_and_unknown_keys_do_not)
{
    gy_json j;
    gy_err e;
    const char *text = "{ // nodes\n \"count\": 3, /* \"x\" */ \"gpu\": 8, \"s\": \"a//b\" }";
    cr_assert_eq(gy_json_parse(&j, "c.json", text, strlen(text), &e), GY_OK);
    int64_t v = 0;
    cr_expect_eq(gy_json_int(&j, j.root, "count", 1, 10, &v, &e), GY_OK);
    cr_expect_eq(v, 3);
    const char *s = NULL;
    cr_expect_eq(gy_json_text(&j, j.root, "s", &s, &e), GY_OK);
    cr_expect_str_eq(s, "a//b");
    static const char *const keys[] = {"count", "gpus", "s"};
    cr_expect_eq(gy_json_keys(&j, j.root, "nodes[0]", keys, 3, &e), GY_EPARSE);
    cr_expect(strstr(e.text, "\"gpu\"") && strstr(e.text, "\"gpus\""), "%s", e.text);
    gy_json_free(&j);
    cr_expect_eq(gy_json_parse(&j, "c.json", "{\n\"a\": 1,\n}", 11, &e), GY_EPARSE);
    cr_expect(strstr(e.text, "c.json:3"), "%s", e.text);
}
