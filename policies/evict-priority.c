/* evict-priority.c - stops jobs that come later in order (or have a lower priority) until the job fits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "evict_last.h"

static const gy_evict_ops ops = {.size = sizeof ops, .select = select_victims};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "priority",
    .stage = GY_STAGE_EVICT,
    .knowledge = GY_K0_REQUEST,
    .flags = 0,
    .summary = "Stops the last in order; by priority where the order has no key",
    .source = "preemption by partition or priority in Slurm; Tiresias' preemption",
    .complexity = "O(victims log running)",
    .deviations = "",
    .open = evict_open,
    .close = evict_close,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
