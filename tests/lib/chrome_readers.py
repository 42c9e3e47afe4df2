"""What other programs make of the CPU profiles in a trace that `pnav export --format chrome` wrote.

    chrome_readers.py firefox|speedscope FILE

Prints `NAME,NUMBER` a function: samples as the Firefox Profiler counts them, or nanoseconds as
speedscope and DevTools do.  Each reader is written from the rules of that program's importer
(firefox-devtools/profiler src/profile-logic/import/chrome.ts; jlfwong/speedscope
src/import/chrome.ts); what they cannot read ends with an assertion.
"""
import collections
import json
import sys


def events(path):
    with open(path, encoding="utf-8") as f:
        found = json.load(f)["traceEvents"]
    for e in found:
        assert isinstance(e, dict) and isinstance(e["name"], str)
    return found


def chunks(found, profile):
    for e in found:
        if (e["name"], e.get("id"), e["pid"]) == ("ProfileChunk", profile["id"], profile["pid"]):
            yield e["args"]["data"]


def firefox(found):
    """One thread of a pid and a tid; one table of frames of all threads, by id; samples that are
    less than 0.5 ms behind the one before are dropped."""
    frame, threads, counted = {}, {}, collections.Counter()
    for profile in (e for e in found if e["name"] == "Profile"):
        assert profile["ph"] == "P"
        thread = threads.setdefault((profile["pid"], profile["tid"]), {"taken": 0, "stack": {}})
        seen = profile["args"]["data"]["startTime"] / 1000
        for data in chunks(found, profile):
            for node in data["cpuProfile"].get("nodes", []):
                assert "parent" not in node or node["parent"] in thread["stack"], "parents first"
                thread["stack"][node["id"]] = True
                frame[node["id"]] = node["callFrame"]["functionName"]
            for node, delta in zip(data["cpuProfile"]["samples"], data["timeDeltas"]):
                assert node in thread["stack"], "a sample's node is known"
                seen += delta / 1000
                if seen - thread["taken"] >= 0.5:
                    thread["taken"] = seen
                    counted[frame[node]] += 1
    assert sorted(frame) == list(range(1, len(frame) + 1)), "the table of frames has no gaps"
    return counted


def speedscope(found):
    """A profile of an id; events in the order of ts; a sample lasts until the next one.  DevTools
    has a tree below the first node."""
    assert all(key in found[0] for key in ("pid", "tid", "ph", "cat")), "it is a timeline"
    profiles = {}
    for e in sorted(found, key=lambda e: e["ts"]):
        if e["name"] == "Profile":
            profiles[e["id"]] = {"nodes": [], "samples": [], "deltas": []}
        elif e["name"] == "ProfileChunk":
            to, data = profiles[e["id"]], e["args"]["data"]
            to["nodes"] += data["cpuProfile"].get("nodes", [])
            to["samples"] += data["cpuProfile"]["samples"]
            to["deltas"] += data["timeDeltas"]
    lasts = collections.Counter()
    for p in profiles.values():
        assert len(p["samples"]) == len(p["deltas"])
        # Perfetto reads whole numbers alone
        assert all(isinstance(d, int) and d >= 0 for d in p["deltas"])
        name = {n["id"]: n["callFrame"]["functionName"] for n in p["nodes"]}
        assert name[p["nodes"][0]["id"]] == "(root)"
        assert all("parent" in n for n in p["nodes"][1:])
        for node, delta in zip(p["samples"], p["deltas"][1:]):
            if name[node] not in ("(root)", "(idle)"):
                lasts[name[node]] += delta * 1000
    return lasts


def main():
    found = {"firefox": firefox, "speedscope": speedscope}[sys.argv[1]](events(sys.argv[2]))
    for name in sorted(found):
        if found[name] and name not in ("(root)", "(idle)"):
            print(f"{name},{found[name]}")


main()
