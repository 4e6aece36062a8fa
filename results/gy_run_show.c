/* gy_run_show.c - the summary of one run for a terminal; see gy_compare.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gy_compare.h"
#include "gy_human.h"

static void line(gy_str *out, const char *name)
{
    gy_str_printf(out, "%-12s", name);
}

static void show_head(gy_str *out, const gy_run_digest *r)
{
    const gy_summary *s = &r->summary;
    char start[64], end[64];
    line(out, "policy");
    gy_str_printf(out, "%s%s\n", r->policy, r->oracle ? "  + oracle: sees true run times" : "");
    line(out, "trace");
    gy_str_printf(out, "%s\n", r->trace);
    line(out, "cluster");
    gy_str_printf(out, "%s\n", r->cluster);
    gy_put_human(start, s->window_start_us);
    gy_put_human(end, s->window_end_us);
    line(out, "window");
    gy_str_printf(out, "%s to %s: jobs submitted in it, GPU time inside it\n", start, end);
}

static void show_jobs(gy_str *out, const gy_summary *s)
{
    line(out, "jobs");
    gy_str_printf(out, "%" PRIu64 " submitted", s->submitted);
    const char *before = ": ";
    for (int k = GY_STATE_FINISHED; k < GY_STATES; k++) {
        if (s->by_state[k].submitted == 0)
            continue;
        gy_str_printf(out, "%s%" PRIu64 " %s", before, s->by_state[k].submitted, gy_state_names[k]);
        before = ", ";
    }
    gy_str_puts(out, "\n\n");
}

enum { ROWS = 5, CELLS = 6 };

/* The table of distributions as texts, for columns as wide as their widest cell. */
struct cells {
    int rows;
    const char *name[ROWS];
    char text[ROWS][CELLS][GY_HUMAN];
    uint64_t n[ROWS];
};

static void add_cells(struct cells *t, const char *name, gy_column_kind kind, const double v[CELLS],
                      uint64_t n)
{
    for (int i = 0; i < CELLS; i++)
        gy_column_text(t->text[t->rows][i], kind, v[i]);
    t->n[t->rows] = n;
    t->name[t->rows++] = name;
}

static void show_cells(gy_str *out, const struct cells *t, uint64_t of)
{
    static const char *const heads[CELLS] = {"mean", "p50", "p90", "p95", "p99", "max"};
    int width[CELLS];
    line(out, "");
    for (int i = 0; i < CELLS; i++) {
        width[i] = 8;
        for (int k = 0; k < t->rows; k++)
            width[i] = (int)strlen(t->text[k][i]) > width[i] ? (int)strlen(t->text[k][i]) : width[i];
        gy_str_printf(out, " %*s", width[i], heads[i]);
    }
    gy_str_puts(out, "   jobs\n");
    for (int k = 0; k < t->rows; k++) {
        line(out, t->name[k]);
        for (int i = 0; i < CELLS; i++)
            gy_str_printf(out, " %*s", width[i], t->text[k][i]);
        gy_str_printf(out, "   %" PRIu64 " of %" PRIu64 "\n", t->n[k], of);
    }
}

static double seconds(int64_t us)
{
    return us == GY_NEVER ? NAN : (double)us / GY_US_PER_S;
}

static void add_times(struct cells *t, const char *name, const gy_time_dist *d)
{
    const double v[CELLS] = {gy_time_mean_s(d),  seconds(d->p50_us), seconds(d->p90_us),
                             seconds(d->p95_us), seconds(d->p99_us), seconds(d->max_us)};
    add_cells(t, name, GY_COLUMN_TIME, v, d->n);
}

static void add_ratios(struct cells *t, const char *name, const gy_real_dist *d)
{
    const double v[CELLS] = {d->mean, d->p50, d->p90, d->p95, d->p99, d->max};
    add_cells(t, name, GY_COLUMN_RATIO, v, d->n);
}

