#!/bin/sh
# Two files against each other, and several together.  The files are a few lines long; all
# numbers below were added up by hand.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
cat >old.folded <<'END'
main;parse;read 5
main;draw 10
main;gone 3
END
cat >new.folded <<'END'
main;parse;read 8
main;draw 4
main;fresh 2
END
# 1.5 of draw beside the 10 of old.folded: the metric has decimals in one file alone
cat >fractions.folded <<'END'
main;draw 1.5
main;fresh 2
END
# one sample of each of these stacks; the same function twice, at lines that differ
cat >old.perf.txt <<'END'
beat 7 1.000000: cycles:
	1000 work+0x10 (/opt/app)
	1100 main+0x0 (/opt/app)

beat 7 2.000000: cycles:
	1000 work+0x10 (/opt/app)
	1100 main+0x0 (/opt/app)

END
# another build: every address differs; `work` of another module is another function
cat >new.perf.txt <<'END'
beat 9 5.000000: cycles:
	2000 work+0x99 (/opt/app)
	2100 main+0x1 (/opt/app)

beat 9 8.000000: cycles:
	3000 work+0x10 (/opt/lib.so)
	2100 main+0x1 (/opt/app)

END

# prints NAME STATUS ARGS...: the status, and stdout as on stdin; stderr goes to err
prints()
{
	name=$1 status=$2
	shift 2
	cat >expected
	"$PNAV" "$@" >out 2>err </dev/null
	got=$?
	if [ $got -eq "$status" ] && diff -u expected out >why; then
		ok "$name"
	else
		{
			echo "exit $got, not $status"
			cat err
		} >>why
		not_ok "$name" why
	fi
}

