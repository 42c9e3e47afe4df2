/* The log that V8 writes with --prof (node --prof), and the output of node --prof-process
 * --preprocess for it.
 *
 * A tick lasts until the next one.  V8 writes the ticks of each thread separately, so they are
 * first sorted by time. */
#include "src/decode/v8log/v8log.h"

#include <stdlib.h>
#include <string.h>

#include "model/base/ordered.h"
#include "src/decode/common/words.h"
#include "src/decode/decoder.h"

/* ---- the probe ---- */

static int
v8log_probe(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	if (begins_with(at, end, "v8-version,") || begins_with(at, end, "code-creation,"))
		return 95;
	return (begins_with(at, end, "shared-library,") || head_has(head, "\nshared-library,")) &&
			       head_has(head, "\ncode-creation,")
		       ? 95
		       : 0;
}

/* ---- ticks ---- */

ORDERED_BY_TWO(v8log_by_time, struct v8_tick, time_ns, offset)

static bool
write_ticks(struct v8_out *o)
{
	metric_id metric[] = {builder_metric(o->b, "samples", UNIT_SAMPLES, ROLE_EVENTS),
			      builder_metric(o->b, "time", UNIT_NS, ROLE_VALUE)};
	track_id track = builder_main(o->b);
	struct series *series = builder_samples(o->b, track, metric, 2);

	builder_default_metric(o->b, metric[0]);
	builder_labelled(o->b, series);
	vec_sort(&o->tick, v8log_by_time);
	for (size_t i = 0; i < o->tick.n; i++) {
		const struct v8_tick *t = &o->tick.at[i];
		int64_t lasts = 0;
		if (i + 1 < o->tick.n &&
		    __builtin_sub_overflow(o->tick.at[i + 1].time_ns, t->time_ns, &lasts))
			return err_damage(o->e, t->offset, "times exceed 2^63");
		builder_next_labels(o->b, series, t->labels);
		if (!builder_sample(o->b, series, t->time_ns, t->stack, &lasts, t->offset, o->e))
			return false;
	}
	return true;
}

static bool
v8log_decode(struct input *in, struct builder *b, struct err *e)
{
	struct v8_out o = {.b = b, .e = e, .state_key = builder_name(b, "state", 5)};

	o.unknown = builder_frame(b, builder_function_unknown(b), line_unknown());
	bool good = input_first(in) == '{' ? v8_read_json(&o, in) : v8_read_raw(&o, in);
	good = write_ticks(&o) && good;
	vec_release_all(&o.tick, &o.frame);
	return good;
}

const struct decoder decoder_v8log = {
	.name = "v8log",
	.title = "V8's log (node --prof), raw or preprocessed",
	.made_of = MADE_TEXT | MADE_JSON,
	.members = "code/name code/type",
	.probe = v8log_probe,
	.decode = v8log_decode,
};
