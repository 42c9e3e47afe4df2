"""Asks `pnav mcp` over a pipe that stays open, as a client does.

    mcp_client.py questions PNAV TABLES SAMPLES   forty questions from tests/samples/*.tsv
    mcp_client.py hostile PNAV FOLDER             messages that are long, broken, cancelled
    mcp_client.py allow PNAV FOLDER               paths that may be opened, and others

Prints `ok NAME` or `not ok NAME: what came`. Expected numbers are those of the tables,
which other programs found."""
import csv, io, json, os, subprocess, sys

class Client:
    def __init__(self, pnav, *words, **more):
        self.p = subprocess.Popen([pnav, "mcp", *words], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, **more)
        self.n = 0

    def write(self, data):
        self.p.stdin.write(data if isinstance(data, bytes) else data.encode())
        self.p.stdin.flush()

    def line(self):
        return self.p.stdout.readline()

    def send(self, method, params, id=None):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if id is not None:
            message["id"] = id
        self.write(json.dumps(message) + "\n")

    def call(self, tool, **arguments):
        """Returns (text, isError)."""
        self.n += 1
        self.send("tools/call", {"name": tool, "arguments": arguments}, self.n)
        reply = json.loads(self.line())
        assert reply["id"] == self.n, reply
        if "error" in reply:
            return reply["error"]["message"], reply["error"]["code"]
        return reply["result"]["content"][0]["text"], reply["result"]["isError"]

    def end(self):
        self.p.stdin.close()
        rest = self.p.stdout.read()
        return self.p.wait(), rest

def check(name, good, came=""):
    print("ok " + name if good else "not ok %s: %s" % (name, str(came)[:300].replace("\n", " / ")))

# ---- questions ----

TABLES = ["pprof", "speedscope", "callgrind", "jfr", "chrome", "pstats", "heaptrack", "v8log",
          "xdebug", "gmon", "stackprof", "firefox", "perfetto"]

def answer(text, row, column):
    """The cell, count or sum that a line of a table names, in a result with CSV."""
    rows = list(csv.DictReader(io.StringIO(
        "\n".join(l for l in text.split("\n") if not l.startswith(("# ", "cut: "))))))
    if row == "#":
        return str(len(rows))
    if row == "+":
        return str(sum(int(r[column]) for r in rows))
    key, value = row.split("=", 1)
    return next((r[column] for r in rows if r[key] == value), "(no such row)")

def questions(pnav, tables, samples):
    client = Client(pnav, "--allow", samples)
    asked = 0
    for name in TABLES:
        taken = 0
        for line in open(os.path.join(tables, name + ".tsv")):
            f = line.rstrip("\n").split("\t")
            if line.startswith("#") or len(f) < 5 or taken == 4 or " " in f[0]:
                continue
            path = os.path.join(samples, f[0])
            if f[2] == "?" or ".." in f[4] or not os.path.isfile(path):
                continue
            _, bad = client.call("open", path=path)
            words = [] if f[1] == "-" else f[1].split(" ")
            text, error = client.call("report", words=words, limit=10000000)
            got = text if bad or error else answer(text, f[2], f[3])
            check("%s: %s %s of %s" % (name, f[2], f[3], f[0]), got == f[4],
                  "%s instead of %s" % (got, f[4]))
            taken += 1
            asked += 1
    check("at least 40 questions", asked >= 40, asked)
    status, rest = client.end()
    check("the end of the input ends the server", status == 0 and not rest, (status, rest))

# ---- hostile clients ----

FOREVER = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
MOST = 16 << 20

def error_of(client, data):
    client.write(data)
    line = client.line()
    reply = json.loads(line)
    return reply.get("error", {}).get("code"), reply["id"]

def padded(size):
    """A ping of that many bytes."""
    head, tail = b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"', b'"}}'
    return head + b"x" * (size - len(head) - len(tail)) + tail

