/* test_generate.c - the trace generator: determinism, rows, options, models, arrivals.
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gy_generate_internal.h"
#include "gy_input.h"

static gy_generate_options options(const char *const *pairs)
{
    gy_generate_options o;
    gy_err e;
    gy_generate_options_init(&o);
    for (; *pairs; pairs += 2)
        cr_assert_eq(gy_generate_set(&o, pairs[0], pairs[1], &e), GY_OK, "%s", e.text);
    return o;
}
#define OPTIONS(...) options((const char *const[]){__VA_ARGS__, NULL})

static gy_generate *opened(gy_generate_options o)
{
    gy_generate *g = NULL;
    gy_err e;
    cr_assert_eq(gy_generate_open(&g, &o, &e), GY_OK, "%s", e.text);
    return g;
}

/* The whole trace as text; free() it. */
static char *csv_of(gy_generate_options o, size_t *n)
{
    char path[64], *text = NULL;
    gy_out *out;
    gy_err e;
    snprintf(path, sizeof path, "generate-%ld.csv", (long)getpid());
    gy_generate *g = opened(o);
    cr_assert_eq(gy_out_open(&out, path, false, &e), GY_OK, "%s", e.text);
    gy_generate_write_csv(g, out);
    cr_assert_eq(gy_out_close(out, true, &e), GY_OK, "%s", e.text);
    gy_generate_close(g);
    cr_assert_eq(gy_read_file(path, &text, n, &e), GY_OK, "%s", e.text);
    unlink(path);
    return text;
}

static uint64_t fnv1a(const char *s, size_t n)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* ---- determinism ---- */

Test(generate, gives_the_same_bytes_for_a_seed_and_others_for_another)
{
    size_t n1, n2, n3;
    char *a = csv_of(OPTIONS("model", "helios", "jobs", "20000"), &n1);
    char *b = csv_of(OPTIONS("model", "helios", "jobs", "20000", "seed", "1"), &n2);
    char *c = csv_of(OPTIONS("model", "helios", "jobs", "20000", "seed", "2"), &n3);
    cr_expect(n1 == n2 && memcmp(a, b, n1) == 0);
    cr_expect(n1 != n3 || memcmp(a, c, n1) != 0);
    free(a);
    free(b);
    free(c);
}

Test(generate, gives_the_known_bytes_on_every_machine)
{
    static const struct {
        const char *model;
        uint64_t hash;
    } golden[] = {{"philly", UINT64_C(0x4efe9310114204ef)},
                  {"helios", UINT64_C(0x16fa45e75b7deec6)},
                  {"itp-2021", UINT64_C(0x24c30fba42488d2d)}};
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        size_t n;
        char *text = csv_of(OPTIONS("model", golden[i].model, "jobs", "10000", "seed", "1"), &n);
        uint64_t hash = fnv1a(text, n);
        cr_expect_eq(hash, golden[i].hash, "%s: 0x%016llx", golden[i].model, (unsigned long long)hash);
        free(text);
    }
}

Test(generate, makes_the_bundled_sample_again)
{
    size_t n, made;
    char *text = NULL;
    gy_err e;
    cr_assert_eq(gy_read_file(GY_SOURCE_DIR "/traces/samples/philly-like.csv.gz", &text, &n, &e), GY_OK, "%s",
                 e.text);
    char *again = csv_of(OPTIONS("model", "philly", "seed", "8", "span", "28d", "gpus", "160", "load", "0.87",
                                 "max-gpus", "64", "max-duration", "2d"),
                         &made);
    cr_expect(n == made && memcmp(text, again, n) == 0, "%zu bytes, made again %zu", n, made);
    free(text);
    free(again);
}

/* ---- rows ---- */

/* One line of the file, from the row that gy_generate_next() gives for the same job. */
static void line_of(char *out, size_t n, const gy_job_row *r)
{
    char submit[32], gpus[32], duration[32], limit[32] = "";
    gy_put_us(submit, r->submit_us);
    gy_put_fixed(gpus, r->gpus_milli, 3);
    gy_put_us(duration, r->duration_us);
    if (r->limit_us != GY_NEVER)
        gy_put_us(limit, r->limit_us);
    snprintf(out, n, "%.*s,%s,%s,%s,%.*s,%.*s,%s,%s\n", (int)r->id.n, r->id.s, submit, gpus, duration,
             (int)r->user.n, r->user.s, (int)r->queue.n, r->queue.s, limit, gy_log_state_names[r->log_state]);
}

