#!/usr/bin/env python3
"""A JSON document as a JSLB container, or a damaged one:

    encode_jslb.py IN.json OUT.jslb SEED [FAULT]

Arrays of numbers become slabs of a random type that holds them, other values slabs of JSON at
random.  FAULT: table (cut within the table), root (cut before the root), column (the last slab of
numbers reaches beyond the file), self (a slab within itself), version, nan, big (a u64 of 2^63)."""
import json
import random
import struct
import sys

RANGES = [("b", -2**7, 2**7), ("B", 0, 2**8), ("h", -2**15, 2**15), ("H", 0, 2**16),
          ("i", -2**31, 2**31), ("I", 0, 2**32), ("f", -2**24, 2**24), ("d", -2**53, 2**53),
          ("q", -2**63, 2**63), ("Q", 0, 2**64)]
TEXT = 10


def whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def numbers(value):
    return bool(value) and all(whole(x) or isinstance(x, float) for x in value)


class Container:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.slabs = []

    def add(self, kind, data):
        self.slabs.append((kind, data))
        return {"$s": len(self.slabs) - 1}

    def typed(self, value):
        fits = [i for i, (_, low, high) in enumerate(RANGES)
                if all(low <= x < high for x in value)]
        if not all(whole(x) for x in value):
            fits = [7]
        kind = self.random.choice(fits)
        code = RANGES[kind][0]
        if code in "fd":
            value = [float(x) for x in value]
        return self.add(kind, struct.pack(f"<{len(value)}{code}", *value))

    def text(self, value):
        blank = self.random.choice(["", " ", "\n"])
        return self.add(TEXT, (blank + json.dumps(value, ensure_ascii=False) + blank).encode())

    def value(self, value, depth=0):
        if isinstance(value, list) and numbers(value) and self.random.random() < 0.8:
            return self.typed(value)
        if isinstance(value, dict):
            value = {key: self.value(inner, depth + 1) for key, inner in value.items()}
        elif isinstance(value, list):
            value = [self.value(inner, depth + 1) for inner in value]
        if 0 < depth < 5 and self.random.random() < 0.15:
            value = self.text(value)
        return value


def main(path, out, seed, fault=None):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    c = Container(int(seed))
    root = c.value(document)
    if fault == "self":
        root["counters"] = {"$s": len(c.slabs)}
        c.add(TEXT, b'[{"$s": %d}]' % len(c.slabs))
    if fault in ("nan", "big"):
        data = struct.pack("<dd", float("nan"), 1.0) if fault == "nan" \
            else struct.pack("<QQ", 1, 2**63)
        column = c.add(7 if fault == "nan" else 9, data)
        root["counters"] = [{"name": "made", "samples": {"time": [0, 1], "count": column}}]
    root_at = len(c.slabs)
    c.add(TEXT, json.dumps(root, ensure_ascii=False).encode())
    order = list(range(len(c.slabs)))
    if fault == "column":  # the longest slab of numbers stands last
        order.sort(key=lambda i: (c.slabs[i][0] != TEXT, len(c.slabs[i][1])))
    at = 20 + 12 * len(c.slabs)
    start = {}
    body = b""
    for i in order:
        body += b"\0" * (-(at + len(body)) % 8)
        start[i] = at + len(body)
        body += c.slabs[i][1]
    table = b"".join(struct.pack("<III", kind, start[i], len(data))
                     for i, (kind, data) in enumerate(c.slabs))
    version = 2 if fault == "version" else 1
    made = b"\xdc\xdfJSLB\1\0" + struct.pack("<III", version, len(c.slabs), root_at) + table + body
    place = None
    if fault == "table":
        place, made = 20 + 12 * 2, made[:20 + 12 * 2 + 5]
    elif fault == "root":
        place, made = 20 + 12 * root_at, made[:-1]
    elif fault == "column":
        place, made = 20 + 12 * order[-1], made[:-1]
    elif fault == "self":
        place = start[root_at - 1] + 1
    elif fault == "big":
        place = start[root_at - 1] + 8
    with open(out, "wb") as file:
        file.write(made)
    if place is not None:
        print(place)


main(*sys.argv[1:])
