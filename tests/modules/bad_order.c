/* bad_order.c - order modules that misbehave at work.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME is the module's name, FAULT says what it does.
 */
#include <signal.h>
#include <time.h>

#include "module.h"

enum fault {
    CRASHES,     /* in key() */
    ABORTS,      /* likewise */
    LEAVES,      /* ends the program */
    PEEKS,       /* reads the true length and declares nothing */
    ESTIMATES,   /* asks for estimates and does not say so */
    ACTS,        /* starts a job in key() */
    STRANGER,    /* asks for a job that does not exist */
    FUTURE,      /* asks for a job that was not submitted yet */
    NO_NODE,     /* asks for a node that does not exist */
    FICKLE,      /* another key each time, declared as one that never changes */
    DRIFTS,      /* a key that changes with time, declared as one that never does */
    WRONG_SLOPE, /* a linear key that grows twice as fast as it says */
    WRONG_OWN,   /* changes with time, declared to change with the job's own events */
    OWN_WAY,     /* a key of the job, declared as one of its user */
    STATICS,     /* has variables of its own */
    CLOCK,       /* reads the clock */
    TOO_MUCH,    /* declares a class that it does not read */
    EXPORTS,     /* shows more than its entry */
};
#define IS(fault) (FAULT == (fault))

#if FAULT == 14
static int64_t calls; /* the fault */
#elif FAULT == 17
GY_EXPORT int test_module_extra(void);

int test_module_extra(void)
{
    return 1;
}
#endif

static int64_t strange_key(const gy_host *h, gy_view *v, uint32_t job)
{
    gy_node_info node;
    gy_job_info j;
    switch ((enum fault)FAULT) {
    case CRASHES: raise(SIGSEGV); return 0;
    case ABORTS: abort();
    case LEAVES: exit(7);
    case PEEKS: return h->length_us(v, job);
    case ESTIMATES: return h->estimate_us(v, job);
    case ACTS: return h->start(v, job, NULL, 0);
    case STRANGER: h->job(v, 1000000, &j, sizeof j); return j.submit_us;
    case FUTURE: h->job(v, job + 1, &j, sizeof j); return j.submit_us;
    case NO_NODE: h->node(v, 4711, &node, sizeof node); return node.gpus;
    case FICKLE: return (int64_t)(h->draw(v) >> 1);
    case DRIFTS:
    case WRONG_OWN: return h->now_us(v);
    case OWN_WAY: return job;
    case CLOCK: return time(NULL) > 0;
#if FAULT == 14
    case STATICS: return ++calls / 40;
#endif
    default: return 0;
    }
}

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    const gy_host *h = self;
    gy_attained had;
    if (IS(WRONG_SLOPE)) {
        h->attained(v, job, &had, sizeof had);
        out->lane[0] = 2 * had.held_us;
        out->slope = 1;
        return;
    }
    out->lane[0] = strange_key(h, v, job);
}

static const gy_order_ops ops = {
    .size = sizeof ops,
    .lanes = 1,
    .change = IS(WRONG_SLOPE)                ? GY_KEY_LINEAR
              : IS(WRONG_OWN) || IS(STATICS) ? GY_KEY_OWN
              : IS(OWN_WAY)                  ? GY_KEY_USER
                                             : GY_KEY_NEVER,
    .slope_kind = GY_SLOPE_HELD,
    .key = key,
};

PLAIN_MODULE(NAME, GY_STAGE_ORDER,
             IS(WRONG_SLOPE) ? GY_K2_ATTAINED
             : IS(TOO_MUCH)  ? GY_K1_LIMIT
                             : GY_K0_REQUEST,
             0, .ops = &ops)
