/* series_values.c - omits the values of steps that repeat others.
 *
 * A valued step shows the value of its slice. A step that returns to a slice repeats the value
 * of that slice's call, nearly always a few steps earlier; half of all steps do. So in a full
 * chunk such a step has no value of its own: chunk_value() searches for it, not far, since a
 * reader may read every step.
 *
 * A small hash table remembers the latest call of each stack; if another stack has replaced it
 * there, the value is stored. */
#include <stdlib.h>
#include <string.h>

#include "model/base/mem.h"
#include "model/profile/series_column.h"
#include "model/profile/series_inside.h"

#define PIECE 1024u
#define CALLS 1024u

struct series_call {
	uint32_t stack, at;
	int64_t value;
};

/* Returns true if step `at` with this value needs a value of its own. Branch prediction cannot
 * know whether a step begins a call, so both results are computed. */
static inline bool
is_own(struct series_call *calls, uint32_t step, uint32_t at, int64_t value)
{
	uint32_t stack = step & STEP_STACK;
	bool begins = step & STEP_CALL;
	struct series_call *x = &calls[stack % CALLS];
	bool other = (x->stack != stack) | (at - x->at > CHUNK_VALUE_BACK) | (x->value != value);

	if (stack == STACK_EMPTY)
		other = value;
	x = begins ? x : &calls[CALLS];
	*x = (struct series_call){stack, at, value};
	return begins | other;
}

/* Marks the steps whose values are stored; returns their number. */
static uint32_t
find_own(const struct chunk *c, uint64_t *own)
{
	/* one more, for steps that begin none; STACK_EMPTY: none */
	struct series_call *calls = mem_zalloc(CALLS + 1, sizeof *calls);
	uint32_t n_own = 0;

	for (uint32_t from = 0, n; from < c->n; from += n) {
		int64_t value[PIECE];
		uint32_t step[PIECE];
		n = c->n - from < PIECE ? c->n - from : PIECE;
		chunk_stacks(c, from, n, step);
		column_values(&c->value[0], from, n, value);
		for (uint32_t i = 0; i < n; i++) {
			bool is = is_own(calls, step[i], from + i, value[i]);
			own[(from + i) / 64] |= (uint64_t)is << (from + i) % 64;
			n_own += is;
		}
	}
	free(calls);
	return n_own;
}

/* Moves the stored values to the front of their column. */
static void
move_own(struct chunk *c)
{
	struct column *v = &c->value[0];
	uint32_t to = 0;

	for (uint32_t k = 0; k * 64 < c->n; k++) {
		c->own_before[k] = (uint16_t)to;
		for (uint64_t word = c->own[k]; word; word &= word - 1) {
			uint32_t i = k * 64 + (uint32_t)__builtin_ctzll(word);
			column_store(v->at, v->width, to++,
				     (uint64_t)column_get(v, i) - (uint64_t)v->base);
		}
	}
}

uint32_t
series_thin_values(struct chunk *c)
{
	uint32_t words = (c->n + 63) / 64;
	uint64_t *own = mem_zalloc(words, sizeof *own);
	uint32_t n_own = find_own(c, own);

	/* marking them costs an eighth of small values */
	if (!n_own || c->n - n_own < c->n / 4) {
		free(own);
		return c->n;
	}
	c->own = own;
	c->own_before = mem_alloc(words, sizeof *c->own_before);
	move_own(c);
	return n_own;
}
