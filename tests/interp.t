#!/bin/sh
# Frames of CPython in recordings and looks: a program that uses known shares of the CPU line by line
# (tests/data/scripts.py), with each Python that is installed, and each sampler.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
built_with HAVE_LIBDW || skip_all "built without elfutils"
[ -x "$PNAV" ] || skip_all "pnav is not built"
pythons=
for v in 3.8 3.9 3.10 3.11 3.12 3.13; do
	for p in /usr/bin/python$v $PNAV_PYTHONS; do
		[ "${p##*python}" = $v ] && "$p" -c 'import sys' 2>/dev/null && pythons="$pythons $p"
	done
done
[ -n "$pythons" ] || skip_all "there is no CPython from 3.8 to 3.13"
cd "$scratch" || exit 99
program=$top_srcdir/tests/data/scripts.py

# ---- a look ----

mkfifo end
for python in $pythons; do
	v=${python##*python}
	"$python" "$program" wait <end >ready &
	pid=$!
	exec 9>end
	for _ in $(seq 100); do
		grep -q ready ready && break
		sleep 0.1
	done
	for _ in $(seq 50); do # until it waits for its input
		"$PNAV" stacks -p $pid --format folded >look 2>err
		grep -q 'lambda' look && break
		sleep 0.1
	done
	check "$v: the lambda is below the C function that calls it, and the loop is gone" \
		grep -q ';<module>;.*;[^;]*<lambda>;.*read' look
	check "$v: no loop is left" sh -c '! grep -q EvalFrameDefault look'
	"$PNAV" stacks -p $pid --format csv --by line --view tree >tree 2>&1
	check "$v: lines are those of the file" \
		grep -q "<module>,[^,]*scripts.py,$(grep -n 'sorted(\[0\]' "$program" | cut -d: -f1)," tree
	"$PNAV" stacks -p $pid --no-interpreters --format folded >look 2>&1
	check "$v: --no-interpreters shows the loop" sh -c 'grep -q EvalFrameDefault look && ! grep -q lambda look'
	exec 9>&-
	wait $pid
	check "$v: the program ends as it would" [ $? -eq 0 ]
done

# ---- recordings ----

python=${pythons##* }
for p in $pythons; do
	case $p in /usr/bin/*) python=$p ;; esac
done
line() { grep -n "# $1" "$program" | cut -d: -f1; }

# shares FILE: the three lines have the shares that the program measured, within four standard
# errors of the number of samples and a point
shares()
{
	"$PNAV" report --view lines --metric samples --format csv "$1" >lines 2>err || return
	awk -F, -v half="$(line half)" -v three="$(line 'three tenths')" -v two="$(line 'a fifth')" '
	FNR == NR { split($0, t, " "); all = t[1] + t[2] + t[3]; next }
	$3 != "Shape.area" { next }
	$2 == half { n[1] = $NF }
	$2 == three { n[2] = $NF }
	$2 == two { n[3] = $NF }
	END {
		sum = n[1] + n[2] + n[3]
		if (sum < 100) { print "only " sum " samples" ; exit 1 }
		for (i = 1; i <= 3; i++) {
			is = n[i] / sum; due = t[i] / all
			far = 4 * sqrt(due * (1 - due) / sum) + 0.01
			printf "%d: %.3f due %.3f\n", i, is, due
			if (is - due > far || due - is > far) bad = 1
		}
		exit bad
	}' truth lines >why
}
for sampler in perf ptrace; do
	if ! "$PNAV" record -q --sampler $sampler -F 997 -o $sampler.data -- \
		"$python" "$program" 700 >truth 2>err; then
		skip "$sampler: shares by line" "$(head -n 1 err)"
		continue
	fi
	"$PNAV" report --view functions --metric samples --format csv $sampler.data >functions 2>why
	total=$(sed -n 's/^main,.*scripts.py.*,//p' functions)
	due=$(awk -F, 'NR > 1 { n += $(NF - 1) } END { print n }' functions)
	busy=
	[ "${due:-0}" -ge 300 ] || busy="the machine is busy: $due samples where 700 are due"
	[ -z "$busy" ] && [ "${total:-0}" -lt $((due / 2)) ] && [ $sampler = perf ] &&
		busy="the machine is busy: samples were too old to be looked at"
	if [ -n "$busy" ]; then
		skip "$sampler: shares by line" "$busy"
	else
		shares $sampler.data && ok "$sampler: lines have their shares" ||
			not_ok "$sampler: lines have their shares" why
	fi
	"$PNAV" report --view lines $sampler.data >out 2>err
	check "$sampler: no record is late" sh -c '! grep -q "later than" err'
done
"$PNAV" record -q --no-interpreters -F 997 -o none.data -- "$python" "$program" 100 >truth 2>err
"$PNAV" report --view functions none.data >functions 2>&1
check "--no-interpreters: no function of the script" sh -c '! grep -q area functions'
if [ -s perf.data ] && command -v perf >/dev/null 2>&1; then
	check "perf reads the recording, and shows where" \
		sh -c 'perf script -i perf.data 2>&1 | grep -q "python/Shape.area"'
else
	skip "perf reads the recording" "no perf, or no recording"
fi
tap_done
