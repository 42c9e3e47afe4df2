#!/bin/sh
# Every sample is taken for what it is: one format is at least ten surer than all others, and
# what pnav knows and does not read is refused with the command that helps.
# tests/samples/recognition.list says what they are.  PNAV_SAMPLES names the folder.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -d "$PNAV_SAMPLES/seeds" ] || skip_all "there are no samples at $PNAV_SAMPLES"
[ -x "$PNAV" ] || skip_all "pnav is not built"
tab=$(printf '\t')

"$PNAV" formats | awk '$1 == "read" { print $2 }' >"$scratch/readable"
(cd "$PNAV_SAMPLES" && find . -type f | sed 's|^\./||' | LC_ALL=C sort) >"$scratch/files"
(cd "$PNAV_SAMPLES" && "$(cd "$top_builddir" && pwd)/tests/lib/probes") \
	<"$scratch/files" >"$scratch/found"

# wanted FILE: what the list says of it, nothing where it says nothing
wanted()
{
	while IFS="$tab" read -r pattern what; do
		case $pattern in '#'* | '') continue ;; esac
		# shellcheck disable=SC2254 # it is a pattern
		case $1 in
		$pattern)
			printf '%s\n' "$what"
			return ;;
		esac
	done <"$top_srcdir/tests/samples/recognition.list"
}

readable=0
while IFS="$tab" read -r file first second said; do
	want=$(wanted "$file")
	[ -n "$want" ] || continue
	winner=${first% *}
	lead=$((${first#* } - ${second#* }))
	case $want in
	!*)
		[ "$winner" = - ] && case $said in *"${want#!}"*) true ;; *) false ;; esac
		check "$file is refused: ${want#!}" [ $? = 0 ] ||
			echo "# $first, $second: $said" ;;
	-)
		case $winner in
		- | folded) ok "$file is nothing that is known" ;;
		*) not_ok "$file is nothing that is known"; echo "# $first" ;;
		esac ;;
	*)
		if grep -qx "$want" "$scratch/readable"; then
			readable=$((readable + 1))
			case $file in
			*.zst)
				built_with HAVE_LIBZSTD || {
					skip "$file is of format $want" "built without zstd"
					continue
				} ;;
			*_lz4.bin)
				built_with HAVE_LIBLZ4 || {
					skip "$file is of format $want" "built without lz4"
					continue
				} ;;
			esac
			[ "$winner" = "$want" ] && [ "$lead" -ge 10 ]
			check "$file is of format $want" [ $? = 0 ] || echo "# $first, $second"
		else
			check "$file is of no format yet ($want)" [ "$winner" = - ] ||
				echo "# $first"
		fi ;;
	esac
done <"$scratch/found"
check "there are many ($readable)" [ "$readable" -ge 150 ]

# What else people give it: each has its own line, and there is nothing on stdout.
# drop NAME PATTERN: what NAME below $scratch/drop is refused with
drop()
{
	(cd "$scratch/drop" && "$PNAV" report "$1" >"$scratch/out" 2>"$scratch/err" </dev/null)
	[ $? = 1 ] && [ ! -s "$scratch/out" ] && [ "$(wc -l <"$scratch/err")" = 1 ] &&
		grep -Eq -e "^pnav: $1: $2" "$scratch/err"
	check "$1: $2" [ $? = 0 ] || sed 's/^/# /' "$scratch/err"
}
elf()	# elf TYPE NAME: the beginning of a file of that type
{
	printf '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0%b\0\076\0\001\0\0\0' "$1" \
		>"$scratch/drop/$2"
	dd if=/dev/zero bs=100 count=1 2>/dev/null >>"$scratch/drop/$2"
}
mkdir -p "$scratch/drop/full" "$scratch/drop/bare/sub" "$scratch/drop/App.trace" \
	"$scratch/drop/r000hs/sqlite-db" "$scratch/drop/lttng"
