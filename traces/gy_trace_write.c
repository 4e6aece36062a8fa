/* gy_trace_write.c - see gy_trace_write.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_trace_write.h"

#include <stdlib.h>
#include <string.h>

enum column {
    ID,
    SUBMIT,
    GPUS,
    DURATION,
    USER,
    GROUP,
    QUEUE,
    LIMIT,
    PRIORITY,
    STATE,
    GPU_TYPE,
    GPU_MEM,
    CPUS,
    MEM,
    TASKS,
    MIG,
    MIN_GPUS,
    MAX_GPUS,
    REQUIRE,
    PREFER,
    MODEL,
    CHECKPOINT,
    AFTER,
    DEADLINE,
    ELIGIBLE,
    START,
    END,
    PLACED,
    PREEMPTIBLE,
    SPOT,
    COLUMNS
};

enum when { IF_USED, COMMON, ALWAYS };

static const struct {
    const char *name;
    enum when when;
} columns[COLUMNS] = {
    [ID] = {"job_id", ALWAYS},
    [SUBMIT] = {"submit_s", ALWAYS},
    [GPUS] = {"gpus", ALWAYS},
    [DURATION] = {"duration_s", ALWAYS},
    [USER] = {"user", COMMON},
    [GROUP] = {"group", COMMON},
    [QUEUE] = {"queue", COMMON},
    [LIMIT] = {"limit_s", COMMON},
    [PRIORITY] = {"priority", IF_USED},
    [STATE] = {"state", ALWAYS},
    [GPU_TYPE] = {"gpu_type", COMMON},
    [GPU_MEM] = {"gpu_mem_gb", IF_USED},
    [CPUS] = {"cpus", IF_USED},
    [MEM] = {"mem_gb", IF_USED},
    [TASKS] = {"tasks", IF_USED},
    [MIG] = {"mig", IF_USED},
    [MIN_GPUS] = {"min_gpus", IF_USED},
    [MAX_GPUS] = {"max_gpus", IF_USED},
    [REQUIRE] = {"require", IF_USED},
    [PREFER] = {"prefer", IF_USED},
    [MODEL] = {"model", IF_USED},
    [CHECKPOINT] = {"checkpoint_s", IF_USED},
    [AFTER] = {"after", IF_USED},
    [DEADLINE] = {"deadline_s", IF_USED},
    [ELIGIBLE] = {"eligible_s", IF_USED},
    [START] = {"start_s", COMMON},
    [END] = {"end_s", COMMON},
    [PLACED] = {"placed", IF_USED},
    [PREEMPTIBLE] = {"preemptible", IF_USED},
    [SPOT] = {"spot", IF_USED},
};

struct writer {
    const gy_jobs *t;
    gy_out *out;
    bool used[COLUMNS];
    size_t nnotes;
};

/* ---- which columns ---- */

static bool names_used(const gy_names *names)
{
    return names->n > 1 || (names->n == 1 && gy_names_len(names, 0) > 0);
}

static void find_in_shapes(struct writer *w)
{
    for (uint32_t i = 0; i < w->t->nshapes; i++) {
        const gy_shape *s = &w->t->shapes[i];
        w->used[GPU_TYPE] |= s->types != GY_NAME_NONE;
        w->used[GPU_MEM] |= s->gpu_mem_micro != 0;
        w->used[CPUS] |= s->cpus_micro != 0;
        w->used[MEM] |= s->mem_micro != 0;
        w->used[TASKS] |= s->tasks != 0;
        w->used[MIG] |= s->mig != GY_NAME_NONE;
        w->used[MIN_GPUS] |= s->min_gpus != s->gpus_milli / 1000;
        w->used[MAX_GPUS] |= s->max_gpus != s->gpus_milli / 1000;
        w->used[REQUIRE] |= s->require != GY_LEVEL_NONE;
        w->used[PREFER] |= s->prefer != GY_LEVEL_NONE;
        w->used[MODEL] |= s->model != GY_NAME_NONE;
    }
}

