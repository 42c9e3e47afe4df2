#include "model/table/columns_inside.h"

#include <math.h>

#include "model/base/sum.h"
#include "model/compare/compare.h"
#include "model/fold/changes.h"
#include "model/profile/human.h"

/* The limits between which a change lies in 95 of 100 cases, and whether it exceeds chance.
 * Without a comparison, the limits of the number itself. They belong to self in tables of
 * functions and lines, and to total in trees, whose rows are nodes. */

enum sure
look_sure(const struct look *l, const struct row *r, bool total)
{
	if (!l->fold || !l->compares)
		return SURE_UNKNOWN;
	return row_sure(l->fold, r, total);
}

static struct evidence
evidence(const struct look *l, const struct row *r, bool total)
{
	if (!l->fold)
		return (struct evidence){0};
	return row_evidence(l->fold, r, total);
}

static struct value
limit(const struct look *l, const struct evidence *e, double v)
{
	double most = 9e18;

	return e->known ? amount(l, (int64_t)llround(fmax(-most, fmin(v, most)))) : none();
}

static double
bar(const struct look *l, const struct row *r, struct evidence e, bool total)
{
	double x = sides_change(total ? r->exact_total : r->exact_self);

	return l->fold && l->fold->compares ? evidence_change_bar(e, x) : evidence_bar(e, x);
}

#define LIMITS(name, is_total, gives)                                                      \
	struct value name##_number(const struct look *l, const struct row *r)              \
	{                                                                                  \
		bool total = (is_total) || r->node != NODE_ROOT;                           \
		struct evidence e = evidence(l, r, total);                                 \
		return limit(l, &e, gives);                                                \
	}
LIMITS(low, false, e.low)
LIMITS(high, false, e.high)
LIMITS(margin, false, bar(l, r, e, total))
LIMITS(total_low, true, e.low)
LIMITS(total_high, true, e.high)
LIMITS(total_margin, true, bar(l, r, e, total))

static void
write_sure(const struct look *l, const struct row *r, bool total, struct buf *out)
{
	static const char *const words[] = {
		[SURE_UNKNOWN] = "\xe2\x80\x93", [SURE_NO] = "no", [SURE_YES] = "yes"};

	buf_adds(out, words[look_sure(l, r, total)]);
}

void
sure_text(const struct look *l, const struct row *r, struct buf *out)
{
	write_sure(l, r, r->node != NODE_ROOT, out);
}

void
total_sure_text(const struct look *l, const struct row *r, struct buf *out)
{
	write_sure(l, r, true, out);
}

static void
write_margin(const struct look *l, struct value v, struct buf *out)
{
	if (v.kind == VALUE_NONE)
		return;
	buf_adds(out, "\xc2\xb1");
	if (l->metric)
		human_value(out, v.whole, l->metric);
	else
		human_count(out, v.whole);
}

void
margin_text(const struct look *l, const struct row *r, struct buf *out)
{
	write_margin(l, margin_number(l, r), out);
}

void
total_margin_text(const struct look *l, const struct row *r, struct buf *out)
{
	write_margin(l, total_margin_number(l, r), out);
}

/* ---- a number, its base, and the change ---- */

/* Rows that are not of a fold have only rounded numbers. */
static void
write_now(const struct look *l, int64_t now, double exact, struct buf *out)
{
	bool is_exact = l->compares && rounded_clipped(exact) == now;

	compare_value(l->metric, is_exact ? exact : (double)now, out);
}

void
self_text(const struct look *l, const struct row *r, struct buf *out)
{
	write_now(l, r->self, r->exact_self.now, out);
}

void
total_text(const struct look *l, const struct row *r, struct buf *out)
{
	write_now(l, r->total, r->exact_total.now, out);
}

void
delta_self_text(const struct look *l, const struct row *r, struct buf *out)
{
	if (l->compares)
		compare_amount(l->metric, sides_shown_change(r->exact_self), out);
}

void
delta_total_text(const struct look *l, const struct row *r, struct buf *out)
{
	if (l->compares)
		compare_amount(l->metric, sides_shown_change(r->exact_total), out);
}

/* Returns the numbers of a row, which are exact in rows of a fold. */
static struct sides
row_sides(const struct row *r, bool total)
{
	int64_t now = total ? r->total : r->self, base = total ? r->base_total : r->base_self;
	struct sides exact = total ? r->exact_total : r->exact_self;
	bool is_exact = rounded_clipped(exact.now) == now && rounded_clipped(exact.base) == base;

	return is_exact ? exact : (struct sides){(double)now, (double)base};
}

#define ORDER(name, is_total, gives)                                                       \
	double name##_order(const struct look *l, const struct row *r)                     \
	{                                                                                  \
		struct sides x = row_sides(r, is_total);                                   \
		(void)l;                                                                   \
		return gives;                                                              \
	}
ORDER(self, false, sides_shown(x.now))
ORDER(total, true, sides_shown(x.now))
ORDER(base_self, false, sides_shown(x.base))
ORDER(base_total, true, sides_shown(x.base))
ORDER(delta_self, false, sides_shown_change(x))
ORDER(delta_total, true, sides_shown_change(x))

void
base_self_text(const struct look *l, const struct row *r, struct buf *out)
{
	compare_value(l->metric, r->exact_self.base, out);
}

void
base_total_text(const struct look *l, const struct row *r, struct buf *out)
{
	compare_value(l->metric, r->exact_total.base, out);
}

void
self_change_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	compare_share(r->exact_self, out);
}

void
total_change_text(const struct look *l, const struct row *r, struct buf *out)
{
	(void)l;
	compare_share(r->exact_total, out);
}
