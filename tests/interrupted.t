#!/bin/sh
# An export that is ended by a signal leaves nothing: no part of the file, under whatever name, and
# no temporary file.  What was there before stays.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
[ -d /proc/self/fd ] || skip_all "no /proc to see what a process has open"
cd "$scratch" || exit 99
mkdir temporary place
TMPDIR=$scratch/temporary
export TMPDIR
(umask 022 && : >place/.probe) && rm place/.probe

# Half a second of writing, on whatever machine.
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "main;f%d;g%d;h%d 7\n", i % 97, i % 4099, i }' >big.folded

# writes PID: whether it has a file of one of the two folders open for writing
writes()
{
	for fd in /proc/"$1"/fd/*; do
		case $(readlink "$fd" 2>/dev/null) in
		"$scratch"/place/* | "$scratch"/temporary/*) return 0 ;;
		esac
	done
	return 1
}

# whole FORMAT: the file is what the format makes of it, so the signal came after its last byte
whole()
{
	"$PNAV" export --format "$1" -o whole big.folded 2>/dev/null && cmp -s whole place/kept
}

# ended FORMAT SIGNAL: nothing is left
ended()
{
	echo before >place/kept
	"$PNAV" export --format "$1" -o place/kept big.folded 2>err &
	pid=$!
	until writes $pid || ! kill -0 $pid 2>/dev/null; do :; done
	kill -s "$2" $pid 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
	ls -A place temporary >left
	if [ $status = 0 ]; then # it was faster; then it is whole
		[ "$(ls -A place)" = kept ] && [ -z "$(ls -A temporary)" ] && [ -s place/kept ]
		return
	fi
	early=$((early + 1))
	[ "$(ls -A place)" = kept ] && [ -z "$(ls -A temporary)" ] &&
		{ [ "$(head -c 6 place/kept)" = before ] || whole "$1"; }
}

early=0
for format in pprof chrome speedscope svg sqlite folded; do
	"$PNAV" export --format "$format" --where none:x -o /dev/null big.folded 2>/dev/null ||
		[ $format != sqlite ] || { skip "$format" "not built in"; continue; }
	for signal in TERM HUP KILL; do
		if ended "$format" "$signal"; then
			ok "$format, SIG$signal"
		else
			not_ok "$format, SIG$signal" left
		fi
	done
done
check "some were ended before they were done" [ "$early" -ge 4 ]

# A new name, one that is taken, and one that another has taken meanwhile, in turn.
check "a new file" eval '"$PNAV" export --format folded -o place/new big.folded && cmp place/new \
	big.folded >/dev/null || [ "$(wc -l <place/new)" = 60000 ]'
check "one that is there keeps its mode" eval 'echo x >place/old && chmod 640 place/old &&
	"$PNAV" export --format folded -o place/old big.folded && [ "$(wc -l <place/old)" = 60000 ] &&
	[ "$(stat -c %a place/old)" = 640 ] && [ "$(ls -A place | tr "\n" " ")" = "kept new old " ]'
check "through a link" eval 'ln -s old place/link &&
	"$PNAV" export --format folded -o place/link big.folded && [ -L place/link ] &&
	[ "$(wc -l <place/old)" = 60000 ]'
check "a folder that is not there" eval '! "$PNAV" export --format folded -o none/x big.folded &&
	[ ! -e none ]'
check "a name that is a folder" eval '! "$PNAV" export --format folded -o place/new/ big.folded &&
	! "$PNAV" export --format folded -o fresh/ big.folded && [ ! -e fresh ]'

tap_done
