/* gy_tz.c - reading TZif files (RFC 8536) and turning local times into instants; see gy_tz.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_tz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_input.h"
#include "gy_text.h"
#include "gy_tz_internal.h"

enum { HEADER_BYTES = 44, DAY_S = 86400 };

struct gy_tz {
    char *name;
    bool builtin;
    int32_t first_s; /* offset before the first change */
    int64_t *at_s;   /* changes, ascending, and the offset from each on */
    int32_t *offset_s;
    size_t n;
    struct gy_tz_rule rule; /* after the last change */
};

/* Zones that trace families have by default, so that a machine without zone files reads them too.  Right for
 * all dates since 2007. */
static const struct {
    const char *name, *rule;
} builtins[] = {
    {"America/Los_Angeles", "PST8PDT,M3.2.0,M11.1.0"},
    {"Asia/Shanghai", "CST-8"},
};

const char *gy_tz_name(const gy_tz *z)
{
    return z->name;
}

bool gy_tz_is_builtin(const gy_tz *z)
{
    return z->builtin;
}

void gy_tz_close(gy_tz *z)
{
    if (!z)
        return;
    free(z->name);
    free(z->at_s);
    free(z->offset_s);
    free(z);
}

static gy_tz *create(const char *name)
{
    gy_tz *z = gy_alloc(1, sizeof *z);
    z->name = gy_strndup(name, strlen(name));
    return z;
}

/* ---- files ---- */

static uint32_t big32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static int64_t big_time(const unsigned char *p, size_t size)
{
    if (size == 4)
        return (int32_t)big32(p);
    return (int64_t)((uint64_t)big32(p) << 32 | big32(p + 4));
}

struct tzif {
    size_t nutc, nstd, nleap, ntime, ntype, nchar;
};

/* Length of the data block behind a header. */
static size_t block_bytes(const struct tzif *h, size_t time_size)
{
    return h->ntime * (time_size + 1) + h->ntype * 6 + h->nchar + h->nleap * (time_size + 4) + h->nstd +
           h->nutc;
}

static bool read_header(const unsigned char *p, size_t n, struct tzif *h)
{
    if (n < HEADER_BYTES || memcmp(p, "TZif", 4) != 0)
        return false;
    *h = (struct tzif){big32(p + 20), big32(p + 24), big32(p + 28),
                       big32(p + 32), big32(p + 36), big32(p + 40)};
    return h->ntype > 0;
}

static bool read_block(gy_tz *z, const unsigned char *p, const struct tzif *h, size_t time_size)
{
    const unsigned char *index = p + h->ntime * time_size, *types = index + h->ntime;
    for (size_t i = 0; i < h->ntype; i++) {
        int32_t offset = (int32_t)big32(types + 6 * i);
        if (offset < -GY_TZ_OFFSET_MAX || offset > GY_TZ_OFFSET_MAX)
            return false;
    }
    z->first_s = (int32_t)big32(types);
    z->at_s = gy_alloc(h->ntime + 1, sizeof *z->at_s);
    z->offset_s = gy_alloc(h->ntime + 1, sizeof *z->offset_s);
    for (size_t i = 0; i < h->ntime; i++) {
        z->at_s[i] = big_time(p + i * time_size, time_size);
        if (index[i] >= h->ntype || (i > 0 && z->at_s[i] <= z->at_s[i - 1]))
            return false;
        z->offset_s[i] = (int32_t)big32(types + 6 * (size_t)index[i]);
    }
    z->n = h->ntime;
    return true;
}

/* "\nRULE\n"; an empty rule says nothing about later years. */
static bool read_footer(gy_tz *z, const char *p, size_t n)
{
    if (n < 2 || p[0] != '\n')
        return false;
    const char *end = memchr(p + 1, '\n', n - 1);
    if (!end)
        return false;
    return end == p + 1 || gy_tz_rule_parse(&z->rule, p + 1, (size_t)(end - p - 1));
}

static bool read_all(gy_tz *z, const unsigned char *p, size_t n)
{
    struct tzif h;
    if (!read_header(p, n, &h))
        return false;
    char version = (char)p[4];
    size_t used = HEADER_BYTES + block_bytes(&h, 4);
    if (used > n)
        return false;
    if (version < '2')
        return read_block(z, p + HEADER_BYTES, &h, 4);
    p += used;
    n -= used;
    if (!read_header(p, n, &h))
        return false;
    used = HEADER_BYTES + block_bytes(&h, 8);
    return used <= n && read_block(z, p + HEADER_BYTES, &h, 8) &&
           read_footer(z, (const char *)p + used, n - used);
}

gy_rc gy_tz_from_file(gy_tz **out, const char *name, const void *data, size_t n, gy_err *e)
{
    gy_tz *z = create(name);
    if (!read_all(z, data, n)) {
        gy_tz_close(z);
        return gy_fail(e, GY_EPARSE, "time zone %s: its file is no valid TZif file; reinstall tzdata", name);
    }
    *out = z;
    return GY_OK;
}

gy_rc gy_tz_from_rule(gy_tz **out, const char *name, const char *rule, gy_err *e)
{
    gy_tz *z = create(name);
    if (!gy_tz_rule_parse(&z->rule, rule, strlen(rule))) {
        gy_tz_close(z);
        return gy_fail(
            e, GY_EPARSE,
            "time zone %s: \"%s\" is no rule in POSIX form; write it as CET-1CEST,M3.5.0,M10.5.0/3", name,
            rule);
    }
    z->first_s = z->rule.standard_s;
    *out = z;
    return GY_OK;
}

/* ---- names ---- */

