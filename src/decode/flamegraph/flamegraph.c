/* flamegraph: flame graphs as pictures, SVG of flamegraph.pl, inferno (cargo flamegraph, py-spy),
 * Deno and async-profiler 1, and the pages of async-profiler 2 and later.
 *
 * SVG has an element for each box; its title has the exact sum of samples:
 *
 *	<title>parse (1,234 samples, 12.3%)</title><rect x="11.0" y="21" width="3.2" .../>
 *	<title>parse (1,234 samples, 12.3%)</title><rect x="1.1%" ... fg:x="11" fg:w="1234"/>
 *	<g class="func_g" onmouseover="s('parse (1234 samples, 12.3%)')" ...><rect .../>
 *
 * A page of async-profiler has a line for each box. Names of newer pages are in a list, each with
 * the length of the part that it shares with the one before it, as a character:
 *
 *	f(LEVEL,LEFT,WIDTH,TYPE,'NAME')
 *
 *	const cpool = ['all', ' java/lang/Thread.run', '*start'];
 *	f(KEY,LEVEL,LEFT,WIDTH)   KEY = 8 * name + type, LEFT counts from the box before
 *	u(KEY,WIDTH)              upon the box before
 *	n(KEY,WIDTH)              beside it; without WIDTH: as wide as it
 *
 * A picture lacks boxes that are too narrow: their samples count for their callers. */

#include <inttypes.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "src/decode/common/words.h"
#include "src/decode/flamegraph/flamegraph_boxes.h"
#include "src/input/decimal.h"

#define NUMBERS 4u
#define LEVEL_MAX 100000

struct flamegraph {
	struct input *in;
	struct builder *b;
	struct dump *dump; /* NULL: the boxes become a profile */
	struct err *e;
	const char *at, *end; /* the text that is left */
	const char *start;
	uint64_t offset; /* of `start` */
	const char *open, *shut; /* what is around the title of a box */
	struct buf text;
	struct flamegraph_boxes boxes;
	name_id unit;
	bool different; /* a differential graph */
	VEC(struct buf) pool;
	int64_t level, left, width; /* of the box before */
	bool old_types;             /* pages before async-profiler 2.6 */
};

static bool
is_page(struct head head)
{
	return head_has(head, "function f(level, left, width, type, title") ||
	       head_has(head, "function f(key, level, left, width");
}

static int
flamegraph_probe(struct head head)
{
	struct head first = head;

	first.len = head.len < 4096 ? head.len : 4096;
	if (head_has(first, "<svg") && (head_has(head, "Flame graph stack visualization") ||
					head_has(head, "class=\"func_g\"") ||
					head_has(first, " xmlns:fg=\""))) /* inferno, Deno */
		return 95;
	return is_page(head) ? 95 : 0;
}

/* ---- boxes ---- */

/* Returns the frame of a name that is in f->text. */
static frame_id
frame_of(struct flamegraph *f, bool system)
{
	struct function fn = {.name = builder_name(f->b, buf_str(&f->text), f->text.len)};

	if (!system)
		return builder_frame(f->b,
				     builder_function_named(f->b, buf_str(&f->text), f->text.len),
				     line_unknown());
	fn.kind = KIND_SYSTEM;
	return builder_frame_of(f->b, fn, 0);
}

/* Takes a box, whose name is in f->text. Returns false if the dump cannot be written. */
static bool
box_take(struct flamegraph *f, struct flamegraph_box box, bool system)
{
	struct buf quoted = BUF_INIT;

	if (f->dump) {
		bool good = dump_record(f->dump, box.offset,
					"box level %" PRId64 " x %" PRId64 " width %" PRId64
					" value %" PRId64 " %s", box.level, box.x, box.width,
					box.value,
					dump_bytes(f->dump, &quoted, f->text.at, f->text.len));
		buf_release(&quoted);
		return good;
	}
	box.rest = box.value;
	box.frame = frame_of(f, system);
	*vec_push(&f->boxes.at) = box;
	return true;
}

