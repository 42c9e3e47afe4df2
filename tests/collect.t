#!/bin/sh
# The collector: profile and record run programs whose shares of CPU time are known
# (tests/data/burn.c: 60, 30 and 10 parts of the same work), by both samplers.
#
# A share p of N hits may differ by three standard deviations, 3 * sqrt(p(1-p)/N), and one
# percent for what is not chance: the ends of slices, the kernel in between, skid.
# What this machine forbids is skipped.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
"$PNAV" formats --format json | grep -q '"elfutils"' || skip_all "built without elfutils: there are no names"
unset PNAV_SAMPLER
chmod 755 "$scratch"
cd "$scratch" || exit 99
# the maps are of ld
"$cc" -O1 -o burn "$top_srcdir/tests/data/burn.c" -Wl,-Map=linked.map -lpthread -ldl \
	>cc.log 2>&1 || skip_all "the test program cannot be built"
"$cc" -O1 -shared -fPIC -o burnlib.so "$top_srcdir/tests/data/burnlib.c" 2>>cc.log
ln -s "$PNAV" profile
# A program that is over before the first sample: no loader, no library.  Elsewhere one that only
# returns from main() has to do.
cat >tiny.c <<'END'
void entry(void);
void entry(void) { __asm__ volatile("mov $60, %eax; xor %edi, %edi; syscall"); }
__asm__(".globl _start\n_start:\n call entry\n hlt\n");
END
"$cc" -O1 -static -nostdlib -o tiny tiny.c >>cc.log 2>&1 || echo 'int main(void) { return 0; }' |
	"$cc" -O1 -x c -o tiny - >>cc.log 2>&1

# forbidden COMMAND...: this machine does not let it sample; other failures are ours
forbidden() { ! "$@" >out 2>err </dev/null && grep -q 'cannot be used\|can be used' err; }

hits() { sed -n 's/^Statistics based on \([0-9]*\) hits$/\1/p' "$1"; }

# near FILE NAME PERCENT: the User column of NAME; off by no more than chance, or than profile says
# in err where the machine was too busy for all samples
near()
{
	awk -v name="$2" -v p="$3" -v n="$(hits "$1")" \
		-v said="$(sed -n 's/.*off by \([0-9]*\) points.*/\1/p' err)" '
		$1 == name { got = $NF; found = 1 }
		END {
			p /= 100
			may = 100 * (3 * sqrt(p * (1 - p) / n) + 0.01)
			if (said > may)
				may = said + 0
			off = got - 100 * p
			if (!found || off > may || -off > may) {
				print "# " name " has " got ", not " 100 * p " +- " may
				exit 1
			}
		}' "$1"
}

shares() { near "$1" burn_60 60 && near "$1" burn_30 30 && near "$1" burn_10 10; }

# tells NAME COMMAND...: a test whose output is shown when it fails
# Shares of a sample are chance: a bound of three sigma is missed now and then, more so on
# a busy machine.  What fails three times in a row is a fault.
tells()
{
	name=$1
	shift
	for _ in 1 2 3; do
		if "$@" >why 2>&1; then
			ok "$name"
			return
		fi
	done
	cat out err >>why 2>/dev/null
	not_ok "$name" why
}

profiled() { runs 0 $as ./profile -o- "$@" && shares out; }
status_of() { wanted=$1; shift; runs "$wanted" $as ./profile -o- "$@" && shares out; }
too_fast()
{
	runs 0 $as ./profile -o- ./tiny && [ ! -s out ] &&
		grep -qF 'Program ran too fast - no hits!' err
}
orphaned()
{
	runs 0 $as ./profile -o- ./burn orphan && shares out && pids_here '^./burn orphan$' >/dev/null
}
interrupted()
{
	rm -f int.prf
	$as ./profile -o- ./burn forever >out 2>err &
	pid=$!
	sleep 1
	kill -TERM $pid
	wait $pid
	[ $? -eq 143 ] && shares out && ! pids_here '^./burn forever$' >/dev/null
}
in_library()
{
	runs 0 $as ./profile -d -o- ./burn dlopen ./burnlib.so &&
		awk '$1 == "burn_60" { a = $3 } $1 == "[burnlib.so]" { b = $3 }
			END { exit !(a > 30 && b > 30 && a - b < 10 && b - a < 10) }' out
}
thrice()
{
	runs 0 $as ./profile -o- ./burn && once=$(hits out) &&
		runs 0 $as ./profile "-#3" -o- ./burn && shares out &&
		[ "$(hits out)" -gt $((once * 2)) ]
}

