#!/bin/sh
# report --view answers: columns, order, lens, intervals. Numbers are compared with those of other
# views. tests/unit/answers.c plants faults and counts which are found.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

cd "$scratch" || exit 99
sample=$top_srcdir/data/sample.perfscript.gz

cat >hot.folded <<'END'
main;parse;eat 30
main;draw;eat 10
main;parse 25
main;draw 35
END
"$PNAV" report --view answers --format csv hot.folded >csv
check "the columns" grep -qx 'answer,question,text,notable,command,subject,name,value,unit,low,high' csv
check "every number is a row" test "$(grep -c '^runtime,' csv)" = 7
check "text has a row for each answer" \
	test "$("$PNAV" report --view answers hot.folded | grep -c '^runtime ')" = 1
check "hot: 40 of 100 is eat; without times, no interval is known" \
	grep -q '^hot,.*eat takes 40.0 % itself, 75 % .*,eat,share,40,%,,$' csv
"$PNAV" report --view answers --assume-independent --format csv hot.folded >independent
check "hot: of independent samples it is Wilson's interval" \
	grep -q '^hot,.*,eat,share,40,%,30.94[0-9]*,49.79[0-9]*$' independent
printf 'main;a;c 2\nmain;b 1\n' >few.folded
"$PNAV" report --view answers --format csv --columns answer,text,notable few.folded >csv
check "hot: three samples are few" grep -qx 'hot,"c takes 66.7 % itself, 100 % of that for a, from 3 samples",1' csv
check "trust: dependent samples know less" grep -q '^trust,"the share of .* known to ±55 % at best, from 3 samples",2' csv
for i in 1 2 3 4 5 6 7 8 9; do
	echo "main;f$i 1"
done >spread.folded
"$PNAV" report --view answers --format csv --columns answer,text spread.folded >csv
check "trust: no share is known to more than ±100 %" grep -qx \
	'trust,"there are too few samples to know the share of the hottest function, from 9 samples"' csv
"$PNAV" report --view answers --format csv hot.folded >csv
"$PNAV" report --view answers --format csv "$top_srcdir/tests/golden/lprof-lines/input.lprof" >overlaps
check "hot: no share of times that include each other" \
	grep -q '^hot,.*takes 8.59 s with what it calls,0,[^%]*self,8589934592,ns,,$' overlaps
check "trust: their sum is no cost" grep -q '^trust,.*they overlap.*,1,' overlaps
"$PNAV" report --view answers --format csv "$top_srcdir/tests/golden/explain-excess/input.txt" >excess
check "trust: parts that took longer than a whole" \
	grep -q '^trust,.*16.7 % of the time contradicts itself.*contradicting,share,16.7,%,,$' excess
check "hot: 30 of 40 for parse" grep -q '^hot,.*,parse,caller_share,75,%,,$' csv
"$PNAV" report --view answers --include parse --format csv hot.folded >csv
check "the lens applies" grep -q '^hot,.*,eat,share,30,%,' csv
check "the command has the lens" \
	grep -q ',pnav report --include parse --limit 10 hot.folded,' csv
"$PNAV" report --view answers --by module --invert --format csv hot.folded >csv
check "answers are about functions, whatever the rows are" \
	grep -q '^hot,.*,eat,share,40,%,' csv

# stuck, without an end, has 190 of 230 us: not the answer unless asked for
cat >open.json <<'END'
[
{"ph":"X","name":"frame","ts":0,"dur":30,"pid":1,"tid":1},
{"ph":"B","name":"stuck","ts":200,"pid":1,"tid":1},
{"ph":"X","name":"short","ts":390,"dur":10,"pid":1,"tid":1}
]
END
"$PNAV" report --view answers --format csv open.json >csv 2>err
check "hot: not a slice without an end" grep -q '^hot,.*,frame,share,13.04' csv
check "it says which, and how much" \
	grep -q '^hot,.*"frame takes 13.0 % itself; calls that never end are left out, such as stuck with 82.6 %",.*,frame,' csv
check "as a number, too" grep -q '^hot,.*,stuck,unfinished_share,82.60' csv
check "its command leaves them out, too" \
	grep -qF "pnav report --where '!unfinished:yes' --limit 10 open.json" csv
"$PNAV" report --view answers --where unfinished:yes --format csv open.json >csv 2>err
check "hot: unless the lens has labels" grep -q '^hot,.*,stuck,share,82.60' csv

