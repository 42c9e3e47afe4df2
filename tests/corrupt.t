#!/bin/sh
# Damaged input: no crash, no hang, a whole profile.  The small seeds of every format (the
# inputs of the golden cases, and what tests/fuzz/seeds holds) are cut, after every byte
# where they are short, and damaged in many random ways; fuzz/corrupt.c describes how.  The
# samples, many and much alike, are damaged a tenth as often.  CORRUPT_CASES and
# CORRUPT_CUTS override how many for each seed: before a release, and after a change of a
# decoder, ten thousand of both.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

corrupt=$top_builddir/tests/fuzz/corrupt
[ -x "$corrupt" ] || skip_all "tests/fuzz/corrupt is not built"
CORRUPT_CASES=${CORRUPT_CASES:-50}

# The seeds, each after the number of its random damages.
{
	for dir in "$top_srcdir"/tests/golden/*/; do
		[ -d "$dir" ] && echo "$CORRUPT_CASES $dir$(golden_input "$dir")"
	done
	for file in "$top_srcdir"/tests/fuzz/seeds/*; do
		[ -f "$file" ] && echo "$CORRUPT_CASES $file"
	done
	for file in "$PNAV_SAMPLES"/seeds/*/*; do
		case $file in
		*.csv|*.md|*.folded) continue ;;
		esac
		[ -f "$file" ] && echo "$((CORRUPT_CASES / 10)) $file"
	done
} >"$scratch/candidates"

found=0
while read -r cases file; do
	[ -f "$file" ] && [ "$(wc -c <"$file")" -le 8192 ] || continue
	found=1
	name=$(basename "$(dirname "$file")")/$(basename "$file")
	# What no decoder takes is damaged for the probes' sake alone: nothing to do.
	PNAV_FUZZ_CASE="$scratch/case" timeout 900 "$corrupt" -c "${CORRUPT_CUTS:-500}" -n "$cases" "$file" \
		>"$scratch/out" 2>&1
	case $? in
	0)
		ok "$name, $cases damages" ;;
	3)
		skip "$name" "no decoder takes it" ;;
	*)
		cat "$scratch/case" "$scratch/out" >"$scratch/report" 2>/dev/null
		not_ok "$name, $cases damages" "$scratch/report" ;;
	esac
done <"$scratch/candidates"
[ $found = 1 ] || skip_all "there is no seed"
tap_done
