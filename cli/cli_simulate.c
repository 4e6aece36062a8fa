/* cli_simulate.c - one policy on the loaded inputs, and the files it leaves.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli_internal.h"
#include "gy_decisions.h"

/* The observer of a run: the timeline, and progress on a terminal. */
struct observer {
    gy_timeline *timeline;
    bool show;
    const char *policy;
    int64_t first_us, last_us; /* of the submissions */
    uint64_t calls;
    double start_s, last_s;
    bool shown;
};

static void show(struct observer *o, int64_t t_us)
{
    double now = cli_now_s();
    if (now - o->last_s < 0.1)
        return;
    double done =
        o->last_us > o->first_us ? (double)(t_us - o->first_us) / (double)(o->last_us - o->first_us) : 1;
    done = done > 1 ? 1 : done;
    o->last_s = now;
    o->shown = true;
    fprintf(stderr, "\r\033[K%s: %3.0f%%, %.0f kevents/s", o->policy, 100 * done,
            1e-3 * (double)o->calls / (now - o->start_s));
    if (done > 0.01 && done < 1)
        fprintf(stderr, ", %.0f s to go", (now - o->start_s) * (1 - done) / done);
}

static void observe(void *ctx, int64_t t_us, uint64_t busy_milli, uint64_t down_milli, uint32_t queued,
                    uint64_t queued_milli)
{
    struct observer *o = ctx;
    gy_timeline_add(o->timeline, t_us, busy_milli, down_milli, queued, queued_milli);
    if (o->show && ++o->calls % 4096 == 0)
        show(o, t_us);
}

/* ---- warnings ---- */

static bool nobody_counts(const gy_outcome *o)
{
    for (uint32_t j = 0; j < o->jobs->n; j++)
        if (gy_outcome_counts(o, j))
            return false;
    return o->jobs->n > 0;
}

static void add_warnings(gy_str *w, const gy_session *s, const gy_outcome *o)
{
    const gy_sim_notes *n = gy_session_notes(s);
    uint32_t late = gy_session_late_replays(s), elsewhere = gy_session_placed_elsewhere(s);
    if (gy_session_plans_blindly(s))
        gy_str_puts(w, "no job of the trace has a time limit, so the backfill stage can protect nobody; "
                       "estimate=perfect plans with true run times\n");
    if (n->stuck)
        gy_str_printf(w, "%u jobs wait although nothing is left to happen; they are counted as queued\n",
                      n->stuck);
    if (n->warm_running || n->warm_queued)
        gy_str_printf(w, "the window opens with %u jobs running and %u waiting, as the log shows them\n",
                      n->warm_running, n->warm_queued);
    if (n->warm_misplaced)
        gy_str_printf(w, "%u of them could not be placed where the log says\n", n->warm_misplaced);
    if (n->cold_left_out)
        gy_str_printf(
            w, "--cold leaves out %u jobs that the log shows running or waiting when the window opens\n",
            n->cold_left_out);
    if (n->with_model)
        gy_str_printf(w, "%u jobs name a communication model, which has no effect with --comm none\n",
                      n->with_model);
    if (late)
        gy_str_printf(w, "%u jobs could not start at the instant that the log records\n", late);
    if (gy_session_lacks_users(s))
        gy_str_puts(w, "the trace names no users, so an order of users tells no jobs apart\n");
    if (elsewhere)
        gy_str_printf(w, "%u jobs could not be placed where the log says\n", elsewhere);
    if (nobody_counts(o))
        gy_str_puts(w, "no job was submitted inside the window, so the figures of jobs are empty\n");
}

/* ---- the run ---- */

