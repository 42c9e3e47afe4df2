/* nameless.h - finds modules without symbols, and how much of the cost they hide.
 *
 * A frame without a symbol has its address as its name, `0x1f40`, or `[unknown]`. A user cannot
 * read a profile full of these without being told the reason.
 *
 *	struct nameless n = {0};
 *	nameless_find(&n, profile, NULL);
 *	if (nameless_matters(&n)) ...
 *	nameless_release(&n);
 */
#ifndef PNAV_MODEL_FOLD_NAMELESS_H
#define PNAV_MODEL_FOLD_NAMELESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/base/vec.h"
#include "model/profile/names.h"

struct profile;
struct fold;
struct buf;

struct nameless_module {
	name_id module;
	uint32_t functions, unnamed;  /* number of its functions, and of those without a name */
	int64_t self, unnamed_self;   /* of the default metric, over everything recorded */
};

struct nameless {
	VEC(struct nameless_module) all; /* sorted by falling cost without a name */
	size_t bad;                      /* the first `bad` modules have no symbols */
	int64_t unnamed_self, everything; /* of the metric, including code outside of modules */
	uint32_t metric;
};

/* Returns true if the name is an address, or the word for an unknown function. */
bool nameless_name(const char *at, size_t len);
/* Returns true if a function of a module has no name.  O(functions). */
bool nameless_any(const struct profile *p);
/* Fills n (empties it first); a profile in which all functions have names costs a look at these.
 * Takes the numbers from f if f is a fold of the profile through no lens; otherwise, also if f is
 * NULL, makes one. */
void nameless_find(struct nameless *n, const struct profile *p, const struct fold *f);
/* Returns true if there are modules without symbols, and functions without a name have more
 * than 10 % of the metric. */
bool nameless_matters(const struct nameless *n);
/* The words of that message which are the same for all profiles: its numbers are before them, the
 * names of the metric and of the modules behind them. */
#define NAMELESS_SAID " modules have no symbols ("
/* Appends `2 of 12 modules have no symbols (43.0 % of cycles): a.so, b.so; see info`, with the
 * names of the eight that cost most. */
void nameless_say(const struct nameless *n, const struct profile *p, struct buf *out);
void nameless_release(struct nameless *n);

#endif
