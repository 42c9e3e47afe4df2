/* Pages that pnav export --format html wrote.  The profile is in one element:
 *
 *	<script type="text/plain" id="pnav-profile">eJy1fWuT3LaV6Pf9...</script>
 *
 * in base64 (RFC 4648), compressed by zlib (RFC 1950), and is JSON.  The head of
 * src/encode/html/page.js describes its members.  Nodes come in preorder and become stacks,
 * rows become functions:
 *
 *	{"pnav":1, ..., "frames":{"at":["88",...],"row":[0,...]},
 *	 "nodes":{"depth":[1,2,...],"frame":[0,1,...],"self":[0,40,...]},
 *	 "rows":{"name":[1,...],"file":[...],"module":[...],"line":[...],"kind":[...]},
 *	 "names":["","main",...]}
 *
 * Names come last, so columns are kept until the end.  A page has sums, and no times of events,
 * no calls, no tracks, but for a timeline.  Offsets are those of the JSON text. */
#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/words.h"
#include "src/input/rows_json.h"
#include "src/input/unzlib.h"

/* ---- the timeline ---- */

/* The timeline of a page becomes counters:
 *
 *	"time":{"unit":"ns","from":0,"length":4000,"tracks":[
 *		{"name":"main","kind":"thread","step":true,"parts":[63,63,0,...]},
 *		{"name":"heap","kind":"counter","low":0,"high":81,"unit":"bytes","parts":[...]}]}
 *
 * A page has no events, only how busy each track was, so the values of tracks that are no counters
 * are percents of the busiest part. */

/* A track: levels from 0 to HTML_LEVELS in equal parts of the range. */
#define HTML_LEVELS 63
struct html_track {
	name_id name, unit, kind;
	int64_t low_milli, high_milli; /* of a counter, thousandths */
	struct {
		int64_t *at;
		size_t n, cap;
	} parts;
};

/* A zero-initialised struct has no track. */
struct html_axis {
	name_id unit;
	int64_t from, length;
	VEC(struct html_track) tracks;
};

static bool
axis_take_track(struct rows_json *r UNUSED, void *axis, void *element)
{
	struct html_axis *a = axis;

	*vec_push(&a->tracks) = *(struct html_track *)element;
	return true;
}

static const struct json_row track_rows[] = {
	{"name", ROW_NAME(struct html_track, name)},
	{"kind", ROW_NAME(struct html_track, kind)},
	{"unit", ROW_NAME(struct html_track, unit)},
	{"low", ROW_NUMBER(struct html_track, low_milli), .scale = 3},
	{"high", ROW_NUMBER(struct html_track, high_milli), .scale = 3},
	{"parts", ROW_NUMBERS(struct html_track, parts)},
	{0},
};
static const struct json_list tracks = {
	.rows = track_rows, .size = sizeof(struct html_track), .torn = true,
	.end = axis_take_track};

/* The members of `time`, of a struct html_axis. */
static const struct json_row html_axis_rows[] = {
	{"unit", ROW_NAME(struct html_axis, unit)},
	{"from", ROW_NUMBER(struct html_axis, from)},
	{"length", ROW_NUMBER(struct html_axis, length)},
	{"tracks", ROW_LIST(&tracks)},
	{0},
};

static bool
build_track(const struct html_axis *a, const struct html_track *x, struct builder *b,
	    uint64_t offset, struct err *e)
{
	struct name name = builder_name_get(b, x->name);
	bool counter = name_is(builder_name_get(b, x->kind), "counter");
	track_id t = builder_track(b, name.at, name.len, TRACK_COUNTER);
	struct series *s = builder_points(b, t, true);
	double low = counter ? (double)x->low_milli / 1e3 : 0;
	double high = counter ? (double)x->high_milli / 1e3 : 100;

	name = builder_name_get(b, x->unit);
	builder_track_unit(b, t, counter ? name.at : "%", counter ? name.len : 1);
	for (size_t i = 0; i < x->parts.n; i++) {
		double part = (double)x->parts.at[i] / HTML_LEVELS;
		double after = (double)a->length * ((double)i / (double)x->parts.n);
		part = part < 0 ? 0 : part > 1 ? 1 : part;
		if (!builder_point_double(b, s, a->from + (int64_t)after,
					  low + (high - low) * part, offset, e))
			return false;
	}
	builder_track_end(b, t, a->from + a->length);
	return true;
}

