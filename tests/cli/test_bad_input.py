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
    needs_refusal(folder, ["jobs.csv", "is empty", "needs? a header line|has a header line"])


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
    "finer_than_a_microsecond": ("", "a,0.0000001,1,5", ["jobs.csv:2", "submit_s", "0.0000001", "at most six digits"]),
    "share_finer_than_a_thousandth": ("", "a,0,0.0001,5", ["jobs.csv:2", "gpus", "0.0001", "at most three digits"]),
    "priority_with_a_point": (",priority", "a,0,1,5,1.5", ["jobs.csv:2", "priority", "1.5", "not a whole number"]),
    "priority_of_twenty_digits": (",priority", f"a,0,1,5,{'9' * 20}", ["jobs.csv:2", "priority", "at most 18 digits"]),
    "cpus_finer_than_a_millionth": (",cpus", "a,0,1,5,1e-7", ["jobs.csv:2", "cpus", "1e-7", "at most six digits"]),
    "max_gpus_with_a_point": (",max_gpus", "a,0,1,5,1.5", ["jobs.csv:2", "max_gpus", "1.5", "not a whole number"]),
    "missing_cell": ("", "a,0,1", ["jobs.csv:2", "3 cells", "header has 4", "its comma must stand"]),
    "cell_too_many": ("", "a,0,1,5,6", ["jobs.csv:2", "5 cells", "header has 4", "in quotes"]),
    "open_quote": ("", '"a,0,1,5', ["jobs.csv:2", "quote", "put another \""]),
    "start_before_its_submission": (",start_s", "a,7,1,5,3", ["jobs.csv:2", "start_s", "submitted or later"]),
    "missing_id": ("", ",0,1,5", ["jobs.csv:2", "job_id"]),
    "same_id_twice": ("", "a,0,1,5\na,1,1,5", ["jobs.csv:3", '"a"']),
    "unknown_state": (",state", "a,0,1,5,done", ["jobs.csv:2", "state", "done", "completed"]),
    "unknown_level": (",require", "a,0,1,5,rack", ["jobs.csv:2", "require", "rack", "leaf"]),
    "unknown_predecessor": (",after", "a,0,1,5,b", ["jobs.csv:2", "after", '"?b"?']),
    "number_too_large": ("", "a,99999999999999999999,1,5", ["jobs.csv:2", "submit_s", "at most 1152921504606 s"]),
    "time_too_far_away": ("", "a,9000000000000,1,5", ["jobs.csv:2", "submit_s", "at most 1152921504606 s"]),
    "too_many_gpus": ("", "a,0,4294967296,5", ["jobs.csv:2", "gpus", "4294967296", "at most 4294967 GPUs"]),
    "too_many_tasks": (",tasks", "a,0,0,5,4294967296", ["jobs.csv:2", "tasks", "4294967296", "at most 4294967295"]),
}


@check_each(BAD_ROWS)
def a_row_with(folder, what):
    header, row, names = BAD_ROWS[what]
    jobs(folder, text=f"{HEADER}{header}\n{row}\n")
    needs_refusal(folder, names)


UNSIMULATED = {"mig": ("1g.5gb", "a share of a GPU instead"), "require": ("socket", "use node instead")}


@check_each(UNSIMULATED)
def a_request_that_is_not_simulated_by(folder, column):
    """The job is named with its row; the table of jobs knows no lines."""
    value, remedy = UNSIMULATED[column]
    jobs(folder, text=f"{HEADER},{column}\nb,0,1,5,\na,0,1,5,{value}\n")
    write(folder, "c.json", '{"nodes": [{"gpus": 8, "sockets": 2}]}')
    needs_refusal(folder, ["jobs.csv", 'job "a"', "row 2 below the header", remedy], cluster="c.json", more=["-q"])


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
    "broken_json": ('{"nodes":\n[{"count": 1, "gpus": 4}', ["c.json:2", "ends too early", r"the \[ of line 2"]),
    "one_brace": ("{", ["c.json:1", "ends too early", "the { of line 1"]),
    "trailing_comma": ('{"nodes": [{"gpus": 4}],\n}', ["c.json:2", '"}"', "take the comma out"]),
    "trailing_comma_in_a_list": ('{"nodes": [{"gpus": 4},\n]}', ["c.json:2", r'"\]}"', "take the comma out"]),
    "missing_comma": ('{"nodes": [{"gpus": 4\n"count": 2}]}', ["c.json:2", "a comma or a closing }", "count"]),
    "missing_colon": ('{"nodes"\n[{"gpus": 4}]}', ["c.json:2", "a colon is expected"]),
    "single_quotes": ("{'nodes': []}", ["c.json:1", "in double quotes", "'nodes'"]),
    "open_quote": ('{"nodes": [{"gpu_type": "h100}]}', ["c.json:1", "quote in front of h100", "is not closed"]),
    "trailing_text": ('{"nodes": [{"gpus": 4}]}\n}', ["c.json:2", "the end is expected", '"}"']),
    "too_fine_a_number": ('{"nodes": [{"gpus": 4, "cpus": 1e-7}]}', ["c.json", "cpus", "1e-07", "at most six digits"]),
    "too_much_memory": ('{"nodes": [{"gpus": 4, "mem_gb": 1e7}]}', ["c.json", '"mem_gb" is 10000000', "at most 1000000"]),
    "unknown_key": ('{"nodes": [{"gpus": 4, "cout": 3}]}', ["c.json", "cout", "count"]),
    "no_nodes": ('{"name": "x"}', ["c.json", "nodes"]),
    "negative_count": ('{"nodes": [{"gpus": 4, "count": -1}]}', ["c.json", "count", "-1"]),
    "unknown_type": ('{"nodes": [{"type": "dgx-h10"}]}', ["c.json", "dgx-h10", "dgx-h100"]),
    "text_for_a_number": ('{"nodes": [{"gpus": "four"}]}', ["c.json", "gpus", "a whole number, not \"four\""]),
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