# says NAME TEXT: the one line on stderr after prints
says()
{
	if [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$2" err; then
		ok "$1"
	else
		not_ok "$1" err
	fi
}

# ---- diff ----
# Folded stacks have no time, so it is unknown whether their samples depend on each other: most of
# these comparisons say that they do not.
prints "functions: the largest change first" 0 diff --assume-independent --format csv old.folded new.folded <<'END'
function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
draw,,,,user,,4,4,10,10,-6,-6,-6,-15,2,no
read,,,,user,,8,8,5,5,3,3,3,-5,11,no
gone,,,,user,,0,0,3,3,-3,-3,-3,-9,1,no
fresh,,,,user,,2,2,0,0,2,2,2,-2,7,no
main,,,,user,,0,14,0,18,0,-4,0,,,–
parse,,,,user,,0,8,0,5,0,3,0,,,–
END
prints "the other way round" 0 diff --assume-independent --format csv --limit 2 new.folded old.folded <<'END'
function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
draw,,,,user,,10,10,4,4,6,6,6,-2,15,no
read,,,,user,,5,5,8,8,-3,-3,-3,-11,5,no
END
prints "the tree: siblings by now and base together" 0 diff --assume-independent --format csv --view tree \
	old.folded new.folded <<'END'
depth,function,file,line,module,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
0,main,,,,,0,14,0,18,0,-4,-4,-16,8,no
1,draw,,,,,4,4,10,10,-6,-6,-6,-15,2,no
1,parse,,,,,0,8,0,5,0,3,3,-5,11,no
2,read,,,,,8,8,5,5,3,3,3,-5,11,no
1,gone,,,,,0,0,3,3,-3,-3,-3,-9,1,no
1,fresh,,,,,2,2,0,0,2,2,2,-2,7,no
END
prints "siblings by a column of the difference" 0 diff --assume-independent --format csv --view tree \
	--sort delta_total --limit 3 old.folded new.folded <<'END'
depth,function,file,line,module,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
0,main,,,,,0,14,0,18,0,-4,-4,-16,8,no
1,parse,,,,,0,8,0,5,0,3,3,-5,11,no
2,read,,,,,8,8,5,5,3,3,3,-5,11,no
END
prints "a filter takes both" 0 diff --assume-independent --format csv --include parse old.folded new.folded <<'END'
function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
read,,,,user,,8,8,5,5,3,3,3,-5,11,no
main,,,,user,,0,8,0,5,0,3,0,,,–
parse,,,,user,,0,8,0,5,0,3,0,,,–
END
prints "JSON, and what the files say" 0 diff --assume-independent --format json --limit 1 --include-self draw \
	--view lines old.folded new.folded <<'END'
{"profile": {
  "files": 2,
  "metrics": "samples",
  "events": 6,
  "functions": 6,
  "frames": 6,
  "stacks": 6,
  "tracks": 2,
  "file": ["old.folded", "new.folded"],
  "format": ["folded", "folded"],
  "complete": ["yes", "yes"]},
 "view": {
  "command": ["diff", "--assume-independent", "--format", "json", "--limit", "1", "--include-self", "draw", "--view", "lines", "old.folded", "new.folded"],
  "metric": {"name": "samples", "unit": "samples", "role": "value"}, "total": 14,
  "range": {"from": 0, "to": 0, "unit": "ns"},
  "rows_total": 2, "rows_shown": 1, "sorted_by": null,
  "base": {"total": 18}, "summary": "0 of 1 rows changed surely"},
 "warnings": [],
 "columns": ["file", "line", "function", "calls", "self", "total", "base_self", "base_total", "delta_self", "delta_total", "change", "low", "high", "sure"],
 "rows": [
  [null, null, "draw", null, 4, 4, 10, 10, -6, -6, -6, -15, 2, "no"]
 ]}
END
prints "people read changes, and the base of each percentage" 0 diff --assume-independent old.folded new.folded <<'END'
samples (samples): 14, compared with 18 (-4 -22.2%); % of each row's base
0 of 4 rows changed surely

self change   ±       %  sure  self  base  total change    ±       %  total  base  function
         -6  ±9  -60.0%  no       4    10            -6   ±9  -60.0%      4    10  draw
         +3  ±8  +60.0%  no       8     5            +3   ±8  +60.0%      8     5  read
         -3  ±6    gone  no       0     3            -3   ±6    gone      0     3  gone
         +2  ±5     new  no       2     0            +2   ±5     new      2     0  fresh
          0              –        0     0            -4  ±12  -22.2%     14    18  main
          0              –        0     0            +3   ±8  +60.0%      8     5  parse
END
prints "fractions in one file alone" 0 diff --assume-independent --format csv --limit 2 old.folded fractions.folded <<'END'
function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
draw,,,,user,,1.5,1.5,10,10,-8.5,-8.5,-8.5,-16.984109,-0.763074,no
read,,,,user,,0,0,5,5,-5,-5,-5,-11.668332,0.000868,no
END
prints "by module and name, never by address" 0 diff --metric samples --format csv \
	old.perf.txt new.perf.txt <<'END'
function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
work,,,/opt/app,user,,1,1,2,2,-1,-1,-1,-6,4,no
work,,,/opt/lib.so,user,,1,1,0,0,1,1,1,-3,6,no
main,,,/opt/app,user,,0,2,0,2,0,0,0,,,–
END
# Folded stacks know no modules: the name decides; both have the metric samples.
printf 'main;work 7\n' >bare.folded
prints "a module that one side does not know fits" 0 diff --assume-independent --format csv old.perf.txt bare.folded <<'END'
function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
work,,,/opt/app,user,,7,7,2,2,5,5,5,-2,13,no
main,,,/opt/app,user,,0,7,0,2,0,5,0,,,–
END
prints "nothing has changed" 0 diff --assume-independent --format csv --view callers new.folded new.folded --limit 1 <<'END'
depth,function,file,line,module,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
0,read,,,,,8,8,8,8,0,0,0,-9,9,no
END
: >expected
prints "without OLD there is nothing to compare" 1 diff nope new.folded </dev/null
says "and its name is said" "pnav: nope: No such file"
prints "without NEW neither" 1 diff old.folded nope </dev/null
says "and which" "pnav: nope: No such file"
prints "one file is wrong usage" 2 diff old.folded </dev/null
says "two are wanted" "OLD NEW"
prints "three are" 2 diff old.folded new.folded old.folded </dev/null

# ---- several files ----
prints "files are added up" 0 report --format csv old.folded new.folded fractions.folded <<'END'
function,file,line,module,kind,calls,self,total
draw,,,,user,,15.5,15.5
read,,,,user,,13,13
fresh,,,,user,,4,4
gone,,,,user,,3,3
main,,,,user,,0,35.5
parse,,,,user,,0,13
END
prints "fractions first" 0 report --format csv --limit 1 fractions.folded old.folded <<'END'
function,file,line,module,kind,calls,self,total
draw,,,,user,,11.5,11.5
END
prints "what one counts and the other carries is one metric" 0 report --format csv \
	--metric samples fractions.folded old.perf.txt new.folded <<'END'
function,file,line,module,kind,calls,self,total
read,,,,user,,8,8
draw,,,,user,,5.5,5.5
fresh,,,,user,,4,4
work,,,/opt/app,user,,2,2
main,,,,user,,0,17.5
main,,,/opt/app,user,,0,2
parse,,,,user,,0,8
END
prints "in either order" 0 report --format csv --metric samples --limit 2 \
	new.folded fractions.folded old.perf.txt <<'END'
function,file,line,module,kind,calls,self,total
read,,,,user,,8,8
draw,,,,user,,5.5,5.5
END
mkdir -p other
cp old.folded other/
prints "tracks say whose they are" 0 report --format csv --view tracks old.folded \
	other/old.folded old.perf.txt <<'END'
track,kind,unit,start,end,events
old.folded,thread,,,,3
other/old.folded,thread,,,,3
old.perf.txt: beat 7,thread,ns,0,1000000000,2
END
prints "so a pattern takes a file" 0 report --format csv --track other/ --limit 1 \
	old.folded other/old.folded <<'END'
function,file,line,module,kind,calls,self,total
draw,,,,user,,10,10
END
prints "times count from each file's first event" 0 report --format csv --metric samples \
	--from 0.5s --limit 1 old.perf.txt new.perf.txt <<'END'
function,file,line,module,kind,calls,self,total
work,,,/opt/app,user,,1,1
END
prints "the first of them is the sum of the second events" 0 report --format csv \
	--metric samples --to 0.5s old.perf.txt new.perf.txt --limit 1 <<'END'
function,file,line,module,kind,calls,self,total
work,,,/opt/app,user,,2,2
END
prints "info lists every file" 0 report --format csv --view info old.folded old.perf.txt <<'END'
key,value
files,2
metrics,"samples, cycles"
events,5
functions,7
frames,7
stacks,7
tracks,2
file,old.folded
format,folded
complete,yes
file,old.perf.txt
format,perfscript
start,1000000000
duration,1000000000
axis,ns
complete,yes
computed,wall
parallelism,1.00
parallelism 0,0.00 %
parallelism 1,100.00 %
END
prints "one that cannot be read: the others are shown" 3 report --format csv --limit 1 \
	old.folded nope new.folded <<'END'
function,file,line,module,kind,calls,self,total
draw,,,,user,,14,14
END
says "and it is named" "pnav: nope: No such file"
printf 'one\ntwo\nthree\n' >text
prints "one that is no profile" 3 report --format csv --limit 1 old.folded text <<'END'
function,file,line,module,kind,calls,self,total
draw,,,,user,,10,10
END
says "is named, too" "pnav: text: "
prints "none can be read" 1 report nope text </dev/null
printf 'main;a 5\nmain;b 9223372036854775808\nmain;c 3\n' >huge.folded
prints "a damaged file among several" 3 report --format csv --limit 3 huge.folded new.folded <<'END'
function,file,line,module,kind,calls,self,total
read,,,,user,,8,8
a,,,,user,,5,5
draw,,,,user,,4,4
END
says "is named with the offset" "pnav: huge.folded: at byte 9: "
printf 'a 9223372036854775000\n' >large.folded
prints "sums over files are checked" 3 report --format csv large.folded large.folded <<'END'
function,file,line,module,kind,calls,self,total
a,,,,user,,9223372036854775000,9223372036854775000
END
says "and the second says it" "pnav: large.folded: at byte 0: the sum"
prints "export merges" 0 export --format folded old.folded new.folded <<'END'
main;parse;read 13
main;draw 14
main;gone 3
main;fresh 2
END
prints "two counts a line stay a comparison when alone" 0 report --assume-independent --format csv \
	"$top_srcdir/tests/golden/folded-before-after/input.folded" --limit 1 <<'END'
function,file,line,module,kind,calls,self,total,base_self,base_total,delta_self,delta_total,change,low,high,sure
b,,,,user,,4,4,1,1,3,3,3,-2,9,no
END

# ---- calls and labels ----
# Two calls of 300 us, and two of 600 us; beside the first of these w runs for 100 us.
x() { printf '{"ph":"X","pid":1,"tid":%s,"name":"%s","ts":%s,"dur":%s}' "$@"; }
printf '[%s,%s]' "$(x 1 req 0 300)" "$(x 1 req 1000 300)" >old.calls.json
printf '[%s,%s,%s]' "$(x 1 req 0 600)" "$(x 1 req 1000 600)" "$(x 2 w 100 100)" >new.calls.json
prints "labels: the new side beside the old one" 0 diff --view labels --format csv \
	old.calls.json new.calls.json <<'END'
key,value,events,self,base_self,delta_self,change%
parallelism,1,2,1100000,600000,500000,+83.3%
parallelism,2,1,200000,0,200000,new
END
# from 1 to 1.6 ms, where the run ends, there is one call: 1.67 in as long as 1 ms
prints "of a range, too" 0 report --view labels --format csv --to 1ms --base-from 1ms --base-to 2ms \
	--metric calls new.calls.json <<'END'
key,value,events,self,base_self,delta_self,change%
parallelism,1,1,1,2,-1,-40.0%
parallelism,2,1,1,0,1,new
END
# three times the same file: averages, and shares of these
three='old.calls.json old.calls.json old.calls.json'
prints "labels of several files are averages" 0 diff --view labels --format csv \
	--old $three --new $three <<'END'
key,value,events,self,base_self,delta_self,change%
parallelism,1,2,600000,600000,0,
END
printf '[{"ph":"X","pid":1,"tid":1,"name":"a","ts":0,"dur":600,"args":{"kind":"x"}},%s]' "$(x 1 b 600 200)" \
	>kinds.json
three='kinds.json kinds.json kinds.json'
for keys in "L" "3 / 'a' Enter n" "3 / 'a' Enter n K"; do
	"$PNAV" diff --keys "$keys" --size 120x40 --snapshot --old $three --new $three >out 2>err
	case $keys in
	L) grep -q 'kind .* 75.0 %' out ;;
	*) grep -q 'label *kind=x  100.0 %' out ;;
	esac && ok "shares of several files: $keys" || not_ok "shares of several files: $keys" out
