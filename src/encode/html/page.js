/* page.js - the script of a page that pnav export --format html wrote.
 *
 * The profile stands in #pnav-profile: JSON, compressed by zlib, in base64:
 *
 *	title, by, nameless, invert, compares, everything, base_everything
 *	metric   {name, unit, decimals, stated: rows have totals that the file states, estimated}
 *	names    [text]; 0 is the empty one
 *	rows     one a function (file, module, line: as `by` says): name, file, module: indexes of
 *	         names; line, kind, self, total, calls (-1: not counted), at; in a comparison
 *	         base_self, base_total, sure, sure_total (0 not known, 1 may be chance, 2 sure).
 *	         The first `shown` of n are those of a report
 *	frames   {row, at}: of nodes that are lines; without it a node's frame is a row
 *	nodes    {depth, frame, self, base, sure} in preorder, depth 1 for a root frame; a frame behind
 *	         the last one is (other), what --limit-nodes merged
 *	time     {unit, from, length, tracks: [{name, kind, step, low, high, unit, parts}]}
 *	notes    [{name, where}]: marks of a session
 *
 * Names come from the profiled program.  They enter the page by textContent alone.  All numbers
 * are sums of the nodes; those of rows are the report's own until the stacks are filtered. */
"use strict";
(function () {

const KINDS = ["user", "intrinsic", "system", "idle"];
const LEAST = 0.4; /* pixels of a box that is drawn */
const ROW = 18;
const LETTER = 6.6;
const ROWS_SHOWN = 200;
const $ = (id) => document.getElementById(id);

/* ---- numbers, as pnav writes them ---- */

/* Returns v with that many decimals.  toFixed() rounds ties up, C to even. */
function fixed(v, decimals)
{
	const scaled = v * 10 ** decimals, low = Math.floor(scaled);

	if (scaled - low === 0.5 && Number.isInteger(v * 2 ** (decimals + 1)))
		return ((low % 2 ? low + 1 : low) / 10 ** decimals).toFixed(decimals);
	return v.toFixed(decimals);
}

function grouped(v)
{
	const digits = Math.abs(v).toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");

	return (v < 0 ? "-" : "") + digits;
}

function scaled(v, scales)
{
	for (const [size, unit] of scales)
		if (Math.abs(v) >= size * 0.9995) {
			const x = v / size, abs = Math.abs(x);
			return fixed(x, abs < 9.995 ? 2 : abs < 99.95 ? 1 : 0) + " " + unit;
		}
	return grouped(v);
}

const COUNTS = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"]];
const BYTES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"]];
const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]];

function value(v)
{
	if (metric.decimals) {
		const x = v / 10 ** metric.decimals;
		return Math.abs(x) < 999.5 ? String(Number(x.toPrecision(3))) : grouped(x);
	}
	switch (metric.unit) {
	case "ns":
		if (Math.abs(v) >= 999.5e9)
			return grouped(Math.sign(v) * Math.round(Math.abs(v) / 1e9)) + " s";
		return Math.abs(v) < 999.5 ? v + " ns" : scaled(v, TIMES);
	case "bytes":
		return scaled(v, BYTES) + (Math.abs(v) < 1024 ? " B" : "");
	default:
		return Math.abs(v) < 1e8 ? grouped(v) : scaled(v, COUNTS);
	}
}

function change(v)
{
	return (v > 0 ? "+" : "") + value(v);
}

function share(part, whole)
{
	return whole ? fixed(100 * part / Math.abs(whole), 1) + " %" : "";
}

function moment(v, unit)
{
	const abs = Math.abs(v), cut = (x) => (Math.trunc(x * 1000) / 1000).toFixed(3);

	if (unit !== "ns")
		return grouped(v);
	return abs >= 1e9 ? cut(v / 1e9) + " s" : abs >= 1e6 ? cut(v / 1e6) + " ms" :
		abs >= 1e3 ? cut(v / 1e3) + " \u00b5s" : v + " ns";
}

/* A name as a screen shows it: nothing in it turns, joins or hides what stands beside it. */
function visible(text)
{
	return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu,
		(c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

/* ---- the profile ---- */

let data, metric, rows;
/* What is shown: a tree, and the numbers of the rows. */
let upright, tree, numbers;
/* What has been chosen. */
let zoom = 0, chosen = -1, keyed = -1;
let found = null;   /* [row] 1: it matches the search; null: there is none */
let keeps = "";     /* the filter */
let inverts = false;
let colours = "kind";
let sort = {column: "self", down: true};
let most = ROWS_SHOWN;

async function unpacked(text)
{
	const bytes = Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0));
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));

	return JSON.parse(await new Response(stream).text());
}

/* One row more, for (other), behind those of the report. */
function rowsMade()
{
	const text = (column, i) => data.names[data.rows[column][i]] || "";
	const made = [];

	for (let i = 0; i < data.rows.n; i++) {
		const at = data.rows.at ? data.rows.at[i] : "";
		const name = visible(text("name", i)) || data.nameless;
		made.push({
			name: at ? name + ":" + at : name, plain: name,
			file: visible(text("file", i)), module: visible(text("module", i)),
			line: (data.rows.at ? at : data.rows.line[i]) || "", kind: KINDS[data.rows.kind[i]] || "",
			shown: i < data.rows.shown,
		});
	}
	made.push({name: "(other)", plain: "(other)", file: "", module: "", line: "", kind: "idle",
		   shown: false});
	return made;
}

