/* gy_text.c - see gy_text.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gy_name {
    const char *text;
    uint32_t len;
    uint32_t hash;
};

static void str_room(gy_str *b, size_t more)
{
    b->s = gy_reserve(b->s, &b->cap, b->n + more + 1, 1);
}

void gy_str_add(gy_str *b, const char *s, size_t n)
{
    str_room(b, n);
    if (n)
        memcpy(b->s + b->n, s, n);
    b->n += n;
    b->s[b->n] = '\0';
}

void gy_str_puts(gy_str *b, const char *s)
{
    gy_str_add(b, s, strlen(s));
}

void gy_str_printf(gy_str *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    GY_ASSERT(n >= 0);
    str_room(b, (size_t)n);
    vsnprintf(b->s + b->n, (size_t)n + 1, fmt, again);
    va_end(again);
    b->n += (size_t)n;
}

void gy_str_fini(gy_str *b)
{
    free(b->s);
    *b = (gy_str){0};
}

uint64_t gy_hash(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ s[i]) * 0x100000001b3u;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
}

/* The slot where the text stands or would stand. */
static size_t find_slot(const gy_names *t, const char *s, size_t n, uint32_t hash)
{
    size_t i = hash & (t->nslots - 1);
    while (t->slots[i]) {
        const struct gy_name *e = &t->list[t->slots[i] - 1];
        if (e->hash == hash && e->len == n && memcmp(e->text, s, n) == 0)
            break;
        i = (i + 1) & (t->nslots - 1);
    }
    return i;
}

static void grow_slots(gy_names *t)
{
    t->nslots = t->nslots ? t->nslots * 2 : 64;
    free(t->slots);
    t->slots = gy_alloc(t->nslots, sizeof *t->slots);
    for (size_t k = 0; k < t->n; k++) {
        size_t i = t->list[k].hash & (t->nslots - 1);
        while (t->slots[i])
            i = (i + 1) & (t->nslots - 1);
        t->slots[i] = (uint32_t)k + 1;
    }
}

uint32_t gy_names_find(const gy_names *t, const char *s, size_t n)
{
    if (!t->nslots)
        return GY_NAME_NONE;
    size_t i = find_slot(t, s, n, (uint32_t)gy_hash(s, n));
    return t->slots[i] ? t->slots[i] - 1 : GY_NAME_NONE;
}

uint32_t gy_names_add(gy_names *t, const char *s, size_t n)
{
    if (t->n * 2 >= t->nslots)
        grow_slots(t);
    uint32_t hash = (uint32_t)gy_hash(s, n);
    size_t i = find_slot(t, s, n, hash);
    if (t->slots[i])
        return t->slots[i] - 1;
    t->list = gy_reserve(t->list, &t->cap, t->n + 1, sizeof *t->list);
    t->list[t->n] = (struct gy_name){gy_arena_text(&t->arena, s, n), (uint32_t)n, hash};
    t->slots[i] = (uint32_t)++t->n;
    return (uint32_t)t->n - 1;
}

const char *gy_names_text(const gy_names *t, uint32_t id)
{
    GY_ASSERT(id < t->n);
    return t->list[id].text;
}

size_t gy_names_len(const gy_names *t, uint32_t id)
{
    GY_ASSERT(id < t->n);
    return t->list[id].len;
}

void gy_names_fini(gy_names *t)
{
    gy_arena_fini(&t->arena);
    free(t->list);
    free(t->slots);
    *t = (gy_names){0};
}

unsigned gy_distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= MAX || m >= MAX)
        return 255;
    unsigned row[MAX + 1];
    for (size_t j = 0; j <= m; j++)
        row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned swap = diagonal + (a[i - 1] != b[j - 1]);
            unsigned drop = row[j] + 1, add = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = swap < drop ? swap : drop;
            row[j] = row[j] < add ? row[j] : add;
        }
    }
    return row[m];
}

const char *gy_nearest(const char *word, const char *(*list)(const void *ctx, size_t i), const void *ctx)
{
    const char *best = NULL;
    unsigned least = (unsigned)strlen(word) / 3 + 2;
    const char *c;
    for (size_t i = 0; (c = list(ctx, i)) != NULL; i++) {
        unsigned d = gy_distance(word, c);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    return best;
}

struct text_list {
    const char *const *texts;
    size_t n;
};

static const char *text_at(const void *ctx, size_t i)
{
    const struct text_list *l = ctx;
    return i < l->n ? l->texts[i] : NULL;
}

const char *gy_nearest_of(const char *word, const char *const *texts, size_t n)
{
    return gy_nearest(word, text_at, &(struct text_list){texts, n});
}
