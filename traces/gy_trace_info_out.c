/* gy_trace_info_out.c - the facts of a trace as a table for people and as JSON.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <math.h>

#include "gy_stamp.h"
#include "gy_trace_info.h"

static const char *const weekdays[7] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

static const struct quantile {
    const char *name;
    size_t offset;
} quantiles[] = {
    {"min", offsetof(gy_spread, min_us)}, {"p25", offsetof(gy_spread, p25_us)},
    {"p50", offsetof(gy_spread, p50_us)}, {"p75", offsetof(gy_spread, p75_us)},
    {"p90", offsetof(gy_spread, p90_us)}, {"p95", offsetof(gy_spread, p95_us)},
    {"p99", offsetof(gy_spread, p99_us)}, {"max", offsetof(gy_spread, max_us)},
};
enum { NQUANTILES = sizeof quantiles / sizeof *quantiles };

static int64_t quantile_of(const gy_spread *s, size_t i)
{
    return *(const int64_t *)((const char *)s + quantiles[i].offset);
}

/* ---- text ---- */

static double percent(gy_i128 part, gy_i128 whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}

static double gpu_hours(gy_i128 gpu_time)
{
    return (double)gpu_time / 1000.0 / 3.6e9;
}

static void put_gpus(char *out, uint64_t milli)
{
    gy_put_fixed(out, (int64_t)milli, 3);
}

static void text_of_jobs(const gy_trace_info *x, gy_str *out)
{
    char from[64], to[64];
    gy_str_printf(out,
                  "jobs          %" PRIu64 ": %" PRIu64 " with GPUs (%" PRIu64
                  " with a share of one), %" PRIu64 " without, %" PRIu64 " MIG\n",
                  x->jobs, x->gpu_jobs, x->share_jobs, x->cpu_jobs, x->mig_jobs);
    gy_str_printf(out, "owners        %u users, %u groups, %u queues\n", x->users, x->groups, x->queues);
    gy_put_us(from, x->first_submit_us);
    gy_put_us(to, x->last_submit_us);
    gy_str_printf(out, "submitted     %s to %s s", from, to);
    gy_put_human(to, x->last_submit_us - x->first_submit_us);
    gy_str_printf(out, " (%s)", to);
    if (x->zero_epoch_us != GY_NEVER) {
        gy_put_stamp(from, x->zero_epoch_us + x->first_submit_us);
        gy_str_printf(out, ", from %s UTC", from);
    }
    gy_str_printf(
        out, "\nat one time   %" PRIu64 " jobs come together with another; at most %" PRIu64 " at once\n",
        x->same_instant, x->largest_batch);
    put_gpus(from, x->peak_gpus_milli);
    gy_put_us(to, x->peak_at_us);
    gy_str_printf(out, "GPU time      %.1f GPU hours; run at once, at most %s GPUs, at %s s\n",
                  gpu_hours(x->gpu_time), from, to);
    double load = gy_trace_info_load(x);
    if (isfinite(load))
        gy_str_printf(out, "offered load  %.3f of %" PRIu64 " GPUs\n", load, x->cluster_gpus);
    if (x->with_limit)
        gy_str_printf(out, "limits        %" PRIu64 " jobs have one; %" PRIu64 " run longer\n", x->with_limit,
                      x->over_limit);
    else
        gy_str_puts(out, "limits        no job has one\n");
}

static void text_of_spread(const char *name, const gy_spread *s, gy_str *out)
{
    char value[64];
    if (s->n == 0)
        return;
    gy_put_human(value, (int64_t)(s->sum_us / (gy_i128)s->n));
    gy_str_printf(out, "%-13s mean %s", name, value);
    for (size_t i = 0; i < NQUANTILES; i++) {
        gy_put_human(value, quantile_of(s, i));
        gy_str_printf(out, ", %s %s", quantiles[i].name, value);
    }
    gy_str_printf(out, " (n %" PRIu64 ", nearest rank)\n", s->n);
}

static void text_of_sizes(const gy_trace_info *x, gy_str *out)
{
    char gpus[32];
    gy_str_puts(out, "\n      GPUs       jobs   jobs %    GPU hours  GPU time %\n");
    for (size_t i = 0; i < x->nsizes; i++) {
        const gy_size_row *s = &x->sizes[i];
        put_gpus(gpus, s->gpus_milli);
        gy_str_printf(out, "%10s %10" PRIu64 "   %6.2f %12.1f      %6.2f\n", gpus, s->share.jobs,
                      percent((gy_i128)s->share.jobs, (gy_i128)x->jobs), gpu_hours(s->share.gpu_time),
                      percent(s->share.gpu_time, x->gpu_time));
    }
    gy_str_puts(out, "\n     state       jobs   jobs %    GPU hours  GPU time %\n");
    for (size_t i = 0; i < GY_LOG_STATES; i++) {
        const gy_share *s = &x->states[i];
        if (s->jobs)
            gy_str_printf(out, "%10s %10" PRIu64 "   %6.2f %12.1f      %6.2f\n", gy_log_state_names[i],
                          s->jobs, percent((gy_i128)s->jobs, (gy_i128)x->jobs), gpu_hours(s->gpu_time),
                          percent(s->gpu_time, x->gpu_time));
    }
}

