/* gy_plot_cdf.c - distribution functions of waiting and completion times; see gy_plot_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The axis of times is logarithmic, and many waits are 0: these have a place of their own at its left end,
 * the bin "0".  When the axis would have more than six decades, the smallest values join them there and the
 * bin says so ("<1 s").
 */
#include <math.h>
#include <string.h>

#include "gy_human.h"
#include "gy_plot_internal.h"

typedef const gy_cdf *curve_of(const gy_run_digest *r);

static const gy_cdf *wait_of(const gy_run_digest *r)
{
    return &r->wait;
}

static const gy_cdf *jct_of(const gy_run_digest *r)
{
    return &r->jct;
}

/* Places on the axis. */
struct axis {
    double low, high; /* of the logarithmic part, seconds */
    double bin;       /* where values below `low` are drawn; 0: there are none */
    double left;      /* end of the axis */
    bool zeros_only;  /* in the bin */
};

/* Places of ticks.  Those of a higher rank come where there is room between those of lower ones; axes begin
 * at one of rank 0 or 1. */
static const struct mark {
    double s;
    int rank;
} marks[] = {{1e-6, 0},   {1e-5, 0},   {1e-4, 0},   {1e-3, 0},   {0.01, 0},    {0.1, 0},     {1, 0},
             {2, 3},      {3, 2},      {5, 3},      {10, 0},     {20, 3},      {30, 2},      {60, 1},
             {120, 3},    {180, 2},    {300, 3},    {600, 0},    {1200, 2},    {1800, 2},    {3600, 0},
             {7200, 2},   {10800, 3},  {14400, 3},  {21600, 1},  {28800, 3},   {43200, 2},   {86400, 0},
             {172800, 3}, {259200, 2}, {432000, 3}, {864000, 0}, {1728000, 3}, {2592000, 2}, {4320000, 3},
             {8.64e6, 0}, {8.64e7, 0}, {8.64e8, 0}, {8.64e9, 0}};
enum { MARKS = sizeof marks / sizeof *marks, RANKS = 4 };

static double seconds(int64_t us)
{
    return (double)us / GY_US_PER_S;
}

static double mark_below(double s)
{
    double below = marks[0].s;
    for (size_t k = 0; k < MARKS && marks[k].s <= s; k++)
        below = marks[k].rank <= 1 ? marks[k].s : below;
    return below;
}

/* Smallest positive and largest value of a curve; 0 when there is none. */
static void extent(const gy_cdf *c, double *least, double *most)
{
    *least = *most = 0;
    for (uint64_t i = 0; i < c->npoints; i++) {
        double s = seconds(c->points[i].x_us);
        *least = *least > 0 ? *least : s;
        *most = s;
    }
}

static struct axis axis_of(const struct plot *p, curve_of *curve)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < p->n; i++) {
        double a, b;
        extent(curve(p->runs[i]), &a, &b);
        least = a > 0 && a < least ? a : least;
        most = b > most ? b : most;
    }
    struct axis x = {.low = 1, .high = 10, .zeros_only = true};
    if (most > 0) {
        x.low = mark_below(least > most / 1e6 ? least : most / 1e6);
        x.high = most > 10 * x.low ? most : 10 * x.low;
    }
    bool bin = false;
    for (size_t i = 0; i < p->n; i++) {
        const gy_cdf *c = curve(p->runs[i]);
        bool below = c->npoints > 0 && seconds(c->points[0].x_us) < x.low;
        bin |= below;
        /* the first point stands for no smaller ones, but the second may lie below too */
        for (uint64_t k = 0; k < c->npoints && seconds(c->points[k].x_us) < x.low; k++)
            x.zeros_only &= c->points[k].x_us == 0;
    }
    double decades = log10(x.high / x.low);
    x.left = bin ? x.low * pow(10, -0.14 * decades) : x.low;
    x.bin = bin ? x.low * pow(10, -0.07 * decades) : 0;
    return x;
}

static bool is_empty(const struct plot *p, curve_of *curve)
{
    for (size_t i = 0; i < p->n; i++)
        if (curve(p->runs[i])->n > 0)
            return false;
    return true;
}

static void put_point(const struct plot *p, size_t i, gy_out *out, int64_t x_us, uint64_t count, uint64_t of)
{
    char x[GY_HUMAN], fraction[GY_HUMAN];
    gy_put_us(x, x_us);
    gy_put_double(fraction, of ? (double)count / (double)of : 0);
    gy_plot_csv_run(p, i, out);
    gy_out_printf(out, ",%s,%s,", x, fraction);
    gy_put_uint(x, count);
    gy_put_uint(fraction, of);
    gy_out_printf(out, "%s,%s\n", x, fraction);
}

/* Rows are the corners of the curve: from height 0 at its smallest value to the largest value of all curves.
 */
