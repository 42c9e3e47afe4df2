/* periods_inside.h - periods against the profiles of a store; for periods*.c alone. */
#ifndef PNAV_SRC_STORE_PERIODS_INSIDE_H
#define PNAV_SRC_STORE_PERIODS_INSIDE_H

#include "src/store/periods.h"

/* The profiles that begin in an hour. */
struct period_hour {
	int64_t hour; /* h since 1970 */
	uint64_t profiles, hash;
	/* for making: */
	int64_t last;          /* ns: the latest end */
	uint64_t hosts; /* distinct */
};

struct period_rows {
	uint64_t id, rows;
};

struct periods_state {
	VEC(struct period) stored;     /* by start, the latest one last */
	VEC(struct period_hour) hours; /* ascending */
	VEC(struct period_rows) rows;  /* ascending by id */
};

/* Reads the periods in the range of q, and all hours from its begin on.  Returns false with a
 * refusal in *e.  Call periods_state_release() in any case. */
bool periods_state_read(struct periods_state *s, const struct question *q, struct err *e);
void periods_state_release(struct periods_state *s);
/* Returns the sums over the hours in [start, start + span) s; the maximum of `hosts`. */
struct period_hour periods_state_in(const struct periods_state *s, int64_t start, uint32_t span);
/* Returns the usable period of this start and span; NULL if there is none. */
const struct period *periods_state_find(const struct periods_state *s, int64_t start,
					uint32_t span);

#endif
