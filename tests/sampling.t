#!/bin/sh
# What pnav record is asked to sample: events, tasks, CPUs, when, and where threads wait.
# The truth is what the programs do (tests/data/burn.c, waits.c), and perf report.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
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
if [ -d /sys/kernel/tracing/events ] || [ -d /sys/kernel/debug/tracing/events ]; then
	check "... nor a tracepoint" refuses "there is no event 'no:such'" -e no:such ./burn
elif [ "$(id -u)" -eq 0 ]; then
	check "without tracefs there are no tracepoints" \
		refuses "mount -t tracefs nodev /sys/kernel/tracing" -e sched:sched_switch ./burn
fi
check "a group of events" eval 'record -q -o group.data -e "{task-clock:u,cpu-clock:u}" ./burn &&
	"$PNAV" report --view info group.data >out 2>err; cat out
	grep -q "^metrics.*task-clock:u" out && grep -q "^metrics.*cpu-clock:u" out'
check "a group that is not closed" refuses "is not a list of events" -e "{task-clock" ./burn
max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
check "-F max" eval 'record -o max.data -F max ./burn nothing &&
	grep -q "$([ "$max" -lt 50000 ] && echo "$max" || echo 50000) a second" err'
# tracefs of our own, invisible to others
if [ "$(id -u)" -eq 0 ] && unshare -m sh -c 'mount -t tracefs nodev /sys/kernel/tracing &&
	test -d /sys/kernel/tracing/events/sched' 2>/dev/null; then
	check "all tracepoints of a name" eval '
		unshare -m sh -c "mount -t tracefs nodev /sys/kernel/tracing && exec \"\$@\"" sh \
			"$PNAV" record -q -o glob.data -e "sched:sched_process_*" sh -c "true; true" &&
		"$PNAV" report --view info glob.data >out 2>err; cat out
		grep -q "^metrics.*sched:sched_process_exec" out &&
			grep -q "^metrics.*sched:sched_process_exit" out'
	# how often each name follows KEY= in perf script, and as the value of that label
	perf_values() { perf script -i "$2" 2>/dev/null |
		sed -n "s/.* $1=\\(.*\\) ${1%_*}_pid=.*/\\1/p" | sort | uniq -c |
		awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print $0 "," n }' | sort; }
	label_values() { "$PNAV" report --view labels --metric samples --format csv "$2" 2>/dev/null |
		sed -n "s/^$1,\\(.*\\),[0-9]*\$/\\1/p" | sort; }
	same_fields()
	{
		for key in prev_comm next_comm; do
			perf_values $key "$1" >theirs
			label_values $key "$1" >ours
			[ -s theirs ] && diff theirs ours || return
		done
		name=$(sed -n '1s/,[0-9]*$//p' ours) && n=$(sed -n '1s/.*,//p' ours) &&
			"$PNAV" report --where "next_comm:=$name" --metric samples --format csv "$1" \
				2>/dev/null | awk -F, -v n="$n" 'NR > 1 { sum += $7 } END { exit sum != n }'
	}
	traced()
	{
		unshare -m sh -c 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"' sh "$@" \
			>out 2>err </dev/null || { cat err; false; }
	}
	if command -v perf >/dev/null 2>&1; then
		check "the fields of a tracepoint are labels" eval '
			traced "$PNAV" record -q -o fields.data -e sched:sched_switch ./waits &&
			same_fields fields.data'
		check "... of all of the system, with copies of stacks" eval '
			traced "$PNAV" record -q -o fields.all -a --call-graph dwarf --duration 300ms \
				-e sched:sched_switch && same_fields fields.all'
		check "... of a recording of perf" eval '
			traced perf record -q -o fields.perf -e sched:sched_switch ./waits &&
			same_fields fields.perf'
		check "... beside looks at threads that wait" eval '
			traced "$PNAV" record -q -o fields.off --off-cpu -e sched:sched_switch ./waits &&
			same_fields fields.off && "$PNAV" report --metric off-cpu fields.off >out 2>err'
	fi
else
	skip "all tracepoints of a name" "tracefs cannot be mounted"
fi
check "the kernel is not missed where it is not asked for" eval '
	record -o side.data -e cpu-clock:u ./burn && ! grep -q "would have to be" err'
