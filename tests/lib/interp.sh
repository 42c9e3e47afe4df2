# Frames of an interpreter in recordings and looks: a program that uses known shares of the CPU line by
# line (tests/data/scripts.*), with each version that is installed, and each sampler.  The caller sets
# the names and calls interp_looks, interp_recordings and tap_done:
#
#	language    the module of the frames: python
#	loop        the function that they replace
#	waiting     the function that waits for its input, called by one in C
#	outermost   the function below all others
#	area        the function with the three lines
#	program     its path
#	versions    commands; the last one is recorded
#
# shellcheck shell=sh disable=SC2154

built_with HAVE_RECORDER || skip_all "built without the recorder"
built_with HAVE_LIBDW || skip_all "built without elfutils"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99

line() { grep -n "# $1" "$program" | cut -d: -f1; }

# look OPTION...: until the program waits for its input
look()
{
	for _ in $(seq 50); do
		"$PNAV" stacks -p $pid "$@" >look 2>err
		grep -q "$waiting" look && break
		sleep 0.1
	done
}

interp_looks()
{
	mkfifo end
	for run in $versions; do
		v=${run##*/}
		"$run" "$program" wait <end >ready &
		pid=$!
		exec 9>end
		for _ in $(seq 100); do
			grep -q ready ready && break
			sleep 0.1
		done
		look --format folded
		check "$v: the function is below the C function that calls it" \
			grep -q ";$outermost;.*;[^;]*$waiting[^;]*;.*read" look
		check "$v: no loop is left" sh -c "! grep -q '$loop' look"
		"$PNAV" stacks -p $pid --format csv --by line --view tree >tree 2>&1
		check "$v: lines are those of the file" \
			grep -q "$outermost,[^,]*scripts.[a-z]*,$(line waits)," tree
		"$PNAV" stacks -p $pid --no-interpreters --format folded >look 2>&1
		check "$v: --no-interpreters shows the loop" \
			sh -c "grep -q '$loop' look && ! grep -q '$waiting' look"
		exec 9>&-
		wait $pid
		check "$v: the program ends as it would" [ $? -eq 0 ]
	done
}

# shares: the three lines have the shares that the program measured, within four standard errors of
# the number of samples and a point
shares()
{
	awk -F, -v half="$(line half)" -v three="$(line 'three tenths')" -v two="$(line 'a fifth')" \
		-v area="$area" '
	FNR == NR { split($0, t, " "); all = t[1] + t[2] + t[3]; next }
	$3 != area { next }
	$2 == half { n[1] = $NF }
	$2 == three { n[2] = $NF }
	$2 == two { n[3] = $NF }
	END {
		sum = n[1] + n[2] + n[3]
		if (sum < 100) { print "only " sum " samples" ; exit 1 }
		for (i = 1; i <= 3; i++) {
			is = n[i] / sum; due = t[i] / all
			far = 4 * sqrt(due * (1 - due) / sum) + 0.01
			printf "%d: %.3f due %.3f\n", i, is, due
			if (is - due > far || due - is > far) bad = 1
		}
		exit bad
	}' truth lines >why
}

# interp_recordings MS: by each sampler, of a program that needs this time
interp_recordings()
{
	run=${versions##* }
	for sampler in perf ptrace; do
		if ! "$PNAV" record -q --sampler $sampler -F 997 -o $sampler.data -- \
			"$run" "$program" $1 >truth 2>err; then
			skip "$sampler: shares by line" "$(head -n 1 err)"
			continue
		fi
		"$PNAV" report --view lines --metric samples --format csv $sampler.data >lines 2>err
		total=$(awk -F, '$3 == "main" { n += $NF } END { print n + 0 }' lines)
		due=$(awk -F, 'NR > 1 { n += $(NF - 1) } END { print n + 0 }' lines)
		busy=
		[ $due -ge $(($1 * 3 / 7)) ] || busy="the machine is busy: $due samples where $1 are due"
		[ -z "$busy" ] && [ $total -lt $((due / 2)) ] && [ $sampler = perf ] &&
			busy="the machine is busy: samples were too old to be looked at"
		if [ -n "$busy" ]; then
			skip "$sampler: shares by line" "$busy"
		else
			shares && ok "$sampler: lines have their shares" ||
				not_ok "$sampler: lines have their shares" why
		fi
		check "$sampler: no record is late" sh -c '! grep -q "later than" err'
	done
	if [ -s perf.data ] && command -v perf >/dev/null 2>&1; then
		check "perf reads the recording, and shows where" \
			sh -c "perf script -i perf.data 2>&1 | grep -q '$language/$area'"
	else
		skip "perf reads the recording" "no perf, or no recording"
	fi
}
