/* test_policy_rules.c - modules that break a rule end the run with a sentence, and the host goes on.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "policy_help.h"

static void fixed(gy_job_row *row)
{
    row->not_preemptible = true;
    row->priority = 0;
}

static void important(gy_job_row *row)
{
    row->priority = 9;
}

/* Three jobs that fill the cluster, one of them not to be stopped; then one of high priority that needs the
 * GPUs of the two others. */
static void open_bench(struct bench *b)
{
    bench_open(b, "2x4");
    b->options.check = false;
    bench_job(b, "A", 0, 4, S(100), NULL);
    bench_job(b, "B", 0, 2, S(100), fixed);
    bench_job(b, "C", 0, 2, S(100), NULL);
    bench_job(b, "D", S(10), 6, S(5), important);
    bench_job(b, "E", S(20), 1, S(5), NULL);
}

/* GY_EMODULE, with the module, its stage and the rule; then the same process runs another policy as if
 * nothing had been. */
static void expect_broken(const char *stage, const char *name, const char *others, const char *words)
{
    struct bench b;
    gy_str spec = {0}, says = {0};
    open_bench(&b);
    gy_str_printf(&spec, "%s=" MODULES "%s-%s.so%s", stage, stage, name, others);
    gy_str_printf(&says, "policy module %s (%s stage) broke a rule at ", name, stage);
    gy_rc rc = bench_run(&b, spec.s);
    cr_expect_eq(rc, GY_EMODULE, "%s: %d %s", spec.s, rc, rc ? b.e.text : "");
    if (rc != GY_OK) {
        expect_words(b.e.text, says.s);
        expect_words(b.e.text, words);
    }
    expect_run(&b, "fifo-skip");
    expect_times(&b, "D", S(100), S(105));
    bench_close(&b);
    gy_str_fini(&spec);
    gy_str_fini(&says);
}

Test(rule, order_knows_what_it_declares)
{
    expect_broken("order", "peeks", "",
                  "job \"A\": it reads the true length of a job (class K5) and declares class K0");
    expect_broken("order", "estimates", "", "it asks for an estimate and does not declare GY_USES_ESTIMATES");
}

Test(rule, order_asks_for_what_there_is)
{
    expect_broken("order", "stranger", "",
                  "it asks for job number 1000000, which does not exist or was not submitted yet");
    expect_broken("order", "future", "", "which does not exist or was not submitted yet");
    expect_broken("order", "no-node", "", "it asks for node number 4711, which does not exist");
}

Test(rule, only_schedulers_act)
{
    expect_broken("order", "acts", "", "it tries to start a job outside its schedule or resize function");
}

Test(rule, place_takes_what_can_be_held)
{
    expect_broken("place", "overtakes", "", "it took 5 units of node 0, which can hold 4");
    expect_broken("place", "greedy", "", "it took 5 units of node 0, which can hold 4 (4 were left to take)");
    expect_broken("place", "takes-none", "", "it took 0 units of node 0");
    expect_broken("place", "off", "", "it took 1 units of node 4711, which can hold 0");
}

Test(rule, place_takes_all_that_it_says)
{
    expect_broken("place", "short", "", "it said that the job is placed and left 4 of its 4 units");
    expect_broken("place", "half", "", "it said that the job is placed and left 1 of its 4 units");
}

Test(rule, place_that_calls_itself_complete_is)
{
    struct bench b;
    bench_open(&b, "2x4");
    bench_job(&b, "A", 0, 6, S(100), NULL);
    cr_expect_eq(bench_run(&b, "place=" MODULES "place-modest.so,backfill=easy"), GY_OK);
    bench_close(&b);
    /* Under easy the host counts on it; it must not fall over the lie. */
    bench_open(&b, "2x4");
    bench_job(&b, "A", 0, 3, S(100), NULL);
    bench_job(&b, "B", 0, 3, S(100), NULL);
    bench_job(&b, "C", S(1), 2, S(100), NULL);
    bench_job(&b, "D", S(2), 1, S(100), NULL);
    cr_expect_eq(bench_run(&b, "place=" MODULES "place-lies.so,backfill=easy,estimate=perfect"), GY_EMODULE);
    expect_words(b.e.text, "policy module lies (place stage)");
    bench_close(&b);
}

