/* gy_bits.h - sets of small numbers as a tree of words: insert, remove and "next member" in a few steps.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Each level has one bit for each word of the level below that is not zero.  Four levels hold 16.7 million.
 */
#ifndef GY_BITS_H
#define GY_BITS_H

#include "gy_error.h"

enum { GY_BITS_LEVELS = 4 };

typedef struct gy_bits {
    uint64_t *level[GY_BITS_LEVELS]; /* level[0] has the members; unused ones are NULL */
    uint32_t n;                      /* members are below n */
    uint32_t count;
} gy_bits;

#define GY_BITS_NONE UINT32_MAX

/* Words of memory that gy_bits_init() needs for members below n. */
static inline size_t gy_bits_words(uint32_t n)
{
    size_t words = 0;
    for (uint64_t k = n; words == 0 || k > 1;) {
        k = (k + 63) / 64;
        words += k ? k : 1;
    }
    return words;
}

/* `words` is cleared memory of gy_bits_words(n) words, borrowed while the set is used. */
static inline void gy_bits_init(gy_bits *b, uint32_t n, uint64_t *words)
{
    *b = (gy_bits){.n = n};
    uint64_t k = n;
    for (unsigned l = 0; l == 0 || k > 1; l++) {
        GY_ASSERT(l < GY_BITS_LEVELS);
        k = (k + 63) / 64;
        b->level[l] = words;
        words += k ? k : 1;
    }
}

static inline bool gy_bits_has(const gy_bits *b, uint32_t i)
{
    return b->level[0][i >> 6] >> (i & 63) & 1;
}

static inline void gy_bits_add(gy_bits *b, uint32_t i)
{
    b->count++;
    for (unsigned l = 0; l < GY_BITS_LEVELS && b->level[l]; l++, i >>= 6) {
        uint64_t old = b->level[l][i >> 6];
        b->level[l][i >> 6] = old | (uint64_t)1 << (i & 63);
        if (old)
            return;
    }
}

static inline void gy_bits_remove(gy_bits *b, uint32_t i)
{
    b->count--;
    for (unsigned l = 0; l < GY_BITS_LEVELS && b->level[l]; l++, i >>= 6)
        if (b->level[l][i >> 6] &= ~((uint64_t)1 << (i & 63)))
            return;
}

/* The lowest member >= i, or GY_BITS_NONE. */
static inline uint32_t gy_bits_next(const gy_bits *b, uint32_t i)
{
    if (i >= b->n)
        return GY_BITS_NONE;
    uint64_t w = b->level[0][i >> 6] >> (i & 63);
    if (w)
        return i + (uint32_t)__builtin_ctzll(w);
    for (unsigned l = 1; l < GY_BITS_LEVELS && b->level[l]; l++) {
        i = (i >> 6) + 1; /* the next word of the level below, as a bit of this one */
        uint32_t words = (uint32_t)((b->n + ((uint64_t)1 << (6 * l)) - 1) >> (6 * l));
        if (i >= words)
            return GY_BITS_NONE;
        w = b->level[l][i >> 6] >> (i & 63);
        if (!w)
            continue;
        i += (uint32_t)__builtin_ctzll(w);
        while (l-- > 0)
            i = i << 6 | (uint32_t)__builtin_ctzll(b->level[l][i]);
        return i;
    }
    return GY_BITS_NONE;
}

/* The highest member <= i, or GY_BITS_NONE. */
static inline uint32_t gy_bits_prev(const gy_bits *b, uint32_t i)
{
    if (b->n == 0)
        return GY_BITS_NONE;
    if (i >= b->n)
        i = b->n - 1;
    uint64_t w = b->level[0][i >> 6] << (63 - (i & 63));
    if (w)
        return i - (uint32_t)__builtin_clzll(w);
    for (unsigned l = 1; l < GY_BITS_LEVELS && b->level[l]; l++) {
        i >>= 6;
        if (i == 0)
            return GY_BITS_NONE;
        i--;
        w = b->level[l][i >> 6] << (63 - (i & 63));
        if (!w)
            continue;
        i -= (uint32_t)__builtin_clzll(w);
        while (l-- > 0)
            i = i << 6 | (63 - (uint32_t)__builtin_clzll(b->level[l][i]));
        return i;
    }
    return GY_BITS_NONE;
}

#endif
