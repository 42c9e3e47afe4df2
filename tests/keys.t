#!/bin/sh
# Keys and clicks that pnav(1) promises, one line a promise: what a screen says after them.
# Where the whole of a screen matters, it is in screens/.  Here: prompts, searches, filters,
# and the rows of the tree, of callers and of tables.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

. "$top_srcdir/tests/lib/play.sh"

# ---- prompts ----
asks "^A goes to the begin" "/ 'parse' ^A 'x'" "/xparse"
asks "Home, too" "/ 'parse' Home 'x'" "/xparse"
asks "^E to the end" "/ 'parse' ^A ^E 'x'" "/parsex"
asks "End, too" "/ 'parse' ^A End 'x'" "/parsex"
asks "^B a character back" "/ 'parse' ^B ^B 'x'" "/parxse"
asks "and so Left" "/ 'parse' Left Left 'x'" "/parxse"
asks "^F a character on" "/ 'parse' ^A ^F 'x'" "/pxarse"
asks "and so Right" "/ 'parse' ^A Right Right 'x'" "/paxrse"
asks "neither leaves the text" "/ 'ab' ^F Right 'x' ^A ^B Left 'y'" "/yabx"
asks "^U drops what is before" "/ 'parse' ^B ^B ^U" "/se"
asks "^K drops what is behind" "/ 'parse' ^B ^B ^K" "/par"
asks "^W drops a word and the blanks behind it" ": 'hide some thing ' ^W" ":hide some"
asks "and keeps what is behind the cursor" ": 'hide some thing' ^A ^F ^F ^F ^F ^F ^F ^F ^W" \
	":hide me thing"
asks "Backspace drops the character before" "/ 'parse' ^B Backspace" "/pare"
asks "and ^H" "/ 'parse' ^H" "/pars"
asks "Delete the one under the cursor" "/ 'parse' ^A Delete" "/arse"
asks "and ^D" "/ 'parse' ^A ^F ^D" "/prse"
asks "at the end there is none" "/ 'parse' Delete ^D" "/parse"
asks "characters are whole" "/ 'aé主b' Left Backspace Left Delete" "/ab"
asks "with their combining marks" "/ 'ae$(printf '\314\201')b' Left Backspace" "/ab"
says "Backspace in an empty prompt leaves it" shop.folded "/ 'a' Backspace Backspace 3" \
	"[3 functions]"
says "^G leaves it, too" shop.folded "/ 'a' ^G 3" "[3 functions]"
says "and ^C, which quits nothing then" shop.folded "/ 'a' ^C 3" "[3 functions]"
long=12345678901234567890123456789012345678901234567890123456789012345678901234567890
play shop.folded "/ '${long}end'"
check "a text that is wider than the screen shows its end" sh -c "tail -n 1 screen | grep -q '^/.*67890end$'"
play shop.folded "/ '${long}end' ^A"
check "and its begin, when the cursor is there" sh -c "tail -n 1 screen | grep -q '^/12345'"

# ---- what was entered before ----
twice="/ 'parse' Enter / 'load' Enter"
asks "Up recalls the last" "$twice / Up" "/load"
asks "and the one before" "$twice / Up Up" "/parse"
asks "before that there is none" "$twice / Up Up Up Up" "/parse"
asks "Down comes back" "$twice / Up Up Down" "/load"
asks "to the empty line" "$twice / Up Down Down" "/"
asks "as do ^P and ^N" "$twice / ^P ^P ^N" "/load"
asks "the same twice is one" "$twice / 'load' Enter / Up Up" "/parse"
asks "what was left with Esc is forgotten" "$twice / 'draw' Esc / Up" "/load"
asks "filters are others than searches" "$twice \\ Up" "include:"
asks "a recalled line can be edited" "$twice / Up Backspace" "/loa"

# ---- the bottom line ----
# What a newcomer needs is named in every view, as far as the width goes.
named()
{
	named_file=$1
	shift
	for view in 1 2 3 4 6 7 8; do
		play "$named_file" "$view"
		tail -n 1 screen >bottom
		for word in "$@"; do
			grep -qF -- "$word" bottom || return 1
		done
	done
}
check "range, filter, tracks, save and help are named in each view at 80 columns" \
	named gfx.perf.txt "Tab range" "\\ filter" "t tracks" " save" "? help"
SIZE=40x12
check "at 40 range, filter and help" named gfx.perf.txt "Tab range" "\\ filter" "? help"
SIZE=80x24
says "where Enter makes the range, Tab goes to the scrubber" gfx.perf.txt 5 \
	"Enter range  Tab scrubber  \\ filter  t tracks  S save  ? help"
lacks "where it does not, Tab is named as that" gfx.perf.txt "5 w w w" "scrubber"
printf 'm;a;x -90\nm;a;x;c 20\nm;b;x 30\nm;y 100\nz 40\n' >negative.folded
SIZE=110x40
says "the sandwich draws callers of a total below 0" negative.folded "3 / '^x$' Enter 4" \
	"▼a  -175.0 %                                     │       b  75.0 %"
