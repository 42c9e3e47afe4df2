/* terms.h - the terms of Erlang in a text, one after the other, and what is in one.
 *
 *	struct terms t;
 *	terms_init(&t, in);
 *	while (terms_next(&t, &term)) ...       -- [term.at, term.end), without comments
 *	if (t.unended) ...                      -- the text ends within the one at t.offset
 *	terms_release(&t);
 *
 * Inside a term: a cursor in a run of bytes, which term_take() moves over a bracket or a comma
 * and term_skip() over a whole value.  Both step over blanks first. */
#ifndef PNAV_SRC_DECODE_FPROF_TERMS_H
#define PNAV_SRC_DECODE_FPROF_TERMS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "src/input/lines.h"

struct term {
	const char *at, *end;
};

struct terms {
	struct lines lines;
	struct text_line held; /* where `holds`: the line that begins the next term */
	bool holds;
	struct buf text;
	uint64_t offset; /* of the term that was given out last, or is not ended */
	bool unended;
};

void terms_init(struct terms *t, struct input *in);
/* The next term, without its dot; valid until the next call.  False at the end.  A term that is
 * not whole when a line begins a function or a process, as none within a term does, ends there. */
bool terms_next(struct terms *t, struct term *out);
void terms_release(struct terms *t);

/* Is this character the next?  Then it is stepped over. */
bool term_take(struct term *t, char c);
/* Steps over a value, which *out becomes; false where there is none, or one that is not
 * whole. */
bool term_skip(struct term *t, struct term *out);

#endif
