#!/usr/bin/env python3
"""encode_embedded.py OUT: a perf.data file whose files are on no machine, with a section of embedded
names as pnav-formats(7) describes it, not compressed so that fuzzers reach it.  What the report has to
say follows from the numbers here: tests/golden/perfdata-embedded."""
import struct
import sys

USER, KERNEL = 2, 1
CONTEXT_USER, CONTEXT_KERNEL = 2**64 - 512, 2**64 - 128
PROG = bytes(range(1, 21))


def leb(n):
    out = b""
    while n > 0x7F:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


class Texts:
    def __init__(self):
        self.all = b"\0"
        self.known = {"": 0}

    def __call__(self, text):
        if text not in self.known:
            self.known[text] = len(self.all)
            self.all += text.encode() + b"\0"
        return leb(self.known[text])


text = Texts()


def frame(name, file, line, definition, inlined=0):
    return text(name) + text(file) + leb(line) + leb(2 * definition + inlined)


def module(kind, path, build_id, segments, answers):
    out = leb(kind) + text(path) + leb(len(build_id)) + build_id + leb(len(segments))
    for segment in segments:
        out += b"".join(leb(n) for n in segment)
    out += leb(len(answers))
    before = 0
    for at, symbol, frames, qualified in answers:
        out += leb(at - before) + text(symbol) + leb(2 * len(frames) + qualified) + b"".join(frames)
        before = at
    return out


order = [frame("price", "/src/price.h", 7, 5, 1), frame("_ZN4shop5orderEi", "/src/shop.cc", 20, 18)]
main = [frame("main", "/src/main.cc", 33, 30)]
modules = module(0, "/opt/gone/program", PROG, [(0x1000, 0x1000, 0x401000)],
                 [(0x1100, "_ZN4shop5orderEi", order, 1), (0x1204, "main", main, 0),
                  (0x1205, "main", main, 0), (0x1300, "", [], 0)])
modules += module(0, "/opt/gone/lib.so", b"", [(0, 0x2000, 0)],
                  [(0x80, "_ZNSt6vectorIiE4pushEv@plt", [], 0)])
modules += module(2, "[kernel.kallsyms]", b"", [], [(0xFFFFFFFF81000420, "sys_read", [], 0)])
modules += module(3, "/tmp/perf-77.map", b"", [], [(0x7F0000000010, "Lambda", [frame("", "a.js", 4, 0)], 0)])
stacks = leb(1) + leb(2) + leb(0) + leb(2 * 0x401100) + leb(2 * 0x105) + leb(1) + leb(12345) + leb(0)


def part(tag, body):
    return struct.pack("<II", tag, len(body)) + body


payload = part(1, text.all) + part(2, modules) + part(3, stacks) + part(99, b"of a later version")
section = b"PNAVNAME" + struct.pack("<IIQ", 1, 0, len(payload)) + payload


def record(kind, misc, body):
    body += bytes(-len(body) % 8)
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def mapped(pid, start, size, offset, path, build_id=b"", misc=USER):
    body = struct.pack("<IIQQQ", pid, pid, start, size, offset)
    if build_id:
        body += struct.pack("<B3x20s", len(build_id), build_id)
    else:
        body += struct.pack("<IIQQ", 0, 0, 0, 0)
    body += struct.pack("<II", 5, 2) + path.encode() + b"\0"
    return record(10, misc | (1 << 14 if build_id else 0), body)


def sample(time, chain, misc=USER):
    ips = [ip for ip in chain if ip < 2**64 - 4095]
    return record(9, misc, struct.pack("<QIIQQQ", ips[0], 77, 77, time, 1000, len(chain)) +
                  struct.pack("<%dQ" % len(chain), *chain))


data = record(3, USER, struct.pack("<II", 77, 77) + b"cart\0")
data += record(1, KERNEL, struct.pack("<IIQQQ", 0xFFFFFFFF, 0, 0xFFFFFFFF81000000, 0x1000000,
                                      0xFFFFFFFF81000000) + b"[kernel.kallsyms]_text\0")
data += mapped(77, 0x401000, 0x1000, 0x1000, "/elsewhere/now", PROG)
data += mapped(77, 0x7E0000000000, 0x2000, 0, "/opt/gone/lib.so")
data += mapped(77, 0x7F0000000000, 0x1000, 0, "//anon")
for i in range(3):
    data += sample(1000 + i * 1000, [CONTEXT_USER, 0x401100, 0x401205])
data += sample(5000, [CONTEXT_USER, 0x7E0000000080, 0x401205])
data += sample(6000, [CONTEXT_KERNEL, 0xFFFFFFFF81000420, CONTEXT_USER, 0x401205], KERNEL)
data += sample(7000, [CONTEXT_USER, 0x7F0000000010, 0x401205])
data += sample(8000, [CONTEXT_USER, 0x401300])

# ip, tid, time, period, chain; a fixed period
attr = struct.pack("<IIQQQQQ", 1, 128, 1, 1000, 1 | 2 | 4 | 32 | 256, 0, 0).ljust(128, b"\0")
HEADER = 104
ids_at = HEADER + len(attr) + 16
data_at = ids_at


def string(value):
    return struct.pack("<I", 64) + value.encode().ljust(64, b"\0")


features = {3: string("elsewhere"), 6: string("x86_64"), 254: section}
table = data_at + len(data)
at = table + 16 * len(features)
entries = bodies = b""
bits = [0, 0, 0, 0]
for bit in sorted(features):
    entries += struct.pack("<QQ", at, len(features[bit]))
    bodies += features[bit]
    at += len(features[bit])
    bits[bit // 64] |= 1 << bit % 64
header = b"PERFILE2" + struct.pack("<QQQQQQQQ4Q", HEADER, len(attr) + 16, HEADER, len(attr) + 16,
                                   data_at, len(data), 0, 0, *bits)
with open(sys.argv[1], "wb") as out:
    out.write(header + attr + struct.pack("<QQ", ids_at, 0) + data + entries + bodies)
