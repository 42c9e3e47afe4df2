#!/bin/sh
# Profiles that grow while they are looked at: a file with --follow, and a pipe that feeds
# slowly, in a real terminal.  The selection stays where it is, p holds the picture, Esc
# ends the reading.  Nothing here is timed: what is waited for comes, or the test fails.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

. "$top_srcdir/tests/lib/mux.sh"
feeder=
trap '$mux kill-server 2>/dev/null; [ -n "$feeder" ] && kill $feeder 2>/dev/null; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
# Freed memory comes back at once, as without sanitizers: memory kept beside the profile's
# back is then found out.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=0:thread_local_quarantine_size_kb=0
export ASAN_OPTIONS

# row TEXT: the line of the screen where the cursor is at TEXT
row()
{
	$mux capture-pane -p -t t | grep -n "^>.* $1\$" | cut -d : -f 1
}

# lacks_now TEXT: the screen that was waited for last does not hold it
lacks_now()
{
	if grep -q " $1\$" "$scratch/screen"; then
		not_ok "$1 is not on it" "$scratch/screen"
	else
		ok "$1 is not on it"
	fi
}

mux_start

# ---- a file that grows ----
# Twenty functions of 100, 99, ... samples; the tenth is selected, in the middle.
i=0
while [ $i -lt 20 ]; do
	echo "main;f$i $((100 - i))"
	i=$((i + 1))
done >grow.folded
send "clear; $PNAV --follow grow.folded; echo st\"\"atus \$?" Enter
expect "a followed file is shown, and that there may be more" "LIVE"
send 3 j j j j j j j j j
expect_like "the tenth function" "^> *91 .* f9$"
before=$(row f9)
# Three lines that will be above it.
printf 'main;new1 1000\nmain;new2 900\nmain;new3 800\n' >>grow.folded
expect_like "what is written meanwhile is counted" "^> *91 *2\.0. .* f9$"
expect_like "the selection is what it was" "^> *91 .* f9$"
if [ -n "$before" ] && [ "$(row f9)" = "$before" ]; then
	ok "on the same line of the screen"
else
	$mux capture-pane -p -t t >screen
	echo "it was on line $before" >>screen
	not_ok "on the same line of the screen" screen
fi
send p
expect "p holds the picture" "PAUSED"
printf 'main;covert 5000\n' >>grow.folded
expect "while more is read" "24 events · 25 functions"
$mux capture-pane -p -t t >screen
if grep -q " covert" screen; then
	not_ok "and not shown" screen
else
	ok "and not shown"
fi
send p
expect_like "p goes on" "^> *91 *0\.96 .* f9$"
expect "and says so" "LIVE"
send g
expect_like "what came meanwhile is on top" "^> *5,000 .* covert$"
send Escape
expect "Esc ends the reading" "loading stops"
printf 'main;late 1\n' >>grow.folded
send g G
expect_like "what was read stays, what comes later does not" "^> *0 .* main$"
$mux capture-pane -p -t t >screen
if grep -q "LIVE\|late" screen; then
	not_ok "the header no longer promises more" screen
else
	ok "the header no longer promises more"
fi
send Q
expect "stopped is no damage" "status 0"

