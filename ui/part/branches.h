/* branches.h - the rows of a tree whose nodes open and close.
 *
 * Nothing is ever flattened: rows are walked to from the cursor, through five links that a
 * backend gives (first, last, next, prev, parent), so a tree of a million open nodes costs
 * what the screen shows.  A node is open by a rule unless the user opened or closed that
 * very path: such marks are kept under a hash of the keys on the way to it, so that they
 * survive other numbers, other ids and growing profiles.
 *
 * There may be a second tree, turned over, above the first one: its rows grow upwards from
 * the root, which both share and which has one row.
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

/* Of a node that is shown; links are BRANCH_NONE where there is nothing. */
struct branch_ops {
	branch_id (*first)(void *of, branch_id n);
	branch_id (*last)(void *of, branch_id n);
	branch_id (*next)(void *of, branch_id n);
	branch_id (*prev)(void *of, branch_id n);
	branch_id (*parent)(void *of, branch_id n);
	/* What tells its path from those of its siblings, and the node that the rest of the
	 * path belongs to: mostly its parent; BRANCH_NONE of a root. */
	branch_id (*path)(void *of, branch_id n, uint64_t *key);
	/* Has it children?  Without making them, where that is less. */
	bool (*has)(void *of, branch_id n);
	/* Is it open by itself? */
	bool (*heavy)(void *of, branch_id n);
	/* Does the hot path go on from n to its first child? */
	bool (*leads)(void *of, branch_id n, branch_id first);
	/* Is it in the tree above?  NULL: there is none. */
	bool (*above)(void *of, branch_id n);
};

enum branch_rule { BRANCHES_HEAVY, BRANCHES_ALL, BRANCHES_NONE };

struct branch_mark {
	uint64_t path; /* its hash */
	uint64_t bits; /* one for its last key; all where that is not known */
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
	branch_id root, mirror; /* of the tree above; BRANCH_NONE */
	branch_id at;           /* the cursor */
	enum branch_rule rule;
	VEC(struct branch_line) lines; /* on the screen */
	int row;                       /* on which of them the cursor is */
	int h;
	uint32_t least_depth; /* of the lines */
	/* private */
	struct map map; /* of the marks */
	VEC(struct branch_mark) marks;
	uint64_t marked; /* the bits of all: who has others has no mark */
	uint64_t seed;
	uint64_t *hash; /* [id] of its path; 0: not worked out */
	uint32_t n_hash;
	VEC(uint64_t) way; /* keys from the cursor to its root */
	bool way_above;
	struct standing standing; /* of the cursor among the rows */
	bool counted;             /* ... and that still holds */
	VEC(struct branch_mark) held; /* what branches_hold() keeps: the marks, */
	branch_id held_at;            /* the cursor, */
	int held_row;
	uint64_t resets, held_resets; /* and whose ids these are */
	bool stale;  /* the lines are not those of now */
	bool placed; /* row is where the cursor is to stand, whatever the lines were */
};

void branches_init(struct branches *b, const struct branch_ops *ops);
void branches_release(struct branches *b);
/* Other nodes: all ids are new, the cursor is the root; marks stay.  Borrows `of`.  Marks
 * hold for the seed they were made with: what stands at the root. */
void branches_reset(struct branches *b, void *of, branch_id root, branch_id mirror,
		    uint64_t seed);
/* What the cursor stood on when it was remembered, or as far on the way there as there is
 * something. */
void branches_remember(struct branches *b);
branch_id branches_recall(struct branches *b);
/* Forgets the way, and where on the screen the cursor stood. */
void branches_forget(struct branches *b);

/* Makes the lines for a screen of h rows with the cursor on `at`, which is opened to.  It
 * stays where it is on the screen where it can. */
void branches_arrange(struct branches *b, branch_id at, int h);

bool branches_is_open(struct branches *b, branch_id n);
/* Marks it; a root is always open. */
void branches_open(struct branches *b, branch_id n, bool open);
/* The row below (dir > 0) or above; BRANCH_NONE at the end. */
branch_id branches_beside(struct branches *b, branch_id n, int dir);
/* The last (dir > 0) or the first row. */
branch_id branches_end(struct branches *b, int dir);

enum branch_did {
	BRANCHES_PASS,  /* nothing */
	BRANCHES_DONE,  /* something opened or closed */
	BRANCHES_MOVED, /* the cursor, perhaps to where it was */
};
/* Moves through the rows, opens and closes, follows the hot path. */
enum branch_did branches_act(struct branches *b, enum action action);
/* The cursor on line y; false when there is none. */
bool branches_click(struct branches *b, int y);
/* The cursor on the next row that is a hit, going round at the ends.  False, and nothing
 * moved, when none is among the first 100,000. */
bool branches_find(struct branches *b, int dir, bool (*hit)(const void *ctx, branch_id n),
		   const void *ctx);

/* How many rows are hits (NULL: all of them), and how many up to the cursor.  Of more than
 * 20,000 rows those are counted. */
void branches_count(struct branches *b, bool (*hit)(const void *ctx, branch_id n),
		    const void *ctx, struct standing *out);

/* ---- what is kept (branches_keep.c) ---- */

/* Keeps what is open and where the cursor is; then, `back`, all is as it was.  False when
 * ids are others meanwhile, so that the cursor is where it is. */
bool branches_hold(struct branches *b, bool back);
/* Appends the rule that E and C choose: "open", "closed", or nothing. */
void branches_keep(const struct branches *b, struct buf *out);
/* Appends what is open, and the way to the cursor as it was remembered, in words that hold
 * as long as the profile is loaded. */
void branches_stand(const struct branches *b, struct buf *out);
/* The words of either.  False when they are none, and nothing changed. */
bool branches_read(struct branches *b, const char *words);
/* For branches_keep.c. */
void branches_forget_marks(struct branches *b);

/* ---- drawing ---- */

/* BRANCHES_BARE: of rows that are no functions, which are not called and stand nowhere. */
enum branch_columns { BRANCHES_WHOLE, BRANCHES_BARE };
/* The name of a line behind its indentation: `step` columns a level; 0: one where there is
 * little room, else two. */
struct branch_name {
	const struct branches *b;
	const struct branch_line *line;
	int step;
	bool hit, strong;
	const char *mark; /* instead of that of open and closed; NULL */
	/* Appends the name in at most `cols` columns. */
	void (*write)(const struct branch_name *n, int cols, struct buf *out);
	const struct scene *s;
	const void *view;
};
/* All of it: the head, where the cursor is among the rows, and the lines. */
struct branches_shown {
	const struct branches *b;
	const struct scene *s;
	const struct look *look;
	const char *share, *name; /* what per cent are called; the head of the names */
	enum branch_columns which;
	const void *view;
	/* What a line says: its numbers and its name; b, line, s and view are there. */
	void (*line)(struct branch_name *n, struct row *numbers);
};
void branches_draw(const struct branches_shown *d, struct canvas *c, struct area a);
/* Is there a column of this name in w columns of a screen? */
bool branches_tell(const struct branches_shown *d, int w, const char *column);

#endif
