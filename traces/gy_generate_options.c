/* gy_generate_options.c - the options by name, and the list of models.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "gy_generate_internal.h"

const gy_generate_option gy_generate_option_list[] = {
    {"model", "NAME|FILE", "a preset, or a model file (with a '/' or ending in .json)"},
    {"jobs", "N", "number of jobs"},
    {"span", "TIME", "length of the trace, for example 28d; seconds without a unit"},
    {"seed", "N", "another seed, another trace (default 1)"},
    {"gpus", "N", "GPUs of the cluster that the load is meant for; larger jobs do not occur"},
    {"load", "SHARE", "offered load: work of all jobs / (GPUs x span), for example 0.9"},
    {"max-gpus", "N", "larger jobs do not occur"},
    {"max-duration", "TIME", "longer jobs do not occur, for example 2d"},
    {"weekday", "DAY", "of the first midnight: monday ... sunday"},
    {"limits", "yes|no", "with or without the column limit_s (default yes)"},
    {NULL, NULL, NULL},
};

void gy_generate_options_init(gy_generate_options *o)
{
    *o = (gy_generate_options){.seed = 1, .weekday = -1};
}

static gy_rc refuse(const char *name, const char *value, const char *what, gy_err *e)
{
    return gy_fail(e, GY_EINVAL, "%s is \"%s\"; it must be %s", name, value, what);
}

static gy_rc set_count(const char *name, const char *value, int64_t most, int64_t *out, gy_err *e)
{
    char what[60];
    if (gy_parse_int(value, strlen(value), out) == GY_NUMBER_OK && *out > 0 && *out <= most)
        return GY_OK;
    snprintf(what, sizeof what, "a whole number from 1 to %lld", (long long)most);
    return refuse(name, value, what, e);
}

static gy_rc set_seconds(const char *name, const char *value, int64_t *out, gy_err *e)
{
    int64_t us;
    if (gy_parse_duration(value, strlen(value), &us) != GY_NUMBER_OK || us <= 0 || us % GY_US_PER_S)
        return refuse(name, value, "a time of whole seconds above 0, like 28d or 12h", e);
    *out = us / GY_US_PER_S;
    return GY_OK;
}

static gy_rc set_seed(const char *value, uint64_t *out, gy_err *e)
{
    int64_t v;
    if (gy_parse_int(value, strlen(value), &v) != GY_NUMBER_OK || v < 0)
        return refuse("seed", value, "a whole number of at least 0 with at most 18 digits", e);
    *out = (uint64_t)v;
    return GY_OK;
}

static gy_rc set_load(const char *value, int64_t *out, gy_err *e)
{
    if (gy_parse_fixed(value, strlen(value), 6, out) != GY_NUMBER_OK || *out <= 0)
        return refuse("load", value, "a decimal above 0, like 0.9", e);
    return GY_OK;
}

static gy_rc set_limits(const char *value, bool *no_limits, gy_err *e)
{
    *no_limits = strcmp(value, "no") == 0;
    return *no_limits || strcmp(value, "yes") == 0 ? GY_OK : refuse("limits", value, "yes or no", e);
}

static const char *option_name(const void *ctx, size_t i)
{
    (void)ctx;
    return gy_generate_option_list[i].name;
}

gy_rc gy_generate_set(gy_generate_options *o, const char *name, const char *value, gy_err *e)
{
    int64_t v = 0;
    gy_rc rc = GY_OK;
    if (strcmp(name, "model") == 0) {
        o->model = value;
    } else if (strcmp(name, "jobs") == 0) {
        rc = set_count(name, value, UINT32_MAX, &v, e);
        o->jobs = (uint64_t)v;
    } else if (strcmp(name, "span") == 0) {
        rc = set_seconds(name, value, &o->span_s, e);
    } else if (strcmp(name, "seed") == 0) {
        rc = set_seed(value, &o->seed, e);
    } else if (strcmp(name, "gpus") == 0) {
        rc = set_count(name, value, UINT32_MAX, &v, e);
        o->gpus = (uint64_t)v;
    } else if (strcmp(name, "load") == 0) {
        rc = set_load(value, &o->load_micro, e);
    } else if (strcmp(name, "max-gpus") == 0) {
        rc = set_count(name, value, UINT32_MAX, &v, e);
        o->max_gpus = (uint32_t)v;
    } else if (strcmp(name, "max-duration") == 0) {
        rc = set_seconds(name, value, &o->max_duration_s, e);
    } else if (strcmp(name, "weekday") == 0) {
        o->weekday = gy_generate_weekday(value);
        rc = o->weekday < 0 ? refuse(name, value, "one of monday ... sunday", e) : GY_OK;
    } else if (strcmp(name, "limits") == 0) {
        rc = set_limits(value, &o->no_limits, e);
    } else {
        const char *near = gy_nearest(name, option_name, NULL);
        rc = gy_fail(e, GY_EINVAL, "unknown option \"%s\" of the trace generator; %s%s%s", name,
                     near ? "did you mean \"" : "`gpuyard trace generate --help` names them all",
                     near ? near : "", near ? "\"?" : "");
    }
    return rc;
}

/* ---- models ---- */

const char *gy_generate_preset(size_t i)
{
    size_t k = 0;
    while (k < i && gy_generate_models[k].name)
        k++;
    return gy_generate_models[k].name ? gy_generate_models[k].stem : NULL;
}

gy_rc gy_generate_describe(const char *model, gy_generate_about *about, gy_err *e)
{
    gy_model *m, *part;
    gy_rc rc = gy_model_load(&m, model, e);
    if (rc != GY_OK)
        return rc;
    *about = (gy_generate_about){.jobs = m->jobs, .gpus = m->gpus, .span_s = m->span_s, .parts = 1};
    snprintf(about->text, sizeof about->text, "%s", m->about);
    if (m->nparts)
        about->parts = m->nparts;
    for (uint32_t i = 0; i < m->nparts && rc == GY_OK; i++) {
        rc = gy_model_load(&part, m->parts[i], e);
        if (rc != GY_OK)
            break;
        about->jobs += part->jobs;
        about->gpus += part->gpus;
        about->span_s = part->span_s > about->span_s ? part->span_s : about->span_s;
        gy_model_free(part);
    }
    gy_model_free(m);
    return rc;
}
