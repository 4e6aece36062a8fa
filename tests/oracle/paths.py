#!/usr/bin/env python3
"""Sample-path oracles: recursions that give every start or end of a long random trace, to the microsecond.

    paths.py --bin PATH [--jobs N] [--seed S] [--only WORD]

None of them shares a line with the model of fuzz.py. With each run go the identities that hold on every path.
"""

import argparse
import bisect
import heapq
import random
import sys

sys.dont_write_bytecode = True  # leave no files beside the sources
from runs import FOREVER, SECOND, Program, run_all


# ------------------------------------------------------------------------------------------------------------ recursions


def lindley(jobs):
    """One server, first come first served: W' = max(0, W + S - A)."""
    out, wait, before, length = [], 0, None, 0
    for submit, _, duration, *_ in jobs:
        if before is not None:
            wait = max(0, wait + length - (submit - before))
        out.append(submit + wait)
        before, length = submit, duration
    return out


def kiefer_wolfowitz(jobs, gpus):
    """A pool, first come first served, gangs: the vector of the times at which GPUs become free, sorted."""
    free, out, previous = [0] * gpus, [], 0
    for submit, g, duration, *_ in jobs:
        start = max(submit, previous, free[g - 1])
        out.append(start)
        del free[:g]
        at = bisect.bisect_left(free, start + duration)
        free[at:at] = [start + duration] * g
        previous = start
    return out


def shortest_remaining_first(jobs):
    """One server: the ends under preemptive shortest remaining time first."""
    end = [None] * len(jobs)
    waiting, running, since = [], None, 0  # (left, submit, number)
    arrivals = list(range(len(jobs))) + [None]
    for i in arrivals:
        now = jobs[i][0] if i is not None else FOREVER
        while running is not None and since + running[0] <= now:
            since += running[0]
            end[running[2]] = since
            running = heapq.heappop(waiting) if waiting and waiting[0][1] <= since else None
        if i is None:
            break
        if running is not None:
            running = (running[0] - (now - since), running[1], running[2])
        since = now
        heapq.heappush(waiting, (jobs[i][2], now, i))
        # the next arrival of this instant, if any, is looked at when its turn comes: the smallest one wins in the end
        if running is None:
            running = heapq.heappop(waiting)
        elif waiting[0][0] < running[0]:
            running = heapq.heapreplace(waiting, running)
    return end


def backfill(jobs, gpus, conservative):
    """EASY, or conservative, on a pool, by the book: a profile made from nothing whenever something happens."""
    start = [None] * len(jobs)
    ends, running, queue = [], {}, []  # heap of true ends; number -> planned end
    free, nxt = gpus, 0
    while nxt < len(jobs) or ends:
        now = min(jobs[nxt][0] if nxt < len(jobs) else FOREVER, ends[0][0] if ends else FOREVER)
        while ends and ends[0][0] == now:
            _, i = heapq.heappop(ends)
            del running[i]
            free += jobs[i][1]
        while nxt < len(jobs) and jobs[nxt][0] == now:
            queue.append(nxt)
            nxt += 1

        def go(i):
            nonlocal free
            submit, g, duration, limit, _ = jobs[i]
            start[i] = now
            length = duration if limit is None else min(duration, limit)
            if length == 0:
                return
            free -= g
            running[i] = FOREVER if limit is None else now + limit
            heapq.heappush(ends, (now + length, i))

        def planned(i):
            return max(running[i], now + 1)

        left = []
        if conservative:
            profile = [[now, free]]  # [from, free GPUs]
            for end in sorted({planned(i) for i in running}):
                if end < FOREVER:
                    back = sum(jobs[i][1] for i in running if planned(i) == end)
                    profile.append([end, profile[-1][1] + back])
            for i in queue:
                submit, g, duration, limit, _ = jobs[i]
                length = FOREVER if limit is None else limit
                for k, (at, _) in enumerate(profile):
                    last = at + length
                    if all(f >= g for t, f in profile[k:] if t < last):
                        break
                else:
                    left.append(i)
                    continue
                if at == now:
                    go(i)
                    if i not in running:
                        continue
                else:
                    left.append(i)
                times = [t for t, _ in profile]
                if last < FOREVER and last not in times:
                    j = bisect.bisect_left(times, last)
                    profile.insert(j, [last, profile[j - 1][1]])
                for step in profile[k:]:
                    if step[0] < last:
                        step[1] -= g
        else:
            blocked, shadow, extra = False, FOREVER, 0
            for i in queue:
                submit, g, duration, limit, _ = jobs[i]
                last = FOREVER if limit is None else now + limit
                if not blocked:
                    if g <= free:
                        go(i)
                        continue
                    blocked = True
                    left.append(i)
                    room = free
                    for end, gave in sorted((planned(r), jobs[r][1]) for r in running):
                        if end == FOREVER or (room >= g and end > shadow):
                            break
                        room += gave
                        if room >= g and shadow == FOREVER:
                            shadow = end
                    extra = room - g if shadow < FOREVER else 0
                elif g <= free and (shadow == FOREVER or last <= shadow or g <= extra):
                    go(i)
                    if i in running and last > shadow:
                        extra -= g
                else:
                    left.append(i)
        queue = left
    return start