check "a command that waits was not too fast" eval '
	record -o nap.data sleep 1.2 && ! grep -q "no sample" err || ! grep -q "too fast" err'
check "an unknown ending" refuses "has an unknown modifier" -e cycles:z ./burn
check "a CPU that is not there" refuses "CPUs of this machine" -C 0,99999 ./burn
check "a time that is none" refuses "--duration takes a time" --duration 5x ./burn
check "a time of nothing" refuses "--duration takes a time" --duration 0 ./burn
check "--usage without the system" refuses "--usage needs --all-cpus" --usage ./burn
check "--exclude-idle without the system" refuses "--exclude-idle needs --all-cpus" --exclude-idle ./burn
check "a period of none" refuses "--count" -c 0 ./burn
check "a process that is not there" refuses "there is no process" -p 1,2147483647
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
		awk -F, 'NR > 1 { sum += $7 } END { printf "%.0f", sum }'
}
between() { [ "$1" -ge "$2" ] && [ "$1" -le "$3" ] || { echo "# $1 is not in $2 to $3"; false; }; }

# labels_of FILE: KEY,VALUE,SAMPLES
labels_of()
{
	"$PNAV" report --view labels --metric samples --format csv "$1" 2>/dev/null |
		awk -F, 'NR > 1 { print $1 "," $2 "," $3 }' | sort
}
# perf_labels_of FILE: the same by perf script
perf_labels_of()
{
	perf script -i "$1" -F comm,pid,tid,cpu 2>/dev/null | awk '
		# a thread that has ended has no number any more, and its process may still have one
		match($0, / (-1|[0-9]+)\/(-1|[0-9]+) +\[[0-9]+\]/) {
			comm = substr($0, 1, RSTART - 1)
			gsub(/^ +| +$/, "", comm)
			split(substr($0, RSTART + 1), part, /[^0-9-]+/)
			if (part[1] != -1)
				n["pid," part[1]]++
			if (part[2] != -1) {
				n["comm," comm]++
				n["tid," part[2]]++
			}
			n["cpu," part[3] + 0]++
		}
		END { for (key in n) print key "," n[key] }' | sort
}

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

# ---- deep stacks ----

# A leaf function may keep no frame pointer: then the chain lacks its caller.

cat >deep.c <<'END'
#include <stdlib.h>
volatile unsigned long sink;
__attribute__((noinline)) static void
leaf(void)
{
	for (unsigned long i = 0; i < 200000000; i++)
		sink += i;
}
__attribute__((noinline)) static int
recurse(int depth)
{
	if (!depth)
		leaf();
	int below = depth ? recurse(depth - 1) : 0;
	sink += below;
	return below + 1;
}
int
main(int n, char **argument)
{
	return n > 1 && recurse(atoi(argument[1])) == 4711;
}
END
# depth FILE: the frames of recurse() in the stack that was sampled most, below which root
depth() { "$PNAV" export --format folded "$1" 2>/dev/null | sort -t ' ' -k 2 -n | tail -n 1 |
	tr ';' '\n' | awk 'NR == 1 { root = $1 } $1 == "recurse" { n++ } END { print n + 0, root }'; }
"$cc" -O1 -g -fno-omit-frame-pointer -o deep deep.c >cc.log 2>&1
limit=$(cat /proc/sys/kernel/perf_event_max_stack)
if [ "$limit" -lt 300 ]; then
	check "a chain that the kernel has cut says so" eval '
		record -q -g -e task-clock:u -o deep.data ./deep 400 &&
		[ "$(depth deep.data)" = "$((limit - 1)) [truncated]" ] &&
		"$PNAV" report deep.data 2>&1 >out | grep -q "were truncated by the kernel at $limit frames"'
else
	skip "a chain that the kernel has cut says so" "the kernel cuts at $limit frames"
fi
check "... and one that fits does not" eval '
	record -q -g -e task-clock:u -o low.data ./deep 40 && depth low.data >n &&
	grep -q "^4[01] " n && ! grep -q truncated n'
check "copies of stacks have more frames" eval '
	record -q --call-graph dwarf,65528 -e task-clock:u -o copies.data ./deep 400 &&
	[ "$(depth copies.data)" = "401 _start" ]'
