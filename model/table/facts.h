/* facts.h - the facts about a profile as one list: what the file states, what pnav assumed, what
 * is damaged.
 *
 *	struct facts f = {0};
 *	facts_make(&f, profile, NULL, NULL, false);      -- empties it first
 *	for (size_t i = 0; i < f.all.n; i++) ...
 *	facts_release(&f);
 *
 * The order is that of `pnav report --view info`, which omits facts that are `aside`; a screen
 * groups them under headings. */
#ifndef PNAV_MODEL_TABLE_FACTS_H
#define PNAV_MODEL_TABLE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/vec.h"

struct fold;
struct profile;
struct wall_shares;

enum fact_kind {
	FACT_WORDS,
	FACT_COUNT,  /* number: a count */
	FACT_MOMENT, /* number: a time on the file's own clock */
	FACT_LENGTH, /* number: a duration on the axis */
};

/* The heading of a fact. */
enum fact_about {
	ABOUT_PROFILE, /* contents of the profile */
	ABOUT_READING, /* how pnav read it */
	ABOUT_WORDS,   /* what the file states */
};

struct fact {
	uint32_t group; /* the file that the fact is about; FACT_OF_ALL */
	uint8_t about;  /* enum fact_about */
	uint8_t kind;   /* enum fact_kind */
	uint8_t axis;   /* enum unit of a moment or duration */
	bool bad;       /* reports a problem */
	bool aside;     /* about loading, or redundant: not in reports */
	char *key;
	int64_t number;
	char *words; /* of FACT_WORDS; NULL: no text */
	char *more;  /* the text on a screen; NULL: the same */
};
#define FACT_OF_ALL UINT32_MAX

struct facts {
	VEC(struct fact) all;
};

/* Facts about loading that the profile itself does not have. */
struct facts_loading {
	bool done;
	uint64_t bytes;     /* 0: unknown */
	int64_t elapsed_ns; /* 0: unknown */
	const char *title;  /* title of the first file's format; may be NULL */
};

/* Makes the list. `loading` is NULL when it is over and its duration does not matter. With
 * `programs` names have the form for programs, not for a screen. `plain`, which may be NULL, is an
 * existing fold of the profile without a lens; it saves making one. With the shares of p (wall.h)
 * the list says how many tracks run at once; `running` may be NULL. */
void facts_make(struct facts *f, const struct profile *p, const struct fold *plain,
		const struct facts_loading *loading, const struct wall_shares *running,
		bool programs);
void facts_release(struct facts *f);

#endif
