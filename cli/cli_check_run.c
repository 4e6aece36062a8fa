/* cli_check_run.c - a module at work in one scenario: once alone, again beside another, then in wrappings.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check_internal.h"

/* ---- company ---- */

enum { COMPANIES = 6 };

/* The other stages that a module of a stage is tried with. */
static const char *const companies[GY_STAGE_END][COMPANIES] = {
    [GY_STAGE_ORDER] = {"backfill=strict", "backfill=skip,evict=priority", "backfill=easy"},
    [GY_STAGE_ADMIT] = {"backfill=strict", "order=las,backfill=skip,evict=priority", "backfill=easy"},
    [GY_STAGE_PLACE] = {"backfill=skip", "order=srtf,backfill=skip,evict=srtf", "backfill=easy",
                        "backfill=conservative"},
    [GY_STAGE_EVICT] = {"backfill=skip", "order=las,backfill=skip", "order=srtf,backfill=strict",
                        "order=drf,backfill=skip", "order=tiresias,backfill=skip"},
    [GY_STAGE_BACKFILL] = {"order=fifo", "order=sjf"},
    [GY_STAGE_RESIZE] = {"backfill=skip", "backfill=easy", "order=las,backfill=skip,evict=priority"},
    [GY_STAGE_SCHEDULE] = {"place=pack", "place=spread"},
};

const char *check_company(const check *c, size_t i)
{
    const char *const *list = companies[c->stage];
    size_t n = 0;
    while (n < COMPANIES && list[n])
        n++;
    if (i < n)
        return list[i];
    /* With what users can give, and with what no user can. */
    static const char *const estimates[] = {"estimate=limit", "estimate=perfect"};
    return c->flags & GY_USES_ESTIMATES && i - n < 2 ? estimates[i - n] : NULL;
}

/* ---- one run ---- */

struct run {
    gy_policy *policy;
    gy_session *session;
    check_probe *probe;
};

static gy_rc open_policy(const check *c, const char *settings, gy_policy **p, gy_err *e)
{
    gy_str spec = {0};
    bool slash = strchr(c->path, '/') != NULL;
    gy_str_printf(&spec, "%s=%s%s%s%s", gy_stage_names[c->stage], slash ? "" : "./", c->path,
                  *settings ? "," : "", settings);
    gy_rc rc = gy_policy_open(p, spec.s, e);
    gy_str_fini(&spec);
    return rc;
}

/* probe: enum check_probe_kind, or -1 for none. */
static gy_rc open_run(check *c, struct run *r, const check_world *w, const char *settings, int probe,
                      gy_err *e)
{
    *r = (struct run){0};
    gy_rc rc = open_policy(c, settings, &r->policy, e);
    if (rc != GY_OK)
        return rc;
    if (probe >= 0)
        r->probe = check_wrap(c, r->policy, c->stage, w, (enum check_probe_kind)probe);
    return gy_session_create(&r->session, r->policy, w->jobs, w->cluster, &w->events, &w->options, e);
}

static void close_run(struct run *r)
{
    gy_session_free(r->session);
    if (r->probe)
        check_unwrap(r->probe, r->policy);
    gy_policy_close(r->policy);
}

static bool about_knowledge(const gy_err *e)
{
    return e->rc == GY_EMODULE && strstr(e->text, "declares class K") != NULL;
}

static void report_error(check *c, const gy_err *e)
{
    check_id id = about_knowledge(e) ? CHECK_KNOWLEDGE : e->rc == GY_EMODULE ? CHECK_RULES : CHECK_RUNS;
    check_fail(c, id, "%s: %s", c->doing, e->text);
}

/* Runs it and returns the digest of all that was decided; 0: it failed, and that is reported. */
static uint64_t run_once(check *c, const check_world *w, const char *settings, int probe)
{
    struct run r;
    gy_err e;
    uint64_t digest = 0;
    gy_rc rc = open_run(c, &r, w, settings, probe, &e);
    if (rc == GY_OK)
        rc = gy_session_run(r.session, &e);
    if (rc == GY_OK)
        digest = gy_session_outcome(r.session)->digest;
    else if (probe < 0)
        report_error(c, &e);
    else if (probe == CHECK_PROBE_GROWTH)
        check_fail(c, CHECK_GROWTH, "%s: with a host whose table has grown: %s", c->doing, e.text);
    close_run(&r);
    return digest;
}

/* ---- alone, then beside another ---- */

struct beside {
    check *c;
    const check_world *w;
    const char *settings;
    unsigned instants;
    uint64_t digest; /* of the second instance */
};

