/* gy_sim_warm.c - the window opens on a cluster at work: what the log shows as running or queued then is
 * loaded. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "gy_sim_internal.h"

/* ---- placements of the log: "n0:0-3;n1:0,2" ---- */

static bool parse_span(const char **p, uint32_t *first, uint32_t *last)
{
    uint32_t v[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        const char *s = *p;
        while (**p >= '0' && **p <= '9' && v[i] < 1000000)
            v[i] = v[i] * 10 + (uint32_t)(*(*p)++ - '0');
        if (*p == s)
            return false;
        if (i == 0) {
            v[1] = v[0];
            if (**p != '-')
                break;
            (*p)++;
            v[1] = 0;
        }
    }
    *first = v[0];
    *last = v[1];
    return v[0] <= v[1];
}

static gy_hold *hold_for(gy_hold *out, uint32_t *n, uint32_t node, uint16_t word)
{
    for (uint32_t i = *n; i-- > 0;)
        if (out[i].node == node && out[i].word == word)
            return &out[i];
    out[*n] = (gy_hold){.node = node, .word = word};
    return &out[(*n)++];
}

/* GPUs first .. last of a node are added to the holds; none may come twice. */
static bool add_span(const gy_sim *s, uint32_t node, uint32_t first, uint32_t last, gy_hold *out, uint32_t *n)
{
    uint32_t gpus = s->layout->gpu0[node + 1] - s->layout->gpu0[node];
    if (last >= gpus)
        return false;
    for (uint32_t g = first; g <= last; g++) {
        gy_hold *h = hold_for(out, n, node, (uint16_t)(g / 64));
        if (h->mask >> (g & 63) & 1)
            return false;
        h->mask |= (uint64_t)1 << (g & 63);
        h->gpus++;
    }
    return true;
}

static void sort_holds(gy_hold *h, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        gy_hold x = h[i];
        uint32_t k = i;
        for (; k > 0 && (h[k - 1].node > x.node || (h[k - 1].node == x.node && h[k - 1].word > x.word)); k--)
            h[k] = h[k - 1];
        h[k] = x;
    }
}

/* Whole units on each node, as many as the job asks for; CPUs and memory go with the first hold of a node. */
static bool set_units(const gy_demand *d, gy_hold *h, uint32_t n)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t gpus = 0, k = i;
        for (; k < n && h[k].node == h[i].node; k++) {
            gpus += h[k].gpus;
            h[k].units = 0;
        }
        if (d->unit_gpus && gpus % d->unit_gpus)
            return false;
        h[i].units = d->unit_gpus ? gpus / d->unit_gpus : 1;
        units += h[i].units;
        i = k;
    }
    return units == d->units && (d->unit_gpus || (n == 1 && h[0].gpus == 1));
}

bool gy_sim_parse_placed(const gy_sim *s, const char *text, const gy_demand *d, gy_hold *out, uint32_t *n)
{
    *n = 0;
    for (const char *p = text; *p;) {
        size_t k = strcspn(p, ":;");
        uint32_t node = gy_cluster_find_node(s->cluster, p, k), first, last;
        if (p[k] != ':' || node == GY_NONE)
            return false;
        p += k + 1;
        for (;;) {
            if (!parse_span(&p, &first, &last) || !add_span(s, node, first, last, out, n))
                return false;
            if (*p != ',')
                break;
            p++;
        }
        if (*p && *p++ != ';')
            return false;
    }
    sort_holds(out, *n);
    return set_units(d, out, *n);
}

/* Is all of it free now? */
static bool all_free(const gy_sim *s, const gy_demand *d, const gy_hold *h, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (h[i].units && gy_room_can_hold(s->room, d, h[i].node) < h[i].units)
            return false;
        uint32_t w = s->layout->word0[h[i].node] + h[i].word;
        if (d->share_milli) {
            uint32_t g = s->layout->gpu0[h[i].node] + 64u * h[i].word + (uint32_t)__builtin_ctzll(h[i].mask);
            if (s->room->gpu_milli[g] < (int)d->share_milli || s->room->gpu_mem[g] < d->gpu_mem_micro)
                return false;
        } else if ((s->room->mask[w] & h[i].mask) != h[i].mask) {
            return false;
        }
    }
    return true;
}

/* ---- loading ---- */

struct loaded {
    uint32_t job;
    int64_t start_us, remaining_us;
};

static int compare_loaded(const void *pa, const void *pb)
{
    const struct loaded *a = pa, *b = pb;
    if (a->start_us != b->start_us)
        return a->start_us < b->start_us ? -1 : 1;
    return (a->job > b->job) - (a->job < b->job);
}

