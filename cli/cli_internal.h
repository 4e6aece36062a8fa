/* cli_internal.h - what the subcommands of the program share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CLI_INTERNAL_H
#define CLI_INTERNAL_H

#include <argp.h>

#include "gy_cluster.h"
#include "gy_events.h"
#include "gy_policy.h"
#include "gy_results.h"
#include "gy_session.h"
#include "gy_trace.h"

enum { /* design.md section 7 */
       CLI_OK = 0,
       CLI_MISSED = 1,
       CLI_BAD = 2,
       CLI_INFEASIBLE = 3,
       CLI_STALL = 4,
};

/* Prints "gpuyard: TEXT" and returns the exit code that belongs to the error. */
int cli_fail(const gy_err *e);
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void cli_warn_lines(const char *text); /* a warning for each line */

/* ---- options: one table for help, parsing and manifest ---- */

typedef enum cli_option_id {
    CLI_TRACE,
    CLI_FORMAT,
    CLI_TZ,
    CLI_STRICT,
    CLI_ATTEMPTS,
    CLI_CLUSTER,
    CLI_EVENTS,
    CLI_QUOTAS,
    CLI_HORIZON,
    CLI_WINDOW_START,
    CLI_WINDOW_END,
    CLI_COLD,
    CLI_START_COST,
    CLI_RESTORE_COST,
    CLI_CHECKPOINT_COST,
    CLI_PREEMPT_MODE,
    CLI_ON_FAILURE,
    CLI_COMM,
    CLI_TAU,
    CLI_SEED,
    CLI_TIE_ORDER,
    CLI_OUTPUT,
    CLI_REPORT,
    CLI_DECISIONS,
    CLI_FAIL_ON_INFEASIBLE,
    CLI_JSON,
    CLI_QUIET,
    CLI_OPTIONS
} cli_option_id;

typedef struct cli_option {
    const char *name;
    const char *arg;     /* NULL: a flag */
    const char *choices; /* "a|b"; NULL: anything */
    const char *value;   /* the default as one would write it; NULL: none */
    const char *unit;
    const char *group; /* of the manifest; NULL: it does not change results */
    gy_value_kind kind;
    const char *help;
} cli_option;
extern const cli_option cli_options[CLI_OPTIONS];

/* The options of one call, as texts. */
typedef struct cli_args {
    const char *value[CLI_OPTIONS]; /* "1" for a flag that is set */
    bool given[CLI_OPTIONS];
    const char *policies[64];
    size_t npolicies;
    const char *command; /* "gpuyard run" */
    gy_err error;        /* of the first bad value */
} cli_args;

/* Parses the arguments of `run` (one policy) or `compare` (many).  Exits by itself for --help and on wrong
 * usage. */
void cli_parse(cli_args *a, int argc, char **argv, const char *doc, bool many);
static inline bool cli_flag(const cli_args *a, cli_option_id id)
{
    return a->value[id] != NULL;
}

/* Like argp_parse(), with what is wrong said in one line; `command` is what is typed, as in "gpuyard run". */
void cli_argp(const struct argp *argp, const char *command, int argc, char **argv, void *input);
/* One line, and the end with exit code 2. */
_Noreturn void cli_wrong_use(const char *command, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- inputs ---- */

typedef struct cli_inputs {
    gy_jobs *jobs;
    gy_trace_report *report;
    gy_cluster *cluster;
    gy_events events;
    char events_sha256[65], quotas_sha256[65]; /* "" without such a file */
    double import_s;
} cli_inputs;

gy_rc cli_load(cli_inputs *in, const cli_args *a, gy_err *e);
void cli_inputs_fini(cli_inputs *in);
/* The account of rows goes to standard error, once nothing is wrong with the inputs. */
void cli_show_import(const gy_trace_report *report);
gy_rc cli_session_options(const cli_args *a, gy_options *o, gy_figure_options *f, gy_err *e);
gy_rc cli_time(const char *option, const char *text, int64_t *us, gy_err *e);
gy_rc cli_uint(const char *option, const char *text, uint64_t *v, gy_err *e);
double cli_now_s(void); /* wall clock, for perf.json and progress only */

/* ---- one run ---- */

typedef struct cli_run {
    gy_policy *policy;
    gy_run_digest digest;
    gy_str warnings;
    uint64_t infeasible;
} cli_run;

/* Simulates the policy and writes its files into the folder.  On an error nothing of it is to be kept. */
gy_rc cli_simulate(cli_run *r, const cli_args *a, const cli_inputs *in, gy_outdir *d, bool figures,
                   gy_err *e);
void cli_run_fini(cli_run *r);

/* A folder's name for a policy's text: "easy_estimate_perfect".  Into buf of at least 80 bytes. */
void cli_policy_folder(const char *spec, char *buf);

/* ---- the manifest ---- */

typedef struct cli_manifest {
    gy_manifest m;
    gy_arena memory;
} cli_manifest;

void cli_manifest_make(cli_manifest *x, const cli_args *a, const cli_inputs *in, const gy_policy *policy,
                       const gy_session *session);
void cli_manifest_fini(cli_manifest *x);

/* ---- subcommands: the arguments behind "gpuyard"; return the exit code ---- */

int cli_run_main(int argc, char **argv);
int cli_compare_main(int argc, char **argv);
int cli_trace_main(int argc, char **argv);
int cli_trace_generate_main(int argc, char **argv);
int cli_cluster_main(int argc, char **argv);
int cli_policy_main(int argc, char **argv);
int cli_policy_new(const char *name, const char *stage);
int cli_policy_check(const char *file);

#endif
