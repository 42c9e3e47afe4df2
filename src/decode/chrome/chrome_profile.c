#include "src/decode/chrome/chrome_inside.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/base/ordered.h"

/* The samples of V8's profiles.  In V8's profiles a sample lasts until the next one.  Files
 * that pnav wrote also have a weight for each sample, in the metric of the exported profile:
 *
 *	{"ph":"P","name":"Profile","id":"0x1","ts":1000,"args":{"data":{"startTime":1000,
 *	  "pnav_metric":"cpu-clock","pnav_unit":"ns","pnav_shown":true}}}
 *	{"ph":"P","name":"ProfileChunk","id":"0x1","ts":2000,"args":{"data":{
 *	  "cpuProfile":{"nodes":[...],"samples":[3,2]},"timeDeltas":[0,1000],
 *	  "pnav_weights":[1000000,null],"pnav_ns":[250,0]}}}
 *
 * An entry with the weight null is not a sample: it ends the one before it, for readers that
 * count time. */

#define NS_MAX 1000000000

struct timed {
	int64_t time, id;
	int64_t weight;
	uint64_t place;
};

/* ---- as it is read ---- */

void
chrome_profile_drop(struct chrome *d)
{
	d->cpu.ids.n = d->e.chunk.sample;
	d->cpu.deltas.n = d->e.chunk.delta;
	d->cpu.weights.n = d->e.chunk.own.weight;
	d->cpu.rests.n = d->e.chunk.own.rest;
}

/* ---- as it is written ---- */

ORDERED_BY_TWO(compare_timed, struct timed, time, place)

ORDERED_BY_THREE(compare_chunks, struct chrome_chunk, profile, time, place)

/* Adds sample k of a chunk, at `time` in whole microseconds. */
static void
chrome_take(struct chrome *d, const struct chrome_chunk *c, size_t k, int64_t time,
	    struct timed *out)
{
	const struct chrome_own *own = &c->own;

	int64_t rest = k < own->n_rests ? d->cpu.rests.at[own->rest + k] : 0;
	out->time = time + (rest > -NS_MAX && rest < NS_MAX ? rest : 0);
	out->id = d->cpu.ids.at[c->sample + k];
	out->weight = k < own->n_weights ? d->cpu.weights.at[own->weight + k] : 0;
}

/* Collects the samples of a profile's chunks, in the order of their times. */
static struct timed *
profile_samples(struct chrome *d, const struct chrome_chunk *c, size_t n, int64_t start,
		size_t *n_out)
{
	struct timed *out = NULL;
	size_t n_all = 0;
	int64_t time = start;

	for (size_t i = 0; i < n; i++)
		n_all += c[i].n_samples;
	*n_out = 0;
	if (n_all)
		out = mem_alloc(n_all, sizeof *out);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < c[i].n_samples; k++) {
			int64_t delta = k < c[i].n_deltas ? d->cpu.deltas.at[c[i].delta + k] : 0;
			if (time + delta > CHROME_TIME_MAX || time + delta < -CHROME_TIME_MAX) {
				builder_warn(d->b, "time deltas that lead out of range");
				delta = 0;
			}
			time += delta;
			chrome_take(d, &c[i], k, time, &out[*n_out]);
			out[*n_out].place = *n_out;
			(*n_out)++;
		}
	sort_rows(out, *n_out, sizeof *out, compare_timed);
	return out;
}

/* If the file also has slices, these names mean the metrics of slices. */
static metric_id
own_metric(struct chrome *d, const struct chrome_chunk *c, struct err *err)
{
	static const char *const taken[] = {"time", "async", "calls"};
	struct name name = builder_name_get(d->b, c->own.metric);
	struct buf text = BUF_INIT;
	bool slices = cast_slices(&d->cast) || cast_asyncs(&d->cast);

	buf_adds(&text, name.len ? name.at : "weight");
	for (size_t i = 0; i < sizeof taken / sizeof *taken && slices; i++)
		if (!strcmp(buf_str(&text), taken[i])) {
			buf_adds(&text, " of samples");
			break;
		}
	metric_id m = builder_metric(d->b, buf_str(&text), (enum unit)c->own.unit, ROLE_VALUE);
	buf_release(&text);
	if (c->own.decimals && !builder_metric_decimals(d->b, m, 0, err))
		return METRIC_NONE;
	return m;
}

