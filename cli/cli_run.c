/* cli_run.c - gpuyard run: one policy.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_internal.h"
#include "gy_input.h"

static const char doc[] =
    "Replays a job trace on a cluster under one policy, and writes jobs.csv, summary.json, manifest.json, "
    "timeline.csv, "
    "users.csv, queues.csv and perf.json.\vExample:\n  gpuyard run --trace jobs.csv --cluster 16x8 --policy "
    "easy -o "
    "out/easy\n\nTimes are seconds on the axis of the trace, or numbers with a unit: 90, 15m, 30d.";

static void print(const cli_args *a, const cli_run *r, const char *folder)
{
    gy_str text = {0};
    if (cli_flag(a, CLI_QUIET))
        return;
    if (cli_flag(a, CLI_JSON)) { /* the very bytes of summary.json */
        char *json;
        size_t n;
        gy_str path = {0};
        gy_str_printf(&path, "%s/summary.json", folder);
        if (gy_read_file(path.s, &json, &n, NULL) == GY_OK) {
            fwrite(json, 1, n, stdout);
            free(json);
        }
        gy_str_fini(&path);
        return;
    }
    gy_run_show(&text, &r->digest);
    fputs(text.s, stdout);
    printf("files: %s\n", folder);
    if (cli_flag(a, CLI_REPORT))
        printf("report: %s/report.html\n", folder);
    gy_str_fini(&text);
}

int cli_run_main(int argc, char **argv)
{
    cli_args a;
    cli_inputs in = {0};
    cli_run r = {0};
    gy_outdir *d = NULL;
    gy_err e;
    char folder[160] = "out/";
    cli_parse(&a, argc, argv, doc, false);
    cli_policy_folder(a.policies[0], folder + strlen(folder));
    const char *out = a.value[CLI_OUTPUT] ? a.value[CLI_OUTPUT] : folder;
    gy_rc rc = gy_policy_open(&r.policy, a.policies[0], &e);
    if (rc == GY_OK)
        rc = cli_load(&in, &a, &e);
    if (rc == GY_OK)
        rc = gy_outdir_open(&d, out, &e);
    if (rc == GY_OK) {
        if (!cli_flag(&a, CLI_QUIET))
            cli_show_import(in.report);
        rc = cli_simulate(&r, &a, &in, d, cli_flag(&a, CLI_REPORT), &e);
        if (rc == GY_OK)
            rc = gy_outdir_commit(d, &e);
        else
            gy_outdir_abort(d);
    }
    int code = rc == GY_OK ? CLI_OK : cli_fail(&e);
    if (rc == GY_OK) {
        if (!cli_flag(&a, CLI_QUIET))
            cli_warn_lines(r.warnings.s);
        print(&a, &r, out);
        if (r.infeasible && cli_flag(&a, CLI_FAIL_ON_INFEASIBLE)) {
            cli_warn("%llu jobs are infeasible: they could never start on this cluster",
                     (unsigned long long)r.infeasible);
            code = CLI_INFEASIBLE;
        }
    }
    cli_run_fini(&r);
    cli_inputs_fini(&in);
    return code;
}
