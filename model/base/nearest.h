/* nearest.h - which of the words that would have been right somebody meant.
 *
 *	struct nearest n = nearest_of("reprot");
 *	for each command: nearest_try(&n, name);
 *	nearest_say(&n, &out);                      -- appends ": did you mean 'report'?" */
#ifndef PNAV_MODEL_NEAREST_H
#define PNAV_MODEL_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"

struct nearest {
	const char *word, *found; /* NULL: none is near */
	unsigned distance;
};

/* The word is borrowed. */
struct nearest nearest_of(const char *word);
/* Takes the candidate (borrowed) where it is nearer than those before: fewer letters to add, drop,
 * change or swap, at most a third of the word's. */
void nearest_try(struct nearest *n, const char *candidate);
/* Appends `: did you mean 'FOUND'?`, or nothing. */
void nearest_say(const struct nearest *n, struct buf *out);
/* Usage in *e: `BEFORE'WORD'BEHIND: there is A, B, C: did you mean 'B'?`, of name(0), name(1), ...
 * up to NULL.  Gives false. */
bool nearest_error(struct err *e, const char *before, const char *word, const char *behind,
		   const char *(*name)(size_t i));

#endif
