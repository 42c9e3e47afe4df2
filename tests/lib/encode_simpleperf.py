#!/usr/bin/env python3
"""Writes the inputs of tests/golden/simpleperf-*: tests/lib/encode_simpleperf.py tests/golden.
Records of AOSP's cmd_report_sample.proto.

What the cases expect was reckoned from the samples below by hand."""
import os
import struct
import sys


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def record(number, *fields):
    message = field(number, b"".join(field(*f) for f in fields))
    return struct.pack("<I", len(message)) + message


def sample(time, tid, chain, count, event):
    entries = [(3, field(1, address) + field(2, file) + field(3, symbol))
               for address, file, symbol in chain]
    return record(1, (1, time), (2, tid), *entries, (4, count), (5, event))


def write(folder, name, data):
    path = os.path.join(folder, "simpleperf-" + name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "input.trace"), "wb") as out:
        out.write(b"SIMPLEPERF" + struct.pack("<H", 1) + data)


def main(folder):
    # file 0 is the kernel, 1 a library; run calls read, which goes to sleep in the kernel
    run, read, kernel = (0x1000, 1, 0), (0x2000, 1, 1), (0xFFFF1000, 0, -1)
    names = (record(3, (1, 0), (2, "[kernel.kallsyms]")) +
             record(3, (1, 1), (2, "/data/app/lib/libshop.so"), (3, "run"), (3, "read")) +
             record(4, (1, 11), (2, 10), (3, "shop")) + record(4, (1, 12), (2, 10), (3, "")))
    meta = record(5, (1, "task-clock"), (1, "sched:sched_switch"), (2, "org.shop"), (6, 1))
    samples = (sample(1000, 11, [run], 250, 0) +
               sample(1300, 11, [kernel, read, run], 1, 1) +
               sample(1400, 12, [(0x3000, 1, 7)], 250, 0) +
               record(6, (1, 0), (2, 1300), (3, 11)) +
               sample(2000, 11, [read, run], 250, 0) +
               sample(2500, 12, [kernel, run], 1, 1))
    end = struct.pack("<I", 0)
    write(folder, "offcpu", meta + samples + record(2, (1, 5), (2, 3)) + names + end)
    # names are cut off, so every frame is unknown; and there is no word of events
    write(folder, "cut", samples + names[:9])


main(sys.argv[1])
