#!/bin/sh
# The command of each answer shows the answer: each is run, and the numbers of the sentence are
# looked for in what it prints. The profiles have known numbers. In the browser, Enter on an answer
# goes to the same view.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

cd "$scratch" || exit 99
PNAV_MANUAL=$top_srcdir/man
export PNAV_MANUAL

# shown NAME FILE SENTENCE PRINTED...: the answer says SENTENCE, and its command prints the others
shown()
{
	name=$1 file=$2 sentence=$3
	shift 3
	for column in text command; do
		"$PNAV" report --view answers --columns answer,$column --format ndjson "$file" 2>err |
			sed -n "s/^{\"answer\": *\"$name\", *\"$column\": *\"\(.*\)\"}$/\1/p" | head -1 >$column
	done
	check "$name: says $sentence" grep -qe "$sentence" text
	eval "\"\$PNAV\" $(sed 's/^pnav//' command)" >printed 2>err
	for words; do
		check "$name: its command prints $words" grep -qe "$words" printed
	done
	[ ! -s err ] || sed 's/^/# /' err
}

# three workers, 300, 300 and 900 ms; nothing runs from 950 to 1,025 ms; at the end, one alone
awk 'BEGIN {
	print "["
	for (i = 0; i < 100; i++) {
		at = i * 10000 + (i >= 95) * 75000
		for (t = 1; t <= 3; t++)
			printf "{\"ph\":\"X\",\"name\":\"crunch\",\"ts\":%d,\"dur\":%d,\"pid\":1,\"tid\":%d},\n",
				at, t == 2 ? 9000 : 3000, t
	}
	print "{\"ph\":\"X\",\"name\":\"last\",\"ts\":1075000,\"dur\":25000,\"pid\":1,\"tid\":4}]"
}' >threads.json
shown imbalance threads.json 'thread 2 does 3.0 times .* 900 ms to 300 ms' \
	'900 ms, compared with 300 ms (+600 ms +200.0%)'
# alone: 100 times 6 ms, and 25 ms, of 1,100 ms: 56.8 %
shown serial threads.json 'one thread of 4 runs alone for 57 %' 'parallelism 1  *56.82 %'
# the 1 ms before each call is no stall
shown stalls threads.json '1 stall, the longest for 76.000 ms at 949.000 ms' \
	'range  *949.000 ms to 1.025 s, 76.000 ms' 'parallelism 0  *100.00 %'

# two threads do 3 ms of each 10 ms
awk 'BEGIN {
	print "["
	for (i = 0; i < 100; i++)
		for (t = 1; t <= 2; t++)
			printf "{\"ph\":\"X\",\"name\":\"%s\",\"ts\":%d,\"dur\":3000,\"pid\":1,\"tid\":%d},\n",
				i < 50 ? "load" : "save", i * 10000, t
	print "{\"ph\":\"C\",\"name\":\"q\",\"ts\":999000,\"pid\":1,\"args\":{\"v\":10}},"
	for (i = 0; i < 900; i++)
		printf "{\"ph\":\"C\",\"name\":\"q\",\"ts\":%d,\"pid\":1,\"args\":{\"v\":%d}}%s\n", i * 1000,
			i == 500 ? 1000000 : 10, i < 899 ? "," : "]"
}' >repeats.json
shown periodic repeats.json 'repeats every 10.0 ms' 'range  *0 ns to 10.0.. ms, 10.0.. ms'
shown spikes repeats.json 'q.v is 1,000,000 at 500.000 ms' 'q.v  *500.000 ms  *1000000$'
shown phases repeats.json 'changes at [45][0-9.]* ms from load to save' 'new .* save$' 'gone .* load$'

# walk calls itself 60 times; other functions have larger shares and more rows
awk 'BEGIN {
	for (i = 0; i < 50; i++)
		print "main;f" i ";g" i " 10"
	line = "main"
	for (i = 0; i < 60; i++)
		line = line (i % 2 ? ";visit;walk" : ";walk")
	print line " 5"
}' >deep.folded
shown recursion deep.folded 'walk calls itself up to 60 deep' '^ .*walk$'
check "... each time in a row" [ "$(grep -c 'walk$' printed)" = 60 ]

