/* gy_families_internal.h - every trace family there is.  A new one: its own file, a line here, a row in the
 * table of gy_families.c.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_FAMILIES_INTERNAL_H
#define GY_FAMILIES_INTERNAL_H

#include "gy_import_internal.h"

extern const struct gy_family gy_family_csv;        /* gy_trace_csv.c */
extern const struct gy_family gy_family_philly;     /* gy_trace_philly.c */
extern const struct gy_family gy_family_helios;     /* gy_trace_helios.c */
extern const struct gy_family gy_family_itp;        /* gy_trace_itp.c */
extern const struct gy_family gy_family_philly_csv; /* gy_trace_philly_csv.c */

#endif
