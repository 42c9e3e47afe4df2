#!/bin/sh
# The views, one line a promise of pnav(1): moving, paging and clicking in the flame, the
# tables, the source, the timeline, the calls and the info view; what stays selected.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/play.sh"

cp "$top_srcdir/tests/golden/hqnplog-small/input.plog" .
cp "$top_srcdir/tests/golden/perfscript-rate/input.txt" rate.txt

# chosen PROMISE FILE KEYS NAME: the line below the view says that NAME is selected
chosen()
{
	if play "$2" "$3" && tail -n 2 screen | head -n 1 | grep -Eq "^ $4(  |$)"; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

# top PROMISE FILE KEYS TEXT: the first line of the view has the text
top()
{
	if play "$2" "$3" && grep -A 1 '\[[1-8] [a-z]*\]' screen | tail -n 1 | grep -qF -- "$4"; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

# ---- files without stacks begin in the timeline of their counters ----
for i in 0 1 2; do
	printf 'snapshot=%s\ntime=%s\nmem_heap_B=%s\nmem_heap_extra_B=0\nmem_stacks_B=0\n' \
		$i $i $((i * 100))
	echo heap_tree=empty
done | { printf 'desc: (none)\ncmd: shop\ntime_unit: ms\n' && cat; } >no-trees.massif
echo '[{"ph":"C","ts":1,"pid":1,"name":"fps","args":{"fps":60}},
	{"ph":"C","ts":9,"pid":1,"name":"fps","args":{"fps":30}}]' >counter.json
says "massif without trees: the timeline" no-trees.massif "" "[5 timeline]"
says "massif without trees: its heap" no-trees.massif "" "0 … 200 B"
says "a trace of counters alone: the timeline" counter.json "" "[5 timeline]"
says "unless another view is asked for" no-trees.massif "" "[8 info]" --view info

# ---- the timeline begins with the first track of its list ----
slice() { printf '{"ph":"X","name":"%s","pid":%s,"tid":%s,"ts":%s,"dur":%s},' "$@"; }
{
	echo '['
	slice lone 1 11 0 100
	slice deep 1 11 1 1
	slice odd 1 12 0 10
	slice left 2 21 5 90
	slice right 2 22 0 80
	echo '{"ph":"M","name":"process_name","pid":1,"args":{"name":"one"}}]'
} >processes.json
at "5: the busiest thread of the busiest process" processes.json 5 "21"
says "... at its first slice" processes.json 5 "── 90 µs from 5 µs · left"
at "a selected function is where it costs most" processes.json "3 / 'lone' Enter 5" "11"

# ---- counters: zero is on the scale, and marked between its ends ----
counter() { printf '{"ph":"C","name":"%s","pid":1,"ts":%s,"args":{"v":%s}},' "$@"; }
{
	echo '['
	counter swing 0 -100
	counter swing 500 100
	counter debt 0 -8
	counter debt 500 -2
	slice run 1 11 0 1000
	echo '{"ph":"M","name":"process_name","pid":1,"args":{"name":"one"}}]'
} >signs.json
SIZE=100x24
says "a counter below zero: zero is on top" signs.json 5 "-8 … 0"
says "... with A its highest value" signs.json "5 A" "-8 … -2"
line() { play "$2" "$3" && grep -A "$4" "swing" screen | grep -qF -- "$5" && ok "$1" || not_ok "$1" screen; }
line "above and below zero: the zero line has its number" signs.json 5 2 " 0 │──────"
line "... and passes through bars" signs.json 5 2 "────────────────────────────────────────"
says "hints of a counter" signs.json "5 C" "< > extremes"
says "... its scale" signs.json "5 C" "A scale"
lacks "a thread has no such hints" signs.json 5 "extremes"
SIZE=80x24

# ---- functions that take turns have one name beside the slice of the cursor ----
awk 'BEGIN { printf "["; for (i = 0; i < 40; i++)
	printf "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":50},",
		i % 2 ? "render" : "parse", i * 50
	print "{\"ph\":\"X\",\"name\":\"loop\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":2000}]" }' >turns.json
SIZE=110x24
says "turns: the slice of the cursor is in brackets, the name beside it" turns.json 5 "[ ]parse + render ×40"
says "... before it at the end" turns.json "5 G" "parse + render ×40"
awk 'BEGIN { printf "["; for (i = 0; i < 400; i++)
	printf "{\"ph\":\"X\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":50},",
		substr("abcdefgh", i % 4 + 1, 1), i * 50
	print "{\"ph\":\"X\",\"name\":\"loop\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":20000}]" }' >four.json
