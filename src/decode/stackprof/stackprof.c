/* stackprof, the sampling profiler of Ruby (tmm1/stackprof): its JSON, or the dump of
 * StackProf.run(out:), which has the same contents in Ruby's marshal format.
 *
 *	{mode: :wall, interval: 1000, samples: 3, frames: {ID: {name:, file:, line:, samples:,
 *	 edges: {ID: n}, lines: {LINE: [total, self]}}}, raw: [2, ID, ID, 1, ...],
 *	 raw_timestamp_deltas: [990, ...]}
 *
 * `raw` is a list of stacks, each as the number of frames, the frames (root first), and the
 * number of samples.  Each sample has a delta in microseconds.  `raw_lines` has the line of
 * each frame in the 16 lowest bits.  A file without `raw` is a call graph: it has the sums of
 * functions, and edges. */
#include "src/decode/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "src/decode/common/graph_totals.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_read.h"
#include "src/decode/common/words.h"
#include "src/decode/stackprof/ruby_marshal.h"
#include "src/input/decimal.h"

enum mode { MODE_OTHER, MODE_WALL, MODE_CPU, MODE_OBJECT };

/* Pairs of a key and a value, a range of those of the file. */
struct ruby_pairs {
	size_t first, n;
};

struct ruby_frame {
	int64_t id, line, samples, total;
	bool has_total;
	name_id name, file;
	function_id function;
	struct ruby_pairs edges, lines;
};

/* An edge and its count, or a line and its self count. */
struct ruby_pair {
	int64_t key, count;
};

struct stackprof {
	struct builder *b;
	struct err *e;
	uint8_t mode; /* enum mode */
	int64_t interval;
	VEC(struct ruby_frame) frame;
	struct idmap frame_of;
	VEC(struct ruby_pair) pair;
	VEC(int64_t) raw, raw_lines, delta;
	uint64_t unknown;
};

static int
stackprof_probe(struct head head)
{
	return head.len >= 3 && head.at[0] == 4 && head.at[1] == 8 &&
			       (head.at[2] == '{' || head.at[2] == '[')
		       ? 100
		       : 0;
}

/* ---- reading ---- */

/* Returns a key that is a number; -1 for any other key. */
static int64_t
number_key(const struct rows_json *r)
{
	int64_t n;

	return decimal_scaled(buf_str(&r->key), r->key.len, 0, &n) ? n : -1;
}

/* Reads {KEY: count} or {KEY: [total, self]}. Keeps the count or self. */
static bool
pair_read(struct rows_json *r, void *pairs, const struct json_token *t)
{
	struct stackprof *s = r->context;
	struct ruby_pairs *to = pairs;
	struct ruby_pair p = {number_key(r), json_integer(t)};
	struct json_token y;

	while (t->kind == JSON_ARRAY && json_next(&r->j, &y) && y.kind != JSON_ARRAY_END) {
		p.count = json_integer(&y);
		if (!json_skip(&r->j, &y))
			break;
	}
	if (r->j.failed || (t->kind == JSON_OBJECT && !json_skip(&r->j, t)))
		return false;
	to->first = to->n++ ? to->first : s->pair.n;
	*vec_push(&s->pair) = p;
	return true;
}

static bool
file_take(struct rows_json *r, void *file, const struct json_value *v)
{
	if (v->t.kind == JSON_STRING && !json_is(&v->t, "<cfunc>"))
		*(name_id *)file = json_row_name(r, &v->t);
	return true;
}

static void *
frame_begin(struct rows_json *r, void *document UNUSED, void *own)
{
	((struct ruby_frame *)own)->id = number_key(r);
	return own;
}

static bool
stackprof_frame_take(struct rows_json *r UNUSED, void *document, void *element)
{
	struct stackprof *s = document;
	const struct ruby_frame *f = element;

	idmap_put(&s->frame_of, (uint64_t)f->id, (uint32_t)s->frame.n);
	*vec_push(&s->frame) = *f;
	return true;
}

