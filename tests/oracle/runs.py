"""What paths.py and laws.py share: long traces of plain jobs, and what the program makes of them."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECOND = 1_000_000
FOREVER = 1 << 80


def text_of(us):
    """Decimal seconds of a time in microseconds."""
    whole, part = divmod(us, SECOND)
    return f"{whole}.{part:06d}" if part else str(whole)


def micro(text):
    whole, dot, part = text.partition(".")
    return int(whole) * SECOND + (int(part.ljust(6, "0")) if dot else 0)


class Result:
    """Times of the jobs in trace order, the figures, and the course as steps."""

    def __init__(self, folder):
        self.start, self.end, self.run, self.state = [], [], [], []
        with open(folder / "jobs.csv", encoding="utf-8") as f:
            names = f.readline().rstrip("\n").split(",")
            start, end, run, state = (names.index(n) for n in ("start_s", "end_s", "run_s", "state"))
            for line in f:
                cell = line.split(",")
                self.start.append(micro(cell[start]) if cell[start] else None)
                self.end.append(micro(cell[end]) if cell[end] else None)
                self.run.append(micro(cell[run]) if cell[run] else 0)
                self.state.append(cell[state])
        self.figures = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        self.course = []  # (time, busy GPUs, waiting jobs)
        with open(folder / "timeline.csv", encoding="utf-8") as f:
            names = f.readline().rstrip("\n").split(",")
            t, busy, queued = (names.index(n) for n in ("time_s", "busy_gpus", "queued_jobs"))
            for line in f:
                cell = line.rstrip("\n").split(",")
                self.course.append((micro(cell[t]), float(cell[busy]), int(cell[queued])))


class Program:
    def __init__(self, binary, check=False):
        self.binary = str(Path(binary).resolve())
        self.root = Path(tempfile.mkdtemp(prefix="gy-oracle-"))
        self.check = check

    def close(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def run(self, jobs, cluster, policy, *options):
        """jobs: tuples (submit, gpus, duration, limit or None, priority), times in microseconds."""
        rows = (f"{i},{text_of(submit)},{gpus},{text_of(duration)},{'' if limit is None else text_of(limit)},{priority}"
                for i, (submit, gpus, duration, limit, priority) in enumerate(jobs))
        return self.run_rows("job_id,submit_s,gpus,duration_s,limit_s,priority", rows, cluster, policy, *options)

    def run_rows(self, header, rows, cluster, policy, *options):
        trace = self.root / "trace.csv"
        with open(trace, "w", encoding="utf-8") as f:
            f.write(header + "\n")
            for row in rows:
                f.write(row + "\n")
        out = self.root / "out"
        shutil.rmtree(out, ignore_errors=True)
        env = dict(os.environ)
        env.pop("GY_CHECK", None)
        if self.check:
            env["GY_CHECK"] = "1"
        done = subprocess.run([self.binary, "run", "--trace", str(trace), "--cluster", cluster, "--policy", policy, "-q",
                               "-o", str(out), *options], env=env, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{policy} on {cluster}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        return Result(out)


def run_all(program, tests, prefix, only, about=lambda: ""):
    """Runs the methods of `tests` with that prefix; each yields a text for all that is wrong. The exit code."""
    bad = 0
    try:
        for name in dir(tests):
            if not name.startswith(prefix) or only not in name:
                continue
            began = time.monotonic()
            try:
                wrong = list(getattr(tests, name)())
            except RuntimeError as e:
                wrong = [str(e)]
            bad += len(wrong)
            print(f"{'FAIL' if wrong else 'ok'} {name[len(prefix):]}{about()}, {time.monotonic() - began:.0f} s")
            for text in wrong[:10]:
                print(f"  {text}")
            sys.stdout.flush()
    finally:
        program.close()
    return 1 if bad else 0