says "four of them" four.json 5 " + 3 more ×400"
SIZE=80x24

# ---- keys without an effect say so, and hints do not name them ----
says "Enter on the whole flame" shop.folded "Enter" "this box has the whole width"
lacks "... whose hint there is none" shop.folded "" "Enter zoom"
says "... but for another box" shop.folded "j j Enter Enter" "this box has the whole width"
says "Enter on a counter" counter.json "Enter" "nothing begins and ends here: [ and ] set a range"
says "f where all is seen" counter.json "f" "f (fit) changes nothing here"
says "> at the peak" counter.json ">" "this is its highest value in this window"
says "< at the lowest value" counter.json "< <" "this is its lowest value in this window"
says "Space on a leaf of the tree" shop.folded "2 E G Space" "Space (open) changes nothing here"
says "Enter in the view info" shop.folded "8 Enter" "Enter (show) changes nothing here"
lacks "without a selection no transform" shop.folded "" "x transform"
says "with one there is" shop.folded "j j" "x transform"
says "T without times" shop.folded "T" "no times in this file"

# ---- help has all its words on narrow screens ----
# words SIZE VIEW: the words of the help of a view
words()
{
	"$PNAV" --size "$1" --snapshot --keys "$2 ?" "$top_srcdir/tests/screens/shop.folded" |
		sed '$d' | tr -s ' ' '\n' | grep . >"words.$1"
}
for view in 0 1 2 3 4 5 6 7 8 9; do
	words 120x300 $view
	words 40x300 $view
	check "help of view $view on 40 columns" cmp words.120x300 words.40x300
done

# ---- a function at several places: the box, or the function everywhere ----
printf 'main;a;b 30\nmain;a;c 10\nmain;b 20\nmain;b;a;b 5\nmain 7\n' >places.folded
says "K: the box" places.folded "2 E j j j K" "total here 30  41.7 %"
says "K: and its function" places.folded "2 E j j j K" "self everywhere 55  76.4 %"
says "K: a row of the table is the function" places.folded "3 K" "self 55  76.4 %"
SIZE=100x34
says "D: the box" places.folded "2 E j j j D" "self      30   41.7 % here"
says "D: and its function" places.folded "2 E j j j D" "in all    self 55, total 55"
says "D: lists of the function" places.folded "2 E j j j D" "callers everywhere"
says "D: a row of the table is the function" places.folded "3 D" "total     55   76.4 %"
lacks "... nor its box" places.folded "3 D" "of parent"
SIZE=100x36
says "callers: the function has one self" places.folded "3 4" "self 55  "
SIZE=100x24
says "callers: in the outline, too" places.folded "3 4" "55  100.0        55  100.0"
SIZE=80x24

# ---- memory that is held: 1,000 bytes more at each of ten snapshots, a tree at every other one ----
for i in 1 2 3 4 5 6 7 8 9 10; do
	printf 'snapshot=%s\ntime=%s00\nmem_heap_B=%s000\nmem_heap_extra_B=0\nmem_stacks_B=0\n' $i $i $i
	[ $((i % 2)) = 0 ] && printf 'heap_tree=detailed\nn2: %s000 (heap allocation functions) malloc\n' $i &&
		printf ' n0: %s000 0x1: grow (a.c:1)\n n0: 1000 0x2: keep (a.c:2)\n' $((i - 1)) ||
		echo heap_tree=empty
done | { printf 'desc: (none)\ncmd: shop\ntime_unit: ms\n' && cat; } >held.massif
SIZE=92x24
says "massif: what is held at the cursor" held.massif "5 Home . . ." "3.91 KiB held at 300 ms"
says "the scrubber shows what is held" held.massif "5" "▂▂▂▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆█"
SIZE=80x24

