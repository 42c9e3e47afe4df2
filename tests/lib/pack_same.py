# pack_same.py PNAV EACH FILE...: packs each file, and compares what pnav prints and writes of the
# file and of the packed one, byte for byte.  EACH: so many of the comparisons for each file, other
# ones for the next; 0: all.  Prints `good NAME`, `bad NAME` or `skip NAME: WHY` a line.
import os
import shlex
import subprocess
import sys
import tempfile

PNAV, EACH = sys.argv[1], int(sys.argv[2])
VIEWS = ["functions", "tree", "callers", "lines", "instructions", "calls", "slices", "tracks", "labels",
         "states", "edges", "values", "answers", "info"]
FORMATS = ["folded", "pprof", "speedscope", "chrome", "firefox", "callgrind", "svg", "html", "dot", "csv",
           "json", "sqlite", "pnav"]
TABLES = ["info", "metrics", "tracks", "functions", "frames", "stacks", "labels", "samples", "slices",
          "points"]
RANGES = [["--from", "25%", "--to", "75%"], ["--from", "60%"], ["--to", "10%"]]


def commands():
    for view in VIEWS:
        yield ["report", "--format", "csv", "--view", view]
    yield ["report", "--view", "tree", "--invert"]
    yield ["report", "--view", "functions", "--zero", "--by", "module"]
    yield ["report", "--guide"]
    for view in ("functions", "calls", "values", "tracks"):
        for where in RANGES:
            yield ["report", "--format", "json", "--view", view, *where]
    for name in FORMATS:
        yield ["export", "--format", name, "-o", "-"]
    for table in TABLES:
        yield ["sql", "--format", "csv", "select * from " + table]


COMMANDS = list(commands())

# What a lens shows is packed; the packed file without the lens has its numbers.
LENSES = [["--from", "25%", "--to", "75%"], ["--from", "60%"], ["--include", "e"], ["--exclude", "/a"],
          ["--exclude-self", "m"], ["--hide", "a"], ["--collapse", "o"], ["--root", "n"],
          ["--track", "1"], ["--track", "!1"], ["--by", "module"], ["--invert", "--hide", "t"],
          ["--from", "10%", "--to", "90%", "--hide", "i", "--exclude", "x"]]
VIEWS_OF_LENS = [["--view", "functions", "--columns", "function,self,total"],
                 ["--view", "tree", "--columns", "self,total,function"],
                 ["--view", "functions", "--columns", "function,calls"]]


def run(folder, words):
    env = dict(os.environ, SOURCE_DATE_EPOCH="0")
    if words[0] != "pack":  # views, encoders and SQL have tests of their own that look for leaks
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    got = subprocess.run([PNAV, *words], cwd=folder, capture_output=True, env=env,
                         stdin=subprocess.DEVNULL, timeout=600)
    return got.returncode, got.stdout, got.stderr


def same(name, a, b, file, words, reading):
    """Whether both folders' files give the same; reading: arguments that only the format needs."""
    query = words[0] == "sql"
    tail = [file] if not query else [words[-1], file]
    head = words[:-1] if query else words
    status, out, said = run(a, head + reading + tail)
    status_packed, out_packed, said_packed = run(b, head + reading + tail)
    # the status of a damaged file is that of reading it; what was kept is whole in the packed one
    if status == 3 and status_packed == 0:
        status = 0
    if (status, out) == (status_packed, out_packed):
        return True
    sys.stderr.write("# %s: %s: status %d, %d; %r; %r\n" % (name, " ".join(words), status,
                                                            status_packed, said[-200:],
                                                            said_packed[-200:]))
    for x, y in zip(out.split(b"\n") + [b"END"], out_packed.split(b"\n") + [b"END"]):
        if x != y:
            sys.stderr.write("#   %.300r\n#   %.300r\n" % (x, y))
            break
    return False


def rows(text):
    """Those with a number that is not 0; of others only the whole file knows."""
    return sorted(row for row in text.split(b"\n")
                  if any(cell.strip(b"-0") and cell.lstrip(b"-").isdigit() for cell in row.split(b",")))


def same_lens(name, a, b, file, lens, view, reading):
    """Whether a packed lens has the rows that a report through the lens has."""
    shown = [word for word in lens if word == "--invert"]
    by = ["--by", lens[lens.index("--by") + 1]] if "--by" in lens else []
    status, out, said = run(a, ["report", "--format", "csv", *view, *lens, *reading, file])
    if status not in (0, 3) or b"nothing" in said or out.count(b"\n") < 2:
        return True
    packed, _, why = run(a, ["pack", *lens, *reading, "-o", os.path.join(b, "lens"), file])
    if packed not in (0, 3):
        sys.stderr.write("# %s: pack %s: %r\n" % (name, " ".join(lens), why[-200:]))
        return False
    _, out_packed, said_packed = run(b, ["report", "--format", "csv", *view, *by, *shown, "lens"])
    if rows(out) == rows(out_packed):
        return True
    differ = set(rows(out)) ^ set(rows(out_packed))
    sys.stderr.write("# %s: %s: pack %s: %r; %r\n" % (name, " ".join(view), " ".join(lens),
                                                   sorted(differ)[:8], said_packed[-200:]))
    return False


def compare(path, first):
    folder, file = os.path.split(os.path.abspath(path))
    name = os.path.join(os.path.basename(folder), file)
    reading = []
    args = os.path.join(folder, "args")
    if os.path.exists(args):
        with open(args) as f:
            words = shlex.split(f.read())
        for i, word in enumerate(words):  # those of formats, not the lens
            if word in ("--map", "--bsprof-time-unit", "--binary"):
                reading += words[i:i + 2]
    with tempfile.TemporaryDirectory() as scratch:
        a, b = os.path.join(scratch, "a"), os.path.join(scratch, "b")
        os.symlink(folder, a)
        os.mkdir(b)
        status, out, said = run(a, ["pack", *reading, "-o", os.path.join(b, file), file])
        if status not in (0, 3):
            return print("skip %s: is not read, status %d" % (name, status), flush=True)
        chosen = COMMANDS if not EACH else [COMMANDS[(first + i * 7) % len(COMMANDS)]
                                            for i in range(EACH)]
        good = [same(name, a, b, file, words, reading) for words in chosen]
        pairs = [(lens, view) for lens in LENSES for view in VIEWS_OF_LENS]
        if EACH:
            pairs = [pairs[(first * 5 + i * 11) % len(pairs)] for i in range(EACH)]
        good += [same_lens(name, a, b, file, lens, view, reading) for lens, view in pairs]
        print("good" if all(good) else "bad", name, flush=True)


for number, path in enumerate(sys.argv[3:]):
    try:
        compare(path, number * EACH)
    except subprocess.TimeoutExpired as late:
        print("bad", path, late, flush=True)
