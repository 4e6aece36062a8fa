/* test_engine.c - the engine's parts against naive ones: heap, ordered sets, bits, rooms, the course of a
 * run. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_random.h"
#include "gy_sim_internal.h"

static gy_stream dice(uint64_t seed)
{
    return gy_stream_of(seed, GY_RANDOM_GENERATE, 1);
}

/* ---- heap ---- */

Test(heap, pops_by_time_then_kind_then_insertion)
{
    gy_heap h = {0};
    gy_heap_push(&h, 20, GY_HEAP_END, 1);
    gy_heap_push(&h, 10, GY_HEAP_TIMER, 2);
    gy_heap_push(&h, 10, GY_HEAP_END, 3);
    gy_heap_push(&h, 10, GY_HEAP_ELIGIBLE, 4);
    gy_heap_push(&h, 10, GY_HEAP_END, 5);
    static const uint32_t want[] = {3, 5, 4, 2, 1};
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(gy_heap_payload_of(gy_heap_pop(&h)), want[i], "pop %zu", i);
    gy_heap_fini(&h);
}

static int compare_events(const void *pa, const void *pb)
{
    const gy_heap_event *a = pa, *b = pb;
    if (a->t_us != b->t_us)
        return a->t_us < b->t_us ? -1 : 1;
    if (a->what >> 28 != b->what >> 28)
        return a->what >> 28 < b->what >> 28 ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

static bool is_even(const void *ctx, gy_heap_event e)
{
    (void)ctx;
    return gy_heap_payload_of(e) % 2 == 0;
}

Test(heap, is_a_sorted_list_also_after_a_sweep)
{
    gy_stream s = dice(1);
    for (int round = 0; round < 50; round++) {
        gy_heap h = {0};
        gy_heap_event list[300];
        size_t n = 1 + gy_stream_below(&s, 300), kept = 0;
        for (size_t i = 0; i < n; i++)
            gy_heap_push(&h, gy_stream_below(&s, 40), (enum gy_heap_kind)gy_stream_below(&s, 3), (uint32_t)i);
        for (size_t i = 0; i < n; i++)
            if (is_even(NULL, h.e[i]))
                list[kept++] = h.e[i];
        qsort(list, kept, sizeof *list, compare_events);
        gy_heap_sweep(&h, is_even, NULL);
        cr_assert_eq(h.n, kept);
        for (size_t i = 0; i < kept; i++)
            cr_assert_eq(gy_heap_pop(&h).order, list[i].order, "round %d, pop %zu", round, i);
        gy_heap_fini(&h);
    }
}

/* ---- bits ---- */

Test(bits, next_and_prev_are_those_of_a_plain_array)
{
    gy_stream s = dice(2);
    static const uint32_t sizes[] = {1, 63, 64, 65, 4096, 4097, 300000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint32_t n = sizes[k];
        uint64_t *words = calloc(gy_bits_words(n), sizeof *words);
        uint8_t *plain = calloc(n, 1);
        gy_bits b;
        gy_bits_init(&b, n, words);
        for (uint32_t step = 0; step < 400; step++) {
            uint32_t i = gy_stream_below(&s, n), next = i, prev = i;
            if (plain[i])
                gy_bits_remove(&b, i);
            else
                gy_bits_add(&b, i);
            plain[i] ^= 1;
            i = gy_stream_below(&s, n);
            for (next = i; next < n && !plain[next];)
                next++;
            for (prev = i; prev != UINT32_MAX && !plain[prev];)
                prev--;
            cr_assert_eq(gy_bits_next(&b, i), next < n ? next : GY_BITS_NONE, "next %u of %u", i, n);
            cr_assert_eq(gy_bits_prev(&b, i), prev, "prev %u of %u", i, n);
        }
        free(words);
        free(plain);
    }
}

/* ---- ordered sets ---- */

struct member {
    int64_t key[3];
    uint32_t id;
    int64_t aux;
    bool in;
};

static int compare_members(const struct member *a, const int64_t *key, uint32_t id, unsigned lanes)
{
    for (unsigned l = 0; l < lanes; l++)
        if (a->key[l] != key[l])
            return a->key[l] < key[l] ? -1 : 1;
    return (a->id > id) - (a->id < id);
}

/* The naive answers: a scan for each. */
static const struct member *naive_after(const struct member *m, size_t n, unsigned lanes, const int64_t *key,
                                        uint32_t id, int64_t most)
{
    const struct member *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (m[i].in && m[i].aux <= most && compare_members(&m[i], key, id, lanes) > 0 &&
            (!best || compare_members(best, m[i].key, m[i].id, lanes) > 0))
            best = &m[i];
    return best;
}

static void check_set(const gy_oset *set, const gy_oset_pool *pool, const struct member *m, size_t n,
                      gy_stream *s)
{
    const struct member *at = &m[gy_stream_below(s, (uint32_t)n)], *want;
    gy_oset_item it;
    int64_t sum = 0, most = gy_stream_below(s, 100);
    want = naive_after(m, n, pool->lanes, at->key, at->id, INT64_MAX);
    cr_assert_eq(gy_oset_after(set, pool, at->key, at->id, &it), want != NULL);
    cr_assert(!want || it.id == want->id);
    want = naive_after(m, n, pool->lanes, at->key, at->id, most);
    cr_assert_eq(gy_oset_least(set, pool, at->key, at->id, most, &it), want != NULL);
    cr_assert(!want || (it.id == want->id && it.aux == want->aux));
    for (size_t i = 0; i < n; i++)
        sum += m[i].in && compare_members(&m[i], at->key, at->id, pool->lanes) > 0 ? m[i].aux : 0;
    cr_assert_eq(gy_oset_sum_after(set, pool, at->key, at->id), sum);
    const struct member *before = NULL;
    for (size_t i = 0; i < n; i++)
        if (m[i].in && compare_members(&m[i], at->key, at->id, pool->lanes) < 0 &&
            (!before || compare_members(&m[i], before->key, before->id, pool->lanes) > 0))
            before = &m[i];
    cr_assert_eq(gy_oset_before(set, pool, at->key, at->id, &it), before != NULL);
    cr_assert(!before || it.id == before->id);
}

Test(oset, answers_like_a_plain_list_whatever_the_keys)
{
    enum { N = 400 };
    for (unsigned lanes = 0; lanes <= 3; lanes++) {
        struct member m[N] = {0};
        gy_oset_pool pool = {.lanes = lanes};
        gy_oset set = {0};
        gy_stream s = dice(10 + lanes);
        for (uint32_t i = 0; i < N; i++)
            m[i] =
                (struct member){{gy_stream_below(&s, 9) - 4, gy_stream_below(&s, 3), gy_stream_below(&s, 3)},
                                i,
                                gy_stream_below(&s, 100),
                                false};
        for (int step = 0; step < 8000; step++) {
            struct member *x = &m[gy_stream_below(&s, N)];
            if (x->in)
                gy_oset_remove(&set, &pool, x->key, x->id);
            else
                gy_oset_add(&set, &pool, x->key, x->id, x->aux);
            x->in = !x->in;
            if (step % 8 == 0)
                check_set(&set, &pool, m, N, &s);
        }
        gy_oset_clear(&set, &pool);
        cr_expect_eq(set.n, 0);
        gy_oset_pool_fini(&pool);
    }
}

Test(oset, finds_where_a_sum_is_reached)
{
    gy_oset_pool pool = {.lanes = 1};
    gy_oset set = {0};
    gy_oset_item it;
    for (uint32_t i = 0; i < 1000; i++)
        gy_oset_add(&set, &pool, &(int64_t){i * 10}, i, 3);
    cr_expect_eq(gy_oset_sum(&set), 3000);
    cr_assert(gy_oset_reach(&set, &pool, 1, &it));
    cr_expect_eq(it.id, 0);
    cr_assert(gy_oset_reach(&set, &pool, 3000, &it));
    cr_expect_eq(it.id, 999);
    cr_assert(gy_oset_reach(&set, &pool, 1501, &it));
    cr_expect_eq(it.id, 500);
    cr_expect_not(gy_oset_reach(&set, &pool, 3001, &it));
    gy_oset_pool_fini(&pool);
}

/* ---- rooms ---- */

static gy_cluster *cluster(const char *spec)
{
    gy_cluster *c;
    gy_err e;
    cr_assert_eq(gy_cluster_load(&c, spec, &e), GY_OK, "%s", e.text);
    return c;
}

static gy_demand gang(uint32_t units, uint32_t unit_gpus)
{
    return (gy_demand){.units = units,
                       .unit_gpus = unit_gpus,
                       .gpus_milli = 1000 * units * unit_gpus,
                       .types = UINT64_MAX,
                       .untyped = true};
}

struct naive {
    uint32_t free[64], closed[64], n;
};

static uint32_t naive_hold(const struct naive *x, const gy_demand *d, uint32_t node)
{
    uint32_t k = x->closed[node] ? 0 : x->free[node] / d->unit_gpus;
    return k < d->units ? k : d->units;
}

static void check_searches(const gy_room *r, const struct naive *x, const gy_demand *d, uint32_t units)
{
    uint32_t tightest = GY_NONE, first = GY_NONE, roomiest = GY_NONE;
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t k = naive_hold(x, d, i);
        if (k >= units && (tightest == GY_NONE || x->free[i] < x->free[tightest]))
            tightest = i;
        if (k >= units && first == GY_NONE)
            first = i;
        if (k > 0 && (roomiest == GY_NONE || k > naive_hold(x, d, roomiest)))
            roomiest = i;
        cr_assert_eq(gy_room_can_hold(r, d, i), k);
    }
    cr_assert_eq(gy_room_tightest(r, d, 0, units), tightest);
    cr_assert_eq(gy_room_first(r, d, 0, units, 0), first);
    cr_assert_eq(gy_room_roomiest(r, d, 0), roomiest);
}

