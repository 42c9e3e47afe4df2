#!/bin/sh
# Files that name frames by build id and address alone, of a program that is built here: what
# its file knows, the same file with another build id, and none.
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
"$PNAV" formats --format json | grep -q '"elfutils"' || skip_all "built without elfutils"
cc=${PNAV_COMPILE:-cc}
cc=${cc#ccache }
cc=${cc%% *}
for i in "$cc" readelf nm objdump; do
	command -v "$i" >/dev/null 2>&1 || skip_all "there is no $i"
done
cd "$scratch" || exit 99
cat >job.c <<'EOF'
static int inner(int x) { return x * 7 + 1; }
__attribute__((noinline)) int outer(int x)
{
	volatile int y = x;
	y = inner(y);
	return y;
}
__attribute__((noinline)) int walk(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += outer(i);
	return sum;
}
int main(int argc, char **argv) { (void)argv; return walk(argc); }
EOF
"$cc" -g -O2 -Wl,--build-id -o job job.c >cc.log 2>&1 || skip_all "nothing can be built"
id=$(readelf -n job | sed -n 's/.*Build ID: //p')
at=$(nm job | sed -n 's/ T outer$//p' | sed 's/^0*//')
[ "$id" ] && [ "$at" ] || skip_all "the linker gives no build id"

# listed WORD...: between brackets
listed() { printf '[%s]' "$(echo "$@" | sed 's/ /,/g')"; }

# samply BUILD-ID FILE ADDRESS...: what samply writes before it is asked for names; a sample each
samply()
{
	build_id=$1 file=$2
	shift 2
	n=$# i=0 numbers= addresses= names= nulls= none= times=
	for each do
		numbers="$numbers $i" addresses="$addresses $((0x$each))" names="$names \"0x$each\""
		nulls="$nulls null" none="$none 0" times="$times $((i + 1))" i=$((i + 1))
	done
	cat <<EOF
{"meta":{"interval":1,"startTime":0,"version":24,"preprocessedProfileVersion":49,
"product":"job","categories":[{"name":"User","color":"yellow","subcategories":["Other"]}]},
"libs":[{"name":"job","path":"$scratch/$file","debugName":"job","codeId":"$build_id"}],
"threads":[{"name":"main","pid":"1","tid":1,"isMainThread":true,
"samples":{"length":$n,"stack":$(listed $numbers),"time":$(listed $times),"weight":null,
"weightType":"samples"},
"markers":{"length":0,"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"data":[]},
"stackTable":{"length":$n,"prefix":$(listed $nulls),"frame":$(listed $numbers)},
"frameTable":{"length":$n,"address":$(listed $addresses),"inlineDepth":$(listed $none),
"category":$(listed $none),"func":$(listed $numbers),"line":$(listed $nulls)},
"funcTable":{"length":$n,"name":$(listed $numbers),"isJS":$(listed $nulls | sed 's/null/false/g'),
"resource":$(listed $none),"fileName":$(listed $nulls),"lineNumber":$(listed $nulls)},
"resourceTable":{"length":1,"lib":[0],"name":[0],"type":[1]},
"nativeSymbols":{"length":0},"stringArray":$(listed $names)}]}
EOF
}
samply "$id" job "$at" >job.json
samply "00$id" job "$at" >other.json

# says FILE ROW ARGUMENT...: the report has the row
says()
{
	file=$1 row=$2
	shift 2
	"$PNAV" report --format csv "$@" "$file" >out 2>err
	grep -qxF -- "$row" out && return
	cat out err
	return 1
}

# perfetto BUILD-ID...: two perf samples at that address, the build id in digits
perfetto()
{
	python3 - "$scratch/job" "$@" "$((0x$at))" <<'EOF'
import sys
path, build_id, at = sys.argv[1], bytes.fromhex(sys.argv[2]), int(sys.argv[3])
def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])
def msg(*fields):
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out
interned = msg((16, msg((1, 1), (2, build_id))), (17, msg((1, 1), (2, path[1:]))),
               (19, msg((1, 1), (2, 1), (7, b"\x01"))),
               (6, msg((1, 1), (3, 1), (4, at))), (7, msg((1, 1), (2, b"\x01"))))
out = msg((1, msg((10, 5), (13, 1), (12, interned))))
for time in (1000, 2000):
    out += msg((1, msg((8, time), (10, 5), (66, msg((2, 1), (3, 1), (4, 1))))))
sys.stdout.buffer.write(out)
EOF
}

