#!/usr/bin/env python3
"""The true numbers of data/sample.perfscript.gz, for tests/golden/sample*.

Reads the recording with as little code as will do, adds up, compares what it got with
perf's own report of the same recording (perf-report.txt), and only then writes what pnav
is expected to say.  Not part of the build; run it in this folder after a new recording.
"""
import collections
import gzip
import re
import sys

MODULE_OF_KERNEL = "[kernel.kallsyms]"
GOLDEN = "../../tests/golden/"


def read_samples(path):
    """(thread, time in ns, period, [(symbol, file, module), leaf first]) of each sample"""
    samples, chain = [], None
    for line in gzip.open(path, "rt"):
        line = line.rstrip("\n")
        if line.startswith("\t"):
            symbol, module = re.match(r"\t *[0-9a-f]+ (.*) \((.*)\)$", line).groups()
            chain.append((re.sub(r"\+0x[0-9a-f]+$", "", symbol), "", module))
        elif line.startswith(" "):
            symbol, _, module = chain[-1]
            chain[-1] = (symbol, line.strip().rsplit(":", 1)[0], module)
        elif line:
            comm, tid, s, us, period = re.match(
                r"(\S+) +(\d+) +(\d+)\.(\d{6}): +(\d+) cpu-clock: *$", line).groups()
            chain = []
            samples.append((f"{comm} {tid}", int(s) * 10**9 + int(us) * 1000,
                            int(period), chain))
    return samples


def check_against_perf(samples):
    threads, symbols = collections.Counter(), collections.Counter()
    for thread, _, period, chain in samples:
        threads[thread] += period
        symbols[chain[0][2].split("/")[-1], chain[0][0]] += period
    for line in open("perf-report.txt"):
        if not line.strip() or line.startswith("#"):
            continue
        _, period, rest = line.split(None, 2)
        thread = re.match(r"(\d+):(\S+)\s*$", rest)
        if thread:
            threads[f"{thread[2]} {thread[1]}"] -= int(period)
        else:
            module, _, symbol = re.match(r"(\S+) +\[(.)\] (.*?)\s*$", rest).groups()
            symbols[module, symbol] -= int(period)
    wrong = [x for x in (threads | symbols).items() if x[1]]
    wrong += [x for x in (-threads | -symbols).items()]
    if wrong:
        sys.exit(f"perf report says otherwise: {wrong}")


def kind(symbol, module):
    if module == MODULE_OF_KERNEL:
        return "system"
    return "intrinsic" if symbol.startswith("__") or re.search("[@$]", symbol) else "user"


def write(path, head, rows):
    with open(GOLDEN + path, "w") as out:
        for row in [head.split(",")] + rows:
            out.write(",".join(map(str, row)) + "\n")


def sums(samples, key):
    own, total = collections.Counter(), collections.Counter()
    for _, _, period, chain in samples:
        own[key(chain[0])] += period
        for each in set(map(key, chain)):
            total[each] += period
    return sorted(((k, own[k], total[k]) for k in total), key=lambda r: (-r[1], r[0]))


def main():
    samples = read_samples("../sample.perfscript.gz")
    check_against_perf(samples)
    start = min(time for _, time, _, _ in samples)
    tracks = {}
    for thread, time, _, _ in samples:
        tracks.setdefault(thread, []).append(time - start)
    write("sample/tracks.csv", "track,kind,unit,start,end,events",
          [(t, "thread", "ns", min(x), max(x), len(x)) for t, x in tracks.items()])
    head = "function,file,line,module,kind,calls,self,total"
    write("sample/functions.csv", head,
          [(s, f, "", m, kind(s, m), "", own, total)
           for (s, f, m), own, total in sums(samples, lambda frame: frame)])
    write("sample-modules/functions.csv", head,
          [(m, "", "", m, "", "", own, total)
           for m, own, total in sums(samples, lambda frame: frame[2])])
    print(len(samples), "samples on", len(tracks), "threads; perf report agrees")


main()