says "... and its callees" negative.folded "3 / '^x$' Enter 4" "   c  50.0 %"
SIZE=80x24
# a counter, and a thread with a gap between two slices
cat >gap.json <<'EOT'
[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"main"},
{"ph":"C","pid":1,"ts":0,"name":"cnt","args":{"v":1}},{"ph":"C","pid":1,"ts":50,"name":"cnt","args":{"v":5}},
{"ph":"X","pid":1,"tid":2,"ts":80,"dur":5,"name":"f"},{"ph":"X","pid":1,"tid":2,"ts":90,"dur":5,"name":"f"}]
EOT
says "Enter on a counter makes no range" gap.json "5 Down Down Enter" " whole run"
lacks "nor is it named there" gap.json "5 Down Down" "Enter range"
says "A without a counter says so" gfx.perf.txt "5 A" "no chosen track has a counter"
lacks "nor does f have an effect where the slice is the run" gap.json "5" "f fit"
says "an open menu has its own keys below" gap.json "5 t" " Esc close  type to search"
SIZE=120x24
says "o leads back to the numbers of calls" gap.json "3 7 o" "o numbers"
says "... and from the outline to the flame" gap.json "3 4" "o flame"
SIZE=80x24
says "no step leads behind a slice that the run ends with" gap.json "5 ." "nothing later on this track"
says "so Enter takes the slice" gap.json "5 . Enter" "0 ns … 100.000 µs"
says "in the gap between two slices it does" gap.json "5 Down . . Left Left Enter" \
	"85.000 µs … 90.000 µs"
says "the scrubber names the arrows first" gfx.perf.txt Tab " ← → move  [ start  ] end  Tab view"
says "in ASCII they would look like < and >" gfx.perf.txt Tab \
	" h l move  [ start  ] end  Tab view" --ascii
lacks "without times no range is named" shop.folded "" "range"
lacks "in a view of calls without calls none is chosen" shop.folded "7" "k up"
lacks "and the longest is not gone to" shop.folded "7" "Enter"
lacks "in callers nothing opens at a leaf" shop.folded "/ 'draw' Enter Esc 4" "Space open"
lacks "nor does the function in the middle close" again.folded "/ 'load' Enter Esc 4" "Space open"
says "at a callee that has callees Space opens" shop.folded "/ 'main' Enter Esc 4 j" "Space open"
lacks "the way out of a zoom is named in a zoom" shop.folded "" "Backspace"
SIZE=120x24
says "and there it is" shop.folded "j j Enter" "Backspace out"
lacks "there is nothing to undo at first" shop.folded "" "u undo"
SIZE=160x24
says "then there is" shop.folded "3 I" "u undo"
says "after a search the next match, and copying its name" shop.folded "/ 'parse' Enter" \
	"match 1 of 1   n next  y copy"
says "and after other keys" shop.folded "/ 'parse' Enter D" "n next  y copy"
lacks "nor where nothing matches" shop.folded "/ 'zzzz' Enter" "n next"
says "on the scrubber ? reports its keys first" gfx.perf.txt "Tab ?" \
	"[            the range starts at the scrubber's cursor"
lacks "without one there is no next" shop.folded "" "n next"
SIZE=120x24
lacks "without a range there is none to slide" gfx.perf.txt "Tab" "{ back"
says "with one it is named" gfx.perf.txt "Tab l l [" "{ back"

# Each key that is named does something: the screen is another one after it, at one at
# least of a few places.
changes()
{
	play "$1" "$2" && mv screen before && play "$1" "$2 $3" && ! cmp -s before screen
}
acts()
{
	play "$1" "$2"
	tail -n 1 screen | sed 's/←/Left/; s/→/Right/; s/^ *//; s/   */\n/g' |
		grep -v '^q ' >hints
	while read -r key other word; do
		for place in "" j G C . "l w"; do
			changes "$1" "$2 $place" "$key" && continue 2
			[ -n "$word" ] && changes "$1" "$2 $place" "$other" && continue 2
		done
		echo "$1 $2: $key does nothing"
		return 1
	done <hints
}
SIZE=200x24
for file in shop.folded gfx.perf.txt; do
	for keys in 1 2 3 4 5 6 7 8; do
		check "each key named in view $keys of $file does something there" \
			acts "$file" "$keys"
	done
done
check "and in the zoomed timeline" acts gfx.perf.txt "5 l l w w"
check "and on the scrubber" acts gfx.perf.txt "Tab l l l [ l l ] l"
says "where s is another's, saving has a key as well" gfx.perf.txt 5 "S save"
SIZE=80x24

