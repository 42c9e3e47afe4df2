#include "src/decode/ghcprof/ghcprof.h"

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
 * A name is a stack, leaf first, after a number; GHC truncates long ones (`ma...`). */

struct ghc_heap {
	struct ghc_bands bands;
	bool lost; /* the lines belong to a sample without a time */
	uint64_t offset;
};

static bool
band_line(struct ghc_heap *g, const char *at, const char *end)
{
	const char *tab = end;
	int64_t bytes;

	while (tab > at && tab[-1] != '\t')
		tab--;
	if (tab == at || !decimal_scaled(tab, (size_t)(end - tab), 0, &bytes) || bytes < 0)
		return false;
	return ghc_band_add(&g->bands, ghc_band_stack(g->bands.o, at, tab - 1), bytes, g->offset);
}

/* Begins a sample and ends the previous one if its END_SAMPLE is missing.  A sample without a
 * time is ignored, with its lines. */
static bool
sample_begin(struct ghc_heap *g, const char *at, const char *end)
{
	int64_t ns;

	if (g->bands.inside && !ghc_bands_sample_end(&g->bands))
		return false;
	g->lost = !decimal_scaled(at, (size_t)(end - at), 9, &ns);
	if (g->lost)
		return false;
	ghc_bands_sample(&g->bands, ns, g->offset);
	return true;
}

/* A sample ends with its time. */
static enum last_line
ghcprof_heap_last_line(const char *at, const char *end)
{
	return begins_with(at, end, "END_SAMPLE ") ? last_line_number(at, end)
						    : last_line_open(at, end);
}

/* Returns false for a line that is not of the format, without damage in *g->bands.o->e. */
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
		return g->bands.inside && ghc_bands_sample_end(&g->bands);
	}
	if (g->lost)
		return false;
	if (g->bands.inside)
		return band_line(g, at, end);
	if (begins_with(at, end, "JOB "))
		builder_info_bytes(g->bands.o->b, "job", at + 4, (size_t)(end - at) - 4);
	return true; /* MARK, DATE, units */
}

bool
ghc_read_heap(struct ghc_out *o, struct input *in)
{
	struct ghc_heap g = {0};
	struct err *e = o->e;

	o->track = builder_main(o->b);
	ghc_bands_begin(&g.bands, o);
	builder_default_metric(o->b, g.bands.peak);
	bool good = text_lines(in, o->b, e, &g.offset, ghcprof_heap_last_line, ghcprof_heap_line,
			       &g);
	if (good && g.bands.inside && !input_stopped(in))
		good = err_damage(e, g.bands.begun, "an incomplete sample");
	return ghc_bands_end(&g.bands) && good;
}
