#!/bin/sh
# pnav record and the file that it writes: what happens to the one before, whose it is,
# and that nothing is lost of it.  What the samples say is collect.t's matter.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cc=${PNAV_COMPILE:-cc}
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
unset PNAV_SAMPLER
cd "$scratch" || exit 99
"$cc" -O1 -g -o burn "$top_srcdir/tests/data/burn.c" -lpthread -ldl >cc.log 2>&1 ||
	skip_all "the test program cannot be built"

# runs STATUS COMMAND...: stdout in out, stderr in err
runs()
{
	wanted=$1
	shift
	timeout 60 "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$wanted" ] && return
	echo "# exit $got, not $wanted: $*"
	sed 's/^/# /' err
	return 1
}
forbidden() { ! "$@" >out 2>err </dev/null && grep -q 'cannot be used\|can be used' err; }
forbidden "$PNAV" record -o any.data ./burn nothing && skip_all "$(tail -n 1 err)"

# ---- what has the name already ----

echo old >old && cp old kept
typo() { runs 127 "$PNAV" record -o "$1" ./nosuch; }
check "a command that cannot start leaves the old file" eval 'typo old && cmp old kept'
ln -s old link
check "... behind a link, too" eval 'typo link && [ -L link ] && cmp old kept'
check "... and makes no new one" eval 'typo fresh && [ -z "$(ls | grep fresh)" ]'
mkdir here
check "... nor moves perf.data away" eval '(cd here && echo old >perf.data &&
	runs 127 "$PNAV" record ./nosuch && cmp perf.data ../kept && [ "$(ls)" = "err
out
perf.data" ])'
mkfifo fifo
check "a pipe is refused and stays" eval '
	runs 1 "$PNAV" record -o fifo ./burn nothing && [ -p fifo ] && [ ! -s out ]'
if mknod null c 1 3 2>/dev/null && : >null; then
	check "a device is written and stays" eval '
		runs 0 "$PNAV" record -o null ./burn nothing && typo null && [ -c null ]'
else
	skip "a device is written and stays" "only root can make one"
fi
check "a link is followed" eval '
	runs 0 "$PNAV" record -o link ./burn nothing && [ -L link ] && ! cmp -s old kept &&
	"$PNAV" report old >out'
check "perf.data becomes perf.data.old once" eval '(cd here &&
	runs 0 "$PNAV" record ../burn nothing && cmp perf.data.old ../kept)'
printf 'old\n' >locked && chmod 444 locked
if [ -w locked ]; then
	skip "a write-protected file is not replaced" "root may write anything"
else
	check "a write-protected file is not replaced" eval '
		runs 1 "$PNAV" record -o locked ./burn nothing && cmp locked kept'
fi

# ---- whose it is ----

mode() { [ "$(stat -c %a "$1")" = "$2" ]; }
check "a recording is its owner's alone" eval '
	(umask 022 && runs 0 "$PNAV" record -o mine.data ./burn nothing) && mode mine.data 600'
check "... also in place of one that was everybody's" eval '
	touch open.data && chmod 666 open.data &&
	runs 0 "$PNAV" record -o open.data ./burn nothing && mode open.data 600'

# ---- programs that are linked otherwise ----

# share COLUMN FUNCTION FILE: percent of all self time (7: self, 8: total of its samples)
share()
{
	"$PNAV" report --format csv "$3" | awk -F, -v c="$1" -v f="$2" '
		NR == 1 { next }
		{ all += $7 }
		$1 == f { x = $c }
		END { printf "%.2f\n", all ? 100 * x / all : 0 }'
}
at_least() { echo "$*"; [ "$(awk -v a="$1" -v b="$2" 'BEGIN { print (a >= b) }')" = 1 ]; }

# lld gives code another distance between address and offset than what lies before it
by_lld() { "$cc" -O1 -g -fuse-ld=lld "$@" "$top_srcdir/tests/data/burn.c" -lpthread -ldl; }
if by_lld -pie -fPIE -o lld >cc.log 2>&1 && by_lld -no-pie -fno-pie -o lld-fixed >cc.log 2>&1; then
	for s in perf ptrace; do
		forbidden "$PNAV" record --sampler $s -o lld.data ./burn nothing && continue
		check "a program that lld linked: stacks begin at _start, $s" eval '
			runs 0 "$PNAV" record --sampler $s -o lld.data ./lld &&
			at_least "$(share 8 _start lld.data)" 90 && at_least "$(share 7 burn_60 lld.data)" 45'
	done
	ln -s "$PNAV" profile
	check "... and its functions are where nm says" eval '
		nm lld-fixed | grep " T burn_60$" | sed "s/^0*\([0-9a-f]*\) .*/\1/" >wanted &&
		runs 0 ./profile -o- ./lld-fixed && awk "\$1 == \"burn_60\" { print \$2 }" out >got &&
		[ -s wanted ] && cmp wanted got'
else
	skip "a program that lld linked" "lld is not installed"
fi
tap_done
