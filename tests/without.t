#!/bin/sh
# A build without an optional library: the files that use it compile when it and its headers are
# missing.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -n "${PNAV_COMPILE:-}" ] || skip_all "run by make check, which names the compiler"
cd "$top_builddir" || exit 99

# without DEFINE HEADER... -- PATTERN: compiles the files that match, as if the library were missing
without()
{
	define=$1
	shift
	rm -rf "$scratch/lacks"
	mkdir "$scratch/lacks"
	printf '#undef %s\n' "$define" >"$scratch/lacks/undef.h"
	while [ "$1" != -- ]; do
		mkdir -p "$scratch/lacks/$(dirname "$1")"
		printf '#error "%s is missing"\n' "$1" >"$scratch/lacks/$1"
		shift
	done
	# shellcheck disable=SC2046,SC2086 # words
	$PNAV_COMPILE -I"$top_srcdir" -I"$scratch/lacks" -include "$scratch/lacks/undef.h" -Werror \
		-fsyntax-only $(grep -rlE "$2|$define" --include='*.c' "$top_srcdir/src")
}
check "SQLite" without HAVE_SQLITE sqlite3.h -- 'sqlite3_|sql_inside\.h'
check "zstd" without HAVE_LIBZSTD zstd.h -- 'ZSTD_'
check "liblzma" without HAVE_LIBLZMA lzma.h -- 'lzma_'
check "liblz4" without HAVE_LIBLZ4 lz4.h lz4frame.h -- 'LZ4F?_'
check "ISA-L" without HAVE_ISAL isa-l/igzip_lib.h isa-l.h -- 'isal_'
check "expat" without HAVE_EXPAT expat.h -- 'XML_[A-Z]'
check "libcurl" without HAVE_LIBCURL curl/curl.h -- 'curl_'
check "elfutils" without HAVE_LIBDW elfutils/libdw.h elfutils/libdwfl.h libelf.h gelf.h dwarf.h -- 'dwarf_|dwfl_|elf_|gelf_'
check "capstone" without HAVE_CAPSTONE capstone/capstone.h -- 'CS_ARCH|capstone'
check "libiberty" without HAVE_LIBIBERTY libiberty/demangle.h -- 'cplus_demangle|libiberty'

# A file that needs one without a guard is found.
printf '#include <zstd.h>\nsize_t f(void);\nsize_t f(void)\n{\n\treturn ZSTD_compressBound(1);\n}\n' >"$scratch/bare.c"
not_found()
{
	mkdir -p "$scratch/tree/src"
	cp "$scratch/bare.c" "$scratch/tree/src/"
	if (top_srcdir=$scratch/tree && without HAVE_LIBZSTD zstd.h -- 'ZSTD_') >/dev/null 2>&1; then
		return 1
	fi
}
check "found: a library that is used without a guard" not_found
tap_done