done
for side in "new 600" "old 300"; do
	"$PNAV" diff --keys "3 / 'req' Enter n 7$([ "${side% *}" = old ] && echo ' Right')" --size 100x24 --snapshot \
		old.calls.json new.calls.json >out 2>err
	if grep -q "req · 2 calls · ${side% *}" out &&
		grep -q "> *gross  *2 .*${side#* }.000 µs ${side#* }.000 µs ${side#* }.000 µs" out; then
		ok "calls: those of the ${side% *} side"
	else
		not_ok "calls: those of the ${side% *} side" out
	fi
done
# the same of two threads of one file
printf '[%s,%s,%s,%s]' "$(x 1 req 0 600)" "$(x 1 req 1000 600)" "$(x 2 req 0 300)" "$(x 2 req 1000 300)" \
	>two.calls.json
for side in "new 600" "old 300"; do
	"$PNAV" --track 1 --base-track 2 --keys "3 / 'req' Enter n 7$([ "${side% *}" = old ] && echo ' Right')" \
		--size 100x24 --snapshot two.calls.json >out 2>err
	if grep -q "req · 2 calls · ${side% *}" out &&
		grep -q "> *gross  *2 .*${side#* }.000 µs ${side#* }.000 µs ${side#* }.000 µs" out; then
		ok "calls: those of the ${side% *} tracks"
	else
		not_ok "calls: those of the ${side% *} tracks" out
	fi
