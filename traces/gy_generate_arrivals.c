/* gy_generate_arrivals.c - when batches come.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The rate is hour of the day x weekday x noise of the hour.  Given their number, the points of a Poisson
 * process are the partial sums of exponential spacings over the sum of all of them, read on a clock that runs
 * as fast as the rate; so exactly that many batches come, in order, and none has to be remembered.
 */
#include "gy_generate_internal.h"

static double seconds_of(const gy_arrivals *a, int64_t hour)
{
    int64_t left = a->span_s - hour * GY_GENERATE_HOUR_S;
    return left < GY_GENERATE_HOUR_S ? (double)left : GY_GENERATE_HOUR_S;
}

/* The weight of the next hour; takes a value from the noise. */
static double weigh(gy_arrivals *a, int64_t hour)
{
    const gy_model *m = a->model;
    double noise = gy_noise_next(&a->noise);
    /* A floor far below any count: a gamma law can fall to 0, and a short span must not have only such hours.
     */
    if (noise < 1e-9)
        noise = 1e-9;
    double rate = m->hours[hour % 24] * m->weekdays[(a->weekday + hour / 24) % 7];
    return rate * noise * seconds_of(a, hour);
}

static gy_rc sum_up(gy_arrivals *a, int64_t hours, uint64_t nbatches, gy_err *e)
{
    gy_noise_state noise = a->noise;
    gy_stream spacing = a->spacing;
    for (int64_t h = 0; h < hours; h++)
        a->weight += weigh(a, h);
    for (uint64_t i = 0; i <= nbatches; i++)
        a->total += gy_stream_exponential(&a->spacing);
    a->noise = noise;
    a->spacing = spacing;
    if (!(a->weight > 0))
        return gy_fail(
            e, GY_EINVAL,
            "%s: no hour of the span has a rate above 0; make the span longer or change \"hours\" and "
            "\"weekdays\"",
            a->model->name);
    return GY_OK;
}

gy_rc gy_arrivals_begin(gy_arrivals *a, const gy_model *m, uint64_t seed, uint32_t part, int weekday,
                        int64_t span_s, uint64_t nbatches, gy_err *e)
{
    *a = (gy_arrivals){.model = m, .weekday = weekday, .span_s = span_s};
    a->noise = (gy_noise_state){m->noise, gy_generate_stream(seed, GY_DRAW_HOURS, part, 0), 0, false};
    a->spacing = gy_generate_stream(seed, GY_DRAW_SPACING, part, 0);
    int64_t hours = (span_s + GY_GENERATE_HOUR_S - 1) / GY_GENERATE_HOUR_S;
    gy_rc rc = sum_up(a, hours, nbatches, e);
    a->now = weigh(a, 0);
    return rc;
}

int64_t gy_arrivals_next(gy_arrivals *a)
{
    a->spaced += gy_stream_exponential(&a->spacing);
    double point = a->spaced / a->total * a->weight;
    while (point >= a->before + a->now && (a->hour + 1) * GY_GENERATE_HOUR_S < a->span_s) {
        a->before += a->now;
        a->now = weigh(a, ++a->hour);
    }
    double inside = a->now > 0 ? (point - a->before) / a->now : 0;
    int64_t at = a->hour * GY_GENERATE_HOUR_S + (int64_t)(inside * seconds_of(a, a->hour));
    return at < a->span_s ? at : a->span_s - 1;
}
