#!/bin/sh
# Sessions, marks, exports from the browser, and the user's pnavrc.  A session is right
# when the screen after it is the screen before it; pnavrc when a key does what it says.
leaks=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C.UTF-8
export LC_ALL
cp "$top_srcdir/tests/screens/beat.perf.txt" "$top_srcdir/tests/screens/modules.perf.txt" \
	"$top_srcdir/tests/screens/shop.folded" "$scratch"
cd "$scratch" || exit 99
XDG_CONFIG_HOME=$scratch/config
export XDG_CONFIG_HOME

# screen KEYS [OPTION...]: the screen after these keys, without its last line, where the
# last message stands
screen()
{
	screen_keys=$1
	shift
	"$PNAV" --size 80x24 --snapshot --keys "$screen_keys" "$@" 2>err | sed '$d'
}

has()
{
	if grep -qF -- "$3" "$2"; then
		ok "$1"
	else
		not_ok "$1" "$2"
	fi
}

# ---- sessions ----
# A selection, a zoom, a range, an entry that is switched off, a sort order, a search.
keys="j j Enter j Tab Right Right [ S-Right S-Right ] Tab : 'hide read' Enter F Space Esc"
keys="$keys : 'mark the slow one' Enter 3 > r / 'a' Enter"
screen "$keys s s Enter" beat.perf.txt >before
screen "" --session beat.pnav >after
check "a session gives the same screen" cmp before after
screen "1" --session beat.pnav >after
screen "$keys 1" beat.perf.txt >before
check "and the zoom and the selection are the same in another view" cmp before after
check "with the entry that is switched off" grep -qx "entry ~hide read" beat.pnav
screen "M" --session beat.pnav >after
has "a mark is listed with its range" after "the slow one  29.032 ms … 333.870 ms"
# Functions of two files have one name: the path is looked for below each of them.
cp "$top_srcdir/tests/screens/same-names.json" .
screen "2 E G" same-names.json >before
screen "2 E G s s ^U 'same.pnav' Enter" same-names.json >/dev/null
screen "" --session same.pnav >after
check "a session finds a path below the second of two functions of one name" cmp before after
screen "4 o" --size 100x40 beat.perf.txt >before
screen "4 o s s ^U 'outline.pnav' Enter" --size 100x40 beat.perf.txt >/dev/null
screen "" --size 100x40 --session outline.pnav >after
check "a session keeps the outline of callers" cmp before after
check "... in lines without a blank at their ends" sh -c '! grep " $" outline.pnav'
# What no line can hold comes back, too: line ends and controls, in patterns, in the
# search, in the name of a mark, in a path, and a blank in front.
cp beat.perf.txt " beat
2.txt"
nl='
'
set -- --include "read|x${nl}y" --exclude "$(printf 'z\033\r')" " beat${nl}2.txt"
screen "/ 'wri' Enter" "$@" >before
screen "/ 'wri' Enter s s ^U 'lines.pnav' Enter" "$@" >/dev/null
screen "" --session lines.pnav >after
check "a session keeps what no line can hold" cmp before after
has "in quotes" lines.pnav "\$'entry include read|x\\012y'"
has "the path too" lines.pnav "/ beat\\0122.txt'"
check "and nothing in it acts on a terminal" sh -c '! LC_ALL=C grep -q "[^ -~]" lines.pnav'
printf '%s\n' '# pnav session' 'file beat.perf.txt' "\$'search wr\\151'" "\$'metric x" >by-hand.pnav
"$PNAV" --size 80x24 --snapshot --keys 1 --session by-hand.pnav >after 2>err
has "quotes by hand" after "/wri"
has "quotes that do not end are a fault of that line" err "by-hand.pnav:4: the quotes"

"$PNAV" pack --session beat.pnav -o packed.pnav 2>err
has "a packed profile says that it lacks the marks" err "the marks of the session are left out"

# Clearing the range and going to the mark gives the range back.
screen "Tab Esc Tab M Enter" --session beat.pnav >after
has "and it is gone to" after "29.032 ms … 333.870 ms (304.838 ms, 33.9 %)"
screen "M d Esc s s ^U 'gone.pnav' Enter" --session beat.pnav >/dev/null
if [ -f gone.pnav ] && ! grep -q '^mark' gone.pnav; then
	ok "a mark is deleted"
