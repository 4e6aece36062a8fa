/* gy_human.c - see gy_human.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_human.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct unit {
    const char *name;
    double s;
} units[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};

enum { UNITS = sizeof units / sizeof *units, SECOND = 2 };

/* Three significant digits, but never fewer digits than stand before the point. */
static char *three(char *out, double v)
{
    int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
    return out + sprintf(out, "%.*f", decimals, v);
}

char *gy_human_time(char *out, double s, const char *space)
{
    if (isnan(s))
        return stpcpy(out, "n/a");
    if (s < 0)
        return gy_human_time(stpcpy(out, "-"), -s, space);
    if (s == 0)
        return stpcpy(stpcpy(stpcpy(out, "0"), space), "s");
    size_t u = 0;
    char *end;
    do { /* 59.96 s is a minute once it is rounded */
        end = three(out, s / units[u].s);
        if (u + 1 == UNITS || atof(out) * units[u].s < units[u + 1].s * (1 - 1e-9))
            break;
        u++;
    } while (true);
    return stpcpy(stpcpy(end, space), units[u].name);
}

char *gy_human_percent(char *out, double ratio)
{
    if (isnan(ratio))
        return stpcpy(out, "n/a");
    return out + sprintf(out, "%.1f%%", ratio * 100);
}

char *gy_human_ratio(char *out, double v)
{
    if (isnan(v))
        return stpcpy(out, "n/a");
    return v < 1 ? out + sprintf(out, "%.3f", v) : three(out, v);
}

char *gy_human_count(char *out, uint64_t v)
{
    char digits[24];
    int n = sprintf(digits, "%" PRIu64, v);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            *out++ = ' ';
        *out++ = digits[i];
    }
    *out = '\0';
    return out;
}

char *gy_human_gpu_hours(char *out, gy_i128 v)
{
    double hours = (double)v / (1000.0 * GY_US_PER_S * 3600);
    if (hours < 99.95)
        return stpcpy(three(out, hours), " GPU h");
    return stpcpy(gy_human_count(out, (uint64_t)(hours + 0.5)), " GPU h");
}

char *gy_human_tick(char *out, double s)
{
    if (s == 0)
        return stpcpy(out, "0");
    size_t u = UNITS;
    while (--u > 0) {
        double v = s / units[u].s;
        if (v > 0.999999 && fabs(v - round(v)) < 1e-6 * v)
            break;
    }
    return out + sprintf(out, "%.0f %s", s / units[u].s, units[u].name);
}

char *gy_human_tick_in(char *out, double s, double step)
{
    if (s == 0)
        return stpcpy(out, "0");
    size_t u = UNITS;
    while (--u > 0) {
        double halves = 2 * step / units[u].s;
        if (halves > 0.999999 && fabs(halves - round(halves)) < 1e-6 * halves)
            break;
    }
    return out + sprintf(out, "%.12g %s", s / units[u].s, units[u].name);
}

size_t gy_human_ticks(double max_s, double *at, size_t n)
{
    static const double steps[] = {1,     2,     5,      10,     15,     30,      60,      120,
                                   300,   600,   900,    1800,   3600,   7200,    10800,   21600,
                                   43200, 86400, 172800, 432000, 864000, 1728000, 4320000, 8640000};
    enum { STEPS = sizeof steps / sizeof *steps };
    double step = 0;
    for (size_t i = 0; i < STEPS && step == 0; i++)
        if (max_s / steps[i] < (double)n - 1)
            step = steps[i];
    if (max_s < 2) { /* below the table: 1, 2, 5 times a power of ten */
        step = pow(10, floor(log10(max_s > 0 ? max_s : 1)) - 1);
        for (int k = 0; max_s / step > (double)n - 1 + 1e-9; k++)
            step *= k % 3 == 1 ? 2.5 : 2;
    } else if (step == 0) {
        step = 86400 * pow(10, ceil(log10(max_s / 86400 / (double)(n - 1))));
    }
    size_t count = 0;
    while (count < n && (double)count * step <= max_s * (1 + 1e-9)) {
        at[count] = (double)count * step;
        count++;
    }
    return count;
}
