#!/bin/sh
# How large things may become (HACKING.md, "Style"): files of 600 lines, functions of 60, lines
# of 100 columns, structures of decoders of 20 fields; and how many files may share a name.
# No decoder fetches memory itself: what several share does that (src/decode/common).
# And no two sources of one archive have the same name: `ar` puts the second in place of the
# first when an archive is brought up to date.  Each rule is also shown a tree that breaks it.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

# A build in the folder of the sources makes these.
written='! -name page_gzip.c ! -name inside_files.c ! -name term_entries.c ! -name units_list.c'

LINES_MAX=600
BODY_MAX=60
COLUMNS_MAX=100
FIELDS_MAX=20
SHARED_MAX=2

# sources ROOT: the sources of a tree
sources()
{
	(cd "$1" && find model src ui -name '*.[ch]' $written | LC_ALL=C sort)
}

# long_files ROOT: every file that is too long
long_files()
{
	(cd "$1" && find model src ui tests -name '*.[ch]' $written | LC_ALL=C sort |
		xargs awk -v most=$LINES_MAX '
		function last()
		{
			if (n > most)
				print file ": " n " lines"
		}
		FNR == 1 { last(); file = FILENAME }
		{ n = FNR }
		END { last() }' /dev/null)
}

# long_functions ROOT: every function whose body, with its braces, is too long.  Both braces
# are at the start of their lines; those of tables do not begin a line, so end nothing.
long_functions()
{
	(cd "$1" && sources . | xargs awk -v most=$BODY_MAX '
		FNR == 1 { begin = 0 }
		/^[a-z].*\(/ { split($0, word, "("); name = word[1] }
		/^\{/ { begin = FNR }
		/^\}/ {
			if (begin && FNR - begin + 1 > most)
				print FILENAME ":" begin ": " name "() has " \
					FNR - begin + 1 " lines"
			begin = 0
		}' /dev/null)
}

# wide_lines ROOT: every line of C that is too wide, at tabs of 8; a character of UTF-8 counts
# once, at its first byte
wide_lines()
{
	(cd "$1" && find model src ui tests -name '*.[ch]' $written | LC_ALL=C sort |
		LC_ALL=C xargs awk -v most=$COLUMNS_MAX '{
			gsub(/[\200-\277]/, "")
			tabs = split($0, part, "\t") - 1
			wide = 0
			for (i = 1; i <= tabs; i++)
				wide = int((wide + length(part[i])) / 8 + 1) * 8
			wide += length(part[tabs + 1])
			if (wide > most)
				print FILENAME ":" FNR ": " wide " columns"
		}')
}

# structures ROOT: every structure of a decoder with too many fields, and how many it has; what is
# nested counts as the one field that it is
structures()
{
	(cd "$1" && find src/decode -name '*.[ch]' $written | LC_ALL=C sort | xargs awk -v most=$FIELDS_MAX '
		FNR == 1 { inside = 0 }
		!inside && /^struct [a-z0-9_]+ \{$/ { inside = 1; name = $2; body = ""; next }
		!inside { next }
		/^\}/ {
			inside = 0
			gsub(/\/\*[^*]*\*+([^\/*][^*]*\*+)*\//, "", body)
			while (gsub(/\{[^{}]*\}|\([^()]*\)|\[[^][]*\]/, "", body))
				;
			if ((n = gsub(/[;,]/, "", body)) > most)
				print name " " n
			next
		}
		{ sub(/\/\/.*/, ""); body = body $0 "\n" }' /dev/null) | LC_ALL=C sort
}

# fetching ROOT: every line of a decoder that fetches memory
fetching()
{
	(cd "$1" && find src/decode -name '*.[ch]' ! -path 'src/decode/common/*' $written |
		LC_ALL=C sort | xargs grep -n __builtin_prefetch /dev/null)
}

# shared_functions ROOT: every name that static functions of too many files have, with the files; such
# names need the prefix of their module
shared_functions()
{
	(cd "$1" && find model src ui -name '*.c' $written | LC_ALL=C sort | xargs awk -v most=$SHARED_MAX '
		FNR == 1 { static = 0 }
		static && match($0, /^\*?[a-z0-9_]+\(/) {
			name = substr($0, RSTART, RLENGTH - 1)
			sub(/^\*/, "", name)
			if (!seen[name, FILENAME]++) {
				n[name]++
				files[name] = files[name] " " FILENAME
			}
		}
		{ static = /^static [^;={(]*$/ }
		END {
			for (name in n)
				if (n[name] > most)
					print name ":" files[name]
		}' /dev/null) | LC_ALL=C sort
}

# shared_structures ROOT: every structure that two files define.  The one of unwinding has a second
# form for builds without elfutils.
shared_structures()
{
	(cd "$1" && sources . | xargs awk '
		/^(static |const )*struct [a-z0-9_]+ \{/ {
			name = $0
			sub(/^.*struct /, "", name)
			sub(/ \{.*/, "", name)
			if (name in first && first[name] != FILENAME && name != "unwinder")
				print name ": " first[name] " " FILENAME
			else
				first[name] = FILENAME
		}' /dev/null)
}

# twins FILE: names that two sources of one archive in this Makemodule.am share
twins()
{
	awk '
		/^lib[a-z]+_a_SOURCES/ { archive = $1 }
		archive && match($0, /[A-Za-z0-9_\/]+\.c/) {
			name = substr($0, RSTART, RLENGTH)
			sub(/^.*\//, "", name)
			if (seen[archive, name]++)
				print archive ": " name
		}
		!/\\$/ { archive = "" }' "$1"
}

# idle FILE...: lines of scripts that end a test with a command which always succeeds, so that
# the test passes whatever came before it
idle()
{
	grep -nE "(^[[:space:]]*|;[[:space:]]*)(rm|kill|wait|true|:|echo|unset)([[:space:]][^;&|']*)?'\$" "$@" /dev/null
}

no_lines()
{
	cat "$1"
	[ ! -s "$1" ]
}

# a_function FILE N: a file with one function whose braces and what is between are N lines
a_function()
{
	awk -v n="$2" 'BEGIN {
		print "static const int table[] = {\n\t1,\n};\n\nstatic int\nmade(int a)\n{"
		for (i = 0; i < n - 2; i++)
			print "\ta++;"
		print "}"
	}' >"$1"
}

mkdir -p "$scratch/tree/model" "$scratch/tree/src" "$scratch/tree/ui/view"
made=$scratch/tree/ui/view/made.c

a_function "$made" $BODY_MAX
long_functions "$scratch/tree" >"$scratch/found"
check "a function of $BODY_MAX lines may be" no_lines "$scratch/found"
a_function "$made" $((BODY_MAX + 1))
long_functions "$scratch/tree" >"$scratch/found"
check "found: a function of one more" grep -q 'ui/view/made.c:7: made() has 61' "$scratch/found"

mkdir "$scratch/tree/tests"
yes '/* a line */' | head -n $LINES_MAX >"$made"
long_files "$scratch/tree" >"$scratch/found"
check "a file of $LINES_MAX lines may be" no_lines "$scratch/found"
echo >>"$made"
long_files "$scratch/tree" >"$scratch/found"
check "found: a file of one more" grep -q 'ui/view/made.c: 601 lines' "$scratch/found"

awk 'BEGIN { printf "\t/* \303\244"; for (i = 0; i < 85; i++) printf "x"; print " */" }' >"$made"
wide_lines "$scratch/tree" >"$scratch/found"
check "a line of $COLUMNS_MAX columns may be" no_lines "$scratch/found"
awk 'BEGIN { print ""; printf "\t/* "; for (i = 0; i < 87; i++) printf "x"; print " */" }' >"$made"
wide_lines "$scratch/tree" >"$scratch/found"
check "found: a line of one more" grep -qx 'ui/view/made.c:2: 101 columns' "$scratch/found"

mkdir -p "$scratch/tree/src/decode"
awk 'BEGIN {
	print "struct kept {\n\tint a, /* b, c; */ b;\n\tVEC(struct x) at;\n\tstruct {\n\t\tint c, d;\n\t} in;"
	for (i = 4; i < 20; i++)
		print "\tint (*f" i ")(int a, int b);"
	print "};"
}' >"$scratch/tree/src/decode/made.h"
structures "$scratch/tree" >"$scratch/found"
check "a structure of $FIELDS_MAX fields may be" no_lines "$scratch/found"
sed -i 's/^\tint a,/\tint z[2], a,/' "$scratch/tree/src/decode/made.h"
structures "$scratch/tree" >"$scratch/found"
check "found: a structure of one more" grep -qx 'kept 21' "$scratch/found"

mkdir "$scratch/tree/src/decode/common"
echo '	__builtin_prefetch(at);' >"$scratch/tree/src/decode/common/made.h"
fetching "$scratch/tree" >"$scratch/found"
check "what decoders share may fetch memory" no_lines "$scratch/found"
cp "$scratch/tree/src/decode/common/made.h" "$scratch/tree/src/decode/made.h"
fetching "$scratch/tree" >"$scratch/found"
check "found: a decoder that does" grep -q '^src/decode/made.h:1:' "$scratch/found"

for file in model/a.c src/b.c; do
	printf 'static int\nput(int a)\n{\n}\n\nstruct row_of_%s {\n};\n' "$(basename $file .c)" \
		>"$scratch/tree/$file"
done
shared_functions "$scratch/tree" >"$scratch/found"
check "a name of $SHARED_MAX static functions may be" no_lines "$scratch/found"
shared_structures "$scratch/tree" >"$scratch/found"
check "structures with names of their own may be" no_lines "$scratch/found"
printf 'static const char *\nput(int a)\n{\n}\n\nstatic const struct row_of_a {\n\tint x;\n} rows[] = {{1}};\n' \
	>"$scratch/tree/ui/view/c.c"
shared_functions "$scratch/tree" >"$scratch/found"
check "found: a name of one more" grep -qx 'put: model/a.c src/b.c ui/view/c.c' "$scratch/found"
shared_structures "$scratch/tree" >"$scratch/found"
check "found: a structure with the name of another" \
	grep -qx 'row_of_a: model/a.c ui/view/c.c' "$scratch/found"

printf 'liba_a_SOURCES = \\\n\tsrc/x/one.c \\\n\tsrc/y/one.h\nlibb_a_SOURCES = \\\n\tsrc/y/one.c\n' \
	>"$scratch/module"
twins "$scratch/module" >"$scratch/found"
check "a name in two archives may be" no_lines "$scratch/found"
printf 'liba_a_SOURCES = \\\n\tsrc/x/one.c \\\n\tsrc/y/one.c\n' >"$scratch/module"
twins "$scratch/module" >"$scratch/found"
check "found: a name twice in one" grep -q 'liba_a_SOURCES: one.c' "$scratch/found"

printf "check a eval 'false && rm x'\ncheck b eval 'kill 1; false'\n" >"$scratch/one.t"
idle "$scratch/one.t" >"$scratch/found"
check "a test may end with what fails" no_lines "$scratch/found"
printf "check a eval 'false; rm x'\ncheck b eval '\n\tfalse\n\twait \$x'\n" >"$scratch/one.t"
idle "$scratch/one.t" >"$scratch/found"
check "found: tests that always pass" test "$(wc -l <"$scratch/found")" = 2
idle "$top_srcdir"/tests/*.t >"$scratch/found"
check "no test ends with a command that always succeeds" no_lines "$scratch/found"

long_files "$top_srcdir" >"$scratch/files"
check "no file has more than $LINES_MAX lines" no_lines "$scratch/files"
long_functions "$top_srcdir" >"$scratch/functions"
check "no function has more than $BODY_MAX lines" no_lines "$scratch/functions"
wide_lines "$top_srcdir" >"$scratch/wide"
check "no line has more than $COLUMNS_MAX columns" no_lines "$scratch/wide"
structures "$top_srcdir" >"$scratch/structures"
check "no structure of a decoder has more than $FIELDS_MAX fields" no_lines "$scratch/structures"
fetching "$top_srcdir" >"$scratch/fetching"
check "no decoder fetches memory itself" no_lines "$scratch/fetching"
shared_functions "$top_srcdir" >"$scratch/shared"
check "no name of static functions in more than $SHARED_MAX files" no_lines "$scratch/shared"
shared_structures "$top_srcdir" >"$scratch/shared"
check "no structure has the name of another file's" no_lines "$scratch/shared"
for module in model src ui; do
	twins "$top_srcdir/$module/Makemodule.am" >"$scratch/twins"
	check "each name once in an archive of $module/" no_lines "$scratch/twins"
done
tap_done
