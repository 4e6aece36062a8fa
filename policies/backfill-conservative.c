/* backfill-conservative.c - every blocked job is protected.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static uint32_t blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{
    (void)self;
    (void)v;
    (void)job;
    (void)nth;
    return GY_BLOCKED_RESERVE | GY_BLOCKED_REST;
}

static const gy_backfill_ops ops = {.size = sizeof ops, .blocked = blocked};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "conservative",
    .stage = GY_STAGE_BACKFILL,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_PLANS | GY_USES_ESTIMATES,
    .summary = "Whoever delays nobody before it passes",
    .source = "Mu'alem and Feitelson, IEEE TPDS 12(6), 2001",
    .complexity = "O(jobs planned x steps) for each pass in which somebody could start",
    .deviations = "",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
