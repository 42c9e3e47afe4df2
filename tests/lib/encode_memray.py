#!/usr/bin/env python3
"""Writes the inputs of the golden cases memray-*: captures of memray, from its records.h.

    tests/lib/encode_memray.py FOLDER        FOLDER/memray-NAME/input.bin

What the cases expect was reckoned from the numbers below by hand."""
import os
import struct
import sys

PYMALLOC, FREE, MALLOC, REALLOC, CALLOC, VALLOC, MMAP, MUNMAP = 2, 5, 6, 7, 8, 12, 14, 15


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def signed(n):
    return varint(n << 1 if n >= 0 else (-n << 1) - 1)


def text(s):
    return s.encode() + b"\0"


def header(version, native, aggregated, skip):
    out = b"memray\0" + struct.pack("<i", version)
    if version >= 12:
        out += struct.pack("<I", 0x030b02f0)
    out += struct.pack("<BBQQqq", native, aggregated, 9, 9, 1700000000000, 1700000000030)
    out += text("shop --open") + struct.pack("<iQQB", 77, 0x1000, skip, 1)
    if version >= 11:
        out += b"\0"
    if version >= 12:
        out += b"\0"
    if version >= 13:
        out += text("/usr/lib/python3.11") + text("/s/site") + b"\0" + text("/s") + b"\0"
    return out


class New:
    """Records of versions 12 and 13."""

    def __init__(self):
        self.recent = []
        self.address = self.line = 0

    def code(self, number, name, line, table):
        delta, self.line = line - self.line, line
        return (b"\x0e" + varint(number) + text(name) + text("/s/shop.py") + signed(delta)
                + varint(len(table)) + table)

    def alloc(self, allocator, address, size=None):
        at = address
        if at in self.recent[:15]:
            out, rest = 0x80 | self.recent.index(at) << 3, b""
        else:
            out, rest = 0x80 | 15 << 3, signed((at >> 3) - self.address)
            self.address = at >> 3
            self.recent.insert(0, at)
        if allocator < 8:
            out |= allocator
        else:
            rest += bytes([allocator])
        return bytes([out]) + rest + (b"" if size is None else varint(size))


def switch(thread):
    return b"\x0c" + struct.pack("<Q", thread)


def push(code, offset, entry=1):
    return bytes([0x40 | entry]) + varint(code) + signed(offset)


def pop(n):
    return bytes([0x10 | n - 1])


def rss(size, ms):
    return b"\x02" + varint(size) + varint(ms)


# Lines of main: 11 for bytes 0..5, 8 for 6 and 7, 78 for 8..23, none for 24 and 25.
MAIN = (bytes([0x80 | 11 << 3 | 1, 0, 0, 0x80 | 0 << 3 | 0, 0, 0x80 | 13 << 3 | 0, 3 << 1 | 1])
        + bytes([0x80 | 14 << 3 | 7, 0x40 | 70 << 1 & 63, 70 << 1 >> 6, 0, 0, 0])
        + bytes([0x80 | 15 << 3]))
LOAD = bytes([0x80 | 10 << 3 | 3, 0, 0])

A, B, C, D, Z, M = 0x10000, 0x20000, 0x30000, 0x40000, 0x50000, 0x700000000000


