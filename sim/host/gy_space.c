/* gy_space.c - the place stage: searching a room for one job, and the levels of the topology around it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "gy_session_internal.h"

/* ---- services (gy_host) ---- */

/* Inside a group of nodes (a leaf, say) the searches are linear: groups are small. */
static uint32_t in_group(const gy_space *s, uint32_t units, uint32_t from, bool tightest, bool roomiest)
{
    uint32_t best = GY_NONE, best_value = 0;
    for (uint32_t i = 0; i < s->nnodes; i++) {
        uint32_t node = s->nodes[i], k;
        if (node < from || s->ss->sim->layout->domain[node] != s->domain)
            continue;
        if ((k = gy_room_can_hold(s->room, s->demand, node)) < units)
            continue;
        uint32_t value = tightest ? UINT32_MAX - s->room->free[node] : roomiest ? k : 1;
        if (value > best_value || (value == best_value && node < best)) {
            best = node;
            best_value = value;
        }
    }
    return best;
}

static uint32_t service_hold(gy_space *s, uint32_t node)
{
    if (node >= s->ss->sim->cluster->nnodes || s->ss->sim->layout->domain[node] != s->domain)
        return 0;
    if (s->nodes) {
        uint32_t i = 0;
        while (i < s->nnodes && s->nodes[i] != node)
            i++;
        if (i == s->nnodes)
            return 0;
    }
    if (s->whole_on != GY_NONE)
        return node == s->whole_on ? s->left : 0;
    uint32_t k = gy_room_can_hold(s->room, s->demand, node);
    return s->whole && k < s->demand->units ? 0 : k;
}

/* How many units a search asks of a node at least. */
static uint32_t least_units(const gy_space *s, uint32_t units)
{
    return s->whole ? s->demand->units : units ? units : 1;
}

static uint32_t service_free(gy_space *s, uint32_t node)
{
    if (node >= s->ss->sim->cluster->nnodes || s->room->closed[node])
        return 0;
    return s->room->free[node];
}

static uint32_t service_first(gy_space *s, uint32_t units, uint32_t from)
{
    if (s->whole_on != GY_NONE)
        return units <= s->left && s->left && from <= s->whole_on ? s->whole_on : GY_NONE;
    units = least_units(s, units);
    return s->nodes ? in_group(s, units, from, false, false)
                    : gy_room_first(s->room, s->demand, s->domain, units, from);
}

static uint32_t service_tightest(gy_space *s, uint32_t units)
{
    if (s->whole_on != GY_NONE)
        return service_first(s, units, 0);
    units = least_units(s, units);
    return s->nodes ? in_group(s, units, 0, true, false)
                    : gy_room_tightest(s->room, s->demand, s->domain, units);
}

static uint32_t service_roomiest(gy_space *s)
{
    if (s->whole) /* all that can hold it can hold as much */
        return service_first(s, 0, 0);
    return s->nodes ? in_group(s, 1, 0, false, true) : gy_room_roomiest(s->room, s->demand, s->domain);
}

static uint32_t service_count(gy_space *s, uint32_t units)
{
    uint32_t n = 0;
    for (uint32_t node = service_first(s, units, 0); node != GY_NONE;
         node = service_first(s, units, node + 1))
        n++;
    return n;
}

static uint32_t service_nth(gy_space *s, uint32_t units, uint32_t k)
{
    uint32_t node = service_first(s, units, 0);
    while (k-- > 0 && node != GY_NONE)
        node = service_first(s, units, node + 1);
    return node;
}

static void service_take(gy_space *s, uint32_t node, uint32_t units)
{
    if (units == 0 || units > s->left || service_hold(s, node) < units) {
        gy_fault(s->ss, GY_STAGE_PLACE, GY_NONE,
                 "it took %u units of node %u, which can hold %u (%u were left to take)", units, node,
                 service_hold(s, node), s->left);
        return;
    }
    s->left -= units;
    if (s->whole_on != GY_NONE)
        return; /* all of it was claimed with the first units */
    s->nholds +=
        gy_room_claim(s->room, s->demand, node, s->whole ? s->demand->units : units, s->out + s->nholds);
    s->whole_on = s->whole ? node : GY_NONE;
}

static uint64_t service_draw(gy_space *s)
{
    return gy_stream_u64(&s->ss->inst[GY_STAGE_PLACE].stream);
}

const struct gy_space_services gy_space_services = {service_hold,     service_free,     service_first,
                                                    service_tightest, service_roomiest, service_count,
                                                    service_nth,      service_take,     service_draw};

