/* gy_output.h - buffered writing; files appear by rename when they are complete, or not at all.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_OUTPUT_H
#define GY_OUTPUT_H

#include "gy_number.h"

typedef struct gy_out gy_out;       /* one file being written */
typedef struct gy_outdir gy_outdir; /* a folder whose files appear together */

/* Begins the folder `path` (made, with its parents, if it is missing).  Nothing in it changes before
 * gy_outdir_commit(). */
gy_rc gy_outdir_open(gy_outdir **d, const char *path, gy_err *e);

/* Begins file `name` ("jobs.csv", "plots/cdf.svg").  `gzip` compresses, with no time stamp inside. */
gy_rc gy_outdir_file(gy_outdir *d, const char *name, bool gzip, gy_out **o, gy_err *e);

/* Where `name` lies before the commit, for programs that write it themselves; its folder exists.  The text is
 * owned by d. */
gy_rc gy_outdir_place(gy_outdir *d, const char *name, const char **path, gy_err *e);

/* Names given from now on lie in this folder of it ("runs/fifo"); "" for none. */
void gy_outdir_enter(gy_outdir *d, const char *folder);

/* Files that another process made in `folder` of the unfinished one belong to it from now on. */
gy_rc gy_outdir_adopt(gy_outdir *d, const char *folder, gy_err *e);

/* A file that tells whose a folder is: it has `text` in its first 100 bytes. */
typedef struct gy_witness {
    const char *name, *text;
} gy_witness;

/* Files of an earlier run: where `folder` ("" for the folder itself, "runs/?": every one in runs/) holds the
 * witness, the regular files among `names` (NULL at the end) go at the commit unless they are written anew,
 * and folders that are empty by then. */
void gy_outdir_obsolete(gy_outdir *d, const char *folder, const gy_witness *w, const char *const *names);

/* Moves all files into place and frees d.  All files must have been closed. */
gy_rc gy_outdir_commit(gy_outdir *d, gy_err *e);

/* Leaves things as they were before gy_outdir_open() and frees d; open files must be closed first.  NULL is
 * allowed. */
void gy_outdir_abort(gy_outdir *d);

/* A single file that appears under `path` when closed without error. */
gy_rc gy_out_open(gy_out **o, const char *path, bool gzip, gy_err *e);

/* Standard output, through the same writer. */
gy_rc gy_out_open_stdout(gy_out **o, gy_err *e);

/* Writing.  Errors (a full disk) are kept and reported by gy_out_close(). */
void gy_out_bytes(gy_out *o, const char *s, size_t n);
void gy_out_text(gy_out *o, const char *s);
void gy_out_printf(gy_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gy_out_cell(gy_out *o, const char *s, size_t n); /* a CSV cell, quoted where it must be */

/* At least n <= 4096 bytes to write into; gy_out_end() says where writing stopped. */
char *gy_out_room(gy_out *o, size_t n);
void gy_out_end(gy_out *o, const char *end);

uint64_t gy_out_written(const gy_out *o); /* bytes before compression */

/* Closes and frees o.  On an error, or with keep false, the file does not appear. */
gy_rc gy_out_close(gy_out *o, bool keep, gy_err *e);

#endif
