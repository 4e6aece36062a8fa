/* order-priority.c - highest priority first.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = self;
    gy_job_info j;
    h->job(v, job, &j, sizeof j);
    out->lane[0] = -j.priority;
}

static const gy_order_ops ops = {.size = sizeof ops, .lanes = 1, .change = GY_KEY_NEVER, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "priority",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K0_REQUEST,
    .flags = 0,
    .summary = "Highest value of the priority column first",
    .source = "Slurm's and Kubernetes' priorities",
    .complexity = "O(log n)",
    .deviations = "",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