# ---- the flame: all, main, render and load, draw and blit, parse and read@plt ----
chosen "flame: Down goes to the heaviest callee" shop.folded "1 j j" render
chosen "Right to the box beside it" shop.folded "1 j j Right" load
chosen "Left back" shop.folded "1 j j Right Left" render
chosen "at the edge it stays" shop.folded "1 j j Left Left" render
chosen "Up goes to the caller" shop.folded "1 j j j Up" render
chosen "above the root there is nothing" shop.folded "1 j k k k" all
chosen "G goes to the leaf" shop.folded "1 G" draw
chosen "g back to the root" shop.folded "1 G g" all
chosen "g goes to what is zoomed into" shop.folded "1 j j Enter j g" render
chosen "Page Down goes down many" shop.folded "1 PgDn" draw
chosen "^D many, too" shop.folded "1 ^D" draw
chosen "Page Up up" shop.folded "1 G PgUp" all
chosen "so does ^U" shop.folded "1 G ^U" all
chosen "with the root at the bottom Up goes to callees" shop.folded "1 R k k" render
chosen "and Down back" shop.folded "1 R k k j" main
chosen "a click selects" shop.folded "1 Click:50,5" load
chosen "beside the boxes it selects nothing else" shop.folded "1 Click:50,5 Click:50,15" load
lacks "two zoom: what is beside it is gone" shop.folded "1 Click2:60,5" "render"
says "Backspace is the way out" shop.folded "1 Click2:60,5 Backspace" "render"
says "where nothing is zoomed it says so" shop.folded "1 j j j Backspace" "no zoom to leave"
chosen "n goes on to the next match" shop.folded "1 / 'draw|parse' Enter n" parse
chosen "N to the one before" shop.folded "1 / 'draw|parse' Enter n N" draw
chosen "in order of time, Right goes along the run" beat.perf.txt "1 T G" work
chosen "... to the other end" beat.perf.txt "1 T G g" all

# ---- hints and the header are as good as their keys ----
same "a click on the metric asks for another" shop.folded "3 m" "3 Click:65,0"
same "a click on a hint is its key" shop.folded "3 t" "3 Click:48,23"
same "... on the first of two keys, too" shop.folded "3 r <" "3 r Click:25,23"
same "... on the second" shop.folded "3 r >" "3 r Click:30,23"
same "a click on the range leads to the scrubber" beat.perf.txt "3 Tab" "3 Click:3,4"
same "a click on the filters lists them" shop.folded "\\ 'draw' Enter F" "\\ 'draw' Enter Click:40,1"
lacks "Space is no hint on a leaf" shop.folded "2 E G" "Space open"

# ---- phases of the run: states, and what lies between marks ----
cp "$top_srcdir/tests/screens/link.txt" .
cat >marks.json <<'EOF'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":900,"name":"main"},
{"ph":"i","pid":1,"tid":1,"ts":100,"name":"load"},
{"ph":"i","pid":1,"tid":1,"ts":300,"name":"load"},
{"ph":"i","pid":1,"tid":1,"ts":400,"name":"draw"}]
EOF
says "/ finds a state, Enter makes it the range" link.txt "5 / 'UP' Enter Enter" \
	" 400 ns … 800 ns (400 ns, 40.0 %) "
says "the last one lasts to the end" link.txt "5 / 'SLEEP' Enter Enter" \
	" 600 ns … 1.000 µs (400 ns, 40.0 %) "
says "a mark to the next" marks.json "5 / 'load' Enter Enter" \
	" 100.000 µs … 300.000 µs (200.000 µs, 22.2 %) "
says "n finds the next" marks.json "5 / 'load' Enter n Enter" " 300.000 µs … 900.000 µs "
says "N the one before" marks.json "5 / 'load' Enter n N Enter" " 100.000 µs … 300.000 µs "
says "a mark that has no value is reported without one" marks.json "5 / 'load' Enter" \
	"── at 100 µs · point 1 of 2 · load ──"
says "the cursor runs behind a name" link.txt "5 / 'DOWN' Enter l l" ">link                  │DOWN  "
says "what is none moves nothing" marks.json "5 / 'load' Enter n / 'zz' Enter" "▾300 µs"

# ---- names that do not fit: the middle is what they can spare ----
shop=render-frontend-for-the-shop-window-display
{
	echo '['
	for pid in 1 2; do
		echo '{"ph":"M","pid":'$pid',"name":"process_name","args":{"name":"'$shop'"}},'
		for tid in 3 4; do
			echo '{"ph":"M","pid":'$pid',"tid":'$tid',"name":"thread_name",'
			echo '"args":{"name":"worker-of-'$shop'"}},'
			echo '{"ph":"X","pid":'$pid',"tid":'$tid',"ts":'$pid',"dur":'$tid',"name":"f"},'
		done
	done
	echo '{"ph":"X","pid":2,"tid":3,"ts":3,"dur":1,"name":"g"}]'
} >long.json
SIZE=40x20
says "that of a process" long.json "5" "▾ render-frontend-f…op-window-display 2"
says "that of a track in its menu" long.json "t" "[x]   worker…isplay 4"
SIZE=80x24

