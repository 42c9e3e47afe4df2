#!/bin/sh
# A byte-order mark or a blank line in front of a text changes nothing, whatever the format: the
# golden cases that are texts, with one.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cases=0
for dir in "$top_srcdir"/tests/golden/*/; do
	name=$(basename "$dir")
	input=$(golden_input "$dir")
	[ -f "$dir$input" ] && [ -f "${dir}functions.csv" ] || continue
	case $name-$input in
	*.gz | perfetto-* | lprof-*) continue ;; # pickles have no blanks in front
	esac
	# a text has no NUL; some begin with a mark already
	[ "$(LC_ALL=C tr -d '\000' <"$dir$input" | wc -c)" = "$(wc -c <"$dir$input")" ] || continue
	[ "$(head -c 3 "$dir$input")" != "$(printf '\357\273\277')" ] || continue
	rm -rf "$scratch/case"
	cp -r "$dir" "$scratch/case"
	chmod -R u+w "$scratch/case"
	printf '\357\273\277' | cat - "$dir$input" >"$scratch/case/$input"
	golden_run "$scratch/case" "$input" functions.csv "$scratch"
	cmp -s "${dir}functions.csv" "$scratch/out"
	check "$name behind a byte-order mark" [ $? = 0 ]
	golden_run "$scratch/case" "$input" dump.txt "$scratch"
	check "$name: its dump" sh -c '! LC_ALL=C grep -q "\357\273\277" "$1"' - "$scratch/out"
	{ echo && cat "$dir$input"; } >"$scratch/case/$input"
	golden_run "$scratch/case" "$input" functions.csv "$scratch"
	cmp -s "${dir}functions.csv" "$scratch/out" &&
		[ "$(cat "$dir/exit" 2>/dev/null || echo 0)" = "$(cat "$scratch/status")" ]
	check "$name behind a blank line" [ $? = 0 ]
	cases=$((cases + 1))
done
check "there were many ($cases)" [ "$cases" -ge 80 ]
tap_done
