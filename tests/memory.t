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
		i=$((i + 1 + i / 12))
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
tap_done
