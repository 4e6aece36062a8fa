/* test_policy_actions.c - modules that act by themselves: sizes, dry runs, moves, timers, to the microsecond.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "policy_help.h"

/* ---- resize ---- */

static void from_2_to_8(gy_job_row *row)
{
    row->min_gpus = 2;
    row->max_gpus = 8;
}

/* On 8 GPUs, A (4 GPUs, 100 s, 2 to 8) grows to 8 at once and has done 40 s of work after 20 s.  B (4 GPUs,
 * 10 s) comes then: A shrinks to 2, B starts, A takes the two that are left and does 10 s of work while B
 * runs.  From 30 s on it has 8 GPUs again: the last 50 s take 25. */
static void expect_elastic(const char *module)
{
    struct bench b;
    gy_str spec = {0};
    gy_str_printf(&spec, "resize=" MODULES "%s,backfill=skip", module);
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(100), from_2_to_8);
    bench_job(&b, "B", S(20), 4, S(10), NULL);
    expect_run(&b, spec.s);
    expect_times(&b, "A", 0, S(55));
    expect_times(&b, "B", S(20), S(30));
    cr_expect_eq(preemptions_of(&b, "A"), 0);
    /* 20 s on 8 GPUs, 10 on 4, 25 on 8; and B's 10 on 4. */
    const gy_outcome *o = gy_session_outcome(b.session);
    cr_expect(o->held == (gy_i128)1000 * (S(20) * 8 + S(10) * 4 + S(25) * 8 + S(10) * 4));
    bench_close(&b);
    gy_str_fini(&spec);
}

Test(resize, gives_room_back_to_who_waits)
{
    expect_elastic("resize-grows.so");
}

Test(resize, may_start_who_waits_by_itself)
{
    expect_elastic("resize-starts.so");
}

Test(resize, scales_linearly)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 3, S(100), from_2_to_8);
    bench_job(&b, "B", 0, 4, S(30), NULL);
    /* A starts on 3, B on 4, and A grows to 4: 4/3 of the rate for 30 s are 40 s of work; then 8 GPUs: 60 s
     * at 8/3 of the rate take 22.5. */
    expect_run(&b, "resize=" MODULES "resize-grows.so,backfill=skip");
    expect_times(&b, "A", 0, S(52.5));
    expect_times(&b, "B", 0, S(30));
    bench_close(&b);
}

Test(resize, keeps_the_books_of_who_was_stopped)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(100), from_2_to_8);
    bench_job(&b, "B", S(10), 8, S(10), NULL);
    /* A does 20 s of work in 10 s on 8 GPUs; under srtf B (10 s left) stops it; it starts anew on its 4 and
     * grows to 8 again: the other 80 s take 40. */
    expect_run(&b, "order=srtf,evict=srtf,backfill=skip,resize=" MODULES "resize-grows.so");
    expect_times(&b, "B", S(10), S(20));
    expect_times(&b, "A", 0, S(60));
    cr_expect_eq(preemptions_of(&b, "A"), 1);
    bench_close(&b);
}

/* Keys that grow while a job runs follow the GPUs that it holds, and the work that it does with them, not
 * those that it asked for: the self-check compares when B has ended. */
static void expect_growing_keys(const char *spec)
{
    struct bench b;
    gy_str with_resize = {0};
    gy_str_printf(&with_resize, "%s,resize=" MODULES "resize-grows.so", spec);
    bench_open(&b, "1x16");
    bench_job(&b, "A", 0, 2, S(100), from_2_to_8);
    bench_job(&b, "B", 0, 1, S(7), NULL);
    expect_run(&b, with_resize.s);
    expect_times(&b, "A", 0, S(25));
    bench_close(&b);
    gy_str_fini(&with_resize);
}

Test(resize, goes_with_keys_of_time_held)
{
    expect_growing_keys("las:quantum_s=0");
}

Test(resize, goes_with_keys_of_work_done)
{
    expect_growing_keys("srtf:place=pack");
    expect_growing_keys("order=srsf,evict=priority,backfill=skip");
}

/* ---- dry runs ---- */

static void less(gy_job_row *row)
{
    row->priority = 0;
}
static void middle(gy_job_row *row)
{
    row->priority = 1;
}
static void more(gy_job_row *row)
{
    row->priority = 5;
}

