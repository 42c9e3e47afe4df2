#!/bin/sh
# The inspections of pnav-inspections(7): every step of every question is played on profiles of several
# formats, and the words that the page promises (its .Ql) are looked for on the screen.  The
# page is read here once more, by other means than pnav's; which questions fit a profile is
# told by a table that was written from what the files hold.  What a step changes (its .Bq) is
# taken from the session that is saved after it, and from reports through that session: which
# tracks count, the total, the order, the range.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

. "$top_srcdir/tests/lib/play.sh"
PNAV_MANUAL=$top_srcdir/man
export PNAV_MANUAL
golden=$top_srcdir/tests/golden

# The page as lines `QUESTION STEP|needs|choice|effects|words to be seen|...`, and
# `QUESTION needs|...`
awk '
	function unquoted(s) { gsub(/\\&/, "", s); gsub(/\\e/, "\\", s); return s }
	function out() { if (step) print name " " step "|" needs "|" choice "|" effects "|" shows; step = 0 }
	/^\.Sh / { out(); inside = $2 == "INSPECTIONS"; name = ""; next }
	!inside { next }
	/^\.Ss / { out(); name = ""; n = 0; next }
	/^\.It Cm / && !name {
		name = $3
		sub(/^.It Cm [a-z]* ?(Pq )?/, "")
		print name " needs|" $0
		next
	}
	!name { next }
	/^\.It Ic / || /^\.It Ar / {
		out()
		step = ++n
		needs = choice = effects = shows = ""
		if (match($0, / Pq .*/)) { needs = substr($0, RSTART + 4); sub(/ Pq .*/, "") }
		if (match($0, /Ar .*/)) choice = substr($0, RSTART + 3)
		next
	}
	/^\.It Nm / || /^\.El/ { out(); next }
	step && /^\.Bq / { effects = substr($0, 5); next }
	step && /^\.Ql / {
		sub(/^\.Ql /, "")
		sub(/ [.,:;]$/, "")
		shows = shows unquoted($0) "|"
	}
' "$PNAV_MANUAL/pnav-inspections.7" >page
questions=$(sed -n 's/ needs|.*//p' page)
check "there are a dozen questions" test "$(echo "$questions" | wc -l)" -ge 12
sed -n 's/ needs|.*//p' page | sort | uniq -d >twice
check "each has a name of its own" test ! -s twice

# has NEED...: does the profile have all of them?  $has is what it has.
has()
{
	for need; do
		case " $has " in
		*" $need "*) ;;
		*) return 1 ;;
		esac
	done
}

# What a reader would choose.
answer()
{
	case $1 in
	row) echo j ;;
	name) echo "'$pattern' Enter" ;;
	place) echo "Right Right" ;;
	track | metric) echo Space ;;
	*) echo "no-answer-to-$1" ;;
	esac
}

# The keys that play a question, a screen after each step; the steps themselves to `steps`.
script()
{
	: >steps
	keys=
	: >effects
	rm -f step*.pnav
	i=0
	while IFS='|' read -r step needs choice effects shows; do
		case $step in "$1 "[0-9]*) ;; *) continue ;; esac
		# shellcheck disable=SC2086
		has $needs || continue
		keys="$keys Space"
		[ -z "$choice" ] || keys="$keys $(answer "$choice")"
		i=$((i + 1))
		keys="$keys Snapshot S s ^U 'step$i.pnav' Enter"
		echo "${shows%|}" >>steps
		echo "$effects" >>effects
	done <page
}

# Screen N of those that a script wrote, without the lines of the strip.
screen_of()
{
	awk -v want="$1" -v RS='\f' 'NR == want { sub(/^\n/, ""); print }' screen >one
	sed -n '22,23p' one >strip
	sed '22,23d' one >seen
}

