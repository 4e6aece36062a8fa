/* test_results_show.c - what people look at: tables, figures and the report.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Golden files lie in tests/golden/results.  After a change that is meant to change them, run the test with
 * GY_GOLDEN=update in the environment and review the difference.
 */
#include <criterion/criterion.h>
#include <sys/stat.h>
#include <time.h>

#include "gy_gnuplot.h"
#include "test_results_fixture.h"

#define GOLDEN GY_SOURCE_DIR "/tests/golden/results/"

/* ---- five policies of a small cluster ---- */

enum { RUNS = 5 };

static const struct {
    const char *policy;
    bool oracle;
    struct toy toy;
} policies[RUNS - 1] = {
    {"fifo", false, {false, false, 0}},
    {"fifo-skip", false, {true, false, 0}},
    {"sjf", true, {false, true, 0}},
    {"skip_it:with='quotes',a=1|2|3,and=a_very_long_name", false, {true, false, 180000}},
};

struct comparison {
    gy_run_digest d[RUNS];
    const gy_run_digest *runs[RUNS];
};

static void compare_open(struct comparison *c)
{
    static const gy_manifest_item options[] = {{"tau", "10", "s", GY_VALUE_NUMBER, GY_ORIGIN_DEFAULT},
                                               {"horizon", NULL, "s", GY_VALUE_NUMBER, GY_ORIGIN_GIVEN}};
    static const gy_manifest_group groups[] = {{"options", NULL, options, 2}};
    static const gy_manifest_group stages[] = {{"order", "<fifo>", NULL, 0}};
    static const char *const warnings[] = {"no job has a limit & nothing is protected"};
    for (size_t i = 0; i < RUNS - 1; i++) {
        struct run r;
        gy_manifest m = {
            .version = "0.0.0", .abi = 1, .command = "gpuyard run", .policy = policies[i].policy};
        m.oracle = policies[i].oracle;
        m.groups = groups;
        m.ngroups = 1;
        m.stages = stages;
        m.nstages = 1;
        run_open(&r, "8x8");
        toy_trace(&r, 300, 300);
        run_ready(&r);
        toy_run(&r, &policies[i].toy, NULL);
        gy_run_input in = {.outcome = &r.o,
                           .manifest = &m,
                           .figures = {GY_TAU_DEFAULT_US},
                           .series = &r.series,
                           .warnings = warnings,
                           .nwarnings = i == 1};
        gy_run_digest_of(&c->d[i], &in);
        run_close(&r);
    }
    gy_run_digest_na(&c->d[RUNS - 1], "recorded", "the trace has no start_s");
    for (size_t i = 0; i < RUNS; i++)
        c->runs[i] = &c->d[i];
}

static void compare_close(struct comparison *c)
{
    for (size_t i = 0; i < RUNS; i++)
        gy_run_digest_fini(&c->d[i]);
}

static void expect_golden(const char *name, const char *text, size_t n)
{
    char path[512];
    char *want;
    size_t nwant;
    gy_err e = {0};
    snprintf(path, sizeof path, GOLDEN "%s", name);
    if (getenv("GY_GOLDEN")) {
        FILE *f = fopen(path, "wb");
        cr_assert(f, "%s", path);
        fwrite(text, 1, n, f);
        fclose(f);
    }
    cr_assert_eq(gy_read_file(path, &want, &nwant, &e), GY_OK, "%s", e.text);
    cr_expect(nwant == n && memcmp(want, text, n) == 0, "%s differs from what it was; here it is:\n%s", name,
              text);
    free(want);
}

static void expect_golden_file(const char *name, const char *path)
{
    char *text;
    size_t n;
    gy_err e = {0};
    cr_assert_eq(gy_read_file(path, &text, &n, &e), GY_OK, "%s", e.text);
    expect_golden(name, text, n);
    free(text);
}

/* ---- tables ---- */

Test(show, compares_policies_in_120_columns)
{
    struct comparison c;
    gy_str s = {0};
    compare_open(&c);
    gy_compare_show(&s, c.runs, RUNS);
    size_t width = 0;
    for (size_t i = 0; i < s.n; i++) {
        width = s.s[i] == '\n' ? 0 : width + 1;
        cr_assert_leq(width, 120, "%s", s.s);
        cr_assert(s.s[i] == '\n' || (s.s[i] >= ' ' && s.s[i] <= '~'), "not plain ASCII");
    }
    expect_golden("compare.txt", s.s, s.n);
    gy_str_fini(&s);
    compare_close(&c);
}