static bool
mode_take(struct rows_json *r, void *document, const struct json_value *v)
{
	struct stackprof *s = document;
	struct buf text = BUF_INIT;

	s->mode = json_is(&v->t, "wall")     ? MODE_WALL
		  : json_is(&v->t, "cpu")    ? MODE_CPU
		  : json_is(&v->t, "object") ? MODE_OBJECT
					     : MODE_OTHER;
	if (v->t.kind == JSON_STRING) {
		json_text(&r->j, &v->t, &text);
		builder_info_bytes(s->b, "mode", buf_str(&text), text.len);
	}
	buf_release(&text);
	return true;
}

static const struct json_row pair_rows[] = {{"*", ROW_INSIDE(pair_read)}, {0}};
static const struct json_row frame_rows[] = {
	{"name", ROW_NAME(struct ruby_frame, name)},
	{"file", ROW_VALUE_IN(struct ruby_frame, file, file_take)},
	{"line", ROW_NUMBER(struct ruby_frame, line)},
	{"samples", ROW_NUMBER(struct ruby_frame, samples)},
	{"total_samples", ROW_NUMBER(struct ruby_frame, total),
	 ROW_HAS(struct ruby_frame, has_total)},
	{"edges", ROW_IN(struct ruby_frame, edges, pair_rows)},
	{"lines", ROW_IN(struct ruby_frame, lines, pair_rows)},
	{0},
};
static const struct json_list frames = {.rows = frame_rows,
					.size = sizeof(struct ruby_frame),
					.begin = frame_begin,
					.end = stackprof_frame_take};
static const struct json_row frames_rows[] = {{"*", ROW_ELEMENT(&frames)}, {0}};
static const struct json_row document_rows[] = {
	{"mode", ROW_VALUE(mode_take)},
	{"interval", ROW_FACT_NUMBER("interval", struct stackprof, interval)},
	{"samples", ROW_FACT("samples")},
	{"gc_samples", ROW_FACT("gc_samples")},
	{"missed_samples", ROW_FACT("missed_samples")},
	{"frames", ROW_HERE(frames_rows)},
	{"raw", ROW_NUMBERS(struct stackprof, raw)},
	{"raw_lines", ROW_NUMBERS(struct stackprof, raw_lines)},
	{"raw_timestamp_deltas", ROW_NUMBERS(struct stackprof, delta)},
	{0},
};

/* ---- frames ---- */

static void
make_functions(struct stackprof *s)
{
	static const char *const names[] = {"(garbage collection)", "(marking)", "(sweeping)"};

	for (size_t i = 0; i < s->frame.n; i++) {
		struct ruby_frame *f = &s->frame.at[i];
		if (f->name == NAME_EMPTY)
			f->name = builder_name(s->b, "(unknown)", 9);
		struct name text = builder_name_get(s->b, f->name);
		enum kind kind = KIND_USER;
		for (size_t k = 0; k < 3; k++)
			if (name_is(text, names[k]))
				kind = KIND_SYSTEM;
		f->function = builder_function(
			s->b,
			(struct function){
				.name = f->name,
				.file = f->file,
				.line = f->line > 0 && f->line < UINT32_MAX ? (uint32_t)f->line : 0,
				.kind = (uint8_t)kind,
			});
	}
}

static frame_id
stackprof_frame_of(struct stackprof *s, int64_t id, int64_t line)
{
	uint32_t i = idmap_get(&s->frame_of, (uint64_t)id);

	s->unknown += i == IDMAP_NONE;
	function_id f = i == IDMAP_NONE ? builder_function_unknown(s->b) : s->frame.at[i].function;
	return builder_frame(s->b, f, line_numbered(line));
}

/* ---- raw: stacks ---- */

struct stackprof_out {
	metric_id metric[2];
	unsigned n;
	track_id track;
	struct series *series;
	bool timed;
	int64_t clock_ns;
	size_t delta;
};

