/* labelterm.h - what entries of a lens say of labels: `where KEY:PATTERN`, `label KEY`.
 *
 *	[!]KEY:RE            some label KEY has a value that matches
 *	[!]KEY:=TEXT         ... has this value
 *	[!]KEY:4kB..64kB     ... is a number in this range, both ends included
 *
 * KEY ends at the first colon.  A number is matched with its unit behind it, as it is shown,
 * and is `=` to itself alone, too.  `!`: no label KEY does. */
#ifndef PNAV_MODEL_LABELTERM_H
#define PNAV_MODEL_LABELTERM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/err.h"
#include "model/profile/labels.h"
#include "model/lens/match.h"

struct label_term {
	bool negated;
	size_t key_at, key_len; /* in the text */
	struct pattern *value;  /* to be given to label_term_release() */
	bool exact;             /* =TEXT */
	bool ranges;            /* numbers are in [low, high], in base units */
	long double low, high;
};

/* False with usage in *e when the text is none. */
bool label_term_read(struct label_term *t, const char *text, size_t len, struct err *e);
void label_term_release(struct label_term *t);
bool label_term_check(const char *text, size_t len, struct err *e);
/* Can this be a key to group by?  False with usage in *e. */
bool label_key_check(const char *text, size_t len, struct err *e);
/* Does the value of a label match?  Its key, and negation, are the caller's. */
bool label_term_matches(const struct label_term *t, const struct names *names,
			const struct label *l);

#endif
