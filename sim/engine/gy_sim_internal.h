/* gy_sim_internal.h - the state of a run, shared by the engine's files and read by the host.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_SIM_INTERNAL_H
#define GY_SIM_INTERNAL_H

#include "gy_heap.h"
#include "gy_placed_internal.h"
#include "gy_room.h"
#include "gy_sim.h"

/* A job that holds GPUs.  Work is counted in parts: `den` parts are a microsecond of work at rate 1, and
 * `num` of them are done in a microsecond.  Inside a segment nothing changes: first a pause, then work with a
 * pause of the checkpoint cost after each interval. */
typedef struct gy_run {
    uint32_t job; /* GY_NONE: the slot is free */
    uint32_t nholds;
    gy_hold *holds;
    uint32_t holds_class; /* size class of the memory at holds */
    uint32_t milli;       /* GPUs held, thousandths */
    uint32_t lost_gpus;   /* on-failure wait: how many of them do not work; the run stands still while > 0 */
    bool stalled;
    int64_t start_us;              /* of this run */
    int64_t end_us;                /* when the work will be done; GY_NEVER while stalled */
    int64_t plan_us;               /* when the host plans its end: kept here for the host */
    int64_t plan_from_us, kept_us; /* when it began, and with how much work, as plans see it */
    uint64_t mark;                 /* for the host */
    /* the segment */
    int64_t seg_us, pause_us;
    gy_i128 work0, save0; /* parts done, and saved, at its start */
    int64_t unsaved_us;   /* GPU-holding time spent on work0 - save0 */
    uint32_t num, den;
} gy_run;

/* Where a run stands at some time. */
typedef struct gy_progress {
    gy_i128 work, saved; /* parts */
    int64_t overhead_us; /* of the segment so far */
    int64_t unsaved_us;  /* time spent on work - saved */
    int64_t in_pause_us; /* time into a pause that goes on; 0 outside */
    int64_t pause_left_us;
} gy_progress;

typedef struct gy_sim gy_sim;

enum gy_waits_why { GY_WAITS_SUBMITTED, GY_WAITS_STOPPED, GY_WAITS_FAILED };

/* The host's side.  Every function is required; the slots and jobs are valid during the call. */
typedef struct gy_sim_hooks {
    void *ctx;
    bool (*feasible)(void *ctx, uint32_t job);                     /* at submission */
    void (*waits)(void *ctx, uint32_t job, enum gy_waits_why why); /* it is in the queue now */
    /* Claims a place for a job by the rule of the policy; the number of holds, or 0 when there is no room. */
    uint32_t (*place)(void *ctx, uint32_t job, gy_hold *out);
    void (*started)(void *ctx, uint32_t slot);
    void (*reloaded)(void *ctx, uint32_t slot); /* its course changed: a warm start, a stand, its end */
    void (*stopping)(void *ctx, uint32_t slot, bool failure); /* before its GPUs are given back */
    void (*ending)(void *ctx, uint32_t slot, enum gy_state state);
    void (*left)(void *ctx, uint32_t job);  /* after either: its GPUs were given back */
    void (*node)(void *ctx, uint32_t node); /* it, or a GPU of it, went down, came up, ... */
    void (*quota)(void *ctx, uint32_t queue);
    void (*timer)(void *ctx, uint32_t job); /* GY_NONE: none of a job */
    void (*look)(void *ctx);                /* what gy_sim_look() asked for */
    gy_rc (*pass)(void *ctx, gy_err *e);
    gy_rc (*check)(void *ctx, gy_err *e); /* with gy_options.check: the host's own invariants */
} gy_sim_hooks;

struct gy_sim {
    const gy_jobs *jobs;
    const gy_cluster *cluster;
    const gy_events *events;
    gy_options opt;
    gy_sim_hooks hooks;
    gy_layout *layout;
    gy_demand *demands; /* by shape */
    uint32_t *domain;   /* by queue of the trace */
    gy_room *room;      /* what is free now */
    bool shares;

