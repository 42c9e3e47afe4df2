#!/bin/sh
# The monkey: keys by chance, on profiles of several kinds, at sizes by chance; each game
# must end with Q.  PNAV_MONKEY says how many keys a profile gets (a million, for a long
# night), PNAV_MONKEY_SEED which game it is; a failure names the seed that plays it again.  It plays
# while files are read, too, with a quarter of the keys: in a build with
# --enable-sanitizers=thread that finds races, with --enable-sanitizers what is freed too early.
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

# Files that grow while it plays: slices with labels and counters, stacks, samples.
awk 'BEGIN {
	print "{\"traceEvents\":["
	for (i = 0; i < 6000; i++) {
		for (t = 0; t < 4; t++)
			printf "{\"ph\":\"X\",\"name\":\"f%d\",\"cat\":\"%s\",\"ts\":%d,\"dur\":%d,\"pid\":%d,\"tid\":%d,\"args\":{\"net\":%d}},\n",
				(i * 7 + t * 3) % 300, i % 3 ? "net" : "disk", i * 10, 3 + i % 6, t % 2, t, i % 5
		if (i % 50 == 0)
			printf "{\"ph\":\"C\",\"name\":\"mem\",\"ts\":%d,\"pid\":1,\"args\":{\"bytes\":%d}},\n", i * 10, i % 97
	}
	print "{\"ph\":\"X\",\"name\":\"end\",\"ts\":60000,\"dur\":1,\"pid\":1,\"tid\":1}]}"
}' >"$scratch/grows.json"
awk 'BEGIN { for (i = 0; i < 40000; i++)
	printf "main;a%d;b%d;c%d %d\n", i % 50, i % 500, i, i % 9 + 1 }' >"$scratch/grows.folded"
for profile in "$scratch/grows.json" "$scratch/grows.folded" \
	"$top_srcdir"/data/sample.perfscript.gz "$top_srcdir"/tests/data/labelled.pftrace; do
	check "$((keys / 4)) keys, seed $seed, while it grows: ${profile##*/}" \
		"$monkey" -g -n "$((keys / 4))" -s "$seed" "$profile"
done
tap_done
