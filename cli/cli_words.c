/* cli_words.c - the words of a call, checked before argp sees them: whatever is wrong is said in one line.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_internal.h"

void cli_wrong_use(const char *command, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("gpuyard: ", stderr);
    vfprintf(stderr, fmt, ap);
    fprintf(stderr, "; see `%s --help`\n", command);
    va_end(ap);
    exit(CLI_BAD);
}

/* An option of the table, or one that every command has. */
struct found {
    bool any, takes_value;
};

static const char *const always[] = {"help", "usage"};

static struct found find_long(const struct argp_option *options, const char *name, size_t n)
{
    struct found f = {false, false};
    for (const struct argp_option *o = options; o->name; o++) {
        if (strncmp(o->name, name, n) != 0)
            continue;
        f = (struct found){true, o->arg != NULL};
        if (o->name[n] == '\0')
            return f;
    }
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (!f.any && strncmp(always[i], name, n) == 0)
            f.any = true;
    return f;
}

static struct found find_short(const struct argp_option *options, char c)
{
    for (const struct argp_option *o = options; o->name; o++)
        if (o->key == c)
            return (struct found){true, o->arg != NULL};
    return (struct found){c == '?', false};
}

static _Noreturn void unknown(const char *command, const struct argp_option *options, const char *word,
                              size_t n)
{
    const char *names[64], *near;
    size_t count = 0;
    char name[80];
    for (const struct argp_option *o = options; o->name && count < sizeof names / sizeof *names; o++)
        names[count++] = o->name;
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    near = gy_nearest_of(name, names, count);
    cli_wrong_use(command, "there is no option --%s%s%s%s", name, near ? "; did you mean --" : "",
                  near ? near : "", near ? "?" : "");
}

/* Returns how many words the option takes: itself, and its value when that is the next one. */
static int check_long(const char *command, const struct argp_option *options, char **argv, int i, int argc)
{
    const char *name = argv[i] + 2;
    size_t n = strcspn(name, "=");
    struct found f = find_long(options, name, n);
    if (!f.any)
        unknown(command, options, name, n);
    if (!f.takes_value && name[n] == '=')
        cli_wrong_use(command, "--%.*s takes no value", (int)n, name);
    if (!f.takes_value || name[n] == '=')
        return 1;
    if (i + 1 == argc)
        cli_wrong_use(command, "the value of --%.*s is missing", (int)n, name);
    return 2;
}

static int check_short(const char *command, const struct argp_option *options, char **argv, int i, int argc)
{
    for (const char *c = argv[i] + 1; *c; c++) {
        struct found f = find_short(options, *c);
        if (!f.any)
            cli_wrong_use(command, "there is no option -%c", *c);
        if (!f.takes_value)
            continue;
        if (c[1] == '\0' && i + 1 == argc)
            cli_wrong_use(command, "the value of -%c is missing", *c);
        return c[1] == '\0' ? 2 : 1;
    }
    return 1;
}

void cli_argp(const struct argp *argp, const char *command, int argc, char **argv, void *input)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0;) {
        const char *word = argv[i];
        if (word[0] == '-' && word[1] == '-')
            i += check_long(command, argp->options, argv, i, argc);
        else if (word[0] == '-' && word[1])
            i += check_short(command, argp->options, argv, i, argc);
        else
            i++;
    }
    char *name = gy_strndup(command, strlen(command)), *word = argv[0];
    argv[0] = name;
    error_t error = argp_parse(argp, argc, argv, 0, NULL, input);
    argv[0] = word;
    free(name);
    if (error)
        cli_wrong_use(command, "%s", strerror(error));
}