Test(generate, gives_rows_that_are_the_file_and_that_the_job_table_takes_in_order)
{
    static const char *const models[] = {"philly", "helios"};
    for (size_t m = 0; m < 2; m++) {
        gy_generate_options o = OPTIONS("model", models[m], "jobs", "30000", "seed", "5");
        size_t n;
        char *text = csv_of(o, &n), *at = strchr(text, '\n') + 1, line[256];
        gy_generate *g = opened(o);
        gy_jobs *t = gy_jobs_create("generated");
        gy_job_row row;
        gy_err e;
        for (uint64_t k = 2; gy_generate_next(g, &row); k++) {
            line_of(line, sizeof line, &row);
            cr_assert(strncmp(at, line, strlen(line)) == 0, "line %llu", (unsigned long long)k);
            at += strlen(line);
            cr_assert_eq(gy_jobs_add(t, &row, k, &e), GY_OK, "%s", e.text);
        }
        cr_expect_eq(*at, '\0');
        cr_assert_eq(gy_jobs_finish(t, 0, &e), GY_OK, "%s", e.text);
        cr_expect_eq(t->n, 30000);
        for (uint32_t j = 0; j < t->n; j++)
            cr_assert(t->row[j] == j && t->id[j] == j + 1, "job %u is row %u", j, t->row[j]);
        cr_expect_lt(t->submit_us[t->n - 1], gy_generate_info_of(g)->span_s * GY_US_PER_S);
        gy_jobs_free(t);
        gy_generate_close(g);
        free(text);
    }
}

Test(generate, cuts_off_at_limits_only_the_jobs_that_say_so)
{
    gy_generate *g = opened(OPTIONS("model", "philly", "jobs", "50000"));
    gy_job_row r;
    uint32_t timeouts = 0;
    while (gy_generate_next(g, &r)) {
        bool over = r.limit_us < r.duration_us;
        cr_assert_eq(over, r.log_state == GY_LOG_TIMEOUT);
        cr_assert(!over ||
                  (r.duration_us - r.limit_us >= 11000000 && r.duration_us - r.limit_us <= 26000000));
        cr_assert_neq(r.limit_us, GY_NEVER);
        timeouts += over;
    }
    cr_expect(timeouts > 500 && timeouts < 2000, "%u", timeouts);
    gy_generate_close(g);
}

Test(generate, keeps_all_other_columns_when_one_is_left_out)
{
    gy_generate *a = opened(OPTIONS("model", "philly", "jobs", "5000"));
    gy_generate *b = opened(OPTIONS("model", "philly", "jobs", "5000", "limits", "no"));
    gy_job_row r, s;
    while (gy_generate_next(a, &r)) {
        cr_assert(gy_generate_next(b, &s));
        cr_assert(r.submit_us == s.submit_us && r.duration_us == s.duration_us && r.user.s != NULL &&
                  strcmp(r.user.s, s.user.s) == 0 && r.log_state == s.log_state && s.limit_us == GY_NEVER);
    }
    cr_assert(!gy_generate_next(b, &s));
    gy_generate_close(a);
    gy_generate_close(b);
}

Test(generate, leaves_out_what_is_too_large_or_too_long)
{
    gy_generate *g = opened(
        OPTIONS("model", "helios", "jobs", "50000", "gpus", "128", "max-gpus", "32", "max-duration", "6h"));
    gy_job_row r;
    int64_t gpus = 0, duration = 0;
    while (gy_generate_next(g, &r)) {
        gpus = r.gpus_milli > gpus ? r.gpus_milli : gpus;
        duration = r.duration_us > duration ? r.duration_us : duration;
    }
    cr_expect_eq(gpus, 32000);
    cr_expect(duration > 21000 * INT64_C(1000000) && duration <= 21626 * INT64_C(1000000));
    gy_generate_close(g);
}

/* ---- options ---- */

