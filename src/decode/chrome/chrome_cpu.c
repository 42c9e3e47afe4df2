#include "src/decode/chrome/chrome_inside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/common/javascript.h"
#include "src/decode/decoder.h"
#include "src/input/decimal.h"
#include "src/input/hash.h"

/* Samples of two kinds: those of V8's profiler, whose events come in parts and not always in
 * order, and those of `stackFrames`, whose table may stand behind them.  Both are kept until
 * all is read, 16 and 32 bytes a sample, and the stacks of nodes are made when they are asked
 * for, each once. */

/* ---- nodes ---- */

static void
tree_put(struct chrome_tree *t, struct chrome_node x)
{
	uint32_t i = idmap_get(&t->of, (uint64_t)x.id);

	if (i == IDMAP_NONE) {
		idmap_put(&t->of, (uint64_t)x.id, (uint32_t)t->node.n);
		*vec_push(&t->node) = x;
		return;
	}
	if (x.parent != CHROME_NO_PARENT)
		t->node.at[i].parent = x.parent;
	if (x.function != CHROME_UNSAID)
		t->node.at[i].function = x.function;
}

static uint32_t
unknown(struct chrome *d)
{
	return chrome_function(d, builder_name(d->b, "[unknown]", 9), NAME_EMPTY, 0,
			       CHROME_KIND_BY_NAME);
}

stack_id
chrome_tree_stack(struct chrome *d, struct chrome_tree *t, int64_t id)
{
	VEC(uint32_t) path = VEC_INIT;
	uint32_t i = idmap_get(&t->of, (uint64_t)id), depth = 0;
	stack_id stack = STACK_EMPTY;

	if (i == IDMAP_NONE) {
		builder_warn(d->b, "samples of nodes that are not there");
		return builder_child(d->b, STACK_EMPTY, chrome_frame(d, unknown(d)));
	}
	while (i != IDMAP_NONE && !t->node.at[i].state) {
		t->node.at[i].state = 1; /* met again it would be its own parent */
		*vec_push(&path) = i;
		i = t->node.at[i].parent == CHROME_NO_PARENT
			    ? IDMAP_NONE
			    : idmap_get(&t->of, (uint64_t)t->node.at[i].parent);
	}
	if (i != IDMAP_NONE && t->node.at[i].state == 2) {
		stack = t->node.at[i].stack;
		depth = t->node.at[i].depth;
	}
	while (path.n) {
		struct chrome_node *n = &t->node.at[path.at[--path.n]];
		if (n->function == CHROME_UNSAID)
			n->function = unknown(d);
		if (n->function != CHROME_NONE)
			stack = ++depth > STACK_DEPTH_MAX
					? builder_too_deep(d->b)
					: builder_child(d->b, stack, chrome_frame(d, n->function));
		n->stack = stack;
		n->depth = depth;
		n->state = 2;
	}
	vec_release(&path);
	return stack;
}

/* ---- V8's profiles, as they are read ---- */

struct call_frame {
	name_id name, url;
	int64_t line, column; /* from 0; -1: not said */
};

static uint32_t
call_frame_function(struct chrome *d, const struct call_frame *c)
{
	struct name name = builder_name_get(d->b, c->name);
	struct name url = builder_name_get(d->b, c->url);
	uint32_t line = c->line >= 0 && c->line < INT32_MAX ? (uint32_t)c->line + 1 : 0;
	uint32_t column = c->column >= 0 && c->column < INT32_MAX ? (uint32_t)c->column + 1 : 0;

	if (name.len == 6 && !memcmp(name.at, "(root)", 6))
		return CHROME_NONE;
	return chrome_function(d, name.len ? c->name : js_anonymous(d->b, c->url, line, column),
			       c->url, line, js_is_system(name, url) ? KIND_SYSTEM : KIND_USER);
}

