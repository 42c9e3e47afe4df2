"""Samples depot.py by its lines, as py-spy does, and writes what speedscope reads:
python3 sample.py >depot.speedscope.json"""
import json
import os
import sys
import threading
import time

import depot

EVERY = 0.004


def stacks_of(thread, done):
    """What the thread runs, root first, as (function, file, line), until it is done."""
    seen = []
    while not done.wait(EVERY):
        frame = sys._current_frames().get(thread.ident)
        stack = []
        while frame:
            code = frame.f_code
            if os.path.basename(code.co_filename) != "threading.py":
                stack.append((code.co_name, os.path.basename(code.co_filename),
                              frame.f_lineno))
            frame = frame.f_back
        if stack:
            seen.append((time.perf_counter(), stack[::-1]))
    return seen


def profile(seen):
    frames, number = [], {}
    samples = []
    for _, stack in seen:
        for frame in stack:
            if frame not in number:
                number[frame] = len(frames)
                frames.append(dict(zip(("name", "file", "line"), frame)))
        samples.append([number[frame] for frame in stack])
    times = [t for t, _ in seen]
    weights = [round((b - a) * 1000000) for a, b in zip(times, times[1:])] + [0]
    return {"$schema": "https://www.speedscope.app/file-format-schema.json",
            "shared": {"frames": frames},
            "profiles": [{"type": "sampled", "name": "depot.py", "unit": "microseconds",
                          "startValue": 0, "endValue": sum(weights), "samples": samples,
                          "weights": weights}],
            "exporter": "sample.py"}


done = threading.Event()
work = threading.Thread(target=lambda: (depot.main(), done.set()))
work.start()
json.dump(profile(stacks_of(work, done)), sys.stdout, separators=(",", ":"))
