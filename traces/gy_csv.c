/* gy_csv.c - see gy_csv.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A line without a quote, and that is nearly every line, is split where it lies by looking for delimiters;
 * only lines with a quote go through the state machine, and only cells with doubled quotes are copied.
 */
#include "gy_csv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RECORD_MAX = 16 << 20 };

bool gy_slice_is(gy_slice s, const char *text)
{
    return s.n == strlen(text) && (s.n == 0 || memcmp(s.s, text, s.n) == 0);
}

gy_slice gy_slice_trim(gy_slice s)
{
    while (s.n > 0 && (*s.s == ' ' || *s.s == '\t')) {
        s.s++;
        s.n--;
    }
    while (s.n > 0 && (s.s[s.n - 1] == ' ' || s.s[s.n - 1] == '\t'))
        s.n--;
    return s;
}

bool gy_is_utf8(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text, *end = s + n;
    while (s < end) {
        if (*s < 0x80) {
            s++;
            continue;
        }
        unsigned more = *s >= 0xf0 ? 3 : *s >= 0xe0 ? 2 : 1;
        uint32_t code = *s & (0x3fu >> more);
        if (*s < 0xc2 || *s > 0xf4 || (size_t)(end - s) <= more)
            return false;
        for (unsigned i = 1; i <= more; i++) {
            if ((s[i] & 0xc0) != 0x80)
                return false;
            code = code << 6 | (s[i] & 0x3fu);
        }
        static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
        if (code < least[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return false;
        s += more + 1;
    }
    return true;
}

void gy_make_printable(char *s)
{
    for (char *p = s; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    size_t n = strlen(s);
    while (n > 0 && !gy_is_utf8(s, n)) { /* back to before the last byte that is not ASCII */
        while (n > 0 && (unsigned char)s[n - 1] < 0x80)
            s[--n] = '\0';
        if (n > 0)
            s[--n] = '\0';
    }
}

const char *gy_slice_show(gy_slice s, char buf[GY_SHOWN_MAX])
{
    snprintf(buf, GY_SHOWN_MAX, "%.*s", (int)(s.n < GY_SHOWN_MAX ? s.n : GY_SHOWN_MAX), s.n ? s.s : "");
    gy_make_printable(buf);
    return buf;
}

/* Is there a byte that is 0 or not ASCII?  Eight at a time. */
static bool has_odd_bytes(const char *s, size_t n)
{
    const uint64_t low = 0x0101010101010101u, high = 0x8080808080808080u;
    uint64_t found = 0, w;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        memcpy(&w, s + i, 8);
        found |= (w | (w - low)) & high;
    }
    for (; i < n; i++)
        found |= (unsigned char)s[i] - 1u >= 0x7fu;
    return found != 0;
}

/* ---- the window ---- */

/* At least twice as much unread text as there is, so that looking at a long record again stays linear. */
static gy_rc more(gy_csv *c, gy_err *e)
{
    size_t had = c->n - c->at;
    gy_input_used(c->in, c->at);
    c->at = 0;
    if (had > RECORD_MAX)
        return gy_fail(e, GY_EPARSE,
                       "%s:%" PRIu64
                       ": a row longer than %d MB begins here; look for a quote in it that is not closed",
                       gy_input_path(c->in), c->next_line, RECORD_MAX >> 20);
    do {
        gy_rc rc = gy_input_more(c->in, &c->text, &c->n, &c->end, e);
        if (rc != GY_OK)
            return rc;
    } while (!c->end && c->n < 2 * had);
    c->odd = c->odd || has_odd_bytes(c->text + had, c->n - had);
    return GY_OK;
}

static void check_text(gy_csv *c, const char *s, size_t n)
{
    if (!c->odd || c->fault || n == 0)
        return;
    if (memchr(s, '\0', n))
        c->fault = "holds a NUL byte";
    else if (!gy_is_utf8(s, n))
        c->fault = "is not UTF-8 text";
}

/* ---- splitting ---- */

static inline void push_cell(gy_csv *c, const char *s, size_t n)
{
    if (c->ncells == c->cap)
        c->cells = gy_reserve(c->cells, &c->cap, c->ncells + 1, sizeof *c->cells);
    c->cells[c->ncells++] = (gy_slice){s, n};
}

/* Eight bytes at a time: nearly all of them are no delimiters. */
static void split_plain(gy_csv *c, const char *s, const char *end)
{
    const char *p = s;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t low7 = 0x7f7f7f7f7f7f7f7fu;
    const uint64_t pattern = 0x0101010101010101u * (unsigned char)c->delimiter;
    for (uint64_t w; end - p >= 8; p += 8) {
        memcpy(&w, p, 8);
        w ^= pattern;
        w = ~(((w & low7) + low7) | w | low7); /* the high bit of each byte that is a delimiter */
        for (; w; w &= w - 1) {
            const char *stop = p + (__builtin_ctzll(w) >> 3);
            push_cell(c, s, (size_t)(stop - s));
            s = stop + 1;
        }
    }
#endif
    for (; p < end; p++) {
        if (*p != c->delimiter)
            continue;
        push_cell(c, s, (size_t)(p - s));
        s = p + 1;
    }
    push_cell(c, s, (size_t)(end - s));
}

/* A quoted cell; s stands behind its opening quote.  NULL when the text ends inside it, else the place behind
 * the closing quote. */
static const char *take_quoted(gy_csv *c, const char *s, const char *end)
{
    const char *from = s, *q;
    size_t copied = c->scratch.n;
    for (;; s = from = q + 2) {
        q = memchr(s, '"', (size_t)(end - s));
        if (!q || (q + 1 == end && !c->end))
            return NULL;
        if (q + 1 == end || q[1] != '"')
            break;
        gy_str_add(&c->scratch, from, (size_t)(q + 1 - from));
    }
    if (copied == c->scratch.n) {
        push_cell(c, from, (size_t)(q - from));
    } else {
        gy_str_add(&c->scratch, from, (size_t)(q - from));
        push_cell(c, c->scratch.s + copied, c->scratch.n - copied);
    }
    return q + 1;
}

/* The end of the cell in which s stands. */
static const char *cell_end(const gy_csv *c, const char *s, const char *end)
{
    while (s < end && *s != c->delimiter && *s != '\n')
        s++;
    return s;
}

static void strip_cr(gy_slice *cell)
{
    if (cell->n > 0 && cell->s[cell->n - 1] == '\r')
        cell->n--;
}

/* One record with quotes in it, from text + at.  Returns its end, or NULL when there must be more text. */
static const char *split_quoted(gy_csv *c)
{
    const char *s = c->text + c->at, *end = c->text + c->n;
    c->ncells = 0;
    c->fault = NULL;
    c->scratch.n = 0;
    /* Cells point into it, so it must not move. */
    c->scratch.s = gy_reserve(c->scratch.s, &c->scratch.cap, c->n - c->at + 1, 1);
    for (;; s++) {
        bool quoted = s < end && *s == '"';
        const char *stop;
        if (quoted) {
            s = take_quoted(c, s + 1, end);
            if (!s)
                return NULL;
            stop = cell_end(c, s, end);
            if (stop != s && !(stop - s == 1 && *s == '\r' && (stop == end || *stop == '\n')))
                c->fault = "has something behind a closing quote";
        } else {
            stop = cell_end(c, s, end);
            push_cell(c, s, (size_t)(stop - s));
        }
        if (stop == end && !c->end)
            return NULL;
        if (!quoted && (stop == end || *stop == '\n'))
            strip_cr(&c->cells[c->ncells - 1]);
        if (stop == end)
            return end;
        if (*stop == '\n')
            return stop + 1;
        s = stop;
    }
}

static uint64_t count_lines(const char *s, const char *end)
{
    uint64_t lines = 0;
    while (s < end && (s = memchr(s, '\n', (size_t)(end - s)))) {
        lines++;
        s++;
    }
    return lines;
}

static gy_rc next_quoted(gy_csv *c, gy_err *e)
{
    const char *end;
    while (!(end = split_quoted(c))) {
        if (c->end)
            return gy_fail(
                e, GY_EPARSE,
                "%s:%" PRIu64
                ": a quote opened in this row is not closed; put another \" at the end of that cell",
                gy_input_path(c->in), c->line);
        gy_rc rc = more(c, e);
        if (rc != GY_OK)
            return rc;
    }
    const char *s = c->text + c->at;
    check_text(c, s, (size_t)(end - s));
    c->next_line += count_lines(s, end);
    c->at = (size_t)(end - c->text);
    return GY_OK;
}

gy_rc gy_csv_next(gy_csv *c, bool *row, gy_err *e)
{
    size_t seen = 0;
    c->ncells = 0;
    c->fault = NULL;
    for (;;) {
        size_t left = c->n - c->at;
        const char *s = left ? c->text + c->at : NULL;
        const char *lf = left > seen ? memchr(s + seen, '\n', left - seen) : NULL;
        if (!lf && !c->end) {
            gy_rc rc = more(c, e);
            if (rc != GY_OK)
                return rc;
            seen = left;
            continue;
        }
        *row = left > 0;
        if (!left)
            return GY_OK;
        size_t n = lf ? (size_t)(lf - s) : left;
        c->line = c->next_line;
        if (memchr(s, '"', n))
            return next_quoted(c, e);
        c->at += n + (lf != NULL);
        c->next_line++;
        n -= n > 0 && s[n - 1] == '\r';
        if (n > 0) {
            check_text(c, s, n);
            split_plain(c, s, s + n);
            return GY_OK;
        }
        seen = 0; /* a blank line */
    }
}

/* ---- the header ---- */

static void skip_mark(gy_csv *c)
{
    if (c->n - c->at >= 3 && memcmp(c->text + c->at, "\xef\xbb\xbf", 3) == 0)
        c->at += 3;
}

gy_rc gy_csv_open(gy_csv *c, gy_input *in, char delimiter, gy_err *e)
{
    bool row = false;
    *c = (gy_csv){.in = in, .delimiter = delimiter, .next_line = 1};
    gy_rc rc = GY_OK;
    while (rc == GY_OK && !c->end && c->n < 3)
        rc = more(c, e);
    if (rc != GY_OK)
        return rc;
    skip_mark(c);
    rc = gy_csv_next(c, &row, e);
    if (rc != GY_OK)
        return rc;
    if (!row)
        return gy_fail(e, GY_EPARSE, "%s: is empty; a header line with the names of the columns is needed",
                       gy_input_path(in));
    if (c->fault)
        return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": the header line %s; save the table as CSV in UTF-8",
                       gy_input_path(in), c->line, c->fault);
    c->names = gy_alloc(c->ncells, sizeof *c->names);
    c->nnames = c->ncells;
    for (size_t i = 0; i < c->nnames; i++) {
        gy_slice name = gy_slice_trim(c->cells[i]);
        c->names[i] = (gy_slice){gy_arena_text(&c->arena, name.n ? name.s : "", name.n), name.n};
    }
    return GY_OK;
}

void gy_csv_fini(gy_csv *c)
{
    free(c->names);
    free(c->cells);
    gy_str_fini(&c->scratch);
    gy_arena_fini(&c->arena);
    *c = (gy_csv){0};
}

size_t gy_csv_column(const gy_csv *c, const char *name)
{
    for (size_t i = 0; i < c->nnames; i++)
        if (gy_slice_is(c->names[i], name))
            return i;
    return GY_CSV_NONE;
}

bool gy_csv_fits(gy_csv *c)
{
    if (c->ncells == c->nnames + 1 && c->cells[c->nnames].n == 0)
        c->ncells--;
    return c->ncells == c->nnames;
}

gy_rc gy_csv_refuse(const gy_csv *c, gy_err *e)
{
    if (c->fault)
        return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": the row %s; save the table as CSV in UTF-8",
                       gy_input_path(c->in), c->line, c->fault);
    return gy_fail(e, GY_EPARSE, "%s:%" PRIu64 ": the row has %zu cells, but the header has %zu; %s",
                   gy_input_path(c->in), c->line, c->ncells, c->nnames,
                   c->ncells < c->nnames ? "a cell may be empty, but its comma must stand"
                                         : "put a cell with commas in it in quotes");
}

void gy_csv_put(gy_str *line, gy_slice cell)
{
    bool quote = false;
    for (size_t i = 0; i < cell.n && !quote; i++)
        quote = cell.s[i] == ',' || cell.s[i] == '"' || cell.s[i] == '\n' || cell.s[i] == '\r';
    if (!quote) {
        gy_str_add(line, cell.s, cell.n);
        return;
    }
    gy_str_puts(line, "\"");
    for (size_t i = 0; i < cell.n; i++) {
        if (cell.s[i] == '"')
            gy_str_puts(line, "\"");
        gy_str_add(line, cell.s + i, 1);
    }
    gy_str_puts(line, "\"");
}