Test(generate, hits_the_load_and_says_so_before_the_first_row)
{
    static const struct {
        const char *model, *jobs, *span, *gpus, *load;
        double tolerance;
    } cases[] = {
        {"philly", "20000", NULL, "192", "0.9", 1e-5},  {"philly", NULL, "28d", "192", "0.85", 0.02},
        {"helios", "50000", NULL, "6416", "0.9", 1e-5}, {"helios", NULL, "3d", "6416", "1.2", 0.02},
        {"itp-2021", NULL, NULL, "2000", "0.7", 0.02},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gy_generate_options o =
            OPTIONS("model", cases[i].model, "gpus", cases[i].gpus, "load", cases[i].load);
        gy_err e;
        if (cases[i].jobs)
            cr_assert_eq(gy_generate_set(&o, "jobs", cases[i].jobs, &e), GY_OK);
        if (cases[i].span)
            cr_assert_eq(gy_generate_set(&o, "span", cases[i].span, &e), GY_OK);
        gy_generate *g = opened(o);
        const gy_generate_info *info = gy_generate_info_of(g);
        double work = 0, wanted = strtod(cases[i].load, NULL);
        uint64_t jobs = 0;
        gy_job_row r;
        for (; gy_generate_next(g, &r); jobs++)
            work += (double)r.gpus_milli / 1e3 * (double)r.duration_us / 1e6;
        double load = work / (strtod(cases[i].gpus, NULL) * (double)info->span_s);
        cr_expect_eq(jobs, info->jobs);
        cr_expect_float_eq(load, info->load, 1e-9);
        cr_expect_float_eq(load, wanted, cases[i].tolerance * wanted, "case %zu: %g", i, load);
        cr_expect(!cases[i].span || info->span_s == o.span_s);
        cr_expect(!cases[i].jobs || info->jobs == o.jobs);
        gy_generate_close(g);
    }
}

Test(generate, follows_the_models_own_rate_without_a_load)
{
    gy_generate *g = opened(OPTIONS("model", "helios"));
    cr_expect_eq(gy_generate_info_of(g)->jobs, 1580464);
    cr_expect_eq(gy_generate_info_of(g)->span_s, 183 * 86400);
    cr_expect_eq(gy_generate_info_of(g)->gpus, 6416);
    gy_generate_close(g);
    g = opened(OPTIONS("model", "philly", "span", "13.8d"));
    cr_expect_eq(gy_generate_info_of(g)->jobs, 11296);
    gy_generate_close(g);
    g = opened(OPTIONS("model", "philly", "jobs", "1"));
    cr_expect_eq(gy_generate_info_of(g)->jobs, 1);
    gy_generate_close(g);
}

Test(generate, refuses_options_that_make_no_sense_and_says_why)
{
    static const struct {
        const char *name, *value, *needle;
    } rows[] = {
        {"jobs", "0", "from 1 to"},
        {"jobs", "many", "jobs is \"many\""},
        {"span", "0", "above 0"},
        {"span", "1.5ms", "whole"},
        {"seed", "-1", "at least 0"},
        {"load", "90%", "like 0.9"},
        {"weekday", "caturday", "monday ... sunday"},
        {"limits", "maybe", "yes or no"},
        {"lod", "0.9", "did you mean \"load\""},
    };
    gy_generate_options o;
    gy_generate *g;
    gy_err e;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_generate_options_init(&o);
        cr_expect_eq(gy_generate_set(&o, rows[i].name, rows[i].value, &e), GY_EINVAL, "%s", rows[i].value);
        cr_expect(strstr(e.text, rows[i].needle), "%s", e.text);
    }
    o = OPTIONS("model", "philly", "jobs", "100", "span", "1d", "load", "0.9");
    cr_expect_eq(gy_generate_open(&g, &o, &e), GY_EINVAL);
    cr_expect(strstr(e.text, "contradict"), "%s", e.text);
    o = OPTIONS("model", "helios-venas");
    cr_expect_eq(gy_generate_open(&g, &o, &e), GY_EINVAL);
    cr_expect(strstr(e.text, "\"helios-venus\"?"), "%s", e.text);
    o = OPTIONS("model", "itp-2021", "max-duration", "10m");
    cr_expect_eq(gy_generate_open(&g, &o, &e), GY_EINVAL);
    cr_expect(strstr(e.text, "allow longer ones"), "%s", e.text);
    o = OPTIONS("model", "./no-such-file.json");
    cr_expect_eq(gy_generate_open(&g, &o, &e), GY_EIO);
}

Test(generate, describes_every_preset)
{
    gy_generate_about about;
    gy_err e;
    size_t n = 0;
    for (const char *name; (name = gy_generate_preset(n)) != NULL; n++) {
        cr_assert_eq(gy_generate_describe(name, &about, &e), GY_OK, "%s", e.text);
        cr_expect(about.text[0] && about.jobs > 50000 && about.gpus > 1000 && about.span_s > 50 * 86400);
        cr_expect_eq(about.parts, strcmp(name, "helios") == 0 ? 4 : 1);
    }
    cr_expect_eq(n, 7);
}

/* ---- model files ---- */

static const char *model_file(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "./model-%ld.json", (long)getpid());
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fputs(text, f);
    fclose(f);
    return path;
}

