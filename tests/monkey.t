#!/bin/sh
# The monkey: keys by chance, on profiles of several kinds, at sizes by chance; each game
# must end with Q.  PNAV_MONKEY tells how many keys a profile (a million, for a long
# night), PNAV_MONKEY_SEED which game; a failure names the seed that plays it again.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

monkey=$top_builddir/tests/monkey
[ -x "$monkey" ] || skip_all "the monkey is not built"
keys=${PNAV_MONKEY:-4000}
seed=${PNAV_MONKEY_SEED:-1}

for profile in "$top_srcdir"/tests/screens/shop.folded "$top_srcdir"/tests/screens/wide.folded \
	"$top_srcdir"/tests/screens/beat.perf.txt "$top_srcdir"/data/sample.perfscript.gz \
	"$top_srcdir"/tests/golden/bsprof-small/input.* \
	"$top_srcdir"/tests/golden/hqnplog-small/input.* \
	"$top_srcdir"/tests/golden/text1-example/input.*; do
	[ -f "$profile" ] || continue
	check "$keys keys, seed $seed: ${profile#"$top_srcdir"/}" \
		"$monkey" -n "$keys" -s "$seed" "$profile"
done
tap_done
