/* gy_plot_internal.h - what the figures share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_PLOT_INTERNAL_H
#define GY_PLOT_INTERNAL_H

#include "gy_embedded.h"
#include "gy_plot.h"

/* The runs that a figure shows: those that are no n/a rows, with their numbers among all. */
struct plot {
    const gy_run_digest *const *runs;
    const size_t *number;
    size_t n;
};

/* One kind of figure.  `empty` says that there is nothing to draw. */
struct figure_kind {
    const char *name, *title, *caption;
    const char *caption_sums; /* where not every step is drawn; NULL: the same */
    const char *script;       /* file of scripts/gnuplot */
    bool (*empty)(const struct plot *p);
    void (*csv)(const struct plot *p, gy_out *out);
    /* What the script needs to know, as gnuplot commands. */
    void (*settings)(const struct plot *p, gy_str *out);
};

extern const struct figure_kind gy_figure_kinds[GY_FIGURES];
extern const struct gy_embedded gy_gnuplot_scripts[];

/* 's', with its quotes doubled and control characters blanked. */
void gy_plot_quote(gy_str *out, const char *s);

/* "array NAME[n] = ['a', 'b']". */
void gy_plot_array(gy_str *out, const char *name, const struct plot *p,
                   void (*text)(const struct plot *p, size_t i, gy_str *out));

/* The policy's name, shortened in the middle when it is very long; an oracle says so. */
void gy_plot_label(const struct plot *p, size_t i, gy_str *out);

/* Terminal commands for both files; sizes in pixels at 96 per inch on the screen. */
void gy_plot_terminals(gy_str *out, unsigned width_px, unsigned height_px, const char *pdf_width_in);

/* "set xtics ('1 h' 3600, ...)" for an axis of seconds, without labels when not `named`. */
void gy_plot_ticks(gy_str *out, const double *at, size_t n, bool named);

/* The cells "NUMBER,POLICY" that every row of a figure's CSV begins with. */
void gy_plot_csv_run(const struct plot *p, size_t i, gy_out *out);

/* The figures, by file. */
bool gy_cdf_wait_empty(const struct plot *p);
void gy_cdf_wait_csv(const struct plot *p, gy_out *out);
void gy_cdf_wait_settings(const struct plot *p, gy_str *out);
bool gy_cdf_jct_empty(const struct plot *p);
void gy_cdf_jct_csv(const struct plot *p, gy_out *out);
void gy_cdf_jct_settings(const struct plot *p, gy_str *out);
bool gy_course_sums(const struct plot *p); /* are means and maxima drawn for some run, not every step? */
bool gy_course_empty(const struct plot *p);
void gy_course_busy_csv(const struct plot *p, gy_out *out);
void gy_course_busy_settings(const struct plot *p, gy_str *out);
void gy_course_queue_csv(const struct plot *p, gy_out *out);
void gy_course_queue_settings(const struct plot *p, gy_str *out);
bool gy_bars_empty(const struct plot *p);
void gy_bars_csv(const struct plot *p, gy_out *out);
void gy_bars_settings(const struct plot *p, gy_str *out);

#endif
