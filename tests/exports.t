#!/bin/sh
# What is exported, as others read it: go tool pprof, callgrind_annotate, sqlite3, graphviz,
# xmllint and Python's JSON, each where it is installed.  All rows are compared with those of a
# report.  That pnav reads its own files again is tested in unit/exports.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C
export LC_ALL
cd "$scratch" || exit 99

# has PROGRAM: whether it is there, else what needs it is skipped
has()
{
	[ "$1" = sqlite3 ] && ! built_with HAVE_SQLITE && {
		skip "$name: $2" "built without SQLite"
		return 1
	}
	command -v "$1" >/dev/null 2>&1 && return 0
	skip "$name: $2" "$1 is not installed"
	return 1
}

# rows COLUMNS: those of the report, sorted
rows()
{
	"$PNAV" report --format csv --columns "$1" "$input" 2>/dev/null | sed 1d | tr -d '"' | sort
}

exported()
{
	rm -f "out.$1"
	"$PNAV" export --format "$1" -o "out.$1" "$input" 2>err
	case $? in
	0|3) return 0 ;;
	esac
	not_ok "$name: export as $1" err
	return 1
}

# Of each type the samples sum up to what the report has in all.
pprof()
{
	has go "go tool pprof has every row" && exported pprof || return
	go tool pprof -raw out.pprof 2>err >raw || {
		not_ok "$name: go tool pprof reads it" err
		return
	}
	awk '/^Samples:/ { on = 1; getline; n = split($0, type, " "); next }
		/^Locations/ { on = 0 }
		on && /^ *-?[0-9]/ { for (i = 1; i <= n; i++) { v = $i; sub(/:.*/, "", v); sum[i] += v } }
		END { for (i = 1; i <= n; i++) { t = type[i]; sub(/\[dflt\]/, "", t)
			sub(/\/[a-z]*$/, "", t); printf "%s %.0f\n", t, sum[i] } }' raw | sort >read
	for m in $(awk '{ print $1 }' read); do
		"$PNAV" report --format csv --metric "$m" --columns self "$input" 2>/dev/null |
			awk -v m="$m" 'NR > 1 { s += $1 } END { printf "%s %.0f\n", m, s }'
	done | sort >told
	diff told read >differ && ok "$name: go tool pprof has every sum" ||
		not_ok "$name: go tool pprof has every sum" differ
	# Names that are one function have its self and total; rows of nothing are not there, and
	# names that CSV quotes are left out.
	go tool pprof -top -nodecount=1000000 -nodefraction=0 -unit=ns out.pprof 2>err |
		awk 'on { self = $1; total = $4; n = $0
				for (i = 0; i < 5; i++) sub(/^ *[^ ]+ */, "", n)
				sub(/[a-z]+$/, "", self); sub(/[a-z]+$/, "", total)
				printf "%.0f %.0f %s\n", self, total, n }
			/^ *flat / { on = 1 }' | sort >read
	"$PNAV" report --format csv --columns self,total,function "$input" 2>/dev/null |
		sed 1d | grep -v '"\|^0,0,\|,$' | tr , ' ' |
		awk '{ n = $0; sub(/^[^ ]* [^ ]* /, "", n)
			if (seen[n]++) twice[n] = 1; row[n] = $0 }
			END { for (n in row) if (!twice[n]) print row[n] }' | sort >told
	comm -23 told read >differ
	[ ! -s differ ] && ok "$name: go tool pprof has every row" ||
		not_ok "$name: go tool pprof has every row" differ
}

# One name in two modules is one there.
by_name()
{
	awk '{ n = $0; sub(/^[^ ]* /, "", n); sum[n] += $1 }
		END { for (n in sum) if (sum[n]) printf "%.0f %s\n", sum[n], n }' | sort
}

callgrind()
{
	has callgrind_annotate "callgrind_annotate has every row" && exported callgrind || return
	callgrind_annotate --threshold=100 --auto=no out.callgrind 2>err |
		sed -n 's/^ *\(-*[0-9,]*\) *(.*[ )]\([^ ]*\):\([^:]*\)$/\1 \3/p' |
		tr -d , | sed 's/ \[[^ ]*\]$//; s/ (.*)$//' | by_name >read
	"$PNAV" report --format csv --columns self,function "$input" 2>/dev/null |
		sed 1d | tr , ' ' | by_name >told
	cmp -s told read && ok "$name: callgrind_annotate has every row" || {
		diff told read >differ
		not_ok "$name: callgrind_annotate has every row" differ
	}
	# With what they call: of functions that are no root and called as well, and on whose
	# paths nobody is twice, since there it adds up arcs.
	callgrind_annotate --inclusive=yes --threshold=100 --auto=no out.callgrind 2>err |
		sed -n 's/^ *\(-*[0-9,]*\) *(.*[ )]\([^ ]*\):\([^:]*\)$/\1 \3/p' |
		tr -d , | sed 's/ \[[^ ]*\]$//; s/ (.*)$//' | sort >read
	"$PNAV" report --view tree --format csv --columns depth,function "$input" 2>/dev/null |
		sed '1d; s/,/ /' | awk '{ d = $1; sub(/^[^ ]* /, ""); path[d] = $0
			if (d) callee[$0] = 1; else root[$0] = 1
			for (i = 0; i < d; i++) if (path[i] == $0) for (k = 0; k <= d; k++) no[path[k]] = 1 }
			END { for (n in callee) if (n in root) no[n] = 1
				for (n in no) print n }' >never
	"$PNAV" report --format csv --columns total,function "$input" 2>/dev/null |
		sed '1d; s/,/ /' | grep -v '"\|^0\| $' |
		awk 'NR == FNR { never[$0] = 1; next }
			{ n = $0; sub(/^[^ ]* /, "", n); if (seen[n]++) never[n] = 1; row[n] = $0 }
			END { for (n in row) if (!(n in never)) print row[n] }' never - | sort >told
	comm -23 told read >differ
	[ -s told ] && [ ! -s differ ] && ok "$name: and with what they call" ||
		not_ok "$name: and with what they call" differ
}