where=$scratch/job.c
check "samply: the file that ran names an address" \
	says job.json "outer,$where,2,job,user,,1,1"
check "samply: the leaf keeps its address" \
	says job.json "outer,0x$at,1" --by address --columns function,address,self
check "samply: a file of another build id does not" says other.json "0x$at,,,job,user,,1,1"
if command -v python3 >/dev/null 2>&1; then
	perfetto "$id" >job.pftrace
	perfetto "00$id" >other.pftrace
	check "perfetto: the file that ran names an address" \
		says job.pftrace "outer,$where,2,$scratch/job,user,,2,2" --metric samples
	check "perfetto: a file of another build id does not" \
		says other.pftrace "0x$at,,,$scratch/job,user,,2,2" --metric samples
else
	skip "perfetto: names of addresses" "there is no python3"
fi

# ---- parts of functions in a stripped file ----
cat >cold.c <<'EOF'
__attribute__((cold, noinline)) void rare(int *p) { p[0] = p[1] + 3; }
/* its bytes look like jumps into what begins at a symbol that is no function */
#define JUMP ".byte 0xe9; .long __data_start + 2 - . - 4\n"
static __attribute__((noinline)) int hidden(int *p)
{
	__asm__ volatile("jmp 1f\n" JUMP JUMP JUMP "1:");
	rare(p);
	return p[0] * 5;
}
__attribute__((noinline)) int busy(int *p, int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++) {
		if (p[i] > 100) { rare(p); sum += p[0]; rare(p + 1); }
		sum += p[i] * 3;
		if (p[i] < -100) { rare(p); sum -= p[0]; rare(p + 1); }
		sum ^= i;
		if (sum == 77) { rare(p); rare(p + 1); sum++; }
	}
	return sum;
}
int main(int argc, char **argv)
{
	int p[4] = {argc, 101, -101, argv[0][0]};
	return busy(p, 2) + hidden(p);
}
EOF
"$cc" -O2 -rdynamic -Wl,--build-id -o cold cold.c >cc.log 2>&1
cold_id=$(readelf -n cold | sed -n 's/.*Build ID: //p')
part=$(nm cold | sed -n 's/ [tT] busy\.cold$//p')
hidden=$(nm cold | sed -n 's/ [tT] hidden$//p')
if [ "$part" ] && [ "$hidden" ] && strip cold 2>/dev/null && [ "$(uname -m)" = x86_64 ]; then
	part=$(printf %x $((0x$part + 20))) hidden=$(printf %x $((0x$hidden)))
	samply "$cold_id" cold "$part" "$hidden" >cold.json
	sed -i 's/"name":"job","path"/"name":"cold","path"/' cold.json
	check "stripped: a part has the name of its function" \
		says cold.json "busy.cold,,,cold,user,,1,1"
	check "stripped: another function has none" says cold.json "0x$hidden,,,cold,user,,1,1"
else
	skip "stripped: parts of functions" "this compiler makes none"
fi

# ---- symbols ----
told() { "$PNAV" symbols "$1" >out 2>err && grep -qxF "$2" out; }
check "symbols: a file that is here" told job.json "found    $id $scratch/job"
"$PNAV" symbols other.json 2>err | grep -q "^missing  00$id $scratch/job: build id 00$id: no file" &&
	ok "symbols: a file of another build" || not_ok "symbols: a file of another build" err

