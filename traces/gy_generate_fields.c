/* gy_generate_fields.c - the pieces of a model file: lists, laws, batch sizes, ends, names.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_generate_internal.h"

static gy_rc wrong(const gy_model_reader *r, const char *key, const char *what)
{
    return gy_fail(r->e, GY_EPARSE, "%s: \"%s\" must be %s", r->json->name, key, what);
}

static bool number_of(const cJSON *item, double least, double *v)
{
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < least)
        return false;
    *v = item->valuedouble;
    return true;
}

gy_rc gy_read_list(const gy_model_reader *r, const cJSON *o, const char *key, double least, double **out,
                   uint32_t *n)
{
    const cJSON *list = gy_json_member(o, key);
    if (!list)
        return GY_OK;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) == 0)
        return wrong(r, key, "a list of numbers in brackets");
    *n = 0;
    *out = gy_alloc((size_t)cJSON_GetArraySize(list), sizeof **out);
    const cJSON *item;
    cJSON_ArrayForEach(item, list)
    {
        if (!number_of(item, least, &(*out)[(*n)++]))
            return gy_fail(r->e, GY_EPARSE, "%s: element %u of \"%s\" must be a number of at least %g",
                           r->json->name, *n, key, least);
    }
    return GY_OK;
}

gy_rc gy_read_array(const gy_model_reader *r, const cJSON *o, const char *key, double least, double *out,
                    uint32_t n)
{
    double *list = NULL;
    uint32_t count = n;
    gy_rc rc = gy_read_list(r, o, key, least, &list, &count);
    if (rc == GY_OK && count != n)
        rc = gy_fail(r->e, GY_EPARSE, "%s: \"%s\" has %u numbers; it must have %u", r->json->name, key, count,
                     n);
    if (rc == GY_OK && list)
        memcpy(out, list, n * sizeof *out);
    free(list);
    return rc;
}

/* [[value, weight], ...] with values that grow. */
static gy_rc read_pair(const gy_model_reader *r, const cJSON *pair, const char *key, int64_t least,
                       int64_t most, double out[2])
{
    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2 ||
        !number_of(cJSON_GetArrayItem(pair, 0), (double)least, &out[0]) ||
        !number_of(cJSON_GetArrayItem(pair, 1), 0, &out[1]) || out[0] > (double)most ||
        out[0] != floor(out[0]))
        return gy_fail(
            r->e, GY_EPARSE,
            "%s: \"%s\" must be a list of pairs [value, weight] with whole values from %lld to %lld "
            "and weights of at least 0",
            r->json->name, key, (long long)least, (long long)most);
    return GY_OK;
}

gy_rc gy_read_pmf(const gy_model_reader *r, const cJSON *o, const char *key, int64_t least, int64_t most,
                  gy_pmf *out)
{
    const cJSON *list = gy_json_member(o, key), *pair;
    if (!list)
        return GY_OK;
    size_t n = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    if (n == 0)
        return wrong(r, key, "a list of pairs [value, weight]");
    out->value = gy_alloc(n, sizeof *out->value);
    out->weight = gy_alloc(n, sizeof *out->weight);
    double sum = 0;
    cJSON_ArrayForEach(pair, list)
    {
        double v[2] = {0, 0};
        gy_rc rc = read_pair(r, pair, key, least, most, v);
        if (rc != GY_OK)
            return rc;
        if (out->n > 0 && (int64_t)v[0] <= out->value[out->n - 1])
            return wrong(r, key, "in ascending order of its values");
        out->value[out->n] = (int64_t)v[0];
        out->weight[out->n++] = v[1];
        sum += v[1];
    }
    if (sum <= 0)
        return wrong(r, key, "a list with a weight above 0");
    for (uint32_t i = 0; i < out->n; i++)
        out->weight[i] /= sum;
    gy_alias_init(&out->alias, out->weight, out->n);
    return GY_OK;
}

