#!/bin/sh
# Profiles in a store: pnav store against servers of ClickHouse of this test's own, one, then
# two with Distributed tables over both.  What the tables hold is asked in SQL, and compared
# with what pnav exports of the files.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
if ! grep -q '^#define HAVE_LIBCURL 1' "$top_builddir/config.h"; then
	"$PNAV" store --service s clickhouse://127.0.0.1/d "$0" >out 2>err
	[ $? -eq 1 ] && grep -q "built without libcurl" err &&
		ok "without libcurl a store is refused" || not_ok "without libcurl" err
	tap_done
	exit
fi
. "$top_srcdir/tests/lib/clickhouse.sh"
clickhouse_ports 5
set -- $ports
http=$1 second=$3 nobody=$5
shards="$2 $4"
clickhouse_start first $1 $2
clickhouse_start second $3 $4
sample=$top_srcdir/data/sample.perfscript.gz
at=2024-05-01T12:00:00Z
to=clickhouse://127.0.0.1:$http/default

store() { runs 0 "$PNAV" store --service "$@"; }
says() { [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$1" err || { sed 's/^/# /' err; false; }; }

# stored SERVICE METRIC [PREFIX [HTTP]]: all that the profiles of a service have, in folded form
stored()
{
	if [ "$2" = samples ]; then
		own="if(samples != 0, samples, value)" of="(samples != 0 OR metric = '$2')"
	else
		own=value of="metric = '$2'"
	fi
	ask "${4:-$http}" "SELECT concat(names, ' ', toString(sum(own))) FROM (
		SELECT stack, $own AS own FROM ${3:-pnav_}samples WHERE service = '$1' AND $of
		AND profile GLOBAL IN (SELECT argMax(profile, stored) FROM ${3:-pnav_}profiles
			WHERE service = '$1' GROUP BY service, content)
		) GLOBAL ANY INNER JOIN (SELECT stack, any(arrayStringConcat(arrayMap(
			f -> replaceAll(f, ';', ':'), functions), ';')) AS names
			FROM ${3:-pnav_}stacks WHERE service = '$1' GROUP BY stack) USING stack
		GROUP BY names HAVING sum(own) != 0 FORMAT TSVRaw" | LC_ALL=C sort
}
# same SERVICE METRIC FILE [LENS...]
same()
{
	stored "$1" "$2" >got
	metric=$2
	shift 2
	"$PNAV" export --format folded --metric "$metric" "$@" 2>/dev/null | LC_ALL=C sort >want
	[ -s want ] && diff want got | head -n 20 && cmp want got
}
rows() { ask "$http" "SELECT count() FROM pnav_$1 WHERE service = '$2'"; }
seen() { [ "$(rows profiles "$1")" -eq "$2" ]; }

# ---- one server ----

clickhouse_wait $http first
check "a file is stored, and the tables are made" eval '
	store shop --at $at $to "$sample" && [ ! -s err ] &&
	grep -q ": stored: 7,543 samples, .* stacks, of which .* are new$" out'
check "its samples are those of the file" same shop cpu-clock "$sample"
check "of each metric" same shop samples "$sample"
check "when they were" eval '
	[ "$(ask $http "SELECT min(start), max(duration_ns), any(format), any(metric) FROM pnav_profiles")" = \
	"2024-05-01 12:00:00	5000859000	perfscript	cpu-clock" ] &&
	[ "$(ask $http "SELECT min(time), max(time) FROM pnav_samples")" = \
	"2024-05-01 12:00:00	2024-05-01 12:00:05" ]'
check "stored again, it is reported and skipped" eval '
	store shop --at $at $to "$sample" && grep -q ": is already stored: skipped$" out && seen shop 1 &&
	same shop cpu-clock "$sample"'
check "from a pipe it is known by what it has" eval '
	gunzip -c "$sample" >sample.txt &&
	"$PNAV" store --service pipe --at $at $to - <sample.txt >out && same pipe cpu-clock "$sample" &&
	"$PNAV" store --service pipe --at $at $to <sample.txt | grep -q skipped && seen pipe 1'
check "another host, service or label is another profile" eval '
	store shop --host b --at $at $to "$sample" && store shop --host b --label v=2 --at $at $to "$sample" &&
	seen shop 3 && store other --at $at $to "$sample" && seen other 1 &&
	same other cpu-clock "$sample" && grep -q "stacks, of which" out &&
	store shop --host b --label v=2 --at $at $to "$sample" && seen shop 3'
check "stacks that are known are not sent again" eval '
	store shop --host c --at $at $to "$sample" && grep -q "of which 0 are new" out'
check "labels, in any order" eval '
	store l --label a=1 --label "b=x y" --at $at $to "$sample" && store l --label "b=x y" --label a=1 $to "$sample" &&
	grep -q skipped out && [ "$(ask $http "SELECT labels.key, labels.value FROM pnav_profiles WHERE service = '\''l'\''")" = \
	"$(printf "['\''a'\'','\''b'\'']\t['\''1'\'','\''x y'\'']")" ]'
check "the lens applies" eval '
	store lens --at $at --track "sqlite" --hide module:libc --from 1s --to 3s $to "$sample" &&
	same lens cpu-clock --track sqlite --hide module:libc --from 1s --to 3s "$sample"'
check "ranges: what is in the tables from 1 s to 3 s" eval '
	store whole --at $at $to "$sample" &&
	[ "$(ask $http "SELECT sum(samples) FROM pnav_samples WHERE service = '\''whole'\''
		AND time >= toDateTime('\''2024-05-01 12:00:01'\'') AND time < toDateTime('\''2024-05-01 12:00:03'\'')")" = \
	"$("$PNAV" export --format folded --metric samples --from 1s --to 3s "$sample" | awk "{ n += \$NF } END { print n }")" ]'

# Traces, labels, sums without time.
for name in text1-example pprof-threads folded-names pprof-inlined; do
	file=$(echo "$top_srcdir/tests/golden/$name"/input.*)
	metric=$("$PNAV" report --view info --format csv "$file" 2>/dev/null |
		sed -n 's/^metrics,"\{0,1\}\([^,"]*\).*/\1/p')
	check "$name: $metric" eval 'store "$name" --at $at $to "$file" && same "$name" "$metric" "$file"'
done

# A step of ten seconds, and one within it: in any second there is what ran in it.
cat >long.json <<-'EOF'
	[{"ph": "X", "name": "main", "pid": 1, "tid": 1, "ts": 0, "dur": 10000000},
	{"ph": "X", "name": "inner", "pid": 1, "tid": 1, "ts": 2500000, "dur": 4500000}]
EOF
second()
{
	ask $http "SELECT sum(value) FROM pnav_samples WHERE service = 'long' AND metric = 'time' AND
		time = toDateTime('$1') AND stack IN
		(SELECT stack FROM pnav_stacks WHERE functions[-1] = '$2')"
}
check "what lasts is in each second of it" eval '
	store long --at 2024-05-01T12:00:00.25Z $to long.json && same long time long.json &&
	[ $(second '\''2024-05-01 12:00:00'\'' main) -eq 750000000 ] && [ $(second '\''2024-05-01 12:00:01'\'' main) -eq 1000000000 ] &&
	[ $(second '\''2024-05-01 12:00:02'\'' main) -eq 750000000 ] && [ $(second '\''2024-05-01 12:00:02'\'' inner) -eq 250000000 ] &&
	[ $(second '\''2024-05-01 12:00:05'\'' inner) -eq 1000000000 ] && [ $(second '\''2024-05-01 12:00:10'\'' main) -eq 250000000 ]'
check "two that store the same at the same time" eval '
	"$PNAV" store --service both --at $at $to "$sample" & one=$!
	store both --at $at $to "$sample" && wait $one && same both cpu-clock "$sample"'

# ---- continuous recording ----

# sums FILE...: all that the recordings have
sums_of() { for file; do "$PNAV" report --format csv --columns self "$file" 2>/dev/null; done | awk '/^[0-9]/ { n += $0 } END { print n + 0 }'; }
sum_stored() { "$PNAV" report --format csv --columns self "$to?service=$1" 2>/dev/null | awk '/^[0-9]/ { n += $0 } END { print n + 0 }'; }
# continuous SERVICE ADDRESS OPTION...: records a busy process in parts of 400 ms
continuous()
{
	of=$1 into=$2
	shift 2
	"$PNAV" record --store "$into" --service "$of" --label v=1 -F 200 --every 400ms --spool spool -p $busy "$@" >out 2>err
}
nowhere=clickhouse://127.0.0.1:$nobody/default?retries=0
(while :; do :; done) &
busy=$!
if "$PNAV" record -q -o try.data --duration 200ms -p $busy 2>err; then
	check "a recording is stored at its time of day, whenever its file was changed" eval '
		before=$(date +%s) && "$PNAV" record -q -o day.data --duration 100ms -p $busy && after=$(date +%s) && touch -d 2001-01-01 day.data &&
		store day $to day.data && ! grep -q "time of the recording is unknown" err && day=$(ask $http "SELECT toUInt32(any(start)) FROM pnav_profiles WHERE service = '\''day'\''") &&
		[ "$day" -ge "$before" ] && [ "$day" -le "$after" ]'
	check "parts wait while the server is away" eval '
		continuous cont $nowhere --duration 1200ms && grep -q "0 recordings stored, 0 dropped, 0 unfinished; the rest waits" err &&
		[ "$(grep -c "Couldn.t connect" err)" -eq 1 ] &&
		[ "$(ls spool | grep -c "^[0-9]\{19\}.perf.data$")" -ge 2 ] && want=$(sums_of spool/*.perf.data) && [ "$want" -gt 0 ]'
	check "the next run stores them, each once, and what it records" eval '
		cp -r spool saved && stored=$(ls saved/*.data | wc -l) && continuous cont "$to" --duration 400ms &&
		[ -z "$(ls spool/*.data 2>/dev/null)" ] && seen cont $(sed -n "s/.*: \([0-9]*\) recordings stored.*/\1/p" err) &&
		[ "$(rows profiles cont)" -gt $stored ] && [ "$(sum_stored cont)" -gt "$want" ]'
	check "a part that was stored before a crash is not stored again" eval '
		n=$(rows profiles cont) && cp saved/*.data spool && continuous cont "$to" --duration 10ms &&
		[ -z "$(ls spool/*.data 2>/dev/null)" ] && [ "$(rows profiles cont)" -le $((n + 1)) ] &&
		"$PNAV" report --view info "$to?service=cont&label=v:1&label=kernel:$(uname -r)" | grep -q "^profiles "'
	check "killed while it records: nothing half is stored" eval '
		{ continuous killed2 "$to" --duration 1min & } && sleep 1 && kill -KILL $(pgrep -f -- "--service killed2" | head -n 1) ; sleep 0.5
		touch spool/0000000000000000001.part; continuous killed2 "$to" --duration 300ms; grep -q "unfinished recordings of an earlier run" err &&
		[ -z "$(ls spool/*.part 2>/dev/null)" ] && [ "$(ask $http "SELECT sum(samples) FROM pnav_profiles WHERE service = '\''killed2'\''")" = "$(ask $http "SELECT count() FROM pnav_samples
		WHERE service = '\''killed2'\'' AND profile IN (SELECT profile FROM pnav_profiles)")" ]'
	check "a full spool drops the oldest" eval '
		continuous full $nowhere --duration 900ms --spool-size=1B; grep -q "the oldest recording is dropped, 1 so far" err && [ -z "$(ls spool/*.data 2>/dev/null)" ]'
	check "two with one spool" eval '
		{ flock spool/lock sleep 1 & } && sleep 0.3; ! continuous two "$to" --duration 1s && says "another pnav record uses it"'
else
	skip "continuous recording" "nothing can be recorded here: $(cat err)"
fi
kill $busy
wait $busy 2>/dev/null
# capable CAPABILITY...: records a part as the unit does, which has these
capable()
{
	rm -rf state && mkdir -m 777 state || return
	caps=-all$(printf ",+%s" "$@")
	timeout 30 setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set=$caps --inh-caps=$caps --ambient-caps=$caps \
		env HOME=/nonexistent STATE_DIRECTORY="$scratch/state" "$PNAV" record --store $nowhere --service unit --duration 1s -F 199 -a >out 2>err
	[ -s state/*.perf.data ] && "$PNAV" report --format csv --columns function state/*.perf.data >got 2>err
}
unit=$top_srcdir/data/pnav-record.service
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null 2>&1 || ! setpriv --no-new-privs test -x "$PNAV" ||
	! chmod 755 "$scratch" || ! setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$PNAV" -a -x "$scratch" || ! "$PNAV" record -q -a -o try.data --duration 100ms 2>err; then
	skip "the unit's capabilities" "nothing can be recorded for all processes, or setpriv does not work here"
else
	check "with the capabilities of the unit, functions of the kernel have names" eval '
		capable $(sed -n "s/^AmbientCapabilities=//p" "$unit" | tr A-Z a-z | sed "s/cap_//g") && [ "$(wc -l <got)" -gt 1 ] && { [ "$(grep -c "^0xffffffff[89ab]" got)" -le 2 ] || { head -n 5 got err; false; }; }'
fi
if "$PNAV" record -q -a -o try.data --duration 100ms 2>err; then
	# other programs run in each part
	(sleep 0.2; gzip -9 <"$PNAV" | sha256sum; sleep 0.2; xz -1 <"$PNAV" | md5sum; sleep 0.2; bzip2 <"$PNAV" | cksum) >/dev/null 2>&1 &
	check "modules without symbols are reported once, not for each part" eval '
		runs 0 "$PNAV" record --store "$to" --service quiet -a -F 199 --every 500ms --spool quiet --duration 2s &&
		[ "$(rows profiles quiet)" -ge 3 ] && [ "$(grep -c "have no symbols" err)" -le 1 ]'
	wait $!
else
	skip "modules without symbols are reported once" "nothing can be recorded for all processes: $(cat err)"
fi
if ! command -v systemd-analyze >/dev/null 2>&1; then
	skip "the unit" "there is no systemd-analyze"
else
	check "systemd accepts the unit, and that it is not exposed" eval '
		sed "s|/usr/bin/pnav|/bin/true|; /^Documentation/d" "$unit" >pnav-record.service && systemd-analyze verify ./pnav-record.service >out 2>&1; [ ! -s out ] &&
		systemd-analyze security --offline=yes --threshold=35 ./pnav-record.service >out 2>&1'
fi
check "what cannot be recorded all of the time" eval '
	runs 2 "$PNAV" record --store "$to" -a && runs 2 "$PNAV" record --store "$to" --service s true &&
	runs 2 "$PNAV" record --service s -a && runs 2 "$PNAV" record --store "$to" --service s -a -o x'

# ---- files of the Collector ----

mkdir otlp
for n in 1 2; do
	sed "s/shop.c/shop$n.c/g" "$top_srcdir/tests/golden/otlp-json/input.json" >otlp/profiles-2024-05-01T12-00-0$n.000.json
done
cp -r otlp otlp.saved
# the job of the manual, for the folder and the store of this test
sed -n '/^cd .var.spool.otlp/,/^done/p' "$top_srcdir/man/pnav-store.7" |
	sed "s|/var/spool/otlp|otlp|; s|pnav store|\"$PNAV\" store|; s|shop clickhouse:[^ ]*|otlp $to|" >otlp.sh
check "files of the Collector are stored, each once, and removed" eval '
	[ -s otlp.sh ] && sh otlp.sh >out 2>err && [ -z "$(ls otlp)" ] && seen otlp 2 && cp otlp.saved/*1.000.json otlp && sh otlp.sh >out 2>err &&
	grep -q skipped out && [ -z "$(ls otlp)" ] && seen otlp 2 && "$PNAV" report --format csv --columns function,self,total "$to?service=otlp" >got 2>err && grep -v "^0x\|,0,0$" got >named &&
	"$PNAV" report --format csv --columns function,self,total otlp.saved/* >want 2>>err && grep -v "^0x\|,0,0$" want | cmp - named && [ "$(wc -l <got)" -gt 3 ]'

# ---- functions later ----

# symbolized HOST FOLDER: the store gives what the recording gives with the symbols in the folder
symbolized()
{
	for view in functions callers lines; do
		"$PNAV" report --view $view --format csv "$to?service=later&host=$1" >got 2>err || return
		"$PNAV" report --view $view --format csv --symbols "$2" $1.data >want 2>>err || return
		cmp want got || { diff want got | head -n 5; return 1; }
	done
}
if ! command -v cc >/dev/null 2>&1 || ! "$PNAV" record -q -o try.data --duration 100ms --embed none sleep 0.1 2>err; then
	skip "functions later" "no compiler, or nothing can be recorded here: $(cat err)"
else
	for build in 1 2; do
		cat >later.c <<-EOF
			volatile unsigned long n;
			__attribute__((noinline)) void inner$build(int k) { for (int i = 0; i < 1000 * k; i++) n += i; }
			__attribute__((noinline)) void middle(int k) { inner$build(k); n++; }
			int main(void) { for (int i = 0; i < 20000; i++) { middle(3); inner$build(1); n++; } return 0; }
		EOF
		mkdir -p symbols$build
		cc -g -O1 -fno-omit-frame-pointer -Wl,--build-id -o later later.c &&
			"$PNAV" record -q -F 500 --call-graph fp --embed none -o $build.data ./later 2>err
		mv later symbols$build
		store later --host $build --at $at $to $build.data
	done
	check "two builds at one path are stored without functions" eval '
		! "$PNAV" report --format csv "$to?service=later" 2>err | grep -q "inner\|middle" &&
		"$PNAV" report --format csv "$to?service=later" 2>err | grep -q "^0x"'
	check "a reader that has the files finds the functions by itself, of one build alone" eval '
		"$PNAV" report --view lines --format csv --symbols symbols1 "$to?service=later&host=1" >got 2>err && "$PNAV" report --view lines --format csv --symbols symbols1 1.data >want 2>err &&
		cmp got want && grep -q inner1 got && "$PNAV" report --format csv --symbols symbols1 "$to?service=later&host=2" >other 2>err &&
		grep -q "^0x" other && ! grep "inner\|middle" other &&
		cp symbols1/later later && "$PNAV" --no-config --keys 3 --size 100x30 --snapshot "$to?service=later" >out 2>err </dev/null && rm later && grep -q "inner1" out && ! grep -q "inner2" out'
	check "no file with the build id: nothing is found" eval '
		runs 0 "$PNAV" store --symbolize "$to?service=later" && [ "$(grep -c "^no symbols: .*/later: build id [0-9a-f]*" out)" -eq 2 ] &&
		grep -q "^0 of [1-9][0-9]* addresses got functions" out'
	check "one build gets its functions, and the other none of them" eval '
		runs 0 "$PNAV" store --symbolize --symbols symbols1 "$to?service=later" && symbolized 1 symbols1 && grep -q "inner1" got &&
		! "$PNAV" report --format csv "$to?service=later&host=2" 2>err | grep -q "inner"'
	check "then the other" eval '
		runs 0 "$PNAV" store --symbolize --symbols symbols2 "$to?service=later" && ! grep -q "^no symbols" out &&
		symbolized 1 symbols1 && symbolized 2 symbols2 && "$PNAV" report --format csv "$to?service=later" >out &&
		grep -q "^inner1," out && grep -q "^inner2," out'
	check "nothing is left to find" eval '
		runs 0 "$PNAV" store --symbolize --symbols symbols1 --symbols symbols2 "$to?service=later" && grep "^0 of [0-9]* addresses got functions$" out &&
		! grep "^no symbols" out'
	check "--symbolize with files, or beside --list" eval '
		runs 2 "$PNAV" store --symbolize $to "$sample" && runs 2 "$PNAV" store --symbolize --list $to'
fi

# ---- what goes wrong ----

# A store that never comes to its end, and is killed when the server has what came before.
killed()
{
	"$PNAV" store --service "$1" --at $at clickhouse://127.0.0.1:$port/default?retries=0 "$sample" >out 2>err &
	victim=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		[ -s "$scratch/broken" ] && break
		sleep 0.1
	done
	kill -KILL $victim
	wait $victim 2>/dev/null
	[ -s "$scratch/broken" ] && seen "$1" 0
}
check "killed before the last row: nothing is seen" eval '
	behind "INTO \`pnav_profiles:hang" killed dead && [ "$(rows samples dead)" -gt 5000 ]'
check "and the next store of it counts nothing twice" eval '
	store dead --at $at $to "$sample" && grep -q ": stored: " out && seen dead 1 &&
	[ "$(rows samples dead)" -gt 10000 ] && same dead cpu-clock "$sample"'
check "killed before its samples were there" eval '
	behind "INTO \`pnav_samples:hang" killed young && [ "$(rows samples young)" -eq 0 ]'
fails() { runs 1 "$PNAV" store --service "$1" --at $at clickhouse://127.0.0.1:$port/default?retries=0 "$sample"; }
check "a connection that is cut" eval '
	behind "INTO \`pnav_stacks:cut" fails cut && says "pnav: clickhouse://127.0.0.1:" && seen cut 0'
check "half of the samples" eval 'behind "INTO \`pnav_samples:half" fails half && says "the server says: " && seen half 0'
check "half of the stacks" eval 'behind "INTO \`pnav_stacks:half" fails half && says "the server says: " && seen half 0'
check "an error, and nothing that steers a terminal" eval '
	behind "INTO \`pnav_samples:error" fails none && says "the server says: no " && says "room" &&
	! grep -q "$(printf "\\033")" err && seen none 0'
check "an empty answer" eval 'behind "EXISTS:empty" fails none && says "the server'\''s answer is empty"'
check "an answer that is none" eval 'behind "EXISTS:html" fails none && says "is more than a number"'
check "any bytes" eval 'behind "SELECT count:garbage" fails none && says "is more than a number"'
check "an answer without end" eval 'behind "EXISTS:long" fails none && says "is more than a number"'
check "less than was promised" eval 'behind "SELECT count:short" fails none && [ "$(wc -l <err)" -eq 1 ]'
check "hashes that break off" eval 'behind "SELECT stack:short" fails none && seen none 0'
check "a redirect is not followed" eval 'behind "EXISTS:away" fails none && [ "$(wc -l <err)" -eq 1 ]'
check "then it is stored" eval 'store half --at $at $to "$sample" && same half cpu-clock "$sample"'

check "nobody there" eval 'runs 1 "$PNAV" store --service s clickhouse://127.0.0.1:$nobody/default?retries=0 "$sample" && says "127.0.0.1:$nobody/default?retries=0: "'
check "no such database" eval 'runs 1 "$PNAV" store --service s clickhouse://127.0.0.1:$http/nowhere "$sample" && says "nowhere"'
check "a reader may not store" eval 'runs 1 "$PNAV" store --service s --at $at clickhouse://reader@127.0.0.1:$http/default "$sample" && says "readonly"'
check "a password that is wrong" eval 'runs 1 "$PNAV" store --service s clickhouse://writer@127.0.0.1:$http/default "$sample" && says "the server says"'
printf 'machine 127.0.0.1 login writer password "%s"\n' "it's \\\\ secret" >.netrc
chmod 600 .netrc
check "one of ~/.netrc" eval '
	store netrc --at $at clickhouse://writer@127.0.0.1:$http/default "$sample" && seen netrc 1'
check "... and it is read with it" eval '
	runs 0 "$PNAV" report "clickhouse://writer@127.0.0.1:$http/default?service=netrc" && [ ! -s err ]'
rm .netrc
wrong() { runs 2 "$PNAV" store "$@" && grep -q '^pnav: ' err; }
check "no service" wrong $to "$sample"
check "no address" wrong --service s "$sample"
check "an address with a question" wrong --service s "$to?service=s" "$sample"
check "a password in an address" wrong --service s clickhouse://me:pw@h/d "$sample"
check "a label without a value" wrong --service s --label a $to "$sample"
check "a label twice" wrong --service s --label a=1 --label a=2 $to "$sample"
check "no moment" wrong --service s --at yesterday $to "$sample"
check "no file of a profile: the others are stored" eval '
	echo nothing >nothing && runs 3 "$PNAV" store --service some --at $at $to nothing "$sample" nowhere && seen some 1'
check "damage is reported, and what is before it stored" eval '
	file=$top_srcdir/tests/golden/text1-cut/input.*; runs 3 "$PNAV" store --service damaged --at $at $to $file && seen damaged 1'
check "a date that the store has no numbers for" eval 'runs 1 "$PNAV" store --service s --at 2150-01-01 $to "$sample" && says "after 2105"'
check "without a clock it is the time of the file, and told" eval '
	cp "$sample" dated && touch -d 2020-02-02T02:02:12Z dated && store dated $to dated &&
	says "assuming 2020-02-02T02:02:06Z, by the file" &&
	[ "$(ask $http "SELECT start FROM pnav_profiles WHERE service = '\''dated'\''")" = "2020-02-02 02:02:06" ]'

# ---- what cannot be read again ----

# keeps STATUS FILE ARGUMENT...: pnav store with the file in a pipe
keeps()
{
	wanted=$1 piped=$2
	shift 2
	cat "$piped" | XDG_STATE_HOME=${state:-$PWD/state} "$PNAV" store --at $at "$@" >out 2>err
	[ $? -eq "$wanted" ] || { sed 's/^/# /' err; false; }
}
# kept: the only file that is, the sample, whose name the last line of err says
kept()
{
	kept=$(echo state/pnav/not-stored-*)
	cmp "$kept" "$sample" && tail -n 1 err | grep -qF "not stored: kept in $PWD/$kept for another pnav store" &&
		[ "$(stat -c %a "$kept")" = 600 ] && cp "$kept" again && rm "$kept"
}
nobody_there=clickhouse://127.0.0.1:$nobody/default?retries=0
check "from a pipe with nobody there: it is kept as it came, and stored later" eval '
	keeps 1 "$sample" --service kept $nobody_there - && grep -q "127.0.0.1:$nobody/default?retries=0: " err && kept &&
	store kept --at $at $to again && same kept cpu-clock "$sample"'
cut_pipe() { keeps 1 "$sample" --service kept2 clickhouse://127.0.0.1:$port/default?retries=0 - "$sample"; }
check "a connection that is cut: so is what was read of the pipe" eval '
	behind "INTO \`pnav_stacks:cut" cut_pipe && seen kept2 0 && kept'
cp "$top_srcdir/tests/golden/text1-example/"input.* steps.txt
cut_late() { keeps 1 "$sample" --service kept3 clickhouse://127.0.0.1:$port/default?retries=0 steps.txt -; }
check "... and what waits in the pipe when a file before it failed" eval '
	behind "INTO \`pnav_stacks:cut" cut_late && seen kept3 0 && kept'
python3 "$top_srcdir/tests/lib/server.py" "$(dirname "$sample")" >served 2>served.log &
server=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -s served ] && break 2
		sleep 0.1
	done
done
cut_url() { keeps 1 /dev/null --service kept4 clickhouse://127.0.0.1:$port/default?retries=0 "http://127.0.0.1:$(cat served)/file/$(basename "$sample")"; }
check "what came from a URL" eval '
	behind "INTO \`pnav_profiles:cut" cut_url && seen kept4 0 && kept'
kill $server
wait $server 2>/dev/null
check "what was stored is not kept, nor what is there already, nor what is no profile, nor a file" eval '
	keeps 0 "$sample" --service kept6 $to - && grep -q ": stored: " out &&
	keeps 0 "$sample" --service kept6 $to - && grep -q skipped out &&
	keeps 1 steps.txt --service kept7 --input br $to - && keeps 1 /dev/null --service s $nobody_there "$sample" &&
	! XDG_STATE_HOME=$PWD/state "$PNAV" store --service s $nobody_there - <sample.txt >out 2>err &&
	grep -q "127.0.0.1:$nobody/default?retries=0: " err && [ -z "$(ls state/pnav)" ]'
check "where nothing can be kept a warning says so" eval '
	echo >blocked && state=$PWD/blocked keeps 1 "$sample" --service s $nobody_there - &&
	grep -q "it will not be kept if it cannot be stored: " err'

check "a stack that is not what its hash says" eval '
	store tampered --at $at $to "$sample" && from="$to?service=tampered&from=2024-05-01&to=2024-05-02" &&
	runs 0 "$PNAV" report "$from" && ask $http "INSERT INTO pnav_stacks SELECT service, stack, functions,
		arrayMap(f -> concat(f, '\''x'\''), files), modules, lines, kinds, defined, clauses, address, builds
		FROM pnav_stacks WHERE service = '\''tampered'\'' LIMIT 1" &&
	runs 1 "$PNAV" report "$from" && grep -q "a stack that does not match its hash" err'

# ---- versions ----

# What the writer sends as sums is what a migration has to compute from its samples.
old=$to?tables=old_
cp "$top_srcdir/tests/golden/text1-example/"input.* steps
cp "$top_srcdir/tests/golden/pprof-inlined/"input.* totals
sums() { ask $http "SELECT service, metric, host, hex(profile), start, stack, value, events, first, last
	FROM old_sums ORDER BY service, metric, profile, stack"; }
versions() { ask $http "SELECT version FROM old_version"; }
unversioned() { ask $http "DROP TABLE old_version" && ask $http "DROP TABLE IF EXISTS kept" && ask $http "CREATE TABLE kept AS old_sums" &&
	ask $http "INSERT INTO kept SELECT * FROM old_sums" && ask $http "DROP TABLE old_sums"; }
check "a new store says which version its tables have, once" eval '
	store v --at $at "$old" "$sample" && store w --at $at "$old" steps && store sums --at $at "$old" totals &&
	[ "$(versions)" = 5 ] && sums >before && [ "$(wc -l <before)" -gt 1000 ]'
check "without a version it is not read, and the message says what to do" eval '
	unversioned && runs 1 "$PNAV" report "$old&service=v" &&
	says "which have no version: the next pnav store into them brings them up to date"'
check "the next store computes the sums as the writer does" eval '
	store v --at $at "$old" "$sample" && grep -q ": is already stored: skipped$" out && sums >after &&
	cmp before after && [ "$(versions)" = 5 ] && runs 0 "$PNAV" report "$old&service=v"'
check "sums of some profiles stay as they are" eval '
	unversioned && ask $http "CREATE TABLE old_sums AS kept" &&
	ask $http "INSERT INTO old_sums SELECT * FROM kept WHERE service = '\''v'\''" &&
	store v --at $at "$old" "$sample" && sums >after && cmp before after'
for broken in "half of a profile:WHERE stack % 2 = 0:1" "twice:UNION ALL SELECT * FROM kept:1"; do
	part=${broken#*:}
	check "sums that are no sums of the samples, ${broken%%:*}: no version" eval '
		ask $http "DROP TABLE old_version" && ask $http "DROP TABLE old_sums" && ask $http "CREATE TABLE old_sums AS kept" &&
		ask $http "INSERT INTO old_sums SELECT * FROM kept ${part%:*}" &&
		runs 1 "$PNAV" store --service v --at $at "$old" "$sample" && says "DROP TABLE old_sums, old_periods and old_version, and the next store" &&
		[ -z "$(versions)" ] && runs 1 "$PNAV" report "$old&service=v" && says "have no version"'
	check "... then they are computed again" eval '
		ask $http "DROP TABLE old_sums" "DROP TABLE old_periods" "DROP TABLE old_version" && store v --at $at "$old" "$sample" && sums >after && cmp before after'
done
check "tables that lack columns are refused" eval '
	ask $http "DROP TABLE old_version" && ask $http "ALTER TABLE old_samples DROP COLUMN samples" &&
	runs 1 "$PNAV" store --service v --at $at "$old" "$sample" && says "store the files again, into another database"'
check "tables of version 2 get build ids and symbols, and keep their sums" eval '
	store n --at $at "$to?tables=two_" steps && "$PNAV" report --format csv "$to?tables=two_&service=n" >want &&
	ask $http "DROP TABLE two_symbols" "ALTER TABLE two_stacks DROP COLUMN builds" "DROP TABLE two_version" &&
	ask $http "CREATE TABLE two_version AS pnav_version" "INSERT INTO two_version SELECT toUInt32(2), '\''1'\'', now()" &&
	runs 1 "$PNAV" report "$to?tables=two_&service=n" && says "which have version 2: the next pnav store into them brings" &&
	store n --at $at "$to?tables=two_" steps && grep -q skipped out && runs 0 "$PNAV" report --format csv "$to?tables=two_&service=n" &&
	cmp out want && [ "$(ask $http "SELECT max(version) FROM two_version")" = 5 ]'
check "a newer version is neither written nor read" eval '
	store n --at $at "$to?tables=new_" steps && ask $http "INSERT INTO new_version SELECT toUInt32(6), '\''9'\'', now()" &&
	runs 1 "$PNAV" store --service n "$to?tables=new_" "$sample" && says "have version 6, and this pnav knows version 5" &&
	runs 1 "$PNAV" report "$to?tables=new_&service=n" && says "have version 6, and this pnav knows version 5"'

# ---- names ----

python3 - <<-'EOF'
	name = b"quo'te \"dou\" back\\slash \\' `tick` \\x41 ; -- $(x) %s \xc3\xbc \xff\xfe \t"
	open("names.folded", "wb").write(b"main;" + name.replace(b";", b":") + b";a\0b 5\nmain;')--;x 7\n")
EOF
hostile="s'; DROP TABLE pnav_samples; -- \\ \" \`"
check "names of any bytes" eval '
	store "$hostile" --host "$hostile" --label "k'\''\\=$hostile" --at $at $to names.folded &&
	store "$hostile" --host "$hostile" --label "k'\''\\=$hostile" --at $at $to names.folded && grep -q skipped out &&
	[ "$(ask $http "SELECT count() FROM pnav_samples WHERE service = host AND endsWith(service, '\''\`'\'') AND value IN (5, 7)")" -gt 1 ]'
check "are the bytes of the file" eval '
	ask $http "SELECT arrayStringConcat(functions, '\'';'\'') FROM pnav_stacks WHERE length(service) > 20 FORMAT TSVRaw" |
	LC_ALL=C sort >got && sed "s/ [57]\$//" names.folded | LC_ALL=C sort | cmp - got'

# ---- two servers ----

clickhouse_wait $second second
create_all()
{
	ask $second "$(ask $http "SHOW CREATE TABLE pnav_$1 FORMAT TSVRaw")" &&
	for shard in $http $second; do
		ask $shard "CREATE TABLE all_$1 AS pnav_$1 ENGINE = Distributed(fleet, default, pnav_$1, $2)" || return
	done
}
check "Distributed tables over both" eval '
	create_all profiles "cityHash64(content)" && create_all stacks stack && create_all samples "cityHash64(stack)" &&
	runs 1 "$PNAV" store --service far "$to?tables=all_" "$sample" &&
	says "there is no table all_sums over those of the servers" &&
	create_all sums stack && create_all period_sums stack && create_all period_profiles "cityHash64(host)" && create_all periods start && create_all symbols "cityHash64(build)" && create_all version version'
check "what is stored there is on both" eval '
	store far --host a --at $at "$to?tables=all_" "$sample" && store far --host b --at $at "$to?tables=all_" "$sample" &&
	store far --host b --at $at "$to?tables=all_" "$sample" && grep -q skipped out &&
	here=$(rows samples far) && there=$(ask $second "SELECT count() FROM pnav_samples WHERE service = '\''far'\''") &&
	[ $here -gt 2500 ] && [ $there -gt 2500 ] && [ $((here + there)) -eq 15086 ]'
check "and the numbers are those of the files" eval '
	stored far cpu-clock all_ $second >got &&
	"$PNAV" export --format folded --metric cpu-clock "$sample" | awk "{ n = \$NF; sub(/ [0-9]*\$/, \"\"); print \$0 \" \" 2 * n }" |
	LC_ALL=C sort | cmp - got'
check "a server below them takes nothing without a version" eval '
	runs 1 "$PNAV" store --service near --at $at clickhouse://127.0.0.1:$second/default "$sample" &&
	says "pnav_version has no version, and its tables are below Distributed ones"'
check "stored on another, read through both" eval '
	ask $second "INSERT INTO pnav_version SELECT * FROM all_version" &&
	store near --at $at clickhouse://127.0.0.1:$second/default "$sample" && stored near samples all_ $http >got &&
	"$PNAV" export --format folded --metric samples "$sample" | LC_ALL=C sort | cmp - got'
# ---- what is asked of a store is what the files give ----

# Three hosts and their files, whose labels in a profile of all three are the hosts' names.
golden=$top_srcdir/tests/golden
mkdir hosts
cp "$sample" hosts/web1
for host in 2 3; do
	gunzip -c "$sample" | awk -v RS= -v ORS='\n\n' -v n=$host 'NR == 1 || NR % n' >hosts/web$host
done
all_hosts="hosts/web1 hosts/web2 hosts/web3"
# answers QUERY FILES VIEWS LENS...: the reports of the answer are those of the files
answers()
{
	query=$1 files=$2 views=$3
	shift 3
	for view in $views; do
		"$PNAV" report --format csv --view "$view" "$@" "$to?$query" >got 2>err </dev/null ||
			{ cat err; return 1; }
		# shellcheck disable=SC2086
		"$PNAV" report --format csv --view "$view" "$@" $files >want 2>/dev/null
		[ "$(wc -l <want)" -gt 1 ] && cmp want got && continue
		echo "# $view of $query: $*"
		diff want got | head -n 5
		return 1
	done
}
stacks="functions tree callers lines"
check "hosts are stored" eval '
	store fleet --host web1 --at $at $to hosts/web1 && store fleet --host web2 --at $at $to hosts/web2 &&
	store fleet --host web3 --at $at $to hosts/web3 && seen fleet 3'
check "one host, every report" answers "service=fleet&host=web1" hosts/web1 "$stacks"
check "three hosts" answers "service=fleet" "$all_hosts" "functions tree"
check "a host by an expression" answers "service=fleet&host=~b[13]$" "hosts/web1 hosts/web3" functions
check "ranges of it" answers "service=fleet" "$all_hosts" functions --from 1s --to 3500ms
check "threads as tracks" answers "service=fleet&track=thread&host=web1" hosts/web1 functions \
	--track sqlite
check "filters, hidden frames, callers" answers "service=fleet" "$all_hosts" "functions callers" \
	--include zstd --exclude memcpy --hide kind:system --from 10%
check "another metric" answers "service=fleet&metric=samples" "$all_hosts" "functions" --metric samples
check "threads of a range that cuts the profiles" eval '
	"$PNAV" report --format csv --track sqlite "$to?service=fleet&track=thread&host=web1&from=2024-05-01T12:00:02Z&to=2024-05-01T12:00:03.5Z" >got &&
	"$PNAV" report --format csv --track sqlite --from 2s --to 3500ms hosts/web1 >want && cmp want got'
check "another metric of such a range" eval '
	"$PNAV" report --format csv "$to?service=fleet&host=web1&metric=samples&from=2024-05-01T12:00:02Z&to=2024-05-01T12:00:03.5Z" >got &&
	"$PNAV" report --format csv --metric samples --from 2s --to 3500ms hosts/web1 >want && cmp want got'
check "a profile that the range cuts beside one that it holds" eval '
	store twice --host a --at 2024-05-01T11:59:50Z $to hosts/web1 && store twice --host b --at 2024-05-01T12:00:01Z $to hosts/web2 &&
	"$PNAV" report --format csv "$to?service=twice&from=2024-05-01T11:59:52Z&to=2024-05-01T12:00:30Z" >got &&
	"$PNAV" export --format folded --from 2s hosts/web1 >cut.folded 2>/dev/null &&
	"$PNAV" export --format folded hosts/web2 >>cut.folded 2>/dev/null && awk "{ n += \$NF } END { print n }" cut.folded >want &&
	awk -F, "NR > 1 { n += \$(NF - 1) } END { print n }" got | cmp want -'
for version in 1 2; do
	store versions --host web$version --label version=v$version --at $at $to hosts/web$version
done
store versions --host web3 --at $at $to hosts/web3
check "labels that profiles were stored with as tracks" eval '
	"$PNAV" report --view tracks --format csv "$to?service=versions&track=label:version" | sed 1d | cut -d , -f 1 | sort >got &&
	printf "%s\n" "[no version]" v1 v2 | cmp - got'
check "and what each has is what its files have" eval '
	answers "service=versions&track=label:version" "$all_hosts" "functions tree" &&
	"$PNAV" report --format csv --track v2 "$to?service=versions&track=label:version" >got &&
	"$PNAV" report --format csv hosts/web2 >want && cmp want got'
tracks() { "$PNAV" report --view tracks --format csv "$to?service=own&$1" | sed 1d | cut -d , -f 1 | sort; }
check "labels that one step leaves out are said to be" eval '
	"$PNAV" report --format csv "$to?service=versions&rows=5" 2>err >out && grep -q "is one step" err &&
	grep -q "labels would need more than 5 rows: they are left out" err'
check "labels of ranges, and of samples where they have them" eval '
	answers "service=versions&track=label:version" "$all_hosts" functions --from 1s --to 2s &&
	store own --label k=v --at $at $to "$golden"/chrome-label/input.* &&
	tracks "track=label:cat" >got && printf "%s\n" "[no cat]" net page >want && cmp want got &&
	tracks "track=label:k" >got && echo v >want && cmp want got'
check "profiles with a label, with its value, without it" eval '
	answers "service=versions&label=version:v2" hosts/web2 "functions tree" &&
	answers "service=versions&label=version:~^v[13]" hosts/web1 functions &&
	answers "service=versions&label=version" "hosts/web1 hosts/web2" functions &&
	answers "service=versions&label=!version" hosts/web3 functions &&
	answers "service=versions&label=!version:v1&label=version" hosts/web2 functions &&
	answers "service=versions&label=!version:v1" "hosts/web2 hosts/web3" functions --from 1s --to 2s'
check "labels of profiles are labels of their samples" eval '
	"$PNAV" report --format csv --where version:v2 "$to?service=versions" >got && "$PNAV" report --format csv hosts/web2 >want && cmp want got &&
	"$PNAV" report --format csv --where "!version:v1" --from 1s --to 2s "$to?service=versions" >got &&
	"$PNAV" report --format csv --from 1s --to 2s hosts/web2 hosts/web3 >want && sort want >wants && sort got | cmp wants - &&
	"$PNAV" report --format csv --where version:v2 --from 2s --to 4s "$to?service=versions&rows=15k" >got &&
	"$PNAV" report --format csv --from 2s --to 4s hosts/web2 >want && sort want >wants && sort got | cmp wants - &&
	"$PNAV" report --label version --format csv "$to?service=versions" | cut -d , -f 1 | sort >got && grep -qx version=v1 got && grep -qx version=v2 got'
check "... the labels of a sample win" eval '
	store own --label cat=all --label more=1 --at 2024-05-02T12:00:00Z $to "$golden"/chrome-label/input.* &&
	"$PNAV" report --label cat --format csv "$to?service=own&label=cat" >got && grep -q "^cat=net" got && "$PNAV" report --label more --format csv "$to?service=own&label=cat" | grep -q "^more=1,"'
# listed [QUERY]: what --list says of the service, without when it was stored and its bytes
listed() { "$PNAV" store --list --format csv "$to?service=versions$1" | sed 1d | cut -d , -f 1-3,5,6,8-; }
check "what a store holds" eval '
	[ "$(listed)" = "versions,3,$(zcat -f hosts/* | grep -c cpu-clock),2024-05-01T12:00:00Z,2024-05-01T12:00:05Z,\"3: web1, web2, web3\",\"version=v1, v2\"," ] &&
	[ "$(listed "&label=version:v1" | cut -d , -f 1,2,6-)" = "versions,1,1: web1,version=v1," ] && [ -z "$(listed "&host=web9")" ]'
check "... for people, and a line for a program" eval '
	"$PNAV" store --list "$to" >out && grep -q "^versions .* KiB .*2024-05-01T12:00:00Z " out && grep -q "^service  " out &&
	"$PNAV" store --list --format ndjson "$to?service=versions" | grep -q "^{\"service\": \"versions\", \"profiles\": 3, .*}$"'
check "a server without TTL, in one line" eval '
	runs 1 "$PNAV" store --ttl 30d $to && says "ClickHouse 18.16 has no TTL of tables" &&
	runs 1 "$PNAV" store --ttl 30d --service never $to "$sample" && says "has no TTL" && seen never 0'
set_ttl() { runs 0 "$PNAV" store --ttl "$1" clickhouse://127.0.0.1:$port/default; }
ttl_of() { "$PNAV" store --list --format csv "clickhouse://127.0.0.1:$port/default?service=versions" | sed -n "s/.*,//; 2p"; }
check "one with TTL: samples by their time, the rest by the begin of the profile" eval '
	behind TTL:engine set_ttl 30d && [ ! -s err ] && [ ! -s out ] && sort ttl >got &&
	printf "ALTER TABLE \`pnav_%s + toIntervalDay(30)
" "period_profiles\` MODIFY TTL start" "period_sums\` MODIFY TTL start" "periods\` MODIFY TTL start" "profiles\` MODIFY TTL start" "samples\` MODIFY TTL time" \
		"sums\` MODIFY TTL start" | cmp - got && [ "$(ttl_of)" = 30d ]'
check "... in seconds, where it is no day" eval 'behind TTL:engine set_ttl 36h && [ "$(ttl_of)" = 129600s ]'
store_ttl() { runs 0 "$PNAV" store --service ttl --at $at "clickhouse://127.0.0.1:$port/default" "$sample"; }
check "... and tables that a later pnav adds get that of the samples" eval '
	: >ttl && echo "ALTER TABLE \`pnav_samples\` MODIFY TTL time + toIntervalDay(9)" >ttl &&
	ask $http "RENAME TABLE pnav_period_profiles TO saved_profiles" && behind TTL:engine store_ttl &&
	[ "$(sed 1d ttl)" = "ALTER TABLE \`pnav_period_profiles\` MODIFY TTL start + toIntervalDay(9)" ] &&
	: >ttl && ask $http "DROP TABLE pnav_period_profiles" && behind TTL:engine store_ttl && [ ! -s ttl ] &&
	ask $http "DROP TABLE pnav_period_profiles" "RENAME TABLE saved_profiles TO pnav_period_profiles"'
check "... and the list of a server without it" eval '[ "$("$PNAV" store --list --format csv $to | sed -n "s/.*,//; 1,2p" | tr "\n" " ")" = "ttl  " ]'
check "times that are none" eval '
	runs 2 "$PNAV" store --ttl soon $to && grep -q "is not a length of time" err && runs 2 "$PNAV" store --ttl 0s $to &&
	runs 2 "$PNAV" store --ttl 1d --list $to'
check "... nothing before the first profile is stored" eval '[ "$("$PNAV" store --list "$to?tables=none_" | wc -l)" = 1 ]'
check "... and no files" eval 'runs 2 "$PNAV" store --list "$to" "$sample" && grep -q "one address, and no files" err'
check "by= is track=" eval '"$PNAV" report --view tracks "$to?service=versions&by=label:version" >got &&
	"$PNAV" report --view tracks "$to?service=versions&track=label:version" >want && cmp got want'
check "two deployments are compared as their files are" eval '
	"$PNAV" diff --format csv "$to?service=versions&label=version:v1" "$to?service=versions&label=version:v2" >got 2>err &&
	"$PNAV" diff --format csv hosts/web1 hosts/web2 >want 2>/dev/null && cmp want got'
# A profile without the metric, and hosts whose profiles have no times.
check "the duration of a profile without the metric does not count" eval '
	printf "main;a 7\nmain;b 5\n" >one.folded && printf "p 1/1 9.0: 1 page-faults:\n\t1 f (/bin/p)\n\np 1/1 19.0: 1 page-faults:\n\t1 f (/bin/p)\n\n" >faults.perf &&
	store apart --host a --at $at $to hosts/web1 && store apart --host b --at $at $to hosts/web1 &&
	store apart --host a --at 2024-05-01T13:00:00Z $to faults.perf &&
	"$PNAV" diff "$to?service=apart&host=a" "$to?service=apart&host=b" >got 2>err &&
	grep -q "^cpu-clock .* (0 ns)" got && ! grep -q "per second" got'
check "hosts without times are runs: a sum of three has three times the interval of their mean" eval '
	for n in 1 2 3; do
		printf "main;a %d\nmain;b %d\n" $((1000 + n)) $((500 + 2 * n)) >old$n &&
		printf "main;a %d\nmain;b %d\n" $((1100 + n)) $((500 + 2 * n)) >new$n &&
		store totals --host h$n --label v=1 --at $at $to old$n && store totals --host h$n --label v=2 --at $at $to new$n || break
	done
	pick="change,low,high,sure" &&
	"$PNAV" diff --format csv --columns function,$pick --old old1 old2 old3 --new new1 new2 new3 >want 2>err &&
	"$PNAV" diff --format csv --columns function,$pick "$to?service=totals&label=v:1" "$to?service=totals&label=v:2" >got 2>err &&
	grep -q "^a,100,.*yes" want && grep -q "^a,300,.*yes" got &&
	awk -F, "NR == FNR { low[\$1] = \$3; next } \$1 == \"a\" { d = \$3 - 3 * low[\$1]; exit !(d * d <= 9) }" want got'
check "a host without times is not compared by hours" eval '
	for n in 1 2 3 4 5 6 7 8 9 10; do printf "p 1/1 %d.0: 1000000 cpu-clock:\n\t1 a (/bin/p)\n\n" $n; done >timed.perf &&
	sed "s/ [0-9]*[.]0:/ 5.0:/" timed.perf >moment.perf &&
	store mixed --host a --label v=1 --at $at $to timed.perf && store mixed --host b --label v=1 --at $at $to timed.perf &&
	store mixed --host c --label v=2 --at $at $to timed.perf && store mixed --host d --label v=2 --at $at $to moment.perf &&
	"$PNAV" diff "$to?service=mixed&label=v:1" "$to?service=mixed&label=v:2" >got 2>err &&
	grep -q "^cpu-clock .*20.0 ms, compared with 20.0 ms (0 ns)" got && grep -q "1 of 2 hosts have profiles without a duration" err'
# header SIZE A B: what the header says of a comparison of two parts of the service
header() { "$PNAV" diff --no-config --size "$1" --snapshot "$to?service=versions$2" "$to?service=versions$3" 2>err </dev/null | sed -n 1p; }
check "in the browser, the header says what differs" eval '
	case $(header 80x12 "&label=version:v1" "&label=version:v2") in " pnav  versions version v1 → version v2   "*) ;; *) false ;; esac &&
	case $(header 120x12 "&host=web1&to=2024-05-01T12:00:02Z" "&host=~web%5B23%5D&from=2024-05-01T12:00:02.5Z&to=2024-05-01T13:00:00Z") in
	" pnav  versions web1 ..2024-05-01T12:00:02 → ~web[23] 2024-05-01T12:00:02.5..13:00   "*) ;; *) false ;; esac &&
	case $(header 80x12 "" "&label=!version") in " pnav  versions all → !version   "*) ;; *) false ;; esac &&
	case $(header 80x12 "" "") in " pnav  versions default → default   "*) ;; *) false ;; esac'
check "a label that no profile has" eval '
	runs 1 "$PNAV" report "$to?service=versions&label=version:v9" && says "no profiles of this service, host, label and time"'
check "a label with the bytes of an attack" eval '
	runs 1 "$PNAV" report "$to?service=versions&label=x%27)%20OR%20(1:%27)%20OR%20(%27%27=%27" && says "no profiles of this service"'
check "a range of the address is the range of the files" eval '
	"$PNAV" report --format csv "$to?service=fleet&host=web1&from=2024-05-01T12:00:02Z&to=2024-05-01T12:00:03.5Z" >got &&
	"$PNAV" report --format csv --from 2s --to 3500ms hosts/web1 >want && cmp want got'
check "fewer rows are longer steps, and the whole stays exact" eval '
	answers "service=fleet&rows=15k" "$all_hosts" "functions tree" &&
	"$PNAV" report --view info "$to?service=fleet&rows=15k" >out 2>err &&
	step=$(sed -n "s/^step *//p" out) && [ -n "$step" ] && [ "$step" != "every sample" ] &&
	[ "$(sed -n "s/^rows *\([0-9]*\) .*/\1/p" out)" -le 15000 ]'
check "ranges that end at steps are exact" answers "service=fleet&rows=15k" "$all_hosts" functions \
	--from 2s --to 4s
check "too few rows: totals alone, and exact" eval '
	answers "service=fleet&rows=10" "$all_hosts" functions && grep -q "the whole range is one" err'
# Two hosts whose load comes and goes: what they have when is right to a part of a step.
for host in a b; do
	awk -v host=$host 'BEGIN {
		srand(host == "a" ? 1 : 2)
		for (i = 0; i < 2000; i++) {
			t = (host == "a" ? i * i / 200300 : 20 - (1999 - i) * (1999 - i) / 210000)
			printf "%s 1 %.6f: %d cpu-clock:\n", host, 100 + t, 1000 + rand() * 9000
			printf "\t1000 f%d+0x0 (/m)\n\t2000 g%d+0x0 (/m)\n\t3000 main+0x0 (/m)\n\n", rand() * 10, rand() * 2
		}
	}' >waves.$host
	store waves --host $host --at @1714564900 $to waves.$host
done
# levels COLUMNS QUERY: what there is in each of the parts that a curve has
levels()
{
	"$PNAV" sql --format csv "SELECT $1 time / 10000000, sum(value) FROM samples
		WHERE metric = 'cpu-clock' GROUP BY $1 time / 10000000 ORDER BY 1, 2" "$to?service=waves&$2" 2>err
}
check "what each host has when, in parts of a step" eval '
	levels "track," rows=2M >want && levels "track," rows=500 >got && [ "$(wc -l <want)" -gt 1500 ] && cmp want got &&
	step=$("$PNAV" report --view info "$to?service=waves&rows=500" | sed -n "s/^step *//p") && echo "# a step is $step" &&
	[ "$step" = "2.000 s" ]'
check "what its steps are" eval '
	"$PNAV" report --format csv --from 4s --to 8s "$to?service=waves&rows=500" >got &&
	"$PNAV" report --format csv --from 4s --to 8s "$to?service=waves" >want && [ "$(wc -l <want)" -gt 10 ] && cmp got want'
check "and where no step fits" eval 'levels "" rows=2M >want && levels "" rows=5 >got && cmp want got && grep -q "is one" err'
check "the scrubber goes from step to step" eval '
	"$PNAV" --no-config --size 100x30 --keys "3 Tab Right Right Right [ Right Right ]" --snapshot "$to?service=waves&rows=500" >out 2>err </dev/null &&
	grep -E "[02468]\.000 s … [0-9]*[02468]\.000 s" out'
check "two answers are compared as two files are" eval '
	"$PNAV" diff --format csv "$to?service=fleet&host=web1" "$to?service=fleet&host=web2" >got 2>err &&
	"$PNAV" diff --format csv hosts/web1 hosts/web2 >want 2>/dev/null && cmp want got'
check "asked in SQL, and exported" eval '
	"$PNAV" sql --format csv "SELECT count(*), sum(value) FROM samples" "$to?service=fleet&host=web1" >got &&
	"$PNAV" sql --format csv "SELECT count(*), sum(value) FROM samples WHERE metric = '\''cpu-clock'\''" hosts/web1 >want &&
	cut -d , -f 2 want | cmp -s - - && [ "$(cut -d , -f 2 got)" = "$(cut -d , -f 2 want)" ] &&
	"$PNAV" export --format folded "$to?service=fleet&host=web1" 2>/dev/null | LC_ALL=C sort >got &&
	"$PNAV" export --format folded hosts/web1 2>/dev/null | LC_ALL=C sort | cmp - got'
# Two deployments, on five hosts for ten seconds and on four for five; the truth is computed apart.
mkdir deployments
python3 "$top_srcdir/tests/lib/host_runs.py" deployments | tr " " , | LC_ALL=C sort >truth
for file in deployments/*; do
	name=${file##*/}
	store runs --host "${name#*.}" --label "version=${name%.*}" --at $at $to "$file"
done
deployed() { "$PNAV" diff --format csv "$@" "$to?service=runs&label=version:v1$more" "$to?service=runs&label=version:v2$more" 2>err; }
for more in "" "&rows=1k"; do
	check "two deployments: hours and hosts decide what a change proves ${more#&}" eval '
		deployed --columns function,base_total,total,low,high | sed 1d | grep -v ^main, | LC_ALL=C sort >got &&
		[ "$(wc -l <truth)" -eq 3 ] && cmp got truth &&
		deployed --columns function,sure | grep -c ",yes$" >got && deployed --columns function,sure | grep -q "^slow,yes" && [ "$(cat got)" = 1 ]'
done
more=
check "... without hosts, what differs between them looks sure" eval '
	more="&track=none" && deployed --columns function,sure --normalize | grep -c ",yes$" >got && more= && [ "$(cat got)" -gt 1 ]'
check "... a packed comparison still knows the hosts" eval '
	"$PNAV" pack -o both.pnavpack --old "$to?service=runs&label=version:v1" --new "$to?service=runs&label=version:v2" 2>err &&
	"$PNAV" report --format csv --columns function,low,high,sure both.pnavpack >got && deployed --columns function,low,high,sure >want && cmp got want'

# Hosts have one program from different folders, with a library of different versions: its functions
# are the same, and those of one name in two modules stay two.
build()
{
	awk -v v=$1 'BEGIN { for (i = 0; i < 40 * v; i++) {
		printf "app 1 %.6f: 1000 cpu-clock:\n", 100 + i / 100
		if (i % 4 == 0) printf "\t1000 inflate+0x0 (/usr/lib/libz.so.1.%d)\n", v
		if (i % 4 == 1) printf "\t1100 init+0x0 (/usr/lib/libz.so.1.%d)\n", v
		if (i % 4 > 1) printf "\t2000 init+0x0 (/opt/app-%d/bin/app)\n", v
		printf "\t3000 main+0x0 (/opt/app-%d/bin/app)\n\n", v
	} }'
}
for version in 1 2 3; do
	build $version >hosts/app$version
	store builds --host app$version --at $at $to hosts/app$version
done
check "functions of several builds are the same, as in merged files" eval '
	answers "service=builds" "hosts/app1 hosts/app2 hosts/app3" "functions tree" &&
	"$PNAV" report --format csv --columns function,self "$to?service=builds" | sort >got &&
	printf "%s\n" function,self inflate,60000 init,120000 init,60000 main,0 | sort | cmp - got'
check "... unless --match path" eval '
	"$PNAV" report --match path --format csv "$to?service=builds" >got && [ "$(wc -l <got)" -eq 13 ]'
check "... and on another side they are those of this one" eval '
	"$PNAV" diff --format csv --columns function,base_self,self "$to?service=builds&host=~[12]" \
		"$to?service=builds&host=app3" | sort >got && # 0.39 s and 0.79 s beside 1.19 s
	printf "%s\n" function,base_self,self inflate,30254,30000 init,30254,30000 init,60508,60000 main,0,0 |
		cmp - got'
check "in the browser" eval '
	"$PNAV" --no-config --keys "3" --size 100x30 --snapshot "$to?service=fleet" >out 2>err </dev/null &&
	grep -q ZSTD_RowFindBestMatch out'
for case in pprof-threads pprof-inlined folded-names; do
	[ -d "$golden/$case" ] || continue
	file=$(echo "$golden/$case"/input.*)
	check "$case" eval 'store "read-$case" --host h --at $at $to "$file" &&
		answers "service=read-$case" "$file" "functions tree lines" &&
		"$PNAV" report --view labels --format csv "$to?service=read-$case" >got 2>/dev/null &&
		"$PNAV" report --view labels --format csv "$file" 2>/dev/null | cmp - got'
done
check "names of any bytes come back" answers "service=$(printf '%s' "$hostile" |
	sed 's/%/%25/g; s/&/%26/g; s/#/%23/g')" names.folded "functions tree"
check "samples without the row of their profile are invisible" eval '
	ask $http "INSERT INTO pnav_samples (service, metric, unit, host, profile, time, stack, value)
		VALUES ('\''fleet'\'', '\''cpu-clock'\'', '\''ns'\'', '\''ghost'\'', '\''0123456789abcdef'\'', '\''2024-05-01 12:00:01'\'', 7, 1000)" &&
	answers "service=fleet" "$all_hosts" functions'
check "nobody there, to be read" eval 'runs 1 "$PNAV" report "clickhouse://127.0.0.1:$nobody/default?service=s&retries=0" && says "127.0.0.1:$nobody/default?service=s&retries=0: "'
check "no such service reports which there are" eval 'runs 1 "$PNAV" report "$to?service=nil" && says "services: "'
check "no such metric reports which there are" eval 'runs 1 "$PNAV" report "$to?service=fleet&metric=m" && says "there are cpu-clock, samples"'
check "no such table" eval 'runs 1 "$PNAV" report "$to?service=fleet&tables=none_" && says "none_profiles"'
check "a parameter that there is not" eval 'runs 2 "$PNAV" report "$to?sevice=fleet" && grep -q "there is service, " err'
reads() { runs "$1" "$PNAV" report "clickhouse://127.0.0.1:$port/default?retries=0&service=fleet"; }
for what in "ORDER BY n DESC:short" "any(metrics.unit):error" "max(metrics.labels):short" "files, modules:short" \
	"GROUP BY host, stack:cut" "any(metrics.unit):empty"; do
	check "what goes wrong: $what" eval 'behind "$what" reads 1 && [ "$(wc -l <err)" -eq 1 ]'
done
check "a server that leaves before the detail: the totals stay" eval '
	behind "AS step:cut" reads 3 && grep -q ZSTD_RowFindBestMatch out && [ "$(wc -l <err)" -eq 1 ]'

screen() { "$PNAV" --no-config --size 100x24 --keys "$1" --snapshot "$to?service=fleet&rows=15k" >out 2>err </dev/null; }
check "again: the range alone, in shorter steps, with the same numbers" eval '
	screen "3 : '\''range 2s 4s'\'' Enter" && grep "ms .* ZSTD_" out | head -n 3 >want && [ -s want ] &&
	screen "3 : '\''range 2s 4s'\'' Enter : '\''again'\'' Enter" && grep "ms .* ZSTD_" out | head -n 3 | cmp - want &&
	grep -q "from=2024-05-01T12:00:02" out && grep -q "whole run" out'
check "and back, without asking" eval '
	screen "3 : '\''range 2s 4s'\'' Enter : '\''again'\'' Enter u" && grep "ms .* ZSTD_" out | head -n 3 | cmp - want &&
	grep -q "2.000 s … 4.000 s" out && ! grep -q "from=" out &&
	screen "3 : '\''range 2s 4s'\'' Enter : '\''again'\'' Enter u u" && grep -q "whole run" out'
check "again: hosts that are chosen" eval '
	"$PNAV" --no-config --size 180x24 --track web2 --keys ": '\''again'\'' Enter 8" --snapshot "$to?service=fleet" >out 2>err </dev/null &&
	grep -qF "&host=~^(?:web2)\$" out'
check "--explain prints the queries and sends none" eval '
	runs 0 "$PNAV" report --explain "clickhouse://127.0.0.1:$nobody/default?service=it%27s&metric=m" && [ ! -s err ] &&
	[ "$(grep -c "^SELECT" out)" -eq 14 ] && grep -qx -- "-- with hours and days that have sums, .*" out && grep -qF "service = '\''it\\'\''s'\''" out && grep -qF "start < toDateTime({end})" out &&
	runs 0 "$PNAV" report --explain "clickhouse://127.0.0.1:$nobody/default?service=x&track=thread" && [ "$(grep -c "^SELECT" out)" -eq 10 ] &&
	[ "$(sed -n 1p out)" = "-- sums of hours and days are not used: tracks are threads" ] && for query in "" "service=x&label=v" "service=x&by=label:v"; do
		runs 0 "$PNAV" report --explain "clickhouse://127.0.0.1:$nobody/default?$query" && sed -n "s/.*are not used: //p" out
	done >got && printf "the address names no service\na label selects profiles\ntracks are values of a label\n" | cmp - got'

# A query that takes hours, for the version of a store.
asks_slowly() { ask $http "SELECT count() FROM system.processes WHERE position(query, 'slow_version') > 0 AND position(query, 'processes') = 0"; }
slow=clickhouse://127.0.0.1:$http/default?service=x\&tables=slow_
pty=$top_builddir/tests/lib/pty
check "the server ends the query of a browser that is left" eval '
	ask $http "CREATE TABLE slow_profiles AS pnav_profiles" "CREATE VIEW slow_version AS SELECT toUInt32(number) AS version
		FROM (SELECT number FROM system.numbers LIMIT 1000000000000) WHERE cityHash64(number) = 5" &&
	{ (sleep 0.4; asks_slowly >during) & } && TERM=xterm timeout 60 "$pty" -k j -k j -k j -k j -k Q "$PNAV" --no-config "$slow" >out 2>err && wait $! &&
	for _ in 1 2 3 4 5 6 7 8 9 10; do [ "$(asks_slowly)" = 0 ] && break; sleep 0.2; done && [ "$(cat during)" = 1 ] && [ "$(asks_slowly)" = 0 ]'

# ---- the start page ----

# page KEYS [SIZE]: what is on the screen then
page() { "$PNAV" --no-config --size "${2:-110x30}" --keys "$1" --snapshot "$to" >out 2>err </dev/null && [ ! -s err ]; }
check "the start page: services, and their profiles with each label" eval '
	page "'\''fleet'\''" && grep -q "  fleet  *3  *3 " out && grep -q "hosts   web1, web2, web3" out &&
	page "'\''version=v2'\''" && grep -q "  version=v2  *1  *1  *[0-9,]*  *2024-05-01T12:00:0.Z" out'
check "... what is typed is sought, Enter opens the last hour" eval '
	page "'\''fleet'\'' Enter 8" 180x30 && grep -q "service=fleet&from=2024-05-01T12:00:00Z&to=2024-05-01T12:00:0" out'
check "... and u returns" eval 'page "'\''fleet'\'' Enter u" && grep -q "type: search" out'
check "... v on two rows compares, as diff does" eval '
	page "'\''/version=v1'\'' ^V Esc '\''/version=v2'\'' ^V 8" 200x50 && grep -q "service=runs&label=version:v1&" out &&
	grep -q "service=runs&label=version:v2&" out && grep -q "base .* was " out'
check "... with q it ends" eval 'page q && grep -q "type: search" out'
check "... an address that selects opens what it selects" eval '
	"$PNAV" --no-config --snapshot "$to?service=fleet" >out 2>err </dev/null && ! grep -q "type: search" out'
check "... nothing is stored" eval '
	runs 1 "$PNAV" --no-config --snapshot "$to?tables=none_" </dev/null && says "this store has no profiles"'

# ---- sums of hours and days ----

# Two hosts with a profile every ten minutes, two hours each side of midnight.  Every query is
# asked without these sums and with them.
mkdir hours
python3 "$top_srcdir/tests/lib/hour_runs.py" hours
hours="$to?service=hours"
# claimed WHEN ENDED: a process began to sum then, and, if 1, came to its end
claimed() { ask $http "INSERT INTO pnav_periods SELECT 'hours', toUInt32(0), now(), toUInt64(0), toUInt64($2), toUInt64(0), toUInt64(0), toInt64(0), $1"; }
used() { "$PNAV" report --view info "${2:-$hours}$1" | sed -n 's/^sums  *of //p'; }
first_day=2024-05-01T
second_day=2024-05-02T
# asked INTO: answers to all queries; those of info say what they use
asked()
{
	while read -r view query; do
		if [ "$view" = diff ]; then
			"$PNAV" diff --format csv "$hours$query" "$hours&from=${second_day}00:00:00Z"
		else
			"$PNAV" report --view "$view" --format csv "$hours$query"
		fi || echo "fails: $query"
	done >"$1" 2>err <<-EOQ
		callers
		functions &rows=100
		tree &rows=100&track=none
		tree &host=a
		functions &host=~[b]&metric=samples
		tree &from=${first_day}22:00:00Z&to=${second_day}00:00:00Z
		tree &from=${first_day}22:30:00Z&to=${second_day}01:30:00Z
		functions &from=${first_day}22:30:01.5Z&to=${second_day}01:00:00.000000001Z&rows=100
		tree &label=v:1
		functions &by=label:v
		functions &track=thread
		diff &to=${second_day}00:00:00Z
		diff &from=${first_day}22:10:00Z&to=${second_day}00:00:00Z
	EOQ
}
check "profiles of hours are stored, while another process computes their sums" eval '
	claimed "now()" 0 && store hours --host a --label v=1 $to hours/a.* && store hours --host b --label v=2 $to hours/b.* &&
	[ -z "$(used)" ] && [ "$(ask $http "SELECT count() FROM pnav_periods WHERE service = '\''hours'\''")" = 1 ] && asked without && [ "$(wc -l <without)" -gt 1000 ]'
check "with sums of hours and days the answers are the same bytes" eval '
	runs 0 "$PNAV" store --summarize "$to?service=hours" && grep -qx "summed 2 days and 4 hours" out &&
	asked with && cmp without with && ! grep "^fails" with'
check "... and sums are used where all of their profiles are in the range" eval '
	[ "$(used)" = "2 days and 0 hours" ] && [ "$(used "&host=a&track=none")" = "2 days and 0 hours" ] &&
	[ "$(used "&from=${first_day}22:00:00Z&to=${second_day}01:00:00Z")" = "0 days and 2 hours" ] && # one of the third lasts until 1:00:05
	[ "$(used "&from=${first_day}22:00:01Z&to=${second_day}00:00:00Z")" = "" ] &&
	[ -z "$(used "&label=v:1")$(used "&track=thread")$(used "&by=label:v")" ]'
check "... and by the list of what the store holds" eval '
	"$PNAV" store --list --format csv "$hours&track=thread" | cut -d , -f 1-3,5- >want && "$PNAV" store --list --format csv "$hours" | cut -d , -f 1-3,5- >got &&
	[ "$(wc -l <got)" -eq 2 ] && cmp want got && held() { "$PNAV" store --list "clickhouse://127.0.0.1:$port/default?retries=0&service=hours"; } &&
	behind "FROM \`pnav_period_profiles\`
WHERE 1 AND:error" held >out 2>err; [ -s err ]'
check "... by the query for the totals" eval '
	behind "period IN (:cut" runs 1 "$PNAV" report "clickhouse://127.0.0.1:$port/default?retries=0&service=hours"'
check "nothing is left to sum" eval 'runs 0 "$PNAV" store --summarize $to && grep -qx "summed 0 days and 0 hours" out'
check "a profile that comes late counts, and then its hour and day are summed again" eval '
	sed "s/f1/late/" hours/a.03 >late && store hours --host a $to late && [ "$(used)" = "1 day and 1 hour" ] &&
	answers "service=hours" "hours/* late" functions && grep -q "^late," got && cp got want &&
	runs 0 "$PNAV" store --summarize "$to?service=hours" && grep -qx "summed 1 day and 1 hour" out &&
	[ "$(used)" = "2 days and 0 hours" ] && answers "service=hours" "hours/* late" functions'
check "two copies of a profile, in two months: its sums are not used" eval '
	ask $http "CREATE TABLE copies AS pnav_profiles" "INSERT INTO copies SELECT * FROM pnav_profiles WHERE service = '\''hours'\'' LIMIT 1" &&
	ask $http "INSERT INTO pnav_profiles SELECT profile, content, service, host, start + 3456000, start_ns, duration_ns, format, metric,
		file, samples, \`metrics.name\`, \`metrics.unit\`, \`metrics.decimals\`, \`metrics.labels\`, \`labels.key\`, \`labels.value\`, stored FROM copies" &&
	[ -z "$(used)" ] && answers "service=hours" "hours/* late" functions &&
	ask $http "ALTER TABLE pnav_profiles DROP PARTITION 202406" && [ "$(used)" = "2 days and 0 hours" ]'
check "copies of an hour in another one: neither is summed" eval '
	ask $http "DROP TABLE copies" "CREATE TABLE copies AS pnav_profiles" "INSERT INTO copies SELECT * FROM pnav_profiles WHERE
		service = '\''hours'\'' AND host = '\''a'\'' AND start < toDateTime('\''2024-05-01 23:00:00'\'')" &&
	ask $http "INSERT INTO pnav_profiles SELECT profile, content, service, host, start + 3456000, start_ns, duration_ns, format, metric,
		file, samples, \`metrics.name\`, \`metrics.unit\`, \`metrics.decimals\`, \`metrics.labels\`, \`labels.key\`, \`labels.value\`, stored FROM copies" &&
	runs 0 "$PNAV" store --summarize "$to?service=hours" && grep -qx "summed 0 days and 0 hours" out && [ -z "$(used)" ] &&
	answers "service=hours" "hours/* late" functions &&
	ask $http "ALTER TABLE pnav_profiles DROP PARTITION 202406" && [ "$(used)" = "2 days and 0 hours" ]'
check "sums that somebody added to, or that are gone, are not used" eval '
	ask $http "CREATE TABLE some AS pnav_period_sums" "INSERT INTO some SELECT * FROM pnav_period_sums WHERE service = '\''hours'\'' AND span = 86400" \
		"INSERT INTO pnav_period_sums SELECT service, metric, start, span, '\''c'\'', stack, period, value, events, first, last FROM some" &&
	[ "$(used)" = "0 days and 4 hours" ] && answers "service=hours" "hours/* late" functions &&
	ask $http "ALTER TABLE pnav_period_sums DROP PARTITION 202405" && [ -z "$(used)" ] && answers "service=hours" "hours/* late" functions'
no_periods() { ask $http "DROP TABLE IF EXISTS earlier" "CREATE TABLE earlier AS pnav_periods" "DROP TABLE pnav_periods" "CREATE TABLE pnav_periods AS earlier"; }
check "a store sums old profiles only if none of the service came to its end before" eval '
	no_periods && claimed "now() - 7200" 1 &&
	store hours --host a $to late && grep -q skipped out && [ -z "$(used)" ] && [ "$(ask $http "SELECT count() FROM pnav_periods")" = 3 ] &&
	no_periods && claimed "now() - 7200" 0 && store hours --host a $to late && grep -q skipped out && [ "$(used)" = "2 days and 0 hours" ]'
check "a period that the server refuses does not stop the others" eval '
	no_periods && behind "INTO \`pnav_period_sums:error:1" store hours --host a "clickhouse://127.0.0.1:$port/default" late &&
	says "sums of hours and days are not computed" &&
	[ "$(used)" = "1 day and 2 hours" ] && [ "$(ask $http "SELECT max(profiles) FROM pnav_periods WHERE span = 0")" = 1 ]'
check "a period that was summed twice counts once" eval '
	no_periods && runs 0 "$PNAV" store --summarize "$to?service=hours" && ask $http "INSERT INTO earlier SELECT * FROM pnav_periods" &&
	ask $http "DROP TABLE pnav_periods" "CREATE TABLE pnav_periods AS earlier" && runs 0 "$PNAV" store --summarize "$to?service=hours" &&
	ask $http "INSERT INTO pnav_periods SELECT * FROM earlier" && ask $http "OPTIMIZE TABLE pnav_period_sums PARTITION 202405 FINAL" &&
	[ "$(ask $http "SELECT count(), uniqExact(period) FROM pnav_periods WHERE span = 86400 FORMAT CSV")" = 4,4 ] &&
	[ "$(ask $http "SELECT uniqExact(period) FROM pnav_period_sums WHERE period IN (SELECT period FROM pnav_periods WHERE span = 86400)")" = 4 ] &&
	[ "$(used)" = "2 days and 0 hours" ] && answers "service=hours" "hours/* late" functions'
check "through both servers, too" eval '
	[ "$(used "" "$to?tables=all_&service=hours")" = "2 days and 0 hours" ] && answers "service=hours&tables=all_" "hours/* late" functions'
check "what cannot be summed" eval 'runs 2 "$PNAV" store --summarize $to late && runs 2 "$PNAV" store --summarize --list $to'

# ---- read through both servers ----

check "Distributed tables: three hosts stored, those of the files read" eval '
	(for host in web1 web2 web3; do
		store wide --host $host --at $at "$to?tables=all_" hosts/$host || exit 1
	done) &&
	answers "service=wide&tables=all_" "$all_hosts" "$stacks" && answers "service=wide&tables=all_&rows=15k" "$all_hosts" functions --from 2s --to 4s'
tap_done
