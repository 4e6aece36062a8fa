/* cli_compare.c - gpuyard compare: the same trace and cluster under several policies.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The inputs are loaded once; each policy then runs in a child process of its own, as many at a time as there
 * are processors, so that a module that crashes takes nobody else with it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli_internal.h"
#include "gy_input.h"
#include "gy_leftovers.h"

static const char doc[] = "Replays a job trace on a cluster under several policies and shows them side by "
                          "side: a table, and in the folder "
                          "compare.csv, compare.json, plots/, report.html and a folder with the files of "
                          "each run.\vWithout --policy: fifo, "
                          "fifo-skip, sjf, srtf, easy, tiresias.\n\nExample:\n  gpuyard compare --trace "
                          "jobs.csv --cluster 16x8 -p fifo -p "
                          "easy -p srtf";

static const char *const six[] = {"fifo", "fifo-skip", "sjf", "srtf", "easy", "tiresias"};

enum { CHILD_OK, CHILD_NOT_APPLICABLE = 10, CHILD_FAILED = 11 };

struct child {
    pid_t pid;
    char folder[96]; /* of its files, inside that of the comparison */
    char reply[200]; /* where it leaves its digest, or its reason */
    bool done, failed, stalled;
};

struct compare {
    cli_args a;
    cli_inputs in;
    gy_policy *policy[64];
    struct child child[64];
    gy_run_digest digest[64];
    gy_outdir *d;
    char temp[64]; /* folder of the replies */
};

static void name_folders(struct compare *c)
{
    char names[64][80];
    for (size_t i = 0; i < c->a.npolicies; i++) {
        char *name = names[i];
        unsigned same = 0;
        cli_policy_folder(c->a.policies[i], name);
        for (size_t k = 0; k < i; k++)
            same += strcmp(names[k], name) == 0;
        snprintf(c->child[i].folder, sizeof c->child[i].folder, same ? "runs/%s-%u" : "runs/%s", name,
                 same + 1);
        snprintf(c->child[i].reply, sizeof c->child[i].reply, "%s/%zu", c->temp, i);
    }
}

static void leave_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return;
    fputs(text, f);
    fclose(f);
}

static volatile pid_t children[64]; /* for the handler of signals; 0: none */

static void stop_children(void)
{
    for (size_t i = 0; i < sizeof children / sizeof *children; i++)
        if (children[i])
            kill(children[i], SIGKILL);
}

/* Whoever stops the comparison stops its runs; what they have made is the parent's to remove. */
static void die_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (getppid() == 1) /* it is gone already */
        _exit(CHILD_FAILED);
}

/* In the child: never returns. */
static _Noreturn void work(struct compare *c, size_t i)
{
    cli_run r = {.policy = c->policy[i]};
    gy_err e = {0};
    die_with_parent();
    gy_outdir_enter(c->d, c->child[i].folder);
    gy_rc rc = cli_simulate(&r, &c->a, &c->in, c->d, false, &e);
    if (rc == GY_OK)
        rc = gy_run_digest_save(&r.digest, c->child[i].reply, &e);
    if (rc != GY_OK)
        leave_text(c->child[i].reply, e.text);
    if (rc == GY_OK && !cli_flag(&c->a, CLI_QUIET) && r.warnings.n) {
        gy_str named = {0};
        for (const char *p = r.warnings.s; *p; p += strcspn(p, "\n"), p += *p == '\n')
            gy_str_printf(&named, "%s: %.*s\n", r.policy->spec, (int)strcspn(p, "\n"), p);
        cli_warn_lines(named.s);
    }
    fflush(stderr);
    _exit(rc == GY_OK       ? CHILD_OK
          : rc == GY_ESTALL ? CLI_STALL
          : rc == GY_EINVAL ? CHILD_NOT_APPLICABLE
                            : CHILD_FAILED);
}

static char *reply_text(const struct child *x)
{
    char *text;
    size_t n;
    return gy_read_file(x->reply, &text, &n, NULL) == GY_OK ? text : gy_strndup("it left no word", 15);
}

/* The child is over: its digest, or why there is none. */
static gy_rc collect(struct compare *c, size_t i, int status, gy_err *e)
{
    struct child *x = &c->child[i];
    x->done = true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_OK) {
        gy_rc rc = gy_run_digest_load(&c->digest[i], x->reply, e);
        return rc == GY_OK ? gy_outdir_adopt(c->d, x->folder, e) : rc;
    }
    char *text;
    if (WIFSIGNALED(status)) {
        gy_str s = {0};
        gy_str_printf(&s, "a module of policy \"%s\" crashed (%s)", c->a.policies[i],
                      strsignal(WTERMSIG(status)));
        text = s.s;
    } else {
        text = reply_text(x);
    }
    x->failed = !WIFEXITED(status) || WEXITSTATUS(status) != CHILD_NOT_APPLICABLE;
    x->stalled = WIFEXITED(status) && WEXITSTATUS(status) == CLI_STALL;
    if (x->failed)
        fprintf(stderr, "gpuyard: %s: %s\n", c->a.policies[i], text);
    gy_run_digest_na(&c->digest[i], c->a.policies[i], text);
    free(text);
    return GY_OK;
}

