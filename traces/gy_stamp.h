/* gy_stamp.h - dates and times as logs write them, and the clock that turns them into instants.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_STAMP_H
#define GY_STAMP_H

#include "gy_number.h"
#include "gy_tz.h"

typedef struct gy_stamp {
    int64_t local_us; /* as if the calendar were UTC */
    bool has_offset;  /* the text says how far from UTC it is */
    int32_t offset_s;
} gy_stamp;

/* Turns stamps into instants.  Rows of a log lie near each other, so the last date and the last span between
 * two changes of the clocks are remembered.  Initialise with {.tz = ...}. */
typedef struct gy_clock {
    const gy_tz *tz; /* borrowed; for stamps without an offset of their own */
    char date[10];   /* private from here on */
    int64_t days;
    int64_t from_s, to_s; /* local times in [from_s, to_s) come once and have offset_s */
    int32_t offset_s;
} gy_clock;

/* Reads all of s[0..n): "YYYY-MM-DD HH:MM:SS", with a T or a blank between, up to six digits of a fraction,
 * and Z or an offset as +08:00, +0800 or +08 behind it.  False for anything else, and for a 31 June. */
bool gy_stamp_parse(gy_clock *c, const char *s, size_t n, gy_stamp *out);

/* "YYYY-MM-DD" to days from 1970-01-01. */
bool gy_date_parse(const char *s, size_t n, int64_t *days);

/* The instant, in microseconds of Unix time.  When the local time comes twice it is the first one that does
 * not lie before not_before_us (give INT64_MIN when nothing is known), or else the first of all. */
gy_local gy_clock_utc(gy_clock *c, const gy_stamp *s, int64_t not_before_us, int64_t *utc_us);

/* "2017-10-03 07:00:00" and what is left of the second, at least 40 bytes; for people. */
char *gy_put_stamp(char *out, int64_t us);

#endif
