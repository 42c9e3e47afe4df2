#!/usr/bin/env python3
"""Writes the inputs of tests/golden/jfr-*: tests/lib/encode_jfr.py tests/golden.  Recordings as
OpenJDK's jdk.jfr.internal describes them, with types of the same names in another order; what
the events say stands beside each."""
import os
import struct
import sys


class Chunk:
    """One chunk; packed: whole numbers are LEB128."""

    def __init__(self, packed=True, start_ns=1000000000, ticks=1000000):
        self.packed, self.start_ns, self.ticks = packed, start_ns, ticks
        self.body = b""
        self.pools_at = self.metadata_at = 0
        self.strings, self.string_of = [], {}

    def n(self, v, size=8):
        if not self.packed:
            return (v & (1 << 8 * size) - 1).to_bytes(size, "big")
        v &= (1 << 64) - 1
        out = b""
        for _ in range(8):
            if v < 128:
                return out + bytes([v])
            out += bytes([v & 127 | 128])
            v >>= 7
        return out + bytes([v])

    def i(self, v):
        return self.n(v, 4)

    def text(self, s, how=3):
        if s is None:
            return b"\0"
        if s == "":
            return b"\1"
        if how == 2:
            return b"\2" + self.n(s)
        if how == 4:
            return b"\4" + self.i(len(s)) + b"".join(self.n(ord(c), 2) for c in s)
        raw = s.encode("latin-1" if how == 5 else "utf-8")
        return bytes([how]) + self.i(len(raw)) + raw

    def record(self, kind, payload):
        """Size, type, payload; the size counts itself."""
        at = 68 + len(self.body)
        rest = self.n(kind) + payload
        size = len(rest) + 1
        while len(self.i(size)) + len(rest) != size:
            size += 1
        self.body += self.i(size) + rest
        return at

    def s(self, text):
        if text not in self.string_of:
            self.string_of[text] = len(self.strings)
            self.strings.append(text)
        return self.string_of[text]

    def element(self, name, attributes, children=()):
        out = self.i(self.s(name)) + self.i(len(attributes))
        for key, value in attributes:
            out += self.i(self.s(key)) + self.i(self.s(value))
        return out + self.i(len(children)) + b"".join(children)

    def metadata(self, types):
        classes = []
        for number, name, fields in types:
            of = []
            for field in fields:
                what = [("name", field[0]), ("class", str(field[1]))]
                if "pool" in field[2:]:
                    what.append(("constantPool", "true"))
                if "list" in field[2:]:
                    what.append(("dimension", "1"))
                unit = [self.element("annotation", [("class", "99"), ("value", u)])
                        for u in field[2:] if u.isupper()]
                of.append(self.element("field", what, unit))
            classes.append(self.element("class", [("id", str(number)), ("name", name)], of))
        tree = self.element("root", [], [self.element("metadata", [], classes)])
        out = self.n(5) + self.n(0) + self.n(1) + self.i(len(self.strings))
        for text in self.strings:
            out += self.text(text)
        self.metadata_at = self.record(0, out + tree)

    def pools(self, *pools):
        """Each (class, [(key, value)])."""
        before = self.pools_at
        at = 68 + len(self.body)
        out = self.n(6) + self.n(0) + self.n(before - at if before else 0) + b"\1"
        out += self.i(len(pools))
        for kind, values in pools:
            out += self.n(kind) + self.i(len(values))
            for key, value in values:
                out += self.n(key) + value
        self.pools_at = self.record(1, out)

    def data(self, whole=True):
        size = 68 + len(self.body) if whole else 0
        head = b"FLR\0" + struct.pack(">HHQQQQQQQI", 2, 1, size, self.pools_at if whole else 0,
                                      self.metadata_at if whole else 0, self.start_ns, 10 ** 9,
                                      500, self.ticks, int(self.packed))
        return head + self.body


GC_NAME, GC_CAUSE, OPERATION = 29, 30, 31
BOOL, BYTE, CHAR, INT, LONG, FLOAT, STRING = 4, 5, 6, 10, 11, 7, 20
CLASS, THREAD, SYMBOL, METHOD, KIND, FRAME, TRACE, STATE = 21, 22, 23, 24, 25, 26, 27, 28
SAMPLE, ALLOC, PARK, LOAD, SETTING, OTHER, NATIVE, HEAP = 101, 102, 103, 104, 105, 106, 107, 108
TLAB_IN, TLAB_OUT, MALLOC, FREE, WALL, CPU_TIME, TRACED = 109, 110, 111, 112, 113, 114, 115

