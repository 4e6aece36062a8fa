/* cli_check_settings.c - the settings of a module: defaults, bounds, what lies beyond them.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cli_check_internal.h"

static int digits_of(uint32_t kind)
{
    return kind == GY_SETTING_INT || kind == GY_SETTING_INTS ? 0 : 6;
}

static bool has_bounds(uint32_t kind)
{
    return kind != GY_SETTING_BOOL && kind != GY_SETTING_TEXT;
}

/* The host refuses it by the bounds that the table gives. */
static void expect_refused(check *c, const gy_setting *s, const char *text, gy_arena *memory)
{
    gy_value v;
    if (gy_setting_read(s, text, memory, &v, NULL) == GY_OK)
        check_fail(c, CHECK_SETTINGS, "%s=%s is accepted, which is %s", s->name, text,
                   has_bounds(s->kind) ? "no value within its bounds" : "no value for it");
}

static void check_bounds(check *c, const gy_setting *s, gy_arena *memory)
{
    char text[32];
    if (s->least > s->most)
        check_fail(c, CHECK_SETTINGS, "the bounds of %s exclude every value", s->name);
    if (s->least > INT64_MIN) {
        gy_put_fixed(text, s->least - 1, digits_of(s->kind));
        expect_refused(c, s, text, memory);
    }
    if (s->most < INT64_MAX) {
        gy_put_fixed(text, s->most + 1, digits_of(s->kind));
        expect_refused(c, s, text, memory);
    }
}

/* The module at work with one setting.  What is not the default it may refuse when it opens, in words. */
static void try_value(check *c, const gy_setting *s, const char *text, const check_world *w)
{
    gy_str spec = {0};
    gy_policy *p = NULL;
    gy_session *session = NULL;
    gy_err e;
    check_doing(c, "%s=%s", s->name, text);
    gy_str_printf(&spec, "%s=%s%s,%s=%s", gy_stage_names[c->stage], strchr(c->path, '/') ? "" : "./", c->path,
                  s->name, text);
    gy_rc rc = gy_policy_open(&p, spec.s, &e);
    if (rc == GY_OK) {
        rc = gy_session_create(&session, p, w->jobs, w->cluster, &w->events, &w->options, &e);
        bool in_words = rc == GY_OK || e.text[strlen(e.text) - 1] != ' ';
        if (rc != GY_OK && in_words && strcmp(text, s->value) != 0)
            rc = GY_OK;
        else if (rc == GY_OK)
            rc = gy_session_run(session, &e);
    }
    if (rc != GY_OK)
        check_fail(c, CHECK_SETTINGS, "%s: %s", c->doing, e.text);
    gy_session_free(session);
    gy_policy_close(p);
    gy_str_fini(&spec);
}

static void check_one(check *c, const gy_setting *s, const check_world *w, gy_arena *memory)
{
    char text[32];
    try_value(c, s, s->value, w);
    if (s->kind != GY_SETTING_TEXT)
        expect_refused(c, s, "nonsense", memory);
    if (!has_bounds(s->kind))
        return;
    check_bounds(c, s, memory);
    gy_put_fixed(text, s->least, digits_of(s->kind));
    try_value(c, s, text, w);
    gy_put_fixed(text, s->most, digits_of(s->kind));
    try_value(c, s, text, w);
}

void check_settings(check *c, const void *ctx)
{
    gy_module_file m;
    gy_arena memory = {0};
    check_world w;
    gy_err e;
    (void)ctx;
    check_doing(c, "opening its settings");
    if (gy_module_open(&m, c->stage, c->path, &e) != GY_OK) {
        check_fail(c, CHECK_SETTINGS, "%s", e.text);
        return;
    }
    if (check_world_open(&w, CHECK_BRIEF, &e) == GY_OK) {
        for (uint32_t i = 0; i < m.table->nsettings; i++)
            check_one(c, &m.table->settings[i], &w, &memory);
        check_world_close(&w);
    } else {
        check_fail(c, CHECK_SETTINGS, "%s", e.text);
    }
    gy_str names = {0};
    for (uint32_t i = 0; i < m.table->nsettings; i++)
        gy_str_printf(&names, "%s%s", i ? ", " : "", m.table->settings[i].name);
    if (m.table->nsettings)
        check_ok(c, CHECK_SETTINGS, "runs with the default and the bounds of %s; what lies beyond is refused",
                 names.s);
    else
        check_ok(c, CHECK_SETTINGS, "has no settings");
    gy_str_fini(&names);
    gy_arena_fini(&memory);
    gy_module_close(&m);
}
