/* gy_generate_internal.h - the parts of the trace generator; see gy_generate.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random numbers.  A batch has two streams of its own: `work` decides size, GPUs, durations and ends, all
 * that the offered load depends on, and `rest` decides the remaining columns.  So the plan can count the work
 * of a trace without making it, and neither a column nor the moment of a batch shifts any other draw.
 */
#ifndef GY_GENERATE_INTERNAL_H
#define GY_GENERATE_INTERNAL_H

#include "gy_arena.h"
#include "gy_embedded.h"
#include "gy_generate.h"
#include "gy_json.h"
#include "gy_random.h"

extern const struct gy_embedded gy_generate_models[]; /* the presets */

enum {
    GY_GENERATE_HOUR_S = 3600,
    GY_GENERATE_NAME = 64,       /* bytes of a user's or queue's name and its NUL, at most */
    GY_GENERATE_USER_LIMITS = 9, /* distinct limits of one user, at most */
};

/* First word of a stream's entity; the part and an index follow. */
enum gy_generate_draw { GY_DRAW_WORK = 1, GY_DRAW_REST, GY_DRAW_HOURS, GY_DRAW_SPACING, GY_DRAW_USER };

gy_stream gy_generate_stream(uint64_t seed, enum gy_generate_draw what, uint32_t part, uint64_t index);

/* ---- laws (gy_generate_law.c) ---- */

/* A discrete law over 0..n-1, drawn in constant time (Walker's alias method with 32-bit thresholds). */
typedef struct gy_alias {
    uint32_t n;
    uint32_t *cut;   /* below or at it: the slot itself */
    uint32_t *other; /* else this one */
} gy_alias;

void gy_alias_init(gy_alias *a, const double *weights, uint32_t n); /* weights >= 0, their sum above 0 */
void gy_alias_fini(gy_alias *a);
uint32_t gy_alias_draw(const gy_alias *a, gy_stream *s);

/* A law over whole numbers: value[i] with the weight given. */
typedef struct gy_pmf {
    uint32_t n;
    int64_t *value;
    double *weight; /* sums to 1 */
    gy_alias alias;
} gy_pmf;

void gy_pmf_fini(gy_pmf *p);
int64_t gy_pmf_draw(const gy_pmf *p, gy_stream *s);

/* A law of durations as steps of ln seconds: uniform inside a step, which is the straight line between two
 * points of a distribution drawn over a logarithmic axis. */
typedef struct gy_law {
    uint32_t n;
    double *edge;   /* n + 1 ascending; equal ones hold a mass point */
    double *weight; /* n; sums to 1 */
    gy_alias alias;
} gy_law;

/* Keeps what is at or below ln seconds `most`; false when less than a hundredth of the law is. */
bool gy_law_cut(gy_law *l, double most);
void gy_law_ready(gy_law *l); /* weights to 1, alias */
void gy_law_fini(gy_law *l);
double gy_law_draw(const gy_law *l, gy_stream *s);

double gy_normal_cdf(double z);
double gy_gamma_draw(double shape, gy_stream *s); /* scale 1 */

/* Correlated noise of mean 1, one value for each hour. */
enum gy_noise_law { GY_NOISE_NONE, GY_NOISE_GAMMA, GY_NOISE_LOGNORMAL };
typedef struct gy_noise {
    enum gy_noise_law law;
    double cv, ar1; /* coefficient of variation; correlation with the hour before */
} gy_noise;
typedef struct gy_noise_state {
    gy_noise law;
    gy_stream stream;
    double last;
    bool begun;
} gy_noise_state;
double gy_noise_next(gy_noise_state *n);

/* ---- models (gy_generate_model.c) ---- */

typedef struct gy_duration_class {
    int64_t least, most; /* GPUs */
    gy_law law;
} gy_duration_class;

typedef struct gy_batch_class {
    int64_t least, most; /* GPUs */
    gy_pmf sizes;
    double mean;
} gy_batch_class;

/* How jobs end, by their duration: probabilities at points of ln seconds, straight lines between, flat
 * outside. */
typedef struct gy_ends {
    uint32_t n; /* 0: all complete */
    double *at;
    double *sum; /* n rows of GY_LOG_STATES sums from the first state on */
} gy_ends;

/* Names and shares of queues or users. */
typedef struct gy_crowd {
    uint32_t n;
    char **name;
    double *share; /* sums to 1 */
    gy_alias alias;
} gy_crowd;

typedef struct gy_model {
    char *name, *about;
    uint64_t jobs, gpus; /* of the source */
    int64_t span_s;
    int weekday;

    double hours[24], weekdays[7];
    gy_noise noise;
    uint32_t nbatch_classes;
    gy_batch_class *batch_classes;
    gy_pmf gaps;    /* seconds between the jobs of a batch */
    double similar; /* probability that a job of a batch runs as long as the batch's pattern */

    gy_pmf sizes; /* GPUs of a job */
    uint32_t nduration_classes;
    gy_duration_class *duration_classes;
    gy_ends ends;
    gy_crowd queues, users;
    double home; /* probability that a batch goes to its user's own queue */
    gy_pmf limits, limits_per_user;
    double *limit_ln; /* of each value */
    double fit;       /* probability of the smallest sufficient limit instead of the user's habit */
    gy_pmf cpus_per_gpu, mem_gb_per_gpu, priority, checkpoint_s;

    uint32_t nparts; /* a model of several clusters has only name, about and parts */
    char **parts;
} gy_model;