printf 'main;%sleaf 9\nmain;malloc;brk 1\n' "$(yes 'down;' | head -120 | tr -d '\n')" >deep.folded
"$PNAV" report --view answers --format csv deep.folded >csv
check "recursion: its depth" grep -q '^recursion,.*,down,depth,120,count,,$' csv
check "recursion: 100 deep is notable" grep -q '^recursion,[^,]*,[^,]*,1,' csv
check "runtime: what an allocator calls is allocation" \
	grep -q '^runtime,.*,allocator,share,10,%,' csv
# a count of one file of three is a third of one, but there are hundreds of them
for file in a0 a1 a2; do
	awk -v at="${file#a}" 'BEGIN {
		for (i = 0; i < 300; i++)
			if (i % 3 == at)
				print "main;n" i ";pool;malloc 1"
		print "main;big 20"
	}' >$file.folded
done
"$PNAV" diff --view answers --format csv --old a0.folded a1.folded a2.folded \
	--new a0.folded a1.folded a2.folded >csv 2>err
check "several files: the allocator has what malloc has" \
	grep -q '^runtime,.*,allocator,share,83.33' csv
check "... and hot its caller" grep -q '^hot,.*malloc takes 83.3 % itself.* 100 % of that for pool' csv
# but what a runtime calls back is the program's own code
runtime_is()
{
	name=$1 want=$2
	"$PNAV" report --view answers --columns answer,text --format csv back.folded >csv
	check "runtime: $name" grep -q "^runtime,\"\{0,1\}$want" csv
}
cat >back.folded <<'END'
main;Shop.run;java.util.HashMap.forEach;Shop.lambda$run$0;Shop.price;Shop.tax 900
main;Shop.run;java.util.HashMap.get;java.lang.String.equals 10
main;Shop.run;Shop.load 90
END
runtime_is "the loop over a map" 'hashing takes 1.0 %'
cat >back.folded <<'END'
main;handler;fmt.Fprintf;compress/gzip.(*Writer).Write;compress/flate.(*compressor).deflate 800
main;handler;fmt.Fprintf;fmt.(*pp).doPrintf;runtime.convT 50
main;handler;db.Query 150
END
runtime_is "the writer of a formatted text" 'formatting takes 5.0 %'
cat >back.folded <<'END'
main;rb_vm_exec;rb_hash_foreach;each_pair_i_fast;rb_yield;Report#render 900
main;rb_vm_exec;rb_hash_aref;any_hash 20
main;rb_vm_exec;Report#load 80
END
runtime_is "a block of Ruby" 'hashing takes 2.0 %'
cat >back.folded <<'END'
main;g_hash_table_foreach;add_up 300
main;g_hash_table_lookup;g_str_equal 30
main;regexp.(*Regexp).ReplaceAllStringFunc;main.upper.func1 300
main;core::fmt::write;<app::Row as core::fmt::Display>::fmt 200
main;std::_Hashtable<int>::find(int const&);cmp.constprop.0 20
main;load 150
END
runtime_is "functions of C, Go and Rust" 'hashing takes 5.0 %'
cat >back.folded <<'END'
main;handler;fmt.Sprintf;sync.(*Pool).Get 20
main;handler;fmt.Sprintf;math.Float64bits 10
main;handler;fmt.Fprintf;os.(*File).Write;syscall.write 10
main;load 60
END
runtime_is "what Go's own packages do for each other" 'formatting takes 40.0 %'
cat >back.folded <<'END'
main;std::regex_search;boost::iterator_range<char*>::begin 30
main;load 70
END
runtime_is "what std:: uses of boost" 'matching regular expressions takes 30.0 %'
awk 'BEGIN {
	for (i = 0; i < 100; i++) {
		printf "prog 1 %d.%03d000: 1000000 cpu-clock:\n", i / 1000, i % 1000
		if (i < 80)
			print "\t10 add_up (/srv/prog)\n\t20 g_hash_table_foreach (/lib/libglib-2.0.so.0)"
		else
			print "\t10 strcmp (/lib/libc.so.6)\n\t20 g_hash_table_lookup (/lib/libglib-2.0.so.0)"
		print "\t30 main (/srv/prog)\n"
	}
}' >back.folded
runtime_is "by modules" 'hashing takes 20.0 %'

printf 'main;[unknown] 6\nmain;a 94\n' >unknown.folded
"$PNAV" report --view answers --format csv unknown.folded >csv
check "trust: what has no name" grep -q '^trust,.*,unknown,share,6,%,,$' csv
check "trust: 6 % of it is notable" grep -q '^trust,[^,]*,"6.0 % of the cost has no name, from 100 samples",1,' csv

