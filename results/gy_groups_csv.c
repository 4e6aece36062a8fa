/* gy_groups_csv.c - see gy_groups_csv.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_groups_csv.h"

#include <math.h>

#include "gy_cells.h"

static const char columns[] = ",submitted,finished,failed,killed,timeout,infeasible,running,queued"
                              ",wait_n,wait_mean_s,wait_p50_s,wait_p95_s,wait_max_s"
                              ",jct_n,jct_mean_s,jct_p50_s,jct_p95_s,jct_max_s,gpu_s,gpu_share\n";

/* Room for a row without its name. */
enum { ROW_ROOM = (GY_STATES + 2) * (GY_CELL_INT + 1) + 12 * (GY_CELL_I128 + 1) };

static char *put_double(char *p, double v)
{
    return isnan(v) ? p : gy_put_double(p, v);
}

static char *put_dist(char *p, const gy_time_dist *d)
{
    const int64_t quantiles[] = {d->p50_us, d->p95_us, d->max_us};
    *p++ = ',';
    p = gy_cell_uint(p, d->n);
    *p++ = ',';
    p = put_double(p, gy_time_mean_s(d));
    for (size_t i = 0; i < 3; i++) {
        *p++ = ',';
        p = gy_cell_us(p, quantiles[i]);
    }
    return p;
}

static void put_row(gy_out *out, const gy_group_row *r, gy_i128 held)
{
    char *p = gy_out_room(out, ROW_ROOM);
    *p++ = ',';
    p = gy_cell_uint(p, r->submitted);
    for (int k = GY_STATE_FINISHED; k < GY_STATES; k++) {
        *p++ = ',';
        p = gy_cell_uint(p, r->jobs[k]);
    }
    p = put_dist(p, &r->wait);
    p = put_dist(p, &r->jct);
    *p++ = ',';
    p = gy_put_i128(p, r->held, 9);
    *p++ = ',';
    p = put_double(p, held > 0 ? (double)r->held / (double)held : NAN);
    *p++ = '\n';
    gy_out_end(out, p);
}

void gy_groups_write(gy_out *out, const char *what, const gy_groups *g, const gy_names *names)
{
    gy_i128 held = 0;
    for (uint32_t k = 0; k < g->n; k++)
        held += g->rows[k].held;
    gy_out_text(out, what);
    gy_out_text(out, columns);
    for (uint32_t k = 0; k < g->n; k++) {
        if (g->rows[k].submitted == 0 && g->rows[k].held == 0)
            continue;
        gy_out_cell(out, gy_names_text(names, k), gy_names_len(names, k));
        put_row(out, &g->rows[k], held);
    }
}
