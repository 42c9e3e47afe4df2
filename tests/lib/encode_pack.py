#!/usr/bin/env python3
# encode_pack.py FILE: writes a packed profile as pnav-pack(5) describes it, by nothing but that page:
# five samples of two stacks, with a metric in bytes, in columns of whole numbers.  Made
# tests/golden/pnav-written.
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
    form = {4: "i", 8: "q"}[width]
    return bytes([width, 0, 0, 0]) + number(0) + signed(0) + \
        struct.pack("<%d%s" % (len(values), form), *values)


TIMES, STACKS, BYTES = [100, 200, 200, 350, 500], [2, 3, 3, 2, 3], [10, 20, 30, 40, 5]
section(b"name", *[number(len(n)) + n.encode() for n in NAMES])
section(b"file", name("run.log"), name("byhand"), name(""), b"\0\1", signed(100), signed(500),
        signed(0), signed(0))
for function in ("main", "parse", "emit"):
    section(b"func", name(function), name("a.c"), name(""), number(1), b"\0")
section(b"fram", *[number(i) + b"\0" for i in range(3)])
# 1: main; 2: main, parse; 3: main, emit
section(b"stac", number(0), number(0), number(0), number(1), number(1), number(2))
section(b"metr", number(2), number(0), number(1), number(0), b"\1", number(0), number(0),
        name("samples"), b"\1\1\0\0", name("live"), b"\2\0\0\0")
section(b"trac", number(0), name("thread 1"), b"\0\0", name(""), number(0), b"\1", signed(100),
        signed(500), number(5), number(0))
section(b"seri", b"\1\0", signed(0), signed(0), b"\1\2", number(2), b"\0\0\0", number(1), b"\1\xff\0")
section(b"chun", number(5), b"\0", column(TIMES), column(STACKS, 4), column(BYTES))
section(b"info", number(0), name("note"), name("written by hand"))
section(b"end ", number(sections))
with open(sys.argv[1], "wb") as f:
    f.write(out)
