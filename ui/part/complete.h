/* complete.h - what Tab makes of a pattern that is being typed.
 *
 *	struct complete k = {0};
 *	complete_pattern(&k, profile, "module:lib", 10, COMPLETE_FRAMES);
 *	if (k.names.n) ... the text is k.text now, as far as all of k.names agree
 *	complete_release(&k); */
#ifndef PNAV_UI_PART_COMPLETE_H
#define PNAV_UI_PART_COMPLETE_H

#include "model/base/buf.h"
#include "model/profile/profile.h"
#include "model/base/vec.h"

enum complete_what {
	COMPLETE_FRAMES, /* functions, or files and modules behind their subject */
	COMPLETE_TRACKS,
	COMPLETE_LABELS, /* a key, and behind its colon values that are text */
	COMPLETE_KEYS,   /* of labels */
};

struct complete {
	VEC(name_id) names; /* those that begin so, by name, each once */
	struct buf text;    /* the pattern as far as they agree, quoted for the regex */
};

/* Characters that mean something in a regex are taken as they stand: a name is typed, and
 * becomes the pattern that matches it.  A name that cannot be typed is never proposed. */
void complete_pattern(struct complete *k, const struct profile *p, const char *text,
		      size_t len, enum complete_what what);
void complete_release(struct complete *k);

#endif
