#!/usr/bin/env python3
"""Closed forms of queueing theory: means of long random runs against the formula, within confidence intervals.

    laws.py --bin PATH [--slow] [--seed S] [--only WORD]

The quick tier takes 20,000 jobs of each law and leaves out what needs more; the slow one takes a million. Seeds are fixed,
so a run that passes passes always. Times are in units of the mean service time (1 s) unless the law says otherwise.
Numbers beside a law are computed here from its formula; those of the literature are only checked against them.
"""

import argparse
import math
import random
import sys

sys.dont_write_bytecode = True  # leave no files beside the sources
from runs import SECOND, Program, run_all, text_of

# ------------------------------------------------------------------------------------------------------------- formulas


def erlang(c, rho):
    """(B, C, Wq) of M/M/c with service rate 1."""
    a = c * rho
    b = 1.0
    for k in range(1, c + 1):
        b = a * b / (k + a * b)
    wait = b / (1 - rho * (1 - b))
    return b, wait, wait / (c * (1 - rho))


def integrate(f, a, b, n=2000):
    """Simpson."""
    h = (b - a) / n
    return h / 3 * (f(a) + f(b) + sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, n)))


def exponential_means(rho):
    """Mean time in system of M/M/1, E[S] = 1, under SJF, preemptive SJF and SRPT."""
    def density(x):
        return math.exp(-x)

    def load_below(x):  # rho(x) = lambda * E[S; S < x]
        return rho * (1 - math.exp(-x) * (1 + x))

    def square_below(x):  # E[S^2; S < x]
        return 2 - math.exp(-x) * (x * x + 2 * x + 2)

    top, steps = 40.0, 4000
    h = top / steps
    sjf = psjf = srpt = 0.0
    inner = 0.0  # integral of 1 / (1 - rho(t)) from 0 to x
    for i in range(steps):
        x = (i + 0.5) * h
        r = load_below(x)
        inner_mid = inner + 0.5 * h / (1 - load_below(x - 0.25 * h))
        inner += h / (1 - r)
        weight = density(x) * h
        sjf += weight * (rho / (1 - r) ** 2 + x)  # lambda E[S^2] / 2 = rho
        psjf += weight * (rho * square_below(x) / 2 / (1 - r) ** 2 + x / (1 - r))
        srpt += weight * (rho / 2 * (square_below(x) + x * x * math.exp(-x)) / (1 - r) ** 2 + inner_mid)
    return {"sjf": sjf, "psjf": psjf, "srpt": srpt}


def two_point_means(rho):
    """Sizes 1 (probability .9) and 10 (.1): (all, small, large) under each policy."""
    mean, square = 1.9, 10.9
    lam = rho / mean
    small_load = lam * 0.9
    fcfs = lam * square / 2 / (1 - rho)
    out = {"fcfs": (fcfs + 1, fcfs + 10)}
    w0 = lam * square / 2
    out["sjf"] = (w0 / (1 - small_load) + 1, w0 / ((1 - small_load) * (1 - rho)) + 10)
    out["psjf"] = ((small_load / 2) / (1 - small_load) + 1,
                   w0 / ((1 - small_load) * (1 - rho)) + 10 / (1 - small_load))
    # srpt: large jobs with at most 1 left are as good as the small ones
    out["srpt"] = (lam / 2 * (0.9 + 0.1) / (1 - small_load) + 1,
                   w0 / ((1 - small_load) * (1 - rho)) + 1 + 9 / (1 - small_load))
    r1 = lam  # E[min(S, 1)] = 1
    out["las"] = (lam / 2 / (1 - r1) ** 2 + 1 / (1 - r1), w0 / (1 - rho) ** 2 + 10 / (1 - rho))
    return {k: (0.9 * a + 0.1 * b, a, b) for k, (a, b) in out.items()}


def head_of_line(n, p):
    """Utilisation of a saturated first-come queue: n GPUs, jobs of 1 GPU (p) or of all n (1 - p), lengths exp(1)."""
    q = 1 - p
    harmonic = [0.0]
    for k in range(1, n + 1):
        harmonic.append(harmonic[-1] + 1 / k)
    rate = (1 / q) / (1 + sum(q * p**g * harmonic[g] for g in range(1, n)) + p**n * (harmonic[n] + p / (q * n)))
    return rate * (p + q * n) / n


