/* bands.c - see bands.h.
 *
 * Each column adds the shares of its states to what they are owed. The state that is owed most, of
 * those that the column has, gets the column and pays for it. So two states are never ahead or
 * behind by more than half a column, three by little more.
 *
 * Rejected: the state with most of the column's time. Of states that alternate within columns it
 * shows the larger one alone, at every zoom that hides the turns. */
#include "model/picture/bands.h"

#include "model/base/sum.h"
#include "model/base/wide.h"

#define BAND_PURE 0.85 /* a share from which a column is not mixed */

static int64_t
state_length(const struct actor *a, uint32_t i)
{
	return difference_clipped(actor_time(a, i + 1), actor_time(a, i));
}

void
bands_update(struct bands *b, const struct actor *a, int64_t start)
{
	struct band_times sum = {{0}};

	if (b->start != start || b->before.n > ((size_t)a->n + BANDS_STEP - 1) / BANDS_STEP)
		b->before.n = 0;
	b->start = start;
	if (!b->before.n && a->n) {
		sum.ns[ACTOR_UNKNOWN] = difference_clipped(actor_time(a, 0), start);
		*vec_push(&b->before) = sum;
	}
	if (b->before.n)
		sum = b->before.at[b->before.n - 1];
	while (b->before.n && b->before.n * BANDS_STEP < a->n) {
		uint32_t first = (uint32_t)(b->before.n - 1) * BANDS_STEP;
		for (uint32_t i = first; i < first + BANDS_STEP; i++)
			sum.ns[actor_state(a, i)] += state_length(a, i);
		*vec_push(&b->before) = sum;
	}
}

/* Gets the times in [start, time). */
static void
band_times_until(const struct bands *b, const struct actor *a, int64_t time, struct band_times *out)
{
	uint32_t n = actor_find(a, time);

	*out = (struct band_times){{0}};
	if (!n) {
		out->ns[ACTOR_UNKNOWN] = difference_clipped(time, b->start);
		return;
	}
	uint32_t last = n - 1, block = last / BANDS_STEP;
	*out = b->before.at[block];
	for (uint32_t i = block * BANDS_STEP; i < last; i++)
		out->ns[actor_state(a, i)] += state_length(a, i);
	out->ns[actor_state(a, last)] += difference_clipped(time, actor_time(a, last));
}

void
bands_between(const struct bands *b, const struct actor *a, int64_t from, int64_t to,
	      struct band_times *out)
{
	struct band_times before;

	band_times_until(b, a, from, &before);
	band_times_until(b, a, to, out);
	for (unsigned s = 0; s < ACTOR_STATE_COUNT; s++)
		out->ns[s] -= before.ns[s];
}

/* Chooses the state of a column with these times, and updates what the states are owed. */
static struct band_column
choose_band(const struct band_times *times, double total, double *owed)
{
	double share[ACTOR_STATE_COUNT];
	unsigned best = ACTOR_STATE_COUNT;

	for (unsigned s = 0; s < ACTOR_STATE_COUNT; s++) {
		share[s] = (double)times->ns[s] / total;
		owed[s] += share[s];
		if (share[s] > 0 && (best == ACTOR_STATE_COUNT || owed[s] > owed[best]))
			best = s;
	}
	best = best < ACTOR_STATE_COUNT ? best : ACTOR_UNKNOWN;
	owed[best] -= 1;
	return (struct band_column){(uint8_t)best, share[best] < BAND_PURE};
}

void
bands_columns(const struct bands *b, const struct actor *a, int64_t end, int64_t from, int64_t to,
	      unsigned n, struct band_column *out)
{
	double owed[ACTOR_STATE_COUNT] = {0};

	for (unsigned x = 0; x < n; x++) {
		int64_t left = wide_part(from, to, n, x), right = wide_part(from, to, n, x + 1);
		right = right > left ? right : sum_clipped(left, 1);
		left = left < b->start ? b->start : left;
		right = right > end ? end : right;
		out[x] = (struct band_column){ACTOR_UNKNOWN, false};
		if (left >= right || !a->n)
			continue;
		struct band_times times;
		bands_between(b, a, left, right, &times);
		out[x] = choose_band(&times, (double)right - (double)left, owed);
	}
}

void
bands_release(struct bands *b)
{
	vec_release(&b->before);
}