(
	cd "$scratch/drop" || exit
	: >full/one.json
	: >full/two.folded
	: >App.trace/form.template
	: >lttng/metadata
	: >empty
	printf ' \n\t\n' >blanks
	printf 'PK\003\004rest' >a.zip
	printf 'BZh91AY' >a.tar.bz2
	echo 'main;a 1' | gzip -c | gzip -c >twice.gz
	printf 'x' >a
	tar -cf a.tar a
	gzip -c a.tar >a.tar.gz
	printf '<!DOCTYPE html>\n<html><head><title>report</title>' >report.html
	printf '<?xml version="1.0"?>\n<svg width="1200"></svg>\n' >flame.svg
	printf '\211PNG\r\n\032\n' >a.png
	printf '\377\330\377\340JFIF' >a.jpg
	printf 'GIF89a' >a.gif
	printf 'RIFF\020\0\0\0WEBPVP8 ' >a.webp
	printf '%%PDF-1.7\n' >a.pdf
	printf 'SQLite format 3\0' >a.db
	printf '\312\376\272\276\0\0\0\101' >A.class
	printf '\0asm\001\0\0\0' >a.wasm
	printf '!<arch>\nx' >liba.a
	printf '#include <stdio.h>\nint main(void) { return 0; }\n' >a.c
	printf 'def main():\n    pass\n' >a.py
	printf 'const x = {a: 1}\n' >a.js
	printf 'package main\n' >a.go
	printf 'use strict;\n' >a.pl
	printf '#!/bin/sh\necho\n' >run
	printf '{"hello": [1, 2]}\n' >a.json
	printf '{"user": 1, "Plan": "gold", "x": [1]}\n' >subscription.json
	printf 'Dear reader,\nthis is a letter.\n' >letter
	printf '\001\002\003\004\377\376\375\374\373' >noise
	printf '\033[31mred\n' >red
	printf 'what is this\n' >perf.austin.txt
	mkdir test.1.er
	: >test.1.er/map.xml
	printf '<!DOCTYPE html>\n<html>\n<ul></ul><!-- The async-profiler authors -->' >cpu.html
	printf 'memray\0\011\0\0\0' >a.bin
	printf '\024\0\0\0!FastSerialization.1\005\005\001' >a.netperf
	printf '\024\0\0\0!FastSerialization.1\004\004\001\012\0\0\0\010\0\0\0\012\0\0\0GCHeapDump' >a.gcdump
	printf 'Nettrace\0\0\0\0\007\0\0\0\0\0\0\0\0\0\0\0' >seven.nettrace
	printf 'Nettrace\024\0\0\0!FastSerial' >short.nettrace
	printf 'rbspy02\n{"sample_rate":100}\n{"trace":[]}\n' | gzip >raw.gz
	printf '%s\n' '# CPU Profile' '' '| Duration | Samples | Interval | Functions |' >CPU.1.md
	printf 'PERFFILE\150\0\0\0' >v1.data
	printf '@ CPU_CLK [5 samples]\n\n51.86%%  [3]  f @ /bin/prog\n' >pmc.txt
	printf '%11stime    cpu  task name%23swait time  sch delay   run time\n' >timehist.txt
	printf '\n ---\n  Task                  |   Runtime ms  | Switches |\n' >latency.txt
	printf ' contended   total wait     max wait     avg wait         type   caller\n\n' >lock.txt
	printf 'cycles:u: type: 0, size: 136, { sample_period, sample_freq }: 4000, sample_type: %s\n' \
		'IP|TID, disabled: 1, bpf_event: 1' >evlist.txt
	printf '     0.000 ( 0.010 ms): ls/1234 brk()        = 0x55d0\n' >perf-trace.txt
	printf 'ngranularity: Each sample hit covers 4 bytes. Time: 0.01 seconds\n' >aix.txt
	printf '\020\0\003\356\0\0\0\011\0\0\0\0' >pmc.log
	printf 'Timer unit: 1e-06 s\n\nTotal time: 1 s\n\nLine #  Hits  Time  Per Hit  %% Time\n' >lp.txt
	printf '\t\t\tCall graph\n\nindex %% time    self  children    called     name\n' >graph.txt
	printf '{"resourceMetrics":[{"scopeMetrics":[]}]}' >metrics.json
	printf '<?xml version="1.0"?>\n<!-- t -->\n<TestRun id="1"><Results/></TestRun>\n' >dotnet.trx
	"$PNAV" report --format json "$top_srcdir/tests/golden/stackprof-dump"/input.* >own.json 2>/dev/null
	"$PNAV" report --format json --view tree "$top_srcdir/data/sample.perfscript.gz" >tree.json
	printf 'startup\ttime=17\nexperiment\tselected=a.c:1\n' >profile.coz
	printf '{"type":"startup","time":17}\n{"type":"experiment"}\n' >json.coz
	printf ' - Plan:                +\n     Node Type: "Result"+\n' >plan.yaml
	printf '<explain xmlns="http://www.postgresql.org/2009/explain">\n <Query/>\n' >plan.xml
	printf '\136\227\312\375\001\001' >a.syscap
	printf '<?xml version="1.0"?>\n<trace-toc>\n<run number="1"/></trace-toc>\n' >toc.xml
	printf '{"Start": 1, "Stop": 2, "Length": 3, "Name": 4, "Class": 5' >map.json
	printf '{"a;b": 1,\n"c;d": 2,\n"e;f": 3' >stacks.json
	printf '<?xml version="1.0"?>\n<result>\n <suites>\n <suite/>\n</suites></result>\n' >junitResult.xml
	printf 'onInputData({"log": {}})\n' >page.harp
	printf 'version https://git-lfs.github.com/spec/v1\noid sha256:f3ee\nsize 7309677\n' >lfs.pprof
	printf 'Attaching 1 probe...\n^C\n\n@[swapper/0]: 12\n@[bash]: 3\n' >counts.bt
	printf '@us[read]: count 12, average 34, total 408\n' >averages.bt
	printf 'Time (%%),Total Time (ns),Num Calls,Name\n50.0,12,3,cudaMalloc\n' >nsys.csv
	printf '==12== NVPROF is profiling process 12, command: ./a\n' >nvprof.txt
	printf 'goos: linux\npkg: x\nBenchmarkA-8   \t 1000000\t 1234 ns/op\n' >bench.txt
	printf '[0.012s][info][gc] Using G1\n' >gc.log
	printf '   Ordered by: cumulative time\n\nFunction     was called by...\n' >callers.txt
	printf 'Measure Mode: wall_time\nThread ID: 7\n\n  %%total   %%self   total\n' >ruby-graph.txt
	printf 'Function\tCPU Time\tModule\nmain\t1.2\ta.out\n' >hotspots.csv
	printf '{"results":[{"command":"sleep 1","mean":1.001}]}\n' >hyperfine.json
	printf '[{"jmhVersion":"1.36","benchmark":"a.b","mode":"avgt"}]\n' >jmh.json
	printf '{"machine_info":{"node":"x"},"benchmarks":[]}\n' >pytest.json
	printf '{"Time":"2024","Action":"run","Package":"x","Test":"TestA"}\n' >go-test.json
	printf '{"lighthouseVersion":"9.0.0","audits":{}}\n' >lighthouse.json
	printf '{"total_num_allocations":12,"total_bytes_allocated":123}\n' >stats.json
	printf '[    0.000000] Linux version 6.1.0\n' >dmesg
	printf '#KABAT 3 6 6 1.5 6\n#JORES 161028 3 3 1\n' >scores
	printf 'long tree of depth 6\t check: -1\n512\t trees of depth 4\t check: -512\n' >trees.txt
	printf '%s  %s:\t  55    \tpush   %%rbp\n' 4294548 418794 4294549 418795 >dump.txt
	printf '# All goes to one page.\n/*    /index.html   200\n' >_redirects
	printf 'function,0,level,2:0,8,op4,op4,8,9,op1,op1\n' >rows.csv
	printf '\012\014\010\317\302\313\313\006\020\320\276\224\144\022\003\012\001a' >index.pb
)
(
	cd "$scratch/drop" || exit 1
	printf 'index  %% time    self  children called     name\n' >graph2.txt
	printf 'Function Stack,CPU Time:Self,Module\nTotal,0.0,[Unknown]\n' >vtune.csv
	printf 'Index   %% CPU Time:Total  CPU Time:Self  Name\n' >cc.axe
	printf 'Level,Function Name,Number of Calls,Elapsed\n' >vs.csv
	printf '\\BOOKMARK [1][-]{section.1}{Intro}{}%% 1\n' >paper.out
	printf '\0\0\0\0\132\203h\5d\0\10' >fprof.trace
	printf '\n<!DOCTYPE html>\n<html>\n<p>after a blank line</p>\n' >blank.html
	printf '<meta charset="utf-8"><h1>0x server.js</h1>\n' >node.html
	printf '\n<!DOCTYPE html>\n<html>\n<title>memray - flamegraph report</title>\n' >peak.html
	printf '{"linux-perf-json-version": 1, "headers": {}, "samples": []}\n' >perf.json
	printf '{"devToolsSnapshot":true,"activeScreenId":"cpu-profiler"}' >dart.json
	printf 'MMPD\11\0\0\0' >rustc.mm_profdata
	printf '\020\0\4FxT\026\0\0\0' >trace.fxt
	printf '<!doctype html>\n<title>Tachyon Profiler - Heatmap Report</title>\n' >heat.html
	printf '{"type":"meta","v":1,"run_id":"a","sample_interval_usec":1000}\n{"type":"end"}\n' \
		>counts.jsonl
	printf '# HELP jobs Jobs.\n# TYPE jobs gauge\njobs{level="0"} 1\njobs{level="1"} 2\n' \
		>metrics
	printf '# ========\n# captured on: Mon Feb 22\n# ========\n#\n# Samples: 3 of event cycles\n# Event count (approx.): 9\n#\n# Overhead  Command\n    93.42%%  try1\n' >report.txt
	printf "# Event 'cycles'\n#\n# Baseline  Delta Abs  Symbol\n#\n     6.55%%     +0.00%%  [k] f\n" >perf-diff.txt
	printf ' Percent |\tSource code & Disassembly of a for cycles (40 samples)\n---\n' >annotate.txt
	printf 'Sampling at 49 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end.\n    f\n    -                cp (9036)\n        1\n' >bcc.txt
	printf 'Tracing off-CPU time (us) of all threads by kernel stack... Hit Ctrl-C to end.\n    schedule\n    cp\n        13\n' >bcc-off.txt
	printf '{"type": "attached_probes", "data": {"probes": 1}}\n{"type": "map", "data": {}}\n' >bt.json
	printf '[{"pid": 1, "thread_id": 2, "thread_name": "main", "frames": []}]\n' >spy.json
	printf 'sample:\n  event_type: cpu-cycles\n  time: 1\n  callchain:\n' >simple.txt
	printf 'Cmdline: /system/bin/simpleperf record -g\nArch: arm64\nEvent: cpu-cycles (type 0, config 0)\nSamples: 3\nEvent count: 9\n' >simple2.txt
	printf 'Date/Time:        2025-03-01 10:00:00.000 +0000\nEnd time:  2025-03-01\nOS Version: macOS 15.1\nReport Version:   60\n' >spindump.txt
	printf '  _     ._   __/__   _ _  _  _ _/_   Recorded: 14:53:35  Samples:  131\n' >pyi.txt
	printf '%% self  %% total  name\n  3.05   10.09  each - /a/b.rb\n' >rbspy.txt
	printf 'Command line: a.py\nTotal duration: 0.02s\nFile: a.py\n' >pprofile.txt
	printf '# DURATION     TID     FUNCTION\n   1.452 us [  1400] | main();\n' >replay.txt
	printf 'time:   0.000; rss:   35MB ->   37MB (   +2MB)\tparse_crate\n' >passes.txt
	printf 'import time: self [us] | cumulative | imported package\n' >import.txt
	printf "<table style='hyphens: auto; -webkit-hyphens: auto'>\n" >trace.xt
	printf '  *A0       58237.209210 secs A0 => migration/0:18\n' >map.txt
	printf '\n Summary of events:\n\n ls (15443), 288 events, 97.3%%\n' >summary.txt
	printf 'jdk.ExecutionSample {\n  startTime = 11:35:07.312 (2023-01-01)\n}\n' >jfr.txt
	printf '{"name":"root","value":100,"children":[{"name":"main","value":90}]}' >d3.json
	printf '{"n":"all","l":"","v":100,"c":[{"n":"main","l":"","v":90,"c":[]}]}' >d3perf.json
	printf '{"dataForRoots":[{"commitData":[]}],"version":5}' >react.json
	printf '{"context":{"date":"x"},"benchmarks":[{"name":"BM"}]}' >bench.json
	printf '{"constants":{"logEventTypes":{"A":1}},"events":[]}' >net.json
	printf '{"timestamp":"1","level":"INFO","fields":{"a":"b"},"target":"c"}\n' >rspack.log
	printf '# Bun Heap Profile\n\n' >heap.md
	printf '[section]\nkey = 1\n' >a.ini
	printf '[ 1, 2 ]\n' >numbers.json
)
elf '\002' program
elf '\004' core.4711
elf '\001' a.o
drop full 'is a directory; give pnav a file in it, such as one.json, two.folded$'
drop bare 'is a directory without any file$'
drop App.trace 'is a trace of Instruments .*xctrace'
drop r000hs 'is a result of VTune'
drop lttng 'is a CTF trace .*babeltrace2'
drop empty 'empty file: nothing was recorded'
drop blanks 'nothing but blanks'
drop a.zip 'a zip archive, .*unpack it first'
drop a.tar 'a tar archive, .*unpack it first'
drop a.tar.gz 'a tar archive, .*unpack it first'
drop a.tar.bz2 'a file of bzip2, .*bzip2 -dc'
drop twice.gz 'a file that is compressed twice, .*gzip -dc'
drop report.html 'an HTML page, .*save the data'
drop node.html 'an HTML page'
drop blank.html 'an HTML page, .*save the data'
drop peak.html 'a report of memray \(HTML\), .*\.bin'
drop heat.html "a page of Python's sampling profiler, .*--binary"
drop perf.json 'perf.data as JSON, .*the perf.data itself'
drop dart.json 'a snapshot of Dart DevTools'
drop rustc.mm_profdata 'a profile of rustc itself, .*crox'
drop trace.fxt 'a Fuchsia trace, .*perfetto'
drop counts.jsonl "counts of Python's sampling profiler, .*--binary"
drop metrics 'metrics for Prometheus, .*/debug/pprof'
drop flame.svg 'a picture \(SVG\), .*folded stacks'
drop a.png 'a picture \(PNG\)'
drop a.jpg 'a picture \(JPEG\)'
drop a.gif 'a picture \(GIF\)'
drop a.webp 'a picture \(WebP\)'
drop a.pdf 'a PDF'
drop a.db 'a database of SQLite'
drop A.class 'a class of Java, .*FlightRecording'
drop a.wasm 'WebAssembly'
drop liba.a 'an archive of object files'
drop a.c 'a source, .*pnav record ./PROGRAM'
drop a.py 'a program in Python, .*python3 -m cProfile'
drop a.js 'a program in JavaScript, .*node --cpu-prof'
drop a.go 'a source of Go, .*go test -cpuprofile'
drop a.pl 'a program in Perl, .*perl -d:NYTProf'
drop run 'a script, .*pnav record ./FILE'
drop program 'a program or library \(ELF\), .*pnav record'
drop core.4711 "a core dump, .*thread apply all bt"
drop a.o 'an object file \(ELF\)'
drop a.json 'not a format that pnav reads: JSON that begins "hello"; the nearest are .*chrome'
drop subscription.json 'not a format that pnav reads: JSON that begins "user"'
drop junitResult.xml 'a test report of Jenkins, '
drop lfs.pprof 'a pointer of Git LFS, .*git lfs pull'
drop counts.bt 'maps of bpftrace without stacks, .*@\[ustack\]'
drop averages.bt 'maps of bpftrace without stacks, '
drop nsys.csv 'a table of nsys stats, .*nsys export --type sqlite'
drop nvprof.txt 'a report of nvprof, '
drop bench.txt 'results of go test -bench, .*-cpuprofile'
drop gc.log 'a log of the JVM, '
drop callers.txt "a table of Python's pstats, "
drop ruby-graph.txt 'a table of ruby-prof, '
drop hotspots.csv 'a report of VTune, '
drop hyperfine.json 'results of hyperfine, '
drop jmh.json 'results of JMH, '
drop pytest.json 'results of pytest-benchmark, '
drop go-test.json 'a log of go test, '
drop lighthouse.json 'a report of Lighthouse, '
drop stats.json 'statistics of memray, '
drop dmesg 'not a format .*: text that begins "\[    0.000000\]'
drop scores 'not a format .*: text that begins'
drop page.harp 'a HAR file with a call around it .*parentheses'
drop trees.txt 'not a format .*: text that begins'
drop dump.txt 'not a format .*: text that begins'
drop _redirects 'not a format .*: text that begins'
drop rows.csv 'not a format .*: text that begins'
drop index.pb 'not a format .*: bytes that begin'
drop letter 'not a format that pnav reads: text that begins "Dear reader,"; the nearest are folded'
drop noise 'not a format .*: bytes that begin 01 02 03 04 ff fe fd fc; the nearest are .*perfdata'
drop red 'not a format .*: text that begins "..?x1b.31mred"'
drop test.1.er 'is an experiment of gprofng .*gprofng display text'
drop cpu.html 'a flame graph of async-profiler .*collapsed'
drop a.netperf 'a trace of .NET Core 2 \(netperf\), which has no public reader but PerfView'
drop a.gcdump 'a heap of .NET \(gcdump\): dotnet-gcdump report prints it'
drop seven.nettrace 'version 7 of nettrace, which is newer than this pnav knows'
drop short.nettrace 'no nettrace, or its header is not whole'
drop a.bin 'version 9 of memray.s files; open it with memray before 1.7'
drop v1.data 'a recording of perf before .*perf script'
drop pmc.log 'a log of FreeBSD.s pmcstat'
drop pmc.txt 'a report of FreeBSD.s pmcstat'
drop raw.gz 'a raw recording of rbspy, .*rbspy report -f speedscope'
drop CPU.1.md 'a profile of Bun or Deno in Markdown, .*bun --cpu-prof'
drop timehist.txt 'a report of perf sched'
drop latency.txt 'a report of perf sched'
drop lock.txt 'a report of perf lock'
drop evlist.txt 'a list of perf evlist'
drop perf-trace.txt 'the output of perf trace'
drop aix.txt 'a report of gprof'
drop lp.txt 'a table of line_profiler'
drop graph.txt 'a report of gprof, .*gmon.out'
drop graph2.txt 'a report of gprof, .*gmon.out'
drop vtune.csv 'a table of VTune, .*inferno-collapse-vtune'
drop cc.axe 'a report of VTune, '
drop vs.csv 'a table of Visual Studio, .*inferno-collapse-vsprof'
drop paper.out 'bookmarks of LaTeX, .*not a profile'
drop fprof.trace "a trace of Erlang.s fprof, .*fprof:analyse"
drop report.txt 'a report of perf, .*perf script'
drop perf-diff.txt 'a report of perf, .*perf script'
drop annotate.txt 'a report of perf, .*perf script'
drop bcc.txt "the output of a tool of bcc, .* -f writes folded"
drop bcc-off.txt "the output of a tool of bcc, .* -f writes folded"
drop bt.json 'the output of bpftrace as JSON, .*without -f json'
drop spy.json 'stacks of py-spy as JSON, .*without --json'
drop simple.txt 'a text of simpleperf, .*report-sample --protobuf'
drop simple2.txt 'a text of simpleperf, .*report-sample --protobuf'
drop spindump.txt 'a report of spindump, .*sample PID'
drop pyi.txt 'a text of pyinstrument, .*-r '
drop rbspy.txt 'a summary of rbspy, .*--format speedscope'
drop pprofile.txt 'a text of pprofile, .*--format callgrind'
drop replay.txt 'the output of uftrace replay, .*folder'
drop passes.txt 'the passes of rustc, .*crox'
drop import.txt 'the output of python3 -X importtime, .*cProfile'
drop trace.xt 'an HTML trace of Xdebug, .*trace_format=1'
drop map.txt 'a report of perf sched'
drop summary.txt 'a summary of perf trace, .*strace -c'
drop jfr.txt 'the output of jfr print, .*the .jfr itself'
drop d3.json 'a tree for a flame graph \(d3\)'
drop d3perf.json 'a tree for a flame graph \(d3\)'
drop react.json 'a profile of React DevTools'
drop bench.json 'results of Google Benchmark, .*pnav record'
drop net.json 'a network log of Chrome'
drop rspack.log "a log of Rust's tracing, .*perfetto"
drop heap.md 'a heap profile of Bun in Markdown'
drop a.ini 'not a format that pnav reads: text that begins ".section."'
drop numbers.json 'not a format that pnav reads: JSON that begins ". 1, 2 ."'
drop metrics.json 'metrics of OpenTelemetry'
drop dotnet.trx 'a test report of .NET, .*--logger junit'
drop own.json 'a report of pnav, .*open the profile that it was made from'
drop tree.json 'a report of pnav, .*open the profile that it was made from'
drop profile.coz 'experiments of coz, .*coz plot'
drop plan.yaml 'a plan of PostgreSQL as YAML or XML, .*FORMAT JSON'
drop plan.xml 'a plan of PostgreSQL as YAML or XML, .*FORMAT JSON'
drop json.coz 'experiments of coz, .*coz plot'
drop a.syscap 'a capture of sysprof'
drop toc.xml 'a table of contents of Instruments .*xctrace export'
drop map.json 'not a format that pnav reads: JSON that begins "Start"'
drop stacks.json 'not a format that pnav reads: JSON that begins "a;b"'
drop perf.austin.txt 'not a format .*; the nearest are austin, '

