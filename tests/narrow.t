#!/bin/sh
# 32-bit machines: what reads profiles compiles there without a warning, and nothing but wide.h
# asks for a type of 128 bits, which compilers for them do not have.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -n "${PNAV_COMPILE:-}" ] || skip_all "run by make check, which names the compiler"
cd "$top_builddir" || exit 99

uses_128()
{
	(cd "$top_srcdir" && grep -rlE '__int128' --include='*.[ch]' model src ui tests) |
		grep -vx 'model/base/wide.h\|tests/unit/wide.c'
}
uses_128 >"$scratch/uses"
check "one type of 128 bits" [ ! -s "$scratch/uses" ] || sed 's/^/# /' "$scratch/uses"

# narrow FILE...: compiles them for 32 bits
narrow()
{
	# The options are words, as make has them.
	# shellcheck disable=SC2086
	$PNAV_COMPILE -m32 -fno-sanitize=all -I"$top_srcdir" -Werror -fsyntax-only "$@"
}

printf '#include <stdio.h>\n_Static_assert(sizeof(void *) == 4, "32 bits");\n' >"$scratch/size.c"
if ! narrow "$scratch/size.c" >/dev/null 2>&1; then
	skip "compiled for 32 bits" "the compiler has no headers for -m32"
	tap_done
	exit
fi
echo 'int f(long long x); int f(long long x) { return x ? sizeof(__int128) : 0; }' \
	>"$scratch/wide.c"
not_narrow()
{
	if narrow "$scratch/wide.c" 2>/dev/null; then
		return 1
	fi
}
check "found: a type that is not there" not_narrow

# Libraries have their headers for one kind of machine only, often.
without_library()
{
	grep -LE '#include <(curl|expat|sqlite3|zstd|lzma|lz4|gelf|libelf|dwarf|elfutils|capstone|libiberty)' \
		"$@"
}
for folder in src/input $(cd "$top_srcdir" && find model src/decode -mindepth 1 -type d); do
	# shellcheck disable=SC2046
	check "$folder" narrow $(without_library "$top_srcdir/$folder"/*.c)
done
tap_done
