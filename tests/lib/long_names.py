#!/usr/bin/env python3
"""A golden case with one of its names made 70,000 bytes longer, or replaced:

    long_names.py ENCODER|- GOLDEN CASE NAME OUT [NEW SHOWN]

Writes OUT/CASE/, the case's input with NAME longer, and OUT/CASE/expected, the rows of its
functions.csv with that name as pnav cuts it, its hash replaced by ########.  With NEW, that stands
in the input instead of NAME, and in the rows, of which
functions are called SHOWN.  The input is the
case's own text, or what ENCODER writes when its source has the longer name."""
import os
import re
import shutil
import subprocess
import sys

encoder, golden, case, name, out, *others = sys.argv[1:]
LONGEST = 65535
new, shown = others or [name + "x" * 70000] * 2
word = re.compile(rb"(?<![A-Za-z0-9_])" + re.escape(name.encode()) + rb"(?![A-Za-z0-9_])")
folder = os.path.join(out, case)


def longer(data):
    assert word.search(data), "%s has no %s" % (case, name)
    return word.sub(new.encode(), data)


def measured(data):
    """Texts that stand behind their lengths: PHP's s:4:"main", heaptrack's s 4 main."""
    data = re.sub(rb's:\d+:"([^"]*)"', lambda m: b's:%d:"%s"' % (len(m[1]), m[1]), data)
    if data.startswith(b"v "):
        data = re.sub(rb"(?m)^s [0-9a-f]+ (.*)$", lambda m: b"s %x %s" % (len(m[1]), m[1]), data)
    return data


if encoder == "-":
    shutil.copytree(os.path.join(golden, case), folder)
    for file in os.listdir(folder):
        if file.startswith("input."):
            path = os.path.join(folder, file)
            os.chmod(path, 0o644)
            with open(path, "rb") as f:
                data = f.read()
            with open(path, "wb") as f:
                f.write(measured(longer(data)))
else:
    with open(encoder, "rb") as f:
        source = longer(f.read())
    path = os.path.join(out, "encode.py")
    with open(path, "wb") as f:
        f.write(source)
    subprocess.run([sys.executable, path, out], check=True)
    if os.path.exists(os.path.join(golden, case, "input")):
        shutil.copy(os.path.join(golden, case, "input"), folder)

with open(os.path.join(golden, case, "functions.csv"), "rb") as f:
    rows = f.read().split(b"\n")


def cut(column, cell):
    text = word.sub((new if column else shown).encode(), cell)
    if len(text) > LONGEST:
        text = text[:LONGEST - 11] + "\u2026".encode() + b"########"
    return text


with open(os.path.join(folder, "expected"), "wb") as f:
    f.write(b"\n".join(sorted(b",".join(cut(i, c) for i, c in enumerate(r.split(b","))) for r in rows if r)) + b"\n")
