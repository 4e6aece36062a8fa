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

gy_rc gy_json_parse(gy_json *j, const char *name, const char *text, size_t n, gy_err *e)
{
    *j = (gy_json){gy_strndup(name, strlen(name)), gy_strndup(text, n), NULL};
    const char *end = NULL;
    gy_rc rc = GY_OK;
    if (strlen(j->text) != n)
        rc = gy_fail(e, GY_EPARSE, "%s: is no text (a NUL byte stands in it)", name);
    if (rc == GY_OK) {
        blank_comments(j->text);
        j->root = cJSON_ParseWithLengthOpts(j->text, n + 1, &end, 1);
        if (!j->root)
            rc = gy_fail(e, GY_EPARSE, "%s:%u: is not valid JSON here: \"%.20s\"", name,
                         line_of(j->text, end ? end : j->text), end ? end : "");
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
        return gy_fail(e, GY_EPARSE, "%s: unknown key \"%s\" in %s%s%s%s", j->name, m->string, where,
                       near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
    }
    return GY_OK;
}

static gy_rc wrong_type(const gy_json *j, const char *key, const char *what, gy_err *e)
{
    return gy_fail(e, GY_EPARSE, "%s: \"%s\" must be %s", j->name, key, what);
}

gy_rc gy_json_text(const gy_json *j, const cJSON *object, const char *key, const char **out, gy_err *e)
{
    const cJSON *m = gy_json_member(object, key);
    if (!m)
        return GY_OK;
    if (!cJSON_IsString(m))
        return wrong_type(j, key, "a text in quotes", e);
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
        return wrong_type(j, key, "a whole number", e);
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
        return wrong_type(j, key, "a number", e);
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
        return wrong_type(j, key, "a number", e);
    gy_put_double(text, m->valuedouble);
    gy_number_rc rc = gy_parse_fixed(text, strlen(text), digits, out);
    if (rc != GY_NUMBER_OK)
        return gy_fail(e, GY_EPARSE, "%s: \"%s\": %s %s", j->name, key, text, gy_number_why(rc));
    return GY_OK;
}
