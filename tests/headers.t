#!/bin/sh
# Each header compiles alone, and twice: it includes what it uses and guards itself.  And a switch
# over one of our enums names each value: a `default` would hide from the compiler what is missing.
# One that means some values of many, as a view does of all actions, says so: `switch ((int)x)`.
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

# built HEADER: the build has compiled it alone already, as the first include of the source of the
# same name; whether it guards itself remains to be seen.
built()
{
	source=${1%.h}.c
	[ -f "$top_srcdir/$source" ] &&
		[ "$(grep -m 1 '^#include' "$top_srcdir/$source")" = "#include \"$1\"" ] &&
		grep -q "^${source%/*}/\(lib[a-z]*_a-\)\{0,1\}$(basename "$source" .c)[.]o\$" "$scratch/objects"
}
# guarded HEADER: what it has lies between #ifndef and #endif of one name
guarded()
{
	awk '/^#ifndef/ { name = $2; next }
		name && /^#define/ { good = $2 == name; exit }
		name { exit }
		/^#/ { exit }
		END { exit !good }' "$top_srcdir/$1"
}

printf '#ifndef A\n#define B\n' >"$scratch/unguarded.h"
top=$top_srcdir top_srcdir=$scratch
check "found: a header without a guard" eval '! guarded unguarded.h'
top_srcdir=$top
find model src ui tests -name '*.o' >"$scratch/objects"
(cd "$top_srcdir" && find model src ui tests -name '*.h' | sort) >"$scratch/headers"
while read -r header; do
	if built "$header"; then
		check "$header" guarded "$header"
	else
		check "$header" compiles "$header"
	fi
done <"$scratch/headers"

# switches FILE: what the compiler says of its switches; nothing where all values are named
switches()
{
	# shellcheck disable=SC2086
	$PNAV_COMPILE -I"$top_srcdir" -Wswitch-enum -fsyntax-only "$1" 2>&1 | grep 'switch-enum'
}

named()
{
	if switches "$1"; then
		return 1
	fi
}

echo 'enum e { A, B }; int f(enum e x); int f(enum e x) { switch (x) { case A: return 1; default: return 2; } }' \
	>"$scratch/switch.c"
check "found: a switch whose default hides a value" switches "$scratch/switch.c"
(cd "$top_srcdir" && find model src ui -name '*.c' -exec grep -l 'default:' {} + | sort) >"$scratch/with_default"
while read -r source; do
	check "$source: its switches name each value" named "$top_srcdir/$source"
done <"$scratch/with_default"
tap_done