/* A tree as columns: node 0 is the whole, and a child comes after its parent. */
function emptyTree(n)
{
	return {
		n: 1, parent: new Int32Array(n + 1), row: new Int32Array(n + 1).fill(-1),
		depth: new Int32Array(n + 1), self: new Float64Array(n + 1),
		base: new Float64Array(n + 1), sure: new Uint8Array(n + 1),
	};
}

function treeNode(t, parent, row)
{
	const i = t.n++;

	t.parent[i] = parent;
	t.row[i] = row;
	t.depth[i] = t.depth[parent] + 1;
	return i;
}

/* Lines of one function below one parent are one node here, as in a report. */
function treeRead()
{
	const nodes = data.nodes, n = nodes.depth.length, frames = data.frames;
	const t = emptyTree(n), path = [0], last = rows.length - 1, width = rows.length + 1;
	const child = frames ? new Map() : null;

	for (let k = 0; k < n; k++) {
		const frame = nodes.frame[k];
		const row = frames ? (frame < frames.row.length ? frames.row[frame] : last) :
			Math.min(frame, last);
		const parent = path[nodes.depth[k] - 1], key = parent * width + row;
		let i = child ? child.get(key) : undefined;
		if (i === undefined) {
			i = treeNode(t, parent, row);
			if (child)
				child.set(key, i);
		}
		t.self[i] += nodes.self[k];
		if (data.compares) {
			t.base[i] += nodes.base[k];
			t.sure[i] = nodes.sure[k];
		}
		path[nodes.depth[k]] = i;
	}
	return treeDone(t);
}

/* Totals, which frames are the outermost of their row, and the children: the heaviest first. */
function treeDone(t)
{
	const n = t.n;

	t.total = t.self.slice(0, n);
	t.baseTotal = t.base.slice(0, n);
	t.weight = t.total.map((v, i) => Math.abs(v) + Math.abs(t.base[i]));
	t.first = new Int32Array(n + 1);
	for (let i = n - 1; i > 0; i--) {
		t.total[t.parent[i]] += t.total[i];
		t.baseTotal[t.parent[i]] += t.baseTotal[i];
		t.weight[t.parent[i]] += t.weight[i];
		t.first[t.parent[i]]++;
	}
	let sum = 0;
	for (let i = 0; i <= n; i++) {
		const of = i < n ? t.first[i] : 0;
		t.first[i] = sum;
		sum += of;
	}
	const fill = t.first.slice();
	t.children = new Int32Array(sum);
	for (let i = 1; i < n; i++)
		t.children[fill[t.parent[i]]++] = i;
	treeOrder(t);
	return t;
}

function treeOrder(t)
{
	t.deepest = 0;
	t.start = new Float64Array(t.n); /* where a node begins, in the unit of the weights */
	for (let i = 0; i < t.n; i++) {
		const below = t.children.subarray(t.first[i], t.first[i + 1]);
		if (below.length > 1)
			below.sort((a, b) => t.weight[b] - t.weight[a] || t.row[a] - t.row[b]);
		let at = t.start[i];
		for (const c of below) {
			t.start[c] = at;
			at += t.weight[c];
		}
		if (t.weight[i] > 0 && t.depth[i] > t.deepest)
			t.deepest = t.depth[i];
	}
	treeOutermost(t);
}

function treeOutermost(t)
{
	const open = new Int32Array(rows.length), stack = [[0, 0]]; /* [row] on the path */

	t.outermost = new Uint8Array(t.n);
	while (stack.length) {
		const top = stack[stack.length - 1], i = top[0];
		if (top[1] === 0 && i)
			t.outermost[i] = open[t.row[i]]++ === 0 ? 1 : 0;
		if (top[1] < t.first[i + 1] - t.first[i]) {
			stack.push([t.children[t.first[i] + top[1]++], 0]);
		} else {
			stack.pop();
			if (i)
				open[t.row[i]]--;
		}
	}
}

/* The same stacks, leaf first.  What a stack took goes to every frame of its path. */
function treeInverted(t)
{
	let depths = 0;
	for (let i = 1; i < t.n; i++)
		if (t.self[i] || t.base[i])
			depths += t.depth[i];
	const out = emptyTree(depths), child = new Map(), width = rows.length + 1;
	const total = new Float64Array(depths + 1), baseTotal = new Float64Array(depths + 1);
	for (let i = 1; i < t.n; i++) {
		if (!t.self[i] && !t.base[i])
			continue;
		let at = 0;
		for (let k = i; k; k = t.parent[k]) {
			const key = at * width + t.row[k];
			let next = child.get(key);
			if (next === undefined) {
				next = treeNode(out, at, t.row[k]);
				child.set(key, next);
			}
			at = next;
		}
		out.self[at] += t.self[i]; /* where the path ends: for the totals */
		out.base[at] += t.base[i];
	}
	treeDone(out);
	for (let i = 1; i < out.n; i++) {
		out.self[i] = out.depth[i] === 1 ? out.total[i] : 0;
		out.base[i] = out.depth[i] === 1 ? out.baseTotal[i] : 0;
	}
	return out;
}

