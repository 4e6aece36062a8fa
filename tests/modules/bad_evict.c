/* bad_evict.c - evict modules that misbehave.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME is the module's name, FAULT says what it does.
 */
#include "module.h"

enum fault {
    WAITING, /* stops a job that waits */
    UNKNOWN, /* stops a job that does not exist */
    FIXED,   /* stops a job that may not be stopped */
    BETTER,  /* stops a job that comes before the one it makes room for */
    TWICE,   /* stops a job twice */
    SPARES,  /* spares a job that it had not stopped */
    USELESS, /* says that one victim suffices when it does not */
    NOBODY,  /* says that nobody has to stop when the job does not fit */
};

static uint32_t running_job(const gy_host *h, gy_view *v, int fixed)
{
    gy_job_info j;
    for (uint32_t k = h->next_running(v, GY_NIL); k != GY_NIL; k = h->next_running(v, k)) {
        h->job(v, k, &j, sizeof j);
        if ((j.flags & GY_JOB_IS_PREEMPTIBLE) == (fixed ? 0 : GY_JOB_IS_PREEMPTIBLE))
            return k;
    }
    return GY_NIL;
}

static int select_victims(void *self, gy_view *v, gy_trial *t, uint32_t job)
{
    const gy_host *h = self;
    uint32_t victim =
        FAULT == FIXED || FAULT == BETTER ? running_job(h, v, FAULT == FIXED) : h->next_victim(t);
    if (FAULT == WAITING)
        victim = job;
    if (victim == GY_NIL)
        return 0;
    if (FAULT == NOBODY)
        return 1;
    if (FAULT == SPARES) {
        h->spare_victim(t, victim);
        return 0;
    }
    h->stop_victim(t, FAULT == UNKNOWN ? 1000000 : victim);
    if (FAULT == TWICE)
        h->stop_victim(t, victim);
    return 1;
}

static const gy_evict_ops ops = {.size = sizeof ops, .select = select_victims};

PLAIN_MODULE(NAME, GY_STAGE_EVICT, GY_K0_REQUEST, 0, .ops = &ops)
