#include "model/table/columns_inside.h"

#include <inttypes.h>
#include <string.h>

#include "model/base/escape.h"
#include "model/calls/calllist.h"
#include "model/table/instruction.h"

/* The columns of single calls (calllist.h), and of instructions. */

/* Returns true if some steps have values. */
bool
has_values(const struct look *l)
{
	for (track_id t = 0; t < l->p->n_tracks; t++)
		for (uint32_t i = 0; i < l->p->track[t].n_series; i++)
			if (l->p->track[t].series[i]->valued)
				return true;
	return false;
}

/* ---- single calls ---- */

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

/* The value that a program passes to a call is more often an id or an address than an amount. */
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

/* Appends text from files of this machine, which is not a name of the profile. */
static void
foreign_text(const struct look *l, const char *text, struct buf *out)
{
	if (text)
		(l->programs ? escape_bytes : escape_shown)(out, text, strlen(text), false);
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
