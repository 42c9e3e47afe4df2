/* callgrind_known.h - functions and places that lines of a callgrind file were about of late.
 *
 * A line names them by numbers of the file; to make of these what the profile and the graph have
 * takes a lookup or three, and lines are about what others were about before.  Two tables in which
 * a place is overwritten by the next that falls there; what was found for one part of a file is
 * not taken for another.  Zero-initialised they are empty. */
#ifndef PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_KNOWN_H
#define PNAV_SRC_DECODE_CALLGRIND_CALLGRIND_KNOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "model/base/mem.h"
#include "model/build/builder.h"

#define KNOWN_FUNCTIONS_LOG2 12
#define KNOWN_PLACES_LOG2 16

/* A function of the graph by what names it. */
struct known_function {
	name_id function, file, object;
	uint32_t part; /* 0: nothing is known here */
	uint32_t at;
};

/* A place of the graph, as callgraph_self_at() knows it. */
struct known_place {
	uint32_t self; /* the function of the graph */
	name_id inner;
	uint32_t line; /* 0: unknown */
	uint32_t part;
	uint32_t at; /* 0: not known yet */
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
	free(k->function);
	free(k->place);
}

static inline size_t
known_slot(uint32_t a, uint32_t b, uint32_t c, unsigned bits)
{
	uint64_t h = ((uint64_t)a << 32 | b) * UINT64_C(0x9E3779B97F4A7C15) + c;

	return (size_t)(h * UINT64_C(0xBF58476D1CE4E5B9) >> (64 - bits));
}

/* The entry of a function: *hit where it is known; else it is to be filled. */
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

/* The entry of a place, `at` 0 where it is not known. */
static inline struct known_place *
known_place(struct known *k, uint32_t part, uint32_t self, name_id inner, uint32_t line)
{
	struct known_place *x = &k->place[known_slot(self, inner, line, KNOWN_PLACES_LOG2)];

	if (x->part != part || x->self != self || x->inner != inner || x->line != line)
		*x = (struct known_place){self, inner, line, part, 0};
	return x;
}

#endif