/* Mixed node sizes make several pools; closed nodes and tasks are among the trials. */
Test(room, searches_like_a_scan_over_all_nodes)
{
    gy_cluster *c = cluster("20x8+10x4+3x16");
    gy_layout *l = gy_layout_create(c);
    gy_room *r = gy_room_create(l, true, false);
    struct naive x = {.n = c->nnodes};
    gy_stream s = dice(3);
    for (uint32_t i = 0; i < x.n; i++)
        x.free[i] = c->node_types[c->nodes[i].type].gpus;
    gy_hold held[400];
    gy_demand demand[400];
    uint32_t nheld = 0;
    for (int step = 0; step < 20000; step++) {
        gy_demand d = gang(1 + gy_stream_below(&s, 16), 1 + gy_stream_below(&s, 3));
        check_searches(r, &x, &d, 1 + gy_stream_below(&s, d.units));
        uint32_t node = gy_stream_below(&s, x.n), units = naive_hold(&x, &d, node),
                 what = gy_stream_below(&s, 8);
        if (what == 0) {
            x.closed[node] ? gy_room_open(r, node) : gy_room_close(r, node);
            x.closed[node] ^= 1;
        } else if (what < 5 && units && nheld < 400) {
            demand[nheld] = d;
            cr_assert_eq(gy_room_claim(r, &d, node, units, &held[nheld]), 1);
            cr_assert_eq((uint32_t)__builtin_popcountll(held[nheld].mask), units * d.unit_gpus);
            x.free[node] -= units * d.unit_gpus;
            nheld++;
        } else if (nheld) {
            uint32_t k = gy_stream_below(&s, nheld);
            gy_room_give(r, &demand[k], &held[k], 1);
            x.free[held[k].node] += held[k].gpus;
            held[k] = held[--nheld];
            demand[k] = demand[nheld];
        }
    }
    gy_room_free(r);
    gy_layout_free(l);
    gy_cluster_free(c);
}

