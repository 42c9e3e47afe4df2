#!/bin/sh
# Golden cases: an input, and what pnav must say about it, to the byte.  README.md here
# tells the layout.  PNAV_GOLDEN=name runs one case; `tests/lib/golden-diff name` shows
# all of what differs.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"

# lacks ERR OUT: this build lacks what the case needs, or a name is as the compiler wrote it
lacks()
{
	why=$(grep 'built without\|which was not built in' "$1" | head -n 1)
	built_with HAVE_EXPAT || ! head -n 1 "$input" | grep -q '<?xml' ||
		why="built without expat"
	built_with HAVE_LIBIBERTY || ! grep -q '_Z[A-Z0-9]' "$2" || why="built without libiberty"
	[ "$why" ]
}

# differs WHAT: says how it differs, or why this build cannot print it.  It is printed once more.
differs()
{
	golden_run "$dir" "$input" "$1" "$scratch"
	if lacks "$scratch/err" "$scratch/out"; then
		skip "$name: $1" "$why"
		return
	fi
	diff -u "$dir$1" "$scratch/out" >"$scratch/diff" 2>&1
	cat "$scratch/err" >>"$scratch/diff"
	not_ok "$name: $1" "$scratch/diff"
}

# run_for WHAT: it goes to the file of that name; what a sanitizer found there goes to `odd`
run_for()
{
	golden_run "$dir" "$input" "$1" "$got" "$1"
	read -r status <"$got/status"
	[ "$status" != 99 ] || odd="$odd $1"
}

# end_is exit|stderr TITLE: of the last run
end_is()
{
	if "golden_$1" "$dir" "$got" >"$scratch/end" 2>&1; then
		ok "$name: $2"
	elif lacks "$got/err" "$got/functions.csv"; then
		skip "$name: $2" "$why"
	else
		not_ok "$name: $2" "$scratch/end"
	fi
}

# With sanitizers a run takes five times as long: there each case is decoded once and dumped once,
# and the other views are compared in the normal build.
brief=no
[ -n "${PNAV_LONG:-}${PNAV_GOLDEN:-}" ] || ! built_with PNAV_SANITIZED || brief=yes
no_leaks=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
got=$scratch/got
mkdir "$got"
found=0
for dir in "$top_srcdir"/tests/golden/*/; do
	[ -d "$dir" ] || continue
	name=${dir%/}
	name=${name##*/}
	[ -n "${PNAV_GOLDEN:-}" ] && [ "$PNAV_GOLDEN" != "$name" ] && continue
	found=1
	golden_find "$dir"
	input=$golden_file
	if [ -z "$input" ]; then
		not_ok "$name: has no input.*"
		continue
	fi
	# A format may leak in its decoder and in its dump; views and encoders have tests of their own.
	# functions.csv is the last, since its status and stderr are those of the case.
	outputs= odd=
	for expected in "$dir"*; do
		what=${expected##*/}
		golden_arguments "$what" || continue
		case $brief/$what in
		no/* | yes/functions.csv | yes/dump.txt) ;;
		*) continue ;;
		esac
		outputs="$outputs $what"
		case $what in
		functions.csv) ;;
		dump.txt)
			run_for "$what" ;;
		*)
			ASAN_OPTIONS=$no_leaks run_for "$what" ;;
		esac
	done
	run_for functions.csv
	# One process compares all.  Other files of the folders do not count.
	changed=$(diff -rq "$dir" "$got")
	for what in $outputs; do
		case " $odd $changed " in
		*" $what "* | *" $got/$what differ"* | *": $what
"*)
			differs "$what" ;;
		*)
			ok "$name: $what" ;;
		esac
	done
	end_is exit "exit status"
	end_is stderr stderr
done
[ $found = 1 ] || skip_all "there is no golden case"
tap_done
