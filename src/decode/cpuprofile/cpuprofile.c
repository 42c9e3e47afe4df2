/* cpuprofile: V8's CPU profiles and sampling heap profiles (its inspector protocol, Profiler
 * and HeapProfiler), as Chrome, node and Deno write them.
 *
 * Tables in one JSON object, in any order: nodes, the node of each sample, how long after the
 * one before it was taken.  They are kept packed, and put together at the end
 * (cpuprofile_samples.c). */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/json_say.h"
#include "src/decode/cpuprofile/cpuprofile_inside.h"
#include "src/input/decimal.h"

#define LATER 60 /* percent of the time that samples take when all is read */

/* ---- telling the format ---- */

/* `nodes` of a CPU profile, `head` of a heap's and of a CPU profile of before Chrome 58. */
static int
cpuprofile_probe(struct head head)
{
	return head_members(head, "nodes/callFrame") || head_members(head, "nodes timeDeltas") ||
			       head_members(head, "head/callFrame head/selfSize") ||
			       head_members(head, "head/functionName")
		       ? 95
		       : 0;
}

/* ---- reading ---- */

static bool
fault(struct cpuprofile *c)
{
	return json_damage(&c->j, c->j.where, c->e);
}

static bool
read_nodes(struct cpuprofile *c)
{
	struct json_token t;

	while (json_next(&c->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_OBJECT)
			return err_damage(c->e, t.offset, "a node that is no object");
		if (!v8_nodes_read(&c->nodes, &c->j, t.offset))
			return false;
	}
	return c->j.failed ? fault(c) : true;
}

#define SOME 256
#define SMALL_TIME (INT64_C(1) << 52) /* ns: so many of them fit into the sum of all */

/* An id that was read, and those that follow it. */
static void
keep_ids(struct cpuprofile *c, int64_t first)
{
	int64_t v[SOME];
	size_t n;

	packed_push(&c->sample, first);
	while ((n = json_column(&c->j, 0, false, v, SOME)))
		packed_push_many(&c->sample, v, n);
}

/* Keeps n times, as microseconds while they are whole ones; notes, where it is plain, that each
 * sample comes behind the one before it. */
static void
keep_times(struct cpuprofile *c, const int64_t *ns, size_t n)
{
	int64_t us[SOME], rest = 0;
	uint64_t any = 0;

	for (size_t i = 0; i < n; i++) {
		us[i] = ns[i] / 1000;
		rest |= ns[i] - us[i] * 1000;
		any |= (uint64_t)ns[i];
	}
	c->falls |= any >= SMALL_TIME || c->lasts >= SMALL_TIME * SOME;
	for (size_t i = 0; i < n && !c->falls; i++) {
		c->falls = c->are_times && ns[i] < c->lasts;
		c->lasts = c->are_times ? ns[i] : c->lasts + ns[i];
	}
	if (rest && c->fine_from == SIZE_MAX)
		c->fine_from = c->delta.n;
	packed_push_many(&c->delta, c->fine_from == SIZE_MAX ? us : ns, n);
}

/* Ids of nodes; objects, as heap profiles have them, are stepped over. */
static bool
read_samples(struct cpuprofile *c)
{
	struct json_token t;
	int64_t id;

	c->has_samples = true;
	while (json_next(&c->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind == JSON_NUMBER && decimal_scaled(t.at, t.len, 0, &id))
			keep_ids(c, id);
		else if (t.kind == JSON_NUMBER)
			return err_damage(c->e, t.offset, "a node's id that does not fit");
		else if (!json_skip(&c->j, &t))
			break;
	}
	return c->j.failed ? fault(c) : true;
}

static bool
read_times(struct cpuprofile *c)
{
	struct json_token t;
	int64_t v[SOME];

	c->falls |= c->delta.n != 0;
	while (json_next(&c->j, &t) && t.kind != JSON_ARRAY_END) {
		if (t.kind != JSON_NUMBER || !decimal_scaled(t.at, t.len, 3, v))
			return err_damage(c->e, t.offset, "a time that is none");
		for (size_t n = 1; n; n = json_column(&c->j, 3, false, v, SOME))
			keep_times(c, v, n);
	}
	return c->j.failed ? fault(c) : true;
}

static void
keep_number(const struct json_token *t, char out[40], uint8_t *len)
{
	if (t->kind != JSON_NUMBER || t->len > 40)
		return;
	memcpy(out, t->at, t->len);
	*len = (uint8_t)t->len;
}

/* The value of a top-level key, whose first token is *t. */
static bool
read_member(struct cpuprofile *c, unsigned key, const struct json_token *t)
{
	enum { NODES, HEAD, SAMPLES, DELTAS, TIMES, START, END, TITLE };
	bool array = t->kind == JSON_ARRAY;

	if (key == NODES && array)
		return read_nodes(c);
	if (key == HEAD && t->kind == JSON_OBJECT)
		return v8_nodes_read(&c->nodes, &c->j, t->offset);
	if (key == SAMPLES && array)
		return read_samples(c);
	if ((key == DELTAS || key == TIMES) && array) {
		c->are_times = key == TIMES;
		return read_times(c);
	}
	if (key == START)
		keep_number(t, c->start, &c->start_len);
	if (key == END)
		keep_number(t, c->end, &c->end_len);
	if (key == TITLE && t->kind == JSON_STRING)
		json_text(&c->j, t, &c->title);
	return json_skip(&c->j, t) || fault(c);
}

static bool
read_document(struct cpuprofile *c)
{
	static const char *const keys[] = {"nodes",	 "head",      "samples", "timeDeltas",
					   "timestamps", "startTime", "endTime", "title"};
	struct json_token t;

	if (!json_next(&c->j, &t) || t.kind != JSON_OBJECT)
		return c->j.failed ? fault(c) : err_refuse(c->e, "no profile: it is no object");
	while (json_next(&c->j, &t) && t.kind != JSON_OBJECT_END) {
		unsigned key = json_key(&t, keys, 8);
		if (!json_next(&c->j, &t))
			break;
		if (!read_member(c, key, &t))
			return false;
	}
	return c->j.failed ? fault(c) : true;
}

/* ---- sums ---- */

/* Hits of a node: those whose line is known, and the rest. */
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
		.in = in, .b = b, .e = e, .fine_from = SIZE_MAX, .nodes = {.b = b, .e = e}};

	json_init(&c.j, in);
	input_later(in, LATER);
	bool good = read_document(&c);
	v8_nodes_bind(&c.nodes);
	if (!c.title.len)
		buf_adds(&c.title, "main");
	track_id track = builder_track(b, buf_str(&c.title), c.title.len, TRACK_THREAD);
	bool timed = c.has_samples && !c.nodes.is_heap;
	good = (timed ? cpuprofile_put_samples(&c, track) : put_sums(&c, track)) && good;
	if (c.unknown)
		builder_warn(b, "%" PRIu64 " samples are of nodes that there are not: [unknown]",
			     c.unknown);
	json_say(&c.j, b);
	v8_nodes_release(&c.nodes);
	packed_release(&c.sample);
	packed_release(&c.delta);
	buf_release(&c.title);
	return good && !err_is_set(e);
}

const struct decoder decoder_cpuprofile = {
	.name = "cpuprofile",
	.title = "V8's CPU profiles and sampling heap profiles (Chrome, node)",
	.manual = "cpuprofile",
	.made_of = MADE_JSON,
	.probe = cpuprofile_probe,
	.decode = cpuprofile_decode,
	.dump = json_dump,
};