database()
{
	has sqlite3 "sqlite3 has every row" && exported sqlite || return
	[ "$(sqlite3 out.sqlite 'PRAGMA integrity_check')" = ok ] &&
		ok "$name: the database is whole" || not_ok "$name: the database is whole"
	sqlite3 -csv out.sqlite "SELECT function, ifnull(line, ''), self, total
		FROM report_functions" 2>err | tr -d '\r"' | sort >read
	rows function,line,self,total >told
	diff told read >differ && ok "$name: sqlite3 has every row" ||
		not_ok "$name: sqlite3 has every row" differ
	"$PNAV" report --view slices --format csv --columns start,duration,function,value,labels \
		"$input" >slices 2>/dev/null || return
	sed 1d slices | tr -d '"' | sort >told
	sqlite3 -csv out.sqlite "SELECT start, duration, name, value, (SELECT
		group_concat(key || '=' || value, ' ') FROM labels l WHERE l.\"set\" = s.labels)
		FROM slices s JOIN functions f ON f.id = s.function" | tr -d '\r"' | sort >read
	diff told read >differ && ok "$name: and every slice" || not_ok "$name: and every slice" differ
}

graph()
{
	has dot "graphviz draws it" && exported dot || return
	check "$name: graphviz draws it" dot -Tsvg -o graph.svg out.dot
}

picture()
{
	has xmllint "xmllint finds no fault" && exported svg || return
	check "$name: xmllint finds no fault" xmllint --noout out.svg
}

json()
{
	has python3 "Python reads the JSON" || return
	for format in speedscope chrome firefox json; do
		# without time there is no trace
		[ $format = chrome ] && ! "$PNAV" export --format chrome "$input" >/dev/null 2>&1 &&
			continue
		exported $format &&
			check "$name: Python reads $format" python3 -m json.tool out.$format /dev/null
	done
}

for name in sample hqnplog-small perfscript-srcline callgrind-arcs speedscope-sampled \
	bsprof-second chrome-object folded-names; do
	input=$top_srcdir/tests/golden/$name/$(golden_input "$top_srcdir/tests/golden/$name")
	[ $name = sample ] && input=$top_srcdir/data/sample.perfscript.gz
	[ -f "$input" ] || continue
	pprof
	# names that are empty, or hold what its rows are divided by, cannot be written there
	case $name in
	folded-names|chrome-object|bsprof-second) ;;
	*) callgrind ;;
	esac
	database
	graph
	picture
	json
done

# A trace that is exported as one has the same calls and times when it is read again.
for name in br-small-timed chrome-array chrome-object ftrace-tasks hqnplog-overlap \
	hqnplog-small ninjalog-builds perfetto-events speedscope-profiles-first strace-ttt \
	text1-format xdebug-calls; do
	input=$top_srcdir/tests/golden/$name/$(golden_input "$top_srcdir/tests/golden/$name")
	exported chrome || continue
	rows function,calls,self,total >told
	"$PNAV" report --format csv --columns function,calls,self,total out.chrome 2>err |
		sed 1d | tr -d '"' | sort >read
	diff told read >differ && ok "$name: a trace of Chrome has its calls" ||
		not_ok "$name: a trace of Chrome has its calls" differ
done

# The metric in view is the default of the trace, also if later threads do not have it.
cat >two.perfscript <<'END'
app 7 [000] 10.000000:    1000000 cpu-clock: 
	  401010 work+0x10 (/usr/bin/app)

app 7 [000] 10.001000:          1 page-faults: 
	  401020 touch+0x20 (/usr/bin/app)

helper 8 [001] 10.002000:          1 page-faults: 
	  401020 touch+0x20 (/usr/bin/app)

END
for metric in cpu-clock page-faults; do
	"$PNAV" export --format chrome --metric $metric -o out.chrome two.perfscript 2>err
	"$PNAV" report out.chrome 2>>err | head -n 1 >first
	grep -q "^$metric " first && ok "a trace of Chrome opens with $metric" ||
		not_ok "a trace of Chrome opens with $metric" first
done