# the kernel's functions have no names when the recording is opened elsewhere
awk 'BEGIN {
	for (i = 0; i < 100; i++) {
		printf "prog 1 %d.%03d000: 1000000 cpu-clock:\n", i / 1000, i % 1000
		if (i % 4 == 0)
			printf "\tffffffff8100%04x [unknown] ([kernel.kallsyms])\n", i % 8
		printf "\t    1000 work (prog)\n\n"
	}
}' >kernel.perfscript
"$PNAV" report --view answers --columns answer,notable,name,value --format csv \
	kernel.perfscript >csv
check "system: also its functions without names" grep -qx 'system,0,share,25' csv
sed '/^prog/! s/ work (prog)/ [unknown] (prog)/' kernel.perfscript >neither.perfscript
"$PNAV" report --view answers --columns answer,notable,name,value --format csv \
	neither.perfscript >csv
check "... and not those of the program" grep -qx 'system,0,share,25' csv

# a period that is between two whole bins, and one of which half would not be seen
period_of()
{
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			printf "%s{\"ph\":\"X\",\"name\":\"w\",\"ts\":%d,\"dur\":300,\"pid\":1,\"tid\":1}",
				i ? "," : "[", i * 1000
		print "]"
	}' >period.json
	"$PNAV" report --view answers --columns answer,value,low,high --format csv period.json |
		sed -n 's/^periodic,//p' >period
}
period_of 120
check "periodic: 1 ms, not twice that" awk -F, '{ exit !($2 <= 1e6 && $3 >= 1e6 && $3 - $2 < 1e4) }' period
period_of 300
check "periodic: no interval where half of it is not resolved" grep -q ',,$' period

# a process that is idle for 995 of 1,000 samples
awk 'BEGIN {
	print "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2,3]},"
	print "{\"id\":2,\"callFrame\":{\"functionName\":\"(idle)\"}},"
	print "{\"id\":3,\"callFrame\":{\"functionName\":\"work\"}}],"
	print "\"startTime\":0,\"endTime\":1000000,\"samples\":[2"
	for (i = 1; i < 1000; i++) print "," (i % 200 == 7 ? 3 : 2)
	print "],\"timeDeltas\":[1000"
	for (i = 1; i < 1000; i++) print ",1000"
	print "]}"
}' >idle.cpuprofile
"$PNAV" report --view answers --columns answer,notable,subject,value --format csv idle.cpuprofile >csv
check "trust: no doubt about five samples beside idle time" grep -qx 'trust,0,samples,0' csv
sed 's/(idle)/rest/' idle.cpuprofile >work.cpuprofile
"$PNAV" report --view answers --columns answer,subject,value --format csv work.cpuprofile >csv
check "... but of what runs" sh -c '! grep -qx "trust,samples,0" csv'

# an HTTP archive: requests beside each other are no threads, and their `wait` is what they do
{
	printf '{"log":{"version":"1.2","creator":{"name":"x","version":"1"},"entries":['
	for i in 0 1 2 3 4 5 6; do
		[ $i = 0 ] || printf ,
		printf '{"startedDateTime":"2026-01-02T03:04:05.%03dZ","time":%d,' $((i * 3)) $((100 + i * i * 20))
		printf '"request":{"method":"GET","url":"http://h%d/a"},"response":{"status":200},' $((i % 4))
		printf '"timings":{"send":5,"wait":%d,"receive":5}}' $((90 + i * i * 20))
	done
	printf ']}}'
} >requests.har
"$PNAV" report --view answers --format csv requests.har >csv
# 7 requests of 100 + 20 i^2 ms: 700 + 20 * 91 = 2,520, 70 of it to send and receive
check "hot: what requests wait for" grep -q '^hot,.*,wait,share,97.22' csv
check "waits: requests are no threads" grep -q '^waits,.*no states, off-CPU samples or calls of threads' csv
check "imbalance: hosts do not share work" grep -q '^imbalance,.*,0,' csv
check "serial: what runs are tracks" grep -q '^serial,.*one track of 7' csv

# threads in ftrace: b, c and d wait for a, which wakes them; e waits for a device
cat >sched.ftrace <<'END'
# tracer: nop
     a-1 [000] d..2. 1.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=S ==> next_comm=a next_pid=1 next_prio=120
     c-3 [001] d..2. 1.000000: sched_switch: prev_comm=c prev_pid=3 prev_prio=120 prev_state=S ==> next_comm=d next_pid=4 next_prio=120
     d-4 [001] d..2. 1.200000: sched_switch: prev_comm=d prev_pid=4 prev_prio=120 prev_state=S ==> next_comm=e next_pid=5 next_prio=120
     e-5 [001] d..2. 1.300000: sched_switch: prev_comm=e prev_pid=5 prev_prio=120 prev_state=D ==> next_comm=swapper/1 next_pid=0 next_prio=120
     a-1 [000] d..2. 1.800000: sched_wakeup: comm=b pid=2 prio=120 target_cpu=001
     a-1 [000] d..2. 1.800000: sched_wakeup: comm=c pid=3 prio=120 target_cpu=002
     a-1 [000] d..2. 1.800000: sched_wakeup: comm=d pid=4 prio=120 target_cpu=003
