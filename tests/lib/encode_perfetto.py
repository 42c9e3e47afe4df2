#!/usr/bin/env python3
"""Writes the inputs of tests/golden/perfetto-*, from the fields that Perfetto's .proto files
number: tests/lib/encode_perfetto.py tests/golden.  What is in them is told beside each packet; the
expected numbers follow from that."""
import os
import struct
import sys
import zlib


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def msg(*fields):
    """Fields (number, value): whole numbers, floats, texts, bytes, lists (packed)."""
    out = b""
    for number, value in fields:
        if isinstance(value, bool) or isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, float):
            out += varint(number << 3 | 1) + struct.pack("<d", value)
        else:
            if isinstance(value, list):
                value = b"".join(varint(v) for v in value)
            if isinstance(value, str):
                value = value.encode()
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def packet(*fields):
    return msg((1, msg(*fields)))


def event(time, kind, *fields, seq=1, more=()):
    return packet((8, time), (10, seq), (13, 2), (11, msg((9, kind), *fields)), *more)


BEGIN, END, INSTANT, COUNTER, STATE = 1, 2, 3, 4, 5


def events():
    # clock 64 counts microseconds from the one before; 64 = 1000 us when boot time = 5,000,000
    out = packet((10, 1), (13, 1), (6, msg((1, msg((1, 6), (2, 5000000))),
                                           (1, msg((1, 64), (2, 1000), (3, True), (4, 1000))))),
                 (59, msg((58, 64), (11, msg((11, 21), (31, [40]))))))
    out += packet((10, 1), (60, msg((1, 10), (3, msg((1, 7), (6, "shop"))))))
    out += packet((10, 1), (60, msg((1, 21), (5, 10), (4, msg((1, 7), (2, 70), (5, "main"))))))
    out += packet((10, 1), (60, msg((1, 30), (5, 10), (2, "requests"))))
    # a counter that says differences, in kilobytes, and one of the thread
    out += packet((10, 1), (60, msg((1, 41), (2, "heap"),
                                    (8, msg((3, 3), (4, 1024), (5, True))))))
    out += packet((10, 1), (60, msg((1, 40), (5, 21), (8, msg((1, 1), (5, True))))))
    interned = msg((1, msg((1, 1), (2, "net"))), (2, msg((1, 1), (2, "serve"))),
                   (4, msg((1, 1), (2, "shop.cc"), (4, 12))),
                   (5, msg((1, 1), (2, "main"))), (16, msg((1, 1), (2, b"\xab\xcd\xef\x01"))),
                   (17, msg((1, 1), (2, "bin"))), (17, msg((1, 2), (2, "shop"))),
                   (7, msg((1, 1), (2, [1, 2]))),
                   (6, msg((1, 1), (2, 1), (3, 1), (4, 16))), (6, msg((1, 2), (3, 1), (4, 32))),
                   (19, msg((1, 1), (2, 1), (7, [1, 2]))))
    # at 5.100 ms: serve begins, interned behind it; thread time 5; a sample main > 0x20
    out += event(100, BEGIN, (10, 1), (3, [1]), (34, 1), (12, [5]), (56, 1),
                 more=((12, interned),))
    # 5.200 to 5.500: parse, 300 us
    out += event(100, BEGIN, (23, "parse"), (22, "net"), (22, "text"), (12, [7]))
    out += event(300, END)
    # 5.600: serve ends after 500 us
    out += event(100, END)
    # an end of nothing; a begin that nothing ends lasts to the last event of the track, 50 us
    out += event(0, END)
    out += event(50, BEGIN, (23, "late"))
    out += event(50, INSTANT, (23, "tick"))
    # beside the thread, compressed: 5.700 to 5.950
    inside = event(0, BEGIN, (11, 30), (23, "GET /"))
    inside += event(100, COUNTER, (11, 41), (30, 2))
    inside += event(50, COUNTER, (11, 41), (30, 3))
    inside += event(100, END, (11, 30))
    out += packet((50, zlib.compress(inside)))
    # a second process, on another sequence, of boot time; X of 40 us by its own thread number,
    # asyncs of one id, one in the other
    out += packet((10, 2), (13, 1), (43, msg((1, 8), (2, "worker"))))
    out += packet((10, 2), (44, msg((1, 8), (2, 80), (5, "io"), (6, 6000))))
    out += packet((10, 2), (11, msg((16, 6100), (22, "disk"), (23, "read"),
                                    (6, msg((2, ord("X")), (3, 40))))))
    for us, phase, name in ((6100, "b", "job"), (10, "b", "part"), (15, "e", "part"),
                            (25, "e", "job")):
        field = (16, us) if us > 1000 else (16, 6100 + us)
        out += packet((10, 2), (11, msg(field, (22, "disk"), (23, name),
                                        (6, msg((2, ord(phase)), (6, 99))))))
    # a sequence that lost its state: left out
    out += packet((8, 6000000), (10, 3), (13, 2), (42, True), (11, msg((9, BEGIN), (11, 21))))
    # what 0x20 is, told at the end: two functions, one inlined
    out += packet((61, msg((1, "/bin/shop"), (2, "abcdef01"),
                           (3, msg((1, 32), (2, msg((1, "inner"), (2, "shop.cc"), (3, 9))),
                                   (2, msg((1, "outer"), (2, "shop.cc"), (3, 4))))))))
    out += packet((8, 1), (38, msg((1, 1))))
    return out


