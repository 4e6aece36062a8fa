/* order-srtf.c - shortest remaining time first: estimated length less the work that is done.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = self;
    gy_attained had;
    int64_t e = h->estimate_us(v, job);
    h->attained(v, job, &had, sizeof had);
    if (e == GY_FOREVER) {
        out->lane[0] = GY_FOREVER;
        return;
    }
    out->lane[0] = e - had.work_us; /* below 0 once the estimate has turned out too short */
    out->slope = -1;
}

static const gy_order_ops ops = {
    .size = sizeof ops, .lanes = 1, .change = GY_KEY_LINEAR, .slope_kind = GY_SLOPE_WORK, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "srtf",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K2_ATTAINED,
    .flags = GY_USES_ESTIMATES | GY_WANTS_PERFECT,
    .summary = "Shortest remaining time first",
    .source = "Schrage, Operations Research 16 (1968); in GPU clusters: Helios (SC'21)",
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
