/* good_resize.c - elastic jobs grow into idle GPUs and shrink to their least when somebody waits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * With START defined it starts who waits by itself, in the room that it has made.
 */
#include "module.h"

static void set_all(const gy_host *h, gy_view *v, int grow)
{
    gy_job_info j;
    for (uint32_t job = h->next_running(v, GY_NIL); job != GY_NIL; job = h->next_running(v, job)) {
        h->job(v, job, &j, sizeof j);
        uint32_t to = grow ? j.max_gpus : j.min_gpus;
        while (j.min_gpus < j.max_gpus && to >= j.min_gpus && to > 0 && !h->resize(v, job, to))
            to--;
    }
}

static void start_waiting(const gy_host *h, gy_view *v)
{
    for (uint32_t job = h->next_waiting(v, GY_NIL); job != GY_NIL; job = h->next_waiting(v, job))
        h->start(v, job, NULL, 0);
}

static void resize(void *self, gy_view *v)
{
    const gy_host *h = self;
    gy_totals all;
    h->totals(v, &all, sizeof all);
    if (all.waiting)
        set_all(h, v, 0);
#ifdef START
    if (all.waiting)
        start_waiting(h, v);
    h->totals(v, &all, sizeof all);
#else
    (void)start_waiting;
#endif
    if (!all.waiting)
        set_all(h, v, 1);
}

static const gy_resize_ops ops = {.size = sizeof ops, .resize = resize};

PLAIN_MODULE(NAME, GY_STAGE_RESIZE, GY_K0_REQUEST, 0, .ops = &ops)
