/* order-sjf.c - shortest job first, by the estimated length.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = self;
    out->lane[0] = h->estimate_us(v, job);
}

static const gy_order_ops ops = {.size = sizeof ops, .lanes = 1, .change = GY_KEY_NEVER, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "sjf",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_USES_ESTIMATES | GY_WANTS_PERFECT,
    .summary = "Shortest estimated length first",
    .source = "policies of the Helios simulator (Hu et al., SC'21), where lengths are true ones",
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
