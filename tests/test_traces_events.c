/* test_traces_events.c - cluster events and daily quotas.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "test_traces_help.h"

#include "gy_events_csv.h"
#include "gy_quota_csv.h"

static gy_cluster *cluster_of(const char *spec)
{
    gy_cluster *c;
    gy_err e;
    cr_assert_eq(gy_cluster_load(&c, spec, &e), GY_OK, "%s", e.text);
    return c;
}

static gy_rc read_events(gy_events *v, const char *text, const gy_cluster *c, const gy_jobs *jobs, gy_err *e)
{
    gy_input *in;
    gy_input_open_memory(&in, "ev", text, strlen(text));
    gy_rc rc = gy_events_csv_read(v, in, c, jobs, e);
    gy_input_close(in);
    return rc;
}

/* "t kind node gpu queue quota;" for each event. */
static void describe(const gy_events *v, gy_str *out)
{
    gy_str_puts(out, "");
    for (size_t i = 0; i < v->n; i++) {
        const gy_cluster_event *x = &v->list[i];
        char t[32];
        gy_put_us(t, x->t_us);
        gy_str_printf(out, "%s %s", t, gy_event_names[x->kind]);
        if (x->node != GY_NONE)
            gy_str_printf(out, " n%u", x->node);
        if (x->gpu != GY_NONE)
            gy_str_printf(out, ":%u", x->gpu);
        if (x->queue != GY_NONE)
            gy_str_printf(out, " %s=%ld", gy_names_text(&v->queues, x->queue), (long)x->quota_milli);
        gy_str_puts(out, ";");
    }
}

#define H "time_s,event,target,value\n"

