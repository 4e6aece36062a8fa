/* cli_cluster.c - gpuyard cluster list and show.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "cli_internal.h"
#include "gy_catalogue.h"

static const char usage_text[] =
    "Usage: gpuyard cluster list [cluster|node|gpu|fabric]\n"
    "  or:  gpuyard cluster show NAME|SPEC|FILE\n"
    "What the catalogue knows by name, and one entry of it in full, each number with its unit and source.\n"
    "show also takes what --cluster takes: 4x8:h100, a cluster file, ...\n";

static int list(const char *kind)
{
    gy_catalogue *cat = gy_catalogue_open();
    bool found = kind == NULL;
    for (int k = 0; k < GY_CATALOGUE_KINDS; k++) {
        if (kind && strcmp(kind, gy_catalogue_kind_names[k]) != 0)
            continue;
        found = true;
        printf("%s%ss\n", k && !kind ? "\n" : "", gy_catalogue_kind_names[k]);
        for (uint32_t i = 0; i < gy_catalogue_count(cat, (enum gy_catalogue_kind)k); i++) {
            gy_str line = {0};
            gy_catalogue_summary(cat, (enum gy_catalogue_kind)k, i, &line);
            printf("  %-22s %s\n", gy_catalogue_name(cat, (enum gy_catalogue_kind)k, i), line.s);
            gy_str_fini(&line);
        }
    }
    gy_catalogue_free(cat);
    if (found)
        return CLI_OK;
    fprintf(stderr, "gpuyard: the catalogue has no kind \"%s\"; there are cluster, node, gpu and fabric\n",
            kind);
    return CLI_BAD;
}

/* Every entry of that name, whatever its kind. */
static bool show_entries(const char *name)
{
    gy_catalogue *cat = gy_catalogue_open();
    bool found = false;
    for (int k = 0; k < GY_CATALOGUE_KINDS; k++) {
        uint32_t i = gy_catalogue_find(cat, (enum gy_catalogue_kind)k, name, strlen(name));
        if (i == UINT32_MAX)
            continue;
        gy_str text = {0};
        gy_catalogue_show(cat, (enum gy_catalogue_kind)k, i, &text);
        if (found)
            putchar('\n');
        fputs(text.s, stdout);
        gy_str_fini(&text);
        found = true;
    }
    gy_catalogue_free(cat);
    return found;
}

static void print_groups(const gy_cluster *c)
{
    char first[128], last[128];
    for (uint32_t i = 0, k; i < c->nnodes; i = k) {
        const gy_node *x = &c->nodes[i];
        const gy_node_type *t = &c->node_types[x->type];
        for (k = i + 1; k < c->nnodes; k++)
            if (c->nodes[k].type != x->type || c->nodes[k].queue != x->queue ||
                c->nodes[k].prefix != x->prefix)
                break;
        gy_cluster_node_name(c, i, first);
        gy_cluster_node_name(c, k - 1, last);
        printf("  %s%s%s: %u node%s of %u %s", first, k - i > 1 ? " .. " : "", k - i > 1 ? last : "", k - i,
               k - i > 1 ? "s" : "", t->gpus,
               t->gpu_type == GY_NONE ? "GPUs" : c->gpu_types[t->gpu_type].name);
        if (t->cpus_micro >= 0)
            printf(", %.6g CPUs", (double)t->cpus_micro / 1e6);
        if (t->mem_micro >= 0)
            printf(", %.6g GB", (double)t->mem_micro / 1e6);
        if (x->queue != GY_NONE)
            printf(", for queue %s", c->queues[x->queue].name);
        putchar('\n');
    }
    for (uint32_t q = 0; q < c->nqueues; q++)
        if (c->queues[q].quota_milli >= 0)
            printf("  queue %s: quota %.6g GPUs\n", c->queues[q].name,
                   (double)c->queues[q].quota_milli / 1000);
}

static int show(const char *spec)
{
    gy_cluster *c;
    gy_err e;
    bool entry = show_entries(spec);
    gy_rc rc = gy_cluster_load(&c, spec, &e);
    if (rc != GY_OK)
        return entry ? CLI_OK : cli_fail(&e);
    gy_str text = {0};
    gy_cluster_describe(c, &text);
    printf("%s%s: %s\n", entry ? "\n" : "", c->name && *c->name ? c->name : spec, text.s);
    print_groups(c);
    gy_str_fini(&text);
    gy_cluster_free(c);
    return CLI_OK;
}

int cli_cluster_main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage_text, stdout);
        return CLI_OK;
    }
    if ((argc == 2 || argc == 3) && strcmp(argv[1], "list") == 0 && (argc == 2 || argv[2][0] != '-'))
        return list(argc == 3 ? argv[2] : NULL);
    if (argc == 3 && strcmp(argv[1], "show") == 0 && argv[2][0] != '-')
        return show(argv[2]);
    if (argc >= 3 && strcmp(argv[2], "--help") == 0) {
        fputs(usage_text, stdout);
        return CLI_OK;
    }
    if (argc < 2) {
        fputs(usage_text, stderr);
        return CLI_BAD;
    }
    if (strcmp(argv[1], "list") != 0 && strcmp(argv[1], "show") != 0)
        cli_wrong_use("gpuyard cluster", "there is no command \"cluster %s\"; there are list and show",
                      argv[1]);
    cli_wrong_use("gpuyard cluster", "`cluster %s` takes %s", argv[1],
                  strcmp(argv[1], "list") == 0 ? "at most one kind: cluster, node, gpu or fabric"
                                               : "one NAME, SPEC or FILE");
}
