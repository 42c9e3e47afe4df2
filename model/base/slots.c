#include "model/base/slots.h"

#include <stdlib.h>

#include "model/base/mem.h"

/* Every name, function, frame and stack needs a slot, so bytes count. The old slots are freed
 * before the new ones are allocated: the owner can compute all they hold. */

#define SLOTS_START 64u
#define AHEAD_MAX (1u << 24) /* tables with more places grow by and by */

void
slots_init(struct slots *s)
{
	*s = (struct slots){.mask = SLOTS_START - 1, .places = SLOTS_START - 1};
	s->at = mem_zalloc(SLOTS_START, sizeof *s->at);
}

void
slots_release(struct slots *s)
{
	free(s->at);
	*s = (struct slots){0};
}

void
slots_copy(struct slots *to, const struct slots *from)
{
	*to = *from;
	to->at = mem_copy(from->at, (size_t)from->mask + 1, sizeof *from->at);
}

void
slots_grow(struct slots *s, size_t place)
{
	size_t n = (size_t)s->used + 1;

	if (s->ahead > 1 && n < AHEAD_MAX)
		n *= s->ahead;
	slots_reserve(s, n, place);
}

void
slots_reserve(struct slots *s, size_t n, size_t place)
{
	free(s->at);
	while (n + n / 4 >= s->mask)
		s->mask = s->mask * 2 + 1;
	s->used = 0;
	while (s->places < s->mask || s->places < place)
		s->places = s->places * 2 + 1;
	s->at = mem_zalloc((size_t)s->mask + 1, sizeof *s->at);
}
