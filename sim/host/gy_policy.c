/* gy_policy.c - from the text of a policy to its loaded modules and settings; see gy_policy.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_embedded.h"

extern const struct gy_embedded gy_presets[];

/* ---- presets ---- */

const char *gy_preset_name(size_t i)
{
    return gy_presets[i].stem;
}

const char *gy_preset_text(const char *name, size_t *n)
{
    for (size_t i = 0; gy_presets[i].name; i++)
        if (strcmp(gy_presets[i].stem, name) == 0) {
            *n = gy_presets[i].n;
            return gy_presets[i].text;
        }
    return NULL;
}

static const char *preset_at(const void *ctx, size_t i)
{
    (void)ctx;
    return gy_preset_name(i);
}

/* ---- settings that are still to be given to modules ---- */

struct pending {
    char *key, *value;
    bool preset; /* from a preset: the user's own come later and win */
    bool stage;  /* names a stage's module, which is noted already */
    bool used;
};

struct parse {
    gy_policy *p;
    struct pending *list;
    size_t n, cap;
    char *module[GY_STAGE_END];
    gy_err *e;
};

static uint32_t stage_by_name(const char *s, size_t n)
{
    for (uint32_t k = 1; k < GY_STAGE_END; k++)
        if (strlen(gy_stage_names[k]) == n && memcmp(gy_stage_names[k], s, n) == 0)
            return k;
    return 0;
}

static void set_module(struct parse *x, uint32_t stage, const char *name, size_t n)
{
    free(x->module[stage]);
    x->module[stage] = gy_strndup(name, n);
    x->p->stage[stage].given = true;
    if (stage == GY_STAGE_ADMIT)
        x->p->admit_where_quota = false;
}

/* The user's own win over the preset's, but neither may say a thing twice. */
static gy_rc check_once(const struct parse *x, const struct pending *s, const char *where)
{
    for (const struct pending *p = x->list; p < s; p++)
        if (p->preset == s->preset && strcmp(p->key, s->key) == 0)
            return gy_fail(x->e, s->preset ? GY_EPARSE : GY_EINVAL,
                           "%s: %s is given twice, as \"%s\" and as \"%s\"; leave one out", where, s->key,
                           p->value, s->value);
    return GY_OK;
}

static gy_rc add_pending(struct parse *x, const char *key, size_t nkey, const char *value, size_t nvalue,
                         const char *preset)
{
    char where[300];
    uint32_t stage = stage_by_name(key, nkey);
    if (stage)
        set_module(x, stage, value, nvalue);
    x->list = gy_reserve(x->list, &x->cap, x->n + 1, sizeof *x->list);
    x->list[x->n++] = (struct pending){.key = gy_strndup(key, nkey),
                                       .value = gy_strndup(value, nvalue),
                                       .preset = preset != NULL,
                                       .stage = stage > 0};
    if (preset)
        snprintf(where, sizeof where, "%.250s", preset);
    else
        snprintf(where, sizeof where, "policy \"%.250s\"", x->p->spec);
    return check_once(x, &x->list[x->n - 1], where);
}

/* A preset is a JSON object: "summary" and a text for each stage and setting. */
static gy_rc read_preset(struct parse *x, const gy_json *j)
{
    const cJSON *m;
    if (!cJSON_IsObject(j->root))
        return gy_fail(x->e, GY_EPARSE,
                       "%s: a preset must be an object in braces, as in {\"order\": \"fifo\"}", j->name);
    cJSON_ArrayForEach(m, j->root)
    {
        if (strcmp(m->string, "summary") == 0)
            continue;
        if (!cJSON_IsString(m))
            return gy_fail(x->e, GY_EPARSE, "%s: \"%s\" must be a text in quotes", j->name, m->string);
        gy_rc rc =
            add_pending(x, m->string, strlen(m->string), m->valuestring, strlen(m->valuestring), j->name);
        if (rc != GY_OK)
            return rc;
    }
    return GY_OK;
}

