/* cpuprofile: V8's CPU profiles and sampling heap profiles (its inspector protocol, Profiler
 * and HeapProfiler), written by Chrome, node and Deno.
 *
 * A file is one JSON object with tables, in any order: nodes, the node of each sample, and the
 * time since the previous sample.  They are kept packed, and joined at the end
 * (cpuprofile_samples.c). */
#include "src/decode/decoder.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/base/chars.h"
#include "src/decode/common/json_read.h"
#include "src/decode/cpuprofile/cpuprofile_inside.h"

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
	uint64_t any = 0;

	for (size_t i = 0; i < n; i++) {
		us[i] = ns[i] / 1000;
		rest |= ns[i] - us[i] * 1000;
		any |= (uint64_t)ns[i];
	}
	c->falls |= any >= SMALL_TIME || c->lasts >= SMALL_TIME * (int64_t)ROWS_COLUMN_MAX;
	for (size_t i = 0; i < n && !c->falls; i++) {
		c->falls = c->are_times && ns[i] < c->lasts;
		c->lasts = c->are_times ? ns[i] : c->lasts + ns[i];
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
	builder_warn_count(b, c.unknown, "samples refer to missing nodes: [unknown]");
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
	.manual = "cpuprofile",
	.made_of = MADE_JSON,
	.members = "nodes/callFrame|nodes timeDeltas|head/callFrame head/selfSize|"
		   "head/functionName",
	.sure = 95,
	.decode = cpuprofile_decode,
};