done

# ---- is it real? ----
# 50 and 100 samples, of which exact limits know: z is 50 / sqrt(150), p 0.00004; steady by chance
printf 'main;grew 50\nmain;steady 400\n' >r-old.folded
printf 'main;grew 100\nmain;steady 410\n' >r-new.folded
prints "what grew is sure, the rest may be chance" 0 diff --assume-independent --format csv \
	--columns function,change,low,high,sure r-old.folded r-new.folded <<'END'
function,change,low,high,sure
grew,50,26,74,yes
steady,10,-46,66,no
main,0,,,–
END
prints "the line that sums it up" 0 diff --assume-independent --format text --limit 1 --columns function,sure \
	r-old.folded r-new.folded <<'END'
samples (samples): 510, compared with 450 (+60 +13.3%); % of each row's base
1 of 2 rows changed surely; grew most: grew +50 +100.0%

function  sure
grew      yes
END
# of 450 to 510: 400 would be 453 and 50 would be 57
prints "shares" 0 diff --assume-independent --normalize --format csv --columns function,self,base_self,change,sure \
	r-old.folded r-new.folded <<'END'
function,self,base_self,change,sure
steady,410,453,-43,yes
grew,100,57,43,yes
main,0,0,0,–
END
# 10,004 samples as 1,006: 3 of rare would be 0.30, 1 of rare2 0.10, which is not nothing
printf 'main;a 10000\nmain;rare 3\nmain;rare2 1\n' >n-old.folded
printf 'main;a 1000\nmain;rare 1\nmain;b 5\n' >n-new.folded
prints "a base of less than a sample is no new function" 0 diff --normalize --format csv \
	--columns function,self,base_self,change% n-old.folded n-new.folded <<'END'