/* The stacks with a frame that matches. */
function treeKept(t, hit)
{
	const kept = emptyTree(t.n), on = new Uint8Array(t.n), place = new Int32Array(t.n);

	for (let i = 1; i < t.n; i++)
		on[i] = on[t.parent[i]] || hit[t.row[i]];
	const has = on.slice();
	for (let i = t.n - 1; i > 0; i--)
		if (has[i])
			has[t.parent[i]] = 1;
	for (let i = 1; i < t.n; i++) {
		if (!has[i])
			continue;
		place[i] = treeNode(kept, place[t.parent[i]], t.row[i]);
		kept.self[place[i]] = on[i] ? t.self[i] : 0;
		kept.base[place[i]] = on[i] ? t.base[i] : 0;
		kept.sure[place[i]] = t.sure[i];
	}
	return treeDone(kept);
}

/* The numbers of the rows: the report's, or the sums of a tree that was filtered. */
function numbersOf(t, filtered)
{
	const n = rows.length, sums = (column) => {
		const out = new Float64Array(n);
		if (data.rows[column])
			out.set(data.rows[column]);
		return out;
	};

	if (!filtered)
		return {self: sums("self"), total: sums("total"), calls: data.rows.calls,
			base_self: sums("base_self"), base_total: sums("base_total"),
			sure: data.rows.sure || [], sure_total: data.rows.sure_total || []};
	const x = {self: new Float64Array(n), total: new Float64Array(n), calls: [],
		base_self: new Float64Array(n), base_total: new Float64Array(n), sure: [],
		sure_total: []};
	for (let i = 1; i < t.n; i++) {
		x.self[t.row[i]] += t.self[i];
		x.base_self[t.row[i]] += t.base[i];
		if (t.outermost[i]) {
			x.total[t.row[i]] += t.total[i];
			x.base_total[t.row[i]] += t.baseTotal[i];
		}
	}
	return x;
}

/* ---- patterns ---- */

/* Which rows match: a part of a name, a file or a module in any case, or /REGEX/. */
function matches(text)
{
	const hit = new Uint8Array(rows.length);
	let regex = null;

	if (text.length > 2 && text.startsWith("/") && text.endsWith("/"))
		try {
			regex = new RegExp(text.slice(1, -1), "i");
		} catch (fault) {
			say("/" + text.slice(1, -1) + "/ is no regular expression");
			return hit;
		}
	const low = text.toLowerCase();
	rows.forEach((row, i) => {
		const of = row.name + "\n" + row.file + "\n" + row.module;
		hit[i] = (regex ? regex.test(of) : of.toLowerCase().includes(low)) ? 1 : 0;
	});
	return hit;
}

/* What the matching frames took, each stack once. */
function foundTotal(t)
{
	const in_ = new Uint8Array(t.n);
	let sum = 0;

	for (let i = 1; i < t.n; i++) {
		const above = in_[t.parent[i]];
		in_[i] = above || found[t.row[i]];
		if (in_[i] && !above)
			sum += t.total[i];
	}
	return sum;
}

/* ---- elements ---- */

function element(name, given, ...inner)
{
	const e = document.createElement(name);

	for (const [key, v] of Object.entries(given || {}))
		if (key.startsWith("on"))
			e.addEventListener(key.slice(2), v);
		else if (key === "text")
			e.textContent = v;
		else
			e.setAttribute(key, v);
	e.append(...inner);
	return e;
}

function button(text, press, given)
{
	return element("button", Object.assign({type: "button", text: text, onclick: press}, given));
}

function say(text)
{
	$("said").textContent = text;
}

/* ---- the flame ---- */

let canvas, pen, boxes = [], wide = 0;

function hue(text)
{
	let h = 0;

	for (let i = 0; i < text.length; i++)
		h = Math.imul(h, 31) + text.charCodeAt(i) | 0;
	return (h >>> 0) % 360;
}

const KIND_HUES = {user: [36, 85], intrinsic: [205, 65], system: [110, 38], idle: [0, 0],
	"": [36, 40]};

function boxColour(t, i, dark)
{
	const row = rows[t.row[i]], shade = (t.row[i] * 37 % 5) * 2;
	const of = (h, s) => "hsl(" + h + " " + s + "% " + (dark ? 27 + shade : 72 + shade) + "%)";

	if (data.compares) {
		const by = t.total[i] - t.baseTotal[i], most = Math.max(1, t.weight[0]);
		const part = Math.min(1, Math.sqrt(Math.abs(by) / most) * 2);
		if (!by || t.sure[i] === 1)
			return of(0, 0);
		return "hsl(" + (by > 0 ? 6 : 212) + " " + (30 + 50 * part) + "% " +
			(dark ? 25 + 15 * part : 88 - 28 * part) + "%)";
	}
	if (t.row[i] === rows.length - 1)
		return of(0, 0);
	if (colours === "kind") {
		const [h, s] = KIND_HUES[row.kind];
		return of(h, s);
	}
	const text = colours === "module" ? row.module : colours === "file" ? row.file : row.name;
	return text ? of(hue(text), 55) : of(0, 0);
}

