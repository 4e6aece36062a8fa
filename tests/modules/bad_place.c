/* bad_place.c - place modules that misbehave.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME is the module's name, FAULT says what it does.
 */
#include "module.h"

enum fault {
    LOOPS,      /* never comes back */
    OVERTAKES,  /* takes more than a node can hold */
    GREEDY,     /* takes more than was asked for */
    SHORT,      /* says that all is placed and took nothing */
    HALF,       /* says so, and leaves one unit */
    TAKES_NONE, /* takes no units at all */
    OFF,        /* takes from a node that does not exist */
    LIES,       /* declares to be complete and uses one node alone */
    MODEST,     /* the same, and declares nothing */
};

static int place(void *self, gy_space *s, const gy_request *r)
{
    const gy_host *h = self;
    uint32_t node = h->first(s, 1, 0);
    switch ((enum fault)FAULT) {
    case LOOPS:
        while (h->count(s, 1) < 1000000)
            continue;
        return 0;
    case OVERTAKES: h->take(s, node, h->hold(s, node) + 1); return 1;
    case GREEDY: h->take(s, node, r->units + 1); return 1;
    case SHORT: return 1;
    case HALF: return place_tightest(h, s, r->units - 1);
    case TAKES_NONE: h->take(s, node, 0); return 1;
    case OFF: h->take(s, 4711, 1); return 1;
    default: break;
    }
    node = h->tightest(s, r->units);
    if (node == GY_NIL)
        return 0;
    h->take(s, node, r->units);
    return 1;
}

static const gy_place_ops ops = {.size = sizeof ops, .place = place};

PLAIN_MODULE(NAME, GY_STAGE_PLACE, GY_K0_REQUEST, FAULT == MODEST ? 0 : GY_PLACE_COMPLETE, .ops = &ops)
