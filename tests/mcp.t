#!/bin/sh
# `pnav mcp`: a session whose replies are known, limits, hostile clients, folders that may be read,
# and forty questions over ten formats with the numbers of other programs.
leaks=yes
forked=yes
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
client=$top_srcdir/tests/lib/mcp_client.py
cd "$scratch" || exit 99

# clients WORD...: what mcp_client.py finds
clients()
{
	python3 "$client" "$@" >results 2>&1
	clients_status=$?
	while IFS= read -r line; do
		case $line in
		'ok '*) ok "${line#ok }" ;;
		'not ok '*) not_ok "${line#not ok }" ;;
		*) printf '# %s\n' "$line" ;;
		esac
	done <results
	check "the client of $1 comes to its end" test $clients_status = 0
}

# ask TOOL ARGUMENTS FILE...: the text of a result, or of an error
ask()
{
	ask_tool=$1 ask_arguments=$2
	shift 2
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' \
		"$ask_tool" "$ask_arguments" | "$PNAV" mcp "$@" 2>err
}

cat >small.folded <<'END'
main;parse;read 30
main;parse 20
main;draw 50
END

cat >requests <<'END'
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":"two","method":"ping"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"report","arguments":{"words":["--limit","2"]}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"report","arguments":{"words":["--view","tree","--include","parse","--columns","depth,function,total"]}}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"report","arguments":{"words":["--inclde","x"]}}}
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"why","arguments":{"thread":"main"}}}
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"report","arguments":{"words":["--exclude","nothing","--limit","1","--columns","function,self"]}}}
{"jsonrpc":"2.0","id":8,"method":"prompts/list"}
{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"report","arguments":{"words":["--exclude","nothing","--limit","1","--columns","function,self"]}}}
END
"$PNAV" mcp small.folded <requests >replies 2>err
check "status 0 at the end of the input" test $? -eq 0
check "nothing on stderr" test ! -s err
sed 's/"version":"[^"]*"},"instructions":"[^"]*"/.../; s/\\u000a/\\n/g' replies >got
cat >want <<'END'
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"pnav",...}}
{"jsonrpc":"2.0","id":"two","result":{}}
{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"# samples in samples: 100 shown of 100; pnav report --limit 2 small.folded\nfunction,file,line,module,kind,calls,self,total\ndraw,,,,user,,50,50\nread,,,,user,,30,30\ncut: 2 of 4 rows; for more ask with limit: BYTES and without --limit, or narrow the words (--include, --from, --to)\n"}],"isError":false}}
{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"# samples in samples: 50 shown of 100; pnav report --view tree --include parse --columns depth,function,total small.folded\ndepth,function,total\n0,main,50\n1,parse,50\n2,read,30\n"}],"isError":false}}
{"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"unknown option --inclde: did you mean '--include'?"}],"isError":true}}
{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"why: the file has no states of threads; record them with pnav record --why, perf sched record or trace-cmd record -e sched"}],"isError":true}}
{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"# samples in samples: 100 shown of 100; pnav report --exclude nothing --limit 1 --columns function,self small.folded\nfunction,self\ndraw,50\nexclude 'nothing' matches nothing\ncut: 1 of 4 rows; for more ask with limit: BYTES and without --limit, or narrow the words (--include, --from, --to)\n"}],"isError":false}}
{"jsonrpc":"2.0","id":8,"error":{"code":-32601,"message":"there is no such method"}}
{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"# samples in samples: 100 shown of 100; pnav report --exclude nothing --limit 1 --columns function,self small.folded\nfunction,self\ndraw,50\nexclude 'nothing' matches nothing\ncut: 1 of 4 rows; for more ask with limit: BYTES and without --limit, or narrow the words (--include, --from, --to)\n"}],"isError":false}}
END
diff want got >differ && ok "a session" || not_ok "a session" differ

