#!/bin/sh
# A line that is none of its format, in the middle of a text: it is skipped and counted, and what
# follows it is read as without it.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
golden=$(cd "$top_srcdir/tests/golden" && pwd)
cd "$scratch" || exit 99

# odd CASE [LINE]: a line after the middle of its input, and once more without the last line end:
# the last line counts if it shows that it is whole; else (cases in $open) it is dropped, as the
# rest of a longer one
open='pprof-old-jemalloc'
# unended CASE: the last line of its input without an end; the rows are in the file `want`
unended()
{
	printf '%s' "$(cat "$input")" >"$name"
	"$PNAV" report --format csv "$name" >got 2>err
	status=$?
	diff want got >differ && [ "$status" = "$want" ] &&
		{ [ "$want" = 0 ] || grep -q 'the last line is truncated' err; } &&
		ok "$1: the last line end is missing" ||
		not_ok "$1: the last line end is missing" differ err
}
odd()
{
	no_line=${2:-%% no line of this}
	for input in "$golden/$1"/input.*; do
		name=in.${input##*.}
		break
	done
	middle=$(($(wc -l <"$input") * 4 / 5))
	"$PNAV" report --format csv "$input" >want 2>err
	sed "${middle}a $no_line" "$input" >"$name"
	"$PNAV" report --format csv "$name" >got 2>err
	status=$?
	diff want got >differ && [ "$status" = 0 ] &&
		grep -q 'warning: lines that are not of this format were skipped: 1, ' err &&
		ok "$1: what follows an odd line is read" ||
		not_ok "$1: what follows an odd line is read" differ err
	want=0
	case " $open " in
	*" $1 "*)
		want=3
		sed '$d' "$input" >"$name"
		"$PNAV" report --format csv "$name" >want 2>err
		;;
	esac
	unended "$1"
}

for case in austin-text austin-memory callgrind-arcs fprof-flat ghcprof-exact ghcprof-percent \
	instruments-time massif-peak ninjalog-builds pprof-old-heap \
	pprof-old-jemalloc rprof-lines tracycsv-zones xdebug-calls; do
	odd $case
done
odd fprof-calls 'no term ( of this'

# the same without an odd line
for case in perfstat-table perfstat-lines perfstat-sums perfstat-commas-table \
	pprof-goroutines strace-seconds-epoch strace-table ftrace-states; do
	for input in "$golden/$case"/input.*; do
		name=in.${input##*.}
		break
	done
	want=0
	"$PNAV" report --format csv "$input" >want 2>err
	unended "$case"
done
# last NAME ROW TEXT [VIEW]: a text whose last line has no end, but counts
last()
{
	printf "$3" >list
	"$PNAV" report --format csv --view "${4:-functions}" list >got 2>err
	status=$?
	[ "$status" = 0 ] && grep -Fqx -e "$2" got && ok "$1" || not_ok "$1" got err
}
last 'goroutines: the last stack' 0x467ba0,,,,user,,1,1 \
	'goroutine profile: total 4\n3 @ 0x433d77 0x46b121\n\n1 @ 0x467ba1'
last 'ftrace: the last event' 'cpu 0 idle,100000000,4' \
	'# tracer: nop\n  <idle>-0 [000] d..2 1.5: cpu_idle: state=1 cpu_id=0\n  <idle>-0 [000] d..2 1.6: cpu_idle: state=4 cpu_id=0' values
last 'V8: the last tick' 'f,,,,system,,2,2' \
	'v8-version,11,3\ncode-creation,Function,0,1,0x3000,256,f\ntick,0x3010,10,0,0x0,0,0x3020\ntick,0x3010,20,0,0x0,0,0x3020'

# the status: 3 for a format that states its sums, which lack the lines
lacks=0
# damaged INPUT SED WHAT N ROW...: with its lines changed so, N of them are skipped, 0 silently, and
# the functions have these rows of name, self and total
damaged()
{
	name=in.${1##*.}
	sed "$2" "$golden/$1" >"$name"
	what=$3 skipped=$4
	shift 4
	"$PNAV" report --format csv --columns function,self,total "$name" >got 2>err
	status=$?
	for row; do
		grep -Fqx -e "$row" got || echo "no row $row"
	done >differ
	case $skipped in
	0) ! grep 'were skipped' err ;;
	*) grep -q "were skipped: $skipped, " err ;;
	esac && [ ! -s differ ] && [ "$status" = "$lacks" ] && ok "$what" ||
		{ cat got err >>differ; not_ok "$what" differ; }
}

damaged macsample-threads/input.txt '12a %% no line of this' \
	'sample: what follows an odd line is read' 1 main,10,90 memmove,25,25
damaged macsample-threads/input.txt 's/! 60 -/! 6O -/' \
	'sample: a row without a count, and those below it' 2 main,70,90 0x10a279abc,20,20
