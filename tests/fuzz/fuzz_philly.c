/* fuzz_philly.c - the importer of the family philly, and its two ways to read a record.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_help.h"
#include "gy_philly_internal.h"

static bool same(gy_slice a, gy_slice b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.s, b.s, a.n) == 0);
}

static void expect_same(const struct gy_philly_record *a, const struct gy_philly_record *b)
{
    FUZZ_CHECK(same(a->status, b->status) && same(a->vc, b->vc) && same(a->id, b->id));
    FUZZ_CHECK(same(a->submitted, b->submitted) && same(a->user, b->user));
    FUZZ_CHECK(a->nattempts == b->nattempts && a->nhosts == b->nhosts && a->ngpus == b->ngpus);
    for (size_t i = 0; i < a->nattempts; i++) {
        const struct gy_philly_attempt *x = &a->attempts[i], *y = &b->attempts[i];
        FUZZ_CHECK(same(x->start, y->start) && same(x->end, y->end));
        FUZZ_CHECK(x->host0 == y->host0 && x->nhosts == y->nhosts);
    }
    for (size_t i = 0; i < a->nhosts; i++) {
        FUZZ_CHECK(same(a->hosts[i].ip, b->hosts[i].ip));
        FUZZ_CHECK(a->hosts[i].gpu0 == b->hosts[i].gpu0 && a->hosts[i].ngpus == b->hosts[i].ngpus);
    }
    for (size_t i = 0; i < a->ngpus; i++)
        FUZZ_CHECK(same(a->gpus[i], b->gpus[i]));
}

/* Whatever the scanner takes for a record, the tree reads the same. */
static void compare_ways(const char *s, size_t n)
{
    struct gy_philly_record fast = {0}, tree = {0};
    size_t used = 0;
    if (gy_philly_scan_record(s, n, &fast, &used) == GY_PHILLY_DONE) {
        const char *end = NULL;
        cJSON *root = cJSON_ParseWithLengthOpts(s, n, &end, 0);
        FUZZ_CHECK(root && end == s + used && gy_philly_object_length(s, n) == used);
        FUZZ_CHECK(!gy_philly_tree(root, &tree));
        expect_same(&fast, &tree);
        cJSON_Delete(root);
    }
    gy_philly_record_fini(&fast);
    gy_philly_record_fini(&tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_family(data, size, "philly");
    const char *brace = size ? memchr(data, '{', size) : NULL;
    if (brace)
        compare_ways(brace, size - (size_t)(brace - (const char *)data));
    return 0;
}
