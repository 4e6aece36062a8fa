"""test_documents.py - what the documents say is so: commands run, tables are those of the program, nothing is left out.

SPDX-License-Identifier: GPL-3.0-or-later
"""
import json
import os
import re

import program
from checks import check, check_each, need, need_program, run, run_ok
from program import SAMPLE, SAMPLE_CLUSTER, SOURCE, build_module, gy_ok, jobs, write

README = (SOURCE / "README.md").read_text()
FORMATS = (SOURCE / "docs/formats.md").read_text()
DOCUMENTS = [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md")), SOURCE / "tests/cases/README.md"]


def blocks(text):
    """Indented blocks of a document, without their indentation."""
    out, block = [], []
    for line in text.splitlines() + ["x"]:
        if line.startswith("    "):
            block.append(line[4:])
        elif line or not block:
            if block:
                out.append("\n".join(block).rstrip("\n") + "\n")
            block = []
        else:
            block.append("")
    return out


def on_path():
    return {"PATH": f"{program.BIN.parent}:{os.environ['PATH']}"}



@check
def commands_of_the_readme_run_and_print_its_tables(folder):
    shown = ""
    ran = 0
    for block in blocks(README):
        if block.startswith("job_id,"):
            write(folder, "jobs.csv", block)
        elif block.startswith("{"):
            write(folder, "bigger.json", block)
        else:
            for line in block.splitlines():
                if re.match("(gpuyard|cut|zcat) ", line):
                    shown = run_ok(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=on_path()).out
                    ran += 1
            table = re.search(r"^ +wait .*?(?=\n\n|\Z)", block, re.M | re.S)
            if table and ran:  # the first one is that of quickstart: below
                need(table.group().strip() in shown, f"after `{line}` the program prints\n{shown}")
    need(ran >= 10, f"only {ran} commands")


@check
def the_first_table_of_the_readme_is_that_of_quickstart(folder):
    command = re.search(r"gpuyard compare.*?-o", (SOURCE / "scripts/quickstart").read_text(), re.S).group()
    policies = re.findall(r"-p (\S+)", command)
    need(f"--cluster {SAMPLE_CLUSTER}" in command and len(policies) == 6, command)
    words = [w for p in policies for w in ("-p", p)]
    done = gy_ok(folder, "compare", "--trace", SAMPLE, "--cluster", SAMPLE_CLUSTER, *words, "-o", "out")
    table = next(b for b in blocks(README) if "finished/of" in b)
    need(table.strip() in done.out, f"the program prints\n{done.out}")


@check
def documents_name_files_that_exist(_):
    pattern = r"\b((?:docs|scripts|tests|traces|hardware|policies|sim|cmake|man|completions|results|hosts)/[\w./-]*\w)"
    for path in DOCUMENTS:
        text = path.read_text()
        for name in set(re.findall(pattern, text)):
            need((SOURCE / name).exists(), f"{path.name} names {name}")
        for name in set(re.findall(r"[\w/-]+\.md\b", text)):
            need((SOURCE / name).exists() or (path.parent / name).exists(), f"{path.name} names {name}")


@check
def documents_are_readable_in_a_terminal(_):
    for path in DOCUMENTS:
        for n, line in enumerate(path.read_text().splitlines(), 1):
            need(len(line) <= 132 or line.startswith("|"), f"{path.name}:{n}: {len(line)} characters")


@check
def every_output_is_described(folder):
    gy_ok(folder, "run", "-q", "--report", "--decisions", "--trace", jobs(folder), "--cluster", "1x4", "-p", "easy", "-o",
          "out")
    for name in sorted(p.name for p in (folder / "out").iterdir()):
        need(f"`{name}" in FORMATS, f"formats.md does not name {name}")
    for column in (folder / "out/jobs.csv").read_text().splitlines()[0].split(","):
        need(f"`{column}`" in FORMATS, f"formats.md does not name {column} of jobs.csv")
    need((folder / "out/timeline.csv").read_text().splitlines()[0] in FORMATS, "timeline.csv has other columns")
    metrics = (SOURCE / "docs/metrics.md").read_text()
    for key in json.loads((folder / "out/summary.json").read_text()):
        need(f"`{key}`" in FORMATS, f"formats.md does not name {key} of summary.json")
        need(f"`{key}`" in metrics, f"metrics.md does not name {key} of summary.json")


@check
def every_policy_is_described(folder):
    text = (SOURCE / "docs/semantics.md").read_text()
    listed = gy_ok(folder, "policy", "list").out.split("\n\n")[0]
    for name in re.findall(r"^  (\S+)", listed, re.M):
        need(f"`{name}`" in text, f"semantics.md does not name {name}")


def options_of(folder, command):
    text = gy_ok(folder, *command.split(), "--help").out
    return sorted(set(re.findall(r"^ +(?:-., )?--([a-z-]+)", text, re.M)) - {"help", "usage"})


@check_each(("run", "compare", "trace info", "trace convert", "trace generate"), name=lambda c: c.replace(" ", "-"))
def the_manual_page_names_every_option_of(folder, command):
    page = (SOURCE / "man/gpuyard.1").read_text()
    options = options_of(folder, command)
    need(len(options) > 4, f"only {options}")
    for option in options:
        need(re.search(rf"Fl -{option}\b", page), f"gpuyard(1) does not name --{option}")


@check_each(("gpuyard.1", "gpuyard-policy.3", "gpuyard-trace.5"))
def a_manual_page_is_clean(_, page):
    done = run([need_program("mandoc"), "-T", "lint", "-W", "warning", SOURCE / "man" / page])
    need(done.code == 0, done.out)


@check
def the_example_of_the_manual_page_is_a_module(folder):
    page = (SOURCE / "man/gpuyard-policy.3").read_text()
    source = re.search(r"\.Bd -literal -offset indent\n(#include.*?)\.Ed", page, re.S).group(1)
    build_module(folder, "widest.so", source)
    gy_ok(folder, "run", "-q", "--trace", jobs(folder), "--cluster", "1x4", "-p", "order=./widest.so,backfill=skip", "-o",
          "out")


def completions(folder, *words):
    script = f'. {SOURCE}/completions/gpuyard.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpuyard; ' \
             'printf "%s\\n" "${COMPREPLY[@]}"'
    return run_ok(["bash", "-c", script, "bash", *words], cwd=folder, env=on_path()).out.split()


@check_each(("run", "compare", "trace info", "trace convert", "trace generate"), name=lambda c: c.replace(" ", "-"))
def bash_completes_every_option_of(folder, command):
    words = command.split() + (["jobs.csv"] if " " in command else [])
    got = {w.rstrip("=") for w in completions(folder, "gpuyard", *words, "--")}
    missing = {f"--{o}" for o in options_of(folder, command)} - got
    need(not missing, f"not {missing}")


@check
def bash_completes_names(folder):
    for words, want in ((("",), "compare"), (("run", "--policy", "ti"), "tiresias"), (("run", "--policy", "=", "ti"), "tiresias"),
                        (("compare", "-p", "ea"), "easy"), (("run", "--cluster", "super"), "superpod-h100-127"),
                        (("trace", ""), "generate"), (("trace", "generate", "--model", "it"), "itp-2021"),
                        (("cluster", "show", "dgx-h"), "dgx-h100"), (("policy", "show", "la"), "las"),
                        (("policy", "new", "mine", "ba"), "backfill"), (("run", "--on-failure", "w"), "wait")):
        need(want in completions(folder, "gpuyard", *words), f"gpuyard {' '.join(words)}: no {want}")
