/* gy_arena.c - see gy_arena.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_arena.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16, ALIGN = 16 };

struct gy_arena_block {
    struct gy_arena_block *next;
    size_t size;
    _Alignas(16) unsigned char data[];
};

static void *from_new_block(gy_arena *a, size_t size)
{
    size_t room = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    struct gy_arena_block *b = gy_resize(NULL, 1, sizeof *b + room);
    b->size = room;
    b->next = a->blocks;
    a->blocks = b;
    a->used = size;
    return b->data;
}

void *gy_arena_alloc(gy_arena *a, size_t size)
{
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    a->total += size;
    if (!a->blocks || a->used + size > a->blocks->size)
        return from_new_block(a, size);
    void *p = a->blocks->data + a->used;
    a->used += size;
    return p;
}

char *gy_arena_text(gy_arena *a, const char *s, size_t n)
{
    char *p = gy_arena_alloc(a, n + 1);
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

void gy_arena_fini(gy_arena *a)
{
    while (a->blocks) {
        struct gy_arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
    a->used = 0;
    a->total = 0;
}