/* Makes a counter of each track. Returns false with damage at `offset`. */
static bool
html_axis_build(const struct html_axis *a, struct builder *b, uint64_t offset, struct err *e)
{
	const int64_t limit = INT64_C(1) << 62;

	if (!a->tracks.n)
		return true;
	if (a->length <= 0 || a->length > limit || a->from > limit || a->from < -limit)
		return err_damage(e, offset, "a timeline with an impossible range");
	for (enum unit u = UNIT_NS; u <= UNIT_COUNT; u++)
		if (name_is(builder_name_get(b, a->unit), unit_name(u)))
			builder_axis(b, u);
	for (size_t i = 0; i < a->tracks.n; i++)
		if (!build_track(a, &a->tracks.at[i], b, offset, e))
			return false;
	return true;
}

#define MARK "id=\"pnav-profile\">"

struct page_metric {
	name_id name, unit;
	int64_t decimals;
	bool stated;    /* totals of rows come from the original file */
	bool estimated; /* stacks were estimated from a call graph */
};

/* Facts about a page as a whole. */
struct page_head {
	name_id title;
	bool compares;
	struct page_metric metric;
};

struct page_read {
	struct builder *b;
	struct err *e;
	VEC(int64_t) depth, frame, self, base;      /* of nodes */
	VEC(int64_t) name, file, module, line, kind, total; /* of rows */
	VEC(int64_t) row;                           /* of frames; none: a node's frame is a row */
	VEC(struct line) frame_at, row_at;
	VEC(name_id) names;
	VEC(frame_id) made; /* of frames, or of rows */
	struct page_head head;
	struct html_axis axis;
};

static int
html_probe(struct head head)
{
	static const char generator[] = "<meta name=\"generator\" content=\"pnav ";
	size_t most = head.len < 512 ? head.len : 512;

	return memmem(head.at, most, generator, sizeof generator - 1) ? 100 : 0;
}

/* ---- from the page to the text ---- */

/* Moves the input to the first byte after the mark. */
static bool
find_mark(struct input *in, struct err *e)
{
	size_t len = sizeof MARK - 1;

	while (input_need(in, len)) {
		const uint8_t *at = input_at(in);
		size_t have = input_have(in);
		const uint8_t *found = memmem(at, have, MARK, len);
		if (found) {
			input_skip(in, (size_t)(found - at) + len);
			return true;
		}
		input_skip(in, have - len + 1);
	}
	return err_damage(e, input_offset(in), "the page has no profile: its end is missing");
}

