/* gy_generate_model.c - reads a model file, or a preset of the same form that is part of the program.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gy_generate_internal.h"

static void crowd_free(gy_crowd *c)
{
    for (uint32_t i = 0; c->name && i < c->n; i++)
        free(c->name[i]);
    free(c->name);
    free(c->share);
    gy_alias_fini(&c->alias);
}

void gy_model_free(gy_model *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->nbatch_classes; i++)
        gy_pmf_fini(&m->batch_classes[i].sizes);
    for (uint32_t i = 0; i < m->nduration_classes; i++)
        gy_law_fini(&m->duration_classes[i].law);
    for (uint32_t i = 0; i < m->nparts; i++)
        free(m->parts[i]);
    gy_pmf *pmfs[] = {&m->gaps,         &m->sizes,          &m->limits,   &m->limits_per_user,
                      &m->cpus_per_gpu, &m->mem_gb_per_gpu, &m->priority, &m->checkpoint_s};
    for (size_t i = 0; i < sizeof pmfs / sizeof pmfs[0]; i++)
        gy_pmf_fini(pmfs[i]);
    crowd_free(&m->queues);
    crowd_free(&m->users);
    free(m->batch_classes);
    free(m->duration_classes);
    free(m->ends.at);
    free(m->ends.sum);
    free(m->limit_ln);
    free(m->parts);
    free(m->name);
    free(m->about);
    free(m);
}

static gy_rc wrong(const gy_model_reader *r, const char *key, const char *what)
{
    return gy_fail(r->e, GY_EPARSE, "%s: \"%s\" must be %s", r->json->name, key, what);
}

/* A number between two bounds; missing leaves it alone. */
static gy_rc read_between(const gy_model_reader *r, const cJSON *o, const char *key, double least,
                          double most, double *out)
{
    gy_rc rc = gy_json_double(r->json, o, key, out, r->e);
    if (rc == GY_OK && (*out < least || *out > most))
        rc = gy_fail(r->e, GY_EPARSE, "%s: \"%s\" is %g; it must lie between %g and %g", r->json->name, key,
                     *out, least, most);
    return rc;
}

int gy_generate_weekday(const char *text)
{
    static const char *const names[] = {"monday", "tuesday",  "wednesday", "thursday",
                                        "friday", "saturday", "sunday"};
    for (int i = 0; i < 7; i++)
        if (strcmp(text, names[i]) == 0)
            return i;
    return -1;
}

static gy_rc read_source(const gy_model_reader *r, const cJSON *root, gy_model *m)
{
    static const char *const keys[] = {"jobs", "days", "gpus", "weekday"};
    const cJSON *o = gy_json_member(root, "trace");
    int64_t jobs = 0, gpus = 0;
    double days = 0;
    const char *weekday = "monday";
    gy_rc rc = o ? gy_json_keys(r->json, o, "trace", keys, 4, r->e)
                 : wrong(r, "trace", "given: {\"jobs\", \"days\", \"gpus\", \"weekday\"} of the source");
    if (rc == GY_OK)
        rc = gy_json_int(r->json, o, "jobs", 1, UINT32_MAX, &jobs, r->e);
    if (rc == GY_OK)
        rc = gy_json_int(r->json, o, "gpus", 1, UINT32_MAX, &gpus, r->e);
    if (rc == GY_OK)
        rc = read_between(r, o, "days", 0, 36500, &days);
    if (rc == GY_OK)
        rc = gy_json_text(r->json, o, "weekday", &weekday, r->e);
    if (rc != GY_OK)
        return rc;
    m->jobs = (uint64_t)jobs;
    m->gpus = (uint64_t)gpus;
    m->span_s = (int64_t)(days * 86400);
    m->weekday = gy_generate_weekday(weekday);
    if (!m->jobs || !m->gpus || m->span_s < 1)
        return wrong(r, "trace", "an object with \"jobs\", \"days\" and \"gpus\" above 0");
    return m->weekday < 0 ? wrong(r, "weekday", "one of monday ... sunday") : GY_OK;
}

