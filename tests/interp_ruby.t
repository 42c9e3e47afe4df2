#!/bin/sh
# Frames of Ruby in recordings and looks, see tests/lib/interp.sh.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

# shows_its_state RUBY - whether its library shows where its state is (Debian 13's does not)
shows_its_state() {
	"$1" -e 'sleep 9' &
	sleep 0.5
	"$PNAV" stacks -p $! 2>&1 | grep -q 'hides ruby_current_vm_ptr'
	set -- $? $!
	kill "$2"
	[ "$1" -ne 0 ]
}

versions=
for p in $PNAV_RUBIES /usr/bin/ruby; do
	"$p" -e 'exit RUBY_VERSION.between?("3.0", "3.4")' 2>/dev/null && shows_its_state "$p" &&
		versions="$versions $p"
done
[ -n "$versions" ] || skip_all "there is no Ruby from 3.0 to 3.3 that shows its state"
language=ruby loop=rb_vm_exec waiting='block in <main>' outermost='<main>' area=area
program=$top_srcdir/tests/data/scripts.rb
. "$top_srcdir/tests/lib/interp.sh"

interp_looks
interp_recordings 400
tap_done
