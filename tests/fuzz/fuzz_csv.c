/* fuzz_csv.c - the canonical trace: what is read is written and read again as the same.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <stdio.h>

#include "fuzz_help.h"
#include "gy_input.h"
#include "gy_trace_write.h"

static const char path[] = "fuzz_csv.written";

static char *written(const gy_jobs *t, size_t *n)
{
    gy_out *out;
    gy_err e;
    char *text;
    if (gy_out_open(&out, path, false, &e) != GY_OK)
        abort();
    gy_trace_write(t, out, 0);
    if (gy_out_close(out, true, &e) != GY_OK || gy_read_file(path, &text, n, &e) != GY_OK)
        abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gy_trace_options o = {.keep_notes = true};
    gy_jobs_free(fuzz_load(data, size, o)); /* any family */
    o.format = "csv";
    gy_jobs *t = fuzz_load(data, size, o);
    if (!t)
        return 0;
    size_t n, m;
    char *once = written(t, &n);
    gy_jobs *back = fuzz_load((const uint8_t *)once, n, o);
    FUZZ_CHECK(back && back->n == t->n);
    char *twice = written(back, &m);
    FUZZ_CHECK(n == m && memcmp(once, twice, n) == 0);
    free(once);
    free(twice);
    gy_jobs_free(back);
    gy_jobs_free(t);
    remove(path);
    return 0;
}
