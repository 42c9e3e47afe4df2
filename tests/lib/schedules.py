"""Random schedules of threads with known chains: what `pnav report --why` must say of them.

    schedules.py PNAV FOLDER FIRST COUNT

A simulator runs threads that compute, take locks, use queues, sleep, wait for devices, start other
threads and end, on a few processors with preemption and interrupts. It writes what ftrace prints
of that, and knows what each thread did and who woke it. Some schedules lose events. The path is
then found anew for each moment between two changes, and compared with pnav's in every frame and
nanosecond. Prints one line for each difference, and the number of schedules and paths."""
import bisect, csv, heapq, io, os, random, subprocess, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from encode_perfetto import msg

DEEP = 32
LETTER = {"runnable": ("R", "R+"), "waiting": ("S", "S", "I"), "io": ("D", "D|K"),
          "unknown": ("X", "Z", "X|Z")}

class Thread:
    def __init__(self, tid, rng):
        self.tid, self.comm = tid, "t %d-x" % tid if tid % 5 == 0 else "t%d" % tid
        self.name = "%s %d" % (self.comm, tid)
        self.ops, self.left, self.cpu, self.open = [], 0, None, []
        self.state, self.held, self.busy = "unknown", [], False

class Schedule:
    """Simulates; leaves lines, truth (tid -> [(time, state, woken, by)]) and slices."""
    def __init__(self, seed):
        self.rng = r = random.Random(seed)
        self.lossy, self.sliced = seed % 3 == 2, seed % 3 == 1
        self.waking, self.old = r.random() < 0.7, r.random() < 0.2
        self.now, self.start = 0, r.randrange(10**9, 10**12)
        self.cpus = [None] * r.choice([1, 2, 2, 3, 4, 8])
        self.threads, self.ready, self.heap, self.seq = {}, [], [], 0
        self.locks = {i: [None, []] for i in range(r.choice([1, 1, 3]))}
        self.queues = {i: [0, []] for i in range(2)}
        self.lines, self.truth, self.slices = [], {}, {}
        self.limit = r.choice([2000, 20000, 60000])
        for _ in range(r.choice([2, 4, 8, 16, 60])):
            t = self.add_thread()
            self.at(r.randrange(50), self.interrupt, t)
        while self.heap and len(self.lines) < 1500 and self.heap[0][0] < self.limit:
            self.now, _, call, args = heapq.heappop(self.heap)
            call(*args)
        self.end = self.now

    def at(self, delay, call, *args):
        self.seq += 1
        heapq.heappush(self.heap, (self.now + delay, self.seq, call, args))

    def add_thread(self):
        tid = 100 + len(self.threads)
        self.threads[tid] = t = Thread(tid, self.rng)
        self.truth[tid], self.slices[tid] = [], []
        return t

    def line(self, cpu, flags, event, args, data):
        self.lines.append((self.now, cpu, self.cpus[cpu], flags, event, args, data))

    def change(self, t, state, woken=False, by=None):
        t.state = state
        self.truth[t.tid].append((self.now, state, woken, by))

    # ---- the scheduler ----
    def switch(self, cpu, to, state="runnable"):
        was = self.cpus[cpu]
        letter = self.rng.choice(LETTER[state]) if was else "R"
        def side(t):
            return (t.comm, t.tid) if t else ("swapper/%d" % cpu, 0)
        (a, b), (c, d) = side(was), side(to)
        text = ("%s:%d [120] %s ==> %s:%d [120]" % (a, b, letter.split("|")[0], c, d) if self.old else
                "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s "
                "next_pid=%d next_prio=120" % (a, b, letter, c, d))
        self.line(cpu, "d..2", "sched_switch", text, ("switch", was, state, to))
        if was:
            was.cpu = None
            if not self.truth[was.tid]:
                self.change(was, "running")
            self.change(was, state)
        self.cpus[cpu] = to
        if to:
            to.cpu = cpu
            self.change(to, "running")

    def dispatch(self):
        for cpu, t in enumerate(self.cpus):
            if not t and self.ready:
                to = self.ready.pop(self.rng.randrange(len(self.ready)))
                self.switch(cpu, to)
                self.run(to)

    def run(self, t):
        """Goes on with the thread, which is on a processor, until it computes or leaves."""
        while t.cpu is not None and not t.busy:
            if not t.left:
                t.left = self.rng.choice([0, 1, 2, 5])
                self.operate(t)
                continue
            t.busy = True
            part = min(t.left, self.rng.choice([5, 50, 500]))
            self.at(part, self.computed, t, part)
            return

    def computed(self, t, part):
        t.left, t.busy = t.left - part, False
        if self.ready and self.rng.random() < 0.5:
            cpu = t.cpu
            self.switch(cpu, None if self.rng.random() < 0.3 else self.ready.pop(0))
            self.ready.append(t)
            if self.cpus[cpu]:
                self.run(self.cpus[cpu])
        else:
            self.run(t)
        self.dispatch()

    def leave(self, t, state):
        cpu = t.cpu
        to = self.ready.pop(0) if self.ready and self.rng.random() < 0.8 else None
        self.switch(cpu, to, state)
        if to:
            self.run(to)

    def wake(self, cpu, t, by, flags="d..3", event=None):
        """`by` is the thread of the line, or None."""
        text = "comm=%s pid=%d prio=120 target_cpu=%03d" % (t.comm, t.tid, cpu)
        if self.old and not self.waking:
            text = "%s:%d [120] success=1 CPU:%03d" % (t.comm, t.tid, cpu)
        event = event or ("sched_waking" if self.waking else "sched_wakeup")
        self.line(cpu, flags, event, text, ("wake", t, by))
        self.change(t, "runnable", True, by)
        if event == "sched_waking":
            other = self.rng.randrange(len(self.cpus))
            self.line(other, "d.h3", "sched_wakeup", text, ("late", t, None))
        self.ready.append(t)

    def interrupt(self, t):
        """A timer or a device wakes a thread: on an idle processor, or in an interrupt."""
        if t.state in ("running", "runnable"):
            return
        cpu = self.rng.randrange(len(self.cpus))
        flags = self.rng.choice(["d.h3", "d.s3", "d.H3", "dNh4", "d.Z2"])
        self.wake(cpu, t, None, "d..3" if not self.cpus[cpu] and self.rng.random() < .5 else flags)
        self.dispatch()

    # ---- what threads do ----
    def operate(self, t):
        r = self.rng
        what = r.choices(["compute", "lock", "unlock", "send", "receive", "sleep", "io", "start",
                          "end", "slice"], [8, 9, 5, 4, 4, 2, 2, .3, .1, 4 * self.sliced])[0]
        if what == "compute":
            t.left = r.choice([1, 3, 30, 300])
        elif what == "lock":
            lock = r.choice(sorted(self.locks))
            if lock in t.held:
                return
            owner, waiters = self.locks[lock]
            t.held.append(lock)
            if owner:
                waiters.append(t)
                self.leave(t, "waiting")
            else:
                self.locks[lock][0] = t
        elif what == "unlock" and t.held and self.locks[t.held[-1]][0] is t:
            lock = t.held.pop()
            waiters = self.locks[lock][1]
            self.locks[lock][0] = waiters.pop(0) if waiters else None
            if self.locks[lock][0]:
                self.wake(t.cpu, self.locks[lock][0], t)
                self.dispatch()
        elif what == "send":
            queue = r.choice(list(self.queues.values()))
            if queue[1]:
                self.wake(t.cpu, queue[1].pop(0), t)
                self.dispatch()
            else:
                queue[0] += 1
        elif what == "receive":
            queue = r.choice(list(self.queues.values()))
            if queue[0]:
                queue[0] -= 1
            else:
                queue[1].append(t)
                self.leave(t, "waiting")
        elif what in ("sleep", "io"):
            self.at(r.choice([1, 20, 200]), self.interrupt, t)
            self.leave(t, "io" if what == "io" else "waiting")
        elif what == "start" and len(self.threads) < 64:
            self.wake(t.cpu, self.add_thread(), t, event="sched_wakeup_new")
            self.dispatch()
        elif what == "end" and not t.held:
            self.leave(t, "unknown")
        elif what == "slice":
            self.mark(t)

    def mark(self, t):
        if t.open and self.rng.random() < 0.6:
            name, begin, at = t.open.pop()
            if self.now > begin:
                self.slices[t.tid].append((begin, self.now, len(t.open), name))
                self.line(t.cpu, "....", "tracing_mark_write", "E|1", None)
            else:
                del self.lines[at:at + 1]
                for u in self.threads.values():
                    u.open = [(n, b, i - (i > at)) for n, b, i in u.open]
        elif len(t.open) < 4 and not (t.open and t.open[-1][1] == self.now) and \
                not (self.slices[t.tid] and self.slices[t.tid][-1][1] == self.now):
            name = self.rng.choice("parse draw sort read".split())
            t.open.append((name, self.now, len(self.lines)))
            self.line(t.cpu, "....", "tracing_mark_write", "B|1|" + name, None)

    # ---- the text ----
    def drop_open(self):
        """Removes the begins of slices that never end."""
        gone = {i for t in self.threads.values() for _, _, i in t.open}
        self.lines = [l for i, l in enumerate(self.lines) if i not in gone]

    def lose(self):
        """Removes some lines of a processor; returns the index behind each loss."""
        marks = set()
        for _ in range(self.rng.choice([1, 1, 2, 4])):
            cpu = self.rng.randrange(len(self.cpus))
            own = [i for i, l in enumerate(self.lines) if l and l[1] == cpu]
            if len(own) < 4:
                continue
            a = self.rng.randrange(1, len(own) - 1)
            b = min(a + self.rng.choice([1, 3, 20]), len(own) - 1)
            if any(i in marks for i in own[a:b + 1]):
                continue
            for i in own[a:b]:
                self.lines[i] = None
            marks.add(own[b])
        return marks

    def spread(self):
        """Gives each line a time of its own: bundles of processors lose the order of a moment."""
        times, last = [], -1
        for l in self.lines:
            last = max(last + 1, l[0] * 1000)
            times.append(last)
        self.lines = [(t,) + l[1:] for t, l in zip(times, self.lines)]

    def write(self, out):
        marks = set()
        self.drop_open()
        if self.lossy:
            marks = self.lose()
        out.write("# tracer: nop\n#\n")
        for i, l in enumerate(self.lines):
            if l is None:
                continue
            now, cpu, task, flags, event, args, _ = l
            if i in marks:
                out.write("CPU:%d [LOST %d EVENTS]\n" % (cpu, 3))
            at = self.start + now
            who = "%s-%d" % (task.comm, task.tid) if task else "<idle>-0"
            out.write("%20s [%03d] %s %d.%09d: %s: %s\n" %
                      (who, cpu, flags, at // 10**9, at % 10**9, event, args))
        self.marks = marks
        self.kept = [(i in marks, l) for i, l in enumerate(self.lines) if l]
        self.first, self.last = self.kept[0][1][0], self.kept[-1][1][0]

# Perfetto's numbers: prev_state, common_flags of the letters of ftrace's text, events
STATES = {"R": 0, "R+": 0x100, "S": 1, "D": 2, "D|K": 0x102, "X": 0x10, "Z": 0x20, "X|Z": 0x30,
          "I": 0x80}
FLAGS = {".": 0, "h": 8, "H": 24, "s": 16, "z": 8, "Z": 24}
EVENTS = {"sched_switch": 4, "sched_wakeup": 17, "sched_waking": 20, "sched_wakeup_new": 114}

def letter_of(args):
    """prev_state in either form of the text."""
    words = args.split("prev_state=")
    return (words[1] if len(words) > 1 else args.split("] ", 1)[1]).split(" ")[0]

def event_of(s, l):
    now, cpu, task, flags, event, args, data = l
    head = [(1, s.start + now), (2, task.tid if task else 0), (5, FLAGS.get(flags[2], 0))]
    if event == "tracing_mark_write":
        return msg(*head, (3, msg((2, args + "\n"))))
    if event == "sched_switch":
        _, was, _, to = data
        return msg(*head, (4, msg((1, was.comm if was else "swapper"), (2, was.tid if was else 0),
                                  (4, STATES[letter_of(args)]), (5, to.comm if to else "swapper"),
                                  (6, to.tid if to else 0))))
    t = data[1]
    return msg(*head, (EVENTS[event], msg((1, t.comm), (2, t.tid), (5, cpu))))

def compact_of(s, lines):
    """The switches and wakings of a bundle in columns."""
    names, columns, last = [], {n: [] for n in (1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12)}, {1: 0, 7: 0}
    def name(comm):
        if comm not in names:
            names.append(comm)
        return names.index(comm)
    for now, cpu, task, flags, event, args, data in lines:
        column, at = 1 if event == "sched_switch" else 7, s.start + now
        columns[column].append(at - last[column])
        last[column] = at
        if column == 1:
            to = data[3]
            values = {2: STATES[letter_of(args)], 3: to.tid if to else 0, 4: 120,
                      6: name(to.comm if to else "swapper")}
        else:
            values = {8: data[1].tid, 9: cpu, 10: 120, 11: name(data[1].comm),
                      12: FLAGS.get(flags[2], 0)}
        for n, v in values.items():
            columns[n].append(v)
    return msg(*[(n, v) for n, v in columns.items() if v], *[(5, n) for n in names])

def perfetto(s, compact):
    """The same lines as Perfetto's bundles."""
    out, bundles = b"", {}
    def flush(cpu):
        lost, lines = bundles.pop(cpu)
        columns = [l for l in lines if compact and l[4] in ("sched_switch", "sched_waking")]
        fields = [(1, cpu)] + [(3, True)] * lost
        fields += [(2, event_of(s, l)) for l in lines if l not in columns]
        if columns:
            fields.append((4, compact_of(s, columns)))
        return msg((1, msg((1, msg(*fields)))))
    for lost, l in s.kept:
        if l[1] in bundles and (lost or s.rng.random() < 0.02):
            out += flush(l[1])
        bundles.setdefault(l[1], (lost, []))[1].append(l)
    for cpu in list(bundles):
        out += flush(cpu)
    return out

def seen(s):
    """What the lines say of each thread: the same as s.truth if none is lost."""
    out = {tid: [] for tid in s.threads}
    state, on, runs = {}, {}, {}
    hidden, losses, last, waking = {}, [], {}, any(l[4] == "sched_waking" for _, l in s.kept)
    for lost, l in s.kept:
        if lost and l[0] > last[l[1]]:
            losses.append((last[l[1]], l[0], l[1]))
        last[l[1]] = l[0]
    def set(tid, now, what, woken=False, by=None):
        hidden.pop(tid, None)
        if what != state.get(tid, "unknown") or woken:
            out[tid].append((now, what, woken, by))
        state[tid] = what
    def off(tid):
        if tid in on:
            runs[on.pop(tid)] = None
    def running(cpu, t, now):
        tid = t.tid if t else None
        was = runs.get(cpu)
        if was == tid:
            return
        if was is not None:
            off(was)
            set(was, now, "unknown")
        if tid is not None:
            off(tid)
            on[tid], runs[cpu] = cpu, tid
            shown(tid, now)
            set(tid, now, "running")
    def shown(tid, now):
        """An own event ends the hiding."""
        if tid in hidden:
            hidden.pop(tid)
    begun = []
    def losses_until(now):
        steps = sorted([(b, 0, a, c) for a, b, c in losses if b <= now and (a, b, c) in begun] +
                       [(a, 1, b, c) for a, b, c in losses if a < now and (a, b, c) not in begun])
        while steps:
            at, begins, other, cpu = steps[0]
            if begins:
                begun.append((at, other, cpu))
                was = runs.get(cpu)
                if was is not None:
                    off(was)
                    hidden[was], state[was] = other, "unknown"
                    out[was].append((at, "unknown", False, None))
                for tid in s.threads:
                    if tid in on:
                        continue
                    if tid not in hidden and state.get(tid, "unknown") != "unknown":
                        out[tid].append((at, "unknown", False, None))
                    hidden[tid] = max(hidden.get(tid, other), other)
            else:
                losses.remove((other, at, cpu))
                for tid in [t for t, until in hidden.items() if until <= at]:
                    hidden.pop(tid)
                    if state.get(tid, "unknown") != "unknown":
                        out[tid].append((at, state[tid], False, None))
            steps = sorted([(b, 0, a, c) for a, b, c in losses if b <= now and (a, b, c) in begun] +
                           [(a, 1, b, c) for a, b, c in losses if a < now and (a, b, c) not in begun])
    for _, (now, cpu, task, flags, event, args, data) in s.kept:
        losses_until(now)
        running(cpu, task, now)
        if not data:
            continue
        if data[0] == "switch":
            _, was, to_state, to = data
            if was:
                off(was.tid)
                was_hidden = hidden.pop(was.tid, None)
                set(was.tid, now, to_state)
            running(cpu, to, now)
        elif data[0] == "wake" and (event != "sched_wakeup" or not waking):
            tid = data[1].tid
            if tid in hidden or state.get(tid, "unknown") not in ("running", "runnable"):
                off(tid)
                set(tid, now, "runnable", True, data[2])
    losses_until(10**18)
    return out

class Paths:
    def __init__(self, s, timeline):
        self.s, self.timeline = s, timeline
        self.begins = {tid: [e[0] for e in own] for tid, own in timeline.items()}
        self.slices = {tid: sorted(own, key=lambda x: x[2]) for tid, own in s.slices.items()}
        cuts = {s.first, s.last}
        for own in self.begins.values():
            cuts.update(own)
        for own in s.slices.values():
            for begin, end, _, _ in own:
                cuts.update((begin, end))
        self.cuts = sorted(c for c in cuts if s.first <= c <= s.last)

    def leaf(self, tid, time, waits):
        own = self.timeline[tid]
        i = bisect.bisect_right(self.begins[tid], time)
        state = own[i - 1][1] if i else "unknown"
        frames = tuple(name for begin, end, _, name in self.slices[tid] if begin <= time < end)
        if state == "running":
            return frames or ("[running]",)
        if state == "runnable":
            return frames + ("[wants a CPU]",)
        if state == "unknown":
            return frames + ("[unknown]",)
        by = own[i][3] if i < len(own) and own[i][2] else None
        if by is None:
            return frames + ("[waits for a device]" if state == "io" else "[waits]",)
        if by.tid == tid or waits == DEEP:
            return frames + ("[waits]",)
        return frames + ("[waits for %s]" % by.name,) + self.leaf(by.tid, time, waits + 1)

    def path(self, tid, a, b):
        out = {}
        cuts = [a] + [c for c in self.cuts if a < c < b] + [b]
        for x, y in zip(cuts, cuts[1:]):
            if y > x:
                stack = (self.s.threads[tid].name,) + self.leaf(tid, x, 0)
                out[stack] = out.get(stack, 0) + y - x
        return out

def reported(text):
    out, stack = {}, []
    for row in csv.DictReader(io.StringIO(text)):
        del stack[int(row["depth"]):]
        stack.append(row["function"])
        if int(row["self"]):
            out[tuple(stack)] = int(row["self"])
    return out

def pnav(*args):
    done = subprocess.run(args, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("%s: exit %d: %s" % (" ".join(args), done.returncode, done.stderr))
    return done.stdout

def main():
    program, folder, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    paths = waited = lost = 0
    for seed in range(first, first + count):
        s = Schedule(seed)
        if not s.lines:
            continue
        spread = seed % 2 == 0 and not s.sliced
        if spread:
            s.spread()
        name = "%s/schedule.%d.txt" % (folder, first)
        with open(name, "w") as out:
            s.write(out)
        names = [name]
        for compact in (False, True):
            # columns do not say who left a processor after a loss
            if spread and not (compact and s.lossy):
                names.append("%s/schedule.%d.%d.pftrace" % (folder, first, compact))
                with open(names[-1], "wb") as out:
                    out.write(perfetto(s, compact))
        timeline = seen(s)
        lost += len(s.marks)
        if not s.marks and not spread:
            merged = {}
            for tid, own in s.truth.items():
                merged[tid] = [e for i, e in enumerate(own) if e[2] or
                               e[1] != (own[i - 1][1] if i else "unknown")]
            if merged != timeline:
                print("schedule %d: the lines do not say what was done" % seed)
        p = Paths(s, timeline)
        known = [tid for tid, own in timeline.items() if own]
        for tid in s.rng.sample(known, min(3, len(known))):
            for whole in (True, False):
                a, b, words = s.first, s.last, []
                if not whole and b > a:
                    a, b = sorted(s.rng.randrange(s.first, s.last + 1) for _ in range(2))
                    words = ["--from", "%dns" % (a - s.first), "--to", "%dns" % (b - s.first)]
                want = p.path(tid, a, b)
                waited += any("[waits for t" in f for stack in want for f in stack)
                for name in names if whole else names[:1]:
                    got = reported(pnav(program, "report", "--view", "tree", "--format", "csv",
                                        "--why", "=" + s.threads[tid].name, *words, name))
                    paths += 1
                    if got == want and sum(got.values()) == b - a:
                        continue
                    print("schedule %d: %s: %s [%d, %d)" %
                          (seed, name, s.threads[tid].name, a, b))
                    for stack in sorted(set(got) | set(want)):
                        if got.get(stack, 0) != want.get(stack, 0):
                            print("  %s: %d instead of %d" % (" > ".join(stack),
                                  got.get(stack, 0), want.get(stack, 0)))
    print("%d schedules, %d paths, %d over other threads, %d losses" % (count, paths, waited, lost))

main()
