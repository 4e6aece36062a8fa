/* gy_plot_bars.c - the headline figures as bars, a row for each policy; see gy_plot_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>

#include "gy_compare.h"
#include "gy_human.h"
#include "gy_plot_internal.h"

enum { PANELS = 3 };

static double wait_mean(const gy_summary *s)
{
    return gy_time_mean_s(&s->wait);
}

static double jct_mean(const gy_summary *s)
{
    return gy_time_mean_s(&s->jct);
}

static double utilization(const gy_summary *s)
{
    return s->utilization_installed;
}

static const struct {
    const char *column, *name, *text; /* text: name of the array with the bars' labels */
    gy_column_kind kind;
    double (*value)(const gy_summary *s);
} panels[PANELS] = {
    {"wait_mean_s", "mean wait", "text1", GY_COLUMN_TIME, wait_mean},
    {"jct_mean_s", "mean completion time", "text2", GY_COLUMN_TIME, jct_mean},
    {"utilization", "utilisation of installed GPUs", "text3", GY_COLUMN_PERCENT, utilization},
};

bool gy_bars_empty(const struct plot *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->runs[i]->summary.submitted > 0)
            return false;
    return true;
}

void gy_bars_csv(const struct plot *p, gy_out *out)
{
    char buf[GY_HUMAN];
    gy_out_text(out, "run,policy");
    for (int k = 0; k < PANELS; k++)
        gy_out_printf(out, ",%s", panels[k].column);
    gy_out_text(out, "\n");
    for (size_t i = 0; i < p->n; i++) {
        gy_plot_csv_run(p, i, out);
        for (int k = 0; k < PANELS; k++) {
            double v = panels[k].value(&p->runs[i]->summary);
            gy_put_double(buf, v);
            gy_out_printf(out, ",%s", isnan(v) ? "" : buf);
        }
        gy_out_text(out, "\n");
    }
}

static void put_text(gy_str *out, int panel, const gy_run_digest *r)
{
    char buf[GY_HUMAN];
    double v = panels[panel].value(&r->summary);
    if (panels[panel].kind == GY_COLUMN_TIME)
        gy_human_time(buf, v, " ");
    else
        gy_human_percent(buf, v);
    gy_str_puts(out, buf);
}

static void text1(const struct plot *p, size_t i, gy_str *out)
{
    put_text(out, 0, p->runs[i]);
}

static void text2(const struct plot *p, size_t i, gy_str *out)
{
    put_text(out, 1, p->runs[i]);
}

static void text3(const struct plot *p, size_t i, gy_str *out)
{
    put_text(out, 2, p->runs[i]);
}

/* The longest bar leaves room for its label; zero is where the bars begin. */
static void put_time_panel(const struct plot *p, gy_str *out, int panel)
{
    double most = 0, at[8];
    for (size_t i = 0; i < p->n; i++) {
        double v = panels[panel].value(&p->runs[i]->summary);
        most = v > most ? v : most;
    }
    size_t n = most > 0 ? gy_human_ticks(most, at, 5) : 1;
    if (most <= 0) { /* no bar has a length: an axis would say nothing */
        at[0] = 0;
        most = 1;
    }
    gy_str_printf(out, "panel%d = \"set xrange [0:%.9g]; ", panel + 1, most * 1.42);
    gy_plot_ticks(out, at, n, true);
    gy_str_printf(out, "; set xlabel '%s'\"\n", panels[panel].name);
}

void gy_bars_settings(const struct plot *p, gy_str *out)
{
    enum { ROW = 26, REST = 78, WIDTH = 940 };
    static void (*const texts[PANELS])(const struct plot *p, size_t i, gy_str *out) = {text1, text2, text3};
    unsigned height = (unsigned)p->n * ROW + REST;
    gy_str label = {0};
    size_t widest = 4;
    for (size_t i = 0; i < p->n; i++) {
        label.n = 0;
        gy_plot_label(p, i, &label);
        widest = label.n > widest ? label.n : widest;
    }
    gy_str_fini(&label);
    gy_plot_array(out, "label", p, gy_plot_label);
    for (int k = 0; k < PANELS; k++)
        gy_plot_array(out, panels[k].text, p, texts[k]);
    gy_plot_terminals(out, WIDTH, height, "7.0");
    double left = 0.02 + 0.0078 * (double)widest;
    gy_str_printf(out, "left_margin = %.4f\nbottom_margin = %.4f\ntop_margin = %.4f\n",
                  left < 0.4 ? left : 0.4, 68.0 / height, 1 - 8.0 / height);
    put_time_panel(p, out, 0);
    put_time_panel(p, out, 1);
    gy_str_printf(
        out,
        "panel3 = \"set xrange [0:1.42]; set xtics ('0' 0, '50%%%%' 0.5, '100%%%%' 1); set xlabel '%s'\"\n",
        panels[2].name);
}
