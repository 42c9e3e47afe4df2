"""Random traces of spans, and the calls that pnav must show of them.

    spans.py PNAV FOLDER FIRST COUNT

Writes Zipkin documents in which children of a span may be side by side, so that a service has
overlap lanes.  Starts, durations and own times of all spans are computed from the document's text
alone, for the whole run and for random ranges, and compared with the list of calls and with the
calls and gross times of the functions.  Prints one line for each difference, and how much was
compared."""
import collections, csv, io, json, random, subprocess, sys

START = 1_700_000_000_000_000

def make_spans(r):
    """Returns [id, parent, name, from, to] of each span, in µs; children lie in their parents."""
    spans = []
    def add(parent, a, b, depth):
        i = len(spans) + 1
        spans.append((i, parent, r.choice("abcd"), a, b))
        if depth < 3 and b - a > 3:
            for _ in range(r.randrange(4)):
                x = r.randrange(a, b)
                add(i, x, r.randrange(x + 1, b + 1), depth + 1)
    for _ in range(r.randrange(1, 4)):
        a = r.randrange(50)
        add(0, a, a + r.randrange(5, 100), 0)
    return spans

def zipkin(spans):
    return json.dumps([{"traceId": "1", "id": f"{i:x}", **({"parentId": f"{p:x}"} if p else {}),
                        "name": name, "timestamp": START + a, "duration": b - a,
                        "localEndpoint": {"serviceName": "s"}} for i, p, name, a, b in spans])

def below(spans, i):
    """The spans below span i."""
    parent = {j: p for j, p, *_ in spans}
    for span in spans:
        k = parent[span[0]]
        while k and k != i:
            k = parent[k]
        if k == i:
            yield span

def expected(spans, low, high):
    """Start, duration and own time of what lies in [low, high), in ns, and its name."""
    calls, gross, begun = [], collections.Counter(), collections.Counter()
    for i, _, name, a, b in spans:
        x, y = max(a, low), min(b, high)
        if x >= y:
            continue
        covered = {t for _, _, _, c, d in below(spans, i) for t in range(max(c, x), min(d, y))}
        calls.append((x * 1000, (y - x) * 1000, (y - x - len(covered)) * 1000, name))
        begun[name] += low <= a < high
    return sorted(calls), begun

def rows(pnav, view, path, *options):
    out = subprocess.run([pnav, "report", "--view", view, "--format", "csv", *options,
                          path], capture_output=True, text=True).stdout
    return list(csv.DictReader(io.StringIO(out)))

def compare(pnav, path, spans, low, high, options):
    """Returns what differs, in words, or None."""
    calls, begun = expected(spans, low, high)
    got = sorted((int(r["start"]), int(r["duration"]), int(r["self"]), r["function"])
                 for r in rows(pnav, "slices", path, "--limit", "100000", *options))
    if got != calls:
        missing = list((collections.Counter(calls) - collections.Counter(got)))[:2]
        extra = list((collections.Counter(got) - collections.Counter(calls)))[:2]
        return f"slices: missing {missing}, too many {extra}"
    table = rows(pnav, "calls", path, *options)
    counted, net = collections.Counter(), collections.Counter()
    for r in table:
        counted[r["function"]] += int(r["calls"])
        net[r["function"]] += int(r["net_total"])
    if +counted != +begun:
        return f"calls: {dict(counted)}, expected {dict(begun)}"
    # a function that never calls itself has the durations of its calls as its gross time
    nested = {n for i, _, n, *_ in spans if any(m == n for _, _, m, *_ in below(spans, i))}
    gross = collections.Counter()
    for r in table:
        gross[r["function"]] += int(r["gross_total"])
    for name in set(begun) - nested:
        durations = sum(d for _, d, _, n in calls if n == name)
        if gross[name] != durations:
            return f"gross of {name}: {gross[name]}, expected {durations}"
    return None

def main(pnav, folder, first, count):
    traces = ranges = beside = 0
    for seed in range(first, first + count):
        r = random.Random(seed)
        spans = make_spans(r)
        begin = min(a for *_, a, _ in spans)
        spans = [(i, p, n, a - begin, b - begin) for i, p, n, a, b in spans]
        end = max(b for *_, b in spans)
        shuffled = spans[:]
        r.shuffle(shuffled)
        path = f"{folder}/spans.json"
        with open(path, "w") as f:
            f.write(zipkin(shuffled))
        low = r.randrange(end)
        high = r.randrange(low + 1, end + 1)
        traces += 1
        beside += any(t["track"].endswith("(overlap 1)") for t in rows(pnav, "tracks", path))
        for x, y, options in ((0, end, ()), (low, high, ("--from", f"{low}us", "--to", f"{high}us"))):
            ranges += 1
            differs = compare(pnav, path, spans, x, y, options)
            if differs:
                print(f"{seed}: {' '.join(options)}: {differs}")
    print(f"{traces} traces, {ranges} ranges, {beside} with lanes")

main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
