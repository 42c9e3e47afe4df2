#!/usr/bin/env python3
"""Writes the inputs of the golden cases nettrace-*, and what functions and tracks they have.

    tests/lib/encode_nettrace.py FOLDER      FOLDER/nettrace-NAME/input.nettrace, functions*.csv,
                                             tracks.csv

Made from PerfView's NetTraceFormat.md, NetTraceFormat_v5.md and UniversalProviders.md. Truth adds
up the frames of each event as it is written, from the names that the case means, not from
addresses. Other files of the cases (labels, info, dump, stderr) were reckoned by hand."""
import os
import struct
import sys

RUNTIME = "Microsoft-Windows-DotNETRuntime"
RUNDOWN = RUNTIME + "Rundown"
SAMPLER = "Microsoft-DotNETCore-SampleProfiler"
UTC = struct.pack("<8H", 2026, 11, 1, 23, 7, 14, 0, 5)


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def wide(s):
    return s.encode("utf-16-le") + b"\0\0"


def text(s):
    return varint(len(s.encode())) + s.encode()


def short(s):
    return struct.pack("<H", len(s.encode())) + s.encode()


class Truth:
    """What the views must print."""

    def __init__(self, about, frequency):
        self.about = about              # function -> (module, kind)
        self.frequency = frequency
        self.metrics, self.tracks = {}, {}
        self.slices = []                # (track, start, end, number) of slices

    def add(self, metric, track, ticks, value, frames, value_ns=False):
        """A sample at `ticks` after the first event; frames leaf first."""
        ns = ticks * 10**9 // self.frequency
        value = value * 10**9 // self.frequency if value_ns else value
        rows = self.metrics.setdefault(metric, {})
        for i, name in enumerate(dict.fromkeys(frames)):
            row = rows.setdefault(name, [0, 0])
            row[1] += value
            row[0] += value if i == 0 else 0
        if metric not in ("allocs",):
            first, last, n = self.tracks.get(track, (ns, ns, 0))
            self.tracks[track] = min(first, ns), max(last, ns), n + 1

    def write(self, folder, default):
        every = {name for rows in self.metrics.values() for name in rows}
        for metric, rows in self.metrics.items():
            path = "functions.csv" if metric == default else "functions.%s.csv" % metric
            with open(os.path.join(folder, path), "w", encoding="utf-8") as out:
                out.write("function,file,line,module,kind,calls,self,total\n")
                for name in sorted(every, key=lambda f: (-rows.get(f, (0, 0))[0], f.encode())):
                    self_, total = rows.get(name, (0, 0))
                    module, kind = self.about[name]
                    out.write("%s,,,%s,%s,,%d,%d\n" % (name, module, kind, self_, total))
        with open(os.path.join(folder, "tracks.csv"), "w", encoding="utf-8") as out:
            out.write("track,kind,unit,start,end,events\n")
            for name, (first, last, n) in self.tracks.items():
                out.write("%s,thread,ns,%d,%d,%d\n" % (name, first, last, n))
            for row in self.slices:
                out.write("%s,task,ns,%d,%d,%d\n" % row)


# ---- versions 4 and 5 ----


