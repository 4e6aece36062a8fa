/* gy_jobs.h - the job table: what a trace says about its jobs, as columns.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Importers fill it row by row, gy_jobs_finish() sorts it by (first submission, id), and from then on it is
 * read-only and may be shared between runs.  The index of a job in the sorted table is its rank in every tie.
 */
#ifndef GY_JOBS_H
#define GY_JOBS_H

#include "gy_arena.h"
#include "gy_number.h"
#include "gy_text.h"

/* Times of a trace lie within this of 0, some 36,500 years: sums of a few of them do not overflow. */
#define GY_TIME_MAX_US ((int64_t)1 << 60)

enum gy_log_state { /* how a job ended in the log */
                    GY_LOG_COMPLETED,
                    GY_LOG_FAILED,
                    GY_LOG_KILLED,
                    GY_LOG_TIMEOUT,
                    GY_LOG_NODE_FAIL,
                    GY_LOG_PREEMPTED,
                    GY_LOG_STATES
};
extern const char *const gy_log_state_names[GY_LOG_STATES];

enum gy_level { /* levels of the topology, for `require` and `prefer` */
                GY_LEVEL_NONE,
                GY_LEVEL_SOCKET,
                GY_LEVEL_NODE,
                GY_LEVEL_NVLINK,
                GY_LEVEL_LEAF,
                GY_LEVEL_POD,
                GY_LEVEL_ANY,
                GY_LEVELS
};
extern const char *const gy_level_names[GY_LEVELS]; /* "" for GY_LEVEL_NONE */

/* What a job asks for.  Equal requests share one entry: the entry's number is the base of the shape classes.
 */
typedef struct gy_shape {
    uint32_t gpus_milli;         /* thousandths; below 1000 a share of one GPU, else whole GPUs */
    uint32_t tasks;              /* equal parts, each inside one node; 0: may split anywhere */
    uint32_t types;              /* any-of list, number in gy_jobs.type_lists; GY_NAME_NONE: any type */
    uint32_t mig;                /* profile, number in gy_jobs.texts; GY_NAME_NONE: none */
    uint32_t model;              /* communication profile, likewise */
    uint32_t min_gpus, max_gpus; /* elastic range; both equal to the GPUs when it is rigid */
    uint8_t require, prefer;     /* enum gy_level */
    uint8_t padding[2];
    int64_t gpu_mem_micro; /* millionths of a GB, for each GPU; 0: no matter */
    int64_t cpus_micro;    /* of the whole job */
    int64_t mem_micro;     /* of the whole job */
} gy_shape;

/* An id: a number when its text is one in plain form, else a text.  See gy_job_id_text(). */
typedef uint64_t gy_job_id;

typedef struct gy_jobs {
    uint32_t n;
    size_t cap; /* of every column in use */
    bool finished;

    gy_job_id *id;
    int64_t *submit_us;
    int64_t *duration_us;
    uint32_t *shape;
    uint32_t *user, *group, *queue; /* numbers in users, groups, queues */
    uint32_t *row;                  /* position in the trace, from 0: the order of the outputs */
    uint8_t *log_state;             /* enum gy_log_state */
    uint8_t *flags;                 /* GY_JOB_... */

    /* Columns that many traces lack: NULL when no job has a value. */
    int64_t *limit_us;                  /* GY_NEVER: unlimited */
    int64_t *eligible_us;               /* INT64_MIN: with its submission */
    int64_t *deadline_us;               /* GY_NEVER: none */
    int64_t *priority;                  /* higher is more important; 0 */
    int64_t *checkpoint_us;             /* interval of work; GY_NEVER: only on orderly preemption */
    int64_t *log_start_us, *log_end_us; /* GY_NEVER: not in the log */
    uint32_t *log_placed;               /* text "n0:0-3;n1:0-3", number in texts; GY_NAME_NONE */
    uint32_t *after; /* offset into after_list, 0: none; the list there is its length and then jobs */
    uint32_t *note;  /* values of unknown columns, one CSV line, number in notes; GY_NAME_NONE */
    uint32_t *line;  /* line in the file; dropped by gy_jobs_finish() */

    gy_shape *shapes;
    uint32_t nshapes;
    size_t shapes_cap;
    uint32_t *after_list;
    size_t nafter, after_cap;
    gy_names users, groups, queues, texts, type_lists, notes;
    gy_arena ids;
    char *note_header;     /* names of the unknown columns, one CSV line; NULL */
    char *file;            /* path of the trace, for messages */
    int64_t zero_epoch_us; /* Unix time of the trace's zero; GY_NEVER when the trace has none */

    struct gy_jobs_build *build; /* only while rows are added */
} gy_jobs;

