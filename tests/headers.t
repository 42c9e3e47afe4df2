#!/bin/sh
# Each header compiles alone, and twice: it includes what it uses and guards itself.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -n "${PNAV_COMPILE:-}" ] || skip_all "run by make check, which names the compiler"
cd "$top_builddir" || exit 99

compiles()
{
	printf '#include "%s"\n#include "%s"\n' "$1" "$1" >"$scratch/header.c"
	# The options are words, as make has them.
	# shellcheck disable=SC2086
	$PNAV_COMPILE -I"$top_srcdir" -Werror -fsyntax-only "$scratch/header.c"
}

(cd "$top_srcdir" && find model src ui tests -name '*.h' | sort) >"$scratch/headers"
while read -r header; do
	check "$header" compiles "$header"
done <"$scratch/headers"
tap_done
