/* gy_setting.c - the settings of modules: text to value, within bounds.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <string.h>

#include "gy_policy.h"

static gy_rc bad(const gy_setting *s, const char *text, gy_err *e, const char *why)
{
    return gy_fail(e, GY_EINVAL, "setting %s: \"%s\" %s (%s; default %s%s%s)", s->name, text, why, s->help,
                   s->value, *s->unit ? " " : "", s->unit);
}

static gy_rc read_number(const gy_setting *s, const char *text, const char *p, size_t n, int64_t *out,
                         gy_err *e)
{
    gy_number_rc rc;
    switch (s->kind) {
    case GY_SETTING_INT:
    case GY_SETTING_INTS: rc = gy_parse_int(p, n, out); break;
    case GY_SETTING_TIME: rc = gy_parse_duration(p, n, out); break;
    default: rc = gy_parse_fixed(p, n, 6, out); break;
    }
    int digits = s->kind == GY_SETTING_INT || s->kind == GY_SETTING_INTS ? 0 : 6;
    if (rc == GY_NUMBER_NONE || rc == GY_NUMBER_FINE)
        return bad(s, text, e,
                   s->kind == GY_SETTING_TIME ? gy_number_why(rc) : gy_number_why_fixed(rc, digits));
    if (rc == GY_NUMBER_RANGE || *out < s->least || *out > s->most) {
        char low[32], high[32], why[96];
        gy_put_fixed(low, s->least, digits);
        gy_put_fixed(high, s->most, digits);
        strcpy(why, "must lie between ");
        strcat(why, low);
        strcat(why, " and ");
        strcat(why, high);
        return bad(s, text, e, why);
    }
    return GY_OK;
}

static gy_rc read_list(const gy_setting *s, const char *text, gy_arena *memory, gy_value *v, gy_err *e)
{
    uint32_t n = 1;
    for (const char *p = text; *p; p++)
        n += *p == '|';
    int64_t *list = gy_arena_alloc(memory, n * sizeof *list);
    v->n = 0;
    v->list = list;
    for (const char *p = text; *p;) {
        size_t k = strcspn(p, "|");
        gy_rc rc = read_number(s, text, p, k, &list[v->n++], e);
        if (rc != GY_OK)
            return rc;
        p += k + (p[k] == '|');
    }
    return GY_OK;
}

gy_rc gy_setting_read(const gy_setting *s, const char *text, gy_arena *memory, gy_value *v, gy_err *e)
{
    *v = (gy_value){.text = gy_arena_text(memory, text, strlen(text))};
    switch (s->kind) {
    case GY_SETTING_TEXT: return GY_OK;
    case GY_SETTING_BOOL:
        v->number = strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0;
        if (v->number || strcmp(text, "0") == 0 || strcmp(text, "false") == 0 || strcmp(text, "no") == 0)
            return GY_OK;
        return bad(s, text, e, "is neither 0 nor 1");
    case GY_SETTING_INTS:
    case GY_SETTING_DECIMALS: return read_list(s, text, memory, v, e);
    default: return read_number(s, text, text, strlen(text), &v->number, e);
    }
}
