/* gy_number.c - see gy_number.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t pow10_table[] = {1,      10,      100,      1000,      10000,
                                       100000, 1000000, 10000000, 100000000, 1000000000};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parses "e-3"; *exp stays within +-40, which is beyond anything that fits. */
static bool parse_exponent(const char *s, const char *end, int *exp)
{
    bool minus = false;
    int v = 0;
    if (s < end && (*s == '+' || *s == '-'))
        minus = *s++ == '-';
    if (s == end)
        return false;
    for (; s < end; s++) {
        if (!is_digit(*s))
            return false;
        v = v < 40 ? v * 10 + (*s - '0') : v;
    }
    *exp = minus ? -v : v;
    return true;
}

struct decimal {
    bool minus;
    const char *whole, *fraction; /* the digits before and after the point */
    size_t nwhole, nfraction;
    int exp;
};

static bool split_decimal(const char *s, size_t n, struct decimal *d)
{
    const char *end = s + n;
    *d = (struct decimal){0};
    if (s < end && (*s == '-' || *s == '+'))
        d->minus = *s++ == '-';
    d->whole = s;
    while (s < end && is_digit(*s))
        s++;
    d->nwhole = (size_t)(s - d->whole);
    d->fraction = s;
    if (s < end && *s == '.') {
        d->fraction = ++s;
        while (s < end && is_digit(*s))
            s++;
        d->nfraction = (size_t)(s - d->fraction);
    }
    if (d->nwhole + d->nfraction == 0)
        return false;
    if (s < end && (*s == 'e' || *s == 'E'))
        return parse_exponent(s + 1, end, &d->exp);
    return s == end;
}

/* Digit number i of the decimal, counted from the left of whole|fraction; 0 outside. */
static unsigned digit_at(const struct decimal *d, long i)
{
    if (i < 0 || (size_t)i >= d->nwhole + d->nfraction)
        return 0;
    size_t k = (size_t)i;
    return (unsigned)((k < d->nwhole ? d->whole[k] : d->fraction[k - d->nwhole]) - '0');
}

static gy_number_rc parse_general(const char *s, size_t n, int digits, int64_t *out)
{
    struct decimal d;
    if (!split_decimal(s, n, &d))
        return GY_NUMBER_NONE;
    long keep = (long)d.nwhole + d.exp + digits; /* how many leading digits are kept */
    long all = (long)(d.nwhole + d.nfraction);
    uint64_t v = 0;
    for (long i = keep < 0 ? 0 : keep; i < all; i++)
        if (digit_at(&d, i))
            return GY_NUMBER_FINE;
    for (long i = 0; i < keep; i++) {
        uint64_t next;
        if (__builtin_mul_overflow(v, 10, &next) || __builtin_add_overflow(next, digit_at(&d, i), &next) ||
            next > INT64_MAX)
            return GY_NUMBER_RANGE;
        v = next;
    }
    *out = d.minus ? -(int64_t)v : (int64_t)v;
    return GY_NUMBER_OK;
}

gy_number_rc gy_parse_fixed(const char *s, size_t n, int digits, int64_t *out)
{
    /* The common case, up to 9 digits without sign or exponent, in one short loop. */
    uint64_t v = 0;
    size_t i = 0;
    while (i < n && i < 9 && is_digit(s[i]))
        v = v * 10 + (uint64_t)(s[i++] - '0');
    if (i == n && n > 0) {
        *out = (int64_t)(v * pow10_table[digits]);
        return GY_NUMBER_OK;
    }
    return parse_general(s, n, digits, out);
}

gy_number_rc gy_parse_us(const char *s, size_t n, int64_t *out)
{
    return gy_parse_fixed(s, n, 6, out);
}

gy_number_rc gy_parse_int(const char *s, size_t n, int64_t *out)
{
    size_t i = n > 0 && (s[0] == '-' || s[0] == '+');
    if (i == n)
        return GY_NUMBER_NONE;
    int64_t v = 0;
    for (size_t first = i; i < n; i++) {
        if (!is_digit(s[i]))
            return GY_NUMBER_NONE;
        if (i - first >= 18)
            return GY_NUMBER_RANGE;
        v = v * 10 + (s[i] - '0');
    }
    *out = s[0] == '-' ? -v : v;
    return GY_NUMBER_OK;
}

gy_number_rc gy_parse_duration(const char *s, size_t n, int64_t *us)
{
    static const struct {
        const char *unit;
        int64_t per_s_num, per_s_den; /* seconds per unit */
    } units[] = {{"us", 1, 1000000}, {"ms", 1, 1000}, {"s", 1, 1},
                 {"m", 60, 1},       {"h", 3600, 1},  {"d", 86400, 1}};
    size_t k = n;
    while (k > 0 && s[k - 1] >= 'a' && s[k - 1] <= 'z')
        k--;
    if (k == n)
        return gy_parse_us(s, n, us);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].unit) != n - k || memcmp(units[i].unit, s + k, n - k) != 0)
            continue;
        int64_t v;
        gy_number_rc rc = gy_parse_us(s, k, &v);
        if (rc != GY_NUMBER_OK)
            return rc;
        if (__builtin_mul_overflow(v, units[i].per_s_num, &v))
            return GY_NUMBER_RANGE;
        if (v % units[i].per_s_den)
            return GY_NUMBER_FINE;
        *us = v / units[i].per_s_den;
        return GY_NUMBER_OK;
    }
    return GY_NUMBER_NONE;
}

