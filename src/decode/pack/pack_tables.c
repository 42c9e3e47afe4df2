/* pack_tables.c - names, files, functions, frames, stacks, labels and metrics of a packed
 * profile. */
#include "src/decode/pack/pack.h"

#include <string.h>

#include "model/profile/pack_form.h"

uint32_t
pack_id(struct pack *x, uint64_t n)
{
	return cursor_below(&x->c, n);
}

name_id
pack_name(struct pack *x)
{
	uint32_t id = pack_id(x, x->id.name.n);

	return x->c.bad ? NAME_EMPTY : x->id.name.at[id];
}

const uint8_t *
pack_text(struct pack *x, size_t *len)
{
	uint64_t n = cursor_varint(&x->c);
	const uint8_t *at = cursor_bytes(&x->c, n);

	*len = at ? (size_t)n : 0;
	return at ? at : (const uint8_t *)"";
}

bool
pack_read_names(struct pack *x)
{
	while (pack_more(x)) {
		size_t len;
		const uint8_t *at = pack_text(x, &len);
		if (x->c.bad)
			return false;
		*vec_push(&x->id.name) = builder_name(x->b, at, len);
	}
	return true;
}

bool
pack_read_file(struct pack *x)
{
	struct adopt_file f = {0};

	f.name = pack_name(x);
	f.format = pack_name(x);
	f.why = pack_name(x);
	f.axis = cursor_u8(&x->c);
	f.has_time = cursor_u8(&x->c);
	f.start = cursor_zigzag(&x->c);
	f.end = cursor_zigzag(&x->c);
	f.step_first = cursor_zigzag(&x->c);
	f.step = cursor_zigzag(&x->c);
	f.has_clock = !x->c.bad && pack_more(x);
	f.clock = f.has_clock ? cursor_zigzag(&x->c) : 0;
	if (x->c.bad || f.axis > UNIT_COUNT || f.step < 0 || x->id.n_metrics)
		return false;
	x->id.n_files++;
	return builder_adopt_file(x->b, &f, x->offset, x->e);
}

bool
pack_read_functions(struct pack *x)
{
	while (pack_more(x)) {
		struct function f = {0};
		f.name = pack_name(x);
		f.file = pack_name(x);
		f.module = pack_name(x);
		f.line = pack_id(x, (uint64_t)UINT32_MAX + 1);
		uint8_t kind = cursor_u8(&x->c);
		f.kind = kind & 3;
		f.last = kind & PACK_FUNCTION_LAST;
		if (x->c.bad)
			return false;
		*vec_push(&x->id.function) = builder_function(x->b, f);
	}
	return true;
}

bool
pack_read_frames(struct pack *x)
{
	while (pack_more(x)) {
		uint32_t function = pack_id(x, x->id.function.n);
		uint8_t flags = cursor_u8(&x->c);
		struct frame f = {.line.form = flags & 3, .inlined = flags & PACK_FRAME_INLINED};
		if (f.line.form != LINE_UNKNOWN)
			f.line.number = pack_id(x, (uint64_t)UINT32_MAX + 1);
		if (f.line.form == LINE_CLAUSE)
			f.line.clause = cursor_u8(&x->c);
		uint64_t address = flags & PACK_FRAME_ADDRESS ? cursor_varint(&x->c)
							      : ADDRESS_NONE;
		if (x->c.bad || f.line.form > LINE_CLAUSE)
			return false;
		f.function = x->id.function.at[function];
		*vec_push(&x->id.frame) =
			builder_adopt_frame(x->b, f, address, flags & PACK_FRAME_BEGINS);
	}
	return true;
}

/* ---- stacks ---- */

#define STACKS_RUN 256u

/* Reads the next stacks, at most STACKS_RUN, with ids of the file as parents; returns how many are
 * good. */
static uint32_t
read_some_stacks(struct pack *x, uint32_t *parent, frame_id *frame)
{
	uint64_t n_frames = x->id.frame.n;
	struct cursor c = x->c; /* the compiler keeps a local one in registers */
	uint32_t n;

	for (n = 0; n < STACKS_RUN && cursor_left(&c); n++) {
		uint64_t before = (uint64_t)x->id.n_stacks + n, up = cursor_varint(&c);
		uint64_t id = cursor_varint(&c);
		c.bad |= up >= before || id >= n_frames;
		if (c.bad)
			break;
		parent[n] = (uint32_t)(before - 1 - up);
		frame[n] = x->id.frame.at[id];
	}
	x->c = c;
	return n;
}

/* Returns how many of these stacks precede one that is too deep. With fewer stacks than the deepest
 * one may have frames, none is. */