# ---- what is selected stays so in every view, and when frames are something else ----
chosen "tree" shop.folded "3 / 'blit' Enter 2" blit
chosen "by line: the line of the function" gfx.perf.txt "3 / 'blit' Enter b l" blit:2
chosen "by file: its file" gfx.perf.txt "3 / 'blit' Enter b i" "gfx.draw.c"
chosen "by module: its module" gfx.perf.txt "3 / 'blit' Enter b m" ".*app"
chosen "and the function again" gfx.perf.txt "3 / 'blit' Enter b m b f" blit
chosen "the stacks upside down" shop.folded "3 / 'blit' Enter 2 I" blit
chosen "under a filter that leaves it" shop.folded "3 / 'blit' Enter \\ 'render' Enter" blit

# ---- tables: f40 to f01, then main; 18 lines of 24 are rows ----
at "a click on a heading sorts by it" tall.folded "3 Click:36,3 g" "main"
at "another one turns the order round" tall.folded "3 Click:36,3 Click:36,3 g" "f01"
at "so does r" tall.folded "3 r g" "main"
at "< sorts by the column to the left" shop.folded "3 > > > > > > > g" "__idle"
same "> and < are back where they were" shop.folded "3" "3 > <"
at "Page Down shows the next rows" tall.folded "3 PgDn" "f22"
at "^D half of them" tall.folded "3 ^D" "f31"
at "the first is where G and g meet" tall.folded "3 G PgUp PgUp PgUp" "f40"
SIZE=100x24
says "the tree counts calls where the format does" input.plog "2" "calls"
at "as the functions do" input.plog "2 / 'Flush' Enter" "1"
SIZE=80x24

# ---- the source: nine lines; 2, 6, 7 and 8 cost something ----
at "source: the hottest line first" gfx.perf.txt "6" "blit(void) {}"
at "j" gfx.perf.txt "6 j" "   3"
at "k" gfx.perf.txt "6 j k k" "static void"
at "g: the first line" gfx.perf.txt "6 g" "static void"
at "G: the last" gfx.perf.txt "6 G" "9 }"
at "Page Down" gfx.perf.txt "6 PgDn" "9 }"
at "Page Up" gfx.perf.txt "6 G PgUp" "static void"
at "^U" gfx.perf.txt "6 G ^U" "static void"
at "^D" gfx.perf.txt "6 g ^D" "9 }"
at "the next line with a cost" gfx.perf.txt "6 ." "6 {"
at "the one before" gfx.perf.txt "6 . . ," "6 {"
at "* the hottest again" gfx.perf.txt "6 G *" "blit(void) {}"
at "a click goes to its line" gfx.perf.txt "6 Click:40,12" "for (int i"
says "two to its heaviest stack" gfx.perf.txt "6 Click2:40,7" "[1 flame]"
same "one on the heads is none" gfx.perf.txt "6" "6 Click:40,5"
says "e in the list of files is for the file" gfx.perf.txt "6 o e" "+1 gfx/draw.c"
says "a folder is none" gfx.perf.txt "6 o k e" "the file is not found"
says "Enter shows the heaviest stack of the line" gfx.perf.txt "6 G * Enter" "[1 flame]"
chosen "with its function" gfx.perf.txt "6 G * Enter" blit
chosen "by files, with the file" gfx.perf.txt "b i 6 Enter" "gfx.draw.c"
chosen "by modules, with the module" gfx.perf.txt "b m 6 Enter" ".*app"
at "n finds the text again" gfx.perf.txt "6 g / 'void' Enter n" "void"
at "N before it, round at the begin" gfx.perf.txt "6 g / 'blit' Enter N" "blit"
rm gfx/draw.c
SIZE=120x24
says "a file that is not there is reported" gfx.perf.txt "6" \
	"gfx/draw.c is not found: --source-dir FROM=TO says where it is"
SIZE=80x24
at "the lines that cost something stand there" gfx.perf.txt "6 g" "2"
at "to the last" gfx.perf.txt "6 G" "8"
at "and are found by their numbers' functions" gfx.perf.txt "6 g / 'draw' Enter" "draw"

