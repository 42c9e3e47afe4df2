#!/bin/sh
# What an exported file gives when it is read again: what the format carries is as before, and what
# it does not carry is named.  Databases are in sqlite.t, what other programs read in exports.t.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
golden=$top_srcdir/tests/golden

# exported FORMAT: writes out.FORMAT of $input
exported()
{
	rm -f "out.$1"
	"$PNAV" export --format "$1" -o "out.$1" "$input" 2>err
}
# same COLUMNS FORMAT: these columns of the functions are those of $input
same()
{
	"$PNAV" report --format csv --columns "$1" "$input" 2>/dev/null | sort >want
	"$PNAV" report --format csv --columns "$1" "out.$2" 2>/dev/null | sort >got
	cmp want got
}

# The run of perf stat -I begins before its first event: at the beginning of its first interval.
input=$golden/perfstat-lines/input.jsonl
"$PNAV" report --view values --format csv --columns track,time "$input" | sort >told
for format in chrome firefox; do
	exported $format
	"$PNAV" report --view values --format csv --columns track,time out.$format 2>err | sort >read
	check "$format: the run begins before its first event" cmp told read
done

# Two functions of one name and file are one in speedscope, which is said.
cat >two.cpuprofile <<'END'
{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,
"columnNumber":-1},"children":[2,3]},
{"id":2,"callFrame":{"functionName":"f","scriptId":"1","url":"a.js","lineNumber":1,
"columnNumber":0}},
{"id":3,"callFrame":{"functionName":"f","scriptId":"1","url":"a.js","lineNumber":9,
"columnNumber":0}}],
"startTime":0,"endTime":40,"samples":[2,3,2],"timeDeltas":[10,10,10]}
END
input=two.cpuprofile
exported speedscope
check "speedscope: functions that become one are said" grep -q "functions of one name and file" err

cat >app.perfscript <<'END'
app 7 [000] 10.000000:    1000 cpu-clock: 
	  401010 parse+0x10 (/opt/x.so)
	  401020 main+0x20 (/usr/bin/app)

app 7 [000] 10.001000:    2000 cpu-clock: 
	  401010 parse+0x10 (/usr/lib/libc.so)
	  401020 main+0x20 (/usr/bin/app)

END
input=app.perfscript
exported firefox
check "firefox: modules are kept" same function,module,self firefox
check "firefox: and not said to be lost" eval '! grep -q modules err'
for format in chrome speedscope folded; do
	exported $format
	check "$format: modules are lost" grep -q 'does not carry: .*modules' err
done

# Which functions belong to the system is the file's knowledge, not that of their names.
input=$golden/strace-detached/input.txt
for format in firefox speedscope callgrind folded pprof; do
	exported $format
	check "$format: kinds of functions are lost" grep -q 'does not carry: .*are system or idle' err
done
exported chrome
check "chrome: they are kept for slices" same function,kind chrome

printf 'main; 3\nmain;a 2\n' >noname.folded
input=noname.folded
for format in firefox pprof callgrind speedscope folded; do
	exported $format
	check "$format: a function without a name" same function,self $format
done
echo '[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":""}]' >noname.json
input=noname.json
exported chrome
check "chrome: a slice without a name" same function,self chrome

# Three samples of two events, in 2.5 s.
cat >events.perfscript <<'END'
a 1/1 [000] 1.000000: 1000 cpu-clock: 
	400000 f+0x10 (/bin/a)

a 1/1 [000] 2.000000: 1000 page-faults: 
	400000 f+0x10 (/bin/a)

a 1/1 [000] 3.500000: 2000 cpu-clock: 
	400010 g+0x10 (/bin/a)

END
if built_with HAVE_SQLITE; then
	"$PNAV" export --format firefox --metric samples -o out.firefox events.perfscript 2>err
	"$PNAV" sql --format csv 'SELECT time, value FROM samples' out.firefox 2>&1 >read
	printf 'time,value\n0,1\n1000000000,1\n2500000000,1\n' >told
	check "firefox: samples of two events are in order of time" cmp told read
else
	skip "firefox: samples of two events are in order of time" "built without SQLite"
fi
check "firefox: and times are not said to be lost" eval '! grep -q times err'
input=events.perfscript
exported speedscope
check "speedscope: times are lost" grep -q 'does not carry: times' err
"$PNAV" export --format speedscope --metric samples -o out.speedscope events.perfscript 2>err
check "speedscope: those of two events, too" grep -q 'does not carry: times' err
input=two.cpuprofile
exported speedscope
check "speedscope: times of samples that touch are kept" eval '! grep -q times err'

# Losses are those of the part that is shown, and nothing that a reader derives.
input=app.perfscript
exported firefox
check "firefox: of samples of one event nothing is lost" [ ! -s err ]
printf '[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"f"}]\n' >plain.json
input=plain.json
for format in chrome speedscope; do
	exported $format
	check "$format: nothing is lost of a plain trace" eval '! grep -q "metrics\|calls" err'
done
input=$golden/bsprof-calls-only/input.bsprof
for format in chrome speedscope; do
	exported $format
	check "$format: calls of samples are lost" grep -q "counts of calls" err
done
cat >apart.perfscript <<'END'
a 1/1 1.0: 1 cpu-clock: 
	1 f (/bin/a)

a 1/1 2.0: 1 cpu-clock: 
	0 [unknown]

END
"$PNAV" export --format folded --exclude f -o out.folded apart.perfscript 2>err
check "folded: modules of a part without them are no loss" eval '! grep -q modules err'
"$PNAV" export --format folded -o out.folded apart.perfscript 2>err
check "folded: counts of samples are lost, and no other metric" eval \
	'grep -q "counts of samples" err && ! grep -q "other metrics" err'
input=$golden/cpuprofile-cut/input.json
for format in callgrind speedscope; do
	exported $format
	check "$format: lines of definitions are lost" grep -q "lines of definitions" err
done

# Whole numbers that doubles cannot hold; 2^53 is one that they can.
printf 'main;f 9007199254740993\n' >large.folded
printf 'main;f 9007199254740992\n' >fits.folded
for format in firefox speedscope html; do
	input=large.folded
	exported $format
	check "$format: numbers that readers round" grep -q 'numbers beyond 2^53 are rounded by' err
	input=fits.folded
	exported $format
	check "$format: and those that they do not" eval '! grep -q beyond err'
done

# A label of 0, or of no text, is not the same as none.
echo '[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"f","args":{"size":0,"note":5}}]' >zero.json
input=zero.json
exported pprof
"$PNAV" report --view labels --format csv out.pprof 2>err >read
check "pprof: a label of 0" grep -qx 'size,0,1,9000' read

input=$golden/hqnplog-small/input.plog
for format in chrome firefox speedscope; do
	exported $format
	check "$format: values of slices are lost" grep -q 'does not carry: .*values of slices' err
done
"$PNAV" report --view labels --format csv out.chrome 2>/dev/null | grep '^cat,' >read
check "chrome: no label is added" [ ! -s read ]
tap_done
