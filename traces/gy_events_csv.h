/* gy_events_csv.h - cluster events from a CSV file: time_s,event,target,value.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * | event                | target                                             | value                    |
 * |----------------------|----------------------------------------------------|--------------------------|
 * | down up drain undrain| node `n0`, GPUs `n0:3` or `n0:0-3,6`, leaf or pod  | empty                    |
 * | quota                | queue                                              | GPUs, or `none` for none |
 *
 * time_s is on the axis of the trace.  The order of rows matters only where it is the last tie.
 */
#ifndef GY_EVENTS_CSV_H
#define GY_EVENTS_CSV_H

#include "gy_events.h"
#include "gy_input.h"
#include "gy_jobs.h"

/* Adds the events of the file to *v and sorts all of them.  An event for a leaf or a pod becomes one for each
 * of its nodes.  Targets must exist in the cluster; a queue may also be one that jobs of the trace name (jobs
 * may be NULL). GY_EPARSE names file, line and value, and what was probably meant.  After an error *v holds
 * what came before it. */
gy_rc gy_events_csv_load(gy_events *v, const char *path, const gy_cluster *c, const gy_jobs *jobs, gy_err *e);
gy_rc gy_events_csv_read(gy_events *v, gy_input *in, const gy_cluster *c, const gy_jobs *jobs, gy_err *e);

#endif
