/* gpuyard/policy.h - the interface between a scheduler and its policy modules, version 1.
 * SPDX-License-Identifier: MIT
 *
 * Copyright (c) 2026 the gpuyard authors.  Permission is hereby granted, free of charge, to any person
 * obtaining a copy of this file, to deal in it without restriction, including without limitation the rights
 * to use, copy, modify, merge, publish, distribute, sublicense and/or sell copies of it, provided that this
 * notice stays in it. THE FILE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND.
 *
 * A policy is a pipeline of stages.  Each stage is a module: a shared object with one exported function,
 *
 *     const gy_module *gy_policy_entry(void);
 *
 * that returns a constant table.  The host (a simulator or a production scheduler) loads it, opens one
 * instance and calls its stage functions; the module answers with the help of the services in gy_host and has
 * no other means: no clock, no file, no random source of its own, nothing undefined but libc.
 *
 * Rules of the whole interface
 * - Tables grow at their end only.  `size` says how much of a table its owner knows; GY_HAS() tests for a
 * member.
 * - Jobs, nodes, users, groups and queues are dense numbers that stay the same for a whole run.  GY_NIL is
 * none.
 * - Times are microseconds since the zero of the run, GPUs are thousandths (_milli), CPUs millionths of one
 * and memory millionths of a GB (_micro).  GY_FOREVER is a time that does not come.
 * - Everything lent by the host is valid until the stage function returns.  Everything a module lends (its
 * table) must be valid until the shared object is closed.
 * - An instance is used by one thread at a time; two instances of one module may run in two threads, so a
 * module keeps its state in `self` and has no variables of its own.
 * - A call that breaks a rule (a job that does not wait is started, a GPU is taken twice, a fact of a higher
 *   knowledge class is asked for, ...) ends the run with a message that names module, job and rule.
 */
#ifndef GPUYARD_POLICY_H
#define GPUYARD_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GY_POLICY_ABI 1u
#define GY_NIL        UINT32_MAX
#define GY_FOREVER    INT64_MAX

/* Does a lent table reach as far as this member? */
#define GY_HAS(table, member)                                                                                \
    ((table)->size >= offsetof(__typeof__(*(table)), member) + sizeof(table)->member)

#if defined(__GNUC__)
#define GY_EXPORT __attribute__((visibility("default")))
#else
#define GY_EXPORT
#endif

typedef struct gy_view gy_view;   /* the scheduler's state, lent for one call */
typedef struct gy_space gy_space; /* room to place one job in: now, at a later time, or in a dry run */
typedef struct gy_trial gy_trial; /* a dry run of stopping jobs for another */

/* ---- what a module may know ------------------------------------------------------------------------------
 */

/* Each class includes those before it.  A module declares the highest one it reads, and the host enforces
 * that. */
enum gy_knowledge {
    GY_K0_REQUEST = 0,  /* what the job asks for, who owns it, when it was submitted */
    GY_K1_LIMIT = 1,    /* and the time limit and deadline that the user gave */
    GY_K2_ATTAINED = 2, /* and what it has had so far */
    GY_K3_HISTORY = 3,  /* and predictions from jobs that have ended */
    GY_K4_MODEL = 4,    /* and its throughput by GPU type, count and placement */
    GY_K5_ORACLE = 5,   /* and its true length: results are marked as those of an oracle */
};

enum gy_job_flags {
    GY_JOB_IS_PREEMPTIBLE = 1,
    GY_JOB_IS_SPOT = 2,
    GY_JOB_IS_RUNNING = 4, /* else it waits */
};

