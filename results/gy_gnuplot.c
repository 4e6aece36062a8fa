/* gy_gnuplot.c - see gy_gnuplot.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_gnuplot.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gy_input.h"

extern char **environ;

/* Settings that gnuplot gets whatever the user has set.  exec takes texts that can be written to. */
struct fixed {
    char locale[24], zone[16], epoch[32];
};

static const struct fixed fixed_settings = {
    "LC_ALL=C.UTF-8",
    "TZ=UTC0", /* the length of a PDF's date depends on it */
    "SOURCE_DATE_EPOCH=946684800",
};

/* The environment without what would change gnuplot's output from one machine or user to the next. */
static char **clean_environment(struct fixed *fixed)
{
    static const char *const drop[] = {
        "LC_", "LANG", "TZ=", "GNUTERM", "GDFONTPATH", "GNUPLOT_", "SOURCE_DATE_EPOCH"};
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **env = gy_alloc(n + 4, sizeof *env);
    for (size_t i = 0; i < n; i++) {
        bool keep = true;
        for (size_t k = 0; k < sizeof drop / sizeof *drop; k++)
            keep = keep && strncmp(environ[i], drop[k], strlen(drop[k])) != 0;
        if (keep)
            env[kept++] = environ[i];
    }
    env[kept++] = fixed->locale;
    env[kept++] = fixed->zone;
    env[kept++] = fixed->epoch;
    return env;
}

/* In the child; returns only to leave.  The number of an exec that failed goes up the pipe `trouble`. */
_Noreturn static void become(char *const argv[], const char *folder, char **env, int words, int trouble)
{
    int null = open("/dev/null", O_RDWR);
    int error = 0;
    if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(words, 2) < 0 || chdir(folder) != 0) {
        error = errno;
    } else {
        environ = env;
        execvp(argv[0], argv);
        error = errno;
    }
    ssize_t written = write(trouble, &error, sizeof error);
    _exit(written == (ssize_t)sizeof error ? 127 : 126);
}

/* All that comes from fd; closes it. */
static void drain(int fd, gy_str *to)
{
    char buf[512];
    ssize_t n;
    while ((n = read(fd, buf, sizeof buf)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            gy_str_add(to, buf, (size_t)n);
    close(fd);
}

static int wait_for(pid_t child)
{
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

/* gnuplot's complaint: its last line that is not blank and no caret under a line. */
static void last_words(const gy_str *said, gy_str *why)
{
    size_t end = said->n, start;
    do {
        while (end > 0 && (isspace((unsigned char)said->s[end - 1]) || said->s[end - 1] == '^'))
            end--;
        start = end;
        while (start > 0 && said->s[start - 1] != '\n')
            start--;
    } while (start == end && end > 0);
    if (end > start)
        gy_str_add(why, said->s + start, end - start);
    else
        gy_str_puts(why, "it failed without a word");
}

static bool verdict(const char *program, int status, int error, const gy_str *said, gy_str *why,
                    bool *missing)
{
    *missing = error == ENOENT || error == EACCES;
    if (*missing) {
        gy_str_printf(why, "%s was not found", program);
    } else if (error) {
        gy_str_printf(why, "%s cannot be started: %s", program, strerror(error));
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        gy_str_printf(why, "%s: ", program);
        last_words(said, why);
    } else {
        return true;
    }
    return false;
}

bool gy_gnuplot_run(const char *program, const char *folder, const char *script, gy_str *why, bool *missing)
{
    int words[2], trouble[2], error = 0;
    *missing = false;
    if (pipe(words) != 0 || pipe(trouble) != 0) {
        gy_str_printf(why, "%s cannot be started: %s", program, strerror(errno));
        return false;
    }
    fcntl(trouble[1], F_SETFD, FD_CLOEXEC); /* closed by a successful exec, which ends the read below */
    struct fixed fixed = fixed_settings;
    char **env = clean_environment(&fixed);
    char plain[] = "-d"; /* no start-up files */
    char *name = gy_strndup(program, strlen(program)), *file = gy_strndup(script, strlen(script));
    char *argv[] = {name, plain, file, NULL};
    pid_t child = fork();
    if (child == 0) {
        close(words[0]);
        close(trouble[0]);
        become(argv, folder, env, words[1], trouble[1]);
    }
    int fork_error = child < 0 ? errno : 0;
    close(words[1]);
    close(trouble[1]);
    gy_str said = {0}, number = {0};
    drain(trouble[0], &number);
    drain(words[0], &said);
    if (number.n == sizeof error)
        memcpy(&error, number.s, sizeof error);
    int status = child > 0 ? wait_for(child) : -1;
    bool ok = verdict(program, status, fork_error ? fork_error : error, &said, why, missing);
    gy_str_fini(&said);
    gy_str_fini(&number);
    free(env);
    free(name);
    free(file);
    return ok;
}

/* "20260801123456+02'00" becomes "20000101000000Z00'00". */
static void fixed_date(char *s, const char *end)
{
    static const char date[] = "20000101000000";
    size_t digits = 0;
    for (; s < end; s++) {
        if (isdigit((unsigned char)*s)) {
            *s = digits < sizeof date - 1 ? date[digits] : '0';
            digits++;
        } else if (*s == '+' || *s == '-') {
            *s = 'Z';
        }
    }
}

bool gy_pdf_fix_date(const char *path)
{
    static const char key[] = "/CreationDate (D:";
    char *text;
    size_t n;
    if (gy_read_file(path, &text, &n, NULL) != GY_OK)
        return false;
    bool done = false;
    /* The file is binary: the key may stand behind NUL bytes. */
    for (size_t i = 0; i + sizeof key < n && !done; i++) {
        if (memcmp(text + i, key, sizeof key - 1) != 0)
            continue;
        char *from = text + i + sizeof key - 1;
        char *to = memchr(from, ')', n - (size_t)(from - text));
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        if (to && fd >= 0) {
            fixed_date(from, to);
            done = pwrite(fd, from, (size_t)(to - from), (off_t)(from - text)) == to - from;
        }
        if (fd >= 0)
            close(fd);
    }
    free(text);
    return done;
}
