/* gy_trace_write.h - a job table as a canonical trace.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_TRACE_WRITE_H
#define GY_TRACE_WRITE_H

#include "gy_jobs.h"
#include "gy_output.h"

enum { /* flags of gy_trace_write() */
       /* Also write the columns that most logs have (user, group, queue, limit_s, gpu_type, start_s, end_s)
        * when no job has a value there, so that whoever reads the file finds them. */
       GY_WRITE_COMMON = 1,
};

/* Writes the table, which must be finished: the required columns and `state`, every other column in which
 * some job has a value, and the columns kept as notes; rows in the order of the trace; exact decimals.
 * Loading the file gives the same table, but for zero_epoch_us, which the format cannot say.  Errors of
 * writing are those of gy_out_close(). */
void gy_trace_write(const gy_jobs *t, gy_out *out, unsigned flags);

#endif
