/* Austin, a sampling profiler of Python: a sample is a process, a thread, a stack, and the time
 * since the previous sample or the memory allocated since then.  There are no absolute times:
 * each thread has its own clock, the sum of its samples' times from 0 on.  Without times the
 * axis is the number of the sample.
 *
 * In mode `full` a sample has both, and says whether the thread was idle; other times are
 * `cpu`. */
#include "src/decode/austin/austin.h"

#include <string.h>

#include "model/base/chars.h"
#include "src/decode/common/words.h"

/* ---- the probe ---- */

static bool
is_sample(const char *at, const char *end)
{
	const char *digits;

	if (end - at < 4 || *at != 'P')
		return false;
	for (digits = ++at; at < end && is_digit(*at); at++)
		;
	return at > digits && end - at > 2 && at[0] == ';' && at[1] == 'T';
}

static int
austin_probe(struct head head)
{
	const char *next = NULL, *at, *end;
	unsigned comments = 0;

	if (head.len >= 4 && !memcmp(head.at, "MOJ", 3) && head.at[3] >= 1 && head.at[3] < 0x40)
		return 100;
	for (unsigned i = 0; i < 256 && head_line(head, &next, &at, &end); i++) {
		if (begins_with(at, end, "# austin: ") || begins_with(at, end, "# mode: "))
			return 95;
		if (begins_with(at, end, "# "))
			comments++;
		else if (at < end)
			return is_sample(at, end) ? 80 + (comments ? 10 : 0) : 0;
	}
	return 0;
}

/* ---- the decoder ---- */

static bool
is_mojo(struct input *in)
{
	return input_need(in, 3) && !memcmp(input_at(in), "MOJ", 3);
}

static bool
austin_decode(struct input *in, struct builder *b, struct err *e)
{
	struct austin a = {.in = in, .b = b, .e = e, .cast = {.b = b, .lone = true}};
	bool good = is_mojo(in) ? austin_read_mojo(&a) : austin_read_text(&a);

	austin_declare(&a);
	builder_warn_count(b, a.unknown,
			   "reference to a missing frame or text: [unknown]",
			   "references to missing frames or texts: [unknown]");
	vec_release_all(&a.frame, &a.map, &a.track);
	cast_release(&a.cast);
	return good;
}

static bool
austin_dump(struct input *in, struct dump *d, struct err *e)
{
	return is_mojo(in) ? austin_dump_mojo(in, d, e) : lines_dump(in, d, e);
}

const struct decoder decoder_austin = {
	.name = "austin",
	.title = "Austin, of Python: its text and MOJO",
	.made_of = MADE_TEXT | MADE_BINARY,
	.probe = austin_probe,
	.decode = austin_decode,
	.dump = austin_dump,
};
