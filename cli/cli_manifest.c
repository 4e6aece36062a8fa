/* cli_manifest.c - every effective setting of a run, and whether it was given or is a default.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli_internal.h"

enum { ITEMS_MAX = 40, GROUPS_MAX = 8 };

struct build {
    gy_arena *memory;
    gy_manifest_group *groups;
    size_t n;
};

static const char *copy(gy_arena *m, const char *s)
{
    return s ? gy_arena_text(m, s, strlen(s)) : NULL;
}

static gy_manifest_group *group(struct build *b, const char *name)
{
    gy_manifest_group *g = &b->groups[b->n++];
    *g = (gy_manifest_group){name, NULL, gy_arena_alloc(b->memory, ITEMS_MAX * sizeof *g->items), 0};
    return g;
}

static void add(gy_manifest_group *g, gy_manifest_item item)
{
    GY_ASSERT(g->n < ITEMS_MAX);
    ((gy_manifest_item *)g->items)[g->n++] = item;
}

/* The options that belong to a group of the manifest. */
static void add_options(struct build *b, gy_manifest_group *g, const cli_args *a)
{
    for (int i = 0; i < CLI_OPTIONS; i++) {
        const cli_option *o = &cli_options[i];
        if (!o->group || strcmp(o->group, g->name) != 0)
            continue;
        const char *value = a->value[i];
        if (o->kind == GY_VALUE_BOOL)
            value = value ? "true" : "false";
        if (o->kind == GY_VALUE_NUMBER && value && *o->unit) { /* 30d are 2592000 s */
            int64_t us;
            char text[32];
            if (gy_parse_duration(value, strlen(value), &us) == GY_NUMBER_OK) {
                gy_put_us(text, us);
                value = copy(b->memory, text);
            }
        }
        add(g, (gy_manifest_item){o->name, value, o->unit, o->kind,
                                  a->given[i] ? GY_ORIGIN_GIVEN : GY_ORIGIN_DEFAULT});
    }
}

static void add_fact(struct build *b, gy_manifest_group *g, const char *name, const char *value)
{
    add(g, (gy_manifest_item){name, copy(b->memory, value), NULL, GY_VALUE_TEXT, GY_ORIGIN_FACT});
}

static void add_count(struct build *b, gy_manifest_group *g, const char *name, uint64_t v)
{
    char text[32];
    gy_put_uint(text, v);
    add(g, (gy_manifest_item){name, copy(b->memory, text), NULL, GY_VALUE_NUMBER, GY_ORIGIN_FACT});
}

static void add_import(struct build *b, const gy_trace_report *r)
{
    gy_manifest_group *g = group(b, "import");
    char text[32];
    add_fact(b, g, "format", r->format);
    add_count(b, g, "rows_read", r->rows_read);
    for (int i = 0; i < GY_FATES; i++)
        add_count(b, g, gy_fate_names[i], r->rows[i]);
    add_fact(b, g, "tz", r->tz);
    gy_put_us(text, r->offset_us);
    add(g, (gy_manifest_item){"offset_s", copy(b->memory, text), "s", GY_VALUE_NUMBER, GY_ORIGIN_FACT});
}

static void add_cluster(struct build *b, const cli_args *a, const gy_cluster *c)
{
    gy_manifest_group *g = group(b, "cluster");
    gy_str text = {0};
    add_options(b, g, a);
    gy_cluster_describe(c, &text);
    add_fact(b, g, "description", text.s);
    add_count(b, g, "nodes", c->nnodes);
    add_count(b, g, "gpus", c->gpus);
    add_fact(b, g, "sha256", *c->sha256 ? c->sha256 : NULL);
    gy_str_fini(&text);
}