check "... and so has ptrace" eval '
	record -q --sampler ptrace -g -o traced.data ./deep 400 && depth traced.data >n &&
	grep -q "^40[01] " n && ! grep -q truncated n'

# Interpreters call their functions through copies of a routine that has no call frame information:
# CPython's, `sub $8, %rsp; call *%rcx; add $8, %rsp; ret`, keeps all registers.
cat >trampoline.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
volatile unsigned sink;
typedef void callee(int depth);
typedef void routine(long depth, long, long, callee *rcx);
static routine *copy;
__attribute__((noinline)) static void evaluate(int depth);
__attribute__((noinline)) static void
work(void)
{
	for (unsigned i = 0; i < 200000000; i++)
		sink += i;
}
/* %rbp is an ordinary register here, and leads nowhere */
__attribute__((noinline)) static void
through(int depth)
{
	__asm__ volatile("" ::: "rbx", "rbp", "r12");
	copy(depth, 0, 0, evaluate);
	sink++;
}
__attribute__((noinline)) static void
evaluate(int depth)
{
	if (depth)
		through(depth - 1);
	else
		work();
	sink++;
}
int
main(void)
{
	static const unsigned char code[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd1,
					     0x48, 0x83, 0xc4, 8, 0xc3};
	char name[64];
	copy = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if ((void *)copy == MAP_FAILED)
		return 1;
	memcpy((void *)copy, code, sizeof code);
	snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(name, "w");
	fprintf(map, "%lx %zx py::function\n", (unsigned long)copy, sizeof code);
	fclose(map);
	puts(name);
	through(5);
	return 0;
}
END
if [ "$(uname -m)" = x86_64 ] && "$cc" -O2 -g -fomit-frame-pointer -fno-optimize-sibling-calls \
	-o trampoline trampoline.c >cc.log 2>&1; then
	check "trampolines of interpreters do not end a stack" eval '
		record -q -e task-clock:u -o trampoline.data ./trampoline && rm -f "$(cat out)" &&
		"$PNAV" export --format folded trampoline.data 2>/dev/null | sort -t " " -k 2 -n |
			tail -n 1 >stack && cat stack &&
		[ "$(tr ";" "\n" <stack | grep -c "^py::function")" = 6 ] &&
		grep -q "main;through;py::function;evaluate;through;.*;evaluate;work " stack'
else
	skip "trampolines of interpreters do not end a stack" "they are of x86-64"
fi

# ---- bursts ----

cat >bursts.c <<'END'
#include <stdlib.h>
#include <unistd.h>
volatile unsigned sink;
/* each step waits for the one before, so equal numbers take equal times */
#define WORK(name, seed) __attribute__((noinline, noclone)) static void \
	name(long n) { unsigned x = sink; while (n--) { x = x * 1103515245u + (seed); \
	__asm__ volatile("" : "+r"(x)); } sink = x; }
WORK(first, 11)
WORK(second, 13)
int
main(int argc, char **argv)
{
	for (int i = argc > 1 ? atoi(argv[1]) : 600; i > 0; i--) {
		first(700000);
		second(300000);
		usleep(2000);
	}
	return 0;
}
END
"$cc" -O1 -g -o bursts bursts.c >cc.log 2>&1
# shared FILE: the shares of first() and second() are 70 and 30, but for four standard errors of
# that many samples, whose periods are exponential, and 4 points; or for what the recorder says in
# err, where samples are missing.  Fewer than 20 show no shares: then it has to say that.
shared()
{
	a=$(value task-clock first "$1") || a=0
	b=$(value task-clock second "$1") || b=0
	"$PNAV" report --metric samples --format csv "$1" 2>/dev/null |
		awk -F, -v a="$a" -v b="$b" -v said="$(sed -n 's/.*off by \([0-9]*\) points.*/\1/p' err)" \
			'NR > 1 { n += $7 }
			END {
				if (n < 20) {
					print "# " n + 0 " samples, " (said ? "as reported" : "unsaid")
					exit !said
				}
				off = 100 * a / (a + b) - 70
				may = 4 + 400 * sqrt(2 * 0.21 / n)
				if (said > may)
					may = said + 0
				print "# " n " samples, " off " points off, " may " may be"
				exit off > may || -off > may
			}'
}
check "ptrace: bursts have their shares" eval 'record --sampler ptrace -o bursts.data ./bursts &&
	cat err && shared bursts.data'
