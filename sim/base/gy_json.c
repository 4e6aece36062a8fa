/* gy_json.c - reading JSON; see gy_json.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gy_input.h"

/* Overwrites comments with blanks, so that places in the text stay what they are in the file. */
static void blank_comments(char *s)
{
    while (*s) {
        if (*s == '"') {
            for (s++; *s && *s != '"'; s++)
                if (*s == '\\' && s[1])
                    s++;
            s += *s == '"';
        } else if (s[0] == '/' && s[1] == '/') {
            while (*s && *s != '\n')
                *s++ = ' ';
        } else if (s[0] == '/' && s[1] == '*') {
            while (*s && !(s[0] == '*' && s[1] == '/')) {
                if (*s != '\n')
                    *s = ' ';
                s++;
            }
            if (*s)
                s[0] = s[1] = ' ';
        } else {
            s++;
        }
    }
}

static unsigned line_of(const char *text, const char *at)
{
    unsigned line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

/* ---- what is wrong with a text that is no JSON ---- */

/* cJSON's own place of an error is often one too far, or the end of the text.  This walk is only for the
 * message: it takes the text token by token and stops where something else was expected. */
enum { WALK_DEPTH = 64 };

enum want { WANT_VALUE, WANT_VALUE_OR_END, WANT_KEY, WANT_KEY_OR_END, WANT_COLON, WANT_COMMA, WANT_NOTHING };

struct walk {
    const char *s;
    const char *open[WALK_DEPTH]; /* the brackets that are not closed yet */
    unsigned depth;
    enum want want;
};

static const char *expected(const struct walk *w)
{
    bool brace = w->depth && *w->open[w->depth - 1] == '{';
    switch (w->want) {
    case WANT_VALUE:
        return w->depth && !brace && *w->s == ']'
                   ? "an element is expected behind the comma (or take the comma out)"
                   : "a value (a number, a text in double quotes, a list, an object) is expected";
    case WANT_VALUE_OR_END: return "a value or a closing ] is expected";
    case WANT_KEY:
        return *w->s == '}' ? "a key is expected behind the comma (or take the comma out)"
                            : "a key in double quotes is expected";
    case WANT_KEY_OR_END: return "a key in double quotes or a closing } is expected";
    case WANT_COLON: return "a colon is expected behind the key";
    case WANT_COMMA:
        return brace ? "a comma or a closing } is expected" : "a comma or a closing ] is expected";
    default: return "the end is expected";
    }
}

/* Steps over a text in quotes; one that is not closed on its line stays where it is. */
static bool walk_text(struct walk *w)
{
    const char *p = w->s + 1;
    for (; *p && *p != '"' && *p != '\n'; p++)
        p += *p == '\\' && p[1];
    if (*p != '"')
        return false;
    w->s = p + 1;
    return true;
}

static bool walk_word(struct walk *w)
{
    size_t n = strspn(w->s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-._");
    int64_t v;
    bool good = (n == 4 && memcmp(w->s, "true", n) == 0) || (n == 4 && memcmp(w->s, "null", n) == 0) ||
                (n == 5 && memcmp(w->s, "false", n) == 0) || gy_parse_fixed(w->s, n, 0, &v) != GY_NUMBER_NONE;
    w->s += good ? n : 0;
    return good;
}

static bool walk_value(struct walk *w)
{
    bool text = *w->s == '"', list = *w->s == '[';
    if (list || *w->s == '{') {
        if (w->depth == WALK_DEPTH)
            return false;
        w->open[w->depth++] = w->s++;
        w->want = list ? WANT_VALUE_OR_END : WANT_KEY_OR_END;
        return true;
    }
    if (!(text ? walk_text(w) : walk_word(w)))
        return false;
    w->want = w->depth ? WANT_COMMA : WANT_NOTHING;
    return true;
}

static bool walk_close(struct walk *w)
{
    if (w->depth == 0 || *w->s != (*w->open[w->depth - 1] == '{' ? '}' : ']'))
        return false;
    w->s++;
    w->want = --w->depth ? WANT_COMMA : WANT_NOTHING;
    return true;
}

static bool walk_key(struct walk *w)
{
    if (*w->s != '"' || !walk_text(w))
        return false;
    w->want = WANT_COLON;
    return true;
}

static bool walk_mark(struct walk *w, char mark, enum want next)
{
    if (*w->s != mark)
        return false;
    w->s++;
    w->want = next;
    return true;
}

/* One token; false when it is not what is expected. */
static bool walk_token(struct walk *w)
{
    bool brace = w->depth && *w->open[w->depth - 1] == '{';
    switch (w->want) {
    case WANT_VALUE: return walk_value(w);
    case WANT_VALUE_OR_END: return walk_close(w) || walk_value(w);
    case WANT_KEY: return walk_key(w);
    case WANT_KEY_OR_END: return walk_close(w) || walk_key(w);
    case WANT_COLON: return walk_mark(w, ':', WANT_VALUE);
    case WANT_COMMA: return walk_mark(w, ',', brace ? WANT_KEY : WANT_VALUE) || walk_close(w);
    default: return false;
    }
}

/* So many bytes of s are worth showing: no line end, no part of a character. */
static int shown(const char *s)
{
    int n = 0;
    while (n < 20 && (unsigned char)s[n] >= ' ')
        n++;
    while (n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* `end` is where cJSON stopped, for what only cJSON minds. */
static gy_rc no_json(const gy_json *j, const char *end, gy_err *e)
{
    struct walk w = {.s = j->text, .want = WANT_VALUE};
    w.s += strncmp(w.s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    do
        w.s += strspn(w.s, " \t\r\n");
    while (*w.s && walk_token(&w));
    unsigned line = line_of(j->text, w.s);
    const char *open = w.depth ? w.open[w.depth - 1] : NULL;
    if (*w.s == '\0' && open)
        return gy_fail(e, GY_EPARSE,
                       "%s:%u: is not valid JSON: it ends too early, the %c of line %u is not closed",
                       j->name, line, *open, line_of(j->text, open));
    if (*w.s == '\0' && w.want == WANT_VALUE)
        return gy_fail(e, GY_EPARSE, "%s: is not valid JSON: it is empty; an object in braces is expected",
                       j->name);
    if (*w.s == '\0' || w.depth == WALK_DEPTH)
        return gy_fail(e, GY_EPARSE,
                       "%s:%u: is not valid JSON; look for a wrong number or a wrong \\ near \"%.*s\"",
                       j->name, line_of(j->text, end), shown(end), end);
    if (*w.s == '"' && w.want <= WANT_KEY_OR_END)
        return gy_fail(e, GY_EPARSE, "%s:%u: is not valid JSON: the quote in front of %.*s is not closed",
                       j->name, line, shown(w.s + 1), w.s + 1);
    return gy_fail(e, GY_EPARSE, "%s:%u: is not valid JSON: %s where \"%.*s\" stands", j->name, line,
                   expected(&w), shown(w.s), w.s);
}

gy_rc gy_json_parse(gy_json *j, const char *name, const char *text, size_t n, gy_err *e)
{
    *j = (gy_json){gy_strndup(name, strlen(name)), gy_strndup(text, n), NULL};
    const char *end = NULL;
    gy_rc rc = GY_OK;
    if (strlen(j->text) != n)
        rc =
            gy_fail(e, GY_EPARSE, "%s: is no text (a NUL byte stands in it); save it as JSON in UTF-8", name);
    if (rc == GY_OK) {
        blank_comments(j->text);
        j->root = cJSON_ParseWithLengthOpts(j->text, n + 1, &end, 1);
        if (!j->root)
            rc = no_json(j, end ? end : j->text, e);
    }
    if (rc != GY_OK)
        gy_json_free(j);
    return rc;
}

gy_rc gy_json_load(gy_json *j, const char *path, gy_err *e)
{
    char *text;
    size_t n;
    gy_rc rc = gy_read_file(path, &text, &n, e);
    if (rc != GY_OK)
        return rc;
    rc = gy_json_parse(j, path, text, n, e);
    free(text);
    return rc;
}

void gy_json_free(gy_json *j)
{
    cJSON_Delete(j->root);
    free(j->text);
    free(j->name);
    *j = (gy_json){0};
}

const cJSON *gy_json_member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static gy_rc no_such_key(const gy_json *j, const char *key, const char *where, const char *const *keys,
                         size_t n, gy_err *e)
{
    gy_str all = {0};
    for (size_t i = 0; i < n; i++)
        gy_str_printf(&all, "%s%s", i ? ", " : "", keys[i]);
    gy_rc rc = gy_fail(e, GY_EPARSE, "%s: unknown key \"%.80s\" in %s; there are %s", j->name, key, where,
                       all.n ? all.s : "none");
    gy_str_fini(&all);
    return rc;
}

gy_rc gy_json_keys(const gy_json *j, const cJSON *object, const char *where, const char *const *keys,
                   size_t n, gy_err *e)
{
    if (!cJSON_IsObject(object))
        return gy_fail(e, GY_EPARSE, "%s: %s must be an object in braces", j->name, where);
    const cJSON *m;
    cJSON_ArrayForEach(m, object)
    {
        size_t i = 0;
        while (i < n && strcmp(keys[i], m->string) != 0)
            i++;
        if (i < n)
            continue;
        const char *near = gy_nearest_of(m->string, keys, n);
        return near ? gy_fail(e, GY_EPARSE, "%s: unknown key \"%s\" in %s; did you mean \"%s\"?", j->name,
                              m->string, where, near)
                    : no_such_key(j, m->string, where, keys, n, e);
    }
    return GY_OK;
}

static gy_rc wrong_value(const gy_json *j, const cJSON *m, const char *what, gy_err *e)
{
    char *text = cJSON_PrintUnformatted(m);
    gy_rc rc = gy_fail(e, GY_EPARSE, "%s: \"%s\" must be %s, not %.*s", j->name, m->string, what,
                       text ? shown(text) : 0, text ? text : "");
    cJSON_free(text);
    return rc;
}

gy_rc gy_json_text(const gy_json *j, const cJSON *object, const char *key, const char **out, gy_err *e)
{
    const cJSON *m = gy_json_member(object, key);
    if (!m)
        return GY_OK;
    if (!cJSON_IsString(m))
        return wrong_value(j, m, "a text in quotes", e);
    *out = m->valuestring;
    return GY_OK;
}

gy_rc gy_json_int(const gy_json *j, const cJSON *object, const char *key, int64_t least, int64_t most,
                  int64_t *out, gy_err *e)
{
    const cJSON *m = gy_json_member(object, key);
    if (!m)
        return GY_OK;
    double v = cJSON_IsNumber(m) ? m->valuedouble : NAN;
    if (!(fabs(v) <= 9007199254740992.0) || v != floor(v))
        return wrong_value(j, m, "a whole number", e);
    if (v < (double)least || v > (double)most)
        return gy_fail(e, GY_EPARSE, "%s: \"%s\" is %.0f; it must lie between %lld and %lld", j->name, key, v,
                       (long long)least, (long long)most);
    *out = (int64_t)v;
    return GY_OK;
}

gy_rc gy_json_double(const gy_json *j, const cJSON *object, const char *key, double *out, gy_err *e)
{
    const cJSON *m = gy_json_member(object, key);
    if (!m)
        return GY_OK;
    if (!cJSON_IsNumber(m) || !isfinite(m->valuedouble))
        return wrong_value(j, m, "a number", e);
    *out = m->valuedouble;
    return GY_OK;
}

gy_rc gy_json_fixed(const gy_json *j, const cJSON *object, const char *key, int digits, int64_t *out,
                    gy_err *e)
{
    const cJSON *m = gy_json_member(object, key);
    char text[40];
    if (!m)
        return GY_OK;
    if (!cJSON_IsNumber(m))
        return wrong_value(j, m, "a number", e);
    gy_put_double(text, m->valuedouble);
    gy_number_rc rc = gy_parse_fixed(text, strlen(text), digits, out);
    if (rc != GY_NUMBER_OK)
        return gy_fail(e, GY_EPARSE, "%s: \"%s\": %s %s", j->name, key, text,
                       gy_number_why_fixed(rc, digits));
    return GY_OK;
}
