"""test_words.py - what the program says when all is well: help, lists, exit codes, silence.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import re
import subprocess

import program
from checks import check, check_each, need
from program import HEADER, JOBS, gy, gy_ok, jobs

COMMANDS = ("run", "compare", "trace", "trace info", "trace convert", "trace generate", "cluster", "cluster list",
            "cluster show", "policy", "policy list", "policy show", "policy check", "policy new")


@check_each(("",) + COMMANDS, name=lambda c: c.replace(" ", "-") or "gpuyard")
def help_goes_to_standard_output(folder, command):
    done = gy_ok(folder, *command.split(), "--help")
    need(done.out.startswith("Usage: gpuyard") and not done.err, f"{done.err!r} on standard error")
    long = [line for line in done.out.splitlines() if len(line) > 120]
    need(not long, f"a line of {max(map(len, long), default=0)} characters: {long[:1]}")


@check
def help_names_every_command(folder):
    text = gy_ok(folder, "--help").out
    for command in COMMANDS:
        need(re.search(rf"\b{command.split()[0]}\b", text), f"{command} is not named")
    for code in "0234":
        need(re.search(rf"\b{code} [a-z]", text), f"exit code {code} is not explained")


@check
def version_names_program_and_interface(folder):
    need(re.fullmatch(r"gpuyard \d+\.\d+\.\d+ \(policy interface \d+\)\n", gy_ok(folder, "--version").out), "other words")


@check
def no_command_is_wrong_usage(folder):
    done = gy(folder)
    need(done.code == 2 and done.err.startswith("Usage: gpuyard") and not done.out, str(done))


@check
def every_listed_policy_can_be_shown_and_runs(folder):
    text = gy_ok(folder, "policy", "list").out
    names = re.findall(r"^  (\S+)", text.split("\n\n")[0], re.M)
    need(len(names) >= 10, f"only {names}")
    jobs(folder, text=JOBS.replace(",limit_s", ",limit_s,start_s,end_s").replace("20\n", "20,0,10\n").replace(
        "6\n", "6,10,15\n").replace("9\n", "9,15,20\n").replace("r,5\n", "r,5,20,25\n"))
    for name in names:
        shown = gy_ok(folder, "policy", "show", name).out
        need(shown.startswith(f"{name}: reads K"), f"{name}: {shown[:60]!r}")
        gy_ok(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "--policy", name, "-o", f"out/{name}")


@check
def every_listed_cluster_can_be_shown(folder):
    text = gy_ok(folder, "cluster", "list").out
    names = re.findall(r"^  (\S+)", text, re.M)
    need(len(names) >= 40, f"only {len(names)} entries")
    for name in names:
        need(name in gy_ok(folder, "cluster", "show", name).out, f"{name}: not in its own description")


@check
def shorthand_of_a_catalogue_node_can_be_shown(folder):
    need("160 GPUs" in gy_ok(folder, "cluster", "show", "20xdgx-h100").out, "20xdgx-h100 has not 160 GPUs")


@check
def quiet_prints_nothing(folder):
    done = gy_ok(folder, "run", "-q", "--trace", jobs(folder), "--cluster", "1x4", "--policy", "fifo", "-o", "out")
    need(not done.out and not done.err, f"it said {done.out + done.err!r}")


@check
def a_run_says_where_its_files_are(folder):
    done = gy_ok(folder, "run", "--trace", jobs(folder), "--cluster", "1x4", "--policy", "las:quantum_s=5")
    need("files: out/las_quantum_s_5\n" in done.out, f"{done.out[-200:]!r}")
    found = sorted(p.name for p in (folder / "out/las_quantum_s_5").iterdir())
    need(found == ["jobs.csv", "manifest.json", "perf.json", "queues.csv", "summary.json", "timeline.csv", "users.csv"],
         f"files are {found}")


@check
def json_of_a_run_is_its_summary(folder):
    done = gy_ok(folder, "run", "--json", "--trace", jobs(folder), "--cluster", "1x4", "--policy", "fifo", "-o", "out")
    need(done.out == (folder / "out/summary.json").read_text(), "other bytes than summary.json")


@check
def json_of_a_comparison_is_its_file(folder):
    done = gy_ok(folder, "compare", "--json", "--trace", jobs(folder), "--cluster", "1x4", "-p", "fifo", "-p", "sjf",
                 "-o", "out")
    need(done.out == (folder / "out/compare.json").read_text(), "other bytes than compare.json")


@check
def a_summary_has_the_same_keys_when_nothing_runs(folder):
    def keys(tree, at=""):
        if not isinstance(tree, dict):
            return {at}
        return set().union(*(keys(v, f"{at}.{k}") for k, v in tree.items()))

    sets = []
    for name, text in (("all", JOBS), ("none", f"{HEADER}\n1,0,64,5\n"), ("empty", f"{HEADER}\n")):
        jobs(folder, f"{name}.csv", text)
        gy_ok(folder, "run", "-q", "--trace", f"{name}.csv", "--cluster", "1x4", "--policy", "fifo", "-o", name)
        sets.append(keys(json.loads((folder / name / "summary.json").read_text())))
    need(len(sets[0]) > 50, f"only {len(sets[0])} keys")
    need(sets[0] == sets[1] == sets[2], f"keys differ: {sorted((sets[0] ^ sets[1]) | (sets[0] ^ sets[2]))[:5]}")


@check
def infeasible_jobs_are_3_on_request(folder):
    jobs(folder, text=f"{HEADER}\n1,0,8,5\n2,1,1,5\n")
    words = ("run", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "--policy", "fifo", "-o", "out")
    need(gy(folder, *words).code == 0, "not 0 without the option")
    done = gy(folder, *words, "--fail-on-infeasible")
    need(done.code == 3, str(done))
    need((folder / "out/jobs.csv").is_file(), "its files are not there")


@check
def a_comparison_passes_3_on(folder):
    jobs(folder, text=f"{HEADER}\n1,0,8,5\n2,1,1,5\n")
    done = gy(folder, "compare", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "-p", "fifo", "-p", "sjf", "-o", "out",
              "--fail-on-infeasible")
    need(done.code == 3, str(done))


@check
def no_progress_is_4(folder):
    """Each of two jobs stops the other again and again, and neither keeps its work."""
    jobs(folder, text=f"{HEADER}\n1,0,1,1000\n2,0,1,1000\n")
    done = gy(folder, "run", "--trace", "jobs.csv", "--cluster", "1x1", "--policy", "las:quantum_s=1", "--preempt-mode",
              "kill", "-o", "out")
    need(done.code == 4, str(done))
    last = done.err.splitlines()[-1]
    need(last.startswith("gpuyard: ") and "progress" in last, last)
    need(not (folder / "out").exists(), "it left files behind")


@check
def a_comparison_goes_on_past_a_policy_that_cannot_run(folder):
    done = gy_ok(folder, "compare", "--trace", jobs(folder), "--cluster", "1x4", "-p", "recorded", "-p", "fifo", "-o", "out")
    row = next(line for line in done.out.splitlines() if line.startswith("recorded"))
    need("n/a" in row, f"its row is {row!r}")


@check
def a_second_run_into_the_same_folder_replaces_its_files(folder):
    words = ("--cluster", "1x4", "--policy", "fifo", "-o", "out")
    gy_ok(folder, "run", "-q", "--trace", jobs(folder), *words)
    gy_ok(folder, "run", "-q", "--trace", jobs(folder, "one.csv", f"{HEADER}\n7,0,1,5\n"), *words)
    need((folder / "out/jobs.csv").read_text().count("\n") == 2, "jobs.csv is not that of the second run")


@check
def a_trace_comes_from_standard_input(folder):
    jobs(folder)
    with open(folder / "jobs.csv", "rb") as f:
        p = subprocess.run([str(program.BIN), "trace", "info", "--json", "-"], stdin=f, capture_output=True, cwd=folder)
    need(p.returncode == 0 and json.loads(p.stdout)["import"]["rows_read"] == 4, p.stderr.decode())


@check
def a_converted_trace_converts_to_itself(folder):
    gy_ok(folder, "trace", "convert", jobs(folder), "-o", "one.csv")
    gy_ok(folder, "trace", "convert", "one.csv", "-o", "two.csv.gz")
    gy_ok(folder, "trace", "convert", "two.csv.gz", "-o", "three.csv")
    need((folder / "one.csv").read_bytes() == (folder / "three.csv").read_bytes(), "another trace")


@check
def a_comparison_leaves_nothing_but_its_files(folder):
    for _ in range(2):
        gy_ok(folder, "compare", "-q", "--trace", jobs(folder), "--cluster", "1x4", "-p", "fifo", "-p", "sjf", "-o", "out")
        found = sorted(p.name for p in (folder / "out").iterdir())
        need(found == ["compare.csv", "compare.json", "plots", "report.html", "runs"], f"out/ holds {found}")
        found = sorted(p.name for p in (folder / "out/runs").iterdir())
        need(found == ["fifo", "sjf"], f"out/runs/ holds {found}")