/* The six bits of a digit; 64: none. */
static unsigned
digit(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26u;
	if (c >= '0' && c <= '9')
		return c - '0' + 52u;
	return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Appends the bytes up to the first character that is not a digit, such as the padding. */
static void
read_base64(struct input *in, struct buf *out)
{
	uint32_t bits = 0;
	unsigned n = 0;

	while (input_need(in, 1)) {
		const uint8_t *at = input_at(in);
		size_t have = input_have(in);
		for (size_t i = 0; i < have; i++) {
			unsigned d = digit(at[i]);
			if (d == 64)
				return;
			bits = bits << 6 | d;
			n += 6;
			if (n < 8)
				continue;
			n -= 8;
			buf_addc(out, (char)(bits >> n & 0xff));
		}
		input_skip(in, have);
	}
}

/* The JSON text: an input over `packed`, and an input that decompresses it. */
struct unpacked {
	struct buf packed;
	struct input *bytes, *text;
};

static bool
unpacked_open(struct unpacked *u, struct input *in, struct err *e)
{
	*u = (struct unpacked){0};
	if (!find_mark(in, e))
		return false;
	read_base64(in, &u->packed);
	u->bytes = input_open_bytes(buf_str(&u->packed), u->packed.len, input_name(in));
	u->text = u->bytes ? unzlib_rest(u->bytes) : NULL;
	return u->text || err_refuse(e, "not enough memory for the profile of the page");
}

static void
unpacked_close(struct unpacked *u)
{
	if (u->text)
		input_close(u->text);
	if (u->bytes)
		input_close(u->bytes);
	buf_release(&u->packed);
}

/* ---- the members ---- */

/* `88`, `100.2`, or nothing */
static struct line
html_read_line(const struct json_value *v)
{
	char text[24] = "", *end;
	size_t len = v->t.len < sizeof text - 1 ? v->t.len : sizeof text - 1;

	if (v->t.kind != JSON_STRING || !len)
		return line_unknown();
	memcpy(text, v->t.at, len);
	unsigned long number = strtoul(text, &end, 10), clause = 0;
	if (*end == '.')
		clause = strtoul(end + 1, &end, 10);
	else if (!*end)
		return number <= UINT32_MAX ? line_plain((uint32_t)number) : line_unknown();
	if (*end || number > UINT32_MAX || clause > UINT8_MAX)
		return line_unknown();
	return (struct line){(uint32_t)number, (uint8_t)clause, LINE_CLAUSE};
}

static bool
take_line_at(struct rows_json *r UNUSED, void *lines, const struct json_value *v)
{
	VEC(struct line) *to = lines;

	*vec_push(to) = html_read_line(v);
	return true;
}

static bool
html_take_text(struct rows_json *r, void *page, const struct json_value *v)
{
	*vec_push(&((struct page_read *)page)->names) =
		v->t.kind == JSON_STRING ? json_row_name(r, &v->t) : NAME_EMPTY;
	return true;
}

#define COLUMN(column) {#column, ROW_NUMBERS(struct page_read, column), .loose = true}
static const struct json_row frames_rows[] = {
	{"at", ROW_EACH_IN(struct page_read, frame_at, take_line_at)},
	COLUMN(row),
	{0},
};
static const struct json_row nodes_rows[] = {
	COLUMN(depth), COLUMN(frame), COLUMN(self), COLUMN(base),
	{0},
};
static const struct json_row rows_rows[] = {
	COLUMN(name), COLUMN(file), COLUMN(module), COLUMN(line), COLUMN(kind), COLUMN(total),
	{"at", ROW_EACH_IN(struct page_read, row_at, take_line_at)},
	{0},
};
#undef COLUMN
static const struct json_row metric_rows[] = {
	{"name", ROW_NAME(struct page_metric, name)},
	{"unit", ROW_NAME(struct page_metric, unit)},
	{"decimals", ROW_NUMBER(struct page_metric, decimals)},
	{"stated", ROW_TRUTH(struct page_metric, stated)},
	{"estimated", ROW_TRUTH(struct page_metric, estimated)},
	{0},
};
static const struct json_row page_rows[] = {
	{"title", ROW_NAME(struct page_read, head.title)},
	{"compares", ROW_TRUTH(struct page_read, head.compares)},
	{"metric", ROW_IN(struct page_read, head.metric, metric_rows)},
	{"frames", ROW_HERE(frames_rows)},
	{"nodes", ROW_HERE(nodes_rows)},
	{"rows", ROW_HERE(rows_rows)},
	{"time", ROW_IN(struct page_read, axis, html_axis_rows)},
	{"names", ROW_EACH(html_take_text)},
	{0},
};

/* ---- from the columns to the profile ---- */

static name_id
html_name_of(const struct page_read *x, int64_t place)
{
	return place > 0 && (uint64_t)place < x->names.n ? x->names.at[place] : NAME_EMPTY;
}

#define AT(column, i) ((i) < x->column.n ? x->column.at[i] : 0)

/* Makes the function of a row; the one after the last row is the group of --limit-nodes. */
static function_id
make_function(struct page_read *x, size_t i)
{
	int64_t kind = AT(kind, i), line = AT(line, i);
	struct function f = {
		.name = html_name_of(x, AT(name, i)),
		.file = html_name_of(x, AT(file, i)),
		.module = html_name_of(x, AT(module, i)),
		.line = line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0,
		.kind = kind > 0 && kind < KINDS ? (uint8_t)kind : KIND_USER,
	};

	if (i >= x->name.n)
		return builder_function_named(x->b, "(other)", 7);
	return builder_function(x->b, f);
}

static void
html_make_frames(struct page_read *x)
{
	size_t n = x->row.n ? x->row.n : x->name.n;

	for (size_t i = 0; i <= n; i++) {
		bool frames = x->row.n && i < n;
		size_t row = !frames ? (i < n ? i : x->name.n)
			     : x->row.at[i] >= 0 ? (size_t)x->row.at[i]
						 : x->name.n;
		struct line line = line_unknown();
		if (frames && i < x->frame_at.n)
			line = x->frame_at.at[i];
		else if (!frames && i < x->row_at.n)
			line = x->row_at.at[i];
		*vec_push(&x->made) = builder_frame(x->b, make_function(x, row), line);
	}
}

static enum unit
unit_of(const struct page_read *x)
{
	struct name name = builder_name_get(x->b, x->head.metric.unit);

	for (enum unit u = UNIT_NS; u <= UNIT_COUNT; u++)
		if (strlen(unit_name(u)) == name.len && !memcmp(unit_name(u), name.at, name.len))
			return u;
	return UNIT_COUNT;
}

static bool
html_begin(struct page_read *x, metric_id *m)
{
	struct buf name = BUF_INIT;

	if (x->head.metric.name != NAME_EMPTY) {
		struct name given = builder_name_get(x->b, x->head.metric.name);
		buf_add(&name, given.at, given.len);
	} else {
		buf_adds(&name, "samples");
	}
	*m = builder_metric(x->b, buf_str(&name), unit_of(x), ROLE_VALUE);
	buf_release(&name);
	builder_default_metric(x->b, *m);
	if (x->head.title != NAME_EMPTY) {
		struct name title = builder_name_get(x->b, x->head.title);
		builder_info_bytes(x->b, "title", title.at, title.len);
	}
	return !x->head.metric.decimals || builder_metric_decimals(x->b, *m, 0, x->e);
}

/* Writes the self cost of each stack to a track; for a comparison, to two. */
static bool
add_nodes(struct page_read *x, struct series *now, struct series *base, uint64_t end)
{
	VEC(stack_id) path = VEC_INIT;
	bool good = true;

	*vec_push(&path) = STACK_EMPTY;
	for (size_t i = 0; good && i < x->depth.n; i++) {
		int64_t depth = x->depth.at[i], frame = AT(frame, i), self = AT(self, i);
		if (depth < 1 || (uint64_t)depth > path.n || frame < 0 || i >= x->frame.n ||
		    (uint64_t)frame >= x->made.n) {
			good = err_damage(x->e, end, "node %zu has no such depth or frame", i);
			break;
		}
		path.n = (size_t)depth;
		bool leaf = i + 1 >= x->depth.n || x->depth.at[i + 1] <= depth;
		stack_id stack = path.n > STACK_DEPTH_MAX ? builder_too_deep(x->b)
							  : builder_child(x->b, path.at[depth - 1],
									  x->made.at[frame]);
		*vec_push(&path) = stack;
		int64_t was = AT(base, i);
		if (self || (leaf && !was))
			good = builder_total(x->b, now, stack, &self, end, x->e);
		if (good && base && was)
			good = builder_total(x->b, base, stack, &was, end, x->e);
	}
	vec_release(&path);
	return good;
}

static bool
html_build(struct page_read *x, uint64_t end)
{
	struct series *base = NULL;
	metric_id m;

	if (!html_begin(x, &m))
		return false;
	html_make_frames(x);
	if (x->head.compares) {
		base = builder_totals(x->b, builder_track(x->b, "before", 6, TRACK_THREAD), &m, 1);
		builder_comparison(x->b);
	}
	const char *name = x->head.compares ? "after" : "page";
	track_id t = builder_track(x->b, name, strlen(name),
				   TRACK_THREAD);
	if (x->head.metric.stated) {
		builder_stated(x->b, t, m, x->head.metric.estimated);
		for (size_t i = 0; i < x->name.n; i++)
			builder_stated_total(x->b, make_function(x, i), AT(total, i));
	}
	return add_nodes(x, builder_totals(x->b, t, &m, 1), base, end) &&
	       html_axis_build(&x->axis, x->b, end, x->e);
}

static void
html_release(struct page_read *x)
{
	vec_release_all(&x->depth, &x->frame, &x->self, &x->base, &x->name, &x->file, &x->module,
			&x->line, &x->kind, &x->total, &x->row, &x->frame_at, &x->row_at, &x->names,
			&x->made);
	for (size_t i = 0; i < x->axis.tracks.n; i++)
		vec_release(&x->axis.tracks.at[i].parts);
	vec_release(&x->axis.tracks);
}

/* Keeps the nodes before damage, as far as their names were read. */
static bool
html_decode(struct input *in, struct builder *b, struct err *e)
{
	struct page_read x = {.b = b, .e = e};
	struct unpacked u;
	struct rows_json r;
	bool good = unpacked_open(&u, in, e);

	if (good) {
		rows_json_init(&r, u.text, e);
		r.context = &x;
		r.name = builder_name;
		r.b = b;
		good = rows_json_document(&r, page_rows, &x, "no profile");
		if (good && input_fault(u.text))
			good = err_damage(e, input_offset(u.text), "the profile is truncated");
		rows_json_release(&r);
		struct err later = {0};
		x.e = good ? e : &later;
		good &= html_build(&x, input_offset(u.text));
	}
	unpacked_close(&u);
	html_release(&x);
	return good;
}

static bool
html_dump(struct input *in, struct dump *d, struct err *e)
{
	struct unpacked u;
	bool good = unpacked_open(&u, in, e) && json_dump(u.text, d, e);

	unpacked_close(&u);
	return good;
}

const struct decoder decoder_html = {
	.name = "html",
	.title = "pages that pnav export --format html wrote",
	.made_of = MADE_TEXT,
	.probe = html_probe,
	.decode = html_decode,
	.dump = html_dump,
};
