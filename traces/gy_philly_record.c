/* gy_philly_record.c - a Philly record and how to fill it from a parsed tree.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "gy_csv.h"
#include "gy_philly_internal.h"

void gy_philly_record_clear(struct gy_philly_record *r)
{
    const gy_slice none = {"", 0};
    r->status = r->vc = r->id = r->submitted = r->user = none;
    r->nattempts = r->nhosts = r->ngpus = 0;
    r->unknown = NULL;
}

void gy_philly_record_fini(struct gy_philly_record *r)
{
    free(r->attempts);
    free(r->hosts);
    free(r->gpus);
    *r = (struct gy_philly_record){0};
}

struct gy_philly_attempt *gy_philly_add_attempt(struct gy_philly_record *r)
{
    r->attempts = gy_reserve(r->attempts, &r->attempts_cap, r->nattempts + 1, sizeof *r->attempts);
    struct gy_philly_attempt *a = &r->attempts[r->nattempts++];
    *a = (struct gy_philly_attempt){{"", 0}, {"", 0}, r->nhosts, 0};
    return a;
}

struct gy_philly_host *gy_philly_add_host(struct gy_philly_record *r)
{
    r->hosts = gy_reserve(r->hosts, &r->hosts_cap, r->nhosts + 1, sizeof *r->hosts);
    struct gy_philly_host *h = &r->hosts[r->nhosts++];
    *h = (struct gy_philly_host){{"", 0}, r->ngpus, 0};
    r->attempts[r->nattempts - 1].nhosts++;
    return h;
}

void gy_philly_add_gpu(struct gy_philly_record *r, gy_slice gpu)
{
    r->gpus = gy_reserve(r->gpus, &r->gpus_cap, r->ngpus + 1, sizeof *r->gpus);
    r->gpus[r->ngpus++] = gpu;
    r->hosts[r->nhosts - 1].ngpus++;
}

/* ---- from a tree ---- */

/* A text or null; false for anything else. */
static bool text_of(const cJSON *m, gy_slice *out)
{
    if (cJSON_IsNull(m))
        return true;
    if (!cJSON_IsString(m))
        return false;
    *out = (gy_slice){m->valuestring, strlen(m->valuestring)};
    return gy_is_utf8(out->s, out->n);
}

static bool is(const cJSON *m, const char *key)
{
    return strcmp(m->string, key) == 0;
}

/* The first member of that name holds, as in every lookup by name. */
static bool repeats(const cJSON *object, const cJSON *m)
{
    return cJSON_GetObjectItemCaseSensitive(object, m->string) != m;
}

static const char *host_of(const cJSON *tree, struct gy_philly_record *r)
{
    const cJSON *m, *gpu;
    size_t host = r->nhosts;
    if (!cJSON_IsObject(tree))
        return "a host of detail is no object";
    gy_philly_add_host(r);
    cJSON_ArrayForEach(m, tree)
    {
        if (repeats(tree, m))
            continue;
        if (is(m, "ip") && !text_of(m, &r->hosts[host].ip))
            return "ip is no text";
        if (!is(m, "gpus") || cJSON_IsNull(m))
            continue;
        if (!cJSON_IsArray(m))
            return "gpus is no list";
        cJSON_ArrayForEach(gpu, m)
        {
            gy_slice text = {"", 0};
            if (!text_of(gpu, &text))
                return "a GPU is no text";
            gy_philly_add_gpu(r, text);
        }
    }
    return NULL;
}

static const char *hosts_of(const cJSON *tree, struct gy_philly_record *r)
{
    const cJSON *host;
    const char *wrong = NULL;
    if (cJSON_IsNull(tree))
        return NULL;
    if (!cJSON_IsArray(tree))
        return "detail is no list";
    cJSON_ArrayForEach(host, tree)
    {
        wrong = wrong ? wrong : host_of(host, r);
    }
    return wrong;
}

static const char *attempt_of(const cJSON *tree, struct gy_philly_record *r)
{
    const cJSON *m;
    const char *wrong = NULL;
    if (!cJSON_IsObject(tree))
        return "an attempt is no object";
    size_t attempt = r->nattempts;
    gy_philly_add_attempt(r);
    cJSON_ArrayForEach(m, tree)
    {
        if (wrong || repeats(tree, m))
            continue;
        if (is(m, "start_time"))
            wrong = text_of(m, &r->attempts[attempt].start) ? NULL : "start_time is no text";
        else if (is(m, "end_time"))
            wrong = text_of(m, &r->attempts[attempt].end) ? NULL : "end_time is no text";
        else if (is(m, "detail"))
            wrong = hosts_of(m, r);
        else
            r->unknown = m->string;
    }
    return wrong;
}

static const char *attempts_of(const cJSON *tree, struct gy_philly_record *r)
{
    const cJSON *attempt;
    const char *wrong = NULL;
    if (cJSON_IsNull(tree))
        return NULL;
    if (!cJSON_IsArray(tree))
        return "attempts is no list";
    cJSON_ArrayForEach(attempt, tree)
    {
        wrong = wrong ? wrong : attempt_of(attempt, r);
    }
    return wrong;
}

const char *gy_philly_tree(const cJSON *tree, struct gy_philly_record *r)
{
    const struct {
        const char *key, *wrong;
        gy_slice *to;
    } texts[] = {{"status", "status is no text", &r->status},
                 {"vc", "vc is no text", &r->vc},
                 {"jobid", "jobid is no text", &r->id},
                 {"submitted_time", "submitted_time is no text", &r->submitted},
                 {"user", "user is no text", &r->user}};
    enum { NTEXTS = sizeof texts / sizeof *texts };
    const cJSON *m;
    const char *wrong = NULL;
    gy_philly_record_clear(r);
    cJSON_ArrayForEach(m, tree)
    {
        size_t i = 0;
        if (wrong || repeats(tree, m))
            continue;
        while (i < NTEXTS && !is(m, texts[i].key))
            i++;
        if (i < NTEXTS)
            wrong = text_of(m, texts[i].to) ? NULL : texts[i].wrong;
        else if (is(m, "attempts"))
            wrong = attempts_of(m, r);
        else
            r->unknown = m->string;
    }
    return wrong;
}
