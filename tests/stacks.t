#!/bin/sh
# pnav stacks: what threads do that wait in known ways (tests/data/stacks.c), and what it leaves
# undisturbed.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
cd "$scratch" || exit 99
"$cc" -O1 -g -o program "$top_srcdir/tests/data/stacks.c" -lpthread >cc.log 2>&1 ||
	skip_all "the test program cannot be built"
mkfifo end nobody
./program <end >ready &
pid=$!
exec 9>end # the program ends when this closes
for _ in $(seq 100); do
	grep -q ready ready && break
	sleep 0.1
done
port=$(sed -n 's/^ready //p' ready)
"$PNAV" stacks -p $pid,$pid --format csv >rows 2>err ||
	skip_all "$(tail -n 1 err)"
grep -q 'without a stack' err && skip_all "$(grep 'without a stack' err)"

# does THREAD PATTERN: the row of the thread matches; TIDs are replaced by N
sed 's/ [0-9]\{2,\}\([ ,"(]\|$\)/ N\1/g; s/0x[0-9a-f]*/0xN/g' rows >plain
does()
{
	name=$1 row=$(grep "^\"*$1 N" plain)
	printf '%s\n' "$row" "does not match: $2" >why
	printf '%s\n' "$row" | grep -qE "$2" && ok "$name: $2" || not_ok "$name: $2" why
}
does ab 'waiting,[0-9]+,.*lock 0xN held by ba N \(deadlock\).*take_both'
does ba 'waiting,[0-9]+,.*lock 0xN held by ab N \(deadlock\).*take_both'
does third 'waiting,[0-9]+,.*lock 0xN held by ab N"*,.*third'
does victim 'waiting,[0-9]+,.*lock 0xN held by holder N"*,.*victim'
does holder 'waiting,[0-9]+,a signal,.*holder'
does joiner 'waiting,[0-9]+,.*the end of sleeper N"*,.*joiner'
does sleeper 'waiting,[0-9]+,sleep,.*sleeper'
does reader 'waiting,[0-9]+,read from a pipe,.*reader'
does poller "waiting,[0-9]+,\"poll of 2 files: a pipe, tcp port N\",.*poller"
does server "waiting,[0-9]+,connection on tcp port N,.*server"
check "its port is the real one" [ "$(grep -c "tcp port $port" rows)" -eq 2 ]
does condition 'waiting,[0-9]+,.*a condition, a semaphore"*,.*condition'
does rwreader 'waiting,[0-9]+,.*a condition, a semaphore"*,.*rwreader'
does opener 'waiting,[0-9]+,open of nobody,.*opener'
does spinner 'running,,*[^,]*,.*spinner;spin'
does program "waiting,[0-9]+,read from $scratch/end,.*main"
check "each thread has a row" [ "$(grep -c . rows)" -eq 16 ]
# The kernel's functions are the leaves.  Each system call waits in functions of its own.
if head -n 1 /proc/self/stack >stack 2>null && [ -s stack ] && ! head -n 1 /proc/kallsyms | grep -q '^0* '; then
	does sleeper 'sleeper;.*;[a-z_]*nanosleep[a-z_0-9;]*"*$'
	does reader 'reader;.*;(anon_)?pipe_read[a-z_0-9;]*"*$'
	does poller 'poller;.*;do_sys_poll[a-z_0-9;.]*"*$'
	does server 'server;.*;inet_csk_accept[a-z_0-9;]*"*$'
	does ab 'take_both;.*;futex_wait[a-z_0-9;]*"*$'
	"$PNAV" stacks -p $pid --view functions --format csv 2>null >functions
	check "they are the kernel's" grep -qE '^(anon_)?pipe_read,.*\[kernel\.kallsyms\].*,system,' functions
else
	skip "the kernel's functions" "only root may read /proc/PID/stack"
fi
sed 's/ [0-9][0-9]*/ N/g' err >said
check "a deadlock is reported once" [ "$(grep -c '^pnav: deadlock: ab N waits for a lock of ba N, which waits for a lock of ab N$' said)" -eq 1 ]
check "and nothing else is" [ "$(grep -c . err)" -eq 1 ]

# ---- in a container threads have small numbers of their own ----

mkfifo end3
if [ "$(id -u)" -eq 0 ] && unshare -pf true 2>/dev/null; then
	unshare -pf ./program <end3 >ready3 &
	exec 7>end3
	for _ in $(seq 100); do
		grep -q ready ready3 && break
		sleep 0.1
	done
	"$PNAV" stacks -p "$(pgrep -P $!)" --format csv >inside 2>err
	exec 7>&-
	sed 's/ [0-9]\{2,\}\([ ,"(]\|$\)/ N\1/g; s/0x[0-9a-f]*/0xN/g' inside >plain
	does ab 'lock 0xN held by ba N \(deadlock\).*take_both'
	does joiner 'the end of sleeper N"*,.*joiner'
	does rwreader 'waiting,[0-9]+,.*a condition, a semaphore"*,.*rwreader'
	check "the deadlock is reported" grep -q '^pnav: deadlock: ab [0-9]* waits for a lock of ba ' err
	check "... and no other" [ "$(grep -c deadlock err)" -eq 1 ]
