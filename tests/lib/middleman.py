"""Stands between pnav and a server, and breaks what it is told: middleman.py TO FOLDER
[PORT] prints its port.  TO is the port of the server; FOLDER/rule has a word of a query and what
happens to it, perhaps :N, only so many times; FOLDER/broken gets a line each time:

WORD:hang      it is never answered (and whoever asks may be killed meanwhile)
WORD:cut       the connection is cut before there is an answer
WORD:half      half of the body gets there, then the connection is cut
WORD:garbage   bytes that are no answer        WORD:empty    nothing
WORD:html      a page with status 200          WORD:long     what is no number, without end
WORD:error     status 500 and a sentence       WORD:short    less than was promised
WORD:lost      it is done, and the connection cut before the answer
WORD:busy      status 500 and an error that passes
WORD:away      a redirect to another place
TTL:engine     tables of 24.1 in place of those of 18.16: FOLDER/ttl keeps the last ALTERs
WORD:names     a server before 20.1 makes names of addresses, f0x... in /src/b.cpp"""
import http.server
import socketserver
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

to, folder = sys.argv[1], sys.argv[2]
lock = threading.Lock()


def rule(asked):
    """Returns what happens to a query; None if it is passed on."""
    with lock, open(folder + "/rule") as file, open(folder + "/broken", "a+") as broken:
        word, what, *times = file.read().strip().split(":")
        broken.seek(0)
        if word not in asked or (times and len(broken.readlines()) >= int(times[0])):
            return None
        broken.write(what + "\n")
        return what


def names(query):
    """Replaces the functions that a server has since 20.1.  The line of an address is its end;
    names are those of the instruction or of the call before it."""
    text = query.decode("latin-1").replace("SETTINGS allow_introspection_functions = 1", "")
    text = text.replace("demangle(addressToSymbol(at))",
                        "concat('f0x', lower(replaceRegexpOne(hex(bitAnd(at + 15, "
                        "bitNot(toUInt64(15)))), '^0+', '')))")
    return text.replace("addressToLine(at)", "concat('/src/b.cpp:', toString(at % 4096))").encode("latin-1")


def ttl(query):
    """Answers MODIFY TTL, and the query for engines, as 24.1 does."""
    with open(folder + "/ttl", "a+") as file:
        if query.startswith("ALTER"):
            file.write(query + "\n")
            return b""
        file.seek(0)
        kept = {line.split("`")[1]: line.split(" TTL ")[1].strip() for line in file}
    out = b""
    for name in ("pnav_profiles", "pnav_samples", "pnav_sums", "pnav_period_sums", "pnav_period_profiles",
                 "pnav_periods"):
        for text in (name, "MergeTree", kept.get(name, ""), "24.1.2.5"):
            out += bytes([len(text)]) + text.encode()
    return out


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def say(self, status, body, length=None, **fields):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()
        self.wfile.write(body)

    def fetch(self, body):
        url = "http://127.0.0.1:%s%s" % (to, self.path)
        try:
            with urllib.request.urlopen(url, body) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as e:
            return e.code, e.read()

    def pass_on(self, body):
        self.say(*self.fetch(body))

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = urllib.parse.unquote(self.path) + body[:2000].decode("latin-1")
        try:
            what = rule(asked)
            if what:
                self.breaks(what, body)
            else:
                self.pass_on(body)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def breaks(self, what, body):
        self.close_connection = True
        if what == "hang":
            time.sleep(60)
        elif what == "lost":
            self.fetch(body)
        elif what == "busy":
            self.say(500, b"Code: 202, e.displayText() = DB::Exception: Too many simultaneous queries,"
                          b" e.what() = DB::Exception")
        elif what == "engine":
            self.say(200, ttl(body.decode()))
        elif what == "names":
            self.pass_on(names(body))
        elif what == "half":
            self.pass_on(body[:len(body) // 2])
        elif what == "garbage":
            self.say(200, bytes(range(255, -1, -1)))
        elif what == "empty":
            self.say(200, b"")
        elif what == "html":
            self.say(200, b"<html><body>Welcome to the hotel</body></html>")
        elif what == "error":
            self.say(500, b"Code: 1, e.displayText() = DB::Exception: no \x1b[31mroom\x07 left,"
                          b" e.what() = DB::Exception")
        elif what == "short":
            self.say(200, b"\x01", 100)
        elif what == "away":
            self.say(307, b"", Location="http://127.0.0.1:1/")
        elif what == "long":
            self.say(200, b"\xff" * (1 << 20), 1 << 40)


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    allow_reuse_address = True


server = Server(("127.0.0.1", int(sys.argv[3]) if len(sys.argv) > 3 else 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
