/* gy_trace_philly.c - Microsoft Philly (ATC'19): cluster_job_log, read record by record.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A list of records that is never held as a whole.  What a record means is in gy_philly_job.c.
 */
#include <string.h>

#include "gy_families_internal.h"
#include "gy_philly_job_internal.h"

enum { RECORD_MAX = 16 << 20 };

struct reader {
    struct gy_import *im;
    const char *text; /* what gy_input lends; text[at .. n) is unread */
    size_t at, n;
    bool end;
    uint64_t line; /* of text[counted] */
    size_t counted;
    struct gy_philly_job job;
};

/* Eight bytes at a time: indented files have a line for each value. */
static uint64_t count_lines(const char *s, size_t n)
{
    const uint64_t low7 = 0x7f7f7f7f7f7f7f7fu, lf = 0x0a0a0a0a0a0a0a0au;
    uint64_t lines = 0, w;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        memcpy(&w, s + i, 8);
        w ^= lf;
        lines += (unsigned)__builtin_popcountll(~(((w & low7) + low7) | w | low7));
    }
    for (; i < n; i++)
        lines += s[i] == '\n';
    return lines;
}

static uint64_t line_here(struct reader *r)
{
    r->line += count_lines(r->text + r->counted, r->at - r->counted);
    r->counted = r->at;
    return r->line;
}

/* At least twice as much unread text, so that looking at a long record again stays linear. */
static gy_rc more(struct reader *r, gy_err *e)
{
    size_t had = r->n - r->at;
    if (had > RECORD_MAX)
        return gy_fail(
            e, GY_EPARSE,
            "%s:%" PRIu64
            ": a record longer than %d MB begins here; look for a bracket in it that is not closed",
            gy_input_path(r->im->in), line_here(r), RECORD_MAX >> 20);
    if (r->text)
        line_here(r);
    gy_input_used(r->im->in, r->at);
    r->at = r->counted = 0;
    do {
        gy_rc rc = gy_input_more(r->im->in, &r->text, &r->n, &r->end, e);
        if (rc != GY_OK)
            return rc;
    } while (!r->end && r->n < 2 * had);
    gy_import_progress(r->im);
    return GY_OK;
}

/* The next character that is no blank, unread; 0 at the end of the file. */
static gy_rc peek(struct reader *r, char *c, gy_err *e)
{
    for (;;) {
        while (r->at < r->n && strchr(" \t\r\n", r->text[r->at]) && r->text[r->at])
            r->at++;
        if (r->at < r->n || r->end)
            break;
        gy_rc rc = more(r, e);
        if (rc != GY_OK)
            return rc;
    }
    *c = r->at < r->n ? r->text[r->at] : '\0';
    return GY_OK;
}

static gy_rc expected(struct reader *r, const char *what, gy_err *e)
{
    if (r->at == r->n)
        return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": the file ends here, but %s is expected; is it cut off?",
                       gy_input_path(r->im->in), line_here(r), what);
    return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": %s is expected here, not \"%c\"", gy_input_path(r->im->in),
                   line_here(r), what,
                   r->text[r->at] >= 0x20 && r->text[r->at] < 0x7f ? r->text[r->at] : '?');
}

/* A record that is not of the usual shape: s[0..n) is all of it. */
static gy_rc take_tree(struct reader *r, const char *s, size_t n, uint64_t line, gy_err *e)
{
    const char *end = NULL;
    cJSON *tree = memchr(s, '\0', n) ? NULL : cJSON_ParseWithLengthOpts(s, n, &end, 0);
    if (!tree || end != s + n) {
        cJSON_Delete(tree);
        return gy_fail(e, GY_EPARSE,
                       "%s:%" PRIu64
                       ": the record that begins here is not valid JSON; mend it or take it out",
                       gy_input_path(r->im->in), line);
    }
    const char *wrong = gy_philly_tree(tree, &r->job.record);
    gy_rc rc = wrong ? gy_import_fate(r->im, GY_FATE_REJECTED, line, e, wrong, "%s", "")
                     : gy_philly_take(r->im, &r->job, line, e);
    cJSON_Delete(tree);
    return rc;
}

static gy_rc take_record(struct reader *r, gy_err *e)
{
    uint64_t line = line_here(r);
    size_t used = 0;
    for (;;) {
        const char *s = r->text + r->at;
        gy_philly_scan scan = gy_philly_scan_record(s, r->n - r->at, &r->job.record, &used);
        if (scan == GY_PHILLY_DONE) {
            r->at += used;
            return gy_philly_take(r->im, &r->job, line, e);
        }
        if (scan == GY_PHILLY_UNUSUAL)
            used = gy_philly_object_length(s, r->n - r->at);
        if (scan == GY_PHILLY_UNUSUAL && used) {
            r->at += used;
            return take_tree(r, s, used, line, e);
        }
        if (r->end) {
            r->at = r->n;
            return expected(r, "the rest of a record", e);
        }
        gy_rc rc = more(r, e);
        if (rc != GY_OK)
            return rc;
    }
}

/* [ record , record ... ] */
static gy_rc take_list(struct reader *r, gy_err *e)
{
    char c = '\0';
    gy_rc rc = peek(r, &c, e);
    if (rc == GY_OK && r->n - r->at >= 3 && memcmp(r->text + r->at, "\xef\xbb\xbf", 3) == 0) {
        r->at += 3;
        rc = peek(r, &c, e);
    }
    if (rc != GY_OK || c != '[')
        return rc != GY_OK ? rc : expected(r, "\"[\" at the beginning", e);
    do {
        r->at++;
        rc = peek(r, &c, e);
        if (rc == GY_OK && c == ']' && r->im->nrow == 0)
            break; /* an empty list */
        if (rc == GY_OK)
            rc = c == '{' ? take_record(r, e) : expected(r, "a record in braces", e);
        r->im->nrow++;
        if (rc == GY_OK)
            rc = peek(r, &c, e);
    } while (rc == GY_OK && c == ',');
    if (rc != GY_OK || c != ']')
        return rc != GY_OK ? rc : expected(r, "\",\" or \"]\"", e);
    r->at++;
    rc = peek(r, &c, e);
    return rc == GY_OK && r->at < r->n ? expected(r, "the end of the file", e) : rc;
}

static gy_rc read_philly(struct gy_import *im, gy_err *e)
{
    struct reader r = {.im = im, .line = 1};
    im->jobs->zero_epoch_us = 0; /* stamps are Unix time until the table is moved to its zero */
    gy_rc rc = take_list(&r, e);
    gy_philly_job_fini(&r.job);
    return rc;
}

static bool holds(const struct gy_sample *s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s->n; i++) {
        const char *p = memchr(s->text + i, word[0], s->n - n + 1 - i);
        if (!p)
            return false;
        if (memcmp(p, word, n) == 0)
            return true;
        i = (size_t)(p - s->text);
    }
    return false;
}

static bool is_philly(const struct gy_sample *s)
{
    return s->n > 0 && s->text[0] == '[' && (holds(s, "\"attempts\"") || holds(s, "\"submitted_time\""));
}

const struct gy_family gy_family_philly = {
    .name = "philly",
    .about =
        "Microsoft Philly: cluster_job_log, a JSON list; stamps are America/Los_Angeles unless --tz says "
        "otherwise",
    .tz = "America/Los_Angeles",
    .is = is_philly,
    .read = read_philly,
};
