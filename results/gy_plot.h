/* gy_plot.h - figures: for each the numbers, the gnuplot script, an SVG and a PDF file.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_PLOT_H
#define GY_PLOT_H

#include "gy_run_digest.h"

enum { GY_FIGURES = 5 };

typedef struct gy_plot_options {
    const char *gnuplot; /* the program; NULL: "gnuplot" */
} gy_plot_options;

/* What became of a figure. */
typedef struct gy_figure {
    const char *name;    /* "cdf-wait": plots/cdf-wait.svg, ... */
    const char *title;   /* for the report: "Waiting time" */
    const char *caption; /* what the figure shows, for readers of the report */
    char *svg;           /* text of the picture; NULL: not drawn; owned by the figure list */
} gy_figure;

typedef struct gy_figures {
    gy_figure list[GY_FIGURES];
    size_t n;
    gy_str warning; /* one sentence when pictures are missing; empty otherwise */
} gy_figures;

/* Writes plots/NAME.{csv,gp} of every figure that has something to show, and draws them.  Without gnuplot the
 * pictures are missing and figures->warning says so: that is no error. */
gy_rc gy_plots_write(gy_outdir *d, const gy_run_digest *const *runs, size_t n, const gy_plot_options *opt,
                     gy_figures *figures, gy_err *e);
void gy_figures_fini(gy_figures *f);

/* "cdf-wait" for k = 0, ..., GY_FIGURES - 1: all that there can be. */
const char *gy_figure_name(size_t k);

/* The colour of policy number i in every figure and table: "#0072B2".  Okabe and Ito's palette, darkest
 * contrast to white first. */
const char *gy_plot_colour(size_t i);

#endif