# ---- : ----
asks "Tab completes a name" ": 'func' Tab" ":functions"
asks "as far as all that fit agree" ": 'scrub-' Tab" ":scrub-"
asks "to the shorter of two" ": 'scrub-le' Tab" ":scrub-left"
asks "what nothing fits stays" ": 'zz' Tab" ":zz"
says "names that fit are listed" shop.folded ": 'scrub-l'" "scrub-left-fast  S-Left"
says "one is explained" shop.folded ": 'func'" "3  a table of all functions"
says "none is reported at once" shop.folded ": 'funk'" "unknown command: funk"
says "the begin of a name is enough" shop.folded ": 'fun' Enter" "[3 functions]"
says "unless it is that of two" shop.folded ": 'fl' Enter" "which one? flame flip"
says "what fits nothing is reported" shop.folded ": 'funk' Enter" "unknown command: funk"
says "also with an argument" shop.folded ": 'funk 3' Enter" "unknown command: funk"
says "a view takes none" shop.folded ": 'functions 3' Enter" "functions takes no words"
says "which is said at once" shop.folded ": 'why x'" "why takes no words"
says "a verb takes a pattern" shop.folded ": 'hide ^load$' Enter F" "hide ^load$"
asks "or asks for it" ": 'hide' Enter" "hide:"
says "a pattern that is wrong is reported" shop.folded ": 'hide (' Enter" "missing closing parenthesis"
says ":by" shop.folded ": 'by module' Enter" "by: module"
says ":by what is none" shop.folded ": 'by nose' Enter" \
	"by function, line, address, file or module, not 'nose'"
says ":from" beat.perf.txt ": 'from 100ms' Enter" "100.000 ms … "
says ":to" beat.perf.txt ": 'to 100ms' Enter" "… 100.000 ms"
says ":to what is no time" beat.perf.txt ": 'to noon' Enter" "'noon' is not a time"
says ":metric" shop.folded ": 'metric samples' Enter" "metric: samples"
says ":mark" shop.folded ": 'mark here' Enter M" "here"
says "the begin of what it says finds an action, too" shop.folded ": 'table of' Enter" "[3 functions]"
says "in any case" shop.folded ": 'TABLE OF' Enter" "[3 functions]"
says "several are reported" shop.folded ": 'of a' Enter" "ambiguous: choose with the arrows"
says "Down chooses one, Enter does it" shop.folded ": 'info' Down Enter" "[8 info]"
says "and the next" shop.folded ": 'fl' Down Down Enter" "draw "
asks "Up goes back to what is typed" ": 'fl' Down Up Up" ":fl"
asks "what takes an argument asks for it" ": 'from' Enter" ":from"
says "and says which" shop.folded ": 'from' Enter" "from TIME: "
asks "Tab behind a verb completes a name" ": 'hide re' Tab" ":hide re"
asks "whole, where it is the only one" ": 'hide ren' Tab" ":hide render"
says "and lists them where it is not" shop.folded ": 'hide re' Tab" "  read@plt"
says "nothing after : does nothing" shop.folded ": Enter 3" "[3 functions]"

# ---- search ----
says "while a pattern is typed its share is shown" shop.folded "/ 'parse'" "/parse  1 match, 30.0 %"
says "that nothing matches is reported" shop.folded "/ 'zz'" "no match"
says "and after Enter" shop.folded "/ 'zz' Enter" "no match: zz"
says "what does not compile is reported in the words of PCRE2" shop.folded "/ '('" \
	"missing closing parenthesis"
says "and Enter does not leave it" shop.folded "/ '(' Enter" "missing closing parenthesis"
says "Esc gives back the search before" shop.folded "/ 'parse' Enter / 'load' Esc" "/parse  1 match"
says "Enter with nothing takes it again" shop.folded "/ 'parse' Enter / Enter" "/parse  1 match"
lacks "Esc forgets it" shop.folded "/ 'parse' Enter Esc" "/parse"
says "capitals in the pattern count" shop.folded "/ 'PARSE'" "/PARSE none"

# ---- filters while they are typed ----
asks "Tab at a filter completes a name" "\\ 'ren' Tab" "include: render"
asks "a name with dots and brackets becomes its pattern" "\\ 'read@' Tab" "include: read@plt"
asks "what no name begins with stays" "\\ 'zz' Tab" "include: zz"
asks "Tab at a search, too" "/ 'ren' Tab" "/render"
asks "^T makes it an exclude" "\\ 'load' ^T" "exclude: load"
asks "then hide, show, root and include again" "\\ 'load' ^T ^T ^T ^T ^T" "include: load"
asks "the fourth is show" "\\ 'load' ^T ^T ^T" "show: load"
says "and Enter enters that" shop.folded "\\ 'load' ^T Enter F" "exclude            load"
says "! at the prompt is an exclude" shop.folded "\\ '!load' Enter F" "exclude            load"
says "which is reported before it is entered" shop.folded "\\ '!load'" "exclude: leaves 60.0 % of what was there"
says "the share is of what the filters before left" shop.folded \
	"\\ 'render' Enter \\ 'draw'" "include: leaves 72.7 % of what was there"
says "an entry of tracks has its share as well" beat.perf.txt ": 'track' Enter 'io'" \
	"of what was there"
lacks "and no other verb" beat.perf.txt ": 'track' Enter 'io'" "^T another verb"
asks "nor does ^T make it one" ": 'track' Enter 'io' ^T" "track: io"
says "tracks are completed by name" beat.perf.txt ": 'track' Enter 'ma' Tab" "track: main 100"
says "what a filter takes is reported before anything is typed" shop.folded "\\" \
	"name or pattern: only the stacks with it, ! drops   Tab names  ^T another verb"