# The sessions after steps $1 - 1 and $1: the words of a line that begins so; how
# many lines do; the length of the range; the sum of the metric; names of the most self.
words() { sed -n "s/^$2 //p" "$1"; }
count() { grep -c "^$2 " "$1"; }
range()
{
	awk -v from="$(words "$1" from)" -v to="$(words "$1" to)" '
		BEGIN { printf "%.0f\n", (to == "" ? 1e15 : to) - from }'
}
sum()
{
	"$PNAV" report --session "$1" --format csv --columns self 2>/dev/null |
		awk 'NR > 1 { sum += $1 } END { printf "%.0f\n", sum }'
}
tracks() # none is named: all count
{
	n=$(count "$1" "entry track")
	echo $((n ? n : 1000000))
}
# most SESSION COLUMN [LEAST]: the functions that have the most of it, or least, a line each
most()
{
	"$PNAV" report --session "$1" --format csv --columns "$2,function" 2>/dev/null |
		awk -v FS=, -v least="$3" 'NR > 1 {
			n = $1; sub(/^[^,]*,/, ""); gsub(/^"|"$/, "")
			if (NR == 2 || (least ? n < best : n > best)) { best = n; names = "" }
			if (n == best) names = names $0 "\n"
		} END { printf "%s", names }'
}
compared()
{
	case $1 in
	less) [ "$3" -lt "$2" ] ;;
	more) [ "$3" -gt "$2" ] ;;
	same) [ "$3" -eq "$2" ] ;;
	esac
}

# changed N KIND VALUE: checks the session after step N
changed()
{
	now=step$1.pnav was=step$(($1 - 1)).pnav
	case $2 in
	view) [ "$(words "$now" view)" = "$3" ] ;;
	row) most "$now" self | grep -qxF -e "$(words "$now" select | sed -n '$s/ (inlined)$//; $p')" ;;
	sort) # the row on top
		most "$now" calls "${3%calls}" | grep -qF -e "$(sed -n 's/^>.* \([^ ]*\) *$/\1/p' seen)" ;;
	tracks)
		n=$(count "$now" "entry track")
		if [ "$3" = one ]; then
			sed '/^entry track/d' "$now" >all.pnav
			sed 's/^entry track =/entry track !=/' "$now" >others.pnav
			[ "$n" = 1 ] && grep -q '^entry track =' "$now" &&
				[ "$(sum "$now")" = $(($(sum all.pnav) - $(sum others.pnav))) ]
		else
			compared "$3" "$(tracks "$was")" "$(tracks "$now")"
		fi ;;
	total) compared "$3" "$(sum "$was")" "$(sum "$now")" ;;
	range)
		if [ "$3" = moved ]; then
			[ "$(words "$was" from)" != "$(words "$now" from)" ]
		else
			compared "$3" "$(range "$was")" "$(range "$now")"
		fi ;;
	metric)
		case $3 in
		bytes) [ "$(words "$now" metric)" ] ;; # each file that is used here has but these two
		other) [ "$(words "$now" metric)" != "$(words "$was" metric)" ] ;;
		*) [ "$(words "$now" metric)" = "$3" ] ;;
		esac ;;
	by) [ "$(words "$now" by)" = "$3" ] ;;
	filters) compared "$3" "$(count "$was" entry)" "$(count "$now" entry)" ;;
	base) [ "$(count "$now" base | sed 's/0/none/; s/1/kept/')" = "$3" ] ;;
	stacks) [ "$(grep -cx invert "$now" | sed 's/0/upright/; s/1/inverted/')" = "$3" ] ;;
	matches) [ "$(words "$now" search)" ] ;;
	focus) ;; # no session has it: the player's own check
	*) false ;;
	esac
}

