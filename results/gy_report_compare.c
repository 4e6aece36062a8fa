/* gy_report_compare.c - the sections that put all runs side by side; see gy_report_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gy_human.h"
#include "gy_report_internal.h"

enum { COLUMNS_MAX = 24 };

/* "slow-" above "down" is one word. */
static bool split_word(const gy_compare_column *c)
{
    return c->group[strlen(c->group) - 1] == '-';
}

/* The figures of the headline table, a selection of all. */
static size_t page_columns(const gy_compare_column *list[COLUMNS_MAX])
{
    size_t n = 0;
    for (const gy_compare_column *c = gy_compare_columns; c->key; c++)
        if ((c->shown & GY_SHOW_PAGE) && n < COLUMNS_MAX)
            list[n++] = c;
    return n;
}

static void put_headings(const struct page *p, const gy_compare_column *const *list, size_t n)
{
    gy_out_text(p->out,
                "<thead><tr><th scope=\"col\" rowspan=\"2\">policy</th>"
                "<th scope=\"col\" rowspan=\"2\">finished</th><th scope=\"col\" rowspan=\"2\">of</th>");
    for (size_t k = 0; k < n;) {
        const char *group = list[k]->group;
        size_t span = 1;
        while (k + span < n && strcmp(list[k + span]->group, group) == 0)
            span++;
        if (split_word(list[k]))
            gy_out_printf(p->out, "<th scope=\"col\" rowspan=\"2\" class=\"fold\">%.*s&shy;%s</th>",
                          (int)strlen(group) - 1, group, list[k]->name);
        else
            gy_out_printf(p->out, "<th scope=\"colgroup\" class=\"group\" colspan=\"%zu\">%s</th>", span,
                          group);
        k += span;
    }
    gy_out_text(p->out, "</tr><tr>");
    for (size_t k = 0; k < n; k++)
        if (!split_word(list[k]))
            gy_out_printf(p->out, "<th scope=\"col\">%s</th>", list[k]->name);
    gy_out_text(p->out, "</tr></thead>\n");
}

static void put_value(const struct page *p, const gy_compare_column *c, size_t run, bool best)
{
    char text[GY_HUMAN], value[GY_HUMAN];
    double v = c->value(&p->runs[run]->summary);
    if (!best || isnan(v)) {
        gy_html_cell(p->out, c->kind, v);
        return;
    }
    gy_column_text(text, c->kind, v);
    if (c->kind == GY_COLUMN_TIME)
        gy_human_time(text, v, "&nbsp;");
    gy_put_double(value, v);
    gy_out_printf(p->out, "<td class=\"best\" data-v=\"%s\">%s*</td>", value, text);
}

static void put_row(const struct page *p, size_t run, const bool *best, const gy_compare_column *const *list,
                    size_t columns)
{
    const gy_run_digest *r = p->runs[run];
    gy_out_text(p->out, "<tr><th scope=\"row\">");
    gy_html_policy(p, run);
    gy_out_text(p->out, "</th>");
    if (r->reason) {
        gy_out_printf(p->out, "<td class=\"none\" colspan=\"%zu\">n/a: ", columns + 2);
        gy_html_text(p->out, r->reason);
        gy_out_text(p->out, "</td></tr>\n");
        return;
    }
    gy_html_cell(p->out, GY_COLUMN_COUNT, (double)r->summary.jct.n);
    gy_html_cell(p->out, GY_COLUMN_COUNT, (double)r->summary.of);
    for (size_t k = 0; k < columns; k++)
        put_value(p, list[k], run, best[k * p->n + run]);
    gy_out_text(p->out, "</tr>\n");
}

static void put_table(const struct page *p)
{
    const gy_compare_column *list[COLUMNS_MAX];
    size_t columns = page_columns(list);
    bool *best = gy_alloc(columns * p->n + 1, sizeof *best);
    bool oracle = false;
    for (size_t k = 0; k < columns; k++)
        gy_compare_best(list[k], p->runs, p->n, best + k * p->n);
    gy_out_text(p->out, "<div class=\"wide\"><table class=\"sortable headline\">");
    put_headings(p, list, columns);
    gy_out_text(p->out, "<tbody>\n");
    for (size_t i = 0; i < p->n; i++) {
        put_row(p, i, best, list, columns);
        oracle |= p->runs[i]->oracle;
    }
    gy_html_table_end(p->out);
    gy_out_text(p->out,
                "<p class=\"note\">* best of the policies that see no true run times and ran as many jobs.");
    if (oracle)
        gy_out_text(p->out,
                    " &#8224; oracle: sees true run times, as no real scheduler does; never marked best.");
    gy_out_text(p->out, " Of: all jobs but infeasible ones, failed, killed and timed-out ones included. "
                        "Wait, total: mean with "
                        "the waits after preemptions. Times are rounded to three digits; the files carry "
                        "exact ones. Percentiles: nearest "
                        "rank.</p>\n");
    free(best);
}

static void put_card(const struct page *p, const char *name, const char *text)
{
    gy_out_printf(p->out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, text);
}

/* One run needs no table. */
static void put_cards(const struct page *p)
{
    const gy_summary *s = &p->runs[0]->summary;
    char text[2 * GY_HUMAN + 8], name[64];
    gy_out_text(p->out, "<dl class=\"cards\">\n");
    char *end = gy_human_count(text, s->jct.n);
    gy_human_count(stpcpy(end, " of "), s->of);
    put_card(p, "jobs finished", text);
    for (const gy_compare_column *c = gy_compare_columns; c->key; c++) {
        if (!(c->shown & GY_SHOW_TERMINAL))
            continue;
        char *to = stpcpy(name, c->group);
        if (split_word(c))
            to--;
        else
            *to++ = ' ';
        stpcpy(to, c->name);
        double v = c->value(s);
        gy_column_text(text, c->kind, v);
        if (c->kind == GY_COLUMN_TIME)
            gy_human_time(text, v, "&nbsp;");
        put_card(p, name, text);
    }
    gy_out_text(p->out, "</dl>\n");
    if (p->runs[0]->oracle)
        gy_out_text(p->out, "<p class=\"note\">&#8224; oracle: this policy sees true run times, as no real "
                            "scheduler does.</p>\n");
}