class Old:
    def __init__(self, version, frequency, pointer, plain=False):
        self.version, self.pointer, self.plain = version, pointer, plain
        self.out = b"Nettrace" + struct.pack("<i", 20) + b"!FastSerialization.1"
        self.block("Trace", UTC + struct.pack("<qqiiii", 1000000, frequency, pointer, 77, 4, 10000),
                   sized=False)

    def block(self, name, content, sized=True):
        self.out += b"\x05\x05\x01" + struct.pack("<iii", self.version, 4, len(name))
        self.out += name.encode() + b"\x06"
        if sized:
            self.out += struct.pack("<i", len(content))
            self.out += bytes(-len(self.out) % 4)
        self.out += content + b"\x06"

    def events(self, rows, name="EventBlock"):
        """rows: (metadata, sequence, thread, stack, ticks, payload)"""
        out = struct.pack("<hhqq", 24, not self.plain, 0, 0) + b"????"
        last = dict(metadata=0, sequence=0, thread=0, stack=0, ticks=0, size=0)
        for metadata, sequence, thread, stack, ticks, payload in rows:
            if self.plain:
                one = struct.pack("<IIqqIIq", metadata | 1 << 31, sequence, thread, thread, 2,
                                  stack, ticks) + bytes(range(32))
                one += struct.pack("<I", len(payload)) + payload
                out += struct.pack("<I", len(one)) + one
                out += bytes(-len(out) % 4)   # blocks begin at a multiple of 4
                continue
            flags, body = 0, b""
            if metadata != last["metadata"]:
                flags |= 1
                body += varint(metadata)
            counts = name != "MetadataBlock"
            if thread != last["thread"] or sequence != last["sequence"] + counts:
                flags |= 2
                body += varint((sequence - counts - last["sequence"]) % 2**32)
                body += varint(thread) + varint(2)
            if thread != last["thread"]:
                flags |= 4
                body += varint(thread)
            if stack != last["stack"]:
                flags |= 8
                body += varint(stack)
            body += varint((ticks - last["ticks"]) % 2**64)
            if metadata == 14:                 # with both ids of activities
                flags |= 48
                body += bytes(range(32))
            if len(payload) != last["size"]:
                flags |= 128
                body += varint(len(payload))
            out += bytes([flags]) + body + payload
            last = dict(metadata=metadata, sequence=sequence, thread=thread, stack=stack,
                        ticks=ticks, size=len(payload))
        self.block(name, out)

    def metadata(self, kinds):
        """kinds: id -> (provider, event, name)"""
        rows = []
        for i, (provider, event, name) in kinds.items():
            rows.append((0, 0, 0, 0, 0, struct.pack("<i", i) + wide(provider)
                         + struct.pack("<i", event) + wide(name)
                         + struct.pack("<qiii", 0, 2, 4, 0)))
        self.events(rows, "MetadataBlock")

    def stacks(self, first, stacks):
        word = "<Q" if self.pointer == 8 else "<I"
        out = struct.pack("<II", first, len(stacks))
        for one in stacks:
            out += struct.pack("<I", len(one) * self.pointer)
            out += b"".join(struct.pack(word, address) for address in one)
        self.block("StackBlock", out)

    def point(self, ticks, last):
        out = struct.pack("<qi", ticks, len(last))
        for thread, sequence in last.items():
            out += struct.pack("<qi", thread, sequence)
        self.block("SPBlock", out)

    def end(self):
        return self.out + b"\x01"


def method(module, start, size, space, name):
    return (struct.pack("<QQQIII", start + 7, module, start, size, 1, 0) + wide(space) + wide(name)
            + wide("void ()"))


KINDS = {1: (SAMPLER, 0, ""), 2: (RUNTIME, 10, ""), 3: (RUNTIME, 81, ""), 4: (RUNTIME, 91, ""),
         5: (RUNTIME, 80, ""), 6: (RUNTIME, 1, ""), 7: (RUNTIME, 2, ""), 8: (RUNTIME, 9, ""),
         9: (RUNTIME, 3, ""), 10: (RUNTIME, 143, ""), 11: (RUNDOWN, 144, ""),
         12: (RUNDOWN, 154, ""), 13: ("Microsoft-DotNETCore-EventPipe", 1, "ProcessInfo"),
         14: ("Shop", 7, "Sold")}
ABOUT = {"Shop.Main.Run": ("shop.dll", "user"), "Shop.Cart.Add": ("shop.dll", "user"),
         "System.String.Concat": ("System.Private.CoreLib.dll", "system"),
         "IL_STUB": ("", "user"), "Shop.Cart.Sort": ("shop.dll", "user"),
         "Shop.Cart.SortFast": ("shop.dll", "user"), "0x9999": ("", "system"),
         "[unknown]": ("", "user"), "[no stack]": ("", "user"),
         "suspended for GC": ("", "user"), "GC generation 0": ("", "user"),
         "GC generation 1": ("", "user"), "GC generation 2 (background)": ("", "user")}


