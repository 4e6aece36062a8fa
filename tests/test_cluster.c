/* test_cluster.c - clusters in all their forms.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster_checks.h"
#include "gy_random.h"

/* A file of this process, written anew at each call. */
static const char *file_with(const char *suffix, const char *text)
{
    static char path[80];
    snprintf(path, sizeof path, "test_cluster_%ld%s", (long)getpid(), suffix);
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(text, 1, strlen(text), f) == strlen(text) && fclose(f) == 0);
    return path;
}

static gy_cluster *load_json(const char *text)
{
    const char *path = file_with(".json", text);
    gy_cluster *c = load(path);
    unlink(path);
    return c;
}

static void expect_line(const gy_cluster *c, const char *want)
{
    gy_str s = {0};
    gy_cluster_describe(c, &s);
    cr_expect_str_eq(s.s, want);
    gy_str_fini(&s);
}

/* The spec fails with rc, and each text stands in the message. */
static void expect_error(const char *spec, gy_rc rc, const char *const *texts)
{
    gy_cluster *c = (gy_cluster *)&rc;
    gy_err e = {0};
    cr_expect_eq(gy_cluster_load(&c, spec, &e), rc, "%s: %s", spec, e.text);
    cr_expect_null(c);
    cr_expect_eq(e.rc, rc);
    for (; *texts; texts++)
        cr_expect(strstr(e.text, *texts), "%s: \"%s\" is not in: %s", spec, *texts, e.text);
    cr_expect(!strchr(e.text, '\n') && strlen(e.text) > 10, "%s", e.text);
}

static const char *leaf_of(const gy_cluster *c, uint32_t node)
{
    return c->nodes[node].leaf == GY_NONE ? "-" : c->leaf_names[c->nodes[node].leaf];
}

static const char *pod_of(const gy_cluster *c, uint32_t node)
{
    return c->nodes[node].pod == GY_NONE ? "-" : c->pod_names[c->nodes[node].pod];
}

Test(shorthand, names_nodes_through_all_groups)
{
    gy_cluster *c = load("4x8:h100+2x4:t4+1x1");
    check_cluster(c);
    expect_line(c, "7 nodes, 41 GPUs (32 h100, 8 t4, 1 of no type)");
    cr_expect_str_eq(c->name, "4x8:h100+2x4:t4+1x1");
    cr_expect_str_eq(c->sha256, "");
    cr_expect_str_eq(c->fabric, "");
    cr_expect(!c->has_cpus && !c->has_mem && !c->has_quota);
    cr_expect_eq(c->nqueues, 0);
    cr_expect_eq(c->nleaves, 0);
    cr_expect_eq(c->nnvlinks, 7);
    for (uint32_t i = 0; i < c->nnodes; i++) {
        char name[80], want[16];
        snprintf(want, sizeof want, "n%u", i);
        gy_cluster_node_name(c, i, name);
        cr_expect_str_eq(name, want);
        cr_expect(c->nodes[i].leaf == GY_NONE && c->nodes[i].pod == GY_NONE && c->nodes[i].queue == GY_NONE);
    }
    cr_expect_eq(type_of(c, 0)->sockets, 1);
    cr_expect_eq(type_of(c, 0)->cpus_micro, -1);
    cr_expect_eq(type_of(c, 0)->mem_micro, -1);
    cr_expect_eq(type_of(c, 6)->gpu_type, GY_NONE);
    cr_expect_eq(c->gpu_types[0].mem_micro, 80000000);
    cr_expect_eq(c->gpu_types[1].mem_micro, 16000000);
    cr_expect_eq(gy_cluster_find_node(c, "n7", 2), GY_NONE);
    cr_expect_eq(gy_cluster_find_node(c, "n00", 3), GY_NONE);
    cr_expect_eq(gy_cluster_find_node(c, "", 0), GY_NONE);
    cr_expect_eq(gy_cluster_find_node(c, "n1:0", 2), 1, "only n bytes count");
    gy_cluster_free(c);
}

