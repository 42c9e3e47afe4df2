/* search.h - which frames of a fold match what was searched for, and how much they cost. */
#ifndef PNAV_UI_PART_SEARCH_H
#define PNAV_UI_PART_SEARCH_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "model/fold/fold.h"
#include "model/lens/match.h"
#include "ui/part/outline.h"
#include "ui/part/work.h"

#define HIT_PATH 1 /* a hit on the way from the root, or here */
#define HIT_HERE 2

/* Which of how many: a row of those there are, a match of those in a view. */
struct standing {
	uint64_t at;  /* from 1; of a cursor between them, how many are before it */
	uint64_t all; /* 0: nothing is told of them */
	bool here;    /* the cursor is on one */
	bool more;    /* nobody counted further: `all` is a part, `at` 0 where it is behind */
};
/* "12 of 1,093", "12 of 20,000+". */
void standing_write(const struct standing *st, struct buf *out);

struct search {
	struct pattern *pattern; /* NULL: nothing is searched */
	bool due; /* what matches is not known yet: nothing does */
	uint8_t *hit;            /* [key] */
	uint32_t n_keys;
	uint8_t *below; /* [node] a hit in it or below */
	uint8_t *path;  /* [node] HIT_ bits, of all nodes, whatever the range */
	uint64_t updates; /* counts the searches: another number, another answer */
	uint32_t n_nodes;
	uint32_t keys;  /* distinct matches that occur */
	uint32_t nodes; /* how often */
	int64_t value; /* what stacks with a match cost; recursion counted once */
};

void search_init(struct search *s);
void search_release(struct search *s);
/* Takes over the pattern (NULL ends the search); what matches is due then. */
void search_set(struct search *s, struct pattern *pattern);
/* Finds anew: the pattern or the fold has changed. */
void search_update(struct search *s, const struct fold *f, const struct profile *p);
/* The same with rests; given up, nothing is found. */
void search_paced(struct search *s, const struct fold *f, const struct profile *p,
		  struct pace *pace);
/* What `found` has found of the same pattern becomes that of s; false when it is another. */
bool search_take(struct search *s, struct search *found);

/* Finds in portions.  Zero-initialised is idle. */
struct finder {
	struct work *work;
	struct search found;
	const struct fold *fold;
	const struct profile *p;
};
/* Before `all` is released. */
void finder_release(struct finder *x);
/* The fold has changed: what s has found is due again. */
void finder_lose(struct finder *x, struct search *s);
/* A portion of what is due; true when nothing is. */
bool finder_on(struct finder *x, struct search *s, struct works *all, const struct fold *f,
	       const struct profile *p, int64_t portion_ns);

/* Does the pattern match what this key is the name of? */
bool search_key_matches(struct pattern *pattern, const struct projection *t,
			const struct profile *p, key_id key);

static inline bool
search_hits_key(const struct search *s, key_id key)
{
	return key < s->n_keys && s->hit[key];
}

/* The next match after `from` in the order of the tree (dir < 0: the one before), going
 * round at the ends; NODE_NONE when there is none. */
node_id search_next(const struct search *s, struct outline *o, node_id from, int dir);
/* Which of the matches in that order the node is. */
void search_standing(const struct search *s, struct outline *o, node_id at,
		     struct standing *out);

#endif
