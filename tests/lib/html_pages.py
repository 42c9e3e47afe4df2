# html_pages.py PNAV GOLDEN DATA BROWSER: the checks of html.t.  Prints `good NAME`, `bad NAME` or
# `skip NAME: WHY` a line.  BROWSER is empty if there is none.
import base64
import csv
import glob
import html
import html.parser
import io
import json
import os
import random
import re
import subprocess
import sys
import zlib

import pages

PNAV, GOLDEN, DATA, BROWSER = sys.argv[1:5]
LENSES = int(os.environ.get("HTML_LENSES", "10"))
INPUTS = ["perfscript-chains", "folded-names", "chrome-object", "bsprof-small", "callgrind-arcs",
          "speedscope-sampled-then-evented", "cpuprofile-idle", "pprof-threads", "text1-statistics",
          "gmon-arcs"]
NUMBERS = {"line", "calls", "self", "total", "base_self", "base_total", "delta_self", "delta_total"}


def result(good, name, *why):
    print("good" if good else "bad", name, flush=True)
    if not good:
        for line in why:
            sys.stderr.write("# %s: %.1500r\n" % (name, line))


def pnav(*words):
    return subprocess.run([PNAV, *words], capture_output=True)


def report(lens, files, *words, command="report"):
    got = pnav(command, "--format", "csv", *words, *lens, *files).stdout.decode("utf-8", "replace")
    return list(csv.DictReader(io.StringIO(got)))


class Table(html.parser.HTMLParser):
    """The rows of table#functions, and every element, attribute and text of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.heads, self.rows, self.tags, self.attributes = [], [], set(), set()
        self.inside, self.cell, self.table = False, None, 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        self.attributes |= set(attrs)
        if tag == "table" and attrs.get("id") == "functions":
            self.inside = True
        if self.inside and tag == "tr":
            self.rows.append([])
        if self.inside and tag in ("td", "th"):
            self.cell = [tag, attrs.get("data-n"), ""]

    def handle_endtag(self, tag):
        if tag == "table":
            self.inside = False
        if self.cell and tag == self.cell[0]:
            if tag == "th":
                self.heads.append(self.cell[2])
            else:
                self.rows[-1].append(self.cell[1] if self.cell[1] is not None else self.cell[2])
            self.cell = None

    def handle_data(self, data):
        if self.cell:
            self.cell[2] += data


def export(lens, files, out, *words):
    got = pnav("export", "-o", out, *words, *lens, *files)
    return got.returncode in (0, 3) and os.path.exists(out)


def input_of(name):
    return sorted(glob.glob(os.path.join(GOLDEN, name, "input.*")))[:1]


# ---- random lenses ----

def lens_of(dice, rows, has_time):
    names = [r["function"] for r in rows if r["function"].isprintable() and r["function"]]
    words = []
    if has_time and dice.random() < 0.4:
        at = sorted(dice.sample(range(101), 2))
        words += ["--from", "%d%%" % at[0], "--to", "%d%%" % at[1]]
    for verb in ("--include", "--exclude", "--hide", "--collapse"):
        if names and dice.random() < 0.25:
            words += [verb, "=" + dice.choice(names)]
    if dice.random() < 0.3:
        words += ["--by", dice.choice(["file", "module", "line"])]
    if dice.random() < 0.2:
        words += ["--invert"]
    return words


def same_rows(heads, got, want):
    """The rows of a page's table are those of a report, up to 200 of them."""
    if len(got) != min(200, len(want)):
        return "%d rows of %d" % (len(got), len(want))
    for cells, row in zip(got, want):
        for name, cell in zip(heads, cells):
            if cell != row[name] and (name in NUMBERS or row[name].isprintable()):
                return "%s: %r for %r in %r" % (name, cell, row[name], row)
    return ""


