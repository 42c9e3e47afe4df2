#!/bin/sh
# What is exported, as others read it: go tool pprof, callgrind_annotate, sqlite3, graphviz,
# xmllint and Python's JSON, each where it is installed.  All rows are compared with those of a
# report.  That pnav reads its own files again is tested in unit/exports.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C
export LC_ALL
cd "$scratch" || exit 99

# has PROGRAM: whether it is there, else what needs it is skipped
has()
{
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
	# names that are empty, or hold what its rows are divided by, cannot be told there
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
"$PNAV" export --format speedscope before-after.folded >out 2>err
[ $? -eq 2 ] && [ ! -s out ] && ok "a comparison is refused" ||
	not_ok "a comparison is refused" err
"$PNAV" export --format pprof --diff -o diff.pb.gz before-after.folded
"$PNAV" report --format csv --columns function,self,total diff.pb.gz | sort >read
printf 'a,2,0\nb,-2,-2\nfunction,self,total\n' >told
check "pprof --diff has what changed" cmp told read
"$PNAV" export --format dot --limit some first.folded >out 2>err
[ $? -eq 2 ] && [ ! -s out ] && ok "a limit that is no number" ||
	not_ok "a limit that is no number" err
"$PNAV" export --format sqlite -o no/where first.folded 2>err && not_ok "to a folder that is not" ||
	ok "to a folder that is not"
"$PNAV" export --format svg first.folded 2>err >/dev/full && not_ok "to a full disk" ||
	ok "to a full disk"
for format in pprof speedscope firefox callgrind svg dot csv sqlite; do
	"$PNAV" export --format $format first.folded 2>err | head -c 1 >/dev/null
	[ -s err ] && not_ok "$format: a reader that goes is no error" err ||
		ok "$format: a reader that goes is no error"
done
tap_done
