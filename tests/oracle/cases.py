#!/usr/bin/env python3
"""Runs the model, not the program, on a folder of known-answer cases: is the model itself right?

    cases.py FOLDER [ID ...]

Cases that need what the model does not know (other trace families, catalogue nodes, MIG) are skipped.
"""

import csv
import io
import json
import re
import sys
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True  # leave no files beside the sources
import model  # noqa: E402

OPTIONS = {"horizon", "window-start", "window-end", "start-cost-s", "restore-cost-s", "checkpoint-cost-s",
           "preempt-mode", "on-failure", "bounded-slowdown-tau"}


class Skip(Exception):
    pass


def cluster_of(value):
    if isinstance(value, dict):
        if any("type" in n for n in value["nodes"]):
            raise Skip("nodes of the catalogue")
        return value
    groups = []
    for part in value.split("+"):
        shape = re.fullmatch(r"(\d+)x(\d+)(?::(\w+))?", part)
        if not shape:
            raise Skip(f"cluster {value}")
        groups.append({"count": int(shape[1]), "gpus": int(shape[2])})
        if shape[3]:
            groups[-1]["gpu_type"] = shape[3]
    return {"nodes": groups}


def trace_of(value):
    if not isinstance(value, list):
        raise Skip("another family of traces")
    lines = []
    for line in value:
        if isinstance(line, str):
            lines.append(line)
            continue
        for k in range(line["repeat"]):
            values = {name: Decimal(a) + k * Decimal(step) for name, (a, step) in line.get("vars", {}).items()}
            lines.append(line["row"].format(i=line.get("from", 0) + k, **values))
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    if any(r.get("mig") or r.get("start_s") or r.get("require") == "socket" for r in rows):
        raise Skip("MIG, sockets, or a log")
    return rows


def scenario_of(case):
    if case.get("command", "run") != "run" or case["expect"].get("exit") == 2 or case.get("files"):
        raise Skip("not a plain run")
    if case["policy"].partition(":")[0] not in model.PRESETS and "=" not in case["policy"]:
        raise Skip(f"policy {case['policy']}")
    args = case.get("args", [])
    options = {}
    for name, value in zip(args[::2], args[1::2]):
        if name == "--comm":
            continue
        if name[2:] not in OPTIONS:
            raise Skip(f"option {name}")
        options[name[2:]] = value
    events = list(csv.DictReader(io.StringIO("\n".join(case.get("events", [])))))
    return {"cluster": cluster_of(case["cluster"]), "jobs": trace_of(case["trace"]), "events": events,
            "policy": case["policy"], "options": options}


def differences(case, result):
    rows = {r["job_id"]: r for r in result["jobs"]}
    jobs = {j.id: j for j in result["model"].jobs}
    for name, want in case["expect"].get("jobs", {}).items():
        for field, value in want.items():
            if field == "nodes":
                got = {n.name: len(g) for n, g, _, _ in jobs[name].last_placement}
            elif field == "gpus":
                got = Decimal(jobs[name].milli) / 1000
            else:
                got = rows[name][field]
            if value is None:
                value = ""
            if isinstance(value, (int, Decimal)) and got != "":
                value, got = Decimal(value), Decimal(str(float(got)) if field == "lost_gpu_s" else got)
            if value != got:
                yield f"{name} {field}: {value} in the case, {got} in the model"
    for key, value in case["expect"].get("summary", {}).items():
        got = result["summary"]
        for part in key.split("."):
            got = got[part]
        if value is None or got is None:
            same = value is got
        else:
            same = abs(float(got) - float(value)) <= 1e-9 * abs(float(value))
        if not same:
            yield f"{key}: {value} in the case, {got} in the model"


def main():
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    passed = failed = skipped = 0
    for path in sorted(folder.rglob("*.json")):
        case = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        if "expect" not in case or (wanted and case["id"] not in wanted):
            continue
        try:
            scenario = scenario_of(case)
            if len(scenario["jobs"]) > 2000:
                raise Skip("too large for a naive model")
        except Skip as e:
            skipped += 1
            if wanted:
                print(f"skip {case['id']}: {e}")
            continue
        wrong = list(differences(case, model.simulate(scenario)))
        passed, failed = passed + (not wrong), failed + bool(wrong)
        for text in wrong:
            print(f"FAIL {case['id']}: {text}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