TABLE = """(() => {
    const table = document.getElementById("functions");
    return [...table.tBodies[0].rows].map((tr) => [...tr.cells].map((td) =>
        td.dataset.n === undefined ? td.textContent : td.dataset.n));
})()"""
HEADS = """[...document.getElementById("functions").tHead.rows[0].cells].map(
    (th) => th.textContent)"""
TEXTS = """[...document.getElementById("functions").tBodies[0].rows].map((tr) =>
    [...tr.cells].map((td) => td.textContent))"""
AROUND = """[...document.querySelectorAll("#around table")].map((table) =>
    [...table.tBodies[0].rows].map((tr) => [tr.cells[0].textContent, tr.cells[1].dataset.n]))"""
SAID = """document.getElementById("said").textContent"""


def numbers_equal(heads, got, want):
    """As same_rows(), of the table that the script made: whole numbers only."""
    plain = [[c.replace(",", "") if h in NUMBERS else re.sub(r"^\(no \w+\)$", "", c)
              for h, c in zip(heads, r)] for r in got]
    scaled = any("." in r["self"] + r["total"] for r in want)
    return "" if scaled else same_rows(heads, plain, want)


def naive_around(lens, files, name):
    """Callers and callees from the rows of a tree: once a stack, at the outermost frame."""
    callers, callees, path, inside = {}, {}, [], []
    for r in report(lens, files, "--view", "tree"):
        depth, total = int(r["depth"]), int(r["total"])
        del path[depth:], inside[depth:]
        above = path[-1] if path else "(root)"
        outer = r["function"] == name and not any(inside)
        if outer:
            callers[above] = callers.get(above, 0) + total
        if inside and inside[-1] == "first":
            callees[r["function"]] = callees.get(r["function"], 0) + total
        path.append(r["function"])
        inside.append("first" if outer else "below" if any(inside) else "")
    return callers, callees


def check_lens(b, lens, files):
    """One page against reports: the markup, then what the script makes of it."""
    out = "page.html"
    if os.path.exists(out):
        os.remove(out)
    want = report([w for w in lens if w != "--invert"], files)
    if not export(lens, files, out):
        return "no page"
    text = open(out, encoding="utf-8").read()
    table = Table(text)
    rows = [r for r in table.rows if r]
    wrong = same_rows(table.heads, rows, want)
    if wrong or not b:
        return wrong
    wrong = b.open(out)
    if wrong:
        return "script: " + wrong
    shown = b.ask(TABLE)
    heads = b.ask(HEADS)
    return numbers_equal(heads, shown, want) or check_texts(text, b, table) or \
        check_requests(b)


def check_texts(text, b, table):
    """The script writes numbers as pnav does."""
    plain = re.findall(r"<td data-n=\"[^\"]*\">([^<]*)</td>", text)
    shown = [c for r in b.ask("""[...document.getElementById("functions").tBodies[0].rows].map(
        (tr) => [...tr.cells].filter((td) => td.dataset.n !== undefined)
            .map((td) => td.textContent))""") for c in r]
    for x, y in zip(plain, shown):
        if x != y:
            return "text %r for %r" % (y, x)
    return ""


def check_back(name, files):
    """pnav reads a page: its reports are those of the file."""
    for view, columns in (("functions", "function,file,line,module,kind,self,total"),
                          ("tree", "depth,function,file,line,module,self,total"),
                          ("lines", "file,line,function,self,total")):
        words = ("--view", view, "--columns", columns)
        rows = [sorted(map(str, report([], f, *words))) for f in (files, ["page.html"])]
        if rows[0] != rows[1]:
            return view + ": " + str([r for r in rows[0] if r not in rows[1]][:3])
    return ""


