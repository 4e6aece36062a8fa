/* resize-@NAME@.c - elastic jobs grow into idle GPUs, and shrink when somebody waits.
 * SPDX-License-Identifier: MIT
 *
 * The resize stage is called after each scheduling pass and may change the number of GPUs of running jobs
 * inside their range (the columns min_gpus and max_gpus).  A job's rate follows its number of GPUs.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* One instance: one run.  A module has no variables of its own, since two runs may go on at once. */
struct instance {
    const gy_host *host;
    uint32_t most;
};

/* values[i] belongs to settings[i] below.  A result other than 0 refuses them, with a sentence in error. */
static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = malloc(sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    *s = (struct instance){host, (uint32_t)values[0].number};
    *self = s;
    return 0;
}

static void close_instance(void *self)
{
    free(self);
}

/* The job gets as many GPUs of `least` to `most` as there is room for.  resize() answers 0 when there is
 * none, and 1 when the job has that many already. */
static void fit(const gy_host *h, gy_view *v, uint32_t job, uint32_t least, uint32_t most)
{
    for (uint32_t gpus = most; gpus >= least && gpus > 0; gpus--)
        if (h->resize(v, job, gpus))
            return;
}

/* Running elastic jobs, the first submitted first, grow or go back to their least. */
static void change_all(const struct instance *s, gy_view *v, int grow)
{
    const gy_host *h = s->host;
    gy_job_info j;
    for (uint32_t job = h->next_running(v, GY_NIL); job != GY_NIL; job = h->next_running(v, job)) {
        h->job(v, job, &j, sizeof j);
        if (j.min_gpus >= j.max_gpus || j.tasks > 1)
            continue; /* rigid */
        uint32_t least = j.min_gpus > 0 ? j.min_gpus : 1;
        uint32_t most = j.max_gpus < s->most ? j.max_gpus : s->most;
        fit(h, v, job, least, grow && most > least ? most : least);
    }
}

static void resize(void *self, gy_view *v)
{
    const struct instance *s = self;
    gy_totals all;
    s->host->totals(v, &all, sizeof all);
    change_all(s, v, all.waiting == 0);
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most */
    {"most_gpus", GY_SETTING_INT, "16", "GPUs", "no job grows beyond", 1, 1000000},
};

static const gy_resize_ops ops = {.size = sizeof ops, .resize = resize};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "@NAME@",
    .stage = GY_STAGE_RESIZE,
    .knowledge = GY_K0_REQUEST, /* the highest class of facts that it reads; the host enforces it */
    .flags = 0,
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "Elastic jobs use what is idle, and give it back when somebody waits",
    .source = "the template of gpuyard",
    .complexity = "O(running jobs) for each pass",
    .deviations = "",
    .open = open_instance,
    .close = close_instance,
    .ops = &ops,
};

/* The one function that is exported. */
const gy_module *gy_policy_entry(void)
{
    return &module;
}
