/* order-random.c - a random order that stays the same for the whole run.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = self;
    out->lane[0] = (int64_t)(h->draw_job(v, job, 0) >> 1);
}

static const gy_order_ops ops = {.size = sizeof ops, .lanes = 1, .change = GY_KEY_NEVER, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "random",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K0_REQUEST,
    .flags = 0,
    .summary = "Random order, by the seed",
    .source = "a baseline for comparisons",
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
