/* place-worst-fit.c - all of the roomiest node, again and again.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static int place(void *self, gy_space *s, const gy_request *r)
{
    const gy_host *h = self;
    uint32_t left = r->units;
    while (left > 0) {
        uint32_t node = h->roomiest(s);
        if (node == GY_NIL)
            return 0;
        uint32_t units = h->hold(s, node);
        units = units < left ? units : left;
        h->take(s, node, units);
        left -= units;
    }
    return 1;
}

static const gy_place_ops ops = {.size = sizeof ops, .place = place};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "worst-fit",
    .stage = GY_STAGE_PLACE,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_PLACE_COMPLETE,
    .summary = "The emptiest node",
    .source = "textbook; Kubernetes' LeastAllocated for GPUs",
    .complexity = "O(nodes taken)",
    .deviations = "",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
