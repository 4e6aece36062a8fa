#!/usr/bin/env python3
"""Random small scenarios: the program against the naive model, job by job.

    fuzz.py --bin PATH [--profile NAME ...] [--seed S] [--count N] [--jobs J]
    fuzz.py --bin PATH --profile NAME --seed S --case I       one case of a run again
    fuzz.py --bin PATH --scenario FILE                        a scenario that was kept

Each profile stresses one area. A case is made from (profile, seed, its number) alone, so it can be made again. On a
difference the scenario is shrunk as far as it goes, the files of the smallest one are kept, and the command that shows
the difference is printed. Exit 0: no difference; 1: a difference; 2: bad usage; 77: nothing to test with.
"""

import argparse
import copy
import csv
import json
import multiprocessing
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

sys.dont_write_bytecode = True  # leave no files beside the sources
import model  # noqa: E402

COLUMNS = ["job_id", "submit_s", "gpus", "duration_s", "user", "queue", "limit_s", "priority", "state", "gpu_type",
           "gpu_mem_gb", "cpus", "mem_gb", "tasks", "require", "prefer", "checkpoint_s", "after", "deadline_s",
           "eligible_s", "preemptible"]
JOB_FIELDS = ["state", "eligible_s", "start_s", "end_s", "placed", "run_s", "first_wait_s", "total_wait_s", "jct_s",
              "preemptions", "restarts", "lost_gpu_s"]

# ------------------------------------------------------------------------------------------------------ the scenarios


