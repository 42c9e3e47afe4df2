#!/usr/bin/env python3
"""Writes the inputs of tests/golden/otlp-*: tests/lib/encode_otlp.py tests/golden.  One set of
profiles, from the fields that opentelemetry-proto numbers, in binary (two messages behind their
lengths, one profile each) and in JSON (both profiles in one)."""
import gzip
import json
import os
import struct
import sys


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def msg(*fields):
    """Fields (number, value): whole numbers, texts, bytes, lists (packed), ("fixed", list)."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
            continue
        if isinstance(value, tuple):
            value = b"".join(struct.pack("<Q", v) for v in value[1])
        elif isinstance(value, list) and not PACKED:
            out += b"".join(varint(number << 3) + varint(v) for v in value)
            continue
        elif isinstance(value, list):
            value = b"".join(varint(v) for v in value)
        elif isinstance(value, str):
            value = value.encode()
        out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


PACKED = True  # repeated numbers, as nearly all writers have them
STRINGS = ["", "cpu", "nanoseconds", "alloc_space", "bytes", "main", "work", "shop.c",
           "/bin/shop", "thread.name", "thread.id", "profile.frame.type", "weight", "By"]
# attribute 1 thread io, 2 its number 70, 3 a kernel frame, 4 weight 5 By
ATTRIBUTES = [(9, "io", 0), (10, 70, 0), (11, "kernel", 0), (12, 5, 13)]
# location 1 main, shop.c:12; 2 work, line 30; 3 an address of the kernel; 4 an address in shop
LOCATIONS = [(1, 16, [(1, 12)], []), (1, 32, [(2, 30)], []), (0, 64, [], [3]), (1, 48, [], [])]
# stack 1 main > work; 2 main > work > the kernel's; 3 main > 0x30
STACKS = [[2, 1], [3, 2, 1], [4, 1]]
T = 1700000000000000000
# three moments of 10 and 20 and 30 ns; two events without a value; sums without a moment
SAMPLES = {
    "cpu": [(1, [1, 2], [10, 20, 30], [T, T + 5, T + 9]), (2, [1, 2, 4], [], [T + 2, T + 3])],
    "alloc": [(3, [], [4096, 904], []), (0, [1], [7], [])],
    # longer than what is looked at to tell the format
    "long": [(1, [1], [3], [])] * 8000,
}


def any_value(v):
    return msg((3, v)) if isinstance(v, int) else msg((1, v))


def dictionary():
    return msg(
        (1, b""), (1, msg((1, 0), (2, 4096), (4, 8))),
        (2, b""), *((2, msg((1, m), (2, a), *((3, msg((1, f), (2, n))) for f, n in lines),
                            *([(4, kinds)] if kinds else []))) for m, a, lines, kinds in LOCATIONS),
        (3, b""), (3, msg((1, 5), (3, 7), (4, 10))), (3, msg((1, 6), (3, 7))),
        (4, b""), *((5, s) for s in STRINGS),
        (6, b""), *((6, msg((1, k), (2, any_value(v)), (3, u))) for k, v, u in ATTRIBUTES),
        (7, b""), *((7, msg((1, s))) for s in STACKS))


def profile(name):
    kind, unit = (3, 4) if name == "alloc" else (1, 2)
    return msg((1, msg((1, kind), (2, unit))),
               *((2, msg((1, s), (2, a), *([(4, v)] if v else []),
                         *([(5, ("fixed", t))] if t else []))) for s, a, v, t in SAMPLES[name]),
               (4, 1000), (6, 100))


def message(name, bare=False):
    resource = msg((1, msg((1, "service.name"), (2, any_value("shop")))),
                   (1, msg((1, "process.pid"), (2, any_value(7)))))
    scope = msg((1, msg((1, "toy"))), (2, profile(name)))
    return msg((1, msg(*([] if bare else [(1, resource)]), (2, scope))), (2, dictionary()))


def as_json():
    def value(v):
        return {"intValue": str(v)} if isinstance(v, int) else {"stringValue": v}

    def profiles(name):
        kind, unit = (1, 2) if name == "cpu" else (3, 4)
        return {"sampleType": {"typeStrindex": kind, "unitStrindex": unit},
                "samples": [{"stackIndex": s, "attributeIndices": a,
                             "values": [str(x) for x in v],
                             "timestampsUnixNano": [str(x) for x in t]}
                            for s, a, v, t in SAMPLES[name]]}
    return {
        "resourceProfiles": [{
            "resource": {"attributes": [{"key": "service.name", "value": value("shop")},
                                        {"key": "process.pid", "value": value(7)}]},
            "scopeProfiles": [{"scope": {"name": "toy"},
                               "profiles": [profiles("cpu"), profiles("alloc")]}]}],
        "dictionary": {
            "mappingTable": [{}, {"memoryLimit": "4096", "filenameStrindex": 8}],
            "locationTable": [{}] + [
                {"mappingIndex": m, "address": str(a),
                 "lines": [{"functionIndex": f, "line": str(n)} for f, n in lines],
                 "attributeIndices": kinds} for m, a, lines, kinds in LOCATIONS],
            "functionTable": [{}, {"nameStrindex": 5, "filenameStrindex": 7, "startLine": "10"},
                              {"nameStrindex": 6, "filenameStrindex": 7}],
            "stringTable": STRINGS,
            "attributeTable": [{}] + [{"keyStrindex": k, "value": value(v), "unitStrindex": u}
                                      for k, v, u in ATTRIBUTES],
            "stackTable": [{}] + [{"locationIndices": s} for s in STACKS]}}


def write(name, file, data):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, file), "wb") as f:
        f.write(data)


framed = b"".join(struct.pack(">I", len(m)) + m for m in (message("cpu"), message("alloc")))
write("otlp-framed", "input.otlp", framed)
PACKED = False
write("otlp-unpacked", "input.otlp",
      b"".join(struct.pack(">I", len(m)) + m for m in (message("cpu"), message("alloc"))))
PACKED = True
write("otlp-cut", "input.otlp", message("cpu")[:-5])
write("otlp-long", "input.otlp.gz", gzip.compress(message("long"), mtime=0))
write("otlp-bare", "input.otlp.gz", gzip.compress(message("long", bare=True), mtime=0))
write("otlp-json", "input.json", json.dumps(as_json(), indent=1).encode() + b"\n")