# ---- the timeline: two threads and a counter ----
says "timeline: Page Down goes to the track below" input.plog "5 PgDn" "· thread 0x7fffdeadb000 ──"
says "to the counter, which has no value at first" input.plog "5 PgDn PgDn" "── no value yet · Heap (VALUE) ──"
says "Page Up to the one above" input.plog "5 PgDn PgUp" "· thread 0x10 ·"
says "past the last callee j goes to the next track" input.plog "5 j" "· thread 0x7fff"
says ". steps to the next slice" input.plog "5 g ." "── "
same ", and back" input.plog "5 g ." "5 g . . ,"
says "w is closer" input.plog "5 w" "← 400.000 µs →"
same "s back" input.plog "5 f f f" "5 w s f f f"
says "f: the slice fills the screen" input.plog "5 / 'Flush' Enter f" "Flush"
same "again and again: the run" input.plog "5 w f f f" "5 f f f w f f f"
says "[ and ]: the range from and to the cursor" input.plog "5 / 'Flush' Enter ]" "0 ns … "
says "a file without times has none" shop.folded "5" "no times"

# ---- calls of Band: 3, two on the one thread, one on the other ----
band="3 / 'Band' Enter 7"
says "calls: all tracks first" input.plog "$band" "Band · 3 calls · all tracks"
at "Down chooses a time" input.plog "$band g j" "gross"
at "g the first, net" input.plog "$band G g" "net"
at "G the last, outside" input.plog "$band G" "outside"
at "k back" input.plog "$band G k" "period"
says "Right chooses a track" input.plog "$band Right" "Band · 2 calls · thread 0x10"
says "the next" input.plog "$band Right Right" "Band · 1 call · thread 0x7fff"
says "Left comes back" input.plog "$band Right Right Left" "Band · 2 calls · thread 0x10"
says "to all of them, no further" input.plog "$band Right Left Left Left" "Band · 3 calls · all tracks"
# Two samples 100 ms apart of an event that was sampled 100 times a second.
says "a sample lasts as long as its frequency says" rate.txt "5" "── 10 ms from 0 ns · sample 1 of 2 · cycles:u 1,000 · read · app 10 "
printf 'main;a 99999999\nmain;b 29786725\n' >large.folded
at "the mark of the cursor stands on no digit" large.folded "3 j" "> 29786725 "
at "a number without room is whole" large.folded "2 E j j j" " 29786725 "
SIZE=120x24
at "the table of a wide screen sorts by the longest call" input.plog "3 > > > > > > > g" Job
says "and says so" input.plog "3 > > > > > > >" "▾longest"
SIZE=80x24
at "a click on a time chooses it" input.plog "$band Click:3,12" "period"
says "two show the longest of it" input.plog "$band Click2:3,9" "[5 timeline]"
says "f lists the calls of functions that match" input.plog "7 f 'Ban|Pag' Enter" "only 'Ban|Pag' · 6 calls"
says "Esc lists all again" input.plog "7 f 'Ban|Pag' Enter Esc" "all functions · 11 calls"
says "a gives all of all functions" input.plog "7 f 'Ban' Enter a" "all functions · 11 calls"
says "none is reported" input.plog "7 f 'nobody' Enter" "no call of such a function"
SIZE=100x30
says "a click on a track chooses it" input.plog "$band Click:70,17" "Band · 2 calls · thread 0x10"
SIZE=80x24
# A time of the view and its columns of the report are printed alike.
"$PNAV" report --view calls --columns function,track,gross_total,gross_min,gross_avg,gross_max \
	"$top_srcdir/tests/golden/hqnplog-small/input.plog" 2>err |
	sed -n 's/^Band  *thread 0x10  *//p' >report
"$PNAV" --size 80x24 --snapshot --keys "$band Right" \
	"$top_srcdir/tests/golden/hqnplog-small/input.plog" 2>>err |
	sed -n 's/^>  *gross  *[0-9]*  *//p' >screen
check "the report says the same, to the digit" \
	sh -c '[ -s report ] && [ "$(tr -s " " <report)" = \
		"$(tr -s " " <screen | cut -d " " -f 1-6,9-10,13-14)" ]'
says "n goes to another function that was searched" input.plog "3 / 'Band|Flush' Enter 7 n" "calls"
says "modules have no calls" input.plog "$band b m" "Only functions have calls.  b shows functions again."

