/* gy_manifest.h - what a run was made of: every effective setting, and whether it was given or is a default.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The program fills the structs with borrowed texts; a digest keeps a copy of its own.
 */
#ifndef GY_MANIFEST_H
#define GY_MANIFEST_H

#include "gy_arena.h"
#include "gy_json.h"

typedef enum gy_value_kind {
    GY_VALUE_TEXT,
    GY_VALUE_NUMBER, /* a decimal, at most 9 digits after the point: kept exactly; anything else is a text */
    GY_VALUE_BOOL    /* "true" or "false" */
} gy_value_kind;

typedef enum gy_value_origin {
    GY_ORIGIN_DEFAULT,
    GY_ORIGIN_GIVEN,
    GY_ORIGIN_FACT /* not a setting: a count, a hash */
} gy_value_origin;

typedef struct gy_manifest_item {
    const char *name;
    const char *value; /* NULL: none, JSON null */
    const char *unit;  /* "s"; NULL or "": none */
    gy_value_kind kind;
    gy_value_origin origin;
} gy_manifest_item;

typedef struct gy_manifest_group {
    const char *name;   /* "options", or the stage: "order" */
    const char *module; /* of a stage: "srtf"; else NULL */
    const gy_manifest_item *items;
    size_t n;
} gy_manifest_group;

/* Texts may be NULL where there is nothing to say. */
typedef struct gy_manifest {
    const char *version;   /* of gpuyard */
    uint32_t abi;          /* of the policy interface */
    const char *command;   /* repeats this run, the program's name first; words as a shell reads them */
    const char *arguments; /* its part behind the policy, with a blank before each word; the same for every
                              run of a comparison */
    const char *policy;    /* as given: "tiresias:thresholds=3250|7200" */
    const char *knowledge; /* "K2 attained service" */
    bool oracle;           /* sees true run times: labelled everywhere */
    uint64_t digest;       /* of the run; 0: none */
    const gy_manifest_group *stages;
    size_t nstages;
    /* "trace" (file, format, sha256), "import" (what became of its rows), "cluster", "events", "options",
     * "seeds": written in this order as given. */
    const gy_manifest_group *groups;
    size_t ngroups;
} gy_manifest;

void gy_manifest_write(const gy_manifest *m, gy_out *out);
void gy_manifest_put(gy_json_out *w, const char *key, const gy_manifest *m); /* as a member */

/* A blank and the word, quoted where a shell would not take it as it is. */
void gy_manifest_word(gy_str *out, const char *word);

/* A copy whose texts live in the arena. */
gy_manifest gy_manifest_copy(const gy_manifest *m, gy_arena *arena);

/* Wall time and memory: perf.json, the one file that may differ between two runs. */
typedef struct gy_perf {
    const char *const *phases; /* "import", "simulate", "write" */
    const double *phase_s;
    size_t nphases;
    double wall_s;
    uint64_t peak_rss_bytes; /* 0: not known */
    uint64_t events;
    double simulate_s; /* of the loop alone; 0: events per second are null */
} gy_perf;

void gy_perf_write(const gy_perf *p, gy_out *out);

#endif
