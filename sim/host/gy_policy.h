/* gy_policy.h - a policy: modules for its stages, with their settings; loaded from shared objects and
 * presets. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A policy is written
 *     fifo                          a preset
 *     las:quantum_s=0,place=spread  a preset with other settings or stages
 *     order=srtf,backfill=skip      composed; stages left out have their defaults
 *     order=./mine.so,...           a module of one's own; ./mine.json is a preset of one's own
 * A setting belongs to every module of the policy that has one of that name; `order.NAME=` names the stage.
 */
#ifndef GY_POLICY_H
#define GY_POLICY_H

#include "gpuyard/policy.h"
#include "gy_json.h"
#include "gy_number.h"
#include "gy_text.h"

extern const char *const gy_stage_names[GY_STAGE_END]; /* [0] is NULL */

/* ---- modules ---- */

/* A module that passed all checks of its table.  Its file stays open until gy_module_close(). */
typedef struct gy_module_file {
    void *handle;
    char *path;
    const gy_module *table;
} gy_module_file;

/* `name` is a file (it has a slash or ends in .so) or the name of a module of that stage (0: any stage) on
 * the search path: the folders of GPUYARD_POLICY_PATH, then ../lib/gpuyard/policies beside the program, then
 * the place where gpuyard was installed.  A file that is no module, or one for another interface, is GY_EABI
 * with a sentence. */
gy_rc gy_module_open(gy_module_file *m, uint32_t stage, const char *name, gy_err *e);
void gy_module_close(gy_module_file *m);

/* The functions of any stage. */
union gy_stage_ops {
    uint32_t size; /* the first member of each */
    gy_order_ops order;
    gy_admit_ops admit;
    gy_place_ops place;
    gy_evict_ops evict;
    gy_backfill_ops backfill;
    gy_resize_ops resize;
    gy_schedule_ops schedule;
};
/* A copy of the module's table; what an older module does not have is zero. */
void gy_stage_ops_copy(union gy_stage_ops *to, const gy_module *m);

/* Calls see(ctx, stage, name, path) for every module file on the search path, sorted by stage and name; the
 * first of several with one name is the one that counts. */
void gy_modules_list(void (*see)(void *ctx, uint32_t stage, const char *name, const char *path), void *ctx);

/* Reads a setting's text into *v; lists are allocated from the arena.  GY_EINVAL names the setting and its
 * bounds. */
gy_rc gy_setting_read(const gy_setting *s, const char *text, gy_arena *memory, gy_value *v, gy_err *e);

/* ---- policies ---- */

enum gy_estimator { GY_ESTIMATE_LIMIT, GY_ESTIMATE_HISTORY, GY_ESTIMATE_NOISY, GY_ESTIMATE_PERFECT };

typedef struct gy_policy_stage {
    gy_module_file file; /* table NULL: the stage is empty */
    bool given;          /* chosen by the user or the preset, not a default */
    gy_value *values;    /* one for each setting of the module */
    char **texts;        /* as written */
    bool *values_given;
    enum gy_estimator estimator;
    int64_t sigma_micro; /* of noisy */
    bool estimator_given;
} gy_policy_stage;

typedef struct gy_policy {
    char *spec;   /* as given */
    char *preset; /* its preset's name; "" for a composed one */
    gy_policy_stage stage[GY_STAGE_END];
    bool admit_where_quota; /* the default: admit=quota where the cluster declares a quota, else none */
    uint32_t knowledge;     /* the highest class that any stage reads, estimates included */
    bool uses_estimates;
    gy_arena memory;
} gy_policy;

gy_rc gy_policy_open(gy_policy **p, const char *spec, gy_err *e);
void gy_policy_close(gy_policy *p); /* NULL is allowed */
static inline bool gy_policy_is_oracle(const gy_policy *p)
{
    return p->knowledge >= GY_K5_ORACLE;
}
/* Every stage, module and setting, in the order of the stages: for manifests and `policy show`.  `given`
 * tells a choice from a default.  Settings that belong to no module have module "". */
void gy_policy_each_setting(const gy_policy *p,
                            void (*see)(void *ctx, const char *stage, const char *module, const char *setting,
                                        const char *value, const char *unit, bool given),
                            void *ctx);
/* "limit", "noisy:0.5", ... into buf of at least 40 bytes. */
void gy_estimator_text(const gy_policy_stage *s, char *buf);

/* Presets that come with gpuyard: number i, or NULL after the last.  The text is JSON. */
const char *gy_preset_name(size_t i);
const char *gy_preset_text(const char *name, size_t *n); /* NULL: no such preset */

#endif
