/* gy_report_run.c - the details of one run; see gy_report_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <math.h>

#include "gy_human.h"
#include "gy_report_internal.h"

#define COUNT(heads) (sizeof(heads) / sizeof *(heads))

static double seconds(int64_t us)
{
    return us == GY_NEVER ? NAN : (double)us / GY_US_PER_S;
}

static void put_six(gy_out *out, const char *name, gy_column_kind kind, const double v[6], uint64_t n,
                    uint64_t of)
{
    gy_out_text(out, "<tr>");
    gy_html_cell_text(out, name);
    for (int i = 0; i < 6; i++)
        gy_html_cell(out, kind, v[i]);
    gy_html_cell(out, GY_COLUMN_COUNT, (double)n);
    gy_html_cell(out, GY_COLUMN_COUNT, (double)of);
    gy_out_text(out, "</tr>\n");
}

static void put_times(gy_out *out, const char *name, const gy_time_dist *d, uint64_t of)
{
    const double v[6] = {gy_time_mean_s(d),  seconds(d->p50_us), seconds(d->p90_us),
                         seconds(d->p95_us), seconds(d->p99_us), seconds(d->max_us)};
    put_six(out, name, GY_COLUMN_TIME, v, d->n, of);
}

static void put_ratios(gy_out *out, const char *name, const gy_real_dist *d, uint64_t of)
{
    const double v[6] = {d->mean, d->p50, d->p90, d->p95, d->p99, d->max};
    put_six(out, name, GY_COLUMN_RATIO, v, d->n, of);
}

static void put_distributions(gy_out *out, const gy_summary *s)
{
    static const char *const heads[] = {"figure", "mean", "p50", "p90", "p95", "p99", "max", "jobs", "of"};
    gy_html_table(out, "Distributions", heads, COUNT(heads));
    put_times(out, "wait", &s->wait, s->of);
    put_times(out, "total wait", &s->total_wait, s->of);
    put_times(out, "completion time", &s->jct, s->of);
    put_ratios(out, "bounded slowdown", &s->slowdown, s->of);
    put_ratios(out, "finish-time fairness", &s->ftf, s->of);
    gy_html_table_end(out);
}

static void put_states(gy_out *out, const gy_summary *s)
{
    static const char *const heads[] = {"state", "jobs", "share", "completion, mean",
                                        "p50",   "p95",  "max",   "GPU time"};
    gy_html_table(out, "Jobs by state", heads, COUNT(heads));
    for (int k = GY_STATE_FINISHED; k < GY_STATES; k++) {
        const gy_group_row *r = &s->by_state[k];
        if (r->submitted == 0)
            continue;
        gy_out_text(out, "<tr>");
        gy_html_cell_text(out, gy_state_names[k]);
        gy_html_cell(out, GY_COLUMN_COUNT, (double)r->submitted);
        gy_html_cell(out, GY_COLUMN_PERCENT, (double)r->submitted / (double)s->submitted);
        gy_html_cell_times(out, &r->jct);
        gy_html_cell_gpu(out, r->job_gpu);
        gy_out_text(out, "</tr>\n");
    }
    gy_html_table_end(out);
}

static void put_sizes(gy_out *out, const gy_run_digest *r)
{
    static const char *const heads[] = {"GPUs", "jobs", "started", "wait, mean",
                                        "p50",  "p95",  "max",     "completion, mean",
                                        "p50",  "p95",  "max",     "GPU time"};
    gy_html_table(out, "By size of the job", heads, COUNT(heads));
    for (uint32_t k = 0; k < GY_SIZE_CLASSES; k++) {
        const gy_group_row *row = &r->sizes[k];
        if (row->submitted == 0)
            continue;
        gy_out_text(out, "<tr>");
        gy_html_cell_text(out, gy_size_names[k]);
        gy_html_cell(out, GY_COLUMN_COUNT, (double)row->submitted);
        gy_html_cell(out, GY_COLUMN_COUNT, (double)row->wait.n);
        gy_html_cell_times(out, &row->wait);
        gy_html_cell_times(out, &row->jct);
        gy_html_cell_gpu(out, row->job_gpu);
        gy_out_text(out, "</tr>\n");
    }
    gy_html_table_end(out);
}

static void put_top(gy_out *out, const char *caption, const char *what, const char *file,
                    const gy_top_groups *top, gy_i128 held)
{
    const char *heads[] = {what,  "jobs", "finished", "GPU time in window", "share", "wait, mean",
                           "p50", "p95",  "max",      "completion, mean",   "p50",   "p95",
                           "max"};
    gy_str text = {0};
    if (top->nrows < top->all)
        gy_str_printf(&text, "%s: the %" PRIu64 " of %" PRIu64 " that held most GPU time (all: %s)", caption,
                      top->nrows, top->all, file);
    else
        gy_str_printf(&text, "%s, by the GPU time they held", caption);
    gy_html_table(out, text.s, heads, COUNT(heads));
    gy_str_fini(&text);
    for (uint64_t i = 0; i < top->nrows; i++) {
        const gy_group_row *r = &top->rows[i].row;
        gy_out_text(out, "<tr>");
        gy_html_cell_text(out, top->rows[i].name[0] ? top->rows[i].name : "(none)");
        gy_html_cell(out, GY_COLUMN_COUNT, (double)r->submitted);
        gy_html_cell(out, GY_COLUMN_COUNT, (double)r->jobs[GY_STATE_FINISHED]);
        gy_html_cell_gpu(out, r->held);
        gy_html_cell(out, GY_COLUMN_PERCENT, held > 0 ? (double)r->held / (double)held : NAN);
        gy_html_cell_times(out, &r->wait);
        gy_html_cell_times(out, &r->jct);
        gy_out_text(out, "</tr>\n");
    }
    gy_html_table_end(out);
}

static void put_sentence(gy_out *out, const gy_summary *s)
{
    char a[GY_HUMAN], b[GY_HUMAN], c[GY_HUMAN], start[64], end[64];
    gy_put_human(start, s->window_start_us);
    gy_put_human(end, s->window_end_us);
    gy_human_percent(a, s->utilization_installed);
    gy_human_percent(b, s->utilization_available);
    gy_human_percent(c, s->utilization_max);
    gy_out_printf(out,
                  "<p>Window %s to %s. GPUs held: %s of installed, %s of available, at most %s at an "
                  "instant. ",
                  start, end, a, b, c);
    gy_human_ratio(a, s->jain);
    gy_human_ratio(b, s->max_min_ratio);
    gy_out_printf(out, "Jain index %s over %" PRIu64 " user%s, largest over smallest %s. ", a, s->users,
                  gy_human_s(s->users), b);
    gy_human_count(a, s->preemptions);
    gy_human_count(b, s->restarts);
    gy_out_printf(out, "%s preemption%s, %s restart%s. ", a, gy_human_s(s->preemptions), b,
                  gy_human_s(s->restarts));
    if (s->deadlines_met + s->deadlines_missed > 0)
        gy_out_printf(out, "%" PRIu64 " of %" PRIu64 " deadlines met. ", s->deadlines_met,
                      s->deadlines_met + s->deadlines_missed);
    if (gy_summary_unfinished(s) > 0) {
        gy_human_count(a, gy_summary_unfinished(s));
        gy_human_time(b, gy_mean_of(s->lower_bound_us, s->of, GY_US_PER_S), "&nbsp;");
        gy_out_printf(out,
                      "%s job%s had not ended: counted up to the end of the window, the mean completion time "
                      "of all jobs is at least %s. ",
                      a, gy_human_s(gy_summary_unfinished(s)), b);
    }
    gy_out_printf(out, "Digest <code>%016" PRIx64 "</code>.</p>\n", s->digest);
}

void gy_report_run(const struct page *p, size_t run)
{
    const gy_run_digest *r = p->runs[run];
    gy_out_printf(p->out, "<details%s><summary>", p->n == 1 ? " open" : "");
    gy_html_policy(p, run);
    gy_out_text(p->out, "</summary>\n");
    put_sentence(p->out, &r->summary);
    if (r->summary.submitted > 0) {
        put_distributions(p->out, &r->summary);
        put_states(p->out, &r->summary);
        put_sizes(p->out, r);
    }
    if (r->users.nrows > 0)
        put_top(p->out, "Users", "user", "users.csv", &r->users, r->summary.held);
    if (r->queues.all > 1)
        put_top(p->out, "Queues", "queue", "queues.csv", &r->queues, r->summary.held);
    gy_out_text(p->out, "</details>\n");
}
