/* gy_session_internal.h - the state of the host, shared by its files.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_SESSION_INTERNAL_H
#define GY_SESSION_INTERNAL_H

#include "gy_oset.h"
#include "gy_random.h"
#include "gy_session.h"
#include "gy_sim_internal.h"

/* Handed to a module with each call; which one it is says who is speaking. */
struct gy_view {
    gy_session *ss;
    uint32_t stage;
    uint32_t acting; /* actions are allowed: schedule and resize stages at work */
};

typedef struct gy_instance {
    const gy_module *module; /* NULL: the stage is empty */
    void *self;
    gy_view view;
    gy_stream stream;
    union gy_stage_ops ops; /* of the module */
} gy_instance;

/* ---- waiting jobs ---- */

enum gy_class_place {
    GY_CLASS_EMPTY,
    GY_CLASS_READY,   /* in the heap of its domain */
    GY_CLASS_BLOCKED, /* its shape does not fit; nobody of it is looked at until something is freed */
    GY_CLASS_REFUSED, /* by admission, until its queue changes */
    GY_CLASS_PASSED,  /* all of it was looked at in this pass */
};

/* Waiting jobs that ask for the same, in the same queue (and of the same user, where keys belong to users):
 * if one does not fit, none does. */
typedef struct gy_class {
    uint32_t shape, user, domain;
    uint32_t queue; /* with an admission stage; else the domain again */
    const gy_demand *demand;
    gy_oset waiting;     /* (key, job); aux: the estimate that plans use */
    gy_oset_item head;   /* the next to be looked at in this pass; between passes the first */
    int64_t user_key[3]; /* GY_KEY_USER: the key of all its jobs */
    uint32_t place;      /* enum gy_class_place */
    uint32_t heap_pos;   /* READY */
    uint32_t member_pos; /* in gy_domain.members while not EMPTY */
    uint32_t next_of_user;
    bool moved; /* head is not the first */
} gy_class;

typedef struct gy_list {
    uint32_t *v;
    uint32_t n;
    size_t cap;
} gy_list;

/* EASY's view of the future of a domain: see gy_easy.c. */
typedef struct gy_shadow {
    bool built; /* the future room follows the running jobs up to time */
    int64_t time_us;
    bool known;      /* the head has a time to start: */
    int64_t head_us; /* the shadow time */
    int64_t spare;   /* whole GPUs that will be left then, by count; INT64_MAX: not known */
    uint32_t head;   /* the job whose place is kept, at the shadow time; GY_NONE: none is, or not yet */
    gy_hold *kept;   /* taken in the future room */
    uint32_t nkept;
    size_t kept_cap;
    bool stale; /* the future room changed since the place was chosen */
    bool early; /* somebody ended before the plan said so: there may be an earlier place */
} gy_shadow;

typedef struct gy_domain {
    gy_list heap;     /* READY classes, the one whose head is first on top */
    gy_list members;  /* classes with waiting jobs */
    gy_oset ends;     /* running jobs by planned end; aux: whole GPUs */
    bool dirty;       /* something happened since its last pass */
    bool freed;       /* and room may have been gained */
    uint32_t arrived; /* the job that joined its line, when that is all that happened; else GY_NONE */
    bool settled;     /* EASY: the module said so of all, and nobody could start beside the head when the pass
                         ended */
    bool stopped;     /* in this pass */
    uint32_t stalled; /* strict order: the job that blocked the line and would do so again; GY_NONE */
    uint32_t nth;     /* jobs blocked in this pass */
    uint32_t nblocked;
    bool touched;  /* the head of some class is not its first job */
    bool evicted;  /* jobs were stopped in this pass: it takes another to see whom that serves */
    gy_list paces; /* of eviction */
    gy_shadow shadow;
    struct gy_profile *profile; /* of plans; NULL until needed */
} gy_domain;

/* ---- running jobs in the order of eviction ---- */

/* Running preemptible jobs of a domain whose key grows at the same pace: (key at time 0, job); aux:
 * thousandths of a GPU. */
typedef struct gy_pace {
    uint32_t domain;
    int64_t slope;
    gy_oset jobs;
} gy_pace;

