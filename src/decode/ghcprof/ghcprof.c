/* Profiles of GHC, the Haskell compiler (its users' guide, "Profiling"): the report .prof for
 * people, with `-P` exact and with `-p` in percent; the same as JSON, `-pj`; and what the heap
 * held over time, .hp.
 *
 * What is measured belongs to cost centres, and a cost centre in different places of the program
 * is different nodes of one tree: stacks are all there, and nothing has to be guessed. */
#include "src/decode/ghcprof/ghcprof.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/words.h"

static int
ghcprof_probe(struct head head)
{
	const char *next = NULL, *at, *end;

	if (head.json)
		return head_members(head, "rts_arguments total_ticks") ? 90 : 0;
	if (!head_line(head, &next, &at, &end))
		return 0;
	return begins_with(at, end, "JOB \"") ||
			       text_find(at, end, "Time and Allocation Profiling Report")
		       ? 100
		       : 0;
}

/* ---- what the notations share ---- */

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
	o->track = builder_track(o->b, "main", 4, TRACK_THREAD);
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

/* The line in `LINE:COL-COL` or `(LINE,COL)-(LINE,COL)`. */
static int64_t
line_of(const char *at, const char *end)
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
		f.line = (uint32_t)line_of(colon + 1, end);
	}
	return builder_frame(o->b, builder_function(o->b, f), line_unknown());
}

bool
ghc_node(struct ghc_out *o, stack_id stack, const int64_t *value, uint64_t offset)
{
	builder_track_event(o->b, o->track);
	return builder_total(o->b, o->series, stack, value, offset, o->e);
}

/* ---- which of them it is ---- */

static bool
ghcprof_decode(struct input *in, struct builder *b, struct err *e)
{
	struct ghc_out o = {.b = b, .e = e};
	char first = input_first(in);

	if (first == '{')
		return ghc_read_json(&o, in);
	if (input_need(in, 4) && !memcmp(input_at(in), "JOB ", 4))
		return ghc_read_heap(&o, in);
	return ghc_read_text(&o, in);
}

static bool
ghcprof_dump(struct input *in, struct dump *d, struct err *e)
{
	return input_first(in) == '{' ? json_dump(in, d, e) : lines_dump(in, d, e);
}

const struct decoder decoder_ghcprof = {
	.name = "ghcprof",
	.title = "GHC's profiles of Haskell: .prof, JSON (-pj), .hp",
	.manual = "ghcprof",
	.made_of = MADE_TEXT | MADE_JSON,
	.probe = ghcprof_probe,
	.decode = ghcprof_decode,
	.dump = ghcprof_dump,
};
