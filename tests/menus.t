#!/bin/sh
# What lies over the views and beside them: menus, lists, marks, help; the range, copies,
# the editor.  One line a promise of pnav(1).
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/play.sh"

cp "$top_srcdir/tests/golden/hqnplog-small/input.plog" .

# picked PROMISE FILE KEYS TEXT: the line of the menu that would be chosen has the text
picked()
{
	if play "$2" "$3" && grep '│▸' screen | grep -qF -- "$4"; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

# ---- labels ----
cp "$top_srcdir/tests/golden/chrome-label/input.json" labels.json
says "L lists labels" labels.json "L" "labels and their shares"
picked "L lists keys" labels.json "L" "bytes"
picked "and values" labels.json "L Down" "4096"
size=$SIZE
SIZE=120x40
says "the detail pane has those of the selected stack" labels.json "3" "label     cat=page  55.0 %"
says "and of all that is shown" labels.json "1 g" "label     cat=page  51.4 %"
SIZE=$size
says "Enter on a key groups" labels.json "L 'cat' Enter 3" "cat=net"
lacks "and again does not" labels.json "L 'cat' Enter L 'cat' Enter 3" "cat=net"
says "Enter on a value keeps it" labels.json "L Down Enter" "where bytes:=4096"
says "^X drops it" labels.json "L Down ^X" "where !bytes:=4096"
says "^O groups by its key" labels.json "L Down ^O" "by label bytes"
lacks "u takes it back" labels.json "L Down ^O u" "by label bytes"
says "a filter that matches nothing says so" labels.json ": 'hide nope' Enter" "hide 'nope' matches nothing"
says "... as does one of tracks" labels.json ": 'track nope' Enter" "track 'nope' matches nothing"
says "... and a label that is none" labels.json ": 'label nope' Enter" "label 'nope' matches nothing"
says "Tab completes keys" labels.json ": 'where by' Tab '4kB..' Enter" "where bytes:4kB.."
says "and values" labels.json ": 'where cat:p' Tab Enter" "where cat:page"
says "no labels" shop.folded "L" "this file has no labels"

# ---- menus ----
picked "j moves" shop.folded "b j" "line"
picked "and stops at the last" shop.folded "b j j j j j j" "module"
picked "k moves back" shop.folded "b j j k" "line"
picked "and stops at the first" shop.folded "b j k k k" "function"
picked "so do the arrows" shop.folded "b Down Down Up" "line"
picked "Home" shop.folded "b j j Home" "function"
picked "End" shop.folded "b End" "module"
picked "g, G" shop.folded "b G g" "function"
picked "Page Down" shop.folded "b PgDn" "module"
picked "Page Up" shop.folded "b PgDn PgUp" "function"
says "Enter chooses" shop.folded "b j j j j Enter" "by: module"
says "so does the letter in front" shop.folded "b m" "by: module"
same "Esc leaves everything as it was" shop.folded "2 b j Esc" "2"
same "and q" shop.folded "2 b j q" "2"
same "and ^C" shop.folded "2 b j ^C" "2"
same "a key that is none of the menu does nothing" shop.folded "b j" "b j z"
# The four lines of b are lines 10 to 13, in columns 22 to 57.
picked "a click moves" shop.folded "b Click:30,10" "line"
says "two choose" shop.folded "b Click2:30,13" "by: module"
same "one beside it leaves everything as it was" shop.folded "2 b j Click:5,11" "2"
same "one on its border does nothing" shop.folded "b j" "b j Click:30,8"
SIZE=80x12
picked "a menu that is higher than the screen scrolls" shop.folded "3 x G" "make root"
says "and says that there is more above" shop.folded "3 x G" "▴┐"
says "or below" shop.folded "3 x" "▾┘"
SIZE=80x24
picked "the metric that is shown is the first choice" input.plog "m" "time"
says "typing goes to another metric" input.plog "m 'cal' Enter" "metric: calls"
says "another is chosen" input.plog "m Down Enter" "metric: calls"

# ---- the list of filters ----
two="\\ 'load' Enter : 'hide parse' Enter F"
picked "filters stand in their order" shop.folded "$two" "load"
picked "J moves one down, K up" shop.folded "$two g J" "load"
if [ "$(grep -n 'hide' screen | head -n 1 | cut -d: -f1)" -lt "$(grep -n '│▸' screen | cut -d: -f1)" ]; then
	ok "so the other applies first"
else
	not_ok "so the other applies first" screen
fi
same "K moves it back" shop.folded "$two g" "$two g J K"
same "the first goes no further up" shop.folded "$two g" "$two g K"
same "the last no further down" shop.folded "$two G" "$two G J"
lacks "d deletes" shop.folded "$two g d" "include"
lacks "so does Delete" shop.folded "$two g Delete" "include"
says "Space switches off" shop.folded "$two g Space" "[ ] include"
same "and on" shop.folded "$two g" "$two g Space Space"
says "e edits the pattern" shop.folded "$two g e" "include: load"
says "as does Enter" shop.folded "$two g Enter" "include: load"
says "and what is entered takes its place" shop.folded "$two g e ^U 'render' Enter F" \
	"[x] include            render"
says "with those behind it as they were" shop.folded "$two g e ^U 'render' Enter F" \
	"[x] hide               parse"
same "Esc leaves it" shop.folded "$two g e ^U 'render' Esc F" "$two"
says "a adds one" shop.folded "$two a 'main' Enter F" "main"
same "u takes a change of the list back" shop.folded "$two g d Esc u" "$two Esc"
same "^R makes it again" shop.folded "$two g d Esc" "$two g d Esc u ^R"
says "there is nothing before the first" shop.folded "u" "nothing to undo"
says "nor after the last" shop.folded "^R" "nothing to redo"
printf 'exclude load\n' >spec
says "L loads filters" shop.folded "F L ^U 'spec' Enter" "leave 60.0 %"
says "behind those that are there" shop.folded "\\ 'render' Enter F L ^U 'spec' Enter" \
	"+render  -load  leave 55.0 %"
printf 'exclude (\n' >wrong
says "a file that is wrong is reported with its line" shop.folded "F L ^U 'wrong' Enter" "wrong:1:"
says "one that is not there, too" shop.folded "F L ^U 'nowhere' Enter" "nowhere: No such file"

# ---- tracks ----
i=0
while [ "$i" -lt 1002 ]; do
	printf 'worker-%d %d 1.%06d: 1000000 cpu-clock:\n\t401000 main (prog)\n\n' "$i" \
		$((1000 + i)) "$i"
	i=$((i + 1))
done >many.perf.txt
# In beat.perf.txt "main 100" has 600 of 900 ms and "io 101" 300 of them, both half until 100 ms.
says "t: Enter is this track and no other" beat.perf.txt "t Enter" "track =main 100  leave 66.7 %"
says "typing goes to one" beat.perf.txt "t 'io' Enter" "track =io 101  leave 33.3 %"
says "where another was the only one, too" beat.perf.txt "t Enter t 'io' Enter" \
	"track =io 101  leave 33.3 %"
says "Space switches one off" beat.perf.txt "t Down Space" "[ ] io 101"
says "and Enter leaves it out then" beat.perf.txt "t Down Space Enter 3 g" "track =main 100"
says "what they leave is reported" beat.perf.txt "t Down Space Enter" "track =main 100  leave 66.7 %"
says "and with a filter what both leave" beat.perf.txt "t Down Space Enter \\ 'rest' Enter" \
	"+rest  leave 33.3 %"
says "what Enter does is reported" beat.perf.txt "t" "Enter only this "
says "as it is after a switch" beat.perf.txt "t Space" "Enter apply"
SIZE=100x24
says "of the range" beat.perf.txt ": 'to 100ms' Enter t Down Space Enter" "leave 50.0 %"
SIZE=80x24
lacks "^A takes all" beat.perf.txt "t Space Down Space ^A" "[ ]"
lacks "and none" beat.perf.txt "t ^A" "[x]"
lacks "all on are no filter" beat.perf.txt "t Enter t ^A Enter" "track ="
says "^V and Space switch a range" beat.perf.txt "t ^V Down Space" "[ ] main 100"
says "to its other end" beat.perf.txt "t ^V Down Space" "[ ] io 101"
says "and on, where not all of it is" beat.perf.txt "t Space ^V Up Space" "[x] main 100"
says "Enter takes the range" threads.perf.txt "t ^V Down Enter" "track =worker-a 101"
says "Esc forgets it" threads.perf.txt "t ^V Down Esc Space" "[x] worker-a 101"
says "typing lists what has it" threads.perf.txt "t '-B'" "/-B_  1 of 5"
says "a / in front of it is no part of it" threads.perf.txt "t / '-B'" "/-B_  1 of 5"
lacks "and nothing else" threads.perf.txt "t '-B'" "worker-c 103   "
says "Enter is the one of them" threads.perf.txt "t 'worker-b' Enter" \
	"filters:  track =worker-b 102  leave 12.0 %"
says "^O takes those that it lists" threads.perf.txt "t 'worker-b' ^O Enter" \
	"filters:  track =worker-b 102  leave 12.0 %"
says "^A those as well" threads.perf.txt "t Enter t 'worker-b' ^A Enter" "leave 52.0 %"
says "what nothing has is reported" threads.perf.txt "t 'zz'" "/zz_  0 of 5"
same "Esc lists all again" threads.perf.txt "t 'zz' Esc" "t"
same "Backspace takes it back" threads.perf.txt "t 'worker-cx' Backspace Esc" \
	"t 'worker-c' Esc"
says "all letters are text there" threads.perf.txt "t 'aqovjkgG'" "/aqovjkgG_  0 of 5"
says "so is a / behind them" threads.perf.txt "t 'a/b'" "/a/b_  0 of 5"
says "Space is none" threads.perf.txt "t 'worker-b' Space" "[ ] worker-b 102"
says "from the timeline it begins at the track of the cursor" beat.perf.txt "5 PgDn t Enter" \
	"track =io 101  leave 33.3 %"
says "shares are of the range" beat.perf.txt ": 'to 100ms' Enter t" "50.0 %  thread"
says "a page is what is seen" many.perf.txt "t PgDn" "▸[x] worker-18 "
says "a thousand tracks are named, no more" many.perf.txt "t Space Enter" "at most 1000 tracks can be chosen"
says "a note gives way to the name of what is chosen" shop.folded "s" \
	"what is shown as pprof gzipped protocol buffer of go tool pprof"
SIZE=40x14
says "and stays in its box" shop.folded "s" "│ 2  what is shown as pprof gzipped p… │"
SIZE=80x24
says "of the tracks chosen x keeps those that the frame runs on" beat.perf.txt \
	": 'track main' Enter : 'track io' Enter 3 / 'loop' Enter x t" \
	"filters:  track =io 101  leave 33.3 %"
says "of more tracks than can be named none is kept" many.perf.txt "3 / 'f' Enter x t" \
	"it runs on more than 512 tracks"
says "none is no choice" beat.perf.txt "t ^A Enter" "no track was chosen"

# ---- marks ----
says "M a asks for a name, that of the frame" beat.perf.txt "3 / 'work' Enter M a" \
	"mark this as: work"
says "it is listed" beat.perf.txt "3 / 'work' Enter M a Enter M" "work  "
says "a name is proposed, which typing replaces" beat.perf.txt "j M a 'early' Enter M" "▸   early "
says "an arrow makes it the text" beat.perf.txt "j M a End 'x' Enter M" "mainx"
says "Enter takes it" beat.perf.txt "j M a Enter" "marked: main"
says "another name is taken" beat.perf.txt "M a ^U 'early' Enter M" "early"
lacks "no name is no mark" beat.perf.txt "M a ^U Enter M" "start"
lacks "Esc is none" beat.perf.txt "M a ^U 'early' Esc M" "early"
# The range is 100 to 300 ms, then all of it.
mark=": 'from 100ms' Enter : 'to 300ms' Enter : 'mark early' Enter"
says "a mark has the range" beat.perf.txt "$mark M" "100.000 ms … 300.000 ms"
says "Enter goes there" beat.perf.txt "$mark Tab Esc Tab M g Enter" "100.000 ms … 300.000 ms ("
says "u comes back" beat.perf.txt "$mark Tab Esc Tab M g Enter u" "whole run"
lacks "d deletes it" beat.perf.txt "$mark M g d" "early"
says "a share of the run stays one" beat.perf.txt ": 'from 10%' Enter : 'mark x' Enter M" \
	"10 % … end"

# ---- the range: 100 to 300 ms of 900 ----
range=": 'from 100ms' Enter : 'to 300ms' Enter"
says "} slides by a quarter" beat.perf.txt "$range }" "150.000 ms … 350.000 ms"
says "{ back" beat.perf.txt "$range {" "50.000 ms … 250.000 ms"
says "to the begin, no further" beat.perf.txt "$range { { { {" "0 ns … 200.000 ms"
says "or to the end" beat.perf.txt "$range } } } } } } } } } } } } } } } }" \
	"700.000 ms … 900.000 ms"
says "+ makes it half as wide again" beat.perf.txt "$range +" "50.000 ms … 350.000 ms"
same "= is the same" beat.perf.txt "$range +" "$range ="
says "- by a third less" beat.perf.txt "$range -" "133.333 ms … 266.666 ms"
same "wider than the run is the run" beat.perf.txt "Tab Esc Tab" \
	"$range + + + + + + + + + + Tab Esc Tab"
says "without times there is none" shop.folded "}" \
	"no timeline in this file: there is no range to choose"
says "nor a scrubber" shop.folded "Tab" "no timeline in this file: there is no scrubber"

# ---- help ----
says "? begins with the keys of the view" shop.folded "2 ?" "keys of the view tree"
lacks "Space turns the page" shop.folded "? Space" "boxes as wide as"
same "b turns it back" shop.folded "?" "? Space b"
same "as Page Down and Up" shop.folded "? Space" "? PgDn PgDn PgUp"
same "or ^F and ^B" shop.folded "? Space" "? ^F ^F ^B"
says "j goes a line" shop.folded "? j" "2-23 of"
says "so does Enter" shop.folded "? Enter" "2-23 of"
same "k comes back" shop.folded "? j" "? j j k"
says "^D half a page" shop.folded "? ^D" "12-33 of"
same "^U comes back" shop.folded "?" "? ^D ^U"
says "G is the end" shop.folded "? G" "quit"
same "g the begin" shop.folded "?" "? G g"
same "as End and Home" shop.folded "? G" "? Home End"
says "/ finds" shop.folded "? / 'granularity' Esc / 'what counts as' Enter" "▸"
same "n goes on, N back" shop.folded "? / 'the' Enter" "? / 'the' Enter n N"
same "round at the end, too" shop.folded "? / 'the' Enter" "? / 'the' Enter N n"
says "what is not there is reported" shop.folded "? / 'zzz' Enter" "not found: zzz"
same "q goes back" shop.folded "2" "2 ? q"
same "and Esc" shop.folded "2" "2 ? Esc"

# ---- copies ----
says "y copies the name" beat.perf.txt "3 / 'work' Enter y" "work"
says "Y the command line" shop.folded "3 Y" "pnav --view functions"
SIZE=200x24
says "with the places of the sources" shop.folded "3 Y" \
	"--source-dir /build=/home/me/src" --source-dir /build=/home/me/src
SIZE=80x24
says "n before any search" shop.folded "n" "nothing was searched yet: / searches"

# ---- sources and the editor, which needs a terminal: here it is only reported ----
EDITOR="vi"
export EDITOR
unset VISUAL
says "e in the source view is at its line" gfx.perf.txt "6 e" "vi +2 gfx/draw.c"
says "elsewhere at the function" gfx.perf.txt "3 / 'blit' Enter e" "gfx/draw.c"
says "nothing is selected" gfx.perf.txt "2 g e" "select a function first"
says "no file is known" shop.folded "3 e" "the profile does not name the file of this"
says "the file is not there" gfx.perf.txt "3 / 'main' Enter e" \
	"main.c is not found: --source-dir FROM=TO says where it is"
mkdir -p src/deep
printf 'int\nmain(void)\n{\n\treturn draw(3);\n}\n' >src/deep/main.c
says "--source-dir =TO: wherever below it the end of the path is" gfx.perf.txt "3 / 'main' Enter 6" \
	"return draw(3);" --source-dir =src/deep
mkdir moved
printf 'static void\nblit(void) {} /* moved */\n' >moved/draw.c
says "--source-dir FROM=TO" gfx.perf.txt "6" "blit(void) {} /* moved */" \
	--source-dir x=y --source-dir gfx=moved
says "the first that leads to a file counts" gfx.perf.txt "3 / 'main' Enter 6" \
	"return draw(3);" --source-dir =nowhere --source-dir =src/deep
for form in "nano|nano +2 gfx/draw.c" "code --wait|code --wait -g gfx/draw.c:2" \
	"/opt/bin/subl|/opt/bin/subl gfx/draw.c:2" "kate|kate -l 2 gfx/draw.c" \
	"idea|idea --line 2 gfx/draw.c" "unknown|unknown gfx/draw.c"; do
	EDITOR=${form%%|*}
	says "an editor gets the line: ${form#*|}" gfx.perf.txt "6 e" "no terminal to run ${form#*|}"
done
VISUAL="emacs"
export VISUAL
says "VISUAL wins" gfx.perf.txt "6 e" "emacs +2 gfx/draw.c"
VISUAL='' EDITOR=''
says "without both it is vi" gfx.perf.txt "6 e" "vi +2 gfx/draw.c"
tap_done