#define SOURCE "\"trace\":{\"jobs\":100000,\"days\":100,\"gpus\":100,\"weekday\":\"monday\"}"
#define GPUS   ",\"gpus\":[[1,1]]"
#define RUNS   ",\"durations\":{\"classes\":[{\"mixture\":[[1,3,1]],\"range_s\":[1,1000]}]}"

Test(model, errors_name_the_key_and_what_it_must_be)
{
    static const struct {
        const char *text, *needle;
    } rows[] = {
        {"{}", "\"trace\" must be given"},
        {"{" SOURCE RUNS "}", "\"gpus\" must be given"},
        {"{" SOURCE GPUS "}", "\"durations\""},
        {"{" SOURCE GPUS RUNS ",\"state\":{}}", "did you mean \"states\""},
        {"{" SOURCE ",\"gpus\":[[2,1],[1,1]]" RUNS "}", "ascending"},
        {"{" SOURCE ",\"gpus\":[[1,0]]" RUNS "}", "weight above 0"},
        {"{" SOURCE ",\"gpus\":[[1,1],[2,1]],\"durations\":{\"grid_s\":[1,2],\"classes\":[{\"gpus\":[1,1],"
         "\"cdf\":[0,100]}]}}",
         "no class for jobs of 2 GPUs"},
        {"{" SOURCE GPUS ",\"durations\":{\"grid_s\":[1,2],\"classes\":[{\"cdf\":[0,99]}]}}",
         "the last of them 100"},
        {"{" SOURCE GPUS ",\"durations\":{\"grid_s\":[1,2],\"classes\":[{\"cdf\":[50,40,100]}]}}",
         "each point"},
        {"{" SOURCE GPUS ",\"durations\":{\"grid_s\":[2,1],\"classes\":[{\"cdf\":[0,100]}]}}", "\"grid_s\""},
        {"{" SOURCE GPUS ",\"durations\":{\"classes\":[{\"mixture\":[[1,3,0]],\"range_s\":[1,9]}]}}",
         "sigma"},
        {"{" SOURCE GPUS ",\"durations\":{\"classes\":[{\"mixture\":[[1,3,1]],\"range_s\":[9,1]}]}}",
         "range_s"},
        {"{" SOURCE GPUS RUNS ",\"arrivals\":{\"hours\":[1,2,3]}}", "has 3 numbers; it must have 24"},
        {"{" SOURCE GPUS RUNS ",\"arrivals\":{\"weekdays\":[0,0,0,0,0,0,0]}}", "no hour of the span"},
        {"{" SOURCE GPUS RUNS ",\"arrivals\":{\"noise\":{\"law\":\"pink\"}}}", "\"gamma\" or \"lognormal\""},
        {"{" SOURCE GPUS RUNS ",\"arrivals\":{\"noise\":{\"cv\":9}}}", "between 0.01 and 5"},
        {"{" SOURCE GPUS RUNS ",\"arrivals\":{\"batches\":[{\"cdf\":[[1,50]]}]}}", "to 100 percent"},
        {"{" SOURCE GPUS RUNS ",\"queues\":{\"names\":[\"a,b\"],\"shares\":[1]}}", "name 1 of \"queues\""},
        {"{" SOURCE GPUS RUNS ",\"users\":{\"zipf\":1}}", "\"count\""},
        {"{" SOURCE GPUS RUNS ",\"states\":{\"at_s\":[1],\"failed\":[0]}}", "weight above 0"},
        {"{" SOURCE GPUS RUNS ",\"limits\":{\"values_s\":[[60,1]]}}", "\"per_user\""},
        {"{\"parts\":[\"helios\"]}", "cannot be a part"},
        {"{\"parts\":[\"philly\"]," SOURCE "}", "unknown key \"trace\""},
        {"{\"name\": }", "not valid JSON"},
    };
    gy_err e;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gy_generate_options o = OPTIONS("model", model_file(rows[i].text));
        gy_generate *g = NULL;
        cr_expect_neq(gy_generate_open(&g, &o, &e), GY_OK, "%s", rows[i].text);
        cr_expect(strstr(e.text, rows[i].needle), "%s: %s", rows[i].needle, e.text);
        gy_generate_close(g);
        unlink(o.model);
    }
}

