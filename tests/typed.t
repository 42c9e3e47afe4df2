#!/bin/sh
# The browser in a terminal of its own (lib/pty.c): what people type, paste and do with a
# mouse, as the bytes that a terminal sends; and what record does when it has a terminal.
# What the screen showed then is what `s t` saves.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/play.sh"

pty=$top_builddir/tests/lib/pty
[ -x "$pty" ] || skip_all "tests/lib/pty is not built"
unset PNAV_SAMPLER EDITOR VISUAL
esc=$(printf '\033')
enter=$(printf '\r')

# typed FILE BYTES [ARG...]: types them, saves the screen, quits
typed()
{
	rm -f pnav-screen.txt
	typed_file=$1 typed_keys=$2
	shift 2
	timeout 60 "$pty" -k "${typed_keys}st${enter}Q" "$PNAV" "$@" "$typed_file" >out 2>err
	typed_status=$?
	{
		cat pnav-screen.txt err
		echo "status $typed_status"
	} >screen 2>&1
	[ $typed_status -eq 0 ] && [ ! -s err ]
}

# shows PROMISE FILE BYTES TEXT [ARG...]
shows()
{
	shows_promise=$1 shows_file=$2 shows_keys=$3 shows_text=$4
	shift 4
	if typed "$shows_file" "$shows_keys" "$@" && grep -qF -- "$shows_text" screen; then
		ok "$shows_promise"
	else
		not_ok "$shows_promise" screen
	fi
}

# tells PROMISE FILE BYTES TEXT [ARG...]: the text is written as long as nothing else is typed
tells()
{
	tells_promise=$1 tells_file=$2 tells_keys=$3 tells_text=$4
	shift 4
	timeout 60 "$pty" -k "$tells_keys" -k Q "$PNAV" "$@" "$tells_file" >out 2>err
	tells_status=$?
	if [ $tells_status -eq 0 ] && [ ! -s err ] && grep -qF -- "$tells_text" out; then
		ok "$tells_promise"
	else
		not_ok "$tells_promise" out
	fi
}

# mouse BUTTON COLUMN LINE M|m: what a terminal sends (SGR); both count from 1
mouse() { printf '\033[<%d;%d;%d%s' "$1" "$2" "$3" "$4"; }
click() { mouse 0 "$1" "$2" M && mouse 0 "$1" "$2" m; }

shows "keys are read" shop.folded "3" "[3 functions]"
shows "arrows of a terminal" shop.folded "2${esc}OB${esc}OB" ">      55   55.0"
shows "arrows in the other form" shop.folded "2${esc}[B${esc}[B" ">      55   55.0"
shows "and with modifiers" shop.folded "2${esc}[1;5B${esc}[1;3B" ">      55   55.0"
shows "Home and End, too" shop.folded "2${esc}OF${esc}[1;5H" "> "
shows "what is pasted outside of a prompt plays no keys" shop.folded \
	"${esc}[200~32q${enter}${esc}[201~" "[1 flame]"
tells "but says that it is ignored" shop.folded "${esc}[200~32q${esc}[201~" \
	"pasted text is ignored"
shows "in a prompt its last line end is none" shop.folded \
	"/${esc}[200~parse${enter}${esc}[201~$enter" "/parse  1 match"
shows "answers of the terminal are no keys" shop.folded \
	"${esc}[?2026;2\$y${esc}[?62;22c3" "[3 functions]"
shows "a character of several bytes" shop.folded "/é$enter" "/é none"
# What ground the terminal has: it is asked, and the colours that only a light one has
# (94 for keys and times, where a dark one has 215) are in what is written.
lit='38;5;94m'
unlit='38;5;215m'
asked="${esc}]11;?"
st="${esc}\\"
# ground PROMISE ANSWER KEYS TEXT LACKS [ARG...]: written is TEXT and never LACKS
ground()
{
	ground_promise=$1 ground_answer=$2 ground_keys=$3 ground_text=$4 ground_lacks=$5
	shift 5
	TERM=xterm-256color timeout 60 "$pty" -a "$ground_answer" -k "${ground_keys}" -k Q \
		"$PNAV" "$@" shop.folded >out 2>err
	ground_status=$?
	cp out screen
	if [ $ground_status -eq 0 ] && [ ! -s err ] && grep -qF -- "$ground_text" out &&
		! grep -qF -- "$ground_lacks" out; then
		ok "$ground_promise"
	else
		not_ok "$ground_promise" err
	fi
}
ground "the terminal is asked for its ground; a light one has colours of its own" \
	"${esc}]11;rgb:ffff/ffff/ffff$st${esc}[?62;22c" 3 "$lit" "$unlit"
