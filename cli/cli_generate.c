/* cli_generate.c - gpuyard trace generate.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli_internal.h"
#include "gy_generate.h"

enum { KEY0 = 0x100, OPTIONS_MAX = 24 };

struct generate_args {
    gy_generate_options o;
    const char *out;
    gy_err error;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct generate_args *a = state->input;
    if (key >= KEY0 && key < KEY0 + OPTIONS_MAX) {
        if (gy_generate_set(&a->o, gy_generate_option_list[key - KEY0].name, arg ? arg : "1", &a->error) !=
            GY_OK)
            cli_wrong_use(state->name, "%s", a->error.text);
        return 0;
    }
    switch (key) {
    case 'o': a->out = arg; return 0;
    case ARGP_KEY_ARG: cli_wrong_use(state->name, "\"%s\" is no option", arg); return 0;
    case ARGP_KEY_END:
        if (!a->out)
            cli_wrong_use(state->name,
                          "-o FILE is missing: where the trace goes (a name ending in .gz is compressed)");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *filter(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)(uintptr_t)text;
    gy_str s = {0};
    gy_str_puts(&s, "Models:\n");
    for (size_t i = 0; gy_generate_preset(i); i++) {
        gy_generate_about about;
        gy_err e;
        if (gy_generate_describe(gy_generate_preset(i), &about, &e) == GY_OK)
            gy_str_printf(&s, "  %-15s %s\n", gy_generate_preset(i), about.text);
    }
    gy_str_puts(
        &s, "\nExample:\n  gpuyard trace generate --model philly --jobs 100000 --seed 7 -o philly.csv.gz");
    return s.s;
}

static gy_rc generate(const struct generate_args *a, gy_err *e)
{
    gy_generate *g;
    gy_out *o;
    size_t n = strlen(a->out);
    gy_rc rc = gy_generate_open(&g, &a->o, e);
    if (rc != GY_OK)
        return rc;
    rc = gy_out_open(&o, a->out, n > 3 && strcmp(a->out + n - 3, ".gz") == 0, e);
    if (rc == GY_OK) {
        gy_generate_write_csv(g, o);
        rc = gy_out_close(o, true, e);
    }
    if (rc == GY_OK) {
        const gy_generate_info *i = gy_generate_info_of(g);
        printf("%s: %" PRIu64 " jobs over %.1f days, %" PRIu64 " GPU hours, load %.3f on %" PRIu64 " GPUs\n",
               a->out, i->jobs, (double)i->span_s / 86400, i->gpu_s / 3600, i->load, i->gpus);
    }
    gy_generate_close(g);
    return rc;
}

int cli_trace_generate_main(int argc, char **argv)
{
    struct generate_args a = {0};
    struct argp_option options[OPTIONS_MAX + 2] = {{"output", 'o', "FILE", 0, "the trace", 0}};
    gy_err e;
    gy_generate_options_init(&a.o);
    for (int i = 0; gy_generate_option_list[i].name; i++) {
        const gy_generate_option *o = &gy_generate_option_list[i];
        GY_ASSERT(i < OPTIONS_MAX);
        options[i + 1] = (struct argp_option){o->name, KEY0 + i, o->value, 0, o->help, 0};
    }
    struct argp argp = {
        options, parse,
        NULL,    "Makes a trace from a statistical model: seeded, the same on every machine.\v ",
        NULL,    filter,
        NULL};
    cli_argp(&argp, "gpuyard trace generate", argc, argv, &a);
    gy_rc rc = generate(&a, &e);
    return rc == GY_OK ? CLI_OK : cli_fail(&e);
}