/* ---- SVG ---- */

/* Appends text without its entities. */
static void
add_unescaped(struct buf *out, const char *at, const char *end)
{
	static const struct {
		const char *name;
		char c;
	} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'},
			{"&apos;", '\''}, {"&#39;", '\''}, {"&#34;", '"'}};

	while (at < end) {
		size_t i = 0, n = sizeof entities / sizeof *entities, len = 0;
		for (; *at == '&' && i < n; i++) {
			len = strlen(entities[i].name);
			if ((size_t)(end - at) >= len && !memcmp(at, entities[i].name, len))
				break;
		}
		if (*at == '&' && i < n) {
			buf_addc(out, entities[i].c);
			at += len;
		} else {
			buf_addc(out, *at++);
		}
	}
}

/* Parses digits with commas. Returns the first character after them; NULL if there are none. */
static const char *
grouped(const char *at, const char *end, int64_t *out)
{
	const char *first = at;
	int64_t v = 0;

	for (; at < end && (is_digit(*at) || (*at == ',' && at + 1 < end && is_digit(at[1]))); at++)
		if (*at != ',' && (__builtin_mul_overflow(v, 10, &v) ||
				   __builtin_add_overflow(v, *at - '0', &v)))
			return NULL;
	*out = v;
	return at > first ? at : NULL;
}

/* Parses `NAME (1,234 samples, 12.3%)`: the name goes to f->text. */
static bool
title_parse(struct flamegraph *f, const char *at, const char *end, int64_t *value)
{
	const char *open = end, *unit, *comma;

	while (open > at && !(open[0] == '(' && open[-1] == ' '))
		open--;
	if (open == at || end - open < 5 || !(unit = grouped(open + 1, end, value)) ||
	    *unit != ' ')
		return false;
	comma = memchr(unit, ',', (size_t)(end - unit));
	if (!comma || !memchr(comma, '%', (size_t)(end - comma)))
		return false;
	buf_reset(&f->text);
	add_unescaped(&f->text, at, open - 1);
	if (f->b && f->unit == NAME_EMPTY)
		f->unit = builder_name(f->b, unit + 1, (size_t)(comma - unit) - 1);
	f->different |= memchr(comma, ';', (size_t)(end - comma)) != NULL;
	return true;
}

/* Returns the number of an attribute in thousandths; false if the element does not have it. */
static bool
box_attribute(const char *at, const char *end, const char *name, int64_t *out)
{
	size_t len = strlen(name);
	const char *stop;

	for (; (at = memmem(at, (size_t)(end - at), name, len)) != NULL; at += len) {
		if (!is_blank(at[-1]) || end - at < (ptrdiff_t)len + 2 || at[len] != '=' ||
		    at[len + 1] != '"')
			continue;
		at += len + 2;
		stop = memchr(at, '"', (size_t)(end - at));
		if (stop && stop > at && stop[-1] == '%')
			stop--;
		return stop && decimal_scaled(at, (size_t)(stop - at), 3, out);
	}
	return false;
}

/* Takes the box of the title at f->at. Returns false if the text ends within it. */
static bool
svg_box(struct flamegraph *f, bool *good)
{
	const char *title = f->at + strlen(f->open), *end, *rect, *rect_end;
	struct flamegraph_box box = {.offset = f->offset + (uint64_t)(f->at - f->start)};

	end = memmem(title, (size_t)(f->end - title), f->shut, strlen(f->shut));
	if (!end)
		return false;
	f->at = end + strlen(f->shut);
	if (!title_parse(f, title, end, &box.value))
		return true;
	rect = memmem(f->at, (size_t)(f->end - f->at), "<rect", 5);
	rect_end = rect ? memchr(rect, '>', (size_t)(f->end - rect)) : NULL;
	if (!rect_end)
		return false;
	f->at = rect_end;
	if (!box_attribute(rect, rect_end, "y", &box.level))
		return true;
	if (box_attribute(rect, rect_end, "fg:x", &box.x) &&
	    box_attribute(rect, rect_end, "fg:w", &box.width))
		f->boxes.slack = 0;
	else if (!box_attribute(rect, rect_end, "x", &box.x) ||
		 !box_attribute(rect, rect_end, "width", &box.width))
		return true;
	*good = box_take(f, box, false);
	return true;
}

