/* gy_module_file.c - finding, opening and checking the shared objects of policy modules.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE /* readlink of /proc/self/exe, dlfcn */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gy_policy.h"

const char *const gy_stage_names[GY_STAGE_END] = {NULL,    "order",    "admit",  "place",
                                                  "evict", "backfill", "resize", "schedule"};

/* ---- the search path ---- */

static void add_beside_program(gy_names *dirs)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0)
        return;
    exe[n] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(exe, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
    gy_str dir = {0};
    gy_str_printf(&dir, "%s/lib/gpuyard/policies", exe);
    gy_names_add(dirs, dir.s, dir.n);
    gy_str_fini(&dir);
}

static void search_path(gy_names *dirs)
{
    const char *env = getenv("GPUYARD_POLICY_PATH");
    while (env && *env) {
        size_t n = strcspn(env, ":");
        if (n)
            gy_names_add(dirs, env, n);
        env += n + (env[n] == ':');
    }
    add_beside_program(dirs);
    gy_names_add(dirs, GY_POLICY_DIR, strlen(GY_POLICY_DIR));
#ifdef GY_POLICY_BUILD_DIR
    gy_names_add(dirs, GY_POLICY_BUILD_DIR, strlen(GY_POLICY_BUILD_DIR));
#endif
}

/* ---- listing ---- */

struct found {
    uint32_t stage;
    char *name, *path;
};

static int compare_found(const void *pa, const void *pb)
{
    const struct found *a = pa, *b = pb;
    return a->stage != b->stage ? (a->stage > b->stage) - (a->stage < b->stage) : strcmp(a->name, b->name);
}

/* "order-fifo.so" -> stage and name. */
static bool split_file_name(const char *file, uint32_t *stage, const char **name, size_t *n)
{
    size_t len = strlen(file);
    if (len < 4 || strcmp(file + len - 3, ".so") != 0)
        return false;
    for (*stage = 1; *stage < GY_STAGE_END; ++*stage) {
        size_t k = strlen(gy_stage_names[*stage]);
        if (strncmp(file, gy_stage_names[*stage], k) == 0 && file[k] == '-') {
            *name = file + k + 1;
            *n = len - 3 - (k + 1);
            return *n > 0;
        }
    }
    return false;
}

static void list_folder(const char *dir, struct found **list, size_t *n, size_t *cap)
{
    DIR *d = opendir(dir);
    struct dirent *entry;
    while (d && (entry = readdir(d)) != NULL) {
        struct found f;
        const char *name;
        size_t len, i = 0;
        if (!split_file_name(entry->d_name, &f.stage, &name, &len))
            continue;
        while (i < *n && ((*list)[i].stage != f.stage || strlen((*list)[i].name) != len ||
                          memcmp((*list)[i].name, name, len) != 0))
            i++;
        if (i < *n)
            continue;
        gy_str path = {0};
        gy_str_printf(&path, "%s/%s", dir, entry->d_name);
        f.name = gy_strndup(name, len);
        f.path = path.s;
        *list = gy_reserve(*list, cap, *n + 1, sizeof **list);
        (*list)[(*n)++] = f;
    }
    if (d)
        closedir(d);
}

void gy_modules_list(void (*see)(void *ctx, uint32_t stage, const char *name, const char *path), void *ctx)
{
    gy_names dirs = {0};
    struct found *list = NULL;
    size_t n = 0, cap = 0;
    search_path(&dirs);
    for (uint32_t i = 0; i < dirs.n; i++)
        list_folder(gy_names_text(&dirs, i), &list, &n, &cap);
    if (n)
        qsort(list, n, sizeof *list, compare_found);
    for (size_t i = 0; i < n; i++) {
        see(ctx, list[i].stage, list[i].name, list[i].path);
        free(list[i].name);
        free(list[i].path);
    }
    free(list);
    gy_names_fini(&dirs);
}

/* ---- checks of a table ---- */

static bool plain_name(const char *s)
{
    size_t n = s ? strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;
    return n > 0 && n < 64 && s[n] == '\0';
}

static gy_rc no_module(const char *path, gy_err *e, const char *why)
{
    return gy_fail(e, GY_EABI, "%s: %s; see `gpuyard policy new` for a module that works", path, why);
}

