/* gy_compare.c - the figures that policies are compared by; see gy_compare.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_compare.h"

#include <math.h>
#include <string.h>

#include "gy_human.h"

static double seconds(int64_t us)
{
    return us == GY_NEVER ? NAN : (double)us / GY_US_PER_S;
}

/* A getter for each figure: C has no pointers to members of members. */
#define GETTER(name, expression)                                                                             \
    static double name(const gy_summary *s)                                                                  \
    {                                                                                                        \
        return expression;                                                                                   \
    }
GETTER(wait_mean, gy_time_mean_s(&s->wait))
GETTER(wait_p50, seconds(s->wait.p50_us))
GETTER(wait_p95, seconds(s->wait.p95_us))
GETTER(wait_p99, seconds(s->wait.p99_us))
GETTER(total_wait_mean, gy_time_mean_s(&s->total_wait))
GETTER(wait_max, seconds(s->wait.max_us))
GETTER(jct_mean, gy_time_mean_s(&s->jct))
GETTER(jct_p50, seconds(s->jct.p50_us))
GETTER(jct_p95, seconds(s->jct.p95_us))
GETTER(jct_p99, seconds(s->jct.p99_us))
GETTER(jct_bound, gy_mean_of(s->lower_bound_us, s->of, GY_US_PER_S))
GETTER(slowdown_mean, s->slowdown.mean)
GETTER(ftf_mean, s->ftf.mean)
GETTER(ftf_max, s->ftf.max)
GETTER(utilization, s->utilization_installed)
GETTER(preemptions, (double)s->preemptions)
GETTER(jain, s->jain)
GETTER(makespan, seconds(s->makespan_us))
#undef GETTER

static uint64_t over_started(const gy_summary *s)
{
    return s->wait.n;
}

static uint64_t over_finished(const gy_summary *s)
{
    return s->jct.n;
}

static uint64_t over_ended(const gy_summary *s)
{
    return s->of - gy_summary_unfinished(s);
}

enum { BOTH = GY_SHOW_TERMINAL | GY_SHOW_PAGE };

const gy_compare_column gy_compare_columns[] = {
    {"wait_mean_s", "wait", "mean", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, wait_mean, over_started},
    {"wait_p50_s", "wait", "p50", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, wait_p50, over_started},
    {"wait_p95_s", "wait", "p95", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, wait_p95, over_started},
    {"wait_p99_s", "wait", "p99", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, wait_p99, over_started},
    {"wait_max_s", "wait", "max", GY_COLUMN_TIME, GY_BETTER_LOW, 0, wait_max, over_started},
    {"total_wait_mean_s", "wait", "total", GY_COLUMN_TIME, GY_BETTER_LOW, GY_SHOW_PAGE, total_wait_mean,
     over_ended},
    {"jct_mean_s", "JCT", "mean", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, jct_mean, over_finished},
    {"jct_p50_s", "JCT", "p50", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, jct_p50, over_finished},
    {"jct_p95_s", "JCT", "p95", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, jct_p95, over_finished},
    {"jct_p99_s", "JCT", "p99", GY_COLUMN_TIME, GY_BETTER_LOW, 0, jct_p99, over_finished},
    {"jct_lower_bound_s", "JCT", "bound", GY_COLUMN_TIME, GY_BETTER_LOW, GY_SHOW_PAGE, jct_bound, NULL},
    {"bounded_slowdown", "slow-", "down", GY_COLUMN_RATIO, GY_BETTER_LOW, BOTH, slowdown_mean, over_finished},
    {"utilization", "utili-", "sation", GY_COLUMN_PERCENT, GY_BETTER_HIGH, BOTH, utilization, NULL},
    {"preemptions", "pre-", "empted", GY_COLUMN_COUNT, GY_BETTER_NONE, BOTH, preemptions, NULL},
    {"jain", "Jain", "index", GY_COLUMN_RATIO, GY_BETTER_HIGH, BOTH, jain, NULL},
    {"ftf_mean", "FTF", "mean", GY_COLUMN_RATIO, GY_BETTER_LOW, 0, ftf_mean, over_finished},
    {"ftf_max", "FTF", "max", GY_COLUMN_RATIO, GY_BETTER_LOW, 0, ftf_max, over_finished},
    {"makespan_s", "make-", "span", GY_COLUMN_TIME, GY_BETTER_LOW, BOTH, makespan, over_ended},
    {.key = NULL},
};

static bool comparable(const gy_compare_column *c, const gy_run_digest *r, uint64_t over)
{
    return !r->reason && !r->oracle && !isnan(c->value(&r->summary)) &&
           (!c->over || c->over(&r->summary) == over);
}