# ---- the last seconds of a file that grows ----
# sample SECOND FUNCTION: a sample of one thread
sample()
{
	printf 'prog 1/2 [000] %s.000000:     250000 cycles: \n' "$1"
	printf '\t          400100 %s+0x1 (/bin/p)\n\t          400000 main+0x1 (/bin/p)\n\n' "$2"
}
{ sample 100 early; sample 101 early; sample 103 middle; } >grow.perf.txt
send "clear; $PNAV --follow --view functions grow.perf.txt; echo st\"\"atus \$?" Enter
expect "what grows names the key for its last seconds" "W last seconds"
send W 1.5s Enter
expect "a window at the end" "last 1.500 s: 1.500 s … 3.000 s"
expect_like "with what ran there" " 100\.00 .* middle$"
lacks_now "early"
{ sample 105 later; sample 106 later; } >>grow.perf.txt
expect "it slides with what is read" "last 1.500 s: 4.500 s … 6.000 s (1.500 s, 25.0 %)"
expect_like "with the numbers" "^[> ] *500,000 100\.00 .* later$"
send p
expect "p holds it" "PAUSED"
sample 120 last >>grow.perf.txt
expect "while more is read" "20.000 s · 6 events"
expect "where it was" "last 1.500 s: 4.500 s … 6.000 s"
send 5
expect "and the timeline, too" "← 1.500 s →"
send Tab
expect_like "the scrubber names filters and tracks beside it" "p go on .*filter .*tracks "
send Tab q
send p
expect "then it is at the end again" "last 1.500 s: 18.500 s … 20.000 s"
lacks_now "later"
send ":last" Enter
expect "without it all is there" "whole run"
expect_like "what came first, too" " early$"
send Q
expect "a window ends with its browser" "status 0"

# ---- a pipe that feeds slowly ----
mkfifo pipe
send "clear; $PNAV - <pipe; echo st\"\"atus \$?" Enter
sh -c 'exec >pipe; echo "main;a 5"; while [ ! -f go1 ]; do sleep 0.1; done
	echo "main;b 7"; while [ ! -f go2 ]; do sleep 0.1; done; echo "main;c 11"' &
feeder=$!
expect "the first line of a pipe is on the screen before there is a second" "total 5 100.0 %"
expect "a pipe is live" "LIVE"
send 2
: >go1
expect_like "the next line changes the numbers" "^> *12 *100\.0 "
send p
expect "held" "PAUSED"
: >go2
wait $feeder
feeder=
expect_like "a held picture stays when the writer ends" "^> *12 *100\.0 "
send p
expect_like "and then shows all" "^> *23 *100\.0 "
$mux capture-pane -p -t t >screen
if grep -q "LIVE\|PAUSED" screen; then
	not_ok "what has ended is not live" screen
else
	ok "what has ended is not live"
fi
send Q
expect "the end is the end" "status 0"

# ---- a trace that grows under the timeline ----
# Each burst brings new stacks, faster than numbers are made anew.
burst()
{
	awk -v from="$1" -v n="$2" 'BEGIN {
		for (k = from; k < from + n; k++) {
			printf "prog 1/2 [000] %.6f:     250000 cycles: \n", 1 + k / 10000
			for (d = 0; d <= k % 9; d++)
				printf "\t          %x f%d_%d+0x1 (/bin/p)\n", 4198400 + k * 16 + d, k, d
			printf "\t          400000 main+0x1 (/bin/p)\n\n"
		}
	}'
}
rm -f pipe
mkfifo pipe
send "clear; $PNAV - <pipe; echo st\"\"atus \$?" Enter
(
	exec >pipe
	burst 0 2
	while [ ! -f shown ]; do sleep 0.1; done
	n=2
	while [ $n -lt 3000 ] && [ ! -f enough ]; do
		burst $n 5
		sleep 0.06
		burst $((n + 5)) 60
		sleep 0.02
		n=$((n + 65))
	done
	echo "prog 1/2 [000] 2.000000:     250000 cycles: "
	printf '\t          400000 last+0x1 (/bin/p)\n\n'
) &
feeder=$!
expect "the first samples" "2 events"
: >shown
for key in 5 G w . 3 5 . , 1 5 G . 6 5 w . 2 5 g . 3 5; do
	send $key
	sleep 0.1
done
: >enough
wait $feeder
feeder=
send 3 / "=last" Enter
expect "keys in the timeline of a trace that grows" "1 match"
send Q
expect "and the program lives to its end" "status 0"

