/* gy_decisions.h - decisions.jsonl: one line for every start, stop and end, and for every new reason to wait.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *     {"t_s":12.5,"what":"start","job":"17"}
 *     {"t_s":12.5,"what":"wait","job":"18","reason":"resources"}
 *
 * what: start, stop, end, fail, wait, resize, reject, note.  reason, for wait: resources, behind, admission,
 * reservation, policy.  A job is said to wait once for each reason, not at every pass; of jobs that ask for
 * the same the first one speaks for all.
 */
#ifndef GY_DECISIONS_H
#define GY_DECISIONS_H

#include "gy_jobs.h"
#include "gy_output.h"

typedef struct gy_decisions gy_decisions;

/* out and jobs are borrowed until gy_decisions_close(). */
gy_decisions *gy_decisions_open(gy_out *out, const gy_jobs *jobs);
/* Of the form that gy_session_log() wants; ctx is a gy_decisions. */
void gy_decisions_add(void *ctx, int64_t t_us, const char *what, uint32_t job, uint32_t reason,
                      const char *text);
void gy_decisions_close(gy_decisions *d); /* NULL is allowed; out stays open */

#endif