/* Class K0.  Filled up to the size that the caller gives. */
typedef struct gy_job_info {
    int64_t submit_us;           /* first submission */
    int64_t eligible_us;         /* with it, or later: begin time and predecessors */
    uint32_t gpus_milli;         /* below 1000: a share of one GPU; 0: a job without GPUs */
    uint32_t tasks;              /* equal parts, each inside one node; 0: may be split anywhere */
    uint32_t min_gpus, max_gpus; /* elastic range in whole GPUs; equal: rigid */
    uint32_t user, group, queue;
    uint32_t shape;                /* jobs that ask for the same have the same number */
    uint32_t flags;                /* enum gy_job_flags */
    uint32_t stops;                /* how often it was stopped */
    int64_t priority;              /* higher is more important */
    int64_t cpus_micro, mem_micro; /* of the whole job */
    int64_t gpu_mem_micro;         /* for each GPU */
} gy_job_info;

/* Class K2. */
typedef struct gy_attained {
    int64_t held_us;       /* GPUs were held, over all runs */
    int64_t work_us;       /* work that is done and not lost */
    int64_t gpu_time_high; /* GPU time over all runs, thousandths of a GPU times microseconds: */
    uint64_t gpu_time_low; /* high * 2^64 + low */
} gy_attained;

/* ---- the machine ------------------------------------------------------------------------------------------
 */

typedef struct gy_totals {
    uint32_t nodes, waiting, running;
    uint32_t users, groups, queues;
    int64_t gpus_milli, cpus_micro,
        mem_micro;         /* installed, down ones counted; CPUs and memory 0 if not declared */
    int64_t gpus_up_milli; /* neither down nor drained */
    int64_t gpus_free_milli;
} gy_totals;

typedef struct gy_node_info {
    uint32_t gpus, free;                                            /* whole GPUs; free: usable now */
    uint32_t gpu_type;                                              /* see name() */
    uint32_t queue;                                                 /* owner, or GY_NIL */
    uint32_t nvlink, leaf, pod;                                     /* GY_NIL: none */
    uint32_t up;                                                    /* 0: down or drained */
    int64_t cpus_micro, cpus_free_micro, mem_micro, mem_free_micro; /* -1: not declared */
} gy_node_info;

typedef struct gy_queue_info {
    int64_t quota_milli;     /* GPUs it may hold now; -1: none declared */
    int64_t quota_max_milli; /* the largest quota it has now or will have; -1 likewise */
    int64_t held_milli;      /* GPUs its jobs hold */
    int64_t weight_micro;
    uint32_t waiting, running;
} gy_queue_info;

typedef struct gy_user_info {
    int64_t held_milli, held_cpus_micro, held_mem_micro;
    uint32_t waiting, running;
} gy_user_info;

enum gy_name_kind {
    GY_NAME_OF_USER,
    GY_NAME_OF_GROUP,
    GY_NAME_OF_QUEUE,
    GY_NAME_OF_NODE,
    GY_NAME_OF_GPU_TYPE
};

/* ---- answers ----------------------------------------------------------------------------------------------
 */

/* A key: the job with the smaller one comes first; lanes are compared from the first to the last.  Equal keys
 * are ordered by first submission, then by id. With GY_KEY_LINEAR the key is one number, lane[0] or (with two
 * lanes) lane[0] * 2^64 + (uint64_t)lane[1], and while the job runs it grows by `slope` for each microsecond
 * that passes (GY_SLOPE_HELD) or for each microsecond of work done (GY_SLOPE_WORK: pauses for start, restore
 * and checkpoints do not count). */
typedef struct gy_key {
    int64_t lane[3];
    int64_t slope;
} gy_key;

/* When a key changes. */
enum gy_key_change {
    GY_KEY_NEVER,  /* from submission to end */
    GY_KEY_OWN,    /* only when the job itself starts, stops or has a timer */
    GY_KEY_LINEAR, /* as GY_KEY_OWN, and while it runs by its slope */
    GY_KEY_USER,   /* depends on the job's user alone, and changes with what that user holds */
    GY_KEY_TIME,   /* at any time: the keys of all jobs are taken anew at every pass */
};
enum gy_slope_kind { GY_SLOPE_HELD, GY_SLOPE_WORK };

/* GPUs of one node: the lowest free ones. */
typedef struct gy_piece {
    uint32_t node;
    uint32_t units;
} gy_piece;

