#!/usr/bin/env python3
"""A naive model of a gpuyard run, written from the definitions and not from the program.

simulate(scenario) replays a small scenario and returns what jobs.csv, summary.json and timeline.csv must say.
Nothing here is clever: no index, no heap, no cache. Every pass looks at every job and every node anew, every plan is made
from nothing, and every number is exact: microseconds, thousandths of a GPU, fractions.

A scenario is a dictionary of plain values, the very ones that are written to the files of the program:

    cluster   a cluster file: {"nodes": [{"gpus": 4, "gpu_type": "h100", ...}], "queues": [...]}
    jobs      rows of a canonical trace: {"job_id": "A", "submit_s": "0", "gpus": "1", "duration_s": "5", ...}
    events    rows of a file of cluster events: {"time_s": "10", "event": "down", "target": "n0", "value": ""}
    policy    "easy", "las:quantum_s=10", "order=srtf,evict=priority,backfill=skip", ...
    options   {"start-cost-s": "3", "horizon": "100", ...}, without the dashes

The program's own file formats are the only thing that the two have in common.
"""

import re
from decimal import Decimal
from fractions import Fraction

FOREVER = 1 << 80  # a time that does not come
WHOLE = 1000  # thousandths of one GPU

PRESETS = {
    "fifo": {"order": "fifo", "backfill": "strict"},
    "fifo-skip": {"order": "fifo", "backfill": "skip"},
    "sjf": {"order": "sjf", "backfill": "strict"},
    "srtf": {"order": "srtf", "evict": "priority", "backfill": "skip"},
    "srsf": {"order": "srsf", "evict": "priority", "backfill": "skip"},
    "easy": {"order": "fifo", "backfill": "easy"},
    "conservative": {"order": "fifo", "backfill": "conservative"},
    "priority": {"order": "priority", "evict": "priority", "backfill": "strict"},
    "las": {"order": "las", "evict": "priority", "backfill": "skip"},
    "tiresias": {"order": "tiresias", "evict": "priority", "backfill": "skip"},
    "drf": {"order": "drf", "backfill": "skip"},
}
PERFECT_BY_DEFAULT = {"sjf", "ljf", "srtf", "srsf"}
GPU_MEMORY_GB = {"h100": 80, "a100": 80, "t4": 16}  # of the types that the scenarios use; no type: no bound


def exact(text, scale):
    value = Decimal(str(text)) * scale
    if value != int(value):
        raise ValueError(f"{text} cannot be kept exactly")
    return int(value)


def micro(text):
    return exact(text, 1_000_000)


def optional_micro(text):
    return None if text in (None, "") else micro(text)


def id_order(text):
    """Numbers come before other ids; numbers of equal value, and other ids, are ordered by bytes."""
    if text.isascii() and text.isdigit():
        return (0, int(text), text.encode())
    return (1, 0, text.encode())


# ---------------------------------------------------------------------------------------------------- what there is


class Job:
    def __init__(self, row, number):
        def cell(name, default=""):
            value = row.get(name)
            return default if value in (None, "") else value

        self.number = number
        self.id = cell("job_id")
        self.user, self.queue = cell("user"), cell("queue")
        self.submit = micro(cell("submit_s"))
        self.milli = exact(cell("gpus"), WHOLE)
        self.duration = micro(cell("duration_s"))
        self.limit = optional_micro(cell("limit_s"))
        self.priority = int(cell("priority", 0))
        self.log_state = cell("state", "completed")
        self.types = {t.lower() for t in cell("gpu_type").split("|")} if cell("gpu_type") else None
        self.gpu_mem = micro(cell("gpu_mem_gb", 0))
        self.cpus, self.mem = micro(cell("cpus", 0)), micro(cell("mem_gb", 0))
        self.tasks = int(cell("tasks", 0))
        self.require, self.prefer = cell("require"), cell("prefer")
        self.interval = optional_micro(cell("checkpoint_s"))
        self.after = [x for x in str(cell("after")).split(";") if x]
        self.deadline = optional_micro(cell("deadline_s"))
        self.not_before = optional_micro(cell("eligible_s"))
        self.preemptible = str(cell("preemptible", 1)) != "0"
        # how the job is cut into units, each inside one node
        if self.milli >= WHOLE:
            self.units = self.tasks or self.milli // WHOLE
            self.gpus_per_unit = self.milli // WHOLE // self.units
        else:
            self.units = self.tasks or 1
            self.gpus_per_unit = 0
        self.is_share = 0 < self.milli < WHOLE
        self.floats = False  # asks for nothing that a node could be short of, so it is on no node
        # its course
        self.work = self.duration if self.limit is None else min(self.duration, self.limit)
        self.eligible = self.start = self.end = None
        self.state = ""  # not submitted yet
        self.kept = 0  # work of earlier runs that is not lost
        self.run = self.last_run = None  # the present run, and the one before
        self.bound = None  # since when it waits, on its GPUs, for a repair
        self.placement = []  # of the present run: (node, [GPU numbers], cpus, mem)
        self.last_placement = []
        self.held_before = 0  # time during which it held GPUs, in earlier runs
        self.starts = self.preemptions = self.lost = 0

    @property
    def place_in_line(self):
        return (self.submit, id_order(self.id))

    def over(self):
        return self.state in ("finished", "failed", "killed", "timeout", "infeasible")


