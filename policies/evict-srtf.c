/* evict-srtf.c - stops jobs with more remaining time until the job fits.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "evict_last.h"

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = ((struct evict *)self)->host;
    gy_attained had;
    int64_t e = h->estimate_us(v, job);
    h->attained(v, job, &had, sizeof had);
    if (e == GY_FOREVER) {
        out->lane[0] = GY_FOREVER;
        return;
    }
    out->lane[0] = e - had.work_us; /* below 0 once the estimate has turned out too short */
    out->slope = -1;
}

static const gy_evict_ops ops = {.size = sizeof ops,
                                 .lanes = 1,
                                 .change = GY_KEY_LINEAR,
                                 .slope_kind = GY_SLOPE_WORK,
                                 .key = key,
                                 .select = select_victims};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "srtf",
    .stage = GY_STAGE_EVICT,
    .knowledge = GY_K2_ATTAINED,
    .flags = GY_USES_ESTIMATES | GY_WANTS_PERFECT,
    .summary = "Stops jobs with more remaining time, the most first",
    .source = "Schrage (1968); Helios (SC'21)",
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
