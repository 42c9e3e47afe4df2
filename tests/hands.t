#!/bin/sh
# The browser in a real terminal, at the pace of hands: the contents of the screen between
# two keys, which a script of keys never sees.  A step of the guide is played key by key,
# each shown; prompts show what they would give while one types.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/mux.sh"
profile=$top_srcdir/tests/screens/threads.perf.txt
shop=$top_srcdir/tests/screens/shop.folded
PNAV_MANUAL=$top_srcdir/man/pnav-browse.1
export PNAV_MANUAL
mux_start

# ---- the guide ----
send "clear; $PNAV --guide ranges $profile" Enter
expect "it waits with its first step" "Space plays it"
send Space
# Six keys of 0.6 seconds: one of them is in brackets at any time.
expect_like "a step is played key by key" \
	'1/6  (▸Tab Home|Tab ▸Home|Tab Home ▸\[|.*▸S-Right|.*▸\])'
send Space
expect "Space plays the rest of it at once" "Backspace back"
expect_like "and all of it was done" '\([0-9.]+ .s, [0-9.]+ %\)'
expect "no more than that" " 1/6 "
send Space
expect "the next step" "kept to compare with"
send 3
expect "one's own keys work in between" "[3 functions]"
send Space 2
expect "and end the step first that is played" "[2 tree]"
expect "whole" " 3/6 "
send BSpace
expect "Backspace takes it back" " 2/6 "
send Escape
expect "Esc ends the guide" "q back"
send Q
shell_again

# ---- a file whose first picture comes before its end ----
for i in 1 2 3; do
	send "clear; $PNAV --guide ranges $top_srcdir/data/sample.perfscript.gz" Enter
	expect "the guide begins when the file is loaded" "Space plays it"
	send Q
	shell_again
	send "clear; $PNAV $top_srcdir/data/sample.perfscript.gz" Enter
	expect "and the greeting comes" "F3: "
	send Q
	shell_again
done

# ---- the filter prompt ----
send "clear; $PNAV $shop" Enter
shows "[1 flame]"
send '\' par
expect "a filter shows what it leaves while it is typed" "leaves 30.0 % of what was there"
send C-t
expect "^T turns its verb round" "exclude: par"
expect "and shows that" "leaves 70.0 %"
send '('
expect "what does not compile is told, with the place" "missing closing parenthesis"
expect "and the view stays" "render"
send BSpace Escape
expect "Esc leaves all as it was" "draw  40.0 %"
send '\' '!' par Enter
expect "! drops what matches" "filters:  -par  leave 70.0 %"
send u
expect "u takes it back" "draw  40.0 %"

# ---- search ----
send 3 / mai
expect_like "the view goes to the first match while one types" '^> .*main'
expect "and its count is told" "1 match, 100.0 %"
send x
expect "no match moves nothing" "/maix none"
send Escape
expect_like "Esc goes back to where one was" '^> .*draw'
send / 'r' Enter n
expect_like "which of how many is told" 'match [0-9] of [0-9]'
send n n n
expect "and that it went round" "match 1 of 4, from the top again"
send Q
tap_done
