#!/bin/sh
# pnav record --off-cpu: threads that wait since before the recording, or to its end.  The time
# that they wait is the time that is recorded.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
unset PNAV_SAMPLER
cd "$scratch" || exit 99
"$cc" -O2 -g -o stuck "$top_srcdir/tests/data/stuck.c" -lpthread >cc.log 2>&1 ||
	skip_all "the test program cannot be built"
"$PNAV" record -q --off-cpu -o any.data --sampler perf true >out 2>err </dev/null || {
	grep -q 'cannot be used' err && skip_all "$(tail -n 1 err)"
}
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1 && chmod 777 . &&
	setpriv --reuid=65534 --clear-groups test -x "$PNAV"; then
	users="root nobody"
else
	users=me
fi

# as USER COMMAND...
as()
{
	user=$1
	shift
	case $user in
	nobody) setpriv --reuid=65534 --regid=65534 --clear-groups "$@" ;;
	*) "$@" ;;
	esac
}

# milliseconds FILE [FUNCTION]: of waiting, below that function
milliseconds()
{
	"$PNAV" report --format csv --metric off-cpu "$1" 2>/dev/null | awk -F, -v f="$2" '
		NR > 1 && (f == "" || $1 == f) { n += f == "" ? $7 : $8 }
		END { printf "%d\n", n / 1000000 }'
}

now() { echo $(($(date +%s%N) / 1000000)); }

# for_all_time GOT THREADS: so many milliseconds, of each thread, as the recording took: at least
# its second, and no more than passed meanwhile
for_all_time()
{
	echo "got $1 of $2 threads in $took ms"
	[ "$1" -ge $(($2 * 920)) ] && [ "$1" -le $(($2 * took)) ]
}

# Of a process that began before.
# watch USER MODE OUT [OPTION]...
watch()
{
	user=$1 mode=$2 out=$3
	shift 3
	if [ "$user" = nobody ]; then
		setpriv --reuid=65534 --regid=65534 --clear-groups ./stuck "$mode" &
	else
		./stuck "$mode" &
	fi
	pid=$!
	sleep 0.6
	took=$(now)
	as "$user" "$PNAV" record --off-cpu --duration 1 -o "$out" -p $pid "$@" >out 2>err </dev/null
	got=$?
	took=$(($(now) - took))
	kill $pid
	wait $pid
	cat err
	return $got
}

for user in $users; do
	check "$user: a deadlock is recorded" watch "$user" dead "dead.$user"
	check "... its threads wait all the time" eval '
		for_all_time "$(milliseconds dead.$user lock_ab)" 1 &&
		for_all_time "$(milliseconds dead.$user lock_ba)" 1 &&
		for_all_time "$(milliseconds dead.$user)" 2'
	check "... and are seen with their callers" eval '
		"$PNAV" export --format folded --metric off-cpu dead.$user >folded 2>err
		cat folded; grep -q "main;lock_ab;.*lock" folded && grep -q "locker;lock_ba;.*lock" folded'
	check "$user: frame pointers: a deadlock is recorded" watch "$user" dead "fp.$user" -g
	check "... and seen" eval 'for_all_time "$(milliseconds fp.$user lock_ab)" 1'
	check "$user: threads that wait since before the start are recorded" \
		watch "$user" half "half.$user"
	check "... for all of the time" eval '
		for_all_time "$(milliseconds half.$user)" 3 &&
		for_all_time "$(milliseconds half.$user wait_long)" 1'
	check "$user: after a delay" as "$user" \
		"$PNAV" record --off-cpu --delay 500 -o "delay.$user" sleep 2
	check "... waiting counts from its end" eval '
		n=$(milliseconds delay.$user) && echo "$n" && [ "$n" -ge 1000 ] && [ "$n" -le 1900 ]'
	check "... and is seen" eval '
		"$PNAV" export --format folded --metric off-cpu delay.$user 2>err | grep nanosleep'
	watch "$user" half "later.$user" --delay 300 >out 2>&1
	check "$user: of a process after a delay, too" eval '
		for_all_time "$(milliseconds later.$user)" 3 &&
		for_all_time "$(milliseconds later.$user wait_long)" 1'
done
if [ "$users" != me ]; then
	./stuck dead &
	pid=$!
	sleep 0.4
	took=$(now)
	check "of all of the system" runs 0 "$PNAV" record --off-cpu -a --duration 1 -o all.data
	took=$(($(now) - took))
	kill $pid
	check "... a deadlock is seen" eval 'for_all_time "$(milliseconds all.data lock_ab)" 1 &&
		for_all_time "$(milliseconds all.data lock_ba)" 1'
	if command -v perf >/dev/null 2>&1; then
		check "... and perf reads it" eval '
			perf script -f -i all.data 2>/dev/null | grep -A20 "^stuck " | grep -q lock_ba'
	fi
fi
tap_done
