#!/bin/sh
# Names of C++ and Rust as compilers mangle them: golden cases with such a name in place of one of
# theirs have the same rows, with what c++filt makes of it; and with --no-demangle unchanged.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
"$PNAV" formats --format json | grep -q '"libiberty"' || skip_all "built without libiberty"
command -v c++filt >/dev/null 2>&1 || skip_all "there is no c++filt"
command -v python3 >/dev/null 2>&1 || skip_all "python3 makes the inputs"

lib=$(cd "$top_srcdir/tests/lib" && pwd)
golden=$(cd "$top_srcdir/tests/golden" && pwd)

# renamed ENCODER|- CASE NAME NEW SHOWN [ARGUMENTS...]: the rows with NEW in the file
renamed()
{
	encoded=$1 case=$2 name=$3 new=$4 shown=$5
	shift 5
	[ "$encoded" = - ] || encoded=$lib/encode_$encoded.py
	out=$scratch/$case
	python3 "$lib/long_names.py" "$encoded" "$golden" "$case" "$name" "$scratch" \
		"$new" "$shown" >"$scratch/made" 2>&1 || {
		not_ok "$case: $new is $shown" "$scratch/made"
		return
	}
	input=$(cd "$out" && if [ -f input ]; then cat input; else ls -d input.*; fi)
	(
		cd "$out" || exit
		"$PNAV" report --format csv --view functions "$@" "$input" 2>err |
			LC_ALL=C sort >got
		cmp -s expected got
	)
	check "$case: $new is $shown" [ $? = 0 ] || diff "$out/expected" "$out/got" | sed 's/^/# /'
	rm -rf "$out"
}

cpp=_ZN5tally3addEi rust=_RNvNtCs1234_7tallies4work4step
old=_ZN7tallies4step17h0123456789abcdefE
[ "$(printf '%s\n' $cpp $rust $old | c++filt -p -i | tr '\n' ' ')" = \
	"tally::add tallies::work::step tallies::step " ] || skip_all "c++filt is another one"
while read -r encoder case name arguments; do
	# shellcheck disable=SC2086 # they are words
	{
		renamed "$encoder" "$case" "$name" $cpp tally::add $arguments
		renamed "$encoder" "$case" "$name" $rust tallies::work::step $arguments
		renamed "$encoder" "$case" "$name" $old tallies::step $arguments
		renamed "$encoder" "$case" "$name" $cpp $cpp --no-demangle $arguments
	}
done <<'END'
- callgrind-arcs draw
- dhat-heap malloc
- firefox-processed main
- heaptrack-old parse
- instruments-bytes parse
- macsample-threads memmove
- massif-peak again
perfetto perfetto-events parse
- perfscript-chains main
pprof pprof-threads inner
simpleperf simpleperf-offcpu read
- speedscope-profiles-first main --input speedscope
- stacks-bpftrace finish_task_switch
- tracycsv-zones Draw
uftrace uftrace-calls main
END
# in languages whose names are theirs, nothing is demangled
renamed - xdebug-calls load $cpp $cpp
renamed pstats pstats-arcs draw $cpp $cpp
renamed - rprof-lines order $cpp $cpp

cd "$scratch" || exit 99
# shown NAME: what pnav makes of it in folded stacks
shown()
{
	printf 'main;%s 1\n' "$1" >one.folded
	timeout 20 "$PNAV" report --format csv one.folded | sed -n '2s/,,,,[a-z]*,,1,1$//p' | tr -d '"'
}
# as c++filt has them; -_ where macOS puts another _ before all names
for name in _ZN3foo3barEv _ZNSo5flushEv _Z3fooi.isra.0 _ZN3foo3barEv.cold _ZTV3foo _Zebra _R _Z \
	_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE _RNvCsiJ7_7mycrate4main.llvm.12 \
	_RINvNtC3std3mem8align_ofdE ___ZN3foo3barEv_block_invoke; do
	check "$name" [ "$(shown $name)" = "$(c++filt -p -i $name)" ]
done
for name in __ZN3foo3barEv __RNvCs1234_7mycrate3foo; do
	check "$name" [ "$(shown $name)" = "$(c++filt -_ -p -i $name)" ]
done
check "of the PLT" [ "$(shown _ZN3foo3barEv@plt)" = foo::bar@plt ]
check "a name with more behind it is none" [ "$(shown '_ZN3foo3barEv(x)')" = '_ZN3foo3barEv(x)' ]
check "its kind is that of what is shown" \
	eval 'printf "__ZN3foo3barEv 1\n" >one.folded
	"$PNAV" report --format csv one.folded | grep -q "^foo::bar,.*,user,"'

# Each argument is the one before twice: forty of them would print 2^40 names.
python3 - >bomb <<'END'
digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
back = lambda n: "S" + (digits[(n - 1) // 36] if n > 36 else "") + digits[(n - 1) % 36] + "_"
print("_Z1fI1A1PIS0_S0_E" + "".join(
    "S1_I" + back(n) * 2 + "E" for n in range(3, 43)) + "Evv", end="")
END
check "a name that would be endless stays" [ "$(shown "$(cat bomb)")" = "$(cat bomb)" ]

# labels are left alone
printf '{"traceEvents":[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"%s","args":{"symbol":"%s"}}]}' \
	$cpp $cpp >label.json
"$PNAV" report --format csv --view labels label.json >out 2>err
check "a label stays as it is" grep -q "$cpp" out
check "a slice does not" eval '"$PNAV" report --format csv label.json | grep -q tally::add'
tap_done