/* What place() has to find room for.  `units` equal parts of `unit_milli` each; a part lies inside one node.
 */
typedef struct gy_request {
    uint32_t job;
    uint32_t
        units; /* GPUs, or tasks when the job is cut into tasks, or 1 for a share or a job without GPUs */
    uint32_t unit_milli; /* 1000, or a multiple for tasks, or the share, or 0 */
    uint32_t shape;
} gy_request;

enum gy_reason {                         /* why a job waits */
                 GY_WAITS_RESOURCES = 1, /* it does not fit */
                 GY_WAITS_BEHIND,        /* a job before it is blocked, and order is strict */
                 GY_WAITS_ADMISSION,     /* refused by the admission stage */
                 GY_WAITS_RESERVATION,   /* it would delay a job that has a reservation */
                 GY_WAITS_POLICY,        /* the policy had another reason: see the text */
};

enum gy_stop_mode {
    GY_STOP_DEFAULT,    /* as the run is set up (--preempt-mode) */
    GY_STOP_CHECKPOINT, /* all work is kept */
    GY_STOP_KILL,       /* work since the last checkpoint is lost */
};

enum gy_end_state { GY_END_FINISHED = 1, GY_END_FAILED, GY_END_KILLED, GY_END_TIMEOUT };
enum gy_stop_cause { GY_STOPPED_BY_POLICY, GY_STOPPED_BY_FAILURE };

/* Answers of backfill's blocked(). */
enum gy_blocked {
    GY_BLOCKED_STOP = 0, /* nobody behind it in its domain starts in this pass */
    GY_BLOCKED_SKIP = 1, /* the next one is looked at */
    GY_BLOCKED_RESERVE =
        2, /* the plan keeps a place for it at the first time it fits, and the next is looked at */
    GY_BLOCKED_REST = 16, /* added to one of those: and the same for all later ones of this pass */
};

/* ---- services of the host ---------------------------------------------------------------------------------
 */

