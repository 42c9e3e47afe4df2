#!/bin/sh
# The metric wall and the label parallelism: random profiles against another computation, exact to
# the nanosecond; perf's documented example; files and lenses that have no wall.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "there is no python3"
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$scratch" || exit 99

python3 "$top_srcdir/tests/lib/parallel.py" "$PNAV" . 0 "${PNAV_PROFILES:-24}" >out 2>&1
check "random profiles: the clock, ranges, tracks, labels, info" \
	sh -c 'grep -q "^[1-9][0-9]* profiles, .* [1-9][0-9]* cut, [1-9][0-9]* with means$" out &&
		! grep -v "^[1-9][0-9]* profiles, " out'

# one thread runs 9 s in foo, then 128 run 1 s in bar, as in perf's description of --latency
awk 'function sample(t, tid, f) {
		printf "main %d %d.%09d: 10000000 cpu-clock:\n\t401000 %s (/bin/x)\n\n", tid, \
			int(t / 100), t % 100 * 10000000, f
	}
	BEGIN {
		for (t = 0; t < 900; t++) sample(t, 1, "foo")
		for (; t < 1000; t++) for (k = 0; k < 128; k++) sample(t, 100 + k, "bar")
	}' >latency.txt
"$PNAV" report --metric wall --columns function,self --format csv latency.txt >shares 2>err
check "one thread for 9 s, then 128 for 1 s: 90 % and 10 %" \
	test "$(cat shares)" = "function,self
foo,9000000000
bar,1000000000"
"$PNAV" report --view info --format csv latency.txt >info 2>err
check "info says when one thread ran alone" grep -qx 'parallelism 1,90.09 %' info
check "... and how many on average" grep -qx 'parallelism,13.59' info
"$PNAV" --size 100x40 --keys 8 --snapshot latency.txt >screen 2>err
check "... and the view info, too" sh -c 'grep -q "parallelism 1  *90.09 %" screen && grep -q "parallelism 65-128  *9.91 %" screen'
"$PNAV" --size 100x24 --keys "1 L 'parallelism' Enter" --snapshot latency.txt >screen 2>err
check "L groups by parallelism" grep -q 'parallelism=128  *93.4 %' screen
"$PNAV" --size 100x24 --keys "1 L Down Enter" --snapshot latency.txt >screen 2>err
check "... or keeps what runs alone" sh -c 'grep -q "where parallelism:1" screen && ! grep -q "bar  93" screen'
check "a number means equality: parallelism:1 is not 128" \
	test "$("$PNAV" report --where parallelism:1 --format csv --columns self latency.txt 2>err)" = "self
9000000000"

# V8 says that it is idle by samples: of 1,000 us 250 in draw and 50 in (program)
idle=$top_srcdir/tests/golden/cpuprofile-idle/input.cpuprofile
"$PNAV" report --view info --format csv "$idle" >info 2>err
check "an idle process does not run" grep -qx 'parallelism 0,70.00 %' info
"$PNAV" report --where parallelism:1 --columns function,self --format csv "$idle" >alone 2>err
check "... nor alone" test "$(cat alone)" = "function,self
draw,250000
(program),50000"
"$PNAV" report --view answers --columns answer,text --format csv "$idle" >answers 2>err
check "... says the answer, too" grep -q '^serial,"the only thread runs for 30 % of the time, 83 % of it in draw' answers

printf 'main;a 3\n' >totals
"$PNAV" report --metric wall totals >out 2>err
check "a file without times has no wall" sh -c 'test $? = 0; grep -q "no metric .wall.: choose from samples" err'
check "... and does not offer it" sh -c '! "$PNAV" report --view info totals | grep -q computed'
"$PNAV" report --why main --metric wall "$top_srcdir/tests/golden/ftrace-states/input.txt" >out 2>err
check "a path has none either" grep -q "choose from time" err
tap_done
