/* module.h - the table of a small module for tests, in a few words.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef TEST_MODULE_H
#define TEST_MODULE_H

#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* MODULE("fickle", GY_STAGE_ORDER, GY_K0_REQUEST, 0, open, close, .ops = &ops, ...) and its entry. */
#define MODULE(name_, stage_, knowledge_, flags_, open_, close_, ...)                                        \
    static const gy_module module = {.abi = GY_POLICY_ABI,                                                   \
                                     .size = sizeof(gy_module),                                              \
                                     .name = name_,                                                          \
                                     .stage = stage_,                                                        \
                                     .knowledge = knowledge_,                                                \
                                     .flags = flags_,                                                        \
                                     .summary = "a module for tests",                                        \
                                     .source = "tests",                                                      \
                                     .complexity = "O(1)",                                                   \
                                     .deviations = "",                                                       \
                                     .open = open_,                                                          \
                                     .close = close_,                                                        \
                                     __VA_ARGS__};                                                           \
    const gy_module *gy_policy_entry(void)                                                                   \
    {                                                                                                        \
        return &module;                                                                                      \
    }

/* Without settings and state: `self` is the host's table. */
#define PLAIN_MODULE(name_, stage_, knowledge_, flags_, ...)                                                 \
    MODULE(name_, stage_, knowledge_, flags_, gy_open_plain, gy_close_plain, __VA_ARGS__)

/* The usual placement: the fullest node that fits. */
static inline int place_tightest(const gy_host *h, gy_space *s, uint32_t units)
{
    while (units > 0) {
        uint32_t node = h->tightest(s, units);
        if (node == GY_NIL)
            node = h->tightest(s, 1);
        if (node == GY_NIL)
            return 0;
        uint32_t n = h->hold(s, node) < units ? h->hold(s, node) : units;
        h->take(s, node, n);
        units -= n;
    }
    return 1;
}

#endif
