/* The log that V8 writes with --prof (node --prof), and what node --prof-process --preprocess
 * makes of it.
 *
 * A tick is a moment: it lasts to the next one.  V8 writes ticks a thread at a time, so they are
 * put in order of time first. */
#include "src/decode/v8log/v8log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/javascript.h"
#include "src/decode/common/json_dump.h"
#include "src/decode/common/words.h"
#include "src/decode/decoder.h"

/* ---- telling the format ---- */

static int
v8log_probe(struct head head)
{
	const char *at = (const char *)head.at, *end = at + head.len;

	if (head.json)
		return head_members(head, "code/name code/type") ? 90 : 0;
	if (begins_with(at, end, "v8-version,"))
		return 95;
	return (begins_with(at, end, "shared-library,") || head_has(head, "\nshared-library,")) &&
			       head_has(head, "\ncode-creation,")
		       ? 95
		       : 0;
}

/* ---- frames ---- */

/* `:NUMBER` at the end, which is cut off. */
static bool
number_off(const char *at, const char **end, int64_t *out)
{
	const char *digits = *end;

	while (digits > at && is_digit(digits[-1]))
		digits--;
	if (digits == *end || digits - at < 2 || digits[-1] != ':' ||
	    !number_parse(digits, *end, out))
		return false;
	*end = digits - 1;
	return true;
}

/* A path from the root, or a URL. */
static bool
is_place(const char *at, const char *end)
{
	const char *c = at;

	if (at < end && *at == '/')
		return true;
	while (c < end && ((*c | 32) >= 'a' && (*c | 32) <= 'z'))
		c++;
	return c > at && c < end && *c == ':';
}

/* Where the file begins: names of functions (`get size`) and paths may have blanks. */
static const char *
file_of(const char *at, const char *end)
{
	const char *last = at;

	for (const char *c = at; c < end; c++) {
		if (*c != ' ')
			continue;
		if (is_place(c + 1, end))
			return c + 1;
		last = c + 1;
	}
	return last;
}

frame_id
v8_frame(struct v8_out *o, name_id name, bool javascript)
{
	struct name text = builder_name_get(o->b, name);
	const char *at = text.at, *end = at + text.len;
	struct function f = {.name = name, .kind = KIND_SYSTEM};
	int64_t line, column;

	if (javascript)
		f.kind = KIND_USER;
	if (javascript && text.len && number_off(at, &end, &column) &&
	    number_off(at, &end, &line)) {
		const char *file = file_of(at, end), *name_end = file > at ? file - 1 : at;
		f.file = builder_name(o->b, file, (size_t)(end - file));
		f.line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
		f.name = name_end > at ? builder_name(o->b, at, (size_t)(name_end - at))
				       : js_anonymous(o->b, f.file, line, column);
	}
	if (f.name == NAME_EMPTY)
		return o->unknown;
	return builder_frame(o->b, builder_function(o->b, f), line_unknown());
}

/* ---- ticks ---- */

/* Further states have had different numbers in time. */
static const char *const states[] = {"JS",	 "GC",	  "PARSER",  "BYTECODE_COMPILER",
				     "COMPILER", "OTHER", "EXTERNAL"};

static labels_id
labels_of(struct v8_out *o, int64_t state)
{
	label_id label;

	if (state < 0)
		return LABELS_NONE;
	if (state < (int64_t)(sizeof states / sizeof *states)) {
		const char *word = states[state];
		label = builder_label_text(o->b, o->state_key,
					   builder_name(o->b, word, strlen(word)));
	} else {
		label = builder_label_number(o->b, o->state_key, state, NAME_EMPTY);
	}
	return builder_labels(o->b, &label, 1);
}

void
v8_tick_add(struct v8_out *o, int64_t time_ns, int64_t vm_state, uint64_t offset)
{
	*vec_push(&o->tick) = (struct v8_tick){
		.time_ns = time_ns,
		.offset = offset,
		.stack = o->frame.n ? builder_stack_leaf_first(o->b, o->frame.at, o->frame.n)
				    : builder_stack_missing(o->b, 1),
		.labels = labels_of(o, vm_state),
	};
}

static int
by_time(const void *a, const void *b)
{
	const struct v8_tick *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static bool
write_ticks(struct v8_out *o)
{
	metric_id metric[] = {builder_metric(o->b, "samples", UNIT_SAMPLES, ROLE_EVENTS),
			      builder_metric(o->b, "time", UNIT_NS, ROLE_VALUE)};
	track_id track = builder_track(o->b, "main", 4, TRACK_THREAD);
	struct series *series = builder_samples(o->b, track, metric, 2);

	builder_default_metric(o->b, metric[0]);
	builder_labelled(o->b, series);
	if (o->tick.n)
		qsort(o->tick.at, o->tick.n, sizeof *o->tick.at, by_time);
	for (size_t i = 0; i < o->tick.n; i++) {
		const struct v8_tick *t = &o->tick.at[i];
		int64_t lasts = 0;
		if (i + 1 < o->tick.n &&
		    __builtin_sub_overflow(o->tick.at[i + 1].time_ns, t->time_ns, &lasts))
			return err_damage(o->e, t->offset, "times pass 2^63");
		builder_track_event(o->b, track);
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
	struct err none;

	o.unknown = builder_frame(b, builder_function_unknown(b), line_unknown());
	bool good = input_first(in) == '{' ? v8_read_json(&o, in) : v8_read_raw(&o, in);
	err_init(&none);
	o.e = good ? e : &none; /* what stands before damage is shown */
	good = write_ticks(&o) && good;
	vec_release(&o.tick);
	vec_release(&o.frame);
	return good;
}

static bool
v8log_dump(struct input *in, struct dump *d, struct err *e)
{
	return input_first(in) == '{' ? json_dump(in, d, e) : lines_dump(in, d, e);
}

const struct decoder decoder_v8log = {
	.name = "v8log",
	.title = "V8's log (node --prof), raw or preprocessed",
	.manual = "v8log",
	.made_of = MADE_TEXT | MADE_JSON,
	.probe = v8log_probe,
	.decode = v8log_decode,
	.dump = v8log_dump,
};
