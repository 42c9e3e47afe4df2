#include "src/decode/v8log/v8log.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/buf.h"
#include "model/base/chars.h"
#include "model/base/mem.h"
#include "src/decode/common/last_line.h"
#include "src/decode/common/words.h"
#include "src/decode/v8log/v8log_libs.h"
#include "src/input/lines.h"

/* ---- ranges of code ---- */

/* A map of addresses in the C library's tree.  Ranges that overlap compare as equal, so one search
 * finds the ranges that a new one overlaps, and the range around an address. */

struct v8_range {
	uint64_t start, end; /* end is the first address after the range */
	uint32_t value;
};

#define SEEN_LOG2 8u

struct v8_map {
	void *root;
	struct v8_range *seen[1u << SEEN_LOG2]; /* ranges that were found, by hash of the address */
};

static int
v8log_map_compare(const void *a, const void *b)
{
	const struct v8_range *x = a, *y = b;

	return x->end <= y->start ? -1 : y->end <= x->start ? 1 : 0;
}

static struct v8_range *
overlapping(const struct v8_map *m, uint64_t start, uint64_t end)
{
	struct v8_range key = {.start = start, .end = end};
	void *node = tfind(&key, (void *const *)&m->root, v8log_map_compare);

	return node ? *(struct v8_range **)node : NULL;
}

static void
take_out(struct v8_map *m, struct v8_range *r)
{
	memset(m->seen, 0, sizeof m->seen);
	tdelete(r, &m->root, v8log_map_compare);
	free(r);
}

/* start < end. */
static void
v8_map_put(struct v8_map *m, uint64_t start, uint64_t end, uint32_t value)
{
	struct v8_range *r;

	while ((r = overlapping(m, start, end)))
		take_out(m, r);
	r = mem_alloc(1, sizeof *r);
	*r = (struct v8_range){start, end, value};
	tsearch(r, &m->root, v8log_map_compare);
}

/* Returns the range around an address, valid until the next change; NULL: none. */
static const struct v8_range *
v8_map_find(struct v8_map *m, uint64_t address)
{
	struct v8_range **seen = &m->seen[address * UINT64_C(0x9E3779B97F4A7C15) >>
					  (64 - SEEN_LOG2)];

	if (address == UINT64_MAX)
		return NULL;
	if (!*seen || address < (*seen)->start || address >= (*seen)->end)
		*seen = overlapping(m, address, address + 1);
	return *seen;
}

static struct v8_range *
at_start(const struct v8_map *m, uint64_t start)
{
	struct v8_range *r = start == UINT64_MAX ? NULL : overlapping(m, start, start + 1);

	return r && r->start == start ? r : NULL;
}

static void
v8_map_remove(struct v8_map *m, uint64_t start)
{
	struct v8_range *r = at_start(m, start);

	if (r)
		take_out(m, r);
}

/* Moves the range that begins there; removes it if it does not fit. */
static void
v8_map_move(struct v8_map *m, uint64_t from, uint64_t to)
{
	struct v8_range *r = at_start(m, from);

	if (!r)
		return;
	uint64_t size = r->end - r->start;
	uint32_t value = r->value;
	take_out(m, r);
	if (to <= UINT64_MAX - size)
		v8_map_put(m, to, to + size, value);
}

/* Lines of cells separated by commas; special characters are written as `\x2C`, `\u2028`, `\n`.
 * V8 6 and older puts names between quotes instead.
 *
 *	shared-library,PATH,START,END[,SLIDE]
 *	code-creation,TYPE,KIND,[TIME,]START,SIZE,NAME[,FUNCTION,STATE]
 *	code-move,FROM,TO        code-delete,START
 *	tick,PC,[TIME,]IN_CALLBACK,CALLBACK,VM_STATE[,FRAME...]
 *
 * Code with a function is JavaScript.  A frame is an address, or a difference `+1f` or `-1f` to
 * the counter or to the last frame that was an address or a difference.  Logs without times are
 * from V8 5 and older: there a tick lasts the profiler's interval. */

#define CELLS_MAX 9u

struct v8_raw_code {
	name_id name;
	frame_id frame;
	bool made, javascript;
};

