/* gy_catalogue_internal.h - the parsed catalogue, for hardware/ alone.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_CATALOGUE_INTERNAL_H
#define GY_CATALOGUE_INTERNAL_H

#include "gy_catalogue.h"
#include "gy_json.h"

struct gy_catalogue {
    gy_json sources;                   /* marks, sources, keys */
    gy_json files[GY_CATALOGUE_KINDS]; /* as written */
    cJSON *plain[GY_CATALOGUE_KINDS];  /* the same with bare numbers, without titles and notes */
};

/* Is it [value, source, mark] or [value, source, mark, note]? */
bool gy_catalogue_is_quantity(const cJSON *m);

/* The entry as written, and in the form of a cluster file. */
const cJSON *gy_catalogue_entry(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i);
const cJSON *gy_catalogue_plain(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i);

/* Are the two texts equal, but for the case of ASCII letters? */
bool gy_same_name(const char *a, size_t n, const char *b);

#endif
