/* backfill-strict.c - a blocked job stops its line.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static uint32_t blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{
    (void)self;
    (void)v;
    (void)job;
    (void)nth;
    return GY_BLOCKED_STOP;
}

static const gy_backfill_ops ops = {.size = sizeof ops, .blocked = blocked};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "strict",
    .stage = GY_STAGE_BACKFILL,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_KEEPS_QUEUE_ORDER,
    .summary = "Nobody passes a blocked job",
    .source = "head-of-line blocking, as in the FIFO of Slurm's sched/builtin",
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
