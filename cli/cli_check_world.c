/* cli_check_world.c - small traces and clusters, made in memory, that `policy check` runs modules in.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli_check_internal.h"
#include "gy_random.h"

enum trait {
    SHARES = 1 << 0,      /* parts of a GPU, and jobs without any */
    CHAINS = 1 << 1,      /* jobs wait for others, and for begin times */
    PARTS = 1 << 2,       /* tasks, GPU types, CPUs and memory, levels of the topology */
    ELASTIC = 1 << 3,     /* ranges of GPUs */
    BURSTS = 1 << 4,      /* many at one instant */
    ZERO_LENGTH = 1 << 5, /* and some that take no time */
    QUEUES = 1 << 6,
    QUOTAS = 1 << 7,      /* that change */
    FAILURES = 1 << 8,    /* of nodes and GPUs */
    CHECKPOINTS = 1 << 9, /* of work, at times of its own */
    COSTS = 1 << 10,      /* of starts, restores and checkpoints */
    KILL = 1 << 11,       /* a stopped job loses what it has not saved */
    SHORT_LIMITS = 1 << 12,
    NO_LIMITS = 1 << 13, /* for some */
    LARGE = 1 << 14,     /* too large to verify every instant */
};

struct spec {
    const char *name;
    const char *cluster; /* shorthand, or the text of a cluster file */
    uint32_t njobs, most_gpus;
    int64_t tick_us; /* times are random numbers of these */
    unsigned traits;
};

static const char queues_cluster[] =
    "{\"nodes\": [{\"count\": 3, \"gpus\": 8, \"cpus\": 32, \"mem_gb\": 256},"
    " {\"count\": 2, \"gpus\": 4, \"queue\": \"own\"}],"
    " \"queues\": [{\"name\": \"a\", \"quota\": 10}, {\"name\": \"b\", \"quota\": 12, \"weight\": 2},"
    " {\"name\": \"c\"}, {\"name\": \"own\"}]}";
static const char parts_cluster[] =
    "{\"nodes\": [{\"count\": 2, \"gpus\": 8, \"gpu_type\": \"a100\", \"cpus\": 64, \"mem_gb\": 512, "
    "\"leaf\": "
    "\"l0\"},"
    " {\"count\": 2, \"gpus\": 8, \"gpu_type\": \"h100\", \"cpus\": 64, \"mem_gb\": 512, \"leaf\": \"l1\"},"
    " {\"count\": 2, \"gpus\": 4, \"gpu_type\": \"t4\", \"cpus\": 32, \"mem_gb\": 256, \"leaf\": \"l1\"}]}";

static const struct spec specs[] = {
    [CHECK_BRIEF] = {"brief", "2x4", 16, 8, 10, BURSTS},
    {"gangs", "4x8", 220, 32, GY_US_PER_S, SHORT_LIMITS},
    {"bursts", "2x8", 120, 16, GY_US_PER_S, BURSTS | ZERO_LENGTH | NO_LIMITS},
    {"queues", queues_cluster, 220, 12, GY_US_PER_S, QUEUES | QUOTAS},
    {"failures", "6x4", 160, 16, GY_US_PER_S, FAILURES | CHECKPOINTS},
    {"costs", "4x8", 160, 16, GY_US_PER_S, COSTS | CHECKPOINTS | KILL},
    {"shares", "3x4", 200, 8, GY_US_PER_S, SHARES},
    {"chains", "3x8", 160, 16, GY_US_PER_S, CHAINS | ZERO_LENGTH},
    {"parts", parts_cluster, 200, 16, GY_US_PER_S, PARTS | QUEUES},
    {"elastic", "3x8", 120, 8, GY_US_PER_S, ELASTIC | BURSTS},
    {"many", "16x8", 2000, 64, GY_US_PER_S, QUEUES | LARGE},
};
enum { WORLDS = sizeof specs / sizeof *specs, LONGEST = 2000, IDS = 64 };

size_t check_worlds(void)
{
    return WORLDS;
}

const char *check_world_name(size_t i)
{
    return specs[i].name;
}

bool check_world_large(size_t i)
{
    return specs[i].traits & LARGE;
}

/* ---- jobs ---- */

struct draft { /* texts of a row that is being made */
    gy_stream rnd;
    char id[24], user[24], queue[24], after[2 * IDS];
    gy_job_row row;
};

static gy_slice slice(const char *s)
{
    return (gy_slice){s, strlen(s)};
}

static bool chance(gy_stream *s, uint32_t one_in)
{
    return gy_stream_below(s, one_in) == 0;
}

static void draw_size(struct draft *d, const struct spec *p)
{
    uint32_t gpus = 1u << gy_stream_below(&d->rnd, 5);
    if (chance(&d->rnd, 20) || gpus > p->most_gpus)
        gpus = p->most_gpus;
    if (chance(&d->rnd, 6) && gpus > 2)
        gpus--;
    d->row.gpus_milli = 1000 * (int64_t)gpus;
    if (p->traits & SHARES && chance(&d->rnd, 2))
        d->row.gpus_milli = 100 * (int64_t)gy_stream_below(&d->rnd, 10);
    if (p->traits & ELASTIC && !chance(&d->rnd, 4)) {
        d->row.min_gpus = gpus / 2 ? gpus / 2 : 1;
        d->row.max_gpus = 2 * gpus;
    }
}