# Every step of question $1 says where it is, has room, and shows what it promises.
plays()
{
	script "$1"
	all=$(wc -l <steps)
	play "$file" "S s ^U 'step0.pnav' Enter $keys" --guide "$1" $options || return 1
	i=0
	while IFS= read -r shows; do
		i=$((i + 1))
		screen_of $i
		grep -q "^ $i/$all " strip || { echo "step $i: no strip"; return 1; }
		! grep -Eq '(^| )(Sq|Dq|Ql|Cm|Ic|Ar|Fl|Em|Pa) ' strip ||
			{ echo "step $i: a macro"; return 1; }
		! grep -q '…' strip || { echo "step $i: no room"; return 1; }
		shows=$shows${shows:+|}
		while [ -n "$shows" ]; do
			grep -qF -e "${shows%%|*}" seen ||
				{ echo "step $i: not there: ${shows%%|*}"; return 1; }
			shows=${shows#*|}
		done
		! grep 'did not have its effect' seen || return 1
		effects=$(sed -n "${i}p" effects)
		[ "$effects" ] || { echo "step $i: does not say what it changes"; return 1; }
		# shellcheck disable=SC2086
		set -- "$1" $effects ,
		question=$1
		shift
		while [ $# -gt 0 ]; do
			changed "$i" "$1" "$2" || { echo "step $i: not so: $1 $2"; return 1; }
			shift 3
		done
		set -- "$question"
	done <steps
}

# tries TITLE FILE HAS: all that fit are offered, have a command that runs, and play; those that
# another profile has played are played again only if PNAV_LONG is set
tries()
{
	title=$1 file=$2 has=$3
	"$PNAV" report --guide $options "$file" >guide 2>/dev/null
	sed -n 's/^# \([a-z]*\): .*/\1/p' guide >offered
	while IFS='|' read -r name needs; do
		case $name in *" needs") ;; *) continue ;; esac
		# shellcheck disable=SC2086
		has $needs && echo "${name% needs}"
	done <page >fitting
	diff fitting offered >differ && ok "$title: what fits is offered" ||
		not_ok "$title: what fits is offered" differ
	while read -r question; do
		[ -n "${PNAV_LONG:-}" ] || ! grep -qxF "$question" played 2>/dev/null || continue
		echo "$question" >>played
		if plays "$question" >why 2>&1; then
			ok "$title: $question"
		else
			cat one >>why
			not_ok "$title: $question" why
		fi
	done <fitting
	if sh -e -c 'pnav() { "$PNAV" "$@"; [ $? = 0 ] || [ $? = 3 ]; }
		. ./guide' >output 2>err </dev/null && [ -s output ]; then
		ok "$title: the commands run"
	else
		cat guide >>err
		not_ok "$title: the commands run" err
	fi
}

# Messages about the input are not what this is about.
play()
{
	play_file=$1 play_keys=$2
	shift 2
	"$PNAV" --size 80x24 --snapshot "$@" --keys "$play_keys" "$play_file" >screen 2>err
	play_status=$?
	screen=$(cat screen)
	[ $play_status = 0 ] || [ $play_status = 3 ] || { cat err; return 1; }
}

options=
pattern=sqlite3
tries "a sampled run" "$top_srcdir/data/sample.perfscript.gz" \
	"single stacks time clock running metrics tracks modules system lines"
pattern=Band
tries "calls (hqnplog)" "$golden/hqnplog-small/input.plog" \
	"single stacks time clock running calls counts metrics tracks values"
pattern=a
tries "memory (bsprof)" "$golden/bsprof-small/input.bsprof" \
	"single stacks time counts memory live metrics lines"
pattern=main
tries "states (text1)" "$golden/text1-example/input.txt" \
	"single time clock running counts metrics lines values"
tries "a flat listing (prf)" "$golden/prf-example/input.PRF" "single"
pattern=main
tries "states (ftrace)" "$golden/ftrace-states/input.txt" "single time clock running tracks states"
pattern=0x1100
tries "a machine (record --usage)" "$golden/perfdata-usage/input.data" "single stacks time clock running metrics tracks modules usage"
pattern=take_both
tries "threads that wait (pnav stacks)" "$golden/pnav-threads/input.pnav" "single stacks time clock running metrics tracks modules lines look"
pattern=work
tries "Python (pyinstrument)" "$golden/pyinstrument-session/input.pyisession" "single stacks time clock running metrics tracks lines system scripts"
pattern=a
tries "a comparison" "$golden/folded-before-after/input.folded" "comparison stacks tracks"

# Of hqnplog-small the encoder knows: the longest Band lasts 250 us, on thread 0x10, and two other
# tracks do something meanwhile.
file=$golden/hqnplog-small/input.plog
rm -f step*.pnav
play "$file" "Space / 'Band' Enter Space Space Space Space Space S s ^U 'step6.pnav' Enter" \
	--guide slowest