ground "in two digits a colour, ended by a bell" \
	"${esc}]11;rgb:fd/f6/e3$(printf '\a')${esc}[?62;22c" 3 "$lit" "$unlit"
ground "a dark one" "${esc}]11;rgb:0000/2b2b/3636$st${esc}[?62;22c" 3 "$unlit" "$lit"
ground "one that does not answer" "" 3 "$unlit" "$lit"
ground "one that has no answer to this" "${esc}[?62;22c" 3 "$unlit" "$lit"
ground "one that says what it is not" "${esc}]11;Q$st${esc}[?62;22c" 3 "$unlit" "$lit"
check "and its words are no keys" grep -qF '3 functions]' out
ground "an answer that comes late" "" "${esc}]11;rgb:ffff/ffff/ffff${st}" "$lit" "[nothing]"
ground "keys typed while it is waited for are played" \
	"3${esc}]11;rgb:ffff/ffff/ffff${st}2${esc}[?62;22c" I "$lit" "$unlit"
check "each of them" grep -qF '2 tree]' out
ground "--theme light asks for nothing" "" 3 "$lit" "$asked" --theme light
ground "nor does dark" "" 3 "$unlit" "$asked" --theme dark
ground "nor what has no colours" "" 3 "shop.folded" "$asked" --color=never
ground "with eight colours it is asked" "" 3 "$asked" "38;5" --color 8
ground "colour-blind asks, too" "${esc}]11;rgb:ffff/ffff/ffff$st" 3 "$lit" "$unlit" \
	--theme colour-blind
mkdir -p config/pnav
echo "theme light" >config/pnav/pnavrc
XDG_CONFIG_HOME=$scratch/config
ground "pnavrc says it as well" "" 3 "$lit" "$asked"
XDG_CONFIG_HOME=/nonexistent
picture()
{
	"$PNAV" --keys 3 --snapshot=ansi --theme light shop.folded >screen 2>&1 &&
		grep -q '38;5;94' screen && ! grep -qF "$asked" screen
}
check "pictures have the theme, and ask nobody" picture
dusk()
{
	"$PNAV" --theme dusk --snapshot shop.folded >screen 2>&1
	[ $? -eq 2 ] && grep -q "takes auto, dark, light or colour-blind" screen
}
check "there is no other theme" dusk

shows "text that is pasted is typed, its line end a blank" shop.folded \
	"/${esc}[200~par${enter}se${esc}[201~$enter" "/par se none"

# Lines: title, "no times", the views, then all, main, render and load.
shows "a click selects" shop.folded "$(click 50 6)" " load   self 0"
shows "two zoom" shop.folded "$(click 50 6)$(click 50 6)" \
	"                     parse  30.0 %  30                      │"
shows "a click on its name opens a view" shop.folded "$(click 20 3)" "[3 functions]"
shows "the wheel moves" shop.folded "2$(mouse 65 10 10 M)" ">      40   40.0"
shows "and back" shop.folded "2$(mouse 65 10 10 M)$(mouse 64 10 10 M)" ">     100  100.0"
tells "in the help it scrolls" shop.folded "?$(mouse 65 10 10 M)" "4-2"
tells "F2 leaves the mouse to the terminal" shop.folded "${esc}OQ" "mouse off"
tells "and takes it again" shop.folded "${esc}OQ${esc}OQ" "mouse on"
tells "--no-mouse begins so" shop.folded "${esc}OQ" "mouse on" --no-mouse
# A tenth to half of the scrubber, which begins at column 18: lines 2 and 3.
shows "dragging over the scrubber chooses a range" beat.perf.txt \
	"$(mouse 0 30 2 M)$(mouse 32 50 2 M)$(mouse 0 50 2 m)" " ms, "
