/* gy_random.c - see gy_random.h.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "gy_random.h"

#include <math.h>
#include <string.h>

void gy_philox(const uint32_t key[2], const uint32_t ctr[4], uint32_t out[4])
{
    const uint32_t m0 = 0xD2511F53u, m1 = 0xCD9E8D57u, w0 = 0x9E3779B9u, w1 = 0xBB67AE85u;
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = ctr[0], c1 = ctr[1], c2 = ctr[2], c3 = ctr[3];
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)m0 * c0, p1 = (uint64_t)m1 * c2;
        uint32_t n0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0, n2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        c0 = n0;
        c2 = n2;
        k0 += w0;
        k1 += w1;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

gy_stream gy_stream_of(uint64_t seed, uint32_t purpose, uint64_t entity)
{
    gy_stream s = {{(uint32_t)seed, (uint32_t)(seed >> 32)}, {0}, {0}, 4};
    /* The entity takes two counter words and the purpose shares one with the block number's upper half. */
    s.ctr[2] = (uint32_t)entity;
    s.ctr[3] = (uint32_t)(entity >> 32);
    s.ctr[1] = purpose << 16;
    return s;
}

uint32_t gy_stream_u32(gy_stream *s)
{
    if (s->used == 4) {
        gy_philox(s->key, s->ctr, s->out);
        if (++s->ctr[0] == 0)
            s->ctr[1]++;
        s->used = 0;
    }
    return s->out[s->used++];
}

uint64_t gy_stream_u64(gy_stream *s)
{
    uint64_t high = gy_stream_u32(s);
    return high << 32 | gy_stream_u32(s);
}

double gy_stream_double(gy_stream *s)
{
    return (double)(gy_stream_u64(s) >> 11) * 0x1p-53;
}

uint32_t gy_stream_below(gy_stream *s, uint32_t n)
{
    /* Lemire's method: multiply, and draw again in the few cases that would be unfair. */
    uint64_t m = (uint64_t)gy_stream_u32(s) * n;
    if ((uint32_t)m < n) {
        uint32_t floor = (0u - n) % n;
        while ((uint32_t)m < floor)
            m = (uint64_t)gy_stream_u32(s) * n;
    }
    return (uint32_t)(m >> 32);
}

double gy_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exp = (int)(bits >> 52 & 0x7ff) - 1023;
    bits = (bits & 0xfffffffffffffu) | (uint64_t)1023 << 52;
    double m; /* in [1, 2) */
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exp++;
    }
    /* log m = 2 artanh z, with |z| < 0.172: eleven terms of the series are beyond 53 bits. */
    double z = (m - 1) / (m + 1), z2 = z * z, sum = 0;
    for (int k = 21; k >= 1; k -= 2)
        sum = sum * z2 + 1.0 / k;
    return 2 * z * sum + exp * 0.69314718055994530942;
}

double gy_exp(double x)
{
    double n = (double)(int64_t)(x * 1.44269504088896340736 + (x < 0 ? -0.5 : 0.5));
    double r = x - n * 0.693147180369123816490;
    r -= n * 1.90821492927058770002e-10;
    double sum = 1;
    for (int k = 18; k >= 1; k--) /* |r| <= 0.35: Horner form of the series */
        sum = 1 + sum * r / k;
    uint64_t bits = (uint64_t)(1023 + (int64_t)n) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return sum * scale;
}

double gy_stream_exponential(gy_stream *s)
{
    return -gy_log(1 - gy_stream_double(s));
}

double gy_stream_normal(gy_stream *s)
{
    /* Marsaglia's polar method; sqrt is correctly rounded everywhere.  The second normal is not kept, so that
     * one draw is one call. */
    for (;;) {
        double u = 2 * gy_stream_double(s) - 1, v = 2 * gy_stream_double(s) - 1, q = u * u + v * v;
        if (q > 0 && q < 1)
            return u * sqrt(-2 * gy_log(q) / q);
    }
}