/* Where a running job stands there. */
typedef struct gy_standing {
    uint32_t pace; /* GY_NONE: in no set */
    bool odd; /* a candidate whose key is computed when asked: it was resized, and its pace is no number */
    int64_t key[3];
    int64_t change_us; /* when its pace changes next: a pause begins or ends; GY_NEVER */
} gy_standing;

struct gy_history;

struct gy_session {
    const gy_policy *policy;
    gy_sim *sim;
    gy_instance inst[GY_STAGE_END];
    const gy_order_ops *order;
    const gy_admit_ops *admit; /* NULL: everybody */
    const gy_place_ops *place;
    const gy_evict_ops *evict; /* NULL: nobody */
    const gy_backfill_ops *backfill;
    const gy_resize_ops *resize;     /* NULL: none */
    const gy_schedule_ops *schedule; /* NULL: the standard pass */
    uint32_t place_flags, admit_flags, backfill_flags;
    gy_err fault; /* of a module; rc GY_OK while there is none */
    bool in_pass;

    unsigned lanes; /* of waiting keys in the sets: 0 for GY_KEY_USER */
    int64_t *keys;  /* by job, lanes of them */
    gy_oset_pool waiting_pool, ends_pool, pace_pool;
    gy_class *classes;
    uint32_t nclasses;
    size_t classes_cap;
    uint32_t *class_slots; /* open addressing: number + 1 */
    size_t nclass_slots;
    uint32_t *class_of_user; /* first of the list; NULL unless GY_KEY_USER */
    gy_domain *domains;
    gy_list dirty;    /* domains */
    gy_list deferred; /* jobs that became eligible inside the pass */
    uint64_t pass;
    uint32_t *queue_block;  /* strict order: the class whose head was refused; GY_NONE */
    uint8_t *queue_changed; /* since the last pass */
    gy_list changed_queues;
    bool any_refused;

    /* eviction */
    unsigned evict_lanes;
    uint32_t evict_change, evict_slope;
    uint32_t evict_key_stage; /* whose key is compared; 0: the priority column */
    bool evict_grows;         /* keys of running jobs grow with time: room is gained though nothing happens */
    bool one_by_one;  /* that one job of a class can have nobody stopped says nothing about the others */
    uint32_t *looked; /* by job: the last pass that looked at it; NULL: no job could be met twice */
    uint32_t nodd;    /* running jobs whose keys are computed when asked */
    gy_pace *paces;
    uint32_t npaces;
    size_t paces_cap;
    gy_standing *standing; /* by slot */
    size_t standing_cap;
    gy_heap pace_changes; /* payload: slot */

    /* places */
    gy_hold *holds;             /* of the placement being made */
    uint32_t *group[GY_LEVELS]; /* by level, by node; NULL until needed */
    uint32_t *group_nodes[GY_LEVELS], *group_first[GY_LEVELS], ngroups[GY_LEVELS];
    gy_room *empty;         /* everything free: for feasibility; NULL until needed */
    uint8_t *feasible;      /* by shape and domain: 0 not known, 1 no, 2 yes */
    gy_room *plan;          /* gy_plan.c: what a job is placed in; NULL until needed */
    gy_room *future, *both; /* plans: free at the shadow time, and at both times; NULL until needed */
    uint8_t *node_changed;  /* `both` has to follow */
    gy_list changed_nodes;
    bool beside;             /* what starts now leaves the kept place alone */
    uint8_t *node_closed;    /* as last seen */
    uint32_t *domain_closed; /* closed nodes, by domain */

    int64_t cpus_micro, mem_micro; /* of the cluster, as far as declared */
    int64_t closed_milli;          /* GPUs of nodes that are down or drained */
    struct gy_history *history;
    uint32_t elsewhere;  /* replayed jobs that are not where the log says */
    bool estimates_seen; /* some job has a finite estimate for the plan */

    /* dry runs of the schedule stage */
    bool trying;
    int64_t resized_us; /* last instant that had another pass because jobs shrank */
    struct gy_tried *tried;
    size_t ntried, tried_cap;

    gy_decision_fn *log;
    void *log_ctx;
    uint8_t *last_reason; /* by job, with a log */
    char name[128];       /* lent by name() */
};