/* A table may end after the members that its stage cannot do without. */
#define TOO_SHORT(o, last) ((o)->size < offsetof(__typeof__(*(o)), last) + sizeof(o)->last)

static const char *wrong_order(const gy_order_ops *o)
{
    if (TOO_SHORT(o, key))
        return "its order table is too short";
    if (o->lanes > 3)
        return "its key has more than three lanes";
    if (o->lanes > 0 && !o->key)
        return "it has no key function";
    if (o->change > GY_KEY_TIME || o->slope_kind > GY_SLOPE_WORK)
        return "it declares a change of keys that this version does not know";
    if (o->change == GY_KEY_LINEAR && (o->lanes < 1 || o->lanes > 2))
        return "a linear key must have one or two lanes";
    return NULL;
}

static const char *wrong_evict(const gy_evict_ops *o)
{
    if (TOO_SHORT(o, select))
        return "its evict table is too short";
    if (!o->select)
        return "it has no select function";
    if (!o->key)
        return NULL;
    const gy_order_ops as_order = {sizeof as_order, o->lanes, o->change, o->slope_kind, o->key, NULL};
    return o->lanes ? wrong_order(&as_order) : "its key has no lanes";
}

static const char *wrong_ops(const gy_module *m)
{
#define LACKS(type, last) (TOO_SHORT((const type *)m->ops, last) || !((const type *)m->ops)->last)
    switch (m->stage) {
    case GY_STAGE_ORDER: return wrong_order(m->ops);
    case GY_STAGE_ADMIT: return LACKS(gy_admit_ops, admit) ? "it has no admit function" : NULL;
    case GY_STAGE_PLACE: return LACKS(gy_place_ops, place) ? "it has no place function" : NULL;
    case GY_STAGE_EVICT: return wrong_evict(m->ops);
    case GY_STAGE_BACKFILL: return LACKS(gy_backfill_ops, blocked) ? "it has no blocked function" : NULL;
    case GY_STAGE_RESIZE: return LACKS(gy_resize_ops, resize) ? "it has no resize function" : NULL;
    default: return LACKS(gy_schedule_ops, schedule) ? "it has no schedule function" : NULL;
    }
#undef LACKS
}

static gy_rc check_settings(const char *path, const gy_module *m, gy_err *e)
{
    gy_arena memory = {0};
    gy_rc rc = GY_OK;
    if (m->nsettings && !m->settings)
        return no_module(path, e, "it announces settings and has none");
    for (uint32_t i = 0; i < m->nsettings && rc == GY_OK; i++) {
        const gy_setting *s = &m->settings[i];
        gy_value v;
        gy_err why;
        if (!s->name || !s->value || !s->unit || !s->help || s->kind > GY_SETTING_DECIMALS)
            rc = no_module(path, e,
                           "one of its settings has no name, default, unit or help, or an unknown kind");
        else if (gy_setting_read(s, s->value, &memory, &v, &why) != GY_OK)
            rc = gy_fail(e, GY_EABI, "%s: the default of its setting %s does not fit it: %s", path, s->name,
                         why.text);
    }
    gy_arena_fini(&memory);
    return rc;
}

static gy_rc check_table(const char *path, const gy_module *m, gy_err *e)
{
    if (!m)
        return no_module(path, e, "gy_policy_entry() returned nothing");
    if (m->abi != GY_POLICY_ABI)
        return gy_fail(
            e, GY_EABI,
            "%s: was built for version %u of the policy interface, this is version %u; build it anew", path,
            m->abi, GY_POLICY_ABI);
    if (m->size < sizeof *m)
        return no_module(path, e, "its module table is too short");
    if (!plain_name(m->name))
        return no_module(path, e, "its name is missing, or is not made of a-z, 0-9 and -");
    if (m->stage == 0 || m->stage >= GY_STAGE_END)
        return no_module(path, e, "it belongs to a stage that this version does not know");
    if (m->knowledge > GY_K5_ORACLE)
        return no_module(path, e, "it declares a knowledge class that does not exist");
    if (!m->open || !m->close || !m->ops)
        return no_module(path, e, "it lacks open, close or the functions of its stage");
    if (!m->summary || !m->source || !m->complexity || !m->deviations)
        return no_module(path, e, "it does not describe itself (summary, source, complexity, deviations)");
    const char *why = wrong_ops(m);
    return why ? no_module(path, e, why) : check_settings(path, m, e);
}