typedef struct gy_host {
    uint32_t abi, size;

    /* Facts. */
    int64_t (*now_us)(const gy_view *v);
    void (*job)(gy_view *v, uint32_t job, gy_job_info *out, size_t size);
    void (*totals)(gy_view *v, gy_totals *out, size_t size);
    void (*node)(gy_view *v, uint32_t node, gy_node_info *out, size_t size);
    void (*queue)(gy_view *v, uint32_t queue, gy_queue_info *out, size_t size);
    void (*user)(gy_view *v, uint32_t user, gy_user_info *out, size_t size);
    const char *(*name)(gy_view *v, uint32_t kind, uint32_t number); /* enum gy_name_kind */
    /* The job after `job` in the order of (first submission, id), GY_NIL to begin and at the end. */
    uint32_t (*next_waiting)(gy_view *v, uint32_t job);
    uint32_t (*next_running)(gy_view *v, uint32_t job);

    /* Facts of higher classes. */
    int64_t (*limit_us)(gy_view *v, uint32_t job);                             /* K1; GY_FOREVER: none */
    int64_t (*deadline_us)(gy_view *v, uint32_t job);                          /* K1; GY_FOREVER: none */
    void (*attained)(gy_view *v, uint32_t job, gy_attained *out, size_t size); /* K2 */
    /* Length of the whole job by the estimator that the user chose (limit, history, noisy, perfect);
     * GY_FOREVER when it has none.  The module must declare GY_USES_ESTIMATES; the class is that of the
     * estimator. */
    int64_t (*estimate_us)(gy_view *v, uint32_t job);
    int64_t (*length_us)(gy_view *v, uint32_t job); /* K5: true work, its limit considered */
    /* K5: what the log says.  Returns the number of pieces (0: no placement in the log) and copies at most n.
     */
    uint32_t (*recorded)(gy_view *v, uint32_t job, int64_t *start_us, int64_t *end_us, gy_piece *pieces,
                         uint32_t n);

    /* Random numbers: a stream of the instance, and one that belongs to a job whatever else is drawn. */
    uint64_t (*draw)(gy_view *v);
    uint64_t (*draw_job)(gy_view *v, uint32_t job, uint32_t nth);

    /* Timers.  A timer leads to a pass; before it, the module's timer() is called.  One of a job goes when
     * the job starts, stops or ends.  Timers alone keep no run alive, but for those of waiting jobs. */
    void (*wake)(gy_view *v, int64_t at_us);
    void (*wake_job)(gy_view *v, uint32_t job, int64_t at_us);

    /* Words for the decision log: why a job waits (enum gy_reason), and anything else. */
    void (*explain)(gy_view *v, uint32_t job, uint32_t reason, const char *text);
    void (*note)(gy_view *v, const char *text);

    /* Room (place stage).  "can hold" is in units of the request and minds GPU type, CPUs, memory and domain.
     */
    uint32_t (*hold)(gy_space *s, uint32_t node); /* units that the node can hold */
    uint32_t (*free)(gy_space *s, uint32_t node); /* whole GPUs free in it */
    uint32_t (*first)(gy_space *s, uint32_t units,
                      uint32_t from); /* lowest node >= from that can hold them */
    /* The node with fewest free GPUs among those that can hold `units`; for a share the node whose card has
     * the least free share that suffices.  Ties: the lower node.  GY_NIL: none. */
    uint32_t (*tightest)(gy_space *s, uint32_t units);
    uint32_t (*roomiest)(
        gy_space *s); /* the node that can hold most; ties: the lower node; GY_NIL: none can hold one */
    uint32_t (*count)(gy_space *s, uint32_t units);           /* nodes that can hold them */
    uint32_t (*nth)(gy_space *s, uint32_t units, uint32_t k); /* of those, number k from 0 */
    /* Takes units of a node.  When place() returns 1 all taken together are the placement and must be the
     * whole request; when it returns 0 they are given back. */
    void (*take)(gy_space *s, uint32_t node, uint32_t units);
    uint64_t (*space_draw)(gy_space *s); /* random number of the place stage */

    /* Dry run (evict stage).  Candidates are the running preemptible jobs of the domain whose key is larger
     * than that of the job; the last in order comes first. */
    uint32_t (*next_victim)(gy_trial *t);
    void (*stop_victim)(gy_trial *t, uint32_t job);
    void (*spare_victim)(gy_trial *t, uint32_t job);
    int (*fits)(gy_trial *t); /* does the job fit, by the place stage, with those stopped? */

    /* Actions (schedule and resize stages; elsewhere a broken rule). */
    int (*start)(gy_view *v, uint32_t job, const gy_piece *pieces,
                 uint32_t n);                               /* n 0: by the place stage; 0: no room */
    void (*stop)(gy_view *v, uint32_t job, uint32_t mode);  /* enum gy_stop_mode */
    int (*resize)(gy_view *v, uint32_t job, uint32_t gpus); /* 0: no room */
    int (*migrate)(gy_view *v, uint32_t job, const gy_piece *pieces, uint32_t n);
    int (*start_recorded)(gy_view *v,
                          uint32_t job); /* K5: on the very GPUs that the log names; 0: they are not free */
    void (*reject)(gy_view *v, uint32_t job, const char *text); /* a waiting job ends as infeasible */
    /* Between try_begin and its end, starts and stops are only tried: they change what is free, and nothing
     * else. try_end(1) carries them out in their order, try_end(0) forgets them. */
    void (*try_begin)(gy_view *v);
    void (*try_end)(gy_view *v, int keep);
} gy_host;

/* ---- stages -----------------------------------------------------------------------------------------------
 */

enum gy_stage {
    GY_STAGE_ORDER = 1,
    GY_STAGE_ADMIT,
    GY_STAGE_PLACE,
    GY_STAGE_EVICT,
    GY_STAGE_BACKFILL,
    GY_STAGE_RESIZE,
    GY_STAGE_SCHEDULE,
    GY_STAGE_END
};

