/* cli_trace.c - gpuyard trace info and convert.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_internal.h"
#include "gy_trace_info.h"
#include "gy_trace_write.h"

struct trace_args {
    const char *file, *out, *cluster;
    gy_trace_options load;
    bool convert, json;
};

enum { KEY_FORMAT = 0x100, KEY_TZ, KEY_STRICT, KEY_ATTEMPTS, KEY_CLUSTER, KEY_JSON };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct trace_args *a = state->input;
    switch (key) {
    case KEY_FORMAT: a->load.format = arg; return 0;
    case KEY_TZ: a->load.tz = arg; return 0;
    case KEY_STRICT: a->load.strict = true; return 0;
    case KEY_ATTEMPTS:
        if (strcmp(arg, "merge") != 0 && strcmp(arg, "split") != 0)
            cli_wrong_use(state->name, "--attempts=%s: it must be merge or split", arg);
        a->load.attempts = strcmp(arg, "split") == 0 ? GY_ATTEMPTS_SPLIT : GY_ATTEMPTS_MERGE;
        return 0;
    case KEY_CLUSTER: a->cluster = arg; return 0;
    case KEY_JSON: a->json = true; return 0;
    case 'o': a->out = arg; return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            cli_wrong_use(state->name, "one trace at a time; \"%s\" is a second one", arg);
        a->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!a->file)
            cli_wrong_use(state->name, "the trace's FILE is missing");
        if (a->convert && !a->out)
            cli_wrong_use(
                state->name,
                "-o FILE is missing: where the converted trace goes (a name ending in .gz is compressed)");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option info_options[] = {
    {"format", KEY_FORMAT, "NAME", 0, "family of the trace; told by its content without it", 0},
    {"tz", KEY_TZ, "ZONE", 0, "time zone of stamps without an offset", 0},
    {"strict", KEY_STRICT, NULL, 0, "a row that is in doubt is an error", 0},
    {"attempts", KEY_ATTEMPTS, "HOW", 0, "merge (default) or split the attempts of a job", 0},
    {"cluster", KEY_CLUSTER, "SPEC", 0, "also say what load the trace is for this cluster", 0},
    {"json", KEY_JSON, NULL, 0, "print JSON", 0},
    {0},
};
static const struct argp_option convert_options[] = {
    {"output", 'o', "FILE", 0, "the canonical trace; compressed when its name ends in .gz", 0},
    {"format", KEY_FORMAT, "NAME", 0, "family of the trace; told by its content without it", 0},
    {"tz", KEY_TZ, "ZONE", 0, "time zone of stamps without an offset", 0},
    {"strict", KEY_STRICT, NULL, 0, "a row that is in doubt is an error", 0},
    {"attempts", KEY_ATTEMPTS, "HOW", 0, "merge (default) or split the attempts of a job", 0},
    {"json", KEY_JSON, NULL, 0, "print the account of rows as JSON", 0},
    {0},
};

/* JSON to standard output goes through a file of our writer: /dev/stdout is none of it. */
static gy_rc print_json(void (*fill)(gy_json_out *w, const void *ctx), const void *ctx, gy_err *e)
{
    gy_out *o;
    gy_rc rc = gy_out_open_stdout(&o, e);
    if (rc != GY_OK)
        return rc;
    gy_json_out w = {.out = o};
    gy_json_open(&w, NULL, '{');
    fill(&w, ctx);
    gy_json_close(&w, '}');
    return gy_out_close(o, true, e);
}

/* ---- info ---- */

static void fill_info(gy_json_out *w, const void *ctx)
{
    const void *const *both = ctx;
    gy_json_open(w, "import", '{');
    gy_trace_report_json(both[0], w);
    gy_json_close(w, '}');
    gy_trace_info_json(both[1], w);
}

static gy_rc cluster_gpus(const char *spec, uint64_t *gpus, gy_err *e)
{
    gy_cluster *c;
    *gpus = 0;
    if (!spec)
        return GY_OK;
    gy_rc rc = gy_cluster_load(&c, spec, e);
    if (rc == GY_OK) {
        *gpus = c->gpus;
        gy_cluster_free(c);
    }
    return rc;
}

