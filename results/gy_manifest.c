/* gy_manifest.c - see gy_manifest.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_manifest.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_text_or_null(gy_json_out *w, const char *key, const char *s)
{
    if (s)
        gy_json_put_text(w, key, s);
    else
        gy_json_put_null(w, key);
}

enum { WHOLE_DIGITS = 27, FRACTION_DIGITS = 9 }; /* fit 128 bits together */

static size_t digits(const char *s)
{
    return strspn(s, "0123456789");
}

/* "-12.5": -125 and one digit after the point.  Seeds fill 64 bits, so neither int64_t nor double will do. */
static bool parse_decimal(const char *s, gy_i128 *v, int *fraction)
{
    bool minus = *s == '-';
    s += minus;
    size_t whole = digits(s), rest = s[whole] == '.' ? digits(s + whole + 1) : 0;
    size_t all = whole + (s[whole] == '.') + rest;
    if (whole == 0 || whole > WHOLE_DIGITS || rest > FRACTION_DIGITS || s[all] != '\0')
        return false;
    *v = 0;
    for (size_t i = 0; i < all; i++)
        if (s[i] != '.')
            *v = *v * 10 + (s[i] - '0');
    *v = minus ? -*v : *v;
    *fraction = (int)rest;
    return true;
}

static void put_value(gy_json_out *w, const gy_manifest_item *item, const char *key)
{
    gy_i128 number;
    int fraction;
    if (!item->value)
        gy_json_put_null(w, key);
    else if (item->kind == GY_VALUE_NUMBER && parse_decimal(item->value, &number, &fraction))
        gy_json_put_i128(w, key, number, fraction);
    else if (item->kind == GY_VALUE_BOOL)
        gy_json_put_bool(w, key, strcmp(item->value, "true") == 0);
    else
        gy_json_put_text(w, key, item->value);
}

/* Facts are plain members; a setting says where its value came from. */
static void put_item(gy_json_out *w, const gy_manifest_item *item)
{
    if (item->origin == GY_ORIGIN_FACT) {
        put_value(w, item, item->name);
        return;
    }
    gy_json_open_flat(w, item->name, '{');
    put_value(w, item, "value");
    gy_json_put_text(w, "unit", item->unit ? item->unit : "");
    gy_json_put_text(w, "from", item->origin == GY_ORIGIN_GIVEN ? "given" : "default");
    gy_json_close(w, '}');
}

static void put_items(gy_json_out *w, const char *key, const gy_manifest_group *g)
{
    gy_json_open(w, key, '{');
    for (size_t i = 0; i < g->n; i++)
        put_item(w, &g->items[i]);
    gy_json_close(w, '}');
}

static void put_policy(gy_json_out *w, const gy_manifest *m)
{
    gy_json_open(w, "policy", '{');
    put_text_or_null(w, "spec", m->policy);
    put_text_or_null(w, "knowledge", m->knowledge);
    gy_json_open_flat(w, "labels", '[');
    if (m->oracle)
        gy_json_put_text(w, NULL, "oracle");
    gy_json_close(w, ']');
    gy_json_open(w, "stages", '[');
    for (size_t i = 0; i < m->nstages; i++) {
        gy_json_open(w, NULL, '{');
        put_text_or_null(w, "stage", m->stages[i].name);
        put_text_or_null(w, "module", m->stages[i].module);
        put_items(w, "parameters", &m->stages[i]);
        gy_json_close(w, '}');
    }
    gy_json_close(w, ']');
    gy_json_close(w, '}');
}

void gy_manifest_put(gy_json_out *w, const char *key, const gy_manifest *m)
{
    char digest[24];
    snprintf(digest, sizeof digest, "%016" PRIx64, m->digest);
    gy_json_open(w, key, '{');
    put_text_or_null(w, "gpuyard", m->version);
    gy_json_put_int(w, "policy_abi", m->abi);
    put_text_or_null(w, "command", m->command);
    put_policy(w, m);
    for (size_t i = 0; i < m->ngroups; i++)
        put_items(w, m->groups[i].name, &m->groups[i]);
    put_text_or_null(w, "digest", m->digest ? digest : NULL);
    gy_json_close(w, '}');
}

void gy_manifest_write(const gy_manifest *m, gy_out *out)
{
    gy_json_out w = {.out = out};
    gy_manifest_put(&w, NULL, m);
}

void gy_manifest_word(gy_str *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
    gy_str_puts(out, " ");
    if (*word && word[strspn(word, plain)] == '\0') {
        gy_str_puts(out, word);
        return;
    }
    gy_str_puts(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            gy_str_puts(out, "'\\''");
        else
            gy_str_add(out, word, 1);
    gy_str_puts(out, "'");
}

static const char *copy_text(const char *s, gy_arena *arena)
{
    return s ? gy_arena_text(arena, s, strlen(s)) : NULL;
}

static const gy_manifest_group *copy_groups(const gy_manifest_group *from, size_t n, gy_arena *arena)
{
    gy_manifest_group *to = gy_arena_alloc(arena, (n + 1) * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        gy_manifest_item *items = gy_arena_alloc(arena, (from[i].n + 1) * sizeof *items);
        for (size_t k = 0; k < from[i].n; k++) {
            const gy_manifest_item *item = &from[i].items[k];
            items[k] = (gy_manifest_item){.name = copy_text(item->name, arena),
                                          .value = copy_text(item->value, arena),
                                          .unit = copy_text(item->unit, arena),
                                          .kind = item->kind,
                                          .origin = item->origin};
        }
        to[i] = (gy_manifest_group){.name = copy_text(from[i].name, arena),
                                    .module = copy_text(from[i].module, arena),
                                    .items = items,
                                    .n = from[i].n};
    }
    return to;
}

gy_manifest gy_manifest_copy(const gy_manifest *m, gy_arena *arena)
{
    gy_manifest c = *m;
    c.version = copy_text(m->version, arena);
    c.command = copy_text(m->command, arena);
    c.arguments = copy_text(m->arguments, arena);
    c.policy = copy_text(m->policy, arena);
    c.knowledge = copy_text(m->knowledge, arena);
    c.stages = copy_groups(m->stages, m->nstages, arena);
    c.groups = copy_groups(m->groups, m->ngroups, arena);
    return c;
}

void gy_perf_write(const gy_perf *p, gy_out *out)
{
    gy_json_out w = {.out = out};
    gy_json_open(&w, NULL, '{');
    gy_json_put_double(&w, "wall_s", p->wall_s);
    gy_json_open(&w, "phases_s", '{');
    for (size_t i = 0; i < p->nphases; i++)
        gy_json_put_double(&w, p->phases[i], p->phase_s[i]);
    gy_json_close(&w, '}');
    if (p->peak_rss_bytes)
        gy_json_put_int(&w, "peak_rss_bytes", (int64_t)p->peak_rss_bytes);
    else
        gy_json_put_null(&w, "peak_rss_bytes");
    gy_json_put_int(&w, "events", (int64_t)p->events);
    gy_json_put_double(&w, "events_per_s", p->simulate_s > 0 ? (double)p->events / p->simulate_s : NAN);
    gy_json_close(&w, '}');
}
