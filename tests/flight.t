#!/bin/sh
# record --ring: what it keeps, and when it writes.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
cd "$scratch" || exit 99
"$cc" -O1 -g -o phases "$top_srcdir/tests/data/phases.c" >cc.log 2>&1 ||
	skip_all "the test program cannot be built"
forbidden() { ! "$PNAV" record -o any.data true >out 2>err </dev/null && grep -q 'cannot be used\|can be used' err; }
forbidden && skip_all "$(tail -n 1 err)"

# share FUNCTION FILE: its part of the samples in both phases, in percent
share()
{
	"$PNAV" report --format csv --columns function,self "$2" 2>/dev/null | awk -F, -v want="$1" '
		$1 == "early" || $1 == "late" { all += $2 }
		$1 == want { n = $2 }
		END { printf "%d\n", all ? 100 * n / all : -1 }'
}
status() { [ "$(cat status)" = "$1" ]; }
records()
{
	"$PNAV" record "$@" >out 2>err </dev/null
	echo $? >status
}

# The program runs early() for a second, then late() for another.
records --ring 600ms -o failed.data ./phases 3
check "a failed command: its status" status 3
check "its last moments are written" [ "$(share late failed.data)" -ge 95 ]
check "and reported" grep -q 'failed.data: [0-9]* samples of the last 0.6 s: the command ended with status 3' err
records --ring 1.6s -o longer.data ./phases 3
check "a longer ring has both phases" [ "$(share early longer.data)" -ge 5 ]
records --ring 600ms -o good.data ./phases 0
check "a good end writes nothing" [ ! -e good.data ]
check "and says so" grep -q 'nothing was written' err

# A condition that begins with the second phase
records --ring 10s --trigger 'rss>100M' -o grown.data ./phases 0 200000000
check "a trigger writes" [ -s grown.data ]
check "when it begins to hold" [ "$(share early grown.data)" -ge 60 ]
check "one file while it holds" [ ! -e grown.data.2 ]
check "with the names of functions, also when the program is gone" sh -c 'mv phases away
	"$PNAV" report --limit 5 grown.data >out 2>err; grep -q early out && [ ! -s err ]
	status=$?; mv away phases; exit $status'
records --ring 1s --trigger 'rss>4G' -o never.data ./phases 0 200000000
check "a trigger that never holds writes nothing" [ ! -e never.data ]

# A signal, twice; a slow machine needs seconds for the first file
"$PNAV" record --ring 10s -o asked.data ./phases 0 0 6 >out 2>err </dev/null &
recorder=$!
for _ in $(seq 100); do
	grep -q late out && break
	sleep 0.05
done
kill -USR2 $recorder
for _ in $(seq 200); do
	grep -q 'asked.data: ' err && break
	sleep 0.05
done
kill -USR2 $recorder
wait $recorder
for _ in $(seq 200); do
	grep -q 'asked.data.2: ' err && break
	sleep 0.05
done
check "SIGUSR2 writes a file" [ "$(share early asked.data)" -ge 50 ]
check "and the next one another" [ "$(share early asked.data.2)" -ge 5 ]
check "no writer is left" sh -c 'sleep 0.2; ! ps ax 2>/dev/null | grep -v grep | grep -q "record --ring 10s -o asked"'

usage()
{
	records "$@"
	status 2 && [ "$(grep -c . err)" -eq 1 ]
}
check "--trigger without --ring" usage --trigger 'rss>1G' true
check "an unknown trigger" usage --ring 1s --trigger 'load>3' true
check "an unknown resource" usage --ring 1s --trigger 'psi luck>3' true
check "a process that has ended" usage --ring 1s --trigger 'rss -p 2147483000>1G' true
check "a size, too" usage --ring 1s --max-size 1M true
check "a stream" usage --ring 1s -o - true
tap_done
