#include "model/fold/outweigh.h"

#include <inttypes.h>

#include "model/fold/tally.h"
#include "model/profile/human.h"

#define OUTWEIGHS 10

static int64_t
recorded(const struct profile *p, metric_id m)
{
	const struct slice all = {.metric = m, .whole = true};
	int64_t sum = 0;

	for (track_id t = 0; t < p->n_tracks; t++)
		sum += tally_track(p, t, &all);
	return sum;
}

bool
outweigh_say(const struct profile *p, struct buf *out)
{
	metric_id shown = profile_default_metric(p), async = profile_metric(p, "async", 5);

	if (p->comparison || async == METRIC_NONE || shown == METRIC_NONE || async == shown ||
	    p->metric[shown].unit != p->metric[async].unit)
		return false;
	int64_t mine = recorded(p, async), theirs = recorded(p, shown);
	if (theirs <= 0 || mine / OUTWEIGHS < theirs)
		return false;
	buf_adds(out, "async is ");
	human_value(out, mine, &p->metric[async]);
	buf_addf(out, ", %" PRId64 " times ", mine / theirs);
	profile_show_name(p, p->metric[shown].name, out);
	return true;
}