/* Draws the boxes that are wide enough, below and above the zoom. */
function flameDraw()
{
	const begin = performance.now(), t = tree;
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const ratio = window.devicePixelRatio || 1;

	wide = canvas.parentElement.clientWidth;
	boxes = flameBoxes(t);
	const deep = boxes.reduce((d, b) => Math.max(d, b.depth), 0) + 1;
	/* a canvas has a largest height */
	const height = Math.min(deep * ROW, 16000);
	canvas.width = Math.round(wide * ratio);
	canvas.height = Math.round(height * ratio);
	canvas.style.height = height + "px";
	canvas.toggleAttribute("data-dark", dark); /* paper inverts it */
	pen = canvas.getContext("2d");
	pen.scale(ratio, ratio);
	pen.font = "12px ui-monospace, monospace";
	pen.textBaseline = "middle";
	for (const b of boxes)
		boxDraw(t, b, dark);
	document.documentElement.dataset.drawn = (performance.now() - begin).toFixed(1);
	canvas.setAttribute("aria-label", "Flame graph of " + boxes.length + " boxes, " +
		(inverts ? "leaf first" : "root first") + "; the arrow keys move, Enter zooms.");
}

/* The frames above the zoom in full width, then what is below it. */
function flameBoxes(t)
{
	const out = [], scale = t.weight[zoom] > 0 ? wide / t.weight[zoom] : 0;
	const path = [];

	for (let i = zoom; ; i = t.parent[i]) {
		path.push(i);
		if (!i)
			break;
	}
	for (const i of path.reverse())
		out.push({node: i, x: 0, w: wide, depth: t.depth[i]});
	const open = [zoom];
	while (open.length && scale) {
		const i = open.pop();
		for (let k = t.first[i]; k < t.first[i + 1]; k++) {
			const c = t.children[k], w = t.weight[c] * scale;
			if (w < LEAST)
				break; /* the heaviest come first */
			out.push({node: c, x: (t.start[c] - t.start[zoom]) * scale, w: w,
				depth: t.depth[c]});
			open.push(c);
		}
	}
	return out;
}

function boxDraw(t, b, dark)
{
	const i = b.node, y = b.depth * ROW, row = t.row[i];
	const dim = found && i && !found[row];

	pen.fillStyle = i ? boxColour(t, i, dark) : dark ? "#3a3f45" : "#dddddd";
	pen.globalAlpha = dim ? 0.35 : 1;
	pen.fillRect(b.x, y, Math.max(b.w - 0.6, 0.4), ROW - 1);
	if (i && row === chosen || i && found && found[row]) {
		pen.strokeStyle = row === chosen ? (dark ? "#fff" : "#000") : "#c22ad0";
		pen.lineWidth = 1.5;
		if (b.w > 3)
			pen.strokeRect(b.x + 1, y + 1, b.w - 2.6, ROW - 3);
		else if (found && found[row]) {
			pen.fillStyle = "#c22ad0";
			pen.fillRect(b.x, y, Math.max(b.w, 1), ROW - 1);
		}
	}
	const letters = Math.floor((b.w - 6) / LETTER);
	if (letters >= 3) {
		const name = (t.total[i] < 0 ? "\u25bc" : "") + (i ? rows[row].name : "all");
		pen.fillStyle = dark ? "#eef1f3" : "#1c1e21";
		pen.fillText(name.length > letters ? name.slice(0, letters - 1) + "\u2026" : name,
			b.x + 3, y + ROW / 2);
	}
	if (i === keyed) {
		pen.strokeStyle = dark ? "#7db8f2" : "#0b57a4";
		pen.lineWidth = 2.5;
		pen.strokeRect(b.x + 1, y + 1, Math.max(b.w - 2, 1), ROW - 3);
	}
	pen.globalAlpha = 1;
}

function boxAt(event)
{
	const place = canvas.getBoundingClientRect();
	const x = event.clientX - place.left, depth = Math.floor((event.clientY - place.top) / ROW);

	return boxes.find((b) => b.depth === depth && x >= b.x && x < b.x + Math.max(b.w, 1));
}

function nodeText(t, i)
{
	const own = (v, b) => data.compares ? value(v) + " (" + change(v - b) + ")" : value(v);
	let text = (i ? rows[t.row[i]].name : "all") + "\ntotal " + own(t.total[i], t.baseTotal[i]) +
		", " + share(t.total[i], t.total[0]);

	if (i)
		text += "; self " + own(t.self[i], t.base[i]);
	if (i && data.compares)
		text += "; " + ["chance is not known", "may be chance", "sure"][t.sure[i]];
	const row = i ? rows[t.row[i]] : null;
	if (row && (row.file || row.module))
		text += "\n" + [row.file + (row.line ? ":" + row.line : ""), row.module]
			.filter(Boolean).join("  ");
	return text;
}

function tipShow(event, text)
{
	const tip = $("tip");

	tip.hidden = !text;
	if (!text)
		return;
	tip.textContent = text;
	const left = Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 8);
	const above = event.clientY + 18 + tip.offsetHeight > innerHeight;
	tip.style.left = Math.max(4, left) + "px";
	tip.style.top = (above ? event.clientY - tip.offsetHeight - 8 : event.clientY + 18) + "px";
}

function zoomTo(i)
{
	zoom = i;
	keyed = i || -1;
	if (i)
		chosen = tree.row[i];
	update();
}