    int64_t now_us;
    gy_heap heap;
    uint32_t next_job; /* arrivals: the table is sorted by submission */
    size_t next_event;
    int64_t look_us;      /* when the order wants another look; GY_NEVER */
    int64_t wake_us;      /* of the timer of no job that was set last; GY_NEVER once it has gone off */
    uint32_t wakes;       /* timers of no job in the heap */
    uint32_t ineligible;  /* begin times in the heap */
    uint32_t wait_timers; /* timers of waiting jobs */

    gy_run *runs;
    uint32_t nruns, free_run; /* slots in use or freed; list of free ones through nholds */
    size_t runs_cap;
    uint32_t running; /* jobs that hold GPUs, stalled ones too */
    gy_arena hold_memory;
    struct gy_free_holds {
        struct gy_free_holds *next;
    } * free_holds[32]; /* by size class */

    /* by job */
    uint8_t *state;
    int64_t *start_us, *end_us, *run_us;
    int64_t *eligible_us; /* the submissions when no job has another */
    uint32_t *slot;       /* of a running job */
    int64_t *work_us;     /* kept from earlier runs; NULL: nothing */
    int64_t *lost_us;
    uint32_t *preemptions, *restarts;
    gy_i128 *gpu_time; /* of jobs that were resized; NULL: GPUs times run_us */
    int64_t *timer_us; /* NULL: no job has one */
    struct gy_placed placed;
    uint32_t *blockers; /* predecessors that have not ended; NULL without dependencies */
    uint32_t *followers, *first_follower;

    /* by queue and user of the trace */
    int64_t *quota_milli, *quota_max_milli; /* -1: none */
    int64_t *queue_milli;                   /* GPUs held now */
    uint32_t *queue_waiting, *queue_running;
    int64_t *user_milli, *user_cpus, *user_mem;
    uint32_t *user_waiting, *user_running;
    gy_i128 *user_held, *queue_held;
    uint32_t *queue_of_event; /* queue of the trace by queue of the events; GY_NONE */

    /* nodes */
    uint8_t *node_down, *node_drained;
    uint64_t *gpu_down, *gpu_drained; /* masks by word; NULL while no single GPU is concerned */
    uint16_t *gpu_held;               /* thousandths held, by GPU; NULL without shares */

    /* the books */
    gy_ledger ledger;
    gy_i128 held;
    int64_t window_start_us, window_end_us; /* the end is GY_NEVER while it is not known */
    uint64_t busy_milli, down_milli, busy_max_milli;
    int64_t down_since_us;
    gy_i128 down_at_last_left;
    int64_t last_left_us; /* the end of the window if none is given: see note_left() */
    int64_t first_start_us, last_end_us;
    uint32_t queued;
    uint64_t queued_milli;
    uint64_t nevents, passes, starts, stops, digest;
    gy_i128 kept_work, best_work; /* progress, in microseconds times thousandths */
    uint64_t best_pass;
    bool again;    /* something became eligible inside the pass */
    bool happened; /* anything since the last observation */
    gy_sim_notes notes;
    gy_instant_fn *instant;
    void *instant_ctx;
    gy_outcome outcome;
    gy_hold *scratch; /* room for the holds of the widest gang */
};

/* ---- gy_sim.c ---- */
gy_rc gy_sim_create(gy_sim **s, const gy_jobs *jobs, const gy_cluster *cluster, const gy_events *events,
                    const gy_options *opt, gy_err *e);
void gy_sim_free(gy_sim *s);
gy_rc gy_sim_run(gy_sim *s, gy_err *e);
void gy_sim_note_busy(gy_sim *s, int64_t until_us);
void gy_sim_look(gy_sim *s, int64_t at_us); /* another pass at that time, if no earlier one is wanted */
void gy_sim_wake(gy_sim *s, int64_t at_us);
void gy_sim_wake_job(gy_sim *s, uint32_t job, int64_t at_us);

static inline const gy_demand *gy_sim_demand(const gy_sim *s, uint32_t job)
{
    return &s->demands[s->jobs->shape[job]];
}
static inline uint32_t gy_sim_domain(const gy_sim *s, uint32_t job)
{
    return s->domain[s->jobs->queue[job]];
}
static inline int64_t gy_sim_kept(const gy_sim *s, uint32_t job)
{
    return s->work_us ? s->work_us[job] : 0;
}
/* In the queue: submitted, eligible, not running. */
static inline bool gy_sim_waits(const gy_sim *s, uint32_t job)
{
    return s->state[job] == GY_STATE_QUEUED && s->eligible_us[job] != GY_NEVER &&
           s->eligible_us[job] <= s->now_us;
}
static inline void gy_sim_fold(gy_sim *s, uint64_t v)
{
    uint64_t h = (s->digest ^ v) * UINT64_C(0x9fb21c651e98df25);
    s->digest = h ^ h >> 32;
}

