#!/bin/sh
# pnav top without an end: what is older than --keep is let go.  The next part begins with exactly
# the end of the one before, names included; what the user has chosen stays; memory is bounded, and
# nothing is left of a browser or recorder that was killed.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ "$(id -u)" -eq 0 ] || skip_all "only root may sample the system"
. "$top_srcdir/tests/lib/mux.sh"
busy=
trap '$mux kill-server 2>/dev/null; [ -n "$busy" ] && kill $busy 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
# Freed memory comes back at once, as without sanitizers.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0:thread_local_quarantine_size_kb=0
export ASAN_OPTIONS
cp "$(command -v sh)" topbusy
# A CPU for a program, and short processes that come and go with it.
./topbusy -c 'while :; do i=0; while [ $i -lt 3000 ]; do i=$((i + 1)); done; /bin/true; done' &
busy=$!

# ---- the parts ----
mkdir parts
"$top_builddir/tests/lib/rolls" 1000 3 parts -q -g -F 199 -o - -a -e cpu-clock --exclude-idle \
	--usage 2>said || skip_all "nothing can be sampled here: $(tail -n 1 said)"
for i in 1 2 3; do
	"$PNAV" sql --format csv "SELECT s.time, t.name, s.metric, s.value, stack_path(s.stack),
		label(s.labels, 'comm'), label(s.labels, 'pid'), label(s.labels, 'tid'),
		label(s.labels, 'user'), label(s.labels, 'container')
		FROM samples AS s JOIN tracks AS t ON t.id = s.track" parts/$i >rows$i 2>err ||
		{ not_ok "part $i is a recording" err; tap_done; exit; }
done
# overlaps A B: the rows of B begin with the last ones of A, times from the first of them.  Records
# of other CPUs may still come for the last moments of A.
overlaps()
{
	python3 - "$1" "$2" <<'END'
import csv, sys
def rows(name):
    return sorted((int(r[0]), r[1:]) for r in list(csv.reader(open(name)))[1:])
a, b = rows(sys.argv[1]), rows(sys.argv[2])
a = [r for r in a if r[0] <= a[-1][0] - 100_000_000]
for k in range(len(a)):
    rest, first = a[k:], a[k][0]
    if a[k - 1][0] == first or len(rest) > len(b):
        continue
    if [(t - first, r) for t, r in rest] == b[:len(rest)]:
        spans = (rest[-1][0] - first) / 1e9
        print(f"# {len(rest)} of {len(a)} rows, {spans:.2f} s, begin the {len(b)} of the next")
        sys.exit(not 0.7 < spans < 1.3)
sys.exit(1)
END
}
if command -v python3 >/dev/null 2>&1; then
	check "the second part begins with the last second of the first" overlaps rows1 rows2
	check "and the third with that of the second" overlaps rows2 rows3
else
	skip "parts overlap" "no python3"
fi
check "a program has its names in the third" grep -q ",topbusy,.*$(id -un)" rows3

# ---- the browser ----
usage()
{
	"$PNAV" top "$@" >out 2>err
	[ $? -eq 2 ] && [ "$(grep -c . err)" -eq 1 ]
}
check "a time shorter than the window is refused" usage -w 10s --keep 5s
check "and a text" usage --keep long

mux_start 150 50
row() { $mux capture-pane -p -t t | grep -n '^> ' | cut -d : -f 1; }
send "clear; $PNAV top -w 1s --keep 1500ms -F 199; echo st\"\"atus \$?" Enter
expect "the groups" " comm=topbusy"
send "/=comm=topbusy" Enter
expect_like "one is selected" "^> .*comm=topbusy "
send Right M a C-u "a busy program" Enter
expect_like "and open" "^> .*▾ .?comm=topbusy "
browser=$(pgrep -f "^$PNAV top -w 1s" | head -n 1)
recorder=$(pgrep -P "$browser")
expect "then earlier data is let go" "earlier data let go"
expect_like "the selection stays, and what is open" "^> .*▾ .?comm=topbusy "
send M
expect "and a mark" "a busy program"
# How much memory it has, twice a second: beside many programs the last seconds have more records
# than at first.
while awk '/^VmRSS/ { print $2 }' /proc/$browser/status 2>/dev/null; do
	sleep 0.5
done >"$scratch/memory" &
sleep 4 # several parts come and go under what is open
expect "a menu stays open meanwhile" "a new mark here"
send Escape
expect_like "after which all is as before" "^> .*▾ .?comm=topbusy "
send W C-u 500ms Enter
expect "a shorter window" "last 500.000 ms"
send 3
expect "another view" "[3 functions]"
send ">"
sleep 1
sorted=$($mux capture-pane -p -t t | grep -o '[A-Za-z%]* *▾' | head -n 1)
sleep 3
expect "its order stays" "${sorted:-?}"
send u
expect "and the way back" "last 1.000 s"
check "the memory is bounded" awk '{ kb[NR] = $1 }
	END {
		for (i = 1; i <= NR; i++)
			most[i > NR / 2] = kb[i] > most[i > NR / 2] ? kb[i] : most[i > NR / 2]
		printf "# browser: %d kB, then %d kB\n", most[0], most[1]
		exit NR < 10 || most[1] > most[0] * 3 / 2
	}' "$scratch/memory"
send ":range 100ms 300ms" Enter
expect "a range that does not slide" "100.000 ms … 300.000 ms"
expect "holds its data when that would be let go" "PAUSED"
expect "and says how to go on" "W shows the last seconds"
sleep 3
expect "for as long as it is wanted" "100.000 ms … 300.000 ms"
send W C-u 1s Enter
expect "then the last seconds are shown" "LIVE"
send p
expect "a paused picture" "PAUSED"
sleep 4
expect "stays" "PAUSED"
send p
expect "and goes on" "LIVE"
send Q
expect "it ends" "status 0"

# ---- what is left ----
# gone_by_itself PID: the process ends within five seconds
gone_by_itself()
{
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -e /proc/$1 ] || return 0
		[ "$(cut -d ' ' -f 3 /proc/$1/stat 2>/dev/null)" = Z ] && return 0
		sleep 0.5
	done
	return 1
}
check "the recorder has ended" gone_by_itself $recorder
# begins: starts another one, whose group is on its screen
begins()
{
	rm -f painted
	TERM=xterm "$top_builddir/tests/lib/pty" -s 150x40 -t 60 "$PNAV" top -w 1s --keep 1s -F 199 \
		>painted 2>err &
	pty=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		grep -aq topbusy painted 2>null && break
		sleep 0.5
	done
	browser=$(pgrep -P $pty)
	recorder=$(pgrep -P "${browser:-0}")
	echo "# browser ${browser:-none}, recorder ${recorder:-none}"
}
for wait in 0 1.3 2.9; do
	begins
	sleep $wait
	kill -KILL $browser
	check "a browser is killed after $wait s: its recorder ends" gone_by_itself $recorder
	wait $pty 2>/dev/null
done
send "clear; $PNAV top -w 1s --keep 1s; echo st\"\"atus \$?" Enter
expect "one whose recorder is killed" " comm="
browser=$(pgrep -f "^$PNAV top -w 1s" | head -n 1)
kill -KILL $(pgrep -P "$browser")
check "is not live any more" gone LIVE
send Q
expect_like "and ends, perhaps within a record" "status [03]"
ls -A >files
check "no file is left" sh -c '! grep -vE "^(topbusy|parts|rows[123]|memory|said|err|out|files|screen|painted|null|tmux.*|[.]check)$" files'
tap_done