says "of another verb, too" shop.folded "\\ 'x' ^T Backspace" "drop the stacks with it   Tab names"
says "what a filter leaves is reported" shop.folded "\\ 'load'" "include: leaves 40.0 % of what was there"
says "or that it leaves nothing" shop.folded "\\ 'zz'" "include: leaves 0.0 % of what was there"
same "Esc gives back what was" shop.folded "2 \\ 'load' Esc" "2"
same "so does Enter with nothing" shop.folded "2 \\ 'load' ^U Enter" "2"
says "a filter that matches nothing is reported" shop.folded "\\ 'zz' Enter" \
	"include 'zz' matches nothing"

# ---- the tree: all, main, render, draw, blit, load, parse, read@plt, __idle ----
at "g: the first line" shop.folded "2 G g" "all"
at "G: the last" shop.folded "2 G" "__idle"
at "Left closes" shop.folded "2 g j j Left" "▸ render"
lacks "what is below is gone" shop.folded "2 g j j Left" "blit"
at "Left of a closed one goes to the caller" shop.folded "2 g j j Left Left" "▾ main"
at "Right opens" shop.folded "2 g j j Left Right" "▾ render"
at "and goes on to what it called" shop.folded "2 g j j Right" "draw"
at "a leaf has nothing to open" shop.folded "2 g j j Right Right" "draw"
at "Left of the first line stays" shop.folded "2 g Left Left" "all"
at "- closes" shop.folded "2 g j j -" "▸ render"
at "and closes once" shop.folded "2 g j j - -" "▸ render"
at "+ opens" shop.folded "2 g j j - +" "▾ render"
at "Enter closes and opens" shop.folded "2 g j j Enter" "▸ render"
at "... opens" shop.folded "2 g j j Enter Enter" "▾ render"
at "Space, too" shop.folded "2 g j j Space" "▸ render"
at "Backspace goes to the caller" shop.folded "2 g j j Right Backspace" "render"
at "C closes everything, the cursor is on what is left" shop.folded "2 g j j Right C" "▸ main"
lacks "C: nothing below is there" shop.folded "2 g j j Right C" "render"
says "E opens everything" shop.folded "2 C E" "__idle"
at "a click selects" shop.folded "2 Click:50,7" "draw"
at "two close" shop.folded "2 Click2:50,6" "▸ render"
at "and two more open" shop.folded "2 Click2:50,6 Click2:50,6" "▾ render"
same "a click on the heads is none" shop.folded "2 Click:50,3" "2"
same "nor is one below the lines" shop.folded "2 Click:50,18" "2"

# ---- search, forwards and backwards, in the order of the screen ----
# 'r' is in render, draw, parse, read@plt.
at "the first match" shop.folded "2 g / 'r' Enter" "render"
at "n: the next" shop.folded "2 g / 'r' Enter n" "draw"
at "and the next, in another branch" shop.folded "2 g / 'r' Enter n n" "parse"
at "n goes round at the end" shop.folded "2 g / 'r' Enter n n n n" "render"
at "N: the one before" shop.folded "2 g / 'r' Enter n n N" "draw"
at "N goes up to a caller" shop.folded "2 g / 'r' Enter n N" "render"
at "N goes round at the begin" shop.folded "2 g / 'r' Enter N" "read"
at "closed lines above it open" shop.folded "2 g C / 'blit' Enter" "blit"
at "backwards, too" shop.folded "2 g C / 'parse|read' Enter N" "read"
says "the flame has the same order" shop.folded "1 / 'r' Enter N" " read@plt   self 10"
# draw, parse, read@plt, render, in this order; draw is selected, and a match.
at "the functions have their own" shop.folded "3 g / 'r' Enter N N" "*read@plt"

# ---- the callers of parse: draw 4, load 36 with main above it; below it value 6 ----
middle="3 / '^parse$' Enter n 4"
at "callers: C closes everything, the cursor stays where its line does" again.folded "$middle k C" "▸ load"
at "k is the caller next to it" again.folded "$middle C k" "▸ load"
at "Space opens it" again.folded "$middle C k Space" "▴ load"
at "and what called it is above" again.folded "$middle C k Space k" "  main"
at "Right opens, too" again.folded "$middle C k Right" "▴ load"
at "and goes on outwards" again.folded "$middle C k Right Right" "  main"
at "Left closes" again.folded "$middle k Left" "▸ load"
at "and comes back inwards" again.folded "$middle k Left Left" "• *parse"
at "the function in the middle does not close" again.folded "$middle Left" "• *parse"
at "Right of it goes to what it calls" again.folded "$middle Right" "▸ value"
at "+ opens" again.folded "$middle j +" "▾ value"
at "- closes" again.folded "$middle j + -" "▸ value"
at "Backspace comes back inwards" again.folded "$middle k k Backspace" "▴ load"
at "g: the outermost of the first caller" again.folded "$middle E g" "        main"
at "G: the last callee" again.folded "$middle E G" "    *parse"
at "* opens to where the time is spent" again.folded "$middle C j *" "*parse"
at "* above goes outwards, to the end" again.folded "$middle C k *" "  main"
at "* in the middle goes down" again.folded "$middle C *" "• *parse"
at "Page Up reaches the first" again.folded "$middle E PgUp" "        main"
at "Page Down the last" again.folded "$middle E PgDn" "    *parse"
at "so does half of it, ^U" again.folded "$middle E ^U" "        main"
at "and ^D" again.folded "$middle E ^D" "    *parse"
at "a click selects" again.folded "$middle Click:50,4" "▸ draw"
at "the middle stays" again.folded "$middle Click:50,4 j j j" "• *parse"
at "two put it in the middle" again.folded "$middle Click2:50,4" "• draw"
same "a click on the heads is none" again.folded "$middle Click:50,3" "$middle"
at "the search finds a caller" again.folded "$middle / 'load' Enter" "*load"
at "N goes round" again.folded "$middle E / 'main' Enter N" "*main"
# From parse on, round at the end: draw is the first, load comes between it and parse.
at "n goes on" again.folded "$middle E / 'load|draw' Enter n" "load"
at "N goes up" again.folded "$middle E / 'load|draw' Enter n N" "draw"
at "and round at the begin" again.folded "$middle E / 'load|draw' Enter N" "load"
says "what only is elsewhere moves nothing" again.folded "$middle C / 'render' Enter" \
	"> "
