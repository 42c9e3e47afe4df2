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
# equal on several tracks have no order; a database has no lengths of samples, so no parallelism, and
# outside of the range of its export the states are unknown.
same()
{
	view=$1 file=$2
	shift 2
	"$PNAV" report --format csv --view "$view" "$@" "$file" >want 2>/dev/null
	"$PNAV" report --format csv --view "$view" x.db >got 2>err || [ $? -eq 1 ] || return 1
	[ "$view" != values ] || for part in want got; do sort -o $part $part; done
	[ "$view" != labels ] || sed -i '/^parallelism,/d' want got
	[ "$view" != states ] || sed -i '/,unknown,/d' want got
	cmp want got
}

# Files whose numbers a database does not have: a column of zeros for a metric without events; a metric
# of which the file has both steps and samples.
left_out='bsprof-live-range speedscope-sampled-then-evented'
some='art-dual austin-memory br-names bsprof-small callgrind-threads chrome-labels firefox-processed
folded-fractions ftrace-states hqnplog-small jfr-chunks massif-peak perfetto-events pnav-values
pprof-address pprof-inlined prf-not-listed text1-binary uftrace-calls'

for dir in "$golden"/*/; do
	name=$(basename "$dir")
	input=$dir$(golden_input "$dir")
	case " $(echo $some) " in *" $name "*) ;; *) [ "${SQLITE_ALL:-}" ] || continue ;; esac
	case " $left_out " in *" $name "*) continue ;; esac
	rm -f x.db
	"$PNAV" export --format sqlite -o x.db "$input" 2>err
	[ -f x.db ] || { skip "$name" "not exported"; continue; }
	for view in functions tree lines tracks values labels; do
		check "$name: $view" same $view "$input"
	done
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
