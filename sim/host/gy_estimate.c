/* gy_estimate.c - estimates of a job's length: its limit, history, the truth with noise, the truth.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * History is the mean length of the jobs that have ended: those of the same user and number of GPUs, else of
 * the same number of GPUs, else of all (the naive part of Helios's QSSF predictor, SC'21, without job names).
 * It is that of the job's submission and stays: keys and plans rest on it.
 */
#include <stdlib.h>

#include "gy_session_internal.h"

struct mean {
    gy_i128 sum_us;
    uint64_t n;
};

struct gy_history {
    struct mean all;
    gy_names users; /* (user, GPUs) pairs as bytes */
    gy_names sizes; /* GPUs as bytes */
    struct mean *by_user, *by_size;
    size_t user_cap, size_cap;
    int64_t *said_us; /* by job: its estimate; 0: not asked yet */
};

static struct mean *mean_of(gy_names *names, struct mean **list, size_t *cap, const uint32_t *key, size_t n,
                            bool add)
{
    size_t before = names->n;
    uint32_t id = add ? gy_names_add(names, (const char *)key, n * sizeof *key)
                      : gy_names_find(names, (const char *)key, n * sizeof *key);
    if (id == GY_NAME_NONE)
        return NULL;
    *list = gy_reserve(*list, cap, names->n, sizeof **list);
    if (names->n > before)
        (*list)[id] = (struct mean){0, 0};
    return &(*list)[id];
}

void gy_estimate_ended(gy_session *ss, uint32_t job)
{
    const gy_jobs *t = ss->sim->jobs;
    struct gy_history *h = ss->history;
    if (!h)
        return;
    uint32_t key[2] = {gy_job_shape(t, job)->gpus_milli, t->user[job]};
    struct mean *means[3] = {&h->all, mean_of(&h->sizes, &h->by_size, &h->size_cap, key, 1, true),
                             mean_of(&h->users, &h->by_user, &h->user_cap, key, 2, true)};
    for (int i = 0; i < 3; i++) {
        GY_ASSERT(means[i]);
        means[i]->sum_us += gy_job_work(t, job);
        means[i]->n++;
    }
}

static int64_t mean_before(gy_session *ss, uint32_t job)
{
    const gy_jobs *t = ss->sim->jobs;
    struct gy_history *h = ss->history;
    uint32_t key[2] = {gy_job_shape(t, job)->gpus_milli, t->user[job]};
    const struct mean *m = mean_of(&h->users, &h->by_user, &h->user_cap, key, 2, false);
    if (!m)
        m = mean_of(&h->sizes, &h->by_size, &h->size_cap, key, 1, false);
    if (!m)
        m = &h->all;
    int64_t limit = gy_job_limit(t, job), mean = m->n ? (int64_t)(m->sum_us / (int64_t)m->n) : GY_NEVER;
    return mean < limit ? mean : limit;
}

static int64_t from_history(gy_session *ss, uint32_t job)
{
    int64_t *said = &ss->history->said_us[job];
    if (*said == 0) {
        int64_t us = mean_before(ss, job);
        *said = us ? us : 1; /* a microsecond instead of nothing, which means that nobody asked */
    }
    return *said;
}

void gy_estimate_submitted(gy_session *ss, uint32_t job)
{
    if (ss->history)
        from_history(ss, job);
}

void gy_estimate_init(gy_session *ss)
{
    bool used = false;
    for (uint32_t k = 1; k < GY_STAGE_END; k++)
        used = used || (ss->inst[k].module && ss->inst[k].module->flags & GY_USES_ESTIMATES &&
                        ss->policy->stage[k].estimator == GY_ESTIMATE_HISTORY);
    if (!used)
        return;
    ss->history = gy_alloc(1, sizeof *ss->history);
    ss->history->said_us = gy_alloc(ss->sim->jobs->n, sizeof *ss->history->said_us);
}

/* The truth times e^(sigma z), z the job's own standard normal: the same under every policy. */
static int64_t with_noise(const gy_session *ss, int64_t sigma_micro, uint32_t job)
{
    gy_stream s = gy_stream_of(ss->sim->opt.seed, GY_RANDOM_ESTIMATE, ss->sim->jobs->row[job]);
    double factor = gy_exp((double)sigma_micro * 1e-6 * gy_stream_normal(&s));
    double us = (double)gy_job_work(ss->sim->jobs, job) * factor;
    return us < 9e17 ? (int64_t)us : (int64_t)9e17;
}

int64_t gy_estimate_of(gy_session *ss, uint32_t stage, uint32_t job)
{
    const gy_policy_stage *st = &ss->policy->stage[stage];
    switch (st->estimator) {
    case GY_ESTIMATE_LIMIT: return gy_job_limit(ss->sim->jobs, job);
    case GY_ESTIMATE_HISTORY: return from_history(ss, job);
    case GY_ESTIMATE_NOISY: return with_noise(ss, st->sigma_micro, job);
    case GY_ESTIMATE_PERFECT: break;
    }
    return gy_job_work(ss->sim->jobs, job);
}

void gy_estimate_fini(gy_session *ss)
{
    if (!ss->history)
        return;
    gy_names_fini(&ss->history->users);
    gy_names_fini(&ss->history->sizes);
    free(ss->history->by_user);
    free(ss->history->by_size);
    free(ss->history->said_us);
    free(ss->history);
}
