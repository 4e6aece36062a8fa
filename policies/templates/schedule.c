/* schedule-@NAME@.c - first in, first out; of the first few that wait, whoever fits starts.
 * SPDX-License-Identifier: MIT
 *
 * The schedule stage replaces the whole pass: it is called whenever something happened, looks at who waits
 * and who runs, and starts, stops, resizes or moves jobs by itself.  The place stage still serves start()
 * without pieces.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* One instance: one run.  A module has no variables of its own, since two runs may go on at once. */
struct instance {
    const gy_host *host;
    uint32_t depth;
};

/* values[i] belongs to settings[i] below.  A result other than 0 refuses them, with a sentence in error. */
static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = malloc(sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    *s = (struct instance){host, (uint32_t)values[0].number};
    *self = s;
    return 0;
}

static void close_instance(void *self)
{
    free(self);
}

/* start() returns 0 when there is no room.  The list may be walked while its jobs start: a job that has
 * started is not found again. */
static void schedule(void *self, gy_view *v)
{
    const struct instance *s = self;
    uint32_t job = s->host->next_waiting(v, GY_NIL);
    for (uint32_t blocked = 0; job != GY_NIL && blocked < s->depth; job = s->host->next_waiting(v, job))
        if (!s->host->start(v, job, NULL, 0)) {
            s->host->explain(v, job, GY_WAITS_RESOURCES, "");
            blocked++;
        }
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most */
    {"depth", GY_SETTING_INT, "10", "jobs", "so many blocked jobs are looked at in one pass", 1, 1000000000},
};

static const gy_schedule_ops ops = {.size = sizeof ops, .schedule = schedule};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "@NAME@",
    .stage = GY_STAGE_SCHEDULE,
    .knowledge = GY_K0_REQUEST, /* the highest class of facts that it reads; the host enforces it */
    .flags = 0,
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "First in, first out, passing a few blocked jobs",
    .source = "the template of gpuyard",
    .complexity = "O(jobs looked at) for each pass",
    .deviations = "",
    .open = open_instance,
    .close = close_instance,
    .ops = &ops,
};

/* The one function that is exported. */
const gy_module *gy_policy_entry(void)
{
    return &module;
}
