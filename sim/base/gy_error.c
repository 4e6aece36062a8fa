/* gy_error.c - see gy_error.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GY_EXIT_INTERNAL = 70 };

gy_rc gy_fail(gy_err *e, gy_rc rc, const char *fmt, ...)
{
    if (!e)
        return rc;
    va_list ap;
    va_start(ap, fmt);
    e->rc = rc;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    return rc;
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

void *gy_alloc(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size ? size : 1);
    if (!p)
        no_memory(n, size);
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
    *cap = n;
    return gy_resize(p, n, size);
}
