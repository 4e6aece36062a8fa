/* gy_compare_show.c - the table of policies for a terminal; see gy_compare.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_compare.h"

enum { COLUMNS_MAX = 24, CELL = 48, WIDTH = 120, GAP = 1 };

/* The table as texts: cell (row, column); column 0 is finished/of. */
struct grid {
    size_t rows, columns;
    char (*cells)[CELL];
    const gy_compare_column *of[COLUMNS_MAX];
    size_t width[COLUMNS_MAX];
};

static char *cell(const struct grid *g, size_t row, size_t column)
{
    return g->cells[row * g->columns + column];
}

static void fill_column(struct grid *g, size_t k, const gy_run_digest *const *runs)
{
    bool *best = gy_alloc(g->rows, sizeof *best);
    gy_compare_best(g->of[k], runs, g->rows, best);
    for (size_t i = 0; i < g->rows; i++) {
        if (runs[i]->reason)
            continue;
        char *end = gy_column_text(cell(g, i, k), g->of[k]->kind, g->of[k]->value(&runs[i]->summary));
        end[0] = best[i] ? '*' : ' ';
        end[1] = '\0';
    }
    free(best);
}

static void measure(struct grid *g, size_t k)
{
    g->width[k] = k ? strlen(g->of[k]->name) + 1 : strlen("finished/of");
    if (k && strlen(g->of[k]->group) + 1 > g->width[k])
        g->width[k] = strlen(g->of[k]->group) + 1;
    for (size_t i = 0; i < g->rows; i++)
        if (strlen(cell(g, i, k)) > g->width[k])
            g->width[k] = strlen(cell(g, i, k));
}

static struct grid grid_make(const gy_run_digest *const *runs, size_t n)
{
    struct grid g = {.rows = n, .columns = 1};
    for (const gy_compare_column *c = gy_compare_columns; c->key; c++)
        if ((c->shown & GY_SHOW_TERMINAL) && g.columns < COLUMNS_MAX)
            g.of[g.columns++] = c;
    g.cells = gy_alloc(n * g.columns + 1, sizeof *g.cells);
    for (size_t i = 0; i < n; i++)
        if (!runs[i]->reason)
            snprintf(cell(&g, i, 0), CELL, "%" PRIu64 "/%" PRIu64, runs[i]->summary.jct.n,
                     runs[i]->summary.of);
    for (size_t k = 1; k < g.columns; k++)
        fill_column(&g, k, runs);
    for (size_t k = 0; k < g.columns; k++)
        measure(&g, k);
    return g;
}

static void pad(gy_str *out, const char *s, size_t width, bool right)
{
    int w = (int)width;
    gy_str_printf(out, right ? "%*s" : "%-*s", w, s);
}

/* Blanks at the end of a line help nobody. */
static void end_line(gy_str *out)
{
    while (out->n > 0 && out->s[out->n - 1] == ' ')
        out->n--;
    gy_str_puts(out, "\n");
}

/* "mean " in a heading, so that the figure's last digit and not its mark stands below the last letter. */
static void heading(gy_str *out, const struct grid *g, size_t first_width, bool upper)
{
    pad(out, upper ? "" : "policy", first_width, false);
    for (size_t k = 0; k < g->columns; k++) {
        const char *s = k == 0 ? (upper ? "" : "finished/of") : upper ? g->of[k]->group : g->of[k]->name;
        bool repeated = upper && k > 1 && strcmp(g->of[k]->group, g->of[k - 1]->group) == 0;
        gy_str_puts(out, " ");
        pad(out, repeated ? "" : s, g->width[k] - (k > 0), true);
        if (k)
            gy_str_puts(out, " ");
    }
    end_line(out);
}

static char *label_of(const gy_run_digest *r)
{
    gy_str s = {0};
    gy_str_puts(&s, r->policy);
    if (r->oracle)
        gy_str_puts(&s, " +");
    for (size_t i = 0; i < s.n; i++) /* plain ASCII, one line */
        s.s[i] = (unsigned char)s.s[i] < ' ' || (unsigned char)s.s[i] > '~' ? '?' : s.s[i];
    return s.s;
}

static void row(gy_str *out, const struct grid *g, const gy_run_digest *r, size_t i, size_t first_width)
{
    char *label = label_of(r);
    pad(out, label, first_width, false);
    if (strlen(label) > first_width) { /* long names have a line of their own */
        end_line(out);
        pad(out, "", first_width, false);
    }
    free(label);
    if (r->reason)
        gy_str_printf(out, " n/a: %s", r->reason);
    for (size_t k = 0; k < g->columns && !r->reason; k++) {
        gy_str_puts(out, " ");
        pad(out, cell(g, i, k), g->width[k], true);
    }
    end_line(out);
}

static void footnotes(gy_str *out, const gy_run_digest *const *runs, size_t n)
{
    bool oracle = false, unfinished = false;
    const gy_summary *s = NULL;
    for (size_t i = 0; i < n; i++) {
        oracle |= runs[i]->oracle && !runs[i]->reason;
        unfinished |= !runs[i]->reason && gy_summary_unfinished(&runs[i]->summary) > 0;
        s = !s && !runs[i]->reason ? &runs[i]->summary : s;
    }
    if (!s)
        return;
    char start[64], end[64];
    gy_put_human(start, s->window_start_us);
    gy_put_human(end, s->window_end_us);
    gy_str_printf(out,
                  "\njobs submitted from %s; first row's window ends at %s; times are rounded; "
                  "percentiles: nearest rank\n",
                  start, end);
    uint64_t others = s->of - s->jct.n - gy_summary_unfinished(s);
    if (others)
        gy_str_printf(out,
                      "of: all jobs but infeasible ones; in the first row %" PRIu64
                      " of them failed, %s killed or timed out\n",
                      others, others == 1 ? "was" : "were");
    gy_str_puts(out, "* best of the policies that see no true run times and ran as many jobs\n");
    if (oracle)
        gy_str_puts(out, "+ oracle: sees true run times, as no real scheduler does; never marked best\n");
    if (unfinished)
        gy_str_puts(out, "Some jobs had not ended: they are in no mean completion time above; "
                         "see lower_bound_mean.\n");
}

void gy_compare_show(gy_str *out, const gy_run_digest *const *runs, size_t n)
{
    struct grid g = grid_make(runs, n);
    size_t used = 0, first = strlen("policy");
    for (size_t k = 0; k < g.columns; k++)
        used += g.width[k] + GAP;
    size_t room = used + 16 < WIDTH ? WIDTH - used : 16;
    for (size_t i = 0; i < n; i++) {
        size_t w = strlen(runs[i]->policy) + (runs[i]->oracle ? 2 : 0);
        first = w > first && w <= room ? w : first;
    }
    heading(out, &g, first, true);
    heading(out, &g, first, false);
    for (size_t i = 0; i < n; i++)
        row(out, &g, runs[i], i, first);
    footnotes(out, runs, n);
    free(g.cells);
}
