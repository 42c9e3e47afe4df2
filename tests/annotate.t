#!/bin/sh
# Hits of instructions, as `perf annotate --stdio` counts them: all instructions of all functions
# of a program, in recordings of three kinds.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
"$PNAV" formats --format json | grep -q '"elfutils"' || skip_all "built without elfutils"
"$PNAV" formats --format json | grep -q '"capstone"' || skip_all "built without capstone"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
for i in "$cc" perf objdump; do
	command -v "$i" >/dev/null 2>&1 || skip_all "there is no $i"
done
cd "$scratch" || exit 99
cat >turns.c <<'EOF'
#include <time.h>
volatile unsigned sink;
__attribute__((noinline)) void turns_random(unsigned n)
{
	unsigned s = 0;
	for (unsigned i = 0; i < n; i++) {
		s = s * 1664525u + 1013904223u;
		if (s & 64)
			s ^= i;
	}
	sink = s;
}
__attribute__((noinline)) void turns_shift(unsigned n)
{
	unsigned s = 1;
	for (unsigned i = 0; i < n; i++) {
		s ^= s << 13;
		s ^= s >> 17;
		s ^= s << 5;
	}
	sink = s;
}
__attribute__((noinline)) void turns_divide(unsigned n)
{
	double d = 1;
	for (unsigned i = 1; i <= n; i++)
		d += 1.0 / (d + i);
	sink = (unsigned)d;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 8) {
		turns_random(40000);
		turns_shift(30000);
		turns_divide(20000);
	}
	return 0;
}
EOF

# Of each instruction that was hit, its function, address and number of hits.
perf_says()
{
	perf annotate --stdio -n -d "$1" -i "$2" 2>/dev/null |
		awk '{ for (i = 1; i < NF; i++)
				if ($(i + 1) ~ /^<.*>:$/) { f = $(i + 1); gsub(/[<>:]/, "", f) } }
			$1 ~ /^[1-9][0-9]*$/ && $2 == ":" && f ~ /^turns_/ {
				sub(/:$/, "", $3); print f, "0x" $3, $1 }' | sort
}

pnav_says()
{
	"$PNAV" report --view instructions --metric samples --format csv \
		--columns function,address,self "$1" 2>/dev/null |
		tr , ' ' | awk '$1 ~ /^turns_/ && $3 > 0' | sort
}

# same NAME PROGRAM FILE
same()
{
	perf_says "$2" "$3" >told
	pnav_says "$3" >read
	if [ "$(wc -l <told)" -ge 3 ] && diff told read >differ; then
		ok "$1"
	else
		not_ok "$1" differ
	fi
}

"$cc" -O2 -g -o turns turns.c >cc.log 2>&1 || skip_all "nothing can be built"
"$PNAV" record -q -o dwarf.data ./turns >record.log 2>&1 || skip_all "$(tail -n 1 record.log)"
same "every instruction has the hits that perf counts" turns dwarf.data
# main is on every stack; whether it was hit itself or not, there is all of it
objdump -d --no-show-raw-insn turns |
	awk '/<main>:$/ { f = 1; next } /^$/ { f = 0 } f && !/nop/ { sub(/:$/, "", $1); print "0x" $1 }' >told
"$PNAV" report --view instructions --function '^main$' --format csv --columns address,instruction \
	dwarf.data 2>/dev/null | sed -n '/nop/d; s/^\(0x[0-9a-f]*\),.*/\1/p' >read
check "a function that was not hit itself has its instructions, too" diff told read
if "$cc" -O1 -static -no-pie -fno-omit-frame-pointer -fuse-ld=lld -o fixed turns.c >cc.log 2>&1
then
	"$PNAV" record -q --call-graph fp -o fixed.data ./fixed >record.log 2>&1
	same "... of a program that lld has linked, without debug information" fixed fixed.data
else
	skip "a program that lld has linked" "lld links no static program here"
fi
if perf record -q -N -e cpu-clock -F 900 -o perf.data ./turns >record.log 2>&1; then
	same "... in a recording by perf" turns perf.data
else
	skip "a recording by perf" "$(tail -n 1 record.log)"
fi
tap_done
