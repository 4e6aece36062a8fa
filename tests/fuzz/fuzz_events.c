/* fuzz_events.c - the reader of cluster events.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "fuzz_help.h"
#include "gy_events_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gy_cluster *c;
    gy_input *in;
    static const char trace[] = "job_id,submit_s,gpus,duration_s,queue\nA,0,1,1,q\n";
    gy_jobs *jobs = fuzz_load((const uint8_t *)trace, sizeof trace - 1, (gy_trace_options){.format = "csv"});
    gy_err e = {.text = ""};
    gy_events v = {0};
    if (gy_cluster_load(&c, "pod:2 leaf:2 node:2 gpu:4", &e) != GY_OK)
        abort();
    gy_input_open_memory(&in, "fuzz", data, size);
    gy_rc rc = gy_events_csv_read(&v, in, c, jobs, &e);
    FUZZ_CHECK(rc == GY_OK || e.text[0] != '\0');
    for (size_t i = 0; i < v.n; i++) {
        FUZZ_CHECK(v.list[i].kind < GY_EVENT_KINDS && (i == 0 || v.list[i - 1].t_us <= v.list[i].t_us));
        FUZZ_CHECK(v.list[i].kind == GY_EVENT_QUOTA ? v.list[i].queue < v.queues.n
                                                    : v.list[i].node < c->nnodes);
        FUZZ_CHECK(v.list[i].gpu == GY_NONE || v.list[i].gpu < 4);
    }
    gy_events_fini(&v);
    gy_input_close(in);
    gy_cluster_free(c);
    gy_jobs_free(jobs);
    return 0;
}