/* Who is next? */
typedef struct gy_order_ops {
    uint32_t size;
    uint32_t lanes;      /* 0: by first submission alone; at most 3 */
    uint32_t change;     /* enum gy_key_change */
    uint32_t slope_kind; /* enum gy_slope_kind, for GY_KEY_LINEAR */
    void (*key)(void *self, gy_view *v, uint32_t job, gy_key *out); /* NULL only with 0 lanes */
    /* After a pass that left jobs waiting: the next time at which another pass is wanted though nothing
     * happens, or GY_FOREVER.  May be NULL. */
    int64_t (*next_look)(void *self, gy_view *v);
} gy_order_ops;

/* May it start now? */
typedef struct gy_admit_ops {
    uint32_t size;
    uint32_t padding;
    int (*admit)(void *self, gy_view *v, uint32_t job); /* 1: yes */
    /* Asked at submission, on the largest quotas there will be: 0 makes the job infeasible.  May be NULL. */
    int (*feasible)(void *self, gy_view *v, uint32_t job);
} gy_admit_ops;

/* On which GPUs? */
typedef struct gy_place_ops {
    uint32_t size;
    uint32_t padding;
    int (*place)(void *self, gy_space *s, const gy_request *r); /* 1: all units were taken */
} gy_place_ops;

/* Whom to stop for it? */
typedef struct gy_evict_ops {
    uint32_t size;
    uint32_t lanes, change, slope_kind; /* of key, as in gy_order_ops */
    /* By which jobs are compared; NULL: by the order stage's key, or by the priority column when that has
     * none. */
    void (*key)(void *self, gy_view *v, uint32_t job, gy_key *out);
    /* Chooses victims with the services of the trial.  1: those stopped suffice; 0: nobody stops. */
    int (*select)(void *self, gy_view *v, gy_trial *t, uint32_t job);
} gy_evict_ops;

/* What may pass a blocked job? */
typedef struct gy_backfill_ops {
    uint32_t size;
    uint32_t padding;
    /* `job` cannot start; `nth` jobs of its domain were blocked before it in this pass.  enum gy_blocked. */
    uint32_t (*blocked)(void *self, gy_view *v, uint32_t job, uint32_t nth);
} gy_backfill_ops;

/* Grow or shrink running elastic jobs; called after the pass. */
typedef struct gy_resize_ops {
    uint32_t size;
    uint32_t padding;
    void (*resize)(void *self, gy_view *v);
} gy_resize_ops;

/* Replaces the whole pass. */
typedef struct gy_schedule_ops {
    uint32_t size;
    uint32_t padding;
    void (*schedule)(void *self, gy_view *v);
} gy_schedule_ops;

/* Notifications.  Any may be NULL.  They come at the instant of the event, before the pass. */
typedef struct gy_notify {
    uint32_t size;
    uint32_t padding;
    void (*submit)(void *self, gy_view *v,
                   uint32_t job); /* it waits now: first submission, or it became eligible */
    void (*start)(void *self, gy_view *v, uint32_t job);
    void (*stop)(void *self, gy_view *v, uint32_t job,
                 uint32_t cause); /* enum gy_stop_cause; it waits again */
    void (*end)(void *self, gy_view *v, uint32_t job, uint32_t state); /* enum gy_end_state */
    void (*node)(void *self, gy_view *v, uint32_t node, uint32_t up);
    void (*quota)(void *self, gy_view *v, uint32_t queue);
    void (*timer)(void *self, gy_view *v, uint32_t job); /* GY_NIL: one set by wake() */
} gy_notify;

/* ---- settings and the table of a module -------------------------------------------------------------------
 */