function crumbsDraw()
{
	const path = [];

	for (let i = zoom; i; i = tree.parent[i])
		path.push(i);
	path.push(0);
	/* long paths: both ends */
	const shown = path.length > 12 ? [...path.slice(0, 6), ...path.slice(-5)] : path;
	$("crumbs").replaceChildren(...shown.reverse().map((i) => button(
		i ? rows[tree.row[i]].name : "all, " + value(tree.total[0]),
		() => zoomTo(i), i === zoom ? {"aria-current": "true"} : {})));
}

/* The box beside, above or below the one that the keys are on. */
function flameMove(key)
{
	const t = tree, at = keyed > 0 ? keyed : zoom;
	const around = t.children.subarray(t.first[t.parent[at]], t.first[t.parent[at] + 1]);
	const place = around.indexOf(at);
	const next = key === "ArrowDown" ? t.children[t.first[at]] :
		key === "ArrowUp" ? t.parent[at] :
		around[place + (key === "ArrowRight" ? 1 : -1)];

	if (next === undefined || key === "ArrowDown" && t.first[at] === t.first[at + 1] || !at &&
	    key !== "ArrowDown")
		return;
	keyed = next || -1;
	if (next)
		chosen = t.row[next];
	say(nodeText(t, next).replace(/\n/g, "; "));
	flameDraw();
	chosenDraw();
}

/* ---- the outline ---- */

let opened = new Set([0]);

function outlineRow(i)
{
	const t = tree, below = t.first[i + 1] > t.first[i], open = opened.has(i);
	const flip = () => {
		if (!opened.delete(i))
			opened.add(i);
		outlineDraw();
	};
	const name = button((below ? open ? "\u25be " : "\u25b8 " : "\u00a0\u00a0 ") +
		(i ? rows[t.row[i]].name : "all"), flip,
		below ? {"aria-expanded": String(open)} : {});
	const cell = element("td", {class: "w", title: i ? rows[t.row[i]].name : ""}, name);
	cell.style.paddingLeft = Math.min(t.depth[i], 40) + "em";
	const cells = [cell, element("td", {text: value(t.total[i])}),
		element("td", {text: share(t.total[i], t.total[0])}),
		element("td", {text: value(t.self[i])})];
	if (data.compares)
		cells.push(changeCell(t.total[i] - t.baseTotal[i], t.sure[i]));
	return element("tr", i && t.row[i] === chosen ? {class: "chosen"} : {}, ...cells);
}

function outlineDraw()
{
	const t = tree, out = [], open = [0];

	while (open.length && out.length < 1000) {
		const i = open.pop();
		out.push(outlineRow(i));
		if (opened.has(i))
			for (let k = t.first[i + 1] - 1; k >= t.first[i]; k--)
				if (t.weight[t.children[k]] > 0 && k - t.first[i] < 100)
					open.push(t.children[k]);
	}
	$("outline").replaceChildren(...out);
}

/* The heaviest path is open. */
function outlineBegin()
{
	opened = new Set([0]);
	for (let i = 0; tree.first[i] < tree.first[i + 1] && opened.size < 12;) {
		i = tree.children[tree.first[i]];
		if (tree.weight[i] * 2 < tree.weight[0])
			break;
		opened.add(i);
	}
}

/* ---- the table of functions ---- */

const COLUMNS = {
	function: (i) => rows[i].plain, file: (i) => rows[i].file, line: (i) => rows[i].line,
	module: (i) => rows[i].module, kind: (i) => rows[i].kind,
	calls: (i) => numbers.calls[i] === undefined || numbers.calls[i] < 0 ? "" : numbers.calls[i],
	self: (i) => numbers.self[i], total: (i) => numbers.total[i],
	base_self: (i) => numbers.base_self[i], base_total: (i) => numbers.base_total[i],
	delta_self: (i) => numbers.self[i] - numbers.base_self[i],
	delta_total: (i) => numbers.total[i] - numbers.base_total[i],
	sure: (i) => ["\u2013", "no", "yes"][numbers.sure[i] || 0],
};
const WORDS = new Set(["function", "file", "module", "kind", "sure"]);

function changeCell(v, sure)
{
	return element("td", {text: change(v), "data-n": v,
		class: sure === 1 || !v ? "unsure" : v > 0 ? "up" : "down"});
}

function cell(column, i)
{
	const v = COLUMNS[column](i);

	if (v === "")
		return element("td");
	if (WORDS.has(column))
		return element("td", {class: "w", text: v, title: v});
	if (column.startsWith("delta"))
		return changeCell(v, column === "delta_self" ? numbers.sure[i] : numbers.sure_total[i]);
	return element("td", {"data-n": v, text: column === "line" ? v :
		column === "calls" ? grouped(v) : value(v)});
}

function sorted(list)
{
	const of = COLUMNS[sort.column], words = WORDS.has(sort.column);
	const order = (a, b) => {
		const x = of(a), y = of(b);
		if (x === "" || y === "")
			return (x === "") - (y === "");
		const by = words ? (x < y ? -1 : x > y ? 1 : 0) :
			sort.column.startsWith("delta") ? Math.abs(y) - Math.abs(x) : y - x;
		return sort.down ? by : -by;
	};
	return list.sort((a, b) => order(a, b) || a - b);
}

