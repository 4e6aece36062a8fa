/* bad_table.c - modules that cannot be loaded, one for each fault that a table may have.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * FAULT, a number, says which.
 */
#include <gpuyard/policy.h>

enum fault {
    NONE,
    WRONG_ABI,
    SHORT_TABLE,
    BAD_NAME,
    NO_NAME,
    BAD_STAGE,
    BAD_CLASS,
    NO_OPEN,
    NO_OPS,
    NO_SUMMARY,
    BAD_DEFAULT,
    NO_HELP,
    BAD_KIND,
    FOUR_LANES,
    NO_KEY,
    WIDE_LINEAR,
    BAD_CHANGE,
    NO_TABLE,
    REFUSES,
};
#define IS(fault) (FAULT == (fault))

static void key(void *self, gy_view *v, uint32_t job, gy_key *out)
{
    (void)self;
    (void)v;
    out->lane[0] = job;
}

static int refuse(void **self, const gy_host *host, const gy_value *values, char *error, size_t size)
{
    static const char text[] = "the moon is not full";
    (void)self;
    (void)host;
    (void)values;
    for (size_t i = 0; i < sizeof text && i < size; i++)
        error[i] = text[i];
    return 1;
}

static const gy_setting settings[] = {
    {"depth", IS(BAD_KIND) ? 99 : GY_SETTING_INT, IS(BAD_DEFAULT) ? "12" : "3", "jobs",
     IS(NO_HELP) ? NULL : "a number", 1, 10},
};

static const gy_order_ops ops = {
    .size = sizeof ops,
    .lanes = IS(FOUR_LANES)    ? 4
             : IS(WIDE_LINEAR) ? 3
                               : 1,
    .change = IS(WIDE_LINEAR)  ? GY_KEY_LINEAR
              : IS(BAD_CHANGE) ? 77
                               : GY_KEY_NEVER,
    .key = IS(NO_KEY) ? NULL : key,
};

static const gy_module module = {
    .abi = IS(WRONG_ABI) ? GY_POLICY_ABI + 1 : GY_POLICY_ABI,
    .size = IS(SHORT_TABLE) ? offsetof(gy_module, open) : sizeof(gy_module),
    .name = IS(BAD_NAME)  ? "Bad Name"
            : IS(NO_NAME) ? NULL
                          : "bad",
    .stage = IS(BAD_STAGE) ? GY_STAGE_END : GY_STAGE_ORDER,
    .knowledge = IS(BAD_CLASS) ? GY_K5_ORACLE + 1 : GY_K0_REQUEST,
    .nsettings = 1,
    .settings = settings,
    .summary = IS(NO_SUMMARY) ? NULL : "a module for tests",
    .source = "tests",
    .complexity = "O(1)",
    .deviations = "",
    .open = IS(NO_OPEN)   ? NULL
            : IS(REFUSES) ? refuse
                          : gy_open_plain,
    .close = gy_close_plain,
    .ops = IS(NO_OPS) ? NULL : &ops,
};

const gy_module *gy_policy_entry(void)
{
    return IS(NO_TABLE) ? NULL : &module;
}
