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
	if (c->n == c->cap) {
		c->cap = (uint32_t)vec_grown(c->cap, c->n + 1u);
		c->at = mem_realloc(c->at, c->cap, sizeof *c->at);
	}
	c->at[c->n] = (struct callstats_row){.track = track, .function = function};
	return &c->at[c->n++];
}