# ---- a trace whose slices are written when they end ----
# What is called is there before what calls it, which then goes around it.
event()
{
	printf '{"ph":"%s","pid":1,"tid":1,"ts":%s,"dur":%s,"name":"%s"},\n' "$@"
}
{
	echo '['
	event X 10 5 inner
	event X 20 5 inner
} >grow.json
send "clear; $PNAV --follow grow.json; echo st\"\"atus \$?" Enter
expect "slices are shown before the array is closed" "2 events"
send 2
expect_like "each by itself" "^[> ] *10\.0 µs .* inner$"
send 5 , .
event X 8 20 outer >>grow.json
expect "what calls them comes" "3 events"
send 2 g
expect_like "and stands around them" "^[> ] *20\.0 µs .* outer$"
event B 40 0 open >>grow.json
event X 45 5 inner >>grow.json
send /open Enter
expect_like "what has begun lasts as long as anything is known" "^[> ] *10\.0 µs .* \*open$"
event E 70 0 open >>grow.json
expect_like "until its end is there" "^[> ] *30\.0 µs .* \*open$"
printf '{"ph":"X","pid":%s,"tid":%s,"ts":50,"dur":5,"name":"beside"},\n' 1 2 2 3 >>grow.json
send 5
expect "a process has a second thread" "▾ process 1"
send -
expect "- folds it" "▸ process 1 · 2 tracks"
event X 75 5 inner >>grow.json
expect "more comes" "72.000 µs"
expect "and it stays so" "▸ process 1 · 2 tracks"
send Q
expect "the array needs no end" "status 0"

# ---- a command that is recorded ----
if printf 'int main(void) { for (volatile long i = 0; i < 300000000; i++) ; }\n' >spin.c &&
	cc -O1 -o spin spin.c 2>/dev/null && "$PNAV" record -o try.data true 2>/dev/null; then
	send "clear; $PNAV record ./spin; echo st\"\"atus \$?" Enter
	expect "a recording has the name of its file" "pnav  perf.data"
	expect "its end is told" "./spin ended with status 0: "
	send Y
	expect "Y names the file" "perf.data   ("
	send Q
	expect "and what was recorded is said again" " samples, sampled by "
else
	skip "a recording" "nothing can be sampled here"
fi

# ---- a server that never answers ----
cat >deaf.py <<'END'
import os, socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(8)
print(s.getsockname()[1], file=open("port.part", "w"))
os.rename("port.part", "port")
kept = []
while True:
    kept.append(s.accept())
END
if [ -f perf.data ] && command -v python3 >/dev/null 2>&1 &&
	"$PNAV" formats --format json | grep -q '"elfutils"' &&
	ldconfig -p 2>/dev/null | grep -q libdebuginfod.so.1; then
	python3 deaf.py &
	feeder=$!
	while [ ! -f port ] && kill -0 $feeder 2>/dev/null; do sleep 0.05; done
	rm spin
	send "clear; DEBUGINFOD_CACHE_PATH=$scratch/asked DEBUGINFOD_URLS=http://127.0.0.1:$(cat port) \
$PNAV --debuginfod perf.data; echo st\"\"atus \$?" Enter
	expect "a server that is asked holds nobody" "the file is loading"
	send Escape
	expect "Esc ends the question" "loading stops"
	expect "and what ran has no name" "all   self 0 ns"
	send Q
	expect "stopped is no damage" "status 0"
	kill $feeder
	feeder=
else
	skip "a server that never answers" "there is no libdebuginfod, no python3, or no recording"
fi
# ---- a followed file that is truncated, removed, or replaced ----
for what in truncated removed replaced; do
	cp shop.folded "$what.folded" 2>/dev/null || printf 'main;a 3\nmain;b 4\n' >"$what.folded"
	send "clear; $PNAV --follow $what.folded; echo st\"\"atus \$?" Enter
	expect "$what: it is followed" "LIVE"
	case $what in
	truncated) : >"$what.folded" ;;
	removed) rm "$what.folded" ;;
	replaced) printf 'main;c 9\n' >new.folded && mv new.folded "$what.folded" ;;
	esac
	expect "$what: the header says that it is damaged" "damaged"
	send 8
	expect "$what: info says why" "the file was $([ $what = truncated ] && echo truncated || echo removed)"
	send Q
	expect "$what: so does the exit status" "status 3"
done

tap_done