<idle>-0 [001] d..2. 1.800000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 next_prio=120
<idle>-0 [002] d..2. 1.800000: sched_switch: prev_comm=swapper/2 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=c next_pid=3 next_prio=120
<idle>-0 [003] d..2. 1.800000: sched_switch: prev_comm=swapper/3 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=d next_pid=4 next_prio=120
     b-2 [001] d..2. 2.000000: sched_switch: prev_comm=b prev_pid=2 prev_prio=120 prev_state=R ==> next_comm=swapper/1 next_pid=0 next_prio=120
END
"$PNAV" report --view answers --columns answer,subject,name,value --format csv sched.ftrace >csv
# b and c wait 0.8 s each, d 0.6 s for a; e 0.7 s for a device; all five run and wait for 5 - 0.2 s
check "waits: for threads" awk -F, '$1 == "waits" && $2 == "threads" { v = $4 } END { exit !(v > 45.8 && v < 45.9) }' csv
check "waits: for a device" awk -F, '$1 == "waits" && $2 == "io" { v = $4 } END { exit !(v > 14.5 && v < 14.7) }' csv
check "convoy: from the third on" grep -qx 'convoy,a 1,share,60' csv
check "convoy: three threads" grep -qx 'convoy,a 1,threads,3' csv

# off-CPU samples and traced calls have stacks
cat >locks.json <<'END'
{"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":"main"},{"ph":"X","pid":1,"tid":1,"ts":400,"dur":300,"name":"pthread_mutex_lock"},
{"ph":"X","pid":1,"tid":2,"ts":0,"dur":1000,"name":"main"},{"ph":"X","pid":1,"tid":2,"ts":500,"dur":400,"name":"pthread_mutex_lock"},
{"ph":"X","pid":1,"tid":3,"ts":0,"dur":1000,"name":"main"},{"ph":"X","pid":1,"tid":3,"ts":300,"dur":300,"name":"pthread_mutex_lock"},
{"ph":"X","pid":1,"tid":3,"ts":700,"dur":100,"name":"nanosleep"}]}
END
"$PNAV" report --view answers --columns answer,subject,name,value --format csv locks.json >csv
check "waits: locks in calls" awk -F, '$1 == "waits" && $2 == "lock" { v = $4 } END { exit !(v > 33.3 && v < 33.4) }' csv
check "waits: timers" awk -F, '$1 == "waits" && $2 == "sleep" { v = $4 } END { exit !(v > 3.33 && v < 3.34) }' csv
check "convoy: the function that takes the lock" grep -qx 'convoy,main,share,10' csv

# the work of a parallel region is below a function that waits for threads
cat >region.json <<'END'
{"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":"GOMP_parallel"},
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":900,"name":"main._omp_fn.0"},
{"ph":"X","pid":1,"tid":1,"ts":600,"dur":200,"name":"pthread_mutex_lock"}]}
END
"$PNAV" report --view answers --columns answer,subject,name,value --format csv region.json >csv
check "waits: not what the threads are waited for" grep -qx 'waits,threads,share,10' csv
check "... but what waits in it" grep -qx 'waits,lock,share,20' csv

