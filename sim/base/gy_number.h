/* gy_number.h - exact decimals: text to integers of a fixed fraction and back.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All times are int64_t microseconds (`_us`), GPU shares whole thousandths (`_milli`).  Nothing here goes
 * through a double, and nothing depends on the locale.
 */
#ifndef GY_NUMBER_H
#define GY_NUMBER_H

#include "gy_error.h"

#define GY_NEVER    INT64_MAX /* a time that does not come: no limit, not started, ... */
#define GY_US_PER_S 1000000

__extension__ typedef __int128 gy_i128;
__extension__ typedef unsigned __int128 gy_u128;

typedef enum gy_number_rc {
    GY_NUMBER_OK,
    GY_NUMBER_NONE,  /* no decimal number, or something stands after it */
    GY_NUMBER_FINE,  /* more digits after the point than can be kept */
    GY_NUMBER_RANGE, /* does not fit */
} gy_number_rc;

/* Reads all of s[0..n) as a decimal number ("12", "-1.5", "+3.", "1e-3") into *out, counted in units of
 * 10^-digits, digits <= 9.  Blanks are not skipped.  Zeros beyond the last kept digit are no loss. */
gy_number_rc gy_parse_fixed(const char *s, size_t n, int digits, int64_t *out);

/* Seconds to microseconds. */
gy_number_rc gy_parse_us(const char *s, size_t n, int64_t *out);

/* A plain integer of at most 18 digits, with an optional sign. */
gy_number_rc gy_parse_int(const char *s, size_t n, int64_t *out);

/* Seconds, or a number with one of the units us ms s m h d ("30d", "1.5h"). */
gy_number_rc gy_parse_duration(const char *s, size_t n, int64_t *us);

/* What is wrong with a time, for an error message: "is not a number", ... */
const char *gy_number_why(gy_number_rc rc);

/* The same for a number of which 0, 3 or 6 digits behind the point are kept; names the limit it breaks. */
const char *gy_number_why_fixed(gy_number_rc rc, int digits);

/* Writes v / 10^digits as an exact decimal without trailing zeros, a NUL after it, and returns the end.
 * Needs at most 44 bytes for 128 bits, 24 for 64. */
char *gy_put_int(char *out, int64_t v);
char *gy_put_uint(char *out, uint64_t v);
char *gy_put_fixed(char *out, int64_t v, int digits);
char *gy_put_us(char *out, int64_t us); /* seconds */
char *gy_put_i128(char *out, gy_i128 v, int digits);

/* The shortest decimal that reads back as the same double; "null" when it is not finite.  At most 32 bytes.
 */
char *gy_put_double(char *out, double v);

/* "2d 3h", "5m 20s", "1.5s": for people, rounded to two units. */
char *gy_put_human(char *out, int64_t us);

#endif