static bool
call_frame_read(struct chrome *d, uint32_t *function)
{
	struct call_frame c = {.line = -1, .column = -1};

	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY) {
		struct json_token key = d->t;
		bool name = json_is(&key, "functionName"), url = json_is(&key, "url");
		bool line = json_is(&key, "lineNumber"), column = json_is(&key, "columnNumber");
		if (!json_next(&d->j, &d->t))
			return false;
		if ((name || url) && d->t.kind == JSON_STRING)
			*(name ? &c.name : &c.url) = chrome_name(d, &d->t);
		else if ((line || column) && d->t.kind == JSON_NUMBER)
			decimal_scaled(d->t.at, d->t.len, 0, line ? &c.line : &c.column);
		if (!json_skip(&d->j, &d->t))
			return false;
	}
	*function = call_frame_function(d, &c);
	return !d->j.failed;
}

/* The children of the node at `at`, which may be told before its id is. */
static bool
children_read(struct chrome *d, size_t at)
{
	while (json_next(&d->j, &d->t) && d->t.kind != JSON_ARRAY_END) {
		*vec_push(&d->raw) = (struct chrome_node){.id = chrome_id(d, &d->t),
							  .parent = (int64_t)at,
							  .function = CHROME_UNSAID};
		if (!json_skip(&d->j, &d->t))
			return false;
	}
	return !d->j.failed;
}

static bool
node_read(struct chrome *d)
{
	size_t at = d->raw.n;
	struct chrome_node x = {.parent = CHROME_NO_PARENT, .function = CHROME_UNSAID};

	*vec_push(&d->raw) = x;
	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY) {
		struct json_token key = d->t;
		bool id = json_is(&key, "id"), parent = json_is(&key, "parent");
		bool frame = json_is(&key, "callFrame"), children = json_is(&key, "children");
		if (!json_next(&d->j, &d->t))
			return false;
		if (id || parent)
			*(id ? &x.id : &x.parent) = chrome_id(d, &d->t);
		if (frame && d->t.kind == JSON_OBJECT) {
			if (!call_frame_read(d, &x.function))
				return false;
		} else if (children && d->t.kind == JSON_ARRAY) {
			if (!children_read(d, at))
				return false;
		} else if (!json_skip(&d->j, &d->t)) {
			return false;
		}
	}
	d->raw.at[at] = x;
	for (size_t i = at + 1; i < d->raw.n; i++)
		d->raw.at[i].parent = x.id;
	return !d->j.failed;
}

static bool
nodes_read(struct chrome *d)
{
	while (json_next(&d->j, &d->t) && d->t.kind != JSON_ARRAY_END)
		if (d->t.kind == JSON_OBJECT ? !node_read(d) : !json_skip(&d->j, &d->t))
			return false;
	return !d->j.failed;
}

#define NS_MAX 1000000000

/* A number into the list that it belongs to. */
static void
number_put(struct chrome *d, enum chrome_numbers which)
{
	int64_t number = 0;

	switch (which) {
	case NUMBERS_IDS:
		*vec_push(&d->ids) = chrome_id(d, &d->t);
		return;
	case NUMBERS_DELTAS:
		if (!chrome_time(&d->t, 3, &number))
			builder_warn(d->b, "time deltas that are no times, taken for 0");
		*vec_push(&d->deltas) = number;
		return;
	case NUMBERS_WEIGHTS:
		if (d->t.kind != JSON_NUMBER || !decimal_scaled(d->t.at, d->t.len, 0, &number))
			number = CHROME_NO_WEIGHT;
		*vec_push(&d->weights) = number;
		return;
	case NUMBERS_RESTS:
		decimal_scaled(d->t.at, d->t.len, 0, &number);
		*vec_push(&d->rests) = number > -NS_MAX && number < NS_MAX ? number : 0;
		return;
	}
}

