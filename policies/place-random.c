/* place-random.c - a random node that holds all that is left, else all of a random node with room.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

static int place(void *self, gy_space *s, const gy_request *r)
{
    const gy_host *h = self;
    uint32_t left = r->units;
    while (left > 0) {
        uint32_t fit = left, n = h->count(s, fit);
        if (n == 0) {
            fit = 1;
            n = h->count(s, fit);
        }
        if (n == 0)
            return 0;
        uint32_t node = h->nth(s, fit, (uint32_t)(h->space_draw(s) % n));
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
    .name = "random",
    .stage = GY_STAGE_PLACE,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_PLACE_COMPLETE,
    .summary = "A random node that fits",
    .source = "a baseline for comparisons (FGD, ATC'23)",
    .complexity = "O(nodes)",
    .deviations =
        "The remainder of a 64-bit number is taken: nodes differ in their chances by less than 1 in 10^12",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
