#!/usr/bin/env python3
"""Writes the inputs of the golden cases nsys-*: databases as nsys export writes them.

    tests/lib/encode_nsys.py FOLDER        FOLDER/nsys-NAME/input.sqlite

What the cases expect was reckoned from the rows below by hand."""
import os
import sqlite3
import sys

NAMES = {1: "cudaLaunchKernel", 2: "cudaMemcpy", 3: "write", 4: "step(int)", 5: "main", 6: "[Unknown]",
         7: "0x10", 8: "/srv/shop", 9: "sys_read", 10: "[kernel.kallsyms]", 11: "worker", 12: "load"}


def tid(pid, thread):
    return 1 << 48 | pid << 24 | thread


def gpu(db):
    db.executescript("""
CREATE TABLE ANALYSIS_DETAILS (globalVid INTEGER, duration INTEGER);
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
	globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
CREATE TABLE OSRT_API (own TEXT, nameId INTEGER, globalTid INTEGER, end INTEGER, start INTEGER);
CREATE TABLE PROFILER_OVERHEAD (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
	streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER,
	gridX INTEGER, gridY INTEGER, gridZ INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
	streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,
	bytes INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
	text TEXT, textId INTEGER, domainId INTEGER, category INTEGER, globalTid INTEGER);
CREATE TABLE COMPOSITE_EVENTS (id INTEGER NOT NULL PRIMARY KEY, start INTEGER, globalTid INTEGER,
	cpuCycles INTEGER);
CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, kernelMode INTEGER,
	stackDepth INTEGER);
CREATE TABLE SCHED_EVENTS (start INTEGER, cpu INTEGER, isSchedIn INTEGER, globalTid INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, deviceId INTEGER, bytes INTEGER,
	memoryOperationType INTEGER);
""")
    main, other = tid(40, 41), tid(40, 42)

    def rows(table, *values):
        for row in values:
            db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)

    rows("StringIds", *NAMES.items())
    rows("META_DATA_EXPORT", ("EXPORT_PRODUCT_VERSION", "2024.9"), ("OTHER", "secret"))
    rows("PROCESSES", (tid(40, 0), 40, "/srv/shop"))
    rows("ThreadNames", (11, 1, other))
    # main: a launch of 100 ns, in which the OS writes for 30; a copy of 500. Twice id 8: the
    # later one counts. A row whose end is text is skipped.
    rows("CUPTI_ACTIVITY_KIND_RUNTIME", (1000, 1100, 0, main, 7, 1), (2000, 2500, 0, main, 8, 2),
         (1900, 2600, 0, main, 8, 2), (1, "x", 0, main, 9, 2))
    rows("OSRT_API", ("?", 3, main, 1040, 1010))
    rows("PROFILER_OVERHEAD", (0, 9000, main, 3))
    rows("CUPTI_ACTIVITY_KIND_KERNEL", (1200, 1900, 0, 7, 7, tid(40, 0), 4, 2, 1, 1))
    rows("CUPTI_ACTIVITY_KIND_MEMCPY", (2100, 2400, 0, 7, 8, tid(40, 0), 4096, 1),
         (2400, 2500, 0, 9, 55, tid(40, 0), 10, 77))
    rows("CUPTI_ACTIVITY_KIND_MEMSET", (1, 2, 0, 5))  # has no streamId
    rows("NVTX_EVENTS", (1500, 1800, 59, "sort", None, 3, 6, other),
         (0, None, 75, "shop", None, 3, None, other), (0, None, 33, "io", None, 3, 6, other),
         # "load" of 100 ns, in it one of 40, and one of 70 that begins in the first
         (1600, 1700, 60, None, 12, 0, None, other), (1610, 1650, 60, None, 12, 0, None, other),
         (1680, 1750, 60, None, 12, 0, None, other), (1650, None, 34, "tick", None, 0, None, other),
         (3000, None, 70, "open", None, 0, None, other), (0, None, 99, None, None, 0, None, other))
    rows("COMPOSITE_EVENTS", (1, 1050, main, 500), (2, 2050, main, 700), (3, 2060, main, 1))
    rows("SAMPLING_CALLCHAINS", (2, 5, 8, 0, 1), (2, 9, 10, 1, 0), (1, 7, 6, 0, 0), (1, 5, 8, 0, 1))
    rows("SCHED_EVENTS", (2000, 1, 0, main), (900, 1, 1, main), (2000, 1, 1, other),
         (2600, 1, 0, other))
    rows("CUDA_GPU_MEMORY_USAGE_EVENTS", (1800, 0, 100, 0), (2000, 0, 60, 1), (1500, 0, 50, 0))


# 60 calls of 10 ns in pages of 512 bytes, of which the last is missing.
def cut(db):
    db.executescript("""
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT);
CREATE TABLE ANALYSIS_DETAILS (duration INTEGER);
CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER);
""")
    db.execute("INSERT INTO StringIds VALUES (1, 'write')")
    for i in range(60):
        db.execute("INSERT INTO OSRT_API VALUES (?, ?, ?, 1)", (i * 20, i * 20 + 10, tid(40, 41)))


def main():
    for name in ("gpu", "cut"):
        path = os.path.join(sys.argv[1], "nsys-" + name)
        os.makedirs(path, exist_ok=True)
        file = os.path.join(path, "input.sqlite")
        if os.path.exists(file):
            os.remove(file)
        db = sqlite3.connect(file)
        db.execute("PRAGMA page_size = 512")
        (gpu if name == "gpu" else cut)(db)
        db.commit()
        db.close()
        with open(file, "r+b") as f:
            f.seek(24)
            f.write(bytes([0, 0, 0, 1]))        # counters of changes, and SQLite's version
            f.seek(92)
            f.write(bytes([0, 0, 0, 1, 0, 0x2e, 0x8a, 0x11]))
            if name == "cut":
                f.truncate(os.path.getsize(file) - 512)


main()
