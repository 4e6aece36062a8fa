/* bad_stage.c - modules of the other stages that misbehave.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME is the module's name, FAULT says what it does.
 */
#include "module.h"

enum fault {
    DOUBLE_START = 1,  /* starts a job twice */
    UNKNOWN_JOB,       /* starts a job that does not exist */
    BAD_PIECES,        /* starts a job on a node that does not exist */
    TOO_MANY,          /* on more GPUs than it asks for */
    OPEN_TRIAL,        /* leaves a dry run open */
    TWO_TRIALS,        /* begins one inside another */
    NO_TRIAL,          /* ends one that it had not begun */
    TRIAL_TWICE,       /* starts a job twice in a dry run */
    STOPS_WAITING,     /* stops a job that does not run */
    STOPS_FIXED,       /* stops a job that may not be stopped */
    STOP_MODE,         /* stops a job in a mode that does not exist */
    REPLAYS,           /* replays the log and declares nothing */
    NEVER_STARTS,      /* asks to be woken for ever and starts nothing */
    NONSENSE = 30,     /* blocked() answers what means nothing */
    NO_PLAN,           /* asks to keep a place and does not declare that it plans */
    OUT_OF_RANGE = 40, /* resizes beyond the job's range */
    RESIZES_WAITING,   /* resizes a job that waits */
    ADMIT_LIES = 50,   /* refuses by job and declares that refusals hold for the queue */
    ADMIT_WAVERS,      /* changes its mind */
};

#if FAULT < 30
static void schedule(void *self, gy_view *v)
{
    const gy_host *h = self;
    uint32_t job = h->next_waiting(v, GY_NIL), running = h->next_running(v, GY_NIL);
    const gy_piece away = {4711, 1}, much = {0, 100};
    gy_job_info j = {0};
    if (FAULT == UNKNOWN_JOB)
        h->start(v, 1000000, NULL, 0);
    if (running != GY_NIL && FAULT == STOPS_FIXED) {
        h->job(v, running, &j, sizeof j);
        h->stop(v, running, GY_STOP_DEFAULT);
    }
    if (running != GY_NIL && FAULT == STOP_MODE)
        h->stop(v, running, 99);
    if (FAULT == NO_TRIAL)
        h->try_end(v, 1);
    if (job == GY_NIL)
        return;
    switch ((enum fault)FAULT) {
    case DOUBLE_START: h->start(v, job, NULL, 0); break;
    case BAD_PIECES: h->start(v, job, &away, 1); return;
    case TOO_MANY: h->start(v, job, &much, 1); return;
    case OPEN_TRIAL: h->try_begin(v); break;
    case TWO_TRIALS:
        h->try_begin(v);
        h->try_begin(v);
        break;
    case TRIAL_TWICE:
        h->try_begin(v);
        h->start(v, job, NULL, 0);
        break;
    case STOPS_WAITING: h->stop(v, job, GY_STOP_DEFAULT); return;
    case REPLAYS: h->start_recorded(v, job); return;
    case NEVER_STARTS: h->wake_job(v, job, h->now_us(v) + 1); return;
    default: break;
    }
    h->start(v, job, NULL, 0);
}

static const gy_schedule_ops ops = {.size = sizeof ops, .schedule = schedule};
#define STAGE GY_STAGE_SCHEDULE
#elif FAULT < 40
static uint32_t blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{
    (void)self;
    (void)v;
    (void)job;
    (void)nth;
    return FAULT == NONSENSE ? 7 : GY_BLOCKED_RESERVE;
}

static const gy_backfill_ops ops = {.size = sizeof ops, .blocked = blocked};
#define STAGE GY_STAGE_BACKFILL
#elif FAULT < 50
static void resize(void *self, gy_view *v)
{
    const gy_host *h = self;
    uint32_t job = FAULT == OUT_OF_RANGE ? h->next_running(v, GY_NIL) : h->next_waiting(v, GY_NIL);
    if (job != GY_NIL)
        h->resize(v, job, 1000);
}

static const gy_resize_ops ops = {.size = sizeof ops, .resize = resize};
#define STAGE GY_STAGE_RESIZE
#else
static int admit(void *self, gy_view *v, uint32_t job)
{
    const gy_host *h = self;
    gy_job_info j;
    h->job(v, job, &j, sizeof j);
    if (FAULT == ADMIT_WAVERS)
        return (int)(h->draw(v) % 4 > 0);
    return h->now_us(v) > j.submit_us || j.user % 2 == 0;
}

static const gy_admit_ops ops = {.size = sizeof ops, .admit = admit};
#define STAGE GY_STAGE_ADMIT
#endif

PLAIN_MODULE(NAME, STAGE, GY_K0_REQUEST, FAULT == ADMIT_LIES ? GY_ADMIT_BY_QUEUE : 0, .ops = &ops)
