/* gy_oset.c - see gy_oset.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_oset.h"

#include <string.h>

enum { WIDTH = 32 };

/* Behind the header: key[WIDTH][lanes], and in inner nodes that of the first member of each child. */
struct gy_oset_node {
    struct gy_oset_node *next_free;
    uint16_t n;
    bool leaf;
    uint32_t id[WIDTH];
    int64_t least[WIDTH]; /* of the child; in a leaf the member's aux */
    int64_t *key;
    int64_t *sum;                /* in a leaf: the same as least */
    struct gy_oset_node **child; /* NULL in a leaf */
};

static struct gy_oset_node *new_node(gy_oset_pool *p, bool leaf)
{
    struct gy_oset_node **list = leaf ? &p->free_leaf : &p->free_inner;
    struct gy_oset_node *x = *list;
    if (x) {
        *list = x->next_free;
        x->n = 0;
        return x;
    }
    size_t keys = WIDTH * p->lanes * sizeof(int64_t);
    size_t inner = leaf ? 0 : WIDTH * (sizeof(int64_t) + sizeof(struct gy_oset_node *));
    x = gy_arena_alloc(&p->arena, sizeof *x + keys + inner);
    x->n = 0;
    x->leaf = leaf;
    x->key = (int64_t *)(x + 1);
    x->sum = leaf ? x->least : x->key + (size_t)WIDTH * p->lanes;
    x->child = leaf ? NULL : (struct gy_oset_node **)(x->sum + WIDTH);
    return x;
}

static void free_node(gy_oset_pool *p, struct gy_oset_node *x)
{
    struct gy_oset_node **list = x->leaf ? &p->free_leaf : &p->free_inner;
    x->next_free = *list;
    *list = x;
}

void gy_oset_pool_fini(gy_oset_pool *p)
{
    gy_arena_fini(&p->arena);
    p->free_leaf = p->free_inner = NULL;
}

static void free_tree(gy_oset_pool *p, struct gy_oset_node *x)
{
    for (unsigned i = 0; !x->leaf && i < x->n; i++)
        free_tree(p, x->child[i]);
    free_node(p, x);
}

void gy_oset_clear(gy_oset *s, gy_oset_pool *p)
{
    if (s->root)
        free_tree(p, s->root);
    *s = (gy_oset){0};
}

/* Is entry i of x before (key, id)? */
static inline bool entry_before(const struct gy_oset_node *x, unsigned i, unsigned lanes, const int64_t *key,
                                uint32_t id)
{
    const int64_t *k = x->key + (size_t)i * lanes;
    for (unsigned l = 0; l < lanes; l++)
        if (k[l] != key[l])
            return k[l] < key[l];
    return x->id[i] < id;
}

