/* schedule-recorded.c - replays the starts and places of the log.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

struct recorded {
    const gy_host *host;
    uint32_t *due; /* waiting jobs whose recorded start has come, by (recorded start, number) */
    uint32_t n, cap;
};

static int recorded_open(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    (void)values;
    struct recorded *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    s->host = host;
    *self = s;
    return 0;
}

static void recorded_close(void *self)
{
    struct recorded *s = self;
    free(s->due);
    free(s);
}

static int64_t start_of(const struct recorded *s, gy_view *v, uint32_t job)
{
    int64_t start, end;
    s->host->recorded(v, job, &start, &end, NULL, 0);
    return start;
}

static void enter(struct recorded *s, gy_view *v, uint32_t job)
{
    if (s->n == s->cap) {
        uint32_t cap = 2 * s->cap + 64;
        uint32_t *due = realloc(s->due, cap * sizeof *due);
        if (!due)
            abort(); /* nothing can be replayed without */
        s->due = due;
        s->cap = cap;
    }
    int64_t start = start_of(s, v, job);
    uint32_t i = s->n++;
    for (; i > 0; i--) {
        int64_t other = start_of(s, v, s->due[i - 1]);
        if (other < start || (other == start && s->due[i - 1] < job))
            break;
        s->due[i] = s->due[i - 1];
    }
    s->due[i] = job;
}

static void on_submit(void *self, gy_view *v, uint32_t job)
{
    struct recorded *s = self;
    int64_t start = start_of(s, v, job);
    if (start == GY_FOREVER)
        s->host->explain(v, job, GY_WAITS_POLICY, "the log has no start for this job");
    else if (start > s->host->now_us(v))
        s->host->wake_job(v, job, start);
    else
        enter(s, v, job);
}

/* Loaded with the window, or by an action: it is not due any more. */
static void on_start(void *self, gy_view *v, uint32_t job)
{
    struct recorded *s = self;
    uint32_t i = 0;
    (void)v;
    while (i < s->n && s->due[i] != job)
        i++;
    if (i == s->n)
        return;
    s->n--;
    for (; i < s->n; i++)
        s->due[i] = s->due[i + 1];
}

static void on_stop(void *self, gy_view *v, uint32_t job, uint32_t cause)
{
    (void)cause;
    enter(self, v, job);
}

static void on_timer(void *self, gy_view *v, uint32_t job)
{
    if (job != GY_NIL)
        enter(self, v, job);
}

static void schedule(void *self, gy_view *v)
{
    struct recorded *s = self;
    uint32_t *list = s->due, n = s->n;
    s->due = NULL; /* a start can be an end, too, and somebody's submission: that is for the next pass */
    s->n = s->cap = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!s->host->start_recorded(v, list[i]) && !s->host->start(v, list[i], NULL, 0))
            enter(s, v, list[i]);
    free(list);
}

static const gy_notify notify = {
    .size = sizeof notify, .submit = on_submit, .start = on_start, .stop = on_stop, .timer = on_timer};

static const gy_schedule_ops ops = {.size = sizeof ops, .schedule = schedule};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "recorded",
    .stage = GY_STAGE_SCHEDULE,
    .knowledge = GY_K5_ORACLE,
    .flags = 0,
    .summary = "Starts every job when and where the log says",
    .source = "the trace itself",
    .complexity = "O(jobs due)",
    .deviations = "A job whose GPUs are not free at its recorded start is placed elsewhere, or starts as "
                  "soon as it fits",
    .open = recorded_open,
    .close = recorded_close,
    .notify = &notify,
    .ops = &ops,
};

const gy_module *gy_policy_entry(void)
{
    return &module;
}