/* ---- placing ---- */

static bool place_in(gy_session *ss, uint32_t job, gy_space *s)
{
    const gy_demand *d = s->demand;
    gy_request r = {job, d->units, d->share_milli ? d->share_milli : 1000 * d->unit_gpus,
                    ss->sim->jobs->shape[job]};
    gy_instance *in = &ss->inst[GY_STAGE_PLACE];
    s->left = d->units;
    s->nholds = 0;
    s->whole_on = GY_NONE;
    int placed = ss->place->place(in->self, s, &r);
    if (placed && s->left && !gy_faulted(ss))
        gy_fault(ss, GY_STAGE_PLACE, job, "it said that the job is placed and left %u of its %u units",
                 s->left, d->units);
    if (!placed || gy_faulted(ss)) {
        gy_room_give(s->room, d, s->out, s->nholds);
        s->nholds = 0;
        return false;
    }
    return true;
}

/* The rule among the nodes that can hold the whole job: once it has taken some of one, that is all there is.
 */
static bool place_in_node(gy_session *ss, uint32_t job, gy_space *s)
{
    s->whole = true;
    s->whole_on = GY_NONE;
    bool placed = service_first(s, 0, 0) != GY_NONE && place_in(ss, job, s);
    s->whole = false;
    s->whole_on = GY_NONE;
    return placed;
}

static void make_groups(gy_session *ss, enum gy_level level)
{
    uint32_t nnodes = ss->sim->cluster->nnodes;
    uint32_t *group = gy_alloc(nnodes, sizeof *group);
    uint32_t n = gy_layout_groups(ss->sim->layout, level, group);
    uint32_t *first = gy_alloc((size_t)n + 2, sizeof *first), *nodes = gy_alloc(nnodes, sizeof *nodes);
    for (uint32_t i = 0; i < nnodes; i++)
        if (group[i] != GY_NONE)
            first[group[i] + 2]++;
    for (uint32_t g = 0; g < n; g++)
        first[g + 2] += first[g + 1];
    for (uint32_t i = 0; i < nnodes; i++)
        if (group[i] != GY_NONE)
            nodes[first[group[i] + 1]++] = i;
    ss->group[level] = group;
    ss->group_first[level] = first;
    ss->group_nodes[level] = nodes;
    ss->ngroups[level] = n;
}

/* Free GPUs of a group that the job could use, and whether its units could fit by count. */
static bool group_may_fit(const gy_space *s, const uint32_t *nodes, uint32_t n, uint64_t *free)
{
    uint64_t units = 0;
    *free = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (s->ss->sim->layout->domain[nodes[i]] != s->domain)
            continue;
        uint32_t k = gy_room_can_hold(s->room, s->demand, nodes[i]);
        units += k;
        *free += s->room->closed[nodes[i]] ? 0 : s->room->free[nodes[i]];
    }
    return units >= s->demand->units;
}

/* Of the groups that can take the whole job, the one with fewest free GPUs, then the first. */
static bool place_in_group(gy_session *ss, uint32_t job, gy_space *s, enum gy_level level)
{
    if (level == GY_LEVEL_NODE)
        return place_in_node(ss, job, s);
    if (!ss->group[level])
        make_groups(ss, level);
    uint64_t after_free = 0, free;
    uint32_t after = GY_NONE; /* the last group tried: the next one is behind it in (free, number) */
    for (;;) {
        uint32_t best = GY_NONE;
        uint64_t best_free = UINT64_MAX;
        for (uint32_t g = 0; g < ss->ngroups[level]; g++) {
            const uint32_t *nodes = ss->group_nodes[level] + ss->group_first[level][g];
            uint32_t n = ss->group_first[level][g + 1] - ss->group_first[level][g];
            if (!group_may_fit(s, nodes, n, &free) || free >= best_free)
                continue;
            if (after != GY_NONE && (free < after_free || (free == after_free && g <= after)))
                continue;
            best = g;
            best_free = free;
        }
        if (best == GY_NONE)
            return false;
        s->nodes = ss->group_nodes[level] + ss->group_first[level][best];
        s->nnodes = ss->group_first[level][best + 1] - ss->group_first[level][best];
        bool placed = place_in(ss, job, s);
        s->nodes = NULL;
        if (placed || gy_faulted(ss))
            return placed;
        after = best;
        after_free = best_free;
    }
}

