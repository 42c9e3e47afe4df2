#!/bin/sh
# A recording stands alone: what it shows while the files that ran are here it shows when they are
# gone, changed, or were never on this machine, row by row.  The truth is the report of the same
# recording with nothing embedded, taken while the files were there.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
[ -x "$PNAV" ] || skip_all "pnav is not built"
"$PNAV" formats --format json | grep -q '"elfutils"' || skip_all "pnav is built without elfutils"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
unset PNAV_SAMPLER
HOME=$scratch/home
export HOME
mkdir "$HOME" "$scratch/here" && cd "$scratch/here" || exit 99
source=$top_srcdir/tests/data/embed.c

# build OPTION...: ./program with ./libembedded.so
build()
{
	"$cc" -O2 -g -shared -fPIC -DLIBRARY -o libembedded.so "$source" >>cc.log 2>&1 &&
		"$cc" -O2 -g "$@" -o program "$source" -L. -lembedded -Wl,-rpath,"$PWD" >>cc.log 2>&1
}
build || skip_all "the test program cannot be built"
forbidden() { ! "$@" >out 2>err </dev/null && grep -q 'cannot be used\|can be used' err; }
forbidden "$PNAV" record -o any.data true && skip_all "$(tail -n 1 err)"

# rows FILE [COMMAND...]: all that has to be equal, as the command prints it
rows()
{
	file=$1
	shift
	[ $# -gt 0 ] || set -- "$PNAV"
	for view in functions ${PNAV_LONG:+tree lines callers}; do
		"$@" report --view $view --format csv "$file"
	done
	"$@" report --view tree --by line --format csv "$file"
	"$@" report --by address --columns +address --format csv "$file"
}
away() { mkdir -p ../away && mv program libembedded.so ../away/; }
back() { mv ../away/* .; }
recorded() { "$PNAV" record -q -F 1999 "$@" </dev/null; }

# stays NAME [OPTION...]: recorded with nothing, then embedded; the program goes
stays()
{
	name=$1
	shift
	recorded --embed none -o "$name.data" "$@" ./program || return
	rows "$name.data" >"$name.before" 2>"$name.err.before"
	"$PNAV" embed -o "$name.whole" "$name.data" || return
	rows "$name.whole" >"$name.there" 2>/dev/null
	away
	rows "$name.whole" >"$name.after" 2>"$name.err.after"
	rows "$name.data" >"$name.lost" 2>/dev/null
	back
	sed "s/$name[.]whole/$name.data/" "$name.err.after" | diff "$name.err.before" - &&
		diff "$name.before" "$name.there" && diff "$name.before" "$name.after" &&
		! cmp -s "$name.before" "$name.lost"
}
check "copied stacks: the same rows when the program is gone" stays dwarf
check "... its inlined function, mangled names and library among them" eval '
	grep -q "^mix,.*embed.c" dwarf.after && grep -q "^shop::order," dwarf.after &&
	grep -q "^mycrate::foo::parse," dwarf.after && grep -q "^library_work,.*libembedded.so" dwarf.after'
check "... and the vDSO" grep -q '^__vdso_clock_gettime,\|^__cvdso' dwarf.after
check "frame pointers: the same" stays fp -g
check "leaves alone: the same" stays leaf --call-graph no
check "compressed records: the same" stays packed -z
check "a program with a place of its own: the same" eval 'build -no-pie -fno-pie && stays fixed'
check "a program without a build id: the same" eval 'build -Wl,--build-id=none && stays nameless'
changed_since() { touch -d tomorrow program && touch program && "$PNAV" embed -o late.whole nameless.data; }
late_names()
{
	changed_since || return
	away
	"$PNAV" report --format csv late.whole >late.csv 2>/dev/null
	back
	grep -q '^library_work,' late.csv && ! grep -q '^work,' late.csv
}
check "... but not when the file was touched since" late_names
build

check "record embeds by itself" eval 'recorded -o own.data ./program && rows own.data >own.before 2>/dev/null &&
	away && rows own.data >own.after 2>/dev/null; back; diff own.before own.after && grep -q "^work," own.after'
check "--embed none does not" eval '
	! "$PNAV" report --view info dwarf.data | grep -q ^embedded && "$PNAV" report --view info own.data | grep -q ^embedded'
check "... and WHAT is one of its words" runs 2 "$PNAV" record --embed most true

# ---- the code ----

# code FILE: all instructions that were hit, and their lines; those of main, which were not, and of
# work, where samples may lie in inlined mix alone
code()
{
	"$PNAV" report --view instructions --format csv "$1"
	"$PNAV" report --view instructions --function '^main$' --format csv "$1"
	"$PNAV" report --view instructions --function '^work$' --format csv "$1"
}
code_stays()
{
	code dwarf.data >code.before 2>/dev/null
	"$PNAV" embed --code -o code.whole dwarf.data && recorded --embed all -o code.own ./program || return
	code code.own >own.before 2>/dev/null
	away
	code code.whole >code.after 2>code.err
	code code.own >own.after 2>/dev/null
	code dwarf.whole >code.lost 2>/dev/null
	back
	cat code.err
	diff code.before code.after && diff own.before own.after && ! cmp -s code.before code.lost
}
if "$PNAV" formats --format json | grep -q '"capstone"'; then
	check "--code: the same instructions when the program is gone" code_stays
	check "without it: the lines of hits, and their files" eval '
		grep "^mix,0x[0-9a-f]*,," code.lost | grep "embed.c,[1-9][0-9]*,[1-9]" &&
		! grep "^[^,]*,0x[0-9a-f]*,,,[1-9]" code.lost'
	check "... a packed part of it says that they are left out" eval '
		"$PNAV" pack --hide none-such -o part.pnav code.whole &&
			"$PNAV" report --view info part.pnav | grep -q "^left out .*embedded machine code"'
	check "... with their lines, names that calls lead to, and a function that was not hit" eval '
		[ "$(grep -c "^work,.*embed.c" code.after)" -gt 5 ] && grep -q "^mix,.*embed.c" code.after &&
		grep -q "^main,.*call.*<work>" code.after'
	check "... and info says so" eval '
		"$PNAV" report --view info code.whole | grep -q "^embedded .*the code of [1-9][0-9]* functions"'
	check "... of a program that was changed" eval 'build -DCHANGED && code code.whole >code.changed 2>/dev/null
		build; diff code.before code.changed'
	check "... embedded again without its files" eval 'away; "$PNAV" embed --code -o code.again code.whole
		code code.again >code.twice 2>/dev/null; back; diff code.before code.twice'
	check "... which grows by less than 200 KB" eval '
		[ "$(stat -c %s code.whole)" -lt $(($(stat -c %s dwarf.whole) + 200000)) ]'
else
	skip "--code: the same instructions when the program is gone" "built without capstone"
fi

# ---- perf's cache ----

cached()
{
	recorded --embed none --buildid-cache -o cached.data ./program || return
	rows cached.data >cached.before 2>/dev/null
	away
	rows cached.data >cached.after 2>/dev/null
	"$PNAV" report --view instructions --function '^work$' cached.data >cached.code 2>&1
	back
	diff cached.before cached.after && grep -q embed.c cached.code &&
		[ -f "$HOME/.debug$PWD/program/$(ls "$HOME/.debug$PWD/program")/elf" ]
}
check "--buildid-cache: the same rows from ~/.debug, and the code" cached
if command -v perf >/dev/null 2>&1; then
	check "... which perf knows" eval 'perf buildid-cache -l | grep -q "$PWD/program"'
else
	skip "... which perf knows" "perf is not installed"
fi
check "without it nothing goes there" eval 'rm -rf "$HOME/.debug" && recorded -o own.data ./program && [ ! -e "$HOME/.debug" ]'

# ---- rebuilt at the same path ----

rebuilt()
{
	rows own.data >own.before 2>/dev/null
	build -DCHANGED && recorded -o new.data ./program &&
		rows own.data 2>/dev/null | diff own.before - &&
		"$PNAV" diff --format csv own.data new.data >diff.csv 2>/dev/null &&
		grep -q '^added,' diff.csv && grep -q '^work,' diff.csv
}
check "rebuilt with a change: the recording shows what it showed" rebuilt
header() { head -n 1 diff.csv | tr , '\n' | grep -nx "$1" | cut -d: -f1; }
both() { awk -F, -v f="$1" -v self="$(header self)" -v base="$(header base_self)" '
	$1 == f && $self > 0 && $base > 0 { n++ } END { exit n != 1 }' diff.csv; }
check "... and diff finds its functions by name" eval 'both library_work && both shop::order'
build

# ---- elsewhere ----

emptied()
{
	command -v ldd >/dev/null && command -v chroot >/dev/null && [ "$(id -u)" = 0 ] || return 77
	mkdir -p root/tmp && cp "$PNAV" root/pnav && cp dwarf.whole root/dwarf.data || return 77
	ldd "$PNAV" | grep -o '/[^ ]*' | sort -u | while read -r library; do
		mkdir -p "root$(dirname "$library")" && cp -L "$library" "root$library"
	done
	chroot root /pnav --version >/dev/null 2>&1 || return 77
	rows dwarf.data chroot root /pnav >chroot.rows 2>/dev/null
	diff dwarf.before chroot.rows
}
emptied >chroot.log 2>&1
case $? in
0) ok "in an empty root: the same rows" ;;
77) skip "in an empty root: the same rows" "pnav cannot be run in another root here" ;;
*) not_ok "in an empty root: the same rows" chroot.log ;;
esac

# ---- the file ----

if command -v perf >/dev/null 2>&1; then
	perfs() { HOME=$scratch/home perf "$1" --header-only -i "$2" >/dev/null 2>perf.err &&
		HOME=$scratch/home perf script -F comm,time,event -i "$2" 2>/dev/null; }
	perfs script dwarf.data >perf.plain
	perfs script dwarf.whole >perf.whole
	check "perf reads the same samples" eval '[ -s perf.plain ] && cmp perf.plain perf.whole'
	perfs report own.data >perf.own
	check "... of what record embeds itself" eval '[ -s perf.own ] &&
		[ "$(wc -l <perf.own)" = "$(perf script -i own.data -F time 2>/dev/null | wc -l)" ]'
	if perf record -q -N -e cpu-clock -g -o perfs.data ./program >/dev/null 2>perf.err; then
		check "a recording of perf's: the same" eval 'rows perfs.data >perfs.before 2>/dev/null &&
			"$PNAV" embed perfs.data && away && rm -rf "$HOME/.debug" &&
			rows perfs.data >perfs.after 2>/dev/null; back; diff perfs.before perfs.after'
		check "... and again" eval 'cp perfs.data twice.data && away && "$PNAV" embed twice.data;
			back; cmp twice.data perfs.data'
	else
		skip "a recording of perf's: the same" "perf may not record here"
		skip "... and again" "perf may not record here"
	fi
else
	for name in "perf reads the same samples" "... of what record embeds itself" \
		"a recording of perf's: the same" "... and again"; do
		skip "$name" "perf is not installed"
	done
fi
check "a recording keeps the names that it has" eval 'cp dwarf.whole again.data && away &&
	"$PNAV" embed again.data && rows again.data 2>/dev/null >again.after; back; diff dwarf.before again.after'
check "it is its owner's alone" eval '[ "$(stat -c %a again.data)" = 600 ] && [ "$(stat -c %a dwarf.whole)" = 600 ]'
check "-o is another file" runs 2 "$PNAV" embed -o again.data again.data
check "a stream holds none" eval 'recorded -o - ./program >stream.data && cp stream.data kept &&
	runs 1 "$PNAV" embed stream.data && grep -q "form of a pipe" err && cmp stream.data kept'
check "nor does another format" eval 'echo "main;work 3" >x.folded && runs 1 "$PNAV" embed x.folded'
check "nor one of which no file is here" eval 'away; runs 1 "$PNAV" embed "$top_srcdir"/tests/golden/perfdata-address/input.data;
	got=$?; back; [ $got = 0 ]'
cut_after()
{
	head -c "$(($(stat -c %s dwarf.whole) - $1))" dwarf.whole >cut.data
	runs 3 "$PNAV" report --format csv cut.data
}
check "a file that is cut within the names: damage, and all samples" eval '
	cut_after 40 && [ "$(wc -l <out)" -gt 5 ] && grep -q "at byte" err'

# A program is written anew, again and again, while its names are read: the kernel raises SIGBUS
# where the file has become shorter.
cat >rewritten.sh <<'END'
rm -f still
./rewritten
(i=0; while [ $i -lt 300 ]; do cp program rewritten; i=$((i + 1)); done; : >still) >still.log 2>&1 &
END
rewritten()
{
	for round in 1 2 3 4 5; do
		cp program rewritten && recorded -o rewritten.data sh ./rewritten.sh 2>err &&
			! grep "reading them failed" err || { cat err; return 1; }
		until [ -e still ]; do sleep .1; done
		runs 0 "$PNAV" report rewritten.data || return
	done
}
check "a file that becomes shorter while its names are read ends nothing" rewritten

# ---- ^C ----

# The process that reads names is a child with the same command line.
interrupted()
{
	"$PNAV" record -q -F 1999 -o stopped.data ./program </dev/null 2>err &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		child=$(cat /proc/$pid/task/$pid/children 2>/dev/null)
		for c in $child; do
			case $(tr '\0' ' ' <"/proc/$c/cmdline" 2>/dev/null) in
			*pnav*record*) [ -s stopped.data ] && kill -INT "$c" && break 2 ;;
			esac
		done
	done
	wait $pid
	status=$?
	info=$("$PNAV" report --view info stopped.data | grep -c ^embedded)
	# it may have been done already
	if grep -q interrupted err; then named=0; else named=1; fi
	[ $status = 0 ] && [ "$info" = $named ] && runs 0 "$PNAV" report stopped.data && ! ls | grep 'stopped.data[.]'
}
check "^C within the names leaves a whole recording" interrupted

# ---- whole systems, and threads that wait ----

check "-a: what ran is named later, too" eval 'recorded -a -g -o all.data ./program && rows all.data >all.before 2>/dev/null &&
	away && rows all.data >all.after 2>/dev/null; back; diff all.before all.after'
check "--off-cpu: the same" eval 'recorded --off-cpu -o off.data ./program && rows off.data >off.before 2>/dev/null &&
	away && rows off.data >off.after 2>/dev/null; back; diff off.before off.after'

# ---- programs that are gone at once ----

# Each run of the first one ends before its record of the map is read, or about then, and the path
# is another program's.
cat >spent.c <<'END'
#include <stdlib.h>
#include <time.h>
volatile unsigned sink;
__attribute__((noinline, noclone)) void
NAME(clock_t limit)
{
	while (clock() < limit)
		for (int i = 0; i < 10000; i++)
			sink += (unsigned)i;
}
int
main(int argc, char **argv)
{
	NAME(argc > 1 ? atoi(argv[1]) * 1000 : 0);
	return 0;
}
END
"$cc" -O1 -DNAME=first -o first spent.c >>cc.log 2>&1 && "$cc" -O1 -DNAME=second -o second spent.c >>cc.log 2>&1
for of in "a command" "the system"; do
	[ "$of" = "the system" ] && system=-a || system=
	check "$of: programs that are replaced have no names of others" eval '
		recorded $system -o spent.data sh -c "
			for i in 1 2 3 4 5 6 7 8 9 10; do
				rm -f spent; cp first spent; ./spent 10; rm spent; cp second spent
			done; ./spent 50" &&
		"$PNAV" report --format csv --columns self,function spent.data 2>/dev/null |
			awk -F, "\$2 == \"second\" { n = \$1 } END { print \"# \" n + 0; exit !(n > 20e6 && n < 100e6) }"'
done
# A file that is written again keeps its inode.
recorded -o again.data sh -c 'cp first again; ./again 100; sleep 0.3; cp second again; ./again 60'
check "a program that is written in place has no names of the later one" eval '
	"$PNAV" report --format csv --columns self,function again.data 2>/dev/null |
		awk -F, "\$2 == \"second\" { n = \$1 } END { print \"# \" n + 0; exit !(n > 30e6 && n < 90e6) }"'

# ---- programs that are replaced while they are recorded ----
# The path is the later program's from the first half of the run on.  With a build id the names are
# those of the executed one, without one there are none.
"$cc" -O1 -Wl,--build-id=none -DNAME=first -o first.bare spent.c >>cc.log 2>&1
"$cc" -O1 -Wl,--build-id=none -DNAME=second -o second.bare spent.c >>cc.log 2>&1

replace() # by PROGRAM: a new file with the name of the running one
{
	cp "$1" running.new && mv running.new running
}

# names WANTED: functions of the program have this name, if any
names()
{
	"$PNAV" report --format csv --columns self,function running.data 2>/dev/null |
		awk -F, -v wanted="$1" '
			$2 == "first" || $2 == "second" { n[$2] = $1; all += $1 }
			END {
				print "# first " n["first"] + 0 ", second " n["second"] + 0
				exit wanted ? all != n[wanted] || n[wanted] < 20e6 : all > 0
			}'
}

for bare in "" .bare; do
	id=${bare:+"without a build id"}
	id=${id:-"with a build id"}
	wanted=first
	[ -z "$bare" ] || wanted=
	cp first$bare running
	(sleep 0.3 && replace second$bare) &
	recorded -o running.data ./running 600
	wait
	check "a program $id is replaced while it runs: no names of the later one" names "$wanted"

	cp first$bare running
	./running 1500 &
	sleep 0.2
	replace second$bare
	recorded -o running.data --duration 0.5 -p $!
	kill $!
	wait
	check "a process $id, whose program was replaced before: no names of the later one" \
		names "$wanted"
done
tap_done
