/* test_policy_abi.c - the interface stays what it is: layouts, and how old and new sides get along.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * If a number here no longer holds, modules that were built before would read wrong bytes: append members
 * instead, or count GY_POLICY_ABI up.
 */
#include "policy_help.h"

/* ---- layouts (64-bit machines) ---- */

#define AT(type, member, offset)                                                                             \
    cr_expect_eq(offsetof(type, member), (size_t)(offset),                                                   \
                 #type "." #member " is at %zu: if this breaks, bump the ABI", offsetof(type, member))
#define AT_LEAST(type, size)                                                                                 \
    cr_expect_geq(sizeof(type), (size_t)(size), #type " has shrunk: if this breaks, bump the ABI")
#define EXACTLY(type, size)                                                                                  \
    cr_expect_eq(sizeof(type), (size_t)(size), #type " is passed without its size: bump the ABI")

Test(layout, of_facts_is_pinned)
{
    AT(gy_job_info, submit_us, 0);
    AT(gy_job_info, eligible_us, 8);
    AT(gy_job_info, gpus_milli, 16);
    AT(gy_job_info, tasks, 20);
    AT(gy_job_info, min_gpus, 24);
    AT(gy_job_info, max_gpus, 28);
    AT(gy_job_info, user, 32);
    AT(gy_job_info, group, 36);
    AT(gy_job_info, queue, 40);
    AT(gy_job_info, shape, 44);
    AT(gy_job_info, flags, 48);
    AT(gy_job_info, stops, 52);
    AT(gy_job_info, priority, 56);
    AT(gy_job_info, cpus_micro, 64);
    AT(gy_job_info, mem_micro, 72);
    AT(gy_job_info, gpu_mem_micro, 80);
    AT_LEAST(gy_job_info, 88);
    AT(gy_attained, held_us, 0);
    AT(gy_attained, work_us, 8);
    AT(gy_attained, gpu_time_high, 16);
    AT(gy_attained, gpu_time_low, 24);
    AT_LEAST(gy_attained, 32);
    AT(gy_totals, nodes, 0);
    AT(gy_totals, waiting, 4);
    AT(gy_totals, running, 8);
    AT(gy_totals, users, 12);
    AT(gy_totals, groups, 16);
    AT(gy_totals, queues, 20);
    AT(gy_totals, gpus_milli, 24);
    AT(gy_totals, cpus_micro, 32);
    AT(gy_totals, mem_micro, 40);
    AT(gy_totals, gpus_up_milli, 48);
    AT(gy_totals, gpus_free_milli, 56);
    AT_LEAST(gy_totals, 64);
}

Test(layout, of_nodes_queues_and_users_is_pinned)
{
    AT(gy_node_info, gpus, 0);
    AT(gy_node_info, free, 4);
    AT(gy_node_info, gpu_type, 8);
    AT(gy_node_info, queue, 12);
    AT(gy_node_info, nvlink, 16);
    AT(gy_node_info, leaf, 20);
    AT(gy_node_info, pod, 24);
    AT(gy_node_info, up, 28);
    AT(gy_node_info, cpus_micro, 32);
    AT(gy_node_info, cpus_free_micro, 40);
    AT(gy_node_info, mem_micro, 48);
    AT(gy_node_info, mem_free_micro, 56);
    AT_LEAST(gy_node_info, 64);
    AT(gy_queue_info, quota_milli, 0);
    AT(gy_queue_info, quota_max_milli, 8);
    AT(gy_queue_info, held_milli, 16);
    AT(gy_queue_info, weight_micro, 24);
    AT(gy_queue_info, waiting, 32);
    AT(gy_queue_info, running, 36);
    AT_LEAST(gy_queue_info, 40);
    AT(gy_user_info, held_milli, 0);
    AT(gy_user_info, held_cpus_micro, 8);
    AT(gy_user_info, held_mem_micro, 16);
    AT(gy_user_info, waiting, 24);
    AT(gy_user_info, running, 28);
    AT_LEAST(gy_user_info, 32);
}

/* These carry no size of their own, so they cannot grow at all. */
Test(layout, of_plain_values_is_pinned)
{
    EXACTLY(gy_key, 32);
    AT(gy_key, slope, 24);
    EXACTLY(gy_piece, 8);
    EXACTLY(gy_request, 16);
    AT(gy_request, units, 4);
    AT(gy_request, unit_milli, 8);
    AT(gy_request, shape, 12);
    EXACTLY(gy_setting, 56);
    AT(gy_setting, kind, 8);
    AT(gy_setting, value, 16);
    AT(gy_setting, unit, 24);
    AT(gy_setting, help, 32);
    AT(gy_setting, least, 40);
    AT(gy_setting, most, 48);
    EXACTLY(gy_value, 32);
    AT(gy_value, text, 8);
    AT(gy_value, list, 16);
    AT(gy_value, n, 24);
}

Test(layout, of_the_host_is_pinned)
{
    size_t at = 8;
#define NEXT(member)                                                                                         \
    AT(gy_host, member, at);                                                                                 \
    at += sizeof(void *)
    AT(gy_host, abi, 0);
    AT(gy_host, size, 4);
    NEXT(now_us);
    NEXT(job);
    NEXT(totals);
    NEXT(node);
    NEXT(queue);
    NEXT(user);
    NEXT(name);
    NEXT(next_waiting);
    NEXT(next_running);
    NEXT(limit_us);
    NEXT(deadline_us);
    NEXT(attained);
    NEXT(estimate_us);
    NEXT(length_us);
    NEXT(recorded);
    NEXT(draw);
    NEXT(draw_job);
    NEXT(wake);
    NEXT(wake_job);
    NEXT(explain);
    NEXT(note);
    NEXT(hold);
    NEXT(free);
    NEXT(first);
    NEXT(tightest);
    NEXT(roomiest);
    NEXT(count);
    NEXT(nth);
    NEXT(take);
    NEXT(space_draw);
    NEXT(next_victim);
    NEXT(stop_victim);
    NEXT(spare_victim);
    NEXT(fits);
    NEXT(start);
    NEXT(stop);
    NEXT(resize);
    NEXT(migrate);
    NEXT(start_recorded);
    NEXT(reject);
    NEXT(try_begin);
    NEXT(try_end);
    cr_expect_geq(sizeof(gy_host), at);
}

Test(layout, of_stages_and_modules_is_pinned)
{
    AT(gy_order_ops, lanes, 4);
    AT(gy_order_ops, change, 8);
    AT(gy_order_ops, slope_kind, 12);
    AT(gy_order_ops, key, 16);
    AT(gy_order_ops, next_look, 24);
    AT(gy_admit_ops, admit, 8);
    AT(gy_admit_ops, feasible, 16);
    AT(gy_place_ops, place, 8);
    AT(gy_evict_ops, lanes, 4);
    AT(gy_evict_ops, key, 16);
    AT(gy_evict_ops, select, 24);
    AT(gy_backfill_ops, blocked, 8);
    AT(gy_resize_ops, resize, 8);
    AT(gy_schedule_ops, schedule, 8);
    AT(gy_notify, submit, 8);
    AT(gy_notify, start, 16);
    AT(gy_notify, stop, 24);
    AT(gy_notify, end, 32);
    AT(gy_notify, node, 40);
    AT(gy_notify, quota, 48);
    AT(gy_notify, timer, 56);
    AT(gy_module, abi, 0);
    AT(gy_module, size, 4);
    AT(gy_module, name, 8);
    AT(gy_module, stage, 16);
    AT(gy_module, knowledge, 20);
    AT(gy_module, flags, 24);
    AT(gy_module, nsettings, 28);
    AT(gy_module, settings, 32);
    AT(gy_module, summary, 40);
    AT(gy_module, source, 48);
    AT(gy_module, complexity, 56);
    AT(gy_module, deviations, 64);
    AT(gy_module, open, 72);
    AT(gy_module, close, 80);
    AT(gy_module, notify, 88);
    AT(gy_module, ops, 96);
}

Test(numbers, of_the_interface_are_pinned)
{
    const int got[] = {GY_POLICY_ABI,      GY_STAGE_ORDER,     GY_STAGE_ADMIT,      GY_STAGE_PLACE,
                       GY_STAGE_EVICT,     GY_STAGE_BACKFILL,  GY_STAGE_RESIZE,     GY_STAGE_SCHEDULE,
                       GY_K0_REQUEST,      GY_K5_ORACLE,       GY_KEY_NEVER,        GY_KEY_OWN,
                       GY_KEY_LINEAR,      GY_KEY_USER,        GY_KEY_TIME,         GY_SLOPE_WORK,
                       GY_WAITS_RESOURCES, GY_WAITS_POLICY,    GY_STOP_KILL,        GY_BLOCKED_STOP,
                       GY_BLOCKED_SKIP,    GY_BLOCKED_RESERVE, GY_BLOCKED_REST,     GY_USES_ESTIMATES,
                       GY_WANTS_PERFECT,   GY_PLACE_COMPLETE,  GY_ADMIT_BY_QUEUE,   GY_PLANS,
                       GY_SETTING_INT,     GY_SETTING_TIME,    GY_SETTING_DECIMALS, GY_END_TIMEOUT};
    const int want[] = {1, 1, 2, 3, 4, 5, 6,  7, 0, 5, 0, 1,  2, 3, 4, 1,
                        1, 5, 2, 0, 1, 2, 16, 1, 2, 4, 8, 16, 0, 1, 6, 4};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++)
        cr_expect_eq(got[i], want[i], "number %zu is %d and was %d: if this breaks, bump the ABI", i, got[i],
                     want[i]);
}

/* ---- old and new ---- */

static void priority_1(gy_job_row *row)
{
    row->priority = 1;
}

static void open_two(struct bench *b)
{
    bench_open(b, "1x8");
    bench_job(b, "A", 0, 4, S(5), NULL);
    bench_job(b, "B", 0, 4, S(5), priority_1);
}

/* Modules whose tables end before members that may be missing: the host looks no further. */
Test(growth, of_the_tables_of_modules_leaves_old_ones_alone)
{
    struct bench b;
    open_two(&b);
    expect_run(&b, "order=" MODULES "order-old-word.so");
    expect_times(&b, "B", 0, S(5));
    expect_run(&b, "order=" MODULES "order-old-ops.so");
    expect_times(&b, "B", 0, S(5));
    bench_close(&b);
}

/* A host's table as a module gets it: larger, or cut short.  The setting before the module's own leads here.
 */
struct other_host {
    const gy_module *module;
    gy_module table;
    gy_value values[8];
    const gy_value *given;
    uint32_t size;
    struct {
        gy_host host;
        void *more[32];
    } grown;
};

static int open_with(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct other_host *x = (struct other_host *)(uintptr_t)values[0].text;
    x->grown.host = *host;
    x->grown.host.size = x->size;
    memset((char *)&x->grown + x->size, 0, sizeof x->grown - x->size);
    return x->module->open(self, &x->grown.host, x->given, error, size);
}

static void run_with_host(struct bench *b, const char *spec, struct other_host *x)
{
    bench_forget(b);
    if (!b->jobs->finished)
        cr_assert_eq(gy_jobs_finish(b->jobs, 0, &b->e), GY_OK);
    cr_assert_eq(gy_policy_open(&b->policy, spec, &b->e), GY_OK, "%s", b->e.text);
    gy_policy_stage *st = &b->policy->stage[GY_STAGE_SCHEDULE];
    x->module = st->file.table;
    x->given = st->values;
    x->table = *x->module;
    x->table.open = open_with;
    x->table.size = sizeof x->table + 64; /* a module of a later version */
    x->values[0].text = (const char *)x;
    st->file.table = &x->table;
    st->values = x->values;
    gy_rc rc = gy_session_create(&b->session, b->policy, b->jobs, b->cluster, NULL, &b->options, &b->e);
    cr_assert_eq(rc, GY_OK, "%s", b->e.text);
    rc = gy_session_run(b->session, &b->e);
    cr_assert_eq(rc, GY_OK, "%s", b->e.text);
    st->file.table = x->module;
    st->values = (gy_value *)(uintptr_t)x->given;
}

Test(growth, of_the_host_leaves_modules_alone)
{
    struct bench b;
    struct other_host x = {.size = sizeof x.grown};
    open_two(&b);
    run_with_host(&b, "schedule=" MODULES "schedule-careful.so", &x);
    /* It rejects A, as it likes to. */
    cr_expect_eq(gy_session_outcome(b.session)->state[job_named(&b, "A")], GY_STATE_INFEASIBLE);
    expect_times(&b, "B", 0, S(5));
    bench_close(&b);
}

/* GY_HAS(host, reject) is false there, and the module does without. */
Test(growth, of_the_host_can_be_asked_for)
{
    struct bench b;
    struct other_host x = {.size = offsetof(gy_host, reject)};
    open_two(&b);
    run_with_host(&b, "schedule=" MODULES "schedule-careful.so", &x);
    expect_times(&b, "A", 0, S(5));
    expect_times(&b, "B", 0, S(5));
    bench_close(&b);
}

/* A module that knows less of a table gets less, one that knows more gets zeros behind what the host knows.
 */
Test(growth, of_facts_is_seen_through_their_size)
{
    struct bench b;
    open_two(&b);
    expect_run(&b, "schedule=" MODULES "schedule-sizes.so");
    expect_words(b.log.s, "0 note - sizes are kept\n");
    bench_close(&b);
}