/* Writes the samples of a file of pnav, with their weights, to the tracks that they came from. */
static bool
own_write(struct chrome *d, const struct chrome_chunk *first, const struct timed *x, size_t n,
	  struct err *err)
{
	struct chrome_tree *tree = &d->cpu.profile.at[first->profile].tree;
	metric_id m = own_metric(d, first, err);
	bool good = m != METRIC_NONE;

	if (!good)
		return false;
	if (d->cpu.own_first && (first->own.shown || !d->cpu.own_chosen))
		builder_default_metric(d->b, m);
	d->cpu.own_chosen = true;
	track_id track = cast_made(&d->cast, first->thread);
	struct series *s = builder_samples(d->b, track, &m, 1);
	for (size_t i = 0; i < n && good; i++) {
		if (x[i].weight == CHROME_NO_WEIGHT)
			continue;
		good = builder_sample(d->b, s, x[i].time, chrome_tree_stack(d, tree, x[i].id),
				      &x[i].weight, 0, err);
	}
	return good;
}

/* In the metric `cpu`, samples of `(idle)` are 0. */
static bool
v8_write(struct chrome *d, const struct chrome_chunk *first, const struct timed *x, size_t n,
	 int64_t end, const metric_id metric[2], struct err *err)
{
	struct chrome_tree *tree = &d->cpu.profile.at[first->profile].tree;
	struct cast_track beside = {.process = d->cast.track.at[first->thread].process,
				    .thread = first->thread,
				    .name = builder_name(d->b, "(profile)", 9),
				    .kind = TRACK_THREAD};
	track_id track = cast_made(&d->cast, cast_add(&d->cast, beside));
	struct series *s = builder_samples(d->b, track, metric, 2);
	bool good = true;

	end = end > x[n - 1].time ? end : x[n - 1].time;
	for (size_t i = 0; i < n && good; i++) {
		int64_t lasts = (i + 1 < n ? x[i + 1].time : end) - x[i].time;
		if (chrome_tree_is_idle(tree, x[i].id)) {
			d->cpu.idle_samples++;
			d->cpu.idle_ns += (uint64_t)lasts;
			lasts = 0;
		}
		good = chrome_sample_write(d, s, x[i].time, lasts,
					   chrome_tree_stack(d, tree, x[i].id), err);
	}
	builder_track_end(d->b, track, end);
	return good;
}

/* Returns the end that a chunk states, on the clock of its profile, which starts at `start`, or
 * CHROME_NO_TIME. Rspack copies a whole profile of V8 into a chunk: both ends of such a chunk are
 * on V8's own clock. */
static int64_t
stated_end(const struct chrome_chunk *c, int64_t start)
{
	if (c->opens || c->start == CHROME_NO_TIME || c->end == CHROME_NO_TIME)
		return c->end;
	return start + (c->end - c->start);
}

static bool
profile_write(struct chrome *d, const struct chrome_chunk *c, size_t n,
	      const metric_id metric[2], struct err *err)
{
	const struct chrome_chunk *first = &c[0];
	int64_t end = CHROME_NO_TIME, start;
	size_t n_samples;
	bool good = true, own = false;

	for (size_t i = n; i--;) {
		first = c[i].opens ? &c[i] : first;
		own |= c[i].own.n_weights > 0;
	}
	start = first->start != CHROME_NO_TIME ? first->start : first->time;
	for (size_t i = 0; i < n; i++) {
		int64_t stated = stated_end(&c[i], start);
		end = end > stated ? end : stated;
	}
	struct timed *x = profile_samples(d, c, n, start, &n_samples);
	if (n_samples)
		good = own ? own_write(d, first, x, n_samples, err)
			   : v8_write(d, first, x, n_samples, end, metric, err);
	free(x);
	return good;
}

bool
chrome_profiles_write(struct chrome *d, const metric_id metric[2], struct err *err)
{
	const struct chrome_chunk *c = d->cpu.chunk.at;
	size_t n = d->cpu.chunk.n;
	bool good = true;

	vec_sort(&d->cpu.chunk, compare_chunks);
	for (size_t i = 0, end; i < n && good; i = end) {
		for (end = i + 1; end < n && c[end].profile == c[i].profile; end++)
			continue;
		good = profile_write(d, c + i, end - i, metric, err);
	}
	return good;
}