static gy_rc load_preset(struct parse *x, const char *name)
{
    gy_json j;
    size_t n, k = strlen(name);
    const char *text = gy_preset_text(name, &n);
    gy_rc rc;
    if (text) {
        rc = gy_json_parse(&j, name, text, n, x->e);
    } else if (k > 5 && strcmp(name + k - 5, ".json") == 0) {
        rc = gy_json_load(&j, name, x->e);
    } else {
        const char *near = gy_nearest(name, preset_at, NULL);
        return gy_fail(x->e, GY_EINVAL,
                       "there is no policy \"%s\"%s%s%s; `gpuyard policy list` names them all", name,
                       near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    if (rc != GY_OK)
        return rc;
    rc = read_preset(x, &j);
    gy_json_free(&j);
    return rc;
}

static gy_rc read_pairs(struct parse *x, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, ",");
        const char *eq = memchr(s, '=', n);
        if (!eq || eq == s)
            return gy_fail(x->e, GY_EINVAL,
                           "policy \"%s\": \"%.*s\" is not of the form key=value, as in order=fifo",
                           x->p->spec, (int)n, s);
        gy_rc rc = add_pending(x, s, (size_t)(eq - s), eq + 1, n - (size_t)(eq + 1 - s), NULL);
        if (rc != GY_OK)
            return rc;
        s += n + (s[n] == ',');
    }
    return GY_OK;
}

static gy_rc read_spec(struct parse *x)
{
    const char *s = x->p->spec;
    size_t n = strcspn(s, ":");
    bool composed = memchr(s, '=', n) != NULL;
    if (n == 0)
        return gy_fail(x->e, GY_EINVAL, "the policy's name is empty; `gpuyard policy list` names them all");
    if (composed) {
        x->p->preset = gy_strndup("", 0);
        return read_pairs(x, s);
    }
    x->p->preset = gy_strndup(s, n);
    gy_rc rc = load_preset(x, x->p->preset);
    return rc == GY_OK && s[n] ? read_pairs(x, s + n + 1) : rc;
}

/* ---- modules ---- */

static gy_rc open_stage(struct parse *x, uint32_t stage)
{
    static const char *const defaults[GY_STAGE_END] = {
        [GY_STAGE_ORDER] = "fifo", [GY_STAGE_PLACE] = "pack", [GY_STAGE_BACKFILL] = "strict"};
    gy_policy_stage *st = &x->p->stage[stage];
    const char *name = x->module[stage] ? x->module[stage] : defaults[stage];
    if (!name || strcmp(name, "none") == 0) {
        if (name && defaults[stage])
            return gy_fail(x->e, GY_EINVAL,
                           "policy \"%s\": the %s stage cannot be empty; name a module, as in %s=%s",
                           x->p->spec, gy_stage_names[stage], gy_stage_names[stage], defaults[stage]);
        return GY_OK;
    }
    gy_rc rc = gy_module_open(&st->file, stage, name, x->e);
    if (rc != GY_OK)
        return rc;
    const gy_module *m = st->file.table;
    st->values = gy_alloc(m->nsettings, sizeof *st->values);
    st->texts = gy_alloc(m->nsettings, sizeof *st->texts);
    st->values_given = gy_alloc(m->nsettings, sizeof *st->values_given);
    st->estimator = m->flags & GY_WANTS_PERFECT ? GY_ESTIMATE_PERFECT : GY_ESTIMATE_LIMIT;
    for (uint32_t i = 0; i < m->nsettings && rc == GY_OK; i++) {
        st->texts[i] = gy_arena_text(&x->p->memory, m->settings[i].value, strlen(m->settings[i].value));
        rc = gy_setting_read(&m->settings[i], st->texts[i], &x->p->memory, &st->values[i], x->e);
    }
    return rc;
}

/* ---- estimates ---- */

static const char *const estimator_names[] = {"limit", "history", "noisy", "perfect"};