# what a wait calls waits, too, of whatever package it is
# calls_of FUNCTION=DURATION...: each in the one before, beside 500 us of main
calls_of()
{
	awk -v calls="$*" 'BEGIN {
		n = split(calls, c, " ")
		print "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1000,\"name\":\"main\"}"
		for (i = 1; i <= n; i++) {
			split(c[i], one, "=")
			printf ",{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"name\":\"%s\"}\n",
				i, one[2], one[1]
		}
		print "]"
	}' >inner.json
	"$PNAV" report --view answers --columns answer,subject,name,value --format csv inner.json >csv
}
for calls in 'threads threading.Condition.wait=500 _thread.lock.acquire=498' \
	'threads queue.Queue.get=500 threading.Condition.wait=499 _thread.lock.acquire=497' \
	'sleep time.sleep=500 posix.nanosleep=498' \
	'sleep java.lang.Thread.sleep=500 kernel::hrtimer=498' \
	'threads java.util.concurrent.locks.LockSupport.park=500 Unsafe.park=498' \
	'threads sync.(*WaitGroup).Wait=500 linux.futex=498'; do
	# The calls are words.
	# shellcheck disable=SC2086
	calls_of ${calls#* }
	check "waits: $calls" grep -qx "waits,${calls%% *},share,50" csv
done
calls_of threading.Thread.run=500 app.worker=400
check "waits: not the program of a thread of Python" grep -qx 'waits,threads,share,10' csv
for calls in 'io sun.nio.ch.Invoker.invoke=500 app.Handler.completed=400' \
	'io java.net.URLClassLoader.loadClass=500 app.Agent.transform=400' \
	'threads GOMP_barrier=500 gomp_barrier_handle_tasks=499 app::task=400' \
	'threads queue.Worker.Run=500 app.Handle=400' \
	'lock parking_lot::once::Once::call_once_slow=500 app::init=400' \
	'threads threading.Condition.wait_for=500 app.predicate=400'; do
	# shellcheck disable=SC2086
	calls_of ${calls#* }
	check "waits, but not what it runs: $calls" grep -qx "waits,${calls%% *},share,10" csv
done
calls_of tbb::parallel_for=500 app::body=400
check "waits: not the body of a loop of tbb" grep -qx 'waits,threads,share,10' csv

# a range without an end ends with the run
for range in '--from 0' '--from 300us'; do
	# The range is two words.
	# shellcheck disable=SC2086
	"$PNAV" report --view answers $range --columns answer,text,value --format csv locks.json >open
	# shellcheck disable=SC2086
	"$PNAV" report --view answers $range --to 1ms --columns answer,text,value --format csv locks.json >csv
	check "a range without an end: $range" cmp open csv
done

# a counter that mostly has one value, after its first one
# counter VALUE NAME=VALUE...: one point a millisecond; NAME says which point has another value
counter()
{
	usual=$1 && shift
	awk -v usual="$usual" -v others="$*" 'BEGIN {
		n = split(others, o, " ")
		for (i = 1; i <= n; i++) { split(o[i], p, "="); v[p[1]] = p[2] }
		print "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":100000,\"name\":\"main\"}"
		for (i = 0; i < 100; i++)
			printf ",{\"ph\":\"C\",\"pid\":1,\"ts\":%d,\"name\":\"q\",\"args\":{\"v\":%s}}\n",
				i * 1000, i in v ? v[i] : usual
		print "]"
	}' >counter.json
	"$PNAV" report --view answers --columns answer,notable,name,value,text --format csv counter.json >csv
}
counter 10 50=1000
check "spikes: one peak over a constant" grep -q '^spikes,1,largest,1000,"q.v is 1,000 at 50' csv
counter 0 50=1 70=3
check "... over zero" grep -q '^spikes,1,largest,3,' csv
counter 0 50=0.0013929854612797499
check "... with as many digits as one reads" grep -q 'q.v is 0.001393 at 50' csv
counter 10 50=0
check "... and a dip to zero" grep -q '^spikes,1,largest,0,' csv
counter 10 50=11
check "not a tenth more" grep -q '^spikes,0,count,0,' csv
counter 10 0=0 1=0 99=0
check "nor what a counter has before and after" grep -q '^spikes,0,count,0,' csv
counter 10 $(awk 'BEGIN { for (i = 0; i < 100; i++) printf "%d=%d ", i, i < 3 ? i : 1000 + i }')
check "nor what a counter adds up" grep -q '^spikes,0,count,0,' csv
counter 10
check "nor a counter that never varies" grep -q '^spikes,0,count,0,' csv

# memory in massif's file: 50 snapshots with sizes, 10 of them with stacks; in ms and instructions
# snapshots UNIT: 1,000 bytes more each tenth of a second, of which leak() holds all but 500
snapshots()
{
	awk -v unit="$1" 'BEGIN {
		print "desc: (none)\ncmd: ./leak\ntime_unit: " unit
		for (i = 0; i < 50; i++) {
			size = 1000 * (i + 1)
			printf "#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=%d\n", i, i * 100, size
			printf "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=%s\n", i % 5 == 4 ? (i == 49 ? "peak" : "detailed") : "empty"
			if (i % 5 == 4) {
				printf "n2: %d (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n", size
				printf " n0: %d 0x400500: leak (leak.c:3)\n n0: 500 0x400600: base (leak.c:9)\n", size - 500
			}
		}
	}' >massif.out
	"$PNAV" report --view answers --columns answer,notable,subject,name,value,text,command --format csv massif.out >csv
}
snapshots ms
# held for 50 ms on average, from 490 ms on: 5,000 bytes, to 50,000
check "growth: of massif's sizes" grep -q '^growth,2,,grown,45000,"memory grows by .*, most in leak' csv
check "growth: by time" awk -F, '$1 == "growth" && $4 == "slope" { exit !($5 > 9500 && $5 < 10500) }' csv
check "growth: its command shows what holds it" grep -q '^growth,.*pnav report --metric live .*--limit 10 massif.out' csv
cp massif.out second.out
"$PNAV" report --view answers --columns answer,notable,subject,name,value,text --format csv \
	massif.out second.out >csv 2>err
