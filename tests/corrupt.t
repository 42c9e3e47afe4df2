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
# A case frees little: 16 MB of freed memory are enough to see a use after free().
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=16
export ASAN_OPTIONS

# seeds CASES FILE...: the small ones, each after the number of its random damages.
seeds()
{
	seeds_cases=$1
	shift
	find "$@" -prune -type f -size -8193c | sed "s|^|$seeds_cases |"
}
seed=
{
	for dir in "$top_srcdir"/tests/golden/*/; do
		golden_find "$dir"
		seed=$seed${golden_file:+ $dir$golden_file}
	done
	# No path has blanks.
	# shellcheck disable=SC2086
	seeds "$CORRUPT_CASES" $seed "$top_srcdir"/tests/fuzz/seeds/*
	[ ! -d "$PNAV_SAMPLES/seeds" ] ||
		seeds $((CORRUPT_CASES / 10)) "$PNAV_SAMPLES"/seeds/*/* | grep -v '\.csv$\|\.md$\|\.folded$'
} >"$scratch/small"

# title FILE: sets `name` to its folder and name
title()
{
	name=${1%/*}
	name=${name##*/}/${1##*/}
}

# damage CASES FILE...: one process damages all of the files, since its start takes as long as the
# work on a small one.  The first file without a line in its output ended it: that one failed, and
# another process goes on behind it.
damage()
{
	cases=$1
	shift
	while [ $# -gt 0 ]; do
		PNAV_FUZZ_CASE="$scratch/case" "$corrupt" -c "${CORRUPT_CUTS:-200}" \
			-n "$cases" "$@" >"$scratch/lines" 2>"$scratch/out"
		status=$?
		while read -r how file; do
			title "$file"
			# What no decoder takes would be damaged for the probes' sake alone.
			case $how in
			good) ok "$name, $cases damages" ;;
			*) skip "$name" "no decoder takes it" ;;
			esac
			shift
		done <"$scratch/lines"
		if [ $# -eq 0 ]; then
			case $status in
			0 | 3) ;; # with files that no decoder takes
			*) not_ok "the end of corrupt, status $status" "$scratch/out" ;;
			esac
			break
		fi
		{ echo "status $status"; cat "$scratch/case" "$scratch/out"; } >"$scratch/report" 2>/dev/null
		title "$1"
		not_ok "$name, $cases damages" "$scratch/report"
		shift
	done
}

[ -s "$scratch/small" ] || skip_all "there is no seed"
for cases in $(cut -d ' ' -f 1 "$scratch/small" | sort -un); do
	# No path has blanks.
	# shellcheck disable=SC2046
	damage "$cases" $(sed -n "s/^$cases //p" "$scratch/small")
done
tap_done
