/* gy_json.h - JSON in (cJSON, comments allowed, unknown keys refused) and out (exact numbers, fixed key
 * order). SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_JSON_H
#define GY_JSON_H

#include <cjson/cJSON.h>

#include "gy_number.h"
#include "gy_output.h"
#include "gy_text.h"

/* A parsed file or text.  `name` and the tree live until gy_json_free(). */
typedef struct gy_json {
    char *name; /* for messages: the path or what the text is */
    char *text;
    cJSON *root;
} gy_json;

gy_rc gy_json_load(gy_json *j, const char *path, gy_err *e);
gy_rc gy_json_parse(gy_json *j, const char *name, const char *text, size_t n, gy_err *e);
void gy_json_free(gy_json *j);

/* GY_EPARSE naming the first key of `object` that is not among keys[0..n), and the nearest one that is.
 * `where` says which object it is: "nodes[2]". */
gy_rc gy_json_keys(const gy_json *j, const cJSON *object, const char *where, const char *const *keys,
                   size_t n, gy_err *e);

/* Members of an object.  A missing member leaves *out alone; a wrong type is GY_EPARSE.  The texts are
 * borrowed from the tree. */
gy_rc gy_json_text(const gy_json *j, const cJSON *object, const char *key, const char **out, gy_err *e);
gy_rc gy_json_int(const gy_json *j, const cJSON *object, const char *key, int64_t least, int64_t most,
                  int64_t *out, gy_err *e);
gy_rc gy_json_double(const gy_json *j, const cJSON *object, const char *key, double *out, gy_err *e);
/* A decimal times 10^digits, which must then be whole. */
gy_rc gy_json_fixed(const gy_json *j, const cJSON *object, const char *key, int digits, int64_t *out,
                    gy_err *e);
const cJSON *gy_json_member(const cJSON *object, const char *key); /* NULL when missing; case matters */

/* Writing: two blanks of indent, keys in the order of the calls.  key is NULL inside arrays. */
typedef struct gy_json_out {
    gy_out *out;
    unsigned depth;
    bool first;    /* nothing stands in the present object yet */
    uint64_t flat; /* bit per depth: objects written in one line */
} gy_json_out;

void gy_json_open(gy_json_out *w, const char *key, char bracket);      /* '{' or '[' */
void gy_json_open_flat(gy_json_out *w, const char *key, char bracket); /* all on one line */
void gy_json_close(gy_json_out *w, char bracket);                      /* '}' or ']' */
void gy_json_put_text(gy_json_out *w, const char *key, const char *s);
void gy_json_put_text_n(gy_json_out *w, const char *key, const char *s, size_t n);
void gy_json_put_int(gy_json_out *w, const char *key, int64_t v);
void gy_json_put_bool(gy_json_out *w, const char *key, bool v);
void gy_json_put_us(gy_json_out *w, const char *key, int64_t us); /* seconds; null for GY_NEVER */
void gy_json_put_i128(gy_json_out *w, const char *key, gy_i128 v, int digits);
void gy_json_put_double(gy_json_out *w, const char *key, double v); /* null when not finite */
void gy_json_put_null(gy_json_out *w, const char *key);

#endif
