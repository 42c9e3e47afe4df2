#!/bin/sh
# make bench: how fast pnav is, in figures beside their budgets.
#
#	SIZE=10M|100M|1G	how large the files are (100M)
#	HARD=10M|1G		how large those are that are hard on keys; by itself each is as large
#				as the budgets say (hard_files below), four gigabytes in all
#	PAIRS=N			rounds of each measurement (7)
#	FORMATS="folded br"	only these
#	BENCH_CSV=FILE		the lines as CSV too
#	BENCH_LAST=FILE		lines of an earlier run to compare with (last.csv beside this script:
#				those of the last release, made by BENCH_CSV on an idle machine)
#	BENCH_DATA=DIR		where the data lies (tests/bench/data in the build folder);
#				it is made once and kept
#	NOTERMINAL=1		without the browser
#	PNAV_STATIC=FILE	the static executable: how fast it starts, too
#	BRIEF=1			only how fast the formats are read
#
# The programs beside this script measure and print lines `figure,value,unit,budget,ratio,
# yardstick`; this script makes the data, asks, and lays the lines out.  Nothing is
# asserted: a machine that is busy is no failure.  table.awk compares the lines with those of
# the last release, and marks what is worse by more than 5 %.  What other programs need for
# the same work is measured where they are installed.
set -u

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$top_srcdir}"
: "${PNAV:=$top_builddir/pnav}"
: "${SIZE:=100M}"
: "${HARD:=}"
: "${PAIRS:=7}"
last=${BENCH_LAST-$top_srcdir/tests/bench/last.csv}
: "${FORMATS:=folded perfscript bsprof br hqnplog text1 text1-bin chrome speedscope callgrind \
pprof pprof-new firefox cpuprofile heaptrack heaptrack-new jfr perfetto otlp}"
bin=${BENCH_BIN:-$top_builddir/tests/bench}
data=${BENCH_DATA:-$bin/data}
lines=$(mktemp) || exit 1
trap 'rm -f "$lines"' EXIT
trap 'exit 1' HUP INT TERM

bytes_of()
{
	case $1 in
	*G) echo $((${1%G} * 1000000000)) ;;
	*M) echo $((${1%M} * 1000000)) ;;
	*)
		echo "bench: a size is a number of M or G, not '$1'" >&2
		return 1 ;;
	esac
}
bytes=$(bytes_of "$SIZE") && bytes_of "${HARD:-1M}" >/dev/null || exit 2
[ -x "$PNAV" ] || { echo "bench: $PNAV is not built" >&2; exit 1; }
mkdir -p "$data" || exit 1

# MB/s, and peak memory as a share of the file, as the design asks.
budget()
{
	case $1 in
	folded) echo "1200 0.15" ;;
	perfscript) echo "1000 0.11" ;;
	hqnplog) echo "600 0.4" ;;
	text1-bin) echo "800 0.5" ;;
	bsprof) echo "200 1.0" ;;
	br) echo "600 0.15" ;;
	text1) echo "400 0.4" ;;
	chrome) echo "500 0.25" ;;
	pprof) echo "500 0.25" ;;
	pprof-new) echo "250 0.25" ;;
	speedscope) echo "400 0.4" ;;
	firefox|callgrind|cpuprofile|heaptrack|heaptrack-new) echo "300 0.4" ;;
	jfr) echo "300 0.4" ;;
	perfetto) echo "250 0.4" ;;
	otlp) echo "300 0.25" ;;
	esac
}

is_text()
{
	case $1 in
	folded|perfscript|text1|callgrind|heaptrack|heaptrack-new) return 0 ;;
	*) return 1 ;;
	esac
}

# What other cores help with: events on a timeline (model/profile/series_beside.c), and parts of a
# file (src/load_parts.c).
uses_cores()
{
	case $1 in
	folded|perfscript|bsprof|hqnplog|text1|text1-bin|chrome|speedscope|cpuprofile|heaptrack|perfetto) return 0 ;;
	*) return 1 ;;
	esac
}

# The files of a format, the one to open first.
files_of()
{
	case $1 in
	text1-bin) echo "$data/$1.$SIZE.txt $data/$1.$SIZE.txt.BIN" ;;
	firefox) echo "$data/firefox-samples.$SIZE" ;;
	*) echo "$data/$1.$SIZE" ;;
	esac
}

# A file is whole under its name, or not there.
make_file()
{
	# shellcheck disable=SC3013 # every shell that is /bin/sh somewhere has -nt
	[ -f "$2" ] && [ ! "$bin/generate" -nt "$2" ] && return
	echo "bench: making $2" >&2
	"$bin/generate" "$1" "${3:-$bytes}" "$2.part" && mv "$2.part" "$2"
}

