/* gy_generate.h - makes canonical traces from a statistical model: seeded, streaming, the same on any
 * machine. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A model (traces/models/NAME.json, or a user's file; docs/generator.md describes the keys) says how many
 * jobs come at which hour, in what batches, how many GPUs they ask for, how long they run, how they end, and
 * who sends them to which queue.  Jobs come out in the order of their submission; memory does not grow with
 * their number.
 *
 * Load.  The offered load is sum(gpus x duration) / (GPUs of the cluster x span).  The jobs of a seed are a
 * fixed sequence; which of them the trace has and how densely they lie follows from what is given, and
 * durations are never stretched: jobs            the first `jobs` of them at the model's own rate: the span
 * follows span            the model's own rate: the number of jobs follows jobs and span   both as told: the
 * load is what comes out load and jobs   the arrival rate is scaled: span = work / (GPUs x load) load and
 * span   the number of jobs is drawn: jobs are added until their work is nearest to GPUs x load x span load
 * alone      the model's own span, then like load and span nothing         the model's own jobs and span all
 * three       refused: they would contradict each other
 */
#ifndef GY_GENERATE_H
#define GY_GENERATE_H

#include "gy_jobs.h"
#include "gy_output.h"

typedef struct gy_generate gy_generate;

typedef struct gy_generate_options {
    const char *model; /* a preset's name, or the path of a model file (with a '/' or ending in .json) */
    uint64_t jobs;     /* 0: not given */
    int64_t span_s;    /* 0: not given */
    uint64_t seed;
    uint64_t gpus; /* of the cluster the load is meant for; larger jobs do not occur; 0: the model's own */
    int64_t load_micro;     /* offered load in millionths; 0: not given */
    uint32_t max_gpus;      /* larger jobs do not occur; 0: no other bound than `gpus` */
    int64_t max_duration_s; /* longer jobs do not occur, but for the seconds past a limit; 0: no bound */
    int weekday;            /* of the trace's zero, which is a midnight; 0 is Monday; -1: the model's own */
    bool no_limits;         /* leave the column limit_s out */
} gy_generate_options;

/* What open() made of the options.  All of it is known before the first row. */
typedef struct gy_generate_info {
    uint64_t jobs, batches;
    int64_t span_s;
    uint64_t gpu_s; /* sum of gpus x duration */
    uint64_t gpus;  /* of the cluster */
    double load;    /* gpu_s / (gpus x span) */
    int weekday;
} gy_generate_info;

/* What a model says about its source, for lists and help. */
typedef struct gy_generate_about {
    char text[400];
    uint64_t jobs, gpus; /* of the source */
    int64_t span_s;
    uint32_t parts; /* clusters */
} gy_generate_about;

/* Options by name, for command lines and files: gy_generate_set(&o, "load", "0.9", &e). */
typedef struct gy_generate_option {
    const char *name, *value, *help;
} gy_generate_option;
extern const gy_generate_option gy_generate_option_list[]; /* name NULL after the last */

void gy_generate_options_init(gy_generate_options *o);
/* The text of `model` is borrowed, all others are read.  GY_EINVAL names the option and what it may be. */
gy_rc gy_generate_set(gy_generate_options *o, const char *name, const char *value, gy_err *e);

/* Name of preset i, NULL after the last. */
const char *gy_generate_preset(size_t i);
gy_rc gy_generate_describe(const char *model, gy_generate_about *about, gy_err *e);

/* Reads the model and counts the trace through once (about half the time of making it).  *g is owned by the
 * caller. */
gy_rc gy_generate_open(gy_generate **g, const gy_generate_options *o, gy_err *e);
void gy_generate_close(gy_generate *g); /* NULL is allowed */
const gy_generate_info *gy_generate_info_of(const gy_generate *g);

/* The next job in the order of submission; false after the last.  Texts are valid until the next call. */
bool gy_generate_next(gy_generate *g, gy_job_row *row);

/* Header and all (remaining) rows in the canonical form.  Errors of writing are reported by gy_out_close().
 */
void gy_generate_write_csv(gy_generate *g, gy_out *out);

#endif
