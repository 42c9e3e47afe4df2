#!/bin/sh
# `report --format md`: a table of GitHub's Markdown.  Its cells are those of CSV, and no name can
# end a cell, a line or the table, or mark anything.
leaks=yes
forked=yes
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
	grep -q '^samples (samples): 30; <code>pnav report --view functions --limit 9 names.folded</code>$' &&
	ok "the caption has metric, total and command" ||
	not_ok "the caption has metric, total and command" md

sed 's/ [0-9]*$/ 8/' names.folded >new.folded
"$PNAV" diff --format md names.folded new.folded >md 2>err
head -n 1 md | grep -q 'compared with .*<code>pnav diff --view functions names' &&
	ok "a comparison has a caption" || not_ok "a comparison has a caption" md
check "which separates what a heading has in lines" grep -qF "row's base; samples without time" md
"$PNAV" diff --format csv names.folded new.folded >want
cells 3 <md | diff want - >differ && ok "a comparison has the cells of CSV" ||
	not_ok "a comparison has the cells of CSV" differ
"$PNAV" report --format md names.folded >md
check "numbers are on the right" grep -qF '| --- | --- | ---: | --- | --- | ---: | ---: | ---: |' md
check "an underscore between letters stays" grep -qF '| snake_case_name |' md
check "others do not" grep -qF '\_\_init\_\_' md
"$PNAV" report --view answers --format md names.folded >md
check "answers are sentences" test "$(grep -c '^| hot |' md)" = 1

# again WORDS...: the command of the caption prints the same numbers
again()
{
	verb=$1 all=$*
	shift
	"$PNAV" $verb --format md "$@" >md 2>err
	command=$(head -n 1 md | sed 's/\\\([^A-Za-z0-9 ]\)/\1/g; s/.*<code>pnav//; s/<\/code>$//')
	"$PNAV" $verb --format csv "$@" >want 2>err
	eval "\"\$PNAV\" $command --format csv" >got 2>err
	[ -s want ] && diff want got >differ && ok "the command of $all" ||
		not_ok "the command of $all:$command" differ err
}
cp "$top_srcdir/tests/golden/bsprof-small/input.bsprof" in.bsprof
again report --bsprof-time-unit ms in.bsprof
again report --view callers --limit 3 --sort=-total --columns +module names.folded
again report --view lines --invert --include-self snake names.folded
cat >calls2.json <<'END'
[{"name":"main","ph":"X","pid":1,"tid":1,"ts":0,"dur":8000},
 {"name":"parse","ph":"X","pid":1,"tid":1,"ts":1000,"dur":3000},
 {"name":"parse","ph":"X","pid":1,"tid":1,"ts":5000,"dur":30},
 {"name":"draw","ph":"X","pid":1,"tid":1,"ts":6000,"dur":1000}]
END
again report --view slices --over 1ms --function parse calls2.json
again report --from 0 --to 4ms --base-from 4ms --base-to 8ms --normalize calls2.json
again diff --assume-independent --normalize names.folded new.folded
again diff --old names.folded names.folded --new new.folded new.folded
cp names.folded ./-names.folded
again report ./-names.folded
again report --limit 2 -- -names.folded
again diff --old=-names.folded --old=-names.folded --new new.folded
rm ./-names.folded

# a packed profile is named, not the file that it was made from
"$PNAV" pack -o packed.pnav new.folded && mv new.folded gone
again report packed.pnav
"$PNAV" report --view answers --columns command --format csv packed.pnav >csv
check "the answers name the packed profile" eval 'grep -q packed.pnav csv && ! grep -q folded csv'
"$PNAV" report --view answers --input folded --columns command --format csv names.folded >csv
check "and the options of formats" eval '! grep -v -e "--input folded" csv | grep pnav'

# marks of a session
cat >calls.json <<'END'
[{"name":"main","ph":"X","pid":1,"tid":1,"ts":0,"dur":8000},
 {"name":"parse","ph":"X","pid":1,"tid":1,"ts":1000,"dur":3000}]
END
"$PNAV" pack -o calls.pnav calls.json
cat >my.session <<'END'
# pnav session
file calls.pnav
mark 1000000ns 4ms the *slow* part
mark-select main
mark-select parse
mark - 50% the | first half
mark - - all of it
END
"$PNAV" report --session my.session --view marks --format csv >got 2>err
cat >want <<'END'
mark,from,to,frame
the *slow* part,1000000,4000000,main > parse
the | first half,,4000000,
all of it,,,
END
check "the marks of a session" eval 'tr -d "\r" <got | diff want -'
"$PNAV" report --session my.session --format md >md 2>err
tail -n 4 md >got
cat >want <<'END'

- the \*slow\* part: 1.000 ms to 4.000 ms, main > parse
- the \| first half: begin to 50%
- all of it
END
check "the marks below a table in Markdown" diff want got
"$PNAV" report --view marks --format csv names.folded >got 2>err
check "without a session there are none" test "$(tr -d '\r' <got)" = mark,from,to,frame
printf '# pnav session\nfile names.folded\nmark 1ms 2ms when\n' >my.session
"$PNAV" report --session my.session --view marks --format csv >got 2>err
check "a range of a profile without time has no ends" grep -q '^when,,,' got
tap_done
