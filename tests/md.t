#!/bin/sh
# `report --format md`: a table of GitHub's Markdown.  Its cells are those of CSV, and no name can
# end a cell, a line or the table, or mark anything.
leaks=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99

cat >names.folded <<'END'
main;a|b 3
main;`rm` <b>bold</b> 5
main;*x*_y_ [z](http://w) ~s~ #1 7
main;__init__,"q" 2
main;snake_case_name 4
main;back\slash \& &amp; more 9
END
# reads a table: cells at bars that have no backslash before them
cells()
{
	awk -v first="$1" 'NR < first || NR == 4 { next }
	{
		n = 0; line = cell = ""
		for (i = 2; i <= length($0); i++) {
			c = substr($0, i, 1)
			if (c == "|") {
				gsub(/^ | $/, "", cell)
				if (cell ~ /[",]/) {
					gsub(/"/, "\"\"", cell)
					cell = "\"" cell "\""
				}
				line = line (n++ ? "," : "") cell
				cell = ""
			} else {
				if (c == "\\" && substr($0, i + 1, 1) !~ /[A-Za-z0-9 ]/)
					c = substr($0, ++i, 1)
				cell = cell c
			}
		}
		print line
	}'
}
for view in functions tree tracks info; do
	"$PNAV" report --view $view --format md names.folded >md 2>err || not_ok "status" err
	"$PNAV" report --view $view --format csv names.folded >want
	cells 3 <md >got
	diff want got >differ && ok "$view: the cells of CSV" || not_ok "$view: the cells of CSV" differ
done
"$PNAV" report --format md --limit 9 names.folded >md

bars=$(sed -n '3,$p' md | sed 's/\\.//g' | awk '{ print gsub(/\|/, "") }' | sort -u | wc -l)
[ "$bars" -eq 1 ] && ok "all lines have as many cells" || not_ok "all lines have as many cells" md
sed -n '5,$p' md | sed 's/\\.//g' | grep '[`*[<~&]' >marks
[ ! -s marks ] && ok "no name marks anything" || not_ok "no name marks anything" marks
head -n 1 md | sed 's/\\//g' |
	grep -q '^samples (samples): 30; <code>pnav report --view functions names.folded</code>$' &&
	ok "the caption has metric, total and command" ||
	not_ok "the caption has metric, total and command" md

sed 's/ [0-9]*$/ 8/' names.folded >new.folded
"$PNAV" diff --format md names.folded new.folded >md 2>err
head -n 1 md | grep -q 'compared with .*<code>pnav diff --view functions names' &&
	ok "a comparison has a caption" || not_ok "a comparison has a caption" md
"$PNAV" diff --format csv names.folded new.folded >want
cells 3 <md | diff want - >differ && ok "a comparison has the cells of CSV" ||
	not_ok "a comparison has the cells of CSV" differ
"$PNAV" report --format md names.folded >md
check "numbers are on the right" grep -qF '| --- | --- | ---: | --- | --- | ---: | ---: | ---: |' md
check "an underscore between letters stays" grep -qF '| snake_case_name |' md
check "others do not" grep -qF '\_\_init\_\_' md
"$PNAV" report --view answers --format md names.folded >md
check "answers are sentences" test "$(grep -c '^| hot |' md)" = 1
tap_done
