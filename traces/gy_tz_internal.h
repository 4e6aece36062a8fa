/* gy_tz_internal.h - what the parts of the time-zone reader share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_TZ_INTERNAL_H
#define GY_TZ_INTERNAL_H

#include "gy_tz.h"

enum { GY_TZ_OFFSET_MAX = 26 * 3600 }; /* RFC 8536: -25 to +26 hours */

/* A day of the year and a time on it. */
struct gy_tz_day {
    char kind; /* 'J': 1..365 without 29 February; 'N': 0..365; 'M': month, week, weekday */
    unsigned month, week, day;
    int32_t time_s; /* local, may be negative or beyond a day */
};

struct gy_tz_rule {
    bool known, has_dst;
    int32_t standard_s, dst_s; /* offsets */
    struct gy_tz_day begin, end;
};

/* Parses s[0..n); false when it is no rule. */
bool gy_tz_rule_parse(struct gy_tz_rule *r, const char *s, size_t n);

/* Offset and span as gy_tz_span(), by the rule alone. */
int32_t gy_tz_rule_span(const struct gy_tz_rule *r, int64_t utc_s, int64_t *from_s, int64_t *to_s);

/* The nearest zone below the folders that is like `name`, into buf; false when there is none. */
bool gy_tz_nearest(const char *name, const char *const *folders, size_t n, char *buf, size_t size);

#endif
