#!/bin/sh
# Manners of every view (pnav(1), THE BROWSER): any size, resized at any moment, with few
# colours or none, and in ASCII alone.  Screens that were looked at are in screens/; this
# is what must hold of all of them.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C.UTF-8
export LC_ALL
beat=$top_srcdir/tests/screens/beat.perf.txt
views=$("$PNAV" --keys "?" --snapshot --size 100x200 "$beat" |
	sed -n '/^  Views$/,/^  Everywhere$/s/^    \([0-9]\) .*/\1/p')
[ -n "$views" ] || skip_all "the help lists no views"

# fits COLUMNS LINES FILE: so many lines, none wider (sed counts characters, awk bytes)
fits()
{
	sed 's/./x/g' "$3" | awk -v w="$1" -v h="$2" '
		length($0) > w { print "line " NR " has " length($0) " columns"; bad = 1 }
		END {
			if (NR != h) { print NR " lines"; bad = 1 }
			exit bad
		}'
}

# states: what may be on the screen, as keys
states()
{
	for view in $views; do
		echo "$view"
		echo "$view j j"
	done
	cat <<'KEYS'
? j
s
F
x
M
t
m
/ 'work'
\ 'work'
\ '('
: 'hi'
1 j j Enter
2 E j j j
3 > > j
Tab Right Right [ S-Right ]
KEYS
}

for size in 80x24 60x15 300x90 40x10; do
	w=${size%x*}
	h=${size#*x}
	: >"$scratch/why"
	states | while read -r keys; do
		"$PNAV" --size $size --snapshot --keys "$keys" "$beat" >"$scratch/screen" 2>&1
		fits "$w" "$h" "$scratch/screen" >"$scratch/bad" || {
			echo "after $keys:"
			cat "$scratch/bad"
		} >>"$scratch/why"
	done
	check "$size: every screen has that size" test ! -s "$scratch/why"
done

# A terminal that becomes large, tiny and what it was shows what it showed; the views may
# have scrolled, so the line of the selection, two lines above the end, is what is compared.
: >"$scratch/why"
states | while read -r keys; do
	"$PNAV" --snapshot --keys "$keys" "$beat" >"$scratch/before" 2>&1
	"$PNAV" --snapshot --keys "$keys Snapshot Resize:300x90 Snapshot Resize:10x3 Snapshot Resize:80x24" \
		"$beat" 2>&1 | awk '/^\f$/ { n++; next } n == 3' >"$scratch/after"
	tail -n 2 "$scratch/before" >"$scratch/a"
	tail -n 2 "$scratch/after" >"$scratch/b"
	{
		cmp "$scratch/a" "$scratch/b" && fits 80 24 "$scratch/after"
	} >>"$scratch/why" 2>&1 || echo "after $keys" >>"$scratch/why"
done
if [ -s "$scratch/why" ]; then
	not_ok "resized at any moment, and back" "$scratch/why"
else
	ok "resized at any moment, and back"
fi

# over WHAT PATTERN OPTION...: no screen with these options has the pattern
over()
{
	what=$1
	pattern=$2
	shift 2
	: >"$scratch/why"
	states | while read -r keys; do
		"$PNAV" "$@" --keys "$keys" "$beat" 2>&1 | LC_ALL=C grep -n "$pattern" >"$scratch/bad" &&
			{
				echo "after $keys:"
				cat "$scratch/bad"
			} >>"$scratch/why"
	done
	if [ -s "$scratch/why" ]; then
		not_ok "$what" "$scratch/why"
	else
		ok "$what"
	fi
}

esc=$(printf '\033')
over "--ascii: ASCII alone" '[^ -~]' --snapshot --ascii
over "no colours: none at all" "$esc\\[[0-9;]*[34][0-9]" --snapshot=ansi --color=never
over "8 colours: those alone" "$esc\\[[0-9;]*\\([34]8;5\\|;9[0-7]\\|;10[0-7]\\)" \
	--snapshot=ansi --color=8
NO_COLOR=1
export NO_COLOR
over "NO_COLOR: none at all" "$esc\\[[0-9;]*[34][0-9]" --snapshot=ansi
NO_COLOR=
"$PNAV" --snapshot=ansi "$beat" >"$scratch/screen"
check "an empty NO_COLOR does not count" grep -q "38;5" "$scratch/screen"

# Without colours a selection is still seen: each view marks it with a character.
"$PNAV" --snapshot --ascii --keys "1 j" "$beat" >"$scratch/screen"
check "the selected box has brackets" grep -q '^\[ .*all\|\[ *main .*\]' "$scratch/screen"
"$PNAV" --snapshot --ascii --keys "3 j" "$beat" >"$scratch/screen"
check "the selected line has an arrow" grep -q '^>' "$scratch/screen"

# The manual opens at the section of the view and can be searched, with mandoc where it is
# there and without.
PNAV_MANUAL=$top_srcdir/man/pnav-browse.1
export PNAV_MANUAL
manual()
{
	for view in $views; do
		"$PNAV" --snapshot --keys "$view" "$beat" | sed -n 's/.*\[. \([a-z]*\)\].*/\1/p' >"$scratch/name"
		name=$(cat "$scratch/name")
		(
			PATH=$1
			"$PNAV" --snapshot --keys "$view H" "$beat"
		) >"$scratch/screen" 2>&1
		head -n 2 "$scratch/screen" | grep -q "The $name view" ||
			echo "view $view: no section 'The $name view'"
	done >"$scratch/why"
	(
		PATH=$1
		"$PNAV" --snapshot --keys "H / 'resume a session' Enter" "$beat"
	) >"$scratch/screen" 2>&1
	grep -q "Resume a session" "$scratch/screen" || cat "$scratch/screen" >>"$scratch/why"
	cat "$scratch/why"
	test ! -s "$scratch/why"
}
check "F1 opens the manual at the view, without mandoc" manual /nonexistent
if command -v mandoc >/dev/null 2>&1; then
	check "and with mandoc" manual "$PATH"
else
	skip "and with mandoc" "mandoc is not installed"
fi

# A locale that is not UTF-8 is ASCII without an option.
LC_ALL=C "$PNAV" --snapshot "$beat" >"$scratch/screen"
if LC_ALL=C grep -q '[^ -~]' "$scratch/screen"; then
	not_ok "LC_ALL=C is ASCII" "$scratch/screen"
else
	ok "LC_ALL=C is ASCII"
fi
tap_done