static void show_distributions(gy_str *out, const gy_summary *s)
{
    struct cells t = {.rows = 0};
    add_times(&t, "wait", &s->wait);
    add_times(&t, "total wait", &s->total_wait);
    add_times(&t, "completion", &s->jct);
    add_ratios(&t, "slowdown", &s->slowdown);
    add_ratios(&t, "fairness", &s->ftf);
    show_cells(out, &t, s->of);
    char bound[GY_HUMAN], tau[64];
    gy_put_human(tau, s->tau_us);
    if (gy_summary_unfinished(s) > 0) {
        gy_human_time(bound, gy_mean_of(s->lower_bound_us, s->of, GY_US_PER_S), "");
        gy_str_printf(out, "%" PRIu64 " job%s had not ended: mean completion is at least %s over all jobs\n",
                      gy_summary_unfinished(s), gy_human_s(gy_summary_unfinished(s)), bound);
    }
    gy_str_printf(out, "slowdown: bounded, tau %s; fairness: completion over time on an equal share\n\n",
                  tau);
}

static void show_part(gy_str *out, const char *name, gy_i128 v, gy_i128 installed)
{
    char share[GY_HUMAN], hours[GY_HUMAN];
    if (v == 0)
        return;
    gy_human_percent(share, (double)v / (double)installed);
    gy_human_gpu_hours(hours, v);
    gy_str_printf(out, "  %-18s%7s %19s\n", name, share, hours);
}

static void show_gpus(gy_str *out, const gy_summary *s)
{
    char a[GY_HUMAN], b[GY_HUMAN], c[GY_HUMAN];
    gy_human_percent(a, s->utilization_installed);
    gy_human_percent(b, s->utilization_available);
    gy_human_percent(c, s->utilization_max);
    line(out, "utilisation");
    gy_str_printf(out, "%s of installed, %s of available, at most %s at an instant\n", a, b, c);
    gy_human_gpu_hours(a, s->gpu.installed);
    line(out, "GPU time");
    gy_str_printf(out, "%s installed (%" PRIu64 " GPU%s)\n", a, s->gpus, gy_human_s(s->gpus));
    show_part(out, "useful", s->gpu.useful, s->gpu.installed);
    show_part(out, "overhead", s->gpu.overhead, s->gpu.installed);
    show_part(out, "lost, preemption", s->gpu.lost_preemption, s->gpu.installed);
    show_part(out, "lost, failure", s->gpu.lost_failure, s->gpu.installed);
    show_part(out, "idle", s->gpu.idle, s->gpu.installed);
    show_part(out, "down", s->gpu.down, s->gpu.installed);
}

void gy_run_show(gy_str *out, const gy_run_digest *r)
{
    const gy_summary *s = &r->summary;
    char a[GY_HUMAN], b[GY_HUMAN];
    if (r->reason) {
        gy_str_printf(out, "%-12s%s\n%-12sn/a: %s\n", "policy", r->policy, "", r->reason);
        return;
    }
    show_head(out, r);
    show_jobs(out, s);
    show_distributions(out, s);
    show_gpus(out, s);
    gy_human_ratio(a, s->jain);
    gy_human_ratio(b, s->max_min_ratio);
    line(out, "users");
    gy_str_printf(out, "%" PRIu64 ": Jain index of their GPU time %s, largest over smallest %s\n", s->users,
                  a, b);
    gy_human_time(a, seconds(s->makespan_us), "");
    line(out, "course");
    gy_str_printf(out, "%" PRIu64 " preemption%s, %" PRIu64 " restart%s, makespan %s\n", s->preemptions,
                  gy_human_s(s->preemptions), s->restarts, gy_human_s(s->restarts), a);
    if (s->deadlines_met + s->deadlines_missed > 0) {
        line(out, "deadlines");
        gy_str_printf(out, "%" PRIu64 " of %" PRIu64 " met\n", s->deadlines_met,
                      s->deadlines_met + s->deadlines_missed);
    }
    for (uint64_t i = 0; i < r->nwarnings; i++)
        gy_str_printf(out, "warning: %s\n", r->warnings[i]);
}
