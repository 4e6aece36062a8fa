/* gy_plot.c - the list of figures and how one is made; see gy_plot.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_plot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gy_gnuplot.h"
#include "gy_human.h"
#include "gy_input.h"
#include "gy_plot_internal.h"

enum { NAME_HEAD = 20, NAME_TAIL = 12, NAME_MAX_SHOWN = NAME_HEAD + NAME_TAIL + 3 };

const struct figure_kind gy_figure_kinds[GY_FIGURES] = {
    {"cdf-wait", "Waiting time",
     "Share of the jobs (all but infeasible ones) that had started after waiting at most so long. A curve "
     "ends "
     "below 1 when jobs had not started by the end of the run.",
     NULL, "cdf.gp", gy_cdf_wait_empty, gy_cdf_wait_csv, gy_cdf_wait_settings},
    {"cdf-jct", "Job completion time",
     "Share of the finished and the unfinished jobs that were done so long after their submission. A curve "
     "ends below 1 when jobs were still running or queued; failed, killed and timed-out jobs are left out.",
     NULL, "cdf.gp", gy_cdf_jct_empty, gy_cdf_jct_csv, gy_cdf_jct_settings},
    {"gpus-busy", "GPUs busy", "GPUs held by jobs; the dashed line is what is installed less what is down.",
     "GPUs held by jobs. The area is the mean over each stretch of time, the thin line the largest value in "
     "it; the dashed line is what is installed less what is down.",
     "course.gp", gy_course_empty, gy_course_busy_csv, gy_course_busy_settings},
    {"jobs-queued", "Jobs queued", "Jobs that wait.",
     "Jobs that wait. The area is the mean over each stretch of time, the thin line the largest value in it.",
     "course.gp", gy_course_empty, gy_course_queue_csv, gy_course_queue_settings},
    {"bars", "At a glance",
     "Mean wait, mean completion time and GPU time held over GPU time installed. Axes begin at zero.", NULL,
     "bars.gp", gy_bars_empty, gy_bars_csv, gy_bars_settings},
};

const char *gy_figure_name(size_t k)
{
    return gy_figure_kinds[k].name;
}

const char *gy_plot_colour(size_t i)
{
    static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                          "#E69F00", "#56B4E9", "#777777", "#B8A800"};
    return colours[i % (sizeof colours / sizeof *colours)];
}

void gy_plot_quote(gy_str *out, const char *s)
{
    gy_str_puts(out, "'");
    for (; *s; s++) {
        char c = (unsigned char)*s < ' ' ? ' ' : *s;
        gy_str_add(out, &c, 1);
        if (c == '\'')
            gy_str_add(out, &c, 1);
    }
    gy_str_puts(out, "'");
}

void gy_plot_array(gy_str *out, const char *name, const struct plot *p,
                   void (*text)(const struct plot *p, size_t i, gy_str *out))
{
    gy_str one = {0};
    gy_str_printf(out, "array %s[%zu] = [", name, p->n);
    for (size_t i = 0; i < p->n; i++) {
        one.n = 0;
        text(p, i, &one);
        gy_str_puts(out, i ? ", " : "");
        gy_plot_quote(out, one.s);
    }
    gy_str_puts(out, "]\n");
    gy_str_fini(&one);
}

void gy_plot_label(const struct plot *p, size_t i, gy_str *out)
{
    const char *name = p->runs[i]->policy;
    size_t n = strlen(name);
    if (n > NAME_MAX_SHOWN) /* both ends tell settings apart better than one */
        gy_str_printf(out, "%.*s...%s", NAME_HEAD, name, name + n - NAME_TAIL);
    else
        gy_str_puts(out, name);
    if (p->runs[i]->oracle)
        gy_str_puts(out, " (oracle)");
}

static void colour_of(const struct plot *p, size_t i, gy_str *out)
{
    gy_str_puts(out, gy_plot_colour(p->number[i]));
}

void gy_plot_terminals(gy_str *out, unsigned width_px, unsigned height_px, const char *pdf_width_in)
{
    double width = atof(pdf_width_in);
    gy_str_printf(out,
                  "svg_terminal = \"set terminal svg size %u,%u dynamic noenhanced rounded linewidth 1 font "
                  "'Helvetica,13'\"\n",
                  width_px, height_px);
    gy_str_printf(
        out,
        "pdf_terminal = \"set terminal pdfcairo size %sin,%.2fin noenhanced rounded linewidth 0.8 font "
        "'Helvetica,8'\"\n",
        pdf_width_in, width * height_px / width_px);
}

void gy_plot_ticks(gy_str *out, const double *at, size_t n, bool named)
{
    char label[GY_HUMAN] = "";
    double step = n > 1 ? at[1] - at[0] : at[0];
    gy_str_puts(out, "set xtics (");
    for (size_t i = 0; i < n; i++) {
        if (named)
            gy_human_tick_in(label, at[i], step);
        gy_str_printf(out, "%s'%s' %.9g", i ? ", " : "", label, at[i]);
    }
    gy_str_puts(out, ")");
}

void gy_plot_csv_run(const struct plot *p, size_t i, gy_out *out)
{
    gy_out_printf(out, "%zu,", i + 1);
    gy_out_cell(out, p->runs[i]->policy, strlen(p->runs[i]->policy));
}