# Samples in a trace, as the importers of others count them (lib/chrome_readers.py), and DevTools'
# own where PNAV_TRACE_ENGINE is the folder of @paulirish/trace_engine from npm.
# by_function FILE METRIC: NAME,SELF of all functions, names being one
by_function()
{
	"$PNAV" report --format csv --metric "$2" --columns function,self "$1" 2>/dev/null |
		sed 1d | awk -F, '{ s[$1] += $2 } END { for (n in s) if (s[n]) print n "," s[n] }' |
		sort
}
# near TOLD READ: no function differs by more than 1 % of all
near()
{
	awk -F, 'NR == FNR { told[$1] = $2; all += $2; next } { read[$1] = $2 }
		END { for (n in told) if (!(n in read)) read[n] = 0
			for (n in read) { d = read[n] - told[n]
				if (d > all / 100 || -d > all / 100) { print n, told[n], read[n]; bad = 1 } }
			exit bad || !all }' "$1" "$2"
}
readers()
{
	"$PNAV" export --format chrome -o out.chrome "$1" 2>err
	by_function "$1" samples >told
	LC_ALL=C.UTF-8 python3 "$top_srcdir/tests/lib/chrome_readers.py" firefox out.chrome 2>err |
		sort >read
	diff told read >differ && ok "$2: Firefox has every sample" || {
		cat err >>differ
		not_ok "$2: Firefox has every sample" differ
	}
	by_function "$1" cpu-clock >told
	LC_ALL=C.UTF-8 python3 "$top_srcdir/tests/lib/chrome_readers.py" speedscope out.chrome \
		>read 2>err
	near told read >differ && ok "$2: speedscope has the times" || {
		cat err >>differ
		not_ok "$2: speedscope has the times" differ
	}
	if [ -n "$PNAV_TRACE_ENGINE" ] && command -v node >/dev/null; then
		node "$top_srcdir/tests/lib/devtools.mjs" "$PNAV_TRACE_ENGINE" out.chrome >read 2>err
		near told read >differ && ok "$2: DevTools has the times" ||
			not_ok "$2: DevTools has the times" differ
	else
		skip "$2: DevTools has the times" "PNAV_TRACE_ENGINE names no importer"
	fi
	by_function out.chrome cpu-clock >read
	diff told read >differ && ok "$2: read again it is the same" ||
		not_ok "$2: read again it is the same" differ
}
cat >two-threads.txt <<'EOF'
prog 10 [000] 1.000000: 1000000 cpu-clock: 
	1 a+0x1 (/p)
	2 main+0x2 (/p)

prog 11 [000] 1.004000: 4000000 cpu-clock: 
	1 b+0x1 (/p)
	2 main+0x2 (/p)

prog 10 [000] 1.010000: 1000000 cpu-clock: 
	1 b+0x1 (/p)
	2 main+0x2 (/p)

EOF
if command -v python3 >/dev/null 2>&1; then
	readers two-threads.txt "two threads"
	printf 'a,1000000\nb,5000000\n' | diff - read >differ && ok "each with what it weighs" ||
		not_ok "each with what it weighs" differ
	readers "$top_srcdir/data/sample.perfscript.gz" sample
	# overlaps cannot be shown, and are reported
	printf 'p 1 1.%s: %s cpu-clock: \n\t1 a (/p)\n\n' 000000 9000000 001000 9000000 >over.txt
	"$PNAV" export --format chrome -o out.chrome over.txt 2>err
	grep -q 'in other programs a sample lasts until the next one: they show 10.* ms of 18' err &&
		ok "and how much they miss" || not_ok "and how much they miss" err
else
	skip "samples in a trace" "python3 is not installed"
fi

# speedscope: a frame is a function of the lens; it opens at the heaviest profile.
if command -v python3 >/dev/null 2>&1; then
	cat >scope.py <<'EOF'
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
def weight(p):
    if p["type"] == "sampled":
        return sum(p["weights"])
    depth = at = busy = 0
    for e in p["events"]:
        busy += (e["at"] - at) * (depth > 0)
        depth, at = depth + (1 if e["type"] == "O" else -1), e["at"]
    return busy
w = [weight(p) for p in d["profiles"]]
assert w[d["activeProfileIndex"]] == max(w), (d["activeProfileIndex"], w)
assert [x > 0 for x in w] == sorted((x > 0 for x in w), reverse=True), w
print(len(d["shared"]["frames"]), len(set(json.dumps(f) for f in d["shared"]["frames"])))
EOF
	sample=$top_srcdir/data/sample.perfscript.gz
	"$PNAV" export --format speedscope -o out.speedscope "$sample" 2>err
	python3 scope.py out.speedscope >read 2>err
	n=$("$PNAV" report --format csv "$sample" 2>/dev/null | sed 1d | wc -l)
	[ "$(cut -d' ' -f1 read)" = "$n" ] && ok "speedscope: $n functions are $n frames" ||
		not_ok "speedscope: $n functions are $n frames" err
	"$PNAV" export --format speedscope --by line -o out.speedscope "$sample" 2>err
	python3 scope.py out.speedscope >read 2>err
	[ "$(cut -d' ' -f1 read)" -gt "$n" ] && ok "speedscope: --by line has lines" ||
		not_ok "speedscope: --by line has lines" err
	{
		echo '{"$schema":"https://www.speedscope.app/file-format-schema.json",'
		echo '"shared":{"frames":[{"name":"a"}]},"profiles":['
		for one in "1 0" "2 1000" "3 5000" "4 0" "5 900"; do
			[ "$one" = "1 0" ] || echo ,
			echo '{"type":"sampled","name":"p '"${one% *}"'","unit":"nanoseconds",'
			echo '"startValue":0,"endValue":5000,"samples":[[0]],"weights":['"${one#* }]}"
		done
		echo ']}'
	} >tracks.json
	"$PNAV" export --format speedscope -o out.speedscope tracks.json 2>err
	python3 scope.py out.speedscope >read 2>err &&
		grep -o '"name":"p [0-9]*"' out.speedscope | tr -dc '0-9\n' | tr '\n' ' ' >order &&
		[ "$(cat order)" = "2 3 5 1 4 " ] && ok "speedscope: the heaviest is active" ||
		not_ok "speedscope: the heaviest is active" err
