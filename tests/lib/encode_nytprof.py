#!/usr/bin/env python3
"""Writes the inputs of the golden cases nytprof-*, from the description of the records.

    tests/lib/encode_nytprof.py FOLDER        FOLDER/nytprof-NAME/input.out

What the cases expect was reckoned from the numbers below by hand."""
import os
import struct
import sys
import zlib


def num(v):
    if v < 0:
        v += 1 << 32
    if v < 0x80:
        return bytes([v])
    if v < 0x4000:
        return bytes([0x80 | v >> 8, v & 0xFF])
    if v < 0x200000:
        return bytes([0xC0 | v >> 16]) + (v & 0xFFFF).to_bytes(2, "big")
    if v < 0x10000000 - 0x1000000:
        return bytes([0xE0 | v >> 24]) + (v & 0xFFFFFF).to_bytes(3, "big")
    return b"\xFF" + v.to_bytes(4, "big")


def text(s):
    data = s.encode()
    return (b"'" if s.isascii() else b'"') + num(len(data)) + data


class File:
    def __init__(self, order="<", ticks=1000000, calls=1):
        self.order = order
        self.head = b"NYTProf 5 0\n#Perl profile database\n:basetime=1795303106\n"
        self.head += b":application=/srv/shop/run.pl\n:nv_size=8\n"
        self.head += b":ticks_per_sec=%d\n!calls=%d\n" % (ticks, calls)
        self.body = b""

    def put(self, tag, *fields):
        self.body += tag.encode()
        for f in fields:
            if isinstance(f, float):
                self.body += struct.pack(self.order + "d", f)
            elif isinstance(f, str):
                self.body += text(f)
            else:
                self.body += num(f)


def write(folder, name, data):
    path = os.path.join(folder, "nytprof-" + name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "input.out"), "wb") as out:
        out.write(data)


def tables(f):
    f.put("@", 1, 0, 0, 2, 300, 1795303000, "/srv/shop/run.pl")
    f.put("@", 2, 0, 0, 2, 300, 1795303000, "/srv/shop/Köln.pm")
    f.put("S", 1, 1, "sub run {\n")
    f.put("s", 1, "main::run", 1, 4)
    f.put("s", 1, "main::f", 3, 3)
    f.put("s", 1, "main::g", 5, 9)
    f.put("s", 1, "main::CORE:sort", 0, 0)


folder = sys.argv[1]

# Returns, as usual: f, g and a sort in run, then run once more; compressed.
returns = File()
returns.put("P", 100, 99, 1795303106.25)
for ticks, fid, line in ((5, 1, 1), (10, 1, 2), (300, 1, 3), (-2, 1, 3), (70000, 2, 4)):
    returns.put("+", ticks, fid, line)
returns.put("-")
returns.put("*", 3, 1, 6, 6, 5)
for depth, incl, excl, name in ((2, 30.0, 30.0, "main::f"), (3, 4.0, 4.0, "main::CORE:sort"),
                                (2, 24.0, 20.0, "main::g"), (1, 104.0, 50.0, "main::run"),
                                (1, 60.0, 60.0, "main::run")):
    returns.put("<", depth, incl, excl, name)
tables(returns)
returns.put("c", 1, 9, "main::RUNTIME", 2, 1.0, 1.0, 0.0, 0, "main::run")
returns.put("p", 100, 1795303107.5)
packed = returns.head + b"z" + zlib.compress(returns.body, 9)
write(folder, "returns", packed)
write(folder, "cut", packed[:-30])

# No calls but their sums; reals of a big-endian machine.
graph = File(order=">", calls=0)
graph.put("P", 100, 99, 1795303106.25)
tables(graph)
graph.put("c", 1, 20, "main::RUNTIME", 2, 0.003, 0.001, 0.0, 0, "main::run")
graph.put("c", 1, 2, "main::run", 4, 0.002, 0.002, 0.0, 0, "main::f")
graph.put("c", 1, 21, "main::RUNTIME", 1, 0.0005, 0.0005, 0.0, 0, "main::f")
graph.put("p", 100, 1795303107.5)
write(folder, "graph", graph.head + graph.body)

# Entries as well, in two processes; the last call of the first does not return.
entries = File(ticks=10000000, calls=2)
entries.put("P", 7, 1, 1795303106.25)
tables(entries)
entries.put("+", 10, 1, 20)
entries.put(">", 1, 20)
entries.put("+", 20, 1, 5)
entries.put(">", 1, 6)
entries.put("+", 5, 1, 3)
entries.put("<", 2, 4.0, 4.0, "main::f")
entries.put("+", 15, 1, 7)
entries.put("<", 1, 41.0, 37.0, "main::g")
entries.put(">", 1, 21)
entries.put("+", 50, 1, 1)
entries.put("P", 8, 7, 1795303106.5)
entries.put(">", 1, 22)
entries.put("+", 8, 1, 2)
entries.put("<", 1, 8.0, 8.0, "main::run")
entries.put("p", 8, 1795303107.5)
entries.put("p", 7, 1795303107.5)
write(folder, "entries", entries.head + entries.body)

write(folder, "old", b"NYTProf 4 0\n" + graph.body)
