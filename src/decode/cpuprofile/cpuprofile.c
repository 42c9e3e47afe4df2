/* cpuprofile: V8's CPU profiles and sampling heap profiles (its inspector protocol, Profiler
 * and HeapProfiler), written by Chrome, node and Deno.
 *
 * A file is one JSON object with tables, in any order: nodes, the node of each sample, and the
 * time since the previous sample.  They are kept packed, and joined at the end. */
#include "src/decode/decoder.h"

#include <stdlib.h>

#include "model/base/buf.h"
#include "model/base/ordered.h"
#include "model/profile/packed.h"
#include "src/decode/common/json_read.h"
#include "src/decode/cpuprofile/cpuprofile_nodes.h"
#include "src/input/decimal.h"

/* Samples in time.
 *
 * V8's ticks come from two threads, so a sample may be older than the one before it.  Samples
 * are sorted by time, and each lasts until the next.  Few samples come late: only these are
 * sorted, and merged while the others are read. */

struct cpuprofile {
	struct input *in;
	struct builder *b;
	struct err *e;
	struct rows_json r;
	struct v8_nodes nodes;
	struct packed sample; /* ids of nodes */
	struct packed delta;  /* or the times themselves; us, ns from `fine_from` on */
	size_t fine_from;
	bool has_samples, are_times;
	bool falls;    /* some samples may be older than one before them */
	int64_t lasts; /* ns to the last of them, where not */
	struct json_digits start, end; /* their unit depends on the form */
	struct buf title;
	uint64_t unknown;
};

#define BREATHE 8192u /* samples */

struct v8_sample {
	int64_t time;
	uint64_t order;
	uint64_t node; /* its id */
};

ORDERED_BY_TWO(cpuprofile_by_time, struct v8_sample, time, order)

static stack_id
stack_closer(struct cpuprofile *c, uint64_t id)
{
	uint32_t node = idmap_get(&c->nodes.of, id);

	if (node != IDMAP_NONE) {
		stack_id stack = v8_nodes_stack(&c->nodes, node);
		if (stack != STACK_NONE)
			v8_nodes_known(&c->nodes, id, stack);
		return stack;
	}
	c->unknown++;
	function_id f = builder_function_unknown(c->b);
	return builder_child(c->b, STACK_EMPTY, builder_frame(c->b, f, line_unknown()));
}

static inline stack_id
cpuprofile_stack_of(struct cpuprofile *c, uint64_t id)
{
	stack_id known = v8_nodes_stack_of(&c->nodes, id);

	return known != V8_NO_STACK ? known : stack_closer(c, id);
}

/* The samples to be sorted. */
struct v8_order {
	struct series *series;
	VEC(struct v8_sample) late;
	int64_t last; /* of all times */
	bool waits;   /* there is a previous sample, which lasts until the next one */
	struct v8_sample before;
};

/* A reader of the samples in the order of the file. */
struct turns {
	struct packed_reader sample, delta;
	const struct cpuprofile *of;
	int64_t time; /* of the last sample read; initially the origin of the first difference */
};

/* False where its time passes 2^63. */
static inline bool
turn_next(struct turns *t, struct v8_sample *out)
{
	int64_t delta = packed_next(&t->delta);

	if (t->sample.at < t->of->fine_from)
		delta *= 1000;
	out->order = t->sample.at;
	out->node = (uint64_t)packed_next(&t->sample);
	if (t->of->are_times)
		t->time = delta;
	else if (__builtin_add_overflow(t->time, delta, &t->time))
		return false;
	out->time = t->time;
	return true;
}

static struct turns
turns_of(struct cpuprofile *c, int64_t first)
{
	return (struct turns){.sample = {.of = &c->sample},
			      .delta = {.of = &c->delta},
			      .of = c,
			      .time = first};
}

