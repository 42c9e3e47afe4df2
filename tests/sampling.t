#!/bin/sh
# What pnav record is asked to sample: events, tasks, CPUs, when, and where threads wait.
# The truth is what the programs do (tests/data/burn.c, waits.c), and perf report.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
unset PNAV_SAMPLER
cd "$scratch" || exit 99
for program in burn jit waits; do
	"$cc" -O1 -g -o $program "$top_srcdir/tests/data/$program.c" -lpthread -ldl \
		>cc.log 2>&1 || skip_all "the test programs cannot be built"
done

record() { runs 0 "$PNAV" record "$@"; }
refuses() { text=$1; shift; runs 2 "$PNAV" record "$@" && grep -qF -- "$text" err; }

# ---- what is refused ----

check "a name that is no event" refuses "there is no event 'nosuch'" -e nosuch ./burn
check "... nor a tracepoint" refuses "there is no event 'no:such'" -e no:such ./burn
check "an unknown ending" refuses "ends in what is not known" -e cycles:z ./burn
check "a CPU that is not there" refuses "CPUs of this machine" -C 0,99999 ./burn
check "a time that is none" refuses "--duration takes a time" --duration 5x ./burn
check "a time of nothing" refuses "--duration takes a time" --duration 0 ./burn
check "a period of none" refuses "--count" -c 0 ./burn
check "a process that is not there" refuses "there is no process" -p 1,2147483647
check "processes and a command" refuses "not both" -p $$ ./burn
check "processes and threads" refuses "not both" -p $$ -t $$
check "processes and the system" refuses "not both" -a -p $$
check "a control group that is not there" refuses "there is no control group" --cgroup no/such
check "the system by ptrace" eval 'runs 1 "$PNAV" record --sampler ptrace -a -o no.data &&
	grep -q "cannot be sampled by ptrace" err && [ ! -e no.data ]'
check "no command" refuses "no command to record" --off-cpu

if ! record --sampler perf -o any.data ./burn nothing; then
	skip "what perf events see" "$(tail -n 1 err)"
	tap_done
	exit
fi

# value METRIC FUNCTION FILE: total of a function, in the metric's unit
value()
{
	"$PNAV" report --metric "$1" --format csv "$3" 2>/dev/null |
		awk -F, -v f="$2" '$1 == f { sum += $8 } END { if (sum) print sum }'
}
# whole METRIC FILE: all self time
whole()
{
	"$PNAV" report --metric "$1" --format csv "$2" 2>/dev/null |
		awk -F, 'NR > 1 { sum += $7 } END { printf "%d", sum }'
}
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || { echo "# $1 is not in $2 to $3"; false; }; }

# ---- events ----

check "two events" eval '
	record -q -e page-faults:u,task-clock:u -o two.data ./burn && [ ! -s err ] &&
	"$PNAV" report --view info two.data >info 2>/dev/null &&
	grep -q "^metrics .*page-faults:u, samples, task-clock:u" info'
