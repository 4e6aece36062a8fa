/* fuzz_tz.c - time-zone files, rules and stamps.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_help.h"
#include "gy_stamp.h"

static void use(gy_tz *z)
{
    for (int64_t utc = -4000000000; utc < 8000000000; utc += 987654321) {
        int64_t first, second, from, to;
        int32_t offset = gy_tz_span(z, utc, &from, &to);
        FUZZ_CHECK(from <= utc && utc < to);
        gy_local kind = gy_tz_utc(z, utc + offset, &first, &second);
        FUZZ_CHECK(kind == GY_LOCAL_TWICE ? first < second : first == second);
        gy_clock c = {.tz = z};
        gy_stamp s = {.local_us = utc * GY_US_PER_S};
        int64_t us;
        gy_clock_utc(&c, &s, INT64_MIN, &us);
        gy_clock_utc(&c, &s, us, &us);
    }
    gy_tz_close(z);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gy_tz *z;
    gy_clock c = {.tz = NULL};
    gy_stamp s;
    char *text = gy_strndup(size ? (const char *)data : "", size);
    if (gy_tz_from_file(&z, "fuzz", data, size, NULL) == GY_OK)
        use(z);
    if (gy_tz_from_rule(&z, "fuzz", text, NULL) == GY_OK)
        use(z);
    if (gy_stamp_parse(&c, text, size, &s))
        FUZZ_CHECK(size >= 19);
    free(text);
    return 0;
}
