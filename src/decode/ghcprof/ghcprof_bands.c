/* Heap profiles of all notations. */
#include <inttypes.h>
#include <string.h>

#include "src/decode/common/words.h"
#include "src/decode/ghcprof/ghcprof.h"

void
ghc_bands_begin(struct ghc_bands *g, struct ghc_out *o)
{
	*g = (struct ghc_bands){
		.o = o,
		.peak = builder_metric(o->b, "peak", UNIT_BYTES, ROLE_VALUE),
		.live = builder_metric(o->b, "live", UNIT_BYTES, ROLE_VALUE),
	};
	g->samples = builder_samples(o->b, o->track, &g->live, 1);
	builder_derived(g->samples);
}

stack_id
ghc_band_stack(struct ghc_out *o, const char *at, const char *end)
{
	const char *close = begins_with(at, end, "(") ? memchr(at, ')', (size_t)(end - at)) : NULL;

	at = close ? close + 1 : at;
	for (;;) {
		const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
		const char *stop = slash ? slash : end;
		size_t len = stop > at ? (size_t)(stop - at) : 1;
		frame_id frame = ghc_frame(o, stop > at ? at : "?", len, "", 0, "", 0);
		builder_next_frame(o->b, frame);
		if (!slash)
			break;
		at = slash + 1;
	}
	return builder_next_leaf_first(o->b);
}

void
ghc_bands_sample(struct ghc_bands *g, int64_t time_ns, uint64_t offset)
{
	g->inside = true;
	g->begun = offset;
	g->total = 0;
	g->time_ns = time_ns;
}

bool
ghc_band_add(struct ghc_bands *g, stack_id stack, int64_t bytes, uint64_t offset)
{
	uint32_t i;

	if (idmap_add(&g->band_of, stack, g->band.n, &i))
		*vec_push(&g->band) = (struct ghc_band){.stack = stack};
	if (__builtin_add_overflow(g->total, bytes, &g->total))
		return err_damage(g->o->e, offset, "the sum of the values exceeds 2^63");
	g->band.at[i].now += bytes; /* below the total */
	builder_track_event(g->o->b, g->o->track);
	return true;
}

bool
ghc_bands_sample_end(struct ghc_bands *g)
{
	bool is_peak = !g->any || g->total > g->most, good = true;

	g->inside = false;
	g->any = true;
	g->count++;
	builder_track_end(g->o->b, g->o->track, g->time_ns);
	if (is_peak)
		g->most = g->total;
	for (size_t i = 0; i < g->band.n && good; i++) {
		struct ghc_band *x = &g->band.at[i];
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

bool
ghc_bands_end(struct ghc_bands *g)
{
	struct series *totals = builder_totals(g->o->b, g->o->track, &g->peak, 1);
	bool good = true;

	for (size_t i = 0; i < g->band.n && good; i++) {
		const struct ghc_band *x = &g->band.at[i];
		if (x->at_peak)
			good = builder_total(g->o->b, totals, x->stack, &x->at_peak, g->begun,
					     g->o->e);
	}
	builder_info(g->o->b, "samples", "%" PRIu64, g->count);
	vec_release(&g->band);
	idmap_release(&g->band_of);
	return good;
}
