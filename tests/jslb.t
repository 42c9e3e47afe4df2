#!/bin/sh
# Profiles of Firefox in JSLB containers: golden inputs and samples written anew, with columns of
# all types and parts of the document in slabs, have the numbers of the document; packed and from
# a pipe, too. Then containers that are damaged. PNAV_SEEDS is how many of each document are made.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 writes the containers"
top_srcdir=$(cd "$top_srcdir" && pwd)
encode=$top_srcdir/tests/lib/encode_jslb.py

# views FILE...: the rows of all views of a file, or of stdin
views()
{
	for view in functions lines tree tracks values slices labels; do
		echo "## $view"
		case $1 in
		-) "$PNAV" report --view $view --format csv - <in 2>&1 ;;
		*) "$PNAV" report --view $view --format csv "$1" 2>&1 ;;
		esac
	done | sed 's/^pnav: [^:]*://'
}

cd "$scratch" || exit 99
for file in "$top_srcdir"/tests/golden/firefox-[gps]*/input.json \
	"$PNAV_SAMPLES"/firefox/*.json; do
	[ -f "$file" ] || continue
	name=$(basename "$(dirname "$file")")/$(basename "$file")
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$file" 2>/dev/null || {
		skip "$name" "it is more than JSON"
		continue
	}
	cp "$file" in
	views in >expected
	seed=1
	while [ $seed -le "${PNAV_SEEDS:-2}" ]; do
		python3 "$encode" "$file" in $seed
		views in >got
		check "$name in slabs, seed $seed" diff expected got
		seed=$((seed + 1))
	done
	gzip -c in >in.gz && mv in.gz in
	views - >got
	check "$name in slabs, packed, from a pipe" diff expected got
done

# fault NAME STATUS WORDS: what is said of a container with this fault, at the place that its writer
# knows
fault()
{
	place=$(python3 "$encode" "$top_srcdir/tests/golden/firefox-processed/input.json" in 7 "$1")
	"$PNAV" report --format csv in >out 2>err
	status=$?
	[ $status = "$2" ] && grep -q "^pnav: in: ${place:+at byte $place: }.*$3" err
	check "$1: status $2, $3" [ $? = 0 ] || sed 's/^/# /' err
}
fault table 1 'the table of slabs ends too early'
fault root 1 'the root is not in the file'
fault column 3 'a slab that is not in the file'
check "a slab that is missing: the rest is read" [ "$(wc -l <out)" -gt 1 ]
fault self 3 'a slab within itself'
fault version 1 'a JSLB container of version 2; pnav reads version 1'
fault big 3 'a whole number above 2^63 - 1'
fault nan 0 'number that is none'

# The dump has each slab and each number, at its place.
python3 "$encode" "$top_srcdir/tests/golden/firefox-processed/input.json" in 7
"$PNAV" dump in >out
check "dump: the table and the document" grep -q '^00000032 slab 1 .* bytes' out
check "dump: ends with the root" [ "$(grep -c ', the root$' out)" = 1 ]
tap_done