static bool
is_all(const struct flamegraph *f, const struct flamegraph_box *box)
{
	function_id fn = builder_frame_get(f->b, box->frame).function;

	return name_is(builder_name_get(f->b, builder_function_get(f->b, fn).name), "all");
}

/* The root has the largest sum; it is below all others, or above them in an icicle graph. Of two
 * such boxes it is the one that is called `all`. */
static void
svg_levels(struct flamegraph *f)
{
	struct flamegraph_boxes *b = &f->boxes;
	int64_t most = -1, root = 0, low = INT64_MAX, high = INT64_MIN;

	for (size_t i = 0; i < b->at.n; i++) {
		const struct flamegraph_box *box = &b->at.at[i];
		low = box->level < low ? box->level : low;
		high = box->level > high ? box->level : high;
		if (box->width > most) {
			most = box->width;
			root = box->level;
		}
	}
	for (size_t i = 0; i < b->at.n; i++) {
		struct flamegraph_box *box = &b->at.at[i];
		if (box->width != most || (box->level != low && box->level != high))
			continue;
		root = box->level;
		if (is_all(f, box))
			break;
	}
	for (size_t i = 0; i < b->at.n && root != low; i++)
		b->at.at[i].level = high - b->at.at[i].level;
}

static bool
svg_read(struct flamegraph *f)
{
	bool good = true, whole = true;
	uint64_t offset = f->offset;
	size_t len = (size_t)(f->end - f->at);
	bool old = !memmem(f->at, len, "<title>", 7);

	f->open = old ? "<g class=\"func_g\" onmouseover=\"s('" : "<title>";
	f->shut = old ? "')\"" : "</title>";
	f->boxes.slack = 150; /* places are rounded to a tenth, sometimes of a pixel */
	while (good && whole && (f->at = memmem(f->at, (size_t)(f->end - f->at), f->open,
						strlen(f->open))) != NULL) {
		offset = f->offset + (uint64_t)(f->at - f->start);
		whole = svg_box(f, &good);
	}
	svg_levels(f);
	if (!whole)
		return err_damage(f->e, offset, "the file ends within a box");
	if (good && !memmem(f->start, (size_t)(f->end - f->start), "</svg>", 6))
		return err_damage(f->e, f->offset + (uint64_t)(f->end - f->start),
				  "the picture has no end");
	return good;
}

/* ---- pages ---- */

/* Reads a text in quotes at f->at; the text goes to `out`. Returns false if there is none. */
static bool
quoted_read(struct flamegraph *f, struct buf *out)
{
	char quote;

	buf_reset(out);
	while (f->at < f->end && (is_blank(*f->at) || *f->at == '\n' || *f->at == ','))
		f->at++;
	if (f->at == f->end || (*f->at != '\'' && *f->at != '"'))
		return false;
	quote = *f->at++;
	while (f->at < f->end && *f->at != quote) {
		f->at += *f->at == '\\' && f->at + 1 < f->end;
		buf_addc(out, *f->at++);
	}
	if (f->at == f->end)
		return false;
	f->at++;
	return true;
}

/* Reads the list of names. */
static void
pool_read(struct flamegraph *f)
{
	struct buf text = BUF_INIT;

	while (quoted_read(f, &text)) {
		struct buf name = BUF_INIT;
		size_t n = f->pool.n, shared = 0, skip = 0;
		if (n && text.len) {
			skip = 1;
			shared = (size_t)((unsigned char)text.at[0] - 32u);
			shared = shared < f->pool.at[n - 1].len ? shared : f->pool.at[n - 1].len;
			buf_add(&name, f->pool.at[n - 1].at, shared);
		}
		buf_add(&name, text.at + skip, text.len - skip);
		*vec_push(&f->pool) = name;
	}
	buf_release(&text);
}

