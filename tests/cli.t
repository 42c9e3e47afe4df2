#!/bin/sh
# The command line as pnav(1) promises it.  The numbers are those of the few
# stacks below, added up by hand.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

cd "$scratch" || exit 99
cat >a.folded <<'END'
main;parse;read 5
main;parse 2
main;draw;paint;blit 7
main;draw;paint;__memset 4
main;draw 1
idle_[k] 3
END

# what NAME STATUS ARGS...: runs pnav; stdout in out, stderr in err
what()
{
	name=$1 status=$2
	shift 2
	"$PNAV" "$@" >out 2>err </dev/null
	got=$?
	if [ "$got" -eq "$status" ]; then
		return 0
	fi
	echo "exit $got, not $status: pnav $*" | cat - err >why
	not_ok "$name" why
	return 1
}

# prints NAME ARGS...: exit 0, nothing on stderr, stdout as on stdin
prints()
{
	name=$1
	shift
	cat >expected
	what "$name" 0 "$@" || return
	if [ -s err ]; then
		not_ok "$name" err
	elif diff expected out >why; then
		ok "$name"
	else
		not_ok "$name" why
	fi
}

# warns NAME TEXT ARGS...: exit 0, one line on stderr with TEXT, stdout as on stdin
warns()
{
	name=$1 text=$2
	shift 2
	cat >expected
	what "$name" 0 "$@" || return
	if [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$text" err && diff expected out >why; then
		ok "$name"
	else
		cat err >>why
		not_ok "$name" why
	fi
}

# refuses NAME STATUS TEXT ARGS...: one line on stderr with TEXT, nothing on stdout
refuses()
{
	name=$1 status=$2 text=$3
	shift 3
	what "$name" "$status" "$@" || return
	cat err out >why
	if [ -s out ] || [ "$(wc -l <err)" -ne 1 ]; then
		not_ok "$name" why
	elif grep -q '^pnav: ' err && grep -qF -- "$text" err; then
		ok "$name"
	else
		not_ok "$name" why
	fi
}

report()
{
	name=$1
	shift
	prints "$name" report --format csv "$@" a.folded
}

report "functions" <<'END'
function,file,line,module,kind,calls,self,total
blit,,,,user,,7,7
read,,,,user,,5,5
__memset,,,,intrinsic,,4,4
idle_[k],,,,system,,3,3
parse,,,,user,,2,7
draw,,,,user,,1,12
main,,,,user,,0,19
paint,,,,user,,0,11
END
report "tree" --view tree <<'END'
depth,function,file,line,module,calls,self,total
0,main,,,,,0,19
1,draw,,,,,1,12
2,paint,,,,,0,11
3,blit,,,,,7,7
3,__memset,,,,,4,4
1,parse,,,,,2,7
2,read,,,,,5,5
0,idle_[k],,,,,3,3
END
report "callers of a leaf" --view callers --include-self blit <<'END'
depth,function,file,line,module,calls,self,total
0,blit,,,,,7,7
1,paint,,,,,0,7
2,draw,,,,,0,7
3,main,,,,,0,7
END
report "--limit" --limit 1 <<'END'
function,file,line,module,kind,calls,self,total
blit,,,,user,,7,7
END
report "--sort by a column, text first to last" --sort function --limit 2 <<'END'
function,file,line,module,kind,calls,self,total
__memset,,,,intrinsic,,4,4
blit,,,,user,,7,7
END
report "--sort turned round" --sort -total --limit 2 <<'END'
function,file,line,module,kind,calls,self,total
idle_[k],,,,system,,3,3
__memset,,,,intrinsic,,4,4
END
# Shares of 22: 7 is 31.8181...; User has no share for what is none (7 + 5 + 2 + 1 = 15).
report "--columns, in this order" --columns self,function,share,user --limit 3 <<'END'
self,function,share,user
7,blit,31.82,46.67
5,read,22.73,33.33
4,__memset,18.18,
END
report "--columns + adds to the usual ones" --view lines --columns +total%,module --limit 1 <<'END'
file,line,function,calls,self,total,total%,module
,,blit,,7,7,31.82,
END
report "--columns + keeps a usual one in its place" --view lines --columns +total,module,function \
	--limit 1 <<'END'
file,line,function,calls,self,total,module
,,blit,,7,7,
END
report "--columns of a tree" --view tree --columns outline,total --limit 3 <<'END'
outline,total
main,19
 draw,12
  paint,11
END
report "a column that nothing is compared in" --columns function,delta_self --limit 1 <<'END'
function,delta_self
blit,
END
prints "text: what is asked for stays, though it is empty" report --columns module,function \
	--limit 1 a.folded <<'END'
samples (samples): 22

module  function
        blit
END
# Calls of 1, 2, ... 200 ns, one after the other: 198 of 200 are 198 or less.
{
	printf '* HANDLE(Functions) %%HANDLE%%,%%NAME%%\n0,main\n1,f\n'
	printf '* TIMELINE %%HANDLE%%,%%EVENT%%,%%TIME%%\n0,E,0\n'
	awk 'BEGIN {
		for (i = t = 1; i <= 200; t += i++)
			printf "0,S,%d\n1,E,%d\n1,X,%d\n0,R,%d\n", t, t, t + i, t + i
		printf "0,X,%d\n", t + 1
	}'
} >calls.txt
prints "--columns: the longest call, and the percentile" report --format csv \
	--columns function,calls,call_max,call_p99 calls.txt <<'END'