class Maker:
    """Draws one scenario; `has` says how likely each feature of a job is in this profile."""

    def __init__(self, rng, **has):
        self.rng, self.has = rng, has

    def chance(self, name, default=0.0):
        return self.rng.random() < self.has.get(name, default)

    def span(self, low, high):
        """A time in seconds: mostly whole, so that things coincide, sometimes not."""
        rng = self.rng
        value = rng.randint(low, high)
        kind = rng.random()
        if kind < 0.88 or not self.fine:
            return str(value)
        if kind < 0.95:
            return model.seconds(value * 1_000_000 + rng.choice([250000, 500000]))
        return model.seconds(value * 1_000_000 + rng.choice([1, 2, 999999]))

    def cluster(self):
        rng = self.rng
        nodes = []
        typed = self.chance("types")
        cpus, mem = self.chance("cpus"), self.chance("mem")
        mixed = rng.random() < 0.15
        owned = self.chance("domains")
        leaves = self.chance("leaves")
        total = rng.choice([1, 1, 2, 2, 3, 3, 4, 6])
        while total > 0:
            count = min(total, rng.choice([1, 1, 2, 3]))
            total -= count
            group = {"count": count, "gpus": rng.choice([1, 2, 2, 3, 4, 4, 8])}
            if typed:
                group["gpu_type"] = rng.choice(["h100", "t4", "a100"])
            if cpus and not (mixed and rng.random() < 0.3):
                group["cpus"] = rng.choice([2, 4, 8, 16])
            if mem and not (mixed and rng.random() < 0.3):
                group["mem_gb"] = rng.choice([8, 16, 64])
            if leaves and rng.random() < 0.9:
                group["leaf"] = rng.choice(["l0", "l1", "l2"])
            if owned and rng.random() < 0.5:
                group["queue"] = rng.choice(["q0", "q1"])
            nodes.append(group)
        cluster = {"nodes": nodes}
        owners = sorted({g["queue"] for g in nodes if "queue" in g})
        if owners:
            cluster["queues"] = [{"name": q} for q in owners]
        if self.chance("quotas"):
            some = [q for q in ("q0", "q1", "q2") if rng.random() < 0.7] or ["q0"]
            cluster["queues"] = [{"name": q, "quota": rng.choice([0, 1, 2, 3, 4, 6])} if q in some else {"name": q}
                                 for q in ("q0", "q1", "q2") if q in some or q in owners]
        return cluster

    def job(self, number):
        rng = self.rng
        row = {"submit_s": self.span(0, self.late)}
        kind = rng.random()
        biggest = self.all_gpus
        if kind < self.has.get("cpu_jobs", 0):
            row["gpus"] = "0"
        elif kind < self.has.get("cpu_jobs", 0) + self.has.get("shares", 0):
            row["gpus"] = rng.choice(["0.1", "0.2", "0.25", "0.3", "0.4", "0.5", "0.6", "0.7", "0.9"])
        else:
            top = rng.choice([2, 4, biggest, biggest, biggest + 1 if rng.random() < 0.2 else biggest])
            row["gpus"] = str(rng.randint(1, max(1, top)))
        row["duration_s"] = "0" if self.chance("zero", 0.04) else self.span(1, self.longest)
        if self.chance("users", 0.3):
            row["user"] = rng.choice(["u", "v", "w"])
        if self.chance("queues"):
            row["queue"] = rng.choice(["q0", "q1", "q2"])
        if self.chance("limits", 0.15):
            duration = model.micro(row["duration_s"])
            how = rng.random()
            if how < 0.45:
                row["limit_s"] = model.seconds(duration + rng.randint(0, 5) * 1_000_000) if duration else "3"
            elif how < 0.7 and duration:
                row["limit_s"] = row["duration_s"]
            else:
                row["limit_s"] = self.span(1, 2 * self.longest)
        if self.chance("priorities", 0.1):
            row["priority"] = str(rng.choice([-1, 1, 1, 2, 3, 5]))
        if self.chance("states", 0.1):
            row["state"] = rng.choice(["failed", "killed", "completed"])
        gpus = row["gpus"]
        if self.chance("job_types") and gpus != "0":
            row["gpu_type"] = rng.choice(["h100", "t4", "h100|t4", "a100|h100", "H100"])
        if self.chance("gpu_mem") and gpus != "0":
            row["gpu_mem_gb"] = rng.choice(["4", "8", "10", "16", "20", "40", "79.5", "90"])
        if self.chance("job_cpus"):
            row["cpus"] = rng.choice(["1", "2", "3", "4", "6", "8", "0.5"])
        if self.chance("job_mem"):
            row["mem_gb"] = rng.choice(["1", "2", "4", "7", "10", "16"])
        if self.chance("tasks"):
            if gpus == "0":
                row["tasks"] = rng.choice(["1", "2", "3"])
            elif not gpus.startswith("0."):
                row["tasks"] = str(rng.choice([k for k in range(1, int(gpus) + 1) if int(gpus) % k == 0]))
        if self.chance("require"):
            row["require"] = rng.choice(["node", "node", "leaf", "any"])
        if self.chance("prefer"):
            row["prefer"] = rng.choice(["node", "leaf", "any"])
        if self.chance("checkpoints"):
            row["checkpoint_s"] = rng.choice(["1", "2", "3", "4", "5", "7", "1.5", "30"])
        if self.chance("after") and number:
            some = rng.sample(range(number), min(number, rng.choice([1, 1, 1, 2, 3])))
            row["after"] = ";".join(self.ids[i] for i in some)
        if self.chance("deadlines", 0.05):
            row["deadline_s"] = self.span(0, 60)
        if self.chance("eligible"):
            row["eligible_s"] = self.span(0, self.late + 10)
        if self.chance("fixed"):
            row["preemptible"] = "0"
        row["job_id"] = self.ids[number]
        return row

    def cluster_events(self):
        rng = self.rng
        events = []
        names = []
        for group in self.shape["nodes"]:
            for _ in range(group.get("count", 1)):
                names.append((f"n{len(names)}", group["gpus"]))
        if self.chance("failures"):
            for _ in range(rng.randint(1, 4)):
                name, gpus = rng.choice(names)
                if rng.random() < 0.35:
                    name += f":{rng.randrange(gpus)}"
                leaf = [g["leaf"] for g in self.shape["nodes"] if "leaf" in g]
                if leaf and rng.random() < 0.1:
                    name = rng.choice(leaf)
                bad, good = rng.choice([("down", "up"), ("down", "up"), ("drain", "undrain")])
                at = rng.randint(0, 30)
                events.append((str(at), bad, name, ""))
                if rng.random() < 0.9:
                    events.append((str(at + rng.choice([0, 1, 2, 5, 10, 20])), good, name, ""))
        if self.chance("quota_events"):
            for _ in range(rng.randint(1, 3)):
                events.append((self.span(0, 30), "quota", rng.choice(["q0", "q1", "q2"]), str(rng.randint(0, 6))))
        events.sort(key=lambda e: model.micro(e[0]))
        return [dict(zip(("time_s", "event", "target", "value"), e)) for e in events]

    def options(self):
        rng = self.rng
        out = {}
        if self.chance("costs"):
            for name in ("start", "restore", "checkpoint"):
                if rng.random() < 0.6:
                    out[f"{name}-cost-s"] = rng.choice(["1", "2", "3", "0.5", "10"])
        if self.chance("kill"):
            out["preempt-mode"] = "kill"
        if self.chance("on_failure"):
            out["on-failure"] = rng.choice(["fail", "wait", "requeue"])
        if self.chance("windows"):
            if rng.random() < 0.5:
                out["horizon"] = self.span(1, 60)
            if rng.random() < 0.4:
                out["window-start"] = self.span(0, 25)
            if rng.random() < 0.4:
                out["window-end"] = self.span(26, 80)
            times = [model.micro(out[k]) for k in ("window-start", "window-end", "horizon") if k in out]
            if any(a >= b for a, b in zip(times, times[1:])):
                out = {k: v for k, v in out.items() if k != "horizon"}
        return out

    def policy(self):
        rng = self.rng
        named = self.has["policies"]
        choice = rng.choice(named)
        if choice != "compose":
            name, _, settings = choice.partition(":")
        else:
            order = rng.choice(self.has.get("orders", ["fifo", "priority", "sjf", "ljf", "srtf", "srsf", "las",
                                                       "tiresias", "drf"]))
            evict = rng.choice(self.has.get("evicts", ["none", "none", "priority", "srtf"]))
            backfill = rng.choice(self.has.get("backfills", ["strict", "skip", "easy", "conservative"]))
            name, settings = f"order={order},evict={evict},backfill={backfill}", ""
        settings = [s for s in settings.split(",") if s]
        uses = name + "," + ",".join(k for k in model.PRESETS.get(name, {}).values())
        if "las" in uses and not settings:
            settings.append("quantum_s=" + rng.choice(["0", "0", "2", "5", "7", "2.5"]))
        if "tiresias" in uses and not settings:
            settings.append("thresholds=" + rng.choice(["5", "10|30", "4|8|20", "0.5|3", "12"]))
        estimators = ("easy", "conservative", "sjf", "ljf", "srtf", "srsf")
        if any(s in uses for s in estimators) and rng.random() < self.has.get("estimate", 0.4):
            settings.append("estimate=" + rng.choice(["perfect", "limit"]))
        if self.chance("places", 0.1):
            settings.append("place=" + rng.choice(["first-fit", "best-fit", "worst-fit", "spread", "pack"]))
        if self.chance("admit", 0.0):
            settings.append("admit=" + rng.choice(["quota", "none"]))
        if not settings:
            return name
        return name + ("," if "=" in name else ":") + ",".join(settings)

    def scenario(self):
        rng = self.rng
        self.fine = rng.random() < 0.3
        self.late = rng.choice([0, 5, 20, 20, 30])
        self.longest = rng.choice([5, 10, 15, 20])
        self.shape = self.cluster()
        self.all_gpus = sum(g.get("count", 1) * g["gpus"] for g in self.shape["nodes"])
        n = rng.choice([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14])
        if rng.random() < 0.6:
            self.ids = [str(i) for i in rng.sample(range(1, 40), n)]
        else:
            self.ids = rng.sample(["A", "B", "C", "a1", "a10", "a2", "7", "07", "10", "9", "Z", "z", "b-1", "b_1"], n)
        jobs = [self.job(i) for i in range(n)]
        if rng.random() < 0.5:
            rng.shuffle(jobs)
        return {"cluster": self.shape, "jobs": jobs, "events": self.cluster_events(), "policy": self.policy(),
                "options": self.options()}