/* Reads numbers between commas at f->at; those that are missing are 0. Returns how many. */
static size_t
numbers_read(struct flamegraph *f, int64_t number[NUMBERS])
{
	size_t i = 0;

	for (; i < NUMBERS && f->at < f->end && is_digit(*f->at); i++) {
		const char *end = digits_end(f->at, f->end);
		if (!decimal_scaled(f->at, (size_t)(end - f->at), 0, &number[i]) ||
		    number[i] > INT64_MAX / 4)
			return 0;
		f->at = end + (end < f->end && *end == ',');
	}
	return i;
}

/* Sets the box of a call with a name of the list. Returns false if it is none. */
static bool
pool_box(struct flamegraph *f, char call, struct flamegraph_box *box, bool *system)
{
	int64_t n[NUMBERS] = {0};
	size_t had = numbers_read(f, n);
	int64_t key = n[0], left = 0, width = n[1];

	if (!had || key / 8 >= (int64_t)f->pool.n)
		return false;
	if (call == 'f') {
		f->level = n[1];
		left = n[2];
		width = n[3];
	} else if (call == 'u') {
		f->level++;
	} else {
		left = f->width;
	}
	if (f->level > LEVEL_MAX || __builtin_add_overflow(f->left, left, &f->left) ||
	    f->left > INT64_MAX / 4)
		return false;
	f->width = width ? width : f->width;
	box->level = f->level;
	box->x = f->left;
	box->width = f->width;
	buf_reset(&f->text);
	buf_add(&f->text, f->pool.at[key / 8].at, f->pool.at[key / 8].len);
	*system = key % 8 >= 3 && key % 8 <= 5;
	return true;
}

/* The same for f(LEVEL,LEFT,WIDTH,TYPE,'NAME'). */
static bool
named_box(struct flamegraph *f, struct flamegraph_box *box, bool *system)
{
	int64_t n[NUMBERS] = {0};

	if (numbers_read(f, n) < NUMBERS || n[0] > LEVEL_MAX ||
	    !quoted_read(f, &f->text))
		return false;
	box->level = n[0];
	box->x = n[1];
	box->width = n[2];
	*system = f->old_types ? n[3] >= 2 : n[3] >= 3 && n[3] <= 5;
	return true;
}

/* Reads the calls, one a line. */
static bool
calls_read(struct flamegraph *f)
{
	bool good = true;

	while (good && f->at < f->end) {
		while (f->at < f->end && (is_blank(*f->at) || *f->at == '\n' || *f->at == '\r'))
			f->at++;
		uint64_t offset = f->offset + (uint64_t)(f->at - f->start);
		if (f->end - f->at > 3 && strchr("fun", *f->at) && f->at[1] == '(' &&
		    is_digit(f->at[2])) {
			struct flamegraph_box box = {.offset = offset};
			char call = *f->at;
			bool system = false;
			f->at += 2;
			if (!(f->pool.n ? pool_box(f, call, &box, &system)
					: named_box(f, &box, &system)))
				return err_damage(f->e, offset, "a box that cannot be read");
			box.value = box.width;
			good = box_take(f, box, system);
		}
		const char *line = memchr(f->at, '\n', (size_t)(f->end - f->at));
		f->at = line ? line + 1 : f->end;
	}
	return good;
}

