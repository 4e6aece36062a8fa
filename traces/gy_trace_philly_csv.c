/* gy_trace_philly_csv.c - Philly as the Pollux, Sia and ElasticFlow artifacts carry it: one row for each job.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * timestamp is the submission in local time, duration the sum over the attempts, num_gpus those of the first,
 * cluster the virtual cluster.  There are no ids: a job is called by its row, from 0.
 */
#include "gy_families_internal.h"

enum { SUBMIT, DURATION, GPUS, GPU_TIME, VC, NCOLUMNS };

static const struct gy_family_column columns[NCOLUMNS] = {
    [SUBMIT] = {"timestamp", GY_NEED_MUST, 0, 0}, [DURATION] = {"duration", GY_NEED_MUST, 0, 0},
    [GPUS] = {"num_gpus", GY_NEED_MUST, 0, 0},    [GPU_TIME] = {"gpu_time", GY_NEED_MAY, 0, 0},
    [VC] = {"cluster", GY_NEED_MUST, 0, 0},
};

static void confirm_gpu_time(struct gy_import *im, gy_slice text, const gy_job_row *r, uint64_t line)
{
    int64_t said;
    gy_got got = gy_import_fixed(text, 6, &said);
    gy_i128 product = (gy_i128)r->duration_us * r->gpus_milli;
    if (got == GY_GOT_NOTHING || (got == GY_GOT && (gy_i128)said * 1000 == product))
        return;
    gy_import_remark(im, GY_REMARK_DISAGREEMENT, line, "gpu_time is not duration x num_gpus; it is not used",
                     "%.*s", (int)text.n, text.s);
}

static gy_rc take_row(struct gy_import *im, const gy_slice *cell, uint64_t line, gy_err *e)
{
    char id[24];
    gy_job_row r;
    gy_job_row_init(&r);
    im->jobs->zero_epoch_us = 0; /* stamps are Unix time until the table is moved to its zero */
    r.id = (gy_slice){id, (size_t)(gy_put_uint(id, im->nrow) - id)};
    r.queue = gy_slice_trim(cell[VC]);
    r.note = (gy_slice){im->note.s, im->note.n};
    if (gy_import_stamp(im, cell[SUBMIT], INT64_MIN, line, &r.submit_us) != GY_GOT)
        return gy_import_reject(im, line, e, "timestamp is no date and time", cell[SUBMIT]);
    if (gy_import_fixed(cell[DURATION], 6, &r.duration_us) != GY_GOT)
        return gy_import_reject(im, line, e, "duration is no number of seconds", cell[DURATION]);
    if (gy_import_fixed(cell[GPUS], 3, &r.gpus_milli) != GY_GOT)
        return gy_import_reject(im, line, e, "num_gpus is no number", cell[GPUS]);
    confirm_gpu_time(im, cell[GPU_TIME], &r, line);
    return gy_import_job(im, &r, line, e);
}

const struct gy_family gy_family_philly_csv = {
    .name = "philly-csv",
    .about =
        "Philly as one CSV row per job: timestamp, duration, num_gpus, ...; stamps are America/Los_Angeles",
    .tz = "America/Los_Angeles",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .row = take_row,
};
