"""Random profiles, and how many of their tracks run at once: what pnav must say of them.

    parallel.py PNAV FOLDER FIRST COUNT

Writes traces of slices and texts of samples. The share of each moment, 1 / (tracks that run), is
summed exactly, as fractions, from the profile's text alone, and compared with the metric wall, the
label parallelism, `--where parallelism:` and the rows of info, also in ranges and of chosen tracks.
Prints one line for each difference, and how much was compared."""
import bisect, csv, io, json, random, subprocess, sys
from fractions import Fraction

class Picture:
    """tracks: name -> [(from, to, function)], sorted and without overlap."""
    def __init__(self, tracks, sampled, weights=None):
        self.tracks, self.sampled, self.weights = tracks, sampled, weights
        marks = sorted({t for spans in tracks.values() for a, b, _ in spans for t in (a, b)})
        self.marks, self.running = marks, []
        for a in marks:
            self.running.append(sum(any(x <= a < y for x, y, _ in spans)
                                    for spans in tracks.values()))
        self.sums = [Fraction(0)]
        for i in range(len(marks) - 1):
            p = self.running[i]
            self.sums.append(self.sums[-1] + (Fraction(marks[i + 1] - marks[i], p) if p else 0))

    def reading(self, t):
        """The exact reading of the clock, rounded down."""
        i = bisect.bisect_right(self.marks, t) - 1
        if i < 0:
            return 0
        p = self.running[i]
        more = Fraction(min(t, self.marks[-1]) - self.marks[i], p) if p else 0
        return int(self.sums[i] + more)

    def pieces(self, a, b):
        """The parts of [a, b) with one number of running tracks each."""
        for i, m in enumerate(self.marks[:-1]):
            x, y = max(a, m), min(b, self.marks[i + 1])
            if x < y:
                yield x, y, self.running[i]

    def cut(self, a, b, low, high):
        """What of a span counts in a range: steps are cut, samples count where they begin."""
        if self.sampled:
            return (a, b) if low <= a < high else None
        a, b = max(a, low), min(b, high)
        return (a, b) if a < b else None

    def wall(self, low, high, tracks):
        out = {}
        for name in tracks:
            for a, b, f in self.tracks[name]:
                c = self.cut(a, b, low, high)
                if c:
                    out[f] = out.get(f, 0) + self.reading(c[1]) - self.reading(c[0])
        return {f: v for f, v in out.items() if v}

    def mean(self, a, b):
        area = sum((y - x) * p for x, y, p in self.pieces(a, b))
        return (2 * area + (b - a)) // (2 * (b - a))

    def by_label(self, means):
        out = {}
        for name, spans in self.tracks.items():
            for i, (a, b, _) in enumerate(spans):
                if means:
                    p = self.mean(a, b)
                    weight = self.weights[name][i] if self.sampled else b - a
                    out[p] = out.get(p, 0) + weight
                    continue
                for x, y, p in self.pieces(a, b):
                    out[p] = out.get(p, 0) + y - x
        return out

def number(t):
    return "%d.%03d" % (t // 1000, t % 1000)

def slices(rng):
    """A trace of slices: (text, picture, steps)."""
    events, tracks, steps = [], {}, 0
    usual, far = rng.choice([20, 200, 3000]), rng.random() < 0.3
    for tid in range(8 if far else rng.choice([1, 2, 3, 5, 8])):
        name = "t%d %d" % (tid, tid + 1)
        events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": tid + 1,
                       "args": {"name": "t%d" % tid}})
        spans, t, n = [], rng.randrange(usual if far else 2000), rng.randrange(1, 60)
        if far:                     # one thread changes often, all others run through
            n = 1 if tid else 60
        for _ in range(n):
            end = t + (usual * 60 if n == 1 else rng.randrange(1, usual))
            f = rng.choice("abc")
            events.append({"ph": "B", "ts": t, "pid": 1, "tid": tid + 1, "name": f})
            if rng.random() < 0.3 and end - t > 2:      # a call inside
                x = rng.randrange(t + 1, end)
                y = rng.randrange(x, end) + 1
                g = rng.choice("de")
                events += [{"ph": "B", "ts": x, "pid": 1, "tid": tid + 1, "name": g},
                           {"ph": "E", "ts": y, "pid": 1, "tid": tid + 1}]
                spans += [(t, x, f), (x, y, g), (y, end, f)]
                steps += 2
            else:
                spans.append((t, end, f))
            events.append({"ph": "E", "ts": end, "pid": 1, "tid": tid + 1})
            steps += 1
            t = end + (rng.randrange(usual) if far or rng.random() < 0.5 else 0)
        tracks[name] = [s for s in spans if s[0] < s[1]]
    for e in events:
        if "ts" in e:
            e["ts"] = number(e["ts"])
    text = json.dumps({"traceEvents": events})
    for e in events:
        if "ts" in e:
            text = text.replace('"ts": "%s"' % e["ts"], '"ts": %s' % e["ts"])
    return text, Picture(tracks, False), steps

