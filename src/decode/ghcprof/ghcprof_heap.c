#include "src/decode/ghcprof/ghcprof.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/vec.h"
#include "src/decode/common/idmap.h"
#include "src/decode/common/odd_lines.h"
#include "src/decode/common/words.h"
#include "src/input/decimal.h"

/* .hp: the live memory at moments of the run.
 *
 *	JOB "shop +RTS -hc"
 *	SAMPLE_UNIT "seconds"
 *	VALUE_UNIT "bytes"
 *	BEGIN_SAMPLE 0.016420
 *	(303)load/main/Main.CAF	27528
 *	END_SAMPLE 0.016420
 *
 * A name is a stack, leaf first, after a number; GHC truncates long ones (`ma...`). The changes
 * since the previous sample are written when a sample is complete; the sample with the highest sum
 * is `peak`. */

struct heap_band {
	stack_id stack;
	int64_t before, now, at_peak;
};

struct ghc_heap {
	struct ghc_out *o;
	metric_id live, peak;
	struct series *samples;
	VEC(struct heap_band) band;
	struct idmap band_of; /* stack -> index */
	int64_t time_ns, total, most;
	bool inside, any;
	bool lost; /* the lines belong to a sample without a time */
	uint64_t offset, begun, count;
};

static stack_id
ghcprof_stack_of(struct ghc_heap *g, const char *at, const char *end)
{
	const char *close = begins_with(at, end, "(") ? memchr(at, ')', (size_t)(end - at)) : NULL;

	at = close ? close + 1 : at;
	for (;;) {
		const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
		const char *stop = slash ? slash : end;
		size_t len = stop > at ? (size_t)(stop - at) : 1;
		frame_id frame = ghc_frame(g->o, stop > at ? at : "?", len, "", 0, "", 0);
		builder_next_frame(g->o->b, frame);
		if (!slash)
			break;
		at = slash + 1;
	}
	return builder_next_leaf_first(g->o->b);
}

static bool
band_line(struct ghc_heap *g, const char *at, const char *end)
{
	const char *tab = end;
	int64_t bytes;

	while (tab > at && tab[-1] != '\t')
		tab--;
	if (tab == at || !decimal_scaled(tab, (size_t)(end - tab), 0, &bytes) || bytes < 0)
		return false;
	stack_id stack = ghcprof_stack_of(g, at, tab - 1);
	uint32_t i;
	if (idmap_add(&g->band_of, stack, g->band.n, &i))
		*vec_push(&g->band) = (struct heap_band){.stack = stack};
	if (__builtin_add_overflow(g->total, bytes, &g->total))
		return err_damage(g->o->e, g->offset, "the sum of the values exceeds 2^63");
	g->band.at[i].now += bytes; /* below the total */
	builder_track_event(g->o->b, g->o->track);
	return true;
}

static bool
sample_end(struct ghc_heap *g)
{
	bool is_peak = !g->any || g->total > g->most, good = true;

	g->inside = false;
	g->any = true;
	g->count++;
	builder_track_end(g->o->b, g->o->track, g->time_ns);
	if (is_peak)
		g->most = g->total;
	for (size_t i = 0; i < g->band.n && good; i++) {
		struct heap_band *x = &g->band.at[i];
		int64_t change = x->now - x->before;
		if (change)
			good = builder_sample(g->o->b, g->samples, g->time_ns, x->stack, &change,
					      g->begun, g->o->e);
		if (is_peak)
			x->at_peak = x->now;
		x->before = x->now;
		x->now = 0;
	}
	return good;
}

/* Begins a sample and ends the previous one if its END_SAMPLE is missing.  A sample without a
 * time is ignored, with its lines. */
static bool
sample_begin(struct ghc_heap *g, const char *at, const char *end)
{
	int64_t ns;

	if (g->inside && !sample_end(g))
		return false;
	g->lost = !decimal_scaled(at, (size_t)(end - at), 9, &ns);
	if (g->lost)
		return false;
	g->inside = true;
	g->begun = g->offset;
	g->total = 0;
	g->time_ns = ns;
	return true;
}

/* Returns false for a line that is not of the format, without damage in *g->o->e. */
static bool
ghcprof_heap_line(void *state, const char *at, const char *end)
{
	struct ghc_heap *g = state;

	if (at == end)
		return true;
	if (begins_with(at, end, "BEGIN_SAMPLE "))
		return sample_begin(g, at + 13, end);
	if (begins_with(at, end, "END_SAMPLE ")) {
		g->lost = false;
		return g->inside && sample_end(g);
	}
	if (g->lost)
		return false;
	if (g->inside)
		return band_line(g, at, end);
	if (begins_with(at, end, "JOB "))
		builder_info_bytes(g->o->b, "job", at + 4, (size_t)(end - at) - 4);
	return true; /* MARK, DATE, units */
}

static bool
write_peak(struct ghc_heap *g)
{
	struct series *totals = builder_totals(g->o->b, g->o->track, &g->peak, 1);

	for (size_t i = 0; i < g->band.n; i++) {
		const struct heap_band *x = &g->band.at[i];
		if (x->at_peak &&
		    !builder_total(g->o->b, totals, x->stack, &x->at_peak, g->begun, g->o->e))
			return false;
	}
	return true;
}

bool
ghc_read_heap(struct ghc_out *o, struct input *in)
{
	struct ghc_heap g = {.o = o};
	struct err *e = o->e;

	g.peak = builder_metric(o->b, "peak", UNIT_BYTES, ROLE_VALUE);
	g.live = builder_metric(o->b, "live", UNIT_BYTES, ROLE_VALUE);
	builder_default_metric(o->b, g.peak);
	o->track = builder_main(o->b);
	g.samples = builder_samples(o->b, o->track, &g.live, 1);
	builder_derived(g.samples);
	bool good = text_lines(in, o->b, e, &g.offset, ghcprof_heap_line, &g);
	if (good && g.inside && !input_stopped(in))
		good = err_damage(e, g.begun, "an incomplete sample");
	good = write_peak(&g) && good;
	builder_info(o->b, "samples", "%" PRIu64, g.count);
	vec_release(&g.band);
	idmap_release(&g.band_of);
	return good;
}
