#!/bin/sh
# The line that says how far slow work is, on a terminal alone.  What makes the work slow is a
# FIFO whose reader sleeps, or a server that never answers: neither depends on the machine.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

pty=$top_builddir/tests/lib/pty
[ -x "$PNAV" ] || skip_all "pnav is not built"
[ -x "$pty" ] || skip_all "tests/lib/pty is not built"
cd "$scratch" || exit 99
cp "$top_srcdir/data/sample.perfscript.gz" a.gz
mkfifo fifo
clear=$(printf '\r\033[K')

# slowly FORMAT COMMAND...: an export whose reader begins after a second
slowly()
{
	(sleep 1; cat) <fifo >got &
	reader=$!
	format=$1
	shift
	"$@" "$PNAV" export --format "$format" -o fifo a.gz >out 2>err
	slowly_status=$?
	wait $reader
	return $slowly_status
}
for format in chrome sqlite speedscope; do
	[ $format = sqlite ] && ! grep -q '^#define HAVE_SQLITE 1' "$top_builddir/config.h" && continue
	"$PNAV" export --format $format -o want a.gz
	slowly $format "$pty" && grep -qE "$clear"'pnav: a.gz: writing(: [0-9,]+ of 7,543 events)?, [0-9]+ s' out &&
		ok "$format: a line while it is written" || not_ok "$format: a line while it is written" out
	# sqlite says how it was called, which differs here by the name of the output
	check "$format: ... which is removed at the end, before the prompt" eval '
		tail -c 4 out | grep -qF "$(printf "\\033[K")" && [ -s got ]'
	[ $format = sqlite ] || check "$format: ... and the file is the same" cmp want got
done
check "a count of events" eval 'slowly chrome "$pty" && grep -qE ": [1-9][0-9,]* of 7,543 events" out'
check "where stderr is no terminal there is none" eval 'slowly chrome env && ! grep -q writing err && [ -s err ]'

if command -v python3 >/dev/null 2>&1 && grep -q '^#define HAVE_LIBCURL 1' "$top_builddir/config.h"; then
	unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
	python3 -c '
import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(9)
print(s.getsockname()[1], flush=True)
time.sleep(600)' >port &
	mute=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -s port ] && break
		sleep 0.1
	done
	check "store: a line while the server is silent" eval '
		"$pty" "$PNAV" store --timeout 1 --service s clickhouse://127.0.0.1:$(cat port)/d a.gz >out 2>err
		[ $? -eq 1 ] && grep -q "asking the server, 0 s" out && grep -q "sent nothing for 1 s" out'
	kill -9 $mute
	wait $mute 2>/dev/null
else
	skip "store: a line while the server is silent" "there is no python3 or no libcurl"
fi
tap_done
