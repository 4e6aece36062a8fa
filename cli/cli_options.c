/* cli_options.c - the options of run and compare: one table for help, parsing and manifest.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "cli_internal.h"

#define T GY_VALUE_TEXT
#define N GY_VALUE_NUMBER
#define B GY_VALUE_BOOL

const cli_option cli_options[CLI_OPTIONS] = {
    [CLI_TRACE] = {"trace", "FILE", NULL, NULL, "", "trace", T, "job trace; .gz is understood (required)"},
    [CLI_FORMAT] = {"format", "NAME", NULL, NULL, "", "trace", T,
                    "family of the trace: csv, philly, philly-csv, helios, itp; told by content without it"},
    [CLI_TZ] =
        {"tz", "ZONE", NULL, NULL, "", "trace", T,
         "time zone of stamps without an offset, as in UTC or Asia/Shanghai; each family has a default"},
    [CLI_STRICT] = {"strict", NULL, NULL, NULL, "", "trace", B,
                    "a row of the trace that is in doubt is an error"},
    [CLI_ATTEMPTS] = {"attempts", "HOW", "merge|split", "merge", "", "trace", T,
                      "merge: the attempts of a job are one job; split: a job each"},
    [CLI_CLUSTER] = {"cluster", "SPEC", NULL, NULL, "", "cluster", T,
                     "4x8, 4x8:h100+2x4:t4, a name (gpuyard cluster list) or a file (required)"},
    [CLI_EVENTS] = {"events", "FILE", NULL, NULL, "", "events", T,
                    "cluster events: time_s,event,target,value with up, down, drain, undrain, quota"},
    [CLI_QUOTAS] =
        {"quotas", "FILE", NULL, NULL, "", "events", T,
         "daily quotas of queues: date, a column for each queue, total (as Helios publishes them)"},
    [CLI_HORIZON] = {"horizon", "TIME", NULL, NULL, "s", "options", N,
                     "simulate up to this time of the trace, and stop"},
    [CLI_WINDOW_START] = {"window-start", "TIME", NULL, NULL, "s", "options", N,
                          "count jobs submitted from here on; what the log shows as running then is loaded"},
    [CLI_WINDOW_END] = {"window-end", "TIME", NULL, NULL, "s", "options", N, "and before this time"},
    [CLI_COLD] = {"cold", NULL, NULL, NULL, "", "options", B, "begin the window with an empty cluster"},
    [CLI_START_COST] = {"start-cost-s", "TIME", NULL, "0", "s", "options", N,
                        "time from a start to the first work"},
    [CLI_RESTORE_COST] = {"restore-cost-s", "TIME", NULL, "0", "s", "options", N,
                          "further time when earlier work is restored"},
    [CLI_CHECKPOINT_COST] = {"checkpoint-cost-s", "TIME", NULL, "0", "s", "options", N,
                             "pause for each periodic checkpoint"},
    [CLI_PREEMPT_MODE] = {"preempt-mode", "MODE", "checkpoint|kill", "checkpoint", "", "options", T,
                          "checkpoint: a stopped job keeps its work; kill: what its last checkpoint has"},
    [CLI_ON_FAILURE] = {"on-failure", "MODE", "requeue|fail|wait", "requeue", "", "options", T,
                        "what becomes of a job whose node or GPU fails"},
    [CLI_COMM] = {"comm", "MODE", "none", "none", "", "options", T,
                  "model of communication: none (the log's run times hold everywhere)"},
    [CLI_TAU] = {"bounded-slowdown-tau", "TIME", NULL, "10", "s", "options", N,
                 "shortest run time that the bounded slowdown divides by"},
    [CLI_SEED] = {"seed", "NUMBER", NULL, "1", "", "seeds", N, "of random policies and noisy estimates"},
    [CLI_TIE_ORDER] = {"tie-order", "NUMBER", NULL, "0", "", "seeds", N,
                       "permute jobs submitted at the same instant by this seed; 0: by id"},
    [CLI_OUTPUT] = {"output", "FOLDER", NULL, NULL, "", NULL, T, "where the files go (default out/NAME)"},
    [CLI_REPORT] = {"report", NULL, NULL, NULL, "", NULL, B, "also draw the figures and write report.html"},
    [CLI_DECISIONS] = {"decisions", NULL, NULL, NULL, "", NULL, B, "also write decisions.jsonl.gz"},
    [CLI_FAIL_ON_INFEASIBLE] = {"fail-on-infeasible", NULL, NULL, NULL, "", NULL, B,
                                "exit with 3 when a job can never start"},
    [CLI_JSON] = {"json", NULL, NULL, NULL, "", NULL, B, "print JSON instead of a table"},
    [CLI_QUIET] = {"quiet", NULL, NULL, NULL, "", NULL, B, "print nothing but errors"},
};

enum { KEY0 = 0x100, KEY_POLICY = 0x80 };

static bool is_choice(const char *choices, const char *value)
{
    size_t n = strlen(value);
    for (const char *s = choices; *s;) {
        size_t k = strcspn(s, "|");
        if (k == n && memcmp(s, value, n) == 0)
            return true;
        s += k + (s[k] == '|');
    }
    return false;
}

static error_t set_option(cli_args *a, struct argp_state *state, cli_option_id id, const char *value)
{
    const cli_option *o = &cli_options[id];
    if (o->choices && !is_choice(o->choices, value))
        cli_wrong_use(state->name, "--%s=%s: it must be one of %s%s", o->name, value, o->choices,
                      id == CLI_COMM ? " (other models of communication are not simulated by this version)"
                                     : "");
    a->value[id] = value ? value : "true";
    a->given[id] = true;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct {
        cli_args *a;
        bool many;
    } *x = state->input;
    cli_args *a = x->a;
    if (key == 'o' || key == 'q')
        return set_option(a, state, key == 'o' ? CLI_OUTPUT : CLI_QUIET, arg);
    if (key >= KEY0 && key < KEY0 + CLI_OPTIONS)
        return set_option(a, state, (cli_option_id)(key - KEY0), arg);
    switch (key) {
    case KEY_POLICY:
    case 'p':
        if (!x->many && a->npolicies)
            cli_wrong_use(state->name, "one --policy is all that it takes; `gpuyard compare` takes several");
        if (a->npolicies == sizeof a->policies / sizeof *a->policies)
            cli_wrong_use(state->name, "too many policies for one comparison");
        a->policies[a->npolicies++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        cli_wrong_use(state->name, "\"%s\" is no option; files are given as --trace=FILE", arg);
        return 0;
    case ARGP_KEY_END:
        if (!a->value[CLI_TRACE])
            cli_wrong_use(state->name, "--trace=FILE is missing");
        if (!a->value[CLI_CLUSTER])
            cli_wrong_use(
                state->name,
                "--cluster=SPEC is missing; 16x8 are 16 nodes of 8 GPUs, `gpuyard cluster list` names more");
        if (!x->many && a->npolicies == 0)
            cli_wrong_use(state->name, "--policy=NAME is missing; `gpuyard policy list` names them");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

void cli_parse(cli_args *a, int argc, char **argv, const char *doc, bool many)
{
    struct argp_option options[CLI_OPTIONS + 2] = {{0}};
    size_t n = 0;
    memset(a, 0, sizeof *a);
    options[n++] = (struct argp_option){
        "policy",
        'p',
        "SPEC",
        0,
        many ? "a policy, as often as wanted: NAME, NAME:setting=value,... or order=NAME,..."
             : "NAME, NAME:setting=value,... or order=NAME,backfill=NAME,...",
        0};
    for (int i = 0; i < CLI_OPTIONS; i++) {
        const cli_option *o = &cli_options[i];
        int key = i == CLI_OUTPUT ? 'o' : i == CLI_QUIET ? 'q' : KEY0 + i;
        a->value[i] = o->value;
        options[n++] = (struct argp_option){o->name, key, o->arg, 0, o->help, 0};
    }
    struct argp argp = {options, parse, NULL, doc, NULL, NULL, NULL};
    struct {
        cli_args *a;
        bool many;
    } input = {a, many};
    a->command = many ? "gpuyard compare" : "gpuyard run";
    cli_argp(&argp, a->command, argc, argv, &input);
}

/* ---- texts to values ---- */

