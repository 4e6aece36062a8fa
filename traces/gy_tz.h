/* gy_tz.h - time zones from the system's files, without the process's environment or C library clock.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A zone is a list of instants at which the offset from UTC changes (RFC 8536), continued for ever by a rule
 * in POSIX form.  Nothing here depends on the zone of the machine.
 */
#ifndef GY_TZ_H
#define GY_TZ_H

#include "gy_error.h"

typedef struct gy_tz gy_tz;

/* Opens a zone by its IANA name ("America/Los_Angeles"), or a fixed offset ("UTC", "+08:00").  Files are
 * looked for in $TZDIR and /usr/share/zoneinfo; UTC, offsets and the zones that traces have by default work
 * without any.  An unknown name is GY_EINVAL with the nearest one that exists.  *z is owned by the caller. */
gy_rc gy_tz_open(gy_tz **z, const char *name, gy_err *e);
void gy_tz_close(gy_tz *z); /* NULL is allowed */

/* A zone from the bytes of a TZif file, or from a POSIX rule ("PST8PDT,M3.2.0,M11.1.0"); GY_EPARSE when they
 * are none. */
gy_rc gy_tz_from_file(gy_tz **z, const char *name, const void *data, size_t n, gy_err *e);
gy_rc gy_tz_from_rule(gy_tz **z, const char *name, const char *rule, gy_err *e);

const char *gy_tz_name(const gy_tz *z); /* as given to gy_tz_open() */
bool gy_tz_is_builtin(const gy_tz *z);  /* no file was found: rules as of 2007 for all years */

/* Seconds to add to UTC for local time, at the instant utc_s (Unix time). */
int32_t gy_tz_offset(const gy_tz *z, int64_t utc_s);

typedef enum gy_local {
    GY_LOCAL_ONCE,    /* as nearly all are */
    GY_LOCAL_TWICE,   /* the clocks go back over it: there are two instants */
    GY_LOCAL_SKIPPED, /* the clocks jump over it: there is none */
} gy_local;

/* The instant at which clocks show local_s, which counts seconds as if the local calendar were UTC.  A time
 * that comes twice gives the first instant, and the second in *second_s; one that is skipped is read with the
 * offset before the jump, so that 02:30 becomes 03:30.  Else *second_s is *utc_s. */
gy_local gy_tz_utc(const gy_tz *z, int64_t local_s, int64_t *utc_s, int64_t *second_s);

/* The offset at utc_s and the largest span [*from_s, *to_s) around it in which it holds. */
int32_t gy_tz_span(const gy_tz *z, int64_t utc_s, int64_t *from_s, int64_t *to_s);

/* ---- the calendar ---- */

/* Days from 1970-01-01 to a date of the Gregorian calendar, and back. */
int64_t gy_days_of(int64_t year, unsigned month, unsigned day);
void gy_date_of(int64_t days, int64_t *year, unsigned *month, unsigned *day);
unsigned gy_days_in_month(int64_t year, unsigned month);

#endif