Test(room, wide_nodes_have_masks_of_several_words)
{
    gy_cluster *c = cluster("2x192");
    gy_layout *l = gy_layout_create(c);
    gy_room *r = gy_room_create(l, true, false);
    gy_demand d = gang(130, 1);
    gy_hold h[8];
    uint32_t n = gy_room_claim(r, &d, 0, 130, h);
    cr_assert_eq(n, 3);
    cr_expect_eq(h[0].gpus + h[1].gpus + h[2].gpus, 130);
    cr_expect(h[0].units == 130 && h[1].units == 0 && h[2].units == 0);
    cr_expect_eq(gy_room_can_hold(r, &d, 0), 62);
    gy_room_give(r, &d, h, n);
    cr_expect_eq(gy_room_can_hold(r, &d, 0), 130);
    gy_room_free(r);
    gy_layout_free(l);
    gy_cluster_free(c);
}

/* ---- the course of a run ---- */

/* Microsecond by microsecond: start pause, then work with a pause after each interval, none at the end. */
struct walk {
    int64_t work, saved, overhead, end;
};

static struct walk walk_until(int64_t total, int64_t kept, int64_t pause, int64_t interval, int64_t cost,
                              int64_t until)
{
    struct walk w = {kept, kept, 0, -1};
    int64_t since = 0;
    for (int64_t t = 0;; t++) {
        if (w.work == total) {
            w.end = t;
            return w;
        }
        if (t == until)
            return w;
        if (t < pause) {
            w.overhead++;
        } else if (since == interval && cost > 0) { /* a pause of `cost`, then saved */
            for (int64_t k = 0; k < cost; k++, t++) {
                if (t == until)
                    return w;
                w.overhead++;
            }
            w.saved = w.work;
            since = 0;
            t--;
            continue;
        } else {
            w.work++;
            since++;
            if (since == interval && cost == 0 && w.work < total) {
                w.saved = w.work;
                since = 0;
            }
        }
    }
}

