/* order-widest.c - a policy module from outside the tree: the job with most GPUs first.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

#include <stdlib.h>

struct state {
    const gy_host *host;
    int64_t at_least_milli; /* narrower jobs are all alike */
};

static int open_widest(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct state *s = malloc(sizeof *s);
    (void)error;
    (void)size;
    if (!s)
        return 1;
    s->host = host;
    s->at_least_milli = values[0].number * 1000;
    *self = s;
    return 0;
}

static void close_widest(void *self)
{
    free(self);
}

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const struct state *s = self;
    gy_job_info j;
    s->host->job(v, job, &j, sizeof j);
    out->lane[0] = j.gpus_milli < s->at_least_milli ? 0 : -(int64_t)j.gpus_milli;
}

static const gy_order_ops ops = {.size = sizeof ops, .lanes = 1, .change = GY_KEY_NEVER, .key = key};

static const gy_setting settings[] = {
    {"at_least_gpus", GY_SETTING_INT, "0", "GPUs", "jobs below this are in order of submission", 0, 1000000},
};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "widest",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K0_REQUEST,
    .nsettings = 1,
    .settings = settings,
    .summary = "Most GPUs first",
    .source = "an example from outside the tree",
    .complexity = "O(log n)",
    .deviations = "",
    .open = open_widest,
    .close = close_widest,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
