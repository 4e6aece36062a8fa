/* gy_report.c - the page as a whole; see gy_report.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gy_human.h"
#include "gy_report_internal.h"

static const char *part(const char *name)
{
    for (const struct gy_embedded *s = gy_report_parts; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s->text;
    gy_panic(__FILE__, __LINE__, "no report part %s", name);
}

static const gy_run_digest *first_run(const struct page *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (!p->runs[i]->reason)
            return p->runs[i];
    return NULL;
}

static void put_title(const struct page *p)
{
    if (p->n == 1)
        gy_html_text(p->out, p->runs[0]->policy);
    else
        gy_out_printf(p->out, "%zu scheduling policies compared", p->n);
}

static void put_head(const struct page *p)
{
    gy_out_text(p->out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>gpuyard: ");
    put_title(p);
    gy_out_text(p->out, "</title>\n<style>\n");
    gy_out_text(p->out, part("report.css"));
    gy_out_text(p->out, "</style>\n</head>\n<body>\n<main>\n<header>\n<p class=\"brand\">gpuyard</p>\n<h1>");
    put_title(p);
    gy_out_text(p->out, "</h1>\n");
}

static void put_fact(const struct page *p, const char *name, const char *text)
{
    if (!text || !text[0])
        return;
    gy_out_printf(p->out, "<div><dt>%s</dt><dd>", name);
    gy_html_text(p->out, text);
    gy_out_text(p->out, "</dd></div>\n");
}

static void put_facts(const struct page *p)
{
    const gy_run_digest *r = first_run(p);
    if (r) {
        gy_str window = {0};
        char start[64], end[64];
        gy_put_human(start, r->summary.window_start_us);
        gy_put_human(end, r->summary.window_end_us);
        gy_str_printf(&window, "%s to %s after the zero of the trace; jobs submitted in it count%s", start,
                      end, p->n > 1 ? " (end: of the first run; each run's own below)" : "");
        gy_out_text(p->out, "<dl class=\"facts\">\n");
        put_fact(p, "Trace", r->trace);
        put_fact(p, "Cluster", r->cluster);
        put_fact(p, "Window", window.s);
        put_fact(p, "Program", r->manifest.version);
        gy_out_text(p->out, "</dl>\n");
        gy_str_fini(&window);
    }
    gy_out_text(p->out, "</header>\n");
}

/* One item for each different sentence, with the policies it is about. */
static void put_warnings(const struct page *p, const char *common)
{
    bool any = common && common[0];
    for (size_t i = 0; i < p->n; i++)
        any |= p->runs[i]->nwarnings > 0;
    if (!any)
        return;
    gy_out_text(p->out, "<section class=\"warnings\"><h2>Warnings</h2>\n<ul>\n");
    for (const char *s = common; s && *s;) {
        size_t n = strcspn(s, "\n");
        char *line = gy_strndup(s, n);
        gy_out_text(p->out, "<li>");
        gy_html_text(p->out, line);
        gy_out_text(p->out, "</li>\n");
        free(line);
        s += n + (s[n] == '\n');
    }
    for (size_t i = 0; i < p->n; i++)
        for (uint64_t k = 0; k < p->runs[i]->nwarnings; k++) {
            gy_out_text(p->out, "<li>");
            gy_html_policy(p, i);
            gy_out_text(p->out, ": ");
            gy_html_text(p->out, p->runs[i]->warnings[k]);
            gy_out_text(p->out, "</li>\n");
        }
    gy_out_text(p->out, "</ul></section>\n");
}

static void put_figures(const struct page *p)
{
    if (p->figures->n == 0)
        return;
    gy_out_text(p->out, "<section><h2>Figures</h2>\n<div class=\"figures\">\n");
    for (size_t i = 0; i < p->figures->n; i++) {
        const gy_figure *f = &p->figures->list[i];
        if (p->n == 1 && strcmp(f->name, "bars") == 0) /* a bar alone compares nothing */
            continue;
        gy_out_printf(p->out, "<figure class=\"%s\"><h3>%s</h3>\n",
                      strncmp(f->name, "cdf", 3) == 0 ? "half" : "whole", f->title);
        if (f->svg) {
            gy_out_text(p->out, "<div class=\"plot\">");
            gy_html_svg(p->out, f->svg, f->title);
            gy_out_text(p->out, "</div>");
        } else {
            gy_out_printf(p->out,
                          "<p class=\"missing\">Not drawn: gnuplot was not there. In plots/: "
                          "<code>gnuplot %s.gp</code></p>",
                          f->name);
        }
        gy_out_printf(p->out,
                      "<figcaption>%s <span class=\"files\">plots/%s.{csv,gp,svg,pdf}</span>"
                      "</figcaption></figure>\n",
                      f->caption, f->name);
    }
    gy_out_text(p->out, "</div></section>\n");
}

void gy_report_write(gy_out *out, const gy_run_digest *const *runs, size_t n, const gy_figures *figures,
                     const char *command, const char *warnings)
{
    struct page p = {.out = out, .runs = runs, .n = n, .figures = figures, .command = command};
    put_head(&p);
    put_facts(&p);
    put_warnings(&p, warnings);
    gy_report_headline(&p);
    put_figures(&p);
    gy_report_gpu_time(&p);
    if (n > 1)
        gy_report_sizes(&p);
    gy_out_printf(out, "<section><h2>%s</h2>\n", n > 1 ? "Each run" : "Details");
    for (size_t i = 0; i < n; i++)
        if (!runs[i]->reason)
            gy_report_run(&p, i);
    gy_out_text(out, "</section>\n");
    gy_report_definitions(&p);
    gy_report_manifest(&p);
    gy_out_text(out, "</main>\n<script>\n");
    gy_out_text(out, part("report.js"));
    gy_out_text(out, "</script>\n</body>\n</html>\n");
}