same "the numbers are the same when stacks are turned over" again.folded \
	"$middle I k I" "$middle k"

# ---- the sandwich: draw 4 and load 36 of 40 above parse, value 6 below, its own lines 34 ----
sandwich()
{
	SIZE=80x30
	"$@"
	SIZE=80x24
}
sandwich says "30 rows show callers as a flame" again.folded "$middle" "load  90.0 %"
sandwich says "and the function with its numbers" again.folded "$middle" "• *parse  100.0 %  total 40  self 40"
sandwich says "o: the outline" again.folded "$middle o" "callers, • function, callees"
sandwich says "o in the outline: the flame" again.folded "$middle o o" "load  90.0 %"
says "o shows flames on few rows, too" again.folded "$middle o" "load  90.0 %"
sandwich says "Up is the heaviest caller" again.folded "$middle k" "load   self"
sandwich says "its caller is above" again.folded "$middle k k" "main   self"
sandwich says "Right is the caller beside it" again.folded "$middle k Right" "draw   self"
sandwich says "Down comes back" again.folded "$middle k k j j" "parse   self"
sandwich says "below it are the callees" again.folded "$middle j" "value   self"
sandwich says "g is the outermost caller" again.folded "$middle g" "main   self"
sandwich says "Enter puts a caller in the middle" again.folded "$middle k Enter" "• load"
sandwich says "a click selects" again.folded "$middle Click:10,6" "load   self"

# ---- slices that never end: wait, which lasts 100 of 300 us in all ----
unfinished()
{
	"$PNAV" --size 80x24 --snapshot --keys "$1" "$top_srcdir/tests/screens/open.json" \
		>screen 2>/dev/null
}
unfinished 5
check "the timeline: a ragged edge and light dots" grep -q '│wait░░*▚$' screen
check "only on them" test "$(grep -c ▚ screen)" = 1
unfinished "7 o a"
check "the slowest calls are without them, and say so" \
	sh -c "grep -q '3 calls · without 1 unfinished' screen && ! grep -q 200.000.*wait screen"
unfinished "7 o a : 'unfinished' Enter"
check ":unfinished lists them" grep -q "^> 200.000 µs .* wait" screen
unfinished "7 o a : 'unfinished' Enter : 'unfinished' Enter"
check "and again does not" grep -q "without 1 unfinished" screen
"$PNAV" --size 80x24 --snapshot --ascii --keys 5 "$top_srcdir/tests/screens/open.json" \
	>screen 2>/dev/null
check "in ASCII the edge is a tilde" grep -q 'wait---*~$' screen
says "without unfinished slices :unfinished says so" gfx.perf.txt "3 : 'unfinished' Enter" \
	"every slice has its end"

# ---- ranges with few keys: 400 slices of 1 ms, those from 200 to 220 ms slow, none from 300 to
# 310 ms; and a second thread that only waits ----
{
	echo '['
	awk 'BEGIN { for (i = 0; i < 400; i++) {
		name = i < 200 || i > 219 ? "usual" : "slow"
		if (i < 300 || i > 309)
			printf "{\"ph\":\"X\",\"name\":\"%s\",\"ts\":%d,\"dur\":1000,\"pid\":1,\"tid\":1},\n", name, i * 1000
	} }'
	echo '{"ph":"X","name":"poll","ts":0,"dur":400000,"pid":1,"tid":2}]'
} >odd.json
odd()
{
	"$PNAV" --size 100x30 --snapshot --keys "$1" odd.json >screen 2>err
}
odd "3 !"
check "! goes to the slow part" grep -q 'odd part 1 of [2-8]: slow .* before it 0' screen
check "compared with what was before it" grep -q 'per second.*base 0 ns' screen
check "what differs is on top" grep -q '^>.*slow' screen
odd "3 ! !"
check "again: the moment in which nothing runs" grep -q 'odd part 2 of [2-8]: nothing runs' screen
odd "3 ! u"
check "u: the whole run, compared with nothing" grep -qx ' whole run' screen
odd "3 !"
grep '^ [0-9].*base' screen >one
odd "3 ! ! u"
check "u after two parts: the first one with its own base" grep -qxf one screen
odd "3 ! v u"
check "v: u compares again" grep -qxf one screen
odd "3 ! u ^R"
check "and ^R too" grep -qxf one screen
# A sample a millisecond, delta alone from 2 to 2.2 s and at no other time; its end is no second part
awk 'BEGIN { for (i = 0; i < 4000; i++)
	printf("app 1 %.3f: 1000000 cpu-clock:\n\t%s (/app)\n\n", 1 + i / 1000,
		i >= 2000 && i < 2200 ? "3 delta" : i % 2 ? "1 alpha" : "2 beta") }' >tail.perf.txt
