/* gy_cluster_file.c - cluster files: JSON, or Philly's list of machines; see gy_cluster.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_build_internal.h"
#include "gy_catalogue_internal.h"
#include "gy_input.h"

/* The whole file as a text of the caller's, and its hash. */
static gy_rc read_all(const char *path, char **text, size_t *n, char hex[65], gy_err *e)
{
    gy_input *in;
    const char *p = NULL;
    bool end = false;
    gy_rc rc = gy_input_open(&in, path, e);
    if (rc != GY_OK)
        return rc;
    while (rc == GY_OK && !end)
        rc = gy_input_more(in, &p, n, &end, e);
    if (rc == GY_OK)
        rc = gy_input_sha256(in, hex, e);
    if (rc == GY_OK)
        *text = gy_strndup(p ? p : "", *n);
    gy_input_close(in);
    return rc;
}

/* "clusters/a.json" is "a". */
static const char *name_of_file(gy_build *b, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strchr(base, '.');
    return gy_build_text(b, base, dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

static size_t bom_length(const char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static gy_rc build_text(gy_build *b, const char *path, const char *text, size_t n, gy_err *e)
{
    size_t at = bom_length(text);
    at += strspn(text + at, " \t\r\n");
    if (text[at] == '{' || text[at] == '/') {
        gy_json j;
        gy_rc rc = gy_json_parse(&j, path, text, n, e);
        if (rc != GY_OK)
            return rc;
        rc = gy_build_json(b, &j, e);
        gy_json_free(&j);
        return rc;
    }
    if (gy_is_machine_list(text + at, n - at))
        return gy_build_machines(b, text, n, e);
    return gy_build_fail(b, e,
                         "is neither a cluster in JSON, which begins with a brace, nor a list of machines "
                         "with the header \"machineId,number of GPUs,single GPU mem\"");
}

gy_rc gy_build_file(gy_build *b, const char *path, gy_err *e)
{
    char *text;
    size_t n;
    gy_rc rc = read_all(path, &text, &n, b->c->sha256, e);
    if (rc != GY_OK)
        return rc;
    b->c->name = name_of_file(b, path);
    rc = build_text(b, path, text, n, e);
    free(text);
    return rc;
}

/* Cells of a line, without the blanks around them. */
struct row {
    const char *cell[3];
    size_t n[3];
    unsigned cells; /* all of them; those beyond the third are only counted */
};

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\t' || ch == '\r';
}

static struct row split_row(const char *s, size_t n)
{
    struct row r = {0};
    for (size_t at = 0;; at++) {
        const char *comma = memchr(s + at, ',', n - at);
        size_t end = comma ? (size_t)(comma - s) : n, from = at, to = end;
        while (from < to && is_blank(s[from]))
            from++;
        while (to > from && is_blank(s[to - 1]))
            to--;
        if (r.cells < 3) {
            r.cell[r.cells] = s + from;
            r.n[r.cells] = to - from;
        }
        r.cells++;
        if (!comma)
            return r;
        at = end;
    }
}

static size_t line_length(const char *s, size_t n)
{
    const char *lf = memchr(s, '\n', n);
    return lf ? (size_t)(lf - s) : n;
}

bool gy_is_machine_list(const char *text, size_t n)
{
    struct row r = split_row(text, line_length(text, n));
    return r.cells >= 2 && gy_same_name(r.cell[0], r.n[0], "machineId");
}

/* "24GB" into the memory and the name of the type, "24gb". */
static gy_rc read_memory(gy_build *b, const char *s, size_t n, gy_group *g, gy_err *e)
{
    size_t digits = 0;
    int64_t mem_micro;
    char name[40];
    while (digits < n && strchr("0123456789.", s[digits]))
        digits++;
    size_t unit = digits;
    while (unit < n && is_blank(s[unit]))
        unit++;
    bool gb = gy_same_name(s + unit, n - unit, "gb") || gy_same_name(s + unit, n - unit, "g") ||
              gy_same_name(s + unit, n - unit, "gib");
    if (!gb || gy_parse_fixed(s, digits, 6, &mem_micro) != GY_NUMBER_OK ||
        mem_micro > (int64_t)GY_NODE_MEM_GB_MAX * 1000000)
        return gy_build_fail(b, e, "\"%.*s\" is no memory of a GPU; write it as 24GB", n < 40 ? (int)n : 40,
                             s);
    strcpy(gy_put_fixed(name, mem_micro, 6), "gb");
    return gy_build_gpu_type(b, name, mem_micro, &g->type.gpu_type, e);
}

static gy_rc read_machine(gy_build *b, const char *s, size_t n, gy_err *e)
{
    gy_group g = gy_build_empty_group();
    struct row r = split_row(s, n);
    int64_t gpus;
    gy_rc rc = GY_OK;
    if (r.cells != 3)
        return gy_build_fail(b, e, "%u cells where a machine has three: name, number of GPUs, memory of one",
                             r.cells);
    rc = gy_build_check_name(b, "machine", r.cell[0], r.n[0], e);
    if (rc != GY_OK)
        return rc;
    if (gy_parse_int(r.cell[1], r.n[1], &gpus) != GY_NUMBER_OK || gpus < 0 || gpus > GY_NODE_GPUS_MAX)
        return gy_build_fail(b, e, "\"%.*s\" is no number of GPUs between 0 and %d",
                             r.n[1] < 40 ? (int)r.n[1] : 40, r.cell[1], GY_NODE_GPUS_MAX);
    g.type.gpus = (uint32_t)gpus;
    if (r.n[2])
        rc = read_memory(b, r.cell[2], r.n[2], &g, e);
    return rc == GY_OK ? gy_build_single(b, &g, r.cell[0], r.n[0], e) : rc;
}

/* The first line that is not blank is the header. */
gy_rc gy_build_machines(gy_build *b, const char *text, size_t n, gy_err *e)
{
    bool header = false;
    unsigned long line = 1;
    for (size_t at = bom_length(text); at < n; line++) {
        size_t len = line_length(text + at, n - at);
        bool blank = true;
        for (size_t i = 0; i < len; i++)
            blank &= is_blank(text[at + i]);
        snprintf(b->part, sizeof b->part, "line %lu", line);
        if (header && !blank) {
            gy_rc rc = read_machine(b, text + at, len, e);
            if (rc != GY_OK)
                return rc;
        }
        header |= !blank;
        at += len + 1;
    }
    return gy_build_finish(b, e);
}