struct v8_raw {
	struct v8_out *o;
	struct v8_map map;
	struct v8_libs libs;
	VEC(struct v8_raw_code) code;
	struct buf text;
	int64_t interval_us, clock_us;
	uint64_t offset;
	bool timeless, any;
};

/* ---- cells ---- */

/* Reads the next cell; *at is NULL after the last. */
static struct text_cell
cell_next(const char **at, const char *end)
{
	struct text_cell c = {*at, end};
	const char *comma = *at;

	bool quoted = comma < end && *comma == '"';
	while (quoted && ++comma < end) { /* "" inside is a quote */
		if (*comma == '"' && end - comma > 1 && comma[1] == '"')
			comma++;
		else if (*comma == '"')
			break;
	}
	while (comma < end && *comma != ',')
		comma++;
	c.end = comma;
	*at = comma < end ? comma + 1 : NULL;
	return c;
}

static unsigned
cells_of(const char **at, const char *end, struct text_cell *out, unsigned max)
{
	unsigned n = 0;

	while (*at && n < max)
		out[n++] = cell_next(at, end);
	return n;
}

/* Parses \xHH or \uHHHH; returns its length, 0 for other text. */
static size_t
escape_read(const char *at, const char *end, uint32_t *out)
{
	size_t digits = at[1] == 'x' ? 2 : at[1] == 'u' ? 4 : 0;
	uint64_t v;

	if (!digits || (size_t)(end - at) < 2 + digits)
		return 0;
	if (hex_digits(at + 2, at + 2 + digits, &v) != at + 2 + digits)
		return 0;
	*out = (uint32_t)v;
	return 2 + digits;
}

/* Reads one character; returns the number of its bytes. */
static size_t
character_read(struct v8_raw *r, const char *at, const char *end, bool quoted)
{
	uint32_t c, low;

	if (quoted && *at == '"' && end - at > 1 && at[1] == '"') {
		buf_addc(&r->text, '"');
		return 2;
	}
	if (*at != '\\' || end - at < 2) {
		buf_addc(&r->text, *at);
		return 1;
	}
	if (at[1] == 'n' || at[1] == '\\') {
		buf_addc(&r->text, at[1] == 'n' ? '\n' : '\\');
		return 2;
	}
	size_t len = escape_read(at, end, &c);
	if (!len) {
		buf_addc(&r->text, '\\');
		return 1;
	}
	if (c >= 0xD800 && c < 0xDC00 && end - at > 7 && at[6] == '\\' &&
	    escape_read(at + 6, end, &low) == 6 && low >= 0xDC00 && low < 0xE000) {
		c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
		len += 6;
	} else if (c >= 0xD800 && c < 0xE000) {
		c = 0xFFFD;
	}
	buf_add_utf8(&r->text, c);
	return len;
}

/* The text of a cell in r->text. */
static void
v8log_raw_text_of(struct v8_raw *r, struct text_cell c)
{
	bool quoted = c.end - c.at >= 2 && *c.at == '"' && c.end[-1] == '"';

	buf_reset(&r->text);
	c.at += quoted;
	c.end -= quoted;
	while (c.at < c.end)
		c.at += character_read(r, c.at, c.end, quoted);
}

static bool
v8log_raw_number(struct text_cell c, int64_t *out)
{
	return number_parse(c.at, c.end, out) && *out >= 0;
}

static bool
address(struct text_cell c, uint64_t *out)
{
	return c.end - c.at > 2 && c.end - c.at <= 18 && !memcmp(c.at, "0x", 2) &&
	       hex_digits(c.at + 2, c.end, out) == c.end;
}

static bool
v8log_raw_bad_line(struct v8_raw *r, const char *what)
{
	return err_damage(r->o->e, r->offset, "%s", what);
}

/* ---- code ---- */

static bool
library(struct v8_raw *r, const struct text_cell *c, unsigned n)
{
	uint64_t start, end;

	if (n < 4 || !address(c[2], &start) || !address(c[3], &end))
		return v8log_raw_bad_line(r, "a library without its addresses");
	v8log_raw_text_of(r, c[1]);
	v8_libs_add(&r->libs, start, end, buf_str(&r->text), r->text.len);
	return true;
}

