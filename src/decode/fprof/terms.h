/* terms.h - splits a text into terms of Erlang, and parses a term.
 *
 *	struct terms t;
 *	terms_init(&t, in);
 *	while (terms_next(&t, &term)) ...       -- [term.at, term.end), without comments
 *	if (t.unended) ...                      -- the text ends within the one at t.offset
 *	terms_release(&t);
 *
 * Inside a term: a cursor in a run of bytes. term_take() steps over a bracket or a comma,
 * term_skip() over a whole value. Both skip blanks first. */
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
	struct text_line held; /* if `holds`: the line that begins the next term */
	bool holds;
	struct buf text;
	uint64_t offset; /* of the last term returned, or of the incomplete one */
	bool unended;
};

void terms_init(struct terms *t, struct input *in);
/* Returns the next term, without its dot; valid until the next call. False at the end. An
 * incomplete term ends at a line that begins a function or a process, which no line within a term
 * does. */
bool terms_next(struct terms *t, struct term *out);
void terms_release(struct terms *t);

/* Steps over this character if it is the next one. Returns true if it was. */
bool term_take(struct term *t, char c);
/* Steps over a value and sets *out to it. Returns false if there is none, or if it is
 * incomplete. */
bool term_skip(struct term *t, struct term *out);

#endif
