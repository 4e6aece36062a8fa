"""test_bad_input.py - each bad input gives one line that names it and the remedy, exit 2, and leaves nothing behind.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import os
import re
import resource
import shutil

import program
from checks import Skip, check, check_each, need, run
from program import HEADER, JOBS, build_module, gy, jobs, write

MODULE = """#include <gpuyard/policy.h>
static uint32_t blocked(void *self, gy_view *v, uint32_t job, uint32_t nth)
{ (void)self; (void)v; (void)job; (void)nth; return 0; }
static const gy_backfill_ops ops = {sizeof ops, 0, blocked};
static void schedule(void *self, gy_view *v)
{ const gy_host *h = self; uint32_t j = h->next_waiting(v, GY_NIL); gy_piece p = {0, 1};
  if (j != GY_NIL) { h->start(v, j, &p, 1); h->start(v, j, &p, 1); } }
static const gy_schedule_ops sops = {sizeof sops, 0, schedule};
static const gy_module m = {.abi = ABI, .size = sizeof m, .name = "bad", .stage = STAGE, .summary = "s", .source = "s",
  .complexity = "c", .deviations = "", .open = gy_open_plain, .close = gy_close_plain, .ops = OPS};
const gy_module *gy_policy_entry(void) { return &m; }
"""


def module(folder, name, abi="GY_POLICY_ABI", stage="GY_STAGE_BACKFILL", ops="&ops"):
    text = MODULE.replace(".abi = ABI", f".abi = {abi}").replace(".stage = STAGE", f".stage = {stage}")
    return build_module(folder, name, text.replace(".ops = OPS", f".ops = {ops}"))


def needs_one_line(folder, words, names, **more):
    """The call fails with one line on standard error that matches each of names."""
    before = {p: p.stat().st_mtime_ns if p.is_file() else 0 for p in sorted(folder.rglob("*"))}
    done = run([program.BIN, *words], cwd=folder, **more)
    need(done.code == 2, str(done))
    need(not done.out, f"it says {done.out[:100]!r} on standard output")
    lines = done.err.splitlines()
    need(len(lines) == 1 and lines[0].startswith("gpuyard: "), f"not one line `gpuyard: ...`: {done.err[:400]!r}")
    for name in names:
        need(re.search(name, lines[0]), f"nothing matches {name!r} in {lines[0]!r}")
    after = {p: p.stat().st_mtime_ns if p.is_file() else 0 for p in sorted(folder.rglob("*"))}
    left = [str(p.relative_to(folder)) for p in after if after[p] != before.get(p)]
    need(not left, f"it left {left[:3]} behind")


def needs_refusal(folder, names, trace="jobs.csv", cluster="1x4", policy="fifo", more=(), **env):
    needs_one_line(folder, ["run", "--trace", trace, "--cluster", cluster, "--policy", policy, "-o", "out", *more],
                   names, **env)


# ---- traces ----


@check
def a_missing_trace(folder):
    needs_refusal(folder, ["none.csv", "No such file"], trace="none.csv")


@check
def a_folder_as_trace(folder):
    (folder / "dir").mkdir()
    needs_refusal(folder, ["^gpuyard: dir: "], trace="dir")


@check
def an_empty_trace(folder):
    write(folder, "jobs.csv", "")
    needs_refusal(folder, ["jobs.csv", "empty|header"])


@check
def a_truncated_gzip(folder):
    data = gzip.compress(JOBS.encode() * 50)
    write(folder, "jobs.csv.gz", data[:-20])
    needs_refusal(folder, ["jobs.csv.gz", "cut off", "fetch"], trace="jobs.csv.gz")


@check
def a_damaged_gzip(folder):
    data = bytearray(gzip.compress(JOBS.encode()))
    data[-6] ^= 0xFF
    write(folder, "jobs.csv.gz", bytes(data))
    needs_refusal(folder, ["jobs.csv.gz", "damaged", "fetch"], trace="jobs.csv.gz")


BAD_ROWS = {  # what: (header, row 2 of the trace, what the line names)
    "negative_duration": ("", "a,0,1,-5", ["jobs.csv:2", "duration_s", "-5"]),
    "negative_gpus": ("", "a,0,-1,5", ["jobs.csv:2", "gpus", "-1"]),
    "word_for_a_number": ("", "a,soon,1,5", ["jobs.csv:2", "submit_s", "soon"]),
    "decimal_comma": ("", '"a","0,5",1,5', ["jobs.csv:2", "submit_s", "0,5"]),
    "share_above_one": ("", "a,0,1.5,5", ["jobs.csv:2", "gpus", "1.5"]),
    "finer_than_a_microsecond": ("", "a,0.0000001,1,5", ["jobs.csv:2", "submit_s", "0.0000001"]),
    "missing_cell": ("", "a,0,1", ["jobs.csv:2"]),
    "missing_id": ("", ",0,1,5", ["jobs.csv:2", "job_id"]),
    "same_id_twice": ("", "a,0,1,5\na,1,1,5", ["jobs.csv:3", '"a"']),
    "unknown_state": (",state", "a,0,1,5,done", ["jobs.csv:2", "state", "done", "completed"]),
    "unknown_level": (",require", "a,0,1,5,rack", ["jobs.csv:2", "require", "rack", "leaf"]),
    "unknown_predecessor": (",after", "a,0,1,5,b", ["jobs.csv:2", "after", '"?b"?']),
    "number_too_large": ("", "a,99999999999999999999,1,5", ["jobs.csv:2", "submit_s"]),
}


@check_each(BAD_ROWS)
def a_row_with(folder, what):
    header, row, names = BAD_ROWS[what]
    jobs(folder, text=f"{HEADER}{header}\n{row}\n")
    needs_refusal(folder, names)


@check
def a_trace_without_a_needed_column(folder):
    jobs(folder, text="job_id,submit_s,gpus\na,0,1\n")
    needs_refusal(folder, ["jobs.csv", "duration_s"], more=["--format", "csv"])


@check
def a_format_that_does_not_exist(folder):
    jobs(folder)
    needs_refusal(folder, ["filly", "philly"], more=["--format", "filly"])


@check
def a_time_zone_that_does_not_exist(folder):
    write(folder, "log.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-03 01:00:00,60,1,60,a\n")
    needs_refusal(folder, ["Mars/Olympus"], trace="log.csv", more=["--tz", "Mars/Olympus"])


# ---- clusters ----

BAD_CLUSTERS = {
    "broken_json": ('{"nodes": [{"count": 1, "gpus": 4}', ["c.json:1"]),
    "trailing_text": ('{"nodes": [{"gpus": 4}]}\n}', ["c.json:2"]),
    "unknown_key": ('{"nodes": [{"gpus": 4, "cout": 3}]}', ["c.json", "cout", "count"]),
    "no_nodes": ('{"name": "x"}', ["c.json", "nodes"]),
    "negative_count": ('{"nodes": [{"gpus": 4, "count": -1}]}', ["c.json", "count", "-1"]),
    "unknown_type": ('{"nodes": [{"type": "dgx-h10"}]}', ["c.json", "dgx-h10", "dgx-h100"]),
    "text_for_a_number": ('{"nodes": [{"gpus": "four"}]}', ["c.json", "gpus"]),
}


@check_each(BAD_CLUSTERS)
def a_cluster_with(folder, what):
    text, names = BAD_CLUSTERS[what]
    jobs(folder)
    write(folder, "c.json", text)
    needs_refusal(folder, names, cluster="c.json")


@check_each(("none.json", "./none", "4y8", "dgx-h10", "0x8", "4x0", "4x8:", "4x8+"), name=lambda s: s.replace("/", "."))
def a_cluster_that_is_none(folder, spec):
    jobs(folder)
    needs_refusal(folder, [re.escape(spec)], cluster=spec)


# ---- policies ----


@check
def an_unknown_policy(folder):
    jobs(folder)
    needs_refusal(folder, ['"fifi"', "fifo"], policy="fifi")


@check
def an_unknown_setting(folder):
    jobs(folder)
    needs_refusal(folder, ['"quant_s"', "quantum_s"], policy="las:quant_s=3")


@check
def a_setting_that_is_no_number(folder):
    jobs(folder)
    needs_refusal(folder, ["quantum_s", '"long"'], policy="las:quantum_s=long")


@check
def a_setting_out_of_bounds(folder):
    jobs(folder)
    needs_refusal(folder, ["quantum_s", "-3"], policy="las:quantum_s=-3")


@check
def an_unknown_module(folder):
    jobs(folder)
    needs_refusal(folder, ['"fifi"', "fifo"], policy="order=fifi")


@check
def a_module_of_another_stage(folder):
    jobs(folder)
    module(folder, "bad.so")
    needs_refusal(folder, ["bad.so", "backfill", "order"], policy="order=./bad.so")


@check
def a_file_that_is_no_library(folder):
    jobs(folder)
    write(folder, "bad.so", "this is no library\n" * 100)
    needs_refusal(folder, ["bad.so"], policy="order=./bad.so")


@check
def a_library_that_is_no_module(folder):
    jobs(folder)
    build_module(folder, "bad.so", "int answer(void) { return 42; }\n")
    needs_refusal(folder, ["bad.so", "gy_policy_entry", "policy new"], policy="order=./bad.so")


@check
def a_module_that_is_not_there(folder):
    jobs(folder)
    needs_refusal(folder, ["none.so", "No such file"], policy="order=./none.so")


@check
def a_module_for_another_interface(folder):
    jobs(folder)
    module(folder, "bad.so", abi="99")
    needs_refusal(folder, ["bad.so", "99", "version 1", "build it anew"], policy="backfill=./bad.so")


@check
def a_module_that_starts_a_job_twice(folder):
    jobs(folder, text=f"{HEADER}\nj7,0,1,5\n")
    module(folder, "bad.so", stage="GY_STAGE_SCHEDULE", ops="&sops")
    needs_one_line(folder, ["run", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "--policy", "schedule=./bad.so",
                            "-o", "out"], ["bad", "j7"])


@check
def recorded_without_a_record(folder):
    jobs(folder)
    needs_one_line(folder, ["run", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "--policy", "recorded", "-o", "out"],
                   ["start_s"])


# ---- options ----


@check
def an_unknown_command(folder):
    needs_one_line(folder, ["rum"], ['"rum"', "run"])


@check_each(("trace", "cluster", "policy"))
def an_unknown_subcommand_of(folder, command):
    needs_one_line(folder, [command, "shwo"], ["shwo"])


@check
def an_unknown_option(folder):
    jobs(folder)
    needs_refusal(folder, ["--polizei"], more=["--polizei", "x"])


@check_each(("trace", "cluster", "policy"))
def a_missing_option(folder, option):
    jobs(folder)
    all_three = {"trace": "jobs.csv", "cluster": "1x4", "policy": "fifo"}
    words = [w for k, v in all_three.items() if k != option for w in (f"--{k}", v)]
    needs_one_line(folder, ["run", *words, "-o", "out"], [f"--{option}"])


BAD_OPTIONS = {"horizon": "soon", "window-start": "1x", "start-cost-s": "-1", "bounded-slowdown-tau": "0",
               "preempt-mode": "gently", "on-failure": "weep", "comm": "static", "seed": "-1", "tie-order": "x",
               "attempts": "all", "events": "none.csv", "quotas": "none.csv"}


@check_each(BAD_OPTIONS)
def a_bad_value_of(folder, option):
    jobs(folder)
    needs_refusal(folder, [f"--{option}" if BAD_OPTIONS[option] != "none.csv" else "none.csv",
                           re.escape(BAD_OPTIONS[option])], more=[f"--{option}={BAD_OPTIONS[option]}"])


@check
def a_bad_row_of_events(folder):
    jobs(folder)
    write(folder, "ev.csv", "time_s,event,target,value\n5,down,n9,\n")
    needs_refusal(folder, ["ev.csv:2", "n9"], more=["--events", "ev.csv"])


@check
def a_model_that_does_not_exist(folder):
    needs_one_line(folder, ["trace", "generate", "--model", "filly", "--jobs", "5", "-o", "x.csv"], ["filly", "philly"])


@check
def a_bad_row_is_refused_by_info_and_convert(folder):
    jobs(folder, text=f"{HEADER}\na,0,1,-5\n")
    needs_one_line(folder, ["trace", "info", "jobs.csv"], ["jobs.csv:2"])
    needs_one_line(folder, ["trace", "convert", "jobs.csv", "-o", "x.csv"], ["jobs.csv:2"])


# ---- where the output goes ----


def tiny_disk(folder, words):
    """Runs words in a folder out/ of 64 kB; the files that are left there follow in the output."""
    (folder / "out").mkdir()
    user = [] if os.geteuid() == 0 else ["-r"]
    script = 'mount -t tmpfs -o size=64k none out && { "$@"; code=$?; find out -mindepth 1; exit $code; }'
    probe = run(["unshare", *user, "-m", "sh", "-c", "mount -t tmpfs none out"], cwd=folder)
    if probe.code != 0:
        raise Skip("no file system can be mounted here")
    return run(["unshare", *user, "-m", "sh", "-c", script, "sh", *words], cwd=folder)


@check
def a_full_disk(folder):
    done = tiny_disk(folder, [program.BIN, "run", "-q", "--trace", program.SAMPLE, "--cluster", "20x8", "--policy", "fifo",
                              "-o", "out/run"])
    need(done.code == 2, str(done))
    need(re.fullmatch(r"gpuyard: out/run.*No space left on device.*\n", done.err), f"{done.err!r}")
    need(not done.out, f"it left {done.out.split()[:3]} behind")


@check
def a_full_disk_under_a_converted_trace(folder):
    done = tiny_disk(folder, [program.BIN, "trace", "convert", program.SAMPLE, "-o", "out/x.csv"])
    need(done.code == 2, str(done))
    need(re.search(r"^gpuyard: out/x.csv.*No space left on device", done.err, re.M), f"{done.err!r}")
    need(not done.out, f"it left {done.out.split()[:3]} behind")


@check
def a_limit_on_the_size_of_files(folder):
    done = run([program.BIN, "run", "-q", "--trace", program.SAMPLE, "--cluster", "20x8", "--policy", "fifo", "-o", "out"],
               cwd=folder, restore_signals=False,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)))
    need(done.code == 2, str(done))
    need(re.fullmatch(r"gpuyard: out.*File too large.*\n", done.err), f"{done.err!r}")
    need(not (folder / "out").exists(), "it left files behind")


def unprivileged():
    """Words before a command that take root's right to write everywhere."""
    if os.geteuid() != 0:
        return []
    if not shutil.which("setpriv"):
        raise Skip("setpriv is not installed")
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def locked(folder, name):
    (folder / name).mkdir()
    (folder / name).chmod(0o555)
    return name