bool
chrome_numbers_read(struct chrome *d, enum chrome_numbers which)
{
	while (json_next(&d->j, &d->t) && d->t.kind != JSON_ARRAY_END) {
		number_put(d, which);
		if (!json_skip(&d->j, &d->t))
			return false;
	}
	return !d->j.failed;
}

bool
chrome_profile_read(struct chrome *d)
{
	struct chrome_chunk *c = &d->e.chunk;

	d->e.has_profile = true;
	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY) {
		struct json_token key = d->t;
		bool nodes = json_is(&key, "nodes"), samples = json_is(&key, "samples");
		bool deltas = json_is(&key, "timeDeltas"), start = json_is(&key, "startTime");
		bool end = json_is(&key, "endTime"), good;
		if (!json_next(&d->j, &d->t))
			return false;
		if (nodes && d->t.kind == JSON_ARRAY)
			good = nodes_read(d);
		else if ((samples || deltas) && d->t.kind == JSON_ARRAY)
			good = chrome_numbers_read(d, deltas ? NUMBERS_DELTAS : NUMBERS_IDS);
		else {
			if (start || end)
				chrome_time(&d->t, 3, start ? &c->start : &c->end);
			good = json_skip(&d->j, &d->t);
		}
		if (!good)
			return false;
	}
	return !d->j.failed;
}

void
chrome_profile_event(struct chrome *d)
{
	struct chrome_event *e = &d->e;
	struct chrome_chunk *c = &e->chunk;
	struct name name = builder_name_get(d->b, e->name);
	uint64_t key[] = {(uint64_t)e->pid, e->id};

	e->kept = true;
	c->place = d->chunk.n;
	c->time = e->ts;
	c->n_samples = d->ids.n - c->sample;
	c->n_deltas = d->deltas.n - c->delta;
	c->own.n_weights = d->weights.n - c->own.weight;
	c->own.n_rests = d->rests.n - c->own.rest;
	*(c->own.n_weights ? &d->own_samples : &d->cpu_samples) += c->n_samples;
	c->thread = chrome_thread(d, e->pid, e->tid);
	c->opens = name.len != strlen("ProfileChunk");
	uint32_t i = idmap_get(&d->profile_of, hash64(key, sizeof key));
	if (i == IDMAP_NONE) {
		i = (uint32_t)d->profile.n;
		idmap_put(&d->profile_of, hash64(key, sizeof key), i);
		*vec_push(&d->profile) = (struct chrome_profile){0};
	}
	c->profile = i;
	for (size_t k = 0; k < d->raw.n; k++)
		tree_put(&d->profile.at[i].tree, d->raw.at[k]);
	*vec_push(&d->chunk) = *c;
}

/* ---- stackFrames and samples ---- */

static bool
frame_read(struct chrome *d, int64_t id)
{
	struct chrome_node x = {.id = id, .parent = CHROME_NO_PARENT, .function = CHROME_UNSAID};

	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY) {
		bool name = json_is(&d->t, "name"), parent = json_is(&d->t, "parent");
		if (!json_next(&d->j, &d->t))
			return false;
		if (name && d->t.kind == JSON_STRING)
			x.function = chrome_function(d, chrome_name(d, &d->t), NAME_EMPTY, 0,
						     CHROME_KIND_BY_NAME);
		else if (parent && d->t.kind != JSON_NULL)
			x.parent = chrome_id(d, &d->t);
		if (!json_skip(&d->j, &d->t))
			return false;
	}
	tree_put(&d->frames, x);
	return !d->j.failed;
}

bool
chrome_frames_read(struct chrome *d)
{
	while (json_next(&d->j, &d->t) && d->t.kind == JSON_KEY) {
		struct json_token key = d->t;
		key.kind = JSON_STRING;
		int64_t id = chrome_id(d, &key);
		if (!json_next(&d->j, &d->t))
			return false;
		if (d->t.kind == JSON_OBJECT ? !frame_read(d, id) : !json_skip(&d->j, &d->t))
			return false;
	}
	return !d->j.failed;
}

