#!/usr/bin/env python3
"""encode_lbr.py OUT: what `perf record --call-graph lbr` writes: the callers in user space are the
calls that the processor keeps as pairs of addresses, the innermost call first.  The chain beside
them has what frame pointers gave, which is wrong behind its first user address.  Each sample counts
10 ms.  main calls f, f calls g; main calls read.

    4 in g, called by f and main
    2 in k_read, called by entry, in a system call of read, called by main
    1 in k_read of a thread of the kernel, whose pairs belong to another program
    1 in g without pairs: the chain is used
    1 in g, called by itself 31 times and by main: 32 pairs, which may not be all
The numbers are known here: tests/golden/perfdata-lbr.  `perf script` prints the same callers; as
the address in the innermost function it prints the function's first, which is in the first pair."""
import struct
import sys

MS = 1000000
SAMPLE_TYPE = 1 << 16 | 1 | 2 | 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 11
# user, call stack, neither cycles nor flags, index
BRANCH_TYPE = 1 << 0 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 17
KERNEL, USER = 2**64 - 128, 2**64 - 512
CODE, SIZE, HIGH = 0x400000, 0x10000, 0xffffffff81000000
MAIN, F, G, READ = (CODE + 0x100 * i for i in range(1, 5))
WRONG = CODE + 0x900
K_ENTRY, K_READ = HIGH, HIGH + 0x1000


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    return s.encode() + b"\0" * (8 - len(s) % 8)


def tail(tid, ms):
    return struct.pack("<IIQIIQ", tid, tid, int(ms * MS), 0, 0, 1)


def sample(ms, chain, pairs):
    # identifier, ip, pid, tid, time, cpu, period, chain, pairs
    at = chain[1]
    mode = 1 if at >= HIGH else 2
    body = struct.pack("<QQIIQIIQ", 1, at, 100, 100, ms * MS, 0, 0, 10 * MS)
    body += struct.pack(f"<Q{len(chain)}Q", len(chain), *chain)
    body += struct.pack("<QQ", len(pairs), 0)
    for source, target in pairs:
        body += struct.pack("<QQQ", source, target, 0)
    return record(9, mode, body)


def main():
    out = b"PERFILE2" + struct.pack("<Q", 16)
    flags = 1 << 18 | 1 << 20  # sample_id_all, exclude_guest
    attr = struct.pack("<IIQQQQQIIQQQ", 1, 80, 0, 10 * MS, SAMPLE_TYPE, 0, flags, 0, 0, 0, 0,
                       BRANCH_TYPE)
    out += record(64, 0, attr + struct.pack("<Q", 1))
    out += record(78, 0, struct.pack("<QQ", 2, 1) + text("cpu-clock"))
    for at, name in (K_ENTRY, "entry"), (K_READ, "k_read"):
        out += record(17, 1, struct.pack("<QIHH", at, 0x1000, 1, 0) + text(name) + tail(0, 0.1))
    out += record(3, 0, struct.pack("<II", 100, 100) + text("shop") + tail(100, 0.1))
    code = struct.pack("<IIQQQIIQQII", 100, 100, CODE, SIZE, 0, 0, 0, 0, 0, 5, 2)
    out += record(10, 2, code + text("/opt/gone/shop") + tail(100, 0.1))
    calls = [(F + 0x20, G), (MAIN + 0x20, F)]
    for i in range(4):
        out += sample(10 + 10 * i, [USER, G + 8, WRONG], calls)
    for i in range(2):
        out += sample(100 + 10 * i, [KERNEL, K_READ, K_ENTRY, USER, READ + 8, WRONG],
                      [(MAIN + 0x30, READ)])
    out += sample(200, [KERNEL, K_READ, K_ENTRY], calls)
    out += sample(210, [USER, G + 8, F + 0x25], [])
    out += sample(220, [USER, G + 8], [(G + 0x40, G)] * 31 + [(MAIN + 0x20, G)])
    out += record(68, 0, b"")
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
