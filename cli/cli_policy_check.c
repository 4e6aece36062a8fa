/* cli_policy_check.c - gpuyard policy check: tests that any policy module must pass.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_check_internal.h"

static const char *const check_names[CHECKS] = {
    [CHECK_EXPORTS] = "exports",    [CHECK_SYMBOLS] = "symbols",     [CHECK_DATA] = "data",
    [CHECK_TABLE] = "table",        [CHECK_SETTINGS] = "settings",   [CHECK_RUNS] = "runs",
    [CHECK_RULES] = "rules",        [CHECK_KNOWLEDGE] = "knowledge", [CHECK_JOBS] = "jobs",
    [CHECK_GPUS] = "gpus",          [CHECK_SAME] = "same",           [CHECK_GROWTH] = "growth",
    [CHECK_TIMERS] = "timers",      [CHECK_KEYS] = "keys",           [CHECK_PLACES] = "places",
    [CHECK_ADMISSION] = "admission"};

/* ---- the table ---- */

static void check_table(check *c, const void *ctx)
{
    gy_module_file m;
    gy_err e;
    char file[96];
    (void)ctx;
    check_doing(c, "opening it");
    if (gy_module_open(&m, 0, c->path, &e) != GY_OK) {
        check_fail(c, CHECK_TABLE, "%s", e.text);
        return;
    }
    const gy_module *t = m.table;
    const char *base = strrchr(c->path, '/') ? strrchr(c->path, '/') + 1 : c->path;
    check_ok(c, CHECK_TABLE, "is well-formed: %s, a module of the %s stage, interface %u, class K%u", t->name,
             gy_stage_names[t->stage], t->abi, t->knowledge);
    snprintf(file, sizeof file, "%s-%s.so", gy_stage_names[t->stage], t->name);
    if (strcmp(base, file) != 0)
        check_warn(c, CHECK_TABLE, "is well-formed, but only a file %s is found by the module's name", file);
    check_tell(c, 'N', 0, t->name);
    check_tell(c, 'S', t->stage, "");
    check_tell(c, 'K', t->knowledge, "");
    check_tell(c, 'F', t->flags, "");
    check_tell(c, 'n', t->nsettings, "");
    gy_module_close(&m);
}

/* ---- what was found to be right ---- */

static bool makes_claims_about_keys(const check *c)
{
    return c->stage == GY_STAGE_ORDER || c->stage == GY_STAGE_EVICT;
}

static void conclude(check *c)
{
    if (c->dead || c->runs == 0)
        return;
    check_ok(c, CHECK_RUNS, "%u runs of %zu scenarios came to an end, verified after every instant", c->runs,
             check_worlds());
    check_ok(c, CHECK_RULES, "every decision kept the rules");
    if (c->knowledge == GY_K0_REQUEST || c->reads_its_class)
        check_ok(c, CHECK_KNOWLEDGE, "reads nothing above class K%u, which it declares", c->knowledge);
    else
        check_warn(c, CHECK_KNOWLEDGE,
                   "it declares class K%u and read no fact of that class: declare what it needs",
                   c->knowledge);
    check_ok(c, CHECK_JOBS, "every job that can run has run, for its time, after what it waits for");
    check_ok(c, CHECK_GPUS, "gangs are whole, no GPU was held twice, and the GPU time adds up");
    check_ok(c, CHECK_SAME, "decides the same when run again, and beside another instance");
    check_ok(c, CHECK_GROWTH, "decides the same with a host whose table has grown");
    check_ok(c, CHECK_TIMERS, "its timers keep no run alive and ask for few passes");
    if (makes_claims_about_keys(c))
        check_ok(c, CHECK_KEYS, "keys change as declared, and only so");
    if (c->stage == GY_STAGE_PLACE)
        check_ok(c, CHECK_PLACES, "%s",
                 c->flags & GY_PLACE_COMPLETE ? "finds room whenever the nodes together have it, as declared"
                                              : "does not promise to find room whenever there is some");
    if (c->stage == GY_STAGE_ADMIT)
        check_ok(c, CHECK_ADMISSION, "%s",
                 c->flags & GY_ADMIT_BY_QUEUE ? "a refusal holds for its queue, as declared"
                                              : "a refusal is about one job");
}

