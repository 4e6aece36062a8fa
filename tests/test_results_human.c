/* test_results_human.c - numbers for people: times with a unit, ticks of an axis.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <math.h>

#include "gy_human.h"

Test(human, shows_three_digits_and_a_unit)
{
    static const struct {
        double s;
        const char *text;
    } rows[] = {{0, "0s"},         {0.000012, "12.0us"},    {0.25, "250ms"},  {1, "1.00s"},
                {12.345, "12.3s"}, {59.94, "59.9s"},        {59.96, "1.00m"}, {60, "1.00m"},
                {3599, "1.00h"},   {5400, "1.50h"},         {86400, "1.00d"}, {86399, "1.00d"},
                {864000, "10.0d"}, {8640000000, "100000d"}, {NAN, "n/a"},     {-90, "-1.50m"}};
    char buf[GY_HUMAN];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_human_time(buf, rows[i].s, "");
        cr_expect_str_eq(buf, rows[i].text, "%g s: %s", rows[i].s, buf);
    }
    gy_human_count(buf, 1234567);
    cr_expect_str_eq(buf, "1 234 567");
    gy_human_count(buf, 999);
    cr_expect_str_eq(buf, "999");
    gy_human_percent(buf, 0.8534);
    cr_expect_str_eq(buf, "85.3%");
    gy_human_gpu_hours(buf, (gy_i128)8000 * 5400 * 1000000);
    cr_expect_str_eq(buf, "12.0 GPU h");
}

Test(human, puts_ticks_at_round_times)
{
    static const struct {
        double most;
        size_t room, n;
        const char *last;
    } rows[] = {{20 * 86400.0, 12, 11, "20 d"}, {90, 8, 7, "90 s"}, {3600, 8, 7, "1 h"},
                {7 * 86400.0, 9, 8, "7 d"},     {5, 8, 6, "5 s"},   {0.5, 8, 6, "500 ms"},
                {400 * 86400.0, 6, 5, "400 d"}, {1, 4, 3, "1 s"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double at[16];
        char label[GY_HUMAN];
        size_t n = gy_human_ticks(rows[i].most, at, rows[i].room);
        cr_assert(n >= 2 && n <= rows[i].room, "up to %g: %zu ticks", rows[i].most, n);
        gy_human_tick(label, at[n - 1]);
        cr_expect_eq(n, rows[i].n, "up to %g: %zu ticks, the last %s", rows[i].most, n, label);
        cr_expect_str_eq(label, rows[i].last, "up to %g: %s", rows[i].most, label);
    }
}

Test(human, keeps_one_unit_on_an_axis)
{
    static const struct {
        double s, step;
        const char *text;
    } rows[] = {
        {0, 1800, "0"},         {1800, 1800, "0.5 h"},     {16200, 1800, "4.5 h"}, {7200, 3600, "2 h"},
        {1800, 900, "30 m"},    {129600, 43200, "1.5 d"},  {90, 30, "1.5 m"},      {90, 15, "90 s"},
        {75600, 10800, "21 h"}, {34560000, 86400, "400 d"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char label[GY_HUMAN];
        gy_human_tick_in(label, rows[i].s, rows[i].step);
        cr_expect_str_eq(label, rows[i].text, "%g by %g: %s", rows[i].s, rows[i].step, label);
    }
}
