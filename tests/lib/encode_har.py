#!/usr/bin/env python3
"""Writes the inputs of tests/golden/har-*: tests/lib/encode_har.py tests/golden.  Requests to two
hosts, beside each other; ssl within connect, beside it, and longer than it; an entry without
`time`, one without a date, a phase beyond the end, a password and queries, a URL without a host.

Prints what a naive reader finds: for each nanosecond of an entry, the phase that runs then."""
import json
import os
import sys

MS = 1000000
ORDER = ("blocked", "dns", "connect", "ssl", "send", "wait", "receive")
# url, method, start (ms; None: no date), time (ms; None: null), phases, status, transferred, body,
# where ssl belongs, the function, its host
ENTRIES = [
    ("https://depot.example:8443/", "GET", 0, 100,
     dict(blocked=5, dns=10, connect=30, ssl=20, send=1, wait=40, receive=14), 200, 1000, 900,
     "inside", "GET /", "depot.example:8443"),
    ("https://user:secret@cdn.example/a.css?v=secret#secret", "GET", 20, 60,
     dict(blocked=-1, dns=-1, connect=10, ssl=15, send=1, wait=30, receive=4), 200, None, 200,
     "beside", "GET /a.css", "cdn.example"),
    ("https://cdn.example/a.css", "GET", 30, None,
     dict(send=0, wait=20, receive=5, ssl=-1), 200, -1, 300, None, "GET /a.css", "cdn.example"),
    ("https://depot.example:8443/api?token=secret", "POST", 120, 50,
     dict(blocked=2, wait=60, receive=5), 500, 0, 70, None, "POST /api", "depot.example:8443"),
    ("https://depot.example:8443", "GET", 200, 10,
     dict(wait=4), 304, None, -1, None, "GET /", "depot.example:8443"),
    ("data:text/plain,secret", "GET", 205, 1, {}, 200, None, -1, None, "GET data:", "data:"),
    ("https://depot.example:8443/never", "GET", None, 9, dict(wait=9), 0, 77, 77, None, None, None),
    ("https://depot.example:8443/late", "GET", 300, 18,
     dict(connect=8, ssl=12, wait=10), 200, 12, 5, "inside", "GET /late", "depot.example:8443"),
]


def entry(url, method, start, time, phases, status, transferred, body, *truth):
    e = {"time": time, "pageref": "page_1", "cache": {},
         "request": {"method": method, "url": url, "bodySize": 5,
                     "headers": [{"name": "Cookie", "value": "secret"}]},
         "response": {"status": status, "bodySize": body, "content": {
             "size": 9, "mimeType": "text/css" if ".css" in url else "text/html", "text": "secret"}},
         "timings": dict(phases, comment="none")}
    if start is not None:
        e["startedDateTime"] = "2026-11-23T07:00:00.%03dZ" % start
    if start == 20:
        e["startedDateTime"] = "2026-11-23T09:00:00.020+02:00"
    if transferred is not None:
        e["response"]["_transferSize"] = transferred
    if start == 20:
        e["connection"] = 42
    return e


def archive():
    page = {"startedDateTime": "2026-11-23T07:00:00.000Z", "id": "page_1", "title": "depot",
            "pageTimings": {"onContentLoad": 80.5, "onLoad": 110}}
    other = {"startedDateTime": "2026-11-23T07:00:00.000Z", "id": "page_2", "title": "late",
             "pageTimings": {"onContentLoad": None, "onLoad": -1}}
    text = json.dumps({"log": {"version": "1.2", "creator": {"name": "depot", "version": "7"},
                               "entries": [entry(*e) for e in ENTRIES], "pages": [page, other]}},
                      indent=1) + "\n"
    return text.replace("+02:00", "\\u002B02:00")


def naive(status=None):
    rows = {}

    def row(name, module=""):
        return rows.setdefault((name, module), [0, 0, 0, 0])
    for _, _, start, time, phases, code, transferred, body, ssl, name, host in ENTRIES:
        if start is None or (status is not None and code != status):
            continue
        if time is None:
            time = sum(v for k, v in phases.items() if v > 0 and k != "ssl")
        left, own = time, row(name, host)
        own[0] += 1
        own[2] += time * MS
        size = transferred if transferred is not None and transferred >= 0 else body
        own[3] += max(size, 0)
        for phase in ORDER:
            length = min(max(phases.get(phase, 0), 0), left)
            if not length or (phase == "ssl" and ssl == "inside"):
                continue
            left -= length
            inside = min(phases["ssl"], length) if phase == "connect" and ssl == "inside" else 0
            for of, self, total in ((phase, length - inside, length), ("ssl", inside, inside)):
                if total:
                    r = row(of)
                    r[0] += 1
                    r[1] += self * MS
                    r[2] += total * MS
        own[1] += left * MS
    for (name, module), r in sorted(rows.items(), key=lambda x: (-x[1][1], x[0])):
        print(name, module, "calls", r[0], "self", r[1], "total", r[2], "bytes", r[3])


def write(case, data):
    os.makedirs(os.path.join(sys.argv[1], case), exist_ok=True)
    with open(os.path.join(sys.argv[1], case, "input.har"), "w") as f:
        f.write(data)


everything = archive()
write("har-page", everything)
write("har-where", everything)
write("har-cut", everything[:everything.index('"POST"') + 30])
naive()
print()
naive(500)