Test(shorthand, shares_a_gpu_type_whatever_its_case_and_keeps_the_text)
{
    gy_cluster *c = load("2x8:H100+1x8:h100+1x4:my-gpu");
    check_cluster(c);
    expect_line(c, "4 nodes, 28 GPUs (24 H100, 4 my-gpu)");
    cr_expect_eq(c->ngpu_types, 2);
    cr_expect_eq(c->nnode_types, 2);
    cr_expect_eq(c->gpu_types[0].mem_micro, 80000000);
    cr_expect_eq(c->gpu_types[1].mem_micro, 0, "not in the catalogue");
    cr_expect_eq(gy_cluster_find_gpu_type(c, "h100", 4), 0);
    cr_expect_eq(gy_cluster_find_gpu_type(c, "MY-GPU", 6), 1);
    cr_expect_eq(gy_cluster_find_gpu_type(c, "h10", 3), GY_NONE);
    cr_expect_eq(gy_cluster_find_gpu_type(c, "h1000", 5), GY_NONE);
    gy_cluster_free(c);
}

Test(shorthand, takes_sockets_cpus_and_memory_from_a_node_of_the_catalogue)
{
    static const char *const specs[] = {"3x8:dgx-h100", "3xdgx-h100", "3x8:DGX-H100"};
    for (size_t i = 0; i < COUNT_OF(specs); i++) {
        gy_cluster *c = load(specs[i]);
        check_cluster(c);
        expect_line(c, "3 nodes, 24 GPUs (24 h100)");
        cr_expect_str_eq(type_of(c, 0)->name, "dgx-h100");
        cr_expect_eq(type_of(c, 0)->sockets, 2);
        cr_expect_eq(type_of(c, 0)->cpus_micro, 224000000);
        cr_expect_eq(type_of(c, 0)->mem_micro, 2048000000);
        cr_expect(c->has_cpus && c->has_mem);
        gy_cluster_free(c);
    }
    gy_cluster *c = load("20x4:gb200-nvl72");
    cr_expect_eq(c->nnvlinks, 2);
    cr_expect_eq(c->nodes[17].nvlink, 0);
    cr_expect_eq(c->nodes[18].nvlink, 1);
    gy_cluster_free(c);
}

Test(shorthand, reaches_the_most_nodes_and_gpus)
{
    gy_cluster *c = load("1x4096+100000x1");
    cr_expect_eq(c->nnodes, 100001);
    cr_expect_eq(c->gpus, 104096);
    check_cluster(c);
    gy_cluster_free(c);
}

Test(levels, make_pods_leaves_and_nodes)
{
    gy_cluster *c = load("pod:2 leaf:8 node:16 gpu:8@h100");
    check_cluster(c);
    expect_line(c, "256 nodes, 2048 GPUs (2048 h100), 16 leaves in 2 pods");
    for (uint32_t i = 0; i < c->nnodes; i++) {
        cr_expect_eq(c->nodes[i].leaf, i / 16);
        cr_expect_eq(c->nodes[i].pod, i / 128);
    }
    cr_expect_str_eq(c->leaf_names[15], "l15");
    cr_expect_str_eq(c->pod_names[1], "p1");
    gy_cluster_free(c);
}

Test(levels, may_be_left_out_but_for_nodes)
{
    static const struct {
        const char *spec, *line;
        uint32_t sockets, nvlinks;
    } rows[] = {
        {"node:4 gpu:8", "4 nodes, 32 GPUs", 1, 4},
        {"  leaf:2\tnode:4  gpu:8 ", "8 nodes, 64 GPUs, 2 leaves", 1, 8},
        {"rack:2 node:4 gpu:8", "8 nodes, 64 GPUs, 2 leaves", 1, 8},
        {"pod:2 node:4 gpu:8@a100", "8 nodes, 64 GPUs (64 a100), 2 pods", 1, 8},
        {"node:2 socket:2 gpu:4@v100", "2 nodes, 16 GPUs (16 v100)", 2, 2},
        {"leaf:1 nvlink:8 node:18@gb200-nvl72", "144 nodes, 576 GPUs (576 gb200), 1 leaf", 2, 8},
        {"node:2@dgx-2", "2 nodes, 32 GPUs (32 v100-32gb)", 2, 2},
        {"node:2 gpu:8@dgx-h100", "2 nodes, 16 GPUs (16 h100)", 2, 2},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        gy_cluster *c = load(rows[i].spec);
        check_cluster(c);
        expect_line(c, rows[i].line);
        cr_expect_eq(type_of(c, 0)->sockets, rows[i].sockets, "%s", rows[i].spec);
        cr_expect_eq(c->nnvlinks, rows[i].nvlinks, "%s", rows[i].spec);
        gy_cluster_free(c);
    }
}

