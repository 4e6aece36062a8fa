/* gy_tz_rule.c - the rule that continues a time zone for ever: POSIX TZ with the extensions of RFC 8536.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_tz_internal.h"

enum { DAY_S = 86400 };

/* ---- the calendar (Howard Hinnant, chrono-compatible low-level date algorithms) ---- */

int64_t gy_days_of(int64_t year, unsigned month, unsigned day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t day_of_year = (153 * ((int64_t)month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

void gy_date_of(int64_t days, int64_t *year, unsigned *month, unsigned *day)
{
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t day_of_era = days - era * 146097;
    int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t m = (5 * day_of_year + 2) / 153;
    *day = (unsigned)(day_of_year - (153 * m + 2) / 5 + 1);
    *month = (unsigned)(m < 10 ? m + 3 : m - 9);
    *year = year_of_era + era * 400 + (*month <= 2);
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

unsigned gy_days_in_month(int64_t year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year) ? 1u : 0u);
}

/* ---- parsing ---- */

struct text {
    const char *s, *end;
};

static bool next_is(struct text *t, char c)
{
    if (t->s == t->end || *t->s != c)
        return false;
    t->s++;
    return true;
}

static bool number(struct text *t, unsigned most, unsigned *v)
{
    const char *first = t->s;
    for (*v = 0; t->s < t->end && *t->s >= '0' && *t->s <= '9' && *v <= most; t->s++)
        *v = *v * 10 + (unsigned)(*t->s - '0');
    return t->s > first && *v <= most;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* The abbreviation says nothing that matters here. */
static bool skip_name(struct text *t)
{
    const char *first = t->s;
    if (next_is(t, '<')) {
        while (t->s < t->end && *t->s != '>')
            t->s++;
        return next_is(t, '>');
    }
    while (t->s < t->end && is_letter(*t->s))
        t->s++;
    return t->s - first >= 3;
}

/* [+-]hh[:mm[:ss]] */
static bool hours(struct text *t, unsigned most, int32_t *seconds)
{
    unsigned part[3] = {0, 0, 0};
    bool minus = next_is(t, '-');
    if (!minus)
        next_is(t, '+');
    if (!number(t, most, &part[0]))
        return false;
    for (int i = 1; i < 3 && next_is(t, ':'); i++)
        if (!number(t, 59, &part[i]))
            return false;
    int32_t v = (int32_t)(part[0] * 3600 + part[1] * 60 + part[2]);
    *seconds = minus ? -v : v;
    return true;
}

static bool parse_day(struct text *t, struct gy_tz_day *d)
{
    *d = (struct gy_tz_day){.kind = 'N', .time_s = 2 * 3600};
    if (!next_is(t, ','))
        return false;
    if (next_is(t, 'M')) {
        d->kind = 'M';
        if (!number(t, 12, &d->month) || !next_is(t, '.') || !number(t, 5, &d->week) || !next_is(t, '.') ||
            !number(t, 6, &d->day) || d->month < 1 || d->week < 1)
            return false;
    } else {
        d->kind = next_is(t, 'J') ? 'J' : 'N';
        if (!number(t, 365, &d->day) || (d->kind == 'J' && d->day < 1))
            return false;
    }
    return !next_is(t, '/') || hours(t, 167, &d->time_s);
}

bool gy_tz_rule_parse(struct gy_tz_rule *r, const char *s, size_t n)
{
    struct text t = {s, s + n};
    *r = (struct gy_tz_rule){0};
    if (!skip_name(&t) || !hours(&t, 24, &r->standard_s))
        return false;
    r->standard_s = -r->standard_s; /* POSIX counts westward */
    r->known = true;
    if (t.s == t.end)
        return true;
    r->dst_s = r->standard_s + 3600;
    if (!skip_name(&t))
        return false;
    if (t.s < t.end && *t.s != ',') {
        if (!hours(&t, 24, &r->dst_s))
            return false;
        r->dst_s = -r->dst_s;
    }
    r->has_dst = true;
    return parse_day(&t, &r->begin) && parse_day(&t, &r->end) && t.s == t.end;
}

/* ---- use ---- */

/* Days from the epoch to the day in that year. */
static int64_t day_in_year(const struct gy_tz_day *d, int64_t year)
{
    int64_t first = gy_days_of(year, 1, 1);
    if (d->kind == 'N')
        return first + d->day;
    if (d->kind == 'J')
        return first + d->day - 1 + (is_leap(year) && d->day >= 60);
    int64_t day = gy_days_of(year, d->month, 1);
    int64_t weekday = ((day + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday; 0 is Sunday */
    day += ((int64_t)d->day - weekday + 7) % 7 + 7 * ((int64_t)d->week - 1);
    int64_t last = gy_days_of(year, d->month, 1) + gy_days_in_month(year, d->month);
    return day < last ? day : day - 7;
}

int32_t gy_tz_rule_span(const struct gy_tz_rule *r, int64_t utc_s, int64_t *from_s, int64_t *to_s)
{
    *from_s = INT64_MIN;
    *to_s = INT64_MAX;
    int32_t offset = r->standard_s;
    if (!r->has_dst)
        return offset;
    int64_t year;
    unsigned month, day;
    int64_t days = utc_s / DAY_S - (utc_s % DAY_S < 0);
    gy_date_of(days, &year, &month, &day);
    /* The changes of five years: the last one that is not after utc_s holds, the next one ends it. */
    for (int64_t y = year - 2; y <= year + 2; y++) {
        int64_t begin = day_in_year(&r->begin, y) * DAY_S + r->begin.time_s - r->standard_s;
        int64_t end = day_in_year(&r->end, y) * DAY_S + r->end.time_s - r->dst_s;
        const int64_t at[2] = {begin < end ? begin : end, begin < end ? end : begin};
        for (int i = 0; i < 2; i++) {
            if (at[i] > utc_s) {
                *to_s = at[i];
                return offset;
            }
            *from_s = at[i];
            offset = at[i] == begin ? r->dst_s : r->standard_s;
        }
    }
    return offset;
}
