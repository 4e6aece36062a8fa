/* backfill-easy.c - EASY: only the first blocked job is protected.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static uint32_t blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{
    (void)self;
    (void)v;
    (void)job;
    return nth == 0 ? GY_BLOCKED_RESERVE : GY_BLOCKED_SKIP | GY_BLOCKED_REST;
}

static const gy_backfill_ops ops = {.size = sizeof ops, .blocked = blocked};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "easy",
    .stage = GY_STAGE_BACKFILL,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_PLANS | GY_USES_ESTIMATES,
    .summary = "Whoever does not delay the first blocked job passes it",
    .source = "Lifka, The ANL/IBM SP scheduling system (JSSPP 1995)",
    .complexity = "O(log running + classes) for each event",
    .deviations = "",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