function tableHeads()
{
	for (const th of [...$("functions").tHead.rows[0].cells]) {
		const column = th.dataset.column = th.textContent;
		th.replaceChildren(button(column, () => sortBy(column)));
		if (!rows.some((row, i) => row.shown && COLUMNS[column](i) !== ""))
			th.remove();
	}
}

function sortBy(column)
{
	sort = {column: column, down: sort.column === column ? !sort.down : true};
	tableDraw();
	hashWrite();
}

function tableDraw()
{
	const table = $("functions"), heads = [...table.tHead.rows[0].cells];
	const some = (i) => keeps ? numbers.self[i] || numbers.total[i] || numbers.base_total[i] :
		rows[i].shown;
	const list = [...rows.keys()].filter((i) => some(i) && (!found || found[i]));

	for (const th of heads)
		th.setAttribute("aria-sort", th.dataset.column !== sort.column ? "none" :
			WORDS.has(sort.column) === sort.down ? "ascending" : "descending");
	const shown = sorted(list).slice(0, most);
	if (chosen >= 0 && list.includes(chosen) && !shown.includes(chosen))
		shown.push(chosen);
	table.tBodies[0].replaceChildren(...shown.map((i) => element("tr",
		{"data-row": i, tabindex: 0, onclick: () => choose(i),
		 class: i === chosen ? "chosen" : ""},
		...heads.map((th) => cell(th.dataset.column, i)))));
	$("rows").textContent = (shown.length < list.length ? grouped(shown.length) + " of " : "") +
		grouped(list.length) + (list.length === 1 ? " function" : " functions") +
		(found ? " that match" : "") + ". ";
	if (shown.length < list.length)
		$("rows").append(button("more", () => {
			most += 1000;
			tableDraw();
		}));
}

function choose(row)
{
	chosen = row;
	chosenDraw();
	flameDraw();
	hashWrite();
}

function chosenDraw()
{
	for (const tr of $("functions").tBodies[0].rows)
		tr.classList.toggle("chosen", Number(tr.dataset.row) === chosen);
	outlineDraw();
	aroundDraw();
}

/* ---- callers and callees ---- */

/* As the view callers has them: each stack counts once, at the frame of the function that is
 * nearest to the root.  So the callers sum up to its total. */
function around(row)
{
	const t = upright, callers = new Map(), callees = new Map();
	const add = (map, key, i) => {
		const sum = map.get(key) || [0, 0];
		map.set(key, [sum[0] + t.total[i], sum[1] + t.baseTotal[i]]);
	};

	for (let i = 1; i < t.n; i++)
		if (t.row[i] === row && t.outermost[i]) {
			add(callers, t.parent[i] ? t.row[t.parent[i]] : -1, i);
			for (let k = t.first[i]; k < t.first[i + 1]; k++)
				add(callees, t.row[t.children[k]], t.children[k]);
		}
	const order = (map) => [...map].sort((a, b) => b[1][0] + b[1][1] - a[1][0] - a[1][1]);
	return {callers: order(callers), callees: order(callees)};
}

function aroundTable(title, list, self)
{
	const head = [element("th", {class: "w", scope: "col", text: title}),
		element("th", {scope: "col", text: "total"}), element("th", {scope: "col", text: "%"})];
	const whole = numbers.total[chosen];
	const line = ([row, [now, base]]) => {
		const name = row < 0 ? element("span", {text: "(root)"}) :
			button(rows[row].name, () => choose(row));
		const cells = [element("td", {class: "w", title: name.textContent}, name),
			element("td", {text: value(now), "data-n": now}),
			element("td", {text: share(now, whole)})];
		if (data.compares)
			cells.push(changeCell(now - base, 0));
		return element("tr", {}, ...cells);
	};
	if (data.compares)
		head.push(element("th", {scope: "col", text: "change"}));
	const body = list.slice(0, 100).map(line);
	if (self)
		body.unshift(element("tr", {}, element("td", {class: "w", text: "(self)"}),
			element("td", {text: value(self), "data-n": self}),
			element("td", {text: share(self, whole)})));
	return element("div", {}, element("table", {}, element("thead", {},
		element("tr", {}, ...head)), element("tbody", {}, ...body)));
}

function aroundDraw()
{
	const box = $("around");

	if (chosen < 0 || chosen >= rows.length) {
		box.replaceChildren(element("p", {text: "Choose a function in the flame or the table."}));
		return;
	}
	const row = rows[chosen], x = around(chosen);
	box.replaceChildren(
		element("p", {}, element("span", {class: "name", text: row.name}), " self " +
			value(numbers.self[chosen]) + ", total " + value(numbers.total[chosen]) + ", " +
			share(numbers.total[chosen], data.everything)),
		element("div", {class: "pair"}, aroundTable("Callers", x.callers, 0),
			aroundTable("Callees", x.callees, numbers.self[chosen])));
}

/* ---- the timeline ---- */

function curve(track)
{
	const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
	const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
	const n = track.parts.length, points = ["M0,63"];

	track.parts.forEach((v, i) => points.push("V" + (63 - v) + "H" + (i + 1)));
	svg.setAttribute("viewBox", "0 0 " + n + " 63");
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("role", "img");
	svg.setAttribute("aria-label", "over time");
	path.setAttribute("d", points.join("") + "V63Z");
	svg.append(path);
	return svg;
}

