/* cli_check_child.c - findings of `policy check`, and the child processes that a module is run in.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli_check_internal.h"

/* One child does what takes well below a second.  Seconds of work, of the clock, and until the parent itself
 * puts an end to it. */
enum { CPU_S = 10, WALL_S = 60, LAST_S = 75 };

/* Findings of one check that a child tells. */
enum { TOLD_MAX = 3 };

/* ---- findings ---- */

static void keep(check *c, check_id id, enum check_verdict verdict, const char *text)
{
    check_result *r = &c->result[id];
    if (verdict < r->verdict)
        return;
    if (verdict == r->verdict) {
        r->more = verdict > CHECK_OK;
        return;
    }
    r->verdict = verdict;
    r->more = false;
    r->text.n = 0;
    gy_str_puts(&r->text, text);
}

/* A line to the parent: a letter, a number, a text. */
static void send_line(const check *c, char what, uint64_t number, const char *text)
{
    gy_str line = {0};
    gy_str_printf(&line, "%c%llu %s", what, (unsigned long long)number, text);
    for (size_t i = 0; i < line.n; i++)
        if (line.s[i] == '\n')
            line.s[i] = ' ';
    gy_str_puts(&line, "\n");
    for (size_t done = 0; done < line.n;) {
        ssize_t n = write(c->report, line.s + done, line.n - done);
        if (n < 0 && errno != EINTR)
            _exit(CLI_BAD); /* nobody listens any more */
        done += n > 0 ? (size_t)n : 0;
    }
    gy_str_fini(&line);
}

void check_find(check *c, check_id id, enum check_verdict verdict, const char *fmt, ...)
{
    char text[700];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (c->report < 0)
        keep(c, id, verdict, text);
    else if (verdict == CHECK_OK || c->told[id]++ < TOLD_MAX)
        send_line(c, "?owf"[verdict], id, text);
}

void check_doing(check *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->doing, sizeof c->doing, fmt, ap);
    va_end(ap);
    if (c->report >= 0)
        send_line(c, 'd', 0, c->doing);
}

void check_tell(check *c, char what, uint64_t number, const char *text)
{
    send_line(c, what, number, text);
}

static void take_line(check *c, const char *line)
{
    char *text;
    uint64_t number = strtoull(line + 1, &text, 10);
    text += *text == ' ';
    switch (*line) {
    case 'o': keep(c, (check_id)number, CHECK_OK, text); break;
    case 'w': keep(c, (check_id)number, CHECK_WARNING, text); break;
    case 'f': keep(c, (check_id)number, CHECK_FAILED, text); break;
    case 'd': snprintf(c->doing, sizeof c->doing, "%s", text); break;
    case 'N': snprintf(c->name, sizeof c->name, "%s", text); break;
    case 'S': c->stage = (uint32_t)number; break;
    case 'K': c->knowledge = (uint32_t)number; break;
    case 'F': c->flags = (uint32_t)number; break;
    case 'n': c->nsettings = (uint32_t)number; break;
    case 'r': c->runs += (unsigned)number; break;
    case 'u': c->reads_its_class = true; break;
    default: break;
    }
}

static void take_lines(check *c, gy_str *got)
{
    char *line = got->s, *end;
    while (got->n && (end = memchr(line, '\n', got->n - (size_t)(line - got->s))) != NULL) {
        *end = '\0';
        take_line(c, line);
        line = end + 1;
    }
    size_t left = got->n - (size_t)(line - got->s);
    if (got->n)
        memmove(got->s, line, left);
    got->n = left;
}

/* ---- the child ---- */

/* A sanitizer would turn a crash into an exit of its own; here it must stay what it is. */
static void bound_child(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGPROF, SIGXCPU};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        signal(faults[i], SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifndef __SANITIZE_ADDRESS__
    struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    struct itimerval cpu = {.it_value = {.tv_sec = CPU_S}}, wall = {.it_value = {.tv_sec = WALL_S}};
    setitimer(ITIMER_PROF, &cpu, NULL);
    setitimer(ITIMER_REAL, &wall, NULL);
}

static _Noreturn void be_child(check *c, int fd, void (*work)(check *c, const void *ctx), const void *ctx)
{
    setpgid(0, 0);
    c->report = fd;
    if (!freopen("/dev/null", "w", stdout))
        _exit(CLI_BAD);
    bound_child();
    work(c, ctx);
    send_line(c, '.', 0, "");
    _exit(0);
}

/* ---- the parent ---- */

/* Reads until the child's end of the pipe is closed.  False: it took too long. */
static bool listen_to(check *c, int fd, bool *finished)
{
    gy_str got = {0};
    char buf[4096];
    double until = cli_now_s() + LAST_S;
    bool open = true;
    while (open && cli_now_s() < until) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 1000) <= 0)
            continue;
        ssize_t n = read(fd, buf, sizeof buf);
        open = n > 0 || (n < 0 && errno == EINTR);
        if (n > 0)
            gy_str_add(&got, buf, (size_t)n);
        *finished = *finished || (got.n >= 4 && memcmp(got.s + got.n - 4, ".0 \n", 4) == 0);
        take_lines(c, &got);
    }
    gy_str_fini(&got);
    return !open;
}

static void judge_end(check *c, check_id blame, int status, bool late)
{
    int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    c->dead = true;
    if (late || signal_number == SIGPROF || signal_number == SIGALRM)
        check_fail(c, blame, "%s: it does not come back (stopped after %d s of work or %d s of waiting)",
                   c->doing, CPU_S, WALL_S);
    else if (signal_number)
        check_fail(c, blame, "%s: it crashes (%s)", c->doing, strsignal(signal_number));
    else
        check_fail(c, blame, "%s: it ends the program with code %d", c->doing, WEXITSTATUS(status));
}

/* The child is over, or is put to an end; and so is whatever it may have started itself, in its group. */
static int reap(pid_t pid, bool late)
{
    siginfo_t info;
    int status = 0;
    if (late)
        kill(pid, SIGKILL);
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

void check_in_child(check *c, check_id blame, void (*work)(check *c, const void *ctx), const void *ctx)
{
    int fd[2];
    bool finished = false;
    if (c->dead)
        return;
    fflush(NULL);
    pid_t pid = pipe(fd) == 0 ? fork() : -1;
    if (pid < 0) {
        c->dead = true;
        check_fail(c, blame, "no child process can be made to run it in: %s", strerror(errno));
        return;
    }
    if (pid == 0) {
        close(fd[0]);
        be_child(c, fd[1], work, ctx);
    }
    close(fd[1]);
    bool late = !listen_to(c, fd[0], &finished);
    close(fd[0]);
    int status = reap(pid, late);
    if (late || !finished || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        judge_end(c, blame, status, late);
}
