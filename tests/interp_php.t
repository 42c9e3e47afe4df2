#!/bin/sh
# Frames of PHP in recordings and looks, see tests/lib/interp.sh.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

versions=
for p in $PNAV_PHPS /usr/bin/php; do
	"$p" -r 'exit(PHP_VERSION_ID >= 70400 && PHP_VERSION_ID < 80500 && !PHP_ZTS ? 0 : 1);' \
		2>/dev/null && versions="$versions $p"
done
[ -n "$versions" ] || skip_all "there is no PHP from 7.4 to 8.4 without threads"
language=php loop=execute_ex waiting='{closure' outermost='{main}' area=Shape::area
program=$top_srcdir/tests/data/scripts.php
. "$top_srcdir/tests/lib/interp.sh"

interp_looks
interp_recordings 400
check "an option of PHP is not advised where the functions were read" eval '
	"$PNAV" record -o said.data "$run" "$program" 200 >out 2>err </dev/null && cat err &&
	"$PNAV" report --view functions said.data 2>/dev/null | grep -q "$area" &&
	! grep -q "can write the names" err'
tap_done