static void draw_length(struct draft *d, const struct spec *p)
{
    int64_t ticks = 1 + gy_stream_below(&d->rnd, LONGEST >> gy_stream_below(&d->rnd, 8));
    if (p->traits & ZERO_LENGTH && chance(&d->rnd, 12))
        ticks = 0;
    d->row.duration_us = ticks * p->tick_us;
    d->row.limit_us = (1 + 2 * ticks + gy_stream_below(&d->rnd, 60)) * p->tick_us;
    if (p->traits & SHORT_LIMITS && chance(&d->rnd, 12))
        d->row.limit_us = (1 + ticks / 2) * p->tick_us;
    if (p->traits & NO_LIMITS && chance(&d->rnd, 10))
        d->row.limit_us = GY_NEVER;
    if (p->traits & CHECKPOINTS)
        d->row.checkpoint_us = LONGEST / 16 * p->tick_us;
}

static void draw_parts(struct draft *d)
{
    static const char *const types[] = {"", "", "a100", "h100|a100", "t4"};
    static const uint8_t levels[] = {GY_LEVEL_NONE, GY_LEVEL_NONE, GY_LEVEL_NODE, GY_LEVEL_LEAF};
    int64_t gpus = d->row.gpus_milli / 1000;
    d->row.types = slice(types[gy_stream_below(&d->rnd, 5)]);
    d->row.require = levels[gy_stream_below(&d->rnd, 4)];
    if (d->row.require == GY_LEVEL_NONE)
        d->row.prefer = levels[gy_stream_below(&d->rnd, 4)];
    if (gpus % 2 == 0 && chance(&d->rnd, 3))
        d->row.tasks = gpus / 2;
    d->row.cpus_micro = gpus * 1000000 * (1 + gy_stream_below(&d->rnd, 12));
    d->row.mem_micro = gpus * 1000000 * gy_stream_below(&d->rnd, 80);
}

static void draw_owner(struct draft *d, const struct spec *p)
{
    static const char *const queues[] = {"a", "b", "c", "own"};
    snprintf(d->user, sizeof d->user, "u%u", gy_stream_below(&d->rnd, 6));
    snprintf(d->queue, sizeof d->queue, "%s", p->traits & QUEUES ? queues[gy_stream_below(&d->rnd, 4)] : "");
    d->row.user = slice(d->user);
    d->row.group = slice(d->user[1] % 2 ? "odd" : "even");
    d->row.queue = slice(d->queue);
    d->row.priority = gy_stream_below(&d->rnd, 5);
    d->row.not_preemptible = chance(&d->rnd, 9);
    d->row.log_state = chance(&d->rnd, 8) ? GY_LOG_FAILED : GY_LOG_COMPLETED;
}

/* It waits for earlier rows, so there is no circle. */
static void draw_chain(struct draft *d, uint32_t j, int64_t span_us)
{
    if (j > 1 && chance(&d->rnd, 3)) {
        snprintf(d->after, sizeof d->after, "j%u;j%u", j - 1, gy_stream_below(&d->rnd, j - 1));
        d->row.after = slice(d->after);
    }
    if (chance(&d->rnd, 8))
        d->row.eligible_us = d->row.submit_us + gy_stream_below(&d->rnd, 100) * span_us / 400;
}

static void draft_job(struct draft *d, const struct spec *p, uint32_t j)
{
    d->rnd = gy_stream_of((uint64_t)(p - specs) + 1, GY_RANDOM_GENERATE, j);
    gy_job_row_init(&d->row);
    snprintf(d->id, sizeof d->id, "j%u", j);
    d->row.id = slice(d->id);
    draw_size(d, p);
    draw_length(d, p);
    draw_owner(d, p);
    if (p->traits & PARTS)
        draw_parts(d);
}

/* Submissions are spread so that the cluster has a little more to do than it can. */
static int64_t span_of(const struct spec *p, uint64_t gpus)
{
    struct draft d;
    gy_i128 work = 0;
    for (uint32_t j = 0; j < p->njobs; j++) {
        draft_job(&d, p, j);
        work += (gy_i128)d.row.gpus_milli * d.row.duration_us;
    }
    return (int64_t)(work / (int64_t)(gpus * 1100)) + 1;
}

