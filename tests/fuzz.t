#!/bin/sh
# Hostile files and texts through whole commands: every small input of the golden cases and
# every seed of tests/fuzz/seeds/ runs through the fuzzers' own checks, without libFuzzer.
# Each profile is tried with 64 commands, options and neighbours, always the same; tests/README.md
# tells how to repeat one.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

fuzz=$top_builddir/tests/fuzz
seeds=$top_srcdir/tests/fuzz/seeds
[ -x "$fuzz/replay_command" ] || skip_all "tests/fuzz/replay_command is not built"

# replays PROGRAM FILE
replays()
{
	timeout 300 "$fuzz/$1" "$2" >"$scratch/out" 2>"$scratch/err"
	status=$?
	name=$(basename "$(dirname "$2")")/$(basename "$2")
	if [ $status = 0 ]; then
		ok "$1 $name"
	else
		{
			echo "status $status; the file, and which variant: $(tail -n 1 "$scratch/out")"
			grep -a -v '^ *#' "$scratch/err" | cut -c 1-300
			grep -a '^ *#' "$scratch/err"
		} >"$scratch/report"
		not_ok "$1 $name" "$scratch/report"
	fi
}

for file in "$top_srcdir"/tests/golden/*/input.* "$seeds"/*; do
	[ -f "$file" ] && [ "$(wc -c <"$file")" -le 8192 ] && replays replay_command "$file"
done
for file in "$seeds"/text/*; do
	replays replay_text "$file"
done
for file in "$seeds"/symbols/*; do
	replays replay_symbols "$file"
done

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
