/* gy_catalogue.h - the hardware that gpuyard knows by name, each number with its source.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The data are the JSON files of this folder, which are part of the library; hardware/README.md says how to
 * read and extend them.  Names are found whatever their case.  A catalogue never changes once opened.
 */
#ifndef GY_CATALOGUE_H
#define GY_CATALOGUE_H

#include "gy_text.h"

typedef struct gy_catalogue gy_catalogue;

enum gy_catalogue_kind {
    GY_CATALOGUE_CLUSTERS,
    GY_CATALOGUE_NODES,
    GY_CATALOGUE_GPUS,
    GY_CATALOGUE_FABRICS,
    GY_CATALOGUE_KINDS
};
extern const char *const gy_catalogue_kind_names[GY_CATALOGUE_KINDS]; /* "cluster", "node", ... */

/* Takes a millisecond or two.  Owned by the caller; NULL is allowed in free. */
gy_catalogue *gy_catalogue_open(void);
void gy_catalogue_free(gy_catalogue *cat);

/* Entries of a kind are numbered from 0 in the order of the file. */
uint32_t gy_catalogue_count(const gy_catalogue *cat, enum gy_catalogue_kind kind);
const char *gy_catalogue_name(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i);
const char *gy_catalogue_title(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i);

/* UINT32_MAX when there is no such entry. */
uint32_t gy_catalogue_find(const gy_catalogue *cat, enum gy_catalogue_kind kind, const char *name, size_t n);

/* The name of that kind which is nearest to `word`, or NULL when none is near enough to be meant. */
const char *gy_catalogue_nearest(const gy_catalogue *cat, enum gy_catalogue_kind kind, const char *word);

/* One fact of an entry.  Texts are valid during the call that hands them out, and "" where there is none. */
typedef struct gy_catalogue_value {
    const char *path; /* "tdp_w", "nodes[0].count" */
    const char *text; /* the value: "80", "nvswitch" */
    const char *unit, *about;
    const char *source; /* keys for gy_catalogue_source(), divided by blanks */
    const char *mark;   /* "measured", "datasheet", "estimate", "unverified" */
    const char *note;
    bool is_number;
    double number;
} gy_catalogue_value;

/* Calls put() for each fact of the entry, in the order of the file; its title comes first. */
void gy_catalogue_each(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i,
                       void (*put)(void *ctx, const gy_catalogue_value *v), void *ctx);

/* The number at `path` ("tdp_w"); false, and *v is left alone, when the entry has none. */
bool gy_catalogue_number(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i, const char *path,
                         double *v);

/* What a source or a mark stands for; NULL when there is no such key. */
const char *gy_catalogue_source(const gy_catalogue *cat, const char *key, size_t n);
const char *gy_catalogue_mark(const gy_catalogue *cat, const char *key);

/* One line without a newline: "NVIDIA DGX H100: 8 h100, 224 CPUs, 2048 GB".  Appended to *out. */
void gy_catalogue_summary(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i, gy_str *out);

/* The whole entry as lines of text: each number with unit, mark and source, then the sources in full. */
void gy_catalogue_show(const gy_catalogue *cat, enum gy_catalogue_kind kind, uint32_t i, gy_str *out);

#endif
