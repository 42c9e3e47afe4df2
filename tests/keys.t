#!/bin/sh
# Keys and clicks that pnav(1) promises, one line a promise: what a screen says after them.
# Where the whole of a screen matters, it is in screens/.  The profiles are those of
# screens/, small enough to be counted by hand, and one that is higher than a screen.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C.UTF-8
XDG_CONFIG_HOME=/nonexistent
export LC_ALL XDG_CONFIG_HOME
cp -r "$top_srcdir"/tests/screens/*.folded "$top_srcdir"/tests/screens/*.perf.txt \
	"$top_srcdir/tests/screens/gfx" "$scratch"
cd "$scratch" || exit 99

# play FILE KEYS [OPTION...]: the screen is in `screen` then
play()
{
	play_file=$1 play_keys=$2
	shift 2
	if ! "$PNAV" --size 80x24 --snapshot "$@" --keys "$play_keys" "$play_file" >screen 2>err ||
		[ -s err ]; then
		cat err >>screen
		return 1
	fi
}

# at PROMISE FILE KEYS TEXT: the line with the cursor has the text
at()
{
	if play "$2" "$3" && grep '^>' screen | grep -qF -- "$4"; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

# says PROMISE FILE KEYS TEXT [OPTION...]: the screen has the text
says()
{
	says_promise=$1 says_text=$4 says_file=$2 says_keys=$3
	shift 4
	if play "$says_file" "$says_keys" "$@" && grep -qF -- "$says_text" screen; then
		ok "$says_promise"
	else
		not_ok "$says_promise" screen
	fi
}

# lacks PROMISE FILE KEYS TEXT
lacks()
{
	if play "$2" "$3" && ! grep -qF -- "$4" screen; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

# asks PROMISE KEYS LINE: the last line, where the prompt stands, is this one
asks()
{
	play shop.folded "$2"
	if [ "$(tail -n 1 screen | sed 's/ *$//')" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

# same PROMISE FILE KEYS KEYS: both end in the same screen
same()
{
	play "$2" "$3" && mv screen first && play "$2" "$4" && diff first screen >differs
	if [ $? -eq 0 ]; then
		ok "$1"
	else
		not_ok "$1" differs
	fi
}

# f01 to f40 under main, f40 the heaviest; 820 in all.
i=1
while [ $i -le 40 ]; do
	printf 'main;f%02d %d\n' $i $i
	i=$((i + 1))
done >tall.folded

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

# ---- : ----
asks "Tab completes a name" ": 'func' Tab" ":functions"
asks "as far as all that fit agree" ": 'scrub-' Tab" ":scrub-"
asks "to the shorter of two" ": 'scrub-le' Tab" ":scrub-left"
asks "what nothing fits stays" ": 'zz' Tab" ":zz"
says "names that fit are listed" shop.folded ": 'scrub-l'" "scrub-left scrub-left-fast scrub-last"
says "one is explained" shop.folded ": 'func'" "functions: a table of all functions"
says "none is told at once" shop.folded ": 'funk'" "no such command: funk"
says "the begin of a name is enough" shop.folded ": 'fun' Enter" "[3 functions]"
says "unless it is that of two" shop.folded ": 'fl' Enter" "which one? flame flip"
says "what fits nothing is told" shop.folded ": 'funk' Enter" "no such command: funk"
says "also with an argument" shop.folded ": 'funk 3' Enter" "no such command: funk"
says "a verb takes a pattern" shop.folded ": 'hide ^load$' Enter F" "hide ^load$"
asks "or asks for it" ": 'hide' Enter" "hide:"
says "a pattern that is wrong is told" shop.folded ": 'hide (' Enter" "missing closing parenthesis"
says ":by" shop.folded ": 'by module' Enter" "by: module"
says ":by what is none" shop.folded ": 'by nose' Enter" \
	"by function, line, file or module, not 'nose'"
says ":from" beat.perf.txt ": 'from 100ms' Enter" "100.000 ms … "
says ":to" beat.perf.txt ": 'to 100ms' Enter" "… 100.000 ms"
says ":to what is no time" beat.perf.txt ": 'to noon' Enter" "'noon' is no time"
says ":metric" shop.folded ": 'metric samples' Enter" "metric: samples"
says ":mark" shop.folded ": 'mark here' Enter M" "here"
says "nothing after : does nothing" shop.folded ": Enter 3" "[3 functions]"

# ---- search ----
says "while a pattern is typed its share is shown" shop.folded "/ 'parse'" "/parse  1 match, 30.0 %"
says "that nothing matches is told" shop.folded "/ 'zz'" "no match"
says "and after Enter" shop.folded "/ 'zz' Enter" "no match: zz"
says "what does not compile is told in the words of PCRE2" shop.folded "/ '('" \
	"missing closing parenthesis"
says "and Enter does not leave it" shop.folded "/ '(' Enter" "missing closing parenthesis"
says "Esc gives back the search before" shop.folded "/ 'parse' Enter / 'load' Esc" "/parse  1 match"
says "Enter with nothing takes it again" shop.folded "/ 'parse' Enter / Enter" "/parse  1 match"
lacks "Esc forgets it" shop.folded "/ 'parse' Enter Esc" "/parse"
says "capitals in the pattern count" shop.folded "/ 'PARSE'" "/PARSE none"

# ---- filters while they are typed ----
says "what a filter leaves is told" shop.folded "\\ 'load'" "leaves 40.0 % of everything in range"
says "or that it leaves nothing" shop.folded "\\ 'zz'" "leaves 0.0 % of everything in range"
same "Esc gives back what was" shop.folded "2 \\ 'load' Esc" "2"
same "so does Enter with nothing" shop.folded "2 \\ 'load' ^U Enter" "2"
says "a filter that matches nothing is told" shop.folded "\\ 'zz' Enter" \
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
# draw, parse, read@plt, render, as they stand; draw is selected, and a match.
says "the functions have their own" shop.folded "3 g / 'r' Enter N N" " read@plt   self 10"

# ---- the callers of parse: draw 4, load 36 with main above it; below it value 6 ----
middle="3 / '^parse$' Enter n 4"
at "callers: C closes everything" again.folded "$middle k C" "• *parse"
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
says "the search finds a caller" again.folded "$middle / 'load' Enter" " load   self 0"
says "N goes round" again.folded "$middle E / 'main' Enter N" " main   self 0"
# From parse on, round at the end: draw is the first, load comes between it and parse.
at "n goes on" again.folded "$middle E / 'load|draw' Enter n" "load"
at "N goes up" again.folded "$middle E / 'load|draw' Enter n N" "draw"
at "and round at the begin" again.folded "$middle E / 'load|draw' Enter N" "load"
says "what only stands elsewhere moves nothing" again.folded "$middle C / 'render' Enter" \
	"> "
same "the numbers are the same when stacks are turned over" again.folded \
	"$middle I k I" "$middle k"

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
