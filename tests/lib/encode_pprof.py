#!/usr/bin/env python3
"""Writes the inputs of the golden cases pprof-*: messages of profile.proto, field by field.

    tests/lib/encode_pprof.py FOLDER        FOLDER/pprof-NAME/input.*

What the cases expect was reckoned from the numbers below by hand."""
import os
import sys


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def span(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field, numbers):
    return span(field, b"".join(varint(n) for n in numbers))


class Strings:
    def __init__(self):
        self.all = [""]

    def __call__(self, text):
        if text not in self.all:
            self.all.append(text)
        return self.all.index(text)

    def fields(self):
        return b"".join(span(6, text.encode()) for text in self.all)


def value_type(field, s, name, unit):
    return span(field, number(1, s(name)) + number(2, s(unit)))


def label(s, key, text=None, num=None, unit=None):
    out = number(1, s(key))
    if text is not None:
        out += number(2, s(text))
    if num is not None:
        out += number(3, num)
    if unit is not None:
        out += number(4, s(unit))
    return span(3, out)


def sample(locations, values, labels=b"", pack=True):
    if pack:
        return span(2, packed(1, locations) + packed(2, values) + labels)
    out = b"".join(number(1, n) for n in locations)
    return span(2, out + b"".join(number(2, n) for n in values) + labels)


def function(s, id, name, file="", line=0, system=""):
    return span(5, number(1, id) + number(2, s(name)) + number(3, s(system)) +
                number(4, s(file)) + number(5, line))


def location(id, mapping, address, lines=()):
    out = number(1, id) + number(2, mapping) + number(3, address)
    return span(4, out + b"".join(span(4, number(1, f) + number(2, n)) for f, n in lines))


def mapping(s, id, start, limit, offset, file):
    return span(3, number(1, id) + number(2, start) + number(3, limit) +
                number(4, offset) + number(5, s(file)))


def threads():
    """Samples first, tables behind them, strings last; ids of all sizes; threads with a
    name, an id, both, none; labels; inlined lines; values in milliseconds."""
    s = Strings()
    s("samples")
    big, huge = 1 << 40, (1 << 64) - 1
    a = label(s, "thread", "worker") + label(s, "tid", num=7)
    out = sample([big, 3], [2, 20], a + label(s, "bytes", num=1048576, unit="B"))
    out += sample([4, 3], [1, 10], a, pack=False)
    out += sample([huge], [4, 40], label(s, "tid", num=9))
    out += sample([5, 3], [1, 15], label(s, "tag", "z") + label(s, "tag", "a"))
    out += sample([], [9, 90])
    out += value_type(1, s, "samples", "count") + value_type(1, s, "cpu", "milliseconds")
    out += mapping(s, 77, 0x400000, 0x500000, 0, "/opt/bin/server")
    out += mapping(s, 2, 0xF000000, 0xFFFFFFF, 0, "[kernel.kallsyms]_text")
    # `inner` was inlined into `outer` at line 12
    out += location(big, 77, 0x401000, [(1, 5), (big, 12)])
    out += location(3, 77, 0x402000, [(2, 30)])
    out += location(4, 2, 0xF000100, [(huge, 0)])
    out += location(huge, 77, 0x403abc)
    out += location(5, 0, 0x500, [(0, 8)])
    out += function(s, 1, "inner", "a.c", 3) + function(s, big, "outer", "a.c", 10)
    out += function(s, 2, "main", "main.c", 25) + function(s, huge, "", system="sys_read")
    out += number(9, 1000000000) + number(10, 5000000000)
    out += value_type(11, s, "cpu", "nanoseconds") + number(12, 10000000)
    out += number(13, s("made by hand")) + number(7, s("drop.*"))
    return out + s.fields()


def tables_first():
    s = Strings()
    out = value_type(1, s, "alloc_space", "kilobytes") + value_type(1, s, "widgets", "barrels")
    out += function(s, 1, "leaf") + function(s, 2, "root")
    out += location(1, 0, 0, [(1, 0)]) + location(2, 0, 0, [(2, 0)])
    out += number(14, s("alloc_space")) + s.fields()
    return out


def cut():
    """Ends within its third sample."""
    out = tables_first() + sample([1, 2], [3, 1]) + sample([2], [5, 1])
    return out + sample([1, 2], [8, 1])[:-2]


def damaged():
    """A sample that is no message, ids of nothing, too many values, too few."""
    out = tables_first()
    out += sample([1, 2], [3, 1])
    out += span(2, b"\x0a\x05\x01")
    out += sample([99, 2], [2, 1])
    out += sample([1, 2], [1, 1, 1])
    return out + sample([2], [5])


def second():
    """A profile and one more behind it."""
    s = Strings()
    more = number(9, 7) + value_type(1, s, "other", "count") + sample([1], [100])
    more += function(s, 1, "stranger") + location(1, 0, 0, [(1, 0)]) + s.fields()
    return tables_first() + sample([1, 2], [3, 1]) + more


CASES = {
    "threads/input.pb": threads,
    "cut/input.pb": cut,
    "damaged/input.pb": damaged,
    "second/input.pb": second,
}

for name, make in CASES.items():
    path = os.path.join(sys.argv[1], "pprof-" + name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(make())