static size_t count_cells(const char *line)
{
    size_t n = 1;
    bool quoted = false;
    for (; *line; line++) {
        quoted = quoted != (*line == '"');
        n += *line == ',' && !quoted;
    }
    return n;
}

static void find_used(struct writer *w, unsigned flags)
{
    const gy_jobs *t = w->t;
    for (int c = 0; c < COLUMNS; c++)
        w->used[c] = columns[c].when == ALWAYS || (columns[c].when == COMMON && (flags & GY_WRITE_COMMON));
    w->used[USER] |= names_used(&t->users);
    w->used[GROUP] |= names_used(&t->groups);
    w->used[QUEUE] |= names_used(&t->queues);
    w->used[LIMIT] |= t->limit_us != NULL;
    w->used[PRIORITY] |= t->priority != NULL;
    w->used[CHECKPOINT] |= t->checkpoint_us != NULL;
    w->used[AFTER] |= t->after != NULL;
    w->used[DEADLINE] |= t->deadline_us != NULL;
    w->used[ELIGIBLE] |= t->eligible_us != NULL;
    w->used[START] |= t->log_start_us != NULL;
    w->used[END] |= t->log_end_us != NULL;
    w->used[PLACED] |= t->log_placed != NULL;
    find_in_shapes(w);
    for (uint32_t j = 0; j < t->n; j++) {
        w->used[PREEMPTIBLE] |= (t->flags[j] & GY_JOB_NOT_PREEMPTIBLE) != 0;
        w->used[SPOT] |= (t->flags[j] & GY_JOB_SPOT) != 0;
    }
    w->nnotes = t->note_header ? count_cells(t->note_header) : 0;
}

/* ---- cells ---- */

static void put_fixed(struct writer *w, int64_t v, int digits)
{
    gy_out_end(w->out, gy_put_fixed(gy_out_room(w->out, 32), v, digits));
}

static void put_time(struct writer *w, int64_t us, int64_t empty)
{
    if (us != empty)
        put_fixed(w, us, 6);
}

static void put_micro(struct writer *w, int64_t v)
{
    if (v)
        put_fixed(w, v, 6);
}

static void put_name(struct writer *w, const gy_names *names, uint32_t id)
{
    if (id != GY_NAME_NONE)
        gy_out_cell(w->out, gy_names_text(names, id), gy_names_len(names, id));
}

static void put_count(struct writer *w, uint32_t v, uint32_t empty)
{
    if (v != empty)
        put_fixed(w, v, 0);
}

static void put_id(struct writer *w, uint32_t j)
{
    char buf[24];
    const char *s = gy_job_id_text(w->t, j, buf);
    gy_out_cell(w->out, s, strlen(s));
}

static void put_after(struct writer *w, uint32_t j)
{
    char buf[24];
    gy_str all = {0};
    const uint32_t *list = &w->t->after_list[w->t->after[j]];
    for (uint32_t k = 1; k <= list[0]; k++)
        gy_str_printf(&all, "%s%s", k > 1 ? ";" : "", gy_job_id_text(w->t, list[k], buf));
    gy_out_cell(w->out, all.s, all.n);
    gy_str_fini(&all);
}

static void put_shape_cell(struct writer *w, enum column c, const gy_shape *s)
{
    switch (c) {
    case GPUS: put_fixed(w, s->gpus_milli, 3); break;
    case GPU_TYPE: put_name(w, &w->t->type_lists, s->types); break;
    case GPU_MEM: put_micro(w, s->gpu_mem_micro); break;
    case CPUS: put_micro(w, s->cpus_micro); break;
    case MEM: put_micro(w, s->mem_micro); break;
    case TASKS: put_count(w, s->tasks, 0); break;
    case MIG: put_name(w, &w->t->texts, s->mig); break;
    case MIN_GPUS: put_count(w, s->min_gpus, s->gpus_milli / 1000); break;
    case MAX_GPUS: put_count(w, s->max_gpus, s->gpus_milli / 1000); break;
    case REQUIRE: gy_out_text(w->out, gy_level_names[s->require]); break;
    case PREFER: gy_out_text(w->out, gy_level_names[s->prefer]); break;
    case MODEL: put_name(w, &w->t->texts, s->model); break;
    default: gy_panic(__FILE__, __LINE__, "column %d is none of the shape", (int)c);
    }
}

