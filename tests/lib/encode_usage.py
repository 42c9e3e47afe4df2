#!/usr/bin/env python3
"""encode_usage.py OUT: what `record -a --usage` writes (usage.h, owners.h): two programs without
symbols on two CPUs in a second.  The numbers are known here: tests/golden/perfdata-usage.

web    runs for 600 ms, waits for a CPU for 350 ms, has two threads, and no I/O
batch  runs for 200 ms, waits for 10 ms, has one thread, and writes 1 MiB + 64 KiB
Delays of block I/O are not counted, so there is no event for them."""
import struct
import sys

MS = 1000000
EVENTS = {"cpu-clock": 0, "waiting": 9, "io": 9, "thread-time": 9}  # software, dummy
SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 7 | 1 << 8 | 1 << 5
OWNERS, CONTEXT_USER, NO_CPU = (1 << 62) + (1 << 60), 2**64 - 512, 2**32 - 1
START = 1000 * MS
CODE, SIZE = 0x400000, 0x10000
PROGRAMS = (100, "web", "www"), (200, "batch", "root")
ids = {name: i + 1 for i, name in enumerate(EVENTS)}


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    return s.encode() + b"\0" * (8 - len(s) % 8)


def tail(pid, tid):
    return struct.pack("<IIQIIQ", pid, tid, 0, 0, 0, 1)


def comm(pid, tid, name):
    return record(3, 0, struct.pack("<II", pid, tid) + text(name) + tail(pid, tid))


def mmap(pid, start, size, prot, first, path):
    body = struct.pack("<IIQQQIIQQII", pid, pid, start, size, first, 0, 0, 0, 0, prot, 2)
    return record(10, 2, body + text(path) + tail(pid, pid))


def sample(event, tid, ms, period, cpu=NO_CPU, stack=()):
    pid = tid // 100 * 100
    chain = [CONTEXT_USER] + [CODE + at for at in stack] if stack else []
    body = struct.pack("<QQIIQIIQQ", ids[event], chain[1] if chain else 0, pid, tid,
                       START + ms * MS, cpu, 0, period, len(chain))
    return record(9, 2 if chain else 0, body + struct.pack(f"<{len(chain)}Q", *chain))


def main():
    out = b"PERFILE2" + struct.pack("<Q", 16)
    for name, config in EVENTS.items():
        attr = struct.pack("<IIQQQQQIIQ", 1, 64, config, 1, SAMPLE_TYPE, 0, 1 << 18, 0, 0, 0)
        out += record(64, 0, attr + struct.pack("<Q", ids[name]))
        out += record(78, 0, struct.pack("<QQ", 2, ids[name]) + text(name))
    for pid, name, user in PROGRAMS:
        out += comm(pid, pid, name)
        out += mmap(pid, OWNERS, 4096, 1, 0, "//process/user=" + user)
        out += mmap(pid, CODE, SIZE, 5, 0, "/opt/gone/" + name)
        out += mmap(pid, CODE + SIZE, SIZE, 5, 0, "/opt/gone/lib.so")
    out += comm(100, 101, "web")
    samples = []
    for i in range(30):
        leaf = 0x1100 if i % 3 else SIZE + 0x80
        samples.append((20 + i * 32, sample("cpu-clock", 100 + i % 2, 20 + i * 32, 20 * MS, 0,
                                            [leaf, 0x1000])))
    for i in range(10):
        samples.append((30 + i * 90, sample("cpu-clock", 200, 30 + i * 90, 20 * MS, 1,
                                            [0x2100, 0x2000])))
    for ms, web, batch, written in (0, 0, 0, 0), (500, 150, 4, 65536), (1000, 200, 6, 1 << 20):
        for tid in 100, 101, 200:
            if ms:
                samples.append((ms, sample("thread-time", tid, ms, 500 * MS)))
        samples.append((ms, sample("waiting", 100, ms, web * MS)))
        samples.append((ms, sample("waiting", 200, ms, batch * MS)))
        samples.append((ms, sample("io", 200, ms, written)))
    for _, one in sorted(samples, key=lambda s: s[0]):
        out += one
    out += record(68, 0, b"")
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
