/* sums.h - adds up rows of samples by stack, for the table of sums.
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

/* The sum of one metric and stack, and of the column `samples` of its rows. */
struct sum {
	uint64_t stack;
	metric_id metric;
	int64_t first, last; /* ns since 1970 */
	int64_t value, samples;
	uint64_t events, counted; /* rows, and those with samples */
};

struct sums {
	VEC(struct sum) at;
	struct map by_stack; /* index by stack and metric */
	uint32_t near;       /* index of the last one changed */
};

void sums_init(struct sums *s);
void sums_release(struct sums *s);
/* `at` is the time of the row in ns since 1970. */
void sums_add(struct sums *s, const struct events_row *row, int64_t at);

#endif
