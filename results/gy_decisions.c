/* gy_decisions.c - see gy_decisions.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_decisions.h"

#include <stdlib.h>

struct gy_decisions {
    gy_out *out;
    const gy_jobs *jobs;
};

static const char *const reasons[] = {"", "resources", "behind", "admission", "reservation", "policy"};

gy_decisions *gy_decisions_open(gy_out *out, const gy_jobs *jobs)
{
    gy_decisions *d = gy_alloc(1, sizeof *d);
    *d = (gy_decisions){out, jobs};
    return d;
}

void gy_decisions_close(gy_decisions *d)
{
    free(d);
}

static void put_text(gy_out *o, const char *key, const char *s)
{
    gy_out_printf(o, ",\"%s\":\"", key);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            gy_out_bytes(o, "\\", 1);
        if ((unsigned char)*s < 0x20)
            gy_out_printf(o, "\\u%04x", (unsigned char)*s);
        else
            gy_out_bytes(o, s, 1);
    }
    gy_out_bytes(o, "\"", 1);
}

void gy_decisions_add(void *ctx, int64_t t_us, const char *what, uint32_t job, uint32_t reason,
                      const char *text)
{
    gy_decisions *d = ctx;
    char t[32], id[24];
    gy_put_us(t, t_us);
    gy_out_printf(d->out, "{\"t_s\":%s,\"what\":\"%s\"", t, what);
    if (job < d->jobs->n)
        put_text(d->out, "job", gy_job_id_text(d->jobs, job, id));
    if (reason && reason < sizeof reasons / sizeof *reasons)
        put_text(d->out, "reason", reasons[reason]);
    if (*text)
        put_text(d->out, "text", text);
    gy_out_bytes(d->out, "}\n", 2);
}