/* Reports progress: sorting needs two passes over all samples if some are late. */
static void
breathe(const struct cpuprofile *c, size_t done, size_t all)
{
	input_later_done(c->in, done, all);
	input_breathe(c->in);
}

/* Collects and sorts the samples that are older than one before them.  False: a time exceeds
 * 2^63. */
static bool
find_late(struct cpuprofile *c, int64_t first, size_t n, struct v8_order *o)
{
	struct turns t = turns_of(c, first);
	struct v8_sample s;

	if (!c->falls && n && n == c->delta.n &&
	    !__builtin_add_overflow(c->are_times ? 0 : first, c->lasts, &o->last)) {
		return true;
	}
	o->last = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		if (!turn_next(&t, &s))
			return false;
		if (s.time < o->last)
			*vec_push(&o->late) = s;
		else
			o->last = s.time;
		if (i % BREATHE == BREATHE - 1)
			breathe(c, i, 2 * n);
	}
	vec_sort(&o->late, cpuprofile_by_time);
	return true;
}

/* Returns the end of the last sample.  Times of samples are in us, the stated end is in
 * seconds. */
static int64_t
end_of(const struct cpuprofile *c, int64_t last)
{
	int64_t end = last;

	if (err_is_set(c->e))
		return last;
	if (c->are_times && c->delta.n > c->sample.n)
		end = packed_at(&c->delta, c->sample.n) * (c->sample.n < c->fine_from ? 1000 : 1);
	else if (!c->end.len ||
		 !decimal_scaled(c->end.at, c->end.len, c->are_times ? 9 : 3, &end))
		end = last;
	return end > last ? end : last;
}

/* Writes the previous sample, which lasts until this one. */
static inline __attribute__((always_inline)) bool
put_before(struct cpuprofile *c, struct v8_order *o, int64_t until)
{
	int64_t lasts;

	if (!o->waits)
		return true;
	stack_id stack = cpuprofile_stack_of(c, o->before.node);
	if (__builtin_sub_overflow(until, o->before.time, &lasts) || stack == STACK_EMPTY)
		lasts = 0;
	return builder_sample(c->b, o->series, o->before.time, stack, &lasts, 0, c->e);
}

static bool
put_one(struct cpuprofile *c, struct v8_order *o, const struct v8_sample *s)
{
	bool good = put_before(c, o, s->time);

	o->before.time = s->time; /* one by one: they were just written so */
	o->before.node = s->node;
	o->waits = true;
	return good;
}

/* Writes n samples in order, and the late ones between them. */
static bool
put_all(struct cpuprofile *c, struct v8_order *o, int64_t first, size_t n)
{
	struct turns t = turns_of(c, first);
	int64_t reached = INT64_MIN;
	size_t late = 0, i = 0;
	bool good = true, waits = false;
	struct v8_sample s;

	t.sample.drops = t.delta.drops = true;
	while (good && (waits || i < n)) {
		if (!waits) {
			if (i % BREATHE == BREATHE - 1)
				breathe(c, n + i, 2 * n);
			i++;
			waits = turn_next(&t, &s) && s.time >= reached;
			if (!waits)
				continue;
			reached = s.time;
		}
		bool before = late < o->late.n && cpuprofile_by_time(&o->late.at[late], &s) < 0;
		good = put_one(c, o, before ? &o->late.at[late++] : &s);
		waits = before;
	}
	return good;
}

/* Writes all samples in the order of time to a series of the track, and declares their metrics.
 * Returns false with c->e set if the profile accepts no more, or times exceed 2^63. */
