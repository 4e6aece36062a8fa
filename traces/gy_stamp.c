/* gy_stamp.c - see gy_stamp.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_stamp.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DAY_S = 86400, DATE_CHARS = 10, TIME_CHARS = 8 };

/* Two digits, or a number above 99 that no check lets pass. */
static unsigned pair(const char *s)
{
    unsigned a = (unsigned)s[0] - '0', b = (unsigned)s[1] - '0';
    return a > 9 || b > 9 ? 1000 : a * 10 + b;
}

bool gy_date_parse(const char *s, size_t n, int64_t *days)
{
    if (n != DATE_CHARS || s[4] != '-' || s[7] != '-')
        return false;
    unsigned century = pair(s), year = pair(s + 2), month = pair(s + 5), day = pair(s + 8);
    if (century > 99 || year > 99 || month < 1 || month > 12 || day < 1)
        return false;
    int64_t y = (int64_t)century * 100 + year;
    if (day > gy_days_in_month(y, month))
        return false;
    *days = gy_days_of(y, month, day);
    return true;
}

/* ".5" and so on: at most microseconds, but for zeros behind them. */
static const char *parse_fraction(const char *s, const char *end, int64_t *us)
{
    int64_t scale = GY_US_PER_S;
    const char *first = ++s;
    for (; s < end && *s >= '0' && *s <= '9'; s++) {
        scale /= 10;
        if (scale == 0 && *s != '0')
            return NULL;
        *us += (*s - '0') * scale;
    }
    return s > first ? s : NULL;
}

/* "Z", "+08", "+0800", "+08:00" up to the end. */
static bool parse_offset(const char *s, const char *end, int32_t *offset)
{
    size_t n = (size_t)(end - s);
    *offset = 0;
    if (n == 1 && (*s == 'Z' || *s == 'z'))
        return true;
    bool colon = n == 6 && s[3] == ':';
    if ((*s != '+' && *s != '-') || (n != 3 && n != 5 && !colon))
        return false;
    unsigned hour = pair(s + 1), minute = n == 3 ? 0 : pair(end - 2);
    if (hour > 24 || minute > 59)
        return false;
    *offset = (int32_t)(hour * 3600 + minute * 60) * (*s == '-' ? -1 : 1);
    return true;
}

bool gy_stamp_parse(gy_clock *c, const char *s, size_t n, gy_stamp *out)
{
    if (n < DATE_CHARS + 1 + TIME_CHARS || (s[DATE_CHARS] != ' ' && s[DATE_CHARS] != 'T'))
        return false;
    if (c->date[0] == '\0' || memcmp(s, c->date, DATE_CHARS) != 0) {
        if (!gy_date_parse(s, DATE_CHARS, &c->days))
            return false;
        memcpy(c->date, s, DATE_CHARS);
    }
    const char *t = s + DATE_CHARS + 1, *end = s + n;
    unsigned hour = pair(t), minute = pair(t + 3), second = pair(t + 6);
    if (t[2] != ':' || t[5] != ':' || hour > 23 || minute > 59 || second > 60)
        return false; /* 60 is a leap second: the first one of the next minute */
    int64_t us = (c->days * DAY_S + hour * 3600 + minute * 60 + second) * GY_US_PER_S;
    t += TIME_CHARS;
    if (t < end && *t == '.')
        t = parse_fraction(t, end, &us);
    if (!t)
        return false;
    out->local_us = us;
    out->has_offset = t < end;
    out->offset_s = 0;
    return t == end || parse_offset(t, end, &out->offset_s);
}

static int64_t floor_seconds(int64_t us)
{
    return us / GY_US_PER_S - (us % GY_US_PER_S < 0);
}

gy_local gy_clock_utc(gy_clock *c, const gy_stamp *s, int64_t not_before_us, int64_t *utc_us)
{
    if (s->has_offset) {
        *utc_us = s->local_us - (int64_t)s->offset_s * GY_US_PER_S;
        return GY_LOCAL_ONCE;
    }
    int64_t local_s = floor_seconds(s->local_us), rest_us = s->local_us - local_s * GY_US_PER_S;
    if (local_s >= c->from_s && local_s < c->to_s) {
        *utc_us = s->local_us - (int64_t)c->offset_s * GY_US_PER_S;
        return GY_LOCAL_ONCE;
    }
    int64_t first_s, second_s, from, to;
    gy_local kind = gy_tz_utc(c->tz, local_s, &first_s, &second_s);
    *utc_us = first_s * GY_US_PER_S + rest_us;
    if (kind == GY_LOCAL_TWICE && *utc_us < not_before_us &&
        second_s * GY_US_PER_S + rest_us >= not_before_us)
        *utc_us = second_s * GY_US_PER_S + rest_us;
    if (kind == GY_LOCAL_ONCE) { /* two days away from every change nothing can be skipped or come twice */
        c->offset_s = gy_tz_span(c->tz, first_s, &from, &to);
        c->from_s = from == INT64_MIN ? INT64_MIN : from + 2 * DAY_S;
        c->to_s = to == INT64_MAX ? INT64_MAX : to - 2 * DAY_S;
    }
    return kind;
}

char *gy_put_stamp(char *out, int64_t us)
{
    int64_t seconds = floor_seconds(us), year;
    int64_t days = seconds / DAY_S - (seconds % DAY_S < 0);
    int64_t rest = seconds - days * DAY_S;
    unsigned month, day;
    gy_date_of(days, &year, &month, &day);
    out += sprintf(out, "%04" PRId64 "-%02u-%02u %02d:%02d:%02d", year, month, day, (int)(rest / 3600),
                   (int)(rest / 60 % 60), (int)(rest % 60));
    int64_t fraction = us - seconds * GY_US_PER_S;
    if (fraction) {
        char digits[24];
        gy_put_us(digits, fraction);
        out += sprintf(out, "%s", digits + 1);
    }
    return out;
}
