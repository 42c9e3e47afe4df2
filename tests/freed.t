#!/bin/sh
# What the screen shows comes from memory that is still there.  Each line plays keys that make
# pictures of several trees and profiles in turn (labels give a profile of their own, u goes back),
# with freed memory overwritten in three ways: the screens are the same, and nothing falls.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
if "$PNAV" --version >/dev/null 2>&1; then :; else skip_all "pnav does not run"; fi
cp "$top_srcdir/tests/data/labelled.pftrace" "$scratch"
cd "$scratch" || exit 99

# plays KEYS...
plays()
{
	for perturb in 0 1 165; do
		MALLOC_PERTURB_=$perturb timeout 120 "$PNAV" --no-config --size 100x30 --keys "$1" \
			--snapshot labelled.pftrace >"screen.$perturb" 2>err
		status=$?
		if [ $status -ne 0 ]; then
			{ echo "status $status with MALLOC_PERTURB_=$perturb"; cat err; } >why
			not_ok "$1" why
			return
		fi
	done
	if cmp -s screen.0 screen.1 && cmp -s screen.0 screen.165; then
		ok "$1"
	else
		diff screen.0 screen.165 >why
		not_ok "$1" why
	fi
}

plays "L Enter L j ^X 5 1 u : 'last 1s' Enter 5"
plays "5 L Enter u L j Enter u r u 5 j . ."
plays "5 L j ^X u L j j ^X u 5 / a Enter n n u n"
plays "L Enter 1 B u B 5 u U 1 B u"
plays "t L Esc L Enter t Esc u t Esc 3 > u >"
plays "3 L Enter u L Enter u u 3 j 4 I I u u 4"
plays "7 o a L Enter u 7 j L j ^X 7 u 7"
plays "v L Enter u 5 v L j ^X u v 5"
tap_done