# What both samplers must do, as whom $as says.
sampler()
{
	PNAV_SAMPLER=$1
	export PNAV_SAMPLER
	if forbidden $as ./profile -o- ./burn nothing; then
		skip "$1, $2" "$(tail -n 1 err | tr -d '#')"
		return
	fi
	tells "$1, $2: the known shares" profiled ./burn
	tells "$1, $2: a child that executes" profiled ./burn exec
	tells "$1, $2: too fast" too_fast
	tells "$1, $2: an interrupt leaves a report, and nothing behind" interrupted
	# An ordinary user has other rights over the program, its children and what they execute;
	# what follows depends on no rights.
	[ -z "$as" ] || return
	tells "$1, $2: two threads" profiled ./burn threads
	tells "$1, $2: a child" profiled ./burn child
	tells "$1, $2: a child outlives its parent" orphaned
	tells "$1, $2: a library loaded at run time" in_library
	tells "$1, $2: the exit status is passed on" status_of 7 ./burn exit 7
	tells "$1, $2: so is a signal" status_of 143 ./burn kill
	tells "$1, $2: three runs" thrice
}

who=$(id -un 2>/dev/null || id -u)
as=
sampler perf "$who"
sampler ptrace "$who"
if grep -q '^#define PNAV_SANITIZED 1' "$top_builddir/config.h" 2>/dev/null; then
	skip "an ordinary user" "a build without sanitizers asks"