function,calls,call_max,call_p99
f,200,200,198
main,1,20102,20102
END
# The 100th call ends at 5051, where the 101st begins.
prints "in a range, of calls that end in it" report --format csv --to 5052ns \
	--columns function,calls,call_max,call_p99 calls.txt <<'END'
function,calls,call_max,call_p99
f,101,100,99
main,1,,
END
# The i-th call of f begins at 1 + i (i - 1) / 2 and lasts i.
prints "--view slices: the longest first" report --view slices --format csv \
	--function '^f$' --over 198ns calls.txt <<'END'
start,duration,self,track,function,file,line,value,labels
19901,200,200,main,f,,,,
19702,199,199,main,f,,,,
END
prints "slices: --over takes those that are longer, not those that are as long" report \
	--view slices --format csv --columns duration --over 200ns calls.txt <<'END'
duration
20102
END
prints "slices: a range cuts" report --view slices --format csv --from 1ns --to 3ns \
	--columns +caller,cut calls.txt <<'END'
start,duration,self,track,function,file,line,value,labels,caller,cut
1,2,0,main,main,,,,,,both
1,1,1,main,f,,,,,main,
2,1,1,main,f,,,,,main,end
END
prints "slices: hidden calls are their caller's" report --view slices --format csv --hide f \
	--columns function,duration,self calls.txt <<'END'
function,duration,self
main,20102,20102
END
prints "slices: --sort and --limit" report --view slices --format csv --sort -start --limit 2 \
	--columns start,function calls.txt <<'END'
start,function
0,main
1,f
END
prints "slices: a module is what was entered, too" report --view slices --format csv --by module \
	--sort start --limit 1 calls.txt <<'END'
start,duration,self,track,function,file,line,value,labels
19901,200,200,main,,,,,
END
# Many rows, few of them wanted, and equal values at the limit: sort(1) knows the order.
awk 'BEGIN { for (i = 0; i < 400; i++) printf "f%03d %d\n", i * 77 % 400, i % 23 }' >ties.folded
sort -k2,2nr -k1,1 ties.folded | awk 'BEGIN { print "function,self" } { print $1 "," $2 }' >by-self
for n in 1 17 18 40 99; do
	head -n $((n + 1)) by-self >first-rows
	prints "--limit $n among equal values" report --format csv --columns function,self \
		--limit "$n" ties.folded <first-rows
done
# A sample a millisecond, parse and render in turn: half a second and two of them are alike.
awk 'BEGIN {
	for (i = 0; i < 4000; i++)
		printf "app 1 %.6f: 1000000 cpu-clock:\n\t%d %s (/bin/app)\n\n", 1 + i / 1000,
			1 + i % 2, i % 2 ? "render" : "parse"
}' >even.perf.txt
prints "ranges of unequal length are compared per second" report --format csv --from 1s --to 3s \
	--base-from 500ms --base-to 1s --columns function,self,base_self,delta_self even.perf.txt <<'END'
function,self,base_self,delta_self
parse,1000000000,1000000000,0
render,1000000000,1000000000,0
END
what "which the report says" 0 report --from 1s --to 3s --base-from 500ms --base-to 1s even.perf.txt
check "with how much longer it is" grep -q "per second: the base times 4, for the same duration" out
what "samples are no seconds" 0 report --to 30% --base-from 30% \
	"$top_srcdir/tests/golden/br-names"/input.*
check "the base is scaled to as many" grep -q "^the base times 0.2, for as many samples" out
what "two axes" 0 report --from 20% "$top_srcdir/tests/golden/br-names"/input.* even.perf.txt
check "no range is that of both" grep -q "counts samples and .* ns: a range of times means nothing" err
prints "counts of samples, too" report --format csv --from 1s --to 3s --metric samples \
	--base-from 500ms --base-to 1s --columns function,self,base_self,delta_self even.perf.txt <<'END'
function,self,base_self,delta_self
parse,1000,1000,0
render,1000,1000,0
END
# The warning about a module without symbols has made a fold already, and it has no base. Two
# seconds of 3.999 are compared for the same duration.
sed 's/parse/[unknown]/' even.perf.txt >unnamed.perf.txt
prints "the whole run beside its first half, with a module without symbols" report --format csv \
	--base-to 2s --columns function,self,base_self,delta_self unnamed.perf.txt <<'END'
