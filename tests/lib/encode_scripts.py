#!/usr/bin/env python3
"""encode_scripts.py OUT: what `pnav record` writes of a program in Python (perfdata_scripts.c): native
chains, and behind them the frames of Python, a call of the interpreter's loop at a time.

3 samples  memcpy < loop < sort < loop < start: inner, called by sort; main
2 samples  loop < start: inner in main, in one call of the loop
The loops have the names that they have in builds of GCC, and of Clang with tail calls.  Each sample
is 10 ms.  The stacks are known here: tests/golden/perfdata-scripts."""
import struct
import sys

MS = 1000000
SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8
KERNEL, USER = 2**64 - 128, 2**64 - 512
HIGH, SCRIPTS = 0xffffffff81000000, 1 << 62
NAMES = ["memcpy", "_TAIL_CALL_LOAD_FAST", "sort", "_PyEval_EvalFrameDefault.cold", "start"]
MEMCPY, TAIL, SORT, COLD, START = (HIGH + 0x1000 * i for i in range(5))
INNER, MAIN = SCRIPTS, SCRIPTS + (1 << 20)


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    return s.encode() + b"\0" * (8 - len(s) % 8)


def tail(ms):
    return struct.pack("<IIQIIQ", 100, 100, ms * MS, 0, 0, 1)


def sample(ms, *chain):
    body = struct.pack("<QQIIQIIQ", 1, chain[1], 100, 100, ms * MS, 0, 0, 10 * MS)
    return record(9, 1, body + struct.pack(f"<Q{len(chain)}Q", len(chain), *chain))


def function(start, path, line):
    body = struct.pack("<IIQQQIIQQII", 100, 100, start, 1 << 20, line, 0, 0, 0, 0, 1, 2)
    return record(10, 2, body + text(path) + tail(1))


def main():
    out = b"PERFILE2" + struct.pack("<Q", 16)
    attr = struct.pack("<IIQQQQQIIQ", 1, 64, 0, 10 * MS, SAMPLE_TYPE, 0, 1 << 18, 0, 0, 0)
    out += record(64, 0, attr + struct.pack("<Q", 1))
    out += record(78, 0, struct.pack("<QQ", 2, 1) + text("cpu-clock"))
    for i, name in enumerate(NAMES):
        out += record(17, 1, struct.pack("<QIHH", HIGH + 0x1000 * i, 0x1000, 1, 0) + text(name) +
                      tail(1))
    out += record(3, 0, struct.pack("<II", 100, 100) + text("python3") + tail(1))
    out += function(INNER, "//python/inner (/srv/app.py)", 5)
    out += function(MAIN, "//python/main (/srv/app.py)", 20)
    for i in range(3):
        out += sample(10 + 10 * i, KERNEL, MEMCPY, TAIL, SORT, COLD, START, INNER + 7, USER,
                      MAIN + 22, USER)
    for i, loop in enumerate((TAIL, COLD)):
        out += sample(50 + 10 * i, KERNEL, loop, START, INNER + 7, MAIN + 22, USER)
    out += record(68, 0, b"")
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
