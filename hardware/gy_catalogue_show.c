/* gy_catalogue_show.c - the facts of an entry, one by one and as text; see gy_catalogue.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "gy_build_internal.h"
#include "gy_catalogue_internal.h"

enum { PATH_MAX_BYTES = 200 };

struct walk {
    const gy_catalogue *cat;
    void (*put)(void *ctx, const gy_catalogue_value *v);
    void *ctx;
    char path[PATH_MAX_BYTES];
};

/* Unit (0) or meaning (1) of the last key of the path. */
static const char *key_text(const struct walk *w, int which)
{
    const char *dot = strrchr(w->path, '.');
    const cJSON *keys = gy_json_member(w->cat->sources.root, "keys");
    const cJSON *m = gy_json_member(keys, dot ? dot + 1 : w->path);
    m = m ? cJSON_GetArrayItem(m, which) : NULL;
    return m ? m->valuestring : "";
}

static void put_text(struct walk *w, const char *text)
{
    w->put(w->ctx,
           &(gy_catalogue_value){
               .path = w->path, .text = text, .unit = "", .about = "", .source = "", .mark = "", .note = ""});
}

static void put_number(struct walk *w, const cJSON *v, const char *source, const char *mark, const char *note)
{
    gy_str text = {0};
    if (cJSON_IsNumber(v)) {
        char digits[40];
        gy_put_double(digits, v->valuedouble);
        gy_str_puts(&text, digits);
    } else { /* rows of a matrix */
        const cJSON *row;
        cJSON_ArrayForEach(row, v)
        {
            gy_str_printf(&text, "%s%s", text.n ? " " : "", row->valuestring);
        }
    }
    w->put(w->ctx, &(gy_catalogue_value){.path = w->path,
                                         .text = text.s,
                                         .unit = key_text(w, 0),
                                         .about = key_text(w, 1),
                                         .source = source,
                                         .mark = mark,
                                         .note = note,
                                         .is_number = cJSON_IsNumber(v),
                                         .number = v->valuedouble});
    gy_str_fini(&text);
}

static void walk(struct walk *w, const cJSON *m)
{
    if (gy_catalogue_is_quantity(m)) {
        const cJSON *source = m->child->next, *mark = source->next, *note = mark->next;
        put_number(w, m->child, source->valuestring, mark->valuestring, note ? note->valuestring : "");
        return;
    }
    if (cJSON_IsString(m)) {
        put_text(w, m->valuestring);
        return;
    }
    if (cJSON_IsNumber(m)) {
        put_number(w, m, "", "", "");
        return;
    }
    size_t n = strlen(w->path);
    unsigned index = 0;
    const cJSON *part;
    cJSON_ArrayForEach(part, m)
    {
        int len = part->string ? snprintf(w->path + n, sizeof w->path - n, "%s%s", n ? "." : "", part->string)
                               : snprintf(w->path + n, sizeof w->path - n, "[%u]", index++);
        GY_ASSERT(len > 0 && n + (size_t)len < sizeof w->path);
        walk(w, part);
        w->path[n] = '\0';
    }
}

void gy_catalogue_each(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i,
                       void (*put)(void *ctx, const gy_catalogue_value *v), void *ctx)
{
    struct walk w = {.cat = cat, .put = put, .ctx = ctx};
    walk(&w, gy_catalogue_entry(cat, kind, i));
}

struct wanted {
    const char *path;
    double number;
    bool found;
};

static void take_wanted(void *ctx, const gy_catalogue_value *v)
{
    struct wanted *want = ctx;
    if (!want->found && v->is_number && strcmp(v->path, want->path) == 0) {
        want->number = v->number;
        want->found = true;
    }
}

bool gy_catalogue_number(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i, const char *path,
                         double *v)
{
    struct wanted want = {.path = path};
    gy_catalogue_each(cat, kind, i, take_wanted, &want);
    if (want.found)
        *v = want.number;
    return want.found;
}

/* What a summary says after the title. */
static const struct {
    enum gy_catalogue_kind kind;
    const char *path, *before, *after;
} summary_parts[] = {
    {GY_CATALOGUE_GPUS, "gpu_mem_gb", "", " GB"},
    {GY_CATALOGUE_GPUS, "hbm_tb_s", "", " TB/s"},
    {GY_CATALOGUE_GPUS, "nvlink_gb_s", "NVLink ", " GB/s"},
    {GY_CATALOGUE_GPUS, "fp16_tflops", "", " TFLOPS"},
    {GY_CATALOGUE_GPUS, "tdp_w", "", " W"},
    {GY_CATALOGUE_NODES, "gpus", "", NULL}, /* and the GPU type */
    {GY_CATALOGUE_NODES, "cpus", "", " CPUs"},
    {GY_CATALOGUE_NODES, "mem_gb", "", " GB"},
    {GY_CATALOGUE_NODES, "max_kw", "", " kW"},
};

