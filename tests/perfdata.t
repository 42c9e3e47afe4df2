#!/bin/sh
# perf.data against what perf says of it: the recorded samples with the perf script text
# beside them, stack by stack; and, where perf is installed and allowed, a recording that
# is made here.
#
# Names depend on the files of the machine, so a frame that pnav can name counts as named,
# whatever its name; one that it cannot is its address, which the text has as well.  Inlined calls are
# hidden: up to 6.7 perf does not show them in chains of frame pointers.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
recorded=$PNAV_SAMPLES/recorded

# stacks: perf script text on stdin, folded on stdout, tracks in front.  Frames whose
# address is in the file $1 are addresses, all others NAMED.  $2: the event.
stacks()
{
	awk -v addresses="$1" -v event="$2" '
	BEGIN {
		while ((getline line <addresses) > 0)
			known[line] = 1
	}
	function finish() {
		if (open && (event == "" || event == is_event))
			sum[track ";" (stack == "" ? "[unknown]" : stack)] += period
		open = 0
	}
	/^$/ { finish(); next }
	/^\t/ {
		frame = "0x" $1
		if (!(frame in known))
			frame = "NAMED"
		stack = stack == "" ? frame : frame ";" stack
		next
	}
	{
		finish()
		match($0, / +[0-9]+ +[0-9]+\.[0-9]+: +/)
		n = split(substr($0, RSTART, RLENGTH), field, " ")
		track = substr($0, 1, RSTART - 1) " " field[1]
		sub(/^ +/, "", track)
		n = split(substr($0, RSTART + RLENGTH), field, " ")
		period = field[1]
		is_event = field[2]
		sub(/:$/, "", is_event)
		stack = ""
		open = 1
	}
	END {
		finish()
		for (s in sum)
			print s, sum[s]
	}' | sort
}

# Names to NAMED, and stacks that are equal then added up.  perf does not mark chains that the kernel
# has cut.
without_names()
{
	awk '{
		sub(/;\[truncated\];/, ";")
		value = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		out = frame[1]
		for (i = 2; i <= n; i++)
			out = out ";" (frame[i] ~ /^0x[0-9a-f]+$/ || n == 2 &&
				frame[i] == "[unknown]" ? frame[i] : "NAMED")
		sum[out] += value
	}
	END {
		for (s in sum)
			print s, sum[s]
	}' | sort
}

# same_stacks FILE TEXT [EVENT]
same_stacks()
{
	"$PNAV" export --format folded --with-tracks --hide kind:inlined ${3:+--metric "$3"} "$1" \
		>"$scratch/folded" 2>"$scratch/err" || return 1
	tr ';' '\n' <"$scratch/folded" | sed 's/ [0-9]*$//' | grep '^0x' | sort -u \
		>"$scratch/addresses"
	case $2 in
	*.gz)
		gzip -dc "$2" ;;
	*)
		cat "$2" ;;
	esac | stacks "$scratch/addresses" "${3:-}" >"$scratch/want"
	without_names <"$scratch/folded" | diff "$scratch/want" -
}

# Track, kind, unit and events; times of the text are rounded to microseconds.
same_tracks()
{
	"$PNAV" report --format csv --view tracks "$1" 2>"$scratch/err" |
		cut -d, -f1-3,6 >"$scratch/tracks"
	"$PNAV" report --format csv --view tracks "$2" 2>"$scratch/err" |
		cut -d, -f1-3,6 | diff - "$scratch/tracks"
}

if [ -d "$recorded" ]; then
	for name in sqlite-orders lua-brew.zstd node-jit go-build zstd-threads \
		gcc-stripped lua-brew.dwarf; do
		text=$recorded/$name.perf-script.txt
		[ -f "$text" ] || text=$text.gz
		[ $name = lua-brew.zstd ] && ! built_with HAVE_LIBZSTD && {
			skip "$name" "built without zstd"
			continue
		}
		file=$recorded/$name.perf.data
		[ -f "$file" ] || file=$recorded/$name.pipe.perf.data
		check "$name: the tracks of perf script" same_tracks "$file" "$text"
		case $name in
		zstd-threads)
			check "$name: stacks of cpu-clock" \
				same_stacks "$file" "$text" cpu-clock
			check "$name: stacks of page-faults" \
				same_stacks "$file" "$text" page-faults ;;
		lua-brew.dwarf)
			skip "$name: stacks" "the program that ran is not here" ;;
		*)
			check "$name: stacks" same_stacks "$file" "$text" ;;
		esac
	done
else
	skip "recorded samples" "there are none at $recorded"
fi

# shapes: every frame that has a name is NAMED, and stacks that are equal then added up.
shapes()
{
	awk '{
		value = $NF
		sub(/ [0-9]+$/, "")
		n = split($0, frame, ";")
		out = frame[1]
		for (i = 2; i <= n; i++)
			out = out ";" (frame[i] == "[unknown]" ? frame[i] : "NAMED")
		sum[out] += value
	}
	END {
		for (s in sum)
			print s, sum[s]
	}' "$1" | sort
}

# A recording of this machine: nine tenths of the time lie on stacks in which the same frames
# are named, and by the same names.  Not all of it: where several symbols have one address,
# or a page has gone by the time it is read, perf and pnav may differ, and what is sampled
# is another thing each time.  The recorded samples above are compared exactly.
agrees()
{
	perf script -i "$1" >"$scratch/text" 2>"$scratch/err" || return 1
	same_tracks "$1" "$scratch/text" || return 1
	"$PNAV" export --format folded --with-tracks "$scratch/text" >"$scratch/want" ||
		return 1
	"$PNAV" export --format folded --with-tracks --hide kind:inlined "$1" 2>"$scratch/err" |
		sed -E 's/;0x[0-9a-f]+/;[unknown]/g' |
		awk '{ value = $NF; sub(/ [0-9]+$/, ""); sum[$0] += value }
			END { for (s in sum) print s, sum[s] }' | sort >"$scratch/have"
	sort "$scratch/want" >"$scratch/sorted"
	nine_tenths "$scratch/sorted" "$scratch/have" || return 1
	shapes "$scratch/sorted" >"$scratch/shapes"
	shapes "$scratch/have" >"$scratch/have.shapes"
	nine_tenths "$scratch/shapes" "$scratch/have.shapes"
}

