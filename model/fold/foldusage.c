/* foldusage.c - see foldusage.h. */
#include "model/fold/foldusage.h"

#include <stdlib.h>
#include <string.h>

#include "model/fold/numbers.h"
#include "model/profile/profile.h"

static const char *const foldusage_names[FOLDUSAGE_KINDS] = {
	[FOLDUSAGE_WAITING] = "waiting",
	[FOLDUSAGE_BLOCKED] = "blocked",
	[FOLDUSAGE_IO] = "io",
	[FOLDUSAGE_THREADS] = "thread-time",
};

static metric_id
foldusage_metric(const struct profile *p, enum foldusage_kind k)
{
	return profile_metric(p, foldusage_names[k], strlen(foldusage_names[k]));
}

/* All these recordings have the last kind. */
bool
foldusage_has(const struct profile *p)
{
	return foldusage_metric(p, FOLDUSAGE_THREADS) != METRIC_NONE;
}

void
foldusage_release(struct foldusage *u)
{
	for (size_t k = 0; k < FOLDUSAGE_KINDS; k++)
		free(u->total[k]);
	*u = (struct foldusage){0};
}

void
foldusage_make(struct foldusage *u, const struct profile *p, const struct projection *t,
	       const struct slice *s, struct pace *pace)
{
	struct slice one = *s;
	struct tally tally;

	foldusage_release(u);
	if (!foldusage_has(p))
		return;
	u->any = true;
	tally_init(&tally);
	tally.pace = pace;
	uint8_t *tracks = tally_tracks(p, s);
	one.tracks = tracks;
	for (size_t k = 0; k < FOLDUSAGE_KINDS; k++) {
		struct fold_numbers x = {0};
		u->metric[k] = one.metric = foldusage_metric(p, (enum foldusage_kind)k);
		if (one.metric == METRIC_NONE)
			continue;
		tally_count(&tally, p, &one);
		numbers_make(&x, t, &tally, false, pace);
		u->total[k] = x.total;
		x.total = x.recorded.total = NULL;
		numbers_release(&x);
	}
	tally_release(&tally);
	free(tracks);
}
