#!/bin/sh
# Call graphs of programs that recurse: total, self and calls of every function are those that the
# profiler's own reader prints, and no function is a root of the tree that has callers.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "there is no python3"
top_srcdir=$(cd "$top_srcdir" && pwd)
cd "$scratch" || exit 99
seeds="1 2 3 4 5 6 7 8"
[ -z "${PNAV_LONG:-}" ] || seeds="$seeds 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30"

# made FORMAT: the profiles of all seeds, each in a folder of its own
made()
{
	# shellcheck disable=SC2086
	python3 "$top_srcdir/tests/lib/recursion.py" "$1" $seeds 2>err || {
		not_ok "$1: profiles to look at" err
		tap_done
		exit 1
	}
}

# each FORMAT CHECK: all seeds, one line for what differs
each()
{
	: >differs
	for seed in $seeds; do
		(cd "$seed" && "$2" "in.$1" >differ 2>&1) || sed "s/^/seed $seed: /" "$seed/differ" >>differs
	done
	[ -s differs ] && not_ok "$1: $3" differs || ok "$1: $3"
}

# columns FILE COLUMNS: a report's rows with blanks between, the function last
columns()
{
	"$PNAV" report --format csv --columns "$2" "$1" 2>err |
		sed -e 1d -e 's/,/ /' -e 's/,/ /' -e 's/,/ /' -e 's/"//g' | sort
}

numbers()
{
	columns "$1" calls,self,total,function >ours
	sort truth | diff - ours
}

roots()
{
	"$PNAV" report --view tree --format csv --columns depth,function "$1" 2>err |
		sed -n -e 's/"//g' -e 's/^0,//p' | sort >ours
	sort roots | diff - ours
}

# callgrind_annotate: `Ir (share%)  file:function`
annotated()
{
	callgrind_annotate --inclusive=yes --threshold=100 --auto=no "$1" 2>err |
		sed -n 's/^ *\([0-9,]*\) ([^)]*)  *[^ :]*:\(f[0-9]*\|main\)$/\1 \2/p' |
		tr -d , | sort >theirs
	columns "$1" total,function | grep -v '^0 ' >ours
	[ -s theirs ] && grep -v '^0 ' theirs | diff - ours
}

selves()
{
	columns "$1" calls,self,function >ours
	sort truth | diff - ours
}

# main() took as long as all functions together, those below zero included
whole()
{
	columns "$1" self,function |
		awk '{ sum += $1 } END { printf "%.0f\n", sum }' | diff whole -
}

made pstats
each pstats numbers "calls, self and total are those of Python's pstats"
each pstats roots "roots are the functions that nobody calls"
made callgrind
each callgrind selves "calls and self are those of the run"
each callgrind roots "main is the only root"
if command -v callgrind_annotate >/dev/null 2>&1; then
	each callgrind annotated "total is the inclusive cost of callgrind_annotate"
else
	skip "callgrind: total" "there is no callgrind_annotate"
fi
made xhprof
each xhprof numbers "total is the sum over all callers, self that less what is called"
each xhprof whole "all functions together are main()"
each xhprof roots "main() is the only root"

# gprof: the line of each function itself, `[N] share self children called name <cycle N> [N]`
cat >rec.c <<'C'
static volatile long sink;
void burn(int n) { for (long i = 0; i < n * 1000L; i++) sink += i; }
void leaf(void) { burn(30); }
int odd(int n);
int even(int n) { burn(20); leaf(); return n ? odd(n - 1) : 1; }
int odd(int n) { burn(10); return n ? even(n - 1) : 0; }
int fib(int n) { burn(8); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { int r = 0; for (int i = 0; i < 12; i++) r += even(60) + odd(41) + fib(12); return r < 0; }
C
if command -v gprof >/dev/null 2>&1 && cc -pg -O0 -no-pie rec.c -o rec 2>err && ./rec; then
	gprof -b -q rec gmon.out 2>err | awk '/^\[/ && !/as a whole/ {
		name = $5 ~ /^[0-9+]+$/ ? $6 : $5
		printf "%.2f %.2f %s\n", $3, $3 + $4, name }' | sort -k3 >theirs
	"$PNAV" report --format csv --binary rec --columns self,total,function gmon.out 2>err |
		awk -F, 'NR > 1 { printf "%.4f %.4f %s\n", $1 / 1e9, $2 / 1e9, $3 }' |
		sort -k3 >ours
	# both round parts of a hit of 10 ms: 5 ms to either side a function, and gprof's decimals
	join -1 3 -2 3 theirs ours | awk '{
		if ($4 - $2 > .0151 || $2 - $4 > .0151 || $5 - $3 > .0251 || $3 - $5 > .0251) print
		n++ } END { if (n < 6) print "only " n " functions" }' >differ
	[ -s differ ] && not_ok "gprof: self and children" differ || ok "gprof: self and children"
	"$PNAV" report --view tree --format csv --binary rec --columns depth,function gmon.out 2>err |
		sed -n 's/^0,//p' >ours
	echo main | diff - ours >differ && ok "gprof: main is the only root" ||
		not_ok "gprof: main is the only root" differ
else
	skip "gprof: self and children" "no gprof, or no compiler with -pg"
	skip "gprof: main is the only root" "no gprof, or no compiler with -pg"
fi

# what narrows the view has no total of the file: it is the stacks' then
cp 3/in.pstats .
columns in.pstats total,function >whole
"$PNAV" report --include fn:work --view info in.pstats >info 2>&1
grep -q 'estimated from a call graph' info && ok "info says that stacks are estimates" ||
	not_ok "info says that stacks are estimates" info
"$PNAV" report --view tree in.pstats | head -1 | grep -q 'estimated from a call graph$' &&
	ok "so does the first line of the tree" || not_ok "so does the first line of the tree"
"$PNAV" export --format callgrind -o out.callgrind in.pstats 2>err
grep -q 'estimated from a call graph' out.callgrind &&
	grep -q 'estimated from a call graph' err &&
	ok "and what is exported" || not_ok "and what is exported" err
# read again it has no totals of the file: the warning counts those that are others then
for format in callgrind pprof folded; do
	"$PNAV" export --format $format -o "out.$format" in.pstats 2>lost
	columns in.pstats total,function | sort >stated
	columns "out.$format" total,function | sort >again
	n=$(comm -23 stated again | grep -c .)
	grep -q "graph: totals of $n functions differ from those of the file, most that of " lost &&
		ok "$format: with how many totals differ" || not_ok "$format: with how many totals differ" lost
done
"$PNAV" diff --format csv --columns base_total,total,function in.pstats in.pstats 2>err |
	awk -F, 'NR > 1 && $1 != $2' >differ
columns in.pstats total,function >ours
"$PNAV" diff --format csv --columns total,function in.pstats in.pstats 2>err |
	sed -e 1d -e 's/,/ /' -e 's/"//g' | sort | diff ours - >>differ
[ -s differ ] && not_ok "a comparison has the same totals" differ ||
	ok "a comparison has the same totals"
"$PNAV" sql --format csv "SELECT total, function FROM report_functions" in.pstats 2>err |
	sed -e 1d -e 's/,/ /' -e 's/"//g' | sort | diff ours - >differ &&
	ok "so have queries" || not_ok "so have queries" differ
tap_done
