"""hour_runs.py FOLDER: profiles of two hosts, one every ten minutes from 22:00 to 02:00, each ten
seconds long.  The last one of each hour of host a ends in the next hour."""
import random
import sys

r = random.Random(7)
for host in "ab":
    for part in range(24):
        at = 1714600800 + 600 * part + (595 if part % 6 == 5 and host == "a" else r.randrange(500))
        with open("%s/%s.%02d" % (sys.argv[1], host, part), "w") as out:
            for i in range(40):
                out.write("p %d %.6f: %d cpu-clock:\n" % (i % 2, at + i * .25, r.randrange(1, 10 ** 7)))
                for k in range(r.randrange(1, 5)):
                    out.write("\t%d f%d+0x0 (/m)\n" % (1000 * k, r.randrange(9)))
                out.write("\t9000 main+0x0 (/m)\n\n")