static bool concerns(const check *c, check_id id)
{
    if (c->stage == 0)
        return id < CHECK_KEYS;
    return id < CHECK_KEYS || (id == CHECK_KEYS && makes_claims_about_keys(c)) ||
           (id == CHECK_PLACES && c->stage == GY_STAGE_PLACE) ||
           (id == CHECK_ADMISSION && c->stage == GY_STAGE_ADMIT);
}

static int print(const check *c)
{
    static const char *const verdicts[] = {"not run", "ok", "warning", "FAIL"};
    unsigned n[4] = {0};
    for (int id = 0; id < CHECKS; id++) {
        const check_result *r = &c->result[id];
        if (!concerns(c, (check_id)id))
            continue;
        n[r->verdict]++;
        printf("%-8s %-10s %s", verdicts[r->verdict], check_names[id],
               r->verdict == CHECK_NOT_RUN ? "an earlier check failed" : r->text.s);
        puts(r->more ? " (and more of the kind)" : "");
    }
    printf("%s: %u ok, %u warnings, %u failed%s\n", c->path, n[CHECK_OK], n[CHECK_WARNING], n[CHECK_FAILED],
           n[CHECK_NOT_RUN] ? ", others not run" : "");
    return n[CHECK_FAILED] ? CLI_BAD : CLI_OK;
}

static int check_file(const char *path)
{
    check *c = gy_alloc(1, sizeof *c);
    *c = (check){.path = path, .report = -1};
    check_elf(c);
    if (c->result[CHECK_EXPORTS].verdict != CHECK_NOT_RUN || access(path, R_OK) == 0)
        check_in_child(c, CHECK_TABLE, check_table, NULL);
    if (c->stage && !c->dead)
        check_in_child(c, CHECK_SETTINGS, check_settings, NULL);
    for (size_t w = 0; c->stage && w < check_worlds(); w++) {
        check_case k = {.world = w};
        size_t most = check_world_large(w) ? 1 : SIZE_MAX;
        for (size_t i = 0; i < most && !c->dead && (k.company = check_company(c, i)) != NULL; i++)
            check_in_child(c, CHECK_RUNS, check_run_case, &k);
    }
    conclude(c);
    int code = print(c);
    for (int id = 0; id < CHECKS; id++)
        gy_str_fini(&c->result[id].text);
    free(c);
    return code;
}

/* ---- files by name ---- */

struct wanted {
    const char *name;
    gy_names paths, all;
};

/* "las" or "order-las"; one name may belong to modules of several stages. */
static void collect(void *ctx, uint32_t stage, const char *name, const char *path)
{
    struct wanted *x = ctx;
    gy_str full = {0};
    gy_str_printf(&full, "%s-%s", gy_stage_names[stage], name);
    gy_names_add(&x->all, full.s, full.n);
    if (strcmp(x->name, name) == 0 || strcmp(x->name, full.s) == 0)
        gy_names_add(&x->paths, path, strlen(path));
    gy_str_fini(&full);
}

static const char *name_at(const void *ctx, size_t i)
{
    const gy_names *names = ctx;
    return i < names->n ? gy_names_text(names, (uint32_t)i) : NULL;
}

static int check_by_name(const char *name)
{
    struct wanted x = {.name = name};
    int code = CLI_OK;
    gy_modules_list(collect, &x);
    for (uint32_t i = 0; i < x.paths.n; i++) {
        if (i)
            putchar('\n');
        int one = check_file(gy_names_text(&x.paths, i));
        code = one > code ? one : code;
    }
    if (x.paths.n == 0) {
        const char *near = gy_nearest(name, name_at, &x.all);
        fprintf(
            stderr,
            "gpuyard: there is no module \"%s\"%s%s%s; `gpuyard policy list` names them all, a file has a "
            "slash or ends in .so\n",
            name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        code = CLI_BAD;
    }
    gy_names_fini(&x.paths);
    gy_names_fini(&x.all);
    return code;
}

int cli_policy_check(const char *file)
{
    size_t n = strlen(file);
    if (!strchr(file, '/') && !(n > 3 && strcmp(file + n - 3, ".so") == 0))
        return check_by_name(file);
    if (access(file, R_OK) != 0) {
        fprintf(stderr, "gpuyard: %s: cannot be opened: %s\n", file, strerror(errno));
        return CLI_BAD;
    }
    if (strchr(file, ',')) {
        fprintf(stderr, "gpuyard: %s: a path with a comma cannot stand in a policy; move the file\n", file);
        return CLI_BAD;
    }
    return check_file(file);
}
