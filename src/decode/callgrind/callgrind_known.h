/* callgrind_known.h - caches of the functions and places that recent lines of a callgrind file
 * refer to.
 *
 * A line refers to them by numbers of the file. Converting these to ids of the profile and the
 * graph takes up to three look-ups, and most lines repeat recent ones. Each of the two tables has
 * one slot per hash, which the next place with that hash overwrites. Entries are valid for one part
 * of a file. Zero-initialised tables are empty. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_KNOWN_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_KNOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/build/builder.h"

#define KNOWN_FUNCTIONS_LOG2 12
#define KNOWN_PLACES_LOG2 16

/* A function of the graph by the numbers that identify it. */
struct known_function {
	name_id function, file, object;
	uint32_t part; /* 0: empty */
	uint32_t at;
};

/* A place of the graph, for callgraph_self_at(). */
struct known_place {
	uint32_t self; /* the function of the graph */
	name_id inner;
	uint32_t line; /* 0: unknown */
	uint32_t part;
	uint32_t at; /* 0: unknown */
};

struct known {
	struct known_function *function;
	struct known_place *place;
};

static inline void
known_init(struct known *k)
{
	k->function = mem_zalloc((size_t)1 << KNOWN_FUNCTIONS_LOG2, sizeof *k->function);
	k->place = mem_zalloc((size_t)1 << KNOWN_PLACES_LOG2, sizeof *k->place);
}

static inline void
known_release(struct known *k)
{
	free_all(k->function, k->place);
}

static inline size_t
known_slot(uint32_t a, uint32_t b, uint32_t c, unsigned bits)
{
	uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15) + c;

	return (size_t)(h * UINT64_C(0xBF58476D1CE4E5B9) >> (64 - bits));
}

/* Returns the slot of a function: *hit if it contains the function; otherwise the caller fills
 * it. */
static inline struct known_function *
known_function(struct known *k, uint32_t part, name_id function, name_id file, name_id object,
	       bool *hit)
{
	struct known_function *x =
		&k->function[known_slot(function, file, object, KNOWN_FUNCTIONS_LOG2)];

	*hit = x->part == part && x->function == function && x->file == file &&
	       x->object == object;
	if (!*hit)
		*x = (struct known_function){function, file, object, part, 0};
	return x;
}

/* Returns the slot of a place; its `at` is 0 if the place is unknown. The lines of a function,
 * which follow one another in the file, have slots side by side. */
static inline struct known_place *
known_place(struct known *k, uint32_t part, uint32_t self, name_id inner, uint32_t line)
{
	size_t at = known_slot(self, inner, 0, KNOWN_PLACES_LOG2) + line;
	struct known_place *x = &k->place[at & ((1u << KNOWN_PLACES_LOG2) - 1)];

	if (x->part != part || x->self != self || x->inner != inner || x->line != line)
		*x = (struct known_place){self, inner, line, part, 0};
	return x;
}

#endif
