#!/bin/sh
# The files for desktops: valid for the tools of freedesktop.org, and each MIME type that the
# desktop file opens is described, with the magic number that pnav itself looks for.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

# by PROGRAM PROMISE ARG...: PROGRAM accepts a file
by()
{
	program=$1 promise=$2
	shift 2
	if command -v "$program" >/dev/null 2>&1; then
		check "$promise" "$program" "$@"
	else
		skip "$promise" "there is no $program"
	fi
}

data=$top_srcdir/data
by desktop-file-validate "the desktop file is valid" "$data/pnav.desktop"
by appstreamcli "the metainfo file is valid" validate --no-net "$data/pnav.metainfo.xml"
by xmllint "the MIME types are XML" --noout "$data/pnav.xml"

described()
{
	sed -n 's/^MimeType=//p' "$data/pnav.desktop" | tr ';' '\n' | sed '/^$/d' >"$scratch/opened"
	sed -n 's/.*<mime-type type="\(.*\)">.*/\1/p' "$data/pnav.xml" >"$scratch/described"
	sort "$scratch/opened" >"$scratch/a"
	sort "$scratch/described" >"$scratch/b"
	[ -s "$scratch/a" ] && cmp "$scratch/a" "$scratch/b"
}
check "each type is described and opened" described

# A head with the magic number makes a file of this format to pnav.
known()
{
	printf "$2" >"$scratch/head"
	"$PNAV" report "$scratch/head" >"$scratch/out" 2>&1
	[ -s "$scratch/out" ] && ! grep -q "not a format that pnav reads" "$scratch/out" &&
		grep -qF "value=\"$1\"" "$data/pnav.xml"
}
check "PERFILE2 is perf.data to pnav too" known 'PERFILE2' 'PERFILE2\150\0\0\0\0\0\0\0'
check "FLR is a recording of Java too" known 'FLR\0' 'FLR\0\0\2\0\0\0\0\0\0\0\0\0\0'
# Each magic number in a probe has a type.
find "$top_srcdir/src/decode" -name '*.c' ! -name 'hints*.c' -exec sed -n 's/.*memcmp(head.at, "\([^"]*\)".*/\1/p
	s/^#define MAGIC "\([^"]*\)".*/\1/p
	s/.*DECODER_MAGIC("\([^"]*\)").*/\1/p' {} + | grep -v '^.xF' | sort -u >"$scratch/magic"
sed -n 's/^#define PACK_MAGIC "\([^"]*\)".*/\1/p' "$top_srcdir/model/profile/pack_form.h" >>"$scratch/magic"
check "the magic numbers of formats are found" test "$(wc -l <"$scratch/magic")" -ge 10
while read -r magic; do
	case $magic in *'format 3') continue ;; esac # databases have a type of their own
	check "a type for $magic" grep -qF "value=\"$magic" "$data/pnav.xml"
done <"$scratch/magic"
tap_done