/* A closer preference goes before what is required; levels lie inside each other. */
static bool place_inside(gy_session *ss, uint32_t job, gy_space *s, enum gy_level require,
                         enum gy_level prefer)
{
    bool placed = false;
    if (prefer == GY_LEVEL_NODE && require != GY_LEVEL_NODE) {
        if (!ss->group[require])
            make_groups(ss, require);
        s->nodes = ss->group_nodes[require]; /* those that belong to some group */
        s->nnodes = ss->group_first[require][ss->ngroups[require]];
        placed = place_in_node(ss, job, s);
        s->nodes = NULL;
    } else if (prefer != GY_LEVEL_NONE && prefer < require) {
        placed = place_in_group(ss, job, s, prefer);
    }
    return placed || (!gy_faulted(ss) && place_in_group(ss, job, s, require));
}

uint32_t gy_space_place(gy_session *ss, uint32_t job, gy_room *room, gy_hold *out, bool *fits)
{
    const gy_demand *d = gy_sim_demand(ss->sim, job);
    gy_space s = {.ss = ss,
                  .room = room,
                  .demand = d,
                  .domain = gy_sim_domain(ss->sim, job),
                  .out = out,
                  .whole_on = GY_NONE};
    *fits = d->free;
    if (d->free || !gy_room_may_fit(room, d, s.domain))
        return 0;
    if (d->require != GY_LEVEL_NONE) {
        *fits = place_inside(ss, job, &s, (enum gy_level)d->require, (enum gy_level)d->prefer);
        return s.nholds;
    }
    if (d->prefer != GY_LEVEL_NONE && place_in_group(ss, job, &s, (enum gy_level)d->prefer)) {
        *fits = true;
        return s.nholds;
    }
    *fits = !gy_faulted(ss) && place_in(ss, job, &s);
    return s.nholds;
}

uint32_t gy_space_claim_same(gy_session *ss, uint32_t job, uint32_t n)
{
    const gy_demand *d = gy_sim_demand(ss->sim, job);
    gy_hold *to = ss->sim->scratch;
    uint32_t k = 0;
    if (d->share_milli) {
        gy_room_take(ss->sim->room, d, ss->holds, n);
        return n;
    }
    for (uint32_t i = 0; i < n; i++)
        k += gy_room_claim(ss->sim->room, d, ss->holds[i].node, ss->holds[i].units, to + k);
    memcpy(ss->holds, to, k * sizeof *to);
    return k;
}

uint32_t gy_space_place_more(gy_session *ss, uint32_t job, uint32_t more, gy_hold *out)
{
    gy_demand d = *gy_sim_demand(ss->sim, job);
    /* CPUs and memory go with the GPUs as they did when it started. */
    d.cpus_micro = gy_demand_part(d.cpus_micro, more, d.units);
    d.mem_micro = gy_demand_part(d.mem_micro, more, d.units);
    d.units = more;
    d.gpus_milli = 1000 * more;
    gy_space s = {.ss = ss,
                  .room = ss->sim->room,
                  .demand = &d,
                  .domain = gy_sim_domain(ss->sim, job),
                  .out = out,
                  .whole_on = GY_NONE};
    if (d.unit_gpus != 1 || !gy_room_may_fit(s.room, &d, s.domain) || !place_in(ss, job, &s))
        return 0;
    gy_room_give(s.room, &d, out, s.nholds);
    return s.nholds;
}

/* Could it ever start, on all that is installed? */
bool gy_space_feasible(gy_session *ss, uint32_t job)
{
    gy_sim *sim = ss->sim;
    uint32_t shape = sim->jobs->shape[job], domain = gy_sim_domain(sim, job);
    if (!ss->feasible)
        ss->feasible = gy_alloc((size_t)sim->jobs->nshapes * sim->layout->ndomains, 1);
    uint8_t *known = &ss->feasible[(size_t)shape * sim->layout->ndomains + domain];
    if (*known == 0) {
        bool fits;
        if (!ss->empty)
            ss->empty = gy_room_create(sim->layout, false, sim->shares);
        uint32_t n = gy_space_place(ss, job, ss->empty, ss->holds, &fits);
        gy_room_give(ss->empty, gy_sim_demand(sim, job), ss->holds, n);
        *known = fits ? 2 : 1;
    }
    return *known == 2;
}

void gy_space_fini(gy_session *ss)
{
    for (unsigned l = 0; l < GY_LEVELS; l++) {
        free(ss->group[l]);
        free(ss->group_nodes[l]);
        free(ss->group_first[l]);
    }
    gy_room_free(ss->empty);
    free(ss->feasible);
    free(ss->holds);
}
