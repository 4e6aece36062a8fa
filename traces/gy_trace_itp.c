/* gy_trace_itp.c - Microsoft ITP 2021 (ElasticFlow, ASPLOS'23): job_id, submission_time, duration, num_gpu.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times are seconds from a start that the file does not name; jobs below 600 s were left out by its makers.
 */
#include "gy_families_internal.h"

enum { ID, SUBMIT, DURATION, GPUS, NCOLUMNS };

static const struct gy_family_column columns[NCOLUMNS] = {
    [ID] = {"job_id", GY_NEED_MUST, 0, 0},
    [SUBMIT] = {"submission_time", GY_NEED_MUST, 0, 0},
    [DURATION] = {"duration", GY_NEED_MUST, 0, 0},
    [GPUS] = {"num_gpu", GY_NEED_MUST, 0, 0},
};

static gy_rc take_row(struct gy_import *im, const gy_slice *cell, uint64_t line, gy_err *e)
{
    gy_job_row r;
    gy_job_row_init(&r);
    r.id = gy_slice_trim(cell[ID]);
    r.note = (gy_slice){im->note.s, im->note.n};
    if (r.id.n == 0)
        return gy_import_reject(im, line, e, "no job_id", r.id);
    if (gy_import_fixed(cell[SUBMIT], 6, &r.submit_us) != GY_GOT)
        return gy_import_reject(im, line, e, "submission_time is no number of seconds", cell[SUBMIT]);
    if (gy_import_fixed(cell[DURATION], 6, &r.duration_us) != GY_GOT)
        return gy_import_reject(im, line, e, "duration is no number of seconds", cell[DURATION]);
    if (gy_import_fixed(cell[GPUS], 3, &r.gpus_milli) != GY_GOT)
        return gy_import_reject(im, line, e, "num_gpu is no number", cell[GPUS]);
    return gy_import_job(im, &r, line, e);
}

const struct gy_family gy_family_itp = {
    .name = "itp",
    .about = "Microsoft ITP 2021: job_id, submission_time, duration, num_gpu; times in seconds",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .row = take_row,
};
