/* order-@NAME@.c - each GPU that a job asks for puts it back in the line by some seconds.
 * SPDX-License-Identifier: MIT
 *
 * The order stage answers "who is next?" with a key for each job: the smallest comes first, and equal ones go
 * by first submission.  Here the key is the submission plus GPUs times a setting, so small jobs pass large
 * ones, but only those that came shortly before them: nobody waits for ever.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* One instance: one run.  A module has no variables of its own, since two runs may go on at once. */
struct instance {
    const gy_host *host;
    int64_t per_gpu_us;
};

/* values[i] belongs to settings[i] below.  A result other than 0 refuses them, with a sentence in error. */
static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = malloc(sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    *s = (struct instance){host, values[0].number};
    *self = s;
    return 0;
}

static void close_instance(void *self)
{
    free(self);
}

/* What the host lends ends with the call, so take copies.  GPUs are thousandths, times microseconds. */
static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const struct instance *s = self;
    gy_job_info j;
    s->host->job(v, job, &j, sizeof j);
    out->lane[0] = j.submit_us + s->per_gpu_us * (int64_t)j.gpus_milli / 1000;
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most (times in microseconds) */
    {"per_gpu_s", GY_SETTING_TIME, "60", "s", "how far back in the line each GPU puts a job", 0, 86400000000},
};

/* GY_KEY_NEVER: the key stays the same from submission to end, so the host takes it once.  If yours changes,
 * say how (enum gy_key_change): the host relies on it, and `gpuyard policy check` finds out. */
static const gy_order_ops ops = {.size = sizeof ops, .lanes = 1, .change = GY_KEY_NEVER, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "@NAME@",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K0_REQUEST, /* the highest class of facts that it reads; the host enforces it */
    .flags = 0,
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "First submission first, each GPU counting as some seconds of delay",
    .source = "the template of gpuyard",
    .complexity = "O(log n) for each job",
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
