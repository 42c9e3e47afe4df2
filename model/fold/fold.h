/* fold.h - a profile through a lens: the displayed tree with its numbers.
 *
 * All commands and views read folds, so their numbers agree by construction.
 *
 *	struct fold *f = fold_new();
 *	if (!fold_update(f, profile, &lens, NULL, &err)) ...      -- wrong usage
 *	for (node_id c = f->tree->first_child[NODE_ROOT]; c != NODE_NONE; ...)
 *
 * fold_update() does only what is needed: it keeps the projection while the profile has not grown
 * and the lens keeps its shape, and it does nothing if the numbers are there.  It ignores the
 * entries `where` and `label`: the caller passes a profile that regroup.h derived by them. */
#ifndef PNAV_MODEL_FOLD_FOLD_H
#define PNAV_MODEL_FOLD_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/changes.h"
#include "model/fold/foldusage.h"
#include "model/fold/numbers.h"
#include "model/fold/project.h"
#include "model/fold/rows.h"
#include "model/fold/sides.h"
#include "model/fold/tally.h"

/* The text that marks an estimated fold. */
#define FOLD_ESTIMATED "estimated from a call graph"

struct fold {
	struct projection *tree;
	struct fold_numbers now;
	bool compares;            /* `base` holds the numbers to compare with */
	struct fold_numbers base;
	int64_t *stated, *base_stated; /* [function] recorded totals that the files state
				        * (stated_totals.h); NULL: the totals of the stacks hold */
	bool estimated;           /* its stacks were estimated from a call graph */
	struct foldusage usage;   /* other metrics of the same stacks */
	struct changes changes;   /* which differences exceed chance; error bars */
	metric_id metric;
	int64_t from, to; /* the range, counted from the first event */
	bool whole;
	int64_t run; /* length of the run at the update; the profile may have grown since */
	uint64_t of;     /* the serial of the profile's names; a regrouped profile has another
			  * one */
	uint64_t events; /* number of events read one by one in the last update */
	uint64_t generation; /* the profile's generation at the update */
	track_id only_track; /* set by the caller before an update: use this track alone of the
			      * lens's tracks; TRACK_NONE (initial): all */
	uint32_t at_once; /* set by the caller before an update: an inversion with more nodes
			   * than this makes its first levels only; 0 (initial): all levels */
	bool few;         /* set by the caller before an update: an inversion that compares nothing
			   * has only the nodes of the first rows */
	struct first_rows first; /* how many, and whether to count the others */
	bool partial;     /* only these were made, or only the first levels; an update with another
			   * at_once makes all */
	struct pace *pace; /* set by the caller before an update; NULL (initial): run to the end
			    * without yielding */
	/* private */
	uint8_t *tracks; /* [track], n_chosen of them, 1: the tally reads it; the profile may
			  * have more tracks now */
	uint8_t *base_tracks; /* the same of the base of a comparison; NULL: none */
	int64_t base_from, base_to; /* its range */
	bool base_whole;
	uint8_t *chosen; /* [track], n_chosen of them, 1: the lens includes it */
	uint32_t n_chosen;
	struct tally tally, base_tally; /* of a comparison */
	struct lens lens;
	bool valid;
	bool counted;  /* the numbers are those of the lens, */
	bool based;    /* compared with a base that the caller gave, */
	track_id counted_track; /* and of this only_track */
	uint32_t more_owners;
};

struct fold *fold_new(void);
/* Drops a reference; the last one frees it. */
void fold_free(struct fold *f);

/* Returns true if f has all current numbers of p through l, and no base but p's own. */
bool fold_is_of(const struct fold *f, const struct profile *p, const struct lens *l);
/* A fold for fold_update() of p through l: `made` itself, with one more reference, where it has
 * those numbers already; else a new one, which begins with the tree of `made`.  `made` may be NULL.
 * The caller frees it.  A fold with several owners must not be updated to another lens, or with a
 * base: pass NULL for `made` then. */
struct fold *fold_beside(struct fold *made, const struct profile *p, const struct lens *l);

/* Would fold_update() take this?  False and usage in *e when the lens does not fit. */
bool fold_fits(const struct profile *p, const struct lens *l, const struct lens *base,
	       struct err *e);

/* For a fold that is made beside the displayed one and then replaces it: gives f the tree of
 * `shown`, so that an update that keeps the shape does not build another. */
void fold_begin_with(struct fold *f, const struct fold *shown);
/* Exchanges the contents of two folds. */
void fold_swap(struct fold *a, struct fold *b);

/* Makes f show p through l. `base`, if not NULL, is the lens of the numbers to compare with: its
 * range, tracks and metric count, and its shape must be l's. If the profile itself is a
 * comparison, the base is made from its tracks or files. Returns false with usage in *e and f
 * unchanged if the lens does not fit the profile. Returns false without an error if the pace
 * cancelled: f then has no tree, and may only be updated, begun with another fold, or freed. */