else
	not_ok "a mark is deleted" gone.pnav
fi
# Options of the command line after --session win.
screen "" --session beat.pnav --view tree >after
has "--view behind --session wins" after "[2 tree]"

mkdir moved && cp beat.pnav moved && mv beat.perf.txt moved
screen "" --session moved/beat.pnav >after
has "a file that moved along with its session is found" after "[3 functions]"
cp moved/beat.perf.txt .

{
	cat beat.pnav
	printf 'frob\nfrom x\nentry hide (\nview nope\nselect\0x\n'
} >bad.pnav
"$PNAV" --snapshot --session bad.pnav >after 2>err
lines=$(wc -l <beat.pnav)
has "a wrong line of a session is told with file and line" err \
	"pnav: bad.pnav:$((lines + 1)): unknown word 'frob'"
has "as is a wrong time" err "bad.pnav:$((lines + 2)): 'x' is not a time"
has "a pattern, in PCRE2's words" err "bad.pnav:$((lines + 3)): pattern '(': at 1: missing"
has "a view" err "bad.pnav:$((lines + 4)): no such view: 'nope'"
has "a NUL byte" err "bad.pnav:$((lines + 5)): a NUL byte"
has "and the rest applies" after "[3 functions]"
"$PNAV" --snapshot --session shop.folded >out 2>err
status=$?
[ $status = 2 ] && [ ! -s out ] && grep -q "no session" err &&
	ok "what is no session is wrong usage" || not_ok "what is no session is wrong usage" err
"$PNAV" --snapshot --session nowhere >out 2>err
[ $? = 2 ] && grep -q "nowhere: No such file" err &&
	ok "as is one that is not there" || not_ok "as is one that is not there" err

# ---- what is compared with, how files are read, how views are set up ----
# written SESSION KEYS [ARG...]: saves a session; `before` is the screen then
written()
{
	rm -f "$1"
	written_name=$1 written_keys=$2
	shift 2
	screen "$written_keys : 'save' Enter s ^U '$written_name' Enter" "$@" >before
}
written base.pnav "Tab End S-Left S-Left S-Left [ v Home ] Tab" beat.perf.txt
screen "" --session base.pnav >after
check "a session gives the comparison again" cmp before after
has "with its base on the scrubber" after "█(█"
check "as a line of the session" grep -qx "base 450000001ns -" base.pnav
# The last half has 7 of the 15 samples, of rest and read; the first half, which is as long within a
# thousandth, five of work and three of read.
screen "" --session base.pnav --to 450050us >after
has "the command line changes the range, not the base" after "was 7, now 8"
printf '%s\n' "function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure" \
	"work,,,/srv/beat,user,,5,5,0,0,5,5,5,0,12,no" >expected
"$PNAV" report --session base.pnav --to 450050us --limit 1 --format csv >out 2>err
check "the report of a session is that of its files and its lens" cmp expected out
"$PNAV" --session base.pnav --to 450050us >out 2>err
"$PNAV" report --to 450050us --base-from 450000001ns beat.perf.txt >expected 2>>err
check "and so is what the browser prints where there is no terminal" cmp expected out

written time.pnav "5 w w d" beat.perf.txt
screen "" --session time.pnav >after
check "a session keeps the window of the timeline" cmp before after
# f costs most at the begin, the window and the cursor are at the end, where nothing runs
printf '[%s,%s,%s]' '{"ph":"X","name":"f","pid":1,"tid":1,"ts":0,"dur":40}' \
	'{"ph":"X","name":"f","pid":1,"tid":1,"ts":60,"dur":5}' \
	'{"ph":"X","name":"g","pid":1,"tid":2,"ts":95,"dur":5}' >late.json