COLLECTION, PAUSE, PAUSE1, CONCURRENT, SAFEPOINT, VM, THROW, ERROR = range(116, 124)
COMPILATION, FAILED, PINNED, CONCURRENT2 = 124, 125, 126, 127
CONFIG, DD_CPU, DD_WALL, DD_ALLOC = 128, 129, 130, 131

TYPES = [
    (BOOL, "boolean", []), (BYTE, "byte", []), (CHAR, "char", []), (INT, "int", []),
    (LONG, "long", []), (FLOAT, "float", []), (STRING, "java.lang.String", []),
    (CLASS, "java.lang.Class", [("modifiers", INT), ("name", SYMBOL, "pool")]),
    (THREAD, "java.lang.Thread", [("osName", STRING), ("osThreadId", LONG),
                                  ("javaName", STRING), ("javaThreadId", LONG)]),
    (SYMBOL, "jdk.types.Symbol", [("string", STRING)]),
    (METHOD, "jdk.types.Method", [("name", SYMBOL, "pool"), ("type", CLASS, "pool"),
                                  ("descriptor", SYMBOL, "pool")]),
    (KIND, "jdk.types.FrameType", [("description", STRING)]),
    (FRAME, "jdk.types.StackFrame", [("lineNumber", INT), ("method", METHOD, "pool"),
                                     ("type", KIND, "pool")]),
    (TRACE, "jdk.types.StackTrace", [("truncated", BOOL), ("frames", FRAME, "list")]),
    (STATE, "jdk.types.ThreadState", [("name", STRING)]),
    (SAMPLE, "jdk.ExecutionSample", [("startTime", LONG), ("state", STATE, "pool"),
                                     ("sampledThread", THREAD, "pool"),
                                     ("stackTrace", TRACE, "pool")]),
    (ALLOC, "jdk.ObjectAllocationSample", [("startTime", LONG), ("eventThread", THREAD, "pool"),
                                           ("stackTrace", TRACE, "pool"),
                                           ("objectClass", CLASS, "pool"), ("weight", LONG)]),
    (PARK, "jdk.ThreadPark", [("startTime", LONG), ("duration", LONG, "TICKS"),
                              ("eventThread", THREAD, "pool"), ("stackTrace", TRACE, "pool"),
                              ("parkedClass", CLASS, "pool")]),
    (LOAD, "jdk.CPULoad", [("startTime", LONG), ("jvmUser", FLOAT), ("jvmSystem", FLOAT),
                           ("machineTotal", FLOAT)]),
    (SETTING, "jdk.ActiveSetting", [("startTime", LONG), ("id", LONG), ("name", STRING),
                                    ("value", STRING)]),
    (OTHER, "jdk.Whatever", [("startTime", LONG), ("texts", STRING, "list")]),
    (HEAP, "jdk.GCHeapSummary", [("startTime", LONG), ("heapUsed", LONG)]),
    (TLAB_IN, "jdk.ObjectAllocationInNewTLAB", [
        ("startTime", LONG), ("eventThread", THREAD, "pool"), ("stackTrace", TRACE, "pool"),
        ("objectClass", CLASS, "pool"), ("allocationSize", LONG), ("tlabSize", LONG)]),
    (TLAB_OUT, "jdk.ObjectAllocationOutsideTLAB", [
        ("startTime", LONG), ("eventThread", THREAD, "pool"), ("stackTrace", TRACE, "pool"),
        ("objectClass", CLASS, "pool"), ("allocationSize", LONG)]),
    (MALLOC, "profiler.Malloc", [("startTime", LONG), ("eventThread", THREAD, "pool"),
                                 ("stackTrace", TRACE, "pool"), ("address", LONG),
                                 ("size", LONG)]),
    (FREE, "profiler.Free", [("startTime", LONG), ("eventThread", THREAD, "pool"),
                             ("stackTrace", TRACE, "pool"), ("address", LONG)]),
    (WALL, "profiler.WallClockSample", [("startTime", LONG), ("sampledThread", THREAD, "pool"),
                                        ("stackTrace", TRACE, "pool"),
                                        ("state", STATE, "pool"), ("samples", INT)]),
    (CPU_TIME, "jdk.CPUTimeSample", [
        ("startTime", LONG), ("stackTrace", TRACE, "pool"), ("eventThread", THREAD, "pool"),
        ("failed", BOOL), ("samplingPeriod", LONG, "NANOSECONDS"), ("biased", BOOL)]),
    (TRACED, "jdk.MethodTrace", [
        ("startTime", LONG), ("duration", LONG, "TICKS"), ("eventThread", THREAD, "pool"),
        ("stackTrace", TRACE, "pool"), ("method", METHOD, "pool")]),
]

