/* sums.h - rows of samples, added up by stack: what a profile has in the table of sums.
 *
 *	sums_add(&sums, &row, moment);             -- for each row
 *	for (size_t i = 0; i < sums.at.n; i++)
 *		... sums.at.at[i]
 */
#ifndef PNAV_SRC_STORE_SUMS_H
#define PNAV_SRC_STORE_SUMS_H

#include <stdint.h>

#include "model/base/map.h"
#include "model/base/vec.h"
#include "src/store/events.h"

/* Of one metric and stack, and of the samples that its rows tell. */
struct sum {
	uint64_t stack;
	metric_id metric;
	int64_t first, last; /* ns since 1970 */
	int64_t value, samples;
	uint64_t events, counted; /* rows, and those that tell samples */
};

struct sums {
	VEC(struct sum) at;
	struct map by_stack; /* and metric */
	uint32_t near;       /* the one that was added to last */
};

void sums_init(struct sums *s);
void sums_release(struct sums *s);
/* `at` is when, in ns since 1970. */
void sums_add(struct sums *s, const struct events_row *row, int64_t at);

#endif