function,self,base_self,delta_self
[unknown],2000000000,1999500000,500000
render,2000000000,1999500000,500000
END
# three samples in the first nanosecond, and hundreds of years: the scaled base is clipped
for time in 1.0 1.0 1.0 2.0 9000000000.0; do
	printf 'prog 1 %s00000: 1 cycles:u:\n\t10 work (prog)\n\n' $time
done >far.perf.txt
prints "a scaled base beyond 64 bits" report --format csv --base-to 1ns --from 1ns \
	--columns function,self,base_self,delta_self,delta_total far.perf.txt <<'END'
function,self,base_self,delta_self,delta_total
work,2,9223372036854775807,-9223372036854775805,-9223372036854775805
END
# Half of the cycles are in alpha; beta has the other half in the first second, and 400 of each 1,000
# samples afterwards.  One sample of rare in the first second, one in the two that follow.
awk 'BEGIN {
	for (i = 0; i < 3200; i++) {
		f = i % 2 ? "alpha" : i >= 1000 && i % 10 == 0 ? "gamma" : "beta"
		if (i == 102 || i == 1202)
			f = "rare"
		printf "app 1 %.6f: 1000 cycles:\n\t%s (/bin/app)\n\n", 1 + i / 1000,
			f == "alpha" ? "1 alpha" : f == "beta" ? "2 beta" : f == "gamma" ? "3 gamma" : "4 rare"
	}
}' >cycles.perf.txt
prints "cycles, too: what kept its share did not change" report --format csv --from 1s --to 3s \
	--base-from 0s --base-to 1s --columns function,self,base_self,delta_self,sure cycles.perf.txt <<'END'
function,self,base_self,delta_self,sure
gamma,200000,0,200000,yes
beta,799000,998000,-199000,yes
rare,1000,2000,-1000,no
alpha,1000000,1000000,0,no
END
# one sample of rare beside 0.5, since the base is twice as long: CSV has whole numbers, and the
# percentage of what was recorded
prints "half a sample is one in CSV, and grows by its percentage" report --format csv --from 0s --to 1s \
	--metric samples --base-from 1s --base-to 3s --columns function,self,base_self,change% \
	--include-self rare cycles.perf.txt <<'END'
function,self,base_self,change%
rare,1,1,+100.0%
END
prints "and is not new" report --format csv --from 1s --to 1500ms \
	--metric samples --base-from 0s --base-to 3s --columns function,self,base_self,change% \
	--include-self rare cycles.perf.txt <<'END'
function,self,base_self,change%
rare,1,0,+200.0%
END
prints "and is gone where it is gone" report --format csv --from 2s --to 2200ms \
	--metric samples --base-from 0s --base-to 2s --columns function,self,base_self,change% \
	--include-self rare cycles.perf.txt <<'END'
function,self,base_self,change%
rare,0,0,gone
END
# hqnplog-small, from 100 to 600 us: Band has calls of 150 and 50 us in it and one of 250 that
# began before, Flush one of 250, Screen two of 100 and 25; Page and Job none that is whole.
prints "an average in a range is of the calls that lie in it as a whole" report --format csv \
	--columns +average --from 100us --to 600us "$top_srcdir/tests/golden/hqnplog-small/input.plog" <<'END'
function,file,line,module,kind,calls,self,total,average
Band,,,,user,2,250000,350000,100000
Flush,,,,user,1,250000,250000,250000
Job,,,,user,1,140000,615000,
Screen,,,,user,2,125000,125000,62500
Page,,,,user,0,100000,400000,
END
cat >modules.perf.txt <<'END'
app 1 1.000000: 1000000 cpu-clock:
	4 memcpy (/lib/libc.so)
	3 c (/lib/libz.so)
	2 b (/lib/libz.so)
	1 main (/bin/app)

app 1 1.001000: 1000000 cpu-clock:
	5 back (/bin/app)
	3 c (/lib/libz.so)
	2 b (/lib/libz.so)
	1 main (/bin/app)

END
prints "by module consecutive frames of one are one" report --view tree --by module --format csv \
	--columns depth,function,self,total modules.perf.txt <<'END'
depth,function,self,total
0,/bin/app,0,2000000
1,/lib/libz.so,0,2000000
2,/bin/app,1000000,1000000
2,/lib/libc.so,1000000,1000000
END
prints "turned over, too" report --view callers --by module --format csv \
	--columns depth,function,self,total modules.perf.txt <<'END'
depth,function,self,total
0,/bin/app,1000000,1000000
1,/lib/libz.so,0,1000000
2,/bin/app,0,1000000
0,/lib/libc.so,1000000,1000000
1,/lib/libz.so,0,1000000
2,/bin/app,0,1000000
END
refuses "slices of a file without call boundaries" 2 "no begins and ends of calls" \
	report --view slices a.folded
