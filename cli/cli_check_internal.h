/* cli_check_internal.h - the parts of `gpuyard policy check`: what is checked, how findings are kept, the
 * worlds that a module is run in. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A module is never loaded by the process that prints: it is opened and run in child processes under a time
 * bound, and what they find comes back through a pipe.
 */
#ifndef CLI_CHECK_INTERNAL_H
#define CLI_CHECK_INTERNAL_H

#include "cli_internal.h"

/* In the order in which they are printed. */
typedef enum check_id {
    CHECK_EXPORTS,
    CHECK_SYMBOLS,
    CHECK_DATA,
    CHECK_TABLE,
    CHECK_SETTINGS,
    CHECK_RUNS,
    CHECK_RULES,
    CHECK_KNOWLEDGE,
    CHECK_JOBS,
    CHECK_GPUS,
    CHECK_SAME,
    CHECK_GROWTH,
    CHECK_TIMERS,
    CHECK_KEYS,
    CHECK_PLACES,
    CHECK_ADMISSION,
    CHECKS
} check_id;

enum check_verdict { CHECK_NOT_RUN, CHECK_OK, CHECK_WARNING, CHECK_FAILED };

typedef struct check_result {
    enum check_verdict verdict;
    bool more;   /* findings of that verdict besides the first */
    gy_str text; /* the first one, or what was found to be right */
} check_result;

typedef struct check {
    const char *path;
    check_result result[CHECKS];
    int report;            /* in a child: the pipe; else -1 */
    unsigned told[CHECKS]; /* in a child: bad findings so far */
    /* What the table says, once CHECK_TABLE is passed. */
    char name[64];
    uint32_t stage, knowledge, flags, nsettings;
    unsigned runs;        /* that ended */
    bool reads_its_class; /* some run read a fact of the class that it declares */
    bool dead;            /* a child crashed or ran out of time: no more of them */
    char doing[200];      /* what the child was at, for the message when it does not end by itself */
} check;

/* Findings, in the parent or a child.  The worst verdict of a check counts, and of its texts the first. */
void check_find(check *c, check_id id, enum check_verdict verdict, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
#define check_fail(c, id, ...) check_find(c, id, CHECK_FAILED, __VA_ARGS__)
#define check_warn(c, id, ...) check_find(c, id, CHECK_WARNING, __VA_ARGS__)
#define check_ok(c, id, ...)   check_find(c, id, CHECK_OK, __VA_ARGS__)
/* Tells the parent what the child does next. */
void check_doing(check *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Facts for the parent: a name and a number. */
void check_tell(check *c, char what, uint64_t number, const char *text);

/* Runs work(c, ctx) in a child process.  One that crashes, leaves or does not come back in time is a failure
 * of check `blame`. */
void check_in_child(check *c, check_id blame, void (*work)(check *c, const void *ctx), const void *ctx);

/* cli_check_elf.c: what the file asks of the system and shows to others.  Loads nothing. */
void check_elf(check *c);
/* cli_check_symbols.c: what a function that a module must not call is for ("a clock"), or NULL. */
const char *check_forbidden(const char *symbol);

/* ---- cli_check_world.c: traces and clusters to run in ---- */

typedef struct check_world {
    const char *name;
    gy_jobs *jobs;
    gy_cluster *cluster;
    gy_events events;
    gy_options options;
    bool elastic;    /* GPUs of a job may change */
    bool costs;      /* a run may be longer than its work */
    int64_t last_us; /* of submissions and events */
} check_world;

enum { CHECK_BRIEF = 0 }; /* the world that takes no time to speak of, for settings at their bounds */
size_t check_worlds(void);
const char *check_world_name(size_t i);
bool check_world_large(size_t i); /* one company is enough for it */
gy_rc check_world_open(check_world *w, size_t i, gy_err *e);
void check_world_close(check_world *w);

/* ---- cli_check_probe.c: a module in a wrapping that looks at what it answers ---- */

typedef struct check_probe check_probe;

enum check_probe_kind {
    CHECK_PROBE_CLAIMS,    /* what it declares about keys, places, refusals */
    CHECK_PROBE_GROWTH,    /* a host with larger tables */
    CHECK_PROBE_KNOWLEDGE, /* as if it declared one class less */
};

/* Puts the wrapping round the module of that stage; undone by check_unwrap(), after the session's end. */
check_probe *check_wrap(check *c, gy_policy *p, uint32_t stage, const check_world *w,
                        enum check_probe_kind kind);
void check_unwrap(check_probe *x, gy_policy *p);
/* The last time at which the module was called, with CHECK_PROBE_CLAIMS. */
int64_t check_probe_last_us(const check_probe *x);

/* ---- cli_check_run.c ---- */

/* How a module of a stage is composed with others: number i, or NULL after the last.  Without the module. */
const char *check_company(const check *c, size_t i);
typedef struct check_case {
    size_t world;
    const char *company;
} check_case;
void check_run_case(check *c, const void *ctx); /* a check_case */
void check_settings(check *c, const void *ctx); /* ctx is not used */

/* ---- cli_check_course.c: a run as its log tells it, judged without the engine ---- */

typedef struct check_course check_course;
check_course *check_course_open(check *c, const check_world *w);
void check_course_note(void *ctx, int64_t t_us, const char *what, uint32_t job, uint32_t reason,
                       const char *text); /* gy_decision_fn; ctx is the course */
void check_course_judge(check_course *k, const gy_outcome *o);
void check_course_close(check_course *k);

#endif
