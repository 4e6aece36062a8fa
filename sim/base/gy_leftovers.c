/* gy_leftovers.c - see gy_leftovers.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#define _GNU_SOURCE /* nftw, gethostname */
#include "gy_leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WATCHED = 8, PATH_BYTES = 1024 };

/* Read by the handler: an entry counts once its first byte is there. */
static char watched[WATCHED][PATH_BYTES];
static void (*also_do)(void);

static void put_host(gy_str *to)
{
    char host[80] = "";
    gethostname(host, sizeof host - 1);
    for (char *c = host; *c; c++)
        if (*c == '/' || *c == '.')
            *c = '_';
    gy_str_puts(to, *host ? host : "here");
}

void gy_leftovers_name(gy_str *to, const char *stem)
{
    gy_str_printf(to, "%s.partial-%ld@", stem, (long)getpid());
    put_host(to);
}

void gy_leftovers_add(const char *path)
{
    size_t n = strlen(path);
    if (n == 0 || n >= PATH_BYTES)
        return;
    for (int i = 0; i < WATCHED; i++)
        if (!watched[i][0]) {
            memcpy(watched[i] + 1, path + 1, n);
            watched[i][0] = path[0];
            return;
        }
}

void gy_leftovers_drop(const char *path)
{
    for (int i = 0; i < WATCHED; i++)
        if (strcmp(watched[i], path) == 0)
            watched[i][0] = '\0';
}

/* ---- when it is told to stop ---- */

/* Removing a tree takes functions that a handler must not call: another program does it. */
static void remove_outside(const char *path)
{
    pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

static void on_signal(int number)
{
    if (also_do)
        also_do();
    for (int i = 0; i < WATCHED; i++)
        if (watched[i][0])
            remove_outside(watched[i]);
    raise(number); /* the handler is gone by now: this ends the process as the signal would have */
}

void gy_leftovers_watch(void (*also)(void))
{
    struct sigaction act = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    also_do = also;
    sigemptyset(&act.sa_mask);
    for (int i = 0; i < 3; i++)
        sigaction(signals[i], &act, NULL);
}

/* ---- what others have left ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

/* PID@HOST of this machine, and no such process. */
static bool is_of_the_dead(const char *text)
{
    char *end;
    gy_str host = {0};
    long pid = strtol(text, &end, 10);
    put_host(&host);
    bool dead = end != text && *end == '@' && strcmp(end + 1, host.s) == 0 && pid > 0 && pid != getpid() &&
                kill((pid_t)pid, 0) != 0 && errno == ESRCH;
    gy_str_fini(&host);
    return dead;
}

void gy_leftovers_sweep(const char *stem)
{
    gy_str prefix = {0}, folder = {0}, path = {0};
    const char *slash = strrchr(stem, '/');
    const struct dirent *entry;
    gy_str_printf(&folder, "%.*s", slash ? (int)(slash - stem) + 1 : 1, slash ? stem : ".");
    gy_str_printf(&prefix, "%s.partial-", slash ? slash + 1 : stem);
    DIR *dir = opendir(folder.s);
    while (dir && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, prefix.s, prefix.n) != 0 || !is_of_the_dead(entry->d_name + prefix.n))
            continue;
        path.n = 0;
        gy_str_printf(&path, "%s/%s", folder.s, entry->d_name);
        nftw(path.s, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    if (dir)
        closedir(dir);
    gy_str_fini(&prefix);
    gy_str_fini(&folder);
    gy_str_fini(&path);
}