/* ---- gy_sim_jobs.c ---- */
void gy_sim_submit(gy_sim *s, uint32_t job);
void gy_sim_become_eligible(gy_sim *s, uint32_t job);
/* The holds were claimed from the live room.  A job without anything to do ends at once: then GY_NONE is
 * returned, else its slot. */
uint32_t gy_sim_start(gy_sim *s, uint32_t job, const gy_hold *h, uint32_t n);
void gy_sim_end(gy_sim *s, uint32_t slot, enum gy_state state);
/* Back to the queue.  keep: all work is kept, else what the last checkpoint has. */
void gy_sim_stop(gy_sim *s, uint32_t slot, bool keep, bool failure);
void gy_sim_reject(gy_sim *s, uint32_t job); /* a waiting job ends as infeasible */
/* Another number of GPUs for a running job: the holds replace the old ones, which the host has given back. */
void gy_sim_resize(gy_sim *s, uint32_t slot, const gy_hold *h, uint32_t n);
void gy_sim_set_holds(gy_sim *s, gy_run *r, const gy_hold *h, uint32_t n);
void gy_sim_begin_segment(gy_sim *s, uint32_t slot, int64_t pause_us, gy_i128 work, gy_i128 saved);

/* ---- gy_sim_run.c: the course of a run and the books ---- */
gy_progress gy_run_at(const gy_sim *s, const gy_run *r, int64_t t_us);
int64_t gy_run_end(const gy_sim *s, const gy_run *r);
/* Books a stretch [a, b) of `milli` GPUs under *account (and as held by the run's user and queue). */
void gy_sim_book(gy_sim *s, const gy_run *r, gy_i128 *account, int64_t a, int64_t b);
/* Books the present segment up to now; work counts as useful. */
void gy_sim_book_segment(gy_sim *s, const gy_run *r, const gy_progress *p);
/* Moves what was booked as useful and is lost to *account; returns the lost work in microseconds. */
int64_t gy_sim_book_loss(gy_sim *s, const gy_run *r, const gy_progress *p, gy_i128 *account);
void gy_sim_advance_down(gy_sim *s, int64_t t_us);

/* ---- gy_sim_nodes.c ---- */
void gy_sim_apply(gy_sim *s, const gy_cluster_event *ev);
/* The largest quota that the queue has now or will have by the events from number `first` on. */
void gy_sim_find_quota_max(gy_sim *s, uint32_t queue, size_t first);
void gy_sim_give_back(gy_sim *s, const gy_run *r);
/* What would come back of a hold: without the GPUs that are out of order by themselves. */
gy_hold gy_sim_good_part(const gy_sim *s, gy_hold h);
/* Gives to a room, or takes from it, what would come back of a run. */
void gy_sim_toggle(const gy_sim *s, gy_room *room, const gy_run *r, bool give);
/* A run that stands still is booked up to now and counted as if all its GPUs worked: before it is given back.
 */
void gy_sim_settle_stall(gy_sim *s, gy_run *r);
void gy_sim_note_held(gy_sim *s, const gy_run *r, int sign); /* thousandths held of each GPU */

/* ---- gy_sim_warm.c ---- */
void gy_sim_open_window(gy_sim *s);
/* Takes from the live room the very GPUs that the log names; they are in s->scratch then. */
bool gy_sim_claim_logged(gy_sim *s, uint32_t job, uint32_t *n);
bool gy_sim_parse_placed(const gy_sim *s, const char *text, const gy_demand *d, gy_hold *out, uint32_t *n);

/* ---- gy_sim_check.c ---- */
gy_rc gy_sim_verify(const gy_sim *s, gy_err *e);
void gy_sim_close_books(gy_sim *s);

#endif
