/* Sums by stack and metric.  A stack often occurs several times in a row; otherwise its sum is
 * found by its hash. */
#include "src/store/sums.h"

void
sums_init(struct sums *s)
{
	*s = (struct sums){.at = VEC_INIT};
	map_init(&s->by_stack);
}

void
sums_release(struct sums *s)
{
	vec_release(&s->at);
	map_release(&s->by_stack);
}

static bool
is_of(const struct sums *s, uint32_t i, const struct events_row *row)
{
	return i < s->at.n && s->at.at[i].stack == row->stack && s->at.at[i].metric == row->metric;
}

/* Returns the index of the row's sum, and creates it if it is missing. */
static uint32_t
sums_find(struct sums *s, const struct events_row *row, int64_t at)
{
	uint64_t hash = row->stack + row->metric * UINT64_C(0x9E3779B97F4A7C15);
	uint32_t slot = map_first(&s->by_stack, hash), i;

	while (map_probe(&s->by_stack, &slot, hash, &i))
		if (is_of(s, i, row))
			return i;
	i = (uint32_t)s->at.n;
	map_insert(&s->by_stack, hash, i);
	*vec_push(&s->at) = (struct sum){
		.stack = row->stack, .metric = row->metric, .first = at, .last = at};
	return i;
}

/* The profile's own sums fit in 64 bits, but sums of its parts may not: they wrap like the
 * server's. */
static int64_t
plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

void
sums_add(struct sums *s, const struct events_row *row, int64_t at)
{
	if (!is_of(s, s->near, row))
		s->near = sums_find(s, row, at);
	struct sum *sum = &s->at.at[s->near];
	sum->value = plus(sum->value, row->value);
	sum->samples = plus(sum->samples, row->samples);
	sum->first = at < sum->first ? at : sum->first;
	sum->last = at > sum->last ? at : sum->last;
	sum->events++;
	sum->counted += row->samples != 0;
}
