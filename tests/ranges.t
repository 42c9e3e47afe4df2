#!/bin/sh
# The range and the scrubber: what each step changes, what u takes back, what is said where
# there is nothing to change.
#
# gfx.perf.txt has a sample every millisecond from 0 to 10 ms; a column of 62 is 161 µs.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/play.sh"

gfx=gfx.perf.txt

# ---- nothing to change ----
for key in '{' '}'; do
	says "$key without a range says so" $gfx "$key" "no range to slide: [ and ] set one"
done
says "- too" $gfx "-" "no range to narrow: [ and ] set one"
says "+ too" $gfx "+" "no range to widen: the whole run is shown"
says "= is the same" $gfx "=" "no range to widen"
says "Esc on the scrubber too" $gfx "Tab Esc" "no range to clear: the whole run is shown"
says "sliding ends at the begin" $gfx ": 'range 0ms 2ms' Enter {" "at the beginning of the run"
says "and at the end" $gfx ": 'range 8ms 10ms' Enter } } } } }" "at the end of the run"
says "narrow has an end" $gfx ": 'range 2ms 0.002000001s' Enter -" "cannot be narrower"
says "no zoom in the flame" $gfx Backspace "no zoom to leave"
says "nor in a table" $gfx "3 Backspace" "no zoom to leave"
says "nor in the timeline" $gfx "5 Backspace" "no zoom to leave"
lacks "with a zoom it goes back" $gfx "j Enter Backspace" "no zoom"

# ---- words ----
says ":range takes two times" $gfx ": 'range 2ms 5ms' Enter" "2.000 ms … 5.000 ms (3.000 ms, 30.0 %)"
says "or percents" $gfx ": 'range 20% 50%' Enter" "2.000 ms … 5.000 ms"
says "- is an open end" $gfx ": 'range 2ms 5ms' Enter : 'range - 5ms' Enter" "0 ns … 5.000 ms"
says "of :from too" $gfx ": 'range 2ms 5ms' Enter : 'from -' Enter" "0 ns … 5.000 ms"
says "both open: the whole run" $gfx ": 'range 2ms 5ms' Enter : 'range - -' Enter" "whole run"
says "one end is too few" $gfx ": 'range 2ms' Enter" "a range has two ends"
says "the wrong way round" $gfx ": 'range 5ms 2ms' Enter" "5.000 ms is not before 2.000 ms"
says "the same moment twice" $gfx ": 'range 5ms 50%' Enter" "5.000 ms is not before 5.000 ms"
says ":from behind the end of the range" $gfx ": 'to 1ms' Enter : 'from 2ms' Enter" \
	"2.000 ms is not before 1.000 ms"
says ":to before its start" $gfx ": 'from 2ms' Enter : 'to 1ms' Enter" \
	"2.000 ms is not before 1.000 ms"
says "what is refused changes nothing" $gfx ": 'to 1ms' Enter : 'from 2ms' Enter Esc" \
	"0 ns … 1.000 ms"
says "behind the run" $gfx ": 'from 11ms' Enter" "the run ends at 10.000 ms"
says "a time needs its unit" $gfx ": 'from 5' Enter" "a time needs a unit"
asks ":from asks for its time" ": 'from' Enter" ":from"
asks ":to too" ": 'to' Enter" ":to"
asks ":range too" ": 'range' Enter" ":range"
says "and takes it" $gfx ": 'from' Enter '5ms' Enter" "5.000 ms … 10.000 ms"
says "without times there is none" shop.folded ": 'range 1ms 2ms' Enter" "no time"

# ---- the last seconds ----
says ":last is a range at the end" $gfx ": 'last 4ms' Enter" \
	"last 4.000 ms: 6.000 ms … 10.000 ms (4.000 ms, 40.0 %)"
says "which says what it is" $gfx ": 'last 4ms' Enter" "the last 4ms of the run; :last ends it"
says "longer than the run it is all of it" $gfx ": 'last 4s' Enter" \
	"last 4.000 s: 0 ns … 10.000 ms"
says "or a share" $gfx ": 'last 20%' Enter" "last 20 %: 8.000 ms … 10.000 ms"
says "alone it ends" $gfx ": 'last 4ms' Enter : 'last' Enter" "whole run"
says "and without one it goes to the last line, as ever" $gfx "3 : 'last' Enter" "4 of 4"
says "u takes it back" $gfx ": 'last 4ms' Enter u" "whole run"
says "W asks for it" $gfx "W" "the last: 10s"
says "and what may be said" $gfx "W" "a time, as 2.5s or 500ms"
says "what is typed takes the place of what is proposed" $gfx "W '3ms' Enter" \
	"last 3.000 ms: 7.000 ms … 10.000 ms"