Test(events, every_kind_of_target)
{
    gy_cluster *c = cluster_of("pod:2 leaf:2 node:2 gpu:8");
    struct loaded l =
        must_load("job_id,submit_s,gpus,duration_s,queue\nA,0,1,1,vc1\n", (gy_trace_options){0});
    static const struct {
        const char *text, *events;
    } rows[] = {
        {H, ""},
        {H "10,down,n0,\n20,up,n0,\n", "10 down n0;20 up n0;"},
        {H "20.5,up,n1,\n10,drain,n1,\n", "10 drain n1;20.5 up n1;"},
        {H "1,down,n0:3,\n", "1 down n0:3;"},
        {H "1,down,\"n0:0-2,7\",\n", "1 down n0:0;1 down n0:1;1 down n0:2;1 down n0:7;"},
        {H "1,down,l0,\n", "1 down n0;1 down n1;"},
        {H "1,undrain,p1,\n", "1 undrain n4;1 undrain n5;1 undrain n6;1 undrain n7;"},
        {H "1,quota,vc1,8\n2,quota,vc1,0.5\n3,quota,vc1,none\n-1,quota,vc1,0\n",
         "-1 quota vc1=0;1 quota vc1=8000;2 quota vc1=500;3 quota vc1=-1;"},
        {H "5,down,n2,\n5,up,n1,\n5,quota,vc1,1\n5,drain,n3,\n5,undrain,n0,\n",
         "5 up n1;5 undrain n0;5 quota vc1=1000;5 down n2;5 drain n3;"},
        {"target,event,time_s\nn0,down,7\n", "7 down n0;"},
        {"\xef\xbb\xbftime_s,event,target,value\r\n7,down,n0,", "7 down n0;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_events v = {0};
        gy_err e = {.text = ""};
        gy_str got = {0};
        cr_expect_eq(read_events(&v, rows[i].text, c, l.jobs, &e), GY_OK, "%s", e.text);
        describe(&v, &got);
        cr_expect_str_eq(got.s, rows[i].events, "row %zu: %s", i, got.s);
        gy_str_fini(&got);
        gy_events_fini(&v);
    }
    unload(&l);
    gy_cluster_free(c);
}

Test(events, what_is_wrong_is_named)
{
    gy_cluster *c = cluster_of("4x8");
    struct loaded l =
        must_load("job_id,submit_s,gpus,duration_s,queue\nA,0,1,1,vision\n", (gy_trace_options){0});
    static const struct {
        const char *text, *words[3];
    } rows[] = {
        {"", {"ev", "empty", ""}},
        {"time_s,event\n1,down\n", {"target", "missing", ""}},
        {"time_s,event,target,value,note\n", {"note", "", ""}},
        {"time_s,event,target,value,value\n", {"value", "twice", ""}},
        {H "1,down,n9,\n", {"ev:2:", "\"n9\"", "did you mean"}},
        {H "1,down,node-seventeen,\n", {"ev:2:", "no node, leaf or pod", ""}},
        {H "1,down,n0:8,\n", {"ev:2:", "\"n0:8\"", "8, from 0"}},
        {H "1,down,n0:3-1,\n", {"ev:2:", "n0:0-3,6", ""}},
        {H "1,down,n0:,\n", {"ev:2:", "n0:0-3,6", ""}},
        {H "1,down,n0:99999999999999999999,\n", {"ev:2:", "", ""}},
        {H "1,down,,\n", {"ev:2:", "target", "empty"}},
        {H "1,down,n0,5\n", {"ev:2:", "value", "\"5\""}},
        {H "1,dwon,n0,\n", {"ev:2:", "\"dwon\"", "\"down\""}},
        {H "1,price,eu,5\n", {"ev:2:", "price", "take the row out"}},
        {H "1,spot_reclaim,n0,\n", {"ev:2:", "spot_reclaim", ""}},
        {H "1,quota,vison,5\n", {"ev:2:", "\"vison\"", "\"vision\""}},
        {H "1,quota,vision,\n", {"ev:2:", "value", "none"}},
        {H "1,quota,vision,-1\n", {"ev:2:", "\"-1\"", "none"}},
        {H "soon,down,n0,\n", {"ev:2:", "time_s", "\"soon\""}},
        {H ",down,n0,\n", {"ev:2:", "time_s", ""}},
        {H "1e15,down,n0,\n", {"ev:2:", "time_s", ""}},
        {H "1,down\n", {"ev:2:", "2 cells", "4"}},
        {H "1,down,n0,\n2,down,\xff,\n", {"ev:3:", "UTF-8", ""}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_events v = {0};
        gy_err e = {.text = ""};
        cr_expect_eq(read_events(&v, rows[i].text, c, l.jobs, &e), GY_EPARSE, "row %zu: %s", i, rows[i].text);
        for (size_t k = 0; k < 3; k++)
            cr_expect(strstr(e.text, rows[i].words[k]), "row %zu: no \"%s\" in: %s", i, rows[i].words[k],
                      e.text);
        gy_events_fini(&v);
    }
    unload(&l);
    gy_cluster_free(c);
}

/* ---- quotas by day ---- */

static gy_rc read_quotas(gy_events *v, const char *text, int64_t zero_us, gy_str *notes, gy_err *e)
{
    gy_input *in;
    gy_input_open_memory(&in, "qu", text, strlen(text));
    gy_rc rc = gy_quota_csv_read(v, in, "UTC", zero_us, notes, e);
    gy_input_close(in);
    return rc;
}

#define DAYS                                                                                                 \
    "date,a,b,total\n"                                                                                       \
    "2020-04-01,8,0,8\n"                                                                                     \
    "2020-04-02,8,16,24\n"                                                                                   \
    "2020-04-04,16,16,32\n"
#define APRIL(day, hour) S(1585699200 + ((day)-1) * 86400 + (hour)*3600)

Test(quotas, hold_from_the_start_and_change_at_midnight)
{
    static const struct {
        int64_t zero_us;
        const char *events, *note;
    } rows[] = {
        {APRIL(1, 0), "0 quota a=8000;0 quota b=0;86400 quota b=16000;259200 quota a=16000;",
         "1 days are missing"},
        {APRIL(1, 12), "0 quota a=8000;0 quota b=0;43200 quota b=16000;216000 quota a=16000;", ""},
        {APRIL(2, 0), "0 quota a=8000;0 quota b=16000;172800 quota a=16000;", ""},
        {APRIL(3, 6), "0 quota a=8000;0 quota b=16000;64800 quota a=16000;", ""},
        {APRIL(4, 6), "0 quota a=16000;0 quota b=16000;", ""},
        {APRIL(9, 6), "0 quota a=16000;0 quota b=16000;", "after the last day"},
        {APRIL(0, 12), "0 quota a=8000;0 quota b=0;129600 quota b=16000;302400 quota a=16000;",
         "before the first day"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_events v = {0};
        gy_err e = {.text = ""};
        gy_str got = {0}, notes = {0};
        gy_str_puts(&notes, "");
        cr_expect_eq(read_quotas(&v, DAYS, rows[i].zero_us, &notes, &e), GY_OK, "%s", e.text);
        describe(&v, &got);
        cr_expect_str_eq(got.s, rows[i].events, "row %zu: %s", i, got.s);
        cr_expect(strstr(notes.s, rows[i].note), "row %zu: %s", i, notes.s);
        gy_str_fini(&got);
        gy_str_fini(&notes);
        gy_events_fini(&v);
    }
}

Test(quotas, what_is_wrong_is_named)
{
    static const struct {
        const char *text, *words[2];
    } rows[] = {
        {"", {"empty", ""}},
        {"date,a,total\n", {"no days", ""}},
        {"day,a\n2020-04-01,8\n", {"date", "missing"}},
        {"date,a,a\n2020-04-01,8,8\n", {"\"a\"", ""}},
        {"date,a,\n2020-04-01,8,8\n", {"column", ""}},
        {"date,a,b,total\n2020-04-01,8,8,17\n", {"qu:2:", "16"}},
        {"date,a,b,total\n2020-04-01,8,8,\n", {"qu:2:", "total"}},
        {"date,a\n2020-04-01,x\n", {"qu:2:", "\"x\""}},
        {"date,a\n2020-04-01,-8\n", {"qu:2:", "\"-8\""}},
        {"date,a\n2020-04-01,9999999999999999\n", {"qu:2:", ""}},
        {"date,a\n2020-04-31,8\n", {"qu:2:", "2020-04-31"}},
        {"date,a\n2020-04-02,8\n2020-04-01,8\n", {"qu:3:", "2020-04-01"}},
        {"date,a\n2020-04-02,8\n2020-04-02,8\n", {"qu:3:", ""}},
        {"date,a\n2020-04-02\n", {"qu:2:", "1 cells"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_events v = {0};
        gy_err e = {.text = ""};
        cr_expect_eq(read_quotas(&v, rows[i].text, APRIL(1, 0), NULL, &e), GY_EPARSE, "row %zu", i);
        for (size_t k = 0; k < 2; k++)
            cr_expect(strstr(e.text, rows[i].words[k]), "row %zu: no \"%s\" in: %s", i, rows[i].words[k],
                      e.text);
        gy_events_fini(&v);
    }
    gy_events v = {0};
    gy_err e;
    cr_expect_eq(read_quotas(&v, DAYS, GY_NEVER, NULL, &e), GY_EINVAL);
    gy_events_fini(&v);
}
