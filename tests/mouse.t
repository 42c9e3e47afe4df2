#!/bin/sh
# The mouse, in the protocol of xterm (SGR, mode 1006): once as a terminal sends it, and
# once through tmux with its own mouse mode on, as most people have it over SSH: an outer
# tmux plays the terminal, an inner one is what the browser runs in.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

mux="tmux -L outer -f /dev/null"
. "$top_srcdir/tests/lib/mux.sh"
profile=$top_srcdir/tests/screens/beat.perf.txt
trap 'tmux -L inner kill-server 2>/dev/null; $mux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT

# sgr [BUTTON COLUMN LINE M|m]...: what a terminal sends; both count from 1.  The bytes go in
# as they are, in hexadecimal, so that the outer tmux does not read them as keys.
sgr()
{
	# shellcheck disable=SC2046
	$mux send-keys -t t -H $(printf '\033[<%d;%d;%d%s' "$@" | od -An -tx1 -v)
}

click()
{
	sgr 0 "$1" "$2" M 0 "$1" "$2" m
}

# Both clicks come at once, however slow the machine is.
double_click()
{
	sgr 0 "$1" "$2" M 0 "$1" "$2" m 0 "$1" "$2" M 0 "$1" "$2" m
}

# The line that has the text, from 1.
line_of()
{
	$mux capture-pane -p -t t | grep -nF -- "$1" | head -n 1 | cut -d: -f1
}

play()
{
	expect "$1: it opens" "/ search"
	# Three lines of the flame: all, main and io's, what they call.
	line=$(($(line_of "[1 flame]") + 2))
	click 10 "$line"
	expect "$1: a click selects" " main   self"
	sgr 35 12 "$line" M
	expect "$1: a card shows what is under a pointer that rests" "│ total 10  66.7 %"
	$mux send-keys -t t k
	check_screen "$1: which a key removes" gone "│ total 10"
	double_click 10 "$line"
	expect "$1: a double click zooms" "[                               main  66.7 %"
	$mux send-keys -t t BSpace
	view=$(line_of "[1 flame]")
	column=$($mux capture-pane -p -t t | sed -n "${view}p" | sed 's/functions.*//' | wc -m)
	click "$column" "$view"
	expect "$1: a click on its name opens a view" "[3 functions]"
	$mux send-keys -t t g
	shows ">"
	$mux capture-pane -p -t t | grep '^>' >"$scratch/first"
	sgr 65 10 12 M
	tries=0
	while [ $tries -lt 100 ]; do
		$mux capture-pane -p -t t | grep '^>' >"$scratch/later"
		cmp -s "$scratch/first" "$scratch/later" || break
		sleep 0.1
		tries=$((tries + 1))
	done
	if cmp -s "$scratch/first" "$scratch/later"; then
		not_ok "$1: the wheel moves" "$scratch/later"
	else
		ok "$1: the wheel moves"
	fi
	sgr 0 20 2 M
	sgr 32 30 2 M
	sgr 32 40 2 M
	sgr 0 40 2 m
	expect "$1: dragging over the scrubber chooses a range" " … "
	grep -qF "whole run" "$scratch/screen" &&
		not_ok "$1: and it is not the whole run" "$scratch/screen" ||
		ok "$1: and it is not the whole run"
	$mux send-keys -t t u
	expect "$1: a drag is one step" "whole run"
	$mux send-keys -t t F2
	expect "$1: F2 gives the mouse back" "mouse off"
	$mux send-keys -t t Q
}

$mux new-session -d -s t -c "$scratch" -x 80 -y 24 \
	"env PS1='$ ' LC_ALL=C.UTF-8 TERM=xterm-256color $PNAV $profile; sleep 60" 2>"$scratch/err" ||
	skip_all "tmux does not start: $(head -n 1 "$scratch/err")"
play "xterm"
$mux kill-server
mux="tmux -L outermost -f /dev/null" # the first one may still be about to end

printf 'set -g mouse on\nset -g status off\nset -sg escape-time 0\n' >"$scratch/conf"
$mux new-session -d -s t -c "$scratch" -x 80 -y 24 \
	"env LC_ALL=C.UTF-8 tmux -L inner -f $scratch/conf new-session $PNAV $profile" ||
	skip_all "tmux does not start in tmux"
play "tmux"
tap_done