MORE = TYPES + [
    (GC_NAME, "jdk.types.GCName", [("name", STRING)]),
    (GC_CAUSE, "jdk.types.GCCause", [("cause", STRING)]),
    (OPERATION, "jdk.types.VMOperationType", [("type", STRING)]),
    (COLLECTION, "jdk.GarbageCollection", [
        ("startTime", LONG), ("duration", LONG, "TICKS"), ("gcId", INT),
        ("name", GC_NAME, "pool"), ("cause", GC_CAUSE, "pool"),
        ("sumOfPauses", LONG, "TICKS"), ("longestPause", LONG, "TICKS")]),
] + [
    (kind, name, [("startTime", LONG), ("duration", LONG, "TICKS"),
                  ("eventThread", THREAD, "pool"), ("gcId", INT), ("name", STRING)])
    for kind, name in ((PAUSE, "jdk.GCPhasePause"), (PAUSE1, "jdk.GCPhasePauseLevel1"),
                       (CONCURRENT, "jdk.GCPhaseConcurrent"),
                       (CONCURRENT2, "jdk.GCPhaseConcurrentLevel2"))
] + [
    (SAFEPOINT, "jdk.SafepointBegin", [
        ("startTime", LONG), ("duration", LONG, "TICKS"), ("eventThread", THREAD, "pool"),
        ("safepointId", LONG)]),
    (VM, "jdk.ExecuteVMOperation", [
        ("startTime", LONG), ("duration", LONG, "TICKS"), ("eventThread", THREAD, "pool"),
        ("operation", OPERATION, "pool"), ("safepoint", BOOL)]),
    (COMPILATION, "jdk.Compilation", [
        ("startTime", LONG), ("duration", LONG, "TICKS"), ("eventThread", THREAD, "pool"),
        ("method", METHOD, "pool"), ("compileLevel", INT)]),
    (FAILED, "jdk.EvacuationFailed", [("startTime", LONG), ("gcId", INT)]),
    (PINNED, "jdk.VirtualThreadPinned", [
        ("startTime", LONG), ("duration", LONG, "TICKS"), ("eventThread", THREAD, "pool"),
        ("stackTrace", TRACE, "pool")]),
] + [
    (kind, name, [("startTime", LONG), ("duration", LONG, "TICKS"),
                  ("eventThread", THREAD, "pool"), ("stackTrace", TRACE, "pool"),
                  ("message", STRING), ("thrownClass", CLASS, "pool")])
    for kind, name in ((THROW, "jdk.JavaExceptionThrow"), (ERROR, "jdk.JavaErrorThrow"))
]

DATADOG = TYPES + [
    (CONFIG, "datadog.DatadogProfilerConfig", [
        ("startTime", LONG), ("duration", LONG, "TICKS"), ("eventThread", THREAD, "pool"),
        ("cpuInterval", LONG, "MILLISECONDS"), ("wallInterval", LONG, "MILLISECONDS")]),
    (DD_ALLOC, "datadog.ObjectSample", [
        ("startTime", LONG), ("eventThread", THREAD, "pool"), ("stackTrace", TRACE, "pool"),
        ("objectClass", CLASS, "pool"), ("size", LONG), ("weight", FLOAT), ("spanId", LONG)]),
] + [
    (kind, name, [("startTime", LONG), ("eventThread", THREAD, "pool"),
                  ("stackTrace", TRACE, "pool"), ("state", STATE, "pool"), ("weight", LONG),
                  ("spanId", LONG)])
    for kind, name in ((DD_CPU, "datadog.ExecutionSample"), (DD_WALL, "datadog.MethodSample"))
]


