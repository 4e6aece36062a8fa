/* evict_last.h - what eviction modules share that stop the last in order: an instance with room for victims.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef EVICT_LAST_H
#define EVICT_LAST_H

#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

struct evict {
    const gy_host *host;
    uint32_t *victims;
    uint32_t most;
};

static int evict_open(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    (void)values;
    struct evict *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    s->host = host;
    *self = s;
    return 0;
}

static void evict_close(void *self)
{
    struct evict *s = self;
    free(s->victims);
    free(s);
}

static int select_victims(void *self, gy_view *v, gy_trial *t, uint32_t job)
{
    (void)job;
    struct evict *s = self;
    gy_totals all;
    uint32_t n;
    s->host->totals(v, &all, sizeof all);
    if (all.running > s->most) {
        uint32_t *more = realloc(s->victims, 2 * all.running * sizeof *more);
        if (!more)
            return 0;
        s->victims = more;
        s->most = 2 * all.running;
    }
    return gy_select_last_in_order(s->host, t, s->victims, s->most, &n);
}

#endif
