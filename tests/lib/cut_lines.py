"""Cuts texts within their last lines, and compares the rows with those of the lines before.

cut_lines.py PNAV GOLDEN CASE...    prints `CASE: ` and what is wrong, nothing if all is right

What is left of a line must not count as if it were the line: status 3 then, the message, and the
rows of the lines before it (or of the whole line, if the rest had nothing to lose). A case `NAME=`
has lines that end in numbers (or names) which pnav believes: such a rest may count.
"""
import glob
import os
import shlex
import subprocess
import sys

VIEWS = ("functions", "tracks", "states")


def look(pnav, path, args):
    """Returns the status, stderr and the rows of all views."""
    rows, status, err = [], 0, ""
    for view in VIEWS:
        done = subprocess.run([pnav, "report", "--format", "csv", "--view", view, *args, path],
                              capture_output=True, check=False)
        rows.append(done.stdout)
        if not status:
            status, err = done.returncode, done.stderr.decode("utf-8", "replace")
    return status, err, rows


def cuts(data, lines=2, each=6):
    """Yields the begin and end of the last lines, and places within them."""
    end = len(data.rstrip(b"\n"))
    for _ in range(lines):
        begin = data.rfind(b"\n", 0, end) + 1
        inside = range(begin + 1, end)
        step = max(1, len(inside) // each)
        yield begin, end, sorted({*inside[::step], *inside[-2:]})
        end = max(begin - 1, 0)


def test(pnav, golden, case, believes):
    path, = glob.glob(os.path.join(golden, case, "input.*"))
    name = "cut" + os.path.splitext(path)[1]
    args = os.path.join(golden, case, "args")
    args = shlex.split(open(args).read()) if os.path.exists(args) else []
    data = open(path, "rb").read()

    def of(bytes_):
        with open(name, "wb") as out:
            out.write(bytes_)
        return look(pnav, name, args)

    n = 0
    for begin, end, places in cuts(data):
        before, whole = of(data[:begin]), of(data[:end] + b"\n")
        for at in places:
            status, err, rows = of(data[:at])
            shown = data[begin:at].decode("utf-8", "replace")
            if believes and status == 0 and rows != before[2]:
                continue # its last number
            if not data[begin:at].strip():
                continue # blanks: as if the file ended before this line
            n += 1
            if rows == whole[2] and status in (0, 3):
                continue
            if before[0] == 1 and status in (1, 3):
                continue # too few lines for a profile
            if status not in (1, 3) or rows != before[2] or " at byte " not in err and status == 3:
                print(f"{case}: {shown!r} cut: status {status}, {err.strip()!r}")
    if not n:
        print(f"{case}: no cut was tested")


for word in sys.argv[3:]:
    test(sys.argv[1], sys.argv[2], word.rstrip("="), word.endswith("="))
