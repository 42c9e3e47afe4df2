#!/bin/sh
# report --view answers: columns, order, lens, intervals. Numbers are compared with those of other
# views. tests/unit/answers.c plants faults and counts which are found.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

sample=$top_srcdir/data/sample.perfscript.gz

cat >hot.folded <<'END'
main;parse;eat 30
main;draw;eat 10
main;parse 25
main;draw 35
END
"$PNAV" report --view answers --format csv hot.folded >csv
check "the columns" grep -qx 'answer,question,text,notable,command,subject,name,value,unit,low,high' csv
check "every number is a row" test "$(grep -c '^runtime,' csv)" = 7
check "text has a row for each answer" \
	test "$("$PNAV" report --view answers hot.folded | grep -c '^runtime ')" = 1
check "hot: 40 of 100 is eat, with Wilson's interval" \
	grep -q '^hot,.*,eat,share,40,%,30.94[0-9]*,49.79[0-9]*$' csv
check "hot: 30 of 40 for parse" grep -q '^hot,.*,parse,caller_share,75,%,,$' csv
"$PNAV" report --view answers --include parse --format csv hot.folded >csv
check "the lens applies" grep -q '^hot,.*,eat,share,30,%,' csv
check "the command has the lens" \
	grep -q ',pnav report --include parse --limit 10 hot.folded,' csv
"$PNAV" report --view answers --by module --invert --format csv hot.folded >csv
check "answers are about functions, whatever the rows are" \
	grep -q '^hot,.*,eat,share,40,%,' csv

printf 'main;%sleaf 9\nmain;malloc;brk 1\n' "$(yes 'down;' | head -120 | tr -d '\n')" >deep.folded
"$PNAV" report --view answers --format csv deep.folded >csv
check "recursion: its depth" grep -q '^recursion,.*,down,depth,120,count,,$' csv
check "recursion: 100 deep is notable" grep -q '^recursion,[^,]*,[^,]*,1,' csv
check "runtime: what an allocator calls is allocation" \
	grep -q '^runtime,.*,allocator,share,10,%,' csv
printf 'main;[unknown] 6\nmain;a 94\n' >unknown.folded
"$PNAV" report --view answers --format csv unknown.folded >csv
check "trust: what has no name" grep -q '^trust,.*,unknown,share,6,%,,$' csv
check "trust: 6 % of it is notable" grep -q '^trust,[^,]*,"6.0 % of the cost has no name, from 100 samples",1,' csv

share=$("$PNAV" report --limit 1 --columns share --format csv "$sample" | sed -n 2p)
hot=$("$PNAV" report --view answers --columns answer,name,value --format csv "$sample" |
	sed -n 's/^hot,share,//p')
check "hot agrees with the functions: $share, $hot" \
	awk -v a="$share" -v b="$hot" 'BEGIN { exit !(a - b < 0.01 && b - a < 0.01) }'
"$PNAV" report --view answers --columns notable --format csv "$sample" | sed 1d >order
check "the most notable are first" sh -c 'sort -rn order | cmp - order'
# the browser
screen()
{
	"$PNAV" --size 120x30 --keys "$1" --snapshot "$2" 2>&1
}
PNAV_MANUAL=$top_srcdir/man
export PNAV_MANUAL
screen F3 unknown.folded >list
check "F3: notable answers are above the questions" \
	sh -c 'grep -n "! 6.0 % of the cost has no name\|What is hot?" list | head -1 | grep -q "6.0 %"'
check "F3: the others are below them" \
	sh -c 'sed "1,/Can I trust/d" list | grep -q "no function calls itself"'
check "Enter on an answer starts its question" \
	sh -c '"$1" --size 120x30 --keys "F3 / \"of the cost\" Enter" --snapshot unknown.folded | grep -q "Can I trust these numbers?"' sh "$PNAV"

if built_with HAVE_SQLITE; then
	"$PNAV" sql --format csv \
		"SELECT value FROM report_answers WHERE answer = 'hot' AND name = 'share'" \
		hot.folded >sql
	check "SQL has them" grep -qx 40 sql
fi
tap_done