def check_axis(name, files):
    """The timeline of a page is read back: its tracks over the same range."""
    with open("page.html", encoding="utf-8") as f:
        packed = re.search(r'id="pnav-profile">([^<]*)', f.read()).group(1)
    time = json.loads(zlib.decompress(base64.b64decode(packed))).get("time")
    tracks = report([], ["page.html"], "--view", "tracks")
    got = [(t["track"], t["start"], t["end"]) for t in tracks if t["kind"] == "counter"]
    if not time:
        return not got
    # times count from the first event
    want = [(t["name"], "0", str(time["length"])) for t in time["tracks"]]
    values = {}
    for v in report([], ["page.html"], "--view", "values"):
        values.setdefault(v["track"], []).append(float(v["value"]))
    for t in time["tracks"]:
        low, high = (t["low"], t["high"]) if "low" in t else (0, 100)
        most = low + (high - low) * max(t["parts"]) / 63
        if abs(max(values[t["name"]]) - most) > max(abs(most) / 1e5, 1e-3):
            return False
    return got == want


def check_answers(name, files):
    """The page has the answers of the report."""
    with open("page.html", encoding="utf-8") as f:
        part = re.search(r'<details id="answers".*?</details>', f.read(), re.S)
    got = re.findall(r"<dd>(.*?)</dd>", part.group(0)) if part else []
    texts = []
    for row in report([], files, "--view", "answers"):
        if row["text"] not in texts and not row["text"].startswith("no answer"):
            texts.append(row["text"])
    return [html.unescape(t) for t in got] == texts and len(got) > 1
def check_notes(b):
    """Marks of a session are notes of its page, whatever they say."""
    with open("marked.folded", "w") as f:
        f.write("main;parse 3\nmain;emit 4\n")
    marks = ["the slow part", "</script><b>bold</b> & 'quoted'"]
    with open("marked.session", "w") as f:
        f.write("# pnav session\nfile marked.folded\nentry hide emit\nmark - - %s\n"
                "mark-select main\nmark-select parse\nmark - - %s\n" % tuple(marks))
    done = pnav("export", "--session", "marked.session", "--format", "html", "-o", "marked.html")
    with open("marked.html", encoding="utf-8") as f:
        text = f.read()
    packed = re.search(r'id="pnav-profile">([^<]*)', text).group(1)
    notes = json.loads(zlib.decompress(base64.b64decode(packed))).get("notes", [])
    result(not done.returncode and [n["name"] for n in notes] == marks and
           notes[0]["where"] == "main > parse", "a page has the marks of a session",
           done.stderr, notes)
    if b:
        b.open("marked.html")
        shown = b.ask("document.getElementById('notes').innerText")
        result(all(m in shown for m in marks) and "(main > parse)" in shown,
               "and shows them as they were written", shown)


def check_requests(b):
    other = [u for u in b.requests if not u.startswith(("file://", "about:", "blob:"))]
    return "requests " + " ".join(other) if other or len(b.requests) > 2 else ""


# ---- what is chosen in the page ----

def check_chosen(b, files):
    want = report([], files)
    row = next(i for i, r in enumerate(want) if r["function"] == "sqlite3VdbeExec")
    name = want[row]["function"]
    export([], files, "page.html")
    b.open("page.html", "row=%d" % row)
    callers, callees = naive_around([], files, name)
    got = b.ask(AROUND)
    result({k: int(v) for k, v in got[0]} == {k: v for k, v in callers.items() if v},
           "callers are those of the tree", got[0], callers)
    got = {k: int(v) for k, v in got[1]}
    own = got.pop("(self)", 0)
    few = dict(sorted(callees.items(), key=lambda kv: -kv[1])[:20])
    result(own == int(want[row]["self"]) and all(got.get(k) == v for k, v in few.items()),
           "callees and self are those of the tree", got, few)
    b.open("page.html", "find=/^%s\\n/" % name)
    said = b.ask(SAID)
    everything = sum(int(r["self"]) for r in want)
    share = "%.1f %%" % (100 * int(want[row]["total"]) / everything)
    result(said.startswith("1 match") and said.endswith(share), "the search has its share", said,
           share)
    b.open("page.html", "keep=/^%s\\n/" % name)
    kept = report(["--include", "=" + name], files)
    heads = b.ask(HEADS)
    got = sorted((r[0], r[-2], r[-1]) for r in b.ask(TABLE))
    kept = sorted((r["function"], r["self"], r["total"]) for r in kept)
    result(len(heads) > 4 and set(got) <= set(kept) and len(got) == min(200, len(kept)), "the filter has the numbers of --include", got, kept)
    check_keys(b, want)