Test(spec, errors_say_what_is_wrong_and_what_to_write)
{
    static const struct {
        const char *spec, *texts[4];
    } rows[] = {
        {"", {"no cluster", "gpuyard cluster list"}},
        {"4x", {"4x", "number of GPUs", "4x8:h100+2x4:t4"}},
        {"4x8:", {"type is missing", "4x8:h100+2x4:t4"}},
        {"4x8+", {"part is missing", "4x8:h100+2x4:t4"}},
        {"4x8++4x8", {"part is missing"}},
        {"4x8+x8", {"in \"x8\"", "number of nodes is missing"}},
        {"0x8", {"between 1 and 4194304"}},
        {"4x0", {"between 1 and 4096"}},
        {"4x4097", {"between 1 and 4096"}},
        {"4194305x1", {"between 1 and 4194304"}},
        {"99999999999999999999x1", {"between 1 and 4194304"}},
        {"4194304x1+1x1", {"4194305 nodes", "at most 4194304"}},
        {"4x8h100", {"colon"}},
        {"4x8 h100", {"colon"}},
        {"4x8:a|b", {"none of them |"}},
        {"4x4:dgx-h100", {"a dgx-h100 has 8 GPUs, not 4"}},
        {"4x8:dgx-h10", {"did you mean \"dgx-h100\"?"}},
        {"4x8:DGX-h10", {"did you mean \"dgx-h100\"?"}},
        {"4xfoo", {"no node \"foo\""}},
        {"4xh100", {"4x8:h100"}},
        {"x8", {"neither", "4x8:h100"}},
        {"phily", {"did you mean \"philly\"?"}},
        {"superpod-h100", {"did you mean \"superpod-", "neither"}},
        {"dgx-h100", {"is a node", "16xdgx-h100"}},
        {"h100", {"is a GPU type", "16x8:h100"}},
        {"./nothing", {"./nothing", "no such cluster file"}},
        {"nothing.json", {"nothing.json", "no such cluster file", "gpuyard cluster list"}},
        {"gpus:8", {"names no level", "did you mean \"gpu\"?"}},
        {"zzzzzzz:8", {"names no level", "pod, leaf"}},
        {"node:8", {"how many GPUs"}},
        {"gpu:8", {"how many nodes"}},
        {"node:8 leaf:2 gpu:8", {"\"leaf:2\"", "wrong order"}},
        {"node:8 node:2 gpu:8", {"wrong order"}},
        {"node:8 gpu:8 x", {"names no level"}},
        {"node:8 gpu", {"needs a number"}},
        {"node:8 gpu:0", {"needs a number"}},
        {"node:8 gpu:x", {"needs a number"}},
        {"node:8 gpu:4097", {"needs a number"}},
        {"node:8 socket:2 gpu:4096", {"more than 4096 GPUs"}},
        {"pod:4096 leaf:4096 node:2 gpu:1", {"more than 4194304 nodes"}},
        {"pod:4194304 leaf:4194304 node:4194304 gpu:1", {"more than 4194304 nodes"}},
        {"node:8 gpu:8@", {"not understood"}},
        {"node:8@dgx-h100 gpu:8@h100", {"not understood"}},
        {"pod:2@h100 node:8 gpu:8", {"not understood"}},
        {"node:8 gpu:4@dgx-h100", {"has 8 GPUs, not 4"}},
        {"node:8 socket:3@dgx-h100 gpu:1", {"not understood"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        expect_error(rows[i].spec, GY_EINVAL, rows[i].texts);
    expect_error("/", GY_EIO, (const char *const[]){"is a folder", NULL});
    cr_expect_eq(gy_cluster_load(&(gy_cluster *){NULL}, "4x", NULL), GY_EINVAL,
                 "without a place for the text");
}

Test(spec, more_than_64_gpu_types_are_refused)
{
    char spec[1024] = "1x1:t0";
    for (int i = 1; i < GY_GPU_TYPES_MAX; i++)
        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "+1x1:t%d", i);
    gy_cluster *c = load(spec);
    cr_expect_eq(c->ngpu_types, GY_GPU_TYPES_MAX);
    check_cluster(c);
    gy_cluster_free(c);
    strcat(spec, "+1x1:t64");
    expect_error(spec, GY_EINVAL, (const char *const[]){"\"t64\" is one too many", "64", NULL});
}

Test(file, overrides_what_the_catalogue_says)
{
    gy_cluster *c = load_json(
        "// comments are allowed\n"
        "{\"nodes\": [{\"count\": 2, \"type\": \"dgx-h100\", \"mem_gb\": 1024.5},\n"
        " /* and here */ {\"count\": 3, \"type\": \"DGX-H100\", \"gpus\": 4, \"gpu_type\": \"H100\",\n"
        " \"cpus\": 12.25, \"sockets\": 4, \"prefix\": \"small\"},\n"
        " {\"gpus\": 0, \"cpus\": 64}]}");
    check_cluster(c);
    expect_line(c, "6 nodes, 28 GPUs (28 h100)");
    cr_expect_eq(strncmp(c->name, "test_cluster_", 13), 0);
    cr_expect_eq(strlen(c->sha256), 64);
    cr_expect_eq(type_of(c, 0)->mem_micro, 1024500000);
    cr_expect_eq(type_of(c, 0)->cpus_micro, 224000000);
    cr_expect_eq(type_of(c, 2)->gpus, 4);
    cr_expect_eq(type_of(c, 2)->sockets, 4);
    cr_expect_eq(type_of(c, 2)->cpus_micro, 12250000);
    cr_expect_eq(type_of(c, 2)->mem_micro, 2048000000);
    cr_expect_eq(type_of(c, 5)->gpus, 0);
    cr_expect_eq(type_of(c, 5)->mem_micro, -1);
    cr_expect_eq(gy_cluster_find_node(c, "small2", 6), 4);
    cr_expect_eq(gy_cluster_find_node(c, "n2", 2), 5, "a prefix has its own numbers");
    gy_cluster_free(c);
}

Test(file, is_hashed_as_it_lies_on_disk)
{
    const char *path = file_with(".json", "{\"nodes\":[{\"gpus\":1}]}");
    gy_cluster *c = load(path);
    cr_expect_str_eq(c->sha256, "f89a9009a24110cc131123d83b3f1bb9bb65e3fcea3aaf4d20ca22725594e866");
    gy_cluster_free(c);
    unlink(path);
}

Test(file, knows_queues_their_nodes_and_their_quotas)
{
    gy_cluster *c =
        load_json("{\"name\": \"mine\", \"queues\": [{\"name\": \"q1\", \"quota\": 4.5, \"weight\": 0.25},"
                  "{\"name\": \"vc a\"}, {\"name\": \"q0\", \"quota\": 0}],"
                  "\"nodes\": [{\"gpus\": 8}, {\"gpus\": 8, \"queue\": \"vc a\"}]}");
    check_cluster(c);
    cr_expect_str_eq(c->name, "mine");
    cr_expect_eq(c->nqueues, 3);
    cr_expect(c->has_quota);
    cr_expect_eq(c->queues[0].quota_milli, 4500);
    cr_expect_eq(c->queues[0].weight_micro, 250000);
    cr_expect(!c->queues[0].owns_nodes);
    cr_expect_eq(c->queues[1].quota_milli, -1);
    cr_expect_eq(c->queues[1].weight_micro, 1000000);
    cr_expect(c->queues[1].owns_nodes);
    cr_expect_eq(c->queues[2].quota_milli, 0);
    cr_expect_eq(c->nodes[0].queue, GY_NONE);
    cr_expect_eq(c->nodes[1].queue, 1);
    cr_expect_eq(gy_cluster_find_queue(c, "q2", 2), GY_NONE);
    gy_cluster_free(c);

    c = load_json("{\"nodes\": [{\"gpus\": 8, \"queue\": \"b\"}, {\"gpus\": 8, \"queue\": \"a\"},"
                  "{\"gpus\": 8, \"queue\": \"b\"}]}");
    check_cluster(c);
    cr_expect_eq(c->nqueues, 2, "nodes alone make queues too");
    cr_expect(!c->has_quota);
    cr_expect_eq(c->nodes[2].queue, 0);
    gy_cluster_free(c);
}

Test(file, puts_a_group_into_its_leaf_and_its_domain)
{
    gy_cluster *c =
        load_json("{\"nodes\": [{\"count\": 3, \"gpus\": 8, \"leaf\": \"west\", \"nvlink\": \"r1\"},"
                  "{\"count\": 2, \"gpus\": 8, \"leaf\": \"east\", \"pod\": \"p\", \"nvlink\": 2},"
                  "{\"gpus\": 8, \"leaf\": \"east\", \"nvlink\": \"r1\"}, {\"gpus\": 8}]}");
    check_cluster(c);
    expect_line(c, "7 nodes, 56 GPUs, 2 leaves in 1 pod");
    cr_expect_str_eq(leaf_of(c, 2), "west");
    cr_expect_str_eq(pod_of(c, 2), "-");
    cr_expect_str_eq(leaf_of(c, 4), "east");
    cr_expect_str_eq(leaf_of(c, 5), "east");
    cr_expect_str_eq(pod_of(c, 5), "p", "a leaf has one pod, whoever names it");
    cr_expect_str_eq(leaf_of(c, 6), "-");
    cr_expect_eq(c->nodes[0].nvlink, c->nodes[5].nvlink);
    cr_expect_eq(c->nodes[3].nvlink, c->nodes[4].nvlink);
    cr_expect_eq(c->nnvlinks, 3);
    gy_cluster_free(c);
}

Test(fabric, gives_leaves_and_pods_to_nodes_that_name_none)
{
    gy_cluster *c =
        load_json("{\"nodes\": [{\"count\": 70, \"type\": \"dgx-h100\"}], \"fabric\": \"superpod-h100\"}");
    check_cluster(c);
    expect_line(c, "70 nodes, 560 GPUs (560 h100), 3 leaves in 1 pod");
    cr_expect_str_eq(c->fabric, "superpod-h100");
    cr_expect_str_eq(leaf_of(c, 31), "l0");
    cr_expect_str_eq(leaf_of(c, 32), "l1");
    cr_expect_eq(c->net.nodes_per_leaf, 32);
    cr_expect_eq(c->net.rails, 8);
    cr_expect_eq(c->net.link_micro, 50000000);
    cr_expect_eq(c->net.oversub_micro, 1000000);
    cr_expect_eq(c->net.pod_oversub_micro, 0);
    gy_cluster_free(c);

    c = load_json("{\"nodes\": [{\"count\": 2, \"gpus\": 1, \"leaf\": \"l1\"}, {\"count\": 5, \"gpus\": 1},"
                  "{\"count\": 3, \"gpus\": 1, \"pod\": \"p0\"}], \"fabric\": {\"nodes_per_leaf\": 2,"
                  "\"leaves_per_pod\": 2, \"oversubscription\": 1.5}}");
    check_cluster(c);
    static const char *const leaves[] = {"l1", "l1", "l0", "l0", "l2", "l2", "l3", "l4", "l4", "l5"};
    static const char *const pods[] = {"p1", "p1", "p1", "p1", "p2", "p2", "p2", "p0", "p0", "p0"};
    for (uint32_t i = 0; i < c->nnodes; i++) {
        cr_expect_str_eq(leaf_of(c, i), leaves[i], "node %u: %s", i, leaf_of(c, i));
        cr_expect_str_eq(pod_of(c, i), pods[i], "node %u: %s", i, pod_of(c, i));
    }
    cr_expect_str_eq(c->fabric, "fabric");
    cr_expect_eq(c->net.oversub_micro, 1500000);
    gy_cluster_free(c);
}

Test(fabric, may_start_from_the_catalogue_and_change_it)
{
    gy_cluster *c = load_json("{\"nodes\": [{\"count\": 8, \"gpus\": 8}], \"fabric\": {\"name\": \"thin\","
                              "\"type\": \"superpod-h100\", \"nodes_per_leaf\": 4, \"oversubscription\": 3,"
                              "\"pod_oversubscription\": 7}}");
    check_cluster(c);
    expect_line(c, "8 nodes, 64 GPUs, 2 leaves in 1 pod");
    cr_expect_str_eq(c->fabric, "thin");
    cr_expect_eq(c->net.rails, 8);
    cr_expect_eq(c->net.oversub_micro, 3000000);
    cr_expect_eq(c->net.pod_oversub_micro, 7000000);
    gy_cluster_free(c);

    c = load_json("{\"nodes\": [{\"count\": 8, \"gpus\": 8}], \"fabric\": {\"link_gb_s\": 12.5}}");
    expect_line(c, "8 nodes, 64 GPUs");
    cr_expect_eq(c->net.link_micro, 12500000);
    gy_cluster_free(c);
}

Test(file, errors_name_file_place_and_remedy)
{
#define NODE "{\"gpus\": 8}"
    static const struct {
        const char *text, *texts[4];
    } rows[] = {
        {"{\"nodes\": [{\"count\": 1, \"gpu\": 8}]}", {"nodes[0]", "\"gpu\"", "did you mean \"gpus\"?"}},
        {"{\"nodes\": [" NODE ", {\"gpus\": 8, \"leef\": \"a\"}]}", {"nodes[1]", "\"leaf\"?"}},
        {"{\"node\": [" NODE "]}", {"\"node\"", "did you mean \"nodes\"?"}},
        {"{\"nodes\": [" NODE "], \"queues\": [{\"name\": \"a\", \"quotta\": 1}]}",
         {"queues[0]", "\"quota\"?"}},
        {"{\"nodes\": [" NODE "], \"fabric\": {\"nodes_per_leaves\": 1}}", {"fabric", "\"nodes_per_leaf\"?"}},
        {"{\"nodes\": [" NODE "], \"fabric\": \"superpod-h10\"}",
         {"fabric", "did you mean \"superpod-h100\"?"}},
        {"{\"nodes\": [" NODE "], \"fabric\": {\"type\": \"nothing-like-it\"}}",
         {"no fabric", "cluster list"}},
        {"{\"nodes\": [" NODE "], \"fabric\": 4}", {"fabric"}},
        {"{\"nodes\": [" NODE "], \"fabric\": {\"nodes_per_leaf\": 0}}",
         {"fabric", "nodes_per_leaf", "between 1"}},
        {"{\"nodes\": [" NODE "], \"fabric\": {\"link_gb_s\": -1}}", {"link_gb_s", "negative"}},
        {"{}", {"needs \"nodes\""}},
        {"{\"nodes\": []}", {"no GPU"}},
        {"{\"nodes\": [{\"gpus\": 0}]}", {"no GPU"}},
        {"{\"nodes\": {\"gpus\": 8}}", {"\"nodes\" must be a list"}},
        {"{\"nodes\": [8]}", {"nodes[0]", "object"}},
        {"{\"nodes\": [{\"count\": 4}]}", {"nodes[0]", "\"gpus\"", "\"type\""}},
        {"{\"nodes\": [{\"gpus\": -1}]}", {"nodes[0]", "\"gpus\" is -1", "between 0 and 4096"}},
        {"{\"nodes\": [{\"gpus\": 4097}]}", {"between 0 and 4096"}},
        {"{\"nodes\": [{\"gpus\": 1.5}]}", {"nodes[0]", "whole number"}},
        {"{\"nodes\": [{\"gpus\": \"8\"}]}", {"\"gpus\" must be a whole number"}},
        {"{\"nodes\": [{\"gpus\": 8, \"count\": 0}]}", {"\"count\" is 0"}},
        {"{\"nodes\": [{\"gpus\": 1, \"count\": 4194304}, " NODE "]}", {"nodes[1]", "at most 4194304"}},
        {"{\"nodes\": [{\"gpus\": 8, \"sockets\": 3}]}", {"8 GPUs", "3 sockets", "\"sockets\""}},
        {"{\"nodes\": [{\"type\": \"dgx-h100\", \"gpus\": 7}]}", {"7 GPUs", "2 sockets"}},
        {"{\"nodes\": [{\"gpus\": 8, \"sockets\": 0}]}", {"\"sockets\" is 0"}},
        {"{\"nodes\": [{\"gpus\": 8, \"cpus\": -1}]}", {"\"cpus\" must not be negative"}},
        {"{\"nodes\": [{\"gpus\": 8, \"cpus\": 1000001}]}", {"at most 1000000 CPUs"}},
        {"{\"nodes\": [{\"gpus\": 8, \"mem_gb\": 1e7}]}", {"at most 1000000 GB"}},
        {"{\"nodes\": [{\"gpus\": 8, \"mem_gb\": 0.0000001}]}", {"nodes[0]", "mem_gb"}},
        {"{\"nodes\": [{\"type\": \"dgx-h10\"}]}", {"no node \"dgx-h10\"", "did you mean \"dgx-h100\"?"}},
        {"{\"nodes\": [{\"type\": \"h100\"}]}", {"GPU type", "\"gpu_type\": \"h100\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"gpu_type\": \"\"}]}", {"GPU type \"\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"gpu_type\": \"a|b\"}]}", {"\"a|b\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"gpu_mem_gb\": 8}]}", {"needs a \"gpu_type\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"gpu_type\": \"h100\"}, {\"gpus\": 8, \"gpu_type\": \"H100\", "
         "\"gpu_mem_gb\": 94}]}",
         {"nodes[1]", "94 GB", "80 GB"}},
        {"{\"nodes\": [{\"gpus\": 8, \"prefix\": \"a b\"}]}", {"\"prefix\" \"a b\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"leaf\": \"\"}]}", {"\"leaf\" \"\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"leaf\": \"a;b\"}]}", {"\"leaf\" \"a;b\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"leaf\": 3}]}", {"nodes[0]", "\"leaf\" must be a text"}},
        {"{\"nodes\": [{\"gpus\": 8, \"nvlink\": true}]}", {"\"nvlink\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"nvlink\": 0}]}", {"\"nvlink\" is 0"}},
        {"{\"nodes\": [{\"gpus\": 8, \"leaf\": \"a\", \"pod\": \"p\"}, {\"gpus\": 8, \"leaf\": \"a\", "
         "\"pod\": \"q\"}]}",
         {"nodes[1]", "leaf \"a\"", "pod \"p\""}},
        {"{\"nodes\": [{\"gpus\": 8, \"queue\": \"prud\"}], \"queues\": [{\"name\": \"prod\"}]}",
         {"nodes[0]", "did you mean \"prod\"?"}},
        {"{\"nodes\": [" NODE "], \"queues\": [{\"quota\": 1}]}", {"queues[0]", "needs a \"name\""}},
        {"{\"nodes\": [" NODE "], \"queues\": [{\"name\": \"\"}]}", {"empty"}},
        {"{\"nodes\": [" NODE "], \"queues\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}",
         {"queues[1]", "already"}},
        {"{\"nodes\": [" NODE "], \"queues\": [{\"name\": \"a\", \"quota\": -1}]}", {"negative"}},
        {"{\"nodes\": [" NODE "], \"queues\": [{\"name\": \"a\", \"quota\": 0.0001}]}", {"quota"}},
        {"{\"nodes\": [" NODE "], \"queues\": [{\"name\": \"a\", \"weight\": 0}]}", {"above 0"}},
        {"{\"nodes\": [{\"gpus\": 8, \"gpus\": 4}]}", {"\"gpus\" stands twice"}},
        {"{\"nodes\": [{\"gpus\": 8, \"prefix\": \"n1\"}, {\"gpus\": 8, \"count\": 11}]}",
         {"two nodes are named n10"}},
        {"{\"nodes\": [" NODE "", {"not valid JSON"}},
        {"[" NODE "]", {"neither"}},
        {"job_id,submit_s\n", {"neither", "machineId"}},
        {"", {"neither"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *path = file_with(".json", rows[i].text);
        expect_error(path, GY_EPARSE, rows[i].texts);
        expect_error(path, GY_EPARSE, (const char *const[]){path, NULL});
        unlink(path);
    }
}

Test(machines, are_read_with_their_names_and_memory)
{
    const char *path =
        file_with("", "\xef\xbb\xbf\nmachineId, number of GPUs, single GPU mem\r\n"
                      "m31,8, 24GB\r\nm3,2, 12GB\n\nhost-007, 8,24 gb\ngateway,0,\nm4,2,12.5G");
    gy_cluster *c = load(path);
    unlink(path);
    check_cluster(c);
    expect_line(c, "5 nodes, 20 GPUs (16 24gb, 2 12gb, 2 12.5gb)");
    static const char *const names[] = {"m31", "m3", "host-007", "gateway", "m4"};
    for (uint32_t i = 0; i < COUNT_OF(names); i++)
        cr_expect_eq(gy_cluster_find_node(c, names[i], strlen(names[i])), i, "%s", names[i]);
    cr_expect_eq(gy_cluster_find_node(c, "host-7", 6), GY_NONE);
    cr_expect_eq(c->gpu_types[0].mem_micro, 24000000);
    cr_expect_eq(c->gpu_types[2].mem_micro, 12500000);
    cr_expect_eq(type_of(c, 3)->gpu_type, GY_NONE);
    cr_expect_eq(strlen(c->sha256), 64);
    gy_cluster_free(c);
}

Test(machines, errors_name_the_line)
{
#define HEAD "machineId,number of GPUs,single GPU mem\n"
    static const struct {
        const char *text, *texts[3];
    } rows[] = {
        {HEAD "m1,8,24GB\nm2,8\n", {"line 3", "three"}},
        {HEAD "m1,8,24GB,x\n", {"line 2", "4 cells"}},
        {HEAD "m1,eight,24GB\n", {"line 2", "\"eight\""}},
        {HEAD "m1,-1,24GB\n", {"line 2", "\"-1\""}},
        {HEAD "m1,8,24TB\n", {"\"24TB\"", "24GB"}},
        {HEAD "m1,8,GB\n", {"\"GB\""}},
        {HEAD ",8,24GB\n", {"line 2", "machine \"\""}},
        {HEAD "a b,8,24GB\n", {"machine \"a b\""}},
        {HEAD "m1,8,24GB\nm1,8,24GB\n", {"two nodes are named m1"}},
        {HEAD, {"no GPU"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *path = file_with("", rows[i].text);
        expect_error(path, GY_EPARSE, rows[i].texts);
        unlink(path);
    }
}

/* The real list has these numbers; the rows here are invented. */
Test(machines, any_name_prints_as_it_was_read)
{
    gy_stream r = gy_stream_of(7, GY_RANDOM_GENERATE, 0);
    gy_str text = {0};
    gy_names names = {0};
    gy_str_puts(&text, HEAD);
    while (names.n < 3000) {
        static const char alphabet[] = "0001289ab-._Z";
        char name[GY_NAME_BYTES_MAX + 1];
        uint32_t n = 1 + gy_stream_below(&r, gy_stream_below(&r, 8) ? 6 : GY_NAME_BYTES_MAX);
        for (uint32_t i = 0; i < n; i++)
            name[i] = alphabet[gy_stream_below(&r, sizeof alphabet - 1)];
        size_t before = names.n;
        gy_names_add(&names, name, n);
        if (names.n > before)
            gy_str_printf(&text, "%.*s,%u,%uGB\n", (int)n, name, gy_stream_below(&r, 9),
                          gy_stream_below(&r, 40));
    }
    const char *path = file_with("", text.s);
    gy_cluster *c = load(path);
    unlink(path);
    check_cluster(c);
    cr_assert_eq(c->nnodes, names.n);
    for (uint32_t i = 0; i < c->nnodes; i++) {
        char name[80];
        gy_cluster_node_name(c, i, name);
        cr_assert_str_eq(name, gy_names_text(&names, i));
    }
    gy_cluster_free(c);
    gy_names_fini(&names);
    gy_str_fini(&text);
}