head -n 5 gfx.perf.txt >one.perf.txt
says "a file of one sample has a time, and no range" one.perf.txt "1" "all events at one moment"
says "nor a timeline" one.perf.txt "5" "All events are at one moment"

# Two of 1,500 samples are rare: of no block of events the most.
awk 'BEGIN { for (i = 0; i < 1500; i++)
	printf "app 100/100 %.6f: 1000000 cpu-clock:\n\t401000 %s+0x1 (/bin/app)\n\t401000 main+0x1 (/bin/app)\n\n",
		1 + i / 1000, i == 700 || i == 701 ? "rare" : "often" }' >rare.perf.txt
says "the timeline opens where the selected function costs most" rare.perf.txt "3 j 5" \
	" from 700 ms · sample 701 of 1,500 · cpu-clock 1.00 ms · rare · app 100 "
# 200 calls of 50 ms: a column is 98 ms wide, so the call under the cursor is white for one.
awk 'BEGIN {
	for (i = 0; i < 200; i++)
		printf "%s{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"%s\",\"ts\":%d,\"dur\":50000}",
			i ? "," : "[", i % 2 ? "render" : "parse", i * 50000
	print "]"
}' >alt.json
esc=$(printf '\033')
"$PNAV" --size 120x20 --snapshot=ansi --color 256 --keys 5 alt.json >screen
grep -o "48;5;231m[^$esc]*" screen | sed 's/.*m//' >white
check "the white of the call under the cursor is as wide as the call" \
	test "$(tr -d '\n' <white | wc -m)" = 1
says "the row with > is it when two keys come together" rare.perf.txt "3 5" "often "
says "a filter leaves the cursor where something runs" rare.perf.txt "\ 'rare' Enter 5" \
	" from 700 ms · sample 701 of 1,500 "

# ---- their list: 11 calls, as golden/hqnplog-small/slices.csv has them ----
list="7 o a"
at "the longest call first" input.plog "$list" "800.000 µs   200.000 µs"
at "j the next one" input.plog "$list j" "500.000 µs   100.000 µs"
at "G the shortest" input.plog "$list G" "25.000 µs"
at "Page Down the same, all are on the screen" input.plog "$list PgDn" "25.000 µs"
at "l: by self" input.plog "$list l" "250.000 µs   250.000 µs          0 ns Band"
at "l: by start, the last first" input.plog "$list l l" "610.000 µs Page"
same "h back, no further than the first column" input.plog "$list l h h" "$list"
at "r turns the order" input.plog "$list r" "25.000 µs"
same "r again" input.plog "$list r r" "$list"
at "a click chooses a row" input.plog "$list Click:5,9" "500.000 µs"
at "one on a head sorts by it" input.plog "$list Click:18,7" "250.000 µs   250.000 µs"
at "again, the other way round" input.plog "$list Click:18,7 Click:18,7" "25.000 µs"
says "two show the call in the timeline" input.plog "$list Click2:5,10" "Job › Page › [Band]"
says "and so does Enter" input.plog "$list j j Enter" "Job › Page › [Band]"
at "/ goes to a function" input.plog "$list / 'Flush' Enter" "*Flush"
says ":over leaves the longer ones" input.plog "$list : 'over 200us' Enter" "4 calls over 200.000 µs"
says "and says so where none is" input.plog "$list : 'over 2s' Enter" "no call lasts longer"

# ---- info: it scrolls, and selects nothing ----
SIZE=80x12
top "info begins at the begin" gfx.perf.txt "8" "The profile"
top "j scrolls a line" gfx.perf.txt "8 j" "file           gfx.perf.txt"
top "k back" gfx.perf.txt "8 j j k" "file           gfx.perf.txt"
top "no further than the begin" gfx.perf.txt "8 k k" "The profile"
top "G to the end" gfx.perf.txt "8 G" "Reading it"
top "no further" gfx.perf.txt "8 G j j" "Reading it"
top "g to the begin" gfx.perf.txt "8 G g" "The profile"
top "Page Down a screen, of six lines" gfx.perf.txt "8 PgDn" "axis"
top "Page Up back" gfx.perf.txt "8 PgDn PgUp" "The profile"
top "^D half of it" gfx.perf.txt "8 ^D" "metrics"
top "^U back" gfx.perf.txt "8 ^D ^U" "The profile"
same "a click selects nothing" gfx.perf.txt "8" "8 Click:20,6"
chosen "the selection stays" gfx.perf.txt "3 / 'blit' Enter 8 j" blit
SIZE=80x24
"$PNAV" --size 80x24 --snapshot --keys 8 "$top_srcdir/tests/golden/hqnplog-cut/input.plog" \
	>screen 2>err