refuses "--over without a unit" 2 "a time needs a unit" report --view slices --over 3 calls.txt
refuses "--over of something else" 2 "--over is for --view slices" report --over 3ms calls.txt
refuses "--function that does not compile" 2 "(" report --view slices --function '(' calls.txt
# The two files beside each other: what ran before the comparison is not among the calls.
sed 's/^1,X,20101$/1,X,20100/; s/^0,R,20101$/0,R,20100/' calls.txt >fewer.txt
prints "of a comparison, those of the new file" diff --view functions --format csv \
	--columns function,call_max --sort -call_max calls.txt fewer.txt <<'END'
function,call_max
f,199
main,20102
END
# Of 5000 calls of 1, 2, ... 5000 ns the 4950th, or 1.6 % beside it.
sed -n '1,/TIMELINE/p' calls.txt >many.txt
awk 'BEGIN {
	for (i = t = 1; i <= 5000; t += i++)
		printf "1,E,%d\n1,X,%d\n", t, t + i
}' >>many.txt
"$PNAV" report --format csv --columns call_max,call_p99 many.txt >out 2>&1
if awk -F, 'NR == 2 { exit !($1 == 5000 && $2 >= 4871 && $2 <= 5000) }' out; then
	ok "of more than 4096 calls the percentile is within 1.6 %"
else
	not_ok "of more than 4096 calls the percentile is within 1.6 %" out
fi
prints "and where functions are not told apart, of none" report --format csv --by module \
	--columns function,call_max --limit 1 calls.txt <<'END'
function,call_max
,
END
report "hide gives cost to the caller" --hide '^paint$' --hide blit --view tree \
	--root draw <<'END'
depth,function,file,line,module,calls,self,total
0,draw,,,,,8,12
1,__memset,,,,,4,4
END
report "show keeps matching frames alone" --show 'main|read' <<'END'
function,file,line,module,kind,calls,self,total
main,,,,user,,14,19
read,,,,user,,5,5
END
report "collapse names a run by its root-most frame" --collapse 'draw|paint|blit' \
	--include draw --view tree <<'END'
depth,function,file,line,module,calls,self,total
0,main,,,,,0,12
1,draw,,,,,8,12
2,__memset,,,,,4,4
END
report "entries apply in their order: hidden, then not found" --hide draw --exclude draw \
	--limit 1 --view tree <<'END'
depth,function,file,line,module,calls,self,total
0,main,,,,,1,19
END
report "the same two the other way round" --exclude draw --hide draw --limit 1 \
	--view tree <<'END'
depth,function,file,line,module,calls,self,total
0,main,,,,,0,7
END
report "negation and subject" --include '!kind:user' --exclude-self 'kind:=system' <<'END'
function,file,line,module,kind,calls,self,total
__memset,,,,intrinsic,,4,4
draw,,,,user,,0,4
main,,,,user,,0,4
paint,,,,user,,0,4
END
report "a whole name, literally" --include-self '=idle_[k]' <<'END'
function,file,line,module,kind,calls,self,total
idle_[k],,,,system,,3,3
END
printf '# noise\nhide paint\n\n~exclude main\nexclude-self =blit\n' >spec
report "a filter file; ~ switches off" --filter-file spec --limit 1 --sort total <<'END'
function,file,line,module,kind,calls,self,total
main,,,,user,,0,12
END

what "export folded" 0 export --format folded a.folded &&
	check "export folded" sh -c 'sort out >x; sort a.folded | diff - x'
what "export -o" 0 export --format folded -o again.folded a.folded &&
	check "export -o writes the same" sh -c \
		'"$PNAV" export --format folded a.folded | cmp - again.folded'

# profile(1)'s percentages: of 22, of the 7 + 5 shown, of the 15 of user functions
what "text report" 0 report --limit 2 a.folded &&
	check "Total, Disp, User" sh -c \
		'grep -Eq "^ *7 +7 +31\.82 +58\.33 +46\.67 +user +blit$" out &&
		 grep -Eq "^ *5 +5 +22\.73 +41\.67 +33\.33 +user +read$" out'
what "json" 0 report --format json --sort calls --limit 1 a.folded &&
	check "JSON says what its numbers are" sh -c \
		'grep -qF "\"command\": [\"report\", \"--format\", \"json\", \"--sort\", \"calls\", \"--limit\", \"1\", \"a.folded\"]" out &&
		 grep -qF "\"metric\": {\"name\": \"samples\", \"unit\": \"samples\", \"role\": \"value\"}, \"total\": " out &&
		 grep -qF "\"rows_shown\": 1, \"sorted_by\": \"calls\"" out && grep -q "\"warnings\": \[\]" out'
what "json without a command" 0 --format json a.folded &&
	check "its command begins with report" \
		grep -qF '"command": ["report", "--format=json", "--", "a.folded"]' out
