#!/usr/bin/env python3
"""Writes the inputs of tests/golden/austin-mojo-*: tests/lib/encode_austin.py tests/golden.
Events of Austin's MOJO format.

What the cases expect was reckoned from the samples below by hand."""
import os
import sys

(METADATA, STACK, FRAME, INVALID, REF, KERNEL, GC, IDLE, TIME, MEMORY, STRING,
 STRING_REF, REPEAT) = range(1, 14)


def number(n):
    sign, n = (0x40, -n) if n < 0 else (0, n)
    out = bytearray([sign | n & 0x3F])
    n >>= 6
    while n:
        out[-1] |= 0x80
        out.append(n & 0x7F)
        n >>= 7
    return bytes(out)


def event(kind, *parts):
    return bytes([kind]) + b"".join(
        number(part) if isinstance(part, int) else part.encode() + b"\0" for part in parts)


def write(folder, name, data):
    path = os.path.join(folder, "austin-mojo-" + name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "input.mojo"), "wb") as out:
        out.write(b"MOJ" + data)


def main(folder):
    # version 3, all of time, idleness and memory; process 8 numbers its frames anew, and the
    # text of a frame follows it
    load = (event(STRING, 16, "/srv/shop.py") + event(STRING, 1000, "load") +
            event(FRAME, 5000, 16, 1000, 7, 7, 4, 20))
    full = (number(3) + event(METADATA, "mode", "full") + event(METADATA, "austin", "4.0.0") +
            event(METADATA, "map", "7f00-7fff /usr/lib/libz.so") +
            event(STACK, 7, 0, "7") + load + event(REF, 5000) + event(TIME, 100) +
            event(MEMORY, 4096) +
            event(STACK, 7, 0, "7") + event(REF, 5000) + event(STRING, 17, "native@7f10") +
            event(STRING, 18, "inflate") + event(FRAME, 6000, 17, 18, 33, 0, 0, 0) +
            event(REF, 6000) + event(KERNEL, "futex_wait") + event(IDLE) + event(TIME, 50) +
            event(MEMORY, -1024) +
            event(STACK, 8, 0, "8") + event(FRAME, 5000, 16, 17, 3, 3, 1, 2) +
            event(STRING, 16, "/srv/till.py") + event(STRING, 17, "pay") + event(REF, 5000) +
            event(GC) + event(TIME, 30) + event(MEMORY, 0) +
            event(STACK, 8, 0, "9") + event(INVALID) + event(REF, 77) + event(TIME, 20) +
            event(MEMORY, 0))
    write(folder, "full", full)
    # version 1: no interpreter, no columns; the last event ends early
    old = (number(1) + event(METADATA, "mode", "wall") + event(STACK, 7, "7") +
           event(STRING, 16, "shop.py") + event(STRING, 17, "load") +
           event(FRAME, 3, 16, 17, 7) + event(REF, 3) + event(TIME, 1000000) +
           event(STACK, 7, "7") + event(REF, 3) + event(TIME, 4711)[:-1])
    write(folder, "cut", old)
    # version 4: what stands before the first stack is of process 7.  The second sample of thread 7
    # repeats __main__ > load, without the native inflate, and adds sort; the third repeats all three;
    # that of thread 9 has no frames.  It ends within the stack event behind them, so all are whole:
    # inflate 10 us, sort 20 + 30 us, [no stack] 5 us.
    repeat = (number(4) + event(METADATA, "mode", "wall") +
              event(STRING, 16, "shop.py") + event(STRING, 17, "__main__") +
              event(STRING, 18, "load") + event(STRING, 19, "/usr/lib/libz.so") +
              event(STRING, 20, "inflate") + event(FRAME, 1 << 40, 16, 17, 1, 0, 0, 0) +
              event(FRAME, 3 << 40, 16, 18, 7, 0, 0, 0) + event(FRAME, 5, 19, 20, 0, 0, 0, 0) +
              event(STACK, 7, 0, "7") + event(REF, 1 << 40) + event(REF, 3 << 40) +
              event(REF, 5) + event(TIME, 10) +
              event(STACK, 7, 0, "7") + event(STRING, 21, "sort") +
              event(FRAME, 6, 16, 21, 30, 0, 0, 0) + event(REF, 6) + event(REPEAT) +
              event(TIME, 20) +
              event(STACK, 7, 0, "9") + event(TIME, 5) +
              event(STACK, 7, 0, "7") + event(REPEAT) + event(TIME, 30) +
              event(STACK, 7, 0, "7")[:-1])
    write(folder, "repeat", repeat)


main(sys.argv[1])
