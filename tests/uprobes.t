#!/bin/sh
# record -e uprobe:/path:function: every call of a function is a sample, and nothing else.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
"$PNAV" formats --format json | grep -q '"elfutils"' || skip_all "pnav is built without elfutils"
[ -r /sys/bus/event_source/devices/uprobe/type ] || skip_all "the kernel has no uprobes"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
cd "$scratch" || exit 99
"$cc" -O1 -g -o burn "$top_srcdir/tests/data/burn.c" -lpthread -ldl >cc.log 2>&1 ||
	skip_all "the test program cannot be built"

refused()
{
	"$PNAV" record -o any.data -e "$1" ./burn nothing >out 2>err </dev/null
	[ $? -eq 2 ] && [ "$(grep -c . err)" -eq 1 ] && grep -q -- "$2" err
}
refused_trigger()
{
	"$PNAV" record --ring 1s --trigger "$2" -o any.data ./burn nothing >out 2>err </dev/null
	[ $? -eq 2 ] && [ "$(grep -c . err)" -eq 1 ] && grep -q -- "$1" err
}
check "no path" refused uprobe:main 'needs a path and a function'
check "no function" refused "uprobe:$PWD/burn:" 'needs a path and a function'
check "no such file" refused uprobe:/nothing:main 'not an executable file'
check "no such function" refused "uprobe:$PWD/burn:melt" "has no function 'melt'"
[ "$(id -u)" -eq 0 ] || {
	skip "calls are counted" "only root may place probes"
	tap_done
	exit
}

# calls FILE: each metric and its total
calls()
{
	for function in burn_60 burn_30 burn_10; do
		"$PNAV" report --metric "$2:$PWD/burn:$function" --format csv --columns self "$1" 2>/dev/null |
			awk -v f=$function 'NR > 1 { n += $1 } END { print f, n + 0 }'
	done | tr '\n' ' '
}
# the program calls each of the three 100 times
"$PNAV" record -e "uprobe:$PWD/burn:burn_*" -o calls.data ./burn >out 2>err </dev/null ||
	skip_all "$(tail -n 1 err)"
check "each call is a sample" [ "$(calls calls.data uprobe)" = "burn_60 100 burn_30 100 burn_10 100 " ]
check "in that function" [ "$("$PNAV" report --format csv --columns function --limit 1 \
	--metric "uprobe:$PWD/burn:burn_30" calls.data | tail -n 1)" = burn_30 ]
"$PNAV" record -e "uretprobe:$PWD/burn:burn_60" -o returns.data ./burn threads >out 2>err </dev/null
check "returns, in both of two threads" [ "$("$PNAV" report --format csv --columns self returns.data |
	awk 'NR > 1 { n += $1 } END { print n }')" = 200 ]
check "in its caller" [ "$("$PNAV" report --format csv --columns function --limit 1 returns.data |
	tail -n 1)" = burn ]
./burn >out 2>err </dev/null &
burning=$!
"$PNAV" record -e "uprobe:$PWD/burn:burn_60" -o other.data -p $burning >out 2>err </dev/null &
recorder=$!
./burn
wait $burning $recorder
n=$("$PNAV" report --format csv --columns self other.data | awk 'NR > 1 { n += $1 } END { print n + 0 }')
check "only calls of the given process" [ "$n" -gt 0 ] && [ "$n" -le 100 ]
check "until it ends" [ "$("$PNAV" report --view tracks --format csv other.data | grep -c '^burn')" -eq 1 ]
./burn forever &
beside=$!
"$PNAV" record -e "uprobe:$PWD/burn:burn_60" -o other.data sh -c "./burn; exit 7" >out 2>err </dev/null
check "only calls of the command and its children" [ "$?" -eq 7 -a "$("$PNAV" report --format csv \
	--columns self other.data | awk 'NR > 1 { n += $1 } END { print n + 0 }')" -eq 100 ]
check "each is said to be one" grep -q ': 100 samples, .*burn_60, each)' err
"$PNAV" record -q --ring 20s --embed none --trigger "latency uprobe:$PWD/burn:burn_60>900s" \
	-o other.data sh -c "./burn; exit 7" >out 2>err </dev/null
kill $beside
wait $beside 2>/dev/null
check "a trigger records the command alone" [ "$("$PNAV" report --view tracks --format csv \
	--metric cpu-clock other.data | grep -vc '^track\|^sh \|^burn ')" -eq 0 ]
check "... and not another call of the program" sh -c '"$PNAV" report --view tracks --format csv \
	other.data >tracks && grep -q "^burn " tracks && ! grep -q "^burn '"$beside"'" tracks'

# ---- a slow call writes what the ring has ----

"$cc" -O1 -g -o slowcall "$top_srcdir/tests/data/slowcall.c" >cc.log 2>&1 ||
	skip_all "the test program cannot be built"
slow() { "$PNAV" record -q -F 99 --ring 20s --embed none --trigger "latency uprobe:$PWD/slowcall:$1>$2" \
	-o "$3" ./slowcall $4 >out 2>err </dev/null; }
slow work 400ms quick.data "0 leave"
check "quick calls, and calls left by longjmp, write nothing" [ ! -e quick.data ]
slow work 400ms slow.data 1500 &
recorder=$!
for _ in $(seq 60); do
	grep -q 'slow.data: ' err && break
	sleep 0.05
done
done=$(cat out)
wait $recorder
if [ "$(cat out)" -gt 300 ]; then
	skip "a slow call writes, while it runs" "the machine is busy: a quick call took $(cat out) ms"
else
	check "a slow call writes, while it runs" [ -s slow.data -a -z "$done" ]
fi
check "with its function" sh -c '"$PNAV" report --format csv --columns function slow.data 2>&1 | grep -qx work'
check "one file" [ ! -e slow.data.2 ]
check "no such function" refused_trigger "has no function 'melt'" "latency uprobe:$PWD/burn:melt>1ms"
check "no limit" refused_trigger "latency uprobe:/path:function>50ms" "latency uprobe:$PWD/burn:main>"
check "no time" refused_trigger "latency uprobe:/path:function>50ms" "latency uprobe:$PWD/burn:main>5"
check "no path" refused_trigger "needs a path and a function" "latency uprobe:main>5ms"
"$PNAV" record -e "uprobe:$PWD/burn:burn_60,task-clock" -o both.data ./burn >out 2>err </dev/null
check "beside another event" [ "$("$PNAV" report --format csv --columns self \
	--metric "uprobe:$PWD/burn:burn_60" both.data | awk 'NR > 1 { n += $1 } END { print n }')" = 100 ]
tap_done