screen "5 . w d d d G S s ^U 'late.pnav' Enter" late.json >before
screen "" --session late.pnav >after
has "... where the selected function is not" before "100 µs"
check "... and its cursor" cmp before after
written chains.pnav "c 2" beat.perf.txt
screen "" --session chains.pnav >after
check "and chains" cmp before after
written sure.pnav "Tab End S-Left S-Left S-Left [ v Home ] Tab 3 ~" beat.perf.txt
screen "" --session sure.pnav >after
check "and that only what is sure is shown" cmp before after
has "which it says" after "~ 5 hidden"
written colours.pnav "1 : 'colour module' Enter" modules.perf.txt
screen "" --session colours.pnav >after
check "and what colours tell" cmp before after
screen "1 : 'color module' Enter" modules.perf.txt >after
check "under its other spelling, too" cmp before after
screen "" --session colours.pnav --colour-by kind >after
check "which the command line changes" test 0 = "$(grep -c "modules: " after)"
mkdir -p hued/pnav && echo "colour-by file" >hued/pnav/pnavrc
XDG_CONFIG_HOME=hued "$PNAV" --size 80x24 --snapshot --keys 1 modules.perf.txt >after 2>err
has "and pnavrc begins with" after "files: unknown for all frames"
written rule.pnav "4 E" beat.perf.txt
screen "" --session rule.pnav >after
check "and that all callers are open" cmp before after

# kept NAME WORD KEYS FILE: the session has the line WORD, and gives the same screen
kept()
{
	written kept.pnav "$3" "$4"
	screen "" --session kept.pnav >after
	check "$1" cmp before after
	check "... as a line of the session: $2" grep -qx -- "$2" kept.pnav
}
cp "$top_srcdir/tests/golden/hqnplog-small/input.plog" .
kept "a session keeps what one frame is" "by module" "b m 3" beat.perf.txt
kept "that stacks are turned over" "invert" "I 2" beat.perf.txt
kept "the metric" "metric calls" "m Down Enter 2" input.plog
kept "a range in shares of the run" "from 10.0000000%" ": 'from 10%' Enter 2" beat.perf.txt
kept "the tracks of a base" "base-track =main 100" "t Enter v t ^A Enter 2" beat.perf.txt
kept "the half of the calls" "state calls list" "7 o" input.plog
kept "what its list is of, its order and its limit" \
	"state calls list self reversed all over 30000" "7 o a > r : 'over 30us' Enter" input.plog
kept "and of which functions it is" "state calls list all only ^Ba" "7 o f '^Ba' Enter" input.plog
kept "and the time that the other half shows" "state calls net over 30000" \
	": 'over 30us' Enter o g" input.plog
kept "that all lines of the tree are open" "state tree open" "2 E" input.plog
cp "$top_srcdir/tests/screens/shop-later.folded" .
"$PNAV" diff --size 80x24 --snapshot --keys "2 s s ^U 'two.pnav' Enter" shop.folded \
	shop-later.folded >before 2>err
check "a session keeps that files are compared" grep -qx compare two.pnav
"$PNAV" diff --size 80x24 --snapshot --keys 2 shop.folded shop-later.folded 2>err | sed '$d' >before
screen "" --session two.pnav >after
check "and compares them again" cmp before after
printf '%s\n' '# pnav session' 'file beat.perf.txt' 'by nose' 'compare with' 'invert twice' \
	'entry frob x' 'option' 'file' 'mark-select main' >bad.pnav
screen "" --session bad.pnav >after
has "a wrong word behind by is told" err "bad.pnav:3: by function, line, address, file or module, not 'nose'"
has "a value that is none" err "bad.pnav:4: compare takes how many files are the base"
has "another" err "bad.pnav:5: invert takes no value"
has "a verb that is none" err "bad.pnav:6: unknown verb 'frob'"
has "an option without a name" err "bad.pnav:7: which option?"
has "a file without a name" err "bad.pnav:8: which file?"
has "a frame of no mark" err "bad.pnav:9: there is no mark above"
has "and the rest applies" after "beat.perf.txt"

written zero.pnav "3" --zero --bsprof-time-unit us beat.perf.txt
check "options of the formats are kept" \
	grep -qx "option bsprof-time-unit us" zero.pnav
"$PNAV" --size 160x24 --snapshot --keys Y --session zero.pnav --bsprof-time-unit ns >after 2>err
has "and repeated by Y, once, as the command line has them" after \
	"copied: pnav --zero --bsprof-time-unit ns --view functions"