static gy_rc read_estimator(struct parse *x, gy_policy_stage *st, const char *value)
{
    size_t n = strcspn(value, ":");
    unsigned k = 0;
    while (k < 4 && (strlen(estimator_names[k]) != n || memcmp(estimator_names[k], value, n) != 0))
        k++;
    bool noisy = k == GY_ESTIMATE_NOISY;
    if (k == 4 || (value[n] == ':') != noisy)
        return gy_fail(x->e, GY_EINVAL,
                       "policy \"%s\": estimate=%s; it must be limit, history, noisy:SIGMA or perfect",
                       x->p->spec, value);
    st->estimator = (enum gy_estimator)k;
    st->estimator_given = true;
    if (!noisy)
        return GY_OK;
    const char *sigma = value + n + 1;
    gy_number_rc rc = gy_parse_fixed(sigma, strlen(sigma), 6, &st->sigma_micro);
    if (rc != GY_NUMBER_OK || st->sigma_micro < 0 || st->sigma_micro > 10000000)
        return gy_fail(
            x->e, GY_EINVAL,
            "policy \"%s\": the sigma of estimate=%s must be a number between 0 and 10, the standard "
            "deviation of the logarithm of the error",
            x->p->spec, value);
    return GY_OK;
}

void gy_estimator_text(const gy_policy_stage *s, char *buf)
{
    char *p = stpcpy(buf, estimator_names[s->estimator]);
    if (s->estimator == GY_ESTIMATE_NOISY) {
        *p++ = ':';
        gy_put_fixed(p, s->sigma_micro, 6);
    }
}

/* ---- settings ---- */

static gy_rc give_setting(struct parse *x, gy_policy_stage *st, const char *key, struct pending *s)
{
    const gy_module *m = st->file.table;
    if (strcmp(key, "estimate") == 0 && m->flags & GY_USES_ESTIMATES) {
        s->used = true;
        return read_estimator(x, st, s->value);
    }
    for (uint32_t i = 0; i < m->nsettings; i++) {
        if (strcmp(m->settings[i].name, key) != 0)
            continue;
        s->used = true;
        st->texts[i] = gy_arena_text(&x->p->memory, s->value, strlen(s->value));
        st->values_given[i] = !s->preset;
        return gy_setting_read(&m->settings[i], s->value, &x->p->memory, &st->values[i], x->e);
    }
    return GY_OK;
}

struct known_settings {
    const gy_policy *p;
};

/* Every key that this policy would take: its settings, `estimate`, and the stages. */
static const char *known_at(const void *ctx, size_t i)
{
    const gy_policy *p = ((const struct known_settings *)ctx)->p;
    for (uint32_t k = 1; k < GY_STAGE_END; k++) {
        const gy_module *m = p->stage[k].file.table;
        size_t n = m ? m->nsettings : 0;
        if (i < n)
            return m->settings[i].name;
        i -= n;
    }
    if (i < GY_STAGE_END - 1)
        return gy_stage_names[i + 1];
    return i == GY_STAGE_END - 1 && p->uses_estimates ? "estimate" : NULL;
}

static gy_rc unknown_setting(struct parse *x, const char *key)
{
    struct known_settings known = {x->p};
    const char *near = gy_nearest(key, known_at, &known);
    gy_str all = {0};
    const char *name;
    for (size_t i = 0; (name = known_at(&known, i)) != NULL; i++)
        gy_str_printf(&all, "%s%s", i ? ", " : "", name);
    gy_rc rc =
        gy_fail(x->e, GY_EINVAL, "policy \"%s\": no stage of it has a setting \"%s\"%s%s%s; it takes: %s",
                x->p->spec, key, near ? "; did you mean " : "", near ? near : "", near ? "?" : "", all.s);
    gy_str_fini(&all);
    return rc;
}

