#!/usr/bin/python3
"""Random programs that recurse, and what other programs say about their profiles.

	recursion.py pstats SEED...       SEED/in.pstats   cProfile on a clock that counts
	recursion.py callgrind SEED...    SEED/in.callgrind
	recursion.py xhprof SEED...       SEED/in.xhprof

Each writes SEED/truth: lines `calls self total function`, and SEED/roots: functions that no
other one calls.  The truth of pstats is that of Python's module pstats, the truth of xhprof follows
xhprof_lib.php (inclusive: the sum over all callers; exclusive: less what it calls); that of
callgrind is left to callgrind_annotate, but for calls and self.
"""
import cProfile, json, os, pstats, random, sys


class Program:
    """Functions that call each other in several cycles, some of which share functions."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.n = self.r.randint(4, 14)
        self.calls = [[self.r.randrange(self.n) for _ in range(self.r.randint(0, 3))]
                      for _ in range(self.n)]
        for _ in range(self.r.randint(1, 3)):  # a cycle: through functions of any other one
            ring = self.r.sample(range(self.n), self.r.randint(1, min(4, self.n)))
            for a, b in zip(ring, ring[1:] + ring[:1]):
                self.calls[a].append(b)
        self.cost = [self.r.randint(0, 40) * 10 for _ in range(self.n)]

    def run(self, enter, leave, spend, fuel=400, depth=24):
        """Calls the three with the name of a function, or with its cost."""
        self.left = fuel

        def call(f, deep):
            enter("f%d" % f)
            spend(self.cost[f])
            for g in self.calls[f]:
                if self.left and deep < depth and self.r.random() < .7:
                    self.left -= 1
                    call(g, deep + 1)
                    spend(10)
            leave("f%d" % f)

        enter("main")
        for f in range(min(3, self.n)):
            spend(10)
            call(f, 0)
        leave("main")


def write(path, lines):
    with open(path, "w") as out:
        out.writelines(line + "\n" for line in lines)


def make_pstats(seed, path):
    program = Program(seed)
    clock = [0]
    scope = {}

    def work(f, deep):
        clock[0] += program.cost[f]
        for g in program.calls[f]:
            if program.left and deep < 24 and program.r.random() < .7:
                program.left -= 1
                scope["f%d" % g](deep + 1)
                clock[0] += 10

    # each is a function of its own to the profiler, and `work` is one more that all share
    source = "".join("def f%d(deep):\n work(%d, deep)\n" % (f, f) for f in range(program.n))
    source += "def main():\n" + "".join(" f%d(0)\n" % f for f in range(min(3, program.n)))
    scope["work"] = work
    exec(compile(source, "made.py", "exec"), scope)
    program.left = 400

    def timer():
        clock[0] += 3
        return clock[0]

    profile = cProfile.Profile(timer, 1e-9)
    profile.runcall(scope["main"])
    profile.dump_stats(path + "/in.pstats")
    stats = pstats.Stats(path + "/in.pstats").stats
    write(path + "/truth", ("%d %d %d %s" % (nc, round(tt * 1e9), round(ct * 1e9), key[2])
                            for key, (cc, nc, tt, ct, callers) in stats.items()))
    write(path + "/roots", (key[2] for key, (cc, nc, tt, ct, callers) in stats.items()
                            if nc > sum(c[0] for c in callers.values())))


class Recorder:
    """Arcs and selves of a run; what a call costs counts at every level, as callgrind has it."""

    def __init__(self):
        self.self, self.called, self.arc, self.stack, self.clock = {}, {}, {}, [], 0

    def enter(self, f):
        self.called[f] = self.called.get(f, 0) + 1
        self.self.setdefault(f, 0)
        self.stack.append((f, self.clock))

    def leave(self, f):
        begin = self.stack.pop()[1]
        if self.stack:
            key = self.stack[-1][0], f
            n, cost = self.arc.get(key, (0, 0))
            self.arc[key] = n + 1, cost + self.clock - begin
        self.took = self.clock - begin

    def spend(self, cost):
        self.clock += cost
        self.self[self.stack[-1][0]] += cost


def make_callgrind(seed, path):
    r = Recorder()
    Program(seed).run(r.enter, r.leave, r.spend)
    lines = ["# callgrind format", "version: 1", "events: Ir", "", "fl=made.c"]
    for f in r.self:
        lines += ["fn=" + f, "1 %d" % r.self[f]]
        for (caller, callee), (n, cost) in r.arc.items():
            if caller == f:
                lines += ["cfn=" + callee, "calls=%d 1" % n, "1 %d" % cost]
        lines.append("")
    lines.append("totals: %d" % r.clock)
    write(path + "/in.callgrind", lines)
    write(path + "/truth", ("%d %d %s" % (r.called[f] if f != "main" else 0, r.self[f], f)
                            for f in r.self))
    write(path + "/roots", ["main"])


def make_xhprof(seed, path):
    """A function that is on the stack already n times is `f@n`; clocks are read late at times."""
    r = Recorder()
    program = Program(seed)
    depth, names = {}, []

    def enter(f):
        n = depth.get(f, 0)
        depth[f] = n + 1
        names.append(f + ("@%d" % n if n else ""))
        r.enter(names[-1])

    def leave(f):
        depth[f] -= 1
        r.leave(names.pop())

    program.run(enter, leave, r.spend)
    pairs = {"%s==>%s" % key: {"ct": n, "wt": max(0, cost - program.r.choice((0, 0, 7)))}
             for key, (n, cost) in r.arc.items()}
    pairs["main()"] = {"ct": 1, "wt": r.took}
    pairs = {k.replace("main==>", "main()==>"): v for k, v in pairs.items()}
    with open(path + "/in.xhprof", "w") as out:
        json.dump(pairs, out)
    calls, total, self = {}, {}, {}
    for pair, of in pairs.items():
        caller, arrow, callee = pair.rpartition("==>")
        calls[callee] = calls.get(callee, 0) + of["ct"]
        total[callee] = total.get(callee, 0) + of["wt"]
        self[callee] = self.get(callee, 0) + of["wt"]
        if arrow:
            self[caller] = self.get(caller, 0) - of["wt"]
    write(path + "/truth", ("%d %d %d %s" % (calls[f], self[f] * 1000, total[f] * 1000, f)
                            for f in calls))
    write(path + "/roots", ["main()"])
    write(path + "/whole", ["%d" % (r.took * 1000)])


for seed in sys.argv[2:]:
    os.makedirs(seed, exist_ok=True)
    {"pstats": make_pstats, "callgrind": make_callgrind, "xhprof": make_xhprof}[sys.argv[1]](
        int(seed), seed)
