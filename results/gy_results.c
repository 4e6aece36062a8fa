/* gy_results.c - see gy_results.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_results.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gy_groups_csv.h"
#include "gy_jobs_csv.h"

/* One file of the folder: what is written into it, from what. */
struct job {
    const char *name;
    void (*write)(gy_out *out, const void *from);
};

static gy_rc write_file(gy_outdir *d, const char *name, void (*write)(gy_out *out, const void *from),
                        const void *from, gy_err *e)
{
    gy_out *out;
    gy_rc rc = gy_outdir_file(d, name, false, &out, e);
    if (rc != GY_OK)
        return rc;
    write(out, from);
    return gy_out_close(out, true, e);
}

/* What the writers of a run's files need. */
struct run_files {
    const gy_run_input *in;
    const gy_run_digest *digest;
    gy_groups users, queues;
};

static void write_jobs(gy_out *out, const void *from)
{
    const struct run_files *f = from;
    gy_jobs_csv_write(out, f->in->outcome, f->in->placed ? f->in->placed : gy_outcome_placed);
}

static void write_users(gy_out *out, const void *from)
{
    const struct run_files *f = from;
    gy_groups_write(out, "user", &f->users, &f->in->outcome->jobs->users);
}

static void write_queues(gy_out *out, const void *from)
{
    const struct run_files *f = from;
    gy_groups_write(out, "queue", &f->queues, &f->in->outcome->jobs->queues);
}

static void write_summary(gy_out *out, const void *from)
{
    const struct run_files *f = from;
    gy_summary_write(&f->digest->summary, out);
}

static void write_manifest(gy_out *out, const void *from)
{
    const struct run_files *f = from;
    gy_manifest_write(f->in->manifest, out);
}

static const struct job run_jobs[] = {
    {"jobs.csv", write_jobs},        {"users.csv", write_users},        {"queues.csv", write_queues},
    {"summary.json", write_summary}, {"manifest.json", write_manifest},
};

/* Several runs, for the files of a comparison. */
struct rows {
    const gy_run_digest *const *runs;
    size_t n;
    const gy_figures *figures;
    const char *command, *warnings;
};

static void write_compare_csv(gy_out *out, const void *from)
{
    const struct rows *r = from;
    gy_compare_csv(out, r->runs, r->n);
}

static void write_compare_json(gy_out *out, const void *from)
{
    const struct rows *r = from;
    gy_compare_json(out, r->runs, r->n);
}

static void write_report(gy_out *out, const void *from)
{
    const struct rows *r = from;
    gy_report_write(out, r->runs, r->n, r->figures, r->command, r->warnings);
}

/* ---- what an earlier run or comparison left in the folder ---- */

/* Every file of a run, and of a comparison beside its runs. */
static const char *const run_names[] = {"jobs.csv",      "users.csv", "queues.csv",  "summary.json",
                                        "timeline.csv",  "perf.json", "report.html", "decisions.jsonl.gz",
                                        "manifest.json", NULL};
static const char *const compare_names[] = {"compare.csv", "report.html", "compare.json", NULL};

/* plots/ of what the witness belongs to. */
static void obsolete_plots(gy_outdir *d, const gy_witness *w)
{
    static const char *const types[] = {"csv", "gp", "svg", "pdf"};
    for (size_t k = 0; k < (size_t)GY_FIGURES * 4; k++) {
        gy_str name = {0};
        gy_str_printf(&name, "plots/%s.%s", gy_figure_name(k / 4), types[k % 4]);
        const char *const names[] = {name.s, NULL};
        gy_outdir_obsolete(d, "", w, names);
        gy_str_fini(&name);
    }
}

/* A folder never shows two runs at a time. */
static void obsolete_all(gy_outdir *d)
{
    static const gy_witness run = {"manifest.json", "\"gpuyard\": "},
                            comparison = {"compare.json", "\"runs\": ["};
    gy_outdir_obsolete(d, "", &run, run_names);
    gy_outdir_obsolete(d, "", &comparison, compare_names);
    gy_outdir_obsolete(d, "runs/?", &run, run_names);
    obsolete_plots(d, &run);
    obsolete_plots(d, &comparison);
}