def managed():
    """Version 4, 64 bits, 10^7 ticks a second. The first event in time is the second in the file."""
    f = Old(4, 10**7, 8)
    t = Truth(ABOUT, 10**7)
    run, add = "Shop.Main.Run", "Shop.Cart.Add"
    f.metadata(KINDS)
    # Return addresses: 0x1100 is the end of Run and the beginning of Add.
    f.stacks(40, [[0x1110, 0x1100], [0x1100], [0x1210, 0x1150, 0x1010], [0x2010, 0x1100],
                  [0x9999, 0x1010], [0x1290]])
    base = 1000100
    one, two = "thread 100", "thread 200"
    rows = [(1, 1, 100, 40, base + 20, struct.pack("<i", 2))]
    t.add("samples", one, 20, 1, [add, run])
    rows.append((1, 2, 100, 41, base + 0, struct.pack("<i", 2)))        # steps back
    t.add("samples", one, 0, 1, [add])
    rows.append((10, 3, 100, 0, base + 100, method(1, 0x2000, 0x100, "Shop.Cart", "Sort")))
    for ticks, name in (50, "Sort"), (300, "Sort"), (500, "SortFast"), (700, "SortFast"):
        if ticks == 500:
            rows.append((10, len(rows) + 1, 100, 0, base + 500,
                         method(1, 0x2000, 0x100, "Shop.Cart", "SortFast")))
        rows.append((1, len(rows) + 1, 100, 43, base + ticks, struct.pack("<i", 1)))
        t.add("samples", one, ticks, 1, ["Shop.Cart." + name, run])
    f.events(rows)
    # Thread 200: its events 1, 2 and 5 are lost.
    rows = [(1, 3, 200, 42, base + 60, struct.pack("<i", 2)),
            (14, 4, 200, 42, base + 70, b"three of them"),
            (1, 6, 200, 44, base + 80, struct.pack("<i", 0)),
            (1, 7, 200, 45, base + 90, struct.pack("<i", 2)),
            (1, 8, 200, 77, base + 95, struct.pack("<i", 2)),           # a stack that is not there
            (1, 9, 200, 0, base + 96, struct.pack("<i", 2))]
    for ticks, frames in ((60, ["System.String.Concat", add, run]), (80, ["0x9999", run]),
                          (90, ["IL_STUB"]), (95, ["[unknown]"]), (96, ["[no stack]"])):
        t.add("samples", two, ticks, 1, frames)
    # Allocations of version 1 (no type) and of version 2.
    rows.append((2, 10, 200, 40, base + 100, struct.pack("<IIH", 8192, 0, 1)))
    rows.append((2, 11, 200, 42, base + 110, struct.pack("<IIHQQ", 7, 0, 1, 106496, 5)
                 + wide("System.String[]") + struct.pack("<I", 0)))
    for ticks, size, frames in ((100, 8192, [add, run]),
                                (110, 106496, ["System.String.Concat", add, run])):
        t.add("alloc", two, ticks, size, frames)
        t.add("allocs", two, ticks, 1, frames)
    # A lock from 120 to 150, one that never comes.
    rows.append((3, 12, 200, 40, base + 120, b"\0\1\0"))
    rows.append((4, 13, 200, 0, base + 150, b"\0\1\0"))
    rows.append((3, 14, 200, 41, base + 160, b"\0\1\0"))
    t.add("lock", two, 120, 30, [add, run], value_ns=True)
    rows.append((5, 15, 200, 41, base + 170, wide("Shop.Sold\u00d6ut") + wide("\U0001F600" * 51)
                 + bytes(20)))
    t.add("exceptions", two, 170, 1, [add])
    f.events(rows)
    f.point(base + 800, {100: 11, 200: 15})                             # three more are lost
    # The collector: 1 is in the background and lasts over 2; 3 does not end.
    gc = [(8, 12, 100, 0, base + 1000, struct.pack("<II", 1, 0)),
          (6, 13, 100, 0, base + 1010, struct.pack("<IIIIH", 1, 2, 4, 1, 0)),
          (6, 14, 100, 0, base + 1020, struct.pack("<IIIIH", 2, 0, 0, 0, 0)),
          (7, 15, 100, 0, base + 1050, struct.pack("<IIH", 2, 0, 0)),
          (9, 16, 100, 0, base + 1060, b"\0\0"),
          (8, 17, 100, 0, base + 1100, struct.pack("<II", 0, 0)),       # not for the collector
          (9, 18, 100, 0, base + 1110, b"\0\0"),
          (7, 19, 100, 0, base + 1200, struct.pack("<IIH", 1, 2, 0)),
          (6, 20, 100, 0, base + 1300, struct.pack("<IIIIH", 3, 1, 99, 0, 0))]
    f.events(gc)
    # 1 begins in the suspension and lasts longer: a lane. 2 is within the suspension.
    t.metrics["async"] = {"suspended for GC": (3000, 6000), "GC generation 0": (3000, 3000),
                          "GC generation 1": (20000, 20000),
                          "GC generation 2 (background)": (19000, 19000)}
    t.slices = [("GC", 100000, 150000, 3), ("GC (overlap 1)", 101000, 120000, 1)]
    rows = [(11, 16, 200, 0, base + 1400, method(1, 0x1000, 0x100, "Shop.Main", "Run")),
            (11, 17, 200, 0, base + 1400, method(1, 0x1100, 0x100, "Shop.Cart", "Add")),
            (11, 18, 200, 0, base + 1400, method(2, 0x1200, 0x80, "System.String", "Concat")),
            (11, 19, 200, 0, base + 1400, method(9, 0x1280, 0x80, "", "IL_STUB")),
            (11, 20, 200, 0, base + 1400, method(1, 0x2000, 0x100, "Shop.Cart", "SortFast"))]
    for i, (number, path) in enumerate(((1, "C:\\shop\\shop.dll"),
                                        (2, "/usr/lib/System.Private.CoreLib.dll"))):
        rows.append((12, 21 + i, 200, 0, base + 1450, struct.pack("<QQII", number, 5, 0, 0)
                     + wide(path) + wide("")))
    rows.append((13, 23, 200, 0, base + 1500, wide("dotnet shop.dll --open") + wide("Linux")
                 + wide("x64")))
    f.events(rows)
    return f.end(), t, "samples"