# 38 of 400 calls take 2 ms, one of them 50 ms, the others 100 us
awk 'BEGIN {
	print "["
	for (i = 0; i < 400; i++)
		printf "{\"ph\":\"X\",\"name\":\"parse (all)\",\"ts\":%d,\"dur\":%d,\"pid\":1,\"tid\":1},\n", i * 60000,
			i == 100 ? 50000 : i % 11 == 5 && i < 400 ? 2000 : 100
	for (i = 0; i < 20; i++)
		printf "{\"ph\":\"X\",\"name\":\"long\",\"ts\":%d,\"dur\":90000,\"pid\":1,\"tid\":2}%s\n", i * 100000,
			i < 19 ? "," : "]"
}' >calls.json
shown outliers calls.json '37 of 400 calls of parse (all) .* 50.000 ms at 6.000 s' \
	'^50.000 ms  *50.000 ms  *6.000 s .*parse (all)' '^ *2.000 ms  *2.000 ms'
check "... and no other function" eval '! grep -q long printed'

# 59 calls of f in a.js take 10 us and one 1 ms; those of b.js all take 5 ms
awk 'BEGIN {
	printf "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"shared\":{\"frames\":["
	printf "{\"name\":\"f\",\"file\":\"a.js\"},{\"name\":\"f\",\"file\":\"b.js\"}]},\"profiles\":["
	printf "{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"microseconds\",\"startValue\":0,\"endValue\":999999,\"events\":["
	for (i = 0; i < 60; i++)
		for (f = 0; f < 2; f++) {
			lasts = f ? 5000 : i == 30 ? 1000 : 10
			printf "%s{\"type\":\"O\",\"frame\":%d,\"at\":%d},", i + f ? "," : "", f, t
			printf "{\"type\":\"C\",\"frame\":%d,\"at\":%d}", f, t += lasts
		}
	print "]}]}"
}' >names.json
shown outliers names.json '1 of 60 calls of f .* 1.000 ms at 150.300 ms' '^1.000 ms .*150.300 ms .*a.js'
check "... and none of another function of that name" eval '! grep -q "b\.js" printed'
"$PNAV" report --view answers --hide parse --columns answer,text --format csv calls.json >csv
check "calls that are hidden are no outliers" grep -q '^outliers,no call lasts' csv

# the kernel itself 25 of 100 ms; the program that it calls back does not count
awk 'BEGIN {
	for (i = 0; i < 100; i++) {
		printf "prog 1 %d.%03d000: 1000000 cpu-clock:\n", i / 1000, i % 1000
		if (i % 4 == 0)
			print "\tffffffff81000010 do_read ([kernel.kallsyms])"
		else if (i % 4 == 1)
			print "\t2000 handler (prog)\n\tffffffff81000020 deliver ([kernel.kallsyms])"
		print "\t1000 work (prog)\n"
	}
}' >kernel.perfscript
shown system kernel.perfscript 'the system takes 25.0 %' '25.0 ms shown of 100 ms (25.0 %)'

# waits: by calls, by samples off the CPU, by states
cat >mutex.json <<'END'
[
{"ph":"X","name":"work","ts":0,"dur":1000,"pid":1,"tid":1},
{"ph":"X","name":"pthread_mutex_lock","ts":100,"dur":660,"pid":1,"tid":1},
{"ph":"X","name":"work","ts":0,"dur":1000,"pid":1,"tid":2},
{"ph":"X","name":"pthread_mutex_lock","ts":200,"dur":700,"pid":1,"tid":2},
{"ph":"X","name":"work","ts":0,"dur":1000,"pid":1,"tid":3},
{"ph":"X","name":"pthread_mutex_lock","ts":300,"dur":500,"pid":1,"tid":3}
]
END
shown waits mutex.json 'most in pthread_mutex_lock, 1.86 ms' '1.86 ms shown of 3.00 ms (62.0 %)'
shown convoy mutex.json 'the lock of work at once for 46.0 %.*at most 3, 3.00 ms in all' '(ns): 3.00 ms$'

