/* test_traces_csv.c - the CSV splitter and the canonical trace.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include "test_traces_help.h"

#include "gy_csv.h"
#include "gy_random.h"

/* Rows as "cell|cell@line;": what the splitter makes of a text behind its header line. */
static void split_all(const char *text, size_t n, gy_str *out)
{
    gy_input *in;
    gy_csv c;
    gy_err e;
    bool row = true;
    gy_input_open_memory(&in, "t", text, n);
    gy_rc rc = gy_csv_open(&c, in, ',', &e);
    gy_str_puts(out, "");
    while (rc == GY_OK && (rc = gy_csv_next(&c, &row, &e)) == GY_OK && row) {
        for (size_t i = 0; i < c.ncells; i++)
            gy_str_printf(out, "%s%.*s", i ? "|" : "", (int)c.cells[i].n, c.cells[i].s);
        gy_str_printf(out, "@%lu%s;", (unsigned long)c.line, c.fault ? "!" : "");
    }
    if (rc != GY_OK)
        gy_str_printf(out, "ERROR %s", e.text);
    gy_csv_fini(&c);
    gy_input_close(in);
}

Test(csv, splits_what_tables_are_made_of)
{
    static const struct {
        const char *why, *text, *rows;
    } rows[] = {
        {"plain", "a,b\n1,2\n3,4\n", "1|2@2;3|4@3;"},
        {"no last newline", "a,b\n1,2", "1|2@2;"},
        {"empty cells", "a,b\n,\n1,\n,2\n", "|@2;1|@3;|2@4;"},
        {"CR LF", "a,b\r\n1,2\r\n3,4", "1|2@2;3|4@3;"},
        {"CR LF, quoted last cell", "a,b\r\n1,\"2\"\r\n\"3\",\"4\"\r", "1|2@2;3|4@3;"},
        {"byte-order mark",
         "\xef\xbb\xbf"
         "a,b\n1,2\n",
         "1|2@2;"},
        {"blank lines", "\n\na,b\n\n1,2\n\r\n3,4\n\n\n", "1|2@5;3|4@7;"},
        {"quotes", "a,b\n\"1,2\",3\n", "1,2|3@2;"},
        {"doubled quotes", "a,b\n\"say \"\"hi\"\"\",\"\"\"\"\n", "say \"hi\"|\"@2;"},
        {"two cells with doubled quotes", "a,b\n\"x\"\"y\",\"z\"\"w\"\n", "x\"y|z\"w@2;"},
        {"line end in quotes", "a,b\n\"1\n2\",3\n4,5\n", "1\n2|3@2;4|5@4;"},
        {"quote in the middle of a plain cell", "a,b\n1\"2,3\n", "1\"2|3@2;"},
        {"empty quotes", "a,b\n\"\",\"\"\n", "|@2;"},
        {"something behind a quote", "a,b\n\"1\"x,2\n3,4\n", "1|2@2!;3|4@3;"},
        {"more and fewer cells", "a,b\n1\n1,2,3\n", "1@2;1|2|3@3;"},
        {"an open quote", "a,b\n1,\"2\n3,4\n",
         "ERROR t:2: a quote opened in this row is not closed; put another \" at the end of that cell"},
        {"bad UTF-8", "a,b\n1,\xff\n3,\xc3\xa4\n", "1|\xff@2!;3|\xc3\xa4@3;"},
        {"UTF-8 in quotes", "a,b\n\"\xc3\",2\n", "\xc3|2@2!;"},
        {"nothing", "", "ERROR t: is empty; a header line with the names of the columns is needed"},
        {"header alone", "a,b", ""},
        {"bad header", "a,\xff\n",
         "ERROR t:1: the header line is not UTF-8 text; save the table as CSV in UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_str got = {0};
        split_all(rows[i].text, strlen(rows[i].text), &got);
        cr_expect_str_eq(got.s, rows[i].rows, "%s: %s", rows[i].why, got.s);
        gy_str_fini(&got);
    }
}

Test(csv, a_nul_byte_is_a_fault_of_its_row)
{
    static const char text[] = "a,b\n1,2\n3\0,4\n5,6\n";
    gy_str got = {0};
    split_all(text, sizeof text - 1, &got);
    cr_expect(strstr(got.s, "1|2@2;"));
    cr_expect(strstr(got.s, "@3!;"));
    cr_expect(strstr(got.s, "5|6@4;"));
    gy_str_fini(&got);
}

Test(csv, utf8_is_checked_as_the_standard_says)
{
    static const struct {
        const char *s;
        bool good;
    } rows[] = {{"", true},
                {"abc", true},
                {"\xc3\xa4", true},
                {"\xe2\x82\xac", true},
                {"\xf0\x9f\x98\x80", true},
                {"\xc0\x80", false},
                {"\xe0\x80\x80", false},
                {"\xed\xa0\x80", false},
                {"\xf4\x90\x80\x80", false},
                {"\xf8\x88\x80\x80\x80", false},
                {"\x80", false},
                {"\xc3", false},
                {"\xe2\x82", false},
                {"a\xc3"
                 "b",
                 false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(gy_is_utf8(rows[i].s, strlen(rows[i].s)), rows[i].good, "row %zu", i);
}

/* Long rows and cells that lie across the pieces in which a file comes. */
Test(csv, rows_do_not_depend_on_where_the_file_is_cut)
{
    gy_str text = {0}, want = {0}, got = {0};
    gy_str_puts(&text, "a,b,c\n");
    unsigned line = 2;
    for (unsigned i = 0; i < 30000; i++) {
        unsigned width = i * 7919 % 97;
        gy_str_printf(&text, "%u,\"%0*u\"\"\n\",x%u\n", i, (int)width, i, i);
        gy_str_printf(&want, "%u|%0*u\"\n|x%u@%u;", i, (int)width, i, i, line);
        line += 2;
    }
    split_all(text.s, text.n, &got);
    cr_expect_eq(got.n, want.n);
    cr_expect(got.n == want.n && memcmp(got.s, want.s, got.n) == 0);
    gy_str_fini(&text);
    gy_str_fini(&want);
    gy_str_fini(&got);
}

/* ---- the canonical trace ---- */

static const char all_columns[] = "job_id,submit_s,gpus,duration_s,user,group,queue,limit_s,priority,state,"
                                  "gpu_type,gpu_mem_gb,cpus,mem_gb,tasks,mig,"
                                  "min_gpus,max_gpus,require,prefer,model,checkpoint_s,after,deadline_s,"
                                  "eligible_s,start_s,end_s,placed,preemptible,"
                                  "spot\n"
                                  "A,0.5,8,100.000001,u,g,q,3600,-5,timeout,a100|H100,40,96.5,1.000001,2,,4,"
                                  "16,node,leaf,gpt,300,,1000,2,3,200,"
                                  "n0:0-3;n1:0-3,0,1\n"
                                  "B,1,0.25,1,,,,,,,,,,,,,,,,,,,A,,,,,,,\n"
                                  "C,2,3,1,,,,,,,,,,,,1g.10gb,,,,,,,A;B,,,,,,1,0\n";

Test(canonical, reads_every_column)
{
    struct loaded l = must_load(all_columns, (gy_trace_options){0});
    const gy_jobs *t = l.jobs;
    uint32_t a = job_of(&l, "A"), b = job_of(&l, "B"), c = job_of(&l, "C");
    const gy_shape *s = gy_job_shape(t, a);
    cr_expect_str_eq(l.report->format, "csv");
    cr_expect_eq(t->submit_us[a], 500000);
    cr_expect_eq(t->duration_us[a], 100000001);
    cr_expect_eq(s->gpus_milli, 8000);
    cr_expect_str_eq(gy_names_text(&t->users, t->user[a]), "u");
    cr_expect_str_eq(gy_names_text(&t->groups, t->group[a]), "g");
    cr_expect_str_eq(gy_names_text(&t->queues, t->queue[a]), "q");
    cr_expect_eq(gy_job_limit(t, a), S(3600));
    cr_expect_eq(gy_job_priority(t, a), -5);
    cr_expect_eq(t->log_state[a], GY_LOG_TIMEOUT);
    cr_expect_str_eq(gy_names_text(&t->type_lists, s->types), "a100|H100");
    cr_expect_eq(s->gpu_mem_micro, 40000000);
    cr_expect_eq(s->cpus_micro, 96500000);
    cr_expect_eq(s->mem_micro, 1000001);
    cr_expect_eq(s->tasks, 2);
    cr_expect_eq(s->min_gpus, 4);
    cr_expect_eq(s->max_gpus, 16);
    cr_expect_eq(s->require, GY_LEVEL_NODE);
    cr_expect_eq(s->prefer, GY_LEVEL_LEAF);
    cr_expect_str_eq(gy_names_text(&t->texts, s->model), "gpt");
    cr_expect_eq(gy_job_checkpoint(t, a), S(300));
    cr_expect_eq(gy_job_deadline(t, a), S(1000));
    cr_expect_eq(t->eligible_us[a], S(2));
    cr_expect_eq(gy_job_log_start(t, a), S(3));
    cr_expect_eq(gy_job_log_end(t, a), S(200));
    cr_expect_str_eq(placed_of(&l, a), "n0:0-3;n1:0-3");
    cr_expect_eq(t->flags[a], GY_JOB_NOT_PREEMPTIBLE | GY_JOB_SPOT);
    cr_expect_eq(gy_job_shape(t, b)->gpus_milli, 250);
    cr_expect_eq(t->log_state[b], GY_LOG_COMPLETED);
    cr_expect_eq(gy_job_limit(t, b), GY_NEVER);
    cr_expect_eq(t->eligible_us[b], INT64_MIN);
    cr_expect_eq(t->after_list[t->after[b]], 1);
    cr_expect_eq(t->after_list[t->after[b] + 1], a);
    cr_expect_str_eq(gy_names_text(&t->texts, gy_job_shape(t, c)->mig), "1g.10gb");
    cr_expect_eq(t->after_list[t->after[c]], 2);
    cr_expect_eq(t->flags[c], 0);
    unload(&l);
}

Test(canonical, a_spreadsheet_saves_a_trace_too)
{
    struct loaded l = must_load("\xef\xbb\xbf"
                                "duration_s,note,gpus,job_id,submit_s\r\n5,\"a, \"\"quoted\"\" "
                                "note\",8,A,0\r\n3,,8,B,1\r\n2.5,x,8,\"C\",1",
                                (gy_trace_options){.keep_notes = true});
    uint32_t a = job_of(&l, "A"), b = job_of(&l, "B"), c = job_of(&l, "C");
    cr_expect_eq(l.jobs->duration_us[c], 2500000);
    cr_expect_str_eq(l.jobs->note_header, "note");
    cr_expect_str_eq(gy_names_text(&l.jobs->notes, l.jobs->note[a]), "\"a, \"\"quoted\"\" note\"");
    cr_expect_eq(l.jobs->note[b], GY_NAME_NONE);
    cr_expect_eq(count_of(l.report, GY_REMARK_COLUMN, "note"), 1);
    unload(&l);
}

Test(canonical, times_are_not_moved_and_rows_may_come_in_any_order)
{
    struct loaded l =
        must_load("job_id,submit_s,gpus,duration_s\nB,1500,1,10\nA,1000,1,10\n", (gy_trace_options){0});
    cr_expect_eq(l.jobs->submit_us[0], S(1000));
    cr_expect_eq(l.jobs->submit_us[1], S(1500));
    cr_expect_eq(l.jobs->row[0], 1);
    cr_expect_eq(l.report->offset_us, 0);
    cr_expect_eq(l.jobs->zero_epoch_us, GY_NEVER);
    unload(&l);
}

Test(canonical, a_header_without_rows_is_an_empty_trace)
{
    struct loaded l = must_load("job_id,submit_s,gpus,duration_s\n", (gy_trace_options){0});
    cr_expect_eq(l.jobs->n, 0);
    cr_expect_eq(l.report->rows_read, 0);
    unload(&l);
}

Test(canonical, ties_are_permuted_on_request_only)
{
    static const char text[] =
        "job_id,submit_s,gpus,duration_s\n4,0,1,1\n3,0,1,1\n2,0,1,1\n1,0,1,1\n0,0,1,1\n";
    struct loaded plain = must_load(text, (gy_trace_options){0});
    for (uint32_t j = 0; j < 5; j++)
        cr_expect_eq(plain.jobs->id[j], j);
    bool differs = false;
    for (uint64_t seed = 1; seed < 5; seed++) {
        struct loaded l = must_load(text, (gy_trace_options){.tie_seed = seed});
        differs = differs || memcmp(l.jobs->id, plain.jobs->id, 5 * sizeof *l.jobs->id) != 0;
        unload(&l);
    }
    cr_expect(differs);
    unload(&plain);
}

/* Orders from nearly sorted to random; the columns of a row stay together, and ties go by the number of the
 * id. */
Test(canonical, rows_are_sorted_whatever_their_order)
{
    enum { N = 3000 };
    for (uint32_t spread = 1; spread < 2 * N; spread *= 4) {
        gy_stream s = gy_stream_of(spread, GY_RANDOM_JOB, 0);
        gy_str text = {0};
        gy_str_puts(&text, "duration_s,job_id,submit_s,gpus,user\n");
        for (uint32_t i = 0; i < N; i++) {
            uint32_t id = i * 7919 % N, submit = i / 2 + gy_stream_below(&s, spread);
            gy_str_printf(&text, "%u,%u,%u,1,u%u\n", 10 * id + 1, id, submit, id);
        }
        for (uint64_t seed = 0; seed < 2; seed++) {
            struct loaded l = must_load(text.s, (gy_trace_options){.tie_seed = seed});
            const gy_jobs *t = l.jobs;
            cr_assert_eq(t->n, N);
            for (uint32_t j = 0; j < N; j++) {
                char user[24];
                snprintf(user, sizeof user, "u%u", (unsigned)t->id[j]);
                cr_assert_eq(t->duration_us[j], S(10 * (int64_t)t->id[j] + 1));
                cr_assert_eq(t->row[j] * 7919 % N, t->id[j]);
                cr_assert_str_eq(gy_names_text(&t->users, t->user[j]), user);
                cr_assert(j == 0 || t->submit_us[j - 1] <= t->submit_us[j]);
                cr_assert(seed || j == 0 || t->submit_us[j - 1] < t->submit_us[j] || t->id[j - 1] < t->id[j]);
            }
            unload(&l);
        }
        gy_str_fini(&text);
    }
}

Test(canonical, bad_rows_name_file_line_value_and_remedy)
{
#define H "job_id,submit_s,gpus,duration_s"
    static const struct {
        const char *text, *words[3];
    } rows[] = {
        {H "\nA,0,1,1\nB,0,one,1\n", {"t:3:", "\"one\"", "gpus"}},
        {H "\nA,0,1,1\nB,0,1,5s\n", {"t:3:", "\"5s\"", "seconds"}},
        {H "\nA,0,1,\"1,5\"\n", {"t:2:", "\"1,5\"", "duration_s"}},
        {H "\nA,0, 1,1\n", {"t:2:", "\" 1\"", ""}},
        {H "\nA,0,1,1\nB,0,1,1\nA,5,1,1\n", {"t:4:", "\"A\"", "line 2"}},
        {H "\nA,0,1,-1\n", {"t:2:", "-1", "negative"}},
        {H "\nA,0,-1,1\n", {"t:2:", "-1", "negative"}},
        {H "\nA,0,1.5,1\n", {"t:2:", "1.5", "share"}},
        {H "\nA,0,0.0005,1\n", {"t:2:", "0.0005", "finer"}},
        {H "\nA,0.0000001,1,1\n", {"t:2:", "finer", ""}},
        {H "\nA,1e30,1,1\n", {"t:2:", "too far", ""}},
        {H "\nA,9000000000000,1,1\n", {"t:2:", "too far", ""}},
        {H "\nA,,1,1\n", {"t:2:", "submit_s", "empty"}},
        {H "\n,0,1,1\n", {"t:2:", "job_id", "empty"}},
        {H "\nA,0,1\n", {"t:2:", "3 cells", "4"}},
        {H "\nA,0,1,1,7\n", {"t:2:", "5 cells", "4"}},
        {H "\n\"A,0,1,1\n", {"t:2:", "quote", ""}},
        {H "\n\xff,0,1,1\n", {"t:2:", "UTF-8", ""}},
        {"job_id,gpus,duration_s\nA,8,10\n", {"submit_s", "missing", ""}},
        {"job_id,submit,gpus,duration_s\nA,0,8,10\n", {"submit_s", "\"submit\"", "t:1:"}},
        {H ",gpus\nA,0,8,10,4\n", {"gpus", "twice", ""}},
        {H ",state\nA,0,1,1,complete\n", {"t:2:", "\"complete\"", "completed"}},
        {H ",state\nA,0,1,1,zzz\n", {"t:2:", "node_fail", ""}},
        {H ",require\nA,0,1,1,nod\n", {"t:2:", "\"nod\"", "\"node\""}},
        {H ",prefer\nA,0,1,1,galaxy\n", {"t:2:", "galaxy", "pod"}},
        {H ",limit_s\nA,0,1,1,-5\n", {"t:2:", "limit_s", "negative"}},
        {H ",checkpoint_s\nA,0,1,1,0\n", {"t:2:", "checkpoint_s", ""}},
        {H ",priority\nA,0,1,1,1.5\n", {"t:2:", "priority", "1.5"}},
        {H ",tasks\nA,0,8,1,0\n", {"t:2:", "tasks", "at least 1"}},
        {H ",tasks\nA,0,8,1,3\n", {"t:2:", "3", "equal"}},
        {H ",min_gpus\nA,0,8,1,9\n", {"t:2:", "min_gpus", "8"}},
        {H ",max_gpus\nA,0,8,1,7\n", {"t:2:", "max_gpus", "8"}},
        {H ",max_gpus\nA,0,8,1,-7\n", {"t:2:", "max_gpus", "negative"}},
        {H ",gpu_type\nA,0,8,1,a100||h100\n", {"t:2:", "gpu_type", "a100|h100"}},
        {H ",mig\nA,0,8,1,half\n", {"t:2:", "mig", "3g.40gb"}},
        {H ",placed\nA,0,8,1,n0:0-\n", {"t:2:", "placed", "n0:0-3"}},
        {H ",placed\nA,0,8,1,n0:0-3;\n", {"t:2:", "placed", ""}},
        {H ",placed\nA,0,8,1,:3\n", {"t:2:", "placed", ""}},
        {H ",preemptible\nA,0,8,1,yes\n", {"t:2:", "\"yes\"", "neither 0 nor 1"}},
        {H ",spot\nA,0,8,1,2\n", {"t:2:", "spot", ""}},
        {H ",cpus\nA,0,8,1,-2\n", {"t:2:", "cpus", "negative"}},
        {H ",start_s\nA,10,8,1,9\n", {"t:2:", "start_s", "before submit_s"}},
        {H ",start_s,end_s\nA,0,8,1,9,8\n", {"t:2:", "end_s", "before start_s"}},
        {H ",after\nA,0,8,1,B\n", {"t:2:", "\"B\"", "not in the trace"}},
        {H ",after\nA,0,8,1,B\nB,0,1,1,A\n", {"circle", "after", ""}},
        {H ",after\nA,0,8,1,A\n", {"t:2:", "itself", ""}},
    };
#undef H
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct loaded l = load_text(rows[i].text, (gy_trace_options){0});
        cr_expect_eq(l.rc, GY_EPARSE, "row %zu: %d\n%s", i, l.rc, rows[i].text);
        cr_expect_null(l.jobs);
        for (size_t k = 0; k < 3; k++)
            if (rows[i].words[k])
                cr_expect(strstr(l.e.text, rows[i].words[k]), "row %zu: no \"%s\" in: %s", i,
                          rows[i].words[k], l.e.text);
        unload(&l);
    }
}

Test(canonical, a_log_that_disagrees_with_itself_is_reported)
{
    struct loaded l =
        must_load("job_id,submit_s,gpus,duration_s,start_s,end_s\nA,0,1,10,5,15\nB,0,1,11,5,15\n",
                  (gy_trace_options){0});
    const gy_remark *m = remark_of(l.report, GY_REMARK_DISAGREEMENT, "duration_s");
    cr_assert_not_null(m);
    cr_expect_eq(m->count, 1);
    cr_expect_eq(m->line, 3);
    unload(&l);
}
