#!/bin/sh
# Programs in containers: their paths lead to other files here, or to none.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

built_with HAVE_RECORDER || skip_all "built without the recorder"
built_with HAVE_LIBDW || skip_all "built without elfutils: there are no names"
[ -x "$PNAV" ] || skip_all "pnav is not built"
[ "$(id -u)" -eq 0 ] || skip_all "only root makes a container here"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
command -v "$cc" >/dev/null 2>&1 || skip_all "there is no C compiler"
for tool in unshare pivot_root; do
	PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null 2>&1 || skip_all "$tool is not installed"
done
PATH=$PATH:/usr/sbin:/sbin
unset PNAV_SAMPLER
cd "$scratch" || exit 99
"$cc" -O1 -g -static -fno-omit-frame-pointer -Wl,--build-id -o box "$top_srcdir/tests/data/box.c" \
	>cc.log 2>&1 || skip_all "no static program can be built"
mkdir root
# container MODE: box, in a mount and pid namespace of its own, as /bin/box
container()
{
	unshare -m -p -f sh -c 'mount -t tmpfs tmpfs root && mkdir root/bin root/tmp root/old &&
		cp box root/bin/box && cd root && pivot_root . old && exec /bin/box "$1"' - "$1" &
	unshared=$!
	for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		inside=$(cat /proc/$unshared/task/$unshared/children 2>/dev/null)
		inside=${inside% }
		case $(tr '\0' ' ' 2>/dev/null </proc/${inside:-self}/cmdline) in
		/bin/box*) return 0 ;;
		esac
		sleep 0.1
	done
	return 1
}
ends()
{
	kill -9 $inside
	wait $unshared
} 2>/dev/null
# most FILE FUNCTION: it has more than half of the time of the program
most()
{
	"$PNAV" report --format csv --columns self,function --include "module:=/bin/box" "$1" 2>err |
		awk -F, -v of="$2" 'NR > 1 { n += $1 } $2 == of { own = $1 }
			END { print of ": " own + 0 " of " n + 0; exit !(own > n / 2) }'
}

container work || skip_all "no container can be made: $(cat cc.log)"
"$PNAV" record -q -p $inside --duration 300ms -o pid.data </dev/null 2>err
"$PNAV" record -q -a --duration 300ms -o all.data </dev/null 2>err
"$PNAV" record -q -p $inside --call-graph dwarf --duration 300ms -o dwarf.data </dev/null 2>err
"$PNAV" stacks -p $inside --format folded >stacks 2>err
ends
rm -f box.gone && mv box box.gone
check "record -p names the functions of a container" most pid.data box_work
check "record -a, too" most all.data box_work
check "stacks are unwound to their beginning" eval '
	"$PNAV" export --format folded dwarf.data 2>err | tee folded | grep -q "main;.*box_work"'
check "stacks -p, too" grep -q "main.*;box_work" stacks
mv box.gone box

container children
"$PNAV" record -q -a --duration 500ms -o children.data </dev/null 2>err
ends
check "programs that begin in a container meanwhile have names" most children.data box_child

container jit
"$PNAV" stacks -p $inside --format folded >stacks 2>err
check "names that a JIT compiler writes in a container" grep -q box_jit stacks
"$PNAV" record -q -p $inside --duration 300ms -o jit.data </dev/null 2>err
ends
"$PNAV" report --format csv --columns function --limit 1 jit.data >out 2>err
check "... are in a recording" grep -q box_jit out
tap_done