/* 0 for "monday" ... 6, -1 for anything else. */
int gy_generate_weekday(const char *text);

gy_rc gy_model_load(gy_model **m, const char *name, gy_err *e);
void gy_model_free(gy_model *m);

/* gy_generate_fields.c: pieces of a model file.  A missing key leaves *out empty. */
typedef struct gy_model_reader {
    const gy_json *json;
    gy_err *e;
} gy_model_reader;
gy_rc gy_read_array(const gy_model_reader *r, const cJSON *o, const char *key, double least, double *out,
                    uint32_t n);
gy_rc gy_read_list(const gy_model_reader *r, const cJSON *o, const char *key, double least, double **out,
                   uint32_t *n);
gy_rc gy_read_pmf(const gy_model_reader *r, const cJSON *o, const char *key, int64_t least, int64_t most,
                  gy_pmf *out);
gy_rc gy_read_range(const gy_model_reader *r, const cJSON *o, int64_t *least, int64_t *most);
gy_rc gy_read_law(const gy_model_reader *r, const cJSON *o, const double *grid, uint32_t ngrid, gy_law *out);
gy_rc gy_read_batch_sizes(const gy_model_reader *r, const cJSON *o, gy_pmf *out, double *mean);
gy_rc gy_read_ends(const gy_model_reader *r, const cJSON *o, gy_ends *out);
gy_rc gy_read_crowd(const gy_model_reader *r, const cJSON *o, const char *where, bool is_users,
                    gy_crowd *out);

/* ---- a running generator ---- */

typedef struct gy_user {
    uint32_t home;
    uint8_t nlimits, habit;
    uint8_t limits[GY_GENERATE_USER_LIMITS]; /* ascending, indexes of model.limits */
} gy_user;

/* When the batches of a part come (gy_generate_arrivals.c): points of a Poisson process, conditional on their
 * number, in a time that runs as fast as the rate. */
typedef struct gy_arrivals {
    const gy_model *model;
    int weekday;
    int64_t span_s;
    gy_noise_state noise;
    gy_stream spacing;
    double total, spaced;       /* sum of all spacings; so far */
    double weight, before, now; /* of the whole span; up to the present hour; of this hour */
    int64_t hour;
} gy_arrivals;

typedef struct gy_part {
    gy_model *model;
    uint32_t number;
    gy_alias sizes;                         /* GPUs of a batch, indexes of model.sizes */
    uint32_t *batch_class, *duration_class; /* by index of model.sizes */
    gy_user *users;
    gy_alias *queue_users;   /* users at home in each queue; n is 0 where there are none */
    uint32_t **queue_member; /* their numbers */
    double share;            /* of the jobs of the whole trace */
    int64_t most_s;          /* longest duration */
    uint64_t njobs, nbatches;
    gy_arrivals arrivals;
    uint64_t batch; /* next to open */
    uint64_t left;  /* jobs not yet in an opened batch */
    int64_t next_s; /* when it opens; INT64_MAX: none left */
} gy_part;

/* A batch whose jobs are coming. */
typedef struct gy_batch {
    gy_stream work, rest;
    const gy_part *part;
    uint32_t size, left;
    uint32_t size_index; /* GPUs: model.sizes.value[] */
    uint32_t user, queue;
    double pattern; /* ln seconds that its jobs resemble */
    int64_t cpus, mem_gb, priority, checkpoint_s;
} gy_batch;

typedef struct gy_made_job {
    const gy_part *part;
    int64_t submit_s, duration_s, limit_s; /* limit 0: none */
    int64_t gpus, cpus, mem_gb, priority, checkpoint_s;
    uint32_t user, queue;
    uint8_t state;
} gy_made_job;

/* gy_generate_batch.c */
void gy_batch_open(gy_batch *b, const gy_part *p, uint64_t seed, uint64_t index, uint64_t most);
void gy_batch_people(gy_batch *b); /* user, queue and columns of the whole batch */
/* Duration, state and, of a timeout, the limit. */
void gy_batch_work(gy_batch *b, gy_made_job *j);
void gy_batch_rest(gy_batch *b, gy_made_job *j, bool limits);
void gy_part_users(gy_part *p, uint64_t seed); /* who is at home where and asks for which limits */

/* gy_generate_arrivals.c.  begin() gives GY_EINVAL when no hour of the span has a rate. */
gy_rc gy_arrivals_begin(gy_arrivals *a, const gy_model *m, uint64_t seed, uint32_t part, int weekday,
                        int64_t span_s, uint64_t nbatches, gy_err *e);
int64_t gy_arrivals_next(gy_arrivals *a);

/* gy_generate_plan.c: how many jobs each part has, and the span. */
struct gy_open_slot {
    int64_t at_s;
    uint64_t order; /* of opening: the tie */
    uint32_t slot;
};

struct gy_generate {
    gy_generate_options options;
    gy_generate_info info;
    gy_part *parts;
    uint32_t nparts;
    bool has_users, has_queues, has_limits, has_cpus, has_mem, has_priority, has_checkpoint;

    struct gy_open_slot *heap; /* batches with jobs to come, the next one first */
    size_t nheap, heap_cap;
    gy_batch *slots;
    size_t nslots, slots_cap;
    uint32_t *free_slots;
    size_t nfree, free_cap;
    uint64_t opened, made;
    char id[24];
};

gy_rc gy_generate_plan(gy_generate *g, gy_err *e);
bool gy_generate_job(gy_generate *g, gy_made_job *j); /* the next job, without its id */

#endif