what "json" 0 report --format json --limit 1 a.folded &&
	check "JSON has profile, columns, rows" sh -c \
		'grep -q "\"format\": \"folded\"" out && grep -q "\"columns\": \[\"function\"" out &&
		 grep -q "\[\"blit\", null, null, null, \"user\", null, 7, 7\]" out'

"$PNAV" report --format csv --limit 1 - <a.folded >out 2>err
check "a stream on stdin" sh -c 'sed -n 2p out | grep -q "^blit,"'
"$PNAV" report --format csv --limit 1 <a.folded >out 2>err
check "stdin without an operand" sh -c 'sed -n 2p out | grep -q "^blit,"'
"$PNAV" a.folded >out 2>err </dev/null
check "pnav FILE without a terminal is the report" sh -c \
	'"$PNAV" report a.folded | cmp - out'

for command in '' browse report export dump formats; do
	# shellcheck disable=SC2086 # an empty command is none
	what "$command --help" 0 $command --help &&
		check "pnav $command --help" sh -c 'grep -q "^usage: pnav" out && [ ! -s err ]'
done
what "--version" 0 --version && check "--version" grep -Eq '^pnav [0-9]' out
what "formats" 0 formats && check "formats" grep -Eq '^read +folded ' out

# The same list for programs.
printf 'a 1\n' >numbers.folded
cp out formats.text
what "formats --format json" 0 formats --format json &&
	for way in read write; do
		sed -n "/^  \"$way\": \[\$/,/^  \]/s/^    {\"name\": \"\([^\"]*\)\", \"title\": \"\(.*\)\"},*\$/\1 \2/p" out >listed
		sed -n "s/^$way  *\([^ ]*\)  */\1 /p" formats.text >wanted
		check "it has what the text has to $way" cmp listed wanted
	done
# what is refused for want of a library is not in the list
for name in gzip zstd xz lz4; do
	grep -q "^  \"compression\": \[.*\"$name\"" out && has=1 || has=0
	command -v "$name" >/dev/null 2>&1 || continue
	"$name" -c numbers.folded >"numbers.$name" 2>/dev/null || continue
	"$PNAV" report "numbers.$name" >/dev/null 2>&1 && reads=1 || reads=0
	check "compression: $name is there when it is read" [ $has = $reads ]
done
check "and the libraries that no build is without" \
	grep -q '^  "libraries": \["ncurses", "pcre2", "zlib", "xxhash"' out
refuses "formats takes two forms" 2 "--format takes text or json, not 'csv'" formats --format csv

# --input: no format is probed, and a refusal has the byte offset.
printf '7 5\n12 3\n' >numbers
refuses "numbers alone are no stacks" 1 "not a format that pnav reads" report numbers
prints "--input folded takes them" report --input folded --format csv numbers <<'END'
function,file,line,module,kind,calls,self,total
7,,,,user,,5,5
12,,,,user,,3,3
END
prints "--input: dump" dump --input folded numbers <<'END'
00000000 stack "7" 5
00000004 stack "12" 3
END
for format in $("$PNAV" formats | awk '$1 == "read" { print $2 }'); do
	printf 'what is\nthis?\n' >none
	what "--input $format of no such file" 1 report --input "$format" none &&
		check "--input $format reports the byte" sh -c '
			[ ! -s out ] && grep -Eq "^pnav: none: at byte [0-9]+: " err'
done
refuses "--input of an unknown format" 2 "no format 'fold' to read: choose from bsprof" \
	report --input fold a.folded
refuses "--input of an empty file" 1 "empty file" report --input folded /dev/null

# What folded stacks cannot carry is said once: names that end in a number, `;`.
cat >names.PRF <<'END'
Function name    Addr   Total   Disp   User

area 51            10   75.00  75.00  75.00
area 7             20   25.00  25.00  25.00

Statistics based on 4 hits
END
prints_with_warning()
{
	cat >expected
	what "$1" 0 export --format folded "$3" || return
	check "$1" sh -c 'diff expected out && [ "$(wc -l <err)" -eq 1 ]'
	check "$1: said" grep -qF "pnav: $3: warning: $2" err
}
prints_with_warning "every name ends in a number" "every stack ends in a number" \
	names.PRF <<'END'
area 51 3
area 7 1
END
sed 's/^area 7 /Ljava;x/' names.PRF >semicolon.PRF
prints_with_warning "a name with a semicolon" "\`;\` separates frames" semicolon.PRF <<'END'
Ljava:x 1
area 51 3
END

refuses "no such file" 1 "No such file" report missing.folded
refuses "no such map" 1 "missing.map: No such file" \
	report --map missing.map "$top_srcdir/tests/golden/prf-map/input.PRF"
refuses "no such program" 1 "missing: No such file" \
	report --binary missing "$top_srcdir/tests/golden/gmon-arcs/input.gmon"