static gy_rc give_settings(struct parse *x)
{
    for (size_t i = 0; i < x->n; i++) {
        struct pending *s = &x->list[i];
        const char *dot = strchr(s->key, '.'), *key = dot ? dot + 1 : s->key;
        if (s->stage)
            continue;
        uint32_t only = dot ? stage_by_name(s->key, (size_t)(dot - s->key)) : 0;
        if (dot && !only)
            return unknown_setting(x, s->key);
        for (uint32_t k = 1; k < GY_STAGE_END; k++) {
            if (!x->p->stage[k].file.table || (only && k != only))
                continue;
            gy_rc rc = give_setting(x, &x->p->stage[k], key, s);
            if (rc != GY_OK)
                return rc;
        }
        if (!s->used)
            return unknown_setting(x, s->key);
    }
    return GY_OK;
}

static void sum_up(gy_policy *p)
{
    static const uint32_t class_of[] = {GY_K1_LIMIT, GY_K3_HISTORY, GY_K5_ORACLE, GY_K5_ORACLE};
    p->knowledge = 0;
    for (uint32_t k = 1; k < GY_STAGE_END; k++) {
        const gy_policy_stage *st = &p->stage[k];
        if (!st->file.table)
            continue;
        bool uses = st->file.table->flags & GY_USES_ESTIMATES;
        uint32_t class = uses ? class_of[st->estimator] : 0;
        class = st->file.table->knowledge > class ? st->file.table->knowledge : class;
        p->knowledge = class > p->knowledge ? class : p->knowledge;
        p->uses_estimates = p->uses_estimates || uses;
    }
}

/* ---- opening and closing ---- */

gy_rc gy_policy_open(gy_policy **out, const char *spec, gy_err *e)
{
    gy_policy *p = gy_alloc(1, sizeof *p);
    struct parse x = {.p = p, .e = e};
    p->spec = gy_strndup(spec, strlen(spec));
    p->admit_where_quota = true;
    gy_rc rc = read_spec(&x);
    for (uint32_t k = 1; k < GY_STAGE_END && rc == GY_OK; k++)
        rc = open_stage(&x, k);
    if (rc == GY_OK && p->admit_where_quota)
        rc = gy_module_open(&p->stage[GY_STAGE_ADMIT].file, GY_STAGE_ADMIT, "quota", e);
    if (rc == GY_OK) {
        sum_up(p);
        rc = give_settings(&x);
    }
    sum_up(p);
    for (size_t i = 0; i < x.n; i++) {
        free(x.list[i].key);
        free(x.list[i].value);
    }
    free(x.list);
    for (uint32_t k = 0; k < GY_STAGE_END; k++)
        free(x.module[k]);
    if (rc != GY_OK) {
        gy_policy_close(p);
        return rc;
    }
    *out = p;
    return GY_OK;
}

void gy_policy_close(gy_policy *p)
{
    if (!p)
        return;
    for (uint32_t k = 1; k < GY_STAGE_END; k++) {
        gy_module_close(&p->stage[k].file);
        free(p->stage[k].values);
        free(p->stage[k].texts);
        free(p->stage[k].values_given);
    }
    gy_arena_fini(&p->memory);
    free(p->preset);
    free(p->spec);
    free(p);
}

void gy_policy_each_setting(const gy_policy *p,
                            void (*see)(void *ctx, const char *stage, const char *module, const char *setting,
                                        const char *value, const char *unit, bool given),
                            void *ctx)
{
    char estimate[40];
    for (uint32_t k = 1; k < GY_STAGE_END; k++) {
        const gy_policy_stage *st = &p->stage[k];
        const gy_module *m = st->file.table;
        const char *name = m ? m->name : "none";
        if (k == GY_STAGE_ADMIT && p->admit_where_quota)
            name = "quota where the cluster declares one, else none";
        see(ctx, gy_stage_names[k], name, "", name, "", st->given);
        for (uint32_t i = 0; m && i < m->nsettings; i++)
            see(ctx, gy_stage_names[k], name, m->settings[i].name, st->texts[i], m->settings[i].unit,
                st->values_given[i]);
        if (m && m->flags & GY_USES_ESTIMATES) {
            gy_estimator_text(st, estimate);
            see(ctx, gy_stage_names[k], name, "estimate", estimate, "", st->estimator_given);
        }
    }
}