def peak():
    n = New()
    out = header(13, 0, 0, 1) + n.code(3, "<module>", 1, b"") + n.code(1, "main", 10, MAIN)
    out += n.code(2, "load", 30, LOAD)
    out += switch(0x1000) + push(3, 0) + push(1, 2)     # <module> is skipped
    out += n.alloc(MALLOC, A, 100)                      # 100
    out += push(2, 0) + n.alloc(MMAP, M, 12288)         # 12,388
    out += rss(1 << 20, 10) + switch(0x2000) + b"\x0a" + text("worker")
    out += push(2, 4) + n.alloc(CALLOC, B, 500) + n.alloc(MALLOC, Z, 0)  # 12,888
    out += rss(2 << 20, 20) + switch(0x1000)
    out += n.alloc(MUNMAP, M + 4096, 4096)              # the middle: 8,792 in one block more
    out += n.alloc(FREE, A) + n.alloc(FREE, 0xdead0)    # 8,692
    out += pop(1) + push(1, 6) + n.alloc(REALLOC, C, 4196)  # 12,888 again
    out += rss(3 << 20, 30) + n.alloc(FREE, C)          # 8,692
    out += pop(3) + switch(0x2000) + n.alloc(PYMALLOC, D, 8)
    out += push(1, 24) + n.alloc(MALLOC, C, 0) + pop(1)
    out += push(1, 22) + n.alloc(MALLOC, A, 0) + n.alloc(FREE, C) + n.alloc(FREE, A)
    return out + b"\x01"


def old_token(kind, flags=0):
    return bytes([kind | flags << 4])


def old_alloc(allocator, delta, size, native=None):
    out = old_token(1 if native is None else 2, allocator) + signed(delta)
    if allocator != FREE:
        out += varint(size)
    return out + (b"" if native is None else signed(native))


# 64 bytes at go;0x1100;0x1200, 32 at go;0x5000, a mapping of 8,192 of which 4,096 remain.
def old():
    out = header(10, 1, 0, 0)
    out += old_token(6) + old_token(7) + text("/usr/lib/libshop.so.1") + varint(1)
    out += struct.pack("<Q", 0x7f0000000000)
    out += old_token(8) + struct.pack("<Q", 0x1000) + varint(0x2000)
    out += old_token(12) + struct.pack("<Q", 0x1000)
    out += old_token(3) + signed(7) + text("go") + text("/s/shop.py") + signed(5)
    out += old_token(4) + signed(0)                     # id 7 again
    out += old_token(5) + signed(0x7f0000001100) + signed(0)
    out += old_token(5) + signed(0x100) + signed(1)
    out += old_token(5) + signed(0x5000 - 0x7f0000001200) + signed(-1)
    out += old_alloc(MALLOC, 0x1000, 64, 2) + old_alloc(VALLOC, 0x1000, 32, 1)
    out += old_alloc(MMAP, 0x100000, 8192, -3)
    out += old_token(11) + varint(5 << 20) + varint(10)
    out += old_alloc(MUNMAP, 0, 4096) + old_alloc(FREE, -0x100000, None)
    return out + bytes(100)                             # killed: the file was made longer


def total(thread, allocator, node, blocks, left, size, left_size):
    return b"\x02" + struct.pack("<QB7xQQQQQQQ", thread, allocator, 0, node, 1, blocks, left, size,
                                 left_size)


# The tree: 1 main:11, 2 main:11;load:30, 3 load:30.  On the main thread the first frame goes.
def sums():
    n = New()
    out = header(13, 0, 1, 1) + b"\x01" + struct.pack("<QQQ", 1700000000010, 1 << 20, 4000)
    out += n.code(1, "main", 10, MAIN) + n.code(2, "load", 30, LOAD)
    out += b"\x04" + varint(0) + varint(1) + signed(0) + b"\1"
    out += b"\x04" + varint(1) + varint(2) + signed(0) + b"\0"
    out += b"\x03" + varint(0) + varint(0) + b"\x03" + varint(1) + varint(1)
    out += b"\x03" + varint(1) + varint(0)
    out += switch(0x2000) + b"\x0a" + text("worker")
    out += total(0x1000, MALLOC, 2, 2, 1, 3000, 1000)
    out += total(0x2000, MMAP, 2, 1, 0, 4096, 0) + total(0x2000, MALLOC, 3, 0, 3, 0, 30)
    return out + b"\x0f"


def main():
    cases = {"peak": peak(), "old": old(), "sums": sums(), "cut": peak()[:-4]}
    for name, data in cases.items():
        path = os.path.join(sys.argv[1], "memray-" + name)
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "input.bin"), "wb") as out:
            out.write(data)


main()