function,self,base_self,change%
a,1000,1006,-0.6%
b,5,0,new
rare,1,0,+231.5%
rare2,0,0,gone
main,0,0,
END
prints "so only what was not there is over new>" 4 diff --normalize --unsure --fail-if 'new>0.01%' --format csv \
	--columns function --limit 1 n-old.folded n-new.folded <<'END'
function
a
END
says "and named" "pnav: over new>0.01%: b: total +5, from 0 to 5"
# 240 and 30 of 410 beside 120 and 30 of 250: times 1.64 they are 196.8 and 49.2
printf 'f 120\nsame 30\nrest 100\n' >n-120.folded
printf 'f 240\nsame 30\nrest 140\n' >n-240.folded
prints "percentages of what is not rounded" 0 diff --normalize --format csv \
	--columns function,self,base_self,change% n-120.folded n-240.folded <<'END'
function,self,base_self,change%
f,240,197,+22.0%
rest,140,164,-14.6%
same,30,49,-39.0%
END
# three files a side: one sample in one of them is a third of one in the average
for i in 1 2 3; do
	printf 'main;f 90\n' >avg-old$i.folded
	printf 'main;f 90\n' >avg-new$i.folded
done
printf 'main;rare 1\n' >>avg-old2.folded
printf 'main;rare 1\nmain;rare 1\nmain;fresh 1\n' >>avg-new3.folded
prints "and of an average of several files" 0 diff --format csv --columns function,self,base_self,change% \
	--old avg-old1.folded avg-old2.folded avg-old3.folded \
	--new avg-new1.folded avg-new2.folded avg-new3.folded <<'END'
