#include "model/profile/callrows.h"

#include <stdlib.h>

#include "model/base/mem.h"
#include "model/base/vec.h"

/* Separate from the code that computes rows, because a profile contains some. That code reads
 * profiles, so profile.h could not include its header. */

const char *
call_time_name(enum call_time time)
{
	static const char *const names[CALL_TIMES] = {
		[CALL_NET] = "net",       [CALL_GROSS] = "gross",
		[CALL_CALL] = "call",     [CALL_PERIOD] = "period",
		[CALL_OUTSIDE] = "outside",
	};

	return names[time];
}

void
callstats_totals(struct callstats_row *row, int64_t net, int64_t gross)
{
	row->value[CALL_NET][CALL_TOTAL] = net;
	row->value[CALL_GROSS][CALL_TOTAL] = gross;
	row->has |= CALLSTATS_BIT(CALL_NET, CALL_TOTAL) |
		    CALLSTATS_BIT(CALL_GROSS, CALL_TOTAL);
	row->has &= ~CALLSTATS_BIT(CALL_PERIOD, CALL_TOTAL);
}

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
