#!/bin/sh
# Grouping by labels and keeping what has one, in every format that has them: the profile that a
# label makes is one of its own beside the loaded one, and both are freed.  Only a build with
# sanitizers sees all that can be wrong there, and what it sees fails each check.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/play.sh"

golden=$top_srcdir/tests/golden

# whole FILE OPTION...: the total of all roots
whole()
{
	"$PNAV" report --view tree --format csv --columns depth,total "$@" >whole.csv 2>err ||
		return 1
	awk -F , '$1 == "0" { n += $2 } END { printf "%.0f\n", n }' whole.csv
}

# grouped FILE KEY: by the key all counts once, and there and back again
grouped()
{
	all=$(whole "$1") && by=$(whole "$1" --label "$2") &&
		with=$(whole "$1" --where "$2:.") && without=$(whole "$1" --where "!$2:.") &&
		[ "$by" = "$all" ] && [ $((with + without)) = "$all" ]
}

# plays FILE: a menu of labels eight times, each entry another profile
# browsed FILE: the same, and nothing is said on stderr
plays()
{
	"$PNAV" --no-config --size 100x30 --snapshot "$1" --keys \
		"L j Enter L j Enter L j o L x L Enter u u 3 L j j Enter 5 L j x u R" >screen 2>err
}
browsed() { plays "$1" && [ ! -s err ]; }

seen=0
kinds=
for file in "$golden"/*/input.* "$top_srcdir/tests/fuzz/seeds/label-modules.pb"; do
	[ "$(wc -c <"$file")" -le 20000 ] || continue
	name=$(basename "$(dirname "$file")")
	"$PNAV" report --view labels --format csv --columns key "$file" >keys.csv 2>/dev/null
	[ "$(wc -l <keys.csv)" -gt 1 ] || continue
	seen=$((seen + 1))
	# one case of each format with these labels
	kind="${name%%-*} $(sed 1d keys.csv | sort -u | tr '\n' ' ')"
	case $kinds in *"|$kind|"*) continue ;; esac
	kinds="$kinds|$kind|"
	# damaged files say so, each time
	"$PNAV" report "$file" >/dev/null 2>&1 && for key in $(sed 1d keys.csv | sort -u); do
		check "$name: --label and --where $key" grouped "$file" "$key"
	done
	check "$name: labels in the browser" eval 'browsed "$file" || grep -q "^pnav: .*: " err'
done
check "formats with labels were found" [ "$seen" -gt 20 ]

# What modules are files of is a table that only formats with addresses fill.
if "$PNAV" record -q -o burnt.data -- "$top_builddir/tests/burn" >/dev/null 2>&1 ||
	"$PNAV" record -q -o burnt.data -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' \
		>/dev/null 2>&1; then
	check "perf.data: a label that it lacks" eval '"$PNAV" report --label none burnt.data >out 2>err'
	# what chance samples may lack is a warning: stacks that do not unwind, modules without names
	check "perf.data: labels in the browser" eval '
		plays burnt.data && ! grep -v "^pnav: burnt.data: warning: " err'
else
	skip "perf.data: a label that it lacks" "nothing can be recorded here"
fi

tap_done
