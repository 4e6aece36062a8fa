/* cli_policy_new.c - gpuyard policy new: a module to start from, in a folder of its own.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli_internal.h"
#include "gy_embedded.h"

extern const struct gy_embedded cli_templates[]; /* policies/templates */

/* How a module of a stage is tried out: beside which policy, and as part of which other. */
static const struct {
    const char *beside, *before, *after;
} trials[GY_STAGE_END] = {
    [GY_STAGE_ORDER] = {"fifo", "", ""},
    [GY_STAGE_ADMIT] = {"fifo-skip", "backfill=skip,", ""},
    [GY_STAGE_PLACE] = {"fifo-skip", "backfill=skip,", ""},
    [GY_STAGE_EVICT] = {"las", "order=las,", ",backfill=skip"},
    [GY_STAGE_BACKFILL] = {"easy", "", ""},
    [GY_STAGE_RESIZE] = {"fifo-skip", "backfill=skip,", ""},
    [GY_STAGE_SCHEDULE] = {"fifo-skip", "", ""},
};

/* What the templates have between two @. */
enum { NAME, STAGE, BUILD, CHECK, TRACE, COMPARE, WORDS };
static const char *const words[WORDS] = {"NAME", "STAGE", "BUILD", "CHECK", "TRACE", "COMPARE"};

struct fill {
    const char *text[WORDS];
};

/* ---- where things are ---- */

/* A word of a shell's command line. */
static void put_word(gy_str *s, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,=@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        gy_str_puts(s, word);
        return;
    }
    gy_str_puts(s, "'");
    for (const char *p = word; *p; p++)
        if (*p == '\'')
            gy_str_puts(s, "'\\''");
        else
            gy_str_add(s, p, 1);
    gy_str_puts(s, "'");
}