static const char *script_text(const char *name)
{
    for (const struct gy_embedded *s = gy_gnuplot_scripts; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s->text;
    gy_panic(__FILE__, __LINE__, "no gnuplot script %s", name);
}

static gy_rc write_inputs(gy_outdir *d, const struct figure_kind *kind, const struct plot *p, gy_err *e)
{
    gy_str name = {0}, settings = {0};
    gy_out *out;
    gy_str_printf(&name, "plots/%s.csv", kind->name);
    gy_rc rc = gy_outdir_file(d, name.s, false, &out, e);
    if (rc == GY_OK) {
        kind->csv(p, out);
        rc = gy_out_close(out, true, e);
    }
    name.n = 0;
    gy_str_printf(&name, "plots/%s.gp", kind->name);
    if (rc == GY_OK)
        rc = gy_outdir_file(d, name.s, false, &out, e);
    if (rc == GY_OK) {
        gy_str_printf(&settings,
                      "# %s.gp: draws %s.svg and %s.pdf from %s.csv.  In this folder: gnuplot %s.gp\n"
                      "base = '%s'\nn = %zu\n",
                      kind->name, kind->name, kind->name, kind->name, kind->name, kind->name, p->n);
        gy_plot_array(&settings, "colour", p, colour_of);
        kind->settings(p, &settings);
        gy_out_bytes(out, settings.s, settings.n);
        gy_out_text(out, script_text(kind->script));
        rc = gy_out_close(out, true, e);
    }
    gy_str_fini(&name);
    gy_str_fini(&settings);
    return rc;
}

/* The pictures become part of the folder only once they are there: a name that is announced must exist. */
static gy_rc keep_pictures(gy_outdir *d, const char *name, const char *stem, gy_figure *f, gy_err *e)
{
    static const char *const types[] = {"svg", "pdf"};
    gy_str path = {0};
    gy_rc rc = GY_OK;
    for (size_t i = 0; i < 2 && rc == GY_OK; i++) {
        const char *place;
        path.n = 0;
        gy_str_printf(&path, "plots/%s.%s", name, types[i]);
        rc = gy_outdir_place(d, path.s, &place, e);
    }
    path.n = 0;
    gy_str_printf(&path, "%s.pdf", stem);
    if (rc == GY_OK && !gy_pdf_fix_date(path.s))
        rc = gy_fail(e, GY_EIO,
                     "%s: not the PDF file that was expected of gnuplot; install gnuplot 5.4 or later",
                     path.s);
    path.n = 0;
    gy_str_printf(&path, "%s.svg", stem);
    size_t n;
    if (rc == GY_OK)
        rc = gy_read_file(path.s, &f->svg, &n, e);
    gy_str_fini(&path);
    return rc;
}

static void discard_pictures(const char *stem)
{
    static const char *const types[] = {"svg", "pdf"};
    gy_str path = {0};
    for (size_t i = 0; i < 2; i++) {
        path.n = 0;
        gy_str_printf(&path, "%s.%s", stem, types[i]);
        unlink(path.s);
    }
    gy_str_fini(&path);
}

static gy_rc draw(gy_outdir *d, const char *gnuplot, gy_figure *f, gy_str *warning, bool *missing, gy_err *e)
{
    gy_str name = {0}, why = {0};
    const char *place;
    gy_str_printf(&name, "plots/%s.gp", f->name);
    gy_rc rc = gy_outdir_place(d, name.s, &place, e);
    gy_str_fini(&name);
    if (rc != GY_OK)
        return rc;
    const char *slash = strrchr(place, '/');
    char *folder = gy_strndup(place, (size_t)(slash - place));
    char *script = gy_strndup(slash + 1, strlen(slash + 1));
    char *stem = gy_strndup(place, strlen(place) - strlen(".gp"));
    if (gy_gnuplot_run(gnuplot, folder, script, &why, missing)) {
        rc = keep_pictures(d, f->name, stem, f, e);
    } else {
        discard_pictures(stem);
        if (!warning->n)
            gy_str_printf(
                warning,
                "%s; figures have their .csv and .gp files only: install gnuplot (5.4 or later) and run "
                "`gnuplot FIGURE.gp` in plots/",
                why.s);
    }
    free(folder);
    free(script);
    free(stem);
    gy_str_fini(&why);
    return rc;
}

static gy_rc make_figures(gy_outdir *d, const struct plot *p, const char *gnuplot, gy_figures *figures,
                          gy_err *e)
{
    bool missing = false;
    for (size_t k = 0; k < GY_FIGURES && p->n > 0; k++) {
        const struct figure_kind *kind = &gy_figure_kinds[k];
        if (kind->empty(p))
            continue;
        gy_figure *f = &figures->list[figures->n++];
        bool sums = kind->caption_sums && gy_course_sums(p);
        *f = (gy_figure){
            .name = kind->name, .title = kind->title, .caption = sums ? kind->caption_sums : kind->caption};
        gy_rc rc = write_inputs(d, kind, p, e);
        if (rc == GY_OK && !missing)
            rc = draw(d, gnuplot, f, &figures->warning, &missing, e);
        if (rc != GY_OK)
            return rc;
    }
    return GY_OK;
}

gy_rc gy_plots_write(gy_outdir *d, const gy_run_digest *const *runs, size_t n, const gy_plot_options *opt,
                     gy_figures *figures, gy_err *e)
{
    *figures = (gy_figures){.n = 0};
    const gy_run_digest **shown = gy_alloc(n + 1, sizeof(void *));
    size_t *number = gy_alloc(n + 1, sizeof *number);
    struct plot p = {.runs = shown, .number = number};
    for (size_t i = 0; i < n; i++) {
        if (runs[i]->reason)
            continue;
        shown[p.n] = runs[i];
        number[p.n++] = i;
    }
    gy_rc rc = make_figures(d, &p, opt && opt->gnuplot ? opt->gnuplot : "gnuplot", figures, e);
    free(shown);
    free(number);
    if (rc != GY_OK)
        gy_figures_fini(figures);
    return rc;
}

void gy_figures_fini(gy_figures *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->list[i].svg);
    gy_str_fini(&f->warning);
    f->n = 0;
}
