/* test_catalogue.c - the hardware known by name.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "cluster_checks.h"
#include "gy_catalogue.h"
#include "gy_json.h"

Test(catalogue, every_cluster_loads_and_has_the_published_counts)
{
    static const struct {
        const char *name;
        uint32_t nodes;
        uint64_t gpus;
    } published[] = {
        {"philly", 552, 2490},
        {"helios-venus", 133, 1064},
        {"helios-earth", 143, 1144},
        {"helios-saturn", 262, 2096},
        {"helios-uranus", 264, 2112},
        {"helios", 802, 6416},
        {"acme-seren", 286, 2288},
        {"acme-kalos", 302, 2416},
        {"alibaba-2020", 1897, 6742},
        {"alibaba-2023", 1523, 6212},
        {"alibaba-2023-gpu", 1213, 6212},
        {"alibaba-2026", 4278, 10412},
        {"princeton-traverse", 46, 184},
        {"superpod-a100-140", 140, 1120},
        {"superpod-h100-127", 127, 1016},
        {"superpod-b200-128", 128, 1024},
        {"superpod-b300-576", 576, 4608},
        {"dgx-a100-20", 20, 160},
        {"dgx-h100-32", 32, 256},
        {"dgx-b200-32", 32, 256},
        {"nvl72-1", 18, 72},
        {"nvl72-8", 144, 576},
        {"meta-llama3-24k", 3072, 24576},
        {"meta-rsc-1", 2000, 16000},
        {"meta-rsc-2", 1000, 8000},
        {"imbue-511", 511, 4088},
    };
    gy_catalogue *cat = gy_catalogue_open();
    cr_expect_eq(gy_catalogue_count(cat, GY_CATALOGUE_CLUSTERS), COUNT_OF(published), "each has a row above");
    for (size_t i = 0; i < COUNT_OF(published); i++) {
        const char *name = published[i].name;
        gy_cluster *c = load(name);
        check_cluster(c);
        cr_expect_str_eq(c->name, name);
        cr_expect_eq(c->nnodes, published[i].nodes, "%s: %u", name, c->nnodes);
        cr_expect_eq(c->gpus, published[i].gpus, "%s: %llu", name, (unsigned long long)c->gpus);
        cr_expect_neq(gy_catalogue_find(cat, GY_CATALOGUE_CLUSTERS, name, strlen(name)), UINT32_MAX);
        gy_cluster_free(c);
    }
    gy_catalogue_free(cat);
    gy_cluster *c = load("PHILLY");
    cr_expect_str_eq(c->name, "philly");
    gy_cluster_free(c);
    c = load("nvl72-8");
    cr_expect_eq(c->nnvlinks, 8);
    gy_cluster_free(c);
    c = load("meta-llama3-24k");
    cr_expect_eq(c->npods, 8);
    cr_expect_eq(c->nodes[383].pod, 0);
    cr_expect_eq(c->nodes[384].pod, 1);
    gy_cluster_free(c);
}

Test(catalogue, every_node_is_a_cluster_of_its_own)
{
    gy_catalogue *cat = gy_catalogue_open();
    for (uint32_t i = 0; i < gy_catalogue_count(cat, GY_CATALOGUE_NODES); i++) {
        const char *name = gy_catalogue_name(cat, GY_CATALOGUE_NODES, i);
        char spec[120];
        snprintf(spec, sizeof spec, "2x%s+1x1", name);
        gy_cluster *c = load(spec);
        check_cluster(c);
        cr_expect_str_eq(type_of(c, 0)->name, name);
        double gpus = -1, cpus = -1;
        gy_catalogue_number(cat, GY_CATALOGUE_NODES, i, "gpus", &gpus);
        cr_expect_eq(type_of(c, 0)->gpus, (uint32_t)gpus);
        if (gy_catalogue_number(cat, GY_CATALOGUE_NODES, i, "cpus", &cpus))
            cr_expect_eq(type_of(c, 0)->cpus_micro, (int64_t)cpus * 1000000, "%s", name);
        else
            cr_expect_eq(type_of(c, 0)->cpus_micro, -1, "%s", name);
        cr_expect_eq(gy_catalogue_find(cat, GY_CATALOGUE_GPUS, name, strlen(name)), UINT32_MAX,
                     "%s is a GPU type too, so 4x8:%s could mean both", name, name);
        gy_cluster_free(c);
    }
    gy_catalogue_free(cat);
}

Test(catalogue, nvlink_matrices_are_symmetric_and_use_every_link)
{
    static const struct {
        const char *node;
        int links;
    } rows[] = {{"dgx-1-p100", 4}, {"dgx-1-v100", 6}, {"dgx-1-v100-32gb", 6}};
    gy_json j;
    gy_err e = {0};
    cr_assert_eq(gy_json_load(&j, GY_SOURCE_DIR "/hardware/nodes.json", &e), GY_OK, "%s", e.text);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const cJSON *m = gy_json_member(gy_json_member(j.root, rows[i].node), "nvlink_matrix");
        const char *row[8];
        for (int a = 0; a < 8; a++)
            row[a] = cJSON_GetArrayItem(m->child, a)->valuestring;
        for (int a = 0; a < 8; a++) {
            int sum = 0;
            for (int b = 0; b < 8; b++) {
                sum += row[a][b] - '0';
                cr_expect_eq(row[a][b], row[b][a], "%s: %d %d", rows[i].node, a, b);
            }
            cr_expect_eq(sum, rows[i].links, "%s: row %d", rows[i].node, a);
            cr_expect_eq(row[a][a], '0');
            cr_expect_eq(strlen(row[a]), 8);
        }
    }
    gy_json_free(&j);
}

/* Walks the files as they are written: a number stands only at the head of [value, source, mark] or with a
 * note after them. */