def pools(c):
    """Threads 1 main, 2 without a Java name; stacks 1 run > Tool.main, 2 read (native) > run >
    main > [truncated], 3 poll of libc.so.6 > Depot$Shelf.access$000 > main, 1 << 40 a function of
    no class."""
    c.pools((STRING, [(7, c.text("depot/Tool"))]),
            (THREAD, [(1, c.text("java") + c.n(70) + c.text("main") + c.n(1)),
                      (2, c.text("GC", 5) + c.n(71) + c.text(None) + c.n(0))]),
            (KIND, [(1, c.text("JIT compiled")), (2, c.text("Native"))]),
            (STATE, [(3, c.text("STATE_RUNNABLE")), (4, c.text("STATE_SLEEPING"))]))

    def frame(line, method, kind):
        return c.i(line) + c.n(method) + c.n(kind)
    c.pools((SYMBOL, [(1, c.text(7, 2)), (2, c.text("main", 4)), (3, c.text("run")),
                      (4, c.text("read")), (5, c.text("java/lang/String")), (6, c.text("")),
                      (8, c.text("libc.so.6")), (9, c.text("()L;")), (10, c.text("poll")),
                      (11, c.text("Depot$Shelf")), (12, c.text("access$000"))]),
            (CLASS, [(1, c.i(1) + c.n(1)), (2, c.i(1) + c.n(5)), (3, c.i(0) + c.n(6)),
                     (4, c.i(0) + c.n(8)), (5, c.i(1) + c.n(11))]),
            (METHOD, [(1, c.n(2) + c.n(1) + c.n(6)), (2, c.n(3) + c.n(1) + c.n(6)),
                      (3, c.n(4) + c.n(1) + c.n(6)), (4, c.n(4) + c.n(3) + c.n(6)),
                      (5, c.n(10) + c.n(4) + c.n(9)), (6, c.n(12) + c.n(5) + c.n(6))]),
            (TRACE, [(1, b"\0" + c.i(2) + frame(12, 2, 1) + frame(3, 1, 1)),
                     (2, b"\1" + c.i(3) + frame(0, 3, 2) + frame(14, 2, 1) + frame(3, 1, 1)),
                     (3, b"\0" + c.i(3) + frame(0, 5, 2) + frame(20, 6, 1) + frame(3, 1, 1)),
                     (1 << 40, b"\0" + c.i(1) + frame(0, 4, 1))]))


def events(c, more=True):
    """The clock has 1,000,000 ticks a second and begins at 500."""
    def sample(ticks, thread, stack):
        c.record(SAMPLE, c.n(ticks) + c.n(3) + c.n(thread) + c.n(stack))
    sample(600, 1, 1)           # 100 us: Tool.run
    sample(700, 1, 2)           # 200 us: Tool.read, native, truncated
    sample(650, 2, 1 << 40)     # 150 us, of GC 71: read, which has no class
    sample(800, 1, 0)           # no stack: [no stack]
    c.record(OTHER, c.n(800) + c.i(2) + c.text("a") + c.text("b"))
    if not more:
        return
    # 4,096 bytes of String in run; parked 250 ticks = 250 us in read, of Tool
    c.record(ALLOC, c.n(900) + c.n(1) + c.n(1) + c.n(2) + c.n(4096))
    c.record(PARK, c.n(900) + c.n(250) + c.n(1) + c.n(2) + c.n(1))
    c.record(LOAD, c.n(1000) + struct.pack(">fff", 0.25, 0.125, 0.5))
    c.record(HEAP, c.n(1100) + c.n(1 << 20))


def whole():
    """Two chunks: one packed, its tables behind its events, and one fixed, a second later, with
    async-profiler's interval of 5 ms."""
    first = Chunk()
    events(first)
    pools(first)
    first.metadata(TYPES)
    second = Chunk(packed=False, start_ns=2000000000)
    second.record(SETTING, second.n(500) + second.n(101) + second.text("interval") +
                  second.text("5000000"))
    events(second, False)
    pools(second)
    second.metadata(TYPES)
    return first.data() + second.data()


def unfinished():
    """A recording that goes on: its header says no places, and it is cut within an event."""
    c = Chunk()
    c.metadata(TYPES)
    pools(c)
    events(c, False)
    return c.data(whole=False)[:-3]


def setting(c, name, value):
    c.record(SETTING, c.n(500) + c.n(SAMPLE) + c.text(name) + c.text(value))


def execution(c, ticks, state, stack):
    c.record(SAMPLE, c.n(ticks) + c.n(state) + c.n(1) + c.n(stack))


def finished(c, types=TYPES):
    pools(c)
    c.metadata(types)
    return c.data()


