/* admit-quota.c - a queue holds at most its quota of GPUs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <gpuyard/policy.h>

/* `held` of the queue and the job's GPUs are at most `quota`. */
static int within(int64_t quota, int64_t held, int64_t gpus)
{
    return quota < 0 || held + gpus <= quota;
}

static int admit(void *self, gy_view *v, uint32_t job)
{
    const gy_host *h = self;
    gy_job_info j;
    gy_queue_info q;
    h->job(v, job, &j, sizeof j);
    h->queue(v, j.queue, &q, sizeof q);
    return within(q.quota_milli, q.held_milli, j.gpus_milli);
}

static int feasible(void *self, gy_view *v, uint32_t job)
{
    const gy_host *h = self;
    gy_job_info j;
    gy_queue_info q;
    h->job(v, job, &j, sizeof j);
    h->queue(v, j.queue, &q, sizeof q);
    return within(q.quota_max_milli, 0, j.gpus_milli);
}

static const gy_admit_ops ops = {.size = sizeof ops, .admit = admit, .feasible = feasible};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "quota",
    .stage = GY_STAGE_ADMIT,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_ADMIT_BY_QUEUE,
    .summary = "The GPUs held by the queue and those of the job are at most the queue's quota",
    .source = "virtual clusters of Philly (ATC'19) and Helios (SC'21)",
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