static gy_rc read_noise(const gy_model_reader *r, const cJSON *arrivals, gy_noise *n)
{
    static const char *const keys[] = {"law", "cv", "ar1"};
    const cJSON *o = gy_json_member(arrivals, "noise");
    const char *law = "gamma";
    if (!o)
        return GY_OK;
    n->cv = 1;
    gy_rc rc = gy_json_keys(r->json, o, "noise", keys, 3, r->e);
    if (rc == GY_OK)
        rc = gy_json_text(r->json, o, "law", &law, r->e);
    if (rc == GY_OK)
        rc = read_between(r, o, "cv", 0.01, 5, &n->cv);
    if (rc == GY_OK)
        rc = read_between(r, o, "ar1", 0, 0.99, &n->ar1);
    if (rc != GY_OK)
        return rc;
    n->law = strcmp(law, "gamma") == 0       ? GY_NOISE_GAMMA
             : strcmp(law, "lognormal") == 0 ? GY_NOISE_LOGNORMAL
                                             : GY_NOISE_NONE;
    return n->law == GY_NOISE_NONE ? wrong(r, "law", "\"gamma\" or \"lognormal\"") : GY_OK;
}

static gy_rc read_batches(const gy_model_reader *r, const cJSON *arrivals, gy_model *m)
{
    static const char *const keys[] = {"gpus", "cdf"};
    const cJSON *list = gy_json_member(arrivals, "batches"), *o;
    if (list && !cJSON_IsArray(list))
        return wrong(r, "batches", "a list of objects {\"gpus\", \"cdf\"}");
    m->batch_classes = gy_alloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *m->batch_classes);
    gy_rc rc = GY_OK;
    cJSON_ArrayForEach(o, list)
    {
        gy_batch_class *c = &m->batch_classes[m->nbatch_classes++];
        rc = gy_json_keys(r->json, o, "batches", keys, 2, r->e);
        if (rc == GY_OK)
            rc = gy_read_range(r, o, &c->least, &c->most);
        if (rc == GY_OK)
            rc = gy_read_batch_sizes(r, o, &c->sizes, &c->mean);
        if (rc != GY_OK)
            return rc;
    }
    return rc;
}

static gy_rc read_arrivals(const gy_model_reader *r, const cJSON *root, gy_model *m)
{
    static const char *const keys[] = {"hours", "weekdays", "noise", "batches", "gaps_s", "similar"};
    const cJSON *o = gy_json_member(root, "arrivals");
    for (int i = 0; i < 24; i++)
        m->hours[i] = 1;
    for (int i = 0; i < 7; i++)
        m->weekdays[i] = 1;
    gy_rc rc = o ? gy_json_keys(r->json, o, "arrivals", keys, 6, r->e) : GY_OK;
    if (rc == GY_OK)
        rc = gy_read_array(r, o, "hours", 0, m->hours, 24);
    if (rc == GY_OK)
        rc = gy_read_array(r, o, "weekdays", 0, m->weekdays, 7);
    if (rc == GY_OK)
        rc = read_noise(r, o, &m->noise);
    if (rc == GY_OK)
        rc = read_batches(r, o, m);
    if (rc == GY_OK)
        rc = gy_read_pmf(r, o, "gaps_s", 0, 86400, &m->gaps);
    return rc == GY_OK ? read_between(r, o, "similar", 0, 1, &m->similar) : rc;
}