def wall():
    """async-profiler that samples CPU (interval 0: 10 ms) and wall clock (20 ms) as
    ExecutionSample: main runs twice in run, sleeps five times in poll and once without a stack.
    cpu 2 x 10 ms, wall 8 x 20 ms, samples 8.

    Allocations: the first chunk has TLABs alone (1,000 in run, 300 outside of them in poll), the
    second one more (500 in run) and samples (2,048 in run): alloc 2,048, alloc-tlab 1,800.

    malloc(100) at 16 in run, malloc(40) at 16 in poll, free(16), free(16), free(16): the latest
    first, the third unmatched.  malloc(7) at 32 in run stays."""
    first, second = Chunk(), Chunk(start_ns=2000000000)
    setting(first, "interval", "0")
    setting(first, "wall", "20000000")
    for i, (state, stack) in enumerate([(3, 1), (4, 3), (4, 3), (3, 1), (4, 3), (4, 0)]):
        execution(first, 600 + 100 * i, state, stack)
    tlab = first.n(1) + first.n(1) + first.n(5)
    first.record(TLAB_IN, first.n(700) + tlab + first.n(24) + first.n(1000))
    first.record(TLAB_OUT, first.n(800) + first.n(1) + first.n(3) + first.n(5) + first.n(300))

    execution(second, 600, 4, 3)
    execution(second, 700, 4, 3)
    second.record(TLAB_IN, second.n(700) + tlab + second.n(24) + second.n(500))
    second.record(ALLOC, second.n(700) + tlab + second.n(2048))
    for ticks, stack, address, size in ((800, 1, 16, 100), (810, 3, 16, 40), (820, 1, 32, 7)):
        second.record(MALLOC, second.n(ticks) + second.n(1) + second.n(stack) +
                      second.n(address) + second.n(size))
    for ticks in (900, 910, 920):
        second.record(FREE, second.n(ticks) + second.n(1) + second.n(0) + second.n(16))
    return finished(first) + finished(second)


def wall_apart():
    """async-profiler 4: execution samples are of the CPU (1 ms each: 3 ms in run), those of the
    wall clock (5 ms each) are events of their own: 4 in run, 20 in poll."""
    c = Chunk()
    setting(c, "interval", "1000000")
    setting(c, "wall", "5000000")
    for i in range(3):
        execution(c, 600 + 100 * i, 3, 1)
    for ticks, stack, state, n in ((700, 1, 3, 4), (800, 3, 4, 20)):
        c.record(WALL, c.n(ticks) + c.n(1) + c.n(stack) + c.n(state) + c.i(n))
    return finished(c)


def datadog():
    """Datadog's profiler: 20 ms of CPU time a sample, 3 in run and 1 for two in poll: cpu 100 ms.
    100 ms of wall time, 1 in run and 1 for seven in poll: wall 800 ms.  2.5 objects of 100 bytes in
    run, 1 of 4,096 in poll: alloc 4,346, allocs 3 + 1, as they are rounded."""
    c = Chunk()
    for kind, ticks, stack, state, n in ((DD_CPU, 600, 1, 3, 1), (DD_WALL, 700, 1, 3, 1),
                                         (DD_CPU, 20600, 1, 3, 1), (DD_CPU, 40600, 3, 3, 2),
                                         (DD_CPU, 80600, 1, 3, 1), (DD_WALL, 90700, 3, 4, 7)):
        c.record(kind, c.n(ticks) + c.n(1) + c.n(stack) + c.n(state) + c.n(n) + c.n(0))
    for stack, size, weight in ((1, 100, 2.5), (3, 4096, 1)):
        c.record(DD_ALLOC, c.n(800) + c.n(1) + c.n(stack) + c.n(2) + c.n(size) +
                 struct.pack(">f", weight) + c.n(0))
    c.record(CONFIG, c.n(90800) + c.n(0) + c.n(1) + c.n(20) + c.n(100))
    return finished(c, DATADOG)


def period():
    """The JDK's own recorder samples every 20 ms: two samples in run are 40 ms."""
    c = Chunk()
    setting(c, "period", "20 ms")
    execution(c, 600, 3, 1)
    execution(c, 20600, 3, 1)
    return finished(c)


