#!/bin/sh
# `cache` in pnavrc: the browser keeps a packed copy of a large file and opens that the next time.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
cd "$scratch" || exit 99
XDG_CONFIG_HOME=$scratch/config XDG_CACHE_HOME=$scratch/cache
export XDG_CONFIG_HOME XDG_CACHE_HOME
mkdir -p config/pnav
cp "$top_srcdir/tests/golden/chrome-object/input.json" run.json

# shows VIEW: the screen of run.json
shows()
{
	"$PNAV" --snapshot --view "$1" --size 100x24 run.json >got 2>err
}
# copies N: so many copies are there, within ten seconds; a process writes them after the browser ended
copies()
{
	for _ in $(seq 100); do
		[ "$(find cache -name '*.pnav' 2>/dev/null | wc -l)" -eq "$1" ] && return
		sleep 0.1
	done
	return 1
}

shows functions && mv got want
check "without the setting there is no copy" copies 0
echo 'cache on' >config/pnav/pnavrc
shows functions
check "none of a file below 100 MB" eval 'cmp want got && sleep 0.3 && copies 0'
echo 'cache 0MB' >config/pnav/pnavrc
shows functions
check "a file from the size on has one" eval 'cmp want got && copies 1'
check "which its owner alone reads" eval '[ "$(stat -c %a cache/pnav/*.pnav)" = 600 ]'
shows functions
check "the next time it looks the same, below the name of the format" eval '
	[ "$(sed 1d want)" = "$(sed 1d got)" ]'
shows info
check "info says that the copy was read" grep -q "from the packed copy in pnav's cache" got
check "the copy is no further one" copies 1
"$PNAV" --no-config --snapshot --view info --size 100x24 run.json >got 2>err
check "--no-config reads the file" eval '! grep -q "packed copy" got'
"$PNAV" --input chrome --snapshot --view info --size 100x24 run.json >got 2>err
check "an option of the reading reads the file" eval '! grep -q "packed copy" got'

touch -d '2001-01-01' run.json
shows info
check "a changed file is read, and has a copy of its own" eval '! grep -q "packed copy" got && copies 2'
for file in cache/pnav/*.pnav; do
	head -c 300 "$file" >cut && cat cut >"$file"
done
shows functions
status=$?
check "in place of a damaged copy the file is read" eval '[ $status -eq 0 ] && cmp want got && [ ! -s err ]'
# a copy that is whole again
renewed()
{
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -n "$(find cache -name '*.pnav' -size +1k)" ] && return
		sleep .2
	done
	return 1
}
renewed
for file in cache/pnav/*.pnav; do
	: >"$file"
done
shows functions
status=$?
check "... and of an empty one" eval '[ $status -eq 0 ] && cmp want got && [ ! -s err ]'
renewed
shows info
check "... and has a new copy" eval 'copies 2 && grep -q "packed copy" got'
echo 'cache often' >config/pnav/pnavrc
shows functions
check "another word is a fault" grep -q "pnavrc:1: cache takes on, off" err
tap_done
