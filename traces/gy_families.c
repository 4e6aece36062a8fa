/* gy_families.c - the table of trace families, and which one a file is of.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_families_internal.h"

#include <string.h>

const struct gy_family *const gy_families[] = {
    &gy_family_csv, &gy_family_philly, &gy_family_helios, &gy_family_itp, &gy_family_philly_csv, NULL,
};

bool gy_trace_format(size_t i, const char **name, const char **about)
{
    for (size_t k = 0; k <= i; k++)
        if (!gy_families[k])
            return false;
    *name = gy_families[i]->name;
    *about = gy_families[i]->about;
    return true;
}

static void list_names(gy_str *out)
{
    for (size_t i = 0; gy_families[i]; i++)
        gy_str_printf(out, "%s%s", i ? ", " : "", gy_families[i]->name);
}

static const char *name_at(const void *ctx, size_t i)
{
    (void)ctx;
    return gy_families[i] ? gy_families[i]->name : NULL;
}

const struct gy_family *gy_family_named(const char *name, gy_err *e)
{
    for (size_t i = 0; gy_families[i]; i++)
        if (strcmp(gy_families[i]->name, name) == 0)
            return gy_families[i];
    gy_str all = {0};
    list_names(&all);
    const char *near = gy_nearest(name, name_at, NULL);
    gy_fail(e, GY_EINVAL, "--format %s: no such trace format%s%s%s; there are %s", name,
            near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "", all.s);
    gy_str_fini(&all);
    return NULL;
}

/* ---- by content ---- */

enum { SAMPLE_BYTES = 1 << 16, HEADER_CELLS_MAX = 256 };

/* Cells of the first line.  Enough for names: quotes are taken off, nothing is unescaped. */
static size_t split_header(const struct gy_sample *sample, char delimiter, gy_slice *cells)
{
    size_t k = 0;
    const char *s = sample->text, *end = sample->n ? memchr(s, '\n', sample->n) : NULL;
    end = end ? end : s + sample->n;
    while (k < HEADER_CELLS_MAX) {
        const char *comma = memchr(s, delimiter ? delimiter : ',', (size_t)(end - s));
        const char *stop = comma ? comma : end;
        gy_slice c = {s, (size_t)(stop - s)};
        c.n -= !comma && c.n > 0 && s[c.n - 1] == '\r';
        c = gy_slice_trim(c);
        if (c.n >= 2 && c.s[0] == '"' && c.s[c.n - 1] == '"')
            c = (gy_slice){c.s + 1, c.n - 2};
        cells[k++] = c;
        if (!comma)
            break;
        s = comma + 1;
    }
    return k;
}

/* How many of the columns stand in the header, and whether all do that must. */
static size_t count_columns(const struct gy_family *f, const struct gy_sample *s, bool *complete)
{
    gy_slice header[HEADER_CELLS_MAX];
    size_t found = 0, nheader = split_header(s, f->delimiter, header);
    *complete = true;
    for (size_t k = 0; k < f->ncolumns; k++) {
        size_t i = 0;
        while (i < nheader && !gy_slice_is(header[i], f->columns[k].name))
            i++;
        found += i < nheader;
        if (i == nheader && f->columns[k].need == GY_NEED_MUST)
            *complete = false;
    }
    return found;
}

/* Among the families whose columns are complete the one with most columns in the header; if there is none,
 * the one that knows most of the header, so that its importer says which column is missing. */
static const struct gy_family *best_of(const struct gy_sample *s)
{
    const struct gy_family *best = NULL;
    size_t most = 0;
    bool have_complete = false;
    for (size_t i = 0; gy_families[i]; i++) {
        const struct gy_family *f = gy_families[i];
        bool complete;
        if (f->is && f->is(s))
            return f;
        size_t found = count_columns(f, s, &complete);
        if (found == 0 || complete < have_complete || (complete == have_complete && found <= most))
            continue;
        best = f;
        most = found;
        have_complete = complete;
    }
    return best;
}

const struct gy_family *gy_family_detect(gy_input *in, gy_err *e)
{
    struct gy_sample s = {.n = 0};
    bool end = false;
    while (!end && s.n < SAMPLE_BYTES)
        if (gy_input_more(in, &s.text, &s.n, &end, e) != GY_OK)
            return NULL;
    if (s.n == 0) {
        gy_fail(
            e, GY_EPARSE,
            "%s: is empty; a trace has a header line with the names of its columns and a row for each job",
            gy_input_path(in));
        return NULL;
    }
    if (s.n >= 3 && memcmp(s.text, "\xef\xbb\xbf", 3) == 0) {
        s.text += 3;
        s.n -= 3;
    }
    while (s.n > 0 && strchr(" \t\r\n", *s.text) && *s.text) {
        s.text++;
        s.n--;
    }
    const struct gy_family *f = best_of(&s);
    if (f)
        return f;
    gy_str all = {0};
    list_names(&all);
    gy_fail(
        e, GY_EPARSE,
        "%s: its content is that of no known trace format; give --format (%s), or a canonical CSV with the "
        "columns job_id, submit_s, gpus, duration_s",
        gy_input_path(in), all.s);
    gy_str_fini(&all);
    return NULL;
}
