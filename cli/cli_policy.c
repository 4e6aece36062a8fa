/* cli_policy.c - gpuyard policy list and show.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cli_internal.h"

static const char usage_text[] =
    "Usage: gpuyard policy list\n"
    "  or:  gpuyard policy show NAME|SPEC|FILE.so\n"
    "  or:  gpuyard policy new NAME [STAGE]\n"
    "  or:  gpuyard policy check FILE.so|NAME\n"
    "The policies and modules that are there; one in full; a new module to start from, in a folder NAME;\n"
    "and tests that any module must pass.  STAGE: order (default), admit, place, evict, backfill, resize, "
    "schedule.\n";

/* ---- list ---- */

static void print_module(void *ctx, uint32_t stage, const char *name, const char *path)
{
    uint32_t *last = ctx;
    gy_module_file m;
    gy_err e;
    if (stage != *last)
        printf("%s%s\n", *last ? "\n" : "", gy_stage_names[stage]);
    *last = stage;
    if (gy_module_open(&m, stage, path, &e) != GY_OK) {
        printf("  %-16s cannot be used: %s\n", name, e.text);
        return;
    }
    printf("  %-16s %s\n", name, m.table->summary);
    gy_module_close(&m);
}

static int list(void)
{
    uint32_t last = 0;
    puts("Policies");
    for (size_t i = 0; gy_preset_name(i); i++) {
        size_t n;
        gy_json j;
        gy_err e;
        const char *name = gy_preset_name(i), *summary = "", *text = gy_preset_text(name, &n);
        if (gy_json_parse(&j, name, text, n, &e) == GY_OK) {
            gy_json_text(&j, j.root, "summary", &summary, &e);
            printf("  %-16s %s\n", name, summary);
            gy_json_free(&j);
        }
    }
    puts("\nModules, by stage; compose them as order=NAME,place=NAME,...");
    gy_modules_list(print_module, &last);
    return CLI_OK;
}

/* ---- show ---- */

static const char *const classes[] = {"K0: the request",
                                      "K1: and the time limit",
                                      "K2: and what the job has had so far",
                                      "K3: and predictions from jobs that have ended",
                                      "K4: and throughput models",
                                      "K5: and true run times (an oracle)"};

static void show_module(const gy_module *m, const gy_policy_stage *st)
{
    printf("%s: %s\n  %s\n", gy_stage_names[m->stage], m->name, m->summary);
    printf("  source      %s\n", m->source);
    printf("  knowledge   %s\n", classes[m->knowledge]);
    printf("  cost        %s\n", m->complexity);
    if (*m->deviations)
        printf("  departs     %s\n", m->deviations);
    for (uint32_t i = 0; i < m->nsettings; i++) {
        const gy_setting *s = &m->settings[i];
        printf("  setting     %s=%s%s%s  %s\n", s->name, st ? st->texts[i] : s->value, *s->unit ? " " : "",
               s->unit, s->help);
    }
    if (m->flags & GY_USES_ESTIMATES) {
        char estimate[40] = "limit";
        if (st)
            gy_estimator_text(st, estimate);
        else if (m->flags & GY_WANTS_PERFECT)
            strcpy(estimate, "perfect");
        printf("  setting     estimate=%s  run times from: limit, history, noisy:SIGMA or perfect\n",
               estimate);
    }
}

static int show(const char *spec)
{
    size_t n = strlen(spec);
    gy_err e;
    if (n > 3 && strcmp(spec + n - 3, ".so") == 0 && !strchr(spec, '=')) {
        gy_module_file m;
        if (gy_module_open(&m, 0, spec, &e) != GY_OK)
            return cli_fail(&e);
        show_module(m.table, NULL);
        gy_module_close(&m);
        return CLI_OK;
    }
    gy_policy *p;
    if (gy_policy_open(&p, spec, &e) != GY_OK)
        return cli_fail(&e);
    printf("%s: reads %s\n", spec, classes[p->knowledge]);
    if (gy_policy_is_oracle(p))
        puts("It sees what nobody can know; tables mark it as an oracle.");
    for (uint32_t k = 1; k < GY_STAGE_END; k++) {
        if (!p->stage[k].file.table)
            continue;
        putchar('\n');
        show_module(p->stage[k].file.table, &p->stage[k]);
        if (k == GY_STAGE_ADMIT && p->admit_where_quota)
            puts("  used        where the cluster declares a quota");
    }
    gy_policy_close(p);
    return CLI_OK;
}

int cli_policy_main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage_text, stdout);
            return CLI_OK;
        }
    if (argc == 2 && strcmp(argv[1], "list") == 0)
        return list();
    if (argc == 3 && strcmp(argv[1], "show") == 0)
        return show(argv[2]);
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "new") == 0)
        return cli_policy_new(argv[2], argc == 4 ? argv[3] : "order");
    if (argc == 3 && strcmp(argv[1], "check") == 0)
        return cli_policy_check(argv[2]);
    if (argc < 2) {
        fputs(usage_text, stderr);
        return CLI_BAD;
    }
    static const struct {
        const char *name, *takes;
    } commands[] = {{"list", "nothing"},
                    {"show", "one NAME, SPEC or FILE.so"},
                    {"new", "a NAME and perhaps a STAGE"},
                    {"check", "one FILE.so or NAME"}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            cli_wrong_use("gpuyard policy", "`policy %s` takes %s", argv[1], commands[i].takes);
    cli_wrong_use("gpuyard policy", "there is no command \"policy %s\"; there are list, show, new and check",
                  argv[1]);
}