/* In the midst of a run another instance of the module has a run of its own, from beginning to end. */
static void run_another(void *ctx, int64_t t_us, uint64_t busy, uint64_t down, uint32_t queued,
                        uint64_t queued_milli)
{
    struct beside *b = ctx;
    (void)t_us;
    (void)busy;
    (void)down;
    (void)queued;
    (void)queued_milli;
    if (++b->instants == 20)
        b->digest = run_once(b->c, b->w, b->settings, -1);
}

static void compare_digests(check *c, check_id id, uint64_t first, uint64_t other, const char *what)
{
    if (other != first && other != 0)
        check_fail(c, id, "%s: %s decides otherwise than the first run", c->doing, what);
}

/* The first run, whose course is judged. */
static uint64_t first_run(check *c, const check_world *w, const char *settings)
{
    struct run r;
    gy_err e;
    uint64_t digest = 0;
    check_course *course = check_course_open(c, w);
    gy_rc rc = open_run(c, &r, w, settings, -1, &e);
    if (rc == GY_OK) {
        gy_session_log(r.session, check_course_note, course);
        rc = gy_session_run(r.session, &e);
    }
    if (rc == GY_OK) {
        digest = gy_session_outcome(r.session)->digest;
        check_course_judge(course, gy_session_outcome(r.session));
    } else {
        report_error(c, &e);
    }
    check_course_close(course);
    close_run(&r);
    return digest;
}

/* A run in a wrapping that watches what the module declares.  It is asked more often there, so if it draws
 * random numbers the decisions may be others. */
static void watched_run(check *c, const check_world *w, const char *settings)
{
    struct run r;
    gy_err e;
    gy_rc rc = open_run(c, &r, w, settings, CHECK_PROBE_CLAIMS, &e);
    if (rc == GY_OK)
        rc = gy_session_run(r.session, &e);
    if (rc == GY_OK) {
        const gy_outcome *o = gy_session_outcome(r.session);
        bool ended = o->last_end_us != GY_NEVER && o->last_end_us > w->last_us;
        if (check_probe_last_us(r.probe) > (ended ? o->last_end_us : w->last_us))
            check_fail(c, CHECK_TIMERS, "%s: the run goes on after the last job", c->doing);
    } else {
        report_error(c, &e);
    }
    close_run(&r);
}

static void run_beside(check *c, const check_world *w, const char *settings, uint64_t first)
{
    struct run r;
    struct beside b = {c, w, settings, 0, first};
    gy_err e;
    gy_rc rc = open_run(c, &r, w, settings, -1, &e);
    if (rc == GY_OK) {
        gy_session_observe(r.session, run_another, &b);
        rc = gy_session_run(r.session, &e);
    }
    if (rc == GY_OK) {
        compare_digests(c, CHECK_SAME, first, gy_session_outcome(r.session)->digest,
                        "a second run, with another one in its midst,");
        compare_digests(c, CHECK_SAME, first, b.digest, "an instance inside another's run");
    } else {
        report_error(c, &e);
    }
    close_run(&r);
}

/* Does it fall over a fact when it declares one class less?  Then it needs the one that it declares. */
static bool needs_its_class(check *c, const check_world *w, const char *settings)
{
    struct run r;
    gy_err e = {0};
    gy_rc rc = open_run(c, &r, w, settings, CHECK_PROBE_KNOWLEDGE, &e);
    if (rc == GY_OK)
        rc = gy_session_run(r.session, &e);
    close_run(&r);
    return rc != GY_OK && about_knowledge(&e);
}

void check_run_case(check *c, const void *ctx)
{
    const check_case *k = ctx;
    check_world w;
    gy_err e;
    check_doing(c, "scenario %s with %s", check_world_name(k->world), k->company);
    if (check_world_open(&w, k->world, &e) != GY_OK) {
        check_fail(c, CHECK_RUNS, "%s: %s", c->doing, e.text);
        return;
    }
    mallopt(M_PERTURB, 0x5a); /* memory that is read before it is written differs between the runs */
    uint64_t first = first_run(c, &w, k->company);
    if (first) {
        w.options.check = false; /* what was verified once is only compared from here on */
        mallopt(M_PERTURB, 0xa5);
        run_beside(c, &w, k->company, first);
        watched_run(c, &w, k->company);
        compare_digests(c, CHECK_GROWTH, first, run_once(c, &w, k->company, CHECK_PROBE_GROWTH),
                        "with a host whose table has grown it");
        if (c->knowledge > GY_K0_REQUEST && needs_its_class(c, &w, k->company))
            check_tell(c, 'u', 1, "");
        check_tell(c, 'r', 1, "");
    }
    check_world_close(&w);
}