@check_each(("2x8:h100:x", "2x8:h100@x", "node:2 gpu:8@h100:x"), name=lambda s: s.replace(":", "."))
def a_type_of_gpus_that_goes_on(folder, spec):
    jobs(folder)
    needs_one_line(folder, ["run", "--trace=jobs.csv", f"--cluster={spec}", "--policy=fifo", "-o", "out"],
                   [re.escape(spec), "goes on", "as in"])


UNKNOWN_TYPES = {"2x8:h10O": ('"h10O"', "h100|a10"), "2x8:xyzzyplugh": ('"xyzzyplugh"', "cluster list"),
                 "node:2 gpu:8@h200x": ('"h200x"', '"h200"'), "2x8:h100": (), "2x8:misc": (), "2x8": (),
                 "alibaba-2026": (), "own.json": (), "typo.json": ('"h10x"',)}


@check_each(UNKNOWN_TYPES, name=lambda s: s.replace(":", "."))
def a_warning_of_unknown_gpus_for(folder, spec):
    """A type that the catalogue does not know is allowed, as traces have odd ones, but it may be a slip."""
    write(folder, "own.json", '{"nodes": [{"gpus": 4, "gpu_type": "mine", "gpu_mem_gb": 12}]}')
    write(folder, "typo.json", '{"nodes": [{"gpus": 4, "gpu_type": "h10x"}]}')
    done = gy(folder, "run", "--trace", jobs(folder), f"--cluster={spec}", "--policy", "fifo", "-o", "out")
    need(done.code == 0, str(done))
    warnings = [line for line in done.err.splitlines() if line.startswith("gpuyard: warning: ")]
    names = UNKNOWN_TYPES[spec]
    need(len(warnings) == (1 if names else 0), f"warnings are {warnings}")
    for name in names:
        need(re.search(name, warnings[0]), f"nothing matches {name!r} in {warnings[0]!r}")


# ---- policies ----


@check_each(("order=fifo,order=sjf", "fifo:order=sjf,place=spread,order=fifo", "mine.json"))
def a_stage_that_is_given_twice(folder, spec):
    jobs(folder)
    write(folder, "mine.json", '{"order": "fifo", "place": "pack", "order": "sjf"}')
    needs_refusal(folder, [re.escape(spec), "order is given twice", '"fifo"', '"sjf"', "leave one out"], policy=spec)


@check_each(("quantum_s", "order.quantum_s"))
def a_setting_that_is_given_twice(folder, key):
    jobs(folder)
    needs_refusal(folder, [f"{key} is given twice", '"60"', '"70"', "leave one out"], policy=f"las:{key}=60,{key}=70")


@check
def a_setting_that_differs_from_its_preset(folder):
    """That is no repetition: what is written behind the preset's name holds."""
    write(folder, "mine.json", '{"order": "las", "quantum_s": "60"}')
    done = gy(folder, "run", "-q", "--trace", jobs(folder), "--cluster", "1x4", "--policy", "mine.json:quantum_s=70",
              "-o", "out")
    need(done.code == 0, str(done))


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


BAD_EVENTS = {
    "finer_than_a_microsecond": ("1e-7,down,n0,", ["ev.csv:2", "time_s", "1e-7", "at most six digits"]),
    "time_too_far_away": ("9000000000000,down,n0,", ["ev.csv:2", "time_s", "at most 1152921504606 s"]),
    "word_for_a_time": ("soon,down,n0,", ["ev.csv:2", "time_s", "soon", "give seconds"]),
    "missing_cell": ("5,down,n0", ["ev.csv:2", "3 cells", "header has 4", "its comma must stand"]),
}


@check_each(BAD_EVENTS)
def events_with(folder, what):
    row, names = BAD_EVENTS[what]
    jobs(folder)
    write(folder, "ev.csv", f"time_s,event,target,value\n{row}\n")
    needs_refusal(folder, names, more=["--events", "ev.csv"])


@check
def a_model_that_does_not_exist(folder):
    needs_one_line(folder, ["trace", "generate", "--model", "filly", "--jobs", "5", "-o", "x.csv"], ["filly", "philly"])
    needs_one_line(folder, ["trace", "generate", "--model", "xyzzyplugh", "--jobs", "5", "-o", "x.csv"],
                   ["xyzzyplugh", "there are philly, "])


BAD_QUOTAS = {
    "no_days": ("", ["q.csv: ", "holds no days", "must follow the header"]),
    "missing_cell": ("2020-04-01,3", ["q.csv:2", "2 cells", "header has 3", "its comma must stand"]),
    "too_fine_a_number": ("2020-04-01,0.0001,1", ["q.csv:2", "a: ", "0.0001", "at most three digits"]),
    "wrong_total": ("2020-04-01,3,4", ["q.csv:2", '"4"', "add up to 3", "leave the column total out"]),
    "days_out_of_order": ("2020-04-02,3,3\n2020-04-01,3,3", ["q.csv:3", "2020-04-01", "sort the rows by date"]),
}


@check_each(BAD_QUOTAS)
def quotas_with(folder, what):
    rows, names = BAD_QUOTAS[what]
    write(folder, "log.csv", "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-03 01:00:00,60,1,60,a\n")
    write(folder, "q.csv", f"date,a,total\n{rows}\n")
    needs_refusal(folder, names, trace="log.csv", more=["--quotas", "q.csv"])


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
