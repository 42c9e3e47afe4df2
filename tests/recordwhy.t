#!/bin/sh
# pnav record --why: states, wake-ups and the critical path of a program whose waits are known: main
# waits 0.3 s for a worker that computes, then sleeps 0.25 s.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
unset PNAV_SAMPLER
cd "$scratch" || exit 99
"$cc" -O1 -g -fno-omit-frame-pointer -o waits "$top_srcdir/tests/data/worker.c" -lpthread \
	>cc.log 2>&1 || skip_all "the test program cannot be built"
if ! "$PNAV" record -q --why -o waits.data ./waits >out 2>err </dev/null; then
	cat err
	check "without privilege a line says what is missing" grep -q 'tracefs\|root\|not permitted\|cannot' err
	skip "what a program waits for" "$(tail -n 1 err)"
	tap_done
	exit
fi

# of FILE THREAD: the path of a thread as folded stacks, in ns
of()
{
	"$PNAV" export --format folded --why "$2" "$1" 2>/dev/null
}

# ms FILE PATTERN: of the stacks that match
ms()
{
	awk -v p="$2" 'index($0, p) { n += $NF } END { printf "%.0f\n", int(n / 1000000) }' "$1"
}

# between LOW HIGH NUMBER
between()
{
	echo "got $3"
	[ "$3" -ge "$1" ] && [ "$3" -le "$2" ]
}

"$PNAV" report --view states --format csv waits.data >states 2>err
main=$(sed -n 's/^\(waits [0-9]*\),running,.*/\1/p' states | head -n 1)
worker=$(sed -n 's/^\(worker [0-9]*\),running,.*/\1/p' states)
check "the threads have states" test -n "$main" -a -n "$worker"
of waits.data "=$main" >path
all=$(awk '{ n += $NF } END { printf "%.0f", n }' path)
check "the path has the length of the run" test "$all" = \
	"$("$PNAV" report --view info --format csv waits.data 2>/dev/null | sed -n 's/^duration,//p')"
check "main waits for the worker as long as that computes, at least" \
	between 280 5000 "$(ms path "[waits for $worker]")"
check "... which shows what the worker did" between 150 400 "$(ms path 'compute')"
check "main sleeps" between 240 1000 "$(grep -v "waits for" path >own; ms own '[waits]')"
check "... and the stack says where" between 240 1000 "$(ms own '[waits];')"
check "... in the call that sleeps" between 240 1000 "$(ms own nanosleep)"
check "... and not in the scheduler" sh -c '! grep -q "schedule [0-9]*$" own'
"$PNAV" report --view edges --format csv waits.data >edges 2>err
check "the worker wakes main" grep -q "^wake,$worker,$main," edges

# Chains of frame pointers end at a function without one: it looks like the root of its thread.
lonely='samples in programs have no callers.*record with --call-graph dwarf'
"$PNAV" report waits.data >/dev/null 2>err
check "stacks with frame pointers have callers" sh -c '! grep "$1" err' - "$lonely"
"$cc" -O2 -fomit-frame-pointer -o bare "$top_srcdir/tests/data/worker.c" -lpthread >cc.log 2>&1
"$PNAV" record -q --why -o bare.data ./bare 2>err </dev/null
"$PNAV" report bare.data >/dev/null 2>err
check "a report says that they have none" grep -q "$lonely" err
"$PNAV" report --view answers --format csv bare.data 2>/dev/null | grep '^trust,' >trust
check "... and so does an answer" grep -q "samples in programs have no callers" trust

# A busy program beside the command: its threads count only where tracks are named, but they are
# there for critical paths.  What the command starts belongs to it.
sh -c 'while :; do :; done' noise-maker &
noise=$!
"$PNAV" record -q --why -o beside.data sh -c './waits; ./waits' 2>err </dev/null
kill $noise
wait $noise 2>/dev/null
"$PNAV" report --view tracks --format csv beside.data >tracks 2>err
"$PNAV" report --view tracks --format csv --track . beside.data >all 2>err
cut -d, -f1 tracks
check "the command's processes are shown" \
	test "$(grep -c '^waits ' tracks)" -ge 2 -a "$(grep -c '^worker ' tracks)" = 2