Test(run, closed_form_is_a_walk_microsecond_by_microsecond)
{
    gy_stream s = dice(5);
    for (int round = 0; round < 3000; round++) {
        int64_t total = 1 + gy_stream_below(&s, 60), kept = gy_stream_below(&s, (uint32_t)total);
        int64_t interval = 1 + gy_stream_below(&s, 20), cost = gy_stream_below(&s, 5),
                pause = gy_stream_below(&s, 6);
        int64_t duration = total, checkpoint = interval;
        uint8_t state = 0;
        gy_jobs jobs = {.n = 1, .duration_us = &duration, .checkpoint_us = &checkpoint, .log_state = &state};
        gy_sim sim = {.jobs = &jobs, .opt = {.checkpoint_cost_us = cost}};
        gy_run r = {
            .job = 0, .num = 1, .den = 1, .seg_us = 100, .pause_us = pause, .work0 = kept, .save0 = kept};
        struct walk whole = walk_until(total, kept, pause, interval, cost, INT64_MAX);
        cr_assert_eq(gy_run_end(&sim, &r), 100 + whole.end,
                     "end: total %ld kept %ld every %ld cost %ld pause %ld", (long)total, (long)kept,
                     (long)interval, (long)cost, (long)pause);
        for (int64_t t = 0; t < whole.end; t++) {
            struct walk w = walk_until(total, kept, pause, interval, cost, t);
            gy_progress p = gy_run_at(&sim, &r, 100 + t);
            cr_assert(p.work == w.work && p.saved == w.saved && p.overhead_us == w.overhead,
                      "at %ld of %ld: work %ld/%ld saved %ld/%ld overhead %ld/%ld (every %ld cost %ld pause "
                      "%ld kept %ld)",
                      (long)t, (long)whole.end, (long)p.work, (long)w.work, (long)p.saved, (long)w.saved,
                      (long)p.overhead_us, (long)w.overhead, (long)interval, (long)cost, (long)pause,
                      (long)kept);
        }
    }
}