def check_keys(b, want):
    b.open("page.html", "zoom=5")
    crumbs = "document.querySelectorAll('#crumbs button').length"
    before = b.ask(crumbs)
    b.ask("document.body.dispatchEvent(new KeyboardEvent('keydown', "
          "{key: 'Backspace', bubbles: true}))")
    result(b.ask(crumbs) == before - 1, "Backspace leaves a zoom", before, b.ask(crumbs))
    b.ask("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'I', bubbles: true}))")
    first = b.ask("document.getElementById('outline').rows[1].cells[3].textContent")
    hottest = b.ask("document.getElementById('functions').tBodies[0].rows[0].textContent")
    result(first in hottest and b.ask("document.getElementById('invert').ariaPressed") == "true",
           "I inverts: the hottest function comes first", first, hottest)
    b.ask("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true}))")
    result(b.ask("document.getElementById('help').open"), "? shows the keys")
    heads = b.ask("[...document.getElementById('functions').tHead.rows[0].cells].every("
                  "(th) => th.scope === 'col')")
    result(heads and b.ask("document.querySelector('canvas').ariaLabel.includes('Flame')"),
           "tables have heads, and the flame a label")


# ---- paper, fingers ----

# The widths of paper in CSS pixels, without its margins: A4 and letter.
PAPER = (718, 741)
PRINTED = """(() => {
    const row = document.getElementById('functions').tBodies[0].rows[0];
    const light = (c) => c.match(/[0-9.]+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
    const edges = [...row.cells].map((c) => c.getBoundingClientRect());
    return [Math.max(...edges.map((e) => e.right)), document.documentElement.clientWidth,
            light(getComputedStyle(row.cells[0]).color),
            getComputedStyle(document.querySelector('nav')).display,
            [...row.cells].every((c) => c.scrollWidth <= c.clientWidth + 1)];
})()"""


def emulate(b, media="", scheme="light", width=0, touch=False):
    b.call("Emulation.setEmulatedMedia", media=media,
           features=[{"name": "prefers-color-scheme", "value": scheme}])
    b.call("Emulation.setTouchEmulationEnabled", enabled=touch)
    if width:
        b.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
               deviceScaleFactor=1, mobile=touch)
    else:
        b.call("Emulation.clearDeviceMetricsOverride")


def tap(b, x, y):
    b.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
    b.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])


def check_print(b, files):
    export([], files, "print.html")
    for width in PAPER:
        emulate(b, "print", "dark", width)
        b.open("print.html")
        right, wide, text, nav, whole = b.ask(PRINTED)
        result(right <= wide and whole, "paper of %d pixels has all columns" % width, right, wide)
        result(text < 300 and nav == "none", "paper is light also in the dark", text, nav)
    filtered = "getComputedStyle(document.querySelector('canvas')).filter"
    dark = b.ask(filtered)
    emulate(b, "print", "light", width)
    b.open("print.html")
    result("invert" in dark and b.ask(filtered) == "none", "paper inverts a dark flame", dark)
    emulate(b)