static bool
cpuprofile_put_samples(struct cpuprofile *c, track_id track)
{
	metric_id metric[] = {builder_metric(c->b, "time", UNIT_NS, ROLE_VALUE),
			      builder_metric(c->b, "samples", UNIT_SAMPLES, ROLE_EVENTS)};
	struct v8_order o = {.series = builder_samples(c->b, track, metric, 2)};
	size_t all = c->sample.n, n = all < c->delta.n ? all : c->delta.n;
	int64_t first = 0;

	builder_default_metric(c->b, metric[0]);
	bool good = (c->are_times || !c->start.len ||
		     decimal_scaled(c->start.at, c->start.len, 3, &first)) &&
		    find_late(c, first, n, &o);
	if (!good)
		err_damage(c->e, 0, "times exceed 2^63");
	int64_t end = n && good ? end_of(c, o.last) : 0;
	good = good && put_all(c, &o, first, n) && put_before(c, &o, end);
	if (n && good)
		builder_track_end(c->b, track, end);
	builder_warn_count(c->b, all - n, "sample has no time, left out",
			   "samples have no time, left out");
	vec_release(&o.late);
	return good;
}

#define LATER 60 /* percent of the time, spent on samples after reading */

/* ---- the probe ---- */

/* `nodes` is a member of CPU profiles, `head` of heap profiles and of CPU profiles before
 * Chrome 58. */
/* ---- reading ---- */

#define SMALL_TIME (INT64_C(1) << 52) /* ns: a sum of that many fits */

/* Ids of nodes; objects, as heap profiles have them, are ignored. */
static bool
ids_take(struct rows_json *r, void *profile, const int64_t *id, size_t n)
{
	if (*id != JSON_NO_NUMBER)
		packed_push_many(&((struct cpuprofile *)profile)->sample, id, n);
	return *id != JSON_NO_NUMBER || r->odd != JSON_NUMBER ||
	       err_damage(r->e, r->offset, "a node id out of range");
}

/* Keeps n times, as microseconds while they are whole.  Notes if each sample certainly follows
 * the one before it. */
static void
keep_times(struct cpuprofile *c, const int64_t *ns, size_t n)
{
	int64_t us[ROWS_COLUMN_MAX], rest = 0;
	uint64_t any = 0, sum = 0;

	for (size_t i = 0; i < n; i++) {
		us[i] = ns[i] / 1000;
		rest |= ns[i] - us[i] * 1000;
		any |= (uint64_t)ns[i];
		sum += (uint64_t)ns[i];
	}
	c->falls |= any >= SMALL_TIME || c->lasts >= SMALL_TIME * (int64_t)ROWS_COLUMN_MAX;
	if (!c->are_times && !c->falls)
		c->lasts += (int64_t)sum;
	for (size_t i = 0; i < n && c->are_times && !c->falls; i++) {
		c->falls = ns[i] < c->lasts;
		c->lasts = ns[i];
	}
	if (rest && c->fine_from == SIZE_MAX)
		c->fine_from = c->delta.n;
	packed_push_many(&c->delta, c->fine_from == SIZE_MAX ? us : ns, n);
}

static bool
times_take(struct rows_json *r, void *profile, const int64_t *ns, size_t n)
{
	if (*ns == JSON_NO_NUMBER)
		return err_damage(r->e, r->offset, "an invalid time");
	keep_times(profile, ns, n);
	return true;
}

static const struct json_row times_row = {"", ROW_COLUMN(times_take), .scale = 3};

static bool
times_read(struct rows_json *r, void *profile, const struct json_token *t)
{
	struct cpuprofile *c = profile;

	if (t->kind == JSON_ARRAY) {
		c->are_times = r->row->scale;
		c->falls |= c->delta.n != 0;
	}
	return rows_json_value(r, &times_row, c, t);
}

static const struct json_row document_rows[] = {
	{"nodes", ROW_LIST(&v8_nodes_list)},
	{"head", ROW_ELEMENT(&v8_nodes_list)},
	{"samples", ROW_COLUMN(ids_take), ROW_HAS(struct cpuprofile, has_samples)},
	{"timeDeltas", ROW_INSIDE(times_read)},
	{"timestamps", ROW_INSIDE(times_read), .scale = 1 /* times themselves */},
	{"startTime", ROW_DIGITS(struct cpuprofile, start)},
	{"endTime", ROW_DIGITS(struct cpuprofile, end)},
	{"title", ROW_TEXT(struct cpuprofile, title)},
	{0},
};