static gy_rc read_durations(const gy_model_reader *r, const cJSON *root, gy_model *m)
{
    static const char *const keys[] = {"grid_s", "classes"};
    static const char *const class_keys[] = {"gpus", "cdf", "mixture", "range_s"};
    const cJSON *o = gy_json_member(root, "durations"), *item, *list = gy_json_member(o, "classes");
    double *grid = NULL;
    uint32_t ngrid = 0;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) == 0)
        return wrong(r, "durations", "an object with a list \"classes\"");
    gy_rc rc = gy_json_keys(r->json, o, "durations", keys, 2, r->e);
    if (rc == GY_OK)
        rc = gy_read_list(r, o, "grid_s", 1, &grid, &ngrid);
    for (uint32_t i = 1; i < ngrid && rc == GY_OK; i++)
        if (grid[i] <= grid[i - 1])
            rc = wrong(r, "grid_s", "ascending");
    m->duration_classes = gy_alloc((size_t)cJSON_GetArraySize(list), sizeof *m->duration_classes);
    cJSON_ArrayForEach(item, list)
    {
        if (rc != GY_OK)
            break;
        gy_duration_class *c = &m->duration_classes[m->nduration_classes++];
        rc = gy_json_keys(r->json, item, "durations", class_keys, 4, r->e);
        if (rc == GY_OK)
            rc = gy_read_range(r, item, &c->least, &c->most);
        if (rc == GY_OK)
            rc = gy_read_law(r, item, grid, ngrid, &c->law);
    }
    free(grid);
    return rc;
}

static gy_rc read_limits(const gy_model_reader *r, const cJSON *root, gy_model *m)
{
    static const char *const keys[] = {"values_s", "per_user", "fit"};
    const cJSON *o = gy_json_member(root, "limits");
    if (!o)
        return GY_OK;
    m->fit = 0.5;
    gy_rc rc = gy_json_keys(r->json, o, "limits", keys, 3, r->e);
    if (rc == GY_OK)
        rc = gy_read_pmf(r, o, "values_s", 1, 100000000, &m->limits);
    if (rc == GY_OK)
        rc = gy_read_pmf(r, o, "per_user", 1, GY_GENERATE_USER_LIMITS, &m->limits_per_user);
    if (rc == GY_OK)
        rc = read_between(r, o, "fit", 0, 1, &m->fit);
    if (rc != GY_OK)
        return rc;
    if (!m->limits.n || m->limits.n > UINT8_MAX || !m->limits_per_user.n)
        return wrong(r, "limits", "an object with \"values_s\" (at most 255) and \"per_user\"");
    m->limit_ln = gy_alloc(m->limits.n, sizeof *m->limit_ln);
    for (uint32_t i = 0; i < m->limits.n; i++)
        m->limit_ln[i] = gy_log((double)m->limits.value[i]);
    return GY_OK;
}

static gy_rc read_people(const gy_model_reader *r, const cJSON *root, gy_model *m)
{
    const cJSON *queues = gy_json_member(root, "queues"), *users = gy_json_member(root, "users");
    gy_rc rc = queues ? gy_read_crowd(r, queues, "queues", false, &m->queues) : GY_OK;
    if (rc == GY_OK && users)
        rc = gy_read_crowd(r, users, "users", true, &m->users);
    m->home = 1;
    if (rc == GY_OK && users)
        rc = read_between(r, users, "home", 0, 1, &m->home);
    return rc;
}

static gy_rc read_columns(const gy_model_reader *r, const cJSON *root, gy_model *m)
{
    static const char *const keys[] = {"at_s",    "completed", "failed",   "killed",
                                       "timeout", "node_fail", "preempted"};
    const cJSON *states = gy_json_member(root, "states");
    gy_rc rc = states ? gy_json_keys(r->json, states, "states", keys, 7, r->e) : GY_OK;
    if (rc == GY_OK && states)
        rc = gy_read_ends(r, states, &m->ends);
    if (rc == GY_OK)
        rc = read_limits(r, root, m);
    if (rc == GY_OK)
        rc = gy_read_pmf(r, root, "cpus_per_gpu", 0, 10000, &m->cpus_per_gpu);
    if (rc == GY_OK)
        rc = gy_read_pmf(r, root, "mem_gb_per_gpu", 0, 100000, &m->mem_gb_per_gpu);
    if (rc == GY_OK)
        rc = gy_read_pmf(r, root, "priority", -1000000, 1000000, &m->priority);
    return rc == GY_OK ? gy_read_pmf(r, root, "checkpoint_s", 0, 100000000, &m->checkpoint_s) : rc;
}

