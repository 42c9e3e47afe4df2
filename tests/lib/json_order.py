#!/usr/bin/env python3
"""JSON documents with their members in other orders, at every depth, and in another layout:

    json_order.py OUT BYTES PART FOLDER...

Looks for files that begin as a JSON document does, gzipped ones too, of at most BYTES when
unpacked, whose path has PART in it.  Writes of the Nth one OUT/N/in.json as it is, and
OUT/N/pretty.json, sorted.json and reversed.json; prints a line `N path` for it.  Values and the
order of arrays stay.  Numbers are written as they stand in the document; of several documents
the first is taken.  Files of lines (.jsonl) are left out: each of their documents counts."""
import gzip
import json
import os
import re
import sys


class Text:
    """What is written as it stands."""

    def __init__(self, text):
        self.text = text


class Members(list):
    """Pairs, of which one key may stand twice."""


def quoted(value):
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return {True: "true", False: "false", None: "null"}[value]


def write(value, order):
    """json.dumps(value), but for numbers and members."""
    comma, colon = (" ,\r\n\t", " :\n ") if order == "pretty" else (",", ":")
    out = []
    todo = [value]
    while todo:
        at = todo.pop()
        if isinstance(at, Text):
            out.append(at.text)
        elif isinstance(at, Members):
            pairs = {"sorted": lambda: sorted(at, key=lambda pair: pair[0]),
                     "reversed": lambda: at[::-1],
                     "pretty": lambda: at}[order]()
            todo.append(Text("}"))
            for i, (key, inner) in enumerate(reversed(pairs)):
                todo.append(inner)
                todo.append(Text(("" if i == len(pairs) - 1 else comma) + quoted(key) + colon))
            todo.append(Text("{"))
        elif isinstance(at, list):
            todo.append(Text("]"))
            for i, inner in enumerate(reversed(at)):
                todo.append(inner)
                if i < len(at) - 1:
                    todo.append(Text(comma))
            todo.append(Text("["))
        else:
            out.append(quoted(at))
    return "".join(out).encode("utf-8", "surrogateescape")


def content(path, most):
    """The bytes of a file of JSON, unpacked, or None."""
    with open(path, "rb") as file:
        magic = file.read(2)
        file.seek(0)
        if magic == b"\x1f\x8b":
            file = gzip.GzipFile(fileobj=file)
        try:
            data = file.read(64)
            head = re.sub(rb"[ \t\r\n\xef\xbb\xbf]", b"", data)
            if not re.match(rb'[{]"|\[[{]"|\[\[', head):
                return None
            data += file.read(most + 1 - len(data))
        except (OSError, EOFError):
            return None
    return data if len(data) <= most else None


def document(data):
    text = data.decode("utf-8-sig", "surrogateescape").lstrip(" \t\r\n")
    decoder = json.JSONDecoder(object_pairs_hook=Members, parse_float=Text, parse_int=Text,
                               parse_constant=lambda text: None, strict=False)
    try:
        return decoder.raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def main(out, most, part, *folders):
    n = 0
    for folder in folders:
        paths = sorted(os.path.join(where, name) for where, _, names in os.walk(folder)
                       for name in names if not name.endswith(".jsonl"))
        for path in paths:
            # a packed file is at most as long as its content, but for a few bytes
            if part not in path or os.path.getsize(path) > int(most) + 100:
                continue
            data = content(path, int(most))
            value = document(data) if data else None
            if value is None:
                continue
            n += 1
            os.mkdir(f"{out}/{n}")
            with open(f"{out}/{n}/in.json", "wb") as file:
                file.write(data)
            for order in ("pretty", "sorted", "reversed"):
                with open(f"{out}/{n}/{order}.json", "wb") as file:
                    file.write(write(value, order))
            print(n, os.path.relpath(path, folder))


main(*sys.argv[1:])
