#!/bin/sh
# make accuracy (part of no check): what pnav record says, against programs that know it themselves.
#
#	RUNS=N		runs of each line (5)
#	BURNS=MS	how long each burns (1000)
#	KINDS="..."	only these of the table of kinds
#
# Five tables: shares of three functions, by kind of program and sampler; programs that wait
# often; how long threads waited; comparisons of a program with itself; and what recording costs
# beside `perf record`, where it is installed.  Nothing is asserted: a machine that is busy is no
# failure.  Lines before and after the tables say what a busy machine cannot measure.
set -u

: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$top_srcdir}"
: "${PNAV:=$top_builddir/pnav}"
: "${RUNS:=5}"
: "${BURNS:=1000}"
: "${KINDS:=O2 frameless fp static static-pie no-pie lld stripped m32 long}"
cc=${PNAV_COMPILE:-cc}
cc=${cc##*ccache }
cc=${cc%% *}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
case $PNAV in /*) ;; *) PNAV=$PWD/$PNAV ;; esac
[ -x "$PNAV" ] || { echo "accuracy: $PNAV is not built" >&2; exit 1; }
sources=$top_srcdir/tests/bench
case $sources in /*) ;; *) sources=$PWD/$sources ;; esac
cd "$folder" || exit 1

build()
{
	"$cc" "$@" -lm >cc.log 2>&1 || { echo "  (not built: $cc $*)"; return 1; }
}

# shares FILE METRIC: those of work_a, work_b, work_c, in percent of all
shares()
{
	"$PNAV" report --format csv --metric "$2" --columns total,function "$1" 2>/dev/null |
		awk -F, '$2 ~ /^work_[abc]$/ { v[substr($2, 6)] = $1; all += $1 }
			END { if (all) printf "%.3f %.3f %.3f\n", 100 * v["a"] / all,
				100 * v["b"] / all, 100 * v["c"] / all }'
}

# Lines of six: what the program said, what was seen.
errors()
{
	awk '{ for (i = 0; i < 3; i++) { e = $(4 + i) - $(1 + i); m[i] += e; q += e * e; n++
			e = e < 0 ? -e : e; if (e > worst) worst = e } runs++ }
		END { if (!runs) { print "no result"; exit }
			printf "%+.2f/%+.2f/%+.2f  sd %.2f  worst %.2f\n", m[0] / runs,
				m[1] / runs, m[2] / runs, sqrt(q / n), worst }'
}

flags_of()
{
	case $1 in
	O2) echo "-O2 -g" ;;
	frameless) echo "-O2 -fomit-frame-pointer" ;;
	fp) echo "-O2 -g -fno-omit-frame-pointer" ;;
	static) echo "-O2 -g -static" ;;
	static-pie) echo "-O2 -g -static-pie" ;;
	no-pie) echo "-O2 -g -no-pie" ;;
	lld) echo "-O2 -g -fuse-ld=lld" ;;
	stripped) echo "-O2 -rdynamic -s" ;;
	m32) echo "-O2 -g -m32" ;;
	long) echo "-O2 -g" ;;
	*) return 1 ;;
	esac
}

# table_line KIND SAMPLER [OPTION...]
table_line()
{
	kind=$1 sampler=$2
	shift 2
	how=short
	[ "$kind" = long ] && how=long
	i=0
	: >runs
	while [ $i -lt "$RUNS" ]; do
		i=$((i + 1))
		"$PNAV" record -q --sampler "$sampler" "$@" -o w.data "./work_$kind" "$how" \
			"$BURNS" >truth 2>/dev/null || continue
		seen=$(shares w.data task-clock)
		[ "$seen" ] && echo "$(cat truth) $seen" >>runs
	done
	printf '  %-11s %-7s %-22s %s\n' "$kind" "$sampler" "$*" "$(errors <runs)"
}

# What other programs take of the CPUs in a second, in percent of all of them
others()
{
	read -r _ user nice system idle rest </proc/stat || return
	sleep 1
	read -r _ user2 nice2 system2 idle2 rest2 </proc/stat
	busy=$((user2 + nice2 + system2 - user - nice - system))
	all=$((busy + idle2 - idle + ${rest2%% *} - ${rest%% *}))
	echo $((all ? 100 * busy / all : 0))
}
# note: printed before the tables and after them, since others may begin meanwhile
note()
{
	taken=$(others 2>/dev/null) || return
	echo "Other programs take $taken % of $(getconf _NPROCESSORS_ONLN) CPUs $1."
	[ "$taken" -lt 20 ] || echo "This machine is busy.  It cannot measure:
  - shares by ptrace, of bursts, too: few samples are taken, and errors of some points are chance
  - waiting: the program's clock includes its wait for a CPU, which the recorder leaves out
  - cost: work takes more CPU time beside others, with a recorder and without
Shares by perf events and comparisons of a program with itself are measured as on an idle one."
}
note "at the start"

echo "Shares of three functions (50, 30, 20 %): errors in percentage points"
for kind in $KINDS; do
	# shellcheck disable=SC2046
	build $(flags_of "$kind") -o "work_$kind" "$sources/work.c" || continue
	for sampler in perf ptrace; do
		table_line "$kind" $sampler
	done
	[ "$kind" = fp ] && table_line fp perf --call-graph fp
	[ "$kind" = O2 ] && table_line O2 ptrace -F 4000
done

echo "Bursts of work between sleeps of 5 ms: share of the function that works, seen / true"
build -O2 -g -o work_O2 "$sources/work.c"
for us in 200 700 2600 9500; do
	for sampler in perf ptrace; do
		"$PNAV" record -q --sampler $sampler -o s.data ./work_O2 bursts $us "$BURNS" \
			>truth 2>/dev/null
		seen=$("$PNAV" report --format csv --metric task-clock --columns total,function \
			s.data 2>/dev/null | awk -F, 'NR > 1 { if ($2 == "works") w = $1
				if ($1 > all) all = $1 } END { printf "%.1f", all ? 100 * w / all : 0 }')
		printf '  %5s us  %-7s %5s %% / %s %%\n' $us $sampler "$seen" "$(cat truth)"
	done
done

echo "Waiting, in ms: seen / as long as the program knows (in itself, and in the function)"
i=0
while [ $i -lt 3 ]; do
	i=$((i + 1))
	"$PNAV" record -q --off-cpu -o o.data ./work_O2 waits 20 "$BURNS" >truth 2>/dev/null
	"$PNAV" report --format csv --metric off-cpu --columns self,total,function o.data 2>/dev/null |
		awk -F, -v truth="$(cat truth)" 'NR > 1 { all += $1; if ($3 == "waits") w = $2 }
			END { printf "  all %.2f / %s   in waits() %.2f\n", all / 1e6, truth, w / 1e6 }'
done

# requests_like US: 12 pairs of recordings of one program, which differ by chance alone
requests_like()
{
	i=0
	: >rows
	while [ $i -lt 12 ]; do
		i=$((i + 1))
		"$PNAV" record -q -o a.data ./work_O2 requests "$1" $i "$BURNS" 2>/dev/null
		"$PNAV" record -q -o b.data ./work_O2 requests "$1" $((i + 100)) "$BURNS" 2>/dev/null
		"$PNAV" diff --format csv --columns function,total_low,total_high,total_sure a.data b.data 2>/dev/null |
			awk -F, -v pair=$i '$1 ~ /^request_/ { print pair, $2, $3, $4 }' >>rows
	done
	awk '{ rows++; held += $2 <= 0 && $3 >= 0; if ($4 == "yes") { sure++; pairs[$1] = 1 } }
		END { for (p in pairs) n++; printf "%d of 12 pairs with a row called sure, %d rows of %d; " \
			"%.1f %% of the intervals hold 0\n", n, sure, rows,
			rows ? 100 * held / rows : 0 }' rows
}

echo "A program with itself: requests of random kinds and lengths (of 24 pairs at most 1 may be wrong)"
for us in 2000 50000; do
	printf '  of %5s us on average: %s\n' $us "$(requests_like $us)"
done

# cpu COMMAND...: the processor time of it and of what it runs, in s
cpu()
{
	sh -c '"$@" >out 2>/dev/null; times' sh "$@" | awk 'NR == 2 {
		for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); s += t[1] * 60 + t[2] }
		printf "%.3f\n", s }'
}

# cost NAME COMMAND...: the same work under a recorder, beside that without one in between
cost()
{
	name=$1
	shift
	i=0
	: >costs
	while [ $i -lt "$RUNS" ]; do
		i=$((i + 1))
		bare=$(cpu ./work_O2 fixed 0 "$BURNS") && own_bare=$(cat out)
		under=$(cpu "$@" ./work_O2 fixed 0 "$BURNS") && own=$(tail -n 1 out)
		echo "$bare $under $own_bare $own" >>costs
	done
	awk -v name="$name" 'BEGIN { n = 0 } $1 && $3 { all[n] = $2 / $1; own[n++] = $4 / $3 }
		function median(v, n,  i, k, t) {
			for (i = 1; i < n; i++) for (k = i; k > 0 && v[k] < v[k - 1]; k--) {
				t = v[k]; v[k] = v[k - 1]; v[k - 1] = t }
			return v[int(n / 2)] }
		END { if (n) printf "  %-24s command x %.3f   all x %.3f\n", name,
			median(own, n), median(all, n) }' costs
}

echo "Cost of the same work, processor time (medians)"
cost "pnav record" "$PNAV" record -q -o c.data
cost "pnav record --call-graph fp" "$PNAV" record -q --call-graph fp -o c.data
cost "pnav record, ptrace" "$PNAV" record -q --sampler ptrace -o c.data
if command -v perf >/dev/null 2>&1; then
	cost "perf record dwarf" perf record -q -e task-clock -F 997 --call-graph dwarf -o p.data
	cost "perf record fp" perf record -q -e task-clock -F 997 --call-graph fp -o p.data
else
	echo "  perf is not installed"
fi
note "at the end"
