#!/usr/bin/env python3
"""encode_beside.py OUT [hybrid]: what `record --why ./shop` writes beside a busy program: the feature
that names the command's processes (perfwriter.c), and samples of three processes on two CPUs.

shop   the command       10 samples in f
hand   started by shop    5 samples in g, in a process and thread of its own
noise  another program   30 samples in h, which count with `--track .` only
swapper                   2 samples, outside, too
Each sample is 10 ms.  The numbers are known here: tests/golden/perfdata-beside.

With `hybrid`: the same without the feature, on cores of two kinds, each with an event of its own;
the default metric counts both (hybrid.h): tests/golden/perfdata-hybrid."""
import struct
import sys

MS = 1000000
SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 7 | 1 << 8
FEATURE_COMMAND = 253
EVENTS = ["cpu_atom/cycles/P", "cpu_core/cycles/P"] if len(sys.argv) > 2 else ["cpu-clock"]
CODE, SIZE = 0x400000, 0x10000


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    return s.encode() + b"\0" * (8 - len(s) % 8)


def tail(pid, tid, ms):
    return struct.pack("<IIQIIQ", pid, tid, ms * MS, 0, 0, 1)


def comm(pid, tid, name, ms=0):
    return record(3, 0, struct.pack("<II", pid, tid) + text(name) + tail(pid, tid, ms))


def fork(pid, parent, ms):
    body = struct.pack("<IIIIQ", pid, parent, pid, parent, ms * MS)
    return record(7, 0, body + tail(parent, parent, ms))


def mmap(pid, path, ms=0):
    body = struct.pack("<IIQQQIIQQII", pid, pid, CODE, SIZE, 0, 0, 0, 0, 0, 5, 2)
    return record(10, 2, body + text(path) + tail(pid, pid, ms))


def sample(pid, ms, cpu, at):
    # identifier, ip, pid, tid, time, cpu, period
    event = 1 + cpu if len(EVENTS) > 1 else 1
    body = struct.pack("<QQIIQIIQ", event, CODE + at, pid, pid, ms * MS, cpu, 0, 10 * MS)
    return record(9, 2, body)


def main():
    out = b"PERFILE2" + struct.pack("<Q", 16)
    attr = struct.pack("<IIQQQQQIIQ", 1, 64, 0, 10 * MS, SAMPLE_TYPE, 0, 1 << 18, 0, 0, 0)
    for i, event in enumerate(EVENTS):
        out += record(64, 0, attr + struct.pack("<Q", 1 + i))
        out += record(78, 0, struct.pack("<QQ", 2, 1 + i) + text(event))
    if len(EVENTS) == 1:
        out += record(80, 0, struct.pack("<QII", FEATURE_COMMAND, 1, 100))
    for pid, name in (100, "shop"), (200, "noise"):
        out += comm(pid, pid, name) + mmap(pid, "/opt/gone/" + name)
    samples = [(10 * i, sample(100, 10 * i, 0, 0x100)) for i in range(10)]
    samples += [(10 * i, sample(200, 10 * i, 1, 0x200)) for i in range(30)]
    samples += [(100 + 10 * i, sample(300, 100 + 10 * i, 0, 0x300)) for i in range(5)]
    samples += [(150 + 10 * i, sample(0, 150 + 10 * i, 0, 0x400)) for i in range(2)]
    samples += [(99, fork(300, 100, 99)), (99, comm(300, 300, "hand", 99)),
                (99, mmap(300, "/opt/gone/hand", 99))]
    for _, one in sorted(samples, key=lambda s: s[0]):
        out += one
    out += record(68, 0, b"")
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
