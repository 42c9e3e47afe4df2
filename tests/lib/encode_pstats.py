#!/usr/bin/env python3
"""Writes the inputs of the golden cases pstats-*, by Python's own marshal.

    tests/lib/encode_pstats.py FOLDER        FOLDER/pstats-NAME/input.prof

What the cases expect was reckoned from the numbers below by hand."""
import marshal
import os
import sys

MAIN = ("shop.py", 1, "main")
PARSE = ("shop.py", 10, "parse")
DRAW = ("shop.py", 20, "draw")
LEN = ("~", 0, "<built-in method builtins.len>")

# (cc, nc, tt, ct, callers); callers: (nc, cc, tt, ct)
arcs = {
    LEN: (3, 3, 0.02, 0.02, {PARSE: (3, 3, 0.02, 0.02)}),
    PARSE: (2, 2, 0.08, 0.10, {MAIN: (2, 2, 0.08, 0.10)}),
    DRAW: (1, 4, 0.09, 0.09, {MAIN: (1, 1, 0.06, 0.09), DRAW: (3, 0, 0.03, 0.03)}),
    MAIN: (1, 1, 0.01, 0.20, {}),
}

# profile.py, and Python 2: of callers it is known how often they called, no more.
# f costs 0.4 s; a called it once, b three times: 0.1 and 0.3.
A = ("old.py", 5, "a")
B = ("old.py", 6, "b")
F = ("old.py", 7, "f")
counts = {
    A: (1, 1, 0.5, 0.6, {}),
    B: (1, 1, 0.1, 0.4, {}),
    F: (4, 4, 0.4, 0.4, {A: 1, B: 3}),
}


def write(folder, name, data):
    path = os.path.join(folder, "pstats-" + name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "input.prof"), "wb") as out:
        out.write(data)


folder = sys.argv[1]
write(folder, "arcs", marshal.dumps(arcs))
write(folder, "counts", marshal.dumps(counts, 2))
write(folder, "cut", marshal.dumps(arcs)[:-20])
write(folder, "second", marshal.dumps(counts, 0) + marshal.dumps(arcs))
