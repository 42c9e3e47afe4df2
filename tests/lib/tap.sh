# tap.sh - what the script tests share: TAP output and a scratch folder.
#
# Source it first, after `leaks=yes` if leaks are looked for, and `forked=yes` if pnav's runs need
# neither a terminal nor signals (lib/forkserver.c; `preloaded` names a library for them).  Then:
#	ok "name"                    one test that passed
#	not_ok "name" [FILE]         one that failed; FILE is shown as diagnostics
#	skip "name" "why"            one that cannot run here
#	skip_all "why"               the whole script; ends it
#	check "name" COMMAND...      passes when COMMAND does; its output is shown if not
#	outcomes <FILE               results that a program printed, one a line
#	tap_done                     the plan; the last line of a script
#
# $scratch is an empty folder, removed at the end.  The environment comes from `make
# check`; by hand, PNAV and top_builddir default to a build in the source tree.

: "${top_srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
: "${top_builddir:=$top_srcdir}"
: "${PNAV:=$top_builddir/pnav}"
: "${PNAV_SAMPLES:=$top_srcdir/../shared/samples}"
: "${PNAV_MANUAL=/nonexistent}" # pages are found only where a test names them
export top_srcdir top_builddir PNAV PNAV_SAMPLES PNAV_MANUAL

# A build for gcov complains on stderr where its counts cannot be written (as another user,
# under a limit on files): no word of pnav's.
: "${GCOV_ERROR_FILE:=/dev/null}"
export GCOV_ERROR_FILE

# A build with sanitizers looks for leaks at the end of each process, which takes half of the time
# of a short one.  Scripts that run each command over many inputs set leaks=yes before.
tap_asan=${ASAN_OPTIONS:-}
if [ "${leaks:-no}" = no ]; then
	ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	export ASAN_OPTIONS
fi

tap_count=0
tap_began=$(date +%s)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/pnav-test.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

# A run of $PNAV is a child of a process that has started already; PNAV_ALONE is always pnav itself.
# A server that is older than pnav is not used.
PNAV_ALONE=$PNAV
export PNAV_ALONE
if [ "${forked:-no}" = yes ] && [ -x "$top_builddir/tests/lib/forked" ] &&
	[ -x "$top_builddir/forkserver" ] && [ ! "$PNAV" -nt "$top_builddir/forkserver" ]; then
	PNAV_FORKS=$scratch/.forks
	export PNAV_FORKS
	ASAN_OPTIONS=$tap_asan LD_PRELOAD=${preloaded:-} "$top_builddir/forkserver" "$PNAV_FORKS" </dev/null &
	tap_server=$!
	PNAV=$top_builddir/tests/lib/forked
fi

ok()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

not_ok()
{
	tap_count=$((tap_count + 1))
	echo "not ok $tap_count - $1"
	if [ -n "${2:-}" ] && [ -f "$2" ]; then
		head -n 40 "$2" | LC_ALL=C tr -d '\000' | sed 's/^/# /'
	fi
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# built_with FEATURE: whether this build has it: HAVE_RECORDER, HAVE_SQLITE, HAVE_LIBZSTD, ...
built_with()
{
	grep -q "^#define $1 1" "$top_builddir/config.h"
}

# pids_here PATTERN: the processes with such a command in this folder, since other tests run beside
# this one; fails if there are none
pids_here()
{
	tap_pids=$(for tap_pid in $(pgrep -f "$1"); do
		[ "$(readlink "/proc/$tap_pid/cwd")" = "$(pwd -P)" ] && echo "$tap_pid"
	done)
	echo "$tap_pids"
	[ -n "$tap_pids" ]
}

# outcomes: the lines `good NAME`, `bad NAME` and `skip NAME: WHY` of a program as results; what it
# wrote to stderr is in err
outcomes()
{
	while read -r tap_how tap_text; do
		case $tap_how in
		good) ok "$tap_text" ;;
		bad) not_ok "$tap_text" err ;;
		skip) skip "${tap_text%%: *}" "${tap_text#*: }" ;;
		*) not_ok "a line of another kind: $tap_how $tap_text" err ;;
		esac
	done
}

check()
{
	tap_name=$1
	shift
	if "$@" >"$scratch/.check" 2>&1; then
		ok "$tap_name"
	else
		not_ok "$tap_name" "$scratch/.check"
	fi
}

# runs STATUS COMMAND...: the status, with stdout in out, stderr in err, both here
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

# The plan, and what the script took: `# time: 12 s, 8.3 s of processors`
tap_done()
{
	echo "1..$tap_count"
	[ -z "${tap_server:-}" ] || { kill "$tap_server" && wait "$tap_server"; } 2>/dev/null
	times >"$scratch/.times"
	awk -v wall=$(($(date +%s) - tap_began)) '
		{
			for (i = 1; i <= 2; i++) {
				split($i, t, "m")
				s += 60 * t[1] + t[2]
			}
		}
		END { printf "# time: %d s, %.1f s of processors\n", wall, s }' "$scratch/.times"
}