"$PNAV" --size 100x30 --snapshot --keys "3 !" tail.perf.txt >screen 2>err
check "shares are those of the comparison" grep -q 'odd part 1 of 1: delta 9[89][.0-9]* %, before it 0 %' screen
check "which has all of it" grep -q '^> *200 ms  *0 ns .* new delta' screen
odd "3 @ '100 200' Enter"
check "@ asks for a range, in the unit of the run" grep -q '^ 100.000 ms … 200.000 ms' screen
odd "3 @ '100us 50%' Enter"
check "and takes other units" grep -q '^ 100.000 µs … 200.000 ms' screen
odd "3 @ '200 100' Enter"
check "and refuses an empty one" grep -q 'invalid range' screen
odd "3 @ '100 200' Enter @ Enter"
check "nothing is the whole run" grep -q '^ whole run' screen
odd "5 / 'poll' Enter T 3"
check "T: only the track of the cursor" sh -c "grep -q 'track =' screen && ! grep -q usual screen"
odd "5 T T 3"
check "T again: all" sh -c "grep -q usual screen && grep -q poll screen"
"$PNAV" --size 100x30 --snapshot --view heat odd.json >screen 2>err
check "0: a column of 5 ms, a row of 500 us" grep -q '^ 5 ms a column, 500 µs a row: all' screen
check "nothing runs on thread 1 from 300 to 310 ms" sh -c 'sed -n 10p screen | grep -q "██▒▒██"'
odd "3 / '^slow' Enter 0"
check "slow is in four columns of eighty" sh -c '[ "$(sed -n 10p screen | tr -cd █ | wc -m)" = 4 ]'
odd "3 / '^usual' Enter 1 0"
check "0 shows the selection" grep -q '500 µs a row: usual' screen
odd "3 0"
check "also one that the table proposed" grep -q '500 µs a row: poll' screen
odd "3 j x e u"
check "u gives the selection back" grep -q '^>.*usual' screen
odd "3 j x e j u"
check "but for one chosen meanwhile" grep -q '^>.*slow' screen
awk 'BEGIN { printf "["; for (t = 0; t < 400; t++) for (i = 0; i < 20; i++)
	printf "{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":%d,\"ts\":%d,\"dur\":50},", t, i * 100
	print "{\"ph\":\"M\",\"name\":\"x\",\"pid\":1}]" }' >many-tracks.json
same "0: a key moves while the map is made" many-tracks.json "0 j" "0 Esc j"
odd "0 l l j Enter l Enter"
check "two corners are the range" grep -q '^ 10.500 ms … 16.000 ms' screen
odd "0 l l j Enter l l Enter u"
check "u undoes it" grep -q '^ whole run' screen
odd "0 Enter Esc l Enter l Enter"
check "Esc: no corner" grep -q '^ 5.000 ms … 10.500 ms' screen
odd "0 l Enter l Enter v l l Enter l Enter"
check "v compares with the next range" \
	grep -q '20.000 ms … 25.500 ms.*base 5.000 ms … 10.500 ms' screen
odd "0 Click:12,9 Drag:14,10"
check "a drag is a range" grep -q '^ 10.500 ms … 21.500 ms' screen
says "the heat map needs times" shop.folded "0" "no timeline in this file"
says "without times there is no odd part" shop.folded "!" "there is no range to choose"
# nine of them, each for many bins
says "a heavy sample is one sample" "$top_srcdir/tests/golden/br-small-timed/input.log" "!" \
	"no part of the run stands out"
says "nor a range to ask for" shop.folded "@" "there is no range to choose"

# ---- live: the first match while one types, from where it began; Esc goes back there ----
at "functions: to the first match at once" tall.folded "3 / 'f1'" "*f19"
at "from where the search began, not from the last match" tall.folded "3 / 'f1' Backspace" "*f40"
at "so does what is selected" tall.folded "3 / 'f1'" " 19 "
same "Esc: where it was" tall.folded "3 j j / 'f0' Esc k" "3 j j k"
at "what matches nothing moves nothing" tall.folded "3 j / 'f1zz'" "f39"
at "nor with Enter" tall.folded "3 j / 'f1zz' Enter" "f39"
same "a tree closes again" shop.folded "2 C / 'parse' Esc" "2 C"
at "a tree opens to it" shop.folded "2 C / 'parse'" "*parse"
same "callers: back to the row" again.folded "$middle E k k / 'value' Esc" "$middle E k k"
at "callers: to the row" again.folded "$middle E / 'value'" "*value"
same "the timeline: back to the moment" beat.perf.txt "5 . / 'rest' Esc" "5 ."
at "source: back to the line" gfx.perf.txt "3 / '^draw$' Enter 6 j / 'void' Esc" "9 }"
says "what is elsewhere is reported" again.folded "$middle C / 'render'" "no match in this view"

