/* test_policy_new.c - `gpuyard policy new`: every template builds without a warning, passes `policy check`
 * and runs beside another policy; nothing is ever overwritten. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "policy_help.h"

/* A shell's exit code; what it printed is appended to *out. */
static int run_shell(const char *command, gy_str *out)
{
    char buf[4096];
    size_t n;
    gy_str both = {0};
    gy_str_printf(&both, "( %s ) 2>&1", command);
    FILE *f = popen(both.s, "r");
    cr_assert_not_null(f);
    while ((n = fread(buf, 1, sizeof buf, f)) > 0)
        gy_str_add(out, buf, n);
    int status = pclose(f);
    gy_str_fini(&both);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void enter_folder(char folder[64])
{
    strcpy(folder, "/tmp/gpuyard-new-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static void leave_folder(const char *folder)
{
    gy_str command = {0}, out = {0};
    gy_str_printf(&command, "rm -r %s", folder);
    cr_assert_eq(chdir("/"), 0);
    cr_expect_eq(run_shell(command.s, &out), 0, "%s", out.n ? out.s : "");
    gy_str_fini(&command);
    gy_str_fini(&out);
}

static void expect_shell(const char *command, int code, gy_str *out)
{
    out->n = 0;
    int got = run_shell(command, out);
    cr_expect_eq(got, code, "%s: exit %d\n%s", command, got, out->n ? out->s : "");
}

/* The command lines that were printed, each as it stands; compilers' warnings are errors. */
static void follow(char *printed, gy_str *out)
{
    char *line = strchr(printed, '\n');
    unsigned n = 0;
    cr_assert_not_null(line);
    for (line = strtok(line + 1, "\n"); line; line = strtok(NULL, "\n"), n++) {
        expect_shell(line, 0, out);
        if (n == 1) {
            expect_words(out->s, " 0 failed");
            cr_expect(strstr(out->s, "warning") == NULL || strstr(out->s, " 0 warnings") != NULL, "%s",
                      out->s);
        }
        if (n == 3)
            expect_words(out->s, "report: x-module/out/report.html");
    }
    cr_expect_eq(n, 4);
}

static void try_template(const char *stage)
{
    char folder[64];
    gy_str out = {0}, command = {0}, printed = {0};
    struct stat st;
    enter_folder(folder);
    setenv("CFLAGS", "-Werror -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes", 1);
    setenv("CMAKE_GENERATOR", "Unix Makefiles", 1);
    gy_str_printf(&command, GY_BINARY_DIR "/bin/gpuyard policy new x-module %s", stage);
    expect_shell(command.s, 0, &printed);
    follow(printed.s, &out);
    command.n = 0;
    gy_str_printf(&command, "x-module/%s-x-module.c", stage);
    cr_expect_eq(stat(command.s, &st), 0);
    expect_shell("grep -c . x-module/README.md", 0, &out);
    cr_expect_str_eq(out.s, "5\n");
    expect_shell("grep -l @ x-module/*.c x-module/*.txt x-module/README.md", 1,
                 &out); /* no word was left out */
    leave_folder(folder);
    gy_str_fini(&out);
    gy_str_fini(&command);
    gy_str_fini(&printed);
}

Test(template, of_order_works, .timeout = 280)
{
    try_template("order");
}
Test(template, of_admit_works, .timeout = 280)
{
    try_template("admit");
}
Test(template, of_place_works, .timeout = 280)
{
    try_template("place");
}
Test(template, of_evict_works, .timeout = 280)
{
    try_template("evict");
}
Test(template, of_backfill_works, .timeout = 280)
{
    try_template("backfill");
}
Test(template, of_resize_works, .timeout = 280)
{
    try_template("resize");
}
Test(template, of_schedule_works, .timeout = 280)
{
    try_template("schedule");
}

Test(new, overwrites_nothing)
{
    char folder[64];
    gy_str out = {0};
    enter_folder(folder);
    expect_shell("mkdir mine && echo precious > mine/order-mine.c && " GY_BINARY_DIR
                 "/bin/gpuyard policy new mine",
                 2, &out);
    expect_words(out.s, "mine exists already, and nothing was written; choose another name");
    expect_shell("cat mine/* && ls mine", 0, &out);
    cr_expect_str_eq(out.s, "precious\norder-mine.c\n");
    leave_folder(folder);
    gy_str_fini(&out);
}

Test(new, refuses_names_and_stages_that_are_none)
{
    static const struct {
        const char *words, *says;
    } cases[] = {
        {"Mine", "\"Mine\" cannot name a module"},
        {"a/b", "\"a/b\" cannot name a module"},
        {"none", "\"none\" cannot name a module"},
        {"-x", "\"-x\" cannot name a module"},
        {"mine plac", "there is no stage \"plac\"; did you mean place?"},
        {"''", "\"\" cannot name a module"},
        {"a123456789b123456789c123456789d123456789e123456789f123456789g1234", "has at most 63"},
    };
    char folder[64];
    gy_str out = {0}, command = {0};
    enter_folder(folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        command.n = 0;
        gy_str_printf(&command, GY_BINARY_DIR "/bin/gpuyard policy new %s", cases[i].words);
        expect_shell(command.s, 2, &out);
        expect_words(out.s, cases[i].says);
    }
    expect_shell("ls", 0, &out);
    cr_expect_eq(out.n, 0);
    leave_folder(folder);
    gy_str_fini(&out);
    gy_str_fini(&command);
}