# nine_tenths WANT HAVE: of the values of stacks in both, the smaller counts.
nine_tenths()
{
	awk '{
		value = $NF
		sub(/ [0-9]+$/, "")
	}
	FILENAME == ARGV[1] { want[$0] = value; all += value }
	FILENAME == ARGV[2] { same += value < want[$0] ? value : want[$0] }
	END {
		printf "%d of %d are the same\n", same, all
		exit !all || same < all * 0.9
	}' "$1" "$2"
}

work='i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
live()
{
	if ! command -v perf >/dev/null 2>&1; then
		skip "$1" "perf is not installed"
		return
	fi
	if ! grep -q '^#define HAVE_LIBDW 1' "$top_builddir/config.h"; then
		skip "$1" "built without elfutils: there are no names"
		return
	fi
	case $(perf --version 2>/dev/null) in
	*\ 6.[1-7].*|*\ 6.[1-7])
		;;
	*)
		skip "$1" "this perf shows inlined calls otherwise"
		return ;;
	esac
	what=$1
	shift
	if ! perf record -q -N -F 999 -e cpu-clock "$@" -o "$scratch/perf.data" \
		sh -c "$work" >/dev/null 2>&1 || [ ! -s "$scratch/perf.data" ]; then
		skip "$what" "perf record is not allowed here"
		return
	fi
	check "$what" agrees "$scratch/perf.data"
}
# A directory: what perf script says of its samples, stack by stack, and damage in one of
# its files, which the others survive.
directory()
{
	cut=$scratch/cut.data
	cp -r "$scratch/perf.data" "$cut"
	for part in "$cut"/data.[0-9]*; do
		[ "$(stat -c %s "$part")" -gt 1000 ] && break
	done
	head -c $(($(stat -c %s "$part") - 5)) "$part" >"$scratch/part"
	cp "$scratch/part" "$part"
	"$PNAV" report "$cut" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 3 ] && grep -q "in ${part##*/}: " "$scratch/err" &&
		grep -q "byte [0-9]" "$scratch/err" && [ -s "$scratch/out" ] || return 1
	rm "$cut"/data.*
	"$PNAV" report "$cut/data" >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 3 ] && grep -q "data.0, data.1, ... are not beside it" "$scratch/err"
}
live "recorded here: a directory" -g --threads
if [ -d "$scratch/perf.data" ]; then
	check "... with a file that is cut, and without its files" directory
	rm -r "$scratch/perf.data"
fi
live "recorded here: a directory, compressed" -g --threads -z
rm -rf "$scratch/perf.data"
live "recorded here: leaf only"
live "recorded here: frame pointers" -g
live "recorded here: compressed" -g -z


# A recorder of the whole system that asks the kernel for build ids makes it mark the records of all
# other recorders, and perf 6.1 aborts.
beside()
{
	cp "$(command -v sleep)" "$scratch/later"
	"$PNAV" record -q -a -o "$scratch/system.data" -- sh -c 'sleep 1; exec "$0" 1' "$scratch/later" &
	sleep 0.5
	perf record -q -N -e cpu-clock -o "$scratch/perf.data" sh -c "$work" >"$scratch/out" 2>&1
	recorded=$?
	wait $! && [ $recorded -eq 0 ]
}
if ! built_with HAVE_RECORDER || ! command -v perf >/dev/null 2>&1 ||
	! perf record -q -N -e cpu-clock -o "$scratch/perf.data" true >/dev/null 2>&1; then
	skip "perf records beside a recorder of the whole system" "perf record is not allowed here"
elif ! "$PNAV" record -q -a -o "$scratch/system.data" -- true 2>/dev/null; then
	skip "perf records beside a recorder of the whole system" "only root records the system"
else
	check "perf records beside a recorder of the whole system" beside
	check "... or of a command" eval '
		perf record -q -N -a -e cpu-clock -o "$scratch/perf.data" sleep 1 >"$scratch/out" 2>&1 &
		sleep 0.3
		"$PNAV" record -q -o "$scratch/command.data" -- \
			sh -c "for i in 1 2 3; do /bin/true; done"
		wait $! && test -s "$scratch/perf.data"'
	check "... which has the build ids of what began meanwhile" eval '
		"$PNAV" dump "$scratch/system.data" | grep "MMAP2.*build-id.*/later\"" >"$scratch/out"'
fi
# Records that are marked so by another recorder: 8 is the number of a disk, not a length.
cat "$top_srcdir/tests/golden/perfdata-beside/input.data" >"$scratch/marked.data"
for at in $("$PNAV" dump "$scratch/marked.data" | sed -n 's/^\([0-9]*\) MMAP2 .*/\1/p'); do
	printf '\002\100' | dd of="$scratch/marked.data" bs=1 seek=$((1$at - 100000000 + 4)) conv=notrunc
	printf '\010' | dd of="$scratch/marked.data" bs=1 seek=$((1$at - 100000000 + 40)) conv=notrunc
done 2>/dev/null
check "a device is not taken for a build id" eval '
	"$PNAV" dump "$scratch/marked.data" | grep MMAP2 >"$scratch/out" &&
	grep -q "misc 0x4002" "$scratch/out" && ! grep build-id "$scratch/out"'

tap_done
