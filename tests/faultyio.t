#!/bin/sh
# Reads that go wrong: a library that is preloaded (lib/faulty_io.c) makes the Nth read of a
# command fail, end, be interrupted, or find the file cut, emptied or overwritten meanwhile.
#
# What holds whatever the read: the command ends by itself with a status of the manual, one
# line a message; a read that only has to be made again changes nothing; what fails is
# reported, with status 1 and nothing on stdout, or 3 and what was read before.
forked=yes
shim=${top_builddir:=${top_srcdir:=$(dirname "$0")/..}}/tests/lib/faulty_io.so
preloaded=$shim
# A sanitizer expects to be the first library; here that is not necessary.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
export ASAN_OPTIONS
. "$top_srcdir/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
[ -f "$shim" ] || skip_all "tests/lib/faulty_io.so is not built"
cd "$scratch" || exit 99

# with FAULT FILE COMMAND...: status, out and err; FAULT strikes reads of FILE, which is here
with()
{
	fault=$1 struck=$2
	shift 2
	: >reads
	FAULTY_IO=$fault FAULTY_IO_FILE=$scratch/$struck LD_PRELOAD=$shim FAULTY_IO_LOG=reads timeout 60 "$@" >out 2>err
	status=$?
}

with none nothing "$PNAV" --version
[ $status = 0 ] || skip_all "nothing can be preloaded here: $(head -n 1 err)"

# sane: the status is one of the manual, messages are messages
sane()
{
	why="status $status"
	case $status in
	0) ;;
	1)
		! [ -s out ] || return 1
		[ -s err ] ;;
	3)
		[ -s err ] ;;
	*)
		false ;;
	esac || return 1
	why="a line on stderr that is no message"
	while read -r line; do
		case $line in
		'pnav: '*) ;;
		*) return 1 ;;
		esac
	done <err
}

# again NAME FAULT: the result is that of the command without a fault
again()
{
	why="another result, status $status"
	[ $status = "$good" ] && cmp -s out good.out && cmp -s err good.err
}

verdict()
{
	if [ -s bad ]; then
		not_ok "$1" bad
	else
		ok "$1"
	fi
}

note()
{
	{ echo "$1: $why"; head -n 5 err; } >>bad
}

# faults NAME FILE COMMAND...: all faults at each of the first reads of a copy of FILE, which
# comes last in the command.
faults()
{
	name=$1 file=$2
	shift 2
	cp "$file" "$(basename "$file")"
	[ -f "$file.BIN" ] && cp "$file.BIN" .
	keep=$(basename "$file")
	with none "$keep" "$@" "$keep"
	mv out good.out
	mv err good.err
	good=$status
	n=$(wc -c <reads)
	: >bad
	[ "$n" -gt 0 ] || echo "no read was seen" >bad
	[ "$n" -le 12 ] || n=12
	with short "$keep" "$@" "$keep"
	again || note short
	verdict "$name: reads of a few bytes"

	: >bad
	i=0
	while [ $i -lt "$n" ]; do
		for error in EINTR EAGAIN; do
			with $error@$i "$keep" "$@" "$keep"
			again || note $error@$i
		done
		i=$((i + 1))
	done
	verdict "$name: reads that are interrupted"

	: >bad
	i=0
	while [ $i -lt "$n" ]; do
		for error in EIO@$i EISDIR@$i EIO+$i end@$i; do
			with $error "$keep" "$@" "$keep"
			sane || note $error
		done
		i=$((i + 1))
	done
	verdict "$name: reads that fail"

	: >bad
	i=0
	while [ $i -lt "$n" ]; do
		for change in half empty zero; do
			with $change@$i "$keep" "$@" "$keep"
			sane || note $change@$i
			cp "$file" "$keep"
		done
		i=$((i + 1))
	done
	verdict "$name: a file that changes while it is read"
}

golden=$top_srcdir/tests/golden
for case in br-names bsprof-small folded-names hqnplog-small perfdata-two-cpus \
	perfdata-compressed perfdata-pipe perfscript-chains prf-example text1-example \
	text1-binary; do
	for file in "$golden/$case"/input.*; do
		case $file in
		*.BIN) continue ;;
		esac
		faults "$case report" "$file" "$PNAV" report --format csv
	done
done
faults "dump" "$golden/perfdata-two-cpus/input.data" "$PNAV" dump
faults "export" "$golden/hqnplog-small/input.plog" "$PNAV" export --format folded
faults "browse" "$golden/br-names/input.log" "$PNAV" --size 80x24 --snapshot --no-config

# Compressed data, and more of them than one read gives.
i=0
while [ $i -lt 20000 ]; do
	echo "main;f$((i % 700));g$i $i"
	i=$((i + 1))
done >large.txt
gzip -kf large.txt
mkdir -p in
mv large.txt large.txt.gz in
faults "large report" in/large.txt "$PNAV" report --format csv
faults "gzip report" in/large.txt.gz "$PNAV" report --format csv

# A disk that fails in the middle: everything before is kept, and the byte is reported.
cp in/large.txt .
with none large.txt "$PNAV" report --format csv large.txt
all=$(wc -l <out)
with EIO@2 large.txt "$PNAV" report --format csv large.txt
if [ $status = 3 ] && grep -q '^pnav: large.txt: at byte [0-9]*: cannot read: Input/output error' err &&
	[ "$(wc -l <err)" = 1 ] && [ "$(wc -l <out)" -gt 1 ] && [ "$(wc -l <out)" -lt "$all" ]; then
	ok "what was read before an error stays"
else
	{ echo "status $status, $(wc -l <out) lines of $all"; cat err; } >report
	not_ok "what was read before an error stays" report
fi
with EIO+0 large.txt "$PNAV" report --format csv large.txt
if [ $status = 1 ] && ! [ -s out ] && grep -q 'Input/output error' err; then
	ok "a file of which nothing can be read is refused"
else
	{ echo "status $status"; cat err; } >report
	not_ok "a file of which nothing can be read is refused" report
fi
tap_done
