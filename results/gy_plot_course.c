/* gy_plot_course.c - GPUs busy and jobs queued over time, a panel for each policy; see gy_plot_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "gy_human.h"
#include "gy_plot_internal.h"

enum {
    STRETCHES = 360, /* drawn over the width of a figure */
    TICKS = 12       /* of the time axis */
};

/* Pieces of time that are drawn as one value. */
struct stretches {
    const gy_series *s;
    uint64_t n;
    int64_t width_us; /* 0: the steps as they are */
};

static struct stretches stretches_of(const gy_series *s)
{
    struct stretches k = {.s = s};
    int64_t length = s->end_us - s->start_us;
    if (s->nsteps && s->nsteps <= STRETCHES) {
        k.n = s->nsteps;
        return k;
    }
    if (length <= 0)
        return k;
    k.width_us = (length + STRETCHES - 1) / STRETCHES;
    if (s->width_us) /* whole buckets, so that the sums stay exact */
        k.width_us = (k.width_us + s->width_us - 1) / s->width_us * s->width_us;
    k.n = (uint64_t)((length + k.width_us - 1) / k.width_us);
    return k;
}

/* Stretch i: its beginning, its end and the sums in it. */
static void stretch(const struct stretches *k, uint64_t i, int64_t *from, int64_t *to, gy_bucket *b)
{
    const gy_series *s = k->s;
    if (k->width_us) {
        *from = s->start_us + (int64_t)i * k->width_us;
        *to = *from + k->width_us < s->end_us ? *from + k->width_us : s->end_us;
        gy_series_sum(s, *from, *to, b);
        return;
    }
    *from = s->steps[i].t_us;
    *to = i + 1 < s->nsteps ? s->steps[i + 1].t_us : s->end_us;
    for (int v = 0; v < GY_SERIES; v++) {
        b->integral[v] = (gy_i128)s->steps[i].v[v] * (*to - *from);
        b->max[v] = s->steps[i].v[v];
    }
}

static void put_row(const struct plot *p, size_t i, gy_out *out, const char *t, const double *v, size_t n)
{
    char buf[GY_HUMAN];
    gy_plot_csv_run(p, i, out);
    gy_out_printf(out, ",%s", t);
    for (size_t k = 0; k < n; k++) {
        gy_put_double(buf, v[k]);
        gy_out_printf(out, ",%s", buf);
    }
    gy_out_text(out, "\n");
}

/* The corners of the curves: two rows for each stretch, at its beginning and at its end. */
static void put_csv(const struct plot *p, gy_out *out, int series, double scale, const char *columns)
{
    char t[GY_HUMAN];
    size_t ncolumns = series == GY_SERIES_BUSY ? 3 : 2;
    gy_out_printf(out, "run,policy,time_s,%s\n", columns);
    for (size_t i = 0; i < p->n; i++) {
        struct stretches k = stretches_of(&p->runs[i]->series);
        for (uint64_t j = 0; j < k.n; j++) {
            int64_t from, to;
            gy_bucket b;
            stretch(&k, j, &from, &to, &b);
            if (to <= from)
                continue;
            double length = (double)(to - from) * scale;
            double down = (double)b.integral[GY_SERIES_DOWN] / ((double)(to - from) * 1000);
            const double v[3] = {(double)b.integral[series] / length, (double)b.max[series] / scale,
                                 (double)p->runs[i]->summary.gpus - down};
            gy_put_us(t, from);
            put_row(p, i, out, t, v, ncolumns);
            gy_put_us(t, to);
            put_row(p, i, out, t, v, ncolumns);
        }
    }
}

static double largest(const struct plot *p, int series)
{
    uint64_t most = 0;
    for (size_t i = 0; i < p->n; i++) {
        const gy_series *s = &p->runs[i]->series;
        gy_bucket b;
        gy_series_sum(s, s->start_us, INT64_MAX, &b);
        most = b.max[series] > most ? b.max[series] : most;
    }
    return (double)most;
}

