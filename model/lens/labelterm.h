/* labelterm.h - the label conditions of a lens: `where KEY:PATTERN`, `label KEY`.
 *
 *	[!]KEY:RE            some label KEY has a value that matches
 *	[!]KEY:=TEXT         ... has this value
 *	[!]KEY:4kB..64kB     ... is a number in this range, both ends included
 *	[!]KEY:4kB           ... is this number, if the value is a number
 *
 * KEY ends at the first colon. A number is matched as it is displayed, with its unit after it;
 * `=` also accepts it without the unit. `!`: no label KEY does. */
#ifndef PNAV_MODEL_LENS_LABELTERM_H
#define PNAV_MODEL_LENS_LABELTERM_H

#include <stdbool.h>
#include <stddef.h>

#include "model/base/err.h"
#include "model/lens/match.h"
#include "model/profile/labels.h"

struct label_term {
	bool negated;
	size_t key_at, key_len; /* position in the text */
	struct pattern *value;  /* label_term_release() frees it */
	bool exact;             /* =TEXT */
	bool ranges;            /* numbers must lie in [low, high], in base units; the two may be
				 * equal */
	long double low, high;
};

/* Parses a condition; returns false with usage in *e for any other text. */
bool label_term_read(struct label_term *t, const char *text, size_t len, struct err *e);
void label_term_release(struct label_term *t);
bool label_term_check(const char *text, size_t len, struct err *e);
/* Returns true if the text can be a key to group by; else false with usage in *e. */
bool label_key_check(const char *text, size_t len, struct err *e);
/* Returns true if the value of a label matches. The caller compares the key and applies the
 * negation. */
bool label_term_matches(const struct label_term *t, const struct names *names,
			const struct label *l);

#endif
