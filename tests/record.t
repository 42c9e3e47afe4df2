#!/bin/sh
# pnav record and the file that it writes: what happens to the one before, whose it is,
# and that nothing is lost of it.  What the samples say is collect.t's matter.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
unset PNAV_SAMPLER
cd "$scratch" || exit 99
"$cc" -O1 -g -o burn "$top_srcdir/tests/data/burn.c" -lpthread -ldl >cc.log 2>&1 ||
	skip_all "the test program cannot be built"

forbidden() { ! "$@" >out 2>err </dev/null && grep -q 'cannot be used\|can be used' err; }
forbidden "$PNAV" record -o any.data ./burn nothing && skip_all "$(tail -n 1 err)"

# ---- a counter is an open file ----

many=$(printf 'task-clock,%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)cpu-clock
few_files()
{
	(ulimit -S -n 16 && runs 0 "$PNAV" record -o "$1" --sampler perf -e "$many" \
		sh -c 'ulimit -S -n >its')
}
check "counters are more than a shell lets files be open" eval '
	few_files few.data && [ "$("$PNAV" report --view info few.data | grep -c "^metrics")" = 1 ]'
check "... and the command keeps its limit" [ "$(cat its)" = 16 ]

# ---- what has the name already ----

echo old >old && cp old kept
typo() { runs 127 "$PNAV" record -o "$1" ./nosuch; }
check "a command that cannot start leaves the old file" eval 'typo old && cmp old kept'
ln -s old link
check "... behind a link, too" eval 'typo link && [ -L link ] && cmp old kept'
check "... and makes no new one" eval 'typo fresh && [ -z "$(ls | grep fresh)" ]'
mkdir here
check "... nor moves perf.data away" eval '(cd here && echo old >perf.data &&
	runs 127 "$PNAV" record ./nosuch && cmp perf.data ../kept && [ "$(ls)" = "err
out
perf.data" ])'
mkfifo fifo
check "a pipe is refused and stays" eval '
	runs 1 "$PNAV" record -o fifo ./burn nothing && [ -p fifo ] && [ ! -s out ]'
if mknod null c 1 3 2>/dev/null && : >null; then
	check "a device is written and stays" eval '
		runs 0 "$PNAV" record -o null ./burn nothing && typo null && [ -c null ]'
else
	skip "a device is written and stays" "only root can make one"
fi
check "a link is followed" eval '
	runs 0 "$PNAV" record -o link ./burn nothing && [ -L link ] && ! cmp -s old kept &&
	"$PNAV" report old >out'
check "perf.data becomes perf.data.old once" eval '(cd here &&
	runs 0 "$PNAV" record ../burn nothing && cmp perf.data.old ../kept)'
printf 'old\n' >locked && chmod 444 locked
if [ -w locked ]; then
	skip "a write-protected file is not replaced" "root may write anything"
else
	check "a write-protected file is not replaced" eval '
		runs 1 "$PNAV" record -o locked ./burn nothing && cmp locked kept'
fi

# ---- whose it is ----

mode() { [ "$(stat -c %a "$1")" = "$2" ]; }
check "a recording is its owner's alone" eval '
	(umask 022 && runs 0 "$PNAV" record -o mine.data ./burn nothing) && mode mine.data 600'
check "... also in place of one that was everybody's" eval '
	touch open.data && chmod 666 open.data &&
	runs 0 "$PNAV" record -o open.data ./burn nothing && mode open.data 600'

# share COLUMN FUNCTION FILE: percent of all self time (7: self, 8: total of its samples)
share()
{
	"$PNAV" report --format csv "$3" | awk -F, -v c="$1" -v f="$2" '
		NR == 1 { next }
		{ all += $7 }
		$1 == f { x += $c }
		END { printf "%.2f\n", all ? 100 * x / all : 0 }'
}
at_least() { echo "$*"; [ "$(awk -v a="$1" -v b="$2" 'BEGIN { print (a >= b) }')" = 1 ]; }

# ---- what is left of it ----

# until_so CONDITION: a tenth of a second at a time, a minute at most
until_so()
{
	for _ in $(seq 600); do
		eval "$1" && return
		sleep 0.1
	done
	return 1
}

# A truncated file keeps everything before the cut, and its names.
check "a cut recording keeps its names" eval '
	runs 0 "$PNAV" record -o whole.data ./burn &&
	head -c $(($(stat -c %s whole.data) / 2)) whole.data >cut.data &&
	runs 3 "$PNAV" report cut.data && at_least "$(share 7 burn_60 cut.data)" 45 &&
	at_least "$(share 8 main cut.data)" 90'
"$PNAV" record -o killed.data ./burn forever >/dev/null 2>&1 </dev/null &
recorder=$!
# (a busy machine writes it slowly: a hundred samples with 8 KB of stack each)
until_so '[ "$(stat -c %s killed.data 2>/dev/null || echo 0)" -gt 800000 ]'
kill -9 $recorder
check "so does one that was killed" eval '
	runs 3 "$PNAV" report killed.data && at_least "$(share 7 burn_60 killed.data)" 45 &&
	at_least "$(share 8 main killed.data)" 90 &&
	"$PNAV" report --view info killed.data | grep -q "^cmdline .*burn forever"'
for p in $(pids_here '^./burn forever$'); do
	[ "$(readlink "/proc/$p/exe")" = "$scratch/burn" ] && kill -9 "$p"
done

# A disk that is full ends the recording, not the command.  A limit on the size of files
# reports the same where mounting a small disk is forbidden.
check "no space is left: the command goes on, the beginning is kept" eval '
	(trap "" XFSZ; ulimit -f 1600; runs 1 "$PNAV" record -o full.data \
		sh -c "./burn; ./burn; echo ended >ended") &&
	grep -q "cannot write" err && [ -s ended ] && runs 3 "$PNAV" report full.data &&
	at_least "$(share 7 burn_60 full.data)" 40'

# ---- signals ----

# The first signal is the command's, and it has all the time that it needs.
cat >slow.sh <<'END'
trap 'sleep 3; echo flushed; exit 9' TERM
echo ready
while :; do sleep 0.1; done
END
patient()
{
	"$PNAV" record -o slow.data sh slow.sh >out 2>err </dev/null &
	recorder=$!
	until_so 'grep -q ready out' || return 1
	kill -TERM $recorder
	wait $recorder
	got=$?
	cat out err
	[ $got -eq 9 ] && grep -q flushed out &&
		grep -q "waiting for sh to end; ^C again ends it" err
}
check "a command that needs three seconds to end has them" patient

# The second ends it, whatever it says.
cat >deaf.sh <<'END'
trap '' TERM INT HUP
echo ready
while :; do sleep 0.1; done
END
insisting()
{
	"$PNAV" record -o deaf.data sh deaf.sh >out 2>err </dev/null &
	recorder=$!
	until_so 'grep -q ready out' || return 1
	kill -HUP $recorder
	until_so 'grep -q "waiting for" err' || return 1
	kill -0 $recorder || return 1
	kill -TERM $recorder
	wait $recorder
	got=$?
	cat out err
	[ $got -eq 137 ] && "$PNAV" report --view info deaf.data
}
check "the second signal ends one that would not" insisting

# ---- the time of day ----

# Prints the start of the second of two recordings on the time of day of the first, in ms.
second_begins()
{
	"$PNAV" report --align clock --view tracks --columns track,start --format csv first.data second.data 2>err |
		awk -F, '/^second/ { print int($2 / 1000000); exit }'
}
later()
{
	runs 0 "$PNAV" record -o first.data ./burn && began=$(date +%s%3N) && sleep 0.4 &&
		runs 0 "$PNAV" record -o second.data ./burn && ended=$(date +%s%3N) || return
	at=$(second_begins)
	echo "$at of at most $((ended - began)) after the first has ended"
	[ "$at" -ge 400 ] && [ "$at" -le $((ended - began + 10000)) ]
}
check "a recording has the time of day of its start" later

# ---- perf reads it as we do ----

# perf_sums FILE: function, self and total in ns, as perf unwinds the stacks
perf_sums()
{
	perf script -i "$1" -F comm,period,ip,sym 2>/dev/null | awk '
		NF >= 2 && $1 != "" && /^[^ \t]/ { period = $(NF); leaf = 1; split("", seen); next }
		NF >= 2 {
			if (leaf) self[$2] += period
			leaf = 0
			if (!seen[$2]++) total[$2] += period
		}
		END { for (f in total) print f, self[f] + 0, total[f] }'
}
our_sums() { "$PNAV" report --format csv "$1" | awk -F, '{ print $1, $7, $8 }'; }
same_sums()
{
	perf_sums "$1" >theirs && our_sums "$1" >ours
	for f in burn_60 burn_30 burn_10 burn main _start; do
		awk -v f=$f '
			$1 == f { self[FILENAME] += $2; total[FILENAME] += $3 }
			END {
				print f, self["theirs"], self["ours"], total["theirs"], total["ours"]
				off = self["theirs"] - self["ours"]
				all = total["theirs"] - total["ours"]
				may = total["theirs"] / 200
				exit !(total["theirs"] > 0 && off <= may && -off <= may &&
					all <= may && -all <= may)
			}' theirs ours || return 1
	done
}
for s in perf ptrace; do
	if ! command -v perf >/dev/null 2>&1; then
		skip "perf unwinds the same callers, $s" "perf is not installed"
	elif ! forbidden "$PNAV" record --sampler $s -o chains.data ./burn; then
		check "perf unwinds the same callers, $s" same_sums chains.data
	fi
done

# the kernel reports build ids only for files mapped from now on
id=$(readelf -n burn 2>/dev/null | sed -n 's/.*Build ID: //p')
if [ "$id" ]; then
	./burn forever >/dev/null 2>&1 &
	running=$!
	check "what was mapped before the recording has its build id" eval '
		runs 0 "$PNAV" record --duration 1s -p $running -o there.data &&
		"$PNAV" symbols there.data | grep -q "^found  *$id .*/burn"'
	kill $running
else
	skip "what was mapped before the recording has its build id" "the linker gives none"
fi

# _start of some programs has no call frame information, which says that nothing is above it
cat >bare.c <<'END'
__attribute__((noinline)) static void spin(long n) { for (volatile long i = 0; i < n; i++) ; }
void entry(void)
{
	spin(50000000);
	__asm__ volatile("mov $60, %eax\n xor %edi, %edi\n syscall");
}
__asm__(".globl _start\n .type _start, @function\n _start:\n xor %ebp, %ebp\n call entry\n hlt\n"
	".size _start, . - _start\n");
END
if [ "$(uname -m)" = x86_64 ] && "$cc" -O1 -nostdlib -static -o bare bare.c >cc.log 2>&1; then
	check "a stack that reaches _start is whole" eval '
		runs 0 "$PNAV" record -o bare.data ./bare && runs 0 "$PNAV" report bare.data &&
		! grep -q "could not be unwound" err && at_least "$(share 8 _start bare.data)" 90'
else
	skip "a stack that reaches _start is whole" "it is built for x86-64"
fi

cat >big.c <<'END'
#include <string.h>
__attribute__((noinline)) int bigframe(int x)
{
	char room[20000];
	memset(room, x, sizeof room);
	for (long i = 0; i < 500000000; i++)
		__asm__ volatile("" : : "r"(room) : "memory");
	return room[x];
}
int main(void) { return bigframe(0); }
END
"$cc" -O1 -g -o big big.c >cc.log 2>&1
check "a stack that is longer than its copy is reported" eval '
	runs 0 "$PNAV" record -o big.data ./big && runs 0 "$PNAV" report big.data &&
	grep -q "longer than their copy" err && at_least 10 "$(share 8 main big.data)"'
check "... and what it lacks has a place instead of its callers" eval '
	at_least "$(share 8 "[truncated]" big.data)" 90 &&
	at_least "$(share 7 bigframe big.data)" 90 && at_least 0 "$(share 7 "[truncated]" big.data)"'
check "... and a larger copy has it all" eval '
	runs 0 "$PNAV" record --call-graph dwarf,30000 -o big.data ./big &&
	runs 0 "$PNAV" report big.data && ! grep -q "longer" err &&
	at_least "$(share 8 main big.data)" 90'
check "... within limits" runs 2 "$PNAV" record --call-graph dwarf,70000 -o big.data ./big

# ---- programs that wait ----

# Work is charged where it is done, not where the program waits in between.
"$cc" -O1 -g -o nap "$top_srcdir/tests/data/nap.c" >cc.log 2>&1
for s in perf ptrace; do
	forbidden "$PNAV" record --sampler $s -o nap.data ./burn nothing && continue
	check "a program that sleeps most of the time, $s" eval '
		runs 0 "$PNAV" record --sampler $s -o nap.data ./nap &&
		at_least "$(share 7 naps_work nap.data)" 70'
done

# Who ends before the first sample is not seen; that is said.
cat >short.sh <<'END'
i=0
while [ $i -lt 150 ]; do
	/bin/true
	i=$((i + 1))
done
END
# Of chosen CPUs root, too, samples the command by its tasks.
all=0-$(($(getconf _NPROCESSORS_CONF) - 1))
check "short processes that were not seen are reported" eval '
	runs 0 "$PNAV" record -C "$all" -o short.data sh short.sh && grep -q "samples saw .* s of CPU time" err'
check "... and nothing where all was seen" eval '
	runs 0 "$PNAV" record -o short.data ./burn && ! grep -q "samples saw" err'

# ---- programs that are built otherwise ----

cat >narrow.c <<'END'
__attribute__((noinline)) unsigned narrow(unsigned x)
{
	for (long i = 0; i < 200000000; i++) {
		x = x * 1103515245u + 11;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}
void _start(void)
{
	narrow(1);
	__asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
END
if "$cc" -m32 -O1 -g -nostdlib -static -ffreestanding -fno-pie -no-pie narrow.c -o narrow \
	>cc.log 2>&1 && ./narrow; then
	for s in perf ptrace; do
		forbidden "$PNAV" record --sampler $s -o narrow.data ./burn nothing && continue
		check "a program of 32 bits has names, $s" eval '
			runs 0 "$PNAV" record --sampler $s -o narrow.data ./narrow &&
			at_least "$(share 7 narrow narrow.data)" 80'
		check "... and callers, $s" at_least "$(share 8 _start narrow.data)" 80
	done
else
	skip "a program of 32 bits" "it cannot be built or run"
fi

# lld gives code another distance between address and offset than what lies before it
by_lld() { "$cc" -O1 -g -fuse-ld=lld "$@" "$top_srcdir/tests/data/burn.c" -lpthread -ldl; }
if by_lld -pie -fPIE -o lld >cc.log 2>&1 && by_lld -no-pie -fno-pie -o lld-fixed >cc.log 2>&1; then
	for s in perf ptrace; do
		forbidden "$PNAV" record --sampler $s -o lld.data ./burn nothing && continue
		check "a program that lld linked: stacks begin at _start, $s" eval '
			runs 0 "$PNAV" record --sampler $s -o lld.data ./lld &&
			at_least "$(share 8 _start lld.data)" 90 && at_least "$(share 7 burn_60 lld.data)" 45'
	done
	ln -s "$PNAV" profile
	check "... and its functions are where nm says" eval '
		nm lld-fixed | grep " T burn_60$" | sed "s/^0*\([0-9a-f]*\) .*/\1/" >wanted &&
		runs 0 ./profile -o- ./lld-fixed && awk "\$1 == \"burn_60\" { print \$2 }" out >got &&
		[ -s wanted ] && cmp wanted got'
else
	skip "a program that lld linked" "lld is not installed"
fi

# ---- options ----

# wrong PROMISE MESSAGE ARGUMENT...: one line on stderr, nothing else happens
wrong()
{
	wrong_name=$1 wrong_text=$2
	shift 2
	if runs 2 "$PNAV" record "$@" && grep -qF -- "$wrong_text" err && [ ! -s out ]; then
		ok "$wrong_name"
	else
		not_ok "$wrong_name" err
	fi
}
wrong "no command" "no command to record"
wrong "--freq of none" "--freq takes 1 to" -F 0 ./burn
wrong "--freq of too many" "--freq takes 1 to" -F 1000000000 ./burn
wrong "--freq of words" "often" -F often ./burn
"$PNAV" record -o odd.data -- "./no$(printf '\033')body" >out 2>err
check "the name of a command is printed without its control characters" \
	grep -qxF 'pnav: ./no\x1bbody: No such file or directory' err
wrong "--pid of nobody" "--pid: there is no process 2147483647" -p 2147483647
wrong "--pid of no number" "--pid" -p self
wrong "--call-graph of another kind" "--call-graph takes dwarf[,SIZE], fp or no, not 'lbr'" \
	--call-graph lbr ./burn
wrong "--call-graph with a size of words" "--call-graph" --call-graph dwarf,much ./burn
wrong "--sampler of another kind" "--sampler takes perf, ptrace or any, not 'luck'" \
	--sampler luck ./burn
PNAV_SAMPLER=luck
export PNAV_SAMPLER
wrong "PNAV_SAMPLER of another kind" "PNAV_SAMPLER is perf or ptrace" ./burn
unset PNAV_SAMPLER
check "behind -- everything is the command's" eval '
	runs 3 "$PNAV" record -o dashes.data -- sh -c "exit 3" --freq 0 &&
	"$PNAV" report --view info dashes.data | grep -q "^cmdline .*--freq 0"'
check "a folder that is not there is reported" eval '
	runs 1 "$PNAV" record -o nowhere/any.data ./burn nothing &&
	grep -q "nowhere/any.data: No such file" err'
check "an ended process is no reason to fail" eval '
	sh -c "sleep 1; ./burn nothing" & runs 0 "$PNAV" record -p $! -o pid.data'
for s in perf ptrace; do
	forbidden "$PNAV" record --sampler $s -o fp.data ./burn nothing && continue
	check "--call-graph no keeps leaves alone, $s" eval '
		runs 0 "$PNAV" record --sampler $s --call-graph no -o leaf.data ./burn &&
		at_least "$(share 7 burn_60 leaf.data)" 45 && at_least 5 "$(share 8 main leaf.data)"'
done
if "$cc" -O1 -g -fno-omit-frame-pointer -o framed "$top_srcdir/tests/data/burn.c" -lpthread \
	-ldl >cc.log 2>&1; then
	for s in perf ptrace; do
		forbidden "$PNAV" record --sampler $s -o fp.data ./burn nothing && continue
		check "--call-graph fp has the callers of a program with frame pointers, $s" eval '
			runs 0 "$PNAV" record --sampler $s --call-graph fp -o fp.data ./framed &&
			at_least "$(share 7 burn_60 fp.data)" 45 && at_least "$(share 8 main fp.data)" 80'
	done
fi

# ---- processes that run already, stop, or do not want to end ----

cat >threads.c <<'END'
#include <pthread.h>
__attribute__((noinline)) void *spin(void *x)
{
	for (;;)
		__asm__ volatile("" : : "r"(x) : "memory");
	return x;
}
int main(void)
{
	pthread_t other;
	pthread_create(&other, 0, spin, 0);
	spin(0);
	return 0;
}
END
"$cc" -O1 -g -o threads threads.c -lpthread >cc.log 2>&1
for s in perf ptrace; do
	forbidden "$PNAV" record --sampler $s -o pid.data ./burn nothing && continue
	./threads &
	spinner=$!
	sleep 0.2
	timeout -s INT 2 "$PNAV" record --sampler $s -o pid.data -p $spinner >out 2>err </dev/null
	check "--pid has all threads of the process, $s" eval '
		"$PNAV" report --view tracks --format csv pid.data >tracks &&
		[ "$(grep -c "^threads" tracks)" = 2 ] && at_least "$(share 7 spin pid.data)" 90'
	check "which goes on, $s" kill -0 $spinner
	kill -9 $spinner
	check "a command that was stopped goes on, and is sampled, $s" eval '
		runs 0 "$PNAV" record --sampler $s -o stop.data sh -c "
			(sleep 1; kill -CONT \$\$) & kill -STOP \$\$; ./burn" &&
		at_least "$(share 7 burn_60 stop.data)" 45'
	# the first signal is the command's, which may take its time; the second ends it
	check "one that ignores ^C and TERM is killed after the second, $s" eval '
		runs 137 sh -c "
			\"\$@\" & recorder=\$!
			sleep 1; kill -TERM \$recorder; sleep 1; kill -0 \$recorder || exit 98
			kill -TERM \$recorder; wait \$recorder" sh \
			"$PNAV" record --sampler $s -o deaf.data sh -c "
			trap \"\" INT TERM; while :; do :; done"'
done
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1 && chmod 777 . &&
	setpriv --reuid=65534 --clear-groups test -x "$PNAV"; then
	check "a process of somebody else is refused" eval '
		runs 1 setpriv --reuid=65534 --regid=65534 --clear-groups "$PNAV" record -o no.data -p $$ &&
		grep -q "belongs to root (uid 0): only that user or root may sample it" err &&
		[ ! -e no.data ]'
else
	skip "a process of somebody else is refused" "only root can become another user"
fi
tap_done