check "slowest: one call is left at last" test "$(sum step6.pnav)" = 250000

# With Space alone each step finds something: functions without calls, gaps, tracks of one name, a
# slice that is the whole run.
# stuck FILE QUESTION...: none of them says that a step did not have its effect
stuck()
{
	alone=$1
	shift
	for question; do
		"$PNAV" --size 100x30 --snapshot --guide "$question" \
			--keys "$(yes "Space Snapshot" | head -22 | tr '\n' ' ')" "$alone" >screen 2>err
		check "Space alone: $question, ${alone##*/golden/}" sh -c \
			'grep -q "all steps done" screen && ! grep "did not have its effect" screen'
	done
}
cat >gaps.json <<'END'
[
{"ph":"B","name":"never ends","ts":0,"pid":1,"tid":1},
{"ph":"X","name":"whole","ts":0,"dur":1000,"pid":1,"tid":2},
{"ph":"X","name":"part","ts":100,"dur":50,"pid":1,"tid":2},
{"ph":"X","name":"part","ts":300,"dur":80,"pid":1,"tid":2},
{"ph":"X","name":"late","ts":500,"dur":20,"pid":1,"tid":3},
{"ph":"C","name":"q","ts":500,"pid":1,"args":{"v":3}},
{"ph":"C","name":"q","ts":700,"pid":1,"args":{"v":4}}
]
END
stuck gaps.json slowest values beside threads waits
stuck "$golden/firefox-exec/input.json" threads waits
stuck "$golden/chrome-lanes-range/input.json" slowest beside
stuck "$golden/massif-bytes/input.out" values
stuck "$golden/xdebug-calls/input.xt" slowest
stuck "$golden/firefox-processed/input.json" slowest

# A step that does not do what it says, and Space at a menu that it opened.
guided_by()
{
	says "$1" "$2" "$3" "$4" --guide "$5"
}
cp "$file" input.plog
guided_by "a step whose choice was not made says so" input.plog "Space Space Esc" \
	"step 2 did not have its effect: 3 of 3 tracks" waits
guided_by "Space plays it once more" input.plog "Space Space Esc Space" "tracks, busiest first" waits
guided_by "and goes on after that" input.plog "Space Space Esc Space Esc Space" " 3/5 " waits
guided_by "Backspace at its menu takes it back" input.plog "Space Space Backspace Space" \
	"tracks, busiest first" waits
guided_by "typing chooses there" input.plog "Space Space 'deadb' Enter" "1 of 3 tracks" waits
SIZE=100x30
guided_by "the menu does not cover the strip" "$top_srcdir/data/sample.perfscript.gz" "Space Space" \
	" 2/5  t <track>" waits
guided_by "nor what Space does" "$top_srcdir/data/sample.perfscript.gz" "Space Space" \
	"Space takes the row" waits
SIZE=80x24
guided_by "it is put where the step says" "$golden/bsprof-small/input.bsprof" "Space Space" \
	"metric: live" leak

# ---- the strip, and its keys ----
options= file=$golden/hqnplog-small/input.plog
# guided PROMISE KEYS TEXT [OPTION...]: the screen has the text then
guided()
{
	promise=$1 keys=$2 text=$3
	shift 3
	play "$file" "$keys" "$@"
	check "$promise" grep -F -e "$text" screen
}
slowest="--guide slowest"
guided "it begins with the first step, not played" "" "Space plays it" $slowest
guided "and its title" "" "Which call was the slowest?" $slowest
guided "one's own keys work in between" "Space j 2" "[2 tree]" $slowest
guided "and go on from there" "Space j Space" "[7 calls]" $slowest
guided "Esc ends it where one is" "Space Space Esc" "[7 calls]" $slowest
play "$file" "Space Space Esc" $slowest
check "without its strip" sh -c "! grep -q 'Esc ends' screen"
guided "behind the last step there is no next" "Space Space Space Space Space Space Space Space Space" \
	"all steps done" $slowest
