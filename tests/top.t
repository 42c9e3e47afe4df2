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

if [ "$(id -u)" -eq 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 0 ] &&
	setpriv --reuid=61234 --clear-groups test -x "$PNAV" 2>/dev/null; then
	setpriv --reuid=61234 --regid=61234 --clear-groups "$PNAV" top -w 1s >out 2>err
	check "a user without another process" grep -q 'this user has no other process' err
else
	skip "a user without another process" "needs root, and a kernel that hides itself"
fi

for name in topbusy topwait topio; do
	cp "$(command -v sh)" $name
done
./topbusy -c 'while :; do :; done' &
busy=$!
"$PNAV" top -w 1s >out 2>said
status=$?
if [ $status -ne 0 ]; then
	skip "a pipe gets the groups" "$(tail -n 1 said)"
elif [ "$(id -u)" -ne 0 ]; then
	skip "columns of usage" "only root may sample the system"
else
	check "a pipe gets the groups" grep -qE '^ *[1-9].* comm=topbusy$' out
	"$PNAV" top -w 1s -g process >process 2>err
	check "or the processes" grep -qE "^ *[1-9].* pid=$busy\$" process
	# Both shells share one CPU and never sleep, so they run or wait for it all of the time.
	taskset -c 0 ./topwait -c 'while :; do :; done' &
	one=$!
	taskset -c 0 ./topwait -c 'while :; do :; done' &
	two=$!
	# A shell writes 8 MiB when the recording has begun, and lives on.
	./topio -c 'text=$(head -c 1048576 /dev/zero | tr "\0" x)
		until [ -e go ]; do sleep 0.05; done
		for i in 1 2 3 4 5 6 7 8; do printf %s "$text" >file$i; done
		: >done; while [ -e go ]; do sleep 0.1; done' >null 2>&1 &
	io=$!
	"$PNAV" record -q -a --call-graph no --embed none -e cpu-clock -F 199 --exclude-idle \
		--usage -o usage -- \
		sh -c ': >go; until [ -e done ]; do sleep 0.05; done; sleep 1' 2>err
	written=$(sed -n 's/^write_bytes: //p' /proc/$io/io)
	kill $one $two
	rm go
	wait $io
	groups() { # METRIC COMMAND: its total
		"$PNAV" report --view tree --format csv --label comm --show '^comm=' \
			--metric "$1" --columns total,function usage 2>err |
			sed -n "s/,comm=$2\$//p"
	}
	cpu=$(groups cpu-clock topwait)
	exist=$(groups thread-time topwait)
	waited=$(groups waiting topwait)
	[ -n "$waited" ] || waited=0
	sum=$(((cpu + waited) / 10000 * 100 / (exist / 10000)))
	echo "# cpu $cpu + waiting $waited = $sum % of $exist"
	# A wait counts when it ends, so a long one from before the start makes the sum too large.
	if [ ! -e /proc/self/schedstat ]; then
		skip "threads run or wait for a CPU" "no schedstat"
	elif [ "$((cpu * 100 / exist))" -lt 10 ]; then
		skip "threads run or wait for a CPU" "the machine is busy: single waits are long"
	else
		check "threads run or wait for a CPU" [ "$sum" -ge 80 ]
		check "... and no more than they exist" [ "$sum" -le 120 ]
		check "two on one CPU wait half of the time" [ "$((waited * 100 / exist))" -ge 40 ]
	fi
	"$PNAV" report --view tree --format csv --label comm --show '^comm=' \
		--columns threads,blocked,function usage >threads 2>err
	check "there are two of them" grep -qE '^(1\.[5-9]|2\.[0-3])[0-9]*,.*,comm=topwait$' threads
	if [ "${written:-0}" -ge 8388608 ]; then
		read=$(groups io topio)
		echo "# io $read, written $written"
		check "what a shell wrote is its io" [ "$read" -ge 8388608 ]
		check "... and no more than the kernel counted" [ "$read" -le "$((written + 1048576))" ]
	else
		skip "what a shell wrote is its io" "the file system counts no writes"
	fi
	if [ "$(cat /proc/sys/kernel/task_delayacct 2>err)" = 0 ]; then
		check "an unknown column is no zero" grep -qE '^[0-9.]+,,comm=topwait$' threads
		check "and shown as -" grep -qE ' - .*comm=topbusy$' out
		check "one line says why" grep -q '^pnav: no blocked: delay accounting is off' said
	else
		skip "an unknown column is no zero" "delays are counted"
	fi
	# sleep leaves its CPU idle, so a recording without the option has the idle task
	"$PNAV" record -q -a -g -F 199 -o idle -- sleep 0.5 2>err
	if "$PNAV" report --view labels idle 2>err | grep -qE '^pid +0 '; then
		check "an idle CPU is in no row" sh -c '! grep -E " comm=swapper" out'
		"$PNAV" record -q -a -g -F 199 --exclude-idle -o busy -- sleep 0.5 2>err
		"$PNAV" report --view labels busy >labels 2>err
		check "nor with record --exclude-idle" sh -c '! grep -E "^pid +0 " labels'
		check "which has the other tasks" grep -qE "^pid +$busy " labels
	else
		skip "an idle CPU is in no row" "no CPU was idle"
	fi
	check "and nothing is left of the recorder" sh -c '! ls perf.data* 2>/dev/null'
	TERM=xterm "$top_builddir/tests/lib/pty" -s 200x90 -t 100 -w topbusy -k 'q' \
		"$PNAV" top --group command >screen 2>err
	check "the browser shows the group" grep -aq topbusy screen
	TERM=xterm "$top_builddir/tests/lib/pty" -s 200x90 -t 100 -w "user=$(id -un)" -k 'q' \
		"$PNAV" top --group user >screen 2>err
	check "or the user" grep -aq "user=$(id -un)" screen
	check "with its columns" grep -aq 'threads' screen
	# A recorder is a child with the command line of the browser.
	ended()
	{
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			pgrep -f "$PNAV top --group" >left || return 0
			sleep 1
		done
		cat left
		return 1
	}
	check "and ends, and so does the recorder" ended
fi
kill $busy
wait $busy 2>/dev/null
tap_done