def kernel():
    def comm(n):
        return (5, "job%d" % n), (6, n)
    # cpu 0: job1 from 1000 to 1500, idle to 1600, job2 to the last event at 2000
    out = packet((1, msg((1, 0), (2, msg((1, 1000), (2, 0), (4, msg((1, "swapper"), (2, 0), *comm(1))))),
                         (2, msg((1, 1500), (2, 1), (4, msg((1, "job1"), (2, 1), (5, "swapper"), (6, 0))))),
                         (2, msg((1, 1600), (2, 0), (4, msg((1, "swapper"), (2, 0), *comm(2))))),
                         (2, msg((1, 1700), (2, 2), (17, msg((1, "job9"), (2, 9))))))))
    # cpu 1, in columns: job1 1100 to 1300, then job3
    out += packet((1, msg((1, 1), (4, msg((5, "job1"), (5, "job3"), (1, [1100, 200]), (2, [0, 0]),
                                          (3, [1, 3]), (4, [120, 120]), (6, [0, 1]))))))
    # atrace: draw 1200 to 1400 with load 1250 to 1300 in it, a counter, an async 1100 to 1900
    def say(time, tid, text):
        return (2, msg((1, time), (2, tid), (3, msg((1, 0), (2, text + "\n")))))
    out += packet((1, msg((1, 1), say(1200, 1, "B|1|draw"), say(1250, 1, "B|1|load"),
                          say(1300, 1, "E|1"), say(1350, 1, "C|1|fps|60"), say(1400, 1, "E|1"),
                          say(1100, 1, "S|1|wait|5"), say(1900, 1, "F|1|wait|5"))))
    out += packet((2, msg((1, msg((1, 1), (3, "/bin/game"))), (2, msg((1, 1), (3, 1))))))
    # perf samples of cpu 0: cycles 100, 350, 400; f, f, g
    interned = msg((5, msg((1, 1), (2, "f"))), (5, msg((1, 2), (2, "g"))),
                   (6, msg((1, 1), (2, 1))), (6, msg((1, 2), (2, 2))),
                   (7, msg((1, 1), (2, [1]))), (7, msg((1, 2), (2, [1, 2]))))
    out += packet((10, 5), (13, 1), (12, interned),
                  (59, msg((12, msg((1, msg((2, 100), (4, 10))))))))
    for time, count, stack in ((1200, 100, 1), (1300, 350, 1), (2000, 400, 2)):
        out += packet((8, time), (10, 5), (66, msg((1, 0), (2, 1), (3, 1), (4, stack), (6, count))))
    out += packet((8, 1350), (10, 5), (66, msg((1, 0), (2, 1), (3, 1), (18, 1))))
    # a heap, dumped twice: f 100 then 300 bytes, of which 50 freed; g 40 of which all are freed
    for time, samples in ((1500, ((1, 100, 0, 1, 0), (2, 40, 0, 1, 0))),
                          (1800, ((1, 300, 50, 3, 1), (2, 40, 40, 1, 1)))):
        out += packet((8, time), (10, 5), (37, msg((5, msg((1, 1), (11, "libc"), *(
            (2, msg((1, s[0]), (2, s[1]), (3, s[2]), (5, s[3]), (6, s[4]))) for s in samples))))))
    return out


def execs():
    """cpu 0: sh from 1000 on, which has become ls when it leaves at 2000; cat from 3000 to 3500."""
    return packet((1, msg(
        (1, 0), (2, msg((1, 1000), (2, 0), (4, msg((1, "swapper"), (2, 0), (5, "sh"), (6, 5))))),
        (2, msg((1, 2000), (2, 5), (4, msg((1, "ls"), (2, 5), (4, 1), (5, "swapper"), (6, 0))))),
        (2, msg((1, 3000), (2, 0), (4, msg((1, "swapper"), (2, 0), (5, "cat"), (6, 6))))),
        (2, msg((1, 3500), (2, 6), (4, msg((1, "cat"), (2, 6), (4, 1), (5, "swapper"), (6, 0))))))))


def switch(time, was, before, state, comm, after):
    return (2, msg((1, time), (2, before),
                   (4, msg((1, was), (2, before), (4, state), (5, comm), (6, after)))))