printf '%s\n' '# pnav session' 'file beat.perf.txt' 'option frob' 'option bsprof-time-unit h' \
	'base 1s' 'base-track x' 'option zero 1' >bad.pnav
"$PNAV" --snapshot --session bad.pnav >after 2>err
has "a wrong option of a session is told" err "bad.pnav:3: no format has an option 'frob'"
has "and its wrong value" err "bad.pnav:4: --bsprof-time-unit takes ms, us or ns, not 'h'"
has "a base that is no range" err "bad.pnav:5: a base is FROM TO"
has "its tracks without it" err "bad.pnav:6: there is no base above"
has "a value that is none" err "bad.pnav:7: option zero takes no value"

# What Y copies gives the screen that it was copied on.  Keys follow it.
# again NAME KEYS FILE
again()
{
	"$PNAV" --size 250x24 --snapshot --keys "$2 Y" "$3" 2>err |
		sed -n '$s/   .*//; $s/^copied: pnav //p' >command
	"$PNAV" --size 250x24 --snapshot --keys "$2" "$3" 2>>err | sed '$d' >before
	eval "\"\$PNAV\" --size 250x24 --snapshot $(cat command)" 2>>err | sed '$d' >after
	check "$1" cmp before after
}
again "Y keeps the base" "Tab End S-Left S-Left S-Left [ v Home ] Tab 2" beat.perf.txt
has "as options" command " --base-from 777631580ns --view tree "
again "and the tracks of the base" "t Enter v t ^A Enter 2" beat.perf.txt
again "and the window of the timeline" "5 w w" beat.perf.txt
again "and the order of its tracks, and those that are pinned" "5 P o" input.plog
has "by their names, as words" command "timeline by-file pin=0:thread%200x10"
again "and the search" "2 / 'work' Enter" beat.perf.txt
again "and the order of the table" "3 > r" beat.perf.txt
again "and the flame by time" "T R" beat.perf.txt
again "and chains" "c" beat.perf.txt
again "and the zoom of the flame, with the selection below it" "j j Enter j" beat.perf.txt
has "as the names from the root" command " --select main --select"
again "and the function selected in a table" "3 j j" beat.perf.txt
again "and the list of calls" "7 o a > r : 'over 30us' Enter" input.plog
again "and its other half" "7 o r o j" input.plog

# ---- a pipe ----
screen "s s ^U 'pipe.pnav' Enter" - <beat.perf.txt >after
check "a session of a pipe says so" grep -qx "file -" pipe.pnav
"$PNAV" report --session pipe.pnav --format csv <beat.perf.txt >out 2>err
"$PNAV" report --format csv beat.perf.txt >expected 2>>err
check "and goes on with another pipe" cmp expected out
screen "" --session pipe.pnav beat.perf.txt >after
has "or with a file that has a name" after "beat.perf.txt"

# ---- exports: what the browser writes is what `export` writes ----
number=$("$PNAV" formats | grep '^write' | grep -n 'write  folded' | cut -d: -f1)
screen "\\ 'load' Enter s $number Enter" shop.folded >after
"$PNAV" export --format folded --include load -o expected shop.folded
check "s exports what is shown" cmp expected pnav-shop.folded
screen "\\ 'load' Enter s $number Enter" shop.folded >after
has "and does not write over it" after "pnav-shop.folded: File exists"
screen "s" shop.folded >after
has "the menu of s tells what each file is for" after "--session"
has "and lists the formats" after "what is shown as folded"
screen "s c Enter" --color=8 shop.folded >/dev/null
"$PNAV" --size 80x24 --snapshot=ansi shop.folded >expected
check "s saves the screen with its colours" cmp expected pnav-screen.ansi

# ---- pnavrc ----
# rc LINE...: this is pnavrc
rc()
{
	mkdir -p config/pnav
	printf '%s\n' "$@" >config/pnav/pnavrc
}