static void describe_cluster(const gy_catalogue *cat, uint32_t i, gy_str *out)
{
    gy_cluster *c = NULL;
    gy_err e = {0};
    if (gy_cluster_from_catalogue(&c, cat, i, &e) != GY_OK)
        gy_panic(__FILE__, __LINE__, "%s", e.text);
    gy_cluster_describe(c, out);
    gy_cluster_free(c);
}

static void add_parts(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i, gy_str *out)
{
    const cJSON *type = gy_json_member(gy_catalogue_entry(cat, kind, i), "gpu_type");
    const char *divider = ": ";
    for (size_t k = 0; k < sizeof summary_parts / sizeof *summary_parts; k++) {
        double v;
        char digits[40];
        if (summary_parts[k].kind != kind || !gy_catalogue_number(cat, kind, i, summary_parts[k].path, &v))
            continue;
        gy_put_double(digits, v);
        gy_str_printf(out, "%s%s%s", divider, summary_parts[k].before, digits);
        divider = ", ";
        if (summary_parts[k].after)
            gy_str_puts(out, summary_parts[k].after);
        else if (type)
            gy_str_printf(out, " %s", type->valuestring);
        else
            gy_str_puts(out, v == 1 ? " GPU" : " GPUs");
    }
}

void gy_catalogue_summary(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i, gy_str *out)
{
    gy_str_puts(out, gy_catalogue_title(cat, kind, i));
    if (kind == GY_CATALOGUE_CLUSTERS) {
        gy_str_puts(out, ": ");
        describe_cluster(cat, i, out);
    } else {
        add_parts(cat, kind, i, out);
    }
}

struct page {
    gy_str *out;
    gy_names sources;
    gy_names marks;
};

static void add_sources(gy_names *names, const char *list)
{
    while (*list) {
        size_t n = strcspn(list, " ");
        if (n)
            gy_names_add(names, list, n);
        list += n + (list[n] == ' ');
    }
}

static void show_value(void *ctx, const gy_catalogue_value *v)
{
    struct page *p = ctx;
    if (strcmp(v->path, "title") == 0)
        return;
    if (!*v->mark) {
        gy_str_printf(p->out, "  %-26s %s\n", v->path, v->text);
        return;
    }
    add_sources(&p->sources, v->source);
    gy_names_add(&p->marks, v->mark, strlen(v->mark));
    gy_str_printf(p->out, "  %-26s %s%s%s  [%s, %s]", v->path, v->text, *v->unit ? " " : "", v->unit, v->mark,
                  v->source);
    gy_str_printf(p->out, "  %s%s%s\n", v->about, *v->note ? "; " : "", v->note);
}

void gy_catalogue_show(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i, gy_str *out)
{
    struct page p = {.out = out};
    gy_str_printf(out, "%s %s: %s\n", gy_catalogue_kind_names[kind], gy_catalogue_name(cat, kind, i),
                  gy_catalogue_title(cat, kind, i));
    if (kind == GY_CATALOGUE_CLUSTERS) {
        gy_str_puts(out, "  ");
        describe_cluster(cat, i, out);
        gy_str_puts(out, "\n");
    }
    gy_catalogue_each(cat, kind, i, show_value, &p);
    if (p.sources.n)
        gy_str_puts(out, "marks\n");
    for (uint32_t k = 0; k < p.marks.n; k++) {
        const char *key = gy_names_text(&p.marks, k);
        const char *text = gy_catalogue_mark(cat, key);
        gy_str_printf(out, "  %-14s %s\n", key, text ? text : "");
    }
    if (p.sources.n)
        gy_str_puts(out, "sources\n");
    for (uint32_t k = 0; k < p.sources.n; k++) {
        const char *key = gy_names_text(&p.sources, k);
        const char *text = gy_catalogue_source(cat, key, strlen(key));
        gy_str_printf(out, "  %-14s %s\n", key, text ? text : "");
    }
    gy_names_fini(&p.sources);
    gy_names_fini(&p.marks);
}