trace=$top_srcdir/tests/golden/ftrace-states/input.txt
"$PNAV" report --view states --format csv "$trace" |
	awk -F, '($2 == "waiting" || $2 == "io") && $4 > most { most = $4; who = $1 }
		END { print who }' >who
shown waits "$trace" "$(cat who) waits longest" "^$(cat who) "
tally=$(sed 's/.* waits longest, //' text)
check "... with the same number" grep -q " $tally " printed

# ---- each command runs ----

# two cases of each format, all if PNAV_LONG is set
for dir in "$top_srcdir"/tests/golden/*/; do
	format=${dir#"$top_srcdir/tests/golden/"}
	[ "${format%%-*}" = "${was:-}" ] || n=0
	was=${format%%-*} n=$((n + 1))
	[ "${PNAV_LONG:-}" ] || [ $n -le 2 ] || continue
	golden_find "$dir"
	[ -z "$golden_file" ] || printf '%s\n' "$dir" "$golden_file"
done >inputs
python3 "$top_srcdir/tests/lib/answer_commands.py" "$PNAV" <inputs >ran 2>err ||
	echo "bad answer_commands.py ends with status 0" >>ran
outcomes <ran

# ---- the browser ----

# goes ANSWER FILE WORDS...: Enter on the answer whose sentence has that shows the words
goes()
{
	answer=$1 file=$2
	shift 2
	"$PNAV" --keys "F3 / '$answer' Enter" --size 110x34 --snapshot=text "$file" >screen 2>err
	for words; do
		check "browser, $answer: $words" grep -qF "$words" screen
	done
}
goes 'does 3.0 times' threads.json '[3 functions]' 'base the whole run =thread 3 was 300 ms' '+600 ms'
goes 'runs alone for' threads.json '[8 info]' '56.82 %'
goes 'nothing runs for' threads.json '[5 timeline]' '949.000 ms' '76.000 ms'
goes 'of 400 calls' calls.json '[7 calls]' '50.000 ms' 'parse (all)'
for by in module file line address; do
	"$PNAV" --by $by --keys "F3 / 'of 400 calls' Enter" --size 110x34 --snapshot=text calls.json >screen 2>err
	check "browser, by $by: the list is of that function" \
		eval 'grep -qF "50.000 ms" screen && grep -q "parse (all) . 400 calls" screen'
done
goes 'the system takes' kernel.perfscript '[3 functions]' 'kind:system' 'do_read'
# a question and the answer of its name are one row, above if it is notable
listed() # FILE WORDS...: the browser's list has the words, and each name once
{
	file=$1
	shift
	"$PNAV" --keys F3 --size 120x60 --snapshot=text "$file" >screen 2>err
	sed -n 's/.* \([a-z]*\) │$/\1/p' screen | sort | uniq -c | sort -n >names
	check "browser, $file: each name is listed once" \
		eval 'grep -q " trust$" names && ! grep -qv "^ *1 " names'
	for words; do
		check "browser, $file: $words" grep -qF "$words" screen
	done
}
listed kernel.perfscript '! work takes 50.0 % itself' 'or the system?  the system takes 25.0 %'
listed threads.json '!! crunch takes' 'Can I trust these numbers?  nothing speaks against'
goes 'up to 60 deep' deep.folded '[2 tree]' 'walk'
goes 'the work changes' repeats.json '[3 functions]' 'new'
# what a narrow row cuts off is below the list while the cursor is on it
"$PNAV" --keys "F3 / 'of 400 calls'" --size 70x20 --snapshot=text calls.json >screen 2>err
check "browser: the sentence of the row under the cursor is cut" grep -q '▸.*of 400 calls .*…' screen
check "... and its end is below" grep -q '^ *….* the longest 50.000 ms' screen
tap_done
