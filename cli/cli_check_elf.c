/* cli_check_elf.c - what a module's file asks of the system and shows to others, read without loading it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "cli_check_internal.h"
#include "gy_input.h"

typedef ElfW(Ehdr) elf_header;
typedef ElfW(Shdr) elf_section;
typedef ElfW(Sym) elf_symbol;
typedef ElfW(Dyn) elf_dynamic;

/* The file in memory.  Every offset in it is checked before it is followed. */
struct elf {
    const char *bytes;
    size_t n;
    const elf_section *sections;
    size_t nsections;
    const char *names; /* of sections */
    size_t names_n;
};

struct table { /* a section of symbols, and their names */
    const elf_symbol *list;
    size_t n;
    const char *names;
    size_t names_n;
};

struct seen {
    gy_str needs;     /* "free, malloc" */
    gy_str forbidden; /* "time (a clock)" */
    gy_str exports, data, libraries;
    unsigned nneeds;
    bool entry, sanitized;
};

static const void *at(const struct elf *f, uint64_t offset, uint64_t size)
{
    return offset <= f->n && size <= f->n - offset ? f->bytes + offset : NULL;
}

/* A table, which must lie as its members need it. */
static const void *table_at(const struct elf *f, uint64_t offset, uint64_t size)
{
    return offset % _Alignof(elf_section) == 0 ? at(f, offset, size) : NULL;
}

static const char *text_at(const char *names, size_t n, size_t offset)
{
    return offset < n && memchr(names + offset, '\0', n - offset) ? names + offset : "";
}

static void put_name(gy_str *s, const char *name)
{
    gy_str_printf(s, "%s%s", s->n ? ", " : "", name);
}

/* ---- sections ---- */

static const char *open_elf(struct elf *f)
{
    const elf_header *h = at(f, 0, sizeof *h);
    if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return "is no ELF file";
    if (h->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || h->e_type != ET_DYN)
        return "is no shared object for this kind of machine";
    f->sections = table_at(f, h->e_shoff, (uint64_t)h->e_shnum * sizeof *f->sections);
    f->nsections = h->e_shnum;
    if (!f->sections || h->e_shentsize != sizeof *f->sections || h->e_shstrndx >= h->e_shnum)
        return "has no list of sections";
    const elf_section *s = &f->sections[h->e_shstrndx];
    f->names = at(f, s->sh_offset, s->sh_size);
    f->names_n = f->names ? s->sh_size : 0;
    return NULL;
}

static bool find_table(const struct elf *f, uint32_t type, struct table *t)
{
    for (size_t i = 0; i < f->nsections; i++) {
        const elf_section *s = &f->sections[i];
        if (s->sh_type != type || s->sh_link >= f->nsections || s->sh_entsize != sizeof *t->list)
            continue;
        const elf_section *names = &f->sections[s->sh_link];
        t->list = table_at(f, s->sh_offset, s->sh_size);
        t->n = s->sh_size / sizeof *t->list;
        t->names = at(f, names->sh_offset, names->sh_size);
        t->names_n = names->sh_size;
        return t->list && t->names;
    }
    return false;
}

/* ---- symbols ---- */

static bool begins_with_any(const char *s, const char *const *prefixes)
{
    for (; *prefixes; prefixes++)
        if (strncmp(s, *prefixes, strlen(*prefixes)) == 0)
            return true;
    return false;
}

/* Code that sanitizers and coverage counters put into a file. */
static bool is_instrument(const char *name)
{
    static const char *const prefixes[] = {"__asan_",      "__ubsan_", "__tsan_", "__lsan_", "__msan_",
                                           "__sanitizer_", "__odr_",   "__gcov_", "__llvm_", NULL};
    return begins_with_any(name, prefixes);
}

/* What the compiler's own start-up code refers to. */
static bool is_start_up(const char *name)
{
    static const char *const prefixes[] = {
        "__cxa_finalize", "_ITM_",        "__gmon_start__", "_init",        "_fini",
        "__bss_start",    "_edata",       "_end",           "__dso_handle", "completed.",
        "__TMC_END__",    "__stack_chk_", "frame_dummy",    "_Jv_Register", NULL};
    return begins_with_any(name, prefixes);
}

static void see_dynamic(struct seen *x, const char *name, const elf_symbol *s)
{
    bool undefined = s->st_shndx == SHN_UNDEF;
    unsigned bind = ELF64_ST_BIND(s->st_info), visibility = ELF64_ST_VISIBILITY(s->st_other);
    if (!*name || bind == STB_LOCAL || is_start_up(name))
        return;
    if (is_instrument(name)) {
        x->sanitized = true;
        return;
    }
    if (!undefined) {
        if (strcmp(name, "gy_policy_entry") == 0)
            x->entry = true;
        else if (visibility == STV_DEFAULT || visibility == STV_PROTECTED)
            put_name(&x->exports, name);
        return;
    }
    const char *what = check_forbidden(name);
    if (what)
        gy_str_printf(&x->forbidden, "%s%s (%s)", x->forbidden.n ? ", " : "", name, what);
    if (x->nneeds++ < 8)
        put_name(&x->needs, name);
}

