/* place-spread.c - one unit at a time on the node with most room.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static int place(void *self, gy_space *s, const gy_request *r)
{
    const gy_host *h = self;
    uint32_t left = r->units;
    while (left > 0) {
        uint32_t node = h->roomiest(s), units = 1;
        if (node == GY_NIL)
            return 0;
        h->take(s, node, units);
        left -= units;
    }
    return 1;
}

static const gy_place_ops ops = {.size = sizeof ops, .place = place};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "spread",
    .stage = GY_STAGE_PLACE,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_PLACE_COMPLETE,
    .summary = "As many nodes as possible",
    .source = "textbook; the Pollux simulator's placement of Tiresias jobs",
    .complexity = "O(units)",
    .deviations = "",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