/* How many entries of x are before (key, id). */
static unsigned rank_in(const struct gy_oset_node *x, unsigned lanes, const int64_t *key, uint32_t id)
{
    unsigned low = 0, high = x->n;
    while (low < high) {
        unsigned mid = (low + high) / 2;
        if (entry_before(x, mid, lanes, key, id))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The child in which (key, id) lies or would lie: the last one that begins at or before it. */
static unsigned child_of(const struct gy_oset_node *x, unsigned lanes, const int64_t *key, uint32_t id)
{
    unsigned r = rank_in(x, lanes, key, id);
    bool exact = r < x->n && !entry_before(x, r, lanes, key, id) && x->id[r] == id &&
                 memcmp(x->key + (size_t)r * lanes, key, lanes * sizeof *key) == 0;
    return exact || r == 0 ? r : r - 1;
}

static void move_entries(struct gy_oset_node *to, unsigned at, const struct gy_oset_node *from,
                         unsigned first, unsigned n, unsigned lanes)
{
    memmove(to->key + (size_t)at * lanes, from->key + (size_t)first * lanes,
            (size_t)n * lanes * sizeof *to->key);
    memmove(to->id + at, from->id + first, n * sizeof *to->id);
    memmove(to->least + at, from->least + first, n * sizeof *to->least);
    if (to->leaf)
        return;
    memmove(to->sum + at, from->sum + first, n * sizeof *to->sum);
    memmove(to->child + at, from->child + first, n * sizeof *to->child);
}

/* Sets entry i of inner node x to describe its child. */
static void describe(struct gy_oset_node *x, unsigned i, unsigned lanes)
{
    const struct gy_oset_node *c = x->child[i];
    int64_t least = INT64_MAX, sum = 0;
    for (unsigned k = 0; k < c->n; k++) {
        least = c->least[k] < least ? c->least[k] : least;
        sum = (int64_t)((uint64_t)sum + (uint64_t)c->sum[k]);
    }
    memcpy(x->key + (size_t)i * lanes, c->key, lanes * sizeof *x->key);
    x->id[i] = c->id[0];
    x->least[i] = least;
    x->sum[i] = sum;
}

/* Makes a hole at entry `at` of x.  When x is full, half of it (or, at its end, nothing) moves to a new right
 * neighbour, which is returned; *node and *at then say where the hole is. */
static struct gy_oset_node *make_hole(gy_oset_pool *p, struct gy_oset_node **node, unsigned *at)
{
    struct gy_oset_node *x = *node, *right = NULL;
    if (x->n == WIDTH) {
        unsigned keep = *at == WIDTH ? WIDTH : WIDTH / 2;
        right = new_node(p, x->leaf);
        move_entries(right, 0, x, keep, WIDTH - keep, p->lanes);
        right->n = (uint16_t)(WIDTH - keep);
        x->n = (uint16_t)keep;
        if (*at > keep || (*at == keep && keep == WIDTH)) {
            *node = right;
            *at -= keep;
        }
    }
    x = *node;
    move_entries(x, *at + 1, x, *at, x->n - *at, p->lanes);
    x->n++;
    return right;
}

static struct gy_oset_node *add_below(gy_oset_pool *p, struct gy_oset_node *x, const int64_t *key,
                                      uint32_t id, int64_t aux)
{
    struct gy_oset_node *right;
    unsigned lanes = p->lanes;
    if (x->leaf) {
        unsigned at = rank_in(x, lanes, key, id);
        right = make_hole(p, &x, &at);
        memcpy(x->key + (size_t)at * lanes, key, lanes * sizeof *key);
        x->id[at] = id;
        x->least[at] = aux;
        return right;
    }
    unsigned i = child_of(x, lanes, key, id);
    struct gy_oset_node *split = add_below(p, x->child[i], key, id, aux);
    describe(x, i, lanes);
    if (!split)
        return NULL;
    unsigned at = i + 1;
    right = make_hole(p, &x, &at);
    GY_ASSERT(x->child);
    x->child[at] = split;
    describe(x, at, lanes);
    return right;
}

void gy_oset_add(gy_oset *s, gy_oset_pool *p, const int64_t *key, uint32_t id, int64_t aux)
{
    if (!s->root)
        s->root = new_node(p, true);
    struct gy_oset_node *right = add_below(p, s->root, key, id, aux);
    if (right) {
        struct gy_oset_node *root = new_node(p, false);
        root->n = 2;
        root->child[0] = s->root;
        root->child[1] = right;
        describe(root, 0, p->lanes);
        describe(root, 1, p->lanes);
        s->root = root;
    }
    s->n++;
}

/* True when x has become empty. */
static bool remove_below(gy_oset_pool *p, struct gy_oset_node *x, const int64_t *key, uint32_t id)
{
    unsigned lanes = p->lanes, i;
    if (x->leaf) {
        i = rank_in(x, lanes, key, id);
        GY_ASSERT(i < x->n && x->id[i] == id &&
                  memcmp(x->key + (size_t)i * lanes, key, lanes * sizeof *key) == 0);
    } else {
        i = child_of(x, lanes, key, id);
        if (!remove_below(p, x->child[i], key, id)) {
            describe(x, i, lanes);
            return false;
        }
        free_node(p, x->child[i]);
    }
    x->n--;
    move_entries(x, i, x, i + 1, x->n - i, lanes);
    return x->n == 0;
}

void gy_oset_remove(gy_oset *s, gy_oset_pool *p, const int64_t *key, uint32_t id)
{
    GY_ASSERT(s->root);
    s->n--;
    if (remove_below(p, s->root, key, id)) {
        free_node(p, s->root);
        s->root = NULL;
        return;
    }
    while (!s->root->leaf && s->root->n == 1) {
        struct gy_oset_node *only = s->root->child[0];
        free_node(p, s->root);
        s->root = only;
    }
}

static bool give(const struct gy_oset_node *x, unsigned i, unsigned lanes, gy_oset_item *out)
{
    memcpy(out->key, x->key + (size_t)i * lanes, lanes * sizeof *out->key);
    out->id = x->id[i];
    out->aux = x->least[i];
    return true;
}

bool gy_oset_first(const gy_oset *s, const gy_oset_pool *p, gy_oset_item *out)
{
    const struct gy_oset_node *x = s->root;
    while (x && !x->leaf)
        x = x->child[0];
    return x && give(x, 0, p->lanes, out);
}

bool gy_oset_last(const gy_oset *s, const gy_oset_pool *p, gy_oset_item *out)
{
    const struct gy_oset_node *x = s->root;
    while (x && !x->leaf)
        x = x->child[x->n - 1];
    return x && give(x, x->n - 1u, p->lanes, out);
}

static bool after_below(const struct gy_oset_node *x, unsigned lanes, const int64_t *key, uint32_t id,
                        gy_oset_item *out)
{
    if (x->leaf) {
        unsigned i = rank_in(x, lanes, key, id);
        if (i < x->n && x->id[i] == id && memcmp(x->key + (size_t)i * lanes, key, lanes * sizeof *key) == 0)
            i++;
        return i < x->n && give(x, i, lanes, out);
    }
    for (unsigned i = child_of(x, lanes, key, id); i < x->n; i++)
        if (after_below(x->child[i], lanes, key, id, out))
            return true;
    return false;
}

bool gy_oset_after(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id,
                   gy_oset_item *out)
{
    return s->root && after_below(s->root, p->lanes, key, id, out);
}

static bool before_below(const struct gy_oset_node *x, unsigned lanes, const int64_t *key, uint32_t id,
                         gy_oset_item *out)
{
    if (x->leaf) {
        unsigned i = rank_in(x, lanes, key, id);
        return i > 0 && give(x, i - 1, lanes, out);
    }
    for (unsigned i = child_of(x, lanes, key, id) + 1; i-- > 0;)
        if (before_below(x->child[i], lanes, key, id, out))
            return true;
    return false;
}

bool gy_oset_before(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id,
                    gy_oset_item *out)
{
    return s->root && before_below(s->root, p->lanes, key, id, out);
}

static bool least_below(const struct gy_oset_node *x, unsigned lanes, const int64_t *key, uint32_t id,
                        int64_t most, gy_oset_item *out)
{
    unsigned i = 0;
    if (key)
        i = x->leaf ? rank_in(x, lanes, key, id) : child_of(x, lanes, key, id);
    if (x->leaf && key && i < x->n && x->id[i] == id &&
        memcmp(x->key + (size_t)i * lanes, key, lanes * sizeof *key) == 0)
        i++;
    for (bool edge = key != NULL; i < x->n; i++, edge = false) {
        if (x->least[i] > most)
            continue;
        if (x->leaf)
            return give(x, i, lanes, out);
        if (least_below(x->child[i], lanes, edge ? key : NULL, id, most, out))
            return true;
    }
    return false;
}

bool gy_oset_least(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id, int64_t most,
                   gy_oset_item *out)
{
    return s->root && least_below(s->root, p->lanes, key, id, most, out);
}

bool gy_oset_reach(const gy_oset *s, const gy_oset_pool *p, int64_t sum, gy_oset_item *out)
{
    const struct gy_oset_node *x = s->root;
    while (x) {
        unsigned i = 0;
        while (i < x->n && x->sum[i] < sum)
            sum -= x->sum[i++];
        if (i == x->n)
            return false;
        if (x->leaf)
            return give(x, i, p->lanes, out);
        x = x->child[i];
    }
    return false;
}

int64_t gy_oset_sum(const gy_oset *s)
{
    int64_t sum = 0;
    for (unsigned i = 0; s->root && i < s->root->n; i++)
        sum = (int64_t)((uint64_t)sum + (uint64_t)s->root->sum[i]);
    return sum;
}

int64_t gy_oset_sum_after(const gy_oset *s, const gy_oset_pool *p, const int64_t *key, uint32_t id)
{
    int64_t sum = 0;
    for (const struct gy_oset_node *x = s->root; x;) {
        unsigned i;
        if (x->leaf) {
            i = rank_in(x, p->lanes, key, id);
            if (i < x->n && x->id[i] == id &&
                memcmp(x->key + (size_t)i * p->lanes, key, p->lanes * sizeof *key) == 0)
                i++;
        } else {
            i = child_of(x, p->lanes, key, id) + 1;
        }
        for (unsigned k = i; k < x->n; k++)
            sum += x->sum[k];
        x = x->leaf ? NULL : x->child[i - 1];
    }
    return sum;
}
