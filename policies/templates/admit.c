/* admit-@NAME@.c - a user holds at most some number of GPUs at a time.
 * SPDX-License-Identifier: MIT
 *
 * The admit stage answers "may it start now?", before a place is looked for.  A job that is refused waits,
 * and does not hold up others.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* One instance: one run.  A module has no variables of its own, since two runs may go on at once. */
struct instance {
    const gy_host *host;
    int64_t most_milli;
};

/* values[i] belongs to settings[i] below.  A result other than 0 refuses them, with a sentence in error. */
static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = malloc(sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    *s = (struct instance){host, values[0].number * 1000};
    *self = s;
    return 0;
}

static void close_instance(void *self)
{
    free(self);
}

static int admit(void *self, gy_view *v, uint32_t job)
{
    const struct instance *s = self;
    gy_job_info j;
    gy_user_info u;
    s->host->job(v, job, &j, sizeof j);
    s->host->user(v, j.user, &u, sizeof u);
    if (u.held_milli + j.gpus_milli <= s->most_milli)
        return 1;
    s->host->explain(v, job, GY_WAITS_ADMISSION, "the user holds as many GPUs as allowed");
    return 0;
}

/* Asked once, at submission: a job that could never be admitted should not wait for ever. */
static int feasible(void *self, gy_view *v, uint32_t job)
{
    const struct instance *s = self;
    gy_job_info j;
    s->host->job(v, job, &j, sizeof j);
    return j.gpus_milli <= s->most_milli;
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most */
    {"most_gpus", GY_SETTING_INT, "16", "GPUs", "what one user may hold at a time", 1, 1000000000},
};

static const gy_admit_ops ops = {.size = sizeof ops, .admit = admit, .feasible = feasible};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "@NAME@",
    .stage = GY_STAGE_ADMIT,
    .knowledge = GY_K0_REQUEST, /* the highest class of facts that it reads; the host enforces it */
    .flags = 0,                 /* GY_ADMIT_BY_QUEUE only if a refusal depends on the queue alone */
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "A user holds at most so many GPUs at a time",
    .source = "the template of gpuyard",
    .complexity = "O(1) for each job that is looked at",
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
