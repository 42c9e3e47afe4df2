#!/bin/sh
# The members of a JSON object have no order: golden inputs and samples written anew with members
# sorted, reversed, and laid out otherwise, at every depth, are recognised and have the same
# numbers, each view as a set of rows (what comes first in a file comes first in a table).
#
# PNAV_JSON_ORDER=text keeps the files whose path contains it; PNAV_JSON_BYTES is the size of the
# largest one, 60,000 by default.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 writes the inputs anew"
top_srcdir=$(cd "$top_srcdir" && pwd)
most=${PNAV_JSON_BYTES:-60000}

# views FILE: the rows of all its views, sorted, and the warnings, each after its view.  A view that
# takes a minute is killed.
views()
{
	if built_with HAVE_SQLITE; then # one process has the tables of all reports
		"$PNAV" sql --format csv -f "$scratch/views.sql" "$1" 2>&1
	else
		for view in functions lines tree tracks values slices labels info; do
			"$PNAV" report --view $view --format csv "$1" 2>&1 | sed "s/^/$view,/"
		done
	fi | LC_ALL=C sort
}
for view in functions lines tree tracks values slices labels info; do
	echo "SELECT '$view', * FROM report_$view;"
done >"$scratch/views.sql"

cd "$top_srcdir" || exit 99
folders="tests/golden $PNAV_SAMPLES"
[ -d "$PNAV_SAMPLES" ] || folders=tests/golden
mkdir "$scratch/made"
# shellcheck disable=SC2086
python3 tests/lib/json_order.py "$scratch/made" "$most" "${PNAV_JSON_ORDER:-}" $folders >"$scratch/files"
tried=0
while read -r n name; do
	# the same name for each, since warnings have it
	cd "$scratch/made/$n" && mv in.json plain.json && ln -s plain.json in.json || exit 99
	if (ulimit -t 60 && "$PNAV" report --view info in.json >out 2>&1); then
		(ulimit -t 60 && views in.json) >expected
		# one of the three for each file, or all if PNAV_LONG is set
		orders="pretty sorted reversed"
		[ "${PNAV_LONG:-}" ] || case $((tried % 3)) in
		0) orders=sorted ;;
		1) orders=reversed ;;
		*) orders=pretty ;;
		esac
		for order in $orders; do
			ln -sf $order.json in.json
			(ulimit -t 60 && views in.json) >got
			if cmp -s expected got; then
				ok "$name: $order"
			else
				diff expected got | cut -c1-200 >differ
				not_ok "$name: $order" differ
			fi
		done
		tried=$((tried + 1))
	fi
	cd "$scratch/made" && rm -rf "./$n"
done <"$scratch/files"
cd "$top_srcdir" || exit 99
[ -d "$PNAV_SAMPLES" ] || skip "the samples" "there are none at $PNAV_SAMPLES"
check "there were many ($tried)" [ "$tried" -ge 15 ]

# The deciding member may follow any amount of other members.
cd "$scratch" || exit 99
fill=$(head -c 200000 /dev/zero | tr '\0' x)
late()
{
	printf '{"before":{"{":"%s","list":[{"]":"\\"}"}]},%s}' "$fill" "$3" >late.json
	"$PNAV" report --view info --format csv late.json >out 2>err
	check "$1 is reported by what comes late" grep -q "^format,$2\$" out
	"$PNAV" report --view info --format csv - <late.json >out 2>err
	check "$1, from a pipe" grep -q "^format,$2\$" out
}
late "a trace of DevTools" chrome '"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":1}]'
late "speedscope" speedscope '"profiles":[{"type":"sampled","name":"t","unit":"none","startValue":0,
	"endValue":1,"samples":[[0]],"weights":[1]}],"shared":{"frames":[{"name":"f"}]}'
late "a CPU profile" cpuprofile '"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"startTime":0,
	"endTime":5,"samples":[1],"timeDeltas":[1]'

# Kinds of profiles, names and keywords do not depend on what comes first.
# rows WHAT VIEW EXPECTED: the rows of in.json but for the heading
rows()
{
	"$PNAV" report --view "$2" --format csv in.json 2>err | tail -n +2 >out
	[ "$(cat out)" = "$3" ]
	check "$1" [ $? = 0 ]
}
scope='"shared":{"frames":[{"name":"a"},{"name":"b"}]}'
sampled='{"type":"sampled","name":"s","unit":"milliseconds","startValue":0,"endValue":10,
	"samples":[[0],[0,1]],"weights":[4,6]}'
evented='{"type":"evented","name":"e","unit":"milliseconds","startValue":0,"endValue":10,"events":[
	{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":2},{"type":"C","frame":1,"at":5},
	{"type":"C","frame":0,"at":10}]}'
printf '{%s,"profiles":[%s,%s]}' "$scope" "$sampled" "$evented" >in.json
rows "speedscope: calls of an evented profile behind a sampled one" functions \
	'a,,,,user,1,11000000,20000000
b,,,,user,1,9000000,9000000'
printf '{"profiles":[{"weights":[5],"samples":[[0]],"unit":"none","type":"sampled","startValue":0,
	"endValue":5,"name":"late"}],%s,"exporter":"caf\\u00e9 \\"x\\""}' "$scope" >in.json
rows "speedscope: a name behind the samples" tracks 'late,thread,,,,1'
"$PNAV" report --view info --format csv in.json >out
check "speedscope: the exporter as it is written" grep -q '^exporter,"café ""x"""$' out
printf '{"profiles":[{"events":[{"type":"\\u004f","frame":0,"at":0},{"ty\\u0070e":"C","frame":0,
	"at":5}],"unit":"none","type":"ev\\u0065nted","startValue":0,"endValue":5,"name":"n"}],
	%s}' "$scope" >in.json
rows "speedscope: escaped keywords" functions 'a,,,,user,,5,5'
printf '[{"p\\u0068":"\\u0058","name":"n","pid":1,"t\\u0069d":1,"ts":0,"dur":2}]' >in.json
rows "chrome: escaped keywords" functions 'n,,,,user,1,2000,2000'
printf '{"head":{"functionName":"(root)","id":1,"url":"","children":[{"functionName":"f","id":2,
	"url":"f.js","lineNumber":1,"children":[]}]},"startTime":1.000000,"endTime":1.000006,
	"samples":[2,2,2,2,2],"timestamps":[1000000,1000002,1000003,1000004,1000005]}' >in.json
rows "an old CPU profile: its end in seconds" functions 'f,f.js,1,,user,,6000,6000'
for phase in P I i; do
	printf '[{"ph":"%s","s":"t","name":"CpuProfile","pid":1,"tid":1,"ts":1000,"args":{"data":{
		"cpuProfile":{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
		{"id":2,"callFrame":{"functionName":"work","url":"a.js","lineNumber":0}}],
		"startTime":0,"endTime":900,"samples":[2,2],"timeDeltas":[0,300]}}}}]' $phase >in.json
	rows "chrome: a CPU profile of phase $phase" functions 'work,a.js,1,,user,,900000,900000'
done

# Each document is followed by more data. Sentry and Zipkin may have many.
for file in "$top_srcdir"/tests/golden/*/input.json; do
	case $file in
	*-cut/* | */chrome-array/* | */sentry-* | */zipkin-*) continue ;;
	esac
	cat "$file" "$file" >in.json
	"$PNAV" report in.json >out 2>err
	check "$(basename "$(dirname "$file")"): two documents" \
		grep -q 'more than one document: the first is read' err
done
tap_done