says "a key of editing makes the proposal the text" $gfx "W Backspace 'ms' Enter" \
	"last 10.000 ms: 0 ns … 10.000 ms"
says "with nothing it ends" $gfx ": 'last 4ms' Enter W Enter" "whole run"
says "+ makes it longer" $gfx ": 'last 4ms' Enter +" "last 6.000 ms: 4.000 ms … 10.000 ms"
says "- shorter" $gfx ": 'last 3ms' Enter -" "last 2.000 ms: 8.000 ms … 10.000 ms"
says "sliding by hand makes it a range like others" $gfx ": 'last 4ms' Enter {" \
	" 5.000 ms … 9.000 ms"
says "Y has it" $gfx ": 'last 4ms' Enter Y" "--from -4000000ns"
says "a length is not negative" $gfx ": 'last -4ms' Enter" "a duration cannot be negative"
says "nor nothing" $gfx ": 'last 0ms' Enter" "the duration is 0: use last 10s"
says "a time needs its unit here too" $gfx ": 'last 4' Enter" "a time needs a unit"
says "without times there is none to slide" shop.folded "W" "so nothing slides"

# ---- undo ----
# undo PROMISE KEYS LINE: the line below the scrubber
undo()
{
	says "$1" $gfx "$2" "$3"
}
undo "[ and ] are steps of their own" "Tab S-Right [ S-Right ] u" "1.612 ms … 10.000 ms"
undo "so the next u takes back [" "Tab S-Right [ S-Right ] u u" "whole run"
undo "two times ] are two" "Tab S-Right ] Left ] u" " 0 ns … 1.774 ms"
undo "Esc is one" "Tab S-Right [ S-Right ] Esc u" "1.612 ms … 3.387 ms"
undo "and made again" "Tab S-Right [ S-Right ] Esc u ^R" "whole run"
undo "sliding is one step, however far" ": 'range 2ms 4ms' Enter } } } { u" "2.000 ms … 4.000 ms"
undo "widening another" ": 'range 2ms 4ms' Enter } + + u" "2.500 ms … 4.500 ms"
undo "then comes the sliding" ": 'range 2ms 4ms' Enter } + + u u" "2.000 ms … 4.000 ms"
undo "a key between ends the step" ": 'range 2ms 4ms' Enter } j } u" "2.500 ms … 4.500 ms"
undo "what did nothing is no step" ": 'range 0ms 4ms' Enter { } u" " 0 ns … 4.000 ms"
undo ":range is one" ": 'range 2ms 4ms' Enter : 'range 1ms 9ms' Enter u" "2.000 ms … 4.000 ms"

# ---- the cursor and the metric ----
says "the time at the cursor is reported" $gfx "Tab S-Right" "whole run   cursor 1.612 ms"
lacks "only while the scrubber has the focus" $gfx "Tab S-Right Tab" "cursor"
lacks "of a metric over time nothing is said" $gfx "" "scrubber:"

# ---- comparing ranges ----
says "the kept range slides away from its base" $gfx ": 'to 50%' Enter v }" \
	"1.250 ms … 6.250 ms   base 0 ns … 5.000 ms"
says "both halves" $gfx ": 'to 50%' Enter v : 'range 50% 100%' Enter" \
	"5.000 ms … 10.000 ms   base 0 ns … 5.000 ms"

# ---- a metric without times ----
for case in massif-peak/input.massif memray-peak/input.bin; do
	heap=$top_srcdir/tests/golden/$case
	for view in 1 2 3 4; do
		says "$case: a range has no peak, view $view" "$heap" "$view : 'range 10% 50%' Enter" \
			"This metric is known for the whole run only.  m chooses another."
	done
	lacks "$case: but something live" "$heap" "3 : 'metric live' Enter : 'range 0% 100%' Enter" \
		"known for the whole run only"
	"$PNAV" report --from 10% --to 50% "$heap" >/dev/null 2>"$scratch/err"
	check "$case: a report says so" \
		grep -q 'peak is known for the whole run only, .*: --metric [a-z]* has times' "$scratch/err"
	"$PNAV" report --from 10% --to 50% --metric live "$heap" >/dev/null 2>"$scratch/err"
	grep -q 'whole run' "$scratch/err" && not_ok "$case: not of live" "$scratch/err" ||
		ok "$case: not of live"
done

# ---- a range that ends before it begins ----
cd "$folder" || exit 99
for range in "--from 6ms --to 2ms" "--from 50% --to 50%" \
	"--from 1ms --to 3ms --base-from 8ms --base-to 8ms"; do
	# shellcheck disable=SC2086
	"$PNAV" report $range $gfx >/dev/null 2>"$scratch/err"
	check "$range: says that it is empty" \
		grep -Eq 'warning: the range (of the base )?is empty: [0-9.]* ms is not before [0-9.]* ms$' \
		"$scratch/err"
done
tap_done