# ---------------------------------------------------------------------------------------------------------------- traces


def trace(rng, n, gpus, load, sizes, limits="exact", grain=1, tail=False):
    """Poisson arrivals; exponential or heavy-tailed lengths, in multiples of `grain` microseconds so that things tie."""
    widths = [sizes(rng) for _ in range(n)]
    mean = sum(widths) / n
    jobs, now = [], 0
    gap = mean / (gpus * load)
    for g in widths:
        now += int(rng.expovariate(1 / gap) * SECOND) // grain * grain
        length = rng.paretovariate(1.6) * 0.375 if tail else rng.expovariate(1.0)
        length = int(length * SECOND) // grain * grain
        if limits == "none":
            limit = None
        elif limits == "exact" or length == 0:
            limit = max(length, 1)
        elif limits == "loose":
            limit = int(length * rng.choice([1, 1.5, 2, 5])) // grain * grain or 1
        else:  # some are too short, some are missing
            limit = rng.choice([None, length, max(grain, length // 2 // grain * grain), length * 2])
        jobs.append((now, g, length, limit, 0))
    return jobs


# ------------------------------------------------------------------------------------------------------------- identities


def integral(course, value, until):
    total = 0
    for i, (t, busy, queued) in enumerate(course):
        end = course[i + 1][0] if i + 1 < len(course) else until
        total += (end - t) * value(busy, queued)
    return total


def identities(jobs, gpus, result):
    """What holds on every path of a run without costs that ends with all jobs over."""
    wrong = []
    end = max(result.end)
    first = min(j[0] for j in jobs)
    work = sum(g * r for (_, g, *_), r in zip(jobs, result.run))
    if integral(result.course, lambda busy, _: round(busy), end) != work:
        wrong.append("the integral of busy GPUs is not the sum of GPUs times run time")
    waits = sum(e - j[0] - r for j, e, r in zip(jobs, result.end, result.run))
    if integral(result.course, lambda _, queued: queued, end) != waits:
        wrong.append("Little: the integral of waiting jobs is not the sum of their waits")
    if any(r != (j[2] if j[3] is None else min(j[2], j[3])) for j, r in zip(jobs, result.run)):
        wrong.append("a job did not run for min(duration, limit)")
    bound = max(max(j[0] + r for j, r in zip(jobs, result.run)), first + -(-work // gpus))
    if end < bound:
        wrong.append("the makespan is shorter than any can be")
    figures = result.figures
    span = gpus * (end - first)
    if abs(figures["utilization"]["installed"] * span - work) > 1e-9 * span:
        wrong.append("utilization.installed is not work / (GPUs x window)")
    if abs(figures["gpu_s"]["useful"] * SECOND - work) > 1:
        wrong.append("gpu_s.useful is not the work")
    done = [e - j[0] for j, e, s in zip(jobs, result.end, result.state) if s == "finished"]
    if done and abs(figures["jct_s"]["mean"] * SECOND * len(done) - sum(done)) > 1e-9 * sum(done) + 1:
        wrong.append("jct_s.mean is not the mean")
    return wrong


# -------------------------------------------------------------------------------------------------------------- the tests


def first_difference(want, got):
    for i, (a, b) in enumerate(zip(want, got)):
        if a != b:
            return f"job {i}: expected {a} us, got {b} us"
    return None


class Tests:
    def __init__(self, program, n, seed):
        self.program, self.n, self.seed = program, n, seed

    def rng(self, *words):
        return random.Random(f"{self.seed}/{'/'.join(map(str, words))}")

    def compare(self, jobs, gpus, policy, starts=None, ends=None, cluster=None):
        try:
            result = self.program.run(jobs, cluster or f"1x{gpus}", policy)
        except RuntimeError as e:
            return [str(e)], None
        wrong = []
        for name, want, got in (("start", starts, result.start), ("end", ends, result.end)):
            text = first_difference(want, got) if want else None
            if text:
                wrong.append(f"{policy}, {name} of {text}")
        return wrong + [f"{policy}: {text}" for text in identities(jobs, gpus, result)], result

    def test_lindley(self):
        for load, tail, grain in ((0.5, False, 1), (0.9, False, 1), (0.98, False, 1000), (0.8, True, 1),
                                  (0.7, False, SECOND)):
            jobs = trace(self.rng("lindley", load, grain), self.n, 1, load, lambda r: 1, "none", grain, tail)
            for policy in ("fifo", "fifo-skip"):
                yield from self.compare(jobs, 1, policy, lindley(jobs))[0]

    def test_pool(self):
        for gpus, load in ((4, 0.8), (8, 0.6), (64, 0.7)):
            for grain in (1, SECOND):
                jobs = trace(self.rng("pool", gpus, grain), self.n, gpus, load,
                             lambda r: min(gpus, r.choice([1, 1, 1, 2, 4, 8, 3])), "none", grain)
                yield from self.compare(jobs, gpus, "fifo", kiefer_wolfowitz(jobs, gpus))[0]

    def test_split_pool(self):
        """Plain gangs may be split anywhere: nodes of any size are one pool under strict order."""
        jobs = trace(self.rng("split"), self.n, 32, 0.7, lambda r: r.choice([1, 2, 3, 5, 8, 12, 32]), "none")
        for cluster in ("4x8", "32x1", "2x8+4x4"):
            for place in ("pack", "first-fit", "best-fit", "worst-fit", "spread"):
                yield from self.compare(jobs, 32, f"fifo:place={place}", kiefer_wolfowitz(jobs, 32), cluster=cluster)[0]

    def test_srpt(self):
        for load, tail, grain in ((0.7, False, 1), (0.95, False, 1), (0.8, True, 1), (0.8, False, SECOND // 2)):
            jobs = trace(self.rng("srpt", load, grain, tail), self.n, 1, load, lambda r: 1, "none", grain, tail)
            ends = shortest_remaining_first(jobs)
            wrong, best = self.compare(jobs, 1, "srtf", ends=ends)
            yield from wrong
            if best is None:
                continue
            total = sum(e - j[0] for j, e in zip(jobs, best.end))
            busy = [(t, b) for t, b, _ in best.course]
            for policy in ("fifo", "sjf", "las:quantum_s=1", "priority", "tiresias:thresholds=1|3", "order=ljf",
                           "order=sjf,evict=priority,backfill=skip", "order=srsf,evict=srtf,backfill=skip"):
                wrong, other = self.compare(jobs, 1, policy)
                yield from wrong
                if other is None:
                    continue
                if sum(e - j[0] for j, e in zip(jobs, other.end)) < total:
                    yield f"{policy} has a smaller sum of completion times than srtf"
                # work-conserving: the server is busy at the very same times under all of them
                mine = [(t, b) for t, b, _ in other.course]
                if busy_spans(mine) != busy_spans(busy):
                    yield f"{policy} is busy at other times than srtf"

    def test_backfill(self):
        n = min(self.n, 6000)
        for limits in ("exact", "loose", "mixed", "none"):
            for gpus, load, grain in ((4, 0.75, SECOND), (16, 0.8, 1), (64, 0.85, 1000)):
                jobs = trace(self.rng("backfill", limits, gpus), n, gpus, load,
                             lambda r: min(gpus, r.choice([1, 1, 1, 2, 4, 8, 16, 3])), limits, grain)
                for conservative in (False, True):
                    policy = "conservative" if conservative else "easy"
                    starts = backfill(jobs, gpus, conservative)
                    wrong, _ = self.compare(jobs, gpus, policy, starts)
                    yield from (f"{limits} limits, {gpus} GPUs: {text}" for text in wrong)
                    if conservative and limits == "exact":
                        late = [i for i, (a, b) in enumerate(zip(starts, kiefer_wolfowitz(jobs, gpus))) if a > b]
                        if late:
                            yield f"conservative starts job {late[0]} later than fifo, with exact limits"

    def test_examples(self):
        """Worked examples: 4 GPUs, all submitted at 0, jobs (GPUs, time)."""
        one = [(3, 2), (2, 6), (2, 2), (1, 3), (1, 1)]
        two = [(1, 1), (1, 3), (4, 1), (3, 1), (1, 2)]
        for jobs, want in ((one, {"fifo": [0, 2, 2, 4, 4], "easy": [0, 2, 3, 0, 2], "conservative": [0, 2, 2, 4, 0]}),
                           (two, {"fifo": [0, 0, 3, 4, 4], "easy": [0, 0, 3, 2, 0], "conservative": [0, 0, 3, 1, 4]})):
            rows = [(0, g, d * SECOND, d * SECOND, 0) for g, d in jobs]
            for policy, starts in want.items():
                yield from self.compare(rows, 4, policy, [s * SECOND for s in starts])[0]
        for limit, starts in ((10, [0, 4, 0]), (2, [0, 2, 7])):
            rows = [(0, 1, 2 * SECOND, limit * SECOND, 0), (0, 2, 5 * SECOND, 5 * SECOND, 0),
                    (0, 1, 4 * SECOND, 4 * SECOND, 0)]
            yield from self.compare(rows, 2, "easy", [s * SECOND for s in starts])[0]


def busy_spans(course):
    out = []
    for t, busy in course:
        if not out or out[-1][1] != busy:
            out.append((t, busy))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--jobs", type=int, default=20000, help="jobs of each trace")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    program = Program(args.bin)
    return run_all(program, Tests(program, args.jobs, args.seed), "test_", args.only)


if __name__ == "__main__":
    sys.exit(main())