Test(dry_run, leaves_no_trace_or_is_carried_out)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(100), less);
    bench_job(&b, "B", 0, 4, S(100), middle);
    bench_job(&b, "C", S(10), 8, S(10), middle);
    bench_job(&b, "D", S(20), 4, S(10), more);
    /* For C, A alone may stop, which is not enough: forgotten.  For D both stop, and it starts.  When it ends
     * they go on, first come first served: 20 s of their work are done. */
    expect_run(&b, "schedule=" MODULES "schedule-tries.so");
    expect_times(&b, "D", S(20), S(30));
    expect_times(&b, "A", 0, S(110));
    expect_times(&b, "B", 0, S(110));
    expect_times(&b, "C", S(110), S(120));
    cr_expect_eq(preemptions_of(&b, "A"), 1);
    cr_expect_eq(preemptions_of(&b, "B"), 1);
    cr_expect_eq(gy_session_outcome(b.session)->stops, 2);
    cr_expect_eq(gy_session_outcome(b.session)->starts, 6);
    bench_close(&b);
}

/* ---- moves ---- */

static void see_span(void *ctx, gy_span s)
{
    gy_str *text = ctx;
    gy_str_printf(text, "n%u:%u+%u ", s.node, s.first, s.count);
}

static void expect_place(const struct bench *b, const char *id, const char *place)
{
    gy_str text = {0};
    gy_outcome_placed(gy_session_outcome(b->session), job_named(b, id), see_span, &text);
    cr_expect_str_eq(text.s, place);
    gy_str_fini(&text);
}

Test(move, takes_the_work_along_and_costs_a_restore)
{
    struct bench b;
    bench_open(&b, "2x4");
    b.options.restore_cost_us = S(5);
    bench_job(&b, "A", 0, 2, S(100), NULL);
    expect_run(&b, "schedule=" MODULES "schedule-moves.so,at_s=10");
    expect_times(&b, "A", 0, S(105));
    expect_place(&b, "A", "n1:0+2 ");
    bench_close(&b);
}

Test(move, to_a_full_node_is_no_move)
{
    struct bench b;
    bench_open(&b, "2x4");
    b.options.restore_cost_us = S(5);
    bench_job(&b, "A", 0, 4, S(100), NULL);
    bench_job(&b, "B", 0, 3, S(10), NULL);
    expect_run(&b, "schedule=" MODULES "schedule-moves.so,at_s=5");
    expect_times(&b, "A", 0, S(100));
    expect_place(&b, "A", "n0:0+4 ");
    cr_expect_eq(preemptions_of(&b, "A"), 0);
    bench_close(&b);
}

/* ---- timers ---- */

Test(timer, of_a_job_comes_when_it_was_asked_for)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(10), NULL);
    bench_job(&b, "B", S(5.000001), 4, S(10), NULL);
    expect_run(&b, "schedule=" MODULES "schedule-delays.so,at_s=30.5");
    expect_times(&b, "A", S(30.5), S(40.5));
    expect_times(&b, "B", S(35.500001), S(45.500001));
    bench_close(&b);
}

Test(timer, of_a_job_goes_when_it_starts)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(100), NULL);
    expect_run(&b, "schedule=" MODULES "schedule-forgets.so,at_s=10");
    expect_times(&b, "A", 0, S(100));
    cr_expect(strstr(b.log.s, "a timer of a job") == NULL, "%s", b.log.s);
    bench_close(&b);
}

/* Three alarms set at one moment, the latest first: each of them comes.  From the third on the module asks
 * for one every 10 s without end; the run ends with its last job. */
Test(timer, comes_each_time_and_keeps_no_run_alive)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(45), NULL);
    expect_run(&b, "schedule=" MODULES "schedule-beats.so,at_s=10");
    cr_expect_str_eq(b.log.s, "0 start A\n10 note - beat 1\n20 note - beat 2\n30 note - beat 3\n"
                              "40 note - beat 4\n45 end A finished\n");
    bench_close(&b);
}

/* ---- words ---- */

Test(words, of_a_module_are_in_the_log)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(5), NULL);
    bench_job(&b, "B", S(1), 4, S(5), NULL);
    expect_run(&b, "schedule=" MODULES "schedule-words.so,at_s=10");
    /* A reason that stays the same is told once. */
    cr_expect_str_eq(b.log.s, "0 wait A reason 5 it is not time yet\n0 note - nothing starts\n"
                              "1 wait B reason 5 it is not time yet\n1 note - nothing starts\n"
                              "10 start A\n10 start B\n15 end A finished\n15 end B finished\n");
    bench_close(&b);
}

Test(reject, ends_a_waiting_job_as_infeasible)
{
    struct bench b;
    bench_open(&b, "1x8");
    bench_job(&b, "A", 0, 4, S(5), less);
    bench_job(&b, "B", 0, 4, S(5), more);
    expect_run(&b, "schedule=" MODULES "schedule-careful.so");
    cr_expect_eq(gy_session_outcome(b.session)->state[job_named(&b, "A")], GY_STATE_INFEASIBLE);
    expect_times(&b, "B", 0, S(5));
    bench_close(&b);
}