make_data()
{
	case $1 in
	text1-bin)
		make_file text1-names "$data/$1.$SIZE.txt" &&
			make_file text1-bin "$data/$1.$SIZE.txt.BIN" ;;
	firefox)
		make_file firefox-samples "$data/firefox-samples.$SIZE" ;;
	*)
		make_file "$1" "$data/$1.$SIZE" ;;
	esac
}

# The lines of one program; what it cannot measure is said, not left out silently.
measure()
{
	what=$1
	shift
	echo "bench: $what" >&2
	"$@" >>"$lines" || echo "$what: not measured,,,,," >>"$lines"
}

peer()
{
	command -v "$2" >/dev/null 2>&1 && return
	echo "$1: not installed,,,,," >>"$lines"
	return 1
}

measure_format()
{
	format=$1
	files=$(files_of "$format")
	text=
	is_text "$format" && text=-t
	case $format in
	bsprof) text=-v ;;
	hqnplog) text='-r 40' ;;
	text1-bin) text='-r 24' ;;
	esac
	uses_cores "$format" && [ "$(nproc 2>/dev/null || echo 1)" -gt 1 ] && text="-c $text"
	# Deliberately split: flags, budgets and files are words without blanks but for the
	# build folder's name, which a make that got this far does not have.
	# shellcheck disable=SC2046,SC2086
	measure "decode $format" "$bin/decode" -n "$PAIRS" $text "$format" $(budget "$format") $files
	[ "${BRIEF:-}" ] && return
	measure "report $format" "$bin/command" -n 3 "$format: whole report" "" -- \
		"$PNAV" report --limit 1 "${files%% *}"
	[ "${NOTERMINAL:-}" ] ||
		measure "browse $format" "$bin/terminal" "$format at 200x60" "$PNAV" "${files%% *}"
}

# 1.5 M stacks; 2.3 M functions; 50,000 deep; 30,000 threads; paths of bsprof; 42 M events on
# one track; 80 M samples and more on 400,000 stacks, plain and weighted.
hard_files="folded-names:52M folded-functions:110M folded-deep:20M perfscript-threads:40M \
bsprof-paths:20M text1-bin:1010M firefox-samples:1200M firefox-weights:1700M"

# How fast those are read whose names or stacks are all new; the budgets are ratios to what
# splitting and hashing costs in the same run (0.30), which the column `ratio` says.
measure_new()
{
	for new in folded-names folded-functions; do
		make_file "$new" "$data/$new.$SIZE" || continue
		measure "decode $new" "$bin/decode" -n "$PAIRS" -t "$new" "" "" "$data/$new.$SIZE"
	done
}

