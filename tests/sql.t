#!/bin/sh
# `pnav sql` as a command: options, forms of answers, exit statuses, queries that are stored.
# What the tables say is compared in tests/unit/sql.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
printf 'main;parse;read 3\nmain;draw 2\nmain;"quoted, name" 1\n' >small.folded
if ! "$PNAV" sql 'SELECT 1' small.folded >out 2>err; then
	check "without SQLite it says how to get it" grep -q 'pnav: this pnav was built without SQLite: install' err
	"$PNAV" sql 'SELECT 1' small.folded >/dev/null 2>&1
	check "and the exit status is 2" test $? = 2
	tap_done
	exit
fi

# answers NAME STATUS EXPECTED [ARGUMENT...]
answers()
{
	name=$1 want=$2
	printf "$3" >expected
	shift 3
	"$PNAV" sql "$@" >out 2>err </dev/null
	status=$?
	[ $status = "$want" ] && cmp -s expected out && ok "$name" && return
	diff expected out >differ
	echo "status $status" >>differ
	cat err >>differ
	not_ok "$name" differ
}

# refuses NAME WORDS [ARGUMENT...]
refuses()
{
	name=$1 words=$2
	shift 2
	"$PNAV" sql "$@" >out 2>err </dev/null
	status=$?
	[ $status = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "$words" err && ok "$name" && return
	echo "status $status" >>err
	not_ok "$name" err
}

query='SELECT function, self, total, line FROM report_functions ORDER BY self DESC LIMIT 2'
answers "text" 0 'function  self  total  line\nread         3      3  \ndraw         2      2  \n' \
	"$query" small.folded
answers "csv" 0 'function,self,total,line\nread,3,3,\ndraw,2,2,\n' --format csv "$query" small.folded
answers "csv quotes" 0 'function,n\n"""quoted, name""",1.5\n' --format csv \
	"SELECT function, self * 1.5 AS n FROM report_functions WHERE self = 1" small.folded
answers "json" 0 '{"columns": ["function", "self", "total", "line"],\n "rows": [\n  ["read", 3, 3, null],\n  ["draw", 2, 2, null]\n ]}\n' \
	--format json "$query" small.folded
answers "ndjson" 0 '{"function": "read", "n": 3, "x": null}\n{"function": "draw", "n": 2.5, "x": null}\n{"\\"": 1}\n' --format ndjson \
	"SELECT function, iif(self = 2, 2.5, self) AS n, NULL AS x FROM report_functions WHERE self > 1 ORDER BY self DESC; SELECT 1 AS '\"'" small.folded
answers "md, numbers to the right" 0 '| function | half\\|1 | none |\n| --- | ---: | --- |\n| draw | 1 |  |\n| "quoted, name" | 0.5 |  |\n' --format md \
	"SELECT function, self * 0.5 AS 'half|1', NULL AS none FROM report_functions WHERE self BETWEEN 1 AND 2 ORDER BY self DESC" small.folded
answers "md without rows" 0 '| name |\n| --- |\n' --format md "SELECT name FROM functions WHERE 0" small.folded
"$PNAV" report --format ndjson --columns function,self,line --sort self --limit 2 small.folded >out 2>err
check "report has the same form" test "$(cat out)" = '{"function": "read", "self": 3, "line": null}
{"function": "draw", "self": 2, "line": null}'
"$PNAV" report --view functions --format ndjson small.folded >report 2>err
"$PNAV" export -o x.jsonl small.folded 2>>err
check "export too, by the name of the file" cmp report x.jsonl
answers "the lens of the command line" 0 'function\nmain\ndraw\n' --format csv --include draw \
	'SELECT function FROM report_tree' small.folded
answers "it holds for samples, too" 0 'n\n2\n' --format csv --include draw \
	'SELECT sum(value) AS n FROM samples' small.folded
answers "a lens of the query" 0 'function\ndraw\n' --format csv \
	"SELECT function FROM report_tree('--include draw --root draw')" small.folded
answers "a lens in WHERE, of several" 0 'lens,n\n--root draw,1\n--root parse,2\n' --format csv \
	"SELECT column1 AS lens, (SELECT count(*) FROM report_functions WHERE lens = column1) AS n
	FROM (VALUES('--root draw'), ('--root parse'))" small.folded
answers "several queries" 0 'a\n1\n\nb\n2\n' --format csv \
	'SELECT 1 AS a; -- nothing
	CREATE TEMP TABLE t AS SELECT 2 AS b; SELECT * FROM t;' small.folded
answers "--limit" 0 'function\nmain\n' --format csv --limit 1 'SELECT function FROM report_tree' small.folded
echo 'SELECT stack_path(id) AS path FROM stacks WHERE depth = 2' >query.sql
printf '.tables\nSELECT 1 AS a,\n\n2 AS b; -- and\n.query hottest-stacks\n.schema inf_\nSELECT 3 AS c' >prompt
"$PNAV" sql -i --format csv small.folded <prompt >out 2>err
status=$?
check "-i reads queries that end with a semicolon, and the last one without" eval '
	[ $status = 0 ] && [ ! -s err ] && grep -qx a,b out && grep -qx 1,2 out && [ "$(tail -n 1 out)" = 3 ]'
check "... and commands" eval '
	[ "$(grep -cx "samples\|report_tree" out)" = 2 ] && grep -q "^3,1,main;parse;read,3$" out && grep -qx "info,key,text," out'
printf 'SELECT nmae FROM functions;\n.wrong\nSELECT 1 AS a;\n' | "$PNAV" sql -i --format csv small.folded >out 2>err
status=$?
check "... and goes on after errors, which its status reports" eval '
	[ $status = 2 ] && [ "$(tail -n 1 out)" = 1 ] && grep -q "did you mean .name" err && grep -q "no command .\.wrong" err'
refuses "-i takes no stored query" "one of them" -i --query counters small.folded
answers "--script" 0 'path\nmain;parse;read\n' --format csv -f query.sql small.folded
"$PNAV" sql --format csv 'SELECT name FROM functions WHERE name REGEXP "^R"' small.folded >out 2>err
check "names in double quotes are columns" grep -q 'no such column: "*^R.*, at' err
"$PNAV" sql "SELECT 'x' REGEXP '=fn:('" small.folded >out 2>err
check "REGEXP: the message has the user's pattern and place" grep -qF "pattern '=fn:(': at 5: missing" err
"$PNAV" sql --format csv "SELECT name FROM functions WHERE name REGEXP '^r'" - <small.folded >out 2>err
check "from standard input" test "$(cat out)" = 'name
read'
refuses "a wrong word has its place" 'near "functions": syntax error, at 15: SELECT 1 FORM >>>functions' \
	'SELECT 1 FORM functions' small.folded
refuses "an unknown column has its place" 'no such column: nmae, at 8: SELECT >>>nmae' 'SELECT nmae FROM functions' small.folded
answers "a percentile of integers is exact" 0 'p,middle,low\n9223372036854775807,9007199254740993,1.5\n' --format csv \
	"SELECT percentile(column1, 100) AS p, percentile(column1, 50) AS middle,
	percentile(iif(column1 > 1e18, 1.5, column1), 25) AS low
	FROM (VALUES(9223372036854775807), (9007199254740993), (9007199254740992), (9223372036854775806))" small.folded
answers "numbers beyond all units" 0 'a,b,c\n9223 P,-9223 P,"1,500"\n' --format csv \
	"SELECT human(9e999, 'count') AS a, human(-9e999, 'count') AS b, human(1499.7, 'count') AS c" small.folded
answers "median, stddev and percentile over a window" 0 'm,p,s\n4,4,\n6,4,2.828427124746\n4,4,3.055050463304\n8,8,3.464101615138\n5,2,4.242640687119\n' --format csv \
	"SELECT median(x) OVER w AS m, percentile(x, 50) OVER w AS p, round(stddev(x) OVER w, 12) AS s
	FROM (SELECT column1 AS i, column2 AS x FROM (VALUES(1, 4), (2, 8), (3, 2), (4, 8), (5, NULL), (6, 2)))
	WHERE i <> 3 OR x IS NOT NULL WINDOW w AS (ORDER BY i ROWS 2 PRECEDING) LIMIT 5" small.folded
# a window that grows to a thousand values, and then loses them, has what a subquery has
answers "percentiles of long windows" 0 'n\n0\n' --format csv \
	"WITH RECURSIVE v(i, x) AS (SELECT 1, 1 UNION ALL SELECT i + 1, x * 7919 % 1009 FROM v WHERE i < 1600),
	w AS (SELECT i, percentile(x, 30) OVER (ORDER BY i ROWS 1099 PRECEDING) AS p FROM v)
	SELECT count(*) AS n FROM w WHERE i % 53 = 0 AND NOT (SELECT sum(x < p) < (count(*) * 30 + 99) / 100
		AND sum(x <= p) >= (count(*) * 30 + 99) / 100 FROM v AS o WHERE o.i BETWEEN w.i - 1099 AND w.i)" small.folded
cat >calls.json <<'EOF2'
[{"ph":"X","tid":1,"ts":0,"dur":10,"name":"main","args":{"id":7,"user":"ann"}},
{"ph":"X","tid":1,"ts":1,"dur":4,"name":"load"}, {"ph":"X","tid":1,"ts":2,"dur":1,"name":"read"},
{"ph":"X","tid":1,"ts":6,"dur":3,"name":"load"}, {"ph":"X","tid":2,"ts":3,"dur":1,"name":"sync"}]
EOF2
answers "slices have parents, and a time of their own" 0 'name,parent,duration,self\nmain,,10000,3000\nload,main,4000,3000\nread,load,1000,1000\nload,main,3000,3000\nsync,,1000,1000\n' \
	--format csv "SELECT f.name, (SELECT g.name FROM slices AS p JOIN functions AS g ON g.id = p.function WHERE p.id = s.parent)
	AS parent, duration, self FROM slices AS s JOIN functions AS f ON f.id = s.function ORDER BY s.id" calls.json
answers "the parent is known in a part of the time, too" 0 'n,same\n2,2\n' --format csv \
	"SELECT count(*) AS n, sum(parent IN (SELECT id FROM slices)) AS same FROM slices WHERE start BETWEEN 2000 AND 6000 AND track = 0" calls.json
answers "label() is a value of a set" 0 'user,id,none\nann,7,\n' --format csv \
	"SELECT label(labels, 'user') AS user, label(labels, 'id') AS id, label(labels, 'i') AS none FROM slices WHERE labels" calls.json
cat >decimal.json <<'END'
{"traceEvents":[{"ph":"X","name":"a","ts":0,"dur":100,"pid":1,"tid":1,"args":{"x":2.5,"v":"3.10","s":"3"}},
{"ph":"X","name":"b","ts":200,"dur":300,"pid":1,"tid":1,"args":{"x":10.25}}]}
END
answers "label() of a decimal is a number if it prints as the file has it" 0 'a,b,c,d\n2.5,1,1,1\n10.25,0,,\n' --format csv \
	"SELECT label(labels, 'x') AS a, label(labels, 'x') < 3 AS b, label(labels, 'v') = '3.10' AS c, label(labels, 's') = '3' AS d FROM slices" decimal.json
decimals='key,value,number\ns,3,3\nv,3.10,3.1\nx,10.25,10.25\nx,2.5,2.5\n'
answers "... and labels has its number" 0 "$decimals" --format csv 'SELECT key, value, number FROM labels ORDER BY 1, 2' decimal.json
check "... also in an exported database" eval '
	"$PNAV" export --format sqlite -o decimal.db decimal.json 2>err &&
	"$PNAV" sql --format csv "SELECT DISTINCT key, value, number FROM labels ORDER BY 1, 2" decimal.db >got && printf "$decimals" | cmp - got'
answers "keywords have second names" 0 'n\n10000\n2\n' --format csv \
	'SELECT max(finish) AS n FROM slices UNION ALL SELECT count(*) FROM labels WHERE label_set = (SELECT min("set") FROM labels)' calls.json
answers "samples are of the default metric" 0 'time,stack\n0,1\n' --format csv --limit 1 'SELECT time, stack FROM samples' calls.json
answers "... and no sum mixes metrics" 0 'a,b,n\n11000,11000,5\n' --format csv \
	"SELECT sum(value) AS a, (SELECT sum(value) FROM samples WHERE metric = 'time') AS b,
	(SELECT sum(value) FROM samples WHERE metric = 'calls') AS n FROM samples" calls.json
answers "... unless the query names the metric" 0 'metric,value\ncalls,5\ntime,11000\n' --format csv \
	"SELECT metric, sum(value) AS value FROM samples GROUP BY metric" calls.json
printf 'main;parse;read 5\nmain;paint 2\n' >new.folded
answers "a comparison has sides" 0 'name,side\ndraw,old\nmain,both\npaint,new\nparse,both\n"""quoted, name""",old\nread,both\n' --format csv \
	"SELECT name, side FROM functions ORDER BY replace(name, '\"', 'q')" --old small.folded --new new.folded
answers "... of events, too" 0 'side,value\nnew,7\nold,6\n' --format csv \
	"SELECT side, sum(value) AS value FROM samples GROUP BY side" --old small.folded --new new.folded
refuses "a comparison takes no other files" "need no other files" --query counters --old small.folded --new new.folded new.folded
refuses "an unknown name has the nearest" "FROM functions: did you mean 'name'?" 'SELECT nmae FROM functions' small.folded
refuses "... or all names of its tables" ": choose from function, file, line, module, " \
	'SELECT name, self FROM report_functions' small.folded
refuses "... of functions, too" "did you mean 'median'?" 'SELECT mediam(1)' small.folded
refuses "... and of tables" "did you mean 'functions'?" 'SELECT * FROM functionz' small.folded
for format in csv json text; do
	refuses "$format: a query that fails at once" "integer overflow" --format $format \
		"SELECT abs(-9223372036854775808) AS x" small.folded
	[ -s out ] && not_ok "$format: no headings of it" out || ok "$format: no headings of it"
done
refuses "no query at all" 'there is no query'
refuses "a file alone is none" "'small.folded' is a file, and there is no query" small.folded
refuses "nor is it one before the query" "the query comes before it" small.folded "$query"
refuses "an unknown table says which there are" 'no such table: functionz; choose from samples, slices, points, info, metrics, tracks, functions, frames, stacks, labels, report_functions, ' \
	'SELECT * FROM functionz' small.folded
refuses "a query of nothing" 'there is no query' '/* nothing */' small.folded
refuses "two ways at once" 'one of them' -f query.sql --query x small.folded
refuses "a script that is not there" "cannot be read" -f none.sql small.folded
refuses "nothing is written" 'not authorized' "ATTACH 'other.db' AS other" small.folded
check "and no file is made" test ! -e other.db
refuses "a size that is none" '--sql-memory takes a size' --sql-memory much 'SELECT 1' small.folded
answers "small letters, too" 0 '1\n1\n' --format csv --sql-memory 64m 'SELECT 1' small.folded
refuses "too much memory" 'more memory' --sql-memory 8M \
	'WITH RECURSIVE x(a) AS (SELECT 1 UNION SELECT a + 1 FROM x) SELECT max(a) FROM x' small.folded
refuses "too long" 'exceeded its time limit: 50.000 ms' --timeout 50ms \
	'WITH RECURSIVE x(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM x) SELECT count(*) FROM x' small.folded
refuses "a character that is printed without end" 'string or blob too big' --timeout 5s \
	"SELECT length(printf(replace(printf('%.1000c', 'x'), 'x', '%.99999999c')))" small.folded
refuses "... as often as an argument says" 'string or blob too big' --timeout 5s \
	"SELECT length(format('%.*c%.*c%.*c', 9000000, 'x', 9000000, 'x'))" small.folded
refuses "an answer too large for a table" 'csv and json need none' --sql-memory 8M --timeout 1min \
	"WITH RECURSIVE x(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM x) SELECT printf('%.*c', 100000, 'x') FROM x" small.folded
cp "$top_srcdir"/tests/golden/folded-cut/input.* damaged.folded
answers "of a damaged file what could be read" 3 'yes\n1\n' --format csv 'SELECT count(*) > 0 AS yes FROM functions' damaged.folded
answers "no file" 1 '' 'SELECT 1' none.folded
"$PNAV" sql "SELECT char(27) || '[2J' AS x" small.folded >out 2>err
check "no control reaches the terminal" grep -qF '\x1b[2J' out

# Where a table goes to a terminal no row is longer than a line of it.  A slow machine shows the
# progress of loading before the table, and erases it.
rows_of_screen() { tr -d "\r" <screen | sed "s/^.*$(printf "\033")\[K//; s/…/~/g"; }
pty=$top_builddir/tests/lib/pty
if [ -x "$pty" ]; then
	"$pty" -s 40x20 "$PNAV" sql --limit 3 "SELECT name, stack_path(s.id) AS path, f.id FROM stacks AS s
		JOIN functions AS f ON f.id = s.function WHERE depth = 9" "$top_srcdir/data/sample.perfscript.gz" >screen 2>err
	check "on a terminal rows are cut where it ends" eval '
		rows_of_screen | awk "length(\$0) > 40 { bad = 1 } /~/ { cut++ }
			END { exit bad || NR != 4 || !cut }"'
	"$pty" -s 30x20 "$PNAV" report --view tracks "$top_srcdir/data/sample.perfscript.gz" >screen 2>err
	check "those of tracks, too" eval '
		rows_of_screen | awk "length(\$0) > 50 { exit 1 } /~/ { cut++ } END { exit !cut }"'
else
	skip "on a terminal rows are cut where it ends" "there is no pty"
fi

# ---- queries that are stored ----

PNAV_QUERIES=$top_srcdir/data/queries
export PNAV_QUERIES
# More than one statement a file would hide which one fails.
cat "$PNAV_QUERIES"/*.sql >all.sql
n=$(ls "$PNAV_QUERIES" | wc -l)
for input in "$top_srcdir"/data/sample.perfscript.gz "$top_srcdir"/tests/golden/chrome-object/input.* \
	"$top_srcdir"/tests/golden/chrome-label/input.* "$top_srcdir"/tests/golden/hqnplog-small/input.* small.folded; do
	name=${input#"$top_srcdir"/}
	"$PNAV" sql --format json -f all.sql "$input" >out 2>err
	status=$?
	check "every one answers for ${name#tests/golden/}" test "$status $(grep -c '"columns"' out)" = "0 $n"
done
for query in "$PNAV_QUERIES"/*.sql; do
	name=$(basename "$query" .sql)
	about=$(sed -n '1s/^-- //p' "$query")
	grep -qx ".It Cm $name" "$top_srcdir/man/pnav-sql.7" &&
		grep -qixF "$about." "$top_srcdir/man/pnav-sql.7"
	check "$name is in pnav-sql(7), with what it answers" test $? = 0
done
"$PNAV" sql --format csv --query slowest-calls "$top_srcdir"/tests/golden/hqnplog-small/input.* |
	cut -d, -f1 >out
"$PNAV" report --view slices --columns duration --format csv "$top_srcdir"/tests/golden/hqnplog-small/input.* |
	head -21 >expected
check "slowest-calls has what report --view slices has" cmp out expected
# slices that begin in a part of the run and end in another; a counter that has one long value
cat >lasting.json <<'EOF'
[{"ph":"X","pid":1,"tid":1,"ts":125,"dur":125,"name":"quarter"},
{"ph":"X","pid":1,"tid":1,"ts":375,"dur":125,"name":"quarter"},
{"ph":"X","pid":1,"tid":2,"ts":0,"dur":10,"name":"tick"},
{"ph":"X","pid":1,"tid":2,"ts":990,"dur":10,"name":"tick"},
{"ph":"C","pid":1,"ts":0,"name":"spike","args":{"v":0}},
{"ph":"C","pid":1,"ts":777,"name":"spike","args":{"v":1000000}},
{"ph":"C","pid":1,"ts":787,"name":"spike","args":{"v":0}}]
EOF
answers "over-time: slices are in all parts that they last" 0 \
	'part,start,end,value,tracks\n0,0,50000,10000,1\n2,100000,150000,25000,1\n3,150000,200000,50000,1\n4,200000,250000,50000,1\n7,350000,400000,25000,1\n8,400000,450000,50000,1\n9,450000,500000,50000,1\n19,950000,1000000,10000,1\n' \
	--format csv --query over-time lasting.json
printf 'beat 7 1.000000: 1 cycles:\n\t10 f+0x0 (/p)\n\n' >one.perf.txt
answers "over-time: a run of one moment has one part" 0 \
	'part,start,end,value,tracks\n0,0,0,1,1\n' --format csv --query over-time one.perf.txt
answers "gaps: from the end of a slice on" 0 \
	'gap,start,end,track,stack\n980000,10000,990000,1,2\n125000,250000,375000,0,1\n' \
	--format csv --query gaps lasting.json
answers "busiest-tracks: until the end of the last slice" 0 \
	'track,name,process,value,start,end\n0,thread 1,,250000,125000,500000\n1,thread 2,,20000,0,1000000\n' \
	--format csv --query busiest-tracks lasting.json
answers "counters: the mean over time" 0 \
	'track,name,unit,points,low,mean,high\n2,spike.v,,3,0,10000,1000000\n' \
	--format csv --query counters lasting.json
answers "counters: until the end of the range" 0 \
	'track,name,unit,points,low,mean,high\n2,spike.v,,2,0,200000,1000000\n' \
	--format csv --query counters --from 777us --to 827us lasting.json
# the parts of a run add up to it
for input in chrome-object ftrace-graph firefox-processed; do
	for lens in '' '--metric wall' '--from 20% --to 70%'; do
		# The lens is words.
		# shellcheck disable=SC2086
		"$PNAV" sql --format csv --query over-time $lens \
			"$top_srcdir/tests/golden/$input"/input.* 2>/dev/null |
			awk -F, '{ n += $4 } END { print n }' >parts
		# shellcheck disable=SC2086
		"$PNAV" sql --format csv 'SELECT ifnull(sum(value), 0) FROM samples WHERE time IS NOT NULL' $lens \
			"$top_srcdir/tests/golden/$input"/input.* 2>/dev/null | sed 1d >whole
		check "over-time of $input${lens:+, $lens}: the parts are the whole" cmp parts whole
	done
done
mkdir moved
ln "$PNAV_ALONE" moved/pnav 2>/dev/null || cp "$PNAV_ALONE" moved/pnav
PNAV=$scratch/moved/pnav PNAV_QUERIES=$scratch/empty HOME=$scratch refuses \
	"a program that was moved tells where it looked for them" \
	"--query: $scratch/empty, " --query none small.folded
rm -r moved
refuses "a name that is none lists all" 'slowest-calls' --query none small.folded
mkdir -p home/.config/pnav/queries
echo 'SELECT 42 AS mine' >home/.config/pnav/queries/mine.sql
XDG_CONFIG_HOME=$scratch/home/.config answers "one's own" 0 'mine\n42\n' --format csv --query mine small.folded

# ---- and of what is exported ----

# The same questions to a database that was exported, by SQLite itself.
cat >tables.sql <<'EOF'
SELECT key, value FROM info;
SELECT id, name, unit, role, is_default FROM metrics;
SELECT id, parent, name, kind, unit, file, process, start, "end", events FROM tracks;
SELECT id, name, file, module, line, kind FROM functions;
SELECT id, function, line, address, inlined FROM frames;
SELECT id, parent, frame, function, depth FROM stacks;
SELECT track, time, stack, metric, value, labels FROM samples;
SELECT id, parent, track, start, "end", duration, self, stack, function, depth, value, labels FROM slices;
SELECT track, time, value, labels FROM points;
SELECT "set", key, value, number, unit FROM labels;
SELECT track, start, "end", duration, state FROM states;
SELECT kind, from_track, from_time, to_track, to_time FROM edges;
SELECT function, file, line, module, kind, calls, self, total FROM report_functions;
EOF
if command -v sqlite3 >/dev/null 2>&1; then
	# what SQLite's own are, asked about each of these with each other
	texts="('abcabc'), ('ca'), ('äöüä'), ('ü'), ('ä'), (''), (NULL), (x'0102FF'), (x'02'), (12.5), ('x  '), ('%b_'), ('a*[b]')"
	pairs="WITH t(a) AS (VALUES $texts), u(b) AS (VALUES $texts) SELECT instr(a, b) AS i,
		replace(a, b, '<>') AS r, trim(a) AS t, trim(a, b) AS u, ltrim(a, b) AS v, rtrim(a, b) AS w,
		a LIKE b AS l, a LIKE b ESCAPE 'b' AS m, a GLOB b AS g FROM t, u"
	# Newer shells write control characters as ^A, and a number that replace() left alone is a text.
	raw=
	sqlite3 -escape off :memory: '' >/dev/null 2>&1 && raw='-escape off'
	"$PNAV" sql --format csv "SELECT quote(i), quote(r || ''), quote(t), quote(u), quote(v), quote(w), l, m, g FROM ($pairs)" \
		"$top_srcdir/data/sample.perfscript.gz" 2>err | sed 1d | tr -d '"' >here
	# The options are two words.
	# shellcheck disable=SC2086
	sqlite3 $raw -csv :memory: "SELECT quote(i), quote(r || ''), quote(t), quote(u), quote(v), quote(w), l, m, g FROM ($pairs)" | tr -d '\r"' >there
	check "functions of texts answer as sqlite3's" eval '[ "$(wc -l <here)" -eq 169 ] && cmp here there'
	for input in hqnplog-small chrome-label text1-statistics otlp-json bsprof-small ftrace-states \
		chrome-flows; do
		for lens in '' '--from 20% --to 70%' '--hide a'; do
			file=$(echo "$top_srcdir/tests/golden/$input"/input.*)
			# The lens is words without blanks.
			# shellcheck disable=SC2086
			"$PNAV" sql $lens --format csv -f tables.sql "$file" 2>err | tr -d '\r"' |
				grep . | sort >here
			# shellcheck disable=SC2086
			"$PNAV" export $lens --format sqlite -o $input.db "$file" 2>>err
			sqlite3 -csv -header $input.db <tables.sql 2>>err | tr -d '\r"' | sort >there
			rm -f $input.db
			# of what has no rows sqlite3 says no columns either
			comm -3 here there | grep -v '^[a-z_]*,[a-z_,]*$' >differ
			{ [ -s here ] || [ -n "$lens" ]; } && [ ! -s differ ] && ok "$input: exported, the same ${lens:+($lens)}" ||
				not_ok "$input: exported, the same ${lens:+($lens)}" differ
		done
	done
else
	skip "functions of texts answer as sqlite3's" "sqlite3 is not installed"
	skip "exported, the same" "sqlite3 is not installed"
fi

# ---- in the browser ----

LC_ALL=C.UTF-8
export LC_ALL
trace=$top_srcdir/tests/golden/hqnplog-small/input.plog

# shows NAME WORDS FILE KEYS: the words are on the screen after these keys
shows()
{
	"$PNAV" --no-config --size 100x30 --snapshot --keys "$4" "$3" >screen 2>err
	status=$?
	[ $status = 0 ] && grep -qF -- "$2" screen && ok "$1" && return
	cat err >>screen
	not_ok "$1" screen
}

shows "; asks, and view 9 answers" '>read                3' small.folded \
	"; 'SELECT function, self FROM report_functions' Enter"
shows "the tab is there from then on" '9 sql' small.folded "; 'SELECT 1' Enter 1"
"$PNAV" --no-config --size 100x30 --snapshot --keys 8 small.folded >screen 2>&1
check "and not before" test "$(grep -c '9 sql' screen)" = 0
shows "9 says how to ask" 'no query yet: ; runs one' small.folded 9
shows "a wrong question has its place" 'no such column: nmae, at 8: SELECT >>>nmae' small.folded \
	"; 'SELECT nmae FROM functions' Enter"
narrow="; 'SELECT functon, self FROM report_functions' Enter"
"$PNAV" --no-config --size 60x24 --snapshot --keys "$narrow" small.folded >screen 2>&1
check "at 60 columns the word that helps is seen, too" grep -q "mean 'function'?" screen
shows "a column of another table is no help" 'no such column: name, at 8: SELECT >>>name,' \
	small.folded "; 'SELECT name, self FROM report_functions' Enter"
check "... so none is named" sh -c '! grep -q "did you mean" screen'
shows "Tab completes tables" 'sql: SELECT * FROM report_functions' small.folded \
	"; 'SELECT * FROM report_fu' Tab"
shows "columns" 'sql: SELECT is_default' small.folded "; 'SELECT is_def' Tab"
shows "functions" 'sql: SELECT percentile' small.folded "; 'SELECT percentil' Tab"
shows "Tab lists what is stored" 'slowest-calls' small.folded "; 's' Tab"
shows "which is asked by name" '1  main;parse;read           3' small.folded "; 'hottest-stacks' Enter"
shows "the arrows recall what was asked" 'sql: SELECT 42' small.folded "; 'SELECT 42' Enter ; Up"
shows "> sorts" '>"quoted' small.folded "; 'SELECT name FROM functions' Enter >"
shows "r the other way round" '>read' small.folded "; 'SELECT name FROM functions' Enter > r"
shows "f keeps rows" '1 of 1' small.folded "; 'SELECT name FROM functions' Enter f 'rea' Enter"
shows "/ searches them" 'match 1 of 1' small.folded "; 'SELECT name FROM functions' Enter / 'draw' Enter"
shows "Enter goes to a function by name" ' draw   self 2' small.folded \
	"; 'SELECT function FROM report_functions' Enter / 'draw' Enter Enter"
shows "to a stack" ' draw   self 2' small.folded \
	"; 'SELECT id AS stack FROM stacks WHERE id = 4' Enter Enter"
shows "what points to nothing says so" 'the row names no place' small.folded \
	"; 'SELECT 1 AS one' Enter Enter"
shows "a call is gone to in the timeline" '[5 timeline]' "$trace" "; 'slowest-calls' Enter Enter"
shows "start and end are a range" '2.000 ms … 5.000 ms' "$top_srcdir/data/sample.perfscript.gz" \
	"; 'SELECT 2000000 AS start, 5000000 AS \"end\"' Enter Enter"
shows "the lens is the browser's" '> 1' small.folded \
	"\\ 'draw' Enter ; 'SELECT count(DISTINCT stack) AS n FROM samples' Enter"
shows "and what is shown later, too" '> 2' small.folded \
	"; 'SELECT count(*) AS n FROM report_functions' Enter \\ 'draw' Enter 9"

# A text that is a number equals it, as in a column of integers of any database.
printf 'a 1/1 1.0: 1 cpu-clock: \n\t1 f (/a)\n\na 1/1 2.0: 1 cpu-clock: \n\t1 f (/a)\n\n' >timed.perfscript
for text in "= '1000000000'" "> '0'" ">= '1e9'" "= '1000000000.0'" "IN ('1000000000', 'x')"; do
	answers "a text beside a column of integers: $text" 0 'time\n1000000000\n' --format csv \
		"SELECT time FROM samples WHERE time $text" timed.perfscript
done
answers "a text that is no number is above all numbers" 0 'n\n2\n' --format csv \
	"SELECT count(*) AS n FROM samples WHERE time < '1x' AND track >= '0'" timed.perfscript
refuses "a percentile that is no number" "p is from 0 to 100" \
	"SELECT percentile(value, 'half') FROM samples" timed.perfscript
answers "a metric in another collation" 0 'n\n2\n' --format csv \
	"SELECT count(*) AS n FROM samples WHERE metric = 'CPU-CLOCK' COLLATE NOCASE" timed.perfscript
refuses "a text in the quotes of names" ": a text is written in single quotes" \
	'SELECT count(*) FROM samples WHERE metric = "cpu-clock"' timed.perfscript
answers "a text of a join" 0 'n\n2\n' --format csv \
	"SELECT count(*) AS n FROM (SELECT '0' AS t) JOIN samples ON track = t" timed.perfscript

# states and edges: their sums are the reports, in a range and of a thread, too
states=$top_srcdir/tests/golden/ftrace-states/input.txt
for lens in "" "--from 50us --to 260us" "--track worker"; do
	# shellcheck disable=SC2086 # several words
	"$PNAV" sql --format csv $lens "SELECT track, state, count(*), sum(duration), max(duration)
		FROM states GROUP BY track, state ORDER BY 1, 2" "$states" | sed 1d >sums
	# shellcheck disable=SC2086
	"$PNAV" report --view states --format csv $lens "$states" | sed 1d | sort >report
	check "states add up to the report: ${lens:-all}" sh -c 'test -s sums && sort sums | diff - report'
	# shellcheck disable=SC2086
	"$PNAV" sql --format csv $lens "SELECT kind, coalesce(from_track, ''), to_track, count(*)
		FROM edges GROUP BY 1, 2, 3" "$states" | sed 1d | sort >sums
	# shellcheck disable=SC2086
	"$PNAV" report --view edges --format csv --columns kind,from,to,count $lens "$states" |
		sed 1d | sort >report
	check "edges, too: ${lens:-all}" sh -c 'test -s sums && diff sums report'
done
answers "a bound on time chooses states and cuts none" 0 'n\n1\n' --format csv \
	"SELECT count(*) = (SELECT count(*) FROM (SELECT start AS t FROM states) WHERE t + 0 >= 100000)
		AS n FROM states WHERE start >= 100000" "$states"
"$PNAV" report --metric wall --format csv --columns total "$states" | awk 'NR > 1 { n += $0 } END { print n }' >total
check "the column wall adds up to the metric" test "$("$PNAV" sql --format csv \
	"SELECT sum(wall) FROM samples WHERE metric = 'cpu'" "$states" | tail -1)" = "$(cat total)"
check "... in slices, too" test "$("$PNAV" sql --format csv \
	"SELECT sum(wall) FROM slices WHERE depth = 0" "$states" | tail -1)" = "$(cat total)"
tap_done