static unsigned check_numbers(const cJSON *m, const char *entry, bool inside)
{
    unsigned numbers = 0;
    if (cJSON_IsNumber(m))
        cr_expect(inside, "%s: %s is a number without source and mark", entry,
                  m->string ? m->string : "an element");
    bool quantity = cJSON_IsArray(m) && m->child && !cJSON_IsObject(m->child);
    if (quantity && !inside) {
        int n = cJSON_GetArraySize(m);
        cr_expect(n == 3 || n == 4, "%s: %s has %d parts", entry, m->string, n);
        for (int i = 1; i < n; i++)
            cr_expect(cJSON_IsString(cJSON_GetArrayItem(m, i)), "%s: %s", entry, m->string);
        numbers++;
    }
    const cJSON *part;
    cJSON_ArrayForEach(part, m) numbers += check_numbers(part, entry, inside || quantity);
    return numbers;
}

static void check_value(void *ctx, const gy_catalogue_value *v)
{
    const gy_catalogue *cat = ctx;
    if (!*v->mark) {
        cr_expect(!v->is_number, "%s has no mark", v->path);
        return;
    }
    cr_expect(gy_catalogue_mark(cat, v->mark), "%s: no such mark: %s", v->path, v->mark);
    cr_expect(*v->about, "%s is not explained under \"keys\"", v->path);
    cr_expect(*v->source, "%s has no source", v->path);
    for (const char *s = v->source; *s;) {
        size_t n = strcspn(s, " ");
        cr_expect(n > 0 && gy_catalogue_source(cat, s, n), "%s: no such source: %.*s", v->path, (int)n, s);
        s += n + (s[n] == ' ');
    }
}

