"""A server that hands out profiles, well and badly: server.py FOLDER prints its port.

/file/NAME   a file of FOLDER          /slow/NAME   the same, in small pieces
/to/NAME     a redirect to /file/NAME  /cut/NAME    half of what was promised
/chunked/NAME  chunked                 /brokenchunks/NAME  chunked, and cut
/loop        a redirect to itself      /away        a redirect to a file of the system
/refuse      503 with an explanation   /zeros       zeros without end
/silent      nothing, for ten seconds       /mute   not even a status
/stalls/NAME half of it, then nothing       /partial/NAME  status 206
/whoami      a stack that has the credentials which came along
/over/HOST:PORT/NAME  a redirect to /NAME of another server"""
import http.server
import os
import sys
import time

folder = sys.argv[1]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *unused):
        pass

    def head(self, status, length=None, **fields):
        self.send_response(status)
        if length is not None:
            self.send_header("Content-Length", str(length))
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Connection", "close")
        self.close_connection = True
        self.end_headers()

    def chunks(self, data, end):
        self.head(200, Transfer_Encoding="chunked")
        for at in range(0, len(data), 1000):
            part = data[at:at + 1000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        if end:
            self.wfile.write(b"0\r\n\r\n")

    def do_GET(self):
        kind, _, name = self.path.split("?")[0][1:].partition("/")
        try:
            data = open(os.path.join(folder, os.path.basename(name)), "rb").read() \
                if name and kind != "over" else b""
        except OSError:
            kind, data = "missing", b""
        try:
            self.answer(kind, name, data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def answer(self, kind, name, data):
        if kind == "file":
            self.head(200, len(data))
            self.wfile.write(data)
        elif kind == "slow":
            self.head(200, len(data))
            step = len(data) // 5 + 1
            for at in range(0, len(data), step):
                self.wfile.write(data[at:at + step])
                self.wfile.flush()
                time.sleep(0.05)
        elif kind == "to":
            self.head(302, 0, Location="/file/" + name)
        elif kind == "cut":
            self.head(200, 2 * len(data))
            self.wfile.write(data)
        elif kind == "chunked":
            self.chunks(data, True)
        elif kind == "brokenchunks":
            self.chunks(data, False)
        elif kind == "loop":
            self.head(302, 0, Location="/loop")
        elif kind == "away":
            self.head(302, 0, Location="file:///etc/hosts")
        elif kind == "refuse":
            text = b"already \x1b[31mprofiling\r\nsecond line\n"
            self.head(503, len(text))
            self.wfile.write(text)
        elif kind == "zeros":
            self.head(200, 10 << 30)
            while True:
                self.wfile.write(bytes(1 << 16))
        elif kind == "silent":
            self.head(200, 100)
            time.sleep(10)
        elif kind == "mute":
            time.sleep(10)
        elif kind == "stalls":
            self.head(200, len(data))
            self.wfile.write(data[:data.index(b"\n", len(data) // 2) + 1])
            self.wfile.flush()
            time.sleep(10)
        elif kind == "partial":
            self.head(206, len(data), Content_Range="bytes 0-%d/%d" % (len(data) - 1, 2 * len(data)))
            self.wfile.write(data)
        elif kind == "whoami":
            text = b"main;%s 1\n" % self.headers.get("Authorization", "nobody").encode()
            self.head(200, len(text))
            self.wfile.write(text)
        elif kind == "over":
            self.head(302, 0, Location="http://" + name)
        else:
            self.head(404, 19)
            self.wfile.write(b"404 page not found\n")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if len(sys.argv) > 2:  # a certificate that nobody has signed
    import ssl
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2])
    server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)
server.serve_forever()
