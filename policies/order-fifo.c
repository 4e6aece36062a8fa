/* order-fifo.c - first in, first out: no key, so the first submission decides.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static const gy_order_ops ops = {.size = sizeof ops, .lanes = 0, .change = GY_KEY_NEVER};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "fifo",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K0_REQUEST,
    .flags = 0,
    .summary = "First submission first",
    .source = "the baseline of every scheduler",
    .complexity = "O(1)",
    .deviations = "",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
