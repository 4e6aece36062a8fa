/* gy_philly_internal.h - one record of Philly's cluster_job_log, and the two ways to read it.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef GY_PHILLY_INTERNAL_H
#define GY_PHILLY_INTERNAL_H

#include <cjson/cJSON.h>

#include "gy_jobs.h"

struct gy_philly_host {
    gy_slice ip;
    size_t gpu0, ngpus; /* in gpus[] */
};

struct gy_philly_attempt {
    gy_slice start, end; /* null is an empty slice, here and below */
    size_t host0, nhosts;
};

/* Texts are borrowed from the file's text or from the tree.  Zero-initialised is ready; used again and again.
 */
struct gy_philly_record {
    gy_slice status, vc, id, submitted, user;
    struct gy_philly_attempt *attempts;
    struct gy_philly_host *hosts;
    gy_slice *gpus; /* "gpu0", ... */
    size_t nattempts, nhosts, ngpus;
    size_t attempts_cap, hosts_cap, gpus_cap;
    const char *unknown; /* a member that is not known, for one remark; NULL */
};

void gy_philly_record_clear(struct gy_philly_record *r);
void gy_philly_record_fini(struct gy_philly_record *r);
struct gy_philly_attempt *gy_philly_add_attempt(struct gy_philly_record *r);
struct gy_philly_host *gy_philly_add_host(struct gy_philly_record *r); /* of the last attempt */
void gy_philly_add_gpu(struct gy_philly_record *r, gy_slice gpu);      /* of the last host */

typedef enum gy_philly_scan {
    GY_PHILLY_DONE,
    GY_PHILLY_MORE,    /* the text ends inside the record */
    GY_PHILLY_UNUSUAL, /* not of the shape that nearly all records have; see gy_philly_tree() */
} gy_philly_scan;

/* The fast way: s[0] is the opening brace.  *used is the length of the record.  Takes only what every JSON
 * reader would read the same way: known members once, texts of plain ASCII without escapes, and null. */
gy_philly_scan gy_philly_scan_record(const char *s, size_t n, struct gy_philly_record *r, size_t *used);

/* Length of the object at s, by counting braces outside of texts; 0 when it does not end within n bytes. */
size_t gy_philly_object_length(const char *s, size_t n);

/* The general way: a parsed record.  NULL, or what is wrong with its shape ("attempts is no list"). */
const char *gy_philly_tree(const cJSON *tree, struct gy_philly_record *r);

#endif
