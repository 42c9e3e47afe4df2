#!/usr/bin/env python3
"""encode_deferred.py OUT: what `perf record --call-graph fp,defer` writes on Linux 6.19: samples
whose callers in user space come in a later record.  Each sample counts 10 ms.

shop     10 in f, called by main, each with a record of its own
shop      2 in k_read, called by entry, in one system call: main, read
shop      1 in k_read whose record is of another thread, 1 whose record has another cookie,
          1 in entry and 1 in f without any record: four without callers in user space
sleeper   1 in k_sleep; it returns to main after three rounds
deep      1: 60 frames of the kernel and 100 of the program, more than 127 together: none is cut
late      1 in k_read; its record comes earlier in the file, from another CPU
The numbers are known here: tests/golden/perfdata-deferred."""
import struct
import sys

MS = 1000000
SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8
KERNEL, USER, DEFERRED = 2**64 - 128, 2**64 - 512, 2**64 - 640
CODE, SIZE, HIGH = 0x400000, 0x10000, 0xffffffff81000000
MAIN, F, READ = CODE + 0x10, CODE + 0x100, CODE + 0x200
K_ENTRY, K_READ, K_SLEEP, K_DEEP = (HIGH + 0x1000 * i for i in range(4))


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    return s.encode() + b"\0" * (8 - len(s) % 8)


def tail(tid, ms):
    return struct.pack("<IIQIIQ", tid, tid, int(ms * MS), 0, 0, 1)


def words(chain):
    return struct.pack(f"<Q{len(chain)}Q", len(chain), *chain)


def sample(tid, ms, cookie, *chain):
    # identifier, ip, pid, tid, time, cpu, period, chain
    mode = 1 if chain else 2
    at = chain[0] if chain else F
    all_of_it = ([KERNEL, *chain] if chain else []) + [DEFERRED, cookie]
    body = struct.pack("<QQIIQIIQ", 1, at, tid, tid, int(ms * MS), 0, 0, 10 * MS)
    return record(9, mode, body + words(all_of_it))


def deferred(tid, ms, cookie, *chain):
    return record(22, 2, struct.pack("<Q", cookie) + words([USER, *chain]) + tail(tid, ms))


def mmap(pid, path):
    body = struct.pack("<IIQQQIIQQII", pid, pid, CODE, SIZE, 0, 0, 0, 0, 0, 5, 2)
    return record(10, 2, body + text(path) + tail(pid, 0.1))


def symbol(at, name):
    return record(17, 1, struct.pack("<QIHH", at, 0x1000, 1, 0) + text(name) + tail(0, 0.1))


def main():
    out = b"PERFILE2" + struct.pack("<Q", 16)
    # flags: sample_id_all, defer_callchain, defer_output
    flags = 1 << 18 | 1 << 38 | 1 << 39
    attr = struct.pack("<IIQQQQQIIQ", 1, 64, 0, 10 * MS, SAMPLE_TYPE, 0, flags, 0, 0, 0)
    out += record(64, 0, attr + struct.pack("<Q", 1))
    out += record(78, 0, struct.pack("<QQ", 2, 1) + text("cpu-clock"))
    for at, name in (K_ENTRY, "entry"), (K_READ, "k_read"), (K_SLEEP, "k_sleep"), \
            (K_DEEP, "k_deep"):
        out += symbol(at, name)
    for pid, name in (100, "shop"), (200, "sleeper"), (300, "deep"), (400, "late"):
        out += record(3, 0, struct.pack("<II", pid, pid) + text(name) + tail(pid, 0.1))
        out += mmap(pid, "/opt/gone/shop")
    end = record(68, 0, b"")
    out += sample(200, 5, 77, K_SLEEP, K_ENTRY)
    for i in range(10):
        out += sample(100, 10 + 10 * i, 1000 + i)
        out += deferred(100, 10 + 10 * i + 0.001, 1000 + i, F, MAIN)
        if i % 3 == 2:
            out += end
    out += sample(100, 200, 1, K_READ, K_ENTRY) + sample(100, 201, 1, K_READ, K_ENTRY)
    out += deferred(100, 202, 1, READ, MAIN)
    out += sample(100, 210, 2, K_READ, K_ENTRY) + deferred(400, 211, 2, READ, MAIN)
    out += sample(100, 220, 3, K_READ, K_ENTRY) + deferred(100, 221, 4, READ, MAIN)
    out += sample(100, 230, 5, K_ENTRY) + sample(100, 240, 6)
    out += deferred(200, 300, 77, READ, MAIN)
    out += end
    out += sample(300, 310, 9, *[K_DEEP + i for i in range(60)])
    out += deferred(300, 311, 9, *[F] * 99, MAIN)
    out += deferred(400, 321, 12, READ, MAIN) + sample(400, 320, 12, K_READ, K_ENTRY)
    out += end
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
