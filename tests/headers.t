#!/bin/sh
# Each header compiles alone, and twice: it includes what it uses and guards itself.  And the
# compiler refuses a switch over one of our enums that does not name each value: a `default` would
# hide what is missing.  One that means some values of many, as a view does of all actions, says so:
# `switch ((int)x)`.
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

# unguarded ROOT HEADER...: headers whose lines are not between #ifndef and #endif of one name
unguarded()
{
	(cd "$1" && shift && awk '
		function ended() { if (before && !good) print before }
		FNR == 1 { ended(); before = FILENAME; name = ""; good = settled = 0 }
		settled { next }
		/^#ifndef/ { name = $2; next }
		/^#/ || name { good = name && /^#define/ && $2 == name; settled = 1 }
		END { ended() }' "$@")
}

printf '#ifndef A\n#define B\n' >"$scratch/other.h"
printf '#ifndef A\n#define A\n#endif\n' >"$scratch/good.h"
printf '/* a header */\n#include <stdio.h>\n#ifndef A\n#define A\n' >"$scratch/late.h"
check "found: headers without a guard" test "$(unguarded "$scratch" other.h good.h late.h)" = "other.h
late.h"
(cd "$top_srcdir" && find model src ui tests -name '*.h' | sort) >"$scratch/headers"
# shellcheck disable=SC2046
unguarded "$top_srcdir" $(cat "$scratch/headers") >"$scratch/found"
check "each header guards itself" sh -c 'cat "$1"; test ! -s "$1"' sh "$scratch/found"

# The build has compiled a header alone if it is the first include of the source of its name.
find model src ui tests -name '*.o' | sed 's|/lib[a-z]*_a-|/|; s/[.]o$/.h/' >"$scratch/objects"
(cd "$top_srcdir" && find model src ui tests -name '*.c' | xargs awk '
	FNR == 1 { seen = 0 }
	/^#include/ && !seen++ { own = FILENAME; sub(/c$/, "h", own)
		if ($0 == "#include \"" own "\"") print own }') | sort >"$scratch/first"
sort "$scratch/objects" | comm -12 - "$scratch/first" | comm -23 "$scratch/headers" - >"$scratch/alone"
while read -r header; do
	check "$header" compiles "$header"
done <"$scratch/alone"

# The build warns of each source whose switch hides a value; here only that it would.
echo 'enum e { A, B }; int f(enum e x); int f(enum e x) { switch (x) { case A: return 1; default: return 2; } }' \
	>"$scratch/switch.c"
hides()
{
	# shellcheck disable=SC2086
	$PNAV_COMPILE -fsyntax-only "$scratch/switch.c" 2>&1 | grep 'switch-enum'
}
check "found: a switch whose default hides a value" hides
tap_done
