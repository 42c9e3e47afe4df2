#!/usr/bin/env python3
"""A JSON document with its members in another order, at every depth, or in another layout:

    json_order.py sorted|reversed|pretty <IN >OUT

Values and the order of arrays stay.  Numbers are written as they stand in the document; of
several documents the first is taken.  Exit status 1: no JSON document."""
import json
import sys


order = sys.argv[1]
COMMA, COLON = (" ,\r\n\t", " :\n ") if order == "pretty" else (",", ":")


class Text:
    """What is written as it stands."""

    def __init__(self, text):
        self.text = text


class Members(list):
    """Pairs, of which one key may stand twice."""


def members(pairs):
    if order == "sorted":
        pairs = sorted(pairs, key=lambda pair: pair[0])
    elif order == "reversed":
        pairs = pairs[::-1]
    return Members(pairs)


def quoted(value):
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return {True: "true", False: "false", None: "null"}[value]


def write(value, out):
    """json.dumps(value), but for numbers and members."""
    todo = [value]
    while todo:
        at = todo.pop()
        if isinstance(at, Text):
            out.append(at.text)
        elif isinstance(at, Members):
            todo.append(Text("}"))
            for i, (key, inner) in enumerate(reversed(at)):
                todo.append(inner)
                todo.append(Text(("" if i == len(at) - 1 else COMMA) + quoted(key) + COLON))
            todo.append(Text("{"))
        elif isinstance(at, list):
            todo.append(Text("]"))
            for i, inner in enumerate(reversed(at)):
                todo.append(inner)
                if i < len(at) - 1:
                    todo.append(Text(COMMA))
            todo.append(Text("["))
        else:
            out.append(quoted(at))


data = sys.stdin.buffer.read().decode("utf-8-sig", "surrogateescape").lstrip(" \t\r\n")
decoder = json.JSONDecoder(object_pairs_hook=members, parse_float=Text, parse_int=Text,
                           parse_constant=lambda text: None, strict=False)
try:
    document, _ = decoder.raw_decode(data)
except (ValueError, RecursionError):
    sys.exit(1)
pieces = []
write(document, pieces)
sys.stdout.buffer.write("".join(pieces).encode("utf-8", "surrogateescape"))