function,self,base_self,change%
rare,1,0,+100.0%
fresh,0,0,new
f,90,90,
main,0,0,
END
"$PNAV" diff --keys "2 / 'grew' Enter n" --size 150x40 --snapshot r-old.folded r-new.folded >out 2>err
grep -q '^ self  *100  *19.6 %, was 50  ' out && grep -q '^ of parent 19.6 %, was 11.1 %' out &&
	ok "the detail pane has both sides" || not_ok "the detail pane has both sides" out
# two files a side: 2.5 of spread become 3, 1 of rare in two becomes half of one
for i in 1 2; do
	printf 'main;f 90\nmain;spread %d\nmain;rare %d\n' $((i + 1)) $((i - 1)) >half-old$i.folded
	printf 'main;f 90\nmain;spread 3\nmain;rare 1\n' >half-new$i.folded
done
sides='--old half-old1.folded half-old2.folded --new half-new1.folded half-new2.folded'
prints "a change is the difference of the numbers beside it" 0 diff --format text \
	--columns self,base,change,change%,function $sides <<'END'
samples (samples): 94, compared with 93 (+1 +1.1%); % of each row's base
0 of 3 rows changed surely

self  base_self  change  change%  function
   3        2.5    +0.5   +20.0%  spread
   1        0.5    +0.5  +100.0%  rare
  90         90       0           f
   0          0       0           main
END
prints "and what a limit is compared with" 4 diff --unsure --fail-if 'self>0.4' --format csv \
	--columns function --limit 0 $sides <<'END'
function
END
grep -o 'pnav: over self>0.4: spread: self +0.5 (.*), from 2.5 to 3' err >out &&
	grep -q '(-[0-9.]* to +[0-9.]*)' out && ok "as the gate says" || not_ok "as the gate says" err
prints "a change that is equal to the limit is not over it" 0 diff --unsure --fail-if 'self>0.5' \
	--format csv --columns function --limit 0 $sides <<'END'
function
END
# one sample of 100,000 would be 0.001 of 100
printf 'main;f 99999\nmain;rare 1\n' >tiny-old.folded
printf 'main;f 100\n' >tiny-new.folded
prints "hardly anything is less than 0.01" 0 diff --normalize --format text --include-self rare \
	--columns self,base,change,change%,function tiny-old.folded tiny-new.folded <<'END'
samples (samples): 0 shown of 100 (0.0 %), compared with <0.01 (gone); % of each row's base
normalized: the base scaled to the same total; samples without time cannot show chance

self  base_self  change  change%  function
   0          0       0           main
   0      <0.01       0     gone  rare
END
printf 'main;f 1000000000000\nmain;rare 1\n' >least-old.folded
printf 'main;f 50\nmain;rare 50\n' >least-new.folded
prints "and has no percentage" 0 diff --normalize --format text --include-self rare \
	--columns self,base,change,change%,function --limit 1 least-old.folded least-new.folded <<'END'
samples (samples): 50 shown of 100 (50.0 %), compared with <0.01 (+50 >+999999%); % of each row's base
normalized: the base scaled to the same total; samples without time cannot show chance

self  base_self  change    change%  function
  50      <0.01     +50  >+999999%  rare
END
# The interval of a few samples is not symmetric: 1.6 to 14.4 ms of 7.
few() { awk -v n="$1" 'BEGIN { for (i = 0; i < 3000; i++)
	printf "p 1/1 %.3f: 1000000 cpu-clock:\n\t1 %s (/bin/p)\n\n", i / 1000, i % 400 == 7 && n ? "h" : i % 2 ? "f" : "g" }'; }
few 0 >few-old.perf && few 1 >few-new.perf
"$PNAV" diff --format csv --columns function,self,margin,sure few-old.perf few-new.perf 2>err | grep '^h' >got
check "the bar of a sure change does not reach 0" eval '
	IFS=, read -r _ self margin sure <got && [ "$sure" = yes ] && [ "$self" -gt 0 ] && [ "$margin" -lt "$self" ]'
