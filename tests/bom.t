#!/bin/sh
# A byte-order mark or a blank line in front of a text changes nothing, whatever the format: the
# golden cases that are texts, with one.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"
cd "$scratch" || exit 99
python3 "$top_srcdir/tests/lib/behind_mark.py" "$PNAV" "$top_srcdir/tests/golden" >results 2>err ||
	echo "bad behind_mark.py ends with status 0" >>results
outcomes <results
cases=$((tap_count / 3))
check "there were many ($cases)" [ "$cases" -ge 80 ]
tap_done
