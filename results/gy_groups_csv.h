/* gy_groups_csv.h - users.csv and queues.csv.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_GROUPS_CSV_H
#define GY_GROUPS_CSV_H

#include "gy_groups.h"
#include "gy_output.h"

/* One row for each name that has jobs which count or held GPUs in the window, in the order of their first use
 * in the trace.  `what` is the head of the first column. */
void gy_groups_write(gy_out *out, const char *what, const gy_groups *g, const gy_names *names);

#endif
