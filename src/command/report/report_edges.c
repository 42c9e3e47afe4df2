#include "src/command/report/report.h"

/* The view `edges`: which thread made which other one go on. */

static bool
edges_fill(struct report *r)
{
	return report_sums_fill(r, actorsum_edges);
}

const struct report_view view_edges = {
	.name = "edges",
	.rows = ROWS_EDGES,
	.columns = "kind,from,to,count,total,longest",
	.fill = edges_fill,
};
