# tap.sh - what the script tests share: TAP output and a scratch folder.
#
# Source it first.  Then:
#	ok "name"                    one test that passed
#	not_ok "name" [FILE]         one that failed; FILE is shown as diagnostics
#	skip "name" "why"            one that cannot run here
#	skip_all "why"               the whole script; ends it
#	check "name" COMMAND...      passes when COMMAND does; its output is shown if not
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

tap_count=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/pnav-test.XXXXXX") || exit 99
trap 'rm -rf "$scratch"' EXIT
trap 'exit 99' HUP INT TERM

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

tap_done()
{
	echo "1..$tap_count"
}

# PNAV_LEAVE_OUT, names of scripts, leaves these out: ./check asks them in one build only.
case " ${PNAV_LEAVE_OUT:-} " in
*" $(basename "$0") "*)
	skip_all "PNAV_LEAVE_OUT names it" ;;
esac
