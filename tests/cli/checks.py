"""checks.py - a small test runner: functions are tests, their docstrings say what holds.

SPDX-License-Identifier: GPL-3.0-or-later

A module registers its tests with @check.  main() runs those whose names match, in folders of their own, prints a line
for each that fails or is skipped, and the totals last.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

SLOWER = float(os.environ.get("GY_CASES_SLOWER", "1"))  # for builds with sanitizers: all time limits times this
_checks = []


class Wrong(Exception):
    """The program does not do what the test says."""


class Skip(Exception):
    """The test cannot run here; the text says why."""


def check(fn):
    _checks.append((fn.__name__, fn))
    return fn


def check_each(values, name=str):
    """One test for each value: FUNCTION-VALUE."""

    def register(fn):
        for value in values:
            _checks.append((f"{fn.__name__}-{name(value)}", lambda folder, v=value: fn(folder, v)))
        return fn

    return register


def need(truth, text):
    if not truth:
        raise Wrong(text)


def need_program(name):
    """The path of a program that the test needs, or the test is skipped."""
    path = shutil.which(name)
    if not path:
        raise Skip(f"{name} is not installed")
    return path


class Done:
    """What a program left: its exit code and words."""

    def __init__(self, words, code, out, err):
        self.words, self.code, self.out, self.err = words, code, out, err

    def __str__(self):
        first = (self.err.strip() or self.out.strip() or "no word").splitlines()[-1][:300]
        return f"`{' '.join(map(str, self.words))}` ended with {self.code} ({first})"


def run(words, cwd=None, env=None, seconds=120, drop=(), **more):
    """Runs a program to its end.  env is added to the environment, drop taken out of it."""
    all_env = {k: v for k, v in os.environ.items() if k not in drop}
    all_env.update(env or {})
    try:
        p = subprocess.run([str(w) for w in words], cwd=cwd, env=all_env, stdin=subprocess.DEVNULL,
                           stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
                           timeout=seconds * SLOWER, **more)
    except subprocess.TimeoutExpired:
        raise Wrong(f"`{' '.join(map(str, words))}` still runs after {seconds * SLOWER:g} s")
    text = [b.decode(errors="replace") if b is not None else "" for b in (p.stdout, p.stderr)]
    return Done(words, p.returncode, *text)


def run_ok(words, **more):
    done = run(words, **more)
    need(done.code == 0, str(done))
    return done


def _verdict(name, fn):
    folder = Path(tempfile.mkdtemp(prefix="gy-check-"))
    try:
        fn(folder)
        return "pass", ""
    except Wrong as e:
        return "fail", str(e)
    except Skip as e:
        return "skip", str(e)
    except Exception as e:  # the test itself met something that nobody expected
        where = traceback.extract_tb(e.__traceback__)[-1]
        return "fail", f"{type(e).__name__}: {e} ({Path(where.filename).name}:{where.lineno})"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(names, jobs, verbose=False, first=(), last=()):
    """Runs the tests whose name contains one of names (all without names), jobs at a time.  Functions in `first` are
    tests that run before the others, and end it all when one fails; those in `last` run after them, one by one."""
    tally = {"pass": 0, "fail": 0, "skip": 0}

    def tell(name, verdict):
        result, text = verdict
        tally[result] += 1
        if result == "fail":
            print(f"FAIL {name}: {text}", flush=True)
        elif result == "skip" or verbose:
            print(f"{result} {name}{': ' + text if text else ''}", flush=True)

    for fn in first:
        if not tally["fail"]:
            tell(fn.__name__, _verdict(fn.__name__, fn))
    if not tally["fail"]:
        chosen = [(n, f) for n, f in _checks if not names or any(x in n for x in names)]
        with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
            for (name, _), verdict in zip(chosen, pool.map(lambda c: _verdict(*c), chosen)):
                tell(name, verdict)
        for fn in last:
            if not names or any(x in fn.__name__ for x in names):
                tell(fn.__name__, _verdict(fn.__name__, fn))
    print(f"{tally['pass']} passed, {tally['fail']} failed, {tally['skip']} skipped")
    return 1 if tally["fail"] or not tally["pass"] else 0
