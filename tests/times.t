#!/bin/sh
# Times as far apart as they can be, and as late: every view, export and key gives the whole
# sum, or says why it cannot.  Arithmetic that wraps is seen by a build with sanitizers
# (--enable-sanitizers), which ends there; any other build proves the sums alone.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C.UTF-8
XDG_CONFIG_HOME=/nonexistent
export LC_ALL XDG_CONFIG_HOME
cd "$scratch" || exit 99

# sample TIME FUNCTION: one that weighs 1 ns
sample()
{
	printf 'p 1/1 [000] %s: 1 cpu-clock: \n\tff %s+0x0 (/bin/x)\n\n' "$1" "$2"
}
last=9223372036.854775807 # 2^63 - 1 ns
{ sample 0.0 f; sample 4611686018.427387903 g; sample $last h; } >whole.perfscript
{ sample $last f; sample 0.0 g; } >turned.perfscript
{ sample 9223372036.854775806 f; sample $last g; } >late.perfscript
{ sample 0.000000001 f; sample $last g; } >nearly.perfscript

# Spans, counters, states and marks; Trace Event times are at most a quarter of the range.
cat >spans.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":-2305843009213693,"dur":2305843009213690,"name":"before"},
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":2305843009213692,"name":"behind"},
{"ph":"C","pid":1,"tid":1,"ts":-2305843009213693,"name":"count","args":{"n":-9223372036854775808}},
{"ph":"C","pid":1,"tid":1,"ts":2305843009213690,"name":"count","args":{"n":9223372036854775807}},
{"ph":"i","pid":1,"tid":1,"ts":-2305843009213692,"name":"mark"},
{"ph":"i","pid":1,"tid":1,"ts":2305843009213692,"name":"mark"}]
END
cat >calls.ftrace <<'END'
# tracer: function_graph
#
 9223372036.854775806 |   0)               |  outer() {
 9223372036.854775807 |   0) 9223372036854775.807 us |    inner();
 9223372036.854775807 |   0) 9223372036854775.807 us |  }
END
{
	echo '# tracer: function_graph'
	echo '#'
	echo ' 0) 9223372036854775.807 us |  one();'
	echo ' 0) 9223372036854775.807 us |  two();'
	echo ' 0)               |  three() {'
	echo ' 0) 9223372036854775.807 us |  }'
} >clock.ftrace
# Counts whose sums pass what a number holds.
cat >arcs.callgrind <<'END'
events: Ns
fn=(1) main
1 9223372036854775000
cfn=(2) f
calls=9223372036854775807 1
1 100
cfn=(2)
calls=9223372036854775807 1
1 100
fn=(2)
1 200
END