static void
stackprof_declare(struct stackprof *s, struct stackprof_out *o)
{
	static const struct {
		const char *name;
		enum unit unit;
	} of[] = {[MODE_WALL] = {"time", UNIT_NS},
		  [MODE_CPU] = {"cpu", UNIT_NS},
		  [MODE_OBJECT] = {"allocs", UNIT_COUNT}};

	if (s->mode != MODE_OTHER)
		o->metric[o->n++] = builder_metric(s->b, of[s->mode].name, of[s->mode].unit,
						   ROLE_VALUE);
	o->metric[o->n++] = builder_metric(s->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	builder_default_metric(s->b, o->metric[0]);
	o->track = builder_main(s->b);
}

/* Adds `count` equal samples with the values that they are worth. */
static bool
stackprof_put(struct stackprof *s, struct stackprof_out *o, stack_id stack, int64_t count,
	      int64_t delta_ns)
{
	int64_t value[2] = {count, count};

	if (s->mode == MODE_WALL)
		value[0] = delta_ns;
	else if (s->mode != MODE_OTHER &&
		 (__builtin_mul_overflow(count, s->interval, &value[0]) ||
		  (s->mode == MODE_CPU && __builtin_mul_overflow(value[0], 1000, &value[0]))))
		return err_damage(s->e, 0, "the sum of the values exceeds 2^63");
	if (!o->timed) {
		builder_track_event(s->b, o->track);
		return builder_total(s->b, o->series, stack, value, 0, s->e);
	}
	if (!builder_sample(s->b, o->series, o->clock_ns, stack, value, 0, s->e))
		return false;
	if (delta_ns > 0 && __builtin_add_overflow(o->clock_ns, delta_ns, &o->clock_ns))
		return err_damage(s->e, 0, "times exceed 2^63");
	return true;
}

static bool
put_counted(struct stackprof *s, struct stackprof_out *o, stack_id stack, int64_t count)
{
	if (!o->timed)
		return stackprof_put(s, o, stack, count, 0);
	for (; count > 0 && o->delta < s->delta.n; count--) {
		int64_t ns;
		if (__builtin_mul_overflow(s->delta.at[o->delta++], 1000, &ns))
			return err_damage(s->e, 0, "times exceed 2^63");
		if (!stackprof_put(s, o, stack, 1, ns))
			return false;
	}
	return count > 0 ? stackprof_put(s, o, stack, count, 0) : true;
}

static bool
put_raw(struct stackprof *s)
{
	bool lines = s->raw_lines.n == s->raw.n && s->raw.n;
	size_t n = s->raw.n;
	struct stackprof_out o = {.timed = s->delta.n > 0};
	bool good = true;

	stackprof_declare(s, &o);
	o.series = o.timed ? builder_samples(s->b, o.track, o.metric, o.n)
			   : builder_totals(s->b, o.track, o.metric, o.n);
	for (size_t i = 0; i < n && good;) {
		int64_t depth = s->raw.at[i++];
		if (depth < 0 || (uint64_t)depth >= n - i) {
			good = err_damage(s->e, 0, "the raw stacks end within a stack");
			break;
		}
		for (size_t k = i; k < i + (size_t)depth; k++) {
			int64_t line = lines ? s->raw_lines.at[k] & 0xFFFF : 0;
			builder_next_frame(s->b, stackprof_frame_of(s, s->raw.at[k], line));
		}
		i += (size_t)depth;
		if (depth)
			good = put_counted(s, &o, builder_next_stack(s->b), s->raw.at[i]);
		i++;
	}
	if (o.timed)
		builder_track_end(s->b, o.track, o.clock_ns);
	return good;
}

/* ---- no raw: sums and edges ---- */

static bool
put_places(struct stackprof *s, struct graph_totals *t, const struct ruby_frame *f, uint32_t at)
{
	int64_t rest = f->samples;

	for (size_t i = f->lines.first; i < f->lines.first + f->lines.n; i++) {
		const struct ruby_pair *p = &s->pair.at[i];
		if (p->count <= 0 || p->count > rest || p->key <= 0 || p->key >= UINT32_MAX)
			continue;
		frame_id frame = builder_frame(s->b, f->function, line_plain((uint32_t)p->key));
		if (!callgraph_self(t->graph, at, graph_totals_place(t, frame, false), &p->count))
			return false;
		rest -= p->count;
	}
	return !rest || graph_totals_self(t, at, &rest);
}

static bool
put_graph(struct stackprof *s)
{
	struct graph_totals t = {.b = s->b, .calls = METRIC_NONE};
	bool good = true;

	t.metric[t.n_metrics++] = builder_metric(s->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	builder_default_metric(s->b, t.metric[0]);
	t.track = builder_main(s->b);
	for (size_t i = 0; i < s->frame.n && good; i++) {
		const struct ruby_frame *f = &s->frame.at[i];
		uint32_t at = graph_totals_function(&t, f->function);
		builder_track_event(s->b, t.track);
		good = put_places(s, &t, f, at);
		if (f->has_total)
			callgraph_gross(t.graph, at, &f->total);
		for (size_t k = f->edges.first; good && k < f->edges.first + f->edges.n; k++) {
			uint32_t to = idmap_get(&s->frame_of, (uint64_t)s->pair.at[k].key);
			if (to == IDMAP_NONE)
				continue;
			to = graph_totals_function(&t, s->frame.at[to].function);
			good = callgraph_arc(t.graph, at, to, 0, &s->pair.at[k].count);
		}
	}
	if (!good)
		err_damage(s->e, 0, "the sum of the values exceeds 2^63");
	builder_info(s->b, "assumed", GRAPH_ASSUMED);
	good = graph_totals_write(&t, 0, s->e) && good;
	graph_totals_release(&t);
	return good;
}

/* ---- the decoder ---- */

/* Newer files have only raw_lines, each value an id and the line in its 16 lowest bits; the ids
 * become `raw`. */
static void
ids_of_lines(struct stackprof *s)
{
	for (size_t i = 0; i < s->raw_lines.n; i++)
		*vec_push(&s->raw) = s->raw_lines.at[i];
	for (size_t i = 0; i < s->raw.n; i++)
		for (size_t depth = (size_t)s->raw.at[i++]; depth && i < s->raw.n; depth--)
			s->raw.at[i++] >>= 16;
}

static bool
stackprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct stackprof s = {.b = b, .e = e, .interval = 1};
	struct ruby_marshal m = {.left = VEC_INIT};
	struct rows_json r;

	json_rows_begin(&r, in, b, e, &s);
	if (ruby_marshal_is(in))
		ruby_marshal_init(&m, &r.j, in);
	bool good = rows_json_document(&r, document_rows, &s, "not a profile of stackprof");
	if (good || e->class == ERR_DAMAGED) {
		/* everything before the damage is shown */
		if (!s.raw.n)
			ids_of_lines(&s);
		make_functions(&s);
		good = (s.raw.n ? put_raw(&s) : put_graph(&s)) && good;
		builder_warn_count(b, s.unknown, "frame is not in the table: [unknown]",
				   "frames are not in the table: [unknown]");
	}
	json_rows_end(&r);
	ruby_marshal_release(&m);
	vec_release_all(&s.frame, &s.pair, &s.raw, &s.raw_lines, &s.delta);
	idmap_release(&s.frame_of);
	return good;
}

static bool
stackprof_dump(struct input *in, struct dump *d, struct err *e)
{
	struct ruby_marshal m = {.left = VEC_INIT};
	struct json j;

	if (!ruby_marshal_is(in))
		return json_dump(in, d, e);
	ruby_marshal_init(&m, &j, in);
	bool good = json_dump_tokens(&j, d, e);
	ruby_marshal_release(&m);
	return good;
}

const struct decoder decoder_stackprof = {
	.name = "stackprof",
	.title = "stackprof: Ruby's sampling profiler, its JSON and its dumps",
	.made_of = MADE_JSON | MADE_BINARY,
	.members = "mode frames interval total_samples|mode frames interval samples",
	.probe = stackprof_probe,
	.decode = stackprof_decode,
	.dump = stackprof_dump,
};