# ---- which of how many; f10 to f19 are ten ----
says "the match that it is" tall.folded "3 / 'f1' Enter" "match 1 of 10"
says "n" tall.folded "3 / 'f1' Enter n n" "match 3 of 10"
says "round at the end" tall.folded "3 / 'f1' Enter N" "match 10 of 10, from the end again"
says "and at the begin" tall.folded "3 / 'f1' Enter N n" "match 1 of 10, from the top again"
says "only then" tall.folded "3 / 'f1' Enter N n n" "match 2 of 10"
says "in the tree" tall.folded "2 / 'f1' Enter n" "match 2 of 10"
says "in the flame" tall.folded "1 / 'f1' Enter n" "match 2 of 10"
says "one alone goes round to itself" tall.folded "3 / 'f11' Enter n" "match 1 of 1, from the top again"
says "rows of a table" tall.folded "3 j j" "  3 of 41"
says "of a tree: all, main, f40 to f01" tall.folded "2 G" "  42 of 42"
says "of a closed one" tall.folded "2 C" "  1 of 2"
says "after steps" tall.folded "2 g PgDn k" "  18 of 42"
says "lines" gfx.perf.txt "3 / '^draw$' Enter 6 g j" "  2 of 9"

SIZE=80x14
says "how far info has been read" gfx.perf.txt "8" "  8 of "
says "and after a line more" gfx.perf.txt "8 j" "  9 of "
SIZE=80x24

# ---- source, sideways: line 7 is "        for (int i = 0; i < n; i++)" ----
says "l scrolls the text to the left" gfx.perf.txt "3 / '^draw$' Enter 6 l" "    7 …or (int i"
same "h back" gfx.perf.txt "3 / '^draw$' Enter 6 l h" "3 / '^draw$' Enter 6"
same "not before the begin" gfx.perf.txt "3 / '^draw$' Enter 6 h" "3 / '^draw$' Enter 6"
same "not behind the longest line" gfx.perf.txt "3 / '^draw$' Enter 6 l l l l l l l l" \
	"3 / '^draw$' Enter 6 l l l l"

# ---- source, colours: those of code-keyword and code-comment (theme.h) with 256 ----
coloured()
{
	"$PNAV" --size "$SIZE" --snapshot=ansi --keys "$2" "$1" >screen &&
		sed "s/$(printf '\033')/^/g" screen >seen && grep -qF -- "$3" seen
}
check "keywords have a colour" coloured gfx.perf.txt "3 / '^draw$' Enter 6" "^[0;38;5;110mstatic"
sed 's|gfx/draw.c:2|long.c:8008|; s|gfx/draw.c:|long.c:350|' gfx.perf.txt >long.perf.txt
{
	echo '/* begins here'
	seq 2 3999
	echo 'and ends here */ int after;'
	seq 4001 8100
} >long.c
check "a comment that begins thousands of lines above is one" coloured long.perf.txt \
	"3 / '^draw$' Enter 6" "^[0;38;5;245m3509"
check "and ends where it ends" coloured long.perf.txt "3 / '^blit$' Enter 6" "^[0m 8009"

# ---- source, files: draw.c has 8 of the 11 samples as leaf, load.c 3; main is in all ----
says "o lists the files" gfx.perf.txt "6 o" "8.00 ms   72.7     draw.c"
says "a folder costs what its files do" gfx.perf.txt "6 o" "8.00 ms   72.7  ▾ gfx/"
says "and what runs below a file is in its total" gfx.perf.txt "6 o" \
	"11.0 ms  100.0      0 ns    0.0    main.c"
at "the cursor is on the file of the selection" gfx.perf.txt "6 o" "draw.c"
at "what costs the most in a file is selected" gfx.perf.txt "6 o G 3" "load_everything"
says "Enter shows the file" gfx.perf.txt "6 o G Enter" " load.c is not found"
same "o again the text" gfx.perf.txt "6 o o" "6"
at "h closes the folder, Enter too" gfx.perf.txt "6 o h h" "▸ gfx/"
at "/ finds a file" gfx.perf.txt "6 o / 'load' Enter" "load.c"
lacks "f keeps the files that match" gfx.perf.txt "6 f 'draw' Enter" "load.c"
says "with the numbers of all" gfx.perf.txt "6 f 'draw' Enter" "11.0 ms  100.0 ▾ all"
same "Esc shows the text again" gfx.perf.txt "6 f 'draw' Esc" "6"
cat >round.perf.txt <<'EOT'
app 1/1 0.001000: 1000000 cpu-clock:
	    401000 x+0x10 (/bin/app)
  /src/a/x.c:7
	    401000 z+0x10 (/bin/app)
  /src/b/z.c:7
	    401000 y+0x10 (/bin/app)
  /src/a/y.c:7

