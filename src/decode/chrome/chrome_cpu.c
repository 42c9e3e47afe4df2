#include "model/base/ordered.h"
#include "src/decode/chrome/chrome_inside.h"
#include "src/decode/common/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/decoder.h"
#include "src/input/hash.h"

/* Two kinds of samples: those of V8's profiler, whose events come in parts and not always in order,
 * and those of `stackFrames`, whose table may follow them. Both are kept until everything has been
 * read, in 16 and 32 bytes a sample. The stacks of nodes are made at their first use, each once. */

void
chrome_profile_event(struct chrome *d)
{
	struct chrome_event *e = &d->e;
	struct chrome_chunk *c = &e->chunk;
	struct name name = builder_name_get(d->b, e->name);
	uint64_t key[] = {(uint64_t)e->pid, e->id.hash};

	c->kept = true;
	c->place = d->cpu.chunk.n;
	c->time = e->ts;
	c->n_samples = d->cpu.ids.n - c->sample;
	c->n_deltas = d->cpu.deltas.n - c->delta;
	c->own.n_weights = d->cpu.weights.n - c->own.weight;
	c->own.n_rests = d->cpu.rests.n - c->own.rest;
	*(c->own.n_weights ? &d->cpu.own_samples : &d->cpu.cpu_samples) += c->n_samples;
	c->thread = chrome_thread(d);
	c->opens = name.len != strlen("ProfileChunk");
	uint32_t i = (uint32_t)d->cpu.profile.n;
	/* an event `CpuProfile` has a whole profile, and no id */
	if (name_is(name, "CpuProfile") ||
	    idmap_add(&d->cpu.profile_of, hash64(key, sizeof key), d->cpu.profile.n, &i))
		*vec_push(&d->cpu.profile) = (struct chrome_profile){0};
	c->profile = i;
	for (size_t k = 0; k < d->cpu.raw.n; k++)
		chrome_tree_put(&d->cpu.profile.at[i].tree, d->cpu.raw.at[k]);
	*vec_push(&d->cpu.chunk) = *c;
}

/* ---- stackFrames and samples ---- */

static void *
frame_begin(struct rows_json *r, void *document UNUSED, void *own)
{
	struct chrome_node *x = own;
	struct json_token key = {
		.kind = JSON_STRING, .at = buf_str(&r->key), .len = r->key.len};

	x->id = chrome_id(r->context, &key);
	x->parent = CHROME_NO_PARENT;
	x->function = CHROME_UNSAID;
	return x;
}

static bool
frame_name_take(struct rows_json *r, void *function, const struct json_value *v)
{
	if (v->t.kind == JSON_STRING)
		*(uint32_t *)function = chrome_function(r->context, json_row_name(r, &v->t),
							NAME_EMPTY, 0, CHROME_KIND_BY_NAME);
	return true;
}

static bool
frame_parent_take(struct rows_json *r, void *parent, const struct json_value *v)
{
	if (v->t.kind != JSON_NULL)
		*(int64_t *)parent = chrome_id(r->context, &v->t);
	return true;
}

static bool
chrome_frame_take(struct rows_json *r, void *document UNUSED, void *element)
{
	chrome_tree_put(&((struct chrome *)r->context)->cpu.frames, *(struct chrome_node *)element);
	return true;
}

static const struct json_row frame_rows[] = {
	{"name", ROW_VALUE_IN(struct chrome_node, function, frame_name_take)},
	{"parent", ROW_VALUE_IN(struct chrome_node, parent, frame_parent_take)},
	{0},
};
static const struct json_list frames = {.rows = frame_rows,
					.size = sizeof(struct chrome_node),
					.torn = true,
					.begin = frame_begin,
					.end = chrome_frame_take};
const struct json_row chrome_frames_rows[] = {{"*", ROW_ELEMENT(&frames)}, {0}};

void
chrome_sample(struct chrome *d, uint32_t thread, int64_t time, int64_t frame, bool lasts)
{
	uint64_t place = d->cpu.sample.n;

	cast_reach(&d->cast, thread, time);
	*vec_push(&d->cpu.sample) = (struct chrome_sample){
		.time = time,
		.frame = frame,
		.place = place,
		.thread = thread,
		.lasts = lasts,
	};
}

static bool
chrome_sample_take(struct rows_json *r, void *none UNUSED, void *event)
{
	struct chrome *d = r->context;
	struct chrome_event *e = event;

	chrome_event_end(e);
	if (e->has_ts && e->has_sf)
		chrome_sample(d, chrome_thread(d), e->ts, e->sf, true);
	else
		builder_warn(d->b, "samples without a time or a stack, left out");
	return true;
}

const struct json_list chrome_samples_list = {
	.rows = chrome_event_rows, .begin = chrome_event_begin, .end = chrome_sample_take};

/* ---- written ---- */

ORDERED_BY_THREE(compare_samples, struct chrome_sample, thread, time, place)

static bool
samples_write(struct chrome *d, const metric_id metric[2], struct err *err)
{
	const struct chrome_sample *x = d->cpu.sample.at;
	size_t n = d->cpu.sample.n;
	struct series *s = NULL;
	bool good = true;

	vec_sort(&d->cpu.sample, compare_samples);
	for (size_t i = 0; i < n && good; i++) {
		track_id track = cast_made(&d->cast, x[i].thread);
		bool last = i + 1 == n || x[i + 1].thread != x[i].thread;
		if (!i || x[i - 1].thread != x[i].thread)
			s = builder_samples(d->b, track, metric, 2);
		good = chrome_sample_write(d, s, x[i].time,
				    x[i].lasts && !last ? x[i + 1].time - x[i].time : 0,
				    chrome_tree_stack(d, &d->cpu.frames, x[i].frame), err);
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
	vec_release(&t->node);
	idmap_release(&t->of);
}

void
chrome_cpu_release(struct chrome *d)
{
	for (size_t i = 0; i < d->cpu.profile.n; i++)
		tree_release(&d->cpu.profile.at[i].tree);
	tree_release(&d->cpu.frames);
	vec_release_all(&d->cpu.profile, &d->cpu.chunk, &d->cpu.raw, &d->cpu.ids, &d->cpu.deltas,
			&d->cpu.weights, &d->cpu.rests, &d->cpu.sample);
	idmap_release(&d->cpu.profile_of);
}

/* ---- the system ---- */

bool
chrome_system_read(struct chrome *d, bool cpu)
{
	struct err why = {0};

	if (!d->system.len)
		return false;
	if (cpu) {
		builder_info(d->b, "systemTraceEvents", "not shown beside CPU samples");
		return false;
	}
	struct input *in = input_open_bytes(d->system.at, d->system.len, "systemTraceEvents");
	if (!decoder_ftrace.decode(in, d->b, &why))
		builder_warn(d->b, "systemTraceEvents at byte %" PRIu64 ": %s", d->system_at,
			     why.text);
	input_close(in);
	return true;
}
