/* gy_random.h - counter-based random streams: Philox4x32-10 (Salmon et al., SC'11).
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stream is named by (seed, purpose, entity), so that a draw added in one place never shifts another, and
 * the same job or node sees the same numbers under every policy.
 */
#ifndef GY_RANDOM_H
#define GY_RANDOM_H

#include "gy_error.h"

/* Append only: the number is part of the key. */
enum gy_purpose {
    GY_RANDOM_TIE = 1,  /* --tie-order: one draw for each job */
    GY_RANDOM_POLICY,   /* a module's own stream; entity: number of the stage */
    GY_RANDOM_JOB,      /* a module's stream for a job; entity: the job */
    GY_RANDOM_ESTIMATE, /* noisy estimates; entity: the job */
    GY_RANDOM_GENERATE, /* the trace generator; entity: what is drawn */
};

typedef struct gy_stream {
    uint32_t key[2];
    uint32_t ctr[4];
    uint32_t out[4];
    uint32_t used;
} gy_stream;

/* The block function: ten rounds over ctr under key. */
void gy_philox(const uint32_t key[2], const uint32_t ctr[4], uint32_t out[4]);

gy_stream gy_stream_of(uint64_t seed, uint32_t purpose, uint64_t entity);
uint32_t gy_stream_u32(gy_stream *s);
uint64_t gy_stream_u64(gy_stream *s);
double gy_stream_double(gy_stream *s);              /* [0, 1), 53 bits */
uint32_t gy_stream_below(gy_stream *s, uint32_t n); /* uniform in [0, n), unbiased; n > 0 */

/* Natural logarithm, exponential and standard normal from IEEE additions, products and quotients alone: the
 * same bits on every machine, which libm's do not promise.  About 1e-14 relative. */
double gy_log(double x);                    /* x > 0 and finite */
double gy_exp(double x);                    /* |x| <= 700 */
double gy_stream_exponential(gy_stream *s); /* mean 1 */
double gy_stream_normal(gy_stream *s);      /* mean 0, variance 1 */

#endif
