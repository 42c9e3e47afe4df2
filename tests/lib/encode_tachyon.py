#!/usr/bin/env python3
"""encode_tachyon.py OUT [wide] [big] [zstd] [cut] [long]: what `python -m
profiling.sampling run --binary` writes, after CPython's
InternalDocs/profiling_binary_format.md.  The interval is 1 ms.

thread 7   main   main 20 calls parse 10 for 40 samples: parse 11 holds the GIL for 30 of them,
                  10 are in parse 12; then 5 in <GC> called by parse 12; then 3 in main 21
thread 8          work 30 for 20 samples on a CPU without the GIL, then 4 in <native> that wait for
                  the GIL with an exception
thread 9          of interpreter 1: 2 samples without a stack
So: time 74 ms; self parse 40, <GC> 5, main 3, work 20, <native> 4, [missing] 2.

wide: the head of releases, with mode (gil), features and measured numbers; big: the other byte
order; zstd: compressed by the program zstd; cut: the last frame of the table is missing; long: the
last repeat of thread 7 has 100,002 samples instead of 2.

tests/golden/tachyon-recorded and pstats-replayed are of Python 3.15.2: one recording of a program
with two threads and a recursion, and its pstats by `replay`.  Both have the numbers that Python's
own collapsed stacks of it have."""
import struct
import subprocess
import sys

options = sys.argv[2:]
ORDER = ">" if "big" in options else "<"
GIL, CPU, WANTS, EXCEPTION, MAIN = 1, 2, 8, 16, 32
STRINGS = ["/app/shop.py", "main", "parse", "~", "<GC>", "work", "<native>", ""]
# file, function, line
FRAMES = [(0, 1, 20), (0, 2, 11), (0, 2, 12), (3, 4, -1), (0, 1, 21), (0, 5, 30), (7, 6, -1)]
START = 5_000_000


def u(form, *values):
    return struct.pack(ORDER + form, *values)


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    return bytes(out) + bytes([n])


def zigzag(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


def head(thread, interpreter, kind):
    return u("QIB", thread, interpreter, kind)


def frames(numbers):
    return varint(len(numbers)) + b"".join(varint(n) for n in numbers)


def full(thread, us, status, stack, interpreter=0):
    return head(thread, interpreter, 1) + varint(us) + bytes([status]) + frames(stack)


def suffix(thread, us, status, stay, new):
    return head(thread, 0, 2) + varint(us) + bytes([status]) + varint(stay) + frames(new)


def pop_push(thread, us, status, pop, new):
    return head(thread, 0, 3) + varint(us) + bytes([status]) + varint(pop) + frames(new)


def repeat(thread, n, us, status):
    return head(thread, 0, 0) + varint(n) + (varint(us) + bytes([status])) * n


def samples():
    out = full(7, 1000, GIL | CPU | MAIN, [1, 0]) + full(8, 1000, CPU, [5])
    out += repeat(7, 29, 1000, GIL | CPU | MAIN)
    out += full(9, 1500, 0, [], 1) + repeat(8, 19, 1000, CPU)
    out += pop_push(7, 1000, CPU | MAIN, 1, [2]) + repeat(7, 9, 1000, CPU | MAIN)
    out += suffix(7, 1000, GIL | CPU | MAIN, 2, [3]) + repeat(7, 4, 1000, GIL | CPU | MAIN)
    out += full(9, 200_000, 0, [], 1)
    out += suffix(8, 1000, WANTS | EXCEPTION, 1, [6]) + repeat(8, 3, 1000, WANTS | EXCEPTION)
    out += pop_push(7, 1000, MAIN, 3, [4]) + repeat(7, 100002 if "long" in options else 2, 1000, MAIN)
    return out


def main():
    wide, packed = "wide" in options, "zstd" in options
    data = samples()
    if packed:
        data = subprocess.run(["zstd", "-5", "-c"], input=data, capture_output=True,
                              check=True).stdout
    strings = b"".join(varint(len(s)) + s.encode() for s in STRINGS)
    table = b"".join(varint(a) + varint(b) + zigzag(line) + zigzag(0) + zigzag(-1) + zigzag(0) +
                     b"\xff" for a, b, line in FRAMES)
    at = 64 + len(data)
    out = u("II", 0x54414348, 2 if wide else 1) + bytes([3, 15, 1, 0]) + u("QQ", START, 1000)
    out += u("QI" if wide else "II", 74, 3) + u("QQI", at, at + len(strings), packed)
    if wide:
        out += u("I", 3 | 8 | 5 << 4)
    out = out.ljust(64, b"\0") + data + strings + table
    if wide:
        out += u("ddddII", 0.25, 800.0, 2.5, 20.0, 3, 0) + b"TACHSTAT" + u("II", 1, 56)
    out += u("IIQ", len(STRINGS), len(FRAMES), len(out) + 32) + bytes(16)
    if "cut" in options:
        out = out[:at + len(strings) + len(table) - 3]
    with open(sys.argv[1], "wb") as file:
        file.write(out)


main()
