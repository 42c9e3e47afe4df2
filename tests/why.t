#!/bin/sh
# The critical path of a thread, --why: random schedules whose chains are known, to the nanosecond;
# a chain deeper than the limit; what else a lens does with a path; what is refused.
# PNAV_SCHEDULES=1000 runs so many schedules.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "there is no python3"
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$scratch" || exit 99
many=${PNAV_SCHEDULES:-40}

python3 "$top_srcdir/tests/lib/schedules.py" "$PNAV" . 0 "$many" >out 2>&1
check "$many random schedules: every frame of every path, 0 ns of difference" \
	sh -c 'grep -q "^[0-9]* schedules, [1-9][0-9]* paths, [1-9]" out && ! grep -v "^[0-9]* schedules, " out'

# chain N: threads 1 to N, each of which waits for the next one; the last one runs
chain()
{
	awk -v n="$1" 'function at(us, pid, flags) {
			return sprintf("t%d-%d [000] %s 1.%06d: ", pid, pid, flags, us)
		}
		function switched(us, from, state, to) {
			printf "%ssched_switch: prev_comm=t%d prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=t%d next_pid=%d next_prio=120\n", at(us, from, "d..2"), from, from, state, to, to
		}
		BEGIN {
			for (i = 1; i < n; i++)
				switched(i, i, "S", i + 1)
			for (i = n; i > 1; i--) {
				printf "%ssched_waking: comm=t%d pid=%d prio=120 target_cpu=000\n", at(1000 + n - i, i, "d..3"), i - 1, i - 1
				switched(1000 + n - i, i, "S", i - 1)
			}
		}'
}
chain 50 >chain.txt
"$PNAV" report --why '=t1 1' --view tree --format csv chain.txt >chain.csv 2>err
check "a stack has at most 32 waits for others" \
	test "$(grep -c 'waits for t' chain.csv)" = 32
check "... and a deeper wait is one for itself" grep -qx '33,\[waits\],,,,,9[0-9]*,9[0-9]*' chain.csv
check "the total is the length of the run" grep -qx '0,t1 1,,,,,0,1047000' chain.csv

golden=$top_srcdir/tests/golden/ftrace-states/input.txt
total()
{
	"$PNAV" report --why main --view tree --format csv --columns total "$@" "$golden" 2>err | sed -n 2p
}
check "the total of a range is its length" test "$(total --from 50us --to 260us)" = 210000
check "... clipped to the run" test "$(total --from 250us --to 10s)" = 50000
check "--track meets the path" test "$(total --track '=path of main 42')" = 300000
check "a path has the metric time alone" sh -c "\"$PNAV\" report --why main --metric cpu '$golden' 2>&1 | grep -q 'choose from time'"
"$PNAV" report --why main --view tree --format csv --columns function,total,base_total \
	--from 100us --to 200us --base-from 0us --base-to 100us "$golden" >diff.csv 2>err
check "two ranges of a path are compared" grep -qx '\[waits for worker 43\],100000,0' diff.csv
"$PNAV" export --format folded --why main "$golden" >folded 2>err
cat >want <<'END'
main 42;[running] 180000
main 42;[waits for worker 43];[running] 100000
main 42;[wants a CPU] 20000
END
check "a path is exported" sh -c 'sort folded | diff want -'
if built_with HAVE_SQLITE; then
	check "SQL sees the path" sh -c "\"$PNAV\" sql --why main --format csv \"SELECT sum(self) FROM report_functions\" '$golden' | grep -qx 300000"
fi

cat >slices.txt <<'END'
    main-42    [001] ....   100.000100: tracing_mark_write: B|42|parse
    main-42    [001] d..2   100.000200: sched_switch: prev_comm=main prev_pid=42 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
  worker-43    [000] d..3   100.000300: sched_waking: comm=main pid=42 prio=120 target_cpu=001
  <idle>-0     [001] d..2   100.000400: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=main next_pid=42 next_prio=120
    main-42    [001] ....   100.000500: tracing_mark_write: E|42
END
cat >want <<'END'
main 42;parse 200000
main 42;parse;[wants a CPU] 100000
main 42;parse;[waits for worker 43];[unknown] 100000
END
"$PNAV" export --format folded --why main slices.txt >folded 2>err
check "slices that are open stay in the stacks of waits" sh -c 'sort folded >got; sort want | diff - got'
# screen KEYS: what the browser shows after them
screen()
{
	"$PNAV" --size 100x20 --keys "$1" --snapshot slices.txt 2>&1
}
check "B shows the path of the slice at the cursor" \
	sh -c 'echo "$1" | grep -q "waits for worker" && echo "$1" | grep -q "why: main 42, 0 ns … 400"' - "$(screen '5 g B 1')"
screen '5 g' >before
screen '5 g B u' >undone
screen '5 g B B' >again
check "... u goes back" diff before undone
check "... and B again, but for the hints" sh -c 'head -n 19 again >a && head -n 19 before | diff - a'

