/* test_policy_load.c - loading modules, and policies from their texts: what works, and what is refused in
 * which words. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <unistd.h>

#include "policy_help.h"

/* ---- files ---- */

static void expect_refused(const char *file, gy_rc rc, const char *words)
{
    gy_module_file m;
    gy_err e = {0};
    gy_str path = {0};
    gy_str_printf(&path, MODULES "%s", file);
    cr_expect_eq(gy_module_open(&m, GY_STAGE_ORDER, path.s, &e), rc, "%s", file);
    expect_words(e.text, path.s); /* it names the file */
    expect_words(e.text, words);
    gy_str_fini(&path);
}

Test(module, of_another_interface_is_refused)
{
    expect_refused("order-wrong-abi.so", GY_EABI,
                   "built for version 2 of the policy interface, this is version 1; build it anew");
    expect_refused("order-short-table.so", GY_EABI, "its module table is too short");
}

Test(module, without_entry_or_table_is_refused)
{
    expect_refused("order-no-entry.so", GY_EABI, "it has no gy_policy_entry()");
    expect_refused("order-no-table.so", GY_EABI, "gy_policy_entry() returned nothing");
}

Test(module, with_a_broken_table_is_refused)
{
    static const struct {
        const char *file, *words;
    } cases[] = {
        {"order-bad-name.so", "its name is missing, or is not made of a-z, 0-9 and -"},
        {"order-no-name.so", "its name is missing"},
        {"order-bad-stage.so", "it belongs to a stage that this version does not know"},
        {"order-bad-class.so", "it declares a knowledge class that does not exist"},
        {"order-no-open.so", "it lacks open, close or the functions of its stage"},
        {"order-no-ops.so", "it lacks open, close or the functions of its stage"},
        {"order-no-summary.so", "it does not describe itself"},
        {"order-bad-default.so", "the default of its setting depth does not fit it"},
        {"order-no-help.so", "one of its settings has no name, default, unit or help"},
        {"order-bad-kind.so", "or an unknown kind"},
        {"order-four-lanes.so", "its key has more than three lanes"},
        {"order-no-key.so", "it has no key function"},
        {"order-wide-linear.so", "a linear key must have one or two lanes"},
        {"order-bad-change.so", "a change of keys that this version does not know"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refused(cases[i].file, GY_EABI, cases[i].words);
}

Test(module, of_another_stage_is_refused)
{
    expect_refused("place-modest.so", GY_EINVAL, "is a module of the place stage, not of order");
}

Test(module, that_is_no_file_is_refused)
{
    expect_refused("order-gone.so", GY_EIO, "cannot be opened");
    expect_refused("cmake_install.cmake", GY_EABI, "cannot be loaded as a policy module");
}

Test(module, that_does_not_want_to_start_says_why)
{
    struct bench b;
    bench_open(&b, "1x1");
    bench_job(&b, "A", 0, 1, S(1), NULL);
    cr_expect_eq(bench_run(&b, "order=" MODULES "order-refuses.so"), GY_EINVAL);
    expect_words(b.e.text, "policy module bad (order stage) cannot start: the moon is not full");
    bench_close(&b);
}

Test(module, is_found_by_its_name_in_any_stage)
{
    gy_module_file m;
    gy_err e = {0};
    cr_assert_eq(gy_module_open(&m, GY_STAGE_ORDER, "tiresias", &e), GY_OK, "%s", e.text);
    cr_expect_str_eq(m.table->name, "tiresias");
    gy_module_close(&m);
    cr_assert_eq(gy_module_open(&m, 0, "tiresias", &e), GY_OK, "%s", e.text);
    cr_expect_eq(m.table->stage, GY_STAGE_ORDER);
    gy_module_close(&m);
}

Test(module, of_the_folders_of_the_user_comes_first)
{
    gy_module_file m;
    gy_err e = {0};
    setenv("GPUYARD_POLICY_PATH", "/nowhere:" MODULES, 1);
    cr_assert_eq(gy_module_open(&m, GY_STAGE_ORDER, "aging", &e), GY_OK, "%s", e.text);
    gy_module_close(&m);
    unsetenv("GPUYARD_POLICY_PATH");
    cr_expect_eq(gy_module_open(&m, GY_STAGE_ORDER, "aging", &e), GY_EINVAL);
    expect_words(e.text, "there is no order module \"aging\"");
    cr_expect_eq(gy_module_open(&m, GY_STAGE_ORDER, "tiresia", &e), GY_EINVAL);
    expect_words(e.text, "did you mean tiresias?");
}

struct listing {
    unsigned n;
    uint32_t stage;
    char name[64];
    bool sorted;
};

static void see_module(void *ctx, uint32_t stage, const char *name, const char *path)
{
    struct listing *l = ctx;
    if (l->n++ && (stage < l->stage || (stage == l->stage && strcmp(name, l->name) <= 0)))
        l->sorted = false;
    l->stage = stage;
    snprintf(l->name, sizeof l->name, "%s", name);
    cr_expect_eq(access(path, R_OK), 0, "%s", path);
}

Test(modules, are_listed_by_stage_and_name)
{
    struct listing l = {.sorted = true};
    gy_modules_list(see_module, &l);
    cr_expect_gt(l.n, 20);
    cr_expect(l.sorted);
}

/* ---- policies ---- */

Test(presets, all_open)
{
    size_t i = 0;
    for (; gy_preset_name(i); i++) {
        gy_policy *p;
        gy_err e = {0};
        cr_assert_eq(gy_policy_open(&p, gy_preset_name(i), &e), GY_OK, "%s: %s", gy_preset_name(i), e.text);
        cr_expect_str_eq(p->preset, gy_preset_name(i));
        for (uint32_t k = 1; k < GY_STAGE_END; k++)
            if (p->stage[k].file.table)
                cr_expect_eq(p->stage[k].file.table->stage, k);
        gy_policy_close(p);
    }
    cr_expect_geq(i, 11);
}

static const char *module_of(const gy_policy *p, uint32_t stage)
{
    return p->stage[stage].file.table ? p->stage[stage].file.table->name : "none";
}

Test(spec, composes_stages_and_fills_the_others)
{
    gy_policy *p;
    gy_err e = {0};
    cr_assert_eq(gy_policy_open(&p, "order=srtf,backfill=skip,evict=srtf", &e), GY_OK, "%s", e.text);
    cr_expect_str_eq(p->preset, "");
    cr_expect_str_eq(module_of(p, GY_STAGE_ORDER), "srtf");
    cr_expect_str_eq(module_of(p, GY_STAGE_ADMIT), "quota"); /* where the cluster declares a quota */
    cr_expect(p->admit_where_quota);
    cr_expect_str_eq(module_of(p, GY_STAGE_PLACE), "pack");
    cr_expect_str_eq(module_of(p, GY_STAGE_EVICT), "srtf");
    cr_expect_str_eq(module_of(p, GY_STAGE_BACKFILL), "skip");
    cr_expect_str_eq(module_of(p, GY_STAGE_RESIZE), "none");
    cr_expect(p->stage[GY_STAGE_ORDER].given);
    cr_expect_not(p->stage[GY_STAGE_PLACE].given);
    cr_expect(gy_policy_is_oracle(p));
    gy_policy_close(p);
}

Test(spec, takes_presets_with_other_stages_and_settings)
{
    gy_policy *p;
    gy_err e = {0};
    cr_assert_eq(gy_policy_open(&p, "las:quantum_s=7.5,place=spread,admit=none", &e), GY_OK, "%s", e.text);
    cr_expect_str_eq(p->preset, "las");
    cr_expect_str_eq(module_of(p, GY_STAGE_PLACE), "spread");
    cr_expect_str_eq(module_of(p, GY_STAGE_ADMIT), "none");
    cr_expect_str_eq(module_of(p, GY_STAGE_EVICT), "priority");
    cr_expect_eq(p->stage[GY_STAGE_ORDER].values[0].number, S(7.5));
    cr_expect(p->stage[GY_STAGE_ORDER].values_given[0]);
    cr_expect_eq(p->knowledge, GY_K2_ATTAINED);
    gy_policy_close(p);
    cr_assert_eq(gy_policy_open(&p, "las", &e), GY_OK, "%s", e.text);
    cr_expect_eq(p->stage[GY_STAGE_ORDER].values[0].number, S(300));
    cr_expect_not(p->stage[GY_STAGE_ORDER].values_given[0]);
    gy_policy_close(p);
}

Test(spec, takes_a_setting_of_one_stage)
{
    gy_policy *p;
    gy_err e = {0};
    cr_assert_eq(gy_policy_open(&p, "srtf:evict=srtf,order.estimate=limit,evict.estimate=noisy:0.5", &e),
                 GY_OK, "%s", e.text);
    cr_expect_eq(p->stage[GY_STAGE_ORDER].estimator, GY_ESTIMATE_LIMIT);
    cr_expect_eq(p->stage[GY_STAGE_EVICT].estimator, GY_ESTIMATE_NOISY);
    cr_expect_eq(p->stage[GY_STAGE_EVICT].sigma_micro, 500000);
    gy_policy_close(p);
    cr_assert_eq(gy_policy_open(&p, "tiresias:order.thresholds=10|20.5|30", &e), GY_OK, "%s", e.text);
    cr_expect_eq(p->stage[GY_STAGE_ORDER].values[0].n, 3);
    cr_expect_eq(p->stage[GY_STAGE_ORDER].values[0].list[1], S(20.5));
    gy_policy_close(p);
}

Test(spec, takes_files)
{
    gy_policy *p;
    gy_err e = {0};
    cr_assert_eq(
        gy_policy_open(&p, "order=" MODULES "order-aging.so,weight_s=3,place=" SHIPPED "place-pack.so", &e),
        GY_OK, "%s", e.text);
    cr_expect_str_eq(module_of(p, GY_STAGE_ORDER), "aging");
    cr_expect_eq(p->stage[GY_STAGE_ORDER].values[0].number, S(3));
    gy_policy_close(p);
}

static void expect_no_policy(const char *spec, const char *words)
{
    gy_policy *p;
    gy_err e = {0};
    gy_rc rc = gy_policy_open(&p, spec, &e);
    cr_expect_eq(rc, GY_EINVAL, "%s: %d", spec, rc);
    expect_words(e.text, words);
    if (rc == GY_OK)
        gy_policy_close(p);
}

Test(spec, that_is_wrong_is_refused_with_a_suggestion)
{
    expect_no_policy("fifi", "there is no policy \"fifi\"; did you mean fifo?");
    expect_no_policy("", "the policy's name is empty");
    expect_no_policy("order=sjff", "there is no order module \"sjff\"; did you mean sjf?");
    expect_no_policy("las:quantum=5",
                     "has a setting \"quantum\"; did you mean quantum_s?; it takes: quantum_s");
    expect_no_policy("fifo:estimate=limit", "has a setting \"estimate\"");
    expect_no_policy("las:quantum_s=-1", "setting quantum_s: \"-1\" must lie between 0 and");
    expect_no_policy("las:quantum_s=soon", "setting quantum_s: \"soon\" is not a number");
    expect_no_policy("las:quantum_s", "\"quantum_s\" is not of the form key=value");
    expect_no_policy("las:place.quantum_s=1", "has a setting \"place.quantum_s\"");
    expect_no_policy("las:plaec.quantum_s=1", "has a setting \"plaec.quantum_s\"");
    expect_no_policy("order=fifo,order=sjf",
                     "order is given twice, as \"fifo\" and as \"sjf\"; leave one out");
    expect_no_policy("las:quantum_s=60,quantum_s=70", "quantum_s is given twice, as \"60\" and as \"70\"");
    expect_no_policy("sjf:estimate=limit,estimate=perfect", "estimate is given twice");
    expect_no_policy("las:quantum_s=0.5us", "setting quantum_s: \"0.5us\" is finer than a microsecond");
    expect_no_policy("order=none", "the order stage cannot be empty");
    expect_no_policy("place=none", "the place stage cannot be empty");
    expect_no_policy("sjf:estimate=noisy", "it must be limit, history, noisy:SIGMA or perfect");
    expect_no_policy("sjf:estimate=noisy:99", "must be a number between 0 and 10");
    expect_no_policy("order=" SHIPPED "place-pack.so", "is a module of the place stage, not of order");
}