Test(show, sums_up_one_run)
{
    struct comparison c;
    gy_str s = {0};
    compare_open(&c);
    gy_run_show(&s, &c.d[3]);
    gy_str_puts(&s, "\n");
    gy_run_show(&s, &c.d[1]);
    gy_str_puts(&s, "\n");
    gy_run_show(&s, &c.d[4]);
    expect_golden("run.txt", s.s, s.n);
    gy_str_fini(&s);
    compare_close(&c);
}

/* Rows of one figure: value, how many jobs it is over, oracle, n/a; and which of them is best. */
Test(show, marks_the_best_of_comparable_rows)
{
    static const struct row {
        double wait;
        uint64_t n;
        bool oracle, na, best;
    } tables[][4] = {
        {{5, 10, false, false, false},
         {3, 10, false, false, true},
         {1, 10, true, false, false},
         {0, 0, false, true, false}},
        /* fewer jobs started: not comparable, though smaller */
        {{5, 10, false, false, false},
         {4, 10, false, false, true},
         {1, 9, false, false, false},
         {4, 10, false, false, true}},
        /* all alike, or one alone: nothing to choose between */
        {{5, 10, false, false, false},
         {5, 10, false, false, false},
         {1, 10, true, false, false},
         {5, 10, false, false, false}},
        {{5, 10, false, false, false},
         {4, 10, true, false, false},
         {0, 0, false, true, false},
         {0, 0, false, true, false}},
        /* the oracle alone ran all jobs */
        {{5, 9, false, false, false},
         {4, 10, true, false, false},
         {6, 9, false, false, false},
         {7, 8, false, false, false}},
        /* 5.001 s and 5.002 s both read 5.00s: marked alike, or not at all */
        {{5.001, 10, false, false, true},
         {5.002, 10, false, false, true},
         {5.02, 10, false, false, false},
         {1, 10, true, false, false}},
        {{5.001, 10, false, false, false},
         {5.002, 10, false, false, false},
         {0, 0, false, true, false},
         {0, 0, false, true, false}},
    };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        static gy_run_digest d[4];
        const gy_run_digest *runs[4];
        bool best[4];
        for (size_t i = 0; i < 4; i++) {
            const struct row *row = &tables[t][i];
            memset(&d[i], 0, sizeof d[i]);
            d[i].oracle = row->oracle;
            d[i].reason = row->na ? "n/a" : NULL;
            d[i].summary.wait.n = row->n;
            d[i].summary.wait.sum_us = (gy_i128)row->n * S(row->wait);
            runs[i] = &d[i];
        }
        gy_compare_best(&gy_compare_columns[0], runs, 4, best);
        for (size_t i = 0; i < 4; i++)
            cr_expect_eq(best[i], tables[t][i].best, "table %zu, row %zu", t, i);
    }
}

Test(show, says_one_job_and_keeps_columns_apart)
{
    static gy_run_digest d = {.policy = "fifo", .trace = "x.csv, 1 job", .cluster = "1x1"};
    const int64_t long_us = INT64_C(1) << 60;
    gy_str s = {0};
    d.summary.gpus = d.summary.submitted = d.summary.of = 1;
    d.summary.preemptions = d.summary.restarts = 1;
    d.summary.by_state[GY_STATE_RUNNING].submitted = 1;
    d.summary.lower_bound_us = long_us;
    d.summary.gpu.installed = d.summary.gpu.useful = (gy_i128)1000 * long_us * 1000000000;
    d.summary.wait = (gy_time_dist){long_us, 1, long_us, long_us, long_us, long_us, long_us};
    gy_run_show(&s, &d);
    cr_expect(strstr(s.s, "1 job had not ended") && strstr(s.s, "(1 GPU)") &&
                  strstr(s.s, "1 preemption, 1 restart,"),
              "%s", s.s);
    cr_expect(strstr(s.s, " 13343999d 13343999d "), "%s", s.s);
    cr_expect(strstr(s.s, "100.0% 3"), "%s", s.s);
    gy_str_fini(&s);
}

struct rows {
    const gy_run_digest *const *runs;
    size_t n;
};

static void write_json(gy_out *out, const void *from)
{
    const struct rows *r = from;
    gy_compare_json(out, r->runs, r->n);
}

