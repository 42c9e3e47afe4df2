/* slots.h - an open-addressing hash table from hashes to places in the owner's columns, four
 * bytes a slot.
 *
 * A slot holds a place, which is never 0. The bits that no place needs hold those bits of the
 * hash that do not select the slot. So a probe nearly always rejects other keys without reading
 * them, and long probes are cheap: four of five slots are used. The owner must be able to
 * compute the hash of each place, since growing needs it. (map.h serves the other tables and
 * keeps half of the hash.) The owner may have further places that are not in the table.
 *
 *	uint32_t at = bits, place;
 *	while (slots_probe(&s, &at, bits, &place))
 *		if (the owner's key at place is the wanted one) return place;
 *	while (!slots_have_room(&s, n + 1)) {
 *		slots_grow(&s, n + 1);
 *		for (each place that is there)
 *			slots_put(&s, place, its bits);
 *	}
 *	slots_put(&s, n + 1, bits);
 *
 * `bits` are 32 bits of a hash of the whole key. */
#ifndef PNAV_MODEL_BASE_SLOTS_H
#define PNAV_MODEL_BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS_AHEAD 8u

struct slots {
	uint32_t *at;
	uint32_t mask; /* number of slots, a power of two, minus one */
	uint32_t used;
	uint32_t places; /* mask of the bits of a place: a power of two minus one, never less
			  * than mask */
	uint32_t ahead;  /* how many times as many places it will need; 0: unknown */
};

void slots_init(struct slots *s);
void slots_release(struct slots *s);
void slots_copy(struct slots *to, const struct slots *from); /* `to` is uninitialised */
/* Makes room in an empty table for n places, up to `place`. */
void slots_reserve(struct slots *s, size_t n, size_t place);
/* Makes more slots, with room for `place`; all of them are empty afterwards. */
void slots_grow(struct slots *s, size_t place);
/* Expects `times` as many places as there are, so that the table grows at once instead of by and
 * by; 1: no more. Too high a number costs memory, at most SLOTS_AHEAD times as much. */
static inline void
slots_expect(struct slots *s, uint64_t times)
{
	s->ahead = times < SLOTS_AHEAD ? (uint32_t)times : SLOTS_AHEAD;
}

/* Returns true if one more place, this one, fits. */
static inline bool
slots_have_room(const struct slots *s, size_t place)
{
	size_t n = (size_t)s->used + 1;

	return n + n / 4 < s->mask && place <= s->places;
}

static inline void
slots_prefetch(const struct slots *s, uint32_t bits)
{
	__builtin_prefetch(&s->at[bits & s->mask]);
}

/* Returns the place in the first slot of the search if its hash bits match; 0 otherwise. */
static inline uint32_t
slots_first(const struct slots *s, uint32_t bits)
{
	uint32_t slot = s->at[bits & s->mask];

	return (slot ^ bits) & ~s->places ? 0 : slot & s->places;
}

/* Finds the next place that may belong to this hash; returns false if there is none left. *at is
 * the state of the search; initially the bits. */
static inline bool
slots_probe(const struct slots *s, uint32_t *at, uint32_t bits, uint32_t *place)
{
	uint32_t mask = s->mask, places = s->places, slot;

	while ((slot = s->at[(*at)++ & mask]))
		if (!((slot ^ bits) & ~places)) {
			*place = slot & places;
			return true;
		}
	return false;
}

/* Inserts a place that is not in the table. There must be room for it. */
static inline void
slots_put(struct slots *s, uint32_t place, uint32_t bits)
{
	uint32_t at = bits & s->mask;

	while (s->at[at])
		at = (at + 1) & s->mask;
	s->at[at] = (bits & ~s->places) | place;
	s->used++;
}

#endif
