/* pprof: profiles in the format of google/pprof and Go's tools (profile.proto).
 *
 * The message has no magic. Its fields identify it: only those of the message `Profile`, each with
 * its type in the schema, including those that every profile has.
 *
 * pprof still reads older forms: binary words of gperftools (pprof_cpu.c), and texts
 * (pprof_text.c). */

#include <string.h>

#include "src/decode/common/proto_dump.h"
#include "src/decode/common/words.h"
#include "src/decode/pprof/pprof_old.h"
#include "src/decode/pprof/pprof_samples.h"
#include "src/input/proto.h"

enum { SURE = 85 };

/* ---- the probe ---- */

#define STRINGS_MAX (1u << 26) /* more than any profile has */

/* A type and a unit, each the index of a string. */
static bool
is_type(const struct proto_field *f)
{
	struct proto p = proto_inside(f);
	struct proto_field in;
	unsigned n = 0;

	while (proto_next(&p, &in))
		if (in.number > 2 || in.type != PROTO_VARINT || in.value >= STRINGS_MAX ||
		    ++n > 2)
			return false;
	return !p.c.bad;
}

/* Returns true if the field belongs to a profile, with the type of the schema.  *malformed
 * counts nested messages that are malformed, which damage causes. */
static bool
fits(const struct proto_field *f, unsigned *malformed)
{
	struct proto p;
	struct proto_field in;

	if (f->number > PPROF_DOC)
		return false;
	if (f->number >= PPROF_DROP_FRAMES && f->number != PPROF_PERIOD_TYPE)
		return f->type == PROTO_VARINT ||
		       (f->number == PPROF_COMMENT && f->type == PROTO_BYTES);
	if (f->type != PROTO_BYTES)
		return false;
	if (f->number == PPROF_SAMPLE_TYPE || f->number == PPROF_PERIOD_TYPE)
		return is_type(f);
	if (f->number == PPROF_STRING)
		return true;
	for (p = proto_inside(f); proto_next(&p, &in);)
		; /* later versions may have more fields */
	*malformed += p.c.bad;
	return true;
}

static int
message_probe(struct head head)
{
	struct proto p = proto_over(head.at, head.len);
	struct proto_field f;
	unsigned seen = 0, n = 0, malformed = 0;

	while (proto_next(&p, &f)) {
		if (!fits(&f, &malformed))
			return 0;
		seen |= 1u << f.number;
		n++;
	}
	if (malformed * 4 > n)
		return 0;
	if (p.c.bad && (!p.c.torn || p.c.at == p.c.start))
		return 0;
	bool tables = seen & (1u << PPROF_SAMPLE | 1u << PPROF_MAPPING | 1u << PPROF_LOCATION |
			      1u << PPROF_FUNCTION | 1u << PPROF_STRING);
	return seen & 1u << PPROF_SAMPLE_TYPE && tables ? SURE : 0;
}

static int
pprof_probe(struct head head)
{
	int sure = pprof_cpu_probe(head);

	sure = sure ? sure : pprof_text_probe(head);
	sure = sure ? sure : message_probe(head);
	return !sure && head_drop_zeros(&head) ? message_probe(head) : sure;
}

/* ---- decoding ---- */

enum form { FORM_MESSAGE, FORM_WORDS, FORM_TEXT };

static enum form
pprof_form_of(struct input *in)
{
	input_need(in, PROBE_BYTES + 1);
	struct head head = head_plain(input_at(in), input_have(in), "");

	return pprof_cpu_probe(head)    ? FORM_WORDS
	       : pprof_text_probe(head) ? FORM_TEXT
					: FORM_MESSAGE;
}

static bool
message_decode(struct input *in, struct builder *b, struct err *e)
{
	struct pprof_tables tables;
	struct err later = {0};

	input_keep(in);
	input_passes(in, 2);
	pprof_tables_init(&tables, in, b);
	pprof_tables_read(&tables, in, e);
	pprof_samples_read(&tables, in, &later);
	pprof_tables_info(&tables);
	builder_info(b, "assumed", "the program that wrote the file has applied drop and keep "
				   "frames");
	pprof_tables_release(&tables);
	if (err_is_set(&later) && (!err_is_set(e) || later.offset < e->offset))
		*e = later;
	return !err_is_set(e);
}

static bool
pprof_decode(struct input *in, struct builder *b, struct err *e)
{
	switch (pprof_form_of(in)) {
	case FORM_WORDS:
		return pprof_cpu_decode(in, b, e);
	case FORM_TEXT:
		return pprof_text_decode(in, b, e);
	case FORM_MESSAGE:
		break;
	}
	return message_decode(in, b, e);
}

static bool
pprof_dump(struct input *in, struct dump *d, struct err *e)
{
	switch (pprof_form_of(in)) {
	case FORM_WORDS:
		return pprof_cpu_dump(in, d, e);
	case FORM_TEXT:
		return lines_dump(in, d, e);
	case FORM_MESSAGE:
		break;
	}
	return proto_dump_input(in, d, &pprof_profile_table, e);
}

const struct decoder decoder_pprof = {
	.name = "pprof",
	.title = "pprof: profiles of Go, gperftools, and what else google/pprof reads",
	.made_of = MADE_BINARY | MADE_TEXT,
	.mangled = true,
	.probe = pprof_probe,
	.decode = pprof_decode,
	.dump = pprof_dump,
};
