/* stackprof, the sampling profiler of Ruby (tmm1/stackprof): its JSON, or what StackProf.run(out:)
 * dumps, the same in Ruby's marshal.
 *
 *	{mode: :wall, interval: 1000, samples: 3, frames: {ID: {name:, file:, line:, samples:,
 *	 edges: {ID: n}, lines: {LINE: [total, self]}}}, raw: [2, ID, ID, 1, ...],
 *	 raw_timestamp_deltas: [990, ...]}
 *
 * `raw` has stacks, root first: how many frames, these, how often; there is a delta for each
 * sample of them, in microseconds.  `raw_lines` has the line of each frame in the 16 lowest
 * bits.  Without raw there are sums of functions, and edges: a call graph. */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/graph_totals.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_say.h"
#include "src/decode/stackprof/values.h"
#include "src/input/decimal.h"

enum mode { MODE_WALL, MODE_CPU, MODE_OBJECT, MODE_OTHER };

struct ruby_frame {
	int64_t id, line, samples, total;
	bool has_total;
	name_id name, file;
	function_id function;
	size_t edges, n_edges, lines, n_lines; /* in `pair` */
};

/* An edge and how often, a line and what it has itself. */
struct ruby_pair {
	int64_t key, count;
};

struct stackprof {
	struct builder *b;
	struct err *e;
	struct values v;
	enum mode mode;
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
	if (head.len >= 3 && head.at[0] == 4 && head.at[1] == 8)
		return head.at[2] == '{' || head.at[2] == '[' ? 100 : 0;
	return head_members(head, "mode frames interval total_samples") ||
			       head_members(head, "mode frames interval samples")
		       ? 90
		       : 0;
}

static bool
fault(struct stackprof *s)
{
	return s->v.failed ? err_damage(s->e, s->v.where, "%s",
					s->v.why ? s->v.why : "the document ends too early")
			   : true;
}

/* ---- reading ---- */

static bool
is_text(const struct value *x, const char *text)
{
	return x->kind == VALUE_TEXT && x->len == strlen(text) && !memcmp(x->at, text, x->len);
}

/* A key that is a number: as such, or as text. */
static int64_t
number_key(const struct value *x)
{
	int64_t n = x->integer;

	if (x->kind == VALUE_TEXT && !decimal_scaled(x->at, x->len, 0, &n))
		return -1;
	return n;
}

static bool
read_numbers(struct stackprof *s, const struct value *list, int64_t **at, size_t *n, size_t *cap)
{
	struct value x;

	if (list->kind != VALUE_LIST)
		return values_skip(&s->v, list);
	while (values_next(&s->v, &x) && x.kind != VALUE_END) {
		vec_room(*at, *cap, *n + 1);
		(*at)[(*n)++] = x.kind == VALUE_INTEGER ? x.integer : 0;
		if (!values_skip(&s->v, &x))
			break;
	}
	return !s->v.failed;
}

/* {KEY: count}, or {KEY: [total, self]}, of which the last number is taken. */
static bool
read_pairs(struct stackprof *s, const struct value *map, size_t *first, size_t *n)
{
	struct value x, y;

	*first = s->pair.n;
	*n = 0;
	if (map->kind != VALUE_MAP)
		return values_skip(&s->v, map);
	while (values_next(&s->v, &x) && x.kind != VALUE_END) {
		struct ruby_pair p = {number_key(&x), 0};
		if (!values_next(&s->v, &x))
			break;
		p.count = x.integer;
		while (x.kind == VALUE_LIST && values_next(&s->v, &y) && y.kind != VALUE_END) {
			p.count = y.integer;
			if (!values_skip(&s->v, &y))
				return false;
		}
		if (x.kind == VALUE_MAP && !values_skip(&s->v, &x))
			return false;
		*vec_push(&s->pair) = p;
	}
	*n = s->pair.n - *first;
	return !s->v.failed;
}

