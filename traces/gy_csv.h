/* gy_csv.h - rows of a CSV file with a header line, split in place.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cells may be quoted, with doubled quotes and line ends inside; a byte-order mark, CR LF, blank lines and a
 * missing last line end are no trouble.  A row's line is the one on which it begins.
 */
#ifndef GY_CSV_H
#define GY_CSV_H

#include "gy_input.h"
#include "gy_jobs.h"

#define GY_CSV_NONE SIZE_MAX

typedef struct gy_csv {
    gy_slice *names; /* of the columns, without blanks around them */
    size_t nnames;

    /* The present row, valid until the next call. */
    gy_slice *cells;
    size_t ncells;
    uint64_t line;
    const char *fault; /* why the row is no proper text, or NULL: "holds a NUL byte", ... */

    /* private */
    gy_input *in;
    const char *text; /* what gy_input lends; text[at .. n) is unread */
    size_t at, n;
    size_t cap;
    uint64_t next_line;
    char delimiter;
    bool end; /* text reaches to the end of the file */
    bool odd; /* bytes that are not plain ASCII have come: rows must be looked at */
    gy_str scratch;
    gy_arena arena;
} gy_csv;

/* Reads the header.  `in` is borrowed until gy_csv_fini(), which is needed after an error too. */
gy_rc gy_csv_open(gy_csv *c, gy_input *in, char delimiter, gy_err *e);
void gy_csv_fini(gy_csv *c);

/* The next row that is not blank; *row is false at the end of the file.  The number of cells is not compared
 * with the header: see gy_csv_fits(). */
gy_rc gy_csv_next(gy_csv *c, bool *row, gy_err *e);

/* Number of the column of that name (its first), or GY_CSV_NONE. */
size_t gy_csv_column(const gy_csv *c, const char *name);

/* Has the row as many cells as the header?  One empty cell too many, from a comma at its end, is cut off. */
bool gy_csv_fits(gy_csv *c);

/* Refuses the present row, which is no proper text or does not fit: GY_EPARSE with file, line and remedy. */
gy_rc gy_csv_refuse(const gy_csv *c, gy_err *e);

bool gy_slice_is(gy_slice s, const char *text);
gy_slice gy_slice_trim(gy_slice s); /* without blanks and tabs around it */

/* Appends a cell to a CSV line, quoted where it must be. */
void gy_csv_put(gy_str *line, gy_slice cell);

bool gy_is_utf8(const char *s, size_t n);

/* Makes s fit to be shown in one line of a message: control characters become '?', and it ends before what is
 * no UTF-8 (a character that was cut, for one). */
void gy_make_printable(char *s);

/* The cell for a message, cut to what is worth showing.  Returns buf. */
enum { GY_SHOWN_MAX = 112 };
const char *gy_slice_show(gy_slice s, char buf[GY_SHOWN_MAX]);

#endif