/* ---- opening ---- */

static gy_rc open_file(gy_module_file *m, const char *path, gy_err *e)
{
    const gy_module *(*entry)(void) = NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        size_t n = strlen(path);
        if (strncmp(why, path, n) == 0 && why[n] == ':') /* do not name the file twice */
            why += n + 1 + (why[n + 1] == ' ');
        return gy_fail(e, GY_EABI, "%s: cannot be loaded as a policy module: %s", path, why);
    }
    void *symbol = dlsym(handle, "gy_policy_entry");
    memcpy(&entry, &symbol, sizeof entry);
    gy_rc rc = symbol ? check_table(path, entry(), e)
                      : no_module(path, e, "is a library, but no policy module: it has no gy_policy_entry()");
    if (rc != GY_OK) {
        dlclose(handle);
        return rc;
    }
    *m = (gy_module_file){handle, gy_strndup(path, strlen(path)), entry()};
    return GY_OK;
}

struct names_of_stage {
    uint32_t stage;
    gy_names names;
    gy_str path; /* of the one looked for */
    const char *wanted;
};

static void collect(void *ctx, uint32_t stage, const char *name, const char *path)
{
    struct names_of_stage *c = ctx;
    if (c->stage && stage != c->stage)
        return;
    gy_names_add(&c->names, name, strlen(name));
    if (strcmp(name, c->wanted) == 0 && c->path.n == 0)
        gy_str_puts(&c->path, path);
}

static const char *name_at(const void *ctx, size_t i)
{
    const gy_names *names = ctx;
    return i < names->n ? gy_names_text(names, (uint32_t)i) : NULL;
}

static gy_rc open_by_name(gy_module_file *m, uint32_t stage, const char *name, gy_err *e)
{
    struct names_of_stage c = {.stage = stage, .wanted = name};
    gy_modules_list(collect, &c);
    gy_rc rc = GY_OK;
    if (c.path.n) {
        rc = open_file(m, c.path.s, e);
    } else {
        const char *near = gy_nearest(name, name_at, &c.names);
        gy_str all = {0};
        for (uint32_t i = 0; i < c.names.n; i++)
            gy_str_printf(&all, "%s%s", i ? ", " : "", gy_names_text(&c.names, i));
        rc =
            gy_fail(e, GY_EINVAL, "there is no %s%smodule \"%s\"%s%s%s; there are: %s",
                    stage ? gy_stage_names[stage] : "", stage ? " " : "", name, near ? "; did you mean " : "",
                    near ? near : "", near ? "?" : "", all.n ? all.s : "none");
        gy_str_fini(&all);
    }
    gy_names_fini(&c.names);
    gy_str_fini(&c.path);
    return rc;
}

gy_rc gy_module_open(gy_module_file *m, uint32_t stage, const char *name, gy_err *e)
{
    size_t n = strlen(name);
    bool file = strchr(name, '/') || (n > 3 && strcmp(name + n - 3, ".so") == 0);
    *m = (gy_module_file){0};
    if (!file)
        return open_by_name(m, stage, name, e);
    gy_str path = {0};
    gy_str_printf(&path, "%s%s", strchr(name, '/') ? "" : "./", name);
    gy_rc rc = GY_OK;
    if (access(path.s, R_OK) != 0)
        rc = gy_fail(e, GY_EIO, "%s: cannot be opened: %s", name, strerror(errno));
    else
        rc = open_file(m, path.s, e);
    gy_str_fini(&path);
    if (rc == GY_OK && stage && m->table->stage != stage) {
        rc = gy_fail(e, GY_EINVAL, "%s: is a module of the %s stage, not of %s", name,
                     gy_stage_names[m->table->stage], gy_stage_names[stage]);
        gy_module_close(m);
    }
    return rc;
}

void gy_module_close(gy_module_file *m)
{
    if (m->handle)
        dlclose(m->handle);
    free(m->path);
    *m = (gy_module_file){0};
}

void gy_stage_ops_copy(union gy_stage_ops *to, const gy_module *m)
{
    uint32_t has = *(const uint32_t *)m->ops;
    *to = (union gy_stage_ops){0};
    memcpy(to, m->ops, has < sizeof *to ? has : sizeof *to);
}
