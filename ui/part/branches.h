/* branches.h - the rows of a tree whose nodes open and close.
 *
 * The tree is never flattened: the rows of the screen are found from the cursor, through five
 * links that a backend provides (first, last, next, prev, parent), so a tree of a million open
 * nodes costs what the screen shows.  A node is open by a rule unless the user opened or closed
 * that very path: such marks are kept under a hash of the keys on the way to it, so that they
 * survive other numbers, other ids and growing profiles.
 *
 * There may be a second tree, turned over, above the first one: its rows grow upwards from the
 * root, which both share and which has one row.
 *
 *	branches_reset(&b, backend, root, BRANCH_NONE, seed)  -- ids are others now
 *	branches_arrange(&b, cursor, height)                  -- before drawing
 *	branches_act(&b, action)                              -- then look at b.at
 *
 * branches_arrange() alone fills `lines`, which has all that drawing needs: what a backend
 * makes when it is asked is made there, and drawing asks it nothing. */
#ifndef PNAV_UI_PART_BRANCHES_H
#define PNAV_UI_PART_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/base/buf.h"
#include "model/base/map.h"
#include "model/base/vec.h"
#include "ui/part/grid.h"

typedef uint32_t branch_id;
#define BRANCH_NONE UINT32_MAX

/* Links between visible nodes; BRANCH_NONE if there is none. */
struct branch_ops {
	branch_id (*first)(void *of, branch_id n);
	branch_id (*last)(void *of, branch_id n);
	branch_id (*next)(void *of, branch_id n);
	branch_id (*prev)(void *of, branch_id n);
	branch_id (*parent)(void *of, branch_id n);
	/* Returns the key that distinguishes its path from those of its siblings, and the node with
	 * the rest of the path: mostly its parent; BRANCH_NONE for a root. */
	branch_id (*path)(void *of, branch_id n, uint64_t *key);
	/* True if it has children; avoids making them if possible. */
	bool (*has)(void *of, branch_id n);
	/* True if it is open by default. */
	bool (*heavy)(void *of, branch_id n);
	/* True if the hot path continues from n to its first child. */
	bool (*leads)(void *of, branch_id n, branch_id first);
	/* True if it is in the upper tree.  NULL: there is none. */
	bool (*above)(void *of, branch_id n);
};

enum branch_rule { BRANCHES_HEAVY, BRANCHES_ALL, BRANCHES_NONE };

struct branch_mark {
	uint64_t path; /* its hash */
	uint64_t bits; /* one for its last key; all if that is unknown */
	bool open;
};

struct branch_line {
	branch_id id;
	uint32_t depth; /* of a root: 0 */
	bool open, has, above;
};

struct branches {
	const struct branch_ops *ops;
	void *of;
	branch_id root, mirror; /* of the upper tree; BRANCH_NONE */
	branch_id at;           /* the cursor */
	enum branch_rule rule;
	VEC(struct branch_line) lines; /* on the screen */
	int row;                       /* the cursor's index among them */
	int h;
	uint32_t least_depth; /* of the lines */
	/* private */
	struct map map; /* of the marks */
	VEC(struct branch_mark) marks;
	uint64_t marked; /* the union of all bits: a node with others has no mark */
	uint64_t seed;
	uint64_t *hash; /* [id] of its path; 0: not computed yet */
	uint32_t n_hash;
	VEC(uint64_t) way; /* keys from the cursor to its root */
	bool way_above;
	struct standing standing;     /* of the cursor among the rows */
	bool counted;                 /* ... and is still valid */
	VEC(struct branch_mark) held; /* the state of branches_hold(): the marks, */
	branch_id held_at;            /* the cursor, */
	int held_row;
	uint64_t resets, held_resets; /* and the generation of these ids */
	bool stale;                   /* the lines are out of date */
	bool placed;                  /* `row` is the cursor's new place, whatever the lines were */
};

void branches_init(struct branches *b, const struct branch_ops *ops);
void branches_release(struct branches *b);
/* Replaces the nodes: all ids are new, the cursor is the root; marks stay.  Borrows `of`.  Marks
 * are valid for the seed that they were made with, which identifies the root. */