static bool program_path(char exe[4096])
{
    ssize_t n = readlink("/proc/self/exe", exe, 4095);
    exe[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* "gpuyard" when the shell would find this very program by that name, else its path. */
static void put_program(gy_str *s)
{
    char exe[4096], found[4096];
    if (!program_path(exe)) {
        gy_str_puts(s, "gpuyard");
        return;
    }
    for (const char *path = getenv("PATH"); path && *path;) {
        size_t n = strcspn(path, ":");
        gy_str file = {0};
        gy_str_printf(&file, "%.*s/gpuyard", (int)n, path);
        bool there = access(file.s, X_OK) == 0;
        bool same = there && realpath(file.s, found) && strcmp(found, exe) == 0;
        gy_str_fini(&file);
        if (there) {
            put_word(s, same ? "gpuyard" : exe);
            return;
        }
        path += n + (path[n] == ':');
    }
    put_word(s, exe);
}

static bool has_header(const char *folder)
{
    gy_str file = {0};
    gy_str_printf(&file, "%s/gpuyard/policy.h", folder);
    bool there = access(file.s, R_OK) == 0;
    gy_str_fini(&file);
    return there;
}

/* Where the header lies: beside the program as it was installed, in the sources that it was built from, or
 * where it was to be installed.  False: none of them has it. */
static bool find_header(gy_str *folder)
{
    char exe[4096];
    if (program_path(exe)) {
        for (int up = 0; up < 2 && strrchr(exe, '/'); up++)
            *strrchr(exe, '/') = '\0';
        gy_str_printf(folder, "%s/include", exe);
        if (has_header(folder->s))
            return true;
    }
    static const char *const others[] = {GY_POLICY_HEADER_DIR, GY_POLICY_INSTALL_DIR};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        gy_str_fini(folder);
        *folder = (gy_str){0};
        gy_str_puts(folder, others[i]);
        if (has_header(folder->s))
            return true;
    }
    return false;
}

/* ---- the commands ---- */

static void make_build(gy_str *s, const char *name)
{
    gy_str folder = {0};
    gy_str_printf(s, "cmake -S %s -B %s/build", name, name);
    /* CMake looks there by itself. */
    if (find_header(&folder) && strcmp(folder.s, "/usr/include") != 0 &&
        strcmp(folder.s, "/usr/local/include") != 0) {
        gy_str option = {0};
        gy_str_printf(&option, "-DGPUYARD_INCLUDE_DIR=%s", folder.s);
        gy_str_puts(s, " ");
        put_word(s, option.s);
        gy_str_fini(&option);
    }
    gy_str_printf(s, " && cmake --build %s/build", name);
    gy_str_fini(&folder);
}

static void make_commands(gy_str command[WORDS], const char *name, uint32_t stage)
{
    const char *stage_name = gy_stage_names[stage];
    make_build(&command[BUILD], name);
    put_program(&command[CHECK]);
    gy_str_printf(&command[CHECK], " policy check %s/build/%s-%s.so", name, stage_name, name);
    put_program(&command[TRACE]);
    gy_str_printf(&command[TRACE],
                  " trace generate --model philly --gpus 32 --load 0.9 --jobs 1000 -o %s/jobs.csv", name);
    put_program(&command[COMPARE]);
    gy_str_printf(&command[COMPARE],
                  " compare --trace %s/jobs.csv --cluster 4x8 -o %s/out -p %s -p %s%s=%s/build/%s-%s.so%s",
                  name, name, trials[stage].beside, trials[stage].before, stage_name, name, stage_name, name,
                  trials[stage].after);
}

/* ---- files ---- */

static uint32_t word_at(const char *p, size_t *n)
{
    for (uint32_t w = 0; *p == '@' && w < WORDS; w++) {
        size_t k = strlen(words[w]);
        if (strncmp(p + 1, words[w], k) == 0 && p[1 + k] == '@') {
            *n = k + 2;
            return w;
        }
    }
    return WORDS;
}

static gy_rc write_file(const struct fill *f, const char *template, const char *path, gy_err *e)
{
    const struct gy_embedded *t = cli_templates;
    gy_out *o;
    while (strcmp(t->name, template) != 0)
        t++;
    gy_rc rc = gy_out_open(&o, path, false, e);
    if (rc != GY_OK)
        return rc;
    for (const char *p = t->text; *p;) {
        size_t n = 1;
        uint32_t w = word_at(p, &n);
        if (w < WORDS)
            gy_out_text(o, f->text[w]);
        else
            gy_out_bytes(o, p, 1);
        p += n;
    }
    return gy_out_close(o, true, e);
}

static gy_rc write_all(const struct fill *f, gy_err *e)
{
    const char *name = f->text[NAME], *stage = f->text[STAGE];
    gy_str template = {0}, source = {0}, cmake = {0}, readme = {0};
    gy_str_printf(&template, "%s.c", stage);
    gy_str_printf(&source, "%s/%s-%s.c", name, stage, name);
    gy_str_printf(&cmake, "%s/CMakeLists.txt", name);
    gy_str_printf(&readme, "%s/README.md", name);
    gy_rc rc = GY_OK;
    if (mkdir(name, 0777) != 0)
        rc = errno == EEXIST
                 ? gy_fail(e, GY_EIO, "%s exists already, and nothing was written; choose another name", name)
                 : gy_fail(e, GY_EIO, "%s: the folder cannot be made: %s", name, strerror(errno));
    if (rc == GY_OK)
        rc = write_file(f, template.s, source.s, e);
    if (rc == GY_OK)
        rc = write_file(f, "CMakeLists.txt", cmake.s, e);
    if (rc == GY_OK)
        rc = write_file(f, "README.md", readme.s, e);
    gy_str *const all[] = {&template, &source, &cmake, &readme};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gy_str_fini(all[i]);
    return rc;
}

/* ---- the command ---- */

static gy_rc find_stage(const char *name, uint32_t *stage, gy_err *e)
{
    for (*stage = 1; *stage < GY_STAGE_END; ++*stage)
        if (strcmp(gy_stage_names[*stage], name) == 0)
            return GY_OK;
    const char *near = gy_nearest_of(name, gy_stage_names + 1, GY_STAGE_END - 1);
    return gy_fail(e, GY_EINVAL,
                   "there is no stage \"%s\"%s%s%s; there are order, admit, place, evict, backfill, resize "
                   "and schedule",
                   name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static gy_rc check_name(const char *name, gy_err *e)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (n == 0 || n >= 64 || name[n] || *name == '-')
        return gy_fail(e, GY_EINVAL,
                       "\"%s\" cannot name a module: a name is made of a-z, 0-9 and -, begins with a letter "
                       "or a digit and has at most 63 of them",
                       name);
    if (strcmp(name, "none") == 0)
        return gy_fail(e, GY_EINVAL, "\"none\" cannot name a module: in a policy it means an empty stage");
    return GY_OK;
}

int cli_policy_new(const char *name, const char *stage_name)
{
    gy_str command[WORDS] = {{0}};
    struct fill f;
    uint32_t stage;
    gy_err e;
    gy_rc rc = check_name(name, &e);
    if (rc == GY_OK)
        rc = find_stage(stage_name, &stage, &e);
    if (rc != GY_OK)
        return cli_fail(&e);
    make_commands(command, name, stage);
    for (int w = 0; w < WORDS; w++)
        f.text[w] = w == NAME ? name : w == STAGE ? stage_name : command[w].s;
    rc = write_all(&f, &e);
    if (rc == GY_OK)
        printf("%s/%s-%s.c is a module of the %s stage to start from.  Build it, check it, compare it:\n\n"
               "%s\n%s\n%s\n%s\n",
               name, stage_name, name, stage_name, f.text[BUILD], f.text[CHECK], f.text[TRACE],
               f.text[COMPARE]);
    for (int w = 0; w < WORDS; w++)
        gy_str_fini(&command[w]);
    return rc == GY_OK ? CLI_OK : cli_fail(&e);
}
