/* gpuyard.c - the program: finds the subcommand.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli_internal.h"
#include "gy_leftovers.h"

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"run", cli_run_main, "replay a trace on a cluster under one policy"},
    {"compare", cli_compare_main, "the same under several policies: table, plots and report"},
    {"trace", cli_trace_main, "info, convert, generate: what is in a trace, other formats, new traces"},
    {"cluster", cli_cluster_main, "list, show: clusters, nodes, GPUs and fabrics known by name"},
    {"policy", cli_policy_main, "list, show, new, check: policies and their modules"},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

int cli_fail(const gy_err *e)
{
    fprintf(stderr, "gpuyard: %s\n", e->text);
    return e->rc == GY_ESTALL ? CLI_STALL : CLI_BAD;
}

void cli_warn(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("gpuyard: warning: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

void cli_warn_lines(const char *text)
{
    while (text && *text) {
        size_t n = strcspn(text, "\n");
        cli_warn("%.*s", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

double cli_now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void usage(FILE *to)
{
    fputs("Usage: gpuyard COMMAND [OPTION...]\n"
          "A discrete-event simulator of GPU clusters and their schedulers.\n\n",
          to);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(to, "  %-9s %s\n", commands[i].name, commands[i].help);
    fputs("\n`gpuyard COMMAND --help` tells about one of them, `gpuyard --version` the version.\n"
          "Exit codes: 0 ok, 2 wrong usage or bad input, 3 infeasible jobs under --fail-on-infeasible,\n"
          "4 no progress, 70 a fault of gpuyard.\n",
          to);
}

/* What was printed may not have arrived: a full disk, say. */
static void see_output_off(void)
{
    errno = 0;
    int lost = ferror(stdout);
    if (fflush(stdout) == 0 && !lost)
        return;
    fprintf(stderr, "gpuyard: standard output: cannot be written%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    _exit(CLI_BAD);
}

int main(int argc, char **argv)
{
    argp_err_exit_status = CLI_BAD;
    atexit(see_output_off);
    signal(SIGXFSZ, SIG_IGN); /* too large a file is an error like any other */
    gy_leftovers_watch(NULL);
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
        usage(argc < 2 ? stderr : stdout);
        return argc < 2 ? CLI_BAD : CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("gpuyard %s (policy interface %u)\n", GY_VERSION, GY_POLICY_ABI);
        return CLI_OK;
    }
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++) {
        names[i] = commands[i].name;
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].main(argc - 1, argv + 1);
    }
    const char *near = gy_nearest_of(argv[1], names, COMMANDS);
    fprintf(stderr, "gpuyard: there is no command \"%s\"%s%s%s; `gpuyard --help` names them all\n", argv[1],
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return CLI_BAD;
}
