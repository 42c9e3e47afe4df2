#include "src/command/report/report.h"

/* The view `states`: what each thread did, and for how long. */

bool
report_sums_fill(struct report *r,
		 bool (*make)(const struct profile *p, const struct lens *l, struct pace *pace,
			      struct actorsum *out, struct err *e))
{
	if (!make(r->profile, r->lens, r->pace, &r->sums, r->err))
		return false;
	for (size_t i = 0; i < r->sums.row.n; i++)
		rows_add(&r->rows)->of.sum = &r->sums.row.at[i];
	return true;
}

static bool
states_fill(struct report *r)
{
	return report_sums_fill(r, actorsum_states);
}

const struct report_view view_states = {
	.name = "states",
	.rows = ROWS_STATES,
	.columns = "track,state,count,total,longest",
	.fill = states_fill,
};
