/* fuzz_quota.c - the reader of daily quotas.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_help.h"
#include "gy_quota_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gy_input *in;
    gy_err e = {.text = ""};
    gy_events v = {0};
    gy_str notes = {0};
    gy_input_open_memory(&in, "fuzz", data, size);
    gy_rc rc =
        gy_quota_csv_read(&v, in, "America/Los_Angeles", (int64_t)1585785600 * GY_US_PER_S, &notes, &e);
    FUZZ_CHECK(rc == GY_OK || e.text[0] != '\0');
    for (size_t i = 0; i < v.n; i++)
        FUZZ_CHECK(v.list[i].t_us >= 0 && v.list[i].quota_milli >= 0 && v.list[i].queue < v.queues.n);
    gy_str_fini(&notes);
    gy_events_fini(&v);
    gy_input_close(in);
    return 0;
}