def plain():
    """Version 5, 32 bits, 3 ticks a second, uncompressed; ids of stacks begin again."""
    f = Old(5, 3, 4, plain=True)
    t = Truth({"Größe.\U0001F600": ("", "user"), "Shop.Run": ("", "user")}, 3)
    f.metadata({1: (SAMPLER, 0, ""), 2: (RUNDOWN, 143, "")})
    f.block("NewBlock", b"of a later version")
    f.events([(2, 1, 5, 0, 1000, method(0, 0x1000, 0x100, "Größe", "\U0001F600")),
              (2, 2, 5, 0, 1000, method(0, 0x1100, 0x100, "Shop", "Run"))])
    f.stacks(1, [[0x1010], [0x1110]])
    f.events([(1, 3, 5, 1, 1001, struct.pack("<i", 2)), (1, 4, 5, 2, 1002, struct.pack("<i", 1)),
              (1, 1, 2**40 + 6, 1, 1002, struct.pack("<i", 2))])
    f.point(1003, {5: 4})
    f.stacks(1, [[0x1110, 0x1050]])
    f.events([(1, 5, 5, 1, 1004, struct.pack("<i", 2))])
    t.add("samples", "thread 5", 1, 1, ["Größe.\U0001F600"])
    t.add("samples", "thread 5", 2, 1, ["Shop.Run"])
    t.add("samples", "thread %d" % (2**40 + 6), 2, 1, ["Größe.\U0001F600"])
    t.add("samples", "thread 5", 4, 1, ["Shop.Run", "Größe.\U0001F600"])
    return f.end(), t, "samples"


# ---- version 6 ----


