/* gy_session.h - a policy at work on a trace and a cluster: one run, from its making to its outcome.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_SESSION_H
#define GY_SESSION_H

#include "gy_policy.h"
#include "gy_sim.h"

typedef struct gy_session gy_session;

/* Opens an instance of every module of the policy.  Everything passed is borrowed until gy_session_free();
 * events may be NULL.  A recorded policy on a trace without recorded starts is GY_EINVAL. */
gy_rc gy_session_create(gy_session **s, const gy_policy *policy, const gy_jobs *jobs,
                        const gy_cluster *cluster, const gy_events *events, const gy_options *options,
                        gy_err *e);
void gy_session_free(gy_session *s); /* NULL is allowed */

/* Told the state after each instant; before gy_session_run(). */
void gy_session_observe(gy_session *s, gy_instant_fn *fn, void *ctx);

/* One line of the decision log.  reason is enum gy_reason for "wait", else 0; text may be "". */
typedef void gy_decision_fn(void *ctx, int64_t t_us, const char *what, uint32_t job, uint32_t reason,
                            const char *text);
void gy_session_log(gy_session *s, gy_decision_fn *fn, void *ctx);

/* Runs to the end.  GY_EMODULE: a module broke a rule; the text names it, the job and the rule.  GY_ESTALL:
 * no progress. */
gy_rc gy_session_run(gy_session *s, gy_err *e);

/* After a run without error; valid until gy_session_free(). */
const gy_outcome *gy_session_outcome(const gy_session *s);
const gy_sim_notes *gy_session_notes(const gy_session *s);
/* True when the backfill stage plans and no job of the trace has an estimate, so that nothing can be
 * protected. */
bool gy_session_plans_blindly(const gy_session *s);
/* Recorded starts that could not be kept to the microsecond; 0 for other policies. */
uint32_t gy_session_late_replays(const gy_session *s);
/* Jobs that a replay could not place where the log says. */
uint32_t gy_session_placed_elsewhere(const gy_session *s);
/* True when the order is one of users and the trace names none. */
bool gy_session_lacks_users(const gy_session *s);
/* The admission module in use, or "none". */
const char *gy_session_admission(const gy_session *s);

#endif
