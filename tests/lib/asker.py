"""Sends queries to servers of ClickHouse for a test, which starts this once: asker.py FOLDER.

FOLDER/ask.in gets a port and queries, each with a NUL behind it; the answers come from
FOLDER/ask.out, and FOLDER/ask.status has 0 if all queries succeeded.  Both are FIFOs."""
import socket
import sys

folder = sys.argv[1]


def answer(port, query):
    """Returns whether the server answered with status 200, and the body."""
    head = b"POST /?wait_end_of_query=1 HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(query)
    data = b""
    try:
        with socket.create_connection(("127.0.0.1", int(port)), 60) as s:
            s.sendall(head + query)
            while True:
                part = s.recv(1 << 20)
                if not part:
                    break
                data += part
    except OSError:
        return False, b""
    head, _, body = data.partition(b"\r\n\r\n")
    return b" 200 " in head.split(b"\r\n")[0], body


while True:
    with open(folder + "/ask.in", "rb") as requests:
        port, *queries = requests.read().split(b"\0")[:-1]
    answers = []
    for query in queries:
        answers.append(answer(port, query))
        if not answers[-1][0]:
            break
    with open(folder + "/ask.status", "w") as status:
        status.write("%d\n" % (not all(good for good, body in answers)))
    try:
        with open(folder + "/ask.out", "wb") as out:
            for good, body in answers:
                out.write(body)
    except BrokenPipeError:
        pass