static void put_cell(struct writer *w, enum column c, uint32_t j)
{
    const gy_jobs *t = w->t;
    switch (c) {
    case ID: put_id(w, j); break;
    case SUBMIT: put_fixed(w, t->submit_us[j], 6); break;
    case DURATION: put_fixed(w, t->duration_us[j], 6); break;
    case USER: put_name(w, &t->users, t->user[j]); break;
    case GROUP: put_name(w, &t->groups, t->group[j]); break;
    case QUEUE: put_name(w, &t->queues, t->queue[j]); break;
    case LIMIT: put_time(w, gy_job_limit(t, j), GY_NEVER); break;
    case PRIORITY:
        if (gy_job_priority(t, j))
            put_fixed(w, gy_job_priority(t, j), 0);
        break;
    case STATE: gy_out_text(w->out, gy_log_state_names[t->log_state[j]]); break;
    case CHECKPOINT: put_time(w, gy_job_checkpoint(t, j), GY_NEVER); break;
    case AFTER: put_after(w, j); break;
    case DEADLINE: put_time(w, gy_job_deadline(t, j), GY_NEVER); break;
    case ELIGIBLE: put_time(w, t->eligible_us[j], INT64_MIN); break;
    case START: put_time(w, gy_job_log_start(t, j), GY_NEVER); break;
    case END: put_time(w, gy_job_log_end(t, j), GY_NEVER); break;
    case PLACED: put_name(w, &t->texts, t->log_placed[j]); break;
    case PREEMPTIBLE: gy_out_text(w->out, t->flags[j] & GY_JOB_NOT_PREEMPTIBLE ? "0" : ""); break;
    case SPOT: gy_out_text(w->out, t->flags[j] & GY_JOB_SPOT ? "1" : ""); break;
    default: put_shape_cell(w, c, gy_job_shape(t, j)); break;
    }
}

/* Notes are CSV already. */
static void put_notes(struct writer *w, uint32_t j)
{
    uint32_t note = w->t->note ? w->t->note[j] : GY_NAME_NONE;
    gy_out_bytes(w->out, ",", 1);
    if (note != GY_NAME_NONE)
        gy_out_bytes(w->out, gy_names_text(&w->t->notes, note), gy_names_len(&w->t->notes, note));
    for (size_t i = 1; i < w->nnotes && note == GY_NAME_NONE; i++)
        gy_out_bytes(w->out, ",", 1);
}

static void put_header(struct writer *w)
{
    for (int c = 0; c < COLUMNS; c++) {
        if (!w->used[c])
            continue;
        gy_out_text(w->out, c ? "," : "");
        gy_out_text(w->out, columns[c].name);
    }
    if (w->nnotes) {
        gy_out_text(w->out, ",");
        gy_out_text(w->out, w->t->note_header);
    }
    gy_out_text(w->out, "\n");
}

static void put_row(struct writer *w, uint32_t j)
{
    for (int c = 0; c < COLUMNS; c++) {
        if (!w->used[c])
            continue;
        if (c)
            gy_out_bytes(w->out, ",", 1);
        put_cell(w, (enum column)c, j);
    }
    if (w->nnotes)
        put_notes(w, j);
    gy_out_bytes(w->out, "\n", 1);
}

void gy_trace_write(const gy_jobs *t, gy_out *out, unsigned flags)
{
    GY_ASSERT(t->finished);
    struct writer w = {.t = t, .out = out};
    find_used(&w, flags);
    put_header(&w);
    uint32_t *job_of_row = gy_alloc(t->n, sizeof *job_of_row);
    for (uint32_t j = 0; j < t->n; j++)
        job_of_row[t->row[j]] = j;
    for (uint32_t row = 0; row < t->n; row++)
        put_row(&w, job_of_row[row]);
    free(job_of_row);
}
