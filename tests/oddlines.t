#!/bin/sh
# A line that is none of its format, in the middle of a text: it is skipped and counted, and what
# stands behind it is read as without it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
golden=$(cd "$top_srcdir/tests/golden" && pwd)
cd "$scratch" || exit 99

# odd CASE: a line behind the middle of its input, and once more without the last line end
odd()
{
	for input in "$golden/$1"/input.*; do
		name=in.${input##*.}
		break
	done
	middle=$(($(wc -l <"$input") * 4 / 5))
	"$PNAV" report --format csv "$input" >want 2>err
	sed "${middle}a %% no line of this" "$input" >"$name"
	"$PNAV" report --format csv "$name" >got 2>err
	status=$?
	diff want got >differ && [ "$status" = 0 ] &&
		grep -q 'warning: lines that are none of this format were skipped: 1, ' err &&
		ok "$1: what follows an odd line is read" ||
		not_ok "$1: what follows an odd line is read" differ err
	printf '%s' "$(cat "$input")" >"$name"
	"$PNAV" report --format csv "$name" >got 2>err
	status=$?
	diff want got >differ && [ "$status" = 0 ] &&
		ok "$1: the last line end may be missing" ||
		not_ok "$1: the last line end may be missing" differ err
}

for case in austin-text austin-memory callgrind-arcs fprof-flat ghcprof-exact ghcprof-percent \
	ninjalog-builds rprof-lines tracycsv-zones xdebug-calls; do
	odd $case
done
tap_done