Test(show, compares_for_machines_too)
{
    struct comparison c;
    compare_open(&c);
    struct rows rows = {c.runs, RUNS};
    char *text = text_of(write_json, &rows);
    cJSON *tree = cJSON_Parse(text);
    cr_assert(tree);
    const cJSON *runs = cJSON_GetObjectItemCaseSensitive(tree, "runs");
    cr_assert_eq(cJSON_GetArraySize(runs), RUNS);
    const cJSON *third = cJSON_GetArrayItem(runs, 2), *last = cJSON_GetArrayItem(runs, RUNS - 1);
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(third, "oracle")));
    cr_expect(cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(third, "summary")));
    cr_expect(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(last, "summary")));
    cr_expect_str_eq(cJSON_GetObjectItemCaseSensitive(last, "reason")->valuestring,
                     "the trace has no start_s");
    cJSON_Delete(tree);
    free(text);
    compare_close(&c);
}

/* ---- figures ---- */

static bool have_gnuplot(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

static bool is_gnuplot_54(void)
{
    return system("gnuplot --version 2>/dev/null | grep -q '5.4 patchlevel 4'") == 0;
}

static void write_compare(const struct comparison *c, const char *folder, const char *gnuplot,
                          gy_str *warnings)
{
    gy_err e = {0};
    gy_outdir *d;
    cr_assert_eq(gy_outdir_open(&d, folder, &e), GY_OK, "%s", e.text);
    gy_results_options opt = {.plots = true, .report = true, .gnuplot = gnuplot};
    cr_assert_eq(gy_results_compare_write(d, c->runs, RUNS, &opt, warnings, &e), GY_OK, "%s", e.text);
    cr_assert_eq(gy_outdir_commit(d, &e), GY_OK, "%s", e.text);
}

static char *file_text(const char *folder, const char *name, const char *type, size_t *n)
{
    char path[160], *text;
    gy_err e = {0};
    snprintf(path, sizeof path, "%s/%s%s", folder, name, type);
    cr_assert_eq(gy_read_file(path, &text, n, &e), GY_OK, "%s", e.text);
    return text;
}

static const char *const figures[] = {"cdf-wait", "cdf-jct", "gpus-busy", "jobs-queued", "bars"};
enum { FIGURES = sizeof figures / sizeof *figures };

Test(plots, come_with_their_numbers)
{
    struct comparison c;
    gy_str w = {0};
    compare_open(&c);
    write_compare(&c, "golden-figures", "/nowhere/gnuplot", &w);
    for (size_t i = 0; i < FIGURES; i++) {
        char name[64], path[128];
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "%s.%s", figures[i], k ? "gp" : "csv");
            snprintf(path, sizeof path, "golden-figures/plots/%s", name);
            expect_golden_file(name, path);
        }
    }
    expect_golden_file("compare.csv", "golden-figures/compare.csv");
    gy_str_fini(&w);
    compare_close(&c);
}

Test(plots, draw_the_same_svg_as_ever)
{
    if (!is_gnuplot_54())
        cr_skip("the golden pictures are gnuplot 5.4.4's");
    struct comparison c;
    gy_str w = {0};
    compare_open(&c);
    write_compare(&c, "golden-pictures", NULL, &w);
    cr_expect_eq(w.n, 0, "%s", w.s);
    expect_golden_file("cdf-wait.svg", "golden-pictures/plots/cdf-wait.svg");
    expect_golden_file("bars.svg", "golden-pictures/plots/bars.svg");
    gy_str_fini(&w);
    compare_close(&c);
}

Test(plots, are_the_same_bytes_a_second_later)
{
    if (!have_gnuplot())
        cr_skip("gnuplot is not installed");
    static const char *const types[] = {".csv", ".gp", ".svg", ".pdf"};
    struct comparison c;
    gy_str w = {0};
    compare_open(&c);
    write_compare(&c, "first", NULL, &w);
    struct timespec pause = {.tv_sec = 1, .tv_nsec = 100000000};
    nanosleep(&pause, NULL);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("GNUTERM", "dumb", 1);
    setenv("TZ", "Asia/Shanghai", 1);
    write_compare(&c, "second", NULL, &w);
    for (size_t i = 0; i < FIGURES * 4; i++) {
        char name[64];
        size_t n, m;
        snprintf(name, sizeof name, "plots/%s", figures[i / 4]);
        char *a = file_text("first", name, types[i % 4], &n),
             *b = file_text("second", name, types[i % 4], &m);
        cr_expect(n == m && memcmp(a, b, n) == 0, "%s%s", name, types[i % 4]);
        free(a);
        free(b);
    }
    size_t n, m;
    char *a = file_text("first", "report", ".html", &n), *b = file_text("second", "report", ".html", &m);
    cr_expect(n == m && memcmp(a, b, n) == 0, "report.html");
    free(a);
    free(b);
    gy_str_fini(&w);
    compare_close(&c);
}