guided "before the first there is nothing to undo" "Backspace" "no step to undo yet" $slowest
guided "the first screen names the guide" "" "F3 guide"
play "$file" "j"
check "and the screen after a key, behind what the view does" grep -q 'save  F3 guide  ? help' screen
guided "a screen without anything names it" "\\ 'nothing' Enter" "F3 or :guide lists questions"
guided ":guide lists what fits" ": 'guide' Enter" "Which call was the slowest?"
guided "and begins with a name" ": 'guide slowest' Enter" " 1/8 "
guided "a name that is none is told" ": 'guide slow' Enter" "unknown question 'slow'"
guided "what a profile lacks is told" ": 'guide slower' Enter" "two files or ranges to compare"
guided "F1 offers questions at the head of the view's section" "7 F1" ">     Which call was the slowest?"
guided "Enter plays the one that is chosen" "7 F1 j Enter" "What ran beside it?"
guided "a key that is bound to something else does not change what is played" \
	": 'bind 7 tree' Enter Space Space" "[7 calls]" $slowest

# back PROMISE QUESTION KEYS [MORE]: Backspace after the next step gives this very screen
# again, and after MORE keys the same as without that step
back()
{
	play "$file" "$3 $4" --guide "$2"
	sed '$d' screen >first # but for the message
	play "$file" "$3 Space Backspace $4" --guide "$2"
	sed '$d' screen | diff first - >differs
	check "Backspace gives back $1" test ! -s differs
}
back "the view and the selection" callers "2 j j"
back "the search" suspect "Space Space 'Band' Enter"
back "the filter" suspect "Space Space 'Band' Enter Space Space Space 'Band' Enter"
back "the range" ranges ""
back "the comparison" ranges "Space"
back "the lens that was compared" ranges "Space Space"
back "the end of a comparison" ranges "Space Space Space Space Space"
back "the track" beside "Space"
back "the window" beside "Space Space"
back "the range after it" beside "Space Space Space"
back "lines of the tree that it opened" hot "2 C 1 Space Space Space Space" 2
back "lines that had been opened before" hot "2 C g + j + k - 1 Space Space Space Space" 2
back "the line of the callers" callers "Space j Space" ""
back "lines of the callers" callers "4 C 2 Space j Space Space" ""

play "$file" "" --guide nonsense
check "a question that is none is wrong usage" test $? != 0
check "and reports which there are" grep -q "choose from hot, callers" err
"$PNAV" --guide slowest "$file" >piped 2>&1
check "in a pipe its command is reported" grep -q "^pnav report --view slices" piped
"$PNAV" report --guide=slower "$file" >piped 2>&1
check "one that does not fit is refused" grep -q "this profile lacks: two files" piped
check "the lens goes into the commands" sh -c '
	"$PNAV" report --guide=hot --hide "a b" "$1" | grep -q -e "--hide .a b."' sh "$file"
# a name that is not UTF-8, or has control characters, finds itself: by the guide's command, and as
# it is shown
printf 'main;fonction_\351t\351 8\nmain;other 2\n' >latin.folded
printf '[{"name":"main","ph":"X","pid":1,"tid":1,"ts":0,"dur":9},
 {"name":"a\\nb'\''c\\\\d$(x)","ph":"X","pid":1,"tid":1,"ts":1,"dur":8}]' >control.json
for file in latin.folded control.json; do
	"$PNAV" report --guide=callers $file | sed -n '2s/^pnav/"$PNAV"/p' >command
	eval "$(cat command)" >out 2>err
	check "$file: the guide finds the hottest function" test ! -s err
	"$PNAV" report --limit 1 --columns function,self --format csv $file >want 2>err
	name=$("$PNAV" report --limit 1 --columns function --format ndjson $file 2>err |
		sed 's/.*: "//; s/"}$//; s/\\\\/\\/g')
	"$PNAV" report --limit 1 --columns function,self --format csv --include-self "=$name" \
		$file >got 2>err
	check "$file: =$name matches" diff want got
done
"$PNAV" report --columns function --format csv --include-self 'T\x{e9}' latin.folded >got 2>err
check "an expression minds case there, too" test "$(wc -l <got)" -eq 1
"$PNAV" report --columns function --format csv --include-self 't\x{e9}' latin.folded >got 2>err
check "an expression matches it" grep -q fonction got
tap_done
