/* evict-@NAME@.c - the last in order are stopped for a job, but never more than a few.
 * SPDX-License-Identifier: MIT
 *
 * The evict stage answers "whom to stop for it?" in a dry run: the host hands out the running jobs whose key
 * is larger than that of the job, the last in order first; those that are stopped count as gone until the
 * answer is given.  Only if it is 1 do they stop in earnest.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* One instance: one run.  A module has no variables of its own, since two runs may go on at once. */
struct instance {
    const gy_host *host;
    uint32_t most;
    uint32_t victims[]; /* room for `most` */
};

/* values[i] belongs to settings[i] below.  A result other than 0 refuses them, with a sentence in error. */
static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    uint32_t most = (uint32_t)values[0].number;
    struct instance *s = malloc(sizeof *s + most * sizeof s->victims[0]);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    s->host = host;
    s->most = most;
    *self = s;
    return 0;
}

static void close_instance(void *self)
{
    free(self);
}

/* gy_select_last_in_order() (policy.h) stops the last in order until the job fits, and spares those without
 * whom it would still fit.  It gives up when the candidates, or `most` of them, do not suffice. */
static int select_victims(void *self, gy_view *v, gy_trial *t, uint32_t job)
{
    struct instance *s = self;
    uint32_t n;
    (void)v;
    (void)job;
    return gy_select_last_in_order(s->host, t, s->victims, s->most, &n);
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most */
    {"most_victims", GY_SETTING_INT, "4", "jobs", "so many are stopped for one job at the most", 1, 100000},
};

/* Without a key of its own the stage compares by that of the order stage, or by the priority column when the
 * order has none. */
static const gy_evict_ops ops = {.size = sizeof ops, .select = select_victims};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "@NAME@",
    .stage = GY_STAGE_EVICT,
    .knowledge = GY_K0_REQUEST, /* the highest class of facts that it reads; the host enforces it */
    .flags = 0,
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "Stops the last in order, a few at the most",
    .source = "the template of gpuyard",
    .complexity = "O(victims log running) for each job that does not fit",
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
