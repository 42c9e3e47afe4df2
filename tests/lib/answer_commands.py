"""Runs the commands that answers name: answer_commands.py PNAV <CASES

CASES are pairs of lines, a folder and a file in it; the file `args` there has more arguments. Each
command must end with the status of the report that names it, reports in text and in Markdown must
name those of JSON, the command of `outliers` must list its longest call, and an answer without data
must have no command.
"""

import json
import os
import re
import shlex
import subprocess
import sys

PNAV = sys.argv[1]


def run(words, folder):
    done = subprocess.run([PNAV] + words, cwd=folder, capture_output=True)
    return done.returncode, done.stdout.decode(errors="surrogateescape")


def unmarked(cell):
    return re.sub(r"\\([^A-Za-z0-9 ])", r"\1", cell)


def differ(asked, folder):
    """Returns what is wrong with the answers of this report; None where it has none."""
    status, printed = run(asked + ["--format", "json"], folder)
    if status not in (0, 3):
        return None
    rows = json.loads(printed)["rows"]
    for row in rows:
        if row[2].startswith("no answer") != (row[4] is None):
            return "%s: command %s" % (row[0], row[4])
    known = {row[4] for row in rows if row[4]}
    text = run(asked + ["--format", "text"], folder)[1]
    if known != {line[4:] for line in text.splitlines() if line.startswith("    pnav ")}:
        return "text names other commands"
    lines = run(asked + ["--format", "md"], folder)[1].splitlines()[4:]
    cells = {line[2:-2].split(" | ")[-1] for line in lines if line.startswith("| ")}
    if {unmarked(one) for one in known} != {unmarked(unmarked(one)) for one in cells if one}:
        return "Markdown names other commands"
    for command in known:
        words = shlex.split(command)[1:]
        ended, printed = run(words + ["--format", "csv"], folder)
        if ended != status:
            return "status %d: %s" % (ended, command)
        longest = [row[7] for row in rows if row[4] == command and row[6] == "longest" and
                   row[0] == "outliers"]
        if longest and not re.search(r"(?m)^[^,]*,%d," % longest[0], printed):
            return "the longest call is not in: %s" % command
    return ""


lines = sys.stdin.read().splitlines()
for folder, name in zip(lines[::2], lines[1::2]):
    more = ""
    if os.path.exists(folder + "args"):
        with open(folder + "args") as file:
            more = file.read()
    if "--columns" in more:
        continue
    wrong = differ(["report", "--view", "answers"] + shlex.split(more) + [name], folder)
    if wrong is not None:
        print("bad" if wrong else "good", os.path.basename(folder[:-1]), "commands", wrong)