def samples(rng):
    """A text of samples whose weight is a time."""
    lines, tracks, weights = [], {}, {}
    usual = rng.choice([50, 1000])
    for tid in range(rng.choice([1, 2, 4, 7])):
        name, spans, t = "w%d %d" % (tid, 100 + tid), [], rng.randrange(2000)
        for _ in range(rng.randrange(1, 80)):
            weight, f = rng.randrange(1, usual), rng.choice("abc")
            lines.append((t, "w%d %d 1.%09d: %d cpu-clock:\n\t  401000 %s (/bin/x)\n\n" %
                          (tid, 100 + tid, t, weight, f)))
            spans.append([t, t + weight, f])
            weights.setdefault(name, []).append(weight)
            t += rng.randrange(1, usual * 2)
        for i in range(len(spans) - 1):
            spans[i][1] = min(spans[i][1], spans[i + 1][0])
        tracks[name] = [tuple(s) for s in spans]
    lines.sort(key=lambda x: x[0])
    return "".join(x for _, x in lines), Picture(tracks, True, weights), 0

class Checker:
    def __init__(self, pnav, folder):
        self.pnav, self.folder, self.compared, self.cut, self.means = pnav, folder, 0, 0, 0

    def rows(self, *words):
        done = subprocess.run([self.pnav, "report", "--format", "csv", *words, self.file],
                              capture_output=True, text=True)
        if done.returncode not in (0, 3):
            print("%s: %s: %s" % (self.file, words, done.stderr.strip()))
        self.said = done.stderr
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def same(self, what, got, want):
        self.compared += 1
        if got != want:
            print("%s: %s: %s, not %s" % (self.file, what, got, want))

    def selfs(self, *words):
        return {r["function"]: int(r["self"]) for r in self.rows(*words) if int(r["self"])}

    def check(self, seed):
        rng = random.Random(seed)
        text, x, steps = (slices if seed % 2 else samples)(rng)
        self.file = "%s/parallel-%d.%s" % (self.folder, seed, "json" if seed % 2 else "txt")
        with open(self.file, "w") as out:
            out.write(text)
        start = min(s[0][0] for s in x.tracks.values() if s)
        last = max(s[-1][0 if x.sampled else 1] for s in x.tracks.values() if s)
        self.same("wall", self.selfs("--metric", "wall"), x.wall(start, last + 1, x.tracks))
        for _ in range(3):
            a = rng.randrange(start, last + 1)
            b = rng.randrange(a, last + 1) + 1
            name = rng.choice(sorted(x.tracks))
            words = ["--metric", "wall", "--from", "%dns" % (a - start), "--to",
                     "%dns" % (b - start)]
            self.same("%s" % words, self.selfs(*words), x.wall(a, b, x.tracks))
            words += ["--track", "=" + name]
            self.same("%s" % words, self.selfs(*words), x.wall(a, b, [name]))
        self.labels(x, steps)
        self.info(x, start, last)

    def labels(self, x, steps):
        pieces = sum(1 for s in x.tracks.values() for a, b, _ in s for _ in x.pieces(a, b))
        got = {r["value"]: int(r["self"]) for r in self.rows("--view", "labels")
               if r["key"] == "parallelism"}
        means = x.sampled or "mean" in self.said
        if not x.sampled and (pieces < 4 * steps or pieces > 12 * steps):
            self.same("cut or mean", means, pieces >= 4 * steps)
        self.means += means
        self.cut += not means
        want = x.by_label(means)
        self.same("labels", got, {str(p): v for p, v in want.items()})
        most = max(want)
        low = (most + 1) // 2
        for where, inside in (("%d" % most, lambda p: p == most),
                              ("%d..%d" % (low, most), lambda p: p >= low)):
            total = sum(self.selfs("--where", "parallelism:" + where).values())
            self.same("--where " + where, total, sum(v for p, v in want.items() if inside(p)))

    def info(self, x, start, last):
        rows = {r["key"]: r["value"] for r in self.rows("--view", "info")}
        self.same("computed", rows.get("computed"), "wall")
        if last == start:
            return
        area = busy = 0
        share = {}
        for a, b, p in x.pieces(start, last):
            area, busy = area + (b - a) * p, busy + (b - a) * (p > 0)
            share[p] = share.get(p, 0) + b - a
        self.same("mean", rows["parallelism"], "%.2f" % (area / busy))
        for p in (0, 1, 2):
            if "parallelism %d" % p in rows:
                self.same("share of %d" % p, rows["parallelism %d" % p],
                          "%.2f %%" % (100 * share.get(p, 0) / (last - start)))
        more = sum(v for p, v in share.items() if 5 <= p <= 8)
        if more:
            self.same("share of 5-8", rows["parallelism 5-8"],
                      "%.2f %%" % (100 * more / (last - start)))

def main():
    pnav, folder, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    c = Checker(pnav, folder)
    for seed in range(first, first + count):
        c.check(seed)
    print("%d profiles, %d comparisons, %d cut, %d with means" %
          (count, c.compared, c.cut, c.means))

main()