refuses "another file as the program" 1 "a.folded: no program" \
	report --binary a.folded "$top_srcdir/tests/golden/gmon-arcs/input.gmon"
refuses "a directory" 1 "directory" report .
refuses "unknown option" 2 "--nonsense" report --nonsense a.folded
refuses "an option twice" 2 "--by is given twice" report --by line --by file a.folded
refuses "no value" 2 "--metric needs a value" report a.folded --metric
refuses "a value too many" 2 "--invert" report --invert=yes a.folded
refuses "two files" 2 "one FILE" dump a.folded a.folded
refuses "several that grow" 2 "only one FILE" browse --keys q --follow a.folded a.folded
refuses "growing without end, in a script" 2 "--follow needs a terminal" browse --keys q \
	--follow a.folded
refuses "dump takes no lens" 2 "unknown option --from" dump --from 1s a.folded
refuses "unknown view" 2 "'nope'" report --view nope a.folded
refuses "unknown format" 2 "'nope'" report --format nope a.folded
refuses "unknown column" 2 "no column 'nope'" report --sort nope a.folded
refuses "unknown column to print" 2 "no column 'nope': choose from self" report \
	--columns +nope a.folded
refuses "a list of no columns" 2 "not '+'" report --columns + a.folded
refuses "a column of another view" 2 "no column 'depth'" report --columns depth a.folded
refuses "export without a format" 2 "--format" export a.folded
refuses "export to nowhere" 1 "No such file" export --format folded -o no/where a.folded
refuses "unknown metric, and which there are" 2 "choose from samples" report --metric time a.folded
refuses "a range without time" 2 "no time" report --from 1s a.folded
refuses "no time at all" 2 "'soon'" report --from soon a.folded
refuses "a limit that is none" 2 "whole number" report --limit -1 a.folded
refuses "a bad pattern: itself, where, and PCRE2's words" 2 \
	"'ab(c': at 4: missing closing parenthesis" report --include 'ab(c' a.folded
printf 'hide x\nhidden y\n' >bad
refuses "a bad verb: file, line, column" 2 "bad:2:1: unknown verb 'hidden'" \
	report --filter-file bad a.folded
printf 'hide x\n  hide [a\n' >bad
refuses "a bad pattern in a file" 2 "bad:2:8:" report --filter-file bad a.folded

what "a filter that matches nothing is a warning" 0 report --exclude nobody a.folded &&
	check "warned" grep -q "^pnav: a.folded: warning: exclude 'nobody' matches nothing" err
"$PNAV" report a.folded >/dev/full 2>err
check "a full disk is reported" test "$?" -ne 0 -a -s err
# ---- two ranges, two tracks: five samples, at 0, 100, 200, 250 and 300 ms ----
sample()
{
	printf '%s: cycles:\n\t1000 %s+0x0 (/app)\n\t1100 main+0x0 (/app)\n\n' "$1" "$2"
}
{
	sample "t 1/1 1.000000" work
	sample "t 1/1 1.100000" work
	sample "t 1/1 1.200000" rest
	sample "u 1/2 1.250000" work
	sample "t 1/1 1.300000" work
} >phases.perf.txt
base_columns=base_self,base_total,delta_self,delta_total,change,low,high,sure
prints "--base-to: the range against another one" \
	report --format csv --from 200ms --base-from 100ms --base-to 200ms phases.perf.txt <<END
function,file,line,module,kind,calls,self,total,$base_columns
work,,,/app,user,,2,2,1,1,1,1,1,-4,6,no
rest,,,/app,user,,1,1,0,0,1,1,1,-3,6,no
main,,,/app,user,,0,3,0,1,0,2,0,,,–
END
prints "and its tree" \
	report --view tree --format csv --from 200ms --base-from 100ms --base-to 200ms \
	phases.perf.txt <<END
depth,function,file,line,module,calls,self,total,$base_columns
0,main,,,/app,,0,3,0,1,0,2,2,-3,8,no
1,work,,,/app,,2,2,1,1,1,1,1,-4,6,no
1,rest,,,/app,,1,1,0,0,1,1,1,-3,6,no
END
prints "--base-track: a thread against another one" \
	report --format csv --track ^t --base-track ^u phases.perf.txt <<END
function,file,line,module,kind,calls,self,total,$base_columns
work,,,/app,user,,3,3,1,1,2,2,2,-3,8,no
rest,,,/app,user,,1,1,0,0,1,1,1,-3,6,no
main,,,/app,user,,0,4,0,1,0,3,0,,,–
END
prints "without it the base has the tracks of the lens" \
	report --format csv --track ^u --from 200ms --base-from 100ms --base-to 200ms \
	phases.perf.txt <<END
