#!/bin/sh
# Memory that is not there: whichever request fails, alone or with all behind it, a command
# ends by itself and says why.  Never by a signal, never by abort().
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
case ${PNAV_COMPILE:-cc} in
*-fsanitize*) skip_all "the sanitizers have an allocator of their own" ;;
esac
shim=$scratch/no_memory.so
# shellcheck disable=SC2086
${PNAV_COMPILE:-cc} -w -shared -fPIC -o "$shim" "$top_srcdir/tests/lib/no_memory.c" 2>"$scratch/err" ||
	skip_all "no allocator can be put in front of this C library's"
LC_ALL=C # a locale that does not load is another one: other characters are no fault
export LC_ALL
cd "$top_srcdir/tests/golden" || exit 99

# run ENV COMMAND...: its status in $status, its messages in $scratch/err
run()
{
	how=$1
	shift
	env "$how" LD_PRELOAD="$shim" "$PNAV" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
}

# one ENV COMMAND...: a run that must end well, or say why it does not
one()
{
	run "$@"
	case $status in
	0) cmp -s "$scratch/out" "$scratch/whole" && return ;;
	1 | 2 | 3) [ -s "$scratch/err" ] && return ;;
	esac
	{
		echo "$*: status $status"
		cat "$scratch/err"
	} >>"$scratch/bad"
}

[ "${PNAV_LONG:-}" ] && spread=12 || spread=3

# starved COMMAND...: the first requests each, then ever fewer of the others
starved()
{
	: >"$scratch/bad"
	run NO_MEMORY_COUNT="$scratch/count" "$@"
	all=$(cat "$scratch/count")
	cp "$scratch/out" "$scratch/whole"
	i=0
	while [ "$i" -lt "$all" ]; do
		one NO_MEMORY_AT=$i "$@"
		one NO_MEMORY_FROM=$i "$@"
		i=$((i + 1 + i / spread))
	done
	if [ -s "$scratch/bad" ] || [ "$all" -lt 20 ]; then
		not_ok "$all requests: $*" "$scratch/bad"
	else
		ok "$all requests: $*"
	fi
}

for input in */input.*; do
	case $input in
	bsprof-small/* | br-names/* | folded-names/* | hqnplog-small/* | map-alone/* | \
		perfdata-two-cpus/* | perfscript-chains/* | perfdata-compressed/* | prf-example/*)
		starved report "$input" ;;
	esac
done
example=$(echo text1-example/input.*)
starved report --view tree --include 'a|b' --hide '=c' "$example"
starved report --view callers --include 'par.e' --invert "$example"
starved export --format folded "$example"
starved dump "$example"
starved diff "$example" "$example"
starved --snapshot --keys "5 G 1 j Enter" "$example"

# A limit on memory, while libdw reads the names and lines of a large program: of pnav itself, by
# a profile that has nothing but addresses of it.
id=$(readelf -n "$PNAV" 2>/dev/null | sed -n 's/.*Build ID: //p')
nm "$PNAV" 2>/dev/null | awk 'NF == 3 && $2 ~ /[Tt]/ && ++n % 16 == 0 { print $1 }' >"$scratch/at"
list() { awk -v each="$1" '{ printf "%s%s", (NR > 1 ? "," : ""), (each == "" ? NR - 1 : each) }' "$scratch/at"; }
{
	n=$(($(wc -l <"$scratch/at")))
	printf '{"meta":{"interval":1,"startTime":0,"version":24,"preprocessedProfileVersion":49,'
	printf '"product":"job","categories":[{"name":"User","color":"yellow","subcategories":["Other"]}]},'
	printf '"libs":[{"name":"job","path":"%s","debugName":"job","codeId":"%s"}],' "$(readlink -f "$PNAV")" "$id"
	printf '"threads":[{"name":"main","pid":"1","tid":1,"isMainThread":true,'
	printf '"samples":{"length":%d,"stack":[%s],"time":[%s],"weight":null,"weightType":"samples"},' $n "$(list)" "$(list)"
	printf '"markers":{"length":0,"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"data":[]},'
	printf '"stackTable":{"length":%d,"prefix":[%s],"frame":[%s]},' $n "$(list null)" "$(list)"
	printf '"frameTable":{"length":%d,"address":[%s],' $n "$(while read -r x; do printf '%d\n' "0x$x"; done <"$scratch/at" | paste -sd,)"
	printf '"inlineDepth":[%s],"category":[%s],"func":[%s],"line":[%s]},' "$(list 0)" "$(list 0)" "$(list)" "$(list null)"
	printf '"funcTable":{"length":%d,"name":[%s],"isJS":[%s],"resource":[%s],' $n "$(list)" "$(list false)" "$(list 0)"
	printf '"fileName":[%s],"lineNumber":[%s]},"resourceTable":{"length":1,"lib":[0],"name":[0],"type":[1]},' "$(list null)" "$(list null)"
	printf '"nativeSymbols":{"length":0},"stringArray":[%s]}]}' "$(sed 's/.*/"0x&"/' "$scratch/at" | paste -sd,)"
} >"$scratch/large.json"
limited()
{
	: >"$scratch/bad"
	well=0 mbytes=16
	while [ $mbytes -lt 400 ] && [ $well -lt 8 ]; do
		(ulimit -v $((mbytes * 1024)) && exec "$PNAV" report --view lines "$scratch/large.json") \
			>"$scratch/out" 2>"$scratch/err"
		status=$?
		[ $status -eq 0 ] && well=$((well + 1))
		[ $status -le 1 ] && { [ $status -eq 0 ] || [ -s "$scratch/err" ]; } ||
			{ echo "$mbytes MB: status $status" && cat "$scratch/err"; } >>"$scratch/bad"
		mbytes=$((mbytes + 12 / spread))
	done
	[ $well -eq 8 ] && [ ! -s "$scratch/bad" ]
}
title="whatever the limit on memory is, symbols are read, or the message says that there is none"
if [ -z "$id" ] || ! "$PNAV" formats --format json | grep -q '"elfutils"'; then
	skip "$title" "nothing reads symbols here"
elif ! "$PNAV" report --format csv "$scratch/large.json" 2>/dev/null | grep -q '\.c,[0-9]'; then
	skip "$title" "the program has no debug information"
else
	limited && ok "$title" || not_ok "$title" "$scratch/bad"
fi
tap_done