check "growth: of two files, as much again" grep -q '^growth,2,,grown,90000,"memory grows by' csv
snapshots i
check "growth: over instructions" grep -q '^growth,2,,grown,45000,"memory grows by .*, most in leak' csv
check "growth: there is no rate then" sh -c '! grep -q "^growth,.*,slope," csv'

# several files: their times have nothing to do with one another
# spans NAME TENTH...: a thread that works for 9 of 10 ms in these hundredths of a second
spans()
{
	name=$1 && shift
	for at; do
		printf ',{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":9000,"name":"work"}\n' $((at * 10000))
	done | sed '1s/,/[/; $s/$/]/' >"$name"
}
# shellcheck disable=SC2046
spans busy.json $(seq 0 29)
# shellcheck disable=SC2046
spans stops.json $(seq 0 9) $(seq 20 29)
cp busy.json again.json
told()
{
	"$PNAV" "$@" --view answers --columns answer,subject,name,value --format csv >csv
	sed -n 's/^\(serial\),,share,/\1 /p; s/^\(stalls\),,longest,/\1 /p; s/^\(imbalance\),,,/\1/p' csv |
		sort | tr '\n' ' '
}
# 20 and 30 times 9 ms of 299 ms, and a gap of 101 ms
check "one file" test "$(told report stops.json)" = "imbalance serial 60.2007 stalls 101000000 "
check "several files: each has its own times" test \
	"$(told report busy.json stops.json again.json)" = "imbalance serial 80.2676 stalls 101000000 "
check "a comparison: of the new side alone" test \
	"$(told diff busy.json stops.json)" = "imbalance serial 60.2007 stalls 101000000 "

# names that are none
printf 'main;[unknown] 60\nmain;x 40\n' >nameless.folded
"$PNAV" report --view answers --columns answer,name --format csv nameless.folded >csv
check "a function without a name has no main caller" sh -c '! grep -q caller_share csv'
printf 'main;0x100005230;x 60\nmain;y 40\n' >nameless.folded
"$PNAV" report --view answers --columns answer,name --format csv nameless.folded >csv
check "nor is an address one" sh -c '! grep -q caller_share csv'
for thread in 1 2 3; do
	awk -v tid=$thread 'BEGIN {
		for (i = 0; i < 300 * (tid == 1 ? 9 : 1); i++)
			printf "prog %d %d.%03d: 1000000 cpu-clock:\n\t    1000 [unknown] (prog)\n\n",
				tid, i / 1000, i % 1000
	}'
done >nameless.perfscript
"$PNAV" report --view answers --columns answer,text --format csv nameless.perfscript >csv
check "threads are not alike by code without a name" \
	grep -qx 'imbalance,no three threads do the same work' csv
sed 's/\[unknown\]/spin/' nameless.perfscript >named.perfscript
"$PNAV" report --view answers --columns answer,notable --format csv named.perfscript >csv
check "but by functions" grep -qx 'imbalance,2' csv
# turns FRAME FRAME: a second of the one, a second of the other
turns()
{
	awk -v first="$1" -v then="$2" 'BEGIN {
		for (i = 0; i < 2000; i++)
			printf "prog 1 %d.%03d: 1000000 cpu-clock:\n\t    1000 %s\n\t    1 main (/opt/prog)\n\n",
				i / 1000, i % 1000, i < 1000 ? first : then
	}' >turns.perfscript
	"$PNAV" report --view answers --columns answer,text,notable --format csv turns.perfscript >csv
}
turns 'parse (/opt/prog)' '[unknown] (/lib/libz.so.1)'
check "phases: code without names by its module" \
	grep -q '^phases,.* from parse to code of libz.so.1 without names,1' csv
turns '0x1000 (/lib/libz.so.1)' '0x2000 (/lib/libz.so.1)'
check "... and no change between such code of one module" \
	grep -q '^phases,"the mix of functions changes at .*, most of them code of libz.so.1 without names",0' csv