Test(model, optional_columns_come_with_their_keys)
{
    gy_generate_options o = OPTIONS("model",
                                    model_file("{" SOURCE ",\"gpus\":[[2,1]]" RUNS
                                               ",\"cpus_per_gpu\":[[6,1]],\"mem_gb_per_gpu\":[[64,1]],"
                                               "\"priority\":[[5,1]],\"checkpoint_s\":[[600,1]]}"),
                                    "jobs", "3");
    size_t n;
    char *text = csv_of(o, &n);
    cr_expect(
        strncmp(text, "job_id,submit_s,gpus,duration_s,priority,state,cpus,mem_gb,checkpoint_s\n1,", 74) == 0,
        "%s", text);
    cr_expect(strstr(text, ",5,completed,12,128,600\n"), "%s", text);
    free(text);
    unlink(o.model);
}

/* Counts of each hour of `days` days. */
static double *hourly(gy_generate_options o, int64_t days)
{
    double *count = gy_alloc((size_t)days * 24, sizeof *count);
    gy_generate *g = opened(o);
    gy_job_row r;
    while (gy_generate_next(g, &r))
        count[r.submit_us / GY_US_PER_S / 3600]++;
    gy_generate_close(g);
    return count;
}

Test(arrivals, without_noise_and_batches_are_a_poisson_process_with_the_given_profile)
{
    enum { DAYS = 700, WEEKS = DAYS / 7, HOURS = DAYS * 24, JOBS = 1000000 };
    static const double hours[24] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3};
    static const double days[7] = {2, 2, 2, 2, 2, 1, 0.5};
    gy_generate_options o =
        OPTIONS("model",
                model_file("{" SOURCE GPUS RUNS
                           ",\"arrivals\":{\"hours\":[1,1,1,1,1,1,2,2,2,2,2,2,4,4,4,4,4,4,3,3,3,3,"
                           "3,3],\"weekdays\":[2,2,2,2,2,1,0.5]}}"),
                "jobs", "1000000", "span", "700d", "weekday", "saturday");
    double *count = hourly(o, DAYS), sum = 0, chi_hours = 0, chi_week = 0, week[168] = {0};
    for (int i = 0; i < 168; i++)
        sum += hours[i % 24] * days[(5 + i / 24) % 7];
    for (int h = 0; h < HOURS; h++) {
        double expected = JOBS * hours[h % 24] * days[(5 + h / 24) % 7] / sum / WEEKS;
        chi_hours += (count[h] - expected) * (count[h] - expected) / expected;
        week[h % 168] += count[h];
    }
    for (int i = 0; i < 168; i++) {
        double expected = JOBS * hours[i % 24] * days[(5 + i / 24) % 7] / sum;
        chi_week += (week[i] - expected) * (week[i] - expected) / expected;
    }
    /* chi-square: mean the degrees of freedom, variance twice that; 4.5 standard deviations */
    cr_expect_float_eq(chi_week, 167, 4.5 * sqrt(2 * 167), "%g", chi_week);
    cr_expect_float_eq(chi_hours, HOURS - 1, 4.5 * sqrt(2.0 * HOURS), "%g", chi_hours);
    free(count);
    unlink(o.model);
}

Test(arrivals, noise_has_the_variance_and_correlation_asked_for)
{
    enum { DAYS = 2000, HOURS = DAYS * 24, MEAN = 20 };
    static const struct {
        const char *text;
        double cv, ar1;
    } rows[] = {{"{" SOURCE GPUS RUNS ",\"arrivals\":{\"noise\":{\"law\":\"gamma\",\"cv\":1.3,\"ar1\":0.5}}}",
                 1.3, 0.5},
                {"{" SOURCE GPUS RUNS
                 ",\"arrivals\":{\"noise\":{\"law\":\"lognormal\",\"cv\":0.7,\"ar1\":0.8}}}",
                 0.7, 0.8}};
    for (size_t k = 0; k < 2; k++) {
        gy_generate_options o = OPTIONS("model", model_file(rows[k].text), "jobs", "960000", "span", "2000d");
        double *count = hourly(o, DAYS), square = 0, product = 0;
        for (int h = 0; h < HOURS; h++) {
            square += (count[h] - MEAN) * (count[h] - MEAN);
            product += h ? (count[h] - MEAN) * (count[h - 1] - MEAN) : 0;
        }
        /* The counts add their own Poisson variance; the variance of a correlated law with heavy tails is
         * known to a few percent from 48,000 hours. */
        double noise = square / HOURS - MEAN;
        cr_expect_float_eq(sqrt(noise) / MEAN, rows[k].cv, 0.07 * rows[k].cv, "%g", sqrt(noise) / MEAN);
        cr_expect_float_eq(product / HOURS / noise, rows[k].ar1, 0.05, "%g", product / HOURS / noise);
        free(count);
        unlink(o.model);
    }
}