def cpu_time():
    """JDK 25: samples of executions (20 ms) and of CPU time (10 ms) are two estimates of the same:
    3 of main in run (execution 60 ms), one of them behind the first of CPU time; 4 of CPU time, 3
    in run and 1 in poll (cpu 40 ms, samples 4).  main was traced, 5 ms, and in it two calls of read
    by run, 750 us, so main itself took 4.25 ms; read was called once more, 100 us."""
    c = Chunk()
    setting(c, "period", "20 ms")
    execution(c, 600, 3, 1)
    execution(c, 20600, 3, 1)
    for ticks, stack in (700, 1), (10700, 1), (20700, 3), (30700, 1):
        c.record(CPU_TIME, c.n(ticks) + c.n(stack) + c.n(1) + b"\0" + c.n(10000000) + b"\0")
    execution(c, 40600, 3, 1)
    for ticks, long, stack, method in (650, 250, 1, 3), (1650, 500, 1, 3), (600, 5000, 0, 1), (6000, 100, 1, 3):
        c.record(TRACED, c.n(ticks) + c.n(long) + c.n(1) + c.n(stack) + c.n(method))
    return finished(c)


def collector():
    """The clock has 3 ticks a microsecond, so ends are not whole ns. In ticks after 500:

    10,000 to 40,000  G1Old, of which 3,000 are pauses: it runs beside the threads
      11,000 to 31,000  its phase Mark, and in that from 12,000 to 15,000 one without a name
      35,000 to 38,000  a pause of it
    20,000 to 23,001  G1New, all of it a pause; that ends in the same tick, and so does its phase
    19,000 to 20,000  a safepoint begins, 20,000 to 23,002 the operation G1Collect
    50,000 to 56,000  run is compiled; evacuation failed at 21,000
    run throws an error, which is also an exception, and an exception without a message; it is
    pinned for 300 ticks, 100 us, in read. The sample of main in run is 20 ms of cpu."""
    c = Chunk(ticks=3000000)
    setting(c, "period", "20 ms")
    execution(c, 600, 3, 1)
    for kind, at, long, name in ((CONCURRENT, 11000, 20000, "Mark"), (CONCURRENT2, 12000, 3000, None),
                                 (PAUSE, 35000, 3000, "Pause"), (PAUSE, 20000, 3001, "Pause"),
                                 (PAUSE1, 22000, 1001, "Evacuate")):
        c.record(kind, c.n(500 + at) + c.n(long) + c.n(2) + c.i(1) + c.text(name))
    for at, long, name, cause, pauses in ((10000, 30000, 1, 1, 3000), (20000, 3001, 2, 2, 3001)):
        c.record(COLLECTION, c.n(500 + at) + c.n(long) + c.i(1) + c.n(name) + c.n(cause) +
                 c.n(pauses) + c.n(pauses))
    c.record(SAFEPOINT, c.n(19500) + c.n(1000) + c.n(2) + c.n(1))
    c.record(VM, c.n(20500) + c.n(3002) + c.n(2) + c.n(1) + b"\1")
    c.record(COMPILATION, c.n(50500) + c.n(6000) + c.n(2) + c.n(2) + c.i(4))
    c.record(FAILED, c.n(21500) + c.i(1))
    c.record(PINNED, c.n(60500) + c.n(300) + c.n(1) + c.n(2))
    for kind, message, thrown in ((ERROR, "no", 1), (THROW, "no", 1), (THROW, None, 2)):
        c.record(kind, c.n(70500) + c.n(0) + c.n(1) + c.n(1) + c.text(message) + c.n(thrown))
    c.pools((GC_NAME, [(1, c.text("G1Old")), (2, c.text("G1New"))]),
            (GC_CAUSE, [(1, c.text("Full")), (2, c.text("Young"))]),
            (OPERATION, [(1, c.text("G1Collect"))]))
    return finished(c, MORE)


def others():
    """Two events of a kind that is not shown, and nothing else."""
    c = Chunk()
    for ticks in (800, 900):
        c.record(OTHER, c.n(ticks) + c.i(2) + c.text("a") + c.text("b"))
    return finished(c)


for name, data in (("jfr-chunks", whole()), ("jfr-cut", unfinished()), ("jfr-period", period()),
                   ("jfr-wall", wall()), ("jfr-wall-apart", wall_apart()), ("jfr-cpu-time", cpu_time()),
                   ("jfr-collector", collector()), ("jfr-others", others()),
                   ("jfr-datadog", datadog())):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "input.jfr"), "wb") as f:
        f.write(data)
