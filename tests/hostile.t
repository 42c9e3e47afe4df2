#!/bin/sh
# Names that would turn, hide or command what is on a terminal: in functions, modules, files,
# threads, in typed texts and messages.  In every view, prompt, menu and message they are shown
# as escapes, never as they are; only the clipboard has the name itself.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/play.sh"

pty=$top_builddir/tests/lib/pty
esc=$(printf '\033')
rlo=$(printf '\342\200\256')    # U+202E
zwsp=$(printf '\342\200\213')   # U+200B
zwj=$(printf '\342\200\215')    # U+200D
csi=$(printf '\302\233')        # U+009B, what ESC [ is in one character
family=$(printf '\360\237\221\250\342\200\215\360\237\221\251\342\200\215\360\237\221\247')
bad=$(printf '\351')            # no UTF-8
name="f${rlo}a${zwsp}b${csi}31mc$bad$family"
file="p${rlo}q${zwsp}r${csi}s.perf.txt"

# The same names in threads, functions, modules; two samples 10 ms apart.
for i in 1 2 3 4; do
	printf 't%sx%sy %d %d.%02d0000: 10000000 cpu-clock:\n' "$rlo" "$csi" $((i % 2 + 7)) 1 "$i"
	printf '\t    1000 %s+0x0 (/m%sn%so)\n' "$name" "$rlo" "$zwsp"
	printf '\t    2000 main+0x%d (/m%sn%so)\n\n' "$i" "$rlo" "$zwsp"
done >"$file"

# harmless FILE: none of them is in it as it is, and all of it is UTF-8
harmless()
{
	iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>why || return 1
	for raw in "$rlo" "$zwsp" "$zwj" "$csi"; do
		! LC_ALL=C grep -aqF -- "$raw" "$1" || return 1
	done
}

# escaped PROMISE KEYS TEXT [SIZE]: the screen is harmless and has the text
escaped()
{
	escaped_size=${4:-120x40}
	"$PNAV" --size "$escaped_size" --snapshot --keys "$2" "$file" >screen 2>err
	if [ $? -eq 0 ] && harmless screen && harmless err &&
		{ grep -qF -- "$3" screen || grep -qF -- "$3" err; }; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

shown='f\u{202e}a\u{200b}b\u{9b}31mc\xe9'
for view in 1 2 3 4 5 6 7 8; do
	escaped "view $view: the file's name" "$view j j" 'p\u{202e}q\u{200b}r\u{9b}s'
	escaped "view $view in a small screen" "$view j j" 'p\u{202e}q' 80x24
done
escaped "the flame: functions" "1 j j" "$shown"
escaped "the tree" "2 E j j" "$shown"
escaped "functions" "3 g" "$shown"
escaped "its modules" "3 g" 'n\u{200b}o'
escaped "callers" "3 g 4" "$shown"
escaped "the timeline: threads" "5" 'x\u{9b}y'
escaped "and what is at the cursor" "5 j j" 'f\u{202e}a\u{200b}b'
escaped "source" "3 g 6" "$shown"
escaped "by module" "3 b m" '/m\u{202e}n\u{200b}o'
escaped "the detail pane" "3 g" "$shown" 200x50
escaped "the whole of a name" "3 g K" "$shown" 80x24
escaped "the menu of tracks" "t" '\u{9b}y'
escaped "the menu of a frame" "3 g x" "$shown"
escaped "a search that is typed" "/ 'f${rlo}a'" 'f\u{202e}a'
escaped "and entered" "/ 'f${rlo}a' Enter" 'f\u{202e}a'
escaped "one that finds nothing" "/ 'z${rlo}${csi}' Enter" 'z\u{202e}\u{9b}'
escaped "one that is wrong" "/ '(${zwsp}'" "missing closing parenthesis"
escaped "a filter" "\\ 'f${rlo}a' Enter" 'f\u{202e}a'
escaped "the list of filters" "\\ 'f${rlo}a' Enter F" 'f\u{202e}a'
escaped "names that complete a filter" "\\ 'f' Tab" 'u{202e}'
escaped "a command that is none" ": 'no${rlo}ne' Enter" 'no\u{202e}ne'
escaped "a mark" "M a 'm${rlo}${zwsp}' Enter M" 'm\u{202e}\u{200b}'
escaped "what is copied is told" "3 g y" "$shown"
escaped "the command line of this view" "\\ 'f${rlo}a' Enter Y" 'u{202e}'
escaped "a file that cannot be written" "s t ^U '/no/f${rlo}x' Enter" '\u{202e}x'

[ -x "$pty" ] || {
	skip "on a terminal" "tests/lib/pty is not built"
	tap_done
	exit
}
TERM=xterm-256color timeout 60 "$pty" -k 12345678 -k "3gxqgK" -k "q/f${rlo}a$esc" -k "3gyt" -k "qQQ" \
	"$PNAV" "$file" >out 2>err
check "all of what a terminal gets is harmless" harmless out
check "and shows them" grep -qF 'u{202e}' out
copy=$(printf '%s' "$name" | base64 | tr -d '\n')
check "the clipboard has the name itself" grep -qF "]52;c;$copy" out
tap_done
