/* gy_report_notes.c - definitions and the manifest; see gy_report_internal.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "gy_report_internal.h"

static const struct {
    const char *term, *text;
} definitions[] = {
    {"window",
     "From the first submission, or --window-start, to the last end, --horizon or --window-end. Jobs "
     "submitted in [start, end) count and are followed to their ends; GPU time is what lies inside."},
    {"finished, of",
     "Jobs that reached their end by themselves, of all submitted ones but the infeasible. Failed, "
     "killed and timed-out jobs have rows of their own."},
    {"wait",
     "First start less the time from which the job could start (its submission, eligible_s or the end of "
     "its predecessors, whichever is last); over the jobs that started."},
    {"total wait",
     "End less eligibility less run time: waits after preemptions are in it; over the jobs that "
     "ended."},
    {"JCT, completion time", "End less first submission; over finished jobs."},
    {"JCT bound",
     "The same over all but infeasible jobs, one that has not ended counted up to the end of the window: "
     "a lower bound of the true mean."},
    {"bounded slowdown", "max(1, JCT / max(run time, tau)); over finished jobs, tau as in the manifest."},
    {"pN, percentiles", "Nearest rank: the value number ceil(N/100 n) of n in ascending order."},
    {"utilisation",
     "GPU time held by jobs, whatever for, over GPU time installed; of available: over installed less "
     "down."},
    {"useful", "GPU time of work that was kept, whatever the job's end."},
    {"overhead", "Start, restore and checkpoint pauses, and GPUs that wait for a lost one."},
    {"lost", "Work that has to be done again, or is never done: after a preemption, after a failure."},
    {"idle, down", "GPUs that nobody holds; GPUs that are down, or drained and empty."},
    {"Jain index",
     "(sum x)^2 / (N sum x^2) over the N users that have jobs which count; x is the GPU time that a user "
     "held inside the window. 1: all alike; 1/N: one has all."},
    {"FTF, finish-time fairness",
     "JCT over the time on an equal share, max(1, gpus N / total GPUs) x duration: 1/N of "
     "the GPUs with N users, linear scaling, never more GPUs than asked for; over "
     "finished GPU jobs."},
    {"preempted", "How often the policy stopped jobs."},
    {"makespan", "Last end less first submission, of the jobs that count."},
};

void gy_report_definitions(const struct page *p)
{
    gy_out_text(p->out, "<section><h2>What the figures mean</h2>\n<dl class=\"definitions\">\n");
    for (size_t i = 0; i < sizeof definitions / sizeof *definitions; i++) {
        gy_out_text(p->out, "<dt>");
        gy_html_text(p->out, definitions[i].term);
        gy_out_text(p->out, "</dt><dd>");
        gy_html_text(p->out, definitions[i].text);
        gy_out_text(p->out, "</dd>\n");
    }
    gy_out_text(p->out, "</dl></section>\n");
}

static void put_items(gy_out *out, const gy_manifest_group *g, const char *caption)
{
    static const char *const origins[] = {
        [GY_ORIGIN_DEFAULT] = "default", [GY_ORIGIN_GIVEN] = "given", [GY_ORIGIN_FACT] = ""};
    gy_out_text(out, "<div class=\"wide\"><table class=\"manifest\"><caption>");
    gy_html_text(out, caption);
    gy_out_text(out, "</caption><tbody>\n");
    for (size_t i = 0; i < g->n; i++) {
        const gy_manifest_item *item = &g->items[i];
        gy_out_text(out, "<tr>");
        gy_html_cell_text(out, item->name);
        gy_out_text(out, "<td>");
        gy_html_text(out, item->value ? item->value : "none");
        if (item->value && item->unit && item->unit[0]) {
            gy_out_text(out, " ");
            gy_html_text(out, item->unit);
        }
        gy_out_printf(out, "</td><td class=\"%s\">%s</td></tr>\n", origins[item->origin],
                      origins[item->origin]);
    }
    gy_out_text(out, "</tbody></table></div>\n");
}

static void put_policy(const struct page *p, size_t run)
{
    const gy_manifest *m = &p->runs[run]->manifest;
    gy_str caption = {0};
    gy_out_text(p->out, "<h3>");
    gy_html_policy(p, run);
    gy_out_text(p->out, "</h3>\n<p>");
    if (p->runs[run]->oracle)
        gy_out_text(p->out, "<strong>Oracle.</strong> ");
    gy_out_text(p->out, "Knowledge: ");
    gy_html_text(p->out, m->knowledge ? m->knowledge : "not declared");
    gy_out_printf(p->out, ". Digest <code>%016" PRIx64 "</code>.</p>\n<div class=\"tiles\">\n", m->digest);
    for (size_t i = 0; i < m->nstages; i++) {
        caption.n = 0;
        gy_str_printf(&caption, "%s: %s", m->stages[i].name, m->stages[i].module ? m->stages[i].module : "");
        put_items(p->out, &m->stages[i], caption.s);
    }
    gy_out_text(p->out, "</div>\n");
    gy_str_fini(&caption);
}

void gy_report_manifest(const struct page *p)
{
    gy_out_text(p->out, "<section><h2>Manifest</h2>\n");
    bool shared = false;
    for (size_t i = 0; i < p->n && !shared; i++) {
        const gy_manifest *m = &p->runs[i]->manifest;
        if (p->runs[i]->reason)
            continue;
        shared = true; /* inputs and options are the same for all runs of a comparison */
        if (p->command || m->command) {
            gy_out_text(p->out, "<p><code>");
            gy_html_text(p->out, p->command ? p->command : m->command);
            gy_out_printf(p->out, "</code></p>\n<p>gpuyard %s, policy interface %" PRIu32 ".</p>\n",
                          m->version ? m->version : "", m->abi);
        }
        gy_out_text(p->out, "<div class=\"tiles\">\n");
        for (size_t g = 0; g < m->ngroups; g++)
            put_items(p->out, &m->groups[g], m->groups[g].name);
        gy_out_text(p->out, "</div>\n");
    }
    for (size_t i = 0; i < p->n; i++)
        if (!p->runs[i]->reason)
            put_policy(p, i);
    gy_out_text(p->out, "</section>\n");
}