# ---- files that lie elsewhere ----
# The program stripped, and what was split off it: by the name in the file, by build id in folders
# as gdb has them, by any name; then the program itself moved away.
if command -v objcopy >/dev/null 2>&1 && command -v strip >/dev/null 2>&1; then
	cp job whole
	objcopy --only-keep-debug job job.debug
	strip job
	known="outer,$where,2,job,user,,1,1"
	mkdir -p split/.build-id/"${id%"${id#??}"}" named programs/deep
	cp job.debug split/.build-id/"${id%"${id#??}"}/${id#??}.debug"
	cp job.debug named/"$id.debug"
	cp whole programs/deep/other-name
	mv job.debug kept.debug
	check "stripped: nothing knows the address" says job.json "0x$at,,,job,user,,1,1"
	check "symbols: that it is stripped" told job.json \
		"found    $id $scratch/job: stripped, and its debug file is missing"
	check "--symbols: a debug file by build id" says job.json "$known" --symbols split
	check "--symbols: from the two digits on" says job.json "$known" --symbols split/.build-id
	check "--symbols: by the whole id" says job.json "$known" --symbols named
	check "--symbols: a file of any name" says job.json "$known" --symbols programs
	check "--symbols: more than one" says job.json "$known" --symbols programs/deep --symbols split
	"$PNAV" symbols --symbols split job.json >out 2>err &&
		grep -qx "found    $id $scratch/job: debug file split/.build-id/.*\.debug" out &&
		ok "symbols: where the debug file is" || not_ok "symbols: where the debug file is" out
	cp kept.debug job.debug
	check "a debug file beside the program" says job.json "$known"
	rm job.debug
	mv job gone
	check "a program that is gone" says job.json "0x$at,,,job,user,,1,1"
	check "--symbols: found again by its id" says job.json "$known" --symbols programs
	check "symbols: where it is" eval '"$PNAV" symbols --symbols programs job.json |
		grep -qx "found    $id $scratch/job: programs/deep/other-name"'
	# what was split off has all names, and is all that a developer keeps of what he ships
	check "--symbols: a debug file alone, by build id" says job.json "$known" --symbols split
	check "--symbols: a debug file alone, by the whole id" says job.json "$known" --symbols named
	mkdir any empty
	cp kept.debug any/job.debug
	check "--symbols: a debug file alone, of any name" says job.json "$known" --symbols any
	check "symbols: that it is one" eval '"$PNAV" symbols --symbols any job.json |
		grep -qx "found    $id $scratch/job: any/job.debug"'
	for how in -no-pie -fuse-ld=lld; do
		"$cc" -g -O2 $how -Wl,--build-id -o other job.c 2>cc.log || {
			skip "a debug file alone: $how" "nothing of that kind can be built"
			continue
		}
		objcopy --only-keep-debug other any/other.debug
		# samply counts from the first segment
		first=$(readelf -lW other | awk '$1 == "LOAD" { print $3; exit }')
		samply "$(readelf -n other | sed -n 's/.*Build ID: //p')" nowhere \
			"$(printf %x $((0x$(nm other | sed -n 's/ T outer$//p') - first)))" >nowhere.json
		check "a debug file alone: $how" says nowhere.json "outer,$where,2,job,user,,1,1" \
			--symbols any
	done
	"$PNAV" symbols --symbols empty job.json | grep -q "^missing .*in the folders of --symbols" &&
		ok "symbols: that the folders have it not" ||
		not_ok "symbols: that the folders have it not"
	mv whole job
else
	skip "files that lie elsewhere" "there is no objcopy"
fi
"$PNAV" report --symbols nowhere job.json 2>err
[ $? -eq 2 ] && grep -q "^pnav: --symbols takes a folder, which 'nowhere' is not" err &&
	ok "--symbols: no folder" || not_ok "--symbols: no folder" err

# A program that is put where it says: samply counts from its first segment.
if "$cc" -g -O2 -no-pie -Wl,--build-id -o fixed job.c 2>cc.log; then
	fixed_at=$(nm fixed | sed -n 's/ T outer$//p' | sed 's/^0*//')
	first=$(readelf -lW fixed | awk '$1 == "LOAD" { print $3; exit }')
	samply "$(readelf -n fixed | sed -n 's/.*Build ID: //p')" fixed \
		"$(printf %x $((0x$fixed_at - first)))" >fixed.json
	check "samply: a program that is not moved" says fixed.json "outer,$where,2,job,user,,1,1"
else
	skip "samply: a program that is not moved" "nothing of that kind can be built"
fi

# ---- debuginfod ----
# A server of the test's own; no server is queried without an option.
server=
if command -v python3 >/dev/null 2>&1 && [ -e kept.debug ] &&
	ldconfig -p 2>/dev/null | grep -q libdebuginfod.so.1; then
	mkdir -p "served/buildid/$id"
	cp kept.debug "served/buildid/$id/debuginfo"
	cp gone "served/buildid/$id/executable"
	(cd served && exec python3 -c '
import functools, http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, form, *words):
        print(words[0], file=open("../asked", "a"))
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
print(s.server_address[1], file=open("../port.part", "w"))
import os
os.rename("../port.part", "../port")
s.serve_forever()') >/dev/null 2>&1 &
	server=$!
	trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
	while [ ! -f port ] && kill -0 $server 2>/dev/null; do sleep 0.05; done
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
	DEBUGINFOD_CACHE_PATH=$scratch/cache
	export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
	mv job whole
	cp gone job
	check "debuginfod: not by itself" says job.json "0x$at,,,job,user,,1,1"
	check "debuginfod: nobody was asked" [ ! -e asked ]
	check "debuginfod: the debug file" says job.json "outer,$where,2,job,user,,1,1" --debuginfod
	check "debuginfod: of this build id" grep -q "GET /buildid/$id/debuginfo " asked
	rm job
	check "debuginfod: the program, too" says job.json "outer,$where,2,job,user,,1,1" --debuginfod
	check "debuginfod: which is reported" eval '"$PNAV" symbols --debuginfod job.json |
		grep -q "^found    $id $scratch/job: $scratch/cache/.*, debug file $scratch/cache/"'
	check "debuginfod: another id is not there" says other.json "0x$at,,,job,user,,1,1" --debuginfod
	"$PNAV" symbols --debuginfod other.json | grep -q "and debuginfod has none" &&
		ok "debuginfod: which is reported, too" || not_ok "debuginfod: which is reported, too"
	mv whole job
	kill $server
	unset DEBUGINFOD_URLS
	"$PNAV" report --debuginfod job.json 2>err
	[ $? -eq 2 ] && grep -q "DEBUGINFOD_URLS names no server" err &&
		ok "debuginfod: no server" || not_ok "debuginfod: no server" err
else
	skip "debuginfod" "there is no libdebuginfod, or no python3"
fi

# ---- instructions ----

# shown PROMISE FILE KEYS REGEX [OPTION...]: the screen has it
shown()
{
	promise=$1 file=$2 keys=$3 regex=$4
	shift 4
	if "$PNAV" --no-config --size 80x30 --snapshot "$@" --keys "$keys" "$file" >screen 2>err &&
		grep -qE -e "$regex" screen; then
		ok "$promise"
	else
		echo "$keys: $regex" | cat err - >>screen
		not_ok "$promise" screen
	fi
}

if "$PNAV" formats --format json | grep -q '"capstone"'; then
	check "instructions: the one that was hit, of the function" \
		says job.json "outer,0x$at,1" --view instructions --columns function,address,self
	# every instruction of the function, as nm and readelf know its bounds
	first=$("$PNAV" report --format csv --view instructions --columns address job.json | sed -n 2p)
	check "instructions: the function begins where it does" [ "$first" = "0x$at" ]
	"$PNAV" report --format csv --view instructions --columns instruction,line job.json >all
	check "instructions: its last returns" grep -q '^"\{0,1\}ret' all
	check "instructions: with their lines" grep -q ',5$' all
	check "instructions: of a file with another build id none, and both ids are reported" \
		says other.json "0x$at,0x$at,,1" --view instructions \
		--columns function,address,instruction,self
	grep -q "its build id was 00$id, that of the file here is $id" err &&
		ok "instructions: both build ids" || not_ok "instructions: both build ids" err
	# an arm64 program, which nothing here can run
	if clang --target=aarch64-linux-gnu -g -O1 -nostdlib -static -fuse-ld=lld -Wl,--build-id \
		-Dmain=_start -o arm job.c >cc.log 2>&1; then
		arm_at=$(nm arm | sed -n 's/ T outer$//p' | sed 's/^0*//')
		samply "$(readelf -n arm | sed -n 's/.*Build ID: //p')" arm "$arm_at" >arm.json
		"$PNAV" report --format csv --view instructions --columns address,instruction,self \
			arm.json >all
		check "instructions: arm64" grep -q '^0x[0-9a-f]*,ret,0$' all
		check "instructions: arm64, the hit" grep -q "^0x$arm_at,.*,1\$" all
		arm_call=$(llvm-objdump -d arm 2>/dev/null | sed -n 's/^ *\([0-9a-f]*\):.*bl.*<outer>$/\1/p')
		samply "$(readelf -n arm | sed -n 's/.*Build ID: //p')" arm "${arm_call:-$arm_at}" >call.json
		[ -z "$arm_call" ] && skip "code: arm64" "no llvm-objdump" ||
			shown "code: Enter follows a call of arm64" call.json "6 a Enter" "^> +$arm_at "
	else
		skip "instructions: arm64" "clang and lld build no arm64 program here"
	fi

	# the same in the browser; what objdump says is the truth
	objdump -d --no-show-raw-insn job | awk '/<walk>:$/ { f = 1; next } /^$/ { f = 0 } f' >walk.dis
	call=$(sed -n '/call.*<outer>/{s/^ *\([0-9a-f]*\):.*/\1/p;q}' walk.dis)
	jump=$(sed -n 's/^ *\([0-9a-f]*\):\tj[a-z]* *\([0-9a-f]*\) <walk.*/\1 \2/p' walk.dis | tail -n 1)
	samply "$id" job "$call" "$at" >walk.json
	walk="3 / 'walk' Enter Esc 6"
	shown "code: a shows the instructions, at the hottest" walk.json "$walk a" \
		"^> *50\.0 .* $call +12 +→ *call.*<outer>"
	shown "code: each of them" walk.json "$walk a" " walk .* of $(wc -l <walk.dis | tr -d ' ')\$"
	shown "code: from the first on" walk.json "$walk a g" \
		"^> +$(sed -n '1s/^ *\([0-9a-f]*\):.*/\1/p' walk.dis) "
	shown "code: the line below says where" walk.json "$walk a" \
		"^ 0x$call job\.c:12 in walk .* self 1 50\.0 %"
	shown "code: a again puts lines between" walk.json "$walk a a" \
		"^ +12 +sum \+= outer\(i\);"
	shown "code: with instructions still" walk.json "$walk a a" "^> *50\.0 .* $call .*call.*<outer>"
	shown "code: and again is the file" walk.json "$walk a a a" "^> *50\.0 .* 12 +sum \+= outer"
	shown "code: a search goes through both" walk.json "$walk a a / 'sum .*outer' Enter" \
		"^> +12 +\*\t? *sum \+= outer"
	shown "code: Enter follows a jump" walk.json "$walk a / '^j' Enter N N n Enter" \
		"^>.* ($(sed -n 's/^ *[0-9a-f]*:\tj[a-z]* *\([0-9a-f]*\) <walk.*/\1/p' walk.dis |
			tr '\n' '|')no) "
	shown "code: the way of a jump is drawn" walk.json "$walk a / '0x${jump#* } ' Enter" "│"
	shown "code: Enter follows a call" walk.json "$walk a Enter" "^> *50\.0 .* outer?|^>.* $at "
	shown "code: Backspace comes back" walk.json "$walk a Enter Backspace" "^> *50\.0 .* $call "
	# what was not hit itself has instructions, too: a function that is called, though the
	# profile has it nowhere, and one that is on stacks
	samply "$id" job "$call" >only.json
	objdump -d --no-show-raw-insn job | awk '/<outer>:$/ { f = 1; next } /^$/ { f = 0 } f && $2 !~ /nop/' >outer.dis
	shown "code: Enter follows a call to what has cost nothing" only.json "6 a Enter" \
		"^> +$at "
	shown "code: all of it" only.json "6 a Enter" " outer .* of $(wc -l <outer.dis | tr -d ' ')\$"
	shown "code: which is told" only.json "6 a Enter" "^ 0x$at job\.c:.* in outer .* self 0 "
	shown "code: Backspace comes back from it" only.json "6 a Enter Backspace" "^> *100\.0 .* $call "
	samply "$id" job "$call" "$(nm job | sed -n 's/ T main$//p')" >two.json
	shown "code: another selection is shown itself" two.json \
		"3 / 'walk' Enter Esc 6 a Enter 3 / 'main' Enter Esc 6" " main .* of "
	"$PNAV" --no-config --size 80x30 --snapshot --keys "6 a a g s s ^U '$scratch/code.pnav' Enter" \
		only.json >screen 2>err
	"$PNAV" --no-config --size 80x30 --snapshot --session code.pnav >again 2>>err
	check "code: a session keeps that it was shown, with its lines" \
		sh -c "grep -qE '^> +$(sed -n '1s/^ *\([0-9a-f]*\):.*/\1/p' walk.dis) ' again &&
		grep -qE '^ +1[12] +(for|sum)' again"
	shown "code: . goes to the next that costs" walk.json "$walk a g ." "^> *50\.0 .* $call "
	shown "code: in ASCII, too" walk.json "$walk a" "^> *50\.0 # .*> *call" --ascii
	shown "code: of another build both ids are told" other.json "3 6 a" "00$id"
	shown "code: what is here" other.json "3 6 a" "$id\$|^$id"
	shown "code: and the hit" other.json "3 6 a" "^> *100\.0 .* $at *\$"
	printf 'main;a 1\n' >plain.folded
	shown "code: without addresses it says so" plain.folded "3 6 a" \
		"does not say which instructions ran"
	rm job
	check "instructions: of a file that is not here none" \
		says job.json "0x$at,0x$at,,1" --view instructions \
		--columns function,address,instruction,self
	grep -q "job is not here: its build id was $id" err &&
		ok "instructions: which file is missing" || not_ok "instructions: missing" err
