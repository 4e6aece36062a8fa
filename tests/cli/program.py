"""program.py - calling the program under test, and the small inputs that tests feed to it.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import gzip
import os
from pathlib import Path

from checks import need, need_program, run, run_ok

SOURCE = Path(__file__).resolve().parent.parent.parent
SAMPLE = SOURCE / "traces" / "samples" / "philly-like.csv.gz"
SAMPLE_CLUSTER = "20xdgx-h100"
BIN = None  # set by run-cli
OTHER = None

HEADER = "job_id,submit_s,gpus,duration_s"
JOBS = f"{HEADER},user,queue,limit_s\n1,0,4,10,ann,q,20\n2,1,1,5,bob,q,6\n3,2,4,5,ann,r,9\n4,3,2,5,bob,r,5\n"


def write(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def jobs(folder, name="jobs.csv", text=JOBS):
    return write(folder, name, text)


def gy(folder, *words, **more):
    return run([BIN, *words], cwd=folder, **more)


def gy_ok(folder, *words, **more):
    return run_ok([BIN, *words], cwd=folder, **more)


def files_of(folder, but=("perf.json",)):
    """Every file below the folder: name -> bytes."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*"))
            if p.is_file() and p.name not in but}


def need_equal(a, b, what):
    for name in sorted(set(a) | set(b)):
        need(a.get(name) == b.get(name), f"{name} {'differs' if name in a and name in b else 'is missing'}: {what}")
    need(a, f"no file at all: {what}")


def sample(folder, name="trace.csv.gz"):
    """The bundled month of jobs, as a file in the folder; unpacked when the name does not end in .gz."""
    data = SAMPLE.read_bytes()
    return write(folder, name, data if name.endswith(".gz") else gzip.decompress(data))


def build_module(folder, name, source):
    """Compiles a C text into the policy module name."""
    write(folder, name.replace(".so", ".c"), source)
    run_ok([need_program(os.environ.get("CC", "cc")), "-std=c17", "-shared", "-fPIC", "-fvisibility=hidden",
            f"-I{SOURCE}/policies/include", name.replace(".so", ".c"), "-o", name], cwd=folder)
    (folder / name.replace(".so", ".c")).unlink()
    return name