rc 'bind Z functions' 'unbind 2' '# a comment' '' 'bind + invert'
screen "Z" shop.folded >after
has "bind: the key does it" after "[3 functions]"
screen "2" shop.folded >after
has "unbind: the key does nothing" after "[1 flame]"
# + opens a line in the tree; the user's + is for all views.
"$PNAV" --size 100x24 --snapshot --keys ": 'tree' Enter +" shop.folded >after 2>err
has "bind: an action of all views takes the key from a view's own" after "inverted"
screen "? / 'table of all' Enter" shop.folded >after
has "the help shows the user's key" after "3 Z "

rc 'view functions' 'columns self function' 'by module' 'ascii on'
screen "" shop.folded >after
has "view: where to begin" after "[3 functions]"
grep -q "Total%" after && not_ok "columns: these alone" after || ok "columns: these alone"
has "by: what one frame is" after "by: module"
LC_ALL=C grep -q '[^ -~]' after && not_ok "ascii on" after || ok "ascii on"
screen "" --view flame --by function shop.folded >after
has "the command line wins" after "[1 flame]"
screen "" --no-config shop.folded >after
has "--no-config leaves it unread" after "[1 flame]"

rc 'colour tab-here 200 17 underline'
"$PNAV" --snapshot=ansi --color=256 shop.folded >after 2>err
has "colour: an ink looks as it says" after "$(printf '\033[0;4;38;5;200;48;5;17m[1 flame]')"
"$PNAV" --snapshot=ansi --color=8 shop.folded >after 2>err
grep -q '38;5' after && not_ok "a colour that the terminal has not is left" after ||
	ok "a colour that the terminal has not is left"

rc 'bind Zz flame' 'bind Z fly' 'colour nose 1' 'colour text 300' 'columns self nose' 'by tree' \
	'ascii maybe' 'source-dir x' 'frob' 'bind Z info'
"$PNAV" --snapshot --keys "Z" shop.folded >after 2>err
file=config/pnav/pnavrc
for fault in "1: no such key: 'Zz'" "2: no such action: 'fly'" "3: no such ink: 'nose'" \
	"4: no such colour: '300'" "5: no such column: 'nose'" \
	"6: by function, line, address, file or module, not 'tree'" "7: on or off, not 'maybe'" \
	"8: source-dir takes FROM=TO, not 'x'" "9: unknown word 'frob'"; do
	has "a wrong line is told: $fault" err "$file:$fault"
done
has "the rest applies" after "[8 info]"
screen "" shop.folded >after
"$PNAV" --snapshot shop.folded 2>/dev/null | tail -n 1 >after
has "and the browser says so at once" after "9 wrong lines (8 lists them): "
"$PNAV" --snapshot --size 80x40 --keys "8" shop.folded >after 2>/dev/null
has "the view info has a heading for them" after "Ignored settings"
has "and lists each with its line and its reason" after "/$file:9: unknown word 'frob'"

rc 'bind' 'bind Z' 'unbind' 'unbind Z functions' 'colour text bold' 'colour text 1 2 nose' 'color 12' 'view nose'
"$PNAV" --snapshot shop.folded >after 2>err
for fault in "1: which key?" "2: which action?" "4: unbind takes one key" \
	"6: no such attribute: 'nose'" "8: no such view: 'nose'"; do
	has "a wrong line is told: $fault" err "$file:$fault"
done
rc 'view functions'
mkdir -p home/.config
mv config/pnav home/.config/pnav
(unset XDG_CONFIG_HOME; HOME=$scratch/home "$PNAV" --size 80x24 --snapshot shop.folded) >after 2>err
has "pnavrc is in ~/.config where nothing else is said" after "[3 functions]"
mkdir -p config/pnav

rm -r config
screen ": 'bind Z functions' Enter Z" shop.folded >after
has ":bind binds" after "[3 functions]"
"$PNAV" --snapshot --keys ": 'bind Z fly' Enter" shop.folded >after
has "and says what is wrong at the prompt" after "no such action: 'fly'"