Test(plots, embed_their_fonts_and_no_type_3)
{
    if (!have_gnuplot())
        cr_skip("gnuplot is not installed");
    if (system("pdffonts -v >/dev/null 2>&1") != 0)
        cr_skip("pdffonts is not installed");
    struct comparison c;
    gy_str w = {0};
    compare_open(&c);
    write_compare(&c, "fonts", NULL, &w);
    for (size_t i = 0; i < FIGURES; i++) {
        char command[256];
        snprintf(command, sizeof command, "pdffonts fonts/plots/%s.pdf > fonts.txt 2>&1", figures[i]);
        cr_assert_eq(system(command), 0, "%s", figures[i]);
        cr_expect_eq(system("grep -q 'yes yes' fonts.txt"), 0, "%s: no embedded font", figures[i]);
        cr_expect_neq(system("grep -q 'Type 3' fonts.txt"), 0, "%s: a Type 3 font", figures[i]);
        cr_expect_neq(system("tail -n +3 fonts.txt | grep -q ' no \\+[a-z]* \\+[a-z]* '"), 0,
                      "%s: a font is not embedded", figures[i]);
    }
    gy_str_fini(&w);
    compare_close(&c);
}

/* The script and the table are all that is needed to draw a figure again. */
Test(plots, can_be_drawn_again_from_their_folder)
{
    if (!have_gnuplot())
        cr_skip("gnuplot is not installed");
    struct comparison c;
    gy_str w = {0};
    compare_open(&c);
    write_compare(&c, "again", NULL, &w);
    for (size_t i = 0; i < FIGURES; i++) {
        char command[512], name[64];
        size_t n, m;
        snprintf(name, sizeof name, "plots/%s", figures[i]);
        char *a = file_text("again", name, ".svg", &n);
        snprintf(command, sizeof command,
                 "mkdir -p alone && cp again/plots/%s.csv again/plots/%s.gp alone/ && cd alone && "
                 "LC_ALL=C gnuplot %s.gp 2>/dev/null",
                 figures[i], figures[i], figures[i]);
        cr_assert_eq(system(command), 0);
        char *b = file_text("alone", figures[i], ".svg", &m);
        cr_expect(n == m && memcmp(a, b, n) == 0, "%s", figures[i]);
        free(a);
        free(b);
    }
    gy_str_fini(&w);
    compare_close(&c);
}

Test(plots, do_without_gnuplot_but_say_so)
{
    struct comparison c;
    gy_str w = {0};
    struct stat st;
    compare_open(&c);
    write_compare(&c, "no-gnuplot", "/nowhere/gnuplot", &w);
    cr_expect(w.n > 0 && strstr(w.s, "/nowhere/gnuplot was not found"), "%s", w.s ? w.s : "");
    cr_expect(strchr(w.s, '\n') == w.s + w.n - 1, "one sentence: %s", w.s);
    cr_expect_eq(stat("no-gnuplot/plots/cdf-wait.csv", &st), 0);
    cr_expect_eq(stat("no-gnuplot/plots/cdf-wait.gp", &st), 0);
    cr_expect_neq(stat("no-gnuplot/plots/cdf-wait.svg", &st), 0);
    size_t n;
    char *page = file_text("no-gnuplot", "report", ".html", &n);
    cr_expect(strstr(page, "gnuplot was not there") && strstr(page, "was not found"));
    free(page);
    gy_str_fini(&w);
    compare_close(&c);
}

Test(plots, pass_on_what_gnuplot_complains_of)
{
    if (!have_gnuplot())
        cr_skip("gnuplot is not installed");
    gy_str why = {0};
    bool missing = true;
    FILE *f = fopen("broken.gp", "w");
    fputs("set nonsense\n", f);
    fclose(f);
    cr_expect_not(gy_gnuplot_run("gnuplot", ".", "broken.gp", &why, &missing));
    cr_expect_not(missing);
    cr_expect(strstr(why.s, "gnuplot: \"broken.gp\" line 1:"), "%s", why.s);
    gy_str_fini(&why);
}