else
	skip "speedscope: frames and profiles" "python3 is not installed"
fi

# pnav as a filter in front of another store of profiles: labels, addresses, build ids and paths of
# modules are there again.
# again NAME WHAT OPTION...: a report of the file and of the profile exported from it are equal
again()
{
	name=$1 what=$2
	shift 2
	"$PNAV" report --format csv "$@" "$input" 2>/dev/null | grep -v '^parallelism,' | sort >told
	# the track is one more label
	"$PNAV" report --format csv "$@" out.pprof 2>/dev/null | sort >all
	grep -q '^thread,' told && cp all read || grep -v '^thread,' all >read
	[ "$(wc -l <told)" -gt 1 ] && diff told read >differ && ok "$name: pprof carries $what" ||
		not_ok "$name: pprof carries $what" differ
}
for name in pprof-address pprof-threads chrome-label jfr-wall; do
	input=$top_srcdir/tests/golden/$name/$(golden_input "$top_srcdir/tests/golden/$name")
	exported pprof || continue
	again "$name" "labels" --view labels --columns key,value,self
	key=$("$PNAV" report --view labels --format csv --columns key "$input" 2>/dev/null | sed -n '2p')
	again "$name" "who has which label" --label "$key" --columns function,self,total
	has go "go tool pprof has the labels" || continue
	go tool pprof -tags out.pprof 2>err >raw
	"$PNAV" report --view labels --format csv --columns key "$input" 2>/dev/null | sed 1d |
		grep -vx parallelism | sort -u | while read -r key; do
			grep -q "^ *$key: Total" raw || echo "$key"
		done >differ
	[ ! -s differ ] && ok "$name: go tool pprof has the labels" ||
		not_ok "$name: go tool pprof has the labels" differ
done
input=$top_srcdir/tests/golden/pprof-address/$(golden_input "$top_srcdir/tests/golden/pprof-address")
exported pprof && again pprof-address "addresses" --by address --columns function,address,self
# what was mapped where
mappings() { "$PNAV" report --view info --format csv "$1" 2>/dev/null | sed -n 's/^mapping,//p' | sort; }
mappings "$input" >told
mappings out.pprof >read
[ -s told ] && diff told read >differ && ok "pprof-address: pprof carries where its files were mapped" ||
	not_ok "pprof-address: pprof carries where its files were mapped" differ
input=$top_srcdir/tests/golden/perfdata-two-cpus/$(golden_input "$top_srcdir/tests/golden/perfdata-two-cpus")
exported pprof && again perfdata-two-cpus "addresses" --by address --columns function,address,self
# Addresses of perf.data are those of the file: each mapping has the pages of its own, as they lie
# on disk.
"$PNAV" report --by address --format csv --columns address out.pprof 2>/dev/null | sed -n 's/^0x/0x/p' >told
mappings out.pprof >read
check "perfdata-two-cpus: each address lies in a mapping that begins with its page" eval '
	[ -s told ] && [ -s read ] && python3 -c "
