#!/usr/bin/env python3
"""Writes the inputs of the golden cases lprof-*, with Python's own pickle module.

    tests/lib/encode_lprof.py FOLDER        FOLDER/lprof-NAME/input.lprof

What the cases expect was reckoned from the numbers below by hand."""
import os
import pickle
import sys
import types


def line_stats(module):
    """The class as line_profiler has it, in a module of that name."""
    cls = type("LineStats", (object,), {"__module__": module})
    for i in range(module.count(".") + 1):
        name = ".".join(module.split(".")[:i + 1])
        sys.modules[name] = types.ModuleType(name)
    sys.modules[module].LineStats = cls
    return cls


class Evil:
    def __reduce__(self):
        return (os.system, ("true",))


def data(module, protocol, unit, timings):
    stats = line_stats(module)()
    stats.timings = timings
    stats.unit = unit
    return pickle.dumps(stats, protocol)


def write(name, bytes_):
    path = os.path.join(sys.argv[1], "lprof-" + name)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "input.lprof"), "wb") as out:
        out.write(bytes_)


FILE = "/srv/app.py"
timings = {
    (FILE, 10, "total"): [(11, 1, 5000), (12, 101, 40000), (13, 100, 3000000000)],
    (FILE, 20, "K.unused"): [],
    (FILE, 30, "main"): [(31, 1, 3000050000), (33, 2, 7)],
    ("/srv/caf\u00e9.py", 1, "<lambda>"): [(1, 70000, 2 ** 33)],
}
write("lines", data("line_profiler._line_profiler", 5, 1e-9, timings))
# microseconds, and a module as before version 3; a clock of Windows, 3.5 MHz
write("old", data("_line_profiler", 2, 1e-6, timings))
write("text", data("line_profiler.line_profiler", 0, 1 / 3500000, timings))
write("cut", data("line_profiler._line_profiler", 4, 1e-9, timings)[:-60])
write("refused", data("line_profiler._line_profiler", 4, 1e-9, {(FILE, 1, "f"): Evil()}))
write("odd", data("line_profiler._line_profiler", 3, 1e-9, {(FILE, 1, "f"): [(1, 2)]}))
