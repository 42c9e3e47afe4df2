"""Rows of ClickHouse's trace_log, and what they add up to: trace_rows.py HTTP fills the tables
log2019 and log2026 and query_log of the server on that port, with the columns of both years, and
writes into the current folder FILE.METRIC: function,self,total for each metric of each table.

Addresses have the names f0x... wherever a name is known; files without names are hex.FILE.METRIC.
All numbers come from the rows below, not from a query."""
import sys
import urllib.request

START = 1714564800  # 2024-05-01T12:00:00Z
TYPES = ["Real", "CPU", "Memory", "MemorySample", "MemoryPeak", "ProfileEvent", "JemallocSample"]
PERIODS = {"q1": (("cpu", 10000000), ("real", 20000000)), "q2": (("max_threads", 4),)}
state = 12345


def rnd(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
    return (state >> 33) % n


def stack():
    """Leaf first; every address once, so that self and total need no care for recursion."""
    path = [0x4000010] + [0x4000100 + 0x100 * depth + 0x10 * rnd(3) for depth in range(1 + rnd(4))]
    return path[::-1]


def rows(n, types):
    live = []
    for i in range(n):
        row = {"type": types[rnd(len(types))], "trace": stack(), "size": 0, "ptr": 0, "event": "",
               "increment": 0, "query": ["q1", "q2", "q3", ""][rnd(4)], "thread": 100 + rnd(3),
               "ns": (START + i * 10 // n) * 10**9 + rnd(10**9), "host": ["a", "b"][rnd(2)]}
        if row["type"] in (2, 3, 6):
            row["size"] = 1 + rnd(100000)
            if row["type"] == 3:
                if live and rnd(3) == 0:  # the pointer of an allocation before, of the same host
                    freed = live.pop(rnd(len(live)))
                    row.update(host=freed["host"], size=-freed["size"], ptr=freed["ptr"])
                    row["ns"] = freed["ns"] + 1
                else:
                    row["ptr"] = 4096 + i
                    live.append(row)
            elif rnd(4) == 0:
                row["size"] = -row["size"]
        elif row["type"] == 4:
            row["size"] = 1 + 1000 * i + rnd(1000)
        elif row["type"] == 5:
            row.update(event=["Seek", "it's"][rnd(2)], increment=1 + rnd(50))
        yield row


def metrics(row):
    """The metrics of a row, with their values."""
    def period(kind):
        return dict(PERIODS.get(row["query"], ())).get(kind, 10**9)
    kind = row["type"]
    if kind == 0:
        yield "time", period("real")
    elif kind == 1:
        yield "cpu", period("cpu")
        yield "samples", 1
    elif kind in (2, 3, 6):
        yield ("alloc" if row["size"] > 0 else "frees"), abs(row["size"])
    elif kind == 5:
        yield ("seek" if row["event"] == "Seek" else "quoted"), row["increment"]


def write(name, sums):
    for hexadecimal in (False, True):
        with open(("hex." if hexadecimal else "") + name, "w") as out:
            print("function,self,total", file=out)
            for address, (own, total) in sums.items():
                print("%s0x%x,%d,%d" % ("" if hexadecimal else "f", address, own, total), file=out)


def add(sums, row, value):
    for depth, address in enumerate(row["trace"]):
        own, total = sums.setdefault(address, (0, 0))
        sums[address] = (own + (value if depth == 0 else 0), total + value)


def truth(table, all_rows):
    by_metric = {}
    for row in all_rows:
        for metric, value in metrics(row):
            add(by_metric.setdefault(metric, {}), row, value)
            if metric == "cpu":
                add(by_metric.setdefault("cpu." + row["host"], {}), row, value)
                if START + 2 <= row["ns"] // 10**9 < START + 5:
                    add(by_metric.setdefault("cpu.range", {}), row, value)
            if row["query"] == "q1":
                add(by_metric.setdefault(metric + ".q1", {}), row, value)
            if row["type"] == 3 and metric == "alloc":
                add(by_metric.setdefault("alloc.sampled", {}), row, value)
    freed = {row["ptr"] for row in all_rows if row["type"] == 3 and row["size"] < 0}
    peaks = {}
    for row in all_rows:
        if row["type"] == 3 and row["size"] > 0 and row["ptr"] not in freed:
            add(by_metric.setdefault("live", {}), row, row["size"])
        if row["type"] == 4 and row["size"] > peaks.get(row["query"], {"size": 0})["size"]:
            peaks[row["query"]] = row
    for row in peaks.values():
        add(by_metric.setdefault("peak", {}), row, row["size"])
    for metric, sums in by_metric.items():
        write("%s.%s" % (table, metric), sums)


def quoted(text):
    return "'%s'" % text.replace("\\", "\\\\").replace("'", "\\'")


def ask(query):
    url = "http://127.0.0.1:%s/" % sys.argv[1]
    return urllib.request.urlopen(url, query.encode(), timeout=60).read().decode().strip()


def fill(table, columns, all_rows):
    ask("CREATE TABLE %s (%s) ENGINE = MergeTree PARTITION BY toYYYYMM(event_date) "
        "ORDER BY (event_date, event_time)" % (table, ", ".join(c + " " + t for c, t, v in columns)))
    ask("INSERT INTO %s (%s) VALUES %s" % (
        table, ", ".join(c for c, t, v in columns),
        ", ".join("(%s)" % ", ".join(str(v(row)) for c, t, v in columns) for row in all_rows)))


revision = ask("SELECT value FROM system.metrics WHERE metric = 'Revision'")


def enum(types):
    return "Enum8(%s)" % ", ".join("'%s' = %d" % (name, i) for i, name in enumerate(types))


old = [
    ("event_date", "Date", lambda r: "toDate(toDateTime(%d))" % (r["ns"] // 10**9)),
    ("event_time", "DateTime", lambda r: "toDateTime(%d)" % (r["ns"] // 10**9)),
    ("revision", "UInt32", lambda r: revision),
    ("trace_type", enum(TYPES[:3]), lambda r: quoted(TYPES[r["type"]])),
    ("thread_number", "UInt32", lambda r: r["thread"]),
    ("query_id", "String", lambda r: quoted(r["query"])),
    ("trace", "Array(UInt64)", lambda r: r["trace"]),
    ("size", "Int64", lambda r: r["size"])]
new = old[:2] + [
    ("timestamp_ns", "UInt64", lambda r: r["ns"]),
    ("trace_type", enum(TYPES), lambda r: quoted(TYPES[r["type"]])),
    ("thread_id", "UInt64", lambda r: r["thread"]),
    ("thread_name", "String", lambda r: quoted("Pool" if r["thread"] == 101 else "")),
    old[5], old[6], old[7],
    ("ptr", "UInt64", lambda r: r["ptr"]),
    ("event", "String", lambda r: quoted(r["event"])),
    ("increment", "Int64", lambda r: r["increment"]),
    ("symbols", "Array(String)", lambda r: [] if r["type"] == 0 else ["f0x%x" % a for a in r["trace"]]),
    ("lines", "Array(String)", lambda r: ["/src/a.cpp:%d" % (a & 0xfff) for a in r["trace"]]),
    ("hostname", "String", lambda r: quoted(r["host"]))]

ask("CREATE TABLE query_log (event_date Date, query_id String, Settings Nested(Names String, "
    "Values String)) ENGINE = MergeTree(event_date, query_id, 8192)")
for query, settings in PERIODS.items():
    names = ["query_profiler_%s_time_period_ns" % k
             if k in ("cpu", "real") else k for k, v in settings]
    ask("INSERT INTO query_log VALUES (toDate(toDateTime(%d)), '%s', %s, %s)" % (
        START, query, names, [str(v) for k, v in settings]))
for table, columns, types in (("log2019", old, (0, 1, 1, 2)), ("log2026", new, (0, 1, 1, 2, 3, 3, 4, 5))):
    made = list(rows(1000, types))
    truth(table, made)
    fill(table, columns, made)
