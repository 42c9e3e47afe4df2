#!/bin/sh
# Lines and inlined functions of samples in every kind of recording, against addr2line -i at the
# sampled addresses.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
"$PNAV" formats --format json | grep -q '"elfutils"' || skip_all "built without elfutils"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
for i in "$cc" addr2line; do
	command -v "$i" >/dev/null 2>&1 || skip_all "there is no $i"
done
cd "$scratch" || exit 99
cat >nested.c <<'EOF'
#include <time.h>
volatile unsigned long sum;
static inline __attribute__((always_inline)) void leaf(int n)
{
	for (int i = 0; i < n; i++)
		sum += i;
}
static inline __attribute__((always_inline)) void middle(int n)
{
	leaf(n);
	leaf(n / 2);
}
/* a function that calls another one has a frame pointer */
__attribute__((noinline)) void start(void)
{
	__asm__ volatile("");
}
__attribute__((noinline)) void outer(int n)
{
	start();
	middle(n);
	for (int i = 0; i < n; i++)
		sum ^= 3;
}
static inline __attribute__((always_inline)) void call(int n)
{
	outer(n);
}
__attribute__((noinline)) void top(int n)
{
	call(n);
	sum++;
}
int main(void)
{
	while (clock() < CLOCKS_PER_SEC / 5)
		top(10000);
	return 0;
}
EOF
"$cc" -O1 -g -fno-omit-frame-pointer -o nested nested.c >cc.log 2>&1 ||
	skip_all "nothing can be built"

# Samples by innermost function and line, as addr2line names the sampled addresses.
addr2line_says()
{
	"$PNAV" report --metric samples --by address --columns module,address,self --format csv \
		"$1" >rows 2>err
	awk -F, '$1 ~ /\/nested$/ && $3 > 0 { print $2, $3 }' rows >hits
	cut -d' ' -f1 hits | addr2line -f -e nested | sed 's/ (discriminator .*//; s/.*\///' |
		paste -d' ' - - | paste -d' ' hits - |
		awk '{ n[$3 " " $4] += $2 } END { for (i in n) print i, n[i] }' | sort
}

pnav_says()
{
	"$PNAV" report --metric samples --view lines --columns module,function,file,line,self \
		--format csv "$1" 2>err |
		awk -F, '$1 ~ /\/nested$/ && $5 > 0 { sub(/.*\//, "", $3); print $2, $3 ":" $4, $5 }' |
		sort
}

# same FILE: all lines, those of the inlined function among them
same()
{
	addr2line_says "$1" >told
	pnav_says "$1" >read
	diff told read && grep -q '^leaf nested.c:[56] [1-9]' read &&
		grep -q '^outer nested.c:2[12] [1-9]' read
}

# The callers of the inlined function, and the caller inlined around a call.
callers()
{
	"$PNAV" export --format folded "$1" >stacks 2>err
	grep "main;top;call;outer;middle;leaf [0-9]*$" stacks || ! cat stacks
}

# kind NAME COMMAND...: a recording in x.data
kind()
{
	what=$1
	shift
	if ! "$@" >record.log 2>&1 </dev/null; then
		skip "$what" "$(tail -n 1 record.log)"
		return
	fi
	check "$what: functions and lines" same x.data
	case $what in
	*'without callers') ;;
	*) check "... and callers" callers x.data ;;
	esac
}
kind "frame pointers" "$PNAV" record -q -g -F 1999 -o x.data ./nested
kind "copied stacks" "$PNAV" record -q -F 1999 -o x.data ./nested
kind "without callers" "$PNAV" record -q --call-graph no -F 1999 -o x.data ./nested
if command -v perf >/dev/null 2>&1; then
	kind "perf, frame pointers" perf record -q -N -g -e cpu-clock -F 1999 -o x.data ./nested
	kind "perf, without callers" perf record -q -N -e cpu-clock -F 1999 -o x.data ./nested
else
	skip "recordings by perf" "perf is not installed"
fi

# ---- debug information in files .dwo ----
# addr2line finds their lines, but not their inlined functions.
split()
{
	"$PNAV" record -q -g -F 1999 -o x.data ./nested >record.log 2>&1 </dev/null
	addr2line_says x.data >told
	pnav_says x.data >read
	grep -q '^leaf nested.c:[56] [1-9]' read || return
	cut -d' ' -f2- told | sort >told.lines
	cut -d' ' -f2- read | sort | diff told.lines - && callers x.data
}
if [ -s x.data ]; then
	for version in 4 5; do
		"$cc" -O1 -gdwarf-$version -gsplit-dwarf -fno-omit-frame-pointer -c nested.c \
			>cc.log 2>&1 && "$cc" -o nested nested.o >>cc.log 2>&1
		check "split DWARF $version: lines, and inlined functions" split
	done
else
	skip "split DWARF" "nothing can be recorded"
fi

# ---- programs of Go without symbols and DWARF ----
cat >burn.go <<'EOF'
package main

var sum int

//go:noinline
func add(n int) {
	for i := 0; i < n; i++ {
		sum += i
	}
}

//go:noinline
func mix(n int) {
	for i := 0; i < n; i++ {
		sum ^= i
	}
}

func main() {
	done := make(chan bool)
	for g := 0; g < 2; g++ {
		go func() {
			for i := 0; i < 1000; i++ {
				add(20000)
				mix(10000)
			}
			done <- true
		}()
	}
	<-done
	<-done
}
EOF
# The symbols of the whole program name the same addresses.
go_says()
{
	"$PNAV" report --metric samples --by address --columns module,address,self --format csv \
		bare.data >rows 2>err
	awk -F, '$1 ~ /\/bare$/ && $3 > 0 { print $2, $3 }' rows >hits
	cut -d' ' -f1 hits | go tool addr2line whole | paste -d' ' - - | sed 's/ .*\// /' |
		paste -d' ' hits - | awk '$4 ~ /burn[.]go/ { n[$3 " " $4] += $2 }
			END { for (i in n) print i, n[i] }' | sort >told
	"$PNAV" report --metric samples --view lines --columns function,file,line,self \
		--format csv bare.data 2>err |
		awk -F, '$2 ~ /burn[.]go$/ && $4 > 0 { sub(/.*\//, "", $2); print $1, $2 ":" $3, $4 }' |
		sort | diff told - && grep -q "^main.add burn.go:[78] " told
}
if command -v go >/dev/null 2>&1 &&
	GOCACHE=$scratch/cache GO111MODULE=off go build -o whole burn.go >go.log 2>&1 &&
	GOCACHE=$scratch/cache GO111MODULE=off go build -ldflags='-s -w' -o bare burn.go >>go.log 2>&1 &&
	"$PNAV" record -q -F 1999 -o bare.data ./bare >record.log 2>&1 </dev/null; then
	check "Go without symbols: functions and lines" go_says
	check "... and callers, up to the beginning of goroutines" eval '
		"$PNAV" export --format folded bare.data >stacks 2>err &&
		grep "^runtime.goexit;.*main.main.*;main.add [0-9]*$" stacks &&
		awk "{ n += \$NF; if (/^runtime.goexit;/) whole += \$NF }
			END { exit !(whole > 0.8 * n) }" stacks || { cat err; false; }'
else
	skip "Go without symbols" "go is not installed, or nothing can be recorded"
fi
tap_done
