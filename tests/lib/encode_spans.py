#!/usr/bin/env python3
"""Writes the inputs of tests/golden/otlptrace-*, jaeger-*, zipkin-*: tests/lib/encode_spans.py
tests/golden.  One trace in all forms, with children beside each other, one that outlives its
parent, one that a clock puts before its parent, a span twice, a mark and a link.  Prints the
numbers that a naive reader finds: at each moment, the paths of the open spans without open
descendants on their track."""
import json
import os
import struct
import sys

US = 1000
BASE = 1795418455000000 * US
# id, parent, service, name, start, end (us), kind, error, attributes
SPANS = [
    (1, 0, "front", "GET /page", 0, 100, 2, False, {"http.route": "/page", "depth": 1}),
    (2, 1, "front", "GET /order", 10, 60, 3, False, {"peer": "orders"}),
    (3, 1, "front", "GET /price", 20, 80, 3, True, {"peer": "orders"}),
    (4, 1, "front", "render", 90, 130, 1, False, {}),
    (5, 2, "orders", "GET /order", 5, 40, 2, False, {"share": 0.25, "ok": True}),
    (6, 5, "orders", "scan", 15, 30, 1, False, {"code.file.path": "scan.c", "code.line.number": 7}),
    (7, 3, "orders", "GET /price", 30, 70, 2, True, {}),
    (8, 99, "orders", "audit", 75, 85, 5, False, {}),
]
LINKS = {8: 7}
EVENTS = {7: [(50, "retry", {"n": 2})]}
TRACE = "00ff" * 8
KINDS = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"]


def naive():
    by_id = {s[0]: s for s in SPANS}
    local = {s[0]: s[1] if s[1] in by_id and by_id[s[1]][2] == s[2] else 0 for s in SPANS}
    times = sorted({t for s in SPANS for t in s[4:6]})

    def path(i):
        return (path(local[i]) if local[i] else []) + [i]
    total, own = {}, {}
    for a, b in zip(times, times[1:]):
        now = [s[0] for s in SPANS if s[4] <= a and b <= s[5]]
        for i in now:
            if any(i in path(k) for k in now if k != i):
                continue
            names = [by_id[k][3] for k in path(i)]
            own[names[-1]] = own.get(names[-1], 0) + (b - a) * US
            for name in set(names):
                total[name] = total.get(name, 0) + (b - a) * US
    for name in total:
        print(name, own.get(name, 0), total[name])


def value(v):
    if isinstance(v, bool):
        return {"boolValue": v}
    if isinstance(v, int):
        return {"intValue": str(v)}
    if isinstance(v, float):
        return {"doubleValue": v}
    return {"stringValue": v}


def pairs(of):
    return [{"key": k, "value": value(v)} for k, v in of.items()]


def otlp(services, last=False):
    out = []
    for service in services:
        spans = []
        for i, up, of, name, start, end, kind, error, attributes in SPANS:
            if of != service:
                continue
            s = {"traceId": TRACE.upper(), "spanId": "%016x" % i,
                 "parentSpanId": "%016x" % up if up else "", "name": name, "kind": kind,
                 "startTimeUnixNano": str(BASE + start * US), "endTimeUnixNano": str(BASE + end * US),
                 "attributes": pairs(attributes), "droppedAttributesCount": 1,
                 "status": {"code": 2} if error else {}}
            if i in EVENTS:
                s["events"] = [{"timeUnixNano": str(BASE + t * US), "name": n,
                                "attributes": pairs(a)} for t, n, a in EVENTS[i]]
            if i in LINKS:
                s["links"] = [{"traceId": TRACE, "spanId": "%016x" % LINKS[i]}]
            spans.append(s)
        resource = {"attributes": pairs({"service.name": service, "host.name": "depot"})}
        scopes = [{"scope": {"name": "lib." + service}, "spans": spans}]
        out.append({"scopeSpans": scopes, "resource": resource} if last
                   else {"resource": resource, "scopeSpans": scopes})
    return {"resourceSpans": out}


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(n, v):
    if isinstance(v, str):
        v = v.encode()
    if isinstance(v, bytes):
        return varint(n << 3 | 2) + varint(len(v)) + v
    return varint(n << 3) + varint(v)


def fixed(n, v):
    return varint(n << 3 | 1) + struct.pack("<Q", v)


def proto_pairs(n, of):
    out = b""
    for k, v in of.items():
        if isinstance(v, bool):
            any_value = field(2, int(v))
        elif isinstance(v, int):
            any_value = field(3, v)
        elif isinstance(v, float):
            any_value = varint(4 << 3 | 1) + struct.pack("<d", v)
        else:
            any_value = field(1, v)
        out += field(n, field(1, k) + field(2, any_value))
    return out


