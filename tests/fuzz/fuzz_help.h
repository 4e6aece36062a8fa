/* fuzz_help.h - what the fuzz targets share.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#ifndef FUZZ_HELP_H
#define FUZZ_HELP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gy_csv.h"
#include "gy_trace.h"

/* Aborts, so that the fuzzer keeps the input; GY_ASSERT leaves the process. */
#define FUZZ_CHECK(cond)                                                                                     \
    do {                                                                                                     \
        if (!(cond)) {                                                                                       \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                                       \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever the bytes are: a table that keeps its promises and an account that adds up, or an error with a
 * text. */
static inline gy_jobs *fuzz_load(const uint8_t *data, size_t size, gy_trace_options o)
{
    gy_jobs *jobs;
    gy_trace_report *r;
    gy_err e = {.text = ""};
    gy_str text = {0};
    gy_rc rc = gy_trace_load_memory("fuzz", data, size, &o, &jobs, &r, &e);
    FUZZ_CHECK((rc == GY_OK) == (jobs != NULL));
    FUZZ_CHECK(rc == GY_OK || (e.text[0] != '\0' && e.rc == rc));
    gy_trace_report_text(r, &text);
    FUZZ_CHECK(gy_is_utf8(text.s, text.n));
    if (rc == GY_OK) {
        uint64_t sum = 0;
        for (size_t i = 0; i < GY_FATES; i++)
            sum += r->rows[i];
        FUZZ_CHECK(sum == r->rows_read && jobs->n == r->rows[GY_FATE_JOB]);
        for (uint32_t j = 1; j < jobs->n; j++)
            FUZZ_CHECK(jobs->submit_us[j - 1] <= jobs->submit_us[j]);
        FUZZ_CHECK(!o.strict || r->rows[GY_FATE_REJECTED] == 0);
    }
    gy_str_fini(&text);
    gy_trace_report_free(r);
    return jobs;
}

/* Every way to read a family; a file that is read strictly is read the same way without. */
static inline void fuzz_family(const uint8_t *data, size_t size, const char *format)
{
    gy_trace_options o = {.format = format, .tz = "UTC", .keep_notes = true};
    gy_jobs *all = fuzz_load(data, size, o);
    o.strict = true;
    gy_jobs *strict = fuzz_load(data, size, o);
    FUZZ_CHECK(!strict || (all && all->n == strict->n));
    o = (gy_trace_options){
        .format = format, .tz = "America/Los_Angeles", .attempts = GY_ATTEMPTS_SPLIT, .tie_seed = 7};
    gy_jobs *split = fuzz_load(data, size, o);
    gy_jobs_free(all);
    gy_jobs_free(strict);
    gy_jobs_free(split);
}

#endif