# A program whose phases last half of the period: a sampler of equal pauses is in the same phase again
# and again.  Of neighbours at random moments about half are in different phases; of equal ones few.
cat >beats.c <<'END'
#include <time.h>
volatile unsigned sink;
#define WORK(name, seed) __attribute__((noinline, noclone)) static void \
	name(void) { unsigned x = sink; for (int n = 2000; n--;) { x = x * 1103515245u + (seed); \
	__asm__ volatile("" : "+r"(x)); } sink = x; }
WORK(first, 11)
WORK(second, 13)
int
main(void)
{
	struct timespec t = {0};
	for (; t.tv_sec < 3; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t))
		if (t.tv_nsec / 5000000 % 2)
			first();
		else
			second();
	return 0;
}
END
"$cc" -O1 -g -o beats beats.c >cc.log 2>&1
check "ptrace: a program with phases of its period meets it at random" eval '
	record -q --sampler ptrace -F 100 -o beats.data ./beats &&
	"$PNAV" sql --format csv "SELECT count(*), sum(name != was) FROM (SELECT f.name AS name,
		lag(f.name) OVER (ORDER BY time) AS was FROM samples JOIN stacks AS s ON s.id = stack
		JOIN functions AS f ON f.id = s.function)" beats.data |
		awk -F, "NR == 2 { print \"# of \" \$1 \" samples \" \$2 \" differ from the one before\"
			bad = \$1 < 50 || \$2 < 0.3 * \$1 || \$2 > 0.7 * \$1 } END { exit NR != 2 || bad }"'
