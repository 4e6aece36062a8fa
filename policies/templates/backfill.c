/* backfill-@NAME@.c - the first few blocked jobs are protected; whoever does not delay them may pass.
 * SPDX-License-Identifier: MIT
 *
 * The backfill stage answers "what may pass a blocked job?".  It is asked about each job that cannot start,
 * in order: stop the line, skip the job, or keep a place for it at the first time at which it will fit.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* One instance: one run.  A module has no variables of its own, since two runs may go on at once. */
struct instance {
    uint32_t depth;
};

/* values[i] belongs to settings[i] below.  A result other than 0 refuses them, with a sentence in error. */
static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = malloc(sizeof *s);
    (void)host; /* this module asks the host for nothing */
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    s->depth = (uint32_t)values[0].number;
    *self = s;
    return 0;
}

static void close_instance(void *self)
{
    free(self);
}

/* `nth` jobs were blocked before it in this pass.  GY_BLOCKED_REST says that the answer holds for all later
 * ones too, which spares the host a question for each. */
static uint32_t blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{
    const struct instance *s = self;
    (void)v;
    (void)job;
    return nth < s->depth ? GY_BLOCKED_RESERVE : GY_BLOCKED_SKIP | GY_BLOCKED_REST;
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most */
    {"depth", GY_SETTING_INT, "4", "jobs", "so many blocked jobs have a place kept for them", 0, 1000000},
};

static const gy_backfill_ops ops = {.size = sizeof ops, .blocked = blocked};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "@NAME@",
    .stage = GY_STAGE_BACKFILL,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_PLANS | GY_USES_ESTIMATES, /* it keeps places; the host plans with estimated lengths */
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "The first few blocked jobs are protected",
    .source = "the template of gpuyard",
    .complexity = "O(1); the host's plan costs O(jobs planned x steps)",
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
