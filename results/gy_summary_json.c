/* gy_summary_json.c - summary.json; see gy_summary.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "gy_summary.h"

/* GPU time is in thousandths of a GPU times microseconds. */
enum { GPU_TIME_DIGITS = 9 };

static void put_time_dist_members(gy_json_out *w, const gy_time_dist *d)
{
    gy_json_put_double(w, "mean", gy_time_mean_s(d));
    gy_json_put_us(w, "p50", d->p50_us);
    gy_json_put_us(w, "p90", d->p90_us);
    gy_json_put_us(w, "p95", d->p95_us);
    gy_json_put_us(w, "p99", d->p99_us);
    gy_json_put_us(w, "max", d->max_us);
    gy_json_put_int(w, "n", (int64_t)d->n);
}

static void put_time_dist(gy_json_out *w, const char *key, const gy_time_dist *d)
{
    gy_json_open_flat(w, key, '{');
    put_time_dist_members(w, d);
    gy_json_close(w, '}');
}

static void put_real_dist_members(gy_json_out *w, const gy_real_dist *d)
{
    gy_json_put_double(w, "mean", d->mean);
    gy_json_put_double(w, "p50", d->p50);
    gy_json_put_double(w, "p90", d->p90);
    gy_json_put_double(w, "p95", d->p95);
    gy_json_put_double(w, "p99", d->p99);
    gy_json_put_double(w, "max", d->max);
    gy_json_put_int(w, "n", (int64_t)d->n);
}

static void put_jobs(gy_json_out *w, const gy_summary *s)
{
    gy_json_open_flat(w, "jobs", '{');
    gy_json_put_int(w, "submitted", (int64_t)s->submitted);
    for (int k = GY_STATE_FINISHED; k < GY_STATES; k++)
        gy_json_put_int(w, gy_state_names[k], (int64_t)s->by_state[k].submitted);
    gy_json_close(w, '}');
}

static void put_jct(gy_json_out *w, const gy_summary *s)
{
    gy_json_open_flat(w, "jct_s", '{');
    put_time_dist_members(w, &s->jct);
    gy_json_put_int(w, "of", (int64_t)s->of);
    gy_json_put_double(w, "lower_bound_mean", gy_mean_of(s->lower_bound_us, s->of, GY_US_PER_S));
    gy_json_close(w, '}');
}

static void put_states(gy_json_out *w, const gy_summary *s)
{
    gy_json_open(w, "by_state", '{');
    for (int k = GY_STATE_FINISHED; k < GY_STATES; k++) {
        gy_json_open_flat(w, gy_state_names[k], '{');
        gy_json_put_int(w, "jobs", (int64_t)s->by_state[k].submitted);
        put_time_dist(w, "jct_s", &s->by_state[k].jct);
        gy_json_put_i128(w, "gpu_s", s->by_state[k].job_gpu, GPU_TIME_DIGITS);
        gy_json_close(w, '}');
    }
    gy_json_close(w, '}');
}

static void put_gpu_time(gy_json_out *w, const gy_ledger *g)
{
    const struct {
        const char *key;
        gy_i128 v;
    } parts[] = {
        {"installed", g->installed},
        {"useful", g->useful},
        {"overhead", g->overhead},
        {"lost_preemption", g->lost_preemption},
        {"lost_failure", g->lost_failure},
        {"idle", g->idle},
        {"down", g->down},
    };
    gy_json_open(w, "gpu_s", '{');
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        gy_json_put_i128(w, parts[i].key, parts[i].v, GPU_TIME_DIGITS);
    gy_json_close(w, '}');
}

static void put_fairness(gy_json_out *w, const gy_summary *s)
{
    gy_json_open(w, "fairness", '{');
    gy_json_put_text(w, "unit", "user");
    gy_json_put_int(w, "users", (int64_t)s->users);
    gy_json_put_double(w, "jain", s->jain);
    gy_json_put_double(w, "max_min_ratio", s->max_min_ratio);
    gy_json_open_flat(w, "ftf", '{');
    put_real_dist_members(w, &s->ftf);
    gy_json_close(w, '}');
    gy_json_close(w, '}');
}

static void put_machine(gy_json_out *w, const gy_summary *s)
{
    gy_json_open_flat(w, "utilization", '{');
    gy_json_put_double(w, "installed", s->utilization_installed);
    gy_json_put_double(w, "available", s->utilization_available);
    gy_json_put_double(w, "max", s->utilization_max);
    gy_json_close(w, '}');
    gy_json_put_int(w, "gpus", (int64_t)s->gpus);
    put_gpu_time(w, &s->gpu);
    gy_json_put_int(w, "preemptions", (int64_t)s->preemptions);
    gy_json_put_int(w, "restarts", (int64_t)s->restarts);
    gy_json_put_us(w, "makespan_s", s->makespan_us);
    gy_json_open_flat(w, "window", '{');
    gy_json_put_us(w, "start_s", s->window_start_us);
    gy_json_put_us(w, "end_s", s->window_end_us);
    gy_json_close(w, '}');
}

static void put_course(gy_json_out *w, const gy_summary *s)
{
    char digest[24];
    snprintf(digest, sizeof digest, "%016" PRIx64, s->digest);
    gy_json_open_flat(w, "deadlines", '{');
    gy_json_put_int(w, "met", (int64_t)s->deadlines_met);
    gy_json_put_int(w, "missed", (int64_t)s->deadlines_missed);
    gy_json_close(w, '}');
    put_fairness(w, s);
    gy_json_open_flat(w, "counts", '{');
    gy_json_put_int(w, "events", (int64_t)s->events);
    gy_json_put_int(w, "passes", (int64_t)s->passes);
    gy_json_put_int(w, "starts", (int64_t)s->starts);
    gy_json_put_int(w, "stops", (int64_t)s->stops);
    gy_json_close(w, '}');
    gy_json_put_text(w, "digest", digest);
    gy_json_put_text(w, "quantiles", "nearest rank, ceil(q n)");
}

void gy_summary_put(gy_json_out *w, const char *key, const gy_summary *s)
{
    gy_json_open(w, key, '{');
    put_jobs(w, s);
    put_time_dist(w, "wait_s", &s->wait);
    put_time_dist(w, "total_wait_s", &s->total_wait);
    put_jct(w, s);
    put_states(w, s);
    gy_json_open_flat(w, "bounded_slowdown", '{');
    put_real_dist_members(w, &s->slowdown);
    gy_json_put_us(w, "tau_s", s->tau_us);
    gy_json_close(w, '}');
    put_machine(w, s);
    put_course(w, s);
    gy_json_close(w, '}');
}

void gy_summary_write(const gy_summary *s, gy_out *out)
{
    gy_json_out w = {.out = out};
    gy_summary_put(&w, NULL, s);
}