/* ---- the job table ---- */

static gy_slice text(const char *s)
{
    return (gy_slice){s, strlen(s)};
}

static gy_rc add(gy_jobs *t, const char *id, int64_t submit_us, const char *after, gy_err *e)
{
    gy_job_row r;
    gy_job_row_init(&r);
    r.id = text(id);
    r.submit_us = submit_us;
    r.gpus_milli = 1000;
    r.duration_us = 5;
    r.after = text(after);
    return gy_jobs_add(t, &r, t->n + 2, e);
}

Test(jobs, are_sorted_by_submission_then_number_then_bytes)
{
    static const char *const ids[] = {"b", "10", "9", "a", "007", "7", "123456789012345678901234567890", "0"};
    static const char *const want[] = {"0", "007", "7", "9", "10", "123456789012345678901234567890",
                                       "a", "b"};
    gy_jobs *t = gy_jobs_create("t.csv");
    gy_err e;
    for (size_t i = 0; i < 8; i++)
        cr_assert_eq(add(t, ids[i], 1, "", &e), GY_OK);
    cr_assert_eq(add(t, "first", 0, "", &e), GY_OK);
    cr_assert_eq(gy_jobs_finish(t, 0, &e), GY_OK, "%s", e.text);
    char buf[24];
    cr_expect_str_eq(gy_job_id_text(t, 0, buf), "first");
    for (uint32_t j = 0; j < 8; j++)
        cr_expect_str_eq(gy_job_id_text(t, j + 1, buf), want[j]);
    gy_jobs_free(t);
}

Test(jobs, dependencies_find_their_jobs_or_say_which_is_wrong)
{
    static const struct {
        const char *a, *b, *word; /* `after` of jobs a and b; word: in the error, NULL: fine */
    } rows[] = {
        {"", "a", NULL}, {"b", "a", "circle"}, {"a", "", "circle"}, {"x", "", "\"x\""}, {"b;b", "", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_jobs *t = gy_jobs_create("t.csv");
        gy_err e = {0};
        cr_assert_eq(add(t, "a", 5, rows[i].a, &e), GY_OK);
        cr_assert_eq(add(t, "b", 0, rows[i].b, &e), GY_OK);
        gy_rc rc = gy_jobs_finish(t, 0, &e);
        cr_expect_eq(rc, rows[i].word ? GY_EPARSE : GY_OK, "row %zu: %s", i, e.text);
        cr_expect(!rows[i].word || strstr(e.text, rows[i].word), "row %zu: %s", i, e.text);
        gy_jobs_free(t);
    }
}

Test(jobs, tie_seeds_permute_equal_submissions_alone)
{
    gy_jobs *t[3];
    gy_err e;
    for (int k = 0; k < 3; k++) {
        t[k] = gy_jobs_create("t.csv");
        for (int i = 0; i < 100; i++) {
            char id[16];
            snprintf(id, sizeof id, "%d", i);
            cr_assert_eq(add(t[k], id, i / 50, "", &e), GY_OK);
        }
        cr_assert_eq(gy_jobs_finish(t[k], k == 0 ? 0 : 7, &e), GY_OK);
    }
    unsigned same = 0;
    for (uint32_t j = 0; j < 100; j++) {
        cr_assert_eq(t[1]->submit_us[j], t[0]->submit_us[j]);
        cr_assert_eq(t[1]->id[j], t[2]->id[j], "one seed, one order");
        same += t[1]->id[j] == t[0]->id[j];
    }
    cr_expect_lt(same, 20, "%u of 100 jobs are where they were", same);
    for (int k = 0; k < 3; k++)
        gy_jobs_free(t[k]);
}
