/* test_policy_keys.c - orders whose keys change with time, with the user, with the job's own events and
 * timers; and orders of random numbers. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "policy_help.h"

static void user_u(gy_job_row *row)
{
    row->user = slice_of("u");
}
static void user_v(gy_job_row *row)
{
    row->user = slice_of("v");
}

/* A key of 4 or 1 times the weight, less the time waited, when the GPUs are free at 100 s. */
Test(key, of_time_lets_jobs_age)
{
    struct bench b;
    bench_open(&b, "1x4");
    bench_job(&b, "blocker", 0, 4, S(100), NULL);
    bench_job(&b, "wide", S(1), 4, S(10), NULL);
    bench_job(&b, "small", S(90), 1, S(10), NULL);
    expect_run(&b, "order=" MODULES "order-aging.so,weight_s=20"); /* 80 - 99 before 20 - 10 */
    expect_times(&b, "wide", S(100), S(110));
    expect_times(&b, "small", S(110), S(120));
    expect_run(&b, "order=" MODULES "order-aging.so,weight_s=60"); /* 60 - 10 before 240 - 99 */
    expect_times(&b, "small", S(100), S(110));
    expect_times(&b, "wide", S(110), S(120));
    bench_close(&b);
}

/* u has one running job and v none when a GPU is free at 10 s, so v's job passes u's, which came first. */
Test(key, of_the_user_follows_what_the_user_holds)
{
    struct bench b;
    bench_open(&b, "1x2");
    bench_job(&b, "u1", 0, 1, S(100), user_u);
    bench_job(&b, "x", 0, 1, S(10), NULL);
    bench_job(&b, "u2", S(1), 1, S(10), user_u);
    bench_job(&b, "v1", S(2), 1, S(10), user_v);
    bench_job(&b, "v2", S(3), 1, S(10), user_v);
    expect_run(&b, "order=" MODULES "order-fewest.so,backfill=skip");
    expect_times(&b, "v1", S(10), S(20));
    expect_times(&b, "v2", S(20), S(30));
    expect_times(&b, "u2", S(30), S(40));
    bench_close(&b);
}

/* The timers of the waiting ones come 10 s after their submission: when the GPU is free at 15 s, A has gone
 * back by one and B has not. */
Test(key, of_its_own_changes_at_a_timer)
{
    struct bench b;
    bench_open(&b, "1x1");
    bench_job(&b, "blocker", 0, 1, S(15), NULL);
    bench_job(&b, "A", S(1), 1, S(10), NULL);
    bench_job(&b, "B", S(6), 1, S(10), NULL);
    expect_run(&b, "order=" MODULES "order-demotes.so,weight_s=10");
    expect_times(&b, "B", S(15), S(25));
    expect_times(&b, "A", S(25), S(35));
    expect_run(&b, "order=" MODULES "order-demotes.so,weight_s=0"); /* no timers */
    expect_times(&b, "A", S(15), S(25));
    bench_close(&b);
}

/* A linear key changes at a timer too: that of the waiting C moves it to the front. */
Test(key, that_is_linear_changes_at_a_timer)
{
    struct bench b;
    bench_open(&b, "1x1");
    bench_job(&b, "blocker", 0, 1, S(15), NULL);
    bench_job(&b, "B", S(1), 1, S(10), NULL);
    bench_job(&b, "C", S(2), 1, S(10), NULL);
    expect_run(&b, "order=" MODULES "order-due.so,weight_s=10");
    expect_times(&b, "C", S(15), S(25));
    expect_times(&b, "B", S(25), S(35));
    bench_close(&b);
}

/* The module counts starts when it is told of them.  B, never started, stops A, started once; when B ends A
 * goes on, with 5 s of its 100 done.  The key of A as a running job is the one after the notification. */
Test(key, of_its_own_is_taken_after_the_notification)
{
    struct bench b;
    bench_open(&b, "1x1");
    bench_job(&b, "A", 0, 1, S(100), NULL);
    bench_job(&b, "B", S(5), 1, S(10), NULL);
    expect_run(&b, "order=" MODULES "order-counts.so,evict=priority,backfill=skip");
    expect_times(&b, "B", S(5), S(15));
    expect_times(&b, "A", 0, S(110));
    bench_close(&b);
}

/* ---- random numbers ---- */

enum { DRAWN = 12 };

/* One GPU, so the starts tell the order: the ids one after the other. */
static void order_of(struct bench *b, const char *spec, uint64_t seed, char out[DRAWN + 1])
{
    b->options.seed = seed;
    expect_run(b, spec);
    const gy_outcome *o = gy_session_outcome(b->session);
    for (uint32_t j = 0; j < DRAWN; j++) {
        int64_t place = o->start_us[j] / S(10);
        cr_assert_lt(place, DRAWN);
        out[place] = (char)('a' + j);
    }
    out[DRAWN] = '\0';
}

static void open_lots(struct bench *b)
{
    char id[2] = "a";
    bench_open(b, "1x1");
    for (; *id < 'a' + DRAWN; ++*id)
        bench_job(b, id, 0, 1, S(10), NULL);
}

Test(draw, of_a_job_is_the_same_whatever_else_is_drawn)
{
    struct bench b;
    char first[DRAWN + 1], second[DRAWN + 1], other[DRAWN + 1];
    open_lots(&b);
    order_of(&b, "order=" MODULES "order-draws.so", 1, first);
    order_of(&b, "order=" MODULES "order-draws.so,weight_s=0.000007", 1,
             second); /* 7 more draws for each job */
    order_of(&b, "order=" MODULES "order-draws.so", 2, other);
    cr_expect_str_eq(first, second);
    cr_expect_str_neq(first, other);
    cr_expect_str_neq(first, "abcdefghijkl");
    bench_close(&b);
}

Test(draw, of_an_instance_is_the_same_for_a_seed)
{
    struct bench b;
    char first[DRAWN + 1], second[DRAWN + 1], other[DRAWN + 1];
    open_lots(&b);
    order_of(&b, "order=" MODULES "order-lottery.so", 7, first);
    order_of(&b, "order=" MODULES "order-lottery.so", 7, second);
    order_of(&b, "order=" MODULES "order-lottery.so", 8, other);
    cr_expect_str_eq(first, second);
    cr_expect_str_neq(first, other);
    bench_close(&b);
}

Test(draw, in_the_place_stage_is_the_same_for_a_seed)
{
    struct bench b;
    uint64_t digest[3];
    bench_open(&b, "16x8");
    for (int i = 0; i < 3; i++) {
        if (i == 0)
            bench_job(&b, "A", 0, 1, S(10), NULL);
        b.options.seed = i < 2 ? 3 : 4;
        expect_run(&b, "fifo:place=random");
        digest[i] = gy_session_outcome(b.session)->digest;
    }
    cr_expect_eq(digest[0], digest[1]);
    cr_expect_neq(digest[0], digest[2]);
    bench_close(&b);
}

/* ---- the host without a key to go by ---- */

Test(eviction, without_a_key_goes_by_the_priority_column)
{
    struct bench b;
    bench_open(&b, "1x1");
    bench_job(&b, "A", 0, 1, S(100), NULL);
    bench_job(&b, "B", S(5), 1, S(10), user_u);
    expect_run(&b, "evict=priority,backfill=skip"); /* equal priorities: nobody is stopped */
    expect_times(&b, "B", S(100), S(110));
    bench_close(&b);
}