static gy_rc run_all(struct compare *c, gy_err *e)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t started = 0, running = 0, n = c->a.npolicies;
    gy_rc rc = GY_OK;
    fflush(NULL);
    while ((started < n && rc == GY_OK) || running > 0) {
        if (started < n && rc == GY_OK && running < (size_t)(cores > 0 ? cores : 1)) {
            pid_t pid = fork();
            if (pid == 0)
                work(c, started);
            if (pid < 0) {
                rc = gy_fail(e, GY_EIO, "cannot start another process: %s", strerror(errno));
                continue;
            }
            children[started] = pid;
            c->child[started++].pid = pid;
            running++;
            continue;
        }
        int status;
        pid_t pid = wait(&status);
        for (size_t i = 0; i < started; i++)
            if (c->child[i].pid == pid && !c->child[i].done) {
                running--;
                children[i] = 0;
                gy_rc got = collect(c, i, status, e);
                rc = rc == GY_OK ? got : rc;
            }
    }
    return rc;
}

static gy_rc open_policies(struct compare *c, gy_err *e)
{
    gy_rc rc = GY_OK;
    for (size_t i = 0; c->a.npolicies == 0 && i < sizeof six / sizeof *six; i++)
        c->a.policies[i] = six[i];
    if (c->a.npolicies == 0)
        c->a.npolicies = sizeof six / sizeof *six;
    for (size_t i = 0; i < c->a.npolicies && rc == GY_OK; i++)
        rc = gy_policy_open(&c->policy[i], c->a.policies[i], e);
    return rc;
}

static gy_rc write_all(struct compare *c, gy_str *warnings, gy_err *e)
{
    const gy_run_digest *runs[64];
    gy_results_options opt = {true, true, NULL};
    for (size_t i = 0; i < c->a.npolicies; i++)
        runs[i] = &c->digest[i];
    gy_outdir_enter(c->d, "");
    return gy_results_compare_write(c->d, runs, c->a.npolicies, &opt, warnings, e);
}

static void print(struct compare *c, const char *folder)
{
    const gy_run_digest *runs[64];
    gy_str text = {0};
    for (size_t i = 0; i < c->a.npolicies; i++)
        runs[i] = &c->digest[i];
    if (cli_flag(&c->a, CLI_QUIET))
        return;
    if (cli_flag(&c->a, CLI_JSON)) {
        char *json;
        size_t n;
        gy_str_printf(&text, "%s/compare.json", folder);
        if (gy_read_file(text.s, &json, &n, NULL) == GY_OK) {
            fwrite(json, 1, n, stdout);
            free(json);
        }
    } else {
        gy_compare_show(&text, runs, c->a.npolicies);
        fputs(text.s, stdout);
        printf("files: %s\nreport: %s/report.html\n", folder, folder);
    }
    gy_str_fini(&text);
}

static void clean_up(struct compare *c)
{
    for (size_t i = 0; i < c->a.npolicies; i++) {
        gy_run_digest_fini(&c->digest[i]);
        gy_policy_close(c->policy[i]);
        if (*c->child[i].reply)
            unlink(c->child[i].reply);
    }
    if (*c->temp) {
        rmdir(c->temp);
        gy_leftovers_drop(c->temp);
    }
    cli_inputs_fini(&c->in);
}

static int exit_code(const struct compare *c)
{
    uint64_t infeasible = 0;
    for (size_t i = 0; i < c->a.npolicies; i++) {
        if (c->child[i].failed)
            return c->child[i].stalled ? CLI_STALL : CLI_BAD;
        if (!c->digest[i].reason)
            infeasible += c->digest[i].summary.by_state[GY_STATE_INFEASIBLE].submitted;
    }
    return infeasible && cli_flag(&c->a, CLI_FAIL_ON_INFEASIBLE) ? CLI_INFEASIBLE : CLI_OK;
}

static gy_rc make_temp(struct compare *c, gy_err *e)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(c->temp, sizeof c->temp, "%.30s/gpuyard-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (mkdtemp(c->temp)) {
        gy_leftovers_add(c->temp);
        return GY_OK;
    }
    *c->temp = '\0';
    return gy_fail(e, GY_EIO, "no folder for temporary files can be made: %s; set TMPDIR", strerror(errno));
}

int cli_compare_main(int argc, char **argv)
{
    struct compare *c = gy_alloc(1, sizeof *c);
    gy_str warnings = {0};
    gy_err e;
    gy_leftovers_watch(stop_children);
    cli_parse(&c->a, argc, argv, doc, true);
    const char *out = c->a.value[CLI_OUTPUT] ? c->a.value[CLI_OUTPUT] : "out/compare";
    gy_rc rc = open_policies(c, &e);
    if (rc == GY_OK)
        rc = cli_load(&c->in, &c->a, &e);
    if (rc == GY_OK)
        rc = make_temp(c, &e);
    if (rc == GY_OK)
        rc = gy_outdir_open(&c->d, out, &e);
    if (rc == GY_OK) {
        if (!cli_flag(&c->a, CLI_QUIET))
            cli_show_import(c->in.report);
        name_folders(c);
        rc = run_all(c, &e);
        if (rc == GY_OK)
            rc = write_all(c, &warnings, &e);
        if (rc == GY_OK)
            rc = gy_outdir_commit(c->d, &e);
        else
            gy_outdir_abort(c->d);
    }
    int code = rc == GY_OK ? exit_code(c) : cli_fail(&e);
    if (rc == GY_OK) {
        if (!cli_flag(&c->a, CLI_QUIET))
            cli_warn_lines(warnings.s);
        print(c, out);
    }
    gy_str_fini(&warnings);
    clean_up(c);
    free(c);
    return code;
}