# A library that is loaded when the program has run for a while, beside many other maps.
cat >late.c <<'END'
#include <dlfcn.h>
#include <sys/mman.h>
#include <time.h>
volatile unsigned sink;
int
main(int argc, char **argv)
{
	unsigned (*lib_burn)(void) = 0;
	for (int i = 0; i < 1000; i++)
		if (mmap(0, 4096, i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 1;
	while (clock() < CLOCKS_PER_SEC / 5)
		sink += 1;
	void *lib = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	if (lib)
		*(void **)&lib_burn = dlsym(lib, "lib_burn");
	while (lib_burn && clock() < CLOCKS_PER_SEC / 2)
		sink += lib_burn();
	return !lib_burn;
}
END
"$cc" -O1 -g -o late late.c -ldl >cc.log 2>&1
"$cc" -O1 -shared -fPIC -o burnlib.so "$top_srcdir/tests/data/burnlib.c" >>cc.log 2>&1
check "ptrace: a library loaded late has its functions" eval '
	record -q --sampler ptrace -F 997 -o late.data ./late "$PWD/burnlib.so" &&
	"$PNAV" report --format csv --columns self,function late.data 2>/dev/null |
		awk -F, "NR > 1 { n += \$1 } \$2 == \"lib_burn\" { lib = \$1 }
			END { print \"# \" 100 * lib / n; exit !(lib > n / 2 && lib < 0.7 * n) }"'
# Reading the maps takes milliseconds, so they are read while the thread runs, but for those of a
# young program.
if command -v strace >/dev/null 2>&1; then
	strace -ttt -e trace=ptrace,openat -o calls.strace \
		"$PNAV" record -q --sampler ptrace -F 997 -o late.data ./late "$PWD/burnlib.so" 2>err
	check "ptrace: a thread is not stopped for its maps" eval 'awk "
		/PTRACE_GETREGS/ { stopped = 1 }
		/PTRACE_CONT/ { stopped = 0 }
		/\/maps/ { if (!began) began = \$1; if (stopped) late += \$1 > began + 0.2; else runs++ }
		END { print \"# \" runs + 0, late + 0; exit !runs || late }" calls.strace'
else
	skip "ptrace: a thread is not stopped for its maps" "strace is not installed"
fi
# System calls at short distances, in a program that also sleeps: a thread that is interrupted from
# another CPU stops at its next system call.  The program measures the share of its calls.
cat >calls.c <<'END'
#include <stdio.h>
#include <time.h>
#include <unistd.h>
volatile unsigned sink;
static double
used(void)
{
	struct timespec t = {0};
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
__attribute__((noinline, noclone)) static void
work(void)
{
	unsigned x = sink;
	for (int n = 8000; n--;) {
		x = x * 1103515245u + 11;
		__asm__ volatile("" : "+r"(x));
	}
	sink = x;
}
__attribute__((noinline, noclone)) static void
calls(void)
{
	for (int n = 16; n--;)
		used();
}
int
main(void)
{
	double in_calls = 0, start, end = 0;
	for (int i = 0; end < 3; i++) {
		work();
		start = used();
		calls();
		end = used();
		in_calls += end - start;
		if (i % 20 == 0)
			usleep(500);
	}
	printf("%.1f\n", 100 * in_calls / end);
	return 0;
}
END
"$cc" -O1 -g -o calls calls.c >cc.log 2>&1
# On a busy machine the recorder says how far shares may be off.
record --sampler ptrace -F 300 -o calls.data ./calls
off=$(sed -n 's/.*shares may be off by \([0-9]*\) point.*/\1/p' err)
check "ptrace: system calls have their share" eval '
	"$PNAV" report --format csv --columns total,function calls.data 2>/dev/null |
		awk -F, -v truth="$(cat out)" -v may="${off:-0}" "NR > 1 && \$1 > whole { whole = \$1 } \$2 == \"calls\" { n = \$1 }
			END { print \"# \" 100 * n / whole \" percent, \" truth \" measured, \" may \" off\"
				may = may > 15 ? may : 15
				off = 100 * n / whole - truth; exit !(n && off > -may && off < may) }"'
# Beside many busy threads on its CPU the program waits for that CPU most of the time, and where
# it waits says nothing.  The other CPUs stay free for the tests that run beside this one.
pin=
command -v taskset >/dev/null 2>&1 &&
	pin="taskset -c $(taskset -cp $$ | sed 's/.*[:,-] *//')"
busy=
[ "${PNAV_LONG:-}" ] && threads=15 || threads=5
while [ "$(echo $busy | wc -w)" -lt $threads ]; do
	$pin timeout 60 sh -c 'while :; do :; done' &
	busy="$busy $!"
done
if [ "$(id -u)" -eq 0 ]; then
	check "... beside $threads busy threads" eval '
		runs 0 $pin "$PNAV" record --sampler ptrace -o busy.data ./bursts 150 &&
		cat err && shared busy.data'
else
	skip "... beside $threads busy threads" "an ordinary user takes too few samples"
fi
kill $busy 2>/dev/null
wait 2>/dev/null
# A recorder that runs only while its program rests misses most of the samples.  Not as root,
# who takes a better priority.
user=
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1 && chmod 777 . &&
	setpriv --reuid=65534 --clear-groups test -x "$PNAV"; then
	user="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
$pin $user ./bursts 400 &
few=$!
runs 0 $pin chrt -i 0 $user "$PNAV" record -q --sampler ptrace -o few.data -p $few
wait
n=$("$PNAV" report --metric samples --format csv few.data 2>/dev/null |
	awk -F, 'NR > 1 { n += $7; } END { print n + 0 }')
due=$(($(whole task-clock few.data) / 1000000))
if [ "$due" -gt 50 ] && [ $((n * 2)) -lt "$due" ]; then
	check "-q does not hide that most samples are missing" \
		grep -q "few.data: $n samples were taken where" err
else
	skip "-q does not hide that most samples are missing" "$n of $due samples were taken"
fi

# ---- when ----

# of the time that the program takes in this run, since another run may take less
check "after a delay the functions have their names" eval '
	record -q --delay 150 -e task-clock:u -o late.data sh -c "./burn; times >took" &&
	a=$(whole task-clock:u late.data) && cat took &&
	took=$(awk -F "[ms ]+" "NR == 2 { printf \"%.0f\", (\$1 * 60 + \$2 + \$3 * 60 + \$4) * 1e9 }" took) &&
	[ "$a" -lt $((took - 10000000)) ] &&
	[ "$(value task-clock:u burn_60 late.data)" -gt $((a / 2)) ]'
check "a duration ends it, and asks the command to end" eval '
	record --duration 300ms -o short.data sh -c "exec ./burn forever" &&
	! pids_here "^./burn forever\$" >/dev/null'

# ---- whom ----

./burn forever &
one=$!
./burn forever &
two=$!
check "two processes" eval '
	record --duration .3 -p $one,$two -o pids.data &&
	"$PNAV" report --view tracks pids.data 2>/dev/null >tracks &&
	grep -q "^burn $one " tracks && grep -q "^burn $two " tracks && kill -0 $one'
check "a process until a command ends" eval '
	runs 3 "$PNAV" record -p $one -o pids.data sh -c "sleep .5; exit 3" && kill -0 $one &&
	"$PNAV" report --view tracks --format csv pids.data 2>/dev/null >tracks &&
	[ "$(cut -d, -f1 tracks | tail -n +2)" = "burn $one" ]'
sleep .5 &
nap=$!
check "... or a process that ends before the command" eval '
	timeout 20 "$PNAV" record -q -p $nap -o pids.data sleep 60 2>err && [ ! -s err ]'
check "SIGUSR2 without --ring is ignored" eval '
	runs 5 "$PNAV" record -e task-clock:u -o pids.data sh -c "kill -USR2 \$PPID; ./burn; exit 5" &&
	[ "$(whole task-clock:u pids.data)" -gt 0 ]'
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
# Nothing but switches is sampled, which does not mean that the process runs between them.
sleep 5 &
asleep=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	grep -q "^sleep$" /proc/$asleep/comm && grep -q "^State:.S" /proc/$asleep/status && break
	sleep .1
done
if record -q --off-cpu -p $asleep --duration 300ms -o asleep.data; then
	check "a process that sleeps: where it waits, and that it does not run" eval '
		"$PNAV" report asleep.data 2>/dev/null | head -n 1 >first && cat first &&
		grep -q "^off-cpu (ns): [23]..*ms" first &&
		"$PNAV" report --view info asleep.data 2>/dev/null >info &&
		! grep -q "^parallelism" info'
	check "... all the time, for a timer" eval '
		"$PNAV" report --view answers asleep.data 2>/dev/null |
		grep "waiting takes 100 % of the time, 100 % of that for timers"'
else
	skip "a process that sleeps" "$(tail -n 1 err)"
fi
kill $asleep
if record -q -a --duration 400ms -o all.data; then
	check "all of the system" eval '
		"$PNAV" report --view tracks all.data 2>/dev/null >tracks &&
		grep -q "^burn $one " tracks && grep -q "^burn $two " tracks &&
		[ "$(value cpu-clock burn_60 all.data)" -gt 0 ]'
	if command -v perf >/dev/null 2>&1; then
		check "... with the labels that perf script has" eval '
			labels_of all.data >labels && [ "$(grep -c ^cpu labels)" -ge 1 ] &&
			grep -v "^cgroup\|^container\|^user\|^parallelism" labels >ours && perf_labels_of all.data | diff - ours'
		check "... and the control group of each" eval '
			perf report -g none -i all.data --stdio --sort cgroup -F sample,cgroup 2>/dev/null |
				awk "/^ *[0-9]/ && \$1 > 0 { print \"cgroup,\" \$2 \",\" \$1 }" | sort >theirs
			[ -s theirs ] && grep ^cgroup labels | diff theirs -'
		check "... each CPU alone" eval '
			cpu=$(sed -n "s/^cpu,\([0-9]*\),.*/\1/p" ours | head -n 1)
			n=$(sed -n "s/^cpu,$cpu,//p" ours)
			[ "$("$PNAV" report --where "cpu:=$cpu" --view labels --metric samples \
				--format csv all.data 2>/dev/null | sed -n "s/^cpu,//p" | cut -d, -f 1,2)" \
				= "$cpu,$n" ]'
	else
		skip "... with the labels that perf script has" "perf is not installed"
	fi
	# sample_type, after the header and three words: CALLCHAIN is 32, STACK_USER 8192
	check "... by frame pointers" eval '
		type=$(od -An -t u8 -j 128 -N 8 all.data) && [ $((type & (32 + 8192))) = 32 ]'
	check "... unless copies of stacks are asked for" eval '
		record -q -a --call-graph dwarf --duration 100ms -o copies.data &&
		type=$(od -An -t u8 -j 128 -N 8 copies.data) && [ $((type & 8192)) = 8192 ]'
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

# Forty threads want the CPUs.  The recorder has its turn in time, from the first second on: each
# CPU's clock ticks all the time.
if [ "$(id -u)" -eq 0 ] && record -q -a --duration 100ms -o any.data; then
	busy=
	for i in 1 2 3 4 5 6 7 8 9 10; do
		for k in 1 2 3 4; do
			timeout 10 sh -c 'while :; do :; done' &
			busy="$busy $!"
		done
	done
	# They end some time after the samples do: the names are found without them.
	(sleep 3; kill $busy 2>/dev/null) &
	record -a --call-graph dwarf --duration 1s -o busy.data
	wait 2>/dev/null
	check "all of the system beside forty busy threads" eval '
		cat err && ! grep -q lost err &&
		[ "$(whole cpu-clock busy.data)" -ge "$((900000000 * $(getconf _NPROCESSORS_ONLN)))" ]'
else
	skip "all of the system beside forty busy threads" "only root may"
fi

# ---- where ----

check "into a pipe" eval '
	"$PNAV" record -q -o - -e task-clock:u ./burn 2>err </dev/null |
		"$PNAV" report --metric task-clock:u - >out && grep -q burn_60 out && [ ! -s err ]'
check "... in which the command writes nothing" eval '
	"$PNAV" record -q -o - -e task-clock:u sh -c "echo hello; ./burn" 2>err </dev/null |
		"$PNAV" report --metric task-clock:u - >out && grep -q burn_60 out && grep -qx hello err'
"$PNAV" record -q -o - -e task-clock:u ./burn exit 7 2>err >quiet.data </dev/null
[ $? -eq 7 ] && [ ! -s err ] && ok "-q: silent, however the command ends" ||
	not_ok "-q: silent, however the command ends" err
check "a reader who goes ends nothing but the recording" eval '
	("$PNAV" record -o - ./burn exit 7 2>err </dev/null; echo $? >status) | true
	grep -q "cannot write" err && [ "$(cat status)" = 1 ]'

check "... also if not even what precedes the samples has room" eval '
	rm -f ran && runs 7 "$PNAV" record --max-size 1000 -o max.data sh -c "touch ran; exit 7" && [ -f ran ]'
check "... and the empty file is whole" eval '
	! grep "names are embedded" err && runs 0 "$PNAV" report max.data && grep -q "nothing was recorded" err'
check "an event that is named twice is sampled once" eval '
	record -e cpu-clock,cpu-clock:u,cpu-clock -o max.data true && grep -q "(cpu-clock, cpu-clock:u, " err'
check "a recording ends at --max-size, and the command goes on" eval '
	runs 7 "$PNAV" record --max-size 100K -o max.data ./burn exit 7 && [ -s err ] &&
	grep -q "max.data: the recording ended at 100 KB (--max-size)" err &&
	between "$(wc -c <max.data)" 60000 102400 && runs 0 "$PNAV" report max.data'
check "... of a command that ends before, nothing is said" eval '
	record --max-size 1G -o max.data ./burn && ! grep -q max-size err &&
	record --max-size 1g -o max.data ./burn && ! grep -q max-size err'
for size in 5x 0 K 1KB 99999999999G; do
	check "--max-size $size" refuses "--max-size takes a size" --max-size $size ./burn
done

# ---- short tasks ----

# A child of some 5 ms ends before its first sample would be due.
groups() { find /sys/fs/cgroup -maxdepth 3 -name 'pnav-*' -type d 2>/dev/null; }
if [ "$(id -u)" -eq 0 ] && record -F 50 -o any.data sh -c 'grep pnav- /proc/self/cgroup >group' &&
		[ -s group ]; then
	check "tasks shorter than a period are seen" eval '
		record -F 100 -o short.data ./burn short && ! grep -q "samples saw" err &&
		between "$("$PNAV" report --metric samples --by file --format csv short.data 2>/dev/null |
			awk -F, "NR > 1 { n += \$7 } END { print n }")" 30 300'
	check "... with the threads and programs of a command that are longer" eval '
		record -o long.data ./burn exec && ! grep -q "samples saw" err &&
		[ "$("$PNAV" report --format csv long.data 2>/dev/null | awk -F, "NR == 2 { print \$1 }")" \
			= burn_60 ]'
	# Recorders of other tests have groups of their own.
	own=$(sed 's|.*/||' group)
	check "... and the group is gone at the end" eval '! groups | grep "/$own\$"'
	"$PNAV" record -q -o killed.data ./burn forever 2>/dev/null &
	recorder=$!
	left=
	until [ "$left" ]; do
		kill -0 $recorder || break
		sleep .1
		left=$(cat "$(groups | grep "pnav-$recorder\$")/cgroup.procs" 2>/dev/null)
	done
	kill -9 $recorder
	wait $recorder 2>/dev/null
	# which may be the recorder of another test
	check "... a killed recorder leaves it to the next one" eval '
		[ -n "$left" ] && record -o next.data ./burn nothing &&
		! groups | grep "/pnav-$recorder\$" && kill -0 $left'
	kill -9 $left 2>/dev/null
else
	skip "tasks shorter than a period are seen" "no control group can be made"
fi

# ---- labels of other recordings ----

if command -v perf >/dev/null 2>&1 &&
		perf record -q -N -e task-clock --all-cgroups -o groups.data ./burn 2>/dev/null; then
	check "the control group that perf recorded" eval '
		group=$(perf report -i groups.data --stdio --sort cgroup 2>/dev/null |
			awk "/^ *[0-9]/ { print \$2; exit }")
		[ -n "$group" ] && labels_of groups.data | grep -q "^cgroup,$group,[1-9]"'
	check "... and no CPU, which it did not" eval '
		! labels_of groups.data | grep -q ^cpu && labels_of groups.data | grep -q "^comm,burn,"'
else
	skip "the control group that perf recorded" "perf cannot record it"
fi

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
check "a runtime that could tell names, and was not asked, is reported" eval '
	record -o node.data ./node && grep -q "pnav: node can write.*--perf-basic-prof" err'
check "... and others not" eval 'record -o not.data ./burn && ! grep -q "can write" err'
check "... nor one that has few of the samples" eval '
	record -o few.data sh -c "./burn; ./burn; timeout 0.02 ./node; true" && ! grep -q "can write" err'
cat >dumps.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void)
{
	char name[64];
	volatile unsigned long n = 0;
	snprintf(name, sizeof name, "jit-%d.dump", (int)getpid());
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, 4096) ||
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		return 1;
	while (n < 100000000)
		n++;
	return 0;
}
END
"$cc" -O1 -o node dumps.c >cc.log 2>&1
check "... nor one that writes a jitdump" eval '
	record -o dumps.data ./node && ! grep -q "can write" err'


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

# ---- callers that are none ----

without="-fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables"
if "$cc" -O3 $without -o bare "$top_srcdir/tests/data/threads.c" -lpthread >cc.log 2>&1 &&
	"$cc" -O2 -g -o threads "$top_srcdir/tests/data/threads.c" -lpthread >cc.log 2>&1; then
	check "without call frame information: trust says how many have no callers" eval '
		record -q -o bare.data ./bare &&
		"$PNAV" report --view answers bare.data 2>/dev/null | grep "^trust  *2"'
	# nine at a time
	if record -q -a --usage -o usage.data ./threads; then
		check "record --usage: threads count while they live" eval '
			"$PNAV" report --view tree --label comm --where comm:=threads --limit 1 \
				usage.data 2>/dev/null | awk "/comm=threads/ { n = \$(NF - 1) }
				END { print \"# \" n; exit !(n > 0 && n <= 10) }"'
	else
		skip "record --usage: threads count while they live" "$(tail -n 1 err)"
	fi
else
	skip "callers that are none" "the test program cannot be built"
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
check "... and not in the scheduler, where all do" eval '
	"$PNAV" export --format folded --metric off-cpu wait.data >folded 2>err &&
	! grep -q ";__\\{0,1\\}schedule [0-9]*\$" folded'
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