static bool
read_frame(struct stackprof *s, int64_t id)
{
	struct ruby_frame f = {.id = id};
	struct value x;

	while (values_next(&s->v, &x) && x.kind != VALUE_END) {
		bool name = is_text(&x, "name"), file = is_text(&x, "file");
		bool line = is_text(&x, "line"), samples = is_text(&x, "samples");
		bool total = is_text(&x, "total_samples");
		bool edges = is_text(&x, "edges"), lines = is_text(&x, "lines");
		if (!values_next(&s->v, &x))
			break;
		if (name && x.kind == VALUE_TEXT)
			f.name = builder_name(s->b, x.at, x.len);
		if (file && x.kind == VALUE_TEXT && !is_text(&x, "<cfunc>"))
			f.file = builder_name(s->b, x.at, x.len);
		if (line && x.kind == VALUE_INTEGER)
			f.line = x.integer;
		if (samples && x.kind == VALUE_INTEGER)
			f.samples = x.integer;
		if (total && x.kind == VALUE_INTEGER) {
			f.total = x.integer;
			f.has_total = true;
		}
		if (!(edges   ? read_pairs(s, &x, &f.edges, &f.n_edges)
		      : lines ? read_pairs(s, &x, &f.lines, &f.n_lines)
			      : values_skip(&s->v, &x)))
			break;
	}
	if (s->v.failed)
		return false;
	idmap_put(&s->frame_of, (uint64_t)id, (uint32_t)s->frame.n);
	*vec_push(&s->frame) = f;
	return true;
}

static bool
read_frames(struct stackprof *s, const struct value *map)
{
	struct value x;

	if (map->kind != VALUE_MAP)
		return values_skip(&s->v, map);
	while (values_next(&s->v, &x) && x.kind != VALUE_END) {
		int64_t id = number_key(&x);
		if (!values_next(&s->v, &x))
			break;
		if (!(x.kind == VALUE_MAP ? read_frame(s, id) : values_skip(&s->v, &x)))
			break;
	}
	return !s->v.failed;
}

static void
read_mode(struct stackprof *s, const struct value *x)
{
	s->mode = is_text(x, "wall")     ? MODE_WALL
		  : is_text(x, "cpu")    ? MODE_CPU
		  : is_text(x, "object") ? MODE_OBJECT
					 : MODE_OTHER;
	if (x->kind == VALUE_TEXT)
		builder_info_bytes(s->b, "mode", x->at, x->len);
}

static void
tell_number(struct stackprof *s, const char *key, const struct value *x)
{
	if (x->kind == VALUE_INTEGER)
		builder_info(s->b, key, "%" PRId64, x->integer);
}

static bool
read_member(struct stackprof *s, const struct value *key, const char *name)
{
	static const char *const told[] = {"samples", "gc_samples", "missed_samples"};
	struct value x;

	(void)key;
	if (!values_next(&s->v, &x))
		return false;
	for (size_t i = 0; i < 3; i++)
		if (!strcmp(name, told[i]))
			tell_number(s, told[i], &x);
	if (!strcmp(name, "interval") && x.kind == VALUE_INTEGER) {
		s->interval = x.integer;
		tell_number(s, "interval", &x);
	}
	if (!strcmp(name, "mode"))
		read_mode(s, &x);
	if (!strcmp(name, "frames"))
		return read_frames(s, &x);
	if (!strcmp(name, "raw"))
		return read_numbers(s, &x, &s->raw.at, &s->raw.n, &s->raw.cap);
	if (!strcmp(name, "raw_lines"))
		return read_numbers(s, &x, &s->raw_lines.at, &s->raw_lines.n, &s->raw_lines.cap);
	if (!strcmp(name, "raw_timestamp_deltas"))
		return read_numbers(s, &x, &s->delta.at, &s->delta.n, &s->delta.cap);
	return values_skip(&s->v, &x);
}

static bool
read_document(struct stackprof *s)
{
	struct value x;
	char name[32];

	if (!values_next(&s->v, &x) || x.kind != VALUE_MAP)
		return s->v.failed ? fault(s)
				   : err_refuse(s->e, "no profile of stackprof: it is no hash");
	while (values_next(&s->v, &x) && x.kind != VALUE_END) {
		size_t len = x.kind == VALUE_TEXT && x.len < sizeof name ? x.len : 0;
		memcpy(name, x.at, len);
		name[len] = '\0';
		if (x.is_key && !read_member(s, &x, name))
			break;
	}
	return fault(s);
}

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
			if (text.len == strlen(names[k]) && !memcmp(text.at, names[k], text.len))
				kind = KIND_SYSTEM;
		f->function = builder_function(
			s->b, (struct function){
				      .name = f->name,
				      .file = f->file,
				      .line = f->line > 0 && f->line < UINT32_MAX
						      ? (uint32_t)f->line
						      : 0,
				      .kind = (uint8_t)kind,
			      });
	}
}