static bool
page_read(struct flamegraph *f)
{
	static const char pool[] = "const cpool = [", unpack[] = "unpack(cpool);";
	const char *found = memmem(f->at, (size_t)(f->end - f->at), pool, sizeof pool - 1);

	f->old_types = !memmem(f->at, (size_t)(f->end - f->at), "[0xb2e1b2", 9);
	if (found) {
		f->at = found + sizeof pool - 1;
		pool_read(f);
		found = memmem(f->at, (size_t)(f->end - f->at), unpack, sizeof unpack - 1);
		f->at = found ? found : f->end;
	}
	if (!calls_read(f))
		return false;
	if (!memmem(f->start, (size_t)(f->end - f->start), "</html>", 7))
		return err_damage(f->e, f->offset + (uint64_t)(f->end - f->start),
				  "the page has no end");
	return true;
}

/* ---- the file ---- */

static bool
flamegraph_read(struct flamegraph *f)
{
	const uint8_t *window;
	size_t len;

	while (input_have(f->in) < INPUT_WINDOW_MAX && input_more(f->in))
		;
	window = input_window(f->in, &len, &f->offset);
	f->start = f->at = (const char *)window;
	f->end = f->start + len;
	return is_page(head_plain(window, len, input_name(f->in))) ? page_read(f) : svg_read(f);
}

static void
flamegraph_release(struct flamegraph *f)
{
	for (size_t i = 0; i < f->pool.n; i++)
		buf_release(&f->pool.at[i]);
	vec_release_all(&f->pool, &f->boxes.at);
	buf_release(&f->text);
}

static enum unit
unit_of(struct name name)
{
	static const struct {
		const char *name;
		enum unit unit;
	} units[] = {{"samples", UNIT_SAMPLES}, {"bytes", UNIT_BYTES}, {"ns", UNIT_NS},
		     {"calls", UNIT_CALLS}};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (name_is(name, units[i].name))
			return units[i].unit;
	return UNIT_COUNT;
}

/* Returns true unless the root is `all`, which is no function of the program. */
static bool
has_root_frame(struct flamegraph *f)
{
	const struct flamegraph_box *root = NULL;

	for (size_t i = 0; i < f->boxes.at.n; i++)
		if (!root || f->boxes.at.at[i].level < root->level)
			root = &f->boxes.at.at[i];
	return !root || !is_all(f, root);
}

static bool
flamegraph_decode(struct input *in, struct builder *b, struct err *e)
{
	struct flamegraph f = {.in = in, .b = b, .e = e, .unit = NAME_EMPTY};
	struct err none = {0};

	bool good = flamegraph_read(&f);
	if (!f.boxes.at.n && !err_is_set(e))
		err_refuse(e, "a flame graph without boxes");
	struct name unit = builder_name_get(b, f.unit);
	metric_id metric = unit.len ? builder_metric(b, unit.at, unit_of(unit), ROLE_VALUE)
				    : builder_metric(b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	struct series *s = builder_totals(b, builder_track(b, "all", 3, TRACK_THREAD), &metric, 1);
	f.boxes.root_frame = has_root_frame(&f);
	if (!flamegraph_boxes_write(&f.boxes, b, s, &none))
		*e = none;
	builder_info(b, "assumed",
		     "boxes that are too narrow to draw count as samples of their callers");
	if (f.different)
		builder_info(b, "differential",
			     "the differences to the other profile are not read");
	if (f.boxes.odd)
		builder_warn(b, "boxes without a caller below them, or larger than it");
	flamegraph_release(&f);
	return good && !err_is_set(e);
}

static bool
flamegraph_dump(struct input *in, struct dump *d, struct err *e)
{
	struct flamegraph f = {.in = in, .dump = d, .e = e, .unit = NAME_EMPTY};
	bool good = flamegraph_read(&f);

	flamegraph_release(&f);
	return good && !err_is_set(e);
}

const struct decoder decoder_flamegraph = {
	.name = "flamegraph",
	.title = "flame graphs: SVG of flamegraph.pl and inferno, async-profiler's HTML",
	.made_of = MADE_TEXT,
	.probe = flamegraph_probe,
	.decode = flamegraph_decode,
	.dump = flamegraph_dump,
};
