/* test_policy_new.c - `gpuyard policy new`: every template builds without a warning, passes `policy check`
 * and runs beside another policy; nothing is ever overwritten. SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gy_input.h"
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

Test(template, of_order_works, .timeout = 900)
{
    try_template("order");
}
Test(template, of_admit_works, .timeout = 900)
{
    try_template("admit");
}
Test(template, of_place_works, .timeout = 900)
{
    try_template("place");
}
Test(template, of_evict_works, .timeout = 900)
{
    try_template("evict");
}
Test(template, of_backfill_works, .timeout = 900)
{
    try_template("backfill");
}
Test(template, of_resize_works, .timeout = 900)
{
    try_template("resize");
}
Test(template, of_schedule_works, .timeout = 900)
{
    try_template("schedule");
}

/* ---- docs/write-a-policy.md ---- */

static const char limit_lines[] = "    int64_t limit = s->host->limit_us(v, job);\n"
                                  "    out->lane[0] += limit > 86400000000 ? 86400000000 : limit;\n";

/* Adds the lines of the page at the end of key(). */
static void add_lines(const char *path)
{
    char *text;
    size_t n;
    gy_err e = {0};
    cr_assert_eq(gy_read_file(path, &text, &n, &e), GY_OK, "%s", e.text);
    char *end = strstr(text, "static void key(");
    end = end ? strstr(end, "\n}\n") : NULL;
    cr_assert_not_null(end);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fwrite(text, 1, (size_t)(end + 1 - text), f);
    fputs(limit_lines, f);
    fputs(end + 1, f);
    fclose(f);
    free(text);
}

/* A command of the page, if it is still there. */
static void follow_page(const char *page, const char *command, int code, gy_str *out)
{
    gy_str here = {0};
    expect_words(page, command);
    gy_str_printf(&here, "PATH=" GY_BINARY_DIR "/bin:$PATH; %s", command);
    expect_shell(here.s, code, out);
    gy_str_fini(&here);
}

Test(page, on_writing_a_policy_is_true_word_for_word, .timeout = 900)
{
    static const char build[] = "cmake --build short-first/build";
    static const char check[] = "gpuyard policy check short-first/build/order-short-first.so";
    static const char from[] = ".knowledge = GY_K0_REQUEST", to[] = ".knowledge = GY_K1_LIMIT";
    char folder[64], *page;
    size_t n;
    gy_err e = {0};
    gy_str out = {0};
    cr_assert_eq(gy_read_file(GY_SOURCE_DIR "/docs/write-a-policy.md", &page, &n, &e), GY_OK, "%s", e.text);
    enter_folder(folder);
    setenv("C_INCLUDE_PATH", GY_SOURCE_DIR "/policies/include", 1);
    setenv("CMAKE_INCLUDE_PATH", GY_SOURCE_DIR "/policies/include", 1); /* as if it were installed */
    follow_page(page, "gpuyard policy new short-first", 0, &out);
    follow_page(page, "cmake -S short-first -B short-first/build && cmake --build short-first/build", 0,
                &out);
    follow_page(page, check, 0, &out);
    expect_words(out.s, "14 ok, 0 warnings, 0 failed");
    expect_words(page, "14 ok, 0 warnings, 0 failed");
    expect_words(page, limit_lines);
    add_lines("short-first/order-short-first.c");
    follow_page(page, build, 0, &out);
    follow_page(page, check, 2, &out);
    expect_words(out.s, "it reads the time limit of a job (class K1) and declares class K0");
    expect_words(page, from);
    expect_words(page, to);
    expect_shell("sed -i 's/\\.knowledge = GY_K0_REQUEST/.knowledge = GY_K1_LIMIT/' short-first/*.c", 0,
                 &out);
    follow_page(page, build, 0, &out);
    follow_page(page, check, 0, &out);
    follow_page(
        page,
        "gpuyard trace generate --model philly --gpus 32 --load 0.9 --jobs 1000 -o short-first/jobs.csv", 0,
        &out);
    follow_page(page,
                "gpuyard compare --trace short-first/jobs.csv --cluster 4x8 -o short-first/out \\\n"
                "        -p fifo-skip -p backfill=skip,order=short-first/build/order-short-first.so",
                0, &out);
    expect_words(out.s, "report: short-first/out/report.html");
    expect_shell("ls short-first/out/plots/cdf-wait.svg short-first/out/report.html", 0, &out);
    leave_folder(folder);
    free(page);
    gy_str_fini(&out);
}

/* ---- names ---- */

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
