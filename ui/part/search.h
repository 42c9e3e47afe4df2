/* search.h - the frames of a fold that match a search pattern, and their cost. */
#ifndef PNAV_UI_PART_SEARCH_H
#define PNAV_UI_PART_SEARCH_H

#include <stdbool.h>

#include "model/base/buf.h"
#include "model/fold/fold.h"
#include "model/lens/match.h"
#include "ui/part/outline.h"
#include "ui/part/work.h"

#define HIT_PATH 1 /* this node or an ancestor matches */
#define HIT_HERE 2

/* A position and a count, of rows or of matches. */
struct standing {
	uint64_t at;  /* from 1; if the cursor is between two, the number of those before it */
	uint64_t all; /* 0: not known, nothing is shown */
	bool here;    /* the cursor is on one */
	bool more;    /* counting stopped at `all`; `at` is 0 for positions beyond */
};
/* "12 of 1,093", "12 of 20,000+". */
void standing_write(const struct standing *st, struct buf *out);

struct search {
	struct pattern *pattern; /* NULL: no search */
	bool due; /* search_update() is needed; nothing matches until then */
	uint8_t *hit;            /* [key] */
	uint32_t n_keys;
	uint8_t *below; /* [node] the node or a descendant matches */
	uint8_t *path;  /* [node] HIT_ bits, of all nodes, independent of the range */
	uint64_t updates; /* number of searches so far */
	uint32_t n_nodes;
	uint32_t keys;  /* distinct matching keys that occur */
	uint32_t nodes; /* matching nodes */
	int64_t value; /* cost of stacks with a match; recursion is counted once */
};

void search_init(struct search *s);
void search_release(struct search *s);
/* Takes ownership of the pattern (NULL ends the search); the result is then due. */
void search_set(struct search *s, struct pattern *pattern);
/* Searches a fold for the pattern.  If the pace cancels, nothing matches. */
void search_update(struct search *s, const struct fold *f, const struct profile *p,
		   struct pace *pace);
/* Moves the result of `found` to s; false if their patterns differ. */
bool search_take(struct search *s, struct search *found);

/* Searches in portions, as a work.  Zero-initialised is idle. */
struct finder {
	struct work *work;
	struct search found;
	const struct fold *fold;
	const struct profile *p;
};
/* Call it before the works are released. */
void finder_release(struct finder *x);
/* Call it when the fold has changed: the result of s is due again. */
void finder_lose(struct finder *x, struct search *s);
/* Runs a portion of the search that is due; true if none is. */
bool finder_on(struct finder *x, struct search *s, struct works *all, const struct fold *f,
	       const struct profile *p, int64_t portion_ns);

/* Returns true if the pattern matches the function, file or module of the key. */
bool search_key_matches(struct pattern *pattern, const struct projection *t,
			const struct profile *p, key_id key);

static inline bool
search_hits_key(const struct search *s, key_id key)
{
	return key < s->n_keys && s->hit[key];
}

/* Returns the next match after `from` in the order of the tree (dir < 0: the previous one),
 * wrapping at the ends; NODE_NONE if there is none. */
node_id search_next(const struct search *s, struct outline *o, node_id from, int dir);
/* Stores the position of the node among the matches in that order. */
void search_standing(const struct search *s, struct outline *o, node_id at,
		     struct standing *out);

#endif