gy_rc cli_time(const char *option, const char *text, int64_t *us, gy_err *e)
{
    gy_number_rc rc = gy_parse_duration(text, strlen(text), us);
    if (rc == GY_NUMBER_OK)
        return GY_OK;
    return gy_fail(e, GY_EINVAL, "--%s=%s: %s; give seconds, or a number with one of us ms s m h d behind it",
                   option, text, gy_number_why(rc));
}

gy_rc cli_uint(const char *option, const char *text, uint64_t *v, gy_err *e)
{
    int64_t i;
    gy_number_rc rc = gy_parse_int(text, strlen(text), &i);
    if (rc == GY_NUMBER_OK && i >= 0) {
        *v = (uint64_t)i;
        return GY_OK;
    }
    return gy_fail(e, GY_EINVAL, "--%s=%s: it must be a whole number from 0 on", option, text);
}

gy_rc cli_session_options(const cli_args *a, gy_options *o, gy_figure_options *f, gy_err *e)
{
    gy_options_init(o);
    f->tau_us = GY_TAU_DEFAULT_US;
    const struct {
        cli_option_id id;
        int64_t *us;
        bool negative;
    } times[] = {{CLI_HORIZON, &o->horizon_us, true},
                 {CLI_WINDOW_START, &o->window_start_us, true},
                 {CLI_WINDOW_END, &o->window_end_us, true},
                 {CLI_START_COST, &o->start_cost_us, false},
                 {CLI_RESTORE_COST, &o->restore_cost_us, false},
                 {CLI_CHECKPOINT_COST, &o->checkpoint_cost_us, false},
                 {CLI_TAU, &f->tau_us, false}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const char *text = a->value[times[i].id], *name = cli_options[times[i].id].name;
        if (!text)
            continue;
        gy_rc rc = cli_time(name, text, times[i].us, e);
        if (rc != GY_OK)
            return rc;
        if (*times[i].us < 0 && !times[i].negative)
            return gy_fail(e, GY_EINVAL, "--%s=%s: it must not be negative", name, text);
    }
    if (f->tau_us == 0)
        return gy_fail(e, GY_EINVAL, "--bounded-slowdown-tau=%s: it must be above 0", a->value[CLI_TAU]);
    o->cold = cli_flag(a, CLI_COLD);
    if (o->cold && !a->value[CLI_WINDOW_START])
        return gy_fail(e, GY_EINVAL, "--cold says how a window begins; give --window-start, or leave it out");
    o->preempt_mode =
        strcmp(a->value[CLI_PREEMPT_MODE], "kill") == 0 ? GY_PREEMPT_KILL : GY_PREEMPT_CHECKPOINT;
    const char *failure = a->value[CLI_ON_FAILURE];
    o->on_failure = strcmp(failure, "fail") == 0   ? GY_FAILURE_FAIL
                    : strcmp(failure, "wait") == 0 ? GY_FAILURE_WAIT
                                                   : GY_FAILURE_REQUEUE;
    const char *check = getenv("GY_CHECK");
    o->check = check && strcmp(check, "1") == 0;
    return cli_uint("seed", a->value[CLI_SEED], &o->seed, e);
}