function,file,line,module,kind,calls,self,total,$base_columns
work,,,/app,user,,1,1,0,0,1,1,1,-3,6,no
main,,,/app,user,,0,1,0,0,0,1,0,,,–
END
prints "or all that a pattern takes" \
	report --format csv --track ^u --from 200ms --base-from 100ms --base-to 200ms \
	--base-track ^ phases.perf.txt <<END
function,file,line,module,kind,calls,self,total,$base_columns
work,,,/app,user,,1,1,1,1,0,0,0,-5,5,no
main,,,/app,user,,0,1,0,1,0,0,0,,,–
END
refuses "two files have a base already" 2 "two files are already compared" \
	diff --format csv --base-to 1ms a.folded a.folded
refuses "a base range needs times" 2 "no time" report --base-to 1ms a.folded
refuses "a base range is a time" 2 "'x' is not a time" report --base-from x a.folded

# In text, times are as people read them; CSV has the integers.
cat >clock.perf.txt <<'END'
app 10/10 [000] 1.000000:    1500000 cpu-clock: 
	    1040 read+0x1 (/app)
	    1040 loop+0x1 (/app)

app 10/10 [000] 1.250000:    1000000 cpu-clock: 
	    1040 loop+0x1 (/app)

END
prints "tracks in text" report --view tracks clock.perf.txt <<'END'
track   kind    unit  start         end  events
app 10  thread  ns     0 ns  250.000 ms       2
END
prints "tracks in CSV" report --view tracks --format csv clock.perf.txt <<'END'
track,kind,unit,start,end,events
app 10,thread,ns,0,250000000,2
END
prints "lines in text" report --view lines clock.perf.txt <<'END'
cpu-clock (ns): 2.50 ms

function     self    total
read      1.50 ms  1.50 ms
loop      1.00 ms  2.50 ms
END
prints "the duration in text" report --view info --limit 4 clock.perf.txt <<'END'
key       value
format    perfscript
metrics   cpu-clock, samples
start     1000000000
duration  250.000 ms
END

# ---- as many as there are ----
# Event N has a period of N thousand and a function of its own: the numbers are its own.
awk 'BEGIN { for (i = 1; i <= 300; i++)
	printf "prog 100 [000] %d.000000: %d ev%d: \n\tffff00 f%d+0x0 (/bin/x)\n\n", i, i * 1000, i, i }' \
	>"$scratch/events.perfscript"
