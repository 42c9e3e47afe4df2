#!/bin/sh
# Grouping by labels and keeping what has one, in every format that has them: the profile that a
# label makes is one of its own beside the loaded one, and both are freed.  Only a build with
# sanitizers sees all that can be wrong there, and what it sees fails each check.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/play.sh"

golden=$top_srcdir/tests/golden

# tree FILE OPTION...: the columns that the total of all roots is computed of
tree()
{
	"$PNAV" report --view tree --format csv --columns depth,total "$@" 2>err
}

# grouped FILE KEY: by the key all counts once, and there and back again; all.csv is its tree
grouped()
{
	tree "$1" --label "$2" >by.csv && tree "$1" --where "$2:." >with.csv &&
		tree "$1" --where "!$2:." >without.csv &&
		awk -F , '$1 == "0" { n[FILENAME] += $2 }
			END { exit !(n["by.csv"] + 0 == n["all.csv"] + 0 &&
				n["with.csv"] + n["without.csv"] == n["all.csv"] + 0) }' \
			all.csv by.csv with.csv without.csv
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
{
	find "$golden" -name 'input.*' \( -type d -o -size -20001c \)
	echo "$top_srcdir/tests/fuzz/seeds/label-modules.pb"
} | sort >files
while read -r file; do
	"$PNAV" report --view labels --format csv --columns key "$file" >keys.csv 2>/dev/null
	keys=
	{
		read -r key # the heading
		while read -r key; do
			case "$keys " in
			*" $key "*) ;;
			*) keys="$keys $key" ;;
			esac
		done
	} <keys.csv
	[ "$keys" ] || continue
	seen=$((seen + 1))
	# one case of each format with these labels
	name=${file%/*}
	name=${name##*/}
	kind="${name%%-*}$keys"
	case $kinds in *"|$kind|"*) continue ;; esac
	kinds="$kinds|$kind|"
	# damaged files say so, each time
	tree "$file" >all.csv && for key in $keys; do
		check "$name: --label and --where $key" grouped "$file" "$key"
	done
	check "$name: labels in the browser" eval 'browsed "$file" || grep -q "^pnav: .*: " err'
done <files
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

# Columns of what groups wait for and write: the numbers of tests/lib/encode_usage.py
usage() # LABEL [OPTION...]
{
	label=$1
	shift
	"$PNAV" report --view tree --label "$label" --show "^$label=" "$@" \
		"$golden/perfdata-usage/input.data" 2>err
}
columns=function,total,waiting,blocked,io,threads
cat >expected <<'END'
function,total,waiting,blocked,io,threads
comm=web,600000000,350000000,,0,2
comm=batch,200000000,10000000,,1114112,1
END
usage comm --format csv --columns $columns | diff expected - >differs
check "columns of usage: the encoder's numbers" test ! -s differs
sed 's/comm=web/user=www/; s/comm=batch/user=root/' expected >users
usage user --format csv --columns $columns | diff users - >differs
check "... by user" test ! -s differs
usage comm --from 500ms --format csv --columns $columns >range
check "... of a range: waits count when they end" grep -qE '^comm=web,[23][0-9]*,350000000,,0,' range
usage comm >text
check "a counter that the system lacks is -" grep -qE ' 350 ms +- +0 B +2\.0 +comm=web$' text
"$PNAV" --no-config --size 120x24 --snapshot --label comm --view tree \
	"$golden/perfdata-usage/input.data" >screen 2>err
check "groups have the room of the place that they lack" sh -c '
	grep -q "threads  *function  *over time *$" screen && grep -q "▸ comm=batch " screen'
"$PNAV" report --view tree "$top_srcdir/data/sample.perfscript.gz" >text 2>err
printf '[{"ph":"X","name":"a","ts":0,"dur":8,"pid":1,"tid":1,"args":{"town":"M\374nchen"}},
{"ph":"X","name":"b","ts":8,"dur":2,"pid":1,"tid":1,"args":{"town":"Bonn"}}]' >latin.json
for where in 'town:=München' town:ünch 'town:=M\xfcnchen'; do
	"$PNAV" report --format csv --columns function --where "$where" latin.json 2>err
done >got
check "values that are not UTF-8 are found as they are shown" eval '
	[ "$(grep -cx a got)" = 3 ] && ! grep -qx b got'
check "a file without usage has no such columns" sh -c '! grep -q waiting text'

tap_done
