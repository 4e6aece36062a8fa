/* cli_check_probe_internal.h - a module in its wrapping, shared by the wrapping and the claims it watches.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef CLI_CHECK_PROBE_INTERNAL_H
#define CLI_CHECK_PROBE_INTERNAL_H

#include "cli_check_internal.h"

typedef void check_key_fn(void *self, gy_view *v, uint32_t job, gy_key *out);

struct check_key_seen; /* what is known of a job's key, or of a user's */

struct check_probe {
    check *c;
    const check_world *w;
    enum check_probe_kind kind;
    uint32_t stage;
    const gy_module *module; /* the real one */
    void *self;
    const gy_host *host;
    const gy_value *given; /* the real settings */

    gy_module table; /* what the session sees instead */
    gy_notify notify;
    union gy_stage_ops ops;
    gy_value *values; /* [0] leads to this probe */
    struct {
        gy_host host;
        void *more[16]; /* members that this version does not know */
    } grown;

    int64_t last_us;
    /* keys, of the order or the evict stage */
    check_key_fn *key;
    uint32_t lanes, change, slope_kind;
    struct check_key_seen *job_keys, *user_keys;
    /* refusals: by queue, the least GPUs (thousandths) refused since something was given back */
    uint64_t *refused;
};

/* ---- cli_check_claims.c ---- */
void check_claims_open(check_probe *x);
void check_claims_close(check_probe *x);
/* Asks for a key as the host does, and once more. */
void check_key_ask(check_probe *x, gy_view *v, uint32_t job, gy_key *out);
/* Asks for every key there is, and compares with what was said before. */
void check_keys_look(check_probe *x, gy_view *v);
void check_keys_forget(check_probe *x, uint32_t job); /* it started, stopped or had a timer */
int check_place_ask(check_probe *x, gy_space *s, const gy_request *r);
int check_admit_ask(check_probe *x, gy_view *v, uint32_t job);
void check_admit_lift(check_probe *x, uint32_t queue);

#endif
