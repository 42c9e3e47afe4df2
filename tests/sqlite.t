#!/bin/sh
# Databases that pnav wrote are read back: their reports are those of the file through the lens of the
# export.  Some golden inputs; SQLITE_ALL=1 takes all of them.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
built_with HAVE_SQLITE || skip_all "built without SQLite"
cd "$scratch" || exit 99
golden=$top_srcdir/tests/golden

# same VIEW FILE [LENS...]: the view of the file through the lens, and of x.db.  Moments that are
# equal on several tracks have no order; outside of the range of its export the states are unknown.
same()
{
	view=$1 file=$2
	shift 2
	"$PNAV" report --format csv --view "$view" "$@" "$file" >want 2>/dev/null
	"$PNAV" report --format csv --view "$view" x.db >got 2>err || [ $? -eq 1 ] || return 1
	[ "$view" != values ] || for part in want got; do sort -o $part $part; done
	[ "$view" != states ] || [ $# -eq 0 ] || sed -i '/,unknown,/d' want got
	# a command names its file, and an info the format of its file
	[ "$view" != answers ] || sed -i 's/,pnav .*//' want got
	[ "$view" != info ] || sed -i -n '/^\(start\|duration\|axis\|parallelism\|complete\|metrics\)/p' want got
	cmp want got
}

# asked_same FILE: each table of pnav sql has the same rows, in any order.
asked_same()
{
	while read -r query; do
		"$PNAV" sql --format csv "$query" "$1" 2>/dev/null | sort >want
		"$PNAV" sql --format csv "$query" x.db 2>/dev/null | sort >got
		cmp want got && [ -s want ] || { echo "$query"; return 1; }
	done <tables.sql
}
cat >tables.sql <<'EOF'
SELECT name, unit, role, is_default FROM metrics
SELECT parent, name, kind, unit, process, start, "end", events FROM tracks
SELECT name, file, module, line, kind FROM functions
SELECT name, frames.line, address, inlined FROM frames JOIN functions ON functions.id = function
SELECT stack_path(id), depth FROM stacks
SELECT name, time, stack_path(stack), metric, value, samples.finish, wall, parallelism FROM samples JOIN tracks ON tracks.id = track
SELECT name, time, stack_path(stack), value FROM samples JOIN tracks ON tracks.id = track
SELECT name, slices.start, slices."end", duration, self, stack_path(stack), depth, value, wall, parallelism FROM slices JOIN tracks ON tracks.id = track
SELECT name, time, value, points.finish FROM points JOIN tracks ON tracks.id = track
SELECT key, value, number, unit, count(*) FROM labels GROUP BY 1, 2, 3, 4
SELECT name, time, key, l.value FROM samples s JOIN tracks t ON t.id = track JOIN labels l ON l."set" = s.labels
SELECT track, start, "end", duration, state FROM states
SELECT kind, from_track, from_time, to_track, to_time FROM edges
SELECT * FROM report_functions
SELECT * FROM report_calls
SELECT * FROM report_labels
EOF

# Files of which a database lacks a column of zeros, for a metric without events.
left_out='bsprof-live-range'
some='art-dual austin-memory br-names bsprof-small callgrind-threads chrome-labels eventlog-threads
firefox-processed folded-fractions ftrace-states gmon-arcs gotrace-states hqnplog-small jfr-chunks
massif-peak nettrace-managed otlp-bare perfdata-hybrid perfetto-events perfscript-rate
perfstat-lines pnav-values pprof-address pprof-inlined prf-not-listed pstats-arcs
speedscope-sampled-then-evented text1-binary uftrace-calls zipkin-trace'

for dir in "$golden"/*/; do
	name=$(basename "$dir")
	input=$dir$(golden_input "$dir")
	case " $(echo $some) " in *" $name "*) ;; *) [ "${SQLITE_ALL:-}" ] || continue ;; esac
	case " $left_out " in *" $name "*) continue ;; esac
	rm -f x.db
	"$PNAV" export --format sqlite -o x.db "$input" 2>err
	[ -f x.db ] || { skip "$name" "not exported"; continue; }
	for view in functions tree lines calls tracks values labels states info answers; do
		check "$name: $view" same $view "$input"
	done
	check "$name: the tables" asked_same "$input"
done

# What threads wait for and who woke them; a range ends their states.
for name in ftrace-states chrome-flows; do
	input=$golden/$name/$(golden_input "$golden/$name")
	for lens in '' '--from 20% --to 70%'; do
		# shellcheck disable=SC2086 # words
		"$PNAV" export $lens --format sqlite -o x.db "$input" 2>err
		for view in states edges; do
			# shellcheck disable=SC2086 # words
			check "$name: $view${lens:+ ($lens)}" same $view "$input" $lens
		done
	done
done

trace=$golden/perfetto-events/input.pftrace
for lens in '--from 100us --to 600us' '--hide parse' '--root serve' '--track main' '--where cat:net' '--metric async'; do
	# shellcheck disable=SC2086 # words
	"$PNAV" export $lens --format sqlite -o x.db "$trace" 2>err
	for view in functions tree; do
		# shellcheck disable=SC2086 # words
		check "through $lens: $view" same $view "$trace" $lens
	done
done
"$PNAV" export --format sqlite -o x.db "$trace" 2>err
check "calls, where there are slices" same calls "$trace"
check "slices" same slices "$trace"

gzip -k x.db
check "a compressed one" eval '"$PNAV" report --format csv x.db >want; "$PNAV" report --format csv x.db.gz >got; cmp want got'
check "through a pipe" eval '"$PNAV" report --format csv - <x.db >got; cmp want got'
echo x >x.db-wal
"$PNAV" report x.db >got 2>err
status=$?
check "beside a file -wal, which has a part of it: refused" eval \
	'[ $status -eq 1 ] && grep -q "a part of the database is in the file with -wal" err'
rm x.db-wal

# A foreign database, and those that somebody changed.
# Calls that a range cuts end there, not with their track; and the metric in view stays, though it is 0.
cat >cut.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10000,"name":"main"},
{"ph":"X","pid":1,"tid":1,"ts":2000,"dur":6000,"name":"inner"}]
END
"$PNAV" export --format sqlite -o cut.db --from 1ms --to 4ms cut.json
printf '%s\n' 1000000,3000000,main 2000000,2000000,inner >want
"$PNAV" report --view slices --format csv --columns start,duration,function cut.db 2>err | sed 1d >got
check "calls that a range cuts" cmp want got
printf '[%s,%s]' '{"ph":"X","pid":1,"tid":1,"ts":0,"dur":0,"name":"f"}' \
	'{"ph":"X","pid":1,"tid":1,"ts":9,"dur":1,"name":"g"}' >short.json
"$PNAV" export --format sqlite -o short.db --to 1us short.json
"$PNAV" report --format csv --columns function,calls,self short.db 2>err | sed 1d >got
check "a range in which nothing lasts" eval 'printf "f,1,0\n" | cmp - got'

if command -v sqlite3 >/dev/null 2>&1; then
	sqlite3 other.db 'CREATE TABLE t(x); INSERT INTO t VALUES(1)'
	"$PNAV" report other.db >got 2>err
	status=$?
	check "a foreign one is refused with words" eval \
		'[ $status -eq 1 ] && grep -q "a database of SQLite, but not one that pnav export" err'

	cp x.db changed.db
	sqlite3 changed.db 'DROP TABLE step_series; DROP TABLE steps; DROP TABLE stated; DROP TABLE clauses;
		DROP TABLE value_names'
	"$PNAV" report --format csv --columns function,self,total x.db >want
	check "without the tables that queries do not need" eval \
		'"$PNAV" report --format csv --columns function,self,total changed.db | cmp want -'

	cp x.db changed.db
	sqlite3 changed.db "INSERT INTO samples VALUES(1, 0, 10, 'samples', 4, NULL)"
	check "a row that somebody added counts" eval \
		'"$PNAV" report --metric samples --format csv changed.db | grep -q "^inner,.*,5,5$"'

	cp x.db changed.db
	sqlite3 changed.db 'DROP TABLE points; CREATE VIEW points AS WITH RECURSIVE r(x) AS
		(SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT 0 AS track, x AS time, 1 AS value,
		NULL AS labels FROM r'
	check "a view in place of a table is not run" eval \
		'timeout 20 "$PNAV" report --format csv --view tracks changed.db >got 2>err'

	cp x.db changed.db
	sqlite3 changed.db "UPDATE stacks SET parent = 99 WHERE parent IS NOT NULL"
	"$PNAV" report --format csv changed.db >got 2>err
	status=$?
	check "a stack without its caller is damage" eval \
		'[ $status -eq 3 ] && grep -q "at byte [0-9]*: stack [0-9]* has no caller" err'

	"$PNAV" export --format sqlite -o steps.db "$golden/chrome-labels/input.json" 2>/dev/null
	sqlite3 steps.db "UPDATE steps SET value = 1"
	check "values of steps that have none are left out" eval \
		'"$PNAV" report steps.db >got 2>err && grep -q "values of another type, ignored" err'
else
	skip "changed databases" "sqlite3 is not installed"
fi
tap_done