void gy_report_headline(const struct page *p)
{
    gy_out_text(p->out, "<section><h2>Headline figures</h2>\n");
    if (p->n == 1 && !p->runs[0]->reason)
        put_cards(p);
    else
        put_table(p);
    gy_out_text(p->out, "</section>\n");
}

/* ---- where the GPU time went ---- */

struct gpu_part {
    const char *name, *css;
    gy_i128 v;
};

enum { GPU_PARTS = 6 };

static void gpu_parts(const gy_ledger *g, struct gpu_part parts[GPU_PARTS])
{
    const struct gpu_part all[GPU_PARTS] = {
        {"useful", "useful", g->useful},
        {"overhead", "overhead", g->overhead},
        {"lost to preemption", "preempted", g->lost_preemption},
        {"lost to failures", "failed", g->lost_failure},
        {"idle", "idle", g->idle},
        {"down", "down", g->down},
    };
    memcpy(parts, all, sizeof all);
}

static void put_bar(const struct page *p, size_t run)
{
    const gy_ledger *g = &p->runs[run]->summary.gpu;
    struct gpu_part parts[GPU_PARTS];
    gpu_parts(g, parts);
    gy_out_text(p->out, "<div class=\"bar\" aria-hidden=\"true\">");
    for (size_t k = 0; k < GPU_PARTS && g->installed > 0; k++)
        if (parts[k].v > 0)
            gy_out_printf(p->out, "<span class=\"%s\" style=\"width:%.4f%%\" title=\"%s\"></span>",
                          parts[k].css, 100 * (double)parts[k].v / (double)g->installed, parts[k].name);
    gy_out_text(p->out, "</div>");
}

void gy_report_gpu_time(const struct page *p)
{
    struct gpu_part parts[GPU_PARTS];
    bool any = false;
    for (size_t i = 0; i < p->n; i++)
        any |= !p->runs[i]->reason && p->runs[i]->summary.gpu.installed > 0;
    if (!any)
        return;
    gpu_parts(&(gy_ledger){0}, parts);
    gy_out_text(p->out,
                "<section><h2>Where the GPU time went</h2>\n<p class=\"note\">The parts add up to what is "
                "installed, inside each run's window.</p>\n"
                "<div class=\"wide\"><table class=\"sortable gpu\"><thead><tr><th "
                "scope=\"col\">policy</th><th class=\"plain\"></th>"
                "<th scope=\"col\">installed</th>");
    for (size_t k = 0; k < GPU_PARTS; k++)
        gy_out_printf(p->out, "<th scope=\"col\"><span class=\"swatch %s\"></span>%s</th>", parts[k].css,
                      parts[k].name);
    gy_out_text(p->out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < p->n; i++) {
        if (p->runs[i]->reason)
            continue;
        const gy_ledger *g = &p->runs[i]->summary.gpu;
        gpu_parts(g, parts);
        gy_out_text(p->out, "<tr><th scope=\"row\">");
        gy_html_policy(p, i);
        gy_out_text(p->out, "</th><td class=\"bars\">");
        put_bar(p, i);
        gy_out_text(p->out, "</td>");
        gy_html_cell_gpu(p->out, g->installed);
        for (size_t k = 0; k < GPU_PARTS; k++)
            gy_html_cell(p->out, GY_COLUMN_PERCENT,
                         g->installed > 0 ? (double)parts[k].v / (double)g->installed : NAN);
        gy_out_text(p->out, "</tr>\n");
    }
    gy_html_table_end(p->out);
    gy_out_text(p->out, "</section>\n");
}

/* ---- waits by size of the job, all runs ---- */

static double p95_s(const gy_group_row *r)
{
    return r->wait.n ? (double)r->wait.p95_us / GY_US_PER_S : NAN;
}

void gy_report_sizes(const struct page *p)
{
    const char *heads[GY_SIZE_CLASSES + 1] = {"policy"};
    uint32_t shown[GY_SIZE_CLASSES];
    size_t n = 0;
    for (uint32_t k = 0; k < GY_SIZE_CLASSES; k++) {
        bool any = false;
        for (size_t i = 0; i < p->n; i++)
            any |= p->runs[i]->sizes[k].submitted > 0;
        if (!any)
            continue;
        shown[n] = k;
        heads[++n] = gy_size_names[k];
    }
    if (n == 0)
        return;
    gy_out_text(p->out,
                "<section><h2>Waits by size of the job</h2>\n<p class=\"note\">95th percentile of the wait "
                "of the started jobs, by GPUs asked for.</p>\n");
    gy_html_table(p->out, NULL, heads, n + 1);
    for (size_t i = 0; i < p->n; i++) {
        if (p->runs[i]->reason)
            continue;
        gy_out_text(p->out, "<tr><th scope=\"row\">");
        gy_html_policy(p, i);
        gy_out_text(p->out, "</th>");
        for (size_t k = 0; k < n; k++)
            gy_html_cell(p->out, GY_COLUMN_TIME, p95_s(&p->runs[i]->sizes[shown[k]]));
        gy_out_text(p->out, "</tr>\n");
    }
    gy_html_table_end(p->out);
    gy_out_text(p->out, "</section>\n");
}