/* What place() searches in. */
struct gy_space {
    gy_session *ss;
    gy_room *room;
    const gy_demand *demand;
    uint32_t domain;
    const uint32_t *nodes; /* only these; NULL: the whole domain */
    uint32_t nnodes;
    bool whole;        /* on one node, whatever it takes */
    uint32_t whole_on; /* which one, once some of it is taken; GY_NONE */
    gy_hold *out;
    uint32_t nholds;
    uint32_t left; /* units to be taken yet */
};

extern const gy_host gy_host_services; /* gy_services.c */

/* A module broke a rule: the run ends.  `job` may be GY_NONE. */
void gy_fault(gy_session *ss, uint32_t stage, uint32_t job, const char *fmt, ...)
    __attribute__((format(printf, 4, 5), cold));
static inline bool gy_faulted(const gy_session *ss)
{
    return ss->fault.rc != GY_OK;
}
void gy_decide(gy_session *ss, const char *what, uint32_t job, uint32_t reason, const char *text);

static inline void gy_list_push(gy_list *l, uint32_t v)
{
    l->v = gy_reserve(l->v, &l->cap, (size_t)l->n + 1, sizeof *l->v);
    l->v[l->n++] = v;
}

/* ---- gy_queue.c ---- */
void gy_queue_init(gy_session *ss);
void gy_queue_fini(gy_session *ss);
void gy_queue_add(gy_session *ss, uint32_t job);
void gy_queue_remove(gy_session *ss, uint32_t job); /* it starts, or is rejected */
void gy_queue_set_place(gy_session *ss, uint32_t class, enum gy_class_place place);
void gy_queue_advance(gy_session *ss, uint32_t class); /* the head was looked at */
void gy_queue_rewind(gy_session *ss, uint32_t class);  /* the head is the first again */
void gy_queue_skip_to(gy_session *ss, uint32_t class, const int64_t *key,
                      uint32_t job); /* first one after these */
uint32_t gy_queue_class_of(gy_session *ss, uint32_t job);
bool gy_queue_head_before(const gy_session *ss, uint32_t a, uint32_t b); /* classes */
/* Is item a of class ca before item b of class cb in order? */
bool gy_queue_item_before(const gy_session *ss, const gy_class *ca, const gy_oset_item *a, const gy_class *cb,
                          const gy_oset_item *b);
/* What plans take for the rest of the job: its estimate less work kept from earlier runs. */
int64_t gy_queue_estimate(gy_session *ss, uint32_t job);
void gy_queue_user_changed(gy_session *ss, uint32_t user);
void gy_queue_rekey(gy_session *ss, uint32_t job);
void gy_queue_rekey_all(gy_session *ss);
void gy_queue_soil(gy_session *ss, uint32_t domain, bool freed);
/* Does waiting job a come before waiting job b? */
bool gy_queue_job_before(const gy_session *ss, uint32_t a, uint32_t b);
gy_rc gy_queue_check(gy_session *ss, gy_err *e);
const int64_t *gy_queue_key(const gy_session *ss, const gy_class *c, uint32_t job);

/* ---- gy_space.c ---- */
/* The members of gy_host that search a room. */
extern const struct gy_space_services {
    uint32_t (*hold)(gy_space *s, uint32_t node);
    uint32_t (*free)(gy_space *s, uint32_t node);
    uint32_t (*first)(gy_space *s, uint32_t units, uint32_t from);
    uint32_t (*tightest)(gy_space *s, uint32_t units);
    uint32_t (*roomiest)(gy_space *s);
    uint32_t (*count)(gy_space *s, uint32_t units);
    uint32_t (*nth)(gy_space *s, uint32_t units, uint32_t k);
    void (*take)(gy_space *s, uint32_t node, uint32_t units);
    uint64_t (*draw)(gy_space *s);
} gy_space_services;
/* Finds a place for the job in a room by the place stage and takes it there.  The number of holds written to
 * out, or 0; a job that needs no place has *fits true and 0 holds. */
uint32_t gy_space_place(gy_session *ss, uint32_t job, gy_room *room, gy_hold *out, bool *fits);
/* Claims in the live room the nodes (a share: the card) of the n holds in ss->holds, which come from a room
 * without masks; they are replaced, and their number is returned. */