# Three files a side: means 10 and 20, deviations 1, so the standard error is 0.8165 with four
# degrees of freedom, whose t is 2.776: 8 to 12.  But 60 samples and 30 vary by more than that:
# the error of a third of their difference is sqrt(90) / 3, times 1.96 is 6.2.
for i in 9 10 11; do
	printf 'main;f %d\n' $i >s-old$i.folded
	printf 'main;f %d\n' $((i + 10)) >s-new$i.folded
done
prints "several files a side: the average, and what runs differ by" 0 diff --format csv \
	--columns function,self,base_self,change,low,high,sure \
	--old s-old*.folded --new s-new*.folded <<'END'
function,self,base_self,change,low,high,sure
f,20,10,10,4,16,yes
main,0,0,0,,,–
END
# Two files a side that agree by chance: 15 and 15, 16 and 16.
for i in 1 2; do
	printf 'main;other 10000\nmain;f 15\n' >t-old$i.folded
	printf 'main;other 10000\nmain;f 16\n' >t-new$i.folded
done
prints "counts that agree by chance prove nothing" 0 diff --format csv \
	--columns function,change,sure --old t-old*.folded --new t-new*.folded <<'END'
function,change,sure
f,1,no
other,0,no
main,0,–
END
prints "samples without time do not tell chance from change" 0 diff --format text --limit 1 \
	--columns function,delta_self,low,high,sure r-old.folded r-new.folded <<'END'
samples (samples): 510, compared with 450 (+60 +13.3%); % of each row's base
samples without time cannot show chance

function  delta_self  low  high  sure
grew             +50             –
END
prints "one file against several says nothing" 0 diff --format csv --columns function,change,sure \
	--old s-old9.folded --new s-new*.folded <<'END'
function,change,sure
f,11,–
main,0,–
END
prints "a side without files is refused" 2 diff --old s-old*.folded </dev/null
prints "and files beside the sides" 2 diff --old s-old9.folded --new s-new9.folded -- new.folded </dev/null
# 12.22 of 20 samples are the least that exact limits allow; there are no more than 20
for i in $(seq 0 19); do
	printf 'app 7 1.%06d: 1000000 cpu-clock:\n\t10 f+0x0 (/app)\n\n' $((i * 1000))
done >all.perf.txt
prints "an error bar reaches the farther limit" 0 report --format text --columns self,low,high,margin \
	all.perf.txt <<'END'
cpu-clock (ns): 20.0 ms

   self      low     high    margin
20.0 ms  12.2 ms  20.0 ms  ±7.78 ms
END
for gate in 'total>10%' 'self>49' 'whole>1,new>5%,total>40'; do
	"$PNAV" diff --assume-independent --format csv --fail-if "$gate" r-old.folded r-new.folded >out 2>err
	[ $? -eq 4 ] && ok "--fail-if $gate" || not_ok "--fail-if $gate" err
done
grep -qx 'pnav: over total>40: grew: total +50 (+26 to +74), from 50 to 100' err &&
	ok "a line a row" || not_ok "a line a row" err
for gate in 'total>20%' 'self>50' 'whole>20%' 'new>0'; do
	prints "not over $gate" 0 diff --assume-independent --format csv --limit 0 --columns function --fail-if "$gate" \
		r-old.folded r-new.folded <<'END'
function
END
done
prints "what may be chance is no failure" 0 diff --format csv --limit 0 --columns function \
	--fail-if 'self>1' new.folded old.folded <<'END'
function
END
{ cat old.folded; printf 'cut;in a l'; } >cut.folded
"$PNAV" diff --format csv --unsure --fail-if 'self>1' new.folded cut.folded >out 2>err
[ $? -eq 4 ] && grep -q 'the last line is truncated' err && grep -q '^pnav: .*self>1' err &&
	ok "the gate holds for the readable part of a damaged file" ||
	not_ok "the gate holds for the readable part of a damaged file" err