static void put_csv(const struct plot *p, gy_out *out, curve_of *curve, const char *column)
{
    int64_t last = (int64_t)(axis_of(p, curve).high * GY_US_PER_S + 0.5);
    gy_out_printf(out, "run,policy,%s,fraction,jobs,of\n", column);
    for (size_t i = 0; i < p->n; i++) {
        const gy_cdf *c = curve(p->runs[i]);
        if (!c->npoints)
            continue;
        put_point(p, i, out, c->points[0].x_us, 0, c->of);
        for (uint64_t k = 0; k < c->npoints; k++)
            put_point(p, i, out, c->points[k].x_us, c->points[k].count, c->of);
        if (c->points[c->npoints - 1].x_us < last)
            put_point(p, i, out, last, c->n, c->of);
    }
}

static void put_label(const struct plot *p, size_t i, gy_str *out, const gy_cdf *c, const char *what)
{
    char count[GY_HUMAN];
    gy_plot_label(p, i, out);
    if (c->of > c->n) {
        gy_put_uint(count, c->of - c->n);
        gy_str_printf(out, ", %s %s", count, what);
    }
}

static void wait_label(const struct plot *p, size_t i, gy_str *out)
{
    put_label(p, i, out, wait_of(p->runs[i]), "never started");
}

static void jct_label(const struct plot *p, size_t i, gy_str *out)
{
    put_label(p, i, out, jct_of(p->runs[i]), "unfinished");
}

/* Has mark k room for a label between those chosen and the bin? */
static bool has_room(const struct axis *x, const bool *chosen, size_t k)
{
    const double apart = 0.115 * log10(x->high / x->left), near_zero = 0.4 * apart; /* "0" is narrow */
    if (marks[k].s < x->low * (1 - 1e-9) || marks[k].s > x->high * (1 + 1e-9))
        return false;
    if (x->bin > 0 && log10(marks[k].s / x->bin) < (x->zeros_only ? near_zero : apart))
        return false;
    for (size_t i = 0; i < MARKS; i++)
        if (chosen[i] && fabs(log10(marks[i].s / marks[k].s)) < apart)
            return false;
    return true;
}

static void put_ticks(gy_str *out, const struct axis *x)
{
    char label[GY_HUMAN];
    const char *before = "";
    bool chosen[MARKS] = {false};
    for (int rank = 0; rank < RANKS; rank++)
        for (size_t k = 0; k < MARKS; k++)
            chosen[k] |= marks[k].rank == rank && has_room(x, chosen, k);
    gy_str_puts(out, "set xtics (");
    if (x->bin > 0) {
        gy_human_tick(label, x->low);
        gy_str_printf(out, "'%s%s' %.9g", x->zeros_only ? "" : "<", x->zeros_only ? "0" : label, x->bin);
        before = ", ";
    }
    for (size_t k = 0; k < MARKS; k++) {
        if (!chosen[k])
            continue;
        gy_human_tick(label, marks[k].s);
        gy_str_printf(out, "%s'%s' %.9g", before, label, marks[k].s);
        before = ", ";
    }
    gy_str_puts(out, ")\n");
}

/* Rows of a key below the picture: `widest` characters to an entry, about `room` in a line. */
static unsigned key_rows(const struct plot *p, void (*label)(const struct plot *p, size_t i, gy_str *out),
                         unsigned room, unsigned *columns)
{
    gy_str s = {0};
    size_t widest = 1;
    for (size_t i = 0; i < p->n; i++) {
        s.n = 0;
        label(p, i, &s);
        widest = s.n > widest ? s.n : widest;
    }
    gy_str_fini(&s);
    *columns = (unsigned)(room / (widest + 8));
    *columns = *columns < 1 ? 1 : *columns;
    *columns = *columns > p->n ? (unsigned)p->n : *columns;
    return (unsigned)((p->n + *columns - 1) / *columns);
}

static void put_settings(const struct plot *p, gy_str *out, curve_of *curve, const char *axis_name,
                         void (*label)(const struct plot *p, size_t i, gy_str *out))
{
    struct axis x = axis_of(p, curve);
    unsigned columns, rows = key_rows(p, label, 64, &columns);
    gy_plot_array(out, "label", p, label);
    gy_plot_terminals(out, 520, 330 + 20 * rows, "3.33");
    gy_str_printf(out, "set key maxcols %u\n", columns);
    /* The blank line keeps the title away from the key. */
    gy_str_printf(out, "set xlabel \"%s\\n \"\n", axis_name);
    gy_str_printf(out, "low = %.9g\nbin = %.9g\nset xrange [%.9g:%.9g]\n", x.low, x.bin, x.left,
                  x.high * 1.05);
    put_ticks(out, &x);
}

bool gy_cdf_wait_empty(const struct plot *p)
{
    return is_empty(p, wait_of);
}

void gy_cdf_wait_csv(const struct plot *p, gy_out *out)
{
    put_csv(p, out, wait_of, "wait_s");
}

void gy_cdf_wait_settings(const struct plot *p, gy_str *out)
{
    put_settings(p, out, wait_of, "waiting time (log scale)", wait_label);
}

bool gy_cdf_jct_empty(const struct plot *p)
{
    return is_empty(p, jct_of);
}

void gy_cdf_jct_csv(const struct plot *p, gy_out *out)
{
    put_csv(p, out, jct_of, "jct_s");
}

void gy_cdf_jct_settings(const struct plot *p, gy_str *out)
{
    put_settings(p, out, jct_of, "job completion time (log scale)", jct_label);
}
