#!/bin/sh
# Hostile files and texts through whole commands: every small input of the golden cases and
# every seed of tests/fuzz/seeds/ runs through the fuzzers' own checks, without libFuzzer.
# Each profile is tried with some commands, options and neighbours, always the same; tests/README.md
# tells how to repeat one.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

fuzz=$top_builddir/tests/fuzz
seeds=$top_srcdir/tests/fuzz/seeds
[ -x "$fuzz/replay_command" ] || skip_all "tests/fuzz/replay_command is not built"

# title FILE: sets `name` to its folder and name
title()
{
	name=${1%/*}
	name=${name##*/}/${1##*/}
}

# replays PROGRAM FIRST NUMBER FILE...: one process runs those variants of all of the files, since
# its start takes as long as ten of them.  The file of its last line ended it: that one failed,
# and another process goes on behind it.
replays()
{
	program=$1 first=$2 number=$3
	shift 3
	while [ $# -gt 0 ]; do
		"$fuzz/$program" -s "$first" -n "$number" "$@" >"$scratch/out" 2>"$scratch/err"
		status=$?
		grep '^good ' "$scratch/out" >"$scratch/lines"
		while read -r _ file; do
			title "$file"
			ok "$program $name"
			shift
		done <"$scratch/lines"
		if [ $# -eq 0 ]; then
			[ $status = 0 ] || not_ok "the end of $program, status $status" "$scratch/err"
			break
		fi
		{
			echo "status $status; the file, and which variant: $(tail -n 1 "$scratch/out")"
			grep -a -v '^ *#' "$scratch/err" | cut -c 1-300
			grep -a '^ *#' "$scratch/err"
		} >"$scratch/report"
		title "$1"
		not_ok "$program $name" "$scratch/report"
		shift
	done
}

# Of the 64 variants, which are all commands with all kinds of options, each file runs an eighth,
# the next file the next eighth; all of them if PNAV_LONG is set.
find "$top_srcdir"/tests/golden/*/input.* "$seeds"/* -prune -type f -size -8193c >"$scratch/files"
[ "${PNAV_LONG:-}" ] && part=64 || part=8
first=0
while [ $first -lt 64 ]; do
	# No path has blanks.
	# shellcheck disable=SC2046
	replays replay_command $first $part $(awk "(NR - 1) * $part % 64 == $first" "$scratch/files")
	first=$((first + part))
done
replays replay_text 0 64 "$seeds"/text/*
replays replay_symbols 0 64 "$seeds"/symbols/*

# With -u the files are run again and again, though each command parses options of its own.
"$fuzz/replay_command" -m -n 1 -u 5 "$seeds/names.folded" >"$scratch/out" 2>"$scratch/err"
runs=$(sed -n 's/ runs$//p' "$scratch/out")
if [ "${runs:-0}" -gt 1 ]; then
	ok "replay_command -u goes on with the files"
else
	tail -n 2 "$scratch/out" >"$scratch/report"
	not_ok "replay_command -u goes on with the files" "$scratch/report"
fi

tap_done