enum { /* gy_jobs.flags */
       GY_JOB_NOT_PREEMPTIBLE = 1,
       GY_JOB_SPOT = 2,
};

/* A piece of text, not NUL-terminated. */
typedef struct gy_slice {
    const char *s;
    size_t n;
} gy_slice;

/* One row before it is checked.  Texts are borrowed for the call. */
typedef struct gy_job_row {
    gy_slice id, user, group, queue, types, mig, model, after, placed, note;
    int64_t submit_us, duration_us;
    int64_t limit_us, eligible_us, deadline_us, checkpoint_us, start_us, end_us; /* GY_NEVER: empty */
    int64_t gpus_milli, tasks, min_gpus, max_gpus; /* tasks 0, min and max -1: empty */
    int64_t gpu_mem_micro, cpus_micro, mem_micro;
    int64_t priority;
    uint8_t log_state, require, prefer;
    bool not_preemptible, spot;
} gy_job_row;

void gy_job_row_init(gy_job_row *r); /* everything empty or at its default */

gy_jobs *gy_jobs_create(const char *file);
void gy_jobs_free(gy_jobs *t); /* NULL is allowed */

/* About n rows will come in all: makes room for them at once.  Only a hint. */
void gy_jobs_expect(gy_jobs *t, uint64_t n);

/* Checks a row and adds it.  GY_EPARSE names file, line, value and remedy: a share above one GPU, parts that
 * do not divide, a negative time, an unknown level, ... */
gy_rc gy_jobs_add(gy_jobs *t, const gy_job_row *r, uint64_t line, gy_err *e);

/* Sorts, finds ids that come twice, resolves `after` and refuses circles.  tie_seed 0 keeps (submission, id);
 * any other value orders equal submissions at random by that seed. */
gy_rc gy_jobs_finish(gy_jobs *t, uint64_t tie_seed, gy_err *e);

/* Takes out the rows whose id an earlier row has, for importers whose sources repeat ids; after the last row,
 * before gy_jobs_finish(), which refuses such ids.  told(ctx, ...) is called for each in order, with its
 * line, that of the row that stays, and the id.  O(n). */
void gy_jobs_drop_repeats(gy_jobs *t, void (*told)(void *ctx, uint32_t line, uint32_t first, const char *id),
                          void *ctx);

/* Moves all times so that the first submission is 0, keeping zero_epoch_us right; before gy_jobs_finish().
 * Returns by how much. */
int64_t gy_jobs_shift_to_zero(gy_jobs *t);

/* The id's text into buf when it is a number (at least 24 bytes), else borrowed from the table. */
const char *gy_job_id_text(const gy_jobs *t, uint32_t job, char *buf);
/* <0, 0, >0: numbers before texts, numbers by value, all else by bytes. */
int gy_job_id_compare(const gy_jobs *t, gy_job_id a, gy_job_id b);
/* The job of that id, or GY_NAME_NONE; linear. */
uint32_t gy_jobs_find(const gy_jobs *t, const char *id, size_t n);

static inline const gy_shape *gy_job_shape(const gy_jobs *t, uint32_t job)
{
    return &t->shapes[t->shape[job]];
}

/* Columns that may be missing. */
static inline int64_t gy_job_limit(const gy_jobs *t, uint32_t j)
{
    return t->limit_us ? t->limit_us[j] : GY_NEVER;
}
static inline int64_t gy_job_priority(const gy_jobs *t, uint32_t j)
{
    return t->priority ? t->priority[j] : 0;
}
static inline int64_t gy_job_checkpoint(const gy_jobs *t, uint32_t j)
{
    return t->checkpoint_us ? t->checkpoint_us[j] : GY_NEVER;
}
static inline int64_t gy_job_deadline(const gy_jobs *t, uint32_t j)
{
    return t->deadline_us ? t->deadline_us[j] : GY_NEVER;
}
static inline int64_t gy_job_log_start(const gy_jobs *t, uint32_t j)
{
    return t->log_start_us ? t->log_start_us[j] : GY_NEVER;
}
static inline int64_t gy_job_log_end(const gy_jobs *t, uint32_t j)
{
    return t->log_end_us ? t->log_end_us[j] : GY_NEVER;
}
/* Work until the job ends by itself or at its limit. */
static inline int64_t gy_job_work(const gy_jobs *t, uint32_t j)
{
    int64_t limit = gy_job_limit(t, j);
    return t->duration_us[j] < limit ? t->duration_us[j] : limit;
}

#endif