void branches_reset(struct branches *b, void *of, branch_id root, branch_id mirror,
		    uint64_t seed);
/* Moves the cursor to its remembered node, or as far along that path as it exists. */
void branches_remember(struct branches *b);
branch_id branches_recall(struct branches *b);
/* Forgets the path, and the cursor's place on the screen. */
void branches_forget(struct branches *b);

/* Makes the lines for a screen of h rows with the cursor on `at`, opening the nodes above it.  The
 * cursor keeps its place on the screen if possible. */
void branches_arrange(struct branches *b, branch_id at, int h);

bool branches_is_open(struct branches *b, branch_id n);
/* Opens or closes a node; a root is always open. */
void branches_open(struct branches *b, branch_id n, bool open);
/* Returns the row below (dir > 0) or above; BRANCH_NONE at the end. */
branch_id branches_beside(struct branches *b, branch_id n, int dir);
/* Returns the last (dir > 0) or the first row. */
branch_id branches_end(struct branches *b, int dir);

enum branch_did {
	BRANCHES_PASS,  /* nothing changed */
	BRANCHES_DONE,  /* something opened or closed */
	BRANCHES_MOVED, /* the cursor, perhaps to where it was */
};
/* Moves through the rows, opens and closes, follows the hot path. */
enum branch_did branches_act(struct branches *b, enum action action);
/* False if the action has no effect on the cursor's row, since it has nothing to open. */
bool branches_have_effect(const struct branches *b, enum action action);
/* Puts the cursor on line y; returns false if there is none. */
bool branches_click(struct branches *b, int y);
/* Puts the cursor on the next hit, from the end to the beginning again.  Returns false without a
 * move if the first 100,000 rows have none. */
bool branches_find(struct branches *b, int dir, bool (*hit)(const void *ctx, branch_id n),
		   const void *ctx);

/* Counts the rows that are hits (NULL: all of them), and those up to the cursor; of more than
 * 20,000 rows only these. */
void branches_count(struct branches *b, bool (*hit)(const void *ctx, branch_id n),
		    const void *ctx, struct standing *out);

/* ---- kept state (branches_keep.c) ---- */

/* Saves the open rows and the cursor; with `back` restores them.  Returns false if the ids have
 * changed meanwhile, so the cursor cannot be restored. */
bool branches_hold(struct branches *b, bool back);
/* Appends the rule set by E and C: "open", "closed", or nothing. */
void branches_keep(const struct branches *b, struct buf *out);
/* Appends the open rows and the remembered path to the cursor, in words that are valid while the
 * profile is loaded. */
void branches_stand(const struct branches *b, struct buf *out);
/* Reads the words of either.  Returns false without a change if they are invalid. */
bool branches_read(struct branches *b, const char *words);
/* For branches_keep.c. */
void branches_forget_marks(struct branches *b);

/* ---- drawing ---- */

/* BRANCHES_BARE: for rows that are not functions, without calls and places. */
enum branch_columns { BRANCHES_WHOLE, BRANCHES_BARE };
/* The name of a line after its indentation: `step` columns a level; 0: one if there is little room,
 * else two. */
struct branch_name {
	const struct branches *b;
	const struct branch_line *line;
	int step;
	bool hit, strong;
	const char *mark; /* replaces the mark for open and closed; NULL */
	/* Appends the name in at most `cols` columns. */
	void (*write)(const struct branch_name *n, int cols, struct buf *out);
	const struct scene *s;
	const void *view;
};
/* Everything to draw: the head, the cursor's position, and the lines. */
struct branches_shown {
	const struct branches *b;
	const struct scene *s;
	const struct look *look;
	const char *share, *name; /* the head of per cent; the head of the names */
	enum branch_columns which;
	const void *view;
	/* Fills a line: its numbers and its name; b, line, s and view are set. */
	void (*line)(struct branch_name *n, struct row *numbers);
};
void branches_draw(const struct branches_shown *d, struct canvas *c, struct area a);
/* True if w columns of a screen include a column of this name. */
bool branches_show_column(const struct branches_shown *d, int w, const char *column);

#endif