class New:
    def __init__(self, frequency, pairs):
        self.out = b"Nettrace" + struct.pack("<III", 0, 6, 3)
        out = UTC + struct.pack("<qqii", 500, frequency, 8, len(pairs))
        self.block(1, out + b"".join(text(k) + text(v) for k, v in pairs.items()))

    def block(self, kind, content):
        self.out += struct.pack("<I", len(content) | kind << 24) + content

    def metadata(self, kinds):
        """kinds: id -> (provider, event, name, fields)"""
        out = struct.pack("<H", 3) + b"???"
        for i, (provider, event, name, fields) in kinds.items():
            row = varint(i) + text(provider) + varint(event) + text(name)
            row += struct.pack("<H", len(fields))
            for field in fields:
                one = text(field) + b"\x15"
                row += struct.pack("<H", len(one)) + one
            row += struct.pack("<H", 0)
            out += struct.pack("<H", len(row)) + row
        self.block(3, out)

    def threads(self, rows):
        out = b""
        for index, name, pid, tid in rows:
            row = varint(index) + b"\x04" + text("k") + text("v")
            row += b"\x01" + text(name) if name else b""
            row += b"\x02" + varint(pid) if pid is not None else b""
            row += b"\x03" + varint(tid) if tid is not None else b""
            out += struct.pack("<H", len(row)) + row
        self.block(6, out)

    def stacks(self, first, stacks):
        out = struct.pack("<II", first, len(stacks))
        for one in stacks:
            out += struct.pack("<I%dQ" % len(one), len(one) * 8, *one)
        self.block(5, out)

    def labels(self, first, lists):
        out = struct.pack("<II", first, len(lists))
        for one in lists:
            for i, (kind, body) in enumerate(one):
                out += bytes([kind | (128 if i == len(one) - 1 else 0)]) + body
        self.block(8, out)

    def events(self, rows):
        """rows: (metadata, sequence, thread, stack, ticks, labels, payload)"""
        out = struct.pack("<hhqq", 20, 1, 0, 0)
        last = (0, 0, 0, 0, 0, 0, b"")
        for row in rows:
            metadata, sequence, thread, stack, ticks, labels, payload = row
            flags, body = 64, b""
            if metadata != last[0]:
                flags |= 1
                body += varint(metadata)
            if thread != last[2] or sequence != last[1] + 1:
                flags |= 2
                body += varint((sequence - 1 - last[1]) % 2**32) + varint(thread) + varint(0)
            if thread != last[2]:
                flags |= 4
                body += varint(thread)
            if stack != last[3]:
                flags |= 8
                body += varint(stack)
            body += varint((ticks - last[4]) % 2**64)
            if labels != last[5]:
                flags |= 16
                body += varint(labels)
            if len(payload) != len(last[6]):
                flags |= 128
                body += varint(len(payload))
            out += bytes([flags]) + body + payload
            last = row
        self.block(2, out)

    def end(self):
        return self.out + bytes(4)


