#!/bin/sh
# The static executable, where nothing is installed: in a root directory with only that file and a
# profile.  PNAV_STATIC names the file; without it, pnav itself if it is static.  PNAV_EMULATOR is a
# static program that runs it, for a file of another machine.  ./release runs this for the files that
# it made.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

file=${PNAV_STATIC:-$PNAV}
[ -x "$file" ] || skip_all "pnav is not built"
file "$file" 2>/dev/null | grep -q 'statically linked' ||
	skip_all "no static executable: PNAV_STATIC names none (configure --enable-static-file)"
cd "$scratch" || exit 99
mkdir root
cp "$file" root/pnav
emulator=
[ -z "${PNAV_EMULATOR:-}" ] || { cp "$PNAV_EMULATOR" root/emulator; emulator=/emulator; }
cp "$top_srcdir/data/sample.perfscript.gz" "$top_srcdir/tests/golden/perfetto-events/input.pftrace" root/
if [ "$(id -u)" = 0 ] && chroot root $emulator /pnav --version >out 2>&1; then
	into="$(command -v chroot) root"
	check "the root directory has nothing else" test "$(ls root | wc -l)" -eq $((3 + ${emulator:+1} + 0))
else
	skip "in an empty root directory" "chroot is not permitted; the other tests run beside it"
	into=
fi
# alone ARG...: pnav there, with an environment of nothing but $with
with=
alone()
{
	if [ "$into" ]; then
		env -i $with $into $emulator /pnav "$@"
	else
		(cd root && env -i $with ${emulator:+./emulator} ./pnav "$@")
	fi
}

"$PNAV" report --format csv "$top_srcdir/data/sample.perfscript.gz" >want 2>err
check "a report equals that of pnav here" eval 'alone report --format csv sample.perfscript.gz | cmp want -'
"$PNAV" report --format csv --view slices "$top_srcdir/tests/golden/perfetto-events/input.pftrace" >want 2>err
check "a trace, too" eval 'alone report --format csv --view slices input.pftrace 2>err | cmp want -'
check "the manual is inside" eval 'alone manual formats | grep -q perfdata && alone manual pack | grep -q "pnav-pack - packed"'
check "every page of the manual" eval '(
	for page in "$top_srcdir"/man/*.[1-9]; do
		alone manual "$(basename "$page")" | grep -q . || exit 1
	done)'
check "the licences are inside" eval 'alone --licenses | grep -q "Redistribution and use"'
check "stored queries are inside" eval 'alone sql --query hottest-functions sample.perfscript.gz | grep -q .'
check "SQL without full-text tables" eval 'alone sql --format csv "SELECT count(*) FROM functions" sample.perfscript.gz | grep -q "^[1-9]"'
check "a pack is written and read" eval 'alone pack -o /x.pnav sample.perfscript.gz 2>err || [ ! "$into" ] &&
	{ [ ! "$into" ] || alone report --format csv /x.pnav | grep -q .; }'
"$PNAV" report --format csv "$top_srcdir/data/sample.perfscript.gz" >want.sample 2>err
check "a database is written and read, without a folder for temporary files" eval '
	alone export --format sqlite -o x.db sample.perfscript.gz 2>err &&
	alone report --format csv x.db 2>err | cmp want.sample -'
cp "$top_srcdir/tests/golden/perfdata-embedded/input.data" root/
with=DEBUGINFOD_URLS=http://127.0.0.1:9
check "debuginfod is not asked, with words" eval '
	alone symbols --debuginfod input.data | grep -q "debuginfod cannot be asked: a static executable"'
with=
alone report https://localhost:1/x.pb >out 2>err
status=$?
check "a URL is refused with words" eval '[ $status -eq 1 ] && grep -qi "curl\|https\|TLS" err'

# stretched FILE: a recording of perf with 800,000 bytes of rounds before the sections at its end,
# which are read first
stretched()
{
	python3 - "$1" <<'END'
import struct, sys
d = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", d, 40)
rounds = struct.pack("<IHH", 68, 0, 8) * 100000
for i in range(sum(bin(b).count("1") for b in d[72:104])):
    place = at + size + 16 * i
    struct.pack_into("<Q", d, place, struct.unpack_from("<Q", d, place)[0] + len(rounds))
struct.pack_into("<Q", d, 48, size + len(rounds))
sys.stdout.buffer.write(d[:at + size] + rounds + d[at + size:])
END
}

# What needs Python. In a terminal: what TERM says is unknown here, and no locale is named.
command -v python3 >/dev/null 2>&1 || { skip "a pipe, and in a terminal" "python3 is not installed"; tap_done; }
stretched "$top_srcdir/tests/golden/perfdata-two-cpus/input.data" >long.data
"$PNAV" report --format csv long.data >want.long 2>err
check "a pipe is kept without a folder for temporary files" eval '
	cat long.data | alone report --format csv - >got 2>err && cmp want.long got'
# screen TERM COLUMN: what pnav draws on a terminal of this name, whose cursor is in that column after
# a character of two bytes
screen()
{
	[ "$into" ] && run="$into $emulator /pnav" || run="${emulator:+root/emulator} root/pnav"
	[ "$into" ] && where=/ || where=root/
	python3 "$top_srcdir/tests/lib/charset_terminal.py" "$1" "$2" $run "${where}sample.perfscript.gz" >drawn 2>err
}
for term in xterm-256color vt100 linux tmux-256color unheard-of xterm-unheard-of; do
	check "TERM=$term: the first screen" eval 'screen $term 2 && grep -q sqlite drawn'
done
check "a terminal that shows UTF-8 gets it, without a locale" eval 'screen xterm 2 && LC_ALL=C grep -q "$(printf "\342")" drawn'
check "one that does not gets ASCII" eval 'screen xterm 3 && grep -q sqlite drawn && ! LC_ALL=C grep -q "$(printf "\342")" drawn'
tap_done