static uint32_t
shallow_ones(struct pack *x, const uint32_t *parent, uint32_t n)
{
	if (x->whole && x->id.n_stacks + n <= STACK_DEPTH_MAX)
		return n;
	for (uint32_t s = (uint32_t)x->id.depth.n; s < x->id.n_stacks; s++) {
		frame_id leaf;
		uint32_t depth = x->id.depth.at[builder_stack_parent(x->b, s, &leaf)] + 1;
		*vec_push(&x->id.depth) = depth;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t depth = x->id.depth.at[parent[i]] + 1;
		if (depth > STACK_DEPTH_MAX)
			return i;
		*vec_push(&x->id.depth) = depth;
	}
	return n;
}

/* Beside other files: finds or makes each stack. */
static bool
find_stacks(struct pack *x, const uint32_t *parent, const frame_id *frame, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		stack_id s = builder_child(x->b, x->id.stack.at[parent[i]], frame[i]);
		if (s == STACK_NONE)
			return false;
		*vec_push(&x->id.stack) = s;
	}
	return true;
}

bool
pack_read_stacks(struct pack *x)
{
	uint32_t parent[STACKS_RUN];
	frame_id frame[STACKS_RUN];

	while (pack_more(x)) {
		uint32_t n = read_some_stacks(x, parent, frame);
		uint32_t good = shallow_ones(x, parent, n);
		if (!(x->whole ? builder_adopt_stacks(x->b, parent, frame, good)
			       : find_stacks(x, parent, frame, good)))
			return pack_damaged(x, "too many stacks");
		x->id.n_stacks += good;
		if (good < n)
			return pack_damaged(x, "a stack that is too deep");
	}
	return !x->c.bad;
}

bool
pack_read_labels(struct pack *x)
{
	while (pack_more(x)) {
		bool is_number = cursor_u8(&x->c);
		name_id key = pack_name(x), text;
		if (is_number) {
			int64_t number = cursor_zigzag(&x->c);
			name_id unit = pack_name(x);
			if (!x->c.bad)
				*vec_push(&x->id.label) =
					builder_label_number(x->b, key, number, unit);
			continue;
		}
		text = pack_name(x);
		if (!x->c.bad)
			*vec_push(&x->id.label) = builder_label_text(x->b, key, text);
	}
	return !x->c.bad;
}

bool
pack_read_sets(struct pack *x)
{
	VEC(label_id) label = VEC_INIT;

	while (pack_more(x)) {
		uint64_t n = cursor_varint(&x->c);
		label.n = 0;
		for (uint64_t i = 0; !x->c.bad && i < n; i++) {
			uint32_t id = pack_id(x, x->id.label.n);
			if (!x->c.bad)
				*vec_push(&label) = x->id.label.at[id];
		}
		if (x->c.bad)
			break;
		labels_id id = builder_labels(x->b, label.at, label.n);
		x->whole_sets &= id == x->id.set.n;
		*vec_push(&x->id.set) = id;
	}
	vec_release(&label);
	return !x->c.bad;
}

/* Metrics that may be missing are one higher. */
static metric_id
metric_or_none(struct pack *x)
{
	return pack_id(x, UINT32_MAX) - 1;
}

bool
pack_read_metrics(struct pack *x)
{
	VEC(struct metric) metric = VEC_INIT;
	struct adopt_facts *f = &x->facts;

	f->default_metric = metric_or_none(x);
	f->calls_metric = metric_or_none(x);
	f->events_metric = metric_or_none(x);
	f->lines_metric = metric_or_none(x);
	uint8_t flags = cursor_u8(&x->c);
	f->events_shown = flags & PACK_EVENTS_SHOWN;
	f->compares_tracks = flags & PACK_COMPARES_TRACKS;
	f->has_call_edges = flags & PACK_CALL_EDGES;
	f->cp437 = flags & PACK_CP437;
	f->n_base = pack_id(x, UINT32_MAX);
	f->points = (int64_t)cursor_varint(&x->c);
	while (pack_more(x)) {
		struct metric m = {0};
		m.name = pack_name(x);
		m.unit = cursor_u8(&x->c);
		m.role = cursor_u8(&x->c);
		m.decimals = cursor_u8(&x->c);
		m.unused = cursor_u8(&x->c);
		if (m.unit > UNIT_COUNT || m.role > ROLE_LINES ||
		    (m.decimals && m.decimals != 6))
			x->c.bad = true;
		*vec_push(&metric) = m;
	}
	bool good = !x->c.bad && f->events_metric < metric.n && !x->id.n_metrics &&
		    x->id.n_files && f->points >= 0 && metric.n < UINT32_MAX &&
		    metric.at[f->events_metric].role == ROLE_EVENTS;
	if (good) {
		x->id.n_metrics = (uint32_t)metric.n;
		builder_adopt_metrics(x->b, metric.at, x->id.n_metrics, f);
	}
	vec_release(&metric);
	return good;
}