for version in 2024-11-05 2025-03-26 2025-06-18 2099-01-01; do
	case $version in 2099*) want=2025-06-18 ;; *) want=$version ;; esac
	printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"%s"}}\n' \
		$version | "$PNAV" mcp >got
	check "version $version" grep -q "\"protocolVersion\":\"$want\"" got
done
printf '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n' | "$PNAV" mcp >got
for tool in open profiles answers report why sql compare manual; do
	check "the tool $tool" grep -q "{\"name\":\"$tool\",\"description\":" got
done

# a computed label, which the other views lack
printf 'a 1/1 [000] %s: 1000 cpu-clock: \n\t400000 f+0x10 (/bin/a)\n\n' 1.0 2.0 >timed.txt
ask report '{"words":["--view","labels"]}' timed.txt >got
check "labels have the parallelism" grep -qF '\u000aparallelism,1,2,2000\u000a' got

# limits
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "main;function_%d %d\n", i, i + 1 }' >many.folded
for limit in 512 2000 8192 60000; do
	ask report "{\"limit\":$limit}" many.folded | sed 's/.*"text":"//; s/"}\],"isError.*//' |
		sed 's/\\u000a/\n/g' >got
	check "limit $limit: the result has no more bytes" test "$(wc -c <got)" -le $((limit + 1))
	rows=$(grep -c '^function_' got)
	check "and says how many rows it has" grep -q "^cut: $rows of 3001 rows" got
done
ask report '{}' many.folded | sed 's/\\u000a/ /g' >got
check "8 KB are usual" test "$(wc -c <got)" -le 8300
ask report '{"limit":1000000}' many.folded >got
check "a limit that suffices cuts nothing" sh -c '! grep -q "cut:" got'
printf 'main;%0100000d 5\nmain;short 3\n' 0 >long.folded
ask report '{}' long.folded >got
check "a name beyond the limit is cut" test "$(wc -c <got)" -le 8600
PNAV_MANUAL=$top_srcdir/man ask manual '{"section":"patterns"}' >got
check "a section of the manual" grep -q 'Perl compatible regular expression' got
PNAV_MANUAL=$top_srcdir/man ask manual '{"search":"Perl compatible"}' >got
check "a search in the manual" grep -q '"isError":false' got
PNAV_MANUAL=$top_srcdir/man ask manual '{"search":"no such text"}' >got
check "a search for nothing" grep -q '"isError":true' got
ask report '{}' nothing.folded >got
check "a file that is not there" grep -q 'No such file.*"isError":true' got
"$PNAV" mcp - </dev/null >got 2>err
check "standard input is no profile" test $? -eq 2
"$PNAV" mcp --allow small.folded </dev/null >got 2>err
check "--allow takes a folder" grep -q "'small.folded' is no folder" err

command -v python3 >/dev/null 2>&1 || {
	skip "clients in Python" "there is no python3"
	tap_done
	exit
}
cp -R "$top_srcdir/tests/golden/uftrace-calls/input.uftrace" trace
chmod -R u+w trace
ask open '{"path":"trace"}' --allow . >got
check "a folder that is a format is read" grep -q 'format: uftrace.*"isError":false' got
ln -s /etc/passwd trace/out
ask open '{"path":"trace"}' --allow . >got
check "... but not if it leads out of the folders" grep -q "trace/out' leads out of.*\"isError\":true" got
mkdir nothing
ask open '{"path":"nothing"}' --allow . >got
check "another folder is refused" grep -q '"isError":true' got
mkfifo pipe
ask open '{"path":"pipe"}' --allow . >got
check "... and a pipe" grep -q 'no regular file and no folder.*"isError":true' got
mkdir hostile allow
clients hostile "$PNAV" hostile
clients allow "$PNAV" allow
if [ -d "$PNAV_SAMPLES/recorded" ]; then
	clients questions "$PNAV" "$top_srcdir/tests/samples" "$PNAV_SAMPLES"
else
	skip "forty questions" "there are no samples at $PNAV_SAMPLES"
fi
tap_done