/* Ticks of the time axis lie at round times from the trace's zero, wherever the run begins. */
static void put_time_axis(const struct plot *p, gy_str *out)
{
    int64_t start = INT64_MAX, end = INT64_MIN, width = 0;
    for (size_t i = 0; i < p->n; i++) {
        const gy_series *s = &p->runs[i]->series;
        struct stretches k = stretches_of(s);
        start = s->start_us < start ? s->start_us : start;
        end = s->end_us > end ? s->end_us : end;
        width = k.width_us > width ? k.width_us : width;
    }
    double from = (double)start / GY_US_PER_S, to = (double)end / GY_US_PER_S, at[TICKS + 2];
    size_t n = gy_human_ticks(to - from, at, TICKS);
    double step = n > 1 ? at[1] : to - from;
    double tick = (double)(int64_t)(from / step) * step;
    if (from - tick < (to - from) / 50) /* a little room to the left is better than no tick there */
        from = tick < from ? tick : from;
    size_t count = 0;
    for (; tick <= to * (1 + 1e-9) && count < TICKS + 2; tick += step)
        if (tick >= from)
            at[count++] = tick;
    gy_str_printf(out, "set xrange [%.9g:%.9g]\n", from, to > from ? to : from + 1);
    gy_str_puts(out, "named_ticks = \"");
    gy_plot_ticks(out, at, count, true);
    gy_str_puts(out, "\"\nbare_ticks = \"");
    gy_plot_ticks(out, at, count, false);
    char label[GY_HUMAN];
    gy_human_time(label, (double)width / GY_US_PER_S, " ");
    gy_str_puts(out, "\"\ntime_label = 'time since the zero of the trace");
    if (width)
        gy_str_printf(out, "; area: mean over at most %s, line: largest value", label);
    gy_str_puts(out, "'\n");
}

/* Two or three ticks on the short axis of a panel: 1, 2 or 5 times a power of ten, whole numbers. */
static double tidy_step(double top)
{
    double step = 1;
    for (int k = 0; top / step > 3.999; k++)
        step *= k % 3 == 1 ? 2.5 : 2;
    return step;
}

static void put_settings(const struct plot *p, gy_str *out, double top, const char *name, bool available)
{
    enum { PANEL = 92, REST = 72, MARGIN_TOP = 24 };
    unsigned height = (unsigned)p->n * PANEL + REST;
    gy_plot_array(out, "label", p, gy_plot_label);
    gy_plot_terminals(out, 940, height, "7.0");
    top = top > 0 ? top : 1;
    gy_str_printf(out, "top = %.9g\nstep = %.9g\navailable = %d\n", top, tidy_step(top), available);
    gy_str_printf(out, "bottom_margin = %.4f\ntop_margin = %.4f\ngap = %.4f\n", (REST - 8.0) / height,
                  1 - (double)MARGIN_TOP / height, (double)MARGIN_TOP / height);
    gy_str_printf(out, "name = '%s'\n", name);
    put_time_axis(p, out);
}

bool gy_course_sums(const struct plot *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (stretches_of(&p->runs[i]->series).width_us > 0)
            return true;
    return false;
}

bool gy_course_empty(const struct plot *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->runs[i]->series.end_us > p->runs[i]->series.start_us)
            return false;
    return true;
}

void gy_course_busy_csv(const struct plot *p, gy_out *out)
{
    put_csv(p, out, GY_SERIES_BUSY, 1000, "busy_gpus_mean,busy_gpus_max,available_gpus_mean");
}

void gy_course_busy_settings(const struct plot *p, gy_str *out)
{
    uint64_t gpus = 0;
    for (size_t i = 0; i < p->n; i++)
        gpus = p->runs[i]->summary.gpus > gpus ? p->runs[i]->summary.gpus : gpus;
    put_settings(p, out, (double)gpus, "GPUs busy", true);
}

void gy_course_queue_csv(const struct plot *p, gy_out *out)
{
    put_csv(p, out, GY_SERIES_JOBS, 1, "queued_jobs_mean,queued_jobs_max");
}

void gy_course_queue_settings(const struct plot *p, gy_str *out)
{
    put_settings(p, out, largest(p, GY_SERIES_JOBS), "jobs queued", false);
}
