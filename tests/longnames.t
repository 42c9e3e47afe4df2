#!/bin/sh
# A name longer than 65,535 bytes is cut, in every format alike: the golden cases with one of
# their names made 70,000 bytes longer have the same rows, with that name as it is cut.
# (.br, .plog and perf.data have no room for such names; GHC's table would be another one.)
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 makes the inputs"

lib=$(cd "$top_srcdir/tests/lib" && pwd)
golden=$(cd "$top_srcdir/tests/golden" && pwd)
said='longer than 65535 bytes: cut there, with a hash of the whole at the end'

# longer ENCODER|- CASE NAME [ARGUMENTS...]: the case with NAME longer, the same but for that
longer()
{
	encoder=$1 case=$2 name=$3
	shift 3
	[ "$encoder" = - ] || encoder=$lib/encode_$encoder.py
	out=$scratch/$case
	python3 "$lib/long_names.py" "$encoder" "$golden" "$case" "$name" "$scratch" \
		>"$scratch/made" 2>&1 || {
		not_ok "$case: $name is longer" "$scratch/made"
		return
	}
	input=$(cd "$out" && if [ -f input ]; then cat input; else ls -d input.*; fi)
	(
		cd "$out" || exit
		timeout 60 "$PNAV" report --format csv --view functions "$@" "$input" 2>err |
			sed 's/…[0-9a-f]\{8\}/…########/g' | LC_ALL=C sort >got
		grep -q "$said" err && cmp -s expected got
	)
	check "$case: $name is longer" [ $? = 0 ] || {
		diff "$out/expected" "$out/got" | sed 's/xxxx*/xxx/g; s/^/# /' | head -n 10
		sed 's/xxxx*/xxx/g; s/^/# /' "$out/err"
	}
	rm -rf "$out"
}

while read -r encoder case name arguments; do
	# shellcheck disable=SC2086 # they are words
	longer "$encoder" "$case" "$name" $arguments
done <<'END'
- art-dual run
- austin-text load
austin austin-mojo-full load
- bsprof-small __worker
- callgrind-arcs draw
- chrome-object FunctionCall
- cpuprofile-delta-back run
- dhat-heap malloc
- fprof-calls run
- firefox-gecko Paint
- firefox-processed main
- folded-names __start
- ftrace-atrace layout
- ftrace-report sys_write
- ghcprof-heap load
- ghcprof-json load
- heaptrack-old parse
- instruments-bytes parse
jfr jfr-chunks read
- macsample-threads memmove
- massif-peak again
- ninjalog-builds shop
nytprof nytprof-graph main::f
otlp otlp-framed work
otlp otlp-json work
perfetto perfetto-events parse
perfetto perfetto-names com.other.Fast.go
- perfscript-chains main
- perfscript-no-time work
- pprof-old-heap main.leaf
pprof pprof-threads inner
pstats pstats-arcs draw
- prf-example _fclose
- rprof-lines order
- safari-timeline forEach
simpleperf simpleperf-offcpu read
- speedscope-profiles-first main --input speedscope
- stackprof-edges work
- stacks-bpftrace finish_task_switch
- stacks-java J.main
- strace-ttt read --input strace
- text1-example main
- text1-statistics main
- tracycsv-zones Draw
uftrace uftrace-calls main
- v8log-json uv_run
- v8log-raw ArrayMap
- xdebug-calls load
- xhprof-json load --input xhprof
- xhprof-php load --input xhprof
END

# Names that differ after the cut are two; names that do not differ are one, also in a label
# and an argument, and in files.
cd "$scratch" || exit 99
long=$(head -c 70000 /dev/zero | tr '\0' x)
printf 'a;%sy 1\na;%sz 2\na;%sy 4\n' "$long" "$long" "$long" >two.folded
"$PNAV" report --format csv two.folded >out 2>err
check "the ends of two names differ, and they are two" \
	[ "$(cut -d, -f1 out | sort -u | wc -l):$(cut -d, -f7 out | tr '\n' ' ')" = "4:self 5 2 0 " ]
check "they are counted" grep -q "2 names are $said" err
check "none is longer than 65,535 bytes" \
	[ "$(cut -d, -f1 out | LC_ALL=C awk '{ if (length > n) n = length } END { print n }')" = 65535 ]
umlauts=$(printf '%035000d' 0 | sed 's/0/ä/g')
printf 'a;%s 1\na;x%s 1\n' "$umlauts" "$umlauts" >umlauts.folded
"$PNAV" report --format csv umlauts.folded 2>err | iconv -f UTF-8 -t UTF-8 >out
check "no character is cut in two" [ $? = 0 ]
printf '[{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":5,"args":{"%s":"%s"}}]\n' \
	"$long" "$long" >label.json
"$PNAV" report --view labels --format csv label.json >out 2>err
check "a label and its value" grep -q "1 name is $said" err
tap_done
