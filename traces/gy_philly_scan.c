/* gy_philly_scan.c - reads a Philly record straight from the text; see gy_philly_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tree for each record costs more than the rest of the import together.  Nearly all records have one shape,
 * with members in any order, and that is all this scanner knows: at anything else it gives up and the tree is
 * built after all.
 */
#include <string.h>

#include "gy_philly_internal.h"

struct scan {
    const char *s, *end;
    bool more; /* why it stopped: the text is at its end */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The next character that is no blank, which stays unread; 0 at the end. */
static char peek(struct scan *x)
{
    const uint64_t blanks = 0x2020202020202020u; /* indented files are blanks for the greater part */
    uint64_t w;
    const char *s = x->s, *end = x->end;
    for (;;) {
        while (end - s >= 8 && (memcpy(&w, s, 8), w == blanks))
            s += 8;
        if (s == end || !is_blank(*s))
            break;
        s++;
    }
    x->s = s;
    x->more = s == end;
    return s == end ? '\0' : *s;
}

static bool take(struct scan *x, char c)
{
    if (peek(x) != c || x->more)
        return false;
    x->s++;
    return true;
}

static bool take_text(struct scan *x, gy_slice *text)
{
    if (!take(x, '"'))
        return false;
    const char *s = x->s;
    while (s < x->end && *s != '"') {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 || c >= 0x7f || c == '\\')
            return false;
        s++;
    }
    *text = (gy_slice){x->s, (size_t)(s - x->s)};
    x->more = s == x->end;
    x->s = s + !x->more;
    return !x->more;
}

static bool take_text_or_null(struct scan *x, gy_slice *text)
{
    if (peek(x) == '"')
        return take_text(x, text);
    *text = (gy_slice){"", 0};
    size_t left = (size_t)(x->end - x->s);
    x->more = left < 4 && memcmp(x->s, "null", left) == 0;
    if (left < 4 || memcmp(x->s, "null", 4) != 0)
        return false;
    x->s += 4;
    return true;
}

/* Steps to the next element of a list or object that ends with `close`.  *done: there is none. */
static bool next(struct scan *x, char close, bool *first, bool *done)
{
    char c = peek(x);
    *done = c == close;
    if (*done) {
        x->s++;
        return true;
    }
    if (!*first && !take(x, ','))
        return false;
    *first = false;
    return !x->more;
}

static bool take_key(struct scan *x, gy_slice *key)
{
    return take_text(x, key) && take(x, ':');
}

static bool is(gy_slice key, const char *name, size_t n)
{
    return key.n == n && memcmp(key.s, name, n) == 0;
}
#define IS(key, name) is(key, name, sizeof(name) - 1)

static bool take_gpus(struct scan *x, struct gy_philly_record *r)
{
    bool first = true, done;
    gy_slice gpu;
    if (!take(x, '['))
        return false;
    while (next(x, ']', &first, &done) && !done) {
        if (!take_text(x, &gpu))
            return false;
        gy_philly_add_gpu(r, gpu);
    }
    return done;
}

/* Members that have been seen: one that comes twice is for the tree to decide. */
static bool once(unsigned *seen, unsigned member)
{
    bool new = !(*seen & member);
    *seen |= member;
    return new;
}

static bool take_host(struct scan *x, struct gy_philly_record *r)
{
    bool first = true, done;
    unsigned seen = 0;
    gy_slice key;
    struct gy_philly_host *h = gy_philly_add_host(r);
    if (!take(x, '{'))
        return false;
    while (next(x, '}', &first, &done) && !done) {
        if (!take_key(x, &key))
            return false;
        bool good = IS(key, "ip")     ? once(&seen, 1) && take_text_or_null(x, &h->ip)
                    : IS(key, "gpus") ? once(&seen, 2) && take_gpus(x, r)
                                      : false;
        if (!good)
            return false;
    }
    return done;
}

static bool take_hosts(struct scan *x, struct gy_philly_record *r)
{
    bool first = true, done;
    if (!take(x, '['))
        return false;
    while (next(x, ']', &first, &done) && !done)
        if (!take_host(x, r))
            return false;
    return done;
}

static bool take_attempt(struct scan *x, struct gy_philly_record *r)
{
    bool first = true, done;
    unsigned seen = 0;
    gy_slice key;
    struct gy_philly_attempt *a = gy_philly_add_attempt(r);
    if (!take(x, '{'))
        return false;
    while (next(x, '}', &first, &done) && !done) {
        if (!take_key(x, &key))
            return false;
        bool good = IS(key, "start_time") ? once(&seen, 1) && take_text_or_null(x, &a->start)
                    : IS(key, "end_time") ? once(&seen, 2) && take_text_or_null(x, &a->end)
                    : IS(key, "detail")   ? once(&seen, 4) && take_hosts(x, r)
                                          : false;
        if (!good)
            return false;
    }
    return done;
}

static bool take_attempts(struct scan *x, struct gy_philly_record *r)
{
    bool first = true, done;
    if (!take(x, '['))
        return false;
    while (next(x, ']', &first, &done) && !done)
        if (!take_attempt(x, r))
            return false;
    return done;
}

static bool take_member(struct scan *x, gy_slice key, unsigned *seen, struct gy_philly_record *r)
{
    if (IS(key, "status"))
        return once(seen, 1) && take_text_or_null(x, &r->status);
    if (IS(key, "vc"))
        return once(seen, 2) && take_text_or_null(x, &r->vc);
    if (IS(key, "jobid"))
        return once(seen, 4) && take_text_or_null(x, &r->id);
    if (IS(key, "attempts"))
        return once(seen, 8) && take_attempts(x, r);
    if (IS(key, "submitted_time"))
        return once(seen, 16) && take_text_or_null(x, &r->submitted);
    if (IS(key, "user"))
        return once(seen, 32) && take_text_or_null(x, &r->user);
    return false;
}

static bool take_record(struct scan *x, struct gy_philly_record *r)
{
    bool first = true, done;
    unsigned seen = 0;
    gy_slice key;
    if (!take(x, '{'))
        return false;
    while (next(x, '}', &first, &done) && !done)
        if (!take_key(x, &key) || !take_member(x, key, &seen, r))
            return false;
    return done;
}

gy_philly_scan gy_philly_scan_record(const char *s, size_t n, struct gy_philly_record *r, size_t *used)
{
    struct scan x = {s, s + n, false};
    gy_philly_record_clear(r);
    if (!take_record(&x, r))
        return x.more ? GY_PHILLY_MORE : GY_PHILLY_UNUSUAL;
    *used = (size_t)(x.s - s);
    return GY_PHILLY_DONE;
}

size_t gy_philly_object_length(const char *s, size_t n)
{
    size_t depth = 0;
    bool text = false;
    for (size_t i = 0; i < n; i++) {
        char c = s[i];
        if (text) {
            if (c == '\\')
                i++;
            text = c != '"';
        } else if (c == '"') {
            text = true;
        } else if (c == '{' || c == '[') {
            depth++;
        } else if ((c == '}' || c == ']') && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}