enum gy_setting_kind {
    GY_SETTING_INT,     /* number */
    GY_SETTING_TIME,    /* decimal seconds; number in microseconds */
    GY_SETTING_DECIMAL, /* number in millionths */
    GY_SETTING_BOOL,    /* 0 or 1 */
    GY_SETTING_TEXT,    /* text */
    GY_SETTING_INTS,    /* list, written a|b|c */
    GY_SETTING_DECIMALS /* list in millionths */
};

typedef struct gy_setting {
    const char *name; /* with its unit at the end: "quantum_s" */
    uint32_t kind;
    const char *value;   /* the default, as the user would write it */
    const char *unit;    /* for the documentation: "s", "GPU seconds", "" */
    const char *help;    /* one line */
    int64_t least, most; /* bounds of the number, or of each element of a list */
} gy_setting;

typedef struct gy_value {
    int64_t number;
    const char *text;
    const int64_t *list;
    uint32_t n;
} gy_value;

enum gy_module_flags {
    GY_USES_ESTIMATES = 1, /* calls estimate_us(): the policy takes the setting `estimate` */
    GY_WANTS_PERFECT = 2,  /* its default estimator is `perfect`; else `limit` */
    GY_PLACE_COMPLETE = 4, /* place() finds room whenever all nodes together can hold the request's units */
    GY_ADMIT_BY_QUEUE = 8, /* a refusal holds for every job of that queue with as many GPUs or more, until a
                            * job of the queue ends or stops, or its quota changes */
    GY_KEEPS_QUEUE_ORDER =
        32,        /* backfill: when admission refuses a job, the later ones of its queue are passed over */
    GY_PLANS = 16, /* backfill: starts must respect the places kept for others */
};

typedef struct gy_module {
    uint32_t abi, size; /* GY_POLICY_ABI, sizeof(gy_module) */
    const char *name;   /* "tiresias": lower case letters, digits and - */
    uint32_t stage;     /* enum gy_stage */
    uint32_t knowledge; /* enum gy_knowledge, without that of the estimator */
    uint32_t flags;     /* enum gy_module_flags */
    uint32_t nsettings;
    const gy_setting *settings;
    const char *summary;    /* one line */
    const char *source;     /* the paper or system it follows */
    const char *complexity; /* cost of a decision */
    const char *deviations; /* where it departs from its source; "" */
    /* values[i] belongs to settings[i].  0: fine; else a sentence in error[0..size). */
    int (*open)(void **self, const gy_host *host, const gy_value *values, char *error, size_t size);
    void (*close)(void *self);
    const gy_notify *notify; /* may be NULL */
    const void *ops;         /* the table of its stage */
} gy_module;

GY_EXPORT const gy_module *gy_policy_entry(void);

/* ---- conveniences for modules written in C ----------------------------------------------------------------
 */

/* For modules without settings and state: `self` is the host's table. */
static inline int gy_open_plain(void **self, const gy_host *host, const gy_value *values, char *error,
                                size_t size)
{
    (void)values;
    (void)error;
    (void)size;
    *self = (void *)(uintptr_t)host;
    return 0;
}

static inline void gy_close_plain(void *self)
{
    (void)self;
}

/* The usual rule of eviction: the last in order are stopped until the job fits, and nobody if all of them do
 * not suffice; then, the best in order first, each one without whom it would still fit is spared.  Victims
 * come from the worst to the best, so the best is the one stopped last. */
static inline int gy_select_last_in_order(const gy_host *h, gy_trial *t, uint32_t *victims, uint32_t most,
                                          uint32_t *n)
{
    *n = 0;
    do {
        uint32_t victim = *n < most ? h->next_victim(t) : GY_NIL;
        if (victim == GY_NIL)
            return 0;
        h->stop_victim(t, victim);
        victims[(*n)++] = victim;
    } while (!h->fits(t));
    for (uint32_t i = *n; i-- > 0;) {
        h->spare_victim(t, victims[i]);
        if (!h->fits(t))
            h->stop_victim(t, victims[i]);
    }
    return 1;
}

#ifdef __cplusplus
}
#endif
#endif
