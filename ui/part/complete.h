/* complete.h - completes a typed pattern on Tab.
 *
 *	struct complete k = {0};
 *	complete_pattern(&k, profile, "module:lib", 10, COMPLETE_FRAMES);
 *	if (k.names.n) ... the text is k.text now, the common beginning of k.names
 *	complete_release(&k); */
#ifndef PNAV_UI_PART_COMPLETE_H
#define PNAV_UI_PART_COMPLETE_H

#include "model/base/buf.h"
#include "model/base/vec.h"
#include "model/profile/profile.h"

enum complete_what {
	COMPLETE_FRAMES, /* functions, or files and modules after their subject */
	COMPLETE_TRACKS,
	COMPLETE_LABELS, /* a key, and after its colon the values that are text */
	COMPLETE_KEYS,   /* of labels */
};

struct complete {
	VEC(name_id) names; /* the matching names, sorted, each once */
	struct buf text;    /* the pattern up to their common end, quoted for the regex */
};

/* Typed characters are literal, even special ones of a regex: the user types a name, and it
 * becomes the pattern that matches it.  A name that cannot be typed is never proposed. */
void complete_pattern(struct complete *k, const struct profile *p, const char *text,
		      size_t len, enum complete_what what);
void complete_release(struct complete *k);

#endif
