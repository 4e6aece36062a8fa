/* order-tiresias.c - Tiresias-L: discrete queues by attained GPU time, first come first served inside a
 * queue. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

struct tiresias {
    const gy_host *host;
    uint32_t n;
    int64_t thresholds[]; /* thousandths of a GPU times microseconds, ascending */
};

static int tiresias_open(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct tiresias *s = malloc(sizeof *s + values[0].n * sizeof s->thresholds[0]);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    s->host = host;
    s->n = values[0].n;
    for (uint32_t i = 0; i < s->n; i++) {
        if (i && values[0].list[i] <= values[0].list[i - 1]) {
            snprintf(error, size, "thresholds %s do not ascend", values[0].text);
            free(s);
            return 1;
        }
        s->thresholds[i] = values[0].list[i] * 1000; /* millionths of a GPU second */
    }
    *self = s;
    return 0;
}

/* Thresholds never exceed 63 bits, so a high half above 0 has passed them all. */
static uint32_t reached(const struct tiresias *s, const gy_attained *had)
{
    uint32_t k = 0;
    while (k < s->n && (had->gpu_time_high > 0 || had->gpu_time_low >= (uint64_t)s->thresholds[k]))
        k++;
    return k;
}

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const struct tiresias *s = self;
    gy_attained had;
    s->host->attained(v, job, &had, sizeof had);
    out->lane[0] = reached(s, &had);
}

/* A timer for the very microsecond at which the running job reaches its next threshold. */
static void watch(void *self, gy_view *v, uint32_t job)
{
    const struct tiresias *s = self;
    gy_attained had;
    gy_job_info j;
    if (job == GY_NIL)
        return;
    s->host->attained(v, job, &had, sizeof had);
    s->host->job(v, job, &j, sizeof j);
    uint32_t k = reached(s, &had);
    if (k == s->n || j.gpus_milli == 0)
        return;
    uint64_t left = (uint64_t)s->thresholds[k] - had.gpu_time_low;
    s->host->wake_job(v, job, s->host->now_us(v) + (int64_t)((left + j.gpus_milli - 1) / j.gpus_milli));
}

static const gy_notify notify = {.size = sizeof notify, .start = watch, .timer = watch};

static const gy_setting settings[] = {
    {"thresholds", GY_SETTING_DECIMALS, "3250|7200", "GPU seconds",
     "a job is demoted when its GPU time reaches one", 0, INT64_C(9000000000000000)},
};

static const gy_order_ops ops = {.size = sizeof ops, .lanes = 1, .change = GY_KEY_OWN, .key = key};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "tiresias",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K2_ATTAINED,
    .flags = 0,
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "Fewest thresholds of GPU time reached first",
    .source = "Gu et al., Tiresias (NSDI'19), 2D-LAS with discrete queues",
    .complexity = "O(log n)",
    .deviations = "Nobody is promoted again (PROMOTEKNOB = 0); the instant of a demotion is exact, where its "
                  "simulator divides integers",
    .open = tiresias_open,
    .close = free,
    .notify = &notify,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
