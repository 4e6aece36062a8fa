/* gy_import_csv.c - the rows of a CSV family: cells by column name, rows that do not fit, notes.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "gy_families_internal.h"

struct layout {
    size_t at[GY_FAMILY_COLUMNS_MAX];     /* column of the file for each of the family; GY_CSV_NONE */
    gy_slice cell[GY_FAMILY_COLUMNS_MAX]; /* of the present row; those of missing columns stay empty */
    size_t *notes;                        /* columns of the file that become notes */
    size_t nnotes;
};

static size_t find_known(const struct gy_family *f, gy_slice name)
{
    size_t k = 0;
    while (k < f->ncolumns && !gy_slice_is(name, f->columns[k].name))
        k++;
    return k;
}

static gy_rc missing_column(const struct gy_import *im, const gy_csv *c, const char *name, gy_err *e)
{
    const char *near = NULL;
    unsigned least = (unsigned)strlen(name) / 3 + 2;
    for (size_t i = 0; i < c->nnames; i++) {
        if (find_known(im->family, c->names[i]) < im->family->ncolumns)
            continue;
        unsigned d = gy_distance(name, c->names[i].s);
        if (d < least) {
            least = d;
            near = c->names[i].s;
        }
    }
    if (near)
        return gy_fail(e, GY_EPARSE,
                       "%s:%" PRIu64 ": the column %s is missing, which every %s trace has; is it \"%s\"?",
                       gy_input_path(im->in), c->line, name, im->family->name, near);
    return gy_fail(e, GY_EPARSE,
                   "%s:%" PRIu64 ": the column %s is missing, which every %s trace has; add it, or give "
                   "--format if it is another format",
                   gy_input_path(im->in), c->line, name, im->family->name);
}

static gy_rc find_columns(struct gy_import *im, const gy_csv *c, struct layout *l, gy_err *e)
{
    const struct gy_family *f = im->family;
    GY_ASSERT(f->ncolumns <= GY_FAMILY_COLUMNS_MAX);
    l->notes = gy_alloc(c->nnames, sizeof *l->notes);
    for (size_t k = 0; k < f->ncolumns; k++) {
        l->at[k] = gy_csv_column(c, f->columns[k].name);
        if (l->at[k] == GY_CSV_NONE && f->columns[k].need == GY_NEED_MUST)
            return missing_column(im, c, f->columns[k].name, e);
        l->cell[k] = (gy_slice){"", 0};
        if (l->at[k] != GY_CSV_NONE)
            im->present[im->npresent++] = (uint8_t)k;
    }
    for (size_t i = 0; i < c->nnames; i++) {
        size_t k = find_known(f, c->names[i]);
        if (k < f->ncolumns && l->at[k] != i)
            return gy_fail(e, GY_EPARSE,
                           "%s:%" PRIu64 ": the column %s stands there twice; take one out or rename it",
                           gy_input_path(im->in), c->line, f->columns[k].name);
        if (k < f->ncolumns && f->columns[k].need != GY_NEED_NOTED)
            continue;
        if (k == f->ncolumns && c->names[i].n > 0)
            gy_import_unknown_column(im, c->line, c->names[i].s);
        l->notes[l->nnotes++] = i;
    }
    return GY_OK;
}

/* A column of a foreign family may be called like one of the canonical trace and be something else. */
static bool is_canonical(gy_slice name)
{
    return find_known(&gy_family_csv, name) < gy_family_csv.ncolumns;
}

static void name_notes(struct gy_import *im, const gy_csv *c, const struct layout *l)
{
    gy_str header = {0}, name = {0};
    for (size_t i = 0; i < l->nnotes; i++) {
        gy_slice column = c->names[l->notes[i]];
        name.n = 0;
        if (is_canonical(column))
            gy_str_printf(&name, "%s_", im->family->name);
        gy_str_add(&name, column.s, column.n);
        if (i)
            gy_str_puts(&header, ",");
        gy_csv_put(&header, (gy_slice){name.s, name.n});
    }
    if (l->nnotes)
        im->jobs->note_header = gy_strndup(header.s, header.n);
    gy_str_fini(&header);
    gy_str_fini(&name);
}

/* The cells without a meaning, as one CSV line; empty when all of them are. */
static void take_notes(struct gy_import *im, const gy_csv *c, const struct layout *l)
{
    bool any = false;
    im->note.n = 0;
    for (size_t i = 0; i < l->nnotes; i++) {
        gy_slice cell = c->cells[l->notes[i]];
        if (i)
            gy_str_puts(&im->note, ",");
        gy_csv_put(&im->note, cell);
        any = any || cell.n > 0;
    }
    if (!any)
        im->note.n = 0;
}

/* Files put one behind the other have a header in their middle. */
static bool is_header(const gy_csv *c)
{
    for (size_t i = 0; i < c->ncells; i++) {
        gy_slice cell = gy_slice_trim(c->cells[i]);
        if (cell.n != c->names[i].n || memcmp(cell.s, c->names[i].s, cell.n) != 0)
            return false;
    }
    return true;
}

/* Rows that can be told to be broken without looking at their values. */
static gy_rc bad_row(struct gy_import *im, const gy_csv *c, const char *what, gy_err *e)
{
    if (im->family->canonical)
        return gy_csv_refuse(c, e);
    if (c->fault)
        return gy_import_fate(im, GY_FATE_REJECTED, c->line, e, what, "%s", "");
    return gy_import_fate(im, GY_FATE_REJECTED, c->line, e, what, "%zu cells, the header has %zu", c->ncells,
                          c->nnames);
}

static gy_rc take_row(struct gy_import *im, gy_csv *c, struct layout *l, gy_err *e)
{
    const struct gy_family *f = im->family;
    if (c->fault)
        return bad_row(im, c, c->fault, e);
    if (!gy_csv_fits(c))
        return bad_row(im, c, "has not the header's number of cells", e);
    for (size_t i = 0; i < im->npresent; i++)
        l->cell[im->present[i]] = c->cells[l->at[im->present[i]]];
    if (!f->canonical && c->cells[0].n == c->names[0].n && is_header(c))
        return gy_import_fate(im, GY_FATE_REJECTED, c->line, e, "repeats the header", "%s", "");
    im->note.n = 0;
    if (im->o->keep_notes)
        take_notes(im, c, l);
    return f->row(im, l->cell, c->line, e);
}

gy_rc gy_import_csv(struct gy_import *im, gy_err *e)
{
    gy_csv c;
    struct layout l = {.nnotes = 0};
    bool row = true;
    gy_rc rc = gy_csv_open(&c, im->in, im->family->delimiter ? im->family->delimiter : ',', e);
    if (rc == GY_OK)
        rc = find_columns(im, &c, &l, e);
    if (rc == GY_OK && im->o->keep_notes)
        name_notes(im, &c, &l);
    for (; rc == GY_OK; im->nrow++) {
        rc = gy_csv_next(&c, &row, e);
        if (rc != GY_OK || !row)
            break;
        rc = take_row(im, &c, &l, e);
        if ((im->nrow & 1023) == 0)
            gy_import_progress(im);
    }
    free(l.notes);
    gy_csv_fini(&c);
    return rc;
}
