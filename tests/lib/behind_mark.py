# behind_mark.py PNAV GOLDEN: the golden cases that are texts, behind a byte-order mark, in UTF-16, and
# behind a blank line: the same functions, and no mark in the dump.  Prints `good NAME` or `bad NAME` a line.
#
# One process does it all, since starting the tools of a shell costs more than pnav's runs do.
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

MARK = b"\xef\xbb\xbf"
PNAV, GOLDEN = sys.argv[1], sys.argv[2]


def contents(path, other=b""):
    if not os.path.isfile(path):
        return other
    with open(path, "rb") as f:
        return f.read()


def verdict(good, name):
    print("good" if good else "bad", name, flush=True)


def run(folder, words):
    got = subprocess.run([PNAV, *words], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL,
                         timeout=60)
    return got.returncode, got.stdout


def input_of(folder):
    named = contents(os.path.join(folder, "input")).decode().strip()
    return named or next((os.path.basename(path) for path in sorted(glob.glob(folder + "/input.*"))
                          if os.path.isfile(path)), None)


def is_text(name, file, bytes):
    if file.endswith(".gz") or name.startswith(("perfetto-", "lprof-")):
        return False  # pickles have no blanks in front
    return b"\0" not in bytes and not bytes.startswith(MARK)


def compare(name, folder, file, bytes, expected):
    with tempfile.TemporaryDirectory() as scratch:
        case = os.path.join(scratch, "case")
        shutil.copytree(folder, case)
        more = shlex.split(contents(os.path.join(folder, "args")).decode())
        functions = ["report", "--format", "csv", "--view", "functions", *more, file]

        def put_whole(contents):
            path = os.path.join(case, file)
            os.unlink(path)
            with open(path, "wb") as f:
                f.write(contents)

        def put(front):
            put_whole(front + bytes)

        put(MARK)
        verdict(run(case, functions)[1] == expected, name + " behind a byte-order mark")
        verdict(MARK not in run(case, ["dump", file])[1], name + ": its dump")
        try:  # in UTF-16
            order = "le" if len(name) % 2 else "be"
            put_whole(("\ufeff" + bytes.decode()).encode("utf-16-" + order))
            verdict(run(case, functions)[1] == expected, name + " in UTF-16, " + order)
        except UnicodeDecodeError:
            pass
        put(b"\n")
        status = int(contents(os.path.join(folder, "exit"), b"0"))
        verdict(run(case, functions) == (status, expected), name + " behind a blank line")


for folder in sorted(glob.glob(GOLDEN + "/*")):
    name, file = os.path.basename(folder), input_of(folder)
    expected = contents(os.path.join(folder, "functions.csv"), None)
    if not file or expected is None:
        continue
    bytes = contents(os.path.join(folder, file), None)
    if bytes is not None and is_text(name, file, bytes):
        compare(name, folder, file, bytes, expected)