def daly(mtbf, save, restart, interval):
    """Expected time per interval of work, with failures at rate 1 / mtbf."""
    return mtbf * math.exp(restart / mtbf) * (math.exp((interval + save) / mtbf) - 1)


# ------------------------------------------------------------------------------------------------------------- estimates


def estimate(values, batches=40):
    """Mean and its standard error by batch means, without the first twentieth."""
    values = values[len(values) // 20:]
    size = len(values) // batches
    means = [sum(values[i * size:(i + 1) * size]) / size for i in range(batches)]
    mean = sum(means) / batches
    error = math.sqrt(sum((m - mean) ** 2 for m in means) / (batches - 1) / batches)
    return mean, error


class Laws:
    def __init__(self, program, slow, seed):
        self.program, self.slow, self.seed = program, slow, seed
        self.n = 1_000_000 if slow else 20_000
        self.checked = 0

    def rng(self, *words):
        return random.Random(f"{self.seed}/{'/'.join(map(str, words))}")

    def near(self, name, got, error, want, slack=1e-4):
        """Within four standard errors; `slack` is for what the run only approximates."""
        self.checked += 1
        if abs(got - want) > 4 * error + slack * want:
            yield f"{name}: expected {want:.6f}, got {got:.6f} +- {error:.6f}"
        elif self.slow and error > 0.05 * want:
            yield f"{name}: the run says too little: {got:.6f} +- {error:.6f}"

    def queue(self, rng, rate, size, classes=None, n=None):
        """Poisson arrivals at `rate` per second; size(rng) gives (seconds, priority)."""
        jobs, now = [], 0.0
        for _ in range(n or self.n):
            now += rng.expovariate(rate)
            length, priority = size(rng)
            jobs.append((int(now * SECOND), 1, int(length * SECOND), None, priority))
        return jobs

    @staticmethod
    def in_system(jobs, result):
        return [(e - j[0]) / SECOND for j, e in zip(jobs, result.end)]

    # ---- one server

    def law_single(self):
        """M/M/1: first come, and blind policies, have the same mean; SJF, preemptive SJF, SRPT have their own."""
        for rho in (0.5, 0.7, 0.8, 0.9, 0.95) if self.slow else (0.5, 0.7):
            jobs = self.queue(self.rng("mm1", rho), rho, lambda r: (r.expovariate(1.0), 0))
            want = exponential_means(rho)
            want["fcfs"] = want["las"] = want["tiresias"] = want["last"] = 1 / (1 - rho)
            for policy, law in (("fifo", "fcfs"), ("sjf", "sjf"), ("srtf", "srpt"), ("las:quantum_s=0.5", "las"),
                                ("tiresias:thresholds=0.5|1|3", "tiresias"),
                                ("order=sjf,evict=priority,backfill=skip", "psjf")):
                if law in ("las", "tiresias") and rho > 0.8:
                    continue
                result = self.program.run(jobs, "1x1", policy)
                yield from self.near(f"M/M/1 rho {rho} {policy}", *estimate(self.in_system(jobs, result)), want[law])

    def law_two_point(self):
        """M/G/1 with sizes 1 and 10: means of all, of the small and of the large jobs."""
        for rho in (0.5, 0.8) if self.slow else (0.5,):
            wants = two_point_means(rho)
            jobs = self.queue(self.rng("two", rho), rho / 1.9, lambda r: (1.0 if r.random() < 0.9 else 10.0, 0))
            for policy, law in (("fifo", "fcfs"), ("sjf", "sjf"), ("srtf", "srpt"), ("las:quantum_s=0.05", "las"),
                                ("order=sjf,evict=priority,backfill=skip", "psjf")):
                if law == "las" and not self.slow:
                    continue
                some = jobs[:200_000] if law == "las" else jobs
                result = self.program.run(some, "1x1", policy)
                times = self.in_system(some, result)
                slack = 0.03 if law == "las" else 1e-4  # a quantum of 0.05 is not none
                small = [t for t, j in zip(times, some) if j[2] == SECOND]
                large = [t for t, j in zip(times, some) if j[2] != SECOND]
                for name, values, want in zip(("all", "small", "large"), (times, small, large), wants[law]):
                    yield from self.near(f"M/G/1 rho {rho} {policy} {name}", *estimate(values), want, slack)

    def law_priority(self):
        """Two classes on one server, with and without preemption."""
        lam = (0.3, 0.4)

        def size(r):
            return r.expovariate(1.0), 2 if r.random() < 3 / 7 else 1

        jobs = self.queue(self.rng("priority"), sum(lam), size)
        w0, s1, s2 = sum(lam), lam[0], sum(lam)
        queue = (w0 / (1 - s1), w0 / ((1 - s1) * (1 - s2)))
        stay = ((1 - s1 + lam[0]) / (1 - s1), (1 - s2 + w0) / ((1 - s1) * (1 - s2)))
        for policy, extra, wants in (("order=priority,evict=none,backfill=strict", -1, queue), ("priority", 0, stay)):
            result = self.program.run(jobs, "1x1", policy)
            for priority, want in zip((2, 1), wants):
                times = [(e - j[0]) / SECOND + (extra * j[2] / SECOND if extra else 0)
                         for j, e in zip(jobs, result.end) if j[4] == priority]
                yield from self.near(f"priority {priority}, {policy}", *estimate(times), want)

    # ---- many servers

    def law_pool(self):
        """M/M/c: mean wait and the share of jobs that wait."""
        rows = ((2, 0.8), (4, 0.8), (8, 0.8), (8, 0.9), (16, 0.9), (64, 0.9), (64, 0.95), (128, 0.95), (1024, 0.99))
        for c, rho in rows if self.slow else ((2, 0.8), (8, 0.8), (16, 0.9)):
            _, waits, mean = erlang(c, rho)
            jobs = self.queue(self.rng("mmc", c, rho), c * rho, lambda r: (r.expovariate(1.0), 0))
            clusters = [f"1x{c}"] + ([f"{c // 8}x8"] if c % 8 == 0 and c > 8 else [])
            for cluster in clusters:
                result = self.program.run(jobs, cluster, "fifo")
                wait = [(s - j[0]) / SECOND for j, s in zip(jobs, result.start)]
                slack = 0.02 if c == 1024 else 1e-4  # it takes long to forget that it began empty
                yield from self.near(f"M/M/{c} rho {rho} on {cluster}, wait", *estimate(wait), mean, slack)
                yield from self.near(f"M/M/{c} rho {rho} on {cluster}, share that waits",
                                     *estimate([1.0 if w > 0 else 0.0 for w in wait]), waits, slack)

    def law_head_of_line(self):
        """Saturated queue of narrow and full-width jobs: what strict order wastes; skip and EASY waste less."""
        for n, p in ((2, 0.5), (4, 0.5), (8, 0.9), (8, 0.95), (64, 0.99)) if self.slow else ((2, 0.5), (4, 0.5)):
            rng = self.rng("hol", n, p)
            jobs = []
            count = self.n // 2
            for _ in range(count):
                length = int(rng.expovariate(1.0) * SECOND) or 1
                jobs.append((0, 1 if rng.random() < p else n, length, length, 0))
            result = self.program.run(jobs, f"1x{n}", "fifo")
            batches, busy = 40, []
            size = count // batches
            for b in range(batches):
                some = range(b * size, (b + 1) * size)
                last = result.start[(b + 1) * size] if (b + 1) * size < count else max(result.end)
                busy.append(sum(jobs[i][1] * jobs[i][2] for i in some) / (n * (last - result.start[b * size])))
            mean = sum(busy) / batches
            error = math.sqrt(sum((x - mean) ** 2 for x in busy) / (batches - 1) / batches)
            yield from self.near(f"head-of-line blocking {n}, {p}", mean, error, head_of_line(n, p), 2e-3)
            if count <= 20_000:
                for policy in ("fifo-skip", "easy"):
                    other = self.program.run(jobs, f"1x{n}", policy)
                    self.checked += 1
                    if max(other.end) > max(result.end):
                        yield f"{policy} takes longer than strict order on {n} GPUs, p {p}"

    # ---- failures

    def law_checkpoints(self):
        """One long job, failures at random, checkpoints: time per interval of work."""
        rows = ((1000, 10, 20, 100), (3600, 30, 60, 600))
        for mtbf, save, restart, interval in rows:
            means = []
            parts = 2000 if self.slow else 500
            for k in range(40 if self.slow else 20):
                rng = self.rng("daly", mtbf, k)
                want = daly(mtbf, save, restart, interval)
                lines, t = [], 0
                while t < 3 * parts * want * SECOND:
                    t += max(2, int(rng.expovariate(1 / mtbf) * SECOND))
                    lines += [f"{text_of(t)},down,n0,", f"{text_of(t + 1)},up,n0,"]
                events = self.program.root / "events.csv"
                events.write_text("time_s,event,target,value\n" + "\n".join(lines) + "\n", encoding="utf-8")
                result = self.program.run_rows("job_id,submit_s,gpus,duration_s,checkpoint_s",
                                               [f"1,0,8,{parts * interval},{interval}"], "1x8", "fifo", "--events",
                                               str(events), "--start-cost-s", str(restart), "--checkpoint-cost-s",
                                               str(save))
                # the first start is no restart, and the end of the work saves nothing
                means.append((result.end[0] / SECOND - restart + save) / parts)
            mean = sum(means) / len(means)
            error = math.sqrt(sum((m - mean) ** 2 for m in means) / (len(means) - 1) / len(means))
            yield from self.near(f"checkpoints every {interval} s, failures every {mtbf} s", mean, error, want, 5e-4)


# ------------------------------------------------------------------------------------------------------------------ main

PUBLISHED = [  # the formulas above against numbers worked out elsewhere
    ("Erlang C 2 .8", lambda: erlang(2, 0.8)[1], 0.71111111), ("Wq 64 .95", lambda: erlang(64, 0.95)[2], 0.18375342),
    ("Wq 1024 .99", lambda: erlang(1024, 0.99)[2], 0.0640233), ("Erlang B 16 .9", lambda: erlang(16, 0.9)[0], 0.12641189),
    ("SJF .8", lambda: exponential_means(0.8)["sjf"], 2.882219), ("SJF .5", lambda: exponential_means(0.5)["sjf"], 1.712686),
    ("PSJF .9", lambda: exponential_means(0.9)["psjf"], 4.051773), ("SRPT .5", lambda: exponential_means(0.5)["srpt"], 1.425373),
    ("SRPT .9", lambda: exponential_means(0.9)["srpt"], 3.552125), ("two-point FCFS .8", lambda: two_point_means(0.8)["fcfs"][0], 13.373684),
    ("two-point SJF .5", lambda: two_point_means(0.5)["sjf"][0], 3.967241),
    ("two-point SJF large .8", lambda: two_point_means(0.8)["sjf"][2], 28.474576),
    ("two-point PSJF .8", lambda: two_point_means(0.8)["psjf"][0], 4.632203),
    ("two-point SRPT .5", lambda: two_point_means(0.5)["srpt"][0], 2.710345),
    ("two-point SRPT small .8", lambda: two_point_means(0.8)["srpt"][1], 1.338983),
    ("two-point SRPT large .8", lambda: two_point_means(0.8)["srpt"][2], 33.966102),
    ("two-point LAS .5", lambda: two_point_means(0.5)["las"][0], 4.013225),
    ("two-point LAS large .8", lambda: two_point_means(0.8)["las"][2], 107.368421),
    ("blocking 2 .5", lambda: head_of_line(2, 0.5), 6 / 7), ("blocking 64 .99", lambda: head_of_line(64, 0.99), 0.424106),
    ("checkpoints", lambda: daly(1000, 10, 20, 100), 118.62704), ("checkpoints", lambda: daly(3600, 30, 60, 600), 700.05731),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--slow", action="store_true", help="a million jobs of each law")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    bad = 0
    for name, formula, number in PUBLISHED:
        if abs(formula() - number) > 2e-5 * number:
            print(f"FAIL formula {name}: {formula():.7f} here, {number} elsewhere")
            bad += 1
    program = Program(args.bin)
    laws = Laws(program, args.slow, args.seed)

    def means():
        checked, laws.checked = laws.checked, 0
        return f": {checked} means"

    return max(1 if bad else 0, run_all(program, laws, "law_", args.only, means))


if __name__ == "__main__":
    sys.exit(main())