static bool
creation(struct v8_raw *r, const struct text_cell *c, unsigned n)
{
	uint64_t start;
	int64_t size, time;
	unsigned at = n > 3 && !address(c[3], &start); /* with a time */

	if (n < 6 + at || (at && !v8log_raw_number(c[3], &time)) ||
	    !address(c[3 + at], &start) || !v8log_raw_number(c[4 + at], &size))
		return v8log_raw_bad_line(r, "code without its address");
	if (!size || start > UINT64_MAX - (uint64_t)size)
		return true;
	v8log_raw_text_of(r, c[5 + at]);
	v8_map_put(&r->map, start, start + (uint64_t)size, (uint32_t)r->code.n);
	*vec_push(&r->code) = (struct v8_raw_code){
		.name = builder_name(r->o->b, buf_str(&r->text), r->text.len),
		.javascript = n > 7 + at,
	};
	return true;
}

static bool
movement(struct v8_raw *r, const struct text_cell *c, unsigned n)
{
	uint64_t from, to;

	if (n < 3 || !address(c[1], &from) || !address(c[2], &to))
		return v8log_raw_bad_line(r, "code that moves to an unstated address");
	v8_map_move(&r->map, from, to);
	return true;
}

static bool
deletion(struct v8_raw *r, const struct text_cell *c, unsigned n)
{
	uint64_t start;

	if (n < 2 || !(address(c[1], &start) || (n > 2 && address(c[2], &start))))
		return v8log_raw_bad_line(r, "removed code without its address");
	v8_map_remove(&r->map, start);
	return true;
}

/* ---- ticks ---- */

static struct v8_raw_code *
code_at(struct v8_raw *r, uint64_t pc)
{
	const struct v8_range *range = v8_map_find(&r->map, pc);

	return range ? &r->code.at[range->value] : NULL;
}

static void
frame_push(struct v8_raw *r, uint64_t pc)
{
	struct v8_raw_code *code = code_at(r, pc);
	const frame_id *frame = &r->o->unknown;
	unsigned n = 1;

	if (code) {
		if (!code->made)
			code->frame = v8_frame(r->o, code->name, code->javascript);
		code->made = true;
		frame = &code->frame;
	} else {
		n = v8_libs_at(&r->libs, pc, &frame);
		if (!n) {
			frame = &r->o->unknown;
			n = 1;
		}
	}
	for (unsigned i = 0; i < n; i++)
		*vec_push(&r->o->frame) = frame[i];
}

static bool
stack(struct v8_raw *r, const char *at, const char *end, uint64_t pc)
{
	while (at) {
		struct text_cell c = cell_next(&at, end);
		uint64_t frame = 0;
		if (c.at == c.end || *c.at == 'o') /* `overflow` */
			continue;
		bool relative = *c.at == '+' || *c.at == '-';
		if (relative ? hex_digits(c.at + 1, c.end, &frame) != c.end : !address(c, &frame))
			return v8log_raw_bad_line(r, "a frame that is not an address");
		if (relative)
			pc = frame = *c.at == '+' ? pc + frame : pc - frame;
		frame_push(r, frame);
	}
	return true;
}

/* In a callback the counter is somewhere in native code, so the callback is used instead.
 * Otherwise the top of the stack is a separate frame if it is a function of JavaScript. */
static bool
tick(struct v8_raw *r, const char *at, const char *end)
{
	struct text_cell c[6];
	unsigned n = cells_of(&at, end, c, 5);
	uint64_t pc, callback;
	int64_t time_us = r->clock_us, inside, state;
	unsigned timed = n > 4 && !address(c[3], &callback);

	if (timed && at)
		c[n++] = cell_next(&at, end);
	if (n < 5 + timed || !address(c[1], &pc) ||
	    (timed && !v8log_raw_number(c[2], &time_us)) ||
	    !v8log_raw_number(c[2 + timed], &inside) ||
	    !address(c[3 + timed], &callback) || !v8log_raw_number(c[4 + timed], &state))
		return v8log_raw_bad_line(r, "an incomplete tick");
	if (time_us > INT64_MAX / 1000)
		return v8log_raw_bad_line(r, "times exceed 2^63");
	r->timeless |= timed == 0;
	r->clock_us = time_us + (timed ? 0 : r->interval_us);
	r->o->frame.n = 0;
	frame_push(r, inside ? callback : pc);
	const struct v8_raw_code *top = !inside && callback ? code_at(r, callback) : NULL;
	if (top && top->javascript)
		frame_push(r, callback);
	if (!stack(r, at, end, inside ? callback : pc))
		return false;
	v8_tick_add(r->o, time_us * 1000, state, r->offset);
	return true;
}