/* ---- sums ---- */

/* Adds the hits of a node: those with a known line, and the others. */
static bool
put_hits(struct cpuprofile *c, struct series *series, uint32_t node, size_t *tick)
{
	stack_id stack = v8_nodes_stack(&c->nodes, node);
	const struct v8_node *v = &c->nodes.node.at[node];
	int64_t rest = v->hits;
	bool good = true;

	for (; *tick < c->nodes.ticks.n && c->nodes.ticks.at[*tick].node == node; (*tick)++) {
		const struct v8_ticks *t = &c->nodes.ticks.at[*tick];
		if (v->is_root || t->ticks <= 0 || t->ticks > rest || t->line <= 0 ||
		    t->line >= UINT32_MAX)
			continue;
		frame_id frame = builder_frame(c->b, v->function, line_plain((uint32_t)t->line));
		good = good && builder_total(c->b, series, builder_child(c->b, v->above, frame),
					     &t->ticks, 0, c->e);
		rest -= t->ticks;
	}
	return good && (!rest || builder_total(c->b, series, stack, &rest, 0, c->e));
}

static bool
put_sums(struct cpuprofile *c, track_id track)
{
	bool heap = c->nodes.is_heap;
	metric_id metric = heap ? builder_metric(c->b, "live", UNIT_BYTES, ROLE_VALUE)
				: builder_metric(c->b, "samples", UNIT_SAMPLES, ROLE_VALUE);
	struct series *series = builder_totals(c->b, track, &metric, 1);
	bool good = true;
	size_t tick = 0;

	builder_default_metric(c->b, metric);
	for (uint32_t i = 0; good && i < c->nodes.node.n; i++) {
		const struct v8_node *v = &c->nodes.node.at[i];
		if (heap && v->size) {
			int64_t size = v->size;
			stack_id stack = v8_nodes_stack(&c->nodes, i);
			good = builder_total(c->b, series, stack, &size, 0, c->e);
		} else if (!heap) {
			good = put_hits(c, series, i, &tick);
		}
		if (heap ? v->size != 0 : v->hits != 0)
			builder_track_event(c->b, track);
	}
	return good;
}

static bool
cpuprofile_decode(struct input *in, struct builder *b, struct err *e)
{
	struct cpuprofile c = {
		.in = in, .b = b, .e = e, .fine_from = SIZE_MAX, .nodes = {.b = b}};

	json_rows_begin(&c.r, in, b, e, &c.nodes);
	input_later(in, LATER);
	bool good = rows_json_document(&c.r, document_rows, &c, "no profile");
	v8_nodes_bind(&c.nodes);
	if (!c.title.len)
		buf_adds(&c.title, "main");
	track_id track = builder_track(b, buf_str(&c.title), c.title.len, TRACK_THREAD);
	bool timed = c.has_samples && !c.nodes.is_heap;
	good = (timed ? cpuprofile_put_samples(&c, track) : put_sums(&c, track)) && good;
	builder_warn_count(b, c.unknown, "sample refers to a missing node: [unknown]",
			   "samples refer to missing nodes: [unknown]");
	json_rows_end(&c.r);
	v8_nodes_release(&c.nodes);
	packed_release(&c.sample);
	packed_release(&c.delta);
	buf_release(&c.title);
	return good && !err_is_set(e);
}

const struct decoder decoder_cpuprofile = {
	.name = "cpuprofile",
	.title = "V8's CPU profiles and sampling heap profiles (Chrome, node)",
	.made_of = MADE_JSON,
	.members = "nodes/callFrame|nodes timeDeltas|head/callFrame head/selfSize|"
		   "head/functionName",
	.sure = 95,
	.decode = cpuprofile_decode,
};