def system():
    """Version 6: two processes, mappings with and without symbols, lists of labels, a metric that
    the file names, threads and metadata that a sequence point forgets."""
    f = New(10**9, {"ProcessId": "300", "HardwareThreadCount": "16", "Other": "x"})
    t = Truth({"serve": ("shopd", "user"), "parse": ("shopd", "user"), "0x4a0": ("shopd", "system"),
               "0x3fff": ("libz.so", "system"), "0x7777": ("", "system"),
               "main": ("till", "user")}, 10**9)
    cpu, off, net = "Universal.Events", "Universal.Events", "Universal.Events"
    mapping = ["Id", "StartAddress", "EndAddress", "FileOffset", "FileName", "MetadataId"]
    kinds = {1: ("Universal.System", 0, "ProcessCreate", ["Value"]),
             2: ("Universal.System", 0, "ProcessMapping", ["Value"]),
             3: ("Universal.System", 0, "ProcessSymbol", ["Value"]),
             4: (cpu, 0, "cpu", ["Value"]), 5: (off, 0, "cswitch", ["Value"]),
             6: (net, 0, "packets", ["Value"]), 7: ("Shop", 9, "Sold", []),
             8: ("Universal.System", 0, "ProcessMapping", mapping),
             9: ("Universal.System", 0, "ProcessMappingMetadata", ["Value"])}
    f.metadata(kinds)
    threads = [(1, "serve", 300, 301), (2, "", 300, 302), (3, "till", 400, 401)]
    f.threads(threads)
    f.block(9, b"of a later version")

    def mapped(number, pid, start, end, offset, path, metadata=0):
        return (varint(number) + varint(pid) + varint(start) + varint(end) + varint(offset)
                + short(path) + varint(metadata))

    def symbol(number, of, start, end, name):
        return varint(number) + varint(of) + varint(start) + varint(end) + short(name)

    base = 1000
    f.events([
        (1, 1, 1, 0, base, 0, varint(1) + short("shopd") + short("")),
        (2, 2, 1, 0, base + 1, 0, mapped(11, 300, 0x400000, 0x401000, 0x400, "/opt/shopd", 5)),
        (9, 3, 1, 0, base + 1, 0, varint(5) + short('{"type": "ELF", "build_id": "00ff"}')
         + short("{}")),
        (8, 4, 1, 0, base + 1, 0, varint(12) + varint(0x500000) + varint(0x510000)
         + varint(0x2000) + short("/lib/libz.so") + varint(0)),
        (3, 5, 1, 0, base + 2, 0, symbol(1, 11, 0x400200, 0x400300, "serve")),
        (3, 6, 1, 0, base + 2, 0, symbol(2, 11, 0x400300, 0x400400, "parse")),
        (1, 1, 3, 0, base + 3, 0, varint(1) + short("till") + short("")),
        (2, 2, 3, 0, base + 3, 0, mapped(13, 400, 0x400000, 0x401000, 0, "/opt/till")),
        (3, 3, 3, 0, base + 3, 0, symbol(3, 13, 0x400200, 0x400400, "main"))])
    # The same addresses in two processes.
    f.stacks(7, [[0x400310, 0x400300], [0x4000a0, 0x400220], [0x501fff], [0x7777, 0x400210]])
    f.labels(3, [[(1, bytes(range(16))), (5, text("order") + text("A-7"))],
                 [(6, text("items") + varint(5)), (4, b"\x01\x23\x45\x67\x89\xab\xcd\xef"),
                  (8, bytes(8)), (9, b"\4")]])
    serve, two, till = "shopd 300 / serve 301", "shopd 300 / thread 302", "till 400 / till 401"
    f.events([
        (4, 7, 1, 7, base + 100, 3, varint(1)), (4, 8, 1, 8, base + 200, 4, varint(300)),
        (5, 9, 1, 7, base + 450, 0, varint(200)),          # off the CPU from 250 on
        (4, 1, 2, 9, base + 110, 0, varint(2)), (6, 2, 2, 10, base + 120, 0, varint(1500)),
        (4, 4, 3, 7, base + 130, 0, varint(4)), (7, 5, 3, 7, base + 140, 0, b"")])
    t.add("cpu", serve, 100, 1, ["parse", "serve"])
    t.add("cpu", serve, 200, 300, ["0x4a0", "serve"])
    t.add("off-cpu", serve, 250, 200, ["parse", "serve"])
    t.add("cpu", two, 110, 2, ["0x3fff"])
    t.add("packets", two, 120, 1500, ["0x7777", "serve"])
    t.add("cpu", till, 130, 4, ["main"])
    f.block(7, varint(2) + varint(3))                      # thread 2 ends; its event 3 is lost
    f.block(4, struct.pack("<QII", base + 500, 3, 1) + varint(1) + varint(9))
    f.metadata({1: kinds[4]})
    f.threads([(1, "", 400, 401), (4, "", None, None)])
    f.stacks(7, [[0x400210]])
    f.labels(3, [[(5, text("order") + text("B-1"))]])
    f.events([(1, 6, 1, 7, base + 600, 3, varint(8)), (1, 1, 4, 7, base + 700, 0, varint(16))])
    t.add("cpu", till, 600, 8, ["main"])
    t.add("cpu", "shopd 300 / thread 4", 700, 16, ["serve"])
    return f.end(), t, "cpu"


def main():
    cases = {"managed": managed(), "plain": plain(), "system": system()}
    data = cases["managed"][0]
    rundown = data.rindex(b"EventBlock")
    cut = {"cut": data[:rundown + 180],                    # killed: within its second method
           "tag": data[:rundown - 16] + b"\x07" + data[rundown - 15:],
           "open": cases["system"][0][:-4]}
    for name, (data, truth, default) in cases.items():
        path = os.path.join(sys.argv[1], "nettrace-" + name)
        os.makedirs(path, exist_ok=True)
        truth.write(path, default)
        with open(os.path.join(path, "input.nettrace"), "wb") as out:
            out.write(data)
    for name, data in cut.items():
        path = os.path.join(sys.argv[1], "nettrace-" + name)
        os.makedirs(path, exist_ok=True)
        with open(os.path.join(path, "input.nettrace"), "wb") as out:
            out.write(data)


main()
