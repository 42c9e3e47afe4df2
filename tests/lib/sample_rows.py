# sample_rows.py PNAV SAMPLES LIBIBERTY TABLE...: asks pnav for the rows of tables of samples, which
# formats.t describes; LIBIBERTY is `yes` where names are demangled.  A report is run once for all lines
# that follow each other and ask for it.  Prints `good NAME`, `bad NAME` or `skip NAME: WHY` a line,
# and what differs on stderr.
import csv
import os
import re
import subprocess
import sys

PNAV, SAMPLES, LIBIBERTY = sys.argv[1], sys.argv[2], sys.argv[3] == "yes"
LACKS = re.compile(r"with [a-z]*, which was not built in|built without [a-z]*")
NUMBER = re.compile(r"-?[0-9.e+]+")


def number(text):
    try:
        return float(text) if NUMBER.fullmatch(text) else None
    except ValueError:
        return None


class Report:
    def __init__(self, options, paths):
        self.words = ["report", "--format", "csv", *options, *paths]
        try:
            got = subprocess.run([PNAV, *self.words], capture_output=True, stdin=subprocess.DEVNULL,
                                 timeout=120)
            self.status, out, err = got.returncode, got.stdout, got.stderr
        except subprocess.TimeoutExpired:
            self.status, out, err = 124, b"", b""
        self.err = err.decode(errors="replace")
        lines = out.decode(errors="surrogateescape").split("\n")
        if lines[-1] == "":
            lines.pop()
        self.mangled = any(line.startswith(("_Z", "_R")) for line in lines)
        rows = list(csv.reader(lines))
        self.head, self.rows = (rows[0], rows[1:]) if rows else ([], [])
        lacks = LACKS.search(self.err)
        self.lacks = lacks and lacks.group()

    def field(self, row, column):
        at = self.head.index(column) if column in self.head else None
        if row == "#":
            return str(len(self.rows))
        if row == "+":
            return "%.17g" % sum(float(cells[at] or 0) for cells in self.rows)
        key, _, text = row.partition("=")
        if key in self.head:
            which = self.head.index(key)
            for cells in self.rows:
                if which < len(cells) and cells[which] == text:
                    return cells[at] if at is not None and at < len(cells) else ""
        return "(no such row)"

    def got(self, row, column):
        if row != "?":
            return self.field(row, column)
        if column != "-" and not re.search(column, self.err, re.M):
            return "%d without /%s/" % (self.status, column)
        return str(self.status)


def same(wanted, got):
    if wanted == got:
        return True
    low, dots, high = wanted.partition("..")
    n = number(got)
    if n is None:
        return False
    if dots:
        return float(low) <= n <= float(high)
    return number(wanted) == n


def look(table):
    name = os.path.basename(table)[:-len(".tsv")]
    before = report = None
    with open(table) as f:
        lines = [line.rstrip("\n") for line in f]
    for line in lines:
        cells = [cell for cell in line.split("\t") if cell] + [""]
        if line.startswith("#") or len(cells) < 5:
            continue
        files, options, row, column = cells[:4]
        wanted = "\t".join(cells[4:-1])
        paths = [os.path.join(SAMPLES, file) for file in files.split()]
        missing = [path for path in paths if not os.path.exists(path)]
        if missing:
            print("skip %s, %s, %s %s: no %s" % (name, files, row, column, missing[-1]))
            continue
        if before != (files, options):
            report = Report(options.split() if options != "-" else [], paths)
            before = files, options
        if report.lacks or (not LIBIBERTY and report.mangled):
            print("skip %s, %s, %s %s: %s" % (name, files, row, column,
                                              report.lacks or "built without libiberty"))
            continue
        got = report.got(row, column)
        good = same(wanted, got)
        print("good" if good else "bad", "%s: %s %s: %s %s" % (name, files, options, row, column))
        if not good:
            sys.stderr.write("pnav %s: %s %s: wanted %s, got %s (status %d) %s\n" % (
                " ".join(report.words), row, column, wanted, got, report.status,
                report.err[:300].replace("\n", " ")))


for table in sys.argv[4:]:
    look(table)