import re
ranges = [[int(n, 16) for n in re.findall(\"0x([0-9a-f]+)\", line)] for line in open(\"read\")]
addresses = [int(line, 16) for line in open(\"told\")]
assert all(a % 4096 == 0 and b % 4096 == 0 and a == offset for a, b, offset in ranges), ranges
assert all(any(a <= x < b for a, b, _ in ranges) for x in addresses), (ranges, addresses)
assert all(any(a <= x < a + 4096 for x in addresses) for a, b, _ in ranges if b), ranges"'
"$PNAV" symbols "$input" 2>/dev/null | awk '{ print $2, $3 }' | sed 's/:$//' | sort -u >told
"$PNAV" symbols out.pprof 2>/dev/null | awk '{ print $2, $3 }' | sed 's/:$//' | sort -u >read
[ -s told ] && diff told read >differ && ok "perfdata-two-cpus: pprof carries build ids and paths" ||
	not_ok "perfdata-two-cpus: pprof carries build ids and paths" differ
if command -v go >/dev/null 2>&1; then
	id=$(sed -n 's/^\([0-9a-f][0-9a-f]*\) .*/\1/p' told | head -n 1)
	check "go tool pprof has them" eval 'go tool pprof -raw out.pprof 2>/dev/null |
		grep -q "$id"'
fi

# The database, and pnav sql on the file itself.
for name in hqnplog-small chrome-object; do
	input=$top_srcdir/tests/golden/$name/$(golden_input "$top_srcdir/tests/golden/$name")
	has sqlite3 "asked in two ways" && exported sqlite || continue
	for table in slices samples points frames stacks; do
		columns=*
		# of a profile, samples has all metrics only where a query names the column
		[ $table = samples ] && columns="track, time, stack, metric, value, labels"
		"$PNAV" sql --format csv "SELECT $columns FROM $table" "$input" 2>/dev/null |
			sed 1d | sort >told
		sqlite3 -csv out.sqlite "SELECT $columns FROM $table" | tr -d '\r' | sort >read
		diff told read >differ && ok "$name: $table asked in two ways" ||
			not_ok "$name: $table asked in two ways" differ
	done
done

# Several files are one, a pipe is a file, and what cannot be written leaves nothing.
"$PNAV" export --format folded --to 50% -o first.folded "$top_srcdir/data/sample.perfscript.gz"
"$PNAV" export --format folded --from 50% -o second.folded "$top_srcdir/data/sample.perfscript.gz"
"$PNAV" export --format pprof -o both.pb.gz first.folded second.folded
"$PNAV" report --format csv --columns function,self,total first.folded second.folded >told 2>/dev/null
"$PNAV" report --format csv --columns function,self,total both.pb.gz >read
check "two files merged into one" cmp told read
gzip -dc "$top_srcdir/data/sample.perfscript.gz" |
	"$PNAV" export --format pprof - | "$PNAV" report --format csv --columns function,self,total - | sort >read
"$PNAV" report --format csv --columns function,self,total "$top_srcdir/data/sample.perfscript.gz" |
	sort >told
check "through pipes" cmp told read
# A comparison is no profile.
printf 'a 1 3\na;b 4 2\n' >before-after.folded
# The peak of a heap has no time; nothing else is written in its place.
for case in massif-peak/input.massif heaptrack-peak/input.heaptrack memray-peak/input.bin; do
	file=$top_srcdir/tests/golden/$case
	"$PNAV" export --format chrome -o heap.chrome "$file" 2>err
	[ $? -eq 2 ] && [ ! -e heap.chrome ] && grep -q 'the metric peak has no time' err &&
		ok "$case: a metric without time is no trace" ||
		not_ok "$case: a metric without time is no trace" err
	"$PNAV" export --format chrome -o heap.chrome --metric live "$file" 2>err
	"$PNAV" report --format csv --metric live --columns function,self,total heap.chrome >read
	"$PNAV" report --format csv --metric live --columns function,self,total "$file" 2>told.err >told
	check "$case: one with times is" cmp told read
	check "$case: and bytes do not last" grep -q 'other programs show when bytes changed, not how many' err
	grep -q 'until the next one' err && not_ok "$case: nor are they compared" err ||
		ok "$case: nor are they compared"
	rm -f heap.chrome
done
printf 'a 1 3\na;b 4 2\na;gone 5 0\na;new 0 6\n' >both.folded
"$PNAV" export --format folded both.folded 2>err | sort >told
sort both.folded >wanted
check "two counts a line stay two counts" cmp wanted told
printf 'a 1\na;b 4\na;gone 5\n' >side1.folded
printf 'a;b 2\na 3\na;new 6\n' >side2.folded
"$PNAV" export --format folded --old side1.folded --new side2.folded 2>err | sort >told
check "and two files make two, as difffolded.pl" cmp wanted told
printf 'a;b 1\na;c 20\n' >third1.folded
printf 'a;d 1\na;c 20\n' >third2.folded
printf 'a;e 1\na;c 23\n' >third3.folded
printf 'a;b 0.333333 0.333333\na;c 21 21\na;d 0.333333 0.333333\na;e 0.333333 0.333333\n' >wanted
"$PNAV" export --format folded --old third1.folded --old third2.folded --old third3.folded \
	--new third1.folded --new third2.folded --new third3.folded 2>err | sort >told
check "an average is not rounded" cmp wanted told
# 300 stacks that have one sample in one of three files: 100, of which none is lost
for i in 1 2 3; do
	seq $i 3 300 | sed 's/.*/a;b&;malloc 1/' >many$i.folded
	echo 'a;rest 20' >>many$i.folded
done
echo 'a;rest 20' >none.folded
"$PNAV" export --format pprof --diff -o many.pb.gz --old none.folded --old none.folded --old none.folded \
	--new many1.folded --new many2.folded --new many3.folded 2>err
"$PNAV" report --format csv --columns function,self many.pb.gz >told 2>>err
check "nor are changes of stacks lost that are less than a sample" grep -qx 'malloc,100' told
"$PNAV" export --format html -o many.html --old none.folded --old none.folded --old none.folded \
	--new many1.folded --new many2.folded --new many3.folded 2>err
"$PNAV" report --format csv --columns function,self many.html >told 2>>err
check "... or on a page" grep -qx 'malloc,100' told
# a thread of both files is one: 3 and 5 samples of it, 2 of another
for side in '1 3' '2 5'; do
	awk -v side="$side" 'BEGIN {
		split(side, n, " ")
		for (i = 0; i < n[2] + 2; i++)
			printf "%s 1.%06d: 1 cycles:u:\n\t10 f+0x0 (/p)\n\n",
				i < n[2] ? "w 42" : "x 7", i
	}' >threads${side% *}.perf.txt
done
printf 'w 42;f 3 5\nx 7;f 2 2\n' >wanted
"$PNAV" export --format folded --with-tracks --old threads1.perf.txt --new threads2.perf.txt 2>err |
	sort >told
check "a thread of both sides is on one line" cmp wanted told
"$PNAV" export --format folded --with-tracks --old side1.folded --new side2.folded 2>err |
	grep -v 'gone\|new' | sort >told
printf 'main;a 1 3\nmain;a;b 4 2\n' >wanted
check "... what has no thread, too" cmp wanted told
printf 'page 1 10\npage 2 20\n' >numbered1.folded
printf 'page 1 30\npage 3 40\n' >numbered2.folded
printf 'page 1 10 30\npage 2 20 0\npage 3 0 40\n' >wanted
"$PNAV" export --format folded --old numbered1.folded --new numbered2.folded 2>err | sort >told
check "names that end in numbers, too" cmp wanted told
check "without a warning" test ! -s err
"$PNAV" export --format speedscope before-after.folded >out 2>err
[ $? -eq 2 ] && [ ! -s out ] && ok "a comparison is refused" ||
	not_ok "a comparison is refused" err
"$PNAV" export --format pprof before-after.folded >out 2>err
[ $? -eq 2 ] && [ ! -s out ] && ok "by a compressed format, too" ||
	not_ok "by a compressed format, too" err
"$PNAV" export --format pprof --diff -o diff.pb.gz before-after.folded
"$PNAV" report --format csv --columns function,self,total diff.pb.gz | sort >read
printf 'a,2,0\nb,-2,-2\nfunction,self,total\n' >told
check "pprof --diff has what changed" cmp told read
"$PNAV" export --format dot --limit some first.folded >out 2>err
[ $? -eq 2 ] && [ ! -s out ] && ok "a limit that is no number" ||
	not_ok "a limit that is no number" err
# A deep thread of boxes does not make an empty page.
{
	awk 'BEGIN { s = "main"; for (i = 0; i < 200; i++) s = s ";deep"; print s, 1 }'
	echo 'main;work 999'
} >deep.folded
"$PNAV" export --format svg -o deep.svg deep.folded 2>err
height=$(sed -n 's/^<svg.* height="\([0-9]*\)".*/\1/p' deep.svg)
[ "$height" -le 400 ] && grep -q 'and deeper (total 1' deep.svg &&
	ok "a picture of what can be seen" || not_ok "a picture of what can be seen" deep.svg

# A graph that can be read: the heaviest functions, by colour, too.
awk 'BEGIN { for (i = 1; i <= 150; i++) print "main;f" i, 100 + (i == 7) * 4900 }' >wide.folded
"$PNAV" export --format dot -o wide.dot wide.folded 2>err
[ "$(grep -c '^self ' wide.dot)" -eq 80 ] && ok "dot: the 80 heaviest functions" ||
	not_ok "dot: the 80 heaviest functions" wide.dot
grep -q '^self 0.0 %, total 100.0 %".*fillcolor="#ff7341"' wide.dot &&
	grep -q '^self 25.1 %, total 25.1 %".*fillcolor="#ffdcd0"' wide.dot && ok "dot: the heavier, the redder" ||
	not_ok "dot: the heavier, the redder" wide.dot
[ "$("$PNAV" export --format dot --limit 150 wide.folded | grep -c '^self ')" -eq 150 ] &&
	ok "dot: --limit" || not_ok "dot: --limit"

# A name that turns what is read, or hides in it, does so in no picture.
printf 'main;a\342\200\256b\342\200\213c 3\n' >turned.folded
# -90 + 20, 100 and 40 are 250 in sum, of 1,200 pixels
printf 'x -90\nx;c 20\ny 100\nz 40\n' >negative.folded
"$PNAV" export --format svg negative.folded 2>err |
	sed -n 's/.*<title>\([^ ]*\) .* x="\([0-9.]*\)" .* width="\([0-9.]*\)".*/\1 \2 \3/p' >told
printf 'all 0.00 1200.00\n▼x 0.00 528.00\ny 528.00 480.00\nz 1008.00 192.00\nc 0.00 96.00\n' >wanted
check "svg: values below 0 have boxes within the picture" cmp wanted told
# A whole of 0 has no shares, so titles have the values alone.
printf 'x -100\ny 60\nz 40\n' >zero.folded
"$PNAV" export --format svg -o zero.svg zero.folded 2>err
sed -n 's/.*<title>\([^<]*\)<\/title><rect.*/\1/p' zero.svg >told
printf 'all (total 0)\n▼x (self -100, total -100)\ny (self 60, total 60)\nz (self 40, total 40)\n' >wanted
check "svg: no share of a whole of 0" cmp wanted told
"$PNAV" export --format dot -o zero.dot zero.folded 2>err
sed -n 's/^self \([^"]*\)".*/\1/p' zero.dot | sort >told
printf '40, total 40\n60, total 60\n' >wanted
check "dot: nor there" cmp wanted told
for format in svg dot; do
	"$PNAV" export --format $format -o "turned.$format" turned.folded
	grep -q 'u{202e}b' "turned.$format" &&
		! grep -q "$(printf '\342\200')" "turned.$format" &&
		ok "$format: a name cannot turn" || not_ok "$format: a name cannot turn" "turned.$format"
done

# What the manual says of perf.data: its lines are run.
mkdir play
cp "$top_srcdir/tests/golden/perfdata-two-cpus/$(golden_input "$top_srcdir/tests/golden/perfdata-two-cpus")" \
	play/perf.data
sed -n '/^perf record -g/,/^\.Ed/p' "$top_srcdir/man/pnav.1" | grep '^pnav export' >lines
[ "$(wc -l <lines)" -eq 3 ] && ok "recipes for perf.data" || not_ok "recipes for perf.data" lines
while read -r line; do
	check "$line" sh -ec "cd play; ${line%%pnav *}'$PNAV' ${line#pnav }"
done <lines
# Readers of callgrind files skip blanks after a name's number, and no others.
printf 'main; lead;trail ; both  10\nmain;(1) number 5\n' >blanks.folded
"$PNAV" export --format callgrind -o blanks.callgrind blanks.folded 2>err
for file in blanks.folded blanks.callgrind; do
	"$PNAV" report --format csv --columns self,total,function "$file" 2>err | sort >"$file.rows"
done
check "callgrind: names keep their blanks" eval '[ "$(wc -l <blanks.folded.rows)" -eq 6 ] &&
	diff blanks.folded.rows blanks.callgrind.rows'

for file in perf.firefox.json.gz callgrind.out.perf perf.pb.gz; do
	"$PNAV" report --format csv --columns function,self play/perf.data 2>/dev/null | sort >told
	"$PNAV" report --format csv --columns function,self "play/$file" 2>/dev/null | sort >read
	check "$file has what perf.data has" cmp told read
done

# A full disk, a folder that is none, a reader that goes: one line or none, and no file.
trace=$top_srcdir/tests/golden/chrome-object/$(golden_input "$top_srcdir/tests/golden/chrome-object")
one_line()
{
	if [ "$1" -eq 0 ] || [ "$(grep -vc warning: err)" -ne 1 ]; then
		not_ok "$2" err
	else
		ok "$2"
	fi
}
for format in folded pprof speedscope chrome firefox callgrind svg dot csv json sqlite; do
	[ $format = sqlite ] && ! built_with HAVE_SQLITE && {
		skip "$format: to a full disk" "built without SQLite"
		continue
	}
	"$PNAV" export --format $format "$trace" 2>err >/dev/full
	one_line $? "$format: to a full disk"
	grep -q "No space left" err && ok "$format: and it says so" ||
		not_ok "$format: and it says so" err
	"$PNAV" export --format $format -o first.folded/out "$trace" 2>err
	one_line $? "$format: where nothing can be written"
	"$PNAV" export --format $format "$trace" 2>err | head -c 1 >/dev/null
	grep -qv warning: err && not_ok "$format: a reader that goes is no error" err ||
		ok "$format: a reader that goes is no error"
done
"$PNAV" export --format svg -o /dev/full "$trace" 2>err
one_line $? "a full disk by name"
TMPDIR=$scratch/none "$PNAV" export --format sqlite -o full.db "$trace" 2>err
one_line $? "no room for what a database needs"
[ ! -e full.db ] && ok "and no half file" || not_ok "and no half file"
# Losses of a format are reported once, and only those that occur.
"$PNAV" export --format callgrind -o out.callgrind "$trace" 2>err
cat >told <<'EOF'
pnav: TRACE: warning: the format does not carry: times, paths longer than a call, tracks, lines of definitions, labels, which functions are system or idle
EOF
grep "does not carry" err | sed "s,$trace,TRACE," >read
diff told read >differ && ok "losses are reported" || not_ok "losses are reported" differ
states=$top_srcdir/tests/golden/ftrace-states/input.txt
for format in chrome firefox speedscope pprof folded; do
	"$PNAV" export --format $format -o out.$format "$states" 2>err
	grep -q "does not carry: .*what threads waited for and who woke them" err &&
		ok "$format: states are lost" || not_ok "$format: states are lost" err
done
printf 'a;b 1\n' >two.folded
"$PNAV" export --format callgrind -o out.callgrind two.folded 2>err
[ ! -s err ] && ok "and none where nothing is lost" || not_ok "and none where nothing is lost" err
"$PNAV" report --format csv --columns function,calls out.callgrind >told 2>&1
printf 'function,calls\nb,\na,\n' >wanted
check "calls of callgrind are not invented where there are none" cmp wanted told
"$PNAV" export --format folded -o out.folded "$top_srcdir/tests/golden/text1-statistics/input.txt" \
	2>err
grep "does not carry: .*, totals of a flat report" err >read
[ -s read ] && ok "totals of a flat report are lost" || not_ok "totals of a flat report are lost" err
# ---- a range without an end ends with the run ----

cat >spans.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":"main"}]
END
"$PNAV" export --format pprof --from 20% -o out.pprof spans.json 2>err
"$PNAV" dump out.pprof >out 2>err
check "pprof: its length" grep -q 'duration_nanos=800000$' out
"$PNAV" export --format html --from 20% -o out.html spans.json 2>err
check "html: its range" grep -qF 'Range</dt><dd>200.000 µs to 1.000 ms</dd>' out.html

# Power tracks count in pWh: their sum passes 2^63 millionths within an hour.
awk 'BEGIN {
	printf "["
	for (i = 1; i <= 30; i++)
		printf "%s{\"ph\":\"C\",\"pid\":1,\"ts\":%d,\"name\":\"p\",\"args\":{\"v\":%d000000000000}}", (i > 1 ? "," : ""), i, i
	print "]"
}' >power.json
"$PNAV" report --view values --format csv --columns time,value power.json >want 2>err
"$PNAV" export --format firefox -o out.firefox power.json 2>err
"$PNAV" report --view values --format csv --columns time,value out.firefox >got 2>err
check "firefox: a counter whose sum is large" eval 'grep -q ",30000000000000$" want && cmp want got'

# Weights that do not fit in millionths, in which fractions are read: exact.
printf 'main;a 12345678901234567\nmain;b 9223372036855\nmain;c 9223372036854\nmain 7\n' >w.folded
"$PNAV" report --format csv w.folded >want 2>err
"$PNAV" export --format firefox -o w.firefox w.folded 2>err
"$PNAV" report --format csv w.firefox >got 2>err
check "firefox: large weights are kept" \
	eval 'grep -q "^a,.*,12345678901234567,12345678901234567$" want && cmp want got && [ ! -s err ]'
echo 'main;a 12345678901234567' >one.folded
"$PNAV" export --format firefox -o w.firefox one.folded 2>err
sed 's/12345678901234567/12345678901234567890123/' w.firefox >huge.firefox
"$PNAV" report --format csv huge.firefox >got 2>err
check "firefox: a warning counts those beyond 2^63" \
	eval 'grep -q "^a,.*,9223372036854775807," got && grep -q "1 number exceeds 2^63" err'
printf '{"traceEvents":[{"ph":"C","name":"n","pid":1,"ts":0,"args":{"v":3}},
{"ph":"C","name":"n","pid":1,"ts":5,"args":{"v":12345678901234}},
{"ph":"C","name":"n","pid":1,"ts":9,"args":{"v":-2}}]}' >count.json
"$PNAV" report --view values --format csv --columns time,value count.json >want 2>err
"$PNAV" export --format firefox -o count.firefox count.json 2>err
"$PNAV" report --view values --format csv --columns time,value count.firefox >got 2>err
check "firefox: large values of a counter" eval 'grep -q ",12345678901234$" want && cmp want got'

# Averages of two files are halves: what rounding leaves goes to no node that has no number.
printf 'm;a;b;c 1\nm;x;y;z;w 2\n' >half1.folded
printf 'm;x;y;z;w 2\nq;r;s;t 4\n' >half2.folded
echo 'm;x;y;z;w 2' >half3.folded
"$PNAV" export --format pprof --diff -o half.pb --old half1.folded --old half2.folded --new half3.folded 2>err
"$PNAV" report --format csv --columns function,self half.pb 2>err | sort >got
printf 'a,0\nb,0\nc,-1\nfunction,self\nm,0\nq,0\nr,0\ns,0\nt,-2\n' >want
check "pprof: halves" cmp want got
# Siblings are ordered by their amounts, whatever the limit is.
printf 'a;x 10\nb;x -8\nc;x 3\nd;y -20\ne;y 4\nf;z 5\n' >below.folded
"$PNAV" report --view tree --invert --format csv --columns function,total --limit 100 below.folded 2>err >got
"$PNAV" report --view tree --invert --format csv --columns function,total --limit 2 below.folded 2>err >few
check "inverted values below 0: the first rows" eval '[ "$(head -3 got)" = "$(cat few)" ] && grep -q "^y,-16" few'

# a profile of counters alone has times, too
{
	echo '# tracer: nop'
	for at in 1.000000 1.250000 2.000000; do
		echo "  idle-0  [004] d..2  $at: cpu_frequency: state=${at#*.}4 cpu_id=4"
	done
} >freq.txt
"$PNAV" report --view values --format csv freq.txt >want 2>err
check "counters in time" test "$(wc -l <want)" -eq 4
for format in chrome firefox; do
	"$PNAV" export --format $format -o freq.json freq.txt 2>err &&
		"$PNAV" report --view values --format csv freq.json 2>>err >got && diff want got >>err &&
		ok "$format: counters alone" || not_ok "$format: counters alone" err
done
tap_done
