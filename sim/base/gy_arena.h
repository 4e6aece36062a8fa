/* gy_arena.h - memory that is given back all at once.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_ARENA_H
#define GY_ARENA_H

#include "gy_error.h"

struct gy_arena_block;

/* Zero-initialised is ready to use.  Pointers stay valid until gy_arena_fini(). */
typedef struct gy_arena {
    struct gy_arena_block *blocks;
    size_t used;  /* of the newest block */
    size_t total; /* bytes handed out, for reports */
} gy_arena;

/* `size` bytes aligned to 16, not cleared.  Never NULL. */
void *gy_arena_alloc(gy_arena *a, size_t size);

/* Copy of s[0..n) with a closing NUL. */
char *gy_arena_text(gy_arena *a, const char *s, size_t n);

void gy_arena_fini(gy_arena *a);

#endif