if [ -f "$PNAV_SAMPLES/recorded/go-pipeline.heap.pb.gz" ]; then
	"$PNAV" report --view answers --columns answer,text --format csv \
		"$PNAV_SAMPLES/recorded/go-pipeline.heap.pb.gz" >csv
	check "memory is no work of the runtime" grep -q '^runtime,no answer: the metric is' csv
fi

"$PNAV" report --view answers --columns answer --format csv named.perfscript >csv
check "what cannot be answered is last" sh -c 'tail -n 1 csv | grep -qx "spikes\|growth"'
cat >root.json <<'END'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":"main"},
{"ph":"X","pid":1,"tid":1,"ts":100,"dur":100,"name":"parse"}]
END
"$PNAV" report --view answers --columns answer,notable --format csv root.json >csv
check "calls that were not traced do not make main hot" grep -qx 'hot,0' csv
cat >calls.json <<'END'
{"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":"main"},{"ph":"X","pid":1,"tid":1,"ts":100,"dur":600,"name":"pthread_cond_wait"},
{"ph":"X","pid":1,"tid":1,"ts":700,"dur":200,"name":"parse"}]}
END
"$PNAV" report --view answers --columns answer,subject,value --format csv calls.json >csv
check "a call that waits is not hot" grep -q '^hot,\(main\|parse\),20$' csv
check "but it waits" grep -qx 'waits,threads,60' csv
cat >calls.strace <<'END'
1 1700000000.000100 read(3, "x", 1) = 1 <0.000200>
1 1700000000.000400 write(1, "x", 1) = 1 <0.000300>
END
"$PNAV" report --view answers --columns answer,notable --format csv calls.strace >csv
check "a list of system calls says nothing of the system" grep -qx 'system,0' csv

# between system calls the program runs: 100 ms, of which it sleeps for 30 and writes for 2
cat >calls.strace <<'END'
1 1700000000.000000 write(1, "x", 1) = 1 <0.002000>
1 1700000000.040000 clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=30000000}, NULL) = 0 <0.030000>
1 1700000000.097000 getpid() = 1 <0.003000>
END
"$PNAV" report --view answers --columns answer,text,notable,subject,value --format csv calls.strace >csv
check "waits: of the time of the threads, not of system calls" \
	grep -q '^waits,"1 thread: waiting takes 32 % of the time, [^"]*",1,sleep,30$' csv
"$PNAV" report --view answers --from 50ms --columns answer,text,subject,value --format csv calls.strace >csv
check "... and of the range" grep -q '^waits,"1 thread: waiting takes 40 % of the time,.*,sleep,40$' csv

# a comparison
for side in old new; do
	awk -v side=$side 'BEGIN {
		for (i = 0; i < 4000; i++) {
			printf "prog 1 %d.%03d000: 1000000 cpu-clock:\n", i / 1000, i % 1000
			r = (i * 7919) % 100
			f = side == "new" && r < 30 ? "grown" : r % 2 ? "a" : "b"
			printf "\t    1000 %s (prog)\n\t    2000 main (prog)\n\n", f
		}
	}' >$side.perfscript
done
"$PNAV" diff --view answers --columns answer,notable,subject,name,value --format csv \
	old.perfscript new.perfscript >csv
check "change: what grew" grep -q '^change,1,grown,largest,12[0-9]*$' csv
check "change comes first" sh -c 'sed -n 2p csv | grep -q "^change,"'
"$PNAV" diff --view answers --columns answer,notable --format csv old.perfscript old.perfscript >csv
check "change: nothing" grep -q '^change,0$' csv
"$PNAV" diff --view answers --columns answer,command --format csv old.perfscript new.perfscript >csv
check "change: its command" grep -qx 'change,pnav diff --limit 10 old.perfscript new.perfscript' csv
# the same as two ranges of one file
{ cat old.perfscript && awk '/^prog/ { split($3, t, "."); $3 = t[1] + 4 "." t[2] } { print }' new.perfscript; } >both.perfscript
ranges="--from 4s --base-to 4s"
"$PNAV" report --view answers --columns answer,notable,subject,name,value --format csv $ranges both.perfscript >csv
check "change of ranges: what grew" grep -q '^change,1,grown,largest,12[0-9]*$' csv
"$PNAV" report --view answers --columns answer,command --format csv $ranges both.perfscript >csv
command=$(sed -n 's/^change,//p' csv | head -n 1)
check "... its command" eval '[ "${command#pnav report --from 4}" != "$command" ] && "$PNAV" ${command#pnav} | grep -q grown'
"$PNAV" report --view answers --format csv old.perfscript >csv
check "change needs a comparison" grep -q '^change,.*no answer: nothing to compare with' csv