gy_rc gy_read_range(const gy_model_reader *r, const cJSON *o, int64_t *least, int64_t *most)
{
    double v[2] = {1, 1e9};
    gy_rc rc = gy_read_array(r, o, "gpus", 1, v, 2);
    if (rc == GY_OK && v[0] > v[1])
        rc = wrong(r, "gpus", "a range [least, most]");
    *least = (int64_t)v[0];
    *most = v[1] > 1e9 ? 1000000000 : (int64_t)v[1];
    return rc;
}

/* ---- laws of durations ---- */

/* Percentages at or below each point of the grid; what is at or below the first point lies on it. */
static gy_rc law_from_cdf(const gy_model_reader *r, const cJSON *o, const double *grid, uint32_t n, gy_law *l)
{
    double *percent = NULL;
    uint32_t count = 0;
    gy_rc rc = gy_read_list(r, o, "cdf", 0, &percent, &count);
    if (rc == GY_OK && (count != n || percent[n - 1] != 100))
        rc = wrong(r, "cdf", "one ascending percentage for each point of \"grid_s\", the last of them 100");
    l->n = n;
    l->edge = gy_alloc((size_t)n + 1, sizeof *l->edge);
    l->weight = gy_alloc(n, sizeof *l->weight);
    for (uint32_t i = 0; i < n && rc == GY_OK; i++) {
        l->edge[i + 1] = gy_log(grid[i]);
        l->weight[i] = percent[i] - (i ? percent[i - 1] : 0);
        if (l->weight[i] < 0)
            rc = wrong(r, "cdf", "ascending");
    }
    l->edge[0] = l->edge[1];
    free(percent);
    return rc;
}

/* Lognormals [weight, mu, sigma] of ln seconds, cut to range_s, as 512 steps: far finer than any log
 * resolves, and from there on treated like a table. */
static gy_rc law_from_mixture(const gy_model_reader *r, const cJSON *o, gy_law *l)
{
    enum { STEPS = 512 };
    double range[2] = {1, 0};
    const cJSON *list = gy_json_member(o, "mixture"), *item;
    gy_rc rc = gy_read_array(r, o, "range_s", 1, range, 2);
    if (rc != GY_OK)
        return rc;
    if (range[0] >= range[1])
        return wrong(r, "range_s", "[shortest, longest] beside \"mixture\"");
    l->n = STEPS;
    l->edge = gy_alloc(STEPS + 1, sizeof *l->edge);
    l->weight = gy_alloc(STEPS, sizeof *l->weight);
    double from = gy_log(range[0]), to = gy_log(range[1]), sum = 0;
    for (int i = 0; i <= STEPS; i++)
        l->edge[i] = from + (to - from) * i / STEPS;
    cJSON_ArrayForEach(item, list)
    {
        double w = 0, mu = 0, sigma = 1;
        if (!cJSON_IsArray(item) || cJSON_GetArraySize(item) != 3 ||
            !number_of(cJSON_GetArrayItem(item, 0), 0, &w) ||
            !number_of(cJSON_GetArrayItem(item, 1), -50, &mu) ||
            !number_of(cJSON_GetArrayItem(item, 2), 1e-3, &sigma))
            return wrong(r, "mixture", "a list of [weight, mu, sigma] with sigma of at least 0.001");
        double before = gy_normal_cdf((from - mu) / sigma);
        for (int i = 0; i < STEPS; i++) {
            double now = gy_normal_cdf((l->edge[i + 1] - mu) / sigma);
            l->weight[i] += w * (now - before);
            sum += w * (now - before);
            before = now;
        }
    }
    return sum > 0 ? GY_OK : wrong(r, "mixture", "a law with some weight inside range_s");
}

gy_rc gy_read_law(const gy_model_reader *r, const cJSON *o, const double *grid, uint32_t ngrid, gy_law *out)
{
    bool cdf = gy_json_member(o, "cdf"), mixture = cJSON_IsArray(gy_json_member(o, "mixture"));
    if (cdf == mixture)
        return gy_fail(r->e, GY_EPARSE, "%s: each of \"durations\" must have either \"cdf\" or \"mixture\"",
                       r->json->name);
    if (cdf && ngrid == 0)
        return wrong(r, "grid_s", "given where \"cdf\" is");
    return cdf ? law_from_cdf(r, o, grid, ngrid, out) : law_from_mixture(r, o, out);
}