/* ---- the decoder ---- */

static void
version(struct v8_raw *r, const struct text_cell *c, unsigned n)
{
	struct buf text = BUF_INIT;

	for (unsigned i = 1; i < n && i < 5; i++) {
		if (i > 1)
			buf_addc(&text, '.');
		buf_add(&text, c[i].at, (size_t)(c[i].end - c[i].at));
	}
	builder_info_bytes(r->o->b, "v8 version", buf_str(&text), text.len);
	buf_release(&text);
}

static bool
v8log_raw_line_read(struct v8_raw *r, const char *at, const char *end)
{
	const char *comma = at == end ? NULL : memchr(at, ',', (size_t)(end - at));
	size_t word = comma ? (size_t)(comma - at) : 0;
	struct text_cell c[CELLS_MAX];

	if (is_key(at, word, "tick")) {
		r->any = true;
		return tick(r, at, end);
	}
	if (!is_key(at, word, "shared-library") && !is_key(at, word, "code-creation") &&
	    !is_key(at, word, "code-move") && !is_key(at, word, "code-delete") &&
	    !is_key(at, word, "v8-version") && !is_key(at, word, "profiler"))
		return true;
	r->any = true;
	const char *rest = at;
	unsigned n = cells_of(&rest, end, c, CELLS_MAX);
	int64_t interval;
	if (is_key(at, word, "shared-library"))
		return library(r, c, n);
	if (is_key(at, word, "code-creation"))
		return creation(r, c, n);
	if (is_key(at, word, "code-move"))
		return movement(r, c, n);
	if (is_key(at, word, "code-delete"))
		return deletion(r, c, n);
	if (*at == 'v')
		version(r, c, n);
	else if (n > 2 && v8log_raw_number(c[2], &interval) && interval && interval < 3600000000) {
		r->interval_us = interval;
		builder_info(r->o->b, "interval", "%" PRId64 " us", interval);
	}
	return true;
}

/* `profiler,end` is the last line of a whole log; a tick ends in the address of its root. */
static enum last_line
v8log_raw_last_line(const char *at, const char *end)
{
	if (is_key(at, (size_t)(end - at), "profiler,end"))
		return LAST_CLOSED;
	return begins_with(at, end, "tick,")
		       ? last_line_address(at, end, last_line_digits(at, end))
		       : last_line_open(at, end);
}

bool
v8_read_raw(struct v8_out *o, struct input *in)
{
	struct v8_raw r = {.o = o, .interval_us = 1000, .libs = {.in = in, .b = o->b}};
	struct text_line line;
	struct lines lines;
	bool good = true;

	lines_init(&lines, in);
	while (good && lines_next(&lines, &line)) {
		r.offset = line.offset;
		const char *end = line.at + line.len;
		good = line.cut ? v8log_raw_bad_line(&r, "the line is too long")
				: last_line_whole(in, line.ended, line.offset,
						  v8log_raw_last_line(line.at, end), o->e) &&
					  v8log_raw_line_read(&r, line.at, end);
	}
	if (good && !r.any)
		good = err_refuse(o->e, "not a log of V8: none of its lines is one");
	if (r.timeless)
		builder_info(o->b, "assumed", "ticks without times, one every %" PRId64 " us",
			     r.interval_us);
	v8_libs_info(&r.libs);
	while (r.map.root)
		take_out(&r.map, *(struct v8_range **)r.map.root);
	v8_libs_release(&r.libs);
	vec_release(&r.code);
	buf_release(&r.text);
	return good;
}
