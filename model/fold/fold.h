/* fold.h - a profile through a lens: the tree that is shown, with its numbers.
 *
 * All commands and views read folds, so their numbers agree by construction.
 *
 *	struct fold *f = fold_new();
 *	if (!fold_update(f, profile, &lens, NULL, &err)) ...      -- wrong usage
 *	for (node_id c = f->tree->first_child[NODE_ROOT]; c != NODE_NONE; ...)
 *
 * fold_update() does only what is needed: the projection is kept while the profile has
 * not grown and the lens keeps its shape.  Entries `where` and `label` are not its care:
 * the profile is one that was regrouped by them (regroup.h). */
#ifndef PNAV_MODEL_FOLD_H
#define PNAV_MODEL_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fold/changes.h"
#include "model/fold/numbers.h"
#include "model/fold/project.h"
#include "model/fold/tally.h"

/* What is said of a fold that is. */
#define FOLD_ESTIMATED "estimated from a call graph"

struct fold {
	struct projection *tree;
	struct fold_numbers now;
	bool compares;            /* base holds numbers to compare with */
	struct fold_numbers base;
	int64_t *stated, *base_stated; /* [function] totals that the files state (stated_totals.h);
				      * NULL: those of the stacks hold */
	bool estimated;           /* its stacks were estimated from a call graph */
	struct changes changes;   /* which differences are more than chance; error bars */
	metric_id metric;
	int64_t from, to; /* the range, from the first event */
	bool whole;
	int64_t run; /* how long it was: the profile may have grown since */
	uint64_t of;     /* the serial of the profile's names: one that was regrouped is another */
	uint64_t events; /* read one by one for the last update */
	uint64_t generation; /* of the profile when this fold was made: it may have grown since */
	track_id only_track; /* set by the caller before an update: of the lens's tracks, this
			      * one alone; TRACK_NONE (as made): all */
	uint32_t at_once; /* set by the caller before an update: an inversion that may have more
			   * nodes than this begins with its first levels; 0 (as made): all */
	bool partial;     /* those are what there is: an update with another at_once makes all */
	struct pace *pace; /* set by the caller before an update; NULL (as made): no rests */
	/* private */
	uint8_t *tracks; /* [track], n_chosen of them, 1: looked at; p may have more by now */
	uint8_t *chosen; /* [track], n_chosen of them, 1: the lens does not leave it out */
	uint32_t n_chosen;
	struct tally tally, base_tally;
	struct lens lens;
	bool valid;
	metric_id base_metric;
};

struct fold *fold_new(void);
void fold_free(struct fold *f);

/* Would fold_update() take this?  False and usage in *e when the lens does not fit. */
bool fold_fits(const struct profile *p, const struct lens *l, const struct lens *base,
	       struct err *e);

/* For a fold that is made beside the one that is shown, and then takes its place: the tree of
 * `shown` becomes that of f, so that an update which keeps the shape makes no other. */
void fold_begin_with(struct fold *f, const struct fold *shown);
/* Each becomes the other. */
void fold_swap(struct fold *a, struct fold *b);

/* Makes f show p through l.  `base`, when not NULL, is the lens whose numbers are those
 * to compare with (its range, tracks and metric count; its shape must be l's).  For a
 * profile that is a comparison in itself, base is made from its tracks.  False, usage in
 * *e and f unchanged when the lens does not fit the profile.  False without an error when
 * the pace gave up: f has no tree then, and may only be updated, begun with another, or
 * freed. */
bool fold_update(struct fold *f, const struct profile *p, const struct lens *l,
		 const struct lens *base, struct err *e);

/* A partial fold stays as it is: tree->depth_cut says how many levels it has. */
void fold_settle(struct fold *f);

/* The metric over the range on all tracks, before any filter: what a choice of tracks, too,
 * takes a part of.  Where the lens chooses no tracks that is now.everything; else it costs
 * what an update does. */
int64_t fold_recorded(const struct fold *f, const struct profile *p);

/* Something was recorded at or below the node, in the range or in its base. */
bool fold_shows(const struct fold *f, node_id node);

/* How much room a node has among its siblings: its total, in a comparison now and base
 * together, so that what is gone is as wide as it was. */
