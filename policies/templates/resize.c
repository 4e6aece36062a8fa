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
    uint32_t step;
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

static int may_change(const gy_job_info *j)
{
    return j->min_gpus < j->max_gpus && j->tasks <= 1;
}

/* Each running elastic job gives back what it has above its least, which frees room for the next pass. */
static void shrink(const struct instance *s, gy_view *v)
{
    gy_job_info j;
    for (uint32_t job = s->host->next_running(v, GY_NIL); job != GY_NIL;
         job = s->host->next_running(v, job)) {
        s->host->job(v, job, &j, sizeof j);
        if (may_change(&j))
            s->host->resize(v, job, j.min_gpus > 0 ? j.min_gpus : 1);
    }
}

/* Each gets up to `step` more, the first submitted first.  What does not fit is refused by the host: 0. */
static void grow(const struct instance *s, gy_view *v)
{
    gy_job_info j;
    for (uint32_t job = s->host->next_running(v, GY_NIL); job != GY_NIL;
         job = s->host->next_running(v, job)) {
        s->host->job(v, job, &j, sizeof j);
        uint32_t room = j.max_gpus - j.gpus_milli / 1000, more = s->step < room ? s->step : room;
        while (may_change(&j) && more > 0 && !s->host->resize(v, job, j.gpus_milli / 1000 + more))
            more--;
    }
}

static void resize(void *self, gy_view *v)
{
    const struct instance *s = self;
    gy_totals all;
    s->host->totals(v, &all, sizeof all);
    if (all.waiting > 0)
        shrink(s, v);
    else if (all.gpus_free_milli >= 1000)
        grow(s, v);
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most */
    {"step_gpus", GY_SETTING_INT, "2", "GPUs", "so many more for a job at a time", 1, 1024},
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