# The example that comes with pnav is read without a fault.
mkdir -p config/pnav
cp "$top_srcdir/data/pnavrc.example" config/pnav/pnavrc
"$PNAV" --snapshot shop.folded >after 2>err
check "the example has no fault" test ! -s err
# And with all its lines switched on.
sed 's/^#\([a-z]\)/\1/' "$top_srcdir/data/pnavrc.example" >config/pnav/pnavrc
"$PNAV" --snapshot shop.folded >after 2>err
if [ ! -s err ] && grep -q '^[a-z]' config/pnav/pnavrc; then
	ok "nor has any line of it"
else
	not_ok "nor has any line of it" err
fi

# A report whose numbers would be others than the session says is none.
for line in 'entry include (((' 'from x' 'frob 1' 'option zero 1' 'base 1s' 'by nose' 'file'; do
	printf '%s\n' '# pnav session' 'file shop.folded' "$line" 'view functions' >broken.pnav
	"$PNAV" report --session broken.pnav >out 2>err
	status=$?
	[ $status = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] && grep -q "broken.pnav:3: " err &&
		ok "a report is refused: $line" || not_ok "a report is refused: $line" err
done
"$PNAV" --session broken.pnav >out 2>err
status=$?
[ $status = 2 ] && [ ! -s out ] && ok "so it is where the browser is in a pipe" ||
	not_ok "so it is where the browser is in a pipe" err
printf '%s\n' '# pnav session' 'file shop.folded' 'view nope' 'state' 'colour-by x' >broken.pnav
"$PNAV" report --session broken.pnav >out 2>err
status=$?
"$PNAV" report shop.folded >whole
[ $status = 0 ] && cmp -s out whole && [ "$(wc -l <err)" = 3 ] &&
	ok "lines about the screen change no report" || not_ok "lines about the screen change no report" err

# A session comes from anybody: it asks no servers by itself.
printf '%s\n' '# pnav session' 'file shop.folded' 'option debuginfod' 'view functions' >asks.pnav
DEBUGINFOD_URLS=http://127.0.0.1:9/ "$PNAV" report --session asks.pnav >out 2>err </dev/null
has "debuginfod is left out" err "asks.pnav: --debuginfod is left out"
check "and the report is there" cmp out whole
DEBUGINFOD_URLS=http://127.0.0.1:9/ "$PNAV" report --debuginfod --session asks.pnav >out 2>err </dev/null
check "unless the command line has it" test ! -s err
pty=$top_builddir/tests/lib/pty
if [ -x "$pty" ]; then
	for answer in n y; do
		DEBUGINFOD_URLS=http://127.0.0.1:9/ "$pty" -w 'Allow it' -k "$answer
" "$PNAV" report --session asks.pnav >out 2>&1
		grep -q 'asks.pnav has --debuginfod' out && case $answer in
		n) grep -q 'is left out' out ;;
		y) ! grep -q 'is left out' out ;;
		esac && ok "at a terminal it is asked: $answer" || not_ok "at a terminal it is asked: $answer" out
	done
else
	skip "at a terminal it is asked" "tests/lib/pty is not built"
fi
# Y keeps the row that stands where the user has not moved: another view would choose another one.
for keys in "3 r 4" "3 > > 4" "3 r 1" "3 r 5"; do
	"$PNAV" --size 300x30 --snapshot --keys "$keys" beat.perf.txt 2>err | head -n 29 >expected
	"$PNAV" --size 300x30 --snapshot --keys "$keys Y" beat.perf.txt 2>err |
		sed -n 's/^copied: \(pnav .*beat.perf.txt\) .*/\1/p' >command
	command=$(sed 's/^pnav/"$PNAV" --size 300x30 --snapshot --keys ""/' command)
	eval "$command" 2>err | head -n 29 >screen
	grep -q -e '--select' command && cmp -s expected screen && ok "the command of Y shows the same: $keys" || {
		cat command err
		diff expected screen
	} >why
	[ ! -s why ] || not_ok "the command of Y shows the same: $keys" why
	rm -f why
done
"$PNAV" --size 300x30 --snapshot --keys "3 r Y" beat.perf.txt >screen 2>err
grep -q "copied: pnav .*--view functions" screen && ! grep -q -e '--select' screen &&
	ok "what the view itself proposes is not written" ||
	not_ok "what the view itself proposes is not written" screen
tap_done