def check_touch(b, files):
    emulate(b, width=412, touch=True)
    b.open("print.html")
    place = b.ask("(() => { const r = document.querySelector('canvas').getBoundingClientRect();"
                  " return [r.x, r.y]; })()")
    tap(b, place[0] + 40, place[1] + 30)
    result(b.ask("document.querySelectorAll('#crumbs button').length") == 2,
           "a tap zooms the flame")
    wide = b.ask("[document.documentElement.scrollWidth, innerWidth]")
    result(wide[0] <= wide[1], "a narrow page does not scroll sideways", wide)
    place = b.ask("""(() => {
        const row = document.getElementById('functions').tBodies[0].rows[2];
        row.scrollIntoView({block: 'center'});
        const r = row.getBoundingClientRect();
        return [r.x, r.y, row.cells[0].textContent.trim()];
    })()""")
    tap(b, place[0] + 30, place[1] + 8)
    chosen = b.ask("document.querySelector('tr.chosen').cells[0].textContent.trim()")
    result(chosen == place[2], "a tap chooses a function", chosen, place)
    emulate(b)


# ---- hostile names, sizes, limits ----

HOSTILE = ["</script><script>document.title='taken'</script>", "<img src=x onerror=alert(1)>",
           "\"'><svg onload=alert(1)>", "</table></title></style><b>", "&lt;i&gt;&#60;u&#62;",
           "a\u202eb\u2066c\u200bd", "x\x01\x1b[31my", "javascript:alert(1)", "${7*7}{{7*7}}",
           "--><!--", "]]>", "__proto__", "constructor", "\\u003cscript\\u003e"]


def check_hostile(b):
    with open("hostile.folded", "w") as f:
        for i, name in enumerate(HOSTILE):
            f.write("main;%s;%s %d\n" % (name.replace(";", ":"), HOSTILE[-i - 1].replace(";", ":"),
                                         i + 3))
    export([], ["hostile.folded"], "hostile.html")
    table = Table(open("hostile.html", encoding="utf-8").read())
    known = {"html", "head", "meta", "title", "style", "body", "header", "h1", "dl", "dt", "dd",
             "main", "section", "h2", "p", "table", "thead", "tr", "th", "tbody", "td", "details",
             "summary", "noscript", "script"}
    result(table.tags <= known and not [a for a in table.attributes if a.startswith("on")],
           "hostile names: no element and no handler in the markup", table.tags - known)
    if not b:
        return
    failed = b.open("hostile.html")
    alien = b.ask("document.querySelectorAll('img, b, i, u, svg[onload], script').length")
    title = b.ask("document.title")
    shown = b.ask(TEXTS)
    hides = re.compile("[\x00-\x09\x0b-\x1f\u200b\u202a-\u202e\u2066-\u2069]")
    text = b.ask("document.body.innerText")
    result(not failed and alien == 2 and title == "hostile.folded" and len(shown) == 15 and
           not hides.search(text.replace("\t", "")) and not check_requests(b),
           "hostile names: nothing happens in the browser", failed, alien, title, len(shown),
           hides.search(text))
    result(all(any(r[0] == h.replace(";", ":") for r in shown) for h in HOSTILE
               if h.isprintable() and "\u202e" not in h), "hostile names are shown as they are", shown)
    b.ask("document.body.append(Object.assign(document.createElement('script'), "
          "{textContent: 'document.title = 1'}))")
    result(b.ask("document.title") == "hostile.folded", "the policy lets no other script run")


def check_sizes(sample):
    for name, files in [("the sample", sample)] + [(n, input_of(n)) for n in INPUTS]:
        if not export([], files, "size.html"):
            result(False, "size of " + name)
            continue
        nodes = len(report([], files, "--view", "tree"))
        size = os.path.getsize("size.html")
        if size > 96 * 1024 + 40 * nodes:
            result(False, "size of " + name, size, nodes)
    with open("long.folded", "w") as f:
        for i in range(400):
            f.write("main;%s%d %d\n" % ("std::vector<unsigned long, allocator<char> >::" * 12, i,
                                        i + 1))
    export([], ["long.folded"], "size.html")
    result(os.path.getsize("size.html") <= 96 * 1024 + 40 * 401,
           "no page is larger than 96 KiB and 40 bytes a node", os.path.getsize("size.html"))


