#!/bin/sh
# Bad input: each thing that can be wrong with a file, an option or a terminal, one test
# each.  pnav must end with the status that the manual promises, say one line about it that
# begins `pnav: ` and repeats no control character, print nothing on stdout when nothing
# could be read, and keep all that is good before the damage.  What is expected is counted
# by hand: the files are made here, byte by byte, from the formats' documents.
# shellcheck disable=SC1091,SC2154,SC2086,SC2059,SC3045,SC2016 # all on purpose
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

pty=$top_builddir/tests/lib/pty
[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99

# Under a sanitizer, address space says nothing about memory.
sanitized=
grep -q '^#define PNAV_SANITIZED 1' "$top_builddir/config.h" 2>/dev/null && sanitized=yes

# run COMMAND...: its status in $status, its words in out and err
run()
{
	(
		[ "$sanitized" ] || ulimit -v 4000000
		exec timeout 60 "$@"
	) >out 2>err
	status=$?
}

# one_line PATTERN: err is one line with the form of a message
one_line()
{
	[ "$(wc -l <err)" -eq 1 ] || { echo "# not one line on stderr" >why; return 1; }
	grep -q '^pnav: ' err || { echo "# no message of pnav" >why; return 1; }
	grep -qe "$1" err || { echo "# the message lacks: $1" >why; return 1; }
	no_controls err
}

no_controls()
{
	if LC_ALL=C tr -d '\012\040-\176\200-\377' <"$1" | grep -q .; then
		echo "# control characters in $1" >why
		return 1
	fi
}

verdict()
{
	if [ "$2" = 0 ]; then
		ok "$1"
	else
		{ cat why; echo "# status $status"; cat err; head -n 5 out; } >report
		not_ok "$1" report
	fi
}

# refused NAME STATUS PATTERN COMMAND...: nothing on stdout, one line on stderr
refused()
{
	name=$1 want=$2 pattern=$3
	shift 3
	run "$@"
	echo "# the status is not $want, or something is on stdout" >why
	[ $status = "$want" ] && ! [ -s out ] && one_line "$pattern"
	verdict "$name" $?
}

# damaged NAME PATTERN ROW COMMAND...: status 3, one line, and the row that was good
damaged()
{
	name=$1 pattern=$2 row=$3
	shift 3
	run "$@"
	echo "# the status is not 3" >why
	[ $status = 3 ] && one_line "$pattern" &&
		{ grep -qxF -- "$row" out || { echo "# no row $row" >why; false; }; }
	verdict "$name" $?
}

# fine NAME ROW COMMAND...: status 0, nothing on stderr, the row
fine()
{
	name=$1 row=$2
	shift 2
	run "$@"
	echo "# the status is not 0, or something is on stderr" >why
	[ $status = 0 ] && ! [ -s err ] &&
		{ grep -qF -- "$row" out || { echo "# no row $row" >why; false; }; }
	verdict "$name" $?
}

# warned NAME PATTERN ROW COMMAND...: status 0, one warning, the row
warned()
{
	name=$1 pattern=$2 row=$3
	shift 3
	run "$@"
	echo "# the status is not 0" >why
	[ $status = 0 ] && one_line "warning: .*$pattern" &&
		{ grep -qxF -- "$row" out || { echo "# no row $row" >why; false; }; }
	verdict "$name" $?
}

# le VALUE BYTES: a little-endian integer
le()
{
	value=$1 left=$2
	while [ "$left" -gt 0 ]; do
		printf "\\$(printf %03o $((value & 255)))"
		value=$((value >> 8)) left=$((left - 1))
	done
}

csv="$PNAV report --format csv"
printf 'main;work 3\nmain;rest 1\n' >good.folded

# ---- files that are no profiles ----
: >empty
mkdir dir
ln -s loop loop
head -c 5000 /dev/zero >zeros
printf 'Dear reader,\nthis is a letter.\n' >letter
printf '\377\376m\0;\0w\0 \0002\0\n\0x' >utf16
printf 'no\nsuch \033[31m' >name
for command in report dump "export --format folded" "browse --keys Q --size 80x24 --snapshot"; do
	refused "$command: an empty file" 1 'empty: empty file' "$PNAV" $command empty
	refused "$command: a directory" 1 'dir: .*directory' "$PNAV" $command dir
	refused "$command: a missing file" 1 'missing: No such file' "$PNAV" $command missing
done
refused "a symlink loop" 1 'loop: ' "$PNAV" report loop
refused "an unknown format: what it looks like, and those nearest" 1 \
	'letter: .*begins "Dear reader,"; the nearest are folded' "$PNAV" report letter
refused "nothing but NUL bytes" 1 'zeros: ' "$PNAV" report zeros
damaged "half a character of UTF-16" 'utf16: .*UTF-16 data is truncated' w,2,2 \
	"$PNAV" report --format csv --columns function,self,total utf16
refused "control characters in a file's name" 1 'no.x0asuch .x1b' \
	"$PNAV" report "$(cat name)"
refused "an empty name" 1 'No such file' "$PNAV" report ''
cp good.folded secret.folded
chmod 000 secret.folded
if [ "$(id -u)" != 0 ]; then
	refused "no permission" 1 'secret.folded: Permission denied' "$PNAV" report secret.folded
elif command -v setpriv >/dev/null 2>&1 && chmod 755 . &&
	setpriv --reuid=65534 --clear-groups test -x "$PNAV_ALONE"; then
	# a build for gcov counts beside its objects, where that user may not write
	mkdir -m 777 nobody
	refused "no permission" 1 'secret.folded: Permission denied' \
		env GCOV_PREFIX="$scratch/nobody" setpriv --reuid=65534 --clear-groups "$PNAV_ALONE" report secret.folded
else
	skip "no permission" "root may read everything"
fi
mkfifo pipe
run timeout 2 "$PNAV" report pipe
echo "# it did not wait for the writer" >why
[ $status = 124 ] && ! [ -s out ] && ! [ -s err ]
verdict "a FIFO without a writer waits, and ends by a signal" $?

# ---- damaged files: the offset is where the bad record begins ----
br_map='\001\000\001\000\004A.BR'               # 9 bytes
br_group='\003\000\001\000\000\000\012\001\006' # CURRENT and END, 9 bytes
br_row='A.BR,A.BR,,,user,,1,1'
br_open='\003\000\001\000\000\000\012\001'
printf "$br_map$br_group$br_open\\005\\000" >cut.br
damaged "br, cut in a backtrace" 'cut.br: at byte 26: ' "$br_row" $csv cut.br
printf "$br_map$br_group\\002junk" >tag2.br
damaged "br, a record of the undocumented type 2" 'tag2.br: at byte 18: ' "$br_row" $csv tag2.br
printf "$br_map$br_group$br_open\\001" >nested.br
run $csv nested.br
echo "# the good group is lost" >why
[ $status = 3 ] && grep -qxF "$br_row" out && one_line 'at byte '
verdict "br, a map inside a group" $?

# Magic, version 1.0.0, header size 29, ratios, no lines, no memory, time, six texts; then
# strings 1 and 2, module 1, path 1 and a CPU entry: 46 bytes.
bs='bsprof\000\000\001\000\000\035\000\000\000\000\000\000\000\000\000\000\000'
bs="$bs"'\000\000\000\000\000\000\010m\000\020f\000\011\001\012\000\001\001\005\002\014\003\007'
bs_row='f,m,5,,user,0,7000,7000'
printf "$bs\\000\\001" >good.bsprof
fine "bsprof as it should be" "$bs_row" $csv good.bsprof
printf "$bs\\014\\003" >cut.bsprof
damaged "bsprof, cut in an entry" 'cut.bsprof: at byte 46: ' "$bs_row" $csv cut.bsprof
printf "$bs\\200\\200\\200\\200\\200\\001x\\000\\000\\001" >id.bsprof
damaged "bsprof, 2^32 as a string's id" 'id.bsprof: at byte 46: ' "$bs_row" $csv id.bsprof
printf "$bs\\012\\201\\200\\200\\200\\020\\001\\005\\002\\000\\001" >caller.bsprof
damaged "bsprof, 2^32 + 1 as a caller" 'caller.bsprof: at byte 46: ' "$bs_row" $csv caller.bsprof
printf "$bs\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377" >varint.bsprof
damaged "bsprof, a varint without an end" 'varint.bsprof: at byte 46: ' "$bs_row" \
	$csv varint.bsprof
printf "$bs\\022\\002\\001\\005\\002\\024\\003\\007\\000\\001" >cycle.bsprof
run $csv cycle.bsprof
echo "# the good entry is lost" >why
[ $status = 3 ] && one_line 'at byte ' && grep -q '^f,m,5,' out
verdict "bsprof, a path that is its own caller" $?
head -c 20 good.bsprof >header.bsprof
run $csv header.bsprof
echo "# a header that is cut" >why
[ $status = 3 ] && no_controls err && grep -q '^pnav: header.bsprof: at byte 0: ' err
verdict "bsprof, cut in its header" $?

# Header of 80 bytes, two tables of 16, one entry of 40 and the head of another.
{
	printf 'HQNplog\n\001\002\003\004\005\006\007\010'
	le 80 8; le 1000000000 8; le 0 8; le 80 8; le 96 8; le 112 8; le 40 8; le 1 8
	le 1 8; printf 'A\000\000\000\000\000\000\000'
	le 1 8; printf 'D\000\000\000\000\000\000\000'
	le 5 8; le 7 8; le 16 8; le 0 8; le 0 8
} >good.plog
fine "hqnplog as it should be" 'A,,,,user,1,7,7' $csv good.plog
{ head -c 72 good.plog; le 2 8; tail -c +81 good.plog; le 5 8; le 7 8; } >cut.plog
run $csv cut.plog
echo "# no offset, or the good entry is lost" >why
[ $status = 3 ] && grep -q '^pnav: cut.plog: at byte 152: ' err && no_controls err &&
	grep -qxF 'A,,,,user,1,7,7' out
verdict "hqnplog, cut in an entry" $?
{ head -c 64 good.plog; le 4294967296 8; tail -c +73 good.plog; } >size.plog
run $csv size.plog
echo "# an absurd size of entries" >why
{ [ $status = 3 ] || [ $status = 1 ]; } && one_line 'size.plog: '
verdict "hqnplog, entries of 2^32 bytes" $?

{
	printf '* HANDLE(Functions) %%HANDLE%%,%%NAME%%\n00000000,main\n'
	printf '* TIMELINE %%HANDLE%%,%%EVENT%%,%%TIME%%\n00000000,E,100\n00000000,X,150\n'
} >good.txt
cut_at=$(wc -c <good.txt)
row='main,,,,user,1,50,50'
fine "text1 as it should be" "$row" $csv good.txt
{ cat good.txt; printf '00000000,E,2'; } >cut.txt
damaged "text1, cut in a row" "cut.txt: at byte $cut_at: " "$row" $csv cut.txt
{ cat good.txt; printf '00000000,Q,200\n'; } >event.txt
damaged "text1, an event that there is not" "event.txt: at byte $cut_at: " "$row" $csv event.txt
{ le 0 4; le 3 4; le 0 8; le 100 8; le 0 4; le 0 4; le 0 8; le 150 8; } >two.BIN
{ cat two.BIN; printf 'rest'; } >rest.BIN
warned "text1, a binary timeline with 4 bytes too many" '4 bytes.*byte 48' \
	'handle#00000000,,,,user,1,50,50' $csv rest.BIN
{ cat two.BIN; le 0 4; le 50331648 4; le 0 8; le 200 8; } >both.BIN
run $csv both.BIN
echo "# --bin-version is not asked for" >why
{ [ $status = 1 ] || [ $status = 3 ]; } && one_line 'bin-version'
verdict "text1, a binary timeline of both layouts" $?

# Spans of OpenTelemetry: ResourceSpans 1 { ScopeSpans 2 { Span 2 { trace id 1, span id 2 } } }.
# The span's id is where a profile has samples, which is malformed as a message.
{
	printf '\012\040\022\036\022\034\012\020tttttttttttttttt'
	printf '\022\010\377\377\377\377\377\377\377\377'
} >spans.otlp
refused "otlp, spans and no profiles: no warning beside the refusal" 1 'no dictionary' \
	$csv --input otlp spans.otlp

# 1,100 kinds of values, a sample of one value, a location, its function, the texts "", "f"
{
	i=0
	while [ $i -lt 1100 ]; do
		printf '\012\004\010\001\020\001'
		i=$((i + 1))
	done
	printf '\022\006\012\001\001\022\001\007\042\006\010\001\042\002\010\001'
	printf '\052\004\010\001\020\001\062\000\062\001f'
} >kinds.pb
damaged "pprof, more kinds of values than are read" 'at byte 6144: more than 1024 kinds of values' \
	'f,,,,user,,7,7' $csv --metric 'f (f)' kinds.pb
# A file that was truncated before its format was known, and is read twice.
{
	printf '\012\004\010\001\020\001\022\006\012\001\001\022\001\007'
	printf '\042\006\010\001\042\002\010\001\052\004\010\001\020\001\062\000\062\001f'
} | gzip -c >whole.pb.gz
head -c $(($(wc -c <whole.pb.gz) - 4)) whole.pb.gz >end.pb.gz
damaged "pprof, the end of its gzip data is missing" 'the gzip data is truncated' \
	'f,,,,user,,7,7' $csv end.pb.gz
# Messages in a file count their bytes from its beginning.
cat "$top_srcdir/tests/golden/otlptrace-lengths/input.otlp" >two.otlp
printf '\377\377\377\377\377' | dd of=two.otlp bs=1 seek=441 conv=notrunc 2>/dev/null
damaged "otlptrace, in the second message" 'two.otlp: at byte 434: KeyValue' \
	'render,,,lib.front,user,1,40000,40000' $csv two.otlp
log=$top_srcdir/tests/golden/explain-log/input.log
{ cat "$log" && head -c 600 "$log"; } >cut.log
damaged "explain, JSON in a log" "cut.log: at byte $(($(wc -c <"$log") + 68)): JSON: " \
	'Limit,,,,user,1,2000,1860000' $csv cut.log
printf 'main;work 3\nmain;re' >cut.folded
damaged "folded, cut in a line" 'cut.folded: at byte 12: ' 'work,,,,user,,3,3' $csv cut.folded
printf 'main;work 3\nmain;work\nmain;work x\nmain;work 4\nmain;rest 1\nmain;rest 1\n' >bad.folded
warned "folded, lines without a count: one warning, with the first one's number" \
	'2 lines.*line 2' 'work,,,,user,,7,7' $csv bad.folded
printf 'a;b 9223372036854775807\na;b 9223372036854775807\n' >sum.folded
damaged "folded, a sum past 2^63" 'sum.folded: at byte 24: ' \
	'b,,,,user,,9223372036854775807,9223372036854775807' $csv sum.folded

sample='prog 1/2 [000] 1.000000:     250000 cycles: \n\t          401000 f+0x1 (/bin/p)\n\n'
printf "$sample$sample" >good.perf
{ cat good.perf; printf 'prog 1/2 [000] 1.000100: 250000 cycles: \n\t     401000 g+0x1 (/bi'; } \
	>cut.perf
run $csv cut.perf
echo "# the good samples are lost" >why
[ $status = 3 ] && one_line 'cut.perf: at byte ' && grep -qxF 'f,,,/bin/p,user,,500000,500000' out
verdict "perfscript, cut in a frame" $?

{
	printf 'Function name                   Addr     Total   Disp    User\n\n'
	printf '_main                          402e0     60.00   60.00   60.00\n'
	printf '_exit                          416fa     40.00   40.00   40.00\n\n'
	printf 'Statistics based on 10 hits\n'
} >good.PRF
fine "prf as it should be" '_main,,,,user,,6,6' $csv good.PRF
head -c 170 good.PRF >cut.PRF
run $csv cut.PRF
echo "# a report without its last line" >why
[ $status = 3 ] && one_line 'cut.PRF: '
verdict "prf, cut in a row" $?

# ---- compressed and cut ----
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "main;f%d;g%d 1\n", i * 7919 % 1000, i % 977 }' \
	>many.folded
