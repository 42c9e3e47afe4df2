#!/bin/sh
# What a key sends over the line (lib/pty.c counts it), on 80 columns and 24 rows, and on 200
# columns and 60 rows, of 256 colours: the limits that people on slow lines can live with.
# Medians: names and numbers are longer here and shorter there.  The detail pane and the like
# follow when the keys rest.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

pty=$top_builddir/tests/lib/pty
[ -x "$pty" ] || skip_all "tests/lib/pty is not built"
sample=$top_srcdir/data/sample.perfscript.gz
XDG_CONFIG_HOME=$scratch
TERM=xterm-256color
export XDG_CONFIG_HOME TERM
cd "$scratch" || exit 99
down=$(printf '\004\004\004')
steps=jjjjjjjjj
n=${#steps}

# To the rows below the screen, and on by one: functions, the whole tree, callers, boxes.
keys=3$down$steps
keys=${keys}2Eg$down$steps
keys=${keys}34Eg$down$steps
keys=${keys}1g$steps
timeout 60 "$pty" -c "$keys" "$PNAV" "$sample" >out 2>counted

# is_within LIMIT LAST: the median of the steps that end with key LAST
is_within()
{
	head -n "$2" counted | tail -n "$n" | sort -n >some
	median=$(sed -n "$((n / 2 + 1))p" some)
	[ "${median:-9999}" -le "$1" ] && [ "${median:-0}" -gt 0 ]
}

# within LIMIT PROMISE LAST: the same as a test
within()
{
	if is_within "$1" "$3"; then
		ok "$2: $1 bytes at most"
	else
		paste -s -d ' ' counted >why
		not_ok "$2: $1 bytes at most" why
	fi
}

at=$((4 + n))
within 250 "functions scroll by a line" $at
at=$((at + 6 + n))
within 250 "the tree scrolls by a line" $at
at=$((at + 7 + n))
within 250 "callers scroll by a line" $at
at=$((at + 2 + n))
within 500 "the cursor among boxes" $at

# Sixty calls, one a millisecond.
awk 'BEGIN {
	printf "["
	for (i = 0; i < 60; i++)
		printf "%s{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"step %d\",\"ts\":%d,\"dur\":%d}", \
			i ? ",\n" : "", i % 7, i * 1000, 100 + i
	print "]"
}' >calls.json
timeout 60 "$pty" -c "7oa$down$steps" "$PNAV" calls.json >out 2>counted
within 250 "the list of calls scrolls by a line" $((6 + n))
timeout 60 "$pty" -c "8?$steps" "$PNAV" "$sample" >out 2>counted
within 250 "the help scrolls by a line" $((2 + n))

# held SIZE KEYS LIMIT PROMISE: the same for the last keys.  On a busy machine a key may take so
# long that the keys seem to rest, so the best of three counts.
held()
{
	for _ in 1 2 3; do
		timeout 60 "$pty" -s "$1" -c "$2" "$PNAV" "$sample" >out 2>counted
		is_within "$3" ${#2} && break
	done
	within "$3" "$4" ${#2}
}
wide() { held 200x60 "$1" "$2" "200x60: $3"; }

right=lllllllll
held 80x24 "5$right" 300 "the cursor of the timeline"
wide "3$steps" 300 "the cursor in functions"
wide "3$down$down$steps" 400 "functions scroll by a line"
wide "2E$down$down$steps" 400 "the tree scrolls by a line"
wide "1g$steps" 300 "the cursor among boxes"
wide "2Eg$steps" 300 "the cursor in the tree"
wide "5$right" 600 "the cursor of the timeline"
wide "5$steps" 600 "the cursor to another track"

# Four threads that wake one another every 0.7 ms: states, and edges at the cursor.
awk 'BEGIN {
	for (i = 0; i < 4000; i++) {
		us = i * 700
		at = sprintf("[00%d] d..3 %d.%06d:", i % 2, us / 1000000, us % 1000000)
		from = i % 4 + 1
		to = (i * 7 + 2) % 4 + 1
		if (from == to)
			continue
		printf "t%d-%d %s sched_waking: comm=t%d pid=%d prio=120 target_cpu=000\n", from, from, at, to, to
		printf "t%d-%d %s sched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=t%d next_pid=%d next_prio=120\n", from, from, at, from, from, i % 3 ? "S" : "R", to, to
	}
}' >sched.txt
sample=sched.txt
held 80x24 "5jj$right" 300 "the cursor of the timeline with states"
wide "5jj$right" 600 "the cursor of the timeline with states"

tap_done