uint32_t gy_space_claim_same(gy_session *ss, uint32_t job, uint32_t n);
/* Room in the live room for `more` further GPUs of a running job; found, not taken. */
uint32_t gy_space_place_more(gy_session *ss, uint32_t job, uint32_t more, gy_hold *out);
bool gy_space_feasible(gy_session *ss, uint32_t job);
void gy_space_fini(gy_session *ss);

/* ---- gy_pass.c ---- */
gy_rc gy_pass(void *ctx, gy_err *e);
/* Starts a job whose holds were claimed from the live room. */
void gy_pass_start(gy_session *ss, uint32_t job, const gy_hold *h, uint32_t n);
/* False when the head of the class was looked at in this pass already: it is passed over. */
bool gy_pass_turn(gy_session *ss, uint32_t class);
bool gy_pass_admits(gy_session *ss, uint32_t class, uint32_t job);
void gy_pass_reopen(gy_session *ss, uint32_t domain, const int64_t *key, uint32_t job);

/* ---- gy_evict.c ---- */
void gy_evict_init(gy_session *ss);
void gy_evict_fini(gy_session *ss);
void gy_evict_started(gy_session *ss, uint32_t slot);
void gy_evict_leaving(gy_session *ss, uint32_t slot);
/* Where a trial takes place, if not in the live room alone: what gives or takes back a victim's room, and
 * whether the job fits.  With `follow` toggle() is also told of those who are stopped for good, just before.
 */
typedef struct gy_trial_room {
    void (*toggle)(gy_session *ss, void *ctx, uint32_t job, bool give);
    bool (*fits)(gy_session *ss, void *ctx, uint32_t job);
    bool follow;
    void *ctx;
} gy_trial_room;
/* Stops others for the job; true when it fits now.  room NULL: the live room. */
bool gy_evict_for(gy_session *ss, uint32_t class, uint32_t job, const gy_trial_room *room);
gy_rc gy_evict_check(gy_session *ss, gy_err *e);
/* Services of gy_host for the dry run. */
uint32_t gy_trial_next(gy_trial *t);
void gy_trial_stop(gy_trial *t, uint32_t job);
void gy_trial_spare(gy_trial *t, uint32_t job);
int gy_trial_fits(gy_trial *t);
/* The key by which jobs are compared, in the lanes of the sets. */
void gy_evict_key_of(gy_session *ss, uint32_t job, gy_key *k);

/* ---- gy_easy.c: one place is kept ---- */
void gy_easy_started(gy_session *ss, uint32_t slot);
void gy_easy_leaving(gy_session *ss, uint32_t slot);
/* The future of the domain is built anew when it is needed next. */
void gy_easy_forget(gy_session *ss, uint32_t domain);
/* Nothing happened in the domain but that one job joined its line: it starts if it can, and nobody else
 * could. False: the pass has to look at the whole line. */
bool gy_easy_arrival(gy_session *ss, uint32_t domain);
/* The domain's line is blocked by `job`, for which a place is to be kept; the rest of the pass. */
void gy_easy_rest(gy_session *ss, uint32_t domain, uint32_t job);
void gy_easy_fini(gy_session *ss);
/* Could anybody behind `job` start without touching a place kept for it? */
bool gy_easy_anybody(gy_session *ss, uint32_t domain, uint32_t job);
gy_rc gy_easy_check(gy_session *ss, gy_err *e);

/* ---- gy_plan.c: any number of places are kept ---- */
/* The rest of the pass, when places are to be kept for these, the first in order, and for more (their
 * classes' heads were advanced). */
void gy_plan_rest(gy_session *ss, uint32_t domain, const uint32_t *kept, uint32_t nkept);

/* ---- gy_estimate.c ---- */
int64_t gy_estimate_of(gy_session *ss, uint32_t stage, uint32_t job);
void gy_estimate_init(gy_session *ss); /* after the instances were opened */
void gy_estimate_submitted(gy_session *ss, uint32_t job);
void gy_estimate_ended(gy_session *ss, uint32_t job);
void gy_estimate_fini(gy_session *ss);

/* ---- gy_actions.c ---- */
void gy_actions_fini(gy_session *ss);
void gy_services_try_undo(gy_session *ss);

#endif
