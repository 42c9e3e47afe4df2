#!/bin/sh
# The browser in a real terminal: tmux.  What a script of keys cannot show: that it opens
# and resizes, that ^Z and fg work, that keys come from the terminal when data come from a
# pipe, and that the terminal is whole after every way out.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

. "$top_srcdir/tests/lib/mux.sh"
profile=$top_srcdir/tests/screens/shop.folded

# The pid of the browser: the shell's only child.
browser()
{
	pgrep -P "$($mux display-message -p -t t '#{pane_pid}')" | head -n 1
}

start()
{
	shell_again
	send "clear; $PNAV $profile" Enter
	shows "/ search" || echo "# the browser did not open"
}

# The shell has its terminal back: lines are edited and echoed, the cursor is seen, no
# mouse reports, no alternate screen.  The command is typed after the prompt: what is typed while
# pnav ends goes with it.
whole()
{
	shell_again
	send "stty -a | grep -o '[-]*icanon' | tr a-z A-Z; echo st\"\"atus \$?" Enter
	if shows "status" && ! grep -q -- "-ICANON" "$scratch/screen" &&
		grep -q ICANON "$scratch/screen" &&
		[ "$($mux display-message -p -t t '#{cursor_flag}#{mouse_any_flag}#{alternate_on}')" = 100 ]; then
		ok "$1"
	else
		$mux display-message -p -t t '#{cursor_flag}#{mouse_any_flag}#{alternate_on}' \
			>>"$scratch/screen"
		not_ok "$1" "$scratch/screen"
	fi
}

mux_start
start
expect "it opens" "[1 flame]"
send 3
expect "keys work" "[3 functions]"
send j # the selection's name stands alone in its line
expect_like "what waits while keys come follows when they rest" "^ parse$"
send k
expect_like "... each time" "^ draw$"
send 1 k # from draw, the first row of the table, to what calls it
$mux resize-window -t t -x 100 -y 30
expect "a wider terminal has room for more" "by: function"
expect "and the selection is what it was" " render   self 0 0.0 %   total 55 55.0 %"
$mux resize-window -t t -x 30 -y 8
expect "a small one says so" "30x8 is too small"
$mux resize-window -t t -x 80 -y 24
expect "and comes back" " render   self 0 0.0 %   total 55 55.0 %"

send C-z
expect "^Z stops it" "Stopped"
whole "the terminal is whole meanwhile"
send "clear; fg" Enter
expect "fg brings it back" "[1 flame]"
# From the functions the flame was opened: back there, and out.
send q
expect "q goes back to the view before" "[3 functions]"
send q
whole "q at the last view ends, and the terminal is whole"
send "clear; $PNAV $profile; echo st\"\"atus \$?" Enter
shows "/ search"
send Q
expect "Q ends with status 0" "status 0"
send "clear; PNAV_MANUAL=$top_srcdir/man $PNAV $profile" Enter
expect "after loading the most notable answer is shown" "F3: "
send Q

# Stopped without being asked, it cannot leave the terminal well, but has to take it again.
start
pid=$(browser)
kill -STOP "$pid"
expect "SIGSTOP stops it" "(signal)" # the line wraps where the cursor was
send "stty sane; clear; fg" C-j # Enter is no line end in the modes it left
expect "fg brings it back" "[1 flame]"
send 3
expect "with its keys" "[3 functions]"
stty -a -F "$($mux display-message -p -t t '#{pane_tty}')" >"$scratch/stty" 2>&1
if grep -q -- "-icanon" "$scratch/stty" && grep -q -- "-echo " "$scratch/stty" &&
	[ "$($mux display-message -p -t t '#{mouse_any_flag}#{alternate_on}')" = 11 ]; then
	ok "and its modes"
else
	not_ok "and its modes" "$scratch/stty"
fi
send Q
while [ -n "$(browser)" ]; do sleep 0.1; done # what is typed before belongs to it
whole "the terminal is whole after that"

for sig in TERM HUP INT SEGV ABRT ALRM USR1 USR2 XCPU VTALRM PROF IO SYS TRAP PWR RTMIN; do
	start
	kill -$sig "$(browser)"
	while [ -n "$(browser)" ]; do sleep 0.1; done
	whole "the terminal is whole after SIG$sig"
done

# An editor of its own, that says what it was given and waits for a key.
cat >"$scratch/vi" <<'EOS'
#!/bin/sh
echo "EDITING $*"
read -r answer
EOS
chmod +x "$scratch/vi"
ln -s "$top_srcdir/tests/screens" "$scratch/s" # a path that fits a line of the screen
send "clear; EDITOR=$scratch/vi $PNAV --view source $scratch/s/gfx.perf.txt" Enter
expect "the source view opens at the hottest line" "blit(void) {}"
send e
expect "e runs the editor at the line" "EDITING +2 $scratch/s/gfx/draw.c"
send Enter
expect "and comes back to an intact screen" "blit(void) {}"
expect "with its first line" "gfx.perf.txt"
send 3
expect "where keys work" "[3 functions]"
send Q
while [ -n "$(browser)" ]; do sleep 0.1; done
whole "the terminal is whole after an editor"

send "clear; cat $profile | $PNAV -" Enter
expect "a pipe is read" "standard input"
send 3
expect "and the keys come from the terminal" "[3 functions]"
send q q
whole "the terminal is whole after a pipe"

send "clear; (cat $profile; sleep 60) | $PNAV -" Enter
expect "a pipe that goes on is shown at once" "Esc stops"
send Escape
expect "Esc stops the loading and keeps what there is" "total 100 100.0 %"
send Q
gone "1 flame" # else the interrupt would be a key of it, and the pipe sleeps on
send C-c
shell_again

send "clear; TERM= $PNAV $profile; echo st\"\"atus \$?" Enter
expect "without TERM: one line" "TERM is not set"
expect "and status 2" "status 2"
send "clear; TERM=nonesuch $PNAV $profile" Enter
expect "an unknown TERM is named" "unknown terminal 'nonesuch': drawn as for 'vt100'"
send q
whole "and drawn on as on a vt100"
send "clear; TERM=xterm-nonesuch $PNAV $profile" Enter
expect "one with a known name in it has more" "'xterm-nonesuch': drawn as for 'xterm-256color'"
send q
whole "and whole after it"
send "clear; TERM=linux NO_COLOR=1 $PNAV $profile" Enter
expect "a terminal of eight colours, told to use none" "[1 flame]"
send q
whole "and whole after it"
check "without an alternate screen the prompt has its line for itself" gone "? help"
tap_done