PLAIN = ["fifo", "fifo-skip", "sjf", "drf", "easy", "conservative"]
STOPPING = ["priority", "srtf", "srsf", "las", "tiresias"]
ALL = PLAIN + STOPPING + ["compose"]

PROFILES = {
    "order": dict(policies=["fifo", "fifo-skip", "sjf", "drf", "drf", "compose"], evicts=["none"],
                  backfills=["strict", "skip"], types=0.3, job_types=0.2, cpus=0.4, mem=0.3, job_cpus=0.4, job_mem=0.3,
                  cpu_jobs=0.1, users=0.8, priorities=0.4),
    "backfill": dict(policies=["easy", "conservative"], limits=0.85, estimate=0.3, zero=0.05, require=0.1),
    "plans": dict(policies=["easy", "conservative", "compose"], evicts=["none"], backfills=["easy", "conservative"],
                  limits=0.8, cpus=0.5, mem=0.3, job_cpus=0.5, job_mem=0.3, cpu_jobs=0.15, tasks=0.2, require=0.2,
                  leaves=0.3, types=0.3, job_types=0.2, places=0.3, users=0.5, priorities=0.4),
    "preemption": dict(policies=STOPPING + ["compose"], evicts=["priority", "srtf", "none"],
                       backfills=["strict", "skip"], priorities=0.8, kill=0.4, checkpoints=0.4, fixed=0.15),
    "shares": dict(policies=["fifo", "fifo-skip", "sjf", "priority", "las", "drf", "srtf"], shares=0.6, gpu_mem=0.4,
                   types=0.6, job_types=0.2, priorities=0.5, cpus=0.3, job_cpus=0.3),
    "shared-plans": dict(policies=["easy", "conservative", "compose"], evicts=["none"], limits=0.85, shares=0.5,
                         backfills=["easy", "conservative"], gpu_mem=0.3, types=0.6, job_types=0.1, cpus=0.2, job_cpus=0.2),
    "evicting-plans": dict(policies=["compose"], evicts=["priority"], backfills=["easy", "conservative"], limits=0.85,
                           priorities=0.8, kill=0.2, checkpoints=0.2, fixed=0.1, users=0.5),
    "failing-plans": dict(policies=["easy", "conservative"], limits=0.85, failures=1.0, on_failure=0.4, checkpoints=0.3,
                          costs=0.3, after=0.2, domains=0.2, quotas=0.2, queues=0.4),
    "failures": dict(policies=ALL, evicts=["none", "priority"], backfills=["strict", "skip"], failures=1.0,
                     on_failure=0.5, checkpoints=0.5, leaves=0.2, limits=0.3, cpu_jobs=0.05),
    "quotas": dict(policies=ALL, evicts=["none", "priority"], backfills=["strict", "skip", "easy", "conservative"],
                   domains=0.5, quotas=0.7, quota_events=0.4, queues=0.9, limits=0.5, priorities=0.5, users=0.5),
    "costs": dict(policies=ALL, evicts=["none", "priority", "srtf"], backfills=["strict", "skip", "easy"], costs=1.0,
                  checkpoints=0.6, kill=0.4, failures=0.4, on_failure=0.4, priorities=0.6, limits=0.4),
    "dependencies": dict(policies=ALL, backfills=["strict", "skip", "easy", "conservative"],
                         evicts=["none", "priority"], after=0.5, eligible=0.3, zero=0.25, limits=0.3, priorities=0.4),
    "placement": dict(policies=["fifo", "fifo-skip", "compose"], backfills=["strict", "skip"],
                      evicts=["none", "priority"], places=0.7, tasks=0.4, require=0.4, prefer=0.3, leaves=0.7,
                      types=0.3, job_types=0.2, cpus=0.4, mem=0.3, job_cpus=0.4, job_mem=0.3, cpu_jobs=0.1),
    "windows": dict(policies=ALL, evicts=["none", "priority"], backfills=["strict", "skip"], windows=1.0, costs=0.2,
                    failures=0.3, checkpoints=0.4, kill=0.3, priorities=0.5, users=0.8, deadlines=0.4, states=0.3),
    "everything": dict(policies=ALL, limits=0.5, types=0.2, job_types=0.1, cpus=0.3, mem=0.2, job_cpus=0.3, job_mem=0.2,
                       cpu_jobs=0.1, users=0.6, priorities=0.4, kill=0.3, checkpoints=0.3, fixed=0.1, failures=0.3,
                       on_failure=0.3, domains=0.2, quotas=0.2, quota_events=0.1, queues=0.5, costs=0.3, after=0.15,
                       eligible=0.1, tasks=0.15, require=0.15, prefer=0.1, leaves=0.3, places=0.2, windows=0.2,
                       states=0.1, deadlines=0.1),
}