int64_t fold_weight(const struct fold *f, node_id node);
/* Is the track one that the lens looks at?  One that came after the update is not yet. */
static inline bool
fold_has_track(const struct fold *f, track_id t)
{
	return t < f->n_chosen && f->chosen[t];
}

/* What the fold is of, for p as it is now: *tracks, [p->n_tracks], is the slice's and the caller's
 * to free. */
struct slice fold_slice(const struct fold *f, const struct profile *p, uint8_t **tracks);

/* ---- rows ---- */
struct call;
struct callstats_row;
struct point;
struct fact;
struct label_row;
struct instruction;

/* A row of any table (columns.h): a key and numbers, and what it is of where that is no part
 * of a fold. */
struct row {
	key_id key;
	uint32_t depth; /* of a node of the tree: 0 is a root frame */
	node_id node;   /* whose numbers they are; NODE_ROOT: those of all nodes of the key */
	int64_t self, total;
	int64_t calls, lines; /* -1 where not counted */
	int64_t base_self, base_total;
	track_id track; /* of calls, tracks, points */
	union {
		const struct callstats_row *call;
		const struct callstats_line *line;
		const struct call *one; /* call of many */
		const struct point *point;
		const struct fact *fact;
		const struct label_row *label;
		const struct instruction *instruction;
	} of;
};

struct rows {
	struct row *at;
	uint32_t n, cap;
};

/* The keys that occur in the fold (present, or called), unsorted.  Self and total are
 * those of the frames themselves, whatever the direction of the tree.  Where the file states
 * what a function cost with all that it called, and nothing narrows the view, that is its
 * total (stated.h). */
void fold_rows(const struct fold *f, struct rows *out);
/* The same with rests; rows of which the pace gave up mean nothing. */
void fold_rows_paced(const struct fold *f, struct rows *out, struct pace *pace);
/* The row of one key, without those of all others: zero, and nothing counted,
 * where it does not occur. */
struct row fold_row_of(const struct fold *f, key_id key);
/* Replaces the totals of a key by those that the file states, where it does. */
void fold_take_stated(const struct fold *f, key_id key, int64_t *total, int64_t *base_total);
/* Adds what a node has of its key's self; false where it is not in that row. */
bool fold_add_self(const struct fold *f, node_id node, int64_t *self);
/* The key with the most self, of several the one that comes first; KEY_NONE: nothing has any. */
key_id fold_hottest(const struct fold *f);
void rows_release(struct rows *r);
/* A new row at the end, all zero. */
struct row *rows_add(struct rows *r);
/* The numbers of one node.  Of an inverted tree self and calls stand on the first row, the leaf
 * function, whose they are: callers below it have a total alone. */
struct row fold_node_row(const struct fold *f, node_id node);

/* Finds the error bars of a fold that compares nothing: row_evidence() has them until the next
 * update.  Costs eight tallies. */
void fold_find_bars(struct fold *f, const struct profile *p);
/* What is known of the change of a row's self, or of its total: of a node's self nothing.
 * Of a fold with error bars: the limits of the number itself. */
struct evidence row_evidence(const struct fold *f, const struct row *r, bool total);
enum sure row_sure(const struct fold *f, const struct row *r, bool total);
/* Is the change of a node's total more than chance?  Of NODE_ROOT: of all that is shown. */
enum sure fold_sure(const struct fold *f, node_id node);
/* Is it known that nothing at or below a node changed by more than chance? */
bool fold_is_chance(const struct fold *f, node_id node);
/* The same of a row of a table, by self and by total. */
bool row_is_chance(const struct fold *f, const struct row *r);

/* Writes node ids of the shown children of `node`, by total falling (of a comparison: now
 * and base together), then name; at most
 * `max`; gives how many there are in all.  O(children log max). */
uint32_t fold_children(const struct fold *f, const struct profile *p, node_id node,
		       node_id *out, uint32_t max);

/* By name (bytes as interned), file, line, module; with `by_file`: by file, line, name.
 * A total order; an unknown line comes first. */
int fold_compare_keys(const struct projection *t, const struct profile *p, key_id a, key_id b,
		      bool by_file);

#endif
