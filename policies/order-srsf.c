/* order-srsf.c - shortest remaining service first: remaining time times GPUs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = self;
    gy_attained had;
    gy_job_info j;
    int64_t e = h->estimate_us(v, job);
    h->attained(v, job, &had, sizeof had);
    h->job(v, job, &j, sizeof j);
    out->lane[0] = GY_FOREVER;
    if (e == GY_FOREVER)
        return;
    __extension__ __int128 left = (__int128)(e - had.work_us) * j.gpus_milli;
    out->lane[0] = (int64_t)(left >> 64); /* below 0 once the estimate has turned out too short */
    out->lane[1] = (int64_t)(uint64_t)left;
    out->slope = -(int64_t)j.gpus_milli;
}

static const gy_order_ops ops = {
    .size = sizeof ops, .lanes = 2, .change = GY_KEY_LINEAR, .slope_kind = GY_SLOPE_WORK, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "srsf",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K2_ATTAINED,
    .flags = GY_USES_ESTIMATES | GY_WANTS_PERFECT,
    .summary = "Shortest remaining GPU time first",
    .source = "Gu et al., Tiresias (NSDI'19), `shortest-gpu` of its simulator",
    .complexity = "O(log n)",
    .deviations = "A job that runs longer than estimated counts as having less than nothing left",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