# compressed NAME SUFFIX COMMAND...
compressed()
{
	name=$1 suffix=$2
	shift 2
	if ! command -v "$1" >/dev/null 2>&1; then
		skip "$name" "there is no $1"
		return
	fi
	"$@" <many.folded >"whole.folded.$suffix"
	run $csv "whole.folded.$suffix"
	if [ $status = 1 ] && grep -q 'built without\|not built in' err; then
		skip "$name" "pnav is built without it"
		return
	fi
	size=$(wc -c <"whole.folded.$suffix")
	head -c $((size / 2)) "whole.folded.$suffix" >"cut.folded.$suffix"
	run $csv "cut.folded.$suffix"
	main=$(sed -n 's/^main,.*,0,//p' out)
	echo "# of 100000 samples ${main:-none} were kept" >why
	[ $status = 3 ] && one_line "cut.folded.$suffix: at byte [0-9]*: .*truncated" &&
		[ "${main:-0}" -gt 10000 ] && [ "$main" -lt 100000 ]
	verdict "$name" $?
}
compressed "gzip, cut: what came before counts" gz gzip -c
compressed "zstd, cut: what came before counts" zst zstd -q -c
compressed "xz, cut: what came before counts" xz xz -c
compressed "lz4, cut: what came before counts" lz4 lz4 -q -c -B4
# Frames whose headers say how much memory they need: RFC 8878, 3.1.1.1 (a window of 2 GB), and
# xz-file-format 1.1, 5.3.1 (a dictionary of 512 MB).
if built_with HAVE_LIBZSTD; then
	printf '\050\265\057\375\000\250\001\000\000' >wide.zst
	refused "zstd: a window that is too large" 1 'packed with a window of more than 128 MB' \
		"$PNAV" report wide.zst