static bool two_digits(const char *s, int most, int *v)
{
    if (s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9')
        return false;
    *v = (s[0] - '0') * 10 + s[1] - '0';
    return *v <= most;
}

/* UTC and its kin, and "+08:00". */
static bool fixed_offset(const char *name, int32_t *offset)
{
    static const char *const utc[] = {"UTC", "Etc/UTC", "GMT", "Etc/GMT", "Z"};
    int hour, minute;
    *offset = 0;
    for (size_t i = 0; i < sizeof utc / sizeof *utc; i++)
        if (strcmp(name, utc[i]) == 0)
            return true;
    if (strlen(name) != 6 || (name[0] != '+' && name[0] != '-') || name[3] != ':' ||
        !two_digits(name + 1, 24, &hour) || !two_digits(name + 4, 59, &minute))
        return false;
    *offset = (hour * 60 + minute) * (name[0] == '-' ? -60 : 60);
    return true;
}

/* A name must not lead out of the folder of zones. */
static bool is_plain_name(const char *name)
{
    if (name[0] == '\0' || name[0] == '/' || strstr(name, "..") || strlen(name) > 200)
        return false;
    for (const char *s = name; *s; s++)
        if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
              strchr("/_+-.", *s)))
            return false;
    return true;
}

static size_t zone_folders(const char *folders[2])
{
    size_t n = 0;
    const char *tzdir = getenv("TZDIR");
    if (tzdir && *tzdir)
        folders[n++] = tzdir;
    folders[n++] = "/usr/share/zoneinfo";
    return n;
}

static bool read_zone_file(const char *name, const char *const *folders, size_t nfolders, char **data,
                           size_t *n)
{
    gy_str path = {0};
    bool found = false;
    for (size_t i = 0; i < nfolders && !found; i++) {
        path.n = 0;
        gy_str_printf(&path, "%s/%s", folders[i], name);
        found = gy_read_file(path.s, data, n, NULL) == GY_OK;
    }
    gy_str_fini(&path);
    return found;
}

static gy_rc unknown_zone(const char *name, const char *const *folders, size_t nfolders, gy_err *e)
{
    char near[256];
    if (gy_tz_nearest(name, folders, nfolders, near, sizeof near))
        return gy_fail(e, GY_EINVAL, "time zone \"%s\" is not known; did you mean \"%s\"?", name, near);
    return gy_fail(
        e, GY_EINVAL,
        "time zone \"%s\" is not known; give a name as America/Los_Angeles (with tzdata installed), "
        "UTC or an offset as +08:00",
        name);
}

gy_rc gy_tz_open(gy_tz **z, const char *name, gy_err *e)
{
    int32_t offset;
    if (fixed_offset(name, &offset)) {
        *z = create(name);
        (*z)->first_s = offset;
        return GY_OK;
    }
    const char *folders[2];
    size_t nfolders = zone_folders(folders), n;
    char *data;
    if (is_plain_name(name) && read_zone_file(name, folders, nfolders, &data, &n)) {
        gy_rc rc = gy_tz_from_file(z, name, data, n, e);
        free(data);
        return rc;
    }
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (strcmp(name, builtins[i].name) != 0)
            continue;
        gy_rc rc = gy_tz_from_rule(z, name, builtins[i].rule, e);
        (*z)->builtin = true;
        return rc;
    }
    return unknown_zone(name, folders, nfolders, e);
}

/* ---- use ---- */

int32_t gy_tz_span(const gy_tz *z, int64_t utc_s, int64_t *from_s, int64_t *to_s)
{
    if (z->n == 0 || utc_s >= z->at_s[z->n - 1]) {
        int64_t last = z->n ? z->at_s[z->n - 1] : INT64_MIN;
        *from_s = last;
        *to_s = INT64_MAX;
        if (!z->rule.known)
            return z->n ? z->offset_s[z->n - 1] : z->first_s;
        int32_t offset = gy_tz_rule_span(&z->rule, utc_s, from_s, to_s);
        *from_s = *from_s > last ? *from_s : last;
        return offset;
    }
    size_t lo = 0, hi = z->n - 1; /* the first change after utc_s */
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (z->at_s[mid] > utc_s)
            hi = mid;
        else
            lo = mid + 1;
    }
    *to_s = z->at_s[lo];
    *from_s = lo ? z->at_s[lo - 1] : INT64_MIN;
    return lo ? z->offset_s[lo - 1] : z->first_s;
}

int32_t gy_tz_offset(const gy_tz *z, int64_t utc_s)
{
    int64_t from, to;
    return gy_tz_span(z, utc_s, &from, &to);
}

gy_local gy_tz_utc(const gy_tz *z, int64_t local_s, int64_t *utc_s, int64_t *second_s)
{
    /* All spans that hold anywhere within the largest offset of the local time, in order. */
    int64_t at = local_s - GY_TZ_OFFSET_MAX, from, to;
    int32_t before = gy_tz_offset(z, at);
    unsigned found = 0;
    while (at <= local_s + GY_TZ_OFFSET_MAX) {
        int32_t offset = gy_tz_span(z, at, &from, &to);
        int64_t utc = local_s - offset;
        if (utc >= from && utc < to) {
            *(found == 0 ? utc_s : second_s) = utc;
            found++;
            if (found == 2)
                return GY_LOCAL_TWICE;
        } else if (found == 0 && utc >= to) {
            before = offset; /* the time lies behind this span: if nowhere else, it is skipped at its end */
        }
        if (to == INT64_MAX)
            break;
        at = to;
    }
    if (found == 0)
        *utc_s = local_s - before;
    if (found < 2)
        *second_s = *utc_s;
    return found ? GY_LOCAL_ONCE : GY_LOCAL_SKIPPED;
}