def hostile(pnav, folder):
    file = os.path.join(folder, "small.folded")
    open(file, "w").write("main;a 3\nmain;b 5\n")
    client = Client(pnav, file)
    for bad in [b"{", b"}", b"nonsense", b'{"jsonrpc":"2.0","id":1,}', b'{"a":01}', b'{"a":1.}',
                b'{"a":"\t"}', b'{"a":"\\x"}', b'{"a":"\\u12"}', b"[1,2", b'{"a" 1}', b'"\xff"',
                b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"ping"}', b"NaN", b"{} {}",
                b"\0", b'{"a":tru}', b"[" * 100000, b"1e", b"-", b'{"a":"b"']:
        got = error_of(client, bad + b"\n")
        check("no JSON: %r" % bad[:40], got == (-32700, None), got)
    for bad in [b"1", b'"ping"', b"[]", b"null", b'{"id":1,"method":"ping"}',
                b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b'{"jsonrpc":"2.0","id":1}',
                b'{"jsonrpc":"2.0","id":[1],"method":"ping"}',
                b'{"jsonrpc":"2.0","id":1,"method":5}',
                b'{"jsonrpc":"2.0","id":1,"method":"ping","params":5}']:
        got = error_of(client, bad + b"\n")
        check("no request: %r" % bad, got[0] == -32600, got)
    for method, params, code in [("tools/call", {"name": "rm"}, -32602), ("nothing", {}, -32601),
                                 ("tools/call", {"name": "sql", "arguments": {}}, -32602),
                                 ("tools/call", {"name": "report", "arguments": {"x": 1}}, -32602),
                                 ("tools/call", {"name": "report", "arguments":
                                                 {"words": "--limit 1"}}, -32602),
                                 ("tools/call", {"name": "report", "arguments":
                                                 {"words": ["a\0b"]}}, -32602),
                                 ("tools/call", {"name": "report", "arguments": []}, -32602),
                                 ("initialize", {}, -32602)]:
        client.send(method, params, 1)
        got = json.loads(client.line())
        check("%s %s" % (method, json.dumps(params)), got.get("error", {}).get("code") == code, got)
    for id in [b"1", b"-0", b"1.50", b"1e400", b"123456789012345678901234567890", b'""', b"null",
               b'"\\u0041\\/\\""', '"é€😀"'.encode(), b'"\\ud800"', b"1E+2", b'"a b"']:
        client.write(b'{"jsonrpc": "2.0", "method": "ping", "id" : ' + id + b" }\n")
        line = client.line()
        check("the id %s" % id.decode(), b'"id":' + id + b',' in line, line)
    client.write(padded(MOST) + b"\n")
    check("a message of 16 MB", json.loads(client.line()) ==
          {"jsonrpc": "2.0", "id": 7, "result": {}})
    for size in MOST + 1, MOST + 40000, 3 * MOST:
        got = error_of(client, padded(size) + b"\n")
        check("one of %d bytes is refused" % size, got == (-32600, None), got)
        client.send("ping", {}, 8)
        check("and the next one answered", json.loads(client.line())["id"] == 8)
    client.write(b'[{"jsonrpc":"2.0","id":1,"method":"ping"},2,'
                 b'{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]\n')
    got = json.loads(client.line())
    check("a list of messages", [r["id"] for r in got] == [1, None, 3], got)
    client.write(b'\n  \n{"jsonrpc":"2.0","id":9,"result":{}}\r\n')
    client.send("notifications/initialized", {})
    client.send("ping", {}, 10)
    check("nothing is answered that asks nothing", json.loads(client.line())["id"] == 10)
    if "without SQLite" not in client.call("sql", query="SELECT 1")[0]:
        cancel(client, pnav, file)
    status, rest = client.end()
    check("the server lives to the end", status == 0 and not rest, (status, rest))
    client = Client(pnav, file)
    client.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
    status, rest = client.end()
    check("a last line without an end is answered", status == 0 and json.loads(rest)["id"] == 1)

