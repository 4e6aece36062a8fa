/* gy_input.h - files read once from front to end, plain or gzip, hashed as they lie on disk.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_INPUT_H
#define GY_INPUT_H

#include "gy_error.h"

typedef struct gy_input gy_input;

/* Opens path ("-" is standard input); gzip is told by its first bytes, never by the name.  *in is owned by
 * the caller. */
gy_rc gy_input_open(gy_input **in, const char *path, gy_err *e);
void gy_input_close(gy_input *in); /* NULL is allowed */

/* The same over bytes in memory, which are borrowed until gy_input_close(); `name` stands for the path in
 * messages. */
void gy_input_open_memory(gy_input **in, const char *name, const void *data, size_t n);

/* The unread text: *p[0..*n) grows by at least one byte at each call until the end of the file is in it, then
 * *end is true.  Valid until the next call.  A truncated or damaged gzip file is GY_EIO. */
gy_rc gy_input_more(gy_input *in, const char **p, size_t *n, bool *end, gy_err *e);

/* The first k bytes of the unread text have been used. */
void gy_input_used(gy_input *in, size_t k);

/* The next line without its LF or CR LF, NUL-terminated, valid until the next call; *line is NULL at the end.
 * A last line without a newline is a line. */
gy_rc gy_input_line(gy_input *in, char **line, size_t *n, gy_err *e);

const char *gy_input_path(const gy_input *in);
uint64_t gy_input_line_number(const gy_input *in); /* of the line last returned, from 1 */
uint64_t gy_input_bytes(const gy_input *in);       /* read so far, as they lie on disk */
uint64_t gy_input_size(const gy_input *in);        /* of the file on disk; 0 when unknown */

/* SHA-256 of the file as it lies on disk, in hex.  Reads what is left of it. */
gy_rc gy_input_sha256(gy_input *in, char hex[65], gy_err *e);

/* All of a file as one NUL-terminated text owned by the caller (free); for configuration, not for traces. */
gy_rc gy_read_file(const char *path, char **text, size_t *n, gy_err *e);

#endif
