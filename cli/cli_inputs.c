/* cli_inputs.c - loading what a run reads: trace, cluster, events.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli_internal.h"
#include "gy_events_csv.h"
#include "gy_quota_csv.h"

/* "reading trace.csv: 40 MB of 120 MB" on a terminal, at most ten times a second. */
struct progress {
    const char *file;
    double last_s;
    bool shown;
};

static void show_progress(void *ctx, uint64_t bytes, uint64_t size)
{
    struct progress *p = ctx;
    double now = cli_now_s();
    if (now - p->last_s < 0.1)
        return;
    p->last_s = now;
    p->shown = true;
    fprintf(stderr, "\rreading %s: %.0f MB", p->file, (double)bytes / 1e6);
    if (size)
        fprintf(stderr, " of %.0f MB", (double)size / 1e6);
}

static gy_rc load_trace(cli_inputs *in, const cli_args *a, gy_err *e)
{
    struct progress p = {a->value[CLI_TRACE], cli_now_s(), false};
    bool show = isatty(2) && !cli_flag(a, CLI_QUIET);
    gy_trace_options o = {.format = a->value[CLI_FORMAT],
                          .tz = a->value[CLI_TZ],
                          .attempts = strcmp(a->value[CLI_ATTEMPTS], "split") == 0 ? GY_ATTEMPTS_SPLIT
                                                                                   : GY_ATTEMPTS_MERGE,
                          .strict = cli_flag(a, CLI_STRICT),
                          .progress = show ? show_progress : NULL,
                          .progress_ctx = &p};
    gy_rc rc = cli_uint("tie-order", a->value[CLI_TIE_ORDER], &o.tie_seed, e);
    if (rc == GY_OK)
        rc = gy_trace_load(a->value[CLI_TRACE], &o, &in->jobs, &in->report, e);
    if (p.shown)
        fputs("\r\033[K", stderr);
    return rc;
}

void cli_show_import(const gy_trace_report *report)
{
    gy_str text = {0};
    gy_trace_report_text(report, &text);
    if (text.n)
        fputs(text.s, stderr);
    gy_str_fini(&text);
}

static gy_rc hash_file(const char *path, char hex[65], gy_err *e)
{
    gy_input *in;
    gy_rc rc = gy_input_open(&in, path, e);
    if (rc != GY_OK)
        return rc;
    rc = gy_input_sha256(in, hex, e);
    gy_input_close(in);
    return rc;
}

static gy_rc load_events(cli_inputs *in, const cli_args *a, gy_err *e)
{
    gy_rc rc = GY_OK;
    const char *events = a->value[CLI_EVENTS], *quotas = a->value[CLI_QUOTAS];
    if (quotas) {
        gy_str notes = {0};
        rc = gy_quota_csv_load(&in->events, quotas, a->value[CLI_TZ], in->jobs->zero_epoch_us, &notes, e);
        if (rc == GY_OK)
            rc = hash_file(quotas, in->quotas_sha256, e);
        if (rc == GY_OK && notes.n && !cli_flag(a, CLI_QUIET))
            cli_warn_lines(notes.s);
        gy_str_fini(&notes);
    }
    if (rc == GY_OK && events) {
        rc = gy_events_csv_load(&in->events, events, in->cluster, in->jobs, e);
        if (rc == GY_OK)
            rc = hash_file(events, in->events_sha256, e);
    }
    return rc;
}

static void warn_of_cluster(const gy_cluster *c)
{
    gy_str doubts = {0};
    gy_cluster_doubts(c, &doubts);
    cli_warn_lines(doubts.s);
    gy_str_fini(&doubts);
}

gy_rc cli_load(cli_inputs *in, const cli_args *a, gy_err *e)
{
    *in = (cli_inputs){0};
    double start = cli_now_s();
    gy_options options; /* a wrong one is said before a long trace is read */
    gy_figure_options figures;
    gy_rc rc = cli_session_options(a, &options, &figures, e);
    if (rc == GY_OK)
        rc = gy_cluster_load(&in->cluster, a->value[CLI_CLUSTER], e);
    if (rc == GY_OK)
        rc = load_trace(in, a, e);
    if (rc == GY_OK)
        rc = load_events(in, a, e);
    in->import_s = cli_now_s() - start;
    if (rc != GY_OK)
        cli_inputs_fini(in);
    else if (!cli_flag(a, CLI_QUIET))
        warn_of_cluster(in->cluster);
    return rc;
}

void cli_inputs_fini(cli_inputs *in)
{
    gy_jobs_free(in->jobs);
    gy_trace_report_free(in->report);
    gy_cluster_free(in->cluster);
    gy_events_fini(&in->events);
    *in = (cli_inputs){0};
}