shows "^L draws anew" shop.folded "3$(printf '\014')" "[3 functions]"

# ---- the editor ----
printf '#!/bin/sh\necho "$@" >edited\nexit 0\n' >ed
printf '#!/bin/sh\nexit 3\n' >failing
chmod +x ed failing
EDITOR=$scratch/ed
export EDITOR
typed gfx.perf.txt "6e"
check "the editor has the file" grep -qx "gfx/draw.c" edited
EDITOR="$scratch/failing --now"
tells "one that fails is told" gfx.perf.txt "6e" "failing --now gfx/draw.c ended with status 3"
EDITOR=$scratch/nowhere
tells "one that is not there, too" gfx.perf.txt "6e" "ended with status 127"

# ---- a pipe that takes its time, where someone looks ----
mkfifo slow
"$pty" "$PNAV" report slow >out 2>&1 &
exec 3>slow
cat shop.folded >&3
tries=0
while [ $tries -lt 100 ] && ! grep -q ' MB' out; do
	sleep 0.1
	tries=$((tries + 1))
done
exec 3>&-
wait $!
check "report reports how much it has read" grep -q 'pnav: slow: .* MB' out
check "and takes it away before the table" sh -c "tr '\r' '\n' <out | grep -q 'draw'"

# ---- record with a terminal ----
"$PNAV" record -o any.data true >out 2>err </dev/null
if ! built_with HAVE_RECORDER || grep -q 'cannot be used\|can be used' err; then
	skip "record browses" "$(tail -n 1 err)"
else
	# longer than the quiet after which keys are typed: its end must be waited for
	printf '#!/bin/sh\necho said\nsleep 0.5\nexit 5\n' >five
	chmod +x five
	check "record browses, and ends as the command did" sh -c "
		timeout 60 '$pty' -w 'ended with' -k Q '$PNAV' record ./five >out 2>err; [ \$? = 5 ]"
	check "what the command said is in a log" grep -qx said perf.data.log
	check "the recording is there" sh -c "'$PNAV' report --view info perf.data | grep -q five"
	check "the news stay when the browser has gone" grep -q -E 'perf.data: .* samples?,' out
	timeout 60 "$pty" -w 'ended with' -k "Y" -k "ss${enter}" -k "Q" \
		"$PNAV" record ./five >out 2>err
	check "it is called as its file and its command" grep -q 'perf.data of ./five' out
	check "its end is reported: status, samples, file, output" grep -Eq \
		'ended with status 5: .*[0-9]+ samples? in perf.data, output in perf.data.log' out
	check "Y has the file" grep -q 'copied: pnav .* perf.data' out
	check "and so has its session" sh -c "grep -q '^file .*perf.data' perf.pnav"
	check "a command that cannot start shows nothing" sh -c "
		timeout 60 '$pty' '$PNAV' record ./nosuch >out 2>err; [ \$? = 127 ] && ! grep -q flame out"
	check "behind -- the command has the terminal, the browser comes after it" sh -c "
		timeout 60 '$pty' -w 'ended with' -k Q '$PNAV' record -- ./five >out 2>err; [ \$? = 5 ] &&
		grep -q said out && grep -q flame out"
	check "... and says what ended, without a log" sh -c "
		grep -Eq 'ended with status 5: [0-9]+ samples? in perf.data' out &&
		! grep -q 'output in' out"
	# the key waits before the browser is there: it leaves while all is still read
	check "who leaves it at once has the command's status too" sh -c "
		for i in 1 2 3; do
			timeout 60 '$pty' -k Q '$PNAV' record -- ./five >out 2>err
			[ \$? = 5 ] || exit 1
		done"
	check "who leaves the browser ends the command" sh -c "
		timeout 60 '$pty' -k Q '$PNAV' record sleep 50 >out 2>err; [ \$? = 0 ]"
fi
tap_done
