/* nearest.h - finds the word that a misspelled one was meant to be.
 *
 *	struct nearest n = nearest_of("reprot");
 *	for each command: nearest_try(&n, name);
 *	nearest_say(&n, &out);                      -- appends ": did you mean 'report'?"
 */
#ifndef PNAV_MODEL_BASE_NEAREST_H
#define PNAV_MODEL_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/buf.h"
#include "model/base/err.h"

struct nearest {
	const char *word, *found; /* found is NULL if no word is near */
	unsigned distance;
};

/* Starts a search; borrows the word. */
struct nearest nearest_of(const char *word);
/* Considers a candidate (borrowed): keeps it if its edit distance (letters to add, drop, change
 * or swap) is smaller than before, and at most a third of the word's length. */
void nearest_try(struct nearest *n, const char *candidate);
/* Appends `: did you mean 'FOUND'?`, or nothing. */
void nearest_say(const struct nearest *n, struct buf *out);
/* Sets usage in *e: `BEFORE'WORD'BEHIND: there is A, B, C: did you mean 'B'?`, with the names
 * name(0), name(1), ... up to NULL. Returns false. */
bool nearest_error(struct err *e, const char *before, const char *word, const char *behind,
		   const char *(*name)(size_t i));

#endif
