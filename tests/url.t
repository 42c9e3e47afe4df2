#!/bin/sh
# Profiles from a URL, from a server of this test's own: what it hands out well is read as
# the file is, its bad answers are reported in a line.
. "${top_srcdir:-$(dirname "$0")/..}/tests/lib/tap.sh"

[ -x "$PNAV" ] || skip_all "pnav is not built"
command -v python3 >/dev/null 2>&1 || skip_all "python3 is not installed"
unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY all_proxy
no_proxy=127.0.0.1
HOME=$scratch
export no_proxy HOME
if ! grep -q '^#define HAVE_LIBCURL 1' "$top_builddir/config.h"; then
	"$PNAV" report http://127.0.0.1/x >"$scratch/out" 2>"$scratch/err"
	[ $? -eq 1 ] && grep -q "built without libcurl" "$scratch/err" &&
		ok "without libcurl a URL is refused" || not_ok "without libcurl" "$scratch/err"
	tap_done
	exit
fi
cd "$scratch" || exit 99
mkdir folder
cp "$top_srcdir"/data/sample.perfscript.gz folder
{
	i=0
	while [ $i -lt 4000 ]; do
		echo "main;f$((i % 97));g$((i % 31)) $i"
		i=$((i + 1))
	done
} >folder/a.folded
# wait_for FILE: until a server has written its port there, for half a minute
wait_for()
{
	tries=0
	while [ $tries -lt 300 ]; do
		[ -s "$1" ] && return
		sleep 0.1
		tries=$((tries + 1))
	done
	return 1
}

python3 "$top_srcdir/tests/lib/server.py" folder >port 2>server.log &
server=$!
wait_for port
[ -s port ] || skip_all "the server does not begin: $(tail -n 1 server.log)"
url=http://127.0.0.1:$(cat port)

# report STATUS URL: the functions, in out; messages in err
report()
{
	wanted=$1
	shift
	timeout 60 "$PNAV" report --format csv "$@" >out 2>err </dev/null
	got=$?
	[ $got -eq "$wanted" ] && return
	echo "# exit $got, not $wanted: $*"
	sed 's/^/# /' err
	return 1
}
says() { [ "$(wc -l <err)" -eq 1 ] && grep -qF -- "$1" err; }

"$PNAV" report --format csv folder/a.folded >a.csv
"$PNAV" report --format csv folder/sample.perfscript.gz >sample.csv 2>/dev/null
check "a file" eval 'report 0 $url/file/a.folded && cmp out a.csv && [ ! -s err ]'
check "a gzipped one" eval 'report 0 $url/file/sample.perfscript.gz && cmp out sample.csv'
check "with a question behind it" eval 'report 0 "$url/file/a.folded?seconds=1&x=y" && cmp out a.csv'
check "chunked" eval 'report 0 $url/chunked/a.folded && cmp out a.csv'
check "slowly" eval 'report 0 $url/slow/a.folded && cmp out a.csv'
check "elsewhere" eval 'report 0 $url/to/a.folded && cmp out a.csv'
check "HTTP in capitals" eval 'report 0 HTTP${url#http}/file/a.folded && cmp out a.csv'
check "two of them are compared" eval '
	"$PNAV" diff --format csv $url/file/a.folded $url/slow/a.folded >d.csv 2>err &&
	"$PNAV" diff --format csv folder/a.folded folder/a.folded >f.csv && cmp d.csv f.csv'
check "exported, dumped" eval '
	"$PNAV" export --format folded $url/file/a.folded >e.folded &&
	"$PNAV" export --format folded folder/a.folded | cmp - e.folded &&
	"$PNAV" dump $url/file/a.folded >e.dump && "$PNAV" dump folder/a.folded | cmp - e.dump'

# The library is loaded for a URL, and for nothing else.
mkdir lib
echo "no library" >lib/libcurl.so.4
check "libcurl is not linked: who reads files needs none" eval '
	LD_TRACE_LOADED_OBJECTS=1 "$PNAV" >loaded && grep -q libpcre2 loaded &&
	! grep -qE "libcurl|libcapstone" loaded'
check "a broken libcurl is reported" eval '
	LD_LIBRARY_PATH=$scratch/lib report 1 $url/file/a.folded && says "libcurl.so.4"'
check "... and a file is read" eval '
	LD_LIBRARY_PATH=$scratch/lib report 0 folder/a.folded && cmp out a.csv'

check "nothing there" eval 'report 1 $url/nothing && says "the server says 404 Not Found: 404 page not found"'
check "no, and why; nothing that steers a terminal" eval '
	report 1 $url/refuse && says "the server says 503 Service Unavailable: already " &&
	! grep -q "$(printf "\\033")" err'
check "a circle" eval 'report 1 $url/loop && says "redirects"'
check "a redirect to a file of this machine" eval 'report 1 $url/away && says "pnav: $url/away: "'
check "nobody there" eval 'report 1 http://127.0.0.1:1/x && says "pnav: http://127.0.0.1:1/x: "'
check "no such host" eval 'report 1 http://nowhere.invalid/x && says "nowhere.invalid"'
check "cut short: what came is kept" eval '
	report 3 $url/cut/a.folded && says "at byte $(wc -c <folder/a.folded): " && cmp out a.csv'
check "chunks cut short" eval '
	report 3 $url/brokenchunks/a.folded && says "at byte $(wc -c <folder/a.folded): " && cmp out a.csv'
check "zeros without end are no profile, soon" eval 'report 1 $url/zeros && [ "$(wc -l <err)" -le 2 ]'
check "a password has no place in a URL, and is not shown" eval '
	report 2 http://me:secret@127.0.0.1/x && says "netrc" && ! [ -s out ] && ! grep secret err &&
	report 2 folder/a.folded http://me:secret@127.0.0.1/x && ! grep secret err &&
	report 2 clickhouse://me:secret@127.0.0.1/x && says netrc && ! grep secret err'
