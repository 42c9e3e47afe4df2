#!/bin/sh
# Keys in, screen out: the browser without a terminal.  A case is a file
# screens/NAME.screen: lines of '#' that say why the screen is right, then `command:` (diff;
# mostly none), `profile:` (one or more files beside it), `size:`, `options:`, `keys:`, a
# line `---`, and the screen.
# PNAV_SCREEN=NAME runs one.  The profiles are small enough to be counted by hand.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C.UTF-8
export LC_ALL
folder=$top_srcdir/tests/screens

# field NAME FILE: the text after "NAME: " in the head of a case
field()
{
	sed -n "/^---\$/q; s/^$1: \\{0,1\\}//p" "$2"
}

for case in "$folder"/*.screen; do
	name=$(basename "$case" .screen)
	[ -n "${PNAV_SCREEN:-}" ] && [ "$PNAV_SCREEN" != "$name" ] && continue
	sed '1,/^---$/d' "$case" >"$scratch/expected"
	options=$(field options "$case")
	case $options in
	*--snapshot*) ;;
	*) options="$options --snapshot" ;;
	esac
	# Options and files are words without blanks; the keys are one argument.
	# shellcheck disable=SC2086
	(cd "$folder" && "$PNAV" $(field command "$case") --size "$(field size "$case")" \
		$options --keys "$(field keys "$case")" $(field profile "$case")) \
		>"$scratch/screen" 2>"$scratch/err"
	status=$?
	if [ $status -eq 0 ] && [ ! -s "$scratch/err" ] &&
		cmp -s "$scratch/expected" "$scratch/screen"; then
		ok "$name"
		continue
	fi
	{
		echo "exit status $status"
		cat "$scratch/err"
		diff -u "$scratch/expected" "$scratch/screen"
	} >"$scratch/why"
	not_ok "$name" "$scratch/why"
done

# A build one folder below the source tree finds the manual there, which the hints then name: what
# the screens are may not depend on it.
mkdir "$scratch/build" "$scratch/man"
cp "$PNAV_ALONE" "$scratch/build/pnav" && cp "$top_srcdir"/man/pnav-* "$scratch/man/"
"$scratch/build/pnav" --size 100x30 --snapshot "$folder/shop.folded" >"$scratch/below"
"$PNAV" --size 100x30 --snapshot "$folder/shop.folded" >"$scratch/screen"
check "the same screens wherever the build is" cmp "$scratch/screen" "$scratch/below"
(unset PNAV_MANUAL; "$scratch/build/pnav" --size 100x30 --snapshot "$folder/shop.folded") |
	grep -q 'F3 guide' && ok "which names the guide where there is a manual" ||
	not_ok "which names the guide where there is a manual"

(unset PNAV_MANUAL; "$scratch/build/pnav" --size 80x24 --keys 3 --snapshot "$folder/shop.folded") |
	grep -q 'F3 guide' && ok "also in 80 columns, after the first key" ||
	not_ok "also in 80 columns, after the first key"

# What a script cannot say is wrong usage, and says where.
bad()
{
	"$PNAV" --keys "$2" --snapshot "$folder/shop.folded" >"$scratch/out" 2>"$scratch/err"
	status=$?
	if [ $status -eq 2 ] && grep -qF "$3" "$scratch/err" && [ ! -s "$scratch/out" ]; then
		ok "$1"
	else
		not_ok "$1" "$scratch/err"
	fi
}
bad "a word that is no key" "j Entr" "no such key 'Entr' at 3"
bad "a quote that is not closed" "/ 'abc" "the quote at 3 is not closed"
bad "a size that is none" "Resize:0x5" "no such key 'Resize:0x5' at 1"

# Saving writes the screen, and never over a file.
(cd "$scratch" && "$PNAV" --size 80x24 --snapshot --keys "s t Enter" "$folder/shop.folded" \
	>/dev/null 2>&1)
sed '1,/^---$/d' "$folder/flame.screen" >"$scratch/expected"
check "s saves the screen as it is" cmp "$scratch/expected" "$scratch/pnav-screen.txt"
(cd "$scratch" && "$PNAV" --size 80x24 --snapshot --keys "3 s t Enter" "$folder/shop.folded" \
	2>/dev/null | grep -q "File exists") &&
	ok "s does not write over a file" || not_ok "s does not write over a file"
check "and leaves it as it was" cmp "$scratch/expected" "$scratch/pnav-screen.txt"

# The filters that F saves are those that --filter-file reads.
(cd "$scratch" && "$PNAV" --snapshot --keys "\\ 'load' Enter F s 'spec' Enter" \
	"$folder/shop.folded" >/dev/null 2>&1)
"$PNAV" report --format csv --filter-file "$scratch/spec" "$folder/shop.folded" >"$scratch/a" 2>&1
"$PNAV" report --format csv --include load "$folder/shop.folded" >"$scratch/b" 2>&1
check "saved filters give the same numbers" cmp "$scratch/a" "$scratch/b"
tap_done
