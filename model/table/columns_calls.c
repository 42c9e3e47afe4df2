#include "model/table/columns_inside.h"

#include <inttypes.h>
#include <string.h>

#include "model/calls/calllist.h"
#include "model/profile/human.h"
#include "model/table/instruction.h"

/* What a table says of calls, one by one (calllist.h), and of instructions. */

/* Some steps carry a value each. */
bool
has_values(const struct look *l)
{
	for (track_id t = 0; t < l->p->n_tracks; t++)
		for (uint32_t i = 0; i < l->p->track[t].n_series; i++)
			if (l->p->track[t].series[i]->valued)
				return true;
	return false;
}

/* ---- calls, one by one ---- */

#define ONE(name, gives)                                                                   \
	struct value one_##name##_number(const struct look *l, const struct row *r)       \
	{                                                                                  \
		(void)l;                                                                   \
		return gives;                                                              \
	}
ONE(start, whole(r->of.one->start))
ONE(duration, whole(r->of.one->duration))
ONE(self, whole(r->of.one->self))
ONE(value, r->of.one->stack & CALL_VALUED ? whole(r->of.one->value) : none())
#undef ONE

/* What a program gave to the call is an id or an address more often than an amount. */
void
one_value_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	if (r->of.one->stack & CALL_VALUED)
		buf_addf(out, "0x%" PRIx64, (uint64_t)r->of.one->value);
}

void
labels_text(const struct look *l, const struct row *r, struct buf *out)
{
	profile_write_labels(l->p, r->of.one->labels, l->programs, out);
}

void
caller_text(const struct look *l, const struct row *r, struct buf *out)
{
	key_id key = call_caller(l->tree, r->of.one);

	if (key != KEY_NONE)
		show_name(l, projection_key_name(l->tree, l->p, key), out);
}

void
cut_text(const struct look *l, const struct row *r, struct buf *out)
{
	uint32_t cut = r->of.one->stack & (CALL_CUT_BEGIN | CALL_CUT_END);

	(void)l;
	if (cut)
		buf_adds(out, cut == CALL_CUT_BEGIN ? "begin"
			      : cut == CALL_CUT_END ? "end"
						    : "both");
}

/* ---- instructions ---- */

/* Of files of this machine: not the profile's names. */
static void
foreign_text(const struct look *l, const char *text, struct buf *out)
{
	if (text)
		(l->programs ? human_bytes : human_shown)(out, text, strlen(text), false);
}

void
instruction_text(const struct look *l, const struct row *r, struct buf *out)
{
	foreign_text(l, r->of.instruction->text, out);
}

void
instruction_file_text(const struct look *l, const struct row *r, struct buf *out)
{
	foreign_text(l, r->of.instruction->file, out);
}

void
instruction_address_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	buf_addf(out, "0x%" PRIx64, r->of.instruction->address);
}

/* The lowest first. */
struct value
instruction_address_number(const struct look *l, const struct row *r)
{
	(void)l;
	return whole(~(int64_t)(r->of.instruction->address ^ UINT64_C(1) << 63));
}

struct value
instruction_line_number(const struct look *l, const struct row *r)
{
	(void)l;
	return r->of.instruction->line ? whole(r->of.instruction->line) : none();
}