elif [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null 2>&1; then
	as="setpriv --reuid=65534 --regid=65534 --clear-groups --"
	if $as ./profile --version >/dev/null 2>&1; then
		sampler perf "an ordinary user"
		sampler ptrace "an ordinary user"
		cp burn setuid && chmod 4755 setuid
		for PNAV_SAMPLER in perf ptrace; do
			forbidden $as ./profile -o- ./burn && continue
			tells "$PNAV_SAMPLER: a setuid program is told of" eval \
				'runs 0 $as ./profile -o- ./setuid && grep -q setuid err'
		done
	else
		skip "an ordinary user" "may not reach the program"
	fi
else
	skip "an ordinary user" "only root can become one"
fi
as=
unset PNAV_SAMPLER

# ---- the report ----

# says STATUS TEXT ARGS...: the document's words
words()
{
	code=$1 text=$2
	shift 2
	runs "$code" ./profile "$@" && grep -qF -- "$text" err
}
says() { tells "says: $2" words "$@"; }
mkdir -p dir
echo 'exit 0' >noprogram
echo >broken.map
cp burn stripped && strip stripped 2>/dev/null
: >protected
chmod 444 protected
cp burn locked && chmod 644 locked
says 2 "Illegal command line option: \`x'" -x ./burn
says 2 "Illegal command line option: \`--what'" --what ./burn
says 2 "Illegal command line option: \`-#0'" '-#0' ./burn
says 2 "No command specified for profiling" -d
says 1 "Cannot find executable \`./nosuch'" ./nosuch
says 1 "Cannot find executable \`sh'" sh -c true
says 1 "PATH is not searched" sh -c true
says 1 "Cannot find executable \`'" ""
tells "... and it is not looked for on PATH" eval '! grep -q PATH err'
says 1 "\`./dir' is a directory" ./dir
says 1 "Cannot find linker map file \`no.map'" -mno.map ./burn
says 1 "Cannot find linker map file \`./stripped.MAP'" ./stripped
says 1 "Invalid map file format in \`broken.map'" -mbroken.map ./burn
says 1 "Output file \`protected' is write-protected" -oprotected ./burn
says 1 "Cannot open output file \`dir'" -odir ./burn
says 1 "Cannot open output file \`no/such'" -ono/such ./burn
says 1 "Invalid EXE file format in \`./noprogram'" ./noprogram
printf '\177ELFjunk, and more of it' >damaged && chmod +x damaged
says 1 "Invalid EXE file format in \`./damaged'" ./damaged
says 1 "Error executing command \`./locked'" ./locked
printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
says 1 "it is a script: profile its interpreter with the script" ./script
cp stripped program.EXE
says 1 "Cannot find linker map file \`./program.MAP'" ./program.EXE
says 2 "Illegal command line option: \`-o'" -o
says 2 "Illegal command line option: \`-#9x'" '-#9x' ./burn
says 2 "Cannot open filter specification \`no.spec'" -fno.spec ./burn
says 2 "Cannot read filter specification \`dir'" -fdir ./burn
says 2 "missing closing parenthesis" -I '(' ./burn
PNAV_SAMPLER=luck
export PNAV_SAMPLER
says 1 "PNAV_SAMPLER is perf or ptrace" ./burn
unset PNAV_SAMPLER
tells "--help is on stdout" eval 'runs 0 ./profile --help && grep -q "^usage: profile" out'
tells "... and has every letter of profile(1)" eval '
	for letter in a n d i 0 "#" m o f I X; do grep -q "^  -$letter" out || exit 1; done'
tells "--version is on stdout" eval 'runs 0 ./profile --version && grep -q "^profile (pnav) " out'

if ! forbidden ./profile -o- ./burn; then
	tells "the report lies beside the program" eval \
		'runs 0 ./profile ./burn && [ ! -s out ] && shares burn.PRF'
	tells "pnav reads the hits back" eval '
		"$PNAV" report --format csv burn.PRF >functions.csv &&
		awk -F, -v n="$(hits burn.PRF)" "
			NR == FNR { split(\$0, w, /  */); if (w[1] ~ /^burn_/) want[w[1]] = int((n * w[3] * 100 + 5000) / 10000); next }
			\$1 in want { if (\$7 != want[\$1]) exit 1; seen++ }
			END { exit seen != 3 }" burn.PRF functions.csv'
	tells "pnav knows the areas" eval '
		runs 0 ./profile -di0 ./burn &&
		"$PNAV" report --format csv burn.PRF | grep -q "^\[libc.so.6\],.*,system,"'
	tells "-0 lists main, which has no hits" eval \
		'runs 0 ./profile -0 -o- ./burn && grep -q "^main  *[0-9a-f]*  *0.00" out'
	tells "without it, it does not" eval \
		'runs 0 ./profile -o- ./burn && ! grep -q "^main " out'
	tells "-n sorts by name" eval \
		'runs 0 ./profile -n -o- ./burn && grep "^burn_" out | sort -c'
	tells "-a sorts by address" eval \
		'runs 0 ./profile -a -o- ./burn && grep "^burn_" out | sort -c -k 2'
	tells "-X leaves out, Disp adds up to 100" eval \
		'runs 0 ./profile -X burn_60 -o- ./burn && ! grep -q burn_60 out && near out burn_30 75'
	tells "-I keeps" eval \
		'runs 0 ./profile -I _10 -o- ./burn && [ "$(grep -c "^burn" out)" -eq 1 ]'
	echo 'exclude burn_[36]0' >spec
	tells "-f reads a specification" eval \
		'runs 0 ./profile -fspec -o- ./burn && ! grep -q "burn_[36]0" out && near out burn_10 100'
	tells "a filter that matches nothing is told of" eval \
		'runs 0 ./profile -I nosuchname -o- ./burn && grep -q "include .nosuchname. matches nothing" err'
	if [ -s linked.map ] && ./stripped nothing; then
		tells "a stripped program with its map" eval \
			'runs 0 ./profile -mlinked.map -o- ./stripped && shares out'
		cp linked.map stripped.MAP
		tells "the map beside it" eval 'runs 0 ./profile -o- ./stripped && shares out'
	else
		skip "a stripped program with its map" "the linker wrote none"
	fi
else
	skip "the report" "nothing can be sampled here"
fi

# ---- record ----

# seconds of self time of burn_60, in percent, as pnav sees FILE
self60()
{
	"$PNAV" report --format csv "$1" |
		awk -F, '{ all += $7 } $1 == "burn_60" { x = $7 } END { printf "%.2f", 100 * x / all }'
}
recorded() # SAMPLER HOW
{
	runs 0 "$PNAV" record --sampler "$1" --call-graph "$2" -o rec.data ./burn threads &&
		self60 rec.data >self && awk '{ exit !($1 > 53 && $1 < 67) }' self
}
for s in perf ptrace; do
	if ! forbidden "$PNAV" record --sampler $s -o rec.data ./burn; then
		for how in dwarf fp no; do
			tells "record: $s, $how" recorded $s $how
		done
		if command -v perf >/dev/null 2>&1; then
			tells "perf report agrees on the file of $s" eval '
				perf report -i rec.data --stdio --no-children -g none --sort symbol 2>/dev/null |
				awk -v own="$(self60 rec.data)" "
					\$3 == \"burn_60\" { sub(/%/, \"\", \$1); off = \$1 - own; seen = 1 }
					END { exit !seen || off > 0.02 || off < -0.02 }"'
		else
			skip "perf report agrees on the file of $s" "perf is not installed"
		fi
	else
		skip "record: $s" "$(tail -n 1 err)"
	fi
done
if command -v perf >/dev/null 2>&1 &&
	perf record -q -N -e task-clock -F 997 -o theirs.data ./burn >/dev/null 2>&1 &&
	"$PNAV" record -o ours.data ./burn 2>/dev/null; then
	tells "perf record on the same program, within the error of both" eval '
		awk -v a="$(self60 ours.data)" -v b="$(self60 theirs.data)" \
			"BEGIN { exit !(a - b < 9 && b - a < 9) }"'
else
	skip "perf record on the same program" "perf cannot be used"
fi
: >out
if forbidden "$PNAV" record -o no.data ./burn nothing; then
	skip "record: commands" "$(tail -n 1 err)"
	tap_done
	exit 0
fi
rm -f no.data
tells "record: no such command" runs 127 "$PNAV" record -o no.data ./nosuch
tells "... leaves no file" [ ! -e no.data ]
tells "record: a command without a sample" eval '
	runs 0 "$PNAV" record -o none.data ./burn nothing && { ! grep -q ": 0 samples" err ||
		grep -q "ran too fast" err; }'
tells "record: no command" runs 2 "$PNAV" record
tells "record: the command's own options" eval \
	'runs 7 "$PNAV" record -o rec.data sh -c "exit 7"'
./burn forever &
burner=$!
tells "record: a process that runs" eval '
	timeout -s INT 2 "$PNAV" record -o pid.data -p $burner >out 2>err;
	self60 pid.data >self; awk "{ exit !(\$1 > 53 && \$1 < 67) }" self && kill -0 $burner'
kill -9 $burner
tap_done