def migrates():
    """Thread 5 runs on cpu 1 as sh from 1000 to 2000, then on cpu 0, whose bundle comes first, as
    ls from 2100 to 4000."""
    return packet((1, msg((1, 0), switch(2100, "swapper", 0, 0, "ls", 5),
                          switch(4000, "ls", 5, 1, "swapper", 0)))) + packet(
        (1, msg((1, 1), switch(1000, "swapper", 0, 0, "sh", 5),
                switch(2000, "sh", 5, 0, "swapper", 0))))


def reused():
    """cpu 0: cc1 is thread 42 from 1000 to 3000 and ends, then make makes another thread 42, which
    runs from 4000 on and is ld when it ends at 5000."""
    return packet((1, msg(
        (1, 0), switch(1000, "swapper", 0, 0, "cc1", 42), switch(3000, "cc1", 42, 16, "make", 7),
        (2, msg((1, 3500), (2, 7), (114, msg((1, "make"), (2, 42))))),
        switch(4000, "make", 7, 1, "make", 42), switch(5000, "ld", 42, 16, "swapper", 0))))


def names():
    """Three samples: a.c in a.b, a.b twice.  The app was made small: class a was Cart, whose
    add and addAll are both called b now, and its c was a method of another class."""
    interned = msg((5, msg((1, 1), (2, "a.b"))), (5, msg((1, 2), (2, "a.c"))),
                   (5, msg((1, 3), (2, "main"))), (17, msg((1, 1), (2, "base.apk"))),
                   (19, msg((1, 1), (7, [1]))),
                   *((6, msg((1, i), (2, i), (3, 1), (4, 16 * i))) for i in (1, 2, 3)),
                   (7, msg((1, 1), (2, [3, 1]))), (7, msg((1, 2), (2, [3, 1, 2]))))
    out = packet((10, 5), (13, 1), (12, interned))
    for time, stack in ((1000, 1), (2000, 2), (3000, 1)):
        out += packet((8, time), (10, 5), (66, msg((2, 1), (3, 1), (4, stack))))
    out += packet((64, msg((1, "com.shop"), (2, 7), (3, msg(
        (1, "a"), (2, "com.shop.Cart"), (3, msg((1, "x"), (2, "total"))),
        (4, msg((1, "b"), (2, "add"))), (4, msg((1, "b"), (2, "addAll"))),
        (4, msg((1, "c"), (2, "com.other.Fast.go"))))))))
    return out


def peak():
    """A heap of heapprofd with dump_at_max, which says self_max and self_max_count alone: main has
    100 bytes in 2 blocks at the peak, f below it 300 in 1."""
    interned = msg((5, msg((1, 1), (2, "main"))), (5, msg((1, 2), (2, "f"))),
                   (6, msg((1, 1), (2, 1))), (6, msg((1, 2), (2, 2))),
                   (7, msg((1, 1), (2, [1]))), (7, msg((1, 2), (2, [1, 2]))))
    out = packet((10, 5), (13, 1), (12, interned))
    return out + packet((8, 1500), (10, 5), (37, msg((5, msg(
        (1, 1), (11, "libc"), (2, msg((1, 1), (8, 100), (9, 2))),
        (2, msg((1, 2), (8, 300), (9, 1))))))))


def unfinished():
    """Thread 1 begins draw at 1000, and no event ends it; its last sample is at 3000."""
    interned = msg((5, msg((1, 1), (2, "f"))), (6, msg((1, 1), (2, 1))), (7, msg((1, 1), (2, [1]))))
    out = packet((10, 5), (13, 1), (12, interned))
    out += packet((1, msg((1, 1), (2, msg((1, 1000), (2, 1), (3, msg((1, 0), (2, "B|1|draw\n"))))))))
    for time in (2000, 3000):
        out += packet((8, time), (10, 5), (66, msg((1, 0), (2, 1), (3, 1), (4, 1))))
    return out


def states():
    """Door is open from 1000, closed from 3000, and nothing from 6000; Light is on from 2000 to the
    last event, a mark at 9000."""
    out = packet((10, 1), (13, 1), (60, msg((1, 20), (2, "Door"))))
    out += packet((10, 1), (60, msg((1, 21), (2, "Light"))))
    for time, track, name in ((1000, 20, "open"), (2000, 21, "on"), (3000, 20, "closed")):
        out += packet((8, time), (10, 1), (11, msg((9, STATE), (11, track), (23, name))))
    out += packet((8, 6000), (10, 1), (11, msg((9, STATE), (11, 20))))
    out += packet((8, 9000), (10, 1), (11, msg((9, INSTANT), (11, 22), (23, "bell"))))
    return out


def write(name, data):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "input.pftrace"), "wb") as f:
        f.write(data)


if __name__ == "__main__":
    write("perfetto-events", events())
    write("perfetto-kernel", kernel())
    write("perfetto-names", names())
    write("perfetto-exec", execs())
    write("perfetto-migrates", migrates())
    write("perfetto-reused", reused())
    write("perfetto-peak", peak())
    write("perfetto-unfinished", unfinished())
    write("perfetto-states", states())
    write("perfetto-cut", events()[:700])