"$PNAV" report --format csv --metric ev63 "$scratch/events.perfscript" >"$scratch/ev63"
"$PNAV" report --format csv --metric ev300 "$scratch/events.perfscript" >"$scratch/ev300"
check "of 300 metrics the 63rd" grep -qx 'f63,,,/bin/x,user,,63000,63000' "$scratch/ev63"
check "... and no other's numbers" test "$(grep -cv ',0,0$' "$scratch/ev63")" = 2
check "... and the last" grep -qx 'f300,,,/bin/x,user,,300000,300000' "$scratch/ev300"
set --
while [ $# -lt 80 ]; do set -- "$@" --hide "=none$#"; done
"$PNAV" report "$@" "$scratch/events.perfscript" >/dev/null 2>"$scratch/err"
check "of 40 filters each that matches nothing is reported" \
	test "$(grep -c 'matches nothing' "$scratch/err")" = 40


# Rows of no fold are sorted by their words, too.
plog=$top_srcdir/tests/golden/hqnplog-small/input.plog
"$PNAV" report --view tracks --columns track --sort=-track "$plog" >"$scratch/turned"
{
	echo track
	"$PNAV" report --view tracks --columns track --sort track "$plog" | sed 1d | sort -r
} >"$scratch/sorted"
check "tracks are sorted by their names" cmp "$scratch/sorted" "$scratch/turned"

# In a pipe options are read as on a terminal: short, abbreviated, with their values.
shop=$top_srcdir/tests/screens/shop.folded
"$PNAV" browse --help >"$scratch/long" && "$PNAV" browse -h >"$scratch/short"
check "browse -h in a pipe is browse --help" cmp "$scratch/long" "$scratch/short"
refused()
{
	"$PNAV" "$@" "$shop" >"$scratch/out" 2>&1
	[ $? = 2 ] && [ "$(wc -l <"$scratch/out")" = 1 ] && grep -q '(see pnav browse --help)' "$scratch/out"
}
for words in "--theme nonsense" "--ascii --size 3x" "--search (" "--state nonsense"; do
	# shellcheck disable=SC2086
	check "in a pipe, too, $words is refused" refused $words
done
"$PNAV" browse --keys 3 --snapshot=text "$shop" >"$scratch/long"
"$PNAV" browse --ke 3 --snap=text "$shop" >"$scratch/short"
check "--snap and --ke are --snapshot and --keys" cmp "$scratch/long" "$scratch/short"
"$PNAV" report --include load "$shop" >"$scratch/long"
"$PNAV" "$shop" --colour-b module --source-d a=b --include load --asc >"$scratch/short"
check "abbreviated options of the browser are left out for the report" \
	cmp "$scratch/long" "$scratch/short"
cp "$shop" "$scratch/--keys"
(cd "$scratch" && "$PNAV" --include load -- --keys) >"$scratch/short"
check "and behind -- a file may be called like one" cmp "$scratch/long" "$scratch/short"

# Options may precede the command: each command's own, with the values that it takes.
wide=$top_srcdir/tests/screens/wide.folded
for words in "diff --theme dark --limit 3|--theme dark --limit 3 diff" \
	"report --view functions --limit 1|--view functions --limit 1 report" \
	"report --sort=-self --include-se load|--sort=-self --include-self load report" \
	"export --format folded|--format folded export" \
	"export --format folded --with-tracks|--with-tracks --format folded export" \
	"formats --format json|--format json formats" \
	"dump --input folded|--input folded dump" "symbols --symbols /|--symbols / symbols"; do
	set -- "$shop"
	case $words in formats*) set -- ;; diff*) set -- "$shop" "$wide" ;; esac
	# shellcheck disable=SC2086
	"$PNAV" ${words%|*} "$@" >"$scratch/behind" 2>&1
	echo $? >>"$scratch/behind"
	# shellcheck disable=SC2086
	"$PNAV" ${words#*|} "$@" >"$scratch/before" 2>&1
	echo $? >>"$scratch/before"
	check "pnav ${words#*|}" cmp "$scratch/behind" "$scratch/before"
done
"$PNAV" --limit 1 sql 'select count(*) from functions' "$shop" >"$scratch/before" 2>&1
check "pnav --limit 1 sql" grep -q '[0-9]' "$scratch/before"
"$PNAV" --theme dark --size 80x24 --snapshot diff "$shop" "$wide" >"$scratch/before" 2>&1
check "a comparison behind options is one" grep -q 'shop.folded → wide.folded' "$scratch/before"
"$PNAV" --theme dark report "$shop" >"$scratch/before" 2>&1
check "an option that the command does not have is its fault" \
	grep -q 'unknown option --theme (see pnav report --help)' "$scratch/before"
(cd "$scratch" && cp "$shop" report && "$PNAV" --keys 3 --snapshot report) >"$scratch/before" 2>&1
check "and a file may have a command's name" grep -q '\[3 functions\]' "$scratch/before"
rm "$scratch/report"

# A range that begins beyond the end is empty, and that is said; 100 % is the end.
sample=$top_srcdir/data/sample.perfscript.gz
"$PNAV" report --from 99s "$sample" >"$scratch/out" 2>"$scratch/err"
check "a range beyond the end is reported" \
	grep -q 'warning: the range begins at 99.000 s, beyond the end of the run at 5.000 s' "$scratch/err"
"$PNAV" report --from 100% "$sample" >"$scratch/out" 2>"$scratch/err"
check "100 % is the end, not beyond it" test ! -s "$scratch/err"
for view in calls slices states edges marks values threads; do
	"$PNAV" report --view $view --from 4s --to 2s "$sample" 2>err >out
	grep -q 'warning: the range is empty: 4.000 s is not before 2.000 s' err || echo $view
done >silent
check "an empty range is reported in each view" cmp -s silent /dev/null
"$PNAV" --from 100% --size 100x20 --snapshot "$sample" >"$scratch/out"
check "the browser shows its time" grep -q '5.000 s … 5.000 s (0 ns, 0.0 %)' "$scratch/out"
"$PNAV" --from 99s --size 100x20 --snapshot "$sample" >"$scratch/out"
check "and says beyond" grep -q '99.000 s is beyond the end of the run, 5.00' "$scratch/out"
# ---- messages ----
printf 'a;b 1\n' >good.folded
"$PNAV" report --track zzz good.folded >out 2>err
check "a track that matches nothing is said" grep -q "warning: track 'zzz' matches nothing" err
"$PNAV" report --track good good.folded >out 2>err
check "one that matches is not" test ! -s err
printf 'a;b 1\na;c 1\nodd\n' >odd.folded
"$PNAV" report missing.folded odd.folded >out 2>err
check "a warning names the file that is shown" grep -q '^pnav: odd.folded: warning: ' err

# ---- a file without costs of functions ----
echo '[{"ph":"C","ts":1,"pid":1,"name":"fps","args":{"fps":60}},
	{"ph":"C","ts":9,"pid":1,"name":"fps","args":{"fps":30}}]' >fps.json
warns "counters alone: their values" "this is --view values" report fps.json <<'END'
track      time  value
fps        0 ns     60
fps    8.000 µs     30
END
warns "for programs the columns stay" "--view values has the points" report --format csv fps.json <<'END'
function,file,line,module,kind,calls,self,total
END
prints "a view that was asked for says nothing" report --view functions fps.json <<'END'
time (ns): 0 ns

self  total  Total  Disp  User  kind  function
END
tap_done
