/* gy_error.c - see gy_error.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#if defined(__linux__)
#define _DEFAULT_SOURCE /* madvise */
#endif
#include "gy_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { GY_EXIT_INTERNAL = 70 };

void gy_fill_error(gy_err *e, gy_rc rc, const char *fmt, ...)
{
    if (!e)
        return;
    va_list ap;
    va_start(ap, fmt);
    e->rc = rc;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
}

_Noreturn void gy_panic(const char *file, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fprintf(stderr, "gpuyard: internal error at %s:%d: ", file, line);
    vfprintf(stderr, fmt, ap);
    fputs("\ngpuyard: this is a fault of gpuyard; please report it with the command line and its inputs\n",
          stderr);
    va_end(ap);
    _Exit(GY_EXIT_INTERNAL);
}

static _Noreturn void no_memory(size_t n, size_t size)
{
    fprintf(stderr, "gpuyard: out of memory (asked for %zu times %zu bytes)\n", n, size);
    _Exit(GY_EXIT_INTERNAL);
}

/* The first touch of a page can cost more than all that is done to a row of a table, so tables of millions of
 * rows ask for large pages.  Nothing depends on whether they get them. */
enum { LARGE_PAGE = 2 << 20, LARGE_BLOCK = 4 * LARGE_PAGE };

static void prefer_large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    size_t skip = (LARGE_PAGE - ((uintptr_t)p & (LARGE_PAGE - 1))) & (LARGE_PAGE - 1);
    if (bytes >= LARGE_BLOCK)
        madvise((char *)p + skip, (bytes - skip) & ~(size_t)(LARGE_PAGE - 1), MADV_HUGEPAGE);
#else
    (void)p;
    (void)bytes;
#endif
}

/* realloc() would keep a growing table in small pages. */
static void *move_to_large_pages(void *old, size_t old_bytes, size_t bytes)
{
    void *p = NULL;
    bytes = (bytes + LARGE_PAGE - 1) & ~(size_t)(LARGE_PAGE - 1);
    if (posix_memalign(&p, LARGE_PAGE, bytes) != 0)
        no_memory(bytes, 1);
    prefer_large_pages(p, bytes);
    if (old_bytes)
        memcpy(p, old, old_bytes);
    free(old);
    return p;
}

void *gy_alloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        no_memory(n, size);
    prefer_large_pages(p, n * size);
    return p;
}

void *gy_resize(void *p, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        no_memory(n, size);
    size_t bytes = n * size;
    void *q = realloc(p, bytes > 0 ? bytes : 1);
    if (!q)
        no_memory(n, size);
    return q;
}

char *gy_strndup(const char *s, size_t n)
{
    char *p = gy_alloc(n + 1, 1);
    memcpy(p, s, n);
    return p;
}

void *gy_reserve(void *p, size_t *cap, size_t need, size_t size)
{
    if (need <= *cap)
        return p;
    size_t n = *cap + *cap / 2 + 16;
    if (n < need)
        n = need;
    size_t had = *cap;
    *cap = n;
    if (size && n <= SIZE_MAX / 2 / size && n * size >= LARGE_BLOCK)
        return move_to_large_pages(p, had * size, n * size);
    return gy_resize(p, n, size);
}
