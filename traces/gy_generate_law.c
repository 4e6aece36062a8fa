/* gy_generate_law.c - probability laws of the trace generator, from IEEE arithmetic alone.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <math.h>
#include <stdlib.h>

#include "gy_generate_internal.h"

/* ---- discrete: Walker's alias method, built by Vose's two stacks ---- */

void gy_alias_init(gy_alias *a, const double *weights, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += weights[i];
    GY_ASSERT(n > 0 && sum > 0);
    a->n = n;
    a->cut = gy_alloc(n, sizeof *a->cut);
    a->other = gy_alloc(n, sizeof *a->other);
    double *load = gy_alloc(n, sizeof *load);
    uint32_t *stack = gy_alloc(n, sizeof *stack); /* small ones from the left, large ones from the right */
    uint32_t small = 0, large = n;
    for (uint32_t i = 0; i < n; i++) {
        load[i] = weights[i] / sum * n;
        a->other[i] = i;
        a->cut[i] = UINT32_MAX;
        if (load[i] < 1)
            stack[small++] = i;
        else
            stack[--large] = i;
    }
    while (small > 0 && large < n) {
        uint32_t s = stack[--small], l = stack[large];
        a->cut[s] = (uint32_t)(load[s] * 0x1p32);
        a->other[s] = l;
        load[l] -= 1 - load[s];
        if (load[l] < 1) {
            large++;
            stack[small++] = l;
        }
    }
    free(stack);
    free(load);
}

void gy_alias_fini(gy_alias *a)
{
    free(a->cut);
    free(a->other);
    *a = (gy_alias){0};
}

uint32_t gy_alias_draw(const gy_alias *a, gy_stream *s)
{
    uint64_t u = gy_stream_u64(s);
    uint32_t i = (uint32_t)((u >> 32) * a->n >> 32);
    return (uint32_t)u < a->cut[i] ? i : a->other[i];
}

void gy_pmf_fini(gy_pmf *p)
{
    free(p->value);
    free(p->weight);
    gy_alias_fini(&p->alias);
    *p = (gy_pmf){0};
}

int64_t gy_pmf_draw(const gy_pmf *p, gy_stream *s)
{
    return p->value[gy_alias_draw(&p->alias, s)];
}

/* ---- durations ---- */

static double total_of(const gy_law *l)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->n; i++)
        sum += l->weight[i];
    return sum;
}

bool gy_law_cut(gy_law *l, double most)
{
    double before = total_of(l);
    for (uint32_t i = 0; i < l->n; i++) {
        double from = l->edge[i], to = l->edge[i + 1];
        if (to <= most)
            continue;
        if (from < most)
            l->weight[i] *= (most - from) / (to - from);
        else
            l->weight[i] = 0;
        l->edge[i + 1] = most > from ? most : from;
        l->n = i + 1;
    }
    return total_of(l) >= 0.01 * before;
}

void gy_law_ready(gy_law *l)
{
    double sum = total_of(l);
    for (uint32_t i = 0; i < l->n; i++)
        l->weight[i] /= sum;
    gy_alias_fini(&l->alias);
    gy_alias_init(&l->alias, l->weight, l->n);
}

void gy_law_fini(gy_law *l)
{
    free(l->edge);
    free(l->weight);
    gy_alias_fini(&l->alias);
    *l = (gy_law){0};
}

double gy_law_draw(const gy_law *l, gy_stream *s)
{
    uint32_t i = gy_alias_draw(&l->alias, s);
    double part = (double)gy_stream_u32(s) * 0x1p-32;
    return l->edge[i] + part * (l->edge[i + 1] - l->edge[i]);
}

double gy_normal_cdf(double z)
{
    if (z < -8)
        return 0;
    if (z > 8)
        return 1;
    /* Marsaglia (2004): 1/2 + density x (z + z^3/3 + z^5/15 + ...), until a term no longer counts. */
    double sum = z, before = 0, term = z, square = z * z;
    for (int i = 3; sum != before; i += 2) {
        before = sum;
        term *= square / i;
        sum += term;
    }
    double p = 0.5 + sum * gy_exp(-0.5 * square - 0.91893853320467274178);
    return p < 0 ? 0 : p > 1 ? 1 : p;
}

/* Marsaglia and Tsang (2000). */
static double gamma_from_one(double shape, gy_stream *s)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = gy_stream_normal(s), v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = 1 - gy_stream_double(s);
        if (gy_log(u) < 0.5 * x * x + d - d * v + d * gy_log(v))
            return d * v;
    }
}

double gy_gamma_draw(double shape, gy_stream *s)
{
    if (shape <= 0)
        return 0;
    if (shape >= 1)
        return gamma_from_one(shape, s);
    double g = gamma_from_one(shape + 1, s);
    double power = gy_log(1 - gy_stream_double(s)) / shape; /* times U^(1/shape) */
    return power < -700 ? 0 : g * gy_exp(power);
}

/* ---- noise ---- */

/* Gamma with a correlation of ar1: a beta-distributed part of the last value lives on and a fresh gamma joins
 * it, which leaves the law as it is (Lewis, McKenzie and Hugus 1989). */
static double gamma_next(gy_noise_state *n)
{
    double shape = 1 / (n->law.cv * n->law.cv), kept = shape * n->law.ar1, fresh = shape - kept;
    if (!n->begun)
        return gy_gamma_draw(shape, &n->stream);
    double a = gy_gamma_draw(kept, &n->stream), b = gy_gamma_draw(fresh, &n->stream);
    double part = a + b > 0 ? a / (a + b) : 0;
    return part * n->last + gy_gamma_draw(fresh, &n->stream);
}

/* The logarithm is an AR(1) process, with the correlation that gives ar1 after the exponential. */
static double normal_next(gy_noise_state *n)
{
    double variance = n->law.cv * n->law.cv, sigma2 = gy_log(1 + variance);
    double rho = gy_log(1 + n->law.ar1 * variance) / sigma2;
    double fresh = gy_stream_normal(&n->stream);
    return n->begun ? rho * n->last + sqrt(1 - rho * rho) * fresh : fresh;
}

double gy_noise_next(gy_noise_state *n)
{
    double value = 1;
    double variance = n->law.cv * n->law.cv;
    if (n->law.law == GY_NOISE_GAMMA) {
        n->last = gamma_next(n);
        value = n->last * variance;
    } else if (n->law.law == GY_NOISE_LOGNORMAL) {
        n->last = normal_next(n);
        double sigma2 = gy_log(1 + variance);
        value = gy_exp(sqrt(sigma2) * n->last - 0.5 * sigma2);
    }
    n->begun = true;
    return value;
}