bool gy_sim_claim_logged(gy_sim *s, uint32_t job, uint32_t *n)
{
    const gy_demand *d = gy_sim_demand(s, job);
    uint32_t text = s->jobs->log_placed ? s->jobs->log_placed[job] : GY_NAME_NONE;
    *n = 0;
    if (text == GY_NAME_NONE)
        return false;
    const char *placed = gy_names_text(&s->jobs->texts, text);
    if (!gy_sim_parse_placed(s, placed, d, s->scratch, n) || !all_free(s, d, s->scratch, *n))
        return false;
    gy_room_take(s->room, d, s->scratch, *n);
    return true;
}

static void run_loaded(gy_sim *s, const struct loaded *l, uint32_t n)
{
    uint32_t slot = gy_sim_start(s, l->job, s->scratch, n);
    int64_t work = gy_job_work(s->jobs, l->job), done = work > l->remaining_us ? work - l->remaining_us : 0;
    int64_t interval = gy_job_checkpoint(s->jobs, l->job);
    s->start_us[l->job] = l->start_us;
    if (slot == GY_NONE)
        return;
    s->runs[slot].start_us = s->runs[slot].plan_from_us = l->start_us;
    gy_sim_begin_segment(s, slot, 0, done, interval == GY_NEVER ? 0 : done / interval * interval);
    s->hooks.reloaded(s->hooks.ctx, slot);
    gy_heap_push(&s->heap, s->runs[slot].end_us, GY_HEAP_END, slot);
    s->notes.warm_running++;
}

/* Those whose place is in the log come first, so that nobody else is put there. */
static void load_running(gy_sim *s, struct loaded *l, size_t n)
{
    if (n)
        qsort(l, n, sizeof *l, compare_loaded);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < n; i++) {
            uint32_t holds = 0;
            if (s->state[l[i].job] != GY_STATE_QUEUED)
                continue;
            if (!gy_sim_waits(s, l[i].job)) { /* before it was eligible: the log contradicts itself */
                s->notes.warm_queued += round == 1;
                continue;
            }
            if (round == 0 && gy_sim_claim_logged(s, l[i].job, &holds)) {
                run_loaded(s, &l[i], holds);
            } else if (round == 1) {
                s->notes.warm_misplaced +=
                    s->jobs->log_placed != NULL && s->jobs->log_placed[l[i].job] != GY_NAME_NONE;
                holds = s->hooks.place(s->hooks.ctx, l[i].job, s->scratch);
                if (holds || gy_sim_demand(s, l[i].job)->free)
                    run_loaded(s, &l[i], holds);
                else
                    s->notes.warm_queued++;
            }
        }
}

/* Sorts a job from before the window into running, queued or ended. */
static bool runs_at(const gy_sim *s, uint32_t job, int64_t w_us, struct loaded *l, bool *queued)
{
    const gy_jobs *t = s->jobs;
    int64_t start = gy_job_log_start(t, job), end = gy_job_log_end(t, job);
    *queued = start == GY_NEVER || start >= w_us;
    if (*queued)
        return false;
    if (end == GY_NEVER)
        end = start + gy_job_work(t, job);
    *l = (struct loaded){job, start, end - w_us};
    return end > w_us;
}

void gy_sim_open_window(gy_sim *s)
{
    int64_t w_us = s->opt.window_start_us;
    uint32_t first = 0;
    if (w_us == GY_WINDOW_DEFAULT || !s->jobs->log_start_us)
        return;
    while (first < s->jobs->n && s->jobs->submit_us[first] < w_us)
        first++;
    struct loaded *l = gy_alloc(first, sizeof *l);
    uint8_t *waits = gy_alloc(first, 1);
    size_t n = 0;
    while (s->events && s->next_event < s->events->n && s->events->list[s->next_event].t_us < w_us)
        gy_sim_apply(s, &s->events->list[s->next_event++]);
    s->now_us = s->down_since_us = w_us;
    s->next_job = first;
    for (uint32_t j = 0; j < first; j++) {
        bool queued, runs = runs_at(s, j, w_us, &l[n], &queued);
        if (s->opt.cold)
            s->notes.cold_left_out += queued || runs;
        n += runs && !s->opt.cold;
        waits[j] = (queued || runs) && !s->opt.cold;
        if (!waits[j] && s->blockers) /* it is over, or taken for it: nobody waits for it any more */
            for (uint32_t k = s->first_follower[j]; k < s->first_follower[j + 1]; k++)
                s->blockers[s->followers[k]]--;
        s->notes.warm_queued += queued && !s->opt.cold;
    }
    for (uint32_t j = 0; j < first; j++)
        if (waits[j])
            gy_sim_submit(s, j);
    load_running(s, l, n);
    free(l);
    free(waits);
}
