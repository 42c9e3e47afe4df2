/* nameless.h - which modules have no symbols, and how much that matters.
 *
 * A frame without a symbol is called by its address, `0x1f40`, or `[unknown]`.  A profile
 * full of these can be read only once somebody says so.
 *
 *	struct nameless n = {0};
 *	nameless_find(&n, profile);
 *	if (nameless_matters(&n)) ...
 *	nameless_release(&n); */
#ifndef PNAV_MODEL_NAMELESS_H
#define PNAV_MODEL_NAMELESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile/names.h"
#include "model/base/vec.h"

struct profile;
struct fold;
struct buf;

struct nameless_module {
	name_id module;
	uint32_t functions, unnamed;  /* how many it has, and of these without a name */
	int64_t self, unnamed_self;   /* of the default metric, over all that was recorded */
};

struct nameless {
	VEC(struct nameless_module) all; /* the most nameless cost first */
	size_t bad;                      /* so many of them have no symbols: the first ones */
	int64_t unnamed_self, everything; /* of the metric, in modules and elsewhere */
	uint32_t metric;
};

/* Is this name an address, or the word for none? */
bool nameless_name(const char *at, size_t len);
/* Fills n (empties it first); a profile in which all have names costs a look at these. */
void nameless_find(struct nameless *n, const struct profile *p);
/* The same where f, a fold of the profile through no lens, is there already. */
void nameless_find_in(struct nameless *n, const struct profile *p, const struct fold *f);
/* Modules without symbols, and more than 10 % of the metric in what has no name? */
bool nameless_matters(const struct nameless *n);
/* Appends `2 of 12 modules have no symbols (43.0 % of cycles): a.so, b.so; see info`,
 * naming the eight that matter most. */
void nameless_say(const struct nameless *n, const struct profile *p, struct buf *out);
void nameless_release(struct nameless *n);

#endif