class Node:
    def __init__(self, number, spec):
        self.number = number
        self.name = f"n{number}"
        self.gpus = spec["gpus"]
        self.type = spec.get("gpu_type", "").lower()
        self.cpus = None if spec.get("cpus") is None else micro(spec["cpus"])
        self.mem = None if spec.get("mem_gb") is None else micro(spec["mem_gb"])
        self.leaf, self.queue = spec.get("leaf"), spec.get("queue")
        self.gpu_mem = micro(GPU_MEMORY_GB[self.type]) if self.type in GPU_MEMORY_GB else None
        self.down, self.drained = set(), set()  # GPU numbers, and "node" for the node as a whole

    def is_down(self, gpu):
        return gpu in self.down or "node" in self.down

    def is_drained(self, gpu):
        return gpu in self.drained or "node" in self.drained

    def usable(self, gpu):
        return not self.is_down(gpu) and not self.is_drained(gpu)


class Run:
    """One run of a job: its pieces (from, to, kind), kind 'work' or 'pause', and what is saved when."""

    def __init__(self, job, now, costs):
        self.start = now
        self.kept_before = job.kept
        self.pieces = []
        self.saves = []  # (time, work kept by then)
        t = now

        def piece(length, kind):
            nonlocal t
            if length:
                self.pieces.append((t, t + length, kind))
            t += length

        piece(costs["start"], "pause")
        if job.kept:
            piece(costs["restore"], "pause")
        done = job.kept
        while done < job.work:
            step = job.work - done
            if job.interval:
                step = min(step, job.interval)
            piece(step, "work")
            done += step
            if done < job.work:
                piece(costs["checkpoint"], "pause")
                self.saves.append((t, done))
        self.end = t

    def work_by(self, t):
        """Work done in this run before t."""
        return sum(min(b, t) - a for a, b, kind in self.pieces if kind == "work" and a < t)

    def saved_by(self, t):
        """Work, of all runs, that a failure at t leaves."""
        return max([self.kept_before] + [work for when, work in self.saves if when <= t])


# ------------------------------------------------------------------------------------------------------------- room


class Room:
    """What one node has to give: now, at its least over a stretch of a plan, or with some jobs stopped."""

    def __init__(self, node, free, cpus, mem, cards, alive=True):
        self.node = node
        self.free = free  # whole GPUs
        self.cpus, self.mem = cpus, mem  # None: not declared
        self.cards = cards  # {GPU: (thousandths, memory)} for shares
        self.alive = alive  # may a job without GPUs be here?

    def copy(self):
        return Room(self.node, self.free, self.cpus, self.mem, self.cards, self.alive)


def suits(job, node):
    if job.milli and job.types is not None and node.type not in job.types:
        return False
    return not (job.milli and job.gpu_mem and node.gpu_mem is not None and job.gpu_mem > node.gpu_mem)


def cards_for(job, room):
    """The cards that could take a share, the tightest first, then the lowest."""
    return sorted((milli, gpu) for gpu, (milli, mem) in room.cards.items()
                  if milli >= job.milli and (mem is None or mem >= job.gpu_mem))