# What keys cost on them: none may wait.
measure_hard()
{
	for hard in $hard_files; do
		size=${HARD:-${hard#*:}}
		hard=${hard%:*}
		file=$data/$hard.$size
		if [ "$hard" = text1-bin ]; then
			file=$file.txt
			make_file text1-names "$file" && make_file "$hard" "$file.BIN" \
				"$(bytes_of "$size")" || continue
		else
			make_file "$hard" "$file" "$(bytes_of "$size")" || continue
		fi
		measure "browse $hard" "$bin/terminal" "$hard at 200x60" "$PNAV" "$file"
	done
}

measure_peers()
{
	folded=$data/folded.$SIZE
	script=$data/perfscript.$SIZE
	if [ -f "$folded" ] && peer "folded: flamegraph.pl" flamegraph.pl; then
		measure "flamegraph.pl" "$bin/command" -n 1 "folded: flamegraph.pl" "" -- \
			flamegraph.pl "$folded"
	fi
	if [ -f "$script" ] && peer "perfscript: stackcollapse-perf.pl" stackcollapse-perf.pl; then
		measure "stackcollapse-perf.pl" "$bin/command" -n 1 \
			"perfscript: stackcollapse-perf.pl" "" -- stackcollapse-perf.pl "$script"
	fi
	pprof=$data/pprof.$SIZE
	if [ -f "$pprof" ] && peer "pprof: go tool pprof -top" go; then
		measure "go tool pprof" "$bin/command" -n 1 "pprof: go tool pprof -top" "" -- \
			go tool pprof -top "$pprof"
	fi
	callgrind=$data/callgrind.$SIZE
	if [ -f "$callgrind" ] && peer "callgrind: callgrind_annotate" callgrind_annotate; then
		measure "callgrind_annotate" "$bin/command" -n 1 "callgrind: callgrind_annotate" "" \
			-- callgrind_annotate "$callgrind"
	fi
	peer "gmon: gprof" gprof && measure_gprof
	peer "recorded: perf report" perf && measure_perf
}

# A program of many functions that call each other, and what it says of itself.
measure_gprof()
{
	made=$data/gmon
	mkdir -p "$made" &&
		awk 'BEGIN {
			n = 4000
			print "volatile long x;"
			for (i = n - 1; i >= 0; i--) {
				printf "void f%d(int d) { for (int k = 0; k < 40; k++) x += k; if (d > 0) {", i
				for (k = 1; k <= 2 && i + k * k < n; k++)
					printf " f%d(d - 1);", i + k * k
				print " } }"
			}
			printf "int main(void) { for (int i = 0; i < 40; i++) {"
			for (i = 0; i < n; i += 16)
				printf " f%d(9);", i
			print " } return 0; }"
		}' >"$made/program.c" &&
		(cd "$made" && cc -O1 -g -pg -fno-inline -o program program.c && ./program &&
			[ -s gmon.out ]) >/dev/null 2>&1 || {
		echo "gmon: no program with -pg here,,,,," >>"$lines"
		return
	}
	measure "gprof" "$bin/command" -n 3 "gmon: gprof -b" "" -- \
		gprof -b "$made/program" "$made/gmon.out"
	measure "the same" "$bin/command" -n 3 "gmon: pnav report" "" -- \
		"$PNAV" report --binary "$made/program" "$made/gmon.out"
}

# perf reads its own file, pnav the text of the same samples: pnav decodes a bench file
# while perf watches.
measure_perf()
{
	recorded=$data/recorded.$SIZE
	set -- "$data"/*."$SIZE"
	if ! perf record -q -F 9999 -g -o "$recorded.data" -- "$PNAV" report --limit 1 "$1" \
		>/dev/null 2>&1 ||
		! perf script -i "$recorded.data" >"$recorded.txt" 2>/dev/null; then
		echo "recorded: perf cannot record here,,,,," >>"$lines"
		return
	fi
	measure "perf report" "$bin/command" -n 3 "recorded: perf report --stdio" "" -- \
		perf report --stdio -i "$recorded.data"
	measure "the same samples" "$bin/command" -n 3 "recorded: pnav report --view tree" "" -- \
		"$PNAV" report --view tree "$recorded.txt"
}

# What sampling costs the command that is sampled: pnav's report of a bench file, bare,
# and under each collector.  The difference to the bare command is the overhead.
measure_collect()
{
	set -- "$data"/*."$SIZE"
	into=$data/collected.$SIZE.data
	measure "collect" "$bin/command" -n "$PAIRS" "collect: the bare command" "" -- \
		"$PNAV" report --limit 1 "$1"
	measure "collect" "$bin/command" -n "$PAIRS" "collect: pnav record" "" -- \
		"$PNAV" record -o "$into" "$PNAV" report --limit 1 "$1"
	measure "collect" "$bin/command" -n "$PAIRS" "collect: pnav record --call-graph fp" "" -- \
		"$PNAV" record --call-graph fp -o "$into" "$PNAV" report --limit 1 "$1"
	measure "collect" "$bin/command" -n "$PAIRS" "collect: pnav record --sampler ptrace" "" \
		-- "$PNAV" record --sampler ptrace -o "$into" "$PNAV" report --limit 1 "$1"
	measure "collect" "$bin/command" -n "$PAIRS" "collect: pnav profile" "" -- \
		"$PNAV" profile -o/dev/null "$PNAV" report --limit 1 "$1"
	if peer "collect: perf record" perf; then
		measure "collect" "$bin/command" -n "$PAIRS" \
			"collect: perf record --call-graph dwarf" "" -- \
			perf record -q -F 997 --call-graph dwarf -o "$into" \
			"$PNAV" report --limit 1 "$1"
		measure "collect" "$bin/command" -n "$PAIRS" \
			"collect: perf record --call-graph fp" "" -- \
			perf record -q -F 997 -g -o "$into" "$PNAV" report --limit 1 "$1"
	fi
	rm -f "$into"
}

# measure_start PNAV WHICH: until the version, and until the first screen of the small sample
measure_start()
{
	measure "start" "$bin/command" -n 21 "${2}pnav --version" 5 -- "$1" --version
	[ "${NOTERMINAL:-}${BRIEF:-}" ] || measure "start" "$bin/terminal" -s 160x50 -f "<=15" \
		"${2}pnav: the sample at 160x50" "$1" "$top_srcdir/data/sample.perfscript.gz"
}

echo "bench: file size,$((bytes / 1000000)),MB,,," >>"$lines"
measure_start "$PNAV" ""
[ -z "${PNAV_STATIC:-}" ] || measure_start "$PNAV_STATIC" "static "
for format in $FORMATS; do
	if make_data "$format"; then
		measure_format "$format"
	else
		echo "$format: no data,,,,," >>"$lines"
	fi
done
measure_new
if [ ! "${BRIEF:-}" ]; then
	[ -x "$bin/model" ] && measure "model" "$bin/model"
	[ "${NOTERMINAL:-}" ] || measure_hard
	measure_collect
	measure_peers
fi

if [ -n "${BENCH_CSV:-}" ]; then
	{ echo "figure,value,unit,budget,ratio,yardstick" && cat "$lines"; } >"$BENCH_CSV"
fi
awk -v last="$last" -f "$top_srcdir/tests/bench/table.awk" "$lines" | sed 's/ *$//'