if command -v perf >/dev/null 2>&1; then
	# both sorted by percent: PERCENT SYMBOL of each event in perf report, of each metric here
	check "perf report has the same, event by event" eval '
		perf report -i two.data --stdio --no-children -g none --sort symbol 2>/dev/null |
		awk "/of event .task-clock:u/ { on = 1 } /of event .page-faults:u/ { on = 0 }
			on && \$3 ~ /^burn_/ { print \$3, \$1 + 0 }" | sort >theirs
		"$PNAV" report --metric task-clock:u --format csv two.data 2>/dev/null |
		awk -F, "NR > 1 { all += \$7 } \$1 ~ /^burn_/ { self[\$1] = \$7 }
			END { for (f in self) printf \"%s %.2f\n\", f, 100 * self[f] / all }" |
			sort >ours
		[ "$(wc -l <theirs)" = 3 ] && paste theirs ours | awk "
			\$1 != \$3 || \$2 - \$4 > 0.02 || \$4 - \$2 > 0.02 { bad = 1; print \"#\", \$0 }
			END { exit bad }"'
else
	skip "perf report has the same, event by event" "perf is not installed"
fi
check "a sample each 10 ms of the clock" eval '
	record -c 10000000 -e task-clock:u -o c.data ./burn &&
	"$PNAV" report --view info --format csv c.data 2>/dev/null |
		awk -F, "\$1 == \"events\" { n = \$2 } END { exit !(n > 20 && n < 400) }"'
if [ -r /sys/kernel/tracing/events/sched/sched_switch/id ]; then
	check "a tracepoint, each time" eval '
		record -e sched:sched_switch -o t.data ./waits &&
		between "$(whole sched:sched_switch t.data)" 31 2000'
else
	skip "a tracepoint, each time" "tracefs is not mounted, or not ours to read"
fi

# ---- when ----

check "after a delay the functions have their names" eval '
	record -q --delay 300 -e task-clock:u -o late.data ./burn &&
	a=$(whole task-clock:u late.data) && [ "$a" -lt "$(whole task-clock:u two.data)" ] &&
	[ "$(value task-clock:u burn_60 late.data)" -gt $((a / 2)) ]'
check "a duration ends it, and asks the command to end" eval '
	record --duration 300ms -o short.data sh -c "exec ./burn forever" &&
	! pgrep -f "^./burn forever\$" >/dev/null'

# ---- whom ----

./burn forever &
one=$!
./burn forever &
two=$!
check "two processes" eval '
	record --duration .3 -p $one,$two -o pids.data &&
	"$PNAV" report --view tracks pids.data 2>/dev/null >tracks &&
	grep -q "^burn $one " tracks && grep -q "^burn $two " tracks && kill -0 $one'
check "one thread" eval '
	record --duration 300ms -t $one -o tid.data &&
	"$PNAV" report --view tracks tid.data 2>/dev/null >tracks &&
	grep -q "^burn $one " tracks && ! grep -q "^burn $two " tracks'
# A process whose parent has not waited for it has ended nevertheless.
if command -v python3 >/dev/null 2>&1; then
	for sampler in perf ptrace; do
		python3 -c 'import subprocess, sys, time
p = subprocess.Popen(["sh", "-c", "sleep 1; exec ./burn"])
print(p.pid, flush=True)
time.sleep(60)' >pid &
		parent=$!
		while ! [ -s pid ] && kill -0 $parent; do sleep .1; done
		timeout 20 "$PNAV" record -q --sampler $sampler -p "$(cat pid)" -o zombie.data 2>err
		got=$?
		grep -q '^State:.Z' "/proc/$(cat pid)/status" && [ $got -ne 124 ] &&
			ok "$sampler: a zombie has ended" || not_ok "$sampler: a zombie has ended" err
		kill $parent
		rm pid
	done
else
	skip "a zombie has ended" "python3 is not installed"
fi
if record -q -a --duration 400ms -o all.data; then
	check "all of the system" eval '
		"$PNAV" report --view tracks all.data 2>/dev/null >tracks &&
		grep -q "^burn $one " tracks && grep -q "^burn $two " tracks &&
		[ "$(value cpu-clock burn_60 all.data)" -gt 0 ]'
	check "... to the end of a command" eval '
		record -q -a -g -o cmd.data ./burn &&
		"$PNAV" report --view tracks cmd.data 2>/dev/null | grep -c "^burn " >n &&
		[ "$(cat n)" -ge 3 ]'
	check "... on one CPU" eval '
		record -q -C 0 --duration 300ms -o cpu.data &&
		[ "$(whole cpu-clock cpu.data)" -le 400000000 ]'
else
	skip "all of the system" "$(tail -n 1 err)"
fi
kill -9 $one $two 2>/dev/null
wait 2>/dev/null

# ---- where ----

check "into a pipe" eval '
	"$PNAV" record -q -o - -e task-clock:u ./burn 2>err </dev/null |
		"$PNAV" report --metric task-clock:u - >out && grep -q burn_60 out && [ ! -s err ]'
"$PNAV" record -q -o - -e task-clock:u ./burn exit 7 2>err >quiet.data </dev/null
[ $? -eq 7 ] && [ ! -s err ] && ok "-q: silent, however the command ends" ||
	not_ok "-q: silent, however the command ends" err
check "a reader who goes ends nothing but the recording" eval '
	("$PNAV" record -o - ./burn exit 7 2>err </dev/null; echo $? >status) | true
	grep -q "cannot write" err && [ "$(cat status)" = 1 ]'

# ---- names that go ----

# named FILE: the work lies where the JIT said
named() { [ "$("$PNAV" report --format csv "$1" 2>/dev/null | awk -F, 'NR == 2 { print $1 }')" = jit_work ]; }
record -q -o jit.data ./jit
read -r jitter rest <out
rm -f "/tmp/perf-$jitter.map"
check "what a JIT calls its functions is in the file" named jit.data
if [ "$(id -u)" -eq 0 ]; then
	record -q -o foreign.data sh -c './jit >own && read -r pid rest <own &&
		chown 65534 "/tmp/perf-$pid.map"'
	read -r jitter rest <own
	[ "$(stat -c %u "/tmp/perf-$jitter.map")" = 65534 ] && ! named foreign.data &&
		ok "... a map of another user is not believed" ||
		not_ok "... a map of another user is not believed"
	rm -f "/tmp/perf-$jitter.map"
else
	skip "... a map of another user is not believed" "only root can make one"
fi
if command -v perf >/dev/null 2>&1; then
	check "... which perf reads as before" eval '
		perf report -i jit.data --stdio --sort comm 2>/dev/null | grep -q " jit *$"'
fi
head -c $(($(wc -c <jit.data) - 20)) jit.data >cut.data
check "... a cut one keeps the rest" eval '
	"$PNAV" report cut.data >out 2>err; [ $? -eq 3 ] && [ -s out ]'
cp burn node
check "a runtime that could tell names, and was not asked, is told" eval '
	record -o node.data ./node && grep -q "pnav: node can tell.*--perf-basic-prof" err'
check "... and others not" eval 'record -o not.data ./burn && ! grep -q "can tell" err'

# ---- smaller ----

if record -q -z -e task-clock:u -o z.data ./burn; then
	check "a compressed recording is smaller" eval '
		[ "$(wc -c <z.data)" -lt $(($(wc -c <late.data) / 2)) ]'
	check "... and has its shares" eval '
		a=$(whole task-clock:u z.data) && b=$(value task-clock:u burn_60 z.data) &&
		between $((b * 100 / a)) 50 70'
	check "... cut, too" eval '
		head -c $(($(wc -c <z.data) / 2)) z.data >half.data &&
		"$PNAV" report half.data >out 2>err; [ $? -eq 3 ] && grep -q burn_60 out'
	if command -v perf >/dev/null 2>&1; then
		check "... which perf reads" eval '
			perf report -i z.data --stdio --no-children -g none --sort symbol 2>/dev/null |
				grep -q " burn_60"'
	fi
else
	skip "a compressed recording" "$(tail -n 1 err)"
fi

# ---- where threads wait ----

check "waiting is seen where it is" eval '
	record -q --off-cpu -o wait.data ./waits &&
	between "$(whole off-cpu wait.data)" 690000000 2000000000'
if "$PNAV" report --metric off-cpu wait.data 2>/dev/null | grep -q waits_rest; then
	check "... in the functions that wait" eval '
		between "$(value off-cpu waits_rest wait.data)" 299000000 900000000 &&
		between "$(value off-cpu waits_read wait.data)" 190000000 900000000'
	check "... with the callers" eval '
		"$PNAV" export --format folded --metric off-cpu wait.data 2>/dev/null |
			grep -q "main.*;waits_rest;.*nanosleep"'
else
	skip "... in the functions that wait" "the kernel may not be looked at"
fi
check "... beside the CPU'\''s time" eval '
	"$PNAV" report --view info wait.data 2>/dev/null | grep -q "^metrics .*off-cpu" &&
	[ "$(whole task-clock wait.data || whole cycles wait.data)" -gt 0 ]'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1 && chmod 777 . &&
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] &&
	setpriv --reuid=65534 --clear-groups test -x "$PNAV"; then
	# registers are not seen from outside: the second one needs its frame pointer
	"$cc" -O0 -g -fno-omit-frame-pointer -o framed "$top_srcdir/tests/data/waits.c" -lpthread \
		>cc.log 2>&1
	programs="waits framed"
	if "$cc" -m32 -O2 -g -o narrow "$top_srcdir/tests/data/waits.c" -lpthread >cc.log 2>&1 &&
		./narrow; then
		programs="narrow $programs"
	else
		skip "a program of 32 bits that waits" "it cannot be built or run"
	fi
	for program in $programs; do
		check "without privilege $program is seen where it waits" eval '
			runs 0 setpriv --reuid=65534 --regid=65534 --clear-groups \
				"$PNAV" record --off-cpu -o user.data ./$program &&
			between "$(whole off-cpu user.data)" 690000000 2000000000 &&
			between "$(value off-cpu waits_read user.data)" 100000000 900000000 &&
			"$PNAV" export --format folded --metric off-cpu user.data 2>/dev/null |
				grep -q "^_start;.*main;waits_rest;.*nanosleep"'
	done
	check "... and samples are those of the CPU alone" eval '
		! "$PNAV" report --view info user.data 2>/dev/null | grep -q "context-switches"'
	if command -v perf >/dev/null 2>&1; then
		check "... which perf reads" eval '
			perf script -f -i user.data 2>/dev/null | grep -q "context-switches:"'
	fi
else
	skip "without privilege it is seen where threads wait" \
		"needs root, and a kernel that hides itself"
fi
tap_done