fi
if built_with HAVE_LIBLZMA && command -v xz >/dev/null; then
	xz --lzma2=dict=512MiB -c <many.folded >wide.xz
	refused "xz: a dictionary that is too large" 1 'packed with a dictionary of more than 128 MB' \
		"$PNAV" report wide.xz
fi
printf '\037\213' >short.gz
run "$PNAV" report short.gz
echo "# two bytes of gzip" >why
[ $status = 1 ] && ! [ -s out ] && one_line 'short.gz: '
verdict "gzip of two bytes" $?

# ---- large things ----
{ printf 'a;b 1\n'; head -c 100000000 /dev/zero | tr '\0' x; printf ';y 2\n'; } >long.folded
damaged "a line of 100 MB" 'long.folded: at byte 6: a line of more than' 'b,,,,user,,1,1' \
	$csv long.folded
# Stacks of 2^20 frames are read, deeper ones are damage.
sample='prog 1/2 [000] 1.000000: 1 cycles: '
{ printf 'a;b 1\n'; yes 'f;' | head -n 1048576 | tr -d '\n'; printf 'y 2\n'; } >steep.folded
damaged "a stack of 2^20 + 1 frames" 'steep.folded: at byte 6: a stack of more than 1048576' \
	'b,,,,user,,1,1' $csv steep.folded
{ printf 'a;b 1\n'; yes 'f;' | head -n 1048575 | tr -d '\n'; printf 'y 2\n'; } >steep.folded
fine "one of 2^20" 'y,,,,user,,2,2' $csv steep.folded
{
	printf '%s\n\t 400000 good+0x1 (/bin/p)\n\n%s\n' "$sample" "$sample"
	yes "$(printf '\t 400000 f+0x1 (/bin/p)')" | head -n 1048577
	printf '\n'
} >steep.perf
damaged "a chain of perf script of 2^20 + 1" 'steep.perf: at byte .*: a stack of more than' \
	'good,,,/bin/p,user,,1,1' $csv steep.perf