damaged macsample-threads/input.txt 's/^    +   ! : 25/    +   ! :   ! 25/' \
	'sample: a row too deep' 1 '-[Depot sortParts:],60,60'
damaged instruments-time/input.txt 's/^800.00 ms  53.3%/eight/' \
	'instruments: a row without a weight' 1 main,1200000000,1500000000 wait,300000000,300000000
damaged instruments-time/input.txt 's/^1.50 s  100.0%	200/x	200/' \
	'instruments: a row without a weight, and those below it' 3 \
	start,1500000000,1500000000 other,2000000000,2000000000
damaged massif-peak/input.massif 's/^ n2: 900/ n2: 9x0/' \
	'massif: a node without a size, and those below it' 3 '[unknown],900,900' \
	'below threshold,100,100'
damaged massif-peak/input.massif '/^  n0: 150/d' 'massif: a node that is missing' 0 \
	'parse(char const*),900,900' main,0,700
damaged massif-peak/input.massif '/^ n0: 100 in/s/n0/x0/' 'massif: the last node of a tree' 1 \
	'[unknown],100,100' 'parse(char const*),900,900'
damaged massif-peak/input.massif 's/^mem_heap_extra_B=24/mem_heap_extra_B=/' \
	'massif: a size without a number' 1 'parse(char const*),900,900' main,0,700
damaged ghcprof-heap/input.hp '/^BEGIN_SAMPLE 0.4/,$d;s/	50$/ 50/' \
	'.hp: a line without a count' 1 load,900,900
damaged ghcprof-heap/input.hp '/^BEGIN_SAMPLE 0.4/,$d;s/^END_SAMPLE 0.2/END/' \
	'.hp: a sample without its end' 1 load,900,900 PINNED,50,50
damaged ghcprof-heap/input.hp '/^BEGIN_SAMPLE 0.4/,$d;s/^BEGIN_SAMPLE 0.2/BEGIN_SAMPLE x/' \
	'.hp: a sample without its time' 4 load,600,600 MAIN,100,100
damaged fprof-calls/input.analysis '18s/1,    1.000/one,    1.000/' \
	'fprof: a row without a count' 1 \
	'shop:run/1,500000,3000000' garbage_collect,300000,300000
damaged fprof-calls/input.analysis '29s/2,/two,/' 'fprof: a function without a count' 1 \
	'shop:run/1,500000,3000000'
damaged fprof-calls/input.analysis '26s/\]}\./]}/' 'fprof: a term without its dot' 0 \
	'shop:run/1,500000,3000000' garbage_collect,300000,300000
lacks=3
damaged pprof-old-jemalloc/input.heap 's/^@ 0x31/% 0x31/' \
	'jemalloc: values behind a damaged stack are of no other' 1 0x10,200,200 0x20,0,200
damaged pprof-old-jemalloc/input.heap 's/t\*: 1: 100/t*: one: 100/' \
	'jemalloc: values that are none' 1 0x10,200,200
# A name, a number and a blank are no sample of perf script, unless they fill its columns; a number
# of 16 digits is no address.
format_is()
{
	"$PNAV" report --view info list >got 2>err
	grep -Eq "^format +$1" got && ok "$1: $2" || not_ok "$1: $2" got err
}
for list in 'main;a 5 \nmain;b 3 \n' 'main;a 5\t\nmain;b 3\t\n' 'apples 5 \n pears 7 \n' \
	'name 12 34 \n' 'hello 5 \n' 'main;f 4736385887842224\nmain;g 1736385887842224\n'; do
	printf "$list" >list
	format_is folded "$list"
done
printf 'app 12 \n\t          401136 f (/app)\n\t          401156 main (/app)\n\n' >list
format_is perfscript "a name and a number, with chains"
printf '             app    12 \n             app    12 \n' >list
format_is perfscript "a name and a number, in columns"
# the last line is cut: half a line is no line
if command -v python3 >/dev/null 2>&1; then
	for case in austin-text= callgrind-arcs= explain-psql explain-text explain-log folded-names= \
		fprof-flat ftrace-graph-values ftrace-states ftrace-syscalls ghcprof-percent= \
		heaptrack-peak instruments-time= macsample-threads massif-peak ninjalog-builds= \
		perfscript-no-time perfstat-table perfstat-text pprof-goroutines pprof-old-heap \
		pprof-old-threads rprof-lines= stacks-bpftrace stacks-eu stacks-java-virtual \
		strace-callers-cpp strace-seconds-epoch strace-table tracycsv-zones= v8log-raw \
		xdebug-calls; do
		[ -d "$golden/${case%=}" ] || { echo "no case $case" >cut; not_ok "$case" cut; continue; }
		python3 "$top_srcdir/tests/lib/cut_lines.py" "$PNAV" "$golden" "$case" >cut 2>&1
		[ ! -s cut ] && ok "${case%=}: what is left of a line does not count" ||
			not_ok "${case%=}: what is left of a line does not count" cut
	done
fi
tap_done