const char *gy_number_why(gy_number_rc rc)
{
    switch (rc) {
    case GY_NUMBER_OK: return "is fine";
    case GY_NUMBER_NONE: return "is not a number";
    case GY_NUMBER_FINE: return "is finer than a microsecond, or has more than six digits behind its point";
    case GY_NUMBER_RANGE: return "is too large; at most 9223372036854 s can be kept";
    }
    return "is not a number";
}

const char *gy_number_why_fixed(gy_number_rc rc, int digits)
{
    GY_ASSERT(digits == 0 || digits == 3 || digits == 6);
    switch (rc) {
    case GY_NUMBER_OK: return "is fine";
    case GY_NUMBER_NONE: return digits ? "is not a number" : "is not a whole number";
    case GY_NUMBER_FINE:
        return digits == 6   ? "is finer than can be kept; at most six digits may stand behind the point"
               : digits == 3 ? "is finer than a thousandth; at most three digits may stand behind the point"
                             : "is not a whole number";
    case GY_NUMBER_RANGE:
        return digits == 6   ? "is too large; at most 9223372036854 can be kept"
               : digits == 3 ? "is too large; at most 9223372036854775 can be kept"
                             : "is too large; at most 18 digits can be kept";
    }
    return "is not a number";
}

char *gy_put_uint(char *out, uint64_t v)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
        "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
        "8081828384858687888990919293949596979899";
    char tmp[24];
    char *p = tmp + sizeof tmp;
    while (v >= 100) {
        unsigned r = (unsigned)(v % 100);
        v /= 100;
        p -= 2;
        memcpy(p, pairs + 2 * (size_t)r, 2);
    }
    if (v >= 10) {
        p -= 2;
        memcpy(p, pairs + 2 * v, 2);
    } else {
        *--p = (char)('0' + v);
    }
    size_t n = (size_t)(tmp + sizeof tmp - p);
    memcpy(out, p, n);
    out[n] = '\0';
    return out + n;
}

char *gy_put_int(char *out, int64_t v)
{
    if (v < 0)
        *out++ = '-';
    return gy_put_uint(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* The fraction `rest` of `digits` digits, with its point, without trailing zeros; nothing when it is 0. */
static char *put_fraction(char *out, uint64_t rest, int digits)
{
    if (rest) {
        *out++ = '.';
        for (int i = digits; i-- > 0;) {
            out[i] = (char)('0' + rest % 10);
            rest /= 10;
        }
        out += digits;
        while (out[-1] == '0')
            out--;
    }
    *out = '\0';
    return out;
}

char *gy_put_fixed(char *out, int64_t v, int digits)
{
    uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    uint64_t scale = pow10_table[digits];
    if (v < 0)
        *out++ = '-';
    out = gy_put_uint(out, u / scale);
    return put_fraction(out, u % scale, digits);
}

char *gy_put_us(char *out, int64_t us)
{
    return gy_put_fixed(out, us, 6);
}

char *gy_put_i128(char *out, gy_i128 v, int digits)
{
    gy_u128 u = v < 0 ? 0 - (gy_u128)v : (gy_u128)v;
    uint64_t scale = pow10_table[digits];
    gy_u128 whole = u / scale;
    if (v < 0)
        *out++ = '-';
    char tmp[40];
    char *p = tmp + sizeof tmp;
    do {
        *--p = (char)('0' + (int)(whole % 10));
        whole /= 10;
    } while (whole);
    size_t n = (size_t)(tmp + sizeof tmp - p);
    memcpy(out, p, n);
    return put_fraction(out + n, (uint64_t)(u % scale), digits);
}

char *gy_put_double(char *out, double v)
{
    if (!isfinite(v))
        return stpcpy(out, "null");
    if (v == 0)
        return stpcpy(out, "0");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, 32, "%.*g", digits, v);
        if (strtod(out, NULL) == v)
            break;
    }
    return out + strlen(out);
}

char *gy_put_human(char *out, int64_t us)
{
    static const struct {
        char name;
        int64_t us;
    } units[] = {{'d', 86400000000}, {'h', 3600000000}, {'m', 60000000}, {'s', 1000000}};
    if (us == GY_NEVER)
        return stpcpy(out, "never");
    if (us < 0)
        return gy_put_human(stpcpy(out, "-"), -us);
    if (us < 10 * GY_US_PER_S) /* two digits after the point are enough for the eye */
        return stpcpy(gy_put_fixed(out, us < 10000 ? us : us / 10000 * 10000, 6), "s");
    for (size_t i = 0; i < 4; i++) {
        if (us < units[i].us)
            continue;
        out += sprintf(out, "%" PRId64 "%c", us / units[i].us, units[i].name);
        us %= units[i].us;
        if (i < 3 && us / units[i + 1].us)
            out += sprintf(out, " %" PRId64 "%c", us / units[i + 1].us, units[i + 1].name);
        break;
    }
    return out;
}
