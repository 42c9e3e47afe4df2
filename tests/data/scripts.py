# Uses CPU time in known shares, line by line: 1/2, 3/10, 1/5.  Says so when it has ended, with the
# nanoseconds of each line by the thread's own clock.
import sys
from time import thread_time_ns as now

spent = {}


def burn(ns):
    end = now() + ns
    while now() < end:
        pass


def inner(key, ns):
    begin = now()
    burn(ns)
    spent[key] = spent.get(key, 0) + now() - begin
    return 0


class Shape:
    def area(self, ns):
        inner("half", ns * 5)  # half
        inner("three", ns * 3)  # three tenths
        sorted([ns], key=self.fifth)  # a fifth, called by C

    def fifth(self, ns):
        return inner("two", ns * 2)


def main(ms):
    seed = 1
    while sum(spent.values()) < ms * 1000000:
        seed = seed * 1103515245 + 12345 & 0x7FFFFFFF
        Shape().area(100000 + seed % 400000)  # no period of its own


if sys.argv[1] == "wait":
    print("ready", flush=True)
    sorted([0], key=lambda _: sys.stdin.read())  # waits
else:
    main(int(sys.argv[1]))
    print(spent["half"], spent["three"], spent["two"])