rm -f steep.folded steep.perf long.perf
refused "a filter file without an end" 2 '/dev/zero: too long' \
	"$PNAV" report --filter-file /dev/zero good.folded
{ head -c 100000000 /dev/zero | tr '\0' x; echo; printf 'a;b 1\na;b 1\na;b 1\n'; } >first.folded
run $csv first.folded
echo "# not refused" >why
[ $status = 1 ] && ! [ -s out ] && one_line 'first.folded: '
verdict "a first line of 100 MB that is no stack" $?
rm -f long.folded first.folded out

awk 'BEGIN { for (i = 0; i < 99999; i++) printf "f%d;", i % 1000; print "leaf 5" }' >deep.folded
fine "a stack of 100,000 frames: functions" 'leaf,,,,user,,5,5' $csv deep.folded
fine "... tree" '99999,leaf,,,,,5,5' $csv --view tree deep.folded
fine "... callers" '99999,f0,,,,,0,5' $csv --view callers deep.folded
fine "... inverted" '99999,f0,,,,,0,5' $csv --view tree --invert deep.folded
fine "... collapsed" '99899,leaf,,,,,5,5' $csv --view tree --collapse '^f[01]$' deep.folded
fine "... hidden" '1,leaf,,,,,5,5' $csv --view tree --hide '^f[1-9]|^f0.' --root '^f0$' \
	--collapse '^f0$' deep.folded