def check_limit(b, sample):
    export([], sample, "limit.html", "--limit-nodes", "300")
    if not b:
        return
    b.open("limit.html")
    said = b.ask(SAID)
    whole = sum(int(r["self"]) for r in report([], sample))
    merged = int(re.sub(r"\D", "", re.search("smallest ([0-9,]+) nodes", said).group(1)))
    nodes = len(report(["--by", "line"], sample, "--view", "tree"))
    crumbs = b.ask("document.querySelector('#crumbs').textContent")
    b.open("page.html")
    result(nodes - 300 <= merged < nodes and "(other)" in said and
           crumbs == b.ask("document.querySelector('#crumbs').textContent") and whole > 0,
           "--limit-nodes merges the smallest into (other) and keeps the total", said, nodes, crumbs)


def check_comparison(b, sample):
    for out, side in [("half.folded", "--to"), ("rest.folded", "--from")]:
        export([side, "50%"], sample, out)
    lens = ["--old", "half.folded", "--new", "rest.folded"]
    want = report(lens, [], command="diff")
    if not want or "base_self" not in want[0] or not export(lens, [], "diff.html"):
        result(False, "a comparison is written", want[:1])
        return
    table = Table(open("diff.html").read())
    by = {(r["function"], r["file"], r["module"]): r for r in want}
    wrong = ""
    for cells in [r for r in table.rows if r]:
        got = dict(zip(table.heads, cells))
        row = by.get((got["function"], got["file"], got["module"]))
        for name in NUMBERS | {"sure"}:
            if row and got.get(name) != row.get(name):
                wrong = wrong or "%s %r %r" % (name, got, row)
    result(not wrong and len(table.rows) > 100, "a comparison has the numbers of a report", wrong)
    if b:
        failed = b.open("diff.html")
        colours = b.ask("""(() => {
            const c = document.querySelector("canvas"), seen = new Set();
            const at = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
            for (let i = 0; i < at.length; i += 4)
                if (at[i + 3] === 255)
                    seen.add(at[i] > at[i + 2] + 15 ? "red" : at[i + 2] > at[i] + 15 ? "blue" :
                        "grey");
            return [...seen].sort().join(" ");
        })()""")
        result(not failed and colours == "blue grey red",
               "a comparison is red and blue", failed, colours)


def check_negative(b):
    """Amounts below 0 have boxes: all, x (-70), c in it, y, z."""
    with open("negative.folded", "w") as out:
        out.write("x -90\nx;c 20\ny 100\nz 40\n")
    export([], ["negative.folded"], "negative.html")
    b.open("negative.html")
    label = b.ask("document.querySelector('canvas').ariaLabel")
    result(" 5 boxes" in label, "what is below 0 has a box as wide as its amount", label)


def main():
    sample = [os.path.join(DATA, "sample.perfscript.gz")]
    browser = pages.Browser(os.path.abspath("chromium"), BROWSER) if BROWSER else None
    dice = random.Random(32)
    for name in INPUTS:
        files = input_of(name)
        rows = report([], files)
        has_time = any(r["end"] for r in report([], files, "--view", "tracks"))
        wrong = ""
        for n in range(LENSES):
            lens = lens_of(dice, rows, has_time) if n else []
            found = "" if wrong else check_lens(browser, lens, files)
            wrong = wrong or found and repr(lens) + ": " + found
        export([], files, "page.html")
        back = check_back(name, files)
        result(not back, name + ": a page is read back", back)
        result(check_axis(name, files), name + ": its timeline, too")
        result(check_answers(name, files), name + ": it has the answers of a report")
        result(not wrong, "%s: %d lenses have the numbers of reports" % (name, LENSES), wrong)
    check_sizes(sample)
    check_comparison(browser, sample)
    check_hostile(browser)
    check_notes(browser)
    if browser:
        check_chosen(browser, sample)
        check_print(browser, sample)
        check_touch(browser, sample)
        check_limit(browser, sample)
        check_negative(browser)
        browser.__exit__()
    else:
        print("skip the script of the page: no Chromium is installed")


main()