EOT
says "where a folder calls itself a stack counts once" round.perf.txt "6 o" \
	"1.00 ms  100.0   1.00 ms  100.0   ▾ a/"
says "a folder with nothing but a folder in it is one with that" round.perf.txt "6 o" "▾ /src/"

# ---- f: only the rows that match ----
at "f keeps the rows that match" tall.folded "3 f 'f1'" "f19"
says "and says how many" tall.folded "3 f 'f1' Enter j" "  2 of 10"
says "by what" tall.folded "3 f 'f1' Enter" "only 'f1'"
says "while one types" tall.folded "3 f 'f3'" "  1 of 10"
says "numbers stay those of all" tall.folded "3 f 'f1' Enter" "2.32         19   2.32 user      f19"
at "what is selected is one of them" tall.folded "3 f 'f1' Enter" " 19 "
same "Esc at the prompt: as it was" tall.folded "3 j f 'f1' Esc" "3 j"
same "the filters are another thing" tall.folded "3 f 'f1' Enter F" "3 f '^f1' ^U 'f1' Enter F"
at "Esc shows all again" tall.folded "3 f 'f1' Enter j Esc g" "f40"
at "so does nothing typed" tall.folded "3 f 'f1' Enter f ^U Enter g" "f40"
says "none is reported" tall.folded "3 f 'zz' Enter" "No row matches."
says "a wrong pattern, too" tall.folded "3 f '('" "missing closing parenthesis"
says "the search goes through them" tall.folded "3 f 'f1' Enter / '[05]' Enter N" "match 2 of 2"
says "Y has it" tall.folded "3 f 'f1' Enter Y" "functions self only f1"
says "and it is understood" tall.folded "" "  1 of 10" --view functions --state "functions self only f1"
says "other views have other things to say" tall.folded "2 : 'rows' Enter" "f keeps the rows that match in a table"

# ---- K: the whole name ----
long=wonderful_associative_container
printf 'main;std::%s<%s<int, long>, %s<char>>::push_back(%s<char> const&) 5\nmain 1\n' \
	$long $long $long $long >cxx.folded
says "K shows the end of a long name" cxx.folded "3 K" "char> const&)"
says "and where it is" gfx.perf.txt "3 / '^draw$' Enter K" "in gfx/draw.c"
says "and what it costs" gfx.perf.txt "3 / '^draw$' Enter K" "total 8.00 ms  72.7 %"
says "in any view" cxx.folded "2 G K" "char> const&)"
play cxx.folded "3 K"
check "all of it" sh -c "sed 's/^  //' screen | tr -d '\\n' | grep -qF '<int, long>, $long<char>>::push_back($long<char> const&)'"
same "q leaves it" cxx.folded "3 K q" "3"

# ---- columns: sorted by one that has no room, it has room; Disp% once it says something ----
SIZE=50x12
says "the column of the order is on the screen" shop.folded "3 > > > > >" "kind"
says "with its mark" shop.folded "3 > > > >" "▾Total%"
SIZE=80x24
lacks "Disp% says what Self% says" shop.folded 3 "Disp%"
says "unless something is filtered" shop.folded "3 : 'exclude draw' Enter" "Disp%"
says "a blank on both sides of the view's name" shop.folded 3 " 2 tree [3 functions] 4 callers "

# ---- the line below: the name of the function itself is what stays ----
says "of a template, not the head of its arguments" cxx.folded "1 / 'push' Enter" \
	" push_back(…)   self 5 83.3 %   total"
SIZE=40x10
says "in a small screen the name, not all numbers" shop.folded "1 / 'draw' Enter" \
	" draw   self 40 40.0 %   total"
says "also of a long one" cxx.folded "1 / 'push' Enter" " push_back(…)   self 5 83.3 %"
says "the line below does not repeat the row" cxx.folded "3" " push_back(…)   total 5 83.3 %"
SIZE=80x24

# ---- long tables: f40 to f01, then main; 19 lines of 24 are rows ----
at "functions: Page Down" tall.folded "3 PgDn" " f2"
at "and back" tall.folded "3 PgDn PgUp" "f40"
at "half of it" tall.folded "3 ^D" " f3"
at "and back" tall.folded "3 ^D ^U" "f40"
at "the last" tall.folded "3 G" "main"
at "the first" tall.folded "3 G g" "f40"
at "a click" tall.folded "3 Click:10,6" "f38"
says "two show the stack" tall.folded "3 Click2:10,6" " f38   self 38"
at "the order turned round" tall.folded "3 r g" "main"
at "Page Down in the tree" tall.folded "2 g PgDn" " f"
at "and back" tall.folded "2 g PgDn PgUp" "all"
at "half of it" tall.folded "2 g E ^D" " f"
at "and back" tall.folded "2 g E ^D ^U" "all"
at "the last, which is the lightest" tall.folded "2 E G" "f01"
tap_done
