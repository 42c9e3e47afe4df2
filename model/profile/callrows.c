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

/* ---- the rows of files ---- */

void
callrows_release(struct callrows *c)
{
	free_all(c->at, c->number);
	*c = (struct callrows){0};
}

struct callrows
callrows_copy(const struct callrows *from)
{
	struct callrows c = *from;

	c.at = mem_copy(from->at, from->n, sizeof *from->at);
	c.number = mem_copy(from->number, from->n_numbers, sizeof *from->number);
	c.cap = from->n;
	c.numbers_cap = from->n_numbers;
	return c;
}

void
callrows_add(struct callrows *c, const struct callstats_row *row)
{
	vec_room(c->at, c->cap, c->n + 1);
	c->at[c->n++] = (struct callrow){row->track, row->function, row->has, c->n_numbers};
	vec_room(c->number, c->numbers_cap, c->n_numbers + 1 + CALL_TIMES * CALL_NUMBERS);
	c->number[c->n_numbers++] = row->calls;
	for (unsigned k = 0; k < CALL_TIMES * CALL_NUMBERS; k++)
		if (row->has >> k & 1)
			c->number[c->n_numbers++] =
				row->value[k / CALL_NUMBERS][k % CALL_NUMBERS];
}

struct callstats_row
callrows_get(const struct callrows *c, uint32_t i)
{
	const struct callrow *is = &c->at[i];
	const int64_t *number = &c->number[is->first];
	struct callstats_row row = {
		.track = is->track, .function = is->function, .has = is->has, .calls = *number++};

	for (unsigned k = 0; k < CALL_TIMES * CALL_NUMBERS; k++)
		if (row.has >> k & 1)
			row.value[k / CALL_NUMBERS][k % CALL_NUMBERS] = *number++;
	return row;
}
