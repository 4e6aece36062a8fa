/* order-drf.c - dominant resource fairness: the user with the smallest dominant share comes first.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

/* floor(held * 10^18 / all), which is at most 10^18: exact in 128 bits. */
static int64_t share(int64_t held, int64_t all)
{
    __extension__ typedef __int128 wide;
    return all > 0 ? (int64_t)((wide)held * 1000000000000000000 / all) : 0;
}

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = self;
    gy_job_info j;
    gy_user_info u;
    gy_totals t;
    h->job(v, job, &j, sizeof j);
    h->user(v, j.user, &u, sizeof u);
    h->totals(v, &t, sizeof t);
    const int64_t shares[] = {share(u.held_milli, t.gpus_milli), share(u.held_cpus_micro, t.cpus_micro),
                              share(u.held_mem_micro, t.mem_micro)};
    for (int i = 0; i < 3; i++)
        out->lane[0] = shares[i] > out->lane[0] ? shares[i] : out->lane[0];
}

static const gy_order_ops ops = {.size = sizeof ops, .lanes = 1, .change = GY_KEY_USER, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "drf",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K0_REQUEST,
    .flags = 0,
    .summary = "Smallest dominant share of the user first",
    .source = "Ghodsi et al., NSDI'11",
    .complexity = "O(log users)",
    .deviations = "Shares are of what is installed, down nodes included",
    .open = gy_open_plain,
    .close = gy_close_plain,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