Test(pdf, gets_a_fixed_date_of_the_same_length)
{
    static const char before[] = "%PDF\0x\n<< /CreationDate (D:20260801123456+02'00)\n>>";
    static const char after[] = "%PDF\0x\n<< /CreationDate (D:20000101000000Z00'00)\n>>";
    FILE *f = fopen("date.pdf", "wb");
    fwrite(before, 1, sizeof before, f);
    fclose(f);
    cr_expect(gy_pdf_fix_date("date.pdf"));
    size_t n;
    char *text = file_text(".", "date", ".pdf", &n);
    cr_expect_eq(n, sizeof after);
    cr_expect_arr_eq(text, after, sizeof after);
    free(text);
    cr_expect_not(gy_pdf_fix_date("nothing.pdf"));
}

/* ---- report ---- */

/* Tags that are opened are closed, in order; enough of a parser for a page that we write ourselves. */
static void expect_balanced(const char *page)
{
    static const char *const alone[] = {"meta", "!DOCTYPE", "path", "rect", "polygon", "use", "circle"};
    char stack[64][16];
    size_t depth = 0;
    const char *script = strstr(page, "<script>"), *style = strstr(page, "<style>");
    for (const char *s = page; (s = strchr(s, '<'));) {
        bool close = s[1] == '/';
        char name[16];
        const char *end = strchr(s, '>');
        cr_assert(end);
        size_t n = strcspn(s + 1 + close, " />\n");
        snprintf(name, sizeof name, "%.*s", (int)(n < 15 ? n : 15), s + 1 + close);
        bool skip = end[-1] == '/';
        for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
            skip |= strcmp(name, alone[i]) == 0;
        if (close) {
            cr_assert(depth > 0 && strcmp(stack[depth - 1], name) == 0, "</%s> closes <%s> at %.60s", name,
                      depth ? stack[depth - 1] : "", s);
            depth--;
        } else if (!skip) {
            cr_assert_lt(depth, 64);
            memcpy(stack[depth++], name, sizeof name);
        }
        s = s == script ? strstr(s, "</script>") : s == style ? strstr(s, "</style>") : end;
    }
    cr_expect_eq(depth, 0);
}

Test(report, is_one_page_that_needs_nothing_else)
{
    struct comparison c;
    gy_str w = {0};
    size_t n;
    compare_open(&c);
    write_compare(&c, "page", have_gnuplot() ? NULL : "/nowhere/gnuplot", &w);
    char *page = file_text("page", "report", ".html", &n);
    expect_balanced(page);
    cr_expect_null(strstr(page, "src="));
    cr_expect_null(strstr(page, "<link"));
    cr_expect_null(strstr(page, "@import"));
    cr_expect_null(strstr(page, " id=\"gnuplot"), "ids of different figures would meet");
    cr_expect_null(strstr(page, "href"));
    /* what users wrote is text, not markup */
    cr_expect_null(strstr(page, "<fifo>"));
    cr_expect(strstr(page, "order: &lt;fifo&gt;"));
    cr_expect(strstr(page, "no job has a limit &amp; nothing is protected"));
    cr_expect(strstr(page, "n/a: the trace has no start_s"));
    cr_expect(strstr(page, "&#8224;"), "the oracle's mark");
    cr_expect(strstr(page, "jobs had not ended"));
    cr_expect(!have_gnuplot() || strstr(page, "aria-label=\"Waiting time\""));
    free(page);
    gy_str_fini(&w);
    compare_close(&c);
}

/* Parts of the bars of GPU time fill them. */
Test(report, draws_bars_that_add_up)
{
    struct comparison c;
    gy_str w = {0};
    size_t n;
    compare_open(&c);
    write_compare(&c, "bars", "/nowhere/gnuplot", &w);
    char *page = file_text("bars", "report", ".html", &n);
    size_t bars = 0;
    for (const char *s = page; (s = strstr(s, "<div class=\"bar\"")); bars++) {
        const char *end = strstr(s, "</div>");
        double sum = 0;
        for (const char *p = s; (p = strstr(p, "width:")) && p < end; p++)
            sum += atof(p + 6);
        cr_expect_float_eq(sum, 100, 0.001, "%g%%", sum);
        s = end;
    }
    cr_expect_eq(bars, RUNS - 1);
    free(page);
    gy_str_fini(&w);
    compare_close(&c);
}
