#!/bin/sh
# Packed profiles: what pnav prints and writes of them is what it prints and writes of the file, byte
# for byte.  Each input takes some of the comparisons; PACK_EACH=0 makes all of them.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/golden.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"
cd "$scratch" || exit 99
golden=$top_srcdir/tests/golden
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

# two cases of each format, all if PNAV_LONG is set
for dir in "$golden"/*/; do
	format=${dir#"$golden/"}
	[ "${format%%-*}" = "${was:-}" ] || n=0
	was=${format%%-*} n=$((n + 1))
	[ "${PNAV_LONG:-}" ] || [ $n -le 2 ] || continue
	golden_find "$dir"
	[ "$golden_file" ] && echo "$dir$golden_file"
done >inputs
# shellcheck disable=SC2046 # names without blanks
python3 "$top_srcdir/tests/lib/pack_same.py" "$PNAV" "${PACK_EACH:-1}" $(cat inputs) >same 2>err ||
	echo "bad pack_same.py ends with status 0" >>same
outcomes <same

# Beside other files a packed profile is one file, as the one that was packed.
mkdir files packed
cp "$golden/chrome-object/input.json" files/run
cp "$golden/folded-names/input.folded" files/other
for name in run other; do
	"$PNAV" pack -o "packed/$name" "files/$name" 2>err || not_ok "$name is packed" err
done
# beside VIEW WORD...
beside()
{
	(cd files && "$PNAV" "$@") >plain 2>err
	(cd packed && "$PNAV" "$@") >read 2>>err
	cmp plain read
}
for view in functions tree tracks; do
	check "two packed files: $view" beside report --format csv --view "$view" run other
done
check "a comparison of packed files" beside diff --format csv run other
check "two files in one are those two" eval '
	(cd files && "$PNAV" pack -o ../both.pnav run other && "$PNAV" report --format csv run other) \
		>plain && "$PNAV" report --format csv both.pnav >read && cmp plain read'

# A lens over several files: each file keeps its own metrics.  counts.folded has a number of samples
# for each stack, timed.txt counts its samples, and in slices.json samples are no metric at all.
printf 'main;f 100\nmain;g 300\n' >counts.folded
printf 'a 1/1 [000] %s: %d cpu-clock: \n\t%s (/bin/a)\n\n' 1.0 1000 '400000 f+0x10' \
	2.0 1000 '400000 f+0x10' 3.5 2000 '400010 g+0x10' >timed.txt
printf '[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"main"}]' >slices.json
printf '{"traceEvents":[]}' >nothing.json
# shows WORD... LAST: the self of each function that the report prints is on stdin, sorted
shows()
{
	sort >want
	"$PNAV" report --format csv --columns function,self "$@" 2>err | sed 1d | sort >read
	cmp want read
}
excerpt()
{
	runs 0 "$PNAV" export --format pnav -o part.pnav "$@"
}
for files in "counts.folded timed.txt" "timed.txt counts.folded"; do
	# shellcheck disable=SC2086 # two names
	check "an excerpt of $files: samples" eval '
		excerpt --metric samples --hide main $files &&
		printf "g,300\nf,100\nf,2\ng,1\n" | shows part.pnav'
	check "an excerpt of $files: times" eval '
		excerpt --metric cpu-clock --hide main $files &&
		printf "g,0\nf,0\nf,2000\ng,2000\n" | shows part.pnav'
done
check "steps are no samples of another file" eval 'excerpt --metric samples --hide none timed.txt slices.json &&
	printf "f,2\ng,1\nmain,0\n" | shows part.pnav'
# main;f is counted for main where f is hidden, also in the second file
check "a sum of a hidden frame is kept in each file" eval '
	excerpt --hide f counts.folded counts.folded && printf "g,600\nmain,200\n" | shows part.pnav'

# A comparison keeps its base, and the functions that the loader took for the same in both files, whatever
# order their stacks have.
pb()
{
	cat <<END
{"\$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[$1]},
"profiles":[{"type":"sampled","name":"m","unit":"none","startValue":0,"endValue":$4,
"samples":$2,"weights":$3}]}
END
}
pb '{"name":"work","line":9},{"name":"work","file":"q.c","line":9}' '[[1],[0]]' '[3,5]' 8 >work-old.json
pb '{"name":"work","file":"q.c","line":9},{"name":"work","line":9}' '[[1],[0]]' '[7,11]' 18 >work-new.json
# compared OLD NEW
compared()
{
	"$PNAV" diff --format csv "$@" 2>err | sort >want
	runs 0 "$PNAV" export --format pnav -o part.pnav --include . --old "$1" --new "$2" &&
		"$PNAV" report --format csv part.pnav 2>err | sort >read && grep -q base_self read && cmp want read
}
for files in "counts.folded timed.txt" "timed.txt timed.txt" "counts.folded slices.json" \
	"work-old.json work-new.json" "counts.folded nothing.json"; do
	# shellcheck disable=SC2086 # two names
	check "an excerpt of a comparison: $files" compared $files
done

# Without names: what is not a name stays.
check "anonymous" eval 'runs 0 "$PNAV" pack --anonymize=salt -o secret.pnav "$golden/chrome-object/input.json" &&
	runs 0 "$PNAV" report --format csv --columns self,total secret.pnav && sort out >read &&
	runs 0 "$PNAV" report --format csv --columns self,total "$golden/chrome-object/input.json" &&
	sort out | cmp - read'
"$PNAV" report --format csv --columns function,file,module "$golden/chrome-object/input.json" 2>err |
	sed 1d | tr , "\n" | grep -v "^(\|^\[\|^$" >names
"$PNAV" report --format csv --view tracks "$golden/chrome-object/input.json" 2>err |
	sed 1d | cut -d, -f1 >>names
check "anonymous: there are names to hide" test "$(wc -l <names)" -gt 3
check "anonymous: none of them is left" eval '
	"$PNAV" report --format csv --view tree secret.pnav >all 2>err
	"$PNAV" report --format csv --view info secret.pnav >>all 2>>err
	"$PNAV" report --format csv --view tracks secret.pnav >>all 2>>err
	! grep -wFf names all'
check "the same secret gives the same names" eval '
	"$PNAV" pack --anonymize=salt -o again.pnav "$golden/chrome-object/input.json" 2>err &&
		cmp secret.pnav again.pnav &&
		"$PNAV" pack --anonymize=other -o again.pnav "$golden/chrome-object/input.json" 2>err &&
		! cmp -s secret.pnav again.pnav'

for metric in probe_shop:secret_checkout uprobe:/srv/secret/app:checkout cpu/secret/:u cycles:u \
	myapp:secret_login cpu/event=0x3c,name=secret_thing/ sdt_app:secret:u probes_per_second \
	block:block_rq_issue raw_syscalls:sys_enter:u cpu/cache-misses/; do
	printf 'p 1/1 1.0: 1 %s:\n\t1 f (/bin/p)\n\n' $metric >probe.perf
	"$PNAV" pack --anonymize=salt -o secret.pnav probe.perf && "$PNAV" report --columns self secret.pnav >out 2>err
	case $metric in
	cycles:u | probes_* | block:* | raw_* | cpu/cache-*)
		check "anonymous: the event $metric stays" grep -q "^$metric " out ;;
	*) check "anonymous: $metric" eval 'grep -q "^x[0-9a-f]* (" out && ! grep -q secret out' ;;
	esac
done

# States and edges of the range.  An edge that began before it is cut there, so only later ones count.
states=$golden/ftrace-states/input.txt
# states_equal LENS...: the reports of the excerpt are those of the file through the lens
states_equal()
{
	runs 0 "$PNAV" pack -o states.pnav "$@" "$states" || return 1
	for view in states edges; do
		"$PNAV" report --format csv --view $view "$@" "$states" >want 2>err &&
		"$PNAV" report --format csv --view $view states.pnav >read 2>>err && cmp want read || return 1
	done
}
check "states and edges of a range" states_equal --from 50us
check "... of its begin" states_equal --to 200us
check "... of a thread" states_equal --track main
check "... without names: as many" eval '
	runs 0 "$PNAV" pack --anonymize=salt -o states.pnav "$states" &&
	"$PNAV" report --format csv --view states "$states" | cut -d, -f2- | sort >want &&
	"$PNAV" report --format csv --view states states.pnav | cut -d, -f2- | sort >read && cmp want read'
runs 0 "$PNAV" pack --hide none-such -o left.pnav "$golden/pnav-calls/input.pnav"
check "an excerpt says what it lacks of the file" eval '
	"$PNAV" report --view info left.pnav 2>err | grep -q "^left out .*recorded sums of calls"'

# A warning about a file that has nothing comes from the file.
check "a file without events: its warning comes once" eval '
	runs 0 "$PNAV" pack -o nothing.pnav nothing.json &&
	"$PNAV" report --format csv --view info nothing.json 2>err | grep -v "^memory" >want &&
	grep -q "nothing was recorded" want &&
	"$PNAV" report --format csv --view info nothing.pnav 2>err | grep -v "^memory" >read && cmp want read'

# What is damaged keeps what was before it.
runs 0 "$PNAV" pack -o whole.pnav "$golden/chrome-object/input.json" || not_ok "packs" err
size=$(wc -c <whole.pnav)
head -c $((size - 40)) whole.pnav >cut.pnav
check "a file without its end" eval 'runs 3 "$PNAV" report --format csv cut.pnav && mv out read &&
	grep -q "cut.pnav: at byte [0-9]*: the file ends" err &&
	runs 0 "$PNAV" report --format csv whole.pnav && cmp out read'
{
	head -c $((size - 100)) whole.pnav
	printf x
	tail -c 99 whole.pnav
} >changed.pnav
check "a file with another byte" eval 'runs 3 "$PNAV" report changed.pnav &&
	grep -q "the checksum of a section is wrong" err'
printf 'pnavpack\002\000\000\000\000\000\000\000' >later.pnav
check "a later version is refused" eval 'runs 1 "$PNAV" report later.pnav && grep -q "version 2" err'
head -c 200 "$golden/bsprof-small/input.bsprof" >part.bsprof
check "a profile of a damaged file has its status" eval 'runs 3 "$PNAV" pack -o part.pnav part.bsprof &&
	runs 3 "$PNAV" report part.pnav &&
	grep -q "part.pnav: packed from a damaged file: the file ends within" err'
tap_done
