/* gy_quota_csv.h - daily quotas of virtual clusters, as Helios publishes them (cluster_gpu_number.csv): one
 * row for each day, one column for each virtual cluster, and their total. SPDX-License-Identifier:
 * GPL-3.0-or-later
 */
#ifndef GY_QUOTA_CSV_H
#define GY_QUOTA_CSV_H

#include "gy_events.h"
#include "gy_input.h"

/* Adds quota events for every virtual cluster of the file and sorts *v: at time 0 the quota of the day in
 * which the trace's zero lies, and later one for each change, at local midnight.  A zero before the first day
 * takes the first day's quota.
 *
 * tz: zone of the dates; NULL: Asia/Shanghai.  zero_epoch_us: Unix time of the trace's zero
 * (gy_jobs.zero_epoch_us); GY_NEVER is GY_EINVAL, for dates mean nothing then.  notes: lines for stderr are
 * appended (days that are missing, a zero outside of the file's days); may be NULL.  Dates must ascend and
 * totals be right: else GY_EPARSE with file, line and value. */
gy_rc gy_quota_csv_load(gy_events *v, const char *path, const char *tz, int64_t zero_epoch_us, gy_str *notes,
                        gy_err *e);
gy_rc gy_quota_csv_read(gy_events *v, gy_input *in, const char *tz, int64_t zero_epoch_us, gy_str *notes,
                        gy_err *e);

#endif
