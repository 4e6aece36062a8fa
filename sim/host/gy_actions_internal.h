/* gy_actions_internal.h - the actions of modules that schedule by themselves; see gpuyard/policy.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_ACTIONS_INTERNAL_H
#define GY_ACTIONS_INTERNAL_H

#include "gpuyard/policy.h"

int gy_action_start(gy_view *v, uint32_t job, const gy_piece *pieces, uint32_t n);
int gy_action_start_recorded(gy_view *v, uint32_t job);
void gy_action_stop(gy_view *v, uint32_t job, uint32_t mode);
int gy_action_resize(gy_view *v, uint32_t job, uint32_t gpus);
int gy_action_migrate(gy_view *v, uint32_t job, const gy_piece *pieces, uint32_t n);
void gy_action_reject(gy_view *v, uint32_t job, const char *text);
void gy_action_try_begin(gy_view *v);
void gy_action_try_end(gy_view *v, int keep);

#endif
