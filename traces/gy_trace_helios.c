/* gy_trace_helios.c - SenseTime Helios (SC'21): cluster_log.csv, one row for each Slurm job of one cluster.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stamps are China time without a zone.  Run time is end_time - start_time; the columns duration and queue
 * only confirm it.  Ids repeat from cluster to cluster, so one file holds one cluster.
 */
#include <string.h>

#include "gy_families_internal.h"

enum { ID, USER, VC, GPUS, CPUS, STATE, SUBMIT, START, END, DURATION, QUEUE, NODES, NAME, NCOLUMNS };

static const struct gy_family_column columns[NCOLUMNS] = {
    [ID] = {"job_id", GY_NEED_MUST, 0, 0},
    [USER] = {"user", GY_NEED_MAY, 0, 0},
    [VC] = {"vc", GY_NEED_MUST, 0, 0},
    [GPUS] = {"gpu_num", GY_NEED_MUST, 0, 0},
    [CPUS] = {"cpu_num", GY_NEED_MAY, 0, 0},
    [STATE] = {"state", GY_NEED_MUST, 0, 0},
    [SUBMIT] = {"submit_time", GY_NEED_MUST, 0, 0},
    [START] = {"start_time", GY_NEED_MUST, 0, 0},
    [END] = {"end_time", GY_NEED_MUST, 0, 0},
    [DURATION] = {"duration", GY_NEED_MAY, 0, 0},
    [QUEUE] = {"queue", GY_NEED_MAY, 0, 0},
    [NODES] = {"node_num", GY_NEED_NOTED, 0, 0},
    [NAME] = {"jobname", GY_NEED_NOTED, 0, 0},
};

struct state {
    const char *name;
    uint8_t log_state;
    bool live; /* it had not ended when the log was taken */
    bool ran;  /* such a job must have started */
};

static const struct state states[] = {
    {"COMPLETED", GY_LOG_COMPLETED, false, true},  {"CANCELLED", GY_LOG_KILLED, false, false},
    {"FAILED", GY_LOG_FAILED, false, false},       {"TIMEOUT", GY_LOG_TIMEOUT, false, true},
    {"NODE_FAIL", GY_LOG_NODE_FAIL, false, false}, {"RUNNING", GY_LOG_COMPLETED, true, true},
    {"SUSPENDED", GY_LOG_COMPLETED, true, true},   {"PENDING", GY_LOG_COMPLETED, true, false},
};

static const struct state *state_of(gy_slice name)
{
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (gy_slice_is(name, states[i].name))
            return &states[i];
    return NULL;
}

/* One of the two columns that repeat what the stamps say. */
static void confirm(struct gy_import *im, gy_slice text, int64_t us, const char *what, uint64_t line)
{
    int64_t said;
    char buf[40];
    gy_got got = gy_import_fixed(text, 6, &said);
    if (got == GY_GOT_NOTHING || (got == GY_GOT && said == us))
        return;
    gy_put_us(buf, us);
    gy_import_remark(im, GY_REMARK_DISAGREEMENT, line, what, "%.*s, the stamps say %s", (int)text.n, text.s,
                     buf);
}

/* Start and end, or the fate of a row that has none; *taken says that the row is dealt with. */
static gy_rc take_times(struct gy_import *im, const gy_slice *cell, const struct state *state, gy_job_row *r,
                        uint64_t line, bool *taken, gy_err *e)
{
    gy_got start = gy_import_stamp(im, cell[START], r->submit_us, line, &r->start_us);
    *taken = true;
    if (start == GY_GOT_BAD)
        return gy_import_reject(im, line, e, "start_time is no date and time", cell[START]);
    if (start == GY_GOT_NOTHING && state->ran)
        return gy_import_reject(im, line, e, "a job that ran has no start_time", cell[STATE]);
    if (start == GY_GOT_NOTHING)
        return gy_import_fate(im, GY_FATE_NEVER_STARTED, line, e, "no start_time", "%s", state->name);
    gy_got end = gy_import_stamp(im, cell[END], r->start_us, line, &r->end_us);
    if (end == GY_GOT_BAD)
        return gy_import_reject(im, line, e, "end_time is no date and time", cell[END]);
    if (state->live)
        return gy_import_fate(im, GY_FATE_CENSORED, line, e, "the state says it has not ended", "%s",
                              state->name);
    if (end == GY_GOT_NOTHING)
        return gy_import_fate(im, GY_FATE_CENSORED, line, e, "no end_time", "%s", state->name);
    if (r->start_us < r->submit_us)
        return gy_import_reject(im, line, e, "start_time lies before submit_time", cell[START]);
    if (r->end_us < r->start_us)
        return gy_import_reject(im, line, e, "end_time lies before start_time", cell[END]);
    *taken = false;
    return GY_OK;
}

static gy_rc take_row(struct gy_import *im, const gy_slice *cell, uint64_t line, gy_err *e)
{
    if (gy_is_missing(gy_slice_trim(cell[STATE])))
        return gy_import_reject(im, line, e, "no state", cell[ID]);
    const struct state *state = state_of(gy_slice_trim(cell[STATE]));
    char shown[GY_SHOWN_MAX];
    if (!state)
        return gy_fail(e, GY_EPARSE,
                       "%s:%" PRIu64 ": state \"%s\" is none of those that Helios has; is it another format?",
                       gy_input_path(im->in), line, gy_slice_show(cell[STATE], shown));
    gy_job_row r;
    gy_job_row_init(&r);
    im->jobs->zero_epoch_us = 0; /* stamps are Unix time until the table is moved to its zero */
    r.id = gy_slice_trim(cell[ID]);
    r.user = gy_slice_trim(cell[USER]);
    r.queue = gy_slice_trim(cell[VC]);
    r.log_state = state->log_state;
    r.note = (gy_slice){im->note.s, im->note.n};
    if (r.id.n == 0)
        return gy_import_reject(im, line, e, "no job_id", r.user);
    if (gy_import_fixed(cell[GPUS], 3, &r.gpus_milli) != GY_GOT)
        return gy_import_reject(im, line, e, "gpu_num is no number", cell[GPUS]);
    if (gy_import_fixed(cell[CPUS], 6, &r.cpus_micro) == GY_GOT_BAD)
        return gy_import_reject(im, line, e, "cpu_num is no number", cell[CPUS]);
    if (gy_import_stamp(im, cell[SUBMIT], INT64_MIN, line, &r.submit_us) != GY_GOT)
        return gy_import_reject(im, line, e, "submit_time is no date and time", cell[SUBMIT]);
    bool taken;
    gy_rc rc = take_times(im, cell, state, &r, line, &taken, e);
    if (taken || rc != GY_OK)
        return rc;
    r.duration_us = r.end_us - r.start_us;
    confirm(im, cell[DURATION], r.duration_us, "duration is not end_time - start_time; the stamps hold",
            line);
    confirm(im, cell[QUEUE], r.start_us - r.submit_us,
            "queue is not start_time - submit_time; the stamps hold", line);
    return gy_import_job(im, &r, line, e);
}

const struct gy_family gy_family_helios = {
    .name = "helios",
    .about = "SenseTime Helios: cluster_log.csv of one cluster; stamps are Asia/Shanghai unless --tz says "
             "otherwise",
    .tz = "Asia/Shanghai",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .row = take_row,
};
