#!/bin/sh
# Signals and the terminal: whatever ends the browser, the terminal is as it was; what does
# not end it leaves it usable.  Each signal in a terminal of its own (lib/pty.c), whose modes
# are compared before and after, and whose output must switch off all that it switched on.
#
# A fault of the thread that reads the file counts too (lib/faulty_io.c makes it), and the
# signal of a file that must not grow: an export that is too large is reported.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

pty=$top_builddir/tests/lib/pty
shim=$top_builddir/tests/lib/faulty_io.so
[ -x "$PNAV" ] || skip_all "pnav is not built"
[ -x "$pty" ] || skip_all "tests/lib/pty is not built"
cd "$scratch" || exit 99
cp "$top_srcdir/tests/screens/shop.folded" .

esc=$(printf '\033')

# after ON OFF: OFF is after the last ON, or ON never was
after()
{
	awk -v on="$esc$1" -v off="$esc$2" '
		{ all = all $0 "\n" }
		function last(text, at, sum) {
			while ((at = index(substr(all, sum + 1), text)) > 0)
				sum += at
			return sum + 0
		}
		END { exit last(on) > last(off) }' out
}

# whole: nothing of what the browser does to a terminal is left; why not is in $why
whole()
{
	why=
	grep -q "$esc\[?1049h" out || why="$why; it never opened"
	after '[?1049h' '[?1049l' || why="$why; the alternate screen"
	after '[?1002h' '[?1002l' || why="$why; reports of the mouse"
	after '[?2004h' '[?2004l' || why="$why; bracketed paste"
	after '[?25l' '[?25h' || after '[?25l' '[?12l'"$esc"'[?25h' || why="$why; no cursor"
	grep -q 'not as it was' err && why="$why; the modes of the terminal"
	grep -q 'does not end' err && why="$why; it does not end"
	[ -z "$why" ]
}

verdict()
{
	if [ -z "$why" ]; then
		ok "$1"
	else
		{ echo "status $status$why"; grep -a . err; } >report
		not_ok "$1" report
	fi
}

# in_pty OPTION... -- COMMAND...
in_pty()
{
	LC_ALL=C.UTF-8 "$pty" "$@" >out 2>err
	status=$?
}

# What ends the browser says so by its status: 128 + N, since it dies of the signal.  The
# numbers are Linux's on most machines; not every shell's kill -l can tell them.
for sig in HUP:1 INT:2 QUIT:3 ILL:4 TRAP:5 ABRT:6 BUS:7 FPE:8 USR1:10 SEGV:11 USR2:12 ALRM:14 \
	TERM:15 STKFLT:16 XCPU:24 VTALRM:26 PROF:27 IO:29 PWR:30 SYS:31; do
	number=${sig#*:}
	sig=${sig%:*}
	# One that it lives through is followed by the key that ends it.
	in_pty -x "$number" -k Q "$PNAV" --no-config shop.folded
	whole
	[ $status = 0 ] || [ $status = $((128 + number)) ] || [ $status = 99 ] ||
		why="$why; an odd status"
	verdict "SIG$sig leaves the terminal whole"
done

# What must not end it at all.
for sig in PIPE:13 CHLD:17 CONT:18 URG:23 XFSZ:25 WINCH:28; do
	number=${sig#*:}
	sig=${sig%:*}
	in_pty -x "$number" -k Q "$PNAV" --no-config shop.folded
	whole
	[ $status = 0 ] || why="$why; it ended"
	verdict "SIG$sig changes nothing"
done

# Stopped and continued: by itself (^Z), and by a signal that cannot be caught.
for sig in TSTP:20 STOP:19; do
	number=${sig#*:}
	sig=${sig%:*}
	in_pty -x "$number" -k Q "$PNAV" --no-config shop.folded
	whole
	[ $status = 0 ] || why="$why; it ended"
	grep -q 'not its own' err && why="$why; it goes on in the shell's modes"
	sed '1,/\[stopped\]/d' out >later
	if grep -q '\[stopped\]' out; then
		# the screen is there again, not only what changed
		grep -aq 'flame' later || why="$why; it does not draw its screen again"
	elif [ $sig = STOP ]; then
		why="$why; it was not stopped"
	fi
	verdict "SIG$sig, and then SIGCONT"
done

# ---- faults of the thread that reads ----
# The file is a pipe: the browser opens with what came first, and the fault is behind the
# read of what comes then.
export ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
if [ -f "$shim" ]; then
	mkfifo feed.folded
	: >out
	(
		exec 3>feed.folded
		cat shop.folded >&3
		i=0
		while ! grep -aq '1049h' out && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
		cat shop.folded >&3
		sleep 20
	) &
	feeder=$!
	in_pty -k Q -t 15 env FAULTY_IO=crash@1 FAULTY_IO_FILE="$scratch/feed.folded" \
		LD_PRELOAD="$shim" "$PNAV" --no-config feed.folded
	kill $feeder 2>/dev/null
	whole
	[ $status != 0 ] || why="$why; there was no fault"
	verdict "a fault of the thread that reads leaves the terminal whole"
else
	skip "a fault of the thread that reads" "tests/lib/faulty_io.so is not built"
fi

# ---- files that must not grow ----
i=0
while [ $i -lt 3000 ]; do
	echo "main;a_function_of_some_length_$i $i"
	i=$((i + 1))
done >large.folded

# too_large NAME COMMAND...: status 1, and one line that says why
too_large()
{
	name=$1
	shift
	# dash's unit is 512 bytes, bash's 1024
	(ulimit -f 8 && exec "$@") >big.out 2>err
	status=$?
	why=
	[ $status = 1 ] || why="; not status 1"
	[ "$(wc -l <err)" = 1 ] && grep -q '^pnav: .*' err || why="$why; not one message"
	verdict "$name"
}
too_large "an export that is too large is told" \
	"$PNAV" export --format folded -o big.folded large.folded
too_large "and on standard output" "$PNAV" export --format folded large.folded
too_large "a report that is too large is told" "$PNAV" report --format csv large.folded

# In the browser the export fails, and the browser goes on.
number=$("$PNAV" formats | grep '^write' | grep -n 'write  folded' | cut -d: -f1)
(ulimit -f 8 && exec "$PNAV" --no-config --size 80x24 --keys "s $number Enter Snapshot 8" \
	--snapshot large.folded) 2>err | cat >out
grep -q 'too large' out && why= || why="; no message on the screen"
verdict "an export of the browser that is too large is told there"
tap_done
