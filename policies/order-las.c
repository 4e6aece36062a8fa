/* order-las.c - least attained service: the GPU time had so far, over all runs.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

struct las {
    const gy_host *host;
    int64_t quantum_us; /* 0: only when something happens */
};

static int las_open(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct las *s = malloc(sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    if (values[0].number > 0 && values[0].number < 1000) {
        snprintf(error, size, "quantum_s must be 0 (never) or at least 0.001");
        free(s);
        return 1;
    }
    *s = (struct las){host, values[0].number};
    *self = s;
    return 0;
}

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const struct las *s = self;
    gy_attained had;
    gy_job_info j;
    s->host->attained(v, job, &had, sizeof had);
    s->host->job(v, job, &j, sizeof j);
    out->lane[0] = had.gpu_time_high;
    out->lane[1] = (int64_t)had.gpu_time_low;
    out->slope = j.gpus_milli;
}

/* Running jobs move back in the order all the time: somebody has to look. */
static int64_t next_look(void *self, gy_view *v)
{
    const struct las *s = self;
    if (s->quantum_us == 0)
        return GY_FOREVER;
    int64_t now = s->host->now_us(v), done = now % s->quantum_us;
    return now - done + (done < 0 ? 0 : s->quantum_us);
}

static const gy_setting settings[] = {
    {"quantum_s", GY_SETTING_TIME, "300", "s",
     "while somebody waits, the order is looked at again at every multiple", 0, GY_FOREVER},
};

static const gy_order_ops ops = {.size = sizeof ops,
                                 .lanes = 2,
                                 .change = GY_KEY_LINEAR,
                                 .slope_kind = GY_SLOPE_HELD,
                                 .key = key,
                                 .next_look = next_look};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "las",
    .stage = GY_STAGE_ORDER,
    .knowledge = GY_K2_ATTAINED,
    .flags = 0,
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "Least GPU time had so far first",
    .source = "Nuyens and Wierman (2008); 2D-LAS of Tiresias (NSDI'19)",
    .complexity = "O(log n) for each look",
    .deviations = "",
    .open = las_open,
    .close = free,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
