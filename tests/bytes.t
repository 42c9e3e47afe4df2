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

# within LIMIT PROMISE LAST: the median of the steps that end with key LAST
within()
{
	head -n "$3" counted | tail -n "$n" | sort -n >some
	median=$(sed -n "$((n / 2 + 1))p" some)
	if [ "${median:-9999}" -le "$1" ] && [ "${median:-0}" -gt 0 ]; then
		ok "$2: $1 bytes at most"
	else
		tr '\n' ' ' <counted >why
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

timeout 60 "$pty" -c "5lllllllll" "$PNAV" "$sample" >out 2>counted
within 300 "the cursor of the timeline" $((1 + n))

# wide KEYS LIMIT PROMISE: the same on a large screen, for the last keys
wide()
{
	timeout 60 "$pty" -s 200x60 -c "$1" "$PNAV" "$sample" >out 2>counted
	within "$2" "200x60: $3" ${#1}
}

right=lllllllll
wide "3$steps" 300 "the cursor in functions"
wide "3$down$down$steps" 400 "functions scroll by a line"
wide "1g$steps" 300 "the cursor among boxes"
wide "2Eg$steps" 300 "the cursor in the tree"
wide "5$right" 600 "the cursor of the timeline"

tap_done
