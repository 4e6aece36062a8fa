/* gy_catalogue.c - opening the catalogue and finding entries; see gy_catalogue.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_catalogue_internal.h"

#include <stdlib.h>
#include <string.h>

#include "gy_embedded.h"

const char *const gy_catalogue_kind_names[GY_CATALOGUE_KINDS] = {"cluster", "node", "GPU type", "fabric"};

extern const struct gy_embedded gy_catalogue_files[];

static const char *const file_names[GY_CATALOGUE_KINDS] = {"clusters.json", "nodes.json", "gpus.json",
                                                           "fabrics.json"};

static gy_json read_embedded(const char *name)
{
    const struct gy_embedded *f = gy_catalogue_files;
    while (f->name && strcmp(f->name, name) != 0)
        f++;
    GY_ASSERT(f->name);
    gy_json j;
    gy_err e = {0};
    if (gy_json_parse(&j, name, f->text, f->n, &e) != GY_OK)
        gy_panic(__FILE__, __LINE__, "%s", e.text);
    return j;
}

bool gy_catalogue_is_quantity(const cJSON *m)
{
    if (!cJSON_IsArray(m) || cJSON_GetArraySize(m) < 3)
        return false;
    const cJSON *v = m->child;
    return (cJSON_IsNumber(v) || cJSON_IsArray(v)) && cJSON_IsString(v->next) &&
           cJSON_IsString(v->next->next);
}

static bool is_remark(const cJSON *m)
{
    return m->string && (strcmp(m->string, "title") == 0 || strcmp(m->string, "note") == 0);
}

static cJSON *plain_of(const cJSON *m)
{
    if (gy_catalogue_is_quantity(m))
        return cJSON_Duplicate(m->child, 1);
    if (!cJSON_IsObject(m) && !cJSON_IsArray(m))
        return cJSON_Duplicate(m, 1);
    cJSON *copy = cJSON_IsObject(m) ? cJSON_CreateObject() : cJSON_CreateArray();
    const cJSON *part;
    cJSON_ArrayForEach(part, m)
    {
        if (is_remark(part))
            continue;
        if (cJSON_IsObject(m))
            cJSON_AddItemToObject(copy, part->string, plain_of(part));
        else
            cJSON_AddItemToArray(copy, plain_of(part));
    }
    return copy;
}

gy_catalogue *gy_catalogue_open(void)
{
    gy_catalogue *cat = gy_alloc(1, sizeof *cat);
    cat->sources = read_embedded("sources.json");
    for (enum gy_catalogue_kind kind = 0; kind < GY_CATALOGUE_KINDS; kind++) {
        cat->files[kind] = read_embedded(file_names[kind]);
        cat->plain[kind] = plain_of(cat->files[kind].root);
    }
    return cat;
}

void gy_catalogue_free(gy_catalogue *cat)
{
    if (!cat)
        return;
    gy_json_free(&cat->sources);
    for (enum gy_catalogue_kind kind = 0; kind < GY_CATALOGUE_KINDS; kind++) {
        gy_json_free(&cat->files[kind]);
        cJSON_Delete(cat->plain[kind]);
    }
    free(cat);
}

uint32_t gy_catalogue_count(const gy_catalogue *cat, enum gy_catalogue_kind kind)
{
    return (uint32_t)cJSON_GetArraySize(cat->files[kind].root);
}

const cJSON *gy_catalogue_entry(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i)
{
    const cJSON *m = cJSON_GetArrayItem(cat->files[kind].root, (int)i);
    GY_ASSERT(m);
    return m;
}

const cJSON *gy_catalogue_plain(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i)
{
    const cJSON *m = cJSON_GetArrayItem(cat->plain[kind], (int)i);
    GY_ASSERT(m);
    return m;
}

const char *gy_catalogue_name(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i)
{
    return gy_catalogue_entry(cat, kind, i)->string;
}

const char *gy_catalogue_title(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i)
{
    const cJSON *title = gy_json_member(gy_catalogue_entry(cat, kind, i), "title");
    return cJSON_IsString(title) ? title->valuestring : "";
}

static unsigned char lower(char ch)
{
    return (unsigned char)(ch >= 'A' && ch <= 'Z' ? ch - 'A' + 'a' : ch);
}

bool gy_same_name(const char *a, size_t n, const char *b)
{
    for (size_t i = 0; i < n; i++)
        if (b[i] == '\0' || lower(a[i]) != lower(b[i]))
            return false;
    return b[n] == '\0';
}

uint32_t gy_catalogue_find(const gy_catalogue *cat, enum gy_catalogue_kind kind, const char *name, size_t n)
{
    uint32_t i = 0;
    const cJSON *m;
    cJSON_ArrayForEach(m, cat->files[kind].root)
    {
        if (gy_same_name(name, n, m->string))
            return i;
        i++;
    }
    return UINT32_MAX;
}

static const char *name_at(const void *ctx, size_t i)
{
    const cJSON *m = cJSON_GetArrayItem(ctx, (int)i);
    return m ? m->string : NULL;
}

const char *gy_catalogue_nearest(const gy_catalogue *cat, enum gy_catalogue_kind kind, const char *word)
{
    char small[80];
    size_t n = 0;
    for (; word[n] && n + 1 < sizeof small; n++)
        small[n] = (char)lower(word[n]);
    small[n] = '\0';
    return gy_nearest(small, name_at, cat->files[kind].root);
}

const char *gy_catalogue_source(const gy_catalogue *cat, const char *key, size_t n)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, gy_json_member(cat->sources.root, "sources"))
    {
        if (strlen(m->string) == n && memcmp(m->string, key, n) == 0)
            return m->valuestring;
    }
    return NULL;
}

const char *gy_catalogue_mark(const gy_catalogue *cat, const char *key)
{
    const cJSON *m = gy_json_member(gy_json_member(cat->sources.root, "marks"), key);
    return m ? m->valuestring : NULL;
}
