"""test_runs.py - runs that once went wrong: estimates that change, windows, interruption, what is left in a folder.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import os
import re
import signal
import subprocess
import time
from pathlib import Path

import program
from checks import check, check_each, need
from program import HEADER, gy, gy_ok, jobs, sample

CHECKED = {"GY_CHECK": "1"}


@check_each(("easy:estimate=history", "srtf:estimate=history", "order=sjf,evict=priority,estimate=history",
             "srtf:estimate=noisy:0.5", "order=srtf,evict=srtf,backfill=easy,estimate=noisy:2",
             "conservative:evict=priority,estimate=history", "srsf:estimate=noisy:1"))
def estimates_that_are_wrong_break_nothing(folder, policy):
    gy_ok(folder, "trace", "generate", "--model", "philly", "--jobs", "400", "--gpus", "16", "--load", "0.9", "--seed", "3",
          "-o", "trace.csv")
    gy_ok(folder, "run", "-q", "--trace", "trace.csv", "--cluster", "2x8", "-p", policy, "-o", "out", env=CHECKED)


def starts(folder):
    rows = [line.split(",") for line in (folder / "out/jobs.csv").read_text().splitlines()]
    at = {name: i for i, name in enumerate(rows[0])}
    return {row[at["job_id"]]: row[at["start_s"]] for row in rows[1:]}


@check_each((35, 50, 65))
def a_replay_may_begin_in_a_window(folder, window):
    jobs(folder, text=f"{HEADER},start_s,end_s\na,0,1,100,10,110\nb,20,1,100,30,130\nc,60,1,10,110,120\n")
    gy_ok(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "1x2", "-p", "recorded", "--window-start", str(window),
          "-o", "out", env=CHECKED)
    need(starts(folder) == {"a": "10", "b": "30", "c": "110"}, str(starts(folder)))


@check_each(("eligible_s", "after"))
def a_log_that_starts_a_job_before_it_is_eligible_is_no_fault_of_ours(folder, column):
    rows = {"eligible_s": "a,0,2,10,2,0\n", "after": "9,0.8,0,0,,\na,0.5,1,10,9,0.5\n"}
    jobs(folder, text=f"{HEADER},{column},start_s\n{rows[column]}")
    gy_ok(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "3x2", "-p", "fifo", "--window-start", "1", "-o", "out",
          env=CHECKED)
    need(starts(folder)["a"] == {"eligible_s": "2", "after": "1"}[column], str(starts(folder)))


@check
def what_a_window_begins_with_is_in_the_decisions(folder):
    jobs(folder, text=f"{HEADER},start_s,end_s\na,0,1,100,10,110\nb,20,1,10,30,40\n")
    gy_ok(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "1x2", "-p", "fifo", "--window-start", "35", "--decisions",
          "-o", "out")
    text = subprocess.run(["gzip", "-dc", folder / "out/decisions.jsonl.gz"], capture_output=True, text=True, check=True).stdout
    what = re.findall(r'"what":"(\w+)","job":"(\w)"', text)
    need(sorted(what) == [("end", "a"), ("end", "b"), ("load", "a"), ("load", "b")], str(what))


@check
def a_window_may_lie_behind_all_that_happens(folder):
    jobs(folder, text=f"{HEADER}\na,0,1,2\n")
    program.write(folder, "events.csv", "time_s,event,target,value\n1,down,n0,\n")
    gy_ok(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "1x1", "-p", "fifo", "--events", "events.csv",
          "--on-failure", "wait", "--window-start", "25", "-o", "out", env=CHECKED)


@check
def times_that_add_up_to_more_than_is_counted_are_an_error(folder):
    jobs(folder, text=HEADER + "\n" + "".join(f"{i},0,1,1100000000000\n" for i in range(12)))
    done = gy(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "1x1", "-p", "fifo", "-o", "out")
    need(done.code == 2 and re.fullmatch("gpuyard: jobs.csv: [^\n]*\n", done.err), str(done))


@check_each((("no users", "drf", [], "names no users"), ("nobody", "fifo", ["--window-start=1000000"], "figures"),
             ("elsewhere", "recorded", [], "could not be placed where")), name=lambda x: x[0].replace(" ", "-"))
def a_warning_says_what_a_table_hides(folder, case):
    _, policy, options, words = case
    jobs(folder, text=f"{HEADER},start_s,placed\na,0,2,10,0,n0:0-1\nc,0,2,10,3,n0:1-2\n")
    done = gy_ok(folder, "run", "--trace", "jobs.csv", "--cluster", "2x8", "-p", policy, *options, "-o", "out")
    need(re.search(f"^gpuyard: warning: .*{words}", done.err, re.M), done.err)


# ---- folders ----


@check
def a_link_stays_a_link(folder):
    jobs(folder)
    (folder / "real.csv").write_text("old")
    (folder / "link.csv").symlink_to("real.csv")
    gy_ok(folder, "trace", "convert", "jobs.csv", "-o", "link.csv")
    need((folder / "link.csv").is_symlink() and (folder / "real.csv").read_text().startswith("job_id"), "the link is gone")


@check
def a_folder_in_the_way_stops_all_files(folder):
    jobs(folder)
    (folder / "out/jobs.csv").mkdir(parents=True)
    done = gy(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "-p", "fifo", "-o", "out")
    need(done.code == 2 and re.fullmatch("gpuyard: out/jobs.csv: [^\n]*\n", done.err), str(done))
    need([p.name for p in (folder / "out").iterdir()] == ["jobs.csv"], "other files were written")


def start_long(folder, command):
    words = {"run": ["-p", "fifo"], "compare": ["-p", "fifo", "-p", "las:quantum_s=0.001"]}[command]
    sample(folder)
    child = subprocess.Popen([program.BIN, command, "-q", "--trace", "trace.csv.gz", "--cluster", "20x8", "-o", "out",
                              *(words if command == "compare" else ["-p", "las:quantum_s=0.001"])], cwd=folder,
                             start_new_session=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and not list(folder.glob("out/.partial-*")):
        time.sleep(0.01)
    time.sleep(0.2)
    return child


def alive_in(session):
    """Processes of the session that are no zombies."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, of, *_ = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it is over
            continue
        if of == str(session) and state != "Z":
            found.append(stat.parent.name)
    return found


def left(folder):
    return sorted(p.name for p in (folder / "out").iterdir())


@check_each(("run", "compare"))
def a_run_that_is_told_to_stop_leaves_nothing(folder, command):
    child = start_long(folder, command)
    os.kill(child.pid, signal.SIGTERM)
    need(child.wait(30) == -signal.SIGTERM, f"it ended with {child.returncode}")
    time.sleep(0.3)
    need(not left(folder), f"it left {left(folder)}")
    need(not alive_in(child.pid), f"processes {alive_in(child.pid)} run on")


@check
def what_a_killed_run_leaves_goes_with_the_next(folder):
    child = start_long(folder, "run")
    os.kill(child.pid, signal.SIGKILL)
    child.wait(30)
    need(len(left(folder)) == 1, f"out/ holds {left(folder)}")
    gy_ok(folder, "run", "-q", "--trace", "trace.csv.gz", "--cluster", "20x8", "-p", "fifo", "-o", "out", "--horizon", "1d")
    need(not [name for name in left(folder) if name.startswith(".")], f"out/ holds {left(folder)}")