static gy_rc make_jobs(check_world *w, const struct spec *p, int64_t span_us, gy_err *e)
{
    struct draft d;
    w->jobs = gy_jobs_create("check");
    for (uint32_t j = 0; j < p->njobs; j++) {
        draft_job(&d, p, j);
        d.row.submit_us = (int64_t)((gy_i128)span_us * gy_stream_below(&d.rnd, 100000) / 100000);
        if (p->traits & BURSTS)
            d.row.submit_us = d.row.submit_us / (span_us / 8 + 1) * (span_us / 8 + 1);
        /* What policies that replay a log go by. */
        d.row.start_us = d.row.submit_us + gy_stream_below(&d.rnd, 300) * p->tick_us;
        d.row.end_us = d.row.start_us + d.row.duration_us;
        if (p->traits & CHAINS)
            draw_chain(&d, j, span_us);
        w->last_us = d.row.submit_us > w->last_us ? d.row.submit_us : w->last_us;
        if (d.row.eligible_us != GY_NEVER && d.row.eligible_us > w->last_us)
            w->last_us = d.row.eligible_us;
        gy_rc rc = gy_jobs_add(w->jobs, &d.row, j + 1, e);
        if (rc != GY_OK)
            return rc;
    }
    return gy_jobs_finish(w->jobs, 0, e);
}

/* ---- clusters and their events ---- */

static gy_rc make_cluster(check_world *w, const struct spec *p, gy_err *e)
{
    if (*p->cluster != '{')
        return gy_cluster_load(&w->cluster, p->cluster, e);
    char path[64];
    size_t n = strlen(p->cluster);
    int fd = memfd_create("cluster", MFD_CLOEXEC); /* a file that lies nowhere */
    if (fd < 0 || write(fd, p->cluster, n) != (ssize_t)n) {
        if (fd >= 0)
            close(fd);
        return gy_fail(e, GY_EIO, "no memory for the cluster of scenario %s", p->name);
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    gy_rc rc = gy_cluster_load(&w->cluster, path, e);
    close(fd);
    return rc;
}

static void add_event(check_world *w, int64_t t_us, enum gy_event_kind kind, uint32_t node, uint32_t gpu)
{
    gy_events_add(&w->events, (gy_cluster_event){.t_us = t_us,
                                                 .order = (uint32_t)w->events.n,
                                                 .kind = (uint8_t)kind,
                                                 .node = node,
                                                 .gpu = gpu,
                                                 .queue = GY_NONE,
                                                 .quota_milli = -1});
    w->last_us = t_us > w->last_us ? t_us : w->last_us;
}

static void add_quota(check_world *w, int64_t t_us, const char *queue, int64_t gpus)
{
    add_event(w, t_us, GY_EVENT_QUOTA, GY_NONE, GY_NONE);
    gy_cluster_event *ev = &w->events.list[w->events.n - 1];
    ev->queue = gy_names_add(&w->events.queues, queue, strlen(queue));
    ev->quota_milli = gpus < 0 ? -1 : 1000 * gpus;
}

static void make_events(check_world *w, const struct spec *p, int64_t span_us)
{
    int64_t step = span_us / 16 + 1;
    if (p->traits & FAILURES) {
        for (uint32_t k = 0; k < 6; k++) {
            add_event(w, step * (2 * k + 1), GY_EVENT_DOWN, k, GY_NONE);
            add_event(w, step * (2 * k + 2) + k, GY_EVENT_UP, k, GY_NONE);
        }
        add_event(w, step * 4, GY_EVENT_DRAIN, 5, GY_NONE);
        add_event(w, step * 7, GY_EVENT_UNDRAIN, 5, GY_NONE);
        add_event(w, step * 5, GY_EVENT_DOWN, 0, 2);
        add_event(w, step * 9, GY_EVENT_UP, 0, 2);
    }
    if (p->traits & QUOTAS) {
        add_quota(w, step * 2, "a", 6);
        add_quota(w, step * 5, "b", 4);
        add_quota(w, step * 8, "a", 12);
        add_quota(w, step * 10, "b", 12);
    }
    gy_events_sort(&w->events);
}

static void set_options(check_world *w, const struct spec *p)
{
    gy_options_init(&w->options);
    w->options.check = !(p->traits & LARGE);
    w->options.stall_passes = 100000;
    if (p->traits & COSTS) {
        w->options.start_cost_us = 7 * p->tick_us;
        w->options.restore_cost_us = 5 * p->tick_us;
        w->options.checkpoint_cost_us = 3 * p->tick_us;
    }
    if (p->traits & KILL)
        w->options.preempt_mode = GY_PREEMPT_KILL;
}

gy_rc check_world_open(check_world *w, size_t i, gy_err *e)
{
    const struct spec *p = &specs[i];
    *w = (check_world){
        .name = p->name, .elastic = p->traits & ELASTIC, .costs = p->traits & (COSTS | FAILURES)};
    gy_rc rc = make_cluster(w, p, e);
    if (rc != GY_OK)
        return rc;
    int64_t span_us = span_of(p, w->cluster->gpus);
    rc = make_jobs(w, p, span_us, e);
    if (rc == GY_OK) {
        make_events(w, p, span_us);
        set_options(w, p);
    } else {
        check_world_close(w);
    }
    return rc;
}

void check_world_close(check_world *w)
{
    gy_jobs_free(w->jobs);
    gy_cluster_free(w->cluster);
    gy_events_fini(&w->events);
}
