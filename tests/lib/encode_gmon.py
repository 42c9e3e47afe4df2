#!/usr/bin/env python3
"""Writes the inputs of the golden cases gmon-*: records of glibc's gmon_out.h.

    tests/lib/encode_gmon.py FOLDER        FOLDER/gmon-NAME/input.*

What the cases expect was reckoned from the numbers below by hand."""
import os
import struct
import sys


def header(order):
    return b"gmon" + struct.pack(order + "I12x", 1)


def histogram(order, address, low, high, rate, bins):
    out = b"\0" + struct.pack(order + address * 2 + "II", low, high, len(bins), rate)
    out += b"seconds".ljust(15, b"\0") + b"s"
    return out + b"".join(struct.pack(order + "H", n) for n in bins)


def arc(order, address, at, to, calls):
    return b"\1" + struct.pack(order + address * 2 + "I", at, to, calls)


def blocks(order, address, pairs):
    out = b"\2" + struct.pack(order + "I", len(pairs))
    return out + b"".join(struct.pack(order + address * 2, *pair) for pair in pairs)


def write(folder, name, data):
    path = os.path.join(folder, "gmon-" + name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "input.gmon"), "wb") as out:
        out.write(data)


# Without a program functions begin where calls go to: main 0x100, f 0x120, g 0x140.
# Bins of 16 bytes: 2 hits in main, 3 in f, 10 in g.  g's time goes to main and f by their
# calls, 1 to 3: 25 and 75 ms.
def arcs(order, address):
    return (arc(order, address, 0x50, 0x100, 1)     # nobody calls main
            + arc(order, address, 0x108, 0x120, 4)  # main calls f
            + arc(order, address, 0x110, 0x140, 1)  # main calls g
            + arc(order, address, 0x128, 0x140, 3)  # f calls g
            + arc(order, address, 0x14c, 0x140, 6)) # g calls itself


def whole(order, address):
    return (header(order)
            + histogram(order, address, 0x100, 0x160, 100, [2, 0, 3, 0, 10, 0])
            + arcs(order, address)
            + blocks(order, address, [(0x100, 7)]))


folder = sys.argv[1]
write(folder, "arcs", whole("<", "Q"))
write(folder, "old", whole(">", "I"))
write(folder, "cut", whole("<", "Q")[:-30])
# Bins of 24 bytes: 0x100-0x118 main; 0x118-0x130 a third main, two thirds f; 0x130-0x148
# two thirds f, a third g; 0x148-0x160 g.  5 hits in the second: 1 2/3 and 3 1/3; 4 in the
# third: 2 2/3 and 1 1/3; 1 in the first, 3 in the last: main 2 2/3, f 6, g 4 1/3.  The
# rest goes to the largest: main 3, f 6, g 4.  A second histogram adds 2 to f, in 10 ms each.
write(folder, "bins", header("<")
      + histogram("<", "Q", 0x100, 0x160, 1000, [1, 5, 4, 3])
      + histogram("<", "Q", 0x120, 0x140, 100, [2])
      + arcs("<", "Q"))


# The form of the BSDs and MinGW: no tags, a head with 0x51879.  The numbers of "arcs"; narrow and
# big-endian as once on a BSD, wide as 64-bit Windows writes it: a count of 4 bytes, then rubbish.
def bsd(order, address, rubbish):
    at = struct.calcsize(order + address)
    bins = [2, 0, 3, 0, 10, 0]
    out = struct.pack(order + address * 2 + "iiiiii", 0x100, 0x160, 2 * at + 24 + 2 * len(bins),
                      0x51879, 100, 0, 0, 7)
    out += b"".join(struct.pack(order + "H", n) for n in bins)
    for frm, to, calls in ((0x50, 0x100, 1), (0x108, 0x120, 4), (0x110, 0x140, 1),
                           (0x128, 0x140, 3), (0x14c, 0x140, 6)):
        out += struct.pack(order + address * 2 + "I", frm, to, calls) + rubbish
    return out


write(folder, "mingw", bsd("<", "Q", b"\xaa\xbb\0\xcc"))
write(folder, "bsd", bsd(">", "I", b""))
write(folder, "bsd-cut", bsd("<", "I", b"")[:-5])


# Programs of Windows: main at 0x100, a static function, g at 0x140.  The rest of the symbols are
# none of functions: a section with its record, a label, data, an absolute and an undefined one.
def pe(wide, symbols):
    base = 0x40
    table, strings = b"", b"\0\0\0\0"
    for name, at, section, kind, storage, more in symbols:
        if len(name) > 8:
            short = struct.pack("<II", 0, len(strings))
            strings += name + b"\0"
        else:
            short = name.ljust(8, b"\0")
        table += short + struct.pack("<IHHBB", at, section & 0xffff, kind, storage, more)
        table += b"\xff" * 18 * more
    optional = (struct.pack("<H22xQ", 0x20b, base) if wide
                else struct.pack("<H26xI", 0x10b, base)).ljust(0x60, b"\0")
    sections = b".text\0\0\0" + struct.pack("<II20xI", 0x60, 0xc0, 0x60000020)
    sections += b".data\0\0\0" + struct.pack("<II20xI", 0x100, 0x200, 0xc0000040)
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64)
    at = len(head) + 24 + len(optional) + len(sections)
    head += b"PE\0\0" + struct.pack("<HHIIIHH", 0x8664 if wide else 0x14c, 2, 0, at,
                                    len(table) // 18, len(optional), 0)
    return head + optional + sections + table + struct.pack("<I", len(strings)) + strings[4:]


def program(name, data):
    with open(os.path.join(folder, "gmon-" + name, "input.exe"), "wb") as out:
        out.write(data)


def symbols(under):
    return [(b".text", 0, 1, 0, 3, 1), (under + b"a_function_of_this_file", 0x20, 1, 0x20, 3, 0),
            (under + b"_Z1gv", 0x40, 1, 0x20, 2, 0), (b"label", 0x28, 1, 0, 3, 0),
            (under + b"main", 0, 1, 0x20, 2, 1), (b"twin", 0, 1, 0x20, 3, 0),
            (b"data", 0x20, 2, 0, 2, 0), (b"absolute", 0x130, -1, 0, 2, 0),
            (b"import", 0, 0, 0x20, 2, 0), (b"beyond", 0x60, 1, 0x20, 2, 0)]


write(folder, "exe", bsd("<", "Q", b"\0\0\0\0"))
program("exe", pe(True, symbols(b"")))
write(folder, "exe-32", bsd("<", "I", b""))
program("exe-32", pe(False, symbols(b"_")))
write(folder, "exe-stripped", bsd("<", "I", b""))
program("exe-stripped", pe(False, []))
