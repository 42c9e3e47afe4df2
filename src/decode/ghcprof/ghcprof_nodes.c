/* Cost centres and nodes, of all notations. */
#include "src/decode/ghcprof/ghcprof.h"

#include "model/base/chars.h"
#include "src/decode/common/words.h"

void
ghc_begin(struct ghc_out *o)
{
	metric_id metric[GHC_METRICS] = {
		builder_metric(o->b, "time", UNIT_NS, ROLE_VALUE),
		builder_metric(o->b, "alloc", UNIT_BYTES, ROLE_VALUE),
		builder_metric(o->b, "calls", UNIT_CALLS, ROLE_VALUE),
	};

	builder_calls_metric(o->b, metric[GHC_CALLS]);
	builder_default_metric(o->b, metric[GHC_TIME]);
	o->track = builder_main(o->b);
	o->series = builder_totals(o->b, o->track, metric, GHC_METRICS);
}

static bool
is_system(const char *at, size_t len)
{
	static const char *const names[] = {"CAF", "GC", "IDLE", "SYSTEM", "OVERHEAD_of",
					    "DONT_CARE", "PINNED"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is_key(at, len, names[i]))
			return true;
	return false;
}

/* Returns the line in `LINE:COL-COL` or `(LINE,COL)-(LINE,COL)`. */
static int64_t
ghcprof_line_of(const char *at, const char *end)
{
	const char *stop;
	int64_t line;

	at += at < end && *at == '(';
	for (stop = at; stop < end && is_digit(*stop); stop++)
		;
	return number_parse(at, stop, &line) && line < UINT32_MAX ? line : 0;
}

frame_id
ghc_frame(struct ghc_out *o, const char *label, size_t label_len, const char *module,
	  size_t module_len, const char *place, size_t place_len)
{
	const char *end = place + place_len;
	const char *colon = place_len && *place != '<' ? memchr(place, ':', place_len) : NULL;
	struct function f = {
		.name = builder_name(o->b, label, label_len),
		.module = builder_name(o->b, module, module_len),
		.kind = (uint8_t)(is_system(label, label_len) ? KIND_SYSTEM
							      : kind_of_name(label, label_len)),
	};

	if (colon) {
		f.file = builder_name(o->b, place, (size_t)(colon - place));
		f.line = (uint32_t)ghcprof_line_of(colon + 1, end);
	}
	return builder_frame_of(o->b, f, 0);
}

bool
ghc_node(struct ghc_out *o, stack_id stack, const int64_t *value, uint64_t offset)
{
	builder_track_event(o->b, o->track);
	return builder_total(o->b, o->series, stack, value, offset, o->e);
}
