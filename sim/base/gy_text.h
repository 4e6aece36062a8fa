/* gy_text.h - growing strings, interned names and suggestions.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_TEXT_H
#define GY_TEXT_H

#include "gy_arena.h"

/* A growing string; zero-initialised is the empty one.  `s` is NUL-terminated once something was added. */
typedef struct gy_str {
    char *s;
    size_t n, cap;
} gy_str;

void gy_str_add(gy_str *b, const char *s, size_t n);
void gy_str_puts(gy_str *b, const char *s);
void gy_str_printf(gy_str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void gy_str_fini(gy_str *b);

/* Interned names: text <-> dense number, in order of first use, so that nothing depends on hash order.
 * Zero-initialised is ready; number 0 is the first text added. */
typedef struct gy_names {
    gy_arena arena;
    struct gy_name *list;
    size_t n, cap;
    uint32_t *slots; /* open addressing, number + 1 */
    size_t nslots;
} gy_names;

#define GY_NAME_NONE UINT32_MAX

uint32_t gy_names_add(gy_names *t, const char *s, size_t n);        /* finds or adds */
uint32_t gy_names_find(const gy_names *t, const char *s, size_t n); /* GY_NAME_NONE when unknown */
const char *gy_names_text(const gy_names *t, uint32_t id);          /* valid until fini */
size_t gy_names_len(const gy_names *t, uint32_t id);
void gy_names_fini(gy_names *t);

/* Edit distance with the lengths that names have; capped at 255. */
unsigned gy_distance(const char *a, const char *b);

/* The candidate nearest to `word`, or NULL when none is near enough to be meant (more than a third differs).
 * list(ctx, i) gives candidate i or NULL after the last. */
const char *gy_nearest(const char *word, const char *(*list)(const void *ctx, size_t i), const void *ctx);

/* The same over an array of n texts. */
const char *gy_nearest_of(const char *word, const char *const *texts, size_t n);

uint64_t gy_hash(const void *p, size_t n); /* FNV-1a with a final mix: for tables, never for results */

#endif
