#include "model/callrows.h"

#include <stdlib.h>

#include "model/mem.h"
#include "model/vec.h"

/* Apart from what computes them, because a profile holds some: the computation reads
 * profiles, and would be included by what it includes. */

void
callstats_release(struct callstats *c)
{
	free(c->at);
	*c = (struct callstats){0};
}

struct callstats_row *
callstats_add(struct callstats *c, track_id track, function_id function)
{
	vec_room(c->at, c->cap, c->n + 1);
	c->at[c->n] = (struct callstats_row){.track = track, .function = function};
	return &c->at[c->n++];
}
