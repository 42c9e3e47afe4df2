#include "model/table/columns_inside.h"

/* Columns of the marks of a session. */

struct value
mark_from_number(const struct look *l, const struct row *r)
{
	(void)l;
	return r->of.mark->has_from ? whole(r->of.mark->from) : none();
}

struct value
mark_to_number(const struct look *l, const struct row *r)
{
	(void)l;
	return r->of.mark->has_to ? whole(r->of.mark->to) : none();
}

void
mark_words_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	buf_adds(out, r->of.mark->words);
}

void
mark_frame_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	buf_adds(out, r->of.mark->frame);
}