/* ---- batches ---- */

/* Percentages of batches at or below some sizes, with straight lines over ln size between, as one weight for
 * each whole size. */
gy_rc gy_read_batch_sizes(const gy_model_reader *r, const cJSON *o, gy_pmf *out, double *mean)
{
    enum { SIZE_MAX_JOBS = 100000 };
    const cJSON *list = gy_json_member(o, "cdf"), *pair;
    double size = 0, percent = 0;
    const char *form = "pairs [size, percentage], both ascending, from a whole size to 100 percent";
    *mean = 0;
    cJSON_ArrayForEach(pair, list)
    {
        double v[2] = {0, 0};
        gy_rc rc = read_pair(r, pair, "cdf", 1, SIZE_MAX_JOBS, v);
        if (rc != GY_OK)
            return rc;
        if (v[0] <= size || v[1] < percent || v[1] > 100)
            return wrong(r, "cdf", form);
        out->value = gy_resize(out->value, (size_t)v[0], sizeof *out->value);
        out->weight = gy_resize(out->weight, (size_t)v[0], sizeof *out->weight);
        double first = size > 0 ? size + 1 : v[0], scale = size > 0 ? gy_log(v[0] / size) : 1,
               below = percent;
        for (double k = first; k <= v[0]; k++) {
            double at = k == v[0] ? v[1] : percent + (v[1] - percent) * gy_log(k / size) / scale;
            out->value[out->n] = (int64_t)k;
            out->weight[out->n++] = (at - below) / 100;
            *mean += k * (at - below) / 100;
            below = at;
        }
        size = v[0];
        percent = v[1];
    }
    if (percent != 100)
        return wrong(r, "cdf", form);
    gy_alias_init(&out->alias, out->weight, out->n);
    return GY_OK;
}

/* ---- ends ---- */

static gy_rc read_end(const gy_model_reader *r, const cJSON *o, int state, gy_ends *out, double *column)
{
    memset(column, 0, out->n * sizeof *column);
    gy_rc rc = gy_read_array(r, o, gy_log_state_names[state], 0, column, out->n);
    for (uint32_t i = 0; i < out->n; i++)
        out->sum[i * GY_LOG_STATES + (uint32_t)state] = column[i];
    return rc;
}

gy_rc gy_read_ends(const gy_model_reader *r, const cJSON *o, gy_ends *out)
{
    double *at = NULL;
    gy_rc rc = gy_read_list(r, o, "at_s", 1, &at, &out->n);
    if (rc != GY_OK || !at) {
        free(at);
        return rc != GY_OK ? rc : wrong(r, "at_s", "given in \"states\"");
    }
    out->at = at;
    out->sum = gy_alloc((size_t)out->n * GY_LOG_STATES, sizeof *out->sum);
    double *column = gy_alloc(out->n, sizeof *column);
    for (int s = 0; s < GY_LOG_STATES && rc == GY_OK; s++)
        rc = read_end(r, o, s, out, column);
    free(column);
    for (uint32_t i = 0; i < out->n && rc == GY_OK; i++) {
        double *row = out->sum + i * GY_LOG_STATES, sum = 0;
        at[i] = gy_log(at[i]);
        if (i > 0 && at[i] <= at[i - 1])
            rc = wrong(r, "at_s", "ascending");
        for (int s = 0; s < GY_LOG_STATES; s++)
            sum += row[s];
        if (rc == GY_OK && !(sum > 0))
            rc = wrong(r, "states", "such that some state has a weight above 0 at each point of \"at_s\"");
        double below = 0;
        for (int s = 0; s < GY_LOG_STATES; s++)
            row[s] = below += row[s] / sum;
    }
    return rc;
}

/* ---- queues and users ---- */