check "what could not be read is marked with !" \
	grep -q '^ ! .* 768' screen
# A caller is cut as functions are, a track as in the scrubber: the part that distinguishes them stays.
printf '[%s,%s,%s]' \
	'{"ph":"M","pid":7,"tid":10027,"name":"thread_name","args":{"name":"CompositorThreadPoolOfBrowser"}}' \
	'{"ph":"X","pid":7,"tid":10027,"name":"PrefetchMatchResolver::UnblockInternal","ts":0,"dur":90}' \
	'{"ph":"X","pid":7,"tid":10027,"name":"decode","ts":10,"dur":20}' >caller.json
SIZE=120x24
says "calls: of a caller its last part stays, of a track its number" caller.json "3 'G' 7 o" \
	" CompositorThre…fBrowser 10027 UnblockInternal"
SIZE=80x24
# A long name is whole in the detail pane: across it at the bottom, in more rows at the right.
long=$(i=100; while [ $i -lt 120 ]; do printf 'std::map<int, Item%d>, ' $i; i=$((i + 1)); done)
printf 'main;Outer<%s>::call 7\n' "$long" >long.folded
for SIZE in 200x60 150x34; do
	play long.folded 3
	sed '1,3d; s/.*│ //' screen | tr -d '\n ' | grep -o 'Item1[0-9][0-9]' | sort -u >items
	check "the detail pane has the whole of a long name at $SIZE" [ "$(wc -l <items)" -eq 20 ]
done
SIZE=80x24
# ---- tracks that cannot be compared, names that are alike, costs that are no times ----
# two threads of names that differ at the end; the second has another event alone, of large
# periods
{
	for i in 1 2 3; do
		printf 'CompositorThread 7/1000%d [000] %d.000000:    1000000 cpu-clock: \n' 1 $i
		printf '\t          400100 work+0x1 (/bin/p)\n\n'
	done
	printf 'CompositorThread 7/10002 [000] 3.500000: 1000000000 page-faults: \n'
	printf '\t          400200 fault+0x1 (/bin/p)\n\n'
} >two.perf.txt
at "tracks without the metric stand behind those that have it" two.perf.txt 5 "10001"
says "scrubber: the part that distinguishes names is visible" two.perf.txt "" " Composi…d 10001 "
cat >calls.callgrind <<'EOF'
# callgrind format
events: Ir
fn=main
1 10
cfn=work
calls=3 5
1 83000000
fn=work
5 83000000
EOF
says "instructions of calls are no times" calls.callgrind "3 7" " 83,000,000"
lacks "of any unit" calls.callgrind "3 7" "ms"
SIZE=120x30
says "lines: large counts are whole, with a blank between" calls.callgrind "3 6" \
	">83,000,000 100.0  83,000,000 100.0"
SIZE=110x30

# ---- values of calls ----
# Bytes of requests are samples without a length: the timeline has them in their metric alone.
lanes() { sed '1,/5 timeline/d' screen | grep -c '^[ >]depot.example:8443'; }
play "$top_srcdir/tests/golden/har-page/input.har" 5
check "a track of calls with values has one lane" eval '[ "$(lanes)" = 1 ]'
play "$top_srcdir/tests/golden/har-page/input.har" 5 --metric bytes
check "and the values another in their metric" eval '[ "$(lanes)" = 2 ]'
SIZE=80x24

# ---- tables of text ----
# One long name does not widen the rows of the others, and no line ends with blanks.
awk 'BEGIN { print "events: Ir\nfl=a.c\nfn=short\n1 2\nfn="; for (i = 0; i < 300; i++) printf "f";
	print "\n2 1" }' | awk '/^fn=$/ { printf "%s", $0; next } { print }' >long.callgrind
"$PNAV" report long.callgrind >table 2>err
check "a long row is as long as it must be" eval '[ "$(awk "length > 300" table | wc -l)" = 1 ]'
check "and the others are short" eval '[ "$(grep short table | wc -c)" -lt 160 ]'
"$PNAV" report "$top_srcdir/tests/golden/callgrind-arcs/input.callgrind" >table 2>err
check "no line of a table ends with a blank" eval '! grep -q " \$" table'
tap_done