def proto(services, scopes=2):
    out = b""
    for service in services:
        spans = b""
        for i, up, of, name, start, end, kind, error, attributes in SPANS:
            if of != service:
                continue
            s = field(1, bytes.fromhex(TRACE)) + field(2, struct.pack(">Q", i))
            if up:
                s += field(4, struct.pack(">Q", up))
            s += field(5, name) + field(6, kind) + fixed(7, BASE + start * US)
            s += fixed(8, BASE + end * US) + proto_pairs(9, attributes) + field(10, 1)
            for t, n, a in EVENTS.get(i, []):
                s += field(11, fixed(1, BASE + t * US) + field(2, n) + proto_pairs(3, a))
            if i in LINKS:
                s += field(13, field(1, bytes.fromhex(TRACE)) + field(2, struct.pack(">Q", LINKS[i])))
            if error:
                s += field(15, field(3, 2))
            spans += field(2, s)
        resource = proto_pairs(1, {"service.name": service, "host.name": "depot"})
        out += field(1, field(1, resource) +
                     field(scopes, field(1, field(1, "lib." + service)) + spans))
    return out


def tags(of):
    types = {bool: "bool", int: "int64", float: "float64", str: "string"}
    return [{"key": k, "type": types[type(v)], "value": v} for k, v in of.items()]


def jaeger():
    spans = []
    for i, up, service, name, start, end, kind, error, attributes in SPANS:
        refs = [{"refType": "CHILD_OF", "traceID": TRACE, "spanID": "%016x" % up}] if up else []
        if i in LINKS:
            refs.append({"refType": "FOLLOWS_FROM", "traceID": "1" * 32, "spanID": "%016x" % LINKS[i]})
        of = dict(attributes, **{"span.kind": KINDS[kind].lower()})
        if error:
            of["error"] = True
        spans.append({"traceID": TRACE, "spanID": "%x" % i, "operationName": name,
                      "references": refs, "startTime": BASE // US + start, "duration": end - start,
                      "tags": tags(of), "processID": "p-" + service, "warnings": None,
                      "logs": [{"timestamp": BASE // US + t, "fields": tags(dict({"event": n}, **a))}
                               for t, n, a in EVENTS.get(i, [])]})
    processes = {"p-" + s: {"serviceName": s, "tags": tags({"hostname": "depot"})}
                 for s in ("orders", "front")}
    return {"data": [{"traceID": TRACE, "spans": spans, "processes": processes}], "total": 0}


def zipkin():
    spans = []
    for i, up, service, name, start, end, kind, error, attributes in SPANS:
        of = {k: json.dumps(v) if not isinstance(v, str) else v for k, v in attributes.items()}
        if error:
            of["error"] = ""
        s = {"traceId": TRACE, "id": "%016x" % i, "name": name, "timestamp": BASE // US + start,
             "duration": end - start, "localEndpoint": {"serviceName": service}, "tags": of}
        if up:
            s["parentId"] = "%016x" % up
        if kind > 1:
            s["kind"] = KINDS[kind]
        if i in EVENTS:
            s["annotations"] = [{"timestamp": BASE // US + t, "value": n} for t, n, a in EVENTS[i]]
        spans.append(s)
    # the halves of one call, a span without a length, one without a time
    spans.append(dict(spans[0], id="a", name="call", timestamp=BASE // US + 200, kind="CLIENT"))
    spans.append(dict(spans[6], id="a", name="call", timestamp=BASE // US + 210, duration=50,
                      kind="SERVER", shared=True, tags={}))
    del spans[-1]["annotations"], spans[-1]["parentId"]
    spans.append({"traceId": TRACE, "id": "b", "name": "point", "timestamp": BASE // US + 1})
    spans.append({"traceId": TRACE, "id": "c", "name": "never",
                  "annotations": [{"timestamp": BASE // US + 3, "value": "seen"}]})
    return spans


def write(case, name, data):
    os.makedirs(os.path.join(sys.argv[1], case), exist_ok=True)
    with open(os.path.join(sys.argv[1], case, name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


both = ("front", "orders")
lines = json.dumps(otlp(("front",))) + "\n" + json.dumps(otlp(("orders",), last=True)) + "\n"
write("otlptrace-lines", "input.jsonl", lines + json.dumps(otlp(("front",))) + "\n")
write("otlptrace-proto", "input.otlp", proto(both))
write("otlptrace-lengths", "input.otlp",
      b"".join(struct.pack(">I", len(m)) + m for m in (proto(("front",), 1000), proto(("orders",)))))
write("otlptrace-cut", "input.otlp", proto(both)[:-3])
write("jaeger-trace", "input.json", json.dumps(jaeger(), indent=1) + "\n")
write("jaeger-cut", "input.json", json.dumps(jaeger())[:2600])
write("zipkin-trace", "input.json", json.dumps(zipkin(), indent=1) + "\n")
write("zipkin-cut", "input.json", json.dumps(zipkin())[:1500])
naive()
