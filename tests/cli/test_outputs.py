"""test_outputs.py - the folder of a run: the course begins with the window, no file is left of an earlier run, commands
repeat the run that they name.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import csv
import html
import json
import re
import shlex
from fractions import Fraction

from checks import check, check_each, need
from program import HEADER, SAMPLE_CLUSTER, files_of, gy, gy_ok, jobs, need_equal, sample, write

LATE = f"{HEADER},start_s\na,100,1,50,100\n"
EARLY = f"{HEADER},start_s\na,10,1,70,20\nb,30,2,50,\nc,100,1,50,100\n"
COURSES = {
    "drained": (LATE, "20,drain,n0,\n120,undrain,n0,\n", ("--window-start", "50")),
    "down": (LATE, "20,down,n0,\n120,up,n0,\n", ("--window-start", "50")),
    "nothing-before": (LATE, "", ("--window-start", "50")),
    "down-at-the-start": (LATE, "50,down,n0,\n60,up,n0,\n", ("--window-start", "50")),
    "warm": (EARLY, "20,drain,n1,\n120,undrain,n1,\n", ("--window-start", "50", "--window-end", "130")),
    "cold": (EARLY, "20,drain,n1,\n120,undrain,n1,\n", ("--window-start", "50", "--cold")),
    "from-the-first-job": (LATE, "20,down,n0,\n120,up,n0,\n", ()),
    "without-a-log": (LATE.replace(",start_s", "").replace("50,100", "50"), "", ("--window-start", "0", "--window-end", "120")),
}


def areas(rows, start, end):
    """GPU seconds below busy_gpus and down_gpus between start and end."""
    times = [Fraction(r["time_s"]) for r in rows] + [end]
    inside = [max(Fraction(0), min(b, end) - max(a, start)) for a, b in zip(times, times[1:])]
    return [sum(Fraction(r[c]) * s for r, s in zip(rows, inside)) for c in ("busy_gpus", "down_gpus")]


@check_each(COURSES)
def the_area_below_the_course_is_gpu_time(folder, name):
    trace, events, options = COURSES[name]
    write(folder, "jobs.csv", trace)
    write(folder, "events.csv", "time_s,event,target,value\n" + events)
    gy_ok(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "2x2", "-p", "fifo", "--events", "events.csv", *options,
          "-o", "o")
    figures = json.loads((folder / "o/summary.json").read_text(), parse_float=Fraction, parse_int=Fraction)
    rows = list(csv.DictReader((folder / "o/timeline.csv").open()))
    start, end = figures["window"]["start_s"], figures["window"]["end_s"]
    need(rows and Fraction(rows[0]["time_s"]) <= start, f"the window begins at {start}, the course with {rows[:1]}")
    gpu = figures["gpu_s"]
    busy, down = areas(rows, start, end)
    need(down == gpu["down"], f"down: {down} by the course, {gpu['down']} by the figures")
    held = gpu["installed"] - gpu["idle"] - gpu["down"]
    need(busy == held, f"busy: {busy} by the course, {held} by the figures")


# ------------------------------------------------------------------------------------------------- a folder used twice

def work(folder, *words):
    if not (folder / "jobs.csv").exists():
        jobs(folder)
    gy_ok(folder, *words[:1], "-q", "--trace", "jobs.csv", "--cluster", "1x4", *words[1:])


RUN = ("run", "-p", "fifo")
COMPARE = ("compare", "-p", "easy", "-p", "sjf")
TWICE = {
    "report": (("run", "-p", "easy", "--report"), RUN),
    "decisions": (("run", "-p", "easy", "--decisions"), RUN),
    "other-policies": (("compare", "-p", "fifo", "-p", "sjf"), COMPARE),
    "run-then-compare": (("run", "-p", "easy", "--report", "--decisions"), COMPARE),
    "compare-then-run": (COMPARE, RUN),
}


@check_each(TWICE)
def a_folder_used_twice_shows_the_second_run_only(folder, name):
    first, second = TWICE[name]
    work(folder, *second, "-o", "fresh")
    work(folder, *first, "-o", "again")
    write(folder, "again/notes.txt", "mine")
    (folder / "again/plots").mkdir(exist_ok=True)
    write(folder, "again/plots/mine.svg", "mine")
    work(folder, *second, "-o", "again")
    again = files_of(folder / "again")
    need(again.pop("notes.txt") == b"mine" and again.pop("plots/mine.svg") == b"mine", "other files went too")
    need_equal(files_of(folder / "fresh"), again, name)
    (folder / "again/plots/mine.svg").unlink()
    work(folder, *second, "-o", "again")
    need(not [p for p in (folder / "again/runs").glob("*") if p.is_dir() and not any(p.iterdir())], "an empty folder")


@check
def empty_folders_of_an_earlier_run_go(folder):
    work(folder, *COMPARE, "-o", "o")
    work(folder, *RUN, "-o", "o")
    need(not (folder / "o/plots").exists() and not (folder / "o/runs").exists(), f"{sorted((folder / 'o').iterdir())}")


@check
def a_trace_in_the_folder_is_no_earlier_run(folder):
    jobs(folder)
    text = (folder / "jobs.csv").read_bytes()
    gy_ok(folder, "compare", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "-p", "fifo", "-o", ".")
    need((folder / "jobs.csv").read_bytes() == text, "the trace is gone")


@check
def a_folder_of_somebody_else_is_no_earlier_run(folder):
    (folder / "o").mkdir()
    for name in "manifest.json", "summary.json", "report.html", "compare.json":
        write(folder, f"o/{name}", '{"name": "a web page"}')
    work(folder, *COMPARE, "-o", "o")
    for name in "manifest.json", "summary.json":
        need((folder / "o" / name).read_text() == '{"name": "a web page"}', f"{name} is gone")


@check
def a_run_that_fails_leaves_the_earlier_one(folder):
    work(folder, "run", "-p", "easy", "--report", "--decisions", "-o", "o")
    before = files_of(folder / "o", but=())
    done = gy(folder, "run", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "-p", "recorded", "-o", "o")
    need(done.code == 2, str(done))
    need_equal(before, files_of(folder / "o", but=()), "after an error")


# ------------------------------------------------------------------------------------------------ commands that repeat

ODD = "the jobs of o'neill.csv"


@check
def every_run_of_a_comparison_names_its_command(folder):
    jobs(folder, ODD)
    specs = ["fifo", "tiresias:thresholds=5|90", "easy"]
    words = [w for s in specs for w in ("-p", s)]
    gy_ok(folder, "compare", "-q", "--trace", ODD, "--cluster", "1x4", "--horizon", "1m", "--bounded-slowdown-tau", "7", *words, "-o", "o")
    for spec, name in zip(specs, ("fifo", "tiresias_thresholds_5_90", "easy")):
        old = json.loads((folder / "o/runs" / name / "manifest.json").read_text())
        command = shlex.split(old["command"])
        need(command[:4] == ["gpuyard", "run", "--policy", spec], f"{command}")
        gy_ok(folder, *command[1:], "-q", "-o", f"again/{name}")
        need_equal(files_of(folder / "o/runs" / name), files_of(folder / "again" / name), name)
    page = html.unescape((folder / "o/report.html").read_text())
    command = shlex.split(re.search(r"<code>(gpuyard compare.*?)</code>", page).group(1))
    need([b for a, b in zip(command, command[1:]) if a == "--policy"] == specs, f"{command}")
    gy_ok(folder, *command[1:], "-q", "-o", "again")
    need((folder / "o/report.html").read_bytes() == (folder / "again/report.html").read_bytes(), "another report")


# ---------------------------------------------------------------------------------------------------------- figures

def texts(svg):
    """[(x, y, anchor, text)] of a figure by gnuplot."""
    pattern = r'translate\(([\d.]+),([\d.]+)\)"[^>]*text-anchor="(\w+)">\s*<text>(?:<tspan[^>]*>)?\s*([^<]*)'
    return [(float(x), float(y), anchor, html.unescape(t).strip()) for x, y, anchor, t in re.findall(pattern, svg)]


def ticks(script):
    return re.findall(r"'([^']+)' [\d.e+]+", re.search(r"set xtics \((.*?)\)", script).group(1))


def compare_lengths(folder, lengths):
    """Jobs that fill a node one after the other."""
    write(folder, "jobs.csv", f"{HEADER}\n" + "".join(f"{i},0,4,{s}\n" for i, s in enumerate(lengths)))
    gy_ok(folder, "compare", "-q", "--trace", "jobs.csv", "--cluster", "1x4", "-p", "fifo", "-p", "easy", "-o", "o")
    return folder / "o/plots"


@check
def a_short_axis_of_waits_has_ticks_between_1_and_6_hours(folder):
    plots = compare_lengths(folder, (8000, 9000, 1000))
    need(ticks((plots / "cdf-wait.gp").read_text()) == ["0", "1 h", "2 h", "3 h", "6 h"],
         f"{ticks((plots / 'cdf-wait.gp').read_text())}")


@check_each((("hours", (16000, 200)), ("days", (40000, 305600))), name=lambda v: v[0])
def an_axis_of_time_has_one_unit_and_room_for_its_last_label(folder, value):
    plots = compare_lengths(folder, value[1])
    marks = ticks((plots / "gpus-busy.gp").read_text())
    units = {m.split()[1] for m in marks if m != "0"}
    need(len(units) == 1 and len(marks) > 4, f"{marks}")
    if not (plots / "gpus-busy.svg").exists():
        return  # no gnuplot
    svg = (plots / "gpus-busy.svg").read_text()
    right = max(x + 3.8 * len(t) for x, _, anchor, t in texts(svg) if anchor == "middle" and t in marks)
    need(right < 940, f"the last of {marks} ends at {right} of 940")


@check
def a_key_keeps_away_from_the_title_above_it(folder):
    plots = compare_lengths(folder, (8000, 9000, 1000))
    if not (plots / "cdf-wait.svg").exists():
        return
    places = {t: y for _, y, _, t in texts((plots / "cdf-wait.svg").read_text())}
    gap = places["fifo"] - places["waiting time (log scale)"]
    need(gap > 24, f"{gap} px from line to line, of 13 px each")


@check
def captions_speak_of_means_only_where_they_are_drawn(folder):
    compare_lengths(folder, (100, 200, 300))
    need("mean over each stretch" not in (folder / "o/report.html").read_text(), "every step is drawn")
    compare_lengths(folder, range(10, 410))
    need("mean over each stretch" in (folder / "o/report.html").read_text(), "400 steps are not drawn as they are")


@check_each(("run --report -p fifo", "compare -p fifo -p easy"))
def an_empty_trace_has_no_empty_figures(folder, command):
    write(folder, "jobs.csv", f"{HEADER}\n")
    gy_ok(folder, *command.split()[:1], "-q", "--trace", "jobs.csv", "--cluster", "1x4", *command.split()[1:], "-o", "o")
    page = (folder / "o/report.html").read_text()
    need(not (folder / "o/plots").exists() and "<svg" not in page, "there are figures")
    need(not re.search(r"<tbody>\s*</tbody>", page) and "Waits by size" not in page, "there are empty tables")


# ------------------------------------------------------------------------------------------------------------ words

@check
def a_comparison_warns_of_infeasible_jobs_once(folder):
    write(folder, "jobs.csv", f"{HEADER}\na,0,1,9\nb,0,99,9\nc,0,88,9\n")
    words = ("--trace", "jobs.csv", "--cluster", "1x4")
    said = gy(folder, "run", *words, "-p", "fifo", "--fail-on-infeasible", "-o", "r").err
    line = "gpuyard: warning: 2 jobs are infeasible: they could never start on this cluster\n"
    need(line in said, said)
    said = gy_ok(folder, "compare", *words, "-p", "fifo", "-p", "sjf", "-o", "o").err
    need(said.count("infeasible") == 1 and line in said, said)
    need("2 jobs are infeasible" in (folder / "o/report.html").read_text(), "the report does not say so")
    write(folder, "jobs.csv", f"{HEADER}\na,0,1,9\nb,0,99,9\n")
    said = gy_ok(folder, "compare", *words, "-p", "fifo", "-p", "sjf", "-o", "o").err
    need("warning: 1 job is infeasible: it could never start" in said, said)


@check
def one_is_no_plural(folder):
    write(folder, "jobs.csv", f"{HEADER}\na,0,1,9\n")
    words = ("--trace", "jobs.csv", "--cluster", "1x1", "-p", "fifo", "--window-end", "5", "--report", "-o", "o")
    page = html.unescape((gy_ok(folder, "run", *words), folder / "o/report.html")[1].read_text())
    page = re.sub(r"(?s)<(style|script).*?</\1>", "", page)
    wrong = re.findall(r"\b1 (?:jobs|users|preemptions|restarts|GPUs|nodes)\b", re.sub(r"<[^>]*>", " ", page))
    need(not wrong and "over 1 user," in page and "1 of 1 that" not in page, f"{wrong}")