function timeDraw()
{
	const time = data.time, box = $("time-box");

	if (!time || !time.tracks.length) {
		$("time").hidden = true;
		return;
	}
	const point = (event) => {
		const place = event.currentTarget.getBoundingClientRect();
		const part = (event.clientX - place.left) / place.width;
		tipShow(event, moment(Math.round(time.from + part * time.length), time.unit));
	};
	const lines = time.tracks.map((track) => element("tr", {},
		element("td", {text: visible(track.name), title: visible(track.name)}),
		element("td", {class: "part", onpointermove: point, onpointerleave: () => tipShow()},
			curve(track)),
		element("td", {text: track.high === undefined ? "" :
			track.low + " \u2026 " + track.high + " " + visible(track.unit)})));
	box.replaceChildren(element("table", {}, element("tbody", {}, ...lines)), element("p", {
		text: moment(time.from, time.unit) + " to " +
			moment(time.from + time.length, time.unit) +
			(time.more ? "; " + grouped(time.more) + " tracks more" : "")}));
}

/* ---- what is kept in the address ---- */

function hashWrite()
{
	const words = new URLSearchParams();

	if (inverts !== data.invert)
		words.set("invert", inverts ? 1 : 0);
	if (keeps)
		words.set("keep", keeps);
	if (zoom)
		words.set("zoom", zoom);
	if (chosen >= 0)
		words.set("row", chosen);
	if ($("find").value)
		words.set("find", $("find").value);
	if (colours !== "kind")
		words.set("colour", colours);
	if (sort.column !== "self" || !sort.down)
		words.set("sort", (sort.down ? "" : "-") + sort.column);
	try {
		history.replaceState(null, "", "#" + words);
	} catch (fault) { /* a page that is shown inside another one has no address */
	}
}

function hashRead()
{
	const words = new URLSearchParams(location.hash.slice(1));
	const number = (name, end) => {
		const v = Number(words.get(name));
		return words.has(name) && Number.isInteger(v) && v >= 0 && v < end ? v : -1;
	};
	const by = words.get("sort") || "";

	inverts = words.has("invert") ? words.get("invert") === "1" : data.invert;
	keeps = words.get("keep") || "";
	$("find").value = words.get("find") || "";
	$("keep").value = keeps;
	if (Object.hasOwn(COLUMNS, by.replace("-", "")))
		sort = {column: by.replace("-", ""), down: !by.startsWith("-")};
	if (["module", "file", "function"].includes(words.get("colour")))
		colours = $("colour").value = words.get("colour");
	chosen = number("row", rows.length);
	rebuild();
	zoom = Math.max(0, number("zoom", tree.n));
	keyed = zoom || -1;
}

/* ---- changes ---- */

/* The tree for the filter and the direction. */
function rebuild()
{
	const whole = treeOf.whole || (treeOf.whole = treeRead());

	upright = keeps ? treeKept(whole, matches(keeps)) : whole;
	tree = inverts ? treeOf(upright) : upright;
	numbers = numbersOf(upright, !!keeps);
	zoom = 0;
	keyed = -1;
	outlineBegin();
}

/* The last inversion is kept. */
function treeOf(t)
{
	if (treeOf.last !== t) {
		treeOf.last = t;
		treeOf.inverted = treeInverted(t);
	}
	return treeOf.inverted;
}

function update()
{
	const text = $("find").value;

	found = text ? matches(text) : null;
	$("invert").setAttribute("aria-pressed", String(inverts));
	$("clear").hidden = !keeps && !text && !zoom;
	crumbsDraw();
	flameDraw();
	tableDraw();
	chosenDraw();
	if (found) {
		const sum = foundTotal(upright);
		say(grouped(found.reduce((a, b) => a + b, 0)) + " match: " + value(sum) + ", " +
			share(sum, upright.total[0]));
	} else if (keeps) {
		say("Only stacks with " + keeps + ": " + value(upright.total[0]) + ", " +
			share(upright.total[0], data.everything));
	} else if (data.other) {
		say("The smallest " + grouped(data.other.nodes) + " nodes are merged into (other): " +
			value(data.other.self) + ", " + share(data.other.self, data.everything));
	} else {
		say("");
	}
	hashWrite();
}

function invert()
{
	inverts = !inverts;
	rebuild();
	update();
}

function keep(text)
{
	keeps = text;
	rebuild();
	update();
}

function zoomOut()
{
	if (zoom)
		zoomTo(tree.parent[zoom]);
}

function clearAll()
{
	$("find").value = $("keep").value = keeps = "";
	rebuild();
	update();
}

/* ---- keys ---- */

const KEYS = [
	["1", "the flame", () => goTo("flame")],
	["2", "the tree", () => goTo("tree")],
	["3", "the functions", () => goTo("list")],
	["4", "callers and callees", () => goTo("callers")],
	["5", "the timeline", () => goTo("time")],
	["8", "information", () => goTo("info")],
	["/", "search", () => $("find").focus()],
	["\\", "keep only stacks with a frame that matches", () => $("keep").focus()],
	["Enter", "zoom into the selected box", () => keyed > 0 && zoomTo(keyed)],
	["Backspace", "leave the zoom", zoomOut],
	["I", "invert: leaf first", invert],
	["u", "the whole again, without filter, search and zoom", clearAll],
	["?", "these keys", () => $("help").showModal()],
];