static gy_rc simulate(gy_session *s, cli_run *r, const cli_args *a, const cli_inputs *in, gy_outdir *d,
                      gy_series *series, gy_err *e)
{
    gy_out *rows, *log = NULL;
    gy_decisions *decisions = NULL;
    gy_rc rc = gy_outdir_file(d, "timeline.csv", false, &rows, e);
    if (rc == GY_OK && cli_flag(a, CLI_DECISIONS)) {
        rc = gy_outdir_file(d, "decisions.jsonl.gz", true, &log, e);
        if (rc != GY_OK)
            gy_out_close(rows, false, NULL);
    }
    if (rc != GY_OK)
        return rc;
    uint32_t n = in->jobs->n;
    struct observer o = {.timeline = gy_timeline_open(rows),
                         .show = isatty(2) && !cli_flag(a, CLI_QUIET),
                         .policy = r->policy->spec,
                         .first_us = n ? in->jobs->submit_us[0] : 0,
                         .last_us = n ? in->jobs->submit_us[n - 1] : 0,
                         .start_s = cli_now_s(),
                         .last_s = cli_now_s()};
    gy_session_observe(s, observe, &o);
    if (log) {
        decisions = gy_decisions_open(log, in->jobs);
        gy_session_log(s, gy_decisions_add, decisions);
    }
    rc = gy_session_run(s, e);
    if (o.shown)
        fputs("\r\033[K", stderr);
    gy_timeline_close(o.timeline, rc == GY_OK ? gy_session_outcome(s)->window_end_us : 0, series);
    gy_decisions_close(decisions);
    gy_rc closed = gy_out_close(rows, rc == GY_OK, rc == GY_OK ? e : NULL);
    if (rc == GY_OK)
        rc = closed;
    closed = log ? gy_out_close(log, rc == GY_OK, rc == GY_OK ? e : NULL) : GY_OK;
    return rc == GY_OK ? closed : rc;
}

static gy_rc write_perf(gy_outdir *d, const gy_outcome *o, const double phases_s[3], gy_err *e)
{
    static const char *const names[] = {"import", "simulate", "write"};
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    gy_perf p = {
        names,     phases_s,   3, phases_s[0] + phases_s[1] + phases_s[2], (uint64_t)u.ru_maxrss * 1024,
        o->events, phases_s[1]};
    return gy_results_perf_write(d, &p, e);
}

gy_rc cli_simulate(cli_run *r, const cli_args *a, const cli_inputs *in, gy_outdir *d, bool figures, gy_err *e)
{
    gy_session *s;
    gy_options options;
    gy_series series = {0};
    gy_run_input input = {0};
    double phases_s[3] = {in->import_s, 0, 0}, start = cli_now_s();
    gy_rc rc = cli_session_options(a, &options, &input.figures, e);
    if (rc == GY_OK)
        rc = gy_session_create(&s, r->policy, in->jobs, in->cluster, &in->events, &options, e);
    if (rc != GY_OK)
        return rc;
    rc = simulate(s, r, a, in, d, &series, e);
    phases_s[1] = cli_now_s() - start;
    if (rc == GY_OK) {
        const gy_outcome *o = gy_session_outcome(s);
        cli_manifest manifest;
        cli_manifest_make(&manifest, a, in, r->policy, s);
        add_warnings(&r->warnings, s, o);
        const char *lines[16];
        size_t n = 0;
        gy_str copy = {0};
        gy_str_puts(&copy, r->warnings.n ? r->warnings.s : "");
        for (char *p = copy.s; *p && n < 16;) {
            lines[n++] = p;
            p += strcspn(p, "\n");
            *p++ = '\0';
        }
        input.outcome = o;
        input.manifest = &manifest.m;
        input.series = &series;
        input.warnings = lines;
        input.nwarnings = n;
        gy_results_options opt = {figures, figures, NULL};
        rc = gy_results_run_write(d, &input, &opt, &r->digest, &r->warnings, e);
        phases_s[2] = cli_now_s() - start - phases_s[1];
        if (rc == GY_OK) {
            r->infeasible = r->digest.summary.by_state[GY_STATE_INFEASIBLE].submitted;
            rc = write_perf(d, o, phases_s, e);
        }
        gy_str_fini(&copy);
        cli_manifest_fini(&manifest);
    }
    gy_series_fini(&series);
    gy_session_free(s);
    return rc;
}

void cli_run_fini(cli_run *r)
{
    gy_policy_close(r->policy);
    gy_run_digest_fini(&r->digest);
    gy_str_fini(&r->warnings);
}

void cli_policy_folder(const char *spec, char *buf)
{
    size_t n = 0;
    for (; *spec && n < 76; spec++) {
        bool plain = (*spec >= 'a' && *spec <= 'z') || (*spec >= 'A' && *spec <= 'Z') ||
                     (*spec >= '0' && *spec <= '9') || *spec == '-' || *spec == '.';
        if (plain && !(n == 0 && *spec == '.'))
            buf[n++] = *spec;
        else if (n && buf[n - 1] != '_')
            buf[n++] = '_';
    }
    if (n == 0)
        buf[n++] = 'x';
    buf[n] = '\0';
}
