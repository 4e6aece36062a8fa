/* gy_human.h - numbers for people: three significant digits and a unit.  Files carry exact ones.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_HUMAN_H
#define GY_HUMAN_H

#include "gy_number.h"

enum { GY_HUMAN = 48 }; /* room for any of them, with the NUL */

/* "12.3m", "1.50h", "850ms", "0s", "n/a" for NaN; `space` goes between number and unit. */
char *gy_human_time(char *out, double s, const char *space);
char *gy_human_percent(char *out, double ratio); /* "85.3%" */
char *gy_human_ratio(char *out, double v);       /* "1.23", "12.3", "12345" */
char *gy_human_count(char *out, uint64_t v);     /* "1 234 567" */
char *gy_human_gpu_hours(char *out, gy_i128 v);  /* of milli-GPU x us: "1 234 GPU h" */

/* "job" and "jobs": what a noun ends in behind the number. */
static inline const char *gy_human_s(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* A duration for the axis of a plot, without rounding when it is a whole number of some unit: "90 m". */
char *gy_human_tick(char *out, double s);

/* The same for an axis whose ticks are `step` apart, all in one unit, of which the step is a whole number or
 * a half: "0.5 h", "1 h", "1.5 h". */
char *gy_human_tick_in(char *out, double s, double step);

/* Round places for the ticks of an axis of durations from 0 to max_s, at most n, at least two; returns how
 * many.  Steps are 1, 2, 5, 10, ... of the unit that suits. */
size_t gy_human_ticks(double max_s, double *at, size_t n);

#endif