static int info(struct trace_args *a)
{
    gy_jobs *jobs = NULL;
    gy_trace_report *report = NULL;
    gy_tz *tz = NULL;
    gy_err e;
    uint64_t gpus;
    gy_rc rc = cluster_gpus(a->cluster, &gpus, &e);
    if (rc == GY_OK)
        rc = gy_trace_load(a->file, &a->load, &jobs, &report, &e);
    if (rc == GY_OK)
        cli_show_import(report);
    if (rc == GY_OK && report->tz)
        rc = gy_tz_open(&tz, report->tz, &e);
    if (rc == GY_OK) {
        gy_trace_info x;
        gy_trace_info_init(&x, jobs, tz, gpus);
        if (a->json) {
            rc = print_json(fill_info, (const void *[]){report, &x}, &e);
        } else {
            gy_str text = {0};
            gy_trace_info_text(&x, &text);
            fputs(text.s, stdout);
            gy_str_fini(&text);
        }
        gy_trace_info_fini(&x);
    }
    int code = rc == GY_OK ? CLI_OK : cli_fail(&e);
    gy_tz_close(tz);
    gy_jobs_free(jobs);
    gy_trace_report_free(report);
    return code;
}

/* ---- convert ---- */

static void fill_report(gy_json_out *w, const void *ctx)
{
    gy_trace_report_json(ctx, w);
}

static gy_rc write_trace(const struct trace_args *a, const gy_jobs *jobs, gy_err *e)
{
    gy_out *o;
    size_t n = strlen(a->out);
    gy_rc rc = gy_out_open(&o, a->out, n > 3 && strcmp(a->out + n - 3, ".gz") == 0, e);
    if (rc != GY_OK)
        return rc;
    gy_trace_write(jobs, o, GY_WRITE_COMMON);
    return gy_out_close(o, true, e);
}

static int convert(struct trace_args *a)
{
    gy_jobs *jobs = NULL;
    gy_trace_report *report = NULL;
    gy_err e;
    a->load.keep_notes = true;
    gy_rc rc = gy_trace_load(a->file, &a->load, &jobs, &report, &e);
    if (rc == GY_OK)
        rc = write_trace(a, jobs, &e);
    if (rc == GY_OK)
        cli_show_import(report);
    if (rc == GY_OK && a->json)
        rc = print_json(fill_report, report, &e);
    int code = rc == GY_OK ? CLI_OK : cli_fail(&e);
    gy_jobs_free(jobs);
    gy_trace_report_free(report);
    return code;
}

/* ---- dispatch ---- */

static void usage(FILE *to)
{
    fputs("Usage: gpuyard trace info FILE [--cluster SPEC] [--json]\n"
          "  or:  gpuyard trace convert FILE -o CONVERTED.csv [--tz ZONE] [--strict] [--attempts HOW] "
          "[--json]\n"
          "  or:  gpuyard trace generate --model NAME --jobs N -o FILE.csv [OPTION...]\n"
          "What is in a trace; any known family as a canonical trace; a trace from a statistical model.\n\n"
          "Families:\n",
          to);
    const char *name, *about;
    for (size_t i = 0; gy_trace_format(i, &name, &about); i++)
        fprintf(to, "  %-11s %s\n", name, about);
    fputs("\n`gpuyard trace info --help` and so on tell about the options.\n", to);
}

int cli_trace_main(int argc, char **argv)
{
    struct trace_args a = {0};
    if (argc < 2 || strcmp(argv[1], "--help") == 0) {
        usage(argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_BAD : CLI_OK;
    }
    if (strcmp(argv[1], "generate") == 0)
        return cli_trace_generate_main(argc - 1, argv + 1);
    a.convert = strcmp(argv[1], "convert") == 0;
    if (!a.convert && strcmp(argv[1], "info") != 0) {
        fprintf(stderr, "gpuyard: there is no command \"trace %s\"; there are info, convert and generate\n",
                argv[1]);
        return CLI_BAD;
    }
    struct argp argp = {
        a.convert ? convert_options : info_options,
        parse,
        "FILE",
        a.convert ? "Writes a trace of any known family in the canonical form, with an account of every "
                    "row on standard error."
                  : "Tells what is in a trace: span, jobs, sizes, run times, waits, states, arrivals.",
        NULL,
        NULL,
        NULL};
    cli_argp(&argp, a.convert ? "gpuyard trace convert" : "gpuyard trace info", argc - 1, argv + 1, &a);
    return a.convert ? convert(&a) : info(&a);
}