Test(catalogue, no_number_is_without_source_and_mark)
{
    static const char *const files[] = {"clusters.json", "nodes.json", "gpus.json", "fabrics.json"};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char path[400];
        gy_json j;
        gy_err e = {0};
        snprintf(path, sizeof path, "%s/hardware/%s", GY_SOURCE_DIR, files[i]);
        cr_assert_eq(gy_json_load(&j, path, &e), GY_OK, "%s", e.text);
        unsigned numbers = 0;
        const cJSON *entry;
        cJSON_ArrayForEach(entry, j.root) numbers += check_numbers(entry, entry->string, false);
        cr_expect_gt(numbers, 20, "%s: %u", files[i], numbers);
        gy_json_free(&j);
    }
    gy_catalogue *cat = gy_catalogue_open();
    for (enum gy_catalogue_kind kind = 0; kind < GY_CATALOGUE_KINDS; kind++) {
        cr_expect_gt(gy_catalogue_count(cat, kind), 5);
        for (uint32_t i = 0; i < gy_catalogue_count(cat, kind); i++)
            gy_catalogue_each(cat, kind, i, check_value, cat);
    }
    gy_catalogue_free(cat);
}

Test(catalogue, names_are_found_and_described)
{
    gy_catalogue *cat = gy_catalogue_open();
    for (enum gy_catalogue_kind kind = 0; kind < GY_CATALOGUE_KINDS; kind++)
        for (uint32_t i = 0; i < gy_catalogue_count(cat, kind); i++) {
            const char *name = gy_catalogue_name(cat, kind, i);
            gy_str s = {0};
            cr_expect_eq(gy_catalogue_find(cat, kind, name, strlen(name)), i, "%s stands twice", name);
            cr_expect(*gy_catalogue_title(cat, kind, i), "%s has no title", name);
            gy_catalogue_summary(cat, kind, i, &s);
            cr_expect(s.n > 10 && !strchr(s.s, '\n'), "%s: %s", name, s.s);
            gy_str_fini(&s);
            gy_catalogue_show(cat, kind, i, &s);
            cr_expect(strstr(s.s, name) && s.s[s.n - 1] == '\n');
            gy_str_fini(&s);
        }
    cr_expect_str_eq(gy_catalogue_nearest(cat, GY_CATALOGUE_GPUS, "H1000"), "h100");
    cr_expect_null(gy_catalogue_nearest(cat, GY_CATALOGUE_GPUS, "completely-else"));
    cr_expect_eq(gy_catalogue_find(cat, GY_CATALOGUE_GPUS, "H100", 4),
                 gy_catalogue_find(cat, GY_CATALOGUE_GPUS, "h100x", 4));
    cr_expect_eq(gy_catalogue_find(cat, GY_CATALOGUE_GPUS, "h100x", 5), UINT32_MAX);
    gy_catalogue_free(cat);
}

Test(catalogue, shows_a_number_with_unit_mark_and_source)
{
    gy_catalogue *cat = gy_catalogue_open();
    gy_str s = {0};
    uint32_t i = gy_catalogue_find(cat, GY_CATALOGUE_NODES, "dgx-h100", 8);
    gy_catalogue_summary(cat, GY_CATALOGUE_NODES, i, &s);
    cr_expect_str_eq(s.s, "NVIDIA DGX H100: 8 h100, 224 CPUs, 2048 GB, 10.2 kW");
    gy_str_fini(&s);
    gy_catalogue_show(cat, GY_CATALOGUE_NODES, i, &s);
    cr_expect(strstr(s.s, "pair_gb_s"));
    cr_expect(strstr(s.s, "450 GB/s  [datasheet, ml-eng]"), "%s", s.s);
    cr_expect(strstr(s.s, "8.4 kW  [measured, h100-power]"));
    cr_expect(strstr(s.s, "arXiv 2412.08602"), "the sources are spelt out");
    gy_str_fini(&s);
    double v = 0;
    cr_expect(gy_catalogue_number(cat, GY_CATALOGUE_NODES, i, "max_kw", &v));
    cr_expect_eq(v, 10.2);
    cr_expect(!gy_catalogue_number(cat, GY_CATALOGUE_NODES, i, "links", &v));
    cr_expect_eq(v, 10.2);
    i = gy_catalogue_find(cat, GY_CATALOGUE_CLUSTERS, "philly", 6);
    cr_expect(gy_catalogue_number(cat, GY_CATALOGUE_CLUSTERS, i, "nodes[1].count", &v));
    cr_expect_eq(v, 231);
    gy_catalogue_free(cat);
}
