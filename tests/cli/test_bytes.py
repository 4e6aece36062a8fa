"""test_bytes.py - same inputs, same bytes: whatever the machine's zone, locale, processor, build type or checks.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import subprocess
import tempfile
from pathlib import Path

import program
from checks import Skip, check, check_each, need, need_program, run, run_ok
from program import SAMPLE_CLUSTER, files_of, gy_ok, need_equal, sample

SHORT = ("--horizon", "6d")  # of the month
POLICIES = ("fifo", "easy", "conservative", "srtf", "tiresias", "las", "drf")
NO_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-AVX2,-AVX512F"}


def run_sample(folder, name, policy="easy", more=SHORT, binary=None, env=None, trace="trace.csv.gz"):
    if not (folder / trace).exists():
        sample(folder, trace)
    run_ok([binary or program.BIN, "run", "-q", "--decisions", "--trace", trace, "--cluster", SAMPLE_CLUSTER, "--policy",
            policy, "-o", name, *more], cwd=folder, env=env)
    return files_of(folder / name)


def german(cache=[]):
    """Environment of a German user in Kathmandu."""
    if not cache:
        run_ok([need_program("localedef"), "--version"])
        where = tempfile.mkdtemp(prefix="gy-locale-")
        done = run(["localedef", "-i", "de_DE", "-f", "UTF-8", f"{where}/de_DE.UTF-8"])
        if done.code > 1:  # 1: made, with warnings
            raise Skip("the German locale cannot be made")
        cache.append(where)
    return {"LOCPATH": cache[0], "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "TZ": "Asia/Kathmandu"}


@check
def the_german_locale_is_one(_):
    """A check of these tests: printf under that environment writes a comma."""
    done = run(["printf", "%.1f", "1"], env=german())
    text = subprocess.run(["/usr/bin/printf", "%.1f", "1,5"], env={**os.environ, **german()}, capture_output=True)
    need("1,5" in text.stdout.decode() or "," in done.out, f"{text.stdout!r} {done.out!r}")


@check_each(POLICIES)
def two_runs(folder, policy):
    need_equal(run_sample(folder, "one", policy), run_sample(folder, "two", policy), f"two runs of {policy}")


@check
def two_comparisons_with_figures_and_report(folder):
    sample(folder)
    for out in "one", "two":
        gy_ok(folder, "compare", "-q", "--trace", "trace.csv.gz", "--cluster", SAMPLE_CLUSTER, *SHORT, "-o", out,
              env=german() if out == "two" else None)
    one = files_of(folder / "one")
    need("plots/cdf-wait.pdf" in one and "report.html" in one, f"files are {sorted(one)}")
    need_equal(one, files_of(folder / "two"), "two comparisons")


@check
def packed_and_plain(folder):
    plain, packed = (run_sample(folder, n, trace=t) for n, t in (("a", "trace.csv"), ("b", "trace.csv.gz")))
    for files in plain, packed:
        manifest = json.loads(files.pop("manifest.json"))
        need("sha256" in json.dumps(manifest), "the manifest has no hash of the trace")
    need_equal(plain, packed, ".gz and plain")


@check_each(("easy", "tiresias"))
def another_zone_and_locale(folder, policy):
    need_equal(run_sample(folder, "a", policy), run_sample(folder, "b", policy, env=german()), "locale and time zone")


@check_each(POLICIES if program.OTHER else ())
def another_build_type(folder, policy):
    need_equal(run_sample(folder, "a", policy), run_sample(folder, "b", policy, binary=program.OTHER),
               "another build type")


@check_each(("easy", "srtf", "tiresias"))
def a_processor_without_fma(folder, policy):
    need_equal(run_sample(folder, "a", policy), run_sample(folder, "b", policy, env=NO_FMA), "with and without FMA")


@check_each(POLICIES)
def checks_on_and_off(folder, policy):
    short = ("--horizon", "1d")
    need_equal(run_sample(folder, "a", policy, more=short),
               run_sample(folder, "b", policy, more=short, env={"GY_CHECK": "1"}), "GY_CHECK=1 and off")


@check
def a_run_alone_and_in_a_comparison(folder):
    sample(folder)
    gy_ok(folder, "compare", "-q", "--trace", "trace.csv.gz", "--cluster", SAMPLE_CLUSTER, *SHORT, "-p", "srtf", "-p",
          "easy", "-o", "both")
    gy_ok(folder, "run", "-q", "--trace", "trace.csv.gz", "--cluster", SAMPLE_CLUSTER, *SHORT, "-p", "srtf", "-o", "alone")
    drop = ("perf.json", "manifest.json")
    need_equal(files_of(folder / "alone", drop), files_of(folder / "both/runs/srtf", drop), "alone and in a comparison")


@check_each(("philly", "helios-venus", "itp-2021"))
def a_generated_trace(folder, model):
    words = ("trace", "generate", "--model", model, "--jobs", "3000", "-o")
    gy_ok(folder, *words, "a.csv.gz")
    for name, more in (("again", {}), ("locale", german()), ("no-fma", NO_FMA)):
        gy_ok(folder, *words, "b.csv.gz", env=more)
        need((folder / "a.csv.gz").read_bytes() == (folder / "b.csv.gz").read_bytes(), f"{name}: another trace")
    if program.OTHER:
        run_ok([program.OTHER, *words, "b.csv.gz"], cwd=folder)
        need((folder / "a.csv.gz").read_bytes() == (folder / "b.csv.gz").read_bytes(), "build type: another trace")


@check
def what_is_said_about_a_trace(folder):
    sample(folder)
    for words in (["trace", "info", "--json", "trace.csv.gz"], ["trace", "info", "trace.csv.gz"]):
        first = gy_ok(folder, *words, "--cluster", SAMPLE_CLUSTER).out
        need(first == gy_ok(folder, *words, "--cluster", SAMPLE_CLUSTER, env=german()).out, "locale: other words")
        need(first == gy_ok(folder, *words, "--cluster", SAMPLE_CLUSTER, env=NO_FMA).out, "without FMA: other words")


@check
def no_place_and_no_time_in_the_files(folder):
    """Neither the name of the machine nor a path of it is in any output."""
    files = run_sample(folder, "out")
    node = os.uname().nodename.encode()
    for name, data in files.items():
        need(str(folder).encode() not in data and str(Path(program.BIN).parent).encode() not in data,
             f"{name} holds a path of this machine")
        need(len(node) < 6 or node not in data, f"{name} holds the name of this machine")