fine "... as JSON" '"leaf"' "$PNAV" report --format json --view tree deep.folded
run "$PNAV" export --format folded deep.folded
echo "# the export is another file" >why
[ $status = 0 ] && cmp -s out deep.folded
verdict "... exported" $?
fine "... dumped" 'leaf' "$PNAV" dump deep.folded
fine "... in the browser" 'flame' "$PNAV" --keys '1 j j 2 * E G 3' --size 80x24 --snapshot deep.folded

# ---- one record of many numbers ----
if command -v python3 >/dev/null 2>&1; then
	python3 "$top_srcdir/tests/lib/encode_tachyon.py" long.bin long
	fine "a sample that is repeated 100,000 times: dumped" ' n 100002: 1000/0x20 ' "$PNAV" dump long.bin
	awk 'length > 2000 { exit 1 }' out
	verdict "... in a short line" $?
else
	skip "a sample that is repeated 100,000 times" "python3 is not installed"
fi

# Firefox: threads of one number with many names of its process, against as many with one name.
if command -v python3 >/dev/null 2>&1; then
	cat >names.py <<'END'
import json, resource, subprocess, sys

def user_time(names):
    threads = [{"name": "t", "pid": "77", "tid": i + 1, "processName": f"p{i % names}",
                "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1.0]]},
                "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0]]},
                "frameTable": {"schema": {"location": 0}, "data": [[0]]},
                "stringTable": ["f"]} for i in range(3000)]
    with open("names.json", "w") as out:
        json.dump({"meta": {"version": 24, "interval": 1, "startTime": 0}, "threads": threads}, out)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([sys.argv[1], "report", "--format", "csv", "names.json"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

one, many = user_time(1), user_time(3000)
print(one, many)
sys.exit(many > 3 * one + 0.1)
END
	check "3,000 names of one process take no more time than one" python3 names.py "$PNAV_ALONE"
else
	skip "3,000 names of one process take no more time than one" "python3 is not installed"
fi

# ---- names of every byte value ----
i=1
while [ $i -lt 256 ]; do
	[ $i = 10 ] || printf "main;b$(printf '\\%03o' $i)e 1\\n"
	i=$((i + 1))
done >bytes.folded
printf 'main;b\000e 1\n' >>bytes.folded
run $csv bytes.folded
# 255 values in lines; `;` alone makes two names of one; main; the header.
rows=$(wc -l <out)
echo "# $rows rows" >why
[ $status = 0 ] && ! [ -s err ] && [ "$rows" = 258 ] && no_controls out &&
	grep -qF 'b\x1be,' out && grep -qF 'b\x00e,' out &&
	grep -q '^main,,,,user,,0,255$' out
verdict "names of every byte value: CSV" $?
mv out bytes.csv
for format in text json; do
	run "$PNAV" report --format $format bytes.folded
	echo "# $format" >why
	[ $status = 0 ] && ! [ -s err ] && no_controls out
	verdict "... $format" $?
done
run "$PNAV" dump bytes.folded
[ $status = 0 ] && no_controls out
verdict "... dump" $?
run "$PNAV" --keys 3 --size 100x270 --snapshot bytes.folded
[ $status = 0 ] && no_controls out
verdict "... the browser" $?
# Names that turn or hide what is around them: on screens as escapes, in files for programs
# as they are.  Counted by hand: U+202E is e2 80 ae, U+200B e2 80 8b, U+009B c2 9b.
printf 'main;b\342\200\256e;z\342\200\213w;c\302\2331m;l\351 1\n' >turned.folded
raw=$(printf '\342\200\256')
for command in "report" "report --view tree" "dump" \
	"--keys 3 --size 100x30 --snapshot" "--view tree --keys E --size 100x30 --snapshot"; do
	run "$PNAV" $command turned.folded
	echo "# $command" >why
	[ $status = 0 ] && ! LC_ALL=C grep -q "$raw" out && grep -qF 'b\u{202e}e' out &&
		grep -qF 'z\u{200b}w' out && grep -qF 'c\u{9b}1m' out && grep -qF 'l\xe9' out
	verdict "names that turn and hide: $command" $?
done
run $csv turned.folded
grep -q "^b${raw}e,,,,user,,0,1" out && grep -q '^lé,' out
verdict "... for programs they stay as they are" $?
cp turned.folded "t$raw$(printf '\302\233').folded"
run "$PNAV" report "t$raw$(printf '\302\233').folded" --include nothing
echo "# the name of the file" >why
[ $status = 0 ] && one_line 't.u{202e}.u{9b}.folded: warning' && ! grep -q "$raw" err
verdict "... nor in the name of a file" $?
printf 'include %s\302\233(\n' "$raw" >c1.spec
refused "... nor in a filter file" 2 'u{202e}.u{9b}(' "$PNAV" report --filter-file c1.spec good.folded
printf '# pnav session\nfile good.folded\nfr%sob\302\233 x\n' "$raw" >c1.pnav
run "$PNAV" report --session c1.pnav
echo "# the words of a session" >why
[ $status = 2 ] && one_line 'fr.u{202e}ob.u{9b}' && ! grep -q "$raw" err
verdict "... nor in a session" $?
run "$PNAV" report --include "x${raw}y" good.folded
echo "# a pattern" >why
[ $status = 0 ] && one_line 'x.u{202e}y' && ! grep -q "$raw" err
verdict "... nor in a pattern that matches nothing" $?

run "$PNAV" export --format folded bytes.folded
mv out again.folded
run $csv again.folded
echo "# the numbers are others" >why
[ $status = 0 ] && [ "$(wc -l <out)" = 258 ] && grep -q '^main,,,,user,,0,255$' out
verdict "... exported and read again" $?

# A file that may not grow is an error like a full disk, and no death by a signal.
awk 'BEGIN { for (i = 0; i < 2000; i++) print "main;function" i " 1" }' >many.folded
refused "an output that may not be that large" 1 'large.folded: .*File too large' \
	sh -c 'ulimit -f 1; exec "$@"' sh "$PNAV" export --format folded -o large.folded many.folded

# Nothing is left of it, and what had the name before stays.
echo mine >mine
sh -c 'ulimit -f 1; exec "$@"' sh "$PNAV" export --format folded -o mine many.folded 2>/dev/null
[ "$(cat mine)" = mine ] && [ ! -e large.folded ] && ! ls large.folded.* mine.* >/dev/null 2>&1
verdict "... nothing is left of it, and an old file stays" $?

# What is read is never written, whatever it is called.
ln -s good.folded soft.folded
ln good.folded hard.folded
cp good.folded kept
echo 'include work' >own.spec
for out in good.folded ./good.folded soft.folded hard.folded own.spec; do
	refused "export over what is read: $out" 2 "$out: this is an input file" "$PNAV" export \
		--format folded -o $out --filter-file own.spec good.folded
done
cmp -s good.folded kept && [ "$(cat own.spec)" = 'include work' ]
verdict "... which is as it was" $?
ln -s kept soft2.out
run "$PNAV" export --format folded -o soft2.out good.folded
[ $status = 0 ] && [ -L soft2.out ] && cmp -s good.folded kept
verdict "a link stays one, and its file is written" $?
mkfifo fifo
timeout 20 cat fifo >from-fifo &
run "$PNAV" export --format folded -o fifo good.folded
wait $!
[ $status = 0 ] && [ -p fifo ] && [ -s from-fifo ]
verdict "a FIFO is written as it is" $?

# ---- wrong usage ----
refused "an option twice" 2 'metric.*twice' "$PNAV" report --metric a --metric b good.folded
refused "a pattern that does not compile: itself, the place, PCRE2's words" 2 \
	"'wo(rk'.* 5.*missing closing parenthesis" "$PNAV" report --include 'wo(rk' good.folded
refused "control characters in a pattern" 2 'x1b' \
	"$PNAV" report --include "$(cat name)(" good.folded
refused "a filter file that is missing" 2 'nospec: No such file' \
	"$PNAV" report --filter-file nospec good.folded
refused "a filter file that is a directory" 2 'dir: ' \
	"$PNAV" report --filter-file dir good.folded
printf '# mine\ninclude work\nfrob x\n' >verb.spec
refused "a filter file with an unknown verb: file, line, column" 2 'verb.spec:3:1: ' \
	"$PNAV" report --filter-file verb.spec good.folded
printf 'include work\n\nhide (x\n' >pattern.spec
refused "a filter file with a bad pattern: file, line, column" 2 'pattern.spec:3:6: ' \
	"$PNAV" report --filter-file pattern.spec good.folded
refused "a time that is none" 2 'yesterday' "$PNAV" report --from yesterday good.txt
refused "a unit that there is not" 2 '5weeks' "$PNAV" report --from 5weeks good.txt
refused "a range on a profile without time" 2 'good.folded: .*time' \
	"$PNAV" report --from 10ms good.folded
refused "a metric that there is not: those there are" 2 "good.folded: .*'joules'.*samples" \
	"$PNAV" report --metric joules good.folded
refused "too many files" 2 'one FILE' "$PNAV" dump good.folded good.folded
refused "an unknown option" 2 'frob' "$PNAV" report --frob good.folded
refused "an option without its value" 2 'metric' "$PNAV" report good.folded --metric
refused "an unknown view" 2 "'frob'" "$PNAV" report --view frob good.folded
refused "an unknown report format" 2 "'frob'" "$PNAV" report --format frob good.folded
refused "an unknown export format" 2 "'frob'" "$PNAV" export --format frob good.folded
refused "an unknown column" 2 "'frob'" "$PNAV" report --sort frob good.folded
refused "a limit that is no number" 2 "'-1'" "$PNAV" report --limit -1 good.folded
refused "a size that is none" 2 'size' "$PNAV" --keys q --size 0x0 --snapshot good.folded
refused "an unknown key" 2 "'frobnicate'" "$PNAV" --keys frobnicate --snapshot good.folded
warned "a filter that matches nothing" "'nothing like it'" 'work,,,,user,,3,3' \
	$csv --exclude 'nothing like it' good.folded
refused "an export to a place that is not" 1 'no/where: ' \
	"$PNAV" export --format folded -o no/where good.folded

# ---- standard streams ----
# shell STATUS NAME PATTERN SCRIPT: an empty PATTERN expects silence
shell()
{
	run sh -c "$4"
	echo "# the status is not $1" >why
	[ $status = "$1" ] && if [ "$3" ]; then one_line "$3"; else ! [ -s err ]; fi
	verdict "$2" $?
}
export PNAV
shell 1 "stdout is closed" 'output' '"$PNAV_ALONE" report good.folded >&-'
if [ -w /dev/full ]; then
	shell 1 "stdout is full" 'output.*No space' '"$PNAV" report good.folded >/dev/full'
	shell 1 "stdout is full: export" 'No space' \
		'"$PNAV" export --format folded many.folded >/dev/full'
	shell 1 "stdout is full: --version" 'output' '"$PNAV" --version >/dev/full'
else
	skip "stdout is full" "there is no /dev/full"
fi
shell 0 "a reader that goes away" '' '"$PNAV" report many.folded | head -n 1 >/dev/null'
shell 0 "... from a dump" '' '"$PNAV" dump many.folded | head -n 1 >/dev/null'
shell 0 "stdin is closed, and not needed" '' '"$PNAV_ALONE" report good.folded <&-'
shell 1 "stdin is closed, and needed" '-: ' '"$PNAV_ALONE" report - <&-'
shell 1 "stdin is empty" '-: empty' '"$PNAV" report - </dev/null'
shell 0 "stderr is closed" '' '"$PNAV_ALONE" report bad.folded 2>&-'
shell 0 "stdin gives a profile" '' 'cat good.folded | "$PNAV" report -'

# ---- terminals ----
# on_terminal NAME STATUS PATTERN TERMINAL-ARGUMENTS...: what it writes holds PATTERN, and
# the terminal is left as it was found
on_terminal()
{
	name=$1 want=$2 pattern=$3
	shift 3
	if ! [ -x "$pty" ]; then
		skip "$name" "tests/lib/pty is not built"
		return
	fi
	run "$@"
	echo "# the status is not $want" >why
	[ $status = "$want" ] && ! [ -s err ] &&
		{ grep -aqe "$pattern" out || { echo "# no $pattern" >why; false; }; }
	verdict "$name" $?
}
TERM=xterm-256color
export TERM
on_terminal "a terminal of 20x5 says so, and Q ends it" 0 '20x5' \
	"$pty" -s 20x5 -k Q "$PNAV" good.folded
on_terminal "a terminal of 1x1" 0 '' "$pty" -s 1x1 -k Q "$PNAV" good.folded
fine "a snapshot of 20x5" '20x5' "$PNAV" --keys '' --size 20x5 --snapshot good.folded
on_terminal "TERM is not set" 2 '^pnav: .*TERM' \
	env -u TERM "$pty" "$PNAV" good.folded
on_terminal "TERM is unknown" 0 "frob-9000.*vt100" \
	env TERM=frob-9000 "$pty" -k Q "$PNAV" good.folded
on_terminal "a terminal that cannot move its cursor" 2 "^pnav: .*'dumb'" \
	env TERM=dumb "$pty" "$PNAV" good.folded
on_terminal "the terminal is whole after a damaged file" 3 \
	'1049l.*pnav: cut.br: at byte 26: ' "$pty" -k Q "$PNAV" cut.br
# On a slow machine the browser is open by the time that the file is refused: then the words
# come after the bracket that closes it.
on_terminal "... after a file that is none" 1 '\(^\|1049l.*\)pnav: letter: ' \
	"$pty" -k Q "$PNAV" letter
on_terminal "... after a file that is missing" 1 '\(^\|1049l.*\)pnav: missing: ' \
	"$pty" -k Q "$PNAV" missing


# Of several files one that cannot be read is named where people look, and the title has the others.
beat=$top_srcdir/tests/screens/beat.perf.txt
cp "$beat" "$scratch/a.perf.txt"
cp "$top_srcdir/tests/screens/shop.folded" "$scratch/b.folded"
: >"$scratch/empty"
missed()
{
	missed_promise=$1 missed_text=$2 missed_where=$3
	shift 3
	(cd "$scratch" && "$PNAV" --size 110x30 --snapshot "$@") >"$scratch/screen" 2>"$scratch/err"
	sed -n "$missed_where" "$scratch/screen" | grep -qF -- "$missed_text" &&
		ok "$missed_promise" || not_ok "$missed_promise" "$scratch/screen"
}
missed "the message names the file that is not there" 'nothere.txt: No such file' '$p' a.perf.txt nothere.txt
missed "and the title has the other one alone" 'pnav  a.perf.txt   perfscript' 1p a.perf.txt nothere.txt
missed "also where it comes first" 'pnav  a.perf.txt   perfscript' 1p nothere.txt a.perf.txt
missed "of two such it counts the other" '2 files (8 lists them): ' '$p' a.perf.txt nothere.txt empty
cp "$top_srcdir/tests/screens/open.json" "$scratch"
missed "two warnings: the message counts them" \
	"2 warnings (8 lists them): slices without an end" "\$p" open.json
missed "info is not complete" 'complete       no: nothere.txt: No such file' p --keys 8 a.perf.txt nothere.txt
missed "and lists what was not read" 'not read' p --keys 8 a.perf.txt b.folded nothere.txt
"$PNAV" report --view info --format csv "$beat" "$scratch/nothere" "$scratch/b.folded" >"$scratch/out" 2>"$scratch/err"
status=$?
[ $status = 3 ] && grep -q '^not read,.*nothere: No such file' "$scratch/out" &&
	[ "$(wc -l <"$scratch/err")" = 1 ] &&
	ok "so does the report, once" || not_ok "so does the report, once" "$scratch/err"
missed "a warning of the reader is in the message line" '3 warnings (8 lists them): ends without a begin' '$p' \
	"$top_srcdir/tests/data/labelled.pftrace"
# ---- a list that ends early ----

# The list names two processes of the command and has one.
cat "$top_srcdir/tests/golden/perfdata-beside/input.data" >beside.data
printf '\002' | dd of=beside.data bs=1 seek=152 conv=notrunc 2>/dev/null
run "$PNAV" report beside.data
check "a list of processes that ends early is reported" eval '
	[ $status -eq 0 ] && grep -q "warning: the list of the command.s processes is damaged: some may" err'

# Values that a file could name again and again must be short.
pickled()
{
	printf '(dp0\nS"timings"\n(dp1\n' >pickled.lprof
	printf "$@" >>pickled.lprof
	printf 'ss.' >>pickled.lprof
	run "$PNAV" report --input lprof pickled.lprof
}
digits=11111111111111111111111111111111
pickled 'S"unit"\nL%s%s%sL\n' $digits $digits $digits
check "a pickled number of 96 digits" eval '
	[ $status -eq 1 ] && one_line "at byte [0-9]*: opcode 0x4c: a number of more than 64 bytes"'

# A section of a packed profile that says it is larger than its frame.
printf 'main;one 1\nmain;two 2\n' >claim.folded
for i in 1 2 3 4 5 6 7 8 9; do printf 'main;a_long_name_of_number_%s_that_repeats_itself 1\n' $i; done >>claim.folded
"$PNAV" pack -o claim.pnav claim.folded 2>err
printf '\000\000\377\003\000\000\000\000' |
	dd of=claim.pnav bs=1 seek=32 conv=notrunc 2>/dev/null
run "$PNAV" report claim.pnav
check "a packed section with a false size" eval '
	[ $status -eq 3 ] && grep -q "at byte 16: .*damaged" err'

# A pipe that is read twice: its copy is in memory if TMPDIR is no folder.
awk 'BEGIN {
	print "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-21 23:19:43.069295]"
	for (i = 0; i < 20000; i++) {
		printf "1\t%d\t0\t%.6f\t1000\tcall_%d\t1\t\t/shop/index.php\t1\t0\n", i, i / 1e5, i % 7
		printf "1\t%d\t1\t%.6f\t1000\n", i, (i + 1) / 1e5
	}
	print "\t\t\t1.0\t900\nTRACE END   [2026-11-21 23:19:43.178878]"
}' >twice.xt
check "a TMPDIR that does not exist is none" eval '
	"$PNAV" report --format csv twice.xt >want 2>err && TMPDIR=$PWD/none "$PNAV" report --format csv - <twice.xt >got 2>err &&
	cat twice.xt | TMPDIR=$PWD/none "$PNAV" report --format csv - >piped 2>err && [ -s got ] && cmp want got && cmp want piped'
# Zeros behind the end, as a crash leaves them in a preallocated file: the rows are kept.
for case in art-dual perfetto-events otlp-bare otlptrace-proto pprof-inlined pprof-second; do
	for input in "$top_srcdir/tests/golden/$case"/input.*; do
		case $input in
		*.gz) gzip -dc "$input" ;;
		*) cat "$input" ;;
		esac >bare
	done
	"$PNAV" report --format csv bare >want 2>err
	for n in 1 3000; do
		{ cat bare; head -c "$n" /dev/zero; } >zeros
		run "$PNAV" report --format csv zeros
		echo "# the status is not 3, or the rows differ" >why
		[ "$status" = 3 ] && [ "$(wc -l <want)" -gt 1 ] && cmp want out >/dev/null
		verdict "$case: $n zeros behind the end" $?
	done
done

tap_done
