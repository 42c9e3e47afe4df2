#!/bin/sh
# The calls of spans whose children are side by side, so that they lie on overlap lanes: random
# traces and ranges against sums over the spans themselves.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "there is no python3"
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$scratch" || exit 99

python3 "$top_srcdir/tests/lib/spans.py" "$PNAV" . 0 "${PNAV_TRACES:-60}" >out 2>&1
check "random traces: starts, durations, own times, gross times, also in ranges" \
	sh -c 'grep -q "^[1-9][0-9]* traces, .* [1-9][0-9]* with lanes$" out &&
		! grep -v "^[1-9][0-9]* traces, " out'
tap_done
