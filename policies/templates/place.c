/* place-@NAME@.c - small jobs fill up the fullest nodes, large ones begin on the emptiest.
 * SPDX-License-Identifier: MIT
 *
 * The place stage answers "on which GPUs?" for one job.  A job is `units` equal parts, each inside one node.
 * The host knows what every node can hold; place() takes units until none is left, or gives up.  It is asked
 * about now, about later times and in dry runs: all of them are a gy_space.
 */
#include <stdio.h>
#include <stdlib.h>

#include <gpuyard/policy.h>

/* One instance: one run.  A module has no variables of its own, since two runs may go on at once. */
struct instance {
    const gy_host *host;
    uint64_t large_milli;
};

/* values[i] belongs to settings[i] below.  A result other than 0 refuses them, with a sentence in error. */
static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = malloc(sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    *s = (struct instance){host, (uint64_t)values[0].number * 1000};
    *self = s;
    return 0;
}

static void close_instance(void *self)
{
    free(self);
}

/* The node to go on with, or GY_NIL when no node can hold even one unit. */
static uint32_t next_node(const struct instance *s, gy_space *space, int large, uint32_t left)
{
    if (large)
        return s->host->roomiest(space);
    uint32_t node = s->host->tightest(space, left);
    return node == GY_NIL ? s->host->tightest(space, 1) : node;
}

static int place(void *self, gy_space *space, const gy_request *r)
{
    const struct instance *s = self;
    int large = (uint64_t)r->units * r->unit_milli >= s->large_milli;
    uint32_t left = r->units;
    while (left > 0) {
        uint32_t node = next_node(s, space, large, left);
        if (node == GY_NIL)
            return 0; /* what was taken goes back */
        uint32_t units = s->host->hold(space, node);
        units = units < left ? units : left;
        s->host->take(space, node, units);
        left -= units;
    }
    return 1;
}

static const gy_setting settings[] = {
    /* name, kind, default, unit, help, least, most */
    {"large_gpus", GY_SETTING_INT, "8", "GPUs", "jobs of that many GPUs begin on the emptiest node", 1,
     1000000000},
};

static const gy_place_ops ops = {.size = sizeof ops, .place = place};

static const gy_module module = {
    .abi = GY_POLICY_ABI,
    .size = sizeof(gy_module),
    .name = "@NAME@",
    .stage = GY_STAGE_PLACE,
    .knowledge = GY_K0_REQUEST,
    .flags = GY_PLACE_COMPLETE, /* it finds room whenever all nodes together can hold the units */
    .nsettings = sizeof settings / sizeof *settings,
    .settings = settings,
    .summary = "Small jobs on the fullest nodes, large ones on the emptiest",
    .source = "the template of gpuyard",
    .complexity = "O(nodes taken) for each job",
    .deviations = "",
    .open = open_instance,
    .close = close_instance,
    .ops = &ops,
};

/* The one function that is exported. */
const gy_module *gy_policy_entry(void)
{
    return &module;
}