static void text_of_calendar(const gy_trace_info *x, gy_str *out)
{
    if (!x->has_calendar)
        return;
    gy_str_printf(out, "\nsubmissions by hour (%s), 00 to 23:\n ", x->tz);
    for (size_t i = 0; i < 24; i++)
        gy_str_printf(out, " %" PRIu64 "%s", x->hours[i], i == 11 ? "\n " : "");
    gy_str_puts(out, "\nby weekday:\n ");
    for (size_t i = 0; i < 7; i++)
        gy_str_printf(out, " %s %" PRIu64, weekdays[i], x->weekdays[i]);
    gy_str_puts(out, "\n");
}

void gy_trace_info_text(const gy_trace_info *x, gy_str *out)
{
    text_of_jobs(x, out);
    text_of_spread("run time", &x->duration, out);
    if (x->gpu_jobs != x->jobs)
        text_of_spread("  with GPUs", &x->gpu_duration, out);
    text_of_spread("wait in log", &x->wait, out);
    text_of_sizes(x, out);
    text_of_calendar(x, out);
}

/* ---- JSON ---- */

/* Thousandths of a GPU times microseconds: nine digits make GPU seconds. */
static void json_of_share(const gy_share *s, gy_json_out *w)
{
    gy_json_put_int(w, "jobs", (int64_t)s->jobs);
    gy_json_put_i128(w, "gpu_s", s->gpu_time, 9);
}

static void json_of_spread(const char *key, const gy_spread *s, gy_json_out *w)
{
    gy_json_open(w, key, '{');
    gy_json_put_int(w, "n", (int64_t)s->n);
    gy_json_put_double(w, "mean", s->n ? (double)s->sum_us / 1e6 / (double)s->n : NAN);
    for (size_t i = 0; i < NQUANTILES; i++)
        gy_json_put_us(w, quantiles[i].name, s->n ? quantile_of(s, i) : GY_NEVER);
    gy_json_close(w, '}');
}

static void json_of_calendar(const gy_trace_info *x, gy_json_out *w)
{
    if (x->has_calendar)
        gy_json_put_text(w, "tz", x->tz);
    else
        gy_json_put_null(w, "tz");
    gy_json_open_flat(w, "submissions_by_hour", '[');
    for (size_t i = 0; x->has_calendar && i < 24; i++)
        gy_json_put_int(w, NULL, (int64_t)x->hours[i]);
    gy_json_close(w, ']');
    gy_json_open_flat(w, "submissions_by_weekday", '{');
    for (size_t i = 0; x->has_calendar && i < 7; i++)
        gy_json_put_int(w, weekdays[i], (int64_t)x->weekdays[i]);
    gy_json_close(w, '}');
}

static void json_of_counts(const gy_trace_info *x, gy_json_out *w)
{
    const struct {
        const char *key;
        uint64_t n;
    } counts[] = {{"jobs", x->jobs},
                  {"gpu_jobs", x->gpu_jobs},
                  {"share_jobs", x->share_jobs},
                  {"cpu_jobs", x->cpu_jobs},
                  {"mig_jobs", x->mig_jobs},
                  {"users", x->users},
                  {"groups", x->groups},
                  {"queues", x->queues},
                  {"same_instant", x->same_instant},
                  {"largest_batch", x->largest_batch},
                  {"with_limit", x->with_limit},
                  {"over_limit", x->over_limit},
                  {"with_gpu_type", x->with_type},
                  {"with_after", x->with_after},
                  {"with_deadline", x->with_deadline},
                  {"with_priority", x->with_priority},
                  {"with_model", x->with_model},
                  {"with_placed", x->with_placed},
                  {"not_preemptible", x->not_preemptible}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        gy_json_put_int(w, counts[i].key, (int64_t)counts[i].n);
}

void gy_trace_info_json(const gy_trace_info *x, gy_json_out *w)
{
    json_of_counts(x, w);
    gy_json_put_us(w, "first_submit_s", x->first_submit_us);
    gy_json_put_us(w, "last_submit_s", x->last_submit_us);
    gy_json_put_us(w, "span_s", x->last_submit_us - x->first_submit_us);
    gy_json_put_us(w, "zero_epoch_s", x->zero_epoch_us);
    gy_json_put_i128(w, "gpu_s", x->gpu_time, 9);
    gy_json_put_i128(w, "peak_gpus", x->peak_gpus_milli, 3);
    gy_json_put_us(w, "peak_at_s", x->peak_at_us);
    if (x->cluster_gpus)
        gy_json_put_int(w, "cluster_gpus", (int64_t)x->cluster_gpus);
    else
        gy_json_put_null(w, "cluster_gpus");
    gy_json_put_double(w, "offered_load", gy_trace_info_load(x));
    json_of_spread("duration_s", &x->duration, w);
    json_of_spread("gpu_duration_s", &x->gpu_duration, w);
    json_of_spread("wait_s", &x->wait, w);
    gy_json_open(w, "sizes", '[');
    for (size_t i = 0; i < x->nsizes; i++) {
        gy_json_open_flat(w, NULL, '{');
        gy_json_put_i128(w, "gpus", x->sizes[i].gpus_milli, 3);
        json_of_share(&x->sizes[i].share, w);
        gy_json_close(w, '}');
    }
    gy_json_close(w, ']');
    gy_json_open(w, "states", '{');
    for (size_t i = 0; i < GY_LOG_STATES; i++) {
        gy_json_open_flat(w, gy_log_state_names[i], '{');
        json_of_share(&x->states[i], w);
        gy_json_close(w, '}');
    }
    gy_json_close(w, '}');
    json_of_calendar(x, w);
}
