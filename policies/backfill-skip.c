/* backfill-skip.c - whoever fits may pass a blocked job.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static uint32_t blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{
    (void)self;
    (void)v;
    (void)job;
    (void)nth;
    return GY_BLOCKED_SKIP;
}

static const gy_backfill_ops ops = {.size = sizeof ops, .blocked = blocked};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "skip",
    .stage = GY_STAGE_BACKFILL,
    .knowledge = GY_K0_REQUEST,
    .flags = 0,
    .summary = "Whoever fits passes a blocked job",
    .source = "Tiresias' `fjf`, Kueue's BestEffortFIFO",
    .complexity = "O(1)",
    .deviations = "A wide job can starve behind a stream of narrow ones",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
