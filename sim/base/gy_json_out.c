/* gy_json_out.c - writing JSON; see gy_json.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "gy_json.h"

static bool is_flat(const gy_json_out *w)
{
    return w->depth > 0 && (w->flat >> (w->depth - 1) & 1);
}

static void put_string(gy_out *o, const char *s, size_t n)
{
    gy_out_bytes(o, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (c == '"' || c == '\\') {
            gy_out_bytes(o, "\\", 1);
            gy_out_bytes(o, s + i, 1);
        } else if (c < 0x20) {
            gy_out_printf(o, "\\u%04x", c);
        } else {
            gy_out_bytes(o, s + i, 1);
        }
    }
    gy_out_bytes(o, "\"", 1);
}

static void new_line(gy_json_out *w)
{
    gy_out_text(w->out, "\n");
    for (unsigned i = 0; i < w->depth; i++)
        gy_out_text(w->out, "  ");
}

static void begin(gy_json_out *w, const char *key)
{
    if (w->depth > 0) {
        if (!w->first)
            gy_out_text(w->out, is_flat(w) ? ", " : ",");
        if (!is_flat(w))
            new_line(w);
    }
    w->first = false;
    if (key) {
        put_string(w->out, key, strlen(key));
        gy_out_text(w->out, ": ");
    }
}

static void open_level(gy_json_out *w, const char *key, char bracket, bool flat)
{
    flat = flat || is_flat(w);
    begin(w, key);
    gy_out_bytes(w->out, &bracket, 1);
    GY_ASSERT(w->depth < 63);
    w->flat = flat ? w->flat | (uint64_t)1 << w->depth : w->flat & ~((uint64_t)1 << w->depth);
    w->depth++;
    w->first = true;
}

void gy_json_open(gy_json_out *w, const char *key, char bracket)
{
    open_level(w, key, bracket, false);
}

void gy_json_open_flat(gy_json_out *w, const char *key, char bracket)
{
    open_level(w, key, bracket, true);
}

void gy_json_close(gy_json_out *w, char bracket)
{
    bool empty = w->first, flat = is_flat(w);
    GY_ASSERT(w->depth > 0);
    w->depth--;
    if (!empty && !flat)
        new_line(w);
    gy_out_bytes(w->out, &bracket, 1);
    w->first = false;
    if (w->depth == 0)
        gy_out_text(w->out, "\n");
}

void gy_json_put_text_n(gy_json_out *w, const char *key, const char *s, size_t n)
{
    begin(w, key);
    put_string(w->out, s, n);
}

void gy_json_put_text(gy_json_out *w, const char *key, const char *s)
{
    gy_json_put_text_n(w, key, s, strlen(s));
}

void gy_json_put_int(gy_json_out *w, const char *key, int64_t v)
{
    gy_json_put_i128(w, key, v, 0);
}

void gy_json_put_bool(gy_json_out *w, const char *key, bool v)
{
    begin(w, key);
    gy_out_text(w->out, v ? "true" : "false");
}

void gy_json_put_us(gy_json_out *w, const char *key, int64_t us)
{
    if (us == GY_NEVER)
        gy_json_put_null(w, key);
    else
        gy_json_put_i128(w, key, us, 6);
}

void gy_json_put_i128(gy_json_out *w, const char *key, gy_i128 v, int digits)
{
    char buf[64];
    begin(w, key);
    gy_put_i128(buf, v, digits);
    gy_out_text(w->out, buf);
}

void gy_json_put_double(gy_json_out *w, const char *key, double v)
{
    char buf[40];
    begin(w, key);
    gy_put_double(buf, v);
    gy_out_text(w->out, buf);
}

void gy_json_put_null(gy_json_out *w, const char *key)
{
    begin(w, key);
    gy_out_text(w->out, "null");
}
