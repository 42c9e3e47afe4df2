/* slots.h - open addressing from a hash to a place in the owner's columns, four bytes a slot.
 *
 * A slot holds a place, which is never 0, and in the bits that no place of such a table needs
 * those of the hash that do not say where the search begins: a search passes by others nearly
 * always without looking at them, and may pass by many, so four of five slots are used.  For
 * tables that can tell the hash of each place: growing asks for it (map.h, which is for the
 * others, keeps half of it).  The owner need not have all its places here.
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
 * `bits` are 32 that depend on all of the key. */
#ifndef PNAV_MODEL_SLOTS_H
#define PNAV_MODEL_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slots {
	uint32_t *at;
	uint32_t mask; /* how many there are, a power of two, less one */
	uint32_t used;
	uint32_t places; /* the bits of a place: a power of two less one, never less than mask */
};

void slots_init(struct slots *s);
void slots_release(struct slots *s);
void slots_copy(struct slots *to, const struct slots *from); /* `to` is uninitialised */
/* More of them, and room for `place`; all of them empty. */
void slots_grow(struct slots *s, size_t place);

/* Can one more be put, with this place? */
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

/* The place of the slot where the search begins, when it may be the one; 0 otherwise. */
static inline uint32_t
slots_first(const struct slots *s, uint32_t bits)
{
	uint32_t slot = s->at[bits & s->mask];

	return (slot ^ bits) & ~s->places ? 0 : slot & s->places;
}

/* The next place that may be the one of this hash; false when there is none left.  *at is
 * where to go on: the bits at first. */
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

/* Adds a place that is not there; there is room for it. */
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
