#!/usr/bin/env python3
"""Writes the inputs of tests/golden/art-*: tests/lib/encode_art.py tests/golden.  Method traces
as the source of Android's runtime describes them (art/runtime/trace.cc).

What the cases expect was reckoned from the calls below by hand."""
import os
import struct
import sys

ENTER, EXIT, UNROLL = range(3)
RUN, F_INT, F, G = 0x4, 0x8, 0xC, 0x10
METHODS = [
    (RUN, "a.B", "run", "()V", "B.java", "10"),
    (F_INT, "a/B", "f", "(I)V", "B.java"),
    (F, "a.B", "f", "()V", "B.java"),
    (G, "a.C", "g", "()V"),
]


def line(method):
    return ("0x%x\t" % method[0] + "\t".join(method[1:]) + "\n").encode()


def text(version, clock, threads, methods):
    out = "*version\n%d\ndata-file-overflow=false\nclock=%s\npid=7\n*threads\n" % (version, clock)
    out += "".join("%d\t%s\n" % thread for thread in threads)
    return (out + "*methods\n").encode() + b"".join(map(line, methods)) + b"*end\n"


def header(version, start):
    size = struct.pack("<H", 14) if version & 3 == 3 else b""
    return (b"SLOW" + struct.pack("<HHQ", version, 32, start) + size).ljust(32, b"\0")


def call(version, tid, method, action, us):
    head = struct.pack("<BI" if version == 1 else "<HI", tid, method | action)
    clocks = (us // 2, us) if version == 3 else (us,)
    return head + b"".join(struct.pack("<I", clock) for clock in clocks)


def new_method(method):
    return struct.pack("<HBH", 0, 1, len(line(method))) + line(method)


def new_thread(tid, name):
    return struct.pack("<HBHH", 0, 2, tid, len(name)) + name


def summary(data):
    return struct.pack("<HBI", 0, 3, len(data)) + data


def write(folder, name, data):
    path = os.path.join(folder, "art-" + name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "input.trace"), "wb") as out:
        out.write(data)


def main(folder):
    # G and what is left with RUN have no exit, or no entry, of their own; f is two methods
    calls = [(F_INT, ENTER, 100), (F_INT, EXIT, 150), (G, EXIT, 180), (RUN, ENTER, 200),
             (F, ENTER, 210), (G, ENTER, 220), (RUN, UNROLL, 260), (RUN, ENTER, 270),
             (F, ENTER, 280)]
    write(folder, "dual", text(3, "dual", [(7, "main"), (8, "idle")], METHODS) +
          header(3, 1000000) + b"".join(call(3, 7, *c) for c in calls))
    # names among the calls; nobody names thread 9, nor method 0x40
    write(folder, "streamed", header(0xF3, 500) + new_thread(7, b"main") +
          new_method(METHODS[0]) + call(3, 7, RUN, ENTER, 0) + call(3, 9, 0x40, ENTER, 10) +
          new_method(METHODS[2]) + call(3, 7, F, ENTER, 20) + call(3, 7, F, EXIT, 50) +
          call(3, 9, 0x40, EXIT, 70) + call(3, 7, RUN, EXIT, 100) +
          summary(b"*version\n3\nclock=dual\n*threads\n7\tmain\n*methods\n*end\n"))
    # the oldest: a byte is the thread; the last record ends early
    write(folder, "cut", text(1, "wall", [(7, "main")], METHODS) + header(1, 0) +
          call(1, 7, RUN, ENTER, 5) + call(1, 7, F, ENTER, 10) + call(1, 7, F, EXIT, 30)[:-1])


main(sys.argv[1])