# From the first moment of all, -2^63, on.
cat >least.txt <<'END'
* INFO %TOTAL_TIME%
9223372036854775806
* CONTEXTS %NAME%,%HANDLE%
ID_TASK_1MS,0x0
* HANDLE(Functions) %HANDLE%,%NAME%,%VALUE%
00000000,f,
10000000,{,51
00000001,g,
10000001,{,6
* HANDLE(Data) %HANDLE%,%NAME%,%VALUE%
20000000,count,
* TIMELINE %HANDLE%,%EVENT%,%VALUE%,%TIME%
00000000,E,,-9223372036854775808
20000000,W,00000001,-9223372036854775808
00000001,E,,-9223372036854775807
00000001,X,,-9223372036854775806
00000000,R,,-9223372036854775806
20000000,W,00000005,-3
00000000,X,,-2
END

# nothing wraps: exit statuses of pnav's own, and no word of a sanitizer
sound()
{
	timeout 60 "$PNAV" "$@" >out 2>err </dev/null
	got=$?
	case $got in
	0 | 1 | 2 | 3) ! grep -q 'runtime error\|Sanitizer' err && return ;;
	esac
	printf '%s: status %s\n' "$*" "$got" >>bad
	cat err >>bad
}

# all_sound PROMISE: none of the runs before was bad
all_sound()
{
	if [ -s bad ]; then
		not_ok "$1" bad
	else
		ok "$1"
	fi
	: >bad
}
: >bad

# ---- sums: what the file says is what the report has ----
# functions FILE [OPTION...]: the names with their selves
functions()
{
	file=$1
	shift
	"$PNAV" report --format csv --columns self,function "$@" "$file" 2>err |
		sed 1d | sort | tr '\n' ' '
}

# gives PROMISE WANTED FILE [OPTION...]
gives()
{
	promise=$1 wanted=$2
	shift 2
	got=$(functions "$@")
	if [ "$got" = "$wanted" ] && ! grep -v 'warning: 1 time goes backwards' err; then
		ok "$promise"
	else
		{ echo "got $got, not $wanted"; cat err; } >differ
		not_ok "$promise" differ
	fi
}

gives "a run of 2^63 - 1 ns opens" "1,f 1,g 1,h " whole.perfscript
gives "so does one whose last event comes first" "1,f 1,g " turned.perfscript
gives "and one at the last moment of all" "1,f 1,g " late.perfscript
gives "and one of a nanosecond less" "1,f 1,g " nearly.perfscript
gives "the upper half has its last event" "1,h " whole.perfscript --from 60%
gives "the lower half has its first" "1,f " whole.perfscript --to 40%
gives "a range in the middle has neither" "1,g " whole.perfscript --from 40% --to 60%
gives "as a time: from 100000 days on" "1,h " whole.perfscript --from 8640000000s
gives "the last second" "1,h " whole.perfscript --from -1s
gives "100 % is the last event" "1,h " whole.perfscript --from 100%
gives "a run that begins at the first moment" "1,g 9223372036854775805,f " least.txt
gives "its first nanosecond" "1,f " least.txt --to 1ns
gives "its last second" "1000000000,f " least.txt --from -1s
gives "two files, as far apart as files can be" "1,h 2,f 2,g " whole.perfscript late.perfscript

# ---- every view, range and export ----
for file in spans.json calls.ftrace clock.ftrace arcs.callgrind least.txt \
	"whole.perfscript late.perfscript"; do
	for view in functions tree callers lines instructions calls slices tracks labels values answers \
		info; do
		for range in "" "--from 100%" "--from 1ns --to 99%"; do
			# shellcheck disable=SC2086
			sound report --view $view $range --format csv $file
		done
	done
	all_sound "$file: reports"
	for format in folded pprof speedscope chrome firefox callgrind svg dot csv json sqlite; do
		for range in "" "--from 50%"; do
			# shellcheck disable=SC2086
			sound export --format $format $range -o exported $file
			rm -f exported
		done
	done
	# shellcheck disable=SC2086
	sound dump ${file%% *}
	sound sql 'SELECT * FROM tracks' "${file%% *}"
	sound sql 'SELECT * FROM events' "${file%% *}"
	# shellcheck disable=SC2086
	sound diff ${file%% *} $file
	all_sound "$file: exports, dump, SQL, differences"
	for view in 1 2 5 7 8; do
		for keys in "+ + + + + + . T < > < > - - - w w w . l l Enter Enter w Backspace w" \
			"Tab Right Right [ Right ] { } + + + + - - - { { } G ] g [ + + - - } v" \
			"/ 'g|mark|two' Enter n N + + Click:40,8 Click2:70,9 w L j Enter w . T"; do
			# shellcheck disable=SC2086
			sound --size 100x50 --snapshot --keys "$view $keys" $file
		done
		all_sound "$file: keys in view $view"
	done
done

# ---- several files on one time of day ----

# requests HOST TIME FILE: an archive of one request of 100 ms
requests()
{
	printf '{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":[{"startedDateTime":"%s","time":100,"request":{"method":"GET","url":"http://%s/a"},"response":{"status":200},"timings":{"wait":100}}]}}' \
		"$2" "$1" >"$3"
}
requests a 2026-01-02T03:04:05.500Z a.har
requests b 2026-01-02T05:04:04.250+02:00 b.har # 1.25 s earlier, in another zone
printf '7 1767323045.000000 read(3, "", 1) = 0 <0.500000>\n7 1767323046.000000 close(3) = 0 <0.250000>\n' >c.strace
printf 'main;f 5\n' >d.folded
# starts ALIGN FILE...: track and start in ns
starts()
{
	"$PNAV" report --align "$@" --view tracks --columns track,start --format csv 2>err
}
starts first a.har b.har c.strace >out
check "files begin at 0" test "$(tail -n +2 out | cut -d, -f2 | sort -u)" = 0
starts clock a.har b.har c.strace >out
check "by the clock: the earliest at 0" grep -qx 'b.har: b,0' out
check "... others as much later as they were" grep -qx 'a.har: a,1250000000' out
check "... in whatever zone or unit" grep -q '^c.strace: .*,750000000$' out
"$PNAV" report --align clock --view functions --from 1s --to 1.3s --columns function,total --format csv a.har b.har c.strace >out 2>err
check "a range has what ran at that time of day" eval 'grep -qx "GET /a,50000000" out && grep -qx "read,250000000" out'
"$PNAV" report --align clock --view info a.har b.har >out 2>err
check "info says when a file begins" grep -qE '^begins +1.250 s after the earliest file$' out
"$PNAV" report --align clock --view info a.har d.folded >out 2>err
check "a file without a time of day" grep -q 'no time of day in the file' out
"$PNAV" pack -o a.pnav a.har 2>err && "$PNAV" pack -o both.pnav a.har b.har 2>err
starts clock a.pnav b.har >out
check "a packed profile keeps it" grep -q '^a.pnav: a,1250000000$' out
starts clock both.pnav >out
check "... of each of its files" grep -q 'a.har: a,1250000000$' out
"$PNAV" report --align sun a.har >out 2>err
check "--align has two words" test $? = 2

# Times of --deltatime are recognised by the same lines, however slowly they arrive.
deltas()
{
	sample 0.0 f
	sample 0.5 f
	"$@"
	for t in 0.7 0.2 0.4 0.1; do
		sample $t f
	done
}
deltas sleep 0.5 | "$PNAV" report --view tracks --columns track,end --format csv - >out 2>err
check "steps from a slow pipe" grep -q ',1900000000$' out

# 107,000 midnights are more than 2^63 ns.
awk 'BEGIN { for (i = 0; i < 107000; i++) print "7 23:59:59 sync() = 0 <0.1>\n7 00:00:01 sync() = 0 <0.1>" }' >days.strace
"$PNAV" report --view info days.strace >out 2>err
check "days of strace that overflow" test $? = 0
tap_done
