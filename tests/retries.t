#!/bin/sh
# A server that is away for a moment, is too busy, or dies within a request: what pnav repeats, and
# that no profile is there twice or half.  A ClickHouse server of the test holds the tables.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
grep -q '^#define HAVE_LIBCURL 1' "$top_builddir/config.h" || skip_all "built without libcurl"
cd "$scratch" || exit 99
. "$top_srcdir/tests/lib/clickhouse.sh"
clickhouse_ports 4
set -- $ports
more= http=$1 late=$3 nobody=$4
clickhouse_start first $1 $2
at=2024-05-01T12:00:00Z
says() { [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$1" err || { sed 's/^/# /' err; false; }; }
# 299 samples of two functions
awk 'BEGIN { for (i = 0; i < 299; i++)
	printf "app 1 %.6f: %d cpu-clock:\n\t1000 f%d+0x0 (/m)\n\t3000 main+0x0 (/m)\n\n", 100 + i / 100, 1000 + i, i % 2 }' >a
"$PNAV" report --format csv a >want
clickhouse_wait $http first

broken() { [ "$(wc -l <broken)" -eq $1 ]; }
# stores SERVICE TIMES: it is stored once and whole, although something broke so often
stores()
{
	runs 0 "$PNAV" store --service $1 --at $at "clickhouse://127.0.0.1:$port/default$more" a &&
		[ ! -s err ] && grep -q ": stored: 299 samples" out && broken $2 &&
		[ "$(ask $http "SELECT count() FROM pnav_profiles WHERE service = '$1'")" -eq 1 ] &&
		"$PNAV" report --format csv "clickhouse://127.0.0.1:$http/default?service=$1" | cmp - want &&
		"$PNAV" report --format csv --from 1s --to 2s "clickhouse://127.0.0.1:$http/default?service=$1" >got &&
		"$PNAV" report --format csv --from 1s --to 2s a | cmp - got
}
halves() { runs 1 "$PNAV" store --service half --at $at "clickhouse://127.0.0.1:$port/default" a; }
silent() { runs 1 "$PNAV" report --timeout 1 "clickhouse://127.0.0.1:$port/default?service=good"; }
reads() { runs $1 "$PNAV" report --format csv "clickhouse://127.0.0.1:$port/default?service=good$2"; }

check "no server, then one" eval '
	{ sleep 0.5; exec python3 "$top_srcdir/tests/lib/middleman.py" $http "$scratch" $late >late; } & pid=$!
	clickhouse_pids="$clickhouse_pids $pid" port=$late; middleman NONE:cut
	more="?retries=20"; stores good 0'
more=
check "an insert of samples whose answer is lost: nothing is counted twice" eval '
	behind "INTO \`pnav_samples:lost:1" stores samples 1 &&
	[ "$(ask $http "SELECT count() FROM pnav_samples WHERE service = '\''samples'\''")" -eq 598 ]'
check "one that the server never had" behind "INTO \`pnav_samples:cut:1" stores cut 1
check "... of sums, whose answer is lost" behind "INTO \`pnav_sums:lost:1" stores sums 1
check "... of stacks, twice" behind "INTO \`pnav_stacks:lost:2" stores stacks 2
check "... of the profile, whose answer is lost" behind "INTO \`pnav_profiles:lost:1" stores profile 1
check "... of the profile, which the server never had" behind "INTO \`pnav_profiles:cut:1" stores hidden 1
check "a busy server" behind "EXISTS:busy:2" stores busy 2
check "half of the samples is an error of the server, and final" eval '
	behind "INTO \`pnav_samples:half" halves && broken 1 && says "the server says: " &&
	[ "$(ask $http "SELECT count() FROM pnav_profiles WHERE service = '\''half'\''")" -eq 0 ]'
check "a query is sent again" eval '
	behind "GROUP BY host, stack:cut:1" reads 0 && broken 1 && [ ! -s err ] && cmp out want'
check "a busy server is asked again" eval 'behind "files, modules:busy:1" reads 0 && broken 1 && cmp out want'
check "an error of a query is final" eval '
	behind "files, modules:error" reads 1 && broken 1 && says "the server says: "'
check "retries= times, then it is an error" eval '
	behind "files, modules:cut" reads 1 "&retries=1" && broken 2 && [ "$(wc -l <err)" -eq 1 ]'
check "a silent server is not asked again" eval '
	behind "files, modules:hang" silent && broken 1 && says "the server sent nothing for 1 s"'
check "no number of retries" eval '
	runs 2 "$PNAV" report "clickhouse://127.0.0.1:$nobody/default?retries=x" && grep -q "retries=x is not a number up to 100" err'
tap_done