check "... but not a program beside them" sh -c '! grep "^sh $1," tracks' - $noise
check "... unless tracks are named" grep -q "^sh $noise," all
# Samples of the clock do not know a thread that ends, scheduler events do.
for event in sched_switch sched_waking; do
	"$PNAV" export --format folded --metric sched:$event --track "^:-1 " beside.data
done >nobody 2>err
check "scheduler events of threads that end are in their tracks" test ! -s nobody
check "a report says so" sh -c '"$PNAV" report beside.data 2>/dev/null | head -n 1 |
	grep -q "of [0-9,]* tracks: the others ran beside the command (--track . includes them)"'
"$PNAV" pack -o beside.pnav beside.data 2>err
"$PNAV" report --view tracks --format csv beside.pnav 2>err | diff tracks - >differs
check "a packed profile keeps that" test ! -s differs
of beside.data "=sh $noise" >path
check "a program beside the command has a path" test -s path

# The last samples of a process come after its exit.
"$PNAV" record -q --why -o short.data sh -c 'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done' \
	2>err </dev/null
"$PNAV" report --view tracks --format csv short.data 2>err | grep -c '^true ' >tracks
"$PNAV" report --view tracks --format csv --track . short.data 2>err | grep -c '^true ' >all
check "short children belong to the command" between 90 200 "$(cat tracks)"
check "... each of them" cmp tracks all

# The flight recorder may have dropped the record of a process's start.
"$PNAV" record -q --ring 300ms --why -o ring.data -- \
	sh -c './waits; exit 3' >out 2>err </dev/null
"$PNAV" report --view tracks --format csv ring.data >tracks 2>err
check "the flight recorder shows the command's processes" eval '
	cut -d, -f1 tracks; grep -q "^waits " tracks &&
		! grep -v "^track,\|^waits \|^worker \|^sh " tracks'

# switches FILE: of the script
switches()
{
	"$PNAV" export --format folded --metric sched:sched_switch --track python "$1" 2>/dev/null |
		awk '{ n += $NF } END { print n + 0 }'
}

# The recorder reads an interpreter's frames when a sample wakes it.  A switch may not do that: it
# runs then, which is a switch, too.  There were 20,000 a second.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
busy='import time
while time.process_time() < 0.4: pass'
if "${python:-/none}" -c "$busy"; then
	"$PNAV" record -q --why -o script.data "$python" -c "$busy" 2>err
	check "a script is not interrupted all the time" between 1 2000 "$(switches script.data)"
	"$PNAV" record -q --off-cpu -o naps.data "$python" -c 'import time
def alpha(): time.sleep(0.02)
for i in range(20): alpha()' 2>err
	"$PNAV" export --format folded --metric off-cpu naps.data 2>err >path
	check "... and its waits have its functions" between 390 2000 "$(ms path alpha)"
else
	skip "a script" "there is no python3"
fi

# A process that runs already: it begins when it gets a line.
mkfifo line
./waits now <line &
pid=$!
exec 9>line
"$PNAV" record -q --why -p "$pid" -o pid.data 2>err &
recorder=$!
n=0
while [ $n -lt 100 ] && ! [ -s pid.data ]; do
	sleep 0.1
	n=$((n + 1))
done
sleep 0.5
echo go >&9
exec 9>&-
wait "$recorder"
check "-p records until the process ends" test $? = 0
wait "$pid"
of pid.data "=waits $pid" >path
check "... and shows what it waited for" between 280 5000 "$(ms path '[waits for worker')"
"$PNAV" record -q --why --cgroup / --duration 200ms -o group.data 2>err
if [ -s group.data ]; then
	check "--cgroup records the system, with its states" \
		sh -c '"$PNAV" report --view states --format csv group.data 2>/dev/null | grep -q ,running,'
else
	skip "--cgroup" "$(tail -n 1 err)"
fi

tap_done