def cancel(client, pnav, file):
    forever = {"name": "sql", "arguments": {"query": FOREVER}}
    client.send("tools/call", forever, "slow")
    client.send("tools/call", forever, "later")
    client.send("notifications/cancelled", {"requestId": "later"})
    client.send("ping", {}, 11)
    client.send("notifications/cancelled", {"requestId": "slow"})
    check("cancelled requests end without a reply", json.loads(client.line())["id"] == 11)
    client.send("notifications/cancelled", {"requestId": 12})
    client.send("ping", {}, 12)
    check("a cancellation for none does nothing", json.loads(client.line())["id"] == 12)
    other = Client(pnav, file)
    other.send("tools/call", forever, 1)
    status, rest = other.end()
    check("the end of the input ends a request", status == 0 and
          json.loads(rest)["result"]["isError"], (status, rest))

# ---- folders ----

def allow(pnav, folder):
    os.chdir(folder)
    for name in "in", "in2", "in/deep":
        os.mkdir(name)
    for name in "in/a.folded", "in2/b.folded", "in/deep/c.folded", "d.folded":
        open(name, "w").write("main;%s 3\n" % os.path.basename(name)[0])
    os.symlink("../d.folded", "in/out.folded")
    os.symlink("a.folded", "in/link.folded")
    os.symlink("../in2", "in/folder")
    os.symlink("in", "also")
    os.mkfifo("in/pipe")
    os.mkfifo("pipe")
    os.symlink("../pipe", "in/pipe-out")
    before = listing()
    client = Client(pnav, "--allow", "also", "d.folded")
    for path, good in [("in/a.folded", True), (os.path.abspath("in/a.folded"), True),
                       ("in/link.folded", True), ("in/deep/../deep/c.folded", True),
                       ("also/a.folded", True), ("d.folded", True), ("in/out.folded", True),
                       ("in2/b.folded", False), ("in/folder/b.folded", False),
                       ("in/../in2/b.folded", False), ("/etc/passwd", False), ("in", False),
                       ("in/nothing", False), ("in/pipe", False), ("pipe", False),
                       ("in/pipe-out", False), ("-", False), ("", False),
                       ("http://127.0.0.1:1/", False), ("clickhouse://127.0.0.1:1/", False),
                       ("/dev/zero", False), ("in/a.folded/", False)]:
        text, error = client.call("open", path=path)
        check("open %s: %s" % (path, "allowed" if good else "refused"), error != good, text)
    for words in (["in2/b.folded"], ["--", "in2/b.folded"], ["--filter-file", "in2/b.folded"],
                  ["--filter-f=in2/b.folded"], ["--map", "x"], ["--session", "x"], ["--guide"],
                  ["--sess", "x"], ["--old", "d.folded"], ["--debuginfod"], ["--help"],
                  ["http://127.0.0.1:1/"], ["--fail-if", "total>1%"], ["-o", "x"],
                  ["--symbols", "."], ["--input", "folded"]):
        text, error = client.call("report", words=words)
        check("words %s are refused" % words, error is True, text)
    for query in ("ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "CREATE TABLE t(a)",
                  "PRAGMA journal_mode = DELETE", "SELECT readfile('d.folded')",
                  "SELECT load_extension('x')"):
        text, error = client.call("sql", query=query)
        check("sql %s is refused" % query, error is True, text)
    check("a profile by its name", "main" in client.call("report", file="c.folded")[0])
    check("no profile of that name", client.call("report", file="x.folded")[1] is True)
    text, _ = client.call("compare", old="a.folded", new="c.folded")
    check("a comparison", "\nc,,,,user,,3,3,0,0," in text and "\na,,,,user,,0,0,3,3," in text, text)
    status, rest = client.end()
    check("the end", status == 0 and not rest, (status, rest))
    client = Client(pnav, "d.folded")
    check("without --allow nothing is opened", client.call("open", path="in/a.folded")[1] is True)
    client.end()
    check("nothing was written", before == listing())

def listing():
    return sorted((d, f, os.lstat(os.path.join(d, f)).st_mtime_ns)
                  for d, _, names in os.walk(".") for f in names)

globals()[sys.argv[1]](*sys.argv[2:])
