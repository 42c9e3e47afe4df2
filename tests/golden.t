#!/bin/sh
# Golden cases: an input, and what pnav must say about it, to the byte.  README.md here
# tells the layout.  PNAV_GOLDEN=name runs one case; `tests/lib/golden-diff name` shows
# all of what differs.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"

# A message says that this build lacks what the case needs, or a name is as the compiler wrote it.
lacks()
{
	why=$(grep 'built without\|which was not built in' "$scratch/err" | head -n 1)
	built_with HAVE_LIBIBERTY || ! grep -q '_Z[A-Z0-9]' "$scratch/out" || why="built without libiberty"
	[ "$why" ]
}

no_leaks=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
found=0
for dir in "$top_srcdir"/tests/golden/*/; do
	[ -d "$dir" ] || continue
	name=${dir%/}
	name=${name##*/}
	[ -n "${PNAV_GOLDEN:-}" ] && [ "$PNAV_GOLDEN" != "$name" ] && continue
	found=1
	input=$(golden_input "$dir")
	if [ -z "$input" ]; then
		not_ok "$name: has no input.*"
		continue
	fi
	# a format may leak in its decoder and in its dump; views and encoders have tests of their own
	for expected in "$dir"*; do
		what=${expected##*/}
		golden_arguments "$what" || continue
		if [ "$what" = dump.txt ]; then
			golden_run "$dir" "$input" "$what" "$scratch"
		else
			ASAN_OPTIONS=$no_leaks golden_run "$dir" "$input" "$what" "$scratch"
		fi
		cmp -s "$expected" "$scratch/out" || {
			if lacks; then
				skip "$name: $what" "$why"
				continue
			fi
			diff -u "$expected" "$scratch/out" >"$scratch/diff" 2>&1
			cat "$scratch/err" >>"$scratch/diff"
			not_ok "$name: $what" "$scratch/diff"
			continue
		}
		ok "$name: $what"
	done
	golden_run "$dir" "$input" functions.csv "$scratch"
	if lacks; then
		skip "$name: exit status and stderr" "$why"
		continue
	fi
	check "$name: exit status" golden_exit "$dir" "$scratch"
	check "$name: stderr" golden_stderr "$dir" "$scratch"
done
[ $found = 1 ] || skip_all "there is no golden case"
tap_done
