#!/bin/sh
# Files that other programs read, too: every row that they print is ours, with the same
# numbers, and there is no other.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
recorded=$PNAV_SAMPLES/recorded
cd "$scratch" || exit 99

top_srcdir=$(cd "$OLDPWD" && cd "$top_srcdir" && pwd)

# has PROGRAM TEST FILE...: both are here, else the test is skipped
has()
{
	has_program=$1 has_test=$2
	shift 2
	command -v "$has_program" >/dev/null 2>&1 || {
		skip "$has_test" "there is no $has_program"
		return 1
	}
	for i; do
		[ -f "$i" ] || {
			skip "$has_test" "no $(basename "$i")"
			return 1
		}
	done
}

# same TEST: the sorted rows of `theirs` and `ours`, of which there are some
same()
{
	sort theirs >a
	sort ours >b
	diff a b >differ && [ -s a ] && ok "$1: $(wc -l <a) rows" || not_ok "$1" differ
}

# rows ARGUMENT...: function, self, total of a report; names have their commas back
rows()
{
	"$PNAV" report --format csv --columns self,total,function "$@" 2>err |
		sed -e 1d -e 's/,/ /' -e 's/,/ /' -e 's/ "\(.*\)"$/ \1/' -e 's/""/"/g'
}

# go tool pprof -top: flat, flat%, sum%, cum, cum%, name; names of inlined functions say so
pprof()
{
	case $1 in
	/*) file=$1 ;;
	*) file=$recorded/$1 ;;
	esac
	set -- "$(basename "$1")" "$2"
	has go "go tool pprof: $1" "$file" || return
	HOME=$scratch go tool pprof -symbolize=none -top -nodecount=1000000 -nodefraction=0 \
		-edgefraction=0 -unit="$2" "$file" 2>err |
		sed -e '1,/flat%/d' -e 's/ (inline)$//' -e 's/ (partial-inline)$//' |
		awk '{ flat = $1 + 0; cum = $4 + 0; $1 = $2 = $3 = $4 = $5 = ""
			sub(/^ +/, ""); printf "%.0f %.0f %s\n", flat, cum, $0 }' |
		awk '$1 || $2' >theirs
	rows "$file" | awk '$1 || $2' >ours
	same "go tool pprof: $1"
}
pprof "$top_srcdir/tests/screens/heap/before.pb.gz" B
pprof "$top_srcdir/tests/screens/heap/after.pb.gz" B
pprof go-pipeline.cpu.pb.gz ns
pprof go-pipeline.heap.pb.gz B
pprof go-pipeline.allocs.pb.gz B
pprof go-pipeline.block.pb.gz ns

# callgrind_annotate: `Ir (share%)  file:function [object]`
annotate()
{
	file=$recorded/$1
	has callgrind_annotate "callgrind_annotate: $1" "$file" || return
	callgrind_annotate --threshold=100 --auto=no --show=Ir "$file" 2>err |
		sed -e '1,/file:function/d' |
		sed -n 's/^ *\([0-9,]*\) ([^)]*)  *\([^ ].*\)$/\1 \2/p' |
		awk '{ gsub(/,/, "", $1); sub(/ \[[^]]*\]$/, ""); sub(/^[^ ]* [^:]*:/, $1 " ")
			sum[substr($0, index($0, " ") + 1)] += $1 }
			END { for (f in sum) if (sum[f]) printf "%.0f %s\n", sum[f], f }' >theirs
	rows --metric Ir "$file" |
		awk '{ name = $0; sub(/^[^ ]* [^ ]* /, "", name); sum[name] += $1 }
			END { for (f in sum) if (sum[f]) printf "%.0f %s\n", sum[f], f }' >ours
	same "callgrind_annotate: $1"
}
annotate callgrind.out.lua-brew
annotate callgrind.out.zstd-threads-01

# gprof's call graph, the line of each function itself: [N], share, self seconds, those below,
# calls+recursive ones where it was called, name, <cycle N>, [N]; two decimals
graph()
{
	has gprof "gprof: $1" "$recorded/$1" "$recorded/$2" || return
	gprof -b -q "$recorded/$2" "$recorded/$1" 2>err |
		awk '/^\[/ && !/as a whole/ {
			called = 0
			name = $5
			if ($5 ~ /^[0-9+]+$/) {
				split($5, part, "+")
				called = part[1] + part[2]
				name = $6
			}
			if ($3 + 0 || called)
				printf "%s %.0f %s\n", $3, called, name
		}' >graph
	"$PNAV" report --format csv --binary "$recorded/$2" --columns self,calls,function \
		"$recorded/$1" 2>err |
		awk -F, 'NR > 1 && ($1 || $2) { printf "%.3f %d %s\n", $1 / 1e9, $2, $3 }' >own
	# a hit in a bin of two functions is shared: here whole hits are, there parts of one
	awk 'NR == FNR { near[$3] = $1; next }
		{ d = $1 - near[$3]; print (d < .0101 && d > -.0101 ? near[$3] : $1), $2, $3 }' \
		own graph >theirs
	cp own ours
	same "gprof: $1"
}
graph lua.gmon.out lua.gmon.elf
tap_done