share=$("$PNAV" report --limit 1 --columns share --format csv "$sample" | sed -n 2p)
hot=$("$PNAV" report --view answers --columns answer,name,value --format csv "$sample" |
	sed -n 's/^hot,share,//p')
check "hot agrees with the functions: $share, $hot" \
	awk -v a="$share" -v b="$hot" 'BEGIN { exit !(a - b < 0.01 && b - a < 0.01) }'
"$PNAV" report --view answers --columns notable --format csv "$sample" | sed 1d >order
check "the most notable are first" sh -c 'sort -rn order | cmp - order'
# the browser
screen()
{
	"$PNAV" --size 120x30 --keys "$1" --snapshot "$2" 2>&1
}
PNAV_MANUAL=$top_srcdir/man
export PNAV_MANUAL
screen F3 unknown.folded >list
check "F3: notable answers are above the questions" \
	sh -c 'grep -n "! 6.0 % of the cost has no name\|What is hot?" list | head -1 | grep -q "6.0 %"'
check "F3: the others are below them" \
	sh -c 'sed "1,/Who calls it/d" list | grep -q "no function calls itself"'
check "Enter on an answer starts its question" \
	sh -c '"$1" --size 120x30 --keys "F3 / \"of the cost\" Enter" --snapshot unknown.folded | grep -q "Can I trust these numbers?"' sh "$PNAV"

# Slices that overlap on one thread lie on a lane of it, which is no thread.
cat >lanes.json <<'END'
[
{"ph":"X","name":"f","ts":0,"dur":900,"pid":1,"tid":1},
{"ph":"X","name":"f","ts":500,"dur":500,"pid":1,"tid":1},
{"ph":"X","name":"f","ts":0,"dur":100,"pid":1,"tid":2},
{"ph":"X","name":"f","ts":600,"dur":40,"pid":1,"tid":3}
]
END
"$PNAV" report --view answers --format csv lanes.json >csv 2>err
check "imbalance: lanes are added to their thread" grep -q '^imbalance,.*,ratio,14,' csv
check "imbalance: and are not threads" grep -q '^imbalance,.*median of 3 threads alike' csv

# How often a device writes its sums says nothing of how exact they are.
"$PNAV" report --view answers --columns answer,text "$top_srcdir/tests/golden/bsprof-small/"input* >got 2>err
check "bsprof: entries are no samples" eval 'grep -q "^hot .* takes [0-9.]* % itself" got && ! grep -q "^hot .*% to " got'

# Waits as perf record --off-cpu names them do not run, and neither do tracepoints.
moments()
{
	for i in 1 2 3 4 5 6 7 8 9; do
		printf 'p 1/%d 1.00%d: 1500000 %s:\n\t1 poll (/bin/p)\n\t2 main (/bin/p)\n\n' \
			$((1 + i % 3)) $i "$1"
	done
}
moments offcpu-time >off.perf
moments sched:sched_switch >switch.perf
moments cycles:ukP >cycles.perf
answers() { "$PNAV" report --view answers --columns answer,text "$1" 2>err; }
check "offcpu-time is waiting" eval 'answers off.perf | grep -q "^waits .*waiting takes 100 %"'
# 3 ms in poll, 9 ms in a function of the program
{ cat off.perf; sed 's/ poll / my_wait /; s/1500000/4500000/; s/1\.00/1.01/' off.perf
	printf 'p 1/1 2.000: 1 offcpu-time:\n\t1 poll (/bin/p)\n\n'; } >odd.perf
"$PNAV" report --view answers --format csv --columns answer,subject,value odd.perf >csv 2>err
check "waits: those that are not known have a number, too" eval '
	grep -qx "waits,io,25" csv && grep -qx "waits,unknown,75" csv'
check "waits: ... and words" eval 'answers odd.perf | grep -q "^waits .*takes 100 % of the time, 25 % of that for files, devices and the network, 75 % for what is not known"'
check "... measured, and nothing that runs" eval '
	answers off.perf >got && grep -q "^hot .*poll takes 100.0 % itself, " got && grep -q "^serial .*no answer" got'
check "tracepoints are moments" eval 'answers switch.perf | grep -q "^serial .*no answer"'
check "events with modifiers are not" eval 'answers cycles.perf | grep -q "^serial .*runs alone"'

if built_with HAVE_SQLITE; then
	"$PNAV" sql --format csv \
		"SELECT value FROM report_answers WHERE answer = 'hot' AND name = 'share'" \
		hot.folded >sql
	check "SQL has them" grep -qx 40 sql
fi
tap_done
