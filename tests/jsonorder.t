#!/bin/sh
# The members of a JSON object have no order: golden inputs and samples written anew with members
# sorted, reversed, and laid out otherwise, at every depth, are recognised and have the same
# numbers, each view as a set of rows (what comes first in a file comes first in a table).
#
# PNAV_JSON_ORDER=text keeps the files whose path contains it; PNAV_JSON_BYTES is the size of the
# largest one, 60,000 by default.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 writes the inputs anew"
lib=$(cd "$top_srcdir/tests/lib" && pwd)
most=${PNAV_JSON_BYTES:-60000}

# views FILE: the rows of all its views, sorted; the warnings
views()
{
	for view in functions lines tree tracks values slices labels info; do
		echo "## $view"
		timeout 60 "$PNAV" report --view $view --format csv "$1" 2>"$1.err" |
			LC_ALL=C sort
		sed 's/^/# /' "$1.err"
	done
}

tried=0
# again FILE NAME: the same in every order
again()
{
	mkdir -p "$scratch/x"
	"$PNAV" report --view info "$1" >/dev/null 2>&1 || return 0
	cp "$1" "$scratch/x/in.json"
	views "$scratch/x/in.json" >"$scratch/expected"
	for order in pretty sorted reversed; do
		python3 "$lib/json_order.py" $order <"$1" >"$scratch/x/in.json" || return 0
		views "$scratch/x/in.json" >"$scratch/got"
		if cmp -s "$scratch/expected" "$scratch/got"; then
			ok "$2: $order"
		else
			diff "$scratch/expected" "$scratch/got" | cut -c1-200 >"$scratch/diff"
			not_ok "$2: $order" "$scratch/diff"
		fi
	done
	tried=$((tried + 1))
}

# JSON files below a folder, unpacked
files()
{
	find "$1" -type f -size -"$((most / 512 + 1))" | LC_ALL=C sort | while read -r file; do
		case $file in
		*"${PNAV_JSON_ORDER:-}"*) ;;
		*) continue ;;
		esac
		case $file in
		*.gz) gzip -dc "$file" 2>/dev/null ;;
		*) cat "$file" ;;
		esac | head -c 64 | LC_ALL=C tr -d ' \t\r\n\357\273\277' |
			grep -Eaq '^([{]"|\[\{"|\[\[)' && echo "$file"
	done
}

cd "$top_srcdir" || exit 99
mkdir "$scratch/one"
{
	files tests/golden
	[ -d "$PNAV_SAMPLES" ] && files "$PNAV_SAMPLES"
} >"$scratch/files"
while read -r file; do
	case $file in
	*.gz) gzip -dc "$file" ;;
	*) cat "$file" ;;
	esac >"$scratch/one/json"
	[ "$(wc -c <"$scratch/one/json")" -le "$most" ] || continue
	again "$scratch/one/json" "${file#"$PNAV_SAMPLES/"}"
done <"$scratch/files"
[ -d "$PNAV_SAMPLES" ] || skip "the samples" "there are none at $PNAV_SAMPLES"
check "there were many ($tried)" [ "$tried" -ge 15 ]

# What decides may stand behind any amount of other things.
cd "$scratch" || exit 99
fill=$(head -c 200000 /dev/zero | tr '\0' x)
late()
{
	printf '{"before":{"{":"%s","list":[{"]":"\\"}"}]},%s}' "$fill" "$3" >late.json
	"$PNAV" report --view info --format csv late.json >out 2>err
	check "$1 is told by what comes late" grep -q "^format,$2\$" out
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

# Something stands behind each document.
for file in "$top_srcdir"/tests/golden/*/input.json; do
	case $file in
	*-cut/* | */chrome-array/*) continue ;;
	esac
	cat "$file" "$file" >in.json
	"$PNAV" report in.json >out 2>err
	check "$(basename "$(dirname "$file")"): two documents" \
		grep -q 'more than one document: the first is read' err
done
tap_done