else
	shown "instructions: without capstone it is said" job.json "3 6 a" "built without capstone"
	skip "instructions" "built without capstone"
fi
# ---- what is inflated ----

# hidden NAME BYTES: the program without its table, which is in .gnu_debugdata, followed by zeros
hidden()
{
	objcopy --only-keep-debug job table && strip --strip-all -R .comment -o "$1" job &&
		{ cat table && head -c "$2" /dev/zero; } | xz -1 >data.xz &&
		objcopy --add-section .gnu_debugdata=data.xz "$1" && samply "$id" "$1" "$at" >"$1.json"
}

"$cc" -g -O2 -Wl,--build-id -o job job.c 2>/dev/null
if command -v objcopy >/dev/null && command -v xz >/dev/null && hidden small 1000; then
	check "a table in .gnu_debugdata" says small.json "outer,,,job,user,,1,1"
	hidden large 300000000
	check "one that becomes 300 MB is not inflated" \
		says large.json "0x$at,,,job,user,,1,1"
	head -c 300000000 /dev/zero >zeros
	objcopy --add-section .debug_ranges=zeros job bomb.o &&
		objcopy --compress-debug-sections=zlib bomb.o bomb
	samply "$id" bomb "$at" >bomb.json
	check "nor are sections of debug information" \
		says bomb.json "0x$at,,,job,user,,1,1"
	objcopy --compress-debug-sections=zlib job packed && samply "$id" packed "$at" >packed.json
	check "compressed ones of a compiler are" says packed.json \
		"outer,$scratch/job.c,2,job,user,,1,1"
	rm -f zeros bomb.o bomb
else
	skip "what is inflated" "no objcopy, or no xz"
fi

tap_done