static void add_groups(struct build *b, const cli_args *a, const cli_inputs *in)
{
    gy_manifest_group *g = group(b, "trace");
    add_options(b, g, a);
    add_fact(b, g, "sha256", in->report->sha256);
    add_import(b, in->report);
    add_cluster(b, a, in->cluster);
    g = group(b, "events");
    add_options(b, g, a);
    add_fact(b, g, "events_sha256", *in->events_sha256 ? in->events_sha256 : NULL);
    add_fact(b, g, "quotas_sha256", *in->quotas_sha256 ? in->quotas_sha256 : NULL);
    add_count(b, g, "count", in->events.n);
    g = group(b, "options");
    add_options(b, g, a);
    g = group(b, "seeds");
    add_options(b, g, a);
}

/* ---- stages ---- */

static void see_setting(void *ctx, const char *stage, const char *module, const char *setting,
                        const char *value, const char *unit, bool given)
{
    struct build *b = ctx;
    if (*setting == '\0') { /* the stage itself */
        gy_manifest_group *g = group(b, copy(b->memory, stage));
        g->module = copy(b->memory, module);
        add(g, (gy_manifest_item){"module", g->module, NULL, GY_VALUE_TEXT,
                                  given ? GY_ORIGIN_GIVEN : GY_ORIGIN_DEFAULT});
        return;
    }
    add(&b->groups[b->n - 1],
        (gy_manifest_item){copy(b->memory, setting), copy(b->memory, value), copy(b->memory, unit),
                           GY_VALUE_TEXT, given ? GY_ORIGIN_GIVEN : GY_ORIGIN_DEFAULT});
}

static const char *knowledge_text(uint32_t class)
{
    static const char *const texts[] = {"K0 request", "K1 time limit",       "K2 attained service",
                                        "K3 history", "K4 throughput model", "K5 oracle: true run times"};
    return texts[class];
}

/* The command that repeats the run, also one of a comparison, without what does not change results: where
 * files go, what is printed. */
static void add_command(gy_manifest *to, gy_arena *m, const cli_args *a, const gy_policy *policy)
{
    gy_str s = {0};
    gy_str_puts(&s, "gpuyard run --policy");
    gy_manifest_word(&s, policy->spec);
    size_t arguments = s.n;
    for (int i = 0; i < CLI_OPTIONS; i++) {
        if (!cli_options[i].group || !a->given[i])
            continue;
        gy_str_printf(&s, " --%s", cli_options[i].name);
        if (cli_options[i].arg)
            gy_manifest_word(&s, a->value[i]);
    }
    to->command = copy(m, s.s);
    to->arguments = to->command + arguments;
    gy_str_fini(&s);
}

void cli_manifest_make(cli_manifest *x, const cli_args *a, const cli_inputs *in, const gy_policy *policy,
                       const gy_session *session)
{
    *x = (cli_manifest){0};
    struct build groups = {&x->memory, gy_arena_alloc(&x->memory, GROUPS_MAX * sizeof(gy_manifest_group)), 0};
    struct build stages = {&x->memory, gy_arena_alloc(&x->memory, GY_STAGE_END * sizeof(gy_manifest_group)),
                           0};
    add_groups(&groups, a, in);
    gy_policy_each_setting(policy, see_setting, &stages);
    for (size_t i = 0; i < stages.n; i++) /* what the default of the admit stage came to on this cluster */
        if (session && strcmp(stages.groups[i].name, "admit") == 0)
            stages.groups[i].module = copy(&x->memory, gy_session_admission(session));
    x->m = (gy_manifest){.version = GY_VERSION,
                         .abi = GY_POLICY_ABI,
                         .policy = policy->spec,
                         .knowledge = knowledge_text(policy->knowledge),
                         .oracle = gy_policy_is_oracle(policy),
                         .digest = session ? gy_session_outcome(session)->digest : 0,
                         .stages = stages.groups,
                         .nstages = stages.n,
                         .groups = groups.groups,
                         .ngroups = groups.n};
    add_command(&x->m, &x->memory, a, policy);
}

void cli_manifest_fini(cli_manifest *x)
{
    gy_arena_fini(&x->memory);
}