bool fold_update(struct fold *f, const struct profile *p, const struct lens *l,
		 const struct lens *base, struct err *e);

/* Declares a partial fold final; tree->depth_cut says how many levels it has. */
void fold_settle(struct fold *f);

/* Returns the metric's sum over the range on all tracks, before any filter. Even a
 * choice of tracks is a part of it. If the lens chooses no tracks, that is now.everything; else
 * the call costs as much as an update. */
int64_t fold_recorded(const struct fold *f, const struct profile *p);

/* Returns true if something was recorded at or below the node, in the range or in its base. */
bool fold_shows(const struct fold *f, node_id node);

/* Returns the total of a node and of its base, not rounded; the base is 0 without a comparison. */
struct sides fold_sides(const struct fold *f, node_id node);

/* Returns the weight that decides a node's width among its siblings: its total, in a comparison
 * the totals of both sides, so that frames that are gone keep their width. Below a node with values
 * of both signs, it is the sum of their amounts: no box is wider than its parent. */
int64_t fold_weight(const struct fold *f, node_id node);
/* Returns true if the lens includes the track. A track added after the update is not included
 * yet. */
static inline bool
fold_has_track(const struct fold *f, track_id t)
{
	return t < f->n_chosen && f->chosen[t];
}

/* Returns the slice of the fold, for p as it is now. The caller frees *tracks, [p->n_tracks],
 * which the slice borrows. */
struct slice fold_slice(const struct fold *f, const struct profile *p, uint8_t **tracks);

/* Returns the slice that the numbers of a comparison were counted in: the new side, or its base.
 * Its tracks, n_chosen of them, are those of the fold until the next update. */
struct slice fold_side(const struct fold *f, bool base);

/* ---- rows ---- */

/* Makes a row for each key that occurs in the fold (has numbers, or was called), in the order of
 * its nodes; drops other rows. Self and total are those of the frames themselves, whatever the
 * direction of the tree. If the file states the inclusive cost of a function and nothing narrows
 * the view, that is its total (stated.h). */
void fold_rows(const struct fold *f, struct rows *out);
/* The same with a pace; if the pace cancels, the rows are meaningless. */
void fold_rows_paced(const struct fold *f, struct rows *out, struct pace *pace);
/* Returns the row of one key without computing the others; all zero, and nothing counted, if it
 * does not occur. */
struct row fold_row_of(const struct fold *f, key_id key);
/* Replaces the recorded totals of a key by those that the file states, if it does. */
void fold_take_stated(const struct fold *f, key_id key, int64_t *total, int64_t *base_total);
/* Adds the recorded self of a node to its key's; returns false if the node does not count in
 * that row. */
bool fold_add_self(const struct fold *f, node_id node, int64_t *self);
/* Returns the key with the largest self, the first of equal ones; KEY_NONE if no key has any. */
key_id fold_hottest(const struct fold *f);
/* Returns the numbers of all nodes, for rows of these; valid until the next update. */
struct node_numbers fold_numbers_of_nodes(const struct fold *f);
/* Returns the row of one node (row_of_node()). */
struct row fold_node_row(const struct fold *f, node_id node);

/* Computes the error bars of a fold without a comparison; row_evidence() returns them until the
 * next update. Costs eight tallies. */
void fold_find_bars(struct fold *f, const struct profile *p);
/* The same for a fold that must not change: into *bars, which is zeroed or was made before. If the
 * pace cancels, *bars may only be released. row_bar() returns the limits of a row's number. */
void fold_bars(const struct fold *f, const struct profile *p, struct pace *pace,
	       struct changes *bars);
struct evidence row_bar(const struct changes *bars, const struct row *r, bool total);
/* Return the evidence on the change of a row's self or total; a node's self has none. For a fold
 * with error bars: the limits of the number itself. */
struct evidence row_evidence(const struct fold *f, const struct row *r, bool total);
enum sure row_sure(const struct fold *f, const struct row *r, bool total);
/* Returns whether the change of a node's total exceeds chance; for NODE_ROOT, of everything
 * shown. */
enum sure fold_sure(const struct fold *f, node_id node);
/* Returns true if it is known that nothing at or below a node changed by more than chance. */
bool fold_is_chance(const struct fold *f, node_id node);
/* Returns the same for a row of a table, by self and by total. */
bool row_is_chance(const struct fold *f, const struct row *r);

/* Writes the shown children of `node` to out, at most `max`, sorted by falling total (of a
 * comparison: both sides together), then by name. Returns the number of all shown children.
 * O(children log max). */
uint32_t fold_children(const struct fold *f, const struct profile *p, node_id node,
		       node_id *out, uint32_t max);

#endif
