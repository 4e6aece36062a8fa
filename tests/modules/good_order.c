/* good_order.c - order modules that use what the shipped ones do not: keys that move with time or with the
 * user, random numbers, timers, growth of the interface. SPDX-License-Identifier: GPL-3.0-or-later
 *
 * NAME is the module's name, WAY says what it does.
 */
#include "module.h"

enum way {
    AGING,    /* GPUs times weight_s, less the time waited: GY_KEY_TIME */
    FEWEST,   /* running jobs of the user: GY_KEY_USER */
    DRAWS,    /* draw_job(), whatever was drawn besides: GY_KEY_NEVER */
    LOTTERY,  /* draw() at submission */
    DEMOTES,  /* waiting jobs go back by one place at a timer of their own: GY_KEY_OWN */
    COUNTS,   /* how often the job was started, counted by itself: GY_KEY_OWN */
    DUE,      /* a linear key; a timer of the waiting job puts it before all that had theirs earlier */
    OLD_OPS,  /* as if built before next_look() was there */
    OLD_WORD, /* as if built before end() and later notifications were there */
};
#define IS(way) (WAY == (way))

enum { JOBS = 4096 };

struct instance {
    const gy_host *host;
    int64_t setting;
    uint32_t counts[JOBS]; /* by job */
    uint64_t drawn[JOBS];
};

static int open_instance(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    struct instance *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(error, size, "out of memory");
        return 1;
    }
    s->host = host;
    s->setting = values[0].number;
    *self = s;
    return 0;
}

static int64_t key_of(const struct instance *s, gy_view *v, uint32_t job)
{
    gy_job_info j;
    gy_user_info u;
    s->host->job(v, job, &j, sizeof j);
    switch ((enum way)WAY) {
    case AGING: return j.gpus_milli / 1000 * s->setting - (s->host->now_us(v) - j.submit_us);
    case FEWEST: s->host->user(v, j.user, &u, sizeof u); return u.running;
    case DRAWS: return (int64_t)(s->host->draw_job(v, job, 3) >> 1);
    case LOTTERY: return (int64_t)(s->drawn[job] >> 1);
    case DEMOTES:
    case COUNTS: return s->counts[job];
    case DUE: return s->counts[job] ? -(int64_t)job : 1;
    default: return 0;
    }
}

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    out->lane[0] = key_of(self, v, job);
}

static void on_submit(void *self, gy_view *v, uint32_t job)
{
    struct instance *s = self;
    if (IS(LOTTERY))
        s->drawn[job] = s->host->draw(v);
    for (int64_t i = 0; IS(DRAWS) && i < s->setting % 1000; i++)
        s->host->draw(v);
    if ((IS(DEMOTES) || IS(DUE)) && s->setting > 0)
        s->host->wake_job(v, job, s->host->now_us(v) + s->setting);
}

static void on_start(void *self, gy_view *v, uint32_t job)
{
    struct instance *s = self;
    (void)v;
    if (IS(COUNTS))
        s->counts[job]++;
}

static void on_end(void *self, gy_view *v, uint32_t job, uint32_t state)
{
    (void)self;
    (void)v;
    (void)job;
    (void)state;
    if (IS(OLD_WORD))
        abort(); /* its table ends before this member, so nobody may call it */
}

static void on_timer(void *self, gy_view *v, uint32_t job)
{
    struct instance *s = self;
    (void)v;
    if (job != GY_NIL)
        s->counts[job]++;
}

static int64_t next_look(void *self, gy_view *v)
{
    (void)self;
    (void)v;
    abort(); /* its table ends before this member, so nobody may call it */
}

static const gy_notify notify = {
    .size = IS(OLD_WORD) ? offsetof(gy_notify, end) : sizeof notify,
    .submit = on_submit,
    .start = on_start,
    .end = on_end,
    .timer = on_timer,
};

static const gy_setting settings[] = {
    {"weight_s", GY_SETTING_TIME, "0", "s", "a time", 0, 86400000000},
};

static const gy_order_ops ops = {
    .size = IS(OLD_OPS) ? offsetof(gy_order_ops, next_look) : sizeof ops,
    .lanes = 1,
    .change = IS(AGING)                   ? GY_KEY_TIME
              : IS(FEWEST)                ? GY_KEY_USER
              : IS(DEMOTES) || IS(COUNTS) ? GY_KEY_OWN
              : IS(DUE)                   ? GY_KEY_LINEAR
                                          : GY_KEY_NEVER,
    .key = key,
    .next_look = IS(OLD_OPS) ? next_look : NULL,
};

MODULE(NAME, GY_STAGE_ORDER, GY_K0_REQUEST, 0, open_instance, free, .nsettings = 1, .settings = settings,
       .notify = &notify, .ops = &ops)