def make(profile, seed, number):
    rng = random.Random(f"{profile}/{seed}/{number}")
    scenario = Maker(rng, **PROFILES[profile]).scenario()
    scenario["events"] = [e for e in scenario.get("events", []) if known_queue(scenario, e)]
    scenario["check"] = number % 2  # some shortcuts are not taken under the self-check
    return scenario


def known_queue(scenario, event):
    """A quota for a queue that neither the cluster nor a job names is refused."""
    queues = {q["name"] for q in scenario["cluster"].get("queues", [])} | {j.get("queue") for j in scenario["jobs"]}
    return event["event"] != "quota" or event["target"] in queues


# -------------------------------------------------------------------------------------------------------- the program


def write(scenario, folder):
    """The files of the program, and its arguments."""
    folder = Path(folder)
    used = [c for c in COLUMNS if c in COLUMNS[:4] or any(j.get(c) not in (None, "") for j in scenario["jobs"])]
    with open(folder / "trace.csv", "w", encoding="utf-8", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(used)
        for job in scenario["jobs"]:
            out.writerow([job.get(c, "") for c in used])
    (folder / "cluster.json").write_text(json.dumps(scenario["cluster"]), encoding="utf-8")
    args = ["run", "--trace", "trace.csv", "--cluster", "cluster.json", "--policy", scenario["policy"]]
    if scenario.get("events"):
        with open(folder / "events.csv", "w", encoding="utf-8", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(["time_s", "event", "target", "value"])
            for e in scenario["events"]:
                out.writerow([e["time_s"], e["event"], e["target"], e.get("value", "")])
        args += ["--events", "events.csv"]
    for name, value in scenario.get("options", {}).items():
        args += [f"--{name}", str(value)]
    return args + ["-q", "-o", "out"]


HAVE_PRLIMIT = shutil.which("prlimit") is not None


class Broken(Exception):
    """The program did not do what a run does."""


def run_program(binary, scenario, folder):
    shutil.rmtree(Path(folder) / "out", ignore_errors=True)
    args = write(scenario, folder)
    env = {"PATH": os.environ.get("PATH", ""), "GY_CHECK": str(scenario.get("check", 1)), "LC_ALL": "C", "TZ": "UTC"}
    env.update({k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_", "GPUYARD_"))})
    limit = ["prlimit", "--cpu=20"] if HAVE_PRLIMIT else []  # never leave a program that runs on
    if limit and "ASAN_OPTIONS" not in os.environ:  # that sanitizer reserves terabytes
        limit.append("--as=2000000000")
    try:
        done = subprocess.run(limit + [binary] + args, cwd=folder, env=env, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        raise Broken("no end within 120 s")
    if done.returncode != 0:
        raise Broken(f"exit {done.returncode}: {done.stderr.strip()[-400:]}")
    out = Path(folder) / "out"
    with open(out / "jobs.csv", encoding="utf-8", newline="") as f:
        jobs = list(csv.DictReader(f))
    figures = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    with open(out / "timeline.csv", encoding="utf-8", newline="") as f:
        course = list(csv.DictReader(f))
    return jobs, figures, course


# ----------------------------------------------------------------------------------------------------- the comparison


def placed_set(text):
    """Compare sets of GPUs, not how they are written."""
    out = set()
    for part in filter(None, text.split(";")):
        node, _, numbers = part.rpartition(":")
        for span in numbers.split(","):
            a, _, b = span.partition("-")
            out |= {(node, g) for g in range(int(a), int(b or a) + 1)}
    return out


def same_number(want, got):
    if want is None or got is None:
        return want is got
    want, got = float(want), float(got)
    return abs(want - got) <= 1e-9 * abs(want)


def compare_tree(want, got, path, out):
    for key, value in want.items():
        name = f"{path}{key}"
        if key not in got:
            out.append(f"summary {name}: no such key")
        elif isinstance(value, dict):
            compare_tree(value, got[key], name + ".", out)
        elif not same_number(value, got[key]):
            out.append(f"summary {name}: expected {value if value is None else float(value)}, got {got[key]}")


def areas(course, window):
    """GPU time, in thousandths of a GPU times microseconds, below busy_gpus and down_gpus inside the window."""
    area = [0, 0]
    times = [model.micro(row["time_s"]) for row in course] + [window[1]]
    for row, a, b in zip(course, times, times[1:]):
        inside = max(0, min(b, window[1]) - max(a, window[0]))
        for i, column in enumerate(("busy_gpus", "down_gpus")):
            area[i] += inside * int(Fraction(row[column]) * model.WHOLE)
    return area


def compare_areas(course, figures, out):
    """The area below timeline.csv is the GPU time of summary.json."""
    window = [round(Fraction(str(figures["window"][k])) * 1_000_000) for k in ("start_s", "end_s")]
    if window[0] < window[1] and (not course or model.micro(course[0]["time_s"]) > window[0]):
        out.append("timeline: begins after the window")
    gpu = {k: Fraction(str(v)) * 1_000_000 * model.WHOLE for k, v in figures["gpu_s"].items()}
    busy, down = areas(course, window)
    for name, mine, said in (("busy", busy, gpu["installed"] - gpu["idle"] - gpu["down"]), ("down", down, gpu["down"])):
        if abs(mine - said) > 1 + said / 10**12:  # numbers of JSON are doubles here
            out.append(f"timeline: the {name} area is {float(mine)}, summary.json says {float(said)}")


def compare(want, got):
    """Differences, the most telling first."""
    jobs, figures, course = got
    out = []
    if [r["job_id"] for r in jobs] != [r["job_id"] for r in want["jobs"]]:
        return ["jobs.csv: rows are not those of the trace, in its order"]
    for a, b in zip(want["jobs"], jobs):
        for field in JOB_FIELDS:
            x, y = a[field], b[field]
            if a["state"] in ("infeasible", "", "queued", "running") and field in ("eligible_s", "total_wait_s"):
                continue
            if field == "lost_gpu_s":
                same = y != "" and Fraction(y) == x or (y == "" and x == 0)
            elif field == "placed":
                same = placed_set(x) == placed_set(y)
            elif field in ("run_s", "preemptions", "restarts"):
                same = x == y or (y == "" and x == "0")
            else:
                same = x == y
            if not same:
                out.append(f"job {a['job_id']} {field}: expected {str(x) or 'nothing'}, got {y or 'nothing'}")
    compare_tree(want["summary"], figures, "", out)
    compare_areas(course, figures, out)
    end = want["model"].window[1]  # what the cluster does after that concerns nobody
    if want["model"].window_end is not None or want["model"].horizon is not None:
        end -= 1
    want_course = [row for row in want["timeline"] if row[0] <= end]
    course = [row for row in course if model.micro(row["time_s"]) <= end]
    for row, (t, busy, down, queued, queued_gpus) in zip(course, want_course):
        x = [model.seconds(t)] + [model.seconds(v * 1000) for v in (busy, down)] + [str(queued),
                                                                                  model.seconds(queued_gpus * 1000)]
        y = [row[c] for c in ("time_s", "busy_gpus", "down_gpus", "queued_jobs", "queued_gpus")]
        if x != y:
            out.append(f"timeline: expected {','.join(x)}, got {','.join(y)}")
            break
    else:
        if len(course) != len(want_course):
            out.append(f"timeline: expected {len(want_course)} rows, got {len(course)}")
    return out


def differences(binary, scenario, folder):
    try:
        want = model.simulate(scenario)
    except model.Endless:  # that the program gives up too is another test's business
        return []
    try:
        return compare(want, run_program(binary, scenario, folder))
    except Broken as e:
        return [f"program: {e}"]


# --------------------------------------------------------------------------------------------------------- shrinking


def smaller(scenario):
    """Scenarios that are one step simpler, the boldest steps first."""
    jobs = scenario["jobs"]

    def variant(change):
        other = copy.deepcopy(scenario)
        change(other)
        return other

    def drop_jobs(s, first, n):
        gone = {j["job_id"] for j in s["jobs"][first:first + n]}
        s["jobs"] = s["jobs"][:first] + s["jobs"][first + n:]
        for j in s["jobs"]:
            left = [x for x in j.get("after", "").split(";") if x and x not in gone]
            if j.get("after"):
                j["after"] = ";".join(left)

    n = len(jobs) // 2
    while n >= 1:
        for first in range(0, len(jobs), n):
            if len(jobs) - len(jobs[first:first + n]) >= 1:
                yield variant(lambda s, a=first, k=n: drop_jobs(s, a, k))
        n //= 2
    for i in range(len(scenario.get("events", []))):
        yield variant(lambda s, k=i: s["events"].pop(k))
    for name in scenario.get("options", {}):
        yield variant(lambda s, k=name: s["options"].pop(k))
    nodes = scenario["cluster"]["nodes"]
    for i, group in enumerate(nodes):
        if len(nodes) > 1:
            yield variant(lambda s, k=i: s["cluster"]["nodes"].pop(k))
        if group.get("count", 1) > 1:
            yield variant(lambda s, k=i: s["cluster"]["nodes"][k].__setitem__("count", group["count"] - 1))
        for key in ("cpus", "mem_gb", "leaf", "queue", "gpu_type"):
            if key in group:
                yield variant(lambda s, k=i, name=key: s["cluster"]["nodes"][k].pop(name))
        if group["gpus"] > 1:
            yield variant(lambda s, k=i: s["cluster"]["nodes"][k].__setitem__("gpus", group["gpus"] - 1))
    for i in range(len(scenario["cluster"].get("queues", []))):
        yield variant(lambda s, k=i: s["cluster"]["queues"].pop(k))
    head, _, rest = scenario["policy"].partition(":" if "=" not in scenario["policy"].split(":")[0] else "\0")
    if rest:
        parts = rest.split(",")
        for i in range(len(parts)):
            left = parts[:i] + parts[i + 1:]
            yield variant(lambda s, p=left: s.__setitem__("policy", head + (":" + ",".join(p) if p else "")))
    for i, job in enumerate(jobs):
        for key in COLUMNS[4:]:
            if job.get(key):
                yield variant(lambda s, k=i, name=key: s["jobs"][k].pop(name))
        if not job["gpus"].startswith("0") and job["gpus"] != "1":
            for g in ("1", str(int(job["gpus"]) - 1)):
                yield variant(lambda s, k=i, v=g: s["jobs"][k].__setitem__("gpus", v))
        for key in ("submit_s", "duration_s", "limit_s"):
            value = job.get(key)
            if value and value not in ("0", "1"):
                for less in ("0", "1", str(int(Fraction(value))), str(max(0, int(Fraction(value)) - 1))):
                    if less != value:
                        yield variant(lambda s, k=i, name=key, v=less: s["jobs"][k].__setitem__(name, v))
    for i, e in enumerate(scenario.get("events", [])):
        if int(Fraction(e["time_s"])) > 0:
            yield variant(lambda s, k=i, v=str(int(Fraction(e["time_s"])) - 1): s["events"][k].__setitem__("time_s", v))


def valid(scenario):
    for job in scenario["jobs"]:
        if job.get("tasks") and not job["gpus"].startswith("0") and int(job["gpus"]) % int(job["tasks"]):
            return False
        if job.get("limit_s") == "0":
            return False
    count = sum(g.get("count", 1) for g in scenario["cluster"]["nodes"])
    listed = {q["name"] for q in scenario["cluster"].get("queues", [])}
    if any("queue" in g and g["queue"] not in listed for g in scenario["cluster"]["nodes"]):
        return False
    leaves = {g.get("leaf") for g in scenario["cluster"]["nodes"]}
    gpus = [g["gpus"] for g in scenario["cluster"]["nodes"] for _ in range(g.get("count", 1))]
    for e in scenario.get("events", []):
        name, _, gpu = e["target"].partition(":")
        if e["event"] == "quota":
            if not known_queue(scenario, e):
                return False
            continue
        if name.startswith("n"):
            if int(name[1:]) >= count or (gpu and int(gpu) >= gpus[int(name[1:])]):
                return False
        elif name not in leaves:
            return False
    return True


def kind_of(difference):
    """A shrunk scenario must still show the same sort of trouble."""
    if difference.startswith("program: "):
        return difference[:16]
    if difference.startswith("job "):
        return "job placed" if " placed:" in difference else "job"
    return " ".join(difference.split(":")[0].split(".")[0].split()[:2])


def shrink(binary, scenario, folder, first, patience=25):
    kind = kind_of(first)
    began = time.monotonic()
    again = True
    while again and time.monotonic() - began < patience:
        again = False
        for other in smaller(scenario):
            if time.monotonic() - began > patience:
                break
            if not valid(other):
                continue
            try:
                found = differences(binary, other, folder)
            except Exception:  # the model itself stumbled over what is no scenario any more
                continue
            if found and kind_of(found[0]) == kind:
                scenario, again = other, True
                break
    return scenario


# -------------------------------------------------------------------------------------------------------------- main

WORKER = {}


def set_up(binary, root):
    WORKER["binary"] = binary
    WORKER["folder"] = tempfile.mkdtemp(dir=root)


def one(task):
    profile, seed, number = task
    scenario = make(profile, seed, number)
    try:
        found = differences(WORKER["binary"], scenario, WORKER["folder"])
    except Exception as e:
        found = [f"model: {type(e).__name__}: {e}"]
    return task, found


def report(binary, scenario, label, keep, folder, do_shrink):
    found = differences(binary, scenario, folder)
    if do_shrink and found:
        scenario = shrink(binary, scenario, folder, found[0])
        found = differences(binary, scenario, folder)
    where = Path(keep) / label
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    args = write(scenario, where)
    (where / "scenario.json").write_text(json.dumps(scenario, indent=1), encoding="utf-8")
    command = f"GY_CHECK={scenario.get('check', 1)} " + " ".join(shlex.quote(a) for a in [binary] + args)
    (where / "command").write_text(f"{command}\n", encoding="utf-8")
    (where / "differences").write_text("\n".join(found) + "\n", encoding="utf-8")
    print(f"DIFFERENCE {label}")
    for text in found[:12]:
        print(f"  {text}")
    for name in ("trace.csv", "cluster.json", "events.csv"):
        if (where / name).exists():
            print(f"  -- {name}")
            for line in (where / name).read_text(encoding="utf-8").splitlines():
                print(f"  {line}")
    print(f"  cd {where} && {command}")
    sys.stdout.flush()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the gpuyard program")
    parser.add_argument("--profile", action="append", help="one of: " + " ".join(PROFILES) + " (default: all)")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=200, help="cases of each profile")
    parser.add_argument("--case", type=int, help="only the case of this number")
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--scenario", help="a scenario.json that was kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--stop-after", type=int, default=5, help="differences after which a profile is given up")
    parser.add_argument("--keep", help="folder for the files of reproducers (default: a new one)")
    parser.add_argument("--no-shrink", action="store_true")
    args = parser.parse_args()
    binary = str(Path(args.bin).resolve())
    if not os.access(binary, os.X_OK):
        print(f"fuzz.py: cannot run {args.bin}", file=sys.stderr)
        return 77
    for name in args.profile or []:
        if name not in PROFILES:
            parser.error(f"no profile {name}; there are: {' '.join(PROFILES)}")
    keep = args.keep or tempfile.mkdtemp(prefix="gy-oracle-")
    with tempfile.TemporaryDirectory(prefix="gy-oracle-work-") as root:
        if args.scenario:
            scenario = json.loads(Path(args.scenario).read_text(encoding="utf-8"))
            found = differences(binary, scenario, root)
            print("\n".join(found) if found else "no difference")
            return 1 if found else 0
        bad = 0
        with multiprocessing.Pool(args.jobs, set_up, (binary, root)) as pool:
            for profile in args.profile or PROFILES:
                began = time.monotonic()
                numbers = [args.case] if args.case is not None else range(args.first, args.first + args.count)
                seen, wrong = 0, []
                for task, found in pool.imap(one, [(profile, args.seed, n) for n in numbers], chunksize=8):
                    seen += 1
                    if found:
                        wrong.append((task, found))
                        if len(wrong) >= args.stop_after:
                            break
                took = time.monotonic() - began
                print(f"{profile}: {seen} cases, {len(wrong)} differ, {took:.0f} s")
                sys.stdout.flush()
                for (_, seed, number), found in wrong:
                    if found[0].startswith("model: "):
                        print(f"MODEL FAULT {profile} seed {seed} case {number}: {found[0]}")
                        continue
                    report(binary, make(profile, seed, number), f"{profile}-{seed}-{number}", keep, root,
                           not args.no_shrink)
                bad += len(wrong)
                if wrong and len(wrong) >= args.stop_after:
                    pool.terminate()
                    print("given up: too many differences")
                    return 1
        if bad == 0 and not args.keep:
            shutil.rmtree(keep, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