# is NAME FORMAT: the file is read as that
is()
{
	"$PNAV" report --view info --format csv "$scratch/drop/$1" 2>"$scratch/err" >"$scratch/out"
	grep -qx "format,$2" "$scratch/out"
	check "$1 is of format $2" [ $? = 0 ]
}
printf '\012\011\022\007\012\005\010\007\032\001x' >"$scratch/drop/tree.pftrace"
is tree.pftrace perfetto
printf '\012\014\012\012\022\006\010\001\020\002\032\000\010\003' >"$scratch/drop/ftrace.pftrace"
is ftrace.pftrace perfetto
printf '<!DOCTYPE t [<!ELEMENT t ANY>\n] >\n<testsuite\n/>' >"$scratch/drop/dtd.xml"
if built_with HAVE_EXPAT; then
	is dtd.xml junit
else
	skip "dtd.xml is of format junit" "built without expat"
fi
printf 'one 1 2\ntwo 3 4\n' >"$scratch/drop/table.folded"
"$PNAV" report --view tracks --format csv "$scratch/drop/table.folded" >"$scratch/out" 2>&1
check "a table of names and numbers is no comparison" [ "$(grep -c '^before' "$scratch/out")" = 0 ]

# The same on a terminal, where there is no browser then.
pty=$top_builddir/tests/lib/pty
if [ -x "$pty" ]; then
	for what in 'full is a directory; give pnav a file in it' 'core.4711 a core dump' \
		'a.png a picture'; do
		(cd "$scratch/drop" && timeout 60 "$pty" "$PNAV" "${what%% *}") >"$scratch/out" 2>&1
		status=$?
		check "on a terminal: $what" [ $status = 1 ] &&
			grep -q "${what%% *}: ${what#* }" "$scratch/out"
		check "on a terminal: ${what%% *} opens no screen" \
			sh -c '! grep -q "\[?1049h" "$1"' - "$scratch/out"
	done
else
	skip "on a terminal" "tests/lib/pty is not built"
fi
tap_done