static gy_rc read_parts(const gy_model_reader *r, const cJSON *parts, gy_model *m)
{
    const cJSON *item;
    size_t n = cJSON_IsArray(parts) ? (size_t)cJSON_GetArraySize(parts) : 0;
    if (n == 0 || n > 1000)
        return wrong(r, "parts", "a list of names of models");
    m->parts = gy_alloc(n, sizeof *m->parts);
    cJSON_ArrayForEach(item, parts)
    {
        if (!cJSON_IsString(item))
            return wrong(r, "parts", "a list of names of models");
        m->parts[m->nparts++] = gy_strndup(item->valuestring, strlen(item->valuestring));
    }
    return GY_OK;
}

static gy_rc read_model(const gy_model_reader *r, gy_model *m)
{
    static const char *const keys[] = {"name",     "about",        "sources",      "parts",
                                       "trace",    "arrivals",     "gpus",         "durations",
                                       "states",   "limits",       "cpus_per_gpu", "mem_gb_per_gpu",
                                       "priority", "checkpoint_s", "queues",       "users"};
    const cJSON *root = r->json->root, *parts = gy_json_member(root, "parts");
    const char *name = "", *about = "";
    gy_rc rc = gy_json_keys(r->json, root, "the model", keys, parts ? 4 : sizeof keys / sizeof *keys, r->e);
    if (rc == GY_OK)
        rc = gy_json_text(r->json, root, "name", &name, r->e);
    if (rc == GY_OK)
        rc = gy_json_text(r->json, root, "about", &about, r->e);
    m->name = gy_strndup(name, strlen(name));
    m->about = gy_strndup(about, strlen(about));
    if (rc != GY_OK || parts)
        return rc != GY_OK ? rc : read_parts(r, parts, m);
    rc = read_source(r, root, m);
    if (rc == GY_OK)
        rc = gy_read_pmf(r, root, "gpus", 1, 1000000, &m->sizes);
    if (rc == GY_OK && !m->sizes.n)
        rc = wrong(r, "gpus", "given: a list of pairs [GPUs, weight]");
    if (rc == GY_OK)
        rc = read_arrivals(r, root, m);
    if (rc == GY_OK)
        rc = read_durations(r, root, m);
    if (rc == GY_OK)
        rc = read_people(r, root, m);
    return rc == GY_OK ? read_columns(r, root, m) : rc;
}

static const char *preset_name(const void *ctx, size_t i)
{
    (void)ctx;
    return gy_generate_preset(i);
}

static gy_rc unknown_model(const char *name, gy_err *e)
{
    const char *near = gy_nearest(name, preset_name, NULL), *known;
    gy_str all = {0};
    if (near)
        gy_str_printf(&all, "did you mean \"%s\"?", near);
    for (size_t i = 0; !near && (known = gy_generate_preset(i)) != NULL; i++)
        gy_str_printf(&all, "%s%s", i ? ", " : "there are ", known);
    gy_rc rc = gy_fail(e, GY_EINVAL,
                       "unknown trace model \"%.100s\"; %s; a model file is given by its path, with a '/' or "
                       "ending in .json",
                       name, all.s);
    gy_str_fini(&all);
    return rc;
}

static gy_rc open_model(gy_json *json, const char *name, gy_err *e)
{
    size_t n = strlen(name);
    if (strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0))
        return gy_json_load(json, name, e);
    const struct gy_embedded *f = gy_generate_models;
    while (f->name && strcmp(f->stem, name) != 0)
        f++;
    return f->name ? gy_json_parse(json, name, f->text, f->n, e) : unknown_model(name, e);
}

gy_rc gy_model_load(gy_model **out, const char *name, gy_err *e)
{
    gy_json json = {0};
    gy_rc rc = open_model(&json, name, e);
    if (rc != GY_OK)
        return rc;
    gy_model_reader r = {&json, e};
    gy_model *m = gy_alloc(1, sizeof *m);
    rc = read_model(&r, m);
    gy_json_free(&json);
    if (rc != GY_OK)
        gy_model_free(m);
    else
        *out = m;
    return rc;
}