def refused(folder, words):
    done = run([*unprivileged(), program.BIN, *words], cwd=folder)
    need(done.code == 2, str(done))
    need(re.fullmatch(r"gpuyard: locked.*Permission denied.*\n", done.err), f"{done.err!r}")
    need(not list((folder / "locked").iterdir()), "it left files behind")


@check
def a_folder_that_cannot_be_written(folder):
    locked(folder, "locked")
    refused(folder, ["run", "-q", "--trace", jobs(folder), "--cluster", "1x4", "--policy", "fifo", "-o", "locked/out"])
    refused(folder, ["run", "-q", "--trace", jobs(folder), "--cluster", "1x4", "--policy", "fifo", "-o", "locked"])


@check
def a_comparison_in_a_folder_that_cannot_be_written(folder):
    locked(folder, "locked")
    refused(folder, ["compare", "-q", "--trace", jobs(folder), "--cluster", "1x4", "-p", "fifo", "-o", "locked"])


@check
def a_generated_trace_in_a_folder_that_cannot_be_written(folder):
    locked(folder, "locked")
    refused(folder, ["trace", "generate", "--model", "philly", "--jobs", "5", "-o", "locked/x.csv"])


@check
def a_trace_that_cannot_be_read(folder):
    (folder / jobs(folder)).chmod(0)
    done = run([*unprivileged(), program.BIN, "trace", "info", "jobs.csv"], cwd=folder)
    need(done.code == 2 and done.err == "gpuyard: jobs.csv: cannot be opened: Permission denied\n", str(done))