check "... nor from a session" eval '
	printf "# pnav session\nfile http://me:secret@127.0.0.1/x\nview functions\n" >bad.pnav &&
	report 2 --session bad.pnav && says netrc && ! grep secret out err'
check "nor a name" eval 'report 1 http://me@127.0.0.1/x && says "netrc"'
check "a part of a profile is none" eval '
	report 1 $url/partial/a.folded && says "the server says 206 Partial Content: a part of the profile, but pnav requested the whole"'

# ---- servers that are silent ----

check "a server that takes the connection and says nothing" eval '
	report 1 --timeout 1 $url/mute && says "pnav: $url/mute: the server sent nothing for 1 s; --timeout"'
check "... or a status, and nothing more" eval 'report 1 --timeout 1s $url/silent && says "nothing for 1 s"'
check "... or half: that is kept" eval '
	report 3 --timeout 1 $url/stalls/a.folded && says "nothing for 1 s" && [ "$(wc -l <out)" -gt 10 ]'
check "sql waits no longer, either" eval '
	"$PNAV" sql --timeout 1s "SELECT 1" $url/mute >out 2>err; [ $? -eq 1 ] && says "nothing for 1 s"'
# A store that takes the connection and says nothing.
python3 -c '
import socket, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(9)
print(s.getsockname()[1], flush=True)
time.sleep(600)' >silent-port &
silent=$!
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -s silent-port ] && break
	sleep 0.1
done
store=clickhouse://127.0.0.1:$(cat silent-port)/db
check "a store that is silent: report" eval '
	report 1 --timeout 1 "$store?service=s" && says "nothing for 1 s" && ! [ -s out ]'
check "... sql" eval '
	timeout 60 "$PNAV" sql --timeout 1s "SELECT 1" "$store?service=s" >out 2>err </dev/null
	[ $? -eq 1 ] && says "nothing for 1 s" && ! [ -s out ]'
check "... store" eval '
	timeout 60 "$PNAV" store --timeout 1 --service s $store folder/a.folded >out 2>err </dev/null
	[ $? -eq 1 ] && says "nothing for 1 s" && ! [ -s out ]'
kill $silent
wait $silent 2>/dev/null
check "a silence that is short is borne" eval 'report 0 --timeout 2 $url/slow/a.folded && cmp out a.csv'
check "no time" eval 'report 2 --timeout soon $url/mute && says "is not a time"'
check "a time before" eval 'report 2 --timeout -3s $url/mute && says "takes a time"'

# ---- passwords ----

python3 "$top_srcdir/tests/lib/server.py" folder >port4 2>server4.log &
neighbour=$!
wait_for port4
there=127.0.0.1:$(cat port4)
printf 'machine 127.0.0.1 login bob password s3cret\nmachine localhost login eve password 0ther\n' >.netrc
chmod 600 .netrc
bob="Basic $(printf bob:s3cret | base64)"
# sent WHO URL: the credentials that came along with the last request
sent() { report 0 --columns function "$2" && grep -qxF "$1" out; }
check "the password of ~/.netrc is sent to whom it is for" sent "$bob" $url/whoami
check "... along a redirect to the same server" sent "$bob" $url/over/${url#http://}/whoami
check "... not to another port" sent nobody $url/over/$there/whoami
check "... nor to another host, though ~/.netrc knows it" sent nobody $url/over/localhost:${url##*:}/whoami
check "... nor back from there" sent nobody $url/over/$there/over/${url#http://}/whoami
rm .netrc
kill -9 $neighbour
check "one that waits is ended by a signal" eval '
	"$PNAV" report $url/silent >out 2>err </dev/null & waits=$!; sleep 0.5
	kill -INT $waits; kill -TERM $waits; wait $waits; [ $? -gt 1 ]'
if command -v openssl >/dev/null 2>&1 &&
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 \
		-subj /CN=127.0.0.1 >ssl.log 2>&1; then
	cat key.pem cert.pem >both.pem
	python3 "$top_srcdir/tests/lib/server.py" folder both.pem >port2 2>server2.log &
	other=$!
	wait_for port2
	check "a certificate that nobody has signed" eval '
		report 1 https://127.0.0.1:$(cat port2)/file/a.folded && says "certificate"'
	kill -9 $other
else
	skip "a certificate that nobody has signed" "openssl is not installed"
fi
kill -9 $server

# A program that is there for this: what it does now, what it holds, what its threads do.
if ! command -v go >/dev/null 2>&1; then
	skip "a Go program's own profiles" "go is not installed"
elif ! GO111MODULE=off GOPROXY=off go build -o served "$top_srcdir/tests/lib/served.go" 2>go.log; then
	skip "a Go program's own profiles" "go does not build: $(tail -n 1 go.log)"
else
	./served >port3 2>served.log &
	server=$!
	wait_for port3
	pprof=http://127.0.0.1:$(cat port3)/debug/pprof
	check "what a Go program does in a second" eval '
		report 0 --columns self,function "$pprof/profile?seconds=1" &&
		[ "$(sed -n 2p out | cut -d, -f2)" = main.spin ] && [ ! -s err ]'
	check "what it holds" eval 'report 0 $pprof/heap && [ "$(head -n 1 out | wc -w)" -ge 1 ]'
	check "what its goroutines do" eval 'report 0 $pprof/goroutine && grep -q main.spin out'
	check "a page that is no profile" eval 'report 1 $pprof/ && [ "$(wc -l <err)" -le 2 ]'
	kill -9 $server
fi
wait 2>/dev/null
tap_done
