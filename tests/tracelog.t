#!/bin/sh
# ClickHouse's own profiler: tables with the columns of trace_log of 2019 and of today, in a server
# of 18.16.  The numbers are those that lib/trace_rows.py adds up from the rows that it inserts.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
grep -q '^#define HAVE_LIBCURL 1' "$top_builddir/config.h" || skip_all "built without libcurl"
cd "$scratch" || exit 99
. "$top_srcdir/tests/lib/clickhouse.sh"
clickhouse_ports 2
set -- $ports
http=$1
clickhouse_start first $1 $2
server=clickhouse://127.0.0.1:$http/default
says() { [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$1" err || { sed 's/^/# /' err; false; }; }
clickhouse_wait $http first
python3 "$top_srcdir/tests/lib/trace_rows.py" $http >said 2>&1 || skip_all "no rows: $(tail -n 1 said)"

# same FILE QUERY...: the functions of a log are those of the file
same()
{
	truth=$1
	shift
	runs 0 "$PNAV" report --format csv --columns function,self,total "$server?trace_log=$@" || return
	LC_ALL=C sort <out >got
	[ "$(wc -l <got)" -gt 5 ] && LC_ALL=C sort <"$truth" | cmp - got
}

check "a server without the table" eval '
	runs 1 "$PNAV" report "$server?trace_log" &&
	says "127.0.0.1 has no table system.trace_log (ClickHouse 18.16 has no profiler)"'
check "the columns of 2019: each sample is the period of its query" same hex.log2019.cpu log2019
check "... and one warning that functions have no names" \
	says "functions are addresses: the server says: Unknown setting allow_introspection_functions"
check "2019: time" same hex.log2019.time "log2019&metric=time"
check "2019: a query" same hex.log2019.cpu.q1 "log2019&query=q1"
check "2019: a range" same hex.log2019.cpu.range \
	"log2019&from=2024-05-01T12:00:02Z&to=2024-05-01T12:00:05Z"
check "2019: threads are tracks" eval '
	"$PNAV" report --view tracks --format csv "$server?trace_log=default.log2019" 2>err | sed 1d | cut -d , -f 1 |
	sort >got && printf "thread %d\n" 100 101 102 | cmp - got'
check "2019: type=Memory has the default metric alloc" same hex.log2019.alloc "log2019&type=memory"
check "fewer rows are longer steps, and the whole stays exact" eval '
	same hex.log2019.cpu "log2019&rows=300" && "$PNAV" report --view info "$server?trace_log=log2019&rows=300" 2>err |
	grep "^step .*[0-9] [mu]\{0,1\}s$"'
check "labels are queries" eval '
	"$PNAV" report --format csv --columns function,self,total --where query:q1 "$server?trace_log=log2019" 2>err |
	LC_ALL=C sort >got && LC_ALL=C sort hex.log2019.cpu.q1 | cmp - got'
check "... and can be tracks" eval '
	"$PNAV" report --view tracks --format csv "$server?trace_log=log2019&by=label:query" 2>err | sed 1d | cut -d , -f 1 |
	sort >got && printf "%s\n" "[no query]" q1 q2 q3 | sort | cmp - got'

for metric in cpu alloc frees live peak samples; do
	check "the columns of today: $metric, with the names of the table" \
		same log2026.$metric "log2026&metric=$metric"
done
check "rows without symbols are addresses" eval '
	same hex.log2026.time "log2026&metric=time" && says "functions are addresses"'
check "alloc of two types is reported" eval '
	same log2026.alloc "log2026&metric=alloc" && says "alloc adds rows of several types: type= selects one" &&
	same log2026.alloc.sampled "log2026&type=MemorySample" && [ ! -s err ]'
check "events are metrics" eval '
	same log2026.seek "log2026&metric=Seek" && same log2026.quoted "log2026&metric=it%27s"'
check "a host, and one by an expression" eval '
	same log2026.cpu.a "log2026&host=a" && same log2026.cpu.b "log2026&host=~^[^a]\$"'
check "threads of several hosts" eval '
	"$PNAV" report --view tracks --format csv "$server?trace_log=log2026" 2>err | sed 1d | cut -d , -f 1 |
	sort >got && printf "%s: %s\n" a "Pool 101" a "thread 100" a "thread 102" b "Pool 101" b "thread 100" \
		b "thread 102" | cmp - got'
check "hosts as tracks" eval '
	"$PNAV" report --format csv --columns function,self,total --track b "$server?trace_log=log2026&track=host" |
	LC_ALL=C sort >got && LC_ALL=C sort log2026.cpu.b | cmp - got'
check "times are those of the rows, to a nanosecond" eval '
	"$PNAV" sql --format csv "SELECT min(time), max(time), count(*) FROM samples WHERE metric = '\''cpu'\''" \
		"$server?trace_log=log2026" | sed 1d >got &&
	ask $http "SELECT 0, max(timestamp_ns) - min(timestamp_ns), count() FROM log2026 WHERE trace_type = '\''CPU'\''
		FORMAT CSV" | cmp - got'
check "files and lines of the table" eval '
	"$PNAV" report --view lines --format csv "$server?trace_log=log2026" | grep -q "^/src/a.cpp,16,f0x4000010,"'

# A server that names addresses: the query reaches 18.16 with names that it can make.
middleman "addressToSymbol:names"
named=clickhouse://127.0.0.1:$port/default
check "a server that names addresses: the same sums with names" eval '
	runs 0 "$PNAV" report --format csv --columns function,self,total "$named?trace_log=log2019" && [ ! -s err ] &&
	LC_ALL=C sort <out >got && LC_ALL=C sort log2019.cpu | cmp - got'
check "... with the lines of calls, not of their returns" eval '
	"$PNAV" report --view lines --format csv "$named?trace_log=log2019" >out 2>err &&
	grep -q "^/src/b.cpp,15,f0x4000010," out && ! grep -q "^/src/b.cpp,16,f0x4000010," out'

check "... but not those of another build" eval '
	ask $http "CREATE TABLE other AS log2019" "INSERT INTO other SELECT event_date, event_time,
		toUInt32(revision + 1), trace_type, thread_number, query_id, trace, size FROM log2019" &&
	runs 0 "$PNAV" report --format csv --columns function,self,total "$named?trace_log=other" &&
	says "stacks are of another build of the server: their functions are addresses" &&
	LC_ALL=C sort <out >got && LC_ALL=C sort hex.log2019.cpu | cmp - got'
check "a user who may change nothing" eval '
	runs 0 "$PNAV" report "clickhouse://reader@127.0.0.1:$http/default?trace_log=log2026" && [ ! -s err ]'
check "--explain prints the queries and sends none" eval '
	runs 0 "$PNAV" report --explain "clickhouse://127.0.0.1:1/d?trace_log&query=it%27s&cluster=c%27&from=@1714564800" && [ ! -s err ] &&
	[ "$(grep -c "^SELECT" out)" -eq 8 ] && grep -qF "query_id = '\''it\\'\''s'\''" out &&
	grep -qF "clusterAllReplicas('\''c\\'\'''\'', \`system\`, \`trace_log\`)" out &&
	! grep -vE "^(--|SELECT|FROM|WHERE|GROUP|ORDER|SETTINGS|AND|GLOBAL| |$)" out'
check "no rows" eval 'runs 1 "$PNAV" report "$server?trace_log=log2019&query=none" && says "no rows of this type, query, host and time"'
check "no such metric" eval 'runs 1 "$PNAV" report "$server?trace_log=log2019&metric=live" && says "there are cpu, time, alloc, frees, samples"'
check "no such type" eval 'runs 2 "$PNAV" report "$server?trace_log=log2019&type=X" && grep -q "type=X is not a type" err'
check "no hosts in the table" eval 'runs 1 "$PNAV" report "$server?trace_log=log2019&host=a" && says "no column hostname"'
check "another table" eval 'runs 1 "$PNAV" report "$server?trace_log=query_log" && says "default.query_log has no column event_time: it is not a trace log"'
check "parameters of a store and of a log" eval '
	runs 2 "$PNAV" report "$server?trace_log&service=s" && runs 2 "$PNAV" report "$server?type=CPU" &&
	runs 2 "$PNAV" report "$server?trace_log=.t" && runs 2 "$PNAV" store --service s "$server?trace_log" "$PNAV" &&
	runs 2 "$PNAV" store --list "$server?trace_log"'
tap_done
