/* facts.h - what is known of a profile: what the file says of itself, what was assumed, what
 * was damaged, as one list.
 *
 *	struct facts f = {0};
 *	facts_make(&f, profile, NULL, false);      -- empties it first
 *	for (size_t i = 0; i < f.all.n; i++) ...
 *	facts_release(&f);
 *
 * The order is that of `pnav report --view info`, which leaves out those that are `aside`;
 * a screen puts them under headings. */
#ifndef PNAV_MODEL_FACTS_H
#define PNAV_MODEL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"

struct profile;

enum fact_kind {
	FACT_WORDS,
	FACT_COUNT,  /* number: how many */
	FACT_MOMENT, /* number: on the file's own clock */
	FACT_LENGTH, /* number: a time on the axis */
};

/* Under which heading. */
enum fact_about {
	ABOUT_PROFILE, /* what there is */
	ABOUT_READING, /* how it was read */
	ABOUT_WORDS,   /* what the file says */
};

struct fact {
	uint32_t group; /* the file whose fact it is; FACT_OF_ALL */
	uint8_t about;  /* enum fact_about */
	uint8_t kind;   /* enum fact_kind */
	uint8_t axis;   /* enum unit of a moment or length */
	bool bad;       /* something is wrong */
	bool aside;     /* of the loading, or said otherwise: not in reports */
	char *key;
	int64_t number;
	char *words; /* FACT_WORDS; NULL: nothing is said */
	char *more;  /* what a screen shows instead; NULL: the same */
};
#define FACT_OF_ALL UINT32_MAX

struct facts {
	VEC(struct fact) all;
};

/* How it was loaded, as far as the profile does not know it itself. */
struct facts_loading {
	bool done;
	uint64_t bytes;     /* 0: not told */
	int64_t elapsed_ns; /* 0: not told */
	const char *title;  /* what the first file's format is; may be NULL */
};

/* `loading` is NULL when it is over and nobody asks how it was.  With `programs` names are
 * as programs want them, not as a screen shows them. */
void facts_make(struct facts *f, const struct profile *p,
		const struct facts_loading *loading, bool programs);
void facts_release(struct facts *f);

#endif
