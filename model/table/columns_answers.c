#include "model/table/columns_inside.h"

#include <math.h>

#include "model/answer/answers.h"

/* Columns of answers. A row is one number of an answer; an answer without numbers has one row. */

static const struct answers_number *
columns_number_of(const struct row *r)
{
	const struct answers_item *a = r->of.answer;

	return r->depth < a->numbers.n ? &a->numbers.at[r->depth] : NULL;
}

/* Rounds to four decimals, which is more than any of the numbers is known to. */
static struct value
columns_rounded(double v)
{
	double whole_part = nearbyint(v);

	if (whole_part == v && fabs(v) < 1e15)
		return whole((int64_t)v);
	return (struct value){.kind = VALUE_REAL,
			      .real = fabs(v) < 1e11 ? nearbyint(v * 1e4) / 1e4 : v};
}


void
answer_name_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	buf_adds(out, r->of.answer->row->name);
}

void
answer_question_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	buf_adds(out, r->of.answer->row->question);
}

void
answer_sentence_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	buf_adds(out, buf_str(&r->of.answer->text));
}

void
answer_command_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	buf_adds(out, buf_str(&r->of.answer->command));
}

void
answer_subject_text(const struct look *l, const struct row *r, struct buf *out)
{
	const struct answers_number *n = columns_number_of(r);

	(void)l;
	buf_adds(out, n ? n->subject : "");
}

void
answer_number_text(const struct look *l, const struct row *r, struct buf *out)
{
	const struct answers_number *n = columns_number_of(r);

	(void)l;
	buf_adds(out, n ? n->name : "");
}

void
answer_unit_text(const struct look *l, const struct row *r, struct buf *out)
{
	const struct answers_number *n = columns_number_of(r);

	(void)l;
	buf_adds(out, n ? n->unit : "");
}

struct value
answer_notable_number(const struct look *l, const struct row *r)
{
	(void)l;
	return whole(r->of.answer->notable);
}

struct value
answer_value_number(const struct look *l, const struct row *r)
{
	const struct answers_number *n = columns_number_of(r);

	(void)l;
	return n ? columns_rounded(n->value) : none();
}

struct value
answer_low_number(const struct look *l, const struct row *r)
{
	const struct answers_number *n = columns_number_of(r);

	(void)l;
	return n && n->bounded ? columns_rounded(n->low) : none();
}

struct value
answer_high_number(const struct look *l, const struct row *r)
{
	const struct answers_number *n = columns_number_of(r);

	(void)l;
	return n && n->bounded ? columns_rounded(n->high) : none();
}