"$PNAV" diff --format csv --unsure --fail-if 'self>1' new.folded old.folded >out 2>err
[ $? -eq 4 ] && ok "but with --unsure" || not_ok "but with --unsure" err
prints "samples without time fail no gate" 0 diff --format csv --limit 0 --columns function \
	--fail-if 'self>1' r-old.folded r-new.folded <<'END'
function
END
says "and the gate says why" "--fail-if: warning: samples without time cannot show chance"
prints "one recording a side" 0 diff --assume-independent --format csv --limit 0 --columns function \
	--fail-if 'self>50' r-old.folded r-new.folded <<'END'
function
END
says "says what its interval lacks" "changes from run to run are not in the interval"
prints "a time is no limit of samples" 2 diff --fail-if 'total>5ms' r-old.folded r-new.folded </dev/null
prints "tracks have no changes" 2 diff --view tracks --fail-if 'total>5' r-old.folded r-new.folded \
	</dev/null
prints "a gate that is none" 2 diff --fail-if 'most>1' r-old.folded r-new.folded </dev/null
# Averages of three files a side are fractions: rows follow the displayed numbers, not the rounded.
printf 'm;a 2\nm;b 2\nm;c 1\nm;z 50\n' >t1.folded
printf 'm;a 1\nm;z 50\n' >t2.folded
cp t2.folded t3.folded
printf 'm;a 3\nm;b 2\nm;c 1\nm;z 50\n' >u1.folded
printf 'm;a 1\nm;b 1\nm;c 1\nm;z 50\n' >u2.folded
printf 'm;a 1\nm;b 1\nm;z 50\n' >u3.folded
ordered()
{
	prints "$1" 0 diff --format csv --columns function "$2" \
		--old t1.folded t2.folded t3.folded --new u1.folded u2.folded u3.folded
}
ordered "sorted by displayed changes: +0.63, +0.4, +0.34, 0" --sort=change <<'END'
function
b
a
c
z
m
END
ordered "... in rising order" --sort=-change <<'END'
function
z
m
c
a
b
END
ordered "sorted by displayed bases: 50, 1.3, 0.67, 0.33" --sort=base <<'END'
function
z
a
b
c
m
END

# ---- a side that recorded nothing: all of the other one is gone, or new ----
printf '%s%s\n' '{"$schema":"https://www.speedscope.app/file-format-schema.json",' \
	'"shared":{"frames":[]},"profiles":[]}' >nothing.json
printf 'f 10\ng 30\n' >full.folded
prints "a new side without events: all is gone" 0 diff --format csv \
	--columns function,self,base_self,delta_self --unsure --fail-if 'whole>1%,new>1%' \
	full.folded nothing.json <<'END'
function,self,base_self,delta_self
g,0,30,-30
f,0,10,-10
END
prints "an old side without events: all is new" 4 diff --format csv \
	--columns function,self,base_self,delta_self --unsure --fail-if 'whole>1' \
	nothing.json full.folded <<'END'
function,self,base_self,delta_self
g,30,0,30
f,10,0,10
END
grep -qF 'the whole: total +40, from 0 to 40' err && ok "... says the gate" ||
	not_ok "... says the gate" err
# ---- other ways to the rows of a comparison: the largest change is first, too ----
printf 'main;f 100\nmain;g 300\n' >d1.folded
printf 'main;f 150\nmain;h 5\n' >d2.folded
printf 'g\nf\nh\nmain\n' >want
export_sides()
{
	"$PNAV" "$@" --old d1.folded --new d2.folded 2>err | sed '1d; s/,.*//' >got
	cmp want got
}
check "export --format csv" export_sides export --format csv
check "sql" export_sides sql --format csv 'SELECT function FROM report_functions'
check "a packed comparison" eval '
	"$PNAV" export --format pnav -o d.pnav --old d1.folded --new d2.folded &&
	"$PNAV" report --format csv --columns function d.pnav 2>err | sed 1d | cmp want -'
tap_done
