#include "model/table/columns_inside.h"

#include "model/profile/human.h"

/* Columns of what the threads of a row wait for, read and write (foldusage.h). */

bool
has_usage(const struct look *l)
{
	return l->fold && l->fold->usage.any && !l->compares;
}

static struct value
usage_of(const struct look *l, const struct row *r, enum foldusage_kind k)
{
	const int64_t *total = has_usage(l) ? l->fold->usage.total[k] : NULL;

	return total && r->node < l->fold->tree->n ? whole(total[r->node]) : none();
}

/* A number that the system did not count is not zero. */
static void
add_usage(const struct look *l, struct value v, enum foldusage_kind k, struct buf *out)
{
	if (v.kind)
		human_value(out, v.whole, &l->p->metric[l->fold->usage.metric[k]]);
	else if (has_usage(l))
		buf_addc(out, '-');
}

/* The mean over the time of the range. */
struct value
usage_threads_number(const struct look *l, const struct row *r)
{
	struct value v = usage_of(l, r, FOLDUSAGE_THREADS);
	const struct fold *f = l->fold;
	int64_t from = f->whole || f->from < 0 ? 0 : f->from;
	int64_t to = f->whole || f->to > f->run ? f->run : f->to;

	if (!v.kind || to <= from)
		return none();
	return (struct value){.kind = VALUE_REAL, .real = (double)v.whole / (double)(to - from)};
}

void
usage_threads_text(const struct look *l, const struct row *r, struct buf *out)
{
	struct value v = usage_threads_number(l, r);

	if (v.kind)
		buf_addf(out, "%.1f", v.real);
	else if (has_usage(l))
		buf_addc(out, '-');
}

#define USAGE_AMOUNT(name, which)                                                          \
	struct value usage_##name##_number(const struct look *l, const struct row *r)      \
	{                                                                                  \
		return usage_of(l, r, which);                                              \
	}                                                                                  \
	void usage_##name##_text(const struct look *l, const struct row *r, struct buf *out) \
	{                                                                                  \
		add_usage(l, usage_of(l, r, which), which, out);                           \
	}
USAGE_AMOUNT(waiting, FOLDUSAGE_WAITING)
USAGE_AMOUNT(blocked, FOLDUSAGE_BLOCKED)
USAGE_AMOUNT(io, FOLDUSAGE_IO)