void
chrome_sample(struct chrome *d, uint32_t thread, int64_t time, int64_t frame, bool lasts)
{
	uint64_t place = d->sample.n;

	*vec_push(&d->sample) = (struct chrome_sample){
		.time = time,
		.frame = frame,
		.place = place,
		.thread = thread,
		.lasts = lasts,
	};
}

bool
chrome_samples_read(struct chrome *d)
{
	while (json_next(&d->j, &d->t) && d->t.kind != JSON_ARRAY_END) {
		if (d->t.kind != JSON_OBJECT) {
			if (!json_skip(&d->j, &d->t))
				return false;
			continue;
		}
		if (!chrome_event_read(d))
			return false;
		struct chrome_event *e = &d->e;
		if (e->has_ts && e->has_sf)
			chrome_sample(d, chrome_thread(d, e->pid, e->tid), e->ts, e->sf, true);
		else
			builder_warn(d->b, "samples without a time or a stack, left out");
	}
	return !d->j.failed;
}

/* ---- written ---- */

static int
compare_samples(const void *a, const void *b)
{
	const struct chrome_sample *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

bool
chrome_sample_write(struct chrome *d, struct series *s, track_id track, int64_t time,
		    int64_t lasts, stack_id stack, struct err *err)
{
	int64_t value[2] = {stack != STACK_EMPTY, stack != STACK_EMPTY ? lasts : 0};

	builder_track_event(d->b, track);
	return builder_sample(d->b, s, time, stack, value, 0, err);
}

static bool
samples_write(struct chrome *d, const metric_id metric[2], struct err *err)
{
	const struct chrome_sample *x = d->sample.at;
	size_t n = d->sample.n;
	struct series *s = NULL;
	bool good = true;

	if (n)
		qsort(d->sample.at, n, sizeof *d->sample.at, compare_samples);
	for (size_t i = 0; i < n && good; i++) {
		track_id track = chrome_thread_track(d, x[i].thread)->track;
		bool last = i + 1 == n || x[i + 1].thread != x[i].thread;
		if (!i || x[i - 1].thread != x[i].thread)
			s = builder_samples(d->b, track, metric, 2);
		good = chrome_sample_write(d, s, track, x[i].time,
				    x[i].lasts && !last ? x[i + 1].time - x[i].time : 0,
				    chrome_tree_stack(d, &d->frames, x[i].frame), err);
	}
	return good;
}

bool
chrome_cpu_write(struct chrome *d, const metric_id metric[2], struct err *err)
{
	return samples_write(d, metric, err) && chrome_profiles_write(d, metric, err);
}

static void
tree_release(struct chrome_tree *t)
{
	idmap_release(&t->of);
	vec_release(&t->node);
}

void
chrome_cpu_release(struct chrome *d)
{
	for (size_t i = 0; i < d->profile.n; i++)
		tree_release(&d->profile.at[i].tree);
	tree_release(&d->frames);
	idmap_release(&d->profile_of);
	vec_release(&d->profile);
	vec_release(&d->chunk);
	vec_release(&d->raw);
	vec_release(&d->ids);
	vec_release(&d->deltas);
	vec_release(&d->weights);
	vec_release(&d->rests);
	vec_release(&d->sample);
}

/* ---- the system ---- */

bool
chrome_system_read(struct chrome *d, bool cpu)
{
	struct err why;

	if (!d->system.len)
		return false;
	if (cpu) {
		builder_info(d->b, "systemTraceEvents", "not shown beside CPU samples");
		return false;
	}
	err_init(&why);
	struct input *in = input_open_bytes(d->system.at, d->system.len, "systemTraceEvents");
	if (!decoder_ftrace.decode(in, d->b, &why))
		builder_warn(d->b, "systemTraceEvents at byte %" PRIu64 ": %s", d->system_at,
			     why.text);
	input_close(in);
	return true;
}