function goTo(id)
{
	const section = $(id);

	if (section.hidden)
		return;
	if (section.tagName === "DETAILS")
		section.open = true;
	section.scrollIntoView({block: "start"});
	const first = id === "flame" ? canvas : section.querySelector("h2, summary");
	first.tabIndex = first.tabIndex < 0 ? -1 : 0;
	first.focus({preventScroll: true});
}

function pressed(event)
{
	const typing = /^(INPUT|SELECT)$/.test(event.target.tagName);

	if (event.ctrlKey || event.metaKey || event.altKey || $("help").open)
		return;
	if (event.key === "Escape") {
		tipShow();
		event.target.blur();
		return;
	}
	if (typing)
		return;
	if (event.key.startsWith("Arrow") && event.target === canvas) {
		flameMove(event.key);
		event.preventDefault();
		return;
	}
	if (event.key === "Enter" && event.target.dataset.row !== undefined) {
		choose(Number(event.target.dataset.row));
		return;
	}
	if (event.key === "Enter" && event.target.tagName === "BUTTON")
		return;
	const row = KEYS.find((k) => k[0] === event.key);
	if (row) {
		row[2]();
		event.preventDefault();
	}
}

/* ---- the page ---- */

function navMade()
{
	const input = (id, label, act) => element("input", {id: id, type: "search", placeholder: label,
		"aria-label": label, spellcheck: "false", autocomplete: "off", oninput: act});
	const colour = element("select", {id: "colour", "aria-label": "colours", onchange: (event) => {
		colours = event.target.value;
		flameDraw();
		hashWrite();
	}}, ...["kind", "module", "file", "function"].map((v) => element("option",
		{value: v, text: "colour: " + v})));
	const nav = element("nav", {"aria-label": "tools"},
		input("find", "search (/)", update),
		input("keep", "keep stacks with (\\)", (event) => keep(event.target.value)),
		button("invert", invert, {id: "invert", "aria-pressed": "false"}), colour,
		button("clear", clearAll, {id: "clear"}),
		button("?", () => $("help").showModal(), {"aria-label": "keys"}));

	if (data.compares)
		colour.hidden = true;
	return nav;
}

function helpMade()
{
	return element("dialog", {id: "help", "aria-label": "keys"}, element("table", {},
		element("tbody", {}, ...KEYS.map(([key, text]) => element("tr", {},
			element("td", {}, element("kbd", {text: key})), element("td", {text: text}))))),
	element("form", {method: "dialog"}, element("button", {text: "close"})));
}

function section(id, title, ...inner)
{
	return element("section", {id: id, "aria-label": title},
		element("h2", {text: title, tabindex: -1}), ...inner);
}

function flameMade()
{
	canvas = element("canvas", {role: "img", tabindex: 0,
		onpointermove: (event) => {
			const b = boxAt(event);
			tipShow(event, b ? nodeText(tree, b.node) : "");
		},
		onpointerleave: () => tipShow(),
		onclick: (event) => {
			const b = boxAt(event);
			if (b)
				zoomTo(b.node);
		}});
	return section("flame", "Flame graph", element("div", {id: "crumbs", class: "crumbs",
		role: "navigation", "aria-label": "zoom"}), element("div", {id: "flame-box"}, canvas));
}

function treeMade()
{
	const heads = ["", "total", "%", "self"].concat(data.compares ? ["change"] : []);

	return element("details", {id: "tree"}, element("summary", {text: "Tree"}),
		element("div", {class: "scroll pair"}, element("table", {},
			element("thead", {}, element("tr", {}, ...heads.map((text) =>
				element("th", {scope: "col", text: text})))),
			element("tbody", {id: "outline"}))));
}

function notesMade()
{
	const notes = data.notes || [];

	return notes.length ? [section("notes", "Notes", element("ul", {}, ...notes.map((note) =>
		element("li", {text: visible(note.name) +
			(note.where ? " (" + visible(note.where) + ")" : "")}))))] : [];
}

async function begin()
{
	data = await unpacked($("pnav-profile").textContent);
	metric = data.metric;
	rows = rowsMade();
	if (data.compares)
		sort.column = "delta_self";
	const page = $("page"), list = $("list");
	list.before(navMade(), element("p", {id: "said", role: "status", "aria-live": "polite"}),
		flameMade(), treeMade());
	list.after(section("callers", "Callers and callees", element("div", {id: "around"})),
		section("time", "Timeline", element("div", {id: "time-box"})), ...notesMade());
	page.append(element("div", {id: "tip", class: "tip", hidden: ""}), helpMade());
	list.setAttribute("aria-label", "functions");
	hashRead();
	tableHeads();
	timeDraw();
	update();
	let width = innerWidth;
	addEventListener("resize", () => {
		if (innerWidth !== width)
			flameDraw();
		width = innerWidth;
	});
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", flameDraw);
	addEventListener("keydown", pressed);
	addEventListener("hashchange", () => {
		hashRead();
		update();
	});
	document.documentElement.dataset.ready = performance.now().toFixed(1);
}

begin().catch((fault) => {
	const text = "The page cannot show more than this table here: " + fault.message;
	$("page").prepend(element("p", {class: "bad", text: text}));
	document.documentElement.dataset.failed = fault.message;
});

})();