/* The largest number of jobs that some row's figure is over, oracles counted: a policy that finished fewer
 * jobs than another has no comparable mean. */
static uint64_t most_jobs(const gy_compare_column *c, const gy_run_digest *const *runs, size_t n)
{
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        if (c->over && !runs[i]->reason && c->over(&runs[i]->summary) > most)
            most = c->over(&runs[i]->summary);
    return most;
}

void gy_compare_best(const gy_compare_column *c, const gy_run_digest *const *runs, size_t n, bool *best)
{
    uint64_t over = most_jobs(c, runs, n);
    size_t rows = 0, equal = 0;
    double top = NAN;
    memset(best, 0, n * sizeof *best);
    for (size_t i = 0; i < n && c->better != GY_BETTER_NONE; i++) {
        if (!comparable(c, runs[i], over))
            continue;
        double v = c->value(&runs[i]->summary);
        bool better = isnan(top) || (c->better == GY_BETTER_LOW ? v < top : v > top);
        top = better ? v : top;
        rows++;
    }
    char most[GY_HUMAN], text[GY_HUMAN];
    if (rows > 0)
        gy_column_text(most, c->kind, top);
    for (size_t i = 0; i < n && rows > 0; i++) { /* a reader cannot tell what is rounded to the same digits */
        if (!comparable(c, runs[i], over))
            continue;
        gy_column_text(text, c->kind, c->value(&runs[i]->summary));
        best[i] = strcmp(text, most) == 0;
        equal += best[i];
    }
    if (rows < 2 || equal == rows) /* nothing to choose between */
        memset(best, 0, n * sizeof *best);
}

char *gy_column_text(char out[48], gy_column_kind kind, double v)
{
    _Static_assert(GY_HUMAN == 48, "room as promised");
    switch (kind) {
    case GY_COLUMN_TIME: return gy_human_time(out, v, "");
    case GY_COLUMN_PERCENT: return gy_human_percent(out, v);
    case GY_COLUMN_RATIO: return gy_human_ratio(out, v);
    case GY_COLUMN_COUNT: break;
    }
    return gy_put_uint(out, (uint64_t)v);
}

void gy_compare_csv(gy_out *out, const gy_run_digest *const *runs, size_t n)
{
    char buf[GY_HUMAN];
    gy_out_text(out, "policy,oracle,submitted,finished,of");
    for (const gy_compare_column *c = gy_compare_columns; c->key; c++)
        gy_out_printf(out, ",%s", c->key);
    gy_out_text(out, ",reason\n");
    for (size_t i = 0; i < n; i++) {
        const gy_run_digest *r = runs[i];
        gy_out_cell(out, r->policy, strlen(r->policy));
        gy_out_text(out, r->oracle ? ",1" : ",0");
        const uint64_t counts[] = {r->summary.submitted, r->summary.jct.n, r->summary.of};
        for (size_t k = 0; k < 3; k++) {
            gy_put_uint(buf, counts[k]);
            gy_out_printf(out, ",%s", r->reason ? "" : buf);
        }
        for (const gy_compare_column *c = gy_compare_columns; c->key; c++) {
            double v = r->reason ? NAN : c->value(&r->summary);
            gy_put_double(buf, v);
            gy_out_printf(out, ",%s", isnan(v) ? "" : buf);
        }
        gy_out_text(out, ",");
        if (r->reason)
            gy_out_cell(out, r->reason, strlen(r->reason));
        gy_out_text(out, "\n");
    }
}

void gy_compare_json(gy_out *out, const gy_run_digest *const *runs, size_t n)
{
    gy_json_out w = {.out = out};
    gy_json_open(&w, NULL, '{');
    gy_json_open(&w, "runs", '[');
    for (size_t i = 0; i < n; i++) {
        gy_json_open(&w, NULL, '{');
        gy_json_put_text(&w, "policy", runs[i]->policy);
        gy_json_put_bool(&w, "oracle", runs[i]->oracle);
        if (runs[i]->reason) {
            gy_json_put_text(&w, "reason", runs[i]->reason);
            gy_json_put_null(&w, "summary");
        } else {
            gy_json_put_null(&w, "reason");
            gy_summary_put(&w, "summary", &runs[i]->summary);
        }
        gy_json_open(&w, "warnings", '[');
        for (uint64_t k = 0; k < runs[i]->nwarnings; k++)
            gy_json_put_text(&w, NULL, runs[i]->warnings[k]);
        gy_json_close(&w, ']');
        gy_json_close(&w, '}');
    }
    gy_json_close(&w, ']');
    gy_json_close(&w, '}');
}
