#!/usr/bin/env python3
# encode_pack.py FILE [sums]: writes a packed profile as pnav-pack(5) describes it, by nothing but that
# page: five samples of two stacks, with a metric in bytes, in columns of whole numbers.  Made
# tests/golden/pnav-written.  With `sums`: 2,500 samples in two chunks, with stated blocks and
# checkpoints; prints what the reports of tests/golden/pnav-sums and a part of it say.
import ctypes
import ctypes.util
import struct
import sys

xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash"))
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
NAMES = ["", "samples", "run.log", "byhand", "main", "parse", "emit", "a.c", "live", "thread 1", "note",
         "written by hand"]
out, sections = bytearray(b"pnavpack" + struct.pack("<HHI", 1, 0, 0)), 0


def number(n):
    at = b""
    while n > 127:
        at, n = at + bytes([n & 127 | 128]), n >> 7
    return at + bytes([n])


def signed(n):
    return number(n << 1 if n >= 0 else (-n << 1) - 1)


def name(text):
    return number(NAMES.index(text))


def section(kind, *parts):
    global sections
    contents = b"".join(parts)
    head = struct.pack("<IQQQ", 0, len(contents), len(contents),
                       xxhash.XXH3_64bits(contents, len(contents)))
    out.extend(kind + head + contents)
    sections += 1


def column(values, width=8):
    form = {1: "B", 2: "H", 4: "i", 8: "q"}[width]
    return bytes([width, 0, 0, 0]) + number(0) + signed(0) + \
        struct.pack("<%d%s" % (len(values), form), *values)


TIMES, STACKS, BYTES = [100, 200, 200, 350, 500], [2, 3, 3, 2, 3], [10, 20, 30, 40, 5]
CHUNKS, WIDTHS = [5], (8, 4, 8)
if len(sys.argv) > 2:
    TIMES = [i * 7 + i % 3 for i in range(2500)]
    STACKS = [2 if i * i % 7 < 2 or i < 1100 else 3 for i in range(2500)]
    BYTES = [i * 37 % 251 for i in range(2500)]
    CHUNKS, WIDTHS = [1500, 1000], (2, 1, 1)
N = len(TIMES)


def blocks():
    starts = range(0, N, 1024)
    largest = [max(range(i, min(i + 1024, N)), key=lambda k: BYTES[k]) for i in starts]
    whole = [range(i, i + 1024) for i in starts[:-1]]
    return number(len(starts)) + column([STACKS[i] for i in largest], 4) + \
        column([sum(BYTES[i] for i in block) for block in whole]) + column([1024] * len(whole), 2)


# The first counts from the beginning, the second from the first.
def checkpoints():
    at, seen, had, key = b"", [], 0, {}
    for end in (1500, 2500):
        new = [s for s in dict.fromkeys(STACKS[:end]) if s not in seen]
        seen += new
        sums = {s: (sum(b for b, k in zip(BYTES[:end], STACKS) if k == s), STACKS[:end].count(s))
                for s in seen}
        at += number(end) + number(len(new)) + \
            b"".join(signed(s - before) for s, before in zip(new, [0] + new))
        for m in (0, 1):
            at += column([sums[s][m] - key.get(s, (0, 0))[m] for s in seen])
        key = key or sums
    return at


section(b"name", *[number(len(n)) + n.encode() for n in NAMES])
section(b"file", name("run.log"), name("byhand"), name(""), b"\0\1", signed(TIMES[0]),
        signed(TIMES[-1]), signed(0), signed(0))
for function in ("main", "parse", "emit"):
    section(b"func", name(function), name("a.c"), name(""), number(1), b"\0")
section(b"fram", *[number(i) + b"\0" for i in range(3)])
# 1: main; 2: main, parse; 3: main, emit
section(b"stac", number(0), number(0), number(0), number(1), number(1), number(2))
section(b"metr", number(2), number(0), number(1), number(0), b"\1", number(0), number(0),
        name("samples"), b"\1\1\0\0", name("live"), b"\2\0\0\0")
section(b"trac", number(0), name("thread 1"), b"\0\0", name(""), number(0), b"\1",
        signed(TIMES[0]), signed(TIMES[-1]), number(N), number(0))
section(b"seri", b"\1\0", signed(0), signed(0), b"\1\2", number(2), b"\0\0\0", number(1), b"\1\xff\0")
if len(CHUNKS) > 1:
    section(b"bloc", blocks())
    section(b"chec", checkpoints())
at = 0
for n in CHUNKS:
    section(b"chun", number(n), b"\0", *[column(v[at:at + n], width) for v, width in
                                        zip((TIMES, STACKS, BYTES), WIDTHS)])
    at += n
section(b"info", number(0), name("note"), name("written by hand"))
section(b"end ", number(sections))
with open(sys.argv[1], "wb") as f:
    f.write(out)
if len(CHUNKS) > 1:
    for start, end in ((0, TIMES[-1] + 1), (5000, 12000)):
        inside = [i for i in range(N) if start <= TIMES[i] < end]
        for stack, function in ((2, "parse"), (3, "emit")):
            mine = [i for i in inside if STACKS[i] == stack]
            print(start, end, function, len(mine), sum(BYTES[i] for i in mine))
