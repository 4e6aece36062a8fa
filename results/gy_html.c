/* gy_html.c - pieces of HTML; see gy_report_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gy_human.h"
#include "gy_report_internal.h"

void gy_html_text(gy_out *out, const char *s)
{
    static const char special[] = "&<>\"'";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    while (*s) {
        size_t plain = strcspn(s, special);
        gy_out_bytes(out, s, plain);
        s += plain;
        if (*s)
            gy_out_text(out, entities[strchr(special, *s++) - special]);
    }
}

/* What gnuplot writes and what the page needs instead. */
static const struct {
    const char *from, *to;
} svg_words[] = {
    {" color=\"black\"", ""},
    {" color=\"white\"", ""},
    {" color=\"gray\"", ""},
    {"fill=\"black\"", "fill=\"currentColor\""},
    {"fill=\"rgb(0,0,0)\"", "fill=\"currentColor\""},
    {"stroke='rgb(187, 187, 187)'", "style='stroke:var(--grid)'"},
    {"stroke='rgb(102, 102, 102)'", "style='stroke:var(--axis)'"},
    {"fill=\"rgb(102,102,102)\"", "style=\"fill:var(--axis)\""},
};
enum { SVG_WORDS = sizeof svg_words / sizeof *svg_words };

/* Length of an attribute ` id="..."` at s; nothing refers to them once the unused markers are gone. */
static size_t id_length(const char *s)
{
    if (strncmp(s, " id=\"", 5) != 0 && strncmp(s, " id='", 5) != 0)
        return 0;
    const char *end = strchr(s + 5, s[4]);
    return end ? (size_t)(end + 1 - s) : 0;
}

static size_t replaced(gy_out *out, const char *s)
{
    for (size_t k = 0; k < SVG_WORDS; k++) {
        size_t n = strlen(svg_words[k].from);
        if (strncmp(s, svg_words[k].from, n) == 0) {
            gy_out_text(out, svg_words[k].to);
            return n;
        }
    }
    return id_length(s);
}

void gy_html_svg(gy_out *out, const char *svg, const char *label)
{
    const char *box = strstr(svg, "viewBox=\""), *body = strstr(svg, "</defs>");
    const char *box_end = box ? strchr(box + 9, '"') : NULL;
    if (!box_end || !body)
        return;
    gy_out_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" %.*s aria-label=\"",
                  (int)(box_end + 1 - box), box);
    gy_html_text(out, label);
    gy_out_text(out, "\"><g>");
    for (const char *s = body + strlen("</defs>"); *s;) {
        size_t n = *s == ' ' || *s == 'f' || *s == 's' ? replaced(out, s) : 0;
        if (n == 0)
            gy_out_bytes(out, s, n = 1);
        s += n;
    }
}

void gy_html_policy(const struct page *p, size_t run)
{
    gy_out_printf(p->out, "<span class=\"swatch\" style=\"background:%s\"></span>", gy_plot_colour(run));
    gy_html_text(p->out, p->runs[run]->policy);
    if (p->runs[run]->oracle)
        gy_out_text(p->out, "<abbr title=\"oracle: sees true run times\">&#8224;</abbr>");
}

void gy_html_table(gy_out *out, const char *caption, const char *const *heads, size_t n)
{
    gy_out_text(out, "<div class=\"wide\"><table class=\"sortable\">");
    if (caption)
        gy_out_printf(out, "<caption>%s</caption>", caption);
    gy_out_text(out, "<thead><tr>");
    for (size_t i = 0; i < n; i++)
        gy_out_printf(out, "<th scope=\"col\">%s</th>", heads[i]);
    gy_out_text(out, "</tr></thead><tbody>\n");
}

void gy_html_table_end(gy_out *out)
{
    gy_out_text(out, "</tbody></table></div>\n");
}

void gy_html_cell_text(gy_out *out, const char *s)
{
    gy_out_text(out, "<th scope=\"row\">");
    gy_html_text(out, s);
    gy_out_text(out, "</th>");
}

void gy_html_cell(gy_out *out, gy_column_kind kind, double v)
{
    char text[GY_HUMAN], value[GY_HUMAN];
    if (isnan(v)) {
        gy_out_text(out, "<td class=\"none\">&#8211;</td>");
        return;
    }
    if (kind == GY_COLUMN_COUNT)
        gy_human_count(text, (uint64_t)v);
    else if (kind == GY_COLUMN_TIME)
        gy_human_time(text, v, "&nbsp;");
    else
        gy_column_text(text, kind, v);
    gy_put_double(value, v);
    gy_out_printf(out, "<td data-v=\"%s\">%s</td>", value, text);
}

void gy_html_cell_gpu(gy_out *out, gy_i128 gpu_time)
{
    char text[GY_HUMAN], value[GY_HUMAN];
    gy_human_gpu_hours(text, gpu_time);
    gy_put_i128(value, gpu_time, 9);
    gy_out_printf(out, "<td data-v=\"%s\">%s</td>", value, text);
}

static double seconds(int64_t us)
{
    return us == GY_NEVER ? NAN : (double)us / GY_US_PER_S;
}

void gy_html_cell_times(gy_out *out, const gy_time_dist *d)
{
    gy_html_cell(out, GY_COLUMN_TIME, gy_time_mean_s(d));
    gy_html_cell(out, GY_COLUMN_TIME, seconds(d->p50_us));
    gy_html_cell(out, GY_COLUMN_TIME, seconds(d->p95_us));
    gy_html_cell(out, GY_COLUMN_TIME, seconds(d->max_us));
}
