/* gy_cells.h - numbers into CSV cells as fast as they can be: no calls, no division by a variable.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each function writes at *p and returns the end; none writes a NUL.  The texts are those of gy_number.h.
 */
#ifndef GY_CELLS_H
#define GY_CELLS_H

#include <string.h>

#include "gy_number.h"

enum {
    GY_CELL_INT = 21,   /* bytes at most: a 64-bit integer */
    GY_CELL_US = 24,    /* seconds */
    GY_CELL_I128 = 44,  /* GPU time */
    GY_CELL_DOUBLE = 32 /* gy_put_double() */
};

/* Four digits of v < 10000, leading zeros kept. */
static inline void gy_cell_four(char *p, unsigned v)
{
    p[0] = (char)('0' + v / 1000);
    p[1] = (char)('0' + v / 100 % 10);
    p[2] = (char)('0' + v / 10 % 10);
    p[3] = (char)('0' + v % 10);
}

static inline char *gy_cell_uint(char *p, uint64_t v)
{
    if (v < 10) { /* most counts */
        *p = (char)('0' + v);
        return p + 1;
    }
    char tmp[24];
    unsigned at = sizeof tmp;
    while (v >= 10000) {
        uint64_t rest = v / 10000;
        at -= 4;
        gy_cell_four(tmp + at, (unsigned)(v - rest * 10000));
        v = rest;
    }
    at -= 4;
    gy_cell_four(tmp + at, (unsigned)v);
    while (tmp[at] == '0')
        at++;
    memcpy(p, tmp + at, sizeof tmp - at);
    return p + (sizeof tmp - at);
}

/* The fraction with its point, six digits, without the zeros at its end. */
static inline char *gy_cell_micro(char *p, uint32_t rest)
{
    if (rest == 0)
        return p;
    *p++ = '.';
    for (uint32_t i = 6, v = rest; i-- > 0; v /= 10)
        p[i] = (char)('0' + v % 10);
    p += 6;
    while (p[-1] == '0')
        p--;
    return p;
}

/* Seconds; nothing for GY_NEVER. */
static inline char *gy_cell_us(char *p, int64_t us)
{
    if (us == GY_NEVER)
        return p;
    uint64_t u = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
    if (us < 0)
        *p++ = '-';
    uint64_t s = u / GY_US_PER_S;
    p = gy_cell_uint(p, s);
    return gy_cell_micro(p, (uint32_t)(u - s * GY_US_PER_S));
}

/* Thousandths. */
static inline char *gy_cell_milli(char *p, uint64_t milli)
{
    uint64_t whole = milli / 1000;
    p = gy_cell_uint(p, whole);
    return gy_cell_micro(p, (uint32_t)(milli - whole * 1000) * 1000);
}

#endif