static bool name_is_plain(const char *s)
{
    size_t n = strlen(s);
    if (n == 0 || n >= GY_GENERATE_NAME)
        return false;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] <= ' ' || s[i] == ',' || s[i] == '"' || s[i] == ';')
            return false;
    return true;
}

static gy_rc crowd_from_names(const gy_model_reader *r, const cJSON *o, const char *where, gy_crowd *out)
{
    const cJSON *names = gy_json_member(o, "names"), *item;
    uint32_t n = (uint32_t)cJSON_GetArraySize(names), i = 0;
    if (!cJSON_IsArray(names) || n == 0)
        return wrong(r, "names", "a list of names");
    out->n = n;
    out->name = gy_alloc(n, sizeof *out->name);
    out->share = gy_alloc(n, sizeof *out->share);
    cJSON_ArrayForEach(item, names)
    {
        if (!cJSON_IsString(item) || !name_is_plain(item->valuestring))
            return gy_fail(r->e, GY_EPARSE,
                           "%s: name %u of \"%s\" must be a text of 1 to %d bytes without blanks, commas, "
                           "semicolons and quotes",
                           r->json->name, i + 1, where, GY_GENERATE_NAME - 1);
        out->name[i++] = gy_strndup(item->valuestring, strlen(item->valuestring));
    }
    if (!gy_json_member(o, "shares"))
        return wrong(r, "shares", "given beside \"names\"");
    return gy_read_array(r, o, "shares", 0, out->share, n);
}

static gy_rc crowd_from_zipf(const gy_model_reader *r, const cJSON *o, const char *where, const char *prefix,
                             gy_crowd *out)
{
    int64_t count = 0;
    double slope = 0;
    gy_rc rc = gy_json_int(r->json, o, "count", 1, 1000000, &count, r->e);
    if (rc == GY_OK)
        rc = gy_json_text(r->json, o, "prefix", &prefix, r->e);
    if (rc == GY_OK)
        rc = gy_json_double(r->json, o, "zipf", &slope, r->e);
    if (rc != GY_OK)
        return rc;
    if (count == 0 || slope < 0 || slope > 10)
        return wrong(r, where, "an object with either \"names\" or \"count\", and \"zipf\" from 0 to 10");
    if (!name_is_plain(prefix) || strlen(prefix) > GY_GENERATE_NAME / 2)
        return wrong(r, "prefix", "a short text without blanks, commas, semicolons and quotes");
    out->n = (uint32_t)count;
    out->name = gy_alloc(out->n, sizeof *out->name);
    out->share = gy_alloc(out->n, sizeof *out->share);
    int width = snprintf(NULL, 0, "%u", out->n);
    for (uint32_t i = 0; i < out->n; i++) {
        char text[2 * GY_GENERATE_NAME];
        int n = snprintf(text, sizeof text, "%s%0*u", prefix, width, i + 1);
        out->name[i] = gy_strndup(text, (size_t)n);
        out->share[i] = gy_exp(-slope * gy_log(i + 1));
    }
    return GY_OK;
}

gy_rc gy_read_crowd(const gy_model_reader *r, const cJSON *o, const char *where, bool is_users, gy_crowd *out)
{
    static const char *const keys[] = {"names", "shares", "count", "zipf", "prefix", "home"};
    gy_rc rc = gy_json_keys(r->json, o, where, keys, is_users ? 6 : 5, r->e);
    if (rc != GY_OK)
        return rc;
    rc = gy_json_member(o, "names") ? crowd_from_names(r, o, where, out)
                                    : crowd_from_zipf(r, o, where, is_users ? "u" : "q", out);
    double sum = 0;
    for (uint32_t i = 0; i < out->n && rc == GY_OK; i++)
        sum += out->share[i];
    if (rc == GY_OK && sum <= 0)
        rc = wrong(r, "shares", "a list with a share above 0");
    if (rc != GY_OK)
        return rc;
    for (uint32_t i = 0; i < out->n; i++)
        out->share[i] /= sum;
    gy_alias_init(&out->alias, out->share, out->n);
    return GY_OK;
}