/* Variables of the module itself: in a section that is written to. */
static void see_data(const struct elf *f, struct seen *x, const char *name, const elf_symbol *s)
{
    unsigned type = ELF64_ST_TYPE(s->st_info);
    if (is_instrument(name)) {
        x->sanitized = true;
        return;
    }
    if ((type != STT_OBJECT && type != STT_TLS) || s->st_shndx >= f->nsections || is_start_up(name))
        return;
    const elf_section *in = &f->sections[s->st_shndx];
    const char *section = text_at(f->names, f->names_n, in->sh_name);
    static const char *const written[] = {".data", ".bss", ".tdata", ".tbss", ".lbss", ".ldata", NULL};
    if (in->sh_flags & SHF_WRITE && begins_with_any(section, written) &&
        strncmp(section, ".data.rel.ro", 12) != 0)
        put_name(&x->data, name);
}

static void see_libraries(const struct elf *f, struct seen *x)
{
    static const char *const fine[] = {"libc.so",    "libm.so",     "ld-linux",   "libc.musl-",
                                       "libasan.so", "libubsan.so", "libtsan.so", NULL};
    for (size_t i = 0; i < f->nsections; i++) {
        const elf_section *s = &f->sections[i];
        if (s->sh_type != SHT_DYNAMIC || s->sh_link >= f->nsections)
            continue;
        const elf_section *names = &f->sections[s->sh_link];
        const elf_dynamic *d = table_at(f, s->sh_offset, s->sh_size);
        const char *text = at(f, names->sh_offset, names->sh_size);
        for (size_t k = 0; d && text && k < s->sh_size / sizeof *d && d[k].d_tag != DT_NULL; k++) {
            const char *name = text_at(text, names->sh_size, d[k].d_un.d_val);
            if (d[k].d_tag == DT_NEEDED && !begins_with_any(name, fine))
                put_name(&x->libraries, name);
        }
    }
}

/* ---- verdicts ---- */

static void judge(check *c, const struct seen *x)
{
    if (!x->entry)
        check_fail(c, CHECK_EXPORTS,
                   "it does not export gy_policy_entry(): mark it GY_EXPORT, as the header does");
    else if (x->exports.n)
        check_fail(c, CHECK_EXPORTS,
                   "it exports more than gy_policy_entry(): %s; make them static and compile with "
                   "-fvisibility=hidden",
                   x->exports.s);
    else
        check_ok(c, CHECK_EXPORTS, "exports gy_policy_entry() and nothing else");
    if (x->libraries.n)
        check_fail(c, CHECK_SYMBOLS, "it is linked with %s; a module may use libc and libm alone",
                   x->libraries.s);
    if (x->sanitized) {
        check_warn(c, CHECK_SYMBOLS,
                   "it is built with a sanitizer or counters, which hide what it needs itself");
        check_warn(c, CHECK_DATA, "it is built with a sanitizer or counters, whose variables hide its own");
        return;
    }
    if (x->forbidden.n)
        check_fail(c, CHECK_SYMBOLS, "it calls %s; such things come from the host (gy_host) or not at all",
                   x->forbidden.s);
    else
        check_ok(c, CHECK_SYMBOLS, "needs %s%s", x->nneeds ? x->needs.s : "nothing, not even libc",
                 x->nneeds > 8 ? ", ...: nothing but libc"
                 : x->nneeds   ? ": nothing but libc"
                               : "");
    if (x->data.n)
        check_warn(c, CHECK_DATA,
                   "it has variables of its own (%s), which all its instances share, in threads too; keep "
                   "state in `self`",
                   x->data.s);
    else
        check_ok(c, CHECK_DATA, "has no variables of its own");
}

void check_elf(check *c)
{
    struct elf f = {0};
    struct table dynamic = {0}, all = {0};
    struct seen x = {0};
    char *bytes;
    gy_err e;
    if (gy_read_file(c->path, &bytes, &f.n, &e) != GY_OK) {
        check_fail(c, CHECK_EXPORTS, "%s", e.text);
        return;
    }
    f.bytes = bytes;
    const char *wrong = open_elf(&f);
    if (!wrong && !find_table(&f, SHT_DYNSYM, &dynamic))
        wrong = "has no dynamic symbols";
    if (wrong) {
        check_fail(c, CHECK_EXPORTS, "the file %s", wrong);
    } else {
        for (size_t i = 0; i < dynamic.n; i++)
            see_dynamic(&x, text_at(dynamic.names, dynamic.names_n, dynamic.list[i].st_name),
                        &dynamic.list[i]);
        if (find_table(&f, SHT_SYMTAB, &all))
            for (size_t i = 0; i < all.n; i++)
                see_data(&f, &x, text_at(all.names, all.names_n, all.list[i].st_name), &all.list[i]);
        see_libraries(&f, &x);
        judge(c, &x);
    }
    gy_str *const texts[] = {&x.needs, &x.forbidden, &x.exports, &x.data, &x.libraries};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        gy_str_fini(texts[i]);
    free(bytes);
}
