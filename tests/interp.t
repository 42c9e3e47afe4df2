#!/bin/sh
# Frames of CPython in recordings and looks, see tests/lib/interp.sh.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

versions=
for v in 3.8 3.9 3.10 3.11 3.12 3.13 3.14 3.15; do
	for p in $PNAV_PYTHONS /usr/bin/python$v; do
		[ "${p##*python}" = $v ] && "$p" -c 'import sys' 2>/dev/null && versions="$versions $p"
	done
done
[ -n "$versions" ] || skip_all "there is no CPython from 3.8 to 3.15"
language=python loop=EvalFrameDefault waiting='<lambda>' outermost='<module>' area=Shape.area
program=$top_srcdir/tests/data/scripts.py
. "$top_srcdir/tests/lib/interp.sh"

interp_looks
interp_recordings 700
"$PNAV" record -q --no-interpreters -F 997 -o none.data -- "$run" "$program" 100 >truth 2>err
"$PNAV" report --view functions none.data >functions 2>&1
check "--no-interpreters: no function of the script" sh -c '! grep -q area functions'
# Threads that begin while a sample waits for its frames of Python.
cat >threads.py <<'END'
import threading
def work():
    for i in range(30000):
        pass
for i in range(400):
    t = threading.Thread(target=work)
    t.start()
    t.join()
END
"$PNAV" record -q --sampler ptrace -F 1997 -o threads.data -- "$run" threads.py >out 2>err
check "ptrace: every new thread is recorded" eval '
	n=$("$PNAV" dump threads.data | awk "\$2 == \"FORK\"" | wc -l) && echo "# $n" && [ "$n" -ge 400 ]'
tap_done