@check
def an_output_folder_that_is_a_file(folder):
    jobs(folder)
    write(folder, "out", "mine\n")
    needs_refusal(folder, ["out", "Not a directory|is a file"])
    need((folder / "out").read_text() == "mine\n", "the file was changed")


@check
def an_output_file_that_is_no_file(folder):
    """A device, socket or pipe must not be replaced by a file."""
    os.mkfifo(folder / "pipe")
    jobs(folder)
    for words in (["trace", "convert", "jobs.csv"], ["trace", "generate", "--model", "philly", "--jobs", "5"]):
        done = gy(folder, *words, "-o", "pipe", seconds=20)
        need((folder / "pipe").is_fifo(), f"`{' '.join(words)} -o PIPE` replaced the pipe by a file")
        need(done.code == 2 and re.search("^gpuyard: pipe: ", done.err, re.M), str(done))


@check_each(("cluster list", "policy list", "trace info jobs.csv", "trace info --json jobs.csv",
             "run --trace jobs.csv --cluster 1x4 --policy fifo -o out",
             "run --json --trace jobs.csv --cluster 1x4 --policy fifo -o out"), name=lambda s: s.split(" --tr")[0].replace(" ", "-"))
def a_full_disk_under_standard_output_of(folder, words):
    jobs(folder)
    with open("/dev/full", "wb") as full:
        done = gy(folder, *words.split(), stdout=full)
    need(done.code != 0, f"`{words} >/dev/full` ends with 0 though its words are lost")


# ---- gnuplot ----


@check
def a_missing_gnuplot_costs_the_pictures_alone(folder):
    done = gy(folder, "compare", "--trace", jobs(folder), "--cluster", "1x4", "-p", "fifo", "-p", "sjf", "-o", "out",
              env={"PATH": str(folder / "nothing")})
    need(done.code == 0, str(done))
    warnings = [line for line in done.err.splitlines() if line.startswith("gpuyard: ")]
    need(len(warnings) == 1 and "gnuplot was not found" in warnings[0] and "install gnuplot" in warnings[0],
         f"warnings are {warnings}")
    kinds = {p.suffix for p in (folder / "out/plots").iterdir()}
    need(kinds == {".csv", ".gp"}, f"plots/ holds {kinds}")
    need((folder / "out/report.html").is_file(), "no report.html")