static frame_id
frame_of(struct stackprof *s, int64_t id, int64_t line)
{
	uint32_t i = idmap_get(&s->frame_of, (uint64_t)id);

	s->unknown += i == IDMAP_NONE;
	function_id f = i == IDMAP_NONE ? builder_function_unknown(s->b)
					: s->frame.at[i].function;
	return builder_frame(s->b, f, line > 0 ? line_plain((uint32_t)line) : line_unknown());
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
declare(struct stackprof *s, struct stackprof_out *o)
{
	static const struct {
		const char *name;
		enum unit unit;
	} of[] = {{"time", UNIT_NS}, {"cpu", UNIT_NS}, {"allocs", UNIT_COUNT}};

	if (s->mode != MODE_OTHER)
		o->metric[o->n++] = builder_metric(s->b, of[s->mode].name, of[s->mode].unit,
						   ROLE_VALUE);
	o->metric[o->n++] = builder_metric(s->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	builder_default_metric(s->b, o->metric[0]);
	o->track = builder_track(s->b, "main", 4, TRACK_THREAD);
}

/* One sample, or `count` of them at once: what they are worth. */
static bool
put(struct stackprof *s, struct stackprof_out *o, stack_id stack, int64_t count, int64_t delta_ns)
{
	int64_t value[2] = {count, count};

	if (s->mode == MODE_WALL)
		value[0] = delta_ns;
	else if (s->mode != MODE_OTHER &&
		 (__builtin_mul_overflow(count, s->interval, &value[0]) ||
		  (s->mode == MODE_CPU && __builtin_mul_overflow(value[0], 1000, &value[0]))))
		return err_damage(s->e, 0, "the sum of the values passes 2^63");
	if (!o->timed) {
		builder_track_event(s->b, o->track);
		return builder_total(s->b, o->series, stack, value, 0, s->e);
	}
	if (!builder_sample(s->b, o->series, o->clock_ns, stack, value, 0, s->e))
		return false;
	if (delta_ns > 0 && __builtin_add_overflow(o->clock_ns, delta_ns, &o->clock_ns))
		return err_damage(s->e, 0, "times pass 2^63");
	return true;
}

static bool
put_counted(struct stackprof *s, struct stackprof_out *o, stack_id stack, int64_t count)
{
	if (!o->timed)
		return put(s, o, stack, count, 0);
	for (; count > 0 && o->delta < s->delta.n; count--) {
		int64_t ns;
		if (__builtin_mul_overflow(s->delta.at[o->delta++], 1000, &ns))
			return err_damage(s->e, 0, "times pass 2^63");
		if (!put(s, o, stack, 1, ns))
			return false;
	}
	return count > 0 ? put(s, o, stack, count, 0) : true;
}

static bool
put_raw(struct stackprof *s)
{
	bool lines = s->raw_lines.n == s->raw.n && s->raw.n;
	size_t n = s->raw.n;
	struct stackprof_out o = {.timed = s->delta.n > 0};
	VEC(frame_id) frame = VEC_INIT;
	bool good = true;

	declare(s, &o);
	o.series = o.timed ? builder_samples(s->b, o.track, o.metric, o.n)
			   : builder_totals(s->b, o.track, o.metric, o.n);
	for (size_t i = 0; i < n && good;) {
		int64_t depth = s->raw.at[i++];
		if (depth < 0 || (uint64_t)depth >= n - i) {
			good = err_damage(s->e, 0, "raw stacks that end in one");
			break;
		}
		frame.n = 0;
		for (size_t k = i; k < i + (size_t)depth; k++) {
			int64_t line = lines ? s->raw_lines.at[k] & 0xFFFF : 0;
			*vec_push(&frame) = frame_of(s, s->raw.at[k], line);
		}
		i += (size_t)depth;
		if (frame.n)
			good = put_counted(s, &o, builder_stack(s->b, frame.at, frame.n),
					   s->raw.at[i]);
		i++;
	}
	if (o.timed)
		builder_track_end(s->b, o.track, o.clock_ns);
	vec_release(&frame);
	return good;
}

/* ---- no raw: sums and edges ---- */

static bool
put_places(struct stackprof *s, struct graph_totals *t, const struct ruby_frame *f, uint32_t at)
{
	int64_t rest = f->samples;

	for (size_t i = f->lines; i < f->lines + f->n_lines; i++) {
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
	t.track = builder_track(s->b, "main", 4, TRACK_THREAD);
	for (size_t i = 0; i < s->frame.n && good; i++) {
		const struct ruby_frame *f = &s->frame.at[i];
		uint32_t at = graph_totals_function(&t, f->function);
		builder_track_event(s->b, t.track);
		good = put_places(s, &t, f, at);
		if (f->has_total)
			callgraph_gross(t.graph, at, &f->total);
		for (size_t k = f->edges; k < f->edges + f->n_edges && good; k++) {
			uint32_t to = idmap_get(&s->frame_of, (uint64_t)s->pair.at[k].key);
			if (to == IDMAP_NONE)
				continue;
			to = graph_totals_function(&t, s->frame.at[to].function);
			good = callgraph_arc(t.graph, at, to, 0, &s->pair.at[k].count);
		}
	}
	if (!good)
		err_damage(s->e, 0, "the sum of the values passes 2^63");
	builder_info(s->b, "assumed", GRAPH_ASSUMED);
	good = graph_totals_write(&t, 0, s->e) && good;
	graph_totals_release(&t);
	return good;
}

/* ---- the whole ---- */

static bool
stackprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct stackprof s = {.b = b, .e = e, .mode = MODE_OTHER, .interval = 1};
	struct err none;

	values_init(&s.v, in);
	bool good = read_document(&s);
	if (good || e->class == ERR_DAMAGED) {
		err_init(&none);
		s.e = good ? e : &none; /* what stands before damage is shown */
		if (s.raw_lines.n && !s.raw.n) { /* newer ones have them alone */
			for (size_t i = 0; i < s.raw_lines.n; i++)
				*vec_push(&s.raw) = s.raw_lines.at[i];
			for (size_t i = 0; i < s.raw.n;) { /* ids without their lines */
				size_t depth = (size_t)s.raw.at[i++];
				for (; depth && i < s.raw.n; depth--)
					s.raw.at[i++] >>= 16;
				i++;
			}
		}
		make_functions(&s);
		good = (s.raw.n ? put_raw(&s) : put_graph(&s)) && good;
		if (s.unknown)
			builder_warn(b, "%" PRIu64 " frames are not in the table: [unknown]",
				     s.unknown);
	}
	if (good && !s.v.is_ruby)
		json_say(&s.v.j, b);
	values_release(&s.v);
	vec_release(&s.frame);
	vec_release(&s.pair);
	vec_release(&s.raw);
	vec_release(&s.raw_lines);
	vec_release(&s.delta);
	idmap_release(&s.frame_of);
	return good;
}

/* ---- dump ---- */

static bool
stackprof_dump(struct input *in, struct dump *d, struct err *e)
{
	static const char *const open[] = {[VALUE_MAP] = "{", [VALUE_LIST] = "[",
					   [VALUE_END] = "end"};
	struct buf text = BUF_INIT;
	struct values v;
	struct value x;
	bool good = true;

	if (!input_need(in, 2) || input_at(in)[0] != 4)
		return json_dump(in, d, e);
	values_init(&v, in);
	while (good && values_next(&v, &x)) {
		const char *key = x.is_key ? "key " : "";
		if (x.kind == VALUE_TEXT)
			good = dump_record(d, x.offset, "%s%s", key,
					   dump_bytes(d, &text, x.at, x.len));
		else if (x.kind == VALUE_INTEGER)
			good = dump_record(d, x.offset, "%s%" PRId64, key, x.integer);
		else
			good = dump_record(d, x.offset, "%s%s", key,
					   x.kind == VALUE_NOTHING ? "nil" : open[x.kind]);
	}
	if (v.failed)
		good = err_damage(e, v.where, "%s", v.why);
	buf_release(&text);
	values_release(&v);
	return good;
}

const struct decoder decoder_stackprof = {
	.name = "stackprof",
	.title = "stackprof: Ruby's sampling profiler, its JSON and its dumps",
	.manual = "stackprof",
	.made_of = MADE_JSON | MADE_BINARY,
	.probe = stackprof_probe,
	.decode = stackprof_decode,
	.dump = stackprof_dump,
};
