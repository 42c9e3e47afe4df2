#include "src/command/report/report.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/calls/callwalk.h"
#include "src/command/report/sheet.h"

/* The view `slices`: single calls.  Of a trace with millions of them it keeps the number that
 * --limit allows, in the order of --sort. */

static int
by_column(const void *ctx, const struct call *a, const struct call *b)
{
	const struct report *r = ctx;
	if (!pace_on(r->pace, 1))
		return 0;
	struct row x = call_row(r->look.tree, a), y = call_row(r->look.tree, b);
	int order = rows_compare(r->sort, &r->look, &x, &y);

	return r->reverse ? -order : order;
}

static bool
no_calls(const struct report *r)
{
	return err_usage(r->err,
			 r->profile->recorded.per_call
				 ? "the file has only sums of its calls: try --view calls"
				 : "the file has no begins and ends of calls, so no slices");
}

static bool
slices_fill(struct report *r)
{
	const struct profile *p = r->profile;
	struct slice slice = {.metric = p->events_metric};
	struct calllist_asks asks = {
		.lens = r->lens,
		.range = &slice,
		.function = r->function,
		.key = KEY_NONE,
		.keep = r->limit < UINT32_MAX / 4 ? (uint32_t)r->limit : UINT32_MAX / 4,
		.order = r->sort ? by_column : NULL,
		.ctx = r,
	};
	uint32_t n;

	if (!callwalk_has_calls(p))
		return no_calls(r);
	if (!lens_length(r->over, p, &asks.over, r->err) ||
	    !lens_range(r->lens, p, &slice.from, &slice.to, &slice.whole, r->err))
		return false;
	uint8_t *tracks = lens_tracks(r->lens, p);
	slice.tracks = tracks;
	r->slices = calllist_new(p, &asks);
	free(tracks);
	r->look.tree = calllist_tree(r->slices);
	while (!calllist_run(r->slices, pace_piece(r->pace, UINT32_MAX)) && pace_portion(r->pace))
		;
	if (pace_gives_up(r->pace))
		return false;
	const struct call *call = calllist_sorted(r->slices, &n);
	for (uint32_t i = 0; i < n; i++)
		*rows_add(&r->rows) = call_row(r->look.tree, &call[i]);
	return true;
}

const struct report_view view_slices = {
	.name = "slices",
	.rows = ROWS_SLICES,
	.columns = "start,duration,self,track,function,file,line,value,labels",
	.text = "duration,self,start,track,function,value,labels,caller,cut,line,file",
	.calls = true,
	.fill = slices_fill,
};
