#!/usr/bin/env python3
"""host_runs.py FOLDER: profiles of two deployments, and the evidence of each function's change.

Writes NAME.HOST for v1 on five hosts, ten seconds each, and v2 on four, five seconds each: `slow`
takes a third more in v2, `same` the same, and `noisy` differs from host to host.  Prints a row for
each function: its value in v1, scaled to the host-seconds of v2, in v2, and the limits of the change.

The value for each second of a host is a ratio of two sums; its variance is that of the residuals
(Cochran, Sampling Techniques, 6.4), the limits are Welch's.
"""
import math, os, random, sys

def profile(path, seconds, shares, seed):
    """Writes samples of 1 ms; returns how many each function has, and the recorded seconds."""
    r = random.Random(seed)
    count = dict.fromkeys(shares, 0)
    times = []
    with open(path, "w") as out:
        for i in range(seconds * 1000):
            x = r.random()
            for name, share in shares.items():
                if x < share:
                    count[name] += 1
                    times.append(i)
                    out.write("p 1 %.6f: 1000000 cpu-clock:\n\t1000 %s+0x0 (/m)\n\t3000 main+0x0 (/m)\n\n"
                              % (100 + i / 1000, name))
                    break
                x -= share
    return count, (times[-1] - times[0]) / 1000

def student_limit(df):
    """The t that |t| exceeds once in twenty times: by Simpson's rule and bisection."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    def inside(t, n=2000):
        h = t / n
        f = lambda x: scale * (1 + x * x / df) ** (-(df + 1) / 2)
        return 2 * h / 3 * (f(0) + f(t) + sum((4 if i % 2 else 2) * f(i * h) for i in range(1, n)))
    low, high = 1, 100
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < 0.95 else (low, middle)
    return low

def main():
    folder, noise = sys.argv[1], (0.7, 1.3, 1.0, 1.25, 0.75)
    sides = []
    for version, hosts, seconds, slow in (1, 5, 10, 0.2), (2, 4, 5, 0.2667):
        sides.append([profile(os.path.join(folder, "v%d.h%d" % (version, i)), seconds,
                              {"same": 0.2, "noisy": 0.2 * noise[i], "slow": slow},
                              100 * version + i) for i in range(hosts)])
    target = sum(s for _, s in sides[1])
    for name in "same", "noisy", "slow":
        total, variance, each = [], 0, []
        for side in sides:
            n, hours = len(side), sum(s for _, s in side)
            rate = sum(c[name] for c, _ in side) / hours
            residual = sum((c[name] - rate * s) ** 2 for c, s in side)
            v = (target / hours) ** 2 * n / (n - 1) * residual
            total.append(rate * target)
            each.append((v, n))
        v = sum(v for v, _ in each)
        half = student_limit(v * v / sum(x * x / (n - 1) for x, n in each)) * math.sqrt(v)
        d = total[1] - total[0]
        print("%s %.0f %.0f %.0f %.0f" % ((name,) + tuple(1e6 * x for x in total + [d - half, d + half])))

main()
