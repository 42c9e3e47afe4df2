#!/bin/sh
# pnav top: a program that uses a CPU is in it, in a pipe and in the browser; what it refuses.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99

usage()
{
	"$PNAV" top "$@" >out 2>err
	[ $? -eq 2 ] && [ "$(grep -c . err)" -eq 1 ]
}
check "an unknown group" usage -g colour
check "... is named, with those there are" grep -q "thread, container, user, cgroup, cpu or function" err
check "a file" usage a.folded

# busyloop NAME: runs this shell under another name until its input ends
cp "$(command -v sh)" topbusy
./topbusy -c 'while :; do :; done' &
busy=$!
"$PNAV" top -w 1s >out 2>err
status=$?
if [ $status -ne 0 ]; then
	skip "a pipe gets the labels" "$(tail -n 1 err)"
else
	check "a pipe gets the labels" grep -qE '^comm +topbusy +[1-9]' out
	check "with the process" grep -qE "^pid +$busy +[1-9]" out
	check "and its user" grep -qE "^user +$(id -un) +[1-9]" out
	# sleep leaves its CPU idle, so a recording without the option has the idle task
	"$PNAV" record -q -a -g -F 199 -o idle -- sleep 0.5 2>err
	if "$PNAV" report --view labels idle 2>err | grep -qE '^pid +0 '; then
		check "an idle CPU is in no row" sh -c '! grep -E "^(pid +0|comm +swapper) " out'
		"$PNAV" record -q -a -g -F 199 --exclude-idle -o busy -- sleep 0.5 2>err
		"$PNAV" report --view labels busy >labels 2>err
		check "nor with record --exclude-idle" sh -c '! grep -E "^pid +0 " labels'
		check "which has the other tasks" grep -qE "^pid +$busy " labels
	else
		skip "an idle CPU is in no row" "no CPU was idle"
	fi
	check "and nothing is left of the recorder" sh -c '! ls perf.data* 2>/dev/null'
	TERM=xterm "$top_builddir/tests/lib/pty" -s 200x24 -t 30 -w 'comm=topbusy' -k 'q' \
		"$PNAV" top --group command >screen 2>err
	check "the browser shows the group" grep -aq 'comm=topbusy' screen
	TERM=xterm "$top_builddir/tests/lib/pty" -s 200x24 -t 30 -w "user=$(id -un)" -k 'q' \
		"$PNAV" top --group user >screen 2>err
	check "or the user" grep -aq "user=$(id -un)" screen
	check "and ends" sh -c '! pgrep -f "[p]nav record -q -g -F 49" >/dev/null || sleep 1'
fi
kill $busy
wait $busy 2>/dev/null
tap_done