Test(rule, evict_stops_candidates)
{
    static const char others[] = ",order=priority,backfill=skip";
    static const char words[] = "it stops a job that is not running, may not be stopped, or is stopped";
    expect_broken("evict", "waiting", others, words);
    expect_broken("evict", "unknown", others, words);
    expect_broken("evict", "fixed", others, words);
    expect_broken("evict", "twice", others, words);
    expect_broken("evict", "spares", others, "it spares a job that it had not stopped");
}

static void middling(gy_job_row *row)
{
    row->priority = 5;
}

/* C comes after A and before B in order: it may have B stopped, and not A. */
Test(rule, evict_stops_nobody_who_comes_before)
{
    struct bench b;
    bench_open(&b, "2x4");
    b.options.check = false;
    bench_job(&b, "A", 0, 4, S(100), important);
    bench_job(&b, "B", 0, 4, S(100), NULL);
    bench_job(&b, "C", S(10), 4, S(5), middling);
    cr_expect_eq(bench_run(&b, "evict=" MODULES "evict-better.so,order=priority,backfill=skip"), GY_EMODULE);
    expect_words(b.e.text, "policy module better (evict stage) broke a rule at 10 s, job \"C\"");
    bench_close(&b);
}

Test(rule, evict_makes_room)
{
    expect_broken("evict", "useless", ",order=priority,backfill=skip",
                  "it stopped jobs that do not make room for the job");
}

Test(rule, evict_that_stops_nobody_changes_nothing)
{
    struct bench b;
    open_bench(&b);
    expect_run(&b, "evict=" MODULES "evict-nobody.so,order=priority,backfill=skip");
    expect_times(&b, "D", S(100), S(105));
    bench_close(&b);
}

Test(rule, backfill_answers_in_its_language)
{
    expect_broken("backfill", "nonsense", "", "blocked() answered 7, which means nothing");
    expect_broken("backfill", "no-plan", "", "it asks to keep a place and does not declare GY_PLANS");
}

Test(rule, schedule_starts_what_waits)
{
    expect_broken("schedule", "double-start", "", "it tries to start a job that does not wait");
    expect_broken("schedule", "unknown-job", "", "it tries to start a job that does not wait");
    expect_broken("schedule", "trial-twice", "", "it starts a job twice in one dry run");
}

Test(rule, schedule_places_on_what_is_there)
{
    expect_broken("schedule", "bad-pieces", "", "it places the job on a node that is not there for it");
    expect_broken("schedule", "too-many", "",
                  "it places the job on a node that is not there for it, or on too many GPUs");
}

Test(rule, schedule_stops_what_runs_and_may_be_stopped)
{
    expect_broken("schedule", "stops-waiting", "", "it tries to stop a job that is not running");
    expect_broken("schedule", "stop-mode", "", "in a mode that does not exist");
    expect_broken("schedule", "stops-fixed", "", "it stops a job that may not be stopped");
}

Test(rule, schedule_ends_its_dry_runs)
{
    expect_broken("schedule", "open-trial", "", "it ended inside a dry run that it had begun");
    expect_broken("schedule", "two-trials", "", "it begins a dry run inside another");
    expect_broken("schedule", "no-trial", "", "it ends a dry run that it had not begun");
}

Test(rule, only_oracles_replay)
{
    expect_broken("schedule", "replays", "", "it replays the log and declares class K0");
}

Test(rule, resize_keeps_to_the_range)
{
    expect_broken("resize", "out-of-range", "", "beyond its range of 4 to 4 GPUs");
    expect_broken("resize", "resizes-waiting", "", "it tries to resize a job that is not running");
}

Test(rule, somebody_starts_in_the_end)
{
    struct bench b;
    open_bench(&b);
    b.options.stall_passes = 100000;
    cr_expect_eq(bench_run(&b, "schedule=" MODULES "schedule-never-starts.so"), GY_ESTALL);
    expect_words(b.e.text, "no progress");
    bench_close(&b);
}