/* Jobs that no run could start: the same text as that of `gpuyard run --fail-on-infeasible`. */
static void warn_infeasible(gy_str *out, const gy_run_digest *const *runs, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        if (runs[i]->reason)
            continue;
        uint64_t k = runs[i]->summary.by_state[GY_STATE_INFEASIBLE].submitted;
        least = k < least ? k : least;
        most = k > most ? k : most;
    }
    if (most > 0) /* quotas that only some policies know make a difference */
        gy_str_printf(out, "%s%" PRIu64 " job%s infeasible: %s could never start on this cluster\n",
                      least < most ? "up to " : "", most, most == 1 ? " is" : "s are",
                      most == 1 ? "it" : "they");
}

static gy_rc write_pictures(gy_outdir *d, const gy_run_digest *const *runs, size_t n, const char *command,
                            const gy_results_options *opt, gy_str *warnings, gy_err *e)
{
    if (!opt->plots && !opt->report)
        return GY_OK;
    gy_figures figures;
    const gy_plot_options plot = {.gnuplot = opt->gnuplot};
    gy_rc rc = gy_plots_write(d, runs, n, &plot, &figures, e);
    if (rc != GY_OK)
        return rc;
    gy_str common = {0}; /* not about one run */
    if (command)
        warn_infeasible(&common, runs, n);
    if (figures.warning.n)
        gy_str_printf(&common, "%s\n", figures.warning.s);
    gy_str_puts(warnings, common.n ? common.s : "");
    const struct rows rows = {runs, n, &figures, command, common.s};
    if (opt->report)
        rc = write_file(d, "report.html", write_report, &rows, e);
    gy_str_fini(&common);
    gy_figures_fini(&figures);
    return rc;
}

gy_rc gy_results_run_write(gy_outdir *d, const gy_run_input *in, const gy_results_options *opt,
                           gy_run_digest *digest, gy_str *warnings, gy_err *e)
{
    gy_run_digest own;
    struct run_files files = {.in = in, .digest = digest ? digest : &own};
    gy_run_digest *made = digest ? digest : &own;
    obsolete_all(d);
    files.users = gy_groups_by(in->outcome, GY_GROUP_USER);
    files.queues = gy_groups_by(in->outcome, GY_GROUP_QUEUE);
    gy_run_digest_with(made, in, &files.users, &files.queues);
    gy_rc rc = GY_OK;
    for (size_t i = 0; i < sizeof run_jobs / sizeof *run_jobs && rc == GY_OK; i++)
        rc = write_file(d, run_jobs[i].name, run_jobs[i].write, &files, e);
    const gy_run_digest *const one = made;
    if (rc == GY_OK)
        rc = write_pictures(d, &one, 1, NULL, opt, warnings, e);
    free(files.users.rows);
    free(files.queues.rows);
    if (!digest || rc != GY_OK)
        gy_run_digest_fini(made);
    return rc;
}

/* All runs of a comparison have the arguments of the first. */
static void put_command(gy_str *out, const gy_run_digest *const *runs, size_t n)
{
    const char *arguments = NULL;
    gy_str_puts(out, "gpuyard compare");
    for (size_t i = 0; i < n; i++) {
        gy_str_puts(out, " --policy");
        gy_manifest_word(out, runs[i]->policy);
        arguments = arguments || runs[i]->reason ? arguments : runs[i]->manifest.arguments;
    }
    gy_str_puts(out, arguments ? arguments : "");
}

gy_rc gy_results_compare_write(gy_outdir *d, const gy_run_digest *const *runs, size_t n,
                               const gy_results_options *opt, gy_str *warnings, gy_err *e)
{
    const struct rows rows = {.runs = runs, .n = n};
    obsolete_all(d);
    gy_rc rc = write_file(d, "compare.csv", write_compare_csv, &rows, e);
    if (rc == GY_OK)
        rc = write_file(d, "compare.json", write_compare_json, &rows, e);
    gy_str command = {0};
    put_command(&command, runs, n);
    if (rc == GY_OK)
        rc = write_pictures(d, runs, n, command.s, opt, warnings, e);
    gy_str_fini(&command);
    return rc;
}

static void write_perf(gy_out *out, const void *from)
{
    gy_perf_write(from, out);
}

gy_rc gy_results_perf_write(gy_outdir *d, const gy_perf *perf, gy_err *e)
{
    return write_file(d, "perf.json", write_perf, perf, e);
}
