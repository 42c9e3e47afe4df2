#!/bin/sh
# The table of make bench: budgets, one line a format, and marks of what became worse since the last
# release.  All lines are made here, and so are the words that must follow from them.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

table=$top_srcdir/tests/bench/table.awk
cd "$scratch" || exit 99
cat >last.csv <<'END'
# measured by hand
figure,value,unit,budget,ratio,yardstick
bench: file size,100,MB,,,
bsprof: decode (processor time),80,MB/s,>=200,0.16,varints
bsprof: peak memory,1.20,of the file,,,
folded: decode (processor time),890,MB/s,>=1200,0.25,probe
br: decode (processor time),700,MB/s,>=600,0.50,copy
scroll: a line,200,bytes,<=250,,
start,4,ms,<=5,,
END
# bsprof reads 5.3 % less of its limit, folded 4.2 %; the machine is half as fast.
cat >lines <<'END'
bench: file size,100,MB,,,
bsprof: decode (processor time),40,MB/s,>=200,0.152,varints
bsprof: peak memory,1.27,of the file,,,
folded: decode (processor time),445,MB/s,>=1200,0.24,probe
br: decode (processor time),601,MB/s,>=600,0.60,copy
new: decode (processor time),10,MB/s,,0.01,copy
scroll: a line,220,bytes,<=250,,
start,8,ms,<=5,,
END

# shows NAME TEXT...: the table of the lines has each text as a line without its indent
shows()
{
	name=$1
	shift
	for text; do
		sed 's/^ *//' out | grep -qxF -- "$text" && continue
		{ echo "no line: $text" && cat out; } >why
		not_ok "$name" why
		return
	done
	ok "$name"
}

# lacks NAME TEXT: no line has it
lacks()
{
	if grep -F -- "$2" out >why; then
		not_ok "$1" why
	else
		ok "$1"
	fi
}

awk -v last=last.csv -f "$table" lines >out
shows "a line for each format" \
	"bsprof 40 MB/s, 0.15 of its limit, 5.0 × under budget, 5 % worse than the last release" \
	"folded 445 MB/s, 0.24 of its limit, 2.7 × under budget" \
	"br 601 MB/s, 0.60 of its limit, within budget" "new 10 MB/s, 0.01 of its limit"
shows "ratios, shares of the file and bytes are compared, times are not" \
	"3 of 5 figures are worse than in the last release by more than 5 %" \
	"bsprof: decode (processor time): 5 % worse" "bsprof: peak memory: 6 % worse" \
	"scroll: a line: 10 % worse"
shows "budgets" "3 of 5 budgets are missed" "start: 8 ms, <=5"
if [ "$(grep -c '% WORSE$' out)" -eq 3 ]; then
	ok "a mark at each line that is worse"
else
	not_ok "a mark at each line that is worse" out
fi
awk -v last=absent.csv -f "$table" lines >out
lacks "no comparison without figures of a release" worse
shows "the rest stays without them" "3 of 5 budgets are missed"
sed 's/^bench: file size,100/bench: file size,10/' lines >small
awk -v last=last.csv -f "$table" small >out
shows "files of another size are not compared" \
	"not compared: the files of the last release's figures had 100 MB"
lacks "nor marked" worse
awk -v last=last.csv -f "$table" last.csv >out
lacks "figures are not worse than themselves" WORSE
if awk -F, '!/^#/ && NF != 6 { exit 1 } /^[a-z0-9-]+: decode \(processor time\)/ { n++ }
	END { exit n < 10 }' "$top_srcdir/tests/bench/last.csv"; then
	ok "the figures of the last release can be read"
else
	not_ok "the figures of the last release can be read"
fi
tap_done
