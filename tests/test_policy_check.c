/* test_policy_check.c - `gpuyard policy check`: all modules that come with gpuyard pass, and those that
 * misbehave fail by the name of their fault. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/wait.h>

#include "policy_help.h"

enum { PATIENCE_S = 900 }; /* for one test: under sanitizers, on a busy machine */

/* The exit code; what was printed, errors too, is appended to *out. */
static int run_check(const char *module, gy_str *out)
{
    gy_str command = {0};
    char buf[4096];
    size_t n;
    gy_str_printf(&command, GY_BINARY_DIR "/bin/gpuyard policy check %s 2>&1", module);
    FILE *f = popen(command.s, "r");
    cr_assert_not_null(f);
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        gy_str_add(out, buf, n);
    int status = pclose(f);
    gy_str_fini(&command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* "FAIL     keys       ..." */
static void expect_line(const char *out, const char *verdict, const char *check, const char *words)
{
    gy_str begin = {0};
    gy_str_printf(&begin, "%-8s %-10s ", verdict, check);
    const char *line = strstr(out, begin.s);
    cr_expect(line != NULL, "no line \"%s\" in:\n%s", begin.s, out);
    if (line) {
        gy_str one = {0};
        gy_str_add(&one, line, strcspn(line, "\n"));
        expect_words(one.s, words);
        gy_str_fini(&one);
    }
    gy_str_fini(&begin);
}

static void expect_verdict(const char *module, int code, const char *verdict, const char *check,
                           const char *words)
{
    gy_str out = {0}, path = {0};
    gy_str_printf(&path, MODULES "%s.so", module);
    int got = run_check(path.s, &out);
    cr_expect_eq(got, code, "%s: exit %d\n%s", module, got, out.s);
    expect_line(out.s, verdict, check, words);
    gy_str_fini(&out);
    gy_str_fini(&path);
}

static void expect_failure(const char *module, const char *check, const char *words)
{
    expect_verdict(module, 2, "FAIL", check, words);
}

/* ---- what comes with gpuyard ---- */

static void check_stage(const char *stage, unsigned least)
{
    DIR *d = opendir(SHIPPED);
    struct dirent *entry;
    unsigned n = 0;
    cr_assert_not_null(d);
    while ((entry = readdir(d)) != NULL) {
        if (strncmp(entry->d_name, stage, strlen(stage)) != 0)
            continue;
        gy_str out = {0}, path = {0};
        gy_str_printf(&path, SHIPPED "%s", entry->d_name);
        int code = run_check(path.s, &out);
        cr_expect_eq(code, 0, "%s: exit %d\n%s", entry->d_name, code, out.s);
        expect_line(out.s, "ok", "runs", "came to an end, verified after every instant");
        expect_words(out.s, " 0 failed\n");
        gy_str_fini(&out);
        gy_str_fini(&path);
        n++;
    }
    closedir(d);
    cr_expect_geq(n, least, "%u modules of %s", n, stage);
}

Test(shipped, orders_pass, .timeout = PATIENCE_S)
{
    check_stage("order-", 10);
}
Test(shipped, admissions_pass, .timeout = PATIENCE_S)
{
    check_stage("admit-", 1);
}
Test(shipped, placements_pass, .timeout = PATIENCE_S)
{
    check_stage("place-", 6);
}
Test(shipped, evictions_pass, .timeout = PATIENCE_S)
{
    check_stage("evict-", 2);
}
Test(shipped, backfills_pass, .timeout = PATIENCE_S)
{
    check_stage("backfill-", 4);
}
Test(shipped, resizers_pass, .timeout = PATIENCE_S)
{
    check_stage("resize-", 0);
}
Test(shipped, schedulers_pass, .timeout = PATIENCE_S)
{
    check_stage("schedule-", 1);
}

/* ---- what a file shows ---- */

Test(check, finds_what_a_file_asks_of_the_system, .timeout = PATIENCE_S)
{
#ifdef __SANITIZE_ADDRESS__
    expect_verdict("order-clock", 0, "warning", "symbols", "built with a sanitizer");
#else
    expect_failure("order-clock", "symbols", "it calls time (a clock)");
    expect_failure("order-leaves", "symbols", "it calls exit (the end of the program)");
#endif
}

Test(check, finds_what_a_file_shows_and_keeps, .timeout = PATIENCE_S)
{
    expect_failure("order-exports", "exports", "it exports more than gy_policy_entry(): test_module_extra");
    expect_failure("order-no-entry", "exports", "it does not export gy_policy_entry()");
#ifndef __SANITIZE_ADDRESS__
    expect_verdict("order-statics", 2, "warning", "data", "it has variables of its own (calls)");
#endif
}

Test(check, finds_broken_tables, .timeout = PATIENCE_S)
{
    expect_failure("order-wrong-abi", "table", "was built for version 2 of the policy interface");
    expect_failure("order-bad-default", "table", "the default of its setting depth does not fit it");
    expect_verdict("order-no-name", 2, "not run", "runs", "an earlier check failed");
}

/* ---- what it does ---- */

Test(check, survives_a_module_that_does_not, .timeout = PATIENCE_S)
{
    expect_failure("order-crashes", "runs", "scenario brief with backfill=strict: it crashes (");
    expect_failure("order-aborts", "runs", "it crashes (");
    expect_failure("order-leaves", "runs", "it ends the program with code 7");
    expect_failure("place-loops", "runs", "scenario brief with backfill=skip: it does not come back");
}

Test(check, finds_broken_rules, .timeout = PATIENCE_S)
{
    expect_failure("order-acts", "rules", "it tries to start a job outside its schedule or resize function");
    expect_failure("place-half", "rules", "left 1 of its");
    expect_failure("backfill-nonsense", "rules", "blocked() answered 7");
    expect_failure("schedule-open-trial", "rules", "it ended inside a dry run");
}

Test(check, finds_what_reads_too_much_or_declares_too_much, .timeout = PATIENCE_S)
{
    expect_failure("order-peeks", "knowledge",
                   "it reads the true length of a job (class K5) and declares class K0");
    expect_verdict("order-too-much", 0, "warning", "knowledge",
                   "it declares class K1 and read no fact of that class");
}

Test(check, finds_keys_that_are_not_as_declared, .timeout = PATIENCE_S)
{
    expect_failure("order-fickle", "keys", "gets two keys when asked twice at one moment");
    expect_failure("order-drifts", "keys", "it is declared as one that never changes");
    expect_failure("order-wrong-own", "keys", "changes only when the job starts, stops or has a timer");
    expect_failure("order-wrong-slope", "keys", "grows by its slope alone while the job runs");
    expect_failure("order-own-way", "keys", "declared as a key of the user alone");
}

Test(check, finds_claims_that_do_not_hold, .timeout = PATIENCE_S)
{
    expect_failure("place-lies", "places", "it declares GY_PLACE_COMPLETE");
    expect_failure("admit-lies", "admission", "it declares GY_ADMIT_BY_QUEUE");
    expect_verdict("admit-wavers", 0, "warning", "admission", "it changes its mind when asked twice");
}

Test(check, finds_state_that_instances_share, .timeout = PATIENCE_S)
{
    expect_failure("order-statics", "same", "decides otherwise than the first run");
}

Test(check, finds_who_never_starts_anything, .timeout = PATIENCE_S)
{
    expect_failure("schedule-never-starts", "runs", "no progress");
}

static void expect_good_order(const char *module)
{
    expect_verdict(module, 0, "ok", "keys", "keys change as declared, and only so");
}

Test(check, passes_keys_of_time_and_of_users, .timeout = PATIENCE_S)
{
    expect_good_order("order-aging");
    expect_good_order("order-fewest");
}

Test(check, passes_keys_of_random_numbers, .timeout = PATIENCE_S)
{
    expect_good_order("order-draws");
    expect_good_order("order-lottery");
}

Test(check, passes_keys_of_the_jobs_own_events, .timeout = PATIENCE_S)
{
    expect_good_order("order-demotes");
    expect_good_order("order-counts");
    expect_good_order("order-due");
}

Test(check, passes_modules_of_an_earlier_interface, .timeout = PATIENCE_S)
{
    expect_good_order("order-old-ops");
    expect_good_order("order-old-word");
}

Test(check, passes_modules_that_promise_little, .timeout = PATIENCE_S)
{
    expect_verdict("place-modest", 0, "ok", "places", "does not promise");
}

Test(check, passes_modules_that_act, .timeout = PATIENCE_S)
{
    expect_verdict("resize-grows", 0, "ok", "gpus", "gangs are whole");
    expect_verdict("resize-starts", 0, "ok", "gpus", "gangs are whole");
    expect_verdict("schedule-tries", 0, "ok", "rules", "every decision kept the rules");
    expect_verdict("schedule-beats", 0, "ok", "timers", "its timers keep no run alive");
}

/* ---- names ---- */

Test(check, takes_names_of_modules, .timeout = PATIENCE_S)
{
    gy_str out = {0};
    cr_expect_eq(run_check("backfill-skip", &out), 0);
    expect_line(out.s, "ok", "table", "skip, a module of the backfill stage, interface 1, class K0");
    out.n = 0;
    cr_expect_eq(run_check("backfill-skp", &out), 2);
    expect_words(out.s, "there is no module \"backfill-skp\"; did you mean backfill-skip?");
    out.n = 0;
    cr_expect_eq(run_check("./nothing.so", &out), 2);
    expect_words(out.s, "./nothing.so: cannot be opened");
    out.n = 0;
    cr_expect_eq(run_check(GY_SOURCE_DIR "/README.md", &out), 2);
    expect_line(out.s, "FAIL", "exports", "the file is no ELF file");
    gy_str_fini(&out);
}