def hold(job, room):
    """How many units of the job fit in here."""
    if not suits(job, room.node):
        return 0
    if job.is_share:
        most = 1 if cards_for(job, room) else 0
    elif job.milli:
        most = room.free // job.gpus_per_unit
    else:
        most = job.units if room.alive else 0
    for need, have in ((job.cpus, room.cpus), (job.mem, room.mem)):
        if need and have is not None:
            most = min(most, have * job.units // need)
    return min(most, job.units)


def choose(job, rooms, left, rule):
    """(room, units) of the next step of the placement rule, or None."""
    can = [r for r in rooms if hold(job, r) > 0]
    if not can:
        return None
    enough = [r for r in can if hold(job, r) >= left]

    def lowest(r):
        return r.node.number

    def tightest(some):
        if job.is_share:
            return min(some, key=lambda r: (cards_for(job, r)[0][0], lowest(r)))
        return min(some, key=lambda r: (r.free, lowest(r)))

    def roomiest(some):
        return min(some, key=lambda r: (-hold(job, r), lowest(r)))

    if rule == "pack":
        room = tightest(enough) if enough else roomiest(can)
    elif rule == "first-fit":
        room = min(enough or can, key=lowest)
    elif rule == "best-fit":
        room = tightest(enough or can)
    elif rule == "worst-fit":
        room = roomiest(can)
    elif rule == "spread":
        return roomiest(can), 1
    else:
        raise ValueError(rule)
    return room, min(left, hold(job, room))


def place_in(job, rooms, rule):
    """{node: units} by the rule in these rooms, or None."""
    rooms = [r.copy() for r in rooms]
    taken, left = {}, job.units
    while left:
        step = choose(job, rooms, left, rule)
        if step is None:
            return None
        room, units = step
        taken[room.node] = taken.get(room.node, 0) + units
        left -= units
        room.free -= units * job.gpus_per_unit
        if room.cpus is not None:
            room.cpus -= Fraction(job.cpus * units, job.units)
        if room.mem is not None:
            room.mem -= Fraction(job.mem * units, job.units)
    return taken


def place_at_level(job, rooms, rule, level):
    if level == "node":
        rooms = [r for r in rooms if hold(job, r) >= job.units]
        best = choose(job, rooms, job.units, rule)
        return None if best is None else {best[0].node: job.units}
    if level == "leaf":
        leaves = {}
        for r in rooms:
            if r.node.leaf is not None:
                leaves.setdefault(r.node.leaf, []).append(r)
        fits = []
        for number, some in enumerate(leaves.values()):
            taken = place_in(job, some, rule)
            if taken is not None:
                fits.append((sum(r.free for r in some), number, taken))
        return min(fits, key=lambda f: f[:2])[2] if fits else None
    return place_in(job, rooms, rule)


def place(job, rooms, rule):
    """The placement rule: {node: units}, or None when there is no room."""
    if job.floats:
        return {}
    if (job.prefer, job.require) in (("node", ""), ("node", "any"), ("leaf", ""), ("leaf", "any"), ("node", "leaf")):
        inside = [r for r in rooms if r.node.leaf is not None or job.require != "leaf"]
        taken = place_at_level(job, inside, rule, job.prefer)
        if taken is not None:
            return taken
    return place_at_level(job, rooms, rule, job.require)


# -------------------------------------------------------------------------------------------------------- the policy


class Policy:
    def __init__(self, spec, cluster_has_quota):
        stages, settings = {}, {}
        name, colon, rest = spec.partition(":")
        if "=" in name:
            parts = spec.split(",")
        else:
            stages.update(PRESETS[name])
            parts = rest.split(",") if colon else []
        for part in parts:
            key, _, value = part.partition("=")
            (stages if key in ("order", "admit", "place", "evict", "backfill") else settings)[key] = value
        self.order = stages.get("order", "fifo")
        self.admit = stages.get("admit", "quota" if cluster_has_quota else "none")
        self.place = stages.get("place", "pack")
        self.evict = stages.get("evict", "none")
        self.backfill = stages.get("backfill", "strict")
        self.estimate = settings.get("estimate")
        self.quantum = micro(settings.get("quantum_s", "300"))
        self.thresholds = [micro(x) * WHOLE for x in settings.get("thresholds", "3250|7200").split("|")]

    def estimator(self, stage):
        return self.estimate or ("perfect" if stage in PERFECT_BY_DEFAULT else "limit")


# ---------------------------------------------------------------------------------------------------- the simulation


class Endless(Exception):
    """Jobs stop each other again and again: no end within the instants that a small scenario could need."""


class Model:
    def __init__(self, scenario):
        cluster = scenario["cluster"]
        self.nodes = []
        for group in cluster["nodes"]:
            for _ in range(group.get("count", 1)):
                self.nodes.append(Node(len(self.nodes), group))
        self.quota = {q["name"]: q["quota"] * WHOLE for q in cluster.get("queues", []) if q.get("quota") is not None}
        self.owners = {n.queue for n in self.nodes if n.queue}
        self.jobs = [Job(row, i) for i, row in enumerate(scenario["jobs"])]
        for job in self.jobs:
            job.floats = job.milli == 0 and not (job.cpus and any(n.cpus is not None for n in self.nodes)) and not (
                job.mem and any(n.mem is not None for n in self.nodes))
        self.by_id = {j.id: j for j in self.jobs}
        self.events = [(micro(e["time_s"]), e["event"], e["target"], e.get("value", ""))
                       for e in scenario.get("events", [])]
        self.policy = Policy(scenario["policy"], bool(self.quota) or any(e[1] == "quota" for e in self.events))
        options = scenario.get("options", {})
        self.costs = {k: micro(options.get(f"{k}-cost-s", 0)) for k in ("start", "restore", "checkpoint")}
        self.kill = options.get("preempt-mode", "checkpoint") == "kill"
        self.on_failure = options.get("on-failure", "requeue")
        self.horizon = optional_micro(options.get("horizon"))
        self.window_start = optional_micro(options.get("window-start"))
        self.window_end = optional_micro(options.get("window-end"))
        self.tau = micro(options.get("bounded-slowdown-tau", 10))
        self.now = None
        self.waiting, self.running = [], []
        self.bound = []
        self.last_left = None  # when GPUs were given back last
        self.held = []  # (from, to, job, kind): GPU time by what became of it
        self.course = []  # (time, busy, down, queued jobs, queued GPUs)
        self.bound_course = []  # {user: thousandths of GPUs that are up, yet bound to a job that waits for others}
        self.victim_was_looked_at = self.bound_was_hit = self.ever_bound = False

    # ---- capacity

    def domain(self, job):
        """The queue that owns the nodes the job may use, or None: the nodes without an owner."""
        return job.queue if job.queue in self.owners else None

    def nodes_of(self, domain):
        return [n for n in self.nodes if n.queue == domain]

    def empty_room(self, node):
        cards = {g: (WHOLE, node.gpu_mem) for g in range(node.gpus)}
        return Room(node, node.gpus, node.cpus, node.mem, cards)

    def room(self, node, holders):
        """What the node has free beside the placements of these jobs."""
        cards = {g: [WHOLE, node.gpu_mem] for g in range(node.gpus) if node.usable(g)}
        cpus, mem = node.cpus, node.mem
        for job in holders:
            for where, gpus, job_cpus, job_mem in job.placement:
                if where is not node:
                    continue
                if cpus is not None:
                    cpus -= job_cpus
                if mem is not None:
                    mem -= job_mem
                for g in gpus:
                    if g in cards:
                        cards[g][0] -= min(job.milli, WHOLE)
                        if cards[g][1] is not None:
                            cards[g][1] -= job.gpu_mem if job.is_share else cards[g][1]
        free = [g for g, (milli, _) in cards.items() if milli == WHOLE]
        return Room(node, len(free), cpus, mem, {g: tuple(c) for g, c in cards.items()}, node.usable("node"))

    def rooms(self, domain, without=()):
        holders = [j for j in self.running + self.bound if j not in without]
        return [self.room(n, holders) for n in self.nodes_of(domain) if n.usable("node")]

    # ---- keys

    def estimate(self, job, stage):
        if self.policy.estimator(stage) == "perfect":
            return job.work
        return FOREVER if job.limit is None else job.limit

    def done(self, job):
        """Work that is done and not lost."""
        return job.kept + (job.run.work_by(self.now) if job.run else 0)

    def gpu_time(self, job):
        held = job.held_before
        if job.run:
            held += self.now - job.run.start
        elif job.bound is not None:
            held += self.now - job.bound
        return held * job.milli

    def left(self, job, stage):
        e = self.estimate(job, stage)
        return FOREVER if e == FOREVER else max(0, e - self.done(job))

    def share(self, user):
        """The largest of the user's shares of what is installed."""
        mine = [j for j in self.running + self.bound if j.user == user]
        held = [sum(j.milli for j in mine), sum(j.cpus for j in mine), sum(j.mem for j in mine)]
        have = [sum(n.gpus for n in self.nodes) * WHOLE, sum(n.cpus or 0 for n in self.nodes),
                sum(n.mem or 0 for n in self.nodes)]
        return max(h * 10**18 // all_ if all_ else 0 for h, all_ in zip(held, have))

    def key(self, job, stage):
        if stage == "fifo":
            return 0
        if stage == "priority":
            return -job.priority
        if stage == "sjf":
            return self.estimate(job, stage)
        if stage == "ljf":
            return -self.estimate(job, stage)
        if stage == "srtf":
            return self.left(job, stage)
        if stage == "srsf":
            left = self.left(job, stage)
            return FOREVER * FOREVER if left == FOREVER else left * job.milli
        if stage == "las":
            return self.gpu_time(job)
        if stage == "tiresias":
            return sum(self.gpu_time(job) >= t for t in self.policy.thresholds)
        if stage == "drf":
            return self.share(job.user)
        raise ValueError(stage)

    def order_key(self, job):
        return (self.key(job, self.policy.order), job.place_in_line)

    def evict_key(self, job):
        stage = self.policy.evict
        if stage == "priority":
            stage = "priority" if self.policy.order == "fifo" else self.policy.order
        return self.key(job, stage)

    # ---- starts, stops and ends

    def take(self, job, taken, card=None):
        """Binds the job to GPUs of those nodes, the lowest free numbers; a share to the card of the plan, if any."""
        job.placement = []
        for node in sorted(taken, key=lambda n: n.number):
            units = taken[node]
            room = self.room(node, self.running + self.bound)
            if job.is_share:
                gpus = [cards_for(job, room)[0][1] if card is None else card]
            else:
                free = sorted(g for g, (milli, _) in room.cards.items() if milli == WHOLE)
                gpus = free[:units * job.gpus_per_unit]
                assert len(gpus) == units * job.gpus_per_unit
            job.placement.append((node, gpus, Fraction(job.cpus * units, job.units),
                                  Fraction(job.mem * units, job.units)))

    def begin_run(self, job):
        job.run = Run(job, self.now, self.costs)
        job.last_placement = job.placement
        job.starts += 1
        if job.start is None:
            job.start = self.now
        job.state = "running"
        self.running.append(job)

    def start(self, job, taken, card=None):
        self.take(job, taken, card)
        self.waiting.remove(job)
        self.begin_run(job)

    def leave_run(self, job, kept, cause):
        """Books the present run; of its work, what is beyond `kept` is lost."""
        run, now = job.run, self.now
        done = run.kept_before
        for a, b, kind in run.pieces:
            b = min(b, now)
            if a >= b:
                continue
            if kind == "pause":
                self.held.append((a, b, job, "overhead"))
                continue
            good = max(0, min(b - a, kept - done))
            if good:
                self.held.append((a, a + good, job, "useful"))
            if good < b - a:
                self.held.append((a + good, b, job, cause))
                job.lost += (b - a - good) * job.milli
            done += b - a
        job.kept = kept
        job.held_before += now - run.start
        job.run, job.last_run = None, run
        self.running.remove(job)

    def finish(self, job, state):
        job.end, job.state = self.now, state
        job.placement = []

    def end_run(self, job):
        self.leave_run(job, job.work, None)
        self.last_left = self.now
        if job.limit is not None and job.limit < job.duration:
            self.finish(job, "timeout")
        else:
            self.finish(job, job.log_state if job.log_state in ("failed", "killed") else "finished")

    def preempt(self, job):
        kept = job.run.saved_by(self.now) if self.kill else self.done(job)
        self.leave_run(job, kept, "lost_preemption")
        job.preemptions += 1
        self.last_left = self.now
        self.requeue(job)

    def requeue(self, job):
        job.placement = []
        job.state = "queued"
        self.waiting.append(job)

    def fail(self, job):
        self.leave_run(job, job.run.saved_by(self.now), "lost_failure")
        if self.on_failure == "requeue":
            self.last_left = self.now
            self.requeue(job)
        elif self.on_failure == "fail":
            self.last_left = self.now
            self.finish(job, "failed")
        else:
            job.state = "running"
            job.bound = self.now
            self.ever_bound = True
            self.bound.append(job)

    def hit(self, job):
        """Is something down that the job needs?"""
        for node, gpus, _, _ in job.placement:
            if any(node.is_down(g) for g in gpus or ["node"]):
                return True
        return False

    def unbind(self, job):
        job.held_before += self.now - job.bound
        job.bound = None
        self.bound.remove(job)

    # ---- cluster events

    def target(self, name):
        """[(node, a GPU number or "node")]: a node and a GPU of it fail, and are mended, apart from each other."""
        node, colon, gpu = name.partition(":")
        out = []
        for n in self.nodes:
            if n.name == node or (not colon and n.leaf == name):
                out.append((n, {int(gpu)} if colon else {"node"}))
        return out

    def cluster_event(self, event, target, value):
        if event == "quota":
            self.quota[target] = exact(value, WHOLE)
            return
        for node, parts in self.target(target):
            which = node.down if event in ("up", "down") else node.drained
            if event in ("down", "drain"):
                which |= parts
            else:
                which -= parts

    # ---- submission

    def feasible(self, job):
        if self.policy.admit == "quota" and job.queue in self.quota:
            largest = self.quota[job.queue]
            for t, event, target, value in self.events:
                if event == "quota" and target == job.queue and t > self.now:
                    largest = max(largest, exact(value, WHOLE))
            if job.milli > largest:
                return False
        rooms = [self.empty_room(n) for n in self.nodes_of(self.domain(job))]
        return place(job, rooms, self.policy.place) is not None

    def find_eligible(self):
        """Jobs that wait for nobody any more join the queue."""
        new = []
        for job in self.jobs:
            if job.state != "held":
                continue
            ready = max(job.submit, job.not_before if job.not_before is not None else job.submit)
            before = [self.by_id[x] for x in job.after]
            if ready <= self.now and all(b.over() for b in before):
                ends = [b.end if b.end is not None else b.submit for b in before]
                job.eligible = max([ready] + ends)
                job.state = "queued"
                self.waiting.append(job)
                new.append(job)
        return new

    # ---- plans

    def planned_end(self, job):
        e = self.estimate(job, self.policy.backfill)
        if e == FOREVER:
            return FOREVER
        run = job.run or job.last_run  # a job that is bound to its GPUs is planned by the run that was lost
        return max(run.start + e - run.kept_before, self.now + 1)

    def plan_rooms(self, domain, reserved, a, b, without=()):
        """The least that each node has free at a and all over [a, b)."""
        holders = [(self.planned_end(j), j) for j in self.running + self.bound if j not in without]
        times = {a} | {e for e, _ in holders if a < e < b}
        times |= {x for s, e, _, _ in reserved for x in (s, e) if a < x < b}
        least = None
        for t in sorted(times):
            rooms = []
            for node in self.nodes_of(domain):
                if not node.usable("node"):
                    continue
                room = self.room(node, [j for e, j in holders if e > t])
                cards = dict(room.cards)
                for s, e, job, taken in reserved:
                    if not (s <= t < e or s == e == t > a):  # of zero length: in the way of who runs across it
                        continue
                    for where, units, card in taken:
                        if where is not node:
                            continue
                        room.free -= units * job.gpus_per_unit
                        if room.cpus is not None:
                            room.cpus -= Fraction(job.cpus * units, job.units)
                        if room.mem is not None:
                            room.mem -= Fraction(job.mem * units, job.units)
                        if card is not None:
                            milli, mem = cards[card]
                            if milli == WHOLE:
                                room.free -= 1
                            cards[card] = (milli - job.milli, None if mem is None else mem - job.gpu_mem)
                if room.free <= 0:  # no empty card is left for a share
                    cards = {g: c for g, c in cards.items() if c[0] < WHOLE}
                room.cards = cards
                rooms.append(room)
            if least is None:
                least = rooms
                continue
            for low, room in zip(least, rooms):
                low.free = min(low.free, room.free)
                low.cpus = None if low.cpus is None else min(low.cpus, room.cpus)
                low.mem = None if low.mem is None else min(low.mem, room.mem)
                low.cards = {g: (min(c[0], room.cards[g][0]),
                                 None if c[1] is None else min(c[1], room.cards[g][1]))
                             for g, c in low.cards.items() if g in room.cards}
        return least

    def plan_fit(self, job, reserved, at, without=()):
        left = self.left(job, self.policy.backfill)
        rooms = self.plan_rooms(self.domain(job), reserved, at, min(FOREVER, at + left), without)
        return place(job, rooms, self.policy.place)

    def planned_card(self, job, taken, reserved):
        """The card that the plan has for a share that starts now: the tightest that is free all the time."""
        if not job.is_share:
            return None
        left = self.left(job, self.policy.backfill)
        rooms = self.plan_rooms(self.domain(job), reserved, self.now, min(FOREVER, self.now + left))
        return cards_for(job, next(r for r in rooms if r.node in taken))[0][1]

    def reserve(self, job, reserved):
        """Keeps the first place in the plan for the job, if there is any."""
        times = {self.planned_end(j) for j in self.running + self.bound}
        times |= {x for s, e, _, _ in reserved for x in (s, e)}
        for at in sorted(x for x in times if self.now < x < FOREVER):
            taken = self.plan_fit(job, reserved, at)
            if taken is not None:
                left = self.left(job, self.policy.backfill)
                rooms = self.plan_rooms(self.domain(job), reserved, at, min(FOREVER, at + left))
                named = []
                for node, units in taken.items():
                    room = next(r for r in rooms if r.node is node)
                    named.append((node, units, cards_for(job, room)[0][1] if job.is_share else None))
                reserved.append((at, min(FOREVER, at + left), job, named))
                return

    # ---- the pass

    def admitted(self, job):
        if self.policy.admit != "quota" or job.queue not in self.quota:
            return True
        held = sum(j.milli for j in self.running + self.bound if j.queue == job.queue)
        return held + job.milli <= self.quota[job.queue]

    def victims(self, job, fits):
        """Whom to stop for the job, or None."""
        if self.policy.evict == "none":
            return None
        mine = self.evict_key(job)
        candidates = [j for j in self.running
                      if j.preemptible and self.domain(j) == self.domain(job) and self.evict_key(j) > mine]
        self.bound_was_hit |= any(self.domain(j) == self.domain(job) and self.evict_key(j) > mine for j in self.bound)
        candidates.sort(key=lambda j: (self.evict_key(j), j.place_in_line))  # best first
        stopped = []
        while not fits(stopped):
            if not candidates:
                return None
            stopped.insert(0, candidates.pop())
        for j in list(stopped):
            others = [x for x in stopped if x is not j]
            if fits(others):
                stopped = others
        return stopped

    def one_pass(self):
        """One pass; true when an end inside it made a job eligible."""
        plans = self.policy.backfill in ("easy", "conservative")
        looked, closed, refused, headed = set(), set(), set(), set()
        reserved = {}  # by domain
        again = False
        while True:
            line = [j for j in self.waiting if j not in looked and j not in self.fresh
                    and self.domain(j) not in closed and j.queue not in refused]
            if not line:
                return again
            job = min(line, key=self.order_key)
            looked.add(job)
            domain = self.domain(job)
            if not self.admitted(job):
                if self.policy.backfill == "strict":
                    refused.add(job.queue)
                continue

            def fit(without=()):
                if plans:
                    return self.plan_fit(job, reserved.get(domain, []), self.now, without)
                return place(job, self.rooms(domain, without), self.policy.place)

            taken = fit()
            if taken is None:
                stop = self.victims(job, lambda some: fit(some) is not None)
                if stop is not None:
                    taken = fit(stop)
                    for victim in stop:
                        self.victim_was_looked_at |= victim in looked
                        self.preempt(victim)
            if taken is not None:
                self.start(job, taken, self.planned_card(job, taken, reserved.get(domain, [])) if plans else None)
                if job.run.end == self.now:
                    self.end_run(job)
                    new = self.find_eligible()
                    self.fresh += new
                    again = again or bool(new)
                continue
            if self.policy.backfill == "strict":
                closed.add(domain)
            elif self.policy.backfill == "conservative" or (self.policy.backfill == "easy" and domain not in headed):
                headed.add(domain)
                self.reserve(job, reserved.setdefault(domain, []))

    # ---- time

    def next_instant(self):
        """The next time at which something happens."""
        times = [j.run.end for j in self.running]
        times += [t for t, *_ in self.events]
        for j in self.jobs:
            times.append(j.submit)
            if j.not_before is not None and j.state != "infeasible" and all(self.by_id[x].over() for x in j.after):
                times.append(max(j.not_before, j.submit))
        timers = self.timers()
        times = [t for t in times if self.now is None or t > self.now]
        return min(times + timers) if times else None

    def timers(self):
        timers = []
        if self.policy.order == "las" and self.policy.quantum and self.waiting:
            timers.append((self.now // self.policy.quantum + 1) * self.policy.quantum)
        if self.policy.order == "tiresias":
            for j in self.running:
                for threshold in self.policy.thresholds:
                    if j.milli and self.gpu_time(j) < threshold:
                        timers.append(self.now + -(-(threshold - self.gpu_time(j)) // j.milli))
        return timers

    def instant(self):
        now = self.now
        for job in sorted((j for j in self.running if j.run.end == now), key=lambda j: j.place_in_line):
            self.end_run(job)
        for t, event, target, value in self.events:
            if t == now and event in ("up", "undrain", "quota"):
                self.cluster_event(event, target, value)
        for job in list(self.bound):
            if not self.hit(job):
                self.unbind(job)
                self.begin_run(job)
        for t, event, target, value in self.events:
            if t == now and event in ("down", "drain"):
                self.cluster_event(event, target, value)
        for job in [j for j in self.running if self.hit(j)]:
            self.fail(job)
        for job in self.jobs:
            if job.submit == now:
                job.state = "held"
                if not self.feasible(job):
                    job.state = "infeasible"
        self.find_eligible()
        while True:
            self.fresh = []
            if not self.one_pass():
                break
        self.note_course()

    def note_course(self):
        busy = down = 0
        for node in self.nodes:
            held = dict.fromkeys(range(node.gpus), 0)
            for job in self.running + self.bound:
                for where, gpus, _, _ in job.placement:
                    if where is node:
                        for g in gpus:
                            held[g] += min(job.milli, WHOLE)
            for g in range(node.gpus):
                if node.is_down(g) or (node.is_drained(g) and not held[g]):
                    down += WHOLE
                else:
                    busy += held[g]
        self.course.append((self.now, busy, down, len(self.waiting), sum(j.milli for j in self.waiting)))
        up = {}
        for job in self.bound:
            for node, gpus, _, _ in job.placement:
                up[job.user] = up.get(job.user, 0) + sum(min(job.milli, WHOLE) for g in gpus if not node.is_down(g))
        self.bound_course.append(up)

    def simulate(self):
        while True:
            t = self.next_instant()
            if t is None or (self.horizon is not None and t >= self.horizon):
                break
            self.now = t
            self.instant()
            if len(self.course) > 3000:
                raise Endless
        self.stop_at_the_end()
        return self

    def stop_at_the_end(self):
        first = min((j.submit for j in self.jobs), default=0)
        start = self.window_start if self.window_start is not None else first
        if self.window_end is not None:
            end = self.window_end
        elif self.horizon is not None:
            end = self.horizon
        else:
            # a job that is bound to GPUs that never come back is there to the last
            end = self.now if self.bound else self.last_left
            if end is None:
                end = max(j.submit for j in self.jobs)
        self.window = (start, max(start, end))
        self.now = self.horizon if self.horizon is not None else max([self.now or 0, end])
        self.unfinished_held = {}
        for job in list(self.running):
            state, placement = job.state, job.placement
            self.leave_run(job, self.done(job), None)
            job.state = state
        for job in list(self.bound):
            self.unbind(job)
        for job in self.jobs:
            if job.state == "held":
                job.state = "queued"


# --------------------------------------------------------------------------------------------------------- figures


def seconds(us):
    """Exact decimal seconds, as the files have them."""
    if us is None:
        return ""
    sign, us = ("-", -us) if us < 0 else ("", us)
    text = f"{us // 1_000_000}.{us % 1_000_000:06d}".rstrip("0").rstrip(".")
    return sign + text


def spans(numbers):
    out = []
    for n in sorted(numbers):
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def placed_text(job):
    return ";".join(f"{node.name}:{spans(gpus)}" for node, gpus, _, _ in job.last_placement if gpus)


def gpu_seconds(milli_us):
    return Fraction(milli_us, WHOLE * 1_000_000)


def job_rows(model):
    rows = []
    for job in model.jobs:
        run = job.held_before
        row = {"job_id": job.id, "state": job.state, "start_s": seconds(job.start), "end_s": seconds(job.end),
               "eligible_s": seconds(job.eligible), "first_wait_s": "", "total_wait_s": "", "run_s": "", "jct_s": ""}
        row["preemptions"] = str(job.preemptions)
        row["restarts"] = str(max(0, job.starts - 1))
        row["placed"] = placed_text(job)
        row["lost_gpu_s"] = gpu_seconds(job.lost)
        row["run_s"] = seconds(run)
        if job.start is not None:
            row["first_wait_s"] = seconds(job.start - job.eligible)
        if job.end is not None:
            row["total_wait_s"] = seconds(job.end - job.eligible - run)
            row["jct_s"] = seconds(job.end - job.submit)
        rows.append(row)
    return rows


def nearest_rank(values, percent):
    values = sorted(values)
    return values[-(-percent * len(values) // 100) - 1]


def distribution(values):
    if not values:
        return {"mean": None, "p50": None, "p90": None, "p95": None, "p99": None, "max": None, "n": 0}
    out = {"mean": Fraction(sum(values)) / len(values), "max": max(values), "n": len(values)}
    out.update({f"p{p}": nearest_rank(values, p) for p in (50, 90, 95, 99)})
    return out


def in_seconds(values):
    return [Fraction(v, 1_000_000) for v in values]


def summary(model):
    w0, w1 = model.window
    states = ("finished", "failed", "killed", "timeout", "infeasible", "running", "queued")
    # with an end that nobody gave every submitted job is counted, also one that is over at that very end
    last = FOREVER if model.window_end is None else w1
    counted = [j for j in model.jobs if w0 <= j.submit < last and j.state != ""]
    out = {"jobs": {"submitted": len(counted)}}
    for s in states:
        out["jobs"][s] = sum(j.state == s for j in counted)
    out["preemptions"] = sum(j.preemptions for j in counted)
    out["restarts"] = sum(max(0, j.starts - 1) for j in counted)

    finished = [j for j in counted if j.state == "finished"]
    ended = [j for j in counted if j.end is not None]
    out["wait_s"] = distribution(in_seconds(j.start - j.eligible for j in counted if j.start is not None))
    out["total_wait_s"] = distribution(in_seconds(j.end - j.eligible - j.held_before for j in ended))
    out["jct_s"] = distribution(in_seconds(j.end - j.submit for j in finished))
    of = [j for j in counted if j.state != "infeasible"]
    bounds = [(j.end if j.end is not None else w1) - j.submit for j in of]
    out["jct_s"]["of"] = len(of)
    out["jct_s"]["lower_bound_mean"] = Fraction(sum(bounds), 1_000_000 * len(of)) if of else None
    out["by_state"] = {}
    for s in states:
        some = [j for j in counted if j.state == s]
        times = [j.end - j.submit for j in some if j.end is not None]
        out["by_state"][s] = {"jobs": len(some), "jct_s": distribution(in_seconds(times)),
                              "gpu_s": gpu_seconds(sum(j.held_before * j.milli for j in some))}
    slow = [max(Fraction(1), Fraction(j.end - j.submit, max(j.held_before, model.tau)))
            if max(j.held_before, model.tau) else Fraction(1) for j in finished]
    out["bounded_slowdown"] = distribution(slow)
    if ended:
        out["makespan_s"] = Fraction(max(j.end for j in ended) - min(j.submit for j in of), 1_000_000)
    else:
        out["makespan_s"] = None
    dated = [j for j in counted if j.deadline is not None]
    met = sum(j.state == "finished" and j.end <= j.deadline for j in dated)
    out["deadlines"] = {"met": met, "missed": len(dated) - met}
    out["window"] = {"start_s": Fraction(w0, 1_000_000), "end_s": Fraction(w1, 1_000_000)}

    # GPU time inside the window
    all_gpus = sum(n.gpus for n in model.nodes)
    parts = dict.fromkeys(("useful", "overhead", "lost_preemption", "lost_failure"), 0)
    users = {}
    for a, b, job, kind in model.held:
        inside = max(0, min(b, w1) - max(a, w0))
        users[job.user] = users.get(job.user, 0) + inside * job.milli
        parts[kind] += inside * job.milli
    busy = down = 0
    most = 0
    course = model.course
    for i, (t, held, gone, _, _) in enumerate(course):
        until = course[i + 1][0] if i + 1 < len(course) else w1
        inside = max(0, min(until, w1) - max(t, w0))
        busy += held * inside
        down += gone * inside
        for user, milli in model.bound_course[i].items():
            users[user] = users.get(user, 0) + inside * milli
            parts["overhead"] += inside * milli
        if inside:
            most = max(most, held)
    installed = all_gpus * WHOLE * (w1 - w0)
    assert busy == sum(parts.values())
    parts["down"] = down
    parts["idle"] = installed - busy - down
    out["gpu_s"] = {k: gpu_seconds(v) for k, v in parts.items()}
    out["gpu_s"]["installed"] = gpu_seconds(installed)
    out["utilization"] = {
        "installed": Fraction(busy, installed) if installed else None,
        "available": Fraction(busy, installed - down) if installed - down > 0 else None,
        "max": Fraction(most, all_gpus * WHOLE) if all_gpus else None,
    }

    # fairness
    names = {j.user for j in counted}
    shares = [users.get(u, 0) for u in names]
    squares = sum(x * x for x in shares)
    out["fairness"] = {"users": len(names)}
    out["fairness"]["jain"] = Fraction(sum(shares) ** 2, len(shares) * squares) if squares else None
    out["fairness"]["max_min_ratio"] = Fraction(max(shares), min(shares)) if shares and min(shares) else None
    ftf = []
    for j in finished:
        d = j.work
        if j.milli and d:
            alone = max(Fraction(d), Fraction(d * j.milli * len(names), all_gpus * WHOLE))
            ftf.append(Fraction(j.end - j.submit) / alone)
    out["fairness"]["ftf"] = distribution(ftf)
    return out


def timeline(model):
    """[(time, busy, down, queued jobs, queued GPUs)] in thousandths, where something has changed and, if nothing
    happens up to there, at the window's start."""
    out = []
    if not model.course or model.course[0][0] > model.window[0]:
        out.append((model.window[0], 0, 0, 0, 0))
    for row in model.course:
        if not out or out[-1][1:] != row[1:]:
            out.append(row)
    return out


def simulate(scenario):
    model = Model(scenario).simulate()
    return {"jobs": job_rows(model), "summary": summary(model), "timeline": timeline(model), "model": model}


if __name__ == "__main__":
    import json
    import sys

    result = simulate(json.load(open(sys.argv[1], encoding="utf-8")))
    for line in result["jobs"]:
        print(",".join(str(v) for v in line.values()))
    print(json.dumps(result["summary"], indent=1, default=lambda x: float(x)))
