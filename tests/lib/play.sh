# play.sh - what the tests of keys share: each plays keys and looks at the screen.
#
# Source it after tap.sh.  It ends the script where pnav is not built, and goes to
# $scratch, where copies of the profiles of screens/ are, small enough to be counted by
# hand, and tall.folded, which is higher than a screen.  SIZE is that of the screen.
#	at PROMISE FILE KEYS TEXT             the line with the cursor has the text
#	says PROMISE FILE KEYS TEXT [OPTION...] the screen has it
#	lacks PROMISE FILE KEYS TEXT          it has not
#	asks PROMISE KEYS LINE                the last line, with the prompt, is this one
#	same PROMISE FILE KEYS KEYS           both end in the same screen

[ -x "$PNAV" ] || skip_all "pnav is not built"
LC_ALL=C.UTF-8
XDG_CONFIG_HOME=/nonexistent
export LC_ALL XDG_CONFIG_HOME
SIZE=80x24
line_end='
'
cp -r "$top_srcdir"/tests/screens/*.folded "$top_srcdir"/tests/screens/*.perf.txt \
	"$top_srcdir/tests/screens/gfx" "$scratch"
chmod -R u+w "$scratch"
cd "$scratch" || exit 99

# play FILE KEYS [OPTION...]: the screen is in the file `screen` and in $screen then
play()
{
	play_file=$1 play_keys=$2
	shift 2
	if screen=$("$PNAV" --size "$SIZE" --snapshot "$@" --keys "$play_keys" "$play_file" 2>err &&
		echo .) && [ ! -s err ]; then
		screen=${screen%.}
		printf '%s' "$screen" >screen
		return
	fi
	printf '%s\n' "$screen" | cat - err >screen
	return 1
}

at()
{
	if play "$2" "$3" && grep '^>' screen | grep -qF -- "$4"; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

says()
{
	says_promise=$1 says_text=$4 says_file=$2 says_keys=$3
	shift 4
	play "$says_file" "$says_keys" "$@" && case $screen in
	*"$says_text"*) ok "$says_promise" && return ;;
	esac
	not_ok "$says_promise" screen
}

lacks()
{
	play "$2" "$3" && case $screen in
	*"$4"*) ;;
	*) ok "$1" && return ;;
	esac
	not_ok "$1" screen
}

asks()
{
	play shop.folded "$2"
	last=${screen%"$line_end"}
	last=${last##*"$line_end"}
	while [ "$last" != "${last% }" ]; do
		last=${last% }
	done
	if [ "$last" = "$3" ]; then
		ok "$1"
	else
		not_ok "$1" screen
	fi
}

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