# The timeline: states above the stacks of main, the line of worker, edges at the cursor.
has()
{
	screen "$1" >shown
	sed -n "$2" shown | grep -q -- "$3"
}
right=' l l l l l l l l l l l l l l l l l l l l l l l l l l l l l l'
check "states stand above the stacks" has 5 '/^>main/p' '━━━─·····*┅┅┅┅┅*┄━━━'
check "... in ASCII, too" sh -c '"$PNAV" --ascii --size 100x20 --keys 5 --snapshot slices.txt | grep -q "^>main.*===-[.]*+++*:===*"'
check "... the box below them" has 5 '/^>main/{n;p;}' '\[parse  *\]'
check "a thread that has states alone is a line to open" has 5 '$!p' '▸ 1 thread without stacks'
check "... which shows its states" has '5 PgDn PgDn Enter PgDn' '/worker 43/p' '^> worker 43 .*━━━'
check "the wake-up that ends the wait at the cursor" has "5$right" '$!p' 'waiting 100 µs ← worker 43 200 µs'
check "( goes to the thread that caused it" has "5$right (" '$!p' 'worker 43 · running 200 µs → main 42'
check "... and marks both ends" has "5$right (" '/^ main/p' '·←┅'
check "... of the other one, too" has "5$right (" '/^> worker/p' '→━'
check ") goes back along the edge" has "5$right ( )" '$!p' 'runnable 100 µs ← worker 43 200 µs'
screen "5$right" | sed '/worker 43 *.*→/d; /thread without/d; $d' >before
screen "5$right ( Backspace" | sed '/worker 43 *.*→/d; /thread without/d; $d' >returned
check "Backspace returns" sh -c 'head -n 12 before >a; head -n 12 returned | diff - a'
check "( where no edge arrives says so" has '5 (' '$p' 'no edge arrives here'
check "K tells state and edges" has "5$right K" '$!p' '← worker 43 200 µs  (wake)'
check "B on a state of such a line shows that state's path" has "5$right ( B" 1p 'why: worker 43, 200.000 µs'
check "Enter makes a wait the range" has "5$right ( Enter" '5p' '^ 200.000 µs … 400.000 µs'
check "B in a range shows the path of the range" has "5$right [ B" 1p 'why: main 42, 1[0-9.]* µs … 400'
check "B on a call of the list shows its path" has '7 o B 1' 1p 'why: main 42, 0 ns … 400'

# refused PATTERN WORDS FILE: exit 2 and these words
refused()
{
	"$PNAV" report --why "$1" "$3" >out 2>&1
	[ $? = 2 ] && grep -q "$2" out
}
check "several threads are listed" refused . "'\\.' matches 2 threads: main 42, worker 43" "$golden"
check "no thread" refused nobody "no thread with states matches 'nobody'" "$golden"
check "a pattern that does not compile" refused '(' 'why\|pattern\|missing' "$golden"
check "no states: what to record" refused main 'perf sched' "$top_srcdir/data/sample.perfscript.gz"

screen_flows()
{
	"$PNAV" --size 100x24 --keys "$1" --snapshot "$flows" 2>&1
}

# flows alone: the chain of slices that led to `present`, worked out by hand from the times in the file
flows=$top_srcdir/tests/golden/chrome-flows/input.json
"$PNAV" export --format folded --why ui "$flows" >folded 2>err
cat >want <<'END'
ui 1;[queued] 40000
ui 1;[waits for gpu 3];[queued] 140000
ui 1;[waits for gpu 3];[waits for io 2];[queued] 50000
ui 1;[waits for gpu 3];[waits for io 2];load 10000
ui 1;[waits for gpu 3];draw 10000
ui 1;click 50000
ui 1;present 20000
END
check "slices joined by flows have a path, with [queued]" sh -c 'LC_ALL=C sort folded | diff want -'
check "the total of a range of it is its length" test \
	"$("$PNAV" report --why ui --from 60us --to 290us --format csv --view tree --columns total "$flows" | sed -n 2p)" = 230000
screen_flows "/ 'present' Enter 5 B 2 *" >shown
check "B shows the chain that led to a slice" sh -c 'grep -q "why: ui 1, 0 ns … 320" shown'
check "... with the gaps between its slices" grep -q '50.0 µs .*\[queued\]' shown
screen_flows "/ 'present' Enter 5" >shown
check "... whose flow the timeline names" grep -q 'from 290.000 µs · present\|← gpu 3' shown
"$PNAV" report --view edges --format csv "$flows" >edges 2>err
"$PNAV" export --format chrome -o flows.json "$flows" >/dev/null 2>err
"$PNAV" export --format firefox -o flows.firefox.json "$flows" >/dev/null 2>err
check "exports to Firefox carry flows" sh -c '"$PNAV" report --view edges --format csv flows.firefox.json | diff edges -'
check "... and no marks for them" sh -c '! "$PNAV" report --view tracks --format csv flows.firefox.json | grep -q flow'
check "exports to Chrome carry flows" sh -c '"$PNAV" report --view edges --format csv flows.json | diff edges -'
"$PNAV" export --format chrome -o flows.json --from 60us --to 255us "$flows" >/dev/null 2>err
check "... those of the range" test "$("$PNAV" report --view edges --format csv flows.json | cut -d, -f1-4)" = "kind,from,to,count
flow,io 2,gpu 3,1"
tap_done
