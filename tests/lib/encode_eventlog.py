#!/usr/bin/env python3
"""Writes event logs of GHC for golden cases: encode_eventlog.py FOLDER, tests/golden.

The layout is that of rts/include/rts/EventLogFormat.h. A comment behind an event says what the
expected rows get from it."""
import struct
import sys

SIZES = {0: 4, 1: 4, 2: 10, 8: 6, 9: 0, 10: 0, 18: 14, 19: -1, 29: -1, 30: -1, 31: -1, 44: -1,
         49: 12, 50: 12, 51: 12, 58: -1, 91: 12, 161: -1, 162: 8, 163: -1, 164: -1, 165: 8,
         166: 16, 167: -1, 168: 8, 200: -1}
NAMES = {0: "Create thread", 18: "Block marker", 200: "Event of a later version"}


def header(types):
    out = b"hdrbhetb"
    for number in types:
        name = NAMES.get(number, "type %d" % number).encode()
        extra = b"xyz" if number == 200 else b""
        out += b"etb\0" + struct.pack(">Hh", number, SIZES[number])
        out += struct.pack(">I", len(name)) + name + struct.pack(">I", len(extra)) + extra
        out += b"ete\0"
    return out + b"hetehdredatb"


def event(number, ns, payload=b""):
    size = struct.pack(">H", len(payload)) if SIZES[number] < 0 else b""
    return struct.pack(">HQ", number, ns) + size + payload


def block(cap, *events):
    body = b"".join(events)
    return event(18, 0, struct.pack(">IQH", 24 + len(body), 0, cap)) + body


def u32(*numbers):
    return struct.pack(">%dI" % len(numbers), *numbers)


def run(ns, thread):
    return event(1, ns, u32(thread))


def stop(ns, thread, why):
    return event(2, ns, struct.pack(">IHI", thread, why, 0))


def counter(number, ns, value):
    return event(number, ns, struct.pack(">IQ", 0, value))


def centre(number, label, module, place):
    text = b"\0".join(t.encode() for t in (label, module, place)) + b"\0"
    return event(161, 0, u32(number) + text + b"\0")


def centres(*numbers):
    return bytes([len(numbers)]) + u32(*numbers)


END = b"\xff\xff"

THREADS = header(sorted(SIZES)) + \
    event(29, 0, u32(0) + b"GHC-9.2 rts_thr\0") + event(30, 0, u32(0) + b"depot\0-n\0") + \
    event(31, 0, u32(0) + b"SECRET=1\0") + \
    block(1,                                   # this block is written first
          event(0, 900, u32(3)),
          event(8, 1000, struct.pack(">IH", 3, 1)),  # nothing runs on cap 1: no waker
          run(1500, 3), stop(2500, 3, 2),      # thread 3: 1,000, then runnable
          event(9, 3000), event(10, 3400),     # [GC] 400
          run(3500, 3), stop(4000, 3, 5),      # 500, then it has ended
          counter(49, 4000, 64), event(200, 4100, b"later")) + \
    block(0,
          run(1000, 2),
          event(8, 1200, struct.pack(">IH", 7, 1)),  # woken by thread 2
          event(44, 1300, u32(2) + b"loader\0"),     # the label also names its first run
          event(19, 1400, b"half way"), event(58, 1450, b"mark"),
          counter(49, 1500, 4096), counter(50, 1500, 8192),
          stop(2000, 2, 7),                    # loader 2: 1,000, then waiting
          run(2100, 7),                        # thread 7: 400
          stop(2500, 7, 1), event(9, 2600), event(10, 2700),  # [GC] 100
          counter(91, 2700, 1 << 20), event(200, 2800, b""),
          run(4800, 2)) + \
    event(19, 5000, b"the end") + END          # loader 2 runs until the last event: 200

PROFILE = header(sorted(SIZES)) + \
    centre(1, "MAIN", "MAIN", "<built-in>") + centre(2, "fib", "Main", "Fib.hs:4:1-20") + \
    centre(3, "main", "Main", "Fib.hs:(7,1)-(9,5)") + \
    event(168, 100, struct.pack(">Q", 2000000)) + \
    event(167, 4000000, struct.pack(">IQ", 0, 1) + centres(2, 3, 1)) + \
    event(167, 6000000, struct.pack(">IQ", 0, 2) + centres(2, 3, 1)) + \
    event(167, 6000000, struct.pack(">IQ", 1, 2) + centres(9, 1)) + \
    event(167, 8000000, struct.pack(">IQ", 0, 3) + centres()) + END

HEAP = header(sorted(SIZES)) + \
    centre(1, "MAIN", "MAIN", "<built-in>") + centre(2, "load", "Main", "Load.hs:4:1-20") + \
    event(162, 1000, struct.pack(">Q", 1)) + \
    event(163, 1000, struct.pack(">BQ", 0, 500) + centres(2, 1)) + \
    event(164, 1000, struct.pack(">BQ", 0, 100) + b"ARR_WORDS\0") + \
    event(165, 1000, struct.pack(">Q", 1)) + \
    event(166, 2000, struct.pack(">QQ", 2, 0)) + \
    event(163, 2000, struct.pack(">BQ", 0, 700) + centres(2, 1)) + \
    event(164, 2000, struct.pack(">BQ", 0, 50) + b"(7)leaf/root\0") + \
    event(165, 2000, struct.pack(">Q", 2)) + \
    event(162, 3000, struct.pack(">Q", 3)) + \
    event(163, 3000, struct.pack(">BQ", 0, 20) + centres(2, 1)) + \
    event(165, 3000, struct.pack(">Q", 3)) + END

SMALL = header([1, 2, 18]) + block(0, run(1000, 5), stop(1600, 5, 5), run(1700, 5))

for name, log in (("threads", THREADS), ("profile", PROFILE), ("heap", HEAP),
                  ("cut", SMALL[:-3]), ("type", SMALL + event(9, 2000) + END)):
    with open("%s/eventlog-%s/input.eventlog" % (sys.argv[1], name), "wb") as f:
        f.write(log)
