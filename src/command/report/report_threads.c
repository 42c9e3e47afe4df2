#include "src/command/report/report.h"

/* The view `threads`: what each thread did when `pnav stacks` looked at it last. */

static bool
threads_fill(struct report *r)
{
	if (!threadlist_make(r->profile, r->fold, r->pace, &r->threads) &&
	    !pace_gives_up(r->pace))
		return err_usage(r->err, "the file does not say what its threads did: look at a "
					 "process with pnav stacks -p PID");
	for (size_t i = 0; i < r->threads.row.n; i++) {
		struct row *row = rows_add(&r->rows);
		row->of.thread = &r->threads.row.at[i];
		row->track = r->threads.row.at[i].track;
	}
	return true;
}

const struct report_view view_threads = {
	.name = "threads",
	.rows = ROWS_THREADS,
	.columns = "track,state,waited,waits_for,stack",
	.folds = true,
	.fill = threads_fill,
};