else
	skip "a container" "only root may make a pid namespace"
fi

# ---- two thousand threads that wait for a deadlock, which is none of theirs ----

mkfifo end2
./program 2000 <end2 >ready2 &
crowd=$!
exec 8>end2
for _ in $(seq 600); do
	grep -q ready ready2 && break
	sleep 0.1
done
timeout 60 "$PNAV" stacks -p $crowd --view threads --format csv >crowd 2>err
check "each of them has a row" [ "$(grep -c 'held by ab [0-9]*"*,.*third' crowd)" -eq 2000 ]
check "the deadlock is reported once" [ "$(grep -c '^pnav: deadlock: ab ' err)" -eq 1 ]
check "only its threads are called so" [ "$(grep -c '(deadlock)' crowd)" -eq 2 ]
exec 8>&-

# ---- how long ----

waited() { "$PNAV" stacks -p $pid --view threads --format csv 2>/dev/null | sed -n "s/^\"*$1 [0-9]*\"*,waiting,\([0-9]*\),.*/\1/p"; }
began=$(date +%s%N)
first=$(waited sleeper)
sleep 1
second=$(waited sleeper)
ended=$(date +%s%N)
if [ -n "$first" ]; then
	# no process can make the wait shorter; a busy machine makes the second look late
	check "a wait that goes on gets longer by the time between two looks" \
		[ $((second - first)) -ge 500000000 ] && [ $((second - first)) -le $((ended - began + 10000000)) ]
else
	skip "a wait that goes on gets longer" "the kernel does not tell when a thread last ran"
fi

# ---- other ends ----

"$PNAV" stacks -p $pid -o look.data 2>err
check "-o writes a recording" grep -q '^pnav: look.data: 15 threads$' err
mv program away
"$PNAV" report --view threads look.data 2>err | grep -q 'take_both < ab' && [ ! -s err ]
check "which has the names of its functions" [ $? -eq 0 ]
mv away program
"$PNAV" report --view functions --metric threads --format csv look.data >functions
check "every thread counts one" [ "$(awk -F, 'NR > 1 { n += $(NF - 1) } END { print n }' functions)" -eq 15 ]
"$PNAV" report --view tree --where 'waits_for:deadlock' look.data >tree 2>&1
check "labels choose threads" grep -q 'take_both' tree
check "and leave out others" sh -c '! grep -q spinner tree'
"$PNAV" stacks -p $pid -o - 2>/dev/null | "$PNAV" report --view threads --format csv - >piped
check "a pipe has the same threads" [ "$(cut -d, -f1 piped | sort | cksum)" = "$(cut -d, -f1 rows | sort | cksum)" ]
"$PNAV" stacks $pid --format folded 2>/dev/null >folded
check "an encoder's format is an export" grep -q 'take_both;.*lock' folded
"$PNAV" stacks --system --format csv --view threads 2>/dev/null | grep -q 'take_both'
check "all processes: these are among them" [ $? -eq 0 ]

# ---- what the program notices ----

check "the program goes on" kill -0 $pid
check "nothing traces it" grep -q '^TracerPid:	0$' /proc/$pid/status
exec 9>&-
wait $pid
check "and ends as it would" [ $? -eq 0 ]

# ---- usage ----

usage()
{
	"$PNAV" stacks "$@" >out 2>err
	[ $? -eq 2 ] && [ "$(grep -c . err)" -eq 1 ]
}
check "no process" usage
check "a process that has ended" usage -p $pid
check "both" usage -a -p $$
check "a bad number" usage -p x
check "an unknown view" usage -p $$ --view nothing
printf 'main 1\n' >a.folded
"$PNAV" report --view threads a.folded >out 2>err
check "other files have no such view" [ $? -eq 2 ]
check "and the message says how to get it" grep -q 'pnav stacks -p PID' err
# The maps of a host take long to read: no thread is stopped meanwhile.
if command -v strace >/dev/null 2>&1; then
	sh -c 'while :; do :; done' &
	busy=$!
	sleep 30 &
	idle=$!
	strace -e trace=ptrace,openat -o calls.strace "$PNAV" stacks -p $busy -p $idle \
		--format folded >out 2>err
	kill $busy $idle
	check "no maps are read while a thread is stopped" eval 'awk "
		/PTRACE_INTERRUPT/ { stopped++ }
		/\/maps/ { maps++; late += stopped > 0 }
		END { print \"# \" maps + 0, stopped + 0; exit !maps || !stopped || late }" calls.strace'
	if [ "$(id -u)" -eq 0 ]; then
		timeout 60 strace -e trace=ptrace -o calls.strace "$PNAV" stacks -a --format folded >out 2>err
		check "a debugger of pnav and pnav do not wait for each other" [ $? -eq 0 ]
	fi
else
	skip "no maps are read while a thread is stopped" "strace is not installed"
fi

tap_done
